/* SPDX-License-Identifier: Apache-2.0
 *
 * supervised.h - a scene for tests of the supervisor: a folder, a supervisor, and agents.
 *
 * Agents are shell scripts or this test program itself, started again with a part to play
 * (stage_play). An agent that has something to say before it ends says it on the stage's FIFO,
 * so that a test waits for a descriptor and not for a time. */
#ifndef HONE_TESTS_SUPERVISED_H
#define HONE_TESTS_SUPERVISED_H

#include "io/process/supervisor.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { STAGE_PATH_BYTES = 256, STAGE_WAIT_MS = 30000 };

struct stage {
    char folder[STAGE_PATH_BYTES];
    int talk_fd; /* what agents say on $STAGE_TALK */
    struct supervisor supervisor;
};

int stage_open(void **state);  /* cmocka set-up and tear-down: *state is a struct stage */
int stage_close(void **state);

/* A path in the folder; valid until the eighth call behind this one. */
const char *stage_path(const struct stage *stage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void stage_write(const struct stage *stage, const char *name, const char *text);
char *stage_read(const struct stage *stage, const char *name); /* free() it; "" when missing */
uint64_t stage_size(const struct stage *stage, const char *name);

/* An attempt with files ID.out, ID.err, ID.status in the folder, an empty prompt, a grace of a
 * minute and no limits. argv and env are the caller's. */
struct spawn stage_spawn(const struct stage *stage, uint64_t id, const char *const *argv);
void stage_start(struct stage *stage, const struct spawn *spawn);
void stage_shell(struct stage *stage, uint64_t id, const char *script);
struct notice stage_notice(struct stage *stage); /* waits for it */
void stage_expect(struct stage *stage, uint64_t id, enum ended_by by, int value);
void stage_expect_text(const struct stage *stage, const char *name, const char *text);
void stage_expect_status(const struct stage *stage, const char *name, enum ended_by by, int value);
void stage_expect_no_status(const struct stage *stage, const char *name);

/* Waits for `count` numbers on the FIFO: pids, mostly. */
void stage_listen(const struct stage *stage, pid_t *out, uint32_t count);
void stage_wait_readable(int fd);

uint32_t open_descriptors(pid_t pid);
bool is_alive(pid_t pid);

/* The parts. Returns only when the arguments are not a part: main() calls it first. */
void stage_play(int argc, char **argv);
const char *stage_self(void); /* this program */

#endif
