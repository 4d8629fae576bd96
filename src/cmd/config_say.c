/* SPDX-License-Identifier: Apache-2.0
 *
 * config_say.c - settings in words and as JSON, whoever they belong to. */
#include "cmd/config.h"

#include "cmd/say.h"
#include "cmd/suggest.h"

#include <string.h>

enum { VALUE_COLUMNS_MAX = 40 };

static const char from_built_in[] = "built-in";

int config_put(struct buf *out, const char *title, const struct config_list *list)
{
    int paths = 0, values = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        const struct config_item *item = &list->items[i];
        int value = (int)strlen(item->value);
        if ((int)strlen(item->path) > paths) paths = (int)strlen(item->path);
        if (value > values && value <= VALUE_COLUMNS_MAX) values = value;
    }
    buf_printf(out, "%s\n", title);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct config_item *item = &list->items[i];
        struct buf value;

        buf_init(&value, SAY_BYTES_MAX);
        add_safe(&value, item->value, 0);
        buf_printf(out, "  %-*s  %-*s  ", paths, item->path, values, buf_cstr(&value));
        add_safe(out, item->from ? item->from : from_built_in, 0);
        if (item->means) buf_printf(out, " (%s)", item->means);
        buf_byte(out, '\n');
        buf_release(&value);
    }
    return paths + 2 + values;
}

/* The value itself, not its text. */
static yyjson_mut_val *value_json(yyjson_mut_doc *doc, const char *text)
{
    yyjson_mut_val *value = NULL;
    yyjson_doc *read;
    struct err none;

    if (json_read(str_of(text), &read, &none) != 0) return yyjson_mut_null(doc);
    value = yyjson_val_mut_copy(doc, yyjson_doc_get_root(read));
    yyjson_doc_free(read);
    return value;
}

yyjson_mut_val *config_text_json(yyjson_mut_doc *doc, const char *text)
{
    return text ? json_text(doc, str_of(text)) : yyjson_mut_null(doc);
}

yyjson_mut_val *config_item_json(yyjson_mut_doc *doc, const struct config_item *item)
{
    yyjson_mut_val *object = yyjson_mut_obj(doc);

    yyjson_mut_obj_add_val(doc, object, "path", config_text_json(doc, item->path));
    yyjson_mut_obj_add_val(doc, object, "value", value_json(doc, item->value));
    yyjson_mut_obj_add_val(doc, object, "from", config_text_json(doc, item->from ? item->from
                                                                         : from_built_in));
    if (item->means) {
        yyjson_mut_obj_add_val(doc, object, "means", config_text_json(doc, item->means));
    }
    return object;
}

int config_find_item(const struct config_list *list, const char *path,
                     const struct config_item **out, struct err *err)
{
    struct suggest suggest;

    suggest_init(&suggest, str_of(path));
    for (uint32_t i = 0; i < list->count; i++) {
        if (str_is(suggest.word, list->items[i].path)) {
            *out = &list->items[i];
            return 0;
        }
        suggest_offer(&suggest, list->items[i].path);
    }
    if (!suggest.best) {
        return err_set(err, ERR_USAGE, "there is no setting '%.60s'; 'hone config show' lists them",
                       path);
    }
    return err_set(err, ERR_USAGE, "there is no setting '%.60s'; did you mean '%s'?", path,
                   suggest.best);
}

/* A text without its quotes: a script wants the text. */
static void get_text(const struct config_item *item)
{
    yyjson_doc *doc = NULL;
    struct str value = str_of(item->value);
    struct err none;
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    if (json_read(value, &doc, &none) == 0 && yyjson_is_str(yyjson_doc_get_root(doc))) {
        value = str_of(yyjson_get_str(yyjson_doc_get_root(doc)));
    }
    buf_add(&out, value);
    buf_byte(&out, '\n');
    say_out(&out);
    buf_release(&out);
    yyjson_doc_free(doc);
}

void config_say_item(const struct call *call, const struct config_item *item)
{
    if (call->json) {
        yyjson_mut_doc *doc = json_new();
        yyjson_mut_doc_set_root(doc, config_item_json(doc, item));
        say_json(doc, true);
    } else {
        get_text(item);
    }
}
