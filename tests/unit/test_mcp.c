/* SPDX-License-Identifier: Apache-2.0
 *
 * test_mcp.c - the protocol: both eras, what each wants of a request, and what each answers. */
#include "mcp_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define INITIALIZE(version)                                                                      \
    "{\"protocolVersion\":\"" version "\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\"}}"

static enum mcp_state greet(struct mcp_call *call)
{
    yyjson_mut_val *result = yyjson_mut_obj(call->doc);

    yyjson_mut_obj_add_str(call->doc, result, "greeting", "hello");
    return mcp_done(call, result);
}

static const struct mcp_tool tool_greet = {
    .name = "greet", .title = "Greet", .description = "Says hello",
    .input = "{\"type\":\"object\",\"additionalProperties\":false}",
    .output = "{\"type\":\"object\",\"properties\":{\"greeting\":{\"type\":\"string\"}},"
              "\"required\":[\"greeting\"]}",
    .reads_only = true, .call = greet,
};
static const struct mcp_tool tool_write = {
    .name = "write", .title = "Write", .description = "Writes", .input = "{\"type\":\"object\"}",
    .output = "{\"type\":\"object\"}", .call = greet,
};
static const struct mcp_tool tool_sample = {
    .name = "sample", .title = "Sample", .description = "Asks", .input = "{\"type\":\"object\"}",
    .output = "{\"type\":\"object\"}", .needs = "sampling", .call = greet,
};
static const struct mcp_tool *const some_tools[] = { &tool_greet, &tool_write, &tool_sample, NULL };

static int open_stdio(void **state)
{
    static struct mcp_scene scene;

    talk_open(&scene, some_tools, true, NULL);
    *state = &scene;
    return 0;
}

static int open_http(void **state)
{
    static struct mcp_scene scene;

    talk_open(&scene, some_tools, false, NULL);
    *state = &scene;
    return 0;
}

static int shut(void **state)
{
    talk_close(*state);
    return 0;
}

static void say(struct mcp_scene *scene, const char *text)
{
    talk_take(scene, 1, text, NULL, 0);
}

#define ON_STDIO(name) TEST_WITH(name, open_stdio, shut)

/* ---- modern ---- */

ON_STDIO(discover_names_versions_and_capabilities)
{
    struct mcp_scene *scene = *state;

    say(scene, modern("\"server-discover-probe-1\"", "server/discover", ""));
    expect_reply(scene, 200, "\"id\":\"server-discover-probe-1\"");
    expect_reply(scene, 200, "\"supportedVersions\":[\"2026-07-28\",\"2025-11-25\"");
    expect_reply(scene, 200, "\"capabilities\":{\"tools\":{}}");
    expect_reply(scene, 200, "\"resultType\":\"complete\"");
    expect_reply(scene, 200, "\"ttlMs\":3600000,\"cacheScope\":\"public\"");
    expect_reply(scene, 200, "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"hone\"");
    expect_reply(scene, 200, "\"version\":\"1.2.3\"");
    expect_reply(scene, 200, "\"instructions\":\"Be kind.\"");
}

ON_STDIO(a_modern_request_must_say_version_and_capabilities)
{
    static const char *const metas[] = {
        "{}",
        "{\"_meta\":{}}",
        "{\"_meta\":7}",
        "{\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{}}}",
        "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}",
        "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":null}}",
        "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":20260728,"
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}",
    };
    struct mcp_scene *scene = *state;

    for (size_t i = 0; i < sizeof metas / sizeof *metas; i++) {
        say(scene, plain("1", "server/discover", metas[i]));
        expect_reply(scene, 400, "\"id\":1,\"error\":{\"code\":-32602");
        say(scene, plain("1", "tools/list", metas[i]));
        expect_reply(scene, 400, "-32602");
    }
    say(scene, plain("1", "tools/list", ""));
    expect_reply(scene, 400, "initialize first");
}

ON_STDIO(an_unknown_version_is_told_those_there_are)
{
    struct mcp_scene *scene = *state;

    say(scene, plain("1", "tools/list",
               "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\","
               "\"io.modelcontextprotocol/clientCapabilities\":{}}}"));
    expect_reply(scene, 400, "\"code\":-32022,\"message\":\"Unsupported protocol version\"");
    expect_reply(scene, 400, "\"supported\":[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\","
                  "\"2025-03-26\",\"2024-11-05\"],\"requested\":\"1900-01-01\"");
}

ON_STDIO(a_modern_request_knows_no_legacy_method)
{
    static const char *const removed[] = { "initialize", "ping", "logging/setLevel",
                                           "resources/subscribe", "unknown/method" };
    struct mcp_scene *scene = *state;

    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++) {
        say(scene, modern("1", removed[i], ""));
        expect_reply(scene, 404, "\"code\":-32601");
    }
    /* It has changed nothing: a request without _meta is still refused. */
    say(scene, plain("1", "tools/list", ""));
    expect_reply(scene, 400, "-32602");
}

ON_STDIO(modern_results_are_complete)
{
    struct mcp_scene *scene = *state;

    say(scene, modern("1", "tools/list", ""));
    expect_reply(scene, 200, "\"resultType\":\"complete\"");
    expect_reply(scene, 200, "\"ttlMs\":");
    say(scene, modern("1", "tools/call", ",\"name\":\"greet\""));
    expect_reply(scene, 200, "\"resultType\":\"complete\"");
    expect_reply(scene, 200, "\"structuredContent\":{\"greeting\":\"hello\"}");
    expect_reply(scene, 200, "\"content\":[{\"type\":\"text\",\"text\":"
                  "\"{\\\"greeting\\\":\\\"hello\\\"}\"}]");
}

ON_STDIO(a_capability_that_is_wanted_must_be_declared)
{
    struct mcp_scene *scene = *state;

    say(scene, modern("1", "tools/call", ",\"name\":\"sample\""));
    expect_reply(scene, 400, "\"code\":-32021");
    expect_reply(scene, 400, "\"data\":{\"requiredCapabilities\":{\"sampling\":{}}}");
    say(scene, plain("1", "tools/call", "{\"name\":\"sample\",\"_meta\":{"
               "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
               "\"io.modelcontextprotocol/clientCapabilities\":{\"sampling\":{}}}}"));
    expect_reply(scene, 200, "hello");
}

/* ---- legacy ---- */

ON_STDIO(initialize_agrees_on_a_version)
{
    static const struct {
        const char *wanted, *spoken;
    } rows[] = {
        { INITIALIZE("2024-11-05"), "2024-11-05" }, { INITIALIZE("2025-03-26"), "2025-03-26" },
        { INITIALIZE("2025-06-18"), "2025-06-18" }, { INITIALIZE("2025-11-25"), "2025-11-25" },
        { INITIALIZE("2026-07-28"), "2025-11-25" }, { INITIALIZE("1.0"), "2025-11-25" },
    };
    struct mcp_scene *scene = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char wanted[64];

        snprintf(wanted, sizeof wanted, "\"protocolVersion\":\"%s\"", rows[i].spoken);
        say(scene, plain("1", "initialize", rows[i].wanted));
        expect_reply(scene, 200, wanted);
        expect_reply(scene, 200, "\"serverInfo\":{\"name\":\"hone\"");
        expect_reply_without(scene, "resultType");
        assert_true(talk_last(scene)->opens);
    }
    say(scene, plain("1", "initialize", "{}"));
    expect_reply(scene, 400, "-32602");
    assert_false(talk_last(scene)->opens);
}

ON_STDIO(after_initialize_requests_need_no_meta)
{
    struct mcp_scene *scene = *state;

    say(scene, plain("1", "ping", ""));
    expect_reply(scene, 200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    say(scene, plain("1", "initialize", INITIALIZE("2024-11-05")));
    say(scene, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    assert_int_equal(talk_last(scene)->kind, MCP_SEND_NOTHING);
    say(scene, plain("2", "tools/list", "{}"));
    expect_reply(scene, 200, "\"name\":\"greet\"");
    expect_reply_without(scene, "resultType");
    expect_reply_without(scene, "ttlMs");
    say(scene, plain("3", "tools/call", "{\"name\":\"greet\",\"arguments\":{}}"));
    expect_reply(scene, 200, "\"structuredContent\":{\"greeting\":\"hello\"}");
    expect_reply_without(scene, "resultType");
    say(scene, plain("4", "resources/list", ""));
    expect_reply(scene, 200, "\"code\":-32601");
    /* Both eras at once. */
    say(scene, modern("5", "tools/list", ""));
    expect_reply(scene, 200, "resultType");
}

/* ---- any ---- */

ON_STDIO(tools_are_listed_with_schemas_and_hints)
{
    struct mcp_scene *scene = *state;

    say(scene, modern("1", "tools/list", ""));
    expect_reply(scene, 200, "{\"name\":\"greet\",\"title\":\"Greet\",\"description\":\"Says "
                  "hello\",\"inputSchema\":{\"type\":\"object\",\"additionalProperties\":false},"
                  "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"greeting\":{\"type\":"
                  "\"string\"}},\"required\":[\"greeting\"]},\"annotations\":{\"title\":\"Greet\","
                  "\"readOnlyHint\":true,\"destructiveHint\":false,\"idempotentHint\":false,"
                  "\"openWorldHint\":false}}");
    expect_reply(scene, 200, "\"name\":\"write\"");
    say(scene, modern("1", "tools/list", ",\"cursor\":\"x\""));
    expect_reply(scene, 400, "-32602");
}

ON_STDIO(a_reading_server_has_only_tools_that_read)
{
    struct mcp_scene *scene = *state;

    scene->mcp.setup.reading_only = true;
    say(scene, modern("1", "tools/list", ""));
    expect_reply(scene, 200, "\"name\":\"greet\"");
    expect_reply_without(scene, "\"name\":\"write\"");
    say(scene, modern("1", "tools/call", ",\"name\":\"write\""));
    expect_reply(scene, 400, "Unknown tool: write");
}

ON_STDIO(a_wrong_call_is_an_error_of_the_protocol_or_of_the_tool)
{
    struct mcp_scene *scene = *state;

    say(scene, modern("1", "tools/call", ",\"name\":\"nothing\""));
    expect_reply(scene, 400, "\"code\":-32602,\"message\":\"Unknown tool: nothing\"");
    say(scene, modern("1", "tools/call", ""));
    expect_reply(scene, 400, "-32602");
    say(scene, modern("1", "tools/call", ",\"name\":\"greet\",\"arguments\":[]"));
    expect_reply(scene, 400, "-32602");
    say(scene, modern("1", "tools/call", ",\"name\":\"greet\",\"arguments\":{\"x\":1}"));
    expect_reply(scene, 200, "has no member \\\"x\\\"");
    expect_reply(scene, 200, "\"isError\":true");
    expect_reply(scene, 200, "nothing was changed");
    expect_reply_without(scene, "structuredContent");
    say(scene, modern("1", "tools/call", ",\"name\":\"write\",\"arguments\":{\"x\":"
               "[{\"y\":\"a\\u0000b\"}]}"));
    expect_reply(scene, 200, "\"isError\":true");
}

ON_STDIO(what_is_no_message_is_answered_without_an_id)
{
    struct mcp_scene *scene = *state;

    say(scene, "nonsense");
    expect_reply(scene, 400, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700");
    say(scene, "[]");
    expect_reply(scene, 400, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600");
    say(scene, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":1}");
    expect_reply(scene, 400, "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32600");
    say(scene, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
    assert_int_equal(talk_last(scene)->kind, MCP_SEND_NOTHING);
    say(scene, "{\"jsonrpc\":\"2.0\",\"method\":\"whatever/it/is\"}");
    assert_int_equal(talk_last(scene)->kind, MCP_SEND_NOTHING);
    assert_int_equal(talk_last(scene)->status, 202);
    talk_forget(scene);
    mcp_refuse(&scene->mcp, 1);
    expect_reply(scene, 413, "\"code\":-32600");
}

/* ---- HTTP ---- */

static struct str header(const char *value)
{
    return value ? str_of(value) : (struct str){ 0 };
}

static void take_http(struct mcp_scene *scene, const char *version, const char *method,
                      const char *name, const char *text)
{
    talk_take(scene, 9, text, &(struct mcp_headers){
        .version = header(version), .method = header(method), .name = header(name) }, 0);
    assert_int_equal(talk_last(scene)->channel, 9);
}

#define ON_HTTP(name) TEST_WITH(name, open_http, shut)

ON_HTTP(headers_must_say_what_the_body_says)
{
    const char *now = "2026-07-28";
    struct mcp_scene *scene = *state;

    take_http(scene, now, "tools/list", NULL, modern("1", "tools/list", ""));
    expect_reply(scene, 200, "greet");
    take_http(scene, NULL, "tools/list", NULL, modern("1", "tools/list", ""));
    expect_reply(scene, 400, "\"code\":-32020");
    take_http(scene, "2025-11-25", "tools/list", NULL, modern("1", "tools/list", ""));
    expect_reply(scene, 400, "\"code\":-32020");
    take_http(scene, now, NULL, NULL, modern("1", "tools/list", ""));
    expect_reply(scene, 400, "\"code\":-32020");
    take_http(scene, now, "Tools/List", NULL, modern("1", "tools/list", ""));
    expect_reply(scene, 400, "\"code\":-32020");
    take_http(scene, now, "tools/call", NULL, modern("1", "tools/call", ",\"name\":\"greet\""));
    expect_reply(scene, 400, "\"code\":-32020");
    take_http(scene, now, "tools/call", "write", modern("1", "tools/call", ",\"name\":\"greet\""));
    expect_reply(scene, 400, "Mcp-Name says 'write', the body says 'greet'");
    take_http(scene, now, "tools/call", "greet", modern("1", "tools/call", ",\"name\":\"greet\""));
    expect_reply(scene, 200, "hello");
}

ON_HTTP(a_name_in_base64_is_the_name)
{
    static const struct {
        const char *header, *name;
        bool same;
    } rows[] = {
        { "=?base64?Z3JlZXQ=?=", "greet", true },
        { "=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, \344\270\226\347\225\214", true },
        { "=?base64?IHBhZGRlZCA=?=", " padded ", true },
        { "=?base64?bGluZTEKbGluZTI=?=", "line1\\nline2", true },
        { "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?=", true },
        { "=?base64?Z3JlZXQ?=", "greet", false }, { "=?base64?Z3JlZXQ==?=", "greet", false },
        { "=?base64?Z3JlZXT=?=", "greet", false }, { "=?base64?!!!!!!!=?=", "greet", false },
        { "=?BASE64?Z3JlZXQ=?=", "greet", false }, { "=?base64?=", "greet", false },
        { "=?base64?" "?=", "greet", false },
    };
    struct mcp_scene *scene = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char members[128];
        bool refused;

        snprintf(members, sizeof members, ",\"name\":\"%s\"", rows[i].name);
        take_http(scene, "2026-07-28", "tools/call", rows[i].header,
                  modern("1", "tools/call", members));
        refused = strstr(talk_last(scene)->text, "-32020") != NULL;
        if (refused == rows[i].same) fail_msg("%s: %s", rows[i].header, talk_last(scene)->text);
    }
}

ON_HTTP(the_mismatch_is_seen_before_the_version)
{
    struct mcp_scene *scene = *state;
    const char *text = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{"
                       "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"v999.0.0\","
                       "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";

    take_http(scene, "2026-07-28", "server/discover", NULL, text);
    expect_reply(scene, 400, "\"code\":-32020");
    take_http(scene, "v999.0.0", "server/discover", NULL, text);
    expect_reply(scene, 400, "\"requested\":\"v999.0.0\"");
}

ON_HTTP(legacy_clients_need_no_session)
{
    struct mcp_scene *scene = *state;

    take_http(scene, NULL, NULL, NULL, plain("1", "initialize", INITIALIZE("2025-06-18")));
    expect_reply(scene, 200, "\"protocolVersion\":\"2025-06-18\"");
    take_http(scene, "2025-06-18", NULL, NULL, plain("2", "tools/list", "{}"));
    expect_reply(scene, 200, "greet");
    take_http(scene, NULL, NULL, NULL, plain("3", "tools/list", ""));
    expect_reply(scene, 200, "greet");
    take_http(scene, "2025-06-18", NULL, NULL, plain("4", "nothing", ""));
    expect_reply(scene, 200, "-32601");
    take_http(scene, "1999-01-01", NULL, NULL, plain("5", "tools/list", ""));
    expect_reply(scene, 400, "-32022");
    take_http(scene, "2026-07-28", "server/discover", NULL, plain("6", "server/discover", "{}"));
    expect_reply(scene, 400, "-32602");
    take_http(scene, NULL, NULL, NULL, plain("7", "server/discover", "{}"));
    expect_reply(scene, 400, "-32602");
}

ON_STDIO(long_words_of_a_client_are_not_sent_back_whole)
{
    static char text[200000];
    struct mcp_scene *scene = *state;
    size_t used;

    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
             "\"params\":{\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{},"
             "\"io.modelcontextprotocol/protocolVersion\":\"");
    used = strlen(text);
    memset(text + used, 'v', 100000);
    snprintf(text + used + 100000, sizeof text - used - 100000, "\"}}}");
    say(scene, text);
    expect_reply(scene, 400, "-32022");
    assert_true(strlen(talk_last(scene)->text) < 1000);
}
