/* SPDX-License-Identifier: Apache-2.0
 *
 * transcript.h - what is kept of an attempt: prompt, output and answer, without secrets, each of
 * bounded size. */
#ifndef HONE_DRIVE_TRANSCRIPT_H
#define HONE_DRIVE_TRANSCRIPT_H

#include "base/err.h"
#include "format/secret/mask.h"

enum { TRANSCRIPT_BYTES_MAX = 64 << 20 }; /* of one file */

/* What an attempt may leave in its folder, apart from what is only hone's. */
enum attempt_file { FILE_PROMPT, FILE_ANSWER, FILE_SAID, FILE_REPORT, FILE_STDOUT, FILE_STDERR,
                    FILE_FINDINGS, FILE_CHILDREN, FILE_EVIDENCE, ATTEMPT_FILE_COUNT };
extern const char *const attempt_files[]; /* their names; NULL ends */

/* A set of them, as scratch_holds() gives it. */
#define FILES_ALL UINT32_MAX
#define FILE_BIT(file) (UINT32_C(1) << (file))

/* The line in place of what was left out begins so. */
#define TRANSCRIPT_CUT "[hone left out "

/* When the attempt in this folder has ended: masks and shortens those of its files that are in the
 * set. One that needs neither, or is not there, stays as it is. Any number of times. */
int transcript_settle(const char *dir, uint32_t files, const struct mask *mask, struct err *err);

#endif
