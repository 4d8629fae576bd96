/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "format/report/diagnostic.h"
#include "report.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct diagnostics read_one(const char *members)
{
    return sample_read(rdjson_read, sample_text("{'diagnostics':[{'message':'m'%s}]}", members));
}

/* ---- which of the two, and what is neither ---- */

TEST(the_first_line_tells_the_two_apart)
{
    static const struct { const char *text; bool lines; } rows[] = {
        { "{'message':'m'}\n{'message':'n'}\n", true },
        { "{'message':'m'}", true },
        { "\n \r\n {'message':'m'} \r\n", true },
        { "{'source':{'name':'x'}}", true },
        { "{'diagnostics':[]}", false },
        { "{'diagnostics':null}", false },
        { "{\n'diagnostics':[]}", false },
        { "{'diagnostics':[\n{'message':'m'}\n]}", false },
        { "{}", false },
        { "[]", false },
        { "[{'message':'m'}]", false },
        { "", false },
        { "{'message':'m'", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rdjson_is_lines(sample_text("%s", rows[i].text)) != rows[i].lines) {
            fail_msg("%s", rows[i].text);
        }
    }
}

TEST(both_formats_are_read)
{
    static const char *const texts[] = {
        "{'diagnostics':[{'message':'a'},{'message':'b'}]}",
        "{\n  'source': {'name':'x'},\n  'diagnostics': [\n{'message':'a'},\n{'message':'b'}]}\n",
        "{'message':'a'}\n{'message':'b'}\n",
        "{'message':'a'}\r\n\r\n  {'message':'b'}",
        "\xef\xbb\xbf{'message':'a'}\n{'message':'b'}\n",
        "\xef\xbb\xbf{'diagnostics':[{'message':'a'},{'message':'b'}]}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct diagnostics found = sample_read(rdjson_read, sample_text("%s", texts[i]));

        assert_int_equal(found.count, 2);
        sample_expect(found.items[0].text, "a");
        sample_expect(found.items[1].text, "b");
        diagnostics_release(&found);
    }
}

TEST(a_list_without_diagnostics_is_a_tool_that_found_nothing)
{
    struct diagnostics found = sample_read(
        rdjson_read, sample_text("{'source':{'name':'x'},'diagnostics':[]}"));

    assert_int_equal(found.count, 0);
    assert_int_equal(found.failure.size, 0);
    sample_expect(found.tool, "x");
    diagnostics_release(&found);
}

TEST(what_is_no_report_is_refused_with_its_line)
{
    static const struct { const char *text, *part; } rows[] = {
        { "", "there is no JSON here" },
        { "\n \n", "there is no JSON here" },
        { "{}", "line 1: there is no list of diagnostics" },
        { "\n\n[]", "line 3: not an object" },
        { "null", "not an object" },
        { "a.c:1: oops\n", "line 1: " },
        { "{'diagnostics':null}", "no list" },
        { "{'diagnostics':{}}", "no list" },
        { "{'diagnostics':[],'diagnostics':[{'message':'m'}]}", "a key twice" },
        { "{'diagnostics':[]}\n{'diagnostics':[]}", "line 2: " },
        { "{'source':{'name':'x'}}", "line 1: has no message" },
        { "{'diagnostics':[{'message':'m'},\n\n7]}", "line 3: diagnostics[1]: is not an object" },
        { "{'diagnostics':[{'message':'m'},\n{'message':''}]}", "line 2: diagnostics[1]: has no" },
        { "{'diagnostics':[\n7,\n{'message':'m'}]}", "line 2: diagnostics[0]: is not" },
        { "{'diagnostics':[{'message':'m','message':'n'}]}", "has a key twice" },
        { "{'diagnostics':[{'text':'m'}]}", "has no message" },
        { "{'diagnostics':[{'message':7}]}", "has no message" },
        { "{'diagnostics':[{'message':'m','location':{'path':'a\\u0000'}}]}", "NUL" },
        { "{'message':'m'}\n{'location':{}}\n", "line 2: has no message" },
        { "{'message':'m'}\n\n{'message':'n'\n", "line 3: " },
        { "{'message':'m'}\n7\n", "line 2: is not an object" },
        { "{'message':'m'}\n{'message':'n'}{'message':'o'}\n", "line 2: " },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sample_refused(rdjson_read, sample_text("%s", rows[i].text), ERR_FORMAT, rows[i].part);
    }
}

TEST(a_report_cut_anywhere_is_refused)
{
    struct str text = sample_text("{'diagnostics':[\n{'message':'m','location':{'path':'a.c'}}]}");
    char *whole = strndup(text.data, text.size);

    for (size_t size = 0; size < text.size; size++) {
        sample_refused(rdjson_read, (struct str){ whole, size }, ERR_FORMAT, "rdjson: line ");
    }
    free(whole);
}

/* ---- a diagnostic ---- */

TEST(a_diagnostic_has_its_rule_help_file_and_tool)
{
    struct diagnostics found = sample_read(
        rdjson_read, sample_text("{'message':'one\\ntwo','source':{'name':'x'},'code':{'value':'R',"
                                 "'url':'https://r'},'location':{'path':'s/a b.c'},"
                                 "'originalOutput':'o','related_locations':[]}\n"
                                 "{'message':'m','source':{'name':'y'},'code':null,"
                                 "'location':null,'original_output':'o'}"));

    sample_expect(found.tool, "x");
    sample_expect(found.items[0].text, "one\ntwo");
    sample_expect(found.items[0].rule, "R");
    sample_expect(found.items[0].help, "https://r");
    sample_expect(found.items[0].file, "s/a b.c");
    sample_expect(found.items[1].rule, "");
    sample_expect(found.items[1].file, "");
    assert_int_equal(found.items[1].place.line, 0);
    diagnostics_release(&found);
}

TEST(severity_is_a_word_a_number_or_that_of_the_report)
{
    static const struct { const char *own, *top; enum severity severity; } rows[] = {
        { "", "", SEVERITY_MEDIUM },
        { ",'severity':'ERROR'", "", SEVERITY_HIGH },
        { ",'severity':'WARNING'", ",'severity':'ERROR'", SEVERITY_MEDIUM },
        { ",'severity':'INFO'", ",'severity':'ERROR'", SEVERITY_LOW },
        { ",'severity':'error'", "", SEVERITY_HIGH },
        { ",'severity':'Info'", "", SEVERITY_LOW },
        { ",'severity':1", "", SEVERITY_HIGH },
        { ",'severity':2", "", SEVERITY_MEDIUM },
        { ",'severity':3", "", SEVERITY_LOW },
        { "", ",'severity':'INFO'", SEVERITY_LOW },
        { "", ",'severity':'UNKNOWN_SEVERITY'", SEVERITY_MEDIUM },
        { ",'severity':null", ",'severity':3", SEVERITY_LOW },
        { ",'severity':0", ",'severity':'ERROR'", SEVERITY_HIGH },
        { ",'severity':'UNKNOWN_SEVERITY'", ",'severity':'INFO'", SEVERITY_LOW },
        { ",'severity':'UNKNOWN_SEVERITY'", ",'severity':0", SEVERITY_MEDIUM },
        { ",'severity':'FATAL'", ",'severity':'INFO'", SEVERITY_HIGH },
        { ",'severity':4", "", SEVERITY_HIGH },
        { ",'severity':-1", "", SEVERITY_HIGH },
        { ",'severity':{}", "", SEVERITY_HIGH },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diagnostics found = sample_read(
            rdjson_read, sample_text("{'diagnostics':[{'message':'m'%s}]%s}", rows[i].own,
                                     rows[i].top));

        if (found.items[0].severity != rows[i].severity) fail_msg("row %zu", i);
        diagnostics_release(&found);
    }
}

TEST(a_range_is_what_the_format_says)
{
    static const struct { const char *range, *place; } rows[] = {
        { "{'start':{'line':2,'column':3},'end':{'line':2,'column':7}}", "2:3-2:7/bytes" },
        { "{'start':{'line':2,'column':3}}", "2:3-0:0/bytes" },
        { "{'start':{'line':2}}", "2:0-2:0/bytes" },
        { "{'start':{'line':2},'end':{'line':4}}", "2:0-4:0/bytes" },
        { "{'start':{'line':2},'end':{'line':3,'column':1}}", "2:1-3:1/bytes" },
        { "{'start':{'line':2,'column':3},'end':{'line':4}}", "2:3-4:0/bytes" },
        { "{'start':{'line':2,'column':3},'end':{'column':5}}", "2:3-2:5/bytes" },
        { "{'start':{'line':2,'column':3},'end':null}", "2:3-0:0/bytes" },
        { "{'start':{'line':2,'column':0},'end':{}}", "2:0-2:0/bytes" },
        { "{'start':{'line':'2','column':'3'}}", "2:3-0:0/bytes" },
        { "{'start':{'line':2.0}}", "2:0-2:0/bytes" },
        { "{'start':{'column':3}}", "0:0-0:0/bytes" },
        { "{'end':{'line':3}}", "0:0-0:0/bytes" },
        { "{}", "0:0-0:0/bytes" },
        { "null", "0:0-0:0/bytes" },
        { "[]", "0:0-0:0/bytes" },
        /* what is wrong is left out, the rest is kept */
        { "{'start':{'line':2,'column':-3},'end':{'line':2,'column':5}}", "2:0-0:0/bytes" },
        { "{'start':{'line':2,'column':9},'end':{'line':2,'column':5}}", "2:9-0:0/bytes" },
        { "{'start':{'line':2},'end':{'line':1}}", "2:0-0:0/bytes" },
        { "{'start':{'line':1.5}}", "0:0-0:0/bytes" },
        { "{'start':{'line':1e300}}", "0:0-0:0/bytes" },
        { "{'start':{'line':-1}}", "0:0-0:0/bytes" },
        { "{'start':{'line':'x'}}", "0:0-0:0/bytes" },
        { "{'start':{'line':2147483648}}", "0:0-0:0/bytes" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char members[256];
        struct diagnostics found;

        snprintf(members, sizeof members, ",'location':{'path':'a.c','range':%s}", rows[i].range);
        found = read_one(members);
        if (strcmp(sample_place(&found.items[0].place), rows[i].place) != 0) {
            fail_msg("%s: %s", rows[i].range, sample_place(&found.items[0].place));
        }
        diagnostics_release(&found);
    }
}

/* ---- suggestions ---- */

static struct diagnostics read_suggestions(const char *suggestions)
{
    char members[1024];

    snprintf(members, sizeof members, ",'location':{'path':'a.c'},'suggestions':%s", suggestions);
    return read_one(members);
}

TEST(each_suggestion_is_a_fix_with_one_edit)
{
    static const struct { const char *suggestion, *place, *text; } rows[] = {
        { "{'range':{'start':{'line':1,'column':5},'end':{'line':1,'column':7}},'text':'14'}",
          "1:5-1:7/bytes", "14" },
        { "{'range':{'start':{'line':1,'column':5},'end':{'line':1,'column':5}},'text':'15'}",
          "1:5-1:5/bytes", "15" },
        { "{'range':{'start':{'line':1,'column':5}},'text':'15'}", "1:5-1:5/bytes", "15" },
        { "{'range':{'start':{'line':1,'column':5},'end':{'line':2}},'text':'15'}",
          "1:5-2:0/bytes", "15" },
        { "{'range':{'start':{'line':3},'end':{'line':4}},'text':'x'}", "3:0-4:0/bytes", "x" },
        { "{'range':{'start':{'line':3}},'text':'x\\ny'}", "3:0-3:0/bytes", "x\ny" },
        { "{'range':{'start':{'line':3},'end':{'line':4}},'text':'x\\n'}", "3:1-5:1/bytes",
          "x\n" },
        { "{'range':{'start':{'line':3}},'text':''}", "3:1-4:1/bytes", "" },
        { "{'range':{'start':{'line':3}}}", "3:1-4:1/bytes", "" },
        { "{'range':{'start':{'line':3,'column':1},'end':{'line':3,'column':2}},'text':null}",
          "3:1-3:2/bytes", "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char list[512];
        struct diagnostics found;
        struct diagnostic *item;

        snprintf(list, sizeof list, "[%s,%s]", rows[i].suggestion, rows[i].suggestion);
        found = read_suggestions(list);
        item = &found.items[0];
        assert_int_equal(item->fix_count, 2);
        assert_int_equal(item->fixes[1].count, 1);
        sample_expect(item->fixes[1].edits[0].file, "a.c");
        sample_expect(item->fixes[1].edits[0].text, rows[i].text);
        if (strcmp(sample_place(&item->fixes[1].edits[0].place), rows[i].place) != 0) {
            fail_msg("row %zu: %s", i, sample_place(&item->fixes[1].edits[0].place));
        }
        diagnostics_release(&found);
    }
}

TEST(a_suggestion_that_cannot_be_told_is_left_out)
{
    static const char *const lists[] = {
        "null", "{}", "[]", "[7]", "[{}]", "[{'text':'x'}]", "[{'range':{},'text':'x'}]",
        "[{'range':{'start':{'column':1}},'text':'x'}]",
        "[{'range':{'start':{'line':0,'column':1}},'text':'x'}]",
        "[{'range':{'start':{'line':1,'column':-1}},'text':'x'}]",
        "[{'range':{'start':{'line':1,'column':1.5}},'text':'x'}]",
        "[{'range':{'start':{'line':2},'end':{'line':1}},'text':'x'}]",
        "[{'range':{'start':{'line':2,'column':5},'end':{'line':2,'column':4}},'text':'x'}]",
        "[{'range':{'start':{'line':2}},'text':7}]",
    };

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct diagnostics found = read_suggestions(lists[i]);

        assert_int_equal(found.count, 1);
        if (found.items[0].fix_count != 0) fail_msg("%s", lists[i]);
        diagnostics_release(&found);
    }
}

TEST(a_suggestion_for_no_file_is_left_out)
{
    struct diagnostics found = read_one(",'suggestions':[{'range':{'start':{'line':1}},"
                                        "'text':'x'}]");

    assert_int_equal(found.items[0].fix_count, 0);
    diagnostics_release(&found);
}

/* ---- bounds ---- */

TEST(too_many_lines_are_refused)
{
    struct diagnostics found;
    struct buf text;

    buf_init(&text, 1 << 24);
    for (uint32_t i = 0; i < DIAGNOSTICS_MAX; i++) buf_text(&text, "{\"message\":\"m\"}\n");
    found = sample_read(rdjson_read, buf_str(&text));
    assert_int_equal(found.count, DIAGNOSTICS_MAX);
    diagnostics_release(&found);
    buf_text(&text, "{\"message\":\"m\"}\n");
    sample_refused(rdjson_read, buf_str(&text), ERR_LIMIT, "line 100001: is one more than 100000");
    buf_release(&text);
}

TEST(a_path_without_end_is_refused)
{
    for (int bytes = 4096; bytes < 4098; bytes++) {
        struct diagnostics found = { 0 };
        struct err err = { 0 };
        struct buf text;

        buf_init(&text, 1 << 16);
        buf_text(&text, "{\"message\":\"m\",\"location\":{\"path\":\"");
        for (int i = 0; i < bytes; i++) buf_byte(&text, 'a');
        buf_text(&text, "\"}}");
        assert_int_equal(rdjson_read(buf_str(&text), &found, &err), bytes == 4096 ? 0 : ERR_LIMIT);
        assert_int_equal(found.items[0].file.size, bytes == 4096 ? 4096 : 0);
        diagnostics_release(&found);
        buf_release(&text);
    }
}
