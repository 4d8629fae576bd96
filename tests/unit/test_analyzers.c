/* SPDX-License-Identifier: Apache-2.0
 *
 * Each analyzer's command is what its program understands, and its name is found or suggested. */
#include "analyze/analyzer.h"
#include "agent/agent.h"
#include "ground.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The words of a command with a blank behind each. */
static void expect_command(const char *name, const struct analyzer_call *call, const char *words)
{
    const struct analyzer *analyzer = analyzer_find(str_of(name));
    struct arena arena = { 0 };
    const char *const *argv;
    struct buf line;

    assert_non_null(analyzer);
    argv = analyzer_command(analyzer, call, &arena);
    buf_init(&line, 16384);
    for (; *argv; argv++) buf_printf(&line, "%s ", *argv);
    assert_string_equal(buf_cstr(&line), words);
    buf_release(&line);
    arena_release(&arena);
}

static bool command_has(const char *name, const struct analyzer_call *call, const char *word)
{
    struct arena arena = { 0 };
    const char *const *argv = analyzer_command(analyzer_find(str_of(name)), call, &arena);
    bool found = false;

    for (; *argv; argv++) found = found || strcmp(*argv, word) == 0;
    arena_release(&arena);
    return found;
}

static const char *const flags[] = { "-std=gnu11", "-Iinclude", "-DX=1", "-UY", "-include",
                                     "config.h", "-isystem", "sys", "-iquote", "q", "-Wshadow",
                                     "-mno-red-zone", "-m64", "-fpermissive", NULL };

static const struct source c_unit = { .path = "src/a.c", .language = &language_c, .flags = flags };
static const struct source cxx_unit = { .path = "-b.cc", .language = &language_cxx };
static const struct source script = { .path = "x y.sh", .language = &language_shell };
static const struct source other_script = { .path = "z", .language = &language_shell };

static struct analyzer_call call_of(const struct source *const *units, uint32_t count)
{
    return (struct analyzer_call){ .workspace = "/w", .units = units, .count = count,
                                   .report = "/r/1.report" };
}

TEST(gcc_gets_the_units_flags_and_its_own_behind_them)
{
    const struct source *units[] = { &c_unit };
    struct analyzer_call call = call_of(units, 1);

    expect_command("gcc", &call,
                   "gcc -Wall -Wextra -std=gnu11 -Iinclude -DX=1 -UY -include config.h -isystem "
                   "sys -iquote q -Wshadow -mno-red-zone -m64 -fpermissive -fanalyzer "
                   "-fanalyzer-verbosity=0 --param=analyzer-bb-explosion-factor=2 "
                   "-fdiagnostics-format=json -fno-lto -U_FORTIFY_SOURCE -O0 -Wno-error -S -o "
                   "/dev/null -x c /w/src/a.c ");
}

TEST(cxx_is_for_its_own_compiler_and_not_for_fanalyzer)
{
    const struct source *units[] = { &cxx_unit };
    struct analyzer_call call = call_of(units, 1);

    expect_command("gcc", &call,
                   "g++ -Wall -Wextra -fdiagnostics-format=json -fno-lto -U_FORTIFY_SOURCE -O0 "
                   "-Wno-error -S -o /dev/null -x c++ /w/-b.cc ");
}

TEST(clang_tidy_gets_no_flags_of_gccs_own)
{
    const struct source *units[] = { &c_unit };
    struct analyzer_call call = call_of(units, 1);

    call.configured = true; /* the repository's own settings, and nothing against them */
    expect_command("clang-tidy", &call,
                   "clang-tidy --quiet --export-fixes=/r/1.report /w/src/a.c -- -xc -std=gnu11 "
                   "-Iinclude -DX=1 -UY -include config.h -isystem sys -iquote q -Wshadow -m64 "
                   "-Wno-unknown-warning-option -Wno-error ");
    call.configured = false;
    assert_true(command_has("clang-tidy", &call, "--config={}"));
    assert_true(command_has("clang-tidy", &call, "--header-filter=.*"));
    units[0] = &cxx_unit;
    assert_true(command_has("clang-tidy", &call, "-xc++"));
}

TEST(cppcheck_gets_the_words_it_has)
{
    const struct source *units[] = { &c_unit, &c_unit };
    struct analyzer_call call = call_of(units, 2);

    expect_command("cppcheck", &call,
                   "cppcheck --quiet --xml --enable=warning,performance,portability "
                   "--inline-suppr --suppress=missingIncludeSystem --suppress=readdirCalled "
                   "--suppress=ctuuninitvar --suppress=ctunullpointer --suppress=ctuArrayIndex "
                   "--suppress=ctuPointerArith --suppress=ctuOneDefinitionRuleViolation "
                   "--library=posix -D__linux__=1 -D__unix__=1 --language=c --std=c11 -Iinclude "
                   "-DX=1 -UY --include=config.h -Iq /w/src/a.c /w/src/a.c ");
}

static void expect_std(const char *flag, const char *word)
{
    const char *const one[] = { flag, NULL };
    const struct source unit = { .path = "a.cc", .language = &language_cxx, .flags = one };
    const struct source *units[] = { &unit };
    struct analyzer_call call = call_of(units, 1);
    struct arena arena = { 0 };
    const char *const *argv = analyzer_find(STR("cppcheck"))->command(&call, &arena);
    const char *found = NULL;

    for (; *argv; argv++) {
        if (strncmp(*argv, "--std=", 6) == 0) found = *argv + 6;
    }
    if (word) assert_string_equal(found, word);
    else assert_null(found);
    arena_release(&arena);
}

TEST(cppcheck_is_told_a_standard_it_knows_or_none)
{
    expect_std("-std=c99", "c99");
    expect_std("-std=gnu99", "c99");
    expect_std("-std=c18", "c17");
    expect_std("-std=gnu2x", "c2x");
    expect_std("-std=c++2a", "c++20");
    expect_std("-std=gnu++17", "c++17");
    expect_std("-ansi", "c89");
    expect_std("-std=iso9899:2018", NULL);
    expect_std("-std=", NULL);
    expect_std("-std=c", NULL);
}

TEST(shellcheck_takes_many_scripts)
{
    const struct source *units[] = { &script, &other_script };
    struct analyzer_call call = call_of(units, 2);

    expect_command("shellcheck", &call,
                   "shellcheck --format=json1 --external-sources --source-path=SCRIPTDIR --norc "
                   "--exclude=SC1090,SC1091,SC2148,SC2016,SC2317 /w/x y.sh /w/z ");
    call.configured = true;
    assert_false(command_has("shellcheck", &call, "--norc"));
}

TEST(every_row_is_whole)
{
    for (uint32_t i = 0; analyzer_at(i); i++) {
        const struct analyzer *row = analyzer_at(i);
        assert_ptr_equal(analyzer_find(str_of(row->name)), row);
        assert_true(row->languages[0] != NULL);
        if (row->look) continue;
        assert_non_null(row->program);
        assert_true((row->package != NULL) != (row->install != NULL));
        assert_true((row->command != NULL) != (row->words != NULL));
        assert_true((row->read != NULL) != (row->lines != NULL));
        assert_true((row->batch > 0) != (row->roots != NULL));
        assert_true(!row->only_configured || row->config);
        assert_false(row->report_in_file && row->batch > 1); /* one report is about one unit */
    }
    assert_true(analyzer_reads(analyzer_find(STR("gcc")), &cxx_unit));
    assert_false(analyzer_reads(analyzer_find(STR("gcc")), &script));
    assert_false(analyzer_reads(analyzer_find(STR("shellcheck")), &c_unit));
    assert_null(analyzer_find(STR("")));
}

TEST(names_are_a_list)
{
    struct str list = STR("gcc,shellcheck,none");
    const struct analyzer *found;
    struct err err;

    assert_true(analyzer_next(&list, &found, &err));
    assert_string_equal(found->name, "gcc");
    assert_true(analyzer_next(&list, &found, &err));
    assert_string_equal(found->name, "shellcheck");
    assert_true(analyzer_next(&list, &found, &err));
    assert_null(found);
    assert_int_equal(err.code, 0);
    assert_false(analyzer_next(&list, &found, &err));
}

/* The source of a path, as a project has it: by pattern, by the end of its name. */
static bool reads(const char *name, const char *path)
{
    const struct analyzer *analyzer = analyzer_find(str_of(name));
    const struct language *language, *found = NULL;
    struct source source = { .path = path };
    bool header;

    for (uint32_t i = 0; !found && (language = analyzers_language(i)); i++) {
        if (language_has_path(language, str_of(path))) found = language;
    }
    for (uint32_t i = 0; !found && (language = analyzers_language(i)); i++) {
        if (language_has(language, str_of(path), &header)) found = language;
    }
    source.language = found;
    source.header = found && language_has(found, str_of(path), &header) && header;
    return analyzer_takes(analyzer, &source);
}

TEST(files_are_known_by_suffix_by_name_and_by_place)
{
    static const struct { const char *name, *path; bool read; } rows[] = {
        { "ruff", "a/b.py", true },          { "mypy", "b.pyi", true },
        { "ruff", "b.pyc", false },          { "eslint", "a.mjs", true },
        { "eslint", "a.tsx", true },         { "tsc", "a.ts", true },
        { "tsc", "a.js", false },            { "vet", "cmd/x.go", true },
        { "clippy", "src/main.rs", true },   { "hadolint", "Dockerfile", true },
        { "hadolint", "x/Dockerfile.dev", true }, { "hadolint", "Dockerfiles/x", false },
        { "yamllint", "a.yaml", true },      { "actionlint", "a.yaml", false },
        { "actionlint", ".github/workflows/ci.yml", true },
        { "yamllint", ".github/workflows/ci.yml", true }, /* a workflow is YAML */
        { "actionlint", "x/.github/workflows/ci.yml", false },
        { "markdownlint", "README.md", true }, { "codespell", "notes.txt", true },
        { "codespell", "a.py", true },       { "codespell", "a.h", true },
        { "gcc", "a.h", false },             { "secrets", "a.go", true },
        { "shfmt", "a.sh", true },           { "semgrep", "a.rs", true },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (reads(rows[i].name, rows[i].path) != rows[i].read) {
            fail_msg("%s and %s", rows[i].name, rows[i].path);
        }
    }
}

/* ---- those of a user ---- */

#define ONE(members) "{\"todo\":{\"files\":[\"*.lua\"],\"command\":\"x \\\"$@\\\"\"" members "}}"

static void expect_undefined(const char *json, const char *words)
{
    struct err err = { 0 };

    assert_int_equal(analyzers_define(str_of(json), &err), ERR_USAGE);
    if (!strstr(err.text, words)) fail_msg("%s", err.text);
    assert_null(analyzer_find(STR("todo")));
}

TEST(a_user_adds_one_files_command_format_fixes_safe_or_not)
{
    const struct source lua = { .path = "src/a.lua" };
    const struct source *units[] = { &lua };
    struct analyzer_call call = call_of(units, 1);
    const struct analyzer *todo;
    struct err err = { 0 };

    assert_int_equal(analyzers_define(STR(ONE(",\"format\":\"sarif\",\"fixes\":\"safe\"")),
                                      &err), 0);
    todo = analyzer_find(STR("todo"));
    assert_non_null(todo);
    assert_true(analyzer_takes(todo, &lua));
    assert_false(analyzer_takes(todo, &script));
    assert_ptr_equal(todo->read, sarif_read);
    assert_int_equal(todo->fixes, FIXES_SAFE);
    expect_command("todo", &call, "sh -c x \"$@\" todo /w/src/a.lua ");
    assert_int_equal(analyzers_define(STR(ONE(",\"format\":\"{file}:{line}: {text}\"")), &err), 0);
    assert_non_null(analyzer_find(STR("todo"))->lines);
    assert_int_equal(analyzer_find(STR("todo"))->fixes, FIXES_NONE);
    assert_int_equal(analyzers_define(STR(""), &err), 0);
    assert_null(analyzer_find(STR("todo")));
}

TEST(what_is_wrong_with_one_is_said)
{
    expect_undefined(ONE(""), "analyzers.todo: format is sarif, rdjson");
    expect_undefined(ONE(",\"format\":\"{line}: {text}\""), "it has no {file}");
    expect_undefined(ONE(",\"format\":\"{file}{line}: {text}\""), "between two fields");
    expect_undefined(ONE(",\"format\":\"{file}: {tekst}\""), "in braces, and no others");
    expect_undefined(ONE(",\"format\":\"gcc\",\"fixes\":\"all\""), "safe, risky or none");
    expect_undefined("{\"todo\":{\"files\":[],\"command\":\"x\",\"format\":\"gcc\"}}",
                     "it has no files");
    expect_undefined("{\"todo\":{\"files\":[\"a\"],\"format\":\"gcc\"}}", "it has no command");
    expect_undefined("{\"To,do\":{}}", "a name has small letters");
    expect_undefined("{\"gcc\":{\"files\":[\"a\"],\"command\":\"x\",\"format\":\"gcc\"}}",
                     "there is an analyzer of that name already");
}

/* ---- specs ---- */

static int check_spec(const char *spec, struct err *err)
{
    struct arena arena = { 0 };
    struct agent agent;
    int rc;

    *err = (struct err){ 0 };
    rc = agent_parse(spec, &arena, &agent, err);
    if (rc == 0) rc = agent.backend->check(&agent, err);
    arena_release(&arena);
    return rc;
}

static void expect_usage(const char *spec, const char *part)
{
    struct err err;

    assert_int_equal(check_spec(spec, &err), ERR_USAGE);
    if (!strstr(err.text, part)) fail_msg("'%s' is not in: %s", part, err.text);
}

TEST(a_slip_in_a_name_is_said_before_the_run)
{
    struct err err;

    expect_usage("analyzer:clangtidy", "did you mean 'clang-tidy'?");
    expect_usage("analyzer:gcc,cpcheck", "did you mean 'cppcheck'?");
    expect_usage("analyzer:nothing-near",
                 "there are: gcc, clang-tidy, cppcheck, secrets, shellcheck");
    expect_usage("analyzer:a\x1b[31m", "unknown analyzer 'a\\x1b[31m'");
    expect_usage("analyzer:sarif:", "has no command");
    expect_usage("analyzer", "needs an argument");
    expect_usage("sarif: ", "write sarif:COMMAND");
    expect_usage("rdjson:\t", "write rdjson:COMMAND");
    assert_int_equal(check_spec("analyzer:none", &err), 0);
    assert_int_equal(check_spec("analyzer:sarif:x", &err), 0);
    assert_int_equal(check_spec("sarif:x --y", &err), 0);
}

TEST_WITH(a_missing_program_is_said_with_its_package, ground_open, ground_close)
{
    struct ground *ground = *state;
    const char *path = getenv("PATH");
    char *before = strdup(path ? path : "");
    struct err err;

    put(at(ground, "bin/gcc"), "");
    chmod(at(ground, "bin/gcc"), 0755);
    setenv("PATH", at(ground, "bin"), 1);
    assert_int_equal(check_spec("analyzer:gcc", &err), 0);
    assert_int_equal(check_spec("analyzer:gcc,clang-tidy", &err), ERR_MISSING);
    assert_string_equal(err.text, "analyzer:clang-tidy: clang-tidy is not installed; 'sudo apt "
                                  "install clang-tidy' brings it, and 'hone doctor' lists what "
                                  "there is");
    setenv("PATH", before, 1);
    free(before);
}

TEST(the_command_of_an_agent_is_this_program)
{
    struct arena arena = { 0 };
    struct agent agent;
    struct err err;
    const char *const *argv;

    assert_int_equal(agent_parse("sarif:-x 'y'", &arena, &agent, &err), 0);
    argv = agent.backend->command(&agent, NULL, &arena);
    assert_true(argv[0][0] == '/');
    assert_string_equal(argv[1], "agent");
    assert_string_equal(argv[2], "sarif");
    assert_string_equal(argv[3], "--");
    assert_string_equal(argv[4], "-x 'y'");
    assert_null(argv[5]);
    assert_true(agent.backend->cannot_repair && agent.backend->answers_findings);
    arena_release(&arena);
}

/* ---- which fixes are safe ---- */

TEST(each_fix_of_each_tools_rule_is_classed_safe_or_risky)
{
    static const struct {
        const char *analyzer, *rule;
        bool safe;
    } rows[] = {
        { "gcc", "-Wformat=", true }, { "gcc", "-Wmissing-braces", true },
        { "gcc", "-Wparentheses", false }, { "gcc", "-Wimplicit-fallthrough=", false },
        { "gcc", "-Wformat-security", false }, { "gcc", "", false },
        { "clang-tidy", "clang-diagnostic-format", true },
        { "clang-tidy", "clang-diagnostic-parentheses", false },
        { "clang-tidy", "bugprone-suspicious-string-compare", true },
        { "clang-tidy", "bugprone-macro-parentheses", false },
        { "clang-tidy", "performance-unnecessary-value-param", false },
        { "clang-tidy", "readability-braces-around-statements", true },
        { "shellcheck", "SC2086", false }, { "shellcheck", "SC2006", false },
        { "shellcheck", "SC2164", false }, { "shellcheck", "SC2162", false },
        { "shellcheck", "SC2236", true }, { "shellcheck", "SC2250", true },
        { "cppcheck", "nullPointer", false },
    };
    static const char *const safe[] = { "E1", "F4*", NULL };
    const struct analyzer made = { .name = "made", .safe = safe };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct analyzer *analyzer = analyzer_find(str_of(rows[i].analyzer));
        bool is_safe = analyzer_rule_is_safe(analyzer, str_of(rows[i].rule));

        if (is_safe != rows[i].safe) print_error("%s %s\n", rows[i].analyzer, rows[i].rule);
        assert_int_equal(is_safe, rows[i].safe);
    }
    assert_true(analyzer_rule_is_safe(&made, STR("E1")));
    assert_false(analyzer_rule_is_safe(&made, STR("E11")));
    assert_true(analyzer_rule_is_safe(&made, STR("F401")));
    assert_false(analyzer_rule_is_safe(&made, STR("F")));
}
