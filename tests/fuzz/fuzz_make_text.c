/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_make_text.c - any bytes as what make prints: sources by name, flags that run and write
 * nothing. */
#include "format/source/language.h"
#include "format/source/build_units.h"
#include "kept_flags.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = { 0 };
    struct build_units units;

    make_text_read((struct str){ (const char *)data, size }, "/w", &arena, &units);
    expect_harmless(&units);
    for (uint32_t i = 0; i < units.count; i++) {
        bool header;
        struct str file = str_of(units.items[i].file);

        assert(language_has(&language_c, file, &header) ||
               language_has(&language_cxx, file, &header));
        assert(!header);
    }
    arena_release(&arena);
    return 0;
}
