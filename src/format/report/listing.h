/* SPDX-License-Identifier: Apache-2.0
 *
 * listing.h - findings of one run, chosen and in order, for the writers of SARIF, rdjson, Markdown
 * and JSON.
 *
 * The writers carry every text as it is, as far as their format can: what is not UTF-8 becomes
 * U+FFFD. None of them is made for a terminal. */
#ifndef HONE_FORMAT_REPORT_LISTING_H
#define HONE_FORMAT_REPORT_LISTING_H

#include "base/buf.h"
#include "core/ledger.h"
#include "core/plan.h"
#include "format/report/story.h"
#include "format/report/waivers.h"

enum { LISTING_RULE_BYTES_MAX = 255 };

struct listing {
    const char *run;         /* its name */
    const char *version;     /* of hone */
    const struct plan *plan; /* the names of roles and phases */
    struct coverage coverage; /* how much was looked at */
    const struct waivers *waivers; /* whose reasons are told; NULL: none are known */
    const struct story *story; /* of the run; NULL: it is not told */
    const char *unfinished;  /* why the run has not said all it could; NULL: it has */
    const struct ledger_entry **items;
    uint32_t count, cap;
};

enum listing_order {
    LISTING_BY_STATE, /* open first, the grave ones before the others; then by file and line */
    LISTING_BY_FILE,  /* then by line */
    LISTING_BY_GROUP, /* what is not fixed first; then by file and line */
};

struct listing_counts {
    uint32_t total;
    uint32_t states[FINDING_STATE_COUNT];
    uint32_t open_count;
    uint32_t open[SEVERITY_COUNT]; /* of the open ones */
    uint32_t noted_grave;
};

/* The entry is borrowed, as the texts are. */
void listing_add(struct listing *listing, const struct ledger_entry *entry);
/* All that is open in a ledger; the list of them lives in arena. */
void listing_add_open(struct listing *listing, const struct ledger *ledger, struct arena *arena);
/* One fault that several tools report is one item, with their names in its tool: same file and line
 * in the round in which it was first reported, and equal rules (rules.h) or the same text. It is
 * open while one of them reports it. The new items live in arena. */
void listing_merge(struct listing *listing, struct arena *arena);
void listing_sort(struct listing *listing, enum listing_order order);
void listing_release(struct listing *listing);

struct listing_counts listing_count(const struct listing *listing);
/* Of all that a ledger has, merged. */
struct listing_counts ledger_faults(const struct ledger *ledger);
/* "3 open (1 high, 2 medium), 5 fixed"; between them ", 2 too small to fail" where something is */
void listing_say(const struct listing *listing, struct buf *out);

/* What was not looked at and what is not listed, in lines; nothing where there is no such thing:
 *     2 of 93 files were not looked at:
 *         src/a.c (gcc): it crashed (signal 11)
 *         98 files (gcc): it needs config.h, which is not there */
void coverage_say(const struct coverage *coverage, struct buf *out);

/* The name of an entry in its run: its fingerprint, and "-N" where it is the Nth other one with the
 * same. Whole, or with the first LISTING_ID_SHOWN digits of the fingerprint, as people read and
 * write it. Returns out. */
enum { LISTING_ID_BYTES = 32, LISTING_ID_SHOWN = 8 };
const char *listing_id(const struct ledger_entry *entry, bool whole, char out[LISTING_ID_BYTES]);

/* Who reported it first. */
const char *listing_role(const struct listing *listing, const struct ledger_entry *entry);
/* Whose vote it is. Where the run began with the finding no agent gave it: then it is that of the
 * reviewer that reported it in the run before. */
const char *listing_voter(const struct listing *listing, const struct vote *vote);

/* What services group findings by: the rule as its tool's, "gcc/-Wformat"; of a model its role's,
 * "critic/style", or the role where it names no rule. At most
 * LISTING_RULE_BYTES_MAX, as they allow; longer ones are cut at a character's border. */
void listing_rule(const struct listing *listing, const struct ledger_entry *entry,
                  struct buf *out);

/* The same for people: "gcc/-Wformat, cppcheck" where cppcheck says the same; of a model the rule
 * alone, or its role. */
void listing_rule_say(const struct listing *listing, const struct ledger_entry *entry,
                      struct buf *out);

/* Why it was waived; empty: it was not, or that is not known. */
struct str listing_reason(const struct listing *listing, const struct ledger_entry *entry);

/* What else matters of an entry, for people, "; " before each: "; regressed; 2 votes; by the fix of
 * round 1; tried 2 times". Nothing where nothing does. */
void listing_more_say(const struct listing *listing, const struct ledger_entry *entry,
                      struct buf *out);

/* {"run","findings":[...],"counts":{"open","new",...,"fixed","high","medium","low"}}: each finding
 * as finding_json.h has it, with what the ledger knows of it. The ranks count the open ones. */
void listing_write(const struct listing *listing, struct buf *out);

/* ---- the writers: format/report/forms.h has the table of them ---- */

/* FILE:LINE:COLUMN: severity: text [rule] (ID; what else matters), a line each, and the files that
 * were not looked at. What is noted, waived or fixed is a note. */
void lines_write(const struct listing *listing, struct buf *out);

/* A SARIF 2.1.0 log, as code scanning services take it. */
void sarif_write(const struct listing *listing, struct buf *out);

/* reviewdog's rdjson. */
void rdjson_write(const struct listing *listing, struct buf *out);

/* Services take comments of up to 65,536 characters. */
enum { MARKDOWN_BYTES_MAX = 60000 };

/* Markdown, for a comment on a pull request. The items must be in the order LISTING_BY_FILE. Where
 * there are more than fit, the last line says how many were left out. */
void markdown_write(const struct listing *listing, struct buf *out);

/* At most so much; what is left out is counted and said. */
enum { HTML_BYTES_MAX = 20 << 20 };

/* One page of HTML with everything in it: html_write.c. The items must be in the order
 * LISTING_BY_STATE. Where listing->story is NULL it has the findings alone. */
void html_write(const struct listing *listing, struct buf *out);

#endif
