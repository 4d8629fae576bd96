/* SPDX-License-Identifier: Apache-2.0
 *
 * markdown_write.c - findings as Markdown: a heading with the counts, and a table for each file.
 *
 * An agent wrote the findings, and the user puts them on a page (a pull request, a wiki). So:
 *
 * 1. No text opens anything: markup is escaped, a row stays one row, controls and marks that
 *    cannot be seen are shown (safe_text).
 * 2. No text notifies a person or links to anything: "@name" and "#12" are cut by a character of no
 *    width, and addresses are not recognised as such.
 * 3. Paths and rules stand in code spans, with fences longer than any within. hone's own links
 *    are to files of the repository, by their path from its top and #L of the line.
 * 4. All of it is at most MARKDOWN_BYTES_MAX; whole rows are left out, never parts of one. */
#include "format/report/listing.h"

#include "base/byte.h"
#include "format/json/finding_json.h"
#include "format/report/uri.h"
#include "format/text/safe.h"
#include "format/text/words.h"

#include <inttypes.h>
#include <stdio.h>

enum { TEXT_SHOWN_MAX = 1000, NAME_SHOWN_MAX = 200, ROW_BYTES_MAX = 32 * 1024, NOTE_BYTES = 200 };

static bool is_word(char byte)
{
    char lower = (char)(byte | 32);

    return byte_is_digit(byte) || byte_is_small(lower);
}

/* The first byte of rest, which is harmless already, as Markdown. Returns how many were taken. */
static size_t add_escaped(struct buf *out, struct str rest)
{
    char byte = rest.data[0];
    char next = rest.size > 1 ? rest.data[1] : '\0';

    if (byte == '&') {
        buf_text(out, "&amp;");
    } else if (byte == '<') {
        buf_text(out, "&lt;");
    } else if (byte == '>') {
        buf_text(out, "&gt;");
    } else if (byte == '@' && is_word(next)) {
        buf_text(out, "@&#8203;");
    } else if (byte == '#' && byte_is_digit(next)) {
        buf_text(out, "\\#&#8203;");
    } else if (str_starts(rest, STR("://"))) {
        buf_text(out, "&#58;");
    } else if (starts_with_word(rest, "www.")) {
        buf_add(out, (struct str){ rest.data, 3 });
        buf_text(out, "&#46;");
        return 4;
    } else {
        if (str_has(STR("\\`*_[]|~$#!"), byte)) buf_byte(out, '\\');
        buf_byte(out, byte);
    }
    return 1;
}

static void add_text(struct buf *out, struct str text)
{
    struct buf safe;
    struct str rest;

    buf_init(&safe, ROW_BYTES_MAX);
    safe_text(&safe, text, true, TEXT_SHOWN_MAX);
    rest = str_trim(buf_str(&safe));
    while (rest.size > 0) rest = str_skip(rest, add_escaped(out, rest));
    buf_release(&safe);
}

static size_t longest_fence(struct str text)
{
    size_t longest = 0, run = 0;

    for (size_t i = 0; i < text.size; i++) {
        run = text.data[i] == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

/* A "|" ends a cell even in code; a "\|" there is shown as "|". */
static void add_code(struct buf *out, struct str text, bool in_table)
{
    struct buf safe;
    struct str code;
    size_t fence;

    if (text.size == 0) return;
    buf_init(&safe, ROW_BYTES_MAX);
    safe_text(&safe, text, true, NAME_SHOWN_MAX);
    code = buf_str(&safe);
    fence = longest_fence(code) + 1;
    for (size_t i = 0; i < fence; i++) buf_byte(out, '`');
    if (fence > 1) buf_byte(out, ' ');
    for (size_t i = 0; i < code.size; i++) {
        if (in_table && code.data[i] == '|') buf_byte(out, '\\');
        buf_byte(out, code.data[i]);
    }
    if (fence > 1) buf_byte(out, ' ');
    for (size_t i = 0; i < fence; i++) buf_byte(out, '`');
    buf_release(&safe);
}

/* The address of a file of the repository, from its top: a page on a pull request, and one in the
 * repository, resolve it there. */
static bool add_address(struct buf *out, struct str file, uint32_t line)
{
    struct buf address;
    bool below;

    buf_init(&address, ROW_BYTES_MAX);
    below = uri_below(&address, file) && !address.overflow;
    if (below) buf_printf(out, "](%s", buf_cstr(&address));
    if (below && line > 0) buf_printf(out, "#L%" PRIu32, line);
    if (below) buf_byte(out, ')');
    buf_release(&address);
    return below;
}

/* A link where the file is one of the repository; else no more than the text. */
static void add_link(struct buf *out, struct str file, uint32_t line, struct str text)
{
    struct buf address;

    buf_init(&address, ROW_BYTES_MAX);
    if (add_address(&address, file, line)) {
        buf_byte(out, '[');
        buf_add(out, text);
        buf_add(out, buf_str(&address));
    } else {
        buf_add(out, text);
    }
    buf_release(&address);
}

static void add_heading(struct buf *out, struct str file)
{
    struct buf name;

    buf_text(out, "\n#### ");
    buf_init(&name, ROW_BYTES_MAX);
    if (file.size > 0) add_code(&name, file, false);
    else buf_text(&name, "About no file");
    add_link(out, file, 0, buf_str(&name));
    buf_release(&name);
    buf_text(out, "\n\n| severity | line | rule | finding | rounds | state |\n"
                  "|---|---|---|---|---|---|\n");
}

/* What a reviewer quoted, where it is one line: the line of the source. */
static void add_source(struct buf *out, const struct finding *finding)
{
    struct str evidence = str_trim(finding->evidence);

    if (evidence.size == 0 || str_has(evidence, '\n')) return;
    buf_text(out, "<br>");
    add_code(out, evidence, true);
}

/* What a reviewer says is to be done. What tools say beside a message is none of that: the steps of
 * an analyzer's path, the address of a page about the rule. */
static bool is_advice(const struct ledger_entry *entry)
{
    struct str text = str_trim(entry->finding.suggestion);
    bool address = !str_has(text, ' ') && str_has(text, '/');

    return text.size > 0 && !address && entry->finding.tool.size == 0;
}

static void add_row(struct buf *out, const struct listing *listing,
                    const struct ledger_entry *entry)
{
    const struct finding *finding = &entry->finding;
    struct buf rule;

    buf_printf(out, "| %s | ", severity_word(finding->severity));
    if (finding->line > 0) {
        char number[16];

        snprintf(number, sizeof number, "%" PRIu32, finding->line);
        add_link(out, finding->file, finding->line, str_of(number));
    }
    buf_text(out, " | ");
    buf_init(&rule, SIZE_MAX / 4);
    listing_rule_say(listing, entry, &rule);
    add_code(out, buf_str(&rule), true);
    buf_release(&rule);
    buf_text(out, " | ");
    add_text(out, finding->text);
    add_source(out, finding);
    if (is_advice(entry)) {
        buf_text(out, "<br>Suggestion: ");
        add_text(out, finding->suggestion);
    }
    buf_printf(out, " | %" PRIu32, entry->round_first);
    if (entry->round_last != entry->round_first) buf_printf(out, "-%" PRIu32, entry->round_last);
    buf_printf(out, " | %s", finding_state_word(entry->state));
    if (entry->state == FINDING_WAIVED && listing_reason(listing, entry).size > 0) {
        buf_text(out, ": ");
        add_text(out, listing_reason(listing, entry));
    }
    buf_text(out, " |\n");
}

static bool is_new_file(const struct listing *listing, uint32_t at)
{
    return at == 0 ||
           !str_eq(listing->items[at]->finding.file, listing->items[at - 1]->finding.file);
}

/* What was not looked at, and what is not listed: a list with the names in it. */
static void add_coverage(struct buf *out, const struct coverage *coverage)
{
    struct buf said;
    struct str rest, line;

    buf_init(&said, ROW_BYTES_MAX);
    coverage_say(coverage, &said);
    rest = buf_str(&said);
    if (rest.size > 0) buf_byte(out, '\n');
    while (str_cut(&rest, '\n', &line)) {
        buf_text(out, str_starts(line, STR(" ")) ? "  - " : "- ");
        add_text(out, line);
        buf_byte(out, '\n');
    }
    buf_release(&said);
}

void markdown_write(const struct listing *listing, struct buf *out)
{
    size_t begin = out->size;
    struct buf piece;
    uint32_t at = 0;

    buf_init(&piece, ROW_BYTES_MAX);
    buf_text(out, "### hone: ");
    if (listing->count == 0) buf_text(out, "no findings");
    else listing_say(listing, out);
    buf_byte(out, '\n');
    add_coverage(out, &listing->coverage);
    for (; at < listing->count; at++) {
        buf_clear(&piece);
        if (is_new_file(listing, at)) add_heading(&piece, listing->items[at]->finding.file);
        add_row(&piece, listing, listing->items[at]);
        if (out->size - begin + piece.size + NOTE_BYTES > MARKDOWN_BYTES_MAX) break;
        buf_add(out, buf_str(&piece));
    }
    if (at < listing->count) {
        buf_printf(out, "\nand %" PRIu32 " more: `hone findings %s` shows all of them.\n",
                   listing->count - at, listing->run);
    }
    buf_release(&piece);
}
