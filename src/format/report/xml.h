/* SPDX-License-Identifier: Apache-2.0
 *
 * xml.h - a document of XML by expat, with our bounds: no document types, so that there are no
 * entities but the five that XML has itself; a fixed salt, so that reading is a function of the
 * text.
 *
 * For the readers of format/report/diagnostic.h. */
#ifndef HONE_FORMAT_REPORT_XML_H
#define HONE_FORMAT_REPORT_XML_H

#include "base/err.h"
#include "base/str.h"

enum { XML_BYTES_MAX = 256 << 20, XML_DEPTH_MAX = 16 };

struct xml {
    /* attributes: names and values in turn; NULL ends. on_end may be NULL. */
    void (*on_start)(void *context, const char *name, const char *const *attributes);
    void (*on_end)(void *context);
    void *context;
    struct err *err;

    /* its own */
    void *parser;
    uint32_t depth;
    int rc;
};

/* Reads the whole text. ERR_FORMAT says what is wrong and in which line. */
int xml_read(struct xml *xml, struct str text);
/* From a handler: nothing more is read, and this is why. */
void xml_stop(struct xml *xml, enum err_code code, const char *what);

/* The value of an attribute; data NULL: it is not there. */
struct str xml_attribute(const char *const *attributes, const char *name);
/* One that is a number; 0: it is not there. Stops where it is no number. */
uint32_t xml_number(struct xml *xml, const char *const *attributes, const char *name);

#endif
