/* SPDX-License-Identifier: Apache-2.0
 *
 * carrier.c - for stories: a carrier that speaks the driver's side of docs/reference/carrier.md on
 * its standard input and output and plays attempts by itself, without a worker and a work tree.
 *
 * CARRIER_DIR holds what it knows, so that it may end and be started again: K/result is the result
 * of an attempt, K/state its state, blobs/ID the blobs. CARRIER_DIR/log gets each line that the
 * driver says, without blobs, and CARRIER_DIR/starts a line for each start.
 *
 * What becomes of an attempt says the first line of CARRIER_DIR/does whose first word is its
 * JOB.ATTEMPT or "*"; the rest are words:
 *
 *   play       its answer is CARRIER_DIR/answers/ROLE, else CARRIER_DIR/answer (where no line fits)
 *   hold       it is taken, and nothing more is heard of it     queue    it is not even taken
 *   lost  refused  fenced                                       the carrier says so
 *   die        the carrier ends when it is asked                died     ... when it has taken it
 *   exit N     the agent ends with that status                  problem  no agent began
 *   nonce      the result has another nonce                     strayed  a reader changed its tree
 *   garbage    lines that are none come before the result       cut      its blobs are not whole
 *   twice      the result comes twice */
#include "base/arena.h"
#include "base/hash.h"
#include "base/sha256.h"
#include "format/fleet/fleet_job.h"
#include "format/fleet/fleet_line.h"
#include "io/file/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_BYTES_MAX = 64 << 20 };

static const char *dir;
static struct arena arena;

static void say(const struct fleet_line *line)
{
    struct buf text;

    buf_init(&text, FLEET_LINE_BYTES_MAX + 1);
    if (fleet_line_write(line, &text) != 0) abort();
    if (fwrite(text.data, 1, text.size, stdout) != text.size || fflush(stdout) != 0) exit(0);
    buf_release(&text);
}

static void say_of(enum fleet_kind kind, struct str k, const char *why)
{
    say(&(struct fleet_line){ .kind = kind, .k = k, .why = str_of(why), .worker = STR("w1") });
}

/* ---- files ---- */

static const char *place(struct str k, const char *name)
{
    return arena_printf(&arena, "%s/%.*s/%s", dir, STR_ARG(k), name);
}

static struct str get(const char *path)
{
    struct str text = { "", 0 };
    struct err none;

    if (file_text(path, TEXT_BYTES_MAX, &arena, &text, &none) != 0) return STR("");
    return text;
}

static void put(const char *path, struct str text, const char *mode)
{
    FILE *file = fopen(path, mode);

    if (!file || fwrite(text.data, 1, text.size, file) != text.size || fclose(file) != 0) {
        perror(path);
        exit(9);
    }
}

static const char *blob_make(struct str text)
{
    unsigned char sum[SHA256_BYTES];
    char id[FLEET_BLOB_ID_BYTES];
    struct sha256 sha;

    sha256_init(&sha);
    sha256_add(&sha, text);
    sha256_end(&sha, sum);
    fleet_blob_id(sum, id);
    put(arena_printf(&arena, "%s/blobs/%s", dir, id), text, "w");
    return arena_cstr(&arena, str_of(id));
}

/* ---- attempts ---- */

static struct str rule_of(const struct fleet_job *job)
{
    const char *name = arena_printf(&arena, "%u.%u", job->action.job, job->action.attempt);
    struct str rest = get(arena_printf(&arena, "%s/does", dir)), line, word;

    while (str_cut(&rest, '\n', &line)) {
        if (!str_cut(&line, ' ', &word)) continue;
        if (str_is(word, name) || str_is(word, "*")) return line;
    }
    return STR("play");
}

static struct str answer_of(const struct fleet_job *job)
{
    struct str own = get(arena_printf(&arena, "%s/answers/%s", dir, job->about.role.data));

    return own.size > 0 ? own : get(arena_printf(&arena, "%s/answer", dir));
}

static void ended_say(struct str k)
{
    struct str result = get(place(k, "result"));

    if (result.size) say(&(struct fleet_line){ .kind = FLEET_ENDED, .k = k, .result = result });
}

static void result_make(struct str k, const struct fleet_job *job, struct str rule)
{
    struct fleet_file files[2];
    struct fleet_result result = {
        .v = FLEET_V, .run = job->run, .nonce = job->nonce, .worker = STR("w1"),
        .host = STR("elsewhere"), .begun_ms = 1, .ended_ms = 2, .by = STR("exit"),
        .workspace = STR("/w/tree"), .answer = STR("/w/answer"), .files = files,
    };
    struct buf text;
    uint64_t status;

    files[0] = (struct fleet_file){ STR("stdout"), str_of(blob_make(STR("in /w/tree\n"))) };
    files[1] = (struct fleet_file){ STR("answer"), str_of(blob_make(answer_of(job))) };
    result.file_count = 2;
    if (str_starts(rule, STR("exit ")) && str_number(str_skip(rule, 5), &status)) {
        result.value = (uint32_t)status;
    }
    if (str_is(rule, "problem")) {
        result.problem = STR("its setup failed: no such thing");
        result.file_count = 0;
        result.by = STR("start");
    }
    if (str_is(rule, "nonce")) result.nonce = STR("00000000000000000000000000000000");
    if (str_is(rule, "strayed")) {
        result.tree = (struct fleet_result_tree){ .changed = true, .snapshot = job->tree.snapshot,
                                                  .tree = job->tree.tree, .head = job->tree.head };
    }
    buf_init(&text, FLEET_LINE_BYTES_MAX);
    fleet_result_write(&result, &text);
    put(place(k, "result"), buf_str(&text), "w");
    buf_release(&text);
}

static void on_job(const struct fleet_line *line)
{
    struct fleet_job job;
    struct str rule;
    struct err err;

    if (fleet_job_read(line->job, &arena, &job, &err) != 0) {
        say_of(FLEET_REFUSED, line->k, err.text);
        return;
    }
    mkdir(arena_printf(&arena, "%s/%.*s", dir, STR_ARG(line->k)), 0700);
    put(place(line->k, "job"), line->job, "w");
    rule = rule_of(&job);
    if (str_is(rule, "die")) exit(1);
    if (str_is(rule, "refused")) { say_of(FLEET_REFUSED, line->k, "it is too large"); return; }
    if (str_is(rule, "fenced")) { say_of(FLEET_FENCED, STR(""), "epoch 2 is newer"); return; }
    put(place(line->k, "state"), STR("queued"), "w");
    say_of(FLEET_QUEUED, line->k, NULL);
    if (str_is(rule, "queue")) return;
    put(place(line->k, "state"), STR("taken"), "w");
    say_of(FLEET_TAKEN, line->k, NULL);
    if (str_is(rule, "died")) exit(1);
    if (str_is(rule, "lost")) {
        say_of(FLEET_LOST, line->k, "its claim was not renewed");
        put(place(line->k, "state"), STR("nowhere"), "w");
        return;
    }
    if (str_is(rule, "hold")) return;
    if (str_is(rule, "garbage")) {
        printf("this is no line\n{\"m\":\"taken\"}\n{\"m\":\"sings\",\"k\":\"%s\"}\n[]\n",
               line->k.data);
    }
    say(&(struct fleet_line){ .kind = FLEET_SAID, .k = line->k, .data = STR("in /w/tree\n") });
    result_make(line->k, &job, rule);
    put(place(line->k, "state"), STR("ended"), "w");
    ended_say(line->k);
    if (str_is(rule, "twice")) ended_say(line->k);
}

static void on_ask(struct str k)
{
    struct str state = get(place(k, "state"));
    enum fleet_state known = str_is(state, "queued") ? FLEET_IS_QUEUED
                             : str_is(state, "taken") ? FLEET_IS_TAKEN
                             : str_is(state, "ended") ? FLEET_HAS_ENDED : FLEET_NOWHERE;

    say(&(struct fleet_line){ .kind = FLEET_KNOWN, .k = k, .state = known });
    if (known == FLEET_HAS_ENDED) ended_say(k);
}

static void on_get(const struct fleet_line *line)
{
    const char *path = arena_printf(&arena, "%s/blobs/%.*s", dir, STR_ARG(line->id));
    struct str text = get(path), does = get(arena_printf(&arena, "%s/does", dir));
    bool cut = memmem(does.data, does.size, "cut", 3) && text.size > 0;
    size_t at = 0;

    if (!file_exists(path)) {
        say(&(struct fleet_line){ .kind = FLEET_NONE, .id = line->id });
        return;
    }
    do {
        struct str piece = str_head(str_skip(text, at), FLEET_PIECE_BYTES_MAX);

        if (cut) piece = (struct str){ arena_cstr(&arena, STR("x")), 1 };
        say(&(struct fleet_line){ .kind = FLEET_BLOB, .id = line->id, .bytes = cut ? 1 : text.size,
                                  .at = at, .data = piece });
        at += piece.size;
    } while (!cut && at < text.size);
}

static void on_line(struct str text)
{
    struct fleet_line line;
    struct err err;

    if (fleet_line_read(text, FLEET_DRIVER, &arena, &line, &err) != 0) {
        fprintf(stderr, "carrier: %s: %.*s\n", err.text, STR_ARG(str_head(text, 300)));
        exit(8);
    }
    if (line.kind != FLEET_BLOB && line.kind != FLEET_BEAT) {
        put(arena_printf(&arena, "%s/log", dir),
            str_of(arena_printf(&arena, "%s %.*s\n", fleet_kind_word(line.kind),
                                STR_ARG(line.k))), "a");
    }
    if (line.kind == FLEET_HELLO) {
        say(&(struct fleet_line){ .kind = FLEET_READY, .v = FLEET_V, .carrier = STR("canned"),
                                  .lease_ms = FLEET_LEASE_MS });
    } else if (line.kind == FLEET_BLOB) {
        put(arena_printf(&arena, "%s/blobs/%.*s", dir, STR_ARG(line.id)), line.data,
            line.at ? "a" : "w");
    } else if (line.kind == FLEET_JOB) {
        on_job(&line);
    } else if (line.kind == FLEET_ASK) {
        on_ask(line.k);
    } else if (line.kind == FLEET_GET) {
        on_get(&line);
    } else if (line.kind == FLEET_STOP) {
        mkdir(arena_printf(&arena, "%s/%.*s", dir, STR_ARG(line.k)), 0700);
        put(place(line.k, "state"), STR("nowhere"), "w");
    } else if (line.kind == FLEET_BEAT) {
        say(&(struct fleet_line){ .kind = FLEET_BEAT });
    }
}

int main(void)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t got;

    dir = getenv("CARRIER_DIR");
    if (!dir) return 2;
    mkdir(arena_printf(&arena, "%s/blobs", dir), 0700);
    put(arena_printf(&arena, "%s/starts", dir), STR("start\n"), "a");
    while ((got = getline(&line, &cap, stdin)) > 0) {
        on_line((struct str){ line, (size_t)got - (line[got - 1] == '\n') });
    }
    free(line);
    arena_release(&arena);
    return 0;
}
