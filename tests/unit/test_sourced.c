/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sourced.c - which files a script sources. */
#include "format/source/includes.h"

#include "test.h"

#include <string.h>

/* The names, each in brackets. */
static void expect(const char *text, const char *wanted)
{
    struct sourced_walk walk = { .text = str_of(text) };
    struct buf name, all;

    buf_init(&name, 4096);
    buf_init(&all, 4096);
    while (sourced_next(&walk, &name)) buf_printf(&all, "[%s]", buf_cstr(&name));
    if (strcmp(buf_cstr(&all), wanted) != 0) fail_msg("%s: %s", text, buf_cstr(&all));
    buf_release(&name);
    buf_release(&all);
}

TEST(a_plain_name_is_told)
{
    expect(". ./lib.sh\n", "[lib.sh]");
    expect("source lib/settings", "[settings]");
    expect("if x; then . a; fi; source\tb && c", "[a][b]");
    expect(". \"my.sh\" argument\n. 'other'\n", "[my.sh][other]");
    expect("echo a. b\nsourced x\n./run.sh\nx=source\n", "");
    expect("", "");
    expect(".", "");
    expect("source", "");
}

TEST(what_is_put_in_before_the_name_hides_nothing)
{
    expect(". \"$(dirname \"$0\")/lib.sh\"\n", "[lib.sh]");
    expect(". \"${TOP:?}/tests/a.sh\"; . $HERE/b\n", "[a.sh][b]");
    expect(". \"$(cd \"$(dirname \"$0\")\" && pwd)/lib.sh\"", "[lib.sh]");
    expect(". `dirname $0`/lib.sh", "[lib.sh]");
}

TEST(a_name_that_only_a_run_tells_is_none)
{
    expect(". \"$1\"\n. $lib\n. \"lib-$x.sh\"\n. \"$@\"\n", "[][][][]");
    expect("# shellcheck source=/dev/null\n. \"$lib\"\n", "[][]");
}

TEST(a_directive_names_a_file)
{
    expect("# shellcheck source=lib/a.sh disable=SC1\n. \"$lib\"\n", "[a.sh][]");
    expect("# shellcheck source-path=SCRIPTDIR\n", "");
}

TEST(what_cannot_be_told_may_be_any_file)
{
    expect(". \"$(dirname \"$0\"/lib.sh\n", "[/]");
    expect(". ${x\n", "[/]");
    expect(". `x\n", "[/]");
    expect(". my\\ lib.sh\n", "[/]");
}

TEST(a_word_without_end_may_be_any_file)
{
    static char text[4096];

    memset(text, 'x', sizeof text - 1);
    memcpy(text, ". ./", 4);
    expect(text, "[/]");
    for (size_t i = 0; i + 5 < sizeof text; i += 5) memcpy(text + i, ". $( ", 5);
    assert_true(strlen(text) > 4000);
    text[1000] = '\0';
    {
        struct sourced_walk walk = { .text = str_of(text) };
        struct buf name;

        buf_init(&name, 64);
        while (sourced_next(&walk, &name)) assert_string_equal(buf_cstr(&name), "/");
        buf_release(&name);
    }
}

TEST(any_bytes_have_an_end)
{
    static const char bytes[] = { '.', ' ', '$', '(', '{', '`', '"', '\0', '/', '\n', 's', '\\' };
    char text[5];

    for (uint32_t i = 0; i < 12 * 12 * 12 * 12; i++) {
        uint32_t left = i;

        text[0] = '.';
        for (uint32_t k = 1; k < sizeof text; k++, left /= 12) text[k] = bytes[left % 12];
        for (size_t size = 0; size <= sizeof text; size++) {
            struct sourced_walk walk = { .text = { text, size } };
            struct buf name;
            uint32_t count = 0;

            buf_init(&name, 64);
            while (sourced_next(&walk, &name)) count++;
            assert_true(count <= size);
            buf_release(&name);
        }
    }
}
