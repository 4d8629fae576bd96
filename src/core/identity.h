/* SPDX-License-Identifier: Apache-2.0
 *
 * identity.h - which findings are one: told again in other words, or told by several reviewers.
 *
 * A model has no rule numbers and repeats no sentence. What two reports of one fault share is
 * their words, in part, and their place. identity.c says how both are compared. */
#ifndef HONE_CORE_IDENTITY_H
#define HONE_CORE_IDENTITY_H

#include "core/finding.h"

#include <stdbool.h>
#include <stdint.h>

#define IDENTITY_NONE UINT32_MAX

/* How lines moved from an older tree to a newer one, as a diff without context says it. A file
 * that is not listed is as it was. */
struct line_hunk {
    uint32_t old_line, old_count; /* as behind "@@ -": of 0 lines the one before them ... */
    uint32_t new_line, new_count; /* ... and as behind "+" */
};

struct file_move {
    struct str old_path, new_path;  /* two names: it was renamed; no new one: it is gone */
    const struct line_hunk *hunks;  /* in the order of their lines */
    uint32_t hunk_count;
};

struct line_map {
    const struct file_move *files;
    uint32_t file_count;
};

/* How many lines lie between two. */
uint32_t line_gap(uint32_t a, uint32_t b);

/* A copy that lives in arena. */
struct line_map line_map_copy(const struct line_map *map, struct arena *arena);
/* Carries a place to where it is in the newer tree: *file and *line (0: none) as they are now. True
 * where the change is about the place itself: a hunk has its line, or its file is gone. */
bool line_map_carry(const struct line_map *map, struct str *file, uint32_t *line);
/* Whether the line of the file, both of the newer tree, is within so many lines of what the change
 * wrote. */
bool line_map_wrote(const struct line_map *map, struct str file, uint32_t line, uint32_t near);

/* What was read of a finding's text. A caller that compares a finding again keeps it, in a slot of
 * its own that is NULL at first, and frees it. */
struct identity_words;

/* An odd number for a file, however its path is written; 0: the path names none. Findings of two
 * files are one only where they are told in the same words. */
uint64_t identity_file(struct str path);

/* What is known, and one review that came later. Each side's own findings are different ones. */
struct identity_sides {
    const struct finding *const *known, *const *reported;
    uint32_t known_count, reported_count;
    const struct line_map *map; /* the change since the known ones were told: what lies in one hunk
                                 * of it is near. They were carried through it: line_map_carry().
                                 * NULL: there was none */
    struct identity_words **const *known_words, **const *reported_words; /* slots; NULL: none */
};

/* out: for each that is reported the index of the known one that it is; IDENTITY_NONE: it is new.
 * No known one is given twice. Nothing depends on the order on either side. */
void identity_match(const struct identity_sides *sides, uint32_t *out);

/* What several reviewers reported of one tree. A reviewer's own findings are different ones. */
struct identity_reports {
    const struct finding *const *items;
    const uint32_t *voters; /* voters[i]: who reported items[i] */
    uint32_t count;
    struct identity_words **const *words; /* slots; NULL: none */
};

/* out: for each the lowest index in its group. Nothing but the indices depends on the order. */
void identity_group(const struct identity_reports *reports, uint32_t *out);

#endif
