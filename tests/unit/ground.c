/* SPDX-License-Identifier: Apache-2.0 */
#include "ground.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A test that is itself run from a git hook must not see that hook's repository. */
static void clean_environment(void)
{
    static const char *const gone[] = { "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE",
                                        "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
                                        "GIT_ALTERNATE_OBJECT_DIRECTORIES" };

    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) unsetenv(gone[i]);
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    setenv("GIT_AUTHOR_NAME", "test", 1);
    setenv("GIT_AUTHOR_EMAIL", "test@localhost", 1);
    setenv("GIT_COMMITTER_NAME", "test", 1);
    setenv("GIT_COMMITTER_EMAIL", "test@localhost", 1);
}

int ground_open(void **state)
{
    struct ground *ground = calloc(1, sizeof *ground);
    const char *tmp = getenv("TMPDIR");
    char name[GROUND_PATH_BYTES / 2], *real;

    if (!ground) return -1;
    clean_environment();
    snprintf(name, sizeof name, "%s/ground.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(name) || !(real = realpath(name, NULL))) {
        free(ground);
        return -1;
    }
    snprintf(ground->root, sizeof ground->root, "%s", real);
    snprintf(ground->work, sizeof ground->work, "%.*s/work", GROUND_PATH_BYTES - 8, real);
    free(real);
    make_folder(ground->work);
    *state = ground;
    return 0;
}

int ground_open_git(void **state)
{
    if (ground_open(state) != 0) return -1;
    git((struct ground *)*state, "init", "--quiet", "--initial-branch=main");
    git((struct ground *)*state, "config", "core.fsync", "none"); /* a scene needs no disk */
    put(at(*state, "work/clean"), "clean\n");
    put(at(*state, "work/other"), "other\n");
    put(at(*state, "work/sub/deep"), "deep\n");
    git((struct ground *)*state, "add", "--all");
    git((struct ground *)*state, "commit", "--quiet", "--message=first");
    return 0;
}

int ground_close(void **state)
{
    struct ground *ground = *state;

    remove_all(ground->root);
    free(ground);
    return 0;
}

const char *at(const struct ground *ground, const char *format, ...)
{
    enum { SLOTS = 8 };
    static char slots[SLOTS][PATH_MAX];
    static unsigned next;
    char *slot = slots[next++ % SLOTS];
    size_t used = (size_t)snprintf(slot, PATH_MAX, "%s/", ground->root);
    va_list args;

    va_start(args, format);
    vsnprintf(slot + used, PATH_MAX - used, format, args);
    va_end(args);
    return slot;
}

void make_folder(const char *path)
{
    char copy[PATH_MAX];

    snprintf(copy, sizeof copy, "%s", path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0777);
        *slash = '/';
    }
    mkdir(copy, 0777);
}

static void make_folder_of(const char *path)
{
    char copy[PATH_MAX];

    snprintf(copy, sizeof copy, "%s", path);
    *strrchr(copy, '/') = '\0';
    make_folder(copy);
}

void put(const char *path, const char *content)
{
    FILE *file;

    make_folder_of(path);
    file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, strlen(content), file), strlen(content));
    assert_int_equal(fclose(file), 0);
}

void put_script(const char *path, const char *content)
{
    put(path, content);
    assert_int_equal(chmod(path, 0755), 0);
}

void put_link(const char *path, const char *target)
{
    make_folder_of(path);
    assert_int_equal(symlink(target, path), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)ftw;
    if (type == FTW_DP) return rmdir(path);
    return unlink(path);
}

void remove_all(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

bool is_there(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

mode_t mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode;
}

ino_t inode_of(const char *path)
{
    struct stat st;

    assert_int_equal(lstat(path, &st), 0);
    return st.st_ino;
}

void expect_content(const char *path, const char *content)
{
    size_t size = strlen(content);
    char *text = malloc(size + 2);
    FILE *file = fopen(path, "re");
    size_t got;

    if (!file || !text) fail_msg("%s cannot be read", path);
    assert_true(S_ISREG(mode_of(path)));
    got = fread(text, 1, size + 1, file);
    fclose(file);
    text[got] = '\0';
    assert_string_equal(text, content);
    assert_int_equal(got, size);
    free(text);
}

void expect_link(const char *path, const char *target)
{
    char text[PATH_MAX];
    ssize_t bytes = readlink(path, text, sizeof text - 1);

    assert_true(bytes >= 0);
    text[bytes] = '\0';
    assert_string_equal(text, target);
}

size_t count_in(const char *folder)
{
    DIR *dir = opendir(folder);
    size_t count = 0;

    assert_non_null(dir);
    while (readdir(dir)) count++;
    closedir(dir);
    return count - 2;
}

/* Standard output goes to out_fd, or nowhere. */
static int run_to(const char *folder, const char *const *argv, int out_fd)
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        char *args[64] = { NULL };
        int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

        for (int i = 0; i < 63 && argv[i]; i++) args[i] = strdup(argv[i]);
        if (chdir(folder) != 0 || nowhere < 0) _exit(126);
        dup2(nowhere, STDIN_FILENO);
        dup2(out_fd >= 0 ? out_fd : nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        execvp(args[0], args);
        _exit(127);
    }
    if (out_fd >= 0) close(out_fd);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int run_in(const char *folder, const char *const *argv)
{
    return run_to(folder, argv, -1);
}

void git_in(const char *folder, const char *const *argv)
{
    int status = run_in(folder, argv);

    if (status != 0) fail_msg("git %s: exit status %d", argv[1], status);
}

void commit_all(const struct ground *ground)
{
    git(ground, "add", "--all");
    git(ground, "commit", "--quiet", "--message=next");
}

char *git_output(const char *folder, const char *const *argv)
{
    enum { OUTPUT_BYTES = 65536 };
    char *text = calloc(1, OUTPUT_BYTES);
    int ends[2];
    ssize_t bytes;

    assert_non_null(text);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0); /* short answers only: they fit into the pipe */
    assert_int_equal(run_to(folder, argv, ends[1]), 0);
    bytes = read(ends[0], text, OUTPUT_BYTES - 1);
    close(ends[0]);
    if (bytes > 0 && text[bytes - 1] == '\n') text[bytes - 1] = '\0';
    return text;
}
