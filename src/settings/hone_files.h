/* SPDX-License-Identifier: Apache-2.0
 *
 * hone_files.h - where hone's own settings are, in the order in which they count. */
#ifndef HONE_SETTINGS_HONE_FILES_H
#define HONE_SETTINGS_HONE_FILES_H

#include "settings/hone_json.h"

/* The last one wins; flags win over all of them. */
enum {
    HONE_FILE_USER,        /* $XDG_CONFIG_HOME/hone/config.json, ~/.config where that is not set */
    HONE_FILE_PROJECT,     /* hone.json at the top of the workspace */
    HONE_FILE_ENVIRONMENT, /* the file that HONE_CONFIG names */
    HONE_FILE_COUNT
};

/* All that can be there, and all that is said. {0} is empty. */
struct hone_own {
    struct arena arena;
    const char *workspace;
    const struct str *project; /* the text of hone.json that counts; NULL: the one of the folder */
    struct hone_file files[HONE_FILE_COUNT];
    struct hone_values values;
};

/* Opens the settings of a folder: finds the workspace around it (the folder itself where there is
 * no repository) and the files, and reads those that are there. ERR_USAGE for a file that is wrong,
 * and for one that HONE_CONFIG names and is not there. Close it, also after a failure: the paths
 * are known even where a file is wrong. Without `sure`, where no hone.json stands here or above,
 * the workspace is not looked for and is said to be the folder itself: enough for a caller that
 * needs the settings only. */
int hone_own_open(struct hone_own *own, const char *cwd, bool sure, struct err *err);
/* The same with another hone.json than the folder has: the text of one, whose data is NULL where
 * there is none. It must live as long. */
int hone_own_open_as(struct hone_own *own, const char *cwd, const struct str *project,
                     struct err *err);
void hone_own_close(struct hone_own *own);

/* The text of a file; empty where it is not there. Lives in own's arena. */
int hone_own_text(struct hone_own *own, uint32_t place, struct str *out, struct err *err);
/* Writes a file whole, or not at all; makes the user's folder. With keep, what was there is kept
 * as NAME.backup. */
int hone_own_write(struct hone_own *own, uint32_t place, struct str text, bool keep,
                   struct err *err);

#endif
