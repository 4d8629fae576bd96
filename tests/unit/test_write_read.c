/* SPDX-License-Identifier: Apache-2.0
 *
 * test_write_read.c - what hone writes as SARIF and rdjson, hone reads: the same findings come
 * back, and `hone check` has nothing to say. */
#include "dialect/check.h"
#include "format/report/diagnostic.h"
#include "format/report/listing.h"
#include "listing_scene.h"
#include "test.h"

typedef int diagnostics_reader(struct str text, struct diagnostics *out, struct err *err);

static const struct ledger_entry entries[] = {
    { .role = ROLE_CRITIC, .finding = {
        .severity = SEVERITY_HIGH, .kind = STR("-Wformat"), .file = STR("src/a b.c"), .line = 3,
        .column = 5, .end_line = 3, .end_column = 9, .text = STR("format '{0}' [x] 100%"),
        .evidence = STR("puts(s);"), .fix = STR(
            "[{\"text\":\"use it\",\"edits\":[{\"file\":\"src/a b.c\","
            "\"hash\":\"00c0ffee00c0ffee\",\"start\":12,\"end\":16,\"text\":\"%zu\"},"
            "{\"file\":\"b.h\",\"hash\":\"00c0ffee00c0ffef\",\"start\":0,\"end\":0,"
            "\"text\":\"\\u00e9\"}]}]") } },
    { .role = ROLE_PEDANT, .finding = {
        .severity = SEVERITY_MEDIUM, .file = STR("\xe6\x97\xa5\n%:?#.c"), .line = 7,
        .text = STR("two\nlines \x1b[31m \xf0\x9d\x84\x9e") } },
    { .role = ROLE_PEDANT, .finding = { .severity = SEVERITY_LOW, .file = STR("b.h"),
                                        .text = STR("the whole file") } },
    { .role = ROLE_PEDANT, .finding = { .severity = SEVERITY_LOW, .file = STR("b.h"), .line = 2,
                                        .end_line = 4, .text = STR("lines") } },
};

enum { COUNT = sizeof entries / sizeof *entries };

static void read_back(listing_writer *write, diagnostics_reader *read, struct diagnostics *out)
{
    struct buf text = written(write, entries, COUNT);
    struct err err;

    if (read(buf_str(&text), out, &err) != 0) fail_msg("%s", err.text);
    assert_int_equal(out->count, COUNT);
    assert_int_equal(out->failure.size, 0);
    assert_true(str_is(out->tool, "hone"));
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct finding *finding = &entries[i].finding;

        assert_int_equal(out->items[i].severity, finding->severity);
        assert_true(str_eq(out->items[i].text, finding->text));
        assert_true(str_eq(out->items[i].file, finding->file));
        if (finding->line > 0) assert_int_equal(out->items[i].place.line, finding->line);
        assert_int_equal(out->items[i].place.column, finding->column);
    }
    assert_true(str_is(out->items[0].rule, "critic/-Wformat"));
    assert_true(str_is(out->items[1].rule, "pedant"));
    assert_int_equal(out->items[0].place.end_column, 9);
    assert_int_equal(out->items[3].place.end_line, 4);
    buf_release(&text);
}

TEST(sarif_comes_back)
{
    struct diagnostics out = { .count = 0 };
    const struct tool_fix *fix;

    read_back(sarif_write, sarif_read, &out);
    assert_int_equal(out.items[0].fix_count, 1);
    fix = &out.items[0].fixes[0];
    assert_true(str_is(fix->text, "use it"));
    assert_int_equal(fix->count, 2);
    assert_true(str_is(fix->edits[0].file, "src/a b.c"));
    assert_true(fix->edits[0].place.by_offset);
    assert_int_equal(fix->edits[0].place.offset, 12);
    assert_int_equal(fix->edits[0].place.end_offset, 16);
    assert_true(str_is(fix->edits[0].text, "%zu"));
    assert_true(str_is(fix->edits[1].file, "b.h"));
    assert_true(str_is(fix->edits[1].text, "\xc3\xa9"));
    diagnostics_release(&out);
}

TEST(rdjson_comes_back)
{
    struct diagnostics out = { .count = 0 };

    read_back(rdjson_write, rdjson_read, &out);
    diagnostics_release(&out);
}

TEST(what_is_fixed_is_no_finding_any_more)
{
    struct ledger_entry fixed = entries[0];
    struct diagnostics out = { .count = 0 };
    struct buf text;
    struct err err;

    fixed.state = FINDING_FIXED;
    text = written(sarif_write, &fixed, 1);
    assert_int_equal(sarif_read(buf_str(&text), &out, &err), 0);
    assert_int_equal(out.count, 0);
    assert_int_equal(out.failure.size, 0);
    diagnostics_release(&out);
    buf_release(&text);
}

TEST(a_run_that_has_not_ended_reads_as_failed)
{
    struct listing listing = { .run = "7k2m", .version = "1.2.3", .plan = &listing_plan,
                               .unfinished = "was stopped" };
    struct diagnostics out = { .count = 0 };
    struct buf text;
    struct err err;

    buf_init(&text, 1 << 20);
    sarif_write(&listing, &text);
    assert_int_equal(sarif_read(buf_str(&text), &out, &err), 0);
    assert_true(str_is(out.failure, "run 7k2m: was stopped"));
    diagnostics_release(&out);
    buf_release(&text);
}

static void expect_valid(const char *kind, listing_writer *write)
{
    struct ledger_entry list[COUNT + 3];
    struct check_report report = { 0 };
    struct buf text;

    for (uint32_t i = 0; i < COUNT; i++) list[i] = entries[i];
    list[COUNT] = entries[0];
    list[COUNT].state = FINDING_FIXED;
    list[COUNT + 1] = entries[0];
    list[COUNT + 1].finding.file = STR("../outside.c");
    list[COUNT + 2] = (struct ledger_entry){ .role = ROLE_CRITIC };
    text = written(write, list, COUNT + 3);
    check_find(str_of(kind))->run(buf_str(&text), &report);
    if (report.count > 0) {
        fail_msg("%s: line %u: %s", kind, report.problems[0].line, report.problems[0].message);
    }
    check_report_release(&report);
    buf_release(&text);
}

TEST(hone_check_has_nothing_to_say)
{
    expect_valid("sarif", sarif_write);
    expect_valid("rdjson", rdjson_write);
}
