/* SPDX-License-Identifier: Apache-2.0
 *
 * remit.c - the remit of the reviewer of code, for roles and loops that users write. */
#include "dialect/iterate/iterate.h"
#include "prompts/iterate.h"

#include <string.h>

static struct str iterate_remit(const char *role, struct arena *arena)
{
    const struct iterate_page page = { .fence = NULL };

    if (strcmp(role, iterate_role_name(ITERATE_CODE_REVIEWER)) != 0) return STR("");
    return iterate_words(iterate_page_remit_code_reviewer, &page, arena);
}

static const char *iterate_answers(const char *role)
{
    (void)role;
    return "findings";
}

const struct dialect_notation iterate_notation = {
    .beyond = "its fixers work by groups of issues that its reviewers tell apart, "
              "and its phases are switched by its own configuration files",
    .remit = iterate_remit,
    .answers = iterate_answers,
};
