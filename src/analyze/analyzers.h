/* SPDX-License-Identifier: Apache-2.0
 *
 * analyzers.h - the list of analyzers that have a file of their own. A new analyzer is a row here
 * and a file that defines analyzer_NAME; or, where its report is of a form that is read already, a
 * row of tools.c alone. The backend analyzer:NAME, the choice of agents, `hone doctor`
 * and the help follow from it, and so do the files that are sources, by the languages it says that
 * it reads.
 *
 * For the table (analyzers.c) and the analyzers themselves. */
#ifndef HONE_ANALYZE_ANALYZERS_H
#define HONE_ANALYZE_ANALYZERS_H

#include "analyze/analyzer.h"

/* In the order of the help, and in which they are shared out among reviewers. */
#define ANALYZER_ROWS(ROW) \
    ROW(gcc)               \
    ROW(clang_tidy)        \
    ROW(cppcheck)          \
    ROW(secrets)

#define ANALYZER_DECLARE(name) extern const struct analyzer analyzer_##name;
ANALYZER_ROWS(ANALYZER_DECLARE)
#undef ANALYZER_DECLARE

extern const struct analyzer tools[]; /* name NULL ends */
const struct analyzer *analyzer_defined(uint32_t nth); /* define.c; NULL: there are no more */

#endif
