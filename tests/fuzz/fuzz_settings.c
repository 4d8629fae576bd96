/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_settings.c - all that can be read as settings is the same after it was written and read
 * again, and answers for any role. */
#include "settings/settings.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(const char *a, const char *b)
{
    assert(!a == !b);
    assert(!a || strcmp(a, b) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = { 0 };
    struct run_settings settings, back;
    struct err err = { 0 };
    struct buf once, twice;

    if (settings_read((struct str){ (const char *)data, size }, &arena, &settings, &err) != 0) {
        assert(err.code == ERR_FORMAT && err.text[0]);
        arena_release(&arena);
        return 0;
    }
    buf_init(&once, 64 * size + 1024);
    buf_init(&twice, 64 * size + 1024);
    settings_write(&settings, &once);
    assert(!once.overflow && !str_has(buf_str(&once), '\n'));
    assert(settings_read(buf_str(&once), &arena, &back, &err) == 0);
    assert(settings.options.count == back.options.count);
    assert(settings.agent_count == back.agent_count);
    for (uint32_t i = 0; i < settings.agent_count; i++) {
        const char *role = settings.agents[i].role;
        check_same(settings_agent(&settings, role), settings_agent(&back, role));
        check_same(settings_chosen(&settings, role), settings_chosen(&back, role));
    }
    assert(settings.effort_count == back.effort_count);
    for (uint32_t i = 0; i < settings.effort_count; i++) {
        const char *role = settings.efforts[i].role;
        check_same(settings_effort(&settings, role), settings_effort(&back, role));
    }
    settings_write(&back, &twice);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
    buf_release(&once);
    buf_release(&twice);
    arena_release(&arena);
    return 0;
}
