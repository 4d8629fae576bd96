/* SPDX-License-Identifier: Apache-2.0
 *
 * hone_json.h - hone's own settings: files of one form, read one over the other, and changed.
 *
 * Pure: texts in, values out. Which files there are is said in hone_files.h. */
#ifndef HONE_SETTINGS_HONE_JSON_H
#define HONE_SETTINGS_HONE_JSON_H

#include "settings/hone_keys.h"

enum { HONE_FILE_BYTES_MAX = 1 << 20, HONE_PATTERNS_BYTES_MAX = 16 << 10 };

/* A file that settings come from. */
struct hone_file {
    const char *name;   /* as people know it: "hone.json" */
    const char *path;   /* absolute; NULL: there is no such place */
    const char *folder; /* files that a SPEC names are looked for here */
    bool foreign;       /* it came with the repository: what it would run is asked about */
    bool exists;
};

/* One value that holds. */
struct hone_value {
    const struct hone_key *key;
    const char *path; /* with the role in it: "agents.critic" */
    const char *json; /* as JSON, in one line */
    const char *text; /* itself: "3", "true", "make check"; patterns one per line */
    const struct hone_file *from; /* the last file that says it; of patterns,
                                     which join, the project's where it is among them */
    const char *names; /* of all files that say it: "~/.config/hone/config.json, hone.json" */
};

/* Empty is a valid value. Everything lives in the arena that the reader was given. */
struct hone_values {
    struct hone_value *items;
    uint32_t count, cap;
};

/* Puts what a file says over what is there. ERR_USAGE, in the form "hone.json: limits.time: ...",
 * for text that is no JSON object, an unknown key, a wrong value, a key that is there twice. */
int hone_read(struct str text, const struct hone_file *file, struct arena *arena,
              struct hone_values *values, struct err *err);

/* The value at a path; NULL: no file says anything. */
const struct hone_value *hone_find(const struct hone_values *values, const char *path);

/* The agent of a role, by the first of these keys that is set: dialects.D.agents.ROLE,
 * dialects.D.agents.*, agents.ROLE, agents.*; NULL. And how hard its model thinks, by "efforts"
 * likewise. */
const struct hone_value *hone_find_agent(const struct hone_values *values,
                                         const struct dialect *dialect, const char *role,
                                         struct arena *arena);
const struct hone_value *hone_find_effort(const struct hone_values *values,
                                          const struct dialect *dialect, const char *role,
                                          struct arena *arena);

/* The text of a file with one value set: word as it is written on a command line, or NULL to take
 * the key out. Everything else is kept, in its order. The result has been read and is right.
 * old may be empty. ERR_USAGE as above, and for a word that does not fit the key. */
int hone_edit(struct str old, const struct hone_file *file, const char *path, const char *word,
              struct buf *out, struct err *err);

#endif
