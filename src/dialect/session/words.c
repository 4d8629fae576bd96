/* SPDX-License-Identifier: Apache-2.0
 *
 * words.c - the words of an answer that name or decide something.
 *
 * Files that agents name: lists of paths in backticks, and places of issues.
 *
 *     - `src/a.c` - what changed           one item, one path in front of everything else ...
 *     - `src/a.c`, `src/b.c` - both        ... or several, as far as each looks like a path
 *
 * 1. A claim is one plain path from the top of the repository: what has a form that could mean
 *    other files too (a pattern, a folder, a line number) is refused, not mended. Only `./` in
 *    front is cut.
 * 2. A path that leaves the repository tells of another checkout, and has a code of its own.
 * 3. Of a line at most LINE_BYTES_MAX bytes are looked at for a place: work is linear in the text.
 * 4. A bare word is a path only where it looks like nothing else: `and/or` and `e.g.` are words.
 *
 * Sentences that decide something: in a report that nothing had to be changed, that the round was a
 * no-op, that the work is in another checkout; in a review that an issue is about concrete code.
 *
 * 5. The form of a report says the first two word for word: they count in any case and dress, as an
 *    item of a list or not. What is said otherwise does not count: the executor is asked again and
 *    told the exact sentence. For the others there is no form: they are told by their words.
 * 6. Only the writer's own lines are read, not quotes and code.
 * 7. A sentence ends with a point, a colon, a dash that stands alone, its paragraph or its item, or
 *    after SENTENCE_BYTES_MAX.
 *
 * Not here: whether the file was changed (judge.c has the delta of the round). */
#include "dialect/session/answers.h"

#include "base/byte.h"

#include <string.h>

enum { PATH_BYTES_MAX = 4096, LINE_BYTES_MAX = 4096 };

static bool is_letter(char byte)
{
    return byte_is_letter(byte) || (unsigned char)byte >= 0x80;
}

static bool has_any(struct str text, const char *bytes)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\0' || strchr(bytes, text.data[i])) return true;
    }
    return false;
}

struct str words_shown(struct str words)
{
    enum { SHOWN_BYTES_MAX = 100 };

    return str_head(words, SHOWN_BYTES_MAX);
}

/* ---- places ---- */

/* Cuts ":12", ":12:5", ":12-15" or "#L12" off a name. */
static bool cut_line(struct str *name, uint32_t *line)
{
    for (size_t i = 1; i + 1 < name->size; i++) {
        struct str rest = str_skip(*name, i + 1), digits;
        uint64_t number;

        if (name->data[i] != ':' && name->data[i] != '#') continue;
        if (rest.data[0] == 'L') rest = str_skip(rest, 1);
        digits = (struct str){ rest.data, text_digits(rest) };
        if (digits.size == 0 || text_skip(rest, "0123456789:-L").size) continue;
        *line = str_number(digits, &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
        name->size = i;
        return true;
    }
    return false;
}

/* "around line 12", "lines 3-9", "L7". */
static uint32_t line_in(struct str text)
{
    for (; text.size; text = str_skip(text, 1)) {
        struct str rest = text;
        uint64_t number;

        if (starts_with_word(rest, "line")) {
            rest = text_skip(str_skip(rest, 4), "sS: ~");
        } else if (rest.data[0] == 'L' || rest.data[0] == ':') {
            rest = str_skip(rest, 1);
        } else {
            continue;
        }
        rest.size = text_digits(rest);
        if (str_number(rest, &number) && number <= UINT32_MAX) return (uint32_t)number;
    }
    return 0;
}

/* The path that the form itself has. */
static bool is_example(struct str name)
{
    static const char *const paths[] = {
        "path/file.ext", "path/to/file.ext", "path/to/file", NULL,
    };

    return word_is_one_of(name, paths);
}

/* That, or a word that stands where a path should. */
static bool is_no_path(struct str name)
{
    static const char *const words[] = {
        "n/a", "na", "none", "unknown", "various", "multiple", "several", "all", "tbd", "path",
        "file", NULL,
    };

    return is_example(name) || word_is_one_of(name, words);
}

/* A file that has neither a folder nor an ending. */
static bool is_known_file(struct str name)
{
    static const char *const files[] = {
        "Makefile", "Dockerfile", "LICENSE", "README", "CHANGELOG", "CONTRIBUTING", "COPYING",
        "NOTICE", "AUTHORS", "Gemfile", "Rakefile", "Jenkinsfile", "Procfile", "Vagrantfile", NULL,
    };

    return text_is_one_of(name, files);
}

/* Whether a word among others can be a path: it has a slash or an ending, and is no code. */
static bool is_like_path(struct str name)
{
    size_t dot = 0;
    bool slash = false, letter = false;

    if (name.size == 0 || is_no_path(name) || has_any(name, " \t()[]{}<>;=\"'$|&!,")) return false;
    if (text_has(name, "://") || text_has(name, "::")) return false;
    if (is_known_file(name)) return true;
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '/') slash = true;
        if (name.data[i] == '.') dot = i + 1;
        letter = letter || is_letter(name.data[i]);
    }
    return letter && (slash || (dot && dot < name.size && is_letter(name.data[dot])));
}

/* An ending that files have and that words and members of objects do not. */
static bool is_known_ending(struct str ending)
{
    static const char endings[] =
        " ac am asm awk bash bat bzl c cc cfg cjs clj cmake cmd conf cpp cs css csv cxx dart diff "
        "el env erl ex exs fish fs gitignore go gradle graphql h hcl hh hpp hs html hxx in ini "
        "ipynb java jl js json jsonl jsx kt less lock lua m md mjs mk ml mm mod nix patch php pl "
        "pm proto ps1 py r rb rkt rs rst sass scala scm scss sh sql sum svelte svg swift tcl tex "
        "tf toml ts tsx txt vim vue xml yaml yml zig zsh ";
    char wanted[16] = " ";

    if (ending.size == 0 || ending.size + 3 > sizeof wanted) return false;
    memcpy(wanted + 1, ending.data, ending.size);
    wanted[ending.size + 1] = ' ';
    return strstr(endings, wanted) != NULL;
}

/* Whether a word without backticks can be a path; numbered: with a line behind it. */
static bool is_bare_path(struct str name, bool numbered)
{
    struct str rest = name, step;
    uint32_t slashes = 0;
    size_t dot = 0; /* behind the last one of the name */

    if (!is_like_path(name) || !is_letter(name.data[name.size - 1])) return false;
    if (numbered || is_known_file(name)) return true;
    while (str_cut(&rest, '/', &step) && rest.size) slashes++;
    for (size_t i = 0; i < step.size; i++) {
        if (step.data[i] == '.') dot = i + 1;
    }
    if (dot == 0) return slashes > 1;
    return slashes || is_known_ending(str_skip(step, dot));
}

bool cut_ticks(struct str *rest, struct str *inside)
{
    size_t ticks = 0, run = 0;

    while (ticks < rest->size && rest->data[ticks] == '`') ticks++;
    if (ticks == 0) return false;
    for (size_t i = ticks; i <= rest->size; i++) {
        if (i < rest->size && rest->data[i] == '`') {
            run++;
            continue;
        }
        if (run == ticks) {
            *inside = str_trim((struct str){ rest->data + ticks, i - 2 * ticks });
            *rest = str_skip(*rest, i);
            return true;
        }
        run = 0;
    }
    return false;
}

void place_read(struct str text, struct str *file, uint32_t *line)
{
    struct str rest = text_skip(text, "*_ \t");
    size_t size = 0;

    if (rest.size > LINE_BYTES_MAX) rest.size = LINE_BYTES_MAX;
    *line = 0;
    if (!cut_ticks(&rest, file)) {
        while (size < rest.size && !strchr(" \t,;", rest.data[size])) size++;
        *file = (struct str){ rest.data, size };
        rest = str_skip(rest, size);
    }
    cut_line(file, line);
    if (is_no_path(*file)) file->size = 0;
    if (file->size && *line == 0) *line = line_in(rest);
}

bool place_find(struct str text, struct str *file, uint32_t *line)
{
    if (text.size > LINE_BYTES_MAX) text.size = LINE_BYTES_MAX;
    while (text.size) {
        struct str rest = text, name;

        if (!cut_ticks(&rest, &name)) {
            text = str_skip(text_skip(text, "`"), text.data[0] == '`' ? 0 : 1);
            continue;
        }
        *line = 0;
        cut_line(&name, line);
        if (is_like_path(name)) {
            *file = name;
            if (*line == 0) *line = line_in(rest);
            return true;
        }
        text = rest;
    }
    return false;
}

/* The next word: what stands between blanks, brackets, quotes and the like; false: none. */
static bool next_word(struct str *text, struct str *word)
{
    static const char between[] = " \t\r\n()[]{}<>\"'`*,;|=!?";
    size_t size = 0;

    *text = text_skip(*text, between);
    while (size < text->size && !(text->data[size] && strchr(between, text->data[size]))) size++;
    *word = (struct str){ text->data, size };
    *text = str_skip(*text, size);
    *word = text_bare(*word, "", ".:");
    return size > 0;
}

bool place_find_bare(struct str text, struct str *file, uint32_t *line)
{
    struct str word;

    if (text.size > LINE_BYTES_MAX) text.size = LINE_BYTES_MAX;
    while (next_word(&text, &word)) {
        bool numbered = cut_line(&word, line);

        if (!is_bare_path(word, numbered)) continue;
        *file = word;
        if (!numbered) *line = line_in(text);
        return true;
    }
    return false;
}

bool place_names(struct str text, struct str name)
{
    struct str word;
    uint32_t line;

    if (text.size > LINE_BYTES_MAX) text.size = LINE_BYTES_MAX;
    while (next_word(&text, &word)) {
        cut_line(&word, &line);
        if (str_eq(word, name)) return true;
    }
    return false;
}

/* ---- claims ---- */

static bool is_absolute(struct str path)
{
    return path.size && (path.data[0] == '/' || path.data[0] == '\\' || path.data[0] == '~' ||
                         (path.size > 2 && is_letter(path.data[0]) && path.data[1] == ':' &&
                          (path.data[2] == '/' || path.data[2] == '\\')) ||
                         text_has(path, "://"));
}

static bool is_inside(struct str path, const char *workspace)
{
    struct str root = str_of(workspace);

    while (str_ends(root, STR("/"))) root.size--;
    if (!str_starts(path, root)) return false;
    return path.size > root.size && path.data[root.size] == '/' &&
           !text_has(path, "/../");
}

/* Whether a way from the top leads out of the repository, or into a worktree inside it. */
static bool leads_out(struct str path)
{
    struct str step;
    int depth = 0;

    while (str_cut(&path, '/', &step)) {
        if (str_is(step, ".worktrees")) return true;
        if (str_is(step, "..")) depth--;
        else if (step.size && !str_is(step, ".")) depth++;
        if (depth < 0) return true;
        if ((str_is(step, ".git") || str_is(step, ".claude")) &&
            str_starts(path, STR("worktrees/"))) {
            return true;
        }
    }
    return false;
}

/* What keeps a path from being one plain file of the repository; NULL: nothing. */
static const char *vague(struct str path)
{
    struct str name = path, step;
    uint32_t line;

    if (path.size > PATH_BYTES_MAX) return "it is too long";
    if (is_example(path)) return "it is the example of the form";
    if (has_any(path, "*?<>{}")) return "it is a pattern";
    for (size_t i = 0; i < path.size; i++) {
        if ((unsigned char)path.data[i] < ' ') return "it has control characters";
    }
    if (str_ends(path, STR("/"))) return "it is a folder";
    if (cut_line(&name, &line)) return "it has a line number";
    while (str_cut(&path, '/', &step)) {
        if (step.size == 0 || str_is(step, ".") || str_is(step, "..") || str_is(step, "...")) {
            return "it is not the shortest way to the file";
        }
    }
    return NULL;
}

static void check_claim(const struct files_rule *rule, const struct named_file *file,
                        struct check_report *report)
{
    struct str path = file->path, shown = words_shown(path);
    const char *why = NULL;

    if (is_absolute(path)) {
        if (rule->workspace && !is_inside(path, rule->workspace)) {
            check_report_add(report, "other-checkout", file->line, "`%.*s` is not in the workspace "
                             "%s: work somewhere else does not count", STR_ARG(shown),
                             rule->workspace);
        } else {
            check_report_add(report, "absolute-path", file->line, "`%.*s` is an absolute path: "
                             "wanted one from the top of the repository", STR_ARG(shown));
        }
    } else if (leads_out(path)) {
        check_report_add(report, "other-checkout", file->line, "`%.*s` leads out of the workspace: "
                         "work somewhere else does not count", STR_ARG(shown));
    } else {
        why = vague(path);
    }
    if (why) {
        check_report_add(report, "vague-path", file->line, "`%.*s` does not name one file (%s): "
                         "wanted its path from the top of the repository", STR_ARG(shown), why);
    }
}

/* ---- lists ---- */

struct listing_of_files {
    const struct files_rule *rule;
    struct arena *arena;
    struct check_report *report;
    struct named_files *out;
    uint32_t line;
};

static void add_file(const struct listing_of_files *list, struct str path)
{
    struct named_files *files = list->out;
    struct named_file *file;

    files->items = arena_grow(list->arena, files->items, files->count, &files->cap,
                              sizeof *files->items);
    if (list->rule->concrete && str_starts(path, STR("./"))) path = str_skip(path, 2);
    file = &files->items[files->count++];
    *file = (struct named_file){ .path = path, .what = { "", 0 }, .line = list->line };
    if (list->rule->concrete) check_claim(list->rule, file, list->report);
}

/* Cuts what may stand between two paths of one item; false: something else follows. */
static bool cut_between(struct str *rest)
{
    static const char *const words[] = { ",", "and ", "&", "+", "->", "=>", "\xe2\x86\x92", "to " };
    struct str text = text_skip(*rest, " \t*_");

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!str_starts(text, str_of(words[i]))) continue;
        text = text_skip(str_skip(text, strlen(words[i])), " \t*_");
        if (starts_with_word(text, "and ")) text = text_skip(str_skip(text, 4), " \t*_");
        if (!str_starts(text, STR("`"))) return false;
        *rest = text;
        return true;
    }
    return false;
}

/* Without the dash between a path and what is said about it. */
static struct str behind_dash(struct str text)
{
    for (;;) {
        text = text_skip(text, " \t*_:-");
        if (!str_starts(text, STR("\xe2\x80\x93")) && !str_starts(text, STR("\xe2\x80\x94"))) break;
        text = str_skip(text, 3);
    }
    return str_trim(text);
}

static void read_item(const struct listing_of_files *list, struct str words)
{
    struct str rest = text_skip(words, "*_ \t"), path, next;
    uint32_t first = list->out->count;

    if (!cut_ticks(&rest, &path) || path.size == 0 ||
        (!list->rule->concrete && is_example(path))) {
        check_report_add(list->report, "missing-path", list->line, "the item does not begin with "
                         "the path of a file in backticks");
        return;
    }
    add_file(list, path);
    for (next = rest; cut_between(&next) && cut_ticks(&next, &path) && is_like_path(path);) {
        add_file(list, path);
        rest = next;
    }
    rest = behind_dash(rest);
    for (uint32_t i = first; i < list->out->count; i++) list->out->items[i].what = rest;
}

void named_files_read(const struct outline_heading *section, const struct files_rule *rule,
                      struct arena *arena, struct check_report *report, struct named_files *out,
                      uint32_t *none_line)
{
    struct listing_of_files list = { rule, arena, report, out, 0 };
    struct outline_walk walk = outline_lines(section->body, section->line);
    struct outline_line line;
    uint32_t columns = 0; /* of the items */
    bool open = false;

    *none_line = 0;
    while (outline_next(&walk, &line)) {
        bool own = line.kind == OUTLINE_OWN || line.kind == OUTLINE_INDENTED;

        if (line.kind == OUTLINE_BLANK || line.kind == OUTLINE_HTML || line.level) continue;
        list.line = line.number;
        if (own && outline_says_none(line.words) && (line.item || line.columns == 0)) {
            if (*none_line == 0) *none_line = line.number;
        } else if (own && line.item && (!open || line.columns <= columns)) {
            columns = line.columns;
            open = true;
            read_item(&list, line.words);
        } else if (!line.goes_on && (!open || (own && line.columns == 0))) {
            check_report_add(report, "unexpected-text", line.number, "only a list of files may "
                             "stand here: - `path/to/file` - what for");
        }
    }
}

enum { SENTENCE_BYTES_MAX = 1024, WORDS_TO_PATH = 2 };

/* ---- phrases ---- */

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Cuts the phrase off the front of text; false: it is not there. */
static bool cut_phrase(struct str *text, const char *phrase)
{
    struct str rest = *text;

    for (; *phrase && *phrase != '*'; phrase++) {
        bool blank = *phrase == ' ';

        if (rest.size == 0) return false;
        if (blank ? !is_space(rest.data[0]) : byte_small(rest.data[0]) != *phrase) return false;
        do {
            rest = str_skip(rest, 1);
        } while (blank && rest.size && is_space(rest.data[0]));
    }
    if (!*phrase && rest.size && byte_is_alnum(rest.data[0])) return false;
    *text = rest;
    return true;
}

/* The same with one of these and the blanks behind it; NULL ends. */
static bool cut_one(struct str *text, const char *const *phrases)
{
    for (; *phrases; phrases++) {
        if (!cut_phrase(text, *phrases)) continue;
        while (text->size && is_space(text->data[0])) *text = str_skip(*text, 1);
        return true;
    }
    return false;
}

static bool is_word_begin(struct str text, size_t at)
{
    return at == 0 || !byte_is_alnum(text.data[at - 1]);
}

bool says_one_of(struct str text, const char *const *phrases)
{
    for (size_t i = 0; i < text.size; i++) {
        struct str rest = str_skip(text, i);

        if (is_word_begin(text, i) && cut_one(&rest, phrases)) return true;
    }
    return false;
}

/* ---- a place in the code ---- */

/* Names of pieces of code, and of faults that such a piece has. */
static const char *const pieces[] = {
    "function*", "method*", "loop*", "variable*", "pointer*", "buffer*", "parameter*", "argument*",
    "macro*", "struct", "structs", "class", "classes", "call", "calls", "caller*", "leak*",
    "overflow*", "underflow*", "dereference*", "off-by-one", "use-after-free", "race", "races",
    "deadlock*", "in line", "at line", "on line", "around line", NULL,
};

/* What a finding speaks of that has no place in the code. */
static const char *const no_place[] = {
    /* something missing */
    "no", "missing", "lack*", "without", "absent", "absence", "nothing", "none", "nowhere",
    "not implemented", "not tested", "not documented", "not covered", "not there", "not done",
    "does not exist", "do not exist", "left out", "unimplemented", "untested", "undocumented",
    "incomplete", "omit*", "forgot*",
    /* the plan */
    "plan", "plans", "planned", "step", "steps", "criterion", "criteria", "acceptance",
    "requirement*", "work item", "scope", "deviat*",
    /* the workspace */
    "workspace", "worktree*", "checkout", "clone", "diverg*", "repository",
    /* the whole */
    "whole", "entire*", "overall", "all", "every", "everywhere", "throughout", "in general",
    "architecture", "design", "approach", "build", "compile*", "test", "tests", "test suite",
    "coverage", "documentation", "docs", "executor*", "report", "claim*", "commit*", "diff", NULL,
};

/* `parse_line`, parse_line(), a->b, a::b */
static bool has_code(struct str text)
{
    for (size_t i = 1; i + 1 < text.size; i++) {
        const char *at = text.data + i;

        if (at[0] == '_' && byte_is_alnum(at[-1]) && byte_is_alnum(at[1])) return true;
        if (byte_is_alnum(at[-1]) && memcmp(at, "()", 2) == 0) return true;
        if (memcmp(at, "->", 2) == 0 || memcmp(at, "::", 2) == 0) return true;
    }
    return false;
}

bool says_place_is_needed(struct str words)
{
    return (has_code(words) || says_one_of(words, pieces)) && !says_one_of(words, no_place);
}

/* ---- sentences ---- */

/* A walk over the sentences of a text. */
struct sentences {
    struct outline_walk lines;
    struct outline_line line; /* whose words are being read */
    struct str rest;          /* of it */
    char text[SENTENCE_BYTES_MAX]; /* of the sentence: small letters, one blank between words */
    size_t size;
};

static void sentences_init(struct sentences *walk, struct str body, uint32_t line_before)
{
    walk->lines = outline_lines(body, line_before);
    walk->rest = (struct str){ "", 0 };
    walk->size = 0;
}

static struct str sentence_of(const struct sentences *walk)
{
    return str_trim((struct str){ walk->text, walk->size });
}

/* The next line of own words; false at the end. *gap: something else stands between. */
static bool next_line(struct sentences *walk, bool *gap)
{
    *gap = false;
    while (outline_next(&walk->lines, &walk->line)) {
        if ((walk->line.kind == OUTLINE_OWN || walk->line.kind == OUTLINE_INDENTED) &&
            !walk->line.level) {
            *gap = *gap || walk->line.item;
            walk->rest = walk->line.words;
            return true;
        }
        *gap = true;
    }
    return false;
}

/* Cuts a character: marks of emphasis, quotes and brackets are 0, longer dashes are ; and -. */
static char cut_byte(struct str *rest)
{
    char byte = byte_small(rest->data[0]);
    unsigned char last = rest->size < 3 ? 0 : (unsigned char)rest->data[2];

    if (str_starts(*rest, STR("\xe2\x80")) && last >= 0x90 && last <= 0x9f) {
        *rest = str_skip(*rest, 3);
        return last <= 0x92 ? '-' : last <= 0x95 ? ';' : '\0';
    }
    *rest = str_skip(*rest, 1);
    return byte && strchr("*_`\"'()[]", byte) ? '\0' : byte;
}

/* Whether nothing or a blank follows, marks of emphasis and quotes apart. */
static bool ends_word(struct str rest)
{
    rest = text_skip(rest, "*_`\"')]");
    return rest.size == 0 || is_space(rest.data[0]);
}

static bool next_sentence(struct sentences *walk)
{
    bool gap;

    walk->size = 0;
    for (;;) {
        if (walk->rest.size == 0) {
            bool some = sentence_of(walk).size > 0;

            if (!next_line(walk, &gap)) return some;
            if (gap && some) return true;
            if (some) walk->text[walk->size++] = ' ';
        }
        while (walk->rest.size && walk->size + 2 < SENTENCE_BYTES_MAX) {
            bool blank = walk->size == 0 || walk->text[walk->size - 1] == ' ';
            char byte = cut_byte(&walk->rest);

            if (byte == '\0' || (blank && is_space(byte))) continue;
            if ((strchr(".!?:;", byte) || (byte == '-' && blank)) && ends_word(walk->rest)) {
                if (walk->size) return true;
                continue;
            }
            walk->text[walk->size++] = is_space(byte) ? ' ' : byte;
        }
        if (walk->rest.size) return true;
    }
}

/* ---- nothing was changed ---- */

static bool says_sentence(struct str body, const char *const *forms)
{
    struct sentences walk;

    sentences_init(&walk, body, 1);
    while (next_sentence(&walk)) {
        if (text_is_one_of(sentence_of(&walk), forms)) return true;
    }
    return false;
}

bool says_no_changes(struct str body)
{
    static const char *const forms[] = { "no code changes were required for this round",
                                         "no code changes were required", NULL };

    return says_sentence(body, forms);
}

bool says_noop(struct str body)
{
    static const char *const forms[] = { "no-op round", NULL };

    return says_sentence(body, forms);
}

/* ---- somewhere else ---- */

static const char *const trees[] = { "worktree", "checkout", "clone", NULL };
static const char *const others[] = {
    "separate", "different", "another", "new", "hidden", "isolated", "temporary", "dedicated",
    "other", "second", "fresh", "sibling", NULL,
};
static const char *const denials[] = {
    "no", "not", "never", "none", "nothing", "nobody", "neither", "without", "instead of", "isnt",
    "wasnt", "arent", "werent", "didnt", "dont", "cannot", NULL,
};
/* That it was done, and is there. */
static const char *const works[] = {
    "done", "made", "worked", "implemented", "edited", "committed", "performed", "applied",
    "written", "work is", "work was", "changes are", "changes live", "implementation is",
    "edits are", "code is", "commit is", "commits are", "fix is", "lives", "exists", "exist",
    "happened", NULL,
};

/* "a separate git worktree", and not "a new checkout page". */
static bool names_other_tree(struct str text)
{
    static const char *const kinds[] = { "git", "linked", "repository", "repo", "local", NULL };
    static const char *const behind[] = {
        "at", "of", "in", "under", "and", "because", "since", "instead", "so", "to", "named",
        "called", "outside", NULL,
    };

    for (size_t i = 0; i < text.size; i++) {
        struct str rest = str_skip(text, i);

        if (!is_word_begin(text, i) || !cut_one(&rest, others)) continue;
        while (cut_one(&rest, others) || cut_one(&rest, kinds)) {}
        if (!cut_one(&rest, trees)) continue;
        if (rest.size == 0 || rest.data[0] == ',' || cut_one(&rest, behind)) return true;
    }
    return false;
}

/* A path that is not in the workspace, as a word of a line. */
static bool is_foreign_path(struct str word, const char *workspace)
{
    struct str root = str_of(workspace);

    word = text_bare(word, "`\"'(*", "`\"')*.,;:");
    while (str_ends(root, STR("/"))) root.size--;
    if (str_starts(word, STR("../"))) return true;
    if (word.size < 2 || (word.data[0] != '/' && !str_starts(word, STR("~/")))) return false;
    if (root.size == 0 || !str_starts(word, root)) return true;
    return word.size > root.size && word.data[root.size] != '/';
}

/* A line that tells where such a tree is: "Worktree: /tmp/wt-3", "git worktree add ../x". */
static bool shows_other_tree(struct str text, const char *workspace)
{
    struct str rest = text, word;
    uint32_t near = 0;

    while (str_cut(&rest, ' ', &word)) {
        word = str_trim(word);
        if (word.size == 0) continue;
        if (near && is_foreign_path(word, workspace)) return true;
        if (says_one_of(word, denials)) return false;
        if (!str_has(word, '/') && says_one_of(word, trees)) near = WORDS_TO_PATH;
        else if (near) near--;
    }
    return false;
}

uint32_t says_elsewhere(struct str body, uint32_t line_before, const char *workspace)
{
    struct outline_walk lines = outline_lines(body, line_before);
    struct outline_line line;
    struct sentences walk;

    while (outline_next(&lines, &line)) {
        if (line.kind != OUTLINE_OWN && line.kind != OUTLINE_INDENTED) continue;
        if (shows_other_tree(line.words, workspace)) return line.number;
    }
    sentences_init(&walk, body, line_before);
    while (next_sentence(&walk)) {
        struct str said = sentence_of(&walk);

        if (names_other_tree(said) && says_one_of(said, works) && !says_one_of(said, denials)) {
            return walk.line.number;
        }
    }
    return 0;
}
