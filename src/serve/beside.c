/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/beside.h"

#include "run/look.h"
#include "settings/hone_files.h"
#include "settings/hone_use.h"

#include <string.h>

bool beside_isolates(const char *cwd)
{
    const struct hone_value *value = NULL;
    struct hone_own files = { 0 };
    struct arena arena = { 0 };
    struct look look;
    struct err none;
    bool can;

    (void)look_open(&look, cwd, &none); /* without a journal the place is still known */
    can = look.repo.is_git && repo_commit(&look.repo, "HEAD", &arena, &none);
    if (can && hone_own_open(&files, cwd, false, &none) == 0) {
        value = hone_find(&files.values, "isolate");
    }
    if (value && strcmp(value->text, "false") == 0) can = false;
    hone_own_close(&files);
    look_close(&look);
    arena_release(&arena);
    return can;
}
