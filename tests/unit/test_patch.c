/* SPDX-License-Identifier: Apache-2.0
 *
 * test_patch.c - which fixes are taken, and what the files become. */
#include "patch_scene.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is taken ---- */

IN_SCENE(fixes_that_do_not_meet_are_all_made)
{
    struct patch_scene *scene = *state;

    add_edit(scene, SEVERITY_LOW, 8, 10, "");
    add_edit(scene, SEVERITY_LOW, 0, 0, "<");
    add_edit(scene, SEVERITY_LOW, 2, 4, "xyz");
    choose_all(scene);
    for (uint32_t i = 0; i < 3; i++) assert_item(scene, i, PATCH_TAKEN, NULL);
    assert_int_equal(scene->patch.change_count, 3);
    assert_patched(scene, NULL, "a.txt", "<01xyz4567");
}

IN_SCENE(stretches_that_touch_do_not_overlap)
{
    struct patch_scene *scene = *state;

    add_edit(scene, SEVERITY_LOW, 4, 6, "B");
    add_edit(scene, SEVERITY_LOW, 2, 4, "A");
    add_edit(scene, SEVERITY_LOW, 4, 4, "|");
    add_edit(scene, SEVERITY_LOW, 6, 6, "!");
    add_edit(scene, SEVERITY_LOW, 10, 10, "$");
    choose_all(scene);
    for (uint32_t i = 0; i < 5; i++) assert_item(scene, i, PATCH_TAKEN, NULL);
    assert_patched(scene, NULL, "a.txt", "01A|B!6789$");
}

IN_SCENE(any_subset_can_be_applied)
{
    static const char *const wanted[] = {
        "0123456789", "X123456789", "01YY456789", "X1YY456789",
        "0123456789Z", "X123456789Z", "01YY456789Z", "X1YY456789Z",
    };
    struct patch_scene *scene = *state;

    add_edit(scene, SEVERITY_LOW, 0, 1, "X");
    add_edit(scene, SEVERITY_LOW, 2, 4, "YY");
    add_edit(scene, SEVERITY_LOW, 10, 10, "Z");
    choose_all(scene);
    for (uint32_t set = 0; set < 8; set++) {
        bool in[3] = { set & 1, set & 2, set & 4 };
        assert_patched(scene, in, "a.txt", wanted[set]);
        assert_int_equal(patch_touches(&scene->patch, in, 0), set != 0);
    }
}

IN_SCENE(a_fix_may_be_for_many_files)
{
    struct patch_scene *scene = *state;
    bool none[1] = { false };

    add_edits(scene, edit_in(scene, "b.txt", 0, 3, "eins"), edit_in(scene, "a.txt", 0, 1, "null"));
    choose_all(scene);
    assert_int_equal(scene->patch.change_count, 1);
    assert_patched(scene, NULL, "a.txt", "null123456789");
    assert_patched(scene, NULL, "b.txt", "eins\ntwo\nthree\n");
    assert_patched(scene, none, "b.txt", "one\ntwo\nthree\n");
}

IN_SCENE(the_graver_finding_wins)
{
    struct patch_scene *scene = *state;

    add_edit(scene, SEVERITY_LOW, 2, 5, "low");
    add_edit(scene, SEVERITY_MEDIUM, 3, 6, "medium");
    add_edit(scene, SEVERITY_HIGH, 4, 7, "high");
    add_edit(scene, SEVERITY_HIGH, 6, 8, "late");
    choose_all(scene);
    assert_item(scene, 0, PATCH_OVERLAPS, NULL);
    assert_item(scene, 1, PATCH_OVERLAPS, NULL);
    assert_item(scene, 2, PATCH_TAKEN, NULL);
    assert_item(scene, 3, PATCH_OVERLAPS, NULL);
    for (uint32_t i = 0; i < 4; i++) if (i != 2) assert_int_equal(scene->patch.items[i].rival, 2);
    assert_patched(scene, NULL, "a.txt", "0123high789");
}

IN_SCENE(the_same_fix_of_two_findings_is_made_once)
{
    struct patch_scene *scene = *state;

    add_edit(scene, SEVERITY_LOW, 4, 4, "x");
    add_edit(scene, SEVERITY_HIGH, 4, 4, "x");
    add_edit(scene, SEVERITY_LOW, 4, 4, "y");
    add_edits(scene, edit_in(scene, "b.txt", 0, 1, "O"), edit_in(scene, "a.txt", 0, 1, "N"));
    add_edits(scene, edit_in(scene, "a.txt", 0, 1, "N"), edit_in(scene, "b.txt", 0, 1, "O"));
    choose_all(scene);
    assert_item(scene, 0, PATCH_TAKEN, NULL);
    assert_item(scene, 1, PATCH_TAKEN, NULL);
    assert_int_equal(scene->patch.items[0].change, scene->patch.items[1].change);
    assert_item(scene, 2, PATCH_OVERLAPS, NULL);
    assert_int_equal(scene->patch.items[2].rival, 1);
    assert_int_equal(scene->patch.items[3].change, scene->patch.items[4].change);
    assert_item(scene, 4, PATCH_TAKEN, NULL);
    assert_int_equal(scene->patch.change_count, 2);
    assert_patched(scene, NULL, "a.txt", "N123x456789");
}

IN_SCENE(fixes_that_share_one_edit_are_not_the_same)
{
    struct patch_scene *scene = *state;

    scene->a = "$a$b";
    add_edits(scene, edit_in(scene, "a.txt", 0, 0, "\""), edit_in(scene, "a.txt", 2, 2, "\""));
    add_edits(scene, edit_in(scene, "a.txt", 2, 2, "\""), edit_in(scene, "a.txt", 4, 4, "\""));
    choose_all(scene);
    assert_item(scene, 0, PATCH_TAKEN, NULL);
    assert_item(scene, 1, PATCH_OVERLAPS, NULL);
    assert_patched(scene, NULL, "a.txt", "\"$a\"$b");
}

TEST(what_overlaps_is_what_replaces_or_inserts_there)
{
    static const struct {
        uint64_t start, end;
        bool overlaps;
    } cases[] = {
        { 2, 3, false }, { 3, 5, false }, { 2, 4, false }, { 3, 6, true }, { 5, 6, true },
        { 5, 7, true }, { 5, 9, true }, { 4, 9, true }, { 6, 7, true }, { 7, 9, true },
        { 8, 9, false }, { 5, 5, false }, { 6, 6, true }, { 7, 7, true }, { 8, 8, false },
        { 0, 10, true }, { 1, 1, true }, { 0, 1, false }, { 1, 2, false }, { 0, 2, true },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *own;
        struct patch_scene *scene;

        patch_scene_open(&own);
        scene = own;
        add_edit(scene, SEVERITY_HIGH, 5, 8, "taken");
        add_edit(scene, SEVERITY_HIGH, 1, 1, "taken");
        add_edit(scene, SEVERITY_LOW, cases[i].start, cases[i].end, "new");
        choose_all(scene);
        if ((scene->patch.items[2].state == PATCH_OVERLAPS) != cases[i].overlaps)
            fail_msg("%u to %u", (unsigned)cases[i].start, (unsigned)cases[i].end);
        patch_scene_close(&own);
    }
}

IN_SCENE(a_fix_that_overlaps_in_one_file_is_made_in_none)
{
    struct patch_scene *scene = *state;

    add_edit(scene, SEVERITY_HIGH, 5, 8, "taken");
    add_edits(scene, edit_in(scene, "a.txt", 6, 7, "x"), edit_in(scene, "b.txt", 0, 1, "x"));
    choose_all(scene);
    assert_item(scene, 1, PATCH_OVERLAPS, NULL);
    assert_patched(scene, NULL, "b.txt", scene->b);
}

/* ---- alternatives ---- */

IN_SCENE(the_first_alternative_that_can_be_made_is_taken)
{
    struct patch_scene *scene = *state;
    struct edit edits[] = {
        edit_in(scene, "a.txt", 0, 99, "x"),
        edit_in(scene, "a.txt", 6, 7, "y"),
        edit_in(scene, "a.txt", 0, 1, "z"),
        edit_in(scene, "a.txt", 1, 2, "never"),
    };
    struct fix fixes[4];

    for (int i = 0; i < 4; i++) fixes[i] = (struct fix){ .edits = &edits[i], .count = 1 };
    add_edit(scene, SEVERITY_HIGH, 5, 8, "taken");
    add_fixes(scene, SEVERITY_LOW, fixes, 4);
    add_fixes(scene, SEVERITY_LOW, fixes, 2);
    choose_all(scene);
    assert_item(scene, 1, PATCH_TAKEN, NULL);
    assert_patched(scene, NULL, "a.txt", "z1234taken89");
    assert_item(scene, 2, PATCH_OVERLAPS, NULL); /* of two reasons the one that passes */
}

IN_SCENE(what_was_refused_is_left_for_the_next_alternative)
{
    struct patch_scene *scene = *state;
    struct edit edits[] = { edit_in(scene, "a.txt", 0, 1, "bad"),
                            edit_in(scene, "a.txt", 0, 1, "good") };
    struct fix fixes[] = { { .edits = &edits[0], .count = 1 }, { .edits = &edits[1], .count = 1 } };
    uint64_t refused[2];

    add_fixes(scene, SEVERITY_LOW, fixes, 2);
    choose_all(scene);
    assert_patched(scene, NULL, "a.txt", "bad123456789");
    refused[0] = patch_identity(&scene->patch, &scene->patch.items[0]);
    patch_choose(&scene->patch, refused, 1);
    assert_patched(scene, NULL, "a.txt", "good123456789");
    refused[1] = patch_identity(&scene->patch, &scene->patch.items[0]);
    assert_true(refused[0] != refused[1]);
    if (refused[0] > refused[1]) {
        uint64_t larger = refused[0];
        refused[0] = refused[1];
        refused[1] = larger;
    }
    patch_choose(&scene->patch, refused, 2);
    assert_item(scene, 0, PATCH_REFUSED, NULL);
    assert_patched(scene, NULL, "a.txt", scene->a);
}

static uint64_t identity_in(const char *content, uint64_t at, const char *kind, const char *text)
{
    void *own;
    struct patch_scene *scene;
    uint64_t identity;

    patch_scene_open(&own);
    scene = own;
    scene->a = content;
    add_edit(scene, SEVERITY_LOW, at, at + 1, text)->kind = str_of(kind);
    choose_all(scene);
    identity = patch_identity(&scene->patch, &scene->patch.items[0]);
    patch_scene_close(&own);
    return identity;
}

TEST(an_identity_does_not_depend_on_the_line)
{
    static const char pad[] = "................................";
    struct arena arena = { 0 };
    const char *here = arena_printf(&arena, "%sX%s", pad, pad);
    const char *there = arena_printf(&arena, "another\nline%sX%s more", pad, pad);
    const char *other = arena_printf(&arena, "%sY%s", pad, pad);
    uint64_t identity = identity_in(here, 32, "rule", "Z");

    assert_true(identity == identity_in(there, 12 + 32, "rule", "Z"));
    assert_true(identity != identity_in(here, 32, "rule", "ZZ"));
    assert_true(identity != identity_in(here, 32, "other rule", "Z"));
    assert_true(identity != identity_in(other, 32, "rule", "Z"));
    assert_true(identity != identity_in(here, 31, "rule", "Z"));
    arena_release(&arena);
}

/* ---- lines ---- */

IN_SCENE(lines_are_those_of_the_new_file)
{
    struct patch_scene *scene = *state;
    uint32_t lines[3] = { 0 };
    bool without[3] = { true, false, true };
    struct buf out;

    add_edits(scene, edit_in(scene, "b.txt", 8, 13, "3\n3\n3"), edit_in(scene, "b.txt", 4, 7, "2"));
    for (uint32_t i = 0; i < 2; i++) {
        struct edit edit = edit_in(scene, "b.txt", i ? 14 : 0, i ? 14 : 0, i ? "end" : "0\n0\n");
        add_fixes(scene, SEVERITY_LOW, &(struct fix){ .edits = &edit, .count = 1 }, 1);
    }
    choose_all(scene);
    buf_init(&out, 100);
    patch_apply(&scene->patch, NULL, 0, &out, lines);
    assert_string_equal(buf_cstr(&out), "0\n0\none\n2\n3\n3\n3\nend");
    assert_int_equal(lines[0], 4);
    assert_int_equal(lines[1], 1);
    assert_int_equal(lines[2], 8);
    buf_clear(&out);
    patch_apply(&scene->patch, without, 0, &out, lines);
    assert_int_equal(lines[0], 2);
    assert_int_equal(lines[2], 6);
    buf_release(&out);
}

/* ---- safe and risky, and which tool ---- */

IN_SCENE(risky_fixes_are_left_where_only_safe_ones_are_made)
{
    struct patch_scene *scene = *state;
    struct edit edits[] = { edit_in(scene, "a.txt", 0, 1, "risky"),
                            edit_in(scene, "a.txt", 2, 3, "safe"),
                            edit_in(scene, "a.txt", 0, 99, "unfit") };
    struct fix fixes[] = { { .edits = &edits[0], .count = 1 },
                           { .edits = &edits[1], .count = 1, .safe = true } };
    struct fix unfit = { .edits = &edits[2], .count = 1 };

    add_fixes(scene, SEVERITY_HIGH, &fixes[0], 1);
    add_fixes(scene, SEVERITY_LOW, &fixes[1], 1);
    add_fixes(scene, SEVERITY_LOW, fixes, 2);
    add_fixes(scene, SEVERITY_LOW, &unfit, 1);
    choose_all(scene);
    scene->patch.safe_only = true;
    patch_choose(&scene->patch, NULL, 0);
    assert_item(scene, 0, PATCH_RISKY, NULL);
    assert_item(scene, 1, PATCH_TAKEN, NULL);
    assert_item(scene, 2, PATCH_TAKEN, NULL); /* by the alternative that is safe */
    assert_item(scene, 3, PATCH_UNFIT, NULL); /* what cannot be made is not held back */
    assert_patched(scene, NULL, "a.txt", "01safe3456789");
    scene->patch.safe_only = false;
    patch_choose(&scene->patch, NULL, 0);
    assert_item(scene, 0, PATCH_TAKEN, NULL);
    assert_patched(scene, NULL, "a.txt", "risky1safe3456789");
}

IN_SCENE(of_several_tools_edits_of_one_line_the_better_typed_one_wins)
{
    struct patch_scene *scene = *state;
    struct edit edits[] = { edit_in(scene, "a.txt", 1, 3, "%ld"),
                            edit_in(scene, "a.txt", 1, 3, "%zu") };
    struct fix gcc = { .edits = &edits[0], .count = 1 };
    struct fix clang = { .edits = &edits[1], .count = 1, .rank = 1 };

    add_fixes(scene, SEVERITY_HIGH, &gcc, 1);
    add_fixes(scene, SEVERITY_MEDIUM, &clang, 1);
    choose_all(scene);
    assert_item(scene, 0, PATCH_OVERLAPS, NULL);
    assert_patched(scene, NULL, "a.txt", "0%zu3456789");
}

IN_SCENE(a_refused_fix_is_known_again_among_those_that_were_made)
{
    struct patch_scene *scene = *state;
    struct patch_scene *after;
    void *other = NULL;
    bool in[] = { true, false };
    uint64_t refused;

    add_edit(scene, SEVERITY_LOW, 0, 2, "longer");
    add_edit(scene, SEVERITY_LOW, 5, 6, "bad");
    choose_all(scene);
    refused = patch_identity_after(&scene->patch, &scene->patch.items[1], in);
    assert_true(refused != patch_identity(&scene->patch, &scene->patch.items[1]));
    patch_scene_open(&other);
    after = other;
    after->a = "longer23456789";
    add_edit(after, SEVERITY_LOW, 9, 10, "bad");
    choose_all(after);
    assert_true(refused == patch_identity(&after->patch, &after->patch.items[0]));
    patch_choose(&after->patch, &refused, 1);
    assert_item(after, 0, PATCH_REFUSED, NULL);
    patch_scene_close(&other);
}
