/* SPDX-License-Identifier: Apache-2.0
 *
 * spending.h - what a run has used of its budget, as words and as JSON. */
#ifndef HONE_REPORT_SPENDING_H
#define HONE_REPORT_SPENDING_H

#include "core/engine.h"
#include "format/json/json.h"

/* In all of these more_ms is time that went by since the last event of a run that is at work. */

/* "budget": limit, spent, reserved and left of each part; null where there is no limit. */
void spending_json(const struct engine *engine, uint64_t more_ms, yyjson_mut_doc *doc,
                   yyjson_mut_val *root);

/* "$1.20, 12,500 tokens, 3m 2s, 8 calls": what was used; money and tokens where any were. */
void spending_sum(const struct engine *engine, uint64_t more_ms, struct buf *out);

/* "$1.20 of $5.00 spent, $0.30 reserved, $3.50 left"; false where the part has no limit. */
bool spending_line(const struct engine *engine, uint64_t more_ms, enum budget_part part,
                   struct buf *out);

/* How much of the part is used up, in thousandths, 1000 at most; false: it has no limit. */
bool spending_share(const struct engine *engine, uint64_t more_ms, enum budget_part part,
                    uint32_t *out);

/* What to ask for so that a run can go on whose budget is spent: "usd=10,calls=80". */
void spending_more(const struct engine *engine, struct buf *out);

#endif
