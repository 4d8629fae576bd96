/* SPDX-License-Identifier: Apache-2.0
 *
 * completion.h - the scripts that teach shells the words of hone, as packaging/completion has
 * them. */
#ifndef HONE_CMD_COMPLETION_H
#define HONE_CMD_COMPLETION_H

struct completion_shell {
    const char *name, *text;
};
extern const struct completion_shell completion_shells[]; /* name NULL ends */

#endif
