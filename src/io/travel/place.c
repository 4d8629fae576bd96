/* SPDX-License-Identifier: Apache-2.0
 *
 * place.c - a work tree at a worker, as it is at the driver.
 *
 *   <store>/<repository>/places/N/lock    held by the attempt, and by what it started
 *                                /work    the work tree; .git in it is a repository of its own
 *                                /hone    the hone folder of that: the index that we compare with
 *                                /state   what it holds; not there while it is made
 *
 *   bundle in --> judged --> a place locked --> .git anew --> files --> ignored files --> index
 *
 * .git is written anew for each attempt: configuration and rules of ours, HEAD and its branch, and
 * a line that says that objects begin with those of the clone. Files come by the looking glass, so
 * they are the bytes of the snapshot: no filter, no line end rule. Then git's index is that of
 * HEAD, with the times of the files that are as HEAD has them, so that `git status` and `git diff`
 * say what they say at the driver.
 *
 * What the driver's configuration says of line ends is set here, too, and .gitattributes counts
 * for the agent's git as it does there: that runs no program. Filters are off. A file that a filter
 * made at the driver is one that git calls unchanged there; so it is here (stats_trust).
 *
 * 1. A bundle and its ids are judged before a place is touched: the snapshot's tree and parent are
 *    those of the ids, no path leads out of the tree or into a git folder, lengths are in bounds.
 * 2. A place that was used before is as clean as a new one: files of another run go, ignored ones
 *    too, and what another hand may have touched is written again (stats_distrust). Where that
 *    cannot be done all of it is removed and made.
 * 3. Ignored files stay from one attempt of a run to the next.
 * 4. Nothing of an agent's .git is ever read but HEAD, refs and objects.
 * 5. What comes along of ignored files never takes the place of a file of the snapshot. */
#include "io/travel/travel.h"

#include "base/mem.h"
#include "base/path.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/scratch.h"
#include "io/git/glass.h"
#include "io/travel/snapshot.h"
#include "io/travel/stats.h"
#include "io/travel/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACES_MAX = 1024, STATE_BYTES_MAX = 8 << 10, LIST_BYTES_MAX = 1 << 29,
       LINE_BYTES_MAX = 4096 + 128, WORDS_BYTES_MAX = 4 << 20, INDEX_BYTES_MAX = 1 << 30,
       SHALLOW_BYTES_MAX = 4 << 20 };

static const char state_magic[] = "hone place 2";

/* ---- what came is judged ---- */

/* The commit is one that hone made, of what the ids say. */
static int check_commits(const struct depot *depot, const struct travel_ids *ids,
                         struct buf *words, struct err *err)
{
    char tree[OID_BYTES], parents[SNAPSHOT_PARENTS_MAX][OID_BYTES];
    int rc = snapshot_parse(&depot->repo, false, ids->snapshot, tree, parents, words, err);

    if (rc == 0 && (strcmp(tree, ids->tree) != 0 || strcmp(parents[0], ids->head) != 0 ||
                    parents[1][0]))
        rc = err_set(err, ERR_FORMAT, "the snapshot %.12s is of another tree or HEAD than it "
                     "should be", ids->snapshot);
    if (rc == 0 && ids->carry[0])
        rc = snapshot_parse(&depot->repo, false, ids->carry, tree, parents, NULL, err);
    if (rc == 0 && ids->since[0] && !depot_has(depot, ids->since))
        rc = err_set(err, ERR_MISSING, "the commit %.12s is not here", ids->since);
    return rc;
}

/* Paths of a commit, in order. Views point into text. */
struct listing {
    struct buf text;
    struct str *paths;
    uint32_t count, cap;
    uint64_t bytes;
};

static void paths_release(struct listing *listing)
{
    buf_release(&listing->text);
    free(listing->paths);
}

/* "MODE TYPE OID SIZE" TAB PATH NUL, again and again; SIZE has blanks before it. */
static int listing_line(struct listing *listing, struct str line, struct err *err)
{
    struct str word[3], size, path = line;
    uint32_t mode = 0;
    uint64_t bytes = 0;
    bool good = true;

    for (int i = 0; i < 3; i++) good = good && str_cut(&path, ' ', &word[i]);
    good = good && str_cut(&path, '\t', &size) && mode_parse(word[0], &mode) &&
           (mode == 0160000 || str_number(str_trim(size), &bytes));
    if (!good || !tree_path_is_valid(path) ||
        (listing->count > 0 && str_compare(listing->paths[listing->count - 1], path) >= 0))
        return err_set(err, ERR_FORMAT, "it has a path that no tree may have: %.200s",
                       path.data ? path.data : "");
    listing->paths = mem_grow(listing->paths, listing->count, &listing->cap,
                              sizeof *listing->paths);
    listing->paths[listing->count++] = path;
    listing->bytes += bytes;
    return 0;
}

/* Of the names of as many files as a tree may have: git is ended where it says more. */
static size_t list_bytes(const struct travel_store *store)
{
    uint64_t bytes = (uint64_t)store_tree_files(store) * LINE_BYTES_MAX;

    return bytes < LIST_BYTES_MAX ? (size_t)bytes : LIST_BYTES_MAX;
}

static int listing_take(const struct repo *repo, const char *commit,
                        const struct travel_store *store, struct listing *out, struct err *err)
{
    const char *const args[] = { "ls-tree", "-r", "-z", "-l", commit, NULL };
    struct git_raw raw = { .args = args };
    struct str rest, line;
    int rc;

    *out = (struct listing){ .count = 0 };
    buf_init(&out->text, list_bytes(store));
    rc = repo_git_raw(repo, &raw, &out->text, err);
    rest = buf_str(&out->text);
    while (rc == 0 && str_cut(&rest, '\0', &line)) {
        rc = listing_line(out, line, err);
        if (rc == 0 && out->bytes > store_tree_bytes(store))
            rc = err_set(err, ERR_LIMIT, "its files have more than the %" PRIu64 " bytes that are "
                         "accepted", store_tree_bytes(store));
        if (rc == 0 && out->count > store_tree_files(store))
            rc = err_set(err, ERR_LIMIT, "it has more than the %" PRIu32 " files that are "
                         "accepted", store_tree_files(store));
    }
    return rc;
}

/* HEAD's tree becomes git's own index, and may be another than the snapshot's: few objects may make
 * very many paths. */
static int check_head(const struct depot *depot, const struct travel_store *store,
                      const struct travel_ids *ids, struct err *err)
{
    const char *const args[] = { "ls-tree", "-r", "-z", "--name-only", ids->head, NULL };
    struct git_raw raw = { .args = args };
    uint32_t count = 0;
    struct str rest, path;
    struct buf names;
    int rc = 0;

    buf_init(&names, list_bytes(store));
    if (ids->head[0]) rc = repo_git_raw(&depot->repo, &raw, &names, err);
    rest = buf_str(&names);
    while (rc == 0 && str_cut(&rest, '\0', &path)) {
        if (++count > store_tree_files(store))
            rc = err_set(err, ERR_LIMIT, "HEAD has more than the %" PRIu32 " files that are "
                         "accepted", store_tree_files(store));
    }
    buf_release(&names);
    return rc;
}

static bool is_below(struct str path, struct str folder)
{
    return path.size > folder.size && path.data[folder.size] == '/' && str_starts(path, folder);
}

static bool listing_has(const struct listing *listing, struct str path)
{
    return listing->count > 0 &&
           bsearch(&path, listing->paths, listing->count, sizeof path, str_order) != NULL;
}

/* Whether the path, one of its folders, or something below it is in the listing. */
static bool listing_meets(const struct listing *listing, struct str path)
{
    uint32_t low = 0, high = listing->count;

    for (struct str part = path; part.size > 0; part = path_folder(part)) {
        if (listing_has(listing, part)) return true;
    }
    while (low < high) { /* the first that is not before "path/" */
        uint32_t middle = low + (high - low) / 2;

        if (str_compare(listing->paths[middle], path) < 0) low = middle + 1;
        else high = middle;
    }
    for (; low < listing->count && str_starts(listing->paths[low], path); low++) {
        if (is_below(listing->paths[low], path)) return true;
    }
    return false;
}

static int check_carry(const struct listing *files, const struct listing *carried,
                       struct err *err)
{
    for (uint32_t i = 0; i < carried->count; i++) {
        if (listing_meets(files, carried->paths[i]))
            return err_set(err, ERR_FORMAT, "%.*s comes along as an ignored file, and is one of "
                           "the snapshot, too", STR_ARG(carried->paths[i]));
    }
    return 0;
}

/* bytes: of all of them. */
static int check_files(const struct depot *depot, const struct travel_store *store,
                       const struct travel_ids *ids, uint64_t *bytes, struct err *err)
{
    struct listing files, carried = { .count = 0 };
    int rc = listing_take(&depot->repo, ids->snapshot, store, &files, err);

    buf_init(&carried.text, 0);
    if (rc == 0 && ids->carry[0]) {
        rc = listing_take(&depot->repo, ids->carry, store, &carried, err);
        if (rc == 0) rc = check_carry(&files, &carried, err);
    }
    *bytes = files.bytes + carried.bytes;
    paths_release(&files);
    paths_release(&carried);
    return rc;
}

/* Whether the clone has all of them already; they are noted as of use then. */
static bool objects_are_there(const struct depot *depot, const struct travel_ids *ids)
{
    const char *const commits[] = { ids->snapshot, ids->head, ids->since, ids->carry };
    enum { COUNT = sizeof commits / sizeof *commits };
    struct err none;

    for (int i = 0; i < COUNT; i++) {
        if (*commits[i] && !depot_has(depot, commits[i])) return false;
    }
    for (int i = 0; i < COUNT; i++) {
        if (*commits[i]) (void)depot_note(depot, commits[i], &none);
    }
    return true;
}

/* The clone has what the ids name: it had it, or the bundle brings it. */
static int objects_come(struct depot *depot, const struct travel_unpack *order, struct err *err)
{
    const struct travel_ids *ids = order->ids;
    struct bundle bundle;
    int rc;

    if (objects_are_there(depot, ids)) return 0;
    rc = bundle_open(&bundle, order->bundle, store_bundle_bytes(order->store), err);
    if (rc != 0) return rc;
    if (strcmp(bundle.tips[BUNDLE_SNAPSHOT], ids->snapshot) != 0 ||
        strcmp(bundle.tips[BUNDLE_HEAD], ids->head) != 0 ||
        strcmp(bundle.tips[BUNDLE_SINCE], ids->since) != 0 ||
        strcmp(bundle.tips[BUNDLE_CARRY], ids->carry) != 0 || bundle.tips[BUNDLE_MADE][0])
        rc = err_set(err, ERR_FORMAT, "the bundle %s brings other commits than it should",
                     order->bundle);
    else if (bundle.sha256 != depot->sha256)
        rc = err_set(err, ERR_FORMAT, "the bundle %s has ids of another length", order->bundle);
    if (rc == 0) rc = depot_take_in(order->store, depot, &bundle, err);
    bundle_release(&bundle);
    return rc;
}

/* ---- a place ---- */

static void place_paths(struct travel_place *place, const char *folder)
{
    struct arena *arena = &place->arena;

    place->folder = folder;
    place->repo = (struct repo){ .is_git = true };
    place->repo.workspace = arena_printf(arena, "%s/work", folder);
    place->repo.git_dir = place->repo.common_dir = arena_printf(arena, "%s/work/.git", folder);
    place->repo.hone_dir = arena_printf(arena, "%s/hone", folder);
}

static const char *place_index(struct travel_place *place)
{
    return arena_printf(&place->arena, "%s/index", place->repo.hone_dir);
}

static void state_print(const struct travel_place *place, struct buf *out)
{
    const struct travel_ids *ids = &place->ids;

    buf_printf(out, "%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%" PRIu64 "\nend\n", state_magic, place->run,
               ids->head, ids->snapshot, ids->tree, ids->since, ids->carry, ids->branch,
               place->bytes);
}

/* False: it is not whole, or holds nothing. */
static bool state_read(struct travel_place *place, const char *folder)
{
    char *const fields[] = { place->ids.head, place->ids.snapshot, place->ids.tree,
                             place->ids.since, place->ids.carry, place->ids.branch };
    struct str rest, line = STR("");
    struct err none;

    if (scratch_text(folder, "state", STATE_BYTES_MAX, &place->arena, &rest, &none) != 0)
        return false;
    if (!str_cut(&rest, '\n', &line) || !str_is(line, state_magic)) return false;
    if (!str_cut(&rest, '\n', &line)) return false;
    place->run = arena_cstr(&place->arena, line);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        size_t room = fields[i] == place->ids.branch ? TRAVEL_BRANCH_BYTES : OID_BYTES;

        if (!str_cut(&rest, '\n', &line) || line.size >= room) return false;
        memcpy(fields[i], line.data, line.size);
        fields[i][line.size] = '\0';
    }
    return str_cut(&rest, '\n', &line) && str_number(line, &place->bytes) &&
           str_is(rest, "end\n") && travel_ids_check(&place->ids, &none) == 0;
}

/* Locks the place of that number. False: an attempt has it, or it is of another run and that is
 * not wanted. */
static bool place_try(const struct depot *depot, uint32_t number, const char *run,
                      struct travel_place *out)
{
    const char *folder = arena_printf(&out->arena, "%s/places/%u", depot->folder,
                                      (unsigned)number);
    const char *lock = arena_printf(&out->arena, "%s/lock", folder);
    struct lock_owner owner;
    struct err none;

    if (run && (!state_read(out, folder) || strcmp(out->run, run) != 0)) return false;
    if (file_make_folder(folder, false, &none) != 0 || lock_is_held(lock, &owner)) return false;
    return lock_open(&out->lock, lock, "attempt", 0, &owner, &none) == 0;
}

/* One that the run had, or any that is there, or a new one. */
static int place_choose(const struct depot *depot, const char *run, struct travel_place *out,
                        struct err *err)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 1; i <= PLACES_MAX; i++) {
            const char *folder = arena_printf(&out->arena, "%s/places/%u", depot->folder,
                                              (unsigned)i);

            if (pass == 0 && !file_exists(folder)) break;
            if (!place_try(depot, i, pass == 0 ? run : NULL, out)) continue;
            out->warm = state_read(out, folder);
            place_paths(out, folder);
            return 0;
        }
    }
    return err_set(err, ERR_BUSY, "all %d work trees of the repository are in use", PLACES_MAX);
}

/* ---- its git folder ---- */

/* What the words of the snapshot say. */
struct sayings {
    const char *autocrlf, *eol;
    struct buf exclude; /* lines */
    struct str *made;   /* paths, sorted; in arena */
    uint32_t made_count, made_cap;
};

static bool unquoted(struct str text, struct arena *arena, struct str *out)
{
    struct buf path;

    buf_init(&path, text.size + 1);
    if (!snapshot_unquote(text, &path)) {
        buf_release(&path);
        return false;
    }
    *out = arena_take(arena, &path);
    return true;
}

/* Only what is known for a value is taken. */
static void sayings_read(struct str words, struct arena *arena, struct sayings *out)
{
    static const char *const crlf[] = { "true", "input", "false", NULL };
    static const char *const eol[] = { "lf", "crlf", "native", NULL };
    struct str line, key, value;

    *out = (struct sayings){ .autocrlf = "false", .eol = "native" };
    buf_init(&out->exclude, WORDS_BYTES_MAX);
    while (str_cut(&words, '\n', &line)) {
        if (!str_cut(&line, ' ', &key)) continue;
        for (int i = 0; crlf[i]; i++) {
            if (str_is(key, "autocrlf") && str_is(line, crlf[i])) out->autocrlf = crlf[i];
            if (str_is(key, "eol") && str_is(line, eol[i])) out->eol = eol[i];
        }
        if (str_is(key, "exclude") && unquoted(line, arena, &value)) {
            buf_add(&out->exclude, value);
            buf_byte(&out->exclude, '\n');
        } else if (str_is(key, "made") && unquoted(line, arena, &value)) {
            out->made = arena_grow(arena, out->made, out->made_count, &out->made_cap,
                                   sizeof *out->made);
            out->made[out->made_count++] = value;
        }
    }
    if (out->made_count > 0) qsort(out->made, out->made_count, sizeof *out->made, str_order);
}

static int write_config(const struct travel_place *place, const struct sayings *sayings,
                        bool sha256, struct arena *arena, struct err *err)
{
    const char *text = arena_printf(
        arena, "[core]\n\trepositoryformatversion = %d\n\tbare = false\n\tfilemode = true\n"
        "\tlogallrefupdates = true\n\thooksPath = /dev/null\n\tfsmonitor = false\n"
        "\texcludesFile = /dev/null\n\tattributesFile = /dev/null\n\tautocrlf = %s\n\teol = %s\n"
        "\tsafecrlf = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n%s",
        sha256 ? 1 : 0, sayings->autocrlf, sayings->eol,
        sha256 ? "[extensions]\n\tobjectformat = sha256\n" : "");

    return scratch_write(place->repo.git_dir, "config", str_of(text), err);
}

static int write_head(const struct travel_place *place, struct arena *arena, struct err *err)
{
    const char *git = place->repo.git_dir, *branch = place->ids.branch, *head = place->ids.head;
    const char *path = arena_printf(arena, "%s/refs/heads/%s", git, branch);
    const char *line = arena_printf(arena, "%s\n", head);
    const char *folder = path_folder_text(arena_printf(arena, "refs/heads/%s", branch), arena);
    int rc = file_make_folder_in(git, folder, err);

    if (rc != 0) return rc;
    if (!*branch && *head) return scratch_write(git, "HEAD", str_of(line), err);
    if (rc == 0 && *branch && *head) {
        rc = scratch_write(path_folder_text(path, arena), path_leaf_text(path), str_of(line), err);
    }
    line = arena_printf(arena, "ref: refs/heads/%s\n", *branch ? branch : "main");
    return rc == 0 ? scratch_write(git, "HEAD", str_of(line), err) : rc;
}

/* Of <store>/<repository>/places/N/work/.git/objects. Through no link that an agent has made. */
static int write_alternates(const struct travel_place *place, struct err *err)
{
    const struct file_item item = { ".git/objects/info/alternates",
                                    STR("../../../../../clone/objects\n") };
    struct file_debt waived = { .waived = true };

    return file_write_owing(place->repo.workspace, &item, 1, &waived, err);
}

/* The git folder anew: nothing of an agent's stays. */
static int git_make(struct travel_place *place, const struct depot *depot,
                    const struct sayings *sayings, struct err *err)
{
    const char *git = place->repo.git_dir;
    struct arena arena = { 0 };
    struct str shallow = STR("");
    int rc = folder_erase(git, err);

    glass_forget(&place->repo);
    if (rc == 0) rc = folder_erase(arena_printf(&arena, "%s/objects", place->repo.hone_dir), err);
    if (rc == 0) rc = scratch_folder(place->folder, "hone", err);
    if (rc == 0) rc = scratch_folder(place->repo.hone_dir, "objects", err);
    if (rc == 0) rc = scratch_folder(place->repo.workspace, ".git", err);
    if (rc == 0) rc = scratch_folder(git, "info", err);
    if (rc == 0) rc = write_alternates(place, err);
    if (rc == 0) rc = write_config(place, sayings, depot->sha256, &arena, err);
    if (rc == 0) {
        rc = scratch_write(arena_printf(&arena, "%s/info", git), "attributes", STR("* -filter\n"),
                           err);
    }
    if (rc == 0) {
        rc = scratch_write(arena_printf(&arena, "%s/info", git), "exclude",
                           buf_str(&sayings->exclude), err);
    }
    if (rc == 0 && scratch_text(depot->repo.git_dir, "shallow", SHALLOW_BYTES_MAX, &arena,
                                &shallow, err) == 0)
        rc = scratch_write(git, "shallow", shallow, err);
    if (rc == 0) rc = write_head(place, &arena, err);
    arena_release(&arena);
    return rc;
}

/* ---- its files ---- */

#define OUR_INDEX "-c", "index.version=2", "-c", "core.splitIndex=false", "-c",                 \
                  "index.sparse=false", "-c", "core.sparseCheckout=false", "-c",                 \
                  "index.skipHash=false", "-c", "core.untrackedCache=false"

static int files_write(const struct travel_place *place, const char *index, const char *commit,
                       struct err *err)
{
    const char *const args[] = { OUR_INDEX, "read-tree", "--reset", "-u", "--no-sparse-checkout",
                                 commit, NULL };

    return own_git(&place->repo, index, args, STR(""), err);
}

static int files_clean(const struct travel_place *place, const char *index, bool same_run,
                       struct err *err)
{
    const char *const args[] = { "clean", same_run ? "-ffdq" : "-ffdxq", NULL };

    return own_git(&place->repo, index, args, STR(""), err);
}

static size_t oid_bytes(const struct travel_ids *ids)
{
    return strlen(ids->snapshot) / 2;
}

/* The index that we compare with says of each file that it is as in the snapshot. */
static int files_check(const struct travel_place *place, const char *index, struct err *err)
{
    static const char *const args[] = { "diff-files", "--quiet", "--ignore-submodules=all", NULL };
    char tree[OID_BYTES] = "";
    int rc = snapshot_tree(&place->repo, index, tree, err);

    if (rc == 0 && strcmp(tree, place->ids.tree) != 0)
        rc = err_set(err, ERR_FAILED, "the work tree was made as another one");
    if (rc == 0) rc = own_git(&place->repo, index, args, STR(""), err);
    return rc;
}

static int files_make(struct travel_place *place, bool same_run, struct err *err)
{
    const char *index = place_index(place);
    const char *carry = arena_printf(&place->arena, "%s/carry", place->repo.hone_dir);
    struct stats stats = { .index = index, .workspace = place->repo.workspace,
                           .oid_bytes = oid_bytes(&place->ids) };
    int rc = place->warm ? stats_distrust(&stats, err) : 0;

    (void)unlink(carry);
    (void)unlink(arena_printf(&place->arena, "%s.lock", index)); /* of one that was killed */
    (void)unlink(arena_printf(&place->arena, "%s.lock", carry));
    if (!place->warm) (void)unlink(index);
    if (rc == 0) rc = files_write(place, index, place->ids.snapshot, err);
    if (rc == 0) rc = files_clean(place, index, same_run, err);
    if (rc == 0 && place->warm && !folder_is_plain(place->repo.workspace))
        rc = err_set(err, ERR_FAILED, "a pipe, a socket or a device is left, which git does not "
                     "see");
    if (rc == 0) rc = files_check(place, index, err);
    if (rc == 0 && place->ids.carry[0]) rc = files_write(place, carry, place->ids.carry, err);
    return rc;
}

/* git's own index: that of HEAD. What is there as HEAD has it needs no second look. */
static int index_make(struct travel_place *place, const struct sayings *sayings, struct err *err)
{
    const char *index = arena_printf(&place->arena, "%s/index", place->repo.git_dir);
    const char *const args[] = { OUR_INDEX, "read-tree", "-m", place->ids.head, NULL };
    struct stats stats = { .index = index, .workspace = place->repo.workspace,
                           .oid_bytes = oid_bytes(&place->ids) };
    struct buf content;
    int rc;

    if (!place->ids.head[0]) return 0;
    buf_init(&content, INDEX_BYTES_MAX);
    rc = file_read(place_index(place), &content, err);
    if (rc == 0) rc = scratch_write(place->repo.git_dir, "index", buf_str(&content), err);
    buf_release(&content);
    if (rc == 0) rc = own_git(&place->repo, index, args, STR(""), err);
    return rc == 0 ? stats_trust(&stats, sayings->made, sayings->made_count, err) : rc;
}

static int place_fill_once(struct travel_place *place, const struct depot *depot,
                           const struct sayings *sayings, bool same_run, struct err *err)
{
    int rc = file_remove_in(place->folder, "state", err);

    if (rc == 0 && !place->warm) {
        glass_forget(&place->repo);
        rc = folder_erase(place->repo.workspace, err);
        if (rc == 0) rc = folder_erase(place->repo.hone_dir, err);
        if (rc == 0) rc = file_make_folder(place->repo.workspace, true, err);
    }
    if (rc == 0) rc = git_make(place, depot, sayings, err);
    if (rc == 0) rc = files_make(place, same_run, err);
    return rc == 0 ? index_make(place, sayings, err) : rc;
}

static int place_fill(struct travel_place *place, const struct depot *depot, struct str words,
                      bool same_run, struct err *err)
{
    struct sayings sayings;
    struct buf state;
    int rc;

    sayings_read(words, &place->arena, &sayings);
    rc = place_fill_once(place, depot, &sayings, same_run, err);
    if (rc != 0 && place->warm) { /* something that an agent left is in the way */
        place->warm = false;
        rc = place_fill_once(place, depot, &sayings, false, err);
    }
    buf_release(&sayings.exclude);
    buf_init(&state, STATE_BYTES_MAX);
    state_print(place, &state);
    if (rc == 0) rc = scratch_replace(place->folder, "state", buf_str(&state), err);
    buf_release(&state);
    return rc;
}

/* ---- the whole ---- */

/* The clone's lock is held until a place is: then no sweep takes the clone away. bytes: of the
 * files that will be there. */
static int place_take(const struct travel_unpack *order, struct depot *depot, struct str words,
                      uint64_t bytes, struct travel_place *out, struct err *err)
{
    bool same_run;
    int rc = place_choose(depot, order->run, out, err);

    lock_close(&depot->lock);
    if (rc == 0 && !out->warm) out->bytes = 0;
    if (rc == 0 && bytes > out->bytes) rc = store_room(order->store, bytes - out->bytes, err);
    if (rc != 0) return rc;
    out->bytes = bytes;
    same_run = out->warm && strcmp(out->run, order->run) == 0;
    out->ids = *order->ids;
    out->run = arena_cstr(&out->arena, str_of(order->run));
    out->private_paths = order->private_paths;
    return place_fill(out, depot, words, same_run, err);
}

int travel_unpack(const struct travel_unpack *order, struct travel_place *out, struct err *err)
{
    struct depot depot = { .lock = { .fd = -1 } };
    uint64_t bytes = 0;
    struct buf words;
    int rc = travel_ids_check(order->ids, err);

    *out = (struct travel_place){ .lock = { .fd = -1 } };
    buf_init(&words, WORDS_BYTES_MAX);
    if (rc == 0 && !store_is_word(order->run))
        rc = err_set(err, ERR_FORMAT, "the run is not named by a word");
    if (rc == 0) {
        rc = depot_open(order->store, order->repository, strlen(order->ids->snapshot) == 64,
                        &depot, err);
    }
    if (rc == 0) rc = objects_come(&depot, order, err);
    if (rc == 0) rc = check_commits(&depot, order->ids, &words, err);
    if (rc == 0) rc = check_head(&depot, order->store, order->ids, err);
    if (rc == 0) rc = check_files(&depot, order->store, order->ids, &bytes, err);
    if (rc == 0) rc = place_take(order, &depot, buf_str(&words), bytes, out, err);
    depot_close(&depot);
    buf_release(&words);
    if (rc == 0) return 0;
    travel_leave(out);
    return err_wrap(err, "make a work tree of what came");
}

void travel_leave(struct travel_place *place)
{
    if (place->repo.workspace) glass_forget(&place->repo);
    lock_close(&place->lock);
    arena_release(&place->arena);
    *place = (struct travel_place){ .lock = { .fd = -1 } };
}

/* ---- what the agent made ---- */

/* HEAD as it is now, and whether it may be there. */
static int head_now(struct travel_place *place, const struct tree *tree, struct travel_made *out,
                    struct err *err)
{
    const struct travel_ids *ids = &place->ids;

    memcpy(out->head, tree->head, OID_BYTES);
    if (strcmp(tree->head, ids->head) == 0) return 0;
    if (!str_is(tree->branch, ids->branch[0] ? ids->branch : ids->head[0] ? "(detached)" : "main"))
        return err_set(err, ERR_FAILED, "HEAD was on %s, and the agent left it on %.*s",
                       ids->branch[0] ? ids->branch : "no branch", STR_ARG(tree->branch));
    if (!tree->head[0] || (ids->head[0] && !own_git_descends(&place->repo, tree->head, ids->head)))
        return err_set(err, ERR_FAILED, "the agent moved HEAD to a commit that does not descend "
                       "from %.12s", ids->head);
    return 0;
}

/* The work tree as it is now, by the index that we compare with: a copy of it. */
static int tree_now(struct travel_place *place, struct tree *tree, struct travel_made *out,
                    struct err *err)
{
    const char *index = arena_printf(&place->arena, "%s/made", place->repo.hone_dir);
    struct buf content;
    int rc;

    buf_init(&content, INDEX_BYTES_MAX);
    rc = file_read(place_index(place), &content, err);
    if (rc == 0) rc = scratch_replace(place->repo.hone_dir, "made", buf_str(&content), err);
    buf_release(&content);
    if (rc == 0) rc = tree_take_by(&place->repo, index, place->private_paths, tree, err);
    if (rc == 0) rc = snapshot_add(&place->repo, index, tree, err);
    return rc == 0 ? snapshot_tree(&place->repo, index, out->tree, err) : rc;
}

static int made_write(struct travel_place *place, const struct travel_file *file,
                      struct travel_made *out, uint64_t *bytes, struct err *err)
{
    bool moved = strcmp(out->head, place->ids.head) != 0;
    const char *const parents[SNAPSHOT_PARENTS_MAX] = { place->ids.snapshot,
                                                        moved ? out->head : "" };
    struct bundle bundle = { .sha256 = strlen(place->ids.snapshot) == 64 };
    int rc = snapshot_commit(&place->repo, out->tree, parents, STR(""), out->commit, err);

    memcpy(bundle.tips[BUNDLE_MADE], out->commit, OID_BYTES);
    if (moved) memcpy(bundle.tips[BUNDLE_HEAD], out->head, OID_BYTES);
    bundle_need(&bundle, place->ids.snapshot);
    if (rc == 0) rc = bundle_write(&place->repo, &bundle, file, bytes, err);
    bundle_release(&bundle);
    return rc;
}

int travel_result(struct travel_place *place, const struct travel_file *file,
                  struct travel_made *out, uint64_t *bytes, struct err *err)
{
    struct tree tree = { .count = 0 };
    struct stat st;
    int rc = 0;

    *out = (struct travel_made){ .commit = "" };
    *bytes = 0;
    if (lstat(place->repo.git_dir, &st) != 0 || !S_ISDIR(st.st_mode))
        rc = err_set(err, ERR_FAILED, "the agent removed the git folder of its work tree");
    if (rc == 0) rc = write_alternates(place, err);
    if (rc == 0) rc = tree_now(place, &tree, out, err);
    if (rc == 0) rc = head_now(place, &tree, out, err);
    if (rc == 0 && file->name &&
        (strcmp(out->tree, place->ids.tree) != 0 || strcmp(out->head, place->ids.head) != 0))
        rc = made_write(place, file, out, bytes, err);
    tree_release(&tree);
    return rc == 0 ? 0 : err_wrap(err, "take what the agent made");
}
