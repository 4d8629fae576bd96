/* SPDX-License-Identifier: Apache-2.0
 *
 * cppcheck_xml.c - what `cppcheck --xml` writes, by expat.
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
 * 1. A document type is refused before anything of it is read, so there are no entities but the
 *    five that XML has itself.
 * 2. The root must be <results version="2">, with one <errors>: XML of another program is an error,
 *    not a report without findings. Elements that are not known here are skipped, with all they
 *    hold.
 * 3. The first location is the primary one; the others tell how it came to that, and are help.
 * 4. What cppcheck says about itself (severity information) is no diagnostic. Where it says that it
 *    could not look at a file at all, that is the failure.
 * 5. Columns are bytes, a tab is one; 0 is not said. There are no fixes.
 * 6. The hash salt is fixed: reading is a function of the text. */
#include "format/report/diagnostic.h"

#include "base/mem.h"
#include "format/report/hints.h"
#include "format/text/words.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_BYTES_MAX = 256 << 20, DEPTH_MAX = 16 };

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
    XML_Parser parser;
    enum state states[DEPTH_MAX]; /* of the elements we are in, the root first */
    uint32_t depth;
    bool has_errors;
    struct diagnostic item; /* of the <error> we are in, and the three below */
    uint32_t locations;
    bool about_itself;
    struct hints hints;
    struct diagnostics *out;
    struct err *err;
    int rc; /* once it is not 0, everything else is ignored */
};

static void *suite_malloc(size_t bytes)
{
    return mem_resize(NULL, bytes);
}

static void *suite_realloc(void *block, size_t bytes)
{
    return mem_resize(block, bytes);
}

static const XML_Memory_Handling_Suite suite = { suite_malloc, suite_realloc, free };

static void stop_reading(struct reading *reading, enum err_code code, const char *what)
{
    if (reading->rc != 0) return;
    reading->rc = err_set(reading->err, code, "line %lu: %s",
                          XML_GetCurrentLineNumber(reading->parser), what);
    XML_StopParser(reading->parser, XML_FALSE);
}

static struct str attribute(const char *const *attributes, const char *name)
{
    for (; *attributes; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) return str_of(attributes[1]);
    }
    return (struct str){ 0 };
}

/* An attribute that is a number, or is not there. */
static uint32_t number(struct reading *reading, const char *const *attributes, const char *name)
{
    struct str text = attribute(attributes, name);
    uint64_t value = 0;

    if (!text.data) return 0;
    if (!str_number(text, &value) || value > UINT32_MAX) {
        stop_reading(reading, ERR_FORMAT, "a line, a column or a cwe is no number");
        return 0;
    }
    return (uint32_t)value;
}

/* ---- elements ---------------------------------------------------------------------------- */

static void on_results(struct reading *reading, const char *const *attributes)
{
    if (!str_is(attribute(attributes, "version"), "2")) {
        stop_reading(reading, ERR_FORMAT, "these are no results of version 2");
    }
}

static void on_name(struct reading *reading, const char *const *attributes)
{
    reading->out->tool = STR("Cppcheck");
    reading->out->version = arena_copy(&reading->out->arena, attribute(attributes, "version"));
}

static void on_errors(struct reading *reading)
{
    if (reading->has_errors) stop_reading(reading, ERR_FORMAT, "<errors> stands twice");
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
    struct str id = attribute(attributes, "id");
    struct str word = attribute(attributes, "severity");
    struct str text = attribute(attributes, "msg");
    struct str verbose = attribute(attributes, "verbose");
    uint32_t cwe = number(reading, attributes, "cwe");

    *item = (struct diagnostic){ 0 };
    reading->locations = 0;
    reading->about_itself = is_about_itself(word);
    hints_clear(&reading->hints);
    if (!id.size || !word.size || !text.data) {
        stop_reading(reading, ERR_FORMAT, "an error without id, severity or msg");
        return;
    }
    item->severity = severity_of(word);
    item->rule = diagnostic_text(out, id);
    item->text = diagnostic_text(out, text.size ? text : id);
    item->unit = arena_copy(&out->arena, attribute(attributes, "file0"));
    if (!str_eq(verbose, text)) {
        hints_add(&reading->hints, joined(&out->arena, verbose), 0);
    }
    if (cwe) hints_add(&reading->hints, str_of(arena_printf(&out->arena, "CWE-%u", cwe)), 0);
}

static void on_location(struct reading *reading, const char *const *attributes)
{
    struct diagnostic *item = &reading->item;
    struct str file = attribute(attributes, "file");
    uint32_t line = number(reading, attributes, "line");
    uint32_t column = number(reading, attributes, "column");

    if (reading->rc != 0) return;
    if (!file.size) {
        stop_reading(reading, ERR_FORMAT, "a location without a file");
    } else if (reading->locations++ > 0) {
        hints_add(&reading->hints, attribute(attributes, "info"), line);
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
    else stop_reading(reading, ERR_LIMIT, "too many errors");
}

/* ---- the parser -------------------------------------------------------------------------- */

static void on_start(void *context, const char *name, const char **attributes)
{
    struct reading *reading = context;
    const char *const *list = (const char *const *)attributes;
    enum state inside = reading->depth ? reading->states[reading->depth - 1] : IN_DOCUMENT;
    enum state state = IN_OTHER;

    if (reading->rc != 0) return;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        if (elements[i].inside == inside && strcmp(elements[i].name, name) == 0) {
            state = elements[i].state;
        }
    }
    if (inside == IN_DOCUMENT && state != IN_RESULTS) {
        stop_reading(reading, ERR_FORMAT, "this is not cppcheck's");
    } else if (reading->depth == DEPTH_MAX) {
        stop_reading(reading, ERR_FORMAT, "too many levels");
    } else {
        reading->states[reading->depth++] = state;
        if (state == IN_RESULTS) on_results(reading, list);
        if (state == IN_NAME) on_name(reading, list);
        if (state == IN_ERRORS) on_errors(reading);
        if (state == IN_ERROR) on_error(reading, list);
        if (state == IN_LOCATION) on_location(reading, list);
    }
}

static void on_end(void *context, const char *name)
{
    struct reading *reading = context;

    (void)name;
    if (reading->rc != 0) return;
    if (reading->states[--reading->depth] == IN_ERROR) on_error_end(reading);
}

static void on_doctype(void *context, const char *name, const char *system, const char *public,
                       int has_subset)
{
    (void)name;
    (void)system;
    (void)public;
    (void)has_subset;
    stop_reading(context, ERR_FORMAT, "document types are refused");
}

static int parse(struct reading *reading, struct str text)
{
    enum XML_Status status = XML_Parse(reading->parser, text.data, (int)text.size, XML_TRUE);

    if (reading->rc != 0) return reading->rc;
    if (status != XML_STATUS_OK) {
        stop_reading(reading, ERR_FORMAT, XML_ErrorString(XML_GetErrorCode(reading->parser)));
    } else if (!reading->has_errors) {
        stop_reading(reading, ERR_FORMAT, "there is no <errors>");
    }
    return reading->rc;
}

int cppcheck_xml_read(struct str text, struct diagnostics *out, struct err *err)
{
    struct reading reading = { .out = out, .err = err };
    int rc;

    if (text.size > REPORT_BYTES_MAX) {
        return err_set(err, ERR_LIMIT, "cppcheck's report has %zu bytes", text.size);
    }
    if (str_trim(text).size == 0) return err_set(err, ERR_FORMAT, "cppcheck wrote no report");
    reading.parser = XML_ParserCreate_MM("UTF-8", &suite, NULL);
    XML_SetHashSalt(reading.parser, 1);
    XML_SetUserData(reading.parser, &reading);
    XML_SetElementHandler(reading.parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(reading.parser, on_doctype);
    hints_init(&reading.hints);
    rc = parse(&reading, text);
    hints_release(&reading.hints);
    XML_ParserFree(reading.parser);
    if (rc != 0) return err_wrap(err, "cppcheck's report");
    return 0;
}
