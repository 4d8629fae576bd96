/* SPDX-License-Identifier: Apache-2.0
 *
 * comment.c - hone comment: what was found in a run, on its pull request.
 *
 * Without --post nothing is asked of a service: the comment is printed, or, with --json, all that
 * would be posted where nothing stands yet. With --post gh or glab is called (report/service.h).
 *
 * Not here: what the comment says (format/report/comment_write.c), what is to be done with what
 * stands there (format/report/comment_plan.c). */
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/suggest.h"
#include "cmd/verbs.h"
#include "format/json/finding_json.h"
#include "io/file/file.h"
#include "report/comment.h"
#include "settings/pipeline_here.h"

#include <inttypes.h>
#include <string.h>

enum { TIMEOUT_MS = 60 * 1000, WAIT_MS = 60 * 1000, INLINE_MOST = 200, LEFT_MAX = 1000 };

static const char *const filter_words[] = {
    [COMMENT_ADDED] = "added", [COMMENT_DIFF_CONTEXT] = "diff_context", NULL,
};

/* One deed, as it is told. */
static const struct {
    const char *key;          /* in JSON */
    const char *one, *many;   /* "the comment was created"; "%u inline comments were created" */
    const char *left;         /* the same of what was not done */
} deeds[DEED_COUNT] = {
    [DEED_CREATE] = { "created", "the comment was created", NULL, "the comment is not there" },
    [DEED_UPDATE] = { "updated", "the comment was updated", NULL, "the comment is as it was" },
    [DEED_DELETE] = { "deleted", "a second comment was deleted", "second comments were deleted",
                      "a second comment still stands there" },
    [DEED_REOPEN] = { "threads_reopened", "1 thread was reopened", "threads were reopened",
                      "threads to be reopened" },
    [DEED_RESOLVE] = { "threads_resolved", "1 thread was resolved", "threads were resolved",
                       "threads to be resolved" },
    [DEED_EDIT] = { "inline_updated", "1 inline comment was updated",
                    "inline comments were updated", "inline comments to be updated" },
    [DEED_INLINE] = { "inline_created", "1 inline comment was created",
                      "inline comments were created", "inline comments to be created" },
    [DEED_DELETE_INLINE] = { "inline_deleted", "a second inline comment was deleted",
                             "second inline comments were deleted",
                             "second inline comments to be deleted" },
};

struct commenting {
    struct call *call;
    struct look look;
    struct listed listed;
    struct request request;
    struct comment_options options;
    struct comment_run run;
    struct service service;
};

/* ---- what is asked for ---- */

static int read_max(const struct call *call, uint32_t *out, struct err *err)
{
    const char *text = call_value(call, "max");
    uint64_t number = COMMENT_INLINE_MAX;

    if (text && (!str_number(str_of(text), &number) || number > INLINE_MOST)) {
        return err_set(err, ERR_USAGE, "--max %.60s: it is a number of inline comments, at most "
                       "%d; 0: none", text, INLINE_MOST);
    }
    *out = (uint32_t)number;
    return 0;
}

static int read_filter(const struct call *call, enum comment_filter *out, struct err *err)
{
    const char *text = call_value(call, "filter-mode");
    struct suggest suggest;

    *out = COMMENT_ADDED;
    if (!text) return 0;
    suggest_init(&suggest, str_of(text));
    for (uint32_t i = 0; i < COMMENT_FILTER_COUNT; i++) {
        *out = (enum comment_filter)i;
        if (strcmp(text, filter_words[i]) == 0) return 0;
        suggest_offer(&suggest, filter_words[i]);
    }
    return suggest_refuse(&suggest, "filter mode", "there are", err);
}

static int read_duration(const struct call *call, const char *option, uint64_t otherwise_ms,
                         uint64_t *out, struct err *err)
{
    const char *text = call_value(call, option);

    *out = otherwise_ms;
    return text ? duration_parse(option, text, out, err) : 0;
}

static int read_options(struct commenting *commenting, struct err *err)
{
    const struct call *call = commenting->call;
    int rc;

    commenting->options.key = call_value(call, "key");
    rc = read_max(call, &commenting->options.inline_max, err);
    if (rc == 0) rc = read_filter(call, &commenting->options.filter, err);
    if (rc == 0) {
        rc = read_duration(call, "timeout", TIMEOUT_MS, &commenting->service.timeout_ms, err);
    }
    if (rc == 0) rc = read_duration(call, "wait", WAIT_MS, &commenting->service.wait_ms_left, err);
    if (rc == 0 && commenting->service.timeout_ms == 0) {
        rc = err_set(err, ERR_USAGE, "--timeout is longer than 0");
    }
    return rc;
}

/* ---- which pull request ---- */

/* Of `origin`, or of the only one that there is. */
static const char *read_remote(struct commenting *commenting)
{
    static const char *const list[] = { "remote", NULL };
    const char *args[] = { "remote", "get-url", "--end-of-options", "origin", NULL };
    struct arena *arena = &commenting->call->arena;
    const struct repo *repo = &commenting->look.repo;
    const char *address, *only;
    struct err none;

    if (!repo->is_git) return NULL;
    address = repo_ask(repo, args, arena, &none);
    if (address) return address;
    only = repo_ask(repo, list, arena, &none);
    if (!only || !*only || strchr(only, '\n')) return NULL;
    args[3] = only;
    return repo_ask(repo, args, arena, &none);
}

static int read_request(struct commenting *commenting, struct err *err)
{
    struct call *call = commenting->call;
    struct pipeline pipeline;
    struct request_input input = {
        .pipeline = &pipeline,
        .remote = read_remote(commenting),
        .service = call_value(call, "service"),
        .repository = call_value(call, "repo"),
        .number = call_value(call, "pr"),
    };
    int rc;

    pipeline_here(&call->arena, &pipeline);
    rc = request_read(&input, &call->arena, &commenting->request, err);
    return rc == 0 && call_has(call, "post") ? request_check(&commenting->request, err) : rc;
}

/* ---- printing ---- */

static void add_request(const struct commenting *commenting, yyjson_mut_doc *doc,
                        yyjson_mut_val *root)
{
    const struct request *request = &commenting->request;

    json_add(doc, root, "run", commenting->look.run.id);
    json_add(doc, root, "key", commenting->run.about.key);
    if (request->known) {
        json_add(doc, root, "service", service_words[request->service]);
        json_add(doc, root, "host", request->host);
        json_add(doc, root, "repository", request->project);
    }
    if (request->number > 0) yyjson_mut_obj_add_uint(doc, root, "number", request->number);
}

static void add_inline(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct comment_step *step)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
    const struct comment_place *place = &step->item->place;

    json_add(doc, object, "finding", step->item->id);
    json_add_text(doc, object, "path", place->path);
    if (!str_eq(place->path, place->old_path))
        json_add_text(doc, object, "old_path", place->old_path);
    yyjson_mut_obj_add_uint(doc, object, "line", place->line);
    if (place->start_line < place->line)
        yyjson_mut_obj_add_uint(doc, object, "start_line", place->start_line);
    json_add(doc, object, "side", "RIGHT");
    json_add_text(doc, object, "body", step->body);
}

/* The open findings that have no inline comment, and why. */
static void add_left(const struct commenting *commenting, yyjson_mut_doc *doc,
                     yyjson_mut_val *root)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "left");
    uint32_t told = 0;

    for (uint32_t i = 0; i < commenting->run.count && told < LEFT_MAX; i++) {
        const struct comment_item *item = &commenting->run.items[i];
        yyjson_mut_val *object;

        if (!finding_is_open(item->entry->state) || !item->left) continue;
        told++;
        object = yyjson_mut_arr_add_obj(doc, list);
        json_add(doc, object, "finding", item->id);
        json_add_some(doc, object, "file", item->entry->finding.file);
        if (item->entry->finding.line > 0)
            yyjson_mut_obj_add_uint(doc, object, "line", item->entry->finding.line);
        json_add(doc, object, "why", item->left);
    }
}

static int print_plan(struct commenting *commenting)
{
    struct comment_standing nothing = { 0 };
    struct comment_steps steps;
    yyjson_mut_doc *doc;
    yyjson_mut_val *root, *list;
    struct str body;
    struct buf out;

    comment_run_place_here(&commenting->run);
    steps = comment_run_plan(&commenting->run, &nothing, &body);
    if (!commenting->call->json) {
        buf_init(&out, COMMENT_BODY_BYTES_MAX);
        buf_add(&out, body);
        say_take(&out);
        return CODE_DONE;
    }
    doc = json_new();
    root = json_object(doc);
    add_request(commenting, doc, root);
    json_add_text(doc, yyjson_mut_obj_add_obj(doc, root, "comment"), "body", body);
    list = yyjson_mut_obj_add_arr(doc, root, "inline");
    for (uint32_t i = 0; i < steps.count; i++) {
        if (steps.items[i].deed == DEED_INLINE) add_inline(doc, list, &steps.items[i]);
    }
    add_left(commenting, doc, root);
    say_json(doc, true);
    return CODE_DONE;
}

/* ---- posting ---- */

static void say_deed(struct buf *out, enum comment_deed deed, uint32_t count)
{
    buf_text(out, out->size > 0 ? ", " : "");
    if (count > 1 && deeds[deed].many) buf_printf(out, "%" PRIu32 " %s", count, deeds[deed].many);
    else buf_text(out, deeds[deed].one);
}

static void say_left(struct buf *out, enum comment_deed deed, uint32_t count)
{
    buf_text(out, out->size > 0 ? ", " : "");
    if (deed == DEED_CREATE || deed == DEED_UPDATE || deed == DEED_DELETE)
        buf_text(out, deeds[deed].left);
    else
        buf_printf(out, "%" PRIu32 " %s", count, deeds[deed].left);
}

static void say_result(const struct commenting *commenting, const struct comment_result *result)
{
    const struct request *request = &commenting->request;
    struct buf out, done, left;

    buf_init(&out, 1 << 16);
    buf_init(&done, 1 << 12);
    buf_init(&left, 1 << 12);
    for (uint32_t i = 0; i < DEED_COUNT; i++) {
        if (result->done[i] > 0) say_deed(&done, (enum comment_deed)i, result->done[i]);
        if (result->undone[i] > 0) say_left(&left, (enum comment_deed)i, result->undone[i]);
    }
    buf_printf(&out, "%s %s %" PRIu64 "%s: %s", service_titles[request->service], request->project,
               request->number, result->closed ? " (closed)" : "",
               done.size > 0 ? buf_cstr(&done)
                             : result->complete ? "everything stands there already" :
                                                  "nothing was posted");
    if (left.size > 0) buf_printf(&out, "; left: %s", buf_cstr(&left));
    buf_byte(&out, '\n');
    say_out(&out);
    buf_release(&left);
    buf_release(&done);
    buf_release(&out);
}

static void add_counts(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key,
                       const uint32_t counts[DEED_COUNT])
{
    yyjson_mut_val *object = yyjson_mut_obj_add_obj(doc, root, key);

    for (uint32_t i = 0; i < DEED_COUNT; i++)
        yyjson_mut_obj_add_uint(doc, object, deeds[i].key, counts[i]);
}

static void say_result_json(const struct commenting *commenting,
                            const struct comment_result *result, const struct err *err)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list;

    add_request(commenting, doc, root);
    yyjson_mut_obj_add_bool(doc, root, "complete", result->complete);
    yyjson_mut_obj_add_bool(doc, root, "closed", result->closed);
    add_counts(doc, root, "done", result->done);
    add_counts(doc, root, "undone", result->undone);
    list = yyjson_mut_obj_add_arr(doc, root, "refused");
    for (uint32_t i = 0; i < result->refused_count; i++)
        yyjson_mut_arr_append(list, json_text(doc, str_of(result->refused[i])));
    add_left(commenting, doc, root);
    if (!result->complete) json_add(doc, root, "error", err->text);
    say_json(doc, true);
}

static int post_plan(struct commenting *commenting)
{
    struct comment_result result = { 0 };
    struct err err = { 0 };
    int rc, code = CODE_DONE;

    commenting->service.request = &commenting->request;
    rc = comment_run_post(&commenting->run, &commenting->service, &result, &err);
    if (commenting->call->json) say_result_json(commenting, &result, &err);
    else say_result(commenting, &result);
    for (uint32_t i = 0; i < result.refused_count; i++)
        code = say_fail(CODE_FAILED, "not posted: %s", result.refused[i]);
    if (rc == 0) return code;
    code = exit_code_of_err(&err);
    return say_fail(code, "%s%s", err.text, code == CODE_USAGE ? "" :
                    "; the same command goes on where this one stopped");
}

static int handle(struct call *call)
{
    struct commenting commenting = { .call = call };
    struct err err;
    int rc, code;

    rc = read_options(&commenting, &err);
    if (rc == 0) rc = look_open(&commenting.look, call->cwd, &err);
    if (rc == 0) rc = look_run(&commenting.look, call_argument(call, 0), &err);
    if (rc == 0) rc = read_request(&commenting, &err);
    if (rc == 0) rc = listed_read(&commenting.look, HONE_VERSION, &commenting.listed, &err);
    if (rc == 0) {
        rc = comment_run_open(&commenting.run, &commenting.look, &commenting.listed,
                              &commenting.request, &commenting.options, &err);
    }
    if (rc != 0) code = say_err(&err);
    else if (call_has(call, "post")) code = post_plan(&commenting);
    else code = print_plan(&commenting);
    comment_run_close(&commenting.run);
    listed_release(&commenting.listed);
    look_close(&commenting.look);
    return code;
}

const struct verb verb_comment = {
    .name = "comment",
    .summary = "tell a pull request what was found in a run",
    .text = {
        "Prints what was found in a run as one comment for a pull request: how the run ended, what "
        "is open, the gravest first, and what was resolved. With --post it is posted by gh "
        "(GitHub) or glab (GitLab), which have a login of their own: a comment that is there "
        "already is updated in place, and only where the same login wrote it.",
        "What was found in lines that the change adds also stands there as inline comments, with "
        "the fix as a suggestion where a tool gave one. None is posted twice. When a finding is "
        "resolved, its inline comment says so and its thread is resolved.",
        "A run that failed, still runs or has not looked at every file says so in the first line, "
        "and resolves nothing. Inline comments stand only in files that are on the pull request as "
        "they were judged.",
        "Where the service says that it was asked too often, or fails, it is asked again a few "
        "times. What was posted then, and what was not, is said; the same command goes on where it "
        "stopped.",
    },
    .arguments = { ARGUMENT_RUN },
    .options = {
        { .name = "post", .help = "post it; by default it is printed, with --json as all that "
                                  "would be posted" },
        { .name = "service", .argument = "SERVICE",
          .help = "github or gitlab; by default what the environment of the pipeline or the "
                  "address of the remote repository says" },
        { .name = "repo", .argument = "REPO",
          .help = "OWNER/NAME or HOST/OWNER/NAME; by default likewise" },
        { .name = "pr", .argument = "NUMBER",
          .help = "of the pull request; by default what the pipeline says: GITHUB_REF, "
                  "GITHUB_EVENT_PATH or CI_MERGE_REQUEST_IID" },
        { .name = "key", .argument = "KEY",
          .help = "whose comment it is, where several runs tell one pull request; by default the "
                  "name of the loop" },
        { .name = "max", .argument = "N",
          .help = "inline comments at most, 30 by default; the others are in the comment" },
        { .name = "filter-mode", .argument = "MODE",
          .help = "as of reviewdog: added, only in lines that the change adds (the default), or "
                  "diff_context, in all lines that the diff shows" },
        { .name = "timeout", .argument = "DURATION", .help = "for one answer; 60s by default" },
        { .name = "wait", .argument = "DURATION",
          .help = "for a service that cannot serve now, in all; 60s by default" },
    },
    .codes = {
        { CODE_DONE, "it was printed, or everything stands on the pull request" },
        { CODE_USAGE, "there is no such run; it is not known which pull request is meant, or there "
                      "is none; gh or glab is not installed or not logged in" },
        { CODE_FAILED, "the service did not take all of it" },
    },
    .examples = {
        "hone comment",
        "hone comment --json | less",
        "hone comment --post --pr 7",
        "hone comment 7k2m --post --service gitlab --repo group/name --pr 7 --max 10",
    },
    .handle = handle,
};
