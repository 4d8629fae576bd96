/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - hone check: judges a file against a contract, and says what is wrong, and where.
 *
 *     FILE:LINE: code: message        one line per problem; LINE is 0 where it cannot be told
 *
 * Not here: the contracts (dialect/check.c). */
#include "cmd/page.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/suggest.h"

#include "cmd/verbs.h"
#include "dialect/check.h"
#include "io/file/file.h"
#include "io/file/line.h"
#include "run/look.h"

#include <inttypes.h>
#include <string.h>

enum { FILE_BYTES_MAX = 64 << 20 };

static int find_kind(const char *word, const struct check **out, struct err *err)
{
    struct suggest suggest;

    *out = check_find(str_of(word));
    if (*out) return 0;
    suggest_init(&suggest, str_of(word));
    for (const struct check *check = checks; check->kind; check++) {
        suggest_offer(&suggest, check->kind);
    }
    return suggest_refuse(&suggest, "kind", "there is", err);
}

static void show_text(const char *name, const struct check_report *report, bool quiet)
{
    struct buf out, shown;

    buf_init(&out, SAY_BYTES_MAX);
    buf_init(&shown, 64 * 1024);
    add_safe(&shown, name, 0);
    for (uint32_t i = 0; i < report->count; i++) {
        const struct check_problem *problem = &report->problems[i];
        buf_printf(&out, "%s:%" PRIu32 ": %s: %s\n", buf_cstr(&shown), problem->line,
                   problem->code, problem->message);
    }
    if (report->more > 0) {
        buf_printf(&out, "%s: and %" PRIu32 " more\n", buf_cstr(&shown), report->more);
    }
    if (report->count == 0 && !quiet) buf_printf(&out, "%s: valid\n", buf_cstr(&shown));
    say_out(&out);
    buf_release(&shown);
    buf_release(&out);
}

static void show_json(const struct check *check, const struct check_report *report)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *problems;

    json_add(doc, root, "kind", check->kind);
    yyjson_mut_obj_add_bool(doc, root, "valid", report->count == 0);
    problems = yyjson_mut_obj_add_arr(doc, root, "problems");
    for (uint32_t i = 0; i < report->count; i++) {
        yyjson_mut_val *problem = yyjson_mut_arr_add_obj(doc, problems);
        json_add(doc, problem, "code", report->problems[i].code);
        yyjson_mut_obj_add_uint(doc, problem, "line", report->problems[i].line);
        json_add(doc, problem, "message", report->problems[i].message);
    }
    if (report->more > 0) yyjson_mut_obj_add_uint(doc, root, "more", report->more);
    say_json(doc, true);
}

static int read_content(const char *name, struct buf *content, struct err *err)
{
    enum { STDIN = 0 };
    int rc;

    if (strcmp(name, "-") == 0) {
        if (line_can_ask()) (void)say_fail(CODE_DONE, "reads what you type; Ctrl-D ends it");
        rc = file_read_fd(STDIN, content, err);
        return rc == 0 ? 0 : err_wrap(err, "standard input");
    }
    rc = file_read(name, content, err);
    if (rc != ERR_FORMAT) return rc;
    return err_set(err, ERR_USAGE, "%s is not a regular file; '-' reads standard input", name);
}

static int read_phase(const struct call *call, const struct check *check, bool *execution,
                      struct err *err)
{
    const char *phase = call_value(call, "phase");

    *execution = false;
    if (!phase) return 0;
    if (!check->run_execution) {
        return err_set(err, ERR_USAGE, "%s is the same in every phase: leave --phase out",
                       check->kind);
    }
    *execution = strcmp(phase, "execution") == 0;
    if (*execution || strcmp(phase, "planning") == 0) return 0;
    return err_set(err, ERR_USAGE, "unknown phase '%.60s'; there is: planning, execution", phase);
}

static int handle(struct call *call)
{
    const char *name = call_argument(call, 1);
    struct check_report report = { 0 };
    const struct check *check;
    bool execution = false;
    struct buf content;
    struct err err;
    int rc, code;

    if (!name) name = "-";
    buf_init(&content, FILE_BYTES_MAX);
    rc = find_kind(call_argument(call, 0), &check, &err);
    if (rc == 0) rc = read_phase(call, check, &execution, &err);
    if (rc == 0) rc = read_content(name, &content, &err);
    if (rc != 0) {
        code = say_err(&err);
    } else {
        (execution ? check->run_execution : check->run)(buf_str(&content), &report);
        if (call->json) show_json(check, &report);
        else show_text(name, &report, call->quiet);
        code = report.count == 0 ? CODE_DONE : CODE_FINDINGS;
    }
    check_report_release(&report);
    buf_release(&content);
    return code;
}

static void extend(struct page *page)
{
    page_add(page, BLOCK_HEADING, NULL, "Kinds");
    for (const struct check *check = checks; check->kind; check++) {
        page_add(page, BLOCK_TERM, check->kind, check->summary);
    }
}

const struct verb verb_check = {
    .name = "check",
    .summary = "judge a file against a contract",
    .text = {
        "Says whether a file is what a contract file of its kind must be. Each problem is a line "
        "FILE:LINE: code: message on standard output; LINE is 0 where it cannot be told. With "
        "--json there is one object with kind, valid and problems.",
    },
    .arguments = {
        { .name = "KIND", .help = "the contract: see Kinds",
          .words = "r1, iterate, grade, signal, session, sarif or another contract" },
        { .name = "FILE", .optional = true,
          .help = "the file; '-' or nothing for standard input" },
    },
    .options = {
        { .name = "phase", .argument = "PHASE",
          .help = "of the kind reviewer: planning (by default) or execution",
          .words = "planning or execution" },
    },
    .codes = {
        { CODE_DONE, "the file is valid" },
        { CODE_FINDINGS, "it is not" },
        { CODE_USAGE, "there is no such kind, phase or file" },
        { CODE_FAILED, "it could not be read" },
    },
    .examples = {
        "hone check r1 r1-critic.json",
        "./reviewer.sh | hone check r1 --json",
        "hone check sarif report.sarif",
        "hone check reviewer --phase execution review.md",
    },
    .extend = extend,
    .handle = handle,
};
