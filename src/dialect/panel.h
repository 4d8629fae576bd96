/* SPDX-License-Identifier: Apache-2.0
 *
 * panel.h - who reviews at a gate, as the user names them (`reviewers`): built-in roles of the
 * dialect and roles of files (role_file.h). Pure. */
#ifndef HONE_DIALECT_PANEL_H
#define HONE_DIALECT_PANEL_H

#include "dialect/role_file.h"

enum { PANEL_MAX = 16, PANEL_TOLD_BYTES_MAX = 64 << 10 };

/* What a dialect says of its roles. */
struct panel_rule {
    role_is_builtin *is_builtin;
    const char *const *reviewers; /* the built-in ones that can be named, and replaced by a file;
                                     NULL ends */
    const char *const *taken;     /* names that its own files have already; NULL ends; or NULL */
};

struct panel {
    const char *names[PANEL_MAX];
    uint32_t count; /* 0: the user names none, and the dialect's own review */
};

/* 1 to PANEL_MAX names, each once. ERR_USAGE names the one that cannot review here, and why. */
int panel_read(const struct settings *settings, const struct panel_rule *rule, struct arena *arena,
               struct panel *out, struct err *err);
/* Those who review at a gate, as a prompt names them: "critic, perf". */
const char *panel_names(const struct plan *plan, const struct gate *gate, struct arena *arena);
/* The role of a plan that reviews by this name. */
struct role panel_role(const char *name);
/* Those of the panel become roles of the plan, whose own reviewer is the role `place`: that is the
 * place of the first, unless the own one is named, too; the others stand behind all roles. They are
 * returned in the order in which they are named, as a gate has them. */
const uint16_t *panel_join(const struct panel *panel, uint16_t place, struct arena *arena,
                           struct plan *plan);

/* The files of the plan's roles, where they have some: ERR_USAGE for one that does not fit. */
int panel_check(const struct settings *settings, const struct panel_rule *rule,
                const struct plan *plan, struct arena *arena, struct err *err);

/* The role by its files; false: it has none. A file that is wrong does not get as far: the plan
 * refuses it. */
bool panel_own(const struct settings *settings, const char *role, role_is_builtin *is_builtin,
               struct arena *arena, struct own_role *out);
/* What its file says, for dialect.role_file; NULL: it has none. */
const struct role_file *panel_file(const struct settings *settings, const char *role,
                                   role_is_builtin *is_builtin, struct arena *arena);

/* For dialect_casting, of the role's file (NULL: it has none). */
const char *panel_agent(const struct role_file *file);
const char *panel_effort(const struct role_file *file, bool by_default);
const char *panel_no_agent(const struct settings *settings, const char *role, uint32_t copy,
                           struct arena *arena);
/* For dialect.model: Claude Code's own word in its file. */
const char *panel_model(const struct role_file *file, const char *backend);

/* What an agent of the role is told: the remit of the built-in role that it extends, in hone's
 * words, and what its files say, quoted. Each may be nothing. */
void panel_base(const struct own_role *role, struct arena *arena, struct buf *out);
void panel_told(const struct own_role *role, const char *fence, struct buf *out);

#endif
