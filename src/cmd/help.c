/* SPDX-License-Identifier: Apache-2.0
 *
 * help.c - pages as plain text for a terminal, and the verb that prints them.
 *
 * 1. No line is longer than was asked for, unless a single word or a command line is.
 * 2. Terms of one section stand in one column; a term too long for it has a line of its own. */
#include "cmd/page.h"
#include "cmd/parse.h"
#include "cmd/say.h"

#include "cmd/verbs.h"
#include "io/terminal/terminal.h"

#include <string.h>

enum { TERM_INDENT = 2, TERM_COLUMN_MAX = 24 };

static void add_blanks(struct buf *out, uint32_t count)
{
    while (count-- > 0) buf_byte(out, ' ');
}

/* The column in which the texts of the terms from here on begin. */
static uint32_t term_column(const struct block *block, const struct block *end)
{
    uint32_t column = 0;

    for (; block < end && block->kind == BLOCK_TERM; block++) {
        uint32_t width = TERM_INDENT + (uint32_t)strlen(block->term) + 2;
        if (width <= TERM_COLUMN_MAX && width > column) column = width;
    }
    return column ? column : TERM_COLUMN_MAX;
}

static void add_term(struct buf *out, const struct block *block, uint32_t column, uint32_t columns)
{
    uint32_t width = TERM_INDENT + (uint32_t)strlen(block->term);

    add_blanks(out, TERM_INDENT);
    buf_text(out, block->term);
    if (width + 2 > column) {
        buf_byte(out, '\n');
        width = 0;
    }
    add_blanks(out, column - width);
    add_wrapped(out, block->text, column, column, columns);
}

static void add_block(struct buf *out, const struct block *block, uint32_t columns)
{
    switch (block->kind) {
    case BLOCK_TITLE:
        for (const char *at = block->term; *at; at++) buf_byte(out, *at == '-' ? ' ' : *at);
        buf_text(out, " - ");
        add_wrapped(out, block->text, (uint32_t)strlen(block->term) + 3, TERM_INDENT, columns);
        break;
    case BLOCK_USAGE:
        buf_printf(out, "\nUsage: %s\n", block->text);
        break;
    case BLOCK_HEADING:
        /* The description follows the usage: it needs no heading. */
        if (strcmp(block->text, "Description") != 0) buf_printf(out, "\n%s:\n", block->text);
        break;
    case BLOCK_TEXT:
        buf_byte(out, '\n');
        add_wrapped(out, block->text, 0, 0, columns);
        break;
    case BLOCK_CODE:
        add_blanks(out, TERM_INDENT);
        buf_printf(out, "%s\n", block->text);
        break;
    case BLOCK_SEE:
    case BLOCK_TERM: /* needs its neighbours: page_help() */
    case BLOCK_COUNT:
        break;
    }
}

void page_help(const struct page *page, uint32_t columns, struct buf *out)
{
    const struct block *end = page->blocks + page->count;
    uint32_t column = 0;

    for (const struct block *block = page->blocks; block < end; block++) {
        if (block->kind != BLOCK_TERM) {
            add_block(out, block, columns);
            column = 0;
            continue;
        }
        if (column == 0) column = term_column(block, end);
        add_term(out, block, column, columns);
    }
}

void help_short(struct buf *out)
{
    buf_text(out, "hone runs review-fix loops over coding agents until the work is clean.\n\n");
    for (uint32_t i = 0; verbs[i]; i++) {
        buf_printf(out, "  hone %-10s %s\n", verbs[i]->name, verbs[i]->summary);
    }
    buf_text(out, "\nTo begin:  hone run review\n"
                  "To read:   hone help VERB, hone help ends, hone --help\n");
}

void help_say(struct page *page)
{
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    page_help(page, text_columns(TERMINAL_OUT_FD), &out);
    say_take(&out);
    page_release(page);
}

static int handle(struct call *call)
{
    const char *word = call_argument(call, 0);
    const struct verb *verb;
    struct page page;
    struct err err;

    if (!word) page_overview(&page);
    else if (strcmp(word, "ends") == 0) page_ends(&page);
    else if (verb_find(word, &verb, &err) != 0) return say_err(&err);
    else page_verb(&page, verb);
    help_say(&page);
    return CODE_DONE;
}

const struct verb verb_help = {
    .name = "help",
    .summary = "explain a verb",
    .text = {
        "Shows the same as 'hone VERB --help'; without a verb, the same as 'hone --help'. 'hone "
        "help ends' lists how a run can end: with which exit status, what it means, and what to do "
        "next.",
    },
    .arguments = {
        { .name = "VERB", .optional = true, .help = "the verb to explain, or ends" },
    },
    .codes = {
        { CODE_DONE, "it was shown" },
        { CODE_USAGE, "there is no such verb" },
    },
    .examples = { "hone help run", "hone help ends" },
    .handle = handle,
};
