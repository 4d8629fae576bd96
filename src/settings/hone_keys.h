/* SPDX-License-Identifier: Apache-2.0
 *
 * hone_keys.h - every key of hone.json, as a table: the reader, `hone config`, the help and the
 * published schema all come from it. Pure. */
#ifndef HONE_SETTINGS_HONE_KEYS_H
#define HONE_SETTINGS_HONE_KEYS_H

#include "dialect/dialect.h"

enum hone_kind {
    HONE_TEXT,     /* one line */
    HONE_SWITCH,   /* true or false */
    HONE_NUMBER,   /* a whole number from 1 to max */
    HONE_WORD,     /* one of some words */
    HONE_DURATION, /* "90s", "15m", "2h"; "0" for never */
    HONE_AMOUNT,   /* a number, or a text that --budget takes behind the last part of the path */
    HONE_PATTERNS, /* a list of patterns; those of all files count together */
    HONE_LIST,     /* a list of texts; that of the last file counts */
    HONE_AGENT,    /* a SPEC */
    HONE_AGENTS,   /* a list of them; that of the last file counts */
    HONE_ROLES,    /* a list of roles, of hone's or of files; that of the last file counts */
    HONE_WORDS,    /* a list of some words; likewise */
    HONE_COMMAND,  /* a program and its arguments, as a list; likewise */
    HONE_ADDRESS,  /* http://... or https://... */
    HONE_VARIABLE, /* the name of a variable of the environment */
    HONE_KIND_COUNT
};

struct hone_key {
    const char *path;         /* "limits.time"; "agents.ROLE": ROLE is any role, or "*";
                                 "analyzers.NAME.files": NAME is any name */
    enum hone_kind kind;
    uint32_t max;             /* of a number */
    const char *const *words; /* of a word, or of words; NULL ends */
    const char *builtin;      /* what holds where no file says anything, as JSON; NULL: nothing */
    const char *help;
    bool only_on;             /* of a switch: a repository's file cannot switch it off */
    bool only_less;           /* of a number: a repository's file cannot make it more */
    enum consent consent;     /* where the project's file has it */
};

/* All of them; path NULL ends. Always the same list: a key is known by its address. */
const struct hone_key *hone_keys(void);

/* Whether its value is a list of texts. */
bool hone_key_is_list(const struct hone_key *key);
/* The dialect that a path is about; NULL: all of them. */
const struct dialect *hone_key_dialect(struct str path);
bool hone_key_has_role(const struct hone_key *key); /* its path ends with ROLE */
bool hone_key_has_name(const struct hone_key *key); /* its path has NAME in it: any name */
/* The last part: an option, a limit, a role. */
const char *hone_key_name(const char *path);
/* What a value must be, for messages: "a whole number from 1 to 1000"; lives in arena. */
const char *hone_key_wanted(const struct hone_key *key, struct arena *arena);

/* The roles that agents play in a dialect (NULL: in any), each once; NULL ends. */
const char *const *hone_roles(const struct dialect *dialect, struct arena *arena);

/* The key that a path names. NULL: there is none; then *near, where it is not NULL, is the path
 * that was probably meant, or NULL. */
const struct hone_key *hone_key_find(struct str path, struct arena *arena, const char **near);
/* Whether keys stand below this path: it names an object. "" is the whole file. */
bool hone_key_is_group(struct str path);

/* Why a list, one per line, or a text is refused: a right that has no effect, a name that is none.
 * NULL: it is right. The text lives in arena. */
const char *hone_lines_problem(const struct hone_key *key, const char *lines, struct arena *arena);

/* The JSON schema of a file, with a line end. */
void hone_schema_write(struct buf *out);

#endif
