/* SPDX-License-Identifier: Apache-2.0
 *
 * codex_stream.c - the stream of `codex exec --json`.
 *
 *    thread.started, turn.started, item.started, item.completed ..., turn.completed | turn.failed
 *
 * 1. The answer is the last message of a turn that was completed. What a failed turn said before is
 *    none.
 * 2. usage is the running total of the thread: the last one counts.
 * 3. An event "error" is no end: the program tries again, and says what it is in trouble with. Only
 *    turn.failed is one.
 * 4. Codex has no field for the kind of an error. What turn.failed says is the program's own
 *    sentence, where no model and no file under review has a word: its fixed beginnings, and the
 *    number of HTTP in them, are taken for that field.
 * 5. An item counts when it is completed; one that the sandbox refused is never completed. */
#include "format/stream/reading_parts.h"
#include "format/stream/item.h"

static const struct {
    const char *beginning;
    enum reading_end end;
} sentences[] = {
    { "You\xe2\x80\x99ve hit your usage limit", READING_RATE },
    { "You've hit your usage limit", READING_RATE },
    { "Quota exceeded.", READING_CREDIT },
    { "We\xe2\x80\x99re currently experiencing high demand", READING_OVERLOAD },
    { "We're currently experiencing high demand", READING_OVERLOAD },
    { "Selected model is at capacity", READING_OVERLOAD },
    { "stream disconnected before completion", READING_NETWORK },
    { "Connection failed", READING_NETWORK },
    { "request timed out", READING_NETWORK },
    { "Missing environment variable", READING_LOGIN },
};

/* The number behind the beginning, where the sentence has both. */
static bool status_behind(struct str sentence, struct str beginning, uint64_t *status)
{
    struct str rest, word;

    if (!str_starts(sentence, beginning)) return false;
    rest = str_skip(sentence, beginning.size);
    return str_cut(&rest, ' ', &word) && str_number(word, status);
}

/* *status: that of HTTP, where the sentence has one; else 0. */
static enum reading_end by_sentence(struct str sentence, uint64_t *status)
{
    *status = 0;
    for (uint32_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        if (str_starts(sentence, str_of(sentences[i].beginning))) return sentences[i].end;
    }
    if (status_behind(sentence, STR("exceeded retry limit, last status: "), status) ||
        status_behind(sentence, STR("unexpected status "), status)) {
        return stream_http(*status);
    }
    return READING_OTHER;
}

/* "Reconnecting... 1/5 (SENTENCE)" */
static void on_error(struct stream *stream, yyjson_val *event)
{
    struct str sentence = json_str(event, "message"), front;
    enum reading_end end;
    uint64_t status;

    if (!str_starts(sentence, STR("Reconnecting... ")) || !str_has(sentence, '(')) return;
    (void)str_cut(&sentence, '(', &front);
    end = by_sentence(sentence, &status);
    stream->trouble = end == READING_OTHER ? READING_NETWORK : end;
}

static void on_failed(struct stream *stream, yyjson_val *event)
{
    struct str sentence = json_str(yyjson_obj_get(event, "error"), "message");
    uint64_t status;
    enum reading_end end = by_sentence(sentence, &status);

    if (sentence.size == 0) sentence = STR("the turn failed, and it does not say why");
    stream_fails(stream, end, sentence);
    if (status != 0) stream->reading.permanent = stream_http_is_final(status);
}

static void on_completed(struct stream *stream, yyjson_val *event)
{
    yyjson_val *usage = yyjson_obj_get(event, "usage");
    struct reading *reading = &stream->reading;

    (void)json_uint(usage, "input_tokens", &reading->usage.tokens_in);
    (void)json_uint(usage, "cached_input_tokens", &reading->tokens_cached);
    (void)json_uint(usage, "output_tokens", &reading->usage.tokens_out);
    if (stream->stale) {
        stream_fails(stream, READING_MISSING, STR("its turn ended without a message"));
    } else {
        stream_succeeds(stream);
    }
}

static void on_file_change(struct stream *stream, yyjson_val *item)
{
    yyjson_arr_iter changes = yyjson_arr_iter_with(yyjson_obj_get(item, "changes"));
    yyjson_val *change;

    if (!str_is(json_str(item, "status"), "completed")) return;
    while ((change = yyjson_arr_iter_next(&changes))) {
        stream_touched(stream, json_str(change, "path"), true);
    }
}

static bool on_item(struct stream *stream, yyjson_val *item)
{
    struct str type = json_str(item, "type");
    struct reading *reading = &stream->reading;
    uint64_t status;

    if (str_is(type, "agent_message")) {
        buf_clear(&stream->answer);
        buf_add(&stream->answer, json_str(item, "text"));
        stream->stale = false;
        return true;
    }
    if (str_is(type, "reasoning") || str_is(type, "error") || str_is(type, "todo_list")) {
        return true;
    }
    stream_add(&reading->tool_calls, 1);
    if (str_is(type, "command_execution")) {
        stream_add(&reading->commands, 1);
        if (json_uint(item, "exit_code", &status) && stream_status_ran(status)) {
            stream_ran(stream, json_str(item, "command"));
        }
    } else if (str_is(type, "file_change")) {
        on_file_change(stream, item);
    } else if (!str_is(type, "mcp_tool_call") && !str_is(type, "collab_tool_call") &&
               !str_is(type, "web_search")) {
        reading->tool_calls--;
        return false;
    }
    return true;
}

static bool on_event(struct stream *stream, yyjson_val *event)
{
    struct str type = json_str(event, "type");
    struct str item = json_str(yyjson_obj_get(event, "item"), "type");

    if (item.size > 0 && !str_is(item, "error")) {
        stream->reading.answered = true;
        stream->trouble = READING_OK;
    }
    if (str_is(type, "item.completed")) return on_item(stream, yyjson_obj_get(event, "item"));
    if (str_is(type, "turn.started")) {
        stream_add(&stream->reading.turns, 1);
        stream->stale = true;
    } else if (str_is(type, "turn.completed")) {
        on_completed(stream, event);
    } else if (str_is(type, "turn.failed")) {
        on_failed(stream, event);
    } else if (str_is(type, "error")) {
        on_error(stream, event);
    } else {
        return str_is(type, "thread.started") || str_is(type, "item.started") ||
               str_is(type, "item.updated");
    }
    return true;
}

/* What a tool is called here; empty: the item is no call. */
static struct str tool_of(struct str type, yyjson_val *item)
{
    if (str_is(type, "file_change")) return STR("edit");
    if (str_is(type, "mcp_tool_call") || str_is(type, "collab_tool_call")) {
        return json_str(item, "tool");
    }
    if (str_is(type, "web_search")) return STR("search");
    return str_is(type, "command_execution") ? STR("run") : (struct str){ "", 0 };
}

/* A call as it begins, and with what came of it: both tell all of it, for the first may be all that
 * there is. */
static void call_items(struct items *items, struct str type, yyjson_val *item, bool ended)
{
    yyjson_val *change = yyjson_arr_get_first(yyjson_obj_get(item, "changes"));
    yyjson_val *status = yyjson_obj_get(item, "exit_code");
    struct str error = json_str(yyjson_obj_get(item, "error"), "message");
    struct item call = { .kind = ended ? ITEM_RESULT : ITEM_TOOL, .id = json_str(item, "id"),
                         .told_again = !ended, .tool = tool_of(type, item) };

    if (call.tool.size == 0) return;
    call.about = str_is(type, "file_change") ? json_str(change, "path")
               : str_is(type, "mcp_tool_call") ? json_str(item, "server") : item_about(item);
    if (!ended) {
        call.text = json_str(item, "command");
        if (call.text.size == 0) call.text = item_value(items, yyjson_obj_get(item, "arguments"));
        if (call.text.size == 0) call.text = item_value(items, yyjson_obj_get(item, "changes"));
        if (call.text.size == 0) call.text = json_str(item, "prompt");
    } else {
        call.failed = str_is(json_str(item, "status"), "failed") || error.size > 0 ||
                      (yyjson_is_int(status) && yyjson_get_sint(status) != 0);
        call.text = json_str(item, "aggregated_output");
        if (call.text.size == 0) call.text = error;
        if (call.text.size == 0) {
            yyjson_val *result = yyjson_obj_get(item, "result");
            yyjson_val *content = yyjson_obj_get(result, "content");

            call.text = item_value(items, content ? content : result);
        }
    }
    items->visit(items->context, &call);
}

static void event_items(struct items *items, yyjson_val *event)
{
    yyjson_val *item = yyjson_obj_get(event, "item");
    struct str type = json_str(event, "type"), kind = json_str(item, "type");

    if (str_is(type, "item.started")) {
        call_items(items, kind, item, false);
    } else if (str_is(type, "item.completed") && str_is(kind, "agent_message")) {
        item_text(items, ITEM_SAID, json_str(item, "text"), false);
    } else if (str_is(type, "item.completed") && str_is(kind, "reasoning")) {
        item_text(items, ITEM_THOUGHT, json_str(item, "text"), false);
    } else if (str_is(type, "item.completed") && str_is(kind, "error")) {
        item_trouble(items, json_str(item, "message"));
    } else if (str_is(type, "item.completed")) {
        call_items(items, kind, item, true);
    } else if (str_is(type, "turn.failed")) {
        item_trouble(items, json_str(yyjson_obj_get(event, "error"), "message"));
    } else if (str_is(type, "error")) {
        item_trouble(items, json_str(event, "message"));
    }
}

const struct stream_kind codex_stream = {
    .program = "Codex",
    .event = on_event,
    .items = event_items,
};
