/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cppcheck_xml.c - reports of cppcheck 2.10, from tests/corpus/cppcheck_xml, and what could
 * come instead. */
#include "reported.h"
#include "test.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT(errors) \
    "<?xml version=\"1.0\"?><results version=\"2\"><cppcheck version=\"2.10\"/><errors>" errors \
    "</errors></results>"
#define ERROR(id, severity, inside) \
    "<error id=\"" id "\" severity=\"" severity "\" msg=\"m\">" inside "</error>"
#define PLACE "<location file=\"a.c\" line=\"3\" column=\"4\"/>"

static void expect(const char *text, const char *wanted)
{
    assert_string_equal(reported(cppcheck_xml_read, str_of(text)), wanted);
}

static void expect_file(const char *name, const char *wanted)
{
    assert_string_equal(reported_file(cppcheck_xml_read, name), wanted);
}

/* What it says about includes it did not find is no finding. */
TEST(findings_have_their_first_place_and_the_way_to_it)
{
    expect_file("cppcheck_xml/findings",
        "medium invalidscanf c.c:4:27: "
        "scanf() without field width limits can crash with huge input data.\n"
        "  help: scanf() without field width limits can crash with huge input data. Add a field "
        "width specifier to fix this problem.  Sample program that can crash:  "
        "#include <stdio.h> int main() {     char c[5];     scanf(\"%s\", c);     return 0; }  "
        "Typing in 5 or more characters may make the program crash. The correct usage here is "
        "'scanf(\"%4s\", c);', as the maximum field width does not include the terminating null "
        "byte. Source: http://linux.die.net/man/3/scanf "
        "Source: http://www.opensource.apple.com/source/xnu/xnu-1456.1.26/libkern/stdio/scanf.c; "
        "CWE-119\n"
        "medium nullPointer h.h:1:32 c.c: Possible null pointer dereference: p\n"
        "  help: CWE-476; Calling function 'f', 1st argument '0' value is 0 (c.c:3)\n"
        "low duplicateExpression c.c:5:25: Same expression on both sides of '=='.\n"
        "  help: Finding the same expression on both sides of an operator is suspicious and might "
        "indicate a cut and paste or logic error. Please examine this code carefully to determine "
        "if it is correct.; CWE-398\n"
        "low constParameter h.h:1:19 c.c: Parameter 'p' can be declared as pointer to const\n"
        "  help: CWE-398\n"
        "high ctunullpointer h.h:1:32: Null pointer dereference: p\n"
        "  help: CWE-476; Calling function f, 1st argument is null (c.c:3)\n");
}

TEST(nothing_found_is_a_report_too)
{
    struct str text = report_load("cppcheck_xml/clean");
    struct diagnostics out = { 0 };
    struct err err = { 0 };

    assert_int_equal(cppcheck_xml_read(text, &out, &err), 0);
    assert_int_equal(out.count, 0);
    assert_int_equal(out.failure.size, 0);
    assert_true(str_is(out.tool, "Cppcheck") && str_is(out.version, "2.10"));
    diagnostics_release(&out);
    free((char *)(uintptr_t)text.data);
}

TEST(a_source_that_does_not_parse_is_a_grave_finding)
{
    expect_file("cppcheck_xml/syntax",
        "high syntaxError syn.c:1:8: Unmatched '{'. Configuration: '__linux__=1'.\n");
    expect_file("cppcheck_xml/directive",
        "high preprocessorErrorDirective e.c:1: #error \"a<b> & \\\\351\"\n");
    expect(REPORT(ERROR("unknownMacro", "error", PLACE)), "high unknownMacro a.c:3:4: m\n");
}

TEST(what_cppcheck_could_not_look_at_is_a_failure)
{
    expect(REPORT(ERROR("internalError", "error", PLACE)),
           "high internalError a.c:3:4: m\nfailed: a.c: internalError: m\n");
    expect(REPORT(ERROR("cppcheckError", "error", "")),
           "high cppcheckError -: m\nfailed: cppcheckError: m\n");
    expect(REPORT(ERROR("noValidConfiguration", "information", PLACE)),
           "high noValidConfiguration a.c:3:4: m\nfailed: a.c: noValidConfiguration: m\n");
}

TEST(what_cppcheck_says_about_itself_is_no_finding)
{
    expect(REPORT(ERROR("missingInclude", "information", "")
                  ERROR("toomanyconfigs", "information", PLACE)
                  ERROR("checkersReport", "information", "")
                  ERROR("valueFlowBailout", "debug", PLACE)), "");
}

TEST(severities_are_three_and_a_new_one_is_not_lost)
{
    expect(REPORT(ERROR("a", "error", "") ERROR("b", "warning", "") ERROR("c", "style", "")
                  ERROR("d", "performance", "") ERROR("e", "portability", "")
                  ERROR("f", "new", "")),
           "high a -: m\nmedium b -: m\nlow c -: m\nlow d -: m\nlow e -: m\nmedium f -: m\n");
}

TEST(places_may_be_known_in_part_only)
{
    expect(REPORT(ERROR("a", "error", "<location file=\"a.c\" line=\"0\" column=\"3\"/>")),
           "high a a.c: m\n");
    expect(REPORT(ERROR("a", "error", "<location file=\"a.c\" line=\"2\"/>")), "high a a.c:2: m\n");
    expect(REPORT(ERROR("a", "error", "<location file=\"a.c\"/>")), "high a a.c: m\n");
}

TEST(elements_nobody_knows_are_passed_over)
{
    expect("<results version=\"2\"><new><errors><error/></errors></new><errors><new>"
           "<error id=\"\"/></new>" ERROR("a", "error", "<new><location/></new><symbol>x</symbol>"
           PLACE) "</errors><error/></results>", "high a a.c:3:4: m\n");
}

TEST(no_part_of_a_report_is_a_report)
{
    expect_no_part_reads(cppcheck_xml_read, "cppcheck_xml/findings");
    expect_no_part_reads(cppcheck_xml_read, "cppcheck_xml/clean");
    expect_no_part_reads(cppcheck_xml_read, "cppcheck_xml/directive");
}

TEST(document_types_and_entities_are_refused)
{
    expect_refused(cppcheck_xml_read, "<!DOCTYPE results>" "<results version=\"2\"><errors/>"
                   "</results>");
    expect_refused(cppcheck_xml_read, "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\">"
                   "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>"
                   "<results version=\"2\"><errors><error id=\"&b;\" severity=\"error\" msg=\"m\"/>"
                   "</errors></results>");
    expect_refused(cppcheck_xml_read, "<!DOCTYPE r SYSTEM \"file:///etc/passwd\">"
                   "<results version=\"2\"><errors/></results>");
    expect_refused(cppcheck_xml_read, REPORT("<error id=\"&x;\" severity=\"error\" msg=\"m\"/>"));
    expect(REPORT("<error id=\"&lt;&#65;&gt;\" severity=\"error\" msg=\"&amp;&quot;&apos;\"/>"),
           "high <A> -: &\"'\n");
}

TEST(what_is_no_report_of_cppcheck_is_refused)
{
    static const char *const texts[] = {
        "", " \n", "text", "{}", "\x1b", "\xff\xfe", "<errors/>", "<html/>", "<results/>",
        "<results version=\"2\"/>",
        "<results version=\"1\"><errors/></results>",
        "<results version=\"2\"><x><errors/></x></results>",
        "<x><results version=\"2\"><errors/></results></x>",
        "<results version=\"2\"><errors/><errors/></results>",
        REPORT("") REPORT(""),
        REPORT("") "text",
        "cppcheck: error\n" REPORT(""),
        REPORT("<error/>"),
        REPORT("<error id=\"a\" severity=\"error\"/>"),
        REPORT("<error id=\"a\" msg=\"m\"/>"),
        REPORT("<error severity=\"error\" msg=\"m\"/>"),
        REPORT("<error id=\"a\" severity=\"error\" msg=\"m\" cwe=\"x\"/>"),
        REPORT("<error id=\"a\" severity=\"error\" msg=\"\x1b\"/>"),
        REPORT("<error id=\"a\" severity=\"error\" msg=\"\xe9\"/>"),
        REPORT(ERROR("a", "error", "<location/>")),
        REPORT(ERROR("a", "error", "<location file=\"a\" line=\"-1\"/>")),
        REPORT(ERROR("a", "error", "<location file=\"a\" line=\"4294967296\"/>")),
        REPORT(ERROR("a", "error", "<location file=\"a\" column=\"\"/>")),
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        expect_refused(cppcheck_xml_read, texts[i]);
    }
}

TEST(depth_is_bounded)
{
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_text(&text, "<results version=\"2\"><errors>");
    for (int i = 0; i < 20; i++) buf_text(&text, "<a>");
    for (int i = 0; i < 20; i++) buf_text(&text, "</a>");
    buf_text(&text, "</errors></results>");
    expect_refused(cppcheck_xml_read, buf_cstr(&text));
    buf_release(&text);
}

TEST(more_diagnostics_than_there_may_be_are_refused)
{
    struct diagnostics out = { 0 };
    struct err err = { 0 };
    struct buf text;

    buf_init(&text, 16 << 20);
    buf_text(&text, "<results version=\"2\"><errors>");
    for (int i = 0; i <= DIAGNOSTICS_MAX; i++) {
        buf_text(&text, "<error id=\"a\" severity=\"error\" msg=\"m\"/>");
    }
    buf_text(&text, "</errors></results>");
    assert_false(text.overflow);
    assert_int_equal(cppcheck_xml_read(buf_str(&text), &out, &err), ERR_LIMIT);
    diagnostics_release(&out);
    buf_release(&text);
}
