/* SPDX-License-Identifier: Apache-2.0
 *
 * teller.c - a run told in parts, from its engine and from what was kept beside its journal.
 *
 *   engine, history, chronicle ---------> rounds, attempts, lanes, fates
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
 * 3. What comes out of files is masked: a secret in it is not told.
 * 4. A tree is read when it is first asked for, and no other. */
#include "run/teller.h"

#include "base/mem.h"
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

enum { SOURCES_BYTES_MAX = 64 << 20, INDEX_LETTERS = 8 };

static const char no_tree[] = "the trees of these reviews are not kept any more";
static const char no_compare[] = "git could not compare the trees of these reviews; it needs to "
                                 "write a list of their files into hone's folder";

struct teller_round {
    uint32_t lane, phase, iteration, number, at;
};

struct teller_tree {
    bool looked, known;
    struct tree tree;
};

void teller_open(struct teller *teller, const struct look *look, const struct run *replay,
                 const struct history *history, struct arena *arena)
{
    *teller = (struct teller){ .look = look, .replay = replay, .history = history,
                               .chronicle = history->chronicle, .arena = arena };
}

void teller_close(struct teller *teller)
{
    uint32_t count = teller->trees ? teller->replay->engine.round_count : 0;

    for (uint32_t i = 0; i < count; i++) tree_release(&teller->trees[i].tree);
    free(teller->trees);
    free(teller->rounds);
    chronicle_release(&teller->own);
    if (teller->masks) mask_release(&teller->mask);
    *teller = (struct teller){ .look = NULL };
}

/* Without secrets. */
static struct str teller_mask(struct teller *teller, struct str text)
{
    if (!teller->masks) mask_learn(&teller->mask, host_environment(), file_exists);
    teller->masks = true;
    return mask_copy(&teller->mask, arena_copy(teller->arena, text), teller->arena);
}

/* ---- between events ---- */

static bool recall_event(void *context, const struct run *run, uint64_t sequence,
                         const struct event *event, const struct actions *actions)
{
    (void)sequence;
    (void)actions;
    chronicle_note(context, &run->engine, event);
    return true;
}

int teller_recall(struct teller *teller, struct err *err)
{
    struct run again = { .event_count = 0 };
    int rc;

    if (teller->chronicle) return 0;
    rc = run_load(&again, &teller->look->run, err);
    if (rc == 0) rc = run_replay(&again, teller->look->journal, recall_event, &teller->own, err);
    if (rc == 0) teller->chronicle = &teller->own;
    run_release(&again);
    return rc;
}

/* ---- how it stands ---- */

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

struct story_end tell_outcome(const struct look *look, const struct run *replay)
{
    const struct end *end = look->run.reason == REASON_NONE ? run_end(REASON_NONE)
                                                            : run_end_of(replay);
    enum story_tone tone = tone_of(look);

    if (tone == STORY_AT_WORK) {
        return (struct story_end){
            .tone = tone, .word = "running", .line = "the run is still at work",
            .meaning = "this page holds what was known when it was written; more may be found, "
                       "and more may be fixed",
        };
    }
    return (struct story_end){ tone, end->word, end->line, end->meaning, end->next };
}

/* ---- rounds, lanes, attempts ---- */

static int compare_rounds(const void *one, const void *other)
{
    const struct teller_round *a = one, *b = other;

    if (a->lane != b->lane) return a->lane > b->lane ? 1 : -1;
    if (a->phase != b->phase) return a->phase > b->phase ? 1 : -1;
    if (a->iteration != b->iteration) return a->iteration > b->iteration ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

static void index_rounds(struct teller *teller)
{
    const struct engine *engine = &teller->replay->engine;

    teller->rounds = mem_alloc((engine->round_count + (size_t)1) * sizeof *teller->rounds);
    for (uint32_t i = 0; i < engine->round_count; i++) {
        const struct round *round = &engine->rounds[i];

        teller->rounds[i] = (struct teller_round){ round->lane, round->phase, round->iteration,
                                                   round->number, i };
    }
    if (engine->round_count > 0) {
        qsort(teller->rounds, engine->round_count, sizeof *teller->rounds, compare_rounds);
    }
}

uint32_t teller_round(struct teller *teller, uint32_t lane, uint32_t phase, uint32_t iteration,
                      uint32_t number)
{
    const struct teller_round key = { lane, phase, iteration, number, 0 }, *found;

    if (!teller->rounds) index_rounds(teller);
    found = bsearch(&key, teller->rounds, teller->replay->engine.round_count,
                    sizeof *teller->rounds, compare_rounds);
    return found ? found->at : STORY_NONE;
}

uint32_t teller_round_behind(const struct teller *teller, uint32_t at)
{
    const struct engine *engine = &teller->replay->engine;

    for (uint32_t i = at + 1; i < engine->round_count; i++) {
        if (engine->rounds[i].lane == engine->rounds[at].lane) return i;
    }
    return STORY_NONE;
}

void tell_round(const struct teller *teller, uint32_t at, struct story_round *out)
{
    const struct round *from = &teller->replay->engine.rounds[at];
    struct chronicle_counts counts = { .counted = false };

    if (teller->chronicle) counts = chronicle_counts(teller->chronicle, at);
    *out = (struct story_round){
        .lane = from->lane, .iteration = from->iteration, .number = from->number,
        .phase = teller->replay->plan.phases[from->phase].name,
        .started_ms = from->started_ms, .ended_ms = from->ended_ms,
        .repaired_ms = from->repaired_ms, .verdict = from->verdict,
        .finding_count = from->finding_count, .untouched = from->untouched,
        .counted = counts.counted, .open_change = counts.open_change,
        .open_fix = counts.open_fix, .fixed = counts.fixed, .set_aside = counts.set_aside,
        .diff = STORY_NONE,
    };
}

struct story_lane tell_lane(const struct teller *teller, uint32_t lane)
{
    const struct run *run = teller->replay;
    struct run_view view = run_view(run, 0);
    struct lane_about about = { .name = "main" };

    if (lane > 0 && run->dialect->lanes) {
        run->dialect->lanes->about(&view, lane, teller->arena, &about);
    }
    if (lane > 0 && about.task_id) about.name = about.task_id;
    return (struct story_lane){ about.name, str_of(about.task) };
}

static bool is_of_round(enum purpose purpose)
{
    return purpose == FOR_REVIEW || purpose == FOR_REPAIR || purpose == FOR_PROOF ||
           purpose == FOR_THEN;
}

static uint32_t attempt_round(struct teller *teller, const struct entry *entry)
{
    const struct action *start = &entry->start;

    if (!is_of_round(start->purpose)) return STORY_NONE;
    return teller_round(teller, start->lane, start->phase, start->iteration, start->round);
}

void tell_attempt(struct teller *teller, const struct entry *entry, struct story_attempt *out)
{
    const struct run *run = teller->replay;
    const struct action *start = &entry->start;
    enum purpose purpose = start->purpose;
    struct agent agent = { 0 };

    *out = (struct story_attempt){
        .role = run->plan.roles[start->role].name, .phase = entry_phase(entry, &run->plan),
        .by = entry->by, .job = start->job, .attempt = start->attempt, .lane = start->lane,
        .iteration = start->iteration, .round = start->round,
        .round_at = attempt_round(teller, entry),
        .purpose = purpose, .recheck = start->recheck,
        .judges = purpose == FOR_REVIEW || purpose == FOR_CHECKPOINT,
        .builtin = run->plan.roles[start->role].builtin,
        .asked_ms = entry->asked_ms, .started_ms = entry->started_ms,
        .ended_ms = entry->ended_ms, .verdict = entry->verdict, .failure = entry->failure,
        .finding_count = entry->finding_count, .doubt_count = entry->doubt_count,
        .unchanged = entry->unchanged, .proof = entry->proof, .usage = entry->usage,
        .problem = str_of(entry->problem),
    };
    if (!cast_recall(&teller->cast, run, start, teller->arena, &agent) || !agent.backend) return;
    out->may_cost = agent.backend->may_cost;
    out->effort = agent.effort;
    if (!out->by[0]) out->by = agent.backend->name;
}

void tell_fate(struct teller *teller, const struct ledger_entry *entry, struct story_fate *out)
{
    const struct chronicle_fate *known = chronicle_fate(teller->chronicle, entry);
    uint32_t count = known ? known->change_count : 0;
    bool more = count == 0 || known->changes[count - 1].state != entry->state;

    *out = (struct story_fate){ .order = entry->order, .diff = STORY_NONE,
                                .line = known ? known->line : 0 };
    if (entry->state != FINDING_FIXED) out->line = entry->finding.line;
    out->changes = arena_alloc(teller->arena, (count + (size_t)1) * sizeof *out->changes);
    if (count > 0) memcpy(out->changes, known->changes, count * sizeof *out->changes);
    if (more) {
        uint32_t at = STORY_NONE;

        if (count == 0) {
            at = teller_round(teller, entry->lane, entry->phase, entry->iteration_first,
                              entry->round_first);
        }
        out->changes[count++] = (struct story_change){ at, entry->state };
    }
    out->change_count = out->change_cap = count;
}

bool tell_resolved(struct teller *teller, const struct ledger_entry *entry,
                   const struct story_fate *fate, uint32_t *from, uint32_t *to)
{
    *from = teller_round(teller, entry->lane, entry->phase, entry->iteration_last,
                         entry->round_last);
    *to = fate->changes[fate->change_count - 1].round;
    return entry->state == FINDING_FIXED && *from != STORY_NONE && *to != STORY_NONE &&
           *from < *to;
}

void tell_evidence(struct teller *teller, const struct entry *entry, struct story_attempt *out)
{
    struct arena *arena = teller->arena;
    const char *folder = place_attempt(&teller->look->repo, teller->look->run.id, entry->start.job,
                                       entry->start.attempt, arena);
    struct agent agent = { 0 };
    struct reading reading;
    struct str *files;

    (void)cast_find(teller->replay, &entry->start, arena, &agent);
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

/* ---- trees ---- */

/* The file of a tree, by the jobs of a round with this purpose: the first that is there. */
static bool load_tree(struct teller *teller, uint32_t at, enum purpose purpose, const char *kind)
{
    const struct round *round = &teller->replay->engine.rounds[at];
    const char *folder = place_run(&teller->look->repo, teller->look->run.id, teller->arena);
    struct err none;

    for (uint32_t i = 0; i < teller->history->count; i++) {
        const struct action *start = &teller->history->entries[i].start;

        if (start->purpose != purpose || start->lane != round->lane ||
            start->phase != round->phase || start->iteration != round->iteration ||
            start->round != round->number) continue;
        if (tree_load(&teller->trees[at].tree,
                      arena_printf(teller->arena, "%s/%s-%" PRIu32, folder, kind, start->job),
                      &none) == 0) return true;
        tree_release(&teller->trees[at].tree);
    }
    return false;
}

struct tree *teller_tree(struct teller *teller, uint32_t at)
{
    uint32_t count = teller->replay->engine.round_count;
    struct teller_tree *kept;

    if (!teller->trees) teller->trees = mem_alloc((count + (size_t)1) * sizeof *teller->trees);
    kept = &teller->trees[at];
    if (!kept->looked) {
        kept->looked = true;
        kept->known = load_tree(teller, at, FOR_REVIEW, "tree") ||
                      load_tree(teller, at, FOR_REPAIR, "round");
    }
    return kept->known ? &kept->tree : NULL;
}

uint32_t teller_tree_first(struct teller *teller)
{
    const struct engine *engine = &teller->replay->engine;

    for (uint32_t i = 0; i < engine->round_count; i++) {
        if (engine->rounds[i].lane == 0 && teller_tree(teller, i)) return i;
    }
    return STORY_NONE;
}

uint32_t teller_tree_last(struct teller *teller)
{
    const struct engine *engine = &teller->replay->engine;

    for (uint32_t i = engine->round_count; i-- > 0;) {
        if (engine->rounds[i].lane == 0 && teller_tree(teller, i)) return i;
    }
    return STORY_NONE;
}

static int compare_trees(struct teller *teller, struct tree *before, struct tree *after,
                         size_t bytes_max, struct buf *out, struct err *err)
{
    const struct repo *repo = &teller->look->repo;
    const char *folder = place_run(repo, teller->look->run.id, teller->arena);
    struct tree_delta delta = { 0 };
    char word[INDEX_LETTERS + 1];
    int rc = tree_align(repo, before, after, err);

    random_word(word, INDEX_LETTERS);
    if (rc == 0) {
        tree_compare(before, after, &delta);
        rc = tree_diff(repo, before, after, &delta, bytes_max, folder,
                       arena_printf(teller->arena, "story-%s.index", word), out, err);
    }
    tree_delta_release(&delta);
    return rc;
}

void tell_diff(struct teller *teller, uint32_t from, uint32_t to, size_t bytes_max,
               struct story_diff *out)
{
    struct tree *before = teller_tree(teller, from), *after = teller_tree(teller, to);
    struct buf text;
    struct err none;

    *out = (struct story_diff){ .from = from, .to = to };
    if (!before || !after) {
        out->why = no_tree;
        return;
    }
    buf_init(&text, 2 * bytes_max);
    if (compare_trees(teller, before, after, bytes_max, &text, &none) == 0) {
        out->text = teller_mask(teller, buf_str(&text));
    } else {
        out->why = no_compare; /* git's own words name folders of this machine */
    }
    buf_release(&text);
}

/* ---- lines of source ---- */

/* Where git finds the file as the tree has it; NULL: nowhere. */
static const char *object_of(const struct tree *tree, struct str file, struct arena *arena)
{
    const struct tree_entry *entry = tree_find(tree, file);

    if (entry) return oid_is_valid(str_of(entry->oid)) ? entry->oid : NULL;
    if (!tree->head[0] || file.size == 0 || str_has(file, '\n')) return NULL;
    return arena_printf(arena, "%s:%.*s", tree->head, STR_ARG(file));
}

/* The lines around the one that is wanted, of a file's content. */
static void take_lines(struct teller *teller, struct teller_source *source, struct str content)
{
    uint32_t first = source->line > source->around ? source->line - source->around : 1;
    uint64_t last = (uint64_t)source->line + source->around, number = 1;
    struct str rest = content, line;
    const char *begin = NULL;

    if (memchr(content.data, '\0', content.size)) return; /* no text */
    while (number <= last && rest.size > 0) {
        if (number == first) begin = rest.data;
        (void)str_cut(&rest, '\n', &line);
        number++;
    }
    if (!begin || number <= source->line) return;
    source->first = first;
    source->text = teller_mask(teller, (struct str){ begin, (size_t)(rest.data - begin) });
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

void tell_sources(struct teller *teller, struct teller_source *sources, uint32_t count)
{
    static const char *const args[] = { "cat-file", "--batch", NULL };
    bool *asked = mem_alloc((count + (size_t)1) * sizeof *asked);
    struct buf question, answer;
    struct str rest, content;
    struct err none;

    buf_init(&question, SOURCES_BYTES_MAX);
    buf_init(&answer, SOURCES_BYTES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        struct tree *tree = teller_tree(teller, sources[i].at);
        const char *object = tree ? object_of(tree, sources[i].file, teller->arena) : NULL;

        asked[i] = object && sources[i].line > 0;
        if (asked[i]) buf_printf(&question, "%s\n", object);
    }
    if (question.size > 0 && repo_git_own(&teller->look->repo, args, buf_str(&question), &answer,
                                          &none) == 0) {
        rest = buf_str(&answer);
        for (uint32_t i = 0; i < count; i++) {
            if (!asked[i]) continue;
            if (!next_object(&rest, &content)) break;
            if (content.size > 0) take_lines(teller, &sources[i], content);
        }
    }
    buf_release(&answer);
    buf_release(&question);
    free(asked);
}
