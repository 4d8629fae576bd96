/* SPDX-License-Identifier: Apache-2.0
 *
 * schema_check.c - a JSON value against a JSON Schema.
 *
 * Walks schema and value side by side; both are at most JSON_DEPTH_MAX deep. The path of what is
 * looked at ("issues[3].line") grows and shrinks with the walk. */
#include "serve/schema_check.h"

#include "format/text/safe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES_MAX = 512, KEY_SHOWN_MAX = 60, WORDS_BYTES_MAX = 512 };

struct walk {
    struct buf path;
    struct buf *problems;
    uint32_t count;
};

static void check(struct walk *walk, yyjson_val *schema, yyjson_val *value);

static void problem(struct walk *walk, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void problem(struct walk *walk, const char *format, ...)
{
    char text[WORDS_BYTES_MAX];
    va_list args;

    if (walk->count++ >= SCHEMA_PROBLEMS_MAX) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    buf_printf(walk->problems, "- %s %s\n", walk->path.size ? buf_cstr(&walk->path) : "the object",
               text);
}

/* ---- types ---- */

static bool has_type(yyjson_val *value, const char *type)
{
    double number = yyjson_get_num(value);

    if (strcmp(type, "object") == 0) return yyjson_is_obj(value);
    if (strcmp(type, "array") == 0) return yyjson_is_arr(value);
    if (strcmp(type, "string") == 0) return yyjson_is_str(value);
    if (strcmp(type, "boolean") == 0) return yyjson_is_bool(value);
    if (strcmp(type, "null") == 0) return yyjson_is_null(value);
    if (strcmp(type, "number") == 0) return yyjson_is_num(value);
    if (strcmp(type, "integer") != 0) return false;
    if (yyjson_is_int(value)) return true;
    return yyjson_is_real(value) && number > -9e15 && number < 9e15 &&
           number == (double)(int64_t)number;
}

static const char *type_word(yyjson_val *value)
{
    static const char *const types[] = { "object", "array", "string", "boolean", "null", NULL };

    for (uint32_t i = 0; types[i]; i++) {
        if (has_type(value, types[i])) return types[i];
    }
    return "number";
}

static bool check_type(struct walk *walk, yyjson_val *schema, yyjson_val *value)
{
    const char *type = yyjson_get_str(yyjson_obj_get(schema, "type"));

    if (!type || has_type(value, type)) return true;
    problem(walk, "must be of type %s, not %s", type, type_word(value));
    return false;
}

/* ---- values ---- */

static void check_enum(struct walk *walk, yyjson_val *schema, yyjson_val *value)
{
    yyjson_val *list = yyjson_obj_get(schema, "enum");
    yyjson_arr_iter items = yyjson_arr_iter_with(list);
    yyjson_val *item;
    struct buf words;

    if (!list) return;
    buf_init(&words, WORDS_BYTES_MAX);
    while ((item = yyjson_arr_iter_next(&items))) {
        if (yyjson_equals(item, value)) {
            buf_release(&words);
            return;
        }
        buf_printf(&words, "%s%s", words.size ? ", " : "", yyjson_get_str(item));
    }
    problem(walk, "must be one of: %s", buf_cstr(&words));
    buf_release(&words);
}

static void check_bounds(struct walk *walk, yyjson_val *schema, yyjson_val *value)
{
    yyjson_val *least = yyjson_obj_get(schema, "minimum");
    yyjson_val *most = yyjson_obj_get(schema, "maximum");
    yyjson_val *shortest = yyjson_obj_get(schema, "minLength");
    yyjson_val *longest = yyjson_obj_get(schema, "maxLength");
    double number = yyjson_get_num(value);

    if (yyjson_is_num(value)) {
        if (least && number < yyjson_get_num(least)) {
            problem(walk, "must be at least %.0f", yyjson_get_num(least));
        }
        if (most && number > yyjson_get_num(most)) {
            problem(walk, "must be at most %.0f", yyjson_get_num(most));
        }
    } else if (yyjson_is_str(value)) {
        if (shortest && yyjson_get_len(value) < yyjson_get_uint(shortest)) {
            problem(walk, "must not be empty");
        }
        if (longest && yyjson_get_len(value) > yyjson_get_uint(longest)) {
            problem(walk, "must have at most %" PRIu64 " bytes", yyjson_get_uint(longest));
        }
    }
}

/* ---- containers ---- */

/* Into a member or element; the path is as long as before afterwards. */
static void check_inside(struct walk *walk, const char *key, size_t index, yyjson_val *schema,
                         yyjson_val *value)
{
    size_t before = walk->path.size;

    if (key) {
        if (before) buf_byte(&walk->path, '.');
        safe_text(&walk->path, str_of(key), true, KEY_SHOWN_MAX);
    } else {
        buf_printf(&walk->path, "[%zu]", index);
    }
    check(walk, schema, value);
    walk->path.size = before;
    if (walk->path.data) walk->path.data[before] = '\0';
}

static void check_required(struct walk *walk, yyjson_val *schema, yyjson_val *value)
{
    yyjson_val *required = yyjson_obj_get(schema, "required");
    yyjson_val *properties = yyjson_obj_get(schema, "properties");
    yyjson_arr_iter names = yyjson_arr_iter_with(required);
    yyjson_val *name;

    while ((name = yyjson_arr_iter_next(&names))) {
        const char *key = yyjson_get_str(name);
        yyjson_val *type = yyjson_obj_get(yyjson_obj_get(properties, key), "type");
        if (yyjson_obj_get(value, key)) continue;
        problem(walk, "must have \"%s\"%s%s", key, yyjson_is_str(type) ? ", of type " : "",
                yyjson_is_str(type) ? yyjson_get_str(type) : "");
    }
}

static void check_object(struct walk *walk, yyjson_val *schema, yyjson_val *value)
{
    yyjson_val *properties = yyjson_obj_get(schema, "properties");
    bool closed = yyjson_is_false(yyjson_obj_get(schema, "additionalProperties"));
    yyjson_obj_iter members = yyjson_obj_iter_with(value);
    yyjson_val *key;

    check_required(walk, schema, value);
    if (json_has_duplicates(value)) problem(walk, "has a member twice");
    while ((key = yyjson_obj_iter_next(&members))) {
        const char *name = yyjson_get_str(key);
        yyjson_val *inner = yyjson_obj_getn(properties, name, yyjson_get_len(key));
        if (inner) {
            check_inside(walk, name, 0, inner, yyjson_obj_iter_get_val(key));
        } else if (closed) {
            struct buf shown;
            buf_init(&shown, WORDS_BYTES_MAX);
            safe_text(&shown, (struct str){ name, yyjson_get_len(key) }, true, KEY_SHOWN_MAX);
            problem(walk, "has no member \"%s\"", buf_cstr(&shown));
            buf_release(&shown);
        }
    }
}

static void check_array(struct walk *walk, yyjson_val *schema, yyjson_val *value)
{
    yyjson_val *inner = yyjson_obj_get(schema, "items");
    yyjson_val *most = yyjson_obj_get(schema, "maxItems");
    yyjson_arr_iter items = yyjson_arr_iter_with(value);
    yyjson_val *item;

    if (most && yyjson_arr_size(value) > yyjson_get_uint(most)) {
        problem(walk, "must have at most %" PRIu64 " elements", yyjson_get_uint(most));
    }
    for (size_t i = 0; inner && (item = yyjson_arr_iter_next(&items)); i++) {
        check_inside(walk, NULL, i, inner, item);
    }
}

static void check(struct walk *walk, yyjson_val *schema, yyjson_val *value)
{
    if (walk->count >= SCHEMA_PROBLEMS_MAX) return;
    if (!check_type(walk, schema, value)) return;
    check_enum(walk, schema, value);
    check_bounds(walk, schema, value);
    if (yyjson_is_obj(value)) check_object(walk, schema, value);
    if (yyjson_is_arr(value)) check_array(walk, schema, value);
}

void schema_check(yyjson_val *schema, yyjson_val *value, struct buf *problems)
{
    struct walk walk = { .problems = problems };

    buf_init(&walk.path, PATH_BYTES_MAX);
    if (value) check(&walk, schema, value);
    else check_required(&walk, schema, NULL);
    buf_release(&walk.path);
}
