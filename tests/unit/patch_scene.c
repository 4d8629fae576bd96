/* SPDX-License-Identifier: Apache-2.0 */
#include "patch_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int patch_scene_open(void **state)
{
    struct patch_scene *scene = calloc(1, sizeof *scene);

    assert_non_null(scene);
    scene->a = "0123456789";
    scene->b = "one\ntwo\nthree\n";
    *state = scene;
    return 0;
}

int patch_scene_close(void **state)
{
    struct patch_scene *scene = *state;

    patch_release(&scene->patch);
    arena_release(&scene->arena);
    free(scene);
    return 0;
}

struct edit edit_in(const struct patch_scene *scene, const char *file, uint64_t start,
                    uint64_t end, const char *text)
{
    const char *content = strcmp(file, "b.txt") == 0 ? scene->b : scene->a;

    return (struct edit){ .file = str_of(file), .hash = content_hash(str_of(content)),
                          .start = start, .end = end, .text = str_of(text) };
}

struct finding *add_fixes(struct patch_scene *scene, enum severity severity, struct fix *fixes,
                          uint32_t count)
{
    struct finding *finding = &scene->findings[scene->count++];
    struct buf json;

    assert_true(scene->count <= SCENE_FINDINGS_MAX);
    buf_init(&json, 1 << 20);
    fixes_write(&(struct fixes){ .items = fixes, .count = count }, &json);
    *finding = (struct finding){ .severity = severity, .kind = STR("rule"),
                                 .fix = arena_copy(&scene->arena, buf_str(&json)) };
    buf_release(&json);
    return finding;
}

/* A finding whose one fix is one edit of a.txt. */
struct finding *add_edit(struct patch_scene *scene, enum severity severity, uint64_t start,
                         uint64_t end, const char *text)
{
    struct edit edit = edit_in(scene, "a.txt", start, end, text);

    return add_fixes(scene, severity, &(struct fix){ .edits = &edit, .count = 1 }, 1);
}

void add_edits(struct patch_scene *scene, struct edit first, struct edit second)
{
    struct edit edits[] = { first, second };

    add_fixes(scene, SEVERITY_LOW, &(struct fix){ .edits = edits, .count = 2 }, 1);
}

void choose_all(struct patch_scene *scene)
{
    patch_init(&scene->patch);
    for (uint32_t i = 0; i < scene->count; i++) patch_add(&scene->patch, &scene->findings[i]);
    patch_list_files(&scene->patch);
    for (uint32_t i = 0; i < scene->patch.file_count; i++) {
        struct patch_file *file = &scene->patch.files[i];
        file->content = str_of(str_is(file->path, "b.txt") ? scene->b : scene->a);
        if (str_is(file->path, "secret")) file->barred = "it is secret";
    }
    patch_choose(&scene->patch, NULL, 0);
}

void assert_item(const struct patch_scene *scene, uint32_t item, enum patch_state wanted,
                 const char *why)
{
    const struct patch_item *at = &scene->patch.items[item];

    assert_int_equal(at->state, wanted);
    if (why && (!at->why || !strstr(at->why, why))) fail_msg("'%s', not '%s'", at->why, why);
}

void assert_patched(const struct patch_scene *scene, const bool *in, const char *path,
                    const char *wanted)
{
    for (uint32_t i = 0; i < scene->patch.file_count; i++) {
        struct buf out;

        if (!str_is(scene->patch.files[i].path, path)) continue;
        buf_init(&out, 4096);
        patch_apply(&scene->patch, in, i, &out, NULL);
        assert_string_equal(buf_cstr(&out), wanted);
        buf_release(&out);
        return;
    }
    fail_msg("%s is not among the files", path);
}
