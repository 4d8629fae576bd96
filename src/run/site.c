/* SPDX-License-Identifier: Apache-2.0
 *
 * site.c - where each lane of a run works.
 *
 * The main lane is at home in the user's checkout. A task's lane has a work tree of its own, in
 * <hone>/worktrees/NAME on the branch hone/RUN/NAME/work. (A folder of refs for each: a sandbox can
 * open that one alone.) What a lane keeps to look at its tree goes when it is merged; its name
 * stays. A fixer that is isolated has one for its job, in <hone>/worktrees/RUN-fix-JOB, on no
 * branch.
 *
 * Not here: how work trees are made and merged (drive/lanes.c), how trees are watched
 * (drive/watch.c). */
#include "run/site.h"

#include "base/mem.h"
#include "io/file/peek.h"
#include "io/git/worktree.h"
#include "run/cast.h"
#include "run/place.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

struct run_view run_view(const struct run *run, uint32_t lane)
{
    const struct site *site = site_find(run, lane);

    return (struct run_view){
        .engine = &run->engine,
        .id = run->row.id,
        .task = run->row.task,
        .workspace = site ? site->repo.workspace : run->repo.workspace,
        .owner = "",
        .changed = site ? site->watch.changed : NULL,
        .changed_count = site ? site->watch.changed_count : 0,
        .since = site && site->since ? site->since : run->settings.since,
        .scope_given = run->settings.scope_given,
        .settings = &run->settings.options,
        .test = run->settings.test,
        .fence = "",
        .backend = "",
        .worktrees = run->worktrees,
        .uuid = run->settings.uuid,
        .recorded = run->recorded,
        .session = "",
    };
}

const struct site *site_find(const struct run *run, uint32_t lane)
{
    return lane < run->site_count ? run->sites[lane] : NULL;
}

/* Its branch is the only one there. */
static const char *branch_folder(const struct run *run, const struct site *site,
                                 struct arena *arena)
{
    return arena_printf(arena, "hone/%s/%s", run->row.id, site->about.name);
}

static void site_describe(struct run *run, struct site *site)
{
    struct run_view view = run_view(run, 0);

    site->repo = run->repo;
    site->repo.arena = (struct arena){ 0 };
    site->about = (struct lane_about){ .name = "main", .task = run->row.task };
    if (site->lane == 0) return;
    site->about.name = arena_printf(&site->repo.arena, "%s-%" PRIu32, run->row.id,
                                    site->lane);
    if (run->dialect->lanes) {
        run->dialect->lanes->about(&view, site->lane, &site->repo.arena, &site->about);
    }
    site->repo.workspace = arena_printf(&site->repo.arena, "%s/%s", run->worktrees,
                                        site->about.name);
}

static void sites_hold(struct run *run, uint32_t lane)
{
    if (lane >= run->site_count) {
        uint32_t cap = run->site_count;

        while (cap <= lane) {
            run->sites = mem_grow(run->sites, cap, &cap, sizeof(void *));
        }
        for (uint32_t i = run->site_count; i < cap; i++) run->sites[i] = NULL;
        run->site_count = cap;
    }
}

struct site *site_give(struct run *run, uint32_t lane, const struct site_given *given)
{
    struct site *site = mem_alloc(sizeof *site);

    sites_hold(run, lane);
    assert(!run->sites[lane]);
    *site = (struct site){ .lane = lane, .repo = *given->repo, .about = given->about,
                           .since = given->since, .ready = true };
    site->repo.arena = (struct arena){ 0 };
    run->sites[lane] = site;
    return site;
}

struct site *site_of(struct run *run, uint32_t lane)
{
    struct site *site;

    sites_hold(run, lane);
    if (run->sites[lane]) return run->sites[lane];
    site = mem_alloc(sizeof *site);
    *site = (struct site){ .lane = lane };
    site_describe(run, site);
    run->sites[lane] = site;
    return site;
}

bool is_isolated(const struct run *run, const struct action *action)
{
    const struct role *role = &run->plan.roles[action->role];
    const struct backend *backend;

    if (!run->settings.isolate || action->lane != 0 || action->purpose != FOR_REPAIR) return false;
    if (!role->writes || role->commits || role->builtin) return false;
    backend = agent_of(run, action)->backend;
    return !backend->play && !backend->hosted;
}

/* The beginning of the names of a run's disposable work trees. */
static const char *isolated_prefix(const char *run, struct arena *arena)
{
    return arena_printf(arena, "%s-fix-", run);
}

static struct site *isolated_find(const struct run *run, uint32_t job)
{
    for (uint32_t i = 0; i < run->isolated_count; i++) {
        if (run->isolated[i]->job == job) return run->isolated[i];
    }
    return NULL;
}

const struct site *site_seen(const struct run *run, const struct action *action)
{
    const struct site *site = isolated_find(run, action->job);

    return site ? site : site_find(run, action->lane);
}

struct site *site_at(struct run *run, const struct action *action)
{
    struct site *site;

    if (!is_isolated(run, action)) return site_of(run, action->lane);
    site = isolated_find(run, action->job);
    if (site) return site;
    site = mem_alloc(sizeof *site);
    *site = (struct site){ .lane = action->lane, .job = action->job };
    site_describe(run, site);
    site->base = arena_printf(&site->repo.arena, "%s/base",
                              isolate_folder(run, action->job, &site->repo.arena));
    site->repo.workspace = arena_printf(&site->repo.arena, "%s/%s%" PRIu32, run->worktrees,
                                        isolated_prefix(run->row.id, &site->repo.arena),
                                        action->job);
    run->isolated = mem_grow(run->isolated, run->isolated_count, &run->isolated_cap,
                             sizeof(void *));
    run->isolated[run->isolated_count++] = site;
    return site;
}

void site_seal(const struct run *run, const struct site *site, struct seal *out)
{
    struct arena arena = { 0 };
    const char *refs = NULL;

    if (site->lane != 0) {
        refs = arena_printf(&arena, "refs/heads/%s", branch_folder(run, site, &arena));
    }
    seal_take(&site->repo, run->private_paths, refs, out);
    arena_release(&arena);
}

void watch_forget(struct watch *watch)
{
    tree_release(&watch->before);
    tree_delta_release(&watch->delta);
    watch->job = watch->drifts = watch->changed_count = 0;
    watch->here = false;
}

static void watch_release(struct watch *watch)
{
    watch_forget(watch);
    hold_release(&watch->hold);
    tree_release(&watch->tree);
    tree_release(&watch->next);
}

static void site_free(struct site *site)
{
    if (!site) return;
    watch_release(&site->watch);
    arena_release(&site->repo.arena);
    free(site);
}

void site_dispose(struct run *run, struct site *site)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < run->isolated_count; i++) {
        if (run->isolated[i] != site) run->isolated[kept++] = run->isolated[i];
    }
    run->isolated_count = kept;
    repo_forget(&site->repo);
    site_free(site);
}

int sites_sweep(const struct repo *repo, const char *run, struct err *err)
{
    struct arena arena = { 0 };
    const char *folder = place_worktrees(repo, &arena);
    /* By its folder, and by what git keeps of it: a removal ends with that. */
    const char *const folders[] = { folder, arena_printf(&arena, "%s/worktrees",
                                                         repo->common_dir) };
    int rc = 0;

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *const *names = folder_names(folders[i], isolated_prefix(run, &arena), &arena);

        for (; *names; names++) {
            int failed = worktree_remove(repo, arena_printf(&arena, "%s/%s", folder, *names), "",
                                         err);
            if (failed != 0) rc = failed;
        }
    }
    arena_release(&arena);
    return rc;
}

void site_forget(struct run *run, uint32_t lane)
{
    struct site *site = site_of(run, lane);

    watch_release(&site->watch);
    site->watch = (struct watch){ 0 };
    repo_forget(&site->repo);
    site->ready = false;
}

void sites_release(struct run *run)
{
    for (uint32_t i = 0; i < run->site_count; i++) site_free(run->sites[i]);
    for (uint32_t i = 0; i < run->isolated_count; i++) site_free(run->isolated[i]);
    free(run->sites);
    free(run->isolated);
    run->sites = run->isolated = NULL;
    run->site_count = run->isolated_count = run->isolated_cap = 0;
}

const char *site_branch(const struct run *run, const struct site *site, struct arena *arena)
{
    return arena_printf(arena, "%s/work", branch_folder(run, site, arena));
}

const char *site_folder(const struct run *run, uint32_t lane, struct arena *arena)
{
    return arena_printf(arena, "%s/lane-%" PRIu32, run_folder(run, arena), lane);
}

const char *isolate_folder(const struct run *run, uint32_t job, struct arena *arena)
{
    return arena_printf(arena, "%s/fix-%" PRIu32, run_folder(run, arena), job);
}

bool site_is_there(struct site *site)
{
    const char *dir;

    if (site->lane == 0 && site->job == 0) return true;
    if (site->ready && file_exists(site->repo.workspace)) return true;
    /* A disposable one is whole when it was filled. */
    if (site->base && !file_exists(site->base)) return false;
    dir = worktree_git_dir(site->repo.workspace, &site->repo.arena);
    site->ready = dir != NULL;
    if (dir) site->repo.git_dir = dir;
    return site->ready;
}
