/* SPDX-License-Identifier: Apache-2.0
 *
 * fixits_report.c - what was fixed, what was left and why, in Markdown.
 *
 * The form is that of every fixer's summary in the review dialect: Issues Fixed, Could Not Fix,
 * Files Modified, Statistics; with Checks, which say what the fixes were judged by.
 *
 * 1. Every finding is fixed or left, with one reason; where there are too many to be listed, they
 *    are counted.
 * 2. Text from outside stands in code spans of one line, which it cannot end.
 * 3. The size is bounded: lists stop at LIST_BYTES_MAX, also where single entries are long.
 * 4. The last line is "STUCK: reason" exactly when fixits.c, invariant 4, says so. */
#include "analyze/fixits.h"

#include "base/byte.h"
#include "format/text/safe.h"

#include <stdlib.h>
#include <string.h>

enum {
    LIST_MAX = 3000,              /* entries */
    LIST_BYTES_MAX = 200 * 1024,  /* of each list */
    PLACE_BYTES_MAX = 300,
    RULE_BYTES_MAX = 100,
    TEXT_BYTES_MAX = 400,
    EDIT_BYTES_MAX = 60,
    EDITS_SHOWN = 3,
    BROKEN_SHOWN = 10,
};

/* ---- words ---- */

static const char *const severity_names[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "info",
    [SEVERITY_MEDIUM] = "warning",
    [SEVERITY_HIGH] = "critical",
};

/* Why a finding was left. */
enum left {
    LEFT_NOT, LEFT_NO_FIX, LEFT_UNFIT, LEFT_BARRED, LEFT_CHANGED, LEFT_OVERLAPS, LEFT_REFUSED,
    LEFT_RISKY, LEFT_BUILD, LEFT_TEST, LEFT_GROUP, LEFT_UNTRIED, LEFT_COUNT
};

/* Behind a number, for the last line. */
static const char *const left_words[LEFT_COUNT] = {
    [LEFT_NO_FIX] = "without a fix that a machine can make",
    [LEFT_UNFIT] = "with a fix that does not fit its file",
    [LEFT_BARRED] = "with a fix for a file that is not touched",
    [LEFT_CHANGED] = "in a file that has changed since",
    [LEFT_OVERLAPS] = "with a fix that overlaps another",
    [LEFT_REFUSED] = "with a fix that was taken back before",
    [LEFT_RISKY] = "with a fix that may change what the program does (see --fixes)",
    [LEFT_BUILD] = "with a fix that breaks the build",
    [LEFT_TEST] = "with a fix that breaks the test",
    [LEFT_GROUP] = "with a fix of a group that breaks the test",
    [LEFT_UNTRIED] = "with a fix that was not tried yet",
};

static enum left why_left(const struct fixits *fixits, uint32_t index)
{
    static const enum left by_state[PATCH_STATE_COUNT] = {
        [PATCH_TAKEN] = LEFT_NOT,
        [PATCH_NO_FIX] = LEFT_NO_FIX,
        [PATCH_UNFIT] = LEFT_UNFIT,
        [PATCH_BARRED] = LEFT_BARRED,
        [PATCH_CHANGED] = LEFT_CHANGED,
        [PATCH_OVERLAPS] = LEFT_OVERLAPS,
        [PATCH_REFUSED] = LEFT_REFUSED,
        [PATCH_RISKY] = LEFT_RISKY,
    };
    const struct patch_item *item = &fixits->patch.items[index];
    enum fixits_fate fate = fixits->items[index].fate;

    if (item->state == PATCH_TAKEN && fixits->good[item->change]) return LEFT_NOT;
    if (fate == FATE_BUILD) return LEFT_BUILD;
    if (fate == FATE_TEST) return LEFT_TEST;
    if (fate == FATE_GROUP) return LEFT_GROUP;
    if (fate == FATE_UNTRIED) return LEFT_UNTRIED;
    return by_state[item->state];
}

/* ---- quoting ---- */

void fixits_quote(struct buf *out, struct str text, size_t bytes_max)
{
    size_t run = 0, longest = 0;
    struct buf safe;
    bool padded;

    buf_init(&safe, bytes_max + 16);
    safe_text(&safe, text, true, bytes_max);
    for (size_t i = 0; i < safe.size; i++) {
        run = safe.data[i] == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    /* A span of nothing is no span; blanks and backticks at its ends need blanks around them. */
    padded = safe.size == 0 || safe.data[0] == '`' || safe.data[safe.size - 1] == '`' ||
             (safe.data[0] == ' ' && safe.data[safe.size - 1] == ' ');
    for (size_t i = 0; i <= longest; i++) buf_byte(out, '`');
    if (padded) buf_byte(out, ' ');
    buf_add(out, buf_str(&safe));
    if (padded) buf_byte(out, ' ');
    for (size_t i = 0; i <= longest; i++) buf_byte(out, '`');
    buf_release(&safe);
}

/* Our own words as they are; others quote what they speak of. */
static void write_why(struct buf *out, const char *why)
{
    bool plain = true;

    for (const char *at = why; *at && plain; at++) {
        plain = byte_is_alnum(*at) || *at == ' ' || *at == ',';
    }
    if (plain) buf_text(out, why);
    else fixits_quote(out, str_of(why), TEXT_BYTES_MAX);
}

static void quote_place(struct buf *out, const struct finding *finding)
{
    struct buf place;

    if (finding->file.size == 0) {
        buf_text(out, "(no file)");
        return;
    }
    buf_init(&place, PLACE_BYTES_MAX + 32);
    safe_text(&place, finding->file, true, PLACE_BYTES_MAX);
    if (finding->line) buf_printf(&place, ":%u", finding->line);
    fixits_quote(out, buf_str(&place), PLACE_BYTES_MAX + 16);
    buf_release(&place);
}

/* - [warning] `a.c:7` -- `-Wformat`: `what is wrong`: */
static void write_finding(struct buf *out, const struct finding *finding)
{
    buf_printf(out, "- [%s] ", severity_names[finding->severity]);
    quote_place(out, finding);
    buf_text(out, " -- ");
    if (finding->kind.size) {
        fixits_quote(out, finding->kind, RULE_BYTES_MAX);
        buf_text(out, ": ");
    }
    fixits_quote(out, finding->text, TEXT_BYTES_MAX);
    buf_text(out, ": ");
}

/* ---- what was done ---- */

static void write_edit(struct buf *out, const struct fixits *fixits, const struct patch_edit *at)
{
    const struct edit *edit = at->edit;
    struct str old = str_skip(fixits->patch.files[at->file].content, (size_t)edit->start);

    old.size = (size_t)(edit->end - edit->start);
    if (old.size == 0) {
        buf_text(out, "inserted ");
        fixits_quote(out, edit->text, EDIT_BYTES_MAX);
        return;
    }
    buf_text(out, edit->text.size ? "replaced " : "removed ");
    fixits_quote(out, old, EDIT_BYTES_MAX);
    if (edit->text.size == 0) return;
    buf_text(out, " by ");
    fixits_quote(out, edit->text, EDIT_BYTES_MAX);
}

static void write_done(struct buf *out, const struct fixits *fixits, uint32_t index)
{
    const struct patch *patch = &fixits->patch;
    const struct patch_change *change = &patch->changes[patch->items[index].change];
    const struct patch_edit *edits = patch->edits + change->edit;
    uint32_t shown = change->count < EDITS_SHOWN ? change->count : EDITS_SHOWN;
    bool elsewhere = !str_eq(patch->files[edits[0].file].path, patch->items[index].finding->file);

    for (uint32_t i = 0; i < shown; i++) {
        if (i > 0) buf_text(out, ", ");
        write_edit(out, fixits, &edits[i]);
    }
    if (shown < change->count) buf_printf(out, ", and %u more edits", change->count - shown);
    if (elsewhere) {
        buf_text(out, ", in ");
        fixits_quote(out, edits[0].edit->file, PLACE_BYTES_MAX);
    }
    if (elsewhere || fixits->items[index].line != patch->items[index].finding->line) {
        buf_printf(out, " (now line %u)", fixits->items[index].line);
    }
    if (change->fix->text.size) {
        buf_text(out, ": ");
        fixits_quote(out, change->fix->text, TEXT_BYTES_MAX);
    }
    buf_byte(out, '\n');
}

static void write_rival(struct buf *out, const struct fixits *fixits, uint32_t rival)
{
    const struct finding *finding = fixits->patch.items[rival].finding;

    buf_text(out, "its fix overlaps that of ");
    quote_place(out, finding);
    if (finding->kind.size) {
        buf_text(out, ", ");
        fixits_quote(out, finding->kind, RULE_BYTES_MAX);
    }
    buf_text(out, why_left(fixits, rival) == LEFT_NOT ? ", which was made" : ", which was tried");
    buf_text(out, ": left for the next round\n");
}

static void write_reason(struct buf *out, const struct fixits *fixits, uint32_t index)
{
    const struct patch_item *item = &fixits->patch.items[index];
    const struct fixits_item *tried = &fixits->items[index];
    enum left left = why_left(fixits, index);

    switch (left) {
    case LEFT_NO_FIX:
        buf_text(out, "it has no fix that a machine can make\n");
        return;
    case LEFT_UNFIT:
        buf_text(out, "its fix is refused: ");
        write_why(out, item->why);
        break;
    case LEFT_BARRED:
        buf_text(out, "its fix is for a file that is not touched: ");
        write_why(out, item->why);
        break;
    case LEFT_CHANGED:
        buf_text(out, "the file has changed since it was reviewed: left for the next round");
        break;
    case LEFT_OVERLAPS:
        write_rival(out, fixits, item->rival);
        return;
    case LEFT_REFUSED:
        buf_text(out, "its fix broke something earlier in this run, and is not tried again\n");
        return;
    case LEFT_RISKY:
        buf_text(out, "its fix may change what the program does: it is made with `--fixes all`, or "
                      "where a test passes before and after it\n");
        return;
    case LEFT_UNTRIED:
        buf_text(out, "its fix was not tried: the test runs of this round were used up: left for "
                      "the next round\n");
        return;
    case LEFT_GROUP:
        buf_text(out, "its fix was taken back with others in files that depend on each other: one "
                      "of them breaks the test: ");
        fixits_quote(out, str_of(tried->why), TEXT_BYTES_MAX);
        buf_byte(out, '\n');
        return;
    case LEFT_BUILD:
    case LEFT_TEST:
        buf_printf(out, "its fix was taken back: it breaks the %s: ",
                   left == LEFT_BUILD ? "build" : "test");
        fixits_quote(out, str_of(tried->why), TEXT_BYTES_MAX);
        buf_byte(out, '\n');
        return;
    case LEFT_NOT:
    case LEFT_COUNT:
        return;
    }
    if (item->file.size && !str_eq(item->file, item->finding->file)) {
        buf_text(out, " (");
        fixits_quote(out, item->file, PLACE_BYTES_MAX);
        buf_byte(out, ')');
    }
    buf_byte(out, '\n');
}

/* ---- the parts ---- */

static void write_findings(struct buf *out, const struct fixits *fixits, bool fixed)
{
    uint32_t count = 0, listed = 0;
    size_t from = out->size;

    buf_printf(out, "\n## %s\n\n", fixed ? "Issues Fixed" : "Could Not Fix");
    for (uint32_t i = 0; i < fixits->patch.count; i++) {
        if ((why_left(fixits, i) == LEFT_NOT) != fixed) continue;
        count++;
        if (listed == LIST_MAX || out->size - from > LIST_BYTES_MAX) continue;
        listed++;
        write_finding(out, fixits->patch.items[i].finding);
        if (fixed) write_done(out, fixits, i);
        else write_reason(out, fixits, i);
    }
    if (count == 0) buf_text(out, "None.\n");
    if (listed < count) buf_printf(out, "- and %u more, not listed here\n", count - listed);
}

static void write_files(struct buf *out, const struct fixits *fixits)
{
    uint32_t count = 0, listed = 0;
    size_t from = out->size;

    buf_text(out, "\n## Files Modified\n\n");
    for (uint32_t i = 0; i < fixits->patch.file_count; i++) {
        const struct fixits_file *file = &fixits->files[i];

        if (!file->ours) continue;
        count++;
        if (listed == LIST_MAX || out->size - from > LIST_BYTES_MAX) continue;
        listed++;
        buf_text(out, "- ");
        fixits_quote(out, fixits->patch.files[i].path, PLACE_BYTES_MAX);
        if (file->lost) buf_text(out, ": fixed, and then changed by another process; look at it");
        buf_byte(out, '\n');
    }
    if (count == 0) buf_text(out, "None.\n");
    if (listed < count) buf_printf(out, "- and %u more, not listed here\n", count - listed);
}

static void write_broken(struct buf *out, const struct fixits *fixits)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < fixits->project.count; i++) {
        const struct source *source = &fixits->project.sources[i];

        if (!source->broken || count++ >= BROKEN_SHOWN) continue;
        buf_text(out, count == 1 ? "- These did not compile before any fix, and were not asked: "
                                 : ", ");
        fixits_quote(out, str_of(source->path), PLACE_BYTES_MAX);
    }
    if (count > BROKEN_SHOWN) buf_printf(out, ", and %u more", count - BROKEN_SHOWN);
    if (count > 0) buf_byte(out, '\n');
}

static void write_checks(struct buf *out, const struct fixits *fixits, bool fixed)
{
    buf_text(out, "\n## Checks\n\n");
    if (!fixits->project_opened) {
        buf_text(out, "None: there was nothing to check.\n");
        return;
    }
    buf_text(out, "- Whether the changed files, and what depends on them, still compile");
    if (fixits->project.flags_from && strcmp(fixits->project.flags_from, "nothing") != 0) {
        buf_text(out, ", with flags from ");
        write_why(out, fixits->project.flags_from);
    }
    buf_text(out, ".\n");
    write_broken(out, fixits);
    if (fixits->test_state == TEST_NONE) {
        buf_text(out, fixed ? FIXITS_UNVERIFIED_LINE "there is no test, `--test` gives one.\n"
                            : "- No test: `--test` gives one.\n");
    } else {
        buf_text(out, FIXITS_TEST_LINE);
        fixits_quote(out, str_of(fixits->test), TEXT_BYTES_MAX);
        buf_text(out, fixits->test_state == TEST_USELESS
                          ? FIXITS_TEST_USELESS "\n"
                          : ".\n");
    }
    if (fixits->refused_damaged) {
        buf_text(out, "- The list of fixes that broke something earlier was damaged, and is begun"
                      " anew.\n");
    }
}

static void write_stuck(struct buf *out, const struct fixits *fixits, const uint32_t *counts)
{
    uint32_t total = fixits->patch.count;
    const char *between = " ";

    if (counts[LEFT_NOT] > 0 || counts[LEFT_CHANGED] > 0 || counts[LEFT_UNTRIED] > 0) return;
    for (uint32_t i = 0; i < fixits->patch.file_count; i++) {
        if (fixits->files[i].lost) return;
    }
    if (total == 0) {
        buf_text(out, "\nSTUCK: there are no findings to fix\n");
    } else if (counts[LEFT_NO_FIX] == total) {
        if (total == 1) buf_text(out, "\nSTUCK: the finding has no fix that a machine can make\n");
        else buf_printf(out, "\nSTUCK: none of the %u findings has a fix that a machine can make\n",
                        total);
    } else {
        buf_printf(out, "\nSTUCK: none of the %u finding%s could be fixed:", total,
                   total == 1 ? "" : "s");
        for (int i = LEFT_NO_FIX; i < LEFT_COUNT; i++) {
            if (counts[i] == 0) continue;
            buf_printf(out, "%s%u %s", between, counts[i], left_words[i]);
            between = ", ";
        }
        buf_byte(out, '\n');
    }
}

void fixits_report(struct fixits *fixits, struct buf *out)
{
    const char *iteration = getenv("HONE_ITERATION");
    uint32_t counts[LEFT_COUNT] = { 0 };
    uint64_t number;

    if (!iteration || !str_number(str_of(iteration), &number)) number = 1;
    for (uint32_t i = 0; i < fixits->patch.count; i++) counts[why_left(fixits, i)]++;
    buf_printf(out, "# Fix Summary: Iteration %u\n", (unsigned)number);
    write_findings(out, fixits, true);
    write_findings(out, fixits, false);
    write_files(out, fixits);
    write_checks(out, fixits, counts[LEFT_NOT] > 0);
    buf_printf(out, "\n## Statistics\n\n- Total: %u\n- Fixed: %u\n- Could not fix: %u\n",
               fixits->patch.count, counts[LEFT_NOT], fixits->patch.count - counts[LEFT_NOT]);
    if (counts[LEFT_RISKY] > 0) buf_printf(out, FIXITS_HELD_LINE "%u\n", counts[LEFT_RISKY]);
    if (fixits->tests_run > 0) buf_printf(out, "- Test runs: %u\n", fixits->tests_run);
    write_stuck(out, fixits, counts);
}
