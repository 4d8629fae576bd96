/* SPDX-License-Identifier: Apache-2.0
 *
 * markdown_write.c - a run as Markdown: for a comment on a pull request, and, longer, for the
 * summary of a step of GitHub's.
 *
 *   heading        the counts
 *   a warning      where the run has not said all it could
 *   who looked     in a summary
 *   not looked at  files, with the reason
 *   what is open   a table, in the order of the listing: worst first. The first ones are shown, the
 *                  others folded
 *   the rest       noted, waived and fixed: folded
 *
 * An agent wrote the findings, and the user puts them on a page (a pull request, a wiki): every
 * text goes through format/report/markdown.h. hone's own links are to files of the repository: at
 * the commit that was looked at, where its service is known and the work tree did not differ; else
 * by their path from its top, in a comment.
 *
 * 1. All of it is at most so many bytes; whole rows are left out, never parts of one, and what is
 *    folded is closed. How many were left out is said. */
#include "format/report/listing.h"

#include "base/byte.h"
#include "format/json/finding_json.h"
#include "format/report/markdown.h"
#include "format/report/uri.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROW_BYTES_MAX = 32 * 1024, NOTE_BYTES = 600 };

/* What is different in a comment and in a summary. */
struct sheet {
    size_t bytes_max;
    uint32_t shown_max; /* open findings that are not folded */
    bool summary;
};

/* One writing. */
struct page {
    const struct listing *listing;
    const struct sheet *sheet;
    struct buf *out;
    size_t begin;     /* of it, in out */
    struct buf links; /* what stands before a path in links; empty: paths are links themselves */
    bool linked;      /* there are links */
    uint32_t left;    /* rows that did not fit */
};

/* ---- links ---- */

/* Where the service shows a file of the commit: the two whose pages are known by their names. */
static void find_links(struct page *page)
{
    const struct listing_source *source = &page->listing->source;
    struct str address = str_of(source->repository), host;

    page->linked = !page->sheet->summary;
    if (address.size == 0 || !source->revision || source->changed) return;
    if (!str_starts(address, STR("https://"))) return;
    if (str_ends(address, STR(".git"))) address.size -= 4;
    host = str_skip(address, 8);
    (void)str_cut(&(struct str){ host.data, host.size }, '/', &host);
    if (str_is(host, "github.com") || str_starts(host, STR("github."))) {
        buf_printf(&page->links, "%.*s/blob/%s/", STR_ARG(address), source->revision);
    } else if (str_is(host, "gitlab.com") || str_starts(host, STR("gitlab."))) {
        buf_printf(&page->links, "%.*s/-/blob/%s/", STR_ARG(address), source->revision);
    }
    for (size_t i = 0; i < page->links.size; i++) {
        if (!str_has(STR("-._~/:"), page->links.data[i]) && !byte_is_alnum(page->links.data[i])) {
            buf_clear(&page->links);
        }
    }
    page->linked = page->linked || page->links.size > 0;
}

/* "`src/a.c:3`", as a link where the file is one of the repository. */
static void add_place(const struct page *page, const struct finding *finding, struct buf *out)
{
    struct buf name, address;
    bool below;

    buf_init(&name, ROW_BYTES_MAX);
    buf_init(&address, ROW_BYTES_MAX);
    below = listing_path(page->listing, finding->file, &name);
    if (below) {
        (void)uri_below(&address, buf_str(&name));
    } else {
        buf_clear(&name);
        buf_add(&name, finding->file);
    }
    if (finding->line > 0 && name.size > 0) buf_printf(&name, ":%" PRIu32, finding->line);
    below = below && page->linked && !address.overflow;
    if (below) buf_byte(out, '[');
    markdown_code(out, buf_str(&name), true);
    if (below) buf_printf(out, "](%s%s", buf_cstr(&page->links), buf_cstr(&address));
    if (below && finding->line > 0) buf_printf(out, "#L%" PRIu32, finding->line);
    if (below) buf_byte(out, ')');
    buf_release(&name);
    buf_release(&address);
}

/* ---- rows ---- */

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

static void add_row(const struct page *page, const struct ledger_entry *entry, struct buf *out)
{
    const struct listing *listing = page->listing;
    const struct finding *finding = &entry->finding;
    struct buf rule;

    buf_printf(out, "| %s | ", severity_word(finding->severity));
    add_place(page, finding, out);
    buf_text(out, " | ");
    buf_init(&rule, SIZE_MAX / 4);
    listing_rule_say(listing, entry, &rule);
    markdown_code(out, buf_str(&rule), true);
    buf_release(&rule);
    buf_text(out, " | ");
    markdown_text(out, listing_text(entry));
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

static const char table_head[] = "\n| severity | place | rule | finding | rounds | state |\n"
                                 "|---|---|---|---|---|---|\n";
static const char folded_end[] = "\n</details>\n";

static bool fits(const struct page *page, size_t bytes)
{
    return page->out->size - page->begin + bytes + NOTE_BYTES <= page->sheet->bytes_max;
}

/* The next of the items from `at` on whose being open is as wanted; count where there is none. */
static uint32_t next_item(const struct page *page, uint32_t at, bool open)
{
    const struct listing *listing = page->listing;

    while (at < listing->count && finding_is_open(listing->items[at]->state) != open) at++;
    return at;
}

/* At most `most` rows from `at` on, in a table of their own; the item behind the last of them. What
 * does not fit is left out, with all behind it. */
static uint32_t add_table(struct page *page, uint32_t at, bool open, uint32_t most)
{
    struct buf row;

    buf_init(&row, ROW_BYTES_MAX);
    buf_text(page->out, table_head);
    for (; most > 0 && at < page->listing->count; most--, at = next_item(page, at + 1, open)) {
        buf_clear(&row);
        add_row(page, page->listing->items[at], &row);
        if (row.overflow || page->left > 0 || !fits(page, row.size)) page->left++;
        else buf_add(page->out, buf_str(&row));
    }
    buf_release(&row);
    return at;
}

static void add_folded(struct page *page, uint32_t at, bool open, uint32_t count,
                       const char *title)
{
    if (count == 0) return;
    if (page->left > 0 || !fits(page, 1000)) { /* no empty fold */
        page->left += count;
        return;
    }
    buf_printf(page->out, "\n<details>\n<summary>%s</summary>\n", title);
    (void)add_table(page, at, open, count);
    buf_text(page->out, folded_end);
}

static void add_findings(struct page *page)
{
    struct listing_counts counts = listing_count(page->listing);
    uint32_t closed = counts.total - counts.open_count, at = next_item(page, 0, true);
    struct buf title;

    buf_init(&title, ROW_BYTES_MAX);
    if (counts.open_count > 0) {
        uint32_t most = page->sheet->shown_max;
        uint32_t shown = counts.open_count < most ? counts.open_count : most;

        at = add_table(page, at, true, shown);
        buf_printf(&title, "%" PRIu32 " more that are open", counts.open_count - shown);
        add_folded(page, at, true, counts.open_count - shown, buf_cstr(&title));
    }
    buf_clear(&title);
    buf_printf(&title, "%" PRIu32 " noted, %" PRIu32 " waived, %" PRIu32 " fixed",
               counts.states[FINDING_NOTED], counts.states[FINDING_WAIVED],
               counts.states[FINDING_FIXED]);
    add_folded(page, next_item(page, 0, false), false, closed, buf_cstr(&title));
    buf_release(&title);
    if (page->left == 0) return;
    buf_printf(page->out, "\nand %" PRIu32 " more: `hone findings %s` shows all of them.\n",
               page->left, page->listing->run);
}

/* ---- the run ---- */

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

static void add_warning(struct buf *out, const struct listing *listing)
{
    struct buf said;

    if (!listing->unfinished) return;
    buf_init(&said, ROW_BYTES_MAX);
    listing_end_say(listing, &said);
    buf_text(out, "\n> **Not everything was reviewed.** ");
    markdown_text(out, buf_str(&said));
    buf_byte(out, '\n');
    buf_release(&said);
}

static void add_look(struct buf *out, const struct listing_look *look)
{
    struct buf said;

    buf_init(&said, ROW_BYTES_MAX);
    buf_text(out, "| ");
    markdown_code(out, str_of(look->role), true);
    buf_text(out, " | ");
    markdown_text(out, str_of(look->phase));
    buf_text(out, " | ");
    markdown_text(out, str_of(look->by));
    buf_printf(out, " | %" PRIu32 " | ", look->looks);
    if (!look_problem_say(look, &said)) {
        buf_text(&said, verdict_word(look->verdict));
        if (look->verdict == VERDICT_FINDINGS) {
            buf_printf(&said, " (%" PRIu32 ")", look->finding_count);
        }
    }
    markdown_text(out, buf_str(&said));
    buf_text(out, " |\n");
    buf_release(&said);
}

static void add_looks(struct page *page)
{
    const struct listing *listing = page->listing;
    uint32_t at = 0;
    struct buf row;

    if (!page->sheet->summary || listing->look_count == 0) return;
    buf_init(&row, ROW_BYTES_MAX);
    buf_text(page->out, "\n| reviewer | phase | backend | asked | last answer |\n"
                        "|---|---|---|---|---|\n");
    for (; at < listing->look_count; at++) {
        buf_clear(&row);
        add_look(&row, &listing->looks[at]);
        if (!fits(page, row.size)) break;
        buf_add(page->out, buf_str(&row));
    }
    if (at < listing->look_count) {
        buf_printf(page->out, "\nand %" PRIu32 " more.\n", listing->look_count - at);
    }
    buf_release(&row);
}

static void write_page(const struct listing *listing, const struct sheet *sheet, struct buf *out)
{
    struct page page = { .listing = listing, .sheet = sheet, .out = out, .begin = out->size };

    buf_init(&page.links, ROW_BYTES_MAX);
    find_links(&page);
    buf_text(out, "### hone: ");
    if (listing->count > 0) listing_say(listing, out);
    else buf_text(out, listing_is_whole(listing) ? "no findings" : "no findings so far");
    buf_byte(out, '\n');
    add_warning(out, listing);
    if (sheet->summary && listing->end) {
        buf_printf(out, "\nRun `%s`: %s.\n", listing->run, listing->end);
    }
    add_looks(&page);
    add_coverage(out, &listing->coverage);
    add_findings(&page);
    buf_release(&page.links);
}

void markdown_write(const struct listing *listing, struct buf *out)
{
    write_page(listing, &(struct sheet){ .bytes_max = MARKDOWN_BYTES_MAX, .shown_max = 25 }, out);
}

void summary_write(const struct listing *listing, struct buf *out)
{
    write_page(listing, &(struct sheet){ .bytes_max = SUMMARY_BYTES_MAX, .shown_max = 100,
                                         .summary = true }, out);
}
