/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp_scene.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void on_send(void *context, const struct mcp_send *send)
{
    struct mcp_scene *scene = context;
    struct rpc_message message;

    assert_true(scene->count < SCENE_SENDS_MAX);
    assert_false(str_has(send->text, '\n'));
    if (send->kind != MCP_SEND_NOTHING) {
        yyjson_doc *doc = yyjson_read(send->text.data, send->text.size, 0);
        assert_non_null(doc); /* all that goes out is JSON */
        yyjson_doc_free(doc);
        rpc_read(send->text, &message);
        assert_int_equal(message.kind, send->kind == MCP_SEND_ANSWER ? RPC_RESPONSE
                                                                     : RPC_NOTIFICATION);
        rpc_release(&message);
    }
    scene->sends[scene->count++] = (struct mcp_scene_send){
        .kind = send->kind, .channel = send->channel, .status = send->status,
        .opens = send->opens, .text = mem_copy(send->text.data, send->text.size),
    };
}

void talk_open(struct mcp_scene *scene, const struct mcp_tool *const *tools, bool one_stream,
                void *world)
{
    *scene = (struct mcp_scene){ .count = 0 };
    mcp_init(&scene->mcp, &(struct mcp_setup){
        .tools = tools, .version = "1.2.3", .instructions = "Be kind.", .one_stream = one_stream,
        .world = world, .send = on_send, .context = scene,
    });
}

void talk_forget(struct mcp_scene *scene)
{
    for (uint32_t i = 0; i < scene->count; i++) free(scene->sends[i].text);
    scene->count = 0;
}

void talk_close(struct mcp_scene *scene)
{
    mcp_release(&scene->mcp);
    talk_forget(scene);
}

void talk_take(struct mcp_scene *scene, uint64_t channel, const char *text,
                const struct mcp_headers *headers, uint64_t now_ms)
{
    size_t bytes = strlen(text);
    char *block = mem_alloc(bytes + 1); /* of its own, and freed before the next line */

    memcpy(block, text, bytes);
    talk_forget(scene);
    mcp_take(&scene->mcp, channel, (struct str){ block, bytes }, headers, now_ms);
    memset(block, '#', bytes);
    free(block);
}

const struct mcp_scene_send *talk_last(const struct mcp_scene *scene)
{
    assert_true(scene->count > 0);
    return &scene->sends[scene->count - 1];
}

void expect_reply(const struct mcp_scene *scene, int status, const char *text)
{
    const struct mcp_scene_send *send = talk_last(scene);

    assert_int_equal(scene->count, 1);
    assert_int_equal(send->kind, MCP_SEND_ANSWER);
    if (send->status != status || !strstr(send->text, text)) {
        fail_msg("status %d: %s\nwanted status %d and: %s", send->status, send->text, status,
                 text);
    }
}

void expect_reply_without(const struct mcp_scene *scene, const char *text)
{
    if (strstr(talk_last(scene)->text, text)) {
        fail_msg("%s\nhas: %s", talk_last(scene)->text, text);
    }
}

const char *modern(const char *id, const char *method, const char *members)
{
    static char text[8192];

    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\",\"params\":{"
             META "%s}}", id, method, members);
    return text;
}

const char *plain(const char *id, const char *method, const char *params)
{
    static char text[8192];

    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\"%s%s}", id,
             method, params[0] ? ",\"params\":" : "", params);
    return text;
}
