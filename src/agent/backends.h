/* SPDX-License-Identifier: Apache-2.0
 *
 * backends.h - the list of backends. A new backend is a row here and a file that defines
 * backend_NAME: --agent, hone.json, the help and the manual pages follow from it.
 *
 * Included by the table (agent.c), by the backends and by files that name one of them. */
#ifndef HONE_AGENT_BACKENDS_H
#define HONE_AGENT_BACKENDS_H

#include "agent/agent.h"

/* In the order of the help; of those that play by default the first that is there does. */
#define BACKEND_ROWS(ROW) \
    ROW(claude)           \
    ROW(codex)            \
    ROW(gemini)           \
    ROW(acp)              \
    ROW(cmd)              \
    ROW(script)           \
    ROW(analyzer)         \
    ROW(sarif)            \
    ROW(rdjson)           \
    ROW(fixits)           \
    ROW(host)

#define BACKEND_DECLARE(name) extern const struct backend backend_##name;
BACKEND_ROWS(BACKEND_DECLARE)
#undef BACKEND_DECLARE

#endif
