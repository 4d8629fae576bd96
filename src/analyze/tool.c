/* SPDX-License-Identifier: Apache-2.0
 *
 * tool.c - any tool that writes SARIF or rdjson: run once, in the workspace.
 *
 * Tools end with all kinds of status when they found something, so the status alone says little:
 * a report that reads well counts. But a command that is not there (126, 127) or was killed has not
 * looked, even if it wrote a report; and a report that names a file outside the workspace is not
 * believed in any part. */
#include "analyze/analyze.h"

#include "format/text/safe.h"

#include <string.h>

enum { STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127, STATUS_SIGNAL = 128, SIGNAL_MAX = 64,
       COMMAND_SHOWN_MAX = 120 };

static const struct {
    const char *name;
    int (*read)(struct str report, struct diagnostics *out, struct err *err);
} formats[] = {
    { "sarif", sarif_read },
    { "rdjson", rdjson_read },
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static int problem(const char *format, const char *command, const char *words, struct str said,
                   struct err *err)
{
    struct arena arena = { 0 };
    struct str line = str_last_line(said);
    int rc = err_set(err, ERR_FAILED, "%s:%s: %s%s%s", format,
                     safe_copy(&arena, str_of(command), COMMAND_SHOWN_MAX), words,
                     line.size ? "; it said: " : "",
                     line.size ? safe_copy(&arena, line, LINE_SHOWN_MAX) : "");

    arena_release(&arena);
    return rc;
}

static const char *end_problem(const struct crew_job *job, struct arena *arena)
{
    if (!job->started) return arena_printf(arena, "sh does not start (%s)", strerror(job->error));
    if (job->signal) return arena_printf(arena, "it was ended by signal %d", job->signal);
    /* So a shell says it of the program that it waited for. */
    if (job->status > STATUS_SIGNAL && job->status <= STATUS_SIGNAL + SIGNAL_MAX) {
        return arena_printf(arena, "it was ended by signal %d", job->status - STATUS_SIGNAL);
    }
    if (job->status == STATUS_NOT_FOUND) return "there is no such command";
    if (job->status == STATUS_NOT_EXECUTABLE) return "it cannot be run";
    return NULL;
}

static int take_all(struct review *review, const struct diagnostics *read, const char *format,
                    const char *command, struct err *err)
{
    for (uint32_t i = 0; i < read->count; i++) {
        const struct diagnostic *diagnostic = &read->items[i];
        struct finding finding;

        if (!locate_finding(&review->locator, diagnostic, review->workspace, &review->arena,
                            &finding)) {
            return problem(format, command, arena_printf(
                &review->arena, "its report names a file outside the workspace, or one behind a "
                "link, and is not believed: %s",
                safe_copy(&review->arena, diagnostic->file, PATH_SHOWN_MAX)), STR(""), err);
        }
        finding.tool = arena_copy(&review->arena,
                                  read->tool.size > 0 ? read->tool : str_of(format));
        if (!review_excludes(review, finding.file)) review_add_scoped(review, &finding);
    }
    return 0;
}

static int read_report(struct review *review, uint32_t format, const char *command,
                       const struct crew_job *job, struct err *err)
{
    struct diagnostics read = { 0 };
    struct arena *arena = &review->arena;
    const char *name = formats[format].name;
    const char *ended = end_problem(job, arena);
    struct err why = { 0 };
    int rc;

    if (ended) return problem(name, command, ended, buf_str(&job->err), err);
    if (job->cut && job->out.size == job->out.limit) {
        return problem(name, command, "its report is too long", STR(""), err);
    }
    rc = formats[format].read(buf_str(&job->out), &read, &why);
    if (rc != 0) {
        rc = problem(name, command, arena_printf(
            arena, "it ended with status %d, and its report cannot be read: %s", job->status,
            safe_copy(arena, str_of(why.text), LINE_SHOWN_MAX)), buf_str(&job->err), err);
    } else if (read.failure.size > 0) {
        rc = problem(name, command, arena_printf(
            arena, "it could not do its work: %s",
            safe_copy(arena, read.failure, LINE_SHOWN_MAX)), STR(""), err);
    } else {
        rc = take_all(review, &read, name, command, err);
    }
    diagnostics_release(&read);
    return rc;
}

int analyze_tool(struct review *review, const char *format, const char *command, struct err *err)
{
    const char *argv[] = { "sh", "-c", command, NULL };
    struct crew_job job = { .argv = argv, .cwd = review->workspace,
                            .out_bytes_max = REPORT_BYTES_MAX, .err_bytes_max = SAID_BYTES_MAX };
    uint32_t at = 0;
    int rc;

    while (at < FORMAT_COUNT && strcmp(formats[at].name, format) != 0) at++;
    if (at == FORMAT_COUNT) return err_set(err, ERR_USAGE, "there is no format '%s'", format);
    rc = crew_run(&job, 1, 1, NULL, NULL, err);
    if (rc == 0) rc = read_report(review, at, command, &job, err);
    crew_release(&job, 1);
    return rc;
}
