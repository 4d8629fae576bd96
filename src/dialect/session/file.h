/* SPDX-License-Identifier: Apache-2.0
 *
 * file.h - the session file of dialect session, .review-loop/sessions/{uuid}.md: one
 * Markdown file that other tools read and continue.
 *
 * A file is its sections in order. What is read is kept as text and looked at when asked for; what
 * is set is written anew, and nothing else changes:
 *
 *     session_file_read(&file, text, &err);          or session_file_init(&file) for a new one
 *     session_file_set(&file, SESSION_PROBLEM, task);
 *     session_file_set_plan(&file, &plan);
 *     session_file_add_round(&file, &round);
 *     session_file_set_metadata(&file, &metadata);
 *     session_file_complete(&file);                  what every file must have is there
 *     session_file_write(&file, &out);
 *
 * A file that was read and not changed is written byte for byte. Sections, entries, lines and
 * metadata of others stay where they stood. Values that come out live as long as the file. */
#ifndef HONE_DIALECT_SESSION_FILE_H
#define HONE_DIALECT_SESSION_FILE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "format/text/words.h"

#include <stdbool.h>
#include <stdint.h>

enum { SESSION_FILE_BYTES_MAX = 64 << 20 };

/* The sections that have a meaning, in the order of a file. */
enum session_section {
    SESSION_PROBLEM,
    SESSION_CONTEXT,
    SESSION_HISTORICAL, /* supplemental: Historical Context */
    SESSION_PREVIOUS,   /* supplemental: Previous Session Context */
    SESSION_CRITERIA,
    SESSION_PHASE,
    SESSION_PLAN,
    SESSION_DRAFT,      /* supplemental: only while planning */
    SESSION_TARGET,     /* supplemental: only for a review of what is there */
    SESSION_HISTORY,
    SESSION_CHANGED,
    SESSION_RELATED,
    SESSION_TIMING,
    SESSION_METADATA,
    SESSION_SECTION_COUNT
};

const char *session_section_title(enum session_section section); /* "Problem Description" */

struct session_part; /* one section as it will be written */
struct session_file {
    struct arena arena; /* holds everything */
    struct str preamble;
    struct session_part **parts;
    uint32_t count, cap;
    uint32_t open_line; /* a fence or comment that begins there was never closed; 0: none */
};

void session_file_init(struct session_file *file); /* a new one, without a section */
/* Copies the text. ERR_LIMIT: it is too large. A file with other faults is read as far as it goes;
 * session_file_check() says what is wrong with it. */
int session_file_read(struct session_file *file, struct str text, struct err *err);
void session_file_write(const struct session_file *file, struct buf *out);
void session_file_release(struct session_file *file);
/* A value that is to live as long as the file. */
struct str session_file_keep(struct session_file *file, struct str text);

/* The body, without blank lines around it. Empty where it is empty or not there. */
struct str session_file_text(const struct session_file *file, enum session_section section);
bool session_file_has(const struct session_file *file, enum session_section section);
uint32_t session_file_line(const struct session_file *file, enum session_section section);
/* Sets the body, and puts the section at its place where it is not there. The text becomes one
 * that can stand there (markdown_normal: headings lowered to ### and below). */
void session_file_set(struct session_file *file, enum session_section section, struct str text);
void session_file_remove(struct session_file *file, enum session_section section);
/* Puts in every canonical section that is missing, as it is when it is empty, and moves Session
 * Metadata to the end. */
void session_file_complete(struct session_file *file);

/* --- Current Phase --- */

enum session_phase { SESSION_NO_PHASE, SESSION_PLANNING, SESSION_EXECUTION, SESSION_PHASE_COUNT };

enum session_phase session_file_phase(const struct session_file *file); /* NO_PHASE: another word */
void session_file_set_phase(struct session_file *file, enum session_phase phase);

/* --- Approved Plan, Draft Plan --- */

enum session_source { SOURCE_NONE, SOURCE_APPROVED, SOURCE_USER, SOURCE_REVIEW_ONLY,
                      SOURCE_COUNT };

const char *session_source_word(enum session_source source); /* "reviewer-approved"; NONE: "" */
bool session_source_from_word(struct str word, enum session_source *out);

struct session_plan {
    enum session_source source; /* NONE: no plan was approved, or the file says no (known) source */
    struct str body; /* with its headings raised again; empty with SOURCE_REVIEW_ONLY */
};

void session_file_plan(struct session_file *file, struct session_plan *out);
/* SOURCE_NONE empties the section. SOURCE_REVIEW_ONLY writes the two fixed lines. The highest
 * heading of a plan becomes `## `: it is written as `### ` and read as `## `. */
void session_file_set_plan(struct session_file *file, const struct session_plan *plan);

/* The draft that waits for approval; its headings as those of a plan. Empty where there is none;
 * setting an empty one removes the section. */
struct str session_file_draft(struct session_file *file);
void session_file_set_draft(struct session_file *file, struct str plan);

/* --- Review History --- */

enum session_stage { STAGE_PLANNING, STAGE_EXECUTION, STAGE_POLISH, STAGE_DOCS, STAGE_SECURITY,
                     STAGE_OTHER, STAGE_COUNT };

/* The phase of a run that the stage is, and how headings name it: "planning", "Planning". */
const char *session_stage_phase(enum session_stage stage);
const char *session_stage_title(enum session_stage stage);
/* STAGE_OTHER: that phase is none. */
enum session_stage session_stage_of(const char *phase);

/* "- key: value" with "  - item" lines below it. Items may have several lines. */
struct session_bullet {
    struct str key, value;
    const struct str *items;
    uint32_t item_count;
};

/* The keys that other tools know. */
#define ROUND_EXECUTOR_BACKEND "Executor backend"
#define ROUND_EXECUTOR_RESULT "Executor result"
#define ROUND_REVIEWER_BACKEND "Reviewer backend"
#define ROUND_FALLBACK_USED "Reviewer fallback used"
#define ROUND_VERDICT "Reviewer verdict"
#define ROUND_ISSUES "Reviewer issues" /* items as in a review, "None." where there is none */
#define ROUND_OUTCOME "Outcome"
#define ROUND_EXECUTOR_SKIPPED "skipped (review-only first round)" /* as executor backend */

struct session_round {
    enum session_stage stage;
    uint32_t number;  /* from 1; 0: the heading has none */
    struct str note;  /* what else the heading says: "review-only" */
    const struct session_bullet *bullets;
    uint32_t bullet_count;
    struct str raw;   /* of an entry that was read: all its lines */
};

/* Every entry, in order; *count of them. */
const struct session_round *session_file_rounds(struct session_file *file, uint32_t *count);
/* Adds an entry at the end: its heading and its bullets, values and items made safe. */
void session_file_add_round(struct session_file *file, const struct session_round *round);
/* The bullet with that key, in any case; NULL: none. */
const struct session_bullet *session_round_bullet(const struct session_round *round,
                                                  const char *key);

/* One of the items of ROUND_ISSUES. */
struct session_entry_issue {
    bool critical;    /* [CRITICAL]; false: [MINOR], or another word */
    struct str text;  /* without the word and the File: line */
    struct str file;  /* "" where it names none */
    uint32_t line;    /* 0 where it names none */
};

/* False: the item says that there is none ("None."), or is empty. */
bool session_entry_issue_read(struct str item, struct session_entry_issue *out);
/* The item that says so; lives in arena. */
struct str session_entry_issue_write(const struct session_entry_issue *issue, struct arena *arena);

/* --- Files Changed, Key Related Files --- */

struct session_path {
    struct str path, note; /* "- `path` - note" */
};

/* Every bullet that names a path, in backticks or as its first word. */
const struct session_path *session_file_paths(struct session_file *file,
                                              enum session_section section, uint32_t *count);
/* With none: "None." */
void session_file_set_paths(struct session_file *file, enum session_section section,
                            const struct session_path *paths, uint32_t count);

/* --- Timing Log --- */

struct session_time {
    struct str phase, round, role, duration; /* cells as they are shown */
};

/* A row behind the last one; a bullet where the log is a list of bullets. */
void session_file_add_time(struct session_file *file, const struct session_time *time);

/* --- Session Metadata --- */

/* What a path was: the id of a blob. */
#define DIRTY_DELETED "<deleted>"
struct session_dirty {
    struct str path, blob; /* blob may be DIRTY_DELETED */
};

/* A path that is not UTF-8 is written with U+FFFD for each bad byte and cannot be read back. */
struct session_dirty_map {
    bool known; /* the file has it; an empty map is known, too */
    const struct session_dirty *items;
    uint32_t count;
};

/* Bits of completed_stages, 1 << these, in their order. */
enum session_mint { MINT_EXEC, MINT_POLISH, MINT_DOCS, MINT_SECURITY, MINT_COUNT };
enum { MINT_ALL = (1 << MINT_COUNT) - 1 };

/* A text that is empty is not in the file, and is not written. */
struct session_metadata {
    struct str session_origin, orchestrator_backend, executor_backend, reviewer_backend;
    struct str reviewer_fallback_used; /* "true" or "false" */
    struct str entry_point;            /* plan, execute-from-plan, review-only, review-loop ... */
    enum session_source plan_source;
    struct str base_head;
    struct session_dirty_map base_dirty;
    struct str last_verified_head;
    struct session_dirty_map last_verified_dirty;
    const struct str *session_commits;
    uint32_t session_commit_count;
    bool commits_known, stages_known; /* the file has the key; written where set, also if empty */
    uint32_t completed_stages;        /* bits */
    bool blocked_known;
    struct str delivery_blocked_by;   /* a stage or "user-abort"; empty: null */
};

void session_file_metadata(struct session_file *file, struct session_metadata *out);
/* Rewrites the keys above, in their order; what else the section holds stays. */
void session_file_set_metadata(struct session_file *file, const struct session_metadata *metadata);

/* --- judged --- */

struct check_report;
/* Adds everything that is wrong with the file; lines are those of the text that was read. */
void session_file_check(struct session_file *file, struct check_report *report);

/* The check kind `session`. */
void check_session_file(struct str content, struct check_report *report);

/* --- for the files of this room that read and write single sections --- */

#define SESSION_TIMING_HEAD "| Phase | Round | Role | Duration |\n|---|---|---|---|"

struct session_part {
    enum session_section section; /* SESSION_SECTION_COUNT: none that we know */
    struct str title;
    struct str text;   /* with its heading */
    size_t head_bytes; /* of the heading's line */
    uint32_t line;     /* of the heading, in the text that was read; 0: it was put in */
    bool own;          /* set since the file was read */
};

struct session_part *session_part_find(const struct session_file *file,
                                       enum session_section section);
struct str session_part_body(const struct session_part *part);
/* body: as it is to be written, without blank lines around it. Puts the section in where it is
 * missing; the same body changes nothing. */
void session_part_set(struct session_file *file, enum session_section section, struct str body);

struct str session_unmarked(struct str text); /* without blanks, quotes, ` and * around it */
/* One line without control characters; lives in the file's arena. */
struct str session_one_line(struct session_file *file, struct str text);

/* What is said behind a path or a number, without the dash or colon that sets it off. */
struct str session_note(struct str text);

/* A walk over lines with their indentation. { .rest = text } begins one. */
struct session_lines {
    struct str rest;
    struct str raw;    /* the line, without its line end */
    struct str text;   /* without blanks around it */
    uint32_t indent;   /* columns; a tab counts as four */
    uint32_t number;   /* from 1 */
};

/* The word that Approved Plan says as its source; data NULL: it says none. */
struct str session_plan_source(const struct session_file *file);

bool session_lines_next(struct session_lines *lines);
/* Whether a line is "- text" or "* text"; the text. */
bool session_is_bullet(struct str line, struct str *text);

/* Adds what is wrong with the metadata. */
void session_metadata_check(struct session_file *file, struct check_report *report);

/* --- the lock: {uuid}.lock beside the file --- */

struct session_lock {
    uint64_t pid;           /* 0: it says none */
    struct str started_at;  /* 2026-11-15T08:40:00Z */
    struct str entry_point;
    struct str stop_after;  /* empty: none was asked for */
};

/* One JSON object with a line end. */
void session_lock_write(const struct session_lock *lock, struct buf *out);
/* JSON, or `key: value` lines; texts live in arena. ERR_FORMAT: it says no process id. */
int session_lock_read(struct str text, struct arena *arena, struct session_lock *out,
                      struct err *err);

#endif
