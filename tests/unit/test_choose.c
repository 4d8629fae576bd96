/* SPDX-License-Identifier: Apache-2.0
 *
 * test_choose.c - who plays the roles that the user named no agent for. Each test has a PATH of its
 * own in which only the programs it names exist; nothing is ever run. */
#include "ground.h"
#include "dialect/dialects.h"
#include "settings/choose.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct role roles[] = {
    { .name = "nobody" },
    { .name = "critic" },
    { .name = "pedant" },
    { .name = "witness" },
    { .name = "security-reviewer" },
    { .name = "silent-failure-hunter" },
    { .name = "review-fixer", .writes = true },
    { .name = "commit", .writes = true, .builtin = true },
};
static const uint16_t reviewers[] = { 1, 2, 3, 4, 5 };
static const struct phase phases[] = {
    { .name = "R1", .gate = { .reviewers = reviewers, .reviewer_count = COUNT(reviewers),
                              .repair = { .role = 6 } } },
};
static const struct plan plan = {
    .roles = roles, .role_count = COUNT(roles), .phases = phases, .phase_count = 1,
};

static const struct backend model = {
    .name = "model", .program = "model-program", .by_default = true,
};
static const struct backend other_model = {
    .name = "other", .program = "other-program", .by_default = true,
};
static const struct backend reader = {
    .name = "reader", .program = "reader-program", .by_default = true, .cannot_repair = true,
};
static const struct backend plain = { .name = "plain", .program = "model-program" };
static const struct backend fixer = {
    .name = "fixer", .by_default = true, .cannot_review = true,
};
static const struct backend *const only_fixer[] = { &plain, &fixer, NULL };
static const struct backend *const models[] = { &plain, &model, &other_model, &fixer, NULL };
static const struct backend *const readers[] = { &reader, &fixer, NULL };
static const struct backend *const nothing[] = { &plain, NULL };

static struct source both[] = {
    { .path = "a.c", .language = &language_c, .wanted = true },
    { .path = "b.sh", .language = &language_shell },
};
static const struct project c_and_shell = { .sources = both, .count = 2 };
static const struct project c_alone = { .sources = both, .count = 1 };
static const struct project empty = { .count = 0 };

/* A scene: a PATH, and what was asked for in it. */
struct scene {
    struct ground *ground;
    struct arena arena;
    char *path_before;
    struct selection selection;
    struct err err;
};

static int scene_open(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    void *ground;

    assert_non_null(scene);
    assert_int_equal(ground_open(&ground), 0);
    scene->ground = ground;
    scene->path_before = strdup(getenv("PATH"));
    make_folder(at(scene->ground, "bin"));
    setenv("PATH", at(scene->ground, "bin"), 1);
    *state = scene;
    return 0;
}

static int scene_close(void **state)
{
    struct scene *scene = *state;
    void *ground = scene->ground;

    setenv("PATH", scene->path_before, 1);
    free(scene->path_before);
    arena_release(&scene->arena);
    free(scene);
    return ground_close(&ground);
}

static void install(struct scene *scene, const char *const *programs)
{
    for (; *programs; programs++) {
        const char *path = at(scene->ground, "bin/%s", *programs);
        put(path, "#!/bin/false\n");
        assert_int_equal(chmod(path, 0755), 0);
    }
}
#define INSTALL(scene, ...) install(scene, (const char *const[]){ __VA_ARGS__, NULL })

static int choose(struct scene *scene, const struct backend *const *table,
                  const struct project *project, const struct run_settings *settings)
{
    return choose_agents(&(struct choose_request){
        .dialect = &dialect_review, .plan = &plan, .settings = settings, .backends = table,
        .project = project,
    }, &scene->arena, &scene->selection, &scene->err);
}

static const struct run_settings none_named = { .agent_count = 0 };

static const char *spec_of(const struct scene *scene, const char *role)
{
    for (uint32_t i = 0; i < scene->selection.count; i++) {
        if (strcmp(scene->selection.agents[i].role, role) == 0) {
            return scene->selection.agents[i].spec;
        }
    }
    return NULL;
}

#define SCENE(name) TEST_WITH(name, scene_open, scene_close)

SCENE(each_analyzer_goes_to_the_role_it_suits)
{
    struct scene *scene = *state;

    INSTALL(scene, "gcc", "clang-tidy", "cppcheck", "shellcheck");
    assert_int_equal(choose(scene, only_fixer, &c_and_shell, &none_named), 0);
    assert_int_equal(scene->selection.count, 6);
    assert_string_equal(spec_of(scene, "critic"), "analyzer:gcc");
    assert_string_equal(spec_of(scene, "pedant"), "analyzer:clang-tidy");
    assert_string_equal(spec_of(scene, "witness"), "analyzer:cppcheck");
    assert_string_equal(spec_of(scene, "silent-failure-hunter"), "analyzer:shellcheck");
    assert_string_equal(spec_of(scene, "security-reviewer"), "analyzer:none");
    assert_string_equal(spec_of(scene, "review-fixer"), "fixer");
    assert_string_equal(scene->selection.summary,
        "critic gcc, pedant clang-tidy, witness cppcheck, silent-failure-hunter shellcheck, "
        "review-fixer fixer; security-reviewer has none");
    assert_null(scene->selection.warning);
}

SCENE(a_language_that_is_not_there_gets_no_analyzer)
{
    struct scene *scene = *state;

    INSTALL(scene, "gcc", "shellcheck", "clang-tidy", "cppcheck");
    assert_int_equal(choose(scene, only_fixer, &c_alone, &none_named), 0);
    assert_string_equal(spec_of(scene, "silent-failure-hunter"), "analyzer:none");
    assert_non_null(strstr(scene->selection.summary,
                           "; security-reviewer, silent-failure-hunter have none"));
    assert_null(scene->selection.warning);
}

SCENE(a_missing_tool_is_a_warning_with_its_package)
{
    struct scene *scene = *state;

    INSTALL(scene, "gcc", "clang-tidy");
    assert_int_equal(choose(scene, only_fixer, &c_and_shell, &none_named), 0);
    assert_string_equal(spec_of(scene, "critic"), "analyzer:gcc");
    assert_string_equal(spec_of(scene, "witness"), "analyzer:none");
    assert_non_null(strstr(scene->selection.warning, "cppcheck (C, C++), shellcheck (shell)"));
    assert_non_null(strstr(scene->selection.warning, "'sudo apt install cppcheck shellcheck'"));
}

SCENE(nothing_installed_is_an_error_that_says_how_to_go_on)
{
    struct scene *scene = *state;

    assert_int_equal(choose(scene, only_fixer, &c_and_shell, &none_named), ERR_USAGE);
    assert_non_null(strstr(scene->err.text, "sudo apt install gcc clang-tidy cppcheck shellcheck"));
    assert_non_null(strstr(scene->err.text, "--agent '*=SPEC'"));
    assert_null(strstr(scene->err.text, "PATH"));
}

SCENE(no_source_is_an_error_that_says_what_was_looked_for)
{
    struct scene *scene = *state;

    INSTALL(scene, "gcc", "shellcheck");
    assert_int_equal(choose(scene, models, &empty, &none_named), ERR_USAGE);
    assert_non_null(strstr(scene->err.text, "model-program, other-program"));
    assert_non_null(strstr(scene->err.text, "no tool that hone knows looks at these files"));
    assert_non_null(strstr(scene->err.text, "ways out: install a model's program; name a tool of "
                           "your own in hone.json ('analyzers'); or any agent with --agent"));
    assert_null(strstr(scene->err.text, "apt"));
}

SCENE(a_model_on_the_path_plays_every_role)
{
    struct scene *scene = *state;
    struct choose_request request = {
        .dialect = &dialect_review, .plan = &plan, .settings = &none_named, .backends = models,
    };

    INSTALL(scene, "other-program", "gcc");
    assert_false(choose_wants_project(&request));
    assert_int_equal(choose(scene, models, NULL, &none_named), 0);
    assert_int_equal(scene->selection.count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_string_equal(scene->selection.agents[i].spec, "other");
    }
}

SCENE(the_first_model_of_the_table_wins)
{
    struct scene *scene = *state;

    INSTALL(scene, "other-program", "model-program");
    assert_int_equal(choose(scene, models, NULL, &none_named), 0);
    assert_string_equal(spec_of(scene, "critic"), "model");
}

SCENE(a_backend_that_only_reads_leaves_the_repair_to_another)
{
    struct scene *scene = *state;

    INSTALL(scene, "reader-program");
    assert_int_equal(choose(scene, readers, NULL, &none_named), 0);
    assert_string_equal(spec_of(scene, "witness"), "reader");
    assert_string_equal(spec_of(scene, "review-fixer"), "fixer");
}

SCENE(what_was_named_is_left_alone)
{
    static const struct agent_setting named[] = {
        { .role = "critic", .spec = "cmd:x" },
        { .role = "review-fixer", .spec = "cmd:y" },
    };
    static const struct run_settings settings = { .agents = named, .agent_count = 2 };
    struct scene *scene = *state;

    INSTALL(scene, "gcc", "clang-tidy", "shellcheck", "cppcheck");
    assert_int_equal(choose(scene, only_fixer, &c_and_shell, &settings), 0);
    assert_int_equal(scene->selection.count, 4);
    assert_null(spec_of(scene, "critic"));
    assert_null(spec_of(scene, "review-fixer"));
    assert_string_equal(spec_of(scene, "pedant"), "analyzer:clang-tidy");
    assert_string_equal(spec_of(scene, "security-reviewer"), "analyzer:gcc");
}

SCENE(a_named_analyzer_is_not_chosen_again)
{
    static const struct agent_setting named[] = {
        { .role = "security-reviewer", .spec = "analyzer:cppcheck,gcc" },
    };
    static const struct run_settings settings = { .agents = named, .agent_count = 1 };
    struct scene *scene = *state;

    INSTALL(scene, "gcc", "cppcheck");
    assert_int_equal(choose(scene, only_fixer, &c_alone, &settings), 0);
    for (uint32_t i = 0; i < scene->selection.count; i++) {
        assert_null(strstr(scene->selection.agents[i].spec, "gcc"));
        assert_null(strstr(scene->selection.agents[i].spec, "cppcheck"));
    }
    assert_string_equal(spec_of(scene, "critic"), "analyzer:none");
}

SCENE(a_named_tool_may_review_alone_but_nobody_may_not)
{
    static const struct agent_setting tool[] = { { .role = "critic", .spec = "rdjson:./x" } };
    static const struct agent_setting nobody[] = { { .role = "critic", .spec = "analyzer:none" } };
    static const struct agent_setting command[] = { { .role = "critic", .spec = "cmd:x" } };
    struct run_settings settings = { .agents = tool, .agent_count = 1 };
    struct scene *scene = *state;

    assert_int_equal(choose(scene, only_fixer, &empty, &settings), 0);
    assert_int_equal(scene->selection.count, 5);
    assert_string_equal(spec_of(scene, "pedant"), "analyzer:none");
    settings.agents = nobody;
    assert_int_equal(choose(scene, only_fixer, &empty, &settings), ERR_USAGE);
    settings.agents = command;
    assert_int_equal(choose(scene, only_fixer, &empty, &settings), ERR_USAGE);
    assert_non_null(strstr(scene->err.text, "no agent for pedant, witness"));
}

SCENE(one_free_role_takes_the_one_that_suits_it_and_then_the_rest)
{
    static const struct agent_setting named[] = {
        { .role = "*", .spec = "cmd:x" },
    };
    static const struct role two[] = { { .name = "nobody" }, { .name = "witness" } };
    static const struct plan small = { .roles = two, .role_count = 2 };
    struct scene *scene = *state;
    struct choose_request request = {
        .dialect = &dialect_review, .plan = &small, .settings = &none_named,
        .backends = only_fixer, .project = &c_alone,
    };

    INSTALL(scene, "gcc", "cppcheck");
    assert_int_equal(choose_agents(&request, &scene->arena, &scene->selection, &scene->err), 0);
    assert_int_equal(scene->selection.count, 1);
    assert_string_equal(scene->selection.agents[0].spec, "analyzer:cppcheck,gcc");
    assert_string_equal(scene->selection.summary, "witness cppcheck,gcc");
    request.settings = &(struct run_settings){ .agents = named, .agent_count = 1 };
    assert_false(choose_wants_project(&request));
    assert_int_equal(choose_agents(&request, &scene->arena, &scene->selection, &scene->err), 0);
    assert_int_equal(scene->selection.count, 0);
    assert_string_equal(scene->selection.summary, "");
}

SCENE(a_fixer_alone_wants_no_project)
{
    static const struct agent_setting named[] = {
        { .role = "critic", .spec = "cmd:x" },
        { .role = "pedant", .spec = "cmd:x" },
        { .role = "witness", .spec = "cmd:x" },
        { .role = "security-reviewer", .spec = "cmd:x" },
        { .role = "silent-failure-hunter", .spec = "cmd:x" },
    };
    static const struct run_settings settings = { .agents = named, .agent_count = COUNT(named) };
    struct scene *scene = *state;
    struct choose_request request = {
        .dialect = &dialect_review, .plan = &plan, .settings = &settings,
        .backends = only_fixer,
    };

    assert_false(choose_wants_project(&request));
    assert_int_equal(choose(scene, only_fixer, NULL, &settings), 0);
    assert_string_equal(scene->selection.summary, "review-fixer fixer");
}

SCENE(a_role_that_nobody_can_play_is_named)
{
    struct scene *scene = *state;

    INSTALL(scene, "gcc", "model-program");
    assert_int_equal(choose(scene, nothing, &c_alone, &none_named), ERR_USAGE);
    assert_non_null(strstr(scene->err.text, "--agent 'review-fixer=SPEC'"));
}

static const char *pedant_by_cmd(const struct settings *settings, const char *role, uint32_t copy,
                                 struct arena *arena)
{
    (void)settings;
    (void)copy;
    return strcmp(role, "pedant") == 0 ? arena_printf(arena, "analyzer:%s", "gcc") : NULL;
}

static const char *no_default(const struct settings *settings, const char *role, uint32_t copy,
                              struct arena *arena)
{
    (void)settings;
    (void)role;
    (void)copy;
    (void)arena;
    return NULL;
}

SCENE(what_a_dialect_s_configuration_names_is_not_free)
{
    const struct dialect_casting casting = { .agent = pedant_by_cmd, .agent_default = no_default };
    struct dialect configured = dialect_review;
    struct scene *scene = *state;

    configured.casting = &casting;
    INSTALL(scene, "gcc", "cppcheck");
    assert_int_equal(choose_agents(&(struct choose_request){
        .dialect = &configured, .plan = &plan, .settings = &none_named, .backends = only_fixer,
        .project = &c_alone,
    }, &scene->arena, &scene->selection, &scene->err), 0);
    assert_null(spec_of(scene, "pedant"));
    assert_string_equal(spec_of(scene, "witness"), "analyzer:cppcheck");
    assert_string_equal(spec_of(scene, "critic"), "analyzer:none");
}

SCENE(a_dialect_of_models_gets_neither_analyzers_nor_their_fixer)
{
    struct dialect talking = dialect_review;
    struct choose_request request = {
        .dialect = &talking, .plan = &plan, .settings = &none_named, .backends = models,
        .project = &c_alone,
    };
    struct scene *scene = *state;

    talking.found = NULL;
    INSTALL(scene, "gcc");
    assert_false(choose_wants_project(&request));
    assert_int_equal(choose_agents(&request, &scene->arena, &scene->selection, &scene->err),
                     ERR_USAGE);
    assert_non_null(strstr(scene->err.text, "no agent for critic"));
}

SCENE(a_model_plays_every_role_of_a_dialect_of_models)
{
    struct dialect talking = dialect_review;
    struct choose_request request = {
        .dialect = &talking, .plan = &plan, .settings = &none_named, .backends = models,
        .project = &c_alone,
    };
    struct scene *scene = *state;

    talking.found = NULL;
    INSTALL(scene, "gcc", "model-program");
    assert_int_equal(choose_agents(&request, &scene->arena, &scene->selection, &scene->err), 0);
    assert_string_equal(spec_of(scene, "review-fixer"), "model");
}

SCENE(a_role_that_works_is_no_fixer)
{
    struct phase working[] = { { .name = "1", .work = { .role = 6 } }, phases[0] };
    struct plan other = plan;
    struct scene *scene = *state;

    other.phases = working;
    other.phase_count = 2;
    INSTALL(scene, "gcc");
    assert_int_equal(choose_agents(&(struct choose_request){
        .dialect = &dialect_review, .plan = &other, .settings = &none_named,
        .backends = only_fixer, .project = &c_alone,
    }, &scene->arena, &scene->selection, &scene->err), ERR_USAGE);
    assert_non_null(strstr(scene->err.text, "no agent for review-fixer"));
}

SCENE(what_is_no_program_is_not_on_the_path)
{
    struct scene *scene = *state;

    make_folder(at(scene->ground, "bin/gcc"));
    put(at(scene->ground, "bin/cppcheck"), "not executable\n");
    assert_int_equal(choose(scene, only_fixer, &c_alone, &none_named), ERR_USAGE);
    assert_non_null(strstr(scene->err.text, "sudo apt install gcc clang-tidy cppcheck"));
}

SCENE(what_was_chosen_comes_back_from_the_settings)
{
    struct scene *scene = *state;
    struct run_settings back;
    struct buf json;

    INSTALL(scene, "gcc", "clang-tidy", "cppcheck", "shellcheck");
    assert_int_equal(choose(scene, only_fixer, &c_and_shell, &none_named), 0);
    buf_init(&json, 4096);
    settings_write(&(struct run_settings){
        .agents = scene->selection.agents, .agent_count = scene->selection.count,
    }, &json);
    assert_int_equal(settings_read(buf_str(&json), &scene->arena, &back, &scene->err), 0);
    assert_string_equal(settings_agent(&back, "witness"), "analyzer:cppcheck");
    assert_string_equal(settings_agent(&back, "review-fixer"), "fixer");
    buf_release(&json);
}

/* ---- a dialect with a choice of its own: session ---- */

static int choose_session(struct scene *scene, const struct run_settings *settings)
{
    struct choose_request request = {
        .dialect = &dialect_session, .settings = settings, .backends = backends,
        .project = &c_and_shell,
    };
    struct plan own;

    request.plan = &own;
    assert_int_equal(dialect_session.plan(&settings->options, &scene->arena, &own, &scene->err), 0);
    assert_false(choose_wants_project(&request));
    return choose_agents(&request, &scene->arena, &scene->selection, &scene->err);
}

SCENE(with_both_the_executor_is_codex_and_claude_reviews)
{
    struct scene *scene = *state;

    INSTALL(scene, "claude", "codex", "gcc");
    assert_int_equal(choose_session(scene, &none_named), 0);
    assert_int_equal(scene->selection.count, 0); /* the dialect's own choice is not hone's */
    assert_string_equal(scene->selection.summary, "executor codex, reviewer claude, polish claude, "
                        "docs claude, security claude");
}

SCENE(without_codex_claude_executes_too)
{
    struct scene *scene = *state;

    INSTALL(scene, "claude", "gcc");
    assert_int_equal(choose_session(scene, &none_named), 0);
    assert_string_equal(spec_of(scene, "executor"), "claude");
    assert_string_equal(scene->selection.summary, "executor claude, reviewer claude, "
                        "polish claude, docs claude, security claude");
}

SCENE(without_claude_nobody_reviews_in_its_place)
{
    struct scene *scene = *state;
    struct agent_setting named = { .role = "reviewer", .spec = "codex" };
    struct agent_setting all = { .role = "*", .spec = "codex" };
    struct config_text file = { ".review-loop/config.md", STR("codex_reviewer_backend: codex\n") };

    INSTALL(scene, "codex", "gcc", "shellcheck");
    assert_int_equal(choose_session(scene, &none_named), ERR_USAGE);
    assert_non_null(strstr(scene->err.text, "no agent for reviewer, polish, docs, security: "));
    assert_non_null(strstr(scene->err.text, "claude is not on the PATH; it comes with: npm"));
    assert_non_null(strstr(scene->err.text, "'codex_reviewer_backend: codex' in .review-loop"));
    assert_non_null(strstr(scene->err.text, "--agent 'ROLE=SPEC'"));
    assert_non_null(strstr(scene->err.text, "hone.json"));

    assert_int_equal(choose_session(scene, &(struct run_settings){
        .agents = &named, .agent_count = 1 }), ERR_USAGE);
    assert_non_null(strstr(scene->err.text, "no agent for polish, docs, security: "));

    assert_int_equal(choose_session(scene, &(struct run_settings){
        .agents = &all, .agent_count = 1 }), 0);
    assert_int_equal(choose_session(scene, &(struct run_settings){
        .options = { .files = &file, .file_count = 1 } }), 0);
    assert_string_equal(scene->selection.summary, "executor codex, reviewer codex, polish codex, "
                        "docs codex, security codex");
}

/* ---- who looks in turn ---- */

/* The choice for a review until something, with hone's own backends. */
static void choose_until(struct scene *scene, const struct project *project,
                         const struct run_settings *settings)
{
    struct plan asked;

    assert_int_equal(settings_plan(settings, &dialect_review, &scene->arena, &asked, &scene->err),
                     0);
    assert_int_equal(choose_agents(&(struct choose_request){
        .dialect = &dialect_review, .plan = &asked, .settings = settings, .backends = backends,
        .project = project,
    }, &scene->arena, &scene->selection, &scene->err), 0);
}

SCENE(the_other_models_that_are_installed_look_in_turn)
{
    static const struct agent_setting codex = { .role = "*", .spec = "codex:big" };
    static const struct agent_setting gemini = { .role = "*", .spec = "gemini" };
    static const struct agent_setting command = { .role = "*", .spec = "cmd:true" };
    static const struct {
        struct run_settings settings;
        const char *eyes;
    } rows[] = {
        { { .until = "settled" }, "codex" },
        { { .until = "clean", .agents = &codex, .agent_count = 1 }, "claude" },
        { { .until = "lean", .agents = &gemini, .agent_count = 1 }, "claude\ncodex" },
        { { .until = "settled", .eyes = "cmd:x" }, "cmd:x" },
        { { .until = "settled", .agents = &command, .agent_count = 1 }, "" },
        { { .until = "settled", .no_fix = true }, "" },
    };
    struct scene *scene = *state;

    INSTALL(scene, "codex", "gemini", "claude");
    for (size_t i = 0; i < COUNT(rows); i++) {
        choose_until(scene, NULL, &rows[i].settings);
        assert_string_equal(scene->selection.eyes, rows[i].eyes);
    }
    choose_until(scene, NULL, &(struct run_settings){ .until = "seed", .eyes = "cmd:x" });
    assert_null(scene->selection.eyes); /* they stay as they are */
}

/* Who names all eyes, with the one that plays, does not want it to look twice. */
SCENE(an_eye_that_plays_or_was_named_before_is_left_out)
{
    static const struct agent_setting command = { .role = "*", .spec = "cmd:true" };
    static const struct agent_setting mixed[] = { { .role = "*", .spec = "claude" },
                                                  { .role = "critic", .spec = "codex" } };
    static const struct {
        struct run_settings settings;
        const char *eyes;
    } rows[] = {
        { { .until = "settled", .eyes = "claude\ncodex" }, "codex" },
        { { .until = "settled", .eyes = "claude:big\ncodex\ncodex" }, "claude:big\ncodex" },
        { { .until = "lean", .eyes = "cmd:true", .agents = &command, .agent_count = 1 }, "" },
        { { .until = "settled", .eyes = "claude\ncodex", .agents = mixed, .agent_count = 2 },
          "claude\ncodex" },
    };
    struct scene *scene = *state;

    INSTALL(scene, "codex", "claude");
    for (size_t i = 0; i < COUNT(rows); i++) {
        choose_until(scene, NULL, &rows[i].settings);
        assert_string_equal(scene->selection.eyes, rows[i].eyes);
    }
}

/* In each recheck the analyzers of the panel look, too. */
SCENE(the_checker_takes_no_analyzer_from_a_reviewer)
{
    struct scene *scene = *state;

    INSTALL(scene, "shellcheck");
    choose_until(scene, &c_and_shell, &(struct run_settings){ .until = "settled" });
    assert_string_equal(spec_of(scene, "silent-failure-hunter"), "analyzer:shellcheck");
    assert_string_equal(spec_of(scene, "checker"), "analyzer:none");
    assert_string_equal(scene->selection.eyes, "");
}
