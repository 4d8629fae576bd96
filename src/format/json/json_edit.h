/* SPDX-License-Identifier: Apache-2.0
 *
 * json_edit.h - a JSON text changed in one place, every other byte of it kept.
 *
 * For files of the user and of other programs: their order, blanks and line ends stay as they are,
 * and what is added takes the look of what stands around it. Texts must be ones that json_read()
 * took, without two members of one name on the way; names are compared as they are written. */
#ifndef HONE_FORMAT_JSON_JSON_EDIT_H
#define HONE_FORMAT_JSON_JSON_EDIT_H

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* One step from a value into it: a member by its name, or where that is NULL an element. */
struct json_step {
    const char *key;
    uint32_t index;
};

struct json_path {
    const struct json_step *steps;
    uint32_t count;
};

/* The text of the value at the path; false where nothing is there. */
bool json_edit_find(struct str text, struct json_path path, struct str *value);

/* Appends the text with the member at the path set to value (any JSON text): in its place, or as
 * the last member of its object. Objects on the way that are not there are made. False, and nothing
 * appended, where something on the way is no object, or the last step is no member. */
bool json_edit_set(struct str text, struct json_path path, struct str value, struct buf *out);

/* The same for one more element at the end of the array at the path, which is made where it is not
 * there. */
bool json_edit_add(struct str text, struct json_path path, struct str value, struct buf *out);

/* Appends the text without the member or element at the path. An object or array that has become
 * empty by that goes, too, and so on; the outermost stays. False where nothing is there. Behind
 * json_edit_set() or json_edit_add() this gives the old text, unless an object or array that was
 * empty before went with it. */
bool json_edit_drop(struct str text, struct json_path path, struct buf *out);

#endif
