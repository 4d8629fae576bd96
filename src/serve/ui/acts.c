/* SPDX-License-Identifier: Apache-2.0
 *
 * acts.c - verbs that a page wants, from the request to the answer.
 *
 *   begin --the journal shows that the run goes on--> answered, left alone
 *     |  '--ended--> answered with what it printed, or with its words and exit status
 *     '--too long--> told to end, answered
 *
 * 1. An act is a verb with the checks of the verb: nothing here knows whether a run can be resumed.
 * 2. What a page says goes to the process as single words, behind "--" or "=", and never through a
 *    shell; which options there are is a list (allowed_options()).
 * 3. An act is not undone when its page, or this server, goes away. A question is.
 * 4. At most ACTS_MAX are at work.
 * 5. Inside an attempt no act is begun: a run does not start or judge itself. */
#include "serve/ui/site.h"

#include "base/mem.h"
#include "dialect/dialect.h"
#include "io/file/file.h"
#include "run/exit_code.h"
#include "serve/errand.h"
#include "serve/tools.h"

#include <stdlib.h>
#include <string.h>

enum {
    ACT_MS_MAX = 90 * 1000, /* longer than hone stop waits for a run */
    TEXT_BYTES_MAX = 64 * 1024,
    LINES_MAX = 64,
};

struct act {
    struct act *next;
    uint64_t client;
    struct errand errand;
    const char *run; /* in the errand's arena */
    bool asks, names;
    uint64_t begun_ms, look_ms;
};

/* What is asked of a verb. */
struct act_request {
    uint64_t client;              /* the request that waits for its answer */
    const char *const *arguments; /* of hone; NULL ends */
    const char *cwd;
    const char *run;              /* that it is about; "" or NULL: none yet, or none at all */
    bool goes_on;                 /* that run goes on by it, behind so many events, and is left */
    uint64_t before;
    bool asks;                    /* a question: the document that the verb prints is the answer */
    bool names;                   /* with asks: a name in it that there is not can be wrong */
};

/* ---- those that are at work ---- */

static void act_free(struct acts *acts, struct act *act)
{
    struct act **at = &acts->first;

    while (*at != act) at = &(*at)->next;
    *at = act->next;
    acts->count--;
    errand_leave(&act->errand);
    free(act);
}

static int act_begin(struct site *site, const struct act_request *request, struct err *err)
{
    struct acts *acts = &site->acts;
    struct act *act;
    int rc;

    if (acts->count == ACTS_MAX) {
        return err_set(err, ERR_BUSY, "%d things are being done already: try again in a moment",
                       ACTS_MAX);
    }
    act = mem_alloc(sizeof *act);
    act->client = request->client;
    act->asks = request->asks;
    act->names = request->names;
    act->begun_ms = act->look_ms = now_steady_ms();
    act->next = acts->first;
    acts->first = act;
    acts->count++;
    rc = errand_begin(&act->errand, request->arguments, request->cwd,
                      request->goes_on ? request->run : NULL, request->before,
                      request->asks ? ACT_OUT_BYTES_MAX : 0, err);
    act->run = arena_cstr(&act->errand.arena, str_of(request->run));
    if (rc != 0) act_free(acts, act);
    return rc;
}

void acts_gone(struct acts *acts, uint64_t client)
{
    for (struct act *act = acts->first; act; act = act->next) {
        if (act->client != client) continue;
        if (act->asks) errand_stop(&act->errand);
        act_free(acts, act);
        return;
    }
}

void acts_release(struct acts *acts)
{
    while (acts->first) {
        if (acts->first->asks) errand_stop(&acts->first->errand);
        act_free(acts, acts->first);
    }
}

int64_t acts_due_in_ms(const struct acts *acts, uint64_t now_ms)
{
    int64_t due_ms = -1;

    for (const struct act *act = acts->first; act; act = act->next) {
        int64_t left = act->look_ms > now_ms ? (int64_t)(act->look_ms - now_ms) : 0;
        if (due_ms < 0 || left < due_ms) due_ms = left;
    }
    return due_ms;
}

/* ---- answers ---- */

static void add_lines(yyjson_mut_doc *doc, yyjson_mut_val *list, struct str text)
{
    struct str line;

    for (uint32_t i = 0; i < LINES_MAX && str_cut(&text, '\n', &line); i++) {
        line = str_trim(line);
        if (str_starts(line, STR("hone: "))) line = str_skip(line, 6);
        if (line.size > 0) yyjson_mut_arr_append(list, json_text(doc, line));
    }
}

/* What the verb said, and its exit status. */
static void answer_act(struct site *site, const struct act *act, int status)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *said;
    const char *run = act->run;

    yyjson_mut_obj_add_int(doc, root, "code", status);
    said = yyjson_mut_obj_add_arr(doc, root, "said");
    if (act->errand.run) run = act->errand.run; /* its standard output is for programs */
    else add_lines(doc, said, buf_str(&act->errand.process.out));
    add_lines(doc, said, buf_str(&act->errand.process.err));
    if (run[0]) json_add(doc, root, "run", run);
    else yyjson_mut_obj_add_null(doc, root, "run");
    follow_hurry(site->follow);
    ui_answer(site, act->client, 200, doc);
}

/* The document that the verb printed, in one line. */
static void answer_question(struct site *site, const struct act *act, int status)
{
    struct str words = errand_last_words(&act->errand);
    yyjson_mut_doc *copy;
    yyjson_doc *doc;
    struct err err;

    if (!act->errand.process.out.overflow &&
        json_read(buf_str(&act->errand.process.out), &doc, &err) == 0) {
        copy = json_new();
        yyjson_mut_doc_set_root(copy, yyjson_val_mut_copy(copy, yyjson_doc_get_root(doc)));
        yyjson_doc_free(doc);
        ui_answer(site, act->client, 200, copy);
        return;
    }
    if (status == CODE_USAGE) {
        err_set(&err, act->names ? ERR_MISSING : ERR_USAGE, "%.*s", STR_ARG(words));
    } else {
        err_set(&err, ERR_FAILED, "%.*s", STR_ARG(words.size ? words : STR("it said nothing")));
    }
    ui_answer_error(site, act->client, &err);
}

void acts_step(struct site *site, uint64_t now_ms)
{
    struct act *next;

    for (struct act *act = site->acts.first; act; act = next) {
        enum errand_state state;
        int status = 0;

        next = act->next;
        if (act->look_ms > now_ms) continue;
        act->look_ms = now_ms + ERRAND_LOOK_MS;
        state = errand_look(&act->errand, &status);
        if (state == ERRAND_WAITS && now_ms - act->begun_ms < ACT_MS_MAX) continue;
        if (state == ERRAND_WAITS) {
            struct err err;

            errand_stop(&act->errand);
            err_set(&err, ERR_FAILED, "it took longer than %d s, and was told to end",
                    ACT_MS_MAX / 1000);
            ui_answer_error(site, act->client, &err);
        } else if (act->asks) {
            answer_question(site, act, status);
        } else {
            answer_act(site, act, state == ERRAND_GOES_ON ? CODE_DONE : status);
        }
        act_free(&site->acts, act);
    }
}

/* ---- words for a verb ---- */

struct words {
    const char *items[ERRAND_ARGUMENTS_MAX + 1];
    uint32_t count;
    bool full;
};

static void add_word(struct words *words, const char *word)
{
    if (words->count < ERRAND_ARGUMENTS_MAX) words->items[words->count++] = word;
    else words->full = true;
}

/* Options of a new run that a page may say: none that names an agent, a command or a file that hone
 * would write, and none that takes a protection away. */
static bool is_allowed(struct str name, bool *is_switch)
{
    static const struct {
        const char *name;
        bool is_switch;
    } allowed[] = {
        { "since", false }, { "all", true }, { "exclude", false }, { "until", false },
        { "fixes", false }, { "include-generated", true }, { "timeout", false },
        { "idle-timeout", false }, { "budget", false }, { "no-fix", true }, { "isolate", true },
        { "fail-on", false }, { "allow-partial", true }, { "require-proof", true },
        { "agent-effort", false }, { "sandbox", true },
    };

    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        *is_switch = allowed[i].is_switch;
        if (str_is(name, allowed[i].name)) return true;
    }
    for (uint32_t i = 0; dialects[i]; i++) {
        const struct dialect_option *option = dialects[i]->options;

        for (; option && option->name; option++) {
            *is_switch = option->argument == NULL;
            if (str_is(name, option->name) && !option->folder) return true;
        }
    }
    return false;
}

/* "--NAME=VALUE", or "--NAME" of a switch. */
static int add_option(struct words *words, struct str name, struct str value, bool on,
                      struct arena *arena, struct err *err)
{
    bool is_switch;

    if (!is_allowed(name, &is_switch)) {
        return err_set(err, ERR_USAGE, "'%.*s' is no option that can be said here",
                       STR_ARG(str_head(name, 40)));
    }
    if (is_switch) {
        if (on) add_word(words, arena_printf(arena, "--%.*s", STR_ARG(name)));
        return 0;
    }
    if (memchr(value.data ? value.data : "", '\0', value.size)) {
        return err_set(err, ERR_USAGE, "%.*s: its value is no text", STR_ARG(name));
    }
    add_word(words, arena_printf(arena, "--%.*s=%.*s", STR_ARG(name), STR_ARG(value)));
    return 0;
}

/* A member of "options": a text, a number, true, or a list of texts. */
static int add_member(struct words *words, yyjson_val *key, yyjson_val *value, struct arena *arena,
                      struct err *err)
{
    struct str name = json_value(key);
    yyjson_arr_iter items;
    yyjson_val *item;
    int rc = 0;

    if (yyjson_is_null(value)) return 0;
    if (yyjson_is_bool(value)) {
        return add_option(words, name, STR("true"), yyjson_is_true(value), arena, err);
    }
    if (yyjson_is_uint(value)) {
        const char *number = arena_printf(arena, "%llu", (unsigned long long)
                                          yyjson_get_uint(value));
        return add_option(words, name, str_of(number), true, arena, err);
    }
    if (yyjson_is_str(value)) {
        struct str text = json_value(value);
        return add_option(words, name, text, text.size > 0, arena, err);
    }
    if (!yyjson_is_arr(value)) {
        return err_set(err, ERR_USAGE, "%.*s: neither a text nor a number", STR_ARG(name));
    }
    yyjson_arr_iter_init(value, &items);
    while (rc == 0 && (item = yyjson_arr_iter_next(&items))) {
        rc = yyjson_is_str(item) ? add_option(words, name, json_value(item), true, arena, err)
                                 : err_set(err, ERR_USAGE, "%.*s: not a list of texts",
                                           STR_ARG(name));
    }
    return rc;
}

/* A loop by its name: a path would be a file that the page chose. */
static int add_dialect(struct words *words, const char *dialect, const char *task, struct err *err)
{
    if (!dialect || !*dialect || strpbrk(dialect, "/") || dialect[0] == '.') {
        return err_set(err, ERR_USAGE, "which loop is to run? A name is wanted, not a path");
    }
    add_word(words, "--");
    add_word(words, dialect);
    if (task && *task) add_word(words, task);
    return words->full ? err_set(err, ERR_USAGE, "there are too many options") : 0;
}

/* A text of the body; NULL where it is not there. ERR_USAGE where it is none. */
static int read_text(const struct ui_call *call, const char *key, struct arena *arena,
                     const char **out, struct err *err)
{
    yyjson_val *value = yyjson_obj_get(call->body, key);
    struct str text = json_value(value);

    *out = NULL;
    if (!value || yyjson_is_null(value)) return 0;
    if (!text.data || text.size > TEXT_BYTES_MAX || memchr(text.data, '\0', text.size)) {
        return err_set(err, ERR_USAGE, "%s: not a text, or too long", key);
    }
    *out = arena_cstr(arena, text);
    return 0;
}

/* Only these members. */
static int check_body(const struct ui_call *call, const char *const *names, struct err *err)
{
    yyjson_obj_iter members;
    yyjson_val *key;

    yyjson_obj_iter_init(call->body, &members);
    while ((key = yyjson_obj_iter_next(&members))) {
        bool known = false;

        for (uint32_t i = 0; names[i]; i++) known = known || str_is(json_value(key), names[i]);
        if (known) continue;
        return err_set(err, ERR_USAGE, "'%.*s' is nothing that can be said here",
                       STR_ARG(str_head(json_value(key), 40)));
    }
    return 0;
}

/* ---- rows of the table ---- */

static int repository(const struct ui_call *call, const char **cwd, struct err *err)
{
    struct follow_place place;

    if (call->names.repo >= follow_count(call->site->follow)) {
        return err_set(err, ERR_MISSING, "there is no repository %u here",
                       (unsigned)call->names.repo);
    }
    place = follow_place(call->site->follow, call->names.repo);
    *cwd = place.look ? place.look->repo.workspace : place.folder;
    return place.look ? 0 : err_set(err, ERR_MISSING, "%s", place.problem);
}

static int begin(struct ui_call *call, struct act_request request, struct err *err)
{
    struct world world = world_here(call->site->request->cwd);
    int rc;

    if (!request.asks && world_is_attempt(&world)) {
        return err_set(err, ERR_USAGE, "hone ui runs inside an attempt of run %.60s: a run does "
                       "not start, judge or change itself", world.run);
    }
    request.client = call->id;
    rc = act_begin(call->site, &request, err);
    call->later = rc == 0;
    return rc;
}

/* A question that a verb answers. */
static int ask(struct ui_call *call, const char *cwd, const struct words *words, bool names,
               struct err *err)
{
    return begin(call, (struct act_request){ .arguments = words->items, .cwd = cwd, .asks = true,
                                             .names = names }, err);
}

int act_start(struct ui_call *call, struct err *err)
{
    static const char *const members[] = { "dialect", "task", "options", NULL };
    yyjson_val *options = yyjson_obj_get(call->body, "options"), *key;
    struct words words = { .items = { "run", "--json", "--quiet" }, .count = 3 };
    const char *dialect, *task, *cwd;
    yyjson_obj_iter iter;
    int rc = check_body(call, members, err);

    if (rc == 0) rc = repository(call, &cwd, err);
    if (rc == 0) rc = read_text(call, "dialect", &call->arena, &dialect, err);
    if (rc == 0) rc = read_text(call, "task", &call->arena, &task, err);
    if (rc == 0 && options && !yyjson_is_obj(options)) {
        rc = err_set(err, ERR_USAGE, "options: an object is wanted");
    }
    if (rc == 0 && yyjson_obj_iter_init(options, &iter)) {
        while (rc == 0 && (key = yyjson_obj_iter_next(&iter))) {
            rc = add_member(&words, key, yyjson_obj_iter_get_val(key), &call->arena, err);
        }
    }
    if (rc == 0) rc = add_dialect(&words, dialect, task, err);
    if (rc != 0) return rc;
    return begin(call, (struct act_request){ .arguments = words.items, .cwd = cwd, .run = "",
                                             .goes_on = true }, err);
}

/* The run that the address names. */
static int find_run(struct ui_call *call, const struct run_row **row, struct err *err)
{
    return follow_row(call->site->follow, call->names.repo,
                      arena_cstr(&call->arena, call->names.run), row, err);
}

/* A verb that takes a run, and perhaps one more word. goes_on: a run may go on by it, and is left
 * then. */
static int act_on_run(struct ui_call *call, const char *verb, const char *word, bool goes_on,
                      struct err *err)
{
    const struct run_row *row;
    int rc = find_run(call, &row, err);
    const char *id = rc == 0 ? row->run.id : "";
    const char *const begun[] = { verb, "--json", "--quiet", "--", id, word, NULL };
    const char *const plain[] = { verb, "--", id, word, NULL };

    if (rc != 0) return rc;
    return begin(call, (struct act_request){
        .arguments = goes_on ? begun : plain, .cwd = row->run.workspace,
        .run = id, .goes_on = goes_on, .before = row->run.event_count }, err);
}

int act_stop(struct ui_call *call, struct err *err)
{
    static const char *const members[] = { NULL };
    int rc = check_body(call, members, err);

    return rc == 0 ? act_on_run(call, "stop", NULL, false, err) : rc;
}

/* With new limits, where they are said: of the options of a run only these can be others later. */
int act_resume(struct ui_call *call, struct err *err)
{
    static const char *const members[] = { "options", NULL };
    yyjson_val *options = yyjson_obj_get(call->body, "options");
    yyjson_val *budget = yyjson_obj_get(options, "budget");
    struct words words = { .items = { "resume", "--json", "--quiet" }, .count = 3 };
    const struct run_row *row;
    int rc = check_body(call, members, err);

    if (rc == 0) rc = find_run(call, &row, err);
    if (rc == 0 && yyjson_obj_size(options) > (budget ? 1U : 0U)) {
        rc = err_set(err, ERR_USAGE, "options: a run that goes on takes 'budget' only");
    }
    if (rc == 0 && budget) {
        rc = add_option(&words, STR("budget"), json_value(budget), true, &call->arena, err);
    }
    if (rc != 0) return rc;
    add_word(&words, "--");
    add_word(&words, row->run.id);
    return begin(call, (struct act_request){
        .arguments = words.items, .cwd = row->run.workspace, .run = row->run.id,
        .goes_on = true, .before = row->run.event_count }, err);
}

int act_answer(struct ui_call *call, struct err *err)
{
    static const char *const members[] = { "choice", NULL };
    const char *choice;
    enum choice known;
    int rc = check_body(call, members, err);

    if (rc == 0) rc = read_text(call, "choice", &call->arena, &choice, err);
    if (rc != 0) return rc;
    if (!choice || !choice_from_word(str_of(choice), &known)) {
        return err_set(err, ERR_USAGE, "choice: one of continue, accept, restart and stop");
    }
    return act_on_run(call, "answer", choice, true, err);
}

int act_waive(struct ui_call *call, struct err *err)
{
    static const char *const members[] = { "finding", "reason", "until", "grave", NULL };
    const char *finding, *reason, *until;
    struct words words = { .items = { "waive" }, .count = 1 };
    const struct run_row *row;
    int rc = check_body(call, members, err);

    if (rc == 0) rc = find_run(call, &row, err);
    if (rc == 0) rc = read_text(call, "finding", &call->arena, &finding, err);
    if (rc == 0) rc = read_text(call, "reason", &call->arena, &reason, err);
    if (rc == 0) rc = read_text(call, "until", &call->arena, &until, err);
    if (rc != 0) return rc;
    if (!finding || !reason) return err_set(err, ERR_USAGE, "finding and reason are wanted");
    add_word(&words, arena_printf(&call->arena, "--run=%s", row->run.id));
    add_word(&words, arena_printf(&call->arena, "--reason=%s", reason));
    if (until && *until) add_word(&words, arena_printf(&call->arena, "--until=%s", until));
    if (yyjson_is_true(yyjson_obj_get(call->body, "grave"))) add_word(&words, "--grave");
    add_word(&words, "--");
    add_word(&words, finding);
    return begin(call, (struct act_request){ .arguments = words.items, .run = row->run.id,
                                             .cwd = row->run.workspace }, err);
}

/* ---- questions that a verb answers ---- */

int ask_preview(struct ui_call *call, struct err *err)
{
    struct words words = { .items = { "run", "--preview", "--json", "--quiet" }, .count = 4 };
    const char *cwd;
    int rc = repository(call, &cwd, err);

    for (uint32_t i = 0; rc == 0 && i < call->query.count; i++) {
        const char *name = call->query.options[i].name, *value = call->query.options[i].value;

        if (strcmp(name, "dialect") == 0 || strcmp(name, "task") == 0) continue;
        rc = add_option(&words, str_of(name), str_of(value), strcmp(value, "0") != 0,
                        &call->arena, err);
    }
    if (rc == 0) {
        rc = add_dialect(&words, query_value(&call->query, "dialect"),
                         query_value(&call->query, "task"), err);
    }
    return rc == 0 ? ask(call, cwd, &words, false, err) : rc;
}

int ask_startable(struct ui_call *call, struct err *err)
{
    struct words words = { .items = { "plan", "--list", "--json" }, .count = 3 };
    const char *cwd;
    int rc = repository(call, &cwd, err);

    return rc == 0 ? ask(call, cwd, &words, false, err) : rc;
}

int ask_loop(struct ui_call *call, struct err *err)
{
    struct words words = { .items = { "plan", "--json", "--" }, .count = 3 };
    const char *cwd;
    int rc = repository(call, &cwd, err);

    if (rc != 0) return rc;
    add_word(&words, arena_cstr(&call->arena, call->names.name));
    return ask(call, cwd, &words, true, err);
}

int ask_reviewers(struct ui_call *call, struct err *err)
{
    struct words words = { .items = { "reviewers", "--json" }, .count = 2 };
    const char *cwd;
    int rc = repository(call, &cwd, err);

    for (uint32_t i = 0; rc == 0 && i < call->query.count; i++) {
        add_word(&words, arena_printf(&call->arena, "--%s=%s", call->query.options[i].name,
                                      call->query.options[i].value));
    }
    return rc == 0 ? ask(call, cwd, &words, false, err) : rc;
}

int ask_across(struct ui_call *call, struct err *err)
{
    struct words words = { .items = { "findings", "--across", "--json", "--" }, .count = 4 };
    const char *cwd;
    int rc = repository(call, &cwd, err);

    if (rc != 0) return rc;
    add_word(&words, arena_cstr(&call->arena, call->names.finding));
    return ask(call, cwd, &words, true, err);
}

int ask_diff(struct ui_call *call, struct err *err)
{
    const char *round = query_value(&call->query, "round");
    struct words words = { .items = { "show", "--json", "--diff", "--" }, .count = 4 };
    const struct run_row *row;
    int rc = find_run(call, &row, err);

    if (rc != 0) return rc;
    add_word(&words, row->run.id);
    if (round) add_word(&words, round);
    return ask(call, row->run.workspace, &words, round != NULL, err);
}
