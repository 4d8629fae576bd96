/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.h - what the measuring programs share. A figure is a ratio of two things measured in the
 * same run, printed beside what it should stay under; nothing fails because it was slow. */
#ifndef HONE_TESTS_BENCH_H
#define HONE_TESTS_BENCH_H

#include "dialect/dialect.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

uint64_t now_ns(void);

/* A new folder below TMPDIR with a git repository of `files` committed files in it; the current
 * directory afterwards. bench_clean() removes it. */
const char *bench_repo(uint32_t files);
void bench_clean(void);

/* Starts argv as it is, with in and out as its standard input and output; NULL: /dev/null. */
pid_t bench_spawn(const char *const *argv, const char *in, const char *out);
int bench_wait(pid_t pid);
int bench_run(const char *const *argv); /* both; its standard error is dropped too */

/* name, got and wanted in one line; whether less or more is better. */
void bench_less(const char *name, double got, double wanted, const char *unit);
void bench_more(const char *name, double got, double wanted, const char *unit);

/* A dialect made for measuring: `reviewers` agents at a gate that never passes, `rounds` times. It
 * stands in for the table of dialects in the programs that use it. */
extern uint32_t bench_reviewers, bench_rounds;

/* Runs it here, with COMMAND for every agent; returns the exit code. */
int bench_headless(const char *start, const char *command);

#endif
