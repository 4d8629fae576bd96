/* SPDX-License-Identifier: Apache-2.0
 *
 * test_iterate_config.c - iterate's configuration: what is allowed, which layer wins,
 * and who is told where a value comes from. In the texts ' stands for ". */
#include "iterate_reading.h"
#include "test.h"

#include <string.h>

TEST(every_field_has_the_default_of_the_contract)
{
    static const char *const expected[PHASE_NUMBER_MAX + 1][FIELD_COUNT] = {
        { "-", "-", "-", "-", "-", "\"LOW\"", "10", "\"stop\"", "true" },
        { "\"inherit\"", "true", "\"inherit\"", "-", "-", "-", "-", "-", "-" },
        { "\"inherit\"", "true", "\"inherit\"", "-", "-", "-", "-", "-", "-" },
        { "-", "-", "-", "\"mcp__codex__codex\"", "\"restart\"", "\"LOW\"", "10", "\"stop\"",
          "true" },
        { "\"inherit\"", "false", "-", "-", "-", "-", "-", "-", "-" },
        { "\"inherit\"", "-", "-", "-", "\"mini-loop\"", "\"LOW\"", "10", "\"stop\"", "true" },
        { "null", "-", "-", "-", "\"restart\"", "-", "10", "\"stop\"", "-" },
        { "\"inherit\"", "false", "-", "-", "-", "-", "-", "-", "-" },
        { "-", "-", "-", "\"mcp__codex__codex\"", "\"restart\"", "\"LOW\"", "10", "\"stop\"",
          "true" },
        { "-", "-", "-", "\"mcp__codex-high__codex\"", "-", "-", "-", "-", "-" },
    };
    struct reading reading;

    reading_open(&reading, NULL, NULL);
    for (uint32_t n = 0; n <= PHASE_NUMBER_MAX; n++) {
        for (uint32_t f = 0; f < FIELD_COUNT; f++) {
            assert_string_equal(reading_value(&reading, n, (enum iterate_field)f), expected[n][f]);
            assert_null(reading.config.fields[n][f].from);
        }
    }
    assert_int_equal(reading.warnings.count, 0);
    reading_close(&reading);
}

TEST(the_contracts_own_example_is_taken_without_a_warning)
{
    static const char example[] =
        "{ 'version': 2, 'reviewDefaults': { 'failOnSeverity': 'LOW', 'maxRetries': 10,\n"
        "  'onMaxRetries': 'stop', 'parallelFixes': true }, 'phases': {\n"
        "  '1': { 'model': 'inherit', 'parallel': true, 'parallelModel': 'inherit' },\n"
        "  '2': { 'model': 'inherit', 'parallel': true, 'parallelModel': 'inherit' },\n"
        "  '3': { 'tool': 'mcp__codex__codex', 'onFailure': 'restart', 'failOnSeverity': 'LOW',\n"
        "         'maxRetries': 10, 'parallelFixes': true },\n"
        "  '4': { 'model': 'inherit', 'parallel': false },\n"
        "  '5': { 'model': 'inherit', 'onFailure': 'mini-loop', 'failOnSeverity': 'LOW',\n"
        "         'maxRetries': 10, 'parallelFixes': true },\n"
        "  '6': { 'model': null, 'onFailure': 'restart', 'maxRetries': 10 },\n"
        "  '7': { 'model': 'inherit', 'parallel': false },\n"
        "  '8': { 'tool': 'mcp__codex__codex', 'onFailure': 'restart',\n"
        "         'failOnSeverity': 'LOW', 'maxRetries': 10, 'parallelFixes': true },\n"
        "  '9': { 'tool': 'mcp__codex-high__codex' } } }\n";
    struct reading plain, reading;

    reading_open(&plain, NULL, NULL);
    reading_open(&reading, example, NULL);
    assert_int_equal(reading.warnings.count, 0);
    reading_same(&reading, &plain);
    reading_close(&plain);
    reading_close(&reading);
}

/* A field, and a value for it in each layer above the built-in ones. */
struct layered {
    enum iterate_field field;
    const char *values[4], *built_in;
};

/* bits: the layers that say something, the user's defaults first and the project's phase last. */
static void check_layers(const struct layered *row, uint32_t bits)
{
    const char *name = iterate_fields[row->field].name, *parts[4];
    const char *phase = row->built_in, *defaults = row->built_in;
    const char *phase_from = "built in", *defaults_from = "built in";
    struct arena arena = { 0 };
    struct reading reading;
    const struct iterate_value *value;

    for (uint32_t k = 0; k < 4; k++) {
        parts[k] = "";
        if (!(bits >> k & 1)) continue;
        parts[k] = arena_printf(&arena, "'%s':%s", name, row->values[k]);
        phase = row->values[k];
        phase_from = k < 2 ? READING_USER : READING_PROJECT;
        if (k % 2) continue;
        defaults = phase;
        defaults_from = phase_from;
    }
    reading_open(&reading,
        arena_printf(&arena, "{'reviewDefaults':{%s},'phases':{'5':{%s}}}", parts[0], parts[1]),
        arena_printf(&arena, "{'phases':{'5':{%s}},'reviewDefaults':{%s}}", parts[3], parts[2]));
    assert_int_equal(reading.warnings.count, 0);
    assert_string_equal(reading_value(&reading, 5, row->field), reading_quoted(&arena, phase));
    value = &reading.config.fields[5][row->field];
    assert_string_equal(value->from ? value->from : "built in", phase_from);
    /* A phase that no file names, and the defaults themselves. */
    assert_string_equal(reading_value(&reading, 8, row->field), reading_quoted(&arena, defaults));
    assert_string_equal(reading_value(&reading, 0, row->field), reading_quoted(&arena, defaults));
    value = &reading.config.fields[8][row->field];
    assert_string_equal(value->from ? value->from : "built in", defaults_from);
    reading_close(&reading);
    arena_release(&arena);
}

TEST(the_last_layer_that_says_something_wins_in_every_combination)
{
    static const struct layered rows[] = {
        { FIELD_FAIL_ON_SEVERITY, { "'MEDIUM'", "'HIGH'", "'NONE'", "'LOW'" }, "'LOW'" },
        { FIELD_MAX_RETRIES, { "1", "2", "null", "0" }, "10" },
        { FIELD_ON_MAX_RETRIES, { "'ask'", "'restart'", "'proceed'", "'stop'" }, "'stop'" },
        { FIELD_PARALLEL_FIXES, { "false", "true", "false", "true" }, "true" },
    };

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t bits = 0; bits < 16; bits++) check_layers(&rows[i], bits);
    }
}

TEST(a_phases_own_settings_come_from_user_and_then_project)
{
    struct reading reading;

    reading_open(&reading,
                 "{'phases':{'1':{'model':'opus','parallel':false},'3':{'onFailure':'stop'},"
                 "'9':{'tool':null}}}",
                 "{'phases':{'1':{'model':'haiku','parallelModel':'claude-sonnet-4-5'},"
                 "'3':{'tool':'claude-review'}}}");
    assert_string_equal(reading_value(&reading, 1, FIELD_MODEL), "\"haiku\"");
    assert_string_equal(reading.config.fields[1][FIELD_MODEL].from, READING_PROJECT);
    assert_string_equal(reading_value(&reading, 1, FIELD_PARALLEL), "false");
    assert_string_equal(reading.config.fields[1][FIELD_PARALLEL].from, READING_USER);
    assert_string_equal(reading_value(&reading, 1, FIELD_PARALLEL_MODEL), "\"claude-sonnet-4-5\"");
    assert_string_equal(reading_value(&reading, 3, FIELD_ON_FAILURE), "\"stop\"");
    assert_string_equal(reading_value(&reading, 3, FIELD_TOOL), "\"claude-review\"");
    assert_string_equal(reading_value(&reading, 9, FIELD_TOOL), "null");
    assert_string_equal(reading_value(&reading, 2, FIELD_MODEL), "\"inherit\"");
    assert_int_equal(reading.warnings.count, 0);
    reading_close(&reading);
}

TEST(phase_6_takes_only_the_retries_from_the_review_defaults)
{
    struct reading reading;

    reading_open(&reading, "{'reviewDefaults':{'failOnSeverity':'NONE','maxRetries':3,"
                 "'onMaxRetries':'ask','parallelFixes':false}}", NULL);
    assert_string_equal(reading_value(&reading, 6, FIELD_MAX_RETRIES), "3");
    assert_string_equal(reading_value(&reading, 6, FIELD_ON_MAX_RETRIES), "\"ask\"");
    assert_false(reading.config.fields[6][FIELD_FAIL_ON_SEVERITY].is_set);
    assert_false(reading.config.fields[6][FIELD_PARALLEL_FIXES].is_set);
    reading_close(&reading);
}

TEST(every_word_that_is_allowed_is_taken)
{
    for (uint32_t f = 0; f < FIELD_COUNT; f++) {
        const struct iterate_word *words = iterate_fields[f].words;
        for (uint32_t n = 1; words && n <= PHASE_NUMBER_MAX; n++) {
            if (!iterate_has_field(n, (enum iterate_field)f)) continue;
            for (uint32_t i = 0; words[i].word; i++) {
                struct arena arena = { 0 };
                struct reading reading;
                reading_open(&reading, NULL,
                             arena_printf(&arena, "{'phases':{'%u':{'%s':'%s'}}}", (unsigned)n,
                                          iterate_fields[f].name, words[i].word));
                assert_int_equal(reading.warnings.count, 0);
                assert_string_equal(reading.config.fields[n][f].text, words[i].word);
                assert_int_equal(reading.config.fields[n][f].number, words[i].number);
                assert_string_equal(reading.config.fields[n][f].from, READING_PROJECT);
                reading_close(&reading);
                arena_release(&arena);
            }
        }
    }
}

TEST(files_of_others_are_not_read)
{
    struct config_text file = { "--spec", STR("not json") };
    struct warnings warnings = { 0 };
    struct settings settings = { .files = &file, .file_count = 1, .warnings = &warnings };
    struct iterate_config config;
    struct arena arena = { 0 };

    iterate_config_read(&settings, &arena, &config);
    assert_int_equal(warnings.count, 0);
    arena_release(&arena);
}

TEST(thresholds_are_the_phases_own_and_of_phase_9_the_defaults)
{
    struct reading reading;

    reading_open(&reading, "{'reviewDefaults':{'failOnSeverity':'HIGH'},"
                 "'phases':{'3':{'failOnSeverity':'NONE'},'5':{'failOnSeverity':'MEDIUM'}}}", NULL);
    assert_int_equal(iterate_threshold(&reading.config, 3), THRESHOLD_NONE);
    assert_int_equal(iterate_threshold(&reading.config, 5), SEVERITY_MEDIUM);
    assert_int_equal(iterate_threshold(&reading.config, 6), SEVERITY_LOW);
    assert_int_equal(iterate_threshold(&reading.config, 8), SEVERITY_HIGH);
    assert_int_equal(iterate_threshold(&reading.config, 9), SEVERITY_HIGH);
    reading_close(&reading);
}

TEST(the_list_names_every_setting_with_its_file)
{
    struct config_text file = { READING_PROJECT,
                                STR("{\"reviewDefaults\":{\"maxRetries\":null}}") };
    struct settings settings = { .files = &file, .file_count = 1 };
    struct config_list list = { 0 };
    struct arena arena = { 0 };

    iterate_config_list(&settings, &arena, &list);
    assert_int_equal(list.count, 37);
    assert_string_equal(list.items[0].path, "reviewDefaults.failOnSeverity");
    assert_string_equal(list.items[0].value, "\"LOW\"");
    assert_null(list.items[0].from);
    assert_string_equal(list.items[1].path, "reviewDefaults.maxRetries");
    assert_string_equal(list.items[1].value, "null");
    assert_string_equal(list.items[1].from, READING_PROJECT);
    assert_string_equal(list.items[list.count - 1].path, "phases.9.tool");
    arena_release(&arena);
}
