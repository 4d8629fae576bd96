/* SPDX-License-Identifier: Apache-2.0
 *
 * grade.c - the grade of a review.
 *
 * A review says its grade in one of two ways, and may give two grades that it is made of:
 *
 *     ## Grade: PASS            a heading of that level
 *     **Final Grade**: PASS     a line of its own
 *     Compliance: PASS          a line or a heading, bold or not
 *     Quality: WARN
 *
 * Of each the last one counts. The result is the worst of what is said; for compliance and quality
 * that is the matrix:
 *
 *     compliance   quality   grade
 *     PASS         PASS      PASS
 *     PASS         WARN      WARN
 *     PASS         FAIL      FAIL
 *     FAIL         any       FAIL
 *
 * 1. The words are exact and in capitals. A grade line with any other word is FAIL; so is a
 *    review that says no grade, and one that gives compliance or quality alone.
 * 2. Only the reviewer's own lines count (prose.c): no quote and no code can give a grade.
 * 3. What is nearly said can make the grade worse, never better: a final grade in other forms, and
 *    any of them as an item of a list.
 * 4. A fence that is never closed hides nothing: what stands behind it can make the grade worse,
 *    never better. Else a quoted file could open a fence around the reviewer's own grade. */
#include "dialect/cycles/cycles.h"

#include <assert.h>

static const char *const grade_words[GRADE_COUNT] = {
    [GRADE_PASS] = "PASS",
    [GRADE_WARN] = "WARN",
    [GRADE_FAIL] = "FAIL",
};

const char *grade_word(enum grade grade)
{
    assert((int)grade >= 0 && grade < GRADE_COUNT);
    return grade_words[grade];
}

bool grade_from_word(struct str word, enum grade *out)
{
    uint32_t at = word_index(word, grade_words, GRADE_COUNT);

    if (at < GRADE_COUNT) *out = (enum grade)at;
    return at < GRADE_COUNT;
}

static bool is_blank(struct str text, size_t at)
{
    return at < text.size && (text.data[at] == ' ' || text.data[at] == '\t');
}

/* A line `LABEL X`: its mark, also where X is no grade. */
static bool read_label(struct str line, struct str label, uint32_t number, struct grade_mark *out)
{
    struct grade_mark mark = { .line = number, .grade = GRADE_FAIL };

    if (!str_starts(line, label)) return false;
    mark.odd = !is_blank(line, label.size) ||
               !grade_from_word(str_trim(str_skip(line, label.size)), &mark.grade);
    *out = mark;
    return true;
}

/* ## Grade: X, of that level alone, with blanks between as Markdown has them. */
static bool read_heading(struct str line, uint32_t number, struct grade_mark *out)
{
    if (!str_starts(line, STR("##")) || !is_blank(line, 2)) return false;
    return read_label(str_trim(str_skip(line, 2)), STR("Grade:"), number, out);
}

/* Without the stars that Markdown has for bold. */
static struct str unstarred(struct str text)
{
    return str_trim(text_bare(str_trim(text), "*", "*"));
}

/* Compliance: X, ## Compliance: X, **Compliance**: X, **Compliance:** X, **Compliance: X**. A
 * WARN or FAIL may have a remark behind it; what is neither is no grade. */
static bool read_part(struct str line, const char *name, uint32_t number, struct grade_mark *out)
{
    struct grade_mark mark = { .line = number };
    struct str text = line, label;
    bool numbered, item;

    if (!str_has(line, ':') || !text_has(line, name)) return false;
    item = prose_item(line, &text, &numbered);
    (void)prose_heading(line, &text);
    (void)str_cut(&text, ':', &label);
    if (!str_is(unstarred(label), name)) return false;
    text = unstarred(text);
    if (!grade_from_word(text, &mark.grade)) {
        struct str word;

        if (!str_cut(&text, ' ', &word) || !grade_from_word(unstarred(word), &mark.grade) ||
            mark.grade == GRADE_PASS) {
            return false;
        }
    }
    if (item && mark.grade == GRADE_PASS) return false;
    *out = mark;
    return true;
}

static bool read_worse(struct str line, const char *name, uint32_t number, struct grade_mark *out)
{
    struct grade_mark mark;

    if (!read_part(line, name, number, &mark) || mark.grade == GRADE_PASS) return false;
    *out = mark;
    return true;
}

static void read_line(struct str line, uint32_t number, struct grading *out)
{
    if (read_heading(line, number, &out->heading)) return;
    if (read_label(line, STR("**Final Grade**:"), number, &out->final)) return;
    if (read_worse(line, "Final Grade", number, &out->final)) return;
    if (read_part(line, "Compliance", number, &out->compliance)) return;
    (void)read_part(line, "Quality", number, &out->quality);
}

static enum grade worst_of(const struct grading *grading)
{
    const struct grade_mark marks[] = { grading->heading, grading->final, grading->compliance,
                                        grading->quality };
    enum grade worst = GRADE_PASS;

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (marks[i].line && marks[i].grade > worst) worst = marks[i].grade;
    }
    return worst;
}

/* Whether compliance and quality make a grade: both, or a compliance that decides alone. */
static bool is_matrix(const struct grading *grading)
{
    if (!grading->compliance.line) return false;
    return grading->quality.line || grading->compliance.grade == GRADE_FAIL;
}

void grading_read(struct str review, struct grading *out)
{
    struct prose prose = { .rest = review };
    struct grading hidden = { .found = false }; /* behind the fence that is open now */
    enum prose_kind kind;
    struct str line;

    *out = (struct grading){ .found = false };
    while (prose_next(&prose, &line, &kind)) {
        if (kind == PROSE_OWN) {
            read_line(line, prose.line, out);
        } else if (!prose_is_open(&prose) || prose.open_line == prose.line) {
            hidden = (struct grading){ .found = false };
        } else {
            read_line(str_trim(line), prose.line, &hidden);
        }
    }
    out->found = out->heading.line || out->final.line || is_matrix(out);
    out->grade = out->found ? worst_of(out) : GRADE_FAIL;
    if (!prose_is_open(&prose)) return;
    out->open_line = prose.open_line;
    if (worst_of(&hidden) > out->grade) out->grade = worst_of(&hidden);
}
