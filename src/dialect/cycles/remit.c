/* SPDX-License-Identifier: Apache-2.0
 *
 * remit.c - the remits of this dialect's roles, for loops that users write, and its plan in their
 * notation. */
#include "dialect/cycles/cycles.h"
#include "prompts/cycles.h"

#include <string.h>

static struct str cycles_remit(const char *role, struct arena *arena)
{
    const struct cycles_page page = { .fence = NULL };

    if (strcmp(role, cycles_role_name(CYCLES_IMPLEMENTER)) == 0) {
        return str_of(cycles_text_remit_implementer);
    }
    if (strcmp(role, cycles_role_name(CYCLES_REVIEWER)) == 0) {
        return cycles_words(cycles_page_remit_spec_reviewer, &page, arena);
    }
    if (strcmp(role, cycles_role_name(CYCLES_FIXER)) == 0) {
        return cycles_words(cycles_page_remit_spec_fixer, &page, arena);
    }
    return STR("");
}

static const char *cycles_answers(const char *role)
{
    bool reviews = !cycles_is_builtin(role) ||
                   strcmp(role, cycles_role_name(CYCLES_REVIEWER)) == 0;

    return reviews ? "grade" : "text";
}

const struct dialect_notation cycles_notation = {
    .remit = cycles_remit,
    .answers = cycles_answers,
    .commit = "hone: what this phase made",
};
