/* SPDX-License-Identifier: Apache-2.0
 *
 * gemini_stream.c - the stream of `gemini -o stream-json`.
 *
 *    init, message (user; assistant in pieces), tool_use, tool_result, error ..., result
 *
 * 1. The answer is what the assistant said behind its last tool call, put together.
 * 2. The kind of an error is mostly "unknown"; the exit status then is that of HTTP, of which the
 *    system keeps the lower eight bits, or one of the program's own.
 * 3. An event "error" is no end. */
#include "format/stream/reading_parts.h"
#include "format/stream/item.h"

static const struct {
    const char *name;
    enum call_kind kind;
} tools[] = {
    { "run_shell_command", CALL_COMMAND }, { "read_file", CALL_READ },
    { "read_many_files", CALL_READ }, { "search_file_content", CALL_SEARCH },
    { "grep_search", CALL_SEARCH }, { "write_file", CALL_WRITE }, { "replace", CALL_WRITE },
};

static void on_tool_use(struct stream *stream, yyjson_val *event)
{
    struct str name = json_str(event, "tool_name");
    yyjson_val *parameters = yyjson_obj_get(event, "parameters");
    struct str path = json_str(parameters, "file_path");
    enum call_kind kind = CALL_OTHER;

    for (uint32_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        if (str_is(name, tools[i].name)) kind = tools[i].kind;
    }
    if (path.size == 0) path = json_str(parameters, "absolute_path");
    if (kind == CALL_COMMAND) path = json_str(parameters, "command");
    stream_call(stream, json_str(event, "tool_id"), kind, path);
    stream->stale = stream->reading.answered = true;
}

static void on_message(struct stream *stream, yyjson_val *event)
{
    if (!str_is(json_str(event, "role"), "assistant")) return;
    stream->reading.answered = true;
    if (stream->stale || !yyjson_get_bool(yyjson_obj_get(event, "delta"))) {
        buf_clear(&stream->answer);
    }
    stream->stale = false;
    buf_add(&stream->answer, json_str(event, "content"));
}

static void on_result(struct stream *stream, yyjson_val *event)
{
    yyjson_val *stats = yyjson_obj_get(event, "stats");
    struct reading *reading = &stream->reading;
    struct str status = json_str(event, "status");
    struct str message = json_str(yyjson_obj_get(event, "error"), "message");

    (void)json_uint(stats, "input_tokens", &reading->usage.tokens_in);
    (void)json_uint(stats, "output_tokens", &reading->usage.tokens_out);
    (void)json_uint(stats, "cached", &reading->tokens_cached);
    (void)json_uint(stats, "duration_ms", &reading->duration_ms);
    if (str_is(status, "success") && (stream->stale || stream->answer.size == 0)) {
        stream_fails(stream, READING_MISSING, STR("its result has no text"));
    } else if (str_is(status, "success")) {
        stream_succeeds(stream);
    } else if (str_is(status, "error")) {
        if (message.size == 0) message = STR("it ended with an error and does not say which");
        stream_fails(stream, READING_OTHER, message);
    } else {
        stream_fails(stream, READING_PROTOCOL, STR("its result does not say whether it failed"));
    }
}

static void on_init(struct stream *stream, yyjson_val *event)
{
    struct str model = json_str(event, "model");

    if (model.size > 0) stream_text(&stream->model, model);
}

static void on_tool_result(struct stream *stream, yyjson_val *event)
{
    stream_result(stream, json_str(event, "tool_id"), str_is(json_str(event, "status"), "success"));
}

static bool on_event(struct stream *stream, yyjson_val *event)
{
    static const struct stream_type types[] = {
        { "init", on_init }, { "message", on_message }, { "tool_use", on_tool_use },
        { "tool_result", on_tool_result }, { "result", on_result }, { "error", NULL },
        { NULL, NULL },
    };

    return stream_take(stream, event, types);
}

static enum reading_end by_status(int exit_status, bool *permanent)
{
    enum { EXIT_LOGIN = 41, EXIT_TURNS = 53, HTTP_LOWEST = 400, HTTP_HIGHEST = 511 };

    *permanent = exit_status == EXIT_LOGIN || exit_status == EXIT_TURNS;
    if (exit_status == EXIT_LOGIN) return READING_LOGIN;
    if (exit_status == EXIT_TURNS) return READING_BUDGET;
    for (int status = HTTP_LOWEST; status <= HTTP_HIGHEST; status++) {
        if ((status & 0xff) != exit_status) continue;
        *permanent = stream_http_is_final((uint64_t)status);
        return stream_http((uint64_t)status);
    }
    return READING_OTHER;
}

static void event_items(struct items *items, yyjson_val *event)
{
    struct str type = json_str(event, "type");
    yyjson_val *error = yyjson_obj_get(event, "error");

    if (str_is(type, "message") && str_is(json_str(event, "role"), "assistant")) {
        item_text(items, ITEM_SAID, json_str(event, "content"),
                  yyjson_get_bool(yyjson_obj_get(event, "delta")));
    } else if (str_is(type, "tool_use")) {
        item_call(items, json_str(event, "tool_id"), json_str(event, "tool_name"),
                  yyjson_obj_get(event, "parameters"));
    } else if (str_is(type, "tool_result")) {
        bool failed = !str_is(json_str(event, "status"), "success");

        item_result(items, json_str(event, "tool_id"),
                    failed && error ? yyjson_obj_get(error, "message")
                                    : yyjson_obj_get(event, "output"), failed);
    } else if (str_is(type, "error")) {
        item_trouble(items, json_str(event, "message"));
    } else if (str_is(type, "result") && str_is(json_str(event, "status"), "error")) {
        item_trouble(items, json_str(error, "message"));
    }
}

const struct stream_kind gemini_stream = {
    .program = "Gemini CLI",
    .event = on_event,
    .by_status = by_status,
    .items = event_items,
};
