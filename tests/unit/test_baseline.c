/* SPDX-License-Identifier: Apache-2.0
 *
 * What a repository's baseline lists is known, as often as it lists it, and nothing else. */
#include "format/report/baseline.h"

#include "test.h"

static struct finding finding_of(const char *text, const char *evidence, uint32_t line)
{
    struct finding finding = { .file = STR("a.c"), .line = line, .text = str_of(text),
                               .evidence = str_of(evidence) };

    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

TEST(what_is_written_comes_back_and_is_known_where_lines_have_moved)
{
    struct finding twice = finding_of("unused variable x", "int x;", 3);
    struct finding once = finding_of("no return", "", 9);
    struct baseline written = { 0 }, read = { 0 };
    struct arena arena = { 0 };
    struct buf text;
    struct err err;

    baseline_add(&written, &twice, STR("gcc/-Wunused-variable"));
    baseline_add(&written, &once, STR("gcc/-Wreturn-type"));
    baseline_add(&written, &twice, STR("gcc/-Wunused-variable"));
    buf_init(&text, 1 << 16);
    baseline_write(&written, &text);
    assert_int_equal(baseline_read(buf_str(&text), &arena, &read, &err), 0);
    assert_int_equal(read.count, 2);
    twice.line = 77;
    assert_true(baseline_takes(&read, &twice));
    assert_true(baseline_takes(&read, &twice));
    assert_false(baseline_takes(&read, &twice)); /* a third one is new */
    assert_true(baseline_takes(&read, &once));
    assert_false(baseline_takes(&read, &once));
    baseline_release(&read);
    baseline_release(&written);
    buf_release(&text);
    arena_release(&arena);
}

TEST(what_is_not_listed_is_not_known)
{
    struct finding listed = finding_of("unused variable x", "int x;", 3);
    struct finding other_line = finding_of("unused variable x", "int x = 1;", 3);
    struct finding other_text = finding_of("unused variable y", "int x;", 3);
    struct finding other_file = listed;
    struct baseline baseline = { 0 };

    other_file.file = STR("b.c");
    baseline_add(&baseline, &listed, STR("gcc/-Wunused-variable"));
    assert_false(baseline_takes(&baseline, &other_line));
    assert_false(baseline_takes(&baseline, &other_text));
    assert_false(baseline_takes(&baseline, &other_file));
    assert_true(baseline_takes(&baseline, &listed));
    baseline_release(&baseline);
}

TEST(what_was_listed_stays)
{
    struct finding a = finding_of("a", "", 1), b = finding_of("b", "", 2);
    struct baseline now = { 0 }, old = { 0 };

    baseline_add(&now, &a, STR("r"));
    baseline_add(&old, &a, STR("r"));
    baseline_add(&old, &a, STR("r"));
    baseline_add(&old, &b, STR("r"));
    baseline_join(&now, &old);
    assert_true(baseline_takes(&now, &a) && baseline_takes(&now, &a) && !baseline_takes(&now, &a));
    assert_true(baseline_takes(&now, &b) && !baseline_takes(&now, &b));
    baseline_release(&now);
    baseline_release(&old);
}

TEST(what_is_no_baseline_lists_nothing)
{
    static const char *const bad[] = {
        "", "{", "[]", "{}", "{\"version\":2,\"findings\":[]}", "{\"version\":1,\"findings\":{}}",
        "{\"version\":1,\"findings\":[1]}",
        "{\"version\":1,\"findings\":[{\"count\":1,\"fingerprint\":\"0000000000000001\"}]}",
    };
    struct arena arena = { 0 };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct baseline baseline;
        struct err err;

        assert_int_equal(baseline_read(str_of(bad[i]), &arena, &baseline, &err), ERR_FORMAT);
        assert_int_equal(baseline.count, 0);
    }
    arena_release(&arena);
}

