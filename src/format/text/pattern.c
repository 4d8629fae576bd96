/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern.c - one pattern against one path.
 *
 * The same idea on two levels. Where the rest of the pattern does not match, the last star takes
 * one piece more, and the rest is tried again behind it. Earlier stars need not be tried again: a
 * piece more for them is a piece less for the last one, which it can take itself. On the lower
 * level a star stands for bytes of a name, on the upper one two stars for parts of a path. */
#include "format/text/pattern.h"

/* ---- a name ---- */

/* Matches one byte against the set behind "[" at pattern.data[*at]; moves *at behind its "]".
 * A set that is not closed is a plain "[". */
static bool set_matches(struct str pattern, size_t *at, unsigned char byte)
{
    size_t i = *at + 1;
    bool inverted = i < pattern.size && (pattern.data[i] == '!' || pattern.data[i] == '^');
    bool found = false;
    size_t first;

    if (inverted) i++;
    first = i;
    for (; i < pattern.size; i++) {
        unsigned char low, high;

        if (pattern.data[i] == ']' && i > first) break;
        if (pattern.data[i] == '\\' && i + 1 < pattern.size) i++;
        low = high = (unsigned char)pattern.data[i];
        if (i + 2 < pattern.size && pattern.data[i + 1] == '-' && pattern.data[i + 2] != ']') {
            i += 2;
            if (pattern.data[i] == '\\' && i + 1 < pattern.size) i++;
            high = (unsigned char)pattern.data[i];
        }
        if (low <= byte && byte <= high) found = true;
    }
    if (i >= pattern.size) {
        (*at)++;
        return byte == '[';
    }
    *at = i + 1;
    return found != inverted;
}

/* One element of a pattern that is no star, against one byte. */
static bool byte_matches(struct str pattern, size_t *at, unsigned char byte)
{
    char wanted = pattern.data[*at];

    if (wanted == '[') return set_matches(pattern, at, byte);
    if (wanted == '\\' && *at + 1 < pattern.size) wanted = pattern.data[++*at];
    else if (wanted == '?') wanted = (char)byte;
    (*at)++;
    return wanted == (char)byte;
}

static bool name_matches(struct str pattern, struct str name)
{
    size_t at = 0, i = 0;
    size_t star = SIZE_MAX, taken = 0; /* behind the last star; behind what it takes */

    while (i < name.size) {
        if (at < pattern.size && pattern.data[at] == '*') {
            star = ++at;
            taken = i;
        } else if (at < pattern.size && byte_matches(pattern, &at, (unsigned char)name.data[i])) {
            i++;
        } else if (star != SIZE_MAX) {
            at = star;
            i = ++taken;
        } else {
            return false;
        }
    }
    while (at < pattern.size && pattern.data[at] == '*') at++;
    return at == pattern.size;
}

/* ---- a path ---- */

/* The part up to the next slash; rest becomes what follows, with data NULL at the end. */
static struct str cut_part(struct str *rest)
{
    struct str part = { rest->data, 0 };

    while (part.size < rest->size && rest->data[part.size] != '/') part.size++;
    if (part.size == rest->size) *rest = (struct str){ 0 };
    else *rest = str_skip(*rest, part.size + 1);
    return part;
}

/* Whole pattern, whole path. */
static bool parts_match(struct str pattern, struct str path)
{
    struct str behind = { 0 }, taken = { 0 }; /* the last `**` */

    while (path.data) {
        struct str rest = pattern, left = path;

        if (pattern.data) {
            struct str part = cut_part(&rest);

            if (str_is(part, "**")) {
                if (!rest.data) return true; /* at the end: everything below */
                pattern = behind = rest;
                taken = path;
                continue;
            }
            if (name_matches(part, cut_part(&left))) {
                pattern = rest;
                path = left;
                continue;
            }
        }
        if (!behind.data) return false;
        pattern = behind;
        cut_part(&taken);
        path = taken;
    }
    return !pattern.data;
}

bool pattern_matches(struct str pattern, struct str path)
{
    bool folder = false, anchored = false;

    while (pattern.size && pattern.data[pattern.size - 1] == '/') {
        pattern.size--;
        folder = true;
    }
    if (str_starts(pattern, STR("/"))) {
        pattern = str_skip(pattern, 1);
        anchored = true;
    }
    if (pattern.size == 0) return false;
    anchored = anchored || str_has(pattern, '/');
    for (size_t end = 1, start = 0; end <= path.size; end++) {
        bool whole = end == path.size;

        if (!whole && path.data[end] != '/') continue;
        if (whole && folder) break;
        if (anchored && parts_match(pattern, (struct str){ path.data, end })) return true;
        if (!anchored && name_matches(pattern, (struct str){ path.data + start, end - start }))
            return true;
        start = end + 1;
    }
    return false;
}
