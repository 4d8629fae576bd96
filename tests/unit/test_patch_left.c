/* SPDX-License-Identifier: Apache-2.0
 *
 * test_patch_left.c - which fixes are left, and why. */
#include "patch_scene.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

IN_SCENE(a_finding_without_a_fix_says_so)
{
    struct patch_scene *scene = *state;

    scene->count = 2;
    scene->findings[1].fix = STR("[]");
    choose_all(scene);
    assert_item(scene, 0, PATCH_NO_FIX, NULL);
    assert_item(scene, 1, PATCH_NO_FIX, NULL);
    assert_int_equal(scene->patch.file_count, 0);
}

IN_SCENE(a_fix_that_cannot_be_read_says_why)
{
    struct patch_scene *scene = *state;

    scene->count = 2;
    scene->findings[0].fix = STR("{");
    scene->findings[1].fix = STR("[{\"edits\":[{\"file\":\"../x\"}]}]");
    choose_all(scene);
    assert_item(scene, 0, PATCH_UNFIT, "line 1");
    assert_item(scene, 1, PATCH_UNFIT, "\"../x\" is no path inside the workspace");
}

IN_SCENE(a_file_that_changed_is_left_alone)
{
    struct patch_scene *scene = *state;

    add_edit(scene, SEVERITY_LOW, 0, 1, "x");
    scene->a = "0123456789 and more";
    add_edit(scene, SEVERITY_LOW, 2, 3, "x");
    choose_all(scene);
    assert_item(scene, 0, PATCH_CHANGED, NULL);
    assert_true(str_is(scene->patch.items[0].file, "a.txt"));
    assert_item(scene, 1, PATCH_TAKEN, NULL);
}

IN_SCENE(a_barred_file_is_left_alone)
{
    struct patch_scene *scene = *state;

    add_edits(scene, edit_in(scene, "a.txt", 0, 1, "x"), edit_in(scene, "secret", 0, 1, "x"));
    choose_all(scene);
    assert_item(scene, 0, PATCH_BARRED, "it is secret");
    assert_true(str_is(scene->patch.items[0].file, "secret"));
    assert_patched(scene, NULL, "a.txt", scene->a);
}

IN_SCENE(edits_outside_the_file_are_refused)
{
    struct patch_scene *scene = *state;

    add_edit(scene, SEVERITY_LOW, 9, 11, "x");
    add_edit(scene, SEVERITY_LOW, 11, 11, "x");
    add_edit(scene, SEVERITY_LOW, UINT64_MAX, UINT64_MAX, "x");
    add_edit(scene, SEVERITY_LOW, 0, UINT64_MAX, "x");
    choose_all(scene);
    for (uint32_t i = 0; i < 4; i++) assert_item(scene, i, PATCH_UNFIT, "behind the end");
    assert_int_equal(scene->patch.change_count, 0);
}

IN_SCENE(a_character_is_never_cut_in_two)
{
    struct patch_scene *scene = *state;

    scene->a = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z"; /* 1, 2, 3 and 4 bytes, and one more */
    add_edit(scene, SEVERITY_LOW, 2, 3, "x");
    add_edit(scene, SEVERITY_LOW, 1, 2, "x");
    add_edit(scene, SEVERITY_LOW, 4, 4, "x");
    add_edit(scene, SEVERITY_LOW, 3, 5, "x");
    add_edit(scene, SEVERITY_LOW, 7, 7, "x");
    add_edit(scene, SEVERITY_LOW, 8, 10, "x");
    add_edit(scene, SEVERITY_LOW, 6, 9, "x");
    add_edit(scene, SEVERITY_LOW, 3, 6, "E");
    add_edit(scene, SEVERITY_LOW, 6, 6, "|");
    add_edit(scene, SEVERITY_LOW, 11, 11, "!");
    choose_all(scene);
    for (uint32_t i = 0; i < 7; i++) assert_item(scene, i, PATCH_UNFIT, "inside a character");
    assert_patched(scene, NULL, "a.txt", "a\xc3\xa4" "E|\xf0\x9f\x98\x80z!");
}

IN_SCENE(bytes_that_are_no_characters_can_be_replaced)
{
    struct patch_scene *scene = *state;

    scene->a = "caf\xe9 \x80\x80\x80";
    add_edit(scene, SEVERITY_LOW, 3, 4, "\xc3\xa9");
    add_edit(scene, SEVERITY_LOW, 6, 7, "x");
    choose_all(scene);
    assert_patched(scene, NULL, "a.txt", "caf\xc3\xa9 \x80x\x80");
}

IN_SCENE(edits_of_one_fix_may_not_overlap)
{
    struct patch_scene *scene = *state;

    add_edits(scene, edit_in(scene, "a.txt", 0, 5, "x"), edit_in(scene, "a.txt", 4, 6, "y"));
    add_edits(scene, edit_in(scene, "a.txt", 3, 3, "x"), edit_in(scene, "a.txt", 0, 5, "y"));
    add_edits(scene, edit_in(scene, "a.txt", 0, 5, "x"), edit_in(scene, "a.txt", 0, 5, "x"));
    add_edits(scene, edit_in(scene, "a.txt", 8, 9, "y"), edit_in(scene, "b.txt", 0, 1, "x"));
    add_edits(scene, edit_in(scene, "a.txt", 2, 2, "1"), edit_in(scene, "a.txt", 2, 2, "2"));
    choose_all(scene);
    for (uint32_t i = 0; i < 3; i++) assert_item(scene, i, PATCH_UNFIT, "overlap each other");
    assert_patched(scene, NULL, "a.txt", "0112234567y9");
}

IN_SCENE(a_fix_that_changes_nothing_is_none)
{
    struct patch_scene *scene = *state;

    add_edit(scene, SEVERITY_LOW, 0, 0, "");
    add_edit(scene, SEVERITY_LOW, 2, 4, "23");
    add_edits(scene, edit_in(scene, "a.txt", 2, 4, "23"), edit_in(scene, "a.txt", 5, 6, "x"));
    choose_all(scene);
    assert_item(scene, 0, PATCH_UNFIT, "changes nothing");
    assert_item(scene, 1, PATCH_UNFIT, "changes nothing");
    assert_item(scene, 2, PATCH_TAKEN, NULL);
}

IN_SCENE(an_empty_file_can_be_written_to)
{
    struct patch_scene *scene = *state;

    scene->a = "";
    add_edit(scene, SEVERITY_LOW, 0, 0, "x");
    choose_all(scene);
    scene->patch.files[0].content = (struct str){ NULL, 0 };
    patch_choose(&scene->patch, &(uint64_t){ 1 }, 1);
    assert_patched(scene, NULL, "a.txt", "x");
    assert_true(patch_identity(&scene->patch, &scene->patch.items[0]) != 0);
}
