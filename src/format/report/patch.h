/* SPDX-License-Identifier: Apache-2.0
 *
 * patch.h - which of many fixes are made together, and what the files are like afterwards.
 *
 *     patch_add() for each finding, patch_list_files(), then the caller puts the content or the bar
 *     of each file in, patch_choose(), and patch_apply() as often as wanted.
 *
 * A fix is made as a whole or not at all. Of a finding's alternatives the first that can be made is
 * taken. The findings choose in the order of the rank that their fixes have (fix.h: clang's %zu is
 * better typed than gcc's %ld), then of their severity, the gravest first, then in the order they
 * were added. A fix that is exactly one already taken is that one: both findings are
 * mended by it. A fix that overlaps one already taken is left, for a next time: where both replace
 * the same byte, where one inserts inside what the other replaces, and where both insert at the
 * same place, since the order of the two is not known. */
#ifndef HONE_FORMAT_REPORT_PATCH_H
#define HONE_FORMAT_REPORT_PATCH_H

#include "base/arena.h"
#include "base/buf.h"
#include "core/finding.h"
#include "format/report/fix.h"

enum patch_state {
    PATCH_TAKEN,    /* mended by a change */
    PATCH_NO_FIX,   /* the finding has no fix */
    PATCH_UNFIT,    /* its fix is damaged or does not fit its file: why */
    PATCH_BARRED,   /* its fix is for a file that must not be touched: why */
    PATCH_CHANGED,  /* its fix is for a file as it is no more */
    PATCH_OVERLAPS, /* its fix overlaps that of the rival */
    PATCH_REFUSED,  /* its fix is one of those that were refused */
    PATCH_RISKY,    /* its fix may change what the program does, and only safe ones are made */
    PATCH_STATE_COUNT
};

/* A finding, and what becomes of it. */
struct patch_item {
    const struct finding *finding;
    struct fixes fixes;
    const char *problem;  /* why its fix could not be read; NULL: it could */

    /* By patch_choose(). Where no alternative can be made: of one that overlaps, else of the
     * first. */
    enum patch_state state;
    uint32_t change;      /* PATCH_TAKEN: which */
    uint32_t rival;       /* PATCH_OVERLAPS: the item it lost to */
    struct str file;      /* UNFIT, BARRED, CHANGED: which; may be empty */
    const char *why;      /* UNFIT, BARRED: in words */
};

/* A file that some fix is for. */
struct patch_file {
    struct str path;
    struct str content;   /* set by the caller: as it is now */
    const char *barred;   /* set by the caller: it must not be touched, and why; NULL: it may */

    uint64_t hash;        /* the rest is patch.c's own */
    bool hashed;
    uint32_t *places;     /* the edits that were taken, by place */
    uint32_t place_count, place_cap;
};

struct patch_edit {
    const struct edit *edit;
    uint32_t file, change;
};

/* A fix that was taken. Changes are independent of each other: any of them can be made. */
struct patch_change {
    uint32_t item;         /* whose fix it is; others may be mended by it, too */
    const struct fix *fix;
    uint32_t edit, count;  /* its edits, by file and place */
};

struct patch {
    struct arena arena;
    bool safe_only; /* set by the caller: risky fixes are left */
    struct patch_item *items;
    uint32_t count, cap;
    struct patch_file *files; /* by path */
    uint32_t file_count;
    struct patch_change *changes;
    uint32_t change_count, change_cap;
    struct patch_edit *edits;
    uint32_t edit_count, edit_cap;
};

void patch_init(struct patch *patch);
void patch_release(struct patch *patch);

/* Borrows the finding. A fix that cannot be read does not hurt: the item says so. */
void patch_add(struct patch *patch, const struct finding *finding);
void patch_list_files(struct patch *patch); /* once, behind the last patch_add() */

/* Chooses, and forgets an earlier choice. refused: identities, in ascending order. */
void patch_choose(struct patch *patch, const uint64_t *refused, uint32_t refused_count);

/* What a fix does, the same wherever in its file it does it: for a list of those that are refused.
 * Of an item that was taken. */
uint64_t patch_identity(const struct patch *patch, const struct patch_item *item);

/* The same as it will be when the changes in[] were made, and it was not: what stands around it may
 * be theirs. */
uint64_t patch_identity_after(const struct patch *patch, const struct patch_item *item,
                              const bool *in);

/* Whether one of the changes for which in[change] is true (in NULL: all) is for this file. */
bool patch_touches(const struct patch *patch, const bool *in, uint32_t file);

/* Appends the file as it is with these changes. lines, where not NULL, has an entry for each
 * change: set are those of the changes whose first edit was made here, to its line in what was
 * appended. */
void patch_apply(const struct patch *patch, const bool *in, uint32_t file, struct buf *out,
                 uint32_t *lines);

#endif
