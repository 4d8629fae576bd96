/* SPDX-License-Identifier: Apache-2.0
 *
 * follow.c - repositories and their rows, brought up to date.
 *
 *   the system: the journal was written ---.
 *                                          v
 *   each second ------------------> ask SQLite: is there a commit? --no--> (woken: ask again soon)
 *        |                                 | yes
 *        |                                 v
 *        |            the rows that have no end, and all of them where one is new
 *        |                                 |
 *        '--> who is alive? --------> events behind those we have --> news
 *
 * 1. What is read for one set of news is the journal at one moment: row, events and end agree.
 * 2. The system tells of a write before its commit can be seen, by as much as the disk takes: the
 *    question is asked again after 2 ms, then three times as long later, and so on.
 * 3. Runs without an end are read each time. All are where a run was added or taken out, where a
 *    commit is explained by none of those, and otherwise ALL_MS after the last time: a commit to an
 *    ended run (it is resumed) beside one to another run is seen then.
 * 4. Runs are replayed in steps, those first of which news are owed: who waits for something else
 *    waits no longer than a step.
 * 5. A journal that cannot be read is closed, its rows are gone, and it is tried again each second:
 *    a place is never left with half of it.
 *
 * Not here: what is kept replayed (replayed.c), output that grows (growing.c). */
#include "follow/parts.h"

#include "base/mem.h"
#include "base/path.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/process/program.h"
#include "io/tree/seal.h"
#include "run/place.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOOK_MS = 1000,     /* between two looks at what no one tells */
    LOOK_SOON_MS = 50,  /* likewise while a run has its end and its process is still there */
    POLL_MS = 50,       /* between two questions where the system tells nothing */
    AGAIN_MS = 2, AGAIN_FACTOR = 3,
    FIND_MS = 5000,     /* between two looks for a repository that is not there */
    WORK_MS = 20,       /* that one step replays runs; what is left is done by the next */
    FIRST_MS = 300,     /* likewise when it is opened: most repositories are known then */
    CRASHED_LOOKS = 8,  /* a run that died is looked at in one of so many looks */
    ALL_MS = 500,
};

/* ---- news ---- */

static struct follow_news news_of(const struct follow *follow, const struct place *place,
                                  enum follow_news_kind kind, const struct row *row)
{
    return (struct follow_news){
        .kind = kind, .repo = (uint32_t)(place - follow->places),
        .run = row ? row->row.run.id : NULL, .row = row ? &row->row : NULL,
        .whole = row && row->replayed ? &row->replayed->whole : NULL,
    };
}

static void tell(struct follow *follow, const struct place *place, const struct follow_news *news)
{
    if (follow->visit && place->told) follow->visit(follow->context, news);
}

static void set_problem(struct follow *follow, struct place *place, const char *text)
{
    struct follow_news news = news_of(follow, place, FOLLOW_PLACE, NULL);

    if (strcmp(place->problem, text) == 0) return;
    memcpy(place->problem, text, strnlen(text, sizeof place->problem - 1) + 1);
    tell(follow, place, &news);
}

/* ---- rows ---- */

static void row_free(struct follow *follow, struct row *row)
{
    growing_forget(follow, row);
    replayed_close(row);
    arena_release(&row->arena);
    arena_release(&row->sums);
    free(row->changes.entries);
    free(row->changes.rounds);
    free(row);
}

static void row_drop(struct follow *follow, struct place *place, uint32_t at)
{
    struct row *row = place->rows[at];
    struct follow_news news = news_of(follow, place, FOLLOW_GONE, row);

    place->row_count--;
    memmove(&place->rows[at], &place->rows[at + 1],
            (place->row_count - at) * sizeof(void *));
    news.row = NULL;
    news.whole = NULL;
    tell(follow, place, &news);
    row_free(follow, row);
}

static void rows_drop(struct follow *follow, struct place *place)
{
    while (place->row_count > 0) row_drop(follow, place, place->row_count - 1);
}

static struct row *row_find(const struct place *place, const char *id)
{
    for (uint32_t i = 0; i < place->row_count; i++) {
        if (strcmp(place->rows[i]->row.run.id, id) == 0) return place->rows[i];
    }
    return NULL;
}

/* Whether its process or host is at work, by a look at the system. */
static bool is_alive(const struct place *place, const struct row *row)
{
    struct look look = place->look;
    struct journal_run run = row->row.run;
    struct err none;
    bool alive;

    look.arena = (struct arena){ 0 };
    if (look_alive(&look, &run, &alive, &none) != 0) alive = false;
    arena_release(&look.arena);
    return alive;
}

/* Newer first, as journal_runs() has them. */
static bool comes_before(const struct journal_run *a, const struct journal_run *b)
{
    if (a->created_ms != b->created_ms) return a->created_ms > b->created_ms;
    return strcmp(a->id, b->id) > 0;
}

static struct row *row_add(struct place *place, const struct journal_run *run)
{
    struct row *row = mem_alloc(sizeof *row);
    struct journal_run *copy = &row->row.run;
    uint32_t at = 0;

    *copy = *run;
    copy->id = arena_cstr(&row->arena, str_of(run->id));
    copy->dialect = arena_cstr(&row->arena, str_of(run->dialect));
    copy->task = arena_cstr(&row->arena, str_of(run->task));
    copy->workspace = arena_cstr(&row->arena, str_of(run->workspace));
    copy->settings = arena_cstr(&row->arena, str_of(run->settings));
    while (at < place->row_count && comes_before(&place->rows[at]->row.run, copy)) at++;
    place->rows = mem_grow(place->rows, place->row_count, &place->row_cap, sizeof(void *));
    memmove(&place->rows[at + 1], &place->rows[at], (place->row_count - at) * sizeof(void *));
    place->rows[at] = row;
    place->row_count++;
    return row;
}

/* A row as the journal has it now: whether it is another one. */
static bool row_take(struct place *place, const struct journal_run *run)
{
    struct row *row = row_find(place, run->id);
    bool added = row == NULL;

    if (added) row = row_add(place, run);
    row->seen = true;
    if (!added && row->row.run.event_count == run->event_count &&
        row->row.run.reason == run->reason) {
        return false;
    }
    row->row.run.event_count = run->event_count;
    row->row.run.reason = run->reason;
    row->row.run.updated_ms = run->updated_ms;
    row->row.alive = is_alive(place, row);
    if (place->told) {
        row->owed = true;
        row->added |= added;
    } else {
        row->told = run->event_count;
    }
    return true;
}

/* ---- what is owed and wanted of rows ---- */

static bool is_summed(const struct row *row)
{
    return row->summed == row->row.run.event_count + 1;
}

static void row_sum(const struct place *place, struct row *row)
{
    struct replayed *replayed = row->replayed;

    if (is_summed(row)) return;
    arena_release(&row->sums);
    row->row.sums = (struct run_sums){ 0 };
    if (replayed) {
        sums_of(&place->look.repo, &replayed->run, &replayed->history, &row->sums, &row->row.sums);
    }
    row->summed = row->row.run.event_count + 1;
}

static void row_tell(struct follow *follow, struct place *place, struct row *row)
{
    struct follow_news news = news_of(follow, place, row->added ? FOLLOW_ADDED : FOLLOW_CHANGED,
                                      row);

    news.entries = row->changes.entries;
    news.entry_count = row->changes.entry_count;
    news.rounds = row->changes.rounds;
    news.round_count = row->changes.round_count;
    tell(follow, place, &news);
    row->changes.entry_count = row->changes.round_count = 0;
    row->told = row->row.run.event_count;
    row->owed = row->added = row->shown = false;
}

/* Goes on with a row until that moment. False: there is more to do. */
static bool row_step(struct follow *follow, struct place *place, struct row *row,
                     uint64_t until_ms)
{
    bool whole = false;
    struct err none;

    if (replayed_feed(follow, place, row, until_ms, &whole, &none) == 0 && !whole) return false;
    row->asked = false;
    row_sum(place, row);
    if (row->owed || row->shown) row_tell(follow, place, row);
    growing_note(follow, place, row);
    return true;
}

enum need { NEED_NOTHING, NEED_SUMS, NEED_WHOLE, NEED_NEWS };

static enum need row_needs(const struct row *row)
{
    if (row->owed) return NEED_NEWS;
    if (row->asked) return NEED_WHOLE;
    return is_summed(row) ? NEED_NOTHING : NEED_SUMS;
}

static uint64_t row_missing(const struct row *row)
{
    return row->row.run.event_count - (row->replayed ? row->replayed->run.event_count : 0);
}

/* What is short comes before what is long: news of one run do not wait for the past of another. */
static bool is_before(const struct row *row, const struct row *other)
{
    enum need need = row_needs(row), others = row_needs(other);

    return need != others ? need > others : row_missing(row) < row_missing(other);
}

/* The row that is wanted most; NULL: none is. */
static struct row *row_wanted(const struct follow *follow, struct place **out)
{
    struct row *found = NULL;

    for (uint32_t i = 0; i < follow->count; i++) {
        for (uint32_t k = 0; k < follow->places[i].row_count; k++) {
            struct row *row = follow->places[i].rows[k];

            if (row_needs(row) == NEED_NOTHING || (found && !is_before(row, found))) continue;
            found = row;
            *out = &follow->places[i];
        }
    }
    return found;
}

static void work(struct follow *follow, uint64_t until_ms)
{
    struct place *place;
    struct row *row;

    while ((row = row_wanted(follow, &place)) && row_step(follow, place, row, until_ms)) {
        if (now_steady_ms() >= until_ms) return;
    }
}

/* ---- the journal ---- */

static void place_close(struct follow *follow, struct place *place)
{
    rows_drop(follow, place);
    journal_close(place->look.journal);
    place->look.journal = NULL;
}

struct rows_pass {
    struct journal_run *items;
    uint32_t count, cap;
};

static bool on_run(void *context, const struct journal_run *run)
{
    struct rows_pass *pass = context;

    pass->items = mem_grow(pass->items, pass->count, &pass->cap, sizeof *pass->items);
    pass->items[pass->count++] = *run;
    return true;
}

/* Every row, those that are gone as well. */
static int read_all(struct follow *follow, struct place *place, struct err *err)
{
    struct rows_pass pass = { 0 };
    struct arena arena = { 0 };
    int rc = journal_runs(place->look.journal, &arena, on_run, &pass, err);

    for (uint32_t i = 0; rc == 0 && i < place->row_count; i++) place->rows[i]->seen = false;
    for (uint32_t i = pass.count; rc == 0 && i-- > 0;) row_take(place, &pass.items[i]);
    for (uint32_t i = place->row_count; rc == 0 && i-- > 0;) {
        if (!place->rows[i]->seen) row_drop(follow, place, i);
    }
    free(pass.items);
    arena_release(&arena);
    return rc;
}

/* Those that have no end. */
static int read_open(struct place *place, bool *changed, struct err *err)
{
    struct arena arena = { 0 };
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < place->row_count; i++) {
        const struct row *row = place->rows[i];
        struct journal_run run;

        if (row->row.run.reason != REASON_NONE && !row->row.alive) continue;
        rc = journal_get(place->look.journal, row->row.run.id, &arena, &run, err);
        if (rc == ERR_MISSING) { /* all are read then */
            *changed = false;
            rc = 0;
            break;
        }
        if (rc == 0 && row_take(place, &run)) *changed = true;
        arena_release(&arena);
    }
    arena_release(&arena);
    return rc;
}

static int read_news(struct follow *follow, struct place *place, uint64_t now_ms, struct err *err)
{
    bool explained = false;
    uint64_t census = place->census;
    int rc = journal_hold(place->look.journal, err);

    if (rc != 0) return rc;
    rc = journal_census(place->look.journal, &census, err);
    if (rc == 0 && census == place->census) rc = read_open(place, &explained, err);
    place->behind = true;
    if (rc == 0 && (!explained || now_ms >= place->all_ms)) {
        rc = read_all(follow, place, err);
        place->all_ms = now_ms + ALL_MS;
        place->behind = false;
    }
    if (rc == 0) place->census = census;
    journal_let_go(place->look.journal);
    return rc;
}

static bool journal_is_fixed(const struct place *place)
{
    struct folder_state state;
    struct err none;

    return folder_look(place->look.repo.hone_dir, &state, &none) == 0 && !state.writable;
}

/* Opens it where there is one. */
static void place_open_journal(struct follow *follow, struct place *place, uint64_t now_ms)
{
    struct arena arena = { 0 };
    const char *path = place_journal(&place->look.repo, &arena);
    struct err err;
    int rc = ERR_MISSING;

    place->journal_stamp = program_stamp(path);
    if (file_identity(path, &place->journal_device, &place->journal_inode, &err) == 0) {
        rc = journal_open_readonly(&place->look.journal, path, &err);
    }
    if (rc == 0) {
        place->fixed = journal_is_fixed(place);
        place->census = 0;
        place->all_ms = 0;
        rc = journal_version(place->look.journal, &place->version, &err);
        if (rc == 0) rc = read_news(follow, place, now_ms, &err);
    }
    arena_release(&arena);
    if (rc == 0 || rc == ERR_MISSING) {
        set_problem(follow, place, "");
        return;
    }
    place_close(follow, place);
    set_problem(follow, place, err.text);
}

/* ---- the repository ---- */

static bool is_taken(const struct follow *follow, const struct place *place)
{
    for (uint32_t i = 0; i < follow->count; i++) {
        const struct place *other = &follow->places[i];
        if (other == place) return false;
        if (other->found && strcmp(other->look.repo.hone_dir, place->look.repo.hone_dir) == 0) {
            return true;
        }
    }
    return false;
}

static void place_lose(struct follow *follow, struct place *place)
{
    place_close(follow, place);
    watcher_remove(&follow->watcher, place->watched);
    repo_release(&place->look.repo);
    place->look.repo = (struct repo){ 0 };
    place->found = false;
    place->watched = -1;
    place->whole = false;
}

static void place_seek(struct follow *follow, struct place *place, uint64_t now_ms)
{
    struct err err;

    if (place->find_ms > now_ms) return;
    place->find_ms = now_ms + FIND_MS;
    place->found = repo_open(&place->look.repo, place->folder, REPO_FIND, &err) == 0;
    if (place->found) return;
    repo_release(&place->look.repo);
    place->look.repo = (struct repo){ 0 };
    set_problem(follow, place, err.text);
}

/* The hone folder, or what it will be made in. */
static void place_watch(struct follow *follow, struct place *place)
{
    struct arena arena = { 0 };
    const char *hone = place->look.repo.hone_dir, *outer;

    if (!place->whole) {
        int number = watcher_add(&follow->watcher, hone);

        if (number >= 0) {
            if (place->watched != number) watcher_remove(&follow->watcher, place->watched);
            place->watched = number;
            place->whole = true;
        } else if (place->watched < 0) {
            outer = path_folder_text(hone, &arena);
            place->watched = watcher_add(&follow->watcher, outer);
        }
    }
    arena_release(&arena);
}

/* The journal, where it is not the file that was opened. */
static void place_look_journal(struct follow *follow, struct place *place, uint64_t now_ms)
{
    struct arena arena = { 0 };
    const char *path = place_journal(&place->look.repo, &arena);
    uint64_t device = 0, inode = 0;
    struct err none;

    (void)file_identity(path, &device, &inode, &none);
    if (place->look.journal &&
        (device != place->journal_device || inode != place->journal_inode ||
         (place->fixed && place->journal_stamp != program_stamp(path)))) {
        place_close(follow, place);
    }
    if (!place->look.journal) place_open_journal(follow, place, now_ms);
    arena_release(&arena);
}

/* Who is alive. Returns when to look again. */
static uint64_t place_look_alive(struct place *place, uint64_t now_ms)
{
    bool soon = false;

    for (uint32_t i = 0; i < place->row_count; i++) {
        struct row *row = place->rows[i];
        bool alive;

        if (row->row.run.reason != REASON_NONE && !row->row.alive) continue;
        if (!row->row.alive && (place->looks + i) % CRASHED_LOOKS != 0) continue;
        alive = is_alive(place, row);
        soon |= alive && row->row.run.reason != REASON_NONE;
        if (alive == row->row.alive) continue;
        row->row.alive = alive;
        row->owed = place->told;
    }
    place->looks++;
    return now_ms + (soon ? LOOK_SOON_MS : LOOK_MS);
}

/* What the system does not tell: the repository is gone or back, the journal is another file, a
 * process died. */
static void place_look(struct follow *follow, struct place *place, uint64_t now_ms)
{
    if (place->found && !file_exists(place->look.repo.git_dir)) {
        place_lose(follow, place);
        place->find_ms = 0;
    }
    if (!place->found) place_seek(follow, place, now_ms);
    if (place->found) {
        place_watch(follow, place);
        place_look_journal(follow, place, now_ms);
    }
    place->look_ms = place_look_alive(place, now_ms);
}

/* Whether something was committed; where it was not, when to ask again. */
static void place_ask(struct follow *follow, struct place *place, uint64_t now_ms)
{
    uint64_t version = place->version;
    struct err err;
    int rc = journal_version(place->look.journal, &version, &err);

    if (rc == 0 && (version != place->version || (place->behind && now_ms >= place->all_ms))) {
        rc = read_news(follow, place, now_ms, &err);
        place->version = version;
    }
    if (rc != 0) {
        place_close(follow, place);
        set_problem(follow, place, err.text);
        place->ask_ms = 0;
        return;
    }
    place->ask_ms = place->pause_ms < LOOK_MS ? now_ms + place->pause_ms : 0;
    place->pause_ms *= AGAIN_FACTOR;
    if (place->ask_ms == 0 && place->behind) place->ask_ms = place->all_ms;
}

static void on_change(void *context, const struct watch_change *change)
{
    struct follow *follow = context;

    for (uint32_t i = 0; i < follow->count; i++) {
        struct place *place = &follow->places[i];

        if (change->number >= 0 && change->number != place->watched) continue;
        if (change->gone) {
            place->watched = -1;
            place->whole = false;
        }
        if (!place->look.journal || change->gone) place->look_ms = 0;
        else if (strncmp(change->name, "journal.db", 10) == 0 || change->number < 0) {
            place->ask_ms = 1;
            place->pause_ms = AGAIN_MS;
        }
    }
    growing_changed(follow, change);
}

void follow_hurry(struct follow *follow)
{
    for (uint32_t i = 0; i < follow->count; i++) {
        struct place *place = &follow->places[i];

        place->look_ms = place->all_ms = 0;
        place->ask_ms = 1;
        place->pause_ms = AGAIN_MS;
    }
}

void follow_step(struct follow *follow, follow_visit *visit, void *context)
{
    uint64_t now_ms = now_steady_ms();

    follow->visit = visit;
    follow->context = context;
    (void)watcher_take(&follow->watcher, on_change, follow);
    for (uint32_t i = 0; i < follow->count; i++) {
        struct place *place = &follow->places[i];

        if (place->look_ms <= now_ms) {
            place_look(follow, place, now_ms);
            if (place->ask_ms == 0) {
                place->ask_ms = now_ms;
                place->pause_ms = LOOK_MS;
            }
        }
        if (place->look.journal && place->ask_ms != 0 && place->ask_ms <= now_ms) {
            place_ask(follow, place, now_ms);
        }
        if (follow->watcher.fd < 0 && place->ask_ms == 0) place->ask_ms = now_ms + POLL_MS;
        place->told = true;
    }
    work(follow, now_steady_ms() + WORK_MS);
    growing_step(follow, now_ms);
    replayed_trim(follow, NULL);
    follow->visit = NULL;
}

/* ---- the whole ---- */

int follow_open(struct follow **out, const char *const *folders, uint32_t count, struct err *err)
{
    struct follow *follow;

    *out = NULL;
    if (count > FOLLOW_REPOSITORIES_MAX) {
        return err_set(err, ERR_LIMIT, "at most %d folders can be looked at",
                       FOLLOW_REPOSITORIES_MAX);
    }
    follow = mem_alloc(sizeof *follow);
    watcher_open(&follow->watcher);
    follow->places = mem_alloc((count ? count : 1) * sizeof *follow->places);
    for (uint32_t i = 0; i < count; i++) {
        struct place *place = &follow->places[follow->count++];

        *place = (struct place){ .folder = arena_cstr(&follow->arena, str_of(folders[i])),
                                 .watched = -1 };
        place_seek(follow, place, now_steady_ms());
        if (!place->found || !is_taken(follow, place)) continue;
        repo_release(&place->look.repo);
        follow->count--;
    }
    follow_step(follow, NULL, NULL);
    work(follow, now_steady_ms() + FIRST_MS);
    *out = follow;
    return 0;
}

void follow_close(struct follow *follow)
{
    if (!follow) return;
    for (uint32_t i = 0; i < follow->count; i++) {
        struct place *place = &follow->places[i];

        place_lose(follow, place);
        free(place->rows);
    }
    watcher_close(&follow->watcher);
    free(follow->places);
    free(follow->list);
    free(follow->rows.rows);
    free(follow->rows.repos);
    arena_release(&follow->arena);
    free(follow);
}

uint32_t follow_count(const struct follow *follow)
{
    return follow->count;
}

struct follow_place follow_place(const struct follow *follow, uint32_t repo)
{
    const struct place *place = &follow->places[repo];

    return (struct follow_place){
        .folder = place->folder,
        .look = place->found ? &place->look : NULL,
        .problem = place->problem[0] ? place->problem : NULL,
    };
}

const char *follow_workspace(const struct follow *follow, uint32_t repo)
{
    const struct place *place = &follow->places[repo];

    return place->found ? place->look.repo.workspace : place->folder;
}

const char *follow_name(const struct follow *follow, uint32_t repo)
{
    const char *whole = follow_workspace(follow, repo), *leaf = path_leaf_text(whole);

    for (uint32_t i = 0; i < follow_count(follow); i++) {
        if (i == repo) continue;
        if (strcmp(path_leaf_text(follow_workspace(follow, i)), leaf) == 0) return whole;
    }
    return leaf;
}

int follow_fd(const struct follow *follow)
{
    return follow->watcher.fd;
}

int64_t follow_due_in_ms(const struct follow *follow)
{
    uint64_t now_ms = now_steady_ms();
    int64_t due_ms = growing_due_in_ms(follow, now_ms);
    struct place *wanted;

    if (row_wanted(follow, &wanted)) return 0;
    for (uint32_t i = 0; i < follow->count; i++) {
        const struct place *place = &follow->places[i];
        uint64_t at_ms = place->ask_ms != 0 && place->ask_ms < place->look_ms ? place->ask_ms
                                                                              : place->look_ms;
        int64_t left = at_ms > now_ms ? (int64_t)(at_ms - now_ms) : 0;

        if (due_ms < 0 || left < due_ms) due_ms = left;
    }
    return due_ms;
}

/* ---- what is asked for ---- */

/* The row whose id begins so; an exact id counts before others. */
static int row_choose(const struct place *place, const char *prefix, struct row **out,
                      struct err *err)
{
    uint32_t fit = 0;

    *out = row_find(place, prefix);
    for (uint32_t i = 0; !*out && i < place->row_count; i++) {
        struct row *row = place->rows[i];
        if (!str_starts(str_of(row->row.run.id), str_of(prefix))) continue;
        if (fit++ == 0) *out = row;
        if (!*prefix) break;
    }
    for (uint32_t i = 0; fit == 1 && *prefix && i < place->row_count; i++) {
        struct row *row = place->rows[i];
        if (row != *out && str_starts(str_of(row->row.run.id), str_of(prefix))) fit++;
    }
    if (fit > 1) {
        return err_set(err, ERR_USAGE, "%.60s fits several runs; give more of the id", prefix);
    }
    if (*out) return 0;
    return err_set(err, ERR_MISSING, "no run begins with '%.60s'", prefix);
}

static int row_open(struct follow *follow, uint32_t repo, const char *prefix, struct place **place,
                    struct row **row, struct err *err)
{
    *place = repo < follow->count ? &follow->places[repo] : NULL;
    if (!*place) return err_set(err, ERR_MISSING, "there is no repository %u here", (unsigned)repo);
    if ((*place)->problem[0]) return err_set(err, ERR_MISSING, "%s", (*place)->problem);
    return row_choose(*place, prefix, row, err);
}

int follow_row(struct follow *follow, uint32_t repo, const char *prefix,
               const struct run_row **out, struct err *err)
{
    struct place *place;
    struct row *row;
    int rc = row_open(follow, repo, prefix, &place, &row, err);

    if (rc == 0) *out = &row->row;
    return rc;
}

int follow_run(struct follow *follow, uint32_t repo, const char *prefix, struct follow_run *out,
               struct err *err)
{
    struct place *place;
    struct row *row;
    bool whole;
    int rc = row_open(follow, repo, prefix, &place, &row, err);

    if (rc == 0) rc = replayed_feed(follow, place, row, UINT64_MAX, &whole, err);
    if (rc != 0) return rc;
    row_sum(place, row);
    growing_note(follow, place, row);
    *out = row->replayed->whole;
    return 0;
}

bool follow_is_read(struct follow *follow, uint32_t repo, const char *prefix)
{
    struct place *place;
    struct row *row;
    struct err none;

    if (row_open(follow, repo, prefix, &place, &row, &none) != 0) return true;
    if (row->replayed && row->replayed->run.event_count == row->row.run.event_count) return true;
    row->asked = true;
    return row_step(follow, place, row, now_steady_ms() + WORK_MS);
}

static int compare_rows(const void *a, const void *b)
{
    const struct listed_row *left = a, *right = b;

    if (comes_before(&left->row->run, &right->row->run)) return -1;
    return comes_before(&right->row->run, &left->row->run) ? 1 : 0;
}

void follow_rows(struct follow *follow, struct follow_rows *out)
{
    struct follow_rows *rows = &follow->rows;
    uint32_t count = 0;

    rows->unread = 0;
    for (uint32_t i = 0; i < follow->count; i++) {
        struct place *place = &follow->places[i];

        for (uint32_t k = 0; k < place->row_count; k++) {
            struct row *row = place->rows[k];

            row->shown |= !is_summed(row);
            rows->unread += !is_summed(row);
            follow->list = mem_grow(follow->list, count, &follow->list_cap, sizeof *follow->list);
            follow->list[count++] = (struct listed_row){ .repo = i, .row = &row->row };
        }
    }
    if (count > 1) qsort(follow->list, count, sizeof *follow->list, compare_rows);
    rows->rows = mem_resize(rows->rows, (count + 1) * sizeof(void *));
    rows->repos = mem_resize(rows->repos, (count + 1) * sizeof *rows->repos);
    for (uint32_t i = 0; i < count; i++) {
        rows->rows[i] = follow->list[i].row;
        rows->repos[i] = follow->list[i].repo;
    }
    rows->count = count;
    *out = *rows;
}
