/* SPDX-License-Identifier: Apache-2.0
 *
 * found.c - findings for a person who reads:
 *
 *     src/sum.c
 *       12:5  high    format '%d' expects an int, but this is a long [-Wformat, gcc; rounds 1-2]
 *                  12 |     printf("%d", total);
 *       40    low     the loop is never left ... which goes on in the next line where it does not
 *                     fit [critic; round 1; fixed]
 *
 * 1. Words are broken into lines, never cut. The line of the source alone is cut: it stands for
 *    where to look.
 * 2. The line of the source is that of the work tree now. A reviewer's evidence follows where that
 *    line does not hold it: it is prose, or the file has changed since the review.
 * 3. Nothing is read through a link or outside the workspace; of a lane's findings no line is
 *    shown, since they are about another work tree. */
#include "report/found.h"

#include "format/json/finding_json.h"
#include "format/report/uri.h"
#include "format/text/safe.h"
#include "format/text/width.h"
#include "io/file/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { INDENT = 2, GAP = 2, SEVERITY_COLUMNS = 6, PLACE_COLUMNS_MAX = 12, PLACE_BYTES = 32,
       TEXT_SHOWN_MAX = 4000, NAME_SHOWN_MAX = 400, LINE_BYTES_MAX = 64 * 1024,
       FILE_BYTES_MAX = 16 << 20 };

static const char *const colors[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "\033[36m",
    [SEVERITY_MEDIUM] = "\033[33m",
    [SEVERITY_HIGH] = "\033[1;31m",
};

static const char dim[] = "\033[2m", bold[] = "\033[1m", plain[] = "\033[0m";

/* One page at work. */
struct writer {
    const struct found_page *page;
    struct buf *out;
    uint32_t place;     /* columns of the place */
    struct str file;    /* whose content is held */
    struct buf content; /* empty: it cannot be read */
};

static void put_style(const struct writer *writer, const char *style)
{
    if (writer->page->color && style) buf_text(writer->out, style);
}

static void wrap_to(const struct writer *writer, struct str text, uint32_t at, uint32_t indent)
{
    wrap_text(writer->out, text, &(struct wrap){ .at = at, .indent = indent,
                                                 .columns_max = writer->page->columns });
}

/* ---- places ---- */

/* "12:5", "12", or "-". */
static const char *place_text(const struct finding *finding, char out[PLACE_BYTES])
{
    if (finding->line == 0) snprintf(out, PLACE_BYTES, "-");
    else if (finding->column == 0) snprintf(out, PLACE_BYTES, "%" PRIu32, finding->line);
    else snprintf(out, PLACE_BYTES, "%" PRIu32 ":%" PRIu32, finding->line, finding->column);
    return out;
}

static uint32_t place_columns(const struct listing *listing)
{
    uint32_t columns = 0;
    char text[PLACE_BYTES];

    for (uint32_t i = 0; i < listing->count; i++) {
        uint32_t one = (uint32_t)strlen(place_text(&listing->items[i]->finding, text));
        if (one > columns) columns = one;
    }
    return columns < PLACE_COLUMNS_MAX ? columns : PLACE_COLUMNS_MAX;
}

static bool open_link(const struct writer *writer, struct str file)
{
    struct buf address;
    bool below;

    if (!writer->page->links) return false;
    buf_init(&address, LINE_BYTES_MAX);
    below = uri_below(&address, file) && !address.overflow;
    if (below) {
        buf_printf(writer->out, "\033]8;;%s%s\033\\", writer->page->links, buf_cstr(&address));
    }
    buf_release(&address);
    return below;
}

/* The file's name, broken where it does not fit; and what stands behind it. */
static void put_file(const struct writer *writer, struct str file, const char *behind,
                     uint32_t indent)
{
    bool linked = open_link(writer, file);
    struct buf name;

    buf_init(&name, LINE_BYTES_MAX);
    if (file.size > 0) safe_text(&name, file, true, NAME_SHOWN_MAX);
    else buf_text(&name, "about no file");
    buf_text(&name, behind);
    put_style(writer, bold);
    wrap_to(writer, buf_str(&name), indent, indent);
    put_style(writer, plain);
    if (linked) buf_text(writer->out, "\033]8;;\033\\");
    buf_byte(writer->out, '\n');
    buf_release(&name);
}

/* ---- the line of the source ---- */

static struct str source_line(struct writer *writer, const struct ledger_entry *entry)
{
    const struct finding *finding = &entry->finding;
    struct str rest, line = { "", 0 };
    char path[4096];
    struct err none;

    if (!writer->page->workspace || entry->lane > 0 || entry->state == FINDING_FIXED) return line;
    if (finding->line == 0 || finding->file.size == 0 || finding->file.size >= sizeof path) {
        return line;
    }
    if (!str_eq(writer->file, finding->file)) {
        memcpy(path, finding->file.data, finding->file.size);
        path[finding->file.size] = '\0';
        buf_clear(&writer->content);
        if (file_read_in(writer->page->workspace, path, &writer->content, &none) != 0) {
            buf_clear(&writer->content);
        }
        writer->file = finding->file;
    }
    rest = buf_str(&writer->content);
    for (uint32_t i = 0; i < finding->line; i++) {
        if (!str_cut(&rest, '\n', &line)) return (struct str){ "", 0 };
    }
    return line;
}

static bool holds(struct str text, struct str part)
{
    return part.size == 0 || (text.size >= part.size &&
                              memmem(text.data, text.size, part.data, part.size) != NULL);
}

/* A line below the words, from where they begin: cut, or broken. */
static void put_below(const struct writer *writer, const char *mark, struct str text, uint32_t at,
                      bool cut)
{
    uint32_t columns = writer->page->columns, taken = at + width_of(str_of(mark));
    struct buf line;
    struct str shown;

    buf_init(&line, LINE_BYTES_MAX);
    safe_text(&line, text, true, TEXT_SHOWN_MAX);
    buf_printf(writer->out, "%*s", (int)at, "");
    put_style(writer, dim);
    buf_text(writer->out, mark);
    shown = buf_str(&line);
    if (cut) {
        if (columns > taken) shown = width_cut(shown, columns - taken);
        buf_add(writer->out, shown);
    } else {
        wrap_to(writer, shown, taken, at);
    }
    put_style(writer, plain);
    buf_byte(writer->out, '\n');
    buf_release(&line);
}

static void put_source(struct writer *writer, const struct ledger_entry *entry, uint32_t at)
{
    struct str line = source_line(writer, entry), evidence = str_trim(entry->finding.evidence);
    char mark[PLACE_BYTES];

    if (entry->state == FINDING_FIXED) return;
    if (str_trim(line).size > 0) {
        snprintf(mark, sizeof mark, "%" PRIu32 " | ", entry->finding.line);
        put_below(writer, mark, line, at, true);
    }
    if (evidence.size > 0 && !holds(line, evidence)) {
        put_below(writer, "evidence: ", evidence, at, false);
    }
}

/* ---- a finding ---- */

/* What was said, and in brackets the rule and who said it, in which rounds, and what became of it.
 */
static void words_of(const struct writer *writer, const struct ledger_entry *entry, bool rounds,
                     struct buf *out)
{
    const struct finding *finding = &entry->finding;
    const char *role = listing_role(writer->page->listing, entry);
    char id[LISTING_ID_BYTES];
    struct buf rule;

    buf_init(&rule, SIZE_MAX / 4);
    listing_rule_say(writer->page->listing, entry, &rule);
    safe_text(out, str_trim(finding->text), true, TEXT_SHOWN_MAX);
    buf_text(out, out->size > 0 ? " [" : "[");
    safe_text(out, buf_str(&rule), true, NAME_SHOWN_MAX);
    if (finding->tool.size == 0 && finding->kind.size > 0 && !str_is(finding->kind, role)) {
        buf_printf(out, ", %s", role);
    }
    buf_release(&rule);
    if (rounds) {
        buf_printf(out, "; round%s %" PRIu32, entry->round_first == entry->round_last ? "" : "s",
                   entry->round_first);
        if (entry->round_last != entry->round_first) buf_printf(out, "-%" PRIu32,
                                                                entry->round_last);
    }
    if (!finding_is_open(entry->state)) buf_printf(out, "; %s", finding_state_word(entry->state));
    if (entry->state == FINDING_NOTED) {
        buf_text(out, entry->doubt == DOUBT_DECLINED ? ": the fixer gave a reason to leave it"
                                                     : ": too small to fail");
    }
    if (entry->doubt && finding_is_open(entry->state)) {
        buf_text(out, entry->doubt == DOUBT_DECLINED ? "; declined by the fixer" : "; unresolved");
    } else if (entry->doubt) {
        buf_text(out, "; nothing changed near it");
    }
    listing_more_say(writer->page->listing, entry, out);
    if (rounds) buf_printf(out, "; %s", listing_id(entry, false, id));
    buf_byte(out, ']');
}

static void put_finding(struct writer *writer, const struct ledger_entry *entry, uint32_t indent,
                        bool rounds)
{
    const struct finding *finding = &entry->finding;
    uint32_t at = indent + SEVERITY_COLUMNS + GAP;
    bool fixed = entry->state == FINDING_FIXED;
    struct buf words;

    put_style(writer, fixed ? dim : colors[finding->severity]);
    buf_printf(writer->out, "%-*s", SEVERITY_COLUMNS, severity_word(finding->severity));
    if (!fixed) put_style(writer, plain);
    buf_printf(writer->out, "%*s", GAP, "");
    buf_init(&words, LINE_BYTES_MAX);
    words_of(writer, entry, rounds, &words);
    wrap_to(writer, buf_str(&words), at, at);
    if (fixed) put_style(writer, plain);
    buf_byte(writer->out, '\n');
    buf_release(&words);
    put_source(writer, entry, at);
}

static struct writer writer_of(const struct found_page *page, struct buf *out)
{
    struct writer writer = { .page = page, .out = out, .place = place_columns(page->listing) };

    buf_init(&writer.content, FILE_BYTES_MAX);
    return writer;
}

static bool is_same_group(const struct ledger_entry *a, const struct ledger_entry *b)
{
    return (a->state == FINDING_FIXED) == (b->state == FINDING_FIXED) &&
           str_eq(a->finding.file, b->finding.file);
}

void found_groups(const struct found_page *page, struct buf *out)
{
    struct writer writer = writer_of(page, out);
    const struct listing *listing = page->listing;

    for (uint32_t i = 0; i < listing->count; i++) {
        const struct ledger_entry *entry = listing->items[i];
        char place[PLACE_BYTES];

        if (i == 0 || !is_same_group(listing->items[i - 1], entry)) {
            if (i > 0) buf_byte(out, '\n');
            put_file(&writer, entry->finding.file,
                     entry->state == FINDING_FIXED ? " (fixed)" : "", 0);
        }
        buf_printf(out, "%*s%-*.*s%*s", INDENT, "", (int)writer.place, (int)writer.place,
                   place_text(&entry->finding, place), GAP, "");
        put_finding(&writer, entry, INDENT + writer.place + GAP, true);
    }
    buf_release(&writer.content);
}

void found_worst(const struct found_page *page, uint32_t count, struct buf *out)
{
    struct writer writer = writer_of(page, out);

    for (uint32_t i = 0; i < page->listing->count && i < count; i++) {
        const struct ledger_entry *entry = page->listing->items[i];
        char place[PLACE_BYTES + 1] = "";

        if (entry->finding.line > 0) {
            place[0] = ':';
            place_text(&entry->finding, place + 1);
        }
        buf_printf(out, "%*s", INDENT, "");
        put_file(&writer, entry->finding.file, place, INDENT);
        buf_printf(out, "%*s", 2 * INDENT, "");
        put_finding(&writer, entry, 2 * INDENT, false);
    }
    buf_release(&writer.content);
}
