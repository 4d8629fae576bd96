/* SPDX-License-Identifier: Apache-2.0
 *
 * test_mask.c - texts without their secrets. Every secret is made of two pieces, so that this file
 * holds none.
 *
 * row: reviewer.secrets | secrets in answers reach the journal, transcripts or reports | masked by form, and by the values in your environment, in the notations that streams and tools put them in (escapes of JSON and C, percent signs, entities, base64, hex) | secrets that look like words, from files; base64 in several lines | `test_mask.c: a_credential_of_the_environment_is_masked_by_its_name`, `test_mask.c: what_was_decoded_is_masked_in_every_notation_that_carries_it`, `sandbox.sh: the value is nowhere` */
#include "format/secret/mask.h"

#include "format/json/json.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN "gh" "p_Qx7Zp2Lm9Rt4Vw8Ks3Yb6Nd1Hf5Gj0Ce2Ua8"
#define KEY_LINE "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ7Zp2Lm9Rt4Vw8K"
#define SLASHED "/qTz+4Wm" "Xc9LpT4wZbN8"
#define ODD "p&q'r/\"s<t\\u+"
#define BEGIN_KEY "-----BEGIN " "PRIVATE KEY-----"
#define END_KEY "-----END " "PRIVATE KEY-----"

static const char *const environment[] = {
    "HOME=/home/somebody", "MY_API_KEY=abc-DEF-12345", "DB_PASSWORD=say \"please\"",
    "SSH_AUTH_SOCK=/run/agent.sock", "SHORT_TOKEN=abc", "PORT_KEY=8080808080", "NOT_A_PAIR",
    "GIT_AUTHOR_NAME=Somebody Long Enough1", "EDITOR_KEY=wordsonly", "APP_KEY=/home/somebody/key1",
    "AWS_SECRET_ACCESS_KEY=" SLASHED, "ODD_SECRET=" ODD,
    "FAR_SECRET=\xf0\x9f\x98\x80-smiles", NULL };

static bool is_there(const char *path)
{
    return strcmp(path, "/home/somebody/key1") == 0;
}

/* The masked text, in memory of the test's own; text itself where there is nothing. */
static const char *masked(const char *text)
{
    static char kept[8192];
    struct mask mask = { 0 };
    struct buf out;

    mask_learn(&mask, environment, is_there);
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
    const char *text = "/home/somebody /home/somebody/key1 /run/agent.sock abc "
                       "8080808080 wordsonly Somebody Long Enough1";
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

TEST(a_credential_that_begins_with_a_slash_is_masked_unless_it_is_a_path_that_exists)
{
    assert_string_equal(masked("it is " SLASHED "."), "it is [AWS_SECRET_ACCESS_KEY masked].");
    assert_string_equal(masked("key at /home/somebody/key1"), "key at /home/somebody/key1");
    assert_string_equal(masked("aws_secret_access_" "key = \"/Bb7+Zp2Lm9Rt4Vw8Ks3\"\n"),
                        "aws_secret_access_key = \"[secret masked]\"\n");
    assert_string_equal(masked("private_key = \"/etc/ssl/Private2/server-key3.pem\"\n"),
                        "private_key = \"/etc/ssl/Private2/server-key3.pem\"\n");
}

/* Every notation of two credentials that a tool or an agent's stream may carry them in. */
TEST(what_was_decoded_is_masked_in_every_notation_that_carries_it)
{
    static const char *const rows[] = {
        /* JSON */
        "\\/qTz+4WmXc9LpT4wZbN8", "\\/qTz\\u002B4WmXc9LpT4wZbN8",
        "\\u002fqTz\\u002b4WmXc9LpT4wZbN8",
        "\\u002FqTz+4Wm\\u0058c9LpT4wZbN8",
        "p\\u0026q'r/\\\"s<t\\\\u+", "p&q\\u0027r\\/\\\"s\\u003Ct\\\\u+",
        "p&q'r/\\u0022s<t\\u005cu+",
        "\\ud83d\\ude00-smiles", "\\uD83D\\uDE00-smiles",
        /* JSON inside JSON, and inside that */
        "\\\\/qTz\\\\u002B4WmXc9LpT4wZbN8", "\\\\\\/qTz+4WmXc9LpT4wZbN8",
        "p&q'r/\\\\\\\"s<t\\\\\\\\u+", "\\\\ud83d\\\\ude00-smiles",
        /* addresses */
        "%2FqTz%2B4WmXc9LpT4wZbN8", "%2fqTz%2b4WmXc9LpT4wZbN8", "%252FqTz%252B4WmXc9LpT4wZbN8",
        "p%26q%27r%2F%22s%3Ct%5Cu%2B", "%F0%9F%98%80-smiles",
        /* pages */
        "p&amp;q&#39;r/&quot;s&lt;t\\u+", "p&#38;q&#x27;r/&#34;s&#x3C;t\\u&#43;",
        "p&amp;amp;q&apos;r/&amp;quot;s&amp;lt;t\\u+", "p\\u0026amp;q'r/\\\"s\\u0026lt;t\\\\u+",
        /* shells and C */
        "p&q'\\''r/\"s<t\\u+", "p&q'\"'\"'r/\"s<t\\u+", "p\\&q\\'r/\\\"s\\<t\\\\u+",
        "p\\x26q\\x27r/\\\"s\\074t\\\\u+", "\\360\\237\\230\\200-smiles",
        "p&q'\\\\''r/\\\"s<t\\\\u+", "p&q'\\\"'\\\"'r/\\\"s<t\\\\u+",
        /* one inside the other */
        "%5Cu002FqTz%2B4WmXc9LpT4wZbN8", "p%5Cu0026q'r/%22s%3Ct%5C%5Cu+",
        /* base64 behind 0, 1 and 2 bytes, with JSON's slashes; hex */
        "L3FUeis0V21YYzlMcFQ0d1piTjg=", "eC9xVHorNFdtWGM5THBUNHdaYk44",
        "eHgvcVR6KzRXbVhjOUxwVDR3WmJOOA==",
        "cCZxJ3IvInM8dFx1Kw==", "8J+YgC1zbWlsZXM=", "8J-YgC1zbWlsZXM", "8J\\u002bYgC1zbWlsZXM=",
        "2f71547a2b34576d5863394c705434775a624e38", "2F71547A2B34576D5863394C705434775A624E38",
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        const char *out;

        snprintf(text, sizeof text, "so: %s :so", rows[i]);
        out = masked(text);
        if (!strstr(out, " masked]") || strstr(out, "Xc9Lp") || strstr(out, "smiles")) {
            fail_msg("row %zu, %s: %s", i, rows[i], out);
        }
    }
}

TEST(a_mask_for_a_notation_leaves_json_as_json)
{
    assert_string_equal(masked("{\"a\":\"x\\/qTz\\u002B4WmXc9LpT4wZbN8\\n\"}"),
                        "{\"a\":\"x[AWS_SECRET_ACCESS_KEY masked]\\n\"}");
    assert_string_equal(masked("{\"a\":\"{\\\"b\\\":\\\"\\\\/qTz+4WmXc9LpT4wZbN8\\\"}\"}"),
                        "{\"a\":\"{\\\"b\\\":\\\"[AWS_SECRET_ACCESS_KEY masked]\\\"}\"}");
    assert_string_equal(masked("{\"a\":\"postgres:\\/\\/me:Tr0ub4dor\\u00263x@db\"}"),
                        "{\"a\":\"postgres:\\/\\/me:[address-password masked]@db\"}");
}
