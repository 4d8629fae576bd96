/* SPDX-License-Identifier: Apache-2.0 */
#include "format/json/members.h"

#include "format/text/safe.h"

#include <inttypes.h>

void members_write(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct member *member,
                   const void *from, uint32_t kind_bit)
{
    for (; member->key; member++) {
        const void *at = (const char *)from + member->offset;
        bool always = (member->always & kind_bit) != 0;

        switch (member->type) {
        case MEMBER_U32: {
            uint32_t value = *(const uint32_t *)at;
            if (value || always) yyjson_mut_obj_add_uint(doc, object, member->key, value);
            break;
        }
        case MEMBER_U64: {
            uint64_t value = *(const uint64_t *)at;
            if (value || always) yyjson_mut_obj_add_uint(doc, object, member->key, value);
            break;
        }
        case MEMBER_BOOL: {
            bool value = *(const bool *)at;
            if (value || always) yyjson_mut_obj_add_bool(doc, object, member->key, value);
            break;
        }
        case MEMBER_TEXT: {
            struct str value = *(const struct str *)at;
            if (value.size || always) {
                json_add_text(doc, object, member->key, value);
            }
            break;
        }
        }
    }
}

int member_bad_type(const char *key, const char *wanted, struct err *err)
{
    return err_set(err, ERR_FORMAT, "\"%s\" must be %s", key, wanted);
}

int member_number(yyjson_val *value, const struct member *member, void *at, struct err *err)
{
    uint64_t max = member->type == MEMBER_U32 ? UINT32_MAX : UINT64_MAX;
    uint64_t number = yyjson_get_uint(value);

    if (!yyjson_is_uint(value) || number > max) {
        return err_set(err, ERR_FORMAT, "\"%s\" must be a whole number from 0 to %" PRIu64,
                       member->key, max);
    }
    if (member->type == MEMBER_U32) *(uint32_t *)at = (uint32_t)number;
    else *(uint64_t *)at = number;
    return 0;
}

static int read_member(yyjson_val *value, const struct member *member, struct arena *arena,
                       void *at, struct err *err)
{
    switch (member->type) {
    case MEMBER_U32:
    case MEMBER_U64:
        return member_number(value, member, at, err);
    case MEMBER_BOOL:
        if (!yyjson_is_bool(value)) return member_bad_type(member->key, "true or false", err);
        *(bool *)at = yyjson_get_bool(value);
        return 0;
    case MEMBER_TEXT:
        if (!yyjson_is_str(value)) return member_bad_type(member->key, "a string", err);
        *(struct str *)at = arena_copy(arena, json_value(value));
        return 0;
    }
    return 0;
}

int members_read(yyjson_val *object, const struct member *member, struct arena *arena, void *into,
                 uint32_t kind_bit, struct err *err)
{
    for (; member->key; member++) {
        yyjson_val *value = yyjson_obj_get(object, member->key);
        int rc;

        if (!value && (member->always & kind_bit)) {
            return err_set(err, ERR_FORMAT, "\"%s\" is missing", member->key);
        }
        if (!value) continue;
        rc = read_member(value, member, arena, (char *)into + member->offset, err);
        if (rc != 0) return rc;
    }
    return 0;
}

int member_word(yyjson_val *object, const char *key, bool needed, struct str *out, struct err *err)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    *out = json_str(object, key);
    if (!value && needed) return err_set(err, ERR_FORMAT, "\"%s\" is missing", key);
    if (value && !yyjson_is_str(value)) return member_bad_type(key, "a string", err);
    return 0;
}

int member_hash(yyjson_val *object, const char *key, uint64_t *out, struct err *err)
{
    struct str word;
    int rc = member_word(object, key, true, &word, err);

    if (rc != 0) return rc;
    return str_hash(word, out) ? 0 : member_bad_type(key, "16 hexadecimal digits", err);
}

int member_bad_word(const char *key, struct str word, struct err *err)
{
    struct buf shown;
    int rc;

    buf_init(&shown, 64);
    safe_text(&shown, word, true, 40);
    rc = err_set(err, ERR_FORMAT, "\"%s\" cannot be \"%s\"", key, buf_cstr(&shown));
    buf_release(&shown);
    return rc;
}

int member_list(yyjson_val *root, const char *key, yyjson_val **list, uint32_t *count,
                struct err *err)
{
    *list = yyjson_obj_get(root, key);
    *count = 0;
    if (!*list) return 0;
    if (!yyjson_is_arr(*list) || yyjson_arr_size(*list) > UINT32_MAX) {
        return member_bad_type(key, "a list", err);
    }
    *count = (uint32_t)yyjson_arr_size(*list);
    if (*count == 0) *list = NULL;
    return 0;
}
