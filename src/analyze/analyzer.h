/* SPDX-License-Identifier: Apache-2.0
 *
 * analyzer.h - compilers and linters as reviewers: a row of analyzers.h and a file each.
 *
 * An analyzer is an agent like any other: a process of its own (hone itself, called as
 * `hone agent analyzer NAME`), with limits, a sandbox and a transcript. Its answer is findings as
 * JSON (format/json/finding_json.h), which the driver hands to the dialect.
 *
 * Room: reviews by compilers and linters: the project that is looked at, the tools, the cache,
 * places of findings, and fixes made and taken back. Not here: backends, and who plays (agent/,
 * settings/). */
#ifndef HONE_ANALYZE_ANALYZER_H
#define HONE_ANALYZE_ANALYZER_H

#include "analyze/project.h"
#include "analyze/undone.h"
#include "format/report/diagnostic.h"

/* What a program's end with status 1 says; 0 always says that all went well. */
enum status_meaning {
    STATUS_FAILED,   /* that it could not do its work */
    STATUS_ERRORS,   /* that its report has an error, or more */
    STATUS_FINDINGS, /* that its report has findings; and 0, that it has none */
    STATUS_EITHER,   /* nothing */
};

/* One call of an analyzer's program. Its units are of one language and, where there are several,
 * have the same flags, folder and configuration. */
struct analyzer_call {
    const char *workspace;
    const struct source *const *units;
    uint32_t count;
    const char *report; /* a file the program may write its report to */
    bool configured;    /* the repository has a configuration for it, for these units */
};

struct analyzer {
    const char *name;     /* "gcc", "clang-tidy", "cppcheck", "shellcheck" */
    const char *program;  /* on the PATH */
    const char *package;  /* Debian's, which brings it */
    const char *config;   /* the name of a repository's own settings for it; NULL: none */
    const char *const *config_runs; /* words of settings that make it run the repository's code:
                                       such settings are not used. NULL ends; NULL: none */
    const struct language *const *languages; /* NULL ends; one that no other file speaks of is a
                                                constant beside the row */
    const char *mangles;  /* bytes in a name that make it another one to the program; NULL: none */
    uint32_t batch;       /* units per call, at most */
    /* Everything is given as one word each, paths of units absolute. */
    const char *const *(*command)(const struct analyzer_call *call, struct arena *arena);
    bool report_in_file;  /* its report is that file; no file means no finding */
    bool report_on_err;   /* else its standard error; else its standard output */
    enum status_meaning status;
    const char *const *safe; /* rules whose fixes cannot change what a program does, by their own
                                documentation; "SC22*" for all that begin so, NULL ends. Where the
                                report says it of a fix (FIX_SAFE, FIX_RISKY), that counts. All
                                others are risky: NULL, all are */
    uint32_t fix_rank;    /* how well its fixes are typed (fix.h); 0 where it does not matter */
    int (*read)(struct str report, struct diagnostics *out, struct err *err);
};

extern const struct analyzer *const analyzers[]; /* those of analyzers.h; NULL ends */
const struct analyzer *analyzer_find(struct str name);

/* Cuts the next name off a list such as "gcc,shellcheck"; false when none is left. ERR_USAGE in
 * err, with a suggestion or the list, when it is none of ours: *out is then NULL. "none" is a name
 * whose *out is NULL without an error (err->code 0). */
bool analyzer_next(struct str *list, const struct analyzer **out, struct err *err);

/* Whether a fix of this rule is safe by the analyzer's table. */
bool analyzer_rule_is_safe(const struct analyzer *analyzer, struct str rule);

/* Whether analyzer looks at units of this language. */
bool analyzer_reads(const struct analyzer *analyzer, const struct language *language);
/* The nth language that there are analyzers for, each once; NULL: there are no more. */
const struct language *analyzers_language(uint32_t nth);

/* Whether the project has a source that it could look at. */
bool analyzer_fits(const struct analyzer *analyzer, const struct project *project);

/* `hone agent analyzer NAME`, `sarif COMMAND`, `rdjson COMMAND`: looks, writes the answer to
 * HONE_OUTPUT and progress to stderr; the exit status. private_paths: prefixes of what is no part
 * of the project; NULL ends. */
int analyzer_main(const char *name, const char *command, const char *const *private_paths);

/* `hone agent fixits`: applies what the findings in HONE_FINDINGS carry; the answer is the summary
 * in Markdown, with a last line "STUCK: reason" when there was nothing it could do. */
int fixits_main(const char *const *private_paths);

/* Takes back what a fixer left that did not end with status 0; attempt: its folder. Nothing where
 * it had not begun to write, or where all was checked. barred: prefixes of paths that are not
 * written, NULL ends. The caller gives *undone empty, with a limit for its names. */
int fixits_undo(const char *attempt, const char *workspace, const char *const *barred,
                struct undone *undone, struct err *err);

#endif
