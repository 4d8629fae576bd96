/* SPDX-License-Identifier: Apache-2.0
 *
 * budget_text.c - a budget read from what a person wrote, and written.
 *
 * 1. A limit of nothing is refused: it could mean that all is allowed, or that nothing is.
 * 2. A part that is there twice is refused: two readers could take different ones.
 * 3. What is written reads as the same: whole seconds of time, all six decimals that matter.
 *
 * Amounts are bounded so that a thousand of them can be added up. */
#include "format/text/budget_text.h"

#include "base/clock.h"
#include "base/duration.h"

#include <inttypes.h>

#define MICROS UINT64_C(1000000)
#define USD_MAX UINT64_C(1000000000)
#define COUNT_MAX UINT64_C(1000000000000)

enum { DECIMALS_MAX = 6, SHOWN_MAX = 40 };

static const struct {
    const char *word, *wanted;
} parts[BUDGET_PART_COUNT] = {
    [BUDGET_USD] = { "usd", "dollars, such as 5 or 0.50" },
    [BUDGET_TOKENS] = { "tokens", "a whole number, such as 500k or 2M" },
    [BUDGET_TIME] = { "time", "a duration, such as 90s, 15m or 2h" },
    [BUDGET_CALLS] = { "calls", "a whole number, such as 40" },
};

static const char when_spent[] = "when_spent";

/* ---- reading ---- */

static bool read_usd(struct str text, uint64_t *micros)
{
    struct str rest = text, whole;
    uint64_t dollars = 0, scale = MICROS, fraction = 0;
    bool dotted = str_has(text, '.');

    if (!str_cut(&rest, '.', &whole) || !str_number(whole, &dollars)) return false;
    if (dollars > USD_MAX || rest.size > DECIMALS_MAX || (dotted && rest.size == 0)) return false;
    if (dotted && !str_number(rest, &fraction)) return false;
    for (size_t i = 0; i < rest.size; i++) scale /= 10;
    *micros = dollars * MICROS + fraction * scale;
    return true;
}

static bool read_count(struct str text, bool suffixed, uint64_t *count)
{
    uint64_t scale = 1;

    if (suffixed && str_ends(text, STR("k"))) scale = 1000;
    if (suffixed && str_ends(text, STR("M"))) scale = 1000000;
    if (scale > 1) text.size--;
    if (!str_number(text, count) || *count > COUNT_MAX / scale) return false;
    *count *= scale;
    return true;
}

static bool read_amount(enum budget_part part, struct str text, uint64_t *amount)
{
    switch (part) {
    case BUDGET_USD:
        return read_usd(text, amount);
    case BUDGET_TOKENS:
        return read_count(text, true, amount);
    case BUDGET_TIME:
        return duration_read(text, amount);
    case BUDGET_CALLS:
        return read_count(text, false, amount);
    case BUDGET_PART_COUNT:
        break;
    }
    return false;
}

static int read_limit(enum budget_part part, struct str value, struct budget *budget,
                      struct err *err)
{
    uint64_t amount = 0;

    if (!str_is(value, "none") && (!read_amount(part, value, &amount) || amount == 0)) {
        return err_set(err, ERR_USAGE, "%s must be %s, or none for no limit; not '%.*s'",
                       parts[part].word, parts[part].wanted,
                       value.size < SHOWN_MAX ? (int)value.size : SHOWN_MAX, value.data);
    }
    budget->limit.of[part] = amount;
    return 0;
}

int budget_read_part(struct str name, struct str value, struct budget *budget, struct err *err)
{
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        if (str_is(name, parts[i].word)) {
            return read_limit((enum budget_part)i, value, budget, err);
        }
    }
    if (!str_is(name, when_spent)) {
        return err_set(err, ERR_USAGE, "a budget has usd, tokens, time, calls and when_spent, as "
                       "in 'usd=5,calls=40'; not '%.*s'",
                       name.size < SHOWN_MAX ? (int)name.size : SHOWN_MAX, name.data);
    }
    if (!str_is(value, "wait") && !str_is(value, "stop")) {
        return err_set(err, ERR_USAGE, "when_spent must be wait (what runs may end) or stop (what "
                       "runs is ended)");
    }
    budget->stop = str_is(value, "stop");
    return 0;
}

int budget_read(struct str text, struct budget *budget, struct err *err)
{
    struct budget read = *budget;
    struct str rest = text, piece, name, seen[BUDGET_PART_COUNT + 1];
    uint32_t count = 0;

    if (str_is(text, "none")) {
        budget->limit = (struct amounts){ 0 };
        return 0;
    }
    do {
        if (!str_cut(&rest, ',', &piece)) piece = (struct str){ "", 0 };
        if (!str_cut(&piece, '=', &name)) name = (struct str){ "", 0 };
        for (uint32_t i = 0; i < count; i++) {
            if (!str_eq(seen[i], name)) continue;
            return err_set(err, ERR_USAGE, "%.*s is there twice", STR_ARG(name));
        }
        if (budget_read_part(name, piece, &read, err) != 0) return (int)err->code;
        seen[count++] = name; /* it has room: each known name comes once */
    } while (rest.size > 0);
    if (str_ends(text, STR(","))) {
        return budget_read_part((struct str){ "", 0 }, rest, &read, err);
    }
    *budget = read;
    return 0;
}

/* ---- writing ---- */

static void write_usd(uint64_t micros, uint32_t decimals_min, struct buf *out)
{
    uint64_t fraction = micros % MICROS;
    uint32_t decimals = DECIMALS_MAX;

    for (; decimals > decimals_min && fraction % 10 == 0; decimals--) fraction /= 10;
    buf_printf(out, "%" PRIu64, micros / MICROS);
    if (decimals > 0) buf_printf(out, ".%0*" PRIu64, (int)decimals, fraction);
}

void budget_write(const struct budget *budget, struct buf *out)
{
    const uint64_t *limit = budget->limit.of;
    char span[DURATION_BYTES];

    if (!budget_has_limit(budget)) return;
    for (uint32_t i = 0, said = 0; i < BUDGET_PART_COUNT; i++) {
        if (limit[i] == 0) continue;
        buf_printf(out, "%s%s=", said++ ? "," : "", parts[i].word);
        if (i == BUDGET_USD) {
            write_usd(limit[i], 0, out);
        } else if (i == BUDGET_TIME) {
            buf_text(out, duration_text(limit[i] < 1000 ? 1000 : limit[i], span));
        } else {
            buf_printf(out, "%" PRIu64, limit[i]);
        }
    }
    if (budget->stop) buf_printf(out, ",%s=stop", when_spent);
}

static void write_grouped(uint64_t number, struct buf *out)
{
    if (number >= 1000) {
        write_grouped(number / 1000, out);
        buf_printf(out, ",%03" PRIu64, number % 1000);
    } else {
        buf_printf(out, "%" PRIu64, number);
    }
}

void amount_write(enum budget_part part, uint64_t amount, bool unit, struct buf *out)
{
    char span[CLOCK_SPAN_BYTES];

    switch (part) {
    case BUDGET_USD:
        buf_byte(out, '$');
        write_usd(amount, 2, out);
        break;
    case BUDGET_TIME:
        buf_text(out, clock_span(amount, span));
        break;
    case BUDGET_TOKENS:
    case BUDGET_CALLS:
        write_grouped(amount, out);
        if (unit) buf_text(out, part == BUDGET_TOKENS ? " token" : " call");
        if (unit && amount != 1) buf_byte(out, 's');
        break;
    case BUDGET_PART_COUNT:
        break;
    }
}
