/* SPDX-License-Identifier: Apache-2.0
 *
 * proof.h - proof of reading: the change that a reviewer judges, and what shows that it was
 * read. */
#ifndef HONE_DRIVE_PROOF_H
#define HONE_DRIVE_PROOF_H

#include "drive/facts.h"

/* Gathers, of a reviewer: what it was shown, by its stream, by the file HONE_EVIDENCE, or by sights
 * that are at hand (NULL: none are), and the files of the change that nothing shows it looked at.
 * Leaves with the attempt which it looked at. Between facts_stream() and facts_answer(). */
int facts_proof(struct gathered *gathered, struct drive *drive, struct live *live,
                const struct sights *at_hand);

/* Whether the change that is judged touches one of these patterns, one in a line; true where that
 * cannot be told. The tree of the review must have been kept (watch.h). */
int change_touches(struct drive *drive, const struct live *live, const char *patterns, bool *out);

#endif
