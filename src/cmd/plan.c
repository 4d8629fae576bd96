/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.c - hone plan: a loop drawn before it runs, and what it can take at most.
 *
 * It takes what `hone run` takes, compiles the same plan, and starts nothing. The bounds are the
 * engine's own (core/plan_most.c); what one agent costs is what agents of earlier runs of this
 * repository cost (run/reviewers.h): of the same dialect or loop where there are some, else of any.
 * Without such a run there is no estimate.
 *
 * Three forms of the same: drawn, as JSON, and in the notation of loop files. */
#include "cmd/run.h"

#include "base/clock.h"
#include "base/duration.h"
#include "cmd/say.h"
#include "cmd/verbs.h"
#include "dialect/custom/custom.h"
#include "document/document.h"
#include "format/json/finding_json.h"
#include "format/text/budget_text.h"
#include "io/file/file.h"
#include "run/forecast.h"
#include "run/look.h"
#include "settings/loop_file.h"

#include <inttypes.h>
#include <stdio.h>

enum { PLAN_BYTES_MAX = 1 << 20, NAME_COLUMNS = 20 };

/* What is shown. */
struct drawing {
    struct call *call;
    const struct run_request *request;
    const struct plan *plan;
    struct loop loop;     /* of a loop file */
    bool has_loop;
    struct forecast forecast;
    struct run_settings cast;
    const char *uncast;   /* why roles have no agent; NULL: they have one, or it is not known */
    bool chosen;          /* some have one that hone chose */
};

/* What it can take: by the runs of the repository, where there is one. */
static void make_forecast(struct drawing *drawing)
{
    const struct run_request *request = drawing->request;
    struct look look = { 0 };
    struct err none;

    (void)look_open(&look, drawing->call->cwd, &none);
    forecast_make(request->dialect, &request->settings.options, drawing->plan, look.journal,
                  &drawing->forecast);
    look_close(&look);
}

/* Who would play if the run began now. What was chosen for a run is chosen when that begins. */
static void choose_players(struct drawing *drawing)
{
    struct selection chosen = { 0 };
    struct err err;
    int rc = run_cast(drawing->call, drawing->request, REPO_FIND, &drawing->cast, &chosen, &err);

    drawing->chosen = rc == 0 && chosen.count > 0;
    if (rc == 0 || rc == ERR_MISSING) return;
    drawing->uncast = arena_cstr(&drawing->call->arena, str_of(err.text));
}

/* ---- drawn ---- */

static void put_row(struct buf *out, const char *term, const char *text)
{
    enum { TERM = 14, INDENT = 4 };

    buf_printf(out, "    %-*s", TERM, term);
    add_wrapped(out, text, TERM + INDENT, TERM + INDENT, text_columns(1));
}

static const char *role_name(const struct plan *plan, uint16_t role)
{
    return plan->roles[role].name;
}

static const char *reviewers_text(const struct plan *plan, const struct gate *gate,
                                  struct arena *arena)
{
    const char *text = "";

    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "",
                            role_name(plan, gate->reviewers[i]));
    }
    return text;
}

static const char *fail_text(const struct plan *plan, uint32_t index, struct arena *arena)
{
    static const char *const fails[] = {
        [FAIL_REPAIR] = "", [FAIL_RESTART] = "the loop begins again",
        [FAIL_PROCEED] = "it is noted, and the next phase begins", [FAIL_STOP] = "the run ends",
    };
    const struct phase *phase = &plan->phases[index];
    const struct gate *gate = &phase->gate;
    const char *text, *times = "as often as it takes";

    if (gate->on_fail != FAIL_REPAIR) return fails[gate->on_fail];
    if (gate->repair_max != NO_BOUND) {
        times = arena_printf(arena, "at most %u time%s", (unsigned)gate->repair_max,
                             gate->repair_max == 1 ? "" : "s");
    }
    text = arena_printf(arena, "%s repairs, %s", role_name(plan, gate->repair.role), times);
    if (gate->repair.then != ROLE_NONE) {
        text = arena_printf(arena, "%s, then %s", text, role_name(plan, gate->repair.then));
    }
    return gate->recheck == index ? arena_printf(arena, "%s; then the gate looks again", text)
                                  : arena_printf(arena, "%s; then %s looks again", text,
                                                 plan->phases[gate->recheck].name);
}

static const char *bound_text(const struct gate *gate)
{
    switch (gate->at_bound) {
    case BOUND_STOP:
        return "the run ends, and findings are left";
    case BOUND_ASK:
    case BOUND_ESCALATE:
        return "you are asked";
    case BOUND_RESTART:
        return "the loop begins again";
    case BOUND_PROCEED:
        return "what is left is noted, and the next phase begins";
    case BOUND_STUCK:
        return "this task rests, the others go on";
    }
    return "";
}

static const char *work_text(const struct plan *plan, const struct work *work,
                             struct arena *arena)
{
    const char *text = role_name(plan, work->role);

    if (work->copies > 1) {
        text = arena_printf(arena, "%s, %u side by side, joined by one more", text,
                            (unsigned)work->copies);
    }
    if (work->run_max > 0) {
        text = arena_printf(arena, "%s, again until it says that the task is complete, at most %u "
                            "time%s", text, (unsigned)work->run_max,
                            work->run_max == 1 ? "" : "s");
    }
    if (work->checkpoint_every == 0) return text;
    return arena_printf(arena, "%s; after every %u iteration%s %s looks at the unfinished work of "
                        "all lanes", text, (unsigned)work->checkpoint_every,
                        work->checkpoint_every == 1 ? "" : "s",
                        role_name(plan, work->checkpoint_role));
}

static const char *lanes_text(const struct drawing *drawing)
{
    const struct forecast *forecast = &drawing->forecast;
    const struct plan *plan = drawing->plan;
    struct arena *arena = &drawing->call->arena;
    const char *tasks = "";

    if (forecast->tasks > 0) {
        tasks = arena_printf(arena, "%u task%s in %u group%s, ", (unsigned)forecast->tasks,
                             forecast->tasks == 1 ? "" : "s", (unsigned)forecast->groups,
                             forecast->groups == 1 ? "" : "s");
    }
    return arena_printf(arena, "%sa work tree for each, at most %u at once; %s merges them when "
                        "all of a group have passed", tasks, (unsigned)plan->lane_max,
                        role_name(plan, plan->integrate));
}

static void put_phase(const struct drawing *drawing, uint32_t index, struct buf *out)
{
    const struct plan *plan = drawing->plan;
    const struct phase *phase = &plan->phases[index];
    struct arena *arena = &drawing->call->arena;

    buf_printf(out, "\n%u  %s%s\n", (unsigned)index + 1, phase->name,
               phase->fan ? ", for each task" : "");
    if (phase->fan) put_row(out, "lanes", lanes_text(drawing));
    if (phase->work.role != ROLE_NONE) put_row(out, "work", work_text(plan, &phase->work, arena));
    if (phase->gate.reviewer_count == 0) return;
    put_row(out, "gate", reviewers_text(plan, &phase->gate, arena));
    put_row(out, "passes", loop_passes(plan, drawing->has_loop ? &drawing->loop : NULL,
                                               index, arena));
    put_row(out, "else", fail_text(plan, index, arena));
    if (phase->gate.on_fail == FAIL_REPAIR || phase->gate.on_fail == FAIL_RESTART) {
        put_row(out, "at the bound", bound_text(&phase->gate));
    }
}

static const char *player_text(const struct drawing *drawing, uint32_t index)
{
    const struct role *role = &drawing->plan->roles[index];
    struct arena *arena = &drawing->call->arena;
    const char *spec = settings_spec(&drawing->cast, drawing->request->dialect, role->name, 1,
                                     arena);
    const char *does = role->builtin ? "hone itself" : role->writes ? "writes" : "reads";

    if (drawing->has_loop && drawing->loop.roles[index].kind == CUSTOM_RUN) {
        return arena_printf(arena, "hone runs: %s", drawing->loop.roles[index].text);
    }
    if (role->builtin) return does;
    if (!spec && drawing->uncast) return arena_printf(arena, "%s; no agent here", does);
    if (!spec) return arena_printf(arena, "%s; chosen by the files when a run begins", does);
    if (strcmp(spec, "analyzer:none") == 0) {
        return arena_printf(arena, "%s; no analyzer is left for it", does);
    }
    return arena_printf(arena, "%s; %s", does, spec);
}

static void put_players(const struct drawing *drawing, struct buf *out)
{
    enum { NAME = 24, INDENT = 4 };
    const struct plan *plan = drawing->plan;
    uint32_t columns = text_columns(1);
    struct buf safe;

    buf_init(&safe, PLAN_BYTES_MAX);
    buf_text(out, "\nroles\n");
    for (uint32_t i = 1; i < plan->role_count; i++) {
        buf_clear(&safe);
        add_safe(&safe, player_text(drawing, i), 0);
        buf_printf(out, "%*s%-*s", INDENT, "", NAME, plan->roles[i].name);
        add_wrapped(out, buf_cstr(&safe), INDENT + NAME, INDENT + NAME, columns);
    }
    buf_clear(&safe);
    add_safe(&safe, drawing->uncast ? drawing->uncast : "", 0);
    if (safe.size > 0) {
        buf_text(out, "\nas it is, a run does not begin: ");
        add_wrapped(out, buf_cstr(&safe), strlen("as it is, a run does not begin: "), 0, columns);
    } else if (drawing->chosen) {
        buf_text(out, "\nwhere you name no agent, that is who hone chooses here now\n");
    }
    buf_release(&safe);
}

static void put_most(const struct drawing *drawing, struct buf *out)
{
    const struct forecast *forecast = &drawing->forecast;
    const struct plan_most *most = &forecast->most;
    struct buf cost;
    char span[DURATION_BYTES];

    if (!most->bounded) {
        buf_text(out, "\nthere is no bound but that of a budget: a gate repairs as often as it "
                 "takes\n");
        return;
    }
    buf_printf(out, "\nat most %" PRIu32 " agent%s started, %" PRIu32 " round%s%s%s\n",
               most->agents, most->agents == 1 ? "" : "s", most->rounds,
               most->rounds == 1 ? "" : "s",
               most->per_task ? ", for one task" : most->tasks > 1 ? ", for all tasks" : "",
               most->by_groups ? ", and a fixer more for each group of findings" : "");
    if (!forecast->measured) {
        buf_text(out, "what that costs is not known: there are no earlier runs here to measure\n");
        return;
    }
    (void)duration_text(forecast->took_ms, span);
    buf_init(&cost, DURATION_BYTES);
    amount_write(BUDGET_USD, forecast->cost_micros, true, &cost);
    buf_printf(out, "by %" PRIu32 " earlier run%s of %s here at most about %s%s%s\n",
               forecast->by_runs, forecast->by_runs == 1 ? "" : "s",
               forecast->by_same ? drawing->request->dialect->name : "other loops",
               forecast->cost_micros ? buf_cstr(&cost) : "",
               forecast->cost_micros ? " and " : "", span);
    buf_release(&cost);
}

static void show_drawn(const struct drawing *drawing)
{
    const struct plan *plan = drawing->plan;
    struct buf out;

    buf_init(&out, PLAN_BYTES_MAX);
    buf_printf(&out, "%s: ", drawing->request->dialect->name);
    add_safe(&out, drawing->request->dialect->summary, 0);
    buf_byte(&out, '\n');
    if (plan->iteration_max > 1) {
        buf_printf(&out, "it may begin again %u time%s\n", (unsigned)plan->iteration_max - 1,
                   plan->iteration_max == 2 ? "" : "s");
    }
    for (uint32_t i = 0; i < plan->phase_count; i++) put_phase(drawing, i, &out);
    put_players(drawing, &out);
    put_most(drawing, &out);
    say_take(&out);
}

static void show_json(const struct drawing *drawing)
{
    yyjson_mut_doc *doc = json_new();

    document_loop(&(struct loop_drawn){
        .dialect = drawing->request->dialect, .settings = &drawing->request->settings,
        .plan = drawing->plan, .forecast = &drawing->forecast,
    }, doc, json_object(doc));
    say_json(doc, true);
}

/* ---- the notation ---- */

static int show_yaml(struct drawing *drawing, struct err *err)
{
    const struct run_request *request = drawing->request;
    struct check_report report = { 0 };
    struct loop loop;
    struct plan plan;
    struct buf out;
    int rc = 0;

    if (drawing->has_loop) { /* as the file has it: the tasks of --tasks are in their own */
        (void)loop_read(settings_file(&request->settings.options, LOOP_FILE),
                        &drawing->call->arena, &report, &loop);
        check_report_release(&report);
    } else {
        rc = request->dialect->plan(&request->settings.options, &drawing->call->arena, &plan, err);
        if (rc == 0) rc = loop_of_plan(request->dialect, &plan, &drawing->call->arena, &loop, err);
    }
    if (rc != 0) return rc;
    if (policy_find(str_of(request->settings.until))) loop.until = request->settings.until;
    if (request->settings.budget && *request->settings.budget) {
        loop.budget = request->settings.budget;
    }
    buf_init(&out, PLAN_BYTES_MAX);
    loop_write(&loop, &out);
    say_take(&out);
    return 0;
}

/* ---- what is there already ---- */

/* hone plan --run: of a run, with where it is. */
static int show_run(struct call *call)
{
    struct history history = { 0 };
    struct look look = { 0 };
    struct run replay = { 0 };
    struct err err;
    int rc = look_open(&look, call->cwd, &err);

    if (rc == 0) rc = look_run(&look, call_value(call, "run"), &err);
    if (rc == 0) rc = run_load(&replay, &look.run, &err);
    if (rc == 0) rc = run_replay(&replay, look.journal, history_visit, &history, &err);
    if (rc == 0) {
        struct status status = { &look, &replay, &history, now_wall_ms() };
        yyjson_mut_doc *doc = json_new();

        document_plan(&status, doc, json_object(doc));
        say_json(doc, true);
    }
    history_release(&history);
    run_release(&replay);
    look_close(&look);
    return rc == 0 ? CODE_DONE : say_err(&err);
}

static void list_text(yyjson_mut_val *loops, uint32_t columns)
{
    yyjson_mut_arr_iter items = yyjson_mut_arr_iter_with(loops);
    yyjson_mut_val *item;
    struct buf out, line;

    buf_init(&out, PLAN_BYTES_MAX);
    buf_init(&line, PLAN_BYTES_MAX);
    while ((item = yyjson_mut_arr_iter_next(&items))) {
        const char *about = yyjson_mut_get_str(yyjson_mut_obj_get(item, "about"));
        const char *problem = yyjson_mut_get_str(yyjson_mut_obj_get(item, "problem"));

        buf_clear(&line);
        add_safe(&line, problem ? problem : about, 0);
        buf_printf(&out, "%-*s", NAME_COLUMNS - 1,
                   yyjson_mut_get_str(yyjson_mut_obj_get(item, "name")));
        buf_byte(&out, ' ');
        add_wrapped(&out, buf_cstr(&line), NAME_COLUMNS, NAME_COLUMNS, columns);
    }
    buf_release(&line);
    say_take(&out);
}

/* hone plan --list: what a run can be started with. */
static int show_list(struct call *call)
{
    struct repo repo = { 0 };
    struct err none;
    bool there = repo_open(&repo, call->cwd, REPO_FIND, &none) == 0;
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);

    document_dialects(there ? &repo : NULL, doc, root);
    if (call->json) {
        say_json(doc, true);
    } else {
        list_text(yyjson_mut_obj_get(root, "loops"), text_columns(1));
        yyjson_mut_doc_free(doc);
    }
    repo_release(&repo);
    return CODE_DONE;
}

static int check_words(const struct call *call, struct err *err)
{
    bool of_run = call_has(call, "run"), list = call_has(call, "list");
    const char *word = call_argument(call, 0);

    if (of_run && !call->json) {
        return err_set(err, ERR_USAGE, "--run says where a run is in its plan, for programs: add "
                       "--json; 'hone status' says it in words");
    }
    if ((of_run || list) && (word || (of_run && list))) {
        return err_set(err, ERR_USAGE, "DIALECT, --run and --list are three questions; ask one");
    }
    if (!of_run && !list && !word) {
        return err_set(err, ERR_USAGE, "plan wants a DIALECT; 'hone plan --list' shows what there "
                       "is");
    }
    return 0;
}

static int handle(struct call *call)
{
    struct run_request request = { .task = "" };
    struct drawing drawing = { .call = call, .request = &request, .plan = &request.plan };
    struct err err;
    int rc = check_words(call, &err);

    if (rc == 0 && call_has(call, "run")) return show_run(call);
    if (rc == 0 && call_has(call, "list")) return show_list(call);
    if (rc == 0) rc = run_find_dialect(call, call_argument(call, 0), &request, &err);
    if (rc == 0) rc = run_take_all(call, &request, &err);
    if (rc == 0) {
        drawing.has_loop = custom_loop(&request.settings.options, &call->arena, &drawing.loop);
        if (call_has(call, "yaml")) {
            rc = show_yaml(&drawing, &err);
        } else {
            make_forecast(&drawing);
            if (!call->json) choose_players(&drawing);
            if (call->json) show_json(&drawing);
            else show_drawn(&drawing);
        }
    }
    if (rc != 0) rc = say_err(&err);
    run_request_release(&request);
    return rc;
}

const struct verb verb_plan = {
    .name = "plan",
    .summary = "draw a loop before it runs, with what it can take at most",
    .text = {
        "Shows what 'hone run' would do with the same words and options: the phases, who works, "
        "reviews and repairs, what follows, and the bounds; which agents that would be, as things "
        "are here now; how many agents it starts at most, in how many rounds, and with earlier "
        "runs of this repository to measure (of the same loop where there are some, else of "
        "others), about what that costs and takes. Nothing is started.",
        "Questions that you answer and runs that you resume allow more than that.",
    },
    .arguments = {
        { .name = "DIALECT", .optional = true,
          .help = "a dialect, or a loop of your own, as 'hone run' takes it",
          .words = "review, iterate, cycles, session, loops, or a loop of your own" },
    },
    .options = {
        { .name = "yaml",
          .help = "print it in the notation of loop files, to be changed and run; what the "
                  "notation cannot say is refused with the reason" },
        { .name = "run", .argument = "RUN",
          .help = "of a run instead, as it was compiled for it, with where it is now; with "
                  "--json" },
        { .name = "list", .help = "the dialects and loops that a run can be started with here" },
    },
    .like = &verb_run,
    .dialect_options = true,
    .codes = {
        { CODE_DONE, "it was shown" },
        { CODE_USAGE, "there is no such loop, it is not right, or an option is not" },
        { CODE_FAILED, "it could not be read" },
    },
    .examples = {
        "hone plan quick",
        "hone plan review --max-iterations 3",
        "hone plan --list",
        "hone plan review --yaml > .hone/loops/mine.yaml",
    },
    .handle = handle,
};
