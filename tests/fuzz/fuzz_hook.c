/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_hook.c - any bytes as what a host says to a hook. What must hold for all of them:
 *
 * 1. What is refused says why in one line, leaves nothing but an event, and is no JSON object.
 * 2. What is read lies in the text, and all that can be asked for ends.
 * 3. The same text with the answer of the first reading as its argument says the same event.
 * 4. Any answer made of its texts is one JSON object of valid UTF-8, and holds the text. */
#include "format/hook.h"
#include "format/text/utf8.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_view(const struct buf *text, struct str view)
{
    if (view.size == 0) return;
    assert(view.data >= text->data && view.size <= text->size);
    assert((size_t)(view.data - text->data) <= text->size - view.size);
}

static void check_lists(const struct hook_input *in, const struct buf *text)
{
    struct hook_paths paths = { 0 };
    struct hook_tasks tasks = { 0 };
    struct hook_task task;
    struct str path;
    size_t count = 0;

    while (hook_path_next(in, &paths, &path)) {
        assert(path.size > 0 && ++count <= text->size);
        check_view(text, path);
    }
    assert(count == 0 || in->tool.kind == HOOK_TOOL_EDIT);
    for (count = 0; hook_task_next(in, &tasks, &task); count++) {
        assert(count <= text->size);
        check_view(text, task.agent_type);
    }
}

/* Whether the member is there, and is the text where the text is UTF-8. */
static void check_answer(struct buf *out, const char *outer, const char *key, struct str wanted)
{
    yyjson_doc *doc;
    yyjson_val *root;
    struct err err;

    assert(!out->overflow && utf8_prefix(buf_str(out)) == out->size);
    assert(json_read(buf_str(out), &doc, &err) == 0);
    root = yyjson_doc_get_root(doc);
    if (outer) root = yyjson_obj_get(root, outer);
    assert(yyjson_is_str(yyjson_obj_get(root, key)));
    if (utf8_prefix(wanted) == wanted.size) assert(str_eq(json_str(root, key), wanted));
    yyjson_doc_free(doc);
    buf_clear(out);
}

static void check_answers(struct str text, enum hook_event event)
{
    struct buf out;

    buf_init(&out, 64 + 6 * text.size + 200);
    hook_deny(&out, text);
    check_answer(&out, "hookSpecificOutput", "permissionDecisionReason", text);
    hook_block(&out, text);
    check_answer(&out, NULL, "reason", text);
    hook_tell(&out, text);
    check_answer(&out, NULL, "systemMessage", text);
    hook_context(&out, event, text);
    check_answer(&out, "hookSpecificOutput", "additionalContext", text);
    buf_release(&out);
}

static void check_names(struct str text)
{
    struct hook_command command;
    struct str role = hook_role(text), plugin = hook_plugin(text);

    assert(role.size + plugin.size <= text.size && !str_has(role, ':'));
    if (hook_command_read(&command, text)) {
        assert(command.plugin.size && command.verb.size && command.rest.size < text.size);
    }
    assert(hook_event_of(text) < HOOK_EVENT_COUNT);
}

static void check_refused(struct hook_input *in, const struct err *err, struct str before)
{
    yyjson_doc *doc;
    struct err again;

    assert(err->code == ERR_FORMAT && err->text[0] && !strchr(err->text, '\n'));
    assert(in->session_id.size == 0 && in->tool.name.size == 0);
    if (json_read(before, &doc, &again) == 0) {
        assert(!yyjson_is_obj(yyjson_doc_get_root(doc)));
        yyjson_doc_free(doc);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = { (const char *)data, size };
    struct hook_input in, again;
    struct buf text, copy;
    struct err err = { 0 };

    buf_init(&text, HOOK_TEXT_BYTES_MAX);
    buf_init(&copy, HOOK_TEXT_BYTES_MAX);
    buf_add(&text, bytes);
    buf_add(&copy, bytes);
    if (hook_read(&in, &text, (struct str){ 0 }, &err) != 0) {
        check_refused(&in, &err, bytes);
    } else {
        check_view(&text, in.session_id);
        check_view(&text, in.agent_type);
        check_view(&text, in.tool.command);
        check_lists(&in, &text);
        check_answers(in.last_message.size ? in.last_message : in.prompt, in.event);
        check_names(in.agent_type);
        check_names(in.prompt);
    }
    check_names(bytes);
    (void)hook_read(&again, &copy, str_of(hook_event_name(in.event)), &err);
    assert(again.event == in.event);
    hook_release(&again);
    hook_release(&in);
    buf_release(&copy);
    buf_release(&text);
    return 0;
}
