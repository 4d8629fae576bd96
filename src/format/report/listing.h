/* SPDX-License-Identifier: Apache-2.0
 *
 * listing.h - findings of one run, chosen and in order, and what else the writers of reports say of
 * the run: how it ended, who looked, where the work comes from.
 *
 * The writers of JSON carry every text as it is, as far as their format can: what is not UTF-8
 * becomes U+FFFD. Those whose readers show texts to people (XML, Markdown, commands of a service)
 * make them harmless first (safe.h).
 *
 * Silence is not clean: where the run has not said all it could (`unfinished`), a file was not
 * looked at or a reviewer could not answer, every form that can say so does. */
#ifndef HONE_FORMAT_REPORT_LISTING_H
#define HONE_FORMAT_REPORT_LISTING_H

#include "base/buf.h"
#include "core/ledger.h"
#include "core/plan.h"
#include "format/json/json.h"
#include "format/report/story.h"
#include "format/report/waivers.h"

enum { LISTING_RULE_BYTES_MAX = 255 };

/* A reviewer at one phase of one lane, as it looked last. */
struct listing_look {
    const char *role, *phase;
    const char *by;       /* the backend; "" where that is not known */
    uint32_t lane, round;
    uint32_t looks;       /* how often it was asked, what failed included */
    uint64_t took_ms;     /* all of that together */
    bool ended;           /* false: it is at work, or died with the run */
    enum verdict verdict; /* this and all below: once ended */
    enum failure failure;
    uint32_t finding_count;
    const char *problem;  /* "" where there is none */
};

/* The tree that was looked at last. */
struct listing_source {
    const char *repository; /* an address, without a user or a password; NULL: not known */
    const char *revision;   /* the commit that was checked out; NULL: not known, or none */
    const char *branch;     /* NULL: not known, or none */
    bool changed;           /* the work tree differed from the commit */
};

/* One replacement in a file: from line and column up to, and not with, the end. Columns count
 * bytes; both from 1. */
struct listing_edit {
    struct str file;
    uint32_t line, column, end_line, end_column;
    struct str text;
};

/* What mends a finding, as far as that is known by lines: what its fix would do to the file as it
 * is now; or, of a finding that is fixed, what the repair did to the file as it was then. */
struct listing_fix {
    const struct ledger_entry *entry;
    struct str text;      /* in words; may be empty */
    uint32_t round;       /* the repair of this round did it; 0: it is proposed */
    const struct listing_edit *edits;
    uint32_t count;
};

struct listing {
    const char *run;         /* its name */
    const char *version;     /* of hone */
    const struct plan *plan; /* the names of roles and phases */
    struct coverage coverage; /* how much was looked at */
    const struct waivers *waivers; /* whose reasons are told; NULL: none are known */
    const struct story *story; /* of the run; NULL: it is not told */
    const char *unfinished;  /* why the run has not said all it could; NULL: it has */
    const char *end;         /* how it stands, in a word or three: "clean"; NULL: not known */
    const char *dialect, *workspace; /* NULL: not known */
    uint64_t began_ms, ended_ms;     /* 0: not known */
    const struct listing_look *looks; /* by role, as the plan has them */
    uint32_t look_count;
    struct listing_source source;
    const struct listing_fix *fixes; /* by entry; none where the form does not ask for them */
    uint32_t fix_count;
    const struct ledger_entry **items;
    uint32_t count, cap;
    uint32_t left;           /* so many more fit what was asked for, and are not among the items */
};

/* Of files that were not looked at, a report names so many one by one. */
enum { LISTING_UNLOOKED_MAX = 1000 };

enum listing_order {
    LISTING_BY_STATE, /* open first, the grave ones before the others; then by file and line */
    LISTING_BY_GROUP, /* what is not fixed first; then by file and line */
    LISTING_BY_FILE,  /* by file and line */
    LISTING_BY_SEVERITY, /* the grave ones first; then what is open; then by file and line */
    LISTING_BY_ROUND, /* by the iteration and round of the first report; then by file and line */
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

/* What was said; its kind where nothing was, and "(no text)" where there is none. */
struct str listing_text(const struct ledger_entry *entry);
/* The same for readers that show a place in the workspace or none: where it is about a path that is
 * not in it, with that path in front. */
void listing_words(const struct listing *listing, const struct ledger_entry *entry,
                   struct buf *out);
/* The path below the workspace of an absolute one in there; any other as it is. */
struct str listing_below(const struct listing *listing, struct str file);
/* Appends the path in the workspace that the finding is about, without "." and empty parts on the
 * way; an absolute one is cut at the workspace. False, and "." is appended: it is about none. */
bool listing_path(const struct listing *listing, struct str file, struct buf *out);
/* The columns of a finding in one line, where a byte is a character up to there: the line is known
 * to be ASCII, by its text, which a tool's finding has as evidence. False: that is not known. *end
 * is 0 where its end is not. */
bool listing_columns(const struct finding *finding, uint32_t *start, uint32_t *end);
/* Sorts the fixes, which then are the listing's. */
void listing_put_fixes(struct listing *listing, struct listing_fix *fixes, uint32_t count);
/* What mends it; NULL: nothing is known. */
const struct listing_fix *listing_fix(const struct listing *listing,
                                      const struct ledger_entry *entry);
/* Whether silence of these readers may be taken for "nothing is there": false where the run has not
 * said all it could, or a file was not looked at. */
bool listing_is_whole(const struct listing *listing);
/* "the run failed: an agent could not ..."; nothing where it has said all it could. */
void listing_end_say(const struct listing *listing, struct buf *out);
/* "12 more findings are left out here, ...": items, and files that were not looked at, where there
 * are more than a report names; nothing where there are not. */
void listing_left_say(const struct listing *listing, struct buf *out);
/* "not looked at by gcc: it crashed" */
void unlooked_say_one(const struct unlooked *item, struct buf *out);
/* "failed (exit): ...": why a look is none; false: it is one. */
bool look_problem_say(const struct listing_look *look, struct buf *out);

/* Why it was waived; empty: it was not, or that is not known. */
struct str listing_reason(const struct listing *listing, const struct ledger_entry *entry);

/* What else matters of an entry, for people, "; " before each: "; regressed; 2 votes; by the fix of
 * round 1; tried 2 times". Nothing where nothing does. */
void listing_more_say(const struct listing *listing, const struct ledger_entry *entry,
                      struct buf *out);

/* {"run","findings":[...],"counts":{"open","new",...,"fixed","high","medium","low"}}: each finding
 * as finding_json.h has it, with what the ledger knows of it. The ranks count the open ones. */
void listing_write(const struct listing *listing, struct buf *out);
/* Its members, with counts of more than its items, where these are a part of a list; and one
 * finding. */
void listing_json(const struct listing *listing, const struct listing_counts *counts,
                  yyjson_mut_doc *doc, yyjson_mut_val *root);
yyjson_mut_val *listing_entry_json(const struct listing *listing,
                                   const struct ledger_entry *entry, yyjson_mut_doc *doc);

/* ---- the writers: format/report/forms.h has the table of them ---- */

/* FILE:LINE:COLUMN: severity: text [rule] (ID; what else matters), a line each, and the files that
 * were not looked at. What is noted, waived or fixed is a note. */
void lines_write(const struct listing *listing, struct buf *out);

/* A SARIF 2.1.0 log, as code scanning services take it. */
void sarif_write(const struct listing *listing, struct buf *out);

/* reviewdog's rdjson. */
void rdjson_write(const struct listing *listing, struct buf *out);

/* JUnit's XML: a suite for each reviewer. */
void junit_write(const struct listing *listing, struct buf *out);

/* Checkstyle's XML, version 4.3. */
void checkstyle_write(const struct listing *listing, struct buf *out);

/* GitLab's code quality report: a list of issues as Code Climate has them. */
void gitlab_write(const struct listing *listing, struct buf *out);

/* Workflow commands of GitHub that annotate lines. */
void github_write(const struct listing *listing, struct buf *out);

/* Services take comments of up to 65,536 characters, and summaries of a step up to 1 MiB. */
enum { MARKDOWN_BYTES_MAX = 60000, SUMMARY_BYTES_MAX = 1000 * 1000 };

/* Markdown, for a comment on a pull request, and for the summary of a step of GitHub's. What is
 * open is in the order it comes in: worst first. Where there are more than fit, a line says how
 * many were left out. */
void markdown_write(const struct listing *listing, struct buf *out);
void summary_write(const struct listing *listing, struct buf *out);

/* At most so much; what is left out is counted and said. */
enum { HTML_BYTES_MAX = 20 << 20 };

/* One page of HTML with everything in it: html_write.c. The items must be in the order
 * LISTING_BY_STATE. Where listing->story is NULL it has the findings alone. */
void html_write(const struct listing *listing, struct buf *out);

#endif
