/* SPDX-License-Identifier: Apache-2.0
 *
 * status.c - hone status: where a run stands, in lines of "what  value".
 *
 * All of it comes from the replayed journal, but for one thing: the workspace's lock says whether
 * the run is alive. The journal of a run that died may have agents that never ended: they are shown
 * as unfinished, not as running. */
#include "cmd/status.h"

#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/suggest.h"
#include "cmd/table.h"

#include "base/clock.h"
#include "base/mem.h"
#include "cmd/verbs.h"
#include "document/document.h"
#include "report/metrics.h"
#include "report/remarks.h"
#include "report/spending.h"
#include "format/json/finding_json.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/process/host.h"
#include "run/cast.h"
#include "run/look.h"
#include "run/place.h"
#include "run/waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SHOWN_MAX = 200, BAR_COLUMNS = 12 };

/* ---- text ---- */

static void add_label(struct buf *out, const char *label)
{
    buf_printf(out, "%-10s ", label);
}

static void add_line(struct buf *out, const char *label, const char *text)
{
    add_label(out, label);
    add_safe(out, text, TEXT_SHOWN_MAX);
    buf_byte(out, '\n');
}

static void add_findings(struct buf *out, const struct lane *lane)
{
    uint32_t counts[SEVERITY_COUNT];

    if (lane->review.count == 0) return;
    status_findings(lane, counts);
    add_label(out, "findings");
    buf_printf(out, "round %" PRIu32 ": ", lane->review.round);
    if (counts[SEVERITY_LOW] + counts[SEVERITY_MEDIUM] + counts[SEVERITY_HIGH] == 0) {
        buf_text(out, "none\n");
        return;
    }
    for (uint32_t i = SEVERITY_COUNT; i-- > 0;) {
        buf_printf(out, "%" PRIu32 " %s%s", counts[i], severity_word((enum severity)i),
                   i > 0 ? ", " : "\n");
    }
}

static void add_lane(struct buf *out, const struct status *status, const struct lane *lane)
{
    const struct plan *plan = &status->replay->plan;
    uint32_t rounds = lane->tallies[lane->phase].rounds;
    uint32_t round_max = status_round_max(plan, lane);

    if (lane->id == 0) add_label(out, "phase");
    else buf_printf(out, "lane %-5" PRIu32 " ", lane->id);
    buf_text(out, status_phase(plan, lane));
    if (lane->state != LANE_OVER && lane->state != LANE_FANNING) { /* its loops stand below */
        buf_printf(out, ", %s", lane_state_word(lane->state));
    }
    if (rounds > 0) {
        buf_printf(out, ", round %" PRIu32, rounds);
        if (round_max > 0) buf_printf(out, " of %" PRIu32, round_max);
    }
    if (plan->iteration_max > 1) {
        buf_printf(out, ", iteration %" PRIu32 " of %" PRIu32, status->replay->engine.iteration,
                   plan->iteration_max);
    }
    buf_byte(out, '\n');
}

/* The reason that an agent gave for being stuck. */
static void add_stuck(struct buf *out, const struct lane *lane)
{
    struct str reason = stuck_reason(lane);

    if (reason.size == 0) return;
    add_label(out, "fixer says");
    safe_text(out, reason, true, TEXT_SHOWN_MAX);
    buf_byte(out, '\n');
}

/* The question, what may be answered and what each answer means. */
static void add_question(struct buf *out, const struct status *status, const struct lane *lane)
{
    const char *escalation = question_escalation(status->replay, lane->id, lane->question);
    const char *label = "choices";

    if (lane->question == ASK_NOTHING) return;
    add_label(out, "question");
    if (escalation) buf_printf(out, "%s: ", escalation);
    buf_printf(out, "%s\n", question_text(lane->question));
    for (int i = 0; i < CHOICE_COUNT; i++) {
        if (!choice_is_open(&status->replay->engine, (enum choice)i)) continue;
        add_label(out, label);
        buf_printf(out, "%-9s %s\n", choice_word((enum choice)i), choice_text((enum choice)i));
        label = "";
    }
}

/* The command that goes on with a run that can go on, as it is typed. */
static void add_next(struct buf *out, const struct status *status)
{
    const struct journal_run *run = &status->look->run;
    const struct engine *engine = &status->replay->engine;
    bool asks = run->reason == REASON_WAITING || run->reason == REASON_ESCALATED;

    if (status->look->alive && asks) {
        add_line(out, "next", "answer where the run was started: it asks there");
    }
    if (status->look->alive || !engine_can_resume(engine)) return;
    if (run_is_hosted(run)) {
        add_label(out, "next");
        buf_printf(out, "/hone:%s%s in Claude Code, $hone-%s%s in Codex\n", run->dialect,
                   asks ? " continue" : "", run->dialect, asks ? " continue" : "");
        return;
    }
    add_label(out, "next");
    buf_printf(out, asks ? "hone answer %s continue" : "hone resume %s", run->id);
    if (run->reason == REASON_BUDGET) {
        buf_text(out, " --budget ");
        spending_more(engine, out);
    }
    if (run->reason == REASON_STUCK) buf_text(out, ", when what is missing is done");
    buf_text(out, asks ? ", or another choice\n" : "\n");
}

/* "waiting    critic                 1-2, for the rate limit until 14:30: ..." */
static void add_wait(struct buf *out, const struct status *status, const struct job *job)
{
    const struct result *result = &job->result;
    char span[CLOCK_SPAN_BYTES], when[HOST_TIME_BYTES];

    add_label(out, "waiting");
    buf_printf(out, "%-22s %" PRIu32 "-%" PRIu32 ", for %s until %s (in %s): ",
               status->replay->plan.roles[job->role].name, job->id, job->attempt,
               wait_words(result->failure), host_time(result->retry_at_ms, when),
               clock_span(result->retry_at_ms - status->now_ms, span));
    safe_text(out, result->problem, true, TEXT_SHOWN_MAX);
    buf_byte(out, '\n');
}

/* ", [####      ] 12 of 93 files", where it says so. */
static void add_progress(struct buf *out, const struct status *status, const struct job *job)
{
    struct progress progress;

    if (!status_progress(&status->look->repo, status->look->run.id, job, &progress)) return;
    buf_text(out, ", ");
    progress_bar(&progress, BAR_COLUMNS, out);
    buf_byte(out, ' ');
    progress_words(&progress, out);
}

/* ", on big1" */
static void add_played(struct buf *out, const struct status *status, const struct job *job)
{
    struct arena arena = { 0 };
    struct played played;

    status_played(status, job, &arena, &played);
    if (played.worker.size > 0) {
        buf_text(out, ", on ");
        safe_text(out, played.worker, true, TEXT_SHOWN_MAX);
    } else if (played.pool.size > 0) {
        buf_text(out, ", waits for a worker of the pool ");
        safe_text(out, played.pool, true, TEXT_SHOWN_MAX);
    }
    arena_release(&arena);
}

/* Which backend looks, where several take turns. */
static void add_eye(struct buf *out, const struct status *status, const struct entry *entry)
{
    struct arena arena = { 0 };
    struct agent agent;

    if (status->replay->plan.eyes > 1 && entry && entry->start.purpose == FOR_REVIEW &&
        cast_find(status->replay, &entry->start, &arena, &agent)) {
        buf_printf(out, ", %sby %s", entry->start.recheck ? "a recheck " : "",
                   agent.backend->name);
    }
    arena_release(&arena);
}

/* The agents that run, and since when; that were left unfinished; that failed for good. */
static void add_agents(struct buf *out, const struct status *status, const struct lane *lane)
{
    const struct plan *plan = &status->replay->plan;
    bool alive = status->look->alive;
    char span[CLOCK_SPAN_BYTES];

    for (uint32_t i = 0; i < lane->now.count; i++) {
        const struct job *job = &lane->now.jobs[i];
        const struct entry *entry = history_find(status->history, job->id, job->attempt);

        if (alive && status_waits(job, status->now_ms)) {
            add_wait(out, status, job);
        } else if (job->state == JOB_RUNNING) {
            add_label(out, alive ? "running" : "unfinished");
            buf_printf(out, "%-22s %" PRIu32 "-%" PRIu32, plan->roles[job->role].name, job->id,
                       job->attempt);
            if (lane->id > 0) buf_printf(out, ", lane %" PRIu32, lane->id);
            add_eye(out, status, entry);
            if (alive && entry && entry->started_ms <= status->now_ms) {
                buf_printf(out, ", for %s", clock_span(status->now_ms - entry->started_ms, span));
            } else if (alive && entry) {
                buf_printf(out, ", starts in %s",
                           clock_span(entry->started_ms - status->now_ms, span));
            }
            if (alive) add_played(out, status, job);
            if (alive) add_progress(out, status, job);
            buf_byte(out, '\n');
        } else if (job->state == JOB_DEAD) {
            add_label(out, "failed");
            buf_printf(out, "%-22s %" PRIu32 "-%" PRIu32 ": ", plan->roles[job->role].name,
                       job->id, job->attempt);
            safe_text(out, problem_core(&job->result), true, TEXT_SHOWN_MAX);
            buf_byte(out, '\n');
        }
    }
}

enum { LOOP_COLUMNS = 9, CELL_SHOWN_MAX = 40, PATH_SHOWN_MAX = 4096 };

static const struct table_column loop_columns[LOOP_COLUMNS + 1] = {
    { .title = "loop", .spare = 6 }, { .title = "group", .spare = 5 }, { .title = "task" },
    { .title = "state" }, { .title = "iteration", .spare = 4 }, { .title = "review" },
    { .title = "revisions", .right = true, .spare = 3 }, { .title = "last review", .spare = 1 },
    { .title = "work tree", .spare = 2 }, { .title = NULL },
};

static void loop_cells(const struct lane_status *loop, struct arena *arena, const char **cells)
{
    cells[0] = loop->id;
    cells[1] = loop->group;
    cells[2] = loop->task;
    cells[3] = loop->status;
    cells[4] = arena_printf(arena, "%" PRIu32, loop->iteration);
    if (loop->worktree) { /* not merged: more iterations may follow */
        cells[4] = arena_printf(arena, "%s of %" PRIu32, cells[4], loop->iteration_max);
    }
    cells[5] = loop->review_status;
    cells[6] = arena_printf(arena, "%" PRIu32, loop->revisions);
    cells[7] = loop->last_review_id;
    cells[8] = loop->worktree;
    for (uint32_t i = 0; i < LOOP_COLUMNS; i++) {
        cells[i] = safe_copy(arena, str_of(cells[i] && *cells[i] ? cells[i] : "-"),
                             i + 1 < LOOP_COLUMNS ? CELL_SHOWN_MAX : PATH_SHOWN_MAX);
    }
}

/* "says       a: no key for the shop": what the builder of a loop that is stuck said. */
static void add_loop_stuck(struct buf *out, const struct status *status,
                           const struct lane_status *loop)
{
    const struct engine *engine = &status->replay->engine;
    const char *number = loop->id ? strrchr(loop->id, '-') : NULL; /* RUN-LANE */
    struct str reason;
    uint64_t lane;

    if (!number || !str_number(str_of(number + 1), &lane) || lane >= engine->lane_count) return;
    reason = stuck_reason(&engine->lanes[lane]);
    if (reason.size == 0) return;
    add_label(out, "says");
    add_safe(out, loop->task ? loop->task : loop->id, CELL_SHOWN_MAX);
    buf_text(out, ": ");
    safe_text(out, reason, true, TEXT_SHOWN_MAX);
    buf_byte(out, '\n');
}

static void add_loops(struct buf *out, const struct status *status, struct arena *arena,
                      uint32_t columns_max)
{
    const struct dialect_lanes *lanes = status->replay->dialect->lanes;
    struct table_column columns[LOOP_COLUMNS + 1];
    const char *(*cells)[TABLE_COLUMNS_MAX];
    struct lanes_status loops;

    status_lanes(status, arena, &loops);
    memcpy(columns, loop_columns, sizeof columns);
    if (lanes) columns[0].title = lanes->one;
    cells = arena_alloc(arena, (loops.count + 1) * sizeof *cells);
    for (uint32_t i = 0; i < loops.count; i++) loop_cells(&loops.items[i], arena, cells[i]);
    if (loops.count > 0) {
        table_put(&(struct table){ .columns = columns, .rows = cells, .count = loops.count },
                  columns_max, out);
    }
    for (uint32_t i = 0; i < loops.count; i++) add_loop_stuck(out, status, &loops.items[i]);
    if (loops.waiting > 0) {
        add_label(out, "waiting");
        buf_printf(out, "%" PRIu32 " task%s of later groups\n", loops.waiting,
                   loops.waiting == 1 ? "" : "s");
    }
}

static void add_spending(struct buf *out, const struct status *status)
{
    const struct engine *engine = &status->replay->engine;
    uint64_t more_ms = status_more_ms(status);

    add_label(out, "spent");
    spending_sum(engine, more_ms, out);
    buf_byte(out, '\n');
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        if (engine->budget.limit.of[i] == 0) continue;
        add_label(out, "budget");
        (void)spending_line(engine, more_ms, (enum budget_part)i, out);
        buf_byte(out, '\n');
    }
}

static void show_text(const struct status *status, uint32_t columns_max)
{
    const struct journal_run *run = &status->look->run;
    const struct engine *engine = &status->replay->engine;
    const char *files = dialect_files(status->replay->dialect, &status->replay->settings.options);
    struct arena arena = { 0 };
    char started[CLOCK_ISO_BYTES], updated[CLOCK_ISO_BYTES];
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    buf_printf(&out, "%-10s %s (%s)\n", "run", run->id, run->dialect);
    add_line(&out, "task", run->task);
    add_line(&out, "state", engine->reason == REASON_NOTED && !status->look->alive
                                ? run_end_of(status->replay)->stands
                                : standing_text(run, status->look->alive));
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];
        if (engine->reason != REASON_CLEAN && i == 0) add_lane(&out, status, lane);
        if (i == 0) add_stuck(&out, lane);
        add_question(&out, status, lane);
        add_agents(&out, status, lane);
        if (i == 0) add_findings(&out, lane);
    }
    add_loops(&out, status, &arena, columns_max);
    add_next(&out, status);
    add_spending(&out, status);
    add_line(&out, "started", clock_iso(run->created_ms, started));
    add_line(&out, "last event", clock_iso(run->updated_ms, updated));
    add_line(&out, "workspace", run->workspace);
    if (files) add_line(&out, "files", files);
    add_line(&out, "attempts", place_run(&status->look->repo, run->id, &arena));
    say_take(&out);
    arena_release(&arena);
}

void status_say(const struct status *status, const struct call *call)
{
    yyjson_mut_doc *doc;

    if (!call->json) {
        show_text(status, table_columns(call));
        return;
    }
    doc = json_new();
    document_run(status, NULL, doc, json_object(doc));
    say_json(doc, true);
}

/* ---- for a scrape ---- */

/* The runs of the repository, collected first: no other query may run during the walk. */
struct tally_runs {
    struct journal_run *items;
    uint32_t count, cap;
};

static bool tally_run(void *context, const struct journal_run *run)
{
    struct tally_runs *runs = context;

    runs->items = mem_grow(runs->items, runs->count, &runs->cap, sizeof *runs->items);
    runs->items[runs->count++] = *run;
    return true;
}

/* status NULL: there is no run that could be looked at. */
static int say_metrics(struct look *look, const struct status *status, struct err *err)
{
    struct metrics metrics = { .version = HONE_VERSION, .workspace = look->repo.workspace,
                               .status = status };
    struct tally_runs runs = { 0 };
    struct metrics_run *rows;
    struct buf out;
    int rc = 0;

    if (look->journal) rc = journal_runs(look->journal, &look->arena, tally_run, &runs, err);
    rows = arena_alloc(&look->arena, (runs.count + (size_t)1) * sizeof *rows);
    for (uint32_t i = 0; rc == 0 && i < runs.count; i++) {
        struct journal_run *run = &runs.items[i];
        bool alive = false;

        rc = look_alive(look, run, &alive, err);
        rows[i] = (struct metrics_run){ run->dialect,
                                        run_state_word(standing_of(run, alive), run->reason) };
    }
    metrics.runs = rows;
    metrics.run_count = runs.count;
    if (rc == 0) {
        buf_init(&out, SAY_BYTES_MAX);
        metrics_write(&metrics, &out);
        say_take(&out);
    }
    free(runs.items);
    return rc;
}

enum status_format { STATUS_TEXT, STATUS_JSON, STATUS_PROMETHEUS };

static int read_format(const struct call *call, enum status_format *out, struct err *err)
{
    static const char *const names[] = { "text", "json", "prometheus", NULL };
    const char *name = call_value(call, "format");
    struct suggest suggest;

    *out = call->json ? STATUS_JSON : STATUS_TEXT;
    if (!name) return 0;
    if (call->json && strcmp(name, "json") != 0) {
        return err_set(err, ERR_USAGE, "--json and --format %.60s are two formats; choose one",
                       name);
    }
    suggest_init(&suggest, str_of(name));
    for (uint32_t i = 0; names[i]; i++) {
        *out = (enum status_format)i;
        if (strcmp(name, names[i]) == 0) return 0;
        suggest_offer(&suggest, names[i]);
    }
    return suggest_refuse(&suggest, "format", "there are", err);
}

/* A repository that has had no run yet is no failure to a scrape. */
static int show_none(struct call *call, struct look *look, enum status_format format, int rc,
                     struct err *err)
{
    bool none = rc == ERR_MISSING && format == STATUS_PROMETHEUS && !call_argument(call, 0);

    if (!none || !look->repo.workspace) return say_err(err);
    return say_metrics(look, NULL, err) == 0 ? CODE_DONE : say_err(err);
}

static int handle(struct call *call)
{
    struct run replay = { 0 };
    struct history history = { 0 };
    enum status_format format;
    struct look look = { 0 };
    struct err err;
    int rc, code = CODE_DONE;

    if (read_format(call, &format, &err) != 0) return say_err(&err);
    if (format == STATUS_JSON) history_keep(&history);
    rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = look_run(&look, call_argument(call, 0), &err);
    if (rc == 0) rc = run_load(&replay, &look.run, &err);
    if (rc == 0) rc = run_replay(&replay, look.journal, history_visit, &history, &err);
    if (rc != 0) {
        code = show_none(call, &look, format, rc, &err);
    } else {
        struct status status = { &look, &replay, &history, now_wall_ms() };

        call->json = format == STATUS_JSON;
        if (format != STATUS_PROMETHEUS) status_say(&status, call);
        else if (say_metrics(&look, &status, &err) != 0) code = say_err(&err);
    }
    run_release(&replay);
    history_release(&history);
    look_close(&look);
    return code;
}

const struct verb verb_status = {
    .name = "status",
    .summary = "show where a run stands",
    .text = {
        "Shows a run's state, phase and round, who runs and since when, who waits for its service "
        "and until when, what a run that waits asks and what may be answered, the command that "
        "goes on with it, the findings of its last round that was completed, what it has used and "
        "what of its budget is reserved for agents that run, and left; and where its files are: "
        "those the dialect writes into the workspace, and a folder for each attempt. Of a run with "
        "loops, each loop with its group, its task and its state, how often it was built, reviewed "
        "and revised, and its work tree.",
        "For Prometheus it writes the same as metrics: of the run that is looked at, and how many "
        "runs of the repository stand how. A scrape of a repository without a run is no failure. "
        "To a folder of the node exporter: hone status --format prometheus >FILE.tmp && mv "
        "FILE.tmp FILE.prom",
    },
    .arguments = { ARGUMENT_RUN },
    .options = {
        { .name = "format", .argument = "FORMAT", .help = "text, json or prometheus" },
    },
    .codes = {
        { CODE_DONE, "the run was shown, in any state" },
        { CODE_USAGE, "there is no such run" },
    },
    .examples = { "hone status", "hone status 7k2m --json",
                  "hone status --format prometheus" },
    .handle = handle,
};
