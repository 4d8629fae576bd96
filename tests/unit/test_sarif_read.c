/* SPDX-License-Identifier: Apache-2.0 */
#include "format/json/json.h"
#include "format/report/diagnostic.h"
#include "report.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is no report ---- */

TEST(what_is_no_sarif_is_refused)
{
    static const struct { const char *text, *part; } rows[] = {
        { "", "line 1: there is no JSON" },
        { " \n\n", "no JSON" },
        { "no findings\n", "line 1: " },
        { "[]", "line 1: not an object" },
        { "\n\n7", "line 3: not an object" },
        { "null", "not an object" },
        { "{}", "no version" },
        { "{'runs':[]}", "no version" },
        { "{'version':2.1,'runs':[]}", "no version" },
        { "{\n'version':'2.0.0','runs':[]}", "line 2: this is version 2.0.0" },
        { "{'version':'2.1.0'}", "no runs" },
        { "{'version':'2.1.0','runs':null}", "no runs" },
        { "{'version':'2.1.0','runs':{}}", "no runs" },
        { "{'version':'2.1.0','runs':[],'runs':[]}", "a key twice" },
        { "{'version':'2.1.0',\n'runs':[\n7]}", "line 3: runs[0] is not an object" },
        { "{'version':'2.1.0','runs':[{'results':[]}]}", "tool.driver.name" },
        { "{'version':'2.1.0','runs':[{'tool':{'driver':{'name':'t'}},'results':[]},\n{\n}]}",
          "line 2: runs[1] names no tool" },
        { "{'version':'2.1.0','runs':[{'tool':{'driver':{}},'results':[]}]}", "driver.name" },
        { "{'version':'2.1.0','runs':[{'tool':{'driver':{'name':'t'}},'results':[]} ] }x",
          "line 1" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sample_refused(sarif_read, sample_text("%s", rows[i].text), ERR_FORMAT, rows[i].part);
    }
}

TEST(a_run_that_is_not_understood_is_refused)
{
    static const struct { const char *members, *part; } rows[] = {
        { "'results':7", "results that are not an array" },
        { "'results':[],'results':[{'message':{'text':'m'}}]", "runs[0] has a key twice" },
        { "'results':[{'message':{'text':'m'}},\n8]", "line 2: runs[0].results[1] is not an obj" },
        { "'results':[\n7,\n{'message':{'text':'m'}}]", "line 2: runs[0].results[0] is not" },
        { "'results':[\n{'ruleId':'r'}]", "line 2: runs[0].results[0] has no message" },
        { "'results':[{'message':'m'}]", "has no message" },
        { "'results':[{'message':{}}]", "leads to no text" },
        { "'results':[{'message':{'text':''}}]", "leads to no text" },
        { "'results':[{'message':{'text':7}}]", "leads to no text" },
        { "'results':[{'message':{'id':'gone'}}]", "leads to no text" },
        { "'results':[{'message':{'text':'m'},'kind':'pass','kind':'fail'}]", "a key twice" },
        { "'columnKind':'cells','results':[]", "columnKind" },
        { "'results':[],'externalPropertyFileReferences':{'results':[{'itemCount':1}]}",
          "results in other files" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sample_refused(sarif_read, sample_run(rows[i].members), ERR_FORMAT, rows[i].part);
    }
}

TEST(a_report_cut_anywhere_is_refused)
{
    struct str text = sample_result(",'level':'error'", ",'columnKind':'utf16CodeUnits'");
    char *whole = strndup(text.data, text.size);

    for (size_t size = 0; size < text.size; size++) {
        sample_refused(sarif_read, (struct str){ whole, size }, ERR_FORMAT, "SARIF: line 1: ");
    }
    free(whole);
}

TEST(nesting_without_end_is_refused)
{
    char text[2048];
    int used = snprintf(text, sizeof text, "{\"version\":\"2.1.0\",\"runs\":[],\"x\":");

    memset(text + used, '[', 500);
    memset(text + used + 500, ']', 500);
    text[used + 1000] = '}';
    sample_refused(sarif_read, (struct str){ text, (size_t)used + 1001 }, ERR_FORMAT, "deeper");
}

TEST(a_byte_order_mark_is_passed_over)
{
    struct diagnostics found = sample_read(
        sarif_read, sample_text("\xef\xbb\xbf{'version':'2.1.0','runs':[{'tool':{'driver':"
                                "{'name':'t'}},'results':[]}]}"));

    assert_int_equal(found.count, 0);
    diagnostics_release(&found);
}

/* ---- what is a finding ---- */

TEST(all_runs_are_read_and_the_first_names_the_tool)
{
    struct diagnostics found = sample_read(
        sarif_read, sample_text("{'version':'2.1.0','runs':[{'tool':{'driver':{'name':'one',"
                                "'semanticVersion':'1.2.3'}},'results':[{'message':{'text':'a'}}]},"
                                "{'tool':{'driver':{'name':'two','version':'9'}},"
                                "'results':[{'message':{'text':'b'}},{'message':{'text':'c'}}]}"
                                "]}"));

    assert_int_equal(found.count, 3);
    sample_expect(found.items[0].text, "a");
    sample_expect(found.items[2].text, "c");
    sample_expect(found.tool, "one");
    sample_expect(found.version, "1.2.3");
    assert_int_equal(found.failure.size, 0);
    diagnostics_release(&found);
}

TEST(only_what_may_be_a_problem_is_a_finding)
{
    static const struct { const char *members; uint32_t count; } rows[] = {
        { "", 1 },
        { ",'kind':'fail'", 1 },
        { ",'kind':'open'", 1 },
        { ",'kind':'review'", 1 },
        { ",'kind':'never heard of'", 1 },
        { ",'kind':7", 1 },
        { ",'kind':'pass'", 0 },
        { ",'kind':'notApplicable'", 0 },
        { ",'kind':'informational'", 0 },
        { ",'baselineState':'absent'", 0 },
        { ",'baselineState':'unchanged'", 1 },
        { ",'baselineState':'new'", 1 },
        { ",'suppressions':null", 1 },
        { ",'suppressions':[]", 1 },
        { ",'suppressions':[{'kind':'inSource'}]", 0 },
        { ",'suppressions':[{'kind':'external','status':'accepted'}]", 0 },
        { ",'suppressions':[{'kind':'external','status':null}]", 0 },
        { ",'suppressions':[{'kind':'external','status':'rejected'}]", 1 },
        { ",'suppressions':[{'kind':'external','status':'underReview'}]", 1 },
        { ",'suppressions':[{'kind':'inSource'},{'kind':'external','status':'rejected'}]", 1 },
        { ",'suppressions':[{'status':'whatever'}]", 1 },
        { ",'suppressions':[7]", 1 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diagnostics found = sample_read(sarif_read, sample_result(rows[i].members, ""));

        if (found.count != rows[i].count) fail_msg("%s: %u", rows[i].members, found.count);
        diagnostics_release(&found);
    }
}

TEST(severity_is_the_level_of_the_result_or_its_rule)
{
    static const struct { const char *members, *level; enum severity severity; } rows[] = {
        { "", "", SEVERITY_MEDIUM },
        { ",'level':'error'", "note", SEVERITY_HIGH },
        { ",'level':'warning'", "error", SEVERITY_MEDIUM },
        { ",'level':'note'", "error", SEVERITY_LOW },
        { ",'level':'none'", "error", SEVERITY_LOW },
        { ",'level':'dreadful'", "note", SEVERITY_HIGH },
        { ",'level':null", "note", SEVERITY_LOW },
        { "", "error", SEVERITY_HIGH },
        { ",'kind':'review'", "error", SEVERITY_LOW },
        { ",'kind':'open','level':'error'", "", SEVERITY_HIGH },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diagnostics found = sample_read(
            sarif_read,
            sample_text("{'version':'2.1.0','runs':[{'tool':{'driver':{'name':'t','rules':[{"
                        "'id':'r'%s%s%s}]}},'results':[{'message':{'text':'m'},'ruleId':'r'%s}]}]}",
                        rows[i].level[0] ? ",'defaultConfiguration':{'level':'" : "",
                        rows[i].level, rows[i].level[0] ? "'}" : "", rows[i].members));

        if (found.items[0].severity != rows[i].severity) fail_msg("row %zu", i);
        diagnostics_release(&found);
    }
}

/* ---- rules and messages ---- */

#define TOOL                                                                                       \
    "'tool':{'driver':{'name':'t','globalMessageStrings':{'g':{'text':'global {0}'}},'rules':["    \
    "{'id':'A','helpUri':'https://a','help':{'text':'never'},'messageStrings':{"                   \
    "'d':{'text':'{0} is {{not}} {1}, {0}'}}},"                                                    \
    "{'id':'B/c','shortDescription':{'text':'short B'},'help':{'text':'do it'}},7,{'id':'A'}]},"   \
    "'extensions':[{'name':'x','rules':[{'id':'X','helpUri':'https://x'}]}]}"

static struct diagnostics read_ruled(const char *result)
{
    return sample_read(sarif_read, sample_text("{'version':'2.1.0','runs':[{" TOOL
                                               ",'results':[%s]}]}", result));
}

TEST(a_rule_is_found_by_id_by_index_and_by_its_family)
{
    static const struct { const char *members, *rule, *help; } rows[] = {
        { "", "", "" },
        { ",'ruleId':'A'", "A", "https://a" },
        { ",'rule':{'id':'A'}", "A", "https://a" },
        { ",'ruleIndex':0", "A", "https://a" },
        { ",'rule':{'index':1}", "B/c", "do it" },
        { ",'ruleId':'A','ruleIndex':3", "A", "" },
        { ",'ruleId':'B/c/d/e','ruleIndex':-1", "B/c/d/e", "do it" },
        { ",'ruleId':'B/cd'", "B/cd", "" },
        { ",'ruleId':'B'", "B", "" },
        { ",'ruleId':'/'", "/", "" },
        { ",'ruleId':'X'", "X", "https://x" },
        { ",'rule':{'index':0,'toolComponent':{'index':0}}", "X", "https://x" },
        { ",'rule':{'index':0,'toolComponent':{'index':9}}", "A", "https://a" },
        { ",'ruleIndex':99,'ruleId':'A'", "A", "https://a" },
        { ",'ruleIndex':2", "", "" },
        { ",'ruleIndex':18446744073709551615", "", "" },
        { ",'ruleId':7,'rule':[]", "", "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char result[256];
        struct diagnostics found;

        snprintf(result, sizeof result, "{'message':{'text':'m'}%s}", rows[i].members);
        found = read_ruled(result);
        sample_expect(found.items[0].rule, rows[i].rule);
        sample_expect(found.items[0].help, rows[i].help);
        diagnostics_release(&found);
    }
}

TEST(a_message_gets_its_text_and_its_arguments)
{
    static const struct { const char *message, *members, *text; } rows[] = {
        { "'text':'plain {0} {{x}} }'", "", "plain {0} {{x}} }" },
        { "'text':'','markdown':'*m*'", "", "*m*" },
        { "'text':'a {0} {{0}} {1}{0}','arguments':['x']", "", "a x {0} {1}x" },
        { "'text':'{0}','arguments':['{1}','y']", "", "{1}" },
        { "'text':'{ 0}{-1}{}{0','arguments':['x']", "", "{ 0}{-1}{}{0" },
        { "'text':'{00000000000000000000}{0}','arguments':['x']", "",
          "{00000000000000000000}x" },
        { "'text':'{0}}','arguments':['x']", "", "x}" },
        { "'text':'{0}','arguments':[7]", "", "{0}" },
        { "'id':'d','arguments':['x','y']", ",'ruleId':'A'", "x is {not} y, x" },
        { "'id':'d','text':'own','arguments':['x']", ",'ruleId':'A'", "own" },
        { "'id':'g','arguments':['x']", "", "global x" },
        { "'id':'g'", "", "global {0}" },
        { "'id':'gone'", ",'ruleId':'B/c'", "short B" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char result[256];
        struct diagnostics found;

        snprintf(result, sizeof result, "{'message':{%s}%s}", rows[i].message, rows[i].members);
        found = read_ruled(result);
        sample_expect(found.items[0].text, rows[i].text);
        diagnostics_release(&found);
    }
}

/* ---- a tool that failed ---- */

TEST(a_tool_that_failed_says_why)
{
    static const struct { const char *members, *failure; } rows[] = {
        { "'results':[]", "" },
        { "'results':[],'invocations':[{'executionSuccessful':true}]", "" },
        { "'results':[],'invocations':[{}]", "" },
        { "'results':[],'invocations':[{'executionSuccessful':true},"
          "{'executionSuccessful':false}]", "the tool reports that it did not succeed" },
        { "'results':[],'invocations':[{'executionSuccessful':false,'toolExecutionNotifications':["
          "{'level':'note','message':{'text':'hello'}},{'level':'error','message':{'text':'boom'}},"
          "{'level':'error','message':{'text':'later'}}]}]", "boom" },
        { "'results':[],'invocations':[{'executionSuccessful':false,"
          "'exitCodeDescription':'no memory'}]", "no memory" },
        { "'results':[],'invocations':[{'executionSuccessful':false,"
          "'processStartFailureMessage':'not found','exitSignalName':'SIGBUS'}]", "not found" },
        { "'results':[],'invocations':[{'executionSuccessful':true,'toolExecutionNotifications':["
          "{'level':'error','message':{'text':'x.c: cannot read'}}]}]", "x.c: cannot read" },
        { "'results':[],'invocations':[{'toolConfigurationNotifications':["
          "{'level':'error','message':{'id':'y'}}]}]", "the tool reports an error of its own" },
        { "'results':[],'invocations':[{'toolExecutionNotifications':[{'level':'warning'}]}]", "" },
        { "'results':null", "the report has no results: the tool did not begin its work" },
        { "'columnKind':null", "the report has no results: the tool did not begin its work" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diagnostics found = sample_read(sarif_read, sample_run(rows[i].members));

        sample_expect(found.failure, rows[i].failure);
        diagnostics_release(&found);
    }
}

TEST(a_log_without_runs_is_no_clean_report)
{
    struct diagnostics found = sample_read(sarif_read,
                                           sample_text("{'version':'2.1.0','runs':[]}"));

    sample_expect(found.failure, "the report has no runs: no tool did its work");
    diagnostics_release(&found);
}

TEST(what_a_failed_run_found_is_there)
{
    struct diagnostics found = sample_read(
        sarif_read, sample_result("", ",'invocations':[{'executionSuccessful':false}]"));

    assert_int_equal(found.count, 1);
    assert_true(found.failure.size > 0);
    diagnostics_release(&found);
}

/* ---- bounds ---- */

/* A log of one run: members of its driver, and a result many times. */
static void build(struct buf *out, const char *driver, const char *result, uint32_t count)
{
    buf_init(out, 1 << 28);
    buf_text(out, "{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"t\"");
    buf_text(out, driver);
    buf_text(out, "}},\"results\":[");
    for (uint32_t i = 0; i < count; i++) {
        if (i) buf_byte(out, ',');
        buf_text(out, result);
    }
    buf_text(out, "]}]}");
    assert_false(out->overflow);
}

/* head, a byte many times, tail; free it. */
static char *filled(const char *head, size_t bytes, const char *tail)
{
    size_t before = strlen(head);
    char *text = malloc(before + bytes + strlen(tail) + 1);

    memcpy(text, head, before);
    memset(text + before, 'a', bytes);
    memcpy(text + before + bytes, tail, strlen(tail) + 1);
    return text;
}

TEST(too_many_results_are_refused)
{
    static const char result[] = "{\"message\":{\"text\":\"m\"}}";
    struct diagnostics found;
    struct buf text;

    build(&text, "", result, DIAGNOSTICS_MAX);
    found = sample_read(sarif_read, buf_str(&text));
    assert_int_equal(found.count, DIAGNOSTICS_MAX);
    diagnostics_release(&found);
    buf_release(&text);
    build(&text, "", result, DIAGNOSTICS_MAX + 1);
    sample_refused(sarif_read, buf_str(&text), ERR_LIMIT, "more than 100000 results");
    buf_release(&text);
}

TEST(a_message_that_grows_by_its_arguments_is_bounded)
{
    char *result = filled("{\"message\":{\"text\":\"{0}{0}{0}{0}{0}\",\"arguments\":[\"",
                          SARIF_MESSAGE_BYTES_MAX / 5 + 1, "\"]}}");
    struct buf text;

    build(&text, "", result, 1);
    sample_refused(sarif_read, buf_str(&text), ERR_LIMIT, "a message is longer than");
    buf_release(&text);
    free(result);
}

TEST(a_text_that_many_results_name_is_bounded)
{
    char *driver = filled(",\"globalMessageStrings\":{\"g\":{\"text\":\"",
                          SARIF_MESSAGE_BYTES_MAX - 1, "\"}}");
    struct buf text;

    build(&text, driver, "{\"message\":{\"id\":\"g\"}}",
          SARIF_TEXT_BYTES_MAX / SARIF_MESSAGE_BYTES_MAX + 1);
    sample_refused(sarif_read, buf_str(&text), ERR_LIMIT, "bytes together");
    buf_release(&text);
    free(driver);
}

TEST(the_help_of_a_rule_is_shared_by_its_results)
{
    char *driver = filled(",\"rules\":[{\"id\":\"r\",\"help\":{\"text\":\"", 50000, "\"}}]");
    struct diagnostics found;
    struct buf text;

    build(&text, driver, "{\"message\":{\"text\":\"m\"},\"ruleId\":\"r\"}", 20000);
    found = sample_read(sarif_read, buf_str(&text));
    assert_int_equal(found.items[19999].help.size, 50000);
    assert_ptr_equal(found.items[0].help.data, found.items[19999].help.data);
    diagnostics_release(&found);
    buf_release(&text);
    free(driver);
}

TEST(a_long_message_is_cut_with_a_note)
{
    char *result = filled("{\"message\":{\"text\":\"", 150000, "\"}}");
    struct diagnostics found;
    struct buf text;

    build(&text, "", result, 1);
    found = sample_read(sarif_read, buf_str(&text));
    assert_true(found.items[0].text.size < DIAGNOSTIC_TEXT_BYTES_MAX + 100);
    assert_true(str_ends(found.items[0].text, STR("[cut: 150000 bytes in all]")));
    diagnostics_release(&found);
    buf_release(&text);
    free(result);
}
