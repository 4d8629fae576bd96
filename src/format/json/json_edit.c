/* SPDX-License-Identifier: Apache-2.0
 *
 * json_edit.c - a JSON text changed in one place.
 *
 * A container is an object or an array; its children are members or elements. Three places are all
 * that is needed of one: where it opens, where its children stand, where it closes.
 *
 *     {  "a": 1,   "b": [2]   }
 *     ^  ^    ^    ^      ^   ^
 *     |  begin end begin  end close
 *     open
 *
 * 1. A child is added behind the end of the last one, and a last child is taken out from the end of
 *    the one before it: the one undoes the other.
 * 2. In an empty container the blanks that were in it stand on both sides of the new child, and
 *    where there were none the two sides differ: by that the way back is known.
 * 3. What is added stands on lines of its own where the first child does. */
#include "format/json/json_edit.h"

#include "format/json/json.h"
#include "format/json/json_walk.h"

#include <string.h>

enum { VALUE_BYTES_MAX = 1 << 20, STEPS_MAX = 16, PRETTY_INDENT = 2 };

/* Offsets in the text. */
struct child {
    struct str key; /* as written; empty of an element */
    size_t begin, value, end;
};

struct container {
    size_t open, close;
    uint32_t count;
    struct child first, last;       /* of those there are */
    struct child at, before, after; /* around the one that was looked for */
    bool found;
    char kind; /* '{' or '['; 0: it is neither */
};

static size_t trimmed_end(struct str text, size_t begin, size_t end)
{
    while (end > begin && str_has(STR(" \t\r\n"), text.data[end - 1])) end--;
    return end;
}

static bool is_step(const struct child *child, uint32_t number, char kind, struct json_step step)
{
    if (!step.key) return kind == '[' && number == step.index;
    return kind == '{' && str_is(child->key, step.key);
}

/* Looks at the container that begins at open, and in it for the child of a step. */
static struct container container_at(struct str text, size_t open, struct json_step step)
{
    struct container box = { .open = open };
    struct json_walk walk = json_walk_start(str_skip(text, open));
    struct child child = { 0 }, before;
    struct str key;

    if (open >= text.size || (text.data[open] != '{' && text.data[open] != '[')) return box;
    box.kind = text.data[open];
    (void)json_walk_enter(&walk);
    while (json_walk_next(&walk, &key)) {
        before = child;
        child.key = key;
        child.value = (size_t)(walk.rest.data - text.data);
        child.begin = box.kind == '{' ? (size_t)(key.data - text.data) - 1 : child.value;
        json_walk_skip(&walk);
        child.end = trimmed_end(text, child.value, (size_t)(walk.rest.data - text.data));
        if (box.count == 0) box.first = child;
        if (box.found && box.after.end == 0) box.after = child;
        if (!box.found && is_step(&child, box.count, box.kind, step)) {
            box.found = true;
            box.at = child;
            box.before = before;
        }
        box.last = child;
        box.count++;
    }
    /* the walk is behind the bracket: it is the first one behind blanks */
    box.close = box.count ? box.last.end : open + 1;
    while (box.close < text.size && !str_has(STR("}]"), text.data[box.close])) box.close++;
    return box;
}

static struct str span(struct str text, size_t begin, size_t end)
{
    return (struct str){ text.data + begin, end - begin };
}

static size_t outermost(struct str text)
{
    return text.size - json_walk_start(text).rest.size;
}

/* As far as the path leads: the last container on it, and how many steps were taken. */
static size_t follow(struct str text, struct json_path path, uint32_t *taken)
{
    size_t at = outermost(text);

    for (*taken = 0; *taken < path.count; ++*taken) {
        struct container box = container_at(text, at, path.steps[*taken]);
        if (!box.found) break;
        at = box.at.value;
    }
    return at;
}

bool json_edit_find(struct str text, struct json_path path, struct str *value)
{
    uint32_t taken;
    size_t at = follow(text, path, &taken);
    struct json_walk walk = json_walk_start(str_skip(text, at));

    if (taken < path.count) return false;
    json_walk_skip(&walk);
    *value = span(text, at, trimmed_end(text, at, (size_t)(walk.rest.data - text.data)));
    return true;
}

/* ---- the look of what is added ---- */

struct look {
    struct str newline, indent, unit; /* indent: of the child */
    bool lines;                       /* it stands on lines of its own */
};

/* Blanks behind the last line end in some blanks. */
static struct str behind_break(struct str blanks)
{
    size_t at = blanks.size;

    while (at > 0 && blanks.data[at - 1] != '\n') at--;
    return str_skip(blanks, at);
}

static struct str unit_of(struct str text)
{
    struct container root = container_at(text, outermost(text), (struct json_step){ 0 });
    struct str blanks = { "", 0 };

    if (root.count > 0) blanks = span(text, root.open + 1, root.first.begin);
    if (!str_has(blanks, '\n') || behind_break(blanks).size == 0) return STR("  ");
    return behind_break(blanks);
}

/* The blanks at the beginning of the line in which an offset stands. */
static struct str line_indent(struct str text, size_t at)
{
    size_t begin = at, end;

    while (begin > 0 && text.data[begin - 1] != '\n') begin--;
    for (end = begin; end < at && str_has(STR(" \t"), text.data[end]); end++) { }
    return span(text, begin, end);
}

/* indent_text keeps what the look points to. */
static struct look look_of(struct str text, const struct container *box, struct buf *indent_text)
{
    const char *end = memchr(text.data, '\n', text.size);
    struct look out = { .unit = unit_of(text), .newline = STR("\n"), .lines = true };
    struct str blanks = span(text, box->open + 1, box->count ? box->first.begin : box->close);

    if (end && end > text.data && end[-1] == '\r') out.newline = STR("\r\n");
    out.indent = behind_break(blanks);
    if (box->count > 0 || blanks.size > 0) {
        out.lines = str_has(blanks, '\n');
        return out;
    }
    buf_add(indent_text, line_indent(text, box->open));
    buf_add(indent_text, out.unit);
    out.indent = buf_str(indent_text);
    return out;
}

/* A value, written anew in that look. */
static void put_value(struct str value, const struct look *look, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    struct str rest, line;
    struct buf text;
    yyjson_doc *read;
    struct err none;

    buf_init(&text, VALUE_BYTES_MAX);
    if (json_read(value, &read, &none) == 0) {
        yyjson_mut_doc_set_root(doc, yyjson_val_mut_copy(doc, yyjson_doc_get_root(read)));
        yyjson_doc_free(read);
        json_write(doc, look->lines, &text);
    }
    yyjson_mut_doc_free(doc);
    rest = str_trim(buf_str(&text));
    for (uint32_t n = 0; str_cut(&rest, '\n', &line); n++) {
        if (n > 0) {
            buf_add(out, look->newline);
            buf_add(out, look->indent);
        }
        for (; n > 0 && str_starts(line, STR("  ")); line = str_skip(line, PRETTY_INDENT)) {
            buf_add(out, look->unit);
        }
        buf_add(out, line);
    }
    buf_release(&text);
}

/* ---- adding ---- */

static void put_key(const char *key, const struct look *look, struct buf *out)
{
    if (!key) return;
    buf_printf(out, "\"%s\":%s", key, look->lines ? " " : "");
}

/* One more child behind all others. */
static void add_child(struct str text, const struct container *box, const char *key,
                      struct str value, struct buf *out)
{
    struct buf indent;
    struct look look;
    struct str blanks;
    size_t at = box->count ? box->last.end : box->open + 1;

    buf_init(&indent, VALUE_BYTES_MAX);
    look = look_of(text, box, &indent);
    blanks = span(text, box->open + 1, box->count ? box->first.begin : box->close);
    buf_add(out, span(text, 0, at));
    if (box->count > 0) buf_byte(out, ',');
    if (box->count == 0 && blanks.size == 0) {
        buf_add(out, look.newline);
        buf_add(out, look.indent);
    } else {
        buf_add(out, blanks);
    }
    put_key(key, &look, out);
    put_value(value, &look, out);
    if (box->count == 0 && blanks.size == 0) {
        buf_add(out, look.newline);
        buf_add(out, line_indent(text, box->open));
    }
    buf_add(out, span(text, at, text.size));
    buf_release(&indent);
}

/* {"second":{"third":VALUE}} for the steps that are missing, or "" where one is no member. */
static bool wrap(struct json_path path, uint32_t from, struct str value, bool in_array,
                 struct buf *out)
{
    for (uint32_t i = from; i < path.count; i++) {
        if (!path.steps[i].key) return false;
        buf_printf(out, "{\"%s\":", path.steps[i].key);
    }
    if (in_array) buf_byte(out, '[');
    buf_add(out, value);
    if (in_array) buf_byte(out, ']');
    for (uint32_t i = from; i < path.count; i++) buf_byte(out, '}');
    return true;
}

/* Behind the steps that were taken there is no member of the next one: it is made. */
static bool make_member(struct str text, struct json_path path, uint32_t taken, size_t at,
                        struct str value, bool in_array, struct buf *out)
{
    struct json_step step = path.steps[taken];
    struct container box = container_at(text, at, step);
    struct buf whole;
    bool fits;

    if (box.kind != '{' || !step.key) return false;
    buf_init(&whole, VALUE_BYTES_MAX);
    fits = wrap(path, taken + 1, value, in_array, &whole);
    if (fits) add_child(text, &box, step.key, buf_str(&whole), out);
    buf_release(&whole);
    return fits;
}

bool json_edit_set(struct str text, struct json_path path, struct str value, struct buf *out)
{
    uint32_t taken;
    size_t at = follow(text, path, &taken);
    struct look look = { .unit = unit_of(text), .newline = STR("\n"), .lines = false };
    struct str old = { "", 0 };

    if (path.count == 0 || !path.steps[path.count - 1].key) return false;
    if (taken < path.count) return make_member(text, path, taken, at, value, false, out);
    (void)json_edit_find(text, path, &old);
    buf_add(out, span(text, 0, at));
    put_value(value, &look, out);
    buf_add(out, str_skip(text, at + old.size));
    return true;
}

bool json_edit_add(struct str text, struct json_path path, struct str value, struct buf *out)
{
    uint32_t taken;
    size_t at = follow(text, path, &taken);
    struct container box;

    if (taken < path.count) return make_member(text, path, taken, at, value, true, out);
    box = container_at(text, at, (struct json_step){ 0 });
    if (box.kind != '[') return false;
    add_child(text, &box, NULL, value, out);
    return true;
}

/* ---- taking out ---- */

/* The bytes that go with the child that was found. */
static void child_range(struct str text, const struct container *box, size_t *from, size_t *to)
{
    struct str left = span(text, box->open + 1, box->at.begin);
    struct str right = span(text, box->at.end, box->close);

    if (box->before.end > 0) {
        *from = box->before.end;
        *to = box->at.end;
    } else if (box->after.end > 0) {
        *from = box->at.begin;
        *to = box->after.begin;
    } else {
        *from = box->open + 1;
        *to = str_eq(left, right) ? box->at.end : box->close;
    }
}

bool json_edit_drop(struct str text, struct json_path path, struct buf *out)
{
    struct container boxes[STEPS_MAX];
    size_t at = outermost(text), from, to;
    uint32_t depth = 0;

    if (path.count == 0 || path.count > STEPS_MAX) return false;
    for (; depth < path.count; depth++) {
        boxes[depth] = container_at(text, at, path.steps[depth]);
        if (!boxes[depth].found) return false;
        at = boxes[depth].at.value;
    }
    while (depth > 1 && boxes[depth - 1].count == 1) depth--;
    child_range(text, &boxes[depth - 1], &from, &to);
    buf_add(out, span(text, 0, from));
    buf_add(out, str_skip(text, to));
    return true;
}
