/* SPDX-License-Identifier: Apache-2.0
 *
 * version.h - which hone this is. The line below is the one place that says the version: packages,
 * manual pages and reports take it from here, and lint compares what is written down elsewhere. */
#ifndef HONE_CMD_VERSION_H
#define HONE_CMD_VERSION_H

#include <stdbool.h>

#define HONE_VERSION "0.1.0"

/* Made by tools/build-info when hone is built. */
extern const char build_commit[]; /* the commit of the sources; "": not known */
extern const bool build_changed;  /* and they were not as the commit has them */
extern const bool build_static;   /* it needs no library of the system */

/* For `hone --version`: a line, or with json all that is known of the program and of the cage that
 * it can make here. */
void version_say(bool json);

#endif
