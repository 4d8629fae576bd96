/* SPDX-License-Identifier: Apache-2.0
 *
 * trust.c - a file of lines, each a list of three texts:
 *
 *     ["/home/me/project","agents.*","cmd:./agent.sh"]
 *
 * 1. The user agrees to a text in a workspace: about another text, or the same text in another
 *    workspace, the user is asked again.
 * 2. A line is compared whole, byte for byte, with the line that would be written: nothing is
 *    parsed, and a broken line agrees to nothing.
 * 3. When the file has grown too long it begins anew, and the user is asked again: that is the safe
 *    side. Where two processes add a line at the same moment, one line may be lost, with the same
 *    effect. */
#include "settings/trust.h"

#include "format/json/json.h"
#include "io/file/file.h"
#include "io/process/host.h"

#include <stdlib.h>

enum { TRUST_BYTES_MAX = 1 << 20 };

static const char file_name[] = "trusted.jsonl";

const char *trust_folder(struct arena *arena)
{
    const char *base = getenv("XDG_STATE_HOME"), *home = host_home();

    if (base && base[0] == '/') return arena_printf(arena, "%s/hone", base);
    return home ? arena_printf(arena, "%s/.local/state/hone", home) : NULL;
}

void trust_open(struct trust *trust)
{
    struct err none;

    *trust = (struct trust){ .text = STR("") };
    trust->path = trust_folder(&trust->arena);
    if (!trust->path) return;
    (void)file_text(arena_printf(&trust->arena, "%s/%s", trust->path, file_name), TRUST_BYTES_MAX,
                    &trust->arena, &trust->text, &none);
}

void trust_close(struct trust *trust)
{
    arena_release(&trust->arena);
    *trust = (struct trust){ 0 };
}

static void put_line(struct buf *out, const char *workspace, const struct hone_value *value)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *list = yyjson_mut_arr(doc);

    yyjson_mut_doc_set_root(doc, list);
    yyjson_mut_arr_append(list, json_text(doc, str_of(workspace)));
    yyjson_mut_arr_append(list, json_text(doc, str_of(value->path)));
    yyjson_mut_arr_append(list, json_text(doc, str_of(value->text)));
    json_write(doc, false, out);
    yyjson_mut_doc_free(doc);
}

bool trust_has(const struct trust *trust, const char *workspace, const struct hone_value *value)
{
    struct str rest = trust->text, line;
    bool found = false;
    struct buf wanted;

    buf_init(&wanted, TRUST_BYTES_MAX);
    put_line(&wanted, workspace, value);
    while (!found && str_cut(&rest, '\n', &line)) found = str_eq(line, buf_str(&wanted));
    found = found && !wanted.overflow && wanted.size > 0;
    buf_release(&wanted);
    return found;
}

int trust_remove(struct trust *trust, const char *workspace, const struct hone_value *value,
                 struct err *err)
{
    struct str rest = trust->text, line;
    struct buf text, unwanted;
    int rc;

    if (!trust_has(trust, workspace, value)) return 0;
    buf_init(&unwanted, TRUST_BYTES_MAX);
    buf_init(&text, TRUST_BYTES_MAX);
    put_line(&unwanted, workspace, value);
    while (str_cut(&rest, '\n', &line)) {
        if (str_eq(line, buf_str(&unwanted))) continue;
        buf_add(&text, line);
        buf_byte(&text, '\n');
    }
    trust->text = arena_copy(&trust->arena, buf_str(&text));
    rc = file_write(trust->path, file_name, buf_str(&text), err);
    buf_release(&unwanted);
    buf_release(&text);
    return rc;
}

int trust_add(struct trust *trust, const char *workspace, const struct hone_value *values,
              uint32_t count, struct err *err)
{
    struct buf text, added;
    int rc;

    if (!trust->path) {
        return err_set(err, ERR_MISSING, "there is no folder to remember it in: HOME is not set");
    }
    buf_init(&added, TRUST_BYTES_MAX);
    buf_init(&text, TRUST_BYTES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        if (trust_has(trust, workspace, &values[i])) continue;
        put_line(&added, workspace, &values[i]);
        buf_byte(&added, '\n');
    }
    buf_add(&text, trust->text);
    if (text.size > 0 && !str_ends(trust->text, STR("\n"))) buf_byte(&text, '\n');
    if (buf_add(&text, buf_str(&added)) != 0) {
        buf_clear(&text);
        buf_add(&text, buf_str(&added));
    }
    trust->text = arena_copy(&trust->arena, buf_str(&text));
    rc = file_make_folder(trust->path, false, err);
    if (rc == 0) rc = file_write(trust->path, file_name, buf_str(&text), err);
    buf_release(&added);
    buf_release(&text);
    return rc;
}
