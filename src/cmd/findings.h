/* SPDX-License-Identifier: Apache-2.0
 *
 * findings.h - what verbs that write findings share; findings over runs. */
#ifndef HONE_CMD_FINDINGS_H
#define HONE_CMD_FINDINGS_H

#include "cmd/page.h"
#include "cmd/parse.h"
#include "run/finding_filter.h"
#include "run/finding_id.h"
#include "run/listed.h"

/* What verbs that write findings share. */

/* The form of that name; ERR_USAGE says which there are. other: one more name that the verb knows;
 * may be NULL. */
int findings_form(const char *name, const char *other, const struct form **out, struct err *err);
/* What --state, --severity and the other filters of the command line ask for; states: where there
 * is no --state, NULL for all. */
int findings_filter(const struct call *call, const char *states, struct finding_filter *out,
                    struct err *err);
/* The forms, for a page of the help. */
void findings_forms_help(struct page *page);

/* across.c: hone findings --across [ID]; the exit code. Of the filter states, severity and file
 * count, for what each finding was when it was seen last. */
int findings_across(struct call *call, const struct finding_filter *filter);

#endif
