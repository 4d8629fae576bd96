/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sarif_write.c - findings as SARIF: what services ask for is there, and nothing is a lie. */
#include "format/report/listing.h"

#include "listing_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define RUN "/runs/0"
#define RESULT "/runs/0/results/0"
#define PLACE "/runs/0/results/0/locations/0/physicalLocation"

static yyjson_doc *write_one(struct finding finding)
{
    struct ledger_entry entry = { .role = ROLE_CRITIC, .finding = finding, .round_first = 1,
                                  .round_last = 2, .iteration_first = 1, .iteration_last = 1 };

    if (!finding.text.data) entry.finding.text = STR("text");
    return written_json(sarif_write, &entry, 1);
}

TEST(a_log_says_who_wrote_it_and_of_which_run)
{
    yyjson_doc *doc = written_json(sarif_write, NULL, 0);

    expect_text(doc, "/version", "2.1.0");
    assert_non_null(strstr(yyjson_get_str(yyjson_doc_ptr_get(doc, "/$schema")), "sarif-2.1.0"));
    expect_text(doc, RUN "/tool/driver/name", "hone");
    expect_text(doc, RUN "/tool/driver/version", "1.2.3");
    expect_text(doc, RUN "/tool/driver/semanticVersion", "1.2.3");
    expect_text(doc, RUN "/automationDetails/id", "hone/7k2m");
    expect_text(doc, RUN "/columnKind", "utf16CodeUnits");
    assert_true(yyjson_is_true(yyjson_doc_ptr_get(doc, RUN "/invocations/0/executionSuccessful")));
    assert_true(yyjson_is_arr(yyjson_doc_ptr_get(doc, RUN "/results")));
    assert_int_equal(yyjson_arr_size(yyjson_doc_ptr_get(doc, RUN "/results")), 0);
    yyjson_doc_free(doc);
}

TEST(a_run_that_has_not_ended_was_no_success)
{
    struct listing listing = { .run = "7k2m", .version = "1.2.3", .plan = &listing_plan,
                               .unfinished = "running" };
    struct buf out;

    buf_init(&out, 1 << 20);
    sarif_write(&listing, &out);
    assert_non_null(strstr(buf_cstr(&out), "\"executionSuccessful\": false"));
    assert_non_null(strstr(buf_cstr(&out), "\"exitCodeDescription\": \"running\""));
    buf_release(&out);
}

TEST(severities_are_levels)
{
    static const char *const levels[] = { "note", "warning", "error" };

    for (uint32_t i = 0; i < SEVERITY_COUNT; i++) {
        yyjson_doc *doc = write_one((struct finding){ .severity = (enum severity)i });
        expect_text(doc, RESULT "/level", levels[i]);
        expect_nothing(doc, RESULT "/kind");
        yyjson_doc_free(doc);
    }
}

TEST(each_rule_of_each_role_is_described_once)
{
    struct ledger_entry entries[] = {
        { .role = ROLE_PEDANT, .finding = { .kind = STR("-Wformat"), .text = STR("a") } },
        { .role = ROLE_CRITIC, .finding = { .kind = STR("-Wformat"), .text = STR("b") } },
        { .role = ROLE_CRITIC, .finding = { .text = STR("c") } },
        { .role = ROLE_PEDANT, .finding = { .kind = STR("-Wformat"), .text = STR("d") } },
    };
    yyjson_doc *doc = written_json(sarif_write, entries, 4);

    assert_int_equal(yyjson_arr_size(yyjson_doc_ptr_get(doc, RUN "/tool/driver/rules")), 3);
    for (uint32_t i = 0; i < 4; i++) {
        char pointer[100];
        uint64_t index;

        (void)snprintf(pointer, sizeof pointer, RUN "/results/%u/ruleIndex", i);
        index = yyjson_get_uint(yyjson_doc_ptr_get(doc, pointer));
        (void)snprintf(pointer, sizeof pointer, RUN "/tool/driver/rules/%u/id", (unsigned)index);
        expect_text(doc, pointer, (const char *const[]){ "pedant/-Wformat", "critic/-Wformat",
                                                         "critic", "pedant/-Wformat" }[i]);
        (void)snprintf(pointer, sizeof pointer, RUN "/tool/driver/rules/%u/help/text",
                       (unsigned)index);
        assert_true(yyjson_get_len(yyjson_doc_ptr_get(doc, pointer)) > 0);
    }
    expect_text(doc, RUN "/results/0/ruleId", "pedant/-Wformat");
    expect_text(doc, RUN "/tool/driver/rules/0/shortDescription/text", "What critic reports.");
    expect_text(doc, RUN "/tool/driver/rules/1/shortDescription/text",
                "-Wformat, as critic reports it.");
    assert_true(yyjson_get_len(yyjson_doc_ptr_get(
                    doc, RUN "/tool/driver/rules/2/fullDescription/text")) > 0);
    yyjson_doc_free(doc);
}

/* Names of rules may be anything; services take 255 characters. */
TEST(a_long_rule_is_cut_at_a_character)
{
    char kind[401] = "";
    const char *id;
    yyjson_doc *doc;

    for (uint32_t i = 0; i < 200; i++) memcpy(kind + 2 * i, "\xc3\xa9", 2);
    doc = write_one((struct finding){ .kind = str_of(kind) });
    id = yyjson_get_str(yyjson_doc_ptr_get(doc, RESULT "/ruleId"));
    assert_true(strlen(id) <= 255 && strlen(id) > 250);
    assert_null(strstr(id, "\xef\xbf\xbd"));
    expect_text(doc, RUN "/tool/driver/rules/0/id", id);
    yyjson_doc_free(doc);
}

TEST(a_path_is_a_relative_address)
{
    static const char *const cases[][2] = {
        { "src/a.c", "src/a.c" },
        { "./src//a b.c", "src/a%20b.c" },
        { "a:b.c", "a%3Ab.c" },
        { "100%.c", "100%25.c" },
        { "a\n\x1b[31m?#.c", "a%0A%1B%5B31m%3F%23.c" },
        { "\xe6\x97\xa5.c", "%E6%97%A5.c" },
        { "\xff.c", "%FF.c" },
    };

    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        yyjson_doc *doc = write_one((struct finding){ .file = str_of(cases[i][0]), .line = 3 });
        expect_text(doc, PLACE "/artifactLocation/uri", cases[i][1]);
        expect_text(doc, PLACE "/artifactLocation/uriBaseId", "%SRCROOT%");
        expect_number(doc, PLACE "/region/startLine", 3);
        expect_nothing(doc, RESULT "/properties/file");
        yyjson_doc_free(doc);
    }
}

TEST(what_is_not_in_the_workspace_is_not_linked_into_it)
{
    static const char *const cases[] = { "../a.c", "a/../../b.c", "", ".", "a/.." };
    yyjson_doc *doc;

    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        doc = write_one((struct finding){ .file = str_of(cases[i]), .line = 3 });
        expect_text(doc, PLACE "/artifactLocation/uri", ".");
        expect_number(doc, PLACE "/region/startLine", 1);
        if (cases[i][0]) expect_text(doc, RESULT "/properties/file", cases[i]);
        yyjson_doc_free(doc);
    }
    doc = write_one((struct finding){ .file = STR("/etc/pass wd"), .line = 3 });
    expect_text(doc, PLACE "/artifactLocation/uri", "file:///etc/pass%20wd");
    expect_nothing(doc, PLACE "/artifactLocation/uriBaseId");
    yyjson_doc_free(doc);
}

/* The evidence is the line without the blanks around it. */
TEST(columns_of_an_ascii_line_are_the_same_in_every_unit)
{
    yyjson_doc *doc = write_one((struct finding){
        .file = STR("a.c"), .line = 3, .column = 9, .end_line = 3, .end_column = 13,
        .evidence = STR("puts(s);") });

    expect_number(doc, PLACE "/region/startLine", 3);
    expect_number(doc, PLACE "/region/startColumn", 9);
    expect_number(doc, PLACE "/region/endLine", 3);
    expect_number(doc, PLACE "/region/endColumn", 13);
    yyjson_doc_free(doc);
}

TEST(columns_that_cannot_be_told_are_left_out)
{
    char cut[241] = "";
    const struct finding cases[] = {
        { .column = 3, .end_column = 5 },                            /* no line at hand */
        { .column = 2, .end_column = 3, .evidence = STR("a\xc3\xa9") },
        { .column = 1, .end_column = 3, .evidence = STR("\xff") },
        { .column = 2, .end_column = 3, .evidence = STR("ab\ncd") }, /* that is no line */
        { .column = 241, .end_column = 250, .evidence = { cut, 240 } },
    };

    memset(cut, 'x', sizeof cut - 1);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct finding finding = cases[i];
        yyjson_doc *doc;

        finding.file = STR("a.c");
        finding.line = finding.end_line = 3;
        doc = write_one(finding);
        expect_number(doc, PLACE "/region/startLine", 3);
        expect_nothing(doc, PLACE "/region/startColumn");
        expect_nothing(doc, PLACE "/region/endColumn");
        yyjson_doc_free(doc);
    }
}

TEST(a_line_that_was_cut_tells_of_its_beginning)
{
    char cut[241] = "";
    yyjson_doc *doc;

    memset(cut, 'x', sizeof cut - 1);
    doc = write_one((struct finding){ .file = STR("a.c"), .line = 3, .column = 200, .end_line = 3,
                                      .end_column = 300, .evidence = { cut, 240 } });
    expect_number(doc, PLACE "/region/startColumn", 200);
    expect_nothing(doc, PLACE "/region/endColumn");
    yyjson_doc_free(doc);
}

TEST(an_end_that_is_no_end_is_left_out)
{
    static const struct { uint32_t line, column; } ends[] = { { 0, 0 }, { 3, 1 }, { 2, 9 } };

    for (uint32_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        yyjson_doc *doc = write_one((struct finding){
            .file = STR("a.c"), .line = 3, .column = 2, .end_line = ends[i].line,
            .end_column = ends[i].column, .evidence = STR("abcdef") });
        expect_number(doc, PLACE "/region/startColumn", 2);
        expect_nothing(doc, PLACE "/region/endLine");
        expect_nothing(doc, PLACE "/region/endColumn");
        yyjson_doc_free(doc);
    }
}

/* Services want a line. */
TEST(what_is_about_no_line_is_at_the_first)
{
    yyjson_doc *doc = write_one((struct finding){ .file = STR("a.c") });

    expect_number(doc, PLACE "/region/startLine", 1);
    assert_true(yyjson_is_true(yyjson_doc_ptr_get(doc, RESULT "/properties/wholeFile")));
    yyjson_doc_free(doc);
    doc = write_one((struct finding){ .file = STR("a.c"), .line = 1 });
    expect_nothing(doc, RESULT "/properties/wholeFile");
    yyjson_doc_free(doc);
}

TEST(several_lines_are_whole_lines)
{
    struct finding finding = { .file = STR("a.c"), .line = 3, .column = 2, .end_line = 5,
                               .end_column = 4, .evidence = STR("abcdef") };
    yyjson_doc *doc = write_one(finding);

    expect_number(doc, PLACE "/region/startLine", 3);
    expect_number(doc, PLACE "/region/endLine", 5);
    expect_nothing(doc, PLACE "/region/startColumn");
    expect_nothing(doc, PLACE "/region/endColumn");
    yyjson_doc_free(doc);
    finding.end_column = 1; /* the end of line 4 */
    doc = write_one(finding);
    expect_number(doc, PLACE "/region/endLine", 4);
    yyjson_doc_free(doc);
}

#define FIX "/runs/0/results/0/fixes/0"

TEST(fixes_are_ranges_of_bytes)
{
    yyjson_doc *doc = write_one((struct finding){ .file = STR("a.c"), .fix = STR(
        "[{\"text\":\"use the format\",\"edits\":["
        "{\"file\":\"a.c\",\"hash\":\"00c0ffee00c0ffee\",\"start\":120,\"end\":124,"
        "\"text\":\"%zu\"},"
        "{\"file\":\"a.c\",\"hash\":\"00c0ffee00c0ffee\",\"start\":7,\"end\":7,\"text\":\"\"},"
        "{\"file\":\"b c.h\",\"hash\":\"00c0ffee00c0ffef\",\"start\":0,\"end\":1,"
        "\"text\":\"\xc3\xa9g\"}]},"
        "{\"edits\":[{\"file\":\"a.c\",\"hash\":\"00c0ffee00c0ffee\",\"start\":1,\"end\":2,"
        "\"text\":\"ab\"}]}]") });

    expect_text(doc, FIX "/description/text", "use the format");
    expect_text(doc, FIX "/artifactChanges/0/artifactLocation/uri", "a.c");
    expect_number(doc, FIX "/artifactChanges/0/replacements/0/deletedRegion/byteOffset", 120);
    expect_number(doc, FIX "/artifactChanges/0/replacements/0/deletedRegion/byteLength", 4);
    expect_text(doc, FIX "/artifactChanges/0/replacements/0/insertedContent/text", "%zu");
    expect_text(doc, FIX "/artifactChanges/0/replacements/0/insertedContent/binary", "JXp1");
    expect_number(doc, FIX "/artifactChanges/0/replacements/1/deletedRegion/byteLength", 0);
    expect_text(doc, FIX "/artifactChanges/0/replacements/1/insertedContent/binary", "");
    expect_text(doc, FIX "/artifactChanges/0/properties/contentHash", "00c0ffee00c0ffee");
    expect_text(doc, FIX "/artifactChanges/1/artifactLocation/uri", "b%20c.h");
    expect_text(doc, FIX "/artifactChanges/1/replacements/0/insertedContent/binary", "w6ln");
    expect_text(doc, "/runs/0/results/0/fixes/1/artifactChanges/0/replacements/0"
                     "/insertedContent/binary", "YWI=");
    expect_nothing(doc, "/runs/0/results/0/fixes/1/description");
    expect_nothing(doc, "/runs/0/results/0/fixes/2");
    yyjson_doc_free(doc);
}

TEST(what_is_no_fix_is_left_out)
{
    static const char *const cases[] = { "", "nonsense", "[]", "{}",
                                         "[{\"edits\":[{\"file\":\"../a.c\"}]}]" };

    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        yyjson_doc *doc = write_one((struct finding){ .fix = str_of(cases[i]) });
        expect_nothing(doc, RESULT "/fixes");
        yyjson_doc_free(doc);
    }
}

TEST(identical_findings_have_fingerprints_of_their_own)
{
    struct ledger_entry entries[] = {
        { .role = ROLE_CRITIC, .fingerprint = 0xc0ffee, .finding = { .text = STR("a") } },
        { .role = ROLE_CRITIC, .fingerprint = 0xc0ffee, .ordinal = 1,
          .finding = { .text = STR("in other words"), .fingerprint = 0xbad } },
    };
    yyjson_doc *doc = written_json(sarif_write, entries, 2);

    expect_text(doc, RUN "/results/0/partialFingerprints/hone~1v1", "0000000000c0ffee:1");
    expect_text(doc, RUN "/results/1/partialFingerprints/hone~1v1", "0000000000c0ffee:2");
    yyjson_doc_free(doc);
}

TEST(what_is_fixed_passed)
{
    struct ledger_entry entry = {
        .role = ROLE_CRITIC, .state = FINDING_FIXED, .round_first = 1, .round_last = 3,
        .finding = { .severity = SEVERITY_HIGH, .text = STR("leak"), .fix = STR(
            "[{\"edits\":[{\"file\":\"a.c\",\"hash\":\"00c0ffee00c0ffee\",\"start\":1,\"end\":2,"
            "\"text\":\"ab\"}]}]") },
    };
    yyjson_doc *doc = written_json(sarif_write, &entry, 1);

    expect_text(doc, RESULT "/kind", "pass");
    expect_text(doc, RESULT "/level", "none");
    expect_nothing(doc, RESULT "/fixes");
    expect_text(doc, RESULT "/properties/state", "fixed");
    expect_text(doc, RESULT "/properties/severity", "high");
    expect_number(doc, RESULT "/properties/roundFirst", 1);
    expect_number(doc, RESULT "/properties/roundLast", 3);
    yyjson_doc_free(doc);
}

TEST(what_became_of_it_is_its_baseline_state)
{
    static const struct { enum finding_state state; uint32_t rounds; const char *word; } rows[] = {
        { FINDING_NEW, 1, "new" },           { FINDING_PERSISTING, 2, "unchanged" },
        { FINDING_PARKED, 4, "unchanged" },  { FINDING_REGRESSED, 3, "updated" },
        { FINDING_FIXED, 1, "absent" },      { FINDING_NOTED, 1, "new" },
        { FINDING_NOTED, 2, "unchanged" },   { FINDING_WAIVED, 1, "new" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ledger_entry entry = { .role = ROLE_CRITIC, .state = rows[i].state,
                                      .rounds_seen = rows[i].rounds,
                                      .finding = { .text = STR("leak") } };
        yyjson_doc *doc = written_json(sarif_write, &entry, 1);

        expect_text(doc, RESULT "/baselineState", rows[i].word);
        assert_true(yyjson_is_arr(yyjson_doc_ptr_get(doc, RESULT "/suppressions")));
        yyjson_doc_free(doc);
    }
}

TEST(what_is_waived_is_suppressed_and_says_why)
{
    struct waiver_entry waiver = { .id = STR("w"), .reason = STR(" it is known\n") };
    struct waivers waivers = { &waiver, 1, 1 };
    struct vote vote = { .role = ROLE_PEDANT, .by = STR("claude"), .round = 2 };
    struct ledger_entry entries[] = {
        { .role = ROLE_CRITIC, .state = FINDING_WAIVED, .waiver = STR("w"), .fingerprint = 1,
          .votes = &vote, .vote_count = 1, .tries = 2, .cause_round = 1,
          .finding = { .severity = SEVERITY_HIGH, .text = STR("leak") } },
        { .role = ROLE_CRITIC, .state = FINDING_WAIVED, .waiver = STR("x"),
          .finding = { .text = STR("leak") } },
    };
    struct listing listing = { .run = "7k2m", .version = "1", .plan = &listing_plan,
                               .waivers = &waivers };
    yyjson_doc *doc;
    struct buf out;
    struct err err;

    listing_add(&listing, &entries[0]);
    listing_add(&listing, &entries[1]);
    buf_init(&out, 1 << 20);
    sarif_write(&listing, &out);
    assert_int_equal(json_read(buf_str(&out), &doc, &err), 0);
    expect_text(doc, RESULT "/level", "error");
    expect_text(doc, RESULT "/suppressions/0/kind", "external");
    expect_text(doc, RESULT "/suppressions/0/status", "accepted");
    expect_text(doc, RESULT "/suppressions/0/justification", "it is known");
    expect_text(doc, RESULT "/fingerprints/hone~1id~1v1", "0000000000000001");
    expect_text(doc, RESULT "/properties/votes/0/role", "pedant");
    expect_text(doc, RESULT "/properties/votes/0/by", "claude");
    expect_number(doc, RESULT "/properties/tries", 2);
    expect_number(doc, RESULT "/properties/causeRound", 1);
    expect_text(doc, RUN "/results/1/suppressions/0/status", "accepted");
    expect_nothing(doc, RUN "/results/1/suppressions/0/justification");
    yyjson_doc_free(doc);
    buf_release(&out);
    listing_release(&listing);
}

TEST(texts_are_what_was_said)
{
    yyjson_doc *doc = write_one((struct finding){
        .text = STR("a\nb \x1b[31m {0} [see] (it)"), .evidence = STR("e"),
        .suggestion = STR("s") });

    expect_text(doc, RESULT "/message/text", "a\nb \x1b[31m {0} [see] (it)");
    expect_text(doc, RESULT "/properties/evidence", "e");
    expect_text(doc, RESULT "/properties/suggestion", "s");
    expect_text(doc, RESULT "/properties/role", "critic");
    yyjson_doc_free(doc);
    doc = write_one((struct finding){ .text = STR("bad \xff byte") });
    expect_text(doc, RESULT "/message/text", "bad \xef\xbf\xbd byte");
    yyjson_doc_free(doc);
}

TEST(no_message_is_a_link_or_empty)
{
    yyjson_doc *doc = write_one((struct finding){ .text = STR("see [here](https://x.example)") });

    expect_text(doc, RESULT "/message/text", "see \\[here\\](https://x.example)");
    yyjson_doc_free(doc);
    doc = write_one((struct finding){ .text = STR(""), .kind = STR("leak") });
    expect_text(doc, RESULT "/message/text", "leak");
    yyjson_doc_free(doc);
    doc = write_one((struct finding){ .text = STR("") });
    expect_text(doc, RESULT "/message/text", "(no text)");
    yyjson_doc_free(doc);
}

/* ---- what else a log says ---- */

#define NOTE "/runs/0/invocations/0/toolExecutionNotifications"

TEST(a_reviewer_that_could_not_answer_is_a_notification)
{
    static const struct listing_look looks[] = {
        { .role = "critic", .phase = "R1", .by = "", .ended = true, .verdict = VERDICT_CLEAN,
          .problem = "" },
        { .role = "pedant", .phase = "R1", .by = "", .ended = true, .verdict = VERDICT_INVALID,
          .problem = "no JSON" },
    };
    yyjson_doc *doc = written_listing_json(sarif_write, (struct listing){
        .unfinished = "failed: it could not run", .looks = looks, .look_count = 2, .left = 7,
        .began_ms = UINT64_C(1700000000000) });

    expect_text(doc, NOTE "/0/level", "error");
    expect_text(doc, NOTE "/0/message/text", "run 7k2m: failed: it could not run");
    expect_text(doc, NOTE "/1/message/text", "The reviewer pedant: invalid: no JSON");
    expect_text(doc, NOTE "/2/level", "warning");
    assert_non_null(strstr(yyjson_get_str(yyjson_doc_ptr_get(doc, NOTE "/2/message/text")),
                           "7 more findings are left out here"));
    expect_nothing(doc, NOTE "/3");
    expect_text(doc, RUN "/invocations/0/startTimeUtc", "2023-11-14T22:13:20Z");
    yyjson_doc_free(doc);
}

TEST(the_commit_is_told_where_the_repository_is_known)
{
    yyjson_doc *doc = written_listing_json(sarif_write, (struct listing){
        .source = { .repository = "https://x.example/o/r", .revision = "c0ffee", .branch = "main",
                    .changed = true } });

    expect_text(doc, RUN "/versionControlProvenance/0/repositoryUri", "https://x.example/o/r");
    expect_text(doc, RUN "/versionControlProvenance/0/revisionId", "c0ffee");
    expect_text(doc, RUN "/versionControlProvenance/0/branch", "main");
    expect_text(doc, RUN "/versionControlProvenance/0/mappedTo/uriBaseId", "%SRCROOT%");
    yyjson_doc_free(doc);
    doc = written_listing_json(sarif_write, (struct listing){ .source = { .revision = "c0ffee" } });
    expect_nothing(doc, RUN "/versionControlProvenance");
    yyjson_doc_free(doc);
}

#define FLOW RESULT "/codeFlows/0/threadFlows/0/locations"

TEST(the_steps_of_an_analyzers_path_are_a_code_flow)
{
    yyjson_doc *doc = write_one((struct finding){
        .file = STR("a.c"), .line = 9, .tool = STR("gcc"), .kind = STR("-Wanalyzer-null"),
        .text = STR("it may be NULL"),
        .suggestion = STR("CWE-690; allocated here (line 4); called (in b.h:7); passed (b.h:7); "
                          "https://x.example/(line x)") });

    expect_text(doc, FLOW "/0/location/message/text", "allocated here");
    expect_number(doc, FLOW "/0/location/physicalLocation/region/startLine", 4);
    expect_text(doc, FLOW "/0/location/physicalLocation/artifactLocation/uri", "a.c");
    expect_text(doc, FLOW "/2/location/message/text", "passed");
    expect_text(doc, FLOW "/2/location/physicalLocation/artifactLocation/uri", "b.h");
    expect_text(doc, FLOW "/3/location/message/text", "it may be NULL");
    expect_number(doc, FLOW "/3/location/physicalLocation/region/startLine", 9);
    expect_nothing(doc, FLOW "/4");
    expect_nothing(doc, RESULT "/relatedLocations");
    yyjson_doc_free(doc);
}

TEST(notes_of_tools_and_places_of_others_are_related)
{
    static struct vote votes[] = {
        { .role = ROLE_CRITIC, .round = 2, .finding = { .file = STR("a.c"), .line = 9 } },
        { .role = ROLE_PEDANT, .round = 2, .finding = { .file = STR("a.h"), .line = 3,
                                                        .text = STR("the same") } },
        { .role = ROLE_PEDANT, .round = 1, .finding = { .file = STR("a.h"), .line = 5 } },
    };
    struct ledger_entry entry = { .role = ROLE_CRITIC, .round_last = 2, .votes = votes,
                                  .vote_count = 3, .finding = {
        .file = STR("a.c"), .line = 9, .tool = STR("gcc"), .kind = STR("-Wredundant-decls"),
        .text = STR("again"), .suggestion = STR("declared here (line 2)") } };
    yyjson_doc *doc = written_json(sarif_write, &entry, 1);

    expect_nothing(doc, RESULT "/codeFlows");
    expect_number(doc, RESULT "/relatedLocations/0/id", 1);
    expect_text(doc, RESULT "/relatedLocations/0/message/text", "declared here");
    expect_text(doc, RESULT "/relatedLocations/1/message/text", "pedant: the same");
    expect_text(doc, RESULT "/relatedLocations/1/physicalLocation/artifactLocation/uri", "a.h");
    expect_nothing(doc, RESULT "/relatedLocations/2");
    yyjson_doc_free(doc);
    /* What a model says has no places of a tool's in it. */
    entry.finding.tool = (struct str){ 0 };
    entry.vote_count = 0;
    doc = written_json(sarif_write, &entry, 1);
    expect_nothing(doc, RESULT "/relatedLocations");
    yyjson_doc_free(doc);
}

TEST(what_a_repair_did_is_told_of_what_is_fixed)
{
    static const struct listing_edit edit = { .file = STR("a.c"), .line = 3, .column = 1,
                                              .end_line = 4, .end_column = 1,
                                              .text = STR("better\n") };
    struct ledger_entry entry = { .role = ROLE_CRITIC, .state = FINDING_FIXED,
                                  .finding = { .file = STR("a.c"), .line = 3, .text = STR("t") } };
    struct listing_fix fix = { .entry = &entry, .round = 2, .edits = &edit, .count = 1 };
    struct listing listing = { .fixes = &fix, .fix_count = 1 };
    yyjson_doc *doc;

    listing_add(&listing, &entry);
    doc = written_listing_json(sarif_write, listing);
    expect_text(doc, FIX "/description/text",
                "What the fix of round 2 did here, in the file as it was then.");
    expect_text(doc, FIX "/artifactChanges/0/artifactLocation/uri", "a.c");
    expect_number(doc, FIX "/artifactChanges/0/replacements/0/deletedRegion/startLine", 3);
    expect_number(doc, FIX "/artifactChanges/0/replacements/0/deletedRegion/endLine", 4);
    expect_number(doc, FIX "/artifactChanges/0/replacements/0/deletedRegion/endColumn", 1);
    expect_text(doc, FIX "/artifactChanges/0/replacements/0/insertedContent/text", "better\n");
    yyjson_doc_free(doc);
    listing_release(&listing);
}

TEST(a_text_is_cut_where_a_log_would_be_refused_for_it)
{
    static char text[10000];
    const char *said;
    yyjson_doc *doc;

    memset(text, 'x', sizeof text);
    doc = write_one((struct finding){ .text = { text, sizeof text },
                                      .evidence = { text, sizeof text } });
    said = yyjson_get_str(yyjson_doc_ptr_get(doc, RESULT "/message/text"));
    assert_int_equal(strlen(said), 4003);
    assert_string_equal(said + 3999, "x...");
    said = yyjson_get_str(yyjson_doc_ptr_get(doc, RESULT "/properties/evidence"));
    assert_int_equal(strlen(said), 2000);
    yyjson_doc_free(doc);
}
