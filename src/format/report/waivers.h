/* SPDX-License-Identifier: Apache-2.0
 *
 * waivers.h - findings that people have decided to leave, in a file that is committed:
 *
 *     - id: 5c3f0a1b2c3d4e5f
 *       file: "src/sum.c"
 *       line: 12
 *       severity: medium
 *       text: "the sum may overflow"
 *       code: 00c0ffee00c0ffee
 *       reason: "at most 100 items are added"
 *       owner: "Ada"
 *       until: 2027-06-30
 *       made: 2026-11-16
 *
 * An entry is about one finding and about the code at its place: where that changed, the entry
 * holds no more. Whether an entry counts in a run is said in run/waived.h. Pure: texts in, texts
 * out. */
#ifndef HONE_FORMAT_REPORT_WAIVERS_H
#define HONE_FORMAT_REPORT_WAIVERS_H

#include "base/arena.h"
#include "base/err.h"
#include "core/finding.h"

#define WAIVERS_PATH ".hone/waivers.yaml"

enum { WAIVERS_BYTES_MAX = 1 << 20, WAIVERS_MAX = 4096, WAIVER_TEXT_BYTES_MAX = 8 << 10 };

struct waiver_entry {
    struct str id;
    struct str file, text, tool, rule; /* of the finding; file, tool and rule may be empty */
    uint32_t line;                     /* 0: there is none */
    enum severity severity;
    uint64_t code;                     /* waiver_code() of its place when it was made */
    bool grave;                        /* a person accepts it though it is grave */
    struct str reason, owner;
    struct str until, made;            /* days (base/clock.h); no until: for good */
    uint32_t first, last;              /* its lines in the file of waivers, from 1 */
};

/* {0} is an empty one. All of it lives in an arena. */
struct waivers {
    struct waiver_entry *items;
    uint32_t count, cap;
};

/* ERR_FORMAT, ".hone/waivers.yaml:LINE: ...", for what is no list of such entries, an entry without
 * one of id, severity, text, code, reason, owner and made, a key that is not known or stands twice,
 * an id that stands twice. An empty text is an empty list. */
int waivers_read(struct str text, struct arena *arena, struct waivers *out, struct err *err);
const struct waiver_entry *waivers_find(const struct waivers *waivers, struct str id); /* or NULL */

/* The text with one entry more behind all others; what is there stays as it is, byte for byte. */
void waivers_append(struct str text, const struct waiver_entry *entry, struct buf *out);
/* The text without the lines of one of its entries. Comments stay. */
void waivers_cut(struct str text, const struct waiver_entry *entry, struct buf *out);

/* What an entry decides, as a text of its own: equal texts decide the same. Reason, owner and the
 * day on which it was made decide nothing. */
void waiver_decision(const struct waiver_entry *entry, struct buf *out);

/* A hash of the line and of the two before and behind it, blank lines left out and blanks between
 * words counted as one; of the whole file where line is 0. 0: there is no such line. */
uint64_t waiver_code(struct str content, uint32_t line);
/* Whether that code is still there: *line is where, nearest to what it was before. */
bool waiver_code_is_there(struct str content, uint64_t code, uint32_t *line);

#endif
