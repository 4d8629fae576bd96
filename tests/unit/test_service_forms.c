/* SPDX-License-Identifier: Apache-2.0
 *
 * test_service_forms.c - findings as Checkstyle's XML, as GitLab's code quality, and as annotations
 * of GitHub. */
#include "format/report/listing.h"

#include "listing_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const struct ledger_entry entries[] = {
    { .role = ROLE_CRITIC, .fingerprint = 1, .finding = {
        .severity = SEVERITY_HIGH, .file = STR("./b.c"), .line = 9, .column = 5, .end_line = 9,
        .end_column = 8, .text = STR("<bad> & \"worse\""), .kind = STR("x"),
        .evidence = STR("int abc;") } },
    { .role = ROLE_CRITIC, .fingerprint = 2, .finding = {
        .severity = SEVERITY_MEDIUM, .file = STR("a.c"), .text = STR("whole file") } },
    { .role = ROLE_PEDANT, .fingerprint = 3, .finding = {
        .severity = SEVERITY_LOW, .file = STR("b.c"), .line = 3, .end_line = 5,
        .text = STR("three\nlines, 100%: it") } },
    { .role = ROLE_PEDANT, .fingerprint = 4, .finding = { .text = STR("") } },
};

static struct buf all_as(listing_writer *write)
{
    return written(write, entries, 4);
}

/* ---- Checkstyle ---- */

TEST(checkstyle_has_each_file_once_by_line)
{
    struct buf out = all_as(checkstyle_write);

    assert_string_equal(
        buf_cstr(&out),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n"
        "  <file name=\".\">\n"
        "    <error line=\"1\" severity=\"info\" message=\"(no text)\" source=\"pedant\"/>\n"
        "  </file>\n"
        "  <file name=\"a.c\">\n"
        "    <error line=\"1\" severity=\"warning\" message=\"whole file\" source=\"critic\"/>\n"
        "  </file>\n"
        "  <file name=\"b.c\">\n"
        "    <error line=\"3\" severity=\"info\" message=\"three lines, 100%: it\" "
        "source=\"pedant\"/>\n"
        "    <error line=\"9\" column=\"5\" severity=\"error\" message=\"&lt;bad&gt; &amp; "
        "&quot;worse&quot;\" source=\"critic/x\"/>\n"
        "  </file>\n"
        "</checkstyle>\n");
    buf_release(&out);
}

TEST(checkstyle_says_what_was_not_looked_at)
{
    static const struct unlooked unlooked[] = { { STR("a.c"), STR("gcc"), STR("it broke") },
                                                { STR("/x"), STR(""), STR("gone") } };
    struct buf out = written_listing(checkstyle_write, (struct listing){
        .unfinished = "was stopped", .left = 3,
        .coverage = { .files = 2, .unlooked = unlooked, .unlooked_count = 2 } });

    assert_string_equal(
        strchr(buf_cstr(&out), '\n') + 1,
        "<checkstyle version=\"4.3\">\n"
        "  <file name=\".\">\n"
        "    <error line=\"1\" severity=\"error\" message=\"not looked at: gone\" "
        "source=\"hone/coverage\"/>\n"
        "    <error line=\"1\" severity=\"error\" message=\"run 7k2m: was stopped\" "
        "source=\"hone/run\"/>\n"
        "    <error line=\"1\" severity=\"warning\" message=\"3 more findings are left out here: "
        "'hone findings 7k2m --json' has all\" source=\"hone/left-out\"/>\n"
        "  </file>\n"
        "  <file name=\"a.c\">\n"
        "    <error line=\"1\" severity=\"error\" message=\"not looked at by gcc: it broke\" "
        "source=\"hone/coverage\"/>\n"
        "  </file>\n"
        "</checkstyle>\n");
    buf_release(&out);
}

/* ---- GitLab ---- */

TEST(gitlab_has_what_it_wants_of_each)
{
    yyjson_doc *doc = written_json(gitlab_write, entries, 4);

    expect_text(doc, "/0/description", "<bad> & \"worse\"");
    expect_text(doc, "/0/check_name", "critic/x");
    expect_text(doc, "/0/fingerprint", "0000000000000001");
    expect_text(doc, "/0/severity", "critical");
    expect_text(doc, "/0/location/path", "b.c");
    expect_number(doc, "/0/location/lines/begin", 9);
    expect_text(doc, "/1/severity", "major");
    expect_number(doc, "/1/location/lines/begin", 1);
    expect_text(doc, "/2/severity", "minor");
    expect_text(doc, "/2/description", "three lines, 100%: it");
    expect_text(doc, "/3/location/path", ".");
    expect_nothing(doc, "/4");
    yyjson_doc_free(doc);
}

/* "fingerprint unique and stable over runs" */
TEST(gitlab_has_a_fingerprint_of_its_own_for_each)
{
    static const struct ledger_entry same[] = {
        { .role = ROLE_CRITIC, .fingerprint = 7, .finding = { .text = STR("a") } },
        { .role = ROLE_CRITIC, .fingerprint = 7, .ordinal = 1, .finding = { .text = STR("a") } },
        { .role = ROLE_CRITIC, .fingerprint = 7, .lane = 2, .finding = { .text = STR("a") } },
        { .role = ROLE_CRITIC, .fingerprint = 7, .finding = { .text = STR("a"), .line = 99 } },
    };
    yyjson_doc *doc = written_json(gitlab_write, same, 4);

    expect_text(doc, "/0/fingerprint", "0000000000000007");
    expect_text(doc, "/1/fingerprint", "0000000000000007-1");
    expect_text(doc, "/2/fingerprint", "0000000000000007-R1-2");
    expect_text(doc, "/3/fingerprint", "0000000000000007.2");
    yyjson_doc_free(doc);
}

TEST(gitlab_blocks_where_the_run_has_not_said_all)
{
    static const struct unlooked unlooked[] = { { STR("a.c"), STR("gcc"), STR("it broke") } };
    struct buf out = written_listing(gitlab_write, (struct listing){
        .unfinished = "was stopped",
        .coverage = { .files = 2, .unlooked = unlooked, .unlooked_count = 1 } });
    yyjson_doc *doc;
    struct err err;

    assert_int_equal(json_read(buf_str(&out), &doc, &err), 0);
    expect_text(doc, "/0/severity", "blocker");
    expect_text(doc, "/0/description", "run 7k2m: was stopped");
    expect_text(doc, "/1/location/path", "a.c");
    expect_text(doc, "/1/description", "not looked at by gcc: it broke");
    yyjson_doc_free(doc);
    buf_release(&out);
}

/* ---- GitHub ---- */

TEST(github_annotates_lines_and_escapes_as_its_toolkit)
{
    struct buf out = all_as(github_write);

    assert_string_equal(
        buf_cstr(&out),
        "::error file=b.c,line=9,col=5,endColumn=8,title=critic/x::<bad> & \"worse\"\n"
        "::warning file=a.c,title=critic::whole file\n"
        "::notice file=b.c,line=3,endLine=5,title=pedant::three%0Alines, 100%25: it\n"
        "::notice title=pedant::(no text)\n");
    buf_release(&out);
}

/* "nothing of an agent's text can be a workflow command" */
TEST(github_properties_end_where_ours_do)
{
    static const struct ledger_entry entry = { .role = ROLE_CRITIC, .finding = {
        .severity = SEVERITY_HIGH, .file = STR("a,line=1::b\n::add-mask::c%.c"), .line = 2,
        .kind = STR("k::x,y\r"), .text = STR("one\r\n::set-output\tname=x::y\n##[error]z") } };
    struct buf out = written(github_write, &entry, 1);

    assert_string_equal(
        buf_cstr(&out),
        "::error file=a%2Cline=1%3A%3Ab %3A%3Aadd-mask%3A%3Ac%25.c,line=2,title=critic/k%3A%3Ax%2C"
        "y\\x0d::one%0A::set-output name=x::y%0A##[error]z\n");
    buf_release(&out);
}

/* "10 per kind per step limit known: worst first, and what was cut is said in a notice" */
TEST(github_writes_no_more_than_is_shown)
{
    struct ledger_entry list[40] = { 0 };
    uint32_t errors = 0, notices = 0;
    struct buf out;

    for (uint32_t i = 0; i < 40; i++) {
        list[i] = (struct ledger_entry){ .role = ROLE_CRITIC, .finding = {
            .severity = i < 20 ? SEVERITY_HIGH : SEVERITY_LOW, .text = STR("t") } };
    }
    out = written(github_write, list, 40);
    for (const char *at = buf_cstr(&out); (at = strstr(at, "::error ")); at++) errors++;
    for (const char *at = buf_cstr(&out); (at = strstr(at, "::notice ")); at++) notices++;
    assert_int_equal(errors, 10);
    assert_int_equal(notices, 10);
    assert_non_null(strstr(buf_cstr(&out), "::notice title=hone%3A not all findings are annotated::"
                                           "21 more findings: GitHub shows at most 10"));
    buf_release(&out);
}

TEST(github_says_first_that_not_all_was_reviewed)
{
    static const struct unlooked unlooked[] = { { STR("a.c"), STR("gcc"), STR("it broke") } };
    struct buf out = written_listing(github_write, (struct listing){
        .unfinished = "was stopped",
        .coverage = { .files = 2, .unlooked = unlooked, .unlooked_count = 1 } });

    assert_string_equal(
        buf_cstr(&out),
        "::error title=hone%3A not everything was reviewed::run 7k2m: was stopped\n"
        "::error title=hone%3A files were not looked at::1 of 2 files was not looked at:%0A"
        "    a.c (gcc): it broke\n");
    buf_release(&out);
}
