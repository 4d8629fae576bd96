/* SPDX-License-Identifier: Apache-2.0
 *
 * list.c - the findings of a review as text for a prompt.
 *
 * What a prompt may hold is bounded, and the worst must not be what is left out: findings are
 * taken in the order of their severity until the bound is reached, and only then, for the fixer,
 * put together by file. */
#include "dialect/quote.h"
#include "dialect/review/r1.h"
#include "dialect/review/review.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
    LIST_BYTES_MAX = 200 * 1024,
    NAME_BYTES_MAX = 512,
    SHORT_BYTES_MAX = 1024, /* of a finding's text in the short list */
    TEXT_BYTES_MAX = 5 * 1024,
    LONG_BYTES_MAX = 9 * 1024,
};

struct item {
    const struct finding *finding;
    uint32_t order;
    enum severity worst; /* of its file */
    struct str text;     /* as it will be shown */
};

struct items {
    struct arena arena; /* of the texts */
    struct item *item;
    uint32_t count, total;
};

static int compare_order(const struct item *x, const struct item *y)
{
    return (x->order > y->order) - (x->order < y->order);
}

static int by_severity(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->finding->severity != y->finding->severity) {
        return x->finding->severity < y->finding->severity ? 1 : -1;
    }
    return compare_order(x, y);
}

static int by_file(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int files = str_compare(x->finding->file, y->finding->file);

    if (files != 0) return files;
    if (x->finding->severity == y->finding->severity && x->finding->line != y->finding->line) {
        return x->finding->line > y->finding->line ? 1 : -1;
    }
    return by_severity(a, b);
}

static int by_worst_file(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->worst != y->worst) return x->worst < y->worst ? 1 : -1;
    return by_file(a, b);
}

static void items_init(struct items *items, const struct batch *review)
{
    *items = (struct items){ 0 };
    for (uint32_t i = 0; i < review->count; i++) {
        items->total += review->jobs[i].result.finding_count;
    }
    items->item = mem_alloc((items->total + 1) * sizeof *items->item);
    for (uint32_t i = 0; i < review->count; i++) {
        const struct result *result = &review->jobs[i].result;
        for (uint32_t k = 0; k < result->finding_count; k++) {
            items->item[items->count] = (struct item){ .finding = &result->findings[k],
                                                       .order = items->count };
            items->count++;
        }
    }
    qsort(items->item, items->count, sizeof *items->item, by_severity);
}

static void items_release(struct items *items)
{
    free(items->item);
    arena_release(&items->arena);
}

typedef void show_fn(struct buf *out, const char *fence, const struct finding *finding);

/* Keeps the first items, as many as fit, each with its text. */
static void items_show(struct items *items, const char *fence, show_fn *show)
{
    struct buf text;
    size_t used = 0;

    buf_init(&text, LIST_BYTES_MAX);
    for (uint32_t i = 0; i < items->count; i++) {
        struct item *item = &items->item[i];

        buf_clear(&text);
        show(&text, fence, item->finding);
        if (text.overflow || used + text.size > LIST_BYTES_MAX) {
            items->count = i;
            break;
        }
        used += text.size;
        item->text = arena_copy(&items->arena, buf_str(&text));
    }
    buf_release(&text);
}

static void items_left_out(const struct items *items, struct buf *out)
{
    if (items->count == items->total) return;
    buf_printf(out, "%u more, none graver than those shown, are left out here; all of them are in"
               " the files named above.\n", (unsigned)(items->total - items->count));
}

static void show_field(struct buf *out, const char *fence, const char *name, struct str text)
{
    if (str_trim(text).size == 0) return;
    buf_printf(out, "    %s: ", name);
    quote_text(out, fence, text, "      ", LONG_BYTES_MAX);
    buf_byte(out, '\n');
}

/* The fence shows whose word it is: no finding's text can hold it. */
static void show_say(struct buf *out, const char *fence, struct str say)
{
    if (say.size == 0) return;
    buf_printf(out, "    user %s: ", fence);
    quote_text(out, fence, say, "      ", LONG_BYTES_MAX);
    buf_byte(out, '\n');
}

static void show_full(struct buf *out, const char *fence, const struct finding *finding)
{
    buf_printf(out, "- [%s] ", r1_severity_word(finding->severity));
    if (finding->line) buf_printf(out, "line %u, ", (unsigned)finding->line);
    quote_line(out, fence, finding->source, NAME_BYTES_MAX);
    if (finding->kind.size) {
        buf_text(out, ", ");
        quote_line(out, fence, finding->kind, NAME_BYTES_MAX);
    }
    buf_text(out, ": ");
    quote_text(out, fence, finding->text, "    ", TEXT_BYTES_MAX);
    buf_byte(out, '\n');
    show_field(out, fence, "evidence", finding->evidence);
    show_field(out, fence, "suggestion", finding->suggestion);
    show_say(out, fence, finding->say);
}

static void show_short(struct buf *out, const char *fence, const struct finding *finding)
{
    buf_printf(out, "- [%s] ", r1_severity_word(finding->severity));
    quote_line(out, fence, finding->source, NAME_BYTES_MAX);
    if (finding->file.size) {
        buf_text(out, ", ");
        quote_line(out, fence, finding->file, NAME_BYTES_MAX);
        if (finding->line) buf_printf(out, ":%u", (unsigned)finding->line);
    }
    buf_text(out, ": ");
    quote_text(out, fence, finding->text, "    ", SHORT_BYTES_MAX);
    buf_byte(out, '\n');
}

bool review_list_says(const struct batch *review)
{
    for (uint32_t i = 0; i < review->count; i++) {
        const struct result *result = &review->jobs[i].result;
        for (uint32_t k = 0; k < result->finding_count; k++) {
            if (result->findings[k].say.size > 0) return true;
        }
    }
    return false;
}

/* Sorted by file: each gets the rank of its file's worst, which is the first of them. */
static void rank_files(struct items *items)
{
    for (uint32_t i = 0; i < items->count; i++) {
        struct item *item = &items->item[i];
        bool same = i > 0 && str_eq(item->finding->file, item[-1].finding->file);
        item->worst = same ? item[-1].worst : item->finding->severity;
    }
}

void review_list_full(struct buf *out, const char *fence, const struct batch *review)
{
    struct items items;

    items_init(&items, review);
    items_show(&items, fence, show_full);
    qsort(items.item, items.count, sizeof *items.item, by_file);
    rank_files(&items);
    qsort(items.item, items.count, sizeof *items.item, by_worst_file);
    quote_open(out, fence);
    for (uint32_t i = 0; i < items.count; i++) {
        struct str file = items.item[i].finding->file;
        if (i == 0 || !str_eq(file, items.item[i - 1].finding->file)) {
            if (i > 0) buf_byte(out, '\n');
            quote_line(out, fence, file.size ? file : STR("(no file)"), NAME_BYTES_MAX);
            buf_byte(out, '\n');
        }
        buf_add(out, items.item[i].text);
    }
    quote_close(out, fence);
    items_left_out(&items, out);
    items_release(&items);
}

void review_list_short(struct buf *out, const char *fence, const struct batch *review)
{
    struct items items;

    items_init(&items, review);
    items_show(&items, fence, show_short);
    quote_open(out, fence);
    for (uint32_t i = 0; i < items.count; i++) buf_add(out, items.item[i].text);
    quote_close(out, fence);
    items_left_out(&items, out);
    items_release(&items);
}
