/* SPDX-License-Identifier: Apache-2.0
 *
 * scan.c - a review for secrets by hone itself.
 *
 * Looks at the name and content of every file that git tracks, and of new files that git does not
 * ignore; ignored files are not published. No link is followed: the file it leads to is looked at
 * by its own name, or is outside of the repository.
 *
 * 1. No secret is in the answer: a finding says where it is, what it is and how it begins.
 * 2. The answer is written at the end and whole, or not at all.
 * 3. Files that could not be read to their end are counted in a note, so that the reader of the
 *    answer does not take them for clean. */
#include "agent/own/own.h"

#include "base/mem.h"
#include "format/json/finding_json.h"
#include "format/secret/secret_finding.h"
#include "io/file/peek.h"
#include "io/git/repo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LIST_BYTES_MAX = 1 << 30,
    FILE_BYTES_MAX = 4 << 20,  /* a larger one is looked at so far */
    FINDINGS_MAX = 2000,
    ANSWER_BYTES_MAX = 15 << 20,
};

struct scan {
    const char *const *left_out;
    struct repo repo;
    struct peek peek;
    struct arena arena;
    struct buf names, content;
    struct findings found;
    uint32_t files, cut, unread, more;
};

/* ---- findings ---- */

static void scan_add(void *context, const struct finding *found)
{
    struct scan *scan = context;
    struct findings *all = &scan->found;

    if (all->count == FINDINGS_MAX) {
        scan->more++;
        return;
    }
    all->items = mem_grow(all->items, all->count, &all->cap, sizeof *all->items);
    all->items[all->count] = *found;
    all->items[all->count++].source = STR("scan");
}

/* ---- files ---- */

static bool is_left_out(const struct scan *scan, struct str path)
{
    for (const char *const *prefix = scan->left_out; *prefix; prefix++) {
        if (str_starts(path, str_of(*prefix))) return true;
    }
    return false;
}

static void scan_file(struct scan *scan, struct str path)
{
    struct peeked peeked;
    struct err err;

    if (is_left_out(scan, path) || !peek_look(&scan->peek, path, &peeked)) return;
    scan->files++;
    path = arena_copy(&scan->arena, path);
    buf_clear(&scan->content);
    if (peek_head(&scan->peek, path, FILE_BYTES_MAX, &scan->content, &err) != 0) {
        scan->unread++;
        buf_clear(&scan->content);
    }
    if (peeked.bytes > FILE_BYTES_MAX) scan->cut++;
    scan->more += secrets_find(path, buf_str(&scan->content), &scan->arena, scan_add, scan);
}

/* In byte order, so that a folder is opened once; each once: git names an unmerged file thrice. */
static void scan_all(struct scan *scan)
{
    struct str rest = buf_str(&scan->names), name;
    struct str *names = NULL;
    uint32_t count = 0, cap = 0;

    while (str_cut(&rest, '\0', &name)) {
        names = mem_grow(names, count, &cap, sizeof *names);
        names[count++] = name;
    }
    if (count) qsort(names, count, sizeof *names, str_order);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || !str_eq(names[i - 1], names[i])) scan_file(scan, names[i]);
    }
    free(names);
}

/* ---- the answer ---- */

static void add_note(struct scan *scan, uint32_t count, const char *text)
{
    struct findings *all = &scan->found;

    if (count == 0) return;
    all->notes = mem_grow(all->notes, all->note_count, &all->note_cap, sizeof *all->notes);
    all->notes[all->note_count++] = str_of(arena_printf(&scan->arena, "%" PRIu32 " %s", count,
                                                        text));
}

static int write_answer(struct scan *scan, struct err *err)
{
    struct buf out;
    int rc = 0;

    add_note(scan, scan->files, "files were looked at for secrets");
    add_note(scan, scan->cut, "files are large, and only their beginnings were looked at");
    add_note(scan, scan->unread, "files could not be read, and only their names were looked at");
    add_note(scan, scan->more, "files or findings more are not listed");
    scan->found.unseen = scan->files == 0;
    buf_init(&out, ANSWER_BYTES_MAX);
    findings_write(&scan->found, &out);
    buf_byte(&out, '\n');
    if (out.overflow) {
        rc = err_set(err, ERR_LIMIT, "what was found is too much for an answer");
    } else if (fwrite(out.data, 1, out.size, stdout) != out.size || fflush(stdout) != 0) {
        rc = err_set(err, ERR_SYSTEM, "write what was found to standard output");
    }
    buf_release(&out);
    return rc;
}

int scan_main(const char *const *left_out)
{
    static const char *const list[] = { "ls-files", "-c", "-o", "--exclude-standard", "-z", NULL };
    struct scan scan = { .left_out = left_out, .peek = { .root_fd = -1, .folder_fd = -1 } };
    struct err err = { 0 };
    int rc;

    buf_init(&scan.names, LIST_BYTES_MAX);
    buf_init(&scan.content, FILE_BYTES_MAX);
    rc = repo_open(&scan.repo, ".", false, &err);
    if (rc == 0) rc = peek_open(&scan.peek, scan.repo.workspace, &err);
    if (rc == 0) rc = repo_git(&scan.repo, list, STR(""), &scan.names, &err);
    if (rc == 0) {
        scan_all(&scan);
        rc = write_answer(&scan, &err);
    }
    if (rc != 0) fprintf(stderr, "scan for secrets: %s\n", err.text);
    free(scan.found.items);
    free(scan.found.notes);
    peek_close(&scan.peek);
    repo_release(&scan.repo);
    buf_release(&scan.names);
    buf_release(&scan.content);
    arena_release(&scan.arena);
    return rc == 0 ? 0 : 1;
}
