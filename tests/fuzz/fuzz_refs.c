/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_refs.c - a file of refs with any bytes in it: refused, or refs that print and read again as
 * the same; their names are refs, clean, in order, and none is passed over; work trees have a name
 * and a path, on one line. */
#include "base/path.h"
#include "io/git/refs.h"
#include "io/git/status.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct refs refs, again;
    struct buf printed, twice;

    if (!refs_parse(text, &refs)) {
        assert(refs.count == 0 && !refs.items && !refs.arena.block);
        return 0;
    }
    assert(!str_has(refs.head, '\n') && !str_has(refs.head, '\0'));
    for (uint32_t i = 0; i < refs.count; i++) {
        assert(oid_is_valid(refs.items[i].oid));
        assert(str_starts(refs.items[i].name, STR("refs/")) && path_is_clean(refs.items[i].name));
        assert(i == 0 || str_compare(refs.items[i - 1].name, refs.items[i].name) < 0);
    }
    assert(refs.stash.size == 0 || oid_is_valid(refs.stash));
    for (uint32_t i = 0; i < refs.worktree_count; i++) {
        assert(refs.worktrees[i].name.size > 0 && !str_has(refs.worktrees[i].name, '/'));
        assert(str_starts(refs.worktrees[i].path, STR("/")));
        assert(!str_has(refs.worktrees[i].path, '\0') && !str_has(refs.worktrees[i].name, '\n'));
    }
    buf_init(&printed, 2 * size + 4096);
    buf_init(&twice, 2 * size + 4096);
    refs_print(&refs, &printed);
    assert(!printed.overflow && printed.size >= size);
    assert(refs_parse(buf_str(&printed), &again));
    refs_print(&again, &twice);
    assert(str_eq(buf_str(&printed), buf_str(&twice)));
    assert(!refs_hold(&refs)); /* there are no marks in a file */
    buf_release(&printed);
    buf_release(&twice);
    refs_release(&refs);
    refs_release(&again);
    return 0;
}
