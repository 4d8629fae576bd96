/* SPDX-License-Identifier: Apache-2.0
 *
 * sight.c - what commands show of files, judged by their text.
 *
 *    cat a.c                     a.c                git diff HEAD          all that differs
 *    sed -n 1,80p a.c | head     a.c                git diff -- src        what differs below src
 *    cd src && grep -n x a.c     src/a.c            git show HEAD          what is committed
 *    bash -lc 'cat a.c'          a.c                git diff | head -300   as without head
 *
 *    true, echo a.c, ls, wc -l a.c, git diff --stat, git diff >x, git diff | wc -l, make: nothing
 *
 * 1. A program that is not in the table shows nothing, and neither does one whose output goes into
 *    a file or into a program that is not in the table.
 * 2. Only a shell knows what an expansion gives: a word with one is no path, unless it is the
 *    variable of a `for`, whose list then is.
 * 3. A word of `git diff` that does not look like a revision is a path: a branch with a name of its
 *    own then shows too little, never too much.
 * 4. Lines that are a command's input are not read as commands: all behind `<<` is left out. */
#include "format/stream/sight.h"

#include "base/path.h"
#include "format/source/shell_words.h"
#include "format/text/pattern.h"
#include "format/text/words.h"

#include <string.h>

enum { NESTED_MAX = 3, PLACES_MAX = 16 };

/* Programs that show the files they are given. */
static const char *const readers[] = {
    "cat", "bat", "batcat", "less", "more", "head", "tail", "nl", "tac", "xxd", "od", "hexdump",
    "strings", "diff", "colordiff", "cut", "sort", "uniq", "column", "fold", "expand", "pr", "fmt",
    "paste", "rev", NULL,
};
/* Likewise; their first word is no file. */
static const char *const searchers[] = {
    "sed", "gsed", "awk", "gawk", "mawk", "grep", "egrep", "fgrep", "rg", "ag", "ack", NULL,
};
static const char *const greps[] = { "grep", "egrep", "fgrep", "rg", "ag", "ack", NULL };
/* Programs that hand on what they read, beside those. */
static const char *const filters[] = { "tr", "tee", "delta", "diff-so-fancy", "iconv", NULL };
/* Programs that do nothing worth the name. */
static const char *const idle[] = {
    "true", ":", "echo", "printf", "pwd", "cd", "exit", "sleep", "test", "[", "export", "set",
    "unset", "date", "whoami", "hostname", "false", "for", "wait", NULL,
};
static const char *const shells[] = { "sh", "bash", "dash", "zsh", "ksh", NULL };
/* Programs that only start another one. */
static const char *const starters[] = { "env", "nice", "nohup", "stdbuf", "timeout", NULL };

/* A line that is being read. */
struct reader {
    struct arena *arena;
    struct sights *out;
    struct str at;      /* the folder; empty: the workspace */
    bool lost;          /* only a shell knows the folder */
    struct str kept[PLACES_MAX]; /* where it was before "(" */
    uint32_t depth, nested;
    const struct shell_command *list; /* the newest `for` */
    bool vain; /* what follows may not run, or be another program: it shows nothing */
};

void sights_add(struct sights *sights, const struct sight *sight, struct arena *arena)
{
    if (sights->count == sights->cap) {
        uint32_t cap = sights->cap ? 2 * sights->cap : 8;
        struct sight *items = arena_alloc(arena, cap * sizeof *items);

        for (uint32_t i = 0; i < sights->count; i++) items[i] = sights->items[i];
        sights->items = items;
        sights->cap = cap;
    }
    sights->items[sights->count++] = *sight;
}

/* ---- words ---- */

static struct str word_of(const struct shell_command *command, uint32_t i)
{
    return str_of(i < command->count ? command->words[i].text : "");
}

static bool is_any(struct str word, const char *const *words)
{
    return text_is_one_of(path_leaf(word), words);
}

static bool is_assignment(struct str word)
{
    size_t i = 0;

    while (i < word.size && (word.data[i] == '_' || (word.data[i] >= 'A' && word.data[i] <= 'Z') ||
                             (word.data[i] >= 'a' && word.data[i] <= 'z') ||
                             (i > 0 && word.data[i] >= '0' && word.data[i] <= '9'))) {
        i++;
    }
    return i > 0 && i < word.size && word.data[i] == '=';
}

/* The word that names the program: behind assignments, and behind those that only start it. */
static uint32_t program_at(const struct shell_command *command)
{
    uint32_t at = 0;

    while (at < command->count) {
        struct str word = word_of(command, at);

        if (is_assignment(word)) {
            at++;
        } else if (is_any(word, starters)) {
            bool timeout = str_is(path_leaf(word), "timeout");
            for (at++; str_starts(word_of(command, at), STR("-")); at++) { }
            at += timeout;
        } else {
            break;
        }
    }
    return at;
}

/* An option among the words behind `from`: a letter of "-abc", or a whole long one. */
static bool has_letter(const struct shell_command *command, uint32_t from, const char *letters)
{
    for (uint32_t i = from; i < command->count; i++) {
        struct str word = word_of(command, i);

        if (str_is(word, "--")) return false;
        if (word.size < 2 || word.data[0] != '-' || word.data[1] == '-') continue;
        for (size_t k = 1; k < word.size; k++) {
            if (strchr(letters, word.data[k])) return true;
            if (word.data[k] >= '0' && word.data[k] <= '9') break;
        }
    }
    return false;
}

static bool has_word(const struct shell_command *command, uint32_t from, const char *const *words)
{
    for (uint32_t i = from; i < command->count; i++) {
        struct str rest = word_of(command, i), name;

        if (str_is(rest, "--")) return false;
        if (str_cut(&rest, '=', &name) && text_is_one_of(name, words)) return true;
    }
    return false;
}

/* ---- programs that show files ---- */

static void show_path(struct reader *reader, enum sight_kind kind, struct str path)
{
    struct sight sight = { .kind = kind, .at = reader->at, .path = path };

    if (path.size == 0 || path.size > SIGHT_PATH_BYTES_MAX) return;
    if (reader->lost && path.data[0] != '/') return;
    sights_add(reader->out, &sight, reader->arena);
}

/* The files of the `for` whose variable a word may be. */
static void show_list(struct reader *reader)
{
    const struct shell_command *list = reader->list;

    for (uint32_t i = 3; list && i < list->count; i++) {
        if (!list->words[i].expands) show_path(reader, SIGHT_FILE, word_of(list, i));
    }
}

static bool is_quiet_grep(const struct shell_command *command, uint32_t at)
{
    static const char *const words[] = { "--count", "--quiet", "--silent", "--files-with-matches",
                                         "--files-without-match", "--files", NULL };

    return is_any(word_of(command, at), greps) &&
           (has_letter(command, at + 1, "cqlL") || has_word(command, at + 1, words));
}

static void show_files(struct reader *reader, const struct shell_command *command, uint32_t at)
{
    static const char *const scripts[] = { "--expression", "--regexp", "--file", NULL };
    bool searches = is_any(word_of(command, at), searchers);
    bool first = searches && !has_letter(command, at + 1, "ef") &&
                 !has_word(command, at + 1, scripts);
    bool behind = false;

    if (is_quiet_grep(command, at)) return;
    for (uint32_t i = at + 1; i < command->count; i++) {
        struct str word = word_of(command, i);

        if (!behind && word.size > 1 && word.data[0] == '-') {
            behind = str_is(word, "--");
        } else if (first) {
            first = false;
        } else if (command->words[i].expands) {
            show_list(reader);
        } else {
            show_path(reader, SIGHT_FILE, word);
        }
    }
}

/* ---- git ---- */

static bool is_hex(struct str word)
{
    size_t i = 0;

    while (i < word.size && strchr("0123456789abcdef", word.data[i])) i++;
    return i == word.size && word.size >= 7;
}

static bool is_head(struct str word)
{
    return str_is(word, "HEAD") || str_is(word, "@");
}

static bool is_revision(struct str word)
{
    static const char *const names[] = { "main", "master", "develop", "trunk", "FETCH_HEAD",
                                         "ORIG_HEAD", "MERGE_HEAD", NULL };

    return is_head(word) || is_hex(word) || text_is_one_of(word, names) ||
           memmem(word.data, word.size, "..", 2) || str_has(word, '~') || str_has(word, '^') ||
           memmem(word.data, word.size, "@{", 2) || str_starts(word, STR("origin/")) ||
           str_starts(word, STR("upstream/"));
}

/* What a word behind `git diff` or `git show` adds: a path, an exception. */
static void git_path(struct sight *sight, struct str word, struct str *paths, uint32_t *count)
{
    static const char *const fronts[] = { ":!", ":^", ":(exclude)", ":(exclude,top)",
                                          ":(top,exclude)", NULL };

    for (uint32_t i = 0; fronts[i]; i++) {
        if (!str_starts(word, str_of(fronts[i]))) continue;
        word = str_skip(word, strlen(fronts[i]));
        if (sight->except_count < SIGHT_EXCEPT_MAX) sight->except[sight->except_count++] = word;
        else *count = PLACES_MAX + 1; /* more than is kept: it shows nothing that is known */
        return;
    }
    if (*count < PLACES_MAX) paths[*count] = word;
    (*count)++;
}

/* Differences with their lines: these options print something else, or a part. */
static bool is_summary(const struct shell_command *command, uint32_t from)
{
    static const char *const others[] = {
        "--stat", "--shortstat", "--numstat", "--name-only", "--name-status", "--summary",
        "--quiet", "--check", "--dirstat", "--raw", "--no-patch", "-s", "--diff-filter", "--output",
        "--pickaxe-all", NULL };
    static const char *const patch[] = { "-p", "-u", "--patch", "--patch-with-stat", NULL };
    static const char *const parts[] = { "--diff-filter", "--output", "-S", "-G", NULL };

    if (has_word(command, from, parts) || has_letter(command, from, "SG")) return true;
    return has_word(command, from, others) && !has_word(command, from, patch);
}

static void git_shows(struct reader *reader, const struct shell_command *command, uint32_t from,
                      enum sight_kind kind)
{
    static const char *const staged[] = { "--cached", "--staged", NULL };
    struct sight sight = { .at = reader->at };
    struct str paths[PLACES_MAX];
    uint32_t count = 0, revisions = 0;
    bool behind = false, pair = false, head = false;

    if (reader->lost || is_summary(command, from)) return;
    for (uint32_t i = from; i < command->count; i++) {
        struct str word = word_of(command, i), path;

        if (command->words[i].expands && !memmem(word.data, word.size, "..", 2)) return;
        if (str_is(word, "--")) {
            behind = true;
        } else if (!behind && word.size > 1 && word.data[0] == '-') {
            continue;
        } else if (!behind && kind == SIGHT_COMMITS && str_has(word, ':') && word.data[0] != ':') {
            path = word;
            (void)str_cut(&path, ':', &word);
            git_path(&sight, path, paths, &count);
        } else if (!behind && is_revision(word)) {
            revisions++;
            head = is_head(word);
            pair |= memmem(word.data, word.size, "..", 2) != NULL;
        } else {
            git_path(&sight, word, paths, &count);
        }
    }
    if (count > PLACES_MAX) return;
    sight.kind = kind;
    if (kind == SIGHT_UNSTAGED && (pair || revisions > 1)) sight.kind = SIGHT_COMMITS;
    else if (kind == SIGHT_UNSTAGED && has_word(command, from, staged)) sight.kind = SIGHT_STAGED;
    else if (kind == SIGHT_UNSTAGED && revisions == 1) sight.kind = head ? SIGHT_HEAD : SIGHT_SINCE;
    for (uint32_t i = 0; i < count; i++) {
        sight.path = paths[i];
        if (sight.path.size <= SIGHT_PATH_BYTES_MAX) sights_add(reader->out, &sight, reader->arena);
    }
    if (count == 0) sights_add(reader->out, &sight, reader->arena);
}

static struct str joined(struct reader *reader, struct str path)
{
    if (reader->at.size == 0 || (path.size > 0 && path.data[0] == '/')) return path;
    return str_of(arena_printf(reader->arena, "%.*s/%.*s", STR_ARG(reader->at), STR_ARG(path)));
}

static void git_command(struct reader *reader, const struct shell_command *command, uint32_t at)
{
    static const char *const patch[] = { "-p", "-u", "--patch", NULL };
    struct str was = reader->at, word = word_of(command, ++at);

    for (; str_starts(word, STR("-")); word = word_of(command, ++at)) {
        if (str_is(word, "-C")) reader->at = joined(reader, word_of(command, ++at));
        else if (str_is(word, "-c")) at++;
        else if (str_starts(word, STR("--git-dir"))) goto out;
        else if (str_starts(word, STR("--work-tree"))) goto out;
    }
    if (str_is(word, "diff")) {
        git_shows(reader, command, at + 1, SIGHT_UNSTAGED);
    } else if (str_is(word, "show")) {
        git_shows(reader, command, at + 1, SIGHT_COMMITS);
    } else if (str_is(word, "log") && has_word(command, at + 1, patch)) {
        git_shows(reader, command, at + 1, SIGHT_COMMITS);
    } else if (str_is(word, "blame") || str_is(word, "annotate")) {
        show_files(reader, command, at);
    }

out:
    reader->at = was;
}

/* ---- lines ---- */

/* Whether words up to there set a variable of git's, which may lead it elsewhere. */
static bool leads_git(const struct shell_command *command, uint32_t end)
{
    for (uint32_t i = 0; i < end; i++) {
        if (str_starts(word_of(command, i), STR("GIT_"))) return true;
    }
    return false;
}

/* `false && ...`, `if false; then ...`, `alias git=...`, `export GIT_DIR=...`. */
static bool is_vain(const struct shell_command *command, uint32_t at)
{
    static const char *const sets[] = { "export", "declare", "typeset", NULL };
    struct str name = word_of(command, at);

    if (str_is(name, "false") || str_is(name, "alias")) return true;
    if (str_is(word_of(command, at + 1), "false") &&
        (str_is(name, "if") || str_is(name, "while")))
        return true;
    if (at < command->count && !is_any(name, sets)) return false;
    return leads_git(command, command->count);
}

/* head and tail of no line or byte. */
static bool shows_none(const struct shell_command *command, uint32_t at)
{
    static const char *const ends[] = { "head", "tail", NULL };
    static const char *const none[] = { "-0", "-n0", "-c0", "--lines=0", "--bytes=0", NULL };
    static const char *const asks[] = { "-n", "-c", "--lines", "--bytes", NULL };

    if (!is_any(word_of(command, at), ends)) return false;
    for (uint32_t i = at + 1; i < command->count; i++) {
        if (text_is_one_of(word_of(command, i), none)) return true;
        if (text_is_one_of(word_of(command, i), asks) && str_is(word_of(command, i + 1), "0"))
            return true;
    }
    return false;
}

static void read_line(struct reader *reader, struct str text);

static void change_folder(struct reader *reader, const struct shell_command *command, uint32_t at)
{
    struct str to = word_of(command, at + 1);

    if (to.size == 0 || command->words[at + 1].expands || to.data[0] == '-' || to.data[0] == '~') {
        reader->lost = true;
    } else {
        reader->lost = reader->lost && to.data[0] != '/';
        reader->at = joined(reader, to);
    }
}

/* Whether what goes into the program comes out again, for the agent to see. */
static bool hands_on(const struct shell_command *command)
{
    uint32_t at = program_at(command);
    struct str name = word_of(command, at);

    if (is_quiet_grep(command, at) || shows_none(command, at)) return false;
    return is_any(name, readers) || is_any(name, searchers) || is_any(name, filters);
}

static void read_command(struct reader *reader, const struct shell_command *command, bool shown)
{
    uint32_t at = program_at(command);
    struct str name = path_leaf(word_of(command, at));

    reader->vain = reader->vain || is_vain(command, at);
    if (name.size == 0) return;
    if (!text_is_one_of(name, idle)) reader->out->busy = true;
    if (str_is(name, "cd")) {
        change_folder(reader, command, at);
    } else if (str_is(name, "for")) {
        reader->list = command;
    } else if (is_any(name, shells)) {
        for (uint32_t i = at + 1; i + 1 < command->count && shown; i++) {
            struct str word = word_of(command, i);
            if (word.size < 2 || word.data[0] != '-' || word.data[word.size - 1] != 'c') continue;
            read_line(reader, word_of(command, i + 1));
            break;
        }
    } else if (!shown || reader->vain || shows_none(command, at)) {
        return;
    } else if (str_is(name, "git")) {
        if (!leads_git(command, at)) git_command(reader, command, at);
    } else if (is_any(name, readers) || is_any(name, searchers)) {
        if (str_is(name, "sed") && has_letter(command, at + 1, "i")) return;
        show_files(reader, command, at);
    }
}

/* Whether the output of the nth command reaches the agent. */
static bool is_shown(const struct shell_line *line, uint32_t nth)
{
    const struct shell_command *command = &line->items[nth];

    while (command->piped) {
        if (++nth >= line->count) return false;
        command = &line->items[nth];
        if (command->step != SHELL_RUN || !hands_on(command)) return false;
    }
    return !command->away;
}

static void read_line(struct reader *reader, struct str text)
{
    struct str was = reader->at;
    struct shell_line line;

    if (reader->nested == NESTED_MAX) return;
    reader->nested++;
    shell_split(text, reader->arena, &line);
    for (uint32_t i = 0; i < line.count; i++) {
        const struct shell_command *command = &line.items[i];

        if (command->step == SHELL_ENTER) {
            if (reader->depth < PLACES_MAX) reader->kept[reader->depth] = reader->at;
            reader->depth++;
        } else if (command->step == SHELL_LEAVE) {
            if (reader->depth > 0) reader->depth--;
            if (reader->depth < PLACES_MAX) reader->at = reader->kept[reader->depth];
        } else {
            read_command(reader, command, is_shown(&line, i));
        }
        if (command->here) break;
    }
    reader->nested--;
    if (reader->nested > 0) reader->at = was;
}

void sights_command(struct str command, struct arena *arena, struct sights *out)
{
    struct reader reader = { .arena = arena, .out = out, .at = { "", 0 } };

    read_line(&reader, command);
}

/* ---- what is covered ---- */

/* A path of a sight becomes relative to the workspace; empty is the workspace itself. False: it
 * lies elsewhere. */
static bool place_path(const struct sight *sight, struct str *path, struct str top,
                       struct arena *arena)
{
    const char *folder = path_joined(arena_cstr(arena, top), sight->at, arena);
    struct str full = str_of(path_joined(folder, *path, arena));

    if (!str_starts(full, top)) return false;
    if (full.size > top.size && full.data[top.size] != '/') return false;
    *path = str_skip(full, full.size > top.size ? top.size + 1 : top.size);
    return true;
}

static bool sight_place(struct sight *sight, struct str top, struct arena *arena)
{
    struct str inside = { "", 0 };

    if (!place_path(sight, sight->path.size > 0 ? &sight->path : &inside, top, arena)) return false;
    for (uint32_t i = 0; i < sight->except_count; i++) {
        if (!place_path(sight, &sight->except[i], top, arena)) return false;
    }
    return true;
}

/* Whether the path names the file; or, for git, a folder above it. */
static bool names_file(const struct sight *sight, struct str path, struct str file)
{
    if (str_has(path, '*') || str_has(path, '?') || str_has(path, '[')) {
        return pattern_matches(path, file) &&
               (str_has(path, '/') || !str_has(file, '/') || sight->kind != SIGHT_FILE);
    }
    if (sight->kind == SIGHT_FILE) return str_eq(path, file);
    return path.size == 0 || str_eq(path, file) ||
           (str_starts(file, path) && file.data[path.size] == '/');
}

static bool kind_shows(enum sight_kind kind, const struct changed_file *file)
{
    switch (kind) {
    case SIGHT_FILE: return true;
    case SIGHT_SINCE: return !file->untracked;
    case SIGHT_HEAD: return file->dirty && !file->untracked;
    case SIGHT_UNSTAGED: return file->dirty && !file->untracked && file->unstaged;
    case SIGHT_STAGED: return file->staged && !file->unstaged;
    case SIGHT_COMMITS: return !file->dirty;
    case SIGHT_KIND_COUNT: break;
    }
    return false;
}

static bool sight_covers(const struct sight *sight, const struct changed_file *file)
{
    if (!kind_shows(sight->kind, file)) return false;
    for (uint32_t i = 0; i < sight->except_count; i++) {
        if (names_file(sight, sight->except[i], file->path)) return false;
    }
    return names_file(sight, sight->path, file->path);
}

static bool is_covered(const struct sights *placed, const struct changed_file *file)
{
    for (uint32_t i = 0; i < placed->count; i++) {
        if (sight_covers(&placed->items[i], file)) return true;
    }
    return false;
}

uint32_t sights_missing(const struct sights *sights, const struct changed_file *files,
                        uint32_t count, const char *workspace, struct arena *arena,
                        const struct str **missing)
{
    struct str *out = arena_alloc(arena, (count + (size_t)1) * sizeof *out);
    struct str top = str_of(path_joined("/", str_of(workspace), arena));
    uint32_t found = 0, seen = 0;
    struct sights placed = { 0 };

    for (uint32_t i = 0; i < sights->count; i++) {
        struct sight sight = sights->items[i];
        if (sight_place(&sight, top, arena)) sights_add(&placed, &sight, arena);
    }
    *missing = out;
    for (uint32_t i = 0; i < count && seen < SIGHTS_ENOUGH; i++) {
        if (is_covered(&placed, &files[i])) seen++;
        else out[found++] = files[i].path;
    }
    return seen >= SIGHTS_ENOUGH ? 0 : found;
}
