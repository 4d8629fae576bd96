/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h - what the files of the language server share. For them alone.
 *
 *   project   a workspace of a repository: its newest run, followed, and what that has found
 *   folder    what the editor has open as a whole: below it a file's findings are shown unasked
 *   page      a file as the editor names it, open there or not: its text, and a spot per finding
 *   errand    a verb that the person chose, at work as a process of its own */
#ifndef HONE_SERVE_LSP_PARTS_H
#define HONE_SERVE_LSP_PARTS_H

#include "core/finding.h"
#include "format/json/jsonrpc.h"
#include "format/lsp/mark.h"
#include "format/lsp/place.h"
#include "format/report/fix.h"
#include "run/look.h"
#include "serve/lsp/lsp.h"

enum {
    LSP_ANSWER_BYTES_MAX = 64 << 20,
    LSP_FILE_BYTES_MAX = 8 << 20,    /* of a file whose text is looked at */
    LSP_TEXTS_BYTES_MAX = 256 << 20, /* of all of them */
    LSP_FINDINGS_MAX = 10000,        /* of a project that are shown, the worst of them */
    LSP_PAGES_MAX = 4000,            /* of a project that is shown unasked */
    LSP_DOCUMENTS_MAX = 2000,        /* open at once; further ones are not looked at */
    LSP_FOLDERS_MAX = 64,
    LSP_PROJECTS_MAX = 64,
    LSP_ERRANDS_MAX = 16,
    LSP_ASKED_MAX = 64,              /* requests of ours that wait for an answer */
    LSP_WORDS_BYTES_MAX = 4096,      /* of a finding's text */
};

/* Errors that LSP adds to those of JSON-RPC. */
enum lsp_code {
    LSP_NOT_INITIALIZED = -32002,
    LSP_CANCELLED = -32800,
    LSP_MODIFIED = -32801,
    LSP_FAILED = -32803,
};

/* DiagnosticSeverity and MessageType. */
enum lsp_severity { LSP_ERROR = 1, LSP_WARNING, LSP_INFORMATION, LSP_HINT };

/* ---- projects ---- */

/* A finding that is shown. */
struct shown {
    const char *id;          /* its whole name in the run */
    enum severity severity;
    bool noted;
    struct str file;         /* clean, from the workspace on */
    uint32_t line, column, end_line, end_column;
    uint32_t round;          /* when it was last reported: until then its place is the same */
    struct str rule, text;
    struct str href;         /* where its rule is explained; empty: nowhere */
    struct fixes fixes;
};

enum bar { PROGRESS_NONE, PROGRESS_ASKED, PROGRESS_SHOWN };

struct project {
    struct look look;        /* its repository, and the newest run there */
    uint64_t stamp;          /* of what says that something has changed: journal, waivers */
    uint64_t sure_ms;        /* a second look is due then: project.c, 2; 0: it is done */
    uint64_t due_ms;
    bool failed;             /* the last look failed, and that was said */
    char *run;               /* the run whose findings these are; NULL: none */
    uint64_t events;         /* that it had, */
    bool alive;              /* and whether it was at work, when they were read */
    struct arena arena;      /* of the next */
    struct shown *items;     /* by file */
    uint32_t count;
    uint32_t cut, unplaced;  /* that are not shown: too many, or about no file */
    enum bar progress;  /* of the run at work, as the editor shows it */
    char *token, *said;
};

/* ---- pages ---- */

struct spot {
    const struct shown *shown;
    bool placed;             /* mark holds; else only the line is known */
    struct mark mark;
    struct span *spans;      /* of its fixes' edits in this file, one after the other; NULL: the text
                                is not the one that they are for */
    uint32_t span_count;
};

struct page {
    char *uri;               /* as the editor writes it */
    char *path;              /* absolute, no links */
    struct project *project; /* NULL: no repository */
    const char *file;        /* path from the workspace on; inside path */
    bool open;
    int64_t version;
    struct buf text;         /* as the editor has it, or of a closed one the disk */
    bool has_text;
    struct line_starts starts;
    bool starts_known;
    struct spot *spots;
    uint32_t spot_count;
    bool changed;            /* what is shown may be another since it was sent */
    uint64_t sent;           /* the hash of what was sent; 0: nothing, or an empty list */
};

struct folder {
    char *path, *real;       /* as the editor writes it, and without links */
    struct project *project; /* NULL: it is in no repository yet */
    uint64_t due_ms;         /* when one is looked for again then */
};

/* ---- errands ---- */

struct errand;

/* A request of ours. */
struct asked {
    uint64_t number;
    void (*answered)(struct lsp *lsp, void *context, yyjson_val *result); /* NULL: an error */
    void *context;
};

/* ---- the server ---- */

enum life { LIFE_NEW, LIFE_READY, LIFE_DOWN, LIFE_OVER };

/* What the editor can do. */
struct client {
    bool publishes, pulls, refreshes; /* refreshes: it can be asked to pull again */
    bool shows_progress;
    bool takes_actions;      /* code actions with edits; else commands alone */
    bool takes_versions;     /* edits of documents with their versions */
};

struct lsp {
    struct lsp_setup setup;
    enum life life;
    int exit_status;
    long parent;
    enum encoding encoding;
    struct client client;
    struct folder *folders;
    uint32_t folder_count, folder_cap;
    struct project **projects;
    uint32_t project_count, project_cap;
    struct page **pages;
    uint32_t page_count, page_cap;
    size_t text_bytes;       /* of all pages */
    struct errand **errands;
    uint32_t errand_count, errand_cap;
    struct asked asked[LSP_ASKED_MAX];
    uint64_t asked_last;
    uint64_t now_ms;         /* of the newest step */
};

/* ---- lsp.c: out ---- */

void lsp_result(struct lsp *lsp, const struct rpc_id *id, yyjson_mut_doc *doc,
                yyjson_mut_val *result);
void lsp_error(struct lsp *lsp, const struct rpc_id *id, int code, const char *words);
void lsp_notify(struct lsp *lsp, const char *method, yyjson_mut_doc *doc, yyjson_mut_val *params);
/* False: too many wait. */
bool lsp_ask(struct lsp *lsp, const char *method, yyjson_mut_doc *doc, yyjson_mut_val *params,
             void (*answered)(struct lsp *lsp, void *context, yyjson_val *result), void *context);
void lsp_forget_asked(struct lsp *lsp, const void *context); /* its answers go nowhere */
/* window/showMessage and window/logMessage; the words are made harmless here. */
void lsp_say(struct lsp *lsp, enum lsp_severity type, const char *words);
void lsp_log(struct lsp *lsp, enum lsp_severity type, const char *words);

/* ---- project.c ---- */

void folder_add(struct lsp *lsp, struct str uri);
void folder_remove(struct lsp *lsp, struct str uri);
/* The project of a real folder, made where there is none yet; NULL: it is in no repository. */
struct project *project_around(struct lsp *lsp, const char *folder);
void projects_step(struct lsp *lsp);
int64_t projects_due_in(const struct lsp *lsp, uint64_t now_ms); /* -1: never */
void project_hurry(struct project *project); /* its next look is due now */
void projects_free(struct lsp *lsp);

/* ---- page.c ---- */

void page_open(struct lsp *lsp, yyjson_val *params);
void page_change(struct lsp *lsp, yyjson_val *params);
void page_close(struct lsp *lsp, yyjson_val *params);
void page_save(struct lsp *lsp, yyjson_val *params);
void pages_close_all(struct lsp *lsp);
struct page *page_find(const struct lsp *lsp, struct str uri);
/* The project has other findings now. */
void pages_place(struct lsp *lsp, struct project *project);
/* A folder has come or gone. */
void pages_place_all(struct lsp *lsp);
/* Sends what is another than was sent. */
void pages_publish(struct lsp *lsp);
void pages_free(struct lsp *lsp);

/* One diagnostic of a page; NULL: this spot has none. */
yyjson_mut_val *spot_write(struct lsp *lsp, struct page *page, const struct spot *spot,
                           yyjson_mut_doc *doc);
yyjson_mut_val *page_diagnostics(struct lsp *lsp, struct page *page, yyjson_mut_doc *doc);
yyjson_mut_val *page_range(struct lsp *lsp, struct page *page, size_t start, size_t end,
                           yyjson_mut_doc *doc);
yyjson_mut_val *range_write(struct place start, struct place end, yyjson_mut_doc *doc);
struct place page_place_of(struct lsp *lsp, struct page *page, size_t offset);
/* The page of another file of the same project, or what the disk has of it: its text, its address
 * and, of one that is open, its version. False: there is none that can be read. */
struct page_text {
    struct str text;
    const char *uri;
    bool open;
    int64_t version;
};
bool page_text(struct lsp *lsp, const struct project *project, struct str file,
               struct arena *arena, struct page_text *out);
/* Whether the disk still has a finding's code at the line that the run knows it by. */
bool shown_is_in_place(const struct lsp *lsp, const struct shown *shown);
bool read_place(yyjson_val *value, struct place *out);

/* ---- action.c ---- */

void action_list(struct lsp *lsp, const struct rpc_id *id, yyjson_val *params);
void action_execute(struct lsp *lsp, const struct rpc_id *id, yyjson_val *params);
void action_cancel(struct lsp *lsp, const struct rpc_id *id);
void errands_step(struct lsp *lsp);
bool errands_wait(const struct lsp *lsp);
void errands_free(struct lsp *lsp);

#endif
