/* SPDX-License-Identifier: Apache-2.0
 *
 * Many programs are run side by side, each to its end, and all they said is there. */
#include "ground.h"
#include "io/process/program.h"
#include "supervised.h"
#include "test.h"

#include "base/mem.h"
#include "io/process/crew.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 1000, SCRIPTS = 16 };

static const char *argvs[SCRIPTS][4];

/* One of SCRIPTS jobs that run a shell script. */
static struct crew_job shell(uint32_t slot, const char *script)
{
    const char **argv = argvs[slot];

    argv[0] = "sh";
    argv[1] = "-c";
    argv[2] = script;
    return (struct crew_job){ .argv = argv, .out_bytes_max = BYTES, .err_bytes_max = BYTES };
}

static void run(struct crew_job *jobs, uint32_t count, uint32_t at_once)
{
    struct err err;

    assert_int_equal(crew_run(jobs, count, at_once, NULL, NULL, &err), 0);
}

TEST(each_ends_with_what_it_said)
{
    struct crew_job jobs[] = {
        shell(0, "echo one; echo noise >&2"),
        shell(1, "echo two; exit 3"),
        shell(2, "printf 'a\\0b'; kill -9 $$"),
        shell(3, "cat; echo end"), /* standard input is empty */
    };

    run(jobs, 4, 2);
    assert_string_equal(buf_cstr(&jobs[0].out), "one\n");
    assert_string_equal(buf_cstr(&jobs[0].err), "noise\n");
    assert_true(jobs[0].started);
    assert_int_equal(jobs[0].status, 0);
    assert_int_equal(jobs[0].signal, 0);
    assert_string_equal(buf_cstr(&jobs[1].out), "two\n");
    assert_int_equal(jobs[1].status, 3);
    assert_int_equal(jobs[2].status, -1);
    assert_int_equal(jobs[2].signal, SIGKILL);
    assert_int_equal(jobs[2].out.size, 3);
    assert_memory_equal(jobs[2].out.data, "a\0b", 3);
    assert_string_equal(buf_cstr(&jobs[3].out), "end\n");
    crew_release(jobs, 4);
}

TEST(none_is_no_work)
{
    struct err err;

    assert_int_equal(crew_run(NULL, 0, 4, NULL, NULL, &err), 0);
}

TEST(what_cannot_start_says_so_and_the_others_run)
{
    static const char *const missing[] = { "hone-no-such-program", NULL };
    static const char *const folder[] = { "/", NULL };
    struct crew_job jobs[] = {
        { .argv = missing, .out_bytes_max = BYTES, .err_bytes_max = BYTES },
        { .argv = folder, .out_bytes_max = BYTES, .err_bytes_max = BYTES },
        shell(0, "echo here"),
        shell(1, "echo nowhere"),
    };

    jobs[3].cwd = "/nonexistent";
    run(jobs, 4, 1);
    assert_false(jobs[0].started);
    assert_int_equal(jobs[0].error, ENOENT);
    assert_false(jobs[1].started);
    assert_int_equal(jobs[1].error, EACCES);
    assert_true(jobs[2].started);
    assert_string_equal(buf_cstr(&jobs[2].out), "here\n");
    assert_false(jobs[3].started);
    assert_int_equal(jobs[3].out.size, 0);
    crew_release(jobs, 4);
}

TEST(folder_and_environment_are_the_jobs_own)
{
    static const char *const env[] = { "HOME=/elsewhere", "NEW=a b", NULL };
    struct crew_job jobs[] = { shell(0, "pwd; echo $HOME,$NEW"), shell(1, "echo $NEW") };

    jobs[0].cwd = "/";
    jobs[0].env = env;
    run(jobs, 2, 2);
    assert_string_equal(buf_cstr(&jobs[0].out), "/\n/elsewhere,a b\n");
    assert_string_equal(buf_cstr(&jobs[1].out), "\n");
    crew_release(jobs, 2);
}

/* Both sides would wait for ever if what exceeds the bound were not read. */
TEST(what_exceeds_the_bound_is_dropped_and_said)
{
    struct crew_job jobs[] = {
        shell(0, "head -c 5000000 /dev/zero | tr '\\0' x; echo end >&2"),
        shell(1, "head -c 5000000 /dev/zero | tr '\\0' y >&2; echo end"),
        shell(2, "head -c 1000 /dev/zero"),
        shell(3, "head -c 1001 /dev/zero"),
        shell(4, "echo x"),
    };

    jobs[4].out_bytes_max = 0;
    run(jobs, 5, 2);
    assert_true(jobs[0].cut);
    assert_int_equal(jobs[0].out.size, BYTES);
    assert_string_equal(buf_cstr(&jobs[0].err), "end\n");
    assert_int_equal(jobs[0].status, 0);
    assert_true(jobs[1].cut);
    assert_int_equal(jobs[1].err.size, BYTES);
    assert_string_equal(buf_cstr(&jobs[1].out), "end\n");
    assert_false(jobs[2].cut);
    assert_int_equal(jobs[2].out.size, BYTES);
    assert_true(jobs[3].cut);
    assert_true(jobs[4].cut);
    assert_int_equal(jobs[4].out.size, 0);
    crew_release(jobs, 5);
}

/* Each waits for the other to open its end: one after the other would never come to an end. */
TEST_WITH(as_many_as_allowed_run_side_by_side, ground_open, ground_close)
{
    struct ground *ground = *state;
    struct crew_job jobs[] = {
        shell(0, "echo ping > fifo"),
        shell(1, "cat fifo"),
    };

    assert_int_equal(mkfifo(at(ground, "fifo"), 0600), 0);
    jobs[0].cwd = jobs[1].cwd = ground->root;
    run(jobs, 2, 2);
    assert_string_equal(buf_cstr(&jobs[1].out), "ping\n");
    crew_release(jobs, 2);
}

/* mkdir is a lock: a job that finds it taken is one too many. */
TEST_WITH(never_more_than_allowed, ground_open, ground_close)
{
    struct ground *ground = *state;
    struct crew_job jobs[SCRIPTS];

    for (uint32_t i = 0; i < SCRIPTS; i++) {
        jobs[i] = shell(i, "mkdir lock || exit 1; echo >> order; rmdir lock");
        jobs[i].cwd = ground->root;
    }
    run(jobs, SCRIPTS, 1);
    for (uint32_t i = 0; i < SCRIPTS; i++) assert_int_equal(jobs[i].status, 0);
    crew_release(jobs, SCRIPTS);
    run(jobs, SCRIPTS, 0); /* none is one */
    for (uint32_t i = 0; i < SCRIPTS; i++) assert_int_equal(jobs[i].status, 0);
    crew_release(jobs, SCRIPTS);
}

struct ends {
    const struct crew_job *jobs;
    uint32_t order[SCRIPTS], count;
};

static void on_done(void *context, struct crew_job *job)
{
    struct ends *ends = context;

    ends->order[ends->count++] = (uint32_t)(job - ends->jobs);
    buf_release(&job->out); /* allowed: memory is then bounded by what runs */
}

TEST_WITH(each_end_is_told_as_it_comes, ground_open, ground_close)
{
    static const char *const missing[] = { "hone-no-such-program", NULL };
    struct ground *ground = *state;
    struct crew_job jobs[] = {
        shell(0, "cat fifo"), /* ends when the second one writes */
        { .argv = missing },
        shell(1, "echo > fifo; echo much; exit 0"),
    };
    struct ends ends = { .jobs = jobs };
    struct err err;

    assert_int_equal(mkfifo(at(ground, "fifo"), 0600), 0);
    jobs[0].cwd = jobs[2].cwd = ground->root;
    assert_int_equal(crew_run(jobs, 3, 2, on_done, &ends, &err), 0);
    assert_int_equal(ends.count, 3);
    assert_int_equal(ends.order[0], 1);
    assert_true(ends.order[1] + ends.order[2] == 2);
    crew_release(jobs, 3);
}

TEST(thousands_leave_nothing_open)
{
    enum { MANY = 3000 };
    static const char *const argv[] = { "/bin/true", NULL };
    struct crew_job *jobs = mem_alloc(MANY * sizeof *jobs);
    uint32_t before = open_descriptors(getpid());

    for (uint32_t i = 0; i < MANY; i++) {
        jobs[i] = (struct crew_job){ .argv = argv, .out_bytes_max = SIZE_MAX / 4,
                                     .err_bytes_max = SIZE_MAX / 4 };
    }
    run(jobs, MANY, UINT32_MAX);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(jobs[i].status, 0);
        assert_int_equal(jobs[i].out.cap, 0); /* silent jobs cost nothing */
    }
    assert_int_equal(open_descriptors(getpid()), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie either */
    assert_int_equal(errno, ECHILD);
    crew_release(jobs, MANY);
    free(jobs);
}

/* The first ends while the second holds its pipes. */
TEST(leftovers_do_not_hold_us)
{
    struct crew_job jobs[] = { shell(0, "sleep 1000 & echo $!"), shell(1, "echo other") };
    uint64_t pid;

    run(jobs, 2, 1);
    assert_true(str_number(str_trim(buf_str(&jobs[0].out)), &pid));
    assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
    assert_string_equal(buf_cstr(&jobs[1].out), "other\n");
    crew_release(jobs, 2);
}

/* Until `before` is set again, at most `count` descriptors more can be opened. */
static void allow_descriptors(int count, struct rlimit *before)
{
    struct rlimit few;
    int lowest = dup(0);

    assert_true(lowest > 0);
    close(lowest);
    getrlimit(RLIMIT_NOFILE, before);
    few = *before;
    few.rlim_cur = (rlim_t)(lowest + count);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
}

TEST(too_few_descriptors_make_jobs_wait)
{
    struct rlimit before;
    struct crew_job jobs[SCRIPTS];

    for (uint32_t i = 0; i < SCRIPTS; i++) jobs[i] = shell(i, "echo done");
    allow_descriptors(12, &before);
    run(jobs, SCRIPTS, SCRIPTS);
    setrlimit(RLIMIT_NOFILE, &before);
    for (uint32_t i = 0; i < SCRIPTS; i++) {
        assert_string_equal(buf_cstr(&jobs[i].out), "done\n");
    }
    crew_release(jobs, SCRIPTS);
}

TEST(no_descriptors_at_all_are_an_error)
{
    struct rlimit before;
    struct crew_job job = shell(0, "echo done");
    struct err err;
    int rc;

    allow_descriptors(2, &before);
    rc = crew_run(&job, 1, 1, NULL, NULL, &err);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_int_equal(rc, ERR_SYSTEM);
    assert_false(job.started);
    assert_int_not_equal(job.error, 0);
    crew_release(&job, 1);
}

TEST(a_job_has_no_descriptor_of_ours)
{
    const char *argv[] = { stage_self(), "descriptors", NULL };
    struct crew_job jobs[] = {
        { .argv = argv, .out_bytes_max = BYTES }, { .argv = argv, .out_bytes_max = BYTES },
    };
    int leaky[2];

    assert_int_equal(pipe(leaky), 0); /* without close-on-exec */
    run(jobs, 2, 2);
    assert_string_equal(buf_cstr(&jobs[0].out), "0\n1\n2\n");
    assert_string_equal(buf_cstr(&jobs[1].out), "0\n1\n2\n");
    close(leaky[0]);
    close(leaky[1]);
    crew_release(jobs, 2);
}

static void expect_program(const char *name, const char *path)
{
    struct arena arena = { 0 };
    const char *found = program_find(name, &arena);

    assert_int_equal(program_exists(name), path != NULL);
    if (path) assert_string_equal(found, path);
    else assert_null(found);
    arena_release(&arena);
}

TEST_WITH(programs_are_found_on_the_path, ground_open, ground_close)
{
    struct ground *ground = *state;
    const char *path = getenv("PATH");
    char *before = path ? strdup(path) : NULL;

    put(at(ground, "one/data"), "");
    put(at(ground, "two/tool"), "#!/bin/sh\n");
    make_folder(at(ground, "one/tool")); /* a folder is no program */
    chmod(at(ground, "two/tool"), 0755);
    chmod(at(ground, "one/data"), 0644);
    setenv("PATH", at(ground, "one:%s/two", ground->root), 1);
    expect_program("tool", at(ground, "two/tool"));
    expect_program("data", NULL); /* not executable */
    expect_program("nothing", NULL);
    expect_program("", NULL);
    expect_program(at(ground, "two/tool"), at(ground, "two/tool"));
    expect_program(at(ground, "one/data"), NULL);
    setenv("PATH", "", 1);
    expect_program("tool", NULL);
    unsetenv("PATH");
    expect_program("sh", "/bin/sh");
    if (before) setenv("PATH", before, 1);
    free(before);
}

TEST(this_program_knows_itself_and_its_processors)
{
    assert_string_equal(program_self(), stage_self());
    assert_true(processor_count() >= 1);
    assert_true(processor_count() <= 65536);
}

/* A program that takes too long is ended, with what it started; the others are not. */
TEST(what_is_late_is_ended)
{
    struct crew_job jobs[] = {
        shell(0, "sleep 600 & echo begun; wait"),
        shell(1, "echo quick"),
    };

    jobs[0].ms_max = 200;
    jobs[1].ms_max = 600000;
    run(jobs, 2, 2);
    assert_true(jobs[0].late);
    assert_int_equal(jobs[0].signal, SIGKILL);
    assert_string_equal(buf_cstr(&jobs[0].out), "begun\n");
    assert_false(jobs[1].late);
    assert_int_equal(jobs[1].status, 0);
    crew_release(jobs, 2);
}

TESTS_CALLED(stage_play)
