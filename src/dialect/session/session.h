/* SPDX-License-Identifier: Apache-2.0
 *
 * session.h - what the session dialect's own files share.
 *
 * A round of the engine is one entry of the session file's Review History: what the executor did
 * since the entry before, one review of it, and what came of it.
 *
 * Room: a work item from plan to delivery, in one Markdown file that other tools can continue. */
#ifndef HONE_DIALECT_SESSION_SESSION_H
#define HONE_DIALECT_SESSION_SESSION_H

#include "dialect/dialect.h"

#define SESSION_FOLDER ".review-loop/sessions"
#define ROUND_DECISION "User decision"     /* keys of Review History beside those that other ... */
#define ROUND_REJECTED "Executor rejected" /* ... tools know (file.h) */
#define ROUND_FAILURE "Reviewer failure"
#define ROUND_NOT_TAKEN "Rejected review" /* a review that broke its form, in its own words */
#define SESSION_PLAN_FILE "--plan" /* the name under which a run keeps the file of that option */

enum session_role {
    SESSION_NOBODY = ROLE_NONE,
    SESSION_PLANNER,  /* the executor while it plans: it writes nothing */
    SESSION_EXECUTOR, /* the same by name, at work */
    SESSION_REVIEWER,
    SESSION_POLISHER,
    SESSION_DOCUMENTER,
    SESSION_GUARD, /* the reviewer of security */
    SESSION_SCAN,  /* hone itself, looking for secrets */
    SESSION_SKIP,  /* hone itself, in place of a polish that is switched off */
    SESSION_DELIVER,
    SESSION_ROLE_COUNT
};

const char *session_role_name(uint16_t role);
/* The four that answer in the form of a review; not the scan. */
bool session_is_reviewer(uint16_t role);
bool session_is_executor(uint16_t role);

/* --- the plan: plan.c --- */

/* How the settings say that a session begins. */
enum session_opening {
    OPEN_FRESH,       /* with a plan to be made */
    OPEN_PLANNED,     /* --plan */
    OPEN_REVIEW_ONLY, /* --review-only */
    OPEN_CONTINUED,   /* --session */
};

enum session_opening session_opening_of(const struct settings *settings);
int session_make_plan(const struct settings *settings, struct arena *arena, struct plan *out,
                      struct err *err);
/* Whether this is the phase with that name; planning, execution, polish, docs, security. */
bool session_phase_is(const struct plan *plan, uint32_t phase, const char *name);
bool session_has_planning(const struct plan *plan);
/* The session's name: of --session, else the run's. */
const char *session_uuid(const struct run_view *run);
const char *session_path(const char *uuid, const char *end, struct arena *arena);
/* The text of the session file that is continued; empty where none is. */
struct str session_continued(const struct settings *settings);

/* --- documents: story.c --- */

/* A file that an agent names, and what it says about it. */
struct session_claim {
    struct str path, what;
};

/* What is kept of an answer, or of the beginning. Texts are borrowed or live in an arena. */
struct session_doc {
    bool restored;      /* out of a session file: what is in that file already */
    uint32_t entries;   /* of a beginning: how many entries of the diary were restored */
    struct str title;   /* of a plan or a report */
    struct str answer;  /* the text itself; of a restored one what is known of it */
    bool approved;      /* of a review */
    const struct finding *issues; /* of a review, in its order */
    uint32_t issue_count;
    bool noop;          /* of a report: nothing was to be done */
    const struct session_claim *claims; /* of a report; of a plan: the files that it names */
    uint32_t claim_count;
    bool has_tree;      /* the tree as it was then: */
    struct str head;
    const struct tree_file *delta;
    uint32_t delta_count;
    const struct tree_file *dirty;
    uint32_t dirty_count;
};

struct str session_doc_write(const struct session_doc *doc, struct arena *arena);
/* False: the text is no such document; *out is empty then. */
bool session_doc_read(struct str text, struct arena *arena, struct session_doc *out);
bool session_doc_claims(const struct session_doc *doc, struct str path);

/* --- the story so far: story.c --- */

/* One thing that happened, with its document. */
struct session_step {
    const struct diary_entry *entry;
    struct session_doc doc; /* of an answer; of a review that was not taken its text alone */
};

/* One round: from the executor's work to the verdict and what the user said to it. */
struct session_turn {
    uint32_t phase;  /* whose gate it is */
    uint32_t number;
    bool reviewed;   /* a reviewer was asked */
    bool restored;   /* all of it is in the session file already */
    bool continued;  /* and so is its beginning */
    struct session_step *steps;
    uint32_t count, cap;
};

struct session_story {
    struct session_doc start;
    struct session_turn *turns;
    uint32_t count, cap;
    bool fresh;        /* something happened that is not in the continued file yet */
    uint64_t agents_ms; /* how long agents were at work, all in all */
    uint32_t answers, misses;
};

/* Everything lives in arena; entries are borrowed from the engine. */
void session_story_read(const struct engine *engine, struct arena *arena,
                        struct session_story *out);
/* The newest answer of an executor in that part of the run; NULL: none yet. */
const struct session_step *session_last_executor(const struct session_story *story,
                                                 bool planning);
/* The newest document that knows the tree; NULL: none. */
const struct session_doc *session_last_tree(const struct session_story *story);
/* Whether the turn was reviewed to its end, with which verdict. */
bool session_turn_verdict(const struct session_turn *turn, bool *approved);
/* What the user said to it; NULL: nothing. */
const struct diary_entry *session_turn_choice(const struct session_turn *turn);
/* What the rounds behind one say about an issue of it. The ledger (core/ledger.h) says what is open
 * now; a session file and its prompts tell it round by round, also of rounds that another tool
 * wrote, so this is read from the story. */
struct session_fate {
    const struct session_turn *later; /* the newest review of the same phase; NULL: none yet */
    bool again;                       /* that review reports it, too */
    bool comes_back;                  /* some round behind it does, of whichever phase */
};

/* at: the index of the issue's round. Issues are told apart by their fingerprints. */
struct session_fate session_issue_fate(const struct session_story *story, uint32_t at,
                                       uint64_t fingerprint);
/* Whether the step is an answer of a reviewer, the scan among them. */
bool session_step_is_review(const struct session_step *step);
/* "execution" as a heading has it: "Execution". */
const char *session_phase_title(const struct plan *plan, uint32_t phase);
/* Why an attempt of a reviewer was no review, in the protocol's words: "command execution". */
const char *session_miss_class(const struct diary_entry *entry);

/* --- lists of files: record.c --- */

/* A copy in the order of the paths, and a file in such a copy; NULL: it is not there. */
const struct tree_file *session_files_sorted(const struct tree_file *files, uint32_t count,
                                             struct arena *arena);
const struct tree_file *session_files_find(const struct tree_file *files, uint32_t count,
                                           struct str path);

/* Files that differ from HEAD as the metadata of a session file has them. */
const struct session_dirty *session_dirty_of(const struct tree_file *files, uint32_t count,
                                             struct arena *arena);

/* --- the work item: work_item.c --- */

struct work_item {
    struct str title;    /* one line */
    struct str problem, context, criteria;
};

/* Views of the task, by the labels in it; all but the title may be empty. */
void work_item_read(struct str task, struct work_item *out);

/* --- the dialect --- */

void session_prompt(const struct run_view *run, const struct prompt_request *request,
                    struct buf *out);
void session_judge(const struct run_view *run, const struct action *action, struct str answer,
                   struct arena *arena, struct result *out);
void session_found(const struct run_view *run, const struct action *action,
                   const struct found *found, struct arena *arena, struct result *out);
int session_start(const struct run_view *run, struct arena *arena, struct result *out,
                  struct err *err);
void session_record(const struct run_view *run, struct contract *out);
/* Review History as the session file has it now; added to out. */
void session_history(const struct run_view *run, struct buf *out);
/* The plan that was approved, with its Source; empty: none. */
struct str session_approved_plan(const struct run_view *run, const struct session_story *story,
                                 const char **source, struct arena *arena);
int session_restore(const struct contract *files, const struct settings *settings, bool ours,
                    struct restored *out, struct err *err);
/* What of run->tree is not as the continued session file left it, in one line; NULL: nothing. */
const char *session_drifted(const struct run_view *run, const char **note, struct arena *arena);
/* Whether the run continues a file that says nothing of its tree, and before anything was done. */
bool session_lacks_baseline(const struct run_view *run);
void session_conclude(const struct run_view *run, struct buf *out);
bool session_asked_once(const char *backend, const char *role);

#endif
