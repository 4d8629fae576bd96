/* SPDX-License-Identifier: Apache-2.0
 *
 * test_review_restore.c - state.json and the reviewers' files, as another tool wrote them, and
 * where they lead. That hone's own lead back: test_review_restore_random.c. */
#include "dialect/dialects.h"
#include "format/json/json.h"
#include "review_back.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define STATE ".agents/tmp/state.json"
#define FOLDER ".agents/tmp/phases/"

static const char *const roles[] = { "critic", "pedant", "witness", "security-reviewer",
                                     "silent-failure-hunter" };

/* ---- files of the original plugin ---- */

#define COUNTS(c, verdict) \
    "{\"issues\":[],\"summary\":{\"critical\":" c ",\"warning\":0,\"info\":0," \
    "\"verdict\":" verdict "}}"
#define INFO \
    "{\"issues\":[{\"severity\":\"info\",\"category\":\"style\",\"file\":\"a.c\",\"line\":3," \
    "\"description\":\"odd\",\"evidence\":\"x\",\"suggestion\":\"y\"}]," \
    "\"summary\":{\"critical\":0,\"warning\":0,\"info\":1,\"verdict\":\"issues_found\"}}"

/* state.json as the plugin writes it. */
static const char *plugin_state(const char *status, const char *phase, int iteration,
                                const char *iterations)
{
    static char text[4096];

    snprintf(text, sizeof text,
        "{\"version\":1,\"plugin\":\"minions\",\"pipeline\":\"review\",\"status\":\"%s\","
        "\"task\":\"Look at it\",\"startedAt\":\"2026-02-08T21:00:00+09:00\","
        "\"updatedAt\":\"2026-02-08T21:10:00+09:00\",\"currentPhase\":\"%s\",\"iteration\":%d,"
        "\"maxIterations\":5,\"ownerPpid\":\"4242\",\"sessionId\":\"0011223344556677\","
        "\"schedule\":[{\"phase\":\"R1\",\"name\":\"Review\",\"type\":\"dispatch\"}],"
        "\"iterations\":%s,\"files\":[],\"failure\":null}", status, phase, iteration, iterations);
    return text;
}

#define ENTRY(n, r1) \
    "{\"iteration\":" #n ",\"startedAt\":\"2026-02-08T21:0" #n ":00+09:00\",\"r1\":" r1 "," \
    "\"r2\":{\"status\":\"pending\"},\"verdict\":null}"
#define PENDING "{\"status\":\"pending\"}"
#define FOUND "{\"status\":\"complete\",\"verdict\":\"issues_found\"}"
#define ENTRIES "[" ENTRY(1, FOUND) "," ENTRY(2, FOUND) "," ENTRY(3, FOUND) "," \
                ENTRY(4, FOUND) "," ENTRY(5, PENDING) "]"

static void put(struct contract *files, int iteration, const char *leaf, const char *content)
{
    char path[128];

    snprintf(path, sizeof path, FOLDER "review-%d/%s", iteration, leaf);
    contract_file_add(files, path, str_of(content));
}

static void put_review(struct contract *files, int iteration, const char *role,
                       const char *content)
{
    char leaf[64];

    snprintf(leaf, sizeof leaf, "r1-%s.json", role);
    put(files, iteration, leaf, content);
}

static void put_five(struct contract *files, int iteration, const char *content)
{
    for (size_t i = 0; i < 5; i++) put_review(files, iteration, roles[i], content);
}

/* "status currentPhase iteration; who is left". */
static void leads_to(const struct contract *files, const char *wanted)
{
    struct run_view view = { .id = "run-1", .owner = "1", .workspace = "/w" };
    struct review_back back;
    yyjson_doc *doc;
    yyjson_val *root;
    uint64_t iteration = 0;
    struct err err;
    const char *text;

    review_back_open(&back, files, view);
    assert_int_equal(json_read(scene_file(&back.record, STATE), &doc, &err), 0);
    root = yyjson_doc_get_root(doc);
    json_uint(root, "iteration", &iteration);
    text = arena_printf(&back.arena, "%.*s %.*s %u; %s", STR_ARG(json_str(root, "status")),
                        STR_ARG(json_str(root, "currentPhase")), (unsigned)iteration,
                        review_back_left(&back.engine, &back.arena));
    assert_string_equal(text, wanted);
    yyjson_doc_free(doc);
    review_back_close(&back);
}

#define ALL_LEFT "reviewing critic pedant witness security-reviewer silent-failure-hunter"

/* Five times the same file: what the plugin made of it, and what follows here. */
TEST(five_files_lead_where_they_say)
{
    static const struct {
        int iteration;
        const char *file, *wanted;
    } rows[] = {
        /* no file makes a run clean: it is reviewed again */
        { 1, SCENE_CLEAN, "in_progress R1 1; " ALL_LEFT },
        /* clean beside a list: there DONE, a false clean */
        { 1, "{\"issues\":[{\"severity\":\"info\",\"description\":\"x\"}],\"summary\":{\"critical\""
             ":0,\"warning\":0,\"info\":0,\"verdict\":\"clean\"}}",
          "in_progress R2 1; repairing review-fixer" },
        { 1, "{\"issues\":[],\"summary\":{\"critical\":0,\"warning\":0,\"info\":0}}",
          "in_progress R2 1; repairing review-fixer" },
        /* there a refusal */
        { 1, COUNTS("0", "\"approved\""), "in_progress R2 1; repairing review-fixer" },
        { 1, "{\"issues\":[", "in_progress R1 1; " ALL_LEFT },
        { 1, "", "in_progress R1 1; " ALL_LEFT },
        /* there R2, of a file that is no review */
        { 1, "[]", "in_progress R1 1; " ALL_LEFT },
        { 1, COUNTS("1", "\"clean\""), "in_progress R2 1; repairing review-fixer" },
        /* there three false cleans */
        { 1, COUNTS("\"1\"", "\"clean\""), "in_progress R2 1; repairing review-fixer" },
        { 1, COUNTS("-1", "\"clean\""), "in_progress R2 1; repairing review-fixer" },
        { 1, COUNTS("0.5", "\"clean\""), "in_progress R2 1; repairing review-fixer" },
        { 5, INFO, "stopped STOPPED 5; over" },
        { 5, SCENE_CLEAN, "in_progress R1 5; " ALL_LEFT },
        { 4, INFO, "in_progress R2 4; repairing review-fixer" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct contract files = { 0 };

        contract_file_add(&files, STATE, str_of(plugin_state("in_progress", "R1",
                          rows[i].iteration, "[]")));
        put_five(&files, rows[i].iteration, rows[i].file);
        leads_to(&files, rows[i].wanted);
        contract_release(&files);
    }
}

TEST(a_summary_that_is_not_true_is_set_right)
{
    struct run_view view = { .id = "run-1", .owner = "1", .workspace = "/w" };
    struct contract files = { 0 };
    struct review_back back;

    contract_file_add(&files, STATE, str_of(plugin_state("in_progress", "R2", 1, "[]")));
    put_five(&files, 1, "{\"issues\":[{\"severity\":\"info\",\"description\":\"x\"}],\"summary\":"
             "{\"critical\":0,\"warning\":0,\"info\":0,\"verdict\":\"clean\"}}");
    review_back_open(&back, &files, view);
    assert_non_null(strstr(scene_file(&back.record, FOLDER "review-1/r1-verdict.json").data,
                           "\"total_issues\": 5"));
    assert_non_null(strstr(scene_file(&back.record, FOLDER "review-1/r1-critic.json").data,
                           "\"verdict\": \"issues_found\""));
    review_back_close(&back);
    contract_release(&files);
}

TEST(a_forged_verdict_convinces_nobody)
{
    static const char *const phases[] = { "R1", "R2", "DONE", "STOPPED" };
    static const char *const statuses[] = { "in_progress", "in_progress", "complete", "stopped" };
    static const char forged[] = "{\"critic\":{\"verdict\":\"clean\",\"issues\":0},"
                                 "\"overall_verdict\":\"clean\",\"total_issues\":0}";

    for (size_t i = 0; i < 4; i++) {
        struct contract files = { 0 };

        contract_file_add(&files, STATE, str_of(plugin_state(statuses[i], phases[i], 1, "[]")));
        put(&files, 1, "r1-verdict.json", forged);
        leads_to(&files, "in_progress R1 1; " ALL_LEFT);
        put_review(&files, 1, "pedant", INFO);
        leads_to(&files, "in_progress R1 1; "
                 "reviewing critic witness security-reviewer silent-failure-hunter");
        put_five(&files, 1, INFO);
        leads_to(&files, "in_progress R2 1; repairing review-fixer");
        contract_release(&files);
    }
}

TEST(a_clean_file_counts_only_beside_the_findings_of_all_five)
{
    static const char *const phases[] = { "R1", "R2", "DONE", "STOPPED" };
    static const char *const statuses[] = { "in_progress", "in_progress", "complete", "stopped" };

    for (size_t i = 0; i < 4; i++) {
        struct contract files = { 0 };

        contract_file_add(&files, STATE, str_of(plugin_state(statuses[i], phases[i], 1, "[]")));
        put_five(&files, 1, SCENE_CLEAN);
        leads_to(&files, "in_progress R1 1; " ALL_LEFT);
        put_review(&files, 1, "pedant", "{");
        put_review(&files, 1, "witness", INFO);
        leads_to(&files, "in_progress R1 1; "
                 "reviewing critic pedant security-reviewer silent-failure-hunter");
        put_review(&files, 1, "pedant", SCENE_CLEAN);
        leads_to(&files, "in_progress R2 1; repairing review-fixer");
        contract_release(&files);
    }
}

TEST(the_forged_verdict_is_removed)
{
    struct run_view view = { .id = "run-1", .owner = "1", .workspace = "/w",
                             .session = "the host's", .answers = ANSWERS_IN_FILE };
    struct contract files = { 0 };
    struct review_back back;
    bool absent = false;

    contract_file_add(&files, STATE, str_of(plugin_state("in_progress", "R1", 1, "[]")));
    put(&files, 1, "r1-verdict.json", "{}");
    review_back_open(&back, &files, view);
    for (uint32_t i = 0; i < back.record.absent_count; i++) {
        absent = absent || strcmp(back.record.absent[i], FOLDER "review-1/r1-verdict.json") == 0;
    }
    assert_true(absent);
    review_back_close(&back);
    contract_release(&files);
}

TEST(what_is_valid_is_kept_where_one_of_five_is_not)
{
    static const char *const broken[] = { NULL, "", "{", "[]", "{\"a\":1}", "\xff",
                                          "{\"issues\":[],\"issues\":[],\"summary\":{}}" };

    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct contract files = { 0 };

        contract_file_add(&files, STATE, str_of(plugin_state("in_progress", "R2", 1, "[]")));
        for (size_t k = 0; k < 5; k++) {
            if (k != 2) put_review(&files, 1, roles[k], INFO);
        }
        if (broken[i]) put_review(&files, 1, "witness", broken[i]);
        put(&files, 1, "r2-fix-summary.md", "fixed\n");
        leads_to(&files, "in_progress R1 1; reviewing witness");
        contract_release(&files);
    }
}

TEST(in_r2_the_summary_opens_the_next_iteration)
{
    struct contract files = { 0 };

    contract_file_add(&files, STATE, str_of(plugin_state("in_progress", "R2", 1, "[]")));
    put_five(&files, 1, INFO);
    leads_to(&files, "in_progress R2 1; repairing review-fixer");
    put(&files, 1, "r2-fix-summary.md", " \n");
    leads_to(&files, "in_progress R2 1; repairing review-fixer");
    put(&files, 1, "r2-fix-summary.md", "fixed\n");
    leads_to(&files, "in_progress R1 2; " ALL_LEFT);
    contract_release(&files);
}

TEST(a_summary_that_nobody_asked_for_is_none)
{
    static const char *const phases[] = { "R1", "DONE", "STOPPED" };
    static const char *const statuses[] = { "in_progress", "complete", "stopped" };

    for (size_t i = 0; i < 3; i++) {
        struct contract files = { 0 };

        contract_file_add(&files, STATE, str_of(plugin_state(statuses[i], phases[i], 1, "[]")));
        put_five(&files, 1, INFO);
        put(&files, 1, "r2-fix-summary.md", "fixed\n");
        leads_to(&files, "in_progress R2 1; repairing review-fixer");
        contract_release(&files);
    }
}

TEST(a_fixer_that_was_stuck_is_stuck)
{
    struct contract files = { 0 };

    contract_file_add(&files, STATE, str_of(plugin_state("stopped", "STOPPED", 1, "[]")));
    put_five(&files, 1, INFO);
    put(&files, 1, "r2-fix-summary.md", "STUCK: why\n");
    leads_to(&files, "stopped STOPPED 1; stuck");
    contract_release(&files);
}

TEST(older_iterations_may_have_lost_their_files)
{
    struct run_view view = { .id = "run-1", .owner = "1", .workspace = "/w" };
    struct contract files = { 0 };
    struct review_back back;

    contract_file_add(&files, STATE, str_of(plugin_state("in_progress", "R1", 5, ENTRIES)));
    leads_to(&files, "in_progress R1 5; " ALL_LEFT);
    put_review(&files, 4, "critic", INFO);
    put_review(&files, 4, "pedant", "{");
    leads_to(&files, "in_progress R1 5; " ALL_LEFT);

    /* of what was guessed nothing is written; of the rest what was there */
    review_back_open(&back, &files, view);
    assert_int_equal(back.record.file_count, 2);
    assert_true(str_is(scene_file(&back.record, FOLDER "review-4/r1-critic.json"), INFO));
    review_back_close(&back);
    contract_release(&files);
}

TEST(five_clean_reviews_of_an_older_iteration_end_nothing)
{
    struct contract files = { 0 };

    contract_file_add(&files, STATE, str_of(plugin_state("in_progress", "R1", 2, "[]")));
    put_five(&files, 1, SCENE_CLEAN);
    leads_to(&files, "in_progress R1 2; " ALL_LEFT);
    contract_release(&files);
}

TEST(times_are_read_with_their_zone)
{
    struct run_view view = { .id = "run-1", .owner = "1", .workspace = "/w" };
    struct contract files = { 0 };
    struct review_back back;
    struct str text;

    contract_file_add(&files, STATE, str_of(plugin_state("in_progress", "R1", 2,
                      "[" ENTRY(1, FOUND) "," ENTRY(2, PENDING) "]")));
    review_back_open(&back, &files, view);
    text = scene_file(&back.record, STATE);
    assert_non_null(strstr(text.data, "\"startedAt\": \"2026-02-08T12:00:00Z\""));
    assert_non_null(strstr(text.data, "\"startedAt\": \"2026-02-08T12:02:00Z\""));
    assert_non_null(strstr(text.data, "\"updatedAt\": \"2026-02-08T12:10:00Z\""));
    review_back_close(&back);
    contract_release(&files);
}

TEST(what_is_foreign_in_a_state_is_left_alone)
{
    struct contract files = { 0 };

    contract_file_add(&files, STATE, STR(
        "{\"plugin\":\"minions\",\"pipeline\":\"review\",\"status\":\"in_progress\",\"task\":\"t\","
        "\"ownerPpid\":7,\"sessionId\":null,\"iteration\":1,\"maxIterations\":3,"
        "\"currentPhase\":\"R1\",\"startedAt\":\"2026-02-08T21:00:00-0530\","
        "\"updatedAt\":\"2026-02-08T21:00:00.5Z\",\"more\":[{}]}"));
    put(&files, 1, "notes.txt", "?");
    put(&files, 1, "r1-stranger.json", SCENE_CLEAN);
    put(&files, 2, "r1-critic.json", SCENE_CLEAN);
    contract_file_add(&files, FOLDER "review-01/r1-critic.json", STR(SCENE_CLEAN));
    contract_file_add(&files, FOLDER "review-1/x/r1-critic.json", STR(SCENE_CLEAN));
    contract_file_add(&files, FOLDER "review-99999999999999999999/r1-critic.json",
                      STR(SCENE_CLEAN));
    leads_to(&files, "in_progress R1 1; " ALL_LEFT);
    contract_release(&files);
}

/* ---- refused ---- */

static void refused(const char *content, const char *words)
{
    struct setting item = { "max-iterations", "5" };
    struct settings settings = { .items = &item, .count = 1 };
    struct contract files = { 0 };
    struct restored restored;
    struct err err = { 0 };

    contract_file_add(&files, STATE, str_of(content));
    assert_int_equal(dialect_review.adopting->restore(&files, &settings, &restored, &err),
                     ERR_FORMAT);
    if (!strstr(err.text, words) || !strstr(err.text, STATE)) fail_msg("%s", err.text);
    assert_int_equal(restored.count, 0);
    assert_null(restored.arena.block);
    contract_release(&files);
}

/* The plugin's state with one member changed. */
static void refused_with(const char *member, const char *changed, const char *words)
{
    const char *whole = plugin_state("in_progress", "R1", 1, "[" ENTRY(1, PENDING) "]");
    const char *at = strstr(whole, member);
    char text[4096];

    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, changed,
             at + strlen(member));
    refused(text, words);
}

TEST(what_contradicts_itself_is_refused_by_name)
{
    refused("", "");
    refused("{", "");
    refused("[]", "no object");
    refused("{}", "plugin");
    refused_with("\"version\":1", "\"task\":\"twice\"", "twice");
    refused_with("\"minions\"", "\"others\"", "plugin");
    refused_with("\"review\"", "\"launch\"", "pipeline");
    refused_with("\"Look at it\"", "\" \"", "task");
    refused_with("\"Look at it\"", "7", "task");
    refused_with("\"Look at it\"", "\"a\\u0000b\"", "task");
    refused_with("\"in_progress\"", "\"complete\"", "status is not in_progress");
    refused_with("\"in_progress\"", "\"failed\"", "status is not in_progress");
    refused_with("\"currentPhase\":\"R1\"", "\"currentPhase\":\"R3\"", "currentPhase");
    refused_with("\"currentPhase\":\"R1\"", "\"currentPhase\":\"DONE\"", "status");
    refused_with("\"iteration\":1,\"max", "\"iteration\":0,\"max", "iteration");
    refused_with("\"iteration\":1,\"max", "\"iteration\":1.5,\"max", "iteration");
    refused_with("\"iteration\":1,\"max", "\"iteration\":6,\"max", "more than maxIterations");
    refused_with("\"iteration\":1,\"max", "\"iteration\":10001,\"max", "10000");
    refused_with("\"maxIterations\":5", "\"maxIterations\":4", "maxIterations is not 5");
    refused_with("\"maxIterations\":5", "\"maxIterations\":0", "maxIterations");
    refused_with("2026-02-08T21:00:00+09:00", "yesterday", "startedAt");
    refused_with("2026-02-08T21:00:00+09:00", "2026-02-08T21:00:00", "startedAt");
    refused_with("2026-02-08T21:00:00+09:00", "2026-02-08T21:00:00+99:00", "startedAt");
    refused_with("2026-02-08T21:00:00+09:00", "1970-01-01T00:00:00Z", "startedAt");
    refused_with("2026-02-08T21:00:00+09:00", "1970-01-01T00:00:00+09:00", "startedAt");
    refused_with("2026-02-08T21:10:00+09:00", "Z", "updatedAt");
    refused_with("\"iterations\":[", "\"iterations\":7,\"x\":[", "iterations is no list");
    refused_with("[{\"iteration\":1", "[{\"iteration\":2", "iterations[0].iteration");
    refused_with("[{\"iteration\":1", "[{\"iteration\":1},{\"iteration\":1",
                 "iterations[1].iteration");
    refused_with("2026-02-08T21:01:00+09:00", "soon", "iterations[0].startedAt");
    refused_with("\"r1\":{\"status\":\"pending\"}", "\"r1\":{}", "iterations[0].r1.status");
    refused_with("\"r2\":{\"status\":\"pending\"}", "\"r2\":\"pending\"",
                 "iterations[0].r2.status");
    refused_with("\"verdict\":null", "\"verdict\":\"good\"", "iterations[0].verdict");
    refused_with("\"r1\":{\"status\":\"pending\"},\"r2\":{\"status\":\"pending\"},"
                 "\"verdict\":null", "\"r1\":" FOUND ",\"verdict\":\"clean\"",
                 "not what r1.verdict says");
}

TEST(a_clean_iteration_is_the_last)
{
    static const char clean[] = "[{\"iteration\":1,\"verdict\":\"clean\"}]";
    static const char found[] = "[{\"iteration\":1,\"verdict\":\"issues_found\"}]";

    refused(plugin_state("in_progress", "R1", 2, clean), "went on");
    refused(plugin_state("in_progress", "R2", 1, clean), "went on");
    refused(plugin_state("stopped", "STOPPED", 1, clean), "went on");
    refused(plugin_state("complete", "DONE", 1, found), "currentPhase is DONE");
}

TEST(more_iterations_than_allowed_need_a_fixer_that_was_stuck)
{
    struct contract files = { 0 };
    struct run_view view = { .id = "run-1", .owner = "1", .workspace = "/w" };
    struct review_back back;

    contract_file_add(&files, STATE, str_of(plugin_state("in_progress", "R1", 6, "[]")));
    put(&files, 4, "r2-fix-summary.md", "no\nSTUCK: it is not mine\n");
    review_back_open(&back, &files, view);
    assert_int_equal(back.engine.lanes[0].tallies[0].granted, 1);
    assert_int_equal(back.engine.lanes[0].now.round, 6);
    review_back_close(&back);
    contract_release(&files);
}

TEST(the_settings_are_those_of_the_state)
{
    struct contract files = { 0 };
    struct arena arena = { 0 };
    struct settings settings;
    struct err err = { 0 };

    assert_int_equal(dialect_review.adopting->settings_of(&files, &arena, &settings, &err),
                     ERR_FORMAT);
    assert_non_null(strstr(err.text, "not there"));
    contract_file_add(&files, STATE, str_of(plugin_state("in_progress", "R1", 1, "[]")));
    assert_int_equal(dialect_review.adopting->settings_of(&files, &arena, &settings, &err), 0);
    assert_string_equal(setting_value(&settings, "max-iterations"), "5");
    contract_release(&files);

    contract_file_add(&files, STATE, STR("{\"maxIterations\":1001}"));
    assert_int_equal(dialect_review.adopting->settings_of(&files, &arena, &settings, &err),
                     ERR_FORMAT);
    assert_non_null(strstr(err.text, "maxIterations"));
    contract_release(&files);
    arena_release(&arena);
}
