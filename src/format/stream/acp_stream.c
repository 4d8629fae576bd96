/* SPDX-License-Identifier: Apache-2.0
 *
 * acp_stream.c - what an agent sent over the Agent Client Protocol, a message in a line.
 *
 * 1. The answer is the last message, put together: one ends where a tool is called or another id
 *    begins. It counts when the prompt was answered with "end_turn".
 * 2. The class of an error is the code of JSON-RPC: that of a login, or a status of HTTP.
 * 3. A call counts when it is completed. Its kind may have come with its beginning only.
 * 4. Requests to us are known and nothing more: agent/acp.c has answered them. But a file that was
 *    asked for was shown. */
#include "format/stream/reading_parts.h"

#include "base/hash.h"
#include "format/stream/acp.h"
#include "format/stream/item.h"
#include "format/text/words.h"

static enum call_kind kind_of(struct str word)
{
    if (str_is(word, "read")) return CALL_READ;
    if (str_is(word, "search")) return CALL_SEARCH;
    if (str_is(word, "execute")) return CALL_EXECUTE;
    if (str_is(word, "edit") || str_is(word, "delete") || str_is(word, "move")) return CALL_WRITE;
    return CALL_OTHER;
}

/* A text, or a list whose last word is what its shell runs. Gemini has the command as the call's
 * title, and no rawInput. */
static struct str command_of(yyjson_val *update)
{
    yyjson_val *input = yyjson_obj_get(update, "rawInput");
    yyjson_val *command = yyjson_obj_get(input, "command");

    if (!input && kind_of(json_str(update, "kind")) == CALL_EXECUTE)
        return json_str(update, "title");
    return json_value(yyjson_is_arr(command) ? yyjson_arr_get_last(command) : command);
}

static void on_tool(struct stream *stream, yyjson_val *update)
{
    struct str id = json_str(update, "toolCallId");
    struct str kind = json_str(update, "kind"), status = json_str(update, "status");
    yyjson_val *place = yyjson_arr_get_first(yyjson_obj_get(update, "locations"));

    if (kind.size > 0 && !stream_has_call(stream, id)) {
        bool runs = kind_of(kind) == CALL_EXECUTE;

        stream_call(stream, id, kind_of(kind), runs ? STR("") : json_str(place, "path"));
        stream->stale = true;
    }
    stream_call_text(stream, id, command_of(update));
    if (str_is(status, "completed") || str_is(status, "failed")) {
        stream_result(stream, id, str_is(status, "completed"));
    }
}

static void on_chunk(struct stream *stream, yyjson_val *update)
{
    uint64_t message = hash_text(HASH_START, json_str(update, "messageId"));

    if (stream->stale || message != stream->message_id) buf_clear(&stream->answer);
    stream->message_id = message;
    stream->stale = false;
    buf_add(&stream->answer, json_str(yyjson_obj_get(update, "content"), "text"));
}

static void on_usage(struct stream *stream, yyjson_val *update)
{
    yyjson_val *cost = yyjson_obj_get(update, "cost");

    if (!str_is(json_str(cost, "currency"), "USD")) return;
    stream->reading.cost_known = stream_micros(yyjson_obj_get(cost, "amount"),
                                               &stream->reading.usage.cost_micros);
}

static bool on_update(struct stream *stream, yyjson_val *update)
{
    static const char *const others[] = {
        "user_message_chunk", "agent_thought_chunk", "plan", "available_commands_update",
        "current_mode_update", "config_option_update", "session_info_update", "notice",
        "compaction_update", "compaction_summary_chunk", NULL,
    };
    struct str kind = json_str(update, "sessionUpdate");

    if (str_starts(kind, STR("agent_")) || str_starts(kind, STR("tool_call")) ||
        str_is(kind, "plan")) {
        stream->reading.answered = true;
    }
    if (str_is(kind, "agent_message_chunk")) {
        on_chunk(stream, update);
    } else if (str_is(kind, "tool_call") || str_is(kind, "tool_call_update")) {
        on_tool(stream, update);
    } else if (str_is(kind, "usage_update")) {
        on_usage(stream, update);
    } else {
        return text_is_one_of(kind, others);
    }
    return true;
}

/* Agents differ in whether what was cached is part of inputTokens; the total has all. */
static void take_usage(struct reading *reading, yyjson_val *result)
{
    yyjson_val *usage = yyjson_obj_get(result, "usage");
    yyjson_val *quota = yyjson_obj_get(yyjson_obj_get(result, "_meta"), "quota");
    yyjson_val *counts = yyjson_obj_get(quota, "token_count");
    uint64_t total;

    if (json_uint(usage, "inputTokens", &reading->usage.tokens_in)) {
        (void)json_uint(usage, "outputTokens", &reading->usage.tokens_out);
        (void)json_uint(usage, "cachedReadTokens", &reading->tokens_cached);
        if (json_uint(usage, "totalTokens", &total) && total > reading->usage.tokens_out) {
            reading->usage.tokens_in = total - reading->usage.tokens_out;
        }
    } else {
        (void)json_uint(counts, "input_tokens", &reading->usage.tokens_in);
        (void)json_uint(counts, "output_tokens", &reading->usage.tokens_out);
    }
}

static void on_prompted(struct stream *stream, yyjson_val *result)
{
    struct str reason = json_str(result, "stopReason");

    take_usage(&stream->reading, result);
    stream_add(&stream->reading.turns, 1);
    if (!str_is(reason, "end_turn")) {
        enum reading_end end = str_is(reason, "refusal") ? READING_REFUSED
                             : str_is(reason, "max_turn_requests") ? READING_BUDGET
                             : reason.size > 0 ? READING_OTHER : READING_PROTOCOL;
        stream_fails(stream, end, reason.size > 0 ? reason : STR("it does not say why it ended"));
    } else if (stream->stale || stream->answer.size == 0) {
        stream_fails(stream, READING_MISSING, STR("it ended its turn without a message"));
    } else {
        stream_succeeds(stream);
    }
}

static void on_error(struct stream *stream, yyjson_val *error)
{
    int64_t code = yyjson_get_sint(yyjson_obj_get(error, "code"));
    struct str message = json_str(error, "message");
    bool http = code >= 400 && code <= 599;

    if (message.size == 0) message = STR("it answered with an error and does not say which");
    stream_fails(stream, code == ACP_LOGIN_NEEDED ? READING_LOGIN
                       : http ? stream_http((uint64_t)code) : READING_OTHER, message);
    if (http) stream->reading.permanent = stream_http_is_final((uint64_t)code);
}

static bool on_answer(struct stream *stream, yyjson_val *event)
{
    yyjson_val *error = yyjson_obj_get(event, "error"), *result = yyjson_obj_get(event, "result");
    struct str model = json_str(yyjson_obj_get(result, "models"), "currentModelId");
    uint64_t id;

    if (!json_uint(event, "id", &id)) return false;
    if (id == ACP_MODE) return true;
    if (error) {
        on_error(stream, error);
    } else if (id == ACP_PROMPT) {
        on_prompted(stream, result);
    } else if (model.size > 0) {
        stream_text(&stream->model, model);
    }
    return true;
}

static bool on_event(struct stream *stream, yyjson_val *event)
{
    struct str method = json_str(event, "method");

    if (!method.data) return on_answer(stream, event);
    if (str_is(method, "session/update")) {
        return on_update(stream, yyjson_obj_get(yyjson_obj_get(event, "params"), "update"));
    }
    if (str_is(method, "fs/read_text_file")) {
        stream_shown(stream, json_str(yyjson_obj_get(event, "params"), "path"));
        return true;
    }
    return str_is(method, "session/request_permission") || str_is(method, "fs/write_text_file");
}

/* A call: what it is about stands in its places, its input or its title. */
static void call_item(struct items *items, yyjson_val *update)
{
    yyjson_val *place = yyjson_arr_get_first(yyjson_obj_get(update, "locations"));
    yyjson_val *input = yyjson_obj_get(update, "rawInput");
    struct str title = json_str(update, "title"), path = json_str(place, "path");
    struct item item = {
        .kind = ITEM_TOOL, .id = json_str(update, "toolCallId"),
        .tool = title.size > 0 ? title : STR("a tool"),
        .about = path.size > 0 ? path : item_about(input), .text = item_value(items, input),
    };

    items->visit(items->context, &item);
}

/* Of an update only the end is told. */
static void end_item(struct items *items, yyjson_val *update)
{
    struct str status = json_str(update, "status");
    yyjson_val *output = yyjson_obj_get(update, "rawOutput");
    yyjson_val *terminal = yyjson_obj_get(yyjson_obj_get(update, "_meta"),
                                          "terminal_output_delta");
    struct str said = json_str(output, "aggregated_output");
    struct item item = { .kind = ITEM_RESULT, .id = json_str(update, "toolCallId"),
                         .failed = str_is(status, "failed") };

    if (!item.failed && !str_is(status, "completed")) return;
    item.text = said.size > 0 ? said : item_value(items, output);
    if (item.text.size == 0) item.text = item_value(items, yyjson_obj_get(update, "content"));
    if (item.text.size == 0) item.text = json_str(terminal, "data");
    items->visit(items->context, &item);
}

static void event_items(struct items *items, yyjson_val *event)
{
    yyjson_val *update = yyjson_obj_get(yyjson_obj_get(event, "params"), "update");
    struct str kind = json_str(update, "sessionUpdate");
    struct str text = json_str(yyjson_obj_get(update, "content"), "text");

    if (str_is(kind, "agent_message_chunk")) {
        item_text(items, ITEM_SAID, text, true);
    } else if (str_is(kind, "agent_thought_chunk")) {
        item_text(items, ITEM_THOUGHT, text, true);
    } else if (str_is(kind, "tool_call")) {
        call_item(items, update);
    } else if (str_is(kind, "tool_call_update")) {
        end_item(items, update);
    } else if (yyjson_obj_get(event, "error")) {
        item_trouble(items, json_str(yyjson_obj_get(event, "error"), "message"));
    }
}

const struct stream_kind acp_stream = {
    .program = "the agent",
    .event = on_event,
    .items = event_items,
};
