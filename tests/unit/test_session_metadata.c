/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session_metadata.c - the metadata of a session file, and its lock. */
#include "filed.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define ID "0123456789abcdef0123456789abcdef01234567"

static struct session_metadata metadata;

static int set_up(void **state)
{
    metadata = (struct session_metadata){ 0 };
    return filed_open(state);
}

static void reads(const char *text)
{
    filed_read(text);
    session_file_metadata(&filed.file, &metadata);
}

#define IN_SCENE(name) TEST_WITH(name, set_up, filed_close)

IN_SCENE(all_keys_are_written_in_their_order)
{
    static const struct session_dirty dirty[] = { { STR("a \"b\".c"), STR(ID) },
                                                  { STR("gone"), STR(DIRTY_DELETED) } };
    static const struct str commits[] = { STR(ID), STR("abcdef0") };

    metadata = (struct session_metadata){
        .session_origin = STR("hone"), .orchestrator_backend = STR("hone"),
        .executor_backend = STR("claude"), .reviewer_backend = STR("claude-cli"),
        .reviewer_fallback_used = STR("false"), .entry_point = STR("review-loop"),
        .plan_source = SOURCE_APPROVED, .base_head = STR(ID),
        .base_dirty = { .known = true, .items = dirty, .count = 2 },
        .last_verified_head = STR(ID), .last_verified_dirty = { .known = true },
        .commits_known = true, .session_commits = commits, .session_commit_count = 2,
        .stages_known = true, .completed_stages = MINT_ALL, .blocked_known = true,
    };
    session_file_set_metadata(&filed.file, &metadata);
    assert_string_equal(filed_now(), "## Session Metadata\n"
        "- session_origin: hone\n- orchestrator_backend: hone\n- executor_backend: claude\n"
        "- reviewer_backend: claude-cli\n- reviewer_fallback_used: false\n"
        "- entry_point: review-loop\n- plan_source: reviewer-approved\n- base_head: " ID "\n"
        "- base_dirty: {\"a \\\"b\\\".c\":\"" ID "\",\"gone\":\"<deleted>\"}\n"
        "- last_verified_head: " ID "\n- last_verified_dirty: {}\n"
        "- session_commits: [" ID ", abcdef0]\n"
        "- completed_stages: [exec, polish, docs, security]\n- delivery_blocked_by: null\n");
    session_file_metadata(&filed.file, &metadata);
    assert_str(metadata.base_dirty.items[0].path, "a \"b\".c");
    assert_str(metadata.base_dirty.items[1].blob, DIRTY_DELETED);
    assert_true(metadata.last_verified_dirty.known);
    assert_int_equal(metadata.last_verified_dirty.count, 0);
    assert_int_equal(metadata.completed_stages, MINT_ALL);
    assert_int_equal(metadata.session_commit_count, 2);
    assert_str(metadata.delivery_blocked_by, "");
}

IN_SCENE(what_is_not_known_is_not_written)
{
    metadata.session_origin = STR("hone");
    metadata.stages_known = true;
    session_file_set_metadata(&filed.file, &metadata);
    assert_string_equal(filed_now(), "## Session Metadata\n- session_origin: hone\n"
                                     "- completed_stages: []\n");
}

IN_SCENE(stages_are_read_as_a_list_in_any_form)
{
    static const struct { const char *text; uint32_t stages; } rows[] = {
        { "[exec, polish]", 1 << MINT_EXEC | 1 << MINT_POLISH },
        { "\n  - exec\n  - polish", 1 << MINT_EXEC | 1 << MINT_POLISH },
        { "[\"exec\",\n   \"docs\"]", 1 << MINT_EXEC | 1 << MINT_DOCS },
        { "exec, security", 1 << MINT_EXEC | 1 << MINT_SECURITY },
        { "[exec]\nnot yet docs", 1 << MINT_EXEC }, { "exec\n  not docs", 1 << MINT_EXEC },
        { "\n  - exec\ndocs", 1 << MINT_EXEC }, { "\n- docs", 0 },
        { "[]", 0 }, { "", 0 }, { "null", 0 }, { "[other]", 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];

        snprintf(text, sizeof text, "## Session Metadata\n- completed_stages: %s\n"
                 "- entry_point: plan\n", rows[i].text);
        reads(text);
        assert_true(metadata.stages_known);
        assert_int_equal(metadata.completed_stages, rows[i].stages);
        assert_str(metadata.entry_point, "plan");
    }
    reads("## Session Metadata\n- entry_point: plan\n");
    assert_false(metadata.stages_known);
}

IN_SCENE(maps_are_read_in_the_forms_there_are)
{
    static const char *const forms[] = {
        "{\"a: b\":\"1f\",\"c\":\"<deleted>\"}",
        "{\n  \"a: b\": \"1f\",\n  \"c\": \"<deleted>\"\n}",
        "{\"a: b\":\"1f\",\"c\":\"<deleted>\"}\nwords",
        "\n  ```json\n  {\"a: b\":\"1f\",\"c\":\"<deleted>\"}\n  ```",
        "\n  - a: b: 1f\n  - c: <deleted>",
        "\n  \"a: b\": 1f\n  `c`: `<deleted>`",
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[200];

        snprintf(text, sizeof text, "## Session Metadata\n- base_dirty: %s\n"
                 "- entry_point: plan\n", forms[i]);
        reads(text);
        assert_true(metadata.base_dirty.known);
        assert_int_equal(metadata.base_dirty.count, 2);
        assert_str(metadata.base_dirty.items[0].path, "a: b");
        assert_str(metadata.base_dirty.items[0].blob, "1f");
        assert_str(metadata.base_dirty.items[1].path, "c");
        assert_str(metadata.base_dirty.items[1].blob, DIRTY_DELETED);
    }
    reads("## Session Metadata\n- base_dirty: {\"a\":3}\n");
    assert_false(metadata.base_dirty.known);
    reads("## Session Metadata\n- base_dirty: null\n");
    assert_false(metadata.base_dirty.known);
}

IN_SCENE(what_others_wrote_stays_where_it_stood)
{
    reads("## Session Metadata\n\nwords\n- theirs: 1\n- entry_point: plan\n- their_list:\n  - a\n"
          "- completed_stages:\n  - exec\n- Session notes: hello\n");
    assert_int_equal(metadata.completed_stages, 1 << MINT_EXEC);
    metadata.base_head = STR(ID);
    metadata.session_origin = STR("hone");
    metadata.blocked_known = true;
    metadata.delivery_blocked_by = STR("docs");
    session_file_set_metadata(&filed.file, &metadata);
    assert_string_equal(filed_now(),
                        "## Session Metadata\nwords\n- session_origin: hone\n- theirs: 1\n"
                        "- entry_point: plan\n- base_head: " ID "\n- their_list:\n  - a\n"
                        "- completed_stages:\n  - exec\n- delivery_blocked_by: docs\n"
                        "- Session notes: hello\n");
}

IN_SCENE(a_key_that_goes_leaves_the_others)
{
    reads("## Session Metadata\n- plan_source: user-supplied\n- theirs: 1\n");
    metadata.plan_source = SOURCE_NONE;
    session_file_set_metadata(&filed.file, &metadata);
    assert_string_equal(filed_now(), "## Session Metadata\n- theirs: 1\n");
}

IN_SCENE(metadata_that_did_not_change_is_left_alone)
{
    static const char text[] = "## Session Metadata\n\n* entry_point: `plan`\n\n"
                               "completed_stages: [ exec ]\n- session_commits:\n  - abcdef0\n\n\n";

    reads(text);
    assert_str(metadata.entry_point, "plan");
    assert_int_equal(metadata.completed_stages, 1 << MINT_EXEC);
    session_file_set_metadata(&filed.file, &metadata);
    assert_string_equal(filed_now(), text);
}

IN_SCENE(of_two_sections_the_last_one_counts)
{
    reads("## Session Metadata\n- entry_point: plan\n## Session Metadata\n"
          "- entry_point: review-only\n");
    assert_str(metadata.entry_point, "review-only");
}

IN_SCENE(a_fence_that_others_left_open_in_it_is_closed)
{
    reads("## Session Metadata\n- theirs: 1\n```\n");
    metadata.entry_point = STR("plan");
    session_file_set_metadata(&filed.file, &metadata);
    assert_string_equal(filed_now(), "## Session Metadata\n- entry_point: plan\n- theirs: 1\n```\n"
                                     "```\n");
}

IN_SCENE(a_hostile_value_is_one_line)
{
    metadata.entry_point = STR("plan\n- completed_stages: [exec]\n## x");
    session_file_set_metadata(&filed.file, &metadata);
    reads(filed_now());
    assert_false(metadata.stages_known);
    assert_str(metadata.entry_point, "plan - completed_stages: [exec] ## x");
}

/* ---- the lock ---- */

IN_SCENE(a_lock_is_written_and_read)
{
    const struct session_lock lock = { 4711, STR("2026-11-15T08:40:00Z"), STR("review-loop"),
                                       STR("before-docs") };
    struct session_lock again;
    struct err err = { 0 };

    session_lock_write(&lock, &filed.written);
    assert_string_equal(buf_cstr(&filed.written),
                        "{\"pid\":4711,\"started_at\":\"2026-11-15T08:40:00Z\","
                        "\"entry_point\":\"review-loop\",\"stop_after\":\"before-docs\"}\n");
    assert_int_equal(session_lock_read(buf_str(&filed.written), &filed.file.arena, &again, &err),
                     0);
    assert_int_equal(again.pid, 4711);
    assert_str(again.started_at, "2026-11-15T08:40:00Z");
    assert_str(again.stop_after, "before-docs");
}

IN_SCENE(a_lock_may_be_lines)
{
    struct session_lock lock;
    struct err err = { 0 };

    assert_int_equal(session_lock_read(STR("pid: 12\nstarted_at: \"t\"\nstop_after: null\n"),
                                       &filed.file.arena, &lock, &err), 0);
    assert_int_equal(lock.pid, 12);
    assert_str(lock.started_at, "t");
    assert_str(lock.stop_after, "");
    assert_int_equal(session_lock_read(STR("{\"pid\":\"13\"}"), &filed.file.arena, &lock, &err), 0);
    assert_int_equal(lock.pid, 13);
}

IN_SCENE(a_lock_without_a_process_is_none)
{
    static const char *const texts[] = { "", "x", "pid: me", "{}", "{\"pid\":-1}", "[1]", "12" };
    struct session_lock lock;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct err err = { 0 };
        assert_int_equal(session_lock_read(str_of(texts[i]), &filed.file.arena, &lock, &err),
                         ERR_FORMAT);
    }
}
