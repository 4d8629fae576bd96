/* SPDX-License-Identifier: Apache-2.0
 *
 * crew.c - many short programs, some at once, in one poll loop.
 *
 * A place is a seat for one running job: its process and the two pipes it talks into. Jobs take
 * places in their order; when a job ends, the next one takes its place.
 *
 *            program runs             process ended
 *   EMPTY ------------------> TAKEN ----------------> drained, reaped, done() ---> EMPTY
 *     |                                                 ^
 *     '-------- could not start: error says why --------'
 *
 * 1. A job is over when its process has ended and its pipes are empty; not when they are closed:
 *    something it left in the background may hold them for ever.
 * 2. Everything a program says is read, so that none waits for us; what exceeds its bound is
 *    dropped. Outputs grow by what came: a thousand silent jobs cost nothing.
 * 3. Where there is no pipe or process left for one more, it waits until another has ended. That
 *    is an error only when none is running.
 *
 * 4. A job that takes longer than its ms_max is killed with all below it, and is over as any other.
 *
 * Not here: limits on memory and on all jobs together (the supervisor above us has them). */
#include "io/process/crew.h"

#include "base/mem.h"
#include "io/file/file.h"
#include "io/process/family.h"
#include "io/process/spawn.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

enum {
    AT_ONCE_MAX = 256,     /* places; three descriptors each */
    POLLED = 3,            /* of a place: out, err, the process */
};

struct crew_place {
    struct crew_job *job; /* NULL: empty */
    pid_t pid;
    int pid_fd, out_fd, err_fd;
    uint64_t end_ms; /* when it is killed; 0: never */
};

struct crew {
    struct crew_place *places;
    struct pollfd *polled; /* POLLED for each place */
    uint32_t place_count, taken;
    struct crew_job *next, *end; /* jobs that wait */
    int null_fd;
    char *piece; /* READ_BYTES */
    void (*done)(void *context, struct crew_job *job);
    void *context;
};

/* ---- one place ---- */

/* Reads once; false when there is nothing for now, or never again. */
static bool piece_read(struct crew *crew, int *fd, struct buf *out, bool *cut)
{
    size_t room = out->limit - out->size, got;
    bool more = pipe_read(fd, crew->piece, READ_BYTES, &got);

    if (got > room) *cut = true;
    if (got > 0) buf_add(out, (struct str){ crew->piece, got > room ? room : got });
    return more;
}

static void pipe_drain(struct crew *crew, int *fd, struct buf *out, bool *cut)
{
    for (int i = 0; i < DRAIN_READS_MAX && *fd >= 0; i++) {
        if (!piece_read(crew, fd, out, cut)) break;
    }
    fd_close(fd);
}

static void place_leave(struct crew *crew, struct crew_place *place)
{
    struct crew_job *job = place->job;
    int status = 0;

    pipe_drain(crew, &place->out_fd, &job->out, &job->cut);
    pipe_drain(crew, &place->err_fd, &job->err, &job->cut);
    fd_close(&place->pid_fd);
    job->status = -1;
    if (program_wait(place->pid, &status) == 0) {
        if (WIFEXITED(status)) job->status = WEXITSTATUS(status);
        else job->signal = WTERMSIG(status);
    }
    place->job = NULL;
    place->end_ms = 0;
    crew->taken--;
    if (crew->done) crew->done(crew->context, job);
}

/* An errno value when it could not be started. */
static int place_start(struct crew *crew, struct crew_place *place, const struct crew_job *job,
                       bool *ours)
{
    struct start start = { .argv = job->argv, .env = job->env, .cwd = job->cwd };
    int out_fd = -1, err_fd = -1;
    int rc;

    *ours = !pipe_open(&place->out_fd, &out_fd, true) || !pipe_open(&place->err_fd, &err_fd, true);
    rc = *ours ? errno : 0;
    if (rc == 0) {
        start.fds[0] = crew->null_fd;
        start.fds[1] = out_fd;
        start.fds[2] = err_fd;
        rc = program_start(&start, &place->pid, &place->pid_fd);
        *ours = rc == EAGAIN; /* too many processes */
    }
    fd_close(&out_fd);
    fd_close(&err_fd);
    if (rc != 0) {
        fd_close(&place->out_fd);
        fd_close(&place->err_fd);
    }
    return rc;
}

/* The next job takes the place; a job that cannot start is over at once. An errno value when it
 * is us who cannot: the job waits. */
static int place_take(struct crew *crew, struct crew_place *place)
{
    struct crew_job *job = crew->next;
    bool ours;
    int rc;

    assert(!place->job && job->argv && job->argv[0]);
    rc = place_start(crew, place, job, &ours);
    if (rc != 0 && ours) return rc;
    crew->next++;
    job->error = rc;
    job->started = rc == 0;
    if (job->started) {
        place->job = job;
        place->end_ms = job->ms_max ? now_steady_ms() + job->ms_max : 0;
        crew->taken++;
    } else if (crew->done) {
        crew->done(crew->context, job);
    }
    return 0;
}

/* ---- the loop ---- */

/* Until the first job has to be ended; -1: none has to. */
static int crew_wait_ms(const struct crew *crew)
{
    uint64_t now_ms = now_steady_ms(), least_ms = INT_MAX;
    bool any = false;

    for (uint32_t i = 0; i < crew->place_count; i++) {
        const struct crew_place *place = &crew->places[i];

        if (!place->job || place->end_ms == 0) continue;
        any = true;
        if (place->end_ms <= now_ms) return 0;
        if (place->end_ms - now_ms < least_ms) least_ms = place->end_ms - now_ms;
    }
    return any ? (int)least_ms : -1;
}

/* Kills what is late: its end is seen as any other. */
static void crew_hurry(struct crew *crew)
{
    uint64_t now_ms = now_steady_ms();

    for (uint32_t i = 0; i < crew->place_count; i++) {
        struct crew_place *place = &crew->places[i];

        if (!place->job || place->end_ms == 0 || place->end_ms > now_ms) continue;
        place->job->late = true;
        place->end_ms = 0;
        family_signal(place->pid, SIGKILL, false);
    }
}

static void crew_wait(struct crew *crew)
{
    uint32_t count = crew->place_count * POLLED;
    int wait_ms = crew_wait_ms(crew);

    for (uint32_t i = 0; i < crew->place_count; i++) {
        const struct crew_place *place = &crew->places[i];
        struct pollfd *polled = &crew->polled[i * POLLED];
        bool taken = place->job != NULL;

        polled[0] = (struct pollfd){ .fd = taken ? place->out_fd : -1, .events = POLLIN };
        polled[1] = (struct pollfd){ .fd = taken ? place->err_fd : -1, .events = POLLIN };
        polled[2] = (struct pollfd){ .fd = taken ? place->pid_fd : -1, .events = POLLIN };
        if (taken && place->pid_fd < 0 && (wait_ms < 0 || wait_ms > LOOK_EVERY_MS)) {
            wait_ms = LOOK_EVERY_MS;
        }
    }
    if (poll(crew->polled, count, wait_ms) >= 0 || errno == EINTR) return;
    /* No memory for the call: looking everywhere costs more and finds the same. */
    for (uint32_t i = 0; i < count; i++) {
        if (crew->polled[i].fd >= 0) crew->polled[i].revents = POLLIN;
    }
}

static void crew_look(struct crew *crew)
{
    for (uint32_t i = 0; i < crew->place_count; i++) {
        struct crew_place *place = &crew->places[i];
        const struct pollfd *polled = &crew->polled[i * POLLED];
        struct crew_job *job = place->job;

        if (!job) continue;
        if ((polled[2].revents || place->pid_fd < 0) && program_ended(place->pid)) {
            place_leave(crew, place);
            continue;
        }
        if (polled[0].revents) piece_read(crew, &place->out_fd, &job->out, &job->cut);
        if (polled[1].revents) piece_read(crew, &place->err_fd, &job->err, &job->cut);
    }
}

static int crew_work(struct crew *crew)
{
    while (crew->taken > 0 || crew->next < crew->end) {
        int rc = 0;

        for (uint32_t i = 0; rc == 0 && i < crew->place_count; i++) {
            while (rc == 0 && !crew->places[i].job && crew->next < crew->end) {
                rc = place_take(crew, &crew->places[i]);
            }
        }
        if (rc != 0 && crew->taken == 0) return rc;
        if (crew->taken == 0) continue;
        crew_wait(crew);
        crew_hurry(crew);
        crew_look(crew);
    }
    return 0;
}

static void jobs_reset(struct crew_job *jobs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        buf_init(&jobs[i].out, jobs[i].out_bytes_max);
        buf_init(&jobs[i].err, jobs[i].err_bytes_max);
        jobs[i].cut = jobs[i].started = false;
        jobs[i].error = ECANCELED;
        jobs[i].status = -1;
        jobs[i].signal = 0;
    }
}

int crew_run(struct crew_job *jobs, uint32_t count, uint32_t at_once,
             void (*done)(void *context, struct crew_job *job), void *context, struct err *err)
{
    struct crew crew = { .next = jobs, .done = done, .context = context };
    int rc;

    jobs_reset(jobs, count);
    if (count == 0) return 0;
    crew.end = jobs + count;
    if (at_once > count) at_once = count;
    if (at_once > AT_ONCE_MAX) at_once = AT_ONCE_MAX;
    crew.place_count = at_once > 0 ? at_once : 1;
    crew.null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (crew.null_fd < 0 || !fd_lift(&crew.null_fd)) return err_system(err, errno, "/dev/null");
    crew.places = mem_alloc(crew.place_count * sizeof *crew.places);
    for (uint32_t i = 0; i < crew.place_count; i++) {
        crew.places[i] = (struct crew_place){ .pid_fd = -1, .out_fd = -1, .err_fd = -1 };
    }
    crew.polled = mem_alloc((size_t)crew.place_count * POLLED * sizeof *crew.polled);
    crew.piece = mem_alloc(READ_BYTES);
    rc = crew_work(&crew);
    fd_close(&crew.null_fd);
    free(crew.piece);
    free(crew.polled);
    free(crew.places);
    if (rc == 0) return 0;
    return err_system(err, rc, "start %.200s", crew.next->argv[0]);
}

void crew_release(struct crew_job *jobs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        buf_release(&jobs[i].out);
        buf_release(&jobs[i].err);
    }
}
