/* SPDX-License-Identifier: Apache-2.0
 *
 * loop_file.h - where loops of one's own are, by name or by path. */
#ifndef HONE_SETTINGS_LOOP_FILE_H
#define HONE_SETTINGS_LOOP_FILE_H

#include "dialect/dialect.h"
#include "io/git/repo.h"

/* Those that come with hone; name NULL ends. */
struct loop_shipped {
    const char *name, *text;
};
extern const struct loop_shipped loop_shipped_all[];
/* What its file says that it is for, in arena. */
const char *loop_about(const struct loop_shipped *shipped, struct arena *arena);

enum loop_origin {
    LOOP_OF_PATH,       /* a file that was named by its path */
    LOOP_OF_REPOSITORY, /* .hone/loops/NAME.yaml, or a path inside the workspace */
    LOOP_OF_USER,       /* $XDG_CONFIG_HOME/hone/loops/NAME.yaml */
    LOOP_OF_HONE,       /* shipped */
    LOOP_ORIGIN_COUNT
};

struct loop_source {
    const char *name;
    struct str text;
    const char *path; /* as people are shown it */
    enum loop_origin origin;
    const char *warning; /* the change alters it: which version counts; NULL: nothing to say */
};

struct loop_query {
    const char *word, *cwd;
    const struct repo *repo; /* NULL: there is none */
    const char *since;       /* the commit that the user named; "" or NULL: none */
    bool all;                /* everything is judged */
    bool agreed;             /* the user agrees to a file that no commit has */
    bool shown;              /* it is only shown: nothing must be agreed to */
};

/* A word of the command line is a path where it has a '/' or ends in .yaml, else a name, which is
 * looked for in the repository, then among the user's own, then among those that come with hone.
 * What lies in the repository counts as the commit has it that a change is measured against
 * (brought.h). ERR_MISSING: there is no such loop; ERR_USAGE: it has the name of a dialect, or one
 * that no loop can have, or no commit has it and the user has not agreed. All lives in arena. */
int loop_find(const struct loop_query *query, struct arena *arena, struct loop_source *out,
              struct err *err);

/* The names of all that loop_find() finds by name, each once; NULL ends. */
const char *const *loop_names(const char *workspace, struct arena *arena);

/* What a run keeps of it: its text, and where it came from. Two entries of settings.files. */
enum { LOOP_FILES = 2 };
void loop_keep(const struct loop_source *source, struct config_text files[LOOP_FILES]);

#endif
