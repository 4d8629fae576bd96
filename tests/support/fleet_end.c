/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_end.c - the end of a carrier that speaks with it: a driver or a worker without hone.
 *
 *   fleet_end drive|work LEASE_MS LOG PROGRAM ARGUMENT...
 *
 * Starts the program, says a beat each LEASE_MS / 6 (a worker's with the attempts that it was told
 * to go on with), and writes to LOG what it hears, a line each: beats are left out, and of pieces
 * of blobs their bytes. First comes `pid N`, of the program; last `over CODE`.
 *
 * What it reads on standard input, a line each:
 *
 *   {...}                   said as it is
 *   mute, unmute            no beats, and beats again
 *   put FILE ID [K]         a blob, in pieces. ID "-": by its bytes; `put ID` is logged
 *   save ID FILE            where that blob is written when it is whole; then `saved ID BYTES`
 *   play MS BYTES           a worker: plays attempts by itself, each takes so long and has a blob
 *   hold MS                 a worker that plays: so long between a job and its `begin`
 *   flood RUN POOL COUNT RATE   a driver: so many attempts, so many a second (0: at once); lost
 *                           ones are sent again as the next attempt. Then `flood` with figures
 *   close                   the end of the program's standard input */
#include "base/mem.h"
#include "base/sha256.h"
#include "base/text_map.h"
#include "format/fleet/fleet_line.h"
#include "format/stream/lines.h"
#include "io/file/file.h"
#include "io/process/talk.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEYS_MAX = 4096, SAVES_MAX = 64, UNSENT_MAX = 256 << 20, COMMAND_BYTES = 1 << 20 };

#define NONCE "0123456789abcdef0123456789abcdef"

struct play {
    char key[FLEET_KEY_BYTES];
    uint64_t begin_ms, end_ms; /* when it is to begin; when it ends. 0: not yet */
};

struct save {
    char id[FLEET_BLOB_ID_BYTES], path[1024];
    struct buf data;
};

struct job {
    uint64_t sent_us;
    uint32_t attempt;
    bool queued, ended;
};

static struct {
    struct talk talk;
    FILE *log;
    bool works, greeted, muted, plays, over;
    uint64_t lease_ms, beat_ms, play_ms, hold_ms;
    size_t play_bytes;
    char keys[KEYS_MAX][FLEET_KEY_BYTES]; /* at work */
    uint32_t key_count;
    struct play playing[KEYS_MAX];
    uint32_t playing_count;
    struct save saves[SAVES_MAX];
    uint32_t save_count;

    struct job *jobs;
    char run[FLEET_NAME_BYTES_MAX + 1], pool[FLEET_NAME_BYTES_MAX + 1];
    uint64_t job_count, sent, ended, lost, refused, rate, begun_us;
    uint32_t *took_us;
} me;

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void say_text(struct str text)
{
    struct err err;

    if (talk_send(&me.talk, text, &err) != 0) fprintf(stderr, "fleet_end: %s\n", err.text);
}

static void say(const struct fleet_line *line)
{
    struct buf text;

    buf_init(&text, FLEET_LINE_BYTES_MAX + 16);
    if (fleet_line_write(line, &text) == 0) say_text(buf_str(&text));
    buf_release(&text);
}

/* ---- blobs ---- */

static void put_bytes(struct str bytes, const char *id, const char *key)
{
    size_t at = 0;

    do {
        size_t size = bytes.size - at;

        if (size > FLEET_PIECE_BYTES_MAX) size = FLEET_PIECE_BYTES_MAX;
        say(&(struct fleet_line){ .kind = FLEET_BLOB, .id = str_of(id), .bytes = bytes.size,
                                  .at = at, .data = { bytes.data + at, size },
                                  .k = str_of(key) });
        at += size;
    } while (at < bytes.size);
}

static const char *id_of(struct str bytes, char id[FLEET_BLOB_ID_BYTES])
{
    unsigned char hash[SHA256_BYTES];
    struct sha256 sha;

    sha256_init(&sha);
    sha256_add(&sha, bytes);
    sha256_end(&sha, hash);
    return fleet_blob_id(hash, id);
}

static void put_file(const char *path, const char *id, const char *key)
{
    char own[FLEET_BLOB_ID_BYTES];
    struct buf bytes;
    struct err err;

    buf_init(&bytes, 1 << 30);
    if (file_read(path, &bytes, &err) != 0) {
        fprintf(stderr, "fleet_end: %s\n", err.text);
        exit(1);
    }
    if (strcmp(id, "-") == 0) id = id_of(buf_str(&bytes), own);
    put_bytes(buf_str(&bytes), id, key);
    fprintf(me.log, "put %s\n", id);
    buf_release(&bytes);
}

static void hear_piece(const struct fleet_line *line)
{
    for (uint32_t i = 0; i < me.save_count; i++) {
        struct save *save = &me.saves[i];
        struct err err;

        if (!str_is(line->id, save->id)) continue;
        if (line->at == 0) buf_clear(&save->data);
        if (line->at != save->data.size) continue;
        buf_add(&save->data, line->data);
        if (save->data.size < line->bytes) continue;
        if (file_write("/", save->path + 1, buf_str(&save->data), &err) != 0) {
            fprintf(stderr, "fleet_end: %s\n", err.text);
        }
        fprintf(me.log, "saved %s %zu\n", save->id, save->data.size);
    }
}

/* ---- a worker that plays ---- */

static void forget_key(struct str key)
{
    for (uint32_t i = 0; i < me.key_count; i++) {
        if (!str_is(key, me.keys[i])) continue;
        memmove(me.keys[i], me.keys[--me.key_count], FLEET_KEY_BYTES);
    }
    for (uint32_t i = 0; i < me.playing_count; i++) {
        if (!str_is(key, me.playing[i].key)) continue;
        me.playing[i] = me.playing[--me.playing_count];
        say(&(struct fleet_line){ .kind = FLEET_FREE, .n = 1 });
    }
}

static void play_end(struct str key)
{
    char text[512], id[FLEET_BLOB_ID_BYTES] = "", keep[FLEET_KEY_BYTES];
    char *bytes = me.play_bytes ? mem_alloc(me.play_bytes) : NULL;

    snprintf(keep, sizeof keep, "%.*s", STR_ARG(key));
    if (bytes) {
        snprintf(bytes, me.play_bytes, "%s", keep);
        put_bytes((struct str){ bytes, me.play_bytes },
                  id_of((struct str){ bytes, me.play_bytes }, id), keep);
        free(bytes);
    }
    snprintf(text, sizeof text, "{\"v\":1,\"nonce\":\"" NONCE "\",\"files\":[%s%s%s]}",
             id[0] ? "{\"name\":\"stdout\",\"id\":\"" : "", id, id[0] ? "\"}" : "");
    say(&(struct fleet_line){ .kind = FLEET_ENDED, .k = str_of(keep), .result = str_of(text) });
    forget_key(str_of(keep));
}

static void play(uint64_t now_ms)
{
    for (uint32_t i = me.playing_count; i-- > 0;) {
        struct play *play = &me.playing[i];

        if (play->begin_ms > 0 && now_ms >= play->begin_ms) {
            play->begin_ms = 0;
            say(&(struct fleet_line){ .kind = FLEET_BEGIN, .k = str_of(play->key),
                                      .nonce = str_of(NONCE) });
        } else if (play->end_ms > 0 && now_ms >= play->end_ms) {
            play_end(str_of(play->key));
        }
    }
}

static void hear_as_worker(const struct fleet_line *line)
{
    uint64_t now_ms = now_steady_ms();

    if (line->kind == FLEET_JOB && me.plays && me.playing_count < KEYS_MAX) {
        struct play *play = &me.playing[me.playing_count++];

        *play = (struct play){ .begin_ms = now_ms + me.hold_ms };
        snprintf(play->key, sizeof play->key, "%.*s", STR_ARG(line->k));
    } else if (line->kind == FLEET_GO && me.key_count < KEYS_MAX) {
        snprintf(me.keys[me.key_count++], FLEET_KEY_BYTES, "%.*s", STR_ARG(line->k));
        for (uint32_t i = 0; i < me.playing_count; i++) {
            if (str_is(line->k, me.playing[i].key)) me.playing[i].end_ms = now_ms + me.play_ms;
        }
    } else if (line->kind == FLEET_STOP || line->kind == FLEET_GONE) {
        forget_key(line->k);
    }
    play(now_steady_ms());
}

/* ---- a driver that floods ---- */

static void send_job(uint64_t number)
{
    char key[FLEET_KEY_BYTES];
    struct job *job = &me.jobs[number];

    job->attempt++;
    job->sent_us = now_us();
    snprintf(key, sizeof key, "%s.%u.%u", me.run, (unsigned)number, job->attempt);
    say(&(struct fleet_line){ .kind = FLEET_JOB, .k = str_of(key), .pool = str_of(me.pool),
                              .job = STR("{\"v\":1,\"nonce\":\"" NONCE "\"}") });
}

static void send_due(void)
{
    uint64_t due = me.rate ? (now_us() - me.begun_us) * me.rate / 1000000 + 1 : me.job_count;

    if (due > me.job_count) due = me.job_count;
    while (me.sent < due && me.talk.unsent.size < 1 << 20) send_job(me.sent++);
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static double ms_of(uint64_t place)
{
    return me.took_us[place] / 1e3;
}

static void tell_flood(void)
{
    double seconds = (double)(now_us() - me.begun_us) / 1e6;

    qsort(me.took_us, me.ended, sizeof *me.took_us, by_size);
    fprintf(me.log, "flood ended=%" PRIu64 " lost=%" PRIu64 " refused=%" PRIu64 " seconds=%.2f"
            " p50_ms=%.2f p99_ms=%.2f max_ms=%.2f\n", me.ended, me.lost, me.refused, seconds,
            ms_of(me.ended / 2), ms_of(me.ended * 99 / 100), ms_of(me.ended - 1));
}

static void hear_as_driver(const struct fleet_line *line)
{
    struct fleet_key key;
    struct job *job;

    if (!me.jobs || !fleet_key_read(line->k, &key) || key.job >= me.job_count) return;
    job = &me.jobs[key.job];
    if (key.attempt != job->attempt) return;
    if (line->kind == FLEET_LOST) {
        me.lost++;
        send_job(key.job);
    } else if (line->kind == FLEET_REFUSED) {
        me.refused++;
    } else if (line->kind == FLEET_ENDED) {
        say(&(struct fleet_line){ .kind = FLEET_FORGET, .k = line->k });
        if (job->ended) return;
        job->ended = true;
        me.took_us[me.ended++] = (uint32_t)(now_us() - job->sent_us);
        if (me.ended == me.job_count) tell_flood();
    }
}

/* ---- lines ---- */

static void hear(struct str text)
{
    struct arena arena = { 0 };
    struct fleet_line line;
    struct err err;

    if (fleet_line_read(text, me.works ? FLEET_TO_WORKER : FLEET_TO_DRIVER, &arena, &line,
                        &err) != 0) {
        fprintf(me.log, "bad line: %s: %.*s\n", err.text, STR_ARG(text));
    } else if (line.kind == FLEET_BLOB) {
        fprintf(me.log, "blob %.*s %" PRIu64 "\n", STR_ARG(line.id), line.at);
        hear_piece(&line);
    } else if (line.kind != FLEET_BEAT) {
        if (!me.jobs && !me.plays) fprintf(me.log, "%.*s\n", STR_ARG(text));
        else if (line.k.size == 0 || line.kind == FLEET_GO || line.kind == FLEET_LOST ||
                 line.kind == FLEET_REFUSED || line.kind == FLEET_STOP) {
            fprintf(me.log, "%.*s\n", STR_ARG(text));
        }
        if (me.works) hear_as_worker(&line);
        else hear_as_driver(&line);
    }
    arena_release(&arena);
}

static void save_as(const char *id, const char *path)
{
    struct save *save = &me.saves[me.save_count++ % SAVES_MAX];

    snprintf(save->id, sizeof save->id, "%.*s", FLEET_BLOB_ID_BYTES - 1, id);
    snprintf(save->path, sizeof save->path, "%s", path);
    buf_init(&save->data, 1 << 30);
}

static void flood(const char *count, const char *rate)
{
    (void)str_number(str_of(count), &me.job_count);
    (void)str_number(str_of(rate), &me.rate);
    me.jobs = mem_alloc(me.job_count * sizeof *me.jobs);
    me.took_us = mem_alloc(me.job_count * sizeof *me.took_us);
    me.begun_us = now_us();
}

static void obey(struct str text)
{
    char words[5][1024] = { "", "", "", "", "" };
    uint64_t bytes = 0;

    if (text.size > 0 && text.data[0] == '{') {
        say_text(text);
        say_text(STR("\n"));
        me.greeted = true;
        return;
    }
    for (uint32_t i = 0; i < 5 && text.size > 0; i++) {
        struct str word;

        if (str_cut(&text, ' ', &word)) snprintf(words[i], sizeof words[i], "%.*s", STR_ARG(word));
    }
    if (strcmp(words[0], "mute") == 0) me.muted = true;
    if (strcmp(words[0], "unmute") == 0) me.muted = false;
    if (strcmp(words[0], "put") == 0) put_file(words[1], words[2], words[3]);
    if (strcmp(words[0], "save") == 0) save_as(words[1], words[2]);
    if (strcmp(words[0], "hold") == 0) (void)str_number(str_of(words[1]), &me.hold_ms);
    if (strcmp(words[0], "play") == 0) {
        me.plays = true;
        (void)str_number(str_of(words[1]), &me.play_ms);
        if (str_number(str_of(words[2]), &bytes)) me.play_bytes = (size_t)bytes;
    }
    if (strcmp(words[0], "flood") == 0) {
        snprintf(me.run, sizeof me.run, "%.*s", FLEET_NAME_BYTES_MAX, words[1]);
        snprintf(me.pool, sizeof me.pool, "%.*s", FLEET_NAME_BYTES_MAX, words[2]);
        flood(words[3], words[4]);
    }
    if (strcmp(words[0], "close") == 0 && me.talk.in_fd >= 0) {
        close(me.talk.in_fd);
        me.talk.in_fd = -1;
    }
}

static void beat(uint64_t now_ms)
{
    struct str keys[KEYS_MAX];

    if (now_ms < me.beat_ms + me.lease_ms / 6) return;
    me.beat_ms = now_ms;
    if (me.muted || !me.greeted) return;
    for (uint32_t i = 0; i < me.key_count; i++) keys[i] = str_of(me.keys[i]);
    say(&(struct fleet_line){
        .kind = FLEET_BEAT, .beats = keys,
        .beat_count = me.key_count > FLEET_BEATS_MAX ? FLEET_BEATS_MAX : me.key_count,
    });
}

/* Until the program's output ends, or our own input does. */
static void serve(void)
{
    struct lines told, heard;
    struct buf said;
    struct str line, chunk;
    char piece[65536];
    int in_fd = STDIN_FILENO;

    lines_init(&told, COMMAND_BYTES);
    lines_init(&heard, FLEET_LINE_BYTES_MAX + 16);
    buf_init(&said, 1 << 30);
    (void)fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
    while (!me.over) {
        uint64_t now_ms = now_steady_ms();
        bool busy = me.playing_count > 0 || me.sent < me.job_count;
        uint32_t events;
        ssize_t got;

        beat(now_ms);
        play(now_ms);
        if (me.sent < me.job_count) send_due();
        events = talk_wait(&me.talk, in_fd, busy ? 2 : 20, &said);
        chunk = buf_str(&said);
        while (lines_next(&heard, &chunk, &line)) hear(line);
        buf_clear(&said);
        if (events & TALK_ENDED) me.over = true;
        if (!(events & TALK_SIGNAL)) continue;
        got = read(in_fd, piece, sizeof piece);
        chunk = (struct str){ piece, got > 0 ? (size_t)got : 0 };
        while (lines_next(&told, &chunk, &line)) obey(line);
        if (got == 0) in_fd = -1;
    }
    lines_release(&told);
    lines_release(&heard);
    buf_release(&said);
}

int main(int argc, char **argv)
{
    struct err err;

    if (argc < 5 || !str_number(str_of(argv[2]), &me.lease_ms)) return 2;
    me.works = strcmp(argv[1], "work") == 0;
    me.log = fopen(argv[3], "a");
    if (!me.log) return 2;
    setvbuf(me.log, NULL, _IOLBF, 0);
    if (talk_start(&me.talk, (const char *const *)(argv + 4), false, UNSENT_MAX,
                   &err) != 0) {
        fprintf(stderr, "fleet_end: %s\n", err.text);
        return 1;
    }
    fprintf(me.log, "pid %d\n", (int)me.talk.pid);
    serve();
    fprintf(me.log, "over %d\n", talk_stop(&me.talk, 5000));
    for (uint32_t i = 0; i < SAVES_MAX; i++) buf_release(&me.saves[i].data);
    free(me.jobs);
    free(me.took_us);
    fclose(me.log);
    return 0;
}
