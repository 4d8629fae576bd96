/* SPDX-License-Identifier: Apache-2.0
 *
 * acp.h - `hone agent acp COMMAND` and `hone agent acp-writes COMMAND`: one prompt, from standard
 * input, to an agent that speaks the Agent Client Protocol; COMMAND starts it, by sh -c. What the
 * agent sends goes to standard output, message by message. Exit status 0: it ended its turn. */
#ifndef HONE_AGENT_ACP_H
#define HONE_AGENT_ACP_H

#include <stdbool.h>

int acp_main(const char *command, bool writes, const char *version);

/* `hone agent acp-look COMMAND`: opens a session and asks for nothing. One line on standard output:
 * "ready", "login" or "problem", and behind it who the agent is, or what is wrong. */
int acp_look_main(const char *command, const char *version);

#endif
