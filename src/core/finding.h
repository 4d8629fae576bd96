/* SPDX-License-Identifier: Apache-2.0
 *
 * finding.h - one thing a reviewer found, in the words every dialect shares. */
#ifndef HONE_CORE_FINDING_H
#define HONE_CORE_FINDING_H

#include "base/arena.h"
#include "base/str.h"

#include <stdint.h>

/* Three ranks serve all dialects: info/warning/critical, LOW/MEDIUM/HIGH, MINOR/-/CRITICAL. */
enum severity { SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH, SEVERITY_COUNT };

struct finding {
    enum severity severity;
    struct str source;     /* the role that found it */
    struct str tool;       /* of a program that is no model: its name; several have ", " between */
    struct str kind;       /* its category or rule; may be empty, as all below */
    struct str file;       /* as given: not yet trusted as a path */
    uint32_t line, column;         /* from 1; 0 where there is none. Columns count bytes */
    uint32_t end_line, end_column; /* behind the last byte; 0 where only the beginning is known */
    struct str text;
    struct str evidence;
    struct str suggestion;
    struct str fix;        /* edits that a machine can make, as format/report/fix.h has them */
    struct str say;        /* a person's word for the fixer (hone fix --say); no reviewer has one */
    uint64_t fingerprint;  /* finding_fingerprint(), set where the finding is made */
};

/* The same for the same complaint about the same file: line numbers do not count, nor the case and
 * the spacing: digits count as one digit, blanks as one blank. */
uint64_t finding_fingerprint(const struct finding *finding);

/* The same for the same evidence; 0 where there is none. Here digits count, but for a line number
 * in front of a line. Where it differs, equal complaints about two lines are two findings. */
uint64_t evidence_fingerprint(const struct finding *finding);

/* A copy whose texts live in arena. */
struct finding finding_copy(const struct finding *finding, struct arena *arena);

#endif
