/* SPDX-License-Identifier: Apache-2.0
 *
 * xml_write.h - texts of any bytes as parts of an XML 1.0 document, for the writers of reports.
 *
 * What XML cannot hold, and what people would not see, is shown by its number (safe.h): what is
 * written is valid UTF-8 without controls, and no text ends what it stands in. */
#ifndef HONE_FORMAT_REPORT_XML_WRITE_H
#define HONE_FORMAT_REPORT_XML_WRITE_H

#include "base/buf.h"
#include "base/str.h"

/* ` name="value"`, in one line. At most bytes_max of the value, before it is escaped; 0: all. */
void xml_add_attribute(struct buf *out, const char *name, struct str value, size_t bytes_max);
/* The same of a number. */
void xml_add_number(struct buf *out, const char *name, uint64_t number);
/* What stands between tags; lines stay lines. */
void xml_add_text(struct buf *out, struct str text, size_t bytes_max);

#endif
