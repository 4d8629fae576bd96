/* SPDX-License-Identifier: Apache-2.0
 *
 * ask.h - a run that waits for a person: what is asked, and what was answered. */
#ifndef HONE_DRIVE_ASK_H
#define HONE_DRIVE_ASK_H

#include "drive/drive.h"

/* A question for a person, with what may be chosen. */
struct dialog {
    const char *text; /* above the choices; whole lines */
    struct dialog_row {
        const char *word, *meaning; /* a word without a meaning is not shown, and must be whole */
        uint32_t choice;
    } rows[CHOICE_COUNT + 1];
    uint32_t count;
    const char *hint; /* said where a line is none of them; or "" */
};

/* Asks at the terminal, until a line is one of the words or the beginning of only one. False: no
 * answer was given. signal_fd: readable where a signal came. */
bool dialog_ask(const struct dialog *dialog, int signal_fd, uint32_t *chosen);

/* Puts the open question to the person at the run; false where none can be asked, or none answers.
 * Else the answer is queued and the run goes on. */
bool ask_person(struct drive *drive);
/* The gravest of what is open in a lane, a line each, harmless; and how many more there are. */
void ask_open(const struct run *run, uint32_t lane, struct buf *out);
/* Queues the answer; `continue` is one for a run that is stuck, too. ERR_USAGE where nothing is
 * asked, or that cannot be chosen. */
int ask_answer(struct drive *drive, enum choice choice);
int ask_check(struct drive *drive, enum choice choice); /* whether that would be taken */
/* The word for a choice, or one that means the same (proceed: accept). */
bool choice_parse(struct str word, enum choice *out);

#endif
