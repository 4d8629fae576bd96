/* SPDX-License-Identifier: Apache-2.0
 *
 * answers.c - reads the answers of the session dialect: a plan, a report, a review; and says what
 * is wrong with one, to `hone check` and to the agent that is asked again.
 *
 * A plan. Its steps are numbered: the first item below Implementation Steps has a number, and none
 * is without words. What stands between and below them is free.
 *
 * A report. A round changed files or it did not, and the report says the same in three places:
 *
 *                       Changes Made                     Files     Notes for Reviewer
 *     files changed     ...                              items     ...
 *     no-op             No code changes were required    None      No-op round
 *
 * 1. Any mixture is a problem: which of the places is right is not guessed.
 * 2. Deviations are explained: `None`, or what was done instead, and why. A reason is told by a
 *    word of a table. A long text is taken for an explanation, in every language.
 *
 * A review.
 *
 * 3. The verdict is the one heading `### VERDICT: WORD`. A line at the margin that begins with
 *    VERDICT: in another dress is a second one, or a bad one: a review has one verdict or none. So
 *    is `Verdict:` with one of the two words behind it.
 * 4. Below Issues each line is an issue, belongs to one, is the one line `- None.`, or is a
 *    problem. A label [CRITICAL] or [MINOR] is an issue however deep it is indented, so that none
 *    can hide below another; and outside Issues it is a problem.
 * 5. What the verdict may be with these issues is judged last. Where an issue could not be read,
 *    it is not said that issues are missing.
 * 6. A CRITICAL of a review of code is refused for want of a place only where it speaks of concrete
 *    code and gives no place at all. What speaks of something missing, of the plan, of the
 *    workspace or of the whole needs none. In doubt it is taken: a finding without a place can be
 *    looked into, one that was refused cannot.
 *
 * A correction (prompts/session/correction.md).
 *
 * 7. It shows the whole form: an answer that follows the form to the letter passes the check.
 * 8. It says first what is wrong, line by line, then the form. Nothing else about the answer has
 *    been judged, and it says so: an agent that is asked again tends to change what was right.
 *
 * Not here: what single words name and say (words.c); whether a report is true (judge.c has the
 * delta of the round). */
#include "dialect/session/answers.h"

#include "base/buf.h"
#include "dialect/complaint.h"
#include "dialect/prose.h"
#include "prompts/session.h"

#include <assert.h>
#include <string.h>

/* ---- sections ---- */

struct part_name {
    const char *name;
    const char *alias; /* another name that is accepted, or NULL */
};

/* What an executor writes: `## HEADING: title` and its sections, all of them, in order. */
struct executor_form {
    const char *heading;
    const struct part_name *names;
    uint32_t count;
};

/* The index of the section with that name, or count. */
static uint32_t part_find(struct str name, const struct part_name *names, uint32_t count)
{
    uint32_t i = 0;

    for (; i < count; i++) {
        if (str_is(name, names[i].name)) break;
        if (names[i].alias && str_is(name, names[i].alias)) break;
    }
    return i;
}

/* Marks a section as found. False, with a problem: it is there for the second time. */
static bool part_take(const struct outline_heading *heading, const struct outline_heading **found,
                      struct check_report *report)
{
    if (*found) {
        check_report_add(report, "repeated-section", heading->line, "`### %.*s` is there already, "
                         "in line %u: wanted once", STR_ARG(heading->name),
                         (unsigned)(*found)->line);
        return false;
    }
    *found = heading;
    return true;
}

/* Whether it is `## HEADING: title`; the title, trimmed. */
static bool is_top(const struct executor_form *form, const struct outline_heading *heading,
                   struct str *title)
{
    struct str word = str_of(form->heading);

    if (heading->level != 2 || !str_starts(heading->name, word)) return false;
    *title = str_skip(heading->name, word.size);
    if (!str_starts(*title, STR(":"))) return false;
    *title = str_trim(str_skip(*title, 1));
    return true;
}

/* A section whose name is known, and which is there for the first time. */
static void check_order(const struct executor_form *form, const struct outline_heading *heading,
                        uint32_t index, uint32_t *newest, struct check_report *report)
{
    if (*newest < form->count && index < *newest) {
        check_report_add(report, "misplaced-section", heading->line, "`### %s` stands behind "
                         "`### %s`: wanted before it", form->names[index].name,
                         form->names[*newest].name);
        return;
    }
    *newest = index;
}

static void check_parts(const struct executor_form *form,
                        const struct outline_heading *const *found, struct check_report *report)
{
    for (uint32_t i = 0; i < form->count; i++) {
        if (!found[i]) {
            check_report_add(report, "missing-section", 0, "there is no section `### %s`",
                             form->names[i].name);
        } else if (outline_is_hollow(found[i]->body)) {
            check_report_add(report, "empty-section", found[i]->line, "`### %s` has nothing below "
                             "it", form->names[i].name);
        }
    }
}

/* The first heading with the title, or NULL. */
static const struct outline_heading *find_top(const struct executor_form *form,
                                              const struct outline *outline, struct str *title)
{
    for (uint32_t i = 0; i < outline->count; i++) {
        if (is_top(form, &outline->items[i], title)) return &outline->items[i];
    }
    *title = (struct str){ "", 0 };
    return NULL;
}

/* A heading that is not the title. */
static void on_heading(const struct executor_form *form, const struct outline_heading *heading,
                       uint32_t *newest, const struct outline_heading **found,
                       struct check_report *report)
{
    uint32_t index = part_find(heading->name, form->names, form->count);
    struct str shown = words_shown(heading->name);

    if (heading->level != OUTLINE_LEVEL) {
        check_report_add(report, "unknown-heading", heading->line, "the heading `%.*s` is no part "
                         "of the form: use #### and deeper below a section", STR_ARG(shown));
    } else if (index == form->count) {
        check_report_add(report, "unknown-section", heading->line, "`### %.*s` is no section of "
                         "the form: use #### and deeper below a section", STR_ARG(shown));
    } else if (part_take(heading, &found[index], report)) {
        check_order(form, heading, index, newest, report);
    }
}

/* A heading that stands before the title; one that is unknown has been told already. */
static void check_before(const struct executor_form *form, const struct outline_heading *heading,
                         struct check_report *report)
{
    if (heading->level != OUTLINE_LEVEL ||
        part_find(heading->name, form->names, form->count) == form->count) {
        return;
    }
    check_report_add(report, "misplaced-section", heading->line, "`### %.*s` stands before the "
                     "heading `## %s: TITLE`", STR_ARG(heading->name), form->heading);
}

/* found has a place for each section; NULL where it is missing. Adds what is wrong with headings
 * and with sections that say nothing. */
static void executor_sections(const struct executor_form *form, const struct outline *outline,
                              struct check_report *report, const struct outline_heading **found,
                              struct str *title)
{
    const struct outline_heading *top = find_top(form, outline, title);
    uint32_t newest = form->count;
    struct str other;

    for (uint32_t i = 0; i < form->count; i++) found[i] = NULL;
    if (!top) {
        check_report_add(report, "missing-heading", 0, "there is no heading `## %s: TITLE` at the "
                         "left margin, outside code and quotes", form->heading);
    } else if (title->size == 0 || (title->data[0] == '{' && str_ends(*title, STR("}")))) {
        check_report_add(report, "missing-title", top->line, "`## %s:` has no title behind it",
                         form->heading);
    }
    for (uint32_t i = 0; i < outline->count; i++) {
        const struct outline_heading *heading = &outline->items[i];

        if (heading == top) continue;
        if (top && is_top(form, heading, &other)) {
            check_report_add(report, "repeated-heading", heading->line, "`## %s:` is there "
                             "already, in line %u: wanted once", form->heading,
                             (unsigned)top->line);
        } else {
            on_heading(form, heading, &newest, found, report);
            if (top && heading < top) check_before(form, heading, report);
        }
    }
    check_parts(form, found, report);
}

/* ---- a plan ---- */

enum plan_section {
    PLAN_PROBLEM_ANALYSIS,
    PLAN_PROPOSED_APPROACH,
    PLAN_IMPLEMENTATION_STEPS,
    PLAN_FILES,
    PLAN_RISKS,
    PLAN_OPEN_QUESTIONS,
    PLAN_SECTION_COUNT
};

static const struct part_name plan_parts[PLAN_SECTION_COUNT] = {
    [PLAN_PROBLEM_ANALYSIS] = { .name = "Problem Analysis" },
    [PLAN_PROPOSED_APPROACH] = { .name = "Proposed Approach" },
    [PLAN_IMPLEMENTATION_STEPS] = { .name = "Implementation Steps" },
    [PLAN_FILES] = { .name = "Files to Modify / Create" },
    [PLAN_RISKS] = { .name = "Risks & Assumptions" },
    [PLAN_OPEN_QUESTIONS] = { .name = "Open Questions" },
};

static void check_steps(const struct outline_heading *section, struct check_report *report)
{
    struct outline_walk walk = outline_lines(section->body, section->line);
    struct outline_line line;
    uint32_t items = 0;

    while (outline_next(&walk, &line)) {
        if (!line.item || (line.columns && items > 0)) continue;
        items++;
        if (!line.numbered && items == 1) {
            check_report_add(report, "unnumbered-steps", line.number, "the steps are not numbered: "
                             "wanted `1. ...`, `2. ...`");
            return;
        }
        if (line.numbered && !outline_says(&line)) {
            check_report_add(report, "empty-step", line.number, "the step has no words");
        }
    }
    if (items == 0) {
        check_report_add(report, "unnumbered-steps", section->line, "`### Implementation Steps` "
                         "has no step: wanted `1. ...`, `2. ...`");
    }
}

bool session_plan_text_read(struct str answer, struct arena *arena, struct check_report *report,
                            struct session_plan_text *out)
{
    static const struct executor_form form = { "Solution Plan", plan_parts, PLAN_SECTION_COUNT };
    static const struct files_rule rule = { .concrete = false };
    const struct outline_heading *found[PLAN_SECTION_COUNT], *section;
    struct outline outline;
    uint32_t none_line;

    assert(report->count == 0);
    *out = (struct session_plan_text){ .title = { "", 0 } };
    outline_read(answer, 1, arena, report, &outline);
    out->text = outline.kept;
    if (str_trim(outline.text).size == 0) return false;
    executor_sections(&form, &outline, report, found, &out->title);
    section = found[PLAN_IMPLEMENTATION_STEPS];
    if (section && !outline_is_hollow(section->body)) check_steps(section, report);
    section = found[PLAN_FILES];
    if (section && !outline_is_hollow(section->body)) {
        named_files_read(section, &rule, arena, report, &out->files, &none_line);
        if (none_line) {
            check_report_add(report, "missing-path", none_line, "a plan names the files that it "
                             "touches: wanted - `path/to/file` - reason");
        }
    }
    return report->count == 0;
}

/* ---- a report ---- */

enum { EXPLAINED_BYTES = 100 }; /* of deviations: so much text is an explanation */

static const struct part_name report_parts[EXEC_SECTION_COUNT] = {
    [EXEC_CHANGES_MADE] = { .name = "Changes Made" },
    [EXEC_FILES] = { .name = "Files Modified / Created / Deleted",
                     .alias = "Files Modified / Created" },
    [EXEC_DEVIATIONS] = { .name = "Deviations from Plan" },
    [EXEC_NOTES] = { .name = "Notes for Reviewer" },
};

/* ---- a report: no-op ---- */

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

/* ---- a report: deviations ---- */

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

/* ---- a report: all of it ---- */

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
    static const struct executor_form form = { "Implementation Complete", report_parts,
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

/* ---- a review ---- */

enum review_section {
    REVIEW_ISSUES,
    REVIEW_STRENGTHS,
    REVIEW_QUESTIONS,
    REVIEW_SECTION_COUNT
};

static const struct part_name review_parts[REVIEW_SECTION_COUNT] = {
    [REVIEW_ISSUES] = { .name = "Issues" },
    [REVIEW_STRENGTHS] = { .name = "Strengths" },
    [REVIEW_QUESTIONS] = { .name = "Questions" },
};

static const char *const verdicts[SESSION_VERDICT_COUNT] = {
    [SESSION_VERDICT_NONE] = "",
    [SESSION_APPROVE] = "APPROVE",
    [SESSION_REQUEST_CHANGES] = "REQUEST_CHANGES",
};

struct review_reading {
    struct arena *arena;
    struct check_report *report;
    struct session_review_text *out;
    uint32_t verdict_line; /* of the first, good or bad; 0: none yet */
    uint32_t none_line;    /* of the first `None` below Issues */
    uint32_t bad_issues;   /* lines below Issues that could not be read as one */

    bool open;             /* an issue that may go on */
    struct session_issue issue;
    bool placed;           /* its file is from a File: line */
    struct str bare;       /* the first path in its words that has no backticks; may be empty */
    uint32_t bare_line;
    struct buf description;
};

/* Without marks of emphasis in front. */
static struct str without_marks(struct str text)
{
    return text_skip(text, "*_");
}

/* ---- a review: the verdict ---- */

/* Whether a verdict stands there for the first time. */
static bool verdict_take(struct review_reading *reading, uint32_t line)
{
    if (reading->verdict_line) {
        check_report_add(reading->report, "repeated-verdict", line, "there is a verdict already, "
                         "in line %u: wanted one", (unsigned)reading->verdict_line);
        return false;
    }
    reading->verdict_line = line;
    return true;
}

static void bad_verdict(struct review_reading *reading, uint32_t line)
{
    check_report_add(reading->report, "invalid-verdict", line, "the verdict is not exactly "
                     "`### VERDICT: APPROVE` or `### VERDICT: REQUEST_CHANGES`, without brackets "
                     "and with nothing behind it");
}

/* A heading of level 3; whether it is about the verdict. */
static bool on_verdict(struct review_reading *reading, const struct outline_heading *heading)
{
    struct str value = heading->name, word;

    if (!str_cut(&value, ':', &word)) return false;
    word = without_marks(str_trim(word));
    if (!word_is(word, "verdict")) return false;
    if (!verdict_take(reading, heading->line)) return true;
    value = str_trim(value);
    reading->out->verdict_line = heading->line;
    for (int i = SESSION_APPROVE; i < SESSION_VERDICT_COUNT; i++) {
        if (str_is(value, verdicts[i])) reading->out->verdict = (enum session_verdict)i;
    }
    if (reading->out->verdict == SESSION_VERDICT_NONE) bad_verdict(reading, heading->line);
    return true;
}

/* A verdict in another dress: a plain line, bold, another level of heading. */
static bool is_odd_verdict(const struct outline_line *line)
{
    struct str text = line->text;

    bool loud;

    if (line->kind != OUTLINE_OWN || line->columns || line->level == OUTLINE_LEVEL) return false;
    text = text_skip(text, "#*_ \t");
    if (!starts_with_word(text, "verdict")) return false;
    loud = str_starts(text, STR("VERDICT"));
    text = text_skip(str_skip(text, 7), "*_ \t");
    if (!str_starts(text, STR(":"))) return false;
    text = text_skip(str_skip(text, 1), "*_[` \t");
    return loud || str_starts(text, str_of(verdicts[SESSION_APPROVE])) ||
           str_starts(text, str_of(verdicts[SESSION_REQUEST_CHANGES]));
}

/* ---- a review: issues ---- */

/* Cuts [CRITICAL] or [MINOR] off the front; false: it is neither. */
static bool cut_label(struct str *text, bool *critical)
{
    static const struct str high = STR("[CRITICAL]"), low = STR("[MINOR]");

    *critical = str_starts(*text, high);
    if (!*critical && !str_starts(*text, low)) return false;
    *text = str_trim(str_skip(*text, *critical ? high.size : low.size));
    if (str_starts(*text, STR(":"))) *text = str_trim(str_skip(*text, 1));
    return true;
}

/* Without " - must be resolved before proceeding" or " - recommended improvement". */
static struct str without_tail(struct str text)
{
    static const char *const tails[] = {
        "must be resolved before proceeding", "recommended improvement",
    };
    struct str rest = text;

    while (str_ends(rest, STR("."))) rest.size--;
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        size_t size = strlen(tails[i]);

        if (rest.size < size || !starts_with_word(str_skip(rest, rest.size - size), tails[i])) {
            continue;
        }
        rest.size -= size;
        rest = str_trim(rest);
        if (str_ends(rest, STR("\xe2\x80\x93")) || str_ends(rest, STR("\xe2\x80\x94"))) {
            rest.size -= 3;
        } else if (str_ends(rest, STR("-"))) {
            while (str_ends(rest, STR("-"))) rest.size--;
        } else if (rest.size) {
            return text;
        }
        return str_trim(rest);
    }
    return text;
}

static void issue_end(struct review_reading *reading)
{
    struct session_review_text *out = reading->out;
    struct session_issue *issue = &reading->issue;
    struct str words = str_trim(buf_str(&reading->description));

    if (!reading->open) return;
    reading->open = false;
    if (words.size == 0 || str_starts(words, STR("<description>"))) {
        check_report_add(reading->report, "missing-description", issue->line, "the issue does not "
                         "say what is wrong");
        reading->bad_issues++;
        return;
    }
    if (issue->file.size == 0) {
        issue->file = reading->bare;
        issue->file_line = reading->bare_line;
    }
    if (issue->file.size) issue->anchored = true;
    issue->description = arena_copy(reading->arena, words);
    out->critical_count += issue->critical;
    out->issues = arena_grow(reading->arena, out->issues, out->issue_count, &out->issue_cap,
                             sizeof *out->issues);
    out->issues[out->issue_count++] = *issue;
}

static void find_file(struct review_reading *reading, struct str words)
{
    struct session_issue *issue = &reading->issue;
    struct str name = without_marks(words), file;
    uint32_t line;

    if (!reading->placed && starts_with_word(name, "file:")) {
        place_read(str_skip(name, 5), &file, &line);
        reading->placed = file.size > 0;
    } else if (issue->file.size || !place_find(words, &file, &line)) {
        if (reading->bare.size == 0 && place_find_bare(words, &file, &line)) {
            reading->bare = file;
            reading->bare_line = line;
        }
        return;
    }
    if (file.size == 0) return;
    issue->file = file;
    issue->file_line = line;
}

/* The line belongs to the issue that is open. */
static void issue_continue(struct review_reading *reading, const struct outline_line *line,
                           struct str words)
{
    struct session_issue *issue = &reading->issue;
    bool own = line->kind == OUTLINE_OWN || line->kind == OUTLINE_INDENTED;
    struct str name = without_marks(line->words), file;
    uint32_t number;

    issue->text.size = (size_t)(line->text.data + line->text.size - issue->text.data);
    if (own) find_file(reading, words);
    else if (place_find_bare(line->text, &file, &number)) issue->anchored = true;
    if (own && starts_with_word(name, "file:")) return;
    if (own) words = without_tail(words);
    if (reading->description.size) buf_byte(&reading->description, '\n');
    buf_add(&reading->description, words);
}

static void issue_begin(struct review_reading *reading, const struct outline_line *line,
                        bool critical, struct str words)
{
    issue_end(reading);
    buf_clear(&reading->description);
    reading->open = true;
    reading->placed = false;
    reading->bare = (struct str){ "", 0 };
    reading->bare_line = 0;
    reading->issue = (struct session_issue){
        .critical = critical,
        .description = { "", 0 },
        .text = line->words,
        .file = { "", 0 },
        .line = line->number,
    };
    issue_continue(reading, line, words);
}

static void bad_issue(struct review_reading *reading, const char *code, uint32_t line,
                      const char *message)
{
    issue_end(reading);
    reading->bad_issues++;
    check_report_add(reading->report, code, line, "%s", message);
}

/* `None` in some form. */
static void on_none(struct review_reading *reading, const struct outline_line *line)
{
    issue_end(reading);
    if (reading->none_line) {
        bad_issue(reading, "invalid-none", line->number, "`- None.` is there already: wanted "
                  "once");
        return;
    }
    reading->none_line = line->number;
    if (!str_is(line->text, "- None.") || line->columns) {
        bad_issue(reading, "invalid-none", line->number, "where there is no issue, the section "
                  "must be exactly `- None.`");
    }
}

/* Words that stand for "nothing", in a form that is not accepted. */
static bool is_placeholder(struct str words)
{
    static const char *const forms[] = {
        "no issue", "none", "n/a", "nothing", "no problem", "no finding", "no critical",
        "no blocking", "no concern", "no major", "no minor", "not applicable", "...",
    };

    words = text_skip(words, "*_`(");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (starts_with_word(words, forms[i])) return true;
    }
    return words.size == 0;
}

/* Own words that are no label. */
static void on_words(struct review_reading *reading, const struct outline_line *line)
{
    bool goes_on = line->columns > 0 || starts_with_word(without_marks(line->words), "file:");

    if (outline_says_none(line->words) && (line->item || line->columns == 0)) {
        on_none(reading, line);
    } else if (reading->open && goes_on) {
        issue_continue(reading, line, line->words);
    } else if (line->level > OUTLINE_LEVEL) {
        issue_end(reading);
    } else if (line->words.size && line->words.data[0] == '[') {
        bad_issue(reading, "invalid-severity", line->number, "the label of an issue is exactly "
                  "[CRITICAL] or [MINOR]");
    } else if (is_placeholder(line->words)) {
        bad_issue(reading, "issues-prose-placeholder", line->number, "where there is no issue, the "
                  "section must be exactly `- None.`, or be left out");
    } else if (line->item) {
        bad_issue(reading, "missing-severity", line->number, "the issue does not begin with "
                  "[CRITICAL] or [MINOR]");
    } else {
        bad_issue(reading, "issues-prose", line->number, "only issues may stand here, each with "
                  "[CRITICAL] or [MINOR] in front, its other lines indented");
    }
}

/* A quote or code. */
static void on_foreign(struct review_reading *reading, const struct outline_line *line)
{
    if (reading->open) {
        issue_continue(reading, line, line->text);
    } else if (!line->goes_on) {
        bad_issue(reading, "issues-prose", line->number, "a quote or code stands here, and belongs "
                  "to no issue");
    }
}

static void read_issues(struct review_reading *reading, const struct outline_heading *section)
{
    struct outline_walk walk = outline_lines(section->body, section->line);
    struct outline_line line;

    if (outline_is_hollow(section->body)) {
        bad_issue(reading, "issues-empty-body", section->line, "`### Issues` has nothing below it: "
                  "wanted issues, or `- None.`");
        return;
    }
    while (outline_next(&walk, &line)) {
        struct str words = line.words;
        bool critical, second;

        if (line.kind == OUTLINE_BLANK || line.kind == OUTLINE_HTML) continue;
        if (line.kind != OUTLINE_OWN && line.kind != OUTLINE_INDENTED) {
            on_foreign(reading, &line);
        } else if (!cut_label(&words, &critical)) {
            on_words(reading, &line);
        } else if (cut_label(&words, &second)) {
            bad_issue(reading, "invalid-severity", line.number, "the issue has two labels: wanted "
                      "[CRITICAL] or [MINOR]");
        } else {
            issue_begin(reading, &line, critical, words);
        }
    }
    issue_end(reading);
    if (reading->none_line && reading->out->issue_count) {
        check_report_add(reading->report, "none-with-issues", reading->none_line, "`- None.` "
                         "stands beside issues: wanted only one of the two");
    }
}

/* ---- a review: all of it ---- */

/* What may not stand outside its place: a verdict in another dress, an issue outside Issues. */
static void find_misplaced(struct review_reading *reading, struct str text, uint32_t line_before,
                           bool is_issues)
{
    struct outline_walk walk = outline_lines(text, line_before);
    struct outline_line line;
    bool critical;

    while (outline_next(&walk, &line)) {
        struct str words = line.words;

        if (is_odd_verdict(&line)) {
            if (verdict_take(reading, line.number)) bad_verdict(reading, line.number);
        } else if (!is_issues && (line.kind == OUTLINE_OWN || line.kind == OUTLINE_INDENTED) &&
                   cut_label(&words, &critical)) {
            check_report_add(reading->report, "misplaced-issue", line.number, "an issue stands "
                             "outside `### Issues`");
        }
    }
}

static void read_headings(struct review_reading *reading, const struct outline *outline,
                          const struct outline_heading **found)
{
    for (uint32_t i = 0; i < outline->count; i++) {
        const struct outline_heading *heading = &outline->items[i];
        uint32_t index = part_find(heading->name, review_parts, REVIEW_SECTION_COUNT);
        struct str shown = words_shown(heading->name);

        if (on_verdict(reading, heading)) continue;
        if (index < REVIEW_SECTION_COUNT) {
            part_take(heading, &found[index], reading->report);
        } else {
            check_report_add(reading->report, "unknown-section", heading->line, "`### %.*s` is no "
                             "section of a review: there is VERDICT, Issues, Strengths and "
                             "Questions", STR_ARG(shown));
        }
    }
    find_misplaced(reading, outline->before, 0, false);
    for (uint32_t i = 0; i < outline->count; i++) {
        const struct outline_heading *heading = &outline->items[i];

        find_misplaced(reading, heading->body, heading->line, str_is(heading->name, "Issues"));
    }
    if (reading->verdict_line == 0) {
        check_report_add(reading->report, "missing-verdict", 0, "there is no line `### VERDICT: "
                         "APPROVE` or `### VERDICT: REQUEST_CHANGES` at the left margin, outside "
                         "code and quotes");
    }
}

/* The first line of a section that complains; of Questions only what is no question. */
static uint32_t section_complains(const struct outline_heading *heading)
{
    bool asks = str_is(heading->name, review_parts[REVIEW_QUESTIONS].name);
    struct prose prose = { .rest = heading->body };
    enum prose_kind kind;
    struct str line;

    if (!asks) return text_complains(heading->body);
    while (prose_next(&prose, &line, &kind)) {
        if (kind != PROSE_OWN || str_ends(line, STR("?"))) continue;
        if (line_complains(line)) return prose.line;
    }
    return 0;
}

/* Prose outside of the section for issues that names a fault beside APPROVE. */
static void check_complaint(const struct review_reading *reading, const struct outline *outline)
{
    uint32_t line = text_complains(outline->before);

    if (reading->out->verdict != SESSION_APPROVE) return;
    for (uint32_t i = 0; i < outline->count && line == 0; i++) {
        const struct outline_heading *heading = &outline->items[i];

        if (str_is(heading->name, "Issues")) continue; /* its lines have a rule of their own */
        line = section_complains(heading);
        if (line) line += heading->line;
    }
    if (line == 0) return;
    check_report_add(reading->report, "approve-with-complaint", line, "this line names a fault "
                     "beside APPROVE: list it below `### Issues` with [CRITICAL] or [MINOR], or "
                     "leave it out");
}

/* Whether verdict and issues go together. */
static void check_verdict(const struct review_reading *reading, bool has_section)
{
    const struct session_review_text *out = reading->out;

    for (uint32_t i = 0; out->verdict == SESSION_APPROVE && i < out->issue_count; i++) {
        if (!out->issues[i].critical) continue;
        check_report_add(reading->report, "approve-with-critical", out->issues[i].line, "a "
                         "[CRITICAL] issue stands beside APPROVE: with one the verdict is "
                         "REQUEST_CHANGES");
        break;
    }
    if (out->verdict != SESSION_REQUEST_CHANGES || reading->bad_issues) return;
    if (!has_section) {
        check_report_add(reading->report, "request-changes-without-issues", out->verdict_line,
                         "REQUEST_CHANGES needs a section `### Issues` with a [CRITICAL] issue");
    } else if (out->issue_count == 0) {
        check_report_add(reading->report, "request-changes-with-none", reading->none_line,
                         "REQUEST_CHANGES needs a [CRITICAL] issue, and there is none");
    } else if (out->critical_count == 0) {
        check_report_add(reading->report, "request-changes-minor-only", out->verdict_line,
                         "REQUEST_CHANGES needs a [CRITICAL] issue: with [MINOR] ones alone the "
                         "verdict is APPROVE");
    }
}

/* ---- a review: places ---- */

/* The name of a file that the run changed, as a word of the issue. */
static void find_changed(const struct anchor_rule *rule, struct session_issue *issue)
{
    for (uint32_t i = 0; i < rule->changed_count && !issue->anchored; i++) {
        struct str path = rule->changed[i], rest = path, name;

        while (str_cut(&rest, '/', &name) && rest.size) {}
        if (!place_names(issue->description, path) && !place_names(issue->description, name)) {
            continue;
        }
        issue->file = path;
        issue->anchored = true;
    }
}

static void check_anchors(const struct review_reading *reading, const struct anchor_rule *rule)
{
    for (uint32_t i = 0; i < reading->out->issue_count; i++) {
        struct session_issue *issue = &reading->out->issues[i];

        if (!issue->critical || issue->anchored) continue;
        find_changed(rule, issue);
        if (issue->anchored || !says_place_is_needed(issue->description)) continue;
        check_report_add(reading->report, "missing-anchor", issue->line, "the [CRITICAL] issue "
                         "speaks of code and does not say where it is: wanted a line `  File: ` "
                         "with the path and the line, or a path in its words");
    }
}

static void check_others(struct review_reading *reading,
                         const struct outline_heading *const *found)
{
    const struct outline_heading *section = found[REVIEW_STRENGTHS];

    if (!section) {
        check_report_add(reading->report, "missing-strengths", 0, "there is no section "
                         "`### Strengths`");
    } else if (outline_is_hollow(section->body)) {
        check_report_add(reading->report, "empty-strengths", section->line, "`### Strengths` has "
                         "nothing below it");
    }
    section = found[REVIEW_QUESTIONS];
    if (section && outline_is_hollow(section->body)) {
        check_report_add(reading->report, "empty-questions", section->line, "`### Questions` has "
                         "nothing below it: leave it out where there is no question");
    }
}

bool session_review_text_read(struct str answer, const struct anchor_rule *anchors,
                              struct arena *arena, struct check_report *report,
                              struct session_review_text *out)
{
    const struct outline_heading *found[REVIEW_SECTION_COUNT] = { NULL };
    struct review_reading reading = { .arena = arena, .report = report, .out = out };
    struct outline outline;

    assert(report->count == 0);
    *out = (struct session_review_text){ .verdict = SESSION_VERDICT_NONE };
    outline_read(answer, OUTLINE_LEVEL, arena, report, &outline);
    out->text = outline.kept;
    if (str_trim(outline.text).size == 0) return false;
    buf_init(&reading.description, outline.text.size + 1);
    read_headings(&reading, &outline, found);
    if (found[REVIEW_ISSUES]) read_issues(&reading, found[REVIEW_ISSUES]);
    check_verdict(&reading, found[REVIEW_ISSUES] != NULL);
    check_complaint(&reading, &outline);
    if (anchors) check_anchors(&reading, anchors);
    check_others(&reading, found);
    buf_release(&reading.description);
    return report->count == 0;
}

/* ---- a correction ---- */

enum { PROBLEMS_SHOWN = 12, CORRECTION_BYTES_MAX = 64 * 1024 };

static const char *noun_of(enum session_form form)
{
    static const char *const nouns[SESSION_FORM_COUNT] = {
        [SESSION_FORM_PLAN] = "plan",
        [SESSION_FORM_EXEC] = "report",
        [SESSION_FORM_PLAN_REVIEW] = "review",
        [SESSION_FORM_CODE_REVIEW] = "review",
    };

    return nouns[form];
}

struct str session_correction(enum session_form form, const struct check_report *report,
                              struct arena *arena)
{
    struct session_page page = { .fence = NULL };
    struct buf text;

    assert(report->count > 0 && form < SESSION_FORM_COUNT);
    buf_init(&text, CORRECTION_BYTES_MAX);
    page.problems = slot_words(check_report_list(report, PROBLEMS_SHOWN, arena));
    page.noun = slot_word(noun_of(form));
    page.of_plan = form == SESSION_FORM_PLAN;
    page.of_report = form == SESSION_FORM_EXEC;
    page.of_plan_review = form == SESSION_FORM_PLAN_REVIEW;
    page.of_code_review = form == SESSION_FORM_CODE_REVIEW;
    session_page_correction(&text, &page);
    return arena_take(arena, &text);
}

/* ---- hone check ---- */

void check_executor_plan(struct str content, struct check_report *report)
{
    struct session_plan_text plan;
    struct arena arena = { 0 };

    session_plan_text_read(content, &arena, report, &plan);
    arena_release(&arena);
}

void check_executor_exec(struct str content, struct check_report *report)
{
    struct session_exec_text exec;
    struct arena arena = { 0 };

    session_exec_text_read(content, NULL, &arena, report, &exec);
    arena_release(&arena);
}

static void check_review(struct str content, const struct anchor_rule *anchors,
                         struct check_report *report)
{
    struct session_review_text review;
    struct arena arena = { 0 };

    session_review_text_read(content, anchors, &arena, report, &review);
    arena_release(&arena);
}

void check_plan_review(struct str content, struct check_report *report)
{
    check_review(content, NULL, report);
}

void check_code_review(struct str content, struct check_report *report)
{
    check_review(content, &(struct anchor_rule){ .changed = NULL }, report);
}
