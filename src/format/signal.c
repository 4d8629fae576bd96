/* SPDX-License-Identifier: Apache-2.0
 *
 * signal.c - signals as text, and back.
 *
 * 1. What is written is read back as it was, but for what cannot stand in a line.
 * 2. Nothing that is unclear is a success: no status, another word, a key that stands twice.
 *
 * Not here: which signals there are (the dialects), folders of them (cmd/verify.c). */
#include "format/signal.h"

#include "base/byte.h"
#include "format/json/json.h"
#include "format/text/safe.h"
#include "format/text/words.h"

#include <inttypes.h>
#include <stddef.h>

enum { LINE_BYTES_MAX = 4096 };

/* ---- reading ---- */

enum key { KEY_PATH, KEY_SIZE, KEY_STATUS, KEY_CREATED, KEY_GRADE, KEY_ERROR, KEY_COUNT };

static const char *const key_words[KEY_COUNT] = {
    [KEY_PATH] = "path",          [KEY_SIZE] = "size",   [KEY_STATUS] = "status",
    [KEY_CREATED] = "created_at", [KEY_GRADE] = "grade", [KEY_ERROR] = "error",
};

static enum key key_find(struct str word)
{
    return (enum key)word_index(word, key_words, KEY_COUNT);
}

static struct str one_line(struct str text, struct arena *arena)
{
    struct buf line;

    buf_init(&line, LINE_BYTES_MAX + 16);
    safe_text(&line, str_trim(text), true, LINE_BYTES_MAX);
    return arena_take(arena, &line);
}

static void signal_take(struct signal *out, enum key key, struct str value)
{
    switch (key) {
    case KEY_PATH:
        out->path = value;
        break;
    case KEY_SIZE:
        out->has_size = str_number(value, &out->size);
        break;
    case KEY_STATUS:
        out->success = str_is(value, "success");
        break;
    case KEY_CREATED:
        out->created_at = value;
        break;
    case KEY_GRADE:
        out->grade = value;
        break;
    case KEY_ERROR:
        out->error = value;
        break;
    case KEY_COUNT:
        break;
    }
}

static int read_lines(struct str text, struct arena *arena, struct signal *out, struct err *err)
{
    bool seen[KEY_COUNT + 1] = { false };
    struct str rest = text, line, word;
    unsigned number = 0;

    while (str_cut(&rest, '\n', &line)) {
        enum key key;

        number++;
        if (!str_has(line, ':')) continue;
        (void)str_cut(&line, ':', &word);
        key = key_find(word);
        if (seen[key] && key != KEY_COUNT) {
            return err_set(err, ERR_FORMAT, "line %u: %s stands here twice", number,
                           key_words[key]);
        }
        seen[key] = true;
        signal_take(out, key, one_line(line, arena));
    }
    if (!seen[KEY_STATUS]) return err_set(err, ERR_FORMAT, "it has no status");
    return 0;
}

/* The first file that a JSON signal names: `path`, or the first of `artifacts`. */
static struct str json_path(yyjson_val *root)
{
    yyjson_val *artifacts = yyjson_obj_get(root, "artifacts");
    yyjson_val *first = yyjson_arr_get_first(artifacts);
    struct str path = json_str(root, "path");

    if (path.data) return path;
    if (yyjson_is_str(first)) return json_value(first);
    path = json_str(first, "path");
    return path.data ? path : (struct str){ "", 0 };
}

static int read_json(struct str text, struct arena *arena, struct signal *out, struct err *err)
{
    yyjson_doc *doc;
    yyjson_val *root;
    struct str status;
    int rc = json_read(text, &doc, err);

    if (rc != 0) return rc;
    root = yyjson_doc_get_root(doc);
    status = json_str(root, "status");
    if (!yyjson_is_obj(root)) {
        rc = err_set(err, ERR_FORMAT, "it is JSON, and no object");
    } else if (json_has_duplicates(root)) {
        rc = err_set(err, ERR_FORMAT, "a member stands in it twice");
    } else if (!status.data) {
        rc = err_set(err, ERR_FORMAT, "it has no status");
    } else {
        out->success = str_is(status, "success") || str_is(status, "completed");
        out->has_size = json_uint(root, "size", &out->size);
        out->path = one_line(json_path(root), arena);
        out->created_at = one_line(json_str(root, "created_at"), arena);
        out->grade = one_line(json_str(root, "grade"), arena);
        out->error = one_line(json_str(root, "error"), arena);
    }
    yyjson_doc_free(doc);
    return rc;
}

int signal_read(struct str text, struct arena *arena, struct signal *out, struct err *err)
{
    int rc;

    *out = (struct signal){ .success = false };
    if (str_trim(text).size == 0) return err_set(err, ERR_FORMAT, "it is empty");
    if (text.size > SIGNAL_BYTES_MAX) {
        return err_set(err, ERR_FORMAT, "it is longer than %d bytes", SIGNAL_BYTES_MAX);
    }
    rc = str_trim(text).data[0] == '{' ? read_json(text, arena, out, err)
                                       : read_lines(text, arena, out, err);
    if (rc != 0) *out = (struct signal){ .success = false };
    return rc;
}

/* ---- writing ---- */

static void add_line(struct buf *out, enum key key, struct str value)
{
    struct buf line;

    buf_init(&line, LINE_BYTES_MAX + 16);
    safe_text(&line, str_trim(value), true, LINE_BYTES_MAX);
    value = str_trim(buf_str(&line));
    if (value.size) {
        buf_printf(out, "%s: ", key_words[key]);
        buf_add(out, value);
        buf_byte(out, '\n');
    }
    buf_release(&line);
}

void signal_write(const struct signal *signal, struct buf *out)
{
    add_line(out, KEY_PATH, signal->path);
    buf_printf(out, "size: %" PRIu64 "\n", signal->size);
    buf_printf(out, "status: %s\n", signal->success ? "success" : "fail");
    buf_printf(out, "created_at: %.*s\n", STR_ARG(signal->created_at));
    add_line(out, KEY_GRADE, signal->grade);
    add_line(out, KEY_ERROR, signal->error);
}

/* ---- names ---- */

/* A number as we write them, cut off the front of *rest; false leaves *rest anywhere. */
static bool cut_number(struct str *rest, uint32_t *out)
{
    struct str digits = { rest->data, 0 };
    uint64_t value = 0;

    while (digits.size < rest->size && digits.data[digits.size] >= '0' &&
           digits.data[digits.size] <= '9') {
        digits.size++;
    }
    if (!str_number(digits, &value) || value == 0 || value > SIGNAL_NUMBER_MAX) return false;
    if (digits.data[0] == '0') return false;
    *rest = str_skip(*rest, digits.size);
    *out = (uint32_t)value;
    return true;
}

static bool cut_word(struct str *rest, struct str word)
{
    if (!str_starts(*rest, word)) return false;
    *rest = str_skip(*rest, word.size);
    return true;
}

/* "-perf": the reviewer of that review. */
static bool is_of_role(enum signal_step step, struct str rest)
{
    if (step != SIGNAL_REVIEW || rest.size < 2 || rest.data[0] != '-') return false;
    for (size_t i = 1; i < rest.size; i++) {
        char byte = rest.data[i];

        if (!byte_is_digit(byte) && !byte_is_small(byte) && byte != '-') return false;
    }
    return true;
}

bool signal_name_read(struct str name, struct signal_name *out)
{
    static const struct str done = STR(".done"), fail = STR(".fail");
    struct str rest = name;
    uint32_t cycle;

    *out = (struct signal_name){ .failed = str_ends(name, fail) };
    if ((!out->failed && !str_ends(name, done)) || name.size == done.size) return false;
    rest.size -= done.size;
    if (!cut_word(&rest, STR("phase-")) || !cut_number(&rest, &out->phase)) {
        out->phase = 0;
        return true;
    }
    if (rest.size > 0 && rest.data[0] != '-') {
        out->phase = 0; /* phase-1b is no step of ours */
    } else if (cut_word(&rest, STR("-review-"))) {
        out->step = SIGNAL_REVIEW;
    } else if (cut_word(&rest, STR("-fix-"))) {
        out->step = SIGNAL_FIX;
    }
    if (out->step == SIGNAL_OTHER) return true;
    if (cut_number(&rest, &cycle) && (rest.size == 0 || is_of_role(out->step, rest))) {
        out->cycle = cycle;
    } else {
        out->step = SIGNAL_OTHER;
    }
    return true;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

int signal_name_compare(struct str a, struct str b)
{
    struct signal_name x, y;
    int order;

    (void)signal_name_read(a, &x);
    (void)signal_name_read(b, &y);
    order = compare_numbers(x.phase - 1, y.phase - 1); /* none, which is 0, comes last */
    if (order == 0) order = compare_numbers(x.cycle, y.cycle);
    if (order == 0) order = compare_numbers(x.step, y.step);
    return order != 0 ? order : str_compare(a, b);
}

/* ---- times ---- */

/* A number of exactly so many digits and what must follow it, cut off the front. */
static bool cut_field(struct str *rest, size_t digits, char behind, uint32_t max, uint32_t *out)
{
    struct str field = { rest->data, digits };
    uint64_t value;

    if (rest->size < digits + (behind != 0)) return false;
    if (!str_number(field, &value) || value > max) return false;
    if (behind && rest->data[digits] != behind) return false;
    *rest = str_skip(*rest, digits + (behind != 0));
    *out = (uint32_t)value;
    return true;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar. */
static uint64_t days_to(uint32_t year, uint32_t month, uint32_t day)
{
    uint32_t y = month > 2 ? year : year - 1; /* years begin in March: leap days come last */
    uint32_t m = month > 2 ? month - 3 : month + 9;

    return UINT64_C(365) * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static bool is_date(uint32_t year, uint32_t month, uint32_t day)
{
    static const uint32_t days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days[month - 1]) return false;
    return month != 2 || day < 29 || leap;
}

bool signal_time(struct str text, uint64_t *ms)
{
    uint32_t year, month, day, hour, minute, second, milli = 0;

    if (!cut_field(&text, 4, '-', 9999, &year) || !cut_field(&text, 2, '-', 12, &month) ||
        !cut_field(&text, 2, 'T', 31, &day) || !cut_field(&text, 2, ':', 23, &hour) ||
        !cut_field(&text, 2, ':', 59, &minute) || !cut_field(&text, 2, 0, 59, &second) ||
        !is_date(year, month, day)) {
        return false;
    }
    if (cut_word(&text, STR("."))) {
        uint32_t weight = 100, digits = 0;

        for (; text.size && byte_is_digit(text.data[0]); digits++) {
            milli += (uint32_t)(text.data[0] - '0') * weight;
            weight /= 10;
            text = str_skip(text, 1);
        }
        if (digits == 0) return false;
    }
    if (!str_is(text, "Z") && !str_is(text, "+00:00")) return false;
    *ms = (((days_to(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milli;
    return true;
}
