/* SPDX-License-Identifier: Apache-2.0
 *
 * supervised.c - the stage, and the parts agents play on it.
 *
 *   family PARTS END   starts one process per letter of PARTS, says their pids and its own, and
 *                      then waits (END: wait) or exits with 0 (END: exit):
 *                        p  a plain background child
 *                        s  one in a session of its own
 *                        d  a daemon: forked twice, own session, deaf to TERM
 *                        h  a hidden one: as d, with nothing left in its environment
 *                        t  a stopped one
 *                        i  a plain one that is deaf to TERM
 *                        e  a plain one with an empty environment
 *   deaf               says its pid, notes each TERM on stdout and goes on
 *   polite             says its pid, notes the TERM on stdout and exits with 0
 *   drip N MS          writes a line N times, MS milliseconds apart
 *   descriptors        lists what is open on stdout */
#include "supervised.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the stage ---- */

const char *stage_path(const struct stage *stage, const char *format, ...)
{
    static char paths[8][STAGE_PATH_BYTES];
    static unsigned next;
    char *path = paths[next++ % 8];
    size_t bytes = (size_t)snprintf(path, STAGE_PATH_BYTES, "%s/", stage->folder);
    va_list args;

    va_start(args, format);
    vsnprintf(path + bytes, STAGE_PATH_BYTES - bytes, format, args);
    va_end(args);
    return path;
}

void stage_write(const struct stage *stage, const char *name, const char *text)
{
    FILE *file = fopen(stage_path(stage, "%s", name), "we");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

char *stage_read(const struct stage *stage, const char *name)
{
    uint64_t bytes = stage_size(stage, name);
    char *text = mem_alloc(bytes + 1);
    FILE *file = fopen(stage_path(stage, "%s", name), "re");

    if (!file) return text;
    assert_int_equal(fread(text, 1, bytes, file), bytes);
    fclose(file);
    return text;
}

uint64_t stage_size(const struct stage *stage, const char *name)
{
    struct stat info;

    return stat(stage_path(stage, "%s", name), &info) == 0 ? (uint64_t)info.st_size : 0;
}

int stage_open(void **state)
{
    static const struct stage empty = { .talk_fd = -1, .supervisor = { .fd = -1 } };
    struct stage *stage = mem_alloc(sizeof *stage);
    const char *base = getenv("TMPDIR");
    struct err err;

    *stage = empty;
    snprintf(stage->folder, sizeof stage->folder, "%s/hone-stage-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(stage->folder)) return -1;
    if (mkfifo(stage_path(stage, "talk"), 0600) != 0) return -1;
    stage->talk_fd = open(stage_path(stage, "talk"), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (stage->talk_fd < 0) return -1;
    setenv("STAGE_TALK", stage_path(stage, "talk"), 1);
    stage_write(stage, "prompt", "");
    *state = stage;
    return supervisor_start(&stage->supervisor, -1, &err);
}

int stage_close(void **state)
{
    struct stage *stage = *state;
    const struct dirent *entry;
    DIR *folder = opendir(stage->folder);

    supervisor_close(&stage->supervisor);
    while (folder && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.') unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder) closedir(folder);
    close(stage->talk_fd);
    rmdir(stage->folder);
    free(stage);
    return 0;
}

struct spawn stage_spawn(const struct stage *stage, uint64_t id, const char *const *argv)
{
    unsigned long number = (unsigned long)id;

    return (struct spawn){
        .id = id, .argv = argv, .cwd = stage->folder, .in = stage_path(stage, "prompt"),
        .out = stage_path(stage, "%lu.out", number), .err = stage_path(stage, "%lu.err", number),
        .status = stage_path(stage, "%lu.status", number), .grace_ms = 60000,
    };
}

void stage_start(struct stage *stage, const struct spawn *spawn)
{
    struct err err = { 0 };

    if (supervisor_spawn(&stage->supervisor, spawn, &err) != 0) fail_msg("%s", err.text);
}

void stage_shell(struct stage *stage, uint64_t id, const char *script)
{
    const char *argv[] = { "sh", "-c", script, NULL };
    struct spawn spawn = stage_spawn(stage, id, argv);

    stage_start(stage, &spawn);
}

void stage_wait_readable(int fd)
{
    struct pollfd polled = { .fd = fd, .events = POLLIN };
    int rc;

    do {
        rc = poll(&polled, 1, STAGE_WAIT_MS);
    } while (rc < 0 && errno == EINTR);
    if (rc != 1) fail_msg("nothing to read after %d ms", STAGE_WAIT_MS);
}

struct notice stage_notice(struct stage *stage)
{
    struct notice notice = { 0 };
    int rc;

    while ((rc = supervisor_next(&stage->supervisor, &notice)) == 0) {
        stage_wait_readable(stage->supervisor.fd);
    }
    assert_int_equal(rc, 1);
    return notice;
}

void stage_expect(struct stage *stage, uint64_t id, enum ended_by by, int value)
{
    struct notice notice = stage_notice(stage);

    assert_int_equal(notice.id, id);
    assert_int_equal(notice.by, by);
    assert_int_equal(notice.value, value);
}

void stage_expect_text(const struct stage *stage, const char *name, const char *text)
{
    char *found = stage_read(stage, name);

    assert_string_equal(found, text);
    free(found);
}

void stage_expect_status(const struct stage *stage, const char *name, enum ended_by by,
                         int value)
{
    struct notice notice = { .value = -1 };
    struct err err = { 0 };

    if (notice_read(stage_path(stage, "%s", name), &notice, &err) != 0) fail_msg("%s", err.text);
    assert_int_equal(notice.by, by);
    assert_int_equal(notice.value, value);
    assert_true(notice.ended_ms > 0);
}

void stage_expect_no_status(const struct stage *stage, const char *name)
{
    struct notice notice;
    struct err err;

    assert_int_equal(notice_read(stage_path(stage, "%s", name), &notice, &err), ERR_MISSING);
}

void stage_listen(const struct stage *stage, pid_t *out, uint32_t count)
{
    pid_t number = 0;

    for (uint32_t i = 0; i < count;) {
        char byte;

        stage_wait_readable(stage->talk_fd);
        if (read(stage->talk_fd, &byte, 1) != 1) continue;
        if (byte >= '0' && byte <= '9') {
            number = number * 10 + (byte - '0');
        } else {
            out[i++] = number;
            number = 0;
        }
    }
}

uint32_t open_descriptors(pid_t pid)
{
    char path[64];
    uint32_t count = 0;
    DIR *folder;

    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

bool is_alive(pid_t pid)
{
    return kill(pid, 0) == 0;
}

/* ---- the parts ---- */

const char *stage_self(void)
{
    static char path[4096];
    ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 1);

    if (bytes < 0) abort();
    path[bytes] = '\0';
    return path;
}

static _Noreturn void wait_for_ever(void)
{
    for (;;) pause();
}

static void say_pid(int fd, pid_t pid)
{
    char line[32];
    int bytes = snprintf(line, sizeof line, "%ld\n", (long)pid);

    if (write(fd, line, (size_t)bytes) != bytes) _exit(90);
}

static int open_talk(void)
{
    const char *path = getenv("STAGE_TALK");
    int fd = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;

    if (fd < 0) _exit(91);
    return fd;
}

/* In the new process: becomes what the letter says, tells its pid when it is, and stays. */
static _Noreturn void member_play(char part, int fd)
{
    bool is_daemon = part == 'd' || part == 'h' || part == 'l';

    if (is_daemon || part == 'i') signal(SIGTERM, SIG_IGN); /* kept across exec */
    if (is_daemon || part == 's') setsid();
    if (is_daemon && fork() != 0) _exit(0);
    if (part == 'l') { /* no limit is the one that it was given */
        struct rlimit low = { .rlim_cur = 1000, .rlim_max = 1000 };

        if (setrlimit(RLIMIT_LOCKS, &low) != 0) _exit(97);
    }
    if (part == 'h' || part == 'e' || part == 'l') {
        char name[] = "sh", option[] = "-c";
        char script[] = "echo $$ >&3; exec 3>&-; exec sleep 1000";
        char *argv[] = { name, option, script, NULL };
        char *none[] = { NULL };

        if (dup2(fd, 3) < 0) _exit(92);
        execve("/bin/sh", argv, none);
        _exit(93);
    }
    say_pid(fd, getpid());
    if (part == 't') raise(SIGSTOP);
    wait_for_ever();
}

static _Noreturn void family_play(const char *parts, const char *end)
{
    int talk_fd = open_talk();
    int ends[2];
    char byte;

    if (pipe2(ends, O_CLOEXEC) != 0) _exit(94);
    for (const char *part = parts; *part; part++) {
        pid_t pid = fork();

        if (pid < 0) _exit(95);
        if (pid == 0) member_play(*part, ends[1]);
        if (*part == 'd' || *part == 'h' || *part == 'l') waitpid(pid, NULL, 0);
        if (*part == 't') waitpid(pid, NULL, WUNTRACED);
        do { /* its line, passed on when it is whole: it is there now */
            if (read(ends[0], &byte, 1) != 1 || write(talk_fd, &byte, 1) != 1) _exit(96);
        } while (byte != '\n');
    }
    say_pid(talk_fd, getpid());
    if (strcmp(end, "exit") == 0) _exit(0);
    wait_for_ever();
}

static volatile sig_atomic_t is_polite;

static void on_term(int number)
{
    (void)number;
    if (write(STDOUT_FILENO, "TERM\n", 5) != 5 || is_polite) _exit(0);
}

static _Noreturn void term_play(bool polite)
{
    is_polite = polite;
    signal(SIGTERM, on_term);
    say_pid(open_talk(), getpid());
    wait_for_ever();
}

static _Noreturn void drip_play(const char *times, const char *every_ms)
{
    for (long i = strtol(times, NULL, 10); i > 0; i--) {
        if (write(STDOUT_FILENO, "drip\n", 5) != 5) _exit(97);
        poll(NULL, 0, (int)strtol(every_ms, NULL, 10));
    }
    _exit(0);
}

static _Noreturn void descriptors_play(void)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL) {
        long fd = strtol(entry->d_name, NULL, 10);

        if (entry->d_name[0] != '.' && fd != dirfd(folder)) printf("%ld\n", fd);
    }
    fflush(stdout);
    _exit(0);
}

void stage_play(int argc, char **argv)
{
    if (argc < 2) return;
    if (strcmp(argv[1], "family") == 0 && argc == 4) family_play(argv[2], argv[3]);
    if (strcmp(argv[1], "deaf") == 0) term_play(false);
    if (strcmp(argv[1], "polite") == 0) term_play(true);
    if (strcmp(argv[1], "drip") == 0 && argc == 4) drip_play(argv[2], argv[3]);
    if (strcmp(argv[1], "descriptors") == 0) descriptors_play();
}
