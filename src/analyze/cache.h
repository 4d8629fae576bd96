/* SPDX-License-Identifier: Apache-2.0
 *
 * cache.h - what an analyzer found in units as they were, kept from run to run.
 *
 * A key stands for everything that the findings depend on. Findings under another key are never
 * used, and a cache file that is damaged counts as empty. */
#ifndef HONE_ANALYZE_CACHE_H
#define HONE_ANALYZE_CACHE_H

#include "format/json/finding_json.h"

enum { CACHE_BYTES_MAX = 64 << 20, CACHE_DAYS_MAX = 30 };

struct cache_entry {
    uint64_t key;
    uint32_t day;    /* when it was of use last, in days since 1970 */
    struct str json; /* the findings, one line */
};

struct cache {
    struct arena arena;
    struct cache_entry *items; /* by key, each once */
    uint32_t count, cap;
    struct cache_entry *fresh; /* what came since, in any order */
    uint32_t fresh_count, fresh_cap;
    bool changed;              /* there is something to save */
};

void cache_release(struct cache *cache); /* {0} is an empty one */

/* The text of a file. ERR_FORMAT, with the cache empty, when it is not whole. */
int cache_read(struct cache *cache, struct str text, struct err *err);
/* All entries of the last CACHE_DAYS_MAX days, the newest first as far as CACHE_BYTES_MAX go. */
void cache_write(const struct cache *cache, uint32_t today, struct buf *out);

/* The findings under a key; false when there are none. Texts live in arena. */
bool cache_find(struct cache *cache, uint64_t key, uint32_t today, struct arena *arena,
                struct findings *out);
void cache_put(struct cache *cache, uint64_t key, uint32_t today, const struct findings *findings);

/* folder/NAME.cache. None, or one that cannot be read: an empty cache. */
void cache_load(struct cache *cache, const char *folder, const char *name);
/* With what others have saved meanwhile. Does nothing when nothing changed. The cache is empty
 * afterwards. */
int cache_save(struct cache *cache, const char *folder, const char *name, uint32_t today,
               struct err *err);

#endif
