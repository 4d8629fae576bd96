/* SPDX-License-Identifier: Apache-2.0
 *
 * schema.c - what a reviewer answers, as a JSON schema for backends that hold their model to one.
 *
 * Strict, as some services want it: every member is required and there are no others. The judge
 * takes more than this: an agent without a schema need not keep to it. */
#include "dialect/review/review.h"

#include <string.h>

#define TEXT "{\"type\":\"string\"}"
#define TEXTS "{\"type\":\"array\",\"items\":" TEXT "}"
#define COUNT "{\"type\":\"integer\",\"minimum\":0}"
#define OBJECT(required, properties) \
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[" required "]," \
    "\"properties\":{" properties "}}"

#define ISSUES "\"issues\":{\"type\":\"array\",\"items\":" \
    OBJECT("\"severity\",\"category\",\"file\",\"line\",\"description\",\"evidence\"," \
           "\"suggestion\"", \
           "\"severity\":{\"type\":\"string\",\"enum\":[\"critical\",\"warning\",\"info\"]}," \
           "\"category\":" TEXT ",\"file\":" TEXT ",\"line\":" COUNT ",\"description\":" TEXT "," \
           "\"evidence\":" TEXT ",\"suggestion\":" TEXT) "}"

#define SUMMARY "\"summary\":" \
    OBJECT("\"critical\",\"warning\",\"info\",\"verdict\"", \
           "\"critical\":" COUNT ",\"warning\":" COUNT ",\"info\":" COUNT "," \
           "\"verdict\":{\"type\":\"string\",\"enum\":[\"clean\",\"issues_found\"]}")

static const char of_reviewer[] = OBJECT("\"issues\",\"summary\"", ISSUES "," SUMMARY);

static const char of_witness[] =
    OBJECT("\"verification_method\",\"fallbacks_attempted\",\"evidence\",\"status\",\"issues\","
           "\"summary\"",
           "\"verification_method\":{\"type\":\"string\",\"enum\":[\"run\",\"curl\",\"test\","
           "\"review\"]},\"fallbacks_attempted\":" TEXTS ",\"evidence\":"
           OBJECT("\"command_outputs\"", "\"command_outputs\":" TEXTS) ","
           "\"status\":{\"type\":\"string\",\"enum\":[\"PASS\",\"FAIL\"]}," ISSUES "," SUMMARY);

const char *review_schema(const char *role)
{
    if (strcmp(role, REVIEW_FIXER_NAME) == 0) return NULL;
    return review_is_witness(role) ? of_witness : of_reviewer;
}
