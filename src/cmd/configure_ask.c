/* SPDX-License-Identifier: Apache-2.0
 *
 * configure_ask.c - the questions of `hone configure iterate`, asked of a person or of a pipe.
 *
 * 1. An answer is the number of an option, its word or the beginning of it that fits no other, or
 *    nothing: that keeps what holds now. For retries any larger number is itself meant.
 * 2. What does not fit is asked again; a pipe that never fits is given up after a few times.
 * 3. A question whose answer has no effect under those before it is not asked (iterate_matters()).
 * 4. An input that ends before the last answer has answered nothing. */
#include "cmd/configure.h"

#include "base/byte.h"
#include "format/text/safe.h"
#include "io/file/line.h"

#include <inttypes.h>
#include <stdio.h>

enum { LINE_BYTES_MAX = 256, WRONG_MAX = 3, OPTIONS_MAX = 5, CUSTOM = UINT32_MAX - 1 };

struct option_row {
    const char *word, *label;
    uint32_t number;
};

struct question_row {
    const char *text;
    const char *restart_text; /* where onFailure is restart, which knows no retries; or NULL */
    enum iterate_field field;
    struct option_row options[OPTIONS_MAX + 1]; /* word NULL ends */
};

/* In the order in which they are asked. */
static const struct question_row questions[] = {
    { .text = "What should happen when issues are found?",
      .field = FIELD_ON_FAILURE,
      .options = { { "restart", "Restart iteration (go back to Phase 1)", FAIL_RESTART },
                   { "mini-loop", "Mini-loop (fix and re-review within phase)", FAIL_REPAIR },
                   { "proceed", "Proceed (note issues, continue anyway)", FAIL_PROCEED },
                   { "stop", "Stop (halt workflow)", FAIL_STOP } } },
    { .text = "Minimum severity that causes failure?",
      .field = FIELD_FAIL_ON_SEVERITY,
      .options = { { "LOW", "LOW (any issue fails) [default]", SEVERITY_LOW },
                   { "MEDIUM", "MEDIUM (MEDIUM and HIGH fail)", SEVERITY_MEDIUM },
                   { "HIGH", "HIGH (only HIGH fails)", SEVERITY_HIGH },
                   { "NONE", "NONE (never fail)", THRESHOLD_NONE } } },
    { .text = "Enable parallel agents for fixing issues?",
      .field = FIELD_PARALLEL_FIXES,
      .options = { { "yes", "Yes (recommended)", 1 }, { "no", "No", 0 } } },
    { .text = "Retry limit for mini-loop?",
      .field = FIELD_MAX_RETRIES,
      .options = { { "10 retries", "10 retries (default)", 10 },
                   { "5 retries", "5 retries", 5 },
                   { "3 retries", "3 retries", 3 },
                   { "no limit", "No limit", NO_BOUND },
                   { "custom", "Custom", CUSTOM } } },
    { .text = "What happens when retry limit is reached?",
      .restart_text = "What happens when no iteration is left to restart?",
      .field = FIELD_ON_MAX_RETRIES,
      .options = { { "stop", "Stop workflow (default)", BOUND_STOP },
                   { "ask", "Ask me what to do", BOUND_ASK },
                   { "restart", "Restart iteration", BOUND_RESTART },
                   { "proceed", "Proceed with issues noted", BOUND_PROCEED } } },
};

void asker_init(struct asker *asker, bool quiet)
{
    *asker = (struct asker){ .terminal = line_can_ask(), .quiet = quiet };
    buf_init(&asker->line, LINE_BYTES_MAX);
}

void asker_release(struct asker *asker)
{
    buf_release(&asker->line);
}

/* ---- one answer ---- */

static void show(const struct asker *asker, const char *text)
{
    if (!asker->quiet || asker->terminal) fputs(text, stderr);
}

/* The next line, trimmed. A last one without a line end is an answer, too. */
static int read_line(struct asker *asker, struct str *out, struct err *err)
{
    bool more;

    buf_clear(&asker->line);
    more = line_read(&asker->line, -1);
    if (!asker->terminal) show(asker, "\n");
    *out = asker->line.overflow ? STR("?") : str_trim(buf_str(&asker->line));
    if (more || asker->line.size > 0) return 0;
    return err_set(err, ERR_USAGE, "the answers ended before the last question; nothing was saved");
}

/* Says what would fit; an error once that was of no use too often. */
static int wrong(const struct asker *asker, struct str answer, const char *wanted, uint32_t *count,
                 struct err *err)
{
    struct buf shown;
    int rc = 0;

    buf_init(&shown, 4 * LINE_BYTES_MAX);
    safe_text(&shown, answer, true, 60);
    if (!asker->terminal && ++*count == WRONG_MAX) {
        rc = err_set(err, ERR_USAGE, "'%s' does not fit: %s; nothing was saved", buf_cstr(&shown),
                     wanted);
    } else {
        fprintf(stderr, "  '%s' does not fit: %s\n", buf_cstr(&shown), wanted);
    }
    buf_release(&shown);
    return rc;
}

static bool same_letters(struct str a, struct str b)
{
    for (size_t i = 0; i < a.size; i++) {
        char x = a.data[i], y = b.data[i];
        x = byte_small(x);
        y = byte_small(y);
        if (x != y) return false;
    }
    return true;
}

/* The option that is meant by its number, its word or the beginning of it; NULL: none. */
static const struct option_row *option_meant(const struct option_row *options, struct str answer)
{
    const struct option_row *found = NULL;
    uint32_t count = 0, fits = 0;
    uint64_t number;

    while (options[count].word) count++;
    if (str_number(answer, &number) && number >= 1 && number <= count) return &options[number - 1];
    for (uint32_t i = 0; i < count; i++) {
        struct str word = str_of(options[i].word);
        if (answer.size > word.size || !same_letters(answer, word)) continue;
        if (answer.size == word.size) return &options[i];
        found = &options[i];
        fits++;
    }
    return fits == 1 ? found : NULL;
}

/* ---- questions ---- */

struct asking {
    const char *text;
    const struct option_row *options;
    uint32_t fallback;  /* what holds now; an empty answer keeps it */
    bool takes_number;  /* any number larger than the options' is an answer */
};

struct answered {
    uint32_t number; /* the option's, or the one that was answered */
    bool given;      /* false: the answer was empty */
};

static void show_options(const struct asker *asker, const struct asking *asking, uint32_t *count)
{
    char line[256];

    snprintf(line, sizeof line, "  %s\n", asking->text);
    show(asker, line);
    for (*count = 0; asking->options[*count].word; ++*count) {
        snprintf(line, sizeof line, "    %" PRIu32 "  %s\n", *count + 1,
                 asking->options[*count].label);
        show(asker, line);
    }
}

/* "1-4 [2]: ", or what holds now where it is none of these. */
static void show_prompt(const struct asker *asker, const struct asking *asking, uint32_t count)
{
    uint32_t kept = 0;
    char line[64];

    while (kept < count && asking->options[kept].number != asking->fallback) kept++;
    if (kept < count) {
        snprintf(line, sizeof line, "  1-%" PRIu32 " [%" PRIu32 "]: ", count, kept + 1);
    } else {
        snprintf(line, sizeof line, "  1-%" PRIu32 " [keep %" PRIu32 "]: ", count,
                 asking->fallback);
    }
    show(asker, line);
}

static int ask(struct asker *asker, const struct asking *asking, struct answered *out,
               struct err *err)
{
    uint32_t count, wrongs = 0;
    char wanted[128];
    int rc;

    show_options(asker, asking, &count);
    snprintf(wanted, sizeof wanted, "answer with a number from 1 to %" PRIu32 ", the word, or "
             "nothing to keep what holds now", count);
    do {
        const struct option_row *option;
        struct str answer;
        uint64_t number;

        show_prompt(asker, asking, count);
        rc = read_line(asker, &answer, err);
        if (rc != 0) return rc;
        *out = (struct answered){ .number = asking->fallback, .given = answer.size > 0 };
        if (!out->given) return 0;
        option = option_meant(asking->options, answer);
        if (option) {
            out->number = option->number;
            return 0;
        }
        if (asking->takes_number && str_number(answer, &number) && number <= RETRIES_MAX) {
            out->number = (uint32_t)number;
            return 0;
        }
        rc = wrong(asker, answer, wanted, &wrongs, err);
    } while (rc == 0);
    return rc;
}

static int ask_custom(struct asker *asker, uint32_t *chosen, struct err *err)
{
    uint32_t wrongs = 0;
    uint64_t number;
    struct str answer;
    int rc;

    for (;;) {
        show(asker, "  How many retries? ");
        rc = read_line(asker, &answer, err);
        if (rc != 0) return rc;
        if (str_number(answer, &number) && number <= RETRIES_MAX) break;
        rc = wrong(asker, answer, "it must be a whole number from 0 to 1000000", &wrongs, err);
        if (rc != 0) return rc;
    }
    *chosen = (uint32_t)number;
    return 0;
}

static int ask_question(struct asker *asker, uint32_t phase, const struct question_row *question,
                        struct wishes *out, struct err *err)
{
    struct iterate_value *value = &out->values.fields[phase][question->field];
    const struct iterate_word *word = iterate_fields[question->field].words;
    bool restarts = out->values.fields[phase][FIELD_ON_FAILURE].number == FAIL_RESTART;
    struct answered answered;
    int rc = ask(asker, &(struct asking){
        .text = restarts && question->restart_text ? question->restart_text : question->text,
        .options = question->options,
        .fallback = value->number,
        .takes_number = question->field == FIELD_MAX_RETRIES,
    }, &answered, err);

    if (rc == 0 && answered.number == CUSTOM) rc = ask_custom(asker, &answered.number, err);
    if (rc != 0) return rc;
    out->given[phase][question->field] = answered.given;
    value->number = answered.number;
    for (; word && word->word; word++) {
        if (word->number == value->number) value->text = word->word;
    }
    return 0;
}

int ask_wishes(struct asker *asker, const struct iterate_config *now, struct wishes *out,
               struct err *err)
{
    static const uint32_t asked[] = { PHASE_PLAN_REVIEW, PHASE_CODE_REVIEW, PHASE_TEST,
                                      PHASE_FINAL_REVIEW };
    char line[128];
    int rc = 0;

    *out = (struct wishes){ .values = *now };
    show(asker, "An empty answer keeps what holds now, which stands in brackets.\n");
    for (uint32_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        snprintf(line, sizeof line, "\nPhase %" PRIu32 ": %s\n", asked[i],
                 iterate_phase_name(asked[i]));
        show(asker, line);
        for (uint32_t k = 0; rc == 0 && k < sizeof questions / sizeof *questions; k++) {
            const struct iterate_value *fields = out->values.fields[asked[i]];
            if (!iterate_matters(fields, asked[i], questions[k].field)) continue;
            rc = ask_question(asker, asked[i], &questions[k], out, err);
        }
        if (rc != 0) return rc;
    }
    return 0;
}

static const struct option_row places[] = {
    [PLACE_USER] = { "user", "User: ~/.claude/iterate-config.json, for all your projects",
                     PLACE_USER },
    [PLACE_PROJECT] = { "project", "Project: .claude/iterate-config.local.json, which wins",
                        PLACE_PROJECT },
    [PLACE_BOTH] = { "both", "Both", PLACE_BOTH },
    [PLACE_COUNT] = { NULL, NULL, 0 },
};

int ask_place(struct asker *asker, const bool exists[2], uint32_t *place, struct err *err)
{
    struct option_row options[] = { places[PLACE_USER], places[PLACE_PROJECT], { NULL, NULL, 0 } };
    struct answered answered = { 0 };
    int rc;

    show(asker, "\n");
    rc = ask(asker, &(struct asking){
        .text = "Where should this be saved?",
        .options = options,
        .fallback = exists[PLACE_PROJECT] ? PLACE_PROJECT : PLACE_USER,
    }, &answered, err);
    *place = answered.number;
    return rc;
}

int ask_reset(struct asker *asker, const bool exists[2], uint32_t *place, struct err *err)
{
    struct answered answered = { 0 };
    int rc = ask(asker, &(struct asking){
        .text = "Which settings should be reset?",
        .options = places,
        .fallback = exists[PLACE_USER] && exists[PLACE_PROJECT] ? PLACE_BOTH
                  : exists[PLACE_USER] ? PLACE_USER : PLACE_PROJECT,
    }, &answered, err);

    *place = answered.number;
    return rc;
}
