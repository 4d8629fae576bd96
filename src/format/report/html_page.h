/* SPDX-License-Identifier: Apache-2.0
 *
 * html_page.h - what the parts of the HTML report share: html_write.c has the page, html_drawing.c
 * its drawings, html_finding.c a finding. */
#ifndef HONE_FORMAT_REPORT_HTML_PAGE_H
#define HONE_FORMAT_REPORT_HTML_PAGE_H

#include "format/report/listing.h"

enum { HTML_NAME_MAX = 300, HTML_TEXT_MAX = 8 << 10 };

extern const char report_css[]; /* pages/report.css */

/* One page at work. */
struct html_page {
    const struct listing *listing;
    const struct story *story; /* NULL: the findings alone */
    struct buf *out;
    size_t begin;              /* where the page begins in out */
};

/* Texts from outside: escaped, at most so many bytes of them. */
void html_put(struct html_page *page, struct str text, size_t bytes_max);  /* in one line */
void html_put_lines(struct html_page *page, struct str text, size_t bytes_max);
void html_code(struct html_page *page, struct str text);

/* hone's own words and numbers. */
void html_raw(struct html_page *page, const char *text);
void html_printf(struct html_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void html_time(struct html_page *page, uint64_t ms);     /* <time> with day and time */
void html_span(struct html_page *page, uint64_t from_ms, uint64_t to_ms); /* how long */

/* "round 2"; where a run has several lanes or phases "round 2 of R1, lane t2". */
void html_round(struct html_page *page, uint32_t at);
/* "clean", "findings (2)", "failed (exit)". */
void html_verdict(struct html_page *page, const struct story_attempt *attempt);
/* "critic", or "critic by claude". */
void html_who(struct html_page *page, const char *role, struct str by);

/* The path of a file of a diff (story_diff_name()). */
void html_diff_name(struct html_page *page, struct str name);
/* Lines of a diff, or of a source, as a table of marks for the eye and plain text for the ear. */
void html_hunk(struct html_page *page, const struct story_hunk *hunk);

/* ---- html_drawing.c ---- */

void html_timeline(struct html_page *page);
void html_burn_down(struct html_page *page);

/* ---- html_finding.c ---- */

void html_finding(struct html_page *page, const struct ledger_entry *entry, bool open);

#endif
