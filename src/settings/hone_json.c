/* SPDX-License-Identifier: Apache-2.0
 *
 * hone_json.c - a settings file read against the table of keys.
 *
 *     {"agents": {"*": "claude", "critic": "codex"},
 *      "dialects": {"review": {"max-iterations": 3, "agents": {"critic": "analyzer:gcc"}}},
 *      "limits": {"time": "1h", "idle": "15m"},
 *      "sandbox": true, "test": "make check", "exclude": ["*.gen.c"]}
 *
 * The walk goes down the objects of the file and looks up each path. Where keys stand below the
 * path, an object must be there; where the path is a key, its value; any other path is refused.
 *
 * 1. No member is ignored. An unknown key is a slip, or the file is another tool's: in both cases
 *    its author believes that it has an effect.
 * 2. Two members of one name are refused: two readers could take different ones.
 * 3. A later file wins, key by key. Patterns add up instead: each only leaves out more. A file that
 *    came with a repository can lower a limit of the user's budget, and not raise it.
 * 4. Texts are single lines without control bytes: they go to shells, journals and terminals.
 *
 * One value changed, everything else kept:
 * 5. The changed text is read again before it is returned: a change after which the file could not
 *    be read is refused, and so is a change to a file that is wrong elsewhere.
 * 6. An object that loses its last member is removed, too.
 *
 * Not here: which files there are and who wins (hone_files.c), what is done with it (hone_use.c).
 */
#include "settings/hone_json.h"

#include "agent/agent.h"
#include "base/byte.h"
#include "base/duration.h"
#include "dialect/role_file.h"
#include "format/json/json.h"
#include "format/json/json_walk.h"
#include "format/text/budget_text.h"
#include "io/http/post.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN_MAX = 120, SLIP_MAX = 2, DOLLARS_MAX = 1000000000 };

/* A file on its way in. */
struct hone_reading {
    const struct hone_file *file;
    struct str text;
    struct arena *arena;
    struct hone_values *values;
    struct err *err;
};

static int problem(struct hone_reading *reading, const char *path, const char *what)
{
    return err_set(reading->err, ERR_USAGE, "%s: %.*s: %s", reading->file->name, SHOWN_MAX, path,
                   what);
}

/* Which of a key's words was probably meant; NULL: none is near. */
static const char *word_near(const struct hone_key *key, yyjson_val *value)
{
    struct str text = { yyjson_get_str(value), yyjson_get_len(value) };
    uint32_t least = SLIP_MAX + 1;
    const char *best = NULL;

    if (key->kind != HONE_WORD || !yyjson_is_str(value)) return NULL;
    for (uint32_t i = 0; key->words[i]; i++) {
        uint32_t distance = str_distance(text, str_of(key->words[i]));

        if (distance >= least || distance >= strlen(key->words[i])) continue;
        least = distance;
        best = key->words[i];
    }
    return best;
}

static int bad_value(struct hone_reading *reading, const struct hone_key *key, const char *path,
                     yyjson_val *value)
{
    const char *wanted = hone_key_wanted(key, reading->arena);
    const char *near = word_near(key, value);

    if (near) wanted = arena_printf(reading->arena, "%s; did you mean \"%s\"?", wanted, near);
    return problem(reading, path, arena_printf(reading->arena, "it must be %s", wanted));
}

static bool is_line(struct str text)
{
    if (!text.data) return false;
    for (size_t i = 0; i < text.size; i++) {
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f) return false;
    }
    return str_trim(text).size > 0;
}

static bool line_of(yyjson_val *value, struct arena *arena, const char **out)
{
    struct str text = { yyjson_get_str(value), yyjson_get_len(value) };

    if (!yyjson_is_str(value) || !is_line(text)) return false;
    *out = arena_cstr(arena, text);
    return true;
}

/* ---- values by kind ---- */

static bool number_of(const struct hone_key *key, yyjson_val *value, struct arena *arena,
                      const char **out)
{
    if (!yyjson_is_uint(value) || yyjson_get_uint(value) < 1) return false;
    if (yyjson_get_uint(value) > key->max) return false;
    *out = arena_printf(arena, "%" PRIu64, yyjson_get_uint(value));
    return true;
}

/* A number is read as it would be on a command line: 0.5 dollars are "0.5". */
static bool amount_of(const struct hone_key *key, yyjson_val *value, struct arena *arena,
                      const char **out)
{
    bool timed = strcmp(key->path, "budget.time") == 0; /* of what unit is not said by a number */
    struct budget any = { 0 };
    struct err none;

    if (!timed && yyjson_is_uint(value)) {
        *out = arena_printf(arena, "%" PRIu64, yyjson_get_uint(value));
    } else if (!timed && yyjson_is_real(value) && yyjson_get_real(value) < DOLLARS_MAX) {
        *out = arena_printf(arena, "%.6f", yyjson_get_real(value));
    } else if (!line_of(value, arena, out)) {
        return false;
    }
    return budget_read_part(str_of(hone_key_name(key->path)), str_of(*out), &any, &none) == 0;
}

static bool word_of(const struct hone_key *key, yyjson_val *value, const char **out)
{
    for (uint32_t i = 0; key->words[i]; i++) {
        if (!yyjson_equals_strn(value, key->words[i], strlen(key->words[i]))) continue;
        *out = key->words[i];
        return true;
    }
    return false;
}

static bool patterns_of(yyjson_val *value, struct arena *arena, const char **out)
{
    yyjson_arr_iter items = yyjson_arr_iter_with(value);
    yyjson_val *item;
    struct buf lines;
    bool good = yyjson_is_arr(value);

    buf_init(&lines, HONE_PATTERNS_BYTES_MAX);
    while (good && (item = yyjson_arr_iter_next(&items))) {
        struct str line = { yyjson_get_str(item), yyjson_get_len(item) };
        good = yyjson_is_str(item) && is_line(line);
        if (good && lines.size > 0) buf_byte(&lines, '\n');
        if (good) buf_add(&lines, line);
    }
    good = good && !lines.overflow;
    if (good) *out = arena_cstr(arena, buf_str(&lines));
    buf_release(&lines);
    return good;
}

/* Lines, each with the name of a role. */
static bool are_roles(struct str lines)
{
    struct arena arena = { 0 };
    struct str line;
    bool good = lines.size > 0;

    while (good && str_cut(&lines, '\n', &line)) {
        good = !role_name_problem(arena_cstr(&arena, line), &arena);
    }
    arena_release(&arena);
    return good;
}

/* Lines, each one of the key's words. */
static bool are_words(const struct hone_key *key, struct str lines)
{
    struct str line;

    while (str_cut(&lines, '\n', &line)) {
        uint32_t i = 0;

        while (key->words[i] && !str_is(line, key->words[i])) i++;
        if (!key->words[i]) return false;
    }
    return true;
}

static bool is_variable(struct str name)
{
    for (size_t i = 0; i < name.size; i++) {
        char byte = name.data[i];

        if (!byte_is_letter(byte) && byte != '_' && !(i > 0 && byte_is_digit(byte))) return false;
    }
    return name.size > 0;
}

static int read_agent(struct hone_reading *reading, const char *path, const char **spec)
{
    struct agent agent;
    struct err err = { 0 };

    if (agent_parse(*spec, reading->arena, &agent, &err) != 0) {
        return problem(reading, path, err.text);
    }
    if (agent.argument[0] == '-' && !agent.backend->argument_needed) {
        return problem(reading, path, "a model's name does not begin with '-'");
    }
    *spec = agent_absolute(&agent, reading->file->folder, reading->arena).spec;
    return 0;
}

/* Each of a list, one in a line. */
static int read_agents(struct hone_reading *reading, const char *path, const char **specs)
{
    struct str rest = str_of(*specs), line;
    const char *all = "";
    int rc = 0;

    while (rc == 0 && str_cut(&rest, '\n', &line)) {
        const char *spec = arena_cstr(reading->arena, line);

        rc = read_agent(reading, path, &spec);
        if (rc == 0) all = arena_printf(reading->arena, "%s%s%s", all, *all ? "\n" : "", spec);
    }
    *specs = all;
    return rc;
}

/* The value itself, as text. */
static int text_of_value(struct hone_reading *reading, const struct hone_key *key, const char *path,
                         yyjson_val *value, const char **out)
{
    bool good = false;
    uint64_t ms;

    switch (key->kind) {
    case HONE_SWITCH:
        good = yyjson_is_bool(value);
        *out = yyjson_is_true(value) ? "true" : "false";
        break;
    case HONE_NUMBER:
        good = number_of(key, value, reading->arena, out);
        break;
    case HONE_WORD:
        good = word_of(key, value, out);
        break;
    case HONE_DURATION:
        good = line_of(value, reading->arena, out) && duration_read(str_of(*out), &ms);
        break;
    case HONE_AMOUNT:
        good = amount_of(key, value, reading->arena, out);
        break;
    case HONE_PATTERNS:
    case HONE_LIST:
    case HONE_AGENTS:
        good = patterns_of(value, reading->arena, out);
        break;
    case HONE_ROLES:
        good = patterns_of(value, reading->arena, out) && are_roles(str_of(*out));
        break;
    case HONE_WORDS:
        good = patterns_of(value, reading->arena, out) && are_words(key, str_of(*out));
        break;
    case HONE_COMMAND:
        good = patterns_of(value, reading->arena, out);
        break;
    case HONE_ADDRESS:
        good = line_of(value, reading->arena, out) &&
               http_address_read(str_of(*out), &(struct http_address){ .secure = false });
        break;
    case HONE_VARIABLE:
        good = line_of(value, reading->arena, out) && is_variable(str_of(*out));
        break;
    case HONE_TEXT:
    case HONE_AGENT:
        good = line_of(value, reading->arena, out);
        break;
    case HONE_KIND_COUNT:
        break;
    }
    if (!good) return bad_value(reading, key, path, value);
    if (key->kind == HONE_LIST || key->kind == HONE_TEXT) {
        const char *senseless = hone_lines_problem(key, *out, reading->arena);
        if (senseless) return problem(reading, path, senseless);
    }
    if (key->kind == HONE_AGENTS) return read_agents(reading, path, out);
    return key->kind == HONE_AGENT ? read_agent(reading, path, out) : 0;
}

/* ---- what is known ---- */

static struct hone_value *slot(struct hone_values *values, const char *path, struct arena *arena)
{
    for (uint32_t i = 0; i < values->count; i++) {
        if (strcmp(values->items[i].path, path) == 0) return &values->items[i];
    }
    values->items = arena_grow(arena, values->items, values->count, &values->cap,
                               sizeof *values->items);
    values->items[values->count] = (struct hone_value){ .path = path };
    return &values->items[values->count++];
}

static const char *value_json(const struct hone_key *key, const char *text, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    struct str rest = str_of(text), line;
    const char *json = text;
    struct buf out;

    buf_init(&out, 4 * (size_t)HONE_FILE_BYTES_MAX);
    if (hone_key_is_list(key)) {
        yyjson_mut_doc_set_root(doc, yyjson_mut_arr(doc));
        while (str_cut(&rest, '\n', &line)) {
            yyjson_mut_arr_append(yyjson_mut_doc_get_root(doc), json_text(doc, line));
        }
    } else {
        yyjson_mut_doc_set_root(doc, json_text(doc, rest));
    }
    if (key->kind != HONE_SWITCH && key->kind != HONE_NUMBER) {
        json_write(doc, false, &out);
        json = arena_cstr(arena, buf_str(&out));
    }
    buf_release(&out);
    yyjson_mut_doc_free(doc);
    return json;
}

/* Whether the first is a limit, and lower than the second. */
static bool is_lower(const struct hone_key *key, const char *a, const char *b)
{
    struct str name = str_of(hone_key_name(key->path));
    struct budget one = { 0 }, two = { 0 }, both;
    struct err none;

    (void)budget_read_part(name, str_of(a), &one, &none);
    (void)budget_read_part(name, str_of(b), &two, &none);
    both = budget_within(&one, &two);
    return memcmp(&both.limit, &one.limit, sizeof one.limit) == 0 && budget_has_limit(&one);
}

static bool is_less_number(const char *a, const char *b)
{
    uint64_t one = 0, two = 0;

    return str_number(str_of(a), &one) && str_number(str_of(b), &two) && one < two;
}

static void keep(struct hone_reading *reading, const struct hone_key *key, const char *path,
                 const char *text)
{
    bool weakens = key->only_on && reading->file->foreign && strcmp(text, "false") == 0;
    struct hone_value *value = weakens ? NULL : slot(reading->values, path, reading->arena);
    const struct hone_file *from = reading->file;
    const char *names = from->name;

    if (weakens) return;
    if (key->only_less && value->text && reading->file->foreign &&
        !is_less_number(text, value->text)) return;
    if (key->kind == HONE_AMOUNT && value->text && reading->file->foreign &&
        !is_lower(key, text, value->text)) return;
    if (key->kind == HONE_PATTERNS && value->text && *value->text) {
        if (*text) {
            text = arena_printf(reading->arena, "%s\n%s", value->text, text);
            names = arena_printf(reading->arena, "%s, %s", value->names, names);
            if (value->from->foreign) from = value->from; /* what joins it asks for no less */
        } else {
            text = value->text;
            names = value->names;
            from = value->from;
        }
    }
    *value = (struct hone_value){
        .key = key, .path = path, .text = text, .from = from, .names = names,
        .json = value_json(key, text, reading->arena),
    };
}

/* ---- the walk ---- */

static int read_object(struct hone_reading *reading, const char *path, yyjson_val *object);

static int unknown(struct hone_reading *reading, const char *path, const char *near)
{
    const char *what = "there is no such setting; 'hone config show' lists them";

    if (near) {
        what = arena_printf(reading->arena, "there is no such setting; did you mean '%s'?", near);
    }
    return problem(reading, path, what);
}

/* A group of roles is easily taken for one value: the way to say it for all is shown. */
static int not_object(struct hone_reading *reading, const char *path)
{
    const char *all = arena_printf(reading->arena, "%s.*", path);
    const struct hone_key *key = hone_key_find(str_of(all), reading->arena, NULL);

    if (!key) return problem(reading, path, "it must be an object: {...}");
    return problem(reading, path, key->kind == HONE_AGENT
                                      ? "it must be an object such as {\"*\": \"claude\"}"
                                      : "it must be an object such as {\"*\": \"high\"}");
}

static int read_member(struct hone_reading *reading, const char *path, yyjson_val *value)
{
    const char *near, *text = "";
    const struct hone_key *key;
    int rc;

    if (hone_key_is_group(str_of(path))) {
        if (!yyjson_is_obj(value)) return not_object(reading, path);
        return read_object(reading, path, value);
    }
    key = hone_key_find(str_of(path), reading->arena, &near);
    if (!key) return unknown(reading, path, near);
    rc = text_of_value(reading, key, path, value, &text);
    if (rc == 0) keep(reading, key, path, text);
    return rc;
}

/* The line of the second member of this name in the object at the path; 0: it cannot be told. */
static uint32_t line_of_second(const struct hone_reading *reading, const char *path,
                               yyjson_val *object, struct str name)
{
    struct json_walk walk = json_walk_start(reading->text);
    yyjson_obj_iter members = yyjson_obj_iter_with(object);
    struct str rest = str_of(path), part;
    uint32_t seen = 0;
    yyjson_val *key;

    while (str_cut(&rest, '.', &part)) {
        const char *member = arena_cstr(reading->arena, part);
        if (json_walk_member(walk, member, &walk) == 0) return 0;
    }
    if (!json_walk_enter(&walk)) return 0;
    while ((key = yyjson_obj_iter_next(&members)) && json_walk_next(&walk, NULL)) {
        struct str found = { yyjson_get_str(key), yyjson_get_len(key) };
        if (str_eq(found, name) && ++seen == 2) return walk.line;
        json_walk_skip(&walk);
    }
    return 0;
}

static int twice(struct hone_reading *reading, const char *path, yyjson_val *object,
                 struct str name)
{
    uint32_t line = line_of_second(reading, path, object, name);
    const char *below = arena_printf(reading->arena, "%s%s%.*s", path, *path ? "." : "",
                                     STR_ARG(name));

    if (line == 0) return problem(reading, below, "it is there twice; keep one of them");
    return problem(reading, below, arena_printf(reading->arena, "it is there twice, the second "
                                                "time in line %" PRIu32 "; keep one of them",
                                                line));
}

static int read_object(struct hone_reading *reading, const char *path, yyjson_val *object)
{
    yyjson_obj_iter members = yyjson_obj_iter_with(object);
    yyjson_val *name;
    struct str again;

    if (json_find_duplicate(object, &again)) return twice(reading, path, object, again);
    while ((name = yyjson_obj_iter_next(&members))) {
        struct str part = { yyjson_get_str(name), yyjson_get_len(name) };
        const char *below = arena_printf(reading->arena, "%s%s%.*s", path, *path ? "." : "",
                                         STR_ARG(part));
        int rc;

        if (!is_line(part) || str_has(part, '.')) {
            return problem(reading, below, "there is no such setting; 'hone config show' lists "
                           "them");
        }
        rc = read_member(reading, below, yyjson_obj_iter_get_val(name));
        if (rc != 0) return rc;
    }
    return 0;
}

int hone_read(struct str text, const struct hone_file *file, struct arena *arena,
              struct hone_values *values, struct err *err)
{
    struct hone_reading reading = { .file = file, .text = text, .arena = arena,
                                    .values = values, .err = err };
    yyjson_doc *doc;
    int rc = json_read(text, &doc, err);

    if (rc != 0) {
        err_wrap(err, "%s", file->name);
        err->code = ERR_USAGE;
        return ERR_USAGE;
    }
    if (yyjson_is_obj(yyjson_doc_get_root(doc))) {
        rc = read_object(&reading, "", yyjson_doc_get_root(doc));
    } else {
        rc = err_set(err, ERR_USAGE, "%s: it must hold one JSON object: {...}", file->name);
    }
    yyjson_doc_free(doc);
    return rc;
}

const struct hone_value *hone_find(const struct hone_values *values, const char *path)
{
    for (uint32_t i = 0; i < values->count; i++) {
        if (strcmp(values->items[i].path, path) == 0) return &values->items[i];
    }
    return NULL;
}

/* What a group of roles says of one, from the narrow to the wide. */
static const struct hone_value *find_role(const struct hone_values *values, const char *group,
                                          const struct dialect *dialect, const char *role,
                                          struct arena *arena)
{
    const char *const paths[] = {
        arena_printf(arena, "dialects.%s.%s.%s", dialect->name, group, role),
        arena_printf(arena, "dialects.%s.%s.*", dialect->name, group),
        arena_printf(arena, "%s.%s", group, role),
        arena_printf(arena, "%s.*", group),
    };

    for (uint32_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const struct hone_value *value = hone_find(values, paths[i]);
        if (value) return value;
    }
    return NULL;
}

const struct hone_value *hone_find_agent(const struct hone_values *values,
                                         const struct dialect *dialect, const char *role,
                                         struct arena *arena)
{
    return find_role(values, "agents", dialect, role, arena);
}

const struct hone_value *hone_find_effort(const struct hone_values *values,
                                          const struct dialect *dialect, const char *role,
                                          struct arena *arena)
{
    return find_role(values, "efforts", dialect, role, arena);
}

/* ---- one value changed ---- */

enum { PARTS_MAX = 8 };

/* A word of a command line as the JSON value that its key wants; what does not fit becomes a text,
 * which the reader then refuses in its own words. */
static yyjson_mut_val *value_of_word(yyjson_mut_doc *doc, const struct hone_key *key,
                                     const char *word)
{
    bool list = hone_key_is_list(key);
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
    if (list && str_starts(str_trim(text), STR("[")) && json_read(text, &read, &none) == 0) {
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
