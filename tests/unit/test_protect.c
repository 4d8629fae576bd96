/* SPDX-License-Identifier: Apache-2.0
 *
 * test_protect.c - files that stay as they are: what was changed is told, kept and put back.
 *
 * row: repository.links | links in the way of files that hone writes | every step below the workspace is made without following links | - | `test_protect.c: a_folder_on_the_way_that_became_a_link_is_not_walked_through`, `test_scratch.c: links_pipes_and_folders_are_refused` */
#include "ground.h"
#include "io/tree/protect.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const paths[] = { "config", "hooks", "none", "deep/below", NULL };

static void take_all(const struct ground *ground, struct protect *protect)
{
    struct err err;

    for (uint32_t i = 0; paths[i]; i++) {
        assert_int_equal(protect_take(protect, ground->work, "x/", paths[i], &err), 0);
    }
}

/* The usual files, taken and kept as root/kept-file. */
static int open_taken(void **state)
{
    struct protect protect = { 0 };
    const struct ground *ground;
    struct err err;

    if (ground_open(state) != 0) return -1;
    ground = *state;
    put(at(ground, "work/config"), "old");
    put(at(ground, "work/hooks/one"), "one");
    put(at(ground, "work/hooks/sub/two"), "two");
    put_link(at(ground, "work/hooks/link"), "one");
    chmod(at(ground, "work/hooks/one"), 0755);
    put(at(ground, "work/free"), "free");
    take_all(ground, &protect);
    assert_int_equal(protect_save(&protect, ground->root, "kept-file", &err), 0);
    protect_release(&protect);
    return 0;
}

/* What is said to differ, after it was put back. */
static const char *restore(const struct ground *ground)
{
    static char said[4096];
    struct protect before;
    struct buf what;
    struct err err = { 0 };

    buf_init(&what, sizeof said - 1);
    assert_int_equal(protect_load(&before, ground->root, "kept-file", &err), 0);
    if (protect_restore(&before, at(ground, "away"), &what, &err) != 0) fail_msg("%s", err.text);
    memcpy(said, buf_cstr(&what), what.size + 1);
    protect_release(&before);
    buf_release(&what);
    return said;
}

static void expect_as_before(const struct ground *ground)
{
    expect_content(at(ground, "work/config"), "old");
    expect_content(at(ground, "work/hooks/one"), "one");
    expect_content(at(ground, "work/hooks/sub/two"), "two");
    expect_link(at(ground, "work/hooks/link"), "one");
    assert_int_equal(mode_of(at(ground, "work/hooks/one")) & 0777, 0755);
    assert_false(is_there(at(ground, "work/none")));
    assert_false(is_there(at(ground, "work/deep/below")));
    assert_string_equal(restore(ground), "");
}

#define TAKEN(name) TEST_WITH(name, open_taken, ground_close)

TAKEN(nothing_changed_is_nothing_said)
{
    put(at(*state, "work/free"), "changed");
    assert_string_equal(restore(*state), "");
    assert_false(is_there(at(*state, "away")));
    expect_content(at(*state, "work/free"), "changed");
}

TAKEN(a_changed_file_is_put_back_and_its_version_kept)
{
    put(at(*state, "work/config"), "new");
    assert_string_equal(restore(*state), "modified x/config");
    expect_content(at(*state, "away/config"), "new");
    expect_as_before(*state);
}

TAKEN(a_changed_mode_is_a_change)
{
    chmod(at(*state, "work/hooks/one"), 0644);
    assert_string_equal(restore(*state), "modified x/hooks/one");
    expect_as_before(*state);
}

TAKEN(what_was_added_is_moved_away)
{
    put(at(*state, "work/hooks/three"), "three");
    put(at(*state, "work/none/a/b"), "b");
    put(at(*state, "work/deep/below"), "c");
    assert_string_equal(restore(*state), "added x/hooks/three, added x/none, added x/deep/below");
    expect_content(at(*state, "away/three"), "three");
    expect_content(at(*state, "away/none/a/b"), "b");
    expect_content(at(*state, "away/below"), "c");
    expect_as_before(*state);
}

TAKEN(what_was_deleted_is_made_again)
{
    remove_all(at(*state, "work/hooks"));
    assert_int_equal(unlink(at(*state, "work/config")), 0);
    assert_non_null(strstr(restore(*state), "deleted x/config"));
    expect_as_before(*state);
}

TAKEN(a_folder_that_became_a_file_is_a_folder_again)
{
    remove_all(at(*state, "work/hooks"));
    put(at(*state, "work/hooks"), "file");
    assert_non_null(strstr(restore(*state), "modified x/hooks"));
    expect_content(at(*state, "away/hooks"), "file");
    expect_as_before(*state);
}

TAKEN(a_file_that_became_a_link_is_not_written_through)
{
    put(at(*state, "secret"), "secret");
    assert_int_equal(unlink(at(*state, "work/config")), 0);
    put_link(at(*state, "work/config"), "../secret");
    assert_string_equal(restore(*state), "modified x/config");
    expect_content(at(*state, "secret"), "secret");
    expect_as_before(*state);
}

TAKEN(a_folder_on_the_way_that_became_a_link_is_not_walked_through)
{
    put(at(*state, "elsewhere/below"), "theirs");
    put_link(at(*state, "work/deep"), "../elsewhere");
    assert_string_equal(restore(*state), "added x/deep");
    expect_link(at(*state, "away/deep"), "../elsewhere");
    expect_content(at(*state, "elsewhere/below"), "theirs");
    expect_as_before(*state);
}

TAKEN(empty_leftovers_are_removed_without_a_word)
{
    make_folder(at(*state, "work/none"));
    put(at(*state, "work/deep/below"), "");
    assert_string_equal(restore(*state), "");
    assert_false(is_there(at(*state, "away")));
    expect_as_before(*state);
}

TAKEN(many_changes_are_counted)
{
    for (uint32_t i = 0; i < 15; i++) put(at(*state, "work/hooks/n%02u", i), "x");
    assert_non_null(strstr(restore(*state), " and 5 more"));
    expect_as_before(*state);
}

TAKEN(a_folder_with_too_much_in_it_is_left_alone)
{
    const struct ground *ground = *state;
    struct protect protect = { 0 };
    struct err err;

    for (uint32_t i = 0; i < 2100; i++) put(at(ground, "work/hooks/n%u", i), "");
    take_all(ground, &protect);
    assert_int_equal(protect_save(&protect, ground->root, "kept-file", &err), 0);
    assert_int_equal(protect.count, 4);
    protect_release(&protect);
    put(at(ground, "work/hooks/one"), "new");
    put(at(ground, "work/config"), "new");
    assert_string_equal(restore(ground), "modified x/config");
    expect_content(at(ground, "work/hooks/one"), "new");
}

TAKEN(a_folder_that_grew_beyond_measure_is_put_back_whole)
{
    for (uint32_t i = 0; i < 2100; i++) put(at(*state, "work/hooks/n%u", i), "");
    assert_non_null(strstr(restore(*state), "modified x/hooks"));
    assert_true(is_there(at(*state, "away/hooks/n7")));
    expect_as_before(*state);
}

TAKEN(names_with_every_byte_come_through_the_file)
{
    const struct ground *ground = *state;
    struct protect protect = { 0 };
    struct err err;

    put(at(ground, "work/hooks/a\nb \"c\" \xff"), "odd");
    take_all(ground, &protect);
    assert_int_equal(protect_save(&protect, ground->root, "kept-file", &err), 0);
    protect_release(&protect);
    assert_string_equal(restore(ground), "");
    assert_int_equal(unlink(at(ground, "work/hooks/a\nb \"c\" \xff")), 0);
    assert_non_null(strstr(restore(ground), "deleted x/hooks/a\nb"));
    expect_content(at(ground, "work/hooks/a\nb \"c\" \xff"), "odd");
}

TAKEN(gaps_are_what_is_not_there_and_links)
{
    const struct ground *ground = *state;
    struct protect protect = { .gaps = true };

    take_all(ground, &protect);
    assert_int_equal(protect.count, 2);
    assert_string_equal(protect.entries[0].path, "none");
    assert_string_equal(protect.entries[1].path, "deep/below");
    protect_release(&protect);
}

TAKEN(a_file_that_is_not_whole_is_refused)
{
    const struct ground *ground = *state;
    static const char *const texts[] = {
        "", "hone-protect 2\n", "hone-protect 1\n1 2\n", "hone-protect 1\n9 0 0 0 0 1 0 1 0 0\n/a",
        "hone-protect 1\n1 0 0 0 0 1 0 1 0 99\n/ax", "hone-protect 1\n1 0 0 0 0 1 0 2 0 0\n/..",
        "hone-protect 1\n1 0 0 0 0 1 0 1 0 0\nbx", NULL,
    };
    struct protect protect;
    struct err err;

    for (uint32_t i = 0; texts[i]; i++) {
        put(at(ground, "bad"), texts[i]);
        assert_int_equal(protect_load(&protect, ground->root, "bad", &err), ERR_FORMAT);
    }
    assert_int_equal(protect_load(&protect, ground->root, "nothing", &err), ERR_MISSING);
}
