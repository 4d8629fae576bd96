/* SPDX-License-Identifier: Apache-2.0
 *
 * serve_http.c - MCP over HTTP, on this machine alone.
 *
 * 1. Host, Origin and token are checked before anything else of a request: a page in the user's
 *    browser can reach 127.0.0.1, by this or another name, and must be refused.
 * 2. A request is answered with JSON, or, once there is something to say before the answer, with a
 *    stream of events that ends with it. Clients accept both, or are refused.
 * 3. A client that closes its connection cancels what it asked for (mcp_gone).
 * 4. Nothing is kept from one request to the next. Clients of older protocols get a session, since
 *    they expect one; it is only a name (sessions.h), and a client may leave it out.
 *
 * The token is made once for each repository, so that a client's configuration stays right. It is
 * kept in the user's own state folder: what lies in a repository, its git folder included, may have
 * come with an archive. Only the user can read the file. */
#include "serve/serve.h"

#include "base/hash.h"
#include "serve/door.h"
#include "serve/sessions.h"
#include "serve/tools.h"

#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/http/http.h"
#include "io/process/signals.h"
#include "settings/trust.h"

#include <inttypes.h>
#include <string.h>

enum { TOKEN_BYTES_MAX = 256, KEEP_ALIVE_MS = 15 * 1000, MESSAGE_ROOM = 256 };

struct site {
    struct mcp mcp;
    struct http http;
    struct sessions sessions;
    struct door door;
    uint64_t said_ms; /* when clients that wait last got an empty comment */
};

/* ---- who may come in ---- */

static bool has(struct str list, const char *word)
{
    return list.size > 0 && memmem(list.data, list.size, word, strlen(word));
}

static bool accepts_both(struct str accept)
{
    if (!accept.data || has(accept, "*/*")) return true;
    return has(accept, "application/json") && has(accept, "text/event-stream");
}

static bool is_said_twice(const struct http_head *head)
{
    static const char *const once[] = { "mcp-protocol-version", "mcp-method", "mcp-name",
                                        "mcp-session-id", "content-type", NULL };

    for (uint32_t i = 0; once[i]; i++) {
        if (http_header_twice(head, once[i])) return true;
    }
    return false;
}

static int admit(void *context, const struct http_head *head)
{
    const struct site *site = context;
    int status = door_host(&site->door, head);

    if (status == 0) status = door_token(&site->door, head);
    if (status != 0) return status;
    if (!str_is(head->path, "/mcp")) return 404;
    if (is_said_twice(head)) return 400;
    if (str_is(head->method, "DELETE")) return 0;
    if (!str_is(head->method, "POST")) return 405;
    status = door_json(head);
    if (status != 0) return status;
    return accepts_both(http_header(head, "accept")) ? 0 : 406;
}

static const char *on_refused(void *context, int status, struct buf *out)
{
    const char *words = http_status(status)->words;

    (void)context;
    if (status == 401) {
        words = "send 'Authorization: Bearer TOKEN'; the token is in the file that was named when "
                "hone began to listen";
    } else if (status == 404) {
        words = "the only address here is /mcp, and a session that has ended is begun anew with "
                "initialize";
    } else if (status == 405) {
        words = "only POST is known here, and DELETE of a session";
    }
    buf_printf(out, "%s\n", words);
    return "text/plain; charset=utf-8";
}

/* ---- messages ---- */

static void stream_say(struct site *site, uint64_t channel, struct str text)
{
    struct buf message;

    buf_init(&message, MCP_ANSWER_BYTES_MAX + MESSAGE_ROOM);
    http_message(text, 0, &message);
    http_stream(&site->http, channel, buf_str(&message));
    buf_release(&message);
}

static void on_send(void *context, const struct mcp_send *send)
{
    struct site *site = context;

    switch (send->kind) {
    case MCP_SEND_NOTHING:
        http_answer(&site->http, send->channel, send->status, NULL, STR(""));
        break;
    case MCP_SEND_NOTIFICATION:
        stream_say(site, send->channel, send->text);
        break;
    case MCP_SEND_ANSWER:
        if (http_is_stream(&site->http, send->channel)) {
            stream_say(site, send->channel, send->text);
            http_stream_end(&site->http, send->channel);
        } else {
            if (send->opens) {
                http_answer_header(&site->http, send->channel, "Mcp-Session-Id",
                                   session_begin(&site->sessions));
            }
            http_answer(&site->http, send->channel, send->status, "application/json", send->text);
        }
        break;
    }
}

static void on_request(struct site *site, const struct http_event *event)
{
    struct mcp_headers headers = {
        .version = http_header(event->head, "mcp-protocol-version"),
        .method = http_header(event->head, "mcp-method"),
        .name = http_header(event->head, "mcp-name"),
    };
    struct str session = http_header(event->head, "mcp-session-id");
    /* The newest protocol has no sessions, and what is said about one is ignored. */
    bool named = session.data && !str_is(headers.version, mcp_version_newest());

    if (named) headers.session = session_find(&site->sessions, session);
    if (named && headers.session == 0) {
        http_answer(&site->http, event->id, 404, NULL, STR(""));
    } else if (!str_is(event->head->method, "DELETE")) {
        mcp_take(&site->mcp, event->id, event->body, &headers, now_steady_ms());
    } else if (named) {
        session_end(&site->sessions, headers.session);
        http_answer(&site->http, event->id, 200, NULL, STR(""));
    } else {
        http_answer(&site->http, event->id, 405, NULL, STR(""));
    }
}

static void on_event(struct site *site, const struct http_event *event)
{

    switch (event->kind) {
    case HTTP_EVENT_NONE:
        break;
    case HTTP_EVENT_GONE:
        mcp_gone(&site->mcp, event->id);
        break;
    case HTTP_EVENT_REQUEST:
        on_request(site, event);
        break;
    }
}

/* A client that waits long gets an empty comment now and then: the server is alive. */
static void keep_alive(struct site *site, uint64_t now_ms)
{
    if (now_ms - site->said_ms < KEEP_ALIVE_MS) return;
    site->said_ms = now_ms;
    for (uint32_t i = 0; i < site->mcp.call_count; i++) {
        const struct mcp_call *call = site->mcp.calls[i].call;
        if (now_ms - call->begun_ms < KEEP_ALIVE_MS || call->mute) continue;
        stream_say(site, call->channel, STR(""));
    }
}

static void serve_until(struct site *site, struct signals *signals)
{
    struct http_event event;

    while (signals_take(signals) == 0) {
        int64_t due_ms = mcp_due_in(&site->mcp, now_steady_ms());

        http_next(&site->http, &signals->fd, 1, due_ms, &event);
        on_event(site, &event);
        mcp_step(&site->mcp, now_steady_ms());
        keep_alive(site, now_steady_ms());
    }
}

/* ---- the token ---- */

/* The one that is kept, or a new one. The file is made anew in any case, so that it is private. */
static int find_token(struct site *site, const char *folder, const char *name, struct err *err)
{
    struct err none;
    struct buf kept;
    int rc;

    buf_init(&kept, TOKEN_BYTES_MAX);
    rc = scratch_read(folder, name, &kept, &none);
    if (rc == 0 && door_is_token(str_trim(buf_str(&kept)))) {
        memcpy(site->door.token, str_trim(buf_str(&kept)).data, DOOR_TOKEN_LETTERS);
    } else {
        door_new_token(&site->door);
    }
    buf_clear(&kept);
    buf_printf(&kept, "%s\n", site->door.token);
    rc = scratch_replace(folder, name, buf_str(&kept), err);
    buf_release(&kept);
    return rc;
}

/* *file is where it is kept. */
static int token_open(struct site *site, const char *cwd, struct arena *arena, const char **file,
                      struct err *err)
{
    const char *folder = trust_folder(arena), *name = NULL;
    struct repo repo = { 0 };
    int rc = repo_open(&repo, cwd, true, err);

    if (rc == 0 && !folder) {
        rc = err_set(err, ERR_MISSING, "there is no home folder to keep it in; set HOME or "
                     "XDG_STATE_HOME");
    }
    if (rc == 0) rc = file_make_folder(folder, false, err);
    if (rc == 0) {
        name = arena_printf(arena, "mcp-token-%016" PRIx64,
                            hash_text(HASH_START, str_of(repo.hone_dir)));
        rc = find_token(site, folder, name, err);
    }
    if (rc == 0) *file = arena_printf(arena, "%s/%s", folder, name);
    repo_release(&repo);
    return rc == 0 ? 0 : err_wrap(err, "token");
}

/* ---- the server ---- */

int serve_http(const struct serve_request *request, struct err *err)
{
    struct world world = world_here(request->cwd);
    struct signals signals = { .fd = -1 };
    struct site site = { .http.fd = -1 };
    struct arena arena = { 0 };
    const char *file = NULL;
    int rc;

    mcp_init(&site.mcp, &(struct mcp_setup){
        .tools = request->tools,
        .version = request->version,
        .instructions = request->instructions,
        .reading_only = request->reading_only,
        .world = &world,
        .send = on_send,
        .context = &site,
    });
    rc = token_open(&site, request->cwd, &arena, &file, err);
    if (rc == 0) rc = signals_open(&signals, err);
    if (rc == 0) {
        rc = http_open(&site.http, &(struct http_setup){
            .port = request->port, .body_bytes_max = RPC_BYTES_MAX,
            .admit = admit, .refuse = on_refused, .methods = "POST, DELETE", .context = &site,
        }, err);
    }
    if (rc == 0) {
        request->listening(request->context, arena_printf(&arena, "http://127.0.0.1:%u/mcp",
                           (unsigned)site.http.port), file);
        serve_until(&site, &signals);
    }
    mcp_release(&site.mcp);
    http_close(&site.http);
    signals_close(&signals);
    arena_release(&arena);
    return rc;
}
