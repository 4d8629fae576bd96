/* SPDX-License-Identifier: Apache-2.0
 *
 * commit.h - `hone agent commit FOLDER`: one commit of the files that FOLDER/commit lists, behind
 * its message, each with a NUL. Prints "commit ID" and the files, or "nothing" where they are as
 * HEAD has them; the exit status is git's. The working directory is the workspace. */
#ifndef HONE_AGENT_COMMIT_H
#define HONE_AGENT_COMMIT_H

int commit_main(const char *folder);

#endif
