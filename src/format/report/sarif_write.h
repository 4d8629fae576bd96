/* SPDX-License-Identifier: Apache-2.0
 *
 * sarif_write.h - findings as a SARIF 2.1.0 log, as code scanning services take it. */
#ifndef HONE_FORMAT_REPORT_SARIF_WRITE_H
#define HONE_FORMAT_REPORT_SARIF_WRITE_H

#include "format/report/listing.h"

void sarif_write(const struct listing *listing, struct buf *out);

#endif
