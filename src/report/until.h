/* SPDX-License-Identifier: Apache-2.0
 *
 * until.h - what there is to say of a run whose gates have a policy: who looked, what is expected
 * to be left, what one more look would cost. */
#ifndef HONE_REPORT_UNTIL_H
#define HONE_REPORT_UNTIL_H

#include "format/json/json.h"
#include "run/run.h"

/* A line for each gate that has looked; nothing where no gate has a policy. */
void until_say(const struct run *run, struct buf *out);
/* The same as a member, "until": an object for the gate that looked last. */
void until_json(const struct run *run, yyjson_mut_doc *doc, yyjson_mut_val *root);

#endif
