/* SPDX-License-Identifier: Apache-2.0
 *
 * sections.c - an executor's headings: which must be there, in which order, and that each
 * has something below it. */
#include "dialect/session/parts.h"

#include "format/text/utf8.h"

uint32_t part_find(struct str name, const struct part_name *names, uint32_t count)
{
    uint32_t i = 0;

    for (; i < count; i++) {
        if (str_is(name, names[i].name)) break;
        if (names[i].alias && str_is(name, names[i].alias)) break;
    }
    return i;
}

bool part_take(const struct outline_heading *heading, const struct outline_heading **found,
                  struct check_report *report)
{
    if (*found) {
        check_report_add(report, "repeated-section", heading->line, "`### %.*s` is there already, "
                         "in line %u: wanted once", STR_ARG(heading->name),
                         (unsigned)(*found)->line);
        return false;
    }
    *found = heading;
    return true;
}

struct str part_shown(struct str words)
{
    enum { SHOWN_BYTES_MAX = 100 };

    return str_head(words, SHOWN_BYTES_MAX);
}

/* Whether it is `## HEADING: title`; the title, trimmed. */
static bool is_top(const struct executor_form *form, const struct outline_heading *heading,
                   struct str *title)
{
    struct str word = str_of(form->heading);

    if (heading->level != 2 || !str_starts(heading->name, word)) return false;
    *title = str_skip(heading->name, word.size);
    if (!str_starts(*title, STR(":"))) return false;
    *title = str_trim(str_skip(*title, 1));
    return true;
}

/* A section whose name is known, and which is there for the first time. */
static void check_order(const struct executor_form *form, const struct outline_heading *heading,
                        uint32_t index, uint32_t *newest, struct check_report *report)
{
    if (*newest < form->count && index < *newest) {
        check_report_add(report, "misplaced-section", heading->line, "`### %s` stands behind "
                         "`### %s`: wanted before it", form->names[index].name,
                         form->names[*newest].name);
        return;
    }
    *newest = index;
}

static void check_parts(const struct executor_form *form,
                        const struct outline_heading *const *found, struct check_report *report)
{
    for (uint32_t i = 0; i < form->count; i++) {
        if (!found[i]) {
            check_report_add(report, "missing-section", 0, "there is no section `### %s`",
                             form->names[i].name);
        } else if (outline_is_hollow(found[i]->body)) {
            check_report_add(report, "empty-section", found[i]->line, "`### %s` has nothing below "
                             "it", form->names[i].name);
        }
    }
}

/* The first heading with the title, or NULL. */
static const struct outline_heading *find_top(const struct executor_form *form,
                                              const struct outline *outline, struct str *title)
{
    for (uint32_t i = 0; i < outline->count; i++) {
        if (is_top(form, &outline->items[i], title)) return &outline->items[i];
    }
    *title = (struct str){ "", 0 };
    return NULL;
}

/* A heading that is not the title. */
static void on_heading(const struct executor_form *form, const struct outline_heading *heading,
                       uint32_t *newest, const struct outline_heading **found,
                       struct check_report *report)
{
    uint32_t index = part_find(heading->name, form->names, form->count);
    struct str shown = part_shown(heading->name);

    if (heading->level != OUTLINE_LEVEL) {
        check_report_add(report, "unknown-heading", heading->line, "the heading `%.*s` is no part "
                         "of the form: use #### and deeper below a section", STR_ARG(shown));
    } else if (index == form->count) {
        check_report_add(report, "unknown-section", heading->line, "`### %.*s` is no section of "
                         "the form: use #### and deeper below a section", STR_ARG(shown));
    } else if (part_take(heading, &found[index], report)) {
        check_order(form, heading, index, newest, report);
    }
}

/* A heading that stands before the title; one that is unknown has been told already. */
static void check_before(const struct executor_form *form, const struct outline_heading *heading,
                         struct check_report *report)
{
    if (heading->level != OUTLINE_LEVEL ||
        part_find(heading->name, form->names, form->count) == form->count) {
        return;
    }
    check_report_add(report, "misplaced-section", heading->line, "`### %.*s` stands before the "
                     "heading `## %s: TITLE`", STR_ARG(heading->name), form->heading);
}

void executor_sections(const struct executor_form *form, const struct outline *outline,
                       struct check_report *report, const struct outline_heading **found,
                       struct str *title)
{
    const struct outline_heading *top = find_top(form, outline, title);
    uint32_t newest = form->count;
    struct str other;

    for (uint32_t i = 0; i < form->count; i++) found[i] = NULL;
    if (!top) {
        check_report_add(report, "missing-heading", 0, "there is no heading `## %s: TITLE` at the "
                         "left margin, outside code and quotes", form->heading);
    } else if (title->size == 0 || (title->data[0] == '{' && str_ends(*title, STR("}")))) {
        check_report_add(report, "missing-title", top->line, "`## %s:` has no title behind it",
                         form->heading);
    }
    for (uint32_t i = 0; i < outline->count; i++) {
        const struct outline_heading *heading = &outline->items[i];

        if (heading == top) continue;
        if (top && is_top(form, heading, &other)) {
            check_report_add(report, "repeated-heading", heading->line, "`## %s:` is there "
                             "already, in line %u: wanted once", form->heading,
                             (unsigned)top->line);
        } else {
            on_heading(form, heading, &newest, found, report);
            if (top && heading < top) check_before(form, heading, report);
        }
    }
    check_parts(form, found, report);
}
