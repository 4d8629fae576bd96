/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_tree.c - a tree's file with any bytes in it: refused, or a tree that prints and reads again
 * as the same, with paths in order and inside the tree. */
#include "io/git/status.h"
#include "io/tree/tree_entry.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tree tree, again;
    struct buf printed, twice;

    if (!tree_parse((struct str){ (const char *)data, size }, &tree)) {
        assert(tree.count == 0 && !tree.arena.block);
        return 0;
    }
    for (uint32_t i = 0; i < tree.count; i++) {
        assert(tree_path_is_valid(tree.entries[i].path));
        assert(tree_find(&tree, tree.entries[i].path) == &tree.entries[i]);
    }
    buf_init(&printed, 2 * size + 4096);
    buf_init(&twice, 2 * size + 4096);
    tree_print(&tree, &printed);
    assert(!printed.overflow);
    assert(tree_parse(buf_str(&printed), &again));
    tree_print(&again, &twice);
    assert(str_eq(buf_str(&printed), buf_str(&twice)));
    buf_release(&printed);
    buf_release(&twice);
    tree_release(&tree);
    tree_release(&again);
    return 0;
}
