/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_analyze_cache.c - any bytes as a cache: it is refused, or it comes back from a second
 * writing as it was. The hash is made right first, so that what is behind it is reached. */
#include "analyze/cache.h"
#include "format/report/fix.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_same(const struct cache *cache)
{
    struct cache again = { 0 };
    struct buf text;
    struct err err;

    buf_init(&text, CACHE_BYTES_MAX + 4096);
    cache_write(cache, 0, &text); /* today is the first day: nothing is too old */
    assert(cache_read(&again, buf_str(&text), &err) == 0);
    assert(again.count == cache->count);
    for (uint32_t i = 0; i < cache->count; i++) {
        assert(again.items[i].key == cache->items[i].key);
        assert(again.items[i].day == cache->items[i].day);
        assert(str_eq(again.items[i].json, cache->items[i].json));
    }
    cache_release(&again);
    buf_release(&text);
}

/* What reads as findings can be put and found again. */
static void expect_findings(struct cache *cache)
{
    for (uint32_t i = 0; i < cache->count; i++) {
        struct arena arena = { 0 };
        struct cache other = { 0 }, again = { 0 };
        struct findings found, found_again;
        struct buf text;
        struct err err;

        buf_init(&text, CACHE_BYTES_MAX + 4096);
        if (cache_find(cache, cache->items[i].key, cache->items[i].day, &arena, &found)) {
            cache_put(&other, 1, 1, &found);
            cache_write(&other, 1, &text);
            assert(cache_read(&again, buf_str(&text), &err) == 0);
            assert(cache_find(&again, 1, 1, &arena, &found_again));
            assert(found_again.count == found.count);
            assert(found_again.note_count == found.note_count);
        }
        buf_release(&text);
        cache_release(&again);
        cache_release(&other);
        arena_release(&arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str body = { (const char *)data, size };
    struct cache cache = { 0 };
    struct err err = { 0 };
    struct buf text;

    buf_init(&text, size + 4096);
    if (cache_read(&cache, body, &err) == 0) expect_same(&cache);
    else assert(err.code == ERR_FORMAT && cache.count == 0);
    buf_printf(&text, "hone analyzer cache 1\n%016" PRIx64 "\n", content_hash(body));
    buf_add(&text, body);
    if (cache_read(&cache, buf_str(&text), &err) == 0) {
        expect_same(&cache);
        expect_findings(&cache);
    }
    cache_release(&cache);
    buf_release(&text);
    return 0;
}
