/* SPDX-License-Identifier: Apache-2.0
 *
 * trust.h - what the user has agreed to of a repository's hone.json: commands it runs, a sandbox
 * that is off. Kept in the user's own state folder, and not with the repository: a folder that was
 * sent as an archive could bring its own agreement. */
#ifndef HONE_SETTINGS_TRUST_H
#define HONE_SETTINGS_TRUST_H

#include "settings/hone_json.h"

/* The user's own state folder, where no repository can put anything; NULL: there is no home. It may
 * have to be made. */
const char *trust_folder(struct arena *arena);

/* {0} is empty: nothing was agreed to. */
struct trust {
    struct arena arena;
    const char *path;    /* the file; NULL: there is no place for one */
    struct str text;     /* what it holds: a line for each thing */
};

/* Never fails: a file that cannot be read holds no agreement. */
void trust_open(struct trust *trust);
void trust_close(struct trust *trust);

/* Whether exactly this value was agreed to in this workspace. */
bool trust_has(const struct trust *trust, const char *workspace, const struct hone_value *value);

/* Adds them, and keeps them. ERR_MISSING where there is no place to keep it. */
int trust_add(struct trust *trust, const char *workspace, const struct hone_value *values,
              uint32_t count, struct err *err);

/* What was agreed to counts no more. */
int trust_remove(struct trust *trust, const char *workspace, const struct hone_value *value,
                 struct err *err);

#endif
