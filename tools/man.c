/* SPDX-License-Identifier: Apache-2.0
 *
 * man.c - writes hone.1, hone-ends.1 and a hone-VERB.1 for each verb into a folder:  man FOLDER
 *         or all of it as one page of Markdown on standard output:       man --markdown */
#include "cmd/page.h"
#include "io/file/file.h"

#include <stdio.h>
#include <string.h>

enum { PAGE_BYTES_MAX = 1 << 20 };

static int write_page(const char *folder, struct page *page, struct err *err)
{
    const char *name = arena_printf(&page->arena, "%s.1", page->blocks[0].term);
    struct buf out;
    int rc;

    buf_init(&out, PAGE_BYTES_MAX);
    page_man(page, &out);
    rc = file_write(folder, name, buf_str(&out), err);
    buf_release(&out);
    page_release(page);
    return rc;
}

/* ---- Markdown ---- */

/* Text of a page has no marks: what Markdown would take for one is shown as it is. */
static void put_text(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("<>*_|\\`#[]", *text)) buf_byte(out, '\\');
        buf_byte(out, *text);
    }
}

static void put_block(const struct block *block, bool first_term, struct buf *out)
{
    switch (block->kind) {
    case BLOCK_TITLE:
        buf_text(out, "\n## ");
        for (const char *at = block->term; *at; at++) buf_byte(out, *at == '-' ? ' ' : *at);
        buf_text(out, "\n\n");
        put_text(out, block->text);
        buf_byte(out, '\n');
        break;
    case BLOCK_USAGE:
        buf_printf(out, "\n    %s\n", block->text);
        break;
    case BLOCK_HEADING:
        if (strcmp(block->text, "Description") != 0) buf_printf(out, "\n**%s**\n", block->text);
        break;
    case BLOCK_TEXT:
        buf_byte(out, '\n');
        put_text(out, block->text);
        buf_byte(out, '\n');
        break;
    case BLOCK_TERM:
        buf_printf(out, "%s- `%s`: ", first_term ? "\n" : "", block->term);
        put_text(out, block->text);
        buf_byte(out, '\n');
        break;
    case BLOCK_CODE:
        buf_printf(out, "\n    %s\n", block->text);
        break;
    case BLOCK_SEE:
    case BLOCK_COUNT:
        break;
    }
}

static void put_page(struct page *page, struct buf *out)
{
    for (uint32_t i = 0; i < page->count; i++) {
        put_block(&page->blocks[i], i == 0 || page->blocks[i - 1].kind != BLOCK_TERM, out);
    }
    page_release(page);
}

static int write_markdown(void)
{
    struct page page;
    struct buf out;
    bool whole;

    buf_init(&out, (size_t)PAGE_BYTES_MAX * 4);
    buf_text(&out, "# The command line\n\nMade by `make reference` of the tables that `hone help` "
                   "and the manual pages are made of.\n");
    page_overview(&page);
    put_page(&page, &out);
    for (uint32_t i = 0; verbs[i]; i++) {
        page_verb(&page, verbs[i]);
        put_page(&page, &out);
    }
    page_ends(&page);
    put_page(&page, &out);
    whole = !out.overflow && fwrite(out.data, 1, out.size, stdout) == out.size;
    buf_release(&out);
    return !whole || fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
    struct page page;
    struct err err;
    int rc;

    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER | --markdown\n", argc > 0 ? argv[0] : "man");
        return 2;
    }
    if (strcmp(argv[1], "--markdown") == 0) return write_markdown();
    rc = file_make_folder(argv[1], true, &err);
    if (rc == 0) {
        page_overview(&page);
        rc = write_page(argv[1], &page, &err);
    }
    if (rc == 0) {
        page_ends(&page);
        rc = write_page(argv[1], &page, &err);
    }
    for (uint32_t i = 0; rc == 0 && verbs[i]; i++) {
        page_verb(&page, verbs[i]);
        rc = write_page(argv[1], &page, &err);
    }
    if (rc != 0) fprintf(stderr, "man: %s\n", err.text);
    return rc != 0;
}
