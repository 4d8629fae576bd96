/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_identity.c - what it takes to recognise findings that are told in other words: 200 known
 * ones against a review of 50 in one file; a round of five reviewers with 100 findings each, known
 * and new, as the ledger matches and judges it while they end one after the other; and runs of
 * 1,000 and 10,000 findings, of which a finding must not cost more because there are others. No two
 * reports have the same words. */
#include "bench.h"

#include "core/identity.h"
#include "core/engine.h"

#include <stdio.h>
#include <stdlib.h>

enum { KNOWN = 200, REPORTED = 50, WORDS = 24, TEXT_BYTES = 400, TRIES = 20 };
enum { REVIEW = 100, REVIEWERS = 5, FILES_AT_ONCE = 10 };

/* Two of these make a word: about 1,000 different ones. */
static const char *const parts[] = {
    "buf", "lock", "read", "open", "hand", "conn", "pool", "ring", "head", "tail", "null", "size",
    "leak", "race", "free", "copy", "path", "name", "slot", "page", "time", "user", "host", "port",
    "byte", "word", "text", "file", "call", "loop", "node", "list",
};

/* The text of fault `fault` in its wording `round`: two thirds of the words stay. */
static void write_text(char *out, uint32_t fault, uint32_t round)
{
    size_t at = 0;

    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t seed = fault * 7919 + i * 104729 + (i % 3 == 0 ? round * 31 : 0);

        seed = (seed ^ seed >> 13) * UINT32_C(2654435761);
        at += (size_t)snprintf(out + at, TEXT_BYTES - at, "%s%s ", parts[seed >> 27],
                               parts[seed >> 20 & 31]);
    }
}

static void make(struct finding *out, uint32_t fault, uint32_t round, uint32_t file)
{
    char *text = malloc(TEXT_BYTES), *path = malloc(32);

    write_text(text, fault, round);
    snprintf(path, 32, "src/part/file%u.c", file);
    *out = (struct finding){ .file = str_of(path), .text = str_of(text),
                             .line = 1 + fault * 13 % 3000 };
    out->fingerprint = finding_fingerprint(out);
}

static void drop(struct finding *finding)
{
    free((char *)(uintptr_t)finding->text.data);
    free((char *)(uintptr_t)finding->file.data);
}

static double match_ms(void)
{
    struct finding list[KNOWN + REPORTED];
    const struct finding *items[KNOWN + REPORTED];
    uint32_t out[REPORTED], right = 0;
    double best = 1e9;

    for (uint32_t i = 0; i < KNOWN + REPORTED; i++) {
        make(&list[i], i < KNOWN ? i : 3 * (i - KNOWN), i < KNOWN ? 1 : 2, 0);
        items[i] = &list[i];
    }
    for (int i = 0; i < TRIES; i++) {
        uint64_t start = now_ns();
        double took;

        identity_match(&(struct identity_sides){
            .known = items, .reported = items + KNOWN, .known_count = KNOWN,
            .reported_count = REPORTED }, out);
        took = (double)(now_ns() - start) / 1e6;
        if (took < best) best = took;
    }
    for (uint32_t i = 0; i < REPORTED; i++) right += out[i] == 3 * i;
    if (right != REPORTED) {
        fprintf(stderr, "bench_identity: %u of %d were recognised\n", right, REPORTED);
        exit(1);
    }
    for (uint32_t i = 0; i < KNOWN + REPORTED; i++) drop(&list[i]);
    return best;
}

/* A round of so many reviewers with REVIEW findings each; they end one after the other. */
static void tell_round(struct ledger *ledger, uint32_t round, const struct finding *list,
                       uint32_t reviewers, struct ledger_rule rule)
{
    struct job jobs[REVIEWERS];
    struct batch batch = { .jobs = jobs, .count = reviewers, .iteration = 1, .round = round };

    for (uint32_t i = 0; i < reviewers; i++) {
        jobs[i] = (struct job){ .id = round * REVIEWERS + i, .role = (uint16_t)(1 + i),
                                .purpose = FOR_REVIEW, .state = JOB_RUNNING, .attempt = 1 };
    }
    for (uint32_t i = 0; i < reviewers; i++) {
        jobs[i].state = JOB_DONE;
        jobs[i].result = (struct result){ .verdict = VERDICT_FINDINGS,
                                          .findings = list + (size_t)i * REVIEW,
                                          .finding_count = REVIEW };
        ledger_review(ledger, 0, &batch, rule);
    }
}

static uint32_t count_of(const struct ledger *ledger)
{
    const struct ledger_entry *entries;

    return ledger_of_lane(ledger, 0, &entries);
}

static void want(const struct ledger *ledger, uint32_t wanted)
{
    if (count_of(ledger) == wanted) return;
    fprintf(stderr, "bench_identity: %u entries, not %u\n", count_of(ledger), wanted);
    exit(1);
}

/* The second round: half of it is known, in other words; the rest is new. */
static double round_ms(void)
{
    static const struct ledger_rule rule = { .policy = true, .tries_max = 3 };
    enum { ALL = REVIEWERS * REVIEW };
    struct finding *list = calloc(2 * (size_t)ALL, sizeof *list);
    double best = 1e9;

    for (uint32_t i = 0; i < 2 * ALL; i++) {
        uint32_t fault = i < ALL ? i : i - ALL / 2;

        make(&list[i], fault, i / ALL, fault / FILES_AT_ONCE);
    }
    for (int i = 0; i < TRIES; i++) {
        struct ledger ledger = { 0 };
        uint64_t start;
        double took;

        tell_round(&ledger, 1, list, REVIEWERS, rule);
        want(&ledger, ALL);
        start = now_ns();
        tell_round(&ledger, 2, list + ALL, REVIEWERS, rule);
        took = (double)(now_ns() - start) / 1e6;
        want(&ledger, ALL + ALL / 2);
        ledger_release(&ledger);
        if (took < best) best = took;
    }
    for (uint32_t i = 0; i < 2 * ALL; i++) drop(&list[i]);
    free(list);
    return best;
}

/* Microseconds for each finding of a run. Half of a review was reported in the one before. */
static double run_us(uint32_t findings, int tries)
{
    uint32_t rounds = findings / (REVIEW / 2);
    struct finding *list = calloc(rounds, REVIEW * sizeof *list);
    double best = 1e9;

    for (uint32_t i = 0; i < rounds * REVIEW; i++) {
        uint32_t round = i / REVIEW, fault = round * (REVIEW / 2) + i % REVIEW;

        make(&list[i], fault, round, fault / FILES_AT_ONCE);
    }
    for (int i = 0; i < tries; i++) {
        struct ledger ledger = { 0 };
        uint64_t start = now_ns();
        double took;

        for (uint32_t k = 0; k < rounds; k++) {
            tell_round(&ledger, k + 1, list + (size_t)k * REVIEW, 1,
                       (struct ledger_rule){ .policy = false });
        }
        took = (double)(now_ns() - start) / 1e3 / findings;
        want(&ledger, findings + REVIEW / 2);
        ledger_release(&ledger);
        if (took < best) best = took;
    }
    for (uint32_t i = 0; i < rounds * REVIEW; i++) drop(&list[i]);
    free(list);
    return best;
}

int main(void)
{
    double thousand = run_us(1000, TRIES);

    bench_less("200 known findings against 50 reworded ones of a file", match_ms(), 1, "ms");
    bench_less("a round of 500 findings, matched and judged", round_ms(), 1, "ms");
    bench_less("the ledger, for a finding of 1,000 of a run", thousand, 50, "us");
    bench_less("  a finding of 10,000 against that", run_us(10000, 3) / thousand, 3, "times");
    return 0;
}
