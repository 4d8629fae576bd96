/* SPDX-License-Identifier: Apache-2.0
 *
 * story.h - a run told: what it was for, how it ended, its rounds, every attempt, and what became
 * of each finding. Plain data for pages that show a run; run/story.c fills it from the journal and
 * from what was kept beside it.
 *
 *   struct listing (the findings that were chosen)      struct story (the run they are of)
 *     items[i]->order  ------ story_fate() ---------->    fates[]: states by round, fix, source
 *                                                         rounds[] <--- attempts[].round_at
 *                                                         diffs[]  <--- rounds[].diff, fates[].diff
 *
 * 1. Texts of agents and files are as they are, but for secrets, which are masked: a writer escapes
 *    them.
 * 2. Nothing here depends on when it is read, unless the run is at work.
 * 3. What is not known is said: a diff that is not there has a reason. */
#ifndef HONE_FORMAT_REPORT_STORY_H
#define HONE_FORMAT_REPORT_STORY_H

#include "base/buf.h"
#include "core/budget.h"
#include "core/event.h"
#include "core/ledger.h"

enum { STORY_NONE = UINT32_MAX };

/* What kind of end it is, for the eye; words say which. */
enum story_tone { STORY_GOOD, STORY_LEFT, STORY_BAD, STORY_AT_WORK };

/* One review of a gate, and the repair that followed. */
struct story_round {
    uint32_t lane, iteration, number;
    const char *phase;         /* the dialect's own name */
    uint64_t started_ms, ended_ms, repaired_ms; /* 0: not yet, or not at all */
    enum verdict verdict;      /* once ended */
    uint32_t finding_count;    /* that the review reported */
    bool untouched;            /* its repair left the tree as it was */
    bool counted;              /* the four below are known: faults of the whole run, after it */
    uint32_t open_change, open_fix; /* open, by what brought them: the change, or a fix */
    uint32_t fixed, set_aside; /* set aside: noted or waived */
    uint32_t diff;             /* what its repair changed; STORY_NONE: nothing followed */
};

/* One start of one agent. */
struct story_attempt {
    const char *role, *phase;
    const char *by;            /* the backend; "" where it is not known */
    struct str model;          /* empty where it is not told */
    const char *effort;        /* NULL: not told */
    uint32_t job, attempt, lane, iteration, round;
    uint32_t round_at;         /* in rounds[]; STORY_NONE: it is of none */
    enum purpose purpose;
    bool recheck, judges, builtin, may_cost;
    uint64_t asked_ms;         /* when it was wanted ... */
    uint64_t started_ms;       /* ... and could begin: in between it waited */
    uint64_t ended_ms;         /* 0: it has not ended, or died with its run */
    enum verdict verdict;      /* this and all below: once ended */
    enum failure failure;
    uint32_t finding_count, doubt_count;
    bool unchanged;
    enum proof_kind proof;
    struct usage usage;
    struct str problem;        /* empty where there is none */
    const struct str *files;   /* that it read, as far as it tells */
    uint32_t file_count;
    bool files_cut;            /* it read more than are listed */
};

/* Something that happened to the whole run, between attempts. */
enum story_mark_kind {
    STORY_STOPPED,  /* a person stopped it */
    STORY_RESUMED,
    STORY_ANSWERED, /* a person answered its question */
    STORY_DRIFTED,  /* the tree was changed from outside */
    STORY_SPENT,    /* the time of its budget was over */
    STORY_MARK_COUNT
};

struct story_mark {
    enum story_mark_kind kind;
    uint64_t at_ms;
    enum choice choice; /* of STORY_ANSWERED */
    uint32_t lane;      /* of STORY_ANSWERED and STORY_DRIFTED */
};

/* What changed from the tree of one review to that of another. */
struct story_diff {
    uint32_t from, to;  /* in rounds[] */
    struct str text;    /* as git shows it; empty: nothing changed, or why says */
    const char *why;    /* why it cannot be shown; NULL: it is all there */
};

/* A finding's state from a round on. */
struct story_change {
    uint32_t round; /* in rounds[] */
    enum finding_state state;
};

/* What became of one finding. */
struct story_fate {
    uint64_t order;     /* of its ledger entry */
    struct story_change *changes; /* the first is its first report */
    uint32_t change_count, change_cap;
    uint32_t diff;      /* that resolved it; STORY_NONE: it is not fixed */
    uint32_t line;      /* where it was when it was last reported */
    struct str source;  /* the lines around it then; empty: not known */
    uint32_t source_first; /* the number of the first of them */
};

struct story_lane {
    const char *name;   /* "main", or its task's */
    struct str task;    /* of a task's lane; may be empty */
};

struct story {
    const char *run, *dialect;
    struct str task;
    struct str repository;     /* the name of the workspace's folder */
    struct str branch, commit; /* at the first review of the main lane; empty: not known */
    struct str since;          /* the commit it was measured against; empty: none */
    const char *until;         /* the policy of its gates; "" : none */
    bool hosted;               /* by Claude Code or Codex */
    bool only_looks;           /* nothing was to be fixed */

    enum story_tone tone;
    const char *word;          /* "clean", "rounds used up", "running" */
    const char *line;          /* the same as half a sentence */
    const char *meaning;       /* and more of it */
    const char *next;          /* what the user does next; NULL: nothing */

    uint64_t created_ms, updated_ms, active_ms;
    struct usage usage;
    uint64_t calls, unproven;
    struct budget budget;      /* its limits, ... */
    struct amounts used;       /* ... and what is used of each */

    struct story_lane *lanes;  /* by lane */
    uint32_t lane_count;
    struct story_round *rounds; /* in the order they began */
    uint32_t round_count;
    uint32_t *by_end;          /* their numbers as they ended; those that have not, last */
    struct story_attempt *attempts; /* in the order they were asked for */
    uint32_t attempt_count;
    struct story_mark *marks;
    uint32_t mark_count, mark_cap;
    struct story_diff *diffs;
    uint32_t diff_count, diff_cap;
    struct story_fate *fates;  /* by order */
    uint32_t fate_count;
    uint32_t found, left;      /* faults in all, and those that are open at the end: ... */
    uint32_t left_by[SEVERITY_COUNT], states[FINDING_STATE_COUNT];
    uint32_t end_change, end_fix; /* ... the open ones by what brought them */
};

/* NULL: nothing is known of it. */
const struct story_fate *story_fate(const struct story *story, const struct ledger_entry *entry);

/* The pieces of a diff that are about one place of one file. Pure. */
struct story_hunk {
    uint32_t old_first, old_count, new_first, new_count; /* as behind "@@" */
    struct str lines; /* each with its mark (' ', '-', '+') in front */
};

/* A file of a diff. Its name is as git writes it, for story_diff_name(); of one that was made or
 * deleted the one it has or had. */
struct story_file {
    struct str name, hunks;
    bool made, deleted, binary;
};

/* The next file of a diff of git's, and its next hunk; false: there is none. */
bool story_diff_file(struct str *diff, struct story_file *out);
/* The file's path: without git's prefix, and without the quotes that it puts around some. */
void story_diff_name(struct str name, struct buf *out);
bool story_diff_hunk(struct str *hunks, struct story_hunk *out);

/* Whether a hunk is about the line: it covers it, before or after, or lies within NEAR of it. */
bool story_hunk_is_near(const struct story_hunk *hunk, uint32_t line);

/* Where a line of the old file is in the new one, behind all hunks of the file; of a line that went
 * where the first of those that came in its place stands. At least 1. */
uint32_t story_hunks_line(struct str hunks, uint32_t line);

#endif
