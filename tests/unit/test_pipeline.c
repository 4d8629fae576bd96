/* SPDX-License-Identifier: Apache-2.0
 *
 * test_pipeline.c - what services tell of a change, and whose it is. */
#include "format/pipeline.h"

#include "test.h"

#include <string.h>

#define SHA1 "1111111111111111111111111111111111111111"
#define SHA2 "2222222222222222222222222222222222222222"
#define ZERO "0000000000000000000000000000000000000000"

static struct pipeline read_of(struct arena *arena, const char *const *environment,
                               const char *event)
{
    struct pipeline out;

    pipeline_read(&(struct pipeline_input){ .environment = environment, .event = str_of(event),
                                            .problem = event ? NULL : "it is gone" },
                  arena, &out);
    return out;
}

static const char *const request[] = { "GITHUB_ACTIONS=true", "GITHUB_EVENT_NAME=pull_request",
                                       "GITHUB_BASE_REF=main", "GITHUB_EVENT_PATH=/e", NULL };

TEST(a_request_has_its_base_and_head)
{
    struct arena arena = { 0 };
    struct pipeline got = read_of(&arena, request,
        "{\"repository\":{\"default_branch\":\"trunk\"},\"pull_request\":{\"commits\":3,"
        "\"base\":{\"ref\":\"next\",\"sha\":\"" SHA1 "\",\"repo\":{\"id\":7}},"
        "\"head\":{\"sha\":\"" SHA2 "\",\"repo\":{\"id\":7,\"fork\":true}}}}");

    assert_int_equal(got.service, PIPELINE_GITHUB);
    assert_string_equal(pipeline_event(request), "/e");
    assert_true(got.request);
    assert_false(got.fork); /* of a repository that is a fork itself */
    assert_string_equal(got.base, SHA1);
    assert_string_equal(got.head, SHA2);
    assert_string_equal(got.branch, "next");
    assert_string_equal(got.main_branch, "trunk");
    assert_int_equal(got.commits, 3);
    arena_release(&arena);
}

TEST(whose_it_is_not_told_is_a_forks)
{
    static const char *const events[] = {
        NULL, "", "{", "[]", "{}", "{\"pull_request\":1}", "{\"pull_request\":{}}",
        "{\"pull_request\":{\"head\":{\"repo\":null},\"base\":{\"repo\":{\"id\":7}}}}",
        "{\"pull_request\":{\"head\":{\"repo\":{\"id\":8}},\"base\":{\"repo\":{\"id\":7}}}}",
        "{\"pull_request\":{\"head\":{\"repo\":{\"id\":\"7\"}},\"base\":{\"repo\":{\"id\":7}}}}",
        "{\"pull_request\":{\"head\":{\"repo\":{}},\"base\":{\"repo\":{}}}}",
        "{\"pull_request\":{\"head\":{\"repo\":{\"full_name\":\"\"}},"
        "\"base\":{\"repo\":{\"full_name\":\"\"}}}}",
        "{\"pull_request\":{\"head\":{\"repo\":{\"full_name\":\"x/r\"}},"
        "\"base\":{\"repo\":{\"full_name\":\"o/r\"}}}}",
    };
    struct arena arena = { 0 };

    for (uint32_t i = 0; i < sizeof events / sizeof *events; i++) {
        struct pipeline got = read_of(&arena, request, events[i]);

        assert_true(got.request);
        assert_true(got.fork);
        assert_true(*got.why_fork != '\0');
    }
    arena_release(&arena);
}

TEST(only_events_of_people_who_may_write_are_own)
{
    static const struct {
        const char *name;
        bool fork;
    } names[] = {
        { "push", false }, { "schedule", false }, { "workflow_dispatch", false },
        { "merge_group", false }, { "issue_comment", true }, { "workflow_run", true },
        { "pull_request_target", true }, { "", true }, { "pushed", true },
    };
    struct arena arena = { 0 };

    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const environment[] = {
            "GITHUB_ACTIONS=true", arena_printf(&arena, "GITHUB_EVENT_NAME=%s", names[i].name),
            NULL,
        };

        assert_int_equal(read_of(&arena, environment, "{}").fork, names[i].fork);
        assert_int_equal(read_of(&arena, environment, NULL).fork, names[i].fork);
    }
    arena_release(&arena);
}

TEST(a_commit_is_digits_and_not_zeros)
{
    static const char *const push[] = { "GITHUB_ACTIONS=true", "GITHUB_EVENT_NAME=push", NULL };
    static const char *const none[] = { ZERO, "", "main", "--x", SHA1 "1", "HEAD",
                                        "111111111111111111111111111111111111111G" };
    struct arena arena = { 0 };

    for (uint32_t i = 0; i < sizeof none / sizeof *none; i++) {
        const char *event = arena_printf(&arena, "{\"before\":\"%s\"}", none[i]);

        assert_string_equal(read_of(&arena, push, event).base, "");
    }
    assert_string_equal(read_of(&arena, push, "{\"before\":\"" SHA1 "\"}").base, SHA1);
    assert_int_equal(read_of(&arena, push, "{\"commits\":[1,2]}").commits, 2);
    assert_string_equal(read_of(&arena, push, "{\"merge_group\":{\"base_sha\":\"" SHA2 "\"}}").base,
                        SHA2);
    arena_release(&arena);
}

TEST(gitlab_tells_by_variables)
{
    static const char *const own[] = {
        "GITLAB_CI=true", "CI_MERGE_REQUEST_IID=1", "CI_PROJECT_ID=7",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_ID=7", "CI_MERGE_REQUEST_DIFF_BASE_SHA=" SHA1,
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main", "CI_COMMIT_SHA=" SHA2, NULL,
    };
    static const char *const fork[] = {
        "GITLAB_CI=true", "CI_MERGE_REQUEST_IID=1", "CI_PROJECT_ID=7",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_ID=8",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME=a\nb", NULL,
    };
    static const char *const push[] = { "GITLAB_CI=true", "CI_COMMIT_BEFORE_SHA=" SHA1,
                                        "CI_DEFAULT_BRANCH=main", NULL };
    static const char *const other[] = {
        "GITLAB_CI=true", "CI_PIPELINE_SOURCE=external_pull_request_event", NULL };
    struct arena arena = { 0 };
    struct pipeline got = read_of(&arena, own, "");

    assert_int_equal(got.service, PIPELINE_GITLAB);
    assert_true(got.request && !got.fork);
    assert_string_equal(got.base, SHA1);
    assert_string_equal(got.head, SHA2);
    assert_string_equal(got.branch, "main");
    assert_null(pipeline_event(own));
    got = read_of(&arena, fork, "");
    assert_true(got.request && got.fork);
    assert_string_equal(got.branch, "");
    got = read_of(&arena, push, "");
    assert_true(!got.request && !got.fork);
    assert_string_equal(got.base, SHA1);
    assert_string_equal(got.main_branch, "main");
    assert_true(read_of(&arena, other, "").fork);
    arena_release(&arena);
}

TEST(which_request_of_which_repository_it_is)
{
    static const char *const github[] = {
        "GITHUB_ACTIONS=true", "GITHUB_SERVER_URL=https://ghe.example", "GITHUB_REPOSITORY=o/n",
        "GITHUB_REF=refs/pull/12/merge", NULL };
    static const char *const event[] = { "GITHUB_ACTIONS=true", "GITHUB_REPOSITORY=o/n",
                                         "GITHUB_REF=refs/heads/main", NULL };
    static const char *const gitlab[] = {
        "GITLAB_CI=true", "CI_SERVER_HOST=gl.example", "CI_PROJECT_PATH=fork/n",
        "CI_MERGE_REQUEST_PROJECT_PATH=g/n", "CI_MERGE_REQUEST_IID=34", NULL };
    static const char *const push[] = { "GITLAB_CI=true", "CI_PROJECT_PATH=g/n",
                                        "CI_MERGE_REQUEST_IID=x", NULL };
    static const struct {
        const char *event;
        uint64_t number;
    } events[] = {
        { "{\"pull_request\":{\"number\":5}}", 5 },
        { "{\"issue\":{\"number\":6,\"pull_request\":{}}}", 6 },
        { "{\"issue\":{\"number\":6}}", 0 },
        { "{garbage", 0 },
        { "[]", 0 },
    };
    struct arena arena = { 0 };
    struct pipeline got = read_of(&arena, github, "{\"pull_request\":{\"number\":5}}");

    assert_string_equal(got.host, "ghe.example");
    assert_string_equal(got.project, "o/n");
    assert_int_equal(got.number, 12);
    for (uint32_t i = 0; i < sizeof events / sizeof *events; i++) {
        got = read_of(&arena, event, events[i].event);
        assert_string_equal(got.host, "");
        assert_int_equal(got.number, events[i].number);
    }
    got = read_of(&arena, gitlab, "");
    assert_string_equal(got.host, "gl.example");
    assert_string_equal(got.project, "g/n");
    assert_int_equal(got.number, 34);
    got = read_of(&arena, push, "");
    assert_string_equal(got.project, "g/n");
    assert_int_equal(got.number, 0);
    arena_release(&arena);
}

TEST(no_service_tells_nothing)
{
    static const char *const environment[] = { "GITHUB_ACTIONS=false", "GITHUB_EVENT_PATH=/e",
                                               "CI_MERGE_REQUEST_IID=1", NULL };
    struct arena arena = { 0 };
    struct pipeline got = read_of(&arena, environment, NULL);

    assert_int_equal(got.service, PIPELINE_OTHER);
    assert_true(!got.request && !got.fork);
    assert_string_equal(got.base, "");
    assert_null(pipeline_event(environment));
    arena_release(&arena);
}
