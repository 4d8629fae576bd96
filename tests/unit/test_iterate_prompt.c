/* SPDX-License-Identifier: Apache-2.0
 *
 * test_iterate_prompt.c - what the agents of the nine phases are told. */
#include "nine_prompt.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

TEST(everybody_is_told_who_it_is_and_where_the_loop_stands)
{
    static const struct {
        uint32_t number;
        const char *role, *tag;
    } samples[] = {
        { 1, "brainstormer", "[PHASE 1: Brainstorm]\n" },
        { 2, "planner", "[PHASE 2: Plan]\n" },
        { 3, "plan-reviewer", "[PHASE 3: Plan Review]\n" },
        { 4, "implementer", "[PHASE 4: Implement]\n" },
        { 5, "code-reviewer", "[PHASE 5: Code Review]\n" },
        { 7, "simplifier", "[PHASE 7: Simplify]\n" },
        { 8, "final-reviewer", "[PHASE 8: Final Review]\n" },
        { 9, "codex-final", "[PHASE 9: Codex Final]\n" },
    };
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE, .max_iterations = "7" });
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const char *text;
        char who[64];

        nine_reach(&nine, samples[i].number);
        text = nine_prompt(&nine, samples[i].role);
        snprintf(who, sizeof who, "You are `%s`,", samples[i].role);
        assert_true(str_starts(str_of(text), str_of(samples[i].tag)));
        nine_expect(text, who);
        nine_expect(text, "iteration 1 of at most 7");
        nine_expect(text, OPEN "Make it right\n" CLOSE);
        nine_expect(text, "`/some/space`");
        nine_expect(text, "`" OUTPUT "`");
        nine_expect(text, "$HONE_OUTPUT");
        nine_expect_not(text, "The iteration before");
        nine_expect_not(text, "not accepted");
        nine_expect_not(text, "Noted before");
    }
    nine_close(&nine);
}

TEST(each_phase_has_what_the_earlier_ones_made)
{
    static const struct {
        uint32_t number;
        const char *role;
        bool brainstorm, plan, implemented, simplified;
    } samples[] = {
        { 1, "brainstormer", false, false, false, false },
        { 2, "planner", true, false, false, false },
        { 3, "plan-reviewer", false, true, false, false },
        { 4, "implementer", false, true, false, false },
        { 5, "code-reviewer", false, true, true, false },
        { 7, "simplifier", false, true, true, false },
        { 8, "final-reviewer", false, true, true, true },
        { 9, "codex-final", false, true, true, true },
    };
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const char *text;

        nine_reach(&nine, samples[i].number);
        text = nine_prompt(&nine, samples[i].role);
        assert_int_equal(strstr(text, "what the brainstormer wrote, copy 1") != NULL,
                         samples[i].brainstorm);
        assert_int_equal(strstr(text, "what the planner wrote, copy 1") != NULL, samples[i].plan);
        assert_int_equal(strstr(text, "what the implementer wrote") != NULL,
                         samples[i].implemented);
        assert_int_equal(strstr(text, "what the simplifier wrote") != NULL,
                         samples[i].simplified);
    }
    nine_expect(nine_prompt(&nine, "codex-final"), OPEN "make check\n" CLOSE);
    nine_expect(nine_prompt(&nine, "codex-final"), "exit status 0. What it said last:\n\n" OPEN
           "all good\n" CLOSE);
    nine_close(&nine);
}

TEST(copies_work_by_themselves_and_one_joins_them)
{
    struct action second;
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ 0 });
    text = nine_prompt(&nine, "brainstormer");
    nine_expect(text, "You are number 1 of 2 agents that do this side by side");
    nine_expect_not(text, "The answers above are all there is");
    second = nine_action(&nine, "brainstormer");
    nine_answer(&nine, "brainstormer", "the first idea");
    text = nine_prompt(&nine, "brainstormer");
    nine_expect(text, "You are number 2 of 2");
    nine_expect_not(text, "the first idea");
    nine_answer(&nine, "brainstormer", "the second idea");
    second = nine_action(&nine, "brainstormer");
    assert_int_equal(second.purpose, FOR_JOIN);
    text = nine_prompt(&nine, "brainstormer");
    nine_expect(text, "Make one answer of theirs");
    nine_expect(text, "The answers above are all there is");
    nine_expect(text, "## Answer 1 of 2\n\n" OPEN "the first idea\n" CLOSE);
    nine_expect(text, "## Answer 2 of 2\n\n" OPEN "the second idea\n" CLOSE);
    nine_answer(&nine, "brainstormer", "both ideas");
    nine_expect(nine_prompt(&nine, "planner"), OPEN "both ideas\n" CLOSE);
    nine_expect_not(nine_prompt(&nine, "planner"), "the first idea");
    nine_close(&nine);
}

TEST(a_reviewer_is_told_the_exact_form)
{
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    text = nine_prompt(&nine, "code-reviewer");
    nine_expect(text, "One JSON object and nothing else");
    nine_expect(text, "- `severity`: `HIGH`");
    nine_expect(text, "`{ \"issues\": [] }`");
    nine_expect(text, "Do not change, create or delete any file of the workspace");
    nine_expect(text, "review 1 of this phase (10 repairs are allowed)");
    nine_expect(text, "git diff HEAD");
    nine_expect_not(text, "The last review");
    nine.run.since = "abc123";
    nine_expect(nine_prompt(&nine, "code-reviewer"), "git diff abc123");
    nine_close(&nine);
}

TEST(a_fixer_has_the_issues_of_its_group)
{
    struct action action;
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "code-reviewer", nine_issues(&nine, "b.c:2 a.c:1 b.c:9"));
    text = nine_prompt(&nine, "fixer");
    assert_true(str_starts(str_of(text), STR("[PHASE 5: Code Review]\n")));
    nine_expect(text, "repair 1 of this phase");
    nine_expect(text, "number 1 of 2 fixers");
    nine_expect(text, "Review 1 found 3 issues. Those that are yours");
    nine_expect(text, OPEN "- [MEDIUM] a.c:1: issue 2 of a.c:1\n" CLOSE);
    nine_expect_not(text, "b.c");
    action = nine_action(&nine, "fixer");
    action.copy = 2;
    text = nine_prompt_with(&nine, action, (struct str){ "", 0 });
    nine_expect(text, OPEN "- [HIGH] b.c:2: issue 1 of b.c:2\n"
                      "- [LOW] b.c:9: issue 3 of b.c:9\n" CLOSE);
    nine_expect_not(text, "a.c:1");
    nine_expect(text, "# Fix plan");
    nine_expect(text, "begins with `STUCK:`");
    nine_close(&nine);
}

TEST(the_fixer_of_issues_without_a_file_comes_last_and_knows_it)
{
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 first\nHIGH no tests at all");
    text = nine_prompt(&nine, "fixer");
    nine_expect(text, "Issues that name no file are left to a fixer who comes after you");
    nine_expect_not(text, "at work at the same time");
    nine_expect_not(text, "no tests at all");
    nine_answer(&nine, "fixer", "# Fix plan\nmade first right");
    text = nine_prompt(&nine, "fixer");
    nine_expect(text, "No other fixer is at work");
    nine_expect(text, OPEN "- [HIGH] no tests at all\n" CLOSE);
    nine_expect_not(text, "a.c:1");
    nine_expect(text, "## What the other fixers did");
    nine_expect(text, "made first right");
    nine_expect_not(text, "one of them was stuck");
    nine_answer(&nine, "fixer", "# Fix plan\nwrote tests");
    text = nine_prompt(&nine, "code-reviewer");
    nine_expect(text, "made first right");
    nine_expect(text, "wrote tests");
    nine_close(&nine);
}

TEST(one_fixer_has_them_all)
{
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config =
        "{'phases':{'1':{'parallel':false},'2':{'parallel':false},'5':{'parallelFixes':false}}}" });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "code-reviewer", nine_issues(&nine, "b.c:2 a.c:1"));
    text = nine_prompt(&nine, "fixer");
    nine_expect(text, "All of them are yours");
    nine_expect(text, "issue 1 of b.c:2");
    nine_expect(text, "issue 2 of a.c:1");
    nine_expect_not(text, "at work at the same time");
    nine_close(&nine);
}

TEST(the_next_review_knows_the_last_one_and_its_repair)
{
    static const struct str changed[] = { STR("a.c"), STR("odd\nname" NINE_FENCE) };
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config =
        "{'phases':{'1':{'parallel':false},'2':{'parallel':false},"
        "'5':{'failOnSeverity':'MEDIUM'}}}" });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 breaks\nHIGH b.c:2 leaks\nLOW c.c:3 odd");
    nine_answer(&nine, "fixer", "I mended a.c");
    nine_answer(&nine, "fixer", "I mended b.c");
    nine.run.changed = changed;
    nine.run.changed_count = 2;
    text = nine_prompt(&nine, "code-reviewer");
    nine_expect(text, "review 2 of this phase");
    nine_expect(text, "What review 1 of this phase found:\n\n" OPEN "- [HIGH] a.c:1: breaks\n"
                 "- [HIGH] b.c:2: leaks\n" CLOSE);
    nine_expect(text, "And what it noted, to be repaired or not:\n\n" OPEN
                      "- [LOW] c.c:3: odd\n" CLOSE);
    nine_expect(text, OPEN "I mended a.c\n" CLOSE);
    nine_expect(text, OPEN "I mended b.c\n" CLOSE);
    nine_expect(text, "Files that have changed since the last review:\n\n" OPEN "a.c\nodd name***\n"
                 CLOSE);
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 breaks still");
    text = nine_prompt(&nine, "fixer");
    nine_expect(text, "What was reported after review 1.");
    nine_expect(text, OPEN "I mended a.c\n" CLOSE);
    nine_close(&nine);
}

TEST(what_was_noted_is_shown_to_later_phases)
{
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config =
        "{'phases':{'1':{'parallel':false},'2':{'parallel':false},"
        "'3':{'failOnSeverity':'HIGH'},'5':{'onFailure':'proceed'}}}" });
    nine_reach(&nine, PHASE_PLAN_REVIEW);
    nine_answer(&nine, "plan-reviewer", "LOW plan:3 a step too many");
    text = nine_prompt(&nine, "implementer");
    nine_expect(text, "## Noted before");
    nine_expect(text, "- [LOW] plan:3: a step too many\n");
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 passed over");
    nine_reach(&nine, PHASE_FINAL_REVIEW);
    text = nine_prompt(&nine, "final-reviewer");
    nine_expect(text, "- [HIGH] a.c:1: passed over\n- [LOW] plan:3: a step too many\n");
    nine_close(&nine);
}

TEST(after_a_restart_the_last_iteration_is_known)
{
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config =
        "{'phases':{'1':{'parallel':false},'2':{'parallel':false},'8':{'onFailure':'restart'}}}" });
    nine_reach(&nine, PHASE_FINAL_REVIEW);
    nine_answer(&nine, "final-reviewer", "HIGH a.c:1 all wrong");
    text = nine_prompt(&nine, "brainstormer");
    nine_expect(text, "iteration 2 of at most 10");
    nine_expect(text, "Iteration 1 ended in phase 8 (Final Review)");
    nine_expect(text, "- [HIGH] a.c:1: all wrong\n");
    nine_expect(text, "The plan of that iteration:\n\n" OPEN
                      "what the planner wrote, copy 1\n" CLOSE);
    nine_answer(&nine, "brainstormer", "another idea");
    nine_answer(&nine, "planner", "another plan");
    text = nine_prompt(&nine, "plan-reviewer");
    nine_expect(text, OPEN "another plan\n" CLOSE);
    nine_expect(text, "all wrong");
    nine_expect_not(text, "what the planner wrote");
    nine_reach(&nine, PHASE_IMPLEMENT);
    nine_expect(nine_prompt(&nine, "implementer"), "all wrong");
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_expect_not(nine_prompt(&nine, "code-reviewer"), "The iteration before");
    nine_close(&nine);
}

TEST(tests_that_failed_are_shown_to_their_fixer_and_after_a_restart)
{
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_TEST);
    nine_answer(&nine, "test", "exit 2\nnot ok 3\n");
    text = nine_prompt(&nine, "fixer");
    assert_true(str_starts(str_of(text), STR("[PHASE 6: Test]\n")));
    nine_expect(text, OPEN "make check\n" CLOSE);
    nine_expect(text, "It ended with exit status 2. What it said last:\n\n" OPEN
                      "not ok 3\n" CLOSE);
    nine_expect(text, "Mend the code, not the test");
    nine_close(&nine);

    nine_open(&nine, (struct nine_setup){ .config =
        "{'phases':{'1':{'parallel':false},'2':{'parallel':false}}}" });
    nine_reach(&nine, PHASE_TEST);
    nine_answer(&nine, "test", "exit 2\nnot ok 3\n");
    text = nine_prompt(&nine, "brainstormer");
    nine_expect(text, "Iteration 1 ended in phase 6 (Test)");
    nine_expect(text, "The tests ended with exit status 2:\n\n" OPEN "not ok 3\n" CLOSE);
    nine_close(&nine);
}

TEST(amendments_of_the_plan_are_shown_with_it)
{
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_PLAN_REVIEW);
    nine_answer(&nine, "plan-reviewer", "HIGH plan:1 no tests");
    text = nine_prompt(&nine, "fixer");
    nine_expect(text, "It is the plan that is repaired");
    nine_expect_not(text, "What was changed in it");
    nine_answer(&nine, "fixer", "step 4: tests");
    text = nine_prompt(&nine, "plan-reviewer");
    nine_expect(text, "What was changed in it after reviews");
    nine_expect(text, "After review 1:\n\nstep 4: tests\n" CLOSE);
    nine_answer(&nine, "plan-reviewer", NINE_CLEAN);
    nine_expect(nine_prompt(&nine, "implementer"), "step 4: tests\n" CLOSE);
    nine_reach(&nine, PHASE_CODEX_FINAL);
    nine_expect(nine_prompt(&nine, "codex-final"), "step 4: tests\n" CLOSE);
    nine_close(&nine);
}

TEST(an_answer_that_was_not_accepted_is_corrected)
{
    struct action action;
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    text = nine_prompt_with(&nine, nine_action(&nine, "code-reviewer"), STR("it was\nHIGH noise"));
    nine_expect(text, "## Your last answer was not accepted\n\nThe reason:\n\n" OPEN
                 "it was\nHIGH noise\n" CLOSE);
    nine_expect_not(text, "The workspace may hold");
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 x");
    action = nine_action(&nine, "fixer");
    nine_expect(nine_prompt_with(&nine, action, STR("empty")), "The workspace may hold");
    action.attempt = 2;
    nine_expect(nine_prompt_with(&nine, action, (struct str){ "", 0 }),
           "An earlier attempt at this ended before it answered.");
    nine_close(&nine);
}

TEST(a_fixer_that_follows_a_stuck_one_knows_it)
{
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 x");
    nine_answer(&nine, "fixer", "two ways\nSTUCK: which one?");
    nine_choose(&nine, CHOICE_CONTINUE);
    text = nine_prompt(&nine, "fixer");
    nine_expect(text, "one of them was stuck");
    nine_expect(text, OPEN "two ways\nSTUCK: which one?\n" CLOSE);
    nine_close(&nine);
}

/* A run whose agents left no documents, in the phase with this number. */
static void reach_without_documents(struct nine *nine, uint32_t number)
{
    while (iterate_phase_number(nine->engine.lanes[0].phase) < number) {
        const struct job *job = &nine->engine.lanes[0].now.jobs[0];
        nine_step(nine, (struct event){ .kind = EV_ENDED, .job = job->id, .attempt = 1 });
    }
}

TEST(a_restored_run_says_what_is_not_known)
{
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config =
        "{'phases':{'1':{'parallel':false},'2':{'parallel':false},'8':{'onFailure':'restart'}}}" });
    reach_without_documents(&nine, PHASE_PLAN);
    nine_expect_not(nine_prompt(&nine, "planner"), "## The brainstorm");
    reach_without_documents(&nine, PHASE_CODE_REVIEW);
    text = nine_prompt(&nine, "code-reviewer");
    nine_expect(text, "It is not known any more");
    nine_expect_not(text, "What the implementer reports");
    reach_without_documents(&nine, PHASE_FINAL_REVIEW);
    text = nine_prompt(&nine, "final-reviewer");
    nine_expect(text, OPEN "make check\n" CLOSE "\nHow it ended is not known any more.\n");
    nine_expect_not(text, "What the simplifier reports");
    nine.run.test = "";
    nine_expect_not(nine_prompt(&nine, "final-reviewer"), "## The tests");
    nine_answer(&nine, "final-reviewer", "HIGH a.c:1 all wrong");
    text = nine_prompt(&nine, "brainstormer");
    nine_expect(text, "- [HIGH] a.c:1: all wrong\n");
    nine_expect_not(text, "The plan of that iteration");
    nine_close(&nine);
}

TEST(a_fixer_of_a_review_that_is_not_known_has_no_issues)
{
    struct action action;
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    reach_without_documents(&nine, PHASE_CODE_REVIEW);
    nine.engine.lanes[0].review.count = 0;
    action = nine_action(&nine, "code-reviewer");
    action.role = ITERATE_FIXER;
    action.purpose = FOR_REPAIR;
    text = nine_prompt_with(&nine, action, (struct str){ "", 0 });
    nine_expect(text, "Review 1 found 0 issues. All of them are yours, the gravest first:\n\n"
                      OPEN CLOSE);
    nine_close(&nine);
}

TEST(where_no_test_command_is_known_the_note_alone_is_shown)
{
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine.run.test = NULL;
    nine_reach(&nine, PHASE_FINAL_REVIEW);
    text = nine_prompt(&nine, "final-reviewer");
    nine_expect(text, "## The tests\n\n" OPEN "all good\n" CLOSE);
    nine_expect_not(text, "exit status");
    nine_close(&nine);
}

TEST(a_gate_says_how_many_repairs_it_allows)
{
    static const struct {
        const char *retries, *words;
    } samples[] = {
        { "0", "review 1 of this phase (0 repairs are allowed).\n" },
        { "1", "review 1 of this phase (1 repair is allowed).\n" },
        { "2", "review 1 of this phase (2 repairs are allowed).\n" },
        { "null", "review 1 of this phase.\n" },
    };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char config[200];
        struct nine nine;

        snprintf(config, sizeof config, "{'reviewDefaults':{'maxRetries':%s},'phases':"
                 "{'1':{'parallel':false},'2':{'parallel':false}}}", samples[i].retries);
        nine_open(&nine, (struct nine_setup){ .config = config });
        nine_reach(&nine, PHASE_PLAN_REVIEW);
        nine_expect(nine_prompt(&nine, "plan-reviewer"), "review 1 of this phase.\n");
        nine_reach(&nine, PHASE_CODE_REVIEW);
        nine_expect(nine_prompt(&nine, "code-reviewer"), samples[i].words);
        nine_close(&nine);
    }
}

TEST(fixers_side_by_side_know_of_the_one_behind_them)
{
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 x\nHIGH b.c:2 y\nHIGH no tests at all");
    text = nine_prompt(&nine, "fixer");
    nine_expect(text, "You are number 1 of 2 fixers at work at the same time");
    nine_expect(text, "Issues that name no file are left to a fixer who comes after you.\n");
    nine_close(&nine);
}

TEST(a_review_that_follows_no_repair_has_the_last_one_alone)
{
    struct action action;
    const char *text;
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    action = nine_action(&nine, "code-reviewer");
    action.round = 2;
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 x");
    text = nine_prompt_with(&nine, action, (struct str){ "", 0 });
    nine_expect(text, "What review 1 of this phase found:\n\n" OPEN "- [HIGH] a.c:1: x\n" CLOSE
                      "\n- Check yourself");
    nine_expect_not(text, "What the fixers say they did");
    nine_close(&nine);
}

/* Each role of each phase and each fixer, asked again and in a host. */
TEST(who_writes_looks_at_what_an_attempt_left)
{
    static const struct {
        uint32_t number;
        const char *role, *finds;
        bool writes;
    } samples[] = {
        { 1, "brainstormer", NULL, false },        { 2, "planner", NULL, false },
        { 3, "plan-reviewer", NULL, false },       { 3, "fixer", "HIGH plan:1 x", true },
        { 4, "implementer", NULL, true },          { 5, "code-reviewer", NULL, false },
        { 5, "fixer", "HIGH a.c:1 x", true },      { 6, "fixer", "exit 1\nno", true },
        { 7, "simplifier", NULL, true },           { 8, "final-reviewer", NULL, false },
        { 8, "fixer", "HIGH a.c:1 x", true },      { 9, "codex-final", NULL, false },
    };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        static const char left[] = "The workspace may hold part of its changes";
        struct str none = { "", 0 };
        struct action action;
        const char *begun, *again;
        struct nine nine;

        nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
        nine_reach(&nine, samples[i].number);
        if (samples[i].finds) {
            uint16_t asked = nine.engine.lanes[0].now.jobs[0].role;
            nine_answer(&nine, iterate_role_name(asked), samples[i].finds);
        }
        action = nine_action(&nine, samples[i].role);
        action.attempt = 2;
        begun = nine_prompt_with(&nine, action, none);
        again = nine_prompt_with(&nine, action, STR("it was empty"));
        assert_int_equal(strstr(begun, left) != NULL, samples[i].writes);
        assert_int_equal(strstr(again, left) != NULL, samples[i].writes);
        nine_expect_not(begun, "Your last answer");
        nine_expect(again, "Give the whole answer again");
        nine.run.session = "a host's session";
        nine.run.answers = ANSWERS_SPOKEN;
        nine_expect(nine_prompt_with(&nine, action, none), "\n\nEnd with it as your last message");
        nine_close(&nine);
    }
}

/* ---- several reviewers of the code, and roles as files ---- */

#define PERF "---\ndescription: Find what is slow.\nextends: code-reviewer\n---\nNo issues found.\n"

TEST(a_role_of_the_users_is_told_what_its_file_says)
{
    struct nine nine;
    const char *text;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE, .role = PERF,
                                          .reviewers = "code-reviewer,perf" });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    text = nine_prompt(&nine, "perf");
    nine_expect(text, "You are `perf`, in a loop of nine phases");
    nine_expect(text, "\nFind what is slow.\nYou are one of 2 reviewers who look at the same work "
                "at the same time: code-reviewer, perf.\n");
    nine_expect(text, "Wrong results: logic, conditions");
    nine_expect(text, "What the user wrote about your role.");
    nine_expect(text, OPEN "No issues found.\n" CLOSE);
    nine_expect(text, "One JSON object and nothing else");
    text = nine_prompt(&nine, "code-reviewer");
    nine_expect(text, "You are one of 2 reviewers");
    nine_expect_not(text, "What the user wrote about your role");
    nine_close(&nine);
}

TEST(all_that_several_found_is_shown_with_its_reviewer)
{
    struct nine nine;
    const char *text;

    nine_open(&nine, (struct nine_setup){ .role = PERF, .reviewers = "code-reviewer,perf",
        .config = "{'phases':{'1':{'parallel':false},'2':{'parallel':false},"
                  "'5':{'failOnSeverity':'MEDIUM'}}}",
        .fixer = "---\nextends: fixer\n---\nNo new files.\n" });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "perf", "HIGH a.c:1 slow\nLOW a.c:9 odd\n");
    nine_answer(&nine, "code-reviewer", "MEDIUM a.c:7 wrong\nHIGH b.c:2 worse\n");
    text = nine_prompt(&nine, "fixer");
    nine_expect(text, "Review 1 found 3 issues. All of them are yours");
    nine_expect(text, "- [HIGH] (code-reviewer) b.c:2: worse\n- [HIGH] (perf) a.c:1: slow\n"
                      "- [MEDIUM] (code-reviewer) a.c:7: wrong\n");
    nine_expect(text, OPEN "No new files.\n" CLOSE);
    nine_answer(&nine, "fixer", "a.c, b.c: done");
    text = nine_prompt(&nine, "code-reviewer");
    nine_expect(text, "- [HIGH] (code-reviewer) b.c:2: worse\n- [HIGH] (perf) a.c:1: slow\n");
    nine_expect(text, "- [LOW] (perf) a.c:9: odd\n");
    nine_answer(&nine, "code-reviewer", NINE_CLEAN);
    nine_answer(&nine, "perf", "LOW a.c:9 odd\n");
    nine_reach(&nine, PHASE_SIMPLIFY);
    nine_expect(nine_prompt(&nine, "simplifier"), "- [LOW] (perf) a.c:9: odd\n");
    nine_close(&nine);
}

TEST(a_file_takes_the_place_of_the_code_reviewers_remit)
{
    struct config_text file = { ".hone/roles/code-reviewer.md",
                                STR("---\nreplaces: code-reviewer\n---\nOnly names.\n") };
    struct nine nine;
    const char *text;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine.files[1] = file;
    nine.settings.file_count = 2;
    text = nine_prompt(&nine, "code-reviewer");
    nine_expect(text, "Review what was implemented.\n\n");
    nine_expect(text, OPEN "Only names.\n" CLOSE);
    nine_expect_not(text, "Wrong results");
    nine_close(&nine);
}
