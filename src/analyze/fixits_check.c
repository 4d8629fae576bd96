/* SPDX-License-Identifier: Apache-2.0
 *
 * fixits_check.c - whether the project stands the fixes: it compiles, and its test passes.
 *
 * What was broken before cannot be broken by a fix. How things were before is looked at only when
 * a check fails, and once: with the old files on disk, which units do not compile, and whether the
 * test fails by itself.
 *
 * 1. Units that did not compile before do not count.
 * 2. A test that failed before cannot judge, and is not asked again.
 * 3. After fixits_check() the changes it was asked about are on disk again, or an error is
 *    returned. */
#include "analyze/fixits.h"

#include "base/mem.h"
#include "format/text/safe.h"
#include "io/process/crew.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    PROBLEM_BYTES_MAX = 64 * 1024,
    TEST_BYTES_MAX = 1 << 20, /* of what a test says on either stream */
};

static const char *const private_paths[] = { ".agents/", ".hone/", NULL };

/* ---- compiling ---- */

int fixits_open_project(struct fixits *fixits, struct err *err)
{
    struct scope scope = { .since = fixits->since, .exclude = fixits->exclude };
    int rc;

    if (fixits->project_opened) return 0;
    rc = project_open(&fixits->project, fixits->workspace, &scope, private_paths, err);
    if (rc != 0) return rc;
    fixits->project_opened = true;
    rc = project_find_flags(&fixits->project, err);
    if (rc == 0) rc = project_find_includes(&fixits->project, err);
    return rc;
}

/* The files that these changes are for. */
static const char **files_of(const struct fixits *fixits, const bool *list, uint32_t *count)
{
    const char **files = mem_alloc((fixits->patch.file_count + 1) * sizeof *files);

    *count = 0;
    for (uint32_t i = 0; i < fixits->patch.file_count; i++) {
        if (!patch_touches(&fixits->patch, list, i)) continue;
        files[(*count)++] = fixits->patch.files[i].path.data;
    }
    return files;
}

/* What these changes are for, and what depends on it; but for what was broken before. */
static int compile(struct fixits *fixits, const bool *list, bool *ok, struct err *err)
{
    struct buf problem;
    struct str rest, line = { "", 0 };
    uint32_t count;
    const char **files = files_of(fixits, list, &count);
    int rc;

    *ok = true;
    buf_init(&problem, PROBLEM_BYTES_MAX);
    rc = project_compiles(&fixits->project, files, count, ok, &problem, err);
    if (rc == 0 && !*ok) {
        rest = buf_str(&problem);
        (void)str_cut(&rest, '\n', &line);
        buf_clear(&fixits->why);
        buf_add(&fixits->why, line);
        fixits->fate = FATE_BUILD;
    }
    buf_release(&problem);
    free(files);
    return rc;
}

/* ---- the test ---- */

/* How it ended, and the last it said. */
static void describe_test(const struct crew_job *job, struct buf *out)
{
    struct str said = str_last_line(buf_str(&job->err));

    if (said.size == 0) said = str_last_line(buf_str(&job->out));
    buf_clear(out);
    if (job->signal) buf_printf(out, "signal %d", job->signal);
    else buf_printf(out, "exit status %d", job->status);
    if (said.size > 0) buf_text(out, ": ");
    safe_text(out, said, true, WHY_BYTES_MAX / 2);
}

static int run_test(struct fixits *fixits, bool *ok, struct err *err)
{
    const char *const argv[] = { "sh", "-c", fixits->test, NULL };
    struct crew_job job = { .argv = argv, .cwd = fixits->workspace,
                            .out_bytes_max = TEST_BYTES_MAX, .err_bytes_max = TEST_BYTES_MAX };
    int rc;

    fprintf(stderr, "fixits: runs the test\n");
    rc = crew_run(&job, 1, 1, NULL, NULL, err);
    if (rc == 0 && !job.started) rc = err_system(err, job.error, "start the test with sh");
    *ok = rc == 0 && job.status == 0;
    if (rc == 0 && !*ok) {
        fixits->fate = FATE_TEST;
        describe_test(&job, &fixits->why);
    }
    crew_release(&job, 1);
    return rc;
}

/* ---- all of it ---- */

/* Puts the old files on disk for a look at how it was before. */
static int with_old(struct fixits *fixits, const bool *in,
                    int (*look)(struct fixits *fixits, struct err *err), struct err *err)
{
    bool *none = mem_alloc(fixits->patch.change_count + 1);
    int rc = fixits_place(fixits, none, err);

    free(none);
    if (rc == 0) rc = look(fixits, err);
    return rc == 0 ? fixits_place(fixits, in, err) : rc;
}

static int look_at_units(struct fixits *fixits, struct err *err)
{
    uint32_t count;
    const char **files = files_of(fixits, NULL, &count);
    int rc = project_find_broken(&fixits->project, files, count, err);

    fixits->base_known = true;
    free(files);
    return rc;
}

static int look_at_test(struct fixits *fixits, struct err *err)
{
    bool ok;
    int rc = run_test(fixits, &ok, err);

    fixits->test_state = ok ? TEST_JUDGES : TEST_USELESS;
    return rc;
}

static int check_build(struct fixits *fixits, const bool *in, const bool *list, bool *ok,
                       struct err *err)
{
    int rc = compile(fixits, list, ok, err);

    if (rc != 0 || *ok || fixits->base_known) return rc;
    rc = with_old(fixits, in, look_at_units, err);
    return rc == 0 ? compile(fixits, list, ok, err) : rc;
}

static int check_test(struct fixits *fixits, const bool *in, bool *ok, struct err *err)
{
    struct buf said;
    int rc;

    if (fixits->test_state == TEST_NONE || fixits->test_state == TEST_USELESS) return 0;
    rc = run_test(fixits, ok, err);
    if (rc != 0 || *ok || fixits->test_state == TEST_JUDGES) return rc;
    said = fixits->why; /* what it says of the old files is not what is reported */
    buf_init(&fixits->why, said.limit);
    rc = with_old(fixits, in, look_at_test, err);
    buf_release(&fixits->why);
    fixits->why = said;
    *ok = rc == 0 && fixits->test_state == TEST_USELESS;
    return rc;
}

int fixits_check(struct fixits *fixits, const bool *in, const bool *list, bool *ok,
                 struct err *err)
{
    int rc = check_build(fixits, in, list, ok, err);

    if (rc != 0 || !*ok) return rc;
    return check_test(fixits, in, ok, err);
}
