/* SPDX-License-Identifier: Apache-2.0
 *
 * checkstyle.c - checkstyle's XML, which many linters can write:
 *
 *     <checkstyle version="4.3">
 *         <file name="a.js">
 *             <error line="3" column="7" severity="warning" message="no" source="eslint.no-x"/>
 *         </file>
 *     </checkstyle>
 *
 * 1. The root must be <checkstyle>; elements that are not known here are skipped.
 * 2. An <error> stands in a <file> with a name, and has a message.
 * 3. Columns count characters. There are no fixes. */
#include "format/report/diagnostic.h"
#include "format/report/xml.h"

#include <string.h>

struct style_reading {
    struct xml xml;
    struct diagnostics *out;
    uint32_t depth, file_depth; /* 0: in no <file> */
    struct str file;
};

static void on_error(struct style_reading *reading, const char *const *attributes)
{
    struct diagnostics *out = reading->out;
    struct str message = xml_attribute(attributes, "message");
    uint32_t line = xml_number(&reading->xml, attributes, "line");
    uint32_t column = xml_number(&reading->xml, attributes, "column");
    struct diagnostic *to;

    if (reading->xml.rc != 0) return;
    if (reading->file_depth == 0 || message.size == 0) {
        xml_stop(&reading->xml, ERR_FORMAT, "an error outside of a file, or without a message");
        return;
    }
    to = diagnostic_add(out);
    if (!to) {
        xml_stop(&reading->xml, ERR_LIMIT, "too many errors");
        return;
    }
    to->severity = severity_of_word(xml_attribute(attributes, "severity"));
    to->rule = diagnostic_text(out, xml_attribute(attributes, "source"));
    to->text = diagnostic_text(out, message);
    to->file = reading->file;
    to->place = (struct place){ .line = line, .column = line ? column : 0,
                                .unit = COLUMN_CODE_POINTS };
}

static void on_start(void *context, const char *name, const char *const *attributes)
{
    struct style_reading *reading = context;
    struct str file = xml_attribute(attributes, "name");

    if (reading->depth++ == 0 && strcmp(name, "checkstyle") != 0) {
        xml_stop(&reading->xml, ERR_FORMAT, "this is not checkstyle's");
    } else if (reading->depth == 2 && strcmp(name, "file") == 0 && file.size == 0) {
        xml_stop(&reading->xml, ERR_FORMAT, "a file without a name");
    } else if (reading->depth == 2 && strcmp(name, "file") == 0) {
        reading->file = arena_copy(&reading->out->arena, file);
        reading->file_depth = reading->depth;
    } else if (strcmp(name, "error") == 0) {
        on_error(reading, attributes);
    }
}

static void on_end(void *context)
{
    struct style_reading *reading = context;

    if (reading->depth-- == reading->file_depth) reading->file_depth = 0;
}

int checkstyle_read(struct str text, struct diagnostics *out, struct err *err)
{
    struct style_reading reading = { .out = out };

    reading.xml = (struct xml){ .on_start = on_start, .on_end = on_end, .context = &reading,
                                .err = err };
    return xml_read(&reading.xml, text) == 0 ? 0 : err_wrap(err, "checkstyle");
}
