/* SPDX-License-Identifier: Apache-2.0
 *
 * github_write.c - findings as workflow commands of GitHub, which annotate lines of a pull request:
 *
 *     ::error file=src/a.c,line=3,col=5,endColumn=9,title=gcc/-Wformat::the words
 *
 * 1. Nothing that an agent or a file said is a command: each line begins with one of ours, and what
 *    would end a line, or a property, is escaped as GitHub's own toolkit does it. Controls and
 *    marks that cannot be seen are shown (safe.h).
 * 2. GitHub shows ANNOTATIONS_MAX of a kind and step, the first that come, and drops all others
 *    without a word: so no more are written, the worst first, and what was left out is a notice of
 *    its own, which has its place among them.
 * 3. A run that has not said all it could is the first error; files that were not looked at are one
 *    more. */
#include "format/report/listing.h"

#include "format/text/safe.h"

#include <inttypes.h>

enum { ANNOTATIONS_MAX = 10, TEXT_BYTES_MAX = 4000, TITLE_BYTES_MAX = 200, PATH_BYTES_MAX = 4096 };

enum kind { KIND_ERROR, KIND_WARNING, KIND_NOTICE, KIND_COUNT };

static const char *const kinds[KIND_COUNT] = {
    [KIND_ERROR] = "error", [KIND_WARNING] = "warning", [KIND_NOTICE] = "notice",
};

/* One writing. */
struct commands {
    const struct listing *listing;
    struct buf *out;
    uint32_t written[KIND_COUNT];
    uint32_t left; /* findings that have no place */
};

static enum kind entry_kind(const struct ledger_entry *entry)
{
    if (!finding_is_open(entry->state)) return KIND_NOTICE;
    switch (entry->finding.severity) {
    case SEVERITY_HIGH: return KIND_ERROR;
    case SEVERITY_MEDIUM: return KIND_WARNING;
    case SEVERITY_LOW:
    case SEVERITY_COUNT: break;
    }
    return KIND_NOTICE;
}

/* in_property: of a command, before the second "::". */
static void add_escaped(struct buf *out, struct str text, size_t bytes_max, bool in_property)
{
    struct buf safe;

    buf_init(&safe, SIZE_MAX / 4);
    safe_text(&safe, text, in_property, bytes_max);
    for (size_t i = 0; i < safe.size; i++) {
        char byte = safe.data[i];
        bool escaped = byte == '%' || byte == '\r' || byte == '\n' ||
                       (in_property && (byte == ':' || byte == ','));

        if (escaped) buf_printf(out, "%%%02X", (unsigned)byte);
        else buf_byte(out, byte == '\t' ? ' ' : byte);
    }
    buf_release(&safe);
}

static void add_place(struct commands *commands, const struct finding *finding)
{
    struct buf *out = commands->out;
    uint32_t start, end;
    struct buf path;

    buf_init(&path, SIZE_MAX / 4);
    if (listing_path(commands->listing, finding->file, &path)) {
        buf_text(out, "file=");
        add_escaped(out, buf_str(&path), PATH_BYTES_MAX, true);
        buf_byte(out, ',');
        if (finding->line > 0) buf_printf(out, "line=%" PRIu32 ",", finding->line);
        if (finding->line > 0 && finding->end_line > finding->line) {
            buf_printf(out, "endLine=%" PRIu32 ",", finding->end_line);
        } else if (finding->line > 0 && listing_columns(finding, &start, &end)) {
            buf_printf(out, "col=%" PRIu32 ",", start);
            if (end > start) buf_printf(out, "endColumn=%" PRIu32 ",", end);
        }
    }
    buf_release(&path);
}

static void add_command(struct commands *commands, enum kind kind, const struct finding *place,
                        struct str title, struct str text)
{
    struct buf *out = commands->out;

    commands->written[kind]++;
    buf_printf(out, "::%s ", kinds[kind]);
    if (place) add_place(commands, place);
    buf_text(out, "title=");
    add_escaped(out, title, TITLE_BYTES_MAX, true);
    buf_text(out, "::");
    add_escaped(out, str_trim(text), TEXT_BYTES_MAX, false);
    buf_byte(out, '\n');
}

static void add_run(struct commands *commands)
{
    const struct coverage *coverage = &commands->listing->coverage;
    struct buf text;

    buf_init(&text, SIZE_MAX / 4);
    listing_end_say(commands->listing, &text);
    if (text.size > 0) {
        add_command(commands, KIND_ERROR, NULL, STR("hone: not everything was reviewed"),
                    buf_str(&text));
    }
    buf_clear(&text);
    if (coverage->unlooked_count > 0) {
        coverage_say(coverage, &text);
        add_command(commands, KIND_ERROR, NULL, STR("hone: files were not looked at"),
                    buf_str(&text));
    }
    buf_release(&text);
}

/* One of the notices is for what is left out. */
static bool has_place(const struct commands *commands, enum kind kind)
{
    return commands->written[kind] < ANNOTATIONS_MAX - (kind == KIND_NOTICE);
}

static void add_entry(struct commands *commands, const struct ledger_entry *entry)
{
    enum kind kind = entry_kind(entry);
    struct buf title, text;

    if (!has_place(commands, kind)) {
        commands->left++;
        return;
    }
    buf_init(&title, LISTING_RULE_BYTES_MAX);
    buf_init(&text, SIZE_MAX / 4);
    listing_rule(commands->listing, entry, &title);
    if (!finding_is_open(entry->state)) {
        buf_printf(&text, "%s: ", finding_state_word(entry->state));
    }
    listing_words(commands->listing, entry, &text);
    add_command(commands, kind, &entry->finding, buf_str(&title), buf_str(&text));
    buf_release(&title);
    buf_release(&text);
}

void github_write(const struct listing *listing, struct buf *out)
{
    struct commands commands = { .listing = listing, .out = out };
    struct buf text;

    add_run(&commands);
    for (uint32_t i = 0; i < listing->count; i++) add_entry(&commands, listing->items[i]);
    if (commands.left == 0) return;
    buf_init(&text, SIZE_MAX / 4);
    buf_printf(&text, "%" PRIu32 " more finding%s: GitHub shows at most %d annotations of a kind. "
               "'hone findings %s' shows all of them.", commands.left,
               commands.left == 1 ? "" : "s", ANNOTATIONS_MAX, listing->run);
    add_command(&commands, KIND_NOTICE, NULL, STR("hone: not all findings are annotated"),
                buf_str(&text));
    buf_release(&text);
}
