/* SPDX-License-Identifier: Apache-2.0
 *
 * define.c - analyzers that a user defines in hone.json: rows made when hone.json was read, and
 * again in the process that looks.
 *
 * The command is a text for `sh -c`, as every command of a user is; the files to look at are its
 * arguments ("$@"). A format is one that has a name (report_format), or a line with fields
 * (line_form).
 *
 * 1. A definition that is wrong in any part defines nothing: the error says which part.
 * 2. No two analyzers have one name: in a list of names each means one. */
#include "analyze/analyzers.h"

#include "format/json/json.h"
#include "format/text/safe.h"

#include <string.h>

enum { DEFINED_MAX = 16, STATUS_MOST = 125, BATCH = 64, SHOWN_MAX = 120 };

struct defined {
    struct analyzer row;
    struct language language;
    const struct language *languages[2];
    const char *words[6];
    const char *patterns[2];
    struct line_form lines;
};

static struct {
    struct arena arena;
    struct defined items[DEFINED_MAX];
    uint32_t count;
} defined;

const struct analyzer *analyzer_defined(uint32_t nth)
{
    return nth < defined.count ? &defined.items[nth].row : NULL;
}

static int bad(struct err *err, struct str name, const char *what)
{
    struct arena arena = { 0 };
    int rc = err_set(err, ERR_USAGE, "analyzers.%s: %s",
                     safe_copy(&arena, name, SHOWN_MAX), what);

    arena_release(&arena);
    return rc;
}

/* A name as it stands in analyzer:NAME,NAME. */
static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.size; i++) {
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-_", name.data[i])) return false;
    }
    return name.size > 0 && !str_is(name, "none");
}

static int format_take(struct defined *to, struct str name, struct str format, struct err *err)
{
    const struct report_format *known = report_format_find(format);
    const char *problem;

    if (known) {
        to->row.read = known->read;
        to->row.lines = known->lines;
        return 0;
    }
    problem = line_pattern_problem(format);
    if (problem) {
        return bad(err, name, arena_printf(
            &defined.arena, "format is sarif, rdjson, checkstyle, gcc, diff, or a line such as "
            "\"{file}:{line}: {text}\": %s", problem));
    }
    to->patterns[0] = arena_cstr(&defined.arena, format);
    to->lines = (struct line_form){ .patterns = to->patterns };
    to->row.lines = &to->lines;
    return 0;
}

static int fixes_take(struct defined *to, struct str name, struct str word, struct err *err)
{
    if (word.size == 0 || str_is(word, "none")) to->row.fixes = FIXES_NONE;
    else if (str_is(word, "risky")) to->row.fixes = FIXES_RISKY;
    else if (str_is(word, "safe")) to->row.fixes = FIXES_SAFE;
    else return bad(err, name, "fixes is safe, risky or none");
    return 0;
}

static const char *const *files_of(yyjson_val *list)
{
    yyjson_arr_iter items = yyjson_arr_iter_with(list);
    const char **files = arena_alloc(&defined.arena, (yyjson_arr_size(list) + 1) * sizeof *files);
    uint32_t count = 0;
    yyjson_val *item;

    while ((item = yyjson_arr_iter_next(&items))) {
        if (!yyjson_is_str(item) || yyjson_get_len(item) == 0) return NULL;
        files[count++] = arena_cstr(&defined.arena, json_value(item));
    }
    return count ? files : NULL;
}

static int define_one(struct str name, yyjson_val *value, struct err *err)
{
    struct defined *to = &defined.items[defined.count];
    struct str command = json_str(value, "command");
    const char *const *files = files_of(yyjson_obj_get(value, "files"));
    int rc;

    if (defined.count == DEFINED_MAX) return bad(err, name, "there are too many of them");
    if (!is_name(name)) {
        return bad(err, name, "a name has small letters, digits, - and _, and is not 'none'");
    }
    if (analyzer_find(name)) return bad(err, name, "there is an analyzer of that name already");
    if (str_trim(command).size == 0) return bad(err, name, "it has no command");
    if (!files) return bad(err, name, "it has no files, such as [\"*.md\"]");
    *to = (struct defined){ 0 };
    to->row = (struct analyzer){
        .name = arena_cstr(&defined.arena, name), .program = "sh", .package = "dash",
        .languages = to->languages, .files = files, .batch = BATCH, .words = to->words,
        .status = STATUS_EITHER, .status_most = STATUS_MOST, .missed = true,
        .reads_others = true,
    };
    to->language = (struct language){ .name = to->row.name, .paths = NULL };
    to->languages[0] = &to->language;
    to->words[0] = "sh";
    to->words[1] = "-c";
    to->words[2] = arena_cstr(&defined.arena, command);
    to->words[3] = to->row.name;
    to->words[4] = "{files}";
    rc = format_take(to, name, json_str(value, "format"), err);
    if (rc == 0) rc = fixes_take(to, name, json_str(value, "fixes"), err);
    if (rc == 0) defined.count++;
    return rc;
}

int analyzers_define(struct str json, struct err *err)
{
    yyjson_doc *doc = NULL;
    yyjson_obj_iter members;
    yyjson_val *key;
    int rc;

    arena_release(&defined.arena);
    defined.count = 0;
    if (json.size == 0) return 0;
    rc = json_read(json, &doc, err);
    members = yyjson_obj_iter_with(yyjson_doc_get_root(doc));
    while (rc == 0 && (key = yyjson_obj_iter_next(&members))) {
        rc = define_one(json_value(key), yyjson_obj_iter_get_val(key), err);
    }
    yyjson_doc_free(doc);
    if (rc != 0) defined.count = 0;
    return rc;
}
