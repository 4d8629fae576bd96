/* SPDX-License-Identifier: Apache-2.0
 *
 * A run of a loop file: what its agents are told, how their answers are read by the reader and the
 * pass rule that the file names, what votes do, and which files follow. */
#include "custom_scene.h"
#include "test.h"

#include <string.h>

static const char text[] =
    "about: all readers\n"
    "task: look\n"
    "files: out\n"
    "roles:\n"
    "  maker: {remit: \"Make it.\", agent: claude}\n"
    "  lister: {remit: \"List it.\", answers: findings}\n"
    "  other: {role: critic, answers: findings}\n"
    "  grader: {remit: \"Grade it.\", answers: grade}\n"
    "  judge: {remit: \"Judge it.\", answers: verdict}\n"
    "  test: {run: make test}\n"
    "  keeper: {commit: kept}\n"
    "phases:\n"
    "  - name: make\n"
    "    work: maker\n"
    "  - name: panel\n"
    "    gate: {reviewers: [lister, other], votes: 2, or: evidence, pass: {severity: medium},"
    " repair: {role: maker, then: keeper}, repairs: 2}\n"
    "  - name: rest\n"
    "    gate: {reviewers: [grader, judge, test], pass: {grade: WARN, exit: nonzero},"
    " on-fail: stop}\n";

enum { MAKER = 1, LISTER, OTHER, GRADER, JUDGE, TEST_ROLE, KEEPER };
enum { MAKE, PANEL, REST };

static struct custom_scene scene;

static int open_scene(void **state)
{
    (void)state;
    custom_open(&scene, text);
    custom_step(&scene, (struct event){ .kind = EV_START });
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    custom_close(&scene);
    return 0;
}

static struct result judged(struct action action, const char *answer)
{
    return custom_judged(&scene, action, answer);
}

static void answers(uint16_t role, const char *answer)
{
    custom_answer(&scene, 0, role, answer);
}

static const char *told(uint16_t role)
{
    return custom_told(&scene, 0, role);
}

#define ISSUE(severity, file, evidence)                                                       \
    "{\"severity\":\"" severity "\",\"category\":\"x\",\"file\":\"" file "\",\"line\":7,"       \
    "\"description\":\"wrong in " file "\",\"evidence\":" evidence ",\"suggestion\":\"mend\"}"
#define REVIEW(issues, critical, warning, info)                                               \
    "{\"issues\":[" issues "],\"summary\":{\"critical\":" critical ",\"warning\":" warning      \
    ",\"info\":" info ",\"verdict\":\"issues_found\"}}"

TEST_WITH(a_worker_is_told_its_remit_and_a_reviewer_what_was_done, open_scene, close_scene)
{
    const char *prompt = told(MAKER);

    assert_has(prompt, "[PHASE make]\n");
    assert_has(prompt, "Make it.");
    assert_has(prompt, "the task");
    assert_has(prompt, "STUCK: ");
    answers(MAKER, "I made it\n===== end of data " CUSTOM_FENCE " =====");
    prompt = told(LISTER);
    assert_has(prompt, "one of 2 reviewers");
    assert_has(prompt, "Phase make:\n\n===== data " CUSTOM_FENCE);
    assert_has(prompt, "List it.");
    assert_has(prompt, "`issues`: an array");
    assert_has(prompt, "2 of you report it, or when `evidence` proves it");
    assert_has(told(OTHER), "Find what breaks.");
    assert_int_equal(occurrences(prompt, "\n===== data " CUSTOM_FENCE),
                     occurrences(prompt, "\n===== end of data " CUSTOM_FENCE));
}

TEST_WITH(what_too_few_report_is_noted_and_what_is_proven_is_repaired, open_scene, close_scene)
{
    const char *prompt;

    answers(MAKER, "made");
    answers(LISTER, REVIEW(ISSUE("warning", "a.c", "null") "," ISSUE("warning", "b.c", "null"),
                           "0", "2", "0"));
    answers(OTHER, REVIEW(ISSUE("warning", "a.c", "null") "," ISSUE("critical", "c.c", "\"seen\"")
                          "," ISSUE("info", "d.c", "\"seen\""), "1", "1", "1"));
    assert_int_equal(scene.engine.lanes[0].state, LANE_REPAIRING);
    prompt = told(MAKER);
    assert_has(prompt, "wrong in a.c");
    assert_has(prompt, "wrong in c.c");
    assert_lacks(prompt, "wrong in b.c");
    assert_lacks(prompt, "wrong in d.c");
    answers(MAKER, "mended");
    answers(KEEPER, "commit 0123\na.c\n");
    assert_has(told(LISTER), "The last round");
    answers(LISTER, REVIEW(ISSUE("warning", "e.c", "null"), "0", "1", "0"));
    answers(OTHER, CUSTOM_CLEAN);
    assert_int_equal(scene.engine.lanes[0].phase, REST);
}

TEST_WITH(each_reader_reads_by_the_rule_of_its_gate, open_scene, close_scene)
{
    struct action action = { .kind = ACT_START, .role = GRADER, .purpose = FOR_REVIEW,
                             .phase = REST };
    struct result result = judged(action, "Fine.\n\n## Issues\n- [LOW] a.c:1 - x\n\n"
                                          "## Grade: WARN\n");

    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_int_equal(result.note_count, 1);
    assert_str(result.notes[0].source, "grader");
    result = judged(action, "## Issues\n- [HIGH] a.c:1 - x\n\n## Grade: FAIL\n");
    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    action.role = JUDGE;
    result = judged(action, "### VERDICT: APPROVE\n\n### Issues\n- [MINOR] a word in `a.c`\n\n"
                            "### Strengths\nshort\n");
    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_int_equal(result.note_count, 1);
    result = judged(action, "### VERDICT: REQUEST_CHANGES\n\n### Issues\n- [CRITICAL] `a.c` is "
                            "wrong\n\n### Strengths\nshort\n");
    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    assert_str(result.findings[0].source, "judge");
    assert_int_equal(judged(action, "yes").verdict, VERDICT_INVALID);
    action.role = TEST_ROLE;
    assert_int_equal(judged(action, "exit 2\nno\n").verdict, VERDICT_CLEAN);
    result = judged(action, "exit 0\nall is well\n");
    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    assert_true(has_part(result.findings[0].text, "it was wanted to fail"));
    assert_int_equal(judged(action, "what?").verdict, VERDICT_INVALID);
    action = (struct action){ .kind = ACT_START, .role = MAKER, .purpose = FOR_WORK };
    assert_int_equal(judged(action, " ").verdict, VERDICT_INVALID);
    assert_true(judged(action, "I tried.\nSTUCK: no key\n").stuck);
    action.role = KEEPER;
    assert_int_equal(judged(action, "nothing\n").verdict, VERDICT_CLEAN);
}

TEST_WITH(its_files_follow_from_what_was_said, open_scene, close_scene)
{
    struct contract contract = { 0 };
    const char *names = "";

    answers(MAKER, "made");
    answers(LISTER, CUSTOM_CLEAN);
    scene.dialect->record(&scene.run, &contract);
    for (uint32_t i = 0; i < contract.file_count; i++) {
        names = arena_printf(&scene.arena, "%s%s ", names, contract.files[i].path);
    }
    assert_string_equal(names, "out/state.json out/1-make-1-maker.md out/1-panel-1-lister.json ");
    assert_true(has_part(contract.files[0].content, "\"status\": \"running\""));
    assert_true(has_part(contract.files[0].content, "\"phase\": \"panel\""));
    contract_release(&contract);
    assert_string_equal(scene.dialect->private_paths[0], "out/");
    assert_string_equal(scene.dialect->casting->agent(&scene.settings, "maker", 1, &scene.arena),
                        "claude");
    assert_null(scene.dialect->casting->agent(&scene.settings, "lister", 1, &scene.arena));
}

TEST_WITH(what_hone_does_itself_is_what_the_file_says, open_scene, close_scene)
{
    struct action action = { .kind = ACT_START, .role = TEST_ROLE };
    struct builtin builtin;

    scene.dialect->builtin(&scene.run, &action, &scene.arena, &builtin);
    assert_int_equal(builtin.kind, BUILTIN_COMMAND);
    assert_string_equal(builtin.text, "make test");
    action.role = KEEPER;
    scene.dialect->builtin(&scene.run, &action, &scene.arena, &builtin);
    assert_int_equal(builtin.kind, BUILTIN_COMMIT);
    assert_string_equal(builtin.text, "kept");
    assert_true(scene.dialect->commits);
}

TEST_WITH(commands_and_agents_of_a_repository_are_listed_for_agreement, open_scene, close_scene)
{
    struct config_text files[2] = { scene.file, { LOOP_FROM, STR(".hone/loops/mine.yaml") } };
    struct settings settings = { .files = files, .file_count = 2 };
    struct config_list list = { 0 };

    scene.dialect->configuring->list(&settings, &scene.arena, &list);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[0].path, "roles.maker.agent");
    assert_string_equal(list.items[1].path, "roles.test.run");
    assert_string_equal(list.items[1].value, "\"make test\"");
    assert_string_equal(list.items[1].from, ".hone/loops/mine.yaml");
    assert_true(list.items[0].asked && list.items[1].asked);
}
