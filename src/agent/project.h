/* SPDX-License-Identifier: Apache-2.0
 *
 * project.h - the sources of a workspace: which are to be looked at, how each is compiled, and
 * what each depends on. */
#ifndef HONE_AGENT_PROJECT_H
#define HONE_AGENT_PROJECT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum language { LANGUAGE_NONE, LANGUAGE_C, LANGUAGE_CXX, LANGUAGE_SHELL, LANGUAGE_COUNT };

enum { SOURCE_BYTES_MAX = 16 << 20 }; /* a larger file is refused by name */

/* What is to be looked at. */
struct scope {
    const char *since;          /* a commit: what changed since then; NULL: everything */
    const char *const *exclude; /* patterns, as in .gitignore without "!"; NULL or ending in NULL */
};

/* A file that some analyzer can be given. Headers are sources, too, but never units. */
struct source {
    const char *path;        /* relative to the workspace */
    enum language language;
    bool header;
    bool changed;            /* in the scope by itself */
    bool wanted;             /* in the scope, or a unit that depends on a file that is */
    uint64_t hash;           /* content_hash(); 0 until project_hash() */
    const char *const *flags; /* of a C or C++ unit: how it is compiled; NULL ends */
    const char *folder;      /* in which those flags hold: absolute */
    uint32_t *includes;      /* indexes of sources it includes, directly or not */
    uint32_t include_count;
    uint64_t outside_hash;   /* of all it includes that is no source of ours */
    bool uncertain;          /* it includes what cannot be told from the text: never unchanged */
};

struct project {
    struct arena arena;
    const char *workspace;
    struct source *sources; /* by path, in byte order */
    uint32_t count;
    const char *flags_from; /* "compile_commands.json", "the Makefile", "nothing": for people */
};

/* Lists the workspace's files (tracked, or new and not ignored; regular files only, no links, none
 * of the private paths), tells their language by name and by first line, and marks the scope.
 * Reads nothing else. private_paths: prefixes; NULL ends. */
int project_open(struct project *project, const char *workspace, const struct scope *scope,
                 const char *const *private_paths, struct err *err);
void project_release(struct project *project);
bool project_has(const struct project *project, enum language language);

/* How each C and C++ unit is compiled: compile_commands.json in the workspace or its build folder;
 * else what `make` would run; else nothing but the folders of the headers. Runs `make -n`, which
 * may run parts of the Makefile. */
int project_find_flags(struct project *project, struct err *err);

/* Reads every wanted unit and what it includes: hash, includes, outside_hash; marks the units that
 * depend on a changed file as wanted. After project_find_flags(). ERR_LIMIT names a file over
 * SOURCE_BYTES_MAX; ERR_FORMAT one that is no text. */
int project_find_includes(struct project *project, struct err *err);

const struct source *project_source(const struct project *project, struct str path);

/* What a unit's diagnostics depend on: its flags and the content of all it includes. */
uint64_t source_key(const struct project *project, const struct source *source);

/* Whether the units among or depending on these files still compile (C, C++) or parse (shell).
 * *ok is false and problem says which does not and why (first error of each, at most five). Runs
 * compilers; writes nothing. */
int project_compiles(const struct project *project, const char *const *files, uint32_t count,
                     bool *ok, struct buf *problem, struct err *err);

#endif
