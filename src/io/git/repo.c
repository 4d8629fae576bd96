/* SPDX-License-Identifier: Apache-2.0
 *
 * repo.c - finding the workspace, and calling git so that it serves us alone.
 *
 * One call of git finds the work tree, its git folder and the common one; git itself decides what
 * a repository is and whether it may be trusted. Where there is none, a private repository is made
 * in .hone/git and the folder as it stands is committed there once: from then on git's index knows
 * sizes and times, and looking at the tree costs as little as in any repository.
 *
 * A call of git looks, asks or acts. Its verb decides (`looking`, `asking`):
 *
 *     looks   at the files of a tree, an index or an object. It goes through the looking glass
 *             (glass.c): no configuration of the repository is read, so that none can run
 *     asks    about commits, refs and which attributes paths have. It reads the repository's
 *             configuration, since that says what @{upstream} is, and the content of no file: no
 *             filter, hook or monitor is involved, and objects are not fetched
 *     acts    as the user's own git would, with filters: worktree, reset, checkout-index,
 *             read-tree -u, submodule; add, commit and init of the private repository; update-ref.
 *             What only the repository's configuration names is switched off, by what it says at
 *             that moment (below). Not by us: commits and merges (agent/own)
 *
 * repo_git_raw() goes through the glass by any verb: io/travel writes packs, indexes and work trees
 * of ours with it.
 *
 * 1. No program named by a repository's configuration runs for us as a hook, file system monitor,
 *    pager, external diff, text converter, verifier of signatures or transport. When git looks,
 *    none runs at all, and git looks into no submodule. When it acts, filters and merge drivers run
 *    where the user's own configuration names them.
 * 2. git takes no optional lock: the user's index is not written by our looking.
 * 3. The private repository is complete once its file "ready" is there; until then each open makes
 *    it again, which git allows at any point.
 * 4. The work tree is the folder that the git folder was found through. A configuration that names
 *    another one (core.worktree) is refused: agents would be let into it.
 *
 * Filters and merge drivers: git runs what filter.NAME.clean, .smudge, .process and
 * merge.NAME.driver say, for files that .gitattributes gives to NAME. A clone brings no
 * configuration along, but an archive does. What the user's own configuration, or the machine's,
 * says is the user's; the same words in the repository's are too, and so is what Git LFS puts
 * there. Everything else is switched off for calls that act:
 *
 *     a filter         does nothing, and is not required: files are written as they are. For a
 *                      commit it is required: one that should have passed through it is refused
 *     a merge driver   fails: a conflict, for the user to look at
 *     what signs       (gpg.program, gpg.NAME.program, gpg.ssh.defaultKeyCommand) is the program
 *                      of the user's configuration, or git's own default
 *
 * Whether to sign, by which format and with which key (commit.gpgSign, gpg.format, user.signingKey)
 * names no program: the repository's own file may say it, as git has it. A file that it includes
 * may not, since an agent can write to that one.
 *
 * 5. Configuration that cannot be read is an error: what it would run is not known.
 * 6. Files are only looked into for a section that could matter; git itself reads the rest, with
 *    what they include.
 *
 * Finding without git. A process of git costs more than everything else before the first agent, and
 * a hook is asked at every tool call. There are two searches since they may say different things:
 *
 *     repo_take_plain   is repo_open() without the process: its answer must be git's, so that it
 *                       knows only what is plain, and git is asked about the rest
 *     repo_find         is for hooks, which have no time for git at all: what it does not find has
 *                       no run of hone. It follows a .git file (a work tree of the repository) and
 *                       finds the private repository, too
 *
 * Plain is where all of this holds:
 *
 * 7. The first folder upwards with a .git is the top; .git is a folder with HEAD, objects and refs,
 *    and nothing on the way up to it is a git folder itself.
 * 8. Top and .git belong to us, and no file system begins between start and top: git would neither
 *    distrust it nor stop looking.
 * 9. Its configuration is of version 0, and says nothing of another work tree, of being bare, of
 *    extensions and of other files.
 * 10. The environment sets no bounds to the search, and git is there: nothing goes on without.
 *
 * Whether a repository may be trusted git decides by its owner, so that repo_find() does not find
 * one of another user's at all; repo_open() then asks git.
 *
 * Not here: what the tree holds (tree.c), running a program (helper_run).
 */
#include "io/git/repo.h"

#include "base/byte.h"
#include "base/mem.h"
#include "io/file/file.h"
#include "io/git/glass.h"
#include "io/process/helper.h"
#include "io/process/host.h"
#include "io/process/program.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ARGS_MAX = 512, LINK_BYTES_MAX = 8192, PATHS_BYTES_MAX = 3 * 65536, WORDS_BYTES_MAX = 1 << 20,
};

static const char *const flags[] = {
    "git",
    "-c", "core.fsmonitor=false",
    "-c", "core.trustctime=true", /* a changed file whose size and time were put back shows */
    "-c", "core.checkStat=default",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.pager=cat",
    "-c", "core.quotePath=false",
    "-c", "protocol.ext.allow=never",
    "-c", "core.sshCommand=false",
    "-c", "core.alternateRefsCommand=false",
    "-c", "log.showSignature=false",
    "-c", "gc.auto=0",
    "-c", "submodule.recurse=false",
    "-c", "diff.submodule=short",
};

/* How a call of git goes; the file's header says what it means. */
static const char *const looking[] = { "status", "diff", "diff-index", "diff-files", "diff-tree",
                                       "ls-files", "ls-tree", "hash-object", "cat-file", "log",
                                       "show", "update-index", "write-tree", NULL };
static const char *const asking[] = { "rev-parse", "rev-list", "for-each-ref", "merge-base",
                                      "symbolic-ref", "config", "check-attr", NULL };

static const char *const environment[] = {
    "GIT_CONFIG_NOSYSTEM=1",
    "GIT_OPTIONAL_LOCKS=0",
    "GIT_TERMINAL_PROMPT=0",
    "LC_ALL=C",
};

/* These show content by programs of the configuration's choosing unless they are told not to. */
static const char *const showing[] = { "diff", "log", "show", NULL };
/* These would have git look into submodules, with the configuration that is there. */
static const char *const descending[] = { "status", "diff", "diff-index", "diff-files", NULL };

struct words {
    const char *items[ARGS_MAX];
    uint32_t count;
};

static void argument_add(struct words *words, const char *item)
{
    assert(words->count < ARGS_MAX - 1); /* the list ends with NULL */
    words->items[words->count++] = item;
}

/* ---- filters and merge drivers ---- */

enum { CONFIGS_BYTES_MAX = 4 << 20, DRIVERS_MAX = 100, MODULES_MAX = 500, DEPTH_MAX = 6 };

/* What Git LFS and a well-known recipe write; programs of the user's own. */
static const char *const harmless[] = {
    "git-lfs clean -- %f", "git-lfs smudge -- %f", "git-lfs smudge --skip -- %f",
    "git-lfs filter-process", "git-lfs filter-process --skip", "true", "false", "", NULL,
};

/* The search, and what it has found: keys that are switched off. */
struct search {
    const struct repo *repo;
    struct arena arena;
    struct buf users;    /* the machine's and the user's: KEY LF VALUE NUL, again and again */
    bool asked;          /* users is there */
    struct buf plain;    /* what files that include others say themselves, alike */
    bool includes;       /* the file that is read now does */
    struct str keys[DRIVERS_MAX];
    uint32_t count, modules;
    struct err *err;
};

static bool mentions(struct str text, const char *word)
{
    size_t size = strlen(word);

    for (size_t at = 0; at + size <= text.size; at++) {
        size_t same = 0;
        while (same < size && byte_small(text.data[at + same]) == word[same]) same++;
        if (same == size) return true;
    }
    return false;
}

static bool ends_with(struct str text, const char *tail)
{
    size_t size = strlen(tail);

    return text.size >= size && memcmp(text.data + text.size - size, tail, size) == 0;
}

/* Keys that a repository alone does not decide, as git lists them: how the name begins and ends. */
static const struct closed_key {
    const char *start, *end;
    const char *off;  /* its value where neither user nor machine has one */
    bool by_value;    /* it is no program: only what an included file says does not count */
} closed_keys[] = {
    { "filter.", ".clean", "", false },
    { "filter.", ".smudge", "", false },
    { "filter.", ".process", "", false },
    { "merge.", ".driver", "false", false },
    { "gpg.ssh.", "defaultkeycommand", "false", false },
    { "gpg.ssh.", "program", "ssh-keygen", false },
    { "gpg.x509.", "program", "gpgsm", false },
    { "gpg.", "program", "gpg", false },
    { "gpg.", "format", "openpgp", true },
    { "user.", "signingkey", "", true },
    { "commit.", "gpgsign", "false", true },
};

static const struct closed_key *closed_key(struct str key)
{
    for (size_t i = 0; i < sizeof closed_keys / sizeof closed_keys[0]; i++) {
        const struct closed_key *closed = &closed_keys[i];

        if (str_starts(key, str_of(closed->start)) && ends_with(key, closed->end)) return closed;
    }
    return NULL;
}

static int config_list(struct search *search, const char *where, const char *file, bool includes,
                       struct buf *out)
{
    const char *const argv[] = { "git", "config", includes ? "--includes" : "--no-includes",
                                 "--null", where, file ? file : "--list", file ? "--list" : NULL,
                                 NULL };
    static const char *const env[] = { "LC_ALL=C", NULL };

    return helper_run(argv, env, search->repo->workspace, STR(""), out, search->err);
}

/* What the machine and the user have said; one without a configuration has said nothing. */
static struct str users_config(struct search *search)
{
    struct err none, *err = search->err;

    if (!search->asked) {
        search->asked = true;
        search->err = &none;
        (void)config_list(search, "--system", NULL, true, &search->users);
        (void)config_list(search, "--global", NULL, true, &search->users);
        search->err = err;
    }
    return buf_str(&search->users);
}

static bool is_among(const char *const *list, struct str word)
{
    while (*list && !str_is(word, *list)) list++;
    return *list != NULL;
}

static bool is_said(struct str config, struct str entry)
{
    struct str one;

    while (str_cut(&config, '\0', &one)) {
        if (str_eq(one, entry)) return true;
    }
    return false;
}

/* Two names of one setting. */
static bool is_same_key(struct str a, struct str b)
{
    static const char *const alike[] = { "gpg.program", "gpg.openpgp.program", NULL };

    return str_eq(a, b) || (is_among(alike, a) && is_among(alike, b));
}

/* The last value of a key there; NULL: none. */
static const char *last_value(struct str config, struct str key, struct arena *arena)
{
    const char *last = NULL;
    struct str value, name;

    while (str_cut(&config, '\0', &value)) {
        if (str_cut(&value, '\n', &name) && is_same_key(name, key)) last = arena_cstr(arena, value);
    }
    return last;
}

static int config_entry(struct search *search, struct str entry)
{
    const struct closed_key *closed;
    struct str value = entry, key;

    if (!str_cut(&value, '\n', &key)) return 0;
    closed = closed_key(key);
    if (!closed) return 0;
    if (closed->by_value && (!search->includes || is_said(buf_str(&search->plain), entry)))
        return 0;
    if (!closed->by_value && is_among(harmless, value)) return 0;
    if (is_said(users_config(search), entry)) return 0;
    for (uint32_t i = 0; i < search->count; i++) {
        if (str_eq(search->keys[i], key)) return 0;
    }
    if (search->count == DRIVERS_MAX) {
        return err_set(search->err, ERR_USAGE, "its configuration names more than %d programs that "
                       "git would run: look at them with git config --list", DRIVERS_MAX);
    }
    search->keys[search->count++] = arena_copy(&search->arena, key);
    return 0;
}

static bool mentions_closed(struct str text)
{
    return mentions(text, "[filter") || mentions(text, "[merge") || mentions(text, "[gpg") ||
           mentions(text, "[include");
}

static int config_read(struct search *search, const char *path)
{
    struct str rest, entry;
    struct buf text;
    int rc;

    buf_init(&text, CONFIGS_BYTES_MAX);
    rc = file_read(path, &text, search->err);
    if (rc == 0 && mentions_closed(buf_str(&text))) {
        search->includes = mentions(buf_str(&text), "[include");
        if (search->includes) rc = config_list(search, "--file", path, false, &search->plain);
        buf_clear(&text);
        if (rc == 0) rc = config_list(search, "--file", path, true, &text);
        rest = buf_str(&text);
        while (rc == 0 && str_cut(&rest, '\0', &entry)) rc = config_entry(search, entry);
    }
    buf_release(&text);
    return rc == ERR_MISSING ? 0 : rc;
}

/* Copies of submodules, by their names, which may have slashes in them. */
static int modules_read(struct search *search, const char *folder, int depth)
{
    struct dirent *item;
    DIR *dir = depth < DEPTH_MAX ? opendir(folder) : NULL;
    int rc = 0;

    while (dir && rc == 0 && search->modules < MODULES_MAX && (item = readdir(dir))) {
        const char *below = arena_printf(&search->arena, "%s/%s", folder, item->d_name);
        const char *config = arena_printf(&search->arena, "%s/config", below);

        if (item->d_name[0] == '.' || item->d_type != DT_DIR) continue;
        search->modules++;
        if (file_exists(config)) {
            rc = config_read(search, config);
            below = arena_printf(&search->arena, "%s/modules", below);
        }
        if (rc == 0) rc = modules_read(search, below, depth + 1);
    }
    if (dir) closedir(dir);
    return rc;
}

/* ---- switching off ---- */

/* Counted on from those that the user's environment has. */
static void add_override(struct words *env, struct arena *arena, uint64_t number, const char *key,
                         const char *value)
{
    argument_add(env, arena_printf(arena, "GIT_CONFIG_KEY_%u=%s", (unsigned)number, key));
    argument_add(env, arena_printf(arena, "GIT_CONFIG_VALUE_%u=%s", (unsigned)number, value));
}

/* What a key that is switched off is set to. */
static const char *off_value(struct search *search, struct str key, struct arena *arena)
{
    const struct closed_key *closed = closed_key(key);
    const char *value = NULL;

    if (closed->by_value) value = last_value(buf_str(&search->plain), key, arena);
    if (!value && !str_starts(key, STR("filter.")) && !str_starts(key, STR("merge.")))
        value = last_value(users_config(search), key, arena);
    return value ? value : closed->off;
}

static void add_overrides(struct search *search, bool required, struct words *env,
                          struct arena *arena)
{
    const char *before = getenv("GIT_CONFIG_COUNT");
    uint64_t number = 0;

    if (before) (void)str_number(str_of(before), &number);
    for (uint32_t i = 0; i < search->count; i++) {
        const char *key = arena_cstr(arena, search->keys[i]);
        int stem = (int)(strrchr(key, '.') - key);

        add_override(env, arena, number++, key, off_value(search, search->keys[i], arena));
        if (!str_starts(search->keys[i], STR("filter."))) continue;
        add_override(env, arena, number++, arena_printf(arena, "%.*s.required", stem, key),
                     required ? "true" : "false");
    }
    if (search->count > 0)
        argument_add(env, arena_printf(arena, "GIT_CONFIG_COUNT=%u", (unsigned)number));
}

/* Adds to env: keys that this repository's own configuration, or a submodule's, sets now, that are
 * closed to it, and that the user's does not set just so. Costs the reading of a file where there
 * are none. */
static int switch_off(const struct repo *repo, bool required, struct words *env,
                      struct arena *arena, struct err *err)
{
    struct search *search = mem_alloc(sizeof *search);
    struct arena *own = &search->arena;
    int rc;

    search->repo = repo;
    search->err = err;
    buf_init(&search->users, 2 * CONFIGS_BYTES_MAX);
    buf_init(&search->plain, CONFIGS_BYTES_MAX);
    rc = config_read(search, arena_printf(own, "%s/config", repo->common_dir));
    if (rc == 0) rc = config_read(search, arena_printf(own, "%s/config.worktree", repo->git_dir));
    if (rc == 0) rc = modules_read(search, arena_printf(own, "%s/modules", repo->common_dir), 0);
    if (rc == 0) add_overrides(search, required, env, arena);
    buf_release(&search->plain);
    buf_release(&search->users);
    arena_release(own);
    free(search);
    return rc == 0 ? 0 : err_wrap(err, "the configuration of %s", repo->workspace);
}

int repo_quiet(const struct repo *repo, bool required, struct arena *arena,
               const char *const **out, struct err *err)
{
    struct words *env = arena_alloc(arena, sizeof *env);
    int rc = switch_off(repo, required, env, arena, err);

    *out = env->items;
    return rc;
}

/* ---- calling git ---- */

/* The verb behind settings that a caller put in front of it. */
static const char *const *verb_of(const char *const *args)
{
    while (args[0] && strcmp(args[0], "-c") == 0) args += 2;
    assert(args[0]);
    return args;
}

static bool is_listed(const char *const *list, const char *word)
{
    while (*list && strcmp(*list, word) != 0) list++;
    return *list != NULL;
}

static bool is_look(const struct repo *repo, const char *const *args)
{
    return repo->git_dir && is_listed(looking, *verb_of(args));
}

/* Everything in front of the verb, and the verb with what tames it. */
static void command_add(struct words *words, bool is_git, const char *const *args)
{
    const char *const *verb = verb_of(args);

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) argument_add(words, flags[i]);
    if (is_git) {
        /* A bare repository planted in a subfolder is not taken for the one we are in. */
        argument_add(words, "-c");
        argument_add(words, "safe.bareRepository=explicit");
    }
    while (args <= verb) argument_add(words, *args++);
    if (is_listed(showing, *verb)) {
        argument_add(words, "--no-ext-diff");
        argument_add(words, "--no-textconv");
    }
    if (is_listed(descending, *verb)) argument_add(words, "--ignore-submodules=dirty");
    while (*args) argument_add(words, *args++);
}

/* As git reads it in a list of paths: between quotes a colon does not separate. */
static const char *quoted(struct arena *arena, const char *path)
{
    struct buf text;

    buf_init(&text, 4 * strlen(path) + 2);
    buf_byte(&text, '"');
    for (; *path; path++) {
        if (*path == '"' || *path == '\\') buf_byte(&text, '\\');
        if (*path == '\n') buf_text(&text, "\\n");
        else buf_byte(&text, *path);
    }
    buf_byte(&text, '"');
    return arena_take_cstr(arena, &text);
}

/* What a call of git is made of. */
struct git_call {
    struct words argv, env;
    struct arena arena;
};

/* Git's objects: the user's; with own, new ones go to a folder of ours. */
static void add_objects(const struct repo *repo, bool own, struct git_call *out)
{
    const char *theirs = arena_printf(&out->arena, "%s/objects", repo->common_dir);

    if (!own) {
        argument_add(&out->env, arena_printf(&out->arena, "GIT_OBJECT_DIRECTORY=%s", theirs));
        return;
    }
    argument_add(&out->env, arena_printf(&out->arena, "GIT_OBJECT_DIRECTORY=%s/objects",
                                         repo->hone_dir));
    argument_add(&out->env, arena_printf(&out->arena, "GIT_ALTERNATE_OBJECT_DIRECTORIES=%s",
                                         quoted(&out->arena, theirs)));
}

static int make_look(const struct repo *repo, bool own, struct git_call *out, struct err *err)
{
    const char *folder;
    int rc = glass_ready(repo, &folder, err);

    if (rc != 0) return rc;
    argument_add(&out->env, arena_printf(&out->arena, "GIT_DIR=%s", folder));
    argument_add(&out->env, arena_printf(&out->arena, "GIT_WORK_TREE=%s", repo->workspace));
    argument_add(&out->env, "GIT_ATTR_NOSYSTEM=1");
    argument_add(&out->env, "GIT_ALLOC_LIMIT=2g"); /* a few bytes may say that they are very many */
    argument_add(&out->env, "GIT_NO_REPLACE_OBJECTS=1");
    argument_add(&out->env, "GIT_ALLOW_PROTOCOL=none");
    argument_add(&out->env, "GIT_NO_LAZY_FETCH=1");
    add_objects(repo, own, out);
    return 0;
}

static int make_act(const struct repo *repo, bool own, const char *const *args,
                    struct git_call *out, struct err *err)
{
    const char *verb = *verb_of(args);

    if (!repo->is_git) {
        argument_add(&out->env, arena_printf(&out->arena, "GIT_DIR=%s", repo->git_dir));
        argument_add(&out->env, arena_printf(&out->arena, "GIT_WORK_TREE=%s", repo->workspace));
    }
    if (own) add_objects(repo, true, out);
    /* A submodule comes out of a copy in our own git folder. */
    argument_add(&out->env, strcmp(verb, "submodule") == 0 ? "GIT_ALLOW_PROTOCOL=file"
                                                           : "GIT_ALLOW_PROTOCOL=none");
    argument_add(&out->env, "GIT_NO_LAZY_FETCH=1");
    if (is_listed(asking, verb) || !repo->common_dir) return 0;
    return switch_off(repo, false, &out->env, &out->arena, err);
}

/* index: NULL for the user's. own: new objects go to a folder of ours. look: through the glass. */
static int make_call_so(const struct repo *repo, bool look, bool own, const char *index,
                        const char *const *args, struct git_call *out, struct err *err)
{
    int rc;

    *out = (struct git_call){ .argv = { .count = 0 } };
    command_add(&out->argv, repo->is_git, args);
    for (size_t i = 0; i < sizeof environment / sizeof environment[0]; i++)
        argument_add(&out->env, environment[i]);
    rc = look ? make_look(repo, own, out, err) : make_act(repo, own, args, out, err);
    if (index || look) {
        argument_add(&out->env,
                     index ? arena_printf(&out->arena, "GIT_INDEX_FILE=%s", index)
                           : arena_printf(&out->arena, "GIT_INDEX_FILE=%s/index", repo->git_dir));
    }
    return rc;
}

static int make_call(const struct repo *repo, bool own, const char *index,
                     const char *const *args, struct git_call *out, struct err *err)
{
    return make_call_so(repo, is_look(repo, args), own, index, args, out, err);
}

static int explain(int rc, struct err *err)
{
    if (rc == ERR_MISSING)
        err_set(err, ERR_MISSING, "git is not installed: apt-get install git");
    else if (rc != 0 && str_starts(str_of(err->text), STR("git: ")))
        memmove(err->text, err->text + 5, strlen(err->text + 5) + 1); /* we say it better */
    return rc;
}

static int run_git(const struct repo *repo, bool own, const char *index, const char *const *args,
                   struct str input, struct buf *out, struct err *err)
{
    struct git_call call;
    int rc;

    rc = make_call(repo, own, index, args, &call, err);
    if (rc == 0) {
        rc = helper_run(call.argv.items, call.env.items, repo->workspace, input, out, err);
        rc = explain(rc, err);
    }
    arena_release(&call.arena);
    return rc;
}

static int context_add(const struct repo *repo, const char *const *args, struct err *err)
{
    return err_wrap(err, "git %s in %s", *verb_of(args), repo->workspace);
}

int repo_git(const struct repo *repo, const char *const *args, struct str input, struct buf *out,
             struct err *err)
{
    int rc = run_git(repo, false, NULL, args, input, out, err);

    return rc != 0 ? context_add(repo, args, err) : 0;
}

int repo_do(const struct repo *repo, const char *const *args, struct str input, struct err *err)
{
    struct buf said;
    int rc;

    buf_init(&said, WORDS_BYTES_MAX);
    rc = repo_git(repo, args, input, &said, err);
    buf_release(&said);
    return rc;
}

const char *repo_ask(const struct repo *repo, const char *const *args, struct arena *arena,
                     struct err *err)
{
    const char *line = NULL;
    struct buf said;

    buf_init(&said, WORDS_BYTES_MAX);
    if (repo_git(repo, args, STR(""), &said, err) == 0) {
        line = arena_cstr(arena, str_trim(buf_str(&said)));
    }
    buf_release(&said);
    return line;
}

const char *repo_commit(const struct repo *repo, const char *revision, struct arena *arena,
                        struct err *err)
{
    const char *const args[] = { "rev-parse", "--verify", "--quiet", "--end-of-options",
                                 arena_printf(arena, "%s^{commit}", revision), NULL };

    return repo_ask(repo, args, arena, err);
}

struct helper *repo_git_begin(const struct repo *repo, const char *const *args)
{
    struct helper *helper = NULL;
    struct git_call call;
    struct err ignored; /* where it fails, repo_git() says why */

    if (make_call(repo, false, NULL, args, &call, &ignored) == 0)
        helper = helper_begin(call.argv.items, call.env.items, repo->workspace, &ignored);
    arena_release(&call.arena);
    return helper;
}

int repo_git_finish(const struct repo *repo, const char *const *args, struct helper *helper,
                    struct buf *out, struct err *err)
{
    int rc = explain(helper_finish(helper, out, err), err);

    return rc != 0 ? context_add(repo, args, err) : 0;
}

int repo_git_raw(const struct repo *repo, const struct git_raw *raw, struct buf *out,
                 struct err *err)
{
    struct git_call call = { .argv = { .count = 0 } };
    int rc = 0;

    if (raw->own) {
        rc = file_make_folder(arena_printf(&call.arena, "%s/objects", repo->hone_dir), true, err);
        arena_release(&call.arena);
    }
    if (rc == 0) rc = make_call_so(repo, true, raw->own, raw->index, raw->args, &call, err);
    if (rc == 0 && raw->sink) {
        rc = helper_pour(call.argv.items, call.env.items, repo->workspace, raw->input, raw->sink,
                         err);
    } else if (rc == 0) {
        rc = helper_run(call.argv.items, call.env.items, repo->workspace, raw->input, out, err);
    }
    rc = explain(rc, err);
    arena_release(&call.arena);
    return rc != 0 ? context_add(repo, raw->args, err) : 0;
}

int repo_git_own(const struct repo *repo, const char *const *args, struct str input,
                 struct buf *out, struct err *err)
{
    return repo_git_index(repo, NULL, args, input, out, err);
}

int repo_git_index(const struct repo *repo, const char *index, const char *const *args,
                   struct str input, struct buf *out, struct err *err)
{
    struct arena arena = { 0 };
    int rc = file_make_folder(arena_printf(&arena, "%s/objects", repo->hone_dir), true, err);

    arena_release(&arena);
    if (rc != 0) return rc;
    rc = run_git(repo, true, index, args, input, out, err);
    return rc != 0 ? context_add(repo, args, err) : 0;
}

/* ---- the private repository ---- */

enum { FOLDER_FILES_MAX = 50000, FOLDER_DEPTH_MAX = 100 };

static int make_private(const struct repo *repo, struct err *err)
{
    static const char *const steps[][12] = {
        { "init", "--quiet", "--template=", "--initial-branch=main", NULL },
        /* Fails for a file that cannot be read; the others are in all the same. */
        { "add", "--all", "--ignore-errors", NULL },
        { "-c", "user.name=hone", "-c", "user.email=hone@localhost", "commit", "--quiet",
          "--no-verify", "--no-gpg-sign", "--allow-empty", "--message=as hone found it", NULL },
    };
    int rc = file_make_folder_in(repo->workspace, ".hone/git", err);

    if (rc == 0) rc = file_write(repo->workspace, ".hone/git/info/exclude", STR("/.hone/\n"), err);
    if (rc == 0) rc = repo_do(repo, steps[0], STR(""), err);
    if (rc == 0) rc = repo_do(repo, steps[1], STR(""), err);
    if (rc == ERR_FAILED) rc = 0;
    if (rc == 0) rc = repo_do(repo, steps[2], STR(""), err);
    return rc == 0 ? file_write(repo->workspace, ".hone/git/ready", STR("1\n"), err) : rc;
}

/* Counts what is below, until there are too many. */
static void count_files(int parent_fd, const char *name, int depth, uint32_t *count)
{
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *item;
    struct stat st;

    if (!dir && fd >= 0) close(fd);
    while (dir && *count <= FOLDER_FILES_MAX && (item = readdir(dir))) {
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) continue;
        ++*count;
        if (depth > 0 && fstatat(fd, item->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISDIR(st.st_mode))
            count_files(fd, item->d_name, depth - 1, count);
    }
    if (dir) closedir(dir);
}

/* A folder that is no project would be walked for minutes, and all of it be shown to agents. */
static bool is_modest(struct repo *repo, struct err *err)
{
    const char *home = host_home(), *what = NULL;
    struct str top = str_of(repo->workspace), real;
    uint32_t count = 0;

    if (home) home = file_real(home, &repo->arena);
    real = str_of(home ? home : "");
    if (top.size == 1) what = "the root of the file system";
    else if (str_eq(top, real)) what = "your home folder";
    else if (str_starts(real, top) && real.data[top.size] == '/') what = "above your home folder";
    if (!what) count_files(AT_FDCWD, repo->workspace, FOLDER_DEPTH_MAX, &count);
    if (count > FOLDER_FILES_MAX) what = "a folder with more than 50,000 files";
    if (!what) return true;
    err_set(err, ERR_USAGE, "%s is in no git repository, so that hone would read everything in it, "
            "and it is %s: go to the folder of the project, make a repository of it with 'git "
            "init', or say 'hone run --any-folder'", repo->workspace, what);
    return false;
}

static int open_private(struct repo *repo, enum repo_make make, struct err *err)
{
    const char *ready;

    repo->is_git = false;
    repo->hone_dir = arena_printf(&repo->arena, "%s/.hone", repo->workspace);
    repo->git_dir = arena_printf(&repo->arena, "%s/git", repo->hone_dir);
    repo->common_dir = repo->git_dir;
    ready = arena_printf(&repo->arena, "%s/ready", repo->git_dir);
    if (file_exists(ready)) return 0;
    if (make == REPO_MAKE && !is_modest(repo, err)) return (int)err->code;
    if (make != REPO_FIND) return make_private(repo, err);
    return err_set(err, ERR_MISSING, "%s is not in a git repository, and hone has nothing there: "
                   "go to the folder of the run, or name it with -C DIR", repo->workspace);
}

/* ---- finding it without git ---- */

enum { CONFIG_BYTES_MAX = 64 << 10 };

/* A path becomes that of the folder above; false at the top. */
static bool step_up(char *path)
{
    char *slash = strrchr(path, '/');

    if (!slash || slash == path) return false;
    *slash = '\0';
    return true;
}

/* The path that a small file holds behind a prefix, absolute; NULL where it does not. */
static const char *path_held(struct arena *arena, const char *folder, const char *file,
                             const char *prefix)
{
    struct err none;
    struct str line;

    if (file_text(file, LINK_BYTES_MAX, arena, &line, &none) != 0) return NULL;
    if (!str_starts(line, str_of(prefix))) return NULL;
    line = str_trim(str_skip(line, strlen(prefix)));
    if (line.size == 0) return NULL;
    if (line.data[0] == '/') return file_real(arena_cstr(arena, line), arena);
    return file_real(arena_printf(arena, "%s/%.*s", folder, STR_ARG(line)), arena);
}

static bool path_in(char out[PATH_MAX], const char *folder, const char *name)
{
    return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static bool is_there(const char *folder, const char *name, mode_t kind)
{
    char path[PATH_MAX];
    struct stat st;

    return path_in(path, folder, name) && lstat(path, &st) == 0 &&
           (kind == 0 || (st.st_mode & S_IFMT) == kind);
}

/* Every time the word is there, this follows it. */
static bool only_as(const char *text, const char *word, const char *behind)
{
    for (text = strstr(text, word); text; text = strstr(text, word)) {
        text += strlen(word);
        if (strncmp(text, behind, strlen(behind)) != 0) return false;
    }
    return true;
}

static bool config_is_plain(const char *path)
{
    static const char *const special[] = { "worktree", "include", "extensions", NULL };
    struct err none;
    struct buf text;
    bool plain;

    buf_init(&text, CONFIG_BYTES_MAX);
    plain = file_read(path, &text, &none) == 0 && strlen(buf_cstr(&text)) == text.size;
    for (size_t i = 0; i < text.size; i++) { /* names of git's are of either case */
        if (byte_is_capital(text.data[i])) text.data[i] += 'a' - 'A';
    }
    for (uint32_t i = 0; special[i] && plain; i++) plain = !strstr(buf_cstr(&text), special[i]);
    plain = plain && only_as(buf_cstr(&text), "bare", " = false\n") &&
            only_as(buf_cstr(&text), "repositoryformatversion", " = 0\n");
    buf_release(&text);
    return plain;
}

static bool is_git_folder(const char *path)
{
    return is_there(path, "HEAD", 0) && is_there(path, "objects", 0) && is_there(path, "refs", 0);
}

static bool is_plain(const char *start, const char *top, const char *git)
{
    char config[PATH_MAX];
    struct stat at_start, at_top, at_git;

    if (lstat(start, &at_start) != 0 || lstat(top, &at_top) != 0 || lstat(git, &at_git) != 0)
        return false;
    if (!S_ISDIR(at_git.st_mode) || at_top.st_uid != geteuid() || at_git.st_uid != geteuid())
        return false;
    if (at_start.st_dev != at_top.st_dev || at_git.st_dev != at_top.st_dev) return false;
    if (!is_there(git, "HEAD", S_IFREG) || !is_there(git, "objects", S_IFDIR) ||
        !is_there(git, "refs", S_IFDIR) || is_there(git, "commondir", 0))
        return false;
    return path_in(config, git, "config") && config_is_plain(config);
}

bool repo_take_plain(struct repo *repo)
{
    char top[PATH_MAX];
    const char *git;

    if (getenv("GIT_CEILING_DIRECTORIES") || getenv("GIT_DISCOVERY_ACROSS_FILESYSTEM"))
        return false;
    if (strlen(repo->workspace) + sizeof "/.git/config" > sizeof top ||
        strchr(repo->workspace, '\n'))
        return false;
    memcpy(top, repo->workspace, strlen(repo->workspace) + 1);
    while (!is_there(top, ".git", 0)) {
        if (is_git_folder(top)) return false;
        if (!step_up(top)) return false;
    }
    git = arena_printf(&repo->arena, "%s/.git", top);
    if (is_git_folder(top) || !is_plain(repo->workspace, top, git)) return false;
    if (!program_exists("git")) return false;
    repo->workspace = arena_cstr(&repo->arena, str_of(top));
    repo->git_dir = repo->common_dir = git;
    return true;
}

static bool is_own(const char *path, bool *folder)
{
    struct stat st;

    if (lstat(path, &st) != 0) return false;
    *folder = S_ISDIR(st.st_mode);
    return (*folder || S_ISREG(st.st_mode)) && st.st_uid == geteuid();
}

static bool find_git(struct repo *repo, const char *top)
{
    struct arena *arena = &repo->arena;
    const char *git = arena_printf(arena, "%s/.git", top);
    bool folder;

    if (!is_own(git, &folder)) return false;
    repo->git_dir = folder ? git : path_held(arena, top, git, "gitdir:");
    if (!repo->git_dir || !file_exists(arena_printf(arena, "%s/HEAD", repo->git_dir))) return false;
    repo->common_dir = path_held(arena, repo->git_dir,
                               arena_printf(arena, "%s/commondir", repo->git_dir), "");
    if (!repo->common_dir) repo->common_dir = repo->git_dir;
    repo->hone_dir = arena_printf(arena, "%s/hone", repo->common_dir);
    repo->is_git = true;
    return true;
}

static bool find_private(struct repo *repo, const char *top)
{
    struct arena *arena = &repo->arena;
    bool folder;

    repo->hone_dir = arena_printf(arena, "%s/.hone", top);
    if (!is_own(repo->hone_dir, &folder) || !folder) return false;
    repo->git_dir = repo->common_dir = arena_printf(arena, "%s/git", repo->hone_dir);
    return file_exists(repo->git_dir);
}

bool repo_nested(struct repo *repo, const struct repo *outer, struct str path)
{
    *repo = (struct repo){ .depth = outer->depth + 1 };
    repo->workspace = arena_printf(&repo->arena, "%s/%.*s", outer->workspace, STR_ARG(path));
    if (!find_git(repo, repo->workspace)) {
        repo_release(repo);
        return false;
    }
    repo->hone_dir = arena_cstr(&repo->arena, str_of(outer->hone_dir));
    return true;
}

bool repo_find(struct repo *repo, const char *start)
{
    char path[PATH_MAX];

    *repo = (struct repo){ .is_git = false };
    if (!realpath(start, path)) return false;
    for (;;) {
        if (find_git(repo, path) || find_private(repo, path)) {
            repo->workspace = arena_cstr(&repo->arena, str_of(path));
            return true;
        }
        if (!step_up(path)) break;
    }
    repo_release(repo);
    return false;
}

/* ---- opening it ---- */

/* Where the .git of the work tree leads: a folder, a link to one, or a file that names one. */
static const char *own_git_dir(struct repo *repo)
{
    const char *dot = arena_printf(&repo->arena, "%s/.git", repo->workspace);
    struct stat st;

    if (stat(dot, &st) != 0) return NULL;
    if (S_ISDIR(st.st_mode)) return file_real(dot, &repo->arena);
    return path_held(&repo->arena, repo->workspace, dot, "gitdir:");
}

/* Folders that were put in our way would make us, and agents, write elsewhere. */
static int check_places(struct repo *repo, struct err *err)
{
    const char *own = repo->is_git ? own_git_dir(repo) : repo->git_dir;
    struct stat st;

    if (!own || strcmp(own, repo->git_dir) != 0) {
        return err_set(err, ERR_USAGE, "the configuration in %s says that its work tree is %s, "
                       "which is not so by itself: git config --unset core.worktree", repo->git_dir,
                       repo->workspace);
    }
    if (lstat(repo->hone_dir, &st) != 0) return 0;
    if (S_ISDIR(st.st_mode) && (st.st_uid == geteuid() || geteuid() == 0)) return 0;
    return err_set(err, ERR_USAGE, "%s is not a folder of yours: look at it, and remove it if you "
                   "do not need it", repo->hone_dir);
}

/* What git printed: three absolute paths, a line each. */
static int take_paths(struct repo *repo, struct str text, struct err *err)
{
    const char **const fields[] = { &repo->workspace, &repo->git_dir, &repo->common_dir };
    struct str lines[3] = { { 0 } };
    bool good = true;

    for (size_t i = 0; i < 3; i++)
        good = good && str_cut(&text, '\n', &lines[i]) && str_starts(lines[i], STR("/"));
    if (!good || text.size != 0)
        return err_set(err, ERR_USAGE, "the path of the repository has a line break in it: hone "
                       "works there when the folder has another name");
    for (size_t i = 0; i < 3; i++) {
        const char *path = arena_cstr(&repo->arena, lines[i]);

        *fields[i] = file_real(path, &repo->arena);
        if (!*fields[i]) return err_system(err, errno, "find %s", path);
    }
    return 0;
}

/* git found no repository it would work in: why, and what that means for us. */
static int judge_refusal(struct repo *repo, enum repo_make make, struct err *err)
{
    if (strstr(err->text, "not a git repository (or any") ||
        strstr(err->text, "Stopping at filesystem boundary"))
        return open_private(repo, make, err);
    if (strstr(err->text, "must be run in a work tree") ||
        strstr(err->text, "cannot use bare repository"))
        return err_set(err, ERR_USAGE,
                       "%s is inside a git folder or a bare repository: start in a work tree",
                       repo->workspace);
    if (strstr(err->text, "safe.directory"))
        return err_wrap(err, "git does not trust this repository: it belongs to another user. "
                        "Where you trust it");
    return err_wrap(err, "git refuses %s", repo->workspace);
}

static int ask_git(struct repo *repo, enum repo_make make, struct err *err)
{
    static const char *const ask[] = { "rev-parse", "--path-format=absolute", "--show-toplevel",
                                       "--absolute-git-dir", "--git-common-dir", NULL };
    struct buf out;
    int rc;

    buf_init(&out, PATHS_BYTES_MAX);
    rc = run_git(repo, false, NULL, ask, STR(""), &out, err); /* its bare words are judged */
    if (rc == ERR_FAILED) rc = judge_refusal(repo, make, err);
    else if (rc == 0) rc = take_paths(repo, buf_str(&out), err);
    buf_release(&out);
    return rc;
}

int repo_open(struct repo *repo, const char *start, enum repo_make make, struct err *err)
{
    struct stat st;
    int rc = 0;

    *repo = (struct repo){ .is_git = true };
    repo->workspace = file_real(start, &repo->arena);
    if (!repo->workspace || stat(repo->workspace, &st) != 0 || !S_ISDIR(st.st_mode)) {
        rc = err_set(err, ERR_MISSING, "%s: there is no such folder", start);
        goto fail;
    }
    if (!repo_take_plain(repo)) rc = ask_git(repo, make, err);
    if (rc != 0) goto fail;
    if (repo->is_git) repo->hone_dir = arena_printf(&repo->arena, "%s/hone", repo->common_dir);
    rc = check_places(repo, err);
    if (rc != 0) goto fail;
    return 0;

fail:
    repo_release(repo);
    return rc;
}

void repo_release(struct repo *repo)
{
    arena_release(&repo->arena);
    *repo = (struct repo){ 0 };
}

void repo_forget(const struct repo *repo)
{
    glass_forget(repo);
}
