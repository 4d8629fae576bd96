/* SPDX-License-Identifier: Apache-2.0
 *
 * contract_rows.h - rules of a contract as rows: a text that keeps the rule and one that breaks it.
 *
 * Both are made from one good text by one edit each, so that a row shows only what matters. */
#ifndef HONE_TESTS_UNIT_CONTRACT_ROWS_H
#define HONE_TESTS_UNIT_CONTRACT_ROWS_H

#include "dialect/check.h"

struct contract_row {
    const char *code; /* NULL ends a table */
    uint32_t line;    /* where the bad text has its problem */
    const char *from; /* in the good text, once */
    const char *bad;  /* instead of it, and the text has this one problem */
    const char *good; /* instead of it, and the text has none; NULL: as it is */
};

/* An edit of a good text, and what must come of it. */
struct contract_edit {
    const char *from, *to; /* from NULL ends a table */
};

typedef void contract_check(struct str content, struct check_report *report);

/* The text with `to` instead of `from`, which it must have once. To be freed. */
char *edited(const char *text, const char *from, const char *to);

/* Fails, with the row, where a text does not have what the row says. */
void check_rows(contract_check *check, const char *text, const struct contract_row *rows);
/* Every edit leaves a text without a problem. */
void check_forgiven(contract_check *check, const char *text, const struct contract_edit *edits);
/* A text has exactly these codes, in this order, with a blank between. */
void check_codes(contract_check *check, const char *text, const char *codes);

#endif
