/* SPDX-License-Identifier: Apache-2.0
 *
 * sarif_place.c - where a SARIF result is, and what its fixes change there.
 *
 * A file is named by a URI, by the name of a base it is relative to, or by its number in the run's
 * list. What comes out is text: a path where the URI is one, else the URI itself, which is the
 * name of no file.
 *
 *     src/a%20b.c with a base file:///home/me/   /home/me/src/a b.c
 *     src/a.c with a base nobody explains        src/a.c
 *     file://server/a.c, https://host/a.c        as they are
 *
 * 1. "%XX" is a byte, but for "%00": no path gets a NUL from here. A "%" that is no escape, a "?"
 *    and a "#" stand for themselves: tools forget to escape more often than they write queries.
 * 2. A path is at most SARIF_PATH_BYTES_MAX, or ERR_LIMIT; a NUL in a URI is ERR_FORMAT.
 * 3. An artifact inside another (in an archive) is never mistaken for a file of that name: its
 *    container stands for it, without a place and without fixes.
 * 4. A region's missing members are what the specification says: the whole line, to the end of the
 *    line, an insertion. Offsets in characters cannot be told without the file: no place.
 * 5. A fix is taken with all of its edits, each exact, or not at all. Edits with binary content are
 *    not taken. */
#include "format/report/sarif_read.h"

#include "base/buf.h"
#include "base/byte.h"

enum { HOPS_MAX = 16 }; /* from base to base, and from a nested artifact to its container */

/* The size of a scheme with its colon: "file:"; 0 where there is none. One letter is a drive. */
static size_t scheme_size(struct str uri)
{
    size_t i = 0;

    if (uri.size == 0 || !byte_is_letter(uri.data[0])) return 0;
    while (i < uri.size && (byte_is_alnum(uri.data[i]) || str_has(STR("+-."), uri.data[i]))) i++;
    return i > 1 && i < uri.size && uri.data[i] == ':' ? i + 1 : 0;
}

/* Whether nothing belongs in front of it. */
static bool is_absolute(struct str uri)
{
    bool drive = uri.size > 1 && byte_is_letter(uri.data[0]) && uri.data[1] == ':';

    return drive || str_starts(uri, STR("/")) || scheme_size(uri) > 0;
}

static bool is_file_scheme(struct str uri, size_t scheme)
{
    return scheme == 5 && (uri.data[0] | 32) == 'f' && (uri.data[1] | 32) == 'i' &&
           (uri.data[2] | 32) == 'l' && (uri.data[3] | 32) == 'e';
}

static int digit_of(char byte)
{
    if (byte_is_digit(byte)) return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    return -1;
}

static void decode(struct str text, struct buf *out)
{
    for (size_t i = 0; i < text.size; i++) {
        int high = -1, low = -1;

        if (text.data[i] == '%' && text.size - i > 2) {
            high = digit_of(text.data[i + 1]);
            low = digit_of(text.data[i + 2]);
        }
        if (high >= 0 && low >= 0 && high + low > 0) {
            buf_byte(out, (char)(high * 16 + low));
            i += 2;
        } else {
            buf_byte(out, text.data[i]);
        }
    }
}

/* A whole URI as a path; as it is where it is none. */
static void add_path(struct str uri, struct buf *out)
{
    const struct str local = STR("localhost/");
    size_t scheme = scheme_size(uri);
    struct str rest = str_skip(uri, scheme);

    if (scheme && !is_file_scheme(uri, scheme)) {
        buf_add(out, uri);
        return;
    }
    if (scheme && str_starts(rest, STR("//"))) {
        rest = str_skip(rest, 2);
        if (str_starts(rest, local)) rest = str_skip(rest, local.size - 1);
        if (rest.size && rest.data[0] != '/') {
            buf_add(out, uri);
            return;
        }
    }
    decode(rest, out);
}

/* Puts a base in front of the URI in whole. */
static int prepend(struct str base, struct buf *whole)
{
    struct buf longer;
    int rc;

    buf_init(&longer, whole->limit);
    rc = buf_add(&longer, base);
    if (rc == 0 && base.size && base.data[base.size - 1] != '/') rc = buf_byte(&longer, '/');
    if (rc == 0) rc = buf_add(&longer, buf_str(whole));
    buf_release(whole);
    *whole = longer;
    return rc;
}

/* The URI with its bases in front, as far as the run explains them; a ring of bases is none. */
static int resolve(const struct sarif_run *run, yyjson_val *location, struct buf *whole)
{
    yyjson_val *bases = yyjson_obj_get(run->value, "originalUriBaseIds");
    struct str uri = json_str(location, "uri");
    struct str id = json_str(location, "uriBaseId");
    int rc = buf_add(whole, uri);

    for (int hops = 0; rc == 0 && id.data; hops++) {
        yyjson_val *base = yyjson_obj_get(bases, id.data);

        if (hops == HOPS_MAX) {
            buf_clear(whole);
            return buf_add(whole, uri);
        }
        if (is_absolute(buf_str(whole))) break;
        if (json_str(base, "uri").size) rc = prepend(json_str(base, "uri"), whole);
        id = json_str(base, "uriBaseId");
    }
    return rc;
}

/* The location of the artifact that an index leads to; of its container where it is nested. */
static yyjson_val *by_index(const struct sarif_run *run, yyjson_val *location, bool *nested)
{
    yyjson_val *artifact = NULL;
    uint64_t index;

    if (!json_uint(location, "index", &index) || index >= run->artifacts.count) return NULL;
    for (int hops = 0; hops < HOPS_MAX; hops++) {
        artifact = run->artifacts.items[index];
        if (!json_uint(artifact, "parentIndex", &index) || index >= run->artifacts.count) {
            return yyjson_obj_get(artifact, "location");
        }
        *nested = true;
    }
    return NULL;
}

int sarif_path(struct sarif_run *run, yyjson_val *location, struct str *out, bool *nested,
               struct err *err)
{
    bool inside = false;
    yyjson_val *listed = by_index(run, location, &inside);
    struct buf whole, path;
    int rc;

    *out = (struct str){ "", 0 };
    if (inside || json_str(location, "uri").size == 0) location = listed;
    if (nested) *nested = inside;
    if (json_str(location, "uri").size == 0) return 0;
    buf_init(&whole, SARIF_PATH_BYTES_MAX * 3); /* all escaped */
    buf_init(&path, SARIF_PATH_BYTES_MAX);
    rc = resolve(run, location, &whole);
    if (rc == 0) add_path(buf_str(&whole), &path);
    if (rc != 0 || path.overflow) {
        rc = err_set(err, ERR_LIMIT, "a path is longer than %d bytes", SARIF_PATH_BYTES_MAX);
    } else if (str_has(buf_str(&path), '\0')) {
        rc = err_set(err, ERR_FORMAT, "a path has a NUL in it");
    } else if (path.size) {
        rc = sarif_keep(run, buf_str(&path), out, err);
    }
    buf_release(&whole);
    buf_release(&path);
    return rc;
}

/* A line or column from 1; 0 where it is missing. False for anything else. */
static bool read_count(yyjson_val *region, const char *key, uint32_t *out)
{
    uint64_t number = 0;

    *out = 0;
    if (!sarif_member(region, key)) return true;
    if (!json_uint(region, key, &number) || number == 0 || number > UINT32_MAX) return false;
    *out = (uint32_t)number;
    return true;
}

static bool read_bytes(yyjson_val *region, struct place *out)
{
    uint64_t offset, length = 0;

    if (!json_uint(region, "byteOffset", &offset)) return false;
    if (sarif_member(region, "byteLength") && !json_uint(region, "byteLength", &length)) {
        return false;
    }
    if (length > UINT64_MAX - offset) return false;
    out->by_offset = true;
    out->offset = offset;
    out->end_offset = offset + length;
    return true;
}

bool sarif_region(const struct sarif_run *run, yyjson_val *region, struct place *out)
{
    bool good;

    *out = (struct place){ .unit = run->unit };
    good = read_count(region, "startLine", &out->line);
    good = read_count(region, "startColumn", &out->column) && good;
    good = read_count(region, "endLine", &out->end_line) && good;
    good = read_count(region, "endColumn", &out->end_column) && good;
    if (out->line == 0) {
        *out = (struct place){ .unit = run->unit };
        return good && read_bytes(region, out);
    }
    if (out->end_line == 0) out->end_line = out->line;
    if (out->end_column && out->column == 0 && good) out->column = 1;
    if (out->end_line < out->line) good = false;
    if (out->end_line == out->line && out->end_column && out->end_column < out->column) {
        good = false;
    }
    if (!good) out->end_line = out->end_column = 0;
    return good;
}

/* False when it cannot be expressed. *rc is for what must end the reading. */
static bool read_edit(struct sarif_run *run, yyjson_val *replacement, struct str file,
                      struct tool_edit *edit, int *rc, struct err *err)
{
    yyjson_val *content = sarif_member(replacement, "insertedContent");
    yyjson_val *value = sarif_member(content, "text");
    struct str text = json_str(content, "text");

    if (!sarif_region(run, yyjson_obj_get(replacement, "deletedRegion"), &edit->place)) {
        return false;
    }
    if (content && (!yyjson_is_obj(content) || (value && !yyjson_is_str(value)))) return false;
    if (!value && sarif_member(content, "binary")) return false;
    if (text.size > DIAGNOSTIC_EDIT_BYTES_MAX) return false;
    *rc = sarif_count(run, text, err);
    if (*rc != 0) return false;
    edit->file = file;
    edit->text = arena_copy(&run->out->arena, text);
    return true;
}

/* The edits of one file. */
static bool read_change(struct sarif_run *run, yyjson_val *change, struct tool_fix *fix, int *rc,
                        struct err *err)
{
    yyjson_val *replacements = yyjson_obj_get(change, "replacements");
    yyjson_arr_iter iter = yyjson_arr_iter_with(replacements);
    yyjson_val *replacement;
    struct str file;
    bool nested;

    if (yyjson_arr_size(replacements) == 0) return false;
    *rc = sarif_path(run, yyjson_obj_get(change, "artifactLocation"), &file, &nested, err);
    if (*rc != 0 || nested || file.size == 0) return false;
    while ((replacement = yyjson_arr_iter_next(&iter))) {
        if (!read_edit(run, replacement, file, tool_edit_add(run->out, fix), rc, err)) {
            return false;
        }
    }
    return true;
}

static int read_fix(struct sarif_run *run, yyjson_val *value, struct diagnostic *item,
                    struct err *err)
{
    yyjson_val *changes = yyjson_obj_get(value, "artifactChanges");
    yyjson_arr_iter iter = yyjson_arr_iter_with(changes);
    struct tool_fix *fix = diagnostic_fix_add(run->out, item);
    bool whole = yyjson_arr_size(changes) > 0;
    yyjson_val *change;
    int rc = 0;

    while (whole && (change = yyjson_arr_iter_next(&iter))) {
        whole = read_change(run, change, fix, &rc, err);
    }
    if (!whole) {
        item->fix_count--;
        return rc;
    }
    return sarif_keep(run, json_str(yyjson_obj_get(value, "description"), "text"), &fix->text, err);
}

int sarif_fixes(struct sarif_run *run, yyjson_val *result, struct diagnostic *item,
                struct err *err)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(result, "fixes"));
    yyjson_val *fix;
    int rc = 0;

    while (rc == 0 && (fix = yyjson_arr_iter_next(&iter))) rc = read_fix(run, fix, item, err);
    return rc;
}
