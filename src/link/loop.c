/* SPDX-License-Identifier: Apache-2.0
 *
 * loop.c - poll(2) over standard input, standard output and the bus.
 *
 *     standard input --lines--> the end (driver.c, worker.c) <--messages, answers-- bus.c
 *     standard output <--queue--'            ^
 *                                            '-- ticks
 *
 * 1. The tick comes before what was heard: a program that was stopped for a while looks at its
 *    clock first, and takes no answer for fresh that came while it slept.
 * 2. Lines are read only while few questions wait for the server: what cannot be stored yet stays
 *    with the one who says it. Few, since a beat waits behind the pieces of a blob.
 * 3. What was said waits in a queue with a bound; one who reads nothing until it is full is given
 *    up. A line that is no line is told on standard error, and skipped.
 * 4. The end of standard input is told once.
 *
 * Not here: what a line means. */
#include "link/loop.h"

#include "base/mem.h"
#include "format/stream/lines.h"
#include "io/file/uptime.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ASKED_MAX = 4096, ASKED_BYTES_MAX = 4 << 20, CHUNK_BYTES = 64 << 10, LAST_MS = 5000,
    READS_MAX = 64, /* then others have their turn */
};

struct loop {
    struct loop_end end;
    struct bus *bus;
    struct lines lines;
    struct arena arena;
    char *chunk;
    struct str rest; /* of the chunk */
    struct buf out;
    size_t sent;
    bool eof, told_eof, stopped, deaf;
    int code;
    uint64_t ticked_ms, stopped_ms, hurry_ms, skipped;
};

void loop_tell(const char *format, ...)
{
    char text[ERR_TEXT_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "hone-link: %s\n", text);
}

int loop_new(struct loop **out, const struct loop_end *end, struct err *err)
{
    struct loop *loop = mem_alloc(sizeof *loop);
    int flags = fcntl(STDOUT_FILENO, F_GETFL);

    *out = loop;
    loop->end = *end;
    lines_init(&loop->lines, FLEET_LINE_BYTES_MAX);
    buf_init(&loop->out, LOOP_OUT_BYTES_MAX);
    loop->chunk = mem_alloc(CHUNK_BYTES);
    signal(SIGPIPE, SIG_IGN);
    if (flags >= 0 && fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK) == 0) return 0;
    return err_system(err, errno, "standard output");
}

void loop_free(struct loop *loop)
{
    if (!loop) return;
    lines_release(&loop->lines);
    arena_release(&loop->arena);
    buf_release(&loop->out);
    free(loop->chunk);
    free(loop);
}

void loop_stop(struct loop *loop, int code)
{
    if (loop->stopped) return;
    loop->stopped = true;
    loop->code = code;
    loop->stopped_ms = uptime_ms();
}

bool loop_is_full(const struct loop *loop)
{
    return loop->out.size - loop->sent > LOOP_OUT_BYTES_MANY;
}

bool loop_is_over(const struct loop *loop)
{
    struct pollfd in = { .fd = STDIN_FILENO };

    return loop->eof || (poll(&in, 1, 0) > 0 && (in.revents & (POLLHUP | POLLERR | POLLNVAL)));
}

void loop_hurry(struct loop *loop)
{
    loop->hurry_ms = uptime_ms() + LOOP_TICK_MS;
}

void loop_say(struct loop *loop, const struct fleet_line *line)
{
    if (loop->deaf) return;
    if (fleet_line_write(line, &loop->out) == 0) return;
    if (!loop_is_full(loop)) {
        loop_tell("a line of %s is too long, or what it says is no JSON: it is left out",
                  fleet_kind_word(line->kind));
        return;
    }
    loop_tell("the other end reads nothing");
    loop->deaf = true;
    loop_stop(loop, 3);
}

static void flush_out(struct loop *loop)
{
    while (loop->sent < loop->out.size && !loop->deaf) {
        ssize_t put = write(STDOUT_FILENO, loop->out.data + loop->sent,
                            loop->out.size - loop->sent);

        if (put > 0) {
            loop->sent += (size_t)put;
        } else if (put < 0 && errno == EAGAIN) {
            break;
        } else if (put == 0 || errno != EINTR) {
            loop->deaf = true;
            loop_stop(loop, 3);
        }
    }
    if (loop->sent == loop->out.size) {
        buf_clear(&loop->out);
        loop->sent = 0;
    } else if (loop->sent > loop->out.size / 2) {
        loop->out.size -= loop->sent;
        memmove(loop->out.data, loop->out.data + loop->sent, loop->out.size);
        loop->sent = 0;
    }
}

static bool takes(const struct loop *loop)
{
    return !loop->stopped && bus_asked(loop->bus) < ASKED_MAX &&
           bus_asked_bytes(loop->bus) < ASKED_BYTES_MAX && !loop_is_full(loop) &&
           (!loop->end.takes_lines || loop->end.takes_lines(loop->end.owner));
}

static void hear(struct loop *loop, struct str text)
{
    struct fleet_line line;
    struct err err;

    if (str_trim(text).size == 0) return;
    if (fleet_line_read(text, loop->end.hears, &loop->arena, &line, &err) != 0) {
        loop_tell("a line is skipped: %s", err.text);
    } else if (line.kind != FLEET_UNKNOWN) {
        loop->end.on_line(loop->end.owner, &line);
    }
    arena_release(&loop->arena);
}

/* The lines of what was read, as long as they are taken; then a read. */
static void read_in(struct loop *loop)
{
    struct str line;

    for (uint32_t reads = 0; reads < READS_MAX && takes(loop); reads++) {
        ssize_t got;

        while (takes(loop) && lines_next(&loop->lines, &loop->rest, &line)) hear(loop, line);
        if (loop->lines.skipped > loop->skipped) {
            loop_tell("a line of more than %d bytes is skipped", (int)FLEET_LINE_BYTES_MAX);
            loop->skipped = loop->lines.skipped;
        }
        if (!takes(loop) || loop->rest.size > 0 || loop->eof) break;
        if (poll(&(struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN }, 1, 0) <= 0) break;
        got = read(STDIN_FILENO, loop->chunk, CHUNK_BYTES);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) break;
        if (got <= 0) loop->eof = true;
        else loop->rest = (struct str){ loop->chunk, (size_t)got };
    }
    if (loop->eof && !loop->told_eof && takes(loop)) {
        loop->told_eof = true;
        loop->end.on_eof(loop->end.owner);
    }
}

static int wait_ms(const struct loop *loop, uint64_t now_ms)
{
    int64_t wait = LOOP_IDLE_MS, bus = bus_wait_ms(loop->bus);

    if (loop->hurry_ms > 0) {
        wait = loop->hurry_ms > now_ms ? (int64_t)(loop->hurry_ms - now_ms) : 0;
    }
    if (bus >= 0 && bus < wait) wait = bus;
    if (loop->rest.size > 0 && takes(loop)) wait = 0;
    return (int)wait;
}

static void tick(struct loop *loop, uint64_t now_ms)
{
    if (loop->hurry_ms > 0 && now_ms >= loop->hurry_ms) loop->hurry_ms = 0;
    else if (now_ms < loop->ticked_ms + LOOP_IDLE_MS) return;
    loop->ticked_ms = now_ms;
    loop->end.on_tick(loop->end.owner);
}

int loop_run(struct loop *loop, struct bus *bus)
{
    loop->bus = bus;
    for (;;) {
        bool waits_in = !loop->eof && loop->rest.size == 0 && takes(loop);
        struct pollfd fds[] = {
            { .fd = waits_in ? STDIN_FILENO : -1, .events = POLLIN },
            { .fd = bus_fd(bus), .events = POLLIN },
            { .fd = loop->out.size > loop->sent ? STDOUT_FILENO : -1, .events = POLLOUT },
        };
        uint64_t now_ms = uptime_ms();

        (void)poll(fds, 3, wait_ms(loop, now_ms));
        now_ms = uptime_ms();
        tick(loop, now_ms);
        bus_step(bus);
        read_in(loop);
        flush_out(loop);
        if (!loop->stopped) continue;
        if (loop->deaf || loop->out.size == 0 || now_ms > loop->stopped_ms + LAST_MS) break;
    }
    return loop->code;
}
