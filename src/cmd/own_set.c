/* SPDX-License-Identifier: Apache-2.0
 *
 * own_set.c - hone's own settings, listed and changed.
 *
 *     what holds --> the file's text with the change in it --> read again --> written
 *
 * 1. Nothing is written that could not be read, and a file is written whole or not at all.
 * 2. Where another file wins over the change, that is said.
 * 3. Who names a command in the project's file has agreed to it; not to others that it held and
 *    that nobody has agreed to. */
#include "cmd/own.h"

#include "cmd/say.h"

#include <string.h>

/* "agents.*" of "agents.ROLE"; NULL of those that one dialect has. */
static const char *others_path(const struct hone_key *key, struct arena *arena)
{
    const char *dot = strrchr(key->path, '.');

    if (!hone_key_has_role(key) || hone_key_dialect(str_of(key->path))) return NULL;
    return arena_printf(arena, "%.*s.*", (int)(dot - key->path), key->path);
}

void own_list(const struct hone_own *own, struct arena *arena, struct config_list *out)
{
    for (const struct hone_key *key = hone_keys(); key->path; key++) {
        const char *others = others_path(key, arena);
        bool said = false;

        if (others && !hone_find(&own->values, others)) {
            config_list_add(out, arena, (struct config_item){ .path = others, .value = "null" });
        }
        for (uint32_t i = 0; i < own->values.count; i++) {
            const struct hone_value *value = &own->values.items[i];
            if (value->key != key) continue;
            said = true;
            config_list_add(out, arena, (struct config_item){
                .path = value->path, .value = value->json, .from = value->names,
            });
        }
        if (said || hone_key_has_role(key) || strcmp(key->path, "$schema") == 0) continue;
        config_list_add(out, arena, (struct config_item){
            .path = key->path, .value = key->builtin ? key->builtin : "null",
        });
    }
}

static void say_value(struct buf *out, const struct hone_own *own, uint32_t place,
                      const char *path)
{
    const struct hone_value *value = hone_find(&own->values, path);
    const struct hone_file *file = &own->files[place];

    add_safe(out, path, 0);
    if (!value) {
        buf_text(out, " is not set any more in ");
        add_safe(out, file->name, 0);
    } else if (value->from == file) {
        buf_text(out, " is now ");
        add_safe(out, value->json, 0);
        buf_text(out, ", by ");
        add_safe(out, value->names, 0);
    } else {
        buf_text(out, " was changed in ");
        add_safe(out, file->name, 0);
        buf_text(out, ", but stays ");
        add_safe(out, value->json, 0);
        buf_text(out, ", by ");
        add_safe(out, value->names, 0);
        buf_text(out, ", which wins");
    }
    buf_byte(out, '\n');
}

/* Changes the file; own then holds what is said afterwards. */
static int change(struct hone_own *own, const struct call *call, const char *path,
                  const char *word, struct err *err)
{
    uint32_t place = call_has(call, "user") ? HONE_FILE_USER : HONE_FILE_PROJECT;
    struct str old = STR("");
    struct buf text;
    bool agreed;
    int rc = hone_own_open(own, call->cwd, true, err);

    agreed = rc == 0 && own_is_agreed(own);
    if (rc == 0 || rc == ERR_USAGE) rc = hone_own_text(own, place, &old, err);
    if (rc != 0) return rc;
    buf_init(&text, HONE_FILE_BYTES_MAX);
    rc = hone_edit(old, &own->files[place], path, word, &text, err);
    if (rc == 0) rc = hone_own_write(own, place, buf_str(&text), false, err);
    buf_release(&text);
    if (rc != 0) return rc;
    hone_own_close(own);
    rc = hone_own_open(own, call->cwd, true, err);
    if (rc == 0 && agreed && place == HONE_FILE_PROJECT) {
        struct err none;
        (void)own_remember(own, &none); /* else it is asked about when it is used */
    }
    return rc;
}

int own_set(const struct call *call, const char *path, const char *word)
{
    uint32_t place = call_has(call, "user") ? HONE_FILE_USER : HONE_FILE_PROJECT;
    struct hone_own own = { 0 };
    struct err err = { 0 };
    struct buf out;
    int rc = change(&own, call, path, word, &err);

    if (rc == 0 && !call->quiet) {
        buf_init(&out, SAY_BYTES_MAX);
        say_value(&out, &own, place, path);
        say_out(&out);
        buf_release(&out);
    }
    hone_own_close(&own);
    return rc == 0 ? CODE_DONE : say_err(&err);
}
