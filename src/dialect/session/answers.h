/* SPDX-License-Identifier: Apache-2.0
 *
 * answers.h - the three texts that agents of the session dialect must answer with: a plan,
 * a report of what was done, a review.
 *
 * A reader gives the parts of a text and everything that is wrong with it. `hone check` shows the
 * problems; the judge makes a correction of them. Both use the same reader, so what passes the
 * check is what a run accepts. A text with a problem is not accepted: nothing is guessed.
 *
 * Whose words count. Headings count at the left margin only, and only the writer's own: not in code
 * fences, HTML comments, quotes or lists. So nothing that is quoted can be a verdict, a section or
 * a claim. A fence or comment that is never closed is a problem, since it hides what follows.
 *
 * What is forgiven: a byte order mark, CRLF, blanks at the ends of lines, empty lines and lines
 * across the page (---), words before the first heading (they are not read), sub-headings of level
 * 4 and deeper inside a section, one code fence (```md, ```markdown or bare) around the whole
 * answer, `VERDICT` in any case, any mark of a list item (- * + 1.) before a label or path, `None`
 * in any case and with a final point where executors write it. Bytes that are no UTF-8 are mended.
 */
#ifndef HONE_DIALECT_SESSION_ANSWERS_H
#define HONE_DIALECT_SESSION_ANSWERS_H

#include "base/arena.h"
#include "base/str.h"
#include "dialect/check.h"
#include "dialect/outline.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- what all three have in common ---- */

enum session_form {
    SESSION_FORM_PLAN,        /* executor, planning */
    SESSION_FORM_EXEC,        /* executor, everywhere else */
    SESSION_FORM_PLAN_REVIEW, /* reviewer, planning */
    SESSION_FORM_CODE_REVIEW, /* reviewers everywhere else: what is about code has a place */
    SESSION_FORM_COUNT
};

/* What to tell the agent that is asked again: what is wrong, where, and the exact form. In arena.
 * report must have a problem. */
struct str session_correction(enum session_form form, const struct check_report *report,
                              struct arena *arena);

/* All texts below are valid UTF-8; they are views of the answer, or live in the arena of the
 * reading. Lines count from 1. */

/* A file that an executor names, as it stands in the backticks. */
struct named_file {
    struct str path;
    struct str what; /* the words behind it on the same line, without the dash; may be empty */
    uint32_t line;
};

struct named_files {
    struct named_file *items;
    uint32_t count, cap;
};

/* ---- a plan ---- */

struct session_plan_text {
    struct str title;
    struct str text; /* all of it, from its first heading on, trimmed: the plan as it is kept */
    struct named_files files; /* that it means to touch */
};

/* Each reader adds what is wrong to report, which must be empty, and is true where nothing is. In
 * the other case *out holds what could be read, for messages only. */
bool session_plan_text_read(struct str answer, struct arena *arena, struct check_report *report,
                            struct session_plan_text *out);

/* ---- a report of what was done ---- */

enum session_exec_section {
    EXEC_CHANGES_MADE,
    EXEC_FILES,
    EXEC_DEVIATIONS,
    EXEC_NOTES,
    EXEC_SECTION_COUNT
};

struct session_exec_text {
    struct str title;
    struct str text; /* all of it, from its first heading on, trimmed */
    uint32_t lines[EXEC_SECTION_COUNT]; /* of the headings of its sections; 0: there is none */
    struct named_files files; /* claimed; plain paths from the top of the repository, no `..` */
    bool noop_changes; /* Changes Made states that no code changes were required */
    bool noop_files;   /* Files is `None` */
    bool noop_notes;   /* Notes for Reviewer says that it is a no-op round */
    bool is_noop;      /* all three; where the text is valid: any of them */
};

/* workspace: the absolute path of the tree that the executor was to work in, to tell a path inside
 * it from one in another checkout; NULL: not known. */
bool session_exec_text_read(struct str answer, const char *workspace, struct arena *arena,
                            struct check_report *report, struct session_exec_text *out);

/* ---- a review ---- */

enum session_verdict {
    SESSION_VERDICT_NONE, /* missing, or not one of the two */
    SESSION_APPROVE,
    SESSION_REQUEST_CHANGES,
    SESSION_VERDICT_COUNT
};

/* One issue of a review. */
struct session_issue {
    bool critical;          /* [CRITICAL]; else [MINOR] */
    struct str description; /* without label and tail ("- must be resolved before proceeding") */
    struct str text;        /* all its lines as written, label included, trimmed */
    struct str file;        /* of its `File:` line, else the first path in its words, one in
                             * backticks before others; may be empty */
    uint32_t file_line;     /* the line in that file; 0: not said */
    bool anchored;          /* it says where it is: file, or a path in code or a quote of its own */
    uint32_t line;          /* of the review, where the issue begins */
};

struct session_review_text {
    enum session_verdict verdict;
    uint32_t verdict_line;
    struct str text; /* all of it, from its first heading on, trimmed */
    struct session_issue *issues;
    uint32_t issue_count, issue_cap;
    uint32_t critical_count;
};

/* Of a review of code (SESSION_FORM_CODE_REVIEW): a CRITICAL that speaks of concrete code has an
 * anchor, a path in any usual form. {0}: the files that the run changed are not known. */
struct anchor_rule {
    const struct str *changed; /* paths whose names alone are anchors, too */
    uint32_t changed_count;
};

/* anchors: NULL where none is needed (SESSION_FORM_PLAN_REVIEW). */
bool session_review_text_read(struct str answer, const struct anchor_rule *anchors,
                              struct arena *arena, struct check_report *report,
                              struct session_review_text *out);

/* Its issues as the findings of a result, reported by the role. */
struct result;
void session_review_findings(const struct session_review_text *review, const char *role,
                             struct arena *arena, struct result *out);

/* Rows of dialect/checks.c: the same readers, without what only a run knows (which files were
 * changed, and where its workspace is). */
void check_executor_plan(struct str content, struct check_report *report);
void check_executor_exec(struct str content, struct check_report *report);
void check_plan_review(struct str content, struct check_report *report);
void check_code_review(struct str content, struct check_report *report);

/* ---- what words name and say: words.c ---- */

/* The beginning of an agent's words, as a message shows them. */
struct str words_shown(struct str words);

/* How the list of files is read. */
struct files_rule {
    bool concrete;         /* claims: each must be one plain path of a file in the repository */
    const char *workspace; /* absolute, or NULL */
};

/* Reads the items of a list. *none_line is where it says `None`; 0: nowhere. */
void named_files_read(const struct outline_heading *section, const struct files_rule *rule,
                      struct arena *arena, struct check_report *report, struct named_files *out,
                      uint32_t *none_line);

/* Cuts `...` off the front, in any number of ticks; false: it is not there. */
bool cut_ticks(struct str *rest, struct str *inside);
/* A place in a line of text: `src/a.c:12`, "`src/a.c`, around line 12", "src/a.c". The file is
 * empty where nothing like a path begins the text. */
void place_read(struct str text, struct str *file, uint32_t *line);
/* The first thing in backticks that can be a path; false: there is none. */
bool place_find(struct str text, struct str *file, uint32_t *line);
/* The same of what stands there bare, quoted or in brackets: src/a.c:12, (a.c), "a.c", Makefile. */
bool place_find_bare(struct str text, struct str *file, uint32_t *line);
/* Whether a name stands in the text as a word of its own. */
bool place_names(struct str text, struct str name);

/* Whether one of these phrases stands in the text, in any case; NULL ends them. A phrase that ends
 * in * is the beginning of a word; one blank in it is any space. */
bool says_one_of(struct str text, const char *const *phrases);
/* Whether an issue speaks of concrete code, and not of something missing, the plan, the workspace
 * or the whole. */
bool says_place_is_needed(struct str words);
/* Whether one of its sentences is "No code changes were required for this round", the last three
 * words said or not; is "No-op round". */
bool says_no_changes(struct str body);
bool says_noop(struct str body);
/* A line that tells of work in another worktree or checkout; 0: none. The number of the line before
 * the first is line_before. */
uint32_t says_elsewhere(struct str body, uint32_t line_before, const char *workspace);

#endif
