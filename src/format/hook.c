/* SPDX-License-Identifier: Apache-2.0
 *
 * hook.c - what a host tells a hook, and what a hook answers.
 *
 * The host runs hooks on every tool call, so reading must be fast: the text is read in place, and
 * paths and tasks are looked for only when the caller asks for them. What a tool is to write may be
 * megabytes; it is passed over once, by the parser.
 *
 * 1. No member of the input can make reading it fail. A gate that failed on a member that some
 *    version sends in another form would stop every tool of every session in sight.
 * 2. Nothing here recurses or grows with the input, so its depth and its lists do not matter.
 * 3. The two hosts' inputs differ in few members. Codex is the one that numbers its turns; where
 *    there is no turn, the one that names its model and its permissions together.
 * 4. The event is known even where the input is broken, if anything names it.
 * 5. An answer is one JSON value, made of any bytes.
 *
 * Not here: what follows from an event. */
#include "format/hook.h"

#include "base/byte.h"

#include <assert.h>
#include <string.h>

static const char *const event_names[HOOK_EVENT_COUNT] = {
    [HOOK_OTHER] = "",
    [HOOK_SESSION_START] = "SessionStart",
    [HOOK_SESSION_END] = "SessionEnd",
    [HOOK_USER_PROMPT_SUBMIT] = "UserPromptSubmit",
    [HOOK_PRE_TOOL_USE] = "PreToolUse",
    [HOOK_POST_TOOL_USE] = "PostToolUse",
    [HOOK_POST_TOOL_USE_FAILURE] = "PostToolUseFailure",
    [HOOK_POST_TOOL_BATCH] = "PostToolBatch",
    [HOOK_PERMISSION_REQUEST] = "PermissionRequest",
    [HOOK_SUBAGENT_START] = "SubagentStart",
    [HOOK_SUBAGENT_STOP] = "SubagentStop",
    [HOOK_STOP] = "Stop",
    [HOOK_STOP_FAILURE] = "StopFailure",
    [HOOK_PRE_COMPACT] = "PreCompact",
    [HOOK_POST_COMPACT] = "PostCompact",
    [HOOK_INTERRUPT] = "Interrupt",
};

static const struct {
    const char *name;
    enum hook_tool_kind kind;
} tool_names[] = {
    { "Agent", HOOK_TOOL_AGENT },
    { "Task", HOOK_TOOL_AGENT },
    { "spawn_agent", HOOK_TOOL_AGENT },
    { "Edit", HOOK_TOOL_EDIT },
    { "Write", HOOK_TOOL_EDIT },
    { "MultiEdit", HOOK_TOOL_EDIT },
    { "NotebookEdit", HOOK_TOOL_EDIT },
    { "apply_patch", HOOK_TOOL_EDIT },
    { "Bash", HOOK_TOOL_SHELL },
    { "close_agent", HOOK_TOOL_CLOSE },
};

/* ---- events ---------------------------------------------------------------------------------- */

/* Whether name is that event's, but for case, '-' and '_'. */
static bool names_event(struct str name, const char *event)
{
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '-' || name.data[i] == '_') continue;
        if (!byte_is_letter(name.data[i]) || !*event) return false;
        if ((name.data[i] | 0x20) != (*event | 0x20)) return false;
        event++;
    }
    return *event == '\0';
}

enum hook_event hook_event_of(struct str name)
{
    for (int event = HOOK_OTHER + 1; event < HOOK_EVENT_COUNT; event++) {
        if (names_event(name, event_names[event])) return (enum hook_event)event;
    }
    return HOOK_OTHER;
}

const char *hook_event_name(enum hook_event event)
{
    assert(event < HOOK_EVENT_COUNT);
    return event_names[event];
}

bool hook_is_gate(enum hook_event event)
{
    return event == HOOK_PRE_TOOL_USE;
}

/* Between a member's name and its value. In a broken text a NUL may stand there, too. */
static bool is_gap(char byte)
{
    return byte == '"' || byte == ':' || byte == ' ' || byte == '\t' || byte == '\r' ||
           byte == '\n' || byte == '\0';
}

/* The event that a broken text seems to name. A parser that works in place may have been here:
 * quotes may be gone, and NULs there. */
static enum hook_event guess_event(struct str text)
{
    struct str key = STR("hook_event_name");
    const char *at = text.size ? memmem(text.data, text.size, key.data, key.size) : NULL;
    struct str rest, name;

    if (!at) return HOOK_OTHER;
    rest = str_skip(text, (size_t)(at - text.data) + key.size);
    while (rest.size && is_gap(rest.data[0])) rest = str_skip(rest, 1);
    name = rest;
    while (rest.size && byte_is_letter(rest.data[0])) rest = str_skip(rest, 1);
    name.size -= rest.size;
    return hook_event_of(name);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Where the text behind the last ':' begins. */
static size_t behind_colon(struct str s)
{
    size_t at = s.size;

    while (at && s.data[at - 1] != ':') at--;
    return at;
}

struct str hook_role(struct str agent_type)
{
    struct str prefix = STR("hone-");
    struct str role = str_skip(agent_type, behind_colon(agent_type));

    return str_starts(role, prefix) ? str_skip(role, prefix.size) : role;
}

struct str hook_plugin(struct str agent_type)
{
    size_t at = behind_colon(agent_type);

    return (struct str){ agent_type.data, at ? at - 1 : 0 };
}

static bool is_name_byte(char byte)
{
    return byte_is_alnum(byte) || byte == '-' || byte == '_';
}

static struct str cut_name(struct str *rest)
{
    struct str name = *rest;

    while (rest->size && is_name_byte(rest->data[0])) *rest = str_skip(*rest, 1);
    name.size -= rest->size;
    return name;
}

/* "hone-review", a skill's name in Codex, as a plugin and its verb. */
static bool split_skill(struct hook_command *out, struct str skill)
{
    struct str rest = skill;

    return str_cut(&rest, '-', &out->plugin) && (out->verb = rest).size > 0;
}

bool hook_command_read(struct hook_command *out, struct str prompt)
{
    struct str rest = str_trim(prompt), first;
    bool skill = rest.size && rest.data[0] == '$', good;

    *out = (struct hook_command){ 0 };
    if (skill || (rest.size && rest.data[0] == '/')) rest = str_skip(rest, 1);
    first = cut_name(&rest);
    if (rest.size && rest.data[0] == ':') {
        rest = str_skip(rest, 1);
        out->plugin = first;
        out->verb = cut_name(&rest);
        good = true;
    } else {
        good = skill && split_skill(out, first);
    }
    out->rest = str_trim(rest);
    return good && out->plugin.size > 0 && out->verb.size > 0 &&
           (rest.size == 0 || out->rest.size < rest.size);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The first of these members that is a string with something in it. */
static struct str first_str(yyjson_val *object, const char *const *keys)
{
    for (; *keys; keys++) {
        struct str value = json_str(object, *keys);

        if (value.size) return value;
    }
    return (struct str){ 0 };
}

/* Who the event is about. Where it is about an agent's life all the names are tried that versions
 * of hosts have used; elsewhere "type" could be anything's. */
static struct str identity(yyjson_val *root, enum hook_event event)
{
    static const char *const keys[] = {
        "agent_type", "agent_name", "agentName", "subagent_type", "agentType", "type", NULL,
    };
    bool whole = event == HOOK_SUBAGENT_START || event == HOOK_SUBAGENT_STOP ||
                 event == HOOK_STOP_FAILURE;

    return whole ? first_str(root, keys) : json_str(root, keys[0]);
}

static enum hook_host host_of(yyjson_val *root)
{
    if (yyjson_obj_get(root, "prompt_id")) return HOOK_CLAUDE;
    if (yyjson_obj_get(root, "turn_id")) return HOOK_CODEX;
    if (yyjson_is_str(yyjson_obj_get(root, "model")) &&
        yyjson_is_str(yyjson_obj_get(root, "permission_mode"))) {
        return HOOK_CODEX;
    }
    return HOOK_CLAUDE;
}

/* Codex glues a namespace in front of some tools' names. A tool of an MCP server is none of the
 * host's, even if it has the name of one. */
static enum hook_tool_kind tool_kind(struct str name)
{
    for (size_t i = 0; i < sizeof tool_names / sizeof tool_names[0]; i++) {
        if (str_is(name, tool_names[i].name)) return tool_names[i].kind;
    }
    if (str_starts(name, STR("mcp__"))) return HOOK_TOOL_OTHER;
    if (str_ends(name, STR("spawn_agent"))) return HOOK_TOOL_AGENT;
    return str_ends(name, STR("close_agent")) ? HOOK_TOOL_CLOSE : HOOK_TOOL_OTHER;
}

static void read_tool(struct hook_input *out, yyjson_val *root)
{
    static const char *const types[] = { "subagent_type", "agent_type", NULL };
    static const char *const commands[] = { "command", "input", "patch", NULL };
    struct hook_tool *tool = &out->tool;
    yyjson_val *input = yyjson_obj_get(root, "tool_input");

    tool->name = json_str(root, "tool_name");
    tool->kind = tool_kind(tool->name);
    out->tool_input = input;
    switch (tool->kind) {
    case HOOK_TOOL_AGENT:
        tool->agent_type = first_str(input, types);
        tool->isolation = json_str(input, "isolation");
        tool->task_name = json_str(input, "task_name");
        break;
    case HOOK_TOOL_SHELL:
        tool->command = json_str(input, "command");
        break;
    case HOOK_TOOL_CLOSE:
        tool->target = json_str(input, "target");
        break;
    case HOOK_TOOL_EDIT:
        if (str_is(tool->name, "apply_patch")) {
            tool->command = first_str(input, commands);
        }
        break;
    case HOOK_TOOL_OTHER:
    case HOOK_TOOL_KIND_COUNT:
        break;
    }
}

static void read_members_of(struct hook_input *out, yyjson_val *root)
{
    struct str event = json_str(root, "hook_event_name");

    if (event.size) out->event = hook_event_of(event);
    out->host = host_of(root);
    out->session_id = json_str(root, "session_id");
    out->cwd = json_str(root, "cwd");
    out->transcript_path = json_str(root, "transcript_path");
    out->agent_transcript_path = json_str(root, "agent_transcript_path");
    out->agent_id = json_str(root, "agent_id");
    out->agent_type = identity(root, out->event);
    out->prompt = json_str(root, "prompt");
    out->last_message = json_str(root, "last_assistant_message");
    out->source = json_str(root, "source");
    out->tasks = yyjson_obj_get(root, "background_tasks");
    read_tool(out, root);
}

int hook_read(struct hook_input *out, struct buf *text, struct str argument, struct err *err)
{
    int rc;

    *out = (struct hook_input){ .event = hook_event_of(argument) };
    if (text->overflow || text->size > HOOK_BYTES_MAX) {
        rc = err_set(err, ERR_LIMIT, "it is larger than %d MiB", HOOK_BYTES_MAX >> 20);
    } else {
        rc = json_read_in_place(text, &out->doc, err);
    }
    if (rc == 0 && !yyjson_is_obj(yyjson_doc_get_root(out->doc))) {
        rc = err_set(err, ERR_FORMAT, "it is no JSON object");
    }
    if (rc != 0) {
        if (out->event == HOOK_OTHER) out->event = guess_event(buf_str(text));
        return err_wrap(err, "read what the host says on standard input");
    }
    read_members_of(out, yyjson_doc_get_root(out->doc));
    return 0;
}

void hook_release(struct hook_input *input)
{
    yyjson_doc_free(input->doc);
    *input = (struct hook_input){ 0 };
}

/* ---- paths and tasks ------------------------------------------------------------------------- */

/* The file that a line of a patch names. Blanks may stand around it, as Codex reads it; the lines
 * of a file's own text begin with '+', '-' or a blank, and a blank too many is on the safe side. */
static bool patched_file(struct str line, struct str *path)
{
    static const struct str marks[] = {
        { "*** Add File:", 13 }, { "*** Update File:", 16 },
        { "*** Delete File:", 16 }, { "*** Move to:", 12 },
    };

    line = str_trim(line);
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (!str_starts(line, marks[i])) continue;
        *path = str_trim(str_skip(line, marks[i].size));
        return path->size > 0;
    }
    return false;
}

bool hook_path_next(const struct hook_input *input, struct hook_paths *paths, struct str *path)
{
    static const char *const keys[] = { "file_path", "notebook_path" };
    struct str line;

    if (input->tool.kind != HOOK_TOOL_EDIT) return false;
    while (paths->key < sizeof keys / sizeof keys[0]) {
        *path = json_str(input->tool_input, keys[paths->key++]);
        paths->rest = input->tool.command;
        if (path->size) return true;
    }
    while (str_cut(&paths->rest, '\n', &line)) {
        if (patched_file(line, path)) return true;
    }
    return false;
}

bool hook_task_next(const struct hook_input *input, struct hook_tasks *tasks,
                    struct hook_task *task)
{
    yyjson_val *item;

    if (!tasks->started) tasks->items = yyjson_arr_iter_with(input->tasks);
    tasks->started = true;
    item = yyjson_arr_iter_next(&tasks->items);
    if (!item) return false;
    *task = (struct hook_task){
        .agent_type = json_str(item, "agent_type"),
        .status = json_str(item, "status"),
    };
    return true;
}

/* ---- answers --------------------------------------------------------------------------------- */

struct part {
    const char *key;
    struct str text;
};

/* Appends {KEY: TEXT, ...}, where name is not NULL inside of {"hookSpecificOutput": }. */
static void answer_with(struct buf *out, bool specific, const struct part *parts, size_t count)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *object = yyjson_mut_obj(doc), *root = object;

    for (size_t i = 0; i < count; i++) {
        yyjson_mut_obj_add(object, yyjson_mut_str(doc, parts[i].key),
                           json_text(doc, parts[i].text));
    }
    if (specific) {
        root = yyjson_mut_obj(doc);
        yyjson_mut_obj_add_val(doc, root, "hookSpecificOutput", object);
    }
    yyjson_mut_doc_set_root(doc, root);
    json_finish(doc, false, out);
}

void hook_deny(struct buf *out, struct str reason)
{
    const struct part parts[] = {
        { "hookEventName", STR("PreToolUse") },
        { "permissionDecision", STR("deny") },
        { "permissionDecisionReason", reason },
    };

    answer_with(out, true, parts, sizeof parts / sizeof parts[0]);
}

void hook_permit(struct buf *out)
{
    buf_text(out, "{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\","
                  "\"decision\":{\"behavior\":\"allow\"}}}");
}

void hook_block(struct buf *out, struct str reason)
{
    const struct part parts[] = { { "decision", STR("block") }, { "reason", reason } };

    answer_with(out, false, parts, sizeof parts / sizeof parts[0]);
}

void hook_tell(struct buf *out, struct str message)
{
    const struct part parts[] = { { "systemMessage", message } };

    answer_with(out, false, parts, sizeof parts / sizeof parts[0]);
}

void hook_context(struct buf *out, enum hook_event event, struct str text)
{
    const struct part parts[] = {
        { "hookEventName", str_of(hook_event_name(event)) }, { "additionalContext", text },
    };

    answer_with(out, true, parts, sizeof parts / sizeof parts[0]);
}

void hook_nothing(struct buf *out, enum hook_host host)
{
    if (host == HOOK_CODEX) buf_text(out, "{}");
}
