/* SPDX-License-Identifier: Apache-2.0
 *
 * apply.c - what came back from a worker, judged, and made what tree_bring() takes.
 *
 *   bundle --> objects of ours --> MADE: its tree, its parents --> what differs from the snapshot
 *                                                                    |
 *          <folder>/from: the user's tree as it was packed <---------'
 *          <folder>/to:   the same, with what differs
 *
 * `from` is not the snapshot, but what tree_take() took when that was made: a file that a filter or
 * a line end rule made is not named in it, and so is as HEAD has it. tree_bring() then finds it
 * unchanged at the user's, and writes what the agent made of it.
 *
 * 1. Nothing of the user's is written: no file, ref or index. Objects come into the hone folder.
 * 2. The commit that came is one of hone's, on the very snapshot that went out; a new HEAD descends
 *    from the old one. Each path is one that a tree may have.
 * 3. Contract files, and all that is in a repository inside the tree, do not come. What was never
 *    sent, since it could not be read, is not replaced.
 * 4. A new commit with a file that passes through a filter here (Git LFS) is refused: a worker runs
 *    no filter, so that the commit holds what the filter should have seen.
 * 5. What no agent may change (order->closed) is not changed by a result, as a file or in a commit:
 *    one that does is refused as a whole. The agent's own machine has put such a change back.
 * 6. HEAD moves only forward, and only from where it was (travel_forward). Its objects are the
 *    user's by then. */
#include "io/travel/travel.h"

#include "base/mem.h"
#include "base/text_map.h"
#include "io/file/file.h"
#include "io/file/walk.h"
#include "io/process/helper.h"
#include "io/travel/bundle.h"
#include "io/travel/snapshot.h"
#include "io/tree/tree_entry.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHANGES_BYTES_MAX = 1 << 28, NOTES_BYTES_MAX = 64 << 10, NOTED_MAX = 20,
       REPOSITORY_MODE = 0160000 };

#define GIGABYTE (UINT64_C(1) << 30)

/* What two commits differ in, in the order of paths. */
struct changes {
    struct buf text;
    struct commit_change *items;
    uint32_t count, cap;
};

static int compare_changes(const void *a, const void *b)
{
    return str_compare(((const struct commit_change *)a)->path,
                       ((const struct commit_change *)b)->path);
}

/* before "": nothing is asked, and nothing differs. */
static int changes_take(const struct repo *repo, const char *before, const char *after,
                        struct changes *out, struct err *err)
{
    const char *const args[] = { "diff-tree", "-r", "-z", "--no-renames", before, after, NULL };
    struct git_raw raw = { .args = args, .own = true };
    struct str rest;
    int rc;

    *out = (struct changes){ .count = 0 };
    buf_init(&out->text, CHANGES_BYTES_MAX);
    if (!*before) return 0;
    rc = repo_git_raw(repo, &raw, &out->text, err);
    rest = buf_str(&out->text);
    while (rc == 0 && rest.size) {
        out->items = mem_grow(out->items, out->count, &out->cap, sizeof *out->items);
        if (!commit_change_cut(&rest, &out->items[out->count]))
            rc = err_set(err, ERR_FORMAT, "it has a path that no tree may have");
        else
            out->count++;
    }
    if (out->count) qsort(out->items, out->count, sizeof *out->items, compare_changes);
    return rc;
}

static void changes_release(struct changes *changes)
{
    free(changes->items);
    buf_release(&changes->text);
}

static const struct commit_change *changes_find(const struct changes *changes, struct str path)
{
    struct commit_change key = { .path = path };

    if (changes->count == 0) return NULL;
    return bsearch(&key, changes->items, changes->count, sizeof key, compare_changes);
}

/* ---- what came is judged ---- */

static int made_check(const struct travel_apply *order, struct err *err)
{
    const struct travel_made *made = order->made;
    struct travel_ids ids = *order->ids;

    memcpy(ids.snapshot, made->commit, OID_BYTES); /* looked at as ids are */
    memcpy(ids.tree, made->tree, OID_BYTES);
    memcpy(ids.head, made->head, OID_BYTES);
    if (travel_ids_check(&ids, err) != 0)
        return err_set(err, ERR_FORMAT, "a result is named by what is no id");
    return travel_ids_check(order->ids, err);
}

static bool is_moved(const struct travel_ids *ids, const struct travel_made *made)
{
    return strcmp(ids->head, made->head) != 0;
}

static int bundle_come(const struct travel_apply *order, struct err *err)
{
    uint64_t bytes_max = order->bundle_bytes_max ? order->bundle_bytes_max : 4 * GIGABYTE;
    const char *const trusted[] = { order->ids->snapshot, NULL };
    struct bundle_place place = { .repo = order->repo, .own = true, .trusted = trusted,
                                  .bytes_max = bytes_max };
    const char *head = is_moved(order->ids, order->made) ? order->made->head : "";
    struct bundle bundle;
    int rc = bundle_open(&bundle, order->bundle, bytes_max, err);

    if (rc != 0) return rc;
    if (strcmp(bundle.tips[BUNDLE_MADE], order->made->commit) != 0 ||
        strcmp(bundle.tips[BUNDLE_HEAD], head) != 0 || bundle.tips[BUNDLE_SNAPSHOT][0] ||
        bundle.tips[BUNDLE_CARRY][0] || bundle.tips[BUNDLE_SINCE][0] || bundle.shallow_count ||
        bundle.need_count != 1 || strcmp(bundle.needs[0], order->ids->snapshot) != 0)
        rc = err_set(err, ERR_FORMAT, "the bundle %s brings other commits than it should",
                     order->bundle);
    if (rc == 0) rc = bundle_take_in(&place, &bundle, err);
    bundle_release(&bundle);
    return rc;
}

static int commit_check(const struct travel_apply *order, struct err *err)
{
    const struct travel_ids *ids = order->ids;
    const struct travel_made *made = order->made;
    bool moved = is_moved(ids, made);
    char tree[OID_BYTES], parents[SNAPSHOT_PARENTS_MAX][OID_BYTES];
    int rc = snapshot_parse(order->repo, true, made->commit, tree, parents, NULL, err);

    if (rc == 0 && (strcmp(tree, made->tree) != 0 || strcmp(parents[0], ids->snapshot) != 0 ||
                    strcmp(parents[1], moved ? made->head : "") != 0))
        rc = err_set(err, ERR_FORMAT, "the result %.12s is of another tree or snapshot than it "
                     "should be", made->commit);
    if (rc == 0 && moved && ids->head[0] && !own_git_descends(order->repo, made->head, ids->head))
        rc = err_set(err, ERR_FORMAT, "the new HEAD %.12s does not descend from %.12s", made->head,
                     ids->head);
    return rc;
}

/* What its new files hold, together. */
static int bytes_check(const struct travel_apply *order, const struct changes *changes,
                       struct err *err)
{
    static const char *const args[] = { "cat-file", "--batch-check=%(objecttype) %(objectsize)",
                                        NULL };
    uint64_t bytes_max = order->tree_bytes_max ? order->tree_bytes_max : 16 * GIGABYTE;
    struct git_raw raw = { .args = args, .own = true };
    struct buf names, said;
    struct str rest, line, word;
    uint64_t bytes = 0, size;
    int rc = 0;

    buf_init(&names, CHANGES_BYTES_MAX);
    buf_init(&said, CHANGES_BYTES_MAX);
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct commit_change *change = &changes->items[i];

        if (change->mode[1] != 0 && change->mode[1] != REPOSITORY_MODE)
            buf_printf(&names, "%s\n", change->oid[1]);
    }
    raw.input = buf_str(&names);
    if (names.size > 0) rc = repo_git_raw(order->repo, &raw, &said, err);
    rest = buf_str(&said);
    while (rc == 0 && str_cut(&rest, '\n', &line)) {
        if (!str_cut(&line, ' ', &word) || !str_is(word, "blob") || !str_number(line, &size))
            rc = err_set(err, ERR_FORMAT, "a file of it is no file");
        else if (size > bytes_max - bytes)
            rc = err_set(err, ERR_LIMIT, "its files have more than the %" PRIu64 " bytes that are "
                         "accepted", bytes_max);
        else
            bytes += size;
    }
    buf_release(&names);
    buf_release(&said);
    return rc;
}

/* PATH NUL "filter" NUL VALUE NUL, again and again, of what the new commits changed. */
static int filters_check(const struct travel_apply *order, struct err *err)
{
    static const char *const ask[] = { "check-attr", "-z", "--stdin", "filter", NULL };
    const char *head = order->made->head;
    const char *const since[] = { "diff-tree", "-r", "-z", "--name-only", "--no-renames",
                                  order->ids->head, head, NULL };
    const char *const all[] = { "ls-tree", "-r", "-z", "--name-only", head, NULL };
    struct git_raw raw = { .args = order->ids->head[0] ? since : all, .own = true };
    struct buf names, said;
    struct str rest, path, word;
    int rc;

    if (!is_moved(order->ids, order->made)) return 0;
    buf_init(&names, CHANGES_BYTES_MAX);
    buf_init(&said, CHANGES_BYTES_MAX);
    rc = repo_git_raw(order->repo, &raw, &names, err);
    if (rc == 0 && names.size > 0) rc = repo_git(order->repo, ask, buf_str(&names), &said, err);
    rest = buf_str(&said);
    while (rc == 0 && str_cut(&rest, '\0', &path)) {
        (void)str_cut(&rest, '\0', &word); /* "filter" */
        if (!str_cut(&rest, '\0', &word)) word = STR("");
        if (!str_is(word, "unspecified") && !str_is(word, "unset"))
            rc = err_set(err, ERR_FAILED, "%.*s was committed elsewhere without the filter %.*s, "
                         "which runs on no worker: let roles that commit such files play here",
                         STR_ARG(path), STR_ARG(word));
    }
    buf_release(&names);
    buf_release(&said);
    return rc;
}

/* Whether the one path is the other, or a folder that it is in: a link in the place of a folder
 * would change all that is in it. */
static bool is_on_way(struct str a, struct str b)
{
    return str_starts(b, a) && (a.size == b.size || b.data[a.size] == '/');
}

static bool is_closed(const struct travel_apply *order, struct str path)
{
    for (uint32_t i = 0; order->closed && order->closed[i]; i++) {
        struct str closed = str_of(order->closed[i]);

        if (is_on_way(closed, path) || is_on_way(path, closed)) return true;
    }
    return false;
}

/* also: what is changed must be changed there, too; NULL: no matter. */
static int closed_check(const struct travel_apply *order, const struct changes *changes,
                        const struct changes *also, struct err *err)
{
    for (uint32_t i = 0; i < changes->count; i++) {
        struct str path = changes->items[i].path;

        if (!is_closed(order, path) || (also && !changes_find(also, path))) continue;
        return err_set(err, ERR_FORMAT, "it changes %.*s, which no agent may change",
                       STR_ARG(path));
    }
    return 0;
}

/* Invariant 5. A commit may have what the user had changed there before it was sent. */
static int commits_check(const struct travel_apply *order, struct err *err)
{
    const struct travel_ids *ids = order->ids;
    const char *head = order->made->head;
    struct changes sent = { .count = 0 }, before = { .count = 0 };
    int rc;

    if (!order->closed || !is_moved(ids, order->made)) return 0;
    buf_init(&before.text, 0);
    rc = changes_take(order->repo, ids->snapshot, head, &sent, err);
    if (rc == 0) rc = changes_take(order->repo, ids->head, head, &before, err);
    if (rc == 0) rc = closed_check(order, &sent, ids->head[0] ? &before : NULL, err);
    changes_release(&sent);
    changes_release(&before);
    return rc;
}

/* ---- the two trees ---- */

struct making {
    const struct travel_apply *order;
    const struct changes *changes; /* from the snapshot to the result */
    const struct changes *heads;   /* from HEAD to the snapshot */
    struct tree from, to;
    struct travel_applied *out;
    uint32_t noted;
};

static void note(struct making *making, struct str path, const char *why)
{
    if (++making->noted > NOTED_MAX) return;
    snapshot_quote(path, &making->out->notes);
    buf_printf(&making->out->notes, " %s\n", why);
}

/* As HEAD has it, where it was not named when the tree was packed. */
static struct tree_entry entry_from(const struct making *making,
                                    const struct commit_change *change)
{
    const struct tree_entry *was = tree_find(making->order->from, change->path);
    const struct commit_change *head = changes_find(making->heads, change->path);
    struct tree_entry entry = { .path = change->path };
    int side = 0;

    if (was) return *was;
    if (making->order->ids->head[0]) {
        if (!head) head = change; /* the snapshot has it as HEAD has it */
        entry.head_mode = head->mode[side];
        memcpy(entry.head, head->oid[side], OID_BYTES);
    }
    return entry_as_in_head(&entry);
}

/* Whether the path is, or lies in, a repository: at the driver or by what came. */
static bool is_nested(const struct making *making, const struct commit_change *change)
{
    if (change->mode[0] == REPOSITORY_MODE || change->mode[1] == REPOSITORY_MODE) return true;
    for (struct str path = change->path; path.size; path = path_folder(path)) {
        const struct tree_entry *was = tree_find(making->order->from, path);
        const struct commit_change *other = changes_find(making->changes, path);

        if (was && was->mode == REPOSITORY_MODE) return true;
        if (other && (other->mode[0] == REPOSITORY_MODE || other->mode[1] == REPOSITORY_MODE))
            return true;
    }
    return false;
}

static bool is_wanted(struct making *making, const struct commit_change *change)
{
    const struct tree_entry *was = tree_find(making->order->from, change->path);

    if (file_is_private(making->order->private_paths, change->path)) {
        note(making, change->path, "is a contract file: the agent's does not come");
    } else if (is_nested(making, change)) {
        note(making, change->path, "is in a repository of its own: what the agent changed in it "
             "does not come");
    } else if (was && was->mode != 0 && !snapshot_holds(was)) {
        note(making, change->path, "could not be read, so the agent did not see it: its version "
             "does not come");
    } else {
        return true;
    }
    return false;
}

static void trees_init(struct making *making)
{
    const struct tree *from = making->order->from;
    struct tree *const trees[] = { &making->from, &making->to };

    for (size_t i = 0; i < 2; i++) {
        struct tree *tree = trees[i];

        memcpy(tree->head, from->head, OID_BYTES);
        tree->branch = arena_copy(&tree->arena, from->branch);
        tree->private_paths = from->private_paths;
        tree->entries = arena_alloc(&tree->arena, (from->count + making->changes->count +
                                                   (size_t)1) * sizeof *tree->entries);
    }
}

static int compare_entries(const void *a, const void *b)
{
    return str_compare(((const struct tree_entry *)a)->path, ((const struct tree_entry *)b)->path);
}

static void trees_make(struct making *making)
{
    const struct tree *from = making->order->from;

    trees_init(making);
    for (uint32_t i = 0; i < making->changes->count; i++) {
        const struct commit_change *change = &making->changes->items[i];
        struct tree_entry entry;

        if (!is_wanted(making, change)) continue;
        entry = entry_from(making, change);
        if (tree_find(from, change->path)) making->from.entries[making->from.count++] = entry;
        entry.mode = change->mode[1];
        memcpy(entry.oid, change->oid[1], OID_BYTES);
        making->to.entries[making->to.count++] = entry;
    }
    making->out->changed = making->to.count;
    for (uint32_t i = 0; i < from->count; i++) {
        const struct commit_change *change = changes_find(making->changes, from->entries[i].path);
        uint32_t noted = making->noted;

        making->noted = NOTED_MAX; /* it was said above */
        if (!change || !is_wanted(making, change)) {
            making->from.entries[making->from.count++] = from->entries[i];
            making->to.entries[making->to.count++] = from->entries[i];
        }
        making->noted = noted;
    }
    if (making->from.count == 0) return;
    qsort(making->from.entries, making->from.count, sizeof *from->entries, compare_entries);
    qsort(making->to.entries, making->to.count, sizeof *from->entries, compare_entries);
}

static int trees_save(const struct travel_apply *order, const struct changes *changes,
                      const struct changes *heads, struct travel_applied *out, struct err *err)
{
    struct making making = { .order = order, .changes = changes, .heads = heads, .out = out };
    int rc;

    trees_make(&making);
    if (making.noted > NOTED_MAX)
        buf_printf(&out->notes, "and %u more\n", (unsigned)(making.noted - NOTED_MAX));
    rc = tree_save(&making.from, order->folder, order->from_name, err);
    if (rc == 0) rc = tree_save(&making.to, order->folder, order->to_name, err);
    tree_release(&making.from);
    tree_release(&making.to);
    return rc;
}

int travel_apply(const struct travel_apply *order, struct travel_applied *out, struct err *err)
{
    struct changes changes = { .count = 0 }, heads = { .count = 0 };
    int rc = made_check(order, err);

    *out = (struct travel_applied){ .changed = 0 };
    buf_init(&out->notes, NOTES_BYTES_MAX);
    buf_init(&changes.text, 0);
    buf_init(&heads.text, 0);
    assert(strcmp(order->from->head, order->ids->head) == 0);
    if (rc == 0) rc = bundle_come(order, err);
    if (rc == 0) rc = commit_check(order, err);
    if (rc == 0) rc = filters_check(order, err);
    if (rc == 0)
        rc = changes_take(order->repo, order->ids->snapshot, order->made->commit, &changes, err);
    if (rc == 0)
        rc = changes_take(order->repo, order->ids->head, order->ids->snapshot, &heads, err);
    if (rc == 0) rc = closed_check(order, &changes, NULL, err);
    if (rc == 0) rc = commits_check(order, err);
    if (rc == 0) rc = bytes_check(order, &changes, err);
    if (rc == 0) rc = trees_save(order, &changes, &heads, out, err);
    out->moved = rc == 0 && is_moved(order->ids, order->made);
    changes_release(&changes);
    changes_release(&heads);
    return rc == 0 ? 0 : err_wrap(err, "take in what an agent made elsewhere");
}

void travel_applied_release(struct travel_applied *applied)
{
    buf_release(&applied->notes);
    *applied = (struct travel_applied){ .changed = 0 };
}

/* ---- HEAD ---- */

/* The new commits, and what they hold, become objects of the user's repository. */
static int objects_hand_over(const struct repo *repo, const struct travel_ids *ids,
                             const struct travel_made *made, struct err *err)
{
    struct arena arena = { 0 };
    struct travel_file file = { .folder = arena_printf(&arena, "%s/travel", repo->hone_dir),
                                .name = "forward", .bytes_max = 4 * GIGABYTE };
    struct bundle out = { .sha256 = strlen(made->head) == 64 }, in = { .map = NULL };
    const char *const trusted[] = { ids->head[0] ? ids->head : NULL, NULL };
    struct bundle_place place = { .repo = repo, .trusted = trusted, .bytes_max = file.bytes_max };
    const char *path = arena_printf(&arena, "%s/%s", file.folder, file.name);
    uint64_t bytes;
    int rc = file_make_folder(file.folder, false, err);

    memcpy(out.tips[BUNDLE_HEAD], made->head, OID_BYTES);
    if (ids->head[0]) bundle_need(&out, ids->head);
    if (rc == 0) rc = bundle_write(repo, &out, &file, &bytes, err);
    if (rc == 0) rc = bundle_open(&in, path, file.bytes_max, err);
    if (rc == 0) rc = bundle_take_in(&place, &in, err);
    (void)unlink(path);
    bundle_release(&out);
    bundle_release(&in);
    arena_release(&arena);
    return rc;
}

static int head_move(const struct repo *repo, const struct travel_ids *ids,
                     const struct travel_made *made, const char *why, struct err *err)
{
    char none[OID_BYTES] = "";
    const char *const args[] = { "update-ref", "-m", why, "HEAD", made->head,
                                 ids->head[0] ? ids->head : none, NULL };

    memset(none, '0', strlen(made->head));
    return repo_do(repo, args, STR(""), err);
}

int travel_forward(const struct repo *repo, const struct travel_ids *ids,
                   const struct travel_made *made, const char *why, struct err *err)
{
    static const char *const reset[] = { "reset", "--mixed", "--quiet", NULL };
    struct arena arena = { 0 };
    struct err none;
    const char *now = repo_commit(repo, "HEAD", &arena, &none);
    int rc = 0;

    if (!now) now = "";
    if (!oid_is_valid(str_of(made->head))) {
        rc = err_set(err, ERR_FORMAT, "a result is named by what is no id");
    } else if (strcmp(now, made->head) != 0) {
        if (strcmp(now, ids->head) != 0)
            rc = err_set(err, ERR_BUSY, "HEAD was at %.12s and is at %.12s now", ids->head, now);
        else if (ids->head[0] && !own_git_descends(repo, made->head, ids->head))
            rc = err_set(err, ERR_FORMAT, "%.12s does not descend from %.12s", made->head,
                         ids->head);
        if (rc == 0) rc = objects_hand_over(repo, ids, made, err);
        if (rc == 0) rc = head_move(repo, ids, made, why, err);
    }
    if (rc == 0) rc = repo_do(repo, reset, STR(""), err);
    arena_release(&arena);
    return rc == 0 ? 0 : err_wrap(err, "move HEAD to what an agent committed elsewhere");
}
