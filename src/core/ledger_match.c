/* SPDX-License-Identifier: Apache-2.0
 *
 * ledger_match.c - which of the findings that are known a review reports again.
 *
 * Complaints that are equal (one fingerprint) are told apart by what is quoted and by where it is:
 *
 *   1. what has the same evidence is the same, however far it moved;
 *   2. what is on the same line is the same, also in other words;
 *   3. what is left is the same where nothing speaks against it: on one of the two sides there is
 *      no evidence, or no line.
 *
 * What has other evidence on another line is another finding. Where there are several on both
 * sides they are paired in the order of their lines, since an edit moves lines and
 * does not shuffle them; one that is known is passed over when the next is nearer and enough are
 * left for the others.
 *
 * 1. Nothing is paired twice, and only what has the same fingerprint.
 * 2. It costs what sorting both sides costs. */
#include "core/ledger_match.h"

#include <stdlib.h>

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_evidence(const void *a, const void *b)
{
    const struct match_side *x = a, *y = b;
    int rc = order(x->fingerprint, y->fingerprint);

    if (rc == 0) rc = order(x->evidence, y->evidence);
    if (rc == 0) rc = order(x->line, y->line);
    return rc != 0 ? rc : order(x->index, y->index);
}

static int by_line(const void *a, const void *b)
{
    const struct match_side *x = a, *y = b;
    int rc = order(x->fingerprint, y->fingerprint);

    if (rc == 0) rc = order(x->line, y->line);
    return rc != 0 ? rc : order(x->index, y->index);
}

static void pair(struct match_side *known, struct match_side *reported, struct match *out)
{
    known->paired = reported->paired = true;
    out[reported->index].entry = known->index;
}

/* Part of one side: those that nothing tells apart. */
struct block {
    struct match_side *items;
    uint32_t count;
};

/* Cuts the items from *at on that are like the first of them. */
static struct block cut(struct match_side *items, uint32_t count, uint32_t *at,
                        bool (*like)(const struct match_side *, const struct match_side *))
{
    struct block block = { .items = items + *at };

    while (*at < count && like(block.items, &items[*at])) {
        (*at)++;
        block.count++;
    }
    return block;
}

static bool same_text(const struct match_side *a, const struct match_side *b)
{
    return a->fingerprint == b->fingerprint;
}

static bool same_evidence(const struct match_side *a, const struct match_side *b)
{
    return same_text(a, b) && a->evidence == b->evidence;
}

static uint32_t gap(const struct match_side *a, const struct match_side *b)
{
    return a->line > b->line ? a->line - b->line : b->line - a->line;
}

static bool may_be_same(const struct match_side *a, const struct match_side *b)
{
    return a->evidence == b->evidence || a->evidence == 0 || b->evidence == 0 || a->line == 0 ||
           b->line == 0;
}

/* Both in the order of their lines, and none of them paired. */
static void pair_in_order(struct block known, struct block reported, struct match *out)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < reported.count && at < known.count; i++) {
        struct match_side *item = &reported.items[i];
        uint32_t spare = known.count - at > reported.count - i
                             ? known.count - at - (reported.count - i) : 0;

        for (; spare > 0 && gap(&known.items[at + 1], item) < gap(&known.items[at], item); spare--)
            at++;
        if (may_be_same(&known.items[at], item)) pair(&known.items[at++], item, out);
    }
}

static void pair_by_evidence(const struct match_sides *sides, struct match *out)
{
    uint32_t at = 0, other = 0;

    qsort(sides->known, sides->known_count, sizeof *sides->known, by_evidence);
    qsort(sides->reported, sides->reported_count, sizeof *sides->reported, by_evidence);
    while (at < sides->known_count && other < sides->reported_count) {
        const struct match_side *x = &sides->known[at], *y = &sides->reported[other];
        int rc = order(x->fingerprint, y->fingerprint);

        if (rc == 0) rc = order(x->evidence, y->evidence);
        if (rc < 0) {
            (void)cut(sides->known, sides->known_count, &at, same_evidence);
        } else if (rc > 0) {
            (void)cut(sides->reported, sides->reported_count, &other, same_evidence);
        } else {
            struct block known = cut(sides->known, sides->known_count, &at, same_evidence);
            struct block reported = cut(sides->reported, sides->reported_count, &other,
                                        same_evidence);

            if (known.items->evidence != 0) pair_in_order(known, reported, out);
        }
    }
}

static void pair_by_line(struct block known, struct block reported, struct match *out)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < reported.count; i++) {
        struct match_side *item = &reported.items[i];

        if (item->paired) continue;
        while (at < known.count && (known.items[at].paired || known.items[at].line < item->line))
            at++;
        if (at < known.count && known.items[at].line == item->line) {
            pair(&known.items[at++], item, out);
        }
    }
}

/* Those that are not paired, to the front, in their order. */
static struct block unpaired(struct block block)
{
    struct block left = { .items = block.items };

    for (uint32_t i = 0; i < block.count; i++) {
        if (!block.items[i].paired) left.items[left.count++] = block.items[i];
    }
    return left;
}

/* All that have one fingerprint. */
static void pair_rest(struct block known, struct block reported, struct match *out)
{
    uint32_t nth = known.count;

    pair_by_line(known, reported, out);
    reported = unpaired(reported);
    pair_in_order(unpaired(known), reported, out);
    for (uint32_t i = 0; i < reported.count; i++) {
        if (!reported.items[i].paired) out[reported.items[i].index].ordinal = nth++;
    }
}

void ledger_match(const struct match_sides *sides, struct match *out)
{
    uint32_t at = 0, other = 0;

    for (uint32_t i = 0; i < sides->reported_count; i++) out[i] = (struct match){ NO_ENTRY, 0 };
    pair_by_evidence(sides, out);
    qsort(sides->known, sides->known_count, sizeof *sides->known, by_line);
    qsort(sides->reported, sides->reported_count, sizeof *sides->reported, by_line);
    while (other < sides->reported_count) {
        struct block known = { .items = NULL };
        struct block reported = cut(sides->reported, sides->reported_count, &other, same_text);
        uint64_t text = reported.items->fingerprint;

        while (at < sides->known_count && sides->known[at].fingerprint < text) at++;
        if (at < sides->known_count && sides->known[at].fingerprint == text) {
            known = cut(sides->known, sides->known_count, &at, same_text);
        }
        pair_rest(known, reported, out);
    }
}
