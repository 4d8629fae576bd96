/* SPDX-License-Identifier: Apache-2.0
 *
 * reports.h - checks of what analysis tools write: SARIF, and reviewdog's rdjson and rdjsonl.
 *
 * Rows of dialect/checks.c. What passes a check, hone can read. What hone can read need not pass:
 * its readers forgive what cannot hide a finding. */
#ifndef HONE_DIALECT_SHAPE_REPORTS_H
#define HONE_DIALECT_SHAPE_REPORTS_H

#include "dialect/check.h"

void check_sarif(struct str content, struct check_report *report);
void check_rdjson(struct str content, struct check_report *report);

#endif
