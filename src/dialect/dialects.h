/* SPDX-License-Identifier: Apache-2.0
 *
 * dialects.h - the list of dialects. A new dialect is a row here and a file, or a folder of files,
 * that defines dialect_NAME: `hone run`, hone.json, the help and the manual pages follow from it.
 *
 * For the table (dialects.c), the dialects themselves, and code that means one of them by name. */
#ifndef HONE_DIALECT_DIALECTS_H
#define HONE_DIALECT_DIALECTS_H

#include "dialect/dialect.h"

/* In the order of the help. */
#define DIALECT_ROWS(ROW) \
    ROW(review)           \
    ROW(iterate)          \
    ROW(cycles)           \
    ROW(session)          \
    ROW(loops)

#define DIALECT_DECLARE(name) extern const struct dialect dialect_##name;
DIALECT_ROWS(DIALECT_DECLARE)
#undef DIALECT_DECLARE

#endif
