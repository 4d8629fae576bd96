/* SPDX-License-Identifier: Apache-2.0
 *
 * page.h - what there is to say about a verb, in blocks: the help and the man page are two ways
 * to print the same page. */
#ifndef HONE_CMD_PAGE_H
#define HONE_CMD_PAGE_H

#include "cmd/verb.h"

enum block_kind {
    BLOCK_TITLE,   /* term: hone-run; text: the summary. The first block, and only it */
    BLOCK_USAGE,   /* text: a synopsis */
    BLOCK_HEADING, /* text: small letters, first one large */
    BLOCK_TEXT,    /* text: a paragraph */
    BLOCK_TERM,    /* term and its text: an option, an argument, an exit code */
    BLOCK_CODE,    /* text: a command line */
    BLOCK_SEE,     /* text: other pages; for man alone */
    BLOCK_COUNT
};

struct block {
    enum block_kind kind;
    const char *term, *text;
};

struct page {
    struct arena arena;
    struct block *blocks;
    uint32_t count, cap;
};

void page_verb(struct page *page, const struct verb *verb);
void page_overview(struct page *page); /* hone itself */
void page_ends(struct page *page);     /* how a run can end */
void page_release(struct page *page);

/* Texts are borrowed; they may live in page->arena. */
void page_add(struct page *page, enum block_kind kind, const char *term, const char *text);

/* Terms for a dialect's options, in --name ARGUMENT form. */
void page_add_option(struct page *page, const struct option *option);

/* As help: plain text of at most so many columns. */
void page_help(const struct page *page, uint32_t columns, struct buf *out);

/* As a man page, man(7). */
void page_man(const struct page *page, struct buf *out);

/* The page on standard output; it is released. */
void help_say(struct page *page);

/* What `hone` alone says. */
void help_short(struct buf *out);

#endif
