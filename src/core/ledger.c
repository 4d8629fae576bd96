/* SPDX-License-Identifier: Apache-2.0
 *
 * ledger.c - faults over the rounds of a run.
 *
 *                 reported                        not in the next review
 *   (not known) -----------> NEW --> PERSISTING ---------------------------> FIXED
 *                             |        |  ^    reported again                  |
 *                             |        |  '------- REGRESSED <-----------------'
 *                             v        v
 *                 NOTED: too small, or left with a reason     WAIVED: by a person
 *                 PARKED: no repair is tried any more
 *
 * A book is the ledger of one lane. While a round goes on, what was known when it began (`base`)
 * stands in `entries` but for what the round has changed: that is kept as it was, in `saved`. Each
 * time a review ends or is asked again, what was saved is put back, and the round is made anew of
 * base and of the reviews that are done. So what a round leads to does not depend on the
 * order in which its reviewers answer, and a review that is void leaves nothing behind. Each review
 * is compared with base once, and its texts are read once (struct seen). The round is closed by a
 * repair, or when the next one begins.
 *
 *   1. Each review is compared with what is known: first with what its own role has reported, then
 *      what is left with what others have. What is left then is grouped over all reviews of the
 *      round: each group is a new entry, each member of it a vote. No wording is lost.
 *   2. An entry that a review does not have loses the votes of that review's role. Under a policy a
 *      whole round, in which all were asked, covers everything: then all votes go that were not
 *      given anew. That holds where one has looked that is no analyzer: these speak for themselves.
 *   3. An entry without a standing vote is fixed. Under a policy only if something was changed near
 *      its place since it was reported: what the fixer gave a reason for is noted, a grave one only
 *      where other eyes have looked and do not report it either; else it is parked. What the fixer
 *      did not even name stays open. A note hides nothing: what is reported again is open again.
 *      Without a policy the reviewers' word counts, and the entry keeps its doubt: it is fixed, and
 *      nothing proves it.
 *   4. A repair carries all places to where they are in the tree that it made. What is new and lies
 *      in what the repair wrote is caused by it.
 *   5. What comes up near the place at which something came up in the round before continues its
 *      streak.
 *   6. A waiver holds for what is reported within WAIVED_LINES of the code that it is of: a repair
 *      moves that place along, and voids the waiver where it changes it. Near is strict, for what
 *      is taken for waived is seen by none. What is grave is waived only where the waiver says so.
 *
 *   7. Where a gate wants votes, what too few reviewers report is noted when all have answered.
 *
 * No two entries of a lane and phase have the same fingerprint and ordinal, and where there is an
 * ordinal n there are all below it. An entry keeps both when later reports use other words.
 *
 * Memory is that of the findings, not of the rounds: the texts of a vote are one block, made anew
 * with each report. A round costs a look at each entry of its lane. A review costs the matching
 * with what is known of the files and the words that it reports (struct index), and a look at what
 * is open: what is fixed, and what other lanes found, costs it nothing. */
#include "core/ledger.h"

#include "base/hash.h"
#include "base/mem.h"
#include "core/engine.h"
#include "core/identity.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_COUNT = 10, PLACE_LINES = 25, CAUSE_LINES = 3, WAIVED_LINES = 3,
       ROUND_ENTRIES_LOG2 = 24 };

/* How much a role has looked at last, in a phase. */
struct ledger_look {
    uint32_t job, phase;
    uint16_t role;
    struct coverage coverage;
    struct arena arena; /* of it */
};

/* A waiver in one lane. */
struct waived_place {
    struct waiver waiver;         /* its finding is where its code is now */
    bool edited;                  /* a repair has changed that code: it holds no more */
};

/* A review of the round that goes on, compared with what was known when it began. */
struct seen {
    uint32_t job, attempt, count;
    struct finding *findings;     /* of the review, and behind them its notes */
    struct str by;
    struct arena arena;           /* of their texts */
    uint32_t *entries;            /* by report: of base; IDENTITY_NONE: of none that is known */
    struct identity_words **words; /* by report: what was read of it, so that it is read once */
};

/* Which entries have, or had, a vote about a file or in the words of a fingerprint: chains by key,
 * each entry once for a key. No link is taken out: it leads to an entry that is then compared. */
struct link {
    uint64_t key;
    uint32_t entry;
    uint32_t next;     /* of its key's chain, in links, and one; 0: it is the last */
    uint32_t next_own; /* likewise, of the chain of its key and entry: so each is there once */
};

struct index {
    uint32_t *heads;     /* of the chains by key, and behind them of those by key and entry */
    uint32_t head_count; /* of each kind; a power of two; 0: it is empty */
    struct link *links;
    uint32_t count, cap;
};

/* Numbers of entries. */
struct picks {
    uint32_t *items;
    uint32_t count, cap;
};

/* An entry as it was when the round began. */
struct saved {
    uint32_t at;
    struct ledger_entry was; /* its votes are the ledger's own */
};

struct ledger_book {
    struct ledger_entry *entries; /* what is known now */
    uint32_t count, cap;
    struct index index;           /* of what was known when a round ended */

    /* Of the round that goes on; first_job 0: none does. */
    uint32_t first_job, phase, iteration, round;
    uint32_t base_count;          /* entries that were known when it began */
    struct saved *saved;          /* those of them that it has changed */
    uint32_t saved_count, saved_cap;
    struct picks open;            /* those of them, of its phase, that were not fixed */
    uint64_t order;               /* of its first new entry */
    struct arena arena;           /* of what entries has and base has not */
    struct seen *seen;            /* its reviews that were compared with base */
    uint32_t seen_count, seen_cap;

    struct line_map moved;        /* of the repair before it; empty: there was none */
    uint32_t moved_round;
    bool carried;                 /* the places of base are as moved left them */
    bool waived;                  /* the waivers were told behind that repair */
    struct arena moved_arena;
    struct waived_place *places;  /* of each waiver in this lane's tree; NULL: as they were told */
    struct arena place_arena;
    uint32_t tried_job;           /* the first of the repair that was counted last */

    struct ledger_look *looks;
    uint32_t look_count, look_cap;
};

static const char *const words[FINDING_STATE_COUNT] = {
    [FINDING_NEW] = "new",           [FINDING_PERSISTING] = "persisting",
    [FINDING_REGRESSED] = "regressed", [FINDING_PARKED] = "parked",
    [FINDING_NOTED] = "noted",       [FINDING_WAIVED] = "waived",
    [FINDING_FIXED] = "fixed",
};

const char *finding_state_word(enum finding_state state) { return words[state]; }

bool finding_state_from_word(struct str word, enum finding_state *out)
{
    for (uint32_t i = 0; i < FINDING_STATE_COUNT; i++) {
        if (!str_is(word, words[i])) continue;
        *out = (enum finding_state)i;
        return true;
    }
    return false;
}

bool finding_is_accepted(enum finding_state state) { return state <= FINDING_REGRESSED; }
bool finding_is_open(enum finding_state state) { return state <= FINDING_PARKED; }

/* ---- memory ---- */

/* Lets the vote's texts live in a block of its own. */
static char *texts_keep(struct vote *vote)
{
    struct finding *finding = &vote->finding;
    struct str *const texts[TEXT_COUNT] = {
        &finding->source,   &finding->kind,       &finding->file, &finding->text,
        &finding->evidence, &finding->suggestion, &finding->fix,  &finding->tool,
        &finding->say,      &vote->by,
    };
    size_t bytes = 0;
    char *block, *at;

    for (uint32_t i = 0; i < TEXT_COUNT; i++) bytes += texts[i]->size + 1;
    block = at = mem_alloc(bytes);
    for (uint32_t i = 0; i < TEXT_COUNT; i++) {
        if (texts[i]->size > 0) memcpy(at, texts[i]->data, texts[i]->size);
        texts[i]->data = at;
        at += texts[i]->size + 1;
    }
    return block;
}

static void votes_free(struct ledger_entry *entry)
{
    for (uint32_t i = 0; i < entry->vote_count; i++) {
        free(entry->votes[i].block);
        free(entry->votes[i].words);
    }
    free(entry->votes);
}

static void seen_release(struct ledger_book *book)
{
    for (uint32_t i = 0; i < book->seen_count; i++) {
        struct seen *seen = &book->seen[i];

        for (uint32_t k = 0; k < seen->count; k++) free(seen->words[k]);
        arena_release(&seen->arena);
        free(seen->words);
        free(seen->entries);
    }
    free(book->seen);
    book->seen = NULL;
    book->seen_count = book->seen_cap = 0;
}

/* What the round has brought is taken back: its reviews are to be told again. */
static void base_restore(struct ledger_book *book)
{
    if (book->first_job == 0) return;
    for (uint32_t i = 0; i < book->saved_count; i++) {
        book->entries[book->saved[i].at] = book->saved[i].was;
    }
    book->saved_count = 0;
    book->count = book->base_count;
    arena_release(&book->arena);
}

static void book_release(struct ledger_book *book)
{
    base_restore(book);
    for (uint32_t i = 0; i < book->count; i++) votes_free(&book->entries[i]);
    seen_release(book);
    free(book->entries);
    free(book->index.heads);
    free(book->index.links);
    free(book->saved);
    free(book->open.items);
    free(book->places);
    for (uint32_t i = 0; i < book->look_count; i++) arena_release(&book->looks[i].arena);
    free(book->looks);
    arena_release(&book->place_arena);
    arena_release(&book->arena);
    arena_release(&book->moved_arena);
}

void ledger_release(struct ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->book_count; i++) book_release(&ledger->books[i]);
    arena_release(&ledger->waiver_arena);
    free(ledger->waivers);
    free(ledger->books);
    *ledger = (struct ledger){ 0 };
}

static struct ledger_book *book_of(struct ledger *ledger, uint32_t lane)
{
    while (ledger->book_count <= lane) {
        ledger->books = mem_grow(ledger->books, ledger->book_count, &ledger->book_cap,
                                 sizeof *ledger->books);
        ledger->books[ledger->book_count++] = (struct ledger_book){ 0 };
    }
    return &ledger->books[lane];
}

/* ---- which entries to look at ---- */

enum { HEADS_MIN = 256, KEY_ANYWHERE = 1 };

/* Files are odd, and words even. */
static uint64_t key_of_file(struct str path)
{
    uint64_t file = identity_file(path);

    return file ? file : KEY_ANYWHERE;
}

static uint64_t key_of_words(uint64_t fingerprint)
{
    return fingerprint << 1;
}

static uint32_t *index_head(const struct index *index, uint64_t key)
{
    return &index->heads[(key ^ key >> 32) & (index->head_count - 1)];
}

static uint32_t *index_head_own(const struct index *index, uint64_t key, uint32_t entry)
{
    uint64_t hash = (key ^ entry) * UINT64_C(0x9e3779b97f4a7c15);

    return &index->heads[index->head_count + (hash >> 32 & (index->head_count - 1))];
}

static void index_link(struct index *index, uint32_t at)
{
    struct link *link = &index->links[at];
    uint32_t *head = index_head(index, link->key);
    uint32_t *own = index_head_own(index, link->key, link->entry);

    link->next = *head;
    link->next_own = *own;
    *head = *own = at + 1;
}

static void index_grow(struct index *index)
{
    index->head_count = index->head_count ? 2 * index->head_count : HEADS_MIN;
    free(index->heads);
    index->heads = mem_alloc(2 * (size_t)index->head_count * sizeof *index->heads);
    for (uint32_t i = 0; i < index->count; i++) index_link(index, i);
}

static void index_add(struct index *index, uint64_t key, uint32_t entry)
{
    if (index->count == index->head_count) index_grow(index);
    for (uint32_t at = *index_head_own(index, key, entry); at > 0;) {
        const struct link *link = &index->links[at - 1];

        if (link->key == key && link->entry == entry) return;
        at = link->next_own;
    }
    index->links = mem_grow(index->links, index->count, &index->cap, sizeof *index->links);
    index->links[index->count] = (struct link){ .key = key, .entry = entry };
    index_link(index, index->count++);
}

static void picks_add(struct picks *picks, uint32_t entry)
{
    picks->items = mem_grow(picks->items, picks->count, &picks->cap, sizeof *picks->items);
    picks->items[picks->count++] = entry;
}

static void index_pick(const struct index *index, uint64_t key, struct picks *out)
{
    if (index->head_count == 0) return;
    for (uint32_t at = *index_head(index, key); at > 0; at = index->links[at - 1].next) {
        if (index->links[at - 1].key == key) picks_add(out, index->links[at - 1].entry);
    }
}

static int compare_picks(const void *one, const void *other)
{
    const uint32_t *a = one, *b = other;

    return (*a > *b) - (*a < *b);
}

/* In their order, each once. */
static void picks_sort(struct picks *picks)
{
    uint32_t kept = 0;

    if (picks->count > 0) {
        qsort(picks->items, picks->count, sizeof *picks->items, compare_picks);
    }
    for (uint32_t i = 0; i < picks->count; i++) {
        if (i == 0 || picks->items[i] != picks->items[i - 1]) {
            picks->items[kept++] = picks->items[i];
        }
    }
    picks->count = kept;
}

static void entry_index(struct ledger_book *book, uint32_t at)
{
    const struct ledger_entry *entry = &book->entries[at];

    for (uint32_t i = 0; i < entry->vote_count; i++) {
        const struct finding *finding = &entry->votes[i].finding;

        index_add(&book->index, key_of_file(finding->file), at);
        index_add(&book->index, key_of_words(finding->fingerprint), at);
    }
}

/* The vote that speaks for the entry: the gravest of those given last; then the first. */
static struct vote *speaker(const struct ledger_entry *entry)
{
    struct vote *best = &entry->votes[0];

    for (uint32_t i = 1; i < entry->vote_count; i++) {
        struct vote *vote = &entry->votes[i];
        bool newer = vote->iteration != best->iteration ? vote->iteration > best->iteration
                                                        : vote->round > best->round;
        bool as_new = vote->iteration == best->iteration && vote->round == best->round;

        if (newer || (as_new && vote->finding.severity > best->finding.severity)) best = vote;
    }
    return best;
}

/* ---- a round begins, and ends ---- */

/* The votes become the ledger's own; what was given anew takes the place of what was there. old is
 * NULL, or the entry as it was. */
static void votes_close(struct ledger_entry *entry, struct ledger_entry *old)
{
    struct vote *votes = mem_alloc((entry->vote_count + (size_t)1) * sizeof *votes);

    for (uint32_t i = 0; i < entry->vote_count; i++) {
        struct vote *was = old && i < old->vote_count ? &old->votes[i] : NULL;
        struct vote *vote = &votes[i];

        *vote = entry->votes[i];
        if (vote->block) { /* as it was; its words may have been read since */
            assert(was);
            vote->words = was->words;
            continue;
        }
        vote->block = texts_keep(vote);
        vote->words = *vote->slot;
        *vote->slot = NULL;
        vote->slot = NULL;
        if (!was) continue;
        free(was->block);
        free(was->words);
    }
    if (old) free(old->votes);
    entry->votes = votes;
    entry->finding = speaker(entry)->finding;
}

/* What the round has brought becomes what is known. */
static void book_close(struct ledger_book *book)
{
    if (book->first_job == 0) return;
    for (uint32_t i = 0; i < book->saved_count; i++) {
        struct saved *saved = &book->saved[i];
        struct ledger_entry *entry = &book->entries[saved->at];

        entry->saved = 0;
        if (entry->votes == saved->was.votes) continue;
        votes_close(entry, &saved->was);
        entry_index(book, saved->at);
    }
    for (uint32_t i = book->base_count; i < book->count; i++) {
        votes_close(&book->entries[i], NULL);
        index_add(&book->index, key_of_words(book->entries[i].fingerprint), i);
        entry_index(book, i);
    }
    seen_release(book);
    book->base_count = book->saved_count = book->first_job = 0;
    arena_release(&book->arena);
}

/* The code that was waived, too, is where the repair has moved it, or it is other code. */
static void places_carry(const struct ledger *ledger, struct ledger_book *book)
{
    for (uint32_t i = 0; !book->waived && i < ledger->waiver_count; i++) {
        struct waived_place *place = &book->places[i];
        struct finding *finding = &place->waiver.finding;
        struct str file = finding->file;

        if (line_map_carry(&book->moved, &file, &finding->line)) place->edited = true;
        if (str_eq(file, finding->file)) continue;
        finding->file = arena_copy(&book->place_arena, file);
        finding->fingerprint = finding_fingerprint(finding);
    }
}

static void places_make(const struct ledger *ledger, struct ledger_book *book)
{
    if (book->places) return;
    book->places = mem_alloc((ledger->waiver_count + (size_t)1) * sizeof *book->places);
    for (uint32_t i = 0; i < ledger->waiver_count; i++) {
        book->places[i] = (struct waived_place){ .waiver = ledger->waivers[i] };
    }
}

static void entry_carry(struct ledger_book *book, struct ledger_entry *entry)
{
    for (uint32_t i = 0; i < entry->vote_count; i++) {
        struct vote *vote = &entry->votes[i];
        struct str file = vote->finding.file;
        char *old = vote->block;

        if (line_map_carry(&book->moved, &file, &vote->finding.line) && !book->waived) {
            entry->edited = true;
        }
        if (str_eq(file, vote->finding.file)) continue;
        vote->finding.file = file;
        vote->finding.fingerprint = finding_fingerprint(&vote->finding);
        vote->block = texts_keep(vote);
        free(old);
    }
    entry->finding = speaker(entry)->finding;
}

/* All places as they are in the tree that the repair made. */
static void book_carry(struct ledger_book *book)
{
    struct picks picks = { .items = NULL };

    for (uint32_t i = 0; i < book->moved.file_count; i++) {
        index_pick(&book->index, key_of_file(book->moved.files[i].old_path), &picks);
    }
    picks_sort(&picks);
    for (uint32_t i = 0; i < picks.count; i++) {
        entry_carry(book, &book->entries[picks.items[i]]);
        entry_index(book, picks.items[i]);
    }
    free(picks.items);
}

static void book_open(struct ledger *ledger, struct ledger_book *book, const struct batch *batch)
{
    book_close(book);
    places_make(ledger, book);
    if (book->moved_round > 0 && !book->carried) {
        book_carry(book);
        places_carry(ledger, book);
        book->carried = true;
    } else { /* no repair lies between this round and the one before */
        book->moved = (struct line_map){ .files = NULL };
        book->moved_round = 0;
    }
    book->first_job = batch->jobs[0].id;
    book->phase = batch->phase;
    book->iteration = batch->iteration;
    book->round = batch->round;
    book->base_count = book->count;
    book->open.count = 0;
    for (uint32_t i = 0; i < book->count; i++) {
        const struct ledger_entry *entry = &book->entries[i];

        if (entry->phase != book->phase || entry->state == FINDING_FIXED) continue;
        picks_add(&book->open, i);
    }
    book->order = (uint64_t)++ledger->rounds << ROUND_ENTRIES_LOG2;
}

/* ---- how much was looked at ---- */

/* The row of this role and phase, a new one where there is none. */
static struct ledger_look *look_of(struct ledger_book *book, uint32_t phase, uint16_t role)
{
    struct ledger_look *look;

    for (uint32_t i = 0; i < book->look_count; i++) {
        look = &book->looks[i];
        if (look->role == role && look->phase == phase) return look;
    }
    book->looks = mem_grow(book->looks, book->look_count, &book->look_cap, sizeof *book->looks);
    look = &book->looks[book->look_count++];
    *look = (struct ledger_look){ .phase = phase, .role = role };
    return look;
}

static void take_coverage(struct ledger_book *book, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct job *job = &batch->jobs[i];
        bool done = job->state == JOB_DONE;
        struct ledger_look *look;

        if (!done && job->attempt < 2) continue;
        look = look_of(book, batch->phase, job->role);
        if (done) {
            look->job = job->id;
            arena_release(&look->arena);
            look->coverage = coverage_copy(&job->result.coverage, &look->arena);
        } else if (look->job == job->id) {
            look->coverage = (struct coverage){ 0 };
        }
    }
}

static int unlooked_order(const void *a, const void *b)
{
    const struct unlooked *left = a, *right = b;
    int rc = str_compare(left->file, right->file);

    return rc != 0 ? rc : str_compare(left->tool, right->tool);
}

static void coverage_add(struct coverage *all, const struct coverage *one, uint32_t *unlooked)
{
    *unlooked += one->unlooked_count;
    if (one->files > all->files) all->files = one->files;
    if (one->unbuilt > all->unbuilt) all->unbuilt = one->unbuilt;
    if (one->generated > all->generated) all->generated = one->generated;
    if (all->hint.size == 0) all->hint = one->hint;
    all->older += one->older;
    all->baseline += one->baseline;
}

struct coverage ledger_coverage(const struct ledger *ledger, struct arena *arena)
{
    struct coverage all = { 0 };
    struct unlooked *list;
    uint32_t most = 0, count = 0;

    for (uint32_t i = 0; i < ledger->book_count; i++) {
        const struct ledger_book *book = &ledger->books[i];

        for (uint32_t k = 0; k < book->look_count; k++) {
            coverage_add(&all, &book->looks[k].coverage, &most);
        }
    }
    list = arena_alloc(arena, most * sizeof *list);
    for (uint32_t i = 0; i < ledger->book_count; i++) {
        const struct ledger_book *book = &ledger->books[i];

        for (uint32_t k = 0; k < book->look_count; k++) {
            const struct coverage *one = &book->looks[k].coverage;

            for (uint32_t n = 0; n < one->unlooked_count; n++) list[count++] = one->unlooked[n];
        }
    }
    if (count > 0) qsort(list, count, sizeof *list, unlooked_order);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && unlooked_order(&list[i - 1], &list[i]) == 0) continue;
        list[all.unlooked_count++] = list[i];
    }
    all.unlooked = list;
    return all;
}

uint32_t coverage_unlooked(const struct coverage *coverage)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < coverage->unlooked_count; i++) {
        count += i == 0 || !str_eq(coverage->unlooked[i].file, coverage->unlooked[i - 1].file);
    }
    return count;
}

/* ---- one round, as far as its reviews are done ---- */

/* A report of the round. */
struct report {
    const struct finding *finding;
    const struct job *job;
    struct str by;
    bool note;      /* too small to fail its review */
    uint32_t entry; /* IDENTITY_NONE: it is of none that is known */
    struct identity_words **words;
};

struct triage {
    struct ledger *ledger;
    struct ledger_book *book;
    const struct batch *batch;
    struct ledger_rule rule;
    bool whole;              /* all reviews of the round are done; under a policy ... */
    bool covers;             /* ... so that it covers what any reviewer has found */
    struct report *reports;
    uint32_t count;
    struct place *places;    /* of the round before, where streaks count; NULL: they do not */
    uint32_t place_count;
};

static bool is_done(const struct job *job)
{
    enum verdict verdict = job->result.verdict;

    return job->state == JOB_DONE && (verdict == VERDICT_CLEAN || verdict == VERDICT_FINDINGS);
}

/* The entry in the words of this role, or as it is known where the role has said nothing of it. */
static struct vote *vote_of(const struct ledger_entry *entry, uint16_t role, struct str by)
{
    struct vote *found = NULL;

    for (uint32_t i = 0; i < entry->vote_count; i++) {
        struct vote *vote = &entry->votes[i];

        if (vote->role != role) continue;
        if (str_eq(vote->by, by)) return vote;
        if (!found) found = vote;
    }
    return found;
}

/* Known entries that a review may tell of, and the reports of it that are left. */
struct matching {
    const struct finding **known, **reported;
    struct identity_words ***known_words, ***reported_words;
    uint32_t *entries, *reports, *matches;
    bool *taken; /* by entry: this review has told of it */
    uint32_t known_count, reported_count;
    struct picks picks; /* entries that these reports could be about */
};

static void match_side(struct triage *triage, struct matching *matching)
{
    if (matching->known_count == 0 || matching->reported_count == 0) return;
    identity_match(&(struct identity_sides){
        .known = matching->known, .reported = matching->reported,
        .known_count = matching->known_count, .reported_count = matching->reported_count,
        .known_words = matching->known_words, .reported_words = matching->reported_words,
        .map = &triage->book->moved,
    }, matching->matches);
    for (uint32_t i = 0; i < matching->reported_count; i++) {
        if (matching->matches[i] == IDENTITY_NONE) continue;
        triage->reports[matching->reports[i]].entry = matching->entries[matching->matches[i]];
        matching->taken[matching->entries[matching->matches[i]]] = true;
    }
}

static int compare_keys(const void *one, const void *other)
{
    const uint64_t *a = one, *b = other;

    return (*a > *b) - (*a < *b);
}

/* All that could be one of the reports from `from` on; of what names no file that is anything. */
static void match_pick(const struct triage *triage, uint32_t from, struct picks *out)
{
    const struct ledger_book *book = triage->book;
    uint64_t *keys = mem_alloc((2 * (size_t)(triage->count - from) + 1) * sizeof *keys);
    uint32_t count = 0;
    bool anywhere = false;

    for (uint32_t i = from; i < triage->count; i++) {
        const struct finding *finding = triage->reports[i].finding;

        keys[count++] = key_of_file(finding->file);
        anywhere = anywhere || keys[count - 1] == KEY_ANYWHERE;
        keys[count++] = key_of_words(finding->fingerprint);
    }
    keys[count++] = KEY_ANYWHERE;
    qsort(keys, count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < count && !anywhere; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) index_pick(&book->index, keys[i], out);
    }
    for (uint32_t i = 0; i < book->base_count && anywhere; i++) picks_add(out, i);
    picks_sort(out);
    free(keys);
}

/* Reports from `from` on are one review's. own: what its role has reported before; else what others
 * have, tools apart. */
static void match_review(struct triage *triage, uint32_t from, bool own, struct matching *matching)
{
    const struct ledger_book *book = triage->book;
    const struct job *job = triage->reports[from].job;

    matching->known_count = matching->reported_count = 0;
    for (uint32_t i = from; i < triage->count; i++) {
        const struct report *report = &triage->reports[i];

        if (report->entry != IDENTITY_NONE || (!own && report->finding->tool.size > 0)) continue;
        matching->reported[matching->reported_count] = report->finding;
        matching->reported_words[matching->reported_count] = report->words;
        matching->reports[matching->reported_count++] = i;
    }
    if (matching->reported_count == 0) return;
    for (uint32_t k = 0; k < matching->picks.count; k++) {
        uint32_t i = matching->picks.items[k];
        const struct ledger_entry *entry = &book->entries[i];
        struct vote *vote;

        if (entry->phase != book->phase || matching->taken[i]) continue;
        vote = vote_of(entry, job->role, job->result.by);
        if ((vote != NULL) != own || (!own && entry->finding.tool.size > 0)) continue;
        if (!vote) vote = speaker(entry);
        matching->known[matching->known_count] = &vote->finding;
        matching->known_words[matching->known_count] = &vote->words;
        matching->entries[matching->known_count++] = i;
    }
    match_side(triage, matching);
}

/* Compares the reports from `from` on, one review's, with what was known. */
static void match_known(struct triage *triage, uint32_t from)
{
    size_t known = triage->book->base_count, reported = triage->count - from;
    struct matching matching = { .known_count = 0 };

    if (known == 0 || reported == 0) return;
    matching.known = mem_alloc((known + reported) * sizeof(void *));
    matching.known_words = mem_alloc((known + reported) * sizeof(void *));
    matching.entries = mem_alloc((known + 2 * reported) * sizeof(uint32_t));
    matching.taken = mem_alloc(known);
    matching.reported = matching.known + known;
    matching.reported_words = matching.known_words + known;
    matching.reports = matching.entries + known;
    matching.matches = matching.reports + reported;
    match_pick(triage, from, &matching.picks);
    match_review(triage, from, true, &matching);
    match_review(triage, from, false, &matching);
    free(matching.picks.items);
    free(matching.known);
    free(matching.known_words);
    free(matching.entries);
    free(matching.taken);
}

static void seen_init(struct seen *seen, const struct job *job)
{
    const struct result *result = &job->result;

    *seen = (struct seen){ .job = job->id, .attempt = job->attempt,
                           .count = result->finding_count + result->note_count };
    seen->by = arena_copy(&seen->arena, result->by);
    seen->findings = arena_alloc(&seen->arena, seen->count * sizeof *seen->findings);
    seen->entries = mem_alloc((seen->count + (size_t)1) * sizeof *seen->entries);
    seen->words = mem_alloc((seen->count + (size_t)1) * sizeof(void *));
    for (uint32_t i = 0; i < seen->count; i++) {
        const struct finding *from = i < result->finding_count
                                         ? &result->findings[i]
                                         : &result->notes[i - result->finding_count];

        seen->findings[i] = finding_copy(from, &seen->arena);
        seen->entries[i] = IDENTITY_NONE;
    }
}

/* The row of this review, a new one where there is none: then its reports are to be compared. */
static struct seen *seen_of(struct ledger_book *book, const struct job *job, bool *fresh)
{
    struct seen *seen;

    *fresh = false;
    for (uint32_t i = 0; i < book->seen_count; i++) {
        seen = &book->seen[i];
        if (seen->job == job->id && seen->attempt == job->attempt) return seen;
    }
    book->seen = mem_grow(book->seen, book->seen_count, &book->seen_cap, sizeof *book->seen);
    seen = &book->seen[book->seen_count++];
    seen_init(seen, job);
    *fresh = true;
    return seen;
}

/* The reports of one review stand together, the findings before the notes. */
static void list_reports(struct triage *triage)
{
    const struct batch *batch = triage->batch;
    uint32_t total = 0;

    for (uint32_t i = 0; i < batch->count; i++) {
        const struct result *result = &batch->jobs[i].result;
        if (is_done(&batch->jobs[i])) total += result->finding_count + result->note_count;
    }
    triage->reports = mem_alloc((total + (size_t)1) * sizeof *triage->reports);
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct job *job = &batch->jobs[i];
        uint32_t from = triage->count;
        struct seen *seen;
        bool fresh;

        if (!is_done(job)) continue;
        seen = seen_of(triage->book, job, &fresh);
        for (uint32_t k = 0; k < seen->count; k++) {
            triage->reports[triage->count++] = (struct report){
                .finding = &seen->findings[k], .job = job, .by = seen->by,
                .note = k >= job->result.finding_count, .entry = seen->entries[k],
                .words = &seen->words[k] };
        }
        if (!fresh) continue;
        match_known(triage, from);
        for (uint32_t k = 0; k < seen->count; k++) {
            seen->entries[k] = triage->reports[from + k].entry;
        }
    }
}

/* ---- entries ---- */

static uint32_t entry_add(struct ledger_book *book, const struct ledger_entry *entry)
{
    book->entries = mem_grow(book->entries, book->count, &book->cap, sizeof *book->entries);
    book->entries[book->count] = *entry;
    return book->count++;
}

/* The round has a word on the entry: it is kept as it was. It shares its votes with that until they
 * change: votes_own(). */
static void entry_touch(struct ledger_book *book, uint32_t at)
{
    struct ledger_entry *entry = &book->entries[at];

    if (at >= book->base_count || entry->saved > 0) return;
    book->saved = mem_grow(book->saved, book->saved_count, &book->saved_cap, sizeof *book->saved);
    book->saved[book->saved_count++] = (struct saved){ at, *entry };
    entry->saved = book->saved_count;
}

/* The entry's votes, for the round to change, with room for so many more. */
static struct vote *votes_own(struct ledger_book *book, uint32_t at, uint32_t more)
{
    struct ledger_entry *entry = &book->entries[at];
    struct vote *votes, *was;

    entry_touch(book, at);
    was = entry->saved > 0 ? book->saved[entry->saved - 1].was.votes : NULL;
    if (entry->votes != was) return entry->votes;
    votes = arena_alloc(&book->arena, (entry->vote_count + (size_t)more) * sizeof *votes);
    for (uint32_t i = 0; entry->votes && i < entry->vote_count; i++) votes[i] = entry->votes[i];
    entry->votes = votes;
    return votes;
}

/* An entry, and what it is named by. */
struct name {
    uint64_t fingerprint;
    uint32_t entry;
};

static int compare_names(const void *one, const void *other)
{
    const struct name *x = one, *y = other;

    if (x->fingerprint != y->fingerprint) return x->fingerprint < y->fingerprint ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* How many of those that were known have this name, in the phase of the round. */
static uint32_t count_named(const struct ledger_book *book, uint64_t fingerprint)
{
    struct picks picks = { .items = NULL };
    uint32_t count = 0;

    index_pick(&book->index, key_of_words(fingerprint), &picks);
    for (uint32_t i = 0; i < picks.count; i++) {
        const struct ledger_entry *entry = &book->entries[picks.items[i]];
        count += entry->phase == book->phase && entry->fingerprint == fingerprint;
    }
    free(picks.items);
    return count;
}

/* The ordinal of each new one: how many of its fingerprint are before it. */
static void number_new(struct ledger_book *book)
{
    uint32_t count = book->count - book->base_count;
    struct name *names = mem_alloc((count + (size_t)1) * sizeof *names);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = book->base_count + i;
        names[i] = (struct name){ book->entries[at].fingerprint, at };
    }
    if (count > 0) qsort(names, count, sizeof *names, compare_names);
    for (uint32_t i = 0; i < count; i++) {
        bool again = i > 0 && names[i].fingerprint == names[i - 1].fingerprint;

        book->entries[names[i].entry].ordinal =
            again ? book->entries[names[i - 1].entry].ordinal + 1
                  : count_named(book, names[i].fingerprint);
    }
    free(names);
}

static uint32_t entry_new(struct triage *triage, const struct report *report)
{
    struct ledger_book *book = triage->book;
    const struct finding *finding = report->finding;

    return entry_add(book, &(struct ledger_entry){
        .fingerprint = finding->fingerprint,
        .lane = (uint32_t)(book - triage->ledger->books), .phase = book->phase,
        .role = report->job->role, .iteration_first = book->iteration,
        .round_first = book->round, .line_first = finding->line, .state = FINDING_NEW,
        .cause_round = line_map_wrote(&book->moved, finding->file, finding->line, CAUSE_LINES)
                           ? book->moved_round : 0,
        .edited = !book->waived && line_map_wrote(&book->moved, finding->file, finding->line, 0),
        .order = book->order + (book->count - book->base_count) });
}

/* reports: how many the round has of the entry. */
static void vote_take(struct ledger_book *book, const struct report *report, uint32_t reports)
{
    struct ledger_entry *entry = &book->entries[report->entry];
    struct vote *votes = votes_own(book, report->entry, reports), *vote = NULL;
    struct vote given = {
        .role = report->job->role, .by = report->by, .iteration = book->iteration,
        .round = book->round, .stands = true, .finding = *report->finding,
        .slot = report->words };

    for (uint32_t i = 0; i < entry->vote_count && !vote; i++) {
        if (votes[i].role == given.role && str_eq(votes[i].by, given.by)) vote = &votes[i];
    }
    if (!vote) vote = &votes[entry->vote_count++];
    *vote = given;
    entry->iteration_last = book->iteration;
    entry->round_last = book->round;
}

/* Names new entries by the order of their places, where several have one text. */
static int compare_reports(const void *one, const void *other)
{
    const struct report *a = *(const struct report *const *)one;
    const struct report *b = *(const struct report *const *)other;

    if (a->finding->line != b->finding->line) return a->finding->line < b->finding->line ? -1 : 1;
    return (a > b) - (a < b);
}

/* What is known of none: a group over all reviews of the round is one entry. */
static void group_rest(struct triage *triage)
{
    const struct finding **items = mem_alloc((triage->count + (size_t)1) * sizeof(void *));
    struct identity_words ***slots = mem_alloc((triage->count + (size_t)1) * sizeof(void *));
    struct report **rest = mem_alloc((triage->count + (size_t)1) * sizeof(void *));
    uint32_t *voters = mem_alloc((3 * (size_t)triage->count + 1) * sizeof *voters);
    uint32_t *groups = voters + triage->count, *entries = groups + triage->count, count = 0;

    for (uint32_t i = 0; i < triage->count; i++) {
        if (triage->reports[i].entry == IDENTITY_NONE) rest[count++] = &triage->reports[i];
    }
    if (count > 1) qsort(rest, count, sizeof(void *), compare_reports);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = rest[i]->finding;
        slots[i] = rest[i]->words;
        voters[i] = rest[i]->job->id;
    }
    identity_group(&(struct identity_reports){ items, voters, count, slots }, groups);
    for (uint32_t i = 0; i < count; i++) {
        if (groups[i] == i) entries[i] = entry_new(triage, rest[i]);
        rest[i]->entry = entries[groups[i]];
    }
    if (count > 0) number_new(triage->book);
    free(items);
    free(slots);
    free(rest);
    free(voters);
}

/* ---- what became of it ---- */

/* Whether the job is a review, done, by a reader of any text: analyzers see what they look for. */
static bool is_reader(const struct triage *triage, const struct job *job)
{
    return is_done(job) && !(triage->rule.roles && triage->rule.roles[job->role].first);
}

/* Under a policy a whole round looks at all that is known. */
static void votes_drop(const struct triage *triage, uint32_t at)
{
    const struct ledger_entry *entry = &triage->book->entries[at];

    for (uint32_t i = 0; i < entry->vote_count; i++) {
        const struct vote *vote = &entry->votes[i];
        bool looked = triage->covers;

        if (!vote->block || !vote->stands) continue; /* given in this round; or dropped before */
        for (uint32_t k = 0; k < triage->batch->count && !looked; k++) {
            looked = is_done(&triage->batch->jobs[k]) && triage->batch->jobs[k].role == vote->role;
        }
        if (looked) votes_own(triage->book, at, 0)[i].stands = false;
    }
}

static bool has_standing(const struct ledger_entry *entry)
{
    for (uint32_t i = 0; i < entry->vote_count; i++) {
        if (entry->votes[i].stands) return true;
    }
    return false;
}

/* Whether a backend has read in this round that has not reported the entry. One that is not known
 * may be any; and an analyzer is no other eyes, since it looks for something else. */
static bool other_eyes_looked(const struct triage *triage, const struct ledger_entry *entry)
{
    for (uint32_t i = 0; i < triage->batch->count; i++) {
        const struct job *job = &triage->batch->jobs[i];
        bool other = is_reader(triage, job) && job->result.by.size > 0;

        for (uint32_t k = 0; k < entry->vote_count && other; k++) {
            struct str by = entry->votes[k].by;
            other = by.size > 0 && !str_eq(by, job->result.by);
        }
        if (other) return true;
    }
    return false;
}

/* No reviewer reports it any more. */
static enum finding_state state_gone(const struct triage *triage, const struct ledger_entry *entry)
{
    bool policy = triage->rule.policy, left = entry->doubt == DOUBT_DECLINED;
    bool untouched = left || entry->doubt == DOUBT_UNTOUCHED;

    if (entry->state == FINDING_WAIVED || entry->state == FINDING_FIXED) return entry->state;
    if (entry->state == FINDING_NOTED) {
        return policy ? FINDING_NOTED : FINDING_FIXED;
    }
    if (!untouched || !policy) return FINDING_FIXED;
    if (entry->state == FINDING_PARKED) return FINDING_PARKED;
    if (left) {
        bool small = entry->finding.severity < SEVERITY_HIGH;
        return small || other_eyes_looked(triage, entry) ? FINDING_NOTED : FINDING_PARKED;
    }
    return entry->tries >= triage->rule.tries_max ? FINDING_PARKED : FINDING_PERSISTING;
}

/* Whether as many reviewers report it as the gate wants, or one that has evidence. What was to be
 * repaired before is not voted on again. */
static bool is_carried(const struct triage *triage, const struct ledger_entry *entry, bool known)
{
    uint32_t votes = 0;

    if (triage->rule.votes_min < 2 || !triage->whole) return true;
    if (known && finding_is_accepted(entry->state)) return true;
    for (uint32_t i = 0; i < entry->vote_count; i++) {
        const struct vote *vote = &entry->votes[i];

        if (!vote->stands) continue;
        if (triage->rule.votes_or_evidence && vote->finding.evidence.size > 0) return true;
        votes++;
    }
    return votes >= triage->rule.votes_min;
}

/* note: all that report it in this round say that it is too small. */
static enum finding_state state_seen(const struct triage *triage, const struct ledger_entry *entry,
                                     bool known, bool note)
{
    enum finding_state was = entry->state;
    bool again = known && (was == FINDING_FIXED || was == FINDING_REGRESSED);
    bool tried = triage->rule.policy && entry->tries >= triage->rule.tries_max;

    if (was == FINDING_WAIVED && entry->waiver.size > 0) return FINDING_WAIVED;
    if (note || !is_carried(triage, entry, known)) return FINDING_NOTED;
    if (was == FINDING_PARKED || (known && tried)) return FINDING_PARKED;
    if (!again && entry->finding.severity < triage->rule.floor) return FINDING_NOTED;
    if (known && was == FINDING_FIXED) return FINDING_REGRESSED;
    return known ? FINDING_PERSISTING : FINDING_NEW;
}

/* Where something came up in the round before. */
struct place {
    uint32_t line, streak;
    struct str file;
};

static int compare_places(const void *one, const void *other)
{
    const struct place *a = one, *b = other;

    return (a->line > b->line) - (a->line < b->line);
}

/* By line; before the round has changed anything. */
static void list_places(struct triage *triage)
{
    const struct ledger_book *book = triage->book;

    if (!triage->rule.policy || !triage->whole) return; /* nothing follows before */
    triage->places = mem_alloc((book->base_count + (size_t)1) * sizeof *triage->places);
    for (uint32_t i = 0; i < book->base_count; i++) {
        const struct ledger_entry *entry = &book->entries[i];

        if (entry->phase != book->phase || entry->streak_iteration != book->iteration) continue;
        if (entry->streak_round + 1 != book->round || entry->finding.file.size == 0) continue;
        triage->places[triage->place_count++] = (struct place){
            entry->finding.line, entry->streak, entry->finding.file };
    }
    qsort(triage->places, triage->place_count, sizeof *triage->places, compare_places);
}

/* Continues the streak of what came up near it in the round before. What names no file has no
 * place. */
static uint32_t streak_at(const struct triage *triage, const struct finding *finding)
{
    uint32_t most = 0, from = 0, to = triage->place_count;

    while (from < to) { /* the first that is near, or behind all that are */
        uint32_t at = (from + to) / 2;

        if (triage->places[at].line + (uint64_t)PLACE_LINES < finding->line) from = at + 1;
        else to = at;
    }
    for (uint32_t i = from; i < triage->place_count; i++) {
        const struct place *place = &triage->places[i];

        if (place->line > finding->line + (uint64_t)PLACE_LINES) break;
        if (place->streak > most && str_eq(place->file, finding->file)) most = place->streak;
    }
    return finding->file.size > 0 ? most + 1 : 0;
}

static void entry_judge(const struct triage *triage, uint32_t at, bool seen, bool note)
{
    struct ledger_book *book = triage->book;
    struct ledger_entry *entry = &book->entries[at];
    bool known = at < book->base_count;

    if (!seen) {
        if (entry->state == FINDING_FIXED) return;
        if (!has_standing(entry)) entry->state = state_gone(triage, entry);
        else if (finding_is_accepted(entry->state)) entry->state = FINDING_PERSISTING;
        if (entry->doubt == DOUBT_UNNAMED && !finding_is_open(entry->state)) {
            entry->doubt = DOUBT_NONE;
        }
        return;
    }
    entry->finding = speaker(entry)->finding;
    entry->rounds_seen++;
    entry->regressions += known && entry->state == FINDING_FIXED;
    entry->state = state_seen(triage, entry, known, note);
    if (!finding_is_open(entry->state)) entry->doubt = DOUBT_NONE;
    if (!triage->places) return;
    if (entry->state == FINDING_NEW || entry->state == FINDING_REGRESSED) {
        entry->streak = streak_at(triage, &entry->finding);
        entry->streak_iteration = book->iteration;
        entry->streak_round = book->round;
    }
}

/* Whether what is reported is where the waived code is: the same words elsewhere are another. */
static bool is_at(const struct finding *finding, const struct finding *waived)
{
    if (!str_eq(finding->file, waived->file)) return false;
    if (finding->line == 0 || waived->line == 0) {
        return finding->line == waived->line && finding->fingerprint == waived->fingerprint;
    }
    return line_gap(finding->line, waived->line) <= WAIVED_LINES;
}

static bool is_at_any(const struct finding *finding, const struct waiver *const *waivers,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_at(finding, &waivers[i]->finding)) return true;
    }
    return false;
}

static bool holds_for(const struct waiver *waiver, const struct finding *finding)
{
    return is_at(finding, &waiver->finding) &&
           (finding->severity < SEVERITY_HIGH || waiver->grave);
}

void waivers_match(const struct waiver *const *waivers, uint32_t waiver_count,
                   const struct finding *const *findings, uint32_t count,
                   const struct waiver **out)
{
    const struct finding **sides = mem_alloc((waiver_count + (size_t)count + 1) * sizeof(void *));
    uint32_t *matches = mem_alloc((2 * (size_t)count + 1) * sizeof *matches);
    uint32_t *at = matches + count, there = 0;

    for (uint32_t i = 0; i < waiver_count; i++) sides[i] = &waivers[i]->finding;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = NULL;
        if (!is_at_any(findings[i], waivers, waiver_count)) continue;
        sides[waiver_count + there] = findings[i];
        at[there++] = i;
    }
    identity_match(&(struct identity_sides){ .known = sides, .reported = sides + waiver_count,
                                             .known_count = waiver_count, .reported_count = there },
                   matches);
    for (uint32_t i = 0; i < there; i++) {
        const struct waiver *waiver = matches[i] == IDENTITY_NONE ? NULL : waivers[matches[i]];

        if (waiver && holds_for(waiver, findings[at[i]])) out[at[i]] = waiver;
    }
    free(sides);
    free(matches);
}

static void entry_waive(struct ledger_entry *entry, const struct waiver *waiver)
{
    if (waiver) {
        entry->state = FINDING_WAIVED;
        entry->waiver = waiver->id;
    } else if (entry->state == FINDING_WAIVED) {
        entry->state = FINDING_PERSISTING;
        entry->waiver = STR("");
    }
}

/* reports: how many the round has of each entry. What is fixed, or of another phase, uses up no
 * waiver. Where a repair has changed its place, none holds. */
static void entries_waive(struct triage *triage, const uint32_t *reports)
{
    struct ledger_book *book = triage->book;
    uint32_t known = triage->ledger->waiver_count, waiver_count = 0, count = 0;
    const struct waiver **waivers = mem_alloc((known + (size_t)book->count + 1) * sizeof(void *));
    const struct waiver **found = waivers + known;
    const struct finding **findings = mem_alloc((book->count + (size_t)1) * sizeof(void *));
    uint32_t *entries = mem_alloc((book->count + (size_t)1) * sizeof *entries);

    for (uint32_t i = 0; i < known; i++) {
        if (!book->places[i].edited) waivers[waiver_count++] = &book->places[i].waiver;
    }
    for (uint32_t i = 0; i < book->count; i++) {
        struct ledger_entry *entry = &book->entries[i];

        if (entry->phase != book->phase || (entry->state == FINDING_FIXED && !reports[i])) {
            continue;
        }
        entry->finding = speaker(entry)->finding;
        findings[count] = &entry->finding;
        entries[count++] = i;
    }
    waivers_match(waivers, waiver_count, findings, count, found);
    for (uint32_t i = 0; i < count; i++) {
        struct ledger_entry *entry = &book->entries[entries[i]];

        entry_waive(entry, entry->edited ? NULL : found[i]);
    }
    free(waivers);
    free(findings);
    free(entries);
}

/* What is fixed has no vote that stands: it stays as it is until it is reported again. */
static void judge_entries(struct triage *triage)
{
    struct ledger_book *book = triage->book;
    uint32_t *reports = mem_alloc((book->count + (size_t)1) * sizeof *reports);
    bool *counts = mem_alloc(book->count + (size_t)1);

    for (uint32_t i = 0; triage->rule.policy && triage->whole && i < triage->batch->count; i++) {
        triage->covers = triage->covers || is_reader(triage, &triage->batch->jobs[i]);
    }
    for (uint32_t i = 0; i < triage->count; i++) {
        reports[triage->reports[i].entry]++;
        if (!triage->reports[i].note) counts[triage->reports[i].entry] = true;
    }
    list_places(triage);
    for (uint32_t i = 0; i < book->open.count; i++) entry_touch(book, book->open.items[i]);
    for (uint32_t i = 0; i < triage->count; i++) {
        vote_take(book, &triage->reports[i], reports[triage->reports[i].entry]);
    }
    for (uint32_t i = 0; i < book->saved_count; i++) votes_drop(triage, book->saved[i].at);
    if (triage->ledger->waiver_count > 0) entries_waive(triage, reports);
    for (uint32_t i = 0; i < book->saved_count; i++) {
        uint32_t at = book->saved[i].at;
        entry_judge(triage, at, reports[at] > 0, !counts[at]);
    }
    for (uint32_t i = book->base_count; i < book->count; i++) {
        entry_judge(triage, i, reports[i] > 0, !counts[i]);
    }
    free(reports);
    free(counts);
}

void ledger_review(struct ledger *ledger, uint32_t lane, const struct batch *batch,
                   struct ledger_rule rule)
{
    struct ledger_book *book = book_of(ledger, lane);
    struct triage triage = { .ledger = ledger, .book = book, .batch = batch, .rule = rule,
                             .whole = !batch->held };
    uint32_t done = 0;

    assert(batch->count > 0);
    for (uint32_t i = 0; i < batch->count; i++) {
        done += is_done(&batch->jobs[i]);
        triage.whole = triage.whole && batch->jobs[i].state == JOB_DONE;
    }
    take_coverage(book, batch);
    if (done == 0 && book->first_job != batch->jobs[0].id) return;
    if (book->first_job != batch->jobs[0].id) book_open(ledger, book, batch);
    places_make(ledger, book);
    base_restore(book);
    if (done == 0) return; /* all of it is void */
    list_reports(&triage);
    group_rest(&triage);
    judge_entries(&triage);
    free(triage.reports);
    free(triage.places);
}

/* ---- a repair ---- */

/* Where several fixers share a repair, in any order, one without a doubt about a finding has
 * resolved it; and the last of them tells of all that was changed. The first of them is copy 1. */
void ledger_repair(struct ledger *ledger, uint32_t lane, const struct batch *batch,
                   const struct result *result)
{
    struct ledger_book *book = book_of(ledger, lane);
    bool shared = batch->jobs[0].copy > 1 || batch->jobs[0].id == book->tried_job;

    book_close(book);
    for (uint32_t i = 0; i < book->count; i++) {
        struct ledger_entry *entry = &book->entries[i];
        const struct doubtful *doubt;

        if (entry->phase != batch->phase || !finding_is_accepted(entry->state)) continue;
        if (!shared) entry->tries++;
        if (shared && entry->doubt == DOUBT_NONE) continue;
        doubt = doubt_find(result, &entry->finding);
        entry->doubt = doubt ? doubt->why : DOUBT_NONE;
    }
    book->tried_job = batch->jobs[0].id;
    arena_release(&book->moved_arena);
    book->moved = line_map_copy(&result->moved, &book->moved_arena);
    book->moved_round = batch->round;
    book->carried = book->waived = false;
}

bool ledger_wrote(const struct ledger *ledger, uint32_t lane, const struct finding *finding)
{
    return lane < ledger->book_count &&
           line_map_wrote(&ledger->books[lane].moved, finding->file, finding->line, CAUSE_LINES);
}

void ledger_take_back(struct ledger *ledger, uint32_t lane, uint32_t phase, uint32_t tries_max)
{
    struct ledger_book *book = book_of(ledger, lane);

    for (uint32_t i = 0; i < book->count; i++) {
        struct ledger_entry *entry = &book->entries[i];

        if (entry->phase != phase || !finding_is_accepted(entry->state)) continue;
        entry->doubt = DOUBT_UNTOUCHED;
        if (entry->tries >= tries_max) entry->state = FINDING_PARKED;
    }
    arena_release(&book->moved_arena);
    book->moved = (struct line_map){ .files = NULL };
    book->tried_job = 0; /* the next repair is another try */
}

void ledger_idle(struct ledger *ledger, uint32_t lane, uint32_t phase)
{
    struct ledger_book *book = book_of(ledger, lane);

    for (uint32_t i = 0; i < book->count; i++) {
        struct ledger_entry *entry = &book->entries[i];
        bool small = entry->finding.severity < SEVERITY_HIGH;

        if (entry->phase != phase || !finding_is_accepted(entry->state)) continue;
        entry->state = small && entry->doubt == DOUBT_DECLINED ? FINDING_NOTED : FINDING_PARKED;
    }
}

void ledger_unpark(struct ledger *ledger, uint32_t lane)
{
    struct ledger_book *book = book_of(ledger, lane);

    book_close(book); /* else the same round, told again, would park them again */
    for (uint32_t i = 0; i < book->count; i++) {
        struct ledger_entry *entry = &book->entries[i];

        if (entry->state != FINDING_PARKED) continue;
        entry->state = FINDING_PERSISTING;
        entry->tries = 0;
    }
}

static bool entry_unwaive(struct ledger_entry *entry, uint32_t phase,
                          const struct waiver *waivers, uint32_t count)
{
    if (entry->phase != phase || entry->state != FINDING_WAIVED) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (str_eq(waivers[i].id, entry->waiver)) return false;
    }
    entry->state = FINDING_PERSISTING;
    entry->doubt = DOUBT_UNTOUCHED; /* that no review tells of it any more does not mend it */
    return true;
}

bool ledger_unwaive(struct ledger *ledger, uint32_t lane, uint32_t phase,
                    const struct waiver *waivers, uint32_t count)
{
    struct ledger_book *book = book_of(ledger, lane);
    bool any = false;

    for (uint32_t i = 0; i < book->count; i++) {
        any = entry_unwaive(&book->entries[i], phase, waivers, count) || any;
    }
    for (uint32_t i = 0; i < book->saved_count; i++) {
        any = entry_unwaive(&book->saved[i].was, phase, waivers, count) || any;
    }
    return any;
}

/* Forgets what held for an entry, and that a repair changed its place: a person has seen that. */
static void entry_forget(struct ledger_entry *entry)
{
    entry->waiver = STR("");
    entry->edited = false;
}

void ledger_waive(struct ledger *ledger, const struct waiver *waivers, uint32_t count)
{
    struct arena arena = { 0 };
    struct waiver *copy = mem_alloc((count + (size_t)1) * sizeof *copy);

    for (uint32_t i = 0; i < count; i++) {
        copy[i] = (struct waiver){ .finding = finding_copy(&waivers[i].finding, &arena),
                                   .id = arena_copy(&arena, waivers[i].id),
                                   .grave = waivers[i].grave };
    }
    for (uint32_t i = 0; i < ledger->book_count; i++) {
        struct ledger_book *book = &ledger->books[i];

        free(book->places);
        book->places = NULL;
        arena_release(&book->place_arena);
        for (uint32_t k = 0; k < book->count; k++) entry_forget(&book->entries[k]);
        for (uint32_t k = 0; k < book->saved_count; k++) entry_forget(&book->saved[k].was);
        book->waived = true;
    }
    arena_release(&ledger->waiver_arena);
    free(ledger->waivers);
    ledger->waivers = copy;
    ledger->waiver_count = count;
    ledger->waiver_arena = arena;
}

/* ---- what it holds ---- */

uint32_t ledger_of_lane(const struct ledger *ledger, uint32_t lane,
                        const struct ledger_entry **out)
{
    *out = lane < ledger->book_count ? ledger->books[lane].entries : NULL;
    return lane < ledger->book_count ? ledger->books[lane].count : 0;
}

static int compare_orders(const void *one, const void *other)
{
    const struct ledger_entry *a = *(const struct ledger_entry *const *)one;
    const struct ledger_entry *b = *(const struct ledger_entry *const *)other;

    return (a->order > b->order) - (a->order < b->order);
}

uint32_t ledger_list(const struct ledger *ledger, struct arena *arena,
                     const struct ledger_entry *const **out)
{
    const struct ledger_entry **list;
    uint32_t count = 0;

    for (uint32_t i = 0; i < ledger->book_count; i++) count += ledger->books[i].count;
    list = arena_alloc(arena, (count + (size_t)1) * sizeof(void *));
    count = 0;
    for (uint32_t i = 0; i < ledger->book_count; i++) {
        const struct ledger_book *book = &ledger->books[i];

        for (uint32_t k = 0; k < book->count; k++) list[count++] = &book->entries[k];
    }
    if (count > 0) qsort(list, count, sizeof(void *), compare_orders);
    *out = list;
    return count;
}
