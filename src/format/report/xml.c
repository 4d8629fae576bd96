/* SPDX-License-Identifier: Apache-2.0 */
#include "format/report/xml.h"

#include "base/mem.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

static void *suite_malloc(size_t bytes)
{
    return mem_resize(NULL, bytes);
}

static void *suite_realloc(void *block, size_t bytes)
{
    return mem_resize(block, bytes);
}

static const XML_Memory_Handling_Suite suite = { suite_malloc, suite_realloc, free };

void xml_stop(struct xml *xml, enum err_code code, const char *what)
{
    if (xml->rc != 0) return;
    xml->rc = err_set(xml->err, code, "line %lu: %s",
                      XML_GetCurrentLineNumber((XML_Parser)xml->parser), what);
    XML_StopParser((XML_Parser)xml->parser, XML_FALSE);
}

struct str xml_attribute(const char *const *attributes, const char *name)
{
    for (; *attributes; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) return str_of(attributes[1]);
    }
    return (struct str){ 0 };
}

uint32_t xml_number(struct xml *xml, const char *const *attributes, const char *name)
{
    struct str text = xml_attribute(attributes, name);
    uint64_t value = 0;

    if (!text.data) return 0;
    if (!str_number(text, &value) || value > UINT32_MAX) {
        xml_stop(xml, ERR_FORMAT, "a line, a column or a cwe is no number");
        return 0;
    }
    return (uint32_t)value;
}

static void on_start(void *context, const char *name, const char **attributes)
{
    struct xml *xml = context;

    if (xml->rc != 0) return;
    if (xml->depth++ == XML_DEPTH_MAX) xml_stop(xml, ERR_FORMAT, "too many levels");
    else xml->on_start(xml->context, name, (const char *const *)attributes);
}

static void on_end(void *context, const char *name)
{
    struct xml *xml = context;

    (void)name;
    if (xml->rc != 0) return;
    xml->depth--;
    if (xml->on_end) xml->on_end(xml->context);
}

static void on_doctype(void *context, const char *name, const char *system, const char *public,
                       int has_subset)
{
    (void)name;
    (void)system;
    (void)public;
    (void)has_subset;
    xml_stop(context, ERR_FORMAT, "document types are refused");
}

int xml_read(struct xml *xml, struct str text)
{
    XML_Parser parser;

    if (text.size > XML_BYTES_MAX) {
        return err_set(xml->err, ERR_LIMIT, "the report has %zu bytes", text.size);
    }
    if (str_trim(text).size == 0) return err_set(xml->err, ERR_FORMAT, "there is no report");
    xml->parser = parser = XML_ParserCreate_MM("UTF-8", &suite, NULL);
    XML_SetHashSalt(parser, 1);
    XML_SetUserData(parser, xml);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(parser, on_doctype);
    if (XML_Parse(parser, text.data, (int)text.size, XML_TRUE) != XML_STATUS_OK) {
        xml_stop(xml, ERR_FORMAT, XML_ErrorString(XML_GetErrorCode(parser)));
    }
    XML_ParserFree(parser);
    xml->parser = NULL;
    return xml->rc;
}
