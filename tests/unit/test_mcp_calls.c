/* SPDX-License-Identifier: Apache-2.0
 *
 * test_mcp_calls.c - calls that take time: progress, cancellation, clients that go away. */
#include "mcp_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { TURNS = 3, PAUSE_MS = 100 };

/* What the slow tool has seen. */
struct trace {
    uint32_t turns, dropped, cancelled;
};

static enum mcp_state slow(struct mcp_call *call)
{
    struct trace *trace = call->world;
    yyjson_mut_val *result;

    assert_int_equal(call->now_ms, call->begun_ms + (uint64_t)call->turn * PAUSE_MS);
    assert_string_equal(mcp_text(call, "word"), "abc"); /* lives from turn to turn */
    trace->turns++;
    mcp_progress(call, call->turn, TURNS, "on the way");
    call->wake_ms = call->now_ms + PAUSE_MS;
    if (call->turn < TURNS) return MCP_LATER;
    result = yyjson_mut_obj(call->doc);
    yyjson_mut_obj_add_uint(call->doc, result, "turns", trace->turns);
    return mcp_done(call, result);
}

static void slow_drop(struct mcp_call *call, bool cancelled)
{
    struct trace *trace = call->world;

    trace->dropped++;
    trace->cancelled += cancelled;
}

static const struct mcp_tool tool_slow = {
    .name = "slow", .title = "Slow", .description = "Takes its time",
    .input = "{\"type\":\"object\",\"properties\":{\"word\":{\"type\":\"string\"}},"
             "\"required\":[\"word\"]}",
    .output = "{\"type\":\"object\",\"properties\":{\"turns\":{\"type\":\"integer\"}}}",
    .call = slow, .drop = slow_drop,
};
static const struct mcp_tool *const slow_tools[] = { &tool_slow, NULL };

static struct trace trace;
static struct mcp_scene scene;

static int open_stdio(void **state)
{
    (void)state;
    trace = (struct trace){ 0 };
    talk_open(&scene, slow_tools, true, &trace);
    return 0;
}

static int open_http(void **state)
{
    (void)state;
    trace = (struct trace){ 0 };
    talk_open(&scene, slow_tools, false, &trace);
    return 0;
}

static int shut(void **state)
{
    (void)state;
    talk_close(&scene);
    return 0;
}

static const char *call_slow(const char *id, const char *token)
{
    static char text[1024];

    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\","
             "\"params\":{\"name\":\"slow\",\"arguments\":{\"word\":\"abc\"},\"_meta\":{"
             "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
             "\"io.modelcontextprotocol/clientCapabilities\":{}%s%s}}}", id,
             token[0] ? ",\"progressToken\":" : "", token);
    return text;
}

static void step_at(uint64_t now_ms)
{
    talk_forget(&scene);
    mcp_step(&scene.mcp, now_ms);
}

#define ON_STDIO(name) TEST_WITH(name, open_stdio, shut)

ON_STDIO(a_call_goes_on_when_it_is_due)
{
    assert_int_equal(mcp_due_in(&scene.mcp, 1000), -1);
    talk_take(&scene, 1, call_slow("7", ""), NULL, 1000);
    assert_int_equal(scene.count, 0);
    assert_int_equal(mcp_due_in(&scene.mcp, 1000), PAUSE_MS);
    assert_int_equal(mcp_due_in(&scene.mcp, 1040), 60);
    assert_int_equal(mcp_due_in(&scene.mcp, 9000), 0);
    step_at(1099);
    assert_int_equal(trace.turns, 1);
    step_at(1100);
    step_at(1200);
    assert_int_equal(scene.count, 0);
    step_at(1300);
    expect_reply(&scene, 200, "\"id\":7,\"result\":");
    expect_reply(&scene, 200, "\"turns\":4");
    assert_int_equal(trace.dropped, 1);
    assert_int_equal(trace.cancelled, 0);
    assert_int_equal(mcp_due_in(&scene.mcp, 1300), -1);
}

ON_STDIO(progress_is_told_to_whoever_asked_for_it)
{
    static const char *const tokens[] = { "\"progress-test-1\"", "17" };

    for (size_t i = 0; i < 2; i++) {
        char wanted[200];

        snprintf(wanted, sizeof wanted, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\""
                 ",\"params\":{\"progressToken\":%s,\"progress\":0,\"total\":3,\"message\":\"on "
                 "the way\"}}", tokens[i]);
        talk_take(&scene, 1, call_slow("1", tokens[i]), NULL, 0);
        assert_int_equal(scene.count, 1);
        assert_int_equal(talk_last(&scene)->kind, MCP_SEND_NOTIFICATION);
        assert_string_equal(talk_last(&scene)->text, wanted);
        step_at(100);
        assert_non_null(strstr(talk_last(&scene)->text, "\"progress\":1,"));
        step_at(200);
        step_at(300);
        assert_int_equal(scene.count, 2); /* the last progress, and then the answer */
        assert_int_equal(scene.sends[0].kind, MCP_SEND_NOTIFICATION);
        assert_int_equal(scene.sends[1].kind, MCP_SEND_ANSWER);
    }
}

ON_STDIO(a_token_that_is_none_is_ignored)
{
    talk_take(&scene, 1, call_slow("1", "null"), NULL, 0);
    assert_int_equal(scene.count, 0);
    talk_take(&scene, 1, call_slow("2", "{}"), NULL, 0);
    assert_int_equal(scene.count, 0);
}

ON_STDIO(a_cancelled_call_is_never_answered)
{
    talk_take(&scene, 1, call_slow("\"a\"", "1"), NULL, 0);
    talk_take(&scene, 1, call_slow("2", ""), NULL, 0);
    talk_take(&scene, 1, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
              "\"requestId\":\"a\",\"reason\":\"enough\"}}", NULL, 50);
    assert_int_equal(talk_last(&scene)->kind, MCP_SEND_NOTHING);
    assert_int_equal(trace.cancelled, 1);
    for (uint64_t now_ms = 100; now_ms <= 300; now_ms += 100) step_at(now_ms);
    expect_reply(&scene, 200, "\"id\":2,");
    assert_int_equal(trace.dropped, 2);
}

ON_STDIO(cancellations_that_fit_nothing_are_ignored)
{
    static const char *const params[] = {
        "{\"requestId\":8}", "{\"requestId\":\"7\"}", "{\"requestId\":null}", "{}", "{\"x\":1}",
    };

    talk_take(&scene, 1, call_slow("7", ""), NULL, 0);
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        char text[200];

        snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                 "\"params\":%s}", params[i]);
        talk_take(&scene, 1, text, NULL, 0);
        assert_int_equal(talk_last(&scene)->kind, MCP_SEND_NOTHING);
    }
    talk_take(&scene, 1, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}", NULL, 0);
    assert_int_equal(trace.cancelled, 0);
    assert_int_equal(scene.mcp.call_count, 1);
}

ON_STDIO(an_id_that_is_open_is_refused)
{
    talk_take(&scene, 1, call_slow("7", ""), NULL, 0);
    talk_take(&scene, 1, call_slow("7", ""), NULL, 0);
    expect_reply(&scene, 400, "still open");
    assert_int_equal(trace.turns, 1);
    talk_take(&scene, 1, call_slow("\"7\"", ""), NULL, 0);
    assert_int_equal(trace.turns, 2);
}

ON_STDIO(only_so_many_calls_are_in_flight)
{
    for (uint32_t i = 0; i < MCP_CALLS_MAX; i++) {
        char id[16];

        snprintf(id, sizeof id, "%u", (unsigned)i);
        talk_take(&scene, 1, call_slow(id, ""), NULL, 0);
        assert_int_equal(scene.count, 0);
    }
    talk_take(&scene, 1, call_slow("\"one more\"", ""), NULL, 0);
    expect_reply(&scene, 200, "-32603");
    assert_int_equal(trace.turns, MCP_CALLS_MAX);
}

ON_STDIO(at_the_end_calls_are_dropped_and_not_cancelled)
{
    talk_take(&scene, 1, call_slow("7", ""), NULL, 0);
    mcp_release(&scene.mcp);
    assert_int_equal(trace.dropped, 1);
    assert_int_equal(trace.cancelled, 0);
}

/* ---- HTTP ---- */

static void take_http(uint64_t channel, const char *text, uint64_t session)
{
    talk_take(&scene, channel, text, &(struct mcp_headers){
        .version = STR("2026-07-28"), .method = STR("tools/call"), .name = STR("slow"),
        .session = session }, 0);
}

static void take_legacy(uint64_t channel, const char *text, uint64_t session)
{
    talk_take(&scene, channel, text, &(struct mcp_headers){
        .version = STR("2025-11-25"), .session = session }, 0);
}

static const char *const legacy_call =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"slow\","
    "\"arguments\":{\"word\":\"abc\"}}}";
static const char *const cancel =
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}";

#define ON_HTTP(name) TEST_WITH(name, open_http, shut)

ON_HTTP(clients_may_use_the_same_id)
{
    take_http(5, call_slow("1", ""), 0);
    take_http(6, call_slow("1", ""), 0);
    for (uint64_t now_ms = 100; now_ms < 300; now_ms += 100) step_at(now_ms);
    step_at(300);
    assert_int_equal(scene.count, 2);
    assert_int_equal(scene.sends[0].channel, 5);
    assert_int_equal(scene.sends[1].channel, 6);
}

ON_HTTP(a_modern_client_that_goes_away_cancels)
{
    take_http(5, call_slow("1", ""), 0);
    take_http(6, call_slow("1", ""), 0);
    mcp_gone(&scene.mcp, 5);
    assert_int_equal(trace.cancelled, 1);
    mcp_gone(&scene.mcp, 99);
    for (uint64_t now_ms = 100; now_ms <= 300; now_ms += 100) step_at(now_ms);
    assert_int_equal(scene.count, 1);
    assert_int_equal(scene.sends[0].channel, 6);
}

ON_HTTP(a_legacy_client_that_goes_away_does_not)
{
    take_legacy(5, legacy_call, 0);
    mcp_gone(&scene.mcp, 5);
    for (uint64_t now_ms = 100; now_ms <= 300; now_ms += 100) step_at(now_ms);
    assert_int_equal(scene.count, 0);
    assert_int_equal(trace.turns, TURNS + 1);
    assert_int_equal(trace.cancelled, 0);
}

ON_HTTP(a_client_cancels_only_what_is_its_own)
{
    take_legacy(5, legacy_call, 0);
    take_legacy(6, legacy_call, 41);
    take_legacy(7, legacy_call, 42);
    take_legacy(8, cancel, 0);
    assert_int_equal(trace.cancelled, 0);
    take_legacy(9, cancel, 43);
    assert_int_equal(trace.cancelled, 0);
    take_legacy(10, cancel, 42);
    assert_int_equal(trace.cancelled, 1);
    assert_int_equal(scene.mcp.call_count, 2);
    assert_int_equal(scene.mcp.calls[0].call->channel, 5);
    assert_int_equal(scene.mcp.calls[1].call->channel, 6);
}
