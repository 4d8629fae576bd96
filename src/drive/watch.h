/* SPDX-License-Identifier: Apache-2.0
 *
 * watch.h - the tree that a review judges, kept and compared. */
#ifndef HONE_DRIVE_WATCH_H
#define HONE_DRIVE_WATCH_H

#include "drive/drive.h"
#include "run/site.h"

enum watch_verdict {
    WATCH_SAME,    /* the tree is the one the review began with */
    WATCH_CHANGED, /* a reviewer changed it */
    WATCH_DRIFTED, /* another program or person did; the tree as it is is judged from now on */
    WATCH_WILD,    /* another program or person changes it again and again */
};

/* Whether an agent in it only reads, and is to change nothing. */
bool has_reader(const struct drive *drive, const struct batch *batch);
/* Remembers the tree before the lane's review; called before each of its attempts. */
int watch_begin(struct drive *drive, const struct lane *lane);
/* What was judged on the kept tree of this review does not count: it is kept no more. */
int watch_void(struct drive *drive, uint32_t job);
/* Of a past that was not watched: the tree as it is counts as the one that was judged. */
int watch_adopt(struct drive *drive, const struct lane *lane);
/* Of findings that were given when the run began: the tree before their repair is the one that they
 * are about, as far as the run knows. */
int watch_given(struct drive *drive, const struct lane *lane);
/* Compares. *what is a text that names the changes. */
int watch_look(struct drive *drive, struct site *site, struct arena *arena,
               enum watch_verdict *verdict, const char **what);
/* Makes the tree what it was; keep_dir gets the versions that are replaced. No agent may
 * be at work in it. */
int watch_put_back(struct drive *drive, struct site *site, const char *keep_dir,
                   struct arena *arena, const char **what);
/* On resume: whether the tree is still the one that the lane's review judges. */
int watch_resume(struct drive *drive, const struct lane *lane, bool *drifted);
const char *tree_name(struct arena *arena, uint32_t job); /* of the review that began with job */
const char *delta_text(const struct tree_delta *delta, struct arena *arena);

/* The tree that the run keeps under a name, against another one of the lane: now, or, where that is
 * NULL, its workspace as it is. */
struct kept_delta {
    bool known; /* else no such tree is kept any more, and the rest is empty */
    struct tree then, now; /* now: of the workspace; else empty */
    struct tree_delta delta;
};
int watch_kept(struct drive *drive, const struct site *site, const char *name, struct tree *now,
               struct kept_delta *out); /* kept_release() is due in any case */
void kept_release(struct kept_delta *kept);
/* A repair has ended with this tree. The lane's next review begins with it, if it begins in this
 * turn and the tree is so large that a second reading would cost something. Takes kept->now. */
void watch_hand_on(const struct drive *drive, struct site *site, struct kept_delta *kept);

/* Whether the tree is the one that the lane's last review judged; *what names the changes. */
int watch_still(struct drive *drive, const struct lane *lane, struct arena *arena, bool *same,
                const char **what);
/* When the run ends and a task's lane is stuck: its tree is kept, so that a resume can tell whether
 * the user has changed it since. */
int rest_keep(struct drive *drive, const struct lane *lane);

#endif
