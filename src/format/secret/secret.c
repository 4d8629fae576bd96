/* SPDX-License-Identifier: Apache-2.0
 *
 * secret.c - one walk over a text, from word to word, and the rules it asks.
 *
 * Rules look at three places only: where a word begins, at a = or : and at a ://. Each looks at a
 * bounded number of bytes, or at bytes the walk then jumps over.
 *
 * 1. Linear: no byte is looked at more often than a constant.
 * 2. Lines longer than LINE_BYTES_MAX were made by a program: in them only tokens count.
 *
 * Values: secrets that are known by what they are assigned to, and what makes a value one.
 *
 *     password = "..."   "api_key": "..."   DB_PASS=...   postgres://user:...@host
 *
 * A name alone proves nothing: programs have many tokens and keys. What is assigned must be hard to
 * guess, and no name, path, hash or placeholder. Better one weak password missed than a run
 * stopped by a variable.
 *
 * Tokens: secrets with a form of their own, by what issuers put in front of them, and private keys
 * in PEM. A row is a prefix and what follows it: which bytes, how many. Fewer bytes are no token;
 * where a form has a fixed length more bytes are none either, but a word that begins alike.
 *
 * Names: files that are not to be committed, known by their names. A row is a list of patterns
 * (format/text/pattern.h, in small letters) and what may be named alike and is harmless. A pattern
 * without a slash is about the file, not about folders of that name. A name that is often innocent
 * (server.key, service-account.json) also needs a word in the content. */
#include "format/secret/secret.h"

#include "base/byte.h"
#include "base/path.h"
#include "format/text/pattern.h"
#include "format/text/words.h"

#include <string.h>

/* A letter, a digit or _. */
static bool secret_is_word_byte(char byte)
{
    return byte_is_alnum(byte) || byte == '_';
}

/* Sets what is shown of a secret whose place is known: bytes that are none, unless they repeat it,
 * and stars. */
static void secret_show(struct secret *secret, struct str text, struct str open, const char *stars)
{
    size_t room = SECRET_SHOWN_BYTES_MAX - 1 - strlen(stars);
    size_t size = 0;

    if (memmem(open.data, open.size, text.data + secret->begin, secret->end - secret->begin)) {
        open = STR("");
    }
    if (open.size > room) open.size = room;
    for (size_t i = 0; i < open.size; i++) {
        char byte = open.data[i];
        secret->shown[size++] = byte >= ' ' && byte < 0x7f ? byte : '?';
    }
    memcpy(secret->shown + size, stars, strlen(stars) + 1);
}

enum {
    NAME_BYTES_MAX = 64,
    VALUE_BYTES_MAX = 200,
    BETWEEN_BYTES_MAX = 8, /* blanks and quotes around = and : */
    PASSWORD_BYTES_MIN = 8,
    KEY_BYTES_MIN = 16,
    BARE_BYTES_MIN = 12,   /* without quotes */
    KEY_PART_BYTES_MIN = 12, /* between slashes of what is no path */
    DIGITS_MIN = 3,
    UUID_BYTES = 36,
};

/* ---- what is no secret ---- */

static bool has_one_of(struct str text, const char *const *words)
{
    for (size_t i = 0; i < text.size; i++) {
        for (const char *const *word = words; *word; word++) {
            if (byte_small(text.data[i]) != **word) continue;
            if (starts_with_word(str_skip(text, i), *word)) return true;
        }
    }
    return false;
}

/* Half of it is the byte before it, or the one next to that: aaaa, 1234, abcd. */
static bool is_sequence(struct str value)
{
    size_t steps = 0;

    for (size_t i = 1; i < value.size; i++) {
        int step = value.data[i] - value.data[i - 1];
        steps += step >= -1 && step <= 1;
    }
    return 2 * steps > value.size;
}

static uint32_t distinct_bytes(struct str value)
{
    bool seen[256] = { false };
    uint32_t count = 0;

    for (size_t i = 0; i < value.size; i++) {
        bool *at = &seen[(unsigned char)value.data[i]];
        count += !*at;
        *at = true;
    }
    return count;
}

/* Whether a token's letters and digits were made up for an example: one and the same again and
 * again, in the order of the alphabet, or with words such as example in them. */
static bool secret_is_placeholder(struct str value)
{
    static const char *const words[] = {
        "example", "changeme", "change_me", "change-me", "placeholder", "redacted", "dummy",
        "sample", "your_", "your-", "yourt", "yourp", "yours", "xxxxx", "12345678", "abcdefgh",
        "deadbeef", "notreal", "not-real", "insert", NULL,
    };

    if (distinct_bytes(value) < (value.size < 16 ? 5 : 7)) return true;
    return is_sequence(value) || has_one_of(value, words);
}

/* Whether it is words and numbers between dots and dashes: a name, a version, a date. */
static bool secret_is_name(struct str value)
{
    size_t letters = 0, digits = 0;

    for (size_t i = 0; i <= value.size; i++) {
        char byte = i < value.size ? value.data[i] : '-';

        if (byte_is_letter(byte)) {
            letters++;
        } else if (byte_is_digit(byte)) {
            digits++;
        } else if (strchr("_-./:", byte)) {
            if (letters && digits) return false;
            letters = digits = 0;
        } else {
            return false;
        }
    }
    return true;
}

static bool is_uuid(struct str value)
{
    if (value.size != UUID_BYTES) return false;
    return value.data[8] == '-' && value.data[13] == '-' && value.data[18] == '-' &&
           value.data[23] == '-';
}

/* Whether some part between slashes mixes capitals, small letters and digits as base64 does, and as
 * no folder is named: a key may begin with a slash. */
static bool has_hard_part(struct str value)
{
    struct str part;

    while (str_cut(&value, '/', &part)) {
        bool upper = false, lower = false, digit = false;

        for (size_t i = 0; i < part.size; i++) {
            upper = upper || byte_is_capital(part.data[i]);
            lower = lower || byte_is_small(part.data[i]);
            digit = digit || byte_is_digit(part.data[i]);
        }
        if (part.size >= KEY_PART_BYTES_MIN && upper && lower && digit) return true;
    }
    return false;
}

static bool is_code_or_path(struct str value)
{
    static const char *const words[] = { "test", "password", "passwd", "secret", "token",
                                         "default", "foobar", "sha1", "sha2", "sha5", "md5",
                                         "://", "process.env", "environ", "getenv", NULL };

    for (size_t i = 0; i < value.size; i++) {
        unsigned char byte = (unsigned char)value.data[i];
        if (byte <= ' ' || byte >= 0x7f || strchr("(){}<>\"'`,;", byte)) return true;
    }
    if (strchr("$%.~@#*", value.data[0])) return true;
    if (value.data[0] == '/' && !has_hard_part(value)) return true;
    return has_one_of(value, words);
}

struct mix {
    uint32_t upper, lower, digit, other;
};

static struct mix mix_of(struct str value)
{
    struct mix mix = { 0 };

    for (size_t i = 0; i < value.size; i++) {
        char byte = value.data[i];

        if (byte_is_digit(byte)) mix.digit++;
        else if (byte_is_capital(byte)) mix.upper++;
        else if (byte_is_small(byte)) mix.lower++;
        else if (!strchr("_-./:", byte)) mix.other++;
    }
    return mix;
}

/* Whether an attacker would have to guess it: long and mixed, and no placeholder, name or path. */
static bool is_hard(struct str value, size_t bytes_min)
{
    struct mix mix = mix_of(value);

    if (value.size < bytes_min || value.size > VALUE_BYTES_MAX) return false;
    if (is_code_or_path(value) || secret_is_name(value) || is_uuid(value)) return false;
    if (mix.upper + mix.lower < 2) return false;
    if (mix.digit < DIGITS_MIN && !(mix.digit && mix.upper && mix.lower && mix.other)) return false;
    return !secret_is_placeholder(value);
}

/* ---- tokens ---- */

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

/* A token or a PEM block that begins at `at`, which is the beginning of a word or a dash. */
static bool secret_token(struct str text, size_t at, struct secret *out)
{
    static const bool begins[256] = { /* the first bytes of `rules`, and of eyJ */
        ['A'] = true, ['G'] = true, ['S'] = true, ['d'] = true, ['e'] = true, ['g'] = true,
        ['h'] = true, ['n'] = true, ['p'] = true, ['r'] = true, ['s'] = true, ['w'] = true,
        ['x'] = true, ['y'] = true,
    };
    struct str rest = { text.data + at, text.size - at };

    if (text.data[at] == '-') return take_pem(text, at, out);
    if (!begins[(unsigned char)text.data[at]] || !is_long(rest)) return false;
    if (rest.data[0] == 'e' && str_starts(rest, STR("eyJ"))) return take_jwt(text, at, out);
    for (uint32_t i = 0; i < RULE_COUNT; i++) {
        const char *prefix = rules[i].prefix;

        if (prefix[0] != rest.data[0] || rest.size < 2 || prefix[1] != rest.data[1]) continue;
        if (!str_starts(rest, str_of(prefix))) continue;
        if (take_rule(text, at, &rules[i], out)) return true;
    }
    return false;
}

/* ---- assignments ---- */

static const struct {
    const char *tail; /* of the name, in small letters and without _ and - */
    bool password;
} names[] = {
    { "password", true },   { "passwd", true },       { "passphrase", true }, { "pwd", true },
    { "dbpass", true },     { "userpass", true },     { "secret", false },    { "token", false },
    { "secretkey", false }, { "accesskey", false },   { "apikey", false },    { "authkey", false },
    { "privatekey", false }, { "signingkey", false }, { "encryptionkey", false },
    { "accountkey", false }, { "sharedkey", false },
};

enum { NAME_COUNT = sizeof names / sizeof *names };

/* Whether a name ends so, _ and - left out. */
static bool ends_so(struct str name, const char *tail)
{
    size_t left = strlen(tail), i = name.size;

    while (left > 0 && i > 0) {
        char byte = name.data[--i];

        if (byte == '_' || byte == '-') continue;
        if (byte_small(byte) != tail[left - 1]) return false;
        left--;
    }
    return left == 0;
}

/* The name in front of `at`, past blanks and quotes. */
static struct str name_before(struct str text, size_t at)
{
    size_t end = at, begin;

    while (end > 0 && at - end < BETWEEN_BYTES_MAX && text.data[end - 1] &&
           strchr(" \t\"'`\\[]:", text.data[end - 1])) {
        end--;
    }
    begin = end;
    while (begin > 0 && end - begin < NAME_BYTES_MAX &&
           (secret_is_word_byte(text.data[begin - 1]) || text.data[begin - 1] == '-')) {
        begin--;
    }
    return (struct str){ text.data + begin, end - begin };
}

static size_t skip_blanks(struct str text, size_t at)
{
    size_t most = at + BETWEEN_BYTES_MAX;

    while (at < text.size && at < most && (text.data[at] == ' ' || text.data[at] == '\t')) at++;
    return at;
}

/* The text in the quotes at `at`, also where they are \" in a text in quotes. */
static bool quoted_at(struct str text, size_t at, struct str *value)
{
    size_t end;
    char quote;

    if (at < text.size && text.data[at] == '\\') at++;
    if (at >= text.size || !text.data[at] || !strchr("\"'`", text.data[at])) return false;
    quote = text.data[at++];
    for (end = at; end < text.size && end - at <= VALUE_BYTES_MAX; end++) {
        if (text.data[end] == '\n') return false;
        if (text.data[end] == quote) {
            *value = (struct str){ text.data + at, end - at };
            if (value->size && value->data[value->size - 1] == '\\') value->size--;
            return true;
        }
    }
    return false;
}

/* Whether a name begins its line, as in files of settings. */
static bool begins_line(struct str text, struct str name)
{
    static const char *const words[] = { "export ", "ENV ", "ARG ", "- ", NULL };
    size_t begin = (size_t)(name.data - text.data), from = begin;
    struct str before;

    while (from > 0 && begin - from < NAME_BYTES_MAX && text.data[from - 1] != '\n') from--;
    if (from > 0 && text.data[from - 1] != '\n') return false;
    before = (struct str){ text.data + from, begin - from };
    before = text_skip(before, " \t");
    return before.size == 0 || text_is_one_of(before, words);
}

/* A value without quotes: one word, with nothing but a comment behind it. */
static bool bare_at(struct str text, size_t at, struct str *value)
{
    size_t end = at;
    struct mix mix;

    while (end < text.size && end - at <= VALUE_BYTES_MAX && text.data[end] > ' ') end++;
    *value = (struct str){ text.data + at, end - at };
    end = skip_blanks(text, end);
    if (end < text.size && !strchr("\r\n#", text.data[end])) return false;
    mix = mix_of(*value);
    if (!is_hard(*value, BARE_BYTES_MIN)) return false;
    return mix.digit > 1 && ((mix.upper && mix.lower) || value->size >= 2 * KEY_BYTES_MIN);
}

static bool is_operator(struct str text, size_t at)
{
    char before = at ? text.data[at - 1] : '\n';
    char after = at + 1 < text.size ? text.data[at + 1] : '\n';

    if (after != '=' && before != '=' && after != ':' && before != ':') return true;
    return text.data[at] == '=' && before == ':' && after != '=';
}

/* What is assigned by the = or : at `at`. */
static bool secret_assigned(struct str text, size_t at, struct secret *out)
{
    struct str name, value;
    size_t from = at + 1;
    bool password = false, found = false;

    if (!is_operator(text, at)) return false;
    name = name_before(text, at);
    if (name.size == 0 || !strchr("destnyDESTNY_-", name.data[name.size - 1])) return false;
    for (uint32_t i = 0; i < NAME_COUNT && !found; i++) {
        found = ends_so(name, names[i].tail);
        password = names[i].password;
    }
    if (!found) return false;
    if (from < text.size && text.data[at] == '=' && text.data[from] == '>') from++;
    from = skip_blanks(text, from);
    if (from + 1 < text.size && byte_is_letter(text.data[from]) &&
        strchr("\"'", text.data[from + 1])) {
        from++; /* b"..." */
    }
    if (quoted_at(text, from, &value)) {
        if (!is_hard(value, password ? PASSWORD_BYTES_MIN : KEY_BYTES_MIN)) return false;
    } else if (!begins_line(text, name) || !bare_at(text, from, &value)) {
        return false;
    }
    from = (size_t)(value.data - text.data);
    if (secret_token(text, from, out)) return false; /* the walk will find it, by its own name */
    out->kind = password ? "password" : "secret";
    out->what = password ? "a password" : "a key or a token";
    out->begin = from;
    out->end = from + value.size;
    secret_show(out, text, name, " = ****");
    return true;
}

/* ---- addresses ---- */

/* The password of an address whose "://" begins at `at`. */
static bool secret_in_address(struct str text, size_t at, struct secret *out)
{
    size_t scheme = at, user = at + strlen("://"), end = user, colon = 0;

    while (scheme > 0 && at - scheme < NAME_BYTES_MAX && byte_is_letter(text.data[scheme - 1])) {
        scheme--;
    }
    while (end < text.size && end - user < VALUE_BYTES_MAX && text.data[end] > ' ' &&
           !strchr("@/\"'`<>", text.data[end])) {
        if (text.data[end] == ':' && !colon) colon = end;
        end++;
    }
    if (scheme == at || !colon || end >= text.size || text.data[end] != '@') return false;
    if (!is_hard((struct str){ text.data + colon + 1, end - colon - 1 },
                        PASSWORD_BYTES_MIN)) {
        return false;
    }
    out->kind = "address-password";
    out->what = "a password in an address";
    out->begin = colon + 1;
    out->end = end;
    secret_show(out, text, (struct str){ text.data + scheme, user - scheme }, "****@");
    return true;
}

/* ---- the walk ---- */

enum { LINE_BYTES_MAX = 2000 };

/* Lines up to the place, counted on from the last one. */
static void find_place(struct secret_walk *walk, struct secret *out)
{
    while (walk->line_begin < out->begin) {
        const char *from = walk->text.data + walk->line_begin;
        const char *end = memchr(from, '\n', out->begin - walk->line_begin);

        if (!end) break;
        walk->line_begin += (size_t)(end - from) + 1;
        walk->line_count++;
    }
    out->line = (uint32_t)walk->line_count + 1;
    out->column = (uint32_t)(out->begin - walk->line_begin) + 1;
}

/* Whether the line of `at` is one that a person could have written. */
static bool is_short_line(struct secret_walk *walk, size_t at)
{
    const char *end;

    if (at < walk->line_end) return !walk->long_line;
    end = memchr(walk->text.data + at, '\n', walk->text.size - at);
    walk->line_end = end ? (size_t)(end - walk->text.data) + 1 : walk->text.size;
    walk->long_line = walk->line_end - at > LINE_BYTES_MAX;
    return !walk->long_line;
}

static bool found_at(struct secret_walk *walk, size_t at, struct secret *out)
{
    struct str text = walk->text;

    switch (text.data[at]) {
    case '-':
        return secret_token(text, at, out);
    case ':':
        if (str_starts(str_skip(text, at), STR("://"))) {
            return is_short_line(walk, at) && secret_in_address(text, at, out);
        }
        return is_short_line(walk, at) && secret_assigned(text, at, out);
    case '=':
        return is_short_line(walk, at) && secret_assigned(text, at, out);
    default:
        return false;
    }
}

bool secret_next(struct secret_walk *walk, struct secret *out)
{
    struct str text = walk->text;
    size_t at = walk->at;

    *out = (struct secret){ 0 };
    while (at < text.size) {
        bool word = secret_is_word_byte(text.data[at]);

        if (word ? secret_token(text, at, out) : found_at(walk, at, out)) {
            walk->at = out->end;
            find_place(walk, out);
            return true;
        }
        at++;
        while (word && at < text.size && secret_is_word_byte(text.data[at])) at++;
    }
    walk->at = at;
    return false;
}

/* ---- names of files ---- */

enum { PATH_BYTES_MAX = 4096 };

static const char *const private_words[] = { "PRIVATE KEY", "OpenSSH", "openssh-key", NULL };
static const char *const account_words[] = { "private_key", NULL };
static const char *const cloud_words[] = { "secret", "token", "private_key", NULL };
static const char *const npm_words[] = { "_authToken=", "_password=", "_auth=", NULL };
static const char *const password_words[] = { "password", NULL };
static const char *const assign_words[] = { "=", NULL };
static const char *const colon_words[] = { ":", NULL };

struct name_rule {
    const char *const *patterns; /* NULL ends */
    const char *const *except;   /* NULL: none */
    struct secret_name name;
};

#define LIST(...) (const char *const[]) { __VA_ARGS__, NULL }

static const struct name_rule name_rules[] = {
    { LIST("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "ssh_host_*_key"), NULL,
      { "a private SSH key", private_words } },
    { LIST("*.key", "*-key.pem", "*_key.pem", "key.pem", "privkey*.pem", "private*.pem"), NULL,
      { "a private key", private_words } },
    { LIST("*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.keystore", "*.ppk", "*.kdbx"), NULL,
      { "a store of keys", NULL } },
    { LIST(".env", ".env.*", "*.env"),
      LIST("*.example", "*.sample", "*.template", "*.tmpl", "*.dist", "*.defaults", "*.schema",
           "example.env", "sample.env", "template.env", "*.example.env", "*.sample.env"),
      { "settings of one machine", assign_words } },
    { LIST("credentials", "credentials.json", "credentials.yml", "credentials.yaml",
           "credentials.csv", "credentials.ini", "credentials.xml", "credentials.txt",
           "client_secret*.json", ".git-credentials", ".dockercfg", "**/.docker/config.json"), NULL,
      { "credentials", NULL } },
    { LIST(".htpasswd", ".pgpass"), NULL,
      { "passwords", colon_words } },
    { LIST("*service-account*.json", "*service_account*.json", "*serviceaccount*.json"), NULL,
      { "the key of a service account", account_words } },
    { LIST(".aws/", ".gcloud/"), NULL,
      { "settings of a cloud account", cloud_words } },
    { LIST("*.dump", "*.pgdump", "*.mysqldump", "dump.sql", "*_dump.sql", "*-dump.sql",
           "*backup*.sql", "*.sql.gz", "*.sql.bz2", "*.sql.xz", "*.sql.zst", "dump.rdb"), NULL,
      { "a dump of a database", NULL } },
    { LIST("*.tfstate", "*.tfstate.backup"), NULL,
      { "a Terraform state, which holds secrets in clear text", NULL } },
    { LIST(".npmrc"), NULL, { "a token for a registry", npm_words } },
    { LIST(".pypirc", ".netrc", "_netrc"), NULL,
      { "a password for a server", password_words } },
};

enum { NAME_RULE_COUNT = sizeof name_rules / sizeof *name_rules };

static bool matches_one(const char *const *patterns, struct str path)
{
    struct str leaf = path_leaf(path);

    for (; patterns && *patterns; patterns++) {
        struct str pattern = str_of(*patterns);
        if (pattern_matches(pattern, str_has(pattern, '/') ? path : leaf)) return true;
    }
    return false;
}

const struct secret_name *secret_name_of(struct str path)
{
    char small[PATH_BYTES_MAX];

    if (path.size >= sizeof small) return NULL;
    for (size_t i = 0; i < path.size; i++) {
        char byte = path.data[i];
        small[i] = byte_small(byte);
    }
    path.data = small;
    for (uint32_t i = 0; i < NAME_RULE_COUNT; i++) {
        if (!matches_one(name_rules[i].patterns, path)) continue;
        return matches_one(name_rules[i].except, path) ? NULL : &name_rules[i].name;
    }
    return NULL;
}

/* Behind _authToken= a variable may stand, which is no secret. */
static bool is_variable(struct str rest)
{
    struct str line = { "", 0 };

    (void)str_cut(&rest, '\n', &line);
    line = str_trim(line);
    return line.size == 0 || line.data[0] == '$' || line.data[0] == '<';
}

bool secret_name_fits(const struct secret_name *name, struct str content)
{
    if (!name->needs) return true;
    for (const char *const *word = name->needs; *word; word++) {
        struct str wanted = str_of(*word), rest = content;

        while (rest.size >= wanted.size) {
            const char *at = memmem(rest.data, rest.size, wanted.data, wanted.size);

            if (!at) break;
            rest = str_skip(rest, (size_t)(at - rest.data) + wanted.size);
            if (name->needs != npm_words || !is_variable(rest)) return true;
        }
    }
    return false;
}
