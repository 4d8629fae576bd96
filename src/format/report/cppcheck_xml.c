/* SPDX-License-Identifier: Apache-2.0
 *
 * cppcheck_xml.c - what `cppcheck --xml` writes.
 *
 *     <?xml version="1.0" encoding="UTF-8"?>
 *     <results version="2">
 *         <cppcheck version="2.10"/>
 *         <errors>
 *             <error id="memleak" severity="error" msg="Memory leak: p" verbose="..." cwe="401"
 *                    file0="a.c">
 *                 <location file="a.c" line="11" column="17"/>
 *                 <symbol>p</symbol>
 *             </error>
 *         </errors>
 *     </results>
 *
 * 1. The root must be <results version="2">, with one <errors>: XML of another program is an error,
 *    not a report without findings. Elements that are not known here are skipped, with all they
 *    hold.
 * 2. The first location is the primary one; the others tell how it came to that, and are help.
 * 3. What cppcheck says about itself (severity information) is no diagnostic. Where it says that it
 *    could not look at a file at all, that is the failure.
 * 4. Columns are bytes, a tab is one; 0 is not said. There are no fixes. */
#include "format/report/diagnostic.h"

#include "format/report/hints.h"
#include "format/report/xml.h"
#include "format/text/words.h"

#include <string.h>

/* Where an element may stand: the state inside of its parent. */
enum state { IN_DOCUMENT, IN_RESULTS, IN_NAME, IN_ERRORS, IN_ERROR, IN_LOCATION, IN_OTHER };

static const struct { enum state inside; const char *name; enum state state; } elements[] = {
    { IN_DOCUMENT, "results",  IN_RESULTS },
    { IN_RESULTS,  "cppcheck", IN_NAME },
    { IN_RESULTS,  "errors",   IN_ERRORS },
    { IN_ERRORS,   "error",    IN_ERROR },
    { IN_ERROR,    "location", IN_LOCATION },
};

struct reading {
    struct xml xml;
    enum state states[XML_DEPTH_MAX]; /* of the elements we are in, the root first */
    uint32_t depth;
    bool has_errors;
    struct diagnostic item; /* of the <error> we are in, and the three below */
    uint32_t locations;
    bool about_itself;
    struct hints hints;
    struct diagnostics *out;
};

/* ---- elements ---------------------------------------------------------------------------- */

static void on_results(struct reading *reading, const char *const *attributes)
{
    if (!str_is(xml_attribute(attributes, "version"), "2")) {
        xml_stop(&reading->xml, ERR_FORMAT, "these are no results of version 2");
    }
}

static void on_name(struct reading *reading, const char *const *attributes)
{
    reading->out->tool = STR("Cppcheck");
    reading->out->version = arena_copy(&reading->out->arena, xml_attribute(attributes, "version"));
}

static void on_errors(struct reading *reading)
{
    if (reading->has_errors) xml_stop(&reading->xml, ERR_FORMAT, "<errors> stands twice");
    reading->has_errors = true;
}

static enum severity severity_of(struct str word)
{
    if (str_is(word, "error")) return SEVERITY_HIGH;
    if (str_is(word, "style") || str_is(word, "performance") || str_is(word, "portability")) {
        return SEVERITY_LOW;
    }
    return SEVERITY_MEDIUM;
}

static bool is_about_itself(struct str word)
{
    return str_is(word, "information") || str_is(word, "debug") || str_is(word, "internal") ||
           str_is(word, "none");
}

/* cppcheck writes a line end as \012. */
static struct str joined(struct arena *arena, struct str text)
{
    char *to = arena_alloc(arena, text.size + 1);
    size_t size = 0;

    while (text.size) {
        bool is_end = str_starts(text, STR("\\012"));
        to[size++] = is_end ? ' ' : text.data[0];
        text = str_skip(text, is_end ? 4 : 1);
    }
    return (struct str){ to, size };
}

static void on_error(struct reading *reading, const char *const *attributes)
{
    struct diagnostics *out = reading->out;
    struct diagnostic *item = &reading->item;
    struct str id = xml_attribute(attributes, "id");
    struct str word = xml_attribute(attributes, "severity");
    struct str text = xml_attribute(attributes, "msg");
    struct str verbose = xml_attribute(attributes, "verbose");
    uint32_t cwe = xml_number(&reading->xml, attributes, "cwe");

    *item = (struct diagnostic){ 0 };
    reading->locations = 0;
    reading->about_itself = is_about_itself(word);
    hints_clear(&reading->hints);
    if (!id.size || !word.size || !text.data) {
        xml_stop(&reading->xml, ERR_FORMAT, "an error without id, severity or msg");
        return;
    }
    item->severity = severity_of(word);
    item->rule = diagnostic_text(out, id);
    item->text = diagnostic_text(out, text.size ? text : id);
    item->unit = arena_copy(&out->arena, xml_attribute(attributes, "file0"));
    if (!str_eq(verbose, text)) {
        hints_add(&reading->hints, joined(&out->arena, verbose), 0);
    }
    if (cwe) hints_add(&reading->hints, str_of(arena_printf(&out->arena, "CWE-%u", cwe)), 0);
}

static void on_location(struct reading *reading, const char *const *attributes)
{
    struct diagnostic *item = &reading->item;
    struct str file = xml_attribute(attributes, "file");
    uint32_t line = xml_number(&reading->xml, attributes, "line");
    uint32_t column = xml_number(&reading->xml, attributes, "column");

    if (reading->xml.rc != 0) return;
    if (!file.size) {
        xml_stop(&reading->xml, ERR_FORMAT, "a location without a file");
    } else if (reading->locations++ > 0) {
        hints_add_in(&reading->hints, xml_attribute(attributes, "info"), file, item->file, line);
    } else {
        item->file = arena_copy(&reading->out->arena, file);
        item->place.line = line;
        item->place.column = line ? column : 0;
    }
}

/* Those with which cppcheck says that it did not get to look: it broke, or a process of it, or it
 * gave up, or no combination of conditions was left. A syntax error is none of them: the source
 * has it. */
static bool is_failure(struct str id)
{
    static const char *const ids[] = {
        "internalError", "cppcheckError", "cppcheckLimit", "instantiationError",
        "noValidConfiguration", NULL,
    };

    return text_is_one_of(id, ids);
}

static void on_error_end(struct reading *reading)
{
    struct diagnostic *item = &reading->item, *added;
    struct diagnostics *out = reading->out;

    if (is_failure(item->rule)) {
        item->severity = SEVERITY_HIGH;
        if (!out->failure.size) {
            out->failure = str_of(arena_printf(&out->arena, "%.*s%s%.*s: %.*s",
                                               STR_ARG(item->file), item->file.size ? ": " : "",
                                               STR_ARG(item->rule), STR_ARG(item->text)));
        }
    } else if (reading->about_itself) {
        return;
    }
    item->help = hints_text(&reading->hints, out);
    if (str_eq(item->unit, item->file)) item->unit = (struct str){ 0 };
    added = diagnostic_add(out);
    if (added) *added = *item;
    else xml_stop(&reading->xml, ERR_LIMIT, "too many errors");
}

/* ---- the parser -------------------------------------------------------------------------- */

static void on_start(void *context, const char *name, const char *const *list)
{
    struct reading *reading = context;
    enum state inside = reading->depth ? reading->states[reading->depth - 1] : IN_DOCUMENT;
    enum state state = IN_OTHER;

    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        if (elements[i].inside == inside && strcmp(elements[i].name, name) == 0) {
            state = elements[i].state;
        }
    }
    if (inside == IN_DOCUMENT && state != IN_RESULTS) {
        xml_stop(&reading->xml, ERR_FORMAT, "this is not cppcheck's");
        return;
    }
    reading->states[reading->depth++] = state;
    if (state == IN_RESULTS) on_results(reading, list);
    if (state == IN_NAME) on_name(reading, list);
    if (state == IN_ERRORS) on_errors(reading);
    if (state == IN_ERROR) on_error(reading, list);
    if (state == IN_LOCATION) on_location(reading, list);
}

static void on_end(void *context)
{
    struct reading *reading = context;

    if (reading->states[--reading->depth] == IN_ERROR) on_error_end(reading);
}

int cppcheck_xml_read(struct str text, struct diagnostics *out, struct err *err)
{
    struct reading reading = { .out = out };
    int rc;

    reading.xml = (struct xml){ .on_start = on_start, .on_end = on_end, .context = &reading,
                                .err = err };
    hints_init(&reading.hints);
    rc = xml_read(&reading.xml, text);
    hints_release(&reading.hints);
    if (rc == 0 && !reading.has_errors) rc = err_set(err, ERR_FORMAT, "there is no <errors>");
    return rc == 0 ? 0 : err_wrap(err, "cppcheck's report");
}
