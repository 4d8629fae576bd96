/* SPDX-License-Identifier: Apache-2.0
 *
 * hone_rights.c - what "rights" gives, looked at for sense.
 *
 * A right that gives nothing is worse than none: whoever wrote it believes in it, and finds out
 * when an agent fails. So a path that is open anyway, one that no setting opens, a pattern where
 * none is understood and a name that no variable has are refused.
 *
 * Whether a path is there is not asked: the file may be meant for another machine. */
#include "settings/hone_keys.h"

#include "base/byte.h"
#include "base/path.h"
#include "settings/places.h"

#include <string.h>

enum { LINE_SHOWN_MAX = 60, SLIPS_MAX = 3 };

static bool is_pattern(struct str line)
{
    return str_has(line, '*') || str_has(line, '?');
}

/* ---- rights.write ---- */

static const char *write_problem(struct str line, struct arena *arena)
{
    (void)arena;
    if (is_pattern(line)) return "patterns are not understood here; name the folder itself";
    if (str_has(line, '$')) return "variables are not looked up here; write the path, or ~/...";
    if (str_starts(line, STR("/")) || str_starts(line, STR("~/"))) return NULL;
    if (str_starts(line, STR("~"))) return "write ~/ for your home folder, or the whole path";
    if (path_goes_up(line)) return NULL;
    return "that is in the workspace, where fixers can write anyway; name a path elsewhere, such "
           "as \"~/.local/share/tool\"";
}

/* ---- rights.change ---- */

static const char *change_near(struct str line)
{
    uint32_t least = SLIPS_MAX + 1;
    const char *best = NULL;

    for (uint32_t i = 0; guard_workspace[i]; i++) {
        uint32_t distance = str_distance(line, str_of(guard_workspace[i]));

        if (distance >= least || distance * 2 >= strlen(guard_workspace[i])) continue;
        least = distance;
        best = guard_workspace[i];
    }
    return best;
}

static const char *change_problem(struct str line, struct arena *arena)
{
    const char *path = arena_cstr(arena, line), *near;

    if (str_is(line, "*")) return NULL;
    if (is_pattern(line)) {
        return "patterns are not understood here; name the path itself, or \"*\" for all that is "
               "protected";
    }
    if (str_starts(line, STR("/")) || str_starts(line, STR("~")) || path_goes_up(line)) {
        return "that is no path of the workspace; paths elsewhere are for rights.write";
    }
    for (uint32_t i = 0; guard_workspace[i]; i++) {
        if (guard_allows(path, guard_workspace[i])) return NULL;
    }
    if (str_is(line, ".git") || str_is(line, ".git/")) return NULL; /* commits, branches, tags */
    if (str_starts(line, STR(".git/"))) {
        return "what git goes by and runs is never an agent's to change; \".git\" allows commits, "
               "branches and tags";
    }
    near = change_near(line);
    if (near) {
        return arena_printf(arena, "that is not protected, and fixers can change it anyway; did "
                            "you mean '%s'?", near);
    }
    return "that is not protected, and fixers can change it anyway; protected are '.claude', "
           "'.github/workflows' and the like";
}

/* ---- rights.env ---- */

static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool letter = byte_is_letter(c) || c == '_';

        if (!letter && !(i > 0 && byte_is_digit(c))) return false;
    }
    return name.size > 0;
}

static const char *env_problem(struct str line, struct arena *arena)
{
    struct str name = line;

    (void)arena;
    if (str_is(line, "*")) return NULL;
    if (str_ends(name, STR("*"))) name.size--;
    if (is_name(name)) return NULL;
    if (str_starts(line, STR("$"))) return "write the name without '$'";
    if (str_has(line, '=')) return "write the name alone; the value comes from your environment";
    if (str_has(name, '*')) return "a '*' can stand at the end only, as in \"AWS_*\"";
    return "that is no name of a variable, such as \"GITHUB_TOKEN\" or \"AWS_*\"";
}

const char *hone_rights_problem(const struct hone_key *key, const char *lines,
                                struct arena *arena)
{
    static const struct {
        const char *path;
        const char *(*problem)(struct str line, struct arena *arena);
    } rows[] = {
        { "rights.write", write_problem },
        { "rights.change", change_problem },
        { "rights.env", env_problem },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str rest = str_of(lines), line;

        if (strcmp(rows[i].path, key->path) != 0) continue;
        while (str_cut(&rest, '\n', &line)) {
            const char *problem = rows[i].problem(line, arena);
            int shown = line.size > LINE_SHOWN_MAX ? LINE_SHOWN_MAX : (int)line.size;

            if (problem) return arena_printf(arena, "'%.*s': %s", shown, line.data, problem);
        }
    }
    return NULL;
}
