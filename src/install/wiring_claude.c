/* SPDX-License-Identifier: Apache-2.0
 *
 * wiring_claude.c - two members of Claude Code's settings.json: where hone's plugin is, and that it
 * is on.
 *
 *     "extraKnownMarketplaces": { "hone": { "source": { "source": "directory", "path": ... } } }
 *     "enabledPlugins": { "hone@hone": true }
 *
 * These are what `claude plugin marketplace add` and `claude plugin install` write. The client
 * loads the plugin from there at its next start, and notes the marketplace in a file of its own,
 * plugins/known_marketplaces.json; hone uninstall removes that note, too.
 *
 * 1. A marketplace named hone that is no folder was not added by hone: it is never changed. */
#include "install/wiring.h"

#include "format/json/json.h"
#include "format/json/json_edit.h"

static const struct json_step market[] = { { .key = "extraKnownMarketplaces" },
                                           { .key = "hone" } };
static const struct json_step plugin[] = { { .key = "enabledPlugins" }, { .key = "hone@hone" } };
static const struct json_path market_path = { market, 2 }, plugin_path = { plugin, 2 };

int wiring_check_object(struct str text, struct err *err)
{
    yyjson_doc *doc;
    yyjson_val *root;
    int rc = json_read(text, &doc, err);

    if (rc != 0) {
        err->code = ERR_USAGE;
        return ERR_USAGE;
    }
    root = yyjson_doc_get_root(doc);
    if (!yyjson_is_obj(root)) {
        rc = err_set(err, ERR_USAGE, "it must hold one JSON object: {...}");
    } else if (json_has_duplicates(root)) {
        rc = err_set(err, ERR_USAGE, "it has two members of one name");
    }
    yyjson_doc_free(doc);
    return rc;
}

static bool is_folder(yyjson_val *entry)
{
    return str_is(json_str(yyjson_obj_get(entry, "source"), "source"), "directory");
}

/* Both members' parents are objects, or not there; the marketplace is ours, or not there. */
static int check(struct str text, struct err *err)
{
    const char *const names[] = { market[0].key, plugin[0].key };
    yyjson_val *root, *value;
    yyjson_doc *doc = NULL;
    int rc = wiring_check_object(text, err);

    if (rc == 0) rc = json_read(text, &doc, err);
    if (rc != 0) return rc;
    root = yyjson_doc_get_root(doc);
    for (uint32_t i = 0; rc == 0 && i < 2; i++) {
        value = yyjson_obj_get(root, names[i]);
        if (value && (!yyjson_is_obj(value) || json_has_duplicates(value))) {
            rc = err_set(err, ERR_USAGE, "\"%s\" is no object with different names", names[i]);
        }
    }
    value = yyjson_obj_get(yyjson_obj_get(root, market[0].key), market[1].key);
    if (rc == 0 && value && !is_folder(value)) {
        rc = err_set(err, ERR_USAGE, "there is another marketplace of the name hone; 'claude "
                     "plugin marketplace remove hone' takes it out");
    }
    yyjson_doc_free(doc);
    return rc;
}

static bool same(struct str text, struct json_path path, struct str wanted)
{
    yyjson_doc *a = NULL, *b = NULL;
    struct str value;
    struct err none;
    bool is = json_edit_find(text, path, &value) && json_read(value, &a, &none) == 0 &&
              json_read(wanted, &b, &none) == 0 &&
              yyjson_equals(yyjson_doc_get_root(a), yyjson_doc_get_root(b));

    yyjson_doc_free(a);
    yyjson_doc_free(b);
    return is;
}

/* Sets a member where it is another. */
static void text_put(struct str *text, struct json_path path, struct str value, struct arena *arena)
{
    struct buf out;

    if (same(*text, path, value)) return;
    buf_init(&out, WIRING_BYTES_MAX);
    if (json_edit_set(*text, path, value, &out)) *text = arena_copy(arena, buf_str(&out));
    buf_release(&out);
}

static struct str market_value(const char *folder, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = yyjson_mut_obj(doc), *source;
    struct buf out;

    yyjson_mut_doc_set_root(doc, root);
    source = yyjson_mut_obj_add_obj(doc, root, "source");
    yyjson_mut_obj_add_str(doc, source, "source", "directory");
    yyjson_mut_obj_add_val(doc, source, "path", json_text(doc, str_of(folder)));
    buf_init(&out, WIRING_BYTES_MAX);
    json_write(doc, false, &out);
    yyjson_mut_doc_free(doc);
    return arena_take(arena, &out);
}

int wiring_claude_merge(const struct wiring *wiring, struct str old, struct buf *out,
                        struct err *err)
{
    struct str text = str_trim(old).size ? old : STR("{}\n");
    struct arena arena = { 0 };
    int rc = check(text, err);

    if (rc == 0) {
        text_put(&text, market_path, market_value(wiring->plugin, &arena), &arena);
        text_put(&text, plugin_path, STR("true"), &arena);
        buf_add(out, text);
    }
    arena_release(&arena);
    return rc;
}

/* Takes a member out where it is there. */
static void drop(struct str *text, struct json_path path, struct arena *arena)
{
    struct buf out;

    buf_init(&out, WIRING_BYTES_MAX);
    if (json_edit_drop(*text, path, &out)) *text = arena_copy(arena, buf_str(&out));
    buf_release(&out);
}

int wiring_claude_strip(const struct wiring *wiring, struct str old, struct buf *out,
                        struct err *err)
{
    struct arena arena = { 0 };
    struct str text = old;
    int rc = str_trim(old).size ? check(old, err) : 0;

    (void)wiring;
    if (rc == 0 && str_trim(old).size) {
        drop(&text, plugin_path, &arena);
        drop(&text, market_path, &arena);
    }
    if (rc == 0) buf_add(out, text);
    arena_release(&arena);
    return rc;
}

void wiring_claude_forget(struct str old, struct buf *out)
{
    struct json_step step = { .key = market[1].key };
    yyjson_doc *doc = NULL;
    struct err none;
    bool ours = wiring_check_object(old, &none) == 0 && json_read(old, &doc, &none) == 0 &&
                is_folder(yyjson_obj_get(yyjson_doc_get_root(doc), step.key));

    yyjson_doc_free(doc);
    if (!ours || !json_edit_drop(old, (struct json_path){ &step, 1 }, out)) buf_add(out, old);
}
