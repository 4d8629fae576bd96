/* SPDX-License-Identifier: Apache-2.0
 *
 * work_item.c - a work item: its title, problem, context and acceptance criteria.
 *
 * A task may be one sentence or a small document. A label opens a part, which goes on to the next
 * label; everything else is the problem:
 *
 *     ## Context       **Context:** because ...       Acceptance:       Done when ...
 *                      Context: because ...           - it is fast
 *     Fix X. Context: because ... Acceptance: - it is fast
 *
 * 1. A label stands at the beginning of a line, or behind the end of a sentence in it, with a colon
 *    behind it. Only a heading, a bold line of its own and `Done when` need no colon.
 * 2. No label is looked for in code, quotes and items of a list. In doubt words stay where they
 *    are.
 * 3. No word is lost: a label that comes twice is a part of the text that it stands in.
 * 4. A task may begin with a label: the first paragraph behind that part's own, which is no list,
 *    is the problem. */
#include "dialect/session/session.h"

#include "base/byte.h"
#include "dialect/prose.h"

#include <string.h>

enum { TITLE_BYTES_MAX = 120 };

static const struct {
    const char *name;
    bool criteria; /* else: context */
    bool bare;     /* needs no colon */
} labels[] = {
    { "acceptance criteria", .criteria = true },
    { "acceptance criterion", .criteria = true },
    { "acceptance", .criteria = true },
    { "definition of done", .criteria = true },
    { "done when", .criteria = true, .bare = true },
    { "context", .criteria = false },
    { "background", .criteria = false },
};

/* The walk over a task. */
struct item_reading {
    struct work_item *out;
    struct str *part; /* the one that is open */
    bool heading;     /* a heading opened it */
    bool ended;       /* an empty line ended its first paragraph */
};

static struct str title_of(struct str task)
{
    struct str rest = task, line, heading;

    while (str_cut(&rest, '\n', &line)) {
        line = str_trim(line);
        if (prose_heading(line, &heading)) line = heading;
        if (line.size > 0) return str_head(line, TITLE_BYTES_MAX);
    }
    return (struct str){ "", 0 };
}

/* ---- labels ---- */

enum place { IN_HEADING, AT_MARGIN, IN_LINE };

/* Whether the name of a label ends where rest begins; *behind is what the label leaves of it. */
static bool label_ends(struct str rest, enum place place, bool marked, bool bare,
                       struct str *behind)
{
    struct str tail = text_skip(rest, marked ? "*_ \t" : " \t");

    *behind = rest;
    if (rest.size && byte_is_alnum(rest.data[0])) return false;
    if (str_starts(tail, STR(":"))) {
        *behind = str_skip(tail, 1);
        if (marked) *behind = text_skip(*behind, "*_");
        return behind->size == 0 || behind->data[0] == ' ' || behind->data[0] == '\t';
    }
    if (tail.size == 0 && (place == IN_HEADING || (place == AT_MARGIN && marked))) {
        *behind = tail;
        return true;
    }
    if (place == IN_HEADING && str_starts(tail, STR("("))) return true;
    return bare && (rest.size == 0 || rest.data[0] == ' ');
}

/* The part whose label begins the text; NULL: none does. */
static struct str *label_read(struct work_item *item, struct str text, enum place place,
                              struct str *behind)
{
    struct str name = text_skip(text, "*_");
    bool marked = name.size < text.size;

    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        struct str rest;
        bool bare = labels[i].bare || (place == IN_HEADING && i == 0);

        if (!starts_with_word(name, labels[i].name)) continue;
        rest = str_skip(name, strlen(labels[i].name));
        if (!label_ends(rest, place, marked, bare, behind)) continue;
        return labels[i].criteria ? &item->criteria : &item->context;
    }
    return NULL;
}

/* The part whose label is at text, where it is not there yet, is the open one from here on; the one
 * before ends with the line, or with the sentence before. */
static bool part_open(struct item_reading *reading, struct str text, enum place place)
{
    const char *end = text.data;
    struct str behind;
    struct str *next = label_read(reading->out, text, place, &behind);

    if (!next || next == reading->part || str_trim(*next).size) return false;
    while (place == IN_HEADING && end > reading->part->data && end[-1] != '\n') end--;
    reading->part->size = (size_t)(end - reading->part->data);
    reading->part = next;
    reading->heading = place == IN_HEADING;
    reading->ended = false;
    *next = (struct str){ behind.data, 0 };
    return true;
}

/* Labels behind the ends of sentences; none in `code`. */
static void open_in_line(struct item_reading *reading, struct str line)
{
    bool code = false, ended = false; /* a sentence did, before the blanks here */

    for (size_t i = 0; i < line.size; i++) {
        char byte = line.data[i];

        if (byte == ' ' || byte == '\t') continue;
        if (ended && !code && (line.data[i - 1] == ' ' || line.data[i - 1] == '\t')) {
            part_open(reading, str_skip(line, i), IN_LINE);
        }
        if (byte == '`') code = !code;
        ended = byte && strchr(".!?;", byte);
    }
}

/* ---- lines ---- */

/* Whether a line begins the problem of a task that began with a label. */
static bool begins_problem(const struct item_reading *reading)
{
    return reading->ended && !reading->heading && reading->part != &reading->out->problem &&
           str_trim(reading->out->problem).size == 0;
}

static void on_own_line(struct item_reading *reading, struct str line)
{
    struct str heading, words;
    bool numbered;

    if (line.size == 0) {
        reading->ended = reading->ended || str_trim(*reading->part).size;
    } else if (prose_heading(line, &heading)) {
        part_open(reading, heading, IN_HEADING);
    } else if (!prose_item(line, &words, &numbered)) {
        if (!part_open(reading, line, AT_MARGIN) && begins_problem(reading)) {
            reading->part = &reading->out->problem;
            *reading->part = (struct str){ line.data, 0 };
        }
        open_in_line(reading, line);
    }
}

void work_item_read(struct str task, struct work_item *out)
{
    struct item_reading reading = { .out = out, .part = &out->problem };
    struct prose prose = { .rest = task };
    enum prose_kind kind;
    struct str line;

    *out = (struct work_item){ .problem = { task.data, 0 } };
    while (prose_next(&prose, &line, &kind)) {
        const char *end = prose.rest.size ? prose.rest.data : task.data + task.size;

        if (kind == PROSE_OWN) on_own_line(&reading, line);
        reading.part->size = (size_t)(end - reading.part->data);
    }
    out->problem = str_trim(out->problem);
    out->context = str_trim(out->context);
    out->criteria = str_trim(out->criteria);
    out->title = title_of(out->problem.size ? out->problem : task);
}
