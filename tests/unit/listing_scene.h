/* SPDX-License-Identifier: Apache-2.0
 *
 * listing_scene.h - a few findings, written down and read back, for the tests of the writers. */
#ifndef HONE_TESTS_UNIT_LISTING_SCENE_H
#define HONE_TESTS_UNIT_LISTING_SCENE_H

#include "format/json/json.h"
#include "format/report/listing.h"

enum { ROLE_CRITIC = 1, ROLE_PEDANT = 2 };

typedef void listing_writer(const struct listing *listing, struct buf *out);

/* A plan with the roles above and a phase R1. */
extern const struct plan listing_plan;

/* What the writer makes of these entries, in their order; release it. */
struct buf written(listing_writer *write, const struct ledger_entry *entries, uint32_t count);

/* What it makes of a listing, under the name of the run and the plan of these tests. */
struct buf written_listing(listing_writer *write, struct listing listing);

/* The same as a document, which must be valid JSON; and a value in it, by a pointer such as
 * "/runs/0/results". */
yyjson_doc *written_listing_json(listing_writer *write, struct listing listing);
yyjson_doc *written_json(listing_writer *write, const struct ledger_entry *entries,
                         uint32_t count);
void expect_text(yyjson_doc *doc, const char *pointer, const char *text);
void expect_number(yyjson_doc *doc, const char *pointer, uint64_t number);
void expect_nothing(yyjson_doc *doc, const char *pointer);

#endif
