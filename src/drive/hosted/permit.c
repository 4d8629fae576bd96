/* SPDX-License-Identifier: Apache-2.0
 *
 * permit.c - the host is about to ask its user whether a command may run: an agent that
 * writes its answer, and does nothing else, may.
 *
 * Reviewers have no tool that writes, so they write their one file by the shell; and a host takes
 * JSON in a command for something hidden and asks about it, each time. One form is answered here,
 * and agents are told to use it:
 *
 *     cat > FILE <<'WORD'
 *     ...
 *     WORD
 *
 * 1. It is compared, not parsed: nothing in front, nothing behind, a path that is plain or quoted,
 *    a quoted word that stands alone in the last line and nowhere before, no control characters.
 *    In such a text the shell expands nothing.
 * 2. FILE is the answer that is wanted of this very role now, through no link.
 * 3. Everything else is silence: then the user is asked, as without hone. */
#include "drive/hosted/parts.h"

#include "base/byte.h"
#include "io/file/peek.h"

#include <string.h>

enum { WORD_BYTES_MAX = 40, PATH_BYTES_MAX = 4096 };

static bool is_all(struct str text, const char *more)
{
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        bool plain = byte_is_alnum(byte);
        if (!plain && !str_has(str_of(more), byte)) return false;
    }
    return text.size > 0;
}

/* A shell drops a NUL, and a line could become another one by that. */
static bool has_control(struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) return true;
    }
    return false;
}

static struct str skip_blanks(struct str text)
{
    while (text.size > 0 && text.data[0] == ' ') text = str_skip(text, 1);
    return text;
}

/* Cuts a path off *line: plain, or in quotes, in which a shell has nothing to expand. */
static bool cut_path(struct str *line, struct str *path)
{
    char quote = line->size > 0 && str_has(STR("'\""), line->data[0]) ? line->data[0] : ' ';
    size_t at = 0;

    if (quote != ' ') *line = str_skip(*line, 1);
    while (at < line->size && line->data[at] != quote) at++;
    if (at == line->size || at > PATH_BYTES_MAX) return false;
    *path = (struct str){ line->data, at };
    *line = str_skip(*line, at + 1);
    if (quote == '\'' && at > 0) return path->data[0] != '-';
    return is_all(*path, quote == '"' ? "._/- " : "._/-") && path->data[0] != '-';
}

bool hosted_is_answer(struct str command, struct str *path)
{
    struct str rest = str_trim(command), line, word;
    bool closed = false;

    if (has_control(rest)) return false;
    if (!str_starts(rest, STR("cat >")) || !str_cut(&rest, '\n', &line)) return false;
    line = skip_blanks(str_skip(line, strlen("cat >")));
    if (!cut_path(&line, path)) return false;
    line = skip_blanks(line);
    if (!str_starts(line, STR("<<"))) return false;
    word = skip_blanks(str_skip(line, strlen("<<")));
    if (word.size < 3 || word.data[0] != '\'' || !str_ends(word, STR("'"))) return false;
    word = (struct str){ word.data + 1, word.size - 2 };
    if (!is_all(word, "_") || word.size > WORD_BYTES_MAX) return false;
    while (str_cut(&rest, '\n', &line)) {
        if (closed) return false; /* something stands behind it */
        closed = str_eq(line, word);
    }
    return closed;
}

/* Where the shell would write, if no link is on the way at its end; NULL: it cannot be told. */
static const char *target(struct hosted *hosted, struct str path)
{
    struct arena *arena = &hosted->arena;
    const char *whole = path.data[0] == '/'
        ? arena_printf(arena, "%.*s", STR_ARG(path))
        : arena_printf(arena, "%.*s/%.*s", STR_ARG(hosted->in->cwd), STR_ARG(path));
    const char *slash = strrchr(whole, '/'), *folder, *real;

    folder = real_folder(arena_printf(arena, "%.*s/", (int)(slash - whole), whole), arena);
    if (!folder) return NULL;
    whole = arena_printf(arena, "%s%s", folder, slash);
    if (!file_exists(whole)) return whole;
    real = real_file(whole, arena);
    return real && strcmp(real, whole) == 0 ? whole : NULL;
}

void hosted_permit(struct hosted *hosted)
{
    struct str type = hosted->in->agent_type, role, path;
    const char *file;

    if (hosted->in->tool.kind != HOOK_TOOL_SHELL || type.size == 0) return;
    if (!hosted_is_answer(hosted->in->tool.command, &path)) return;
    if (hosted_look(hosted) != 0 || !hosted->bound) return;
    if (hosted->notes.state != HOST_RUNNING) return;
    file = target(hosted, path);
    role = hosted_role(hosted, type);
    for (uint32_t i = 0; file && i < hosted->notes.wanted_count; i++) {
        const struct host_wanted *wanted = &hosted->notes.wanted[i];
        if (!str_is(role, wanted->role) || strcmp(wanted->output, file) != 0) continue;
        hook_permit(&hosted->reply->out);
        return;
    }
}
