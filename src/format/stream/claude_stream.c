/* SPDX-License-Identifier: Apache-2.0
 *
 * claude_stream.c - the stream of `claude -p --output-format stream-json --verbose`.
 *
 *    system/init, assistant and user lines (a tool's call, its result), system/api_retry,
 *    rate_limit_event, ... result
 *
 * 1. An end is judged by is_error, terminal_reason and what the result holds. Its subtype is not
 *    looked at: it says "success" of an API error.
 * 2. The class of an error comes from api_error_status, api_error, terminal_reason, stop_reason and
 *    the error word of a message that the program made itself. No text is searched for words.
 * 3. There may be several results, one for each turn. Costs are sums of the session and the last
 *    result has them all; the last one is the answer.
 * 4. A call of StructuredOutput is the answer, and no work. */
#include "format/stream/reading_parts.h"
#include "format/stream/item.h"

#include <stdlib.h>
#include <string.h>

/* ---- what was done ---- */

static const struct {
    const char *name;
    enum call_kind kind;
    const char *path; /* the member of its input that names a file, or is the command */
} tools[] = {
    { "Bash", CALL_COMMAND, "command" },
    { "Read", CALL_READ, "file_path" },
    { "NotebookRead", CALL_READ, "notebook_path" },
    { "Grep", CALL_READ, "path" },
    { "Edit", CALL_WRITE, "file_path" },
    { "MultiEdit", CALL_WRITE, "file_path" },
    { "Write", CALL_WRITE, "file_path" },
    { "NotebookEdit", CALL_WRITE, "notebook_path" },
    { "StructuredOutput", CALL_ANSWER, NULL },
};

enum { TOOL_COUNT = sizeof tools / sizeof *tools };

static void on_tool_use(struct stream *stream, yyjson_val *block)
{
    struct str name = json_str(block, "name");
    yyjson_val *input = yyjson_obj_get(block, "input");
    struct str path = { "", 0 };
    enum call_kind kind = CALL_OTHER;

    for (uint32_t i = 0; i < TOOL_COUNT; i++) {
        if (!str_is(name, tools[i].name)) continue;
        kind = tools[i].kind;
        if (tools[i].path) path = json_str(input, tools[i].path);
    }
    /* Without that mode it tells names, or counts. */
    if (str_is(name, "Grep") && !str_is(json_str(input, "output_mode"), "content")) {
        kind = CALL_SEARCH;
    }
    stream_call(stream, json_str(block, "id"), kind, path);
}

/* The words by which the program marks a message that it made itself, of an error. */
static const struct {
    const char *word;
    enum reading_end end;
} error_words[] = {
    { "authentication_failed", READING_LOGIN }, { "oauth_org_not_allowed", READING_LOGIN },
    { "account_on_hold", READING_LOGIN }, { "verification_required", READING_LOGIN },
    { "cloud_credential_error", READING_LOGIN }, { "billing_error", READING_CREDIT },
    { "rate_limit", READING_RATE }, { "overloaded", READING_OVERLOAD },
    { "server_error", READING_OVERLOAD }, { "connection_failed", READING_NETWORK },
};

static enum reading_end by_word(struct str word)
{
    for (uint32_t i = 0; i < sizeof error_words / sizeof *error_words; i++) {
        if (str_is(word, error_words[i].word)) return error_words[i].end;
    }
    return READING_OTHER;
}

static yyjson_arr_iter blocks_of(yyjson_val *event)
{
    return yyjson_arr_iter_with(yyjson_obj_get(yyjson_obj_get(event, "message"), "content"));
}

static void on_assistant(struct stream *stream, yyjson_val *event)
{
    yyjson_arr_iter blocks = blocks_of(event);
    struct str error = json_str(event, "error");
    yyjson_val *block;

    if (error.size > 0) {
        stream->trouble = by_word(error);
        return;
    }
    stream->trouble = READING_OK;
    stream->reading.answered = true;
    while ((block = yyjson_arr_iter_next(&blocks))) {
        if (str_is(json_str(block, "type"), "tool_use")) on_tool_use(stream, block);
    }
}

/* "Exit code 1", a line end, and what it said: the command ran. */
static bool has_run(yyjson_val *result)
{
    yyjson_val *content = yyjson_obj_get(result, "content");
    struct str text = yyjson_is_arr(content) ? json_str(yyjson_arr_get_first(content), "text")
                                             : json_value(content);
    struct str line;
    uint64_t status;

    if (!yyjson_get_bool(yyjson_obj_get(result, "is_error"))) return true;
    if (!str_starts(text, STR("Exit code "))) return false;
    text = str_skip(text, strlen("Exit code "));
    return str_cut(&text, '\n', &line) && str_number(line, &status) && stream_status_ran(status);
}

static void on_user(struct stream *stream, yyjson_val *event)
{
    yyjson_arr_iter blocks = blocks_of(event);
    yyjson_val *block;

    while ((block = yyjson_arr_iter_next(&blocks))) {
        if (!str_is(json_str(block, "type"), "tool_result")) continue;
        stream_result(stream, json_str(block, "tool_use_id"), has_run(block));
    }
}

/* ---- the service ---- */

static void on_system(struct stream *stream, yyjson_val *event)
{
    struct str subtype = json_str(event, "subtype");
    struct str model = json_str(event, "model");
    uint64_t status;

    if (str_is(subtype, "init") && model.size > 0) stream_text(&stream->model, model);
    if (!str_is(subtype, "api_retry")) return;
    if (json_uint(event, "error_status", &status)) {
        stream->trouble = stream_http(status);
    } else {
        stream->trouble = by_word(json_str(event, "error"));
        if (stream->trouble == READING_OTHER) stream->trouble = READING_NETWORK;
    }
}

/* When a subscription's limit ends. "resetsAt" is in seconds. */
static void on_rate_limit(struct stream *stream, yyjson_val *event)
{
    yyjson_val *info = yyjson_obj_get(event, "rate_limit_info");
    uint64_t reset_s;

    if (!str_is(json_str(info, "status"), "rejected")) {
        stream->reset_at_ms = 0;
    } else if (json_uint(info, "resetsAt", &reset_s) && reset_s <= UINT64_MAX / 1000) {
        stream->reset_at_ms = reset_s * 1000;
    }
}

/* ---- the result ---- */

static void take_tokens(struct reading *reading, yyjson_val *of, const char *const keys[4])
{
    uint64_t number;

    if (json_uint(of, keys[0], &number)) stream_add(&reading->usage.tokens_in, number);
    if (json_uint(of, keys[1], &number)) stream_add(&reading->usage.tokens_in, number);
    if (json_uint(of, keys[2], &number)) {
        stream_add(&reading->usage.tokens_in, number);
        stream_add(&reading->tokens_cached, number);
    }
    if (json_uint(of, keys[3], &number)) stream_add(&reading->usage.tokens_out, number);
}

/* modelUsage has the helpers' tokens too; usage has the main loop's alone. */
static void take_usage(struct stream *stream, yyjson_val *event)
{
    static const char *const of_model[] = { "inputTokens", "cacheCreationInputTokens",
                                            "cacheReadInputTokens", "outputTokens" };
    static const char *const of_turn[] = { "input_tokens", "cache_creation_input_tokens",
                                           "cache_read_input_tokens", "output_tokens" };
    struct reading *reading = &stream->reading;
    yyjson_val *models = yyjson_obj_get(event, "modelUsage"), *name;
    yyjson_obj_iter names = yyjson_obj_iter_with(models);

    reading->usage = (struct usage){ 0 };
    reading->tokens_cached = 0;
    while ((name = yyjson_obj_iter_next(&names))) {
        if (stream->model.size == 0) {
            stream_text(&stream->model, json_value(name));
        }
        take_tokens(reading, yyjson_obj_iter_get_val(name), of_model);
    }
    if (yyjson_obj_size(models) == 0) {
        take_tokens(reading, yyjson_obj_get(event, "usage"), of_turn);
    }
    reading->cost_known = stream_micros(yyjson_obj_get(event, "total_cost_usd"),
                                        &reading->usage.cost_micros);
    (void)json_uint(event, "num_turns", &reading->turns);
    (void)json_uint(event, "duration_ms", &reading->duration_ms);
}

/* A call that was not allowed was not made. */
static void take_denials(struct stream *stream, yyjson_val *event)
{
    yyjson_arr_iter denials = yyjson_arr_iter_with(yyjson_obj_get(event, "permission_denials"));
    yyjson_val *denial;

    while ((denial = yyjson_arr_iter_next(&denials))) {
        if (!str_is(json_str(denial, "tool_name"), "Bash")) continue;
        if (stream->reading.commands > 0) stream->reading.commands--;
    }
}

static struct str error_text(yyjson_val *event)
{
    yyjson_val *first = yyjson_arr_get_first(yyjson_obj_get(event, "errors"));
    struct str text = json_str(event, "result");

    if (text.size == 0 && yyjson_is_str(first)) {
        text = json_value(first);
    }
    if (text.size == 0) text = json_str(event, "terminal_reason");
    return text.size > 0 ? text : STR("it ended with an error and does not say which");
}

static void take_error(struct stream *stream, yyjson_val *event)
{
    struct str reason = json_str(event, "terminal_reason");
    struct str message = error_text(event);
    enum reading_end end = stream->trouble;
    uint64_t status = 0;

    if (json_uint(event, "api_error_status", &status)) {
        stream_fails(stream, stream_http(status), message);
        stream->reading.permanent = stream_http_is_final(status);
        return;
    }
    if (str_is(json_str(event, "stop_reason"), "refusal")) {
        end = READING_REFUSED;
    } else if (json_str(event, "api_error").size > 0) {
        end = by_word(json_str(event, "api_error"));
    } else if (str_is(reason, "budget_exhausted") || str_is(reason, "max_turns")) {
        end = READING_BUDGET;
    } else if (str_is(reason, "blocking_limit")) {
        end = READING_RATE;
    }
    stream_fails(stream, end == READING_OK ? READING_OTHER : end, message);
}

/* The JSON of a schema, or the text. */
static void take_answer(struct stream *stream, yyjson_val *event)
{
    yyjson_val *object = yyjson_obj_get(event, "structured_output");
    struct str text = json_str(event, "result");
    char *json;
    size_t size;

    buf_clear(&stream->answer);
    stream->reading.structured = yyjson_is_ctn(object);
    if (stream->reading.structured) {
        json = yyjson_val_write(object, YYJSON_WRITE_NOFLAG, &size);
        if (json) buf_add(&stream->answer, (struct str){ json, size });
        free(json);
    } else if (text.data) {
        buf_add(&stream->answer, text);
    } else {
        stream_fails(stream, READING_MISSING, STR("its result has no text"));
    }
}

static void on_result(struct stream *stream, yyjson_val *event)
{
    yyjson_val *is_error = yyjson_obj_get(event, "is_error");
    struct str reason = json_str(event, "terminal_reason");

    take_usage(stream, event);
    take_denials(stream, event);
    if (!yyjson_is_bool(is_error)) {
        stream_fails(stream, READING_PROTOCOL, STR("its result does not say whether it failed"));
    } else if (yyjson_get_bool(is_error)) {
        take_error(stream, event);
    } else if (str_is(json_str(event, "stop_reason"), "refusal")) {
        stream_fails(stream, READING_REFUSED, STR("the model refused to answer"));
    } else if (reason.size > 0 && !str_is(reason, "completed")) {
        stream_fails(stream, READING_OTHER, reason);
    } else {
        stream_succeeds(stream);
        take_answer(stream, event);
    }
}

static bool on_event(struct stream *stream, yyjson_val *event)
{
    static const struct stream_type types[] = {
        { "system", on_system }, { "assistant", on_assistant }, { "user", on_user },
        { "result", on_result }, { "rate_limit_event", on_rate_limit },
        { "stream_event", NULL }, { "tool_progress", NULL }, { "auth_status", NULL },
        { NULL, NULL },
    };

    return stream_take(stream, event, types);
}

static void assistant_item(struct items *items, yyjson_val *block)
{
    struct str kind = json_str(block, "type");

    if (str_is(kind, "text")) {
        item_text(items, ITEM_SAID, json_str(block, "text"), false);
    } else if (str_is(kind, "thinking")) {
        item_text(items, ITEM_THOUGHT, json_str(block, "thinking"), false);
    } else if (str_is(kind, "redacted_thinking")) {
        item_text(items, ITEM_THOUGHT, STR("(not shown by its service)"), false);
    } else if (str_is(kind, "tool_use")) {
        item_call(items, json_str(block, "id"), json_str(block, "name"),
                  yyjson_obj_get(block, "input"));
    }
}

static void event_items(struct items *items, yyjson_val *event)
{
    struct str type = json_str(event, "type");
    yyjson_arr_iter blocks = blocks_of(event);
    yyjson_val *block;

    if (str_is(type, "result") && yyjson_get_bool(yyjson_obj_get(event, "is_error"))) {
        item_trouble(items, error_text(event));
    }
    while (str_is(type, "assistant") && (block = yyjson_arr_iter_next(&blocks))) {
        assistant_item(items, block);
    }
    while (str_is(type, "user") && (block = yyjson_arr_iter_next(&blocks))) {
        if (!str_is(json_str(block, "type"), "tool_result")) continue;
        item_result(items, json_str(block, "tool_use_id"), yyjson_obj_get(block, "content"),
                    yyjson_get_bool(yyjson_obj_get(block, "is_error")));
    }
}

const struct stream_kind claude_stream = {
    .program = "Claude Code",
    .event = on_event,
    .items = event_items,
};
