/* SPDX-License-Identifier: Apache-2.0
 *
 * test_tool_reports.c - reports of the tools of tools.c, from tests/corpus, and what could come
 * instead: cut short, of another type, with numbers and paths that no file has. */
#include "reported.h"
#include "test.h"

#include "analyze/analyzer.h"

#include <stdio.h>
#include <string.h>

/* ---- lines ---- */

static const struct line_form *form;

static int form_read(struct str text, struct diagnostics *out, struct err *err)
{
    return line_report_read(form, text, out, err);
}

static void expect_lines(const char *tool, const char *file, const char *wanted)
{
    form = strcmp(tool, "gcc") == 0 ? &line_form_gcc : analyzer_find(str_of(tool))->lines;
    assert_non_null(form);
    assert_string_equal(reported_file(form_read, file), wanted);
}

TEST(python_flake8_pylint_bandit_mypy)
{
    expect_lines("flake8", "line_report/flake8",
        "medium F401 /w/a.py:1:1 chars: 'os' imported but unused\n"
        "high F821 /w/a.py:8:12 chars: undefined name 'z'\n"
        "low E501 /w/b c.py:3:80 chars: line too long (88 > 79 characters)\n");
    expect_lines("pylint", "line_report/pylint",
        "medium dangerous-default-value /w/a.py:5:1 chars: Dangerous default value [] as argument\n"
        "high undefined-variable /w/a.py:8:12 chars: Undefined variable 'z'\n");
    expect_lines("mypy", "line_report/mypy",
        "high name-defined a.py:8:12 chars: Name \"z\" is not defined\n"
        "low a.py:9 chars: See https://mypy.example/x\n"
        "high b.py:1:1 chars: Source file found twice\n");
    expect_lines("bandit", "line_report/bandit",
        "medium B307 /w/a.py:7: Use of possibly insecure function - consider using safer "
        "ast.literal_eval.\n");
}

TEST(go_vet_staticcheck_golangci_lint)
{
    expect_lines("vet", "line_report/vet",
        "medium vet ./a.go:6:2: fmt.Printf format %d has arg \"x\" of wrong type string\n"
        "medium vet sub/b.go:8:2: undeclared name: y\n");
    expect_lines("staticcheck", "line_report/staticcheck",
        "medium SA4006 main.go:10:2: this value of err is never used\n"
        "high compile pkg/a.go:3:8: could not import x (no such package)\n");
    expect_lines("golangci-lint", "line_report/golangci",
        "medium ineffassign main.go:10:2: ineffectual assignment to err\n"
        "medium gofmt pkg/a.go:3: File is not properly formatted\n");
}

TEST(typescript_tsc_goes_on_with_lines_that_begin_with_a_blank)
{
    expect_lines("tsc", "line_report/tsc",
        "high TS2322 src/t.ts:1:5 utf16: Type '{ a: string; }' is not assignable to type "
        "'{ a: number; }'. Types of property 'a' are incompatible. Type 'string' is not assignable "
        "to type 'number'.\n");
}

TEST(yaml_workflows_spelling_compilers)
{
    expect_lines("yamllint", "line_report/yamllint",
        "low document-start a.yml:1:1 chars: missing document start \"---\"\n"
        "high syntax a.yml:2:1 chars: syntax error: expected <block end> (found ':')\n");
    expect_lines("actionlint", "line_report/actionlint",
        "medium syntax-check .github/workflows/ci.yml:7:9: unexpected key \"brnches\" for \"push\" "
        "section. expected one of \"branches\", \"tags\"\n"
        "medium expression .github/workflows/ci.yml:12:15: property \"os\" is not defined in "
        "object type {}\n");
    expect_lines("codespell", "line_report/codespell",
        "medium misspelling a.txt:1: 'teh' should perhaps be 'the'\n"
        "  fix:\n    a.txt:1 'teh' \"the\"\n"
        "medium misspelling a.txt:1: 'fo' should perhaps be 'of, for, to, do, go'\n");
    expect_lines("gcc", "line_report/gcc",
        "medium -Wunused-variable a.c:3:5: unused variable 'x'\n"
        "high a.c:9:1: expected ';' before '}' token\n"
        "low b.c:4: declared here\n");
}

static void expect_no_lines(const char *text, const char *words)
{
    const char *said = reported(form_read, str_of(text));

    if (strncmp(said, "refused: ", 9) != 0 || !strstr(said, words)) fail_msg("%s", said);
}

TEST(a_line_of_another_form_refuses_the_report)
{
    form = analyzer_find(STR("flake8"))->lines;
    expect_no_lines("Traceback (most recent call last):\n", "line 1: it does not have the form");
    expect_no_lines("a.py:1:1: F401 x\nno line of ours\n", "line 2: it does not have the form");
    expect_no_lines("  a.py\n", "line 1");
    expect_no_lines("a.py:99999999999999999999:1: F401 x\n", "too large");
    expect_no_lines("a.py:4294967295:1: F401 x\n", "too large");
    expect_no_lines("\xff.py:1:1: F401 x\n", "it is no text");
    assert_string_equal(reported(form_read, STR("")), "");
    assert_string_equal(reported(form_read, STR("\n\n")), "");
}

/* A line that could be split in very many ways costs little: it is refused. */
TEST(a_line_is_matched_in_bounded_time)
{
    enum { BYTES = 200000 };
    static char line[BYTES + 1];

    for (int i = 0; i < BYTES; i++) line[i] = ":1: "[i % 4];
    form = &line_form_gcc;
    (void)reported(form_read, (struct str){ line, BYTES });
    form = analyzer_find(STR("staticcheck"))->lines;
    expect_no_lines(line, "it does not have the form");
}

/* ---- diffs and XML ---- */

TEST(a_formatters_diff_is_a_finding_with_a_fix_for_each_hunk)
{
    assert_string_equal(reported_file(diff_read, "diff/shfmt"),
        "low format /w/a.sh:2: this is not formatted as the formatter would\n"
        "  safe fix: format it\n"
        "    /w/a.sh:2:1-4:1 \"if true; then\\n\\x09echo hi\\n\"\n"
        "low format /w/a.sh:10: this is not formatted as the formatter would\n"
        "  safe fix: format it\n    /w/a.sh:10:1-10:1 \"two\\n\"\n");
    assert_string_equal(reported(diff_read, STR("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
                                                "\\ No newline at end of file\n")),
        "low format x:1: this is not formatted as the formatter would\n");
    expect_refused(diff_read, "--- a\n");
    expect_refused(diff_read, "--- a\n+++ a\n@@ -1,2 +1,2 @@\n-a\n+b\n");
    expect_refused(diff_read, "--- a\n+++ a\n@@ -1 +1 @@\n-a\n-b\n");
    expect_refused(diff_read, "--- a\n+++ a\n@@ -99999999999 +1 @@\n-a\n+b\n");
    expect_refused(diff_read, "@@ -1 +1 @@\n-a\n+b\n");
    expect_refused(diff_read, "error: cannot parse\n");
}

TEST(checkstyle_xml)
{
    assert_string_equal(reported_file(checkstyle_read, "checkstyle/one"),
        "high eslint.rules.eqeqeq /w/a.js:2:7 chars: Expected '==='.\n"
        "low x /w/a.js:4 chars: a hint\n");
    expect_no_part_reads(checkstyle_read, "checkstyle/one");
    expect_refused(checkstyle_read, "");
    expect_refused(checkstyle_read, "<results/>");
    expect_refused(checkstyle_read, "<checkstyle><error message=\"x\"/></checkstyle>");
    expect_refused(checkstyle_read, "<checkstyle><file/></checkstyle>");
    expect_refused(checkstyle_read, "<checkstyle><file name=\"a\"><error line=\"x\" message=\"m\"/>"
                                    "</file></checkstyle>");
    expect_refused(checkstyle_read, "<!DOCTYPE x [<!ENTITY e \"e\">]><checkstyle/>");
}

/* ---- JSON of their own ---- */

TEST(ruff_says_which_fixes_are_safe)
{
    assert_string_equal(reported_file(ruff_json_read, "tool_json/ruff"),
        "medium F401 /w/a.py:1:8-1:10 chars: `os` imported but unused\n"
        "  help: https://docs.astral.sh/ruff/rules/unused-import\n"
        "  safe fix: Remove unused import: `os`\n    /w/a.py:1:1-2:1 chars \"\"\n"
        "medium F841 /w/a.py:6:5-6:6 chars: Local variable `y` is assigned to but never used\n"
        "  risky fix: Remove assignment to unused variable `y`\n"
        "    /w/a.py:6:5-6:10 chars \"pass\"\n"
        "high invalid-syntax /w/b.py:8:9-9:1 chars: SyntaxError: Expected an expression\n");
    expect_no_part_reads(ruff_json_read, "tool_json/ruff");
    assert_string_equal(reported(ruff_json_read, STR("[]")), "");
    expect_refused(ruff_json_read, "");
    expect_refused(ruff_json_read, "{}");
    expect_refused(ruff_json_read, "[1]");
    expect_refused(ruff_json_read, "[{\"filename\":\"a\",\"message\":7}]");
    expect_refused(ruff_json_read, "[{\"filename\":\"a\",\"message\":\"m\","
                                   "\"location\":{\"row\":-1,\"column\":1}}]");
    expect_refused(ruff_json_read, "[{\"filename\":\"a\",\"message\":\"m\",\"fix\":{}}]");
}

TEST(eslint_fixes_by_utf16_offsets_and_leaves_suggestions_to_people)
{
    assert_string_equal(reported_file(eslint_json_read, "tool_json/eslint"),
        "high no-var /w/a.js:1:1-1:11 utf16: Unexpected var, use let or const instead.\n"
        "  safe fix:\n    /w/a.js@0-10 utf16 \"let a = 1;\"\n"
        "medium eqeqeq /w/a.js:2:7-2:9 utf16: Expected '===' and instead saw '=='.\n"
        "  help: Use '===' instead of '=='.\n"
        "high unicode-bom /w/a.js:1:1 utf16: Unexpected Unicode BOM.\n"
        "high parse-error /w/bad.js:1:9 utf16: Parsing error: Unexpected token\n");
    expect_no_part_reads(eslint_json_read, "tool_json/eslint");
    expect_refused(eslint_json_read, "[{\"filePath\":\"a\"}]");
    expect_refused(eslint_json_read, "[{\"filePath\":\"a\",\"messages\":[[]]}]");
    expect_refused(eslint_json_read, "[{\"messages\":[{\"message\":\"m\",\"line\":1}]}]");
    expect_refused(eslint_json_read, "[{\"filePath\":\"a\",\"messages\":[{\"message\":\"m\","
                                     "\"line\":1,\"fix\":{\"range\":[1],\"text\":\"\"}}]}]");
    expect_refused(eslint_json_read, "[{\"filePath\":\"a\",\"messages\":[{\"message\":\"m\","
                                     "\"line\":99999999999999}]}]");
}

TEST(clippy_fixes_what_is_machine_applicable)
{
    assert_string_equal(reported_file(clippy_json_read, "tool_json/clippy"),
        "medium clippy::len_zero src/main.rs:3:8-3:20 chars: length comparison to zero\n"
        "  help: for further information visit https://example.org/len_zero\n"
        "  safe fix: use is_empty\n    src/main.rs@53-65 \"v.is_empty()\"\n"
        "high E0308 src/main.rs:1:6-1:10 chars: mismatched types\n"
        "  help: perhaps this\n"
        "  risky fix: perhaps this\n    src/main.rs@5-9 \"x\"\n");
    expect_no_part_reads(clippy_json_read, "tool_json/clippy");
    expect_refused(clippy_json_read, "");
    expect_refused(clippy_json_read, "{\"reason\":\"compiler-artifact\"}\n");
    expect_refused(clippy_json_read, "{}\n{\"reason\":\"build-finished\"}\n");
    assert_string_equal(reported(clippy_json_read, STR(
        "{\"reason\":\"compiler-message\",\"message\":{\"level\":\"error\","
        "\"message\":\"no linker\",\"spans\":[]}}\n"
        "{\"reason\":\"build-finished\",\"success\":false}\n")),
        "failed: no linker\n");
}

TEST(markdownlint_fixes_within_a_line)
{
    assert_string_equal(reported_file(markdownlint_json_read, "tool_json/markdownlint"),
        "low MD009 a.md:3:8-3:9 utf16: Trailing spaces (Expected: 0 or 2; Actual: 1)\n"
        "  help: https://example.org/md009.md\n  safe fix:\n    a.md:3:8-3:9 utf16 \"\"\n"
        "low MD022 a.md:4 utf16: Headings should be surrounded by blank lines\n"
        "  safe fix:\n    a.md:5:1-5:1 utf16 \"\\n\"\n"
        "low MD012 a.md:9 utf16: Multiple consecutive blank lines\n"
        "  safe fix:\n    a.md:9:1-10:1 utf16 \"\"\n"
        "low MD041 a.md:1 utf16: First line should be a heading\n");
    assert_string_equal(reported(markdownlint_json_read, STR("")), ""); /* nothing was found */
    expect_refused(markdownlint_json_read, "[{\"fileName\":\"a.md\",\"lineNumber\":3");
    expect_refused(markdownlint_json_read, "[");
    expect_refused(markdownlint_json_read, "[{\"fileName\":\"a\",\"ruleDescription\":\"x\","
                                           "\"lineNumber\":\"1\"}]");
    expect_refused(markdownlint_json_read, "[{\"ruleDescription\":\"x\",\"lineNumber\":1}]");
}
