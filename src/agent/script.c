/* SPDX-License-Identifier: Apache-2.0
 *
 * script.c - backend script:FILE: plays outputs from a file, for tests and demonstrations.
 *
 * A script is JSON lines; blank lines do not count. Each line is an object: matchers, and what
 * to play.
 *
 *     {"role": "critic", "round": 1, "answer": {"summary": "...", "issues": []}}
 *     {"role": "review-fixer", "attempt": 1, "exit": 7}
 *     {"answer": "nothing to add"}
 *
 *     role, phase, task       a text the attempt must have, letter for letter
 *     iteration, round, attempt, copy    a number it must have
 *     answer                  a string: the answer, byte for byte; any other value: its JSON
 *     exit                    1 to 255: the agent fails with this status
 *
 * 1. A matcher that is left out fits everything.
 * 2. The first line whose matchers all fit is played; a line can be played any number of times.
 * 3. Each line has answer or exit, never both, and no member that is not named above: a slip in
 *    a script is said before the run starts, not found in its tenth round.
 * 4. Nothing fits: the agent failed, and the message says what was looked for.
 *
 * Not here: changes to the tree. A script has no side effects; a fixer that edits is a cmd:. */
#include "agent/script.h"

#include "agent/backends.h"
#include "format/json/json.h"
#include "format/stream/lines.h"
#include "format/text/safe.h"
#include "io/file/file.h"

#include <inttypes.h>
#include <string.h>

enum member { M_ROLE, M_PHASE, M_TASK, M_ITERATION, M_ROUND, M_ATTEMPT, M_COPY, M_ANSWER,
              M_EXIT, M_EVIDENCE, MEMBER_COUNT };

static const struct {
    const char *name;
    enum { A_TEXT, A_NUMBER, A_STATUS, A_VALUE, A_LIST } type;
} members[MEMBER_COUNT] = {
    [M_ROLE]    = { "role",    A_TEXT },
    [M_PHASE]   = { "phase",   A_TEXT },
    [M_TASK]    = { "task",    A_TEXT },
    [M_ITERATION] = { "iteration", A_NUMBER },
    [M_ROUND]   = { "round",   A_NUMBER },
    [M_ATTEMPT] = { "attempt", A_NUMBER },
    [M_COPY]    = { "copy",    A_NUMBER },
    [M_ANSWER]  = { "answer",  A_VALUE },
    [M_EXIT]    = { "exit",    A_STATUS },
    [M_EVIDENCE] = { "evidence", A_LIST },
};

/* One line, read. Values are NULL where the line does not have them. */
struct cue {
    yyjson_doc *doc;
    yyjson_val *values[MEMBER_COUNT];
};

static void cue_release(struct cue *cue)
{
    yyjson_doc_free(cue->doc);
    *cue = (struct cue){ 0 };
}

static int member_check(enum member member, yyjson_val *value, struct err *err)
{
    const char *name = members[member].name;

    switch (members[member].type) {
    case A_TEXT:
        if (yyjson_is_str(value)) return 0;
        return err_set(err, ERR_USAGE, "\"%s\" wants a string", name);
    case A_NUMBER:
        if (yyjson_is_uint(value) && yyjson_get_uint(value) <= UINT32_MAX) return 0;
        return err_set(err, ERR_USAGE, "\"%s\" wants a whole number", name);
    case A_STATUS:
        if (yyjson_is_uint(value) && yyjson_get_uint(value) - 1 < 255) return 0;
        return err_set(err, ERR_USAGE, "\"%s\" wants a number from 1 to 255", name);
    case A_LIST:
        if (yyjson_is_arr(value)) return 0;
        return err_set(err, ERR_USAGE, "\"%s\" wants a list of paths", name);
    case A_VALUE:
        break;
    }
    return 0;
}

static int member_unknown(struct str name, struct err *err)
{
    struct buf shown;
    int rc;

    buf_init(&shown, 256);
    safe_text(&shown, name, true, 60);
    rc = err_set(err, ERR_USAGE, "unknown member \"%s\"; there are role, phase, task, iteration, "
                 "round, attempt, copy, answer, exit, evidence", buf_cstr(&shown));
    buf_release(&shown);
    return rc;
}

static int member_take(struct cue *cue, yyjson_val *key, struct err *err)
{
    struct str name = { yyjson_get_str(key), yyjson_get_len(key) };

    for (uint32_t i = 0; i < MEMBER_COUNT; i++) {
        if (!str_is(name, members[i].name)) continue;
        if (cue->values[i]) return err_set(err, ERR_USAGE, "\"%s\" twice", members[i].name);
        cue->values[i] = yyjson_obj_iter_get_val(key);
        return member_check((enum member)i, cue->values[i], err);
    }
    return member_unknown(name, err);
}

static int cue_read(struct cue *cue, struct str line, struct err *err)
{
    yyjson_obj_iter iter;
    yyjson_val *key;
    struct err problem;
    int rc;

    *cue = (struct cue){ 0 };
    if (json_read(line, &cue->doc, &problem) != 0) {
        /* The caller names the script's line: the JSON reader's own place is cut off. */
        const char *text = strstr(problem.text, ": ");
        return err_set(err, ERR_USAGE, "not JSON: %s", text ? text + 2 : problem.text);
    }
    if (!yyjson_is_obj(yyjson_doc_get_root(cue->doc))) {
        rc = err_set(err, ERR_USAGE, "not a JSON object");
        goto fail;
    }
    yyjson_obj_iter_init(yyjson_doc_get_root(cue->doc), &iter);
    while ((key = yyjson_obj_iter_next(&iter))) {
        rc = member_take(cue, key, err);
        if (rc != 0) goto fail;
    }
    if (!cue->values[M_ANSWER] == !cue->values[M_EXIT]) {
        rc = err_set(err, ERR_USAGE, "a line has \"answer\" or \"exit\", and only one of them");
        goto fail;
    }
    return 0;

fail:
    cue_release(cue);
    return rc;
}

static bool text_fits(yyjson_val *wanted, const char *has)
{
    struct str text = { yyjson_get_str(wanted), yyjson_get_len(wanted) };

    return !wanted || str_is(text, has);
}

static bool number_fits(yyjson_val *wanted, uint32_t has)
{
    return !wanted || yyjson_get_uint(wanted) == has;
}

static bool cue_fits(const struct cue *cue, const struct attempt *attempt)
{
    return text_fits(cue->values[M_ROLE], attempt->role) &&
           text_fits(cue->values[M_PHASE], attempt->phase) &&
           text_fits(cue->values[M_TASK], attempt->task_id ? attempt->task_id : "") &&
           number_fits(cue->values[M_ITERATION], attempt->iteration) &&
           number_fits(cue->values[M_ROUND], attempt->round) &&
           number_fits(cue->values[M_ATTEMPT], attempt->attempt) &&
           number_fits(cue->values[M_COPY], attempt->copy);
}

static void cue_evidence(const struct cue *cue, struct buf *evidence)
{
    yyjson_arr_iter items = yyjson_arr_iter_with(cue->values[M_EVIDENCE]);
    yyjson_val *item;

    while (evidence && (item = yyjson_arr_iter_next(&items))) {
        buf_add(evidence, json_value(item));
        buf_byte(evidence, '\n');
    }
}

static void cue_answer(const struct cue *cue, struct buf *answer, int *exit_code)
{
    yyjson_val *value = cue->values[M_ANSWER];
    yyjson_mut_doc *doc;

    *exit_code = (int)yyjson_get_uint(cue->values[M_EXIT]);
    if (!value) return;
    if (yyjson_is_str(value)) {
        buf_add(answer, (struct str){ yyjson_get_str(value), yyjson_get_len(value) });
        return;
    }
    doc = json_new();
    yyjson_mut_doc_set_root(doc, yyjson_val_mut_copy(doc, value));
    json_write(doc, true, answer);
    yyjson_mut_doc_free(doc);
}

/* Reads the lines in order. With an attempt: *found and out is the first that fits, to be
 * released. Without: reads them all. */
static int script_walk(struct str text, const char *name, const struct attempt *attempt,
                       struct cue *out, bool *found, struct err *err)
{
    struct lines lines;
    struct str line;
    uint64_t number = 0, cues = 0;
    int rc = 0;

    *found = false;
    lines_init(&lines, SCRIPT_BYTES_MAX);
    while (lines_next(&lines, &text, &line) || lines_last(&lines, &line)) {
        number++;
        if (str_trim(line).size == 0) continue;
        cues++;
        rc = cue_read(out, line, err);
        if (rc != 0) {
            rc = err_wrap(err, "%s:%" PRIu64, name, number);
            break;
        }
        *found = attempt && cue_fits(out, attempt);
        if (*found) break;
        cue_release(out);
    }
    if (rc == 0 && !*found && lines.skipped > 0) {
        rc = err_set(err, ERR_USAGE, "%s: a line is too long", name);
    }
    if (rc == 0 && cues == 0) rc = err_set(err, ERR_USAGE, "%s: the script has no lines", name);
    lines_release(&lines);
    return rc;
}

int script_check(struct str text, const char *name, struct err *err)
{
    struct cue cue;
    bool found;

    return script_walk(text, name, NULL, &cue, &found, err);
}

int script_play(struct str text, const char *name, const struct attempt *attempt,
                struct buf *answer, int *exit_code, struct err *err)
{
    struct cue cue = { 0 };
    bool found;
    int rc = script_walk(text, name, attempt, &cue, &found, err);

    if (rc != 0) return rc;
    if (!found) {
        return err_set(err, ERR_FAILED,
                       "%s: no line fits role %s, phase %s, round %u, attempt %u, copy %u", name,
                       attempt->role, attempt->phase, attempt->round, attempt->attempt,
                       attempt->copy);
    }
    cue_answer(&cue, answer, exit_code);
    cue_evidence(&cue, attempt->shown);
    cue_release(&cue);
    if (answer->overflow) return err_set(err, ERR_LIMIT, "%s: the answer is too long", name);
    return 0;
}

static int backend_check(const struct agent *agent, struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, SCRIPT_BYTES_MAX);
    rc = file_read(agent->argument, &text, err);
    if (rc == 0) rc = script_check(buf_str(&text), agent->argument, err);
    buf_release(&text);
    return rc;
}

static int backend_play(const struct agent *agent, const struct attempt *attempt,
                        struct buf *answer, int *exit_code, struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, SCRIPT_BYTES_MAX);
    rc = file_read(agent->argument, &text, err);
    if (rc == 0) rc = script_play(buf_str(&text), agent->argument, attempt, answer, exit_code, err);
    buf_release(&text);
    return rc;
}

const struct backend backend_script = {
    .name = "script",
    .argument = "FILE",
    .argument_needed = true,
    .argument_is_file = true,
    .help = "plays answers from a file of JSON lines, for tests and demonstrations; a relative "
            "FILE is taken from the current directory",
    .check = backend_check,
    .play = backend_play,
};
