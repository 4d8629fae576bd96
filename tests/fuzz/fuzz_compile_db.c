/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_compile_db.c - any bytes as compile_commands.json: flags that run and write nothing, or a
 * refusal. */
#include "format/source/build_units.h"
#include "kept_flags.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = { 0 };
    struct build_units units;
    struct err err = { 0 };

    if (compile_db_read((struct str){ (const char *)data, size }, "/w", &arena, &units, &err) != 0)
        assert(err.code == ERR_FORMAT && err.text[0] && units.count == 0);
    expect_harmless(&units);
    arena_release(&arena);
    return 0;
}
