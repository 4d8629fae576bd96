/* SPDX-License-Identifier: Apache-2.0
 *
 * lock.c - {uuid}.lock: which process works on a session, as other tools write and read it.
 *
 *     {"pid":4711,"started_at":"2026-11-15T08:40:00Z","entry_point":"review-loop",
 *      "stop_after":null}                 one line; or "pid: 4711" and so on, a line each
 *
 * Not here: whether that process lives (the driver). */
#include "dialect/session/file.h"

#include "format/json/flat_config.h"
#include "format/json/json.h"

void session_lock_write(const struct session_lock *lock, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);

    yyjson_mut_obj_add_uint(doc, root, "pid", lock->pid);
    json_add_text(doc, root, "started_at", lock->started_at);
    json_add_text(doc, root, "entry_point", lock->entry_point);
    yyjson_mut_obj_add_val(doc, root, "stop_after", lock->stop_after.size
                           ? json_text(doc, lock->stop_after) : yyjson_mut_null(doc));
    json_write(doc, false, out);
    buf_byte(out, '\n');
    yyjson_mut_doc_free(doc);
}

static void read_json(yyjson_val *root, struct arena *arena, struct session_lock *out)
{
    struct str pid = json_str(root, "pid");

    if (!json_uint(root, "pid", &out->pid) && !(pid.data && str_number(pid, &out->pid))) {
        out->pid = 0;
    }
    out->started_at = arena_copy(arena, json_str(root, "started_at"));
    out->entry_point = arena_copy(arena, json_str(root, "entry_point"));
    out->stop_after = arena_copy(arena, json_str(root, "stop_after"));
}

static void read_lines(struct str text, struct arena *arena, struct session_lock *out)
{
    struct flat_config config;
    const struct flat_value *pid, *value;

    flat_config_read(text, arena, &config);
    pid = flat_config_find(&config, "pid");
    if (!pid || !str_number(pid->text, &out->pid)) out->pid = 0;
    value = flat_config_find(&config, "started_at");
    if (value) out->started_at = value->text;
    value = flat_config_find(&config, "entry_point");
    if (value) out->entry_point = value->text;
    value = flat_config_find(&config, "stop_after");
    if (value && !str_is(value->text, "null")) out->stop_after = value->text;
}

int session_lock_read(struct str text, struct arena *arena, struct session_lock *out,
                      struct err *err)
{
    yyjson_doc *doc = NULL;
    struct err none;

    *out = (struct session_lock){ .started_at = { "", 0 }, .entry_point = { "", 0 },
                                  .stop_after = { "", 0 } };
    if (json_read(text, &doc, &none) == 0) {
        read_json(yyjson_doc_get_root(doc), arena, out);
        yyjson_doc_free(doc);
    } else {
        read_lines(text, arena, out);
    }
    if (out->pid == 0) return err_set(err, ERR_FORMAT, "the lock names no process");
    return 0;
}
