/* SPDX-License-Identifier: Apache-2.0
 *
 * hone_edit.c - one value of a settings file changed, everything else kept.
 *
 * 1. What comes out has been read again: a change that would leave a file nobody can read is
 *    refused, and so is one to a file that is wrong elsewhere.
 * 2. An object that loses its last member goes, too. */
#include "settings/hone_json.h"

#include "format/json/json.h"

enum { PARTS_MAX = 8 };

/* A word of a command line as the JSON value that its key wants; what does not fit becomes a text,
 * which the reader then refuses in its own words. */
static yyjson_mut_val *value_of_word(yyjson_mut_doc *doc, const struct hone_key *key,
                                     const char *word)
{
    bool list = key->kind == HONE_PATTERNS || key->kind == HONE_LIST;
    struct str text = str_of(word);
    yyjson_mut_val *value = NULL;
    yyjson_doc *read;
    struct err none;
    uint64_t number;

    if (key->kind == HONE_SWITCH && (str_is(text, "true") || str_is(text, "false"))) {
        return yyjson_mut_bool(doc, str_is(text, "true"));
    }
    if ((key->kind == HONE_NUMBER || key->kind == HONE_AMOUNT) && str_number(text, &number)) {
        return yyjson_mut_uint(doc, number);
    }
    if (list && str_starts(str_trim(text), STR("[")) &&
        json_read(text, &read, &none) == 0) {
        value = yyjson_val_mut_copy(doc, yyjson_doc_get_root(read));
        yyjson_doc_free(read);
        return value;
    }
    if (!list) return json_text(doc, text);
    value = yyjson_mut_arr(doc);
    yyjson_mut_arr_append(value, json_text(doc, text));
    return value;
}

static yyjson_mut_val *child(yyjson_mut_val *object, struct str name)
{
    return yyjson_mut_obj_getn(object, name.data, name.size);
}

/* Sets the member at the path, or with NULL takes it out. */
static void value_put(yyjson_mut_doc *doc, const char *path, yyjson_mut_val *value)
{
    yyjson_mut_val *objects[PARTS_MAX] = { yyjson_mut_doc_get_root(doc) };
    struct str rest = str_of(path), parts[PARTS_MAX];
    uint32_t depth = 0;

    while (depth < PARTS_MAX - 1 && str_cut(&rest, '.', &parts[depth])) {
        yyjson_mut_val *below = child(objects[depth], parts[depth]);
        if (rest.size == 0) break;
        if (!yyjson_mut_is_obj(below)) {
            if (!value) return;
            below = yyjson_mut_obj(doc);
            yyjson_mut_obj_put(objects[depth], json_text(doc, parts[depth]), below);
        }
        objects[++depth] = below;
    }
    if (value) {
        yyjson_mut_obj_put(objects[depth], json_text(doc, parts[depth]), value);
        return;
    }
    for (uint32_t i = depth + 1; i-- > 0;) {
        yyjson_mut_obj_remove_keyn(objects[i], parts[i].data, parts[i].size);
        if (yyjson_mut_obj_size(objects[i]) > 0) break;
    }
}

static int check_path(const char *path, struct arena *arena, const struct hone_key **key,
                      struct err *err)
{
    const char *near;

    *key = hone_key_find(str_of(path), arena, &near);
    if (*key) return 0;
    if (hone_key_is_group(str_of(path)) && *path) {
        return err_set(err, ERR_USAGE, "'%.60s' holds several settings; name one of them, as 'hone "
                       "config show' lists them", path);
    }
    if (near) {
        return err_set(err, ERR_USAGE, "there is no setting '%.60s'; did you mean '%s'?", path,
                       near);
    }
    return err_set(err, ERR_USAGE, "there is no setting '%.60s'; 'hone config show' lists them",
                   path);
}

static int edit(struct str old, const struct hone_file *file, const char *path, const char *word,
                struct arena *arena, struct buf *out, struct err *err)
{
    struct hone_values values = { 0 };
    const struct hone_key *key;
    yyjson_mut_doc *doc;
    yyjson_doc *read;
    int rc = check_path(path, arena, &key, err);

    if (rc != 0) return rc;
    rc = json_read(str_trim(old).size ? old : STR("{}"), &read, err);
    if (rc == 0 && !yyjson_is_obj(yyjson_doc_get_root(read))) {
        rc = err_set(err, ERR_USAGE, "it must hold one JSON object: {...}");
        yyjson_doc_free(read);
    }
    if (rc != 0) {
        err_wrap(err, "%s", file->name);
        err->code = ERR_USAGE;
        return ERR_USAGE;
    }
    doc = json_new();
    yyjson_mut_doc_set_root(doc, yyjson_val_mut_copy(doc, yyjson_doc_get_root(read)));
    yyjson_doc_free(read);
    value_put(doc, path, word ? value_of_word(doc, key, word) : NULL);
    json_write(doc, true, out);
    yyjson_mut_doc_free(doc);
    if (out->overflow) return err_set(err, ERR_LIMIT, "%s would become too large", file->name);
    return hone_read(buf_str(out), file, arena, &values, err);
}

int hone_edit(struct str old, const struct hone_file *file, const char *path, const char *word,
              struct buf *out, struct err *err)
{
    struct arena arena = { 0 };
    int rc = edit(old, file, path, word, &arena, out, err);

    arena_release(&arena);
    return rc;
}
