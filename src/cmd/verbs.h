/* SPDX-License-Identifier: Apache-2.0
 *
 * verbs.h - the list of verbs. A new verb is a row here and a file that defines verb_NAME: the
 * command line, the help and the manual pages follow from it.
 *
 * Included by the table (verbs.c), by the verbs and by files that name one of them. */
#ifndef HONE_CMD_VERBS_H
#define HONE_CMD_VERBS_H

#include "cmd/verb.h"

/* In the order of the help. */
#define VERB_ROWS(ROW) \
    ROW(run)           \
    ROW(ci)            \
    ROW(plan)          \
    ROW(resume)        \
    ROW(stop)          \
    ROW(answer)        \
    ROW(status)        \
    ROW(list)          \
    ROW(rm)            \
    ROW(gc)            \
    ROW(findings)      \
    ROW(export)        \
    ROW(comment)       \
    ROW(fix)           \
    ROW(waive)         \
    ROW(baseline)      \
    ROW(log)           \
    ROW(show)          \
    ROW(replay)        \
    ROW(reviewers)     \
    ROW(roles)         \
    ROW(check)         \
    ROW(verify)        \
    ROW(init)          \
    ROW(config)        \
    ROW(configure)     \
    ROW(install)       \
    ROW(uninstall)     \
    ROW(fleet)         \
    ROW(ui)            \
    ROW(top)           \
    ROW(worker)        \
    ROW(mcp)           \
    ROW(lsp)           \
    ROW(hook)          \
    ROW(doctor)        \
    ROW(completion)    \
    ROW(help)

/* Known by name and listed nowhere: hone calls itself by these. */
#define VERB_ROWS_HIDDEN(ROW) \
    ROW(agent)                \
    ROW(deliver)              \
    ROW(play)

#define VERB_DECLARE(name) extern const struct verb verb_##name;
VERB_ROWS(VERB_DECLARE)
VERB_ROWS_HIDDEN(VERB_DECLARE)
#undef VERB_DECLARE

#endif
