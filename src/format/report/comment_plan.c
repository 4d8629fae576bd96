/* SPDX-License-Identifier: Apache-2.0
 *
 * comment_plan.c - from what stands on the service to what should stand there, in steps.
 *
 *   the one comment   missing: created. Other than it should be: updated. There twice, as two
 *                     pipelines were at work at once: the oldest stays, the others of ours go.
 *
 *   an inline comment of ours        its finding is open      resolved            not known
 *     it says open                   as it is                 RESOLVE, EDIT       as it is
 *     it says resolved               REOPEN, EDIT             as it is            as it is
 *     none                           INLINE
 *
 * 1. A comment of another author is never changed, and never taken for ours by its mark.
 * 2. The thread comes before the text: a text that says resolved says that its thread was, too.
 *    When a person opens such a thread again, that stands; and so does a thread that a person
 *    resolved while its finding is open.
 * 3. Performed, the steps leave nothing to do: the same question gives none.
 * 4. At most inline_max findings have inline comments, those that stand there included. */
#include "format/report/comment.h"

/* An inline comment of ours, and what its mark says. */
struct told {
    const struct comment_thread *thread;
    struct str id;
    bool resolved;
};

struct planning {
    const struct comment_wish *wish;
    const struct comment_standing *standing;
    struct arena *arena;
    struct told *told;
    uint32_t told_count;
    struct comment_steps steps;
};

static const char *const deed_words[DEED_COUNT] = {
    [DEED_CREATE] = "create the comment",
    [DEED_UPDATE] = "update the comment",
    [DEED_DELETE] = "delete a second comment of the same run",
    [DEED_REOPEN] = "reopen a thread",
    [DEED_RESOLVE] = "resolve a thread",
    [DEED_EDIT] = "edit an inline comment",
    [DEED_INLINE] = "create an inline comment",
    [DEED_DELETE_INLINE] = "delete a second inline comment of the same finding",
};

const char *comment_deed_word(enum comment_deed deed)
{
    return deed_words[deed];
}

static struct comment_step *step_add(struct planning *planning, enum comment_deed deed,
                                     struct str id)
{
    struct comment_steps *steps = &planning->steps;

    steps->items = arena_grow(planning->arena, steps->items, steps->count, &steps->cap,
                              sizeof *steps->items);
    steps->items[steps->count] = (struct comment_step){ .deed = deed, .id = id };
    return &steps->items[steps->count++];
}

/* ---- the one comment ---- */

const struct comment_posted *comment_ours(const struct comment_standing *standing, const char *key)
{
    for (uint32_t i = 0; i < standing->comment_count; i++) {
        const struct comment_posted *posted = &standing->comments[i];

        if (posted->ours && comment_is(posted->body, key)) return posted;
    }
    return NULL;
}

/* A service may keep other line ends than it was given, and no blanks at the end. */
static bool same_text(struct str a, struct str b)
{
    size_t i = 0, k = 0;

    a = str_trim(a);
    b = str_trim(b);
    while (i < a.size || k < b.size) {
        if (i < a.size && a.data[i] == '\r') {
            i++;
        } else if (k < b.size && b.data[k] == '\r') {
            k++;
        } else {
            if (i == a.size || k == b.size || a.data[i++] != b.data[k++]) return false;
        }
    }
    return true;
}

static void plan_comment(struct planning *planning, struct str body)
{
    const struct comment_standing *standing = planning->standing;
    const char *key = planning->wish->about->key;
    const struct comment_posted *ours = comment_ours(standing, key);

    if (!ours) {
        step_add(planning, DEED_CREATE, STR(""))->body = body;
        return;
    }
    if (!same_text(ours->body, body)) step_add(planning, DEED_UPDATE, ours->id)->body = body;
    for (uint32_t i = 0; i < standing->comment_count; i++) {
        const struct comment_posted *posted = &standing->comments[i];

        if (posted == ours || !posted->ours || !comment_is(posted->body, key)) continue;
        step_add(planning, DEED_DELETE, posted->id);
    }
}

/* ---- inline comments ---- */

static const struct comment_item *open_item(const struct comment_wish *wish, struct str id)
{
    for (uint32_t i = 0; i < wish->item_count; i++) {
        if (!finding_is_open(wish->items[i].entry->state)) continue;
        if (str_is(id, wish->items[i].id)) return &wish->items[i];
    }
    return NULL;
}

static void told_read(struct planning *planning)
{
    uint32_t count = planning->standing->thread_count;

    planning->told = arena_alloc(planning->arena, (count + 1) * sizeof *planning->told);
    for (uint32_t i = 0; i < count; i++) {
        const struct comment_thread *thread = &planning->standing->threads[i];
        struct told *told = &planning->told[planning->told_count];

        told->thread = thread;
        planning->told_count += thread->first.ours &&
            comment_is_inline(thread->first.body, planning->wish->about->key, &told->id,
                              &told->resolved);
    }
}

/* The first of a finding; NULL: none. */
static const struct told *told_find(const struct planning *planning, struct str id)
{
    for (uint32_t i = 0; i < planning->told_count; i++) {
        if (str_eq(planning->told[i].id, id)) return &planning->told[i];
    }
    return NULL;
}

static struct str inline_body(struct planning *planning, const struct comment_item *item)
{
    struct buf body;

    buf_init(&body, COMMENT_BODY_BYTES_MAX);
    comment_write_inline(planning->wish->about, item, &body);
    return arena_take(planning->arena, &body);
}

/* What became of it, where it is resolved; empty: it is open, or not known. */
static struct str why_resolved(const struct planning *planning, struct str id)
{
    const struct comment_memory *memory = comment_memory_find(planning->wish->memories, id);

    if (memory) return memory->resolved;
    return planning->wish->about->conclusive ? STR("no longer reported") : STR("");
}

static void plan_edit(struct planning *planning, const struct comment_thread *thread,
                      struct str body)
{
    struct comment_step *step = step_add(planning, DEED_EDIT, thread->first.id);

    step->thread = thread->id;
    step->body = body;
}

static void plan_thread(struct planning *planning, const struct told *told)
{
    const struct comment_thread *thread = told->thread;
    const struct comment_item *item = open_item(planning->wish, told->id);
    struct str why = item ? STR("") : why_resolved(planning, told->id);
    struct buf body;

    if (item && told->resolved) {
        if (thread->resolved && thread->may_reopen) step_add(planning, DEED_REOPEN, thread->id);
        plan_edit(planning, thread, inline_body(planning, item));
    } else if (why.size > 0 && !told->resolved) {
        if (!thread->resolved && thread->may_resolve) step_add(planning, DEED_RESOLVE, thread->id);
        buf_init(&body, COMMENT_BODY_BYTES_MAX);
        comment_write_resolved(planning->wish->about, told->id, thread->first.body, why, &body);
        plan_edit(planning, thread, arena_take(planning->arena, &body));
    }
}

static void plan_threads(struct planning *planning)
{
    for (uint32_t i = 0; i < planning->told_count; i++) {
        const struct told *told = &planning->told[i];
        const struct comment_thread *thread = told->thread;

        if (told_find(planning, told->id) == told) {
            plan_thread(planning, told);
        } else if (thread->replies == 0) {
            step_add(planning, DEED_DELETE_INLINE, thread->first.id)->thread = thread->id;
        }
    }
}

/* Two findings of one name are one on the page. */
static bool is_planned(const struct planning *planning, const char *id)
{
    for (uint32_t i = 0; i < planning->steps.count; i++) {
        const struct comment_step *step = &planning->steps.items[i];

        if (step->deed == DEED_INLINE && str_is(step->id, id)) return true;
    }
    return false;
}

static void plan_new(struct planning *planning)
{
    const struct comment_wish *wish = planning->wish;
    uint32_t told = 0;

    for (uint32_t i = 0; i < wish->item_count && told < wish->inline_max; i++) {
        const struct comment_item *item = &wish->items[i];
        struct comment_step *step;

        if (!finding_is_open(item->entry->state)) continue;
        if (told_find(planning, str_of(item->id))) {
            told++;
        } else if (!item->left && !is_planned(planning, item->id)) {
            told++;
            step = step_add(planning, DEED_INLINE, str_of(item->id));
            step->item = item;
            step->body = inline_body(planning, item);
        }
    }
}

struct comment_steps comment_plan(const struct comment_wish *wish, struct str body,
                                  const struct comment_standing *standing, struct arena *arena)
{
    struct planning planning = { .wish = wish, .standing = standing, .arena = arena };

    told_read(&planning);
    plan_comment(&planning, body);
    plan_threads(&planning);
    plan_new(&planning);
    return planning.steps;
}
