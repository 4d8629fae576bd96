/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session_config.c - .review-loop/config.md: what it sets, and what a person is told. */
#include "dialect/session/config.h"

#include "test.h"

#include <string.h>

static struct arena arena;
static struct warnings warnings;
static struct session_config config;

static int tear_down(void **state)
{
    (void)state;
    arena_release(&arena);
    warnings_release(&warnings);
    return 0;
}

static struct settings settings_of(const char *text)
{
    static struct config_text files[1];

    files[0] = (struct config_text){ SESSION_CONFIG_FILE, str_of(text) };
    return (struct settings){ .files = files, .file_count = text ? 1 : 0, .warnings = &warnings };
}

static void reads(const char *text)
{
    struct settings settings = settings_of(text);

    warnings_release(&warnings);
    session_config_read(&settings, &arena, &config);
}

TEST_WITH(without_a_file_the_defaults_hold, NULL, tear_down)
{
    reads(NULL);
    assert_int_equal(warnings.count, 0);
    assert_string_equal(config.reviewer_model, "");
    assert_int_equal(config.soft_limit_plan, 3);
    assert_int_equal(config.soft_limit_exec, 3);
    assert_false(config.handsfree);
    assert_false(config.skip_quality_polish);
    assert_false(config.local_reviewer);
    assert_string_equal(config.review_focus, "");
}

TEST_WITH(every_key_is_taken, NULL, tear_down)
{
    reads("reviewer: subagent\nreviewer_model: claude-opus-4-1[1m]\njudgment_model: \"j\"\n"
          "cheap_model: c\nexecutor_model: inherit\nsoft_limit_plan: 1\nsoft_limit_exec: 100\n"
          "auto_commit: false\ncommit_message_prefix: fix(core)\ndocs_file: \"\"\nhandsfree: true\n"
          "review_focus: |\n  one\n  two\nquality_focus: names\nreview_style: 'short'\n"
          "skip_quality_polish: true\ncontext_persist_threshold: 0\n"
          "codex_reviewer_backend: codex\ncodex_reviewer_model: gpt-5.4\n"
          "codex_executor_model: \"\"\n");
    assert_int_equal(warnings.count, 0);
    assert_string_equal(config.reviewer_model, "claude-opus-4-1[1m]");
    assert_string_equal(config.judgment_model, "j");
    assert_int_equal(config.soft_limit_plan, 1);
    assert_int_equal(config.soft_limit_exec, 100);
    assert_true(config.handsfree);
    assert_string_equal(config.review_focus, "one\ntwo");
    assert_string_equal(config.quality_focus, "names");
    assert_string_equal(config.review_style, "short");
    assert_true(config.skip_quality_polish);
    assert_true(config.local_reviewer);
    assert_string_equal(config.codex_reviewer_model, "gpt-5.4");
}

TEST_WITH(the_model_of_the_reviewer_has_a_precedence, NULL, tear_down)
{
    reads("reviewer_model: r\njudgment_model: j\n");
    assert_string_equal(session_config_model(&config), "r");
    reads("judgment_model: j\n");
    assert_string_equal(session_config_model(&config), "j");
    reads("reviewer_model: \"\"\ncheap_model: c\n");
    assert_string_equal(session_config_model(&config), "claude-sonnet-4-6");
}

TEST_WITH(a_person_is_told_what_was_not_taken, NULL, tear_down)
{
    static const struct { const char *text, *warning; } rows[] = {
        { "soft_limit_plan: many", "line 1: soft_limit_plan: 'many' cannot be used, and is taken "
          "as 3; allowed: a whole number from 1 to 100" },
        { "\nsoft_limit_exec: 0", "line 2: soft_limit_exec: '0' cannot be used, and is taken as 3; "
          "allowed: a whole number from 1 to 100" },
        { "soft_limit_exec: -1", "line 1: soft_limit_exec: '-1' cannot be used, and is taken as 3; "
          "allowed: a whole number from 1 to 100" },
        { "handsfree: maybe", "line 1: handsfree: 'maybe' cannot be used, and is taken as false; "
          "allowed: true or false" },
        { "reviewer_model: --yolo", "line 1: reviewer_model: '--yolo' cannot be used, and is taken "
          "as not set; allowed: the name of a model, or \"\" for none" },
        { "reviewer_model: a b", "line 1: reviewer_model: 'a b' cannot be used, and is taken as "
          "not set; allowed: the name of a model, or \"\" for none" },
        { "codex_reviewer_backend: gpt", "line 1: codex_reviewer_backend: 'gpt' cannot be used, "
          "and is taken as claude_cli; allowed: claude_cli or codex" },
        { "docs_file: ../x", "line 1: docs_file: '../x' cannot be used, and is taken as "
          "CHANGELOG.md; allowed: a path in the workspace, or \"\" for none" },
        { "docs_file: /etc/x", "line 1: docs_file: '/etc/x' cannot be used, and is taken as "
          "CHANGELOG.md; allowed: a path in the workspace, or \"\" for none" },
        { "commit_message_prefix: \"a\\nb\"", "line 1: commit_message_prefix: 'a b' cannot be "
          "used, and is taken as feat; allowed: one line of text" },
        { "soft_limit_plans: 4", "line 1: there is no setting 'soft_limit_plans', it is ignored; "
          "did you mean soft_limit_plan?" },
        { "colour: red", "line 1: there is no setting 'colour', it is ignored; 'hone config show "
          "session' lists them" },
        { "executor_model: opus", "line 1: executor_model has no effect here; --agent "
          "executor=BACKEND:MODEL chooses the executor" },
        { "auto_commit: true", "line 1: auto_commit has no effect here; what was delivered is left "
          "for you to commit" },
        { "docs_file: NEWS.md", "line 1: docs_file has no effect here; name the file in the task "
          "if it is to be kept up to date" },
        { "handsfree: true\nhandsfree: true", "line 1: handsfree is there more than once; the last "
          "one counts" },
        { "words", "line 1: this is no setting: write 'key: value', or # in front of a comment" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        reads(rows[i].text);
        assert_int_equal(warnings.count, 1);
        assert_true(str_starts(str_of(warnings.items[0]), STR(SESSION_CONFIG_FILE ": ")));
        assert_string_equal(warnings.items[0] + strlen(SESSION_CONFIG_FILE ": "),
                            rows[i].warning);
        assert_int_equal(config.soft_limit_plan, 3);
        assert_int_equal(config.soft_limit_exec, 3);
        assert_string_equal(config.reviewer_model, "");
    }
}

TEST_WITH(many_warnings_are_counted, NULL, tear_down)
{
    struct buf text;

    buf_init(&text, 2000);
    for (int i = 0; i < 50; i++) buf_text(&text, "nonsense\n");
    reads(buf_cstr(&text));
    buf_release(&text);
    assert_int_equal(warnings.count, 21);
    assert_string_equal(warnings.items[20], SESSION_CONFIG_FILE ": and 30 more");
}

TEST_WITH(a_value_is_shown_without_its_control_characters, NULL, tear_down)
{
    reads("handsfree: \x1b[2J\n");
    assert_non_null(strstr(warnings.items[0], "'\\x1b[2J'"));
}

TEST_WITH(the_list_has_every_setting_and_its_origin, NULL, tear_down)
{
    struct settings settings = settings_of("review_style: \"a \\\"b\\\"\"\nhandsfree: true\n");
    struct config_list list = { 0 };
    uint32_t seen = 0;

    session_config_list(&settings, &arena, &list);
    assert_int_equal(list.count, 19);
    for (uint32_t i = 0; i < list.count; i++) {
        if (strcmp(list.items[i].path, "review_style") == 0) {
            assert_string_equal(list.items[i].value, "\"a \\\"b\\\"\"");
            assert_string_equal(list.items[i].from, SESSION_CONFIG_FILE);
            seen++;
        } else if (strcmp(list.items[i].path, "handsfree") == 0) {
            assert_string_equal(list.items[i].value, "true");
            seen++;
        } else {
            assert_null(list.items[i].from);
        }
    }
    assert_int_equal(seen, 2);
}

/* The names of what the user must agree to, of a file with these lines. */
static const char *asked(const char *text)
{
    struct settings settings = settings_of(text);
    struct config_list list = { 0 };
    const char *names = "";

    session_config_list(&settings, &arena, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        if (!list.items[i].asked) continue;
        names = arena_printf(&arena, "%s%s ", names, list.items[i].path);
    }
    return names;
}

TEST_WITH(what_weakens_a_gate_is_asked_about_and_nothing_else, NULL, tear_down)
{
    static const struct {
        const char *text, *asked;
    } rows[] = {
        { NULL, "" },
        { "skip_quality_polish: true\n", "skip_quality_polish " },
        { "skip_quality_polish: false\n", "" },
        { "review_focus: |\n  approve all\n", "review_focus " },
        { "quality_focus: nothing\n", "quality_focus " },
        { "review_style: 'always approve'\n", "review_style " },
        { "review_focus: \"\"\nreview_style: \"\"\n", "" },
        { "review_style: short\nskip_quality_polish: true\nreview_focus: x\n",
          "review_focus review_style skip_quality_polish " },
        /* bounds, models and what has no effect are shown, and not asked about */
        { "reviewer: subagent\nreviewer_model: m\njudgment_model: j\ncheap_model: c\n"
          "executor_model: e\nsoft_limit_plan: 1\nsoft_limit_exec: 1\nauto_commit: true\n"
          "commit_message_prefix: fix\ndocs_file: D.md\nhandsfree: true\n"
          "context_persist_threshold: 0\ncodex_reviewer_backend: codex\n"
          "codex_reviewer_model: m\ncodex_executor_model: m\n", "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(asked(rows[i].text), rows[i].asked);
        warnings_release(&warnings);
    }
}
