/* SPDX-License-Identifier: Apache-2.0
 *
 * notices.h - a person is told that a run has ended or waits, as the settings say. */
#ifndef HONE_DRIVE_HEADLESS_NOTICES_H
#define HONE_DRIVE_HEADLESS_NOTICES_H

#include "drive/drive.h"
#include "observe/courier.h"
#include "settings/notify.h"

/* {0} tells nothing. */
struct notices {
    struct arena arena;
    struct notify settings;
    const char *version;
    struct couriers couriers;
    bool asked;          /* the person was told of the question that is open */
};

/* Reads the settings. start: a folder inside the workspace. */
int notices_open(struct notices *notices, const char *start, const char *version, struct err *err);

/* The run asks at the terminal. Never waits. */
void notices_ask(struct notices *notices, struct drive *drive);
/* The question was answered: the next one is news. */
void notices_answered(struct notices *notices);
/* The process leaves a run that it worked on, with this exit code. Waits for a moment. */
void notices_close(struct notices *notices, struct drive *drive, int code);

#endif
