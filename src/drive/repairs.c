/* SPDX-License-Identifier: Apache-2.0
 *
 * repairs.c - nothing is done on a report's word.
 *
 *   the tree that the review judged, the tree now --> diff --.
 *   the findings of that review ------------------------------+--> unresolved, and why
 *   the fixer's report ---------------------------------------'
 *
 * A finding is unresolved where the report does not name its file, or where nothing changed near
 * its place. Near is within NEAR_LINES of its line in the same file; without a line, anywhere in
 * the file; without a file, anywhere. A file whose changed lines are not known counts as changed.
 * Of several fixers that share a review each is in doubt about the others' part: what one of them
 * has resolved is (ledger.c, dialect/unresolved.c).
 *
 * Where nothing changed near it and the report names it all the same, the fixer has declined it;
 * but not where the report says that it is fixed. By lines that name file and line, else by those
 * that name the file; of each the heading above it speaks ("## Issues Fixed", "## Could Not Fix"),
 * and where that says neither, the line itself:
 *
 *     a word against it in any of them    declined: "not a fault", "left as it is"
 *     else a word for a change            said to be fixed, and it is not: "fixed", "added a check"
 *     neither                             declined: a reason needs no certain words
 *
 * It decides nothing: rounds and verdicts are those of the plan. The findings are shown as
 * unresolved, and the next agents are told. */
#include "drive/repairs.h"

#include "base/byte.h"
#include "drive/watch.h"
#include "format/text/hunks.h"

#include <string.h>

enum { NEAR_LINES = 20, DIFF_BYTES_MAX = 16 << 20 };

/* ---- what changed ---- */

/* Whether the file changed near the line, both as they were before. What is not known to have
 * changed elsewhere has. */
static bool moved_near(const struct line_map *moved, struct str file, uint32_t line)
{
    for (uint32_t i = 0; i < moved->file_count; i++) {
        const struct file_move *move = &moved->files[i];

        if (!str_eq(move->old_path, file)) continue;
        for (uint32_t k = 0; k < move->hunk_count; k++) {
            uint32_t from = move->hunks[k].old_line, count = move->hunks[k].old_count;
            if (line + NEAR_LINES >= from && line <= from + count + NEAR_LINES) return true;
        }
        return move->hunk_count == 0 && str_eq(move->old_path, move->new_path);
    }
    return true;
}

static bool is_changed(const struct tree_delta *delta, struct str file)
{
    for (uint32_t i = 0; i < delta->count; i++) {
        enum change_kind kind = delta->items[i].kind;
        bool content = kind == CHANGE_ADDED || kind == CHANGE_MODIFIED || kind == CHANGE_DELETED;

        if (content && (file.size == 0 || str_eq(delta->items[i].path, file))) return true;
    }
    return false;
}

/* Whether the next review would see another tree. */
static bool is_any_changed(const struct tree_delta *delta)
{
    for (uint32_t i = 0; i < delta->count; i++) {
        if (delta->items[i].kind <= CHANGE_MODE) return true;
    }
    return false;
}

static bool is_near(const struct repaired *repaired, const struct finding *finding)
{
    if (!is_changed(repaired->delta, finding->file)) return false;
    if (finding->file.size == 0 || finding->line == 0) return true;
    return moved_near(&repaired->moved, finding->file, finding->line);
}

/* ---- what was said ---- */

static bool is_of_name(char byte)
{
    return byte_is_alnum(byte) || byte == '_' || byte == '-';
}

/* "a.c" is named by "./a.c:3", and not by "data.c" or "a.cc". */
static bool is_named(struct str report, const struct finding *finding)
{
    struct str file = finding->file, rest = report;
    const char *found;

    if (file.size == 0) return str_trim(report).size > 0;
    while (rest.size >= file.size &&
           (found = memmem(rest.data, rest.size, file.data, file.size)) != NULL) {
        const char *end = found + file.size;
        bool begins = found == report.data || !is_of_name(found[-1]);
        bool ends = end == report.data + report.size || !is_of_name(*end);

        if (begins && ends) return true;
        rest = str_skip(rest, (size_t)(found - rest.data) + 1);
    }
    return false;
}

/* ---- a change, or a reason ---- */

enum stand { STAND_NONE, STAND_FIXED, STAND_LEFT };

static const char *const left_words[] = {
    "not", "no", "never", "none", "cannot", "can't", "couldn't", "didn't", "doesn't", "isn't",
    "won't", "unfixed", "unchanged", "untouched", "left", "leave", "leaving", "stays", "kept",
    "declined", "skipped", "rejected", "disputed", "deferred", "postponed", "wrong", "false",
    "invalid", "intended", "intentional", "intentionally", "deliberate", "deliberately", "already",
    NULL,
};

static const char *const fixed_words[] = {
    "fixed", "fixes", "mended", "repaired", "resolved", "solved", "corrected", "addressed",
    "handled", "changed", "modified", "updated", "edited", "added", "removed", "deleted",
    "replaced", "moved", "renamed", "rewritten", "rewrote", "reworked", "implemented", "applied",
    "now", NULL,
};

static bool is_among(struct str word, const char *const *list)
{
    for (; *list; list++) {
        size_t at = 0;

        while (at < word.size && byte_small(word.data[at]) == (*list)[at]) at++;
        if (at == word.size && !(*list)[at]) return true;
    }
    return false;
}

static struct str word_trim(struct str word)
{
    while (word.size && !byte_is_alnum(word.data[0])) word = str_skip(word, 1);
    while (word.size && !byte_is_alnum(word.data[word.size - 1])) word.size--;
    return word;
}

/* Whole words; what has other bytes inside is a name ("src/fixed.c"). */
static enum stand stand_of(struct str text)
{
    enum stand stand = STAND_NONE;
    struct str word;

    while (str_cut(&text, ' ', &word)) {
        word = word_trim(word);
        if (is_among(word, left_words)) return STAND_LEFT;
        if (is_among(word, fixed_words)) stand = STAND_FIXED;
    }
    return stand;
}

/* "## Fixed", "**Fixed:**" or "Fixed:" above a list. */
static bool is_heading(struct str line)
{
    line = str_trim(line);
    if (str_starts(line, STR("#"))) return true;
    if (str_starts(line, STR("- ")) || str_starts(line, STR("* "))) return false;
    while (line.size && line.data[line.size - 1] == '*') line.size--;
    return line.size && line.data[line.size - 1] == ':';
}

/* Whether a number stands right behind the file in the line, and is the finding's line. */
static bool is_placed(struct str line, const struct finding *finding)
{
    enum { GAP_MAX = 8 }; /* ":", " line ", "#L" */
    struct str file = finding->file;
    const char *found = file.size ? memmem(line.data, line.size, file.data, file.size) : NULL;
    struct str rest;
    uint64_t number = 0;

    if (!found || finding->line == 0) return false;
    rest = str_skip(line, (size_t)(found - line.data) + file.size);
    for (int i = 0; i < GAP_MAX && rest.size && !byte_is_digit(rest.data[0]); i++) {
        rest = str_skip(rest, 1);
    }
    for (; rest.size && byte_is_digit(rest.data[0]) && number <= UINT32_MAX;
         rest = str_skip(rest, 1)) {
        number = number * 10 + (uint64_t)(rest.data[0] - '0');
    }
    return number == finding->line;
}

/* What the report's lines that name the finding say; with placed only those with its line. */
static enum stand stand_in(struct str report, const struct finding *finding, bool placed,
                           bool *any)
{
    enum stand heading = STAND_NONE, all = STAND_NONE;
    struct str line;

    *any = false;
    while (str_cut(&report, '\n', &line)) {
        enum stand stand = stand_of(line);

        if (is_heading(line)) heading = stand;
        if (!is_named(line, finding) || (placed && !is_placed(line, finding))) continue;
        *any = true;
        if (heading != STAND_NONE) stand = heading;
        if (all != STAND_LEFT && stand != STAND_NONE) all = stand;
    }
    return all;
}

static bool is_said_fixed(struct str report, const struct finding *finding)
{
    bool any;
    enum stand stand = stand_in(report, finding, true, &any);

    if (!any) stand = stand_in(report, finding, false, &any);
    return stand == STAND_FIXED;
}

/* ---- both ---- */

uint32_t repair_doubts(const struct repaired *repaired, struct arena *arena,
                       const struct doubtful **out)
{
    const struct batch *review = repaired->review;
    struct doubtful *doubts;
    uint32_t total = 0, count = 0;

    for (uint32_t i = 0; i < review->count; i++) total += review->jobs[i].result.finding_count;
    doubts = arena_alloc(arena, (total + (size_t)1) * sizeof *doubts);
    for (uint32_t i = 0; i < review->count; i++) {
        const struct result *result = &review->jobs[i].result;

        for (uint32_t k = 0; k < result->finding_count; k++) {
            const struct finding *finding = &result->findings[k];
            bool near = is_near(repaired, finding);
            bool named = is_named(repaired->report, finding);

            if (near && named) continue;
            if (named && is_said_fixed(repaired->report, finding)) named = false;
            doubts[count++] = (struct doubtful){
                finding->fingerprint, finding->line,
                near ? DOUBT_UNNAMED : named ? DOUBT_DECLINED : DOUBT_UNTOUCHED };
        }
    }
    *out = doubts;
    return count;
}

int facts_repair(struct gathered *gathered, struct drive *drive, const struct live *live)
{
    const struct lane *lane = &drive->run.engine.lanes[live->action.lane];
    const struct role *role = &drive->run.plan.roles[live->action.role];
    struct site *site = site_at(&drive->run, &live->action);
    struct facts *facts = &gathered->facts;
    struct kept_delta kept = { 0 };
    struct arena arena = { 0 };
    struct err none;
    struct buf diff;
    int rc = 0;

    if (live->action.purpose != FOR_REPAIR || !role->writes || facts->builtin) return 0;
    if (drive->run.plan.phases[live->action.phase].gate.of_text) return 0;
    if (!outcome_wants_answer(facts) || lane->review.count == 0) return 0;
    if (!has_reader(drive, &lane->review)) return 0;
    buf_init(&diff, DIFF_BYTES_MAX);
    rc = watch_kept(drive, site, tree_name(&arena, lane->review.jobs[0].id), NULL, &kept);
    if (rc != 0 || !kept.known) goto out;
    if (tree_moves(&site->repo, &kept.then, &kept.now, &kept.delta,
                   run_folder(&drive->run, &arena), "repair.index", &diff, &none) != 0) {
        buf_clear(&diff); /* then each changed file counts as changed near */
    }
    facts->unchanged = !is_any_changed(&kept.delta);
    facts->moved = line_map_read(buf_str(&diff), &gathered->arena);
    facts->doubt_count = repair_doubts(&(struct repaired){
        .review = &lane->review, .delta = &kept.delta, .moved = facts->moved,
        .report = facts->has_report && facts->said.text.size == 0 ? facts->report.text
                                                                  : facts->said.text,
    }, &gathered->arena, &facts->doubts);
    watch_hand_on(drive, site, &kept);

out:
    kept_release(&kept);
    buf_release(&diff);
    arena_release(&arena);
    return rc;
}
