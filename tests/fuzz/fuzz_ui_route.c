/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_ui_route.c - addresses of `hone ui`: the first line of the input is a path, the rest what
 * stands behind "?". What is found is written in one way, and names are names. */
#include "serve/ui/routes.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int nothing(struct ui_call *call, struct err *err)
{
    (void)call;
    (void)err;
    return 0;
}

static const struct route table[] = {
    { "GET", "/api/v1", NULL, nothing },
    { "GET", "/api/v1/runs", "repo state dialect from count", nothing },
    { "GET", "/api/v1/repos/R/runs/RUN/attempts/ATTEMPT/transcript", "from", nothing },
    { "GET", "/api/v1/repos/R/findings/FINDING/runs", NULL, nothing },
    { "GET", "/api/v1/repos/R/loops/NAME", NULL, nothing },
    { "GET", "/api/v1/repos/R/preview", "*", nothing },
    { NULL, NULL, NULL, NULL },
};

static void check_name(struct str name)
{
    if (name.size == 0) return;
    assert(name.size <= ROUTE_NAME_BYTES_MAX && name.data[0] != '.');
    for (size_t i = 0; i < name.size; i++) assert(!strchr("/\\%\r\n \t", name.data[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = { (const char *)data, size }, path = { "", 0 };
    const struct route *route;
    struct route_names names;
    struct route_query query;
    struct arena arena = { 0 };
    struct err err;
    uint32_t number;

    (void)str_cut(&rest, '\n', &path);
    if (route_find(table, STR("GET"), path, &route, &names) == ROUTE_FOUND) {
        check_name(names.run);
        check_name(names.finding);
        check_name(names.name);
        assert(path.data[0] == '/' && !str_has(path, '%') && !str_ends(path, STR("/")));
    } else {
        route = &table[1];
    }
    if (route_query_read(route, rest, &arena, &query, &err) == 0) {
        assert(query.count <= ROUTE_OPTIONS_MAX);
        for (uint32_t i = 0; i < query.count; i++) {
            const char *value = query_value(&query, query.options[i].name);

            assert(value);
            for (const char *at = value; *at; at++) assert((unsigned char)*at >= ' ');
            (void)query_number(&query, query.options[i].name, 0, &number, &err);
        }
    } else {
        assert(err.code == ERR_USAGE && err.text[0]);
    }
    arena_release(&arena);
    return 0;
}
