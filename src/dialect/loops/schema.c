/* SPDX-License-Identifier: Apache-2.0
 *
 * schema.c - what each role answers, as a JSON schema for backends that hold their model to
 * one. Strict, as some services want it: every member is required and there are no others. */
#include "dialect/loops/loops.h"

#include <stddef.h>
#include <string.h>

#define TEXT "{\"type\":\"string\"}"
#define TEXTS "{\"type\":\"array\",\"items\":" TEXT "}"
#define OBJECT(required, properties) \
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[" required "]," \
    "\"properties\":{" properties "}}"

#define TASKS OBJECT("\"tasks\"", "\"tasks\":{\"type\":\"array\",\"items\":" \
    OBJECT("\"id\",\"title\",\"description\",\"group\",\"depends_on\"", \
           "\"id\":" TEXT ",\"title\":" TEXT ",\"description\":" TEXT ",\"group\":" TEXT "," \
           "\"depends_on\":" TEXTS) "}")

#define GROUPS OBJECT("\"groups\"", "\"groups\":{\"type\":\"array\",\"items\":" TEXTS "}")

#define REVIEW_OF(key, property) \
    OBJECT("\"passed\",\"interpretedIntent\",\"intentSatisfied\",\"issues\"", \
    "\"passed\":{\"type\":\"boolean\"},\"interpretedIntent\":" TEXT "," \
    "\"intentSatisfied\":{\"type\":\"boolean\"}," \
    "\"issues\":{\"type\":\"array\",\"items\":" \
    OBJECT(key "\"file\",\"line\",\"type\",\"description\",\"suggestion\"", \
           property "\"file\":" TEXT ",\"line\":{\"type\":\"integer\",\"minimum\":0}," \
           "\"type\":{\"type\":\"string\",\"enum\":[\"over-engineering\"," \
           "\"missing-error-handling\",\"pattern-violation\",\"dead-code\"," \
           "\"spec-intent-mismatch\"]},\"description\":" TEXT ",\"suggestion\":" TEXT) "}")

#define LOOP_REVIEW REVIEW_OF("", "")
#define RUN_REVIEW REVIEW_OF("\"taskId\",", "\"taskId\":" TEXT ",")

const char *loops_schema(const char *role)
{
    static const struct {
        const char *role, *schema;
    } rows[] = {
        { "enumerator", TASKS },     { "reviser", TASKS },       { "planner", GROUPS },
        { "loop-reviewer", LOOP_REVIEW },
        { "run-reviewer", RUN_REVIEW },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(role, rows[i].role) == 0) return rows[i].schema;
    }
    return NULL;
}
