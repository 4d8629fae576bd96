/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_script.c - scripts, over any bytes.
 *
 * 1. A script that passes the check is playable: the only ends are an answer, an exit and
 *    "nothing fits", which names the file.
 * 2. A line that fits everything, put behind such a script, leaves nothing that does not fit.
 * 3. Playing twice gives the same. An exit comes without an answer.
 * 4. A script that does not pass is refused with the file's name, and without a control byte. */
#include "agent/script.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ANSWER_BYTES_MAX = 1 << 20 };

static const struct attempt attempt = {
    .run = "r", .dialect = "review", .role = "critic", .lane = "main", .phase = "R1",
    .iteration = 1, .round = 1, .attempt = 1, .copy = 1,
    .output = "/o", .workspace = "/w", .task = "t",
};

static int play(struct str text, struct buf *answer, int *exit_code, struct err *err)
{
    buf_init(answer, ANSWER_BYTES_MAX);
    *exit_code = 0;
    return script_play(text, "s.jsonl", &attempt, answer, exit_code, err);
}

static void play_all(struct str text, struct err *err)
{
    struct buf first, second, longer;
    int exit_first, exit_second;
    int rc = play(text, &first, &exit_first, err);

    assert(rc == 0 || rc == ERR_FAILED || rc == ERR_LIMIT);
    if (rc == ERR_FAILED) assert(strstr(err->text, "s.jsonl: no line fits"));
    assert(play(text, &second, &exit_second, err) == rc);
    assert(exit_first == exit_second && str_eq(buf_str(&first), buf_str(&second)));
    assert(exit_first == 0 || (first.size == 0 && rc == 0));
    buf_release(&second);

    buf_init(&longer, text.size + 64);
    buf_add(&longer, text);
    buf_text(&longer, "\n{\"answer\":\"all the rest\"}\n");
    rc = play(buf_str(&longer), &second, &exit_second, err);
    assert(rc == 0 || rc == ERR_LIMIT);
    if (first.size > 0) assert(str_eq(buf_str(&first), buf_str(&second)));
    buf_release(&longer);
    buf_release(&second);
    buf_release(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct err err = { 0 };

    if (script_check(text, "s.jsonl", &err) == 0) {
        play_all(text, &err);
    } else {
        assert(err.code == ERR_USAGE);
        assert(strncmp(err.text, "s.jsonl", 7) == 0);
        for (const char *at = err.text; *at; at++) assert((unsigned char)*at >= ' ');
    }
    return 0;
}
