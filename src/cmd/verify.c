/* SPDX-License-Identifier: Apache-2.0
 *
 * verify.c - hone verify: what the signals of a cycles session say. The files that a signal names
 * are not read.
 *
 *     phase-1-review-1.done: success
 *     phase-1-fix-1.fail: fail (spec-fixer: ran into its time limit)
 *     phase-1-review-2.done: success (PASS - no fix needed)
 *     completed: 2
 *     failed: 1
 *     total_size: 2104
 *     paths: 2
 *
 * 1. A signal is completed when it is a regular file that no link leads to, can be read, says
 *    success and has a name that ends in .done. Every other file with a signal's name has failed.
 * 2. Sizes and paths are those of the completed signals.
 * 3. A signal's text is printed as one line without control characters.
 * 4. Where there is no signal yet, a message says so; the action `count` prints 0 all the same. */
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/suggest.h"

#include "base/mem.h"
#include "cmd/verbs.h"
#include "format/signal.h"
#include "io/file/peek.h"
#include "run/look.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum action_word {
    ACTION_SUMMARY,
    ACTION_COUNT,
    ACTION_FAILURES,
    ACTION_PATHS,
    ACTION_SIZES,
    ACTION_TOTAL_SIZE,
    ACTION_WORDS
};

static const char *const action_words[ACTION_WORDS] = {
    [ACTION_SUMMARY] = "summary", [ACTION_COUNT] = "count", [ACTION_FAILURES] = "failures",
    [ACTION_PATHS] = "paths",     [ACTION_SIZES] = "sizes", [ACTION_TOTAL_SIZE] = "total-size",
};

struct entry {
    const char *name;
    struct signal signal;
    bool completed;
};

struct session {
    struct arena arena;
    struct entry *entries; /* in the order of the session */
    uint32_t count, cap;
    uint32_t completed, paths;
    uint64_t total_bytes;
};

static int by_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return signal_name_compare(str_of(x->name), str_of(y->name));
}

static void entry_read(struct session *session, struct peek *peek, struct entry *entry)
{
    const char *path = arena_printf(&session->arena, ".signals/%s", entry->name);
    struct signal_name name;
    struct err err = { 0 };
    struct buf text;
    int rc;

    buf_init(&text, SIGNAL_BYTES_MAX);
    if (!peek_look(peek, str_of(path), NULL)) {
        rc = err_set(&err, ERR_FORMAT, "it is no file, or a link leads to it");
    } else {
        rc = peek_read(peek, str_of(path), &text, &err);
    }
    if (rc == 0) rc = signal_read(buf_str(&text), &session->arena, &entry->signal, &err);
    if (rc != 0) entry->signal.error = arena_copy(&session->arena, str_of(err.text));
    buf_release(&text);
    (void)signal_name_read(str_of(entry->name), &name);
    entry->completed = rc == 0 && entry->signal.success && !name.failed;
    if (!entry->completed) return;
    session->completed++;
    session->paths += entry->signal.path.size > 0;
    session->total_bytes += entry->signal.size;
}

static int session_read(struct session *session, const char *folder, struct err *err)
{
    const char *signals = arena_printf(&session->arena, "%s/.signals", folder);
    const char *const *names;
    struct peek peek;
    int rc;

    if (!real_folder(folder, &session->arena)) {
        return err_set(err, ERR_MISSING, "%s: there is no such folder", folder);
    }
    rc = peek_open(&peek, folder, err);
    if (rc != 0) return rc;
    for (names = folder_names(signals, "", &session->arena); *names; names++) {
        struct signal_name name;

        if (!signal_name_read(str_of(*names), &name)) continue;
        session->entries = mem_grow(session->entries, session->count, &session->cap,
                                    sizeof *session->entries);
        session->entries[session->count] = (struct entry){ .name = *names };
        entry_read(session, &peek, &session->entries[session->count++]);
    }
    peek_close(&peek);
    if (session->count) qsort(session->entries, session->count, sizeof *session->entries, by_name);
    return 0;
}

static void session_release(struct session *session)
{
    free(session->entries);
    arena_release(&session->arena);
}

/* ---- as text ---- */

static void add_text(struct buf *out, struct str text)
{
    add_safe(out, text.data, 0); /* of the arena: a NUL is behind it */
}

static void add_state(struct buf *out, const struct entry *entry)
{
    struct signal_name name;

    (void)signal_name_read(str_of(entry->name), &name);
    add_safe(out, entry->name, 0);
    buf_printf(out, ": %s", entry->completed ? "success" : "fail");
    if (entry->completed && name.step == SIGNAL_REVIEW && str_is(entry->signal.grade, "PASS")) {
        buf_text(out, " (PASS - no fix needed)");
    } else if (!entry->completed && entry->signal.error.size) {
        buf_text(out, " (");
        add_text(out, entry->signal.error);
        buf_byte(out, ')');
    }
    buf_byte(out, '\n');
}

static void add_entry(struct buf *out, const struct entry *entry, enum action_word action)
{
    switch (action) {
    case ACTION_SUMMARY:
        add_state(out, entry);
        break;
    case ACTION_FAILURES:
        if (entry->completed) break;
        add_safe(out, entry->name, 0);
        buf_byte(out, '\n');
        break;
    case ACTION_PATHS:
        if (!entry->completed || entry->signal.path.size == 0) break;
        add_text(out, entry->signal.path);
        buf_byte(out, '\n');
        break;
    case ACTION_SIZES:
        if (!entry->completed) break;
        add_safe(out, entry->name, 0);
        buf_printf(out, ": %" PRIu64 "\n", entry->signal.size);
        break;
    case ACTION_COUNT:
    case ACTION_TOTAL_SIZE:
    case ACTION_WORDS:
        break;
    }
}

static void show_text(const struct session *session, enum action_word action)
{
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    for (uint32_t i = 0; i < session->count; i++) add_entry(&out, &session->entries[i], action);
    if (action == ACTION_COUNT) buf_printf(&out, "%" PRIu32 "\n", session->completed);
    if (action == ACTION_TOTAL_SIZE) buf_printf(&out, "%" PRIu64 "\n", session->total_bytes);
    if (action == ACTION_SUMMARY) {
        buf_printf(&out, "completed: %" PRIu32 "\nfailed: %" PRIu32 "\ntotal_size: %" PRIu64 "\n"
                   "paths: %" PRIu32 "\n", session->completed,
                   session->count - session->completed, session->total_bytes, session->paths);
    }
    say_take(&out);
}

/* ---- as JSON ---- */

static void add_member(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                       struct str text)
{
    if (text.size) yyjson_mut_obj_add_val(doc, object, key, json_text(doc, text));
}

/* Every action prints the same members: a script picks the one it needs. */
static void show_json(const struct session *session)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list;

    list = yyjson_mut_obj_add_arr(doc, root, "signals");
    for (uint32_t i = 0; i < session->count; i++) {
        const struct entry *entry = &session->entries[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

        json_add(doc, object, "name", entry->name);
        json_add(doc, object, "status", entry->completed ? "success" : "fail");
        add_member(doc, object, "path", entry->signal.path);
        if (entry->signal.has_size) {
            yyjson_mut_obj_add_uint(doc, object, "size", entry->signal.size);
        }
        add_member(doc, object, "created_at", entry->signal.created_at);
        add_member(doc, object, "grade", entry->signal.grade);
        add_member(doc, object, "error", entry->signal.error);
    }
    yyjson_mut_obj_add_uint(doc, root, "completed", session->completed);
    yyjson_mut_obj_add_uint(doc, root, "failed", session->count - session->completed);
    yyjson_mut_obj_add_uint(doc, root, "total_size", session->total_bytes);
    yyjson_mut_obj_add_uint(doc, root, "paths", session->paths);
    say_json(doc, true);
}

/* ---- the verb ---- */

static int find_action(const char *word, enum action_word *out, struct err *err)
{
    struct suggest suggest;

    *out = ACTION_SUMMARY;
    if (!word) return 0;
    suggest_init(&suggest, str_of(word));
    for (int i = 0; i < ACTION_WORDS; i++) {
        *out = (enum action_word)i;
        if (strcmp(word, action_words[i]) == 0) return 0;
        suggest_offer(&suggest, action_words[i]);
    }
    return suggest_refuse(&suggest, "action", "there is", err);
}

static int handle(struct call *call)
{
    struct session session = { .count = 0 };
    enum action_word action;
    struct err err;
    int rc, code = CODE_DONE;

    rc = find_action(call_value(call, "action"), &action, &err);
    if (rc == 0) rc = session_read(&session, call_argument(call, 0), &err);
    if (rc != 0) {
        code = say_err(&err);
    } else if (call->json) {
        show_json(&session);
    } else {
        show_text(&session, action);
    }
    if (rc == 0 && session.count == 0) {
        (void)say_fail(CODE_DONE, "%s has no signals: there is nothing to verify. A cycles run "
                       "writes them to .signals in its session folder", call_argument(call, 0));
    }
    session_release(&session);
    return code;
}

const struct verb verb_verify = {
    .name = "verify",
    .summary = "say what the signals of a cycles session tell",
    .text = {
        "Reads the signals in DIR/.signals and says which steps are over, and how. A signal that "
        "cannot be read, or does not say success, has failed. The files that they tell of are not "
        "looked at.",
        "summary prints a line for each signal, in the order of phases and cycles, and the totals; "
        "count how many were completed; failures the names of those that failed; paths and sizes "
        "what the completed ones tell of; total-size the sum of that in bytes. With --json "
        "every action prints one object with all of it.",
    },
    .arguments = {
        { .name = "DIR", .help = "the folder of the session, such as tmp/mux/20260115-0840-login",
          .words = "the folder of a cycles session" },
    },
    .options = {
        { .name = "action", .argument = "ACTION",
          .help = "summary, count, failures, paths, sizes or total-size; summary by default",
          .words = "summary, count, failures, paths, sizes or total-size" },
    },
    .codes = {
        { CODE_DONE, "the signals were read; some may tell of a failure" },
        { CODE_USAGE, "there is no such folder or action" },
        { CODE_FAILED, "the folder could not be read" },
    },
    .examples = {
        "hone verify tmp/mux/20260115-0840-login",
        "hone verify tmp/mux/20260115-0840-login --action failures",
    },
    .handle = handle,
};
