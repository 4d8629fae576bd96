/* SPDX-License-Identifier: Apache-2.0
 *
 * comment.h - a run on a pull request: one comment that is updated in place, and inline comments.
 *
 * What stands on the service, and what the run found, make an ordered list of steps; when these are
 * performed, the same question gives none. Pure: no service is asked here.
 *
 *     comment_item_place() for each finding, comment_write(), comment_plan(). report/comment.c
 *     performs the steps, reads what stands there now, and plans again. */
#ifndef HONE_FORMAT_REPORT_COMMENT_H
#define HONE_FORMAT_REPORT_COMMENT_H

#include "format/report/diff_places.h"
#include "format/report/listing.h"

enum comment_service { COMMENT_GITHUB, COMMENT_GITLAB, COMMENT_SERVICE_COUNT };

/* Of reviewdog's filter modes those that services can show. */
enum comment_filter { COMMENT_ADDED, COMMENT_DIFF_CONTEXT, COMMENT_FILTER_COUNT };

enum {
    COMMENT_KEY_BYTES_MAX = 60,
    COMMENT_INLINE_MAX = 30,      /* inline comments, where the user does not say */
    COMMENT_BODY_BYTES_MAX = 1 << 20, /* no service takes a longer one */
};

/* Where an inline comment stands. */
struct comment_place {
    struct str path, old_path;
    uint32_t line, start_line;  /* the last line and the first; the same: one line */
    struct diff_line at, start_at; /* of both, in the older file */
};

/* A finding of the run that is to be told. */
struct comment_item {
    const struct ledger_entry *entry;
    const char *id;             /* listing_id(), or what an earlier comment calls the same */
    struct comment_place place;
    const char *left;           /* why it has no inline comment; NULL: it has */
    struct str instead;         /* the lines of the place as the fix leaves them */
    bool has_instead;
};

/* The run, and whom it is told to. */
struct comment_about {
    enum comment_service service;
    const char *key;            /* whose comment it is, among several on one page */
    const char *dialect;
    const struct listing *listing; /* all that was found, in the order LISTING_BY_STATE */
    const char *end;            /* how it stands, half a sentence */
    bool clean;                 /* that is a clean end */
    bool conclusive;            /* what was not reported is not there any more */
    const char *notice;         /* what else the reader must know, a sentence; or NULL */
    const char *files;          /* address of the files that were judged, ends in "/"; or NULL */
};

bool comment_key_fits(struct str key); /* letters, digits, ".", "_", "-" */

/* An item for each finding of the listing, in its order, without a place yet. Of those that have
 * one name, as findings of two phases may, the first. Lives in arena. */
uint32_t comment_items_make(const struct listing *listing, struct arena *arena,
                            struct comment_item **out);

/* ---- where: comment_place.c ---- */

/* Sets place, or left. Of the finding's lines those that the diff shows, by the filter. content:
 * the file as it was judged, for the fix; data NULL: not at hand. The new text lives in arena. */
void comment_item_place(struct comment_item *item, const struct diff_places *diff,
                        enum comment_filter filter, struct str content, struct arena *arena);

/* ---- what an earlier comment says: comment_memory.c ---- */

/* One finding, as the comment remembers it for the next run. */
struct comment_memory {
    const char *id;
    struct str file, text;
    uint32_t line;
    enum severity severity;
    struct str resolved;        /* what became of it; empty: it is open */
    bool unjudged;              /* it was open, and this run does not say whether it still is */
};

struct comment_memories {
    struct comment_memory *items;
    uint32_t count, cap;
};

/* Of the body of our earlier comment; nothing where it has none that can be read. Lives in
 * arena. */
struct comment_memories comment_memories_read(struct str body, struct arena *arena);
void comment_memories_write(const struct comment_memories *memories, struct buf *out);

/* Gives the items the names that the earlier comment has for them (told again in other words near
 * the same place it is the same finding), and says what is to be remembered now: the open ones
 * first, then what was resolved, the newest first. Lives in arena. */
struct comment_memories comment_memories_next(const struct comment_about *about,
                                              struct comment_item *items, uint32_t count,
                                              const struct comment_memories *before,
                                              struct arena *arena);
/* What became of a finding by its name: resolved is empty where it is open, or not known. NULL:
 * there is none of that name. */
const struct comment_memory *comment_memory_find(const struct comment_memories *memories,
                                                 struct str id);

/* ---- the texts: comment_write.c ---- */

/* The one comment; at most what the service takes. */
void comment_write(const struct comment_about *about, const struct comment_memories *memories,
                   struct buf *out);
void comment_write_inline(const struct comment_about *about, const struct comment_item *item,
                          struct buf *out);
/* An inline comment whose finding is resolved, of its body until now. */
void comment_write_resolved(const struct comment_about *about, struct str id, struct str body,
                            struct str why, struct buf *out);

/* Whether it is the one comment of this key. */
bool comment_is(struct str body, const char *key);
/* Whether it is an inline comment of this key, of which finding, and whether that is resolved. */
bool comment_is_inline(struct str body, const char *key, struct str *id, bool *resolved);

/* ---- the plan: comment_plan.c ---- */

/* A comment that stands on the service. Only those of ours are ever changed. */
struct comment_posted {
    struct str id;
    struct str body;
    bool ours;
};

/* An inline comment that stands there, with the thread it begins. */
struct comment_thread {
    struct str id;              /* of the thread */
    struct comment_posted first;
    uint32_t replies;
    bool resolved, may_resolve, may_reopen;
};

struct comment_standing {
    const struct comment_posted *comments; /* the oldest first, both */
    uint32_t comment_count;
    const struct comment_thread *threads;
    uint32_t thread_count;
};

enum comment_deed {
    DEED_CREATE,       /* the one comment */
    DEED_UPDATE,
    DEED_DELETE,       /* one of ours that is there twice */
    DEED_REOPEN,       /* a thread */
    DEED_RESOLVE,
    DEED_EDIT,         /* an inline comment */
    DEED_INLINE,       /* a new one */
    DEED_DELETE_INLINE,
    DEED_COUNT
};

struct comment_step {
    enum comment_deed deed;
    struct str id;              /* of what stands there: the comment; to resolve, the thread */
    struct str thread;          /* of DEED_EDIT and DEED_DELETE_INLINE: the thread, too */
    struct str body;
    const struct comment_item *item; /* of DEED_INLINE */
};

struct comment_steps {
    struct comment_step *items;
    uint32_t count, cap;
};

struct comment_wish {
    const struct comment_about *about;
    const struct comment_item *items; /* the gravest first */
    uint32_t item_count;
    const struct comment_memories *memories;
    uint32_t inline_max;
};

/* Lives in arena, as does body, the one comment. */
struct comment_steps comment_plan(const struct comment_wish *wish, struct str body,
                                  const struct comment_standing *standing, struct arena *arena);
const char *comment_deed_word(enum comment_deed deed); /* "create the comment" */
/* Our one comment among those that stand there; NULL: none. */
const struct comment_posted *comment_ours(const struct comment_standing *standing,
                                          const char *key);

#endif
