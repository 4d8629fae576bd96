/* SPDX-License-Identifier: Apache-2.0
 *
 * test_away.c - whose program must be installed where the run is, and whose need not be. */
#include "settings/away.h"
#include "test.h"

static int is_missing(const struct agent *agent, struct err *err)
{
    (void)agent;
    return err_set(err, ERR_USAGE, "it is not on the PATH");
}

static const struct backend model = { .name = "model", .check = is_missing };
static const struct backend linter = { .name = "linter", .check = is_missing, .wants_cache = true };
static const struct backend host = { .name = "host", .check = is_missing, .hosted = true };
static const struct backend free_backend = { .name = "free" };

static bool is_asked_for(const struct run_settings *settings, const char *role,
                         const struct backend *backend)
{
    struct agent agent = { .backend = backend, .spec = backend->name };
    struct err err = { 0 };

    return away_check(settings, role, &agent, &err) != 0;
}

TEST(without_a_fleet_its_program_must_be_here)
{
    struct run_settings here = { .fleet = "", .fleet_pools = "" };
    struct run_settings local = { .fleet = "local", .fleet_pools = "" };

    assert_true(is_asked_for(&here, "critic", &model));
    assert_true(is_asked_for(&local, "critic", &model));
    assert_false(is_asked_for(&here, "critic", &free_backend));
}

TEST(with_one_it_need_not_be)
{
    struct run_settings settings = { .fleet = "ssh:box", .fleet_pools = "" };

    assert_false(is_asked_for(&settings, "critic", &model));
    assert_false(is_asked_for(&settings, "*", &model));
}

TEST(a_role_that_is_kept_here_needs_it_here)
{
    struct run_settings settings = { .fleet = "ssh:box",
                                     .fleet_pools = "critic=local\nfixer=big\n*=local" };

    assert_true(is_asked_for(&settings, "critic", &model));
    assert_false(is_asked_for(&settings, "fixer", &model));
    assert_true(is_asked_for(&settings, "another", &model));
    settings.fleet_pools = "critic=big\ncritic=local";
    assert_false(is_asked_for(&settings, "critic", &model)); /* the first line counts */
}

TEST(what_plays_here_always_needs_it_here)
{
    struct run_settings settings = { .fleet = "ssh:box", .fleet_pools = "" };

    assert_true(is_asked_for(&settings, "critic", &linter));
    assert_true(is_asked_for(&settings, "critic", &host));
}
