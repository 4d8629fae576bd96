/* SPDX-License-Identifier: Apache-2.0
 *
 * markdown_write.c - findings as Markdown: a heading with the counts, and a table for each file.
 *
 * An agent wrote the findings, and the user puts them on a page (a pull request, a wiki): every
 * text goes through format/report/markdown.h. hone's own links are to files of the repository, by
 * their path from its top and #L of the line.
 *
 * All of it is at most MARKDOWN_BYTES_MAX; whole rows are left out, never parts of one. */
#include "format/report/listing.h"

#include "format/json/finding_json.h"
#include "format/report/markdown.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROW_BYTES_MAX = 32 * 1024, NOTE_BYTES = 200 };

static void add_heading(struct buf *out, struct str file)
{
    struct buf name;

    buf_text(out, "\n#### ");
    buf_init(&name, ROW_BYTES_MAX);
    if (file.size > 0) markdown_code(&name, file, false);
    else buf_text(&name, "About no file");
    markdown_link(out, file, 0, buf_str(&name));
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
    markdown_code(out, evidence, true);
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
        markdown_link(out, finding->file, finding->line, str_of(number));
    }
    buf_text(out, " | ");
    buf_init(&rule, SIZE_MAX / 4);
    listing_rule_say(listing, entry, &rule);
    markdown_code(out, buf_str(&rule), true);
    buf_release(&rule);
    buf_text(out, " | ");
    markdown_text(out, finding->text);
    add_source(out, finding);
    if (is_advice(entry)) {
        buf_text(out, "<br>Suggestion: ");
        markdown_text(out, finding->suggestion);
    }
    buf_printf(out, " | %" PRIu32, entry->round_first);
    if (entry->round_last != entry->round_first) buf_printf(out, "-%" PRIu32, entry->round_last);
    buf_printf(out, " | %s", finding_state_word(entry->state));
    if (entry->state == FINDING_WAIVED && listing_reason(listing, entry).size > 0) {
        buf_text(out, ": ");
        markdown_text(out, listing_reason(listing, entry));
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
        markdown_text(out, line);
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
