/* SPDX-License-Identifier: Apache-2.0
 *
 * rdjson_write.h - findings as reviewdog's rdjson. */
#ifndef HONE_FORMAT_REPORT_RDJSON_WRITE_H
#define HONE_FORMAT_REPORT_RDJSON_WRITE_H

#include "format/report/listing.h"

void rdjson_write(const struct listing *listing, struct buf *out);

#endif
