/* SPDX-License-Identifier: Apache-2.0
 *
 * hone_schema.c - the table of keys as a JSON schema (2020-12), for editors and other tools. A file
 * that it accepts hone accepts, too, but for mistakes that only the list of analyzers, the list of
 * protected paths or a look at the machine can show. */
#include "settings/hone_keys.h"

#include "agent/agent.h"
#include "dialect/role_file.h"
#include "format/json/json.h"

#include <string.h>

#define ROLE_PATTERN "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"

enum { PATTERN_BYTES_MAX = 1024 };

/* A schema in the making. */
struct schema {
    yyjson_mut_doc *doc;
    struct arena arena;
};

static void put_text(struct schema *schema, yyjson_mut_val *object, const char *key,
                     const char *text)
{
    yyjson_mut_obj_add_val(schema->doc, object, key, json_text(schema->doc, str_of(text)));
}

static yyjson_mut_val *typed(struct schema *schema, const char *type)
{
    yyjson_mut_val *object = yyjson_mut_obj(schema->doc);

    put_text(schema, object, "type", type);
    return object;
}

static yyjson_mut_val *line_schema(struct schema *schema)
{
    yyjson_mut_val *object = typed(schema, "string");

    put_text(schema, object, "pattern", "^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f]"
             "[^\\u0000-\\u001f\\u007f]*$");
    return object;
}

/* What a list of texts holds: see hone_keys.c. */
static yyjson_mut_val *item_schema(struct schema *schema, const char *path)
{
    static const struct {
        const char *path, *pattern;
    } rows[] = {
        { "rights.write", "^(/|~/|\\.\\./)[^$*?\\u0000-\\u001f\\u007f]*$" },
        { "rights.change", "^(\\*|[^*?~/\\u0000-\\u001f\\u007f][^*?\\u0000-\\u001f\\u007f]*)$" },
        { "rights.env", "^(\\*|[A-Za-z_][A-Za-z0-9_]*\\*?)$" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        yyjson_mut_val *object;

        if (strcmp(rows[i].path, path) != 0) continue;
        object = typed(schema, "string");
        put_text(schema, object, "pattern", rows[i].pattern);
        return object;
    }
    return line_schema(schema);
}

/* Backends with and without an argument. */
static yyjson_mut_val *agent_schema(struct schema *schema)
{
    yyjson_mut_val *object = typed(schema, "string");
    struct buf pattern;

    buf_init(&pattern, PATTERN_BYTES_MAX);
    buf_text(&pattern, "^(");
    for (uint32_t i = 0; backends[i]; i++) {
        buf_printf(&pattern, "%s%s", i ? "|" : "", backends[i]->name);
        if (backends[i]->argument_needed) {
            buf_text(&pattern, ":.+");
        } else if (backends[i]->argument) {
            buf_text(&pattern, "(:([^-].*)?)?");
        }
    }
    buf_text(&pattern, ")$");
    put_text(schema, object, "pattern", buf_cstr(&pattern));
    put_text(schema, object, "description", "an agent: BACKEND or BACKEND:ARGUMENT, as 'hone run "
             "--help' lists them");
    buf_release(&pattern);
    return object;
}

static yyjson_mut_val *words_schema(struct schema *schema, const char *const *words)
{
    yyjson_mut_val *object = yyjson_mut_obj(schema->doc);
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(schema->doc, object, "enum");

    for (uint32_t i = 0; words[i]; i++) {
        yyjson_mut_arr_append(list, json_text(schema->doc, str_of(words[i])));
    }
    return object;
}

/* A number, but for a duration; or the text that stands for one. */
static yyjson_mut_val *amount_schema(struct schema *schema, const char *part)
{
    static const struct {
        const char *part, *type, *pattern;
    } forms[] = {
        { "usd", "number", "^(none|[0-9]+(\\.[0-9]{1,6})?)$" },
        { "tokens", "integer", "^(none|[0-9]+[kM]?)$" },
        { "time", NULL, "^(none|[0-9]+[smh]?)$" },
        { "calls", "integer", "^(none|[0-9]+)$" },
    };
    yyjson_mut_val *object = yyjson_mut_obj(schema->doc);
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(schema->doc, object, "anyOf");

    for (uint32_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        yyjson_mut_val *number, *text;

        if (strcmp(part, forms[i].part) != 0) continue;
        number = forms[i].type ? typed(schema, forms[i].type) : NULL;
        text = typed(schema, "string");
        if (number) yyjson_mut_obj_add_uint(schema->doc, number, "exclusiveMinimum", 0);
        if (number) yyjson_mut_arr_append(list, number);
        put_text(schema, text, "pattern", forms[i].pattern);
        yyjson_mut_arr_append(list, text);
    }
    return object;
}

/* A value that stands behind many roles is described once. */
static yyjson_mut_val *ref_schema(struct schema *schema, enum hone_kind kind)
{
    yyjson_mut_val *object = yyjson_mut_obj(schema->doc);

    put_text(schema, object, "$ref", kind == HONE_AGENT ? "#/$defs/agent" : "#/$defs/effort");
    return object;
}

static yyjson_mut_val *role_schema(struct schema *schema)
{
    yyjson_mut_val *object = typed(schema, "string");

    put_text(schema, object, "pattern", ROLE_PATTERN);
    yyjson_mut_obj_add_uint(schema->doc, object, "maxLength", ROLE_NAME_BYTES_MAX);
    return object;
}

static yyjson_mut_val *effort_schema(struct schema *schema)
{
    yyjson_mut_val *object = words_schema(schema, agent_efforts);

    put_text(schema, object, "description", "how hard a model thinks; which of these words its "
             "program knows is up to that");
    return object;
}

static yyjson_mut_val *key_schema(struct schema *schema, const struct hone_key *key)
{
    yyjson_mut_val *object = NULL;

    switch (key->kind) {
    case HONE_TEXT:
        object = line_schema(schema);
        break;
    case HONE_SWITCH:
        object = typed(schema, "boolean");
        break;
    case HONE_NUMBER:
        object = typed(schema, "integer");
        yyjson_mut_obj_add_uint(schema->doc, object, "minimum", 1);
        yyjson_mut_obj_add_uint(schema->doc, object, "maximum", key->max);
        break;
    case HONE_WORD:
        object = words_schema(schema, key->words);
        break;
    case HONE_DURATION:
        object = typed(schema, "string");
        put_text(schema, object, "pattern", "^[0-9]+[smh]?$");
        break;
    case HONE_AMOUNT:
        object = amount_schema(schema, hone_key_name(key->path));
        break;
    case HONE_PATTERNS:
    case HONE_LIST:
        object = typed(schema, "array");
        yyjson_mut_obj_add_val(schema->doc, object, "items", item_schema(schema, key->path));
        break;
    case HONE_WORDS:
        object = typed(schema, "array");
        yyjson_mut_obj_add_val(schema->doc, object, "items", words_schema(schema, key->words));
        break;
    case HONE_COMMAND:
        object = typed(schema, "array");
        yyjson_mut_obj_add_val(schema->doc, object, "items", line_schema(schema));
        break;
    case HONE_ADDRESS:
        object = typed(schema, "string");
        put_text(schema, object, "pattern", "^https?://[!-~]+$");
        break;
    case HONE_VARIABLE:
        object = typed(schema, "string");
        put_text(schema, object, "pattern", "^[A-Za-z_][A-Za-z0-9_]*$");
        break;
    case HONE_ROLES:
        object = typed(schema, "array");
        yyjson_mut_obj_add_uint(schema->doc, object, "minItems", 1);
        yyjson_mut_obj_add_val(schema->doc, object, "items", role_schema(schema));
        break;
    case HONE_AGENTS:
        object = typed(schema, "array");
        yyjson_mut_obj_add_val(schema->doc, object, "items", ref_schema(schema, HONE_AGENT));
        break;
    case HONE_AGENT:
    case HONE_KIND_COUNT:
        break;
    }
    put_text(schema, object, "description", key->help);
    return object;
}

/* The properties of the object at the end of *path (*object, NULL at the top), made where they are
 * not there yet; *path is then the last part. */
static yyjson_mut_val *properties_of(struct schema *schema, struct str *path,
                                     yyjson_mut_val **object)
{
    yyjson_mut_val *properties = yyjson_mut_obj_get(yyjson_mut_doc_get_root(schema->doc),
                                                    "properties");
    yyjson_mut_val *parent = NULL;
    struct str part;

    while (str_has(*path, '.') && str_cut(path, '.', &part)) {
        bool any = str_is(part, "NAME"); /* any name: what such a member is */
        yyjson_mut_val *below = any ? yyjson_mut_obj_get(parent, "additionalProperties")
                                    : yyjson_mut_obj_getn(properties, part.data, part.size);
        if (!yyjson_mut_is_obj(below)) {
            below = typed(schema, "object");
            yyjson_mut_obj_add_bool(schema->doc, below, "additionalProperties", false);
            yyjson_mut_obj_add_obj(schema->doc, below, "properties");
            if (any) yyjson_mut_obj_remove_key(parent, "additionalProperties");
            yyjson_mut_obj_put(any ? parent : properties,
                               json_text(schema->doc, any ? STR("additionalProperties") : part),
                               below);
        }
        parent = below;
        properties = yyjson_mut_obj_get(below, "properties");
    }
    *object = parent;
    return properties;
}

static void add_key(struct schema *schema, const struct hone_key *key)
{
    struct str name = str_of(key->path);
    yyjson_mut_val *object, *properties = properties_of(schema, &name, &object), *others;
    const char *const *roles;

    if (!hone_key_has_role(key)) {
        yyjson_mut_obj_put(properties, json_text(schema->doc, name), key_schema(schema, key));
        return;
    }
    if (!hone_key_dialect(str_of(key->path))) { /* roles of the user's own */
        others = yyjson_mut_obj_add_obj(schema->doc, object, "patternProperties");
        yyjson_mut_obj_put(others, yyjson_mut_str(schema->doc, ROLE_PATTERN),
                           ref_schema(schema, key->kind));
    }
    roles = hone_roles(hone_key_dialect(str_of(key->path)), &schema->arena);
    yyjson_mut_obj_put(properties, yyjson_mut_str(schema->doc, "*"), ref_schema(schema, key->kind));
    for (uint32_t i = 0; roles[i]; i++) {
        yyjson_mut_obj_put(properties, json_text(schema->doc, str_of(roles[i])),
                           ref_schema(schema, key->kind));
    }
}

void hone_schema_write(struct buf *out)
{
    struct schema schema = { .doc = json_new() };
    yyjson_mut_val *root = yyjson_mut_obj(schema.doc), *defs;

    yyjson_mut_doc_set_root(schema.doc, root);
    put_text(&schema, root, "$schema", "https://json-schema.org/draft/2020-12/schema");
    put_text(&schema, root, "title", "hone.json");
    put_text(&schema, root, "description", "Settings of hone: hone.json at the top of a "
             "repository, or config.json in the user's folder hone");
    put_text(&schema, root, "type", "object");
    yyjson_mut_obj_add_bool(schema.doc, root, "additionalProperties", false);
    yyjson_mut_obj_add_obj(schema.doc, root, "properties");
    for (const struct hone_key *key = hone_keys(); key->path; key++) add_key(&schema, key);
    defs = yyjson_mut_obj_add_obj(schema.doc, root, "$defs");
    yyjson_mut_obj_add_val(schema.doc, defs, "agent", agent_schema(&schema));
    yyjson_mut_obj_add_val(schema.doc, defs, "effort", effort_schema(&schema));
    json_write(schema.doc, true, out);
    arena_release(&schema.arena);
    yyjson_mut_doc_free(schema.doc);
}
