/* SPDX-License-Identifier: Apache-2.0
 *
 * schema.h - the tables of the journal, by version. */
#ifndef HONE_STORE_SCHEMA_H
#define HONE_STORE_SCHEMA_H

#include "base/err.h"
#include "store/database.h"

/* Brings a database to the newest version, an empty one included. One that is opened to read only
 * stays of the version it has, and must not be empty: ERR_MISSING. A newer version or a database
 * of another program is ERR_FORMAT, and is not touched. */
int schema_prepare(struct database *db, struct err *err);

#endif
