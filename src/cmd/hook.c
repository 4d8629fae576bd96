/* SPDX-License-Identifier: Apache-2.0
 *
 * hook.c - hone hook: the one command behind every hook of Claude Code and Codex.
 *
 * 1. Standard output has one JSON value or nothing. The exit code is always 0 or 2: with any other
 *    code the host would allow what should have been refused.
 * 2. Where the input cannot be read, or hone has a defect, an event at which hone can refuse (a
 *    gate) is refused, and at any other event hone says nothing. As long as it is not known which
 *    event it is, it counts as a gate.
 *
 * A prompt that asks for a new run is read here, like a command line of hone run (run.c).
 * Not here: what the events mean (drive/hosted/hosted.c). */
#include "cmd/parse.h"
#include "cmd/run.h"

#include "cmd/verbs.h"
#include "drive/hosted/hosted.h"
#include "io/file/file.h"
#include "io/process/signals.h"

#include <stdio.h>

enum { CODE_REFUSED = 2, WORDS_MAX = 256, TASK_BYTES_MAX = 64 << 10 };

/* ---- what stands behind a command ---- */

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Cuts the next word off; *gap is what stands in front of it. */
static struct str next_word(struct str *rest, struct str *gap)
{
    struct str word;

    *gap = *rest;
    while (rest->size > 0 && is_blank(rest->data[0])) *rest = str_skip(*rest, 1);
    gap->size -= rest->size;
    word = (struct str){ rest->data, 0 };
    while (word.size < rest->size && !is_blank(rest->data[word.size])) word.size++;
    *rest = str_skip(*rest, word.size);
    return word;
}

/* The words of a prompt as arguments of hone run: its options, wherever they stand, and everything
 * else as the task, with its lines as they are. The task is a sentence: quotes in it, and dashes
 * inside of it, mean nothing. A word with a dash in front of the task can only be an option: where
 * hone run does not know it, the user is told so. NULL where the task is too long. */
static const char **argv_of(const struct dialect *dialect, struct str words, struct arena *arena,
                            int *count)
{
    const char **argv = arena_alloc(arena, (WORDS_MAX + 8) * sizeof *argv);
    struct str gap;
    struct buf task;
    bool fits;

    *count = 0;
    argv[(*count)++] = "hone";
    argv[(*count)++] = "run";
    argv[(*count)++] = dialect->name;
    buf_init(&task, TASK_BYTES_MAX);
    words = str_trim(words);
    while (words.size > 0) {
        struct str word = next_word(&words, &gap);
        bool wants = false;
        bool dashes = str_starts(word, STR("--")) && word.size > 2 && *count < WORDS_MAX;
        bool known = dashes && (run_knows_option(dialect, str_skip(word, 2), &wants) ||
                                task.size == 0);

        if (!known) {
            if (task.size) buf_add(&task, gap);
            buf_add(&task, word);
            continue;
        }
        argv[(*count)++] = arena_cstr(arena, word);
        if (wants && !str_has(word, '=') && str_trim(words).size > 0) {
            argv[(*count)++] = arena_cstr(arena, next_word(&words, &gap));
        }
    }
    if (task.size) {
        argv[(*count)++] = "--";
        argv[(*count)++] = arena_cstr(arena, buf_str(&task));
    }
    argv[*count] = NULL;
    fits = !task.overflow;
    buf_release(&task);
    return fits ? argv : NULL;
}

static void begin(const struct hook_input *in, struct hosted_reply *reply)
{
    const struct dialect *dialect = reply->start;
    struct arena arena = { 0 };
    struct run_request request = { 0 };
    struct call call = { 0 };
    struct err err = { 0 };
    int count, rc;
    const char **argv = argv_of(dialect, reply->start_words, &arena, &count);

    rc = argv ? call_parse(&call, count, argv, &err)
              : err_set(&err, ERR_LIMIT, "the task is longer than %d KiB: put it into a file, and "
                        "name that file as the task", TASK_BYTES_MAX >> 10);
    if (rc == 0) {
        if (in->cwd.size) call.cwd = arena_cstr(&call.arena, in->cwd);
        rc = run_take(&call, &request, &err);
    }
    if (rc == 0) {
        hosted_begin(in, request.dialect, request.task, &request.settings, reply);
    } else {
        hosted_refuse(in, &err, reply);
    }
    run_request_release(&request);
    call_release(&call);
    arena_release(&arena);
}

/* ---- the verb ---- */

static const char crash_words[] =
    "[hone] hone has failed in this hook: that is a defect of hone, not yours. 'hone stop' ends "
    "the run if this happens again.\n";

static int answer(struct buf *text, struct str event)
{
    struct hosted_reply reply;
    struct hook_input in;
    struct err err = { 0 };
    int code;

    hosted_reply_init(&reply);
    if (hook_read(&in, text, event, &err) != 0) {
        if (hook_is_gate(in.event)) {
            reply.code = CODE_REFUSED;
            buf_printf(&reply.err, "[hone] what the host said to this hook cannot be read: %s\n",
                       err.text);
        }
    } else {
        if (!hook_is_gate(in.event)) crash_becomes(0, "");
        hosted_answer(&in, &reply);
        if (reply.start) begin(&in, &reply);
    }
    hook_release(&in);
    fwrite(reply.out.data ? reply.out.data : "", 1, reply.out.size, stdout);
    fwrite(reply.err.data ? reply.err.data : "", 1, reply.err.size, stderr);
    code = reply.code;
    hosted_reply_release(&reply);
    return code;
}

static int handle(struct call *call)
{
    const char *event = call_argument(call, 0);
    struct err err = { 0 };
    struct buf text;
    int code;

    crash_becomes(CODE_REFUSED, crash_words);
    buf_init(&text, HOOK_TEXT_BYTES_MAX);
    if (file_read_fd(0, &text, &err) != 0) {
        bool gate = hook_is_gate(hook_event_of(str_of(event)));

        if (gate) fprintf(stderr, "[hone] the hook's input cannot be read: %s\n", err.text);
        code = gate ? CODE_REFUSED : 0;
    } else {
        code = answer(&text, str_of(event));
    }
    buf_release(&text);
    return code;
}

const struct verb verb_hook = {
    .name = "hook",
    .summary = "answer a hook of Claude Code or Codex",
    .text = {
        "Reads one event as JSON on standard input and answers it, as hooks of Claude Code and "
        "Codex do: with JSON on standard output, or with exit code 2 and the reason on standard "
        "error. 'hone install' wires it up; you need not call it by hand.",
        "A session that has no run of hone is left alone at every event.",
    },
    .arguments = {
        { .name = "EVENT", .optional = true,
          .help = "the event, such as PreToolUse, where the input does not name it" },
    },
    .codes = {
        { CODE_DONE, "answered; silence lets happen what was asked about" },
        { CODE_USAGE, "refused: the reason is on standard error" },
    },
    .examples = { "hone hook < event.json" },
    .handle = handle,
};
