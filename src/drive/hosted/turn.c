/* SPDX-License-Identifier: Apache-2.0
 *
 * turn.c - the host's agents come and go, and its turn ends.
 *
 *   turn ends:  take what is there --> do what is hone's own --> over?        let it end
 *                                                               all at work? let it end: it wakes
 *                                                               else         go on, and with what
 *
 * 1. A host ends a turn by itself after eight blocks in a row, and tells neither hone nor the user.
 *    So hone lets go before that: the run is stopped, the user is told, and it can be continued.
 * 2. An agent that starts and an answer that is taken are progress: the count begins anew.
 * 3. Codex does not say that an agent is lost, and never ends a turn by itself. Its model was told
 *    to wait for the agents: if it ends the turn again and again at once, or after a very long
 *    time, the agents are gone, and hone asks for them again. */
#include "drive/hosted/parts.h"

enum { BLOCKS_MAX = 6 };
enum { VAIN_BLOCKS = 3, VAIN_EACH_MS = 5000, VAIN_MS_MAX = 30 * 60 * 1000 };

/* The run, where the session has one at work. */
static bool open_running(struct hosted *hosted)
{
    if (hosted_look(hosted) != 0) return false;
    if (!hosted->bound) return hosted_adopt(hosted);
    if (hosted->notes.state != HOST_RUNNING && !hosted->stale) return false;
    if (hosted_open(hosted) != 0) return false;
    if (hosted->drive.run.engine.state != ENGINE_ENDED) return true;
    (void)hosted_leave(hosted);
    return false;
}

static bool is_wanted(const struct host_notes *notes, struct str role)
{
    for (uint32_t i = 0; i < notes->wanted_count; i++) {
        if (str_is(role, notes->wanted[i].role)) return true;
    }
    return false;
}

/* ---- agents ---- */

/* Where the agent's prompt is, said once more to the agent itself. */
static void tell_agent(struct hosted *hosted, struct str role)
{
    const struct host_wanted *only = NULL;
    struct hosted_page page = hosted_page(hosted);
    const char *folder;

    for (uint32_t i = 0; i < hosted->notes.wanted_count; i++) {
        const struct host_wanted *wanted = &hosted->notes.wanted[i];
        if (!str_is(role, wanted->role)) continue;
        if (only) return; /* which of them it is only its prompt says */
        only = wanted;
    }
    if (!only || !only->given) return;
    folder = arena_printf(&hosted->arena, "%s/runs/%s/%u-%u", hosted->drive.run.repo.hone_dir,
                          hosted->notes.run, (unsigned)only->job, (unsigned)only->attempt);
    page.folder = slot_text(str_of(folder), SHOWN_BYTES_MAX);
    hook_context(&hosted->reply->out, HOOK_SUBAGENT_START,
                 hosted_words(hosted_page_task, &page, &hosted->arena));
}

/* One more of a role is at work: of several that are wanted, the next. */
static void see_one(struct host_notes *notes, struct str role)
{
    for (uint32_t i = 0; i < notes->wanted_count; i++) {
        if (!str_is(role, notes->wanted[i].role) || notes->wanted[i].seen) continue;
        notes->wanted[i].seen = true;
        return;
    }
}

void hosted_agent_started(struct hosted *hosted)
{
    struct host_notes *notes = &hosted->notes;
    struct str role;

    if (hosted->in->agent_type.size == 0 || hosted_look(hosted) != 0 || !hosted->bound) return;
    role = hosted_role(hosted, hosted->in->agent_type);
    if (notes->state != HOST_RUNNING || !is_wanted(notes, role)) return;
    if (hosted_lock(hosted) != 0) return;
    see_one(notes, role);
    notes->blocks = 0;
    if (hosted->in->agent_id.size) host_agent_add(notes, hosted->in->agent_id, role);
    host_agents_trim(notes);
    (void)host_notes_write(notes, hosted->drive.run.repo.hone_dir, &hosted->err);
    tell_agent(hosted, role);
}

/* An agent of this role has stopped, so one was at work, whether its start was seen or not. */
static void note_seen(struct hosted *hosted, struct str role)
{
    bool known = false;

    for (uint32_t i = 0; i < hosted->notes.agent_count; i++) {
        known = known || str_is(hosted->in->agent_id, hosted->notes.agents[i].id);
    }
    if (!known) see_one(&hosted->notes, role);
    host_agent_remove(&hosted->notes, hosted->in->agent_id);
}

/* Whether another one of the role has been started since: that one's answer is waited for. */
static bool is_replaced(const struct host_notes *notes, struct str id, struct str role)
{
    uint32_t at_work = 0, wanted = 0;

    if (id.size == 0 || host_agent_find(notes, id)) return false;
    for (uint32_t i = 0; i < notes->agent_count; i++) {
        at_work += str_is(role, notes->agents[i].role);
    }
    for (uint32_t i = 0; i < notes->wanted_count; i++) {
        wanted += str_is(role, notes->wanted[i].role);
    }
    return at_work > 0 && at_work >= wanted;
}

/* Its answer is taken: in Codex the model has to close it. */
static void note_ended(struct hosted *hosted, struct str role)
{
    if (hosted->in->host != HOOK_CODEX || role.size == 0) return;
    host_agent_end(&hosted->notes, hosted->in->agent_id, role);
}

void hosted_agent_stopped(struct hosted *hosted)
{
    struct str role;

    if (hosted->in->agent_type.size == 0 || !open_running(hosted)) return;
    role = hosted_role(hosted, hosted->in->agent_type);
    if (is_replaced(&hosted->notes, hosted->in->agent_id, role)) {
        note_ended(hosted, role);
        (void)hosted_leave(hosted);
        return;
    }
    note_seen(hosted, role);
    if (is_wanted(&hosted->notes, role)) {
        hosted_take_role(hosted, role, hosted->in->last_message);
        hosted_perform(hosted, false);
    }
    if (hosted->reply->code != 0) host_agent_add(&hosted->notes, hosted->in->agent_id, role);
    else note_ended(hosted, role);
    (void)hosted_leave(hosted);
}

void hosted_agent_failed(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    struct live *live;
    struct str role;
    const char *why;

    if (hosted->in->agent_type.size == 0 || !open_running(hosted)) return;
    role = hosted_role(hosted, hosted->in->agent_type);
    note_seen(hosted, role);
    why = arena_printf(&hosted->arena, "the host lost it (%.*s)",
                       (int)(hosted->in->last_message.size > 200 ? 200
                                                                 : hosted->in->last_message.size),
                       hosted->in->last_message.data ? hosted->in->last_message.data : "");
    for (uint32_t at = 0; (live = live_next(drive, &at));) {
        if (!hosted_is_played(drive, live)) continue;
        if (!str_is(role, drive->run.plan.roles[live->action.role].name)) continue;
        attempt_fail(drive, live, FAILURE_EXIT, false, why);
        break;
    }
    hosted_perform(hosted, false);
    (void)hosted_leave(hosted);
}

/* ---- the turn ---- */

/* How many are wanted and not at work. */
static uint32_t outstanding(const struct hosted *hosted)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < hosted->notes.wanted_count; i++) {
        if (!hosted_runs(hosted, hosted->notes.wanted[i].role)) count++;
    }
    return count;
}

/* Whether the host waits for agents that were seen to start and cannot be there any more. */
static bool waits_in_vain(const struct hosted *hosted)
{
    const struct host_notes *notes = &hosted->notes;
    uint64_t now_ms = now_wall_ms();
    uint64_t passed_ms = now_ms > notes->blocked_ms ? now_ms - notes->blocked_ms : 0;

    if (hosted->in->host != HOOK_CODEX || notes->blocks < VAIN_BLOCKS) return false;
    if (notes->agent_count == 0 || outstanding(hosted) > 0) return false;
    return passed_ms < (uint64_t)notes->blocks * VAIN_EACH_MS || passed_ms > VAIN_MS_MAX;
}

/* How it ended or what it asks, to the person: Claude Code shows what a hook says, and the turn
 * ends. `codex exec` does not, so that there the model is told to say it; the next end of the turn
 * is the last one. */
static void tell_standing(struct hosted *hosted)
{
    bool codex = hosted->in->host == HOOK_CODEX;
    struct buf text;

    buf_init(&text, 1 << 20);
    if (codex) hosted_tell_first(hosted, &text);
    hosted_standing(hosted, &text);
    if (codex) hook_block(&hosted->reply->out, buf_str(&text));
    else hook_tell(&hosted->reply->out, buf_str(&text));
    buf_release(&text);
}

static void block(struct hosted *hosted)
{
    struct buf text;

    buf_init(&text, 1 << 20);
    hosted_instruct(hosted, &text);
    hook_block(&hosted->reply->out, buf_str(&text));
    buf_release(&text);
}

/* It ended in the middle of the turn: said once. */
static void turn_after(struct hosted *hosted)
{
    if (!hosted->bound || hosted->notes.told) return;
    if (!hosted->opened && hosted_open(hosted) != 0) return;
    hosted->notes.told = true;
    hosted_note_told(hosted);
    if (hosted_leave(hosted) == 0) tell_standing(hosted);
}

void hosted_turn_ends(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    bool waits, blocks;

    if (!open_running(hosted)) {
        if (hosted->err.code == ERR_NONE) turn_after(hosted);
        return;
    }
    hosted_take_left(hosted);
    if (waits_in_vain(hosted)) {
        hosted->notes.agent_count = hosted->notes.blocks = 0;
        hosted_take_left(hosted);
    }
    hosted_perform(hosted, true);
    waits = drive->run.engine.state != ENGINE_ENDED && !drive->broken;
    if (waits && outstanding(hosted) > 0 && hosted->notes.blocks >= BLOCKS_MAX) {
        drive_push(drive, (struct event){ .kind = EV_STOP, .now_ms = now_wall_ms() });
        hosted_perform(hosted, false);
        waits = false;
    }
    if (waits && outstanding(hosted) > 0) {
        hosted_give(hosted);
        hosted_perform(hosted, true); /* the tree may not be what was judged */
        waits = drive->run.engine.state != ENGINE_ENDED && !drive->broken;
        if (waits) hosted_give(hosted);
    }
    blocks = waits && (outstanding(hosted) > 0 || hosted->in->host == HOOK_CODEX);
    if (blocks && hosted->notes.blocks++ == 0) {
        hosted->notes.blocked_ms = now_wall_ms();
    }
    hosted->notes.told = !waits;
    if (blocks || !waits) hosted_note_told(hosted);
    if (hosted_leave(hosted) != 0) return;
    if (!waits) tell_standing(hosted);
    else if (blocks) block(hosted);
}
