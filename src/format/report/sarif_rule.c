/* SPDX-License-Identifier: Apache-2.0
 *
 * sarif_rule.c - which rule a SARIF result means, and what its message says.
 *
 * A result names its rule by an index into the rules of a component, or by an id only. Ids are
 * hierarchical: "CA5350/md5" is described by "CA5350" where there is nothing closer.
 *
 * A message is a text of its own or the id of one that its rule or the tool keeps. "{0}" stands
 * for its first argument and "{{" for "{"; but a text of its own without arguments is taken as it
 * is, since most tools that need no placeholders do not know of them.
 *
 * 1. Finding a rule takes time logarithmic in their number.
 * 2. A message with its arguments is at most SARIF_MESSAGE_BYTES_MAX, or ERR_LIMIT. */
#include "format/report/sarif_read.h"

#include "base/buf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

void sarif_rules_init(struct sarif_run *run)
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

struct sarif_rule *sarif_rule_find(struct sarif_run *run, yyjson_val *result)
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
    *out = (struct str){ yyjson_get_str(arguments->items[index]),
                         yyjson_get_len(arguments->items[index]) };
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

int sarif_message(struct sarif_run *run, const struct sarif_rule *rule, yyjson_val *message,
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
