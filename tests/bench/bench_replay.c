/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_replay.c - what it takes to be back where a long run was left: a journal of 10,000 events,
 * most of them reviews with five findings and a document of 2 KB, opened and replayed. */
#include "bench.h"

#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 10000, FINDINGS = 5, DOC_BYTES = 2000, TRIES = 5 };

static const struct journal_run row = {
    .id = "bench", .dialect = "bench", .task = "none", .workspace = "/nowhere", .settings = "{}",
    .created_ms = 1, .updated_ms = 1,
};

static void die(const struct err *err)
{
    fprintf(stderr, "bench_replay: %s\n", err->text);
    exit(1);
}

/* A reviewer's end, for the engine's own next job. */
static struct event review_of(uint32_t job)
{
    static struct finding findings[FINDINGS];
    static char doc[DOC_BYTES];

    memset(doc, 'x', sizeof doc);
    for (int i = 0; i < FINDINGS; i++) {
        findings[i] = (struct finding){ .severity = SEVERITY_MEDIUM, .source = STR("critic"),
                                        .file = STR("src/some/file.c"), .line = 7,
                                        .text = STR("a sentence that says what is wrong here") };
        findings[i].fingerprint = finding_fingerprint(&findings[i]);
    }
    return (struct event){ .kind = EV_ENDED, .now_ms = 10 + job, .job = job, .attempt = 1,
                           .result = { .verdict = VERDICT_FINDINGS, .findings = findings,
                                       .finding_count = FINDINGS,
                                       .doc = { doc, sizeof doc } } };
}

static void fill(const char *path)
{
    struct event start = { .kind = EV_START, .now_ms = 1 };
    struct journal *journal;
    struct err err;
    int rc = journal_open(&journal, path, &err);

    if (rc == 0) rc = journal_begin(journal, &err);
    if (rc == 0) rc = journal_put_run(journal, &row, &err);
    if (rc == 0) rc = journal_put_event(journal, row.id, &start, &err);
    for (uint32_t job = 1; job < EVENTS && rc == 0; job++) {
        struct event event = review_of(job);
        rc = journal_put_event(journal, row.id, &event, &err);
    }
    if (rc == 0) rc = journal_commit(journal, &err);
    if (rc != 0) die(&err);
    journal_close(journal);
}

static double replay_s(const char *path)
{
    uint64_t start = now_ns();
    struct journal *journal;
    struct run replay = { 0 };
    struct err err;
    int rc = journal_open(&journal, path, &err);

    if (rc == 0) rc = run_load(&replay, &row, &err);
    if (rc == 0) rc = run_replay(&replay, journal, NULL, NULL, &err);
    if (rc != 0) die(&err);
    if (replay.event_count != EVENTS || replay.engine.round_count < 2) {
        fprintf(stderr, "bench_replay: the engine did not follow\n");
        exit(1);
    }
    journal_close(journal);
    start = now_ns() - start;
    run_release(&replay);
    return (double)start / 1e9;
}

int main(void)
{
    double best = 1e9;

    bench_reviewers = 4;
    bench_rounds = EVENTS / 4;
    bench_repo(1);
    fill("journal.db");
    for (int i = 0; i < TRIES; i++) {
        double took = replay_s("journal.db");
        if (took < best) best = took;
    }
    bench_clean();
    bench_less("a run of 10,000 events, opened and replayed", best, 0.2, "seconds");
    return 0;
}
