/* SPDX-License-Identifier: Apache-2.0
 *
 * findings.c - hone findings: everything the reviewers of a run found, and what became of it.
 *
 * The run is replayed and filters choose from what was found (run/listed.h). For people, on a
 * terminal, findings stand below their files (report/found.c), in the user's pager: that is the
 * format that only this verb has. The others are forms (format/report/forms.h), which `hone export`
 * writes, too. */
#include "cmd/findings.h"

#include "cmd/page.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/suggest.h"
#include "cmd/verbs.h"
#include "document/document.h"
#include "format/report/uri.h"
#include "io/process/host.h"
#include "io/process/pager.h"
#include "io/terminal/terminal.h"
#include "report/found.h"
#include "run/cast.h"

#include <inttypes.h>
#include <string.h>

/* ---- the verb ---- */

enum { LINK_BYTES_MAX = 64 * 1024, INDENT = 2 };

/* What is asked for. */
struct query {
    const struct form *form; /* NULL: the table for people */
    struct findings_query query;
    bool ordered;            /* an order was said */
};

/* One showing. */
struct show {
    const struct call *call;
    const struct look *look;
    const struct listed *listed;
};

/* ---- the table for people ---- */

static void write_table(const struct show *show, struct buf *out)
{
    const struct listing *listing = &show->listed->listing;
    const struct journal_run *run = &show->look->run;
    struct found_page page = {
        .listing = listing,
        .columns = line_columns(TERMINAL_OUT_FD),
        .color = show->call->out_color,
        .workspace = run->workspace,
    };
    char host[HOST_NAME_BYTES];
    struct buf links, last;

    buf_init(&links, LINK_BYTES_MAX);
    if (show->call->out_color && show->call->out_terminal) {
        buf_text(&links, "file://");
        uri_path(&links, str_of(host_name(host)));
        uri_path(&links, str_of(run->workspace));
        buf_byte(&links, '/');
        if (!links.overflow) page.links = buf_cstr(&links);
    }
    found_groups(&page, out);
    if (listing->count > 0) buf_byte(out, '\n');
    buf_init(&last, LINK_BYTES_MAX);
    buf_printf(&last, "run %s (%s): ", run->id, standing_word(run, show->look->alive));
    if (listing->count > 0) {
        listing_say(listing, &last);
    } else if (show->listed->total > 0) {
        buf_printf(&last, "none of its %" PRIu32 " findings is what you asked for",
                   show->listed->total);
    } else {
        buf_text(&last, "nothing was found");
    }
    add_wrapped(out, buf_cstr(&last), 0, INDENT, page.columns);
    buf_release(&last);
    coverage_say(&listing->coverage, out);
    buf_release(&links);
}

/* ---- what is asked for ---- */

/* *out is NULL for the table. */
static int find_form(const struct call *call, const struct form **out, struct err *err)
{
    const char *name = call_value(call, "format");

    if (name && call->json && strcmp(name, "json") != 0) {
        return err_set(err, ERR_USAGE, "--json and --format %.60s are two formats; choose one",
                       name);
    }
    if (!name) name = call->json ? "json" : call->out_terminal ? "table" : "text";
    *out = NULL;
    return strcmp(name, "table") == 0 ? 0 : findings_form(name, "table", out, err);
}

int findings_form(const char *name, const char *other, const struct form **out, struct err *err)
{
    struct suggest suggest;

    *out = form_find(name);
    if (*out) return 0;
    suggest_init(&suggest, str_of(name));
    if (other) suggest_offer(&suggest, other);
    for (const struct form *form = forms; form->name; form++) suggest_offer(&suggest, form->name);
    return suggest_refuse(&suggest, "format", "there are", err);
}

int findings_filter(const struct call *call, const char *states, struct finding_filter *out,
                    struct err *err)
{
    const char *state = call_value(call, "state");

    return finding_filter_read(&(struct finding_filter_words){
        .state = state ? state : states,
        .severity = call_value(call, "severity"),
        .file = call_value(call, "file"),
        .rule = call_value(call, "rule"),
        .role = call_value(call, "role"),
        .round = call_value(call, "round"),
        .by = call_value(call, "by"),
        .cause = call_value(call, "cause"),
        .votes = call_value(call, "min-votes"),
        .text = call_value(call, "text"),
        .prefix = "--",
    }, out, err);
}

static int read_query(const struct call *call, struct query *query, struct err *err)
{
    int rc = find_form(call, &query->form, err);

    if (rc != 0) return rc;
    rc = findings_filter(call, query->form ? query->form->states : NULL, &query->query.filter,
                         err);
    if (rc == 0) {
        query->ordered = call_has(call, "order");
        rc = findings_order(call_value(call, "order"), "--", &query->query.order, err);
    }
    if (rc == 0) {
        rc = call_slice(call, &query->query.slice.from, &query->query.slice.count, err);
    }
    if (rc == 0 && query->form && strcmp(query->form->name, "json") != 0 &&
        (query->ordered || call_has(call, "from") || call_has(call, "count"))) {
        rc = err_set(err, ERR_USAGE, "--order, --from and --count are for the table and for JSON; "
                     "%s has an order of its own, and all of it", query->form->name);
    }
    return rc;
}

/* With the role that may have been meant. */
static int check_role(const struct listed *listed, const struct findings_query *query,
                      struct err *err)
{
    const struct plan *plan = listed->listing.plan;
    struct suggest suggest;
    int rc = findings_check(listed, query, err);

    if (rc == 0) return 0;
    suggest_init(&suggest, str_of(query->filter.role));
    for (uint32_t i = 1; i < plan->role_count; i++) suggest_offer(&suggest, plan->roles[i].name);
    if (!suggest.best) return rc;
    return err_set(err, ERR_USAGE, "this run has no role '%.60s'; did you mean '%s'?",
                   query->filter.role, suggest.best);
}

/* ---- the run ---- */

/* A terminal gets it by the user's pager. */
static void show_out(const struct call *call, const struct buf *out)
{
    bool paged = call->out_terminal && !call->no_pager && !call->json;

    if (!paged || !pager_show(buf_str(out))) say_out(out);
}

/* The rows of the table: by file, unless an order was said. */
static void choose_rows(struct listed *listed, const struct query *query)
{
    const struct slice *slice = &query->query.slice;
    struct listing *listing = &listed->listing;
    uint32_t kept = 0;

    listed_choose(listed, &query->query.filter,
                  query->ordered ? query->query.order : LISTING_BY_GROUP);
    for (uint32_t i = 0; i < listing->count; i++) {
        if (slice_takes(slice, i)) listing->items[kept++] = listing->items[i];
    }
    listing->count = kept;
}

static int put_down(const struct show *show, const struct form *form)
{
    struct buf out;
    int code = CODE_DONE;

    buf_init(&out, SAY_BYTES_MAX);
    if (form) form->write(&show->listed->listing, &out);
    else write_table(show, &out);
    if (out.overflow) {
        code = say_fail(CODE_FAILED, "the findings take more than %d MB; choose some of them, as "
                        "with --severity high", SAY_BYTES_MAX >> 20);
    } else {
        show_out(show->call, &out);
    }
    buf_release(&out);
    return code;
}

static int handle(struct call *call)
{
    struct listed listed = { 0 };
    struct query query = { 0 };
    struct look look = { 0 };
    struct show show = { .call = call, .look = &look, .listed = &listed };
    struct err err;
    int rc, code;

    rc = read_query(call, &query, &err);
    if (rc == 0 && call_has(call, "across")) return findings_across(call, &query.query.filter);
    if (rc == 0) rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = look_run(&look, call_argument(call, 0), &err);
    if (rc == 0) rc = listed_read(&look, HONE_VERSION, &listed, &err);
    if (rc == 0) rc = check_role(&listed, &query.query, &err);
    if (rc == 0 && query.form && query.form->story) rc = listed_tell(&look, &listed, &err);
    if (rc == 0 && query.form && strcmp(query.form->name, "json") == 0) {
        yyjson_mut_doc *doc = json_new();

        document_findings(&listed, &query.query, doc, json_object(doc));
        say_json(doc, true);
        code = CODE_DONE;
    } else if (rc == 0) {
        if (query.form) listed_choose_for(&listed, &query.query.filter, query.form);
        else choose_rows(&listed, &query);
        code = put_down(&show, query.form);
    } else {
        code = say_err(&err);
    }
    listed_release(&listed);
    look_close(&look);
    return code;
}

void findings_forms_help(struct page *page)
{
    for (const struct form *form = forms; form->name; form++) {
        page_add(page, BLOCK_TERM, form->name, form->help);
    }
}

static void extend(struct page *page)
{
    page_add(page, BLOCK_HEADING, NULL, "Formats");
    page_add(page, BLOCK_TERM, "table",
             "below each file what was found in it, by line, with the line of the source, colours "
             "and links; lines fit the terminal, and only the source's line is cut for that. What "
             "a terminal gets by default, in a pager: HONE_PAGER, PAGER or less. Pipes and files "
             "get text, and --json is json");
    findings_forms_help(page);
}

const struct verb verb_findings = {
    .name = "findings",
    .summary = "show what was found in a run, and what became of it",
    .text = {
        "Shows everything the reviewers of a run found, each thing once: how grave it is, where, "
        "by which rule, what was said, in which rounds it was first and last reported, how many "
        "reviewers reported it, what brought it (the change, or the fix of a round), how often a "
        "fixer was to resolve it, and its state. What is open comes first, then what is graver, "
        "then by file and line. The letters at the end are its ID, for 'hone fix' "
        "and 'hone waive'.",
        "Open is what is new, persisting (reported again), regressed (it was fixed, and came "
        "back) or parked (no fix is tried any more). It is noted when it is too small to fail its "
        "review, or a fixer left it with a reason; waived when a person decided so; fixed when its "
        "reviewers looked again and did not report it any more.",
        "With --across findings are followed over all runs of the repository, by their words and "
        "places: in which runs each was seen, and its state at the end of each. Where its file was "
        "renamed between two runs it begins anew. All events of all runs are read for it, of at "
        "most 500 runs; the last line says how long that took. RUN is then the ID of a finding, "
        "or the beginning of one.",
        "The filters can be combined. A PATTERN is as in .gitignore: '*.c' fits such a file in "
        "every folder, 'src/' everything below src.",
    },
    .arguments = { ARGUMENT_RUN },
    .options = {
        { .name = "format", .argument = "FORMAT",
          .help = "table, or one of the forms that hone export writes: see Formats" },
        { .name = "state", .argument = "STATE",
          .help = "open, or new, persisting, regressed, parked, noted, waived, fixed; several "
                  "with commas between; or all. By default all; for rdjson, checkstyle, gitlab "
                  "and github, whose readers take everything for open, what is open; for sarif "
                  "that and what is waived",
          .words = "open, new, persisting, regressed, parked, noted, waived, fixed or all" },
        { .name = "across", .help = "over all runs; with --state, --severity, --file, --json" },
        { .name = "severity", .argument = "RANK",
          .help = "low, medium or high: only what is at least as grave",
          .words = "low, medium or high" },
        { .name = "file", .argument = "PATTERN", .help = "only what is about these files" },
        { .name = "role", .argument = "ROLE", .help = "only what this reviewer reported" },
        { .name = "by", .argument = "BACKEND",
          .help = "only what was reported on this backend, such as claude" },
        { .name = "min-votes", .argument = "N",
          .help = "only what at least N reported; a role on two backends has two votes" },
        { .name = "cause", .argument = "CAUSE",
          .help = "change: only what was there in the change; fix: what a fix brought; N: what the "
                  "fix of round N brought" },
        { .name = "rule", .argument = "PATTERN", .help = "only what was reported by these rules" },
        { .name = "round", .argument = "N",
          .help = "only what was first reported in round N or before, and last in N or after" },
        { .name = "text", .argument = "WORDS",
          .help = "only where each of these words stands in the text, the evidence, the rule or "
                  "the file, in small or capital letters; or begins its ID" },
        { .name = "order", .argument = "ORDER",
          .help = "state, file, severity or round (of the first report); of the table and JSON",
          .words = "state, file, severity or round" },
        OPTIONS_SLICE("findings"),
    },
    .codes = {
        { CODE_DONE, "the findings were shown; there may be none" },
        { CODE_USAGE, "there is no such run, role, backend, format, state, severity or cause" },
    },
    .examples = {
        "hone findings",
        "hone findings --state open --severity medium --file 'src/*.c'",
        "hone findings 7k2m --format sarif >hone.sarif",
        "hone findings --across 5c3f0a1b",
        "vim -q <(hone findings --state open --format text)",
    },
    .extend = extend,
    .handle = handle,
};
