/* SPDX-License-Identifier: Apache-2.0
 *
 * remit.c - the remits of this dialect's roles alone, for roles and loops that users write. */
#include "dialect/review/review.h"
#include "prompts/review.h"

#include <string.h>

static const struct {
    const char *role;
    void (*write)(struct buf *out, const struct review_page *page);
} remits[] = {
    { "critic", review_page_remit_critic },
    { "pedant", review_page_remit_pedant },
    { "witness", review_page_remit_witness },
    { "security-reviewer", review_page_remit_security_reviewer },
    { "silent-failure-hunter", review_page_remit_silent_failure_hunter },
    { "checker", review_page_remit_checker },
};

static struct str review_remit(const char *role, struct arena *arena)
{
    const struct review_page page = { .fence = NULL };

    if (strcmp(role, REVIEW_FIXER_NAME) == 0) return str_of(review_text_remit_review_fixer);
    for (size_t i = 0; i < sizeof remits / sizeof *remits; i++) {
        if (strcmp(remits[i].role, role) == 0) return review_words(remits[i].write, &page, arena);
    }
    return STR("");
}

static const char *review_answers(const char *role)
{
    return strcmp(role, REVIEW_FIXER_NAME) == 0 ? "text" : "findings";
}

const struct dialect_notation review_notation = {
    .remit = review_remit,
    .answers = review_answers,
};
