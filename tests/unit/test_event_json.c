/* SPDX-License-Identifier: Apache-2.0
 *
 * test_event_json.c - an event survives being written down, and nothing else is taken for one. */
#include "base/mem.h"
#include "format/json/event_json.h"

#include "shared/prng.h"
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_written(const struct event *event, const char *expected)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    event_write(event, &out);
    assert_string_equal(buf_cstr(&out), expected);
    buf_release(&out);
}

static void assert_same(struct str a, struct str b)
{
    if (!str_eq(a, b)) fail_msg("\"%.*s\" is not \"%.*s\"", STR_ARG(a), STR_ARG(b));
}

static void assert_finding(const struct finding *a, const struct finding *b)
{
    assert_int_equal(a->severity, b->severity);
    assert_same(a->source, b->source);
    assert_same(a->kind, b->kind);
    assert_same(a->file, b->file);
    assert_int_equal(a->line, b->line);
    assert_same(a->text, b->text);
    assert_same(a->evidence, b->evidence);
    assert_same(a->suggestion, b->suggestion);
    assert_same(a->say, b->say);
    assert_true(a->fingerprint == b->fingerprint);
}

static void assert_moved(const struct line_map *a, const struct line_map *b)
{
    assert_int_equal(a->file_count, b->file_count);
    for (uint32_t i = 0; i < a->file_count; i++) {
        const struct file_move *x = &a->files[i], *y = &b->files[i];

        assert_same(x->old_path, y->old_path);
        assert_same(x->new_path, y->new_path);
        assert_int_equal(x->hunk_count, y->hunk_count);
        for (uint32_t k = 0; k < x->hunk_count; k++) {
            assert_int_equal(x->hunks[k].old_line, y->hunks[k].old_line);
            assert_int_equal(x->hunks[k].old_count, y->hunks[k].old_count);
            assert_int_equal(x->hunks[k].new_line, y->hunks[k].new_line);
            assert_int_equal(x->hunks[k].new_count, y->hunks[k].new_count);
        }
    }
}

static void assert_waivers(const struct event *a, const struct event *b)
{
    assert_int_equal(a->waiver_count, b->waiver_count);
    for (uint32_t i = 0; i < a->waiver_count; i++) {
        assert_same(a->waivers[i].id, b->waivers[i].id);
        assert_int_equal(a->waivers[i].grave, b->waivers[i].grave);
        assert_finding(&a->waivers[i].finding, &b->waivers[i].finding);
    }
}

static void assert_event(const struct event *a, const struct event *b)
{
    const struct result *x = &a->result, *y = &b->result;

    assert_int_equal(a->kind, b->kind);
    assert_true(a->now_ms == b->now_ms);
    assert_int_equal(a->job, b->job);
    assert_int_equal(a->attempt, b->attempt);
    assert_int_equal(a->lane, b->lane);
    assert_int_equal(a->choice, b->choice);
    assert_int_equal(x->verdict, y->verdict);
    assert_int_equal(x->failure, y->failure);
    assert_int_equal(x->basis, y->basis);
    assert_int_equal(x->permanent, y->permanent);
    assert_int_equal(x->complete, y->complete);
    assert_int_equal(x->stuck, y->stuck);
    assert_int_equal(x->fix_groups, y->fix_groups);
    assert_int_equal(x->fix_alone, y->fix_alone);
    assert_true(x->retry_at_ms == y->retry_at_ms);
    assert_int_equal(x->finding_count, y->finding_count);
    for (uint32_t i = 0; i < x->finding_count && i < y->finding_count; i++) {
        assert_finding(&x->findings[i], &y->findings[i]);
    }
    assert_int_equal(x->note_count, y->note_count);
    for (uint32_t i = 0; i < x->note_count && i < y->note_count; i++) {
        assert_finding(&x->notes[i], &y->notes[i]);
    }
    assert_int_equal(x->group_count, y->group_count);
    for (uint32_t i = 0; i < x->group_count && i < y->group_count; i++) {
        assert_int_equal(x->groups[i], y->groups[i]);
    }
    assert_int_equal(x->proof, y->proof);
    assert_int_equal(x->unchanged, y->unchanged);
    assert_int_equal(x->doubt_count, y->doubt_count);
    for (uint32_t i = 0; i < x->doubt_count && i < y->doubt_count; i++) {
        assert_true(x->doubts[i].fingerprint == y->doubts[i].fingerprint);
        assert_int_equal(x->doubts[i].line, y->doubts[i].line);
        assert_int_equal(x->doubts[i].why, y->doubts[i].why);
    }
    assert_int_equal(x->coverage.files, y->coverage.files);
    assert_int_equal(x->coverage.unbuilt, y->coverage.unbuilt);
    assert_int_equal(x->coverage.generated, y->coverage.generated);
    assert_int_equal(x->coverage.older, y->coverage.older);
    assert_int_equal(x->coverage.baseline, y->coverage.baseline);
    assert_same(x->coverage.hint, y->coverage.hint);
    assert_int_equal(x->coverage.unlooked_count, y->coverage.unlooked_count);
    for (uint32_t i = 0; i < x->coverage.unlooked_count; i++) {
        assert_same(x->coverage.unlooked[i].file, y->coverage.unlooked[i].file);
        assert_same(x->coverage.unlooked[i].tool, y->coverage.unlooked[i].tool);
        assert_same(x->coverage.unlooked[i].why, y->coverage.unlooked[i].why);
    }
    assert_int_equal(x->taken_back, y->taken_back);
    assert_moved(&x->moved, &y->moved);
    assert_waivers(a, b);
    assert_same(x->doc, y->doc);
    assert_same(x->problem, y->problem);
    assert_int_equal(a->late, b->late);
    assert_int_equal(a->has_budget, b->has_budget);
    assert_int_equal(a->budget.stop, b->budget.stop);
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        assert_true(a->budget.limit.of[i] == b->budget.limit.of[i]);
    }
}

static void assert_round_trip(const struct event *event)
{
    struct arena arena = { 0 };
    struct event back;
    struct err err;
    struct buf out;

    buf_init(&out, 1 << 20);
    event_write(event, &out);
    assert_false(out.overflow);
    assert_false(str_has(buf_str(&out), '\n'));
    if (event_read(buf_str(&out), &arena, &back, &err) != 0) fail_msg("%s", err.text);
    /* Nothing of the event may live in the text. */
    memset(out.data, 'x', out.size);
    assert_event(event, &back);
    arena_release(&arena);
    buf_release(&out);
}

TEST(small_events_are_short)
{
    assert_written(&(struct event){ .kind = EV_START, .now_ms = 5 },
                   "{\"event\":\"start\",\"at\":5}");
    assert_written(&(struct event){ .kind = EV_STOP }, "{\"event\":\"stop\",\"at\":0}");
    assert_written(&(struct event){ .kind = EV_DRIFT, .now_ms = 1 },
                   "{\"event\":\"drift\",\"at\":1,\"lane\":0}");
    assert_written(&(struct event){ .kind = EV_ANSWER, .now_ms = 1, .lane = 2 },
                   "{\"event\":\"answer\",\"at\":1,\"lane\":2,\"choice\":\"continue\"}");
    assert_written(&(struct event){ .kind = EV_ENDED, .now_ms = 1, .job = 3, .attempt = 1 },
                   "{\"event\":\"ended\",\"at\":1,\"job\":3,\"attempt\":1,\"verdict\":\"clean\"}");
}

TEST(a_budget_comes_with_a_start_or_a_resume)
{
    const struct event lifted = { .kind = EV_RESUME, .now_ms = 1, .has_budget = true };
    const struct event limited = {
        .kind = EV_START, .has_budget = true, .late = true,
        .budget = { .limit = { .of = { 1, UINT64_MAX, 3000, 4 } }, .stop = true },
    };

    assert_written(&lifted, "{\"event\":\"resume\",\"at\":1,\"budget\":true}");
    assert_round_trip(&lifted);
    assert_round_trip(&limited);
    assert_round_trip(&(struct event){ .kind = EV_SPENT, .now_ms = 7 });
}

static const struct finding two[] = {
    { .severity = SEVERITY_HIGH, .source = STR("critic"), .kind = STR("bug"), .file = STR("a.c"),
      .line = 7, .text = STR("it \"leaks\"\n"), .evidence = STR("line 7"),
      .suggestion = STR("free it"), .fingerprint = 0x00c0ffee },
    { .severity = SEVERITY_LOW, .fingerprint = UINT64_MAX },
};

/* "EV_START carries them in result.findings ... the word is the person's: journaled" */
TEST(a_start_is_written_with_what_it_is_to_repair)
{
    static const struct finding one = { .severity = SEVERITY_HIGH, .text = STR("odd"),
                                        .say = STR("keep \"it\""), .fingerprint = 1 };
    struct event event = { .kind = EV_START, .now_ms = 9,
                           .result = { .findings = &one, .finding_count = 1 } };

    assert_written(&event,
        "{\"event\":\"start\",\"at\":9,\"findings\":[{\"severity\":\"high\",\"text\":\"odd\","
        "\"say\":\"keep \\\"it\\\"\",\"fingerprint\":\"0000000000000001\"}]}");
    assert_round_trip(&event);
}

TEST(a_review_is_written_with_its_findings)
{
    struct event event = { .kind = EV_ENDED, .now_ms = 9, .job = 3, .attempt = 1,
                           .result = { .verdict = VERDICT_FINDINGS, .findings = two,
                                       .finding_count = 2, .fix_groups = 2, .fix_alone = true,
                                       .doc = STR("{}") } };

    assert_written(&event,
        "{\"event\":\"ended\",\"at\":9,\"job\":3,\"attempt\":1,\"fix_groups\":2,\"fix_alone\":true,"
        "\"doc\":\"{}\",\"verdict\":\"findings\",\"findings\":[{\"severity\":\"high\","
        "\"source\":\"critic\","
        "\"kind\":\"bug\",\"file\":\"a.c\",\"line\":7,\"text\":\"it \\\"leaks\\\"\\n\","
        "\"evidence\":\"line 7\",\"suggestion\":\"free it\",\"fingerprint\":\"0000000000c0ffee\"},"
        "{\"severity\":\"low\",\"text\":\"\",\"fingerprint\":\"ffffffffffffffff\"}]}");
    assert_round_trip(&event);
}

TEST(every_member_comes_back)
{
    static const struct line_hunk hunks[] = { { 0, 0, 1, UINT32_MAX }, { 7, 2, 7, 3 } };
    const struct file_move files[] = { { STR("a \n\".c"), STR("b.c"), hunks, 2 },
                                       { STR(""), STR("new.c"), hunks, 1 },
                                       { STR("gone.c"), STR(""), NULL, 0 } };
    const struct waiver waivers[] = { { .id = STR("w1"), .grave = true, .finding = two[0] },
                                      { .id = STR(""), .finding = two[1] } };
    static const uint32_t groups[] = { 0, 1, UINT32_MAX };
    static const struct doubtful doubts[] = { { UINT64_MAX, UINT32_MAX, DOUBT_UNTOUCHED },
                                              { 0, 0, DOUBT_UNNAMED } };
    const struct unlooked unlooked[] = {
        { STR("a.c"), STR("gcc"), STR("it crashed") },
        { STR("b\n.c"), STR(""), STR("") },
    };
    struct event event = {
        .kind = EV_ENDED, .now_ms = UINT64_MAX, .job = UINT32_MAX, .attempt = UINT32_MAX,
        .lane = UINT32_MAX, .choice = CHOICE_STOP, .waivers = waivers, .waiver_count = 2,
        .result = { .verdict = VERDICT_FAILED, .failure = FAILURE_STOPPED, .permanent = true,
                    .complete = true, .stuck = true, .fix_groups = UINT32_MAX,
                    .fix_alone = true, .notes = two, .note_count = 2,
                    .retry_at_ms = UINT64_MAX - 1, .findings = two, .finding_count = 2,
                    .coverage = { .files = 9, .unbuilt = 2, .generated = 5,
                                  .hint = STR("configure"), .older = 3,
                                  .baseline = 4, .unlooked = unlooked, .unlooked_count = 2 },
                    .groups = groups, .group_count = 3, .doc = STR("d\0oc"),
                    .taken_back = true, .moved = { files, 3 },
                    .unchanged = true, .doubts = doubts, .doubt_count = 2, .proof = PROOF_MISSING,
                    .problem = STR("\x1b \xe2\x80\xae \\") },
    };

    for (int kind = 0; kind < EV_COUNT; kind++) {
        event.kind = (enum event_kind)kind;
        assert_round_trip(&event);
        assert_round_trip(&(struct event){ .kind = (enum event_kind)kind });
    }
}

/* "a finding that the report does not name, or names as fixed with no change near it, is
 * unresolved": what a journal says of it. */
TEST(a_repair_is_written_with_its_doubts)
{
    static const struct doubtful doubts[] = { { 0xc0ffee, 7, DOUBT_UNTOUCHED },
                                              { 1, 0, DOUBT_UNNAMED } };
    struct event event = {
        .kind = EV_ENDED, .now_ms = 5, .job = 2, .attempt = 1,
        .result = { .verdict = VERDICT_CLEAN, .unchanged = true, .doubts = doubts,
                    .doubt_count = 2 },
    };
    struct buf out;

    buf_init(&out, 1 << 16);
    event_write(&event, &out);
    assert_non_null(strstr(buf_cstr(&out), "\"unchanged\":true"));
    assert_non_null(strstr(buf_cstr(&out),
        "\"doubts\":[{\"fingerprint\":\"0000000000c0ffee\",\"line\":7,\"why\":\"untouched\"},"
        "{\"fingerprint\":\"0000000000000001\",\"line\":0,\"why\":\"unnamed\"}]"));
    buf_release(&out);
    assert_round_trip(&event);
}

/* What a journal says of where lines went, and of what a person leaves. */
TEST(moves_and_waivers_are_written_in_few_words)
{
    static const struct line_hunk hunks[] = { { 7, 2, 7, 3 }, { 20, 0, 22, 1 } };
    const struct file_move files[] = { { STR("a.c"), STR("b.c"), hunks, 2 },
                                       { STR("gone.c"), STR(""), NULL, 0 } };
    const struct waiver waiver = { .id = STR("w1"), .grave = true, .finding = {
        .severity = SEVERITY_LOW, .text = STR("t"), .fingerprint = 1 } };

    assert_written(&(struct event){ .kind = EV_ENDED, .now_ms = 1, .job = 3, .attempt = 1,
                                    .result = { .moved = { files, 2 }, .taken_back = true } },
        "{\"event\":\"ended\",\"at\":1,\"job\":3,\"attempt\":1,\"taken_back\":true,"
        "\"verdict\":\"clean\",\"moved\":[{\"old\":\"a.c\",\"new\":\"b.c\","
        "\"hunks\":[7,2,7,3,20,0,22,1]},{\"old\":\"gone.c\",\"hunks\":[]}]}");
    assert_written(&(struct event){ .kind = EV_RESUME, .now_ms = 1, .waivers = &waiver,
                                    .waiver_count = 1 },
        "{\"event\":\"resume\",\"at\":1,\"waivers\":[{\"id\":\"w1\",\"grave\":true,"
        "\"finding\":{\"severity\":\"low\",\"text\":\"t\","
        "\"fingerprint\":\"0000000000000001\"}}]}");
}

static struct str random_text(struct prng *prng, struct arena *arena)
{
    static const char *const pieces[] = { "a", "\"", "\\", "\n", "\t", "\x01", "\xc3\xa4",
                                          "\xf0\x9f\x99\x82", "{", "}", ":", "\x7f" };
    struct buf text;
    struct str copy;

    buf_init(&text, 1000);
    for (uint32_t left = prng_below(prng, 20); left > 0; left--) {
        buf_text(&text, pieces[prng_below(prng, COUNT(pieces))]);
    }
    copy = arena_copy(arena, buf_str(&text));
    buf_release(&text);
    return copy;
}

static struct line_map random_moves(struct prng *prng, struct arena *arena)
{
    uint32_t count = prng_below(prng, 3);
    struct file_move *files = arena_alloc(arena, 3 * sizeof *files);

    for (uint32_t i = 0; i < count; i++) {
        struct line_hunk *hunks = arena_alloc(arena, 3 * sizeof *hunks);

        files[i] = (struct file_move){ random_text(prng, arena), random_text(prng, arena), hunks,
                                       prng_below(prng, 4) };
        for (uint32_t k = 0; k < files[i].hunk_count; k++) {
            hunks[k] = (struct line_hunk){ (uint32_t)prng_next(prng), prng_below(prng, 9),
                                           (uint32_t)prng_next(prng), prng_below(prng, 9) };
        }
    }
    return (struct line_map){ files, count };
}

static void random_waivers(struct prng *prng, struct arena *arena, struct event *event)
{
    struct waiver *waivers = arena_alloc(arena, 3 * sizeof *waivers);

    event->waivers = waivers;
    event->waiver_count = prng_below(prng, 4);
    for (uint32_t i = 0; i < event->waiver_count; i++) {
        waivers[i] = (struct waiver){
            .id = random_text(prng, arena), .grave = prng_chance(prng, 50),
            .finding = { .severity = (enum severity)prng_below(prng, SEVERITY_COUNT),
                         .file = random_text(prng, arena), .text = random_text(prng, arena),
                         .fingerprint = prng_next(prng) } };
    }
}

TEST(random_events_come_back)
{
    struct prng prng = { .state = 11 };

    for (int round = 0; round < 2000; round++) {
        struct arena arena = { 0 };
        uint32_t count = prng_below(&prng, 4);
        struct finding *findings = arena_alloc(&arena, 4 * sizeof *findings);
        uint32_t *groups = arena_alloc(&arena, 4 * sizeof *groups);
        struct event event = {
            .kind = (enum event_kind)prng_below(&prng, EV_COUNT),
            .now_ms = prng_next(&prng), .job = prng_below(&prng, 3),
            .attempt = prng_below(&prng, 3), .lane = prng_below(&prng, 3),
            .choice = (enum choice)prng_below(&prng, CHOICE_COUNT),
            .result = { .verdict = (enum verdict)prng_below(&prng, VERDICT_COUNT),
                        .failure = (enum failure)prng_below(&prng, FAILURE_COUNT),
                        .basis = (enum basis)prng_below(&prng, BASIS_COUNT),
                        .permanent = prng_chance(&prng, 50), .complete = prng_chance(&prng, 50),
                        .stuck = prng_chance(&prng, 50), .retry_at_ms = prng_next(&prng),
                        .fix_groups = prng_below(&prng, 3), .findings = findings,
                        .finding_count = count, .groups = groups, .group_count = 3 - count,
                        .doc = random_text(&prng, &arena),
                        .problem = random_text(&prng, &arena) },
        };

        for (uint32_t i = 0; i < count; i++) {
            findings[i] = (struct finding){
                .severity = (enum severity)prng_below(&prng, SEVERITY_COUNT),
                .source = random_text(&prng, &arena), .kind = random_text(&prng, &arena),
                .file = random_text(&prng, &arena), .line = prng_below(&prng, 2),
                .text = random_text(&prng, &arena), .evidence = random_text(&prng, &arena),
                .suggestion = random_text(&prng, &arena), .fingerprint = prng_next(&prng),
            };
            groups[i] = prng_below(&prng, 9);
        }
        event.result.taken_back = prng_chance(&prng, 50);
        event.result.moved = random_moves(&prng, &arena);
        random_waivers(&prng, &arena, &event);
        assert_round_trip(&event);
        arena_release(&arena);
    }
}

TEST(bad_utf8_comes_back_mended)
{
    struct event event = { .kind = EV_ENDED, .result.doc = STR("a\xff") };
    struct arena arena = { 0 };
    struct event back;
    struct err err;
    struct buf out;

    buf_init(&out, 1000);
    event_write(&event, &out);
    assert_int_equal(event_read(buf_str(&out), &arena, &back, &err), 0);
    assert_same(back.result.doc, STR("a\xef\xbf\xbd"));
    arena_release(&arena);
    buf_release(&out);
}

TEST(unknown_members_are_ignored)
{
    struct arena arena = { 0 };
    struct event event;
    struct err err;

    assert_int_equal(event_read(STR(" { \"new\": [{}], \"event\": \"stop\", \"at\": 4,"
                                    " \"findings\": [], \"groups\": [] } "),
                                &arena, &event, &err), 0);
    assert_event(&event, &(struct event){ .kind = EV_STOP, .now_ms = 4 });
    arena_release(&arena);
}

#define ENDED "\"event\":\"ended\",\"at\":1,\"job\":1,\"attempt\":1,\"verdict\":\"clean\""
#define FINDING(more) "{" ENDED ",\"findings\":[{\"severity\":\"low\",\"text\":\"t\"," more "}]}"

static const struct {
    const char *text, *problem;
} wrong[] = {
    { "", "line 1" },
    { "{\"event\":\"stop\",\n\"at\":}", "line 2" },
    { "[]", "must be an object" },
    { "{}", "\"event\" is missing" },
    { "{\"at\":1}", "\"event\" is missing" },
    { "{\"event\":1,\"at\":1}", "\"event\" must be a string" },
    { "{\"event\":\"ende\\u001bd\",\"at\":1}", "\"event\" cannot be \"ende\\x1bd\"" },
    { "{\"event\":\"stop\"}", "\"at\" is missing" },
    { "{\"event\":\"stop\",\"at\":-1}", "\"at\" must be a whole number" },
    { "{\"event\":\"stop\",\"at\":1.5}", "\"at\" must be a whole number" },
    { "{\"event\":\"stop\",\"at\":\"1\"}", "\"at\" must be a whole number" },
    { "{\"event\":\"stop\",\"at\":18446744073709551616}", "\"at\" must be a whole number" },
    { "{\"event\":\"drift\",\"at\":1}", "\"lane\" is missing" },
    { "{\"event\":\"answer\",\"at\":1,\"lane\":0}", "\"choice\" is missing" },
    { "{\"event\":\"answer\",\"at\":1,\"lane\":0,\"choice\":\"yes\"}",
      "\"choice\" cannot be \"yes\"" },
    { "{\"event\":\"ended\",\"at\":1,\"attempt\":1,\"verdict\":\"clean\"}",
      "\"job\" is missing" },
    { "{\"event\":\"ended\",\"at\":1,\"job\":1,\"verdict\":\"clean\"}",
      "\"attempt\" is missing" },
    { "{\"event\":\"ended\",\"at\":1,\"job\":1,\"attempt\":1}", "\"verdict\" is missing" },
    { "{\"event\":\"ended\",\"at\":1,\"job\":1,\"attempt\":1,\"verdict\":\"fine\"}",
      "\"verdict\" cannot be \"fine\"" },
    { "{\"event\":\"ended\",\"at\":1,\"job\":4294967296,\"attempt\":1,\"verdict\":\"clean\"}",
      "\"job\" must be a whole number from 0 to 4294967295" },
    { "{" ENDED ",\"failure\":\"sloth\"}", "\"failure\" cannot be \"sloth\"" },
    { "{" ENDED ",\"failure\":null}", "\"failure\" must be a string" },
    { "{" ENDED ",\"basis\":\"mood\"}", "\"basis\" cannot be \"mood\"" },
    { "{" ENDED ",\"permanent\":1}", "\"permanent\" must be true or false" },
    { "{" ENDED ",\"doc\":{}}", "\"doc\" must be a string" },
    { "{" ENDED ",\"problem\":null}", "\"problem\" must be a string" },
    { "{" ENDED ",\"groups\":{}}", "\"groups\" must be a list" },
    { "{" ENDED ",\"groups\":[1,-1]}", "group 2: \"groups\" must be a whole number" },
    { "{" ENDED ",\"unchanged\":1}", "\"unchanged\" must be true or false" },
    { "{" ENDED ",\"doubts\":{}}", "\"doubts\" must be a list" },
    { "{" ENDED ",\"doubts\":[1]}", "doubt 1: no fingerprint, or no reason" },
    { "{" ENDED ",\"doubts\":[{\"fingerprint\":\"1\",\"why\":\"unnamed\"}]}", "doubt 1" },
    { "{" ENDED ",\"doubts\":[{\"fingerprint\":\"0000000000000001\",\"why\":\"mood\"}]}",
      "doubt 1: no fingerprint, or no reason" },
    { "{" ENDED ",\"doubts\":[{\"fingerprint\":\"0000000000000001\",\"why\":\"unnamed\","
      "\"line\":-1}]}", "doubt 1" },
    { "{" ENDED ",\"taken_back\":1}", "\"taken_back\" must be true or false" },
    { "{" ENDED ",\"moved\":{}}", "\"moved\" must be a list" },
    { "{" ENDED ",\"moved\":[1]}", "moved file 1: \"moved\" must be a list of objects" },
    { "{" ENDED ",\"moved\":[{},{\"old\":7}]}", "moved file 2: \"old\" must be a string" },
    { "{" ENDED ",\"moved\":[{\"new\":null}]}", "moved file 1: \"new\" must be a string" },
    { "{" ENDED ",\"moved\":[{\"hunks\":{}}]}", "\"hunks\" must be a list" },
    { "{" ENDED ",\"moved\":[{\"hunks\":[1,2,3]}]}", "hunks: four numbers each are wanted" },
    { "{" ENDED ",\"moved\":[{\"hunks\":[1,2,3,-4]}]}", "\"hunks\" must be a whole number" },
    { "{" ENDED ",\"moved\":[{\"hunks\":[1,2,3,4294967296]}]}", "must be a whole number" },
    { "{" ENDED ",\"waivers\":{}}", "\"waivers\" must be a list" },
    { "{" ENDED ",\"waivers\":[[]]}", "waiver 1: \"waivers\" must be a list of objects" },
    { "{" ENDED ",\"waivers\":[{}]}", "waiver 1: \"id\" is missing" },
    { "{" ENDED ",\"waivers\":[{\"id\":\"w\",\"grave\":1}]}", "\"grave\" must be true" },
    { "{" ENDED ",\"waivers\":[{\"id\":\"w\"}]}", "waiver 1: it must be an object" },
    { "{" ENDED ",\"findings\":1}", "\"findings\" must be a list" },
    { "{" ENDED ",\"findings\":[1]}", "finding 1: it must be an object" },
    { "{" ENDED ",\"findings\":[{}]}", "finding 1: \"severity\" is missing" },
    { "{" ENDED ",\"findings\":[{\"severity\":\"dire\"}]}",
      "finding 1: \"severity\" cannot be \"dire\"" },
    { "{" ENDED ",\"findings\":[{\"severity\":\"low\"}]}", "finding 1: \"text\" is missing" },
    { FINDING("\"line\":\"7\""), "finding 1: \"line\" must be a whole number" },
    { FINDING("\"line\":7"), "finding 1: \"fingerprint\" is missing" },
    { FINDING("\"fingerprint\":12"), "finding 1: \"fingerprint\" must be a string" },
    { FINDING("\"fingerprint\":\"12\""), "\"fingerprint\" must be 16 hexadecimal digits" },
    { FINDING("\"fingerprint\":\"00000000000000FF\""), "must be 16 hexadecimal digits" },
    { FINDING("\"fingerprint\":\"00000000000000f \""), "must be 16 hexadecimal digits" },
};

TEST(what_is_wrong_is_named)
{
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct arena arena = { 0 };
        struct event event = { .job = 9 };
        struct err err = { 0 };

        assert_int_equal(event_read(str_of(wrong[i].text), &arena, &event, &err), ERR_FORMAT);
        if (!strstr(err.text, wrong[i].problem)) fail_msg("%s: %s", wrong[i].text, err.text);
        assert_event(&event, &(struct event){ 0 });
        arena_release(&arena);
    }
}

TEST(an_event_over_the_bound_says_so)
{
    struct buf out;

    buf_init(&out, 10);
    event_write(&(struct event){ .kind = EV_STOP }, &out);
    assert_true(out.overflow);
    assert_int_equal(out.size, 0);
    buf_release(&out);
}
