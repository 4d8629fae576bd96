/* SPDX-License-Identifier: Apache-2.0 */
#include "format/report/diagnostic.h"
#include "report.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(location) ",'locations':[{'physicalLocation':{'artifactLocation':" location "}}]"
#define BASES                                                                                      \
    ",'originalUriBaseIds':{'ROOT':{'uri':'file:///home/me/'},'SRC':{'uri':'s%20rc/',"             \
    "'uriBaseId':'ROOT'},'BARE':{'uri':'bare'},'SECRET':{'description':{'text':'x'}},"             \
    "'DEEP':{'uri':'d/','uriBaseId':'SECRET'},'RING':{'uri':'r/','uriBaseId':'RING2'},"            \
    "'RING2':{'uri':'s/','uriBaseId':'RING'}}"

static struct diagnostics read_at(const char *location, const char *run_members)
{
    char members[1024];

    snprintf(members, sizeof members, ",'locations':[{'physicalLocation':{'artifactLocation':%s,"
             "'region':{'startLine':1}}}]", location);
    return sample_read(sarif_read, sample_result(members, run_members));
}

TEST(a_uri_becomes_a_path)
{
    static const struct { const char *uri, *path; } rows[] = {
        { "a.c", "a.c" },
        { "./src/../a.c", "./src/../a.c" },
        { "a%20b%2Bc.c", "a b+c.c" },
        { "%C3%a9.c", "\xc3\xa9.c" },
        { "%ff", "\xff" },
        { "%2e%2e%2fetc/passwd", "../etc/passwd" },
        { "a%00b", "a%00b" },
        { "100%", "100%" },
        { "100%2", "100%2" },
        { "%zz%4", "%zz%4" },
        { "%2500", "%00" },
        { "%0a%1b", "\n\x1b" },
        { "c#/a?b.c", "c#/a?b.c" },
        { "/abs/a.c", "/abs/a.c" },
        { "file:///abs/a%20.c", "/abs/a .c" },
        { "FILE:///abs/a.c", "/abs/a.c" },
        { "file:/abs/a.c", "/abs/a.c" },
        { "file:a.c", "a.c" },
        { "file://localhost/a.c", "/a.c" },
        { "file:///C:/a.c", "/C:/a.c" },
        { "file://", "" },
        { "file://server/a%20.c", "file://server/a%20.c" },
        { "https://host/a%20.c", "https://host/a%20.c" },
        { "C:/a%20b.c", "C:/a b.c" },
        { "a+b.c:x", "a+b.c:x" },
        { "fish:a%20b", "fish:a%20b" },
        { "", "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char location[128];
        struct diagnostics found;

        snprintf(location, sizeof location, "{'uri':'%s'}", rows[i].uri);
        found = read_at(location, "");
        sample_expect(found.items[0].file, rows[i].path);
        assert_int_equal(found.items[0].place.line, rows[i].path[0] ? 1 : 0);
        diagnostics_release(&found);
    }
}

TEST(a_base_stands_in_front_as_far_as_it_is_known)
{
    static const struct { const char *location, *path; } rows[] = {
        { "{'uri':'a.c','uriBaseId':'ROOT'}", "/home/me/a.c" },
        { "{'uri':'a.c','uriBaseId':'SRC'}", "/home/me/s rc/a.c" },
        { "{'uri':'a.c','uriBaseId':'BARE'}", "bare/a.c" },
        { "{'uri':'a.c','uriBaseId':'SECRET'}", "a.c" },
        { "{'uri':'a.c','uriBaseId':'DEEP'}", "d/a.c" },
        { "{'uri':'a.c','uriBaseId':'%SRCROOT%'}", "a.c" },
        { "{'uri':'a.c','uriBaseId':'RING'}", "a.c" },
        { "{'uri':'a.c','uriBaseId':7}", "a.c" },
        { "{'uri':'/a.c','uriBaseId':'ROOT'}", "/a.c" },
        { "{'uri':'C:/a.c','uriBaseId':'ROOT'}", "C:/a.c" },
        { "{'uri':'file:///a.c','uriBaseId':'ROOT'}", "/a.c" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diagnostics found = read_at(rows[i].location, BASES);

        sample_expect(found.items[0].file, rows[i].path);
        diagnostics_release(&found);
    }
}

TEST(an_index_leads_to_the_artifact)
{
    static const char artifacts[] =
        ",'artifacts':[{'location':{'uri':'zero.c'}},{'location':{'uri':'in/zip','index':1},"
        "'parentIndex':0},7,{'location':{'uri':'/a'},'parentIndex':1},"
        "{'location':{'uri':'ring'},'parentIndex':5},{'parentIndex':4}]";
    static const struct { const char *location, *path; uint32_t line; } rows[] = {
        { "{'index':0}", "zero.c", 1 },
        { "{'index':0,'uri':'own.c'}", "own.c", 1 },
        { "{'index':1}", "zero.c", 0 },
        { "{'index':1,'uri':'in/zip'}", "zero.c", 0 },
        { "{'index':3}", "zero.c", 0 },
        { "{'index':2}", "", 0 },
        { "{'index':4}", "", 0 },
        { "{'index':9}", "", 0 },
        { "{'index':-1}", "", 0 },
        { "{'index':'0'}", "", 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diagnostics found = read_at(rows[i].location, artifacts);

        sample_expect(found.items[0].file, rows[i].path);
        assert_int_equal(found.items[0].place.line, rows[i].line);
        diagnostics_release(&found);
    }
}

/* A report whose only result is in a file with a name of that length. */
static struct str named(int bytes)
{
    char *path = malloc((size_t)bytes + 1);
    struct str text;

    memset(path, 'a', (size_t)bytes);
    path[bytes] = '\0';
    text = sample_text("{'version':'2.1.0','runs':[{'tool':{'driver':{'name':'t'}},'results':[{"
                       "'message':{'text':'m'}" AT("{'uri':'%s'}") "}]}]}", path);
    free(path);
    return text;
}

TEST(a_path_with_a_nul_or_without_end_is_refused)
{
    struct diagnostics found = sample_read(sarif_read, named(SARIF_PATH_BYTES_MAX));

    assert_int_equal(found.items[0].file.size, SARIF_PATH_BYTES_MAX);
    diagnostics_release(&found);
    sample_refused(sarif_read, named(SARIF_PATH_BYTES_MAX + 1), ERR_LIMIT, "a path is longer");
    sample_refused(sarif_read, sample_result(AT("{'uri':'a\\u0000b'}"), ""), ERR_FORMAT, "NUL");
}

TEST(the_first_place_in_a_file_counts)
{
    struct diagnostics found = sample_read(
        sarif_read,
        sample_result(",'locations':[{'logicalLocations':[]},7,{'physicalLocation':{"
                      "'artifactLocation':{'uri':'a.h'}}},{'physicalLocation':{"
                      "'artifactLocation':{'uri':'b.h'}}}],'analysisTarget':{'uri':'a.c'}", ""));

    sample_expect(found.items[0].file, "a.h");
    sample_expect(found.items[0].unit, "a.c");
    assert_string_equal(sample_place(&found.items[0].place), "0:0-0:0/utf16");
    diagnostics_release(&found);
}

TEST(a_region_is_what_the_specification_says)
{
    static const struct { const char *region, *place; } rows[] = {
        { "{'startLine':2}", "2:0-2:0/utf16" },
        { "{'startLine':2,'endLine':3}", "2:0-3:0/utf16" },
        { "{'startLine':2,'startColumn':4}", "2:4-2:0/utf16" },
        { "{'startLine':2,'startColumn':4,'endLine':5}", "2:4-5:0/utf16" },
        { "{'startLine':2,'endColumn':4}", "2:1-2:4/utf16" },
        { "{'startLine':2,'endLine':3,'endColumn':1}", "2:1-3:1/utf16" },
        { "{'startLine':1,'startColumn':2,'endColumn':2}", "1:2-1:2/utf16" },
        { "{'startLine':1,'startColumn':2,'endLine':1,'endColumn':4}", "1:2-1:4/utf16" },
        { "{'startLine':1,'charOffset':5,'byteOffset':6}", "1:0-1:0/utf16" },
        { "{'byteOffset':6,'byteLength':3}", "@6-9" },
        { "{'byteOffset':6}", "@6-6" },
        { "{'charOffset':6,'charLength':3}", "0:0-0:0/utf16" },
        { "{'charOffset':6,'byteOffset':-1}", "0:0-0:0/utf16" },
        { "{}", "0:0-0:0/utf16" },
        { "7", "0:0-0:0/utf16" },
        /* what is wrong is left out, the rest is kept */
        { "{'startLine':2,'startColumn':0,'endColumn':4}", "2:0-0:0/utf16" },
        { "{'startLine':2,'startColumn':9,'endColumn':4}", "2:9-0:0/utf16" },
        { "{'startLine':2,'endLine':1}", "2:0-0:0/utf16" },
        { "{'startLine':2,'endLine':4294967296}", "2:0-0:0/utf16" },
        { "{'startLine':'2'}", "0:0-0:0/utf16" },
        { "{'startLine':0}", "0:0-0:0/utf16" },
        { "{'startLine':-3}", "0:0-0:0/utf16" },
        { "{'startLine':1.5}", "0:0-0:0/utf16" },
        { "{'startLine':4294967295}", "4294967295:0-4294967295:0/utf16" },
        { "{'byteOffset':18446744073709551615,'byteLength':1}", "0:0-0:0/utf16" },
        { "{'byteOffset':1,'byteLength':-1}", "0:0-0:0/utf16" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char members[256];
        struct diagnostics found;

        snprintf(members, sizeof members, ",'locations':[{'physicalLocation':{'artifactLocation':"
                 "{'uri':'a.c'},'region':%s}}]", rows[i].region);
        found = sample_read(sarif_read, sample_result(members, ""));
        if (strcmp(sample_place(&found.items[0].place), rows[i].place) != 0) {
            fail_msg("%s: %s", rows[i].region, sample_place(&found.items[0].place));
        }
        diagnostics_release(&found);
    }
}

TEST(columns_are_in_the_unit_of_the_run)
{
    static const struct { const char *kind; enum column_unit unit; } rows[] = {
        { "", COLUMN_UTF16 },
        { ",'columnKind':'utf16CodeUnits'", COLUMN_UTF16 },
        { ",'columnKind':'unicodeCodePoints'", COLUMN_CODE_POINTS },
        { ",'columnKind':'bytes'", COLUMN_BYTES },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diagnostics found = read_at("{'uri':'a.c'}", rows[i].kind);

        assert_int_equal(found.items[0].place.unit, rows[i].unit);
        diagnostics_release(&found);
    }
}

/* ---- fixes ---- */

#define INSIDE                                                                                     \
    "{'artifactLocation':{'index':1},'replacements':[{'deletedRegion':{'startLine':1}}]}"
#define CHANGE(region, content)                                                                    \
    "{'artifactLocation':{'uri':'a.c'},'replacements':[{'deletedRegion':" region content "}]}"

static struct diagnostics read_fixes(const char *fixes)
{
    char members[2048];

    snprintf(members, sizeof members, ",'fixes':[%s]", fixes);
    return sample_read(sarif_read,
                       sample_result(members, ",'artifacts':[{'location':{'uri':'z.zip'}},"
                                              "{'location':{'uri':'x'},'parentIndex':0}]"));
}

TEST(fixes_have_their_edits_in_order)
{
    struct diagnostics found = read_fixes(
        "{'description':{'text':'use it'},'artifactChanges':["
        "{'artifactLocation':{'uri':'a%20.c'},'replacements':["
        "{'deletedRegion':{'startLine':1,'startColumn':2,'endColumn':4},"
        "'insertedContent':{'text':'\\u00e9\\n'}},"
        "{'deletedRegion':{'startLine':3,'endLine':4,'endColumn':1}}]},"
        CHANGE("{'byteOffset':7}", ",'insertedContent':{'text':'x'}") "]},"
        "{'artifactChanges':[" CHANGE("{'startLine':9}", ",'insertedContent':null") "]}");
    struct diagnostic *item = &found.items[0];

    assert_int_equal(item->fix_count, 2);
    sample_expect(item->fixes[0].text, "use it");
    assert_int_equal(item->fixes[0].count, 3);
    sample_expect(item->fixes[0].edits[0].file, "a .c");
    sample_expect(item->fixes[0].edits[0].text, "\xc3\xa9\n");
    assert_string_equal(sample_place(&item->fixes[0].edits[0].place), "1:2-1:4/utf16");
    sample_expect(item->fixes[0].edits[1].text, "");
    assert_string_equal(sample_place(&item->fixes[0].edits[1].place), "3:1-4:1/utf16");
    sample_expect(item->fixes[0].edits[2].file, "a.c");
    assert_string_equal(sample_place(&item->fixes[0].edits[2].place), "@7-7");
    sample_expect(item->fixes[1].text, "");
    assert_string_equal(sample_place(&item->fixes[1].edits[0].place), "9:0-9:0/utf16");
    diagnostics_release(&found);
}

/* Beside each stands a good one, which stays. */
TEST(a_fix_that_cannot_be_expressed_is_left_out)
{
    static const char *const fixes[] = {
        "7",
        "{}",
        "{'artifactChanges':[]}",
        "{'artifactChanges':[{}]}",
        "{'artifactChanges':[{'artifactLocation':{'uri':'a.c'},'replacements':[]}]}",
        "{'artifactChanges':[" CHANGE("{}", "") "]}",
        "{'artifactChanges':[" CHANGE("{'charOffset':3}", "") "]}",
        "{'artifactChanges':[" CHANGE("{'byteOffset':18446744073709551615,'byteLength':1}", "")
        "]}",
        "{'artifactChanges':[" CHANGE("{'byteOffset':1,'byteLength':-1}", "") "]}",
        "{'artifactChanges':[" CHANGE("{'startLine':0}", "") "]}",
        "{'artifactChanges':[" CHANGE("{'startLine':2,'startColumn':0}", "") "]}",
        "{'artifactChanges':[" CHANGE("{'startLine':2,'endLine':1}", "") "]}",
        "{'artifactChanges':[" CHANGE("{'startLine':2,'startColumn':3,'endColumn':2}", "") "]}",
        "{'artifactChanges':[" CHANGE("{'startLine':2}", ",'insertedContent':{'binary':'eA=='}")
        "]}",
        "{'artifactChanges':[" CHANGE("{'startLine':2}", ",'insertedContent':{'text':7}") "]}",
        "{'artifactChanges':[" CHANGE("{'startLine':2}", ",'insertedContent':'x'") "]}",
        "{'artifactChanges':[" CHANGE("{'startLine':2}", "") "," CHANGE("{'charOffset':2}", "")
        "]}",
        "{'artifactChanges':[{'replacements':[{'deletedRegion':{'startLine':1}}]}]}",
        "{'artifactChanges':[" INSIDE "]}",
    };

    for (size_t i = 0; i < sizeof fixes / sizeof *fixes; i++) {
        char both[1024];
        struct diagnostics found;

        snprintf(both, sizeof both, "%s,{'artifactChanges':[%s]},%s", fixes[i],
                 CHANGE("{'startLine':5}", ""), fixes[i]);
        found = read_fixes(both);
        if (found.items[0].fix_count != 1) fail_msg("%s", fixes[i]);
        assert_int_equal(found.items[0].fixes[0].count, 1);
        assert_int_equal(found.items[0].fixes[0].edits[0].place.line, 5);
        diagnostics_release(&found);
    }
}

TEST(an_edit_without_end_is_left_out)
{
    static const char head[] =
        "{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"t\"}},\"results\":[{"
        "\"message\":{\"text\":\"m\"},\"fixes\":[{\"artifactChanges\":[{\"artifactLocation\":{"
        "\"uri\":\"a.c\"},\"replacements\":[{\"deletedRegion\":{\"startLine\":1},"
        "\"insertedContent\":{\"text\":\"";
    static const char tail[] = "\"}}]}]}]}]}]}";

    for (uint32_t more = 0; more < 2; more++) {
        size_t fill = DIAGNOSTIC_EDIT_BYTES_MAX + more;
        size_t size = strlen(head) + fill + strlen(tail);
        char *text = malloc(size + 1);
        struct diagnostics found;

        memcpy(text, head, strlen(head));
        memset(text + strlen(head), 'x', fill);
        memcpy(text + strlen(head) + fill, tail, strlen(tail) + 1);
        found = sample_read(sarif_read, (struct str){ text, size });
        assert_int_equal(found.count, 1);
        assert_int_equal(found.items[0].fix_count, 1 - more);
        diagnostics_release(&found);
        free(text);
    }
}
