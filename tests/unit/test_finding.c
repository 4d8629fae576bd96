/* SPDX-License-Identifier: Apache-2.0
 *
 * test_finding.c - what makes two findings the same, and what a copy owns. */
#include "core/finding.h"

#include "test.h"

#include <string.h>

static uint64_t print_of(const char *file, const char *text)
{
    return finding_fingerprint(&(struct finding){ .file = str_of(file), .text = str_of(text) });
}

static void assert_same(const char *a, const char *b)
{
    if (print_of("a.c", a) != print_of("a.c", b)) fail_msg("not the same: '%s' and '%s'", a, b);
}

static void assert_other(const char *a, const char *b)
{
    if (print_of("a.c", a) == print_of("a.c", b)) fail_msg("the same: '%s' and '%s'", a, b);
}

TEST(line_numbers_case_and_spacing_make_no_difference)
{
    assert_same("leak at line 12", "leak at line 9871");
    assert_same("Leak of FD", "leak of fd");
    assert_same("leak  of\n\tfd", "leak of fd");
    assert_same("  leak of fd ", "leak of fd");
    assert_same("leak, of fd.", "leak of fd");
    assert_same("`leak` of (fd)", "leak of fd");
    assert_same("leak of fd\r\n", "leak of fd");
}

TEST(words_and_files_do)
{
    assert_other("leak of fd", "leak of memory");
    assert_other("leak of fd", "leakof fd");
    assert_other("leak", "leak 1");
    assert_other("leak 1", "leak 1 2");
    assert_other("a1b", "ab");
    assert_other("", "x");
    assert_true(print_of("a.c", "leak") != print_of("b.c", "leak"));
    assert_true(print_of("A.c", "leak") != print_of("a.c", "leak"));
    assert_true(print_of("a1.c", "leak") != print_of("a2.c", "leak"));
}

/* Neither can borrow bytes from the other. */
TEST(file_and_text_are_kept_apart)
{
    assert_true(print_of("ab", "c") != print_of("a", "bc"));
    assert_true(print_of("", "abc") != print_of("abc", ""));
}

TEST(only_file_and_text_count)
{
    struct finding a = { .severity = SEVERITY_LOW, .file = STR("a.c"), .line = 3,
                         .text = STR("leak") };
    struct finding b = a;

    b.severity = SEVERITY_HIGH;
    b.line = 4;
    b.source = STR("critic");
    b.kind = STR("memory");
    b.evidence = STR("line 4");
    b.suggestion = STR("free it");
    assert_int_equal(finding_fingerprint(&a), finding_fingerprint(&b));
}

TEST(other_alphabets_are_words)
{
    assert_other("\xc3\xa9t\xc3\xa9", "\xc3\xa8t\xc3\xa8");
    assert_other("\xff", "\xfe");
    assert_other("\xff", "");
}

TEST(bytes_of_any_kind_are_taken)
{
    struct finding finding = { .file = { "a\0b", 3 }, .text = { "x\0y", 3 } };
    struct finding shorter = { .file = { "a\0c", 3 }, .text = { "x\0y", 3 } };
    struct finding empty = { .severity = SEVERITY_LOW };
    static char long_text[100000];

    assert_true(finding_fingerprint(&finding) != finding_fingerprint(&shorter));
    memset(long_text, '7', sizeof long_text - 1);
    assert_same(long_text, "1");
    assert_int_equal(finding_fingerprint(&empty), print_of("", ""));
}

TEST(a_copy_outlives_what_it_was_made_of)
{
    char text[] = "leak", file[] = "a.c", kind[] = "memory";
    struct finding finding = { .severity = SEVERITY_HIGH, .line = 7, .fingerprint = 42,
                               .text = str_of(text), .file = str_of(file), .kind = str_of(kind) };
    struct arena arena = { NULL };
    struct finding copy = finding_copy(&finding, &arena);

    memset(text, 'x', sizeof text - 1);
    memset(file, 'x', sizeof file - 1);
    memset(kind, 'x', sizeof kind - 1);
    assert_true(str_is(copy.text, "leak"));
    assert_true(str_is(copy.file, "a.c"));
    assert_true(str_is(copy.kind, "memory"));
    assert_int_equal(copy.source.size, 0);
    assert_int_equal(copy.severity, SEVERITY_HIGH);
    assert_int_equal(copy.line, 7);
    assert_int_equal(copy.fingerprint, 42);
    arena_release(&arena);
}
