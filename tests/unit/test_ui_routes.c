/* SPDX-License-Identifier: Apache-2.0
 *
 * test_ui_routes.c - addresses of `hone ui` against a table: what is found, with which names in it,
 * and that whatever is written in two ways is found in one at most. */
#include "serve/ui/routes.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int nothing(struct ui_call *call, struct err *err)
{
    (void)call;
    (void)err;
    return 0;
}

static const struct route table[] = {
    { "GET", "/api/v1", NULL, nothing },
    { "GET", "/api/v1/runs", "repo state from", nothing },
    { "GET", "/api/v1/repos/R/runs/RUN", NULL, nothing },
    { "GET", "/api/v1/repos/R/runs/RUN/attempts/ATTEMPT", "part", nothing },
    { "GET", "/api/v1/repos/R/findings/FINDING/runs", NULL, nothing },
    { "GET", "/api/v1/repos/R/loops/NAME", NULL, nothing },
    { "GET", "/api/v1/repos/R/preview", "*", nothing },
    { "POST", "/api/v1/repos/R/runs/RUN/stop", NULL, nothing },
    { NULL, NULL, NULL, NULL },
};

static struct route_names names;

/* The pattern of the row that is found; "other" and "missing" where none is. */
static const char *found(const char *method, const char *path)
{
    const struct route *route;

    switch (route_find(table, str_of(method), str_of(path), &route, &names)) {
    case ROUTE_FOUND: return route->pattern;
    case ROUTE_OTHER_METHOD: return "other";
    case ROUTE_MISSING: break;
    }
    assert_null(route);
    return "missing";
}

TEST(a_row_is_found_with_the_names_in_its_address)
{
    assert_string_equal(found("GET", "/api/v1"), "/api/v1");
    assert_string_equal(found("GET", "/api/v1/repos/12/runs/7k2m"), "/api/v1/repos/R/runs/RUN");
    assert_int_equal(names.repo, 12);
    assert_str(names.run, "7k2m");
    assert_string_equal(found("GET", "/api/v1/repos/0/runs/a/attempts/31-2"),
                        "/api/v1/repos/R/runs/RUN/attempts/ATTEMPT");
    assert_int_equal(names.job, 31);
    assert_int_equal(names.attempt, 2);
    assert_string_equal(found("GET", "/api/v1/repos/0/findings/f-1/runs"),
                        "/api/v1/repos/R/findings/FINDING/runs");
    assert_str(names.finding, "f-1");
    assert_string_equal(found("GET", "/api/v1/repos/0/loops/test-first"),
                        "/api/v1/repos/R/loops/NAME");
    assert_str(names.name, "test-first");
}

TEST(another_method_is_told_from_another_address)
{
    assert_string_equal(found("POST", "/api/v1/repos/0/runs/a/stop"),
                        "/api/v1/repos/R/runs/RUN/stop");
    assert_string_equal(found("GET", "/api/v1/repos/0/runs/a/stop"), "other");
    assert_string_equal(found("POST", "/api/v1"), "other");
    assert_string_equal(found("get", "/api/v1"), "other");
    assert_string_equal(found("GET", "/api/v2"), "missing");
}

TEST(an_address_is_written_in_one_way)
{
    static const char *const paths[] = {
        "", "/", "//", "/api", "/api/v1/", "//api/v1", "/api//v1", "/api/v1//", "/api/v1/runs/",
        "/API/v1", "/api/v1/../v1", "/api/v1/./runs", "/api/v1/%72uns", "/api/v1/runs;x",
        "/api/v1/repos/00/runs/a", "/api/v1/repos/+1/runs/a", "/api/v1/repos/-1/runs/a",
        "/api/v1/repos/0x1/runs/a", "/api/v1/repos//runs/a", "/api/v1/repos/ 1/runs/a",
        "/api/v1/repos/9999999999/runs/a", "/api/v1/repos/0/runs/", "/api/v1/repos/0/runs/.",
        "/api/v1/repos/0/runs/..", "/api/v1/repos/0/runs/.hidden", "/api/v1/repos/0/runs/a%2fb",
        "/api/v1/repos/0/runs/%2e%2e", "/api/v1/repos/0/runs/a b", "/api/v1/repos/0/runs/a\\b",
        "/api/v1/repos/0/runs/a/b", "/api/v1/repos/0/runs/\xc3\xa4",
        "/api/v1/repos/0/runs/a/attempts/0-1", "/api/v1/repos/0/runs/a/attempts/1-0",
        "/api/v1/repos/0/runs/a/attempts/1", "/api/v1/repos/0/runs/a/attempts/1-",
        "/api/v1/repos/0/runs/a/attempts/01-1", "/api/v1/repos/0/runs/a/attempts/1-1-1",
        "/api/v1/repos/0/runs/a/attempts/-1-1", "api/v1",
    };

    for (size_t i = 0; i < COUNT(paths); i++) {
        if (strcmp(found("GET", paths[i]), "missing") != 0) fail_msg("found: %s", paths[i]);
    }
}

TEST(a_name_has_a_bound)
{
    char path[200] = "/api/v1/repos/0/runs/";
    size_t bytes = strlen(path);

    memset(path + bytes, 'a', ROUTE_NAME_BYTES_MAX);
    assert_string_equal(found("GET", path), "/api/v1/repos/R/runs/RUN");
    path[bytes + ROUTE_NAME_BYTES_MAX] = 'a';
    assert_string_equal(found("GET", path), "missing");
}

/* ---- behind "?" ---- */

TESTS_ARENA
static struct route_query query;
static struct err err;

static int read_query(const char *text)
{
    return route_query_read(&table[1], str_of(text), &arena, &query, &err);
}

TEST_WITH(values_are_decoded, NULL, release)
{
    uint32_t number;

    assert_int_equal(read_query("state=a%20b+c%C3%A4&from=12&state=last&&repo="), 0);
    assert_int_equal(query.count, 4);
    assert_string_equal(query.options[0].value, "a b c\xc3\xa4");
    assert_string_equal(query_value(&query, "state"), "last");
    assert_string_equal(query_value(&query, "repo"), "");
    assert_null(query_value(&query, "count"));
    assert_int_equal(query_number(&query, "from", 5, &number, &err), 0);
    assert_int_equal(number, 12);
    assert_int_equal(query_number(&query, "count", 5, &number, &err), 0);
    assert_int_equal(number, 5);
    assert_int_equal(query_number(&query, "state", 5, &number, &err), ERR_USAGE);
    assert_int_equal(read_query(""), 0);
    assert_int_equal(query.count, 0);
}

TEST_WITH(what_is_no_option_or_no_text_is_refused, NULL, release)
{
    static const char *const texts[] = {
        "token=abc", "state", "=1", "State=1", "st%61te=1", "state=%", "state=%4", "state=%zz",
        "state=%00", "state=a%0ab", "state=%7f", "repo state=1", "*=1",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        if (read_query(texts[i]) != ERR_USAGE) fail_msg("taken: %s", texts[i]);
    }
    assert_int_equal(route_query_read(&table[0], STR("repo=1"), &arena, &query, &err), ERR_USAGE);
    assert_int_equal(route_query_read(&table[6], STR("any=1"), &arena, &query, &err), 0);
    assert_int_equal(route_query_read(&table[6], STR("../x=1"), &arena, &query, &err), ERR_USAGE);
}

TEST_WITH(options_have_bounds, NULL, release)
{
    static char text[ROUTE_QUERY_BYTES_MAX + 2];
    size_t bytes = 0;

    for (int i = 0; i < ROUTE_OPTIONS_MAX; i++) {
        bytes += (size_t)snprintf(text + bytes, sizeof text - bytes, "from=%d&", i);
    }
    assert_int_equal(read_query(text), 0);
    snprintf(text + bytes, sizeof text - bytes, "from=1");
    assert_int_equal(read_query(text), ERR_USAGE);
    memset(text, 'a', sizeof text - 1);
    assert_int_equal(read_query(text), ERR_USAGE);
}
