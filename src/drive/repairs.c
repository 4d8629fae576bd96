/* SPDX-License-Identifier: Apache-2.0
 *
 * repairs.c - nothing is done on a report's word.
 *
 *   the tree that the review judged, the tree now --> diff --.
 *   the findings of that review ------------------------------+--> unresolved, and why
 *   the fixer's report ---------------------------------------'
 *
 * A finding is unresolved where the report does not name its file, or where nothing changed near
 * its place: within NEAR_LINES of its line in the same file; without a line, anywhere in the file;
 * without a file, anywhere. A file whose changed lines are not known counts as changed near. Of
 * several fixers that share a review each is in doubt about the others' part: what one of them has
 * resolved is (ledger.c, dialect/unresolved.c).
 *
 * It decides nothing: rounds and verdicts are those of the plan. The findings are shown as
 * unresolved, and the next agents are told. */
#include "drive/repairs.h"

#include "base/byte.h"
#include "drive/watch.h"

#include <string.h>

enum { NEAR_LINES = 20, DIFF_BYTES_MAX = 4 << 20 };

/* ---- what changed ---- */

/* The number behind a sign: of "-12,3" 12, and 3 in *count. */
static uint32_t hunk_side(struct str text, uint32_t *count)
{
    struct str number, rest = text;
    uint64_t from = 0, lines = 1;

    if (str_cut(&rest, ',', &number) && str_number(number, &from) && rest.size > 0) {
        (void)str_number(rest, &lines);
    }
    *count = (uint32_t)lines;
    return (uint32_t)from;
}

/* Whether a hunk of the diff is near the line of the file, as it was before. *known: the diff has
 * hunks of the file. */
static bool hunk_is_near(struct str diff, struct str file, uint32_t line, bool *known)
{
    struct str rest = diff, text;
    bool here = false;

    *known = false;
    while (str_cut(&rest, '\n', &text)) {
        struct str side, word;
        uint32_t from, count;

        if (str_starts(text, STR("--- "))) {
            here = str_starts(text, STR("--- a/")) && str_eq(str_skip(text, 6), file);
        } else if (here && str_starts(text, STR("@@ -"))) {
            *known = true;
            word = str_skip(text, 4);
            (void)str_cut(&word, ' ', &side);
            from = hunk_side(side, &count);
            if (line + NEAR_LINES >= from && line <= from + count + NEAR_LINES) return true;
        }
    }
    return false;
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

static bool is_near(const struct tree_delta *delta, struct str diff, const struct finding *finding)
{
    bool near, known;

    if (!is_changed(delta, finding->file)) return false;
    if (finding->file.size == 0 || finding->line == 0) return true;
    near = hunk_is_near(diff, finding->file, finding->line, &known);
    return near || !known;
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
            bool near = is_near(repaired->delta, repaired->diff, finding);

            if (near && is_named(repaired->report, finding)) continue;
            doubts[count++] = (struct doubtful){
                finding->fingerprint, finding->line, near ? DOUBT_UNNAMED : DOUBT_UNTOUCHED };
        }
    }
    *out = doubts;
    return count;
}

int facts_repair(struct gathered *gathered, struct drive *drive, const struct live *live)
{
    const struct lane *lane = &drive->run.engine.lanes[live->action.lane];
    const struct role *role = &drive->run.plan.roles[live->action.role];
    struct site *site = site_of(&drive->run, live->action.lane);
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
    buf_init(&diff, 2 * (size_t)DIFF_BYTES_MAX);
    rc = watch_kept(drive, site, tree_name(&arena, lane->review.jobs[0].id), NULL, &kept);
    if (rc != 0 || !kept.known) goto out;
    if (tree_diff(&site->repo, &kept.then, &kept.now, &kept.delta, DIFF_BYTES_MAX,
                  run_folder(&drive->run, &arena), "repair.index", &diff, &none) != 0) {
        buf_clear(&diff); /* then each changed file counts as changed near */
    }
    facts->unchanged = !is_changed(&kept.delta, STR(""));
    facts->doubt_count = repair_doubts(&(struct repaired){
        .review = &lane->review, .delta = &kept.delta, .diff = buf_str(&diff),
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
