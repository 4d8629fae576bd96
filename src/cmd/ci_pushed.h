/* SPDX-License-Identifier: Apache-2.0
 *
 * ci_pushed.h - git's hook before a push: what git is about to push, change by change. For hone
 * ci. */
#ifndef HONE_CMD_CI_PUSHED_H
#define HONE_CMD_CI_PUSHED_H

#include "cmd/ci_change.h"

/* Judges each line of standard input that has something new; the first that fails says how this
 * ends. judge() may change the call: each has it as it was. */
int ci_each_pushed(struct call *call,
                   int (*judge)(struct call *call, const struct ci_pushed *pushed));

#endif
