/* SPDX-License-Identifier: Apache-2.0
 *
 * exec_text.c - an executor's report of what it did.
 *
 * A round changed files or it did not, and the report says the same in three places:
 *
 *                       Changes Made                     Files     Notes for Reviewer
 *     files changed     ...                              items     ...
 *     no-op             No code changes were required    None      No-op round
 *
 * 1. Any mixture is a problem: nobody guesses which of the places is right.
 * 2. Deviations are explained: `None`, or what was done instead, and why. A reason is told by a
 *    word of a table. A long text is taken for an explanation, in whatever language.
 *
 * Not here: whether it is true (the judge has the delta of the round). */
#include "dialect/session/parts.h"

#include <assert.h>

enum { EXPLAINED_BYTES = 100 }; /* of deviations: so much text is an explanation */

static const struct part_name names[EXEC_SECTION_COUNT] = {
    [EXEC_CHANGES_MADE] = { .name = "Changes Made" },
    [EXEC_FILES] = { .name = "Files Modified / Created / Deleted",
                     .alias = "Files Modified / Created" },
    [EXEC_DEVIATIONS] = { .name = "Deviations from Plan" },
    [EXEC_NOTES] = { .name = "Notes for Reviewer" },
};

/* ---- no-op ---- */

/* Files are claimed: neither of the other places may deny it. */
static void check_changed(const struct session_exec_text *exec, struct check_report *report)
{
    if (exec->noop_changes) {
        check_report_add(report, "unchanged-with-files", exec->lines[EXEC_CHANGES_MADE],
                         "`### Changes Made` says that no code changes were required, and files "
                         "are listed: wanted only one of the two");
    }
    if (exec->noop_notes) {
        check_report_add(report, "noop-with-files", exec->lines[EXEC_NOTES], "`### Notes for "
                         "Reviewer` calls the round a no-op, and files are listed: wanted only one "
                         "of the two");
    }
}

/* No file is: both of the other places must say so. */
static void check_noop(const struct session_exec_text *exec, struct check_report *report)
{
    if (!exec->noop_changes && exec->lines[EXEC_CHANGES_MADE]) {
        check_report_add(report, "noop-without-unchanged", exec->lines[EXEC_CHANGES_MADE],
                         "no file is listed, and `### Changes Made` does not say: No code changes "
                         "were required for this round.");
    }
    if (!exec->noop_notes && exec->lines[EXEC_NOTES]) {
        check_report_add(report, "noop-without-note", exec->lines[EXEC_NOTES], "no file is "
                         "listed, and `### Notes for Reviewer` does not say: No-op round.");
    }
}

static void check_files(const struct outline_heading *section, uint32_t none_line,
                        struct session_exec_text *exec, struct check_report *report)
{
    if (none_line && !outline_is_none(section->body)) {
        check_report_add(report, "none-with-files", none_line, "`None` stands beside other lines: "
                         "wanted a list of files, or `None` alone");
        return;
    }
    exec->noop_files = none_line > 0;
    exec->is_noop = exec->noop_changes && exec->noop_files && exec->noop_notes;
    if (exec->files.count > 0) check_changed(exec, report);
    else if (none_line) check_noop(exec, report);
}

/* ---- deviations ---- */

/* A label with nothing behind it: a heading, `- Other parser:`, or one word that is not `None`
 * where more was to be said: `Yes.` */
static bool is_label(const struct outline_line *line, bool first)
{
    struct str words = line->words;

    while (str_ends(words, STR("*")) || str_ends(words, STR("_"))) words.size--;
    if (line->level || str_ends(words, STR(":"))) return true;
    if (line->kind != OUTLINE_OWN || outline_says_none(words)) return false;
    return (line->item || first) && !str_has(words, ' ');
}

static const char *const reasons[] = {
    "because", "since", "as", "so", "due", "reason*", "why", "therefore", "thus", "hence",
    "otherwise", "in order", "to avoid", "to keep", "to make", "to prevent", "to ensure",
    "to allow", "to match", "to be", "to get", "to let", "to stay", "would", "could", "cannot",
    "no", "not", "none", "nothing", "never", "neither", "without", "already", "need*", "necess*",
    "unnecess*", "requir*", "redundant", "obsolete", "missing", "gone", "removed", "exist*",
    "unavailable", "impossible", "fail*", "broke*", "break*", "conflict*", "wrong", "bug*", "risk*",
    "unsafe", "safer", "slow*", "fast*", "simpl*", "easier", "better", "clear*", "compat*",
    "consisten*", "perform*", NULL,
};

static void unexplained(uint32_t line, struct check_report *report)
{
    check_report_add(report, "unexplained-deviation", line, "a deviation is named and not "
                     "explained: wanted which step, what was done instead, and why (`because "
                     "...`); or `None`");
}

static void check_deviations(const struct outline_heading *section, struct check_report *report)
{
    struct outline_walk walk = outline_lines(section->body, section->line);
    uint32_t label = 0, none = 0, others = 0, problems = report->count;
    struct outline_line line;
    bool reasoned = false;
    size_t bytes = 0;

    while (outline_next(&walk, &line)) {
        if (line.kind == OUTLINE_BLANK || line.kind == OUTLINE_HTML) continue;
        if (line.kind == OUTLINE_OWN || line.kind == OUTLINE_INDENTED) {
            reasoned = reasoned || says_one_of(line.words, reasons);
            bytes += line.words.size;
        }
        if (is_label(&line, none + others == 0)) {
            if (label) unexplained(label, report);
            label = line.number;
            others++;
        } else if (line.kind == OUTLINE_OWN && outline_says_none(line.words)) {
            if (none == 0) none = line.number;
        } else {
            label = 0;
            others++;
        }
    }
    if (label) unexplained(label, report);
    reasoned = reasoned || bytes >= EXPLAINED_BYTES;
    if (others && !reasoned && report->count == problems) unexplained(section->line, report);
    if (none && others) {
        check_report_add(report, "none-with-deviations", none, "`None` stands beside deviations: "
                         "wanted only one of the two");
    }
}

/* ---- all of it ---- */

static void check_place(const struct outline *outline, const char *workspace,
                        struct check_report *report)
{
    uint32_t line = says_elsewhere(outline->text, 0, workspace);

    if (line == 0) return;
    check_report_add(report, "other-checkout", line, "it tells of work in another worktree or "
                     "checkout: only what is done in the workspace itself counts");
}

bool session_exec_text_read(struct str answer, const char *workspace, struct arena *arena,
                            struct check_report *report, struct session_exec_text *out)
{
    static const struct executor_form form = { "Implementation Complete", names,
                                               EXEC_SECTION_COUNT };
    struct files_rule rule = { .concrete = true, .workspace = workspace };
    const struct outline_heading *found[EXEC_SECTION_COUNT], *section;
    struct outline outline;
    uint32_t none_line;

    assert(report->count == 0);
    *out = (struct session_exec_text){ .title = { "", 0 } };
    outline_read(answer, 1, arena, report, &outline);
    out->text = outline.kept;
    if (str_trim(outline.text).size == 0) return false;
    executor_sections(&form, &outline, report, found, &out->title);
    for (uint32_t i = 0; i < EXEC_SECTION_COUNT; i++) out->lines[i] = found[i] ? found[i]->line : 0;
    section = found[EXEC_CHANGES_MADE];
    out->noop_changes = section && says_no_changes(section->body);
    section = found[EXEC_NOTES];
    out->noop_notes = section && says_noop(section->body);
    section = found[EXEC_FILES];
    if (section && !outline_is_hollow(section->body)) {
        named_files_read(section, &rule, arena, report, &out->files, &none_line);
        check_files(section, none_line, out, report);
    }
    section = found[EXEC_DEVIATIONS];
    if (section && !outline_is_hollow(section->body)) check_deviations(section, report);
    check_place(&outline, workspace, report);
    return report->count == 0;
}
