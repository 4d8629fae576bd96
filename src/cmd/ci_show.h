/* SPDX-License-Identifier: Apache-2.0
 *
 * ci_show.h - what the service that runs a pipeline is shown of a run: the log, the files that it
 * takes, its own notes and outputs. For hone ci. */
#ifndef HONE_CMD_CI_SHOW_H
#define HONE_CMD_CI_SHOW_H

#include "cmd/parse.h"
#include "format/pipeline.h"
#include "run/listed.h"

enum { CI_WORD_LETTERS = 24 };

struct ci_show {
    struct arena *arena;
    enum pipeline_service service;
    bool json, quiet;     /* standard output is for programs; nothing is said of what went well */
    bool hook;            /* findings are all that is said */
    const char *workspace; /* that is judged; NULL: there is none yet */
    const char *root, *folder; /* reports go to root/folder; root NULL: nowhere */
    char word[CI_WORD_LETTERS + 1]; /* that nothing in the log can know */
    struct str notes;     /* commands to the service, for behind the log */
    const char *files[8]; /* that were written, with their folder; NULL ends */
    uint32_t file_count;
};

/* How it ended, for the last line, the outputs and --json. */
struct ci_end {
    int code;
    const char *why;   /* the message of an error; NULL: there was none */
    const char *run;   /* the run's name; "": none began */
    const char *word;  /* of its end: "clean", "findings", "nothing to judge" */
    const char *base, *head;
    const char *fail_on;
    const char *patch; /* what was written as one; NULL: none */
    bool fork;
    struct listing_counts counts; /* of what is new */
};

/* What the log holds until ci_finish() is text, and no command to the service. */
void ci_log_begin(struct ci_show *show);

/* Where reports go: a folder, from cwd; "": nowhere. ERR_USAGE for one that cannot be. What a
 * pipeline before left there is removed: no old report can be taken for this one's. */
int ci_place(struct ci_show *show, const char *workspace, const char *cwd, const char *folder,
             struct err *err);

/* The reports of a run; listed NULL: there was nothing to judge. */
int ci_reports(struct ci_show *show, struct listed *listed, struct err *err);
/* What is open, a line each, on standard error: for a hook at a terminal. */
int ci_lines(struct listed *listed, struct err *err);
/* One file more. */
int ci_file(struct ci_show *show, const char *name, struct str text, struct err *err);

/* The last words; code and error as they are known then. Where the outputs for later steps cannot
 * be written, end->code is an error's afterwards. */
void ci_finish(struct ci_show *show, struct ci_end *end);

/* The forms of reports and where each goes, for the page of the verb. */
struct page;
void ci_reports_help(struct page *page);

#endif
