/* SPDX-License-Identifier: Apache-2.0
 *
 * ground.h - a folder to try things in: files, links and git, gone when the test is over. */
#ifndef HONE_TESTS_GROUND_H
#define HONE_TESTS_GROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { GROUND_PATH_BYTES = 512 };

struct ground {
    char root[GROUND_PATH_BYTES]; /* a real path */
    char work[GROUND_PATH_BYTES]; /* root/work: empty, or a repository */
};

int ground_open(void **state);      /* cmocka set-up: *state is a struct ground */
int ground_open_git(void **state);  /* the same, with a repository in work that has one commit */
int ground_close(void **state);

/* A path in root; valid until the eighth call behind this one. */
const char *at(const struct ground *ground, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void put(const char *path, const char *content); /* makes its folders */
void put_script(const char *path, const char *content); /* one that can be run */
void put_link(const char *path, const char *target);
void make_folder(const char *path);
void remove_all(const char *path);
bool is_there(const char *path); /* of any kind, links not followed */
mode_t mode_of(const char *path);
ino_t inode_of(const char *path);
void expect_content(const char *path, const char *content);
void expect_link(const char *path, const char *target);
size_t count_in(const char *folder); /* names in it */

/* Runs a program in a folder to its end; its exit status, or -1. Output is thrown away. */
int run_in(const char *folder, const char *const *argv);

/* git in work, which must succeed. */
#define git(ground, ...) git_in((ground)->work, (const char *const[]){ "git", __VA_ARGS__, NULL })
void git_in(const char *folder, const char *const *argv);

void commit_all(const struct ground *ground); /* every change in work */

/* The standard output of git in work, without the last line end; free() it. */
#define git_says(ground, ...)                                                                   \
    git_output((ground)->work, (const char *const[]){ "git", __VA_ARGS__, NULL })
char *git_output(const char *folder, const char *const *argv);

/* Tests on such a ground, and in a repository there. */
#define ON_GROUND(name) TEST_WITH(name, ground_open, ground_close)
#define IN_REPOSITORY(name) TEST_WITH(name, ground_open_git, ground_close)

#endif
