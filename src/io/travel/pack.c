/* SPDX-License-Identifier: Apache-2.0
 *
 * pack.c - the driver's work tree, packed.
 *
 *   tree_take --> files that a checkout made otherwise --> index of ours --> commit --> bundle
 *
 * The commit's words say what the worker needs to know beside the files, so that its id covers it:
 *
 *     autocrlf VALUE, eol VALUE     line ends as the driver's configuration has them
 *     made PATH                     git calls this file unchanged, though it is not as committed
 *     exclude LINE                  of the user's own ignore rules, which no commit has
 *
 * 1. The user's index, refs, HEAD and files are only read. Objects, index and commit are in the
 *    hone folder.
 * 2. The same work tree has the same snapshot, so that a second attempt on it has nothing to send.
 * 3. The bundle stands on commits that the worker is known to have, and that are here; on none of
 *    those it brings the whole history of HEAD. A shallow clone's history ends where it does here:
 *    the bundle names those commits, and the worker's clone is shallow there, too.
 * 4. What is not in a tree does not travel: tree.h. What could not be read stays at the worker as
 *    HEAD has it. */
#include "io/travel/travel.h"

#include "base/path.h"
#include "base/sha256.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/peek.h"
#include "io/process/host.h"
#include "io/travel/bundle.h"
#include "io/travel/filtered.h"
#include "io/travel/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTES_BYTES_MAX = 64 << 10, LIST_BYTES_MAX = 1 << 28, WORDS_BYTES_MAX = 3 << 20,
       SHALLOW_BYTES_MAX = 1 << 20, NAMED_MAX = 3, EXCLUDE_BYTES_MAX = 256 << 10,
       OLD_MS = 60 * 60 * 1000, REPOSITORY_LETTERS = 32 };

/* ---- an index for the time of a call ---- */

/* Indexes of calls that were killed. */
static void old_remove(const char *folder, struct arena *arena)
{
    const char *const *names = folder_names(folder, "index-", arena);
    uint64_t now = now_wall_ms();
    struct stat st;

    for (; names && *names; names++) {
        const char *path = arena_printf(arena, "%s/%s", folder, *names);

        if (lstat(path, &st) == 0 && (uint64_t)st.st_mtim.tv_sec * 1000 + OLD_MS < now)
            (void)unlink(path);
    }
}

static int index_make(const struct repo *repo, struct arena *arena, const char **out,
                      struct err *err)
{
    char word[13];
    const char *folder = arena_printf(arena, "%s/travel", repo->hone_dir);
    int rc = file_make_folder(folder, false, err);

    if (rc == 0) old_remove(folder, arena);
    random_word(word, sizeof word - 1);
    *out = arena_printf(arena, "%s/index-%s", folder, word);
    return rc;
}

static void index_remove(const char *index, struct arena *arena)
{
    (void)unlink(index);
    (void)unlink(arena_printf(arena, "%s.lock", index));
}

/* ---- the snapshot ---- */

static void exclude_add(const char *path, struct buf *words)
{
    struct arena arena = { 0 };
    struct str text, line;
    struct err none;

    if (file_text(path, EXCLUDE_BYTES_MAX, &arena, &text, &none) != 0) text = STR("");
    while (str_cut(&text, '\n', &line)) {
        if (line.size == 0 || line.data[0] == '#' || str_has(line, '\0')) continue;
        buf_text(words, "exclude ");
        snapshot_quote(line, words);
        buf_byte(words, '\n');
    }
    arena_release(&arena);
}

/* The user's rules, then the repository's: later ones count more. */
static void excludes_add(const struct repo *repo, struct buf *words)
{
    static const char *const args[] = { "config", "--type=path", "--get", "core.excludesfile",
                                        NULL };
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = host_home();
    struct arena arena = { 0 };
    struct err none;
    const char *said = repo_ask(repo, args, &arena, &none);

    if (!folder && home) folder = arena_printf(&arena, "%s/.config", home);
    if (said && *said) exclude_add(said, words);
    else if (folder) exclude_add(arena_printf(&arena, "%s/git/ignore", folder), words);
    exclude_add(arena_printf(&arena, "%s/info/exclude", repo->common_dir), words);
    arena_release(&arena);
}

static int snapshot_make(const struct repo *repo, const struct tree *tree,
                         const struct tree *made, struct buf *words, struct travel_ids *ids,
                         struct err *err)
{
    const char *const parents[SNAPSHOT_PARENTS_MAX] = { tree->head, "" };
    struct arena arena = { 0 };
    const char *index = NULL;
    int rc = index_make(repo, &arena, &index, err);

    if (rc == 0) rc = snapshot_read(repo, index, tree->head, err);
    if (rc == 0) rc = snapshot_add(repo, index, made, err);
    if (rc == 0) rc = snapshot_add(repo, index, tree, err);
    if (rc == 0) rc = snapshot_tree(repo, index, ids->tree, err);
    for (uint32_t i = 0; rc == 0 && i < made->count; i++) {
        if (words->size > WORDS_BYTES_MAX - (8 << 10)) break; /* they show as changed there */
        buf_text(words, "made ");
        snapshot_quote(made->entries[i].path, words);
        buf_byte(words, '\n');
    }
    if (rc == 0) rc = snapshot_commit(repo, ids->tree, parents, buf_str(words), ids->snapshot, err);
    index_remove(index, &arena);
    arena_release(&arena);
    return rc;
}

/* ---- ignored files that come along ---- */

/* The paths of ignored files that the patterns name, as entries that nothing is known of yet. */
static int carry_list(const struct repo *repo, const char *const *patterns, struct tree *out,
                      struct err *err)
{
    static const char *const verb[] = { "ls-files", "--others", "--ignored", "--exclude-standard",
                                        "-z", "--" };
    struct arena arena = { 0 };
    const char **args = NULL;
    uint32_t count = 0, cap = 0, entry_cap = 0;
    struct buf said;
    struct str rest, path;
    int rc;

    for (size_t i = 0; i < sizeof verb / sizeof *verb; i++) {
        args = arena_grow(&arena, args, count, &cap, sizeof *args);
        args[count++] = verb[i];
    }
    for (; *patterns; patterns++) {
        args = arena_grow(&arena, args, count, &cap, sizeof *args);
        args[count++] = arena_printf(&arena, ":(top,glob)%s", *patterns);
    }
    args = arena_grow(&arena, args, count, &cap, sizeof *args);
    args[count] = NULL;
    buf_init(&said, LIST_BYTES_MAX);
    rc = repo_git(repo, args, STR(""), &said, err);
    rest = buf_str(&said);
    while (rc == 0 && str_cut(&rest, '\0', &path)) {
        if (!tree_path_is_valid(path)) continue; /* a repository of its own, its git folder */
        out->entries = arena_grow(&out->arena, out->entries, out->count, &entry_cap,
                                  sizeof *out->entries);
        out->entries[out->count++] = (struct tree_entry){
            .path = arena_copy(&out->arena, path), .head_mode = 0100644,
        };
    }
    buf_release(&said);
    arena_release(&arena);
    return rc;
}

static int carry_make(const struct travel_pack *order, struct travel_packed *out, struct err *err)
{
    const char *const parents[SNAPSHOT_PARENTS_MAX] = { "", "" };
    struct arena arena = { 0 };
    struct tree asked = { .count = 0 }, found = { .count = 0 };
    char tree[OID_BYTES];
    const char *index = NULL;
    int rc;

    if (!order->carry || !*order->carry) return 0;
    rc = carry_list(order->repo, order->carry, &asked, err);
    if (rc == 0) rc = tree_spell(order->repo, &asked, &found, err);
    for (uint32_t i = 0; rc == 0 && i < found.count; i++)
        out->carried += snapshot_holds(&found.entries[i]);
    if (rc == 0 && out->carried > 0) {
        rc = index_make(order->repo, &arena, &index, err);
        if (rc == 0) rc = snapshot_read(order->repo, index, "", err);
        if (rc == 0) rc = snapshot_add(order->repo, index, &found, err);
        if (rc == 0) rc = snapshot_tree(order->repo, index, tree, err);
        if (rc == 0)
            rc = snapshot_commit(order->repo, tree, parents, STR(""), out->ids.carry, err);
        index_remove(index, &arena);
    }
    tree_release(&asked);
    tree_release(&found);
    arena_release(&arena);
    return rc == 0 ? 0 : err_wrap(err, "pack the ignored files that come along");
}

/* ---- the bundle ---- */

/* Where the history of a shallow clone ends: the file `shallow`, an id a line. */
static int shallow_read(const struct repo *repo, struct bundle *bundle, struct err *err)
{
    struct arena arena = { 0 };
    struct str text = STR(""), line;
    int rc = file_text(arena_printf(&arena, "%s/shallow", repo->common_dir), SHALLOW_BYTES_MAX,
                       &arena, &text, err);

    if (rc == ERR_MISSING) rc = 0;
    while (rc == 0 && str_cut(&text, '\n', &line)) {
        line = str_trim(line);
        if (!oid_is_valid(line)) continue;
        if (bundle->shallow_count == BUNDLE_SHALLOW_MAX) {
            rc = err_set(err, ERR_LIMIT, "the clone is shallow at more than %d commits: git fetch "
                         "--unshallow makes it whole", BUNDLE_SHALLOW_MAX);
        } else {
            bundle_add_shallow(bundle, arena_cstr(&arena, line));
        }
    }
    arena_release(&arena);
    return rc;
}

/* Of the commits that the worker has, those that are here. */
static int known_take(const struct repo *repo, const char *const *known, struct bundle *bundle,
                      struct err *err)
{
    static const char *const args[] = { "cat-file", "--batch-check=%(objectname) %(objecttype)",
                                        NULL };
    struct git_raw raw = { .args = args, .own = true };
    struct arena arena = { 0 };
    struct buf names, said;
    struct str rest, line, oid;
    int rc = 0;

    if (!known || !*known) return 0;
    buf_init(&names, SHALLOW_BYTES_MAX);
    buf_init(&said, SHALLOW_BYTES_MAX);
    for (uint32_t i = 0; i < TRAVEL_KNOWN_MAX && known[i]; i++) {
        if (oid_is_valid(str_of(known[i]))) buf_printf(&names, "%s\n", known[i]);
    }
    raw.input = buf_str(&names);
    if (names.size > 0) rc = repo_git_raw(repo, &raw, &said, err);
    rest = buf_str(&said);
    while (rc == 0 && str_cut(&rest, '\n', &line)) {
        if (!str_cut(&line, ' ', &oid) || !str_is(line, "commit")) continue;
        bundle_need(bundle, arena_cstr(&arena, oid));
    }
    buf_release(&names);
    buf_release(&said);
    arena_release(&arena);
    return rc;
}

static int bundle_make(const struct travel_pack *order, struct travel_packed *out, struct err *err)
{
    struct bundle bundle = { .sha256 = strlen(out->ids.snapshot) == 64 };
    int rc;

    memcpy(bundle.tips[BUNDLE_HEAD], out->ids.head, OID_BYTES);
    memcpy(bundle.tips[BUNDLE_SINCE], out->ids.since, OID_BYTES);
    memcpy(bundle.tips[BUNDLE_SNAPSHOT], out->ids.snapshot, OID_BYTES);
    memcpy(bundle.tips[BUNDLE_CARRY], out->ids.carry, OID_BYTES);
    rc = shallow_read(order->repo, &bundle, err);
    if (rc == 0) rc = known_take(order->repo, order->known, &bundle, err);
    if (rc == 0) rc = bundle_write(order->repo, &bundle, &order->file, &out->bytes, err);
    out->thin = bundle.need_count > 0;
    bundle_release(&bundle);
    return rc;
}

int travel_base(const struct repo *repo, const struct travel_ids *ids,
                const struct travel_file *file, uint64_t *bytes, struct err *err)
{
    struct bundle bundle = { .sha256 = strlen(ids->snapshot) == 64 };
    int rc;

    memcpy(bundle.tips[BUNDLE_HEAD], ids->head, OID_BYTES);
    memcpy(bundle.tips[BUNDLE_SINCE], ids->since, OID_BYTES);
    if (!ids->head[0] && !ids->since[0])
        return err_set(err, ERR_USAGE, "there is no commit yet, so there is no history to send");
    rc = shallow_read(repo, &bundle, err);
    if (rc == 0) rc = bundle_write(repo, &bundle, file, bytes, err);
    bundle_release(&bundle);
    return rc == 0 ? 0 : err_wrap(err, "pack the history");
}

/* ---- what does not travel ---- */

/* "SENTENCE: a, b, c and 7 more" for what is_such says yes to. */
static void note_entries(const struct tree *tree, bool (*is_such)(const struct tree_entry *),
                         const char *sentence, struct buf *notes)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < tree->count; i++) {
        if (!is_such(&tree->entries[i])) continue;
        if (count++ >= NAMED_MAX) continue;
        buf_text(notes, count == 1 ? sentence : ", ");
        snapshot_quote(tree->entries[i].path, notes);
    }
    if (count > NAMED_MAX) buf_printf(notes, " and %u more", (unsigned)(count - NAMED_MAX));
    if (count > 0) buf_byte(notes, '\n');
}

static bool is_repository(const struct tree_entry *entry)
{
    return entry->mode == 0160000;
}

static bool is_unreadable(const struct tree_entry *entry)
{
    return S_ISREG(entry->mode) && !oid_is_valid(str_of(entry->oid));
}

static bool is_own(const struct travel_pack *order, struct str path)
{
    for (uint32_t i = 0; order->own && order->own[i]; i++) {
        if (str_starts(path, str_of(order->own[i]))) return true;
    }
    return false;
}

/* What git says, a path a piece: how many are the user's, and the first. */
static uint32_t count_paths(const struct travel_pack *order, const char *const *args,
                            struct arena *arena, const char **first)
{
    struct err none;
    struct buf said;
    struct str rest, path;
    uint32_t count = 0;

    buf_init(&said, LIST_BYTES_MAX);
    (void)repo_git(order->repo, args, STR(""), &said, &none);
    rest = buf_str(&said);
    while (str_cut(&rest, '\0', &path)) {
        struct buf quoted;

        if (is_own(order, path) || count++ > 0) continue;
        buf_init(&quoted, 4 * path.size + 1);
        snapshot_quote(path, &quoted);
        *first = arena_take_cstr(arena, &quoted);
    }
    buf_release(&said);
    return count;
}

/* git lists untracked folders, an empty one too, with a "/" behind. */
static bool has_empty_folder(const struct repo *repo)
{
    static const char *const args[] = { "ls-files", "--others", "--exclude-standard",
                                        "--directory", "-z", NULL };
    static const char *const nothing[] = { NULL };
    struct arena arena = { 0 };
    struct err none;
    struct buf said;
    struct str rest, path;
    bool some = false;

    buf_init(&said, LIST_BYTES_MAX);
    (void)repo_git(repo, args, STR(""), &said, &none);
    rest = buf_str(&said);
    while (!some && str_cut(&rest, '\0', &path)) {
        some = str_ends(path, STR("/")) &&
               folder_has_only(arena_printf(&arena, "%s/%.*s", repo->workspace, STR_ARG(path)),
                               nothing);
    }
    buf_release(&said);
    arena_release(&arena);
    return some;
}

static void note_all(const struct travel_pack *order, const struct travel_packed *packed,
                     struct buf *notes)
{
    static const char *const ignored[] = { "ls-files", "--others", "--ignored",
                                           "--exclude-standard", "--directory",
                                           "--no-empty-directory", "-z", NULL };
    struct arena arena = { 0 };
    const char *first = "";
    uint32_t count = count_paths(order, ignored, &arena, &first);

    if (count > 0) {
        buf_printf(notes, "ignored files do not travel%s: %s",
                   packed->carried ? ", but for those that fleet.carry names" : "", first);
        if (count > 1) buf_printf(notes, " and %u more", (unsigned)(count - 1));
        buf_byte(notes, '\n');
    }
    if (file_exists(arena_printf(&arena, "%s/.gitmodules", order->repo->workspace)))
        buf_text(notes, "what submodules hold does not travel: they are empty folders there\n");
    note_entries(&packed->from, is_repository, "repositories inside the tree do not travel: ",
                 notes);
    note_entries(&packed->from, is_unreadable, "files that cannot be read do not travel: ", notes);
    if (has_empty_folder(order->repo)) buf_text(notes, "empty folders do not travel\n");
    arena_release(&arena);
}

/* ---- the whole ---- */

static int take_since(const struct travel_pack *order, struct travel_ids *ids, struct err *err)
{
    struct arena arena = { 0 };
    const char *commit = NULL;
    int rc = 0;

    if (order->since && *order->since) {
        commit = repo_commit(order->repo, order->since, &arena, err);
        if (!commit || !oid_is_valid(str_of(commit)) || !oid_parse(str_of(commit), ids->since))
            rc = err_set(err, ERR_USAGE, "%.100s is no commit", order->since);
    }
    arena_release(&arena);
    return rc;
}

static void take_branch(const struct tree *tree, struct travel_ids *ids)
{
    if (str_is(tree->branch, "(detached)") || tree->branch.size >= sizeof ids->branch) return;
    memcpy(ids->branch, tree->branch.data, tree->branch.size);
    ids->branch[tree->branch.size] = '\0';
}

int travel_pack(const struct travel_pack *order, struct travel_packed *out, struct err *err)
{
    struct tree made = { .count = 0 };
    struct buf words;
    int rc;

    *out = (struct travel_packed){ .bytes = 0 };
    buf_init(&out->notes, NOTES_BYTES_MAX);
    buf_init(&words, WORDS_BYTES_MAX);
    rc = tree_take(order->repo, order->private_paths, &out->from, err);
    if (rc == 0) {
        memcpy(out->ids.head, out->from.head, OID_BYTES);
        take_branch(&out->from, &out->ids);
        rc = take_since(order, &out->ids, err);
    }
    if (rc == 0) excludes_add(order->repo, &words);
    if (rc == 0) rc = filtered_find(order->repo, &out->from, &made, &words, err);
    if (rc == 0) rc = snapshot_make(order->repo, &out->from, &made, &words, &out->ids, err);
    if (rc == 0) rc = carry_make(order, out, err);
    if (rc == 0 && order->file.name) rc = bundle_make(order, out, err);
    if (rc == 0 && order->tell) note_all(order, out, &out->notes);
    tree_release(&made);
    buf_release(&words);
    return rc == 0 ? 0 : err_wrap(err, "pack the work tree");
}

void travel_packed_release(struct travel_packed *packed)
{
    tree_release(&packed->from);
    buf_release(&packed->notes);
    *packed = (struct travel_packed){ .bytes = 0 };
}

/* ---- what names a repository ---- */

const char *travel_repository(const struct repo *repo, struct arena *arena, struct err *err)
{
    static const char *const args[] = { "config", "--get", "remote.origin.url", NULL };
    const char *said = repo_ask(repo, args, arena, err);
    char host[HOST_NAME_BYTES] = "", hex[SHA256_HEX_BYTES];
    struct str piece;

    if (!said || !*said) {
        said = arena_printf(arena, "%s:%s", host_name(host), repo->common_dir);
    }
    piece = str_of(said);
    return arena_cstr(arena, str_head(str_of(hmac_sha256(STR("hone repository"), &piece, 1, hex)),
                                      REPOSITORY_LETTERS));
}

/* ---- what a message said ---- */

/* A name below refs/heads/ as git would take it, and a little stricter. */
static bool is_branch(struct str name)
{
    struct str rest = name, part;

    if (name.size == 0 || str_ends(name, STR("/")) || str_starts(name, STR("-"))) return false;
    for (size_t i = 0; i < name.size; i++) {
        unsigned char byte = (unsigned char)name.data[i];

        if (byte <= ' ' || byte == 0x7f || strchr("~^:?*[\\", byte)) return false;
        if (byte == '@' && i + 1 < name.size && name.data[i + 1] == '{') return false;
        if (byte == '.' && i + 1 < name.size && name.data[i + 1] == '.') return false;
    }
    while (str_cut(&rest, '/', &part)) {
        if (part.size == 0 || part.data[0] == '.' || str_ends(part, STR(".lock")) ||
            str_ends(part, STR(".")) || part.size > 200)
            return false;
    }
    return !str_is(name, "HEAD") && !str_is(name, "@");
}

static bool is_id(const char *text, bool needed)
{
    size_t size = strnlen(text, OID_BYTES);

    if (size == 0) return !needed;
    return size < OID_BYTES && oid_is_valid((struct str){ text, size });
}

int travel_ids_check(const struct travel_ids *ids, struct err *err)
{
    size_t size = strnlen(ids->branch, sizeof ids->branch);

    if (!is_id(ids->head, false) || !is_id(ids->snapshot, true) || !is_id(ids->tree, true) ||
        !is_id(ids->since, false) || !is_id(ids->carry, false))
        return err_set(err, ERR_FORMAT, "a work tree is named by what is no id");
    if (size == sizeof ids->branch ||
        (size > 0 && !is_branch((struct str){ ids->branch, size })))
        return err_set(err, ERR_FORMAT, "a branch has a name that git would not take");
    return 0;
}
