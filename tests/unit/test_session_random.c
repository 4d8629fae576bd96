/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session_random.c - session files made of every odd line there is, in any order: nothing is
 * lost, and what was set is read again. A seed is printed where one fails. */
#include "dialect/sections.h"
#include "dialect/session/file.h"

#include "shared/prng.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { FILES = 3000, LINES_MAX = 60 };

static const char *const lines[] = {
    "", "", "words", "  indented", "    code", "\t- tab", "- bullet", "  - item", "    - deeper",
    "* star", "- key: value", "- Source: reviewer-approved", "- Source: me", "# Title",
    "## Unknown", "## Problem Description", "## Context", "## context", "## Acceptance Criteria",
    "## Current Phase", "planning", "execution", "## Approved Plan", "## Draft Plan",
    "## Solution Plan: x", "## Review Target", "## Review History", "### Planning Round 1",
    "### Execution Round 2 (review-only)", "### Round 1 \xe2\x80\x94 Executor",
    "- Reviewer issues:", "  - [CRITICAL] x", "    File: `a.c`, around line 3", "  - None.",
    "## Files Changed", "None.", "- `a.c` - why", "## Key Related Files", "## Timing Log",
    "| Phase | Round | Role | Duration |", "|---|---|---|---|", "| planning | 1 | a\\|b | 3 s |",
    "## Session Metadata", "- session_origin: x", "- completed_stages:", "  - exec",
    "- completed_stages: [exec, polish]", "- base_dirty: {\"a\":\"<deleted>\"}", "- base_dirty:",
    "  - a.c: 12ab", "- theirs: 1", "```", "```c", "~~~", "<!--", "-->", "<!-- x -->", "<pre>",
    "</pre>", "> quote", "> ## quoted", "###### six", "####### seven", "## ", "##", "\xff\xfe",
    "\x1b[1m", "a\rb", "x\r", "\xef\xbb\xbf```",
};

enum { LINE_COUNT = sizeof lines / sizeof *lines };

static void random_text(struct prng *prng, struct buf *out, uint32_t most)
{
    uint32_t count = prng_below(prng, most);

    buf_clear(out);
    for (uint32_t i = 0; i < count; i++) {
        if (i) buf_text(out, prng_chance(prng, 5) ? "\r\n" : "\n");
        buf_text(out, lines[prng_below(prng, LINE_COUNT)]);
    }
    if (prng_chance(prng, 80)) buf_text(out, "\n");
}

static void read_it(struct session_file *file, struct str text)
{
    struct err err = { 0 };

    assert_int_equal(session_file_read(file, text, &err), 0);
}

static uint32_t times_in(struct str text, struct str line)
{
    uint32_t count = 0;
    struct str piece;

    while (str_cut(&text, '\n', &piece)) count += str_eq(str_trim(piece), str_trim(line));
    return count;
}

/* Every line that is not empty is in the other text at least as often. */
static void expect_kept(uint32_t seed, struct str before, struct str after)
{
    struct str rest = before, line;

    while (str_cut(&rest, '\n', &line)) {
        if (str_trim(line).size && times_in(after, line) < times_in(before, line)) {
            fail_msg("seed %u: '%.*s' is lost in:\n%.*s\n---\n%.*s", seed, STR_ARG(line),
                     STR_ARG(before), STR_ARG(after));
        }
    }
}

TEST(what_is_read_is_written_byte_for_byte)
{
    struct buf text, out;

    buf_init(&text, 1 << 20);
    buf_init(&out, 1 << 20);
    for (uint32_t seed = 1; seed <= FILES; seed++) {
        struct prng prng = { seed };
        struct session_file file;

        random_text(&prng, &text, LINES_MAX);
        read_it(&file, buf_str(&text));
        buf_clear(&out);
        session_file_write(&file, &out);
        if (!str_eq(buf_str(&text), buf_str(&out))) fail_msg("seed %u", seed);
        session_file_release(&file);
    }
    buf_release(&text);
    buf_release(&out);
}

TEST(what_is_added_loses_nothing)
{
    static const struct session_round round = { .stage = STAGE_DOCS, .number = 77 };
    static const struct session_time time = { STR("docs"), STR("77"), STR("r"), STR("1 s") };
    struct buf text, out;

    buf_init(&text, 1 << 20);
    buf_init(&out, 1 << 20);
    for (uint32_t seed = 1; seed <= FILES; seed++) {
        struct session_metadata metadata;
        struct prng prng = { seed };
        struct session_file file;

        random_text(&prng, &text, LINES_MAX);
        read_it(&file, buf_str(&text));
        session_file_metadata(&file, &metadata);
        if (!metadata.base_head.size) metadata.base_head = STR("0123456");
        session_file_set_metadata(&file, &metadata);
        session_file_add_round(&file, &round);
        session_file_add_time(&file, &time);
        session_file_complete(&file);
        buf_clear(&out);
        session_file_write(&file, &out);
        expect_kept(seed, buf_str(&text), buf_str(&out));
        session_file_release(&file);
    }
    buf_release(&text);
    buf_release(&out);
}

/* A file of ours: every section set to something odd. */
static void fill(struct session_file *file, struct prng *prng, struct buf *text)
{
    static const enum session_section texts[] = { SESSION_PROBLEM, SESSION_CONTEXT,
                                                  SESSION_CRITERIA, SESSION_TARGET };
    struct session_plan plan = { .source = SOURCE_USER };
    struct session_bullet bullet = { .key = STR(ROUND_ISSUES), .item_count = 1 };
    struct session_round round = { .stage = STAGE_POLISH, .bullets = &bullet, .bullet_count = 1 };
    struct session_metadata metadata = { .session_origin = STR("hone"), .stages_known = true };
    struct session_path path;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        random_text(prng, text, 12);
        session_file_set(file, texts[i], buf_str(text));
    }
    random_text(prng, text, 12);
    plan.body = buf_str(text);
    session_file_set_plan(file, &plan);
    random_text(prng, text, 12);
    session_file_set_draft(file, buf_str(text));
    session_file_set_phase(file, SESSION_EXECUTION);
    for (round.number = 1; round.number < 4; round.number++) {
        struct str item, value;

        random_text(prng, text, 6);
        item = session_file_keep(file, buf_str(text));
        random_text(prng, text, 3);
        value = session_file_keep(file, buf_str(text));
        bullet.items = &item;
        bullet.value = round.note = value;
        session_file_add_round(file, &round);
        session_file_add_time(file, &(struct session_time){ value, item, value, item });
    }
    path = (struct session_path){ .path = STR("a`b"), .note = buf_str(text) };
    session_file_set_paths(file, SESSION_CHANGED, &path, 1);
    metadata.completed_stages = prng_below(prng, MINT_ALL + 1);
    metadata.entry_point = metadata.base_head = buf_str(text);
    session_file_set_metadata(file, &metadata);
    session_file_complete(file);
}

static void expect_same(uint32_t seed, struct session_file *a, struct session_file *b)
{
    struct session_metadata of_a, of_b;
    struct session_plan plan_a, plan_b;
    uint32_t count_a, count_b;

    for (uint32_t i = 0; i < SESSION_SECTION_COUNT; i++) {
        enum session_section section = (enum session_section)i;

        if (session_file_has(a, section) != session_file_has(b, section) ||
            !str_eq(session_file_text(a, section), session_file_text(b, section))) {
            fail_msg("seed %u: %s:\n%.*s\n---\n%.*s", seed, session_section_title(section),
                     STR_ARG(session_file_text(a, section)),
                     STR_ARG(session_file_text(b, section)));
        }
    }
    session_file_plan(a, &plan_a);
    session_file_plan(b, &plan_b);
    assert_true(plan_a.source == plan_b.source && str_eq(plan_a.body, plan_b.body));
    (void)session_file_rounds(a, &count_a);
    (void)session_file_rounds(b, &count_b);
    assert_int_equal(count_a, 3);
    assert_int_equal(count_b, 3);
    session_file_metadata(a, &of_a);
    session_file_metadata(b, &of_b);
    assert_true(str_eq(of_a.entry_point, of_b.entry_point));
    assert_int_equal(of_a.completed_stages, of_b.completed_stages);
    assert_int_equal(a->count, b->count);
}

TEST(a_file_of_ours_is_read_as_it_was_set)
{
    struct buf text, out, again;

    buf_init(&text, 1 << 20);
    buf_init(&out, 1 << 20);
    buf_init(&again, 1 << 20);
    for (uint32_t seed = 1; seed <= FILES; seed++) {
        struct session_file file, other;
        struct session_plan plan;
        struct prng prng = { seed };

        session_file_init(&file);
        fill(&file, &prng, &text);
        buf_clear(&out);
        session_file_write(&file, &out);
        read_it(&other, buf_str(&out));
        if (other.open_line) fail_msg("seed %u: open in line %u", seed, other.open_line);
        expect_same(seed, &file, &other);
        session_file_plan(&other, &plan);
        session_file_set_plan(&other, &plan);
        session_file_set_draft(&other, session_file_draft(&other));
        buf_clear(&again);
        session_file_write(&other, &again);
        if (!str_eq(buf_str(&out), buf_str(&again))) {
            fail_msg("seed %u: written again:\n%s\n---\n%s", seed, buf_cstr(&out),
                     buf_cstr(&again));
        }
        session_file_release(&file);
        session_file_release(&other);
    }
    buf_release(&text);
    buf_release(&out);
    buf_release(&again);
}

TEST(a_normal_text_is_normal)
{
    struct buf text, once, twice;

    buf_init(&text, 1 << 20);
    buf_init(&once, 1 << 20);
    buf_init(&twice, 1 << 20);
    for (uint32_t seed = 1; seed <= FILES; seed++) {
        struct prng prng = { seed };
        struct sections sections;
        struct arena arena = { 0 };

        random_text(&prng, &text, LINES_MAX);
        buf_clear(&once);
        markdown_normal(buf_str(&text), 3, &once);
        buf_clear(&twice);
        markdown_normal(buf_str(&once), 3, &twice);
        if (!str_eq(buf_str(&once), buf_str(&twice))) fail_msg("seed %u", seed);
        sections_read(buf_str(&once), &arena, &sections);
        if (sections.count || sections.open_line) fail_msg("seed %u: a section", seed);
        arena_release(&arena);
    }
    buf_release(&text);
    buf_release(&once);
    buf_release(&twice);
}
