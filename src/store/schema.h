/* SPDX-License-Identifier: Apache-2.0
 *
 * schema.h - the tables of the journal, by version. */
#ifndef HONE_STORE_SCHEMA_H
#define HONE_STORE_SCHEMA_H

#include "base/err.h"
#include "store/database.h"

/* Brings a database to the newest version, an empty one included. One that is opened to read only
 * must have it already: ERR_MISSING while it is empty, ERR_FORMAT when it is older. A newer
 * version or a database of another program is ERR_FORMAT, and is not touched. */
int schema_prepare(struct database *db, struct err *err);

#endif
