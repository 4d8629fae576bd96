/* SPDX-License-Identifier: Apache-2.0
 *
 * lines_write.c - findings as lines, as compilers write them and editors read them. Of all forms
 * this one alone may come to a terminal, or into the log of a service: its texts are harmless
 * there.
 *
 * 1. No line is a command of a service that reads logs: GitHub takes a line for one that begins
 *    with "::", behind blanks of any kind, and any that has "##[" in it. */
#include "format/report/listing.h"
#include "format/text/safe.h"

#include <inttypes.h>

/* Text of others, in one line. */
static void add_text(struct buf *out, struct str text)
{
    struct str rest, opening = STR("##[");
    struct buf safe;

    buf_init(&safe, SIZE_MAX / 4);
    safe_text(&safe, text, true, 0);
    for (rest = buf_str(&safe); rest.size > 0; rest = str_skip(rest, 1)) {
        bool opens = str_starts(rest, opening);

        if (opens) buf_text(out, "##\\x5b");
        else buf_byte(out, rest.data[0]);
        if (opens) rest = str_skip(rest, opening.size - 1);
    }
    buf_release(&safe);
}

static void add_file(struct buf *out, struct str file)
{
    unsigned char first = file.size > 0 ? (unsigned char)file.data[0] : ' ';

    if (first == ':' || first <= ' ' || first >= 0x7f) buf_text(out, "./");
    add_text(out, file);
}

static void add_rule(struct buf *out, const struct listing *listing,
                     const struct ledger_entry *entry)
{
    struct buf rule;

    buf_init(&rule, SIZE_MAX / 4);
    listing_rule_say(listing, entry, &rule);
    add_text(out, buf_str(&rule));
    buf_release(&rule);
}

static void add_entry(struct buf *out, const struct listing *listing,
                      const struct ledger_entry *entry)
{
    static const char *const words[SEVERITY_COUNT] = {
        [SEVERITY_LOW] = "note",
        [SEVERITY_MEDIUM] = "warning",
        [SEVERITY_HIGH] = "error",
    };
    const struct finding *finding = &entry->finding;
    char id[LISTING_ID_BYTES];

    if (finding->file.size > 0) {
        add_file(out, finding->file);
        buf_printf(out, ":%" PRIu32 ":", finding->line);
        if (finding->line > 0 && finding->column > 0) {
            buf_printf(out, "%" PRIu32 ":", finding->column);
        }
    } else {
        buf_text(out, "hone:");
    }
    if (finding_is_open(entry->state)) buf_printf(out, " %s: ", words[finding->severity]);
    else buf_printf(out, " note: %s: ", finding_state_word(entry->state));
    if (entry->doubt && finding_is_open(entry->state)) buf_text(out, "unresolved: ");
    add_text(out, str_trim(finding->text));
    buf_text(out, " [");
    add_rule(out, listing, entry);
    buf_printf(out, "] (%s", listing_id(entry, false, id));
    listing_more_say(listing, entry, out);
    buf_text(out, ")\n");
}

void lines_write(const struct listing *listing, struct buf *out)
{
    for (uint32_t i = 0; i < listing->count; i++) add_entry(out, listing, listing->items[i]);
    for (uint32_t i = 0; i < listing->coverage.unlooked_count; i++) {
        const struct unlooked *item = &listing->coverage.unlooked[i];

        add_file(out, item->file);
        buf_text(out, ":0: note: not looked at: ");
        add_text(out, item->why);
        buf_text(out, " [");
        add_text(out, item->tool.size > 0 ? item->tool : STR("hone"));
        buf_text(out, "]\n");
    }
    if (!listing->unfinished) return;
    buf_text(out, "hone: note: ");
    listing_end_say(listing, out);
    buf_text(out, " [run]\n");
}
