/* SPDX-License-Identifier: Apache-2.0
 *
 * patch_scene.h - findings about a.txt and b.txt, and the choice among their fixes.
 *
 * Set the contents first, add findings, choose, and look. A file "secret" is barred. */
#ifndef HONE_TESTS_PATCH_SCENE_H
#define HONE_TESTS_PATCH_SCENE_H

#include "format/report/patch.h"

enum { SCENE_FINDINGS_MAX = 16 };

struct patch_scene {
    struct arena arena;
    struct patch patch;
    struct finding findings[SCENE_FINDINGS_MAX];
    uint32_t count;
    const char *a, *b; /* contents */
};

int patch_scene_open(void **state);
int patch_scene_close(void **state);

#define IN_SCENE(name) TEST_WITH(name, patch_scene_open, patch_scene_close)

/* An edit with the right hash. */
struct edit edit_in(const struct patch_scene *scene, const char *file, uint64_t start,
                    uint64_t end, const char *text);

/* A finding with these alternatives. */
struct finding *add_fixes(struct patch_scene *scene, enum severity severity, struct fix *fixes,
                          uint32_t count);
/* A finding whose one fix is one edit of a.txt; is these two edits. */
struct finding *add_edit(struct patch_scene *scene, enum severity severity, uint64_t start,
                         uint64_t end, const char *text);
void add_edits(struct patch_scene *scene, struct edit first, struct edit second);

void choose_all(struct patch_scene *scene);

/* why, where not NULL, is part of the reason. */
void assert_item(const struct patch_scene *scene, uint32_t item, enum patch_state wanted,
                 const char *why);
void assert_patched(const struct patch_scene *scene, const bool *in, const char *path,
                    const char *wanted);

#endif
