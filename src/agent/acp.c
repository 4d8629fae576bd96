/* SPDX-License-Identifier: Apache-2.0
 *
 * acp.c - backend acp:COMMAND: any agent that speaks the Agent Client Protocol, and our side of it.
 *
 * The command of the backend is hone itself, as `hone agent acp`: our side runs under the same
 * supervisor, limits and sandbox as the agent it speaks with. What the agent sends is the
 * transcript, and is read like any other stream (format/stream/acp_stream.c).
 *
 * 1. COMMAND is the user's own text and is handed to a shell as it is; nothing of a run is put into
 *    it.
 * 2. When this process is asked to end, it asks the agent to cancel and gives it a moment to
 *    answer; then the agent is ended.
 * 3. For the agent, files are read and written inside the workspace only, and never through a link;
 *    git's own folder is not written to.
 *
 * Not here: the protocol (format/stream/acp.c). */
#include "agent/acp.h"

#include "agent/backends.h"
#include "agent/env.h"
#include "format/stream/acp.h"
#include "format/stream/lines.h"
#include "io/file/file.h"
#include "io/file/stream.h"
#include "io/process/host.h"
#include "io/process/program.h"
#include "io/process/signals.h"
#include "io/process/talk.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    PROMPT_BYTES_MAX = 16 << 20,
    UNSENT_BYTES_MAX = 128 << 20, /* more than the longest prompt, escaped */
    SAID_BYTES_MAX = 1 << 20,
    GRACE_MS = 2000,
    EXIT_NO_ANSWER = 1,
    STATUS_NO_PROGRAM = 126,
    STATUS_NOT_FOUND = 127,
};

/* ---- the backend ---- */

static int acp_check(const struct agent *agent, struct err *err)
{
    if (str_trim(str_of(agent->argument)).size > 0) return 0;
    return err_set(err, ERR_USAGE, "agent '%s' has no command: write acp:COMMAND", agent->spec);
}

static const char *const *acp_command(const struct agent *agent, const struct attempt *attempt,
                                      struct arena *arena)
{
    const char **argv = arena_alloc(arena, 6 * sizeof *argv);

    argv[0] = program_self();
    argv[1] = "agent";
    argv[2] = attempt->writes ? "acp-writes" : "acp";
    argv[3] = "--";
    argv[4] = agent->argument;
    return argv;
}

const struct backend backend_acp = {
    .name = "acp",
    .argument = "COMMAND",
    .argument_needed = true,
    .may_cost = true,
    .tells_cost = true, .tells_tokens = true,
    .credentials = ENV_MODELS,
    .help = "any agent that speaks the Agent Client Protocol, started by sh -c in the workspace: "
            "'gemini --acp', for example; a reviewer is allowed to read and to run commands, a "
            "fixer also to edit",
    .stream = &acp_stream,
    .check = acp_check,
    .command = acp_command,
};

/* ---- our side of the talk ---- */

struct session {
    struct acp acp;
    struct talk talk;
    struct signals signals;
    struct lines lines;
    struct buf out; /* what the machine wants to be sent */
    int status;     /* of the agent's program when it has ended; -1: a signal ended it */
    bool over;
    bool secret;    /* what the agent says is no transcript */
};

static bool is_in_git(struct str path)
{
    struct str part;

    while (str_cut(&path, '/', &part)) {
        if (str_is(part, ".git")) return true;
    }
    return false;
}

static void serve_read(struct session *session)
{
    struct acp *acp = &session->acp;
    struct err err = { 0 };
    struct buf content;
    int rc;

    buf_init(&content, ACP_FILE_BYTES_MAX);
    rc = file_read_in(acp->about.workspace, buf_cstr(&acp->path), &content, &err);
    acp_file_read(acp, buf_str(&content), rc == 0 ? NULL : err.text, &session->out);
    buf_release(&content);
}

static void serve_write(struct session *session)
{
    struct acp *acp = &session->acp;
    struct err err = { 0 };
    int rc;

    if (is_in_git(buf_str(&acp->path))) {
        rc = err_set(&err, ERR_USAGE, "git's own folder is not written to");
    } else {
        rc = file_write(acp->about.workspace, buf_cstr(&acp->path), buf_str(&acp->content), &err);
    }
    acp_file_written(acp, rc == 0 ? NULL : err.text, &session->out);
}

static void on_said(struct session *session, struct str chunk)
{
    struct str line;

    while (!session->over && lines_next(&session->lines, &chunk, &line)) {
        switch (acp_line(&session->acp, line, &session->out)) {
        case ACP_GOES_ON: break;
        case ACP_WANTS_READ: serve_read(session); break;
        case ACP_WANTS_WRITE: serve_write(session); break;
        case ACP_OVER: session->over = true; break;
        }
    }
}

/* Until the prompt is answered, the agent has ended, or we were told to end and waited. */
static int converse(struct session *session, struct err *err)
{
    int64_t timeout_ms = -1;
    struct buf said;
    uint32_t events = 0;
    int rc = 0;

    buf_init(&said, SAID_BYTES_MAX);
    while (rc == 0 && !session->over) {
        if (session->out.overflow) {
            rc = err_set(err, ERR_LIMIT, "the prompt is too long to be sent");
            break;
        }
        rc = talk_send(&session->talk, buf_str(&session->out), err);
        buf_clear(&session->out);
        if (rc != 0) break;
        buf_clear(&said);
        events = talk_wait(&session->talk, session->signals.fd, timeout_ms, &said);
        if ((events & TALK_SAID) && !session->secret && !stream_write(buf_str(&said))) {
            rc = err_set(err, ERR_SYSTEM, "the transcript cannot be written");
        }
        on_said(session, buf_str(&said));
        if (events & TALK_SIGNAL) {
            (void)signals_take(&session->signals);
            acp_cancel(&session->acp, &session->out);
            timeout_ms = GRACE_MS;
        } else if (!session->over && (events & TALK_TIME)) {
            rc = err_set(err, ERR_FAILED, "the agent was asked to stop and did not");
        } else if (!session->over && (events & TALK_ENDED)) {
            rc = err_set(err, ERR_FAILED, "the agent ended before it answered");
        }
    }
    buf_release(&said);
    return rc;
}

/* As sh says it of a command that is not there, or is no program. */
static bool cannot_run(const struct session *session)
{
    return session->status == STATUS_NO_PROGRAM || session->status == STATUS_NOT_FOUND;
}

static int hold(struct session *session, const char *command, const struct acp_about *about,
                struct err *err)
{
    const char *const argv[] = { "sh", "-c", command, NULL };
    int rc = signals_open(&session->signals, err);

    if (rc != 0) return rc;
    acp_init(&session->acp, about);
    lines_init(&session->lines, ACP_LINE_BYTES_MAX);
    buf_init(&session->out, UNSENT_BYTES_MAX);
    rc = talk_start(&session->talk, argv, false, UNSENT_BYTES_MAX, err);
    if (rc == 0) {
        acp_begin(&session->acp, &session->out);
        rc = converse(session, err);
        session->status = talk_stop(&session->talk, GRACE_MS);
    }
    if (rc != 0 && cannot_run(session)) {
        rc = err_set(err, ERR_FAILED, "the agent's program cannot be run: %.300s", command);
    }
    if (rc == 0 && session->acp.problem.size > 0) {
        rc = err_set(err, ERR_FAILED, "%s", buf_cstr(&session->acp.problem));
    }
    buf_release(&session->out);
    lines_release(&session->lines);
    signals_close(&session->signals);
    return rc;
}

int acp_main(const char *command, bool writes, const char *version)
{
    const char *workspace = getenv("HONE_WORKSPACE");
    struct session session = { 0 };
    struct err err = { 0 };
    struct buf prompt;
    int rc;

    buf_init(&prompt, PROMPT_BYTES_MAX);
    if (!workspace || workspace[0] != '/') {
        rc = err_set(&err, ERR_USAGE, "HONE_WORKSPACE must name the workspace, absolute");
    } else {
        rc = file_read_fd(0, &prompt, &err);
    }
    if (rc == 0) {
        rc = hold(&session, command, &(struct acp_about){
            .writes = writes, .workspace = workspace, .prompt = buf_str(&prompt),
            .version = version }, &err);
    }
    if (rc != 0) fprintf(stderr, "acp: %s\n", err.text);
    acp_release(&session.acp);
    buf_release(&prompt);
    if (rc != 0 && cannot_run(&session)) return session.status;
    return rc == 0 ? 0 : EXIT_NO_ANSWER;
}

int acp_look_main(const char *command, const char *version)
{
    const char *home = host_home();
    struct session session = { .secret = true };
    struct err err = { 0 };
    int rc = hold(&session, command, &(struct acp_about){
        .looks = true, .workspace = home ? home : "/", .prompt = { "", 0 }, .version = version },
        &err);

    printf("%s %s\n", rc == 0 ? "ready" : session.acp.login ? "login" : "problem",
           rc == 0 ? buf_cstr(&session.acp.who) : err.text);
    acp_release(&session.acp);
    return rc == 0 ? 0 : EXIT_NO_ANSWER;
}
