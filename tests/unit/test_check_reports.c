/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/check.h"
#include "report.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static struct check_report check(const char *kind, const char *text)
{
    struct check_report report = { 0 };

    check_find(str_of(kind))->run(sample_text("%s", text), &report);
    return report;
}

/* All problems as "code line", joined by blanks. Valid until the next call. */
static const char *codes(const struct check_report *report)
{
    static char text[1024];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < report->count; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %u", i ? ", " : "",
                                 report->problems[i].code, report->problems[i].line);
        assert_true(used < sizeof text);
    }
    return text;
}

struct row {
    const char *text, *codes;
};

static void check_rows(const char *kind, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct check_report report = check(kind, rows[i].text);

        if (strcmp(codes(&report), rows[i].codes) != 0) {
            fail_msg("%s: \"%s\", wanted \"%s\"; the first is: %s", rows[i].text, codes(&report),
                     rows[i].codes, report.count ? report.problems[0].message : "-");
        }
        check_report_release(&report);
    }
}

#define RUN(members) \
    "{'version':'2.1.0','runs':[{'tool':{'driver':{'name':'t'}},\n" members "}]}"
#define RESULT(members) RUN("'results':[{'message':{'text':'m'}," members "}]")
#define REGION(members) \
    RESULT("'locations':[{'physicalLocation':{'artifactLocation':{'uri':'a'},\n'region':{" \
           members "}}}]")

TEST(a_valid_sarif_report_has_no_problem)
{
    static const struct row rows[] = {
        { "{'version':'2.1.0','runs':[]}", "" },
        { "{'$schema':'s','version':'2.1.0','properties':{'x':1},'runs':[]}", "" },
        { RUN("'results':null"), "" },
        { RUN("'results':[]"), "" },
        { RESULT("'suppressions':null,'level':'none','kind':'open','ruleIndex':-1"), "" },
        { REGION("'startLine':1"), "" },
        { REGION("'startLine':1,'startColumn':2,'endColumn':2"), "" },
        { REGION("'charOffset':-1,'byteOffset':0,'charLength':0"), "" },
        { RUN("'originalUriBaseIds':{'A':{},'':{'uri':'a/'}},'results':[]"), "" },
        { RUN("'invocations':[{'executionSuccessful':false}]"), "" },
    };

    check_rows("sarif", rows, sizeof rows / sizeof *rows);
}

TEST(each_rule_of_sarif_has_its_code_and_line)
{
    static const struct row rows[] = {
        { "", "not-json 1" },
        { "{\n'runs':[\n}", "not-json 3" },
        { "no issues", "not-json 1" },
        { "\n[]", "bad-type 2" },
        { "{}", "missing-member 1, missing-member 1" },
        { "{'version':'2.1.0',\n'runs':{}}", "bad-type 2" },
        { "{'version':'2.1.0','runs':null}", "bad-type 1" },
        { "{'runs':[],\n'version':'2.0.0'}", "bad-version 2" },
        { "{'runs':[],\n\n'version':2.1}", "bad-version 3" },
        { "\xef\xbb\xbf{'version':'2.1.0','runs':[]}", "byte-order-mark 1" },
        { "{'version':'2.1.0','runs':[\n\n{'results':[]}]}", "missing-member 3" },
        { "{'version':'2.1.0','runs':[{'tool':{\n'driver':\n{'version':'1'}}}]}",
          "missing-member 3" },
        { "{'version':'2.1.0','runs':[{'tool':{\n'driver':{'name':\n7}}}]}", "bad-type 3" },
        { "{'version':'2.1.0',\n'runs':[7]}", "bad-type 2" },
        { RUN("'results':7"), "bad-type 2" },
        { RUN("'results':[\n{'ruleId':'r'}]"), "missing-member 3" },
        { RUN("'results':[{'message':\n'm'}]"), "bad-type 3" },
        { RUN("'results':[{'message':\n{'markdown':'x'}}]"), "missing-member 3" },
        { RUN("'results':[{'message':{'text':\nnull}}]"), "bad-type 3" },
        { RUN("'results':[{'message':{'text':'m','arguments':['a',\n7]}}]"), "bad-type 3" },
        { RESULT("\n'level':'high'"), "bad-level 3" },
        { RESULT("'level':7"), "bad-level 2" },
        { RESULT("'kind':'failure'"), "bad-word 2" },
        { RESULT("'baselineState':'gone'"), "bad-word 2" },
        { RESULT("'suppressions':[\n{'status':'accepted'}]"), "missing-member 3" },
        { RESULT("'suppressions':[{'kind':'inSource','status':'ok'}]"), "bad-word 2" },
        { RESULT("'ruleIndex':-2"), "bad-number 2" },
        { RESULT("'locations':[{'physicalLocation':{'artifactLocation':\n{}}}]"),
          "missing-member 3" },
        { REGION("'startLine':0"), "bad-number 3" },
        { REGION("'startLine':'1'"), "bad-number 3" },
        { REGION("'startLine':1.0"), "bad-number 3" },
        { REGION("'snippet':{}"), "missing-member 3" },
        { REGION("'startLine':2,'endLine':1"), "bad-value 3" },
        { REGION("'startLine':2,'startColumn':2,'endColumn':1"), "bad-value 3" },
        { RESULT("'fixes':[\n{}]"), "missing-member 3" },
        { RESULT("'fixes':[{'artifactChanges':[{'artifactLocation':{'uri':'a'},"
                 "'replacements':[\n{'insertedContent':{'text':'x'}}]}]}]"), "missing-member 3" },
        { RUN("'columnKind':'bytes','results':[]"), "bad-word 2" },
        { RUN("'invocations':[\n{}]"), "missing-member 3" },
        { RUN("'results':[],\n'results':[]"), "duplicate-key 3" },
        { RUN("'x':1,'x':2,'results':[]"), "duplicate-key 1" },
        { "{'version':'2.1.0','runs':[{'tool':{'driver':{'name':'t','rules':[{'id':'r',\n"
          "'defaultConfiguration':{'level':'bad'}}]}}}]}", "bad-level 2" },
        { "{'version':'2.1.0','runs':[{'tool':{'driver':{'name':'t','rules':[{'id':'r',"
          "'messageStrings':{'a':{'text':'x'},\n'b':{}}}]}}}]}", "missing-member 2" },
        /* what only the reader can tell */
        { RUN("'results':[\n{'message':{'id':'gone'}}]"), "unreadable 3" },
        { RESULT("'locations':[{'physicalLocation':{'artifactLocation':{'uri':'\\u0000'}}}]"),
          "unreadable 0" },
    };

    check_rows("sarif", rows, sizeof rows / sizeof *rows);
}

TEST(all_problems_of_a_report_are_told)
{
    struct check_report report = check("sarif",
        "{\n"
        "  'version': '2.1.0',\n"
        "  'runs': [\n"
        "    {\n"
        "      'tool': {'driver': {}},\n"
        "      'results': [\n"
        "        {'message': {'text': 'fine ] } , '}},\n"
        "        {'level': 'high'},\n"
        "        7,\n"
        "        {\n"
        "          'message': {'text': 'm'},\n"
        "          'locations': [{'physicalLocation': {'region': {'startLine': -1}}}]\n"
        "        }\n"
        "      ]\n"
        "    },\n"
        "    {'tool': {'driver': {'name': 't'}}, 'columnKind': 'cells'}\n"
        "  ]\n"
        "}\n");

    assert_string_equal(codes(&report),
                        "missing-member 5, bad-level 8, missing-member 8, bad-type 9, "
                        "bad-number 12, bad-word 16");
    assert_string_equal(report.problems[0].message, "runs[0].tool.driver.name is missing");
    assert_string_equal(report.problems[1].message,
                        "runs[0].results[1].level is \"high\": wanted \"none\", \"note\", "
                        "\"warning\" or \"error\"");
    assert_string_equal(report.problems[2].message, "runs[0].results[1].message is missing");
    assert_string_equal(report.problems[3].message,
                        "runs[0].results[2] is 7: wanted an object");
    assert_string_equal(report.problems[4].message,
                        "runs[0].results[3].locations[0].physicalLocation.region.startLine is -1: "
                        "wanted a whole number from 1");
    check_report_release(&report);
}

#define DIAGNOSTIC(members) "{'message':'m','location':{'path':'a.c'}," members "}"

TEST(a_valid_rdjson_report_has_no_problem)
{
    static const struct row rows[] = {
        { "{'diagnostics':[]}", "" },
        { "{'diagnostics':[],'source':null,'severity':2}", "" },
        { "{'diagnostics':[" DIAGNOSTIC("'severity':'UNKNOWN_SEVERITY'") "]}", "" },
        { DIAGNOSTIC("'original_output':'o','relatedLocations':[{'location':{'path':'b'}}]"), "" },
        { DIAGNOSTIC("'originalOutput':'o'") "\n\n" DIAGNOSTIC("'severity':3") "\r\n", "" },
        { DIAGNOSTIC("'suggestions':[{'range':{'start':{'line':'1','column':2.0}},'text':''}]"),
          "" },
        { DIAGNOSTIC("'code':{'value':'v','url':'u'},'source':{'name':'n','url':'u'}"), "" },
    };

    check_rows("rdjson", rows, sizeof rows / sizeof *rows);
}

TEST(each_rule_of_rdjson_has_its_code_and_line)
{
    static const struct row rows[] = {
        { "", "not-json 1" },
        { "a.c:1: oops", "not-json 1" },
        { "[]", "bad-type 1" },
        { "{}", "missing-member 1" },
        { "{'diagnostics':null}", "missing-member 1" },
        { "{\n'diagnostics':7}", "bad-type 2" },
        { "{'diagnostics':[\n7]}", "bad-type 2" },
        { "{'diagnostics':[\n{}]}", "missing-member 2, missing-member 2" },
        { "{'diagnostics':[{'message':'m','location':\n{}}]}", "missing-member 2" },
        { "{'diagnostics':[{'message':\n7,'location':{'path':'a'}}]}", "bad-type 2" },
        { "{'diagnostics':[],\n'severity':'HIGH'}", "bad-severity 2" },
        { "{'diagnostics':[],'severity':4}", "bad-severity 1" },
        { "{'diagnostics':[" DIAGNOSTIC("\n'severity':'error'") "]}", "bad-severity 2" },
        { "{'diagnostics':[],\n'tool':'x'}", "unknown-member 2" },
        { DIAGNOSTIC("'range':{}"), "unknown-member 1" },
        { DIAGNOSTIC("'original_output':'o','originalOutput':'o'"), "duplicate-key 1" },
        { DIAGNOSTIC("'suggestions':[{'text':'x'}]"), "missing-member 1" },
        { DIAGNOSTIC("'suggestions':[{'range':{'end':{'line':1}}}]"), "missing-member 1" },
        { DIAGNOSTIC("'suggestions':[{'range':{'start':{'line':-1}}}]"), "bad-number 1" },
        { DIAGNOSTIC("'suggestions':[{'range':{'start':{'line':2147483648}}}]"), "bad-number 1" },
        { DIAGNOSTIC("'suggestions':[{'range':{'start':{'line':'x'}}}]"), "bad-number 1" },
        { DIAGNOSTIC("'suggestions':[{'range':{'start':{'line':2},'end':{'line':1}}}]"),
          "bad-value 1" },
        { DIAGNOSTIC("'severity':1") "\n{'message':'m'}\n\n{'message':'m'\n7\n",
          "missing-member 2, not-json 4, bad-type 5" },
        { "{'message':'','location':{'path':'a'}}", "unreadable 1" },
    };

    check_rows("rdjson", rows, sizeof rows / sizeof *rows);
}

TEST(names_from_the_report_are_harmless)
{
    struct check_report report = check("rdjson", "{'diagnostics':[],'\\u001b[31m\\nx':1}");

    assert_string_equal(report.problems[0].message,
                        "\\x1b[31m x is not a member that the format knows");
    check_report_release(&report);
}
