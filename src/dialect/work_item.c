/* SPDX-License-Identifier: Apache-2.0
 *
 * work_item.c - a work item: its title, problem, context and acceptance criteria.
 *
 * A task may be one sentence or a small document. Where a line of its own names the context or the
 * criteria, as a heading or with a colon behind it, they are told apart; everything else is the
 * problem. */
#include "dialect/session.h"

#include "dialect/prose.h"

#include <string.h>

enum { TITLE_BYTES_MAX = 120 };

static struct str without_marks(struct str line)
{
    struct str heading;

    if (prose_heading(line, &heading)) line = heading;
    return str_trim(line);
}

static struct str title_of(struct str task)
{
    struct str rest = task, line;

    while (str_cut(&rest, '\n', &line)) {
        line = without_marks(str_trim(line));
        if (line.size > 0) return str_head(line, TITLE_BYTES_MAX);
    }
    return (struct str){ "", 0 };
}

static bool is_name(struct str text, const char *name)
{
    return text.size == strlen(name) && starts_with_word(text, name);
}

/* The part that a line opens; NULL: it opens none. */
static struct str *part_of(struct work_item *item, struct str line)
{
    struct str name = line;
    bool opens = prose_heading(line, &name), colon = false;

    while (name.size && strchr("*_ ", name.data[0])) name = str_skip(name, 1);
    while (name.size && strchr("*_: \t\r", name.data[name.size - 1])) {
        colon = colon || name.data[name.size - 1] == ':';
        name.size--;
    }
    if (!opens && !colon) return NULL;
    if (is_name(name, "context")) return &item->context;
    if (opens && starts_with_word(name, "acceptance criteria")) return &item->criteria;
    return is_name(name, "acceptance criteria") ? &item->criteria : NULL;
}

/* A part grows to where the next one begins. One that comes twice keeps its first place, and the
 * second goes to the part before it: nothing is lost. */
void work_item_read(struct str task, struct work_item *out)
{
    struct prose prose = { .rest = task };
    struct str *part = &out->problem;
    enum prose_kind kind;
    struct str line;

    *out = (struct work_item){ .title = title_of(task) };
    out->problem = (struct str){ task.data, 0 };
    while (prose_next(&prose, &line, &kind)) {
        const char *end = prose.rest.size ? prose.rest.data : task.data + task.size;
        struct str *next = kind == PROSE_OWN ? part_of(out, line) : NULL;

        if (next && next != part && next->size == 0) {
            part = next;
            *part = (struct str){ end, 0 };
        } else {
            part->size = (size_t)(end - part->data);
        }
    }
    out->problem = str_trim(out->problem);
    out->context = str_trim(out->context);
    out->criteria = str_trim(out->criteria);
}
