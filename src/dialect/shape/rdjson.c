/* SPDX-License-Identifier: Apache-2.0
 *
 * rdjson.c - rdjson and rdjsonl as tables: all members, under both names that protobuf's JSON
 * gives them. Any other member is a problem: reviewdog refuses it. */
#include "dialect/shape/reports.h"

#include "dialect/shape/shape.h"
#include "format/report/diagnostic.h"

static const char *const severities[] = { "UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO", NULL };

static const char *range_wrong(yyjson_val *range)
{
    yyjson_val *start = yyjson_obj_get(range, "start");
    yyjson_val *end = yyjson_obj_get(range, "end");

    struct stretch stretch = {
        .line = shape_number(start, "line"),
        .column = shape_number(start, "column"),
        .end_line = shape_number(end, "line"),
        .end_column = shape_number(end, "column"),
    };

    return stretch_wrong(&stretch);
}

#define MEMBERS(...) FIELDS(__VA_ARGS__), .protobuf = true

static const struct shape position_shape = {
    MEMBERS({ .key = "line", .kind = FIELD_NUMBER },
            { .key = "column", .kind = FIELD_NUMBER }),
};

static const struct shape range_shape = {
    MEMBERS({ .key = "start", .kind = FIELD_OBJECT, .needed = true, .shape = &position_shape },
            { .key = "end", .kind = FIELD_OBJECT, .shape = &position_shape }),
    .wrong = range_wrong,
};

static const struct shape path_shape = {
    MEMBERS({ .key = "path", .kind = FIELD_TEXT, .needed = true },
            { .key = "range", .kind = FIELD_OBJECT, .shape = &range_shape }),
};

static const struct shape source_shape = {
    MEMBERS({ .key = "name", .kind = FIELD_TEXT },
            { .key = "url", .kind = FIELD_TEXT }),
};

static const struct shape code_shape = {
    MEMBERS({ .key = "value", .kind = FIELD_TEXT },
            { .key = "url", .kind = FIELD_TEXT }),
};

static const struct shape suggestion_shape = {
    MEMBERS({ .key = "range", .kind = FIELD_OBJECT, .needed = true, .shape = &range_shape },
            { .key = "text", .kind = FIELD_TEXT }),
};

static const struct shape related_shape = {
    MEMBERS({ .key = "message", .kind = FIELD_TEXT },
            { .key = "location", .kind = FIELD_OBJECT, .shape = &path_shape }),
};

static const struct shape diagnostic_shape = {
    MEMBERS({ .key = "message", .kind = FIELD_TEXT, .needed = true },
            { .key = "location", .kind = FIELD_OBJECT, .needed = true, .shape = &path_shape },
            { .key = "severity", .kind = FIELD_WORD, .words = severities, .code = "bad-severity" },
            { .key = "source", .kind = FIELD_OBJECT, .shape = &source_shape },
            { .key = "code", .kind = FIELD_OBJECT, .shape = &code_shape },
            { .key = "suggestions", .kind = FIELD_LIST, .shape = &suggestion_shape },
            { .key = "original_output", .alias = "originalOutput", .kind = FIELD_TEXT },
            { .key = "related_locations", .alias = "relatedLocations", .kind = FIELD_LIST,
              .shape = &related_shape }),
};

static const struct shape rdjson_shape = {
    MEMBERS({ .key = "diagnostics", .kind = FIELD_LIST, .needed = true,
              .shape = &diagnostic_shape },
            { .key = "source", .kind = FIELD_OBJECT, .shape = &source_shape },
            { .key = "severity", .kind = FIELD_WORD, .words = severities, .code = "bad-severity" }),
};

void check_rdjson(struct str content, struct check_report *report)
{
    struct str rest, line;

    content = rest = shape_content(content, report);
    if (rdjson_is_lines(content)) {
        for (uint32_t before = 0; str_cut(&rest, '\n', &line); before++) {
            if (str_trim(line).size) shape_check(&diagnostic_shape, line, before, report);
        }
    } else {
        shape_check(&rdjson_shape, content, 0, report);
    }
    shape_check_read(rdjson_read, content, report);
}
