/* SPDX-License-Identifier: Apache-2.0
 *
 * acts.h - what a person does on the page: each act is a verb of hone as a process of its own. */
#ifndef HONE_SERVE_UI_ACTS_H
#define HONE_SERVE_UI_ACTS_H

#include "base/err.h"

#include <stdint.h>

struct site;
struct act;

/* Those that are at work. {0} is empty. */
struct acts {
    struct act *first;
    uint32_t count;
};

#endif
