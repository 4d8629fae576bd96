/* SPDX-License-Identifier: Apache-2.0
 *
 * secret_value.c - secrets that are known by what they are assigned to, and what makes a value one.
 *
 *     password = "..."   "api_key": "..."   DB_PASS=...   postgres://user:...@host
 *
 * A name alone proves nothing: programs have many tokens and keys. What is assigned must be hard to
 * guess, and no name, path, hash or placeholder. Better one weak password missed than a run
 * stopped by a variable. */
#include "format/secret/secret_parts.h"

#include "base/byte.h"

#include <string.h>

enum {
    NAME_BYTES_MAX = 64,
    VALUE_BYTES_MAX = 200,
    BETWEEN_BYTES_MAX = 8, /* blanks and quotes around = and : */
    PASSWORD_BYTES_MIN = 8,
    KEY_BYTES_MIN = 16,
    BARE_BYTES_MIN = 12,   /* without quotes */
    DIGITS_MIN = 3,
    UUID_BYTES = 36,
};

/* ---- what is no secret ---- */

static bool begins_with(struct str text, const char *word)
{
    for (size_t i = 0; word[i]; i++) {
        if (i == text.size || byte_small(text.data[i]) != word[i]) return false;
    }
    return true;
}

static bool has_one_of(struct str text, const char *const *words)
{
    for (size_t i = 0; i < text.size; i++) {
        for (const char *const *word = words; *word; word++) {
            if (byte_small(text.data[i]) != **word) continue;
            if (begins_with(str_skip(text, i), *word)) return true;
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

bool secret_is_placeholder(struct str value)
{
    static const char *const words[] = {
        "example", "changeme", "change_me", "change-me", "placeholder", "redacted", "dummy",
        "sample", "your_", "your-", "yourt", "yourp", "yours", "xxxxx", "12345678", "abcdefgh",
        "deadbeef", "notreal", "not-real", "insert", NULL,
    };

    if (distinct_bytes(value) < (value.size < 16 ? 5 : 7)) return true;
    return is_sequence(value) || has_one_of(value, words);
}

bool secret_is_name(struct str value)
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

static bool is_code_or_path(struct str value)
{
    static const char *const words[] = { "test", "password", "passwd", "secret", "token",
                                         "default", "foobar", "sha1", "sha2", "sha5", "md5",
                                         "://", "process.env", "environ", "getenv", NULL };

    for (size_t i = 0; i < value.size; i++) {
        unsigned char byte = (unsigned char)value.data[i];
        if (byte <= ' ' || byte >= 0x7f || strchr("(){}<>\"'`,;", byte)) return true;
    }
    if (strchr("$%/.~@#*", value.data[0])) return true;
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

/* Whether somebody would have to guess it: long and mixed, and no placeholder, name or path. */
static bool is_hard(struct str value, size_t bytes_min)
{
    struct mix mix = mix_of(value);

    if (value.size < bytes_min || value.size > VALUE_BYTES_MAX) return false;
    if (is_code_or_path(value) || secret_is_name(value) || is_uuid(value)) return false;
    if (mix.upper + mix.lower < 2) return false;
    if (mix.digit < DIGITS_MIN && !(mix.digit && mix.upper && mix.lower && mix.other)) return false;
    return !secret_is_placeholder(value);
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
    while (before.size && (before.data[0] == ' ' || before.data[0] == '\t')) {
        before = str_skip(before, 1);
    }
    if (before.size == 0) return true;
    for (const char *const *word = words; *word; word++) {
        if (str_is(before, *word)) return true;
    }
    return false;
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

bool secret_assigned(struct str text, size_t at, struct secret *out)
{
    struct str name, value;
    size_t from = at + 1;
    bool password = false, found = false;

    if (!is_operator(text, at)) return false;
    name = name_before(text, at);
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

bool secret_in_address(struct str text, size_t at, struct secret *out)
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
