/* SPDX-License-Identifier: Apache-2.0
 *
 * brought.h - what a repository brings along that says how a change of it is judged (rules, roles,
 * loops, waivers), as the commit has it that the change is measured against. */
#ifndef HONE_SETTINGS_BROUGHT_H
#define HONE_SETTINGS_BROUGHT_H

#include "dialect/dialect.h"
#include "io/git/repo.h"
#include "settings/settings.h"
#include "settings/trust.h"

/* What is judged. */
struct brought_scope {
    const struct dialect *dialect; /* its own files are no change; NULL: of no dialect */
    const char *since;             /* the commit that the user named; "" or NULL: none */
    bool all;                      /* everything is judged, and not a change */
};

struct brought {
    const struct repo *repo; /* borrowed */
    const char *commit;      /* its whole name; "": there is none, and files are as the folder has
                                them: each must be agreed to (brought_agreement) */
    const char *name;        /* "commit 0123456789ab" for messages; "the folder" where there is
                                none */
    const char *why;         /* where there is none: the reason, and what to do; "" elsewhere */
};

/* Files of a folder. */
struct brought_query {
    const char *folder; /* from the top, without a slash at its end; "": the top */
    const char *suffix; /* of the names: ".md"; "": all */
    bool deep;          /* those in the folders below, too */
};

struct brought_paths {
    const char *const *items; /* from the top of the workspace, sorted by their bytes */
    uint32_t count;
};

/* What a repository can bring at fixed places. */
enum brought_place { BROUGHT_ROLES, BROUGHT_RULES, BROUGHT_SETTINGS, BROUGHT_PLACE_COUNT };

/* What is asked below is asked of git once from now on: in a process that is for one run. A server
 * must not say so, since the repository changes while it runs. */
void brought_keep(void);

/* Whether there may be something: in the work tree, or in a commit that a change could be measured
 * against (since: as in brought_scope). One question to git for all places: most repositories bring
 * nothing, and a run begins without looking for more. */
bool brought_may_have(const struct repo *repo, const char *since, enum brought_place place);

/* Finds the commit. All lives in arena; repo must live as long. ERR_FAILED where git fails. */
int brought_open(const struct repo *repo, const struct brought_scope *scope, struct arena *arena,
                 struct brought *out, struct err *err);

/* The same of a run that is asked for so. */
int brought_of(const struct repo *repo, const struct dialect *dialect,
               const struct run_settings *settings, struct arena *arena, struct brought *out,
               struct err *err);

/* The text of a file; path is from the top of the workspace.
 *     ERR_MISSING  there is no such file
 *     ERR_FORMAT   a link, a folder, a submodule, or no path inside the workspace
 *     ERR_LIMIT    it is longer than bytes_max
 * *altered: the work tree has another text there, none, or one where the commit has none. It is set
 * also where the call fails. */
int brought_text(const struct brought *brought, const char *path, size_t bytes_max,
                 struct arena *arena, struct str *out, bool *altered, struct err *err);

/* The files of a folder, links and submodules left out, and names with control characters. A folder
 * that is not there has none. ERR_LIMIT where there are too many to be listed. */
int brought_list(const struct brought *brought, const struct brought_query *query,
                 struct arena *arena, struct brought_paths *out, struct err *err);

/* What the user agrees to where there is no commit: this file with exactly this text. For
 * trust_has() and trust_add(); lives in arena. */
int brought_agreement(const struct brought *brought, const char *path, struct str text,
                      struct arena *arena, struct hone_value *out, struct err *err);

#endif
