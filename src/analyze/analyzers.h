/* SPDX-License-Identifier: Apache-2.0
 *
 * analyzers.h - the list of analyzers. A new analyzer is a row here and a file that defines
 * analyzer_NAME: the backend analyzer:NAME, the choice of agents, `hone doctor` and the help follow
 * from it, and so do the files that are sources, by the languages it says that it reads.
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
    ROW(shellcheck)

#define ANALYZER_DECLARE(name) extern const struct analyzer analyzer_##name;
ANALYZER_ROWS(ANALYZER_DECLARE)
#undef ANALYZER_DECLARE

#endif
