/* SPDX-License-Identifier: Apache-2.0
 *
 * status.c - reading git's porcelain format, version 2, with NUL at the end of each line.
 *
 *   # branch.oid OID | (initial)          the header lines we ask for; others are passed over
 *   # branch.head NAME | (detached)
 *   1 XY SUB mH mI mW hH hI PATH          changed
 *   u XY SUB m1 m2 m3 mW h1 h2 h3 PATH    unmerged: three stages instead of HEAD and index
 *   ? PATH                                not tracked; PATH/ is a repository of its own
 *
 * 1. Every byte is accounted for: a line that is not one of these is an error, and so is text that
 *    does not end in NUL. A cut-off answer must not read as a smaller change.
 * 2. No path leads out of the tree or into a git folder.
 */
#include "io/git/status.h"

#include "io/file/walk.h"

#include <string.h>

enum { WORDS_MAX = 10 };

bool oid_is_valid(struct str oid)
{
    if (oid.size != 40 && oid.size != 64) return false;
    for (size_t i = 0; i < oid.size; i++) {
        if (!strchr("0123456789abcdef", oid.data[i]) || oid.data[i] == '\0') return false;
    }
    return true;
}

bool oid_parse(struct str text, char out[OID_BYTES])
{
    if (!oid_is_valid(text)) return false;
    memcpy(out, text.data, text.size);
    out[text.size] = '\0';
    if (strspn(out, "0") == text.size) out[0] = '\0';
    return true;
}

bool mode_parse(struct str text, uint32_t *out)
{
    static const struct { const char *text; uint32_t mode; } modes[] = {
        { "000000", 0 },        { "040000", 0040000 },  { "100644", 0100644 },
        { "100755", 0100755 },  { "120000", 0120000 },  { "160000", 0160000 },
    };

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (!str_is(text, modes[i].text)) continue;
        *out = modes[i].mode;
        return true;
    }
    return false;
}

bool tree_path_is_valid(struct str path)
{
    struct str part;

    if (!path_is_clean(path)) return false;
    while (str_cut(&path, '/', &part)) {
        if (str_is(part, ".git")) return false;
    }
    return true;
}

/* Cuts `count` words, each followed by one blank; what is left is the path. */
static bool cut_words(struct str *rest, struct str *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!str_has(*rest, ' ') || !str_cut(rest, ' ', &words[i])) return false;
    }
    return true;
}

static bool parse_flags(struct str states, struct str module, struct status_line *line)
{
    if (states.size != 2 || module.size != 4) return false;
    if (str_is(module, "N...")) return true;
    if (module.data[0] != 'S' || str_has(module, '\0')) return false;
    memcpy(line->module, module.data, 4);
    return true;
}

static bool parse_changed(struct str rest, struct status_line *line)
{
    struct str word[WORDS_MAX];

    if (!cut_words(&rest, word, 7) || !tree_path_is_valid(rest)) return false;
    line->path = rest;
    return parse_flags(word[0], word[1], line) && mode_parse(word[2], &line->head_mode) &&
           mode_parse(word[3], &line->staged_mode) && mode_parse(word[4], &line->mode) &&
           oid_parse(word[5], line->head) && oid_parse(word[6], line->staged);
}

/* "MODE OID MODE OID MODE OID": the form in which stages are compared, kept and put back. */
static bool parse_stages(struct arena *arena, const struct str *modes, const struct str *oids,
                         struct status_line *line)
{
    char oid[3][OID_BYTES];
    uint32_t mode[3];

    for (int i = 0; i < 3; i++) {
        if (!mode_parse(modes[i], &mode[i]) || !oid_parse(oids[i], oid[i])) return false;
        if ((mode[i] == 0) != (oid[i][0] == '\0')) return false;
    }
    line->stages = str_of(arena_printf(
        arena, "%06o %s %06o %s %06o %s", mode[0], mode[0] ? oid[0] : "-", mode[1],
        mode[1] ? oid[1] : "-", mode[2], mode[2] ? oid[2] : "-"));
    line->head_mode = mode[1]; /* stage 2 is ours: what HEAD holds */
    memcpy(line->head, oid[1], OID_BYTES);
    return true;
}

static bool parse_unmerged(struct str rest, struct arena *arena, struct status_line *line)
{
    struct str word[WORDS_MAX];

    if (!cut_words(&rest, word, 9) || !tree_path_is_valid(rest)) return false;
    line->path = rest;
    return parse_flags(word[0], word[1], line) && mode_parse(word[5], &line->mode) &&
           parse_stages(arena, &word[2], &word[6], line);
}

static bool parse_untracked(struct str path, struct status_line *line)
{
    line->untracked = true;
    line->repository = str_ends(path, STR("/"));
    if (line->repository) path.size--;
    line->path = path;
    return tree_path_is_valid(path);
}

static bool parse_header(struct str rest, struct status *out)
{
    struct str name;

    if (!str_cut(&rest, ' ', &name)) return true;
    if (str_is(name, "branch.head")) out->branch = rest;
    if (!str_is(name, "branch.oid") || str_is(rest, "(initial)")) return true;
    return oid_parse(rest, out->head);
}

static bool parse_line(struct str line, struct arena *arena, struct status_line *out)
{
    struct str rest = str_skip(line, 2);

    if (str_starts(line, STR("1 "))) return parse_changed(rest, out);
    if (str_starts(line, STR("u "))) return parse_unmerged(rest, arena, out);
    if (str_starts(line, STR("? "))) return parse_untracked(rest, out);
    return false;
}

static uint32_t count_lines(struct str text)
{
    uint32_t count = 0;

    for (size_t i = 0; i < text.size; i++) count += text.data[i] == '\0';
    return count;
}

int tree_parse_status(struct str text, struct arena *arena, struct status *out, struct err *err)
{
    struct str line;

    *out = (struct status){ 0 };
    if (text.size > UINT32_MAX)
        return err_set(err, ERR_LIMIT, "git status says more than 4 GB");
    if (text.size && text.data[text.size - 1] != '\0')
        return err_set(err, ERR_FORMAT, "the answer of git status is cut off");
    out->lines = arena_alloc(arena, count_lines(text) * sizeof *out->lines);
    while (str_cut(&text, '\0', &line)) {
        bool good;

        if (str_starts(line, STR("# "))) {
            good = parse_header(str_skip(line, 2), out);
        } else {
            good = parse_line(line, arena, &out->lines[out->count]);
            out->count++;
        }
        if (!good)
            return err_set(err, ERR_FORMAT, "git status said something unknown: %.*s",
                           (int)(line.size < 200 ? line.size : 200), line.data);
    }
    return 0;
}
