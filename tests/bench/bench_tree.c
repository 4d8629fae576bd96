/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_tree.c - what a reading of a tree of 20,000 files by raw content costs, against `git
 * status`; what the glass costs each call of git; and a whole review, fix, review there, against
 * the same in a small tree. */
#include "bench.h"

#include "io/tree/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 20000, FEW = 20, TRIES = 9 };

static const char clean[] = "{\"issues\":[],\"summary\":{\"critical\":0,\"warning\":0,\"info\":0,"
                            "\"verdict\":\"clean\"}}";
static const char found[] = "{\"issues\":[{\"severity\":\"warning\",\"category\":\"x\",\"file\":"
                            "\"new\",\"line\":1,\"description\":\"d\",\"evidence\":\"e\","
                            "\"suggestion\":\"s\"}],\"summary\":{\"critical\":0,\"warning\":1,"
                            "\"info\":0,\"verdict\":\"issues_found\"}}";

static double status_ms(void)
{
    const char *const argv[] = { "git", "status", "--porcelain", "--untracked-files=all", NULL };
    uint64_t start = now_ns();

    bench_run(argv);
    return (double)(now_ns() - start) / 1e6;
}

static double tree_ms(const struct repo *repo)
{
    uint64_t start = now_ns();
    struct tree tree;
    struct err err;

    if (tree_take(repo, NULL, &tree, &err) != 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    tree_release(&tree);
    return (double)(now_ns() - start) / 1e6;
}

/* One call of git that looks, through the glass; and the same call without. */
static double call_ms(const struct repo *repo)
{
    static const char *const words[] = { "rev-parse", "HEAD", NULL };
    uint64_t start = now_ns();
    struct buf out;
    struct err err;

    buf_init(&out, 4096);
    if (repo_git(repo, words, STR(""), &out, &err) != 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    buf_release(&out);
    return (double)(now_ns() - start) / 1e6;
}

static double plain_ms(void)
{
    const char *const argv[] = { "git", "rev-parse", "HEAD", NULL };
    uint64_t start = now_ns();

    bench_run(argv);
    return (double)(now_ns() - start) / 1e6;
}

/* Reviewers find the word bad in a file; the fixer takes it away; reviewers find nothing. */
static double round_ms(const char *hone)
{
    static char reviewer[2000];
    const char *const argv[] = { hone, "run", "review", "--agent", reviewer, "--agent",
                                 "review-fixer=cmd:echo good >new; echo '# Fixed: new'", "--quiet",
                                 NULL };
    FILE *file = fopen("new", "w");
    uint64_t start;

    if (!file || fputs("bad\n", file) < 0 || fclose(file) != 0) exit(1);
    snprintf(reviewer, sizeof reviewer,
             "*=cmd:if grep -q bad new; then echo '%s'; else echo '%s'; fi", found, clean);
    start = now_ns();
    if (bench_run(argv) != 0) {
        fprintf(stderr, "the run is not clean\n");
        exit(1);
    }
    return (double)(now_ns() - start) / 1e6;
}

static double best_round(const char *hone)
{
    double best = 1e9;

    for (int i = 0; i < TRIES; i++) {
        double ms = round_ms(hone);
        if (ms < best) best = ms;
    }
    return best;
}

int main(void)
{
    const char *hone = getenv("HONE") ? getenv("HONE") : "hone";
    double tree = 1e9, status = 1e9, call = 1e9, plain = 1e9, few, many;
    struct repo repo;
    struct err err;

    (void)bench_repo(FEW);
    few = best_round(hone);
    bench_clean();
    (void)bench_repo(FILES);
    if (repo_open(&repo, ".", REPO_FIND, &err) != 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (int i = 0; i < TRIES; i++) {
        double s = status_ms(), t = tree_ms(&repo);
        double c = call_ms(&repo), p = plain_ms();
        if (s < status) status = s;
        if (c < call) call = c;
        if (p < plain) plain = p;
        if (t < tree) tree = t;
    }
    repo_release(&repo);
    many = best_round(hone);
    printf("a tree is read in %.1f ms, git status takes %.1f ms; a review, fix, review %.1f ms, in "
           "a small tree %.1f ms\n", tree, status, many, few);
    bench_less("a tree of 20,000 files by raw content, over git status", tree / status, 1.2, "x");
    bench_less("a call of git through the glass, over git alone", call - plain, 3, "ms");
    bench_less("review, fix, review in 20,000 files, over a small tree", many / few, 2, "x");
    bench_clean();
    return 0;
}
