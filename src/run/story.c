/* SPDX-License-Identifier: Apache-2.0
 *
 * story.c - a run told, from its journal and from what was kept beside it.
 *
 *   journal, again -- after each round --> what is open, by cause; each finding's state
 *   engine, history --------------------> rounds, attempts, lanes, what was used
 *   runs/RUN/JOB-ATTEMPT/ --------------> model, files that were read
 *   runs/RUN/tree-JOB ------------------> what each fix changed, the lines around what is left
 *
 * The tree of a review is kept before the review begins (drive/watch.c). So what the fix of a round
 * changed is the difference between its tree and that of the lane's next round; and what resolved a
 * finding is the difference between the tree in which it was last reported, and that in which its
 * reviewers found it no more.
 *
 * 1. Nothing of the workspace is read: the story is the same tomorrow.
 * 2. A tree that is not there any more, or cannot be compared, is said in the story: no error.
 * 3. All is bounded: DIFFS_MAX comparisons, DIFF_BYTES_MAX of each, SOURCES_MAX files of source.
 * 4. What comes out of files is masked: a secret in it is not told.
 *
 * Not here: how it is shown (format/report/html_write.c). */
#include "run/story.h"

#include "base/mem.h"
#include "base/path.h"
#include "format/report/listing.h"
#include "format/secret/mask.h"
#include "io/file/file.h"
#include "io/process/host.h"
#include "io/tree/tree.h"
#include "run/cast.h"
#include "run/evidence.h"
#include "run/place.h"
#include "run/site.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIFFS_MAX = 300,
    DIFF_BYTES_MAX = 256 << 10,
    SOURCES_MAX = 2000,
    SOURCES_BYTES_MAX = 64 << 20,
    AROUND = 3,            /* lines before and behind the line of a finding */
    INDEX_LETTERS = 8,
};

static const char no_tree[] = "the trees of these reviews are not kept any more";
static const char no_compare[] = "git could not compare the trees of these reviews; it needs to "
                                 "write a list of their files into hone's folder";
static const char too_many[] = "this run has too many fixes to show each of them";

/* The tree that a round judged. */
struct round_kept {
    bool looked, known;
    struct tree tree;
};

struct teller {
    const struct look *look;
    const struct run *replay;
    const struct history *history;
    struct arena *arena;
    struct story *story;
    uint32_t open_from;        /* rounds below have ended and are counted */
    struct round_kept *kept;   /* by round */
    struct mask mask;
};

/* ---- after each round ---- */

/* The round that goes by this lane, phase, iteration and number; STORY_NONE: of none. */
static uint32_t round_of(const struct engine *engine, uint32_t lane, uint32_t phase,
                         uint32_t iteration, uint32_t number)
{
    for (uint32_t i = engine->round_count; i-- > 0;) {
        const struct round *round = &engine->rounds[i];
        if (round->lane == lane && round->phase == phase && round->iteration == iteration &&
            round->number == number) return i;
    }
    return STORY_NONE;
}

/* An entry was there in the round of its first report, also where that has not ended. */
static uint32_t first_round(const struct teller *teller, const struct ledger_entry *entry,
                            uint32_t now)
{
    uint32_t at = round_of(&teller->replay->engine, entry->lane, entry->phase,
                           entry->iteration_first, entry->round_first);

    return at == STORY_NONE ? now : at;
}

/* Adds a state where it is another than before. */
static void fate_note(struct teller *teller, struct story_fate *fate,
                      const struct ledger_entry *entry, uint32_t round)
{
    bool known = fate->change_count > 0 &&
                 fate->changes[fate->change_count - 1].state == entry->state;

    if (entry->state != FINDING_FIXED) fate->line = entry->finding.line;
    if (known) return;
    fate->changes = arena_grow(teller->arena, fate->changes, fate->change_count,
                               &fate->change_cap, sizeof *fate->changes);
    fate->changes[fate->change_count++] = (struct story_change){ round, entry->state };
}

/* Entries and fates are both in order. An entry whose review is void is gone, its fate with it. */
static void note_fates(struct teller *teller, const struct ledger_entry *const *entries,
                       uint32_t count, uint32_t round)
{
    struct story *story = teller->story;
    struct story_fate *fates = count ? mem_alloc(count * sizeof *fates) : NULL;
    uint32_t old = 0;

    for (uint32_t i = 0; i < count; i++) {
        while (old < story->fate_count && story->fates[old].order < entries[i]->order) old++;
        if (old < story->fate_count && story->fates[old].order == entries[i]->order) {
            fates[i] = story->fates[old];
        } else {
            fates[i] = (struct story_fate){ .order = entries[i]->order, .diff = STORY_NONE };
        }
        fate_note(teller, &fates[i], entries[i],
                  fates[i].change_count ? round : first_round(teller, entries[i], round));
    }
    free(story->fates);
    story->fates = fates;
    story->fate_count = count;
}

/* One fault that several tools report counts once, as everywhere. */
static void count_faults(const struct ledger_entry *const *entries, uint32_t count,
                         struct arena *arena, struct story_round *out)
{
    struct listing listing = { .count = 0 };

    for (uint32_t i = 0; i < count; i++) listing_add(&listing, entries[i]);
    listing_merge(&listing, arena);
    *out = (struct story_round){ .counted = true };
    for (uint32_t i = 0; i < listing.count; i++) {
        const struct ledger_entry *entry = listing.items[i];
        bool open = finding_is_open(entry->state);

        out->open_fix += open && entry->cause_round > 0;
        out->open_change += open && entry->cause_round == 0;
        out->fixed += entry->state == FINDING_FIXED;
        out->set_aside += entry->state == FINDING_NOTED || entry->state == FINDING_WAIVED;
    }
    listing_release(&listing);
}

/* What the ledger says now, after a round; STORY_NONE: at the end. */
static void note_ledger(struct teller *teller, const struct engine *engine, uint32_t round)
{
    struct story *story = teller->story;
    struct arena arena = { 0 };
    const struct ledger_entry *const *entries;
    uint32_t count = ledger_list(&engine->ledger, &arena, &entries);
    struct story_round now;

    note_fates(teller, entries, count, round);
    count_faults(entries, count, &arena, &now);
    if (round == STORY_NONE) {
        struct listing_counts counts = ledger_faults(&engine->ledger);

        story->end_change = now.open_change;
        story->end_fix = now.open_fix;
        story->found = counts.total;
        story->left = counts.open_count;
        memcpy(story->left_by, counts.open, sizeof story->left_by);
        memcpy(story->states, counts.states, sizeof story->states);
    } else if (round < story->round_count) {
        story->rounds[round] = now;
    }
    arena_release(&arena);
}

static void note_mark(struct teller *teller, const struct event *event)
{
    static const enum story_mark_kind kinds[EV_COUNT] = {
        [EV_START] = STORY_MARK_COUNT, [EV_ENDED] = STORY_MARK_COUNT,
        [EV_STOP] = STORY_STOPPED,     [EV_RESUME] = STORY_RESUMED,
        [EV_ANSWER] = STORY_ANSWERED,  [EV_DRIFT] = STORY_DRIFTED,
        [EV_SPENT] = STORY_SPENT,
    };
    struct story *story = teller->story;

    if (kinds[event->kind] == STORY_MARK_COUNT) return;
    story->marks = arena_grow(teller->arena, story->marks, story->mark_count, &story->mark_cap,
                              sizeof *story->marks);
    story->marks[story->mark_count++] = (struct story_mark){
        .kind = kinds[event->kind], .at_ms = event->now_ms, .choice = event->choice,
        .lane = event->lane,
    };
}

static bool note_event(void *context, const struct run *run, uint64_t sequence,
                       const struct event *event, const struct actions *actions)
{
    struct teller *teller = context;
    const struct engine *engine = &run->engine;

    (void)sequence;
    (void)actions;
    note_mark(teller, event);
    for (uint32_t i = teller->open_from; i < engine->round_count; i++) {
        bool counted = i < teller->story->round_count && teller->story->rounds[i].counted;
        if (engine->rounds[i].ended_ms != 0 && !counted) note_ledger(teller, engine, i);
        if (counted && i == teller->open_from) teller->open_from++;
    }
    return true;
}

/* ---- rounds, lanes, attempts ---- */

static void tell_rounds(struct teller *teller)
{
    const struct engine *engine = &teller->replay->engine;
    struct story *story = teller->story;

    for (uint32_t i = 0; i < story->round_count; i++) {
        const struct round *from = &engine->rounds[i];
        struct story_round *round = &story->rounds[i];

        round->lane = from->lane;
        round->iteration = from->iteration;
        round->number = from->number;
        round->phase = teller->replay->plan.phases[from->phase].name;
        round->started_ms = from->started_ms;
        round->ended_ms = from->ended_ms;
        round->repaired_ms = from->repaired_ms;
        round->verdict = from->verdict;
        round->finding_count = from->finding_count;
        round->untouched = from->untouched;
        round->diff = STORY_NONE;
    }
}

/* Where no time says it, the order in which they began. */
static void order_rounds(struct teller *teller)
{
    struct story *story = teller->story;

    story->by_end = arena_alloc(teller->arena, (story->round_count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < story->round_count; i++) {
        uint64_t end = story->rounds[i].ended_ms;
        uint32_t at = i;

        while (at > 0 && end != 0) {
            uint64_t before = story->rounds[story->by_end[at - 1]].ended_ms;

            if (before != 0 && before <= end) break;
            story->by_end[at] = story->by_end[at - 1];
            at--;
        }
        story->by_end[at] = i;
    }
}

static void tell_lanes(struct teller *teller)
{
    const struct run *run = teller->replay;
    struct run_view view = run_view(run, 0);
    struct story *story = teller->story;

    story->lane_count = run->engine.lane_count;
    story->lanes = arena_alloc(teller->arena, (story->lane_count + 1) * sizeof *story->lanes);
    for (uint32_t i = 0; i < story->lane_count; i++) {
        struct lane_about about = { .name = "main" };

        if (i > 0 && run->dialect->lanes) {
            run->dialect->lanes->about(&view, i, teller->arena, &about);
        }
        if (i > 0 && about.task_id) about.name = about.task_id;
        story->lanes[i] = (struct story_lane){ about.name, str_of(about.task) };
    }
}

static bool is_of_round(enum purpose purpose)
{
    return purpose == FOR_REVIEW || purpose == FOR_REPAIR || purpose == FOR_PROOF ||
           purpose == FOR_THEN;
}

static void tell_evidence(struct teller *teller, const struct entry *entry,
                          struct story_attempt *out)
{
    struct arena *arena = teller->arena;
    const char *folder = place_attempt(&teller->look->repo, teller->story->run, entry->start.job,
                                       entry->start.attempt, arena);
    struct agent agent = { 0 };
    struct reading reading;
    struct str *files;

    if (cast_find(teller->replay, &entry->start, arena, &agent) && agent.backend) {
        out->may_cost = agent.backend->may_cost;
        out->effort = agent.effort;
        if (!out->by[0]) out->by = agent.backend->name;
    }
    if (!agent.backend || !evidence_read(&agent, folder, arena, &reading)) {
        out->file_count = evidence_files(folder, arena, &out->files, &out->files_cut);
        return;
    }
    out->model = reading.model;
    files = arena_alloc(arena, (reading.path_count + 1) * sizeof *files);
    for (uint32_t i = 0; i < reading.path_count; i++) {
        if (!reading.paths[i].written) files[out->file_count++] = reading.paths[i].path;
    }
    out->files = files;
    out->files_cut = reading.paths_cut;
}

static void tell_attempts(struct teller *teller)
{
    const struct run *run = teller->replay;
    const struct history *history = teller->history;
    struct story *story = teller->story;

    story->attempts = arena_alloc(teller->arena, (history->count + 1) * sizeof *story->attempts);
    story->attempt_count = history->count;
    for (uint32_t i = 0; i < history->count; i++) {
        const struct entry *entry = &history->entries[i];
        const struct action *start = &entry->start;
        enum purpose purpose = start->purpose;

        story->attempts[i] = (struct story_attempt){
            .role = run->plan.roles[start->role].name, .phase = entry_phase(entry, &run->plan),
            .by = entry->by, .job = start->job, .attempt = start->attempt, .lane = start->lane,
            .iteration = start->iteration, .round = start->round,
            .round_at = is_of_round(purpose) ? round_of(&run->engine, start->lane, start->phase,
                                                        start->iteration, start->round)
                                             : STORY_NONE,
            .purpose = purpose, .recheck = start->recheck,
            .judges = purpose == FOR_REVIEW || purpose == FOR_CHECKPOINT,
            .builtin = run->plan.roles[start->role].builtin,
            .asked_ms = entry->asked_ms, .started_ms = entry->started_ms,
            .ended_ms = entry->ended_ms, .verdict = entry->verdict, .failure = entry->failure,
            .finding_count = entry->finding_count, .doubt_count = entry->doubt_count,
            .unchanged = entry->unchanged, .proof = entry->proof, .usage = entry->usage,
            .problem = str_of(entry->problem),
        };
        tell_evidence(teller, entry, &story->attempts[i]);
    }
}

/* ---- trees ---- */

/* The file of a tree, by the jobs of a round with this purpose: the first that is there. */
static bool load_tree(struct teller *teller, uint32_t at, enum purpose purpose, const char *kind)
{
    const struct round *round = &teller->replay->engine.rounds[at];
    const char *folder = place_run(&teller->look->repo, teller->story->run, teller->arena);
    struct err none;

    for (uint32_t i = 0; i < teller->history->count; i++) {
        const struct action *start = &teller->history->entries[i].start;

        if (start->purpose != purpose || start->lane != round->lane ||
            start->phase != round->phase || start->iteration != round->iteration ||
            start->round != round->number) continue;
        if (tree_load(&teller->kept[at].tree,
                      arena_printf(teller->arena, "%s/%s-%" PRIu32, folder, kind, start->job),
                      &none) == 0) return true;
        tree_release(&teller->kept[at].tree);
    }
    return false;
}

/* The tree that the reviewers of a round looked at; NULL: it is not kept any more. */
static struct tree *tree_of(struct teller *teller, uint32_t at)
{
    struct round_kept *kept = &teller->kept[at];

    if (!kept->looked) {
        kept->looked = true;
        kept->known = load_tree(teller, at, FOR_REVIEW, "tree") ||
                      load_tree(teller, at, FOR_REPAIR, "round");
    }
    return kept->known ? &kept->tree : NULL;
}

static int compare_trees(struct teller *teller, struct tree *before, struct tree *after,
                         struct buf *out, struct err *err)
{
    const struct repo *repo = &teller->look->repo;
    const char *folder = place_run(repo, teller->story->run, teller->arena);
    struct tree_delta delta = { 0 };
    char word[INDEX_LETTERS + 1];
    int rc = tree_align(repo, before, after, err);

    random_word(word, INDEX_LETTERS);
    if (rc == 0) {
        tree_compare(before, after, &delta);
        rc = tree_diff(repo, before, after, &delta, DIFF_BYTES_MAX, folder,
                       arena_printf(teller->arena, "story-%s.index", word), out, err);
    }
    tree_delta_release(&delta);
    return rc;
}

static void tell_diff(struct teller *teller, struct story_diff *diff)
{
    struct tree *before = tree_of(teller, diff->from), *after = tree_of(teller, diff->to);
    struct buf text;
    struct err none;

    if (!before || !after) {
        diff->why = no_tree;
        return;
    }
    buf_init(&text, 2 * DIFF_BYTES_MAX);
    if (compare_trees(teller, before, after, &text, &none) == 0) {
        diff->text = mask_copy(&teller->mask, arena_copy(teller->arena, buf_str(&text)),
                               teller->arena);
    } else {
        diff->why = no_compare; /* git's own words name folders of this machine */
    }
    buf_release(&text);
}

/* The difference between the trees of two rounds, made once; its number in diffs[]. */
static uint32_t diff_between(struct teller *teller, uint32_t from, uint32_t to)
{
    struct story *story = teller->story;
    struct story_diff *diff;

    for (uint32_t i = story->diff_count; i-- > 0;) {
        if (story->diffs[i].from == from && story->diffs[i].to == to) return i;
    }
    story->diffs = arena_grow(teller->arena, story->diffs, story->diff_count, &story->diff_cap,
                              sizeof *story->diffs);
    diff = &story->diffs[story->diff_count++];
    *diff = (struct story_diff){ .from = from, .to = to };
    if (story->diff_count > DIFFS_MAX) diff->why = too_many;
    else tell_diff(teller, diff);
    return story->diff_count - 1;
}

/* The lane's next round; STORY_NONE: there is none. */
static uint32_t round_behind(const struct story *story, uint32_t at)
{
    for (uint32_t i = at + 1; i < story->round_count; i++) {
        if (story->rounds[i].lane == story->rounds[at].lane) return i;
    }
    return STORY_NONE;
}

static void tell_fixes(struct teller *teller)
{
    struct story *story = teller->story;

    for (uint32_t i = 0; i < story->round_count; i++) {
        uint32_t next = story->rounds[i].repaired_ms ? round_behind(story, i) : STORY_NONE;
        if (next != STORY_NONE) story->rounds[i].diff = diff_between(teller, i, next);
    }
}

/* From the round that reported it last to the one that found it no more. */
static void tell_resolved(struct teller *teller, const struct ledger_entry *entry,
                          struct story_fate *fate)
{
    uint32_t from = round_of(&teller->replay->engine, entry->lane, entry->phase,
                             entry->iteration_last, entry->round_last);
    uint32_t to = fate->changes[fate->change_count - 1].round;

    if (from != STORY_NONE && to != STORY_NONE && from < to) {
        fate->diff = diff_between(teller, from, to);
    }
}

/* ---- the lines around a finding ---- */

/* One file of source that is wanted: of a finding, in the tree of its last report. */
struct source_wanted {
    struct story_fate *fate;
    const char *object; /* as git finds it */
};

struct sources {
    struct source_wanted items[SOURCES_MAX];
    uint32_t count;
};

/* Where git finds the file as the tree has it; NULL: nowhere. */
static const char *object_of(const struct tree *tree, struct str file, struct arena *arena)
{
    const struct tree_entry *entry = tree_find(tree, file);

    if (entry) return oid_is_valid(str_of(entry->oid)) ? entry->oid : NULL;
    if (!tree->head[0] || file.size == 0 || str_has(file, '\n')) return NULL;
    return arena_printf(arena, "%s:%.*s", tree->head, STR_ARG(file));
}

static void want_source(struct teller *teller, const struct ledger_entry *entry,
                        struct story_fate *fate, struct sources *sources)
{
    uint32_t at = round_of(&teller->replay->engine, entry->lane, entry->phase,
                           entry->iteration_last, entry->round_last);
    struct tree *tree = at == STORY_NONE ? NULL : tree_of(teller, at);
    const char *object = tree ? object_of(tree, entry->finding.file, teller->arena) : NULL;

    if (!object || fate->line == 0 || sources->count == SOURCES_MAX) return;
    sources->items[sources->count++] = (struct source_wanted){ fate, object };
}

/* The lines around the finding's, of a file's content. */
static void take_lines(struct teller *teller, struct story_fate *fate, struct str content)
{
    uint32_t first = fate->line > AROUND ? fate->line - AROUND : 1, number = 1;
    struct str rest = content, line;
    const char *begin = NULL;

    if (memchr(content.data, '\0', content.size)) return; /* no text */
    while (number <= fate->line + AROUND && rest.size > 0) {
        if (number == first) begin = rest.data;
        (void)str_cut(&rest, '\n', &line);
        number++;
    }
    if (!begin || number <= fate->line) return;
    fate->source_first = first;
    fate->source = mask_copy(&teller->mask,
                             arena_copy(teller->arena, (struct str){ begin, (size_t)(rest.data -
                                                                                     begin) }),
                             teller->arena);
}

/* One answer of `git cat-file --batch`: "OID blob SIZE", the bytes and a line end; or a line that
 * says why not. False: there is no more. */
static bool next_object(struct str *rest, struct str *content)
{
    struct str line, name, kind;
    uint64_t size = 0;
    bool blob;

    *content = (struct str){ "", 0 };
    if (!str_cut(rest, '\n', &line)) return false;
    blob = str_cut(&line, ' ', &name) && str_cut(&line, ' ', &kind) && str_number(line, &size) &&
           size <= rest->size;
    if (!blob) return true;
    if (str_is(kind, "blob")) *content = (struct str){ rest->data, (size_t)size };
    *rest = str_skip(*rest, (size_t)size + 1);
    return true;
}

static void read_sources(struct teller *teller, const struct sources *sources)
{
    static const char *const args[] = { "cat-file", "--batch", NULL };
    struct buf asked, answer;
    struct str rest, content;
    struct err none;

    buf_init(&asked, SOURCES_BYTES_MAX);
    buf_init(&answer, SOURCES_BYTES_MAX);
    for (uint32_t i = 0; i < sources->count; i++) {
        buf_printf(&asked, "%s\n", sources->items[i].object);
    }
    if (sources->count > 0 && repo_git_own(&teller->look->repo, args, buf_str(&asked), &answer,
                                           &none) == 0) {
        rest = buf_str(&answer);
        for (uint32_t i = 0; i < sources->count && next_object(&rest, &content); i++) {
            if (content.size > 0) take_lines(teller, sources->items[i].fate, content);
        }
    }
    buf_release(&answer);
    buf_release(&asked);
}

/* ---- findings ---- */

static void tell_fates(struct teller *teller)
{
    const struct engine *engine = &teller->replay->engine;
    struct story *story = teller->story;
    struct sources *sources = mem_alloc(sizeof *sources);
    struct arena arena = { 0 };
    const struct ledger_entry *const *entries;
    uint32_t count = ledger_list(&engine->ledger, &arena, &entries);

    for (uint32_t rank = SEVERITY_COUNT; rank-- > 0;) { /* the grave ones have their lines first */
        for (uint32_t i = 0; i < count && i < story->fate_count; i++) {
            struct story_fate *fate = &story->fates[i];

            if ((uint32_t)entries[i]->finding.severity != rank) continue;
            if (entries[i]->state == FINDING_FIXED) tell_resolved(teller, entries[i], fate);
            else want_source(teller, entries[i], fate, sources);
        }
    }
    read_sources(teller, sources);
    arena_release(&arena);
    free(sources);
}

/* ---- the run ---- */

static enum story_tone tone_of(const struct look *look)
{
    if (look->alive) return STORY_AT_WORK;
    switch (look->run.reason) {
    case REASON_CLEAN:
    case REASON_CONVERGED:
    case REASON_SETTLED:
        return STORY_GOOD;
    case REASON_NONE:
    case REASON_FAILED:
    case REASON_UNSEEN:
        return STORY_BAD;
    case REASON_NOTED:
    case REASON_BOUND:
    case REASON_OSCILLATING:
    case REASON_DIVERGING:
    case REASON_STUCK:
    case REASON_WAITING:
    case REASON_ESCALATED:
    case REASON_BUDGET:
    case REASON_INTERRUPTED:
    case REASON_PARTIAL:
    case REASON_COUNT:
        break;
    }
    return STORY_LEFT;
}

static void tell_end(const struct look *look, const struct run *replay, struct story *story)
{
    const struct end *end = look->run.reason == REASON_NONE ? run_end(REASON_NONE)
                                                            : run_end_of(replay);

    story->tone = tone_of(look);
    if (story->tone == STORY_AT_WORK) {
        story->word = "running";
        story->line = "the run is still at work";
        story->meaning = "this page holds what was known when it was written; more may be found, "
                         "and more may be fixed";
        return;
    }
    story->word = end->word;
    story->line = end->line;
    story->meaning = end->meaning;
    story->next = end->next;
}

static void tell_run(struct teller *teller)
{
    const struct run *run = teller->replay;
    const struct journal_run *row = &teller->look->run;
    struct story *story = teller->story;

    story->run = row->id;
    story->dialect = run->dialect->name;
    story->task = str_of(row->task);
    story->repository = str_of(path_leaf_text(row->workspace));
    story->since = str_of(run->settings.since);
    story->until = run->settings.until ? run->settings.until : "";
    story->hosted = run_is_hosted(row);
    story->only_looks = run->settings.no_fix;
    story->created_ms = row->created_ms;
    story->updated_ms = run->engine.now_ms ? run->engine.now_ms : row->updated_ms;
    story->active_ms = run->engine.active_ms;
    story->usage = run->engine.usage;
    story->calls = run->engine.calls;
    story->unproven = run->engine.unproven;
    story->budget = run->engine.budget;
    story->used = engine_used(&run->engine);
    tell_end(teller->look, run, story);
}

/* Where the first review of the main lane found the repository: a task's lane has a branch of its
 * own. */
static void tell_commit(struct teller *teller)
{
    struct story *story = teller->story;
    struct tree *tree = NULL;

    for (uint32_t i = 0; i < story->round_count && !tree; i++) {
        if (story->rounds[i].lane == 0) tree = tree_of(teller, i);
    }
    if (!tree) return;
    story->branch = arena_copy(teller->arena, tree->branch);
    story->commit = arena_copy(teller->arena, str_of(tree->head));
}

/* The journal once more, for what was true in between. */
static int visit_events(struct teller *teller, struct err *err)
{
    struct run again = { .event_count = 0 };
    int rc = run_load(&again, &teller->look->run, err);

    if (rc == 0) rc = run_replay(&again, teller->look->journal, note_event, teller, err);
    if (rc == 0) note_ledger(teller, &again.engine, STORY_NONE);
    run_release(&again);
    return rc;
}

/* What was allocated beside the arena goes into it, or away. */
static void settle(struct teller *teller)
{
    struct story *story = teller->story;
    struct story_fate *fates = arena_alloc(teller->arena,
                                           (story->fate_count + 1) * sizeof *fates);

    if (story->fate_count > 0) memcpy(fates, story->fates, story->fate_count * sizeof *fates);
    free(story->fates);
    story->fates = fates;
    for (uint32_t i = 0; i < story->round_count; i++) tree_release(&teller->kept[i].tree);
    free(teller->kept);
    mask_release(&teller->mask);
}

int story_read(const struct look *look, const struct run *replay, const struct history *history,
               struct arena *arena, struct story *out, struct err *err)
{
    struct teller teller = { .look = look, .replay = replay, .history = history, .arena = arena,
                             .story = out };
    uint32_t rounds = replay->engine.round_count;
    int rc;

    *out = (struct story){ .round_count = rounds };
    out->rounds = arena_alloc(arena, (rounds + 1) * sizeof *out->rounds);
    teller.kept = mem_alloc((rounds + 1) * sizeof *teller.kept);
    mask_learn(&teller.mask, host_environment(), file_exists);
    tell_run(&teller);
    rc = visit_events(&teller, err);
    if (rc == 0) {
        tell_rounds(&teller);
        order_rounds(&teller);
        tell_lanes(&teller);
        tell_attempts(&teller);
        tell_commit(&teller);
        tell_fixes(&teller);
        tell_fates(&teller);
    }
    settle(&teller);
    return rc;
}
