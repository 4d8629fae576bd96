/* SPDX-License-Identifier: Apache-2.0
 *
 * metadata_set.c - metadata put into a file that has some already, perhaps of others.
 *
 * The items that are there keep their order; a key that is new comes behind the last one that
 * stands before it in the order of writing. So a file of ours has the order of the table, and one
 * of others theirs. */
#include "dialect/session/file_parts.h"

#include "dialect/sections.h"

enum { NOWHERE = UINT32_MAX };

struct setting_keys {
    struct session_file *file;
    const struct session_metadata *before, *after;
    const struct session_item *items;
    uint32_t count;
    uint32_t at[SESSION_KEY_COUNT]; /* the item of a key; NOWHERE: none */
    bool changed;
    struct buf out;
};

static bool same_value(struct setting_keys *set, uint32_t rank)
{
    struct buf before, after;
    bool same;

    buf_init(&before, SIZE_MAX / 2);
    buf_init(&after, SIZE_MAX / 2);
    session_key_write(set->file, set->before, rank, &before);
    session_key_write(set->file, set->after, rank, &after);
    same = str_eq(buf_str(&before), buf_str(&after));
    buf_release(&before);
    buf_release(&after);
    return same;
}

static void add_lines(struct setting_keys *set, struct str lines)
{
    buf_add(&set->out, lines);
    if (lines.size && !str_ends(lines, STR("\n"))) buf_byte(&set->out, '\n');
}

static void add_item(struct setting_keys *set, uint32_t index)
{
    const struct session_item *item = &set->items[index];
    uint32_t rank = session_key_rank(item->key);

    if (rank == SESSION_KEY_COUNT || set->at[rank] != index) {
        add_lines(set, item->raw);
    } else if (same_value(set, rank)) {
        add_lines(set, markdown_trim(item->raw));
    } else {
        session_key_write(set->file, set->after, rank, &set->out);
        set->changed = true;
    }
}

/* The keys that have no item and whose place is behind this one. */
static void add_missing(struct setting_keys *set, uint32_t behind)
{
    uint32_t last = NOWHERE;

    for (uint32_t rank = 0; rank < SESSION_KEY_COUNT; rank++) {
        size_t before = set->out.size;

        if (set->at[rank] != NOWHERE) {
            last = last == NOWHERE || set->at[rank] > last ? set->at[rank] : last;
        } else if (last == behind) {
            session_key_write(set->file, set->after, rank, &set->out);
            set->changed = set->changed || set->out.size != before;
        }
    }
}

void session_file_set_metadata(struct session_file *file, const struct session_metadata *metadata)
{
    struct setting_keys set = { .file = file, .after = metadata };
    struct session_metadata before;
    uint32_t first;

    session_file_metadata(file, &before);
    set.before = &before;
    set.items = session_items(file, &set.count);
    buf_init(&set.out, SIZE_MAX / 2);
    for (uint32_t rank = 0; rank < SESSION_KEY_COUNT; rank++) set.at[rank] = NOWHERE;
    for (uint32_t i = set.count; i-- > 0;) {
        uint32_t rank = session_key_rank(set.items[i].key);
        if (rank < SESSION_KEY_COUNT) set.at[rank] = i;
    }
    first = set.count && set.items[0].key.size == 0;
    if (first) add_lines(&set, set.items[0].raw);
    add_missing(&set, NOWHERE);
    for (uint32_t i = first; i < set.count; i++) {
        add_item(&set, i);
        add_missing(&set, i);
    }
    if (set.changed || !session_file_has(file, SESSION_METADATA)) {
        session_part_set(file, SESSION_METADATA, markdown_trim(buf_str(&set.out)));
    }
    buf_release(&set.out);
}
