/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.c - what the end of an attempt means: an answer, judged by the dialect, or a failure.
 *
 * 1. Exit status 0 means answered. The answer is HONE_OUTPUT if the attempt wrote it, else its
 *    standard output, or what a stream of events there says (stream.c); what it reported by MCP
 *    (the file "report" in its folder) is an answer too. Anything else than status 0 is failed,
 *    never a verdict.
 * 2. Where an attempt answered and reported, both are judged and the worse counts; where they come
 *    to the same, the one that has more in it. Prose on standard output that is no answer at all
 *    does not speak against a report.
 * 3. What is judged is what is kept: answers and problems are masked first, so that no secret comes
 *    into the journal or a contract file; then the attempt's files are (transcript.c).
 * 4. Whoever the dialect asks only once is not asked again, unless it was we who stopped it or
 *    somebody else who changed its tree.
 *
 * Not here: whose answers count (attempt.c), roles that hone plays itself (builtin.c). */
#include "drive/drive.h"

#include "drive/transcript.h"
#include "format/finding_json.h"
#include "io/scratch.h"

#include <errno.h>
#include <string.h>

static struct event ended(const struct action *action)
{
    return (struct event){ .kind = EV_ENDED, .now_ms = now_wall_ms(), .job = action->job,
                           .attempt = action->attempt, .lane = action->lane };
}

static bool is_asked_once(const struct drive *drive, const struct action *action)
{
    const struct dialect *dialect = drive->run.dialect;

    return dialect->asked_once && !is_builtin(drive, action) &&
           dialect->asked_once(agent_of(drive, action)->backend->name,
                               drive->run.plan.roles[action->role].name);
}

/* What stays of it is in its folder, without secrets. */
static void attempt_settle(struct drive *drive, const struct live *live)
{
    struct err err = { 0 };

    prompt_file_remove(drive, &live->action);
    if (transcript_settle(live->dir, live->files & ~live->plain, &drive->mask, &err) != 0) {
        report_warning(&drive->report, "%s", err.text);
    }
}

/* The queued event gets its result, and the attempt is forgotten. */
static void attempt_over(struct drive *drive, struct live *live, struct event event)
{
    const struct backend *backend = agent_of(drive, &live->action)->backend;

    if (live->files == 0) live->files = scratch_holds(live->dir, attempt_files);
    if (live->files & FILE_BIT(FILE_CHILDREN)) children_add(live);
    event.result.usage = live->usage;
    event.result.by = str_of(backend->hosted && drive->host ? drive->host : backend->name);
    drive->queue[drive->queue_count - 1].event = event;
    if (!drive->counted) {
        attempt_settle(drive, live);
        report_ended(drive, live, &event);
    }
    *live = drive->live[--drive->live_count];
}

static struct str problem_copy(const struct drive *drive, const char *problem, struct arena *arena)
{
    return arena_copy(arena, mask_copy(&drive->mask, str_of(problem), arena));
}

void attempt_fail(struct drive *drive, struct live *live, enum failure failure, bool permanent,
                  const char *problem)
{
    attempt_fail_until(drive, live, failure, permanent, 0, problem);
}

void attempt_fail_until(struct drive *drive, struct live *live, enum failure failure,
                        bool permanent, uint64_t retry_at_ms, const char *problem)
{
    struct event event = ended(&live->action);
    struct arena *arena = drive_push(drive, event);
    bool once = failure != FAILURE_STOPPED && retry_at_ms == 0 && /* to wait is not to ask again */
                is_asked_once(drive, &live->action);

    event.result = (struct result){ .verdict = VERDICT_FAILED, .failure = failure,
                                    .permanent = permanent || once, .retry_at_ms = retry_at_ms };
    event.result.problem = problem_copy(drive, problem, arena);
    attempt_over(drive, live, event);
}

void attempt_void(struct drive *drive, struct live *live, bool blamed, const char *problem)
{
    struct event event = ended(&live->action);
    struct arena *arena = drive_push(drive, event);

    event.result.verdict = VERDICT_INVALID;
    event.result.permanent = blamed && is_asked_once(drive, &live->action);
    event.result.problem = problem_copy(drive, problem, arena);
    attempt_over(drive, live, event);
}

/* ---- answers ---- */

/* Edits are made or not made: one with a secret in it is not offered. */
static void finding_mask(const struct mask *mask, struct arena *arena, struct finding *finding)
{
    finding->text = mask_copy(mask, finding->text, arena);
    finding->evidence = mask_copy(mask, finding->evidence, arena);
    finding->suggestion = mask_copy(mask, finding->suggestion, arena);
    if (mask_text(mask, finding->fix, NULL)) finding->fix = (struct str){ "", 0 };
}

/* The answer of a reviewer that speaks no dialect. */
static void take_findings(const struct drive *drive, const struct run_view *view,
                          const struct action *action, struct str answer, struct arena *arena,
                          struct result *out)
{
    struct findings findings;
    struct err err = { 0 };

    if (findings_read(answer, arena, &findings, &err) != 0) {
        *out = (struct result){ .verdict = VERDICT_INVALID };
        out->problem = str_of(arena_printf(arena, "The answer is no list of findings: %s",
                                           err.text));
        return;
    }
    for (uint32_t i = 0; i < findings.count; i++) {
        finding_mask(&drive->mask, arena, &findings.items[i]);
    }
    drive->run.dialect->found(view, action, &(struct found){
        .findings = findings.items, .count = findings.count,
        .notes = findings.notes, .note_count = findings.note_count }, arena, out);
}

/* One text that may be the answer; a problem with reading it is the agent's problem. */
struct answer {
    struct str text;
    bool findings;       /* as JSON, in no dialect's form */
    int rc;              /* of reading it */
    const char *problem; /* and why */
};

static void answer_judge(const struct drive *drive, const struct run_view *view,
                         const struct action *action, const struct answer *answer,
                         struct arena *arena, struct result *out)
{
    *out = (struct result){ 0 };
    if (answer->rc != 0) {
        out->verdict = VERDICT_INVALID;
        out->problem = str_of(
            arena_printf(arena, "The answer could not be read: %s. Answer in at most %d MiB.",
                         answer->problem, ANSWER_BYTES_MAX >> 20));
    } else if (answer->findings) {
        take_findings(drive, view, action, answer->text, arena, out);
    } else {
        drive->run.dialect->judge(view, action, mask_copy(&drive->mask, answer->text, arena),
                                  arena, out);
    }
}

/* Whether the report, which comes to the same, has more in it: findings, or notes. */
static bool has_more(const struct result *report, const struct result *said)
{
    if (report->verdict != said->verdict || report->complete != said->complete ||
        report->stuck != said->stuck) {
        return false;
    }
    if (report->finding_count != said->finding_count) {
        return report->finding_count > said->finding_count;
    }
    return report->doc.size > said->doc.size;
}

/* Whether the report counts, and not what was said. Prose that is no answer, or has no marker where
 * the report has one, says nothing against it. */
static bool is_worse(const struct result *report, const struct result *said, bool prose)
{
    bool marked = report->complete || report->stuck;

    if (report->verdict > said->verdict || (report->stuck && !said->stuck)) return true;
    if (has_more(report, said)) return true;
    if (!prose) return false;
    return said->verdict == VERDICT_INVALID || (marked && !said->complete && !said->stuck);
}

/* Whether it is judged by a tree that is not there any more; a task's alone can go. */
static bool is_tree_gone(struct drive *drive, const struct live *live)
{
    if (drive->counted || !drive->run.dialect->wants_tree) return false;
    return !site_is_there(site_of(drive, live->action.lane));
}

/* answers[1], where there are two, is the report; prose: the first may be no answer at all. */
static void answers_judge(struct drive *drive, struct live *live, const struct answer *answers,
                          uint32_t count, bool prose)
{
    struct event event = ended(&live->action);
    struct arena *arena = drive_push(drive, event);
    struct run_view view = drive_view(drive, live->action.lane);
    struct round_tree tree = { 0 };
    struct str counted = answers[0].text;
    struct result first, second;

    view.backend = agent_of(drive, &live->action)->backend->name;
    if (is_tree_gone(drive, live)) {
        drive->queue_count--;
        arena_release(arena);
        attempt_fail(drive, live, FAILURE_EXIT, false, "its work tree was deleted");
        return;
    }
    if (round_look(drive, live, &tree) != 0) {
        drive->queue_count--; /* nothing is known of the tree: the resume judges it again */
        arena_release(arena);
        drive_break(drive);
        return;
    }
    view.tree = tree.known ? &tree.view : NULL;
    answer_judge(drive, &view, &live->action, &answers[0], arena, &first);
    if (count > 1) {
        answer_judge(drive, &view, &live->action, &answers[1], arena, &second);
        if (is_worse(&second, &first, prose)) {
            first = second;
            counted = answers[1].text;
        }
    }
    if (drive->counted) buf_add(drive->counted, counted);
    round_release(&tree);
    event.result = first;
    if (first.verdict == VERDICT_INVALID && is_asked_once(drive, &live->action)) {
        event.result.permanent = true;
    }
    attempt_over(drive, live, event);
}

void attempt_judge(struct drive *drive, struct live *live, struct str answer, bool findings)
{
    answers_judge(drive, live, &(struct answer){ .text = answer, .findings = findings }, 1,
                  false);
}

static int attempt_read(const struct live *live, enum attempt_file file, struct buf *out,
                        struct err *err)
{
    const char *name = attempt_files[file];

    if (live->files & FILE_BIT(file)) return scratch_read(live->dir, name, out, err);
    return err_set(err, ERR_MISSING, "%s/%s: no such file", live->dir, name);
}

void attempt_answered(struct drive *drive, struct live *live)
{
    const struct backend *backend = agent_of(drive, &live->action)->backend;
    bool stream = backend->stream && !is_builtin(drive, &live->action);
    struct answer answers[2] = { { .findings = backend->answers_findings } };
    struct err err = { 0 }, none;
    struct buf answer, report;
    bool prose = false;
    int reported;

    buf_init(&answer, ANSWER_BYTES_MAX);
    buf_init(&report, ANSWER_BYTES_MAX);
    live->files = scratch_holds(live->dir, attempt_files);
    answers[0].rc = attempt_read(live, FILE_ANSWER, &answer, &err);
    if (answers[0].rc == ERR_MISSING) {
        answers[0].rc = attempt_read(live, stream ? FILE_SAID : FILE_STDOUT, &answer, &err);
        prose = true;
    }
    answers[0].text = buf_str(&answer);
    answers[0].problem = err.text;
    if (prose && !stream && answers[0].rc == 0 && answer.size == 0) {
        live->plain |= FILE_BIT(FILE_STDOUT); /* it is empty */
    }
    reported = attempt_read(live, FILE_REPORT, &report, &none);
    answers[1].text = buf_str(&report);
    if (reported != 0) {
        answers_judge(drive, live, answers, 1, false);
    } else if (str_trim(answers[0].text).size == 0 && answers[0].rc == 0) {
        answers_judge(drive, live, &answers[1], 1, false);
    } else {
        answers_judge(drive, live, answers, 2, prose);
    }
    buf_release(&report);
    buf_release(&answer);
}

/* ---- failures ---- */

const char *last_words(struct drive *drive, const struct live *live)
{
    const char *words;
    struct buf last;

    buf_init(&last, 512);
    scratch_last_line(live->dir, "stderr", 300, &last);
    words = arena_cstr(&drive->arena, buf_str(&last));
    buf_release(&last);
    return words;
}

/* A shell, and a sandbox, say so of a program that a signal ended. */
static const char *signal_hint(int status)
{
    switch (status) {
    case 134: return " (it aborted)";
    case 137: return " (it was killed: often the machine had no memory left)";
    case 139: return " (it crashed)";
    case 143: return " (somebody ended it)";
    default: return "";
    }
}

void attempt_exited(struct drive *drive, struct live *live, int status)
{
    const struct agent *agent = agent_of(drive, &live->action);
    const char *last = last_words(drive, live), *install = agent->backend->install;
    bool missing = status == 126 || status == 127;
    const char *cage = missing ? NULL : cage_words(drive, live, "", false);

    if (cage) {
        attempt_fail(drive, live, FAILURE_CAGE, true,
                     arena_printf(&drive->arena, "%s %s%s%s", agent->spec, cage, *last ? ": " : "",
                                  last));
        return;
    }
    if (drive->sandboxed && str_starts(str_of(last), STR("bwrap: execvp "))) missing = true;
    if (!missing) install = NULL;
    attempt_fail(drive, live, missing ? FAILURE_MISSING : FAILURE_EXIT, missing,
                 arena_printf(&drive->arena, "%s ended with status %d%s%s%s%s%s", agent->spec,
                              status, signal_hint(status),
                              install ? "; it comes with: " : "", install ? install : "",
                              *last ? ": " : "", last));
}

/* How each end reads, behind the agent's name; a limit stands behind it. */
static const struct {
    enum failure failure;
    enum limit limit;
    const char *text;
} ends[ENDED_BY_COUNT] = {
    [ENDED_SIGNAL] = { FAILURE_SIGNAL, LIMIT_COUNT, "was killed by signal" },
    [ENDED_TIME] = { FAILURE_TIME, LIMIT_TIME, "ran into its time limit of" },
    [ENDED_IDLE] = { FAILURE_IDLE, LIMIT_IDLE, "said nothing for" },
    [ENDED_OUTPUT] = { FAILURE_OUTPUT, LIMIT_COUNT, "wrote more than 4 GiB" },
    [ENDED_STOP] = { FAILURE_STOPPED, LIMIT_COUNT, "was stopped" },
    [ENDED_START] = { FAILURE_START, LIMIT_COUNT, "could not be started" },
    [ENDED_SILENT] = { FAILURE_SILENT, LIMIT_START, "was started and did not begin within" },
    [ENDED_FIRST] = { FAILURE_FIRST, LIMIT_FIRST, "began, and its model did not answer within" },
};

const char *ended_text(struct drive *drive, const struct live *live, const struct notice *notice)
{
    const struct agent *agent = agent_of(drive, &live->action);
    const char *text = arena_printf(&drive->arena, "%s %s", agent->spec, ends[notice->by].text);

    if (notice->by == ENDED_SIGNAL) {
        text = arena_printf(&drive->arena, "%s %d", text, notice->value);
    } else if (notice->by == ENDED_START) {
        text = arena_printf(&drive->arena, "%s: %s", text, strerror(notice->value));
    } else if (ends[notice->by].limit != LIMIT_COUNT) {
        text = arena_printf(&drive->arena, "%s %s", text,
                            limit_text(drive, ends[notice->by].limit));
    }
    if (notice->by == ENDED_START && notice->value == ENOENT && agent->backend->install) {
        text = arena_printf(&drive->arena, "%s; it comes with: %s", text, agent->backend->install);
    }
    /* What it wrote to stderr may say why it hangs; of one that was at work it does not. */
    if ((notice->by == ENDED_SILENT || notice->by == ENDED_FIRST) && *last_words(drive, live)) {
        text = arena_printf(&drive->arena, "%s: %s", text, last_words(drive, live));
    }
    return text;
}

void attempt_cut(struct drive *drive, struct live *live, const struct notice *notice)
{
    bool missing = notice->by == ENDED_START && notice->value == ENOENT;

    attempt_fail(drive, live, missing ? FAILURE_MISSING : ends[notice->by].failure, missing,
                 ended_text(drive, live, notice));
}

void attempt_ended(struct drive *drive, struct live *live, const struct notice *notice)
{
    bool builtin = is_builtin(drive, &live->action);

    if (notice->by == ENDED_EXIT && builtin) {
        builtin_exited(drive, live, notice->value);
    } else if (agent_of(drive, &live->action)->backend->stream && !builtin) {
        attempt_streamed(drive, live, notice);
    } else if (notice->by != ENDED_EXIT) {
        attempt_cut(drive, live, notice);
    } else if (notice->value == 0) {
        attempt_answered(drive, live);
    } else {
        attempt_exited(drive, live, notice->value);
    }
}
