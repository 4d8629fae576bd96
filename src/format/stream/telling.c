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

static void tell_text(struct telling *telling, struct str text, bool piece)
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

static void tell_line(struct telling *telling, struct str mark, struct str what, struct str about)
{
    telling_end(telling);
    line_add(telling, mark);
    line_add(telling, first_line(what));
    if (about.size > 0) line_add(telling, STR(" "));
    line_add(telling, first_line(about));
    telling_end(telling);
}

/* A call is told once: with its result, where that tells it again. */
static void tell_item(void *context, const struct item *item)
{
    struct telling *telling = context;

    switch (item->kind) {
    case ITEM_SAID:
        tell_text(telling, item->text, item->piece);
        break;
    case ITEM_THOUGHT:
        break;
    case ITEM_TOOL:
        if (!item->told_again) tell_line(telling, STR("> "), item->tool, item->about);
        break;
    case ITEM_RESULT:
        if (item->tool.size > 0) tell_line(telling, STR("> "), item->tool, item->about);
        break;
    case ITEM_NOTE:
        if (item->failed) tell_line(telling, STR("! "), item->text, (struct str){ "", 0 });
        else tell_text(telling, item->text, false);
        break;
    }
}

void telling_line(struct telling *telling, const struct stream_kind *kind, struct str line)
{
    struct items items = { .visit = tell_item, .context = telling };

    items_line(&items, kind, line);
}
