/* SPDX-License-Identifier: Apache-2.0
 *
 * base.c - what a change brings: the lines it has changed, and the project as it was before.
 *
 *   findings of a unit --on a changed line-------------------------> new
 *          '--else--> the unit as it was at the base commit
 *                        |--could not be looked at, or not found--> new
 *                        '--found then, too----------------------> older: counted, not listed
 *
 * The project as it was is a folder of links beside the answer: each name leads to the work tree,
 * but for the files that the change touched, which are there as git has them, and for those that it
 * added, which are not. So what git does not know (a config.h that was made) is there, and nothing
 * is written to the work tree. The folder is made when the first unit asks, and goes with the
 * review.
 *
 * 1. A file whose changed lines are not known counts as changed in all of them.
 * 2. What cannot be compared is new: nothing is hidden for want of an answer.
 * 3. Two findings are one when file, text and evidence are alike; each that was there before makes
 *    one of now an older one.
 * 4. A file that was renamed is compared with what it was under its old name.
 *
 * Not here: the looking itself (run.c), and what a unit's findings depend on (key.c). */
#include "analyze/analyze.h"

#include "base/mem.h"
#include "base/path.h"
#include "format/report/fix.h"
#include "format/text/hunks.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/scratch.h"
#include "io/git/repo.h"

#include <stdlib.h>
#include <string.h>

enum { RAW_BYTES_MAX = 64 << 20, DIFF_BYTES_MAX = 256 << 20, BLOBS_BYTES_MAX = 256 << 20 };

/* Lines of a file as it is now. */
struct line_range {
    uint32_t first, count;
};

/* A file that differs from the base. */
struct touched {
    const char *path; /* as it is now; of a deleted one, as it was */
    struct str blob;  /* what it was; empty: it was not there, or no file */
    bool whole;       /* all its lines are new */
    struct line_range *ranges;
    uint32_t range_count, range_cap;
};

struct base {
    struct arena arena;
    struct touched *items;
    uint32_t count, cap;
    struct text_map by_path;
    bool known;      /* git said what differs */
    bool made;       /* the folder was tried to be made */
    struct repo repo;
    struct review review; /* of the project as it was; workspace NULL: it could not be made */
};

/* ---- what git says ---- */

static struct touched *touched_find(struct base *base, struct str path)
{
    uint32_t *number = text_map_put(&base->by_path, path, &base->arena);

    return *number == MAP_NONE ? NULL : &base->items[*number];
}

static void touched_add(struct base *base, struct str path, struct str blob)
{
    uint32_t *number = text_map_put(&base->by_path, path, &base->arena);

    if (*number == MAP_NONE) *number = base->count;
    base->items = mem_grow(base->items, base->count, &base->cap, sizeof *base->items);
    base->items[base->count++] = (struct touched){
        .path = arena_cstr(&base->arena, path), .blob = arena_copy(&base->arena, blob),
        .whole = blob.size == 0 };
}

/* ":MODE MODE BLOB BLOB STATUS" and a path, or two of a renamed file; each with a NUL behind it.
 * order: of the files of the patch, in its order. */
static bool raw_read(struct base *base, struct str said, uint32_t **order, uint32_t *order_count)
{
    struct str head, word, path, mode;
    uint32_t cap = 0;

    while (str_cut(&said, '\0', &head)) {
        struct str blob = { "", 0 };
        char status;

        if (!str_starts(head, STR(":")) || !str_cut(&said, '\0', &path)) return false;
        (void)str_cut(&head, ' ', &mode);
        for (int i = 0; i < 3; i++) {
            (void)str_cut(&head, ' ', &word);
            if (i == 1) blob = word;
        }
        status = head.size > 0 ? head.data[0] : 'U';
        if (!str_starts(mode, STR(":100")) || status == 'A') blob.size = 0;
        if (status == 'U') return false; /* unmerged: which lines are new, git does not say */
        *order = mem_grow(*order, *order_count, &cap, sizeof **order);
        if (status == 'R' || status == 'C') {
            if (status == 'R') touched_add(base, path, blob);
            if (!str_cut(&said, '\0', &path)) return false;
        }
        (*order)[(*order_count)++] = base->count;
        touched_add(base, path, blob);
    }
    return true;
}

static void range_add(struct touched *touched, const struct line_hunk *hunk)
{
    touched->ranges = mem_grow(touched->ranges, touched->range_count, &touched->range_cap,
                               sizeof *touched->ranges);
    touched->ranges[touched->range_count++] = (struct line_range){ hunk->new_line,
                                                                   hunk->new_count };
}

/* The files of a patch are those of the list, in its order. False: they are others. */
static bool patch_read(struct base *base, struct str patch, const uint32_t *order, uint32_t count)
{
    struct touched *touched = NULL;
    struct line_hunk hunk;
    uint32_t at = 0;
    struct str line;

    while (str_cut(&patch, '\n', &line)) {
        if (str_starts(line, STR("diff --git "))) {
            if (at == count) return false;
            touched = &base->items[order[at++]];
        } else if (touched && hunk_read(line, &hunk)) {
            range_add(touched, &hunk);
        }
    }
    return at == count;
}

static bool base_ask(struct base *base, const struct review *review)
{
    const char *raw[] = { "diff", "--raw", "-M", "-z", "--no-abbrev", "--ignore-submodules=all",
                          review->since, "--", NULL };
    const char *patch[] = { "diff", "-U0", "-M", "--no-color", "--ignore-submodules=all",
                            review->since, "--", NULL };
    uint32_t *order = NULL, count = 0;
    struct buf listed, lines;
    struct err err;
    bool known;

    buf_init(&listed, RAW_BYTES_MAX);
    buf_init(&lines, DIFF_BYTES_MAX);
    known = repo_open(&base->repo, review->workspace, REPO_FIND, &err) == 0 &&
            repo_git(&base->repo, raw, STR(""), &listed, &err) == 0 &&
            repo_git(&base->repo, patch, STR(""), &lines, &err) == 0 &&
            raw_read(base, buf_str(&listed), &order, &count) &&
            patch_read(base, buf_str(&lines), order, count);
    free(order);
    buf_release(&listed);
    buf_release(&lines);
    return known;
}

void base_open(struct review *review)
{
    struct base *base;

    if (review->since[0] == '\0' || review->base) return;
    base = review->base = mem_alloc(sizeof *base);
    base->known = base_ask(base, review);
    if (!base->known) {
        review_note(review, "git does not say which lines have changed: what the changed files had "
                    "before is listed, too");
    }
}

bool base_has_changed(const struct review *review, const struct finding *finding)
{
    struct base *base = review->base;
    const struct touched *touched;
    const struct source *source;

    if (!base || !base->known) return !base;
    touched = touched_find(base, finding->file);
    if (!touched) {
        source = project_source(&review->project, finding->file);
        return source && source->changed; /* git does not know the file yet */
    }
    if (touched->whole) return true;
    for (uint32_t i = 0; i < touched->range_count; i++) {
        const struct line_range *range = &touched->ranges[i];

        if (finding->line >= range->first && finding->line < range->first + range->count) {
            return true;
        }
    }
    return false;
}

/* ---- the project as it was ---- */

/* The next object of `cat-file --batch`: "ID blob SIZE", a line end, the content, a line end. */
static bool blob_cut(struct str *said, struct str *out)
{
    struct str head, word;
    uint64_t bytes;

    if (!str_cut(said, '\n', &head)) return false;
    (void)str_cut(&head, ' ', &word);
    if (!str_cut(&head, ' ', &word) || !str_is(word, "blob")) return false;
    if (!str_number(head, &bytes) || bytes + 1 > said->size) return false;
    *out = str_head(*said, (size_t)bytes);
    *said = str_skip(*said, (size_t)bytes + 1);
    return true;
}

/* Folders that hold a touched file, with all above them: they are real ones. */
struct real_folders {
    const char **items;
    uint32_t count, cap;
    struct text_map known;
};

static int folder_make(struct base *base, const char *root, struct str folder,
                       struct real_folders *out, struct err *err)
{
    const char *path = arena_cstr(&base->arena, folder);
    int rc = 0;

    if (*text_map_put(&out->known, folder, &base->arena) != MAP_NONE) return 0;
    *text_map_put(&out->known, folder, NULL) = out->count;
    if (folder.size > 0) rc = folder_make(base, root, path_folder(folder), out, err);
    if (rc == 0 && folder.size > 0) rc = file_make_folder_in(root, path, err);
    out->items = mem_grow(out->items, out->count, &out->cap, sizeof(void *));
    out->items[out->count++] = path;
    return rc;
}

/* The touched files as they were. */
static int files_put(struct base *base, const char *root, struct real_folders *folders,
                     struct err *err)
{
    static const char *const args[] = { "cat-file", "--batch", NULL };
    struct buf wanted, said;
    struct str rest, content;
    int rc;

    buf_init(&wanted, RAW_BYTES_MAX);
    buf_init(&said, BLOBS_BYTES_MAX);
    for (uint32_t i = 0; i < base->count; i++) {
        if (base->items[i].blob.size == 0) continue;
        buf_add(&wanted, base->items[i].blob);
        buf_byte(&wanted, '\n');
    }
    rc = repo_git(&base->repo, args, buf_str(&wanted), &said, err);
    rest = buf_str(&said);
    for (uint32_t i = 0; rc == 0 && i < base->count; i++) {
        const struct touched *touched = &base->items[i];
        struct str folder = path_folder(str_of(touched->path));

        if (!path_is_clean(str_of(touched->path))) rc = ERR_FORMAT;
        if (rc == 0) rc = folder_make(base, root, folder, folders, err);
        if (rc != 0 || touched->blob.size == 0) continue;
        if (!blob_cut(&rest, &content)) rc = err_set(err, ERR_FORMAT, "git said something else");
        if (rc == 0) {
            rc = scratch_write(arena_printf(&base->arena, "%s/%.*s", root, STR_ARG(folder)),
                               path_leaf_text(touched->path), content, err);
        }
    }
    buf_release(&wanted);
    buf_release(&said);
    return rc;
}

/* All other names lead to the work tree; what the change added was not there. */
static int names_link(struct base *base, const char *workspace, const char *root,
                      const struct real_folders *folders, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < folders->count; i++) {
        rc = folder_link_names(arena_printf(&base->arena, "%s/%s", workspace, folders->items[i]),
                               arena_printf(&base->arena, "%s/%s", root, folders->items[i]), err);
        if (rc == ERR_MISSING) rc = 0; /* all of it was deleted since */
    }
    for (uint32_t i = 0; rc == 0 && i < base->count; i++) {
        if (base->items[i].blob.size == 0) rc = file_remove_in(root, base->items[i].path, err);
    }
    return rc;
}

static bool base_make(struct base *base, struct review *review)
{
    struct real_folders folders = { 0 };
    const char *root = arena_printf(&base->arena, "%s/base", review->folder);
    struct err err = { 0 };
    int rc = scratch_folder(review->folder, "base", &err);

    if (rc == 0) rc = folder_make(base, root, (struct str){ "", 0 }, &folders, &err);
    if (rc == 0) rc = files_put(base, root, &folders, &err);
    if (rc == 0) rc = names_link(base, review->workspace, root, &folders, &err);
    free(folders.items);
    text_map_release(&folders.known);
    base->review = (struct review){
        .folder = review->folder, .since = review->since, .exclude = review->exclude,
        .private_paths = review->private_paths, .project = review->project,
        .today = review->today, .told_ms = review->told_ms, .file_ms_max = review->file_ms_max,
        .workspace = root, .now = review,
    };
    locator_init(&base->review.locator, root, review->private_paths, true);
    if (rc != 0) {
        review_note(review, "the project as it was could not be made (%s): what the changed files "
                    "had before is listed, too", err.text);
    }
    return rc == 0;
}

struct review *base_review(struct review *review)
{
    struct base *base = review->base;

    if (!base || !base->known) return NULL;
    if (!base->made && !base_make(base, review)) base->known = false;
    base->made = true;
    return base->known ? &base->review : NULL;
}

bool base_had(const struct review *review, const struct source *unit)
{
    const struct touched *touched = touched_find(review->base, str_of(unit->path));

    return touched ? touched->blob.size > 0 : !unit->changed;
}

const char *base_path(const struct review *review, const char *word, struct arena *arena)
{
    const char *from = review->now ? review->now->workspace : NULL;
    const char *at = from ? strstr(word, from) : NULL;
    size_t size = from ? strlen(from) : 0;

    if (!at || strstr(word, review->folder)) return word;
    if (at[size] != '/' && at[size] != '\0') return word;
    return arena_printf(arena, "%.*s%s%s", (int)(at - word), word, review->workspace, at + size);
}

void base_close(struct review *review)
{
    struct base *base = review->base;
    struct err err;

    if (!base) return;
    if (base->made) (void)folder_erase(arena_printf(&base->arena, "%s/base", review->folder), &err);
    for (uint32_t i = 0; i < base->count; i++) free(base->items[i].ranges);
    free(base->items);
    free(base->review.findings.notes);
    locator_release(&base->review.locator);
    text_map_release(&base->by_path);
    repo_release(&base->repo);
    arena_release(&base->review.arena);
    arena_release(&base->arena);
    free(base);
    review->base = NULL;
}

/* ---- what was there before ---- */

static int identity_order(const struct finding *a, const struct finding *b)
{
    uint64_t left = evidence_fingerprint(a), right = evidence_fingerprint(b);

    if (a->fingerprint != b->fingerprint) return a->fingerprint < b->fingerprint ? -1 : 1;
    return (left > right) - (left < right);
}

bool base_takes(struct findings *before, const struct finding *finding)
{
    for (uint32_t i = 0; i < before->count; i++) {
        if (identity_order(&before->items[i], finding) != 0) continue;
        before->items[i] = before->items[--before->count];
        return true;
    }
    return false;
}
