/* SPDX-License-Identifier: Apache-2.0 */
#include "spoil.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const private_paths[] = { ".agents/", NULL };

void spoil_begin(struct spoil *spoil, void **state)
{
    struct err err = { 0 };

    spoil->ground = *state;
    if (repo_open(&spoil->repo, spoil->ground->work, true, &err) != 0 ||
        tree_take(&spoil->repo, private_paths, &spoil->before, &err) != 0)
        fail_msg("%s", err.text);
}

int spoil_put_back(struct spoil *spoil, const char *keep, struct err *err)
{
    struct tree_delta delta;
    struct tree after;
    int rc;

    *err = (struct err){ 0 };
    assert_int_equal(tree_take(&spoil->repo, private_paths, &after, err), 0);
    tree_compare(&spoil->before, &after, &delta);
    rc = tree_put_back(&spoil->repo, &spoil->before, &delta, keep, err);
    tree_delta_release(&delta);
    tree_release(&after);
    return rc;
}

void spoil_expect_as_before(struct spoil *spoil)
{
    struct tree_delta delta;
    struct err err = { 0 };
    struct tree now;

    assert_int_equal(tree_take(&spoil->repo, private_paths, &now, &err), 0);
    tree_compare(&spoil->before, &now, &delta);
    if (delta.count)
        fail_msg("still there: %s %.*s", change_word(delta.items[0].kind),
                 STR_ARG(delta.items[0].path));
    tree_delta_release(&delta);
    tree_release(&now);
}

const char *spoil_delta(struct spoil *spoil, bool align)
{
    static struct buf text;
    struct tree_delta delta;
    struct tree after;
    struct err err = { 0 };

    buf_release(&text);
    buf_init(&text, 65536);
    assert_int_equal(tree_take(&spoil->repo, private_paths, &after, &err), 0);
    if (align) assert_int_equal(tree_align(&spoil->repo, &spoil->before, &after, &err), 0);
    tree_compare(&spoil->before, &after, &delta);
    for (uint32_t i = 0; i < delta.count; i++) {
        buf_printf(&text, "%s%s%s%.*s", i ? ", " : "", change_word(delta.items[i].kind),
                   delta.items[i].path.size ? " " : "", STR_ARG(delta.items[i].path));
    }
    tree_delta_release(&delta);
    tree_release(&after);
    return buf_cstr(&text);
}

void spoil_finish(struct spoil *spoil)
{
    tree_release(&spoil->before);
    repo_release(&spoil->repo);
}

void spoil_end(struct spoil *spoil)
{
    struct err err;

    if (spoil_put_back(spoil, at(spoil->ground, "keep"), &err) != 0) fail_msg("%s", err.text);
    spoil_expect_as_before(spoil);
    spoil_finish(spoil);
}
