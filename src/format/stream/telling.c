/* SPDX-License-Identifier: Apache-2.0 */
#include "format/stream/telling.h"

static void line_add(struct telling *telling, struct str text)
{
    if (text.size == 0) return;
    buf_add(telling->out, text);
    telling->open = text.data[text.size - 1] != '\n';
}

void telling_end(struct telling *telling)
{
    if (telling->open) line_add(telling, STR("\n"));
}

void telling_text(struct telling *telling, struct str text, bool piece)
{
    if (!piece) telling_end(telling);
    line_add(telling, text);
    if (!piece) telling_end(telling);
}

static struct str first_line(struct str text)
{
    struct str rest = str_trim(text), line = { "", 0 };

    (void)str_cut(&rest, '\n', &line);
    return line;
}

static void add_line(struct telling *telling, struct str mark, struct str what, struct str about)
{
    telling_end(telling);
    line_add(telling, mark);
    line_add(telling, first_line(what));
    if (about.size > 0) line_add(telling, STR(" "));
    line_add(telling, first_line(about));
    telling_end(telling);
}

void telling_call(struct telling *telling, struct str tool, struct str about)
{
    add_line(telling, STR("> "), tool.size ? tool : STR("a tool"), about);
}

void telling_trouble(struct telling *telling, struct str message)
{
    add_line(telling, STR("! "), message.size ? message : STR("an error"), (struct str){ "", 0 });
}

struct str telling_about(yyjson_val *input)
{
    static const char *const names[] = { "file_path", "absolute_path", "notebook_path", "path",
                                         "command", "pattern", "query", "url", "description",
                                         "prompt", NULL };

    for (const char *const *name = names; *name; name++) {
        struct str text = json_str(input, *name);
        if (text.size > 0) return text;
    }
    return (struct str){ "", 0 };
}

void telling_line(struct telling *telling, const struct stream_kind *kind, struct str line)
{
    yyjson_doc *doc = NULL;
    struct err none;

    if (str_trim(line).size == 0) return;
    if (!kind->tell || json_read(line, &doc, &none) != 0 ||
        !yyjson_is_obj(yyjson_doc_get_root(doc))) {
        telling_text(telling, line, false);
    } else {
        kind->tell(telling, yyjson_doc_get_root(doc));
    }
    yyjson_doc_free(doc);
}
