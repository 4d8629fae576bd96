/* SPDX-License-Identifier: Apache-2.0
 *
 * suite_tools.c - the tools that the MCP conformance suite calls by name. */
#include "suite_tools.h"

enum { PAUSE_MS = 50, PROGRESS_STEP = 50, PROGRESS_END = 100 };

#define NO_ARGUMENTS "{\"type\":\"object\",\"additionalProperties\":false}"

/* A picture of one red point, and a sound of no length. */
#define PNG                                                                                      \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJ" \
    "ggg=="
#define WAV "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="

/* ---- content ---- */

static yyjson_mut_val *add_block(struct mcp_call *call, const char *type)
{
    yyjson_mut_val *block;

    if (!call->content) call->content = yyjson_mut_arr(call->doc);
    block = yyjson_mut_arr_add_obj(call->doc, call->content);
    yyjson_mut_obj_add_str(call->doc, block, "type", type);
    return block;
}

static void add_text(struct mcp_call *call, const char *text)
{
    yyjson_mut_obj_add_str(call->doc, add_block(call, "text"), "text", text);
}

static void add_data(struct mcp_call *call, const char *type, const char *data, const char *mime)
{
    yyjson_mut_val *block = add_block(call, type);

    yyjson_mut_obj_add_str(call->doc, block, "data", data);
    yyjson_mut_obj_add_str(call->doc, block, "mimeType", mime);
}

static void add_resource(struct mcp_call *call, const char *uri, const char *mime,
                         const char *text)
{
    yyjson_mut_val *resource;

    resource = yyjson_mut_obj_add_obj(call->doc, add_block(call, "resource"), "resource");
    yyjson_mut_obj_add_str(call->doc, resource, "uri", uri);
    yyjson_mut_obj_add_str(call->doc, resource, "mimeType", mime);
    yyjson_mut_obj_add_str(call->doc, resource, "text", text);
}

/* ---- calls ---- */

static enum mcp_state simple_text(struct mcp_call *call)
{
    add_text(call, "This is a simple text response for testing.");
    return MCP_DONE;
}

static enum mcp_state image(struct mcp_call *call)
{
    add_data(call, "image", PNG, "image/png");
    return MCP_DONE;
}

static enum mcp_state audio(struct mcp_call *call)
{
    add_data(call, "audio", WAV, "audio/wav");
    return MCP_DONE;
}

static enum mcp_state embedded(struct mcp_call *call)
{
    add_resource(call, "test://embedded-resource", "text/plain",
                 "This is an embedded resource content.");
    return MCP_DONE;
}

static enum mcp_state mixed(struct mcp_call *call)
{
    add_text(call, "Multiple content types test:");
    add_data(call, "image", PNG, "image/png");
    add_resource(call, "test://mixed-content-resource", "application/json",
                 "{\"test\":\"data\",\"value\":123}");
    return MCP_DONE;
}

static enum mcp_state failing(struct mcp_call *call)
{
    return mcp_error(call, "This tool intentionally returns an error for testing");
}

static enum mcp_state with_progress(struct mcp_call *call)
{
    uint64_t progress = (uint64_t)call->turn * PROGRESS_STEP;

    mcp_progress(call, progress, PROGRESS_END, NULL);
    call->wake_ms = call->now_ms + PAUSE_MS;
    if (progress < PROGRESS_END) return MCP_LATER;
    add_text(call, "Progress was reported.");
    return MCP_DONE;
}

static const struct mcp_tool test_simple_text = {
    .name = "test_simple_text", .title = "Simple text", .description = "Answers with a text",
    .input = NO_ARGUMENTS, .reads_only = true, .call = simple_text,
};
static const struct mcp_tool test_image_content = {
    .name = "test_image_content", .title = "Image", .description = "Answers with an image",
    .input = NO_ARGUMENTS, .reads_only = true, .call = image,
};
static const struct mcp_tool test_audio_content = {
    .name = "test_audio_content", .title = "Audio", .description = "Answers with a sound",
    .input = NO_ARGUMENTS, .reads_only = true, .call = audio,
};
static const struct mcp_tool test_embedded_resource = {
    .name = "test_embedded_resource", .title = "Resource", .description = "Answers with a resource",
    .input = NO_ARGUMENTS, .reads_only = true, .call = embedded,
};
static const struct mcp_tool test_multiple_content_types = {
    .name = "test_multiple_content_types", .title = "Several",
    .description = "Answers with a text, an image and a resource",
    .input = NO_ARGUMENTS, .reads_only = true, .call = mixed,
};
static const struct mcp_tool test_error_handling = {
    .name = "test_error_handling", .title = "Error", .description = "Answers with an error",
    .input = NO_ARGUMENTS, .reads_only = true, .call = failing,
};
static const struct mcp_tool test_tool_with_progress = {
    .name = "test_tool_with_progress", .title = "Progress", .description = "Reports its progress",
    .input = NO_ARGUMENTS, .reads_only = true, .call = with_progress,
};
static const struct mcp_tool test_missing_capability = {
    .name = "test_missing_capability", .title = "Capability",
    .description = "Wants a client that can do sampling",
    .input = NO_ARGUMENTS, .needs = "sampling", .reads_only = true, .call = simple_text,
};
static const struct mcp_tool test_streaming_elicitation = {
    .name = "test_streaming_elicitation", .title = "Stream", .description = "Takes some time",
    .input = NO_ARGUMENTS, .reads_only = true, .call = with_progress,
};
static const struct mcp_tool test_logging_tool = {
    .name = "test_logging_tool", .title = "Log", .description = "Logs nothing",
    .input = NO_ARGUMENTS, .reads_only = true, .call = simple_text,
};

const struct mcp_tool *const suite_tools[] = {
    &test_simple_text,
    &test_image_content,
    &test_audio_content,
    &test_embedded_resource,
    &test_multiple_content_types,
    &test_error_handling,
    &test_tool_with_progress,
    &test_missing_capability,
    &test_streaming_elicitation,
    &test_logging_tool,
    NULL,
};
