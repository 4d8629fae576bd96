/* SPDX-License-Identifier: Apache-2.0
 *
 * hook.h - what a host (Claude Code, Codex) tells a hook, and what a hook answers.
 *
 *     struct hook_input in;
 *     if (hook_read(&in, &text, str_of(argument), &err) != 0) ...; // in.event is set all the same
 *     ... in.session_id, hook_role(in.agent_type), hook_path_next() ...
 *     hook_deny(&out, reason);
 *     hook_release(&in);
 *
 * A host's input changes from version to version. So a member that is missing or has another type
 * is empty here, and a member that is not known here is ignored; neither is an error. Only a text
 * that is no JSON object is one. All texts are views of the input: they may hold any byte, and even
 * parts of characters.
 *
 * An answer is one JSON value and the only thing on standard output. The other way to answer is
 * exit code 2 with the reason on standard error: before a tool it denies, at a stop it blocks. With
 * any other exit code the host goes on.
 *
 * Room: texts from outside as data, and data as text. Everything in format/ is pure; what reads or
 * writes files is elsewhere. This folder itself holds what has no family: hooks of hosts, signals,
 * rows of tables. */
#ifndef HONE_FORMAT_HOOK_H
#define HONE_FORMAT_HOOK_H

#include "base/buf.h"
#include "base/err.h"
#include "format/json/json.h"

#include <stdbool.h>

enum {
    HOOK_BYTES_MAX = 16 << 20,      /* of an input */
    HOOK_TEXT_BYTES_MAX = HOOK_BYTES_MAX + 64, /* of the buf it is in: it is read in place */
    HOOK_CONTEXT_BYTES_MAX = 9000,  /* of what Claude Code puts before its model as it is */
};

enum hook_host { HOOK_CLAUDE, HOOK_CODEX, HOOK_HOST_COUNT };

enum hook_event {
    HOOK_OTHER, /* one that is not known here, or none */
    HOOK_SESSION_START,
    HOOK_SESSION_END,
    HOOK_USER_PROMPT_SUBMIT,
    HOOK_PRE_TOOL_USE,
    HOOK_POST_TOOL_USE,
    HOOK_POST_TOOL_USE_FAILURE,
    HOOK_POST_TOOL_BATCH,
    HOOK_PERMISSION_REQUEST,
    HOOK_SUBAGENT_START,
    HOOK_SUBAGENT_STOP,
    HOOK_STOP,
    HOOK_STOP_FAILURE,
    HOOK_PRE_COMPACT,
    HOOK_POST_COMPACT,
    HOOK_INTERRUPT,
    HOOK_EVENT_COUNT
};

enum hook_tool_kind {
    HOOK_TOOL_OTHER,
    HOOK_TOOL_AGENT, /* Agent, Task, spawn_agent */
    HOOK_TOOL_EDIT,  /* Edit, Write, MultiEdit, NotebookEdit, apply_patch */
    HOOK_TOOL_SHELL, /* Bash */
    HOOK_TOOL_CLOSE, /* close_agent: an agent is put away, whether it has ended or not */
    HOOK_TOOL_KIND_COUNT
};

/* The tool of an event about one. */
struct hook_tool {
    enum hook_tool_kind kind;
    struct str name;          /* as the host calls it */

    struct str agent_type;    /* AGENT: who is to be started; see hook_role() */
    struct str isolation;     /* AGENT: "worktree", "remote"; empty: in the session's own tree */
    struct str task_name;     /* AGENT: newer models of Codex name their agents, and close none */

    struct str target;        /* CLOSE: the agent_id */

    struct str command;       /* SHELL: the command line; EDIT by apply_patch: the patch */
};

struct hook_input {
    enum hook_event event;
    enum hook_host host;

    struct str session_id, cwd, transcript_path;
    struct str agent_transcript_path; /* of SubagentStop, by Claude Code: what the agent did */

    /* Of the sub-agent that the event happened in or is about; both empty in the main session.
     * agent_type may be empty where agent_id is not: an agent of the host's own, or a lost name. */
    struct str agent_id, agent_type;

    struct str prompt;       /* UserPromptSubmit */
    struct str last_message; /* Stop, SubagentStop, StopFailure: the last words */
    struct str source;       /* SessionStart: "startup", "resume", "clear", "compact" ... */
    struct hook_tool tool;

    yyjson_doc *doc;         /* the rest is hook.c's own */
    yyjson_val *tasks, *tool_input;
};

/* Reads text in place: its bytes change, and *out lives on them until hook_release(), which is
 * due after an error, too. The limit of text should be HOOK_TEXT_BYTES_MAX. argument: the event
 * as the command line names it, or empty; it counts where the text does not name one.
 *
 * ERR_FORMAT: no JSON object; ERR_LIMIT: more than HOOK_BYTES_MAX. out->event is then the one of
 * the argument, else the first that the text seems to name, so that the caller can still tell a
 * gate from an observer. All else is empty. */
int hook_read(struct hook_input *out, struct buf *text, struct str argument, struct err *err);
void hook_release(struct hook_input *input);

/* The event of that name; upper or lower case, hyphens and underscores do not count. */
enum hook_event hook_event_of(struct str name);
const char *hook_event_name(enum hook_event event); /* "PreToolUse" ...; "" for HOOK_OTHER */

/* Whether something is asked before it happens. An error inside a gate must end in a refusal
 * (exit code 2); one inside any other event must not disturb (exit code 0). */
bool hook_is_gate(enum hook_event event);

/* The role in an agent's name: what is behind the last ':', without a leading "hone-".
 * "hone:critic", "minions:critic", "hone-critic" and "critic" are "critic". */
struct str hook_role(struct str agent_type);

/* What is in front of that ':'; empty where there is none. */
struct str hook_plugin(struct str agent_type);

/* The paths that the tool of kind HOOK_TOOL_EDIT writes to, as they were given: absolute or
 * relative to the cwd. Of a patch each file it adds, updates, deletes or moves to. One that names
 * no path is not to be taken for one that writes nothing. Start with {0}; false: no more. */
struct hook_paths {
    uint32_t key; /* the members of the call that were looked at */
    struct str rest;
};
bool hook_path_next(const struct hook_input *input, struct hook_paths *paths, struct str *path);

/* The agents and commands that run in the background (Stop, SubagentStop). Start with {0}. */
struct hook_task {
    struct str agent_type; /* of a sub-agent */
    struct str status;     /* "running" ... */
};
struct hook_tasks {
    bool started;
    yyjson_arr_iter items;
};
bool hook_task_next(const struct hook_input *input, struct hook_tasks *tasks,
                    struct hook_task *task);

/* A prompt that is a command of a plugin: "/hone:review --max-iterations 3 TASK". The slash may be
 * missing, and blanks may stand in front. In Codex it is a skill: "$hone-review TASK", or
 * "$hone:review TASK". False for any other prompt. */
struct hook_command {
    struct str plugin, verb; /* "hone", "review" */
    struct str rest;         /* what is behind, trimmed */
};
bool hook_command_read(struct hook_command *out, struct str prompt);

/* Answers, each the whole of standard output. Bytes that are no characters become U+FFFD. */
void hook_deny(struct buf *out, struct str reason);  /* PreToolUse: the tool is not run */
void hook_permit(struct buf *out);                   /* PermissionRequest: allowed without asking */
void hook_block(struct buf *out, struct str reason); /* Stop, SubagentStop: go on, with this */
void hook_tell(struct buf *out, struct str message); /* nothing stopped; a line for the person */
void hook_nothing(struct buf *out, enum hook_host host);

/* Words for the model: at UserPromptSubmit, SessionStart, SubagentStart, PreToolUse and
 * PostToolUse. What is longer than HOOK_CONTEXT_BYTES_MAX Claude Code puts into a file of its own,
 * and the model may never read it: write a file, and tell its path. The same holds for a reason. */
void hook_context(struct buf *out, enum hook_event event, struct str text);

#endif
