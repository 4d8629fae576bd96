/* SPDX-License-Identifier: Apache-2.0
 *
 * analyzer.h - compilers and linters as reviewers: a row each, of tools.c where data says it all,
 * or of analyzers.h with a file.
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
    const char *program; /* the first word; NULL: as the analyzer has it */
};

/* What becomes of the fixes in its report. */
enum analyzer_fixes {
    FIXES_AS_SAID, /* each is as safe as the report says */
    FIXES_SAFE, FIXES_RISKY, /* all of them are */
    FIXES_SAFE_IN_PROSE,     /* and risky elsewhere */
    FIXES_NONE,    /* they are left out */
};

struct review; /* analyze.h */

/* Lists of texts end with NULL; a list that is NULL is empty. */
struct analyzer {
    const char *name;     /* "gcc", "clang-tidy", "cppcheck", "shellcheck" */
    const char *program;  /* on the PATH; NULL: hone looks itself */
    const char *otherwise; /* what the package calls the program; NULL: the same */
    const char *package;  /* Debian's, which brings it; NULL: none does */
    const char *install;  /* the command that brings it, where no package does */
    const char *const *version; /* the words that ask for its version; NULL: --version */

    /* What it looks at. */
    const struct language *const *languages; /* one that no other file speaks of is a constant
                                                beside the row */
    const char *const *files; /* or these, by patterns (format/text/pattern.h) */
    const char *mangles;  /* bytes in a name that make it another one to the program; NULL: none */
    uint32_t batch;       /* units per call, at most; 0: all of a folder */
    const char *const *roots; /* it looks at a whole project: from the nearest folder on top of a
                                 unit that has such a file; a unit without one is none of its */
    bool outermost;       /* from the farthest such folder instead */
    bool reads_others;    /* what it finds in a file depends on others, or on settings in files that
                             have any name: nothing of it is kept for the next time */

    /* Settings of the repository. */
    const char *const *config; /* names of files: ".flake8"; "setup.cfg [flake8]" is one that has
                                  the text behind the blank in it */
    const char *const *config_runs; /* words of settings that make it run the repository's code:
                                       such settings are not used */
    bool only_configured; /* unasked it looks only where the repository has settings for it */
    bool missed;          /* that it is not installed is said, though another one reads the same */
    bool own;             /* a project's own copy comes before that of the PATH (program.c) */
    bool runs_code;       /* it runs code of the repository, with any settings: only in a cage */

    /* Its command: words, of which "{files}" stands for the paths of the units, absolute, and
     * "{settings}" for `configured` where the repository has settings for it and for `bare` where
     * it has none. Or a function that makes them; everything is given as one word each. */
    const char *const *words, *const *configured, *const *bare;
    const char *const *(*command)(const struct analyzer_call *call, struct arena *arena);
    const char *const *env; /* "NAME=value"; "{cache}" in a value is a folder to write to */

    /* Its report. */
    bool report_in_file;  /* its report is that file; no file means no finding */
    bool report_on_err;   /* else its standard error; else its standard output */
    enum status_meaning status;
    int status_most;      /* the greatest status with which it has looked; 0: 1 */
    const char *const *safe; /* rules whose fixes cannot change what a program does, by their own
                                documentation; "SC22*" for all that begin so, NULL ends. Where the
                                report says it of a fix (FIX_SAFE, FIX_RISKY), that counts. All
                                others are risky: NULL, all are */
    const char *const *breaks; /* rules of grave findings that mean that the source does not build
                                or parse; written as those of safe, "" for one without a rule.
                                NULL: none does */
    uint32_t fix_rank;    /* how well its fixes are typed (fix.h); 0 where it does not matter */
    int (*read)(struct str report, struct diagnostics *out, struct err *err);
    const struct line_form *lines; /* or this reads it */
    enum analyzer_fixes fixes;

    /* Without a program: looks itself, and adds what it found to the review. */
    int (*look)(struct review *review, struct err *err);
};

enum { ANALYZERS_MAX = 64 }; /* all of them: no more are defined */

/* The nth of all: those of analyzers.h, of tools.c, and those that were defined; NULL: there are no
 * more. */
const struct analyzer *analyzer_at(uint32_t nth);
const struct analyzer *analyzer_find(struct str name);

/* Analyzers of the user, as hone.json has them below "analyzers", as one line of JSON:
 *
 *     {"NAME":{"files":["*.md"],"command":"tool \"$@\"","format":"sarif","fixes":"safe"}}
 *
 * They replace those that were defined before, in the whole process; "" defines none. ERR_USAGE
 * says what is wrong with which. */
int analyzers_define(struct str json, struct err *err);

/* Cuts the next name off a list such as "gcc,shellcheck"; false when none is left. ERR_USAGE in
 * err, with a suggestion or the list, when it is none of ours: *out is then NULL. "none" is a name
 * whose *out is NULL without an error (err->code 0). */
bool analyzer_next(struct str *list, const struct analyzer **out, struct err *err);

/* Whether an analyzer says with it that what it looked at does not build: by the tables of those
 * that the finding names. */
bool analyzer_says_broken(const struct finding *finding);
/* Whether a fix of this rule is safe by the analyzer's table. */
bool analyzer_rule_is_safe(const struct analyzer *analyzer, struct str rule);

/* Whether it looks at this source, or at one that depends on it. */
bool analyzer_reads(const struct analyzer *analyzer, const struct source *source);
/* Whether it is given this source itself: no header, unless it reads any file. */
bool analyzer_takes(const struct analyzer *analyzer, const struct source *source);
/* The nth language that there are analyzers for, each once; NULL: there are no more. */
const struct language *analyzers_language(uint32_t nth);

/* Whether the project has a source that it could look at; and only such that stand aside
 * (language.h). */
bool analyzer_fits(const struct analyzer *analyzer, const struct project *project);
bool analyzer_is_aside(const struct analyzer *analyzer, const struct project *project);
/* Whether the repository has settings for it, for some source that it reads. */
bool analyzer_is_configured(const struct analyzer *analyzer, const struct project *project);

/* The command that brings its program: "sudo apt install flake8"; lives in arena. */
const char *analyzer_install(const struct analyzer *analyzer, struct arena *arena);

/* The words of a call. */
const char *const *analyzer_command(const struct analyzer *analyzer,
                                    const struct analyzer_call *call, struct arena *arena);

/* ---- program.c ---- */

/* The name under which its program is on the PATH; NULL: it is not. */
const char *analyzer_on_path(const struct analyzer *analyzer);
/* Where its program is: the project's own copy where it has one and there is a cage to run it in
 * (*own), else that of the PATH; NULL: none. "" for one that needs none. Lives in arena. */
const char *analyzer_program(const struct analyzer *analyzer, const char *workspace,
                             struct arena *arena, bool *own);
/* Why it cannot look in this workspace, in words: it would run code of the repository, and there is
 * no cage. NULL: it can. */
const char *analyzer_uncaged(const struct analyzer *analyzer, const char *workspace,
                             struct arena *arena);
/* The command in the closed cage (sandbox.h), in which it can read these folders (NULL ends) and
 * those of programs, and has this environment and nothing else of ours. NULL: there is no cage. */
const char *const *analyzer_cage(const char *const *folders, const char *const *argv,
                                 const char *const *env, struct arena *arena);

/* ---- key.c ---- */

/* The settings of an analyzer in one folder of the workspace ("" is its top), added to out; false:
 * there are none. out may be NULL. */
bool analyzer_settings(const struct analyzer *analyzer, const char *workspace, struct str folder,
                       struct buf *out);

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
