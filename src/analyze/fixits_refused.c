/* SPDX-License-Identifier: Apache-2.0
 *
 * fixits_refused.c - fixes that broke something, remembered for the rest of the run.
 *
 * The file fixits-refused in the run's folder has an identity (patch.h) in each line, 16 digits.
 * It is no more than a help: without it a bad fix is tried and taken back once more in each round.
 * So a file that is damaged is ignored, with a word, and replaced when there is something new. */
#include "analyze/fixits.h"

#include "base/mem.h"
#include "format/text/safe.h"
#include "io/file/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 17, REFUSED_MAX = 100000 };

static const char file_name[] = "fixits-refused";

static void say(const char *what, const struct err *err)
{
    struct buf safe;

    buf_init(&safe, ERR_TEXT_BYTES * 4);
    safe_text(&safe, str_of(err->text), true, 0);
    fprintf(stderr, "fixits: %s: %s\n", what, buf_cstr(&safe));
    buf_release(&safe);
}

/* The place of an identity in the list, where it is or where it belongs. */
static uint32_t place_of(const struct fixits *fixits, uint64_t identity)
{
    uint32_t low = 0, high = fixits->refused_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (fixits->refused[middle] < identity) low = middle + 1;
        else high = middle;
    }
    return low;
}

void fixits_refuse(struct fixits *fixits, uint64_t identity)
{
    uint32_t at = place_of(fixits, identity);

    if (at < fixits->refused_count && fixits->refused[at] == identity) return;
    if (fixits->refused_count == REFUSED_MAX) return;
    fixits->refused = mem_grow(fixits->refused, fixits->refused_count, &fixits->refused_cap,
                               sizeof *fixits->refused);
    memmove(fixits->refused + at + 1, fixits->refused + at,
            (fixits->refused_count - at) * sizeof *fixits->refused);
    fixits->refused[at] = identity;
    fixits->refused_count++;
}

void fixits_recall(struct fixits *fixits)
{
    struct str rest, line;
    struct err err = { 0 };
    struct buf text;
    uint64_t identity;
    int rc;

    if (!fixits->folder) return;
    buf_init(&text, (size_t)LINE_BYTES * REFUSED_MAX);
    rc = scratch_read(fixits->folder, file_name, &text, &err);
    rest = buf_str(&text);
    if (rc == 0 && (!str_ends(rest, STR("\n")) || rest.size % LINE_BYTES != 0)) {
        rc = err_set(&err, ERR_FORMAT, "it is damaged");
    }
    while (rc == 0 && str_cut(&rest, '\n', &line)) {
        if (str_hash(line, &identity)) fixits_refuse(fixits, identity);
        else rc = err_set(&err, ERR_FORMAT, "it is damaged");
    }
    if (rc != 0 && rc != ERR_MISSING) {
        fixits->refused_count = 0;
        fixits->refused_damaged = true;
        say("the list of fixes that were refused is ignored", &err);
    }
    buf_release(&text);
}

void fixits_remember(struct fixits *fixits)
{
    struct err err;
    struct buf text;

    if (!fixits->folder) return;
    buf_init(&text, (size_t)LINE_BYTES * REFUSED_MAX);
    for (uint32_t i = 0; i < fixits->refused_count; i++) {
        buf_printf(&text, "%016" PRIx64 "\n", fixits->refused[i]);
    }
    if (scratch_replace(fixits->folder, file_name, buf_str(&text), &err) != 0) {
        say("the list of fixes that were refused cannot be kept", &err);
    }
    buf_release(&text);
}
