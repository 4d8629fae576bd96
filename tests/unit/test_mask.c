/* SPDX-License-Identifier: Apache-2.0
 *
 * test_mask.c - texts without their secrets. Every secret is made of two pieces, so that this file
 * holds none. */
#include "format/secret/mask.h"

#include "format/json/json.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN "gh" "p_Qx7Zp2Lm9Rt4Vw8Ks3Yb6Nd1Hf5Gj0Ce2Ua8"
#define KEY_LINE "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ7Zp2Lm9Rt4Vw8K"
#define BEGIN_KEY "-----BEGIN " "PRIVATE KEY-----"
#define END_KEY "-----END " "PRIVATE KEY-----"

static const char *const environment[] = {
    "HOME=/home/somebody", "MY_API_KEY=abc-DEF-12345", "DB_PASSWORD=say \"please\"",
    "SSH_AUTH_SOCK=/run/agent.sock", "SHORT_TOKEN=abc", "PORT_KEY=8080808080", "NOT_A_PAIR",
    "GIT_AUTHOR_NAME=Somebody Long Enough1", "EDITOR_KEY=wordsonly", NULL };

/* The masked text, in memory of the test's own; text itself where there is nothing. */
static const char *masked(const char *text)
{
    static char kept[8192];
    struct mask mask = { 0 };
    struct buf out;

    mask_learn(&mask, environment);
    buf_init(&out, 1 << 20);
    snprintf(kept, sizeof kept, "%s", text);
    if (mask_text(&mask, str_of(text), &out)) {
        snprintf(kept, sizeof kept, "%s", buf_cstr(&out));
        assert_true(mask_text(&mask, str_of(text), NULL));
    } else {
        assert_int_equal(out.size, 0);
        assert_false(mask_text(&mask, str_of(text), NULL));
    }
    buf_release(&out);
    mask_release(&mask);
    return kept;
}

TEST(an_ordinary_text_is_left_alone)
{
    assert_string_equal(masked(""), "");
    assert_string_equal(masked("int main(void) { return \"\\n\"[0]; }\n"),
                        "int main(void) { return \"\\n\"[0]; }\n");
}

TEST(a_token_is_masked_by_its_kind)
{
    assert_string_equal(masked("it is " TOKEN "."), "it is [github-token masked].");
}

TEST(a_token_behind_an_escaped_line_end_is_found)
{
    assert_string_equal(masked("{\"text\":\"so:\\n" TOKEN "\\nend\"}"),
                        "{\"text\":\"so:\\n[github-token masked]\\nend\"}");
    assert_string_equal(masked("{\"text\":\"{\\\"a\\\":\\\"so:\\\\n" TOKEN "\\\"}\"}"),
                        "{\"text\":\"{\\\"a\\\":\\\"so:\\\\n[github-token masked]\\\"}\"}");
}

TEST(a_credential_of_the_environment_is_masked_by_its_name)
{
    assert_string_equal(masked("curl -H abc-DEF-12345, twice: abc-DEF-12345"),
                        "curl -H [MY_API_KEY masked], twice: [MY_API_KEY masked]");
    assert_string_equal(masked("pw say \"please\"!"),
                        "pw [DB_PASSWORD masked]\"[DB_PASSWORD masked]\"!");
    assert_string_equal(masked("{\"a\":\"say \\\"please\\\"\"}"),
                        "{\"a\":\"[DB_PASSWORD masked]\"}");
}

TEST(a_character_by_its_number_is_masked_whole)
{
    assert_string_equal(masked("{\"a\":\"\\u0abc-DEF-12345\"}"), "{\"a\":\"[MY_API_KEY masked]\"}");
    assert_string_equal(masked("{\"a\":\"\\\\u0abc-DEF-12345\"}"),
                        "{\"a\":\"\\\\u0[MY_API_KEY masked]\"}");
}

TEST(what_is_no_credential_stays)
{
    const char *text = "/home/somebody /run/agent.sock abc 8080808080 wordsonly Somebody Long "
                       "Enough1";
    assert_string_equal(masked(text), text);
}

TEST(a_setting_in_a_string_of_json_is_found)
{
    assert_string_equal(masked("{\"text\":\"x\\nAPI_TO" "KEN=Qx7Zp2Lm9Rt4Vw8Ks3Yb\\n\"}\n"),
                        "{\"text\":\"x\\nAPI_TOKEN=[secret masked]\\n\"}\n");
}

TEST(a_key_is_masked_and_the_json_around_it_stays)
{
    const char *text = masked("{\"text\":\"" BEGIN_KEY "\\n" KEY_LINE "\",\"file\":\"a.c\"}");
    yyjson_doc *doc;
    struct err err;

    assert_int_equal(json_read(str_of(text), &doc, &err), 0);
    assert_true(str_is(json_str(yyjson_doc_get_root(doc), "file"), "a.c"));
    assert_null(strstr(text, KEY_LINE));
    yyjson_doc_free(doc);
}

TEST(every_line_of_a_key_in_quotes_is_masked)
{
    const char *text = masked("key = (\"" BEGIN_KEY "\\n\"\n  \"" KEY_LINE "\\n\"\n  \"" KEY_LINE
                              "\\n\"\n  \"" END_KEY "\")\n");

    assert_null(strstr(text, KEY_LINE));
}

TEST(masking_twice_changes_nothing_more)
{
    char once[8192];

    snprintf(once, sizeof once, "%s", masked("a " TOKEN " b abc-DEF-12345 pass" "word = "
                                             "\"Tr0ub4dor&3x\""));
    assert_null(strstr(once, "Tr0ub4dor"));
    assert_string_equal(masked(once), once);
}

TEST(a_piece_is_cut_behind_a_line_and_before_a_key)
{
    const char *lines = "one two\nthree four\nfive";
    const char *key = "one two three four five six\n" BEGIN_KEY "\n" KEY_LINE "\n";

    assert_int_equal(mask_cut(str_of(lines)), strlen("one two\nthree four\n"));
    assert_int_equal(mask_cut(str_of("abcdef ghi")), strlen("abcdef "));
    assert_int_equal(mask_cut(str_of("abcdefghi")), 9);
    assert_int_equal(mask_cut(str_of(key)), strlen("one two three four five six\n"));
    assert_int_equal(mask_cut(str_of(BEGIN_KEY "\nx")), strlen(BEGIN_KEY "\n"));
}

TEST(bytes_that_are_no_text_are_kept)
{
    static const char bytes[] = "\0\xff\\\0\\n\\";
    struct mask mask = { 0 };

    assert_false(mask_text(&mask, (struct str){ bytes, sizeof bytes - 1 }, NULL));
}
