/* SPDX-License-Identifier: Apache-2.0
 *
 * lsp.c - the life of a server, its methods, and how messages go out.
 *
 *   NEW --initialize--> READY --shutdown--> DOWN --exit--> OVER (0)
 *    '-------------------'-------------------------exit--> OVER (1)
 *
 * 1. A request is answered exactly once: NEW knows initialize alone (-32002), READY the table of
 *    methods (-32601), DOWN nothing (-32600). A notification is never answered.
 * 2. A message that cannot be read is answered with its id where that could be read, else with
 *    null. It may have been an edit: what was open is then taken for closed, since a mark in a text
 *    that is not the editor's would be a lie.
 * 3. Positions are counted in the first encoding of the editor's list that there is; utf-16 where
 *    it names none.
 *
 * Not here: documents (page.c), runs (project.c), what a person chooses (action.c). */
#include "serve/lsp/parts.h"

#include "base/mem.h"
#include "format/text/safe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAID_BYTES_MAX = 2000, ERRAND_EVERY_MS = 50 };

/* ---- out ---- */

static void send_out(struct lsp *lsp, const struct buf *message)
{
    lsp->setup.send(lsp->setup.context, buf_str(message));
}

void lsp_error(struct lsp *lsp, const struct rpc_id *id, int code, const char *words)
{
    yyjson_mut_doc *doc = json_new();
    struct buf out;

    buf_init(&out, LSP_ANSWER_BYTES_MAX);
    if (rpc_write_error(id->size > 0 ? id : &rpc_id_null, code, words, doc, NULL, &out)) {
        send_out(lsp, &out);
    }
    buf_release(&out);
    yyjson_mut_doc_free(doc);
}

void lsp_result(struct lsp *lsp, const struct rpc_id *id, yyjson_mut_doc *doc,
                yyjson_mut_val *result)
{
    struct buf out;

    buf_init(&out, LSP_ANSWER_BYTES_MAX);
    if (rpc_write_result(id, doc, result, &out)) send_out(lsp, &out);
    else lsp_error(lsp, id, RPC_INTERNAL, "the answer is too long");
    buf_release(&out);
}

void lsp_notify(struct lsp *lsp, const char *method, yyjson_mut_doc *doc, yyjson_mut_val *params)
{
    struct buf out;

    buf_init(&out, LSP_ANSWER_BYTES_MAX);
    if (rpc_write_notification(method, doc, params, &out)) send_out(lsp, &out);
    buf_release(&out);
}

static struct asked *asked_find(struct lsp *lsp, uint64_t number)
{
    for (uint32_t i = 0; i < LSP_ASKED_MAX; i++) {
        if (lsp->asked[i].number == number) return &lsp->asked[i];
    }
    return NULL;
}

bool lsp_ask(struct lsp *lsp, const char *method, yyjson_mut_doc *doc, yyjson_mut_val *params,
             void (*answered)(struct lsp *lsp, void *context, yyjson_val *result), void *context)
{
    struct asked *asked = asked_find(lsp, 0);
    struct rpc_id id;
    struct buf out;

    if (!asked) return false;
    *asked = (struct asked){ ++lsp->asked_last, answered, context };
    id.size = (size_t)snprintf(id.json, sizeof id.json, "\"hone-%" PRIu64 "\"", asked->number);
    buf_init(&out, LSP_ANSWER_BYTES_MAX);
    if (rpc_write_request(&id, method, doc, params, &out)) send_out(lsp, &out);
    buf_release(&out);
    return true;
}

void lsp_forget_asked(struct lsp *lsp, const void *context)
{
    for (uint32_t i = 0; i < LSP_ASKED_MAX; i++) {
        if (lsp->asked[i].context == context) lsp->asked[i].answered = NULL;
    }
}

static void take_answer(struct lsp *lsp, const struct rpc_message *message)
{
    yyjson_val *root = yyjson_doc_get_root(message->doc);
    struct str id = json_str(root, "id");
    struct asked *asked, done;
    uint64_t number;

    if (!str_starts(id, STR("hone-")) || !str_number(str_skip(id, 5), &number) || number == 0) {
        return;
    }
    asked = asked_find(lsp, number);
    if (!asked) return;
    done = *asked;
    *asked = (struct asked){ 0 };
    if (done.answered) done.answered(lsp, done.context, yyjson_obj_get(root, "result"));
}

static void send_words(struct lsp *lsp, const char *method, enum lsp_severity type,
                       const char *words)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *params = yyjson_mut_obj(doc);
    struct buf text;

    buf_init(&text, SAID_BYTES_MAX + 16);
    safe_text(&text, str_of(words), false, SAID_BYTES_MAX);
    yyjson_mut_obj_add_uint(doc, params, "type", type);
    json_add_text(doc, params, "message", buf_str(&text));
    lsp_notify(lsp, method, doc, params);
    buf_release(&text);
    yyjson_mut_doc_free(doc);
}

void lsp_say(struct lsp *lsp, enum lsp_severity type, const char *words)
{
    send_words(lsp, "window/showMessage", type, words);
}

void lsp_log(struct lsp *lsp, enum lsp_severity type, const char *words)
{
    send_words(lsp, "window/logMessage", type, words);
}

/* ---- initialize ---- */

static yyjson_val *get(yyjson_val *object, const char *a, const char *b, const char *c)
{
    yyjson_val *value = yyjson_obj_get(object, a);

    if (b) value = yyjson_obj_get(value, b);
    return c ? yyjson_obj_get(value, c) : value;
}

static void read_client(struct lsp *lsp, yyjson_val *can)
{
    yyjson_val *encodings = get(can, "general", "positionEncodings", NULL);
    yyjson_arr_iter items = yyjson_arr_iter_with(encodings);
    yyjson_val *item;

    lsp->client = (struct client){
        .publishes = get(can, "textDocument", "publishDiagnostics", NULL) != NULL,
        .pulls = get(can, "textDocument", "diagnostic", NULL) != NULL,
        .refreshes = yyjson_is_true(get(can, "workspace", "diagnostics", "refreshSupport")),
        .shows_progress = yyjson_is_true(get(can, "window", "workDoneProgress", NULL)),
        .takes_actions = get(can, "textDocument", "codeAction", "codeActionLiteralSupport") != NULL,
        .takes_versions = yyjson_is_true(get(can, "workspace", "workspaceEdit",
                                             "documentChanges")),
    };
    /* An editor that pulls and says nothing of being told is not told. */
    if (!lsp->client.pulls) lsp->client.publishes = true;
    lsp->encoding = ENCODING_UTF16;
    while ((item = yyjson_arr_iter_next(&items))) {
        if (encoding_from_word(json_value(item), &lsp->encoding)) break;
    }
}

static void read_folders(struct lsp *lsp, yyjson_val *params)
{
    yyjson_val *folders = yyjson_obj_get(params, "workspaceFolders");
    yyjson_arr_iter items = yyjson_arr_iter_with(folders);
    struct str root = json_str(params, "rootUri");
    struct str path = json_str(params, "rootPath");
    yyjson_val *item;
    struct buf uri;

    while ((item = yyjson_arr_iter_next(&items))) folder_add(lsp, json_str(item, "uri"));
    if (yyjson_arr_size(folders) > 0) return;
    if (root.size > 0) {
        folder_add(lsp, root);
    } else if (path.size > 0) {
        buf_init(&uri, LSP_FILE_BYTES_MAX);
        buf_text(&uri, "file://");
        buf_add(&uri, path); /* an older client's: most are plain; others are refused */
        folder_add(lsp, buf_str(&uri));
        buf_release(&uri);
    }
}

static void add_capabilities(const struct lsp *lsp, yyjson_mut_doc *doc, yyjson_mut_val *result)
{
    yyjson_mut_val *can = yyjson_mut_obj_add_obj(doc, result, "capabilities");
    yyjson_mut_val *part = yyjson_mut_obj_add_obj(doc, can, "textDocumentSync"), *list;

    yyjson_mut_obj_add_str(doc, can, "positionEncoding", encoding_word(lsp->encoding));
    yyjson_mut_obj_add_bool(doc, part, "openClose", true);
    yyjson_mut_obj_add_uint(doc, part, "change", 2); /* by edits */
    yyjson_mut_obj_add_bool(doc, part, "save", true);
    part = yyjson_mut_obj_add_obj(doc, can, "codeActionProvider");
    list = yyjson_mut_obj_add_arr(doc, part, "codeActionKinds");
    yyjson_mut_arr_add_str(doc, list, "quickfix");
    part = yyjson_mut_obj_add_obj(doc, can, "executeCommandProvider");
    list = yyjson_mut_obj_add_arr(doc, part, "commands");
    yyjson_mut_arr_add_str(doc, list, "hone.fix");
    yyjson_mut_arr_add_str(doc, list, "hone.waive");
    part = yyjson_mut_obj_add_obj(doc, can, "workspace");
    part = yyjson_mut_obj_add_obj(doc, part, "workspaceFolders");
    yyjson_mut_obj_add_bool(doc, part, "supported", true);
    yyjson_mut_obj_add_bool(doc, part, "changeNotifications", true);
    if (!lsp->client.publishes) { /* one that is told as well would show everything twice */
        part = yyjson_mut_obj_add_obj(doc, can, "diagnosticProvider");
        yyjson_mut_obj_add_str(doc, part, "identifier", "hone");
        yyjson_mut_obj_add_bool(doc, part, "interFileDependencies", false);
        yyjson_mut_obj_add_bool(doc, part, "workspaceDiagnostics", false);
    }
    part = yyjson_mut_obj_add_obj(doc, result, "serverInfo");
    yyjson_mut_obj_add_str(doc, part, "name", "hone");
    yyjson_mut_obj_add_strcpy(doc, part, "version", lsp->setup.version);
}

static void on_initialize(struct lsp *lsp, const struct rpc_id *id, yyjson_val *params)
{
    yyjson_val *process = yyjson_obj_get(params, "processId");
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *result = yyjson_mut_obj(doc);

    if (yyjson_is_uint(process) && yyjson_get_uint(process) < INT32_MAX) {
        lsp->parent = (long)yyjson_get_uint(process);
    }
    read_client(lsp, yyjson_obj_get(params, "capabilities"));
    lsp->life = LIFE_READY;
    add_capabilities(lsp, doc, result);
    lsp_result(lsp, id, doc, result);
    yyjson_mut_doc_free(doc);
    read_folders(lsp, params);
}

/* ---- the other methods ---- */

static void on_shutdown(struct lsp *lsp, const struct rpc_id *id, yyjson_val *params)
{
    yyjson_mut_doc *doc = json_new();

    (void)params;
    lsp->life = LIFE_DOWN;
    lsp_result(lsp, id, doc, yyjson_mut_null(doc));
    yyjson_mut_doc_free(doc);
}

/* textDocument/diagnostic: for an editor that asks. */
static void on_pull(struct lsp *lsp, const struct rpc_id *id, yyjson_val *params)
{
    struct str uri = json_str(yyjson_obj_get(params, "textDocument"), "uri");
    struct page *page = page_find(lsp, uri);
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *result = yyjson_mut_obj(doc);

    yyjson_mut_obj_add_str(doc, result, "kind", "full");
    yyjson_mut_obj_add_val(doc, result, "items",
                           page ? page_diagnostics(lsp, page, doc) : yyjson_mut_arr(doc));
    lsp_result(lsp, id, doc, result);
    yyjson_mut_doc_free(doc);
}

static void on_folders(struct lsp *lsp, yyjson_val *params)
{
    yyjson_val *event = yyjson_obj_get(params, "event"), *item;
    yyjson_arr_iter gone = yyjson_arr_iter_with(yyjson_obj_get(event, "removed"));
    yyjson_arr_iter come = yyjson_arr_iter_with(yyjson_obj_get(event, "added"));

    while ((item = yyjson_arr_iter_next(&gone))) folder_remove(lsp, json_str(item, "uri"));
    while ((item = yyjson_arr_iter_next(&come))) folder_add(lsp, json_str(item, "uri"));
    pages_place_all(lsp);
}

static void on_cancel(struct lsp *lsp, yyjson_val *params)
{
    struct rpc_id id;

    if (rpc_id_read(yyjson_obj_get(params, "id"), &id)) action_cancel(lsp, &id);
}

static const struct {
    const char *name;
    void (*take)(struct lsp *lsp, const struct rpc_id *id, yyjson_val *params);
} requests[] = {
    { "shutdown", on_shutdown },
    { "textDocument/codeAction", action_list },
    { "textDocument/diagnostic", on_pull },
    { "workspace/executeCommand", action_execute },
};

static const struct {
    const char *name;
    void (*take)(struct lsp *lsp, yyjson_val *params);
} notifications[] = {
    { "textDocument/didOpen", page_open },
    { "textDocument/didChange", page_change },
    { "textDocument/didClose", page_close },
    { "textDocument/didSave", page_save },
    { "workspace/didChangeWorkspaceFolders", on_folders },
    { "$/cancelRequest", on_cancel },
};

/* ---- in ---- */

static void take_request(struct lsp *lsp, const struct rpc_message *message)
{
    bool opens = str_is(message->method, "initialize");

    if (lsp->life == LIFE_NEW && opens) {
        on_initialize(lsp, &message->id, message->params);
        return;
    }
    if (lsp->life == LIFE_NEW) {
        lsp_error(lsp, &message->id, LSP_NOT_INITIALIZED, "initialize comes first");
        return;
    }
    if (opens || lsp->life != LIFE_READY) {
        lsp_error(lsp, &message->id, RPC_INVALID,
                  opens ? "initialize comes once" : "the server was shut down");
        return;
    }
    for (uint32_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (!str_is(message->method, requests[i].name)) continue;
        requests[i].take(lsp, &message->id, message->params);
        return;
    }
    lsp_error(lsp, &message->id, RPC_METHOD, "there is no such method here");
}

static void take_notification(struct lsp *lsp, const struct rpc_message *message)
{
    if (str_is(message->method, "exit")) {
        lsp->exit_status = lsp_exit_status(lsp);
        lsp->life = LIFE_OVER;
        return;
    }
    if (lsp->life != LIFE_READY) return;
    for (uint32_t i = 0; i < sizeof notifications / sizeof *notifications; i++) {
        if (!str_is(message->method, notifications[i].name)) continue;
        notifications[i].take(lsp, message->params);
        return;
    }
}

void lsp_take(struct lsp *lsp, struct buf *text)
{
    struct rpc_message message;

    if (lsp->life == LIFE_OVER) return;
    rpc_read_in_place(text, &message);
    switch (message.kind) {
    case RPC_REQUEST: take_request(lsp, &message); break;
    case RPC_NOTIFICATION: take_notification(lsp, &message); break;
    case RPC_RESPONSE: take_answer(lsp, &message); break;
    case RPC_BROKEN:
    case RPC_KIND_COUNT:
        lsp_error(lsp, &message.id, message.code, message.problem);
        pages_close_all(lsp);
        break;
    }
    rpc_release(&message);
}

void lsp_refuse(struct lsp *lsp)
{
    lsp_error(lsp, &rpc_id_null, RPC_INVALID, "the message is longer than 64 MiB");
    pages_close_all(lsp);
}

/* ---- the machine ---- */

struct lsp *lsp_new(const struct lsp_setup *setup)
{
    struct lsp *lsp = mem_alloc(sizeof *lsp);

    *lsp = (struct lsp){ .setup = *setup, .encoding = ENCODING_UTF16 };
    return lsp;
}

void lsp_free(struct lsp *lsp)
{
    errands_free(lsp);
    pages_free(lsp);
    projects_free(lsp);
    free(lsp);
}

void lsp_step(struct lsp *lsp, uint64_t now_ms)
{
    lsp->now_ms = now_ms;
    if (lsp->life != LIFE_READY) return;
    errands_step(lsp);
    projects_step(lsp);
    pages_publish(lsp);
}

int64_t lsp_due_in(const struct lsp *lsp, uint64_t now_ms)
{
    int64_t due = projects_due_in(lsp, now_ms);

    if (lsp->life != LIFE_READY) return -1;
    if (errands_wait(lsp) && (due < 0 || due > ERRAND_EVERY_MS)) due = ERRAND_EVERY_MS;
    return due;
}

bool lsp_is_over(const struct lsp *lsp)
{
    return lsp->life == LIFE_OVER;
}

int lsp_exit_status(const struct lsp *lsp)
{
    if (lsp->life == LIFE_OVER) return lsp->exit_status;
    return lsp->life == LIFE_DOWN ? 0 : 1;
}

long lsp_parent(const struct lsp *lsp)
{
    return lsp->parent;
}
