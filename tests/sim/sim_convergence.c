/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_convergence.c - what the policies cost and leave, measured on changes by the thousand.
 *
 *   sim_convergence         the base population alone; part of `make test`
 *   sim_convergence all     all tables of docs/convergence.md: `make sim-convergence`
 *
 * Each change of a population (change.h) is walked by the engine itself under each policy
 * (convergence.h), and by the plain loop: all reviewers again after each repair, at most four
 * repairs. Change number i is the same for all of them, and up to their first difference so is what
 * happens to it: what is compared are pairs.
 *
 * Held, of the base population and of each that differs from it in one figure: the policy `settled`
 * makes at most CALLS_MAX of the plain loop's calls, and leaves no more critical faults and no more
 * weight than that. A population is drawn from until that is clear, or CHANGES_MAX times; it fails
 * where the 95 % interval is clear of it on the wrong side. Populations that differ in several
 * figures are shown and not held; the last of them was built against the policy.
 *
 * Weight: 5 for a critical fault, 2 for a medium, 1 for a low one. */
#include "convergence.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_CHANGES = 4000, JUDGED_CHANGES = 1500, SHOWN_CHANGES = 2000 };
enum { CHANGES_MIN = 1000, CHANGES_MAX = 6000, CHANGES_STEP = 500 };
enum { TEST_CHANGES = 2000, TEST_CHANGES_SHORT = 200, MORE_ROUNDS = 3, FIGURES_MAX = 4 };
static const double CALLS_MAX = .55, SURE = 1.96, VERY_SURE = 3;

/* ---- populations ---- */

struct figure {
    size_t member; /* of struct odds */
    double value;
};

struct population {
    const char *name;
    struct figure figures[FIGURES_MAX]; /* that differ from odds_base */
    uint32_t figure_count;
    double calls_max; /* where it is another than CALLS_MAX */
};

#define IS(member, value) { offsetof(struct odds, member), value }
#define ONE(member, value) { .name = #member " " #value, .figures = { IS(member, value) }, \
                             .figure_count = 1 }

static const struct population held[] = {
    { .name = "base" },
    ONE(faults, 2), ONE(faults, 12), ONE(faults, 20),
    { .name = "grave .15", .figures = { IS(grave, .15), IS(medium, .35) }, .figure_count = 2 },
    { .name = "grave .5", .figures = { IS(grave, .5), IS(medium, .3) }, .figure_count = 2 },
    ONE(seen_in, .35), ONE(seen_in, .75), ONE(seen_general, .25), ONE(seen_general, .6),
    ONE(seen_out, .05), ONE(seen_out, .25), ONE(blind, 2), ONE(blind, 3), ONE(blind, 6),
    ONE(shared, .4), ONE(shared, .7), ONE(by_eye, 0), ONE(by_eye, 1),
    { .name = "made_up .2", .figures = { IS(made_up, .2), IS(made_up_general, .3) },
      .figure_count = 2, .calls_max = .6 }, /* the plain loop ends early, too */
    { .name = "made_up .7", .figures = { IS(made_up, .7), IS(made_up_general, 1) },
      .figure_count = 2 },
    { .name = "made_up 2.5", .figures = { IS(made_up, 2.5), IS(made_up_general, 3.6) },
      .figure_count = 2 },
    ONE(again, .4), ONE(again, 1), ONE(again_min, .15), ONE(again_min, .63),
    ONE(false_grave, .03), ONE(false_grave, .25), ONE(false_near, .1), ONE(false_near, .5),
    ONE(insist_told, .1), ONE(insist_told, .7), ONE(echo, 0), ONE(echo, .15),
    { .name = "breaks .04", .figures = { IS(breaks, .04), IS(breaks_false, .04) },
      .figure_count = 2 },
    { .name = "breaks .25", .figures = { IS(breaks, .25), IS(breaks_false, .25) },
      .figure_count = 2 },
    ONE(breaks_false, 0), ONE(breaks_false, .25), ONE(broken_grave, .1), ONE(broken_grave, .36),
    ONE(fixed, .7), ONE(fixed, .95), ONE(mutates, .3), ONE(mutates, 1), ONE(hard, 0), ONE(hard, 1),
    ONE(declines_false, .1), ONE(declines_false, .6), ONE(declines_true, 0),
    ONE(declines_true, .1), ONE(fresh_recheck, .4), ONE(fresh_recheck, 2), ONE(twice, 0),
    ONE(twice, .3), ONE(word_kept, .4), ONE(word_kept, .8), ONE(word_common, 2),
    ONE(word_common, 12),
};

static const struct population shown[] = {
    { .name = "precise and strong", .figure_count = 4,
      .figures = { IS(made_up, .2), IS(made_up_general, .3), IS(seen_in, .7),
                   IS(seen_general, .7) } },
    { .name = "large, weak generalist", .figure_count = 3,
      .figures = { IS(faults, 15), IS(seen_in, .6), IS(seen_general, .3) } },
    { .name = "strong panel, weak generalist", .figure_count = 2,
      .figures = { IS(seen_in, .75), IS(seen_general, .3) } },
    { .name = "weak blind spots, precise", .figure_count = 3,
      .figures = { IS(blind, 2), IS(made_up, .4), IS(made_up_general, .57) } },
};

static struct odds population_odds(const struct population *population)
{
    struct odds odds = odds_base;

    for (uint32_t i = 0; i < population->figure_count; i++) {
        memcpy((char *)&odds + population->figures[i].member, &population->figures[i].value,
               sizeof(double));
    }
    return odds;
}

/* ---- what is counted ---- */

enum { CALLS, CRITICAL, ALL, WEIGHT, ADDED, FALSE_EDITS, ROUNDS, COLUMNS };

static void columns_of(const struct outcome *outcome, double out[COLUMNS])
{
    out[CALLS] = outcome->calls;
    out[CRITICAL] = outcome->left.by_severity[SEVERITY_HIGH];
    out[ALL] = outcome->left.all;
    out[WEIGHT] = outcome->left.weight;
    out[ADDED] = outcome->left.added;
    out[FALSE_EDITS] = outcome->false_edits;
    out[ROUNDS] = outcome->rounds;
}

struct sums {
    double n, x, y, xx, xy, yy;
};

static void sums_add(struct sums *sums, double x, double y)
{
    sums->n++;
    sums->x += x;
    sums->y += y;
    sums->xx += x * x;
    sums->xy += x * y;
    sums->yy += y * y;
}

static double mean_of(const struct sums *sums)
{
    return sums->n > 0 ? sums->y / sums->n : 0;
}

/* The standard error of the mean of y. */
static double error_of(const struct sums *sums)
{
    double mean = mean_of(sums);

    return sums->n > 0 ? sqrt(fmax(0, sums->yy / sums->n - mean * mean) / sums->n) : 0;
}

/* y as a part of x: pairs, so the error is that of y - ratio * x. */
static double ratio_of(const struct sums *sums, double *error)
{
    double ratio = sums->x > 0 ? sums->y / sums->x : 0;
    double square = sums->yy - 2 * ratio * sums->xy + ratio * ratio * sums->xx;

    *error = sums->x > 0 ? sqrt(fmax(0, square)) / sums->x : 0;
    return ratio;
}

/* ---- one course over one population ---- */

struct tried {
    struct course course;
    struct sums sums[COLUMNS]; /* x: the plain loop's, y: its own */
    uint32_t ends[REASON_COUNT], judged[REASON_COUNT], right[REASON_COUNT];
    struct identity_tally tally;
};

static uint32_t failures;

static void fail(const char *population, const char *course, const char *why)
{
    printf("FAILED: %s, %s: %s\n", population, course, why);
    failures++;
}

static void tried_add(struct tried *tried, const struct outcome *outcome,
                      const double plain[COLUMNS], const char *population)
{
    double own[COLUMNS];

    columns_of(outcome, own);
    for (uint32_t i = 0; i < COLUMNS; i++) sums_add(&tried->sums[i], plain[i], own[i]);
    tried->ends[outcome->reason]++;
    if (outcome->broken) fail(population, tried->course.name, outcome->broken);
}

/* Whether the end was right. Converged: nothing critical is left. Settled: something is. Stuck: a
 * fault is there that a person must decide about. All others: so many rounds more would gain less
 * than the weight of one low fault. */
static bool end_is_right(const struct outcome *outcome, const struct course *more,
                         struct change *change, uint64_t seed)
{
    bool critical = outcome->left.by_severity[SEVERITY_HIGH] > 0;

    if (outcome->reason == REASON_CLEAN || outcome->reason == REASON_CONVERGED) return !critical;
    if (outcome->reason == REASON_SETTLED) return critical;
    if (outcome->reason == REASON_STUCK) return outcome->parked_true > 0;
    return outcome->left.weight - course_run(more, change, seed, NULL).left.weight < 1;
}

/* ---- the base population ---- */

static const struct {
    const char *name, *policy;
    uint32_t eyes;
} rows[] = {
    { "plain", NULL, 1 },
    { "lean", "lean", 2 },
    { "settled", "settled", 2 },
    { "thorough", "thorough", 2 },
    { "settled, one backend", "settled", 1 },
    { "thorough, three backends", "thorough", 3 },
    { "clean", "clean", 2 },
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Each change under one course; its ends are judged. */
static void try_course(struct tried *tried, uint32_t row, struct change *change,
                       double (*plain)[COLUMNS])
{
    struct course more;

    course_init(&tried->course, rows[row].policy, rows[row].eyes, 0);
    course_init(&more, rows[row].policy, rows[row].eyes, MORE_ROUNDS);
    for (uint32_t i = 0; i < TABLE_CHANGES; i++) {
        struct outcome outcome = course_run(&tried->course, change, i + 1,
                                            row == 0 ? NULL : &tried->tally);

        if (row == 0) columns_of(&outcome, plain[i]);
        tried_add(tried, &outcome, plain[i], "base");
        if (i >= JUDGED_CHANGES) continue;
        tried->judged[outcome.reason]++;
        tried->right[outcome.reason] += end_is_right(&outcome, &more, change, i + 1);
    }
    course_release(&tried->course);
    course_release(&more);
}

static void print_columns(const struct tried *tried)
{
    static const int places[COLUMNS] = { [CALLS] = 2, [CRITICAL] = 3, [ALL] = 2, [WEIGHT] = 2,
                                         [ADDED] = 2, [FALSE_EDITS] = 1, [ROUNDS] = 1 };

    printf("\n| policy | calls | critical | all | weighted | added by repairs, left | false "
           "findings edited | rounds |\n|---|---|---|---|---|---|---|---|\n");
    for (uint32_t row = 0; row < ROWS; row++) {
        printf("| %s |", rows[row].name);
        for (uint32_t i = 0; i < COLUMNS; i++) {
            printf(" %.*f +-%.*f |", places[i], mean_of(&tried[row].sums[i]), places[i],
                   SURE * error_of(&tried[row].sums[i]));
        }
        printf("\n");
    }
    printf("\n| policy | calls | critical | all | weighted |\n|---|---|---|---|---|\n");
    for (uint32_t row = 1; row < ROWS; row++) {
        printf("| %s |", rows[row].name);
        for (uint32_t i = 0; i <= WEIGHT; i++) {
            double error, ratio = ratio_of(&tried[row].sums[i], &error);

            printf(" %+.1f %% [%+.1f, %+.1f] |", 100 * (ratio - 1),
                   100 * (ratio - 1 - SURE * error), 100 * (ratio - 1 + SURE * error));
        }
        printf("\n");
    }
}

static double part(uint64_t some, uint64_t all)
{
    return all ? (double)some / (double)all : 0;
}

static void print_ends(const struct tried *tried)
{
    printf("\n| policy | end | share | right |\n|---|---|---|---|\n");
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t i = 0; i < REASON_COUNT; i++) {
            double count = tried[row].ends[i];

            if (count == 0) continue;
            printf("| %s | %s | %.1f %% | %.0f %% |\n", rows[row].name,
                   reason_word((enum reason)i), 100 * count / TABLE_CHANGES,
                   100 * part(tried[row].right[i], tried[row].judged[i]));
        }
    }
}

static void print_identity(const struct tried *tried)
{
    printf("\n| policy | told again: known | told first: taken for another | told by two: joined "
           "|\n|---|---|---|---|\n");
    for (uint32_t row = 1; row < ROWS; row++) {
        const struct identity_tally *tally = &tried[row].tally;

        printf("| %s | %.2f | %.3f | %.2f |\n", rows[row].name, part(tally->known, tally->again),
               part(tally->mistaken, tally->fresh), part(tally->joined, tally->together));
    }
}

/* What the reviewers of the base population do, beside what is published of real ones. */
static void print_reviewers(struct change *change)
{
    static const struct reviewer same[] = { { GENERALIST, 0 }, { GENERALIST, 0 },
                                            { GENERALIST, 1 } };
    static const struct reviewer panel[] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 } };
    struct { uint64_t all, seen, missed, again, other, true_ones, told, alone; } sum = { 0 };

    for (uint32_t i = 0; i < TABLE_CHANGES; i++) {
        change_init(change, i + 1);
        change_review(change, same, 3, false);
        for (uint32_t k = 0; k < change->count; k++) {
            uint32_t told = change->faults[k].told;

            if (change->faults[k].is_false) continue;
            sum.all++;
            sum.seen += told & 1;
            sum.missed += !(told & 1);
            sum.again += !(told & 1) && told & 2;
            sum.other += !(told & 1) && told & 4;
        }
        change_init(change, i + 1);
        change_review(change, panel, PANEL, false);
        for (uint32_t k = 0; k < change->count; k++) {
            uint32_t told = change->faults[k].told;

            sum.told += told != 0;
            if (change->faults[k].is_false || !told) continue;
            sum.true_ones++;
            sum.alone += (told & (told - 1)) == 0;
        }
    }
    printf("reviewers: one sees %.2f (published .42); missed, then seen by the same %.3f (.12 to "
           ".16), by another backend %.3f (.29);\nprecision of the panel's first review %.2f (.24 "
           "to .47); true findings told by one of it alone %.2f (.57)\n", part(sum.seen, sum.all),
           part(sum.again, sum.missed), part(sum.other, sum.missed), part(sum.true_ones, sum.told),
           part(sum.alone, sum.true_ones));
}

static void run_base(void)
{
    static struct tried tried[ROWS];
    static double plain[TABLE_CHANGES][COLUMNS];
    struct change change;

    change_levels(&change, &odds_base);
    print_reviewers(&change);
    for (uint32_t row = 0; row < ROWS; row++) try_course(&tried[row], row, &change, plain);
    print_columns(tried);
    print_ends(tried);
    print_identity(tried);
    change_release(&change);
}

/* ---- all populations ---- */

enum { PLAIN, SETTLED, LEAN, COMPARED };

static void compare(struct tried tried[COMPARED], struct change *change, uint32_t from,
                    uint32_t to, const char *name)
{
    for (uint32_t i = from; i < to; i++) {
        double plain[COLUMNS];

        for (uint32_t k = 0; k < COMPARED; k++) {
            struct outcome outcome;

            if (!tried[k].course.name) continue;
            outcome = course_run(&tried[k].course, change, i + 1, NULL);
            if (k == PLAIN) columns_of(&outcome, plain);
            tried_add(&tried[k], &outcome, plain, name);
        }
    }
}

/* Whether calls, critical faults and weight are all below what they may be, so clearly. */
static bool is_below(const struct tried *tried, double calls_max, double errors)
{
    double error, ratio = ratio_of(&tried->sums[CALLS], &error);
    bool below = ratio + errors * error <= calls_max;

    ratio = ratio_of(&tried->sums[CRITICAL], &error);
    below = below && ratio + errors * error < 1;
    ratio = ratio_of(&tried->sums[WEIGHT], &error);
    return below && ratio + errors * error < 1;
}

static void hold(const struct tried *tried, const char *name, double calls_max)
{
    double error, ratio = ratio_of(&tried->sums[CALLS], &error);

    if (ratio - SURE * error > calls_max) fail(name, "settled", "more calls than it may make");
    ratio = ratio_of(&tried->sums[CRITICAL], &error);
    if (ratio - SURE * error > 1) fail(name, "settled", "more critical faults than plain leaves");
    ratio = ratio_of(&tried->sums[WEIGHT], &error);
    if (ratio - SURE * error > 1) fail(name, "settled", "more weight than plain leaves");
}

static void print_ratios(const struct tried *tried)
{
    double error, ratio = ratio_of(&tried->sums[CALLS], &error);

    printf(" %.2f |", ratio);
    for (uint32_t i = CRITICAL; i <= WEIGHT; i++) {
        if (i == ALL) continue;
        ratio = ratio_of(&tried->sums[i], &error);
        printf(" %+.1f [%+.1f, %+.1f] |", 100 * (ratio - 1), 100 * (ratio - 1 - SURE * error),
               100 * (ratio - 1 + SURE * error));
    }
}

static void run_population(const struct population *population, bool is_held)
{
    struct odds odds = population_odds(population);
    struct tried tried[COMPARED] = { [PLAIN] = { .course = { .name = NULL } } };
    double calls_max = population->calls_max > 0 ? population->calls_max : CALLS_MAX;
    uint32_t most = is_held ? CHANGES_MAX : SHOWN_CHANGES;
    struct change change;
    uint32_t count = 0;

    change_levels(&change, &odds);
    course_init(&tried[PLAIN].course, NULL, 1, 0);
    course_init(&tried[SETTLED].course, "settled", 2, 0);
    course_init(&tried[LEAN].course, "lean", 2, 0);
    while (count < CHANGES_MIN ||
           (count < most && !is_below(&tried[SETTLED], calls_max, VERY_SURE))) {
        compare(tried, &change, count, count + CHANGES_STEP, population->name);
        count += CHANGES_STEP;
    }
    printf("| %s | %" PRIu32 " |", population->name, count);
    print_ratios(&tried[SETTLED]);
    print_ratios(&tried[LEAN]);
    printf("\n");
    fflush(stdout);
    if (is_held) hold(&tried[SETTLED], population->name, calls_max);
    for (uint32_t i = 0; i < COMPARED; i++) course_release(&tried[i].course);
    change_release(&change);
}

static void run_populations(void)
{
    printf("\n| population | changes | settled: calls | critical %% | weighted %% | lean: calls | "
           "critical %% | weighted %% |\n|---|---|---|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < sizeof held / sizeof *held; i++) run_population(&held[i], true);
    printf("| shown, not held: | | | | | | | |\n");
    for (uint32_t i = 0; i < sizeof shown / sizeof *shown; i++) run_population(&shown[i], false);
}

/* The base population and the policy that is held alone. */
static void run_test(uint32_t count)
{
    struct tried tried[COMPARED] = { [PLAIN] = { .course = { .name = NULL } } };
    struct change change;
    double error, ratio;

    change_levels(&change, &odds_base);
    course_init(&tried[PLAIN].course, NULL, 1, 0);
    course_init(&tried[SETTLED].course, "settled", 2, 0);
    compare(tried, &change, 0, count, "base");
    hold(&tried[SETTLED], "base", CALLS_MAX);
    if (count >= TEST_CHANGES && !is_below(&tried[SETTLED], CALLS_MAX, SURE)) {
        fail("base", "settled", "not clearly better than plain");
    }
    ratio = ratio_of(&tried[SETTLED].sums[CRITICAL], &error);
    printf("%" PRIu32 " changes: settled makes %.0f %% of the calls, leaves %.0f %% +-%.0f of the "
           "critical faults", count, 100 * ratio_of(&tried[SETTLED].sums[CALLS], &error),
           100 * ratio, 100 * SURE * error);
    ratio = ratio_of(&tried[SETTLED].sums[WEIGHT], &error);
    printf(" and %.0f %% +-%.0f of the weight\n", 100 * ratio, 100 * SURE * error);
    for (uint32_t i = 0; i <= SETTLED; i++) course_release(&tried[i].course);
    change_release(&change);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "all") == 0) {
        run_base();
        run_populations();
        printf("%" PRIu32 " failed\n", failures);
    } else {
        run_test(getenv("HONE_TEST_SHORT") ? TEST_CHANGES_SHORT : TEST_CHANGES);
    }
    return failures > 0;
}
