/* SPDX-License-Identifier: Apache-2.0
 *
 * environment.h - a list of variables, as a process has it: "NAME=value" each; NULL ends. */
#ifndef HONE_BASE_ENVIRONMENT_H
#define HONE_BASE_ENVIRONMENT_H

/* The value of a variable; NULL: it is not set, or empty. A NULL list is an empty one. */
const char *environment_value(const char *const *environment, const char *name);

#endif
