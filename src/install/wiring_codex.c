/* SPDX-License-Identifier: Apache-2.0
 *
 * wiring_codex.c - hone's entries in Codex's hooks.json.
 *
 *     "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "hone hook" } ] } ] }
 *
 * The entries are those of plugin/codex/hooks.json. An entry is hone's by its command.
 *
 * 1. Where all entries are there already, they stay where they are: Codex knows a trusted hook by
 *    its place.
 * 2. Otherwise all entries of hone are taken out first, so that nothing of an older hone stays.
 * 3. In an entry that also calls another program, only hone's part is taken out. */
#include "install/wiring.h"

#include "format/json/json.h"
#include "format/json/json_edit.h"

enum { HOOKS_MAX = 256 };

static bool is_our_command(struct str text)
{
    struct str command = str_trim(text);

    if (str_is(command, "hone hook")) return true;
    if (!str_starts(command, STR("/")) && !str_starts(command, STR("'/"))) return false;
    return str_ends(command, STR("/hone hook")) || str_ends(command, STR("/hone' hook"));
}

static bool is_ours(yyjson_val *handler)
{
    return is_our_command(json_str(handler, "command"));
}

/* Whether a text is of the form that Codex reads; the words name what is not. */
static int check_form(yyjson_val *root, struct err *err)
{
    yyjson_val *hooks = yyjson_obj_get(root, "hooks"), *key, *groups, *group;
    yyjson_obj_iter each;
    size_t i, count;

    if (!hooks) return 0;
    if (!yyjson_is_obj(hooks) || json_has_duplicates(hooks)) {
        return err_set(err, ERR_USAGE, "\"hooks\" is no object with different names");
    }
    each = yyjson_obj_iter_with(hooks);
    while ((key = yyjson_obj_iter_next(&each))) {
        groups = yyjson_obj_iter_get_val(key);
        if (!yyjson_is_arr(groups)) {
            return err_set(err, ERR_USAGE, "\"hooks\".\"%.60s\" is no array", yyjson_get_str(key));
        }
        yyjson_arr_foreach(groups, i, count, group) {
            if (yyjson_is_obj(group) && !json_has_duplicates(group)) continue;
            return err_set(err, ERR_USAGE, "\"hooks\".\"%.60s\" holds what is no object",
                           yyjson_get_str(key));
        }
    }
    return 0;
}

/* The text as a document that has been looked at; free it. */
static int read_form(struct str text, yyjson_doc **out, struct err *err)
{
    int rc = wiring_check_object(text, err);

    *out = NULL;
    if (rc == 0) rc = json_read(text, out, err);
    if (rc == 0) rc = check_form(yyjson_doc_get_root(*out), err);
    if (rc != 0) {
        yyjson_doc_free(*out);
        *out = NULL;
    }
    return rc;
}

/* ---- taking out ---- */

/* The first of ours in an array of groups: the group, and in it the handler, or WHOLE_GROUP where
 * all of its handlers are ours. */
struct spot {
    uint32_t group, handler;
};

enum { WHOLE_GROUP = UINT32_MAX };

static bool find_ours(yyjson_val *groups, struct spot *spot)
{
    yyjson_val *group, *handler;
    size_t i, count, j, handlers;

    yyjson_arr_foreach(groups, i, count, group) {
        yyjson_val *list = yyjson_obj_get(group, "hooks");
        uint32_t ours = 0;
        *spot = (struct spot){ .group = (uint32_t)i, .handler = WHOLE_GROUP };
        yyjson_arr_foreach(list, j, handlers, handler) {
            if (is_ours(handler) && ours++ == 0) spot->handler = (uint32_t)j;
        }
        if (ours == 0) continue;
        if (ours == yyjson_arr_size(list)) spot->handler = WHOLE_GROUP;
        return true;
    }
    return false;
}

/* Takes one of ours out; false where there is none. */
static bool drop_one(struct str text, struct buf *out)
{
    struct json_step steps[5] = { { .key = "hooks" }, { 0 }, { 0 }, { .key = "hooks" }, { 0 } };
    struct json_path path = { steps, 0 };
    struct spot spot = { 0 };
    yyjson_obj_iter each;
    yyjson_doc *doc;
    yyjson_val *key;
    struct err none;
    bool done = false;

    if (json_read(text, &doc, &none) != 0) return false;
    each = yyjson_obj_iter_with(yyjson_obj_get(yyjson_doc_get_root(doc), "hooks"));
    while (!done && (key = yyjson_obj_iter_next(&each))) {
        if (!find_ours(yyjson_obj_iter_get_val(key), &spot)) continue;
        steps[1].key = yyjson_get_str(key);
        steps[2].index = spot.group;
        steps[4].index = spot.handler;
        path.count = spot.handler == WHOLE_GROUP ? 3 : 5;
        done = json_edit_drop(text, path, out);
    }
    yyjson_doc_free(doc);
    return done;
}

static struct str drop_all(struct str text, struct arena *arena)
{
    struct buf out;

    buf_init(&out, WIRING_BYTES_MAX);
    for (uint32_t i = 0; i < HOOKS_MAX && drop_one(text, &out); i++) {
        text = arena_copy(arena, buf_str(&out));
        buf_clear(&out);
    }
    buf_release(&out);
    return text;
}

int wiring_codex_strip(const struct wiring *wiring, struct str old, struct buf *out,
                       struct err *err)
{
    struct arena arena = { 0 };
    yyjson_doc *doc = NULL;
    int rc = str_trim(old).size ? read_form(old, &doc, err) : 0;

    (void)wiring;
    yyjson_doc_free(doc);
    if (rc == 0) buf_add(out, drop_all(old, &arena));
    arena_release(&arena);
    return rc;
}

/* ---- putting in ---- */

/* The plugin's own entries, with the command that is right here. */
static int read_wanted(const struct wiring *wiring, yyjson_mut_doc **out, struct err *err)
{
    yyjson_mut_val *key, *group, *handler;
    yyjson_mut_obj_iter each;
    size_t i, count, j, handlers;
    yyjson_doc *doc;
    int rc = read_form(wiring->hooks, &doc, err);

    *out = json_new();
    if (rc != 0) return err_wrap(err, "the plugin in %s: codex/hooks.json", wiring->plugin);
    yyjson_mut_doc_set_root(*out, yyjson_val_mut_copy(*out, yyjson_doc_get_root(doc)));
    yyjson_doc_free(doc);
    each = yyjson_mut_obj_iter_with(yyjson_mut_obj_get(yyjson_mut_doc_get_root(*out), "hooks"));
    while ((key = yyjson_mut_obj_iter_next(&each))) {
        yyjson_mut_arr_foreach(yyjson_mut_obj_iter_get_val(key), i, count, group) {
            yyjson_mut_arr_foreach(yyjson_mut_obj_get(group, "hooks"), j, handlers, handler) {
                yyjson_mut_obj_put(handler, yyjson_mut_str(*out, "command"),
                                   json_text(*out, str_of(wiring->command)));
            }
        }
    }
    return 0;
}

static uint32_t count_ours(yyjson_mut_val *groups)
{
    yyjson_mut_val *group, *handler;
    size_t i, count, j, handlers;
    uint32_t ours = 0;

    yyjson_mut_arr_foreach(groups, i, count, group) {
        yyjson_mut_arr_foreach(yyjson_mut_obj_get(group, "hooks"), j, handlers, handler) {
            yyjson_mut_val *command = yyjson_mut_obj_get(handler, "command");
            struct str text = str_of(yyjson_mut_get_str(command));
            if (is_our_command(text)) ours++;
        }
    }
    return ours;
}

static bool has_group(yyjson_mut_val *groups, yyjson_mut_val *wanted)
{
    yyjson_mut_val *group;
    size_t i, count;

    yyjson_mut_arr_foreach(groups, i, count, group) {
        if (yyjson_mut_equals(group, wanted)) return true;
    }
    return false;
}

/* All entries that are wanted, and of ours no other. */
static bool is_wired(struct str text, yyjson_mut_val *wanted)
{
    yyjson_mut_val *there, *key, *group;
    yyjson_mut_obj_iter each;
    yyjson_mut_doc *now = json_new();
    uint32_t ours = 0, all = 0;
    size_t i, count;
    yyjson_doc *doc;
    struct err none;
    bool wired = json_read(text, &doc, &none) == 0;

    if (wired) yyjson_mut_doc_set_root(now, yyjson_val_mut_copy(now, yyjson_doc_get_root(doc)));
    yyjson_doc_free(doc);
    there = yyjson_mut_obj_get(yyjson_mut_doc_get_root(now), "hooks");
    each = yyjson_mut_obj_iter_with(there);
    while ((key = yyjson_mut_obj_iter_next(&each))) {
        ours += count_ours(yyjson_mut_obj_iter_get_val(key));
    }
    each = yyjson_mut_obj_iter_with(wanted);
    while (wired && (key = yyjson_mut_obj_iter_next(&each))) {
        yyjson_mut_val *groups = yyjson_mut_obj_get(there, yyjson_mut_get_str(key));
        all += count_ours(yyjson_mut_obj_iter_get_val(key));
        yyjson_mut_arr_foreach(yyjson_mut_obj_iter_get_val(key), i, count, group) {
            wired = wired && has_group(groups, group);
        }
    }
    yyjson_mut_doc_free(now);
    return wired && ours == all;
}

static struct str add_group(struct str text, const char *event, yyjson_mut_val *group,
                            struct arena *arena)
{
    struct json_step steps[] = { { .key = "hooks" }, { .key = event } };
    yyjson_mut_doc *doc = json_new();
    struct buf value, out;

    buf_init(&value, WIRING_BYTES_MAX);
    buf_init(&out, WIRING_BYTES_MAX);
    yyjson_mut_doc_set_root(doc, yyjson_mut_val_mut_copy(doc, group));
    json_write(doc, false, &value);
    if (json_edit_add(text, (struct json_path){ steps, 2 }, buf_str(&value), &out)) {
        text = arena_copy(arena, buf_str(&out));
    }
    yyjson_mut_doc_free(doc);
    buf_release(&value);
    buf_release(&out);
    return text;
}

static struct str add_all(struct str text, yyjson_mut_val *wanted, struct arena *arena)
{
    yyjson_mut_obj_iter each = yyjson_mut_obj_iter_with(wanted);
    yyjson_mut_val *key, *group;
    size_t i, count;

    while ((key = yyjson_mut_obj_iter_next(&each))) {
        yyjson_mut_arr_foreach(yyjson_mut_obj_iter_get_val(key), i, count, group) {
            text = add_group(text, yyjson_mut_get_str(key), group, arena);
        }
    }
    return text;
}

int wiring_codex_merge(const struct wiring *wiring, struct str old, struct buf *out,
                       struct err *err)
{
    struct str text = str_trim(old).size ? old : STR("{}\n");
    yyjson_mut_doc *wanted = NULL;
    struct arena arena = { 0 };
    yyjson_mut_val *hooks;
    yyjson_doc *doc = NULL;
    int rc = read_form(text, &doc, err);

    yyjson_doc_free(doc);
    if (rc == 0) rc = read_wanted(wiring, &wanted, err);
    if (rc == 0) {
        hooks = yyjson_mut_obj_get(yyjson_mut_doc_get_root(wanted), "hooks");
        if (!is_wired(text, hooks)) text = add_all(drop_all(text, &arena), hooks, &arena);
        rc = read_form(text, &doc, err); /* a name written with escapes would be there twice now */
        yyjson_doc_free(doc);
    }
    if (rc == 0) buf_add(out, text);
    yyjson_mut_doc_free(wanted);
    arena_release(&arena);
    return rc;
}
