/* SPDX-License-Identifier: Apache-2.0
 *
 * wiring.h - hone's plugin put into a host (Claude Code, Codex), and taken out again.
 *
 * A wiring is a list of files with what each holds now and what it will hold: shown to the user
 * first, written afterwards. What is not ours in a file keeps every byte.
 *
 * Room: hone's plugin in Claude Code and Codex, and its hook in git: which files change, shown
 * first, and given back. */
#ifndef HONE_INSTALL_WIRING_H
#define HONE_INSTALL_WIRING_H

#include "base/arena.h"
#include "base/err.h"

enum wiring_host { WIRING_CLAUDE, WIRING_CODEX, WIRING_HOST_COUNT };

/* "claude", "codex"; and as their makers write them. */
extern const char *const wiring_words[WIRING_HOST_COUNT];
extern const char *const wiring_titles[WIRING_HOST_COUNT];

enum wiring_change {
    WIRING_SAME,
    WIRING_MAKE,
    WIRING_CHANGE,
    WIRING_REMOVE, /* nothing but ours was in it */
    WIRING_CHANGE_COUNT
};

struct wiring_file {
    const char *root, *path; /* root is a folder, path leads from there, through no link */
    const char *what;        /* of ours is in it, in a few words; NULL: all of it is */
    enum wiring_change change;
    bool exists;             /* now */
    bool keep;               /* what it holds now is kept as NAME WIRING_BACKUP */
    struct str old, text;
};

struct wiring_request {
    enum wiring_host host;
    bool remove;           /* take it out */
    const char *workspace; /* into this project, not into the user's own settings; NULL: no */
};

/* {0} is empty. */
struct wiring {
    struct arena arena;
    struct wiring_request request;
    const char *folder;  /* where the host keeps its settings */
    const char *plugin;  /* the folder with the plugin; NULL: not found */
    const char *command; /* by which a hook calls hone */
    struct str hooks;    /* the plugin's codex/hooks.json */
    bool plugged;        /* Codex has the plugin as such, with its hooks and skills */
    bool on_path;        /* `hone` is the program that runs now */
    struct wiring_file *files;
    uint32_t count, cap;
};

/* Looks at everything and writes nothing. ERR_USAGE names a file that is broken, or holds what
 * should be ours in another form: nothing will be changed then. */
int wiring_plan(struct wiring *wiring, const struct wiring_request *request, struct err *err);
void wiring_release(struct wiring *wiring);

uint32_t wiring_changes(const struct wiring *wiring); /* files that will change */

/* Does what was planned, each file whole or not at all. On failure the rest is left as it is;
 * planning again shows what is missing. */
int wiring_apply(const struct wiring *wiring, struct err *err);

/* ---- the texts: pure ---- */

enum { WIRING_BYTES_MAX = 4 << 20 };
#define WIRING_BACKUP ".hone-backup"
#define WIRING_MARK "Written by hone install codex; hone uninstall codex removes it."

/* Appends old with hone's part in it (merge), or without (strip); unchanged where that is so
 * already. Blank is an empty object. ERR_USAGE says what is wrong with old, without its name. */
int wiring_claude_merge(const struct wiring *wiring, struct str old, struct buf *out,
                        struct err *err);
int wiring_claude_strip(const struct wiring *wiring, struct str old, struct buf *out,
                        struct err *err);
/* The client's own list of marketplaces without ours; as it is where that is not in it. */
void wiring_claude_forget(struct str old, struct buf *out);
int wiring_codex_merge(const struct wiring *wiring, struct str old, struct buf *out,
                       struct err *err);
int wiring_codex_strip(const struct wiring *wiring, struct str old, struct buf *out,
                       struct err *err);

/* What a file holds after hone uninstall. Where it is just as hone install left it: what it held
 * before (backup; NULL: there is none), or nothing where hone install made it (*remove). Else what
 * it holds now, without hone's part. */
typedef int wiring_edit(const struct wiring *wiring, struct str old, struct buf *out,
                        struct err *err);
int wiring_unmerge(const struct wiring *wiring, wiring_edit *merge, wiring_edit *strip,
                   struct str now, const struct str *backup, struct buf *out, bool *remove,
                   struct err *err);

/* Whether Codex's config.toml has hone's plugin switched on, from any marketplace. */
bool wiring_codex_is_plugged(struct str config);

/* An agent's Markdown (name, description, body) as a custom agent of Codex, named hone-NAME. */
int wiring_agent_toml(struct str markdown, struct buf *out, struct err *err);

/* A JSON object, without two members of one name: ERR_USAGE where it is another thing. */
int wiring_check_object(struct str text, struct err *err);

#endif
