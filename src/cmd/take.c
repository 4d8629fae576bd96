/* SPDX-License-Identifier: Apache-2.0
 *
 * take.c - flags of hone run, put over what settings files say. A flag that was not given changes
 * nothing; patterns add up. */
#include "cmd/take.h"

#include "base/buf.h"
#include "drive/spending.h"
#include "format/text/budget_text.h"

#include <stdlib.h>
#include <string.h>

enum { PATTERNS_BYTES_MAX = 64 * 1024, BUDGET_BYTES_MAX = 256 };

int take_limits(const struct call *call, struct run_settings *settings, struct err *err)
{
    const char *right;

    for (uint32_t i = 0; i < LIMIT_COUNT; i++) {
        const char *option = limits_about[i].option;
        const char *value = option ? call_value(call, option) : NULL;
        int rc = 0;
        if (value) rc = duration_parse(option, value, limit_of(settings, (enum limit)i), err);
        if (rc != 0) return rc;
    }
    if (call_has(call, "sandbox") && call_has(call, "no-sandbox")) {
        return err_set(err, ERR_USAGE, "--sandbox and --no-sandbox exclude each other");
    }
    if (call_has(call, "sandbox")) settings->sandbox_off = false;
    if (call_has(call, "no-sandbox")) settings->sandbox_off = true;
    right = settings->network_off ? "network" : settings->home_private ? "home"
          : settings->tmp_private ? "tmp" : NULL;
    if (settings->sandbox_off && right) {
        return err_set(err, ERR_USAGE, "rights.%s is false, which the sandbox sees to, and the "
                       "sandbox is off: leave it on, or set rights.%s to true", right, right);
    }
    return 0;
}

int take_budget(struct call *call, struct run_settings *settings, struct err *err)
{
    const char *said = call_value(call, "budget"), *left = getenv("HONE_BUDGET");
    struct budget budget = spending_budget(settings->budget), bound = { 0 };
    struct buf text;

    if (said && budget_read(str_of(said), &budget, err) != 0) return err_wrap(err, "--budget");
    if (left && *left && budget_read(str_of(left), &bound, err) != 0) {
        return err_wrap(err, "HONE_BUDGET");
    }
    budget = budget_within(&budget, &bound);
    buf_init(&text, BUDGET_BYTES_MAX);
    budget_write(&budget, &text);
    settings->budget = arena_cstr(&call->arena, buf_str(&text));
    buf_release(&text);
    return 0;
}

int take_scope(struct call *call, struct run_settings *settings, struct err *err)
{
    const char *since = call_value(call, "since");
    struct buf exclude;

    if (since && call_has(call, "all")) {
        return err_set(err, ERR_USAGE, "--since and --all exclude each other: what changed since "
                       "a commit, or everything");
    }
    if (since && !*since) {
        return err_set(err, ERR_USAGE, "--since wants a revision, such as HEAD~3");
    }
    settings->since = since ? since : "";
    settings->scope_given = since || call_has(call, "all");
    if (call_has(call, "test")) {
        settings->test = call_value(call, "test");
        settings->test_from = *settings->test ? "--test" : "";
    }
    buf_init(&exclude, PATTERNS_BYTES_MAX);
    buf_text(&exclude, settings->exclude);
    for (uint32_t i = 0; i < call->given_count; i++) {
        const struct given *given = &call->given[i];
        if (given->of_dialect || strcmp(given->name, "exclude") != 0) continue;
        if (!*given->value || strchr(given->value, '\n')) {
            buf_release(&exclude);
            return err_set(err, ERR_USAGE, "--exclude wants a pattern of one line, such as "
                           "'third_party/'");
        }
        buf_printf(&exclude, "%s%s", exclude.size ? "\n" : "", given->value);
    }
    settings->exclude = arena_cstr(&call->arena, buf_str(&exclude));
    buf_release(&exclude);
    return 0;
}
