/* SPDX-License-Identifier: Apache-2.0
 *
 * pages.h - what the writers of the session file share. */
#ifndef HONE_DIALECT_SESSION_PAGES_H
#define HONE_DIALECT_SESSION_PAGES_H

#include "dialect/session/file.h"
#include "dialect/session/session.h"

/* What a page is written from. */
struct page {
    const struct run_view *run;
    const struct session_story *story;
    struct arena *arena;
    struct session_file *file;
};

/* Review History and Timing Log: every round that is not in the file yet. */
void page_rounds(const struct page *page);
/* Files Changed and Key Related Files, as they are after the executor's newest round. */
void page_files(const struct page *page);
/* Who made the attempt: "claude-cli" for claude, other backends by their own names. An agent of a
 * host is "codex-subagent" or "claude-subagent"; as a reviewer Codex's is "codex", whether Codex
 * hosts the run or is started by it. */
struct str page_backend(const struct diary_entry *entry);
/* Whether hone itself ended the attempt, which then says nothing of the agent. */
bool page_is_ours(const struct diary_entry *entry);

#endif
