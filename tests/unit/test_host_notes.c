/* SPDX-License-Identifier: Apache-2.0
 *
 * test_host_notes.c - a session's notes come back as they were left, and nothing else does. */
#include "ground.h"
#include "run/host_notes.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SESSION "0b0ef2a5-7a34-4b1e-9f13-5d2f66c1a001"

static struct host_notes sample(struct host_wanted *wanted)
{
    *wanted = (struct host_wanted){ .job = 7, .attempt = 2, .role = "critic", .output = "/w/r1",
                                    .file = "r1", .writes = true, .given = true, .seen = true,
                                    .back = 3 };
    return (struct host_notes){
        .session = SESSION, .run = "abc", .dialect = "review", .workspace = "/w", .phase = "R1",
        .state = HOST_RUNNING, .blocks = 4, .told = true, .owner = getpid(),
        .events = 11, .state_sum = UINT64_MAX, .drifts = 1,
        .clock = { .ms = 900, .up_ms = 80, .boot = UINT64_MAX },
        .seal = { .sum = { 5, UINT64_MAX - 1 }, .usable = true },
        .wanted = wanted, .wanted_count = 1,
    };
}

static void leave(const struct ground *ground, const struct host_notes *notes)
{
    struct err err = { 0 };

    make_folder(at(ground, "hosted"));
    if (host_notes_write(notes, ground->root, &err) != 0) fail_msg("%s", err.text);
}

ON_GROUND(everything_comes_back)
{
    const struct ground *ground = *state;
    struct host_wanted wanted;
    struct host_notes left = sample(&wanted), got;
    struct err err = { 0 };

    leave(ground, &left);
    assert_int_equal(host_notes_read(&got, ground->root, STR(SESSION), &err), 0);
    assert_string_equal(got.run, "abc");
    assert_string_equal(got.dialect, "review");
    assert_string_equal(got.workspace, "/w");
    assert_string_equal(got.phase, "R1");
    assert_int_equal(got.state, HOST_RUNNING);
    assert_int_equal(got.blocks, 4);
    assert_true(got.told && got.seal.usable && !got.seal.large);
    assert_int_equal(got.owner, getpid());
    assert_int_equal(got.events, 11);
    assert_true(got.state_sum == UINT64_MAX);
    assert_true(got.clock.ms == 900 && got.clock.up_ms == 80 && got.clock.boot == UINT64_MAX);
    assert_true(got.seal.sum[0] == 5 && got.seal.sum[1] == UINT64_MAX - 1);
    assert_int_equal(got.wanted_count, 1);
    assert_int_equal(got.wanted[0].job, 7);
    assert_int_equal(got.wanted[0].attempt, 2);
    assert_string_equal(got.wanted[0].role, "critic");
    assert_string_equal(got.wanted[0].file, "r1");
    assert_true(got.wanted[0].writes && got.wanted[0].given && got.wanted[0].seen);
    assert_int_equal(got.wanted[0].back, 3);
    host_notes_release(&got);
}

ON_GROUND(agents_come_and_go)
{
    const struct ground *ground = *state;
    struct host_wanted wanted;
    struct host_notes left = sample(&wanted), got;
    struct err err = { 0 };

    host_agent_add(&left, STR("a1"), STR("critic"));
    host_agent_add(&left, STR("a2"), STR("pedant"));
    host_agent_add(&left, STR("a1"), STR("witness")); /* once more: the newest counts */
    host_agent_remove(&left, STR("a2"));
    host_agent_remove(&left, STR("nobody"));
    leave(ground, &left);
    assert_int_equal(host_notes_read(&got, ground->root, STR(SESSION), &err), 0);
    assert_int_equal(got.agent_count, 1);
    assert_string_equal(got.agents[0].id, "a1");
    assert_string_equal(got.agents[0].role, "witness");
    host_notes_release(&got);
    arena_release(&left.arena);
}

/* "Track every Codex subagent id spawned": one that has ended is known until it is closed. */
ON_GROUND(who_has_ended_is_known_until_it_is_closed)
{
    const struct ground *ground = *state;
    struct host_wanted wanted;
    struct host_notes left = sample(&wanted), got;
    struct err err = { 0 };

    left.rounds_told = 3;
    host_agent_add(&left, STR("a1"), STR("critic"));
    host_agent_end(&left, STR("a1"), STR("critic"));
    host_agent_end(&left, STR("a2"), STR("pedant")); /* its start was not seen */
    host_agent_end(&left, STR("a2"), STR("pedant"));
    host_agent_end(&left, STR(""), STR("witness")); /* cannot be closed */
    assert_int_equal(left.agent_count, 0);
    assert_int_equal(left.ended_count, 2);
    assert_true(host_agent_close(&left, STR("a1")));
    assert_false(host_agent_close(&left, STR("a1")));
    leave(ground, &left);
    assert_int_equal(host_notes_read(&got, ground->root, STR(SESSION), &err), 0);
    assert_int_equal(got.closed, 1);
    assert_int_equal(got.rounds_told, 3);
    assert_int_equal(got.ended_count, 1);
    assert_string_equal(got.ended[0].id, "a2");
    assert_string_equal(got.ended[0].role, "pedant");
    assert_false(got.ended[0].closing || got.unclosable);
    host_agents_tell(&got, true);
    assert_int_equal(got.ended_count, 1);
    assert_true(got.ended[0].closing);
    host_agents_tell(&got, false);
    assert_int_equal(got.ended_count, 1);
    host_agent_end(&got, STR("a3"), STR("critic"));
    host_agents_tell(&got, true); /* a2 was not closed although the model was told to */
    assert_int_equal(got.ended_count, 1);
    assert_string_equal(got.ended[0].id, "a3");
    got.unclosable = true;
    host_agents_forget(&got);
    host_agent_end(&got, STR("a4"), STR("critic"));
    assert_int_equal(got.ended_count + got.closed, 0);
    host_notes_release(&got);
    arena_release(&left.arena);
}

TEST(of_a_role_the_newest_stay_that_are_wanted)
{
    struct host_wanted wanted[] = { { .role = "critic" }, { .role = "pedant" },
                                    { .role = "critic" } };
    struct host_notes notes = { .wanted = wanted, .wanted_count = 3 };

    host_agent_add(&notes, STR("a1"), STR("critic"));
    host_agent_add(&notes, STR("a2"), STR("critic"));
    host_agent_add(&notes, STR("a3"), STR("fixer"));
    host_agent_add(&notes, STR("a4"), STR("pedant"));
    host_agent_add(&notes, STR("a5"), STR("critic"));
    host_agents_trim(&notes);
    assert_int_equal(notes.agent_count, 3);
    assert_null(host_agent_find(&notes, STR("a1")));
    assert_non_null(host_agent_find(&notes, STR("a2")));
    assert_null(host_agent_find(&notes, STR("a3")));
    assert_non_null(host_agent_find(&notes, STR("a4")));
    assert_non_null(host_agent_find(&notes, STR("a5")));
    arena_release(&notes.arena);
}

ON_GROUND(a_name_that_could_lead_elsewhere_is_no_session)
{
    static const char *const names[] = {
        "", "../x", "a/b", ".", "a b", "x\n", "\xc3\xa4", "a.json",
    };
    const struct ground *ground = *state;
    struct host_notes notes;
    struct arena arena = { 0 };
    struct err err;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_string_equal(host_notes_name(str_of(names[i]), &arena), "");
        assert_int_equal(host_notes_read(&notes, ground->root, str_of(names[i]), &err),
                         ERR_MISSING);
    }
    assert_string_equal(host_notes_name((struct str){ "a\0b", 3 }, &arena), "");
    assert_string_equal(host_notes_name(STR("Az_09-"), &arena), "Az_09-.json");
    arena_release(&arena);
}

ON_GROUND(a_file_of_another_form_is_an_error_with_its_name)
{
    static const char *const texts[] = {
        "", "{", "[]", "null", "{}", "{\"version\":2,\"state\":\"running\"}",
        "{\"version\":1}", "{\"version\":1,\"state\":\"asleep\"}", "{\"version\":\"1\"}",
    };
    const struct ground *ground = *state;
    struct host_notes notes;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct err err = { 0 };

        put(at(ground, "hosted/" SESSION ".json"), texts[i]);
        assert_int_equal(host_notes_read(&notes, ground->root, STR(SESSION), &err), ERR_FORMAT);
        assert_non_null(strstr(err.text, SESSION ".json"));
        assert_int_equal(notes.state, HOST_OVER);
    }
}

ON_GROUND(members_of_another_type_are_empty)
{
    const struct ground *ground = *state;
    struct host_notes notes;
    struct err err = { 0 };

    put(at(ground, "hosted/" SESSION ".json"),
        "{\"version\":1,\"state\":\"over\",\"run\":5,\"wanted\":{\"a\":1},\"agents\":[3,null,{}],"
        "\"blocks\":-1,\"owner\":\"x\",\"seal\":[],\"events\":1.5}");
    assert_int_equal(host_notes_read(&notes, ground->root, STR(SESSION), &err), 0);
    assert_string_equal(notes.run, "");
    assert_int_equal(notes.wanted_count, 0);
    assert_int_equal(notes.agent_count, 3);
    assert_string_equal(notes.agents[2].id, "");
    assert_int_equal(notes.blocks, 0);
    assert_int_equal(notes.owner, 0);
    assert_false(notes.seal.usable);
    host_notes_release(&notes);
}

ON_GROUND(a_run_is_at_work_while_its_host_lives)
{
    const struct ground *ground = *state;
    struct host_wanted wanted;
    struct host_notes left = sample(&wanted);
    struct arena arena = { 0 };
    const struct host_search here = { .workspace = "/w" };

    assert_null(host_run_at_work(ground->root, &here, &arena));
    leave(ground, &left);
    assert_string_equal(host_run_at_work(ground->root, &here, &arena), "abc");
    assert_string_equal(host_run_at_work(ground->root, &(struct host_search){ .run = "abc" },
                                         &arena), "abc");
    assert_null(host_run_at_work(ground->root, &(struct host_search){ .run = "ab" }, &arena));
    assert_null(host_run_at_work(ground->root, &(struct host_search){ .workspace = "/x" }, &arena));
    assert_null(host_run_at_work(ground->root, &(struct host_search){ .but_session = SESSION },
                                 &arena));
    left.state = HOST_STOPPED;
    leave(ground, &left);
    assert_null(host_run_at_work(ground->root, &here, &arena));
    left.state = HOST_RUNNING;
    left.owner = 0x3fffffff; /* beyond any process */
    leave(ground, &left);
    assert_null(host_run_at_work(ground->root, &here, &arena));
    arena_release(&arena);
}

TEST(a_sum_tells_texts_apart_and_is_never_nothing)
{
    assert_true(host_sum(STR("")) != 0);
    assert_true(host_sum(STR("a")) != host_sum(STR("b")));
    assert_true(host_sum(STR("ab")) != host_sum(STR("ba")));
    assert_true(host_sum(STR("same")) == host_sum(STR("same")));
}
