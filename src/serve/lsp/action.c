/* SPDX-License-Identifier: Apache-2.0
 *
 * action.c - what a person can do about a finding in the editor, and the verbs that do it.
 *
 *   a finding with edits for this text -----> the edits; the editor makes them
 *   any other ------------------------------> hone.fix: `hone fix RUN ID`
 *   all ------------------------------------> hone.waive: `hone waive ID`, with one of 3 reasons
 *
 * A verb is a process of its own, in the workspace:
 *
 *   hone.fix ----------------------------> WORKING (answered at once) --ended--> said
 *   hone.waive --not grave---------------> WORKING --ended--> answered
 *        '------ grave: ASKING --agreed--> WORKING
 *                         '------no------> answered, and nothing was done
 *
 * 1. Only what the server itself has shown can be named: a finding of the newest run of a project
 *    that the editor has open, and a reason of the table. No word of a message becomes an option.
 * 2. A grave finding is asked about once more, as at a terminal: --grave is the person's answer.
 * 3. Who may waive is the verb's to say (cmd/waive.c): it sees whose child it is.
 * 4. Edits are offered where the text is the one they are for, moved along with what the person has
 *    typed elsewhere; never where a person has touched their places. */
#include "serve/lsp/parts.h"

#include "base/clock.h"
#include "base/mem.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/process/background.h"
#include "run/exit_code.h"
#include "serve/beside.h"
#include "serve/tools.h"

#include <stdlib.h>
#include <string.h>

enum {
    TITLE_BYTES_MAX = 160,
    ACTED_MAX = 32, /* findings of one request that something is offered for */
    WORDS_BYTES_MAX = 1000,
    ARGUMENTS_MAX = 16,
};

#define LATER_MS (UINT64_C(30) * 24 * 3600 * 1000)

static const struct waive_reason {
    const char *name, *title, *reason;
    bool later; /* it holds for some days only */
} reasons[] = {
    { "false-positive", "false positive", "false positive", false },
    { "accepted", "accepted", "accepted as it is", false },
    { "later", "later (for 30 days)", "to be looked at later", true },
};

enum { REASON_NUMBER = sizeof reasons / sizeof *reasons };

struct errand {
    bool waives, asking;
    bool answered; /* its request is */
    struct rpc_id id;
    struct project *project;
    char *run, *finding;
    const struct waive_reason *why;
    struct background process;
};

/* ---- offers ---- */

static void add_command(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *title,
                        const char *command, yyjson_mut_val *argument)
{
    yyjson_mut_val *list;

    json_add(doc, object, "title", title);
    json_add(doc, object, "command", command);
    list = yyjson_mut_obj_add_arr(doc, object, "arguments");
    yyjson_mut_arr_append(list, argument);
}

/* What is offered in one request. */
struct offer {
    struct lsp *lsp;
    struct page *page;
    struct spot *spot;
    yyjson_mut_doc *doc;
    yyjson_mut_val *list;
};

static yyjson_mut_val *argument_of(const struct offer *offer, const struct waive_reason *reason)
{
    yyjson_mut_val *argument = yyjson_mut_obj(offer->doc);

    json_add(offer->doc, argument, "workspace", offer->page->project->look.repo.workspace);
    json_add(offer->doc, argument, "run", offer->page->project->run);
    json_add(offer->doc, argument, "finding", offer->spot->shown->id);
    if (reason) json_add(offer->doc, argument, "reason", reason->name);
    return argument;
}

static yyjson_mut_val *new_action(const struct offer *offer, const char *title)
{
    yyjson_mut_val *action = yyjson_mut_arr_add_obj(offer->doc, offer->list), *list;
    yyjson_mut_val *about = spot_write(offer->lsp, offer->page, offer->spot, offer->doc);

    json_add(offer->doc, action, "title", title);
    json_add(offer->doc, action, "kind", "quickfix");
    list = yyjson_mut_obj_add_arr(offer->doc, action, "diagnostics");
    if (about) yyjson_mut_arr_append(list, about);
    return action;
}

static void offer_command(const struct offer *offer, const char *title, const char *command,
                          const struct waive_reason *reason)
{
    yyjson_mut_val *argument = argument_of(offer, reason), *action;

    if (!offer->lsp->client.takes_actions) {
        action = yyjson_mut_arr_add_obj(offer->doc, offer->list);
        add_command(offer->doc, action, title, command, argument);
        return;
    }
    action = new_action(offer, title);
    add_command(offer->doc, yyjson_mut_obj_add_obj(offer->doc, action, "command"), title, command,
                argument);
}

/* ---- edits ---- */

static void add_text_edit(yyjson_mut_doc *doc, yyjson_mut_val *edits, yyjson_mut_val *range,
                          struct str text)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, edits);

    yyjson_mut_obj_add_val(doc, object, "range", range);
    json_add_text(doc, object, "newText", text);
}

/* The list of edits of a file in a WorkspaceEdit, made where it is missing. */
static yyjson_mut_val *edits_of(const struct offer *offer, yyjson_mut_val *whole,
                                const struct page_text *in)
{
    yyjson_mut_doc *doc = offer->doc;
    bool versions = offer->lsp->client.takes_versions;
    const char *key = versions ? "documentChanges" : "changes";
    yyjson_mut_val *all = yyjson_mut_obj_get(whole, key), *one, *document;
    yyjson_mut_arr_iter items;

    if (!versions) {
        if (!all) all = yyjson_mut_obj_add_obj(doc, whole, key);
        one = yyjson_mut_obj_get(all, in->uri);
        if (one) return one;
        one = yyjson_mut_arr(doc);
        yyjson_mut_obj_add(all, json_text(doc, str_of(in->uri)), one);
        return one;
    }
    if (!all) all = yyjson_mut_obj_add_arr(doc, whole, key);
    yyjson_mut_arr_iter_init(all, &items);
    while ((one = yyjson_mut_arr_iter_next(&items))) {
        document = yyjson_mut_obj_get(one, "textDocument");
        if (yyjson_mut_equals_str(yyjson_mut_obj_get(document, "uri"), in->uri)) {
            return yyjson_mut_obj_get(one, "edits");
        }
    }
    one = yyjson_mut_arr_add_obj(doc, all);
    document = yyjson_mut_obj_add_obj(doc, one, "textDocument");
    json_add(doc, document, "uri", in->uri);
    if (in->open) yyjson_mut_obj_add_sint(doc, document, "version", in->version);
    else yyjson_mut_obj_add_null(doc, document, "version");
    return yyjson_mut_obj_add_arr(doc, one, "edits");
}

/* An edit of another file than the page's. False: that is not as it was. */
static bool add_elsewhere(const struct offer *offer, yyjson_mut_val *whole,
                          const struct edit *edit, struct arena *arena)
{
    enum encoding encoding = offer->lsp->encoding;
    struct line_starts starts = { 0 };
    yyjson_mut_val *range;
    struct page_text in;

    if (!page_text(offer->lsp, offer->page->project, edit->file, arena, &in)) return false;
    if (content_hash(in.text) != edit->hash || edit->end > in.text.size) return false;
    line_starts_read(&starts, in.text);
    range = range_write(place_at(in.text, &starts, (size_t)edit->start, encoding),
                        place_at(in.text, &starts, (size_t)edit->end, encoding), offer->doc);
    line_starts_release(&starts);
    add_text_edit(offer->doc, edits_of(offer, whole, &in), range, edit->text);
    return true;
}

/* *at: the number of the first span that is this fix's; moved on. NULL: it cannot be made now. */
static yyjson_mut_val *fix_write(const struct offer *offer, const struct fix *fix, uint32_t *at)
{
    yyjson_mut_val *whole = yyjson_mut_obj(offer->doc);
    struct page *page = offer->page;
    struct page_text here = { buf_str(&page->text), page->uri, page->open, page->version };
    struct arena arena = { 0 };
    bool good = page->has_text;

    for (uint32_t i = 0; i < fix->count; i++) {
        const struct edit *edit = &fix->edits[i];

        if (!str_eq(edit->file, offer->spot->shown->file)) {
            good = good && add_elsewhere(offer, whole, edit, &arena);
        } else if (!offer->spot->spans || *at >= offer->spot->span_count) {
            good = false;
        } else {
            const struct span *span = &offer->spot->spans[(*at)++];

            add_text_edit(offer->doc, edits_of(offer, whole, &here),
                          page_range(offer->lsp, page, span->start, span->end, offer->doc),
                          edit->text);
        }
    }
    arena_release(&arena);
    return good ? whole : NULL;
}

/* True: there is an edit to choose. */
static bool offer_fixes(const struct offer *offer)
{
    const struct fixes *fixes = &offer->spot->shown->fixes;
    bool offered = false;
    uint32_t at = 0;

    for (uint32_t i = 0; offer->lsp->client.takes_actions && i < fixes->count; i++) {
        const struct fix *fix = &fixes->items[i];
        yyjson_mut_val *edit = fix_write(offer, fix, &at), *action;
        struct buf title;

        if (!edit) continue;
        buf_init(&title, TITLE_BYTES_MAX + 32);
        buf_text(&title, "hone: ");
        safe_text(&title, fix->text.size > 0 ? fix->text : STR("make the fix of the tool"), true,
                  TITLE_BYTES_MAX);
        action = new_action(offer, buf_cstr(&title));
        buf_release(&title);
        if (!offered && fix->safe) yyjson_mut_obj_add_bool(offer->doc, action, "isPreferred", true);
        yyjson_mut_obj_add_val(offer->doc, action, "edit", edit);
        offered = true;
    }
    return offered;
}

static void offer_spot(const struct offer *offer)
{
    const struct shown *shown = offer->spot->shown;
    char title[TITLE_BYTES_MAX];

    if (!offer_fixes(offer)) {
        snprintf(title, sizeof title, "hone: repair it with an agent (hone fix %.8s)", shown->id);
        offer_command(offer, title, "hone.fix", NULL);
    }
    for (uint32_t i = 0; i < REASON_NUMBER; i++) {
        snprintf(title, sizeof title, "hone: waive %.8s%s: %s", shown->id,
                 shown->severity == SEVERITY_HIGH ? " (grave)" : "", reasons[i].title);
        offer_command(offer, title, "hone.waive", &reasons[i]);
    }
}

/* ---- textDocument/codeAction ---- */

/* Whether quick fixes are among what is asked for. */
static bool wants_fixes(yyjson_val *params)
{
    yyjson_val *only = yyjson_obj_get(yyjson_obj_get(params, "context"), "only"), *item;
    yyjson_arr_iter items = yyjson_arr_iter_with(only);

    if (!yyjson_is_arr(only)) return true;
    while ((item = yyjson_arr_iter_next(&items))) {
        struct str kind = json_value(item);
        if (kind.data && (kind.size == 0 || str_is(kind, "quickfix"))) return true;
    }
    return false;
}

static bool is_around(struct lsp *lsp, struct page *page, const struct spot *spot, uint32_t from,
                      uint32_t to)
{
    uint32_t line = spot->shown->line > 0 ? spot->shown->line - 1 : 0, last = line;

    if (spot->placed) {
        struct text_edit shown = mark_shown(&spot->mark);

        if (spot->mark.gone) return false;
        line = page_place_of(lsp, page, shown.start).line;
        last = page_place_of(lsp, page, shown.end).line;
    }
    return line <= to && last >= from;
}

void action_list(struct lsp *lsp, const struct rpc_id *id, yyjson_val *params)
{
    struct page *page = page_named(lsp, json_str(yyjson_obj_get(params, "textDocument"), "uri"));
    yyjson_val *range = yyjson_obj_get(params, "range");
    struct offer offer = { .lsp = lsp, .page = page, .doc = json_new() };
    struct place start, end;
    uint32_t acted = 0;

    if (!lsp_place_read(yyjson_obj_get(range, "start"), &start) ||
        !lsp_place_read(yyjson_obj_get(range, "end"), &end)) {
        lsp_error(lsp, id, RPC_PARAMS, "\"range\" must have a start and an end");
        yyjson_mut_doc_free(offer.doc);
        return;
    }
    offer.list = yyjson_mut_arr(offer.doc);
    for (uint32_t i = 0; page && wants_fixes(params) && i < page->spot_count; i++) {
        offer.spot = &page->spots[i];
        if (!is_around(lsp, page, offer.spot, start.line, end.line)) continue;
        if (acted++ < ACTED_MAX) offer_spot(&offer);
    }
    lsp_result(lsp, id, offer.doc, offer.list);
    yyjson_mut_doc_free(offer.doc);
}

/* ---- errands ---- */

static void errand_free(struct lsp *lsp, struct errand *errand)
{
    lsp_forget_asked(lsp, errand);
    background_leave(&errand->process);
    free(errand->run);
    free(errand->finding);
    for (uint32_t i = 0; i < lsp->errand_count; i++) {
        if (lsp->errands[i] != errand) continue;
        lsp->errands[i] = lsp->errands[--lsp->errand_count];
        break;
    }
    free(errand);
}

static void errand_answer(struct lsp *lsp, struct errand *errand)
{
    yyjson_mut_doc *doc = json_new();

    if (!errand->answered) lsp_result(lsp, &errand->id, doc, yyjson_mut_null(doc));
    errand->answered = true;
    yyjson_mut_doc_free(doc);
}

static void errand_fail(struct lsp *lsp, struct errand *errand, int code, const char *words)
{
    if (!errand->answered) lsp_error(lsp, &errand->id, code, words);
    else lsp_say(lsp, LSP_ERROR, words);
    errand_free(lsp, errand);
}

/* The last line of what it said. */
static void last_words(const struct errand *errand, struct buf *out)
{
    struct str last = str_last_line(buf_str(&errand->process.err));

    if (str_starts(last, STR("hone: "))) last = str_skip(last, 6);
    if (last.size == 0) last = STR("it said nothing about it");
    safe_text(out, last, true, WORDS_BYTES_MAX);
}

static bool errand_start(struct lsp *lsp, struct errand *errand, const char *const *argv)
{
    const struct background_program program = {
        .argv = argv, .cwd = errand->project->look.repo.workspace };
    struct err err;

    if (background_start(&errand->process, &program, &err) == 0) return true;
    errand_fail(lsp, errand, LSP_FAILED, err.text);
    return false;
}

static void start_waive(struct lsp *lsp, struct errand *errand, bool grave)
{
    const char *argv[ARGUMENTS_MAX] = { lsp->setup.program, "waive", "--quiet", "--run",
                                        errand->run, "--reason", errand->why->reason };
    char until[CLOCK_DAY_BYTES];
    uint32_t count = 7;

    errand->asking = false;
    if (errand->why->later) {
        clock_day(now_wall_ms() + LATER_MS, until);
        argv[count++] = "--until";
        argv[count++] = until;
    }
    if (grave) argv[count++] = "--grave";
    argv[count++] = "--";
    argv[count++] = errand->finding;
    (void)errand_start(lsp, errand, argv);
}

static void start_fix(struct lsp *lsp, struct errand *errand)
{
    const char *argv[ARGUMENTS_MAX] = { lsp->setup.program, "fix", "--quiet" };
    uint32_t count = 3;

    if (beside_isolates(errand->project->look.repo.workspace)) argv[count++] = "--isolate";
    argv[count++] = "--";
    argv[count++] = errand->run;
    argv[count++] = errand->finding;
    if (errand_start(lsp, errand, argv)) errand_answer(lsp, errand);
}

/* ---- a grave one ---- */

static const char agree_words[] = "Waive it all the same";

static void on_agreed(struct lsp *lsp, void *context, yyjson_val *result)
{
    struct errand *errand = context;

    if (str_is(json_str(result, "title"), agree_words)) {
        start_waive(lsp, errand, true);
        return;
    }
    errand_answer(lsp, errand);
    errand_free(lsp, errand);
}

static void ask_grave(struct lsp *lsp, struct errand *errand, const struct shown *shown)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *params = yyjson_mut_obj(doc), *list;
    struct buf words;

    buf_init(&words, WORDS_BYTES_MAX + TITLE_BYTES_MAX);
    buf_text(&words, "This is grave: ");
    safe_text(&words, shown->text, true, WORDS_BYTES_MAX);
    yyjson_mut_obj_add_uint(doc, params, "type", LSP_WARNING);
    json_add_text(doc, params, "message", buf_str(&words));
    list = yyjson_mut_obj_add_arr(doc, params, "actions");
    json_add(doc, yyjson_mut_arr_add_obj(doc, list), "title", agree_words);
    json_add(doc, yyjson_mut_arr_add_obj(doc, list), "title", "Leave it open");
    errand->asking = true;
    if (!lsp_ask(lsp, "window/showMessageRequest", doc, params, on_agreed, errand)) {
        errand_fail(lsp, errand, LSP_FAILED, "too many questions wait for an answer");
    }
    buf_release(&words);
    yyjson_mut_doc_free(doc);
}

/* ---- workspace/executeCommand ---- */

static struct project *project_of(const struct lsp *lsp, struct str workspace)
{
    for (uint32_t i = 0; i < lsp->project_count; i++) {
        if (str_is(workspace, lsp->projects[i]->look.repo.workspace)) return lsp->projects[i];
    }
    return NULL;
}

static const struct shown *shown_named(const struct project *project, struct str id)
{
    for (uint32_t i = 0; i < project->count; i++) {
        if (str_is(id, project->items[i].id)) return &project->items[i];
    }
    return NULL;
}

static const struct waive_reason *reason_named(struct str name)
{
    for (uint32_t i = 0; i < REASON_NUMBER; i++) {
        if (str_is(name, reasons[i].name)) return &reasons[i];
    }
    return NULL;
}

/* Whether the editor has changes of the finding's file that are not on the disk. */
static bool is_unsaved(struct lsp *lsp, const struct project *project, struct str file)
{
    struct arena arena = { 0 };
    struct page_text in;
    struct str disk;
    struct err none;
    bool unsaved = false;

    if (page_text(lsp, project, file, &arena, &in) && in.open &&
        file_text_in(project->look.repo.workspace, arena_cstr(&arena, file), LSP_FILE_BYTES_MAX,
                     &arena, &disk, &none) == 0) {
        unsaved = !str_eq(in.text, disk);
    }
    arena_release(&arena);
    return unsaved;
}

static struct errand *errand_new(struct lsp *lsp, const struct rpc_id *id,
                                 struct project *project, const struct shown *shown)
{
    struct errand *errand = mem_alloc(sizeof *errand);

    *errand = (struct errand){ .id = *id, .project = project,
                               .run = mem_copy(project->run, strlen(project->run)),
                               .finding = mem_copy(shown->id, strlen(shown->id)) };
    lsp->errands = mem_grow(lsp->errands, lsp->errand_count, &lsp->errand_cap,
                            sizeof(void *));
    lsp->errands[lsp->errand_count++] = errand;
    return errand;
}

static void execute_fix(struct lsp *lsp, const struct rpc_id *id, struct project *project,
                        const struct shown *shown)
{
    struct world world = world_here(project->look.repo.workspace);

    if (world_is_attempt(&world)) {
        lsp_error(lsp, id, LSP_FAILED, "an agent inside a run cannot start another");
    } else if (project->alive) {
        lsp_error(lsp, id, LSP_FAILED, "a run is at work here: let it end, or 'hone stop' it");
    } else if (is_unsaved(lsp, project, shown->file)) {
        lsp_error(lsp, id, LSP_FAILED, "the file has changes that are not saved: save it, and try "
                  "again");
    } else {
        start_fix(lsp, errand_new(lsp, id, project, shown));
    }
}

void action_execute(struct lsp *lsp, const struct rpc_id *id, yyjson_val *params)
{
    struct str command = json_str(params, "command");
    yyjson_val *argument = yyjson_arr_get_first(yyjson_obj_get(params, "arguments"));
    struct project *project = project_of(lsp, json_str(argument, "workspace"));
    const struct waive_reason *why = reason_named(json_str(argument, "reason"));
    const struct shown *shown = NULL;
    bool waives = str_is(command, "hone.waive");
    struct errand *errand;

    if (!waives && !str_is(command, "hone.fix")) {
        lsp_error(lsp, id, RPC_PARAMS, "there is no such command");
        return;
    }
    if (project && project->run && str_is(json_str(argument, "run"), project->run)) {
        shown = shown_named(project, json_str(argument, "finding"));
    }
    if (!shown || (waives && !why)) {
        lsp_error(lsp, id, RPC_PARAMS, shown ? "there is no such reason"
                                             : "there is no such finding here any more");
    } else if (waives && !shown_is_in_place(lsp, shown)) {
        /* The verb would take the code that is at its old line now. */
        lsp_error(lsp, id, LSP_FAILED, "lines of this file have moved or changed since the run: "
                  "start another run, and waive what that finds");
    } else if (lsp->errand_count == LSP_ERRANDS_MAX) {
        lsp_error(lsp, id, LSP_FAILED, "too much is at work: try again in a moment");
    } else if (!waives) {
        execute_fix(lsp, id, project, shown);
    } else {
        errand = errand_new(lsp, id, project, shown);
        errand->waives = true;
        errand->why = why;
        if (shown->severity == SEVERITY_HIGH) ask_grave(lsp, errand, shown);
        else start_waive(lsp, errand, false);
    }
}

/* A question that the person has not answered yet is taken back. What is at work goes on: it is
 * answered when it has ended. */
void action_cancel(struct lsp *lsp, const struct rpc_id *id)
{
    for (uint32_t i = 0; i < lsp->errand_count; i++) {
        struct errand *errand = lsp->errands[i];

        if (!errand->asking || !rpc_id_is(&errand->id, id)) continue;
        errand_fail(lsp, errand, LSP_CANCELLED, "cancelled");
        return;
    }
}

static void say_fixed(struct lsp *lsp, const struct errand *errand, int status)
{
    struct buf words;

    buf_init(&words, WORDS_BYTES_MAX + TITLE_BYTES_MAX);
    buf_printf(&words, "hone fix %.8s: ", errand->finding);
    if (status == CODE_DONE) buf_text(&words, "it is repaired, and nothing else is open");
    else if (status == CODE_FINDINGS) buf_text(&words, "it has ended, and findings remain");
    else last_words(errand, &words);
    lsp_say(lsp, status == CODE_DONE ? LSP_INFORMATION
                 : status == CODE_FINDINGS ? LSP_WARNING : LSP_ERROR, buf_cstr(&words));
    buf_release(&words);
}

static void errand_end(struct lsp *lsp, struct errand *errand, int status)
{
    struct buf words;

    project_hurry(errand->project);
    if (!errand->waives) {
        say_fixed(lsp, errand, status);
    } else if (status != CODE_DONE) {
        buf_init(&words, WORDS_BYTES_MAX + TITLE_BYTES_MAX);
        last_words(errand, &words);
        errand_fail(lsp, errand, LSP_FAILED, buf_cstr(&words));
        buf_release(&words);
        return;
    } else {
        errand_answer(lsp, errand);
    }
    errand_free(lsp, errand);
}

void errands_step(struct lsp *lsp)
{
    for (uint32_t i = lsp->errand_count; i-- > 0;) {
        struct errand *errand = lsp->errands[i];
        int status = 0;

        if (errand->asking || !background_look(&errand->process, &status)) continue;
        errand_end(lsp, errand, status);
    }
}

bool errands_wait(const struct lsp *lsp)
{
    for (uint32_t i = 0; i < lsp->errand_count; i++) {
        if (!lsp->errands[i]->asking) return true;
    }
    return false;
}

void errands_free(struct lsp *lsp)
{
    while (lsp->errand_count > 0) errand_free(lsp, lsp->errands[lsp->errand_count - 1]);
    free(lsp->errands);
}
