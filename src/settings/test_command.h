/* SPDX-License-Identifier: Apache-2.0
 *
 * test_command.h - how a project's tests are run, by what the project itself says. */
#ifndef HONE_SETTINGS_TEST_COMMAND_H
#define HONE_SETTINGS_TEST_COMMAND_H

#include "base/arena.h"

struct test_command {
    const char *command; /* for sh -c in the workspace; "" where nothing was found */
    const char *from;    /* the file that says so; "" likewise */
};

struct test_command test_command_find(const char *workspace, struct arena *arena);

#endif
