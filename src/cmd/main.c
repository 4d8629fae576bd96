/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - the process around a verb.
 *
 * 1. Descriptors 0 to 2 are open before hone opens anything else: no file of hone can become the
 *    standard output of a program that hone starts.
 * 2. Variables by which git names one repository to its hooks and aliases are dropped: hone finds
 *    the repository of its own folder, and so do its agents.
 * 3. A closed pipe makes a write fail; it does not kill hone, and changes no exit code. Where
 *    output could not be written for another reason (a full disk), a message and the exit code say
 *    so. */
#include "cmd/page.h"
#include "cmd/parse.h"
#include "cmd/say.h"

#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const forgotten[] = {
    "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX",
    "GIT_QUARANTINE_PATH", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE",
    "GIT_NO_REPLACE_OBJECTS", "GIT_CONFIG", "GIT_INTERNAL_SUPER_PREFIX", NULL,
};

/* The index that git names to its hooks; NULL: none. */
static char *git_index;

static void settle_process(void)
{
    const char *index = getenv("GIT_INDEX_FILE");
    int fd;

    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= 2);
    if (fd < 0) {
        perror("hone: /dev/null cannot be opened");
        exit(3);
    }
    close(fd);
    if (index && *index) git_index = strdup(index);
    for (uint32_t i = 0; forgotten[i]; i++) unsetenv(forgotten[i]);
    signal(SIGPIPE, SIG_IGN);
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);

    return value && value[0];
}

static bool wants_color(const struct call *call, int fd)
{
    const char *term = getenv("TERM");

    if (call->no_color || is_set("NO_COLOR")) return false;
    if (is_set("FORCE_COLOR") || is_set("CLICOLOR_FORCE")) return true;
    return isatty(fd) && term && term[0] && strcmp(term, "dumb") != 0;
}

/* hone without a verb: the short help. No message of an error, but not exit code 0 either. */
static int show_short(void)
{
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    help_short(&out);
    fputs(buf_cstr(&out), stderr);
    buf_release(&out);
    return CODE_USAGE;
}

static int perform(struct call *call)
{
    struct page page;
    char *cwd;
    int code;

    if (call->help) {
        if (call->verb) page_verb(&page, call->verb);
        else page_overview(&page);
        help_say(&page);
        return CODE_DONE;
    }
    if (call->version) {
        version_say(call->json);
        return CODE_DONE;
    }
    if (!call->verb) return show_short();
    if (call->folder && chdir(call->folder) != 0) {
        return say_fail(CODE_USAGE, "-C %s: %s", call->folder, strerror(errno));
    }
    cwd = getcwd(NULL, 0);
    if (!cwd) return say_fail(CODE_USAGE, "the current directory: %s", strerror(errno));
    call->cwd = cwd;
    call->index = git_index;
    call->color = wants_color(call, STDERR_FILENO);
    call->out_terminal = isatty(STDOUT_FILENO);
    call->out_color = wants_color(call, STDOUT_FILENO);
    code = call->verb->handle(call);
    free(cwd);
    return code;
}

/* A reader that closed the pipe has seen enough; a full disk is a failure. */
static int flush_output(int code)
{
    int problem;

    errno = 0;
    problem = fflush(stdout) == 0 ? say_problem() : errno;
    if (problem == 0) problem = report_problem();
    if (problem == 0 || problem == EPIPE) return code;
    say_fail(CODE_FAILED, "write to standard output: %s", strerror(problem));
    return code == CODE_DONE ? CODE_FAILED : code;
}

int main(int argc, char **argv)
{
    struct call call;
    struct err err;
    int code;

    settle_process();
    if (call_parse(&call, argc, (const char *const *)argv, &err) != 0) {
        code = say_err(&err);
    } else {
        code = perform(&call);
    }
    call_release(&call);
    return flush_output(code);
}
