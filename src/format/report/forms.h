/* SPDX-License-Identifier: Apache-2.0
 *
 * forms.h - the forms that the findings of a run are written in, for services and programs: a row
 * each. What is in a form is the same, whichever verb writes it. */
#ifndef HONE_FORMAT_REPORT_FORMS_H
#define HONE_FORMAT_REPORT_FORMS_H

#include "format/report/listing.h"

struct form {
    const char *name;
    const char *help;
    const char *states;       /* what it has where the user does not say; NULL: all */
    bool story;               /* it tells the run, too: listing->story (run/listed.h) */
    uint32_t most;            /* so many findings at most, the worst; 0: all, or as many as fit */
    bool fixes;               /* it has listing.fixes in it */
    bool source;              /* and listing.source */
    void (*write)(const struct listing *listing, struct buf *out);
};

extern const struct form forms[]; /* name NULL ends */

/* The worst of the items, as many as the form has room for, in its order; the others are counted as
 * left out. */
void form_arrange(const struct form *form, struct listing *listing);
/* NULL: there is none of that name. */
const struct form *form_find(const char *name);

#endif
