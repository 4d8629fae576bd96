/* SPDX-License-Identifier: Apache-2.0
 *
 * lines_write.c - findings as lines, as compilers write them and editors read them. Of all forms
 * this one alone may come to a terminal: its texts are harmless there. */
#include "format/report/listing.h"
#include "format/text/safe.h"

#include <inttypes.h>

static void add_rule(struct buf *out, const struct listing *listing,
                     const struct ledger_entry *entry, size_t bytes_max)
{
    struct buf rule;

    buf_init(&rule, SIZE_MAX / 4);
    listing_rule_say(listing, entry, &rule);
    safe_text(out, buf_str(&rule), true, bytes_max);
    buf_release(&rule);
}

void lines_write(const struct listing *listing, struct buf *out)
{
    static const char *const words[SEVERITY_COUNT] = {
        [SEVERITY_LOW] = "note",
        [SEVERITY_MEDIUM] = "warning",
        [SEVERITY_HIGH] = "error",
    };

    for (uint32_t i = 0; i < listing->count; i++) {
        const struct ledger_entry *entry = listing->items[i];
        const struct finding *finding = &entry->finding;
        char id[LISTING_ID_BYTES];

        if (finding->file.size > 0) {
            if (finding->file.data[0] == ':') buf_text(out, "./"); /* "::" is a command in CI */
            safe_text(out, finding->file, true, 0);
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
        safe_text(out, str_trim(finding->text), true, 0);
        buf_text(out, " [");
        add_rule(out, listing, entry, 0);
        buf_printf(out, "] (%s", listing_id(entry, false, id));
        listing_more_say(listing, entry, out);
        buf_text(out, ")\n");
    }
    for (uint32_t i = 0; i < listing->coverage.unlooked_count; i++) {
        const struct unlooked *item = &listing->coverage.unlooked[i];

        if (str_starts(item->file, STR(":"))) buf_text(out, "./");
        safe_text(out, item->file, true, 0);
        buf_text(out, ":0: note: not looked at: ");
        safe_text(out, item->why, true, 0);
        buf_text(out, " [");
        safe_text(out, item->tool.size > 0 ? item->tool : STR("hone"), true, 0);
        buf_text(out, "]\n");
    }
}
