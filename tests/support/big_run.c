/* SPDX-License-Identifier: Apache-2.0
 *
 * big_run.c - a run of a size that takes days, as a real journal: the project's engine decides what
 * is asked next, and in the place of agents stands a table of those that are at work, each with the
 * time at which it ends. No process is started and no file is read.
 *
 *   big_run SEED ATTEMPTS FINDINGS [open|live]
 *
 * In the repository around the current folder; prints the run's id. Eight lanes of 200 rounds walk
 * at the same time, five reviewers to each round; now and then an attempt breaks its contract,
 * fails, or waits for a rate limit. When so many attempts were asked for, the user stops the run
 * (`open`: it stays as a killed run looks), with about so many findings in its ledger. With `live`
 * each line of the standard input lets one event happen, and a line says when it is on the disk.
 *
 * 1. The same numbers give the same events, down to their times.
 * 2. Every event passes the engine before the next is made: what stands in the journal is what a
 *    live run could have written. */
#include "io/git/repo.h"
#include "run/place.h"
#include "run/run.h"
#include "settings/loop_file.h"
#include "shared/prng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LANES = 8, WORKING_MAX = 256, REPORTED_MAX = 64, FILES = 400, LINES = 2000 };
static const uint64_t began_ms = 1767603600000; /* 5 January 2026, 9 o'clock */

#define ALL_TASKS                                                                                \
    "  - {id: cart, task: Prices in the cart}\n  - {id: till, task: The till counts twice}\n"     \
    "  - {id: stock, task: Stock below zero}\n  - {id: mail, task: Mails go out once}\n"          \
    "  - {id: login, task: Sessions end}\n  - {id: search, task: Search finds umlauts}\n"         \
    "  - {id: import, task: Import of old orders}\n  - {id: report, task: The monthly report}\n"
static const char loop_text[] =
    "about: eight tasks side by side, five reviewers for each\n"
    "tasks:\n" ALL_TASKS
    "roles:\n"
    "  builder: {remit: Do what the task says, retries: {invalid: 9, failed: 9}}\n"
    "  critic: {role: critic, answers: findings, retries: {invalid: 9, failed: 9}}\n"
    "  pedant: {role: pedant, answers: findings, retries: {invalid: 9, failed: 9}}\n"
    "  witness: {role: witness, answers: findings, retries: {invalid: 9, failed: 9}}\n"
    "  keeper: {role: security-reviewer, answers: findings, retries: {invalid: 9, failed: 9}}\n"
    "  checker: {role: checker, answers: findings, retries: {invalid: 9, failed: 9}}\n"
    "  fixer: {remit: Fix every issue, retries: {invalid: 9, failed: 9}}\n"
    "  merger: {merge: big}\n"
    "phases:\n"
    "  - name: build\n"
    "    lanes: {at-once: 8, integrate: merger}\n"
    "    work: builder\n"
    "    gate:\n"
    "      reviewers: [critic, pedant, witness, keeper, checker]\n"
    "      repair: fixer\n"
    "      repairs: 199\n";

/* An attempt that is at work, and when it ends. */
struct working {
    struct action start;
    uint64_t ends_ms;
};

struct big {
    struct prng prng;
    struct run run;
    struct working working[WORKING_MAX];
    uint32_t working_count, started, started_max, found_max;
    bool open; /* nothing ends it */
    bool live; /* each event is a commit of its own, when it is asked for */
    bool stopped;
    uint64_t now_ms;
    struct arena step; /* what lives as long as an event */
    struct actions actions;
    struct err err;
};

static void die(const struct big *big)
{
    fprintf(stderr, "big_run: %s\n", big->err.text);
    exit(1);
}

static const char *pick(struct big *big, const char *const *words, uint32_t count)
{
    return words[prng_below(&big->prng, count)];
}

#define PICK(big, words) pick(big, words, sizeof(words) / sizeof((words)[0]))

/* Two findings near each other are one where their words are alike: so there are many words. */
static struct str text_of(struct big *big)
{
    static const char *const who[] = { "the cursor", "a lock", "this buffer", "the socket",
        "a timer", "the cache", "its index", "the parser", "a callback", "the queue", "one thread",
        "the header",
        "a descriptor", "the sum", "its length", "the table", "a pointer", "the loop", "the mutex",
        "a string", "the path", "its owner", "the request", "a signal", "the port", "one branch" };
    static const char *const what[] = { "leaks when", "is read after", "overflows where",
        "is never closed once", "can be null if", "blocks while", "is freed twice when",
        "wraps around after", "is not checked before", "ignores errors until", "races as soon as",
        "is truncated whenever", "stays locked though", "is signed although", "drops data unless",
        "is compared wrongly because" };
    static const char *const when[] = { "the disk is full", "no user is logged in",
        "dates lie ahead",
        "the reply is empty", "two clients write", "memory runs out", "names hold umlauts",
        "an upload is cut off", "the clock jumps", "a retry succeeds", "numbers are negative",
        "its parent exits", "the list shrinks", "input ends early", "the token expires",
        "rows are sorted", "the cable is pulled", "a test is skipped", "quotes are nested",
        "the queue is paused", "permissions change", "fonts are missing" };

    return str_of(arena_printf(&big->step, "%s %s %s", PICK(big, who), PICK(big, what),
                               PICK(big, when)));
}

static struct finding finding_new(struct big *big, const char *role)
{
    static const char *const kinds[] = { "correctness", "memory", "security", "style", "tests" };
    static const char *const areas[] = { "cart", "till", "stock", "mail", "login", "search",
                                         "import", "report" };
    uint32_t severity = prng_below(&big->prng, 10);
    struct finding finding = {
        .severity = severity < 2 ? SEVERITY_HIGH : severity < 7 ? SEVERITY_MEDIUM : SEVERITY_LOW,
        .source = str_of(role), .kind = str_of(PICK(big, kinds)),
        .file = str_of(arena_printf(&big->step, "src/%s/part%" PRIu32 ".c", PICK(big, areas),
                                    prng_below(&big->prng, FILES))),
        .line = 1 + prng_below(&big->prng, LINES), .text = text_of(big),
        .suggestion = STR("look at every caller and return the error"),
    };

    finding.evidence = str_of(arena_printf(&big->step, "line %" PRIu32, finding.line));
    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

static uint32_t found_so_far(const struct big *big)
{
    const struct ledger_entry *entries;
    uint32_t count = 0;

    for (uint32_t lane = 0; lane < big->run.engine.lane_count; lane++) {
        count += ledger_of_lane(&big->run.engine.ledger, lane, &entries);
    }
    return count;
}

/* What a review found: new ones, as many as are wanted by the attempts that are left, and some of
 * what was found before again: fixed or not. */
static void review(struct big *big, const struct action *start, struct result *out)
{
    const struct ledger_entry *entries;
    uint32_t known = ledger_of_lane(&big->run.engine.ledger, start->lane, &entries);
    uint32_t found_count = found_so_far(big);
    const char *role = big->run.plan.roles[start->role].name;
    struct finding *found = arena_alloc(&big->step, REPORTED_MAX * sizeof *found);
    uint32_t left = big->started_max > big->started ? big->started_max - big->started : 1;
    uint32_t missing = big->found_max > found_count ? big->found_max - found_count : 0;
    uint32_t wanted = (missing * 6 / 5 + left - 1) / left, count = 0;

    wanted = wanted / 2 + prng_below(&big->prng, wanted + 1);
    if (wanted > REPORTED_MAX / 2) wanted = REPORTED_MAX / 2;
    if (wanted == 0) wanted = 1;
    while (count < wanted) found[count++] = finding_new(big, role);
    for (uint32_t again = prng_below(&big->prng, 3); known > 0 && again > 0; again--) {
        found[count] = entries[prng_below(&big->prng, known)].finding;
        found[count++].source = str_of(role);
    }
    out->verdict = VERDICT_FINDINGS;
    out->findings = found;
    out->finding_count = count;
    out->proof = PROOF_READ;
}

static struct event ending(struct big *big, const struct working *working)
{
    const struct action *start = &working->start;
    struct event event = { .kind = EV_ENDED, .now_ms = big->now_ms, .job = start->job,
                           .attempt = start->attempt, .lane = start->lane };
    uint32_t luck = prng_below(&big->prng, 100);

    event.result.by = STR("claude");
    event.result.usage = (struct usage){ .cost_micros = 10000 + prng_below(&big->prng, 90000),
                                         .tokens_in = 4000 + prng_below(&big->prng, 40000),
                                         .tokens_out = 200 + prng_below(&big->prng, 4000) };
    if (luck < 3) {
        event.result.verdict = VERDICT_INVALID;
        event.result.problem = STR("line 1: this is not JSON");
    } else if (luck < 5) {
        event.result.verdict = VERDICT_FAILED;
        event.result.failure = luck == 3 ? FAILURE_RATE : FAILURE_EXIT;
        event.result.problem = luck == 3 ? STR("it asks to wait") : STR("it ended with status 1");
        if (luck == 3) event.result.retry_at_ms = big->now_ms + 900 * 1000;
    } else if (start->purpose == FOR_REVIEW) {
        review(big, start, &event.result);
    } else {
        event.result.doc = STR("done");
    }
    return event;
}

/* The event is on the disk when it returns, where it is live. */
static void put(struct big *big, const struct event *event)
{
    char line[16];
    int rc = 0;

    if (big->live && !fgets(line, sizeof line, stdin)) exit(0);
    if (big->live) rc = journal_begin(big->run.journal, &big->err);
    if (rc == 0) rc = journal_put_event(big->run.journal, big->run.row.id, event, &big->err);
    if (rc == 0 && big->live) rc = journal_commit(big->run.journal, &big->err);
    if (rc != 0) die(big);
    if (big->live) printf("on the disk\n");
    if (big->live) fflush(stdout);
}

static void step(struct big *big, const struct event *event)
{
    put(big, event);
    engine_step(&big->run.engine, event, &big->actions);
    for (uint32_t i = 0; i < big->actions.count; i++) {
        const struct action *action = &big->actions.item[i];
        uint64_t begins_ms = action->not_before_ms;

        if (action->kind != ACT_START) continue;
        if (big->working_count == WORKING_MAX) {
            (void)err_set(&big->err, ERR_LIMIT, "more than %d attempts at once", WORKING_MAX);
            die(big);
        }
        if (begins_ms < big->now_ms) begins_ms = big->now_ms;
        big->working[big->working_count++] = (struct working){
            .start = *action, .ends_ms = begins_ms + 20000 + prng_below(&big->prng, 280000) };
        big->started++;
    }
    arena_release(&big->step);
}

/* The attempt that ends next, taken out. */
static struct working next_end(struct big *big)
{
    uint32_t first = 0;
    struct working working;

    for (uint32_t i = 1; i < big->working_count; i++) {
        if (big->working[i].ends_ms < big->working[first].ends_ms) first = i;
    }
    working = big->working[first];
    big->working[first] = big->working[--big->working_count];
    return working;
}

static void walk(struct big *big)
{
    uint32_t groups[] = { LANES };
    struct event event = { .kind = EV_START, .now_ms = big->now_ms,
                           .result = { .groups = groups, .group_count = 1 } };

    step(big, &event);
    while (big->working_count > 0) {
        struct working working = next_end(big);

        big->now_ms = working.ends_ms;
        event = ending(big, &working);
        if (big->stopped) {
            event.result = (struct result){ .verdict = VERDICT_FAILED, .failure = FAILURE_STOPPED };
        }
        step(big, &event);
        if (big->started < big->started_max || big->stopped) continue;
        if (big->open) return;
        event = (struct event){ .kind = EV_STOP, .now_ms = big->now_ms };
        big->stopped = true;
        for (uint32_t i = 0; i < big->working_count; i++) big->working[i].ends_ms = big->now_ms;
        step(big, &event);
    }
}

static void begin(struct big *big)
{
    static char here[4096];
    struct run *run = &big->run;
    struct config_text files[LOOP_FILES];
    const struct agent_setting agents[] = { { .role = "*", .spec = "claude" } };
    struct run_settings settings = { .options = { .files = files, .file_count = LOOP_FILES },
                                     .agents = agents, .agent_count = 1, .uuid = "big" };
    struct journal_run row = { .id = "big", .dialect = "side-by-side", .created_ms = big->now_ms,
                               .task = "Eight tasks side by side", .updated_ms = big->now_ms };
    struct buf text;
    int rc;

    if (!getcwd(here, sizeof here)) exit(2);
    loop_keep(&(struct loop_source){ .name = row.dialect, .text = str_of(loop_text),
                                     .path = "side-by-side.yaml", .origin = LOOP_OF_USER }, files);
    buf_init(&text, 1 << 20);
    settings_write(&settings, &text);
    row.settings = arena_cstr(&big->step, buf_str(&text));
    buf_release(&text);
    rc = repo_open(&run->repo, here, true, &big->err);
    row.workspace = run->repo.workspace;
    if (rc == 0) rc = run_load(run, &row, &big->err);
    if (rc == 0) rc = file_make_folder(run_folder(run, &big->step), false, &big->err);
    if (rc == 0) {
        rc = journal_open(&run->journal, place_journal(&run->repo, &big->step), &big->err);
    }
    if (rc == 0) rc = journal_begin(run->journal, &big->err);
    if (rc == 0) rc = journal_put_run(run->journal, &row, &big->err);
    if (rc == 0 && big->live) rc = journal_commit(run->journal, &big->err);
    if (rc != 0) die(big);
    printf("%s\n", row.id);
    if (big->live) fflush(stdout);
}

int main(int argc, char **argv)
{
    static struct big big = { .now_ms = 0 };
    int rc = 0;

    if (argc < 4) {
        fprintf(stderr, "big_run SEED ATTEMPTS FINDINGS [open|live]\n");
        return 2;
    }
    big.prng.state = strtoull(argv[1], NULL, 10);
    big.started_max = (uint32_t)strtoul(argv[2], NULL, 10);
    big.found_max = (uint32_t)strtoul(argv[3], NULL, 10);
    big.open = argc > 4 && strcmp(argv[4], "open") == 0;
    big.live = argc > 4 && strcmp(argv[4], "live") == 0;
    big.now_ms = began_ms;
    begin(&big);
    walk(&big);
    if (big.live) return 0;
    if (!big.open) {
        rc = journal_put_reason(big.run.journal, big.run.row.id, big.run.engine.reason, &big.err);
    }
    if (rc == 0) rc = journal_commit(big.run.journal, &big.err);
    if (rc != 0) die(&big);
    fprintf(stderr, "big_run: %" PRIu32 " attempts, %" PRIu32 " rounds, %" PRIu32 " findings, %s\n",
            big.started, big.run.engine.round_count, found_so_far(&big),
            reason_word(big.run.engine.reason));
    actions_release(&big.actions);
    arena_release(&big.step);
    run_release(&big.run);
    return 0;
}
