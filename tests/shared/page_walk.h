/* SPDX-License-Identifier: Apache-2.0
 *
 * page_walk.h - a page of hone's HTML report, read by a strict reader of XML: whether all markup in
 * it is the writer's, and what its text says. */
#ifndef HONE_TESTS_SHARED_PAGE_WALK_H
#define HONE_TESTS_SHARED_PAGE_WALK_H

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>

/* What those that wrote names and texts of a run put into each of them. */
#define PAGE_INTRUDER "intruder"

/* False: the page is not whole, has an element or an attribute that the writer never makes, a value
 * with PAGE_INTRUDER in it, a link that leaves the page, or an id twice; *why says which. text gets
 * what stands between tags, but for style: each element's on lines of its own. */
bool page_walk(struct str page, struct buf *text, struct buf *why);

#endif
