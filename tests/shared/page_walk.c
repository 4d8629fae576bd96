/* SPDX-License-Identifier: Apache-2.0 */
#include "shared/page_walk.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the writer makes ---- */

static const char *const elements[] = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "main", "footer", "section",
    "nav", "h1", "h2", "h3", "h4", "p", "b", "span", "div", "ul", "ol", "li", "dl", "dt", "dd",
    "details", "summary", "figure", "figcaption", "table", "caption", "thead", "tbody", "tr", "th",
    "td", "time", "code", "pre", "del", "ins", "mark", "svg", "g", "rect", "line", "text", "path",
    "circle", "defs", "pattern", "desc", NULL,
};

static const char *const attributes[] = {
    "lang", "charset", "http-equiv", "content", "name", "class", "href", "id", "aria-label",
    "aria-labelledby", "aria-hidden", "role", "tabindex", "scope", "open", "datetime", "width",
    "height", "viewBox", "x", "y", "x1", "x2", "y1", "y2", "rx", "cx", "cy", "r", "d", "fill",
    "text-anchor", "patternUnits", NULL,
};

struct walk {
    struct buf *text, *why;
    XML_Parser parser;
    bool style;        /* inside of it */
    char *ids[65536];
    uint32_t id_count;
};

static bool is_of(const char *const *list, const char *name)
{
    for (; *list; list++) {
        if (strcmp(*list, name) == 0) return true;
    }
    return false;
}

static void refuse(struct walk *walk, const char *what, const char *which)
{
    if (walk->why->size > 0) return;
    buf_printf(walk->why, "line %lu: %s %.200s", XML_GetCurrentLineNumber(walk->parser), what,
               which);
}

static void on_attribute(struct walk *walk, const char *name, const char *value)
{
    if (!is_of(attributes, name)) refuse(walk, "no attribute of the writer's:", name);
    if (strstr(value, PAGE_INTRUDER)) refuse(walk, "a value from outside:", value);
    if (strcmp(name, "href") == 0 && value[0] != '#') refuse(walk, "a link out:", value);
    if (strcmp(name, "fill") == 0 && strncmp(value, "url(#p-", 7) != 0) {
        refuse(walk, "a fill:", value);
    }
    if (strcmp(name, "id") == 0 && walk->id_count < 65536) {
        walk->ids[walk->id_count++] = strdup(value);
    }
}

static void on_start(void *context, const char *name, const char **list)
{
    struct walk *walk = context;

    if (!is_of(elements, name)) refuse(walk, "no element of the writer's:", name);
    for (; *list; list += 2) on_attribute(walk, list[0], list[1]);
    walk->style = strcmp(name, "style") == 0;
    buf_byte(walk->text, '\n');
}

static void on_end(void *context, const char *name)
{
    struct walk *walk = context;

    (void)name;
    walk->style = false;
    buf_byte(walk->text, '\n');
}

static void on_text(void *context, const char *data, int size)
{
    struct walk *walk = context;
    struct str piece = { data, (size_t)size };

    if (walk->style) {
        if (memmem(data, piece.size, PAGE_INTRUDER, strlen(PAGE_INTRUDER))) {
            refuse(walk, "text from outside in", "style");
        }
    } else {
        buf_add(walk->text, piece);
    }
}

static void on_comment(void *context, const char *data)
{
    refuse(context, "a comment:", data);
}

static void on_instruction(void *context, const char *target, const char *data)
{
    (void)data;
    refuse(context, "an instruction:", target);
}

static int compare_ids(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static void check_ids(struct walk *walk)
{
    qsort(walk->ids, walk->id_count, sizeof *walk->ids, compare_ids);
    for (uint32_t i = 0; i < walk->id_count; i++) {
        if (i > 0 && strcmp(walk->ids[i], walk->ids[i - 1]) == 0) {
            refuse(walk, "an id twice:", walk->ids[i]);
        }
    }
    for (uint32_t i = 0; i < walk->id_count; i++) free(walk->ids[i]);
}

bool page_walk(struct str page, struct buf *text, struct buf *why)
{
    struct walk *walk = calloc(1, sizeof *walk);
    bool good;

    walk->text = text;
    walk->why = why;
    walk->parser = XML_ParserCreate("UTF-8");
    XML_SetUserData(walk->parser, walk);
    XML_SetElementHandler(walk->parser, on_start, on_end);
    XML_SetCharacterDataHandler(walk->parser, on_text);
    XML_SetCommentHandler(walk->parser, on_comment);
    XML_SetProcessingInstructionHandler(walk->parser, on_instruction);
    if (XML_Parse(walk->parser, page.data, (int)page.size, XML_TRUE) != XML_STATUS_OK) {
        refuse(walk, "not whole:", XML_ErrorString(XML_GetErrorCode(walk->parser)));
    }
    check_ids(walk);
    good = why->size == 0;
    XML_ParserFree(walk->parser);
    free(walk);
    return good;
}
