/* SPDX-License-Identifier: Apache-2.0
 *
 * test_work_item.c - a task as title, problem, context and criteria. */
#include "dialect/session/session.h"

#include "test.h"

#include <stdio.h>

static void assert_item(const char *task, const char *title, const char *problem,
                        const char *context, const char *criteria)
{
    struct work_item item;

    work_item_read(str_of(task), &item);
    if (!str_is(item.title, title) || !str_is(item.problem, problem) ||
        !str_is(item.context, context) || !str_is(item.criteria, criteria)) {
        fail_msg("%s\ntitle '%.*s'\nproblem '%.*s'\ncontext '%.*s'\ncriteria '%.*s'", task,
                 STR_ARG(item.title), STR_ARG(item.problem), STR_ARG(item.context),
                 STR_ARG(item.criteria));
    }
}

TEST(a_sentence_is_title_and_problem)
{
    assert_item("Lock the queue", "Lock the queue", "Lock the queue", "", "");
    assert_item("\n\n  Lock it \n", "Lock it", "Lock it", "", "");
}

TEST(headings_tell_the_parts_apart)
{
    assert_item("# T\n\np\n\n## Context\nc\n\n### Acceptance Criteria\n- a\n- b\n", "T",
                "# T\n\np", "c", "- a\n- b");
    assert_item("## Acceptance criteria\n- a\n## Context\nc\n", "Acceptance criteria", "", "c",
                "- a");
    assert_item("p\n## Acceptance criteria (first)\n- a\n", "p", "p", "", "(first)\n- a");
    assert_item("p\n## Acceptance criteria for b\n- a\n", "p", "p", "", "for b\n- a");
}

TEST(a_line_with_a_colon_does_as_well)
{
    assert_item("p\n\nContext:\nc\n\n**Acceptance criteria:**\n- a\n", "p", "p", "c", "- a");
    assert_item("p\n- Context:\nq", "p", "p\n- Context:\nq", "", "");
    assert_item("p\nContext\nq", "p", "p\nContext\nq", "", "");
}

/* "Parse the work item into a title, problem description, context, and acceptance criteria." */
TEST(the_usual_spellings_are_read)
{
    static const char *const contexts[] = {
        "Context: c", "context: c", "CONTEXT: c", "**Context:** c", "**Context**: c",
        "__Context:__ c", "*Context*: c", "## Context\nc", "###### context:\nc", "# Context: c",
        "## **Context**\nc", "**Context**\nc", "Context:\n\nc", "Context :\nc",
        "Background: c", "**Background:** c", "## Background\n\nc", "background:\nc",
        "  Context: c",
    };
    static const char *const criteria[] = {
        "Acceptance: - a", "Acceptance:\n- a", "acceptance criteria: - a", "**Acceptance:**\n- a",
        "Acceptance Criteria:\n\n- a", "## Acceptance\n- a", "## ACCEPTANCE CRITERIA\n- a",
        "Acceptance criterion: - a", "Done when: - a", "Done when\n- a", "## Done when\n- a",
        "**Done when:**\n- a", "Definition of done: - a", "## Definition of Done\n- a",
    };

    for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++) {
        char task[128];

        snprintf(task, sizeof task, "Fix X.\n\n%s\n", contexts[i]);
        assert_item(task, "Fix X.", "Fix X.", "c", "");
        snprintf(task, sizeof task, "Fix X.\n%s\nAcceptance:\n- a\n- b\n", contexts[i]);
        assert_item(task, "Fix X.", "Fix X.", "c", "- a\n- b");
    }
    for (size_t i = 0; i < sizeof criteria / sizeof *criteria; i++) {
        char task[128];

        snprintf(task, sizeof task, "Fix X.\n\n%s\n", criteria[i]);
        assert_item(task, "Fix X.", "Fix X.", "", "- a");
    }
    assert_item("Fix X.\nDone when the tests pass.\n", "Fix X.", "Fix X.", "",
                "the tests pass.");
    assert_item("Fix X\nContext: because y\nand z\n\nmore\nAcceptance: - a\n- b", "Fix X",
                "Fix X", "because y\nand z\n\nmore", "- a\n- b");
}

TEST(a_task_of_one_line_has_its_parts_behind_its_sentences)
{
    assert_item("Fix X. Context: because Y. Acceptance: - a - b", "Fix X.", "Fix X.",
                "because Y.", "- a - b");
    assert_item("Fix X! **Acceptance criteria:** 1. a 2. b; **Background:** y", "Fix X!", "Fix X!",
                "y", "1. a 2. b;");
    assert_item("Fix X. Done when the tests pass.", "Fix X.", "Fix X.", "", "the tests pass.");
    assert_item("Acceptance: a. Context: c", "Acceptance: a. Context: c", "", "c", "a.");
}

TEST(in_doubt_words_stay_where_they_are)
{
    static const char *const tasks[] = {
        "Rename the class Context: it clashes", "Explain in which context: all of them",
        "Fix the `. Context: x` message", "Fix X (Context: y)", "Fix X, context: y",
        "p\n- Context: c", "p\n1. Fix X. Context: c", "p\n> Context: c", "p\n    Context: c",
        "Contexts: c", "Acceptance of X: y", "Background jobs: y", "p\nContext",
        "p\nAcceptance is slow.", "It is done when it works.", "Context::new() leaks",
        "p.\nContext::new() leaks", "https://a.example/x?y. context",
    };

    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        struct work_item item;

        work_item_read(str_of(tasks[i]), &item);
        if (!str_is(item.problem, tasks[i]) || item.context.size || item.criteria.size) {
            fail_msg("%s: problem '%.*s'", tasks[i], STR_ARG(item.problem));
        }
    }
}

TEST(a_task_that_begins_with_its_context_has_a_problem)
{
    assert_item("Context: since 3.0 it is slow\nhere\n\nMake it fast.\n\nAcceptance: - a",
                "Make it fast.", "Make it fast.", "since 3.0 it is slow\nhere", "- a");
    assert_item("Acceptance:\n\n- a\n\n- b\n", "Acceptance:", "", "", "- a\n\n- b");
}

static size_t digits_in(struct str text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.size; i++) count += text.data[i] >= '0' && text.data[i] <= '9';
    return count;
}

TEST(no_word_of_a_task_is_lost)
{
    static const char *const pieces[] = {
        "Fix 1.", "Context: 2", "Background: 3", "## Context", "Acceptance: - 4", "- 5", "\n",
        "\n\n", " ", "Done when 6.", "```", "**Context:**", "## Acceptance criteria 7", "> 8",
    };
    enum { COUNT = sizeof pieces / sizeof *pieces };

    for (uint32_t i = 0; i < COUNT * COUNT * COUNT * COUNT; i++) {
        struct work_item item;
        char task[256];

        snprintf(task, sizeof task, "%s%s%s %s 9", pieces[i % COUNT], pieces[i / COUNT % COUNT],
                 pieces[i / COUNT / COUNT % COUNT], pieces[i / COUNT / COUNT / COUNT]);
        work_item_read(str_of(task), &item);
        if (digits_in(item.problem) + digits_in(item.context) + digits_in(item.criteria) !=
            digits_in(str_of(task))) {
            fail_msg("%s", task);
        }
    }
}

TEST(a_heading_that_only_begins_so_is_another)
{
    assert_item("# Context menu crashes\n\nOpen it.", "Context menu crashes",
                "# Context menu crashes\n\nOpen it.", "", "");
    assert_item("p\n## Contextual help\nq\n## Context:\nc", "p", "p\n## Contextual help\nq",
                "c", "");
}

TEST(other_headings_stay_where_they_are)
{
    assert_item("p\n\n## Notes\nn\n\n## Context\nc\n## More\nm", "p", "p\n\n## Notes\nn",
                "c\n## More\nm", "");
}

TEST(a_part_that_comes_twice_is_not_lost)
{
    assert_item("p\n## Context\nc\n## Acceptance Criteria\na\n## Context\nd\n", "p", "p", "c",
                "a\n## Context\nd");
}

TEST(a_heading_in_code_is_none)
{
    assert_item("p\n```\n## Context\n```\nq", "p", "p\n```\n## Context\n```\nq", "", "");
}

TEST(nothing_is_an_item_too)
{
    assert_item("", "", "", "", "");
    assert_item(" \n\n", "", "", "", "");
}
