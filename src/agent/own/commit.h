/* SPDX-License-Identifier: Apache-2.0
 *
 * commit.h - `hone agent commit FOLDER`: one commit of the files that FOLDER/commit lists, behind
 * its message, each with a NUL. Prints "commit ID" and the files, or "nothing" where they are as
 * HEAD has them; the exit status is git's. The working directory is the workspace. */
#ifndef HONE_AGENT_OWN_COMMIT_H
#define HONE_AGENT_OWN_COMMIT_H

#include "base/arena.h"

int commit_main(const char *folder);

struct commit {
    struct str id;    /* empty: there was nothing to commit */
    struct str paths; /* those of the list, a NUL behind each */
};

/* The same without the words, in the workspace cwd (NULL: where we are); what git says goes to
 * standard error. The exit status. */
int commit_listed(const char *folder, const char *cwd, struct commit *out, struct arena *arena);

#endif
