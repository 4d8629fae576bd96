/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h - how the user and programs are told what happens in a run, and how it ended.
 *
 * Room: what people and programs are told of a run: while it runs, when it has ended, and when they
 * ask where it stands. Nothing here decides, starts or records anything. */
#ifndef HONE_REPORT_REPORT_H
#define HONE_REPORT_REPORT_H

#include "format/text/progress.h"
#include "run/run.h"
#include "view/pen.h"

/* How it is told. */
struct report {
    bool json, quiet;
    bool color;         /* standard error may be coloured */
    const char *folder; /* where the run was asked for */
    struct view *view;  /* NULL: plain lines, or none */
};

enum news_kind {
    NEWS_RUN,          /* it begins, or goes on */
    NEWS_START,        /* an attempt begins */
    NEWS_ENDED,        /* an attempt has ended; its event is not stepped yet */
    NEWS_PROGRESS,     /* an attempt says how far it is */
    NEWS_STEP,         /* the engine has taken an event */
    NEWS_ASK,          /* the run asks: what it cannot decide by itself */
    NEWS_NO_TEST,      /* a warning, where the dialect would run a test and there is none */
    NEWS_USELESS_TEST, /* a warning: the test failed before any fix */
    NEWS_UNVERIFIED,   /* a warning: there was no test, and fixes were made */
    NEWS_WARNING,
    NEWS_NOTE,         /* something that hone did beside: no warning */
    NEWS_KIND_COUNT
};

/* One thing that happened. */
struct news {
    enum news_kind kind;
    bool resumed;                /* NEWS_RUN: it goes on */
    const struct action *action; /* NEWS_START, NEWS_ENDED, NEWS_ASK, NEWS_PROGRESS */
    const struct event *event;   /* NEWS_ENDED */
    const struct progress *progress; /* NEWS_PROGRESS */
    bool often;                  /* NEWS_PROGRESS: one of it was told a moment ago */
    uint64_t started_ms;         /* NEWS_ENDED; 0: before this process */
    uint32_t rounds_before;      /* NEWS_STEP: how many rounds there were before it */
    uint32_t lane;               /* NEWS_STEP: of its event */
    const char *text;            /* NEWS_WARNING, NEWS_NOTE */
};

/* How the word of a run's end looks. */
enum style reason_style(enum reason reason);

/* As how says; on a terminal with a view. dialect: what its title says; or NULL. */
void report_open(struct report *report, const struct report *how, const char *dialect);
void report_close(struct report *report); /* what is drawn goes; lines can still be said */
/* How long the loop may wait that wants to wait so long (-1: for ever); draws what is due. */
int64_t report_wait_ms(const struct report *report, int64_t wait_ms);
void report_tick(const struct report *report);
/* The run is held by a person, or not; running: agents that are still at work; word: what the
 * person has typed so far. Only where there is a view. */
void report_pause(const struct report *report, bool held, uint32_t running, struct str word);

void report_tell(const struct report *report, const struct run *run, const struct news *news);
void report_warning(const struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* How the run ended. lanes: lines about what is left of its lanes; or "". */
void report_finish(const struct report *report, struct run *run, const char *lanes);

/* The error number of the first result that could not be written to standard output; 0: none. The
 * run goes on all the same: its journal has everything. */
int report_problem(void);

#endif
