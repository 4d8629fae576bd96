/* SPDX-License-Identifier: Apache-2.0
 *
 * service.c - one request to a service, by its own program.
 *
 * gh and glab have a login, or find a token in their environment: hone has none, and asks for none.
 *
 *     gh api --include --method POST repos/o/n/issues/7/comments --input -      body by stdin
 *
 * 1. Nothing that an agent wrote stands on a command line, and there is no shell.
 * 2. Its answer is the head of an HTTP answer, and what follows. By the status it is decided
 *    whether to ask again; a program that failed without one could not reach its service, or has no
 *    login.
 * 3. It has timeout_ms, and is ended then: perhaps the service has done what it was asked. So a
 *    request that makes something is never asked again without a look at what stands there.
 * 4. Waits are bounded in all: where a service says "in an hour", that is said and not waited for.
 *
 *   status                                    outcome
 *   2xx                                       done
 *   429; 403 with a limit; 408, 5xx; none     later: Retry-After, or x-ratelimit-reset, is kept to
 *   401                                       never
 *   other                                     refused */
#include "report/service.h"

#include "base/byte.h"
#include "format/text/safe.h"
#include "format/text/words.h"
#include "io/file/file.h"
#include "io/process/helper.h"
#include "io/process/signals.h"

#include <inttypes.h>

#define SECONDS_MAX UINT64_C(253402300799) /* the end of the year 9999 */

enum { ANSWER_BYTES_MAX = 64 << 20, PAUSE_MS = 500, WHY_BYTES_MAX = 300, ARGUMENTS_MAX = 20 };

/* ---- the program ---- */

/* Without colours, questions, pagers and looks for newer versions. */
static const char *const quiet[] = {
    "NO_COLOR=1", "CLICOLOR_FORCE=0", "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1",
    "GH_FORCE_TTY=", "GH_DEBUG=", "GH_PAGER=cat", "GLAB_CHECK_UPDATE=false", "NO_PROMPT=1",
    "GLAB_PAGER=cat", "PAGER=cat", NULL,
};

static void arguments_make(const struct service *service, const struct service_question *question,
                           struct arena *arena, const char *argv[ARGUMENTS_MAX])
{
    const struct request *request = service->request;
    uint32_t count = 0;

    argv[count++] = service_programs[request->service];
    argv[count++] = "api";
    argv[count++] = "--include";
    argv[count++] = "--method";
    argv[count++] = question->method;
    argv[count++] = "--hostname";
    argv[count++] = request->host;
    if (question->accept) {
        argv[count++] = "--header";
        argv[count++] = arena_printf(arena, "Accept: %s", question->accept);
    }
    if (question->body.size > 0) {
        argv[count++] = "--header";
        argv[count++] = "Content-Type: application/json";
        argv[count++] = "--input";
        argv[count++] = "-";
    }
    argv[count++] = question->path;
    argv[count] = NULL;
}

/* ---- the answer ---- */

struct head {
    int status; /* 0: there is no head */
    uint64_t retry_after_s, reset_s;
    bool exhausted;     /* x-ratelimit-remaining is 0 */
    struct str body;
};

static void header_read(struct head *head, struct str line)
{
    struct str name, value = line;
    uint64_t number;

    if (!str_cut(&value, ':', &name) || !str_number(str_trim(value), &number)) return;
    if (number > SECONDS_MAX) number = SECONDS_MAX;
    if (word_is(name, "retry-after")) head->retry_after_s = number;
    if (word_is(name, "x-ratelimit-remaining") || word_is(name, "ratelimit-remaining"))
        head->exhausted = number == 0;
    if (word_is(name, "x-ratelimit-reset") || word_is(name, "ratelimit-reset"))
        head->reset_s = number;
}

/* "HTTP/2.0 201 Created", headers, an empty line. */
static struct head head_read(struct str said)
{
    struct head head = { .body = said };
    struct str line, word;
    uint64_t status;

    if (!str_starts(said, STR("HTTP/")) || !str_cut(&said, '\n', &line)) return head;
    (void)str_cut(&line, ' ', &word);
    if (!str_cut(&line, ' ', &word) || !str_number(str_trim(word), &status)) return head;
    if (status < 100 || status > 999) return head;
    head.status = (int)status;
    while (str_cut(&said, '\n', &line) && str_trim(line).size > 0) header_read(&head, line);
    head.body = said;
    return head;
}

/* What the service says is wrong, in one harmless line; empty: nothing. */
static const char *message_of(struct str body, struct arena *arena)
{
    yyjson_doc *doc = NULL;
    yyjson_val *root, *value;
    struct str text = { "", 0 };
    const char *out;
    struct err none;

    if (json_read(body, &doc, &none) != 0) return "";
    root = yyjson_doc_get_root(doc);
    value = yyjson_arr_get_first(yyjson_obj_get(root, "errors"));
    if (value) text = yyjson_is_obj(value) ? json_str(value, "message") : json_value(value);
    if (text.size == 0) text = json_str(root, "message");
    if (text.size == 0) text = json_str(root, "error");
    out = safe_copy(arena, text, WHY_BYTES_MAX);
    yyjson_doc_free(doc);
    return out;
}

static enum service_outcome outcome_set(struct service *service, enum service_outcome outcome,
                                        const struct service_question *question, const char *why)
{
    (void)err_set(&service->err, outcome == SERVICE_NEVER ? ERR_USAGE : ERR_FAILED, "%s: %s %s: %s",
                  service_titles[service->request->service], question->method, question->path, why);
    return outcome;
}

/* A limit: how long until it is over. Of a moment in the past, and of none, nothing is known. */
static void retry_set(struct service *service, const struct head *head)
{
    uint64_t now_s = now_wall_ms() / 1000;

    service->retry_ms = 0;
    if (head->retry_after_s > 0) service->retry_ms = head->retry_after_s * 1000;
    else if (head->exhausted && head->reset_s > now_s)
        service->retry_ms = (head->reset_s - now_s) * 1000;
}

static bool is_limit(const struct head *head, const char *message)
{
    if (head->status == 429) return true;
    return head->status == 403 &&
           (head->retry_after_s > 0 || head->exhausted || text_has(str_of(message), "rate limit") ||
            text_has(str_of(message), "abuse detection"));
}

static enum service_outcome outcome_of(struct service *service,
                                       const struct service_question *question,
                                       const struct head *head, struct arena *arena)
{
    const char *message = message_of(head->body, arena);
    const char *why = arena_printf(arena, "HTTP %d%s%s", head->status, *message ? ": " : "",
                                   message);

    if (head->status >= 200 && head->status < 300) return SERVICE_DONE;
    if (is_limit(head, message)) {
        retry_set(service, head);
        return outcome_set(service, SERVICE_LATER, question,
                           arena_printf(arena, "%s: asked too often", why));
    }
    if (head->status >= 500 || head->status == 408) {
        retry_set(service, head);
        return outcome_set(service, SERVICE_LATER, question, why);
    }
    if (head->status == 401) {
        return outcome_set(service, SERVICE_NEVER, question,
                           arena_printf(arena, "%s; '%s auth login', or give it a token in its "
                                        "environment", why,
                                        service_programs[service->request->service]));
    }
    return outcome_set(service, SERVICE_REFUSED, question, why);
}

/* Errors in an answer that is 200: GraphQL's way. */
static enum service_outcome graph_outcome(struct service *service,
                                          const struct service_question *question, struct str body,
                                          struct arena *arena)
{
    const char *message = message_of(body, arena);
    yyjson_doc *doc = NULL;
    struct str type;
    struct err none;
    enum service_outcome outcome = SERVICE_REFUSED;

    if (!*message || json_read(body, &doc, &none) != 0) return SERVICE_DONE;
    type = json_str(yyjson_arr_get_first(yyjson_obj_get(yyjson_doc_get_root(doc), "errors")),
                    "type");
    if (word_is(type, "RATE_LIMITED") || text_has(str_of(message), "rate limit"))
        outcome = SERVICE_LATER;
    if (word_is(type, "NOT_FOUND")) service->status = 404;
    yyjson_doc_free(doc);
    return outcome_set(service, outcome, question, message);
}

/* The program ended without an answer of the service. */
static enum service_outcome silent(struct service *service, int rc,
                                   const struct service_question *question, const struct err *err,
                                   struct arena *arena)
{
    const char *program = service_programs[service->request->service];

    if (rc == ERR_MISSING) {
        return outcome_set(service, SERVICE_NEVER, question,
                           arena_printf(arena, "the program %s is not installed; it is what hone "
                                        "posts with", program));
    }
    if (text_has(str_of(err->text), "auth login") || text_has(str_of(err->text), "_TOKEN")) {
        return outcome_set(service, SERVICE_NEVER, question,
                           arena_printf(arena, "%s; '%s auth login', or give it a token in its "
                                        "environment", err->text, program));
    }
    return outcome_set(service, SERVICE_LATER, question,
                       rc == 0 ? "the answer is none of HTTP" : err->text);
}

enum service_outcome service_ask(struct service *service, const struct service_question *question,
                                 struct arena *arena, struct str *body)
{
    const char *argv[ARGUMENTS_MAX];
    struct helper_call call = { .argv = argv, .env = quiet, .input = question->body,
                                .limit_ms = service->timeout_ms };
    enum service_outcome outcome;
    struct head head = { 0 };
    struct err err = { 0 };
    struct buf said;
    int rc;

    arguments_make(service, question, arena, argv);
    service->retry_ms = 0;
    buf_init(&said, ANSWER_BYTES_MAX);
    rc = helper_ask(&call, &said, &err);
    if (rc == 0 || rc == ERR_FAILED) head = head_read(buf_str(&said));
    service->status = head.status;
    if (head.status == 0) {
        outcome = silent(service, rc, question, &err, arena);
    } else {
        outcome = outcome_of(service, question, &head, arena);
        if (outcome == SERVICE_DONE && question->graph)
            outcome = graph_outcome(service, question, head.body, arena);
    }
    *body = arena_copy(arena, head.body);
    buf_release(&said);
    return outcome;
}

enum service_outcome service_ask_json(struct service *service,
                                      const struct service_question *question,
                                      struct arena *arena, yyjson_doc **out)
{
    struct str body;
    struct err why = { 0 };
    enum service_outcome outcome = service_ask(service, question, arena, &body);

    *out = NULL;
    if (outcome != SERVICE_DONE) return outcome;
    if (json_read(body, out, &why) == 0) return SERVICE_DONE;
    return outcome_set(service, SERVICE_LATER, question,
                       arena_printf(arena, "the answer cannot be read: %s", why.text));
}

enum service_outcome service_unread(struct service *service, enum service_outcome outcome)
{
    if (outcome != SERVICE_REFUSED) return outcome;
    if (service->status == 404) service->err.code = ERR_MISSING;
    return SERVICE_NEVER;
}

bool commit_fits(struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (!byte_is_hex(text.data[i])) return false;
    }
    return text.size == 40 || text.size == 64;
}

bool service_wait(struct service *service, uint32_t nth)
{
    uint64_t wait_ms = service->retry_ms;

    if (wait_ms == 0) wait_ms = (uint64_t)PAUSE_MS << (nth < 6 ? nth : 6);
    if (wait_ms > service->wait_ms_left) return false;
    service->wait_ms_left -= wait_ms;
    wait_readable(-1, -1, (int64_t)wait_ms);
    return true;
}
