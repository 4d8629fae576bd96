/* SPDX-License-Identifier: Apache-2.0
 *
 * listed.c - a run replayed into its history and its ledger, and findings chosen from that.
 *
 * Why something was waived stands in the file of waivers, not in the journal: it is read here, and
 * where it cannot be read the findings are told without. Likewise of the tree that was looked at
 * last: its commit is that of the newest tree that is kept with the run, and the repository's
 * address is what git says of the remote. */
#include "run/listed.h"

#include "io/file/file.h"
#include "io/tree/tree.h"
#include "run/mends.h"
#include "run/place.h"
#include "run/waived.h"

#include <inttypes.h>
#include <string.h>

/* ---- who looked ---- */

static struct listing_look *look_find(struct listing_look *looks, uint32_t count,
                                      const struct plan *plan, const struct action *start)
{
    for (uint32_t i = 0; i < count; i++) {
        if (looks[i].lane == start->lane &&
            strcmp(looks[i].phase, plan->phases[start->phase].name) == 0 &&
            strcmp(looks[i].role, plan->roles[start->role].name) == 0) return &looks[i];
    }
    return NULL;
}

static void look_note(struct listing_look *look, const struct entry *entry)
{
    look->by = entry->by;
    look->round = entry->start.round;
    look->ended = entry->ended_ms != 0;
    look->verdict = entry->verdict;
    look->failure = entry->failure;
    look->finding_count = entry->finding_count;
    look->problem = entry->problem;
    look->looks++;
    if (entry->ended_ms > entry->started_ms) look->took_ms += entry->ended_ms - entry->started_ms;
}

/* Attempts are in the order they were asked for: the newest of a reviewer is what counts. */
static void list_looks(struct listed *listed)
{
    const struct plan *plan = &listed->replay->plan;
    const struct history *history = listed->history;
    struct listing_look *looks = arena_alloc(&listed->arena,
                                             (history->count + (size_t)1) * sizeof *looks);
    uint32_t count = 0;

    for (uint32_t i = 0; i < history->count; i++) {
        const struct entry *entry = &history->entries[i];
        struct listing_look *look;

        if (entry->start.purpose != FOR_REVIEW) continue;
        look = look_find(looks, count, plan, &entry->start);
        if (!look) {
            look = &looks[count++];
            *look = (struct listing_look){ .role = plan->roles[entry->start.role].name,
                                           .phase = plan->phases[entry->start.phase].name,
                                           .lane = entry->start.lane };
        }
        look_note(look, entry);
    }
    listed->listing.looks = looks;
    listed->listing.look_count = count;
}

/* ---- where the work comes from ---- */

/* "https://user:word@host/a.git" and "git@host:a.git" as addresses without a user; NULL: it is no
 * address of a host, but a place on this machine. */
static const char *address_of(struct str remote, struct arena *arena)
{
    static const char *const schemes[] = { "https://", "http://", "ssh://", "git://" };
    struct str rest, host;

    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        if (!str_starts(remote, str_of(schemes[i]))) continue;
        rest = str_skip(remote, strlen(schemes[i]));
        if (!str_cut(&rest, '/', &host)) return NULL;
        while (str_has(host, '@')) host = str_skip(host, 1);
        return arena_printf(arena, "%s%.*s/%.*s", schemes[i], STR_ARG(host), STR_ARG(rest));
    }
    rest = remote;
    if (!str_cut(&rest, ':', &host) || !str_has(host, '@') || str_has(host, '/')) return NULL;
    while (str_has(host, '@')) host = str_skip(host, 1);
    return arena_printf(arena, "ssh://%.*s/%.*s", STR_ARG(host), STR_ARG(rest));
}

static void list_source(struct listed *listed)
{
    static const char *const remote[] = { "remote", "get-url", "origin", NULL };
    struct listing_source *source = &listed->listing.source;
    const struct look *look = listed->look;
    struct tree tree = { 0 };
    struct err none;

    for (uint32_t i = listed->history->count; i-- > 0 && !source->revision;) {
        const struct action *start = &listed->history->entries[i].start;
        const char *path;

        if (start->purpose != FOR_REVIEW || start->lane != 0) continue;
        path = arena_printf(&listed->arena, "%s/tree-%" PRIu32,
                            place_run(&look->repo, look->run.id, &listed->arena), start->job);
        if (tree_load(&tree, path, &none) != 0) continue;
        if (!tree.head[0]) break;
        source->revision = arena_cstr(&listed->arena, str_of(tree.head));
        if (tree.branch.size > 0 && !str_starts(tree.branch, STR("("))) {
            source->branch = arena_cstr(&listed->arena, tree.branch);
        }
        source->changed = tree.count > 0;
    }
    tree_release(&tree);
    if (source->revision && look->repo.is_git) {
        const char *said = repo_ask(&look->repo, remote, &listed->arena, &none);

        if (said) source->repository = address_of(str_of(said), &listed->arena);
    }
}

/* Of what is replayed. */
static void listed_fill(struct listed *listed, const char *version)
{
    const struct look *look = listed->look;
    struct str text;
    struct err none;

    listed->listing = (struct listing){
        .run = look->run.id, .version = version,
        .unfinished = look_unfinished(look),
        .end = standing_word(&look->run, look->alive),
        .dialect = look->run.dialect, .workspace = look->run.workspace,
        .began_ms = look->run.created_ms, .ended_ms = look->run.updated_ms,
        .plan = &listed->replay->plan,
        .coverage = ledger_coverage(&listed->replay->engine.ledger, &listed->arena),
    };
    list_looks(listed);
    if (waived_read(look->run.workspace, &listed->arena, &text, &listed->waivers, &none) == 0) {
        listed->listing.waivers = &listed->waivers;
    }
}

void listed_of(const struct look *look, const struct run *replay, const struct history *history,
               const char *version, struct listed *out)
{
    *out = (struct listed){ .look = look, .replay = replay, .history = history };
    listed_fill(out, version);
}

int listed_read(const struct look *look, const char *version, struct listed *out, struct err *err)
{
    int rc;

    *out = (struct listed){ .look = look, .replay = &out->own, .history = &out->own_history };
    history_keep(&out->own_history);
    rc = run_load(&out->own, &look->run, err);
    if (rc == 0) {
        rc = run_replay(&out->own, look->journal, history_visit, &out->own_history, err);
    }
    if (rc == 0) listed_fill(out, version);
    return rc;
}

int listed_tell(const struct look *look, struct listed *listed, struct err *err)
{
    int rc = story_read(look, listed->replay, listed->history, &listed->arena, &listed->story,
                        err);

    if (rc == 0) listed->listing.story = &listed->story;
    return rc;
}

int listed_waive(struct listed *listed, const struct look *look, struct err *err)
{
    const struct ledger_entry *const *entries;
    uint32_t count = ledger_list(&listed->replay->engine.ledger, &listed->arena, &entries);
    const struct finding **findings = arena_alloc(&listed->arena,
                                                  (count + (size_t)1) * sizeof(void *));

    for (uint32_t i = 0; i < count; i++) findings[i] = &entries[i]->finding;
    return waived_match(&look->repo, listed->replay->settings.since, findings, count,
                        &listed->arena, &listed->waived, err);
}

void listed_choose(struct listed *listed, const struct finding_filter *filter,
                   enum listing_order order)
{
    const struct ledger_entry *const *entries;

    listed->listing.count = listed->listing.left = listed->listing.fix_count = 0;
    listed->total = ledger_list(&listed->replay->engine.ledger, &listed->arena, &entries);
    for (uint32_t i = 0; i < listed->total; i++) {
        if (listed->waived && listed->waived[i]) continue;
        if (!finding_filter_fits(filter, &listed->listing, entries[i])) continue;
        listing_add(&listed->listing, entries[i]);
    }
    listing_merge(&listed->listing, &listed->arena);
    listing_sort(&listed->listing, order);
}

void listed_choose_for(struct listed *listed, const struct finding_filter *filter,
                       const struct form *form)
{
    struct listing *listing = &listed->listing;

    listed_choose(listed, filter, LISTING_BY_STATE);
    form_arrange(form, listing);
    if (!listing->source.revision && form->source) list_source(listed);
    if (form->fixes) mends_find(listed->look, listed->history, listing, &listed->arena);
}

void listed_release(struct listed *listed)
{
    listing_release(&listed->listing);
    history_release(&listed->own_history);
    run_release(&listed->own);
    arena_release(&listed->arena);
}
