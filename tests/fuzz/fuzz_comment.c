/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_comment.c - a finding with any words and any file's name, told behind any earlier comment,
 * in any diff.
 *
 * The input is the earlier comment, the words and the name, a NUL behind each, and a diff.
 *
 * 1. In the comment and in the inline comment there are no marks but hone's own, at their places,
 *    no line begins as a command does, and nothing is there that a terminal would obey.
 * 2. What was posted is recognised, and told again nothing is left to do.
 * 3. A place in the diff lies within it. */
#include "format/report/comment.h"

#include "core/plan.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct role roles[] = { { .name = "critic" } };
static const struct plan plan = { .roles = roles, .role_count = 1 };

static uint32_t count_of(struct str text, struct str part)
{
    uint32_t count = 0;

    for (size_t i = 0; i + part.size <= text.size; i++)
        count += memcmp(text.data + i, part.data, part.size) == 0;
    return count;
}

/* A name stands in a code span, where a mark is text: with one in it they are not counted. */
static void check_text(struct str text, struct str name, uint32_t marks)
{
    bool counted = count_of(name, STR("--")) == 0;

    assert(!counted || count_of(text, STR("<!--")) == marks);
    assert(!counted || count_of(text, STR("-->")) == marks);
    assert(count_of(text, STR("\n/")) == 0);
    for (size_t i = 0; i < text.size; i++)
        assert((unsigned char)text.data[i] >= ' ' || text.data[i] == '\n');
}

static struct str cut(struct str *rest)
{
    struct str piece = { "", 0 };

    (void)str_cut(rest, '\0', &piece);
    return piece;
}

/* One pass: the comment is what stands there afterwards. */
static struct comment_steps told(const struct comment_about *about,
                                 const struct comment_standing *standing,
                                 const struct diff_places *diff, struct str *body,
                                 struct arena *arena)
{
    const struct comment_posted *ours = comment_ours(standing, about->key);
    struct comment_memories before, next;
    struct comment_item *items;
    struct comment_wish wish = { .about = about, .memories = &next, .inline_max = 5 };
    struct buf text;

    wish.item_count = comment_items_make(about->listing, arena, &items);
    wish.items = items;
    for (uint32_t i = 0; i < wish.item_count; i++) {
        const struct comment_place *place = &items[i].place;

        comment_item_place(&items[i], diff, COMMENT_DIFF_CONTEXT, (struct str){ NULL, 0 }, arena);
        assert(items[i].left || (place->line >= place->start_line && place->path.size > 0));
    }
    before = comment_memories_read(ours ? ours->body : STR(""), arena);
    next = comment_memories_next(about, items, wish.item_count, &before, arena);
    buf_init(&text, COMMENT_BODY_BYTES_MAX);
    comment_write(about, &next, &text);
    assert(!text.overflow && text.size < 65536);
    *body = arena_take(arena, &text);
    check_text(*body, about->listing->items[0]->finding.file, 2);
    return comment_plan(&wish, *body, standing, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = { (const char *)data, size }, earlier = cut(&rest), words = cut(&rest);
    struct ledger_entry entry = { .finding = { .text = words, .file = cut(&rest), .line = 2,
                                               .end_line = 3 } };
    struct listing listing = { .run = "7k2m", .version = "1", .plan = &plan };
    struct comment_about about = { .key = "review", .dialect = "review", .end = "it ended",
                                   .conclusive = true, .listing = &listing };
    struct arena arena = { 0 };
    struct diff_places diff = diff_places_read(rest, &arena);
    struct comment_posted posted = { .id = STR("1"), .body = earlier, .ours = true };
    struct comment_thread thread = { .id = STR("2") };
    struct comment_standing standing = { .comments = &posted, .comment_count = 1 };
    struct comment_steps steps;
    struct str body;

    entry.fingerprint = entry.finding.fingerprint = finding_fingerprint(&entry.finding);
    listing_add(&listing, &entry);
    steps = told(&about, &standing, &diff, &body, &arena);
    for (uint32_t i = 0; i < steps.count; i++) {
        if (steps.items[i].deed != DEED_INLINE) continue;
        check_text(steps.items[i].body, entry.finding.file, 1);
        thread.first = (struct comment_posted){ STR("3"), steps.items[i].body, true };
        standing.threads = &thread;
        standing.thread_count = 1;
    }
    posted.body = body;
    assert(comment_is(body, "review"));
    steps = told(&about, &standing, &diff, &body, &arena);
    assert(steps.count == 0);
    listing_release(&listing);
    arena_release(&arena);
    return 0;
}
