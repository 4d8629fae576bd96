/* SPDX-License-Identifier: Apache-2.0
 *
 * test_travel_random.c - random trees, changed at random on both sides, are the same after each
 * way: files become folders, folders links, links files. */
#include "journey.h"
#include "shared/prng.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 10, CHANGES = 12, NAMES = 5, PATH_BYTES = 1024 };

/* Few names, so that each is a file, a folder and a link in its turn. */
static const char *const names[NAMES] = { "a", "b b", "c\n", "\xe9", "a-b" };

static void random_path(struct prng *prng, const char *top, char out[PATH_BYTES])
{
    uint32_t depth = 1 + prng_below(prng, 3);
    size_t used = (size_t)snprintf(out, PATH_BYTES, "%s", top);

    for (uint32_t i = 0; i < depth; i++) {
        struct stat st;

        used += (size_t)snprintf(out + used, PATH_BYTES - used, "/%s",
                                 names[prng_below(prng, NAMES)]);
        if (i + 1 < depth && lstat(out, &st) == 0 && !S_ISDIR(st.st_mode)) unlink(out);
    }
}

static void random_change(struct prng *prng, const char *top)
{
    char path[PATH_BYTES], content[64];
    struct stat st;
    bool there;

    random_path(prng, top, path);
    there = lstat(path, &st) == 0;
    snprintf(content, sizeof content, "%u\n", (unsigned)prng_below(prng, 1000));
    switch (prng_below(prng, 5)) {
    case 0:
        if (there) remove_all(path);
        break;
    case 1:
        if (there) remove_all(path);
        put_link(path, content);
        break;
    case 2:
        if (there && S_ISREG(st.st_mode)) assert_int_equal(chmod(path, st.st_mode ^ 0111), 0);
        break;
    default:
        if (there) remove_all(path);
        put(path, content);
        break;
    }
}

static void commit_in_place(struct journey *journey)
{
    git_in(journey->place.repo.workspace, (const char *const[]){ "git", "add", "--all", NULL });
    git_in(journey->place.repo.workspace,
           (const char *const[]){ "git", "commit", "--quiet", "--allow-empty", "--message=agent",
                                  NULL });
}

static void one_round(struct journey *journey, struct prng *prng, void **state)
{
    bool commits = prng_below(prng, 3) == 0;
    struct err err = { 0 };

    for (int i = 0; i < CHANGES; i++) random_change(prng, at(*state, "work"));
    if (prng_below(prng, 3) == 0) git((struct ground *)*state, "add", "--all");
    if (prng_below(prng, 4) == 0)
        git((struct ground *)*state, "commit", "--quiet", "--all", "--allow-empty", "--message=x");
    journey_mark(journey);
    journey_go(journey);
    for (int i = 0; i < CHANGES; i++) random_change(prng, journey->place.repo.workspace);
    if (commits) commit_in_place(journey);
    remove_all(at(*state, "replaced"));
    journey_return(journey);
    expect_untouched(journey);
    expect_same(journey->repo.workspace, journey->place.repo.workspace);
    if (commits && travel_forward(&journey->repo, &journey->packed.ids, &journey->made, "x", &err))
        fail_msg("%s", err.text);
}

IN_REPOSITORY(random_trees_are_the_same_after_each_way)
{
    struct prng prng = { .state = 24 };
    struct journey journey;

    journey_begin(&journey, state);
    for (int i = 0; i < ROUNDS; i++) one_round(&journey, &prng, state);
    journey_end(&journey);
}
