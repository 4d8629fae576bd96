/* SPDX-License-Identifier: Apache-2.0
 *
 * reading.h - what a coding agent's own stream of JSON lines tells: the answer, how it ended, what
 * it cost, and what the agent did for it.
 *
 * A stream is read in pieces of any size. What it tells depends on the bytes alone, never on where
 * they were cut. Memory is bounded for any stream: a line that is too long is passed over and
 * counted, an event of an unknown kind is counted, and neither is an error by itself.
 *
 * Room: the streams that coding agents write while they work, one file for each kind. Not here: how
 * an agent is started (agent/). */
#ifndef HONE_FORMAT_STREAM_READING_H
#define HONE_FORMAT_STREAM_READING_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "core/event.h"
#include "format/json/json.h"
#include "format/stream/lines.h"
#include "format/stream/sight.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    READING_LINE_BYTES_MAX = 40 << 20,  /* an answer may stand in its line twice, and escaped */
    READING_ANSWER_BYTES_MAX = 16 << 20,
    READING_TEXT_BYTES_MAX = 400,       /* of a message, a model's name */
    READING_PATH_BYTES_MAX = 1024,      /* a longer path is counted, not listed */
    READING_PATHS_MAX = 256,
    READING_CALLS_MAX = 64,             /* calls whose result has not come yet */
    READING_COMMAND_BYTES_MAX = 16 << 10, /* what a longer command shows is not judged */
    READING_SIGHTS_MAX = 1024,
};

/* How it ended. Only a field for it counts: a text that speaks of rate limits changes nothing. */
enum reading_end {
    READING_OK,
    READING_LOGIN,    /* the user is not logged in, or the key or the plan does not allow it */
    READING_RATE,     /* asked too often, or the allowance of these hours is used up */
    READING_OVERLOAD, /* the service is there and cannot serve now */
    READING_NETWORK,  /* the service could not be reached, or the line broke */
    READING_BUDGET,   /* the agent's own limit of money or turns */
    READING_CREDIT,   /* the account is empty, or not paid for */
    READING_MODEL,    /* the service does not know the model, or the address */
    READING_REFUSED,  /* the model would not answer */
    READING_PROTOCOL, /* what came is not the stream that it should be */
    READING_MISSING,  /* there is no answer; with has_result, in a result that should have one */
    READING_OTHER,
    READING_END_COUNT
};

struct reading_path {
    struct str path; /* as the agent gave it, absolute or not */
    bool written;
};

struct reading {
    enum reading_end end;
    bool permanent;       /* asking again cannot help */
    bool has_result;      /* the stream said that it is over, well or not */
    bool answered;        /* the model has said or done something, or it is over */
    bool structured;      /* answer is JSON that the agent's program held against the schema */
    struct str answer;    /* of READING_OK; else empty */
    struct str message;   /* of any other end: one line, safe to show */
    struct str model;     /* empty where it is not told */
    uint64_t retry_at_ms; /* of READING_RATE and READING_OVERLOAD, where it is told; else 0 */

    struct usage usage;   /* tokens_in counts all that the model was given, cached or not */
    bool cost_known;
    uint64_t tokens_cached, turns, duration_ms;

    /* What was done, by the agent and its own helpers. Commands are counted also where they
     * failed; reads and writes only where they went well. */
    uint64_t tool_calls, commands, reads, writes;
    const struct reading_path *paths; /* each path once; the first READING_PATHS_MAX */
    uint32_t path_count;
    bool paths_cut;
    struct sights sights; /* what it was shown; the first READING_SIGHTS_MAX. Commands count where
                             they ran, also where they ended with a status */

    uint64_t events;    /* lines that were events */
    uint64_t unknown;   /* of them, those of a kind that is not known here */
    uint64_t malformed; /* lines that were no events */
    uint64_t skipped;   /* lines that were too long */
};

/* A call whose result has not come yet. */
struct reading_call {
    uint64_t id; /* a hash */
    uint32_t kind, path_bytes;
    char path[READING_PATH_BYTES_MAX];
    char *command; /* of a command; NULL: not known, or too long */
};

struct stream;
struct items;

/* One agent's kind of stream. */
struct stream_kind {
    const char *program; /* for messages: "Claude Code" */
    /* One event, an object; false where its kind is not known. */
    bool (*event)(struct stream *stream, yyjson_val *object);
    /* What the exit status says of an end that the stream calls bad and no more; may be NULL. */
    enum reading_end (*by_status)(int exit_status, bool *permanent);
    /* What one event says and does: item.h. */
    void (*items)(struct items *items, yyjson_val *object);
};

extern const struct stream_kind claude_stream, codex_stream, gemini_stream, acp_stream;

/* The reading of one stream. All of it is the readers' own. */
struct stream {
    const struct stream_kind *kind;
    struct lines lines;
    struct arena arena;     /* the paths and sights */
    struct buf answer;
    struct reading reading; /* the end: as if the program had ended with 0. No texts */
    struct reading_path *paths;
    struct reading_call *calls;
    uint32_t call_count;
    struct buf message, model, odd; /* odd: the beginning of the first line that is no event */
    enum reading_end trouble; /* what the service was last said to answer; OK once it serves */
    uint64_t reset_at_ms;     /* when it said that its limit ends */
    uint64_t message_id;      /* a hash of the one that the answer is made of */
    bool stale;               /* the next text begins a new answer */
};

void stream_init(struct stream *stream, const struct stream_kind *kind);
void stream_release(struct stream *stream);
void stream_feed(struct stream *stream, struct str chunk);

/* The end of the stream; exit_status is the program's, or -1 where it did not end by itself.
 * Everything in *out lives in arena. ERR_LIMIT: the answer is longer than we judge; the rest of
 * *out is good all the same. */
int stream_end(struct stream *stream, int exit_status, struct arena *arena, struct reading *out,
               struct err *err);

#endif
