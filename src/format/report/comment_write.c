/* SPDX-License-Identifier: Apache-2.0
 *
 * comment_write.c - the texts of a run on a pull request.
 *
 *     <!-- hone:comment review -->
 *     ### hone: 2 open (1 high, 1 medium), 1 fixed
 *
 *     findings remain: nothing was fixed, as you asked.
 *
 *     | severity | where | finding | rule |          the gravest first; those behind ROWS_SHOWN
 *     ...                                             are folded
 *     Resolved                                        folded
 *     run 7k2m of review, hone 0.1.0
 *     <!-- hone:findings {...} -->                    comment_memory.c
 *
 * 1. The first line that is shown says how the run stands. It is said to be clean only where that
 *    is its end: a run that failed, still runs or has not seen every file never looks clean.
 * 2. All texts of agents, and all names, go through format/report/markdown.h.
 * 3. The marks that a page does not show stand in the first line and in the last: a text of an
 *    agent stands in neither.
 * 4. All of it is at most what the service takes; whole rows are left out, and it says how many. */
#include "format/report/comment.h"

#include "base/byte.h"
#include "format/json/finding_json.h"
#include "format/report/markdown.h"
#include "format/report/uri.h"
#include "format/text/words.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    ROWS_SHOWN = 20, ROWS_MAX = 1000, NOTE_BYTES = 300, PIECE_BYTES_MAX = 64 * 1024,
    COVERAGE_LINES_MAX = 40, RESOLVED_BYTES_MAX = 12000,
};

/* In bytes, a little below what they take: GitHub 65,536 characters, GitLab 1,000,000. */
static const size_t body_bytes_max[COMMENT_SERVICE_COUNT] = {
    [COMMENT_GITHUB] = 60000,
    [COMMENT_GITLAB] = 900000,
};

static const char comment_mark[] = "<!-- hone:comment ", inline_mark[] = "<!-- hone:finding ";
static const char mark_end[] = " -->", mark_resolved[] = " resolved";

/* ---- marks ---- */

bool comment_key_fits(struct str key)
{
    for (size_t i = 0; i < key.size; i++) {
        if (!byte_is_alnum(key.data[i]) && !str_has(STR("._-"), key.data[i])) return false;
        if (i > 0 && key.data[i] == '-' && key.data[i - 1] == '-') return false; /* ends a mark */
    }
    return key.size > 0 && key.size <= COMMENT_KEY_BYTES_MAX;
}

/* What stands between the mark of this key and its end; false: the line is no such mark. */
static bool mark_read(struct str line, const char *mark, const char *key, struct str *out)
{
    line = str_trim(line);
    if (!str_starts(line, str_of(mark)) || !str_ends(line, str_of(mark_end))) return false;
    line = str_skip(line, str_of(mark).size);
    line.size -= sizeof mark_end - 1;
    if (!str_starts(line, str_of(key))) return false;
    *out = str_skip(line, str_of(key).size);
    return out->size == 0 || out->data[0] == ' ';
}

bool comment_is(struct str body, const char *key)
{
    struct str line, rest;

    body = str_trim(body);
    return str_cut(&body, '\n', &line) && mark_read(line, comment_mark, key, &rest) &&
           rest.size == 0;
}

bool comment_is_inline(struct str body, const char *key, struct str *id, bool *resolved)
{
    struct str rest;

    if (!mark_read(str_last_line(body), inline_mark, key, &rest)) return false;
    *resolved = str_ends(rest, str_of(mark_resolved));
    if (*resolved) rest.size -= sizeof mark_resolved - 1;
    *id = str_trim(rest);
    return id->size > 0 && !str_has(*id, ' ');
}

static void add_inline_mark(struct buf *out, const char *key, struct str id, bool resolved)
{
    buf_printf(out, "\n%s%s %.*s%s%s\n", inline_mark, key, STR_ARG(id),
               resolved ? mark_resolved : "", mark_end);
}

/* ---- pieces ---- */

/* "`a.c:3`", as a link to the line where the address of the files is known. */
static void add_where(struct buf *out, const struct comment_about *about, struct str file,
                      uint32_t line)
{
    struct buf name, address;

    if (file.size == 0) return;
    buf_init(&name, PIECE_BYTES_MAX);
    buf_init(&address, PIECE_BYTES_MAX);
    buf_add(&name, file);
    if (line > 0) buf_printf(&name, ":%" PRIu32, line);
    if (about->files && uri_below(&address, file) && !address.overflow) {
        buf_byte(out, '[');
        markdown_code(out, buf_str(&name), true);
        buf_printf(out, "](%s%s", about->files, buf_cstr(&address));
        if (line > 0) buf_printf(out, "#L%" PRIu32, line);
        buf_byte(out, ')');
    } else {
        markdown_code(out, buf_str(&name), true);
    }
    buf_release(&address);
    buf_release(&name);
}

static void add_rule(struct buf *out, const struct listing *listing,
                     const struct ledger_entry *entry)
{
    struct buf rule;

    buf_init(&rule, PIECE_BYTES_MAX);
    listing_rule_say(listing, entry, &rule);
    markdown_code(out, buf_str(&rule), true);
    buf_release(&rule);
}

static struct str said_by(const struct finding *finding)
{
    if (str_trim(finding->text).size > 0) return finding->text;
    return finding->kind.size > 0 ? finding->kind : STR("(no text)");
}

static void add_row(struct buf *out, const struct comment_about *about,
                    const struct ledger_entry *entry)
{
    const struct finding *finding = &entry->finding;

    buf_printf(out, "| %s | ", severity_word(finding->severity));
    add_where(out, about, finding->file, finding->line);
    buf_text(out, " | ");
    markdown_text(out, said_by(finding));
    buf_text(out, " | ");
    add_rule(out, about->listing, entry);
    buf_text(out, " |\n");
}

/* ---- the head ---- */

static void add_heading(struct buf *out, const struct comment_about *about)
{
    struct listing_counts counts = listing_count(about->listing);
    uint32_t unlooked = coverage_unlooked(&about->listing->coverage);

    buf_text(out, "### hone: ");
    if (about->conclusive && counts.open_count > 0) {
        listing_say(about->listing, out);
    } else {
        markdown_text(out, str_of(about->end));
        if (counts.open_count > 0) {
            buf_text(out, "; so far ");
            listing_say(about->listing, out);
        } else if (!about->clean) {
            buf_text(out, "; nothing is open in what was judged");
        }
    }
    if (unlooked > 0) {
        buf_printf(out, "; %" PRIu32 " file%s not looked at", unlooked,
                   unlooked == 1 ? " was" : "s were");
    }
    buf_byte(out, '\n');
}

/* What was not looked at, and what is not listed: a list with the names in it. */
static void add_coverage(struct buf *out, const struct coverage *coverage)
{
    struct buf said;
    struct str rest, line;
    uint32_t lines = 0;

    buf_init(&said, COMMENT_BODY_BYTES_MAX);
    coverage_say(coverage, &said);
    rest = buf_str(&said);
    if (rest.size > 0) buf_byte(out, '\n');
    while (str_cut(&rest, '\n', &line) && lines++ < COVERAGE_LINES_MAX) {
        buf_text(out, str_starts(line, STR(" ")) ? "  - " : "- ");
        markdown_text(out, line);
        buf_byte(out, '\n');
    }
    if (rest.size > 0) buf_text(out, "- and more\n");
    buf_release(&said);
}

static void add_head(struct buf *out, const struct comment_about *about)
{
    struct listing_counts counts = listing_count(about->listing);

    buf_printf(out, "%s%s%s\n", comment_mark, about->key, mark_end);
    add_heading(out, about);
    if (about->conclusive && counts.open_count > 0) {
        buf_byte(out, '\n');
        markdown_text(out, str_of(about->end));
        buf_text(out, ".\n");
    }
    if (about->notice) {
        buf_byte(out, '\n');
        markdown_text(out, str_of(about->notice));
        buf_byte(out, '\n');
    }
    add_coverage(out, &about->listing->coverage);
}

/* ---- the tail ---- */

static void add_memory(struct buf *out, const struct comment_about *about,
                       const struct comment_memory *memory)
{
    buf_text(out, "- ");
    if (memory->resolved.size > 0) buf_text(out, "~~");
    markdown_text(out, memory->text.size > 0 ? memory->text : STR("(no text)"));
    if (memory->resolved.size > 0) buf_text(out, "~~");
    buf_byte(out, ' ');
    /* The line is that of an earlier version: no link. */
    add_where(out, &(struct comment_about){ .key = about->key }, memory->file, memory->line);
    if (memory->resolved.size > 0) {
        buf_text(out, ": ");
        markdown_text(out, memory->resolved);
    }
    buf_byte(out, '\n');
}

/* One of the two lists, folded; whole lines, as many as fit. */
static void add_memories(struct buf *out, const struct comment_about *about,
                         const struct comment_memories *memories, bool resolved)
{
    struct buf lines;
    uint32_t count = 0;

    buf_init(&lines, RESOLVED_BYTES_MAX);
    for (uint32_t i = 0; i < memories->count; i++) {
        const struct comment_memory *memory = &memories->items[i];
        struct buf line;

        if (resolved ? memory->resolved.size == 0 : !memory->unjudged) continue;
        count++;
        buf_init(&line, PIECE_BYTES_MAX);
        add_memory(&line, about, memory);
        (void)buf_add(&lines, buf_str(&line));
        buf_release(&line);
    }
    if (count > 0) {
        buf_printf(out, "\n<details><summary>%s (%" PRIu32 ")</summary>\n\n",
                   resolved ? "Resolved" : "Reported before, and not judged again", count);
        buf_add(out, buf_str(&lines));
        buf_text(out, "\n</details>\n");
    }
    buf_release(&lines);
}

static void add_tail(struct buf *out, const struct comment_about *about,
                     const struct comment_memories *memories)
{
    add_memories(out, about, memories, false);
    add_memories(out, about, memories, true);
    buf_text(out, "\n<sub>run ");
    markdown_code(out, str_of(about->listing->run), false);
    buf_text(out, " of ");
    markdown_code(out, str_of(about->dialect), false);
    buf_printf(out, ", hone %s</sub>\n\n", about->listing->version);
    comment_memories_write(memories, out);
}

/* ---- the one comment ---- */

static const char table_head[] = "\n| severity | where | finding | rule |\n|---|---|---|---|\n";

/* The open ones; how many there are, and in out those that fit. */
static void add_rows(struct buf *out, const struct comment_about *about, size_t bytes_max)
{
    const struct listing *listing = about->listing;
    uint32_t open = listing_count(listing).open_count, told = 0;
    struct buf row;

    buf_init(&row, PIECE_BYTES_MAX);
    for (uint32_t i = 0; i < listing->count && told < ROWS_MAX; i++) {
        if (!finding_is_open(listing->items[i]->state)) continue;
        buf_clear(&row);
        if (told == 0) buf_text(&row, table_head);
        if (told == ROWS_SHOWN) {
            buf_printf(&row, "\n<details><summary>%" PRIu32 " more</summary>\n%s",
                       open - told, table_head);
        }
        add_row(&row, about, listing->items[i]);
        if (row.overflow || out->size + row.size + NOTE_BYTES > bytes_max) break;
        buf_add(out, buf_str(&row));
        told++;
    }
    if (told > ROWS_SHOWN) buf_text(out, "\n</details>\n");
    if (told < open) {
        buf_printf(out, "\n%" PRIu32 " of %" PRIu32 " are not listed here: `hone findings %s` "
                   "shows all of them.\n", open - told, open, listing->run);
    }
    buf_release(&row);
}

void comment_write(const struct comment_about *about, const struct comment_memories *memories,
                   struct buf *out)
{
    struct buf body, tail;

    buf_init(&body, COMMENT_BODY_BYTES_MAX);
    buf_init(&tail, COMMENT_BODY_BYTES_MAX);
    add_head(&body, about);
    add_tail(&tail, about, memories);
    add_rows(&body, about, body_bytes_max[about->service] - tail.size);
    buf_add(out, buf_str(&body));
    buf_add(out, buf_str(&tail));
    buf_release(&tail);
    buf_release(&body);
}

/* ---- inline comments ---- */

/* GitHub takes the lines that the comment stands on; GitLab is told how many lie above. */
static void add_instead(struct buf *out, const struct comment_about *about,
                        const struct comment_item *item)
{
    buf_text(out, "\n```suggestion");
    if (about->service == COMMENT_GITLAB) {
        buf_printf(out, ":-%" PRIu32 "+0", item->place.line - item->place.start_line);
    }
    buf_byte(out, '\n');
    buf_add(out, item->instead);
    buf_text(out, item->instead.size > 0 ? "\n```\n" : "```\n");
}

/* What a reviewer says is to be done. What tools say beside a message is none of that. */
static bool is_advice(const struct finding *finding)
{
    struct str text = str_trim(finding->suggestion);
    bool address = !str_has(text, ' ') && str_has(text, '/');

    return text.size > 0 && !address && finding->tool.size == 0;
}

void comment_write_inline(const struct comment_about *about, const struct comment_item *item,
                          struct buf *out)
{
    const struct finding *finding = &item->entry->finding;

    buf_printf(out, "**%s**: ", severity_word(finding->severity));
    markdown_text(out, said_by(finding));
    buf_byte(out, ' ');
    add_rule(out, about->listing, item->entry);
    buf_byte(out, '\n');
    if (is_advice(finding)) {
        buf_text(out, "\nSuggestion: ");
        markdown_text(out, finding->suggestion);
        buf_byte(out, '\n');
    }
    if (item->has_instead) add_instead(out, about, item);
    add_inline_mark(out, about->key, str_of(item->id), false);
}

void comment_write_resolved(const struct comment_about *about, struct str id, struct str body,
                            struct str why, struct buf *out)
{
    struct str line;

    buf_text(out, "**Resolved**: ");
    markdown_text(out, why);
    buf_byte(out, '\n');
    body = str_trim(body);
    if (str_cut(&body, '\n', &line) && !str_starts(line, STR("<!--"))) {
        buf_text(out, "\n~~");
        buf_add(out, str_trim(line));
        buf_text(out, "~~\n");
    }
    add_inline_mark(out, about->key, id, true);
}
