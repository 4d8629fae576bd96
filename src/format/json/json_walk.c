/* SPDX-License-Identifier: Apache-2.0 */
#include "format/json/json_walk.h"

static char here(const struct json_walk *walk)
{
    return walk->rest.size ? walk->rest.data[0] : '\0';
}

static void move(struct json_walk *walk)
{
    if (here(walk) == '\n') walk->line++;
    walk->rest = str_skip(walk->rest, 1);
}

static void pass_blanks(struct json_walk *walk)
{
    while (walk->rest.size && str_has(STR(" \t\r\n"), here(walk))) move(walk);
}

/* Over a string; what stood between the quotes. */
static struct str pass_string(struct json_walk *walk)
{
    struct str text;

    move(walk);
    text = (struct str){ walk->rest.data, 0 };
    while (walk->rest.size && here(walk) != '"') {
        if (here(walk) == '\\') move(walk);
        move(walk);
    }
    text.size = walk->rest.data ? (size_t)(walk->rest.data - text.data) : 0;
    move(walk);
    return text;
}

struct json_walk json_walk_start(struct str text)
{
    struct json_walk walk = { .rest = text, .line = 1 };

    pass_blanks(&walk);
    return walk;
}

bool json_walk_enter(struct json_walk *walk)
{
    if (here(walk) != '{' && here(walk) != '[') return false;
    move(walk);
    pass_blanks(walk);
    return true;
}

bool json_walk_next(struct json_walk *walk, struct str *key)
{
    struct json_walk before;
    struct str name = { "", 0 };

    if (here(walk) == ',') move(walk);
    pass_blanks(walk);
    if (walk->rest.size == 0) return false;
    if (here(walk) == '}' || here(walk) == ']') {
        move(walk);
        pass_blanks(walk);
        return false;
    }
    before = *walk;
    if (here(walk) == '"') {
        name = pass_string(walk);
        pass_blanks(walk);
    }
    if (here(walk) == ':') {
        move(walk);
        pass_blanks(walk);
    } else { /* an element, not a member: the string was the value */
        *walk = before;
        name = (struct str){ "", 0 };
    }
    if (key) *key = name;
    return true;
}

void json_walk_skip(struct json_walk *walk)
{
    uint32_t depth = 0;

    do {
        char byte = here(walk);
        if (byte == '"') {
            pass_string(walk);
            continue;
        }
        if (byte == '{' || byte == '[') depth++;
        if (byte == '}' || byte == ']') {
            if (depth == 0) return;
            depth--;
        }
        if (byte == ',' && depth == 0) return;
        move(walk);
    } while (walk->rest.size && (depth > 0 || !str_has(STR(",]}"), here(walk))));
    pass_blanks(walk);
}

uint32_t json_walk_member(struct json_walk walk, const char *key, struct json_walk *value)
{
    struct str name;

    if (!json_walk_enter(&walk)) return 0;
    while (json_walk_next(&walk, &name)) {
        if (str_is(name, key)) {
            if (value) *value = walk;
            return walk.line;
        }
        json_walk_skip(&walk);
    }
    return 0;
}
