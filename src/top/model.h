/* SPDX-License-Identifier: Apache-2.0
 *
 * model.h - what `hone top` knows, and what a person has chosen to see of it: plain data.
 *
 * Texts are borrowed, from an arena that lives until the model is filled again. They are as agents
 * and files have them: the pen makes them harmless. */
#ifndef HONE_TOP_MODEL_H
#define HONE_TOP_MODEL_H

#include "base/buf.h"
#include "core/event.h"
#include "view/view_render.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TOP_RUNS_MAX = 1000,     /* the newest, of all repositories; those at work are among them */
    TOP_ATTEMPTS_MAX = 2000, /* of a run: the newest */
    TOP_ROUNDS_MAX = 200,
    TOP_FINDINGS_MAX = 200,
    TOP_WORD_BYTES_MAX = 200, /* of what is typed */
};

/* How a run stands: the order in which they are shown. */
enum top_standing { TOP_RUNNING, TOP_WAITING, TOP_CRASHED, TOP_ENDED, TOP_STANDING_COUNT };

struct top_run {
    uint32_t repository;
    const char *folder;      /* its repository's name; NULL where there is only one */
    const char *id, *dialect, *task;
    enum top_standing standing;
    const char *state;       /* running, or the word of its end */
    enum style style;        /* of that word */
    bool over;               /* it cannot be resumed */
    bool known;              /* what follows is */
    const char *phase;       /* NULL: not known, or it has ended */
    uint32_t round, round_max; /* 0: none */
    uint32_t found, fixed, left;
    uint64_t cost_micros;    /* 0: none was told */
    uint64_t took_ms, created_ms;
    bool has_budget;
    uint32_t budget;         /* of the part that is used up most, in thousandths */
};

/* A lane of a run whose plan fans. */
struct top_lane {
    const char *name, *state, *phase;
    enum style style;
};

struct top_attempt {
    struct view_row row;
    const char *name;        /* "3-1" */
    const char *phase, *task, *problem;
    uint64_t started_ms;
};

struct top_round {
    uint32_t lane, round, found, fixed, open;
    const char *phase;       /* with the lane's task, where it is a lane's */
    uint64_t took_ms;        /* 0: it is going on */
    bool clean, ended, repaired;
};

struct top_finding {
    const char *severity, *place, *text, *role, *state;
    enum style style;
};

/* A limit of the budget. */
struct top_limit {
    const char *words;       /* "$0.42 of $5.00 spent, $4.58 left" */
    uint32_t used;           /* in thousandths, 1000 at most */
};

enum { TOP_LIMITS_MAX = 4 };

/* What may be answered. */
struct top_choice {
    const char *word, *meaning;
};

/* The run that is looked at. Lists: at work first, then the newest first. */
struct top_detail {
    struct top_run run;
    const char *stands;      /* half a sentence: where it stands, and the way on */
    const char *spent;       /* "$0.42, 12,500 tokens, 3m 2s, 8 calls" */
    const char *problem;     /* why it cannot be read; NULL: it can */
    struct top_limit limits[TOP_LIMITS_MAX];
    uint32_t limit_count;
    struct top_lane *lanes;
    uint32_t lane_count;
    struct top_attempt *attempts;
    uint32_t attempt_count;
    struct top_round *rounds;
    uint32_t round_count;
    struct top_finding *findings;
    uint32_t finding_count;
    const char *question;    /* NULL: it asks nothing */
    struct top_choice choices[CHOICE_COUNT];
    uint32_t choice_count;
};

struct top_text {
    struct str text;
    enum style style;
};

/* The attempt that is looked at: what it has said. */
struct top_transcript {
    struct top_attempt attempt;
    const struct top_text *lines;
    uint32_t line_count;
    bool cut;                /* there was more before the first line */
};

struct top_model {
    const char *where;       /* the repository, or how many there are */
    bool read_only;
    struct top_run *runs;    /* in their order */
    uint32_t run_count;
    struct top_detail detail;         /* of TOP_RUN and TOP_ATTEMPT */
    struct top_transcript transcript; /* of TOP_ATTEMPT */
};

/* ---- what a person has chosen ---- */

enum top_page { TOP_RUNS, TOP_RUN, TOP_ATTEMPT, TOP_PAGE_COUNT };
/* What of the runs is shown. */
enum top_filter { TOP_ALL, TOP_AT_WORK, TOP_ASKING, TOP_LEFT, TOP_FILTER_COUNT };
/* What the last line of the screen is for. */
enum top_prompt { TOP_NO_PROMPT, TOP_SEARCH, TOP_CHOOSE, TOP_CONFIRM };
/* The verbs that a key runs. */
enum top_act { TOP_NO_ACT, TOP_STOP, TOP_RESUME, TOP_ANSWER };

enum { TOP_ID_BYTES = 64 };

/* A list with a marked row, of which a window is shown. */
struct top_list {
    uint32_t at, first;
};

struct top_state {
    enum top_page page;
    enum top_filter filter;
    struct top_list lists[TOP_PAGE_COUNT];
    bool ends[TOP_PAGE_COUNT]; /* TOP_ATTEMPT: the newest line is shown */
    char run[TOP_ID_BYTES];    /* what is looked at, and marked in the list before */
    uint32_t repository;
    char attempt[TOP_ID_BYTES];
    char word[TOP_PAGE_COUNT][TOP_WORD_BYTES_MAX]; /* only what holds it is shown; "": all */
    enum top_prompt prompt;
    enum top_act act;          /* TOP_CHOOSE, TOP_CONFIRM: what it is about ... */
    uint32_t choice;           /* ... TOP_ANSWER: of detail.choices */
    bool help;
    char said[TOP_WORD_BYTES_MAX]; /* what came of the last act, or why a key does nothing */
    bool said_bad;
    uint32_t page_rows;        /* of the list, when it was drawn */
};

#endif
