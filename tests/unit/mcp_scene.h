/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp_scene.h - a protocol machine whose messages are kept, for tests to look at. */
#ifndef HONE_TESTS_MCP_SCENE_H
#define HONE_TESTS_MCP_SCENE_H

#include "serve/mcp.h"

enum { SCENE_SENDS_MAX = 64 };

struct mcp_scene {
    struct mcp mcp;
    struct mcp_scene_send {
        enum mcp_send_kind kind;
        uint64_t channel;
        int status;
        bool opens;
        char *text;
    } sends[SCENE_SENDS_MAX];
    uint32_t count;
};

/* one_stream: stdio. world may be NULL. */
void talk_open(struct mcp_scene *scene, const struct mcp_tool *const *tools, bool one_stream,
                void *world);
void talk_close(struct mcp_scene *scene);
void talk_forget(struct mcp_scene *scene); /* what was sent so far */

/* Takes a message at the time now_ms; headers NULL: stdio. What was sent before is forgotten. */
void talk_take(struct mcp_scene *scene, uint64_t channel, const char *text,
                const struct mcp_headers *headers, uint64_t now_ms);

/* The newest send; fails the test when there is none. */
const struct mcp_scene_send *talk_last(const struct mcp_scene *scene);

/* Exactly one answer came, of this status, and holds (or does not hold) the text. */
void expect_reply(const struct mcp_scene *scene, int status, const char *text);
void expect_reply_without(const struct mcp_scene *scene, const char *text);

/* A modern request: its params beside _meta are given as members with a comma in front, or "". */
const char *modern(const char *id, const char *method, const char *members);
/* One without _meta. */
const char *plain(const char *id, const char *method, const char *params);

#define META                                                                                     \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                      \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

#endif
