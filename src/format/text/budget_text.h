/* SPDX-License-Identifier: Apache-2.0
 *
 * budget_text.h - a budget as people write it: "usd=5,tokens=2M,time=2h,calls=40". Pure.
 *
 *     usd         dollars, with up to six decimals: 5, 0.50
 *     tokens      a whole number, or with k or M behind it: 500k, 2M
 *     time        a duration: 90s, 15m, 2h
 *     calls       a whole number
 *     when_spent  wait: what runs may end; stop: what runs is ended
 *
 * Any of them, in any order, each once. `none` in place of an amount lifts that limit, and alone it
 * lifts all of them. */
#ifndef HONE_FORMAT_TEXT_BUDGET_TEXT_H
#define HONE_FORMAT_TEXT_BUDGET_TEXT_H

#include "base/buf.h"
#include "base/err.h"
#include "core/budget.h"

/* Changes what the text names, and leaves the rest. ERR_USAGE says which part is wrong, and what it
 * may be; then *budget is as it was. */
int budget_read(struct str text, struct budget *budget, struct err *err);

/* One part: its name and its value. */
int budget_read_part(struct str name, struct str value, struct budget *budget, struct err *err);

/* What budget_read() reads as the same, in the order above; nothing where nothing is limited. */
void budget_write(const struct budget *budget, struct buf *out);

/* An amount for people: $0.50, 1m 30s; 12,500 and 3, or with their unit 12,500 tokens, 3 calls. */
void amount_write(enum budget_part part, uint64_t amount, bool unit, struct buf *out);

#endif
