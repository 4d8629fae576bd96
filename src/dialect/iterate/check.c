/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - a reviewer's answer against the contract of the iterate dialect.
 *
 * The judge makes the best of an answer; here everything that is wrong with it is said. So an
 * answer without a problem is one that the judge takes, and reads as its writer meant it. */
#include "dialect/check.h"
#include "dialect/iterate/iterate.h"

void check_iterate(struct str content, struct check_report *report)
{
    struct iterate_issues issues;
    struct arena arena = { 0 };

    iterate_issues_read(content, NULL, &arena, report, &issues);
    arena_release(&arena);
}
