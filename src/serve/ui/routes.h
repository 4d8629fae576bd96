/* SPDX-License-Identifier: Apache-2.0
 *
 * routes.h - what can be asked of `hone ui`: the table of its addresses, and an address read
 * against it. Pure.
 *
 * An address is taken as it is written: no "%" is understood in a path, so that no two of them mean
 * the same. What stands behind "?" is decoded, and each name in it must be one of the route's. */
#ifndef HONE_SERVE_UI_ROUTES_H
#define HONE_SERVE_UI_ROUTES_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum { ROUTE_OPTIONS_MAX = 32, ROUTE_NAME_BYTES_MAX = 64, ROUTE_QUERY_BYTES_MAX = 8192 };

struct ui_call;

/* Options are names with blanks between. */
struct route {
    const char *method;  /* GET changes nothing, POST does */
    const char *pattern; /* parts in capitals stand for names: R RUN ATTEMPT FINDING NAME */
    const char *options; /* NULL: there are none; "*": the handler knows them */
    int (*handle)(struct ui_call *call, struct err *err); /* 0 or an error code */
};

/* The names in an address; those that the route has none of are empty. */
struct route_names {
    uint32_t repo;
    struct str run, finding, name;
    uint32_t job, attempt;
};

enum route_found {
    ROUTE_FOUND,
    ROUTE_OTHER_METHOD, /* there is one, of another method */
    ROUTE_MISSING,
};

/* table ends with a pattern that is NULL. */
enum route_found route_find(const struct route *table, struct str method, struct str path,
                            const struct route **out, struct route_names *names);

/* What stands behind "?". Values live in arena and may be empty. */
struct route_query {
    struct {
        const char *name, *value;
    } options[ROUTE_OPTIONS_MAX];
    uint32_t count;
};

/* ERR_USAGE where a name is not one of the route's, or a value is no text. */
int route_query_read(const struct route *route, struct str query, struct arena *arena,
                     struct route_query *out, struct err *err);
/* The last of that name; NULL: there is none. */
const char *query_value(const struct route_query *query, const char *name);
/* Likewise a number; it is fallback where none is said. ERR_USAGE for anything else. */
int query_number(const struct route_query *query, const char *name, uint32_t fallback,
                 uint32_t *out, struct err *err);

#endif
