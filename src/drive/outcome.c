/* SPDX-License-Identifier: Apache-2.0
 *
 * outcome.c - what the end of an attempt means: an answer, judged by the dialect, or a failure.
 *
 * The first row that fits decides:
 *
 *    what is known                         outcome
 *    hone knows that it failed             failed, as hone says
 *    the tree changed again and again      failed for good
 *    answered, on another basis            invalid: the tree changed, or a protected place did
 *    a proof by the test                   clean or findings, by its status; at a limit: findings
 *    hone plays the role                   a command's status is an answer; else as a program
 *    a stream of events                    see below
 *    ended by a limit, a signal, a stop    failed by that
 *    a reviewer without proof of reading   invalid: it is told what it did not look at
 *    status 0                              the answer is judged
 *    any other status                      failed
 *
 * A stream, by how it ended:
 *
 *    ok                  the answer is judged; of a reviewer only with proof of reading
 *    login, credit, model    failed for good
 *    budget              failed for good; but where it stopped at what was left for it of the run's
 *                        budget, the budget is spent, and a resume starts it again
 *    rate, overload      asked again when the service said, or after pauses that grow; this counts
 *                        as no failure. Failed for good where limits.wait ends before
 *    ended by a limit    failed by that limit; but where the program waited for its service, the
 *                        service is the reason
 *    anything else       failed, as any program; for good where a sandbox kept it from what it
 *                        needs (guard/cage.c)
 *
 * 1. Exit status 0 means answered. Any other status is failed, never a verdict.
 * 2. Where an attempt answered and reported by MCP, both are judged and the worse counts; where
 *    they come to the same, the one with more in it. Prose on standard output that is no answer at
 *    all does not speak against a report.
 * 3. What is judged is what is kept: answers and problems are masked first, so that no secret comes
 *    into the journal or a contract file.
 * 4. A role that the dialect asks only once is not asked again, unless hone stopped it, a fleet
 *    lost it, its service could not serve, or the user or another program changed its tree.
 *
 * Pure: what the system knows is in the facts. */
#include "drive/outcome.h"

#include "base/clock.h"
#include "dialect/complaint.h"
#include "format/json/finding_json.h"
#include "format/text/safe.h"
#include "io/process/sandbox.h"
#include "prompts/drive.h"

#include <errno.h>
#include <string.h>

enum { STATUS_NOT_RUN = 126, STATUS_NOT_FOUND = 127 };

bool notice_is_answer(const struct notice *notice)
{
    return notice->by == ENDED_EXIT && notice->value == 0;
}

bool reading_waits(const struct reading *reading)
{
    return reading->end == READING_RATE || reading->end == READING_OVERLOAD;
}

/* ---- failures ---- */

static struct str masked(const struct facts *facts, const char *problem, struct arena *arena)
{
    return arena_copy(arena, mask_copy(facts->mask, str_of(problem), arena));
}

struct fault {
    enum failure failure;
    bool permanent;
    uint64_t retry_at_ms; /* asked again then, which is no failure that counts; 0: not so */
};

static struct result failed(const struct facts *facts, struct fault fault, const char *problem,
                            struct arena *arena)
{
    bool once = facts->asked_once && fault.failure != FAILURE_STOPPED &&
                fault.failure != FAILURE_LOST && fault.retry_at_ms == 0;

    return (struct result){
        .verdict = VERDICT_FAILED, .failure = fault.failure,
        .permanent = fault.permanent || once, .retry_at_ms = fault.retry_at_ms,
        .problem = masked(facts, problem, arena),
    };
}

/* It answered, and the answer does not count; blamed: by its own doing. */
static struct result refused(const struct facts *facts, bool blamed, const char *problem,
                             struct arena *arena)
{
    return (struct result){
        .verdict = VERDICT_INVALID, .permanent = blamed && facts->asked_once,
        .problem = masked(facts, problem, arena),
    };
}

/* The exit status by which a shell or a sandbox says that a signal ended its program. */
static const char *signal_hint(int status)
{
    switch (status) {
    case 134: return " (it aborted)";
    case 137: return " (it was killed: often the machine had no memory left)";
    case 139: return " (it crashed)";
    case 143: return " (another process ended it)";
    default: return "";
    }
}

/* A sandbox kept it from what it needs: started again, it would fail again. */
static struct result caged(const struct facts *facts, const char *said, struct arena *arena)
{
    return failed(facts, (struct fault){ FAILURE_CAGE, true, 0 },
                  arena_printf(arena, "%s %s%s%s", facts->agent->spec, facts->cage,
                               *said ? ": " : "", said), arena);
}

static struct result exited(const struct facts *facts, struct arena *arena)
{
    const char *last = facts->last_words, *install = facts->agent->backend->install;
    int status = facts->notice.value;
    bool missing = status == STATUS_NOT_RUN || status == STATUS_NOT_FOUND;

    if (!missing && *facts->cage) return caged(facts, last, arena);
    if (facts->sandboxed && sandbox_lacks_program(last)) missing = true;
    if (!missing) install = NULL;
    return failed(facts, (struct fault){ missing ? FAILURE_MISSING : FAILURE_EXIT, missing, 0 },
                  arena_printf(arena, "%s ended with status %d%s%s%s%s%s", facts->agent->spec,
                               status, signal_hint(status), install ? "; it comes with: " : "",
                               install ? install : "", *last ? ": " : "", last), arena);
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

const char *unstarted_text(const struct agent *agent, int error, struct arena *arena)
{
    const char *install = error == ENOENT ? agent->backend->install : NULL;

    return arena_printf(arena, "%s %s: %s%s%s", agent->spec, ends[ENDED_START].text,
                        strerror(error), install ? "; it comes with: " : "",
                        install ? install : "");
}

static const char *cut_text(const struct facts *facts, struct arena *arena)
{
    const struct notice *notice = &facts->notice;
    const char *text = arena_printf(arena, "%s %s", facts->agent->spec, ends[notice->by].text);

    if (notice->by == ENDED_START) return unstarted_text(facts->agent, notice->value, arena);
    if (notice->by == ENDED_SIGNAL) {
        text = arena_printf(arena, "%s %d", text, notice->value);
    } else if (ends[notice->by].limit != LIMIT_COUNT) {
        text = arena_printf(arena, "%s %s", text,
                            limit_text(facts->settings, ends[notice->by].limit, arena));
    }
    /* What it wrote to stderr may say why it hangs; of one that was at work it does not. */
    if ((notice->by == ENDED_SILENT || notice->by == ENDED_FIRST) && *facts->last_words) {
        text = arena_printf(arena, "%s: %s", text, facts->last_words);
    }
    return text;
}

/* It did not end by itself. */
static struct result cut(const struct facts *facts, struct arena *arena)
{
    const struct notice *notice = &facts->notice;
    bool missing = notice->by == ENDED_START && notice->value == ENOENT;

    return failed(facts, (struct fault){ missing ? FAILURE_MISSING : ends[notice->by].failure,
                                         missing, 0 }, cut_text(facts, arena), arena);
}

/* ---- bases other than the answer ---- */

static struct result on_other_basis(const struct facts *facts, struct arena *arena)
{
    struct drive_page page = { .what = slot_words(facts->basis_what) };

    switch (facts->basis) {
    case BASIS_TREE_CHANGED:
        return refused(facts, true, drive_words(drive_page_tree_changed, &page, arena).data, arena);
    case BASIS_TREE_DRIFTED:
        return refused(facts, false, drive_words(drive_page_tree_drifted, &page, arena).data,
                       arena);
    case BASIS_GUARD:
        return refused(facts, true, facts->basis_what, arena);
    case BASIS_TREE_WILD:
        return failed(facts, (struct fault){ FAILURE_EXIT, true, 0 },
                      "the work tree keeps changing while it is reviewed", arena);
    case BASIS_TREE_GONE:
        return failed(facts, (struct fault){ FAILURE_EXIT, false, 0 },
                      "its work tree was deleted", arena);
    case BASIS_ANSWER:
    case BASIS_UNREAD: /* it is found by judging: unproven() */
    case BASIS_COUNT:
        break;
    }
    return (struct result){ .verdict = VERDICT_INVALID };
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

/* What an agent is told whose answer did not come through; mib_max 0: not for its length. */
static struct str unreadable(const char *why, uint32_t mib_max, struct arena *arena)
{
    struct drive_page page = { .why = slot_words(why), .mib_max = slot_number(mib_max) };

    return drive_words(drive_page_unreadable, &page, arena);
}

/* How much was looked at; what a program said of it may hold a secret. */
static void coverage_take(const struct facts *facts, const struct coverage *coverage,
                          struct arena *arena, struct result *out)
{
    struct unlooked *unlooked = arena_alloc(arena, coverage->unlooked_count * sizeof *unlooked);

    for (uint32_t i = 0; i < coverage->unlooked_count; i++) {
        unlooked[i] = coverage->unlooked[i];
        unlooked[i].why = mask_copy(facts->mask, unlooked[i].why, arena);
    }
    out->coverage = *coverage;
    out->coverage.unlooked = unlooked;
}

/* The answer of a reviewer that speaks no dialect. */
static void judge_findings(const struct facts *facts, struct str answer, struct arena *arena,
                           struct result *out)
{
    struct drive_page page = { 0 };
    struct findings findings;
    struct err err = { 0 };

    if (findings_read(answer, arena, &findings, &err) != 0) {
        out->verdict = VERDICT_INVALID;
        page.why = slot_words(err.text);
        out->problem = drive_words(drive_page_no_findings, &page, arena);
        return;
    }
    if (findings.unseen && findings.count == 0) {
        coverage_take(facts, &findings.coverage, arena, out);
        out->verdict = VERDICT_NOT_PLAYED;
        out->problem = out->coverage.unlooked_count
                           ? str_of(arena_printf(arena, "it could look at none of %u files",
                                                 out->coverage.files))
                       : findings.note_count ? findings.notes[0]
                                             : STR("it had nothing to look at");
        return;
    }
    for (uint32_t i = 0; i < findings.count; i++) {
        finding_mask(facts->mask, arena, &findings.items[i]);
    }
    if (facts->action->purpose == FOR_PROOF) { /* no dialect has a review of it */
        *out = (struct result){ .findings = findings.items, .finding_count = findings.count };
        out->verdict = findings.count > 0 ? VERDICT_FINDINGS : VERDICT_CLEAN;
    } else {
        facts->dialect->found(&facts->view, facts->action, &(struct found){
            .findings = findings.items, .count = findings.count,
            .notes = findings.notes, .note_count = findings.note_count }, arena, out);
    }
    for (uint32_t i = 0; facts->agent->backend->broken && i < findings.count; i++) {
        out->broken = out->broken || facts->agent->backend->broken(&findings.items[i]);
    }
    coverage_take(facts, &findings.coverage, arena, out);
}

/* What is less grave than --fail-on is noted: recorded, and no reason to fail. */
static void notes_cut(const struct facts *facts, struct arena *arena, struct result *out)
{
    const char *word = facts->settings->fail_on;
    struct finding *findings, *notes;
    enum severity least;
    uint32_t count = 0, note_count = 0;

    if (!word || !severity_from_word(str_of(word), &least)) return;
    if (facts->action->purpose != FOR_REVIEW || out->verdict != VERDICT_FINDINGS) return;
    if (out->finding_count == 0) return;
    findings = arena_alloc(arena, out->finding_count * sizeof *findings);
    notes = arena_alloc(arena, (out->finding_count + out->note_count) * sizeof *notes);
    for (uint32_t i = 0; i < out->note_count; i++) notes[note_count++] = out->notes[i];
    for (uint32_t i = 0; i < out->finding_count; i++) {
        if (out->findings[i].severity >= least) findings[count++] = out->findings[i];
        else notes[note_count++] = out->findings[i];
    }
    out->findings = findings;
    out->finding_count = count;
    out->notes = notes;
    out->note_count = note_count;
    if (count == 0) out->verdict = VERDICT_CLEAN;
}

static void judge_answer(const struct facts *facts, const struct answer *answer,
                         struct arena *arena, struct result *out)
{
    *out = (struct result){ 0 };
    if (answer->rc != 0) {
        out->verdict = VERDICT_INVALID;
        out->problem = unreadable(answer->problem, READING_ANSWER_BYTES_MAX >> 20, arena);
    } else if (answer->findings) {
        judge_findings(facts, answer->text, arena, out);
    } else {
        facts->dialect->judge(&facts->view, facts->action,
                              mask_copy(facts->mask, answer->text, arena), arena, out);
    }
    notes_cut(facts, arena, out);
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

/* A review that was reported by a tool as clean, beside words that complain. */
static void judge_words(const struct facts *facts, struct arena *arena, struct result *report)
{
    bool judges = facts->action->purpose == FOR_REVIEW || facts->action->purpose == FOR_CHECKPOINT;
    uint32_t line = judges && facts->said.rc == 0 ? text_complains(facts->said.text) : 0;
    struct drive_page page = { .line_number = slot_number(line) };

    if (report->verdict != VERDICT_CLEAN || line == 0) return;
    *report = (struct result){ .verdict = VERDICT_INVALID };
    report->problem = drive_words(drive_page_report_complains, &page, arena);
}

static void judge_answers(const struct facts *facts, struct arena *arena, struct outcome *out)
{
    bool silent = facts->said.rc == 0 && str_trim(facts->said.text).size == 0;
    struct result report;

    if (facts->basis == BASIS_TREE_GONE) {
        out->result = on_other_basis(facts, arena);
        out->result.basis = facts->basis;
        return;
    }
    if (facts->has_report && silent) {
        judge_answer(facts, &facts->report, arena, &out->result);
        out->counted = facts->report.text;
    } else {
        judge_answer(facts, &facts->said, arena, &out->result);
        out->counted = facts->said.text;
    }
    if (facts->has_report && !silent) {
        judge_answer(facts, &facts->report, arena, &report);
        if (is_worse(&report, &out->result, facts->prose)) {
            judge_words(facts, arena, &report);
            out->result = report;
            out->counted = facts->report.text;
        }
    }
    if (out->result.verdict == VERDICT_INVALID && facts->asked_once) out->result.permanent = true;
}

/* ---- roles that hone plays ---- */

/* What the failure of each is called. */
static const char *const builtin_failures[] = {
    [BUILTIN_ANSWER] = "", [BUILTIN_COMMAND] = "the command could not be run",
    [BUILTIN_COMMIT] = "the commit could not be made",
    [BUILTIN_SCAN] = "the files could not be scanned",
    [BUILTIN_INTEGRATE] = "it could not be integrated",
};

/* A command that fails has answered; only one that could not be run has failed. */
static bool builtin_answered(const struct facts *facts)
{
    int status = facts->notice.value;

    if (status == 0) return true;
    return facts->builtin_kind == BUILTIN_COMMAND && status != STATUS_NOT_RUN &&
           status != STATUS_NOT_FOUND;
}

static void by_hone(const struct facts *facts, struct arena *arena, struct outcome *out)
{
    if (!builtin_answered(facts)) {
        out->result = failed(facts, (struct fault){ FAILURE_EXIT, true, 0 },
                             arena_printf(arena, "%s: %s", builtin_failures[facts->builtin_kind],
                                          facts->last_words), arena);
    } else if (facts->said.rc != 0) {
        out->result = failed(facts, (struct fault){ FAILURE_OUTPUT, false, 0 },
                             facts->said.problem, arena);
    } else {
        judge_answers(facts, arena, out);
    }
}

/* ---- proofs ---- */

/* Whether a test that proves came to an end, be it by a limit: then it failed. */
static bool is_proof(const struct facts *facts)
{
    enum ended_by by = facts->notice.by;

    return facts->action->purpose == FOR_PROOF && facts->builtin &&
           (by == ENDED_EXIT || by == ENDED_TIME || by == ENDED_IDLE || by == ENDED_OUTPUT);
}

static struct result proof_result(const struct facts *facts, struct arena *arena)
{
    const char *test = facts->settings->test ? facts->settings->test : "";
    const char *last = facts->last_words, *how = ends[facts->notice.by].text;
    enum limit limit = ends[facts->notice.by].limit;

    if (notice_is_answer(&facts->notice)) return (struct result){ .verdict = VERDICT_CLEAN };
    if (facts->notice.by == ENDED_EXIT) {
        how = arena_printf(arena, "ended with status %d", facts->notice.value);
    } else if (limit != LIMIT_COUNT) {
        how = arena_printf(arena, "%s %s", how, limit_text(facts->settings, limit, arena));
    }
    return (struct result){ .verdict = VERDICT_FINDINGS,
        .problem = masked(facts, arena_printf(arena, "'%.200s' %s%s%s", test, how,
                                              *last ? ": " : "", last), arena) };
}

/* ---- streams ---- */

/* How each kind of end is kept and told: behind the agent's name and before what it said. */
static const struct {
    enum failure failure;
    const char *text;
} kinds[READING_END_COUNT] = {
    [READING_LOGIN] = { FAILURE_LOGIN, " is not logged in, or may not do this" },
    [READING_CREDIT] = { FAILURE_CREDIT, " has no credit left" },
    [READING_MODEL] = { FAILURE_MODEL, "'s service does not know its model (name another)" },
    [READING_RATE] = { FAILURE_RATE, " has been asked too often" },
    [READING_OVERLOAD] = { FAILURE_OVERLOAD, "'s service is overloaded" },
    [READING_NETWORK] = { FAILURE_NETWORK, " cannot reach its service (is there a network?)" },
};

/* Ended by a limit while its service could not serve: that is why it was slow. */
static bool is_held_up(const struct facts *facts)
{
    enum ended_by by = facts->notice.by;
    bool late = by == ENDED_TIME || by == ENDED_IDLE || by == ENDED_FIRST;

    return late && !facts->reading.has_result &&
           (reading_waits(&facts->reading) || facts->reading.end == READING_NETWORK);
}

/* What a stream that ended badly lacks. */
static enum miss stream_miss(const struct reading *reading)
{
    if (reading->end == READING_PROTOCOL) return MISS_STREAM;
    return reading->end == READING_MISSING && reading->has_result ? MISS_EMPTY : MISS_PLAIN;
}

static struct result stream_failed(const struct facts *facts, struct arena *arena)
{
    const struct reading *reading = &facts->reading;
    const struct agent *agent = facts->agent;
    const char *kind = kinds[reading->end].text, *problem = agent->spec;
    const char *said = arena_cstr(arena, reading->message);
    bool waits = reading_waits(reading), in_vain = waits && facts->ask_again_ms == 0;
    char when[CLOCK_ISO_BYTES];

    if (facts->notice.by != ENDED_EXIT) said = cut_text(facts, arena);
    else if (!reading->has_result && *facts->last_words) said = facts->last_words;
    if (*facts->cage && !waits) return caged(facts, said, arena);
    if (kind) problem = arena_printf(arena, "%s%s", problem, kind);
    if (reading->end == READING_LOGIN && agent->backend->login) {
        problem = arena_printf(arena, "%s (log in: %s)", problem, agent->backend->login);
    }
    if (waits && reading->retry_at_ms > facts->notice.ended_ms) {
        problem = arena_printf(arena, "%s, until %s", problem,
                               clock_iso(reading->retry_at_ms, when));
    }
    if (in_vain) {
        problem = arena_printf(arena, "%s; hone waits at most %s", problem,
                               limit_text(facts->settings, LIMIT_WAIT, arena));
    }
    return failed(facts, (struct fault){ kind ? kinds[reading->end].failure : FAILURE_EXIT,
                                         reading->permanent || in_vain,
                                         waits ? facts->ask_again_ms : 0 },
                  arena_printf(arena, "%s: %s", problem, said), arena);
}

/* Whether nothing shows that the reviewer looked at all that it judges. Where it does not tell what
 * it read, this is said of its review; only with --require-proof does the review not count. */
static bool is_unproven(const struct facts *facts)
{
    const struct proof *proof = &facts->proof;

    if (!proof->wanted) return false;
    if (!proof->told) return proof->required;
    return proof->idle || proof->unread_count > 0;
}

/* The files that were not looked at, the first of many. */
static const char *unread_words(const struct proof *proof, struct arena *arena)
{
    enum { NAMED_MAX = 20, NAME_BYTES_MAX = 200 };
    uint32_t shown = proof->unread_count < NAMED_MAX ? proof->unread_count : NAMED_MAX;
    struct buf text;

    buf_init(&text, NAMED_MAX * 2 * NAME_BYTES_MAX);
    for (uint32_t i = 0; i < shown; i++) {
        if (i > 0) buf_text(&text, ", ");
        safe_text(&text, proof->unread[i], true, NAME_BYTES_MAX);
    }
    if (shown < proof->unread_count) {
        buf_printf(&text, " and %u more", (unsigned)(proof->unread_count - shown));
    }
    return arena_take_cstr(arena, &text);
}

static struct result unproven(const struct facts *facts, struct arena *arena)
{
    const struct proof *proof = &facts->proof;
    struct drive_page page = {
        .untold = !proof->told, .idle = proof->idle,
        .unread = slot_words(unread_words(proof, arena)),
    };
    struct result result = refused(facts, true,
                                   drive_words(drive_page_unproven, &page, arena).data, arena);

    result.basis = BASIS_UNREAD;
    return result;
}

static enum proof_kind proof_of(const struct facts *facts)
{
    if (!facts->proof.wanted) return PROOF_NONE;
    return facts->proof.told ? PROOF_READ : PROOF_MISSING;
}

static bool is_known_trouble(const struct reading *reading)
{
    return reading_waits(reading) || reading->end == READING_NETWORK ||
           reading->end == READING_LOGIN || reading->end == READING_CREDIT ||
           reading->end == READING_MODEL;
}

static void by_stream(const struct facts *facts, struct arena *arena, struct outcome *out)
{
    const struct reading *reading = &facts->reading;

    if (facts->notice.by != ENDED_EXIT) {
        out->result = is_held_up(facts) ? stream_failed(facts, arena) : cut(facts, arena);
    } else if (facts->reading_rc != 0) {
        out->result = refused(facts, true, unreadable(facts->reading_problem, 0, arena).data,
                              arena);
    } else if (reading->end == READING_OK && is_unproven(facts)) {
        out->result = unproven(facts, arena);
    } else if (reading->end == READING_OK) {
        judge_answers(facts, arena, out);
    } else if (reading->end == READING_BUDGET && facts->budget_was_all) {
        out->result = failed(facts, (struct fault){ FAILURE_BUDGET, true, 0 },
                             arena_printf(arena, "%s stopped at what was left of the budget: %.*s",
                                          facts->agent->spec, STR_ARG(reading->message)), arena);
    } else if (!reading->has_result && facts->notice.value != 0 && !is_known_trouble(reading)) {
        out->result = exited(facts, arena); /* what it wrote to stderr says more */
    } else {
        out->result = stream_failed(facts, arena);
        out->result.miss = stream_miss(reading);
    }
}

/* ---- the door ---- */

static bool is_on_other_basis(const struct facts *facts)
{
    if (facts->basis == BASIS_TREE_WILD) return true;
    return facts->basis != BASIS_ANSWER && facts->basis != BASIS_TREE_GONE &&
           notice_is_answer(&facts->notice);
}

bool outcome_wants_answer(const struct facts *facts)
{
    if (facts->failure != FAILURE_NONE || is_on_other_basis(facts)) return false;
    if (facts->notice.by != ENDED_EXIT) return false;
    if (facts->builtin) return builtin_answered(facts);
    if (!facts->streamed) return facts->notice.value == 0 && !is_unproven(facts);
    return facts->reading_rc == 0 && facts->reading.end == READING_OK && !is_unproven(facts);
}

bool outcome_wants_words(const struct facts *facts)
{
    if (facts->failure != FAILURE_NONE || is_on_other_basis(facts)) return false;
    if (!notice_is_answer(&facts->notice)) return true;
    return facts->streamed && (!facts->reading.has_result || facts->reading.end != READING_OK);
}

static void keep_doubts(const struct facts *facts, struct arena *arena, struct result *out)
{
    struct doubtful *doubts = arena_alloc(arena, (facts->doubt_count + (size_t)1) * sizeof *doubts);

    for (uint32_t i = 0; i < facts->doubt_count; i++) doubts[i] = facts->doubts[i];
    out->unchanged = facts->unchanged;
    out->doubts = doubts;
    out->doubt_count = facts->doubt_count;
    out->moved = line_map_copy(&facts->moved, arena);
}

void outcome(const struct facts *facts, struct arena *arena, struct outcome *out)
{
    *out = (struct outcome){ .counted = { "", 0 } };
    if (facts->failure != FAILURE_NONE) {
        out->result = failed(facts, (struct fault){ facts->failure, facts->permanent,
                                                    facts->ask_again_ms },
                             facts->problem, arena);
    } else if (is_on_other_basis(facts)) {
        out->result = on_other_basis(facts, arena);
        out->result.basis = facts->basis;
    } else if (is_proof(facts)) {
        out->result = proof_result(facts, arena);
    } else if (facts->builtin && facts->notice.by == ENDED_EXIT) {
        by_hone(facts, arena, out);
    } else if (facts->streamed) {
        by_stream(facts, arena, out);
    } else if (facts->notice.by != ENDED_EXIT) {
        out->result = cut(facts, arena);
    } else if (facts->notice.value == 0 && is_unproven(facts)) {
        out->result = unproven(facts, arena);
    } else if (facts->notice.value == 0) {
        judge_answers(facts, arena, out);
    } else {
        out->result = exited(facts, arena);
    }
    if (out->result.verdict == VERDICT_CLEAN) keep_doubts(facts, arena, &out->result);
    if (out->result.verdict <= VERDICT_FINDINGS) out->result.proof = proof_of(facts);
    out->result.usage = facts->usage;
    out->result.by = str_of(*facts->host ? facts->host : facts->agent->backend->name);
}
