/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_index.c - any bytes as an index: an answer, and never a wrong "hides nothing".
 *
 * One that hides nothing still hides nothing with another entry's time; cut short it is not
 * understood. */
#include "base/mem.h"
#include "io/git/index.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_whole(const uint8_t *data, size_t size, size_t oid_bytes)
{
    char *copy;

    if (index_bytes_hide((struct str){ (const char *)data, size }, oid_bytes)) return;
    assert(size >= 12 + oid_bytes);
    copy = mem_copy((const char *)data, size); /* its end is the end of the block */
    assert(!index_bytes_hide((struct str){ copy, size }, oid_bytes));
    if (size == 12 + oid_bytes) copy[11] = 1; /* one entry, of which nothing is there */
    else copy[4] = 1;                         /* no version */
    assert(index_bytes_hide((struct str){ copy, size }, oid_bytes));
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    expect_whole(data, size, 20);
    expect_whole(data, size, 32);
    return 0;
}
