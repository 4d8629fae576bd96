/* SPDX-License-Identifier: Apache-2.0
 *
 * git_hook.c - the hook before a push: a small script that hands git's lines to hone.
 *
 * 1. git says where hooks are: core.hooksPath, if it is set, names another folder than the
 *    repository's own.
 * 2. A hook that hone did not write is never changed. It is known by the mark in its second line;
 *    one that the user has edited behind that is the user's, too, and stays.
 * 3. Where hone is not found when git pushes, the push goes on, and that is said: a hook must not
 *    keep people from their work because a program was removed. */
#include "install/git_hook.h"

#include "base/path.h"
#include "io/file/file.h"
#include "io/process/helper.h"
#include "io/process/program.h"

#include <string.h>

enum { HOOK_BYTES_MAX = 1 << 20, PATH_BYTES_MAX = 8192 };

#define MARK "# Written by hone install git; hone uninstall git removes it."

/* A word that sh takes as it stands. */
static const char *quoted(const char *text, struct arena *arena)
{
    struct buf out;

    buf_init(&out, 5 * PATH_BYTES_MAX);
    buf_byte(&out, '\'');
    for (; *text; text++) {
        if (*text == '\'') buf_text(&out, "'\\''");
        else buf_byte(&out, *text);
    }
    buf_byte(&out, '\'');
    return arena_take_cstr(arena, &out);
}

/* How a hook calls this program: by its name where the PATH leads to it. */
static const char *command_text(struct arena *arena)
{
    const char *self = file_real(program_self(), arena), *found = program_find("hone", arena);

    if (found) found = file_real(found, arena);
    return !self || (found && strcmp(found, self) == 0) ? "hone" : quoted(self, arena);
}

static void write_texts(struct git_hook *hook, struct arena *arena)
{
    const char *command = command_text(arena);

    hook->line = arena_printf(arena, "%s ci --pushed \"$1\" || exit 1", command);
    hook->text = str_of(arena_printf(arena,
        "#!/bin/sh\n" MARK "\n"
        "# Judges what is pushed by the analyzers that are installed; says nothing where nothing\n"
        "# is wrong. HONE_SKIP=1 git push, or git push --no-verify, pushes without it.\n"
        "hone=%s\n"
        "if ! command -v \"$hone\" >/dev/null 2>&1; then\n"
        "    echo \"pre-push: there is no program $hone: this push was not judged\" >&2\n"
        "    exit 0\n"
        "fi\n"
        "exec \"$hone\" ci --pushed \"$1\"\n", command));
}

static int find_folder(struct git_hook *hook, const char *workspace, struct arena *arena,
                       struct err *err)
{
    static const char *const args[] = { "git", "rev-parse", "--git-path", "hooks", NULL };
    struct buf said;
    struct str path;
    int rc;

    buf_init(&said, PATH_BYTES_MAX);
    rc = helper_run(args, NULL, workspace, STR(""), &said, err);
    path = buf_str(&said);
    if (str_ends(path, STR("\n"))) path.size--;
    if (rc == 0) hook->folder = path_joined(workspace, path, arena);
    if (rc == 0) {
        file_place_find(workspace, arena_printf(arena, "%s/" GIT_HOOK_NAME, hook->folder), arena,
                        &hook->place);
    }
    buf_release(&said);
    return rc == 0 ? 0 : err_wrap(err, "ask git where its hooks are");
}

/* Whether hone wrote a hook, as it is: nothing in it but what some hone writes. */
static bool is_ours(struct str text)
{
    static const char *const beginnings[] = { "#!/bin/sh", "#", "hone=", "if ", "    ", "fi",
                                              "exec \"$hone\"", NULL };
    struct str line, rest = text;
    uint32_t number = 0;

    while (str_cut(&rest, '\n', &line)) {
        const char *const *known = beginnings;

        if (++number == 2 && !str_is(line, MARK)) return false;
        while (*known && !str_starts(line, str_of(*known))) known++;
        if (!*known) return false;
    }
    return number >= 2;
}

int git_hook_plan(struct git_hook *hook, const char *workspace, struct arena *arena,
                  struct err *err)
{
    struct str now;
    int rc = find_folder(hook, workspace, arena, err);

    if (rc != 0) return rc;
    hook->path = arena_printf(arena, "%s/" GIT_HOOK_NAME, hook->folder);
    write_texts(hook, arena);
    hook->state = GIT_HOOK_NONE;
    if (!file_exists(hook->path)) return 0;
    rc = file_text(hook->path, HOOK_BYTES_MAX, arena, &now, err);
    if (rc != 0) hook->state = GIT_HOOK_OTHERS; /* a program, or a link that leads nowhere */
    else if (str_eq(now, hook->text)) hook->state = GIT_HOOK_OURS;
    else if (is_ours(now)) hook->state = GIT_HOOK_OLDER;
    else if (memmem(now.data, now.size, "ci --pushed", 11)) hook->state = GIT_HOOK_CALLS;
    else hook->state = GIT_HOOK_OTHERS;
    return 0;
}

int git_hook_write(const struct git_hook *hook, struct err *err)
{
    const struct file_place *place = &hook->place;
    int rc = place->inside ? 0 : file_make_folder(place->root, true, err);

    if (rc == 0) rc = file_write(place->root, place->path, hook->text, err);
    return rc == 0 ? file_set_runnable(place->root, place->path, err) : rc;
}

int git_hook_remove(const struct git_hook *hook, struct err *err)
{
    return file_remove_in(hook->place.root, hook->place.path, err);
}
