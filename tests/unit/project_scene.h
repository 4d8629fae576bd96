/* SPDX-License-Identifier: Apache-2.0
 *
 * project_scene.h - a workspace as a project, and what a test wants to know of it. */
#ifndef HONE_TESTS_PROJECT_SCENE_H
#define HONE_TESTS_PROJECT_SCENE_H

#include "analyze/project.h"
#include "ground.h"

/* The files, and no further; with flags; with includes. All must succeed. */
void scene_list(struct project *project, const struct ground *ground, const char *since);
void scene_flags(struct project *project, const struct ground *ground, const char *since);
void scene_includes(struct project *project, const struct ground *ground, const char *since);

/* A source that must be there. */
const struct source *scene_source(const struct project *project, const char *path);

/* "path path", in order: all; those that are wanted; those that a unit includes. */
void expect_sources(const struct project *project, const char *expected);
void expect_wanted(const struct project *project, const char *expected);
void expect_includes(const struct project *project, const char *path, const char *expected);

/* Its flags, a blank between two. */
void expect_flags(const struct project *project, const char *path, const char *expected);

void expect_words(const struct err *err, const char *words); /* are in the message */

#endif
