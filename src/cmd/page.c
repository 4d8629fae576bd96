/* SPDX-License-Identifier: Apache-2.0
 *
 * page.c - pages out of the tables of verbs, options and exit codes.
 *
 * Not here: how a page looks (help.c, man.c). */
#include "cmd/page.h"

#include "base/mem.h"
#include "run/ends.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void page_release(struct page *page)
{
    free(page->blocks);
    arena_release(&page->arena);
    *page = (struct page){ 0 };
}

void page_add(struct page *page, enum block_kind kind, const char *term, const char *text)
{
    page->blocks = mem_grow(page->blocks, page->count, &page->cap, sizeof *page->blocks);
    page->blocks[page->count++] = (struct block){ .kind = kind, .term = term, .text = text };
}

void page_add_option(struct page *page, const struct option *option)
{
    struct buf term;

    buf_init(&term, 256);
    if (option->letter) buf_printf(&term, "-%c", option->letter);
    if (option->letter && option->name[0]) buf_text(&term, ", ");
    if (option->name[0]) buf_printf(&term, "--%s", option->name);
    if (option->argument) buf_printf(&term, " %s", option->argument);
    page_add(page, BLOCK_TERM, arena_cstr(&page->arena, buf_str(&term)), option->help);
    buf_release(&term);
}

static void add_options(struct page *page, const char *heading, const struct option *options)
{
    if (!options->name) return;
    page_add(page, BLOCK_HEADING, NULL, heading);
    for (; options->name; options++) page_add_option(page, options);
}

static void add_like(struct page *page, const struct verb *verb)
{
    page_add(page, BLOCK_HEADING, NULL,
             arena_printf(&page->arena, "Options as of hone %s", verb->like->name));
    for (const struct option *option = verb->like->options; option->name; option++) {
        const struct option *own = verb->options;

        while (own->name && strcmp(own->name, option->name) != 0) own++;
        if (!own->name) page_add_option(page, option);
    }
}

static void add_usage(struct page *page, const struct verb *verb)
{
    const struct argument *argument = verb->arguments;
    struct buf usage;
    uint32_t open = 0;

    buf_init(&usage, 512);
    buf_printf(&usage, "hone %s [options]", verb->name);
    for (; argument->name; argument++) {
        bool alone = argument->optional && argument[1].name && !argument[1].optional;

        buf_printf(&usage, argument->optional ? " [%s%s%s" : " %s%s%s", argument->name,
                   argument->many ? "..." : "", alone ? "]" : "");
        open += argument->optional && !alone;
    }
    while (open-- > 0) buf_byte(&usage, ']');
    page_add(page, BLOCK_USAGE, NULL, arena_cstr(&page->arena, buf_str(&usage)));
    buf_release(&usage);
}

static void add_arguments(struct page *page, const struct argument *argument)
{
    if (!argument->name) return;
    page_add(page, BLOCK_HEADING, NULL, "Arguments");
    for (; argument->name; argument++) page_add(page, BLOCK_TERM, argument->name, argument->help);
}

static void add_codes(struct page *page, const struct code_help *codes)
{
    if (!codes->help) return;
    page_add(page, BLOCK_HEADING, NULL, "Exit status");
    for (; codes->help; codes++) {
        page_add(page, BLOCK_TERM, arena_printf(&page->arena, "%d", (int)codes->code), codes->help);
    }
}

static void add_texts(struct page *page, enum block_kind kind, const char *const *texts)
{
    for (; *texts; texts++) page_add(page, kind, NULL, *texts);
}

#define LAST(table) ((table)[sizeof(table) / sizeof *(table) - 1])

static void assert_ends(const struct verb *verb)
{
    assert(!LAST(verb->text) && !LAST(verb->arguments).name && !LAST(verb->options).name);
    assert(!LAST(verb->codes).help && !LAST(verb->examples));
}

void page_verb(struct page *page, const struct verb *verb)
{
    assert_ends(verb);
    *page = (struct page){ 0 };
    page_add(page, BLOCK_TITLE, arena_printf(&page->arena, "hone-%s", verb->name), verb->summary);
    add_usage(page, verb);
    page_add(page, BLOCK_HEADING, NULL, "Description");
    add_texts(page, BLOCK_TEXT, verb->text);
    add_arguments(page, verb->arguments);
    add_options(page, "Options", verb->options);
    if (verb->like) add_like(page, verb);
    if (verb->extend) verb->extend(page);
    add_options(page, "Common options", common_options);
    add_codes(page, verb->codes);
    if (verb->examples[0]) {
        page_add(page, BLOCK_HEADING, NULL, "Examples");
        add_texts(page, BLOCK_CODE, verb->examples);
    }
    page_add(page, BLOCK_SEE, NULL, "hone(1)");
}

static const char *const overview_texts[] = {
    "hone runs review-fix loops over coding agents until the work is clean, or until it can say "
    "exactly why it is not. The loop's rules are a dialect; the roles in it (reviewers, fixers) "
    "are played by agents, which are named by --agent ROLE=BACKEND:ARGUMENT.",
    "Runs are kept in a journal in the repository's git folder (in .hone where there is no git) "
    "and can be stopped, looked at and resumed at any time. RUN names one of them; it may be "
    "shortened as long as only one run fits, and where it is left out the newest run of this "
    "workspace is meant. Progress goes to standard error, results to standard output.",
    NULL,
};

static const struct code_help overview_codes[] = {
    { CODE_DONE, "clean, delivered, or done" },
    { CODE_FINDINGS, "findings remain; of check: the file is not valid" },
    { CODE_USAGE, "the command line or the configuration is wrong, or there is nothing to work "
                  "on" },
    { CODE_FAILED, "failed: an agent could not run or kept breaking its contract" },
    { CODE_BUDGET, "the budget is spent" },
    { CODE_WAITING, "the run waits for an answer" },
    { CODE_INTERRUPTED, "interrupted; 'hone resume' goes on" },
    { .help = NULL },
};

void page_overview(struct page *page)
{
    struct buf see;

    *page = (struct page){ 0 };
    page_add(page, BLOCK_TITLE, "hone", "review-fix loops over coding agents");
    page_add(page, BLOCK_USAGE, NULL, "hone VERB [options] [arguments]");
    page_add(page, BLOCK_HEADING, NULL, "Description");
    add_texts(page, BLOCK_TEXT, overview_texts);
    page_add(page, BLOCK_HEADING, NULL, "Verbs");
    buf_init(&see, 1024);
    for (uint32_t i = 0; verbs[i]; i++) {
        page_add(page, BLOCK_TERM, verbs[i]->name, verbs[i]->summary);
        buf_printf(&see, "%shone-%s(1)", i ? ", " : "", verbs[i]->name);
    }
    buf_text(&see, ", hone-ends(1)");
    page_add(page, BLOCK_TEXT, NULL, "'hone help VERB' explains a verb, 'hone help ends' how a "
             "run can end.");
    add_options(page, "Common options", common_options);
    add_codes(page, overview_codes);
    page_add(page, BLOCK_SEE, NULL, arena_cstr(&page->arena, buf_str(&see)));
    buf_release(&see);
}

/* ---- how a run can end ---- */

/* In the order in which a user is likely to meet them. */
static const enum reason met[] = {
    REASON_CLEAN, REASON_CONVERGED, REASON_SETTLED, REASON_BOUND, REASON_OSCILLATING,
    REASON_DIVERGING, REASON_STUCK, REASON_NOTED, REASON_ESCALATED, REASON_WAITING,
    REASON_BUDGET, REASON_INTERRUPTED, REASON_FAILED, REASON_PARTIAL,
    REASON_UNSEEN,
};

static void add_end(struct page *page, enum reason reason, enum exit_code code,
                    const struct end *end)
{
    page_add(page, BLOCK_TERM, end->word,
             arena_printf(&page->arena, "exit %d, --json: %s. \"%s\": %s. Next: %s.", (int)code,
                          reason_word(reason), end->line, end->meaning, end->next));
}

void page_ends(struct page *page)
{
    const struct end *crashed = run_end(REASON_NONE);

    _Static_assert(sizeof met / sizeof *met == REASON_COUNT - 1, "each end is listed");
    *page = (struct page){ 0 };
    page_add(page, BLOCK_TITLE, "hone-ends", "how a run can end, and what to do then");
    page_add(page, BLOCK_USAGE, NULL, "hone help ends");
    page_add(page, BLOCK_HEADING, NULL, "Description");
    page_add(page, BLOCK_TEXT, NULL, "Each end has a word, which 'hone list' shows; an exit "
             "status; a reason, which programs get with --json; and a first line at the end of "
             "the run.");
    page_add(page, BLOCK_HEADING, NULL, "Ends");
    for (uint32_t i = 0; i < sizeof met / sizeof *met; i++) {
        add_end(page, met[i], exit_code_of(met[i]), run_end(met[i]));
        if (met[i] == REASON_BOUND) {
            add_end(page, met[i], exit_code_of(met[i]), run_end_looked());
        }
        if (met[i] == REASON_NOTED) add_end(page, met[i], CODE_DONE, run_end_passed());
    }
    page_add(page, BLOCK_HEADING, NULL, "No end");
    page_add(page, BLOCK_TERM, "running", "a process, or a host, works on it.");
    page_add(page, BLOCK_TERM, crashed->word,
             arena_printf(&page->arena, "%s. Next: %s.", crashed->meaning, crashed->next));
    page_add(page, BLOCK_SEE, NULL, "hone(1), hone-list(1), hone-status(1)");
}
