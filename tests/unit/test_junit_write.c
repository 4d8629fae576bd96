/* SPDX-License-Identifier: Apache-2.0
 *
 * test_junit_write.c - a run as JUnit's XML: what fails, what is skipped, what passes, and what is
 * an error. */
#include "format/report/listing.h"

#include "listing_scene.h"
#include "test.h"

#include <string.h>

static void expect_part(const struct buf *out, const char *part)
{
    if (!strstr(buf_cstr(out), part)) fail_msg("no %s\nin %s", part, buf_cstr(out));
}

TEST(a_clean_run_is_a_suite_that_passed)
{
    struct buf out = written_listing(junit_write, (struct listing){
        .began_ms = UINT64_C(1700000000000) });

    assert_string_equal(
        buf_cstr(&out),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"hone\" tests=\"1\" failures=\"0\" errors=\"0\">\n"
        "  <testsuite name=\"hone\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\" "
        "time=\"0.000\" timestamp=\"2023-11-14T22:13:20\">\n"
        "    <properties>\n      <property name=\"run\" value=\"7k2m\"/>\n    </properties>\n"
        "    <testcase classname=\"hone.run\" name=\"the run has said all it could\" "
        "time=\"0.000\"/>\n"
        "  </testsuite>\n"
        "</testsuites>\n");
    buf_release(&out);
}

TEST(states_are_fates)
{
    struct waiver_entry waiver = { .id = STR("w"), .reason = STR("it is <known>") };
    struct waivers waivers = { &waiver, 1, 1 };
    const struct ledger_entry entries[] = {
        { .role = ROLE_CRITIC, .fingerprint = 1,
          .finding = { .severity = SEVERITY_HIGH, .file = STR("src/a.c"), .line = 3, .column = 9,
                       .text = STR("a leak"), .kind = STR("memory"),
                       .suggestion = STR("free it") } },
        { .role = ROLE_CRITIC, .fingerprint = 2, .state = FINDING_WAIVED, .waiver = STR("w"),
          .finding = { .file = STR("src/a.c"), .text = STR("odd") } },
        { .role = ROLE_PEDANT, .fingerprint = 3, .state = FINDING_NOTED,
          .finding = { .text = STR("small") } },
        { .role = ROLE_PEDANT, .fingerprint = 4, .ordinal = 2, .state = FINDING_FIXED,
          .finding = { .file = STR("b.c"), .text = STR("was bad") } },
    };
    struct listing listing = { .waivers = &waivers };
    struct buf out;

    for (uint32_t i = 0; i < 4; i++) listing_add(&listing, &entries[i]);
    out = written_listing(junit_write, listing);
    expect_part(&out, "<testsuites name=\"hone\" tests=\"5\" failures=\"1\" errors=\"0\">");
    expect_part(&out, "<testsuite name=\"critic\" tests=\"2\" failures=\"1\" errors=\"0\" "
                      "skipped=\"1\"");
    expect_part(&out, "<testsuite name=\"pedant\" tests=\"2\" failures=\"0\" errors=\"0\" "
                      "skipped=\"1\"");
    expect_part(&out, "<testcase classname=\"critic.src/a_c\" name=\"a leak [memory] "
                      "(0000000000000001)\" time=\"0.000\">\n"
                      "      <failure type=\"critic/memory\" message=\"src/a.c:3:9: high: a leak\">"
                      "src/a.c:3:9: high: a leak\nSuggestion: free it</failure>\n"
                      "    </testcase>\n");
    expect_part(&out, "      <skipped>waived: it is &lt;known&gt;</skipped>\n");
    expect_part(&out, "<testcase classname=\"pedant.(no file)\" name=\"small [pedant] "
                      "(0000000000000003)\"");
    expect_part(&out, "      <skipped>noted</skipped>\n");
    expect_part(&out, "name=\"was bad [pedant] (0000000000000004-2)\" time=\"0.000\"/>\n");
    buf_release(&out);
    listing_release(&listing);
}

/* "a run that failed or could not look is an `error`, never a green suite" */
TEST(a_reviewer_that_could_not_answer_is_an_error_in_its_suite)
{
    static const struct listing_look looks[] = {
        { .role = "critic", .phase = "R1", .by = "", .took_ms = 1500, .ended = true,
          .verdict = VERDICT_FAILED, .failure = FAILURE_EXIT, .problem = "exit 1 & \"out\"" },
        { .role = "critic", .phase = "R1", .by = "", .lane = 2, .ended = true,
          .verdict = VERDICT_FINDINGS, .problem = "" },
        { .role = "pedant", .phase = "R1", .by = "", .problem = "" },
    };
    struct listing listing = { .looks = looks, .look_count = 3, .end = "failed",
                               .unfinished = "failed: an agent could not run" };
    struct buf out = written_listing(junit_write, listing);

    expect_part(&out, "<testsuites name=\"hone\" tests=\"4\" failures=\"0\" errors=\"3\">");
    expect_part(&out, "<testsuite name=\"critic\" tests=\"2\" failures=\"0\" errors=\"1\" "
                      "skipped=\"0\" time=\"1.500\"");
    expect_part(&out, "<testcase classname=\"critic.review\" name=\"critic has looked, phase R1\" "
                      "time=\"1.500\">\n      <error type=\"failed\" message=\"failed (exit): exit "
                      "1 &amp; &quot;out&quot;\">");
    expect_part(&out, "name=\"critic has looked, phase R1, lane 2\" time=\"0.000\"/>");
    expect_part(&out, "<error type=\"no answer\" message=\"has not answered\">");
    expect_part(&out, "<error type=\"failed\" message=\"run 7k2m: failed: an agent could not "
                      "run\">");
    buf_release(&out);
}

TEST(a_reviewer_that_had_nothing_to_look_at_is_skipped)
{
    static const struct listing_look look = { .role = "critic", .phase = "R1", .by = "",
                                              .ended = true, .verdict = VERDICT_NOT_PLAYED,
                                              .problem = "" };
    struct buf out = written_listing(junit_write, (struct listing){ .looks = &look,
                                                                    .look_count = 1 });

    expect_part(&out, "<skipped>there was nothing for it to look at</skipped>");
    buf_release(&out);
}

TEST(a_file_that_was_not_looked_at_is_an_error)
{
    static const struct unlooked unlooked[] = { { STR("a\n<b>.c"), STR("gcc"), STR("it broke") } };
    struct buf out = written_listing(junit_write, (struct listing){
        .coverage = { .files = 2, .unlooked = unlooked, .unlooked_count = 1 } });

    expect_part(&out, "<testcase classname=\"hone.coverage\" name=\"a &lt;b&gt;.c (gcc)\"");
    expect_part(&out, "<error type=\"not looked at\" message=\"not looked at by gcc: it broke\">");
    buf_release(&out);
}
