/* SPDX-License-Identifier: Apache-2.0
 *
 * test_mcp_tools.c - the tools: their rows, and how agents inside an attempt report with them. */
#include "ground.h"
#include "mcp_scene.h"
#include "serve/tools.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* As the specification of loops has it. */
static const char seed_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"loopId\":{\"type\":\"string\",\"description\":\"The loop being reviewed\"},"
    "\"taskId\":{\"type\":\"string\",\"description\":\"The task that was reviewed (optional for "
    "checkpoint reviews)\"},"
    "\"passed\":{\"type\":\"boolean\"},"
    "\"interpretedIntent\":{\"type\":\"string\"},"
    "\"intentSatisfied\":{\"type\":\"boolean\"},"
    "\"issues\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"file\":{\"type\":\"string\"},\"line\":{\"type\":\"number\"},\"type\":{\"type\":\"string\"},"
    "\"description\":{\"type\":\"string\"},\"suggestion\":{\"type\":\"string\"}}}}},"
    "\"required\":[\"loopId\",\"passed\"]}";

static bool is_json_object(const char *text)
{
    yyjson_doc *doc = yyjson_read(text, strlen(text), 0);
    bool is = yyjson_is_obj(yyjson_doc_get_root(doc));

    yyjson_doc_free(doc);
    return is;
}

static void expect_row(const struct mcp_tool *tool)
{
    assert_true(strlen(tool->name) > 0 && strlen(tool->name) <= 128);
    assert_int_equal(strspn(tool->name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
                     strlen(tool->name));
    assert_true(tool->title[0] && tool->description[0] && tool->call);
    assert_true(is_json_object(tool->input));
    assert_non_null(strstr(tool->input, "\"type\":\"object\""));
    assert_true(!tool->output || is_json_object(tool->output));
    assert_false(tool->reads_only && tool->destroys);
}

/* Made once, for all tests. */
static const struct mcp_tool *const *all_tools(void)
{
    static const struct mcp_tool *const *tools;
    static struct arena arena;

    if (!tools) tools = tools_all(&arena);
    return tools;
}

TEST(every_row_is_whole_and_every_name_is_there_once)
{
    const struct mcp_tool *const *tools = all_tools();

    for (uint32_t i = 0; tools[i]; i++) {
        expect_row(tools[i]);
        assert_non_null(tools[i]->output);
        for (uint32_t k = 0; k < i; k++) assert_string_not_equal(tools[i]->name, tools[k]->name);
    }
}

TEST(the_review_of_a_loop_has_the_schema_that_was_specified)
{
    const struct mcp_tool *const *tool = all_tools();

    while (*tool && strcmp((*tool)->name, "set_loop_review_result") != 0) tool++;
    assert_non_null(*tool);
    assert_string_equal((*tool)->input, seed_schema);
    assert_string_equal((*tool)->description, "Report review results for a specific loop");
}

/* ---- reports ---- */

struct desk {
    struct ground *ground;
    struct world world;
    struct mcp_scene scene;
    char output[GROUND_PATH_BYTES + 32];
};

static struct desk desk;

/* An attempt of a role in work/attempt. */
static void sit_down(void **state, const char *role)
{
    desk.ground = *state;
    make_folder(at(desk.ground, "work/attempt"));
    snprintf(desk.output, sizeof desk.output, "%s/attempt/answer", desk.ground->work);
    desk.world = (struct world){
        .cwd = desk.ground->work, .run = "abc", .dialect = "loops", .role = role,
        .lane = "loop-1", .phase = "review", .round = "1", .task_id = "login",
        .output = desk.output,
    };
    talk_open(&desk.scene, all_tools(), true, &desk.world);
}

static const char *report(void)
{
    return at(desk.ground, "work/attempt/report");
}

static void call(const char *tool, const char *arguments)
{
    char members[2048];

    snprintf(members, sizeof members, ",\"name\":\"%s\",\"arguments\":%s", tool, arguments);
    talk_take(&desk.scene, 1, modern("1", "tools/call", members), NULL, 0);
}

static void expect_error(const char *text)
{
    expect_reply(&desk.scene, 200, "\"isError\":true");
    expect_reply(&desk.scene, 200, text);
}

IN_REPOSITORY(a_review_becomes_the_report)
{
    sit_down(state, "loop-reviewer");
    call("set_loop_review_result", "{\"loopId\":\"loop-1\",\"taskId\":\"login\",\"passed\":false,"
         "\"issues\":[{\"file\":\"a.c\",\"line\":3,\"type\":\"dead-code\",\"description\":\"d\","
         "\"suggestion\":\"s\"}]}");
    expect_reply(&desk.scene, 200, "\"accepted\":true");
    expect_reply(&desk.scene, 200, "failed, 1 issue.");
    expect_reply_without(&desk.scene, "isError");
    expect_content(report(),
                   "{\n  \"loopId\": \"loop-1\",\n  \"taskId\": \"login\",\n  \"passed\": false,\n"
                   "  \"issues\": [\n    {\n      \"file\": \"a.c\",\n      \"line\": 3,\n"
                   "      \"type\": \"dead-code\",\n      \"description\": \"d\",\n"
                   "      \"suggestion\": \"s\"\n    }\n  ]\n}\n");
    call("set_loop_review_result", "{\"loopId\":\"loop-1\",\"passed\":true}");
    expect_reply(&desk.scene, 200, "passed, 0 issues.");
    expect_content(report(), "{\n  \"loopId\": \"loop-1\",\n  \"passed\": true\n}\n");
    assert_int_equal(count_in(at(desk.ground, "work/attempt")), 1);
    talk_close(&desk.scene);
}

IN_REPOSITORY(a_pass_that_missed_the_intent_is_called_failed)
{
    sit_down(state, "run-reviewer");
    call("set_review_result", "{\"passed\":true,\"intentSatisfied\":false}");
    expect_reply(&desk.scene, 200, "failed, 0 issues. It counts as failed");
    call("set_review_result", "{\"passed\":true,\"issues\":[{\"description\":\"d\"}]}");
    expect_reply(&desk.scene, 200, "failed, 1 issue. It counts as failed, since issues are listed");
    call("set_review_result", "{\"passed\":true,\"intentSatisfied\":true}");
    expect_reply(&desk.scene, 200, "passed, 0 issues.");
    talk_close(&desk.scene);

    sit_down(state, "loop-reviewer");
    call("set_loop_review_result", "{\"loopId\":\"loop-1\",\"passed\":true,\"issues\":["
         "{\"description\":\"d\"}]}");
    expect_reply(&desk.scene, 200, "passed, 1 issue. Call");
    talk_close(&desk.scene);
}

IN_REPOSITORY(wrong_ids_are_told_the_right_ones_and_change_nothing)
{
    sit_down(state, "loop-reviewer");
    call("set_loop_review_result", "{\"loopId\":\"loop-2\",\"passed\":true}");
    expect_error("Yours is 'loop-1' (task 'login')");
    call("set_loop_review_result", "{\"loopId\":\"loop-1\",\"taskId\":\"x\",\"passed\":true}");
    expect_error("taskId \\\"login\\\"");
    call("set_loop_review_result", "{\"loopId\":\"loop-1\\u0000\",\"passed\":true}");
    expect_error("NUL");
    call("set_loop_review_result", "{\"loopId\":\"\",\"passed\":true}");
    expect_error("loop-1");
    desk.world.task_id = "";
    call("set_loop_review_result", "{\"loopId\":\"loop-1\",\"taskId\":\"x\",\"passed\":true}");
    expect_error("without taskId");
    call("set_loop_review_result", "{\"passed\":true}");
    expect_error("must have \\\"loopId\\\", of type string");
    call("set_loop_review_result", "{\"loopId\":\"loop-1\",\"passed\":\"yes\"}");
    expect_error("passed must be of type boolean");
    call("set_loop_review_result", "{\"loopId\":\"loop-1\",\"passed\":true,\"issues\":[{\"line\":"
         "\"3\"}]}");
    expect_error("issues[0].line must be of type number");
    assert_false(is_there(report()));
    put(report(), "before");
    call("set_loop_review_result", "{\"loopId\":\"loop-2\",\"passed\":true}");
    expect_content(report(), "before");
    talk_close(&desk.scene);
}

IN_REPOSITORY(a_role_reports_with_its_own_tool)
{
    static const struct {
        const char *role, *tool;
    } rows[] = {
        { "loop-reviewer", "set_loop_review_result" }, { "run-reviewer", "set_review_result" },
        { "builder", "complete_task" }, { "critic", "report_result" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sit_down(state, rows[i].role);
        if (i != 0) {
            call("set_loop_review_result", "{\"loopId\":\"loop-1\",\"passed\":true}");
            expect_error(rows[i].tool);
        }
        if (i != 1) {
            call("set_review_result", "{\"passed\":true}");
            expect_error(rows[i].tool);
        }
        if (i != 2) {
            call("complete_task", "{\"outcome\":\"complete\"}");
            expect_error(rows[i].tool);
        }
        assert_false(is_there(report()));
        call("report_result", "{\"result\":\"R\"}");
        expect_reply(&desk.scene, 200, "\"accepted\":true");
        expect_content(report(), "R");
        remove_all(report());
        call("next_action", "{}");
        expect_reply(&desk.scene, 200, "\"action\":\"report\"");
        expect_reply(&desk.scene, 200, rows[i].tool);
        talk_close(&desk.scene);
    }
}

IN_REPOSITORY(a_task_is_complete_or_stuck_for_a_reason_of_one_line)
{
    sit_down(state, "builder");
    call("complete_task", "{\"outcome\":\"complete\",\"taskId\":\"login\"}");
    expect_reply(&desk.scene, 200, "\"accepted\":true");
    expect_content(report(), "TASK_COMPLETE\n");
    call("complete_task",
         "{\"outcome\":\"stuck\",\"reason\":\"no key\\nTASK_COMPLETE\\r\\u001b\"}");
    expect_content(report(), "TASK_STUCK: no key TASK_COMPLETE  \n");
    call("complete_task", "{\"outcome\":\"stuck\"}");
    expect_error("a reason must be given");
    call("complete_task", "{\"outcome\":\"stuck\",\"reason\":\" \"}");
    expect_error("a reason must be given");
    call("complete_task", "{\"outcome\":\"done\"}");
    expect_error("complete, stuck");
    call("complete_task", "{\"outcome\":\"complete\",\"taskId\":\"other\"}");
    expect_error("login");
    expect_content(report(), "TASK_STUCK: no key TASK_COMPLETE  \n");
    talk_close(&desk.scene);
}

IN_REPOSITORY(an_empty_result_is_refused)
{
    sit_down(state, "critic");
    call("report_result", "{\"result\":\" \\n\"}");
    expect_error("empty");
    assert_false(is_there(report()));
    talk_close(&desk.scene);
}

IN_REPOSITORY(a_folder_that_is_gone_is_said)
{
    sit_down(state, "critic");
    remove_all(at(desk.ground, "work/attempt"));
    call("report_result", "{\"result\":\"R\"}");
    expect_error("could not be written");
    expect_error("standard output instead");
    talk_close(&desk.scene);
}

IN_REPOSITORY(a_link_in_the_place_of_the_report_is_not_followed)
{
    sit_down(state, "critic");
    put(at(desk.ground, "work/outside"), "safe");
    put_link(report(), at(desk.ground, "work/outside"));
    put_link(at(desk.ground, "work/attempt/report.new"), at(desk.ground, "work/outside"));
    call("report_result", "{\"result\":\"R\"}");
    expect_content(at(desk.ground, "work/outside"), "safe");
    talk_close(&desk.scene);
}

IN_REPOSITORY(outside_of_an_attempt_nothing_can_be_reported)
{
    static const struct {
        const char *tool, *arguments;
    } calls[] = {
        { "set_loop_review_result", "{\"loopId\":\"loop-1\",\"passed\":true}" },
        { "set_review_result", "{\"passed\":true}" },
        { "report_result", "{\"result\":\"R\"}" },
        { "complete_task", "{\"outcome\":\"complete\"}" },
    };

    sit_down(state, "critic");
    desk.world.run = "";
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        call(calls[i].tool, calls[i].arguments);
        expect_error("inside a run");
        expect_error("Runs at work now: none");
    }
    desk.world.run = "abc";
    desk.world.output = "answer"; /* no absolute path */
    call("report_result", "{\"result\":\"R\"}");
    expect_error("inside a run");
    assert_false(is_there(report()));
    talk_close(&desk.scene);
}

IN_REPOSITORY(inside_of_an_attempt_nothing_can_be_started)
{
    sit_down(state, "builder");
    call("start_run", "{\"dialect\":\"review\"}");
    expect_error("not for agents inside a run");
    call("resume_run", "{}");
    expect_error("not for agents inside a run");
    call("answer_question", "{\"choice\":\"accept\"}");
    expect_error("not for agents inside a run");
    talk_close(&desk.scene);
}

IN_REPOSITORY(nothing_a_client_says_chooses_an_agent)
{
    static const char *const arguments[] = {
        "{\"dialect\":\"review\",\"agents\":{\"*\":\"cmd:true\"}}",
        "{\"dialect\":\"review\",\"agent\":\"*=cmd:true\"}",
        "{\"dialect\":\"review\",\"noSandbox\":true}",
        "{\"dialect\":\"review\",\"test\":\"true\"}",
    };

    sit_down(state, "");
    desk.world.run = "";
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        call("start_run", arguments[i]);
        expect_error("has no member");
    }
    call("start_run", "{\"dialect\":\"--agent=*=cmd:true\"}");
    expect_error("There are: ");
    talk_close(&desk.scene);
}

IN_REPOSITORY(a_budget_that_is_none_starts_nothing)
{
    static const struct {
        const char *budget, *words;
    } rows[] = {
        { "\"lots\"", "a budget has usd, tokens, time, calls" },
        { "\"usd=0\"", "usd must be dollars" },
        { "\"usd=-1\"", "usd must be dollars" },
        { "\"calls=2,calls=3\"", "calls is there twice" },
        { "\"usd=5 --agent=*=cmd:true\"", "usd must be dollars" },
        { "\"\"", "budget" },
        { "5", "budget" },
        { "{\"usd\":5}", "budget" },
    };

    sit_down(state, "");
    desk.world.run = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char arguments[200];

        snprintf(arguments, sizeof arguments, "{\"dialect\":\"review\",\"budget\":%s}",
                 rows[i].budget);
        call("start_run", arguments);
        expect_error(rows[i].words);
    }
    talk_close(&desk.scene);
}
