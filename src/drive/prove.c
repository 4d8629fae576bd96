/* SPDX-License-Identifier: Apache-2.0
 *
 * prove.c - a repair that made things worse is taken back.
 *
 *   proof before --holds--> repair --> proof after --holds--> the review
 *                                           '--fails--> the tree as before the repair; the next
 *                                                       fixer is told what was tried
 *
 * A proof is a job of the engine (core/gate.c): in a cage, with limits, and resumable like any
 * other. The analyzers that review at the gate are asked in turn, then the project's test:
 *
 *   an analyzer   fails where it says that the work does not build, or reports something grave in
 *                 what the repair wrote; and did not say so of the tree before the repair. That is
 *                 known from the last review; else it is asked before the repair, too.
 *   the test      fails where its command does. It is run before the repair, too, where what it
 *                 says is not known.
 *
 * What failed before the repair is no reason.
 *
 * What is taken back is what the repair changed, by files: of fixers in disposable work trees
 * exactly that (isolate.c), else what differs since the first of them began (runs/RUN/repair-JOB).
 * A file that was changed once more since then stays as it is.
 *
 * 1. Nothing is lost: versions that go are in JOB-ATTEMPT/back/replaced of the proof, and as one
 *    diff in JOB-ATTEMPT/taken-back.diff.
 * 2. A kill while files come is made good: bring.c. The proof's status is on the disk, so a resume
 *    takes back the rest. */
#include "drive/prove.h"

#include "drive/bring.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "run/site.h"

#include <inttypes.h>
#include <string.h>

enum { DIFF_BYTES_MAX = 4 << 20, TOLD_BYTES_MAX = 1 << 20, TOLD_BEFORE_MAX = 4096,
       TEXT_BYTES_MAX = 300 };

const char *prove_command(const struct drive *drive)
{
    const char *test = drive->run.settings.test;

    /* Inside a host nothing is put back: a person may be at work there. */
    if (*drive->host || !test || !*test || !run_test_is_used(&drive->run)) return NULL;
    return test;
}

/* ---- what is kept ---- */

static const char *repair_name(struct arena *arena, uint32_t job)
{
    return arena_printf(arena, "repair-%" PRIu32, job);
}

static int keep_tree(struct drive *drive, const char *name, bool again)
{
    struct arena arena = { 0 };
    const char *folder = run_folder(&drive->run, &arena);
    struct tree tree = { 0 };
    int rc = 0;

    if (!again || !file_exists(arena_printf(&arena, "%s/%s", folder, name))) {
        rc = tree_take(&drive->run.repo, drive->run.private_paths, &tree, &drive->err);
        if (rc == 0) rc = tree_save(&tree, folder, name, &drive->err);
    }
    tree_release(&tree);
    arena_release(&arena);
    return rc;
}

/* The tree as it was when the attempt's job began, also where that was attempts ago. */
int prove_begin(struct drive *drive, const struct live *live)
{
    const struct action *action = &live->action;
    uint16_t prover = plan_prover(&drive->run.plan, action->phase, ROLE_NONE);
    struct arena arena = { 0 };
    bool repair = action->purpose == FOR_REPAIR && action->copy <= 1;
    bool proof = action->purpose == FOR_PROOF && action->copy == PROOF_AFTER;
    int rc = 0;

    if (prover != ROLE_NONE && (repair || proof)) {
        rc = keep_tree(drive, repair_name(&arena, action->job), action->attempt > 1);
    }
    arena_release(&arena);
    return rc;
}

/* ---- taking back ---- */

/* The change that is to be taken back, turned round: its trees in a folder. */
static int turn_round(struct drive *drive, const char *from, const char *to, const char *folder,
                      struct buf *diff)
{
    struct arena arena = { 0 };
    struct tree after = { 0 }, before = { 0 };
    struct tree_delta delta = { 0 };
    struct err none;
    int rc = tree_load(&after, from, &drive->err);

    if (rc == 0) rc = tree_load(&before, to, &drive->err);
    if (rc == 0) rc = tree_align(&drive->run.repo, &before, &after, &drive->err);
    if (rc == 0) tree_compare(&before, &after, &delta);
    if (rc == 0) {
        (void)tree_diff(&drive->run.repo, &before, &after, &delta, DIFF_BYTES_MAX,
                        run_folder(&drive->run, &arena), "proof.index", diff, &none);
        rc = file_make_folder(folder, false, &drive->err);
    }
    if (rc == 0) rc = tree_save(&after, folder, BRING_FROM, &drive->err);
    if (rc == 0) rc = tree_save(&before, folder, BRING_TO, &drive->err);
    tree_delta_release(&delta);
    tree_release(&after);
    tree_release(&before);
    arena_release(&arena);
    return rc;
}

static int take_back_one(struct drive *drive, struct live *live, const char *from, const char *to,
                         uint32_t nth, struct buf *diff)
{
    struct arena *arena = &drive->run.arena;
    const char *folder = arena_printf(arena, "%s/back%.0u", live->dir, nth);
    const char *left = "";
    int rc = turn_round(drive, from, to, folder, diff);

    if (rc == 0) {
        rc = bring_run(drive, live, folder, arena_printf(arena, "%s/left", folder), &left);
    }
    if (rc == 0 && *left) {
        drive_warn(drive, "changed since the repair, and so not taken back: %s", left);
    }
    return rc;
}

/* The repair's change, the newest part first. */
static int take_back_repair(struct drive *drive, struct live *live, struct buf *diff)
{
    const struct batch *repair = &drive->run.engine.lanes[live->action.lane].repair;
    struct arena arena = { 0 };
    const char *run = run_folder(&drive->run, &arena);
    bool isolated = false;
    int rc = 0;

    for (uint32_t i = repair->count; i-- > 0 && rc == 0;) {
        const char *folder = isolate_folder(&drive->run, repair->jobs[i].id, &arena);
        const char *from = arena_printf(&arena, "%s/" BRING_TO, folder);

        if (!file_exists(from)) continue;
        isolated = true;
        rc = take_back_one(drive, live, from, arena_printf(&arena, "%s/" BRING_FROM, folder),
                           i, diff);
    }
    if (rc == 0 && !isolated && repair->count > 0) {
        const char *from = repair_name(&arena, live->action.job);
        const char *to = repair_name(&arena, repair->jobs[0].id);

        rc = take_back_one(drive, live, arena_printf(&arena, "%s/%s", run, from),
                           arena_printf(&arena, "%s/%s", run, to), 0, diff);
    }
    arena_release(&arena);
    return rc;
}

/* What was tried so far in this gate and broke it, a line each, with this one. */
static int remember_tried(struct drive *drive, const struct live *live, struct pending *pending)
{
    struct result *result = &pending->event.result;
    struct arena arena = { 0 };
    const char *folder = run_folder(&drive->run, &arena);
    const char *name = arena_printf(&arena, "tried-%" PRIu32, live->action.phase);
    const char *line = arena_printf(&arena, "round %" PRIu32 ": afterwards %.*s; that was not so "
                                    "before it. What it had changed: %s/taken-back.diff\n",
                                    live->action.round, STR_ARG(result->problem), live->dir);
    struct str known = STR("");
    struct buf text;
    struct err none;
    int rc;

    buf_init(&text, TOLD_BYTES_MAX);
    (void)scratch_text(folder, name, TOLD_BYTES_MAX, &arena, &known, &none);
    if (str_ends(known, str_of(line))) known.size -= strlen(line); /* once more, after a kill */
    buf_add(&text, str_tail(known, TOLD_BEFORE_MAX));
    buf_text(&text, line);
    rc = scratch_replace(folder, name, buf_str(&text), &drive->err);
    result->problem = arena_copy(&pending->arena, buf_str(&text));
    buf_release(&text);
    arena_release(&arena);
    return rc;
}

/* ---- what got worse ---- */

static uint32_t count_of(const struct result *result, uint64_t fingerprint)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < result->finding_count; i++) {
        count += result->findings[i].fingerprint == fingerprint;
    }
    return count;
}

static bool says_broken(const struct backend *backend, const struct finding *finding)
{
    return backend->broken && backend->broken(finding);
}

/* What an analyzer says after the repair and did not say before it; NULL: nothing that counts. */
static const struct finding *worse_finding(const struct drive *drive, const struct action *action,
                                           const struct result *now)
{
    const struct engine *engine = &drive->run.engine;
    const struct job *known = lane_known(&engine->lanes[action->lane], action->role);
    const struct backend *backend = agent_of(&drive->run, action)->backend;
    const struct result *then = known ? &known->result : NULL;

    if (!then || then->verdict > VERDICT_FINDINGS || !str_eq(then->by, now->by)) return NULL;
    for (uint32_t i = 0; now->broken && !then->broken && i < now->finding_count; i++) {
        if (says_broken(backend, &now->findings[i])) return &now->findings[i];
    }
    for (uint32_t i = 0; i < now->finding_count; i++) {
        const struct finding *finding = &now->findings[i];
        uint64_t fingerprint = finding->fingerprint;

        if (finding->severity != SEVERITY_HIGH) continue;
        if (says_broken(backend, finding)) continue;
        if (!ledger_wrote(&engine->ledger, action->lane, finding)) continue;
        if (count_of(now, fingerprint) > count_of(then, fingerprint)) return finding;
    }
    return NULL;
}

/* An analyzer proves nothing but that: all else is the affair of the review that follows. */
static void judge_analyzer(const struct drive *drive, const struct action *action,
                           struct pending *pending)
{
    struct result *result = &pending->event.result;
    const struct finding *finding = *drive->host ? NULL : worse_finding(drive, action, result);
    bool broken = finding && says_broken(agent_of(&drive->run, action)->backend, finding);

    result->verdict = finding ? VERDICT_FINDINGS : VERDICT_CLEAN;
    result->findings = finding;
    result->finding_count = finding != NULL;
    if (!finding) return;
    result->problem = str_of(arena_printf(&pending->arena, "%s: %.*s:%" PRIu32 ": %.*s",
                                          broken ? "it does not build any more"
                                                 : "there is a grave finding in what it wrote",
                                          STR_ARG(finding->file), finding->line,
                                          STR_ARG(str_head(finding->text, TEXT_BYTES_MAX))));
}

int prove_end(struct drive *drive, struct live *live, struct pending *pending)
{
    const struct action *action = &live->action;
    bool test = is_builtin(&drive->run, action);
    struct result *result = &pending->event.result;
    enum proof_state before;
    struct buf diff;
    int rc;

    if (action->purpose != FOR_PROOF || action->copy != PROOF_AFTER) return 0;
    if (!test && result->verdict == VERDICT_FINDINGS) judge_analyzer(drive, action, pending);
    if (result->verdict != VERDICT_FINDINGS) return 0;
    before = test ? drive->run.engine.lanes[action->lane].proof : PROOF_HOLDS;
    if (before != PROOF_HOLDS) {
        drive_warn(drive, before == PROOF_FAILS
                              ? "%.*s; but that was so before the repair: it stays"
                              : "%.*s; but the tree changed beside the repair, which may be why: "
                                "it stays", STR_ARG(result->problem));
        return 0;
    }
    buf_init(&diff, 2 * (size_t)DIFF_BYTES_MAX);
    rc = take_back_repair(drive, live, &diff);
    if (rc == 0) rc = scratch_write(live->dir, "taken-back.diff", buf_str(&diff), &drive->err);
    buf_release(&diff);
    if (rc != 0) return rc;
    drive_warn(drive, "the repair of round %" PRIu32 " made things worse (%.*s): it is taken back, "
               "and kept as %s/taken-back.diff", action->round, STR_ARG(result->problem),
               live->dir);
    result->taken_back = true;
    return remember_tried(drive, live, pending);
}
