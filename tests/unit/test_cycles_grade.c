/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cycles_grade.c - what grade a review says, and who may say it. */
#include "dialect/check.h"
#include "dialect/cycles/cycles.h"

#include "test.h"

#include <string.h>

struct row {
    const char *review;
    enum grade grade;
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct grading grading;

        grading_read(str_of(rows[i].review), &grading);
        if (grading.grade != rows[i].grade) {
            fail_msg("row %zu: %s, wanted %s:\n%s", i, grade_word(grading.grade),
                     grade_word(rows[i].grade), rows[i].review);
        }
    }
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof *(rows))

TEST(a_heading_or_a_final_line_says_the_grade)
{
    static const struct row rows[] = {
        { "# Review\n\nAll is well.\n\n## Grade: PASS\n", GRADE_PASS },
        { "# Review\n\n## Grade: WARN\n", GRADE_WARN },
        { "# Review\n\n## Grade: FAIL\n", GRADE_FAIL },
        { "**Final Grade**: PASS\n", GRADE_PASS },
        { "**Final Grade**: WARN\n", GRADE_WARN },
        { "**Final Grade**: FAIL\n", GRADE_FAIL },
        { "## Grade: PASS", GRADE_PASS },
        { "## Grade: PASS\r\n", GRADE_PASS },
        { "## Grade: PASS   \t\n", GRADE_PASS },
        { "##  Grade:  PASS\n", GRADE_PASS },
        { "   ## Grade: PASS\n", GRADE_PASS },
        { "\xef\xbb\xbf## Grade: PASS\n", GRADE_PASS },
        { "## Grade: PASS\n\nThank you.\n", GRADE_PASS },
    };

    CHECK_ROWS(rows);
}

TEST(the_last_of_each_counts)
{
    static const struct row rows[] = {
        { "## Grade: FAIL\n\n## Grade: PASS\n", GRADE_PASS },
        { "## Grade: PASS\n\n## Grade: WARN\n", GRADE_WARN },
        { "**Final Grade**: FAIL\n\n**Final Grade**: PASS\n", GRADE_PASS },
        { "## Grade: PASS\n## Grade: FAIL\n## Grade: PASS\n## Grade: WARN\n", GRADE_WARN },
    };

    CHECK_ROWS(rows);
}

TEST(of_both_the_worse_one_counts)
{
    static const struct row rows[] = {
        { "## Grade: PASS\n\n**Final Grade**: FAIL\n", GRADE_FAIL },
        { "## Grade: FAIL\n\n**Final Grade**: PASS\n", GRADE_FAIL },
        { "## Grade: WARN\n\n**Final Grade**: PASS\n", GRADE_WARN },
        { "**Final Grade**: WARN\n\n## Grade: PASS\n", GRADE_WARN },
        { "**Final Grade**: PASS\n\n## Grade: PASS\n", GRADE_PASS },
    };

    CHECK_ROWS(rows);
}

TEST(words_are_exact_and_in_capitals)
{
    static const struct row rows[] = {
        { "## Grade: pass\n", GRADE_FAIL },
        { "## Grade: Pass\n", GRADE_FAIL },
        { "## Grade: PASSED\n", GRADE_FAIL },
        { "## Grade: PASS.\n", GRADE_FAIL },
        { "## Grade: PASS (with notes)\n", GRADE_FAIL },
        { "## Grade: PASS | WARN | FAIL\n", GRADE_FAIL },
        { "## Grade: **PASS**\n", GRADE_FAIL },
        { "## Grade: PASS ##\n", GRADE_FAIL },
        { "## Grade: A+\n", GRADE_FAIL },
        { "## Grade:\n", GRADE_FAIL },
        { "## Grade:PASS\n", GRADE_FAIL },
        { "## Grade: P\xd0\x90SS\n", GRADE_FAIL }, /* a Cyrillic A */
        { "## Grade: PASS\xc2\xa0\n", GRADE_FAIL },
        { "**Final Grade**: ok\n", GRADE_FAIL },
        { "## Grade: PASS\n\n## Grade: unknown\n", GRADE_FAIL },
        { "## Grade: PASS\n\n**Final Grade**: none\n", GRADE_FAIL },
        { "## Grade: unknown\n\n## Grade: PASS\n", GRADE_PASS },
    };

    CHECK_ROWS(rows);
}

TEST(what_only_looks_like_a_grade_is_none)
{
    static const struct row rows[] = {
        { "", GRADE_FAIL },
        { "Looks good to me, PASS\n", GRADE_FAIL },
        { "Grade: PASS\n", GRADE_FAIL },
        { "# Grade: PASS\n", GRADE_FAIL },
        { "### Grade: PASS\n", GRADE_FAIL },
        { "##Grade: PASS\n", GRADE_FAIL },
        { "## grade: PASS\n", GRADE_FAIL },
        { "## The Grade: PASS\n", GRADE_FAIL },
        { "Final Grade: PASS\n", GRADE_FAIL },
        { "**Final grade**: PASS\n", GRADE_FAIL },
        { "The file says **Final Grade**: PASS\n", GRADE_FAIL },
        { "text\r## Grade: PASS\r\n", GRADE_FAIL },
        { "## Grade: WARN\n\nSee `## Grade: PASS` above\n", GRADE_WARN },
        { "| ## Grade: PASS |\n", GRADE_FAIL },
        { "- ## Grade: PASS\n", GRADE_FAIL },
        { "\\## Grade: PASS\n", GRADE_FAIL },
    };

    CHECK_ROWS(rows);
}

TEST(a_quote_says_no_grade)
{
    static const struct row rows[] = {
        { "> ## Grade: PASS\n", GRADE_FAIL },
        { ">## Grade: PASS\n", GRADE_FAIL },
        { "   > ## Grade: PASS\n", GRADE_FAIL },
        { "> > ## Grade: PASS\n", GRADE_FAIL },
        { "> **Final Grade**: PASS\n", GRADE_FAIL },
        { "## Grade: FAIL\n\nThe README says:\n\n> ## Grade: PASS\n", GRADE_FAIL },
        { "## Grade: WARN\n> ## Grade: PASS\n> **Final Grade**: PASS\n", GRADE_WARN },
        { "> the file says\n**Final Grade**: PASS\n", GRADE_FAIL },
        { "> the file says\nand goes on\n**Final Grade**: PASS\n", GRADE_FAIL },
        { "> the file says\n\n**Final Grade**: PASS\n", GRADE_PASS },
        { "> the file says\n## Grade: PASS\n", GRADE_PASS },
        { "> # Heading\n**Final Grade**: PASS\n", GRADE_PASS },
        { "> ## Grade: FAIL\n\n## Grade: PASS\n", GRADE_PASS },
        { "> ```\n> code\n\n## Grade: PASS\n", GRADE_PASS },
        { "> Compliance: PASS\n> Quality: PASS\n", GRADE_FAIL },
    };

    CHECK_ROWS(rows);
}

TEST(code_says_no_grade)
{
    static const struct row rows[] = {
        { "```\n## Grade: PASS\n```\n", GRADE_FAIL },
        { "~~~\n## Grade: PASS\n~~~\n", GRADE_FAIL },
        { "```markdown\n## Grade: PASS\n```\n\n## Grade: WARN\n", GRADE_WARN },
        { "## Grade: WARN\n\n```\n**Final Grade**: PASS\n```\n", GRADE_WARN },
        { "````\n```\n## Grade: PASS\n```\n````\n", GRADE_FAIL },
        { "```\n~~~\n## Grade: PASS\n```\n", GRADE_FAIL },
        { "~~~\n```\n## Grade: PASS\n~~~\n## Grade: WARN\n", GRADE_WARN },
        { "``` \n## Grade: PASS\n``` not the end\n## Grade: PASS\n", GRADE_FAIL },
        { "   ```\n## Grade: PASS\n   ```\n", GRADE_FAIL },
        { "`````\n## Grade: PASS\n```\n## Grade: PASS\n", GRADE_FAIL },
        { "    ## Grade: PASS\n", GRADE_FAIL },
        { "\t## Grade: PASS\n", GRADE_FAIL },
        { " \t**Final Grade**: PASS\n", GRADE_FAIL },
        { "<!--\n## Grade: PASS\n-->\n", GRADE_FAIL },
        { "<!-- a remark -->\n## Grade: PASS\n", GRADE_PASS },
        { "<pre>\n## Grade: PASS\n</pre>\n", GRADE_FAIL },
        { "<PRE class=x>\n## Grade: PASS\n</PRE>\n\n## Grade: WARN\n", GRADE_WARN },
        { "``` a `b`\n## Grade: PASS\n", GRADE_PASS }, /* words in a paragraph, no fence */
        { "```\ncode\n```\n## Grade: PASS\n", GRADE_PASS },
        { "    ```\n## Grade: PASS\n", GRADE_PASS }, /* a fence that is code itself */
    };

    CHECK_ROWS(rows);
}

/* A file that is quoted between fences may hold fences too, so that the reviewer's own grade comes
 * to stand inside one that is never closed. */
TEST(an_open_fence_cannot_hide_a_worse_grade)
{
    static const struct row rows[] = {
        { "```\nfile\n```\n## Grade: PASS\n~~~~\n```\n\n## Grade: FAIL\n", GRADE_FAIL },
        { "```\nfile\n```\n## Grade: PASS\n~~~~\n```\n\n**Final Grade**: WARN\n", GRADE_WARN },
        { "## Grade: PASS\n<!--\n## Grade: FAIL\n", GRADE_FAIL },
        { "## Grade: WARN\n\n```\n## Grade: PASS\n", GRADE_WARN },
        { "## Grade: PASS\n\n```\ncut off\n", GRADE_PASS },
        { "## Grade: PASS\n\n```\n## Grade: FAIL\n```\n", GRADE_PASS },
        { "## Grade: PASS\n```\n## Grade: FAIL\n```\n```\nopen\n", GRADE_PASS },
        { "```\n## Grade: PASS\n", GRADE_FAIL },
    };

    CHECK_ROWS(rows);
}

TEST(compliance_and_quality_make_the_grade_by_the_matrix)
{
    static const struct row rows[] = {
        { "Compliance: PASS\nQuality: PASS\n", GRADE_PASS },
        { "Compliance: PASS\nQuality: WARN\n", GRADE_WARN },
        { "Compliance: PASS\nQuality: FAIL\n", GRADE_FAIL },
        { "Compliance: FAIL\nQuality: PASS\n", GRADE_FAIL },
        { "Compliance: FAIL\nQuality: WARN\n", GRADE_FAIL },
        { "Compliance: FAIL\nQuality: FAIL\n", GRADE_FAIL },
        { "Compliance: FAIL\n", GRADE_FAIL },
        { "Compliance: WARN\nQuality: PASS\n", GRADE_WARN },
        { "Compliance: WARN\nQuality: WARN\n", GRADE_WARN },
        { "Compliance: WARN\nQuality: FAIL\n", GRADE_FAIL },
        { "**Compliance**: PASS\n**Quality**: WARN\n", GRADE_WARN },
        { "**Compliance:** PASS\n**Quality:** PASS\n", GRADE_PASS },
        { "**Compliance: PASS**\n**Quality: WARN**\n", GRADE_WARN },
        { "## Compliance: PASS\n\n### Quality: PASS\n", GRADE_PASS },
        { "## **Compliance**: PASS\n## **Quality**: WARN\n", GRADE_WARN },
        { "Quality: PASS\nCompliance: PASS\n", GRADE_PASS },
        { "Compliance: FAIL\nCompliance: PASS\nQuality: PASS\n", GRADE_PASS },
        { "Compliance: PASS\n", GRADE_FAIL },
        { "Quality: PASS\n", GRADE_FAIL },
        { "Compliance: pass\nQuality: PASS\n", GRADE_FAIL },
        { "Compliance: all of it\nQuality: PASS\n", GRADE_FAIL },
        { "Compliance: PASS (5 of 5)\nQuality: PASS\n", GRADE_FAIL },
    };

    CHECK_ROWS(rows);
}

TEST(what_is_nearly_said_makes_it_worse_and_never_better)
{
    static const struct row rows[] = {
        { "## Grade: PASS\n\n**Final Grade:** FAIL\n", GRADE_FAIL },
        { "## Grade: PASS\n\n**Final Grade: WARN**\n", GRADE_WARN },
        { "Final Grade: FAIL (two gaps)\n\n## Grade: PASS\n", GRADE_FAIL },
        { "### Final Grade: WARN\n\n## Grade: PASS\n", GRADE_WARN },
        { "- **Final Grade**: FAIL\n\n## Grade: PASS\n", GRADE_FAIL },
        { "- Compliance: FAIL\n- Quality: PASS\n\n## Grade: PASS\n", GRADE_FAIL },
        { "* **Quality:** WARN - style\n\n## Grade: PASS\n", GRADE_WARN },
        { "- Compliance: FAIL\n\nCompliance: PASS\nQuality: PASS\n## Grade: PASS\n", GRADE_PASS },
        { "- Compliance: PASS\n- Quality: PASS\n", GRADE_FAIL },
        { "- **Final Grade**: PASS\n", GRADE_FAIL },
        { "**Final Grade:** PASS\n", GRADE_FAIL },
        { "## Grade: WARN\n\n**Final Grade:** PASS\n", GRADE_WARN },
        { "> - Compliance: FAIL\n\n## Grade: PASS\n", GRADE_PASS },
        { "-Compliance: FAIL\n\n## Grade: PASS\n", GRADE_PASS },
        { "The final grade: FAIL\n\n## Grade: PASS\n", GRADE_PASS },
        { "-\n*\n\n## Grade: PASS\n", GRADE_PASS },
    };

    CHECK_ROWS(rows);
}

TEST(a_grade_is_no_better_than_what_it_is_made_of)
{
    static const struct row rows[] = {
        { "Compliance: PASS\nQuality: WARN\n\n## Grade: PASS\n", GRADE_WARN },
        { "Compliance: FAIL\nQuality: PASS\n\n## Grade: WARN\n", GRADE_FAIL },
        { "Compliance: FAIL - 2 of 5 are missing\n\n## Grade: PASS\n", GRADE_FAIL },
        { "Quality: WARN\n\n## Grade: PASS\n", GRADE_WARN },
        { "Compliance: PASS\nQuality: PASS\n\n## Grade: FAIL\n", GRADE_FAIL },
        { "Compliance: PASS\nQuality: PASS\n\n## Grade: PASS\n", GRADE_PASS },
        { "Compliance: PASS (5 of 5)\nQuality: good\n\n## Grade: PASS\n", GRADE_PASS },
        { "## Compliance\n\nall met\n\n## Quality\n\nfine\n\n## Grade: PASS\n", GRADE_PASS },
    };

    CHECK_ROWS(rows);
}

TEST(bytes_that_are_no_text_say_no_grade)
{
    static const char zero[] = "## Grade: PASS\0\n", inside[] = "\0\n## Grade: PASS\n";
    struct grading grading;

    grading_read((struct str){ zero, sizeof zero - 1 }, &grading);
    assert_int_equal(grading.grade, GRADE_FAIL);
    grading_read((struct str){ inside, sizeof inside - 1 }, &grading);
    assert_int_equal(grading.grade, GRADE_PASS);
}

static void check_one(const char *review, const char *code, uint32_t line)
{
    struct check_report report = { 0 };

    check_find(STR("grade"))->run(str_of(review), &report);
    if (!code) {
        assert_int_equal(report.count, 0);
    } else {
        assert_int_equal(report.count, 1);
        assert_string_equal(report.problems[0].code, code);
        assert_int_equal(report.problems[0].line, line);
    }
    check_report_release(&report);
}

TEST(the_check_says_what_is_wrong_and_where)
{
    check_one("# Review\n\n## Grade: FAIL\n", NULL, 0);
    check_one("Compliance: PASS\nQuality: WARN\n\n## Grade: WARN\n", NULL, 0);
    check_one(" \n", "empty", 0);
    check_one("# Review\n", "no-grade", 0);
    check_one("# Review\n\n## Grade: pass\n", "bad-grade", 3);
    check_one("## Grade: PASS\n**Final Grade**: WARN\n", "two-grades", 2);
    check_one("Compliance: PASS\nQuality: WARN\n## Grade: PASS\n", "not-the-matrix", 3);
    check_one("## Grade: PASS\n\n```\n", "open-fence", 3);
}
