/* SPDX-License-Identifier: Apache-2.0
 *
 * completion.c - hone completion: scripts for shells, and the words that these scripts ask for.
 *
 * A script is short and knows nothing of hone: at each press of the key it calls `hone completion
 * words` with the command line so far, and shows what comes back. So the verbs, options and values
 * are those of the tables that the same program is parsed by.
 *
 *   the word is            candidates
 *   the first              verbs
 *   -...                   options of the verb, of its dialects, and the common ones
 *   behind an option       its values: by what the table calls its argument (RUN, ROLE, FILE),
 *   that takes a value     by the section of the verb's page that lists them (FORMAT: "Formats"),
 *                          or by the words that its row has
 *   another                the same, of the argument that stands there
 *
 * The first line of the answer says what else fits: words (nothing), files or folders. Then a line
 * for each candidate: the word, a tab, and what it means.
 *
 * 1. A candidate has only bytes that no shell gives a meaning; a name with others is left out.
 * 2. Nothing is an error: of what cannot be read there are no candidates.
 * 3. Nothing is written, no program is started, and of many runs only the newest are read: the user
 *    waits for the answer in the middle of a line. */
#include "cmd/completion.h"

#include "agent/agent.h"
#include "analyze/analyzer.h"
#include "base/path.h"
#include "cmd/page.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/verbs.h"
#include "dialect/dialect.h"
#include "format/text/safe.h"
#include "install/wiring.h"
#include "io/file/peek.h"
#include "run/look.h"
#include "settings/hone_keys.h"
#include "settings/loop_file.h"
#include "settings/role_files.h"
#include "settings/settings.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { RUNS_MAX = 50, HELP_BYTES_MAX = 72, WORDS_BYTES_MAX = 1 << 20, WORD_BYTES_MAX = 256 };

/* One answer in the making. */
struct asked {
    struct call line;   /* the words in front of the one that is completed */
    const char *cwd;    /* after the -C of that line */
    struct str before;  /* of the word: what stays as it is, such as "--agent=critic=" */
    struct str partial; /* what candidates begin with */
    const char *kind;   /* "words", "files", "folders" */
    struct arena *arena;
    struct buf *out;
};

/* ---- candidates ---- */

static bool is_plain(struct str word)
{
    for (size_t i = 0; i < word.size; i++) {
        if (!isalnum((unsigned char)word.data[i]) && !strchr("_.,:=@%+/-", word.data[i])) {
            return false;
        }
    }
    return word.size > 0 && word.size <= WORD_BYTES_MAX;
}

static void offer(struct asked *asked, struct str word, const char *help)
{
    if (!is_plain(word) || !str_starts(word, asked->partial)) return;
    buf_add(asked->out, asked->before);
    buf_add(asked->out, word);
    buf_byte(asked->out, '\t');
    if (help) safe_text(asked->out, str_of(help), true, HELP_BYTES_MAX);
    buf_byte(asked->out, '\n');
}

/* The same with what has to follow it: the shell puts no blank behind such a word. */
static void offer_open(struct asked *asked, const char *word, const char *follows,
                       const char *help)
{
    offer(asked, str_of(arena_printf(asked->arena, "%s%s", word, follows)), help);
}

static void offer_all(struct asked *asked, const char *const *words)
{
    for (; words && *words; words++) offer(asked, str_of(*words), NULL);
}

/* "table, text or json": what is one word of such a list. */
static void offer_list(struct asked *asked, const char *list)
{
    struct str rest = str_of(list), piece;

    while (str_cut(&rest, ',', &piece)) {
        const char *text = arena_cstr(asked->arena, str_trim(piece)), *or = strstr(text, " or ");

        if (or) {
            offer(asked, (struct str){ text, (size_t)(or - text) }, NULL);
            text = or + strlen(" or ");
        } else if (strncmp(text, "or ", strlen("or ")) == 0) {
            text += strlen("or ");
        }
        offer(asked, str_of(text), NULL);
    }
}

/* ---- by what an argument is called ---- */

struct run_walk {
    struct asked *asked;
    uint32_t left;
};

static bool offer_run(void *context, const struct journal_run *run)
{
    struct run_walk *walk = context;

    offer(walk->asked, str_of(run->id), run->task);
    return --walk->left > 0;
}

static void offer_runs(struct asked *asked)
{
    struct run_walk walk = { asked, RUNS_MAX };
    struct look look;
    struct err none;

    if (look_open(&look, asked->cwd, &none) == 0) {
        (void)journal_runs(look.journal, &look.arena, offer_run, &walk, &none);
    }
    look_close(&look);
}

static const char *workspace_of(const struct asked *asked)
{
    struct repo repo = { 0 };
    const char *folder = NULL;
    struct err none;

    if (repo_open(&repo, asked->cwd, REPO_FIND, &none) == 0) {
        folder = arena_cstr(asked->arena, str_of(repo.workspace));
    }
    repo_release(&repo);
    return folder;
}

static void offer_dialects(struct asked *asked)
{
    for (uint32_t i = 0; dialects[i]; i++) {
        offer(asked, str_of(dialects[i]->name), dialects[i]->summary);
    }
    offer_all(asked, loop_names(workspace_of(asked), asked->arena));
    asked->kind = "files"; /* a loop can be named by its path */
}

static void offer_role_files(struct asked *asked, const char *folder, const char *follows)
{
    const char *const *names = folder ? folder_names(folder, "", asked->arena) : NULL;

    for (; names && *names; names++) {
        struct str name = str_of(*names);

        if (!str_ends(name, STR(".md"))) continue;
        name.size -= strlen(".md");
        offer_open(asked, arena_cstr(asked->arena, name), follows, "a role of your own");
    }
}

/* The roles that hone has; and files of the repository's and the user's, by their names alone. */
static void offer_roles(struct asked *asked, const char *follows)
{
    const char *const *names = hone_roles(NULL, asked->arena);
    const char *workspace = workspace_of(asked);

    for (; *names; names++) offer_open(asked, *names, follows, NULL);
    if (workspace) {
        offer_role_files(asked, path_joined(workspace, STR(".hone/roles"), asked->arena), follows);
    }
    offer_role_files(asked, role_files_folder(asked->arena), follows);
}

static void offer_role(struct asked *asked)
{
    offer_roles(asked, "");
}

/* ROLE=SPEC and ROLE=EFFORT: the role first. */
static void offer_role_of(struct asked *asked)
{
    offer_roles(asked, "=");
}

static void offer_specs(struct asked *asked)
{
    const struct analyzer *analyzer;

    for (uint32_t i = 0; backends[i]; i++) {
        offer_open(asked, backends[i]->name, backends[i]->argument_needed ? ":" : "",
                   backend_help(backends[i], asked->arena));
    }
    for (uint32_t i = 0; (analyzer = analyzer_at(i)); i++) {
        if (!str_has(asked->partial, ':')) break;
        offer(asked, str_of(arena_printf(asked->arena, "analyzer:%s", analyzer->name)), NULL);
    }
}

static void offer_backends(struct asked *asked)
{
    for (uint32_t i = 0; backends[i]; i++) {
        offer(asked, str_of(backends[i]->name), backend_help(backends[i], asked->arena));
    }
}

static void offer_policies(struct asked *asked)
{
    offer_all(asked, until_words);
}

static void offer_efforts(struct asked *asked)
{
    offer_all(asked, agent_efforts);
}

static void offer_verbs(struct asked *asked)
{
    for (uint32_t i = 0; verbs[i]; i++) offer(asked, str_of(verbs[i]->name), verbs[i]->summary);
}

static void offer_shells(struct asked *asked)
{
    for (uint32_t i = 0; completion_shells[i].name; i++) {
        offer(asked, str_of(completion_shells[i].name), NULL);
    }
}

static void offer_hosts(struct asked *asked)
{
    for (uint32_t i = 0; i < WIRING_HOST_COUNT; i++) {
        offer(asked, str_of(wiring_words[i]), wiring_titles[i]);
    }
}

static void offer_files(struct asked *asked)
{
    asked->kind = "files";
}

static void offer_folders(struct asked *asked)
{
    asked->kind = "folders";
}

static const struct {
    const char *name;
    void (*offer)(struct asked *asked);
} known[] = {
    { "RUN", offer_runs },         { "DIALECT", offer_dialects }, { "ROLE", offer_role },
    { "SPEC", offer_specs },       { "BACKEND", offer_backends }, { "POLICY", offer_policies },
    { "EFFORT", offer_efforts },   { "VERB", offer_verbs },       { "SHELL", offer_shells },
    { "HOST", offer_hosts },       { "FILE", offer_files },       { "TASK", offer_files },
    { "PATTERN", offer_files },    { "DIR", offer_folders },
};

static bool offer_known(struct asked *asked, struct str name)
{
    for (uint32_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!str_is(name, known[i].name)) continue;
        known[i].offer(asked);
        return true;
    }
    return false;
}

/* FORMAT: the terms of the section "Formats" of the verb's page. False: it has none. */
static bool offer_section(struct asked *asked, struct str name)
{
    struct page page;
    bool inside = false, found = false;

    page_verb(&page, asked->line.verb);
    for (uint32_t i = 0; i < page.count; i++) {
        const struct block *block = &page.blocks[i];

        if (block->kind == BLOCK_HEADING) {
            size_t size = strlen(block->text);

            inside = size == name.size + 1 && block->text[size - 1] == 's' &&
                     strncasecmp(block->text, name.data, name.size) == 0;
        }
        if (!inside || block->kind != BLOCK_TERM) continue;
        offer(asked, str_of(block->term), block->text);
        found = true;
    }
    page_release(&page);
    return found;
}

/* Moves what stands in front of the last such byte of the word out of the candidates' way. */
static void skip_to(struct asked *asked, char byte)
{
    size_t size = asked->partial.size;

    while (size > 0 && asked->partial.data[size - 1] != byte) size--;
    asked->before = str_of(arena_printf(asked->arena, "%.*s%.*s", STR_ARG(asked->before),
                                        (int)size, asked->partial.data));
    asked->partial = str_skip(asked->partial, size);
}

/* The values of an argument that the tables call so: NAME, NAME,... or ROLE=NAME, or NAME|NAME, or
 * NAME[=NAME]. */
static void offer_values(struct asked *asked, const char *name, const char *words)
{
    struct str rest = str_of(name), one, role;

    if (str_ends(rest, STR(",..."))) rest.size -= strlen(",...");
    if (str_ends(rest, STR("]"))) { /* what stands behind the first = may be left out */
        rest.size--;
        str_cut(&rest, '[', &one);
        rest = str_has(asked->partial, '=') ? str_skip(rest, 1) : one;
        skip_to(asked, '=');
    } else if (str_has(rest, '=')) {
        str_cut(&rest, '=', &role);
        if (!str_has(asked->partial, '=')) {
            offer_role_of(asked);
            return;
        }
        skip_to(asked, '=');
    }
    skip_to(asked, ',');
    while (str_cut(&rest, '|', &one)) {
        if (!offer_known(asked, one) && !offer_section(asked, one) && words) {
            offer_list(asked, words);
        }
    }
}

/* ---- where on the line the word stands ---- */

static const struct option *option_named(const struct option *table, struct str name)
{
    while (table->name && (!table->name[0] || !str_is(name, table->name))) table++;
    return table->name ? table : NULL;
}

/* The dialect that the line names; NULL: none, or none that is built in. */
static const struct dialect *dialect_named(const struct asked *asked)
{
    const char *word = call_argument(&asked->line, 0);

    return word ? dialect_find(str_of(word)) : NULL;
}

/* What the table calls the value of this option (NULL: it takes none, or there is no such), and the
 * words that its row has. */
static const char *value_of(const struct asked *asked, struct str name, const char **words)
{
    const struct verb *verb = asked->line.verb;
    const struct option *option = verb ? option_named(verb->options, name) : NULL;

    if (!option && verb && verb->like) option = option_named(verb->like->options, name);
    for (uint32_t i = 0; !option && verb && verb->dialect_options && dialects[i]; i++) {
        const struct dialect_option *other = dialect_option_in(dialects[i], name);

        if (other) return other->argument;
    }
    if (!option) option = option_named(common_options, name);
    *words = option ? option->words : NULL;
    return option ? option->argument : NULL;
}

static void offer_options_of(struct asked *asked, const struct option *table)
{
    for (; table->name; table++) {
        if (!table->name[0]) continue;
        offer(asked, str_of(arena_printf(asked->arena, "--%s", table->name)), table->help);
    }
}

static void offer_options(struct asked *asked)
{
    const struct verb *verb = asked->line.verb;
    const struct dialect *only = dialect_named(asked);

    if (verb) offer_options_of(asked, verb->options);
    if (verb && verb->like) offer_options_of(asked, verb->like->options);
    for (uint32_t i = 0; verb && verb->dialect_options && dialects[i]; i++) {
        const struct dialect_option *option = dialects[i]->options;

        if (only && only != dialects[i]) continue;
        for (; option && option->name; option++) {
            if (!only && i > 0 && dialect_option_in(dialects[0], str_of(option->name))) continue;
            offer(asked, str_of(arena_printf(asked->arena, "--%s", option->name)), option->help);
        }
    }
    offer_options_of(asked, common_options);
}

static void offer_argument(struct asked *asked)
{
    const struct argument *argument = asked->line.verb->arguments;
    uint32_t nth = asked->line.argument_count;

    while (nth > 0 && argument->name && !argument->many) {
        argument++;
        nth--;
    }
    if (!argument->name) return;
    offer_values(asked, argument->name, argument->words);
    if (argument->optional && argument[1].name && !argument[1].optional) {
        offer_values(asked, argument[1].name, argument[1].words); /* this one may be left out */
    }
}

/* The word behind `front`, which are all that stand before it. */
static void complete(struct asked *asked, const char *const *front, uint32_t count)
{
    const char *last = count > 0 ? front[count - 1] : "", *words = NULL, *value;
    bool behind = false;
    struct str name;

    for (uint32_t i = 0; i < count; i++) behind |= strcmp(front[i], "--") == 0;
    if (!behind && strcmp(last, "-C") == 0) {
        offer_folders(asked);
        return;
    }
    if (!behind && strncmp(last, "--", 2) == 0 && !strchr(last, '=')) {
        value = value_of(asked, str_of(last + 2), &words);
        if (value) {
            offer_values(asked, value, words);
            return;
        }
    }
    if (!behind && str_starts(asked->partial, STR("--")) && str_has(asked->partial, '=')) {
        struct str rest = str_skip(asked->partial, 2);

        str_cut(&rest, '=', &name);
        value = value_of(asked, name, &words);
        asked->before = (struct str){ asked->partial.data, name.size + 3 };
        asked->partial = str_skip(asked->partial, name.size + 3);
        if (value) offer_values(asked, value, words);
        return;
    }
    if (!behind && str_starts(asked->partial, STR("-"))) offer_options(asked);
    else if (!asked->line.verb) offer_verbs(asked);
    else offer_argument(asked);
}

/* ---- the verb ---- */

/* The line in front of the word is read as the program would read it, as far as it can be. */
static void say_words(struct call *call, const char *const *words, uint32_t count)
{
    struct asked asked = { .arena = &call->arena, .kind = "words", .cwd = call->cwd };
    const char **line = arena_alloc(&call->arena, (count + 2) * sizeof *line);
    struct buf out, whole;
    struct err none;

    buf_init(&out, WORDS_BYTES_MAX);
    buf_init(&whole, WORDS_BYTES_MAX + 64);
    asked.out = &out;
    line[0] = "hone";
    for (uint32_t i = 0; i + 1 < count; i++) line[i + 1] = words[i];
    (void)call_parse(&asked.line, count > 0 ? (int)count : 1, line, &none);
    if (asked.line.folder) asked.cwd = path_joined(call->cwd, str_of(asked.line.folder),
                                                       &call->arena);
    asked.partial = str_of(count > 0 ? words[count - 1] : "");
    complete(&asked, line + 1, count > 0 ? count - 1 : 0);
    buf_printf(&whole, "%s\n", asked.kind);
    buf_add(&whole, buf_str(&out));
    buf_release(&out);
    say_take(&whole);
    call_release(&asked.line);
}

static int handle(struct call *call)
{
    const char *word = call_argument(call, 0);
    struct buf out;

    if (strcmp(word, "words") == 0) {
        say_words(call, call->arguments + 1, call->argument_count - 1);
        return CODE_DONE;
    }
    if (call->argument_count > 1) {
        return say_fail(CODE_USAGE, "completion: only 'hone completion words' takes words");
    }
    for (uint32_t i = 0; completion_shells[i].name; i++) {
        if (strcmp(word, completion_shells[i].name) != 0) continue;
        buf_init(&out, SAY_BYTES_MAX);
        buf_text(&out, completion_shells[i].text);
        say_take(&out);
        return CODE_DONE;
    }
    return say_fail(CODE_USAGE, "no completion for '%.60s'; there are: bash, zsh, fish", word);
}

const struct verb verb_completion = {
    .name = "completion",
    .summary = "print what teaches a shell the words of hone",
    .text = {
        "Prints a script that lets the shell complete verbs, options, and values that are known: "
        "runs, roles, dialects and loops, formats, states. Packages and 'make install' put it "
        "where the shells look for it; elsewhere, with bash: source <(hone completion bash), in "
        "your .bashrc; with zsh: hone completion zsh >DIR/_hone, where DIR is in $fpath; with "
        "fish: hone completion fish >~/.config/fish/completions/hone.fish.",
        "'hone completion words -- WORD...' is what the scripts ask: what the last WORD can "
        "become. The first line says what fits beside (words: nothing, files, folders); then each "
        "line has a word, a tab and what it means. It reads, starts nothing, and is no error "
        "where it has nothing to say.",
    },
    .arguments = {
        { .name = "SHELL", .help = "bash, zsh or fish; or words", .words = "bash, zsh or fish" },
        { .name = "WORD", .optional = true, .many = true,
          .help = "of words: the command line so far, without hone" },
    },
    .codes = {
        { CODE_DONE, "it was printed" },
        { CODE_USAGE, "there is no script for this shell" },
    },
    .examples = { "hone completion bash", "hone completion words -- run re" },
    .handle = handle,
};
