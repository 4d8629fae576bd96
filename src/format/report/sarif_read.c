/* SPDX-License-Identifier: Apache-2.0
 *
 * sarif_read.c - SARIF 2.1.0: what a tool found, and whether it could look at all.
 *
 * What is a finding: a result whose kind is fail (or not said), open or review; that is not absent
 * against a baseline; and that is not suppressed, which it is when it has suppressions and none of
 * them is rejected, under review, or in a state that is unknown. pass, notApplicable and
 * informational are none. What is unknown is taken as the worse: another kind is a finding, another
 * level is high.
 *
 * 1. Structure is strict: a log, a run or a result that is not what it must be, has a key twice or
 *    no message ends the reading with ERR_FORMAT. Nothing that is a finding is ever passed over.
 * 2. Places are lenient: a finding without a usable place is still one. A fix without one is left
 *    out, since half a fix is worse than none.
 * 3. A run that failed says so in `failure`: an invocation that did not succeed, a notification of
 *    level error (the specification: "shall mean that the run failed"), no runs, or a run without
 *    `results`, which is how a tool says that it did not begin. What was found all the same is
 *    there, too.
 * 4. Memory follows the size of the report: what many results name in few bytes is shared, or
 *    counted against SARIF_TEXT_BYTES_MAX. So does work, since lists are indexed once per run.
 *
 * Rules and messages. A result names its rule by an index into the rules of a component, or by an
 * id only. Ids are hierarchical: "CA5350/md5" is described by "CA5350" where there is nothing
 * closer. A message is a text of its own or the id of one that its rule or the tool keeps. "{0}"
 * stands for its first argument and "{{" for "{"; but a text of its own without arguments is taken
 * as it is, since most tools that need no placeholders do not know of them.
 *
 * 5. Finding a rule takes time logarithmic in their number.
 * 6. A message with its arguments is at most SARIF_MESSAGE_BYTES_MAX, or ERR_LIMIT.
 *
 * Places and fixes. A file is named by a URI, by the name of a base it is relative to, or by its
 * number in the run's list. What comes out is text: a path where the URI is one, else the URI
 * itself, which is the name of no file.
 *
 *     src/a%20b.c with a base file:///home/me/         /home/me/src/a b.c
 *     src/a.c with a base that the log does not have   src/a.c
 *     file://server/a.c, https://host/a.c              as they are
 *
 * 7. "%XX" is a byte, but for "%00": no path gets a NUL from here. A "%" that is no escape, a "?"
 *    and a "#" stand for themselves: tools forget to escape more often than they write queries.
 * 8. A path is at most SARIF_PATH_BYTES_MAX, or ERR_LIMIT; a NUL in a URI is ERR_FORMAT.
 * 9. An artifact inside another (in an archive) is never mistaken for a file of that name: its
 *    container stands for it, without a place and without fixes.
 * 10. A region's missing members are what the specification says: the whole line, to the end of
 *     the line, an insertion. Offsets in characters cannot be told without the file: no place.
 * 11. A fix is taken with all of its edits, each exact, or not at all. Edits with binary content
 *     are not taken.
 *
 * Not here: overrides of a rule's level by an invocation, translations, code flows, related
 * locations; results in other files, which are refused. Whether a path can be trusted is for
 * analyze/locate.c to say. */
#include "format/report/diagnostic.h"

#include "base/buf.h"
#include "base/byte.h"
#include "format/json/json.h"
#include "format/json/json_walk.h"
#include "format/text/words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct sarif_list {
    yyjson_val **items;
    uint32_t count;
};

struct sarif_rule {
    yyjson_val *value;     /* the descriptor; may be no object */
    yyjson_val *component; /* that describes it */
    struct str id;
    struct str help;       /* once a result needs it: shared by all results of the rule */
    bool has_help;
};

/* The driver or an extension of a tool: which of the run's rules are its own. */
struct sarif_component {
    uint32_t first, count;
};

struct sarif_name {
    struct str id;
    uint32_t rule;
};

/* The run that is being read. */
struct sarif_run {
    struct diagnostics *out;
    struct arena arena;     /* holds the lists below; released with the run */
    uint64_t *text_bytes;   /* kept so far, over all runs */
    yyjson_val *value;
    enum column_unit unit;
    struct sarif_list artifacts;
    struct sarif_component *components; /* the driver first */
    uint32_t component_count;
    struct sarif_rule *rules;
    struct sarif_name *names; /* of the rules, sorted; of one id the first rule first */
    uint32_t rule_count;
};

/* ---- lists and texts ---- */

/* A member that is there and not null, or NULL. */
static yyjson_val *sarif_member(yyjson_val *object, const char *key)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    return yyjson_is_null(value) ? NULL : value;
}

/* An array as a list; anything else is an empty one. */
static struct sarif_list sarif_list(yyjson_val *array, struct arena *arena)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(array);
    struct sarif_list list = { 0 };
    yyjson_val *item;

    if (yyjson_arr_size(array) == 0) return list;
    list.items = arena_alloc(arena, yyjson_arr_size(array) * sizeof(yyjson_val *));
    while ((item = yyjson_arr_iter_next(&iter))) list.items[list.count++] = item;
    return list;
}

/* Counts a text that is about to be kept: ERR_LIMIT when it is the one too many. */
static int sarif_count(struct sarif_run *run, struct str text, struct err *err)
{
    *run->text_bytes += text.size;
    if (*run->text_bytes <= SARIF_TEXT_BYTES_MAX) return 0;
    return err_set(err, ERR_LIMIT, "the texts are more than %d bytes together",
                   SARIF_TEXT_BYTES_MAX);
}

/* Counts it and makes a copy that lives as long as the diagnostics, cut like diagnostic_text(). */
static int sarif_keep(struct sarif_run *run, struct str text, struct str *out, struct err *err)
{
    int rc = sarif_count(run, text, err);

    if (rc == 0) *out = diagnostic_text(run->out, text);
    return rc;
}

/* ---- rules and messages ---- */

static int name_compare(const void *a, const void *b)
{
    const struct sarif_name *one = a, *other = b;
    int order = str_compare(one->id, other->id);

    return order != 0 ? order : (one->rule > other->rule) - (one->rule < other->rule);
}

static void component_init(struct sarif_run *run, struct sarif_component *component,
                           yyjson_val *value)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(value, "rules"));
    yyjson_val *rule;

    component->first = run->rule_count;
    while ((rule = yyjson_arr_iter_next(&iter))) {
        uint32_t at = run->rule_count++;

        run->rules[at] = (struct sarif_rule){
            .value = rule, .component = value, .id = json_str(rule, "id")
        };
        run->names[at] = (struct sarif_name){ run->rules[at].id, at };
        component->count++;
    }
}

static void sarif_rules_init(struct sarif_run *run)
{
    yyjson_val *tool = yyjson_obj_get(run->value, "tool");
    yyjson_val *driver = yyjson_obj_get(tool, "driver");
    struct sarif_list extensions = sarif_list(yyjson_obj_get(tool, "extensions"), &run->arena);
    size_t count = yyjson_arr_size(yyjson_obj_get(driver, "rules"));

    for (uint32_t i = 0; i < extensions.count; i++) {
        count += yyjson_arr_size(yyjson_obj_get(extensions.items[i], "rules"));
    }
    run->component_count = extensions.count + 1;
    run->components = arena_alloc(&run->arena, run->component_count * sizeof *run->components);
    run->rules = arena_alloc(&run->arena, count * sizeof *run->rules);
    run->names = arena_alloc(&run->arena, count * sizeof *run->names);
    component_init(run, &run->components[0], driver);
    for (uint32_t i = 0; i < extensions.count; i++) {
        component_init(run, &run->components[i + 1], extensions.items[i]);
    }
    assert(run->rule_count == count);
    qsort(run->names, run->rule_count, sizeof *run->names, name_compare);
}

static struct sarif_rule *find_exactly(const struct sarif_run *run, struct str id)
{
    uint32_t low = 0, high = run->rule_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (str_compare(run->names[middle].id, id) < 0) low = middle + 1;
        else high = middle;
    }
    if (low == run->rule_count || !str_eq(run->names[low].id, id)) return NULL;
    return &run->rules[run->names[low].rule];
}

/* The rule of that id in any component, or of as much of its front as one has. */
static struct sarif_rule *find_by_id(const struct sarif_run *run, struct str id)
{
    enum { PARTS_MAX = 8 };
    struct sarif_rule *rule = NULL;

    for (int parts = 0; id.size && !rule && parts < PARTS_MAX; parts++) {
        rule = find_exactly(run, id);
        while (id.size && id.data[id.size - 1] != '/') id.size--;
        if (id.size) id.size--;
    }
    return rule;
}

/* The rule that a result names, by index or by id; NULL when the report does not describe it. */
static struct sarif_rule *sarif_rule_find(struct sarif_run *run, yyjson_val *result)
{
    yyjson_val *reference = yyjson_obj_get(result, "rule");
    const struct sarif_component *component = &run->components[0];
    struct str id = json_str(result, "ruleId");
    uint64_t index, extension;
    bool indexed = json_uint(reference, "index", &index) || json_uint(result, "ruleIndex", &index);

    if (json_uint(yyjson_obj_get(reference, "toolComponent"), "index", &extension) &&
        extension < run->component_count - 1) {
        component = &run->components[extension + 1];
    }
    if (indexed && index < component->count) return &run->rules[component->first + index];
    return find_by_id(run, id.size ? id : json_str(reference, "id"));
}

/* The text behind an id: the rule's, or one of the component that describes it. */
static struct str named_text(const struct sarif_run *run, const struct sarif_rule *rule,
                             const char *id)
{
    yyjson_val *component = yyjson_obj_get(yyjson_obj_get(run->value, "tool"), "driver");
    struct str text = { 0 };

    if (rule) {
        component = rule->component;
        text = json_str(yyjson_obj_get(yyjson_obj_get(rule->value, "messageStrings"), id), "text");
    }
    if (text.size) return text;
    return json_str(yyjson_obj_get(yyjson_obj_get(component, "globalMessageStrings"), id), "text");
}

/* The size of a placeholder at the front of format, and the argument for it; or 0. */
static size_t placeholder(struct str format, const struct sarif_list *arguments, struct str *out)
{
    enum { PLACEHOLDER_BYTES_MAX = 16 };
    struct str digits = str_skip(format, 1);
    size_t size = format.size < PLACEHOLDER_BYTES_MAX ? format.size : PLACEHOLDER_BYTES_MAX;
    const char *end = memchr(format.data, '}', size);
    uint64_t index;

    if (!end) return 0;
    digits.size = (size_t)(end - digits.data);
    if (!str_number(digits, &index) || index >= arguments->count) return 0;
    if (!yyjson_is_str(arguments->items[index])) return 0;
    *out = json_value(arguments->items[index]);
    return digits.size + 2;
}

static void expand(struct str format, const struct sarif_list *arguments, struct buf *out)
{
    while (format.size) {
        struct str piece = { format.data, 0 };
        size_t used = 1;

        while (piece.size < format.size && format.data[piece.size] != '{' &&
               format.data[piece.size] != '}') {
            piece.size++;
        }
        buf_add(out, piece);
        format = str_skip(format, piece.size);
        if (format.size == 0) return;
        piece = (struct str){ format.data, 1 };
        if (format.size > 1 && format.data[1] == format.data[0]) {
            used = 2;
        } else if (format.data[0] == '{') {
            used = placeholder(format, arguments, &piece);
            if (used == 0) used = 1;
        }
        buf_add(out, piece);
        format = str_skip(format, used);
    }
}

/* A result's message with its arguments in their places; empty when there is none. Kept. */
static int sarif_message(struct sarif_run *run, const struct sarif_rule *rule, yyjson_val *message,
                         struct str *out, struct err *err)
{
    yyjson_val *given = yyjson_obj_get(message, "arguments");
    struct sarif_list arguments = { 0 };
    struct str id = json_str(message, "id");
    struct str text = json_str(message, "text");
    struct buf expanded;
    bool plain;
    int rc = 0;

    if (text.size == 0) text = json_str(message, "markdown");
    plain = text.size && yyjson_arr_size(given) == 0;
    if (text.size == 0 && id.data) text = named_text(run, rule, id.data);
    if (text.size == 0 && rule) {
        text = json_str(yyjson_obj_get(rule->value, "shortDescription"), "text");
        plain = true;
    }
    if (plain) return sarif_keep(run, text, out, err);
    arguments = sarif_list(given, &run->arena);
    buf_init(&expanded, SARIF_MESSAGE_BYTES_MAX);
    expand(text, &arguments, &expanded);
    if (expanded.overflow) {
        rc = err_set(err, ERR_LIMIT, "a message is longer than %d bytes", SARIF_MESSAGE_BYTES_MAX);
    } else {
        rc = sarif_keep(run, buf_str(&expanded), out, err);
    }
    buf_release(&expanded);
    return rc;
}

/* ---- places and fixes ---- */

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

    if (scheme && !starts_with_word(uri, "file:")) {
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

/* Where an artifactLocation points: a path, or an address that is none. Empty when it says
 * nothing. *nested (may be NULL): the file is only the container of what is meant. */
static int sarif_path(struct sarif_run *run, yyjson_val *location, struct str *out, bool *nested,
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
    out->unit = COLUMN_BYTES;
    out->offset = offset;
    out->end_offset = offset + length;
    return true;
}

/* A region as a place. False when it cannot be told exactly: *out then has the part that can. */
static bool sarif_region(const struct sarif_run *run, yyjson_val *region, struct place *out)
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

/* The fixes of a result that can be expressed; the others are left out. */
static int sarif_fixes(struct sarif_run *run, yyjson_val *result, struct diagnostic *item,
                       struct err *err)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(result, "fixes"));
    yyjson_val *fix;
    int rc = 0;

    while (rc == 0 && (fix = yyjson_arr_iter_next(&iter))) rc = read_fix(run, fix, item, err);
    return rc;
}

/* Where the reading stands, to say so when it cannot go on. */
struct where {
    struct str text;
    uint32_t run, result;
};

/* The line of runs[run], or of its results[result]. */
static uint32_t line_of(const struct where *where, bool of_result)
{
    struct json_walk walk = json_walk_start(where->text);

    if (json_walk_member(walk, "runs", &walk) == 0 || !json_walk_enter(&walk)) return 0;
    for (uint32_t i = 0; json_walk_next(&walk, NULL) && i < where->run; i++) json_walk_skip(&walk);
    if (!of_result) return walk.line;
    if (json_walk_member(walk, "results", &walk) == 0 || !json_walk_enter(&walk)) return 0;
    for (uint32_t i = 0; json_walk_next(&walk, NULL) && i < where->result; i++) {
        json_walk_skip(&walk);
    }
    return walk.line;
}

static int bad_run(const struct where *where, const char *what, struct err *err)
{
    return err_set(err, ERR_FORMAT, "line %u: runs[%u] %s", line_of(where, false), where->run,
                   what);
}

static int bad_result(const struct where *where, const char *what, struct err *err)
{
    return err_set(err, ERR_FORMAT, "line %u: runs[%u].results[%u] %s", line_of(where, true),
                   where->run, where->result, what);
}

static enum severity severity_of(struct str level)
{
    static const struct { const char *word; enum severity severity; } levels[] = {
        { "error", SEVERITY_HIGH },
        { "warning", SEVERITY_MEDIUM },
        { "note", SEVERITY_LOW },
        { "none", SEVERITY_LOW },
    };

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (str_is(level, levels[i].word)) return levels[i].severity;
    }
    return SEVERITY_HIGH;
}

static enum severity result_severity(yyjson_val *result, const struct sarif_rule *rule)
{
    yyjson_val *level = sarif_member(result, "level");
    struct str kind = json_str(result, "kind");

    if (!level && (str_is(kind, "open") || str_is(kind, "review"))) return SEVERITY_LOW;
    if (!level && rule) {
        level = sarif_member(yyjson_obj_get(rule->value, "defaultConfiguration"), "level");
    }
    if (!level) return SEVERITY_MEDIUM;
    return severity_of(json_value(level));
}

static bool is_suppressed(yyjson_val *result)
{
    yyjson_val *suppressions = yyjson_obj_get(result, "suppressions");
    yyjson_arr_iter iter = yyjson_arr_iter_with(suppressions);
    yyjson_val *item;

    if (yyjson_arr_size(suppressions) == 0) return false;
    while ((item = yyjson_arr_iter_next(&iter))) {
        yyjson_val *status = sarif_member(item, "status");

        if (!yyjson_is_obj(item)) return false;
        if (status && !str_is(json_str(item, "status"), "accepted")) return false;
    }
    return true;
}

static bool is_finding(yyjson_val *result)
{
    static const char *const others[] = { "pass", "notApplicable", "informational", NULL };

    if (text_is_one_of(json_str(result, "kind"), others)) return false;
    return !str_is(json_str(result, "baselineState"), "absent") && !is_suppressed(result);
}

/* The first location that is one in a file. */
static int read_location(struct sarif_run *run, yyjson_val *result, struct diagnostic *item,
                         struct err *err)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(result, "locations"));
    yyjson_val *location, *physical = NULL;
    bool nested;
    int rc;

    while (!physical && (location = yyjson_arr_iter_next(&iter))) {
        physical = yyjson_obj_get(location, "physicalLocation");
    }
    rc = sarif_path(run, yyjson_obj_get(physical, "artifactLocation"), &item->file, &nested, err);
    if (rc != 0) return rc;
    if (item->file.size && !nested) {
        sarif_region(run, yyjson_obj_get(physical, "region"), &item->place);
    }
    return sarif_path(run, yyjson_obj_get(result, "analysisTarget"), &item->unit, NULL, err);
}

static int read_rule(struct sarif_run *run, yyjson_val *result, struct sarif_rule *rule,
                     struct diagnostic *item, struct err *err)
{
    struct str id = json_str(result, "ruleId");
    struct str help;
    int rc;

    if (id.size == 0) id = json_str(yyjson_obj_get(result, "rule"), "id");
    if (id.size == 0 && rule) id = rule->id;
    rc = sarif_keep(run, id, &item->rule, err);
    if (rc != 0 || !rule) return rc;
    if (!rule->has_help) {
        help = json_str(rule->value, "helpUri");
        if (help.size == 0) help = json_str(yyjson_obj_get(rule->value, "help"), "text");
        rc = sarif_keep(run, help, &rule->help, err);
        rule->has_help = true;
    }
    item->help = rule->help;
    return rc;
}

static int read_result(struct sarif_run *run, yyjson_val *result, const struct where *where,
                       struct err *err)
{
    yyjson_val *message = yyjson_obj_get(result, "message");
    struct sarif_rule *rule;
    struct diagnostic *item;
    int rc;

    if (!yyjson_is_obj(result)) return bad_result(where, "is not an object", err);
    if (json_has_duplicates(result)) return bad_result(where, "has a key twice", err);
    if (!yyjson_is_obj(message)) return bad_result(where, "has no message", err);
    if (!is_finding(result)) return 0;
    item = diagnostic_add(run->out);
    if (!item) return err_set(err, ERR_LIMIT, "more than %d results", DIAGNOSTICS_MAX);
    rule = sarif_rule_find(run, result);
    item->severity = result_severity(result, rule);
    rc = sarif_message(run, rule, message, &item->text, err);
    if (rc == 0 && item->text.size == 0) {
        rc = bad_result(where, "has a message that leads to no text", err);
    }
    if (rc == 0) rc = read_rule(run, result, rule, item, err);
    if (rc == 0) rc = read_location(run, result, item, err);
    if (rc == 0) rc = sarif_fixes(run, result, item, err);
    return rc;
}

/* Of some notifications the first of level error. */
static struct str error_among(yyjson_val *notifications)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(notifications);
    struct str text = { 0 };
    yyjson_val *item;

    while ((item = yyjson_arr_iter_next(&iter))) {
        if (!str_is(json_str(item, "level"), "error")) continue;
        text = json_str(yyjson_obj_get(item, "message"), "text");
        return text.size ? text : STR("the tool reports an error of its own");
    }
    return text;
}

/* What an invocation says went wrong; empty where nothing did. */
static struct str failure_of(yyjson_val *invocation)
{
    static const char *const reasons[] = {
        "processStartFailureMessage", "exitCodeDescription", "exitSignalName"
    };
    struct str text = error_among(yyjson_obj_get(invocation, "toolExecutionNotifications"));

    if (text.size == 0) {
        text = error_among(yyjson_obj_get(invocation, "toolConfigurationNotifications"));
    }
    if (text.size || !yyjson_is_false(yyjson_obj_get(invocation, "executionSuccessful"))) {
        return text;
    }
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons && text.size == 0; i++) {
        text = json_str(invocation, reasons[i]);
    }
    return text.size ? text : STR("the tool reports that it did not succeed");
}

static int read_failure(struct sarif_run *run, struct err *err)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(run->value, "invocations"));
    yyjson_val *results = sarif_member(run->value, "results");
    struct str text = { 0 };
    yyjson_val *invocation;

    if (run->out->failure.size) return 0;
    while (text.size == 0 && (invocation = yyjson_arr_iter_next(&iter))) {
        text = failure_of(invocation);
    }
    if (text.size == 0 && !results) {
        text = STR("the report has no results: the tool did not begin its work");
    }
    return text.size ? sarif_keep(run, text, &run->out->failure, err) : 0;
}

static int read_tool(struct sarif_run *run, const struct where *where, struct err *err)
{
    yyjson_val *driver = yyjson_obj_get(yyjson_obj_get(run->value, "tool"), "driver");
    struct str name = json_str(driver, "name");
    struct str version = json_str(driver, "version");
    int rc;

    if (!name.data) return bad_run(where, "names no tool: it has no tool.driver.name", err);
    if (run->out->tool.size) return 0;
    if (version.size == 0) version = json_str(driver, "semanticVersion");
    rc = sarif_keep(run, name, &run->out->tool, err);
    return rc == 0 ? sarif_keep(run, version, &run->out->version, err) : rc;
}

static int read_unit(struct sarif_run *run, const struct where *where, struct err *err)
{
    static const struct { const char *word; enum column_unit unit; } units[] = {
        { "utf16CodeUnits", COLUMN_UTF16 },
        { "unicodeCodePoints", COLUMN_CODE_POINTS },
        { "bytes", COLUMN_BYTES }, /* of later versions, which some tools write already */
    };
    yyjson_val *kind = sarif_member(run->value, "columnKind");

    run->unit = COLUMN_UTF16;
    if (!kind) return 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        run->unit = units[i].unit;
        if (yyjson_equals_str(kind, units[i].word)) return 0;
    }
    return bad_run(where, "counts columns in a way hone does not know (columnKind)", err);
}

static int read_results(struct sarif_run *run, struct where *where, struct err *err)
{
    yyjson_val *results = sarif_member(run->value, "results");
    yyjson_arr_iter iter = yyjson_arr_iter_with(results);
    yyjson_val *external = yyjson_obj_get(run->value, "externalPropertyFileReferences");
    yyjson_val *result;
    int rc = 0;

    if (yyjson_arr_size(yyjson_obj_get(external, "results")) > 0) {
        return bad_run(where, "has its results in other files, which hone does not read", err);
    }
    if (results && !yyjson_is_arr(results)) {
        return bad_run(where, "has results that are not an array", err);
    }
    for (where->result = 0; rc == 0 && (result = yyjson_arr_iter_next(&iter)); where->result++) {
        rc = read_result(run, result, where, err);
    }
    return rc;
}

static int read_run(struct sarif_run *run, struct where *where, struct err *err)
{
    int rc;

    if (!yyjson_is_obj(run->value)) return bad_run(where, "is not an object", err);
    if (json_has_duplicates(run->value)) return bad_run(where, "has a key twice", err);
    rc = read_tool(run, where, err);
    if (rc == 0) rc = read_unit(run, where, err);
    if (rc != 0) return rc;
    run->artifacts = sarif_list(yyjson_obj_get(run->value, "artifacts"), &run->arena);
    sarif_rules_init(run);
    rc = read_results(run, where, err);
    return rc == 0 ? read_failure(run, err) : rc;
}

static int read_runs(yyjson_val *runs, struct str text, struct diagnostics *out, struct err *err)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(runs);
    struct where where = { .text = text };
    uint64_t text_bytes = 0;
    yyjson_val *value;
    int rc = 0;

    for (; rc == 0 && (value = yyjson_arr_iter_next(&iter)); where.run++) {
        struct sarif_run run = { .out = out, .text_bytes = &text_bytes, .value = value };

        rc = read_run(&run, &where, err);
        arena_release(&run.arena);
    }
    if (rc == 0 && where.run == 0) {
        out->failure = STR("the report has no runs: no tool did its work");
    }
    return rc;
}

static int read_log(yyjson_val *log, struct str text, struct diagnostics *out, struct err *err)
{
    struct json_walk top = json_walk_start(text);
    struct str version = json_str(log, "version");
    yyjson_val *runs = yyjson_obj_get(log, "runs");

    if (!yyjson_is_obj(log)) return err_set(err, ERR_FORMAT, "line %u: not an object", top.line);
    if (json_has_duplicates(log)) {
        return err_set(err, ERR_FORMAT, "line %u: the object has a key twice", top.line);
    }
    if (!version.data) return err_set(err, ERR_FORMAT, "line %u: there is no version", top.line);
    if (!str_is(version, "2.1.0")) {
        return err_set(err, ERR_FORMAT, "line %u: this is version %.20s; hone reads 2.1.0",
                       json_walk_member(top, "version", NULL), version.data);
    }
    if (!yyjson_is_arr(runs)) {
        return err_set(err, ERR_FORMAT, "line %u: there are no runs", top.line);
    }
    return read_runs(runs, text, out, err);
}

int sarif_read(struct str text, struct diagnostics *out, struct err *err)
{
    const struct str mark = STR("\xef\xbb\xbf");
    yyjson_doc *doc;
    int rc;

    assert(out->count == 0);
    if (str_starts(text, mark)) text = str_skip(text, mark.size);
    rc = json_read(text, &doc, err);
    if (rc == 0) rc = read_log(yyjson_doc_get_root(doc), text, out, err);
    yyjson_doc_free(doc);
    return rc == 0 ? 0 : err_wrap(err, "SARIF");
}
