/* SPDX-License-Identifier: Apache-2.0
 *
 * json_walk.h - a walk through the text of a JSON value, to tell in which line something stands.
 *
 * For texts that json_read() took: the walk checks no syntax. On any other text it ends early, and
 * never reads outside. Walk beside the parsed document: the order of members and elements is the
 * same. */
#ifndef HONE_FORMAT_JSON_JSON_WALK_H
#define HONE_FORMAT_JSON_JSON_WALK_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct json_walk {
    struct str rest;
    uint32_t line; /* of the value the walk stands at, from 1 */
};

/* Stands at the value. */
struct json_walk json_walk_start(struct str text);

/* Into the object or array it stands at; false, and no move, where it stands at neither. */
bool json_walk_enter(struct json_walk *walk);

/* To the next member or element, of which *key (may be NULL) is the key as written, escapes and
 * all, or empty. False at the end of the object or array. The value must then be passed: skipped,
 * or entered and walked to its end. */
bool json_walk_next(struct json_walk *walk, struct str *key);
void json_walk_skip(struct json_walk *walk);

/* The line of an object's member, or 0; walk stands at the object. Where the member is there and
 * value is not NULL, *value stands at the member's value. */
uint32_t json_walk_member(struct json_walk walk, const char *key, struct json_walk *value);

#endif
