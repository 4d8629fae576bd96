/* SPDX-License-Identifier: Apache-2.0
 *
 * choose.c - keys, as changes of what is chosen.
 *
 *     TOP_RUNS --Enter--> TOP_RUN --Enter--> TOP_ATTEMPT
 *        ^                   |  ^                 |
 *        '-------Esc---------'  '-------Esc-------'
 *
 *     prompts:  none --/--> SEARCH --Enter, Esc--> none
 *               none --s, r--> CONFIRM --y--> performed; any other key: none
 *               none --a--> CHOOSE --a choice's letter--> CONFIRM
 *
 * 1. A row is marked by its name, not by its number: a run that comes or goes marks no other.
 * 2. Nothing is performed without a question that y answers, and nothing at all where the model is
 *    read_only.
 * 3. What a key cannot do is said in words. */
#include "top/choose.h"

#include "base/byte.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *top_filter_word(enum top_filter filter)
{
    static const char *const words[TOP_FILTER_COUNT] = {
        [TOP_ALL] = "all runs", [TOP_AT_WORK] = "at work", [TOP_ASKING] = "waiting",
        [TOP_LEFT] = "findings left",
    };

    return words[filter];
}

/* ---- what is shown ---- */

bool top_holds(const struct top_state *state, struct str text)
{
    struct str word = str_of(state->word[state->page]);

    for (size_t at = 0; at + word.size <= text.size; at++) {
        size_t same = 0;
        while (same < word.size &&
               byte_small(text.data[at + same]) == byte_small(word.data[same])) same++;
        if (same == word.size) return true;
    }
    return false;
}

static bool holds_one(const struct top_state *state, const char *const *texts, uint32_t count)
{
    if (!state->word[state->page][0]) return true;
    for (uint32_t i = 0; i < count; i++) {
        if (texts[i] && top_holds(state, str_of(texts[i]))) return true;
    }
    return false;
}

static bool fits_filter(const struct top_run *run, enum top_filter filter)
{
    switch (filter) {
    case TOP_AT_WORK:
        return run->standing == TOP_RUNNING;
    case TOP_ASKING:
        return run->standing == TOP_WAITING || run->standing == TOP_CRASHED;
    case TOP_LEFT:
        return run->known && run->left > 0;
    case TOP_ALL:
    case TOP_FILTER_COUNT:
        break;
    }
    return true;
}

uint32_t top_runs_shown(const struct top_state *state, const struct top_model *model,
                        uint32_t *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < model->run_count; i++) {
        const struct top_run *run = &model->runs[i];
        const char *texts[] = { run->id, run->dialect, run->state, run->task, run->folder };

        if (!fits_filter(run, state->filter)) continue;
        if (state->page == TOP_RUNS && !holds_one(state, texts, 5)) continue;
        out[count++] = i;
    }
    return count;
}

uint32_t top_attempts_shown(const struct top_state *state, const struct top_model *model,
                            uint32_t *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < model->detail.attempt_count; i++) {
        const struct top_attempt *attempt = &model->detail.attempts[i];
        const char *texts[] = { attempt->name, attempt->row.role, attempt->row.spec,
                                attempt->phase, attempt->task };

        if (state->page == TOP_RUN && !holds_one(state, texts, 5)) continue;
        out[count++] = i;
    }
    return count;
}

/* The list of the page: how many rows; *which: those of the model, to be freed, where it is one of
 * runs or attempts. */
static uint32_t rows_of(const struct top_state *state, const struct top_model *model,
                        uint32_t **which)
{
    *which = NULL;
    switch (state->page) {
    case TOP_RUNS:
        *which = mem_alloc((model->run_count + 1) * sizeof **which);
        return top_runs_shown(state, model, *which);
    case TOP_RUN:
        *which = mem_alloc((model->detail.attempt_count + 1) * sizeof **which);
        return top_attempts_shown(state, model, *which);
    case TOP_ATTEMPT:
    case TOP_PAGE_COUNT:
        break;
    }
    return 0;
}

/* ---- the marked row ---- */

static void note_marked(struct top_state *state, const struct top_model *model,
                        const uint32_t *which, uint32_t count)
{
    uint32_t at = state->lists[state->page].at;

    if (at >= count) return;
    if (state->page == TOP_RUNS) {
        snprintf(state->run, sizeof state->run, "%s", model->runs[which[at]].id);
        state->repository = model->runs[which[at]].repository;
    } else {
        snprintf(state->attempt, sizeof state->attempt, "%s",
                 model->detail.attempts[which[at]].name);
    }
}

static bool is_marked(const struct top_state *state, const struct top_model *model, uint32_t row)
{
    if (state->page == TOP_RUNS) {
        return strcmp(model->runs[row].id, state->run) == 0 &&
               model->runs[row].repository == state->repository;
    }
    return strcmp(model->detail.attempts[row].name, state->attempt) == 0;
}

void top_settle(struct top_state *state, const struct top_model *model)
{
    struct top_list *list = &state->lists[state->page];
    uint32_t *which, count = rows_of(state, model, &which);

    if (which) {
        for (uint32_t i = 0; i < count; i++) {
            if (is_marked(state, model, which[i])) list->at = i;
        }
        if (list->at >= count) list->at = count > 0 ? count - 1 : 0;
        note_marked(state, model, which, count);
    }
    free(which);
}

static void move(struct top_state *state, const struct top_model *model, int64_t by)
{
    struct top_list *list = &state->lists[state->page];
    uint32_t *which, count = rows_of(state, model, &which);
    int64_t at = (int64_t)list->at + by;

    if (state->page == TOP_ATTEMPT) { /* the drawing knows how many rows there are */
        state->ends[TOP_ATTEMPT] = false;
        list->at = at < 0 ? 0 : at > INT32_MAX ? INT32_MAX : (uint32_t)at;
        return;
    }
    if (at >= (int64_t)count) at = (int64_t)count - 1;
    list->at = at < 0 ? 0 : (uint32_t)at;
    note_marked(state, model, which, count);
    free(which);
}

/* ---- acts ---- */

const struct top_run *top_chosen(const struct top_state *state, const struct top_model *model)
{
    if (state->page != TOP_RUNS) return model->detail.run.id ? &model->detail.run : NULL;
    for (uint32_t i = 0; i < model->run_count; i++) {
        if (is_marked(state, model, i)) return &model->runs[i];
    }
    return NULL;
}

bool top_may(const struct top_state *state, const struct top_model *model, enum top_act act,
             const char **why)
{
    const struct top_run *run = top_chosen(state, model);

    *why = NULL;
    if (model->read_only) *why = "nothing is changed from here: --read-only was given";
    else if (!run) *why = "no run is marked";
    else if (act == TOP_STOP && run->standing != TOP_RUNNING) *why = "this run is not at work";
    else if (act == TOP_RESUME && run->standing == TOP_RUNNING) *why = "this run is at work";
    else if (act == TOP_RESUME && run->over) *why = "this run is over: nothing of it is left to do";
    else if (act == TOP_ANSWER && state->page == TOP_RUNS) {
        *why = "open the run with Enter: there is the question";
    } else if (act == TOP_ANSWER && model->detail.choice_count == 0) {
        *why = "this run asks nothing";
    }
    return *why == NULL;
}

static void say(struct top_state *state, const char *text)
{
    snprintf(state->said, sizeof state->said, "%.190s", text);
    state->said_bad = true;
}

static void begin_act(struct top_state *state, const struct top_model *model, enum top_act act)
{
    const char *why;

    if (!top_may(state, model, act, &why)) {
        say(state, why);
        return;
    }
    state->act = act;
    state->prompt = act == TOP_ANSWER ? TOP_CHOOSE : TOP_CONFIRM;
}

/* ---- prompts ---- */

static void type(struct top_state *state, struct top_key key)
{
    char *word = state->word[state->page];
    size_t size = strlen(word);

    if (key.kind == TOP_KEY_TEXT && size + strlen(key.text) < TOP_WORD_BYTES_MAX) {
        memcpy(word + size, key.text, strlen(key.text) + 1);
    } else if (key.kind == TOP_KEY_ERASE) {
        while (size > 0 && ((unsigned char)word[--size] & 0xc0) == 0x80) {}
        word[size] = '\0';
    } else if (key.kind == TOP_KEY_ENTER || key.kind == TOP_KEY_ESCAPE) {
        if (key.kind == TOP_KEY_ESCAPE) word[0] = '\0';
        state->prompt = TOP_NO_PROMPT;
    }
}

static enum top_step answer_prompt(struct top_state *state, const struct top_model *model,
                                   struct top_key key)
{
    bool yes = key.kind == TOP_KEY_TEXT && (key.text[0] == 'y' || key.text[0] == 'Y');

    if (state->prompt == TOP_SEARCH) {
        type(state, key);
        top_settle(state, model);
        return TOP_STAY;
    }
    if (state->prompt == TOP_CHOOSE) {
        state->prompt = TOP_NO_PROMPT;
        for (uint32_t i = 0; i < model->detail.choice_count && key.kind == TOP_KEY_TEXT; i++) {
            if (key.text[0] != model->detail.choices[i].word[0]) continue;
            state->choice = i;
            state->prompt = TOP_CONFIRM;
        }
        return TOP_STAY;
    }
    state->prompt = TOP_NO_PROMPT;
    if (!yes) say(state, "not done");
    return yes ? TOP_PERFORM : TOP_STAY;
}

/* ---- keys ---- */

static void open_row(struct top_state *state, const struct top_model *model)
{
    if (state->page == TOP_RUNS && top_chosen(state, model)) {
        state->page = TOP_RUN;
        state->attempt[0] = '\0';
        state->lists[TOP_RUN] = (struct top_list){ 0 };
        state->word[TOP_RUN][0] = '\0';
    } else if (state->page == TOP_RUN && state->attempt[0]) {
        state->page = TOP_ATTEMPT;
        state->lists[TOP_ATTEMPT] = (struct top_list){ 0 };
        state->ends[TOP_ATTEMPT] = true;
        state->word[TOP_ATTEMPT][0] = '\0';
    }
}

/* Back by one step: the help, what was typed, the page. */
static void go_back(struct top_state *state, const struct top_model *model)
{
    if (state->help) state->help = false;
    else if (state->word[state->page][0]) state->word[state->page][0] = '\0';
    else if (state->page > TOP_RUNS) state->page--;
    top_settle(state, model);
}

static enum top_step text_pressed(struct top_state *state, const struct top_model *model, char key)
{
    switch (key) {
    case 'q':
        return TOP_QUIT;
    case '?':
        state->help = !state->help;
        break;
    case 'j':
        move(state, model, 1);
        break;
    case 'k':
        move(state, model, -1);
        break;
    case 'g':
        move(state, model, INT32_MIN);
        break;
    case 'G':
        move(state, model, INT32_MAX);
        state->ends[state->page] = true;
        break;
    case ' ':
        move(state, model, state->page_rows);
        break;
    case '/':
        state->prompt = TOP_SEARCH;
        break;
    case 'f':
        if (state->page != TOP_RUNS) break;
        state->filter = (enum top_filter)((state->filter + 1) % TOP_FILTER_COUNT);
        top_settle(state, model);
        break;
    case 's':
        begin_act(state, model, TOP_STOP);
        break;
    case 'r':
        begin_act(state, model, TOP_RESUME);
        break;
    case 'a':
        begin_act(state, model, TOP_ANSWER);
        break;
    }
    return TOP_STAY;
}

enum top_step top_key(struct top_state *state, const struct top_model *model, struct top_key key)
{
    int64_t page = state->page_rows > 1 ? state->page_rows - 1 : 1;

    state->said[0] = '\0';
    if (state->prompt != TOP_NO_PROMPT) return answer_prompt(state, model, key);
    if (state->help && key.kind != TOP_KEY_NONE && key.text[0] != 'q') {
        state->help = false;
        return TOP_STAY;
    }
    switch (key.kind) {
    case TOP_KEY_TEXT:
        return text_pressed(state, model, key.text[1] ? '\0' : key.text[0]);
    case TOP_KEY_UP:
        move(state, model, -1);
        break;
    case TOP_KEY_DOWN:
        move(state, model, 1);
        break;
    case TOP_KEY_PAGE_UP:
        move(state, model, -page);
        break;
    case TOP_KEY_PAGE_DOWN:
        move(state, model, page);
        break;
    case TOP_KEY_HOME:
        move(state, model, INT32_MIN);
        break;
    case TOP_KEY_END:
        move(state, model, INT32_MAX);
        state->ends[state->page] = true;
        break;
    case TOP_KEY_ENTER:
    case TOP_KEY_RIGHT:
        open_row(state, model);
        break;
    case TOP_KEY_ESCAPE:
    case TOP_KEY_LEFT:
    case TOP_KEY_ERASE:
        go_back(state, model);
        break;
    case TOP_KEY_NONE:
        break;
    }
    return TOP_STAY;
}
