/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h - what the readers of session_contract.h share, and nobody else. */
#ifndef HONE_DIALECT_SESSION_PARTS_H
#define HONE_DIALECT_SESSION_PARTS_H

#include "dialect/outline.h"
#include "dialect/session/contract.h"

/* ---- sections: sections.c ---- */

struct part_name {
    const char *name;
    const char *alias; /* another name that is accepted, or NULL */
};

/* Marks a section as found. False, with a problem: it is there for the second time. */
bool part_take(const struct outline_heading *heading, const struct outline_heading **found,
                  struct check_report *report);
/* The index of the section with that name, or count. */
uint32_t part_find(struct str name, const struct part_name *names, uint32_t count);
/* The beginning of an agent's words, as a message shows them. */
struct str part_shown(struct str words);

/* What an executor writes: `## HEADING: title` and its sections, all of them, in order. */
struct executor_form {
    const char *heading;
    const struct part_name *names;
    uint32_t count;
};

/* found has a place for each section; NULL where it is missing. Adds what is wrong with headings
 * and with sections that say nothing. */
void executor_sections(const struct executor_form *form, const struct outline *outline,
                       struct check_report *report, const struct outline_heading **found,
                       struct str *title);

/* ---- files: files.c ---- */

/* How the list of files is read. */
struct files_rule {
    bool concrete;         /* claims: each must be one plain path of a file in the repository */
    const char *workspace; /* absolute, or NULL */
};

/* Reads the items of a list. *none_line is where it says `None`; 0: nowhere. */
void named_files_read(const struct outline_heading *section, const struct files_rule *rule,
                      struct arena *arena, struct check_report *report, struct named_files *out,
                      uint32_t *none_line);

/* A place in a line of text: `src/a.c:12`, "`src/a.c`, around line 12", "src/a.c". The file is
 * empty where nothing like a path begins the text. */
void place_read(struct str text, struct str *file, uint32_t *line);
/* The first thing in backticks that can be a path; false: there is none. */
bool place_find(struct str text, struct str *file, uint32_t *line);
/* The same of what stands there bare, quoted or in brackets: src/a.c:12, (a.c), "a.c", Makefile. */
bool place_find_bare(struct str text, struct str *file, uint32_t *line);
/* Whether a name stands in the text as a word of its own. */
bool place_names(struct str text, struct str name);

/* ---- words: words.c ---- */

/* Whether one of these phrases stands in the text, in any case; NULL ends them. A phrase that ends
 * in * is the beginning of a word; one blank in it is any space. */
bool says_one_of(struct str text, const char *const *phrases);
/* Whether an issue speaks of concrete code, and not of something missing, the plan, the workspace
 * or the whole. */
bool says_place_is_needed(struct str words);
/* Whether one of its sentences is "No code changes were required for this round", or is "No-op
 * round", or one of the variants of these that words.c lists. */
bool says_no_changes(struct str body);
bool says_noop(struct str body);
/* A line that tells of work in another worktree or checkout; 0: none. The number of the line before
 * the first is line_before. */
uint32_t says_elsewhere(struct str body, uint32_t line_before, const char *workspace);

#endif
