/* SPDX-License-Identifier: Apache-2.0
 *
 * notation_write.c - a loop, or the plan of a dialect, in the notation that notation.c reads.
 *
 * What the reader takes for granted where a file says nothing is not written: a file has what makes
 * the loop what it is. The tree is libyaml's to write (format/text/yaml_tree.h). */
#include "dialect/custom/custom.h"

#include "format/text/yaml_tree.h"

#include <assert.h>
#include <string.h>

struct loop_writer {
    const struct loop *loop;
    struct arena arena;
};

static const char *const severity_words[SEVERITY_COUNT] = { "low", "medium", "high" };
static const char *const fail_words[] = {
    [FAIL_REPAIR] = "repair", [FAIL_RESTART] = "restart", [FAIL_PROCEED] = "proceed",
    [FAIL_STOP] = "stop",
};
static const char *const bound_words[] = {
    [BOUND_STOP] = "stop", [BOUND_ASK] = "ask", [BOUND_ESCALATE] = "escalate",
    [BOUND_RESTART] = "restart", [BOUND_PROCEED] = "proceed", [BOUND_STUCK] = "stuck",
};
static const char *const stuck_words[] = {
    [STUCK_REPAIRED] = "repaired", [STUCK_ASK] = "ask", [STUCK_REST] = "rest",
};
static const char *const kind_words[CUSTOM_KIND_COUNT] = {
    [CUSTOM_REMIT] = "remit", [CUSTOM_NAMED] = "role", [CUSTOM_RUN] = "run",
    [CUSTOM_COMMIT] = "commit", [CUSTOM_MERGE] = "merge",
};

static void put_text(struct loop_writer *writer, struct yaml_node *map, const char *key,
                     const char *text)
{
    yaml_put(map, key, yaml_new_text(str_of(text), &writer->arena), &writer->arena);
}

static void put_number(struct loop_writer *writer, struct yaml_node *map, const char *key,
                       uint32_t number)
{
    put_text(writer, map, key, arena_printf(&writer->arena, "%u", (unsigned)number));
}

static const char *role_name(const struct loop_writer *writer, uint16_t role)
{
    return writer->loop->plan.roles[role].name;
}

/* Whether some gate has it among its reviewers, or as the one that looks again; or a checkpoint. */
static bool role_looks(const struct plan *plan, uint16_t role)
{
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct gate *gate = &plan->phases[i].gate;

        if (gate->checker == role || plan->phases[i].work.checkpoint_role == role) return true;
        for (uint32_t k = 0; k < gate->reviewer_count; k++) {
            if (gate->reviewers[k] == role) return true;
        }
    }
    return false;
}

static struct yaml_node *role_node(struct loop_writer *writer, uint16_t index)
{
    const struct custom_role *own = &writer->loop->roles[index];
    const struct role *role = &writer->loop->plan.roles[index];
    struct yaml_node *map = yaml_new(YAML_MAP, &writer->arena), *retries;
    uint32_t usual = !role->builtin;

    put_text(writer, map, kind_words[own->kind], own->text);
    if (own->reader != (own->kind == CUSTOM_RUN ? CUSTOM_EXIT : CUSTOM_TEXT)) {
        put_text(writer, map, "answers", custom_reader_words[own->reader]);
    }
    if (!role->builtin && !role->writes && !role_looks(&writer->loop->plan, index)) {
        put_text(writer, map, "writes", "false");
    }
    if (role->commits) put_text(writer, map, "commits", "true");
    if (role->confined) put_text(writer, map, "confined", "true");
    if (role->ask_when_dead) put_text(writer, map, "ask-when-dead", "true");
    if (role->invalid_max != usual || role->failed_max != usual) {
        retries = yaml_new(YAML_MAP, &writer->arena);
        put_number(writer, retries, "invalid", role->invalid_max);
        put_number(writer, retries, "failed", role->failed_max);
        yaml_put(map, "retries", retries, &writer->arena);
    }
    if (own->agent) put_text(writer, map, "agent", own->agent);
    if (own->effort) put_text(writer, map, "effort", own->effort);
    return map;
}

static void put_stages(struct loop_writer *writer, struct yaml_node *map, const char *key,
                       uint32_t bits)
{
    struct yaml_node *list = yaml_new(YAML_LIST, &writer->arena);

    for (uint32_t i = 0; bits && writer->loop->stages && writer->loop->stages[i]; i++) {
        if (!(bits & UINT32_C(1) << i)) continue;
        yaml_append(list, yaml_new_text(str_of(writer->loop->stages[i]), &writer->arena),
                    &writer->arena);
    }
    if (list->count > 0) yaml_put(map, key, list, &writer->arena);
}

static void put_pass(struct loop_writer *writer, struct yaml_node *map,
                     const struct custom_pass *pass)
{
    struct yaml_node *rule = yaml_new(YAML_MAP, &writer->arena);

    if (pass->severity != SEVERITY_LOW) {
        put_text(writer, rule, "severity", severity_words[pass->severity]);
    }
    if (pass->grade != GRADE_PASS) put_text(writer, rule, "grade", grade_word(pass->grade));
    if (pass->nonzero) put_text(writer, rule, "exit", "nonzero");
    if (rule->count > 0) yaml_put(map, "pass", rule, &writer->arena);
}

static void put_repair(struct loop_writer *writer, struct yaml_node *map,
                       const struct phase *phase)
{
    const struct repair *repair = &phase->gate.repair;
    struct yaml_node *rule = yaml_new(YAML_MAP, &writer->arena);

    put_text(writer, rule, "role", role_name(writer, repair->role));
    if (phase->repair_name) put_text(writer, rule, "name", phase->repair_name);
    if (repair->then != ROLE_NONE) put_text(writer, rule, "then", role_name(writer, repair->then));
    if (repair->on_stuck != STUCK_REPAIRED) {
        put_text(writer, rule, "when-stuck", stuck_words[repair->on_stuck]);
    }
    yaml_put(map, "repair", rule->count == 1 ? rule->items[0] : rule, &writer->arena);
}

static struct yaml_node *gate_node(struct loop_writer *writer, uint32_t index)
{
    const struct phase *phase = &writer->loop->plan.phases[index];
    const struct gate *gate = &phase->gate;
    struct yaml_node *map = yaml_new(YAML_MAP, &writer->arena);
    struct yaml_node *list = yaml_new(YAML_LIST, &writer->arena);
    bool repairs = gate->on_fail == FAIL_REPAIR;

    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        const char *name = role_name(writer, gate->reviewers[i]);

        yaml_append(list, yaml_new_text(str_of(name), &writer->arena), &writer->arena);
    }
    yaml_put(map, "reviewers", list, &writer->arena);
    put_pass(writer, map, &writer->loop->passes[index]);
    if (gate->votes_min > 1) put_number(writer, map, "votes", gate->votes_min);
    if (gate->votes_or_evidence) put_text(writer, map, "or", "evidence");
    if (gate->on_fail != (gate->repair.role ? FAIL_REPAIR : FAIL_STOP)) {
        put_text(writer, map, "on-fail", fail_words[gate->on_fail]);
    }
    if (gate->repair.role != ROLE_NONE) put_repair(writer, map, phase);
    if (repairs && (gate->bound_said || !writer->loop->until)) {
        put_number(writer, map, "repairs", gate->repair_max);
    }
    if (gate->at_bound != (phase->fan ? BOUND_STUCK : BOUND_STOP)) {
        put_text(writer, map, "at-bound", bound_words[gate->at_bound]);
    }
    if (gate->recheck != index) {
        put_text(writer, map, "recheck", writer->loop->plan.phases[gate->recheck].name);
    }
    put_stages(writer, map, "mints", gate->mints);
    if (gate->checker != ROLE_NONE) put_text(writer, map, "checker", role_name(writer,
                                                                               gate->checker));
    if (gate->repeat_max > 0) put_number(writer, map, "repeats", gate->repeat_max);
    return map;
}

static void put_work(struct loop_writer *writer, struct yaml_node *map, const struct work *work)
{
    struct yaml_node *rule = yaml_new(YAML_MAP, &writer->arena), *point;

    put_text(writer, rule, "role", role_name(writer, work->role));
    if (work->copies > 1) put_number(writer, rule, "copies", work->copies);
    if (work->run_max > 0) put_number(writer, rule, "again", work->run_max);
    if (work->checkpoint_every > 0) {
        point = yaml_new(YAML_MAP, &writer->arena);
        put_text(writer, point, "role", role_name(writer, work->checkpoint_role));
        put_number(writer, point, "every", work->checkpoint_every);
        yaml_put(rule, "checkpoint", point, &writer->arena);
    }
    yaml_put(map, "work", rule->count == 1 ? rule->items[0] : rule, &writer->arena);
}

static void put_lanes(struct loop_writer *writer, struct yaml_node *map)
{
    const struct plan *plan = &writer->loop->plan;
    struct yaml_node *rule = yaml_new(YAML_MAP, &writer->arena);

    put_number(writer, rule, "at-once", plan->lane_max);
    put_text(writer, rule, "integrate", role_name(writer, plan->integrate));
    yaml_put(map, "lanes", rule, &writer->arena);
}

static struct yaml_node *phase_node(struct loop_writer *writer, uint32_t index)
{
    const struct phase *phase = &writer->loop->plan.phases[index];
    struct yaml_node *map = yaml_new(YAML_MAP, &writer->arena);

    put_text(writer, map, "name", phase->name);
    put_stages(writer, map, "needs", phase->needs);
    if (phase->fan) put_lanes(writer, map);
    if (phase->work.role != ROLE_NONE) put_work(writer, map, &phase->work);
    if (phase->gate.reviewer_count > 0) {
        yaml_put(map, "gate", gate_node(writer, index), &writer->arena);
    }
    return map;
}

/* "usd=5,calls=40" as a mapping. */
static void put_budget(struct loop_writer *writer, struct yaml_node *map, struct str text)
{
    struct yaml_node *budget = yaml_new(YAML_MAP, &writer->arena);
    struct str part, name;

    while (str_cut(&text, ',', &part)) {
        (void)str_cut(&part, '=', &name);
        yaml_put(budget, arena_cstr(&writer->arena, name),
                 yaml_new_text(arena_copy(&writer->arena, part), &writer->arena), &writer->arena);
    }
    if (budget->count > 0) yaml_put(map, "budget", budget, &writer->arena);
}

/* The first line of its text is its title. */
static struct yaml_node *task_node(struct loop_writer *writer, const struct loops_task *task)
{
    struct yaml_node *map = yaml_new(YAML_MAP, &writer->arena), *list;

    put_text(writer, map, "id", task->id);
    put_text(writer, map, "task", task->text.size == 0 ? task->title
             : arena_printf(&writer->arena, "%s\n\n%.*s\n", task->title, STR_ARG(task->text)));
    if (*task->group) put_text(writer, map, "group", task->group);
    if (task->need_count == 0) return map;
    list = yaml_new(YAML_LIST, &writer->arena);
    for (uint32_t i = 0; i < task->need_count; i++) {
        yaml_append(list, yaml_new_text(str_of(task->needs[i]), &writer->arena), &writer->arena);
    }
    yaml_put(map, "after", list, &writer->arena);
    return map;
}

static void put_tasks(struct loop_writer *writer, struct yaml_node *map)
{
    const struct loops_tasks *tasks = &writer->loop->tasks;
    struct yaml_node *list = yaml_new(YAML_LIST, &writer->arena);

    for (uint32_t i = 0; i < tasks->count; i++) {
        yaml_append(list, task_node(writer, &tasks->items[i]), &writer->arena);
    }
    if (list->count > 0) yaml_put(map, "tasks", list, &writer->arena);
}

void loop_write(const struct loop *loop, struct buf *out)
{
    struct loop_writer writer = { .loop = loop };
    struct yaml_node *map = yaml_new(YAML_MAP, &writer.arena), *roles, *phases;
    const struct plan *plan = &loop->plan;

    put_text(&writer, map, "about", loop->about);
    if (loop->task) put_text(&writer, map, "task", loop->task);
    if (loop->until) put_text(&writer, map, "until", loop->until);
    if (loop->budget) put_budget(&writer, map, str_of(loop->budget));
    if (loop->files) put_text(&writer, map, "files", loop->files);
    if (plan->iteration_max > 1) put_number(&writer, map, "restarts", plan->iteration_max - 1);
    put_tasks(&writer, map);
    roles = yaml_new(YAML_MAP, &writer.arena);
    for (uint32_t i = 1; i < plan->role_count + plan->checker_count; i++) {
        yaml_put(roles, plan->roles[i].name, role_node(&writer, (uint16_t)i), &writer.arena);
    }
    yaml_put(map, "roles", roles, &writer.arena);
    phases = yaml_new(YAML_LIST, &writer.arena);
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        yaml_append(phases, phase_node(&writer, i), &writer.arena);
    }
    yaml_put(map, "phases", phases, &writer.arena);
    yaml_tree_write(map, out);
    arena_release(&writer.arena);
}

static enum custom_reader reader_of(const char *word)
{
    uint32_t reader = 0;

    while (strcmp(custom_reader_words[reader], word) != 0) reader++;
    assert(reader < CUSTOM_READER_COUNT);
    return (enum custom_reader)reader;
}

int loop_of_plan(const struct dialect *dialect, const struct plan *plan, struct arena *arena,
                 struct loop *out, struct err *err)
{
    const struct dialect_notation *notation = dialect->notation;
    uint32_t count = plan->role_count + plan->checker_count;

    if (!notation || notation->beyond) {
        return err_set(err, ERR_USAGE, "the notation of loop files cannot say all of %s: %s",
                       dialect->name, notation ? notation->beyond : "it is a loop file already");
    }
    *out = (struct loop){ .about = dialect->summary, .task = dialect->task_default, .plan = *plan,
                          .commits = dialect->commits };
    out->roles = arena_alloc(arena, count * sizeof *out->roles);
    out->passes = arena_alloc(arena, plan->phase_count * sizeof *out->passes);
    for (uint32_t i = 1; i < count; i++) {
        const char *name = plan->roles[i].name;
        bool commits = plan->roles[i].builtin;

        out->roles[i] = (struct custom_role){
            .kind = commits ? CUSTOM_COMMIT : CUSTOM_NAMED,
            .text = commits ? notation->commit : name,
            .reader = commits ? CUSTOM_TEXT : reader_of(notation->answers(name)),
        };
    }
    return 0;
}
