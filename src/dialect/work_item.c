/* SPDX-License-Identifier: Apache-2.0
 *
 * work_item.c - a work item: its title, problem, context and acceptance criteria.
 *
 * A task may be one sentence or a small document. Where headings name the context and the criteria,
 * they are told apart; everything else is the problem. */
#include "dialect/session.h"

#include "dialect/prose.h"

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

/* The part that a heading opens. */
static struct str *part_of(struct work_item *item, struct str heading)
{
    if (starts_with_word(heading, "context")) return &item->context;
    if (starts_with_word(heading, "acceptance criteria")) return &item->criteria;
    return &item->problem;
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
        struct str heading, *next = part;

        if (kind == PROSE_OWN && prose_heading(line, &heading)) next = part_of(out, heading);
        if (next != part && next != &out->problem && next->size == 0) {
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
