/* SPDX-License-Identifier: Apache-2.0
 *
 * test_request.c - which pull request is meant. */
#include "format/report/request.h"

#include "test.h"

#include <string.h>

static struct arena arena;

static struct request read_in(struct request_input input)
{
    struct request request;
    struct err err = { 0 };

    if (request_read(&input, &arena, &request, &err) != 0) fail_msg("%s", err.text);
    return request;
}

/* project "": it is not known. */
static void expect_remote(const char *remote, enum comment_service service, const char *host,
                          const char *project)
{
    struct request request = read_in((struct request_input){ .remote = remote });

    assert_int_equal(request.known, project[0] != '\0');
    if (request.known) {
        assert_int_equal(request.service, service);
        assert_string_equal(request.host, host);
        assert_string_equal(request.project, project);
    }
    arena_release(&arena);
}

TEST(a_remote_repository_says_where)
{
    expect_remote("https://github.com/o/n.git", COMMENT_GITHUB, "github.com", "o/n");
    expect_remote("https://user:word@github.com/o/n", COMMENT_GITHUB, "github.com", "o/n");
    expect_remote("git@github.com:o/n.git", COMMENT_GITHUB, "github.com", "o/n");
    expect_remote("ssh://git@gitlab.example.org:2222/g/below/n.git", COMMENT_GITLAB,
                  "gitlab.example.org", "g/below/n");
    expect_remote("https://gitlab.com/g/n/", COMMENT_GITLAB, "gitlab.com", "g/n");
    expect_remote("https://code.example.org/o/n", COMMENT_GITHUB, "", "");
    expect_remote("https://github.com/o", COMMENT_GITHUB, "", "");
    expect_remote("https://github.com/o/../n", COMMENT_GITHUB, "", "");
    expect_remote("https://github.com/o/-n", COMMENT_GITHUB, "", "");
    expect_remote("https://github.com/o/n?x", COMMENT_GITHUB, "", "");
    expect_remote("https://-github.com/o/n", COMMENT_GITHUB, "", "");
    expect_remote("/srv/github/n.git", COMMENT_GITHUB, "", "");
    expect_remote("", COMMENT_GITHUB, "", "");
}

/* The repository of the pipelines below. */
static struct pipeline pipeline_of(enum pipeline_service service, const char *host,
                                   const char *project, uint64_t number)
{
    struct pipeline pipeline = pipeline_none;

    pipeline.service = service;
    pipeline.host = host;
    pipeline.project = project;
    pipeline.number = number;
    return pipeline;
}

TEST(a_pipeline_says_all)
{
    struct pipeline github = pipeline_of(PIPELINE_GITHUB, "ghe.example", "o/n", 12);
    struct pipeline gitlab = pipeline_of(PIPELINE_GITLAB, "", "g/n", 34);
    struct request request = read_in((struct request_input){ .pipeline = &github,
                                     .remote = "https://gitlab.com/x/y" });

    assert_int_equal(request.service, COMMENT_GITHUB);
    assert_string_equal(request.host, "ghe.example");
    assert_string_equal(request.project, "o/n");
    assert_int_equal(request.number, 12);
    request = read_in((struct request_input){ .pipeline = &gitlab });
    assert_int_equal(request.service, COMMENT_GITLAB);
    assert_string_equal(request.host, "gitlab.com");
    assert_string_equal(request.project, "g/n");
    assert_int_equal(request.number, 34);
    arena_release(&arena);
}

/* What another service tells of its own request says nothing here. */
TEST(a_pipeline_says_nothing_of_another_service)
{
    struct pipeline github = pipeline_of(PIPELINE_GITHUB, "ghe.example", "o/n", 12);
    struct request request = read_in((struct request_input){ .pipeline = &github,
                                     .service = "gitlab", .remote = "https://gitlab.com/x/y" });

    assert_int_equal(request.service, COMMENT_GITLAB);
    assert_string_equal(request.project, "x/y");
    assert_int_equal(request.number, 0);
    arena_release(&arena);
}

TEST(options_come_first)
{
    struct pipeline github = pipeline_of(PIPELINE_GITHUB, "", "o/n", 12);
    struct request request = read_in((struct request_input){
        .pipeline = &github, .repository = "gitlab.example/g/below/n", .service = "gitlab",
        .number = "3" });

    assert_int_equal(request.service, COMMENT_GITLAB);
    assert_string_equal(request.host, "gitlab.example");
    assert_string_equal(request.project, "g/below/n");
    assert_int_equal(request.number, 3);
    request = read_in((struct request_input){ .repository = "gitlab.example/g/n" });
    assert_true(request.known);
    assert_int_equal(request.service, COMMENT_GITLAB);
    request = read_in((struct request_input){ .repository = "o/n" });
    assert_false(request.known); /* on which service? */
    arena_release(&arena);
}

static void expect_refused(struct request_input input, const char *words)
{
    struct request request;
    struct err err = { 0 };

    if (request_read(&input, &arena, &request, &err) == 0)
        assert_int_equal(request_check(&request, &err), ERR_USAGE);
    assert_int_equal(err.code, ERR_USAGE);
    if (!strstr(err.text, words)) fail_msg("no %s in %s", words, err.text);
    arena_release(&arena);
}

TEST(what_cannot_be_is_refused)
{
    struct pipeline bad = pipeline_of(PIPELINE_GITHUB, "", "$(id)/x", 0);
    struct pipeline elsewhere = pipeline_of(PIPELINE_GITHUB, "a b", "o/n", 0);

    expect_refused((struct request_input){ .service = "svn" }, "github and gitlab");
    expect_refused((struct request_input){ .service = "github", .repository = "n" }, "OWNER/NAME");
    expect_refused((struct request_input){ .service = "github", .repository = "o/n\n" },
                   "OWNER/NAME");
    expect_refused((struct request_input){ .number = "x" }, "the number");
    expect_refused((struct request_input){ .pipeline = &bad }, "names no repository");
    expect_refused((struct request_input){ .pipeline = &elsewhere }, "names no repository");
    expect_refused((struct request_input){ .service = "github" }, "not known where");
    expect_refused((struct request_input){ .service = "github", .repository = "o/n" }, "--pr");
}
