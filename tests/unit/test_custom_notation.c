/* SPDX-License-Identifier: Apache-2.0
 *
 * Loop files: what is written becomes the plan that it says, what is wrong is refused with its line
 * and a code, each mistake once, and a plan that is written comes back as the same. */
#include "dialect/custom/custom.h"
#include "dialect/dialects.h"
#include "settings/loop_file.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

TESTS_ARENA
TESTS_WITHIN(NULL, release)

static struct loop loop_good(const char *text)
{
    struct check_report report = { 0 };
    struct loop loop;

    if (!loop_read(str_of(text), &arena, &report, &loop)) {
        fail_msg("%u: %s: %s", report.problems[0].line, report.problems[0].code,
                 report.problems[0].message);
    }
    check_report_release(&report);
    assert_null(plan_problem(&loop.plan));
    return loop;
}

#define ROLES                                        \
    "about: x\n"                                     \
    "roles:\n"                                       \
    "  looks: {remit: look, answers: findings}\n"    \
    "  works: {remit: work}\n"
#define TEST_ROLE "  test: {run: make test}\n"
#define GATE(more) "phases:\n  - name: one\n    gate: {reviewers: [looks], repair: works" more "}\n"

#define MERGER "  merger: {merge: lanes}\n"
#define LANE_GATE "    gate: {reviewers: [looks], repair: works, repairs: 1}\n"
#define LANES(lanes) \
    ROLES MERGER "phases:\n  - name: one\n    lanes: " lanes "\n    work: works\n"
#define AGAIN(more) \
    ROLES MERGER "phases:\n  - name: one\n    lanes: merger\n    work: {role: works, " more "}\n" \
    LANE_GATE

TEST(a_loop_is_the_plan_that_it_says)
{
    struct loop loop = loop_good(
        "about: what it is for\n"
        "task: look\n"
        "restarts: 2\n"
        "budget: {usd: 5, calls: 40}\n"
        "files: out/loop\n"
        "roles:\n"
        "  maker: {remit: make, commits: true, retries: {invalid: 2, failed: 0}}\n"
        "  keeper: {commit: all of it}\n"
        "  critic: {role: critic, answers: findings, agent: claude, effort: high}\n"
        "  grader: {remit: grade, answers: grade}\n"
        "  test: {run: make test}\n"
        "  sender: {remit: send, writes: false}\n"
        "phases:\n"
        "  - name: make\n"
        "    work: {role: maker, copies: 3}\n"
        "  - name: look\n"
        "    gate:\n"
        "      reviewers: [critic, grader, test]\n"
        "      pass: {severity: medium, grade: WARN, exit: zero}\n"
        "      repair: {role: maker, then: keeper, when-stuck: ask, name: again}\n"
        "      repairs: 4\n"
        "      at-bound: restart\n"
        "      mints: [looked]\n"
        "      repeats: 3\n"
        "  - name: send\n"
        "    needs: [looked]\n"
        "    work: sender\n");
    const struct plan *plan = &loop.plan;
    const struct gate *gate = &plan->phases[1].gate;

    assert_string_equal(loop.about, "what it is for");
    assert_string_equal(loop.budget, "usd=5,calls=40");
    assert_string_equal(loop.files, "out/loop");
    assert_true(loop.commits);
    assert_int_equal(plan->iteration_max, 3);
    assert_int_equal(plan->role_count, 7);
    assert_string_equal(plan->roles[1].name, "maker");
    assert_true(plan->roles[1].writes && plan->roles[1].commits);
    assert_int_equal(plan->roles[1].invalid_max, 2);
    assert_int_equal(plan->roles[1].failed_max, 0);
    assert_true(plan->roles[2].builtin && plan->roles[5].builtin);
    assert_false(plan->roles[3].writes || plan->roles[6].writes);
    assert_string_equal(loop.roles[3].agent, "claude");
    assert_string_equal(loop.roles[3].effort, "high");
    assert_int_equal(loop.roles[4].reader, CUSTOM_GRADE);
    assert_int_equal(loop.roles[5].reader, CUSTOM_EXIT);
    assert_int_equal(plan->phases[0].work.copies, 3);
    assert_int_equal(gate->reviewer_count, 3);
    assert_int_equal(gate->repair.role, 1);
    assert_int_equal(gate->repair.then, 2);
    assert_int_equal(gate->repair.on_stuck, STUCK_ASK);
    assert_string_equal(plan->phases[1].repair_name, "again");
    assert_int_equal(gate->repair_max, 4);
    assert_int_equal(gate->at_bound, BOUND_RESTART);
    assert_int_equal(gate->mints, 1);
    assert_int_equal(gate->repeat_max, 3);
    assert_int_equal(loop.passes[1].severity, SEVERITY_MEDIUM);
    assert_int_equal(loop.passes[1].grade, GRADE_WARN);
    assert_int_equal(plan->phases[2].needs, 1);
}

TEST(lanes_are_the_plan_that_they_say)
{
    struct loop loop = loop_good(
        "about: many at once\n"
        "tasks:\n"
        "  - Write the page\n"
        "  - id: lexer\n"
        "    task: |\n"
        "      Add the lexer\n"
        "      It cuts words.\n"
        "    group: base\n"
        "  - {id: parser, task: Add the parser, group: base, after: [lexer]}\n"
        "  - {task: Write the page, group: base}\n"
        "roles:\n"
        "  drawer: {remit: draw, writes: false}\n"
        "  checks: {remit: check, answers: grade}\n"
        "  merger: {merge: feat}\n"
        "  builder: {remit: build}\n"
        "  looks: {role: critic, answers: findings}\n"
        "phases:\n"
        "  - name: draw\n"
        "    work: drawer\n"
        "  - name: build\n"
        "    lanes: {at-once: 7, integrate: merger}\n"
        "    work: {role: builder, again: 5, checkpoint: {role: checks, every: 2}}\n"
        "    gate: {reviewers: [looks], repair: builder, repairs: 3}\n"
        "  - name: whole\n"
        "    gate: {reviewers: [looks], repair: builder, repairs: 1, at-bound: ask}\n");
    const struct plan *plan = &loop.plan;
    const struct phase *build = &plan->phases[1];
    const struct loops_task *tasks = loop.tasks.items;

    assert_true(loop.fans && loop.commits && build->fan);
    assert_false(plan->phases[0].fan || plan->phases[2].fan || plan->roles[1].writes);
    assert_int_equal(plan->lane_max, 7);
    assert_string_equal(plan->roles[plan->integrate].name, "merger");
    assert_true(plan->roles[plan->integrate].builtin);
    assert_int_equal(build->work.run_max, 5);
    assert_int_equal(build->work.checkpoint_every, 2);
    assert_string_equal(plan->roles[build->work.checkpoint_role].name, "checks");
    assert_int_equal(build->gate.at_bound, BOUND_STUCK);
    assert_int_equal(plan->phases[2].gate.at_bound, BOUND_ASK);
    assert_int_equal(loop.tasks.count, 4);
    assert_string_equal(tasks[0].id, "write-the-page");
    assert_string_equal(tasks[3].id, "write-the-page-4");
    assert_string_equal(tasks[1].title, "Add the lexer");
    assert_true(str_is(tasks[1].text, "It cuts words."));
    /* What has no group stands first; then the group in two waves. */
    assert_int_equal(loop.wave_count, 3);
    assert_int_equal(loop.waves[0], 1);
    assert_int_equal(loop.waves[1], 2);
    assert_int_equal(loop.waves[2], 1);
    assert_int_equal(tasks[0].lane, 1);
    assert_int_equal(tasks[1].lane, 2);
    assert_int_equal(tasks[2].lane, 4);
    assert_int_equal(tasks[3].lane, 3);
}

/* A mistake, the line that it is told with, its code, and a part of its words. */
static const struct {
    const char *text;
    uint32_t line;
    const char *code, *words;
} refusals[] = {
    { "a: &x 1\n", 1, "not-yaml", "anchors" },
    { "- a\n", 1, "not-a-mapping", "a loop file is a mapping" },
    { ROLES GATE(", repairs: 1") "rols: 1\n", 8, "unknown-key", "did you mean 'roles'?" },
    { ROLES GATE(", repairs: 1, votez: 2"), 7, "unknown-key", "did you mean 'votes'?" },
    { "roles: {a: {remit: x, answers: findings}}\n"
      "phases: [{name: p, gate: {reviewers: [a]}}]\n", 1, "missing-key", "about" },
    { "about: x\nroles: {a: {remit: x}}\n", 1, "missing-key", "phases are missing" },
    { "about: x\nphases: []\n", 1, "missing-key", "roles are missing" },
    { "about: [x]\n" "roles: {a: {remit: x, answers: findings}}\n"
      "phases: [{name: p, gate: {reviewers: [a]}}]\n", 1, "bad-value", "about" },
    { "about: x\nroles: [a]\nphases: [{name: p, work: a}]\n", 2, "not-a-mapping", "roles" },
    { "about: x\nroles: {Ab: {remit: x}}\nphases: [{name: p, work: Ab}]\n", 2, "bad-name", "Ab" },
    { "about: x\nroles: {../a: {remit: x}}\nphases: [{name: p, work: ../a}]\n", 2, "bad-name",
      "../a" },
    { "about: x\nroles: {cr\xd1\x96tic: {remit: x}}\nphases: [{name: p, work: cr\xd1\x96tic}]\n", 2,
      "bad-name", "small letters" },
    { "about: x\nroles: {a: {}}\nphases: [{name: p, work: a}]\n", 2, "missing-key",
      "say what plays it" },
    { "about: x\nroles: {a: {remit: x, run: y}}\nphases: [{name: p, work: a}]\n", 2,
      "too-many-keys", "exclude" },
    { "about: x\nroles: {a: {role: ../x}}\nphases: [{name: p, work: a}]\n", 2, "bad-name", "../x" },
    { "about: x\nroles: {a: {run: y, agent: claude}}\nphases: [{name: p, work: a}]\n", 2,
      "no-agent", "agent" },
    { "about: x\nroles: {a: {remit: y, answers: exit}}\nphases: [{name: p, work: a}]\n", 2,
      "bad-value", "exit code" },
    { "about: x\nroles: {a: {remit: y, answers: fndings}}\nphases: [{name: p, work: a}]\n", 2,
      "bad-value", "did you mean 'findings'?" },
    { "about: x\nroles: {a: {remit: y, writes: maybe}}\nphases: [{name: p, work: a}]\n", 2,
      "bad-value", "writes" },
    { "about: x\nroles: {a: {remit: y, commits: true, writes: false}}\n"
      "phases: [{name: p, work: a}]\n", 2, "bad-value", "commit" },
    { "about: x\nroles: {a: {remit: y, retries: {invalid: 99}}}\nphases: [{name: p, work: a}]\n", 2,
      "bad-value", "from 0 to 10" },
    { "about: x\nroles: {a: {remit: y}}\nphases: [{name: p, work: b}]\n", 3, "unknown-role", "b" },
    { ROLES "phases:\n  - name: one\n    work: works\n", 3, "unused-role", "looks" },
    { ROLES "phases:\n  - work: works\n  - name: b\n    gate: {reviewers: [looks]}\n", 6,
      "missing-key", "a phase wants a name" },
    { ROLES "phases:\n  - name: one\n  - name: two\n    work: works\n"
      "    gate: {reviewers: [looks]}\n", 6, "empty-phase", "work, a gate" },
    { ROLES "phases:\n  - name: a/b\n    work: works\n    gate: {reviewers: [looks]}\n", 6,
      "bad-name", "a/b" },
    { ROLES GATE(", repairs: 1") "  - name: one\n    work: works\n", 8, "twice", "one" },
    { ROLES "phases:\n  - name: one\n    work: works\n    gate: {}\n  - name: two\n"
      "    gate: {reviewers: [looks]}\n", 8, "missing-key", "a gate has reviewers" },
    { ROLES "phases:\n  - name: one\n    gate: {reviewers: [looks, looks], repair: works,"
      " repairs: 1}\n", 7, "twice", "looks" },
    { ROLES GATE(""), 7, "missing-bound", "repairs: 3" },
    { ROLES GATE(", repairs: none"), 7, "endless", "never end" },
    { ROLES GATE(", repairs: 1001"), 7, "bad-value", "1000" },
    { ROLES GATE(", on-fail: stop, repairs: 3"), 7, "bad-value", "does not repair" },
    { ROLES "phases:\n  - name: one\n    work: works\n    gate: {reviewers: [looks],"
      " on-fail: repair, repairs: 2}\n", 8, "missing-key", "say who" },
    { ROLES GATE(", repairs: 1, at-bound: stuck"), 7, "bad-value", "only the lane of a task" },
    { ROLES GATE(", repairs: 1, recheck: two"), 7, "unknown-phase", "two" },
    { ROLES GATE(", repairs: 1, votes: 2"), 7, "cannot-fail", "fewer reviewers" },
    { ROLES GATE(", repairs: 1, or: evidence"), 7, "bad-value", "goes with votes" },
    { ROLES GATE(", repairs: 1, pass: {exit: nonzero}"), 7, "cannot-pass", "exit" },
    { ROLES GATE(", repairs: 1, pass: {severity: huge}"), 7, "bad-value", "severity" },
    { ROLES GATE(", repairs: 1, mints: [X]"), 7, "bad-name", "X" },
    { ROLES GATE(", repairs: 1") "    needs: [seen]\n", 8, "unknown-stage", "seen" },
    { ROLES GATE(", on-fail: restart"), 6, "missing-bound", "restarts: 2" },
    { ROLES GATE(", repairs: 1") "restarts: 3\n", 8, "unused-restarts", "restarts" },
    { "about: x\nroles:\n  a: {remit: x}\nphases:\n  - name: one\n    gate: {reviewers: [a]}\n"
      "  - name: two\n    gate: {reviewers: [a]}\n", 3, "cannot-pass", "neither yes nor no" },
    { ROLES "phases:\n  - name: one\n    work: looks\n    gate: {reviewers: [looks], repair: works,"
      " repairs: 1}\n", 3, "two-jobs", "give each job a role" },
    { "about: x\nroles: {a: {remit: x, answers: findings, writes: true}}\n"
      "phases: [{name: p, gate: {reviewers: [a]}}]\n", 2, "writes", "may not write" },
    { "about: x\nroles: {a: {commit: x}}\nphases: [{name: p, gate: {reviewers: [a]}}]\n", 2,
      "cannot-pass", "cannot review" },
    { ROLES GATE(", repairs: 1") "budget: {usd: much}\n", 8, "bad-value", "budget" },
    { ROLES GATE(", repairs: 1") "files: ../out\n", 8, "bad-value", "not a folder" },
    { ROLES GATE(", repairs: 1") "files: .git/x\n", 8, "bad-value", "not a folder" },
    { ROLES GATE(", repairs: 1") "until: setled\n", 8, "bad-value", "did you mean 'settled'?" },
    { ROLES "  more: {remit: x, answers: findings}\nuntil: settled\nphases:\n  - name: one\n"
      "    gate: {reviewers: [looks, more], repair: works, votes: 2}\n", 9, "bad-value",
      "exclude" },
    { ROLES TEST_ROLE "restarts: 100\nphases:\n  - name: one\n    work: works\n"
      "  - name: two\n    gate: {reviewers: [looks], on-fail: restart}\n"
      "  - name: three\n    gate: {reviewers: [test], repair: works, repairs: 2, recheck: one}\n",
      8, "plan", "where no role reviews" },

    /* Lanes: the phases begin in line 6, or with tasks behind them. */
    { LANES("merger") "    gate: {reviewers: [looks], repair: works, repairs: 1}\n    lains: x\n",
      11, "unknown-key", "did you mean 'lanes'?" },
    { LANES("{at-once: 2}") LANE_GATE, 8, "missing-key", "merges" },
    { LANES("{at-once: 0, integrate: merger}") LANE_GATE, 8, "bad-value", "from 1 to 1000" },
    { LANES("{at-onse: 2, integrate: merger}") LANE_GATE, 8, "unknown-key",
      "did you mean 'at-once'?" },
    { LANES("merge") LANE_GATE, 8, "unknown-role", "did you mean 'merger'?" },
    { LANES("works") LANE_GATE, 4, "bad-value", "works: {merge: a message}" },
    { LANES("merger") LANE_GATE "  - name: two\n    lanes: merger\n    work: works\n", 12, "twice",
      "'one' has lanes already" },
    { ROLES MERGER "phases:\n  - name: one\n    work: merger\n" LANE_GATE, 5, "bad-value",
      "does nothing else" },
    { ROLES MERGER "phases:\n  - name: one\n    work: works\n"
      "    gate: {reviewers: [looks, merger]}\n", 5, "cannot-pass", "merges" },
    { ROLES MERGER "phases:\n  - name: one\n    lanes: merger\n" LANE_GATE, 7, "in-lanes",
      "has no work" },
    { LANES("merger") "    gate: {reviewers: [looks]}\n", 7, "in-lanes", "neither stops" },
    { LANES("merger") "    gate: {reviewers: [looks], repair: works, repairs: 1, at-bound: stop}\n",
      7, "in-lanes", "stuck, ask, escalate or proceed" },
    { LANES("merger") "    gate: {reviewers: [looks], repair: works, repairs: 1, mints: [s]}\n", 7,
      "in-lanes", "behind the lanes" },
    { ROLES MERGER "  test: {run: make}\nphases:\n  - name: zero\n    gate: {reviewers: [test],"
      " mints: [s]}\n  - name: one\n    needs: [s]\n    lanes: merger\n    work: works\n"
      LANE_GATE, 10, "in-lanes", "delivers nothing" },
    { ROLES MERGER "  test: {run: make}\nphases:\n  - name: zero\n    gate: {reviewers: [test]}\n"
      "  - name: one\n    lanes: merger\n    work: works\n    gate: {reviewers: [looks],"
      " repair: works, repairs: 1, recheck: zero}\n", 10, "in-lanes", "recheck" },
    { "restarts: 2\n" LANES("merger") LANE_GATE, 1, "in-lanes", "no restarts" },
    { LANES("merger") LANE_GATE "  - name: two\n    gate: {reviewers: [looks], on-fail: restart}\n",
      11, "in-lanes", "cannot begin again" },
    { LANES("merger") LANE_GATE "  - name: two\n    gate: {reviewers: [looks], repair: works,"
      " repairs: 1, recheck: one}\n", 11, "in-lanes", "do not look again" },
    { ROLES MERGER "phases:\n  - name: zero\n    work: works\n  - name: one\n    lanes: merger\n"
      "    work: works\n" LANE_GATE, 7, "before-lanes", "writes: false" },
    { ROLES MERGER "phases:\n  - name: zero\n" LANE_GATE "  - name: one\n    lanes: merger\n"
      "    work: works\n", 7, "before-lanes", "behind the lanes" },
    { ROLES "phases:\n  - name: one\n    work: {role: works, again: 2}\n" LANE_GATE, 7, "no-lanes",
      "say lanes" },
    { AGAIN("again: 2, copies: 2"), 9, "bad-value", "exclude" },
    { AGAIN("again: 0"), 9, "bad-value", "from 1 to 1000" },
    { AGAIN("checkpoint: {role: looks, every: 2}"), 9, "missing-key", "again: 10" },
    { AGAIN("again: 2, checkpoint: {every: 2}"), 9, "missing-key", "checkpoint wants a role" },
    { AGAIN("again: 2, checkpoint: {role: works}"), 4, "two-jobs", "give each job a role" },
    { ROLES MERGER "  test: {run: make}\nphases:\n  - name: one\n    lanes: merger\n"
      "    work: {role: test, again: 2}\n" LANE_GATE, 10, "no-agent", "again is for agents" },

    { "tasks: [do it]\n" ROLES GATE(", repairs: 1"), 1, "unused-tasks", "say lanes" },
    { "tasks: []\n" LANES("merger") LANE_GATE, 1, "bad-value", "1 to 1000" },
    { "tasks: do it\n" LANES("merger") LANE_GATE, 1, "bad-value", "--tasks FILE" },
    { "tasks:\n  - [x]\n" LANES("merger") LANE_GATE, 2, "not-a-mapping", "a task" },
    { "tasks:\n  - ''\n" LANES("merger") LANE_GATE, 2, "bad-value", "what is to be done" },
    { "tasks:\n  - {id: a}\n" LANES("merger") LANE_GATE, 2, "missing-key", "task: ..." },
    { "tasks:\n  - {id: a, tusk: x}\n" LANES("merger") LANE_GATE, 2, "unknown-key",
      "did you mean 'task'?" },
    { "tasks:\n  - {id: ../a, task: x}\n" LANES("merger") LANE_GATE, 2, "bad-name", "../a" },
    { "tasks:\n  - {id: .git, task: x}\n" LANES("merger") LANE_GATE, 2, "bad-name", ".git" },
    { "tasks:\n  - {id: a\xd0\xb0, task: x}\n" LANES("merger") LANE_GATE, 2, "bad-name",
      "letters, digits" },
    { "tasks:\n  - {id: a, task: x}\n  - {id: a, task: y}\n" LANES("merger") LANE_GATE, 3, "twice",
      "in line 2" },
    { "tasks:\n  - {id: abc, task: x}\n  - {id: b, task: y, after: [abd]}\n" LANES("merger")
      LANE_GATE, 3, "unknown-task", "did you mean 'abc'?" },
    { "tasks:\n  - {id: a, task: x, after: [b]}\n  - {id: b, task: y, after: [a]}\n"
      LANES("merger") LANE_GATE, 2, "bad-order", "in a circle: a (line 2)" },
    { "tasks:\n  - {id: a, task: x, group: g, after: [b]}\n  - {id: b, task: y, group: h}\n"
      LANES("merger") LANE_GATE, 2, "bad-order", "put that group first" },
    { "tasks:\n  - {id: a, task: x, after: b}\n" LANES("merger") LANE_GATE, 2, "bad-value",
      "after is a list" },
};

TEST(each_mistake_is_refused_with_its_line)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct check_report report = { 0 };
        struct loop loop;
        bool found = false;

        assert_false(loop_read(str_of(refusals[i].text), &arena, &report, &loop));
        for (uint32_t k = 0; k < report.count; k++) {
            const struct check_problem *problem = &report.problems[k];

            found = found || (problem->line == refusals[i].line &&
                              strcmp(problem->code, refusals[i].code) == 0 &&
                              strstr(problem->message, refusals[i].words));
        }
        if (!found) {
            fail_msg("row %zu: wanted %u: %s (%s), got %u: %s: %s", i, refusals[i].line,
                     refusals[i].code, refusals[i].words, report.problems[0].line,
                     report.problems[0].code, report.problems[0].message);
        }
        check_report_release(&report);
    }
}

TEST(all_mistakes_are_told_from_the_top_down)
{
    struct check_report report = { 0 };

    check_loop(STR("about: x\nroles:\n  a: {remit: x, answrs: findings}\n  b: {}\nphases:\n"
                   "  - name: one\n    gate: {reviewers: [c], repairs: 1}\n"), &report);
    assert_true(report.count >= 4);
    for (uint32_t i = 1; i < report.count; i++) {
        assert_true(report.problems[i - 1].line <= report.problems[i].line);
    }
    check_report_release(&report);
}

TEST(the_loops_that_come_with_hone_are_good)
{
    uint32_t count = 0;

    for (const struct loop_shipped *shipped = loop_shipped_all; shipped->name; shipped++) {
        struct loop loop = loop_good(shipped->text);

        assert_true(loop_name_ok(str_of(shipped->name)));
        assert_true(plan_most(&loop.plan, 0).bounded);
        count++;
    }
    assert_int_equal(count, 3);
}

/* ---- plan to notation to plan ---- */

static void same_text(const char *a, const char *b)
{
    if (!a || !b) assert_true(a == b);
    else assert_string_equal(a, b);
}

static void same_plan(const struct plan *a, const struct plan *b)
{
    assert_int_equal(a->role_count, b->role_count);
    assert_int_equal(a->checker_count, b->checker_count);
    assert_int_equal(a->phase_count, b->phase_count);
    assert_int_equal(a->iteration_max, b->iteration_max);
    assert_int_equal(a->lane_max, b->lane_max);
    assert_int_equal(a->integrate, b->integrate);
    assert_true(a->retry_pause_ms == b->retry_pause_ms);
    for (uint32_t i = 0; i < a->role_count + a->checker_count; i++) {
        const struct role *x = &a->roles[i], *y = &b->roles[i];

        assert_string_equal(x->name, y->name);
        assert_int_equal(x->writes, y->writes);
        assert_int_equal(x->commits, y->commits);
        assert_int_equal(x->confined, y->confined);
        assert_int_equal(x->builtin, y->builtin);
        assert_int_equal(x->ask_when_dead, y->ask_when_dead);
        assert_int_equal(x->invalid_max, y->invalid_max);
        assert_int_equal(x->failed_max, y->failed_max);
    }
    for (uint32_t i = 0; i < a->phase_count; i++) {
        const struct phase *x = &a->phases[i], *y = &b->phases[i];

        assert_string_equal(x->name, y->name);
        same_text(x->repair_name, y->repair_name);
        assert_memory_equal(&x->work, &y->work, sizeof x->work);
        assert_int_equal(x->needs, y->needs);
        assert_int_equal(x->fan, y->fan);
        assert_int_equal(x->gate.reviewer_count, y->gate.reviewer_count);
        for (uint32_t k = 0; k < x->gate.reviewer_count; k++) {
            assert_int_equal(x->gate.reviewers[k], y->gate.reviewers[k]);
        }
        if (x->gate.reviewer_count == 0) continue;
        assert_int_equal(x->gate.on_fail, y->gate.on_fail);
        assert_int_equal(x->gate.repair.role, y->gate.repair.role);
        assert_int_equal(x->gate.repair.then, y->gate.repair.then);
        assert_int_equal(x->gate.repair.on_stuck, y->gate.repair.on_stuck);
        assert_int_equal(x->gate.repair_max, y->gate.repair_max);
        assert_int_equal(x->gate.at_bound, y->gate.at_bound);
        assert_int_equal(x->gate.recheck, y->gate.recheck);
        assert_int_equal(x->gate.mints, y->gate.mints);
        assert_int_equal(x->gate.checker, y->gate.checker);
        assert_int_equal(x->gate.votes_min, y->gate.votes_min);
        assert_int_equal(x->gate.votes_or_evidence, y->gate.votes_or_evidence);
        assert_int_equal(x->gate.repeat_max, y->gate.repeat_max);
    }
}

static void comes_back(const struct dialect *dialect, const struct settings *settings)
{
    struct loop loop, back;
    struct plan plan;
    struct buf text;
    struct err err;

    assert_int_equal(dialect->plan(settings, &arena, &plan, &err), 0);
    assert_int_equal(loop_of_plan(dialect, &plan, &arena, &loop, &err), 0);
    buf_init(&text, 1 << 20);
    loop_write(&loop, &text);
    back = loop_good(buf_cstr(&text));
    same_plan(&plan, &back.plan);
    buf_release(&text);
}

TEST(review_and_cycles_come_back_from_the_notation)
{
    static const struct setting few = { "max-iterations", "2" };
    static const struct setting phases = { "phases", "3,1,7" };
    const struct settings none = { .count = 0 }, one = { .items = &few, .count = 1 };
    const struct settings three = { .items = &phases, .count = 1 };

    comes_back(&dialect_review, &none);
    comes_back(&dialect_review, &one);
    comes_back(&dialect_cycles, &none);
    comes_back(&dialect_cycles, &three);
}

static void same_tasks(const struct loops_tasks *a, const struct loops_tasks *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct loops_task *x = &a->items[i], *y = &b->items[i];

        assert_string_equal(x->id, y->id);
        assert_string_equal(x->title, y->title);
        assert_true(str_eq(x->text, y->text));
        assert_string_equal(x->group, y->group);
        assert_int_equal(x->lane, y->lane);
        assert_int_equal(x->need_count, y->need_count);
        for (uint32_t k = 0; k < x->need_count; k++) {
            assert_string_equal(x->needs[k], y->needs[k]);
        }
    }
}

static void loop_comes_back(const char *from)
{
    struct loop loop = loop_good(from), back;
    struct buf text, again;

    buf_init(&text, 1 << 20);
    buf_init(&again, 1 << 20);
    loop_write(&loop, &text);
    back = loop_good(buf_cstr(&text));
    same_plan(&loop.plan, &back.plan);
    same_tasks(&loop.tasks, &back.tasks);
    loop_write(&back, &again);
    assert_string_equal(buf_cstr(&text), buf_cstr(&again));
    buf_release(&text);
    buf_release(&again);
}

TEST(what_is_written_of_a_loop_is_the_same_loop)
{
    for (const struct loop_shipped *shipped = loop_shipped_all; shipped->name; shipped++) {
        loop_comes_back(shipped->text);
    }
    loop_comes_back("tasks:\n  - {id: a, task: \"one\\n\\n  two\\n\", group: g}\n"
                    "  - {id: 7.b, task: '# of: - x', after: [a]}\n"
                    "  - {id: c, task: 'true', group: g, after: [a]}\n"
                    LANES("merger") LANE_GATE);
    loop_comes_back(AGAIN("again: 9, checkpoint: {role: looks}"));
    loop_comes_back(LANES("{at-once: 1, integrate: merger}")
                    "    gate: {reviewers: [looks], on-fail: proceed, at-bound: proceed}\n"
                    "  - name: two\n    work: works\n");
}

TEST(what_the_notation_cannot_say_has_a_reason)
{
    static const struct dialect *const others[] = { &dialect_iterate, &dialect_session,
                                                    &dialect_loops };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct plan plan = { .role_count = 0 };
        struct loop loop;
        struct err err = { 0 };

        assert_int_equal(loop_of_plan(others[i], &plan, &arena, &loop, &err), ERR_USAGE);
        assert_has(err.text, others[i]->name);
    }
}

TEST(a_loop_is_a_dialect_by_its_name)
{
    const struct config_text file = { .path = LOOP_FILE, .text = str_of(loop_shipped_all[0].text) };
    const struct settings settings = { .files = &file, .file_count = 1 }, none = { .count = 0 };
    const struct dialect *dialect = dialect_of("mine", &settings, &arena);
    struct plan plan;
    struct err err;

    assert_non_null(dialect);
    assert_string_equal(dialect->name, "mine");
    assert_int_equal(dialect->plan(&settings, &arena, &plan, &err), 0);
    assert_null(dialect_of("mine", &none, &arena));
    assert_ptr_equal(dialect_of("review", &settings, &arena), &dialect_review);
}
