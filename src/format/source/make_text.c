/* SPDX-License-Identifier: Apache-2.0
 *
 * make_text.c - the compilers in what make would run.
 *
 * make prints each recipe line as the shell would get it, with the line breaks that a backslash
 * hides, and says when it enters and leaves a folder:
 *
 *     make[1]: Entering directory '/x/lib'
 *     echo '  CC a.o'; cd sub && gcc -I.. -c -o a.o \
 *         a.c
 *     make[1]: Leaving directory '/x/lib'
 *
 * Makefiles can forbid it to say so. Then the last call of another make tells where it may be.
 *
 * 1. Each line has a shell of its own: a `cd` holds until the line ends, or its parenthesis.
 * 2. What a command is told to print is a word of that command, and no command.
 * 3. Nesting beyond FOLDERS_MAX is read in the folder it began in; nothing overflows.
 * 4. Memory grows with the text, and what is kept with the number of compiled sources.
 *
 * Folders are joined, not resolved: that takes a look at the disk (project_flags.c). */
#include "format/source/build_units.h"

#include "base/mem.h"
#include "format/source/compile_flags.h"
#include "format/source/shell_words.h"

#include <stdlib.h>
#include <string.h>

enum { FOLDERS_MAX = 32, FOLDER_BYTES_MAX = 4096 };

/* Folders that were entered, the last one being where we are. Those beyond the bound are only
 * counted. */
struct folders {
    const char *items[FOLDERS_MAX];
    uint32_t last;
};

struct reader {
    struct arena *arena;  /* of what is given back */
    struct arena scratch; /* of one line */
    struct folders made;  /* by make's own words */
    struct folders shell; /* inside one line */
    const char *called;   /* the folder of the last make that was called and has not said where it
                             is; NULL: none */
    struct build_unit *items;
    uint32_t count, cap;
};

/* ---- folders ---- */

static const char *here(const struct folders *folders)
{
    return folders->items[folders->last < FOLDERS_MAX ? folders->last : FOLDERS_MAX - 1];
}

static void enter(struct folders *folders, const char *folder)
{
    folders->last++;
    if (folders->last < FOLDERS_MAX) folders->items[folders->last] = folder;
}

static void leave(struct folders *folders)
{
    if (folders->last > 0) folders->last--;
}

static const char *below(struct arena *arena, const char *folder, const char *path)
{
    if (strlen(folder) + strlen(path) > FOLDER_BYTES_MAX) return folder;
    if (path[0] == '/') return path;
    return arena_printf(arena, "%s/%s", folder, path);
}

/* Lines of make's own; true when it was one. */
static bool take_notice(struct reader *reader, struct str line)
{
    struct str rest = line, word;
    bool enters;

    if (!str_cut(&rest, ' ', &word) || !str_ends(word, STR(":"))) return false;
    enters = str_starts(rest, STR("Entering directory "));
    if (!enters && !str_starts(rest, STR("Leaving directory "))) return false;
    str_cut(&rest, ' ', &word);
    str_cut(&rest, ' ', &word);
    rest = str_trim(rest);
    if (rest.size < 3 || (rest.data[0] != '\'' && rest.data[0] != '`') ||
        rest.data[rest.size - 1] != '\'')
        return false;
    rest = (struct str){ rest.data + 1, rest.size - 2 };
    reader->called = NULL;
    if (!enters) leave(&reader->made);
    else enter(&reader->made, below(reader->arena, here(&reader->made),
                                     arena_cstr(reader->arena, rest)));
    return true;
}

/* ---- commands ---- */

/* The list, out of the scratch. */
static const char *const *keep_list(struct arena *arena, const char *const *list)
{
    const char **out;
    size_t count = 0;

    while (list[count]) count++;
    out = arena_alloc(arena, (count + 1) * sizeof *out);
    for (size_t i = 0; i < count; i++) out[i] = arena_cstr(arena, str_of(list[i]));
    return out;
}

static void take_compile(struct reader *reader, const struct shell_command *command)
{
    struct compile compile;
    const char *const *flags;
    const char *folder;

    if (!compile_read(command->words, command->count, &reader->scratch, &compile)) return;
    if (!compile.files[0]) return;
    flags = keep_list(reader->arena, compile.flags);
    folder = arena_cstr(reader->arena, str_of(here(&reader->shell)));
    for (const char *const *file = compile.files; *file; file++) {
        reader->items = mem_grow(reader->items, reader->count, &reader->cap,
                                 sizeof *reader->items);
        reader->items[reader->count++] = (struct build_unit){
            .folder = folder, .perhaps = reader->called,
            .file = arena_cstr(reader->arena, str_of(*file)), .flags = flags
        };
    }
}

static bool is_change_folder(const struct shell_command *command)
{
    return command->count == 2 && str_is(str_of(command->words[0].text), "cd") &&
           !command->words[1].expands && command->words[1].text[0];
}

static bool is_make(const struct shell_command *command)
{
    struct str program = str_of(command->words[0].text);

    return str_is(program, "make") || str_is(program, "gmake") || str_ends(program, STR("/make"));
}

/* make -C x, -Cx or --directory=x, in the folder the shell is in. */
static void take_make(struct reader *reader, const struct shell_command *command)
{
    const char *folder = here(&reader->shell);

    for (uint32_t i = 1; i < command->count; i++) {
        const char *word = command->words[i].text;
        const char *to = NULL;

        if (strcmp(word, "-C") == 0 && i + 1 < command->count) to = command->words[++i].text;
        else if (str_starts(str_of(word), STR("--directory="))) to = strchr(word, '=') + 1;
        else if (str_starts(str_of(word), STR("-C"))) to = word + 2;
        if (command->words[i].expands) return;
        if (to && *to) folder = below(&reader->scratch, folder, to);
    }
    reader->called = arena_cstr(reader->arena, str_of(folder));
}

static void take_line(struct reader *reader, struct str text)
{
    struct shell_line line;

    shell_split(text, &reader->scratch, &line);
    reader->shell = (struct folders){ .items = { here(&reader->made) } };
    for (uint32_t i = 0; i < line.count; i++) {
        const struct shell_command *command = &line.items[i];

        switch (command->step) {
        case SHELL_ENTER: enter(&reader->shell, here(&reader->shell)); break;
        case SHELL_LEAVE: leave(&reader->shell); break;
        case SHELL_RUN:
            if (is_change_folder(command)) {
                const char *to = below(&reader->scratch, here(&reader->shell),
                                       command->words[1].text);

                if (reader->shell.last < FOLDERS_MAX)
                    reader->shell.items[reader->shell.last] = to;
            } else if (is_make(command)) {
                take_make(reader, command);
            } else {
                take_compile(reader, command);
            }
            break;
        case SHELL_STEP_COUNT: break;
        }
    }
    arena_release(&reader->scratch);
}

/* A line with those that a backslash at its end joins to it. */
static struct str cut_logical_line(struct str *rest)
{
    struct str whole = { rest->data, 0 }, line;

    while (str_cut(rest, '\n', &line)) {
        size_t slashes = 0;

        whole.size = (size_t)(line.data - whole.data) + line.size;
        while (slashes < line.size && line.data[line.size - 1 - slashes] == '\\') slashes++;
        if (slashes % 2 == 0) break;
    }
    return whole;
}

void make_text_read(struct str text, const char *folder, struct arena *arena,
                    struct build_units *out)
{
    struct reader reader = { .arena = arena, .made = { .items = { folder } } };

    while (text.size) {
        struct str line = cut_logical_line(&text);

        if (!take_notice(&reader, line)) take_line(&reader, line);
    }
    *out = (struct build_units){ .count = reader.count };
    out->items = arena_alloc(arena, reader.count * sizeof *out->items);
    for (uint32_t i = 0; i < reader.count; i++) out->items[i] = reader.items[i];
    free(reader.items);
}
