/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/ui/routes.h"

#include "base/buf.h"
#include "base/byte.h"

#include <string.h>

/* ---- the path ---- */

/* Letters, digits, "-", "_" and ".", as ids and names are; not "." in front. */
static bool is_name(struct str text)
{
    if (text.size == 0 || text.size > ROUTE_NAME_BYTES_MAX || text.data[0] == '.') return false;
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        if (!byte_is_alnum(byte) && byte != '-' && byte != '_' && byte != '.') return false;
    }
    return true;
}

static bool read_small(struct str text, uint32_t *out)
{
    uint64_t number;

    if (text.size > 9 || !str_number(text, &number)) return false;
    if (text.size > 1 && text.data[0] == '0') return false; /* one number, one address */
    *out = (uint32_t)number;
    return true;
}

static bool read_attempt(struct str text, struct route_names *names)
{
    struct str rest = text, job;

    return str_cut(&rest, '-', &job) && read_small(job, &names->job) &&
           read_small(rest, &names->attempt) && names->job > 0 && names->attempt > 0;
}

static bool read_part(struct str pattern, struct str part, struct route_names *names)
{
    if (str_is(pattern, "R")) return read_small(part, &names->repo);
    if (str_is(pattern, "ATTEMPT")) return read_attempt(part, names);
    if (str_is(pattern, "RUN") || str_is(pattern, "FINDING") || str_is(pattern, "NAME")) {
        if (!is_name(part)) return false;
        if (pattern.data[0] == 'R') names->run = part;
        else if (pattern.data[0] == 'F') names->finding = part;
        else names->name = part;
        return true;
    }
    return str_eq(pattern, part);
}

static bool fits(const char *pattern, struct str path, struct route_names *names)
{
    struct str wanted = str_of(pattern), rest = path, part, said;

    *names = (struct route_names){ 0 };
    if (str_ends(path, STR("/"))) return false;
    while (str_cut(&wanted, '/', &part)) {
        if (!str_cut(&rest, '/', &said) || !read_part(part, said, names)) return false;
    }
    return rest.size == 0;
}

enum route_found route_find(const struct route *table, struct str method, struct str path,
                            const struct route **out, struct route_names *names)
{
    enum route_found found = ROUTE_MISSING;

    *out = NULL;
    for (const struct route *route = table; route->pattern; route++) {
        if (!fits(route->pattern, path, names)) continue;
        found = ROUTE_OTHER_METHOD;
        if (!str_is(method, route->method)) continue;
        *out = route;
        return ROUTE_FOUND;
    }
    *names = (struct route_names){ 0 };
    return found;
}

/* ---- behind "?" ---- */

static int digit_of(char byte)
{
    if (byte_is_digit(byte)) return byte - '0';
    byte = byte_small(byte);
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* "a%20b+c" is "a b c". False where it is no text. */
static bool decode(struct str in, struct buf *out)
{
    for (size_t i = 0; i < in.size; i++) {
        char byte = in.data[i] == '+' ? ' ' : in.data[i];

        if (byte == '%') {
            int high = i + 2 < in.size ? digit_of(in.data[i + 1]) : -1;
            int low = high >= 0 ? digit_of(in.data[i + 2]) : -1;
            if (low < 0) return false;
            byte = (char)(high * 16 + low);
            i += 2;
        }
        if ((unsigned char)byte < ' ' || byte == 0x7f) return false;
        (void)buf_byte(out, byte);
    }
    return !out->overflow;
}

static bool is_option(const struct route *route, struct str name)
{
    struct str rest = str_of(route->options), one;

    if (str_is(rest, "*")) return is_name(name);
    while (str_cut(&rest, ' ', &one)) {
        if (name.size > 0 && str_eq(one, name)) return true;
    }
    return false;
}

int route_query_read(const struct route *route, struct str query, struct arena *arena,
                     struct route_query *out, struct err *err)
{
    struct str rest = query, pair, name = { 0 };
    struct buf value;
    bool valued;

    *out = (struct route_query){ 0 };
    if (query.size > ROUTE_QUERY_BYTES_MAX) {
        return err_set(err, ERR_USAGE, "what stands behind '?' is too long");
    }
    while (str_cut(&rest, '&', &pair)) {
        if (pair.size == 0) continue;
        valued = str_has(pair, '=');
        (void)str_cut(&pair, '=', &name);
        if (!valued || !is_option(route, name)) {
            return err_set(err, ERR_USAGE, "'%.*s' is no option here", STR_ARG(str_head(name, 40)));
        }
        if (out->count == ROUTE_OPTIONS_MAX) {
            return err_set(err, ERR_USAGE, "there are too many options");
        }
        buf_init(&value, ROUTE_QUERY_BYTES_MAX);
        if (!decode(pair, &value)) {
            buf_release(&value);
            return err_set(err, ERR_USAGE, "%.*s: its value is no text", STR_ARG(name));
        }
        out->options[out->count].name = arena_cstr(arena, name);
        out->options[out->count++].value = arena_take_cstr(arena, &value);
    }
    return 0;
}

const char *query_value(const struct route_query *query, const char *name)
{
    for (uint32_t i = query->count; i-- > 0;) {
        if (strcmp(query->options[i].name, name) == 0) return query->options[i].value;
    }
    return NULL;
}

int query_number(const struct route_query *query, const char *name, uint32_t fallback,
                 uint32_t *out, struct err *err)
{
    const char *value = query_value(query, name);

    *out = fallback;
    if (!value || read_small(str_of(value), out)) return 0;
    return err_set(err, ERR_USAGE, "%s: '%.40s' is no number", name, value);
}
