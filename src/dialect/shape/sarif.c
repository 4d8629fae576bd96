/* SPDX-License-Identifier: Apache-2.0
 *
 * sarif.c - SARIF 2.1.0 as tables: the members that hone reads, and those that the schema
 * wants. Others may be there. */
#include "dialect/shape/reports.h"

#include "dialect/shape/shape.h"
#include "format/report/diagnostic.h"

static const char *const levels[] = { "none", "note", "warning", "error", NULL };

static const char *region_wrong(yyjson_val *region)
{
    struct stretch stretch = {
        .line = shape_number(region, "startLine"),
        .column = shape_number(region, "startColumn"),
        .end_line = shape_number(region, "endLine"),
        .end_column = shape_number(region, "endColumn"),
    };

    return stretch_wrong(&stretch);
}

static const struct shape text_shape = {
    FIELDS({ .key = "text", .kind = FIELD_TEXT, .needed = true },
           { .key = "markdown", .kind = FIELD_TEXT }),
};

static const struct shape message_shape = {
    FIELDS({ .key = "text", .kind = FIELD_TEXT },
           { .key = "id", .kind = FIELD_TEXT },
           { .key = "markdown", .kind = FIELD_TEXT },
           { .key = "arguments", .kind = FIELD_TEXTS }),
    .one_of = WORDS("text", "id"),
};

static const struct shape snippet_shape = { FIELDS({ .key = "text", .kind = FIELD_TEXT }) };

static const struct shape region_shape = {
    FIELDS({ .key = "startLine", .kind = FIELD_NUMBER, .least = 1 },
           { .key = "startColumn", .kind = FIELD_NUMBER, .least = 1 },
           { .key = "endLine", .kind = FIELD_NUMBER, .least = 1 },
           { .key = "endColumn", .kind = FIELD_NUMBER, .least = 1 },
           { .key = "charOffset", .kind = FIELD_NUMBER, .least = -1 },
           { .key = "charLength", .kind = FIELD_NUMBER },
           { .key = "byteOffset", .kind = FIELD_NUMBER, .least = -1 },
           { .key = "byteLength", .kind = FIELD_NUMBER },
           { .key = "snippet", .kind = FIELD_OBJECT, .shape = &snippet_shape }),
    .one_of = WORDS("startLine", "charOffset", "byteOffset"),
    .wrong = region_wrong,
};

static const struct shape artifact_location_shape = {
    FIELDS({ .key = "uri", .kind = FIELD_TEXT },
           { .key = "uriBaseId", .kind = FIELD_TEXT },
           { .key = "index", .kind = FIELD_NUMBER, .least = -1 }),
    .one_of = WORDS("uri", "index"),
};

static const struct shape base_shape = { /* of which the address may be kept secret */
    FIELDS({ .key = "uri", .kind = FIELD_TEXT },
           { .key = "uriBaseId", .kind = FIELD_TEXT }),
};

static const struct shape physical_shape = {
    FIELDS({ .key = "artifactLocation", .kind = FIELD_OBJECT, .shape = &artifact_location_shape },
           { .key = "region", .kind = FIELD_OBJECT, .shape = &region_shape },
           { .key = "contextRegion", .kind = FIELD_OBJECT, .shape = &region_shape }),
};

static const struct shape location_shape = {
    FIELDS({ .key = "physicalLocation", .kind = FIELD_OBJECT, .shape = &physical_shape },
           { .key = "message", .kind = FIELD_OBJECT, .shape = &message_shape }),
};

static const struct shape content_shape = {
    FIELDS({ .key = "text", .kind = FIELD_TEXT },
           { .key = "binary", .kind = FIELD_TEXT }),
};

static const struct shape replacement_shape = {
    FIELDS({ .key = "deletedRegion", .kind = FIELD_OBJECT, .needed = true, .shape = &region_shape },
           { .key = "insertedContent", .kind = FIELD_OBJECT, .shape = &content_shape }),
};

static const struct shape change_shape = {
    FIELDS({ .key = "artifactLocation", .kind = FIELD_OBJECT, .needed = true,
             .shape = &artifact_location_shape },
           { .key = "replacements", .kind = FIELD_LIST, .needed = true,
             .shape = &replacement_shape }),
};

static const struct shape sarif_fix_shape = {
    FIELDS({ .key = "description", .kind = FIELD_OBJECT, .shape = &message_shape },
           { .key = "artifactChanges", .kind = FIELD_LIST, .needed = true,
             .shape = &change_shape }),
};

static const struct shape suppression_shape = {
    FIELDS({ .key = "kind", .kind = FIELD_WORD, .needed = true,
             .words = WORDS("inSource", "external") },
           { .key = "status", .kind = FIELD_WORD,
             .words = WORDS("accepted", "underReview", "rejected") }),
};

static const struct shape rule_reference_shape = {
    FIELDS({ .key = "id", .kind = FIELD_TEXT },
           { .key = "index", .kind = FIELD_NUMBER, .least = -1 }),
};

static const struct shape result_shape = {
    FIELDS({ .key = "message", .kind = FIELD_OBJECT, .needed = true, .shape = &message_shape },
           { .key = "ruleId", .kind = FIELD_TEXT },
           { .key = "ruleIndex", .kind = FIELD_NUMBER, .least = -1 },
           { .key = "rule", .kind = FIELD_OBJECT, .shape = &rule_reference_shape },
           { .key = "level", .kind = FIELD_WORD, .words = levels, .code = "bad-level" },
           { .key = "kind", .kind = FIELD_WORD,
             .words = WORDS("notApplicable", "pass", "fail", "review", "open",
                                             "informational") },
           { .key = "baselineState", .kind = FIELD_WORD,
             .words = WORDS("new", "unchanged", "updated", "absent") },
           { .key = "analysisTarget", .kind = FIELD_OBJECT, .shape = &artifact_location_shape },
           { .key = "locations", .kind = FIELD_LIST, .shape = &location_shape },
           { .key = "relatedLocations", .kind = FIELD_LIST, .shape = &location_shape },
           { .key = "fixes", .kind = FIELD_LIST, .shape = &sarif_fix_shape },
           { .key = "suppressions", .kind = FIELD_LIST, .or_null = true,
             .shape = &suppression_shape }),
};

static const struct shape configuration_shape = {
    FIELDS({ .key = "level", .kind = FIELD_WORD, .words = levels, .code = "bad-level" }),
};

static const struct shape rule_shape = {
    FIELDS({ .key = "id", .kind = FIELD_TEXT, .needed = true },
           { .key = "name", .kind = FIELD_TEXT },
           { .key = "helpUri", .kind = FIELD_TEXT },
           { .key = "help", .kind = FIELD_OBJECT, .shape = &text_shape },
           { .key = "shortDescription", .kind = FIELD_OBJECT, .shape = &text_shape },
           { .key = "fullDescription", .kind = FIELD_OBJECT, .shape = &text_shape },
           { .key = "messageStrings", .kind = FIELD_MAP, .shape = &text_shape },
           { .key = "defaultConfiguration", .kind = FIELD_OBJECT, .shape = &configuration_shape }),
};

static const struct shape component_shape = {
    FIELDS({ .key = "name", .kind = FIELD_TEXT, .needed = true },
           { .key = "version", .kind = FIELD_TEXT },
           { .key = "semanticVersion", .kind = FIELD_TEXT },
           { .key = "informationUri", .kind = FIELD_TEXT },
           { .key = "globalMessageStrings", .kind = FIELD_MAP, .shape = &text_shape },
           { .key = "rules", .kind = FIELD_LIST, .shape = &rule_shape }),
};

static const struct shape tool_shape = {
    FIELDS({ .key = "driver", .kind = FIELD_OBJECT, .needed = true, .shape = &component_shape },
           { .key = "extensions", .kind = FIELD_LIST, .shape = &component_shape }),
};

static const struct shape notification_shape = {
    FIELDS({ .key = "message", .kind = FIELD_OBJECT, .needed = true, .shape = &message_shape },
           { .key = "level", .kind = FIELD_WORD, .words = levels, .code = "bad-level" }),
};

static const struct shape invocation_shape = {
    FIELDS({ .key = "executionSuccessful", .kind = FIELD_FLAG, .needed = true },
           { .key = "toolExecutionNotifications", .kind = FIELD_LIST,
             .shape = &notification_shape },
           { .key = "toolConfigurationNotifications", .kind = FIELD_LIST,
             .shape = &notification_shape }),
};

static const struct shape artifact_shape = {
    FIELDS({ .key = "location", .kind = FIELD_OBJECT, .shape = &artifact_location_shape },
           { .key = "parentIndex", .kind = FIELD_NUMBER, .least = -1 }),
};

static const struct shape run_shape = {
    FIELDS({ .key = "tool", .kind = FIELD_OBJECT, .needed = true, .shape = &tool_shape },
           { .key = "results", .kind = FIELD_LIST, .or_null = true, .shape = &result_shape },
           { .key = "artifacts", .kind = FIELD_LIST, .shape = &artifact_shape },
           { .key = "invocations", .kind = FIELD_LIST, .shape = &invocation_shape },
           { .key = "originalUriBaseIds", .kind = FIELD_MAP, .shape = &base_shape },
           { .key = "columnKind", .kind = FIELD_WORD,
             .words = WORDS("utf16CodeUnits", "unicodeCodePoints") }),
};

static const struct shape log_shape = {
    FIELDS({ .key = "$schema", .kind = FIELD_TEXT },
           { .key = "version", .kind = FIELD_WORD, .needed = true,
             .words = WORDS("2.1.0"), .code = "bad-version" },
           { .key = "runs", .kind = FIELD_LIST, .needed = true, .shape = &run_shape }),
};

void check_sarif(struct str content, struct check_report *report)
{
    content = shape_content(content, report);
    shape_check(&log_shape, content, 0, report);
    shape_check_read(sarif_read, content, report);
}
