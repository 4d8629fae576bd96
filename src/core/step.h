/* SPDX-License-Identifier: Apache-2.0
 *
 * step.h - what the engine's own files share; no other file includes it.
 *
 * batch.c asks for jobs and takes their results, lane.c walks one lane through work, gate and
 * repair, fan.c runs the lanes of a group, census.c counts what they are doing, spend.c what they
 * cost, check.c doubts all of it, engine.c is the door. */
#ifndef HONE_CORE_STEP_H
#define HONE_CORE_STEP_H

#include "core/engine.h"

/* One call of engine_step(): the machine and where its wishes go. */
struct step {
    struct engine *engine;
    struct actions *out;
    bool late; /* no driver is there to start anything: a resume follows */
};

/* --- batch.c --- */
void emit(struct step *step, struct action action);
void batch_release(struct batch *batch);
/* Empties lane->now for jobs of its phase. */
void batch_begin(struct step *step, struct lane *lane, uint32_t round);
void batch_add(struct step *step, struct lane *lane, uint16_t role, enum purpose purpose,
               uint32_t copy);
/* A job that is done before it was asked for: the result was given. */
void batch_give(struct step *step, struct lane *lane, uint16_t role, const struct result *result);
/* Moves the finished lane->now to where it is remembered; or puts it behind what is there. */
void batch_keep(struct lane *lane, struct batch *slot);
void batch_append(struct lane *lane, struct batch *slot);
/* Puts a copy of a finished job behind what is there. */
void batch_copy(struct batch *slot, const struct job *job);
bool batch_has(const struct batch *batch, enum job_state state);
enum verdict batch_verdict(const struct batch *batch);
/* Starts the jobs again that are not done (all: all jobs), with a fresh allowance. */
void batch_restart(struct step *step, struct lane *lane, bool all);
/* Starts the jobs again that are done, and only those: they judged a tree that is gone. */
void batch_redo(struct step *step, struct lane *lane);
/* Takes the end of an attempt; false when the event does not fit any more. */
bool job_end(struct step *step, struct lane *lane, const struct event *event);
/* Tells every running attempt to end that was not told yet. Without begun only those that still
 * wait for their time. */
void job_stop_all(struct step *step, bool begun);
/* The job's newest attempt is gone without an end: the job does not run any more. */
void job_lose(struct engine *engine, struct job *job);

/* --- spend.c --- */
/* Whether the budget has room for the job. Once it has none, no agent is allowed any more. */
bool spend_allows(struct step *step, const struct job *job);
void spend_start(struct step *step, struct job *job);
/* Gives the job's reservation back; spend_end() also counts what the attempt used. */
void spend_free(struct engine *engine, struct job *job);
void spend_end(struct step *step, struct job *job);
/* Whether a job that ended badly did so for want of budget; told: it had been told to end. */
bool spend_cuts(struct step *step, const struct job *job, bool told);
/* After each event: what follows when something is used up. */
void spend_look(struct step *step);

/* --- keep.c --- */
/* Keeps the document of a batch that has just ended. */
void doc_keep(struct lane *lane, const struct batch *batch);
void docs_release(struct lane *lane);

/* --- diary.c --- */
void diary_start(struct step *step, const struct event *event);
void diary_ended(struct step *step, const struct lane *lane, const struct job *job);
void diary_choice(struct step *step, const struct lane *lane, enum question question,
                  enum choice choice);
void diary_drift(struct step *step, const struct lane *lane);
void diary_release(struct engine *engine);

/* --- lane.c --- */
void lane_init(struct lane *lane, uint32_t id, uint32_t group, uint32_t phase_count);
void lane_release(struct lane *lane);
void lane_move(struct step *step, struct lane *lane, enum lane_state next);
bool lane_is_task(const struct lane *lane);
void lane_enter(struct step *step, struct lane *lane, uint32_t phase);
void lane_work(struct step *step, struct lane *lane);
/* An iteration of a task's lane (its work, or a repair) begins; goes on after it was cut off; has
 * ended. */
void iteration_begin(struct step *step, struct lane *lane);
void iteration_again(struct step *step, struct lane *lane);
void iteration_end(struct step *step, struct lane *lane);
void lane_ask(struct step *step, struct lane *lane, enum question question);
/* The lane has passed its phase: a task's lane waits for its group, the main lane goes on. */
/* Whether it has passed a gate whose review could not look at some files. */
bool lane_is_partial(const struct lane *lane, const struct plan *plan);
void lane_phase_done(struct step *step, struct lane *lane);
/* A task's lane gets its place: to work, or back to what it was doing before it rested. */
void lane_begin(struct step *step, struct lane *lane);
/* The lane's jobs were cut off or died: starts again what must be done again, or what must come
 * before it. */
void lane_again(struct step *step, struct lane *lane);
/* Goes on to what follows, if all jobs of lane->now are over. */
void lane_advance(struct step *step, struct lane *lane);
/* Whether a job of the lane is dead and none runs: the lane waits for a resume. */
bool lane_is_failed(const struct lane *lane);
/* Whether the lane holds one of lane_max places. */
bool lane_is_active(const struct lane *lane);
/* Whether the lane is in an iteration. */
bool lane_iterates(const struct lane *lane);
/* Whether the lane delivers although a stage that it needs does not hold any more: the delivery is
 * void. */
bool lane_is_void(const struct step *step, const struct lane *lane);

/* --- policy.c: of a gate that has one --- */
/* How the ledger judges this review. */
struct ledger_rule policy_rule(const struct engine *engine, const struct batch *review);
/* lane->review was given when the run began. */
void policy_give(struct lane *lane);
/* Asks those that look now: the panel at all of it, or the checker. */
void policy_ask(struct step *step, struct lane *lane);
/* Those that look first are done: asks the others. False: they were asked, or are not to be. */
bool policy_ask_rest(struct step *step, struct lane *lane);
/* What follows the review in lane->review, and the reason where it passes or is bound. */
enum policy_next { POLICY_PASS, POLICY_REPAIR, POLICY_LOOK, POLICY_STUCK, POLICY_BOUND };
enum policy_next policy_after_review(struct step *step, struct lane *lane, enum reason *reason);
/* The repair changed nothing, and no other eyes are to look: what follows. */
enum policy_next policy_after_idle(struct step *step, struct lane *lane, enum reason *reason);
/* What was looked at is not the tree any more. */
void policy_tree_changed(const struct engine *engine, struct lane *lane);
/* The repair was taken back: what is accepted is repaired once more, as long as it is worth it. */
enum policy_next policy_after_take_back(struct step *step, struct lane *lane, enum reason *reason);
/* Whether the next review would look at what it has looked at already. */
bool policy_would_repeat(const struct engine *engine, const struct lane *lane);
/* What is parked is to be repaired once more: lane->review has it. */
void policy_unpark(struct step *step, struct lane *lane);
/* The run goes on with these waivers: what another one held is to be repaired. */
void policy_unwaive(struct step *step, struct lane *lane, const struct event *event);

/* --- gate.c --- */
const struct gate *lane_gate(const struct engine *engine, const struct lane *lane);
/* Whether the vote was given in this review by this job. */
bool vote_is_of_job(const struct vote *vote, const struct batch *review, const struct job *job);
void gate_enter(struct step *step, struct lane *lane, uint32_t phase);
/* The run begins with the repair of these findings. False: the plan does not begin with a gate that
 * repairs. */
bool gate_begin_given(struct step *step, struct lane *lane, const struct result *given);
/* A proof is over: the repair begins, goes on, or is taken back. */
void after_proof(struct step *step, struct lane *lane);
/* A repair is over: enters the gate that must look again. */
void gate_recheck(struct step *step, struct lane *lane);
/* The main lane rested since its fixer was stuck: its gate looks again. */
void gate_unstick(struct step *step, struct lane *lane);
/* Whether one more repair is within its bound, and so the review behind that. */
bool gate_may_repair(const struct gate *gate, const struct tally *tally);
void lane_repair(struct step *step, struct lane *lane);
void after_review(struct step *step, struct lane *lane);
void after_repair(struct step *step, struct lane *lane);
/* False when the choice is not open to this lane. */
bool lane_answer(struct step *step, struct lane *lane, enum choice choice);

/* --- fan.c --- */
void fan_add_groups(struct step *step, const struct result *result);
/* The tasks a batch of the main lane names replace those that have not begun. */
void fan_take_groups(struct step *step, const struct batch *batch);
/* All that the lanes of the group can do now: begin, check, integrate, go on to the next group. */
void fan_advance(struct step *step);
void fan_integrated(struct step *step, struct lane *lane);

/* --- census.c --- */
/* To be called when a step changes something of the lane. */
void lane_touch(struct step *step, struct lane *lane);
/* Counts the lane as it is now; or all that the step has changed, or all there are. */
void census_take(struct engine *engine, struct lane *lane);
void census_take_moved(struct engine *engine);
void census_take_all(struct engine *engine);
/* The group at work is the next one, of which no lane was counted yet. */
void census_next_group(struct engine *engine);
/* The first lane of the group that is counted as this. There must be one. */
struct lane *census_first(struct engine *engine, enum census which);
/* What the lane is to be counted as: a bit for each enum census. */
uint8_t lane_census(const struct engine *engine, const struct lane *lane);

/* --- check.c --- */
/* Asserts the invariants of the lanes that the step has changed. */
void engine_check_moved(const struct engine *engine);

/* --- engine.c --- */
void engine_over(struct step *step, enum reason reason);

#endif
