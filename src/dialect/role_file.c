/* SPDX-License-Identifier: Apache-2.0
 *
 * role_file.c - role files, read and joined.
 *
 *   text --> front matter (YAML) and body --> struct role_file --> with what it extends: own_role
 *
 * 1. A key that hone does not know is refused, with the nearest one: a misspelt right would not
 *    hold. Of Claude Code's files, which other programs read too, unknown keys are passed over.
 * 2. A name is small letters, digits and '-': it stands in file names and prompts, and none can be
 *    made to look like another one.
 * 3. A file with the name of a built-in role says what becomes of that: it extends that same role,
 *    or replaces it, which the user agrees to.
 * 4. Rights only narrow: `may` takes `false`, and what one file of a chain takes away no other
 *    gives back.
 * 5. A chain has at most ROLE_CHAIN_MAX files and no circle. Its end may be a built-in role, of
 *    another dialect, too, where that reviews.
 *
 * Not here: which files there are (settings/role_files.c), what a remit is for (each dialect). */
#include "dialect/role_file.h"

#include "base/byte.h"
#include "dialect/quote.h"
#include "format/text/safe.h"
#include "format/text/yaml_tree.h"

#include <stdio.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

enum { BODY_BYTES_MAX = 32 << 10, LINE_BYTES_MAX = 1024, SLIP_MAX = 3 };

const char *const role_places[] = {
    ".hone/roles/%s.md", "~/.config/hone/roles/%s.md", ".claude/agents/%s.md", NULL,
};

/* One reading. */
struct role_reading {
    struct role_file *out;
    struct arena *arena;
    struct err *err;
    bool of_claude;
};

const char *role_name_problem(const char *name, struct arena *arena)
{
    struct str text = str_of(name);

    if (text.size == 0) return "a role has a name";
    if (text.size > ROLE_NAME_BYTES_MAX) {
        return arena_printf(arena, "the name of a role has at most %d letters",
                            ROLE_NAME_BYTES_MAX);
    }
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];

        if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-') continue;
        return arena_printf(arena, "'%.60s' is no name for a role: small letters a to z, digits "
                            "and '-' alone, so that none can look like another", name);
    }
    if (name[0] == '-' || name[text.size - 1] == '-') {
        return arena_printf(arena, "'%.60s' is no name for a role: it begins or ends with '-'",
                            name);
    }
    return NULL;
}

/* A place up to the name. */
static struct str place_front(uint32_t place)
{
    struct str form = str_of(role_places[place]);

    return (struct str){ form.data, form.size - strlen("%s.md") };
}

const char *role_path(uint32_t place, const char *name, struct arena *arena)
{
    struct str front = place_front(place);

    return arena_printf(arena, "%.*s%s.md", STR_ARG(front), name);
}

const char *role_path_name(const char *path, struct arena *arena)
{
    for (uint32_t i = 0; role_places[i]; i++) {
        struct str front = place_front(i), name = str_of(path);

        if (!str_starts(name, front) || !str_ends(name, STR(".md"))) continue;
        name = str_skip(name, front.size);
        name.size -= sizeof ".md" - 1;
        return arena_cstr(arena, name);
    }
    return NULL;
}

static int bad(struct role_reading *reading, uint32_t line, const char *what)
{
    return err_set(reading->err, ERR_USAGE, "%s:%u: %s", reading->out->path, (unsigned)line, what);
}

/* ---- the front matter ---- */

/* Whether it begins with dashes. What editors put in front of them hides nothing. */
static bool has_front(struct str text)
{
    if (str_starts(text, STR(BYTE_ORDER_MARK))) text = str_skip(text, sizeof BYTE_ORDER_MARK - 1);
    return str_starts(str_trim(text), STR("---"));
}

/* Up to the second line of dashes, so that lines count as in the file; *body is what follows.
 * False: it is not closed. */
static bool cut_front(struct str text, struct str *front, struct str *body)
{
    struct str rest, line;

    if (str_starts(text, STR(BYTE_ORDER_MARK))) text = str_skip(text, sizeof BYTE_ORDER_MARK - 1);
    rest = text;
    do {
        if (!str_cut(&rest, '\n', &line)) return false;
        line = str_trim(line);
    } while (line.size == 0);
    if (!str_is(line, "---")) return false;
    while (str_cut(&rest, '\n', &line)) {
        if (!str_is(str_trim(line), "---") || line.data[0] != '-') continue;
        *front = (struct str){ text.data, (size_t)(line.data - text.data) };
        *body = rest;
        return true;
    }
    return false;
}

/* What a person agrees to is what stands there, not what a terminal makes of it. */
static bool has_control(struct str text)
{
    struct buf safe;
    bool differs;

    buf_init(&safe, 8 * LINE_BYTES_MAX);
    safe_text(&safe, text, false, 0);
    differs = !str_eq(buf_str(&safe), text);
    buf_release(&safe);
    return differs;
}

static int take_line(struct role_reading *reading, const struct yaml_node *node, const char *key,
                     const char **out)
{
    if (node->kind != YAML_TEXT || str_trim(node->text).size == 0) {
        return bad(reading, node->line, arena_printf(reading->arena, "%s wants a text", key));
    }
    if (node->text.size > LINE_BYTES_MAX && !reading->of_claude) {
        return bad(reading, node->line, arena_printf(reading->arena, "%s is longer than %d bytes",
                                                     key, LINE_BYTES_MAX));
    }
    *out = arena_cstr(reading->arena, str_trim(node->text));
    if (reading->of_claude) return 0;
    if (str_has(str_of(*out), '\n')) {
        return bad(reading, node->line, arena_printf(reading->arena, "%s wants one line", key));
    }
    if (!has_control(str_of(*out))) return 0;
    return bad(reading, node->line, arena_printf(reading->arena, "%s has a control character in it",
                                                 key));
}

static int take_switch(struct role_reading *reading, const struct yaml_node *node, const char *key,
                       bool *out)
{
    bool yes = node->kind == YAML_TEXT && str_is(node->text, "true");

    if (!yes && !(node->kind == YAML_TEXT && str_is(node->text, "false"))) {
        return bad(reading, node->line, arena_printf(reading->arena, "%s wants true or false",
                                                     key));
    }
    *out = yes;
    return 0;
}

/* A text, or a list of texts, as lines. */
static int take_patterns(struct role_reading *reading, const struct yaml_node *node,
                         const char **out)
{
    uint32_t count = node->kind == YAML_LIST ? node->count : 1;
    struct buf lines;
    int rc = 0;

    if (count == 0) {
        return bad(reading, node->line, "paths has no pattern: leave it out for all files");
    }
    buf_init(&lines, ROLE_FILE_BYTES_MAX);
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        const struct yaml_node *item = node->kind == YAML_LIST ? node->items[i] : node;
        const char *pattern = "";

        if (item->kind != YAML_TEXT) {
            rc = bad(reading, item->line, "paths wants patterns, such as [\"src/net/\", "
                     "\"*.sql\"]");
        } else {
            rc = take_line(reading, item, "paths", &pattern);
        }
        buf_printf(&lines, "%s%s", i ? "\n" : "", pattern);
    }
    *out = arena_take_cstr(reading->arena, &lines);
    return rc;
}

static int take_may(struct role_reading *reading, const struct yaml_node *node)
{
    static const char *const rights[] = { "network", "home", "tmp" };
    bool *const gone[] = { &reading->out->no_network, &reading->out->no_home,
                           &reading->out->no_tmp };

    if (node->kind != YAML_MAP) {
        return bad(reading, node->line, "may wants rights, such as {network: false}");
    }
    for (uint32_t i = 0; i < node->count; i++) {
        bool given = true;
        size_t at = 0;
        int rc;

        while (at < 3 && !str_is(node->keys[i], rights[at])) at++;
        if (at == 3) {
            return bad(reading, node->key_lines[i], arena_printf(reading->arena, "there is no "
                       "right '%.40s'; there are network, home and tmp", node->keys[i].data));
        }
        rc = take_switch(reading, node->items[i], rights[at], &given);
        if (rc != 0) return rc;
        if (given) {
            return bad(reading, node->items[i]->line, arena_printf(reading->arena, "a role can "
                       "only give up a right: leave out %s, or set it to false", rights[at]));
        }
        *gone[at] = true;
    }
    return 0;
}

static const char *const keys[] = { "description", "extends", "replaces", "agent", "effort",
                                    "paths", "writes", "may" };
enum { KEY_COUNT = sizeof keys / sizeof *keys };

static int unknown_key(struct role_reading *reading, const struct yaml_node *map, uint32_t at)
{
    const char *near = NULL;
    uint32_t best = SLIP_MAX;

    for (size_t i = 0; i < KEY_COUNT; i++) {
        uint32_t distance = str_distance(map->keys[at], str_of(keys[i]));

        if (distance < best) {
            best = distance;
            near = keys[i];
        }
    }
    return bad(reading, map->key_lines[at],
               near ? arena_printf(reading->arena, "there is no key '%.40s'; did you mean '%s'?",
                                   map->keys[at].data, near)
                    : arena_printf(reading->arena, "there is no key '%.40s'; there are "
                                   "description, extends, replaces, agent, effort, paths, writes "
                                   "and may", map->keys[at].data));
}

static int take_key(struct role_reading *reading, const struct yaml_node *map, uint32_t at)
{
    struct role_file *out = reading->out;
    const struct yaml_node *value = map->items[at];
    struct str key = map->keys[at];
    const char *replaces;
    int rc;

    if (str_is(key, "description")) return take_line(reading, value, "description",
                                                     &out->description);
    if (str_is(key, "extends")) return take_line(reading, value, "extends", &out->extends);
    if (str_is(key, "agent")) return take_line(reading, value, "agent", &out->agent);
    if (str_is(key, "effort")) return take_line(reading, value, "effort", &out->effort);
    if (str_is(key, "paths")) return take_patterns(reading, value, &out->paths);
    if (str_is(key, "writes")) return take_switch(reading, value, "writes", &out->writes);
    if (str_is(key, "may")) return take_may(reading, value);
    if (!str_is(key, "replaces")) return unknown_key(reading, map, at);
    rc = take_line(reading, value, "replaces", &replaces);
    if (rc == 0 && strcmp(replaces, out->name) != 0) {
        return bad(reading, value->line, arena_printf(reading->arena, "a file replaces the role of "
                   "its own name: call it %.40s.md, or say 'extends: %.40s'", replaces, replaces));
    }
    out->replaces = rc == 0;
    return rc;
}

/* Claude Code's own keys; what else stands there is for that program. */
static int take_claude(struct role_reading *reading, const struct yaml_node *map)
{
    const struct yaml_node *name = yaml_get(map, "name"), *about = yaml_get(map, "description");
    const struct yaml_node *model = yaml_get(map, "model");
    int rc = 0;

    if (name && (name->kind != YAML_TEXT || !str_is(str_trim(name->text), reading->out->name))) {
        return bad(reading, name->line, arena_printf(reading->arena, "its name is not that of the "
                   "file: a role is found by its file, so call both '%s'", reading->out->name));
    }
    if (about) rc = take_line(reading, about, "description", &reading->out->description);
    if (rc == 0 && model && model->kind == YAML_TEXT && !str_is(model->text, "inherit")) {
        rc = take_line(reading, model, "model", &reading->out->model);
        if (rc == 0 && !is_model_name(str_of(reading->out->model))) {
            return bad(reading, model->line, "model is no name of a model");
        }
    }
    return rc;
}

/* Descriptions of Claude Code's agents are one plain line, with colons and all: "When: now".
 * That is YAML once the line is quoted. */
static struct str with_quotes(struct str front, struct arena *arena)
{
    struct str line, key = STR("description: ");
    struct buf out;

    buf_init(&out, 2 * ROLE_FILE_BYTES_MAX);
    while (str_cut(&front, '\n', &line)) {
        struct str value = str_starts(line, key) ? str_trim(str_skip(line, key.size)) : STR("");

        if (value.size == 0 || strchr("'\"|>[{&*!%@`", value.data[0])) {
            buf_add(&out, line);
        } else {
            buf_printf(&out, "%.*s'", STR_ARG(key));
            for (size_t i = 0; i < value.size; i++) {
                if (value.data[i] == '\'') buf_byte(&out, '\'');
                buf_byte(&out, value.data[i]);
            }
            buf_byte(&out, '\'');
        }
        buf_byte(&out, '\n');
    }
    return arena_take(arena, &out);
}

static int take_front(struct role_reading *reading, struct str front)
{
    struct yaml_node *map = NULL;
    struct err why = { 0 }, none;
    uint32_t line = 0, other;
    int rc;

    if (front.size == 0) return 0;
    rc = yaml_tree_read(front, reading->arena, &map, &line, &why);
    if (rc != 0 && reading->of_claude) {
        rc = yaml_tree_read(with_quotes(front, reading->arena), reading->arena, &map, &other,
                            &none);
    }
    if (rc != 0) {
        return bad(reading, line, arena_cstr(reading->arena, str_of(why.text)));
    }
    if (map->kind == YAML_TEXT && map->plain && map->text.size == 0) return 0;
    if (map->kind != YAML_MAP) return bad(reading, map->line, "wanted lines such as 'key: value'");
    if (reading->of_claude) return take_claude(reading, map);
    for (uint32_t i = 0; i < map->count; i++) {
        rc = take_key(reading, map, i);
        if (rc != 0) return rc;
    }
    return 0;
}

int role_file_read(const char *name, const char *path, struct str text, struct arena *arena,
                   struct role_file *out, struct err *err)
{
    struct role_reading reading = { .out = out, .arena = arena, .err = err,
                                    .of_claude = str_starts(str_of(path), STR(".claude/")) };
    struct str front = STR(""), body = text;
    const char *problem = role_name_problem(name, arena);
    int rc;

    *out = (struct role_file){ .name = name, .path = path };
    if (problem) return err_set(err, ERR_USAGE, "%s: %s", path, problem);
    if (text.size > ROLE_FILE_BYTES_MAX) {
        return err_set(err, ERR_USAGE, "%s: it is longer than %d KiB", path,
                       ROLE_FILE_BYTES_MAX >> 10);
    }
    if (memchr(text.data ? text.data : "", '\0', text.size)) {
        return err_set(err, ERR_USAGE, "%s: it is no text", path);
    }
    if (has_front(text) && !cut_front(text, &front, &body)) {
        return bad(&reading, 1, "the lines between '---' and '---' are not closed: put a second "
                   "'---' behind them");
    }
    rc = take_front(&reading, front);
    if (rc != 0) return rc;
    out->body = arena_copy(arena, str_trim(body));
    if (out->body.size > BODY_BYTES_MAX) {
        return err_set(err, ERR_USAGE, "%s: what it tells the agent is longer than %d KiB", path,
                       BODY_BYTES_MAX >> 10);
    }
    if (out->extends && out->replaces) {
        return bad(&reading, 1, "it extends or replaces, not both");
    }
    if (out->body.size == 0 && !out->extends) {
        return err_set(err, ERR_USAGE, "%s: it tells the agent nothing: write what it looks for "
                       "below the second '---'", path);
    }
    return 0;
}

/* ---- with what it extends ---- */

/* The file of a role among the settings'; NULL: there is none. */
static const struct config_text *file_of(const struct settings *settings, const char *name,
                                         struct arena *arena)
{
    if (!settings || role_name_problem(name, arena)) return NULL;
    for (uint32_t place = 0; role_places[place]; place++) {
        const char *path = role_path(place, name, arena);

        for (uint32_t i = 0; i < settings->file_count; i++) {
            if (strcmp(settings->files[i].path, path) == 0) return &settings->files[i];
        }
    }
    return NULL;
}

/* What the nearer file does not say, the farther one does. */
static void inherit(struct role_file *near, const struct role_file *far)
{
    if (!near->description) near->description = far->description;
    if (!near->agent) near->agent = far->agent;
    if (!near->effort) near->effort = far->effort;
    if (!near->model) near->model = far->model;
    if (!near->paths) near->paths = far->paths;
    near->no_network = near->no_network || far->no_network;
    near->no_home = near->no_home || far->no_home;
    near->no_tmp = near->no_tmp || far->no_tmp;
}

struct str role_remit(const char *name, bool reviews, struct arena *arena)
{
    for (uint32_t i = 0; dialects[i]; i++) {
        const struct dialect_notation *notation = dialects[i]->notation;
        struct str remit = STR("");

        if (notation && notation->remit) remit = notation->remit(name, arena);
        if (remit.size == 0) continue;
        if (!reviews || strcmp(notation->answers(name), "text") != 0) return remit;
    }
    return STR("");
}

static void add_body(struct own_role *role, struct str body)
{
    if (body.size == 0) return;
    memmove(role->bodies + 1, role->bodies, role->body_count * sizeof *role->bodies);
    role->bodies[0] = body;
    role->body_count++;
}

int own_role_find(const struct settings *settings, const char *name, role_is_builtin *is_builtin,
                  struct arena *arena, bool *found, struct own_role *out, struct err *err)
{
    const struct config_text *file = file_of(settings, name, arena);
    uint32_t depth = 0;
    int rc;

    *out = (struct own_role){ .base = NULL };
    *found = file != NULL;
    while (file) {
        struct role_file read;

        if (depth++ == ROLE_CHAIN_MAX) {
            return err_set(err, ERR_USAGE, "%s: %s extends a role that in the end extends itself, "
                           "or more than %d others", file->path, name, ROLE_CHAIN_MAX - 1);
        }
        rc = role_file_read(name, file->path, file->text, arena, &read, err);
        if (rc != 0) return rc;
        if (is_builtin(name) && !read.replaces &&
            !(read.extends && strcmp(read.extends, name) == 0)) {
            return err_set(err, ERR_USAGE, "%s: hone has a role of this name: say 'extends: %s' to "
                           "add to it, or 'replaces: %s'", file->path, name, name);
        }
        if (depth == 1) out->file = read;
        else inherit(&out->file, &read);
        add_body(out, read.body);
        if (!read.extends) return 0;
        if ((is_builtin(read.extends) || role_remit(read.extends, true, arena).size > 0) &&
            (strcmp(read.extends, name) == 0 || !file_of(settings, read.extends, arena))) {
            out->base = read.extends;
            return 0;
        }
        if (strcmp(read.extends, name) == 0) {
            return err_set(err, ERR_USAGE, "%s: it extends itself", file->path);
        }
        name = read.extends;
        file = file_of(settings, name, arena);
        if (!file) {
            return err_set(err, ERR_USAGE, "%s: it extends '%.60s', and there is no such role: "
                           "'hone roles' lists them", read.path, name);
        }
    }
    return 0;
}

void own_role_remit(const struct own_role *role, const char *fence, struct buf *out)
{
    for (uint32_t i = 0; i < role->body_count; i++) {
        if (i > 0) buf_byte(out, '\n');
        quote_text(out, fence, role->bodies[i], "", BODY_BYTES_MAX);
        buf_byte(out, '\n');
    }
}
