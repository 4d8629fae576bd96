/* SPDX-License-Identifier: Apache-2.0
 *
 * sarif_read.h - one reading of a SARIF report: what the parts of the reader share.
 *
 * For the reader's own files. Everybody else wants sarif_read() of diagnostic.h. */
#ifndef HONE_FORMAT_REPORT_SARIF_READ_H
#define HONE_FORMAT_REPORT_SARIF_READ_H

#include "format/json/json.h"
#include "format/report/diagnostic.h"

enum {
    SARIF_MESSAGE_BYTES_MAX = 1 << 20, /* of a message with its arguments in it */
    SARIF_PATH_BYTES_MAX = 4096,       /* no system call takes a longer one */
    SARIF_TEXT_BYTES_MAX = 1 << 28,    /* of all texts together: a text may be named many times */
};

struct sarif_list {
    yyjson_val **items;
    uint32_t count;
};

struct sarif_rule {
    yyjson_val *value;     /* the descriptor; may be no object */
    yyjson_val *component; /* that describes it */
    struct str id;
    struct str help;       /* once somebody asked for it: shared by all results of the rule */
    bool has_help;
};

/* The driver or an extension of a tool: which of the run's rules are its own. */
struct sarif_component {
    uint32_t first, count;
};

struct sarif_name {
    struct str id;
    uint32_t rule;
};

/* The run that is being read. */
struct sarif_run {
    struct diagnostics *out;
    struct arena arena;     /* holds the lists below; released with the run */
    uint64_t *text_bytes;   /* kept so far, over all runs */
    yyjson_val *value;
    enum column_unit unit;
    struct sarif_list artifacts;
    struct sarif_component *components; /* the driver first */
    uint32_t component_count;
    struct sarif_rule *rules;
    struct sarif_name *names; /* of the rules, sorted; of one id the first rule first */
    uint32_t rule_count;
};

/* A member that is there and not null, or NULL. */
yyjson_val *sarif_member(yyjson_val *object, const char *key);

/* An array as a list; anything else is an empty one. */
struct sarif_list sarif_list(yyjson_val *array, struct arena *arena);

/* Counts a text that is about to be kept: ERR_LIMIT when it is the one too many. */
int sarif_count(struct sarif_run *run, struct str text, struct err *err);
/* Counts it and makes a copy that lives as long as the diagnostics, cut like diagnostic_text(). */
int sarif_keep(struct sarif_run *run, struct str text, struct str *out, struct err *err);

/* ---- sarif_rule.c ---- */

void sarif_rules_init(struct sarif_run *run);
/* The rule that a result names, by index or by id; NULL when the report does not describe it. */
struct sarif_rule *sarif_rule_find(struct sarif_run *run, yyjson_val *result);
/* A result's message with its arguments in their places; empty when there is none. Kept. */
int sarif_message(struct sarif_run *run, const struct sarif_rule *rule, yyjson_val *message,
                  struct str *out, struct err *err);

/* ---- sarif_place.c ---- */

/* Where an artifactLocation points: a path, or an address that is none. Empty when it says
 * nothing. *nested (may be NULL): the file is only the container of what is meant. */
int sarif_path(struct sarif_run *run, yyjson_val *location, struct str *out, bool *nested,
               struct err *err);

/* A region as a place. False when it cannot be told exactly: *out then has the part that can. */
bool sarif_region(const struct sarif_run *run, yyjson_val *region, struct place *out);

/* The fixes of a result that can be expressed; the others are left out. */
int sarif_fixes(struct sarif_run *run, yyjson_val *result, struct diagnostic *item,
                struct err *err);

#endif
