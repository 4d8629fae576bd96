/* SPDX-License-Identifier: Apache-2.0
 *
 * analyzer.h - compilers and linters as reviewers: a row of a table each.
 *
 * An analyzer is an agent like any other: a process of its own (hone itself, called as
 * `hone agent analyzer NAME`), with limits, a sandbox and a transcript. Its answer is findings as
 * JSON (format/finding_json.h), which the driver hands to the dialect. */
#ifndef HONE_AGENT_ANALYZER_H
#define HONE_AGENT_ANALYZER_H

#include "agent/agent.h"
#include "agent/project.h"
#include "format/diagnostic.h"

struct analyzer {
    const char *name;     /* "gcc", "clang-tidy", "cppcheck", "shellcheck" */
    const char *program;  /* on the PATH */
    const char *package;  /* Debian's, which brings it */
    const char *summary;  /* half a sentence */
    const enum language *languages; /* LANGUAGE_NONE ends */
    uint32_t batch;       /* units per call of the program */
    /* The command for some units, which are of one language and, where batch is more than 1, have
     * the same flags and folder; report: a file the tool may write its report to. */
    const char *const *(*command)(const struct source *const *units, uint32_t count,
                                  const char *report, struct arena *arena);
    bool report_in_file;  /* its report is that file; else its standard output or error */
    bool report_on_err;
    int (*read)(struct str report, struct diagnostics *out, struct err *err);
    /* NULL when an end with this status and this report is one that the reader may judge; else
     * what is wrong. */
    const char *(*failed)(int status, struct str report, struct str said, struct arena *arena);
};

extern const struct analyzer analyzers[]; /* name NULL ends */
const struct analyzer *analyzer_find(struct str name);

/* Whether the project has a source that it could look at. */
bool analyzer_fits(const struct analyzer *analyzer, const struct project *project);

/* `hone agent analyzer NAME`, `sarif COMMAND`, `rdjson COMMAND`: looks, writes the answer to
 * HONE_OUTPUT and progress to stderr; the exit status. */
int analyzer_main(const char *name, const char *command);

/* `hone agent fixits`: applies what the findings in HONE_FINDINGS carry; the answer is the summary
 * in Markdown, with a last line "STUCK: reason" when there was nothing it could do. */
int fixits_main(void);

extern const struct backend backend_analyzer, backend_sarif, backend_rdjson, backend_fixits;

#endif
