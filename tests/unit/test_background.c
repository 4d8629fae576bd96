/* SPDX-License-Identifier: Apache-2.0
 *
 * test_background.c - programs that are listened to, left, stopped, or cannot be started. */
#include "ground.h"
#include "io/file/file.h"
#include "io/process/background.h"
#include "io/process/signals.h"
#include "test.h"

#include <signal.h>
#include <string.h>

enum { PATIENCE_MS = 10 * 1000 };

static void start(struct background *background, const struct ground *ground, const char *script)
{
    const char *const argv[] = { "sh", "-c", script, NULL };
    struct err err;

    assert_int_equal(background_start(background, &(struct background_program){
        .argv = argv, .cwd = ground->work }, &err), 0);
    assert_true(background->pid > 0);
}

static int wait_end(struct background *background)
{
    uint64_t until_ms = now_steady_ms() + PATIENCE_MS;
    int status = -1;

    while (!background_look(background, &status)) {
        assert_true(now_steady_ms() < until_ms);
        wait_readable(-1, -1, 5);
    }
    return status;
}

static void wait_there(const char *path)
{
    uint64_t until_ms = now_steady_ms() + PATIENCE_MS;

    while (!is_there(path)) {
        assert_true(now_steady_ms() < until_ms);
        wait_readable(-1, -1, 5);
    }
}

ON_GROUND(what_it_says_and_how_it_ends_is_known)
{
    const struct ground *ground = *state;
    struct background background;

    start(&background, ground, "echo out; echo err >&2; pwd >here; exit 7");
    assert_int_equal(wait_end(&background), 7);
    assert_string_equal(buf_cstr(&background.out), "out\n");
    assert_string_equal(buf_cstr(&background.err), "err\n");
    assert_true(is_there(at(ground, "work/here")));
    background_leave(&background);
    background_leave(&background); /* empty is fine */
    start(&background, ground, "kill -KILL $$");
    assert_int_equal(wait_end(&background), 128 + SIGKILL);
    background_leave(&background);
}

ON_GROUND(it_has_a_session_of_its_own_and_no_input)
{
    const struct ground *ground = *state;
    struct background background;

    start(&background, ground, "cat; set -- $(cat /proc/$$/stat); test \"$6\" = $$ && echo own");
    assert_int_equal(wait_end(&background), 0);
    assert_string_equal(buf_cstr(&background.out), "own\n");
    background_leave(&background);
}

ON_GROUND(much_output_stalls_nobody)
{
    const struct ground *ground = *state;
    struct background background;

    start(&background, ground, "yes | head -c 1000000; exit 3");
    assert_int_equal(wait_end(&background), 3);
    assert_int_equal(background.out.size, BACKGROUND_BYTES_MAX);
    background_leave(&background);
}

ON_GROUND(whoever_is_left_goes_on)
{
    const struct ground *ground = *state;
    struct background background;

    start(&background, ground, "trap '' PIPE; while ! test -e go; do sleep 0.02; done; echo x; "
                               "echo y >&2; echo done >done");
    background_leave(&background);
    assert_int_equal(background.pid, 0);
    put(at(ground, "work/go"), "");
    wait_there(at(ground, "work/done"));
}

ON_GROUND(whoever_is_stopped_ends)
{
    const struct ground *ground = *state;
    struct background background;

    start(&background, ground, "trap 'exit 9' TERM; echo >ready; while :; do sleep 0.02; done");
    wait_there(at(ground, "work/ready"));
    background_stop(&background);
    assert_int_equal(wait_end(&background), 9);
    background_stop(&background); /* it has ended already */
    background_leave(&background);
}

ON_GROUND(a_program_that_is_not_there_is_said)
{
    const struct ground *ground = *state;
    const char *const argv[] = { "no-such-program-here", NULL };
    struct background background;
    struct err err;

    assert_int_equal(background_start(&background, &(struct background_program){
        .argv = argv, .cwd = ground->work }, &err), ERR_MISSING);
    assert_non_null(strstr(err.text, "no-such-program-here"));
    background_leave(&background);
}

ON_GROUND(it_finds_its_input_and_no_file_of_it_stays)
{
    const struct ground *ground = *state;
    const char *const argv[] = { "sh", "-c", "cat; printf %s \"$WORD\"; wc -c </dev/stdin", NULL };
    const char *const env[] = { "WORD=env", NULL };
    struct background background;
    struct err err;

    assert_int_equal(background_start(&background, &(struct background_program){
        .argv = argv, .env = env, .cwd = ground->work, .input = STR("given\n") }, &err), 0);
    assert_int_equal(wait_end(&background), 0);
    assert_non_null(strstr(buf_cstr(&background.out), "given\nenv"));
    background_leave(&background);
}
