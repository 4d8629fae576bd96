/* SPDX-License-Identifier: Apache-2.0
 *
 * cache.c - findings by key, in a file per analyzer:
 *
 *     hone analyzer cache 1
 *     00c0ffee00c0ffee                            the hash of all that follows
 *     0123456789abcdef 20400 {"findings":[],"notes":[]}
 *     ...
 *
 * 1. A file is taken whole or not at all: header, hash and every line must be right.
 * 2. What stands behind a key is read only when a caller asks for it. Where it does not read as
 *    findings, the key counts as not known.
 * 3. Saving holds a lock, takes in what other processes saved meanwhile, and replaces the file in
 *    one step: a kill at any moment leaves a whole file. Where the lock is not to be had nothing is
 *    saved: the work is done again, and that is all.
 * 4. An entry that was not used for CACHE_DAYS_MAX days is forgotten; then the oldest ones are,
 *    until at most CACHE_BYTES_MAX are kept.
 *
 * Not here: keys (key.c), and whether a path in a finding may be used (locate.c). */
#include "analyze/cache.h"

#include "base/mem.h"
#include "format/report/fix.h"
#include "io/file/lock.h"
#include "io/file/scratch.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

enum { LOCK_WAIT_MS = 5000 };

static const char header[] = "hone analyzer cache 1\n";

void cache_release(struct cache *cache)
{
    free(cache->items);
    free(cache->fresh);
    arena_release(&cache->arena);
    *cache = (struct cache){ 0 };
}

/* ---- the text ---- */

static bool read_entry(struct str line, struct cache_entry *out)
{
    struct str key, day;
    uint64_t number;

    if (!str_cut(&line, ' ', &key) || !str_hash(key, &out->key)) return false;
    if (!str_cut(&line, ' ', &day)) return false;
    if (!str_number(day, &number) || number > UINT32_MAX || line.size == 0) return false;
    out->day = (uint32_t)number;
    out->json = line;
    return true;
}

static int by_key(const void *a, const void *b)
{
    const struct cache_entry *left = a, *right = b;

    return left->key < right->key ? -1 : left->key > right->key;
}

/* The newest of each key. */
static int by_key_then_day(const void *a, const void *b)
{
    const struct cache_entry *left = a, *right = b;
    int keys = by_key(a, b);

    if (keys != 0) return keys;
    return left->day > right->day ? -1 : left->day < right->day;
}

static void items_sort(struct cache *cache)
{
    uint32_t kept = 0;

    if (cache->count == 0) return;
    qsort(cache->items, cache->count, sizeof *cache->items, by_key_then_day);
    for (uint32_t i = 0; i < cache->count; i++) {
        if (kept > 0 && cache->items[kept - 1].key == cache->items[i].key) continue;
        cache->items[kept++] = cache->items[i];
    }
    cache->count = kept;
}

static void items_add(struct cache *cache, const struct cache_entry *entry)
{
    cache->items = mem_grow(cache->items, cache->count, &cache->cap, sizeof *cache->items);
    cache->items[cache->count++] = *entry;
}

int cache_read(struct cache *cache, struct str text, struct err *err)
{
    struct str rest = text, line;
    uint64_t hash;

    cache_release(cache);
    if (!str_starts(rest, str_of(header))) return err_set(err, ERR_FORMAT, "it is no such cache");
    rest = str_skip(rest, sizeof header - 1);
    if (!str_cut(&rest, '\n', &line) || !str_hash(line, &hash) || hash != content_hash(rest)) {
        return err_set(err, ERR_FORMAT, "it is damaged");
    }
    rest = arena_copy(&cache->arena, rest);
    while (str_cut(&rest, '\n', &line)) {
        struct cache_entry entry;

        if (!read_entry(line, &entry)) {
            cache_release(cache);
            return err_set(err, ERR_FORMAT, "it is damaged");
        }
        items_add(cache, &entry);
    }
    items_sort(cache);
    return 0;
}

static int by_day(const void *a, const void *b)
{
    const struct cache_entry *left = a, *right = b;

    if (left->day != right->day) return left->day > right->day ? -1 : 1;
    return by_key(a, b);
}

void cache_write(const struct cache *cache, uint32_t today, struct buf *out)
{
    uint32_t count = cache->count + cache->fresh_count;
    struct cache all = { 0 };
    struct buf body;

    buf_init(&body, CACHE_BYTES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        items_add(&all, i < cache->count ? &cache->items[i] : &cache->fresh[i - cache->count]);
    }
    items_sort(&all);
    if (all.count > 0) qsort(all.items, all.count, sizeof *all.items, by_day);
    for (uint32_t i = 0; i < all.count; i++) {
        const struct cache_entry *entry = &all.items[i];
        size_t before = body.size;

        if (entry->day < today && today - entry->day > CACHE_DAYS_MAX) continue;
        buf_printf(&body, "%016" PRIx64 " %" PRIu32 " ", entry->key, entry->day);
        buf_add(&body, entry->json);
        buf_byte(&body, '\n');
        if (body.overflow) {
            body.size = before;
            break;
        }
    }
    buf_text(out, header);
    buf_printf(out, "%016" PRIx64 "\n", content_hash(buf_str(&body)));
    buf_add(out, buf_str(&body));
    buf_release(&body);
    cache_release(&all);
}

/* ---- entries ---- */

bool cache_find(struct cache *cache, uint64_t key, uint32_t today, struct arena *arena,
                struct findings *out)
{
    struct cache_entry wanted = { .key = key };
    struct cache_entry *entry;
    struct err err;

    if (cache->count == 0) return false;
    entry = bsearch(&wanted, cache->items, cache->count, sizeof *cache->items, by_key);
    if (!entry || findings_read(entry->json, arena, out, &err) != 0) return false;
    if (entry->day != today) cache->changed = true;
    entry->day = today;
    return true;
}

void cache_put(struct cache *cache, uint64_t key, uint32_t today, const struct findings *findings)
{
    struct cache_entry entry = { .key = key, .day = today };
    struct buf json;

    buf_init(&json, CACHE_BYTES_MAX);
    findings_write(findings, &json);
    if (!json.overflow) {
        entry.json = arena_copy(&cache->arena, str_trim(buf_str(&json)));
        assert(!str_has(entry.json, '\n'));
        cache->fresh = mem_grow(cache->fresh, cache->fresh_count, &cache->fresh_cap,
                                sizeof *cache->fresh);
        cache->fresh[cache->fresh_count++] = entry;
        cache->changed = true;
    }
    buf_release(&json);
}

/* ---- the file ---- */

static const char *file_name(const char *name, struct arena *arena)
{
    return arena_printf(arena, "%s.cache", name);
}

static void file_load(struct cache *cache, const char *folder, const char *name)
{
    struct arena arena = { 0 };
    struct buf text;
    struct err err;

    buf_init(&text, CACHE_BYTES_MAX + 4096);
    if (scratch_read(folder, file_name(name, &arena), &text, &err) == 0) {
        (void)cache_read(cache, buf_str(&text), &err);
    }
    buf_release(&text);
    arena_release(&arena);
}

void cache_load(struct cache *cache, const char *folder, const char *name)
{
    *cache = (struct cache){ 0 };
    file_load(cache, folder, name);
}

int cache_save(struct cache *cache, const char *folder, const char *name, uint32_t today,
               struct err *err)
{
    struct arena arena = { 0 };
    struct cache others = { 0 };
    struct lock lock = { .fd = -1 };
    struct buf text;
    int rc;

    if (!cache->changed) return 0;
    rc = lock_open(&lock, arena_printf(&arena, "%s/%s.lock", folder, name), "cache", LOCK_WAIT_MS,
                   NULL, err);
    if (rc == 0) {
        file_load(&others, folder, name);
        for (uint32_t i = 0; i < others.count; i++) items_add(cache, &others.items[i]);
        items_sort(cache);
        buf_init(&text, CACHE_BYTES_MAX + 4096);
        cache_write(cache, today, &text);
        rc = scratch_replace(folder, file_name(name, &arena), buf_str(&text), err);
        buf_release(&text);
    }
    lock_close(&lock);
    cache_release(cache); /* it holds texts of the others now */
    cache_release(&others);
    arena_release(&arena);
    return rc;
}
