/* SPDX-License-Identifier: Apache-2.0 */
#include "format/report/listing.h"

#include "base/mem.h"
#include "format/json/finding_json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

void listing_add(struct listing *listing, const struct ledger_entry *entry)
{
    listing->items = mem_grow(listing->items, listing->count, &listing->cap,
                              sizeof(void *));
    listing->items[listing->count++] = entry;
}

void listing_release(struct listing *listing)
{
    free(listing->items);
    *listing = (struct listing){ 0 };
}

const char *listing_role(const struct listing *listing, const struct ledger_entry *entry)
{
    assert(entry->role < listing->plan->role_count);
    return listing->plan->roles[entry->role].name;
}

void listing_rule(const struct listing *listing, const struct ledger_entry *entry, struct buf *out)
{
    struct str role = str_head(str_of(listing_role(listing, entry)), LISTING_RULE_BYTES_MAX / 2);
    struct str kind;

    if (role.size == 0) role = STR("review");
    kind = str_head(entry->finding.kind, LISTING_RULE_BYTES_MAX - role.size - 1);

    buf_add(out, role);
    if (kind.size > 0) buf_byte(out, '/');
    buf_add(out, kind);
}

/* ---- order ---- */

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* What is about no file comes last. */
static int compare_files(struct str a, struct str b)
{
    if ((a.size == 0) != (b.size == 0)) return a.size == 0 ? 1 : -1;
    return str_compare(a, b);
}

/* Down to where they stand in the ledger: equal ones keep one order everywhere. */
static int compare_places(const struct ledger_entry *a, const struct ledger_entry *b)
{
    int order = compare_files(a->finding.file, b->finding.file);

    if (order == 0) order = compare_numbers(a->finding.line, b->finding.line);
    if (order == 0) order = compare_numbers(a->finding.column, b->finding.column);
    if (order == 0) order = (a > b) - (a < b);
    return order;
}

static int compare_by_file(const void *one, const void *other)
{
    return compare_places(*(const struct ledger_entry *const *)one,
                          *(const struct ledger_entry *const *)other);
}

static int compare_by_state(const void *one, const void *other)
{
    const struct ledger_entry *a = *(const struct ledger_entry *const *)one;
    const struct ledger_entry *b = *(const struct ledger_entry *const *)other;
    int order = compare_numbers(a->state, b->state);

    if (order == 0) order = compare_numbers(b->finding.severity, a->finding.severity);
    return order != 0 ? order : compare_places(a, b);
}

void listing_sort(struct listing *listing, enum listing_order order)
{
    if (listing->count == 0) return;
    qsort(listing->items, listing->count, sizeof(void *),
          order == LISTING_BY_FILE ? compare_by_file : compare_by_state);
}

/* ---- counts ---- */

struct listing_counts listing_count(const struct listing *listing)
{
    struct listing_counts counts = { { 0 }, { 0 } };

    for (uint32_t i = 0; i < listing->count; i++) {
        const struct ledger_entry *entry = listing->items[i];

        counts.states[entry->state]++;
        if (entry->state == FINDING_OPEN) counts.open[entry->finding.severity]++;
    }
    return counts;
}

void listing_say(const struct listing *listing, struct buf *out)
{
    struct listing_counts counts = listing_count(listing);
    const char *between = " (";

    buf_printf(out, "%" PRIu32 " open", counts.states[FINDING_OPEN]);
    for (uint32_t i = SEVERITY_COUNT; i-- > 0;) {
        if (counts.open[i] == 0) continue;
        buf_printf(out, "%s%" PRIu32 " %s", between, counts.open[i],
                   severity_word((enum severity)i));
        between = ", ";
    }
    if (counts.states[FINDING_OPEN] > 0) buf_byte(out, ')');
    if (counts.states[FINDING_NOTED] > 0) {
        buf_printf(out, ", %" PRIu32 " noted", counts.states[FINDING_NOTED]);
    }
    buf_printf(out, ", %" PRIu32 " fixed", counts.states[FINDING_FIXED]);
}

/* ---- JSON ---- */

static yyjson_mut_val *entry_write(yyjson_mut_doc *doc, const struct listing *listing,
                                   const struct ledger_entry *entry)
{
    struct finding finding = entry->finding;
    yyjson_mut_val *object;
    const char *phase = listing->plan->phases[entry->phase].name;

    finding.fingerprint = entry->fingerprint; /* with the ordinal it is the entry's name */
    object = finding_write(doc, &finding);
    yyjson_mut_obj_add_str(doc, object, "state", finding_state_word(entry->state));
    if (entry->doubt) yyjson_mut_obj_add_str(doc, object, "unresolved", doubt_word(entry->doubt));
    json_add_text(doc, object, "role", str_of(listing_role(listing, entry)));
    yyjson_mut_obj_add_uint(doc, object, "round_first", entry->round_first);
    yyjson_mut_obj_add_uint(doc, object, "round_last", entry->round_last);
    yyjson_mut_obj_add_uint(doc, object, "iteration_first", entry->iteration_first);
    yyjson_mut_obj_add_uint(doc, object, "iteration_last", entry->iteration_last);
    yyjson_mut_obj_add_uint(doc, object, "lane", entry->lane);
    json_add_text(doc, object, "phase", str_of(phase));
    yyjson_mut_obj_add_uint(doc, object, "ordinal", entry->ordinal);
    if (entry->group > 0) {
        yyjson_mut_obj_add_uint(doc, object, "group", entry->group);
        yyjson_mut_obj_add_uint(doc, object, "votes", entry->votes);
    }
    return object;
}

void listing_write(const struct listing *listing, struct buf *out)
{
    struct listing_counts counts = listing_count(listing);
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);
    yyjson_mut_val *list, *object;

    json_add_text(doc, root, "run", str_of(listing->run));
    list = yyjson_mut_obj_add_arr(doc, root, "findings");
    for (uint32_t i = 0; i < listing->count; i++) {
        yyjson_mut_arr_append(list, entry_write(doc, listing, listing->items[i]));
    }
    object = yyjson_mut_obj_add_obj(doc, root, "counts");
    for (uint32_t i = 0; i < FINDING_STATE_COUNT; i++) {
        yyjson_mut_obj_add_uint(doc, object, finding_state_word((enum finding_state)i),
                                counts.states[i]);
    }
    for (uint32_t i = SEVERITY_COUNT; i-- > 0;) {
        yyjson_mut_obj_add_uint(doc, object, severity_word((enum severity)i), counts.open[i]);
    }
    json_finish(doc, true, out);
}
