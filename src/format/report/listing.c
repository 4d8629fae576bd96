/* SPDX-License-Identifier: Apache-2.0 */
#include "format/report/listing.h"

#include "base/mem.h"
#include "format/json/finding_json.h"
#include "format/report/rules.h"
#include "format/report/uri.h"
#include "format/text/safe.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { REASON_SHOWN_MAX = 300, REASONS_SHOWN_MAX = 8, COVERAGE_WORD_BYTES_MAX = 300 };

void listing_add(struct listing *listing, const struct ledger_entry *entry)
{
    listing->items = mem_grow(listing->items, listing->count, &listing->cap,
                              sizeof(void *));
    listing->items[listing->count++] = entry;
}

void listing_add_open(struct listing *listing, const struct ledger *ledger, struct arena *arena)
{
    const struct ledger_entry *const *entries;
    uint32_t count = ledger_list(ledger, arena, &entries);

    for (uint32_t i = 0; i < count; i++) {
        if (finding_is_open(entries[i]->state)) listing_add(listing, entries[i]);
    }
}

void listing_release(struct listing *listing)
{
    free(listing->items);
    *listing = (struct listing){ 0 };
}

const char *listing_voter(const struct listing *listing, const struct vote *vote)
{
    const struct plan *plan = listing->plan;
    struct str source = vote->by.size == 0 ? vote->finding.source : (struct str){ "", 0 };

    assert(vote->role < plan->role_count);
    for (uint32_t i = 0; source.size > 0 && i < plan->role_count; i++) {
        if (str_is(source, plan->roles[i].name)) return plan->roles[i].name;
    }
    return plan->roles[vote->role].name;
}

const char *listing_role(const struct listing *listing, const struct ledger_entry *entry)
{
    assert(entry->role < listing->plan->role_count);
    if (entry->vote_count > 0 && entry->votes[0].role == entry->role) {
        return listing_voter(listing, &entry->votes[0]);
    }
    return listing->plan->roles[entry->role].name;
}

const char *listing_id(const struct ledger_entry *entry, bool whole, char out[LISTING_ID_BYTES])
{
    enum { DIGITS = 16 };
    int digits = whole ? DIGITS : LISTING_ID_SHOWN;
    int size = snprintf(out, LISTING_ID_BYTES, "%0*" PRIx64, digits,
                        entry->fingerprint >> 4 * (DIGITS - digits));

    if (entry->ordinal > 0) {
        (void)snprintf(out + size, LISTING_ID_BYTES - (size_t)size, "-%" PRIu32, entry->ordinal);
    }
    return out;
}

void listing_rule(const struct listing *listing, const struct ledger_entry *entry, struct buf *out)
{
    struct str role = str_of(listing_role(listing, entry));
    struct str kind, tools = entry->finding.tool;

    if (tools.size > 0) (void)str_cut(&tools, ',', &role); /* the rule is that of the first */
    role = str_head(role, LISTING_RULE_BYTES_MAX / 2);
    if (role.size == 0) role = STR("review");
    kind = str_head(entry->finding.kind, LISTING_RULE_BYTES_MAX - role.size - 1);

    buf_add(out, role);
    if (kind.size > 0) buf_byte(out, '/');
    buf_add(out, kind);
}

/* The tools beside the first, with ", " in front. */
static struct str listing_others(const struct ledger_entry *entry)
{
    struct str all = entry->finding.tool, rest = all, first;

    (void)str_cut(&rest, ',', &first);
    return str_skip(all, first.size);
}

void listing_rule_say(const struct listing *listing, const struct ledger_entry *entry,
                      struct buf *out)
{
    const struct finding *finding = &entry->finding;

    if (finding->tool.size > 0) {
        listing_rule(listing, entry, out);
        buf_add(out, listing_others(entry));
    } else {
        buf_add(out, finding->kind.size > 0 ? finding->kind
                                            : str_of(listing_role(listing, entry)));
    }
}

struct str listing_text(const struct ledger_entry *entry)
{
    struct str text = str_trim(entry->finding.text);

    if (text.size == 0) text = str_trim(entry->finding.kind);
    return text.size > 0 ? text : STR("(no text)");
}

struct str listing_below(const struct listing *listing, struct str file)
{
    struct str top = str_of(listing->workspace);

    if (top.size == 0 || !str_starts(file, top) || file.size == top.size) return file;
    return file.data[top.size] == '/' ? str_skip(file, top.size + 1) : file;
}

bool listing_path(const struct listing *listing, struct str file, struct buf *out)
{
    const char *between = "";
    struct str part;

    file = listing_below(listing, file);
    if (!path_below(file)) {
        buf_byte(out, '.');
        return false;
    }
    while (str_cut(&file, '/', &part)) {
        if (part.size == 0 || str_is(part, ".")) continue;
        buf_text(out, between);
        buf_add(out, part);
        between = "/";
    }
    return true;
}

void listing_words(const struct listing *listing, const struct ledger_entry *entry,
                   struct buf *out)
{
    struct str file = entry->finding.file;

    if (file.size > 0 && !path_below(listing_below(listing, file))) {
        buf_add(out, file);
        if (entry->finding.line > 0) buf_printf(out, ":%" PRIu32, entry->finding.line);
        buf_text(out, ": ");
    }
    buf_add(out, listing_text(entry));
}

enum { LINE_BYTES_SURE = 200 }; /* shorter evidence of a tool's finding is all of its line */

/* Whether everything before that column has one unit for each byte. The evidence may lack the
 * blanks around the line, which have one each, and what is behind its first bytes. */
static bool is_plain_before(struct str evidence, uint32_t column)
{
    bool whole = evidence.size < LINE_BYTES_SURE;

    for (size_t i = 0; i < evidence.size; i++) {
        char byte = evidence.data[i];
        if ((unsigned char)byte >= 0x80 || byte == '\n') return false;
    }
    return evidence.size > 0 && (whole || column <= evidence.size);
}

bool listing_columns(const struct finding *finding, uint32_t *start, uint32_t *end)
{
    uint32_t behind = finding->end_line == finding->line ? finding->end_column : 0;

    if (finding->column == 0 || finding->end_line > finding->line ||
        !is_plain_before(finding->evidence, finding->column)) return false;
    *start = finding->column;
    *end = behind >= finding->column && is_plain_before(finding->evidence, behind) ? behind : 0;
    return true;
}

static int compare_fixes(const void *one, const void *other)
{
    const struct listing_fix *a = one, *b = other;

    return (a->entry > b->entry) - (a->entry < b->entry);
}

void listing_put_fixes(struct listing *listing, struct listing_fix *fixes, uint32_t count)
{
    if (count > 0) qsort(fixes, count, sizeof *fixes, compare_fixes);
    listing->fixes = fixes;
    listing->fix_count = count;
}

const struct listing_fix *listing_fix(const struct listing *listing,
                                      const struct ledger_entry *entry)
{
    struct listing_fix key = { .entry = entry };

    if (listing->fix_count == 0) return NULL;
    return bsearch(&key, listing->fixes, listing->fix_count, sizeof key, compare_fixes);
}

bool listing_is_whole(const struct listing *listing)
{
    return !listing->unfinished && listing->coverage.unlooked_count == 0;
}

void listing_end_say(const struct listing *listing, struct buf *out)
{
    if (!listing->unfinished) return;
    buf_printf(out, "run %s: %s", listing->run, listing->unfinished);
}

void listing_left_say(const struct listing *listing, struct buf *out)
{
    uint32_t files = listing->coverage.unlooked_count;
    const char *between = "";

    files = files > LISTING_UNLOOKED_MAX ? files - LISTING_UNLOOKED_MAX : 0;
    if (listing->left > 0) {
        buf_printf(out, "%" PRIu32 " more finding%s", listing->left, listing->left == 1 ? "" : "s");
        between = " and ";
    }
    if (files > 0) {
        buf_printf(out, "%s%" PRIu32 " more file%s that %s not looked at", between, files,
                   files == 1 ? "" : "s", files == 1 ? "was" : "were");
    }
    if (listing->left + files == 0) return;
    buf_printf(out, " %s left out here: 'hone findings %s --json' has all",
               listing->left + files == 1 ? "is" : "are", listing->run);
}

void unlooked_say_one(const struct unlooked *item, struct buf *out)
{
    buf_text(out, "not looked at");
    if (item->tool.size > 0) {
        buf_text(out, " by ");
        buf_add(out, str_head(item->tool, COVERAGE_WORD_BYTES_MAX));
    }
    buf_text(out, ": ");
    buf_add(out, str_head(item->why, COVERAGE_WORD_BYTES_MAX));
}

bool look_problem_say(const struct listing_look *look, struct buf *out)
{
    if (!look->ended) {
        buf_text(out, "has not answered");
        return true;
    }
    if (look->verdict != VERDICT_FAILED && look->verdict != VERDICT_INVALID) return false;
    buf_text(out, verdict_word(look->verdict));
    if (look->verdict == VERDICT_FAILED) buf_printf(out, " (%s)", failure_word(look->failure));
    if (look->problem[0]) buf_printf(out, ": %s", look->problem);
    return true;
}

struct str listing_reason(const struct listing *listing, const struct ledger_entry *entry)
{
    const struct waiver_entry *waiver = NULL;

    if (entry->state == FINDING_WAIVED && listing->waivers) {
        waiver = waivers_find(listing->waivers, entry->waiver);
    }
    return waiver ? str_trim(waiver->reason) : (struct str){ "", 0 };
}

void listing_more_say(const struct listing *listing, const struct ledger_entry *entry,
                      struct buf *out)
{
    struct str reason = listing_reason(listing, entry);

    if (entry->state == FINDING_REGRESSED || entry->state == FINDING_PARKED) {
        buf_printf(out, "; %s", finding_state_word(entry->state));
    }
    if (entry->vote_count > 1) buf_printf(out, "; %" PRIu32 " votes", entry->vote_count);
    if (entry->cause_round > 0) {
        buf_printf(out, "; by the fix of round %" PRIu32, entry->cause_round);
    }
    if (finding_is_open(entry->state) && entry->tries > 0) {
        buf_printf(out, entry->tries == 1 ? "; tried once" : "; tried %" PRIu32 " times",
                   entry->tries);
    }
    if (reason.size > 0) {
        buf_text(out, "; ");
        safe_text(out, reason, true, REASON_SHOWN_MAX);
    }
}

/* ---- one fault, several tools ---- */

static int order_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* By where and when they were first reported: what can be one fault stands together. */
static int compare_origins(const void *one, const void *other)
{
    const struct ledger_entry *a = *(const struct ledger_entry *const *)one;
    const struct ledger_entry *b = *(const struct ledger_entry *const *)other;
    int order = order_numbers(a->lane, b->lane);

    if (order == 0) order = order_numbers(a->phase, b->phase);
    if (order == 0) order = order_numbers(a->iteration_first, b->iteration_first);
    if (order == 0) order = order_numbers(a->round_first, b->round_first);
    if (order == 0) order = str_compare(a->finding.file, b->finding.file);
    if (order == 0) order = order_numbers(a->line_first, b->line_first);
    return order;
}

static int compare_origins_then_place(const void *one, const void *other)
{
    const struct ledger_entry *a = *(const struct ledger_entry *const *)one;
    const struct ledger_entry *b = *(const struct ledger_entry *const *)other;
    int order = compare_origins(one, other);

    /* By the plan, and not by which of them ended first. */
    if (order == 0) order = order_numbers(a->role, b->role);
    return order != 0 ? order : (a > b) - (a < b);
}

/* Whether tools, with ", " between, has the name. */
static bool has_tool(struct str tools, struct str name)
{
    struct str tool;

    while (str_cut(&tools, ',', &tool)) {
        if (str_eq(str_trim(tool), name)) return true;
    }
    return false;
}

/* Whether two reports are one tool's by one rule. */
static bool is_same_rule(const struct ledger_entry *a, const struct ledger_entry *b)
{
    return str_eq(a->finding.tool, b->finding.tool) && str_eq(a->finding.kind, b->finding.kind);
}

/* Whether two reports are of one fault. One tool that says the same twice on a line means two; by
 * two rules, or in two roles, it means one. */
static bool is_one_fault(const struct ledger_entry *a, const struct ledger_entry *b)
{
    bool same_words = a->finding.fingerprint == b->finding.fingerprint;

    if (a->finding.tool.size == 0 || b->finding.tool.size == 0) return false;
    if (is_same_rule(a, b)) return same_words && a->role != b->role;
    return same_words || rules_are_equal(a->finding.kind, b->finding.kind);
}

static struct str tools_joined(struct str first, struct str more, struct arena *arena)
{
    struct str tool;

    while (str_cut(&more, ',', &tool)) {
        tool = str_trim(tool);
        if (has_tool(first, tool)) continue;
        first = str_of(arena_printf(arena, "%.*s, %.*s", STR_ARG(first), STR_ARG(tool)));
    }
    return first;
}

/* The votes of both: of each role and backend one. */
static void votes_join(struct ledger_entry *into, const struct ledger_entry *from,
                       struct arena *arena)
{
    struct vote *votes = arena_alloc(arena, (into->vote_count + (size_t)from->vote_count + 1) *
                                            sizeof *votes);
    uint32_t count = 0;

    for (uint32_t i = 0; i < into->vote_count; i++) votes[count++] = into->votes[i];
    for (uint32_t i = 0; i < from->vote_count; i++) {
        const struct vote *vote = &from->votes[i];
        uint32_t at = 0;

        while (at < into->vote_count && (into->votes[at].role != vote->role ||
                                         !str_eq(into->votes[at].by, vote->by))) {
            at++;
        }
        if (at == into->vote_count) votes[count++] = *vote;
    }
    into->votes = votes;
    into->vote_count = count;
}

/* The graver one speaks for both, and then the one with a fix. */
static void entry_join(struct ledger_entry *into, const struct ledger_entry *from,
                       struct arena *arena)
{
    bool graver = from->finding.severity > into->finding.severity ||
                  (from->finding.severity == into->finding.severity &&
                   from->finding.fix.size > 0 && into->finding.fix.size == 0);
    struct ledger_entry first = graver ? *from : *into;
    const struct ledger_entry *second = graver ? into : from;

    first.finding.tool = tools_joined(first.finding.tool, second->finding.tool, arena);
    votes_join(&first, second, arena);
    if (second->state < first.state) first.state = second->state;
    if (second->tries > first.tries) first.tries = second->tries;
    if (second->round_last > first.round_last) first.round_last = second->round_last;
    if (second->iteration_last > first.iteration_last) {
        first.iteration_last = second->iteration_last;
    }
    if (second->doubt && !first.doubt) first.doubt = second->doubt;
    *into = first;
}

enum { BLOCK_MAX = 256 }; /* a line with more is no line of a person's */

/* A fault, and the reports of it: numbers of items of its block. */
struct fault {
    struct ledger_entry entry;
    uint32_t *reports;
    uint32_t count;
};

/* One that the report is of: like one of its reports, and twice none of them. */
static bool fault_has(const struct fault *fault, const struct ledger_entry **items,
                      const struct ledger_entry *report)
{
    bool like = false;

    for (uint32_t i = 0; i < fault->count; i++) {
        const struct ledger_entry *known = items[fault->reports[i]];

        if (known->role == report->role && is_same_rule(known, report)) return false;
        like = like || is_one_fault(known, report);
    }
    return like;
}

/* Joins each item of a block with the first that it is one fault with; how many are left. */
static uint32_t block_merge(const struct ledger_entry **items, uint32_t count, struct arena *arena)
{
    struct fault *faults = arena_alloc(arena, count * sizeof *faults);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = 0;

        while (at < kept && !fault_has(&faults[at], items, items[i])) at++;
        if (at == kept) {
            faults[kept++] = (struct fault){
                .entry = *items[i], .reports = arena_alloc(arena, count * sizeof(uint32_t)) };
        } else {
            entry_join(&faults[at].entry, items[i], arena);
        }
        faults[at].reports[faults[at].count++] = i;
    }
    for (uint32_t i = 0; i < kept && kept < count; i++) items[i] = &faults[i].entry;
    return kept;
}

void listing_merge(struct listing *listing, struct arena *arena)
{
    uint32_t kept = 0;

    if (listing->count == 0) return;
    qsort(listing->items, listing->count, sizeof(void *), compare_origins_then_place);
    for (uint32_t i = 0, end; i < listing->count; i = end) {
        const struct ledger_entry **block = &listing->items[i];
        uint32_t left;

        for (end = i + 1; end < listing->count; end++) {
            if (compare_origins(block, &listing->items[end]) != 0) break;
        }
        left = end - i;
        if ((*block)->line_first > 0 && left <= BLOCK_MAX) left = block_merge(block, left, arena);
        for (uint32_t k = 0; k < left; k++) listing->items[kept++] = block[k];
    }
    listing->count = kept;
}

static void count_one(struct listing_counts *counts, const struct ledger_entry *entry)
{
    counts->total++;
    counts->states[entry->state]++;
    counts->noted_grave += entry->state == FINDING_NOTED &&
                           entry->finding.severity == SEVERITY_HIGH;
    if (!finding_is_open(entry->state)) return;
    counts->open_count++;
    counts->open[entry->finding.severity]++;
}

/* Only what tools report is ever merged: the rest is counted as it stands. */
struct listing_counts ledger_faults(const struct ledger *ledger)
{
    struct listing_counts counts = { .total = 0 };
    struct listing tools = { .count = 0 };
    struct arena arena = { 0 };

    for (uint32_t lane = 0; lane < ledger->book_count; lane++) {
        const struct ledger_entry *entries;
        uint32_t count = ledger_of_lane(ledger, lane, &entries);

        for (uint32_t i = 0; i < count; i++) {
            if (entries[i].finding.tool.size > 0) listing_add(&tools, &entries[i]);
            else count_one(&counts, &entries[i]);
        }
    }
    listing_merge(&tools, &arena);
    for (uint32_t i = 0; i < tools.count; i++) count_one(&counts, tools.items[i]);
    listing_release(&tools);
    arena_release(&arena);
    return counts;
}

/* ---- order ---- */

/* What is about no file comes last. */
static int compare_files(struct str a, struct str b)
{
    if ((a.size == 0) != (b.size == 0)) return a.size == 0 ? 1 : -1;
    return str_compare(a, b);
}

/* Down to the text, and to where they stand in the ledger: equal ones keep one order everywhere. */
static int compare_places(const struct ledger_entry *a, const struct ledger_entry *b)
{
    int order = compare_files(a->finding.file, b->finding.file);

    if (order == 0) order = order_numbers(a->finding.line, b->finding.line);
    if (order == 0) order = order_numbers(a->finding.column, b->finding.column);
    if (order == 0) order = str_compare(a->finding.text, b->finding.text);
    if (order == 0) order = (a > b) - (a < b);
    return order;
}

/* All that is open is alike. */
static uint32_t state_rank(const struct ledger_entry *entry)
{
    return finding_is_open(entry->state) ? 0 : (uint32_t)entry->state;
}

static int compare_by_state(const void *one, const void *other)
{
    const struct ledger_entry *a = *(const struct ledger_entry *const *)one;
    const struct ledger_entry *b = *(const struct ledger_entry *const *)other;
    int order = order_numbers(state_rank(a), state_rank(b));

    if (order == 0) order = order_numbers(b->finding.severity, a->finding.severity);
    return order != 0 ? order : compare_places(a, b);
}

static int compare_by_group(const void *one, const void *other)
{
    const struct ledger_entry *a = *(const struct ledger_entry *const *)one;
    const struct ledger_entry *b = *(const struct ledger_entry *const *)other;
    int order = order_numbers(a->state == FINDING_FIXED, b->state == FINDING_FIXED);

    return order != 0 ? order : compare_places(a, b);
}

static int compare_by_file(const void *one, const void *other)
{
    return compare_places(*(const struct ledger_entry *const *)one,
                          *(const struct ledger_entry *const *)other);
}

static int compare_by_severity(const void *one, const void *other)
{
    const struct ledger_entry *a = *(const struct ledger_entry *const *)one;
    const struct ledger_entry *b = *(const struct ledger_entry *const *)other;
    int order = order_numbers(b->finding.severity, a->finding.severity);

    return order != 0 ? order : compare_by_state(one, other);
}

static int compare_by_round(const void *one, const void *other)
{
    const struct ledger_entry *a = *(const struct ledger_entry *const *)one;
    const struct ledger_entry *b = *(const struct ledger_entry *const *)other;
    int order = order_numbers(a->iteration_first, b->iteration_first);

    if (order == 0) order = order_numbers(a->round_first, b->round_first);
    return order != 0 ? order : compare_places(a, b);
}

void listing_sort(struct listing *listing, enum listing_order order)
{
    static int (*const compare[])(const void *one, const void *other) = {
        [LISTING_BY_STATE] = compare_by_state,
        [LISTING_BY_GROUP] = compare_by_group,
        [LISTING_BY_FILE] = compare_by_file,
        [LISTING_BY_SEVERITY] = compare_by_severity,
        [LISTING_BY_ROUND] = compare_by_round,
    };

    if (listing->count == 0) return;
    qsort(listing->items, listing->count, sizeof(void *), compare[order]);
}

/* ---- counts ---- */

struct listing_counts listing_count(const struct listing *listing)
{
    struct listing_counts counts = { .total = 0 };

    for (uint32_t i = 0; i < listing->count; i++) count_one(&counts, listing->items[i]);
    return counts;
}

void listing_say(const struct listing *listing, struct buf *out)
{
    struct listing_counts counts = listing_count(listing);
    const char *between = " (";

    buf_printf(out, "%" PRIu32 " open", counts.open_count);
    for (uint32_t i = SEVERITY_COUNT; i-- > 0;) {
        if (counts.open[i] == 0) continue;
        buf_printf(out, "%s%" PRIu32 " %s", between, counts.open[i],
                   severity_word((enum severity)i));
        between = ", ";
    }
    if (counts.open_count > 0) buf_byte(out, ')');
    if (counts.states[FINDING_NOTED] > 0) {
        buf_printf(out, ", %" PRIu32 " noted", counts.states[FINDING_NOTED]);
    }
    if (counts.states[FINDING_WAIVED] > 0) {
        buf_printf(out, ", %" PRIu32 " waived", counts.states[FINDING_WAIVED]);
    }
    buf_printf(out, ", %" PRIu32 " fixed", counts.states[FINDING_FIXED]);
}

/* ---- how much was looked at ---- */

static bool is_same_reason(const struct unlooked *a, const struct unlooked *b)
{
    return str_eq(a->tool, b->tool) && str_eq(a->why, b->why);
}

/* One line for all files that one tool could not look at for one reason. */
static void reason_say(const struct coverage *coverage, uint32_t first, struct buf *out)
{
    const struct unlooked *item = &coverage->unlooked[first];
    uint32_t count = 0;

    for (uint32_t i = first; i < coverage->unlooked_count; i++) {
        count += is_same_reason(item, &coverage->unlooked[i]);
    }
    buf_text(out, "    ");
    safe_text(out, item->file, true, COVERAGE_WORD_BYTES_MAX);
    if (count > 1) buf_printf(out, " and %" PRIu32 " more", count - 1);
    if (item->tool.size > 0) {
        buf_text(out, " (");
        safe_text(out, item->tool, true, COVERAGE_WORD_BYTES_MAX);
        buf_byte(out, ')');
    }
    buf_text(out, ": ");
    safe_text(out, item->why, true, COVERAGE_WORD_BYTES_MAX);
    buf_byte(out, '\n');
}

static void unlooked_say(const struct coverage *coverage, struct buf *out)
{
    uint32_t count = coverage_unlooked(coverage), said = 0, left = 0;

    if (count == 0) return;
    buf_printf(out, "%" PRIu32 " of %" PRIu32 " file%s %s not looked at:\n", count,
               coverage->files, coverage->files == 1 ? "" : "s", count == 1 ? "was" : "were");
    for (uint32_t i = 0; i < coverage->unlooked_count; i++) {
        bool known = false;

        for (uint32_t k = 0; k < i && !known; k++) {
            known = is_same_reason(&coverage->unlooked[k], &coverage->unlooked[i]);
        }
        if (known) continue;
        if (said++ < REASONS_SHOWN_MAX) reason_say(coverage, i, out);
        else left++;
    }
    if (left > 0) buf_printf(out, "    and %" PRIu32 " more; hone findings --json has all\n", left);
}

void coverage_say(const struct coverage *coverage, struct buf *out)
{
    unlooked_say(coverage, out);
    if (coverage->hint.size > 0) {
        safe_text(out, coverage->hint, true, COVERAGE_WORD_BYTES_MAX);
        buf_byte(out, '\n');
    }
    if (coverage->unbuilt > 0) {
        buf_printf(out, "%" PRIu32 " file%s that the build does not compile %s left out\n",
                   coverage->unbuilt, coverage->unbuilt == 1 ? "" : "s",
                   coverage->unbuilt == 1 ? "was" : "were");
    }
    if (coverage->generated > 0) {
        buf_printf(out, "%" PRIu32 " file%s generated or vendored and left out; "
                   "--include-generated looks at %s, too\n", coverage->generated,
                   coverage->generated == 1 ? " is" : "s are",
                   coverage->generated == 1 ? "it" : "them");
    }
    if (coverage->older > 0) {
        buf_printf(out, "%" PRIu32 " older finding%s not shown; --all lists %s\n", coverage->older,
                   coverage->older == 1 ? " is" : "s are", coverage->older == 1 ? "it" : "them");
    }
    if (coverage->baseline > 0) {
        buf_printf(out, "%" PRIu32 " finding%s that .hone/baseline.json lists %s not shown\n",
                   coverage->baseline, coverage->baseline == 1 ? "" : "s",
                   coverage->baseline == 1 ? "is" : "are");
    }
}

/* ---- JSON ---- */

/* null: the change itself. */
static void cause_write(yyjson_mut_doc *doc, yyjson_mut_val *object,
                        const struct ledger_entry *entry)
{
    yyjson_mut_val *cause;

    if (entry->cause_round == 0) {
        yyjson_mut_obj_add_null(doc, object, "cause");
        return;
    }
    cause = yyjson_mut_obj_add_obj(doc, object, "cause");
    yyjson_mut_obj_add_uint(doc, cause, "round", entry->cause_round);
}

static void votes_write(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct listing *listing,
                        const struct ledger_entry *entry)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, object, "votes");

    for (uint32_t i = 0; i < entry->vote_count; i++) {
        const struct vote *vote = &entry->votes[i];
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);

        json_add_text(doc, item, "role", str_of(listing_voter(listing, vote)));
        json_add_text(doc, item, "by", vote->by);
        yyjson_mut_obj_add_uint(doc, item, "round", vote->round);
        json_add_text(doc, item, "text", vote->finding.text);
    }
}

/* Declined is untouched, with a reason of the fixer's. */
static void doubt_write(yyjson_mut_doc *doc, yyjson_mut_val *object,
                        const struct ledger_entry *entry)
{
    bool declined = entry->doubt == DOUBT_DECLINED;

    yyjson_mut_obj_add_str(doc, object, finding_is_open(entry->state) ? "unresolved" : "unproven",
                           doubt_word(declined ? DOUBT_UNTOUCHED : entry->doubt));
    if (declined) yyjson_mut_obj_add_bool(doc, object, "declined", true);
}

yyjson_mut_val *listing_entry_json(const struct listing *listing,
                                   const struct ledger_entry *entry, yyjson_mut_doc *doc)
{
    struct finding finding = entry->finding;
    yyjson_mut_val *object;
    const char *phase = listing->plan->phases[entry->phase].name;
    struct str reason = listing_reason(listing, entry);
    char id[LISTING_ID_BYTES];

    finding.fingerprint = entry->fingerprint;
    object = finding_write(doc, &finding);
    json_add_text(doc, object, "id", str_of(listing_id(entry, true, id)));
    yyjson_mut_obj_add_str(doc, object, "state", finding_state_word(entry->state));
    yyjson_mut_obj_add_bool(doc, object, "open", finding_is_open(entry->state));
    if (entry->waiver.size > 0) json_add_text(doc, object, "waiver", entry->waiver);
    if (reason.size > 0) json_add_text(doc, object, "reason", reason);
    if (entry->doubt) doubt_write(doc, object, entry);
    json_add_text(doc, object, "role", str_of(listing_role(listing, entry)));
    yyjson_mut_obj_add_uint(doc, object, "round_first", entry->round_first);
    yyjson_mut_obj_add_uint(doc, object, "round_last", entry->round_last);
    yyjson_mut_obj_add_uint(doc, object, "iteration_first", entry->iteration_first);
    yyjson_mut_obj_add_uint(doc, object, "iteration_last", entry->iteration_last);
    yyjson_mut_obj_add_uint(doc, object, "lane", entry->lane);
    json_add_text(doc, object, "phase", str_of(phase));
    yyjson_mut_obj_add_uint(doc, object, "ordinal", entry->ordinal);
    yyjson_mut_obj_add_uint(doc, object, "tries", entry->tries);
    yyjson_mut_obj_add_uint(doc, object, "rounds_seen", entry->rounds_seen);
    yyjson_mut_obj_add_uint(doc, object, "regressions", entry->regressions);
    cause_write(doc, object, entry);
    votes_write(doc, object, listing, entry);
    return object;
}

/* unfinished: null, or why there may be more to find than is listed. */
static void end_write(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct listing *listing)
{
    if (listing->end) json_add_text(doc, object, "end", str_of(listing->end));
    if (listing->unfinished) {
        json_add_text(doc, object, "unfinished", str_of(listing->unfinished));
    } else {
        yyjson_mut_obj_add_null(doc, object, "unfinished");
    }
}

void listing_json(const struct listing *listing, const struct listing_counts *counts,
                  yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *list, *object;

    json_add_text(doc, root, "run", str_of(listing->run));
    end_write(doc, root, listing);
    list = yyjson_mut_obj_add_arr(doc, root, "findings");
    for (uint32_t i = 0; i < listing->count; i++) {
        yyjson_mut_arr_append(list, listing_entry_json(listing, listing->items[i], doc));
    }
    object = yyjson_mut_obj_add_obj(doc, root, "counts");
    yyjson_mut_obj_add_uint(doc, object, "open", counts->open_count);
    for (uint32_t i = 0; i < FINDING_STATE_COUNT; i++) {
        yyjson_mut_obj_add_uint(doc, object, finding_state_word((enum finding_state)i),
                                counts->states[i]);
    }
    for (uint32_t i = SEVERITY_COUNT; i-- > 0;) {
        yyjson_mut_obj_add_uint(doc, object, severity_word((enum severity)i), counts->open[i]);
    }
    coverage_write(doc, root, &listing->coverage);
}

void listing_write(const struct listing *listing, struct buf *out)
{
    struct listing_counts counts = listing_count(listing);
    yyjson_mut_doc *doc = json_new();

    listing_json(listing, &counts, doc, json_object(doc));
    json_finish(doc, true, out);
}
