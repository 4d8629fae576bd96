/* SPDX-License-Identifier: Apache-2.0 */
#include "listing_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct role roles[] = { { .name = "" }, { .name = "critic" }, { .name = "pedant" } };
static const struct phase phases[] = { { .name = "R1" } };
const struct plan listing_plan = { .roles = roles, .role_count = 3, .phases = phases,
                                   .phase_count = 1 };

struct buf written_listing(listing_writer *write, struct listing listing)
{
    struct buf out;

    listing.run = "7k2m";
    listing.version = "1.2.3";
    listing.plan = &listing_plan;
    buf_init(&out, 64 << 20);
    write(&listing, &out);
    assert_false(out.overflow);
    return out;
}

struct buf written(listing_writer *write, const struct ledger_entry *entries, uint32_t count)
{
    struct listing listing = { .run = "" };
    struct buf out;

    for (uint32_t i = 0; i < count; i++) listing_add(&listing, &entries[i]);
    out = written_listing(write, listing);
    listing_release(&listing);
    return out;
}

static yyjson_doc *json_of(struct buf *text)
{
    yyjson_doc *doc;
    struct err err;

    if (json_read(buf_str(text), &doc, &err) != 0) fail_msg("%s", err.text);
    buf_release(text);
    return doc;
}

yyjson_doc *written_listing_json(listing_writer *write, struct listing listing)
{
    struct buf text = written_listing(write, listing);

    return json_of(&text);
}

yyjson_doc *written_json(listing_writer *write, const struct ledger_entry *entries, uint32_t count)
{
    struct buf text = written(write, entries, count);

    return json_of(&text);
}

void expect_text(yyjson_doc *doc, const char *pointer, const char *text)
{
    yyjson_val *value = yyjson_doc_ptr_get(doc, pointer);

    if (!value) fail_msg("nothing at %s", pointer);
    assert_string_equal(yyjson_get_str(value), text);
}

void expect_number(yyjson_doc *doc, const char *pointer, uint64_t number)
{
    yyjson_val *value = yyjson_doc_ptr_get(doc, pointer);

    if (!value) fail_msg("nothing at %s", pointer);
    assert_true(yyjson_is_uint(value));
    assert_int_equal(yyjson_get_uint(value), number);
}

void expect_nothing(yyjson_doc *doc, const char *pointer)
{
    if (yyjson_doc_ptr_get(doc, pointer)) fail_msg("something is at %s", pointer);
}
