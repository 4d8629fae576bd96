/* SPDX-License-Identifier: Apache-2.0
 *
 * worktree.h - a lane's work tree, made by a process: it may take as long as a checkout. */
#ifndef HONE_AGENT_OWN_WORKTREE_H
#define HONE_AGENT_OWN_WORKTREE_H

/* hone agent worktree FOLDER, in the repository. FOLDER/worktree holds path, branch and start (see
 * io/git/worktree.h), each with a NUL behind it; FOLDER/since then the commit that a new one begins
 * at. Says "there", "new" or "again", and below it what the user should know, a line each. The
 * exit status. */
int worktree_main(const char *folder);

#endif
