/* SPDX-License-Identifier: Apache-2.0
 *
 * configure_save.c - a configuration file of iterate, changed where somebody wished it.
 *
 * 1. Members nobody here knows are kept, in their order; so is what is said of other phases.
 * 2. What was there is kept as NAME.backup before anything changes.
 * 3. A file is written whole, or not at all.
 * 4. The user's own folder may be a link, as people have it who keep such files elsewhere. Inside a
 *    project no link is followed: a repository could send us anywhere. */
#include "cmd/configure.h"

#include "base/path.h"
#include "format/json/json.h"
#include "io/file/file.h"
#include "settings/config.h"

enum { PATH_BYTES_MAX = 8192 };

/* The user's file, wherever links lead. */
static void place_user(struct target *target, const char *path, struct arena *arena)
{
    const char *real = file_real(path_folder_text(path, arena), arena);

    target->root = target->backup_root = real ? real : config_path("~/", "", arena);
    target->path = real ? path_leaf_text(path) : str_skip(str_of(target->name), 2).data;
    target->backup = arena_printf(arena, "%s.backup", target->path);
    real = file_real(path, arena);
    if (real) {
        target->root = path_folder_text(real, arena);
        target->path = path_leaf_text(real);
    }
}

static int target_read(struct target *target, const char *path, bool follow, struct arena *arena,
                       struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, CONFIG_BYTES_MAX);
    rc = follow ? file_read(path, &text, err)
                : file_read_in(target->root, target->path, &text, err);
    target->exists = rc == 0;
    if (rc == 0) target->text = arena_copy(arena, buf_str(&text));
    buf_release(&text);
    return rc == 0 || rc == ERR_MISSING ? 0 : err_wrap(err, "read %s", target->name);
}

int target_open(struct target *target, uint32_t place, const char *workspace, struct arena *arena,
                struct err *err)
{
    const char *path;

    *target = (struct target){ .name = iterate_config_files[place] };
    path = config_path(target->name, workspace, arena);
    if (!path) {
        return err_set(err, ERR_USAGE, "there is no home folder to keep %s in: HOME is not set",
                       target->name);
    }
    if (place == PLACE_USER) {
        place_user(target, path, arena);
    } else {
        target->root = target->backup_root = workspace;
        target->path = target->name;
        target->backup = arena_printf(arena, "%s.backup", target->name);
    }
    return target_read(target, path, place == PLACE_USER, arena, err);
}

/* ---- the text ---- */

/* The member of this name, as an object: made where it is not there, or is something else. */
static yyjson_mut_val *object_in(yyjson_mut_doc *doc, yyjson_mut_val *parent, const char *key)
{
    yyjson_mut_val *object = yyjson_mut_obj_get(parent, key);

    if (yyjson_mut_is_obj(object)) return object;
    object = yyjson_mut_obj(doc);
    yyjson_mut_obj_put(parent, yyjson_mut_strcpy(doc, key), object);
    return object;
}

static yyjson_mut_val *value_of(yyjson_mut_doc *doc, enum iterate_field field,
                                const struct iterate_value *value)
{
    switch (iterate_fields[field].kind) {
    case KIND_SWITCH:
        return yyjson_mut_bool(doc, value->number);
    case KIND_RETRIES:
        if (value->number != NO_BOUND) return yyjson_mut_uint(doc, value->number);
        return yyjson_mut_null(doc);
    case KIND_MODEL:
    case KIND_WORD:
    case KIND_TOOL:
        break;
    }
    return value->text ? yyjson_mut_str(doc, value->text) : yyjson_mut_null(doc);
}

bool target_merge(struct str old, const struct wishes *wishes, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = NULL;
    yyjson_doc *read = NULL;
    struct err none;
    bool kept;

    if (old.size > 0 && json_read(old, &read, &none) == 0 &&
        yyjson_is_obj(yyjson_doc_get_root(read))) {
        root = yyjson_val_mut_copy(doc, yyjson_doc_get_root(read));
    }
    yyjson_doc_free(read);
    kept = root || old.size == 0;
    if (!root) root = yyjson_mut_obj(doc);
    yyjson_mut_doc_set_root(doc, root);
    yyjson_mut_obj_put(root, yyjson_mut_str(doc, "version"), yyjson_mut_uint(doc, 2));
    for (uint32_t n = 1; n <= PHASE_NUMBER_MAX; n++) {
        for (uint32_t f = 0; f < FIELD_COUNT; f++) {
            char key[2] = { (char)('0' + n), '\0' };
            if (!wishes->given[n][f]) continue;
            yyjson_mut_obj_put(object_in(doc, object_in(doc, root, "phases"), key),
                               yyjson_mut_str(doc, iterate_fields[f].name),
                               value_of(doc, (enum iterate_field)f, &wishes->values.fields[n][f]));
        }
    }
    json_write(doc, true, out);
    yyjson_mut_doc_free(doc);
    return kept;
}

/* ---- files ---- */

static int keep_backup(const struct target *target, struct err *err)
{
    if (!target->exists) return 0;
    return file_write(target->backup_root, target->backup, target->text, err);
}

int target_write(const struct target *target, struct str text, struct err *err)
{
    int rc = keep_backup(target, err);

    if (rc == 0) rc = file_write(target->root, target->path, text, err);
    return rc == 0 ? 0 : err_wrap(err, "save %s", target->name);
}

int target_remove(const struct target *target, struct err *err)
{
    int rc = keep_backup(target, err);

    if (rc == 0) rc = file_remove_in(target->root, target->path, err);
    return rc == 0 ? 0 : err_wrap(err, "reset %s", target->name);
}
