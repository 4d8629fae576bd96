/* SPDX-License-Identifier: Apache-2.0
 *
 * test_uri.c - addresses of files: which paths they name, and which name none. */
#include "format/report/uri.h"

#include "test.h"

static const char *path_of(const char *uri)
{
    static struct buf path;

    buf_release(&path);
    buf_init(&path, 200);
    return uri_file(str_of(uri), "here", &path) ? buf_cstr(&path) : "none";
}

TEST(an_address_names_a_path)
{
    assert_string_equal(path_of("file:///a/b.c"), "/a/b.c");
    assert_string_equal(path_of("file:///a%20b/%C3%a9%25"), "/a b/\xc3\xa9%");
    assert_string_equal(path_of("FILE://localhost/a"), "/a");
    assert_string_equal(path_of("file://here/a"), "/a");
    assert_string_equal(path_of("file:///"), "/");
    assert_string_equal(path_of("file:///a+b&c=d;e:f"), "/a+b&c=d;e:f");
}

TEST(what_names_no_path_of_this_machine_is_refused)
{
    static const char *const uris[] = {
        "", "file:", "file://", "file://here", "/a", "http:///a", "untitled:Untitled-1",
        "file://there/a", "file:///a%2", "file:///a%zz", "file:///a%00b", "file:///a?b",
        "file:///a#b", "file:///c:/x", "file:///C%3A/x", "file:///c:", "file:///a/../b",
        "file:///a/%2e%2e/b", "git:/a/b.c?x", "file:a",
    };

    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        if (*path_of(uris[i]) != 'n') fail_msg("%s is %s", uris[i], path_of(uris[i]));
    }
}

TEST(what_is_written_is_read_again)
{
    static const char *const paths[] = { "/a b/<x>&\"y\"", "/\xff\xfe", "/%41", "/a\nb", "/#?" };
    struct buf uri;

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        buf_init(&uri, 200);
        buf_text(&uri, "file://");
        uri_path(&uri, str_of(paths[i]));
        assert_string_equal(path_of(buf_cstr(&uri)), paths[i]);
        buf_release(&uri);
    }
}
