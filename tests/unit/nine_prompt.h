/* SPDX-License-Identifier: Apache-2.0
 *
 * nine_prompt.h - prompts of an iterate run, and what holds for all of them. */
#ifndef HONE_TESTS_NINE_PROMPT_H
#define HONE_TESTS_NINE_PROMPT_H

#include "nine_scene.h"

#define OUTPUT "/hone/out/1.answer"
#define OPEN "===== data " NINE_FENCE " =====\n"
#define CLOSE "===== end of data " NINE_FENCE " =====\n"

/* The prompt for an action, which must keep the laws: valid text below 1 MiB, quotes that open and
 * close in turn, and nothing that could be read as a review. Lives as long as the scene. */
const char *nine_prompt_with(struct nine *nine, struct action action, struct str problem);
/* The same for the first running job of the role. */
const char *nine_prompt(struct nine *nine, const char *role);

void nine_expect(const char *text, const char *part);
void nine_expect_not(const char *text, const char *part);

#endif
