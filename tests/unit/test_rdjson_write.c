/* SPDX-License-Identifier: Apache-2.0
 *
 * test_rdjson_write.c - findings as rdjson. */
#include "format/report/listing.h"

#include "listing_scene.h"
#include "test.h"

#define ITEM "/diagnostics/0"

static yyjson_doc *write_one(struct finding finding)
{
    struct ledger_entry entry = { .role = ROLE_CRITIC, .finding = finding };

    return written_json(rdjson_write, &entry, 1);
}

TEST(a_report_has_a_source_and_a_list)
{
    yyjson_doc *doc = written_json(rdjson_write, NULL, 0);

    expect_text(doc, "/source/name", "hone");
    assert_true(yyjson_is_arr(yyjson_doc_ptr_get(doc, "/diagnostics")));
    yyjson_doc_free(doc);
}

TEST(a_finding_is_a_diagnostic)
{
    yyjson_doc *doc = write_one((struct finding){
        .severity = SEVERITY_HIGH, .kind = STR("-Wformat"), .file = STR("src/a b.c"), .line = 3,
        .column = 5, .end_line = 4, .end_column = 2, .text = STR("bad\n\x1b\xff") });

    expect_text(doc, ITEM "/message", "bad\n\x1b\xef\xbf\xbd");
    expect_text(doc, ITEM "/severity", "ERROR");
    expect_text(doc, ITEM "/code/value", "critic/-Wformat");
    expect_text(doc, ITEM "/location/path", "src/a b.c");
    expect_number(doc, ITEM "/location/range/start/line", 3);
    expect_number(doc, ITEM "/location/range/start/column", 5);
    expect_number(doc, ITEM "/location/range/end/line", 4);
    expect_number(doc, ITEM "/location/range/end/column", 2);
    yyjson_doc_free(doc);
}

TEST(severities_have_words)
{
    static const char *const words[] = { "INFO", "WARNING", "ERROR" };

    for (uint32_t i = 0; i < SEVERITY_COUNT; i++) {
        yyjson_doc *doc = write_one((struct finding){ .severity = (enum severity)i,
                                                      .text = STR("t") });
        expect_text(doc, ITEM "/severity", words[i]);
        yyjson_doc_free(doc);
    }
}

TEST(a_place_has_what_is_known_of_it)
{
    yyjson_doc *doc = write_one((struct finding){ .file = STR("a.c"), .text = STR("t") });

    expect_text(doc, ITEM "/location/path", "a.c");
    expect_nothing(doc, ITEM "/location/range");
    yyjson_doc_free(doc);
    doc = write_one((struct finding){ .file = STR("a.c"), .text = STR("t"), .line = 3,
                                      .end_line = 5 });
    expect_number(doc, ITEM "/location/range/start/line", 3);
    expect_nothing(doc, ITEM "/location/range/start/column");
    expect_number(doc, ITEM "/location/range/end/line", 5);
    expect_nothing(doc, ITEM "/location/range/end/column");
    yyjson_doc_free(doc);
    doc = write_one((struct finding){ .file = STR("a.c"), .text = STR("t"), .line = 3,
                                      .column = 4, .end_line = 3, .end_column = 4 });
    expect_number(doc, ITEM "/location/range/end/column", 4); /* between two bytes */
    yyjson_doc_free(doc);
}

TEST(an_end_before_its_beginning_is_left_out)
{
    static const struct { uint32_t line, column; } ends[] = { { 2, 9 }, { 3, 3 }, { 3, 0 },
                                                              { 0, 0 } };

    for (uint32_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        yyjson_doc *doc = write_one((struct finding){
            .file = STR("a.c"), .text = STR("t"), .line = 3, .column = 4,
            .end_line = ends[i].line, .end_column = ends[i].column });
        expect_number(doc, ITEM "/location/range/start/column", 4);
        expect_nothing(doc, ITEM "/location/range/end");
        yyjson_doc_free(doc);
    }
}

TEST(a_path_out_of_the_workspace_is_no_place_in_it)
{
    static const char *const cases[] = { "", "/etc/passwd", "../a.c", "a/../../b" };

    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        yyjson_doc *doc = write_one((struct finding){ .file = str_of(cases[i]), .line = 3,
                                                      .text = STR("t") });
        expect_text(doc, ITEM "/location/path", ".");
        expect_nothing(doc, ITEM "/location/range");
        yyjson_doc_free(doc);
    }
}

TEST(what_is_fixed_says_so)
{
    struct ledger_entry entry = { .role = ROLE_CRITIC, .state = FINDING_FIXED,
                                  .finding = { .severity = SEVERITY_HIGH, .text = STR("leak") } };
    yyjson_doc *doc = written_json(rdjson_write, &entry, 1);

    expect_text(doc, ITEM "/message", "fixed: leak");
    expect_text(doc, ITEM "/severity", "INFO");
    yyjson_doc_free(doc);
}

TEST(no_message_is_empty)
{
    yyjson_doc *doc = write_one((struct finding){ .kind = STR("leak") });

    expect_text(doc, ITEM "/message", "leak");
    yyjson_doc_free(doc);
    doc = write_one((struct finding){ .line = 0 });
    expect_text(doc, ITEM "/message", "(no text)");
    yyjson_doc_free(doc);
}

TEST(a_fix_that_fits_is_a_suggestion)
{
    static const struct listing_edit edit = { .file = STR("a.c"), .line = 3, .column = 7,
                                              .end_line = 4, .end_column = 2, .text = STR("%zu") };
    struct ledger_entry entry = { .role = ROLE_CRITIC,
                                  .finding = { .file = STR("a.c"), .line = 3, .text = STR("t") } };
    struct listing_fix fix = { .entry = &entry, .edits = &edit, .count = 1 };
    struct listing listing = { .fixes = &fix, .fix_count = 1 };
    yyjson_doc *doc;

    listing_add(&listing, &entry);
    doc = written_listing_json(rdjson_write, listing);
    expect_number(doc, ITEM "/suggestions/0/range/start/line", 3);
    expect_number(doc, ITEM "/suggestions/0/range/start/column", 7);
    expect_number(doc, ITEM "/suggestions/0/range/end/line", 4);
    expect_number(doc, ITEM "/suggestions/0/range/end/column", 2);
    expect_text(doc, ITEM "/suggestions/0/text", "%zu");
    yyjson_doc_free(doc);
    /* What a repair did long ago, and what is for another file, are none. */
    fix.round = 1;
    doc = written_listing_json(rdjson_write, listing);
    expect_nothing(doc, ITEM "/suggestions");
    yyjson_doc_free(doc);
    fix.round = 0;
    entry.finding.file = STR("b.c");
    doc = written_listing_json(rdjson_write, listing);
    expect_nothing(doc, ITEM "/suggestions");
    yyjson_doc_free(doc);
    listing_release(&listing);
}

TEST(a_run_that_has_not_said_all_is_an_error)
{
    static const struct unlooked unlooked[] = { { STR("a.c"), STR("gcc"), STR("it broke") } };
    yyjson_doc *doc = written_listing_json(rdjson_write, (struct listing){
        .unfinished = "was stopped", .left = 1,
        .coverage = { .files = 2, .unlooked = unlooked, .unlooked_count = 1 } });

    expect_text(doc, ITEM "/message", "run 7k2m: was stopped");
    expect_text(doc, ITEM "/location/path", ".");
    expect_text(doc, ITEM "/severity", "ERROR");
    expect_text(doc, "/diagnostics/1/location/path", "a.c");
    expect_text(doc, "/diagnostics/1/message", "not looked at by gcc: it broke");
    expect_text(doc, "/diagnostics/2/severity", "WARNING");
    expect_nothing(doc, "/diagnostics/3");
    yyjson_doc_free(doc);
}
