/* SPDX-License-Identifier: Apache-2.0
 *
 * take.c - what the host's agents were asked, what they answered, and what follows.
 *
 *   wanted --given a prompt--> the host starts it --> it stops --answer good--> EV_ENDED
 *                                                      '--not good--> sent back, see sends_back
 *                                                                       '--> EV_ENDED, invalid
 *
 * 1. An answer is taken when its agent has stopped, or when the agent cannot be there any more.
 *    Never while the agent runs: its file may be half written.
 * 2. If no agent of the role was seen to start, its answer is not taken: the model that leads the
 *    host's session must not review by writing files, and no other tool or repository may.
 * 3. A review counts for the tree it was begun on. The tree is compared when the last reviewer has
 *    answered. New files that git does not know are no change, since reviewers run programs.
 *    Nothing is put back: the user may be at work in the tree, too.
 * 4. What a reviewer looked at is known by the transcript that SubagentStop names; where the host
 *    names none, its review has no proof of reading.
 * 5. What a fixer says it did is held against the tree (repairs.c), as in any other run.
 * 6. While the host waits for an agent, nothing else is started. When a turn ends, hone does its
 *    own work, starts the agents of other programs, and waits for both. */
#include "drive/hosted/parts.h"

#include "base/path.h"
#include "drive/facts.h"
#include "drive/proof.h"
#include "drive/repairs.h"
#include "drive/transcript.h"
#include "drive/watch.h"
#include "io/file/scratch.h"
#include "run/place.h"

#include <string.h>

enum { BACK_MAX = 3, DRIFTS_MAX = 3, SETTLE_MS = 60 };

bool hosted_is_played(const struct drive *drive, const struct live *live)
{
    const struct run *run = &drive->run;

    return !is_builtin(run, &live->action) && agent_of(run, &live->action)->backend->hosted;
}

struct host_wanted *hosted_wanted(struct hosted *hosted, const struct live *live)
{
    for (uint32_t i = 0; i < hosted->notes.wanted_count; i++) {
        struct host_wanted *wanted = &hosted->notes.wanted[i];
        if (wanted->job == live->action.job && wanted->attempt == live->action.attempt) {
            return wanted;
        }
    }
    return NULL;
}

bool hosted_runs(const struct hosted *hosted, const char *role)
{
    struct hook_tasks tasks = { 0 };
    struct hook_task task;

    while (hook_task_next(hosted->in, &tasks, &task)) {
        if (str_is(task.status, "running") && str_is(hosted_role(hosted, task.agent_type), role)) {
            return true;
        }
    }
    if (hosted->in->host == HOOK_CLAUDE) return false; /* it names all that run */
    for (uint32_t i = 0; i < hosted->notes.agent_count; i++) {
        if (strcmp(hosted->notes.agents[i].role, role) == 0) return true;
    }
    return false;
}

/* ---- performing ---- */

static bool launch_others(struct drive *drive)
{
    struct live *live;
    bool any = false;

    for (uint32_t at = 0; !drive->broken && (live = live_next(drive, &at));) {
        if (hosted_is_played(drive, live)) continue;
        any = true;
        if (live->due_ms == 0) continue;
        if (drive->supervisor.fd < 0 &&
            agents_open(drive) != 0) {
            drive_break(drive);
            return false;
        }
        attempt_launch(drive, live);
    }
    return any;
}

void hosted_perform(struct hosted *hosted, bool launch)
{
    struct drive *drive = &hosted->drive;

    while (!drive->broken) {
        if (drive->queue_count > 0) {
            drive_tick(drive, NULL);
            continue;
        }
        if (drive->finished || !launch || !launch_others(drive)) break;
        if (drive->queue_count > 0 || drive->broken) continue;
        wait_readable(drive->supervisor.fd, -1, -1);
        attempt_collect(drive);
    }
    hosted_note(hosted);
}

/* ---- the tree ---- */

/* A change that a reviewer may not make: all but new files. */
static bool is_grave(const struct tree_delta *delta)
{
    for (uint32_t i = 0; i < delta->count; i++) {
        if (delta->items[i].kind != CHANGE_ADDED) return true;
    }
    return false;
}

/* Whether the tree is the one that the review began on; *what names the changes. */
static int tree_still(struct hosted *hosted, const struct lane *lane, bool *same,
                      const char **what)
{
    struct drive *drive = &hosted->drive;
    const struct site *site = site_of(&drive->run, lane->id);
    struct seal seal = { .large = hosted->notes.seal.large };
    struct kept_delta kept;
    int rc;

    *same = true;
    if (!seal.large) site_seal(&drive->run, site, &seal);
    if (seal_proves_same(&hosted->notes.seal, &seal)) return 0;
    rc = watch_kept(drive, site, tree_name(&hosted->arena, lane->now.jobs[0].id), NULL, &kept);
    *same = rc == 0 && kept.known && !is_grave(&kept.delta);
    *what = kept.known ? delta_text(&kept.delta, &hosted->arena)
                       : "how it was is not known any more";
    kept_release(&kept);
    return rc;
}

/* The last reviewer has answered, and the tree has changed since the review began: all reviewers
 * are asked again. */
static int tree_drifted(struct hosted *hosted, const struct lane *lane, const char *what,
                        struct facts *facts)
{
    struct drive *drive = &hosted->drive;
    int rc;

    facts->basis_what = what;
    if (++hosted->notes.drifts > DRIFTS_MAX) {
        hosted->notes.drifts = 0; /* a run that goes on later finds it changed, and begins anew */
        facts->basis = BASIS_TREE_WILD;
        return 0;
    }
    facts->basis = BASIS_TREE_DRIFTED;
    rc = watch_void(drive, lane->now.jobs[0].id);
    if (rc == 0) {
        drive_push(drive, (struct event){ .kind = EV_DRIFT, .now_ms = now_wall_ms(),
                                          .lane = lane->id });
    }
    return rc;
}

static uint32_t jobs_running(const struct lane *lane)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < lane->now.count; i++) {
        count += lane->now.jobs[i].state == JOB_RUNNING;
    }
    return count;
}

/* ---- answers ---- */

/* The answer as it was given, with the attempt: the agent's own file gets a second name there,
 * which it keeps when the contract file is written over the first; else it is copied. */
static int keep_answer(struct hosted *hosted, const struct live *live,
                       const struct host_wanted *wanted, struct str answer)
{
    struct drive *drive = &hosted->drive;
    const struct site *site = site_of(&drive->run, live->action.lane);
    const char *to = arena_printf(&hosted->arena, "%s/answer", live->dir);
    struct err none;

    if (*wanted->file && file_link_in(site->repo.workspace, wanted->file, to, &none) == 0) return 0;
    return scratch_write(live->dir, "answer", answer, &drive->err);
}

/* What an agent left as its answer; ERR_MISSING where it left nothing. */
static int read_answer(struct hosted *hosted, const struct live *live,
                       const struct host_wanted *wanted, struct buf *out, struct err *err)
{
    const struct site *site = site_of(&hosted->drive.run, live->action.lane);

    if (*wanted->file) return file_read_in(site->repo.workspace, wanted->file, out, err);
    return scratch_read(live->dir, "answer", out, err);
}

/* One wanted answer, as far as it is there, and what it comes to. Judged once. */
struct found_answer {
    struct buf text;
    int rc;
    struct gathered gathered;
    struct pending end;  /* where rc is 0 */
    const char *problem; /* what is wrong with it, for the agent */
};

static bool is_good(const struct found_answer *answer)
{
    return answer->rc == 0 && answer->end.event.result.verdict != VERDICT_INVALID;
}

static void take_lines(void *context, struct str chunk)
{
    stream_feed(context, chunk);
}

/* What the agent that stopped was shown, by the transcript that the host keeps of it: its lines
 * are those of the host's own stream. False: the host does not tell. */
static bool read_sights(struct hosted *hosted, struct arena *arena, struct sights *out)
{
    const char *path = arena_cstr(arena, hosted->in->agent_transcript_path);
    struct reading reading;
    struct stream stream;
    struct err none;
    bool told;

    if (hosted->in->host != HOOK_CLAUDE || path[0] != '/') return false;
    stream_init(&stream, &claude_stream);
    told = scratch_each(path_folder_text(path, arena), path_leaf_text(path), take_lines, &stream,
                        &none) == 0;
    (void)stream_end(&stream, 0, arena, &reading, &none);
    stream_release(&stream);
    *out = reading.sights;
    return told && reading.events > 0;
}

/* The host calls us while it is still writing the transcript: where that does not show all of the
 * change, it is read again a little later. */
static int find_proof(struct hosted *hosted, struct live *live, struct gathered *gathered)
{
    enum { TRIES = 40, PAUSE_MS = 50 };
    const struct proof *proof = &gathered->facts.proof;
    struct sights sights = { 0 };
    int rc = 0;

    for (int i = 0; i < TRIES; i++) {
        bool told = read_sights(hosted, &gathered->arena, &sights);

        rc = facts_proof(gathered, &hosted->drive, live, told ? &sights : NULL);
        if (rc != 0 || !told || (!proof->idle && proof->unread_count == 0)) break;
        pause_ms(PAUSE_MS);
    }
    return rc;
}

static void find_answer(struct hosted *hosted, struct live *live,
                        const struct host_wanted *wanted, struct str message,
                        struct found_answer *out)
{
    struct drive *drive = &hosted->drive;
    struct err err = { 0 };

    *out = (struct found_answer){ .problem = "" };
    buf_init(&out->text, ANSWER_BYTES_MAX);
    facts_begin(&out->gathered, drive, live, &(struct notice){ .by = ENDED_EXIT });
    if (wanted->back > 0 && !drive->run.dialect->sends_back) {
        out->gathered.facts.asked_once = true; /* that was the other time */
    }
    out->rc = read_answer(hosted, live, wanted, &out->text, &err);
    if (out->rc == ERR_MISSING && !*wanted->file && str_trim(message).size > 0) {
        out->rc = buf_add(&out->text, message);
    }
    facts_say(&out->gathered, buf_str(&out->text), false);
    if (out->rc != 0) {
        out->gathered.facts.said.rc = out->rc;
        out->gathered.facts.said.problem = arena_cstr(&hosted->arena, str_of(err.text));
    }
    if (out->rc == ERR_MISSING) return;
    if (find_proof(hosted, live, &out->gathered) != 0) {
        drive_break(drive);
        return;
    }
    if (facts_repair(&out->gathered, drive, live) != 0 ||
        facts_tree(&out->gathered, drive, live) != 0) {
        drive_break(drive);
        return;
    }
    facts_event(&out->gathered, &out->end, NULL);
    out->problem = arena_cstr(&hosted->arena, out->end.event.result.problem);
    if (out->rc != 0) {
        out->problem = arena_printf(&hosted->arena, "%s cannot be read: %s", wanted->output,
                                    err.text);
    }
}

static void found_release(struct found_answer *answer)
{
    facts_release(&answer->gathered);
    arena_release(&answer->end.arena);
    buf_release(&answer->text);
}

/* Queues the end of an attempt with this answer. */
static void take_answer(struct hosted *hosted, struct live *live,
                        const struct host_wanted *wanted, struct found_answer *answer)
{
    struct drive *drive = &hosted->drive;
    const struct lane *lane = &drive->run.engine.lanes[live->action.lane];
    const char *what = "", *runs = run_folder(&drive->run, &hosted->arena);
    struct str text = buf_str(&answer->text);
    bool same = true;
    int rc;

    hosted->notes.blocks = 0;
    if (wanted->plain) live->plain |= FILE_BIT(FILE_PROMPT);
    if (!mask_text(&drive->mask, text, NULL)) live->plain |= FILE_BIT(FILE_ANSWER);
    rc = file_make_folder(runs, false, &drive->err);
    if (rc == 0) rc = scratch_folder(runs, path_leaf_text(live->dir), &drive->err);
    if (rc == 0) rc = keep_answer(hosted, live, wanted, text);
    if (rc == 0 && is_reviewer(&drive->run, &live->action) && lane->state == LANE_REVIEWING &&
        jobs_running(lane) == drive->queue_count + 1) {
        rc = tree_still(hosted, lane, &same, &what);
        if (same) hosted->notes.drifts = 0;
    }
    if (rc == 0 && !same) {
        rc = tree_drifted(hosted, lane, what, &answer->gathered.facts);
        arena_release(&answer->end.arena);
        facts_event(&answer->gathered, &answer->end, NULL);
    }
    if (rc != 0) {
        drive_break(drive);
        return;
    }
    attempt_push(drive, live, &answer->end);
    answer->end.arena = (struct arena){ 0 }; /* the queue's now */
}

static void send_back(struct hosted *hosted, const struct host_wanted *wanted,
                      int rc, const char *problem)
{
    struct hosted_page page = hosted_page(hosted);

    page.missing = rc == ERR_MISSING;
    page.problem = slot_words(arena_printf(&hosted->arena, "%s\n", problem));
    page.answer_file = slot_text(str_of(*wanted->file ? wanted->output : ""), SHOWN_BYTES_MAX);
    hosted_page_send_back(&hosted->reply->err, &page);
    hosted->reply->code = 2;
}

/* The next attempt of the host's agents, of that role where one is named. */
static struct live *played_next(const struct hosted *hosted, uint32_t *at, struct str role)
{
    const struct drive *drive = &hosted->drive;
    struct live *live;

    while ((live = live_next(drive, at))) {
        const char *name = drive->run.plan.roles[live->action.role].name;

        if (hosted_is_played(drive, live) && (role.size == 0 || str_is(role, name))) return live;
    }
    return NULL;
}

/* How often an agent is sent back: one without an answer a few times. */
static uint32_t back_max(const struct hosted *hosted, int rc)
{
    return rc == ERR_MISSING || hosted->drive.run.dialect->sends_back ? BACK_MAX : 1;
}

void hosted_take_role(struct hosted *hosted, struct str role, struct str message)
{
    struct live *worst = NULL;
    const char *problem = "";
    uint32_t taken = 0;
    int rc = 0;
    struct host_wanted *wanted;
    struct live *live;

    for (uint32_t at = 0; !hosted->drive.broken && (live = played_next(hosted, &at, role));) {
        struct found_answer answer;

        wanted = hosted_wanted(hosted, live);
        find_answer(hosted, live, wanted, message, &answer);
        if (hosted->drive.broken) {
            /* the next hook finds it again */
        } else if (is_good(&answer) ||
                   (answer.rc != ERR_MISSING && wanted->back >= back_max(hosted, answer.rc))) {
            take_answer(hosted, live, wanted, &answer);
            taken++;
            message = (struct str){ "", 0 }; /* of several that are alike one has spoken */
        } else if (!worst || answer.rc != ERR_MISSING) {
            worst = live;
            rc = answer.rc;
            problem = answer.problem;
        }
        found_release(&answer);
    }
    if (taken > 0 || !worst || hosted->drive.broken) return;
    wanted = hosted_wanted(hosted, worst);
    if (wanted->back < back_max(hosted, rc)) {
        wanted->back++;
        send_back(hosted, wanted, rc, problem);
        return;
    }
    attempt_fail(&hosted->drive, worst, FAILURE_EXIT, false, "ended again and again without an "
                 "answer");
}

void hosted_take_left(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    struct live *live;

    for (uint32_t at = 0; !drive->broken && (live = played_next(hosted, &at, STR("")));) {
        const char *role = drive->run.plan.roles[live->action.role].name;
        const struct host_wanted *wanted = hosted_wanted(hosted, live);
        struct found_answer answer;

        if (!wanted || hosted_runs(hosted, role) || !wanted->seen) continue;
        find_answer(hosted, live, wanted, STR(""), &answer);
        if (!drive->broken && is_good(&answer)) {
            take_answer(hosted, live, wanted, &answer);
        } else if (!drive->broken) {
            attempt_fail(drive, live, FAILURE_SIGNAL, false, "is gone and left no answer");
        }
        found_release(&answer);
    }
}

/* ---- prompts ---- */

/* A tree that was changed a moment ago has no seal: a short wait now saves a look at all of it when
 * the reviews end. */
static void let_settle(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    struct seal seal;

    seal_take(&drive->run.repo, drive->run.private_paths, NULL, &seal);
    if (!seal.usable && !seal.large) wait_readable(-1, -1, SETTLE_MS);
}

/* Gives each agent that is wanted what it needs, once. */
static int give_all(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    struct live *live;
    int rc = 0;

    for (uint32_t at = 0; rc == 0 && (live = played_next(hosted, &at, STR("")));) {
        struct host_wanted *wanted = hosted_wanted(hosted, live);
        struct site *site;
        bool over = false;

        if (!wanted || wanted->given) continue;
        site = site_of(&drive->run, live->action.lane);
        if (is_reviewer(&drive->run, &live->action) && site->watch.job == 0) let_settle(hosted);
        rc = file_make_folder(run_folder(&drive->run, &hosted->arena), false,
                              &drive->err);
        if (rc == 0) rc = attempt_give(drive, live, &over);
        if (rc != 0) break;
        wanted->given = !over;
        wanted->plain = (live->plain & FILE_BIT(FILE_PROMPT)) != 0;
        if (site->watch.job != 0 && site->watch.saved == site->watch.job) {
            hosted->notes.seal = site->watch.seal;
        }
    }
    if (rc != 0) drive_break(drive);
    return rc;
}

int hosted_give(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    int rc = give_all(hosted);

    /* Of agents that were not asked the run hears at once; others may be wanted then. */
    while (rc == 0 && drive->queue_count > 0) {
        hosted_perform(hosted, true);
        if (drive->broken || drive->run.engine.state == ENGINE_ENDED) return (int)drive->err.code;
        rc = give_all(hosted);
    }
    return rc;
}
