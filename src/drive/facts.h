/* SPDX-License-Identifier: Apache-2.0
 *
 * facts.h - what is known of an attempt's end, gathered for outcome.h. */
#ifndef HONE_DRIVE_FACTS_H
#define HONE_DRIVE_FACTS_H

#include "drive/outcome.h"
#include "drive/rounds.h"

/* The facts of one attempt, and what holds their texts. */
struct gathered {
    struct facts facts;
    struct arena arena;
    struct buf answer, report;
    struct round_tree tree;
};

/* What is known without reading a file: which agent plays, for what, and how its process ended. */
void facts_begin(struct gathered *gathered, const struct drive *drive, const struct live *live,
                 const struct notice *notice);
/* What its stream tells, where it has one; and what runs used that it started. */
void facts_stream(struct gathered *gathered, struct drive *drive, struct live *live);
/* Its last words and its answer, as far as they decide, from the attempt's folder. */
void facts_answer(struct gathered *gathered, struct live *live);
/* Whether a sandbox made it fail. Not in playback: the sandbox of then is gone. */
void facts_cage(struct gathered *gathered, struct drive *drive, const struct live *live);
/* An answer that is at hand: a dialect's, or findings. */
void facts_say(struct gathered *gathered, struct str answer, bool findings);
/* The tree, where the dialect judges by it and there is an answer to be judged. Not in playback:
 * the tree of then is gone. */
int facts_tree(struct gathered *gathered, struct drive *drive, const struct live *live);
void facts_release(struct gathered *gathered);

/* The event that the facts make; it is complete. */
void facts_event(const struct gathered *gathered, struct pending *out, struct str *counted);

#endif
