/* SPDX-License-Identifier: Apache-2.0
 *
 * hosted.c - the door of the hosted driver: one event of a host in, one answer out.
 *
 *   UserPromptSubmit    a run begins, goes on, is answered, is stopped
 *   PreToolUse          gates: silence, or a refusal with what is wanted instead
 *   PermissionRequest   an agent that writes its answer need not ask
 *   SubagentStart       an agent of a role is at work
 *   SubagentStop        its answer is judged, the run goes on: silence, or sent back
 *   StopFailure         the agent is lost
 *   Stop                silence, or what to do next
 *   SessionStart        after a compaction or a resume: what to do next, once more
 *   SessionEnd          the session has no host any more
 *
 * 1. A hook without a session id changes nothing: no run can belong to it.
 * 2. An error is a refusal at a gate, a message to the model at a prompt, a line for the user at
 *    the end of a turn, and silence elsewhere. Standard output has one JSON value or nothing. */
#include "drive/hosted/parts.h"

#include "format/text/width.h"
#include "io/file/peek.h"

#include <string.h>

enum { OUT_BYTES_MAX = 4 << 20 };

static void (*const handlers[HOOK_EVENT_COUNT])(struct hosted *hosted) = {
    [HOOK_USER_PROMPT_SUBMIT] = hosted_prompted,
    [HOOK_PRE_TOOL_USE] = hosted_gate,
    [HOOK_PERMISSION_REQUEST] = hosted_permit,
    [HOOK_SUBAGENT_START] = hosted_agent_started,
    [HOOK_SUBAGENT_STOP] = hosted_agent_stopped,
    [HOOK_STOP_FAILURE] = hosted_agent_failed,
    [HOOK_STOP] = hosted_turn_ends,
    [HOOK_SESSION_START] = hosted_session_started,
    [HOOK_SESSION_END] = hosted_session_ended,
};

void hosted_reply_init(struct hosted_reply *reply)
{
    *reply = (struct hosted_reply){ .code = 0 };
    buf_init(&reply->out, OUT_BYTES_MAX);
    buf_init(&reply->err, OUT_BYTES_MAX);
}

void hosted_reply_release(struct hosted_reply *reply)
{
    buf_release(&reply->out);
    buf_release(&reply->err);
    arena_release(&reply->arena);
}

void hosted_say(struct hosted *hosted, struct str words)
{
    hook_context(&hosted->reply->out, hosted->in->event, words);
}

static void answer_error(struct hosted *hosted)
{
    struct hosted_reply *reply = hosted->reply;
    struct hosted_page page = hosted_page(hosted);
    struct buf text;

    if (hosted->err.code == ERR_NONE) return;
    buf_clear(&reply->out);
    buf_clear(&reply->err);
    reply->code = 0;
    if (hook_is_gate(hosted->in->event)) {
        reply->code = 2;
        buf_printf(&reply->err, "[hone] %s\n", hosted->err.text);
        return;
    }
    buf_init(&text, OUT_BYTES_MAX);
    if (hosted->in->event == HOOK_USER_PROMPT_SUBMIT) {
        message_lines(&text, str_of(hosted->err.text), "");
        page.error = slot_part(&text);
        hosted_say(hosted, hosted_words(hosted_page_error, &page, &hosted->arena));
    } else if (hosted->in->event == HOOK_STOP) {
        buf_printf(&text, "hone: %s", hosted->err.text);
        hook_tell(&reply->out, buf_str(&text));
    }
    buf_release(&text);
}

static void finish(struct hosted *hosted)
{
    if (hosted->err.code == ERR_NONE && hosted->drive.broken) hosted->err = hosted->drive.err;
    answer_error(hosted);
    if (hosted->reply->out.size == 0 && hosted->reply->code == 0) {
        hook_nothing(&hosted->reply->out, hosted->in->host);
    }
    hosted_close(hosted);
}

static void hosted_init(struct hosted *hosted, const struct hook_input *in,
                        struct hosted_reply *reply)
{
    *hosted = (struct hosted){ .in = in, .reply = reply, .notes = { .state = HOST_OVER } };
    drive_init(&hosted->drive, &hosted_hands);
    random_word(hosted->drive.fence, FENCE_LETTERS);
}

void hosted_answer(const struct hook_input *in, struct hosted_reply *reply)
{
    struct hosted hosted;

    hosted_init(&hosted, in, reply);
    if (in->session_id.size > 0 && handlers[in->event]) handlers[in->event](&hosted);
    finish(&hosted);
}

void hosted_begin(const struct hook_input *in, const struct dialect *dialect, const char *task,
                  const struct run_settings *settings, struct hosted_reply *reply)
{
    struct hosted hosted;
    struct buf text;

    hosted_init(&hosted, in, reply);
    buf_clear(&reply->out);
    if (hosted_create(&hosted, dialect, task, settings) == 0) {
        hosted_perform(&hosted, true);
        if (hosted.drive.run.engine.state != ENGINE_ENDED) (void)hosted_give(&hosted);
        if (hosted_leave(&hosted) == 0) {
            buf_init(&text, OUT_BYTES_MAX);
            hosted_instruct(&hosted, &text);
            hosted_say(&hosted, buf_str(&text));
            buf_release(&text);
        }
    }
    finish(&hosted);
}

void hosted_refuse(const struct hook_input *in, const struct err *why, struct hosted_reply *reply)
{
    struct hosted hosted;

    hosted_init(&hosted, in, reply);
    hosted.err = *why;
    finish(&hosted);
}

int hosted_stop(const char *start, struct arena *arena, const char **run, struct err *err)
{
    struct repo repo;
    const char *const *names;
    int rc = 0;

    *run = NULL;
    if (!repo_find(&repo, start)) return 0;
    names = folder_names(host_notes_folder(repo.hone_dir, arena), "", arena);
    for (; *names && rc == 0 && !*run; names++) {
        struct str session = str_of(*names);
        struct hook_input in = { .event = HOOK_OTHER, .cwd = str_of(start) };
        struct hosted_reply reply;
        struct hosted hosted;

        if (!str_ends(session, STR(".json"))) continue;
        session.size -= strlen(".json");
        in.session_id = session;
        hosted_reply_init(&reply);
        hosted_init(&hosted, &in, &reply);
        if (hosted_look(&hosted) == 0 && hosted.bound && hosted.notes.state == HOST_RUNNING &&
            strcmp(hosted.notes.workspace, repo.workspace) == 0) {
            rc = hosted_open(&hosted);
            if (rc == 0) {
                drive_push(&hosted.drive, (struct event){ .kind = EV_STOP,
                                                          .now_ms = now_wall_ms() });
                hosted_perform(&hosted, false);
                rc = hosted_leave(&hosted);
            }
            if (rc == 0) *run = arena_cstr(arena, str_of(hosted.notes.run));
            else *err = hosted.err;
        }
        hosted_close(&hosted);
        hosted_reply_release(&reply);
    }
    repo_release(&repo);
    return rc;
}
