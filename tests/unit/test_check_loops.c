/* SPDX-License-Identifier: Apache-2.0
 *
 * test_check_loops.c - hone check loop-review: what is wrong with a review, and where. */
#include "dialect/check.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

/* "code@line code@line" of all problems. */
static void expect(const char *content, const char *wanted)
{
    struct check_report report = { 0 };
    char got[512] = "";

    check_find(STR("loop-review"))->run(str_of(content), &report);
    for (uint32_t i = 0; i < report.count; i++) {
        size_t used = strlen(got);
        (void)snprintf(got + used, sizeof got - used, "%s%s@%u", used ? " " : "",
                       report.problems[i].code, (unsigned)report.problems[i].line);
    }
    check_report_release(&report);
    assert_string_equal(got, wanted);
}

TEST(good_reviews_pass)
{
    expect("{\"passed\":true}", "");
    expect("{\"loopId\":\"r-1\",\"taskId\":null,\"passed\":true,\"intentSatisfied\":true,"
           "\"interpretedIntent\":\"x\",\"issues\":[]}", "");
    expect("{\"passed\":false,\"issues\":[{\"file\":\"a.c\",\"line\":3,\"type\":\"dead-code\","
           "\"description\":\"nobody calls it\",\"suggestion\":\"remove it\"}]}", "");
    expect("{\"passed\":true,\"issues\":[{\"type\":\"over-engineering\",\"description\":\"x\"}]}",
           "");
}

TEST(each_type_is_known)
{
    static const char *const types[] = { "over-engineering", "missing-error-handling",
                                         "pattern-violation", "dead-code",
                                         "spec-intent-mismatch" };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "{\"passed\":false,\"issues\":[\n{\"type\":\"%s\","
                       "\"description\":\"x\"}]}", types[i]);
        expect(text, "");
    }
    expect("{\"passed\":false,\"issues\":[\n{\"type\":\"typo\",\"description\":\"x\"}]}",
           "unknown-type@2");
}

TEST(what_is_wrong_has_a_code_and_a_line)
{
    expect("", "not-json@1");
    expect("{\n\"passed\":true,}", "not-json@2");
    expect("[]", "bad-type@1");
    expect("{}", "missing-member@1");
    expect("{\n\"passed\":\"yes\"}", "bad-type@2");
    expect("{\"passed\":true,\n\"passed\":false,\"issues\":[]}", "duplicate-key@2");
    expect("{\"passed\":true,\n\"loopId\":7}", "bad-type@2");
    expect("{\"passed\":false,\n\"issues\":[\n{\"line\":-1}]}",
           "bad-number@3 missing-member@3 missing-member@3");
    expect("{\"passed\":false,\"issues\":[{\"type\":\"dead-code\",\"description\":\" \"}]}",
           "bad-value@1");
}

TEST(a_review_must_agree_with_itself)
{
    expect("{\"passed\":true,\"intentSatisfied\":false}", "bad-value@1");
    expect("{\"passed\":false}", "bad-value@1");
    expect("{\"passed\":false,\"issues\":[]}", "bad-value@1");
}
