/* SPDX-License-Identifier: Apache-2.0
 *
 * project.h - the sources of a workspace: which are to be looked at, how each is compiled, and
 * what each depends on. */
#ifndef HONE_ANALYZE_PROJECT_H
#define HONE_ANALYZE_PROJECT_H

#include "base/arena.h"
#include "base/err.h"
#include "format/source/language.h"
#include "format/text/made.h"

enum { SOURCE_BYTES_MAX = 16 << 20 }; /* a larger file is refused by name */

/* What is to be looked at. */
struct scope {
    const char *since;          /* a commit: what changed since then; NULL or "": everything */
    const char *paths;          /* only these files and folders, a line each; NULL or "": all */
    const char *const *exclude; /* patterns (format/text/pattern.h); NULL or ending in NULL */
    bool by_people;             /* no generated and no vendored files (format/text/made.h) */
};

/* A file that some analyzer can be given. Headers are sources, too, but never units. */
struct source {
    const char *path;        /* relative to the workspace; any bytes: "./" or the workspace in
                                front of it keeps a program from reading it as an option */
    const struct language *language;
    const char *shell;       /* of a script: "sh", "bash", "dash" or "ksh" */
    bool header;
    enum made made;          /* where the scope asks for it: by whom; a unit of another's is never
                                wanted */
    bool changed;            /* in the scope by itself */
    bool wanted;             /* in the scope, or a unit that depends on a file that is */
    bool unbuilt;            /* of a C or C++ unit: there is a build, and it does not compile it */
    bool part;               /* of a unit: another one includes it, and no build compiles it */
    const char *problem;     /* why it cannot be read, itself or what it includes; NULL: it can */
    bool broken;             /* did not compile when project_find_broken() looked */
    uint64_t hash;           /* content_hash(); 0 until project_find_includes() has read it */
    const char *const *flags; /* of a C or C++ unit: how it is compiled; NULL ends. Units that are
                                 compiled alike in one folder have the same pointers */
    const char *folder;      /* in which those flags hold: absolute */
    uint32_t *includes;      /* of a unit: indexes of sources it includes, directly or not */
    uint32_t include_count;
    const char *const *others; /* of a unit: files of the workspace it includes that are no sources
                                  (table.inc, made.h), by path; NULL ends */
    uint64_t outside_hash;   /* of all it includes that is no source of ours */
    bool uncertain;          /* it includes what cannot be told from the text: never unchanged */
};

struct project {
    struct arena arena;
    const char *workspace; /* a real path */
    struct source *sources; /* by path, in byte order */
    uint32_t count;
    const char **others;    /* changed files that are no sources, in byte order */
    uint32_t other_count;
    const char *unasked;    /* why make was not asked for flags; NULL: it was, or need not be */
    const char *configure;  /* what makes a build where there is none yet: "./configure"; or NULL */
    const char *flags_from; /* "compile_commands.json", "the Makefile", "nothing": for people */
};

/* Lists the workspace's files (tracked, or new and not ignored; regular files only, no links, none
 * of the private paths, no repositories inside it), tells their language by name and by first
 * line, and marks the scope. Reads nothing but first lines, of scripts and of files that could be
 * some: executable ones, and names without a dot. private_paths: prefixes; NULL ends. ERR_MISSING:
 * neither git nor hone knows this folder. ERR_USAGE: no such commit, no such pattern. */
int project_open(struct project *project, const char *workspace, const struct scope *scope,
                 const char *const *private_paths, struct err *err);
void project_release(struct project *project);
/* A unit of it. */
bool project_has(const struct project *project, const struct language *language);

/* How each C and C++ unit is compiled: compile_commands.json in the workspace, build, out or
 * cmake-build-*; else what `make` would run; else nothing but the folders of the headers. A unit
 * that the build does not name is compiled as its neighbour is. Runs `make -n`, which may run
 * parts of the Makefile; where there is a sandbox, they cannot write to the workspace. ERR_FORMAT
 * for a compile_commands.json that is none. */
int project_find_flags(struct project *project, struct err *err);

/* Reads every source and what it includes: hash, includes, outside_hash; marks the units that
 * depend on a changed file as wanted. After project_find_flags(). A source over SOURCE_BYTES_MAX,
 * or one that is no text, has a problem, and so has every unit that includes it. Conditions (#if)
 * are not looked at: a unit may depend on less, not on more. */
int project_find_includes(struct project *project, struct err *err);

/* How many files of the scope are left out, since people did not make them. */
uint32_t project_made_count(const struct project *project);

const struct source *project_source(const struct project *project, struct str path);
bool source_is_unit(const struct source *source); /* C or C++, no header */

/* The part of an absolute path below the workspace; empty when it is not below it. */
struct str path_inside(const struct project *project, const char *path);
/* A path as a message may hold it. */
const char *path_shown(struct str path, struct arena *arena);

/* Parts of what a key is the hash of. */
void key_text(struct buf *out, const char *text);
void key_number(struct buf *out, uint64_t number);
/* What a unit's diagnostics depend on: its path, its flags and the content of all it includes. */
uint64_t source_key(const struct project *project, const struct source *source);

/* Whether the units among or depending on these files still compile (C, C++) or parse (shell).
 * *ok is false and problem says which does not and why, a line each (first error, at most five).
 * Units that are broken already are not asked. Runs compilers; writes nothing. After
 * project_find_includes(). */
int project_compiles(const struct project *project, const char *const *files, uint32_t count,
                     bool *ok, struct buf *problem, struct err *err);

/* Marks the units among or depending on these files that do not compile now, so that
 * project_compiles() tells what was broken later from what always was. */
int project_find_broken(struct project *project, const char *const *files, uint32_t count,
                        struct err *err);

#endif
