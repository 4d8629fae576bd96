/* SPDX-License-Identifier: Apache-2.0
 *
 * made_look.h - format/text/made.h with the files at hand. Private to analyze/. */
#ifndef HONE_ANALYZE_MADE_LOOK_H
#define HONE_ANALYZE_MADE_LOOK_H

#include "base/text_map.h"
#include "format/text/made.h"

/* {0} with a workspace is good; .gitattributes files are read when a file of their folder is first
 * asked for, as text: git is not asked, nothing is run. */
struct made_look {
    const char *workspace;
    struct arena arena;
    struct made_rules rules;
    struct text_map folders; /* those whose .gitattributes was looked for */
};

enum made made_look(struct made_look *look, struct str path, struct str head);
void made_look_release(struct made_look *look);

#endif
