/* SPDX-License-Identifier: Apache-2.0
 *
 * orphan.c - processes that lost their parent, and whose they are.
 *
 * The supervisor is the reaper of everything below it: a process that daemonised, or whose
 * parent was killed, becomes its child. So everything an attempt started is found in two places:
 * below its main process, or below an orphan of it.
 *
 * 1. A child of ours is the main process of an attempt or an orphan; nothing else is started.
 *    Hence the cheap question: as many children as mains means no orphan at all.
 * 2. An orphan's owner is looked for once, when it is first seen: by its brand (brand_linux.c);
 *    where there is none, by session, by group, or by the tag in its environment. Its pid is ours
 *    until we reap it, so the answer stays true.
 * 3. An orphan whose brand matches no attempt changed its limits itself, to hide: it is ended with
 *    the next attempt that ends, of any owner. An orphan without a brand that shows no owner in
 *    another way has none until a single attempt is left, and is that one's then. What is left at
 *    the supervisor's end is ended with it.
 * 4. An orphan that we may not signal (another user's, by a set-user-id program) is not waited for.
 *
 * Not here: when an attempt has to end (child.c). */
#include "base/mem.h"
#include "io/process/supervise.h"

static const struct child *find_main(const struct supervision *s, pid_t pid)
{
    for (uint32_t i = 0; i < s->child_count; i++) {
        if (s->children[i]->main == pid) return s->children[i];
    }
    return NULL;
}

static bool is_known(const struct supervision *s, pid_t pid)
{
    for (uint32_t i = 0; i < s->orphan_count; i++) {
        if (s->orphans[i].pid == pid) return true;
    }
    return false;
}

/* False where there is none to tell by. */
static bool find_by_brand(const struct supervision *s, pid_t pid, struct child **owner)
{
    struct brand brand;

    *owner = NULL;
    if (s->child_count == 0 || s->children[0]->brand.falling == 0) return false;
    if (!brand_read(pid, &brand)) return false;
    for (uint32_t i = 0; i < s->child_count && !*owner; i++) {
        if (brand_same(&s->children[i]->brand, &brand)) *owner = s->children[i];
    }
    return true;
}

static struct child *find_by_looks(const struct supervision *s, pid_t pid)
{
    struct child *owner = NULL;
    struct kin kin = { 0 };
    struct buf environment;

    if (!family_look(pid, &kin)) return NULL;
    for (uint32_t i = 0; i < s->child_count; i++) {
        pid_t group = s->children[i]->group;

        if (kin.session == group || kin.group == group) return s->children[i];
    }
    family_environ(pid, &environment);
    for (uint32_t i = 0; i < s->child_count && !owner; i++) {
        if (environ_has(buf_str(&environment), s->children[i]->tag)) owner = s->children[i];
    }
    buf_release(&environment);
    return owner;
}

static struct orphan orphan_know(const struct supervision *s, pid_t pid)
{
    struct orphan orphan = { .pid = pid };

    if (find_by_brand(s, pid, &orphan.owner)) orphan.hid = !orphan.owner;
    else orphan.owner = find_by_looks(s, pid);
    return orphan;
}

void orphans_review(struct supervision *s)
{
    struct pids children = { 0 };
    uint32_t mains = 0;

    if (s->reviewed) return;
    s->reviewed = true;
    for (uint32_t i = 0; i < s->child_count; i++) mains += s->children[i]->main != 0;
    family_children(s->self, &children);
    for (uint32_t i = 0; children.count > mains && i < children.count; i++) {
        pid_t pid = children.items[i];

        if (is_known(s, pid) || find_main(s, pid)) continue;
        s->orphans = mem_grow(s->orphans, s->orphan_count, &s->orphan_cap, sizeof *s->orphans);
        s->orphans[s->orphan_count++] = orphan_know(s, pid);
    }
    pids_release(&children);
}

void orphans_forget(struct supervision *s, pid_t pid)
{
    for (uint32_t i = 0; i < s->orphan_count; i++) {
        if (s->orphans[i].pid != pid) continue;
        s->orphans[i] = s->orphans[--s->orphan_count];
        return;
    }
}

void orphans_take(struct supervision *s, struct child *child, bool all)
{
    for (uint32_t i = 0; i < s->orphan_count; i++) {
        if (!s->orphans[i].owner && (all || s->orphans[i].hid)) s->orphans[i].owner = child;
    }
}

void orphans_disown(struct supervision *s, const struct child *child)
{
    for (uint32_t i = 0; i < s->orphan_count; i++) {
        if (s->orphans[i].owner == child) s->orphans[i].owner = NULL;
    }
}

bool orphans_left(const struct supervision *s, const struct child *child)
{
    for (uint32_t i = 0; i < s->orphan_count; i++) {
        if (s->orphans[i].owner == child && !s->orphans[i].refused) return true;
    }
    return false;
}

void orphans_signal(struct supervision *s, const struct child *child, int signal)
{
    for (uint32_t i = 0; i < s->orphan_count; i++) {
        struct orphan *orphan = &s->orphans[i];

        if (orphan->owner == child) orphan->refused = !family_signal(orphan->pid, signal, false);
    }
}
