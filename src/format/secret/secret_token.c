/* SPDX-License-Identifier: Apache-2.0
 *
 * secret_token.c - secrets with a form of their own: what issuers put in front of their tokens, and
 * private keys in PEM.
 *
 * A row is a prefix and what follows it: which bytes, how many. Fewer are no token; of a form with
 * a fixed length more are none either, but words that begin alike. */
#include "format/secret/secret_parts.h"

#include "base/byte.h"

#include <string.h>

enum bytes_kind { BYTES_UPPER, BYTES_LETTER, BYTES_HEX, BYTES_DASHED, BYTES_DOTTED, BYTES_PATH };

struct token_rule {
    const char *prefix, *kind, *what;
    enum bytes_kind bytes;
    size_t least, most;  /* behind the prefix */
    bool bare;           /* nothing in the prefix sets it apart from base64 */
};

static const struct token_rule rules[] = {
    { "AKIA", "aws-access-key", "an AWS access key", BYTES_UPPER, 16, 16, true },
    { "ASIA", "aws-access-key", "an AWS access key", BYTES_UPPER, 16, 16, true },
    { "ghp_", "github-token", "a GitHub token", BYTES_LETTER, 36, 255, false },
    { "gho_", "github-token", "a GitHub token", BYTES_LETTER, 36, 255, false },
    { "ghu_", "github-token", "a GitHub token", BYTES_LETTER, 36, 255, false },
    { "ghs_", "github-token", "a GitHub token", BYTES_LETTER, 36, 255, false },
    { "ghr_", "github-token", "a GitHub token", BYTES_LETTER, 36, 255, false },
    { "github_pat_", "github-token", "a GitHub token", BYTES_LETTER, 22, 255, false },
    { "glpat-", "gitlab-token", "a GitLab token", BYTES_DASHED, 20, 255, false },
    { "gldt-", "gitlab-token", "a GitLab token", BYTES_DASHED, 20, 255, false },
    { "glrt-", "gitlab-token", "a GitLab token", BYTES_DASHED, 20, 255, false },
    { "xoxb-", "slack-token", "a Slack token", BYTES_DASHED, 20, 255, false },
    { "xoxp-", "slack-token", "a Slack token", BYTES_DASHED, 20, 255, false },
    { "xoxa-", "slack-token", "a Slack token", BYTES_DASHED, 20, 255, false },
    { "xoxr-", "slack-token", "a Slack token", BYTES_DASHED, 20, 255, false },
    { "xoxs-", "slack-token", "a Slack token", BYTES_DASHED, 20, 255, false },
    { "xapp-", "slack-token", "a Slack token", BYTES_DASHED, 20, 255, false },
    { "hooks.slack.com/services/", "slack-webhook", "a Slack webhook", BYTES_PATH, 40, 80, false },
    { "AIza", "google-key", "a Google API key", BYTES_DASHED, 35, 35, true },
    { "GOCSPX-", "google-secret", "a Google client secret", BYTES_DASHED, 28, 28, false },
    { "ya29.", "google-token", "a Google access token", BYTES_DASHED, 40, 600, false },
    { "sk_live_", "stripe-key", "a Stripe key", BYTES_LETTER, 16, 255, false },
    { "rk_live_", "stripe-key", "a Stripe key", BYTES_LETTER, 16, 255, false },
    { "whsec_", "stripe-secret", "a Stripe webhook secret", BYTES_LETTER, 24, 255, false },
    { "npm_", "npm-token", "an npm token", BYTES_LETTER, 36, 36, false },
    { "pypi-", "pypi-token", "a PyPI token", BYTES_DASHED, 80, 600, false },
    { "sk-ant-", "anthropic-key", "an Anthropic key", BYTES_DASHED, 32, 255, false },
    { "sk-", "openai-key", "an API key of a model", BYTES_DASHED, 40, 255, false },
    { "hf_", "huggingface-token", "a Hugging Face token", BYTES_LETTER, 34, 40, false },
    { "SG.", "sendgrid-key", "a SendGrid key", BYTES_DOTTED, 60, 80, false },
    { "shpat_", "shopify-token", "a Shopify token", BYTES_HEX, 32, 32, false },
    { "dop_v1_", "digitalocean-token", "a DigitalOcean token", BYTES_HEX, 64, 64, false },
    { "hvs.", "vault-token", "a Vault token", BYTES_DASHED, 24, 255, false },
    { "dckr_pat_", "docker-token", "a Docker token", BYTES_DASHED, 20, 255, false },
    { "AGE-SECRET-KEY-1", "age-key", "an age key", BYTES_UPPER, 58, 58, false },
};

enum {
    RULE_COUNT = sizeof rules / sizeof *rules,
    PEM_LINE_BYTES = 40,
    PEM_HEADERS_BYTES_MAX = 512,
    JWT_HEADER_BYTES_MAX = 512,
    JWT_CLAIMS_BYTES_MAX = 8192,
    JWT_PART_BYTES = 12,
    JWT_SIGNATURE_BYTES = 20,
};

static bool is_of(char byte, enum bytes_kind kind)
{
    bool digit = byte_is_digit(byte);

    switch (kind) {
    case BYTES_UPPER:
        return digit || byte_is_capital(byte);
    case BYTES_HEX:
        return digit || (byte >= 'a' && byte <= 'f');
    case BYTES_LETTER:
        return secret_is_word_byte(byte);
    case BYTES_DASHED:
        return secret_is_word_byte(byte) || byte == '-';
    case BYTES_DOTTED:
        return secret_is_word_byte(byte) || byte == '-' || byte == '.';
    case BYTES_PATH:
        return secret_is_word_byte(byte) || byte == '/';
    }
    return false;
}

/* How many such bytes there are, counted up to a bound. */
static size_t run_of(struct str text, size_t at, enum bytes_kind kind, size_t most)
{
    size_t size = 0;

    while (size < most && at + size < text.size && is_of(text.data[at + size], kind)) size++;
    return size;
}

static bool take_rule(struct str text, size_t at, const struct token_rule *rule,
                      struct secret *out)
{
    struct str prefix = str_of(rule->prefix);
    struct str value = { text.data + at + prefix.size, 0 };

    if (rule->bare && at && (text.data[at - 1] == '+' || text.data[at - 1] == '/')) return false;
    value.size = run_of(text, at + prefix.size, rule->bytes, rule->most + 1);
    while (value.size && strchr("-./", value.data[value.size - 1])) value.size--;
    if (value.size < rule->least || value.size > rule->most) return false;
    if (secret_is_name(value) || secret_is_placeholder(value)) return false;
    out->kind = rule->kind;
    out->what = rule->what;
    out->begin = at;
    out->end = at + prefix.size + value.size;
    secret_show(out, text, prefix, "****");
    return true;
}

/* ---- JSON Web Tokens ---- */

/* Header, claims and signature: the first two are JSON objects in base64. A token without a
 * signature, and the one that all books show, is no secret. */
static bool take_jwt(struct str text, size_t at, struct secret *out)
{
    static const struct str object = STR("eyJ");
    static const struct str of_books = STR("eyJzdWIiOiIxMjM0NTY3ODkw");
    size_t header = run_of(text, at, BYTES_DASHED, JWT_HEADER_BYTES_MAX);
    size_t claims, signature, next;

    if (at && (text.data[at - 1] == '+' || text.data[at - 1] == '/')) return false;
    next = at + header + 1;
    if (header < JWT_PART_BYTES || next >= text.size || text.data[next - 1] != '.') return false;
    if (!str_starts(str_skip(text, next), object)) return false;
    if (str_starts(str_skip(text, next), of_books)) return false;
    claims = run_of(text, next, BYTES_DASHED, JWT_CLAIMS_BYTES_MAX);
    next += claims + 1;
    if (claims < JWT_PART_BYTES || next >= text.size || text.data[next - 1] != '.') return false;
    signature = run_of(text, next, BYTES_DASHED, JWT_HEADER_BYTES_MAX);
    if (signature < JWT_SIGNATURE_BYTES) return false;
    if (secret_is_placeholder((struct str){ text.data + next, signature })) return false;
    out->kind = "json-web-token";
    out->what = "a signed JSON Web Token";
    out->begin = at;
    out->end = next + signature;
    secret_show(out, text, object, "****");
    return true;
}

/* ---- PEM ---- */

static bool is_base64(char byte)
{
    return (secret_is_word_byte(byte) && byte != '_') || byte == '+' || byte == '/' || byte == '=';
}

/* What may stand between the lines of a block: line ends, also as \n in a string, quotes, indents
 * and marks of comments. */
static size_t skip_between(struct str text, size_t at)
{
    static const char between[] = " \t\r\n\\\"',>#*|+.;";

    while (at < text.size && text.data[at] && strchr(between, text.data[at])) {
        bool escape = text.data[at] == '\\' && at + 1 < text.size &&
                      (text.data[at + 1] == 'n' || text.data[at + 1] == 'r');
        at += escape ? 2 : 1;
    }
    return at;
}

/* Behind "Proc-Type: 4,ENCRYPTED" and lines like it. */
static size_t skip_headers(struct str text, size_t at)
{
    size_t end = at + PEM_HEADERS_BYTES_MAX;

    if (end > text.size) end = text.size;
    for (;;) {
        size_t name = at;

        while (name < end && (secret_is_word_byte(text.data[name]) || text.data[name] == '-')) {
            name++;
        }
        if (name == at || name + 1 >= end || text.data[name] != ':') return at;
        while (name < end && text.data[name] != '\n' && text.data[name] != '\\') name++;
        at = skip_between(text, name);
    }
}

/* Everything up to the line that ends the block, or as far as it goes on like one. */
static size_t block_end(struct str text, size_t at)
{
    static const struct str end_mark = STR("-----END ");

    while (at < text.size) {
        size_t next = skip_between(text, at);

        while (next < text.size && is_base64(text.data[next])) next++;
        if (next == at) break;
        at = next;
    }
    if (!str_starts(str_skip(text, at), end_mark)) return at;
    at += end_mark.size;
    while (at < text.size && (is_of(text.data[at], BYTES_UPPER) || text.data[at] == ' ')) at++;
    while (at < text.size && text.data[at] == '-') at++;
    return at;
}

/* The first line is no secret; a first line without a key behind it is a word in a program. */
static bool take_pem(struct str text, size_t at, struct secret *out)
{
    static const struct str begin = STR("-----BEGIN "), key = STR("PRIVATE KEY"),
                            block = STR(" BLOCK"), dashes = STR("-----");
    size_t end = at + begin.size, body, line = 0;
    struct str head;

    if (!str_starts(str_skip(text, at), begin)) return false;
    while (end < text.size && end - at < 80 && text.data[end] != '-') end++;
    head = (struct str){ text.data + at, end - at };
    if (str_ends(head, block)) head.size -= block.size;
    if (!str_ends(head, key) || !str_starts(str_skip(text, end), dashes)) return false;
    end += dashes.size;
    body = skip_headers(text, skip_between(text, end));
    while (line < PEM_LINE_BYTES && body + line < text.size && is_base64(text.data[body + line])) {
        line++;
    }
    if (line < PEM_LINE_BYTES || secret_is_placeholder((struct str){ text.data + body, line })) {
        return false;
    }
    out->kind = "private-key";
    out->what = "a private key";
    out->begin = at;
    out->end = block_end(text, body);
    secret_show(out, text, (struct str){ text.data + at, end - at }, "");
    return true;
}

/* No rule is about fewer bytes than this; a few of them tell most words from tokens. */
static bool is_long(struct str rest)
{
    enum { BYTES_MIN = 20 };

    if (rest.size < BYTES_MIN) return false;
    for (size_t i = 7; i < BYTES_MIN; i += 4) {
        if (!is_of(rest.data[i], BYTES_DOTTED) && rest.data[i] != '/') return false;
    }
    return true;
}

bool secret_token(struct str text, size_t at, struct secret *out)
{
    struct str rest = str_skip(text, at);

    if (text.data[at] == '-') return take_pem(text, at, out);
    if (!is_long(rest)) return false;
    if (str_starts(rest, STR("eyJ"))) return take_jwt(text, at, out);
    for (uint32_t i = 0; i < RULE_COUNT; i++) {
        const char *prefix = rules[i].prefix;

        if (prefix[0] != rest.data[0] || rest.size < 2 || prefix[1] != rest.data[1]) continue;
        if (!str_starts(rest, str_of(prefix))) continue;
        if (take_rule(text, at, &rules[i], out)) return true;
    }
    return false;
}
