/* SPDX-License-Identifier: Apache-2.0
 *
 * show.c - hone show: a run's attempts, or everything that was kept of one of them.
 *
 * What agents wrote is shown in full, with control characters made visible; with --json it stands
 * in strings, where those are escaped. Files are read without following links: an agent could have
 * put one there.
 *
 * The evidence is what the agent's own stream of events says it did: tools, commands, files, time,
 * tokens, money.
 *
 *     evidence: 3 tool calls, 1 command, 2 files read, 1 written; 41 s; model x; effort high
 *               12000 tokens in (9000 cached), 800 out; $0.0421
 *       read  src/sum.c
 *
 * --follow shows what an attempt writes, while it writes it. It only reads: two files that grow,
 * the status that the attempt's supervisor leaves, and the journal. The run does not know of it, so
 * Ctrl-C ends the showing and nothing else. run/listen.c reads. */
#include "base/clock.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/table.h"
#include "cmd/verbs.h"
#include "document/document.h"
#include "format/stream/telling.h"
#include "format/text/safe.h"
#include "io/process/signals.h"
#include "run/evidence.h"
#include "run/history.h"
#include "run/listen.h"
#include "run/look.h"

#include <inttypes.h>
#include <string.h>

struct show {
    struct look look;
    struct run replay;
    struct history history;
};

struct follow_request {
    bool json, raw;
};

/* ---- evidence ---- */

static void add_count(struct buf *out, uint64_t count, const char *one, const char *many)
{
    buf_printf(out, "%" PRIu64 " %s", count, count == 1 ? one : many);
}

static void add_paths(struct buf *out, const struct reading *reading)
{
    for (uint32_t i = 0; i < reading->path_count; i++) {
        buf_text(out, reading->paths[i].written ? "  wrote " : "  read  ");
        safe_text(out, reading->paths[i].path, true, 0);
        buf_byte(out, '\n');
    }
    if (reading->paths_cut) buf_text(out, "  and more files\n");
}

/* What the attempt did for its answer; nothing where its backend does not tell. */
static void evidence_text(const struct kept *shown, struct buf *out)
{
    struct arena arena = { 0 };
    struct reading reading;
    char span[CLOCK_SPAN_BYTES];

    if (!evidence_read(&shown->agent, shown->folder, &arena, &reading)) goto out;
    buf_text(out, "evidence: ");
    add_count(out, reading.tool_calls, "tool call, ", "tool calls, ");
    add_count(out, reading.commands, "command, ", "commands, ");
    add_count(out, reading.reads, "file read, ", "files read, ");
    buf_printf(out, "%" PRIu64 " written", reading.writes);
    if (reading.duration_ms) buf_printf(out, "; %s", clock_span(reading.duration_ms, span));
    if (reading.model.size) {
        buf_text(out, "; model ");
        safe_text(out, reading.model, true, 0);
    }
    if (shown->agent.effort) buf_printf(out, "; effort %s", shown->agent.effort);
    buf_printf(out, "\n          %" PRIu64 " tokens in (%" PRIu64 " cached), %" PRIu64 " out; ",
               reading.usage.tokens_in, reading.tokens_cached, reading.usage.tokens_out);
    if (reading.cost_known) {
        buf_printf(out, "$%" PRIu64 ".%06" PRIu64 "\n", reading.usage.cost_micros / 1000000,
                   reading.usage.cost_micros % 1000000);
    } else {
        buf_text(out, "cost not told\n");
    }
    add_paths(out, &reading);

out:
    arena_release(&arena);
}

/* A stream as text: what was said, and a line for each call of a tool. */
static void stream_text_of(const struct kept *shown, struct str stream, struct buf *out)
{
    struct telling telling = { .out = out };
    struct str line;

    while (str_cut(&stream, '\n', &line)) telling_line(&telling, shown->stream, line);
    telling_end(&telling);
}

/* ---- --follow ---- */

enum {
    LOOK_MS = 100,
    JOURNAL_LOOKS = 5, /* the journal is looked at every fifth time */
    FLUSH_BYTES = 1 << 16,
};

struct follow {
    struct show *show;
    struct kept *shown;
    const struct follow_request *request;
    char attempt[ENTRY_NAME_BYTES];
    struct listen *listen;
    struct buf out;
};

static void add_json(struct follow *follow, uint32_t file, struct str line)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);

    json_add(doc, root, "attempt", follow->attempt);
    json_add(doc, root, "from", file == LISTEN_OUT ? "stdout" : "stderr");
    yyjson_mut_obj_add_val(doc, root, "line", json_text(doc, line));
    json_write(doc, false, &follow->out);
    buf_byte(&follow->out, '\n');
    yyjson_mut_doc_free(doc);
}

static void flush(struct follow *follow)
{
    say_now(&follow->out);
    buf_clear(&follow->out);
}

static void show_text(void *context, uint32_t file, struct str text)
{
    struct follow *follow = context;
    bool tells = follow->shown->stream && !follow->request->raw && file == LISTEN_OUT;

    if (follow->request->json) {
        add_json(follow, file, text);
    } else {
        safe_text(&follow->out, text, false, 0);
        if (!tells) buf_byte(&follow->out, '\n');
    }
    if (follow->out.size >= FLUSH_BYTES) flush(follow);
}

static bool can_say(void)
{
    return say_problem() == 0;
}

/* The journal again, and the attempt in it. */
static int look_again(struct follow *follow, bool *ended, struct err *err)
{
    struct show *show = follow->show;
    uint64_t events = show->look.run.event_count;
    struct action start = follow->shown->entry->start;
    int rc = look_run(&show->look, show->look.run.id, err);

    if (rc != 0) return rc;
    if (show->look.run.event_count != events) {
        run_release(&show->replay);
        history_release(&show->history);
        rc = run_load(&show->replay, &show->look.run, err);
        if (rc == 0) {
            rc = run_replay(&show->replay, show->look.journal, history_visit, &show->history, err);
        }
        if (rc != 0) return rc;
        follow->shown->entry = history_find(&show->history, start.job, start.attempt);
    }
    *ended = !follow->shown->entry || follow->shown->entry->ended_ms != 0 || !show->look.alive;
    return 0;
}

static int follow_loop(struct follow *follow, struct err *err)
{
    bool ended = false;
    int rc = 0;

    for (uint32_t looks = 0; rc == 0 && !ended && can_say(); looks++) {
        if (looks > 0) wait_readable(-1, -1, LOOK_MS);
        if (looks % JOURNAL_LOOKS == 0) rc = look_again(follow, &ended, err);
        if (rc == 0 && listen_is_over(follow->listen)) ended = true;
        if (rc == 0) rc = listen_more(follow->listen, can_say, err);
        flush(follow);
    }
    if (rc == 0) listen_last(follow->listen);
    flush(follow);
    return rc;
}

/* Shows what the attempt says until it has ended. */
static int show_follow(struct show *show, struct kept *shown, const struct follow_request *request,
                       struct err *err)
{
    struct follow follow = { .show = show, .shown = shown, .request = request };
    int rc;

    entry_name(shown->entry, follow.attempt);
    buf_init(&follow.out, SAY_BYTES_MAX);
    follow.listen = listen_new(&(struct listen_request){
        .folder = shown->folder, .visit = show_text, .context = &follow,
        .stream = request->raw || request->json ? NULL : shown->stream });
    rc = follow_loop(&follow, err);
    listen_free(follow.listen);
    buf_release(&follow.out);
    return rc;
}

/* ---- hone show ---- */

enum { FILE_BYTES_MAX = 16 << 20, TASK_SHOWN_MAX = 200, PROBLEM_SHOWN_MAX = 500 };

/* ---- a run ---- */

static const struct table_column columns[] = {
    { .title = "ATTEMPT" }, { .title = "ROLE" }, { .title = "FOR", .spare = 2 },
    { .title = "PHASE", .spare = 3 }, { .title = "ROUND", .right = true, .spare = 5 },
    { .title = "STARTED (UTC)", .spare = 1 }, { .title = "TOOK", .right = true, .spare = 4 },
    { .title = "RESULT" }, { .title = NULL },
};

static void entry_cells(const struct show *show, const struct entry *entry, struct arena *arena,
                        const char **cells)
{
    const struct plan *plan = &show->replay.plan;
    char name[ENTRY_NAME_BYTES], iso[CLOCK_ISO_BYTES], span[CLOCK_SPAN_BYTES];
    struct buf result;

    cells[0] = arena_cstr(arena, str_of(entry_name(entry, name)));
    cells[1] = plan->roles[entry->start.role].name;
    if (plan->eyes > 1 && entry->start.purpose == FOR_REVIEW && *entry->by) {
        cells[1] = arena_printf(arena, "%s by %s", cells[1], entry->by);
    }
    cells[2] = entry->start.recheck ? "recheck" : purpose_word(entry->start.purpose);
    cells[3] = entry_phase(entry, plan);
    cells[4] = arena_printf(arena, "%" PRIu32, entry->start.round);
    cells[5] = arena_cstr(arena, str_of(clock_iso(entry->started_ms, iso)));
    cells[6] = "-";
    if (entry->ended_ms >= entry->started_ms) {
        cells[6] = arena_cstr(arena, str_of(clock_span(entry->ended_ms - entry->started_ms, span)));
    }
    buf_init(&result, SAY_BYTES_MAX);
    entry_result(entry, &result);
    cells[7] = arena_take_cstr(arena, &result);
}

static void run_text(struct show *show, const struct slice *slice, uint32_t columns_max)
{
    const struct journal_run *run = &show->look.run;
    uint32_t count = show->history.count;
    struct arena *arena = &show->look.arena;
    const char *(*cells)[TABLE_COLUMNS_MAX] = arena_alloc(arena, (count + 1) * sizeof *cells);
    struct table table = { .columns = columns, .rows = cells };
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    buf_printf(&out, "run %s (%s): %s\ntask: ", run->id, run->dialect,
               standing_text(run, show->look.alive));
    add_safe(&out, run->task, TASK_SHOWN_MAX);
    buf_text(&out, "\n\n");
    for (uint32_t i = 0; i < count; i++) {
        if (!slice_takes(slice, i)) continue;
        entry_cells(show, &show->history.entries[i], arena, cells[table.count++]);
    }
    table_put(&table, columns_max, &out);
    buf_printf(&out, "\n'hone show %s JOB-ATTEMPT' shows an attempt's prompt and answer.\n",
               run->id);
    say_take(&out);
}

static struct status status_of(const struct show *show)
{
    return (struct status){ &show->look, &show->replay, &show->history, now_wall_ms() };
}

static void run_json(const struct show *show, const struct slice *slice)
{
    struct status status = status_of(show);
    yyjson_mut_doc *doc = json_new();

    document_attempts(&status, slice, doc, json_object(doc));
    say_json(doc, true);
}

/* ---- one attempt ---- */

/* A file for people; a stream as what it tells, unless it is wanted raw. */
static void add_part(const struct kept *shown, const char *name, struct str content, bool raw,
                     struct buf *out)
{
    bool tells = shown->stream && !raw && str_is(str_of(name), "stdout");
    struct buf told;

    buf_init(&told, SAY_BYTES_MAX);
    if (tells) {
        stream_text_of(shown, content, &told);
        content = buf_str(&told);
    }
    safe_text(out, content, false, 0);
    if (content.size > 0 && content.data[content.size - 1] != '\n') buf_byte(out, '\n');
    buf_release(&told);
}

static void attempt_text(const struct show *show, const struct kept *shown,
                         const char *const *parts, bool raw)
{
    const struct entry *entry = shown->entry;
    const char *folder = shown->folder;
    char name[ENTRY_NAME_BYTES], iso[CLOCK_ISO_BYTES];
    const char *problem;
    struct buf out, content;

    buf_init(&out, SAY_BYTES_MAX);
    buf_init(&content, FILE_BYTES_MAX);
    buf_printf(&out, "attempt %s of run %s: %s, %s, phase %s, round %" PRIu32 ", started %s\n",
               entry_name(entry, name), show->look.run.id,
               show->replay.plan.roles[entry->start.role].name,
               purpose_word(entry->start.purpose), entry_phase(entry, &show->replay.plan),
               entry->start.round, clock_iso(entry->started_ms, iso));
    buf_text(&out, "result: ");
    entry_result(entry, &out);
    if (entry->problem[0]) {
        buf_text(&out, ", ");
        add_safe(&out, entry->problem, PROBLEM_SHOWN_MAX);
    }
    buf_byte(&out, '\n');
    evidence_text(shown, &out);
    for (uint32_t i = 0; attempt_parts[i]; i++) {
        if (!attempt_part_is_asked(parts, attempt_parts[i])) continue;
        if (!kept_part(shown, attempt_parts[i], &content, &problem)) continue;
        buf_printf(&out, "\n==> %s: ", attempt_parts[i]);
        add_safe(&out, folder, 0);
        buf_printf(&out, "/%s%s%s <==\n", attempt_parts[i], problem ? ", " : "",
                   problem ? problem : content.size == 0 ? ", empty" : "");
        add_part(shown, attempt_parts[i], buf_str(&content), raw, &out);
    }
    say_out(&out);
    buf_release(&content);
    buf_release(&out);
}

/* The newest attempt that has not ended. */
static const struct entry *find_running(const struct show *show, struct err *err)
{
    for (uint32_t i = show->history.count; i-- > 0 && show->look.alive;) {
        if (show->history.entries[i].ended_ms == 0) return &show->history.entries[i];
    }
    err_set(err, ERR_MISSING, "run %s has no attempt that runs now; 'hone show %s' lists its "
            "attempts", show->look.run.id, show->look.run.id);
    return NULL;
}

/* The values of --part, each a name or several with commas between; NULL ends. */
static const char *const *read_parts(struct call *call)
{
    const char **parts = NULL;
    uint32_t count = 0, cap = 0;

    for (uint32_t i = 0; i < call->given_count; i++) {
        struct str rest = str_of(call->given[i].value), name;

        if (strcmp(call->given[i].name, "part") != 0) continue;
        while (str_cut(&rest, ',', &name)) {
            parts = arena_grow(&call->arena, parts, count, &cap, sizeof *parts);
            parts[count++] = arena_cstr(&call->arena, str_trim(name));
        }
    }
    parts = arena_grow(&call->arena, parts, count, &cap, sizeof *parts);
    parts[count] = NULL;
    return parts;
}

static int show_attempt(struct show *show, struct call *call, const char *word, struct err *err)
{
    const char *const *parts = read_parts(call);
    struct follow_request request = { .json = call->json, .raw = call_has(call, "raw") };
    struct status status = status_of(show);
    const struct entry *entry = word ? attempt_find(&status, word, err) : find_running(show, err);
    struct kept shown;

    if (!entry || attempt_parts_check(parts, "--", err) != 0) return (int)err->code;
    kept_find(&status, entry, &show->look.arena, &shown);
    if (call_has(call, "follow")) return show_follow(show, &shown, &request, err);
    if (call->json) {
        yyjson_mut_doc *doc = json_new();

        document_attempt(&status, entry, parts, PART_BYTES_MAX, doc, json_object(doc));
        say_json(doc, true);
    } else {
        attempt_text(show, &shown, parts, request.raw);
    }
    return 0;
}

/* ---- documents of one thing ---- */

static int read_number(const struct call *call, const char *text, uint64_t *out, struct err *err)
{
    *out = 0;
    if (!text || str_number(str_of(text), out)) return 0;
    return err_set(err, ERR_USAGE, "%s: '%.60s' is not a number", call->verb->name, text);
}

static int said_json(struct show *show, struct call *call, yyjson_mut_doc *doc,
                           yyjson_mut_val *root, struct err *err)
{
    struct status status = status_of(show);
    const char *word = call_argument(call, 1);
    const struct entry *entry = word ? attempt_find(&status, word, err) : find_running(show, err);
    uint64_t from;

    if (!entry) return (int)err->code;
    if (read_number(call, call_value(call, "from"), &from, err) != 0) return (int)err->code;
    return document_transcript(&status, entry, from, doc, root, err);
}

static int changes_json(struct show *show, struct call *call, yyjson_mut_doc *doc,
                     yyjson_mut_val *root, struct err *err)
{
    struct status status = status_of(show);
    const char *word = call_argument(call, 1);
    uint64_t number;
    uint32_t at;

    if (read_number(call, word, &number, err) != 0) return (int)err->code;
    at = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
    return document_diff(&status, word ? &at : NULL, doc, root, err);
}

static int finding_json(struct show *show, struct call *call, yyjson_mut_doc *doc,
                        yyjson_mut_val *root, struct err *err)
{
    struct listed listed;
    int rc;

    if (call_argument(call, 1)) {
        return err_set(err, ERR_USAGE, "show: a finding is of no attempt; leave out '%.60s'",
                       call_argument(call, 1));
    }
    listed_of(&show->look, &show->replay, &show->history, HONE_VERSION, &listed);
    rc = document_finding(&listed, call_value(call, "finding"), doc, root, err);
    listed_release(&listed);
    return rc;
}

/* What is shown as a document alone; NULL: none of these was asked for. */
struct document_kind {
    const char *option;
    int (*answer)(struct show *show, struct call *call, yyjson_mut_doc *doc, yyjson_mut_val *root,
                  struct err *err);
    const char *instead; /* for people */
};

static const struct document_kind document_kinds[] = {
    { "transcript", said_json, "'hone show RUN ATTEMPT' shows it to people" },
    { "finding", finding_json, "'hone findings' shows it to people" },
    { "diff", changes_json, "'hone export --format html=FILE' shows it to people" },
};

static const struct document_kind *find_kind(const struct call *call)
{
    for (size_t i = 0; i < sizeof document_kinds / sizeof *document_kinds; i++) {
        if (call_has(call, document_kinds[i].option)) return &document_kinds[i];
    }
    return NULL;
}

static int answer(struct show *show, struct call *call, const struct document_kind *kind,
                  struct err *err)
{
    yyjson_mut_doc *doc = json_new();
    int rc = kind->answer(show, call, doc, json_object(doc), err);

    if (rc == 0) say_json(doc, true);
    else yyjson_mut_doc_free(doc);
    return rc;
}

/* ---- the verb ---- */

static int check_words(const struct call *call, const struct document_kind *kind,
                       struct slice *slice, struct err *err)
{
    if (kind && !call->json) {
        return err_set(err, ERR_USAGE, "--%s is for programs: add --json; %s", kind->option,
                       kind->instead);
    }
    if (kind && call_has(call, "follow")) {
        return err_set(err, ERR_USAGE, "--%s and --follow are two questions; ask one",
                       kind->option);
    }
    *slice = (struct slice){ 0, 0 };
    return kind ? 0 : call_slice(call, &slice->from, &slice->count, err);
}

static int handle(struct call *call)
{
    struct show show = { .replay = { .event_count = 0 } };
    const struct document_kind *kind = find_kind(call);
    const char *word = call_argument(call, 1);
    struct slice slice;
    struct err err;
    int rc = check_words(call, kind, &slice, &err), code = CODE_DONE;

    if (rc == 0) rc = look_open(&show.look, call->cwd, &err);
    if (rc == 0) rc = look_run(&show.look, call_argument(call, 0), &err);
    if (rc == 0) rc = run_load(&show.replay, &show.look.run, &err);
    if (kind && kind->answer == finding_json) history_keep(&show.history);
    if (rc == 0) {
        rc = run_replay(&show.replay, show.look.journal, history_visit, &show.history, &err);
    }
    if (rc == 0 && kind) rc = answer(&show, call, kind, &err);
    else if (rc == 0 && (word || call_has(call, "follow"))) {
        rc = show_attempt(&show, call, word, &err);
    } else if (rc == 0 && call->json) {
        run_json(&show, &slice);
    } else if (rc == 0) {
        run_text(&show, &slice, table_columns(call));
    }
    if (rc != 0) code = say_err(&err);
    history_release(&show.history);
    run_release(&show.replay);
    look_close(&show.look);
    return code;
}

const struct verb verb_show = {
    .name = "show",
    .summary = "show a run's attempts, or one with its prompt and answer",
    .text = {
        "Without JOB, lists every attempt of the run: who, for what, when, how long and with what "
        "result. With JOB (the newest attempt of it) or JOB-ATTEMPT, shows everything that was "
        "kept of one attempt: prompt, answer, standard output, standard error and exit status, "
        "with the paths of the files. Of an agent that tells what it does also the evidence: "
        "calls of tools, commands, files, tokens, cost. Its output is then shown as what it said "
        "and did; --raw shows it as it came.",
        "With --follow, shows what an attempt says while it says it, until it ends; without JOB, "
        "of the attempt that was started last. Ctrl-C ends the showing, and nothing else.",
        "Control characters in what agents wrote are shown as \\xNN; the files hold the bytes, but "
        "for keys, tokens and passwords, which are masked when an attempt has ended.",
    },
    .arguments = {
        ARGUMENT_RUN,
        { .name = "JOB[-ATTEMPT]", .optional = true, .help = "the attempt to show: 3 or 3-1" },
    },
    .options = {
        { .name = "follow", .help = "show what an attempt says while it runs" },
        { .name = "raw", .help = "show an agent's stream of events as it came" },
        { .name = "part", .argument = "NAME",
          .help = "of an attempt only this file: prompt, answer, said, report, stdout, stderr, "
                  "evidence, status, withheld, worker (who played it on another machine), or "
                  "none; may be given many times",
          .words = "prompt, answer, said, report, stdout, stderr, evidence, status, withheld, "
                   "worker or "
                   "none" },
        { .name = "transcript",
          .help = "with --json: what the attempt said, thought and called, each as an item, from "
                  "the byte of its output that --from names; next says where to ask again" },
        { .name = "finding", .argument = "ID",
          .help = "with --json: a finding of the run with its history, every wording, what "
                  "resolved it, and the lines around it before and after" },
        { .name = "diff",
          .help = "with --json: what changed from the first review to the last; with a number in "
                  "the place of JOB what the repair of that round changed, counted from 0 as "
                  "'hone status --json' lists the rounds" },
        OPTIONS_SLICE("attempts"),
    },
    .codes = {
        { CODE_DONE, "it was shown" },
        { CODE_USAGE, "there is no such run, attempt, finding or round" },
    },
    .examples = { "hone show 7k2m", "hone show 7k2m 3-1", "hone show --follow",
                  "hone show 7k2m --finding 5c3f --json", "hone show 7k2m --diff 0 --json" },
    .handle = handle,
};
