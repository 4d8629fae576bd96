/* SPDX-License-Identifier: Apache-2.0
 *
 * suite_tools.h - the tools that the MCP conformance suite calls by name: they answer what it
 * expects and touch nothing. */
#ifndef HONE_TESTS_SUITE_TOOLS_H
#define HONE_TESTS_SUITE_TOOLS_H

#include "serve/mcp.h"

extern const struct mcp_tool *const suite_tools[]; /* NULL ends */

#endif
