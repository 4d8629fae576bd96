/* SPDX-License-Identifier: Apache-2.0
 *
 * spending.c - the budget where it meets the clock and agents.
 *
 * The engine counts and decides (core/spend.c). Here is what it cannot do by itself: to look at the
 * clock while nothing happens, and to tell each agent what is left for it. Claude Code is held to
 * that; a hone that an agent starts finds it in HONE_BUDGET and takes it for its own bound.
 *
 * If an agent starts a run of its own, what that run used counts as the agent's:
 *
 *   hone run --> agent --> hone run: at its end, a line in the agent's folder
 *                  '-- ends --> the lines are added to what the agent's own program reported
 *
 * A run knows that it is a child by HONE_RUN, and by HONE_OUTPUT where the agent's folder is
 * (place_around). The
 * folder is the agent's to write to, so nothing there is believed but numbers, and these only add.
 * Of two such runs that end in the same moment one line may be lost; one that is killed writes
 * none. */
#include "drive/spending.h"

#include "format/text/budget_text.h"
#include "format/text/safe.h"
#include "io/file/scratch.h"
#include "run/place.h"

#include <inttypes.h>
#include <string.h>

enum { BUDGET_BYTES_MAX = 256, CHILDREN_BYTES_MAX = 64 << 10 };

struct budget spending_budget(const char *text)
{
    struct budget budget = { 0 };
    struct err none;

    if (text && *text) (void)budget_read(str_of(text), &budget, &none);
    return budget;
}

/* ---- what a budget cannot bind ---- */

static bool agent_tells(const struct backend *backend, enum budget_part part)
{
    return part == BUDGET_USD ? backend->tells_cost : backend->tells_tokens;
}

/* The agents of the run that use something and do not report this, each SPEC once. *bound: whether
 * any does; *nests: whether one may start a run that does. */
static const char *agents_silent(const struct run *run, enum budget_part part, bool *bound,
                                 bool *nests, struct arena *arena)
{
    enum { NAMES_BYTES_MAX = 1000 };
    struct buf names;

    *bound = *nests = false;
    buf_init(&names, 64 * NAMES_BYTES_MAX);
    for (uint32_t i = 1; i < run->plan.role_count; i++) {
        const struct agent *agent = &run->agents[i];
        bool said = false;

        if (run->plan.roles[i].builtin || !agent->backend || !agent->backend->may_cost) continue;
        *bound |= agent_tells(agent->backend, part);
        *nests |= agent->backend->may_nest;
        if (agent_tells(agent->backend, part)) continue;
        for (uint32_t k = 1; k < i; k++) {
            said |= run->agents[k].spec && strcmp(run->agents[k].spec, agent->spec) == 0;
        }
        if (said || names.size > NAMES_BYTES_MAX) continue;
        if (names.size) buf_text(&names, ", ");
        safe_text(&names, str_of(agent->spec), true, 80);
    }
    return arena_take_cstr(arena, &names);
}

static const char *const told_by_agents[] = { [BUDGET_USD] = "usd", [BUDGET_TOKENS] = "tokens" };

int spending_refuses(const struct run *run, const struct budget *budget, struct err *err)
{
    struct arena arena = { 0 };
    int rc = 0;

    for (enum budget_part part = BUDGET_USD; part <= BUDGET_TOKENS && rc == 0; part++) {
        bool bound, nests;
        const char *silent = agents_silent(run, part, &bound, &nests, &arena);

        if (budget->limit.of[part] == 0 || bound || nests || !*silent) continue;
        rc = err_set(err, ERR_USAGE, "a budget of %s binds nothing here: none of the agents "
                     "reports it (%.200s); bound the run with time= or calls=",
                     told_by_agents[part], silent);
    }
    arena_release(&arena);
    return rc;
}

void spending_warn(struct drive *drive, const struct budget *budget)
{
    struct arena arena = { 0 };

    for (enum budget_part part = BUDGET_USD; part <= BUDGET_TOKENS; part++) {
        bool bound, nests;
        const char *silent = agents_silent(&drive->run, part, &bound, &nests, &arena);

        if (budget->limit.of[part] == 0 || !*silent) continue;
        drive_warn(drive, "the budget of %s does not bind agents that report none: %s; time= and "
                   "calls= bind all", told_by_agents[part], silent);
    }
    arena_release(&arena);
}

/* ---- the clock ---- */

int64_t spending_due_in(const struct drive *drive, uint64_t now_ms)
{
    uint64_t deadline_ms = engine_deadline_ms(&drive->run.engine);

    if (deadline_ms == 0) return -1;
    return deadline_ms > now_ms ? (int64_t)(deadline_ms - now_ms) : 0;
}

void spending_look(struct drive *drive, uint64_t now_ms)
{
    if (spending_due_in(drive, now_ms) != 0) return;
    drive_warn(drive, "the time of the budget is over: no agent is started any more");
    drive_push(drive, (struct event){ .kind = EV_SPENT, .now_ms = now_ms });
}

/* ---- agents ---- */

void spending_tell(const struct drive *drive, struct live *live, struct attempt *about,
                   struct arena *arena)
{
    const struct budget *budget = &drive->run.engine.budget;
    struct budget share = { .stop = budget->stop };
    struct buf text;

    if (!budget_has_limit(budget) || is_builtin(&drive->run, &live->action)) return;
    share.limit = engine_share(&drive->run.engine, live->action.job);
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        if (budget->limit.of[i] > 0 && share.limit.of[i] == 0) share.limit.of[i] = 1;
    }
    live->share_micros = about->budget_micros = share.limit.of[BUDGET_USD];
    buf_init(&text, BUDGET_BYTES_MAX);
    budget_write(&share, &text);
    about->budget = arena_take_cstr(arena, &text);
}

bool spending_was_all(const struct drive *drive, const struct live *live, uint64_t cost_micros)
{
    const struct engine *engine = &drive->run.engine;
    uint64_t share = live->share_micros; /* 0: it was started before a crash */

    if (engine->budget.limit.of[BUDGET_USD] == 0) return false;
    if (share == 0) share = engine_share(engine, live->action.job).of[BUDGET_USD];
    return cost_micros > 0 && cost_micros + 1 >= share;
}

/* ---- runs that an agent starts ---- */

static const char children_name[] = "children";

static uint64_t since(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

void children_tell(struct drive *drive)
{
    const struct usage *now = &drive->run.engine.usage, *before = &drive->used_before;
    const char *folder = place_around(&drive->run.arena);
    struct err none;
    struct buf lines;

    if (!folder) return;
    buf_init(&lines, CHILDREN_BYTES_MAX);
    if (scratch_read(folder, children_name, &lines, &none) != 0) buf_clear(&lines);
    buf_printf(&lines, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
               since(now->cost_micros, before->cost_micros),
               since(now->tokens_in, before->tokens_in),
               since(now->tokens_out, before->tokens_out));
    if (!lines.overflow) (void)scratch_replace(folder, children_name, buf_str(&lines), &none);
    buf_release(&lines);
}

void children_add(const char *dir, struct usage *usage)
{
    struct str rest, line;
    struct err none;
    struct buf lines;

    buf_init(&lines, CHILDREN_BYTES_MAX);
    if (scratch_read(dir, children_name, &lines, &none) != 0) buf_clear(&lines);
    rest = buf_str(&lines);
    while (str_cut(&rest, '\n', &line)) {
        struct str word;
        uint64_t numbers[3];
        uint32_t count = 0;

        while (count < 3 && str_cut(&line, ' ', &word)) {
            if (!str_number(word, &numbers[count])) break;
            count++;
        }
        if (count < 3 || line.size > 0) continue;
        usage_add(usage, &(struct usage){ .cost_micros = numbers[0], .tokens_in = numbers[1],
                                          .tokens_out = numbers[2] });
    }
    buf_release(&lines);
}
