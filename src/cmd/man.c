/* SPDX-License-Identifier: Apache-2.0
 *
 * man.c - pages in the macros of man(7).
 *
 * 1. No text can become a request: backslashes are written \e, a line never begins with a point
 *    or a quotation mark of its own.
 * 2. A dash is \-, so that options can be copied out of the page.
 * 3. Lines of running text are broken at LINE_BYTES_MAX, so that the source can be read; roff fills
 *    them again. */
#include "cmd/page.h"

#include <ctype.h>

/* The date in the pages. Changed by hand with their text: two builds must give the same bytes. */
#define PAGES_DATE "2026-11-15"

enum { LINE_BYTES_MAX = 79 };

static void add_escaped(struct buf *out, struct str text)
{
    if (text.size && (text.data[0] == '.' || text.data[0] == '\'')) buf_text(out, "\\&");
    for (size_t i = 0; i < text.size; i++) {
        switch (text.data[i]) {
        case '\\': buf_text(out, "\\e"); break;
        case '-': buf_text(out, "\\-"); break;
        case '\'': buf_text(out, "\\(aq"); break;
        case '"': buf_text(out, "\\(dq"); break;
        case '`': buf_text(out, "\\(ga"); break;
        case '^': buf_text(out, "\\(ha"); break;
        case '~': buf_text(out, "\\(ti"); break;
        case '\n': buf_byte(out, ' '); break;
        case '\t': buf_byte(out, ' '); break;
        default: buf_byte(out, text.data[i]); break;
        }
    }
}

/* A paragraph, in lines. */
static void add_text(struct buf *out, const char *text)
{
    struct str rest = str_of(text), word;
    size_t line = out->size;

    while (str_cut(&rest, ' ', &word)) {
        struct buf escaped;
        buf_init(&escaped, 8 * word.size + 8);
        add_escaped(&escaped, word);
        if (out->size > line && out->size - line + 1 + escaped.size > LINE_BYTES_MAX) {
            buf_byte(out, '\n');
            line = out->size;
        }
        if (out->size > line) buf_byte(out, ' ');
        buf_add(out, buf_str(&escaped));
        buf_release(&escaped);
    }
    buf_byte(out, '\n');
}

static void add_upper(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '-') buf_text(out, "\\-");
        else buf_byte(out, (char)toupper((unsigned char)*text));
    }
}

/* What is typed as it stands is bold, what stands for something else is in italics. */
static void add_styled(struct buf *out, const char *text)
{
    struct str rest = str_of(text), word;
    bool first = true;

    while (str_cut(&rest, ' ', &word)) {
        bool italic = word.size && (isupper((unsigned char)word.data[0]) || word.data[0] == '[');
        if (!first) buf_byte(out, ' ');
        buf_text(out, italic ? "\\fI" : "\\fB");
        add_escaped(out, word);
        buf_text(out, "\\fR");
        first = false;
    }
    buf_byte(out, '\n');
}

static void add_title(struct buf *out, const struct block *block)
{
    buf_text(out, ".\\\" Made from the tables of hone; do not edit.\n.TH ");
    add_upper(out, block->term);
    buf_text(out, " 1 \"" PAGES_DATE "\" \"hone " HONE_VERSION "\" \"hone\"\n.SH NAME\n");
    add_escaped(out, str_of(block->term));
    buf_text(out, " \\- ");
    add_escaped(out, str_of(block->text));
    buf_byte(out, '\n');
}

static void add_block(struct buf *out, const struct block *block, bool after_heading)
{
    switch (block->kind) {
    case BLOCK_TITLE:
        add_title(out, block);
        break;
    case BLOCK_USAGE:
        buf_text(out, ".SH SYNOPSIS\n");
        add_styled(out, block->text);
        break;
    case BLOCK_HEADING:
        buf_text(out, ".SH ");
        add_upper(out, block->text);
        buf_byte(out, '\n');
        break;
    case BLOCK_TEXT:
        if (!after_heading) buf_text(out, ".PP\n");
        add_text(out, block->text);
        break;
    case BLOCK_TERM:
        buf_text(out, ".TP\n");
        add_styled(out, block->term);
        add_text(out, block->text);
        break;
    case BLOCK_CODE:
        buf_text(out, after_heading ? ".nf\n" : ".PP\n.nf\n");
        add_escaped(out, str_of(block->text));
        buf_text(out, "\n.fi\n");
        break;
    case BLOCK_SEE:
        buf_text(out, ".SH SEE ALSO\n");
        add_text(out, block->text);
        break;
    case BLOCK_COUNT:
        break;
    }
}

void page_man(const struct page *page, struct buf *out)
{
    for (uint32_t i = 0; i < page->count; i++) {
        add_block(out, &page->blocks[i], i > 0 && page->blocks[i - 1].kind == BLOCK_HEADING);
    }
}
