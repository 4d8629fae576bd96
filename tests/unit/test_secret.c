/* SPDX-License-Identifier: Apache-2.0
 *
 * test_secret.c - what is a secret and what only looks like one. Every sample is made of two
 * pieces, so that this file holds none. */
#include "format/secret/mask.h"
#include "format/secret/secret.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONG "Qx7Zp2Lm9Rt4Vw8Ks3Yb6Nd1Hf5Gj0Ce2Ua8"
#define HEX "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

static const struct {
    const char *first, *second;
    const char *kind; /* NULL: nothing */
} samples[] = {
    /* tokens with a prefix */
    { "AK", "IAQ3EGRD7V2X5MPLKT", "aws-access-key" },
    { "key: AS", "IAQ3EGRD7V2X5MPLKT,", "aws-access-key" },
    { "AK", "IAIOSFODNN7EXAMPLE", NULL },
    { "AK", "IAQ3EGRD7V2X5MPLKTZ", NULL },
    { "xAK", "IAQ3EGRD7V2X5MPLKT", NULL },
    { "abc/AK", "IAQ3EGRD7V2X5MPLKT", NULL },
    { "gh", "p_" LONG, "github-token" },
    { "gh", "p_Qx7Zp2Lm9Rt4Vw8Ks3Yb6Nd1Hf5Gj0Ce2U", NULL },
    { "gh", "p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx1", NULL },
    { "gh", "p_1234567890abcdefghijklmnopqrstuvwxyz", NULL },
    { "gh", "p_zyxwvutsrqponmlkjihgfedcba9876543210z", NULL },
    { "github", "_pat_11ABCDE0Y0" LONG "_" LONG, "github-token" },
    { "gl", "pat-Qx7Zp2Lm9Rt4Vw8Ks3Yb", "gitlab-token" },
    { "xo", "xb-263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1", "slack-token" },
    { "xo", "xb-not-a-real-token-of-anybody-here", NULL },
    { "https://hooks.sl", "ack.com/services/T0A1B2C3D/B4E5F6G7H/" LONG, "slack-webhook" },
    { "AI", "zaSyQx7Zp2Lm9Rt4Vw8Ks3Yb6Nd1Hf5Gj0Ce", NULL },
    { "AI", "zaSyQx7Zp2Lm9Rt4Vw8Ks3Yb6Nd1Hf5Gj0Ce2", "google-key" },
    { "sk_", "live_Qx7Zp2Lm9Rt4Vw8Ks3Yb", "stripe-key" },
    { "sk_", "test_Qx7Zp2Lm9Rt4Vw8Ks3Yb", NULL },
    { "np", "m_" LONG, "npm-token" },
    { "np", "m_install_everything_that_is_missing_0", NULL },
    { "py", "pi-AgEIcHlwaS5vcmc" LONG LONG, "pypi-token" },
    { "sk-", "ant-api03-" LONG LONG, "anthropic-key" },
    { "sk-", "proj-" LONG "-" LONG, "openai-key" },
    { "sk-", "spinner-fading-circle-with-a-very-long-name-and-more", NULL },
    { "hf", "_Qx7Zp2Lm9Rt4Vw8Ks3Yb6Nd1Hf5Gj0Ce2U", "huggingface-token" },
    { "SG", ".Qx7Zp2Lm9Rt4Vw8Ks3Yb6N." LONG "1Hf5Gj0", "sendgrid-key" },
    { "ey", "JhbGciOiJIUzI1NiJ9.eyJ1aWQiOjQyfQx1.Qx7Zp2Lm9Rt4Vw8Ks3Yb6N", "json-web-token" },
    { "ey", "JhbGciOiJub25lIn0x.eyJ1aWQiOjQyfQx1.", NULL },
    { "ey", "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.Qx7Zp2Lm9Rt4Vw8Ks3Yb6N", NULL },

    /* passwords and keys by their names */
    { "pass", "word = \"Tr0ub4dor&3x\"", "password" },
    { "\"db_pass", "word\": \"Tr0ub4dor&3x\"", "password" },
    { "\\\"db_pass", "word\\\": \\\"Tr0ub4dor&3x\\\"", "password" },
    { "DB_PASS", "=Tr0ub4dorK3x9\n", "password" },
    { "export API_KEY", "=" LONG "\n", "secret" },
    { "client_sec", "ret => '" LONG "',", "secret" },
    { "$apiKey", " := \"" HEX "\"", "secret" },
    { "char tok", "en[] = \"" LONG "\";", "secret" },
    { "pass", "word = \"short1!\"", NULL },
    { "pass", "word = \"correcthorsebattery\"", NULL },
    { "pass", "word = \"changeme-Tr0ub4dor\"", NULL },
    { "pass", "word = \"example-Tr0ub4dor&3\"", NULL },
    { "pass", "word = \"${DB_PASSWORD_123}\"", NULL },
    { "pass", "word = \"{{ vault.db_123_aB }}\"", NULL },
    { "pass", "word = \"<your-p4ssw0rd-1>\"", NULL },
    { "pass", "word = \"$DB_PASS_123_aB\"", NULL },
    { "pass", "word = os.environ[\"DB_PASS_1234\"]", NULL },
    { "pass", "word = \"12345678\"", NULL },
    { "pass", "word = \"aB1!aB1!aB1!\"", NULL },
    { "pass", "word == \"Tr0ub4dor&3x\"", NULL },
    { "pass", "word != \"Tr0ub4dor&3x\"", NULL },
    { "pass", "word_hash = \"Tr0ub4dor&3x\"", NULL },
    { "tok", "en = \"550e8400-e29b-41d4-a716-446655440000\"", NULL },
    { "tok", "en = \"2024-01-15-release-notes\"", NULL },
    { "tok", "en = \"https://example.org/a1b2c3d4e5f6\"", NULL },
    { "tok", "en: the word a1b2c3d4e5f6A7 is next", NULL },
    { "    tok", "en = next_item(a1B2c3d4e5f6);\n", NULL },
    { "x = sec", "ret\ny = a1B2c3d4e5f6\n", NULL },
    { "\"integrity\": \"sha512-", "Qx7Zp2Lm9Rt4Vw8Ks3Yb6Nd1Hf5Gj0Ce2UaQx7Zp2Lm9Rt4==\"", NULL },
    { "checksum = \"", HEX "\"", NULL },
    { "postgres://app:", "Tr0ub4dorK3x@db/x", "address-password" },
    { "https://user:", "password@host/", NULL },
    { "https://user:", "$TOKEN_aB12345@host/", NULL },
    { "http://a/b:c1d2e3f4:", "g5H6@x", NULL },

    /* private keys */
    { "-----BEGIN RSA PRI", "VATE KEY-----\n" LONG "K3x9\n" LONG "K3x9\n-----END RSA PRI"
      "VATE KEY-----\n", "private-key" },
    { "\"-----BEGIN PRI", "VATE KEY-----\\n" LONG "K3x9\\n-----END PRI" "VATE KEY-----\\n\"",
      "private-key" },
    { "-----BEGIN EC PRI", "VATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256,ABC\n\n"
      LONG "K3x9\n", "private-key" },
    { "-----BEGIN PGP PRI", "VATE KEY BLOCK-----\n\n" LONG "K3x9\n", "private-key" },
    { "look for \"-----BEGIN PRI", "VATE KEY-----\" in the text", NULL },
    { "-----BEGIN PRI", "VATE KEY-----\nMIIEowIBAAKCAQEA\n...\n", NULL },
    { "-----BEGIN PUB", "LIC KEY-----\n" LONG "K3x9\n", NULL },
    { "-----BEGIN CERT", "IFICATE-----\n" LONG "K3x9\n", NULL },
};

enum { SAMPLE_COUNT = sizeof samples / sizeof *samples };

static const char *joined(uint32_t i)
{
    static char text[1024];

    snprintf(text, sizeof text, "%s%s", samples[i].first, samples[i].second);
    return text;
}

TEST(secrets_are_told_from_what_only_looks_like_one)
{
    for (uint32_t i = 0; i < SAMPLE_COUNT; i++) {
        struct secret_walk walk = { .text = str_of(joined(i)) };
        struct secret secret;
        bool found = secret_next(&walk, &secret);

        if (found != (samples[i].kind != NULL)) {
            fail_msg("%s: %s", joined(i), found ? secret.kind : "nothing");
        }
        if (!found) continue;
        assert_string_equal(secret.kind, samples[i].kind);
        if (secret_next(&walk, &secret)) fail_msg("%s: a second one", joined(i));
    }
}

TEST(a_mask_leaves_nothing_of_a_secret)
{
    const struct mask mask = { 0 };

    for (uint32_t i = 0; i < SAMPLE_COUNT; i++) {
        struct buf out;

        buf_init(&out, 4096);
        assert_int_equal(mask_text(&mask, str_of(joined(i)), &out), samples[i].kind != NULL);
        if (samples[i].kind) {
            assert_non_null(strstr(buf_cstr(&out), samples[i].kind));
            assert_null(strstr(buf_cstr(&out), "K3x"));
            assert_null(strstr(buf_cstr(&out), "Qx7Zp2"));
            assert_false(mask_text(&mask, buf_str(&out), NULL));
        }
        buf_release(&out);
    }
}

TEST(what_is_shown_holds_no_secret)
{
    for (uint32_t i = 0; i < SAMPLE_COUNT; i++) {
        struct secret_walk walk = { .text = str_of(joined(i)) };
        struct secret secret;

        while (secret_next(&walk, &secret)) {
            assert_null(strstr(secret.shown, "K3x"));
            assert_null(strstr(secret.shown, "Qx7"));
            assert_null(strstr(secret.shown, "Tr0"));
            assert_true(strlen(secret.shown) > 0);
        }
    }
}

TEST(a_name_that_repeats_the_secret_is_not_shown)
{
    struct secret_walk walk = { .text = STR("aTr5hub4dj0Ce_pass" "word = \"Tr5hub4dj0Ce\"\n") };
    struct secret secret;

    assert_true(secret_next(&walk, &secret));
    assert_string_equal(secret.shown, " = ****");
}

TEST(a_secret_has_its_place)
{
    struct secret_walk walk;
    struct secret secret;
    char text[400];

    snprintf(text, sizeof text, "one\n  AK%s\n\nx gh%s.", "IAQ3EGRD7V2X5MPLKT", "p_" LONG);
    walk = (struct secret_walk){ .text = str_of(text) };
    assert_true(secret_next(&walk, &secret));
    assert_int_equal(secret.line, 2);
    assert_int_equal(secret.column, 3);
    assert_int_equal(secret.end - secret.begin, 20);
    assert_string_equal(secret.shown, "AKI" "A****");
    assert_true(secret_next(&walk, &secret));
    assert_int_equal(secret.line, 4);
    assert_int_equal(secret.column, 3);
    assert_false(secret_next(&walk, &secret));
}

TEST(a_token_keeps_its_own_kind_where_it_is_assigned)
{
    struct secret_walk walk;
    struct secret secret;
    char text[400];

    snprintf(text, sizeof text, "api_key = \"AK%s\"\n", "IAQ3EGRD7V2X5MPLKT");
    walk = (struct secret_walk){ .text = str_of(text) };
    assert_true(secret_next(&walk, &secret));
    assert_string_equal(secret.kind, "aws-access-key");
    assert_false(secret_next(&walk, &secret));
}

TEST(a_minified_line_is_looked_at_for_tokens_only)
{
    struct secret_walk walk;
    struct secret secret;
    struct buf text;

    buf_init(&text, 1 << 16);
    while (text.size < 4000) buf_text(&text, "a.b=c;var f=function(){},x:\"1\",");
    buf_printf(&text, "pass%s", "word:\"Tr0ub4dor&3x\",");
    while (text.size < 8000) buf_text(&text, "g(h),i=j;");
    walk = (struct secret_walk){ .text = buf_str(&text) };
    assert_false(secret_next(&walk, &secret));
    buf_printf(&text, "k=\"gh%s\";", "p_" LONG);
    walk = (struct secret_walk){ .text = buf_str(&text) };
    assert_true(secret_next(&walk, &secret));
    assert_string_equal(secret.kind, "github-token");
    buf_release(&text);
}

/* Our own seconds (not those of a busy machine) for a text that repeats a piece. */
static double seconds_for(const char *piece, size_t bytes)
{
    char *text = malloc(bytes + 64);
    struct secret_walk walk = { .text = { text, 0 } };
    struct secret secret;
    clock_t start;

    assert_non_null(text);
    while (walk.text.size < bytes) {
        memcpy(text + walk.text.size, piece, strlen(piece));
        walk.text.size += strlen(piece);
    }
    start = clock();
    while (secret_next(&walk, &secret)) {}
    assert_int_equal(walk.at, walk.text.size);
    free(text);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* For sixteen times the text a linear reader takes 16 times as long, a quadratic one 256 times. */
TEST(hostile_texts_take_linear_time)
{
    enum { SHORT_BYTES = 1 << 13, LONG_BYTES = 16 * SHORT_BYTES, TIMES_MAX = 16 * 6 };
    const double slack = 0.1;
    static const char *const pieces[] = {
        "sk-", "eyJ-", "pypi-", "eyJaaaaaaaaaa.", "-----BEGIN PRI" "VATE KEY-----", "=", ":",
        "://", "-----BEGIN PRI" "VATE KEY-----a:", "password=\"", "password=", "a://b:", "xoxb-",
        "\n", "A", "://@", "-----BEGIN PRI" "VATE KEY-----\\n", "hooks.slack.com/services/",
        "ya29.", "-",
    };

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        double of_short = seconds_for(pieces[i], SHORT_BYTES);
        double of_long = seconds_for(pieces[i], LONG_BYTES);

        if (of_long > of_short * TIMES_MAX + slack) {
            fail_msg("'%s': %.3f s, and %.3f s for 16 times as much", pieces[i], of_short, of_long);
        }
    }
}

/* ---- names ---- */

TEST(names_of_private_files_are_known)
{
    static const struct { const char *path, *what; } rows[] = {
        { "id_rsa", "a private SSH key" }, { "keys/id_ed25519", "a private SSH key" },
        { "id_rsa.pub", NULL }, { "server.KEY", "a private key" },
        { "tls/privkey1.pem", "a private key" }, { "ca.pem", NULL },
        { "a/b.p12", "a store of keys" }, { ".env", "settings of one machine" },
        { "app/.env.production", "settings of one machine" },
        { "prod.env", "settings of one machine" }, { ".env.example", NULL },
        { ".env.sample", NULL }, { "app/.env.local.template", NULL }, { "environment.c", NULL },
        { ".envrc", NULL }, { ".aws/credentials", "credentials" },
        { "home/.aws/config", "settings of a cloud account" }, { "src/credentials/main.c", NULL },
        { "credentials.c", NULL }, { "client_secret_12.json", "credentials" },
        { "my-service-account-1.json", "the key of a service account" },
        { "service-account.yaml", NULL }, { "backup/prod.sql.gz", "a dump of a database" },
        { "db_dump.sql", "a dump of a database" }, { "migrations/001.sql", NULL },
        { "terraform.tfstate", "a Terraform state, which holds secrets in clear text" },
        { "main.tf", NULL }, { ".npmrc", "a token for a registry" },
        { ".netrc", "a password for a server" }, { "key.c", NULL }, { "src/key.h", NULL },
        { "a.env/readme.md", NULL }, { "", NULL },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct secret_name *name = secret_name_of(str_of(rows[i].path));

        if ((name != NULL) != (rows[i].what != NULL)) fail_msg("%s", rows[i].path);
        if (name) assert_string_equal(name->what, rows[i].what);
    }
}

TEST(a_name_may_need_a_word_in_the_content)
{
    static const struct { const char *path, *content; bool fits; } rows[] = {
        { "archive.key", "-----BEGIN PGP PUBLIC KEY BLOCK-----", false },
        { "server.key", "-----BEGIN ENCRYPTED PRI" "VATE KEY-----", true },
        { "service-account.json", "{\"type\":\"x\"}", false },
        { "service-account.json", "{\"private_key\":\"x\"}", true },
        { ".npmrc", "registry=https://r/\n", false },
        { ".npmrc", "//r/:_authToken=${NPM_TOKEN}\n", false },
        { ".npmrc", "//r/:_authToken=${NPM_TOKEN}\n//s/:_authToken=abc\n", true },
        { ".netrc", "machine h login l password p\n", true },
        { ".netrc", "machine h login l\n", false },
        { ".env", "", false }, { ".env", "A=1\n", true },
        { "a.p12", "", true },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct secret_name *name = secret_name_of(str_of(rows[i].path));

        assert_non_null(name);
        if (secret_name_fits(name, str_of(rows[i].content)) != rows[i].fits) {
            fail_msg("%s: %s", rows[i].path, rows[i].content);
        }
    }
}
