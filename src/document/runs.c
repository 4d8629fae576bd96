/* SPDX-License-Identifier: Apache-2.0
 *
 * runs.c - the runs of a repository, as a document.
 *
 * What there is to choose by (dialects, branches, backends, states) is of all rows, not of those
 * that were chosen: a choice must not hide the others. */
#include "document/document.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ---- a row ---- */

static void sums_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct run_sums *sums)
{
    yyjson_mut_val *agents;

    if (!sums->known) return;
    yyjson_mut_obj_add_uint(doc, object, "found", sums->found);
    yyjson_mut_obj_add_uint(doc, object, "fixed", sums->fixed);
    yyjson_mut_obj_add_uint(doc, object, "left", sums->left);
    if (sums->cost_micros) {
        yyjson_mut_obj_add_real(doc, object, "cost", (double)sums->cost_micros / 1e6);
    } else {
        yyjson_mut_obj_add_null(doc, object, "cost"); /* no agent reported one */
    }
    yyjson_mut_obj_add_uint(doc, object, "took_ms", sums->took_ms);
    json_add(doc, object, "scope", sums->scope);
    yyjson_mut_obj_add_uint(doc, object, "rounds", sums->rounds);
    yyjson_mut_obj_add_uint(doc, object, "calls", sums->calls);
    yyjson_mut_obj_add_uint(doc, object, "tokens", sums->tokens);
    json_add(doc, object, "branch", sums->branch);
    agents = yyjson_mut_obj_add_arr(doc, object, "agents");
    for (uint32_t i = 0; i < sums->agent_count; i++) {
        yyjson_mut_arr_append(agents, json_text(doc, str_of(sums->agents[i])));
    }
}

void document_row(const struct run_row *row, yyjson_mut_doc *doc, yyjson_mut_val *object)
{
    sums_json(doc, object, &row->sums);
    yyjson_mut_obj_add_bool(doc, object, "asks", row->sums.asks);
    yyjson_mut_obj_add_str(doc, object, "standing", row_standing(row));
    json_add(doc, object, "word", standing_word(&row->run, row->alive));
    yyjson_mut_obj_add_uint(doc, object, "created_ms", row->run.created_ms);
    yyjson_mut_obj_add_uint(doc, object, "updated_ms", row->run.updated_ms);
}

/* ---- choosing ---- */

/* Whether a word is one of a list with commas between; NULL: any is. */
static bool is_listed(const char *list, const char *word)
{
    struct str rest = str_of(list ? list : ""), item;

    if (!list) return true;
    while (str_cut(&rest, ',', &item)) {
        if (str_is(str_trim(item), word)) return true;
    }
    return false;
}

static bool state_fits(const char *states, const struct run_row *row)
{
    bool ended = standing_of(&row->run, row->alive) == STANDING_ENDED;

    return is_listed(states, row_standing(row)) ||
           (ended && (is_listed(states, reason_word(row->run.reason)) ||
                      is_listed(states, "ended")));
}

static bool agents_fit(const char *agents, const struct run_sums *sums)
{
    if (!agents) return true;
    for (uint32_t i = 0; i < sums->agent_count; i++) {
        if (is_listed(agents, sums->agents[i])) return true;
    }
    return false;
}

int runs_query_check(const struct runs_query *query, const char *prefix, struct err *err)
{
    static const char *const standings[] = { "running", "waiting", "crashed", "ended", NULL };
    struct str rest = str_of(query->state ? query->state : ""), item;

    while (str_cut(&rest, ',', &item)) {
        bool known = false;

        item = str_trim(item);
        for (uint32_t i = 0; standings[i]; i++) known = known || str_is(item, standings[i]);
        for (uint32_t i = REASON_NONE + 1; i < REASON_COUNT; i++) {
            known = known || str_is(item, reason_word((enum reason)i));
        }
        if (known) continue;
        return err_set(err, ERR_USAGE, "%sstate %.60s: there are running, waiting, crashed, ended, "
                       "and the reasons of ends, such as clean", prefix, query->state);
    }
    return 0;
}

bool row_fits(const struct run_row *row, const struct runs_query *query)
{
    return state_fits(query->state, row) && is_listed(query->dialect, row->run.dialect) &&
           is_listed(query->branch, row->sums.branch ? row->sums.branch : "") &&
           agents_fit(query->agent, &row->sums);
}

bool slice_takes(const struct slice *slice, uint32_t at)
{
    return at >= slice->from && (slice->count == 0 || at - slice->from < slice->count);
}

/* ---- what there is ---- */

struct words {
    const char **items;
    uint32_t count, cap;
};

static void words_add(struct words *words, const char *word)
{
    for (uint32_t i = 0; i < words->count; i++) {
        if (strcmp(words->items[i], word) == 0) return;
    }
    words->items = mem_grow(words->items, words->count, &words->cap, sizeof *words->items);
    words->items[words->count++] = word;
}

static int compare_words(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static void words_json(struct words *words, const char *key, yyjson_mut_doc *doc,
                       yyjson_mut_val *root)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, key);

    if (words->count > 0) qsort(words->items, words->count, sizeof(char *), compare_words);
    for (uint32_t i = 0; i < words->count; i++) {
        yyjson_mut_arr_append(list, json_text(doc, str_of(words->items[i])));
    }
    free(words->items);
}

static void choices_json(const struct run_row *const *rows, uint32_t count, yyjson_mut_doc *doc,
                         yyjson_mut_val *root)
{
    struct words dialects_seen = { 0 }, branches = { 0 }, agents = { 0 }, states = { 0 };

    for (uint32_t i = 0; i < count; i++) {
        const struct run_row *row = rows[i];

        words_add(&dialects_seen, row->run.dialect);
        words_add(&states, row_standing(row));
        if (standing_of(&row->run, row->alive) == STANDING_ENDED) {
            words_add(&states, reason_word(row->run.reason));
        }
        if (row->sums.branch && *row->sums.branch) words_add(&branches, row->sums.branch);
        for (uint32_t k = 0; k < row->sums.agent_count; k++) {
            words_add(&agents, row->sums.agents[k]);
        }
    }
    words_json(&dialects_seen, "dialects", doc, root);
    words_json(&branches, "branches", doc, root);
    words_json(&agents, "agents", doc, root);
    words_json(&states, "states", doc, root);
}

void document_runs(const struct run_row *const *rows, uint32_t count,
                   const struct runs_query *query, row_more *more, const void *context,
                   yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *runs = yyjson_mut_obj_add_arr(doc, root, "runs");
    uint32_t total = 0;

    for (uint32_t i = 0; i < count; i++) {
        yyjson_mut_val *object;

        if (!row_fits(rows[i], query)) continue;
        if (!slice_takes(&query->slice, total++)) continue;
        object = yyjson_mut_arr_add_obj(doc, runs);
        look_describe(doc, object, &rows[i]->run, rows[i]->alive);
        document_row(rows[i], doc, object);
        if (more) more(context, i, doc, object);
    }
    yyjson_mut_obj_add_uint(doc, root, "total", total);
    yyjson_mut_obj_add_uint(doc, root, "from", query->slice.from);
    choices_json(rows, count, doc, root);
}
