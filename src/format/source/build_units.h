/* SPDX-License-Identifier: Apache-2.0
 *
 * build_units.h - how a build compiles its sources, as the build says it: in
 * compile_commands.json, or by what make would run. */
#ifndef HONE_FORMAT_SOURCE_BUILD_UNITS_H
#define HONE_FORMAT_SOURCE_BUILD_UNITS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

/* How one source is compiled, as its build says it. */
struct build_unit {
    const char *folder;       /* in which its flags and its name hold */
    const char *perhaps;      /* where they hold if there is no such file in folder; or NULL */
    const char *file;         /* absolute, or relative to folder */
    const char *const *flags; /* those that compile_flags.h keeps; NULL ends */
};

struct build_units {
    struct build_unit *items;
    uint32_t count;
};

/* compile_commands.json, the list of commands that build tools write:
 *
 *     [{"directory":"/x","file":"a.c","arguments":["cc","-Ii","-c","a.c"]},
 *      {"directory":"/x","file":"b.c","command":"cc -DN='\"b\"' -c b.c"}]
 *
 * A relative "directory" is below folder. An entry for another language, or that names no compiler,
 * is left out. ERR_FORMAT for what is no such list. What is given lives in arena. */
int compile_db_read(struct str text, const char *folder, struct arena *arena,
                    struct build_units *out, struct err *err);

/* What `make -n -w` says it would run. folder: where make was started. A source that is compiled
 * twice is there twice. Any text gives some list. What is given lives in arena. */
void make_text_read(struct str text, const char *folder, struct arena *arena,
                    struct build_units *out);

#endif
