/* SPDX-License-Identifier: Apache-2.0
 *
 * test_iterate_config_file.c - a configuration file of iterate that is not as it should be: what a
 * person is told, and that nothing else comes of it. In the texts ' stands for ". */
#include "iterate_reading.h"
#include "test.h"

#include <string.h>

static const struct { const char *text, *warning; } rows[] = {
    { "{'phases':{'3':{'onFailure':'restat'}}}",
      "phases.3.onFailure: 'restat' cannot be used, it is ignored; allowed: mini-loop, "
      "restart, proceed, stop; did you mean restart?" },
    { "{'phases':{'5':{'failOnSeverity':'low'}}}",
      "phases.5.failOnSeverity: 'low' cannot be used, it is ignored; allowed: LOW, MEDIUM, "
      "HIGH, NONE; did you mean LOW?" },
    { "{'reviewDefaults':{'onMaxRetries':'explode'}}",
      "reviewDefaults.onMaxRetries: 'explode' cannot be used, it is ignored; allowed: stop, "
      "ask, restart, proceed" },
    { "{'phases':{'8':{'tool':'gemini'}}}",
      "phases.8.tool: 'gemini' cannot be used, it is ignored; allowed: mcp__codex__codex, "
      "mcp__codex-minimal__codex, mcp__codex-low__codex, mcp__codex-medium__codex, "
      "mcp__codex-high__codex, mcp__codex-xhigh__codex, mcp__codex-max__codex, "
      "mcp__codex-ultra__codex, claude-review, inherit" },
    { "{'reviewDefaults':{'maxRetries':-1}}",
      "reviewDefaults.maxRetries: -1 cannot be used, it is ignored; allowed: a whole number "
      "from 0 to 1000000, or null for no limit" },
    { "{'phases':{'6':{'maxRetries':1.5}}}",
      "phases.6.maxRetries: 1.5 cannot be used, it is ignored; allowed: a whole number from 0 "
      "to 1000000, or null for no limit" },
    { "{'phases':{'6':{'maxRetries':1000001}}}",
      "phases.6.maxRetries: 1000001 cannot be used, it is ignored; allowed: a whole number "
      "from 0 to 1000000, or null for no limit" },
    { "{'phases':{'3':{'maxRetries':'10'}}}",
      "phases.3.maxRetries: '10' cannot be used, it is ignored; allowed: a whole number from "
      "0 to 1000000, or null for no limit" },
    { "{'phases':{'3':{'parallelFixes':1}}}",
      "phases.3.parallelFixes: 1 cannot be used, it is ignored; allowed: true or false" },
    { "{'phases':{'3':{'onFailure':null}}}",
      "phases.3.onFailure: null cannot be used, it is ignored; allowed: mini-loop, restart, "
      "proceed, stop" },
    { "{'phases':{'1':{'model':['opus']}}}",
      "phases.1.model: a list cannot be used, it is ignored; allowed: inherit, null, or the "
      "name of a model" },
    { "{'phases':{'1':{'model':'--dangerously'}}}",
      "phases.1.model: '--dangerously' cannot be used, it is ignored; allowed: inherit, null, "
      "or the name of a model" },
    { "{'phases':{'2':{'parallelModel':'a b'}}}",
      "phases.2.parallelModel: 'a b' cannot be used, it is ignored; allowed: inherit, null, "
      "or the name of a model" },
    { "{'phases':{'1':{'model':''}}}",
      "phases.1.model: '' cannot be used, it is ignored; allowed: inherit, null, or the name "
      "of a model" },
    { "{'phases':{'6':{'model':'opus'}}}",
      "phases.6.model: 'opus' cannot be used, it is ignored; allowed: null, since no model "
      "runs the tests" },
    { "{'phases':{'6':{'failOnSeverity':'LOW'}}}",
      "phases.6.failOnSeverity: there is no such setting, it is ignored; allowed here: model, "
      "onFailure, maxRetries, onMaxRetries" },
    { "{'phases':{'3':{'parallel':true}}}",
      "phases.3.parallel: there is no such setting, it is ignored; allowed here: tool, "
      "onFailure, failOnSeverity, maxRetries, onMaxRetries, parallelFixes" },
    { "{'phases':{'5':{'onFail':'stop'}}}",
      "phases.5.onFail: there is no such setting, it is ignored; allowed here: model, "
      "onFailure, failOnSeverity, maxRetries, onMaxRetries, parallelFixes; did you mean "
      "onFailure?" },
    { "{'reviewDefaults':{'onFailure':'stop'}}",
      "reviewDefaults.onFailure: there is no such setting, it is ignored; allowed here: "
      "failOnSeverity, maxRetries, onMaxRetries, parallelFixes" },
    { "{'phases':{'10':{'model':'opus'}}}",
      "phases.10: there is no such setting, it is ignored; allowed here: 1, 2, 3, 4, 5, 6, 7, "
      "8, 9" },
    { "{'phase':{}}", "phase: there is no such setting, it is ignored; allowed here: version, "
      "reviewDefaults, phases; did you mean phases?" },
    { "{'phases':[]}", "phases: a list cannot be used, it is ignored; allowed: an object" },
    { "{'phases':{'3':'restart'}}",
      "phases.3: 'restart' cannot be used, it is ignored; allowed: an object" },
    { "{'reviewDefaults':null}",
      "reviewDefaults: null cannot be used, it is ignored; allowed: an object" },
    { "[1]", "a list cannot be used, it is ignored; allowed: an object" },
    { "{'version':1}", "version: 1 is not a version that hone knows; allowed: 2. The file is "
      "read as if it said so" },
    { "{'version':'2'}", "version: '2' is not a version that hone knows; allowed: 2. The file "
      "is read as if it said so" },
    { "{'version':2,'version':2}", "version: it is there more than once; the first one counts" },
    { "{'phases':", "it is not JSON (line 1: unexpected end of data), and ignored; 'hone "
      "configure iterate' writes a new one" },
    { "", "it is not JSON (line 1: there is no JSON here), and ignored; 'hone configure "
      "iterate' writes a new one" },
    { "{'phases':{'4':{'parallel':true}}}",
      "phases.4.parallel: true is taken as false, since two agents would change the same "
      "files; it is for phases 1 and 2" },
};

TEST(what_cannot_be_used_is_one_warning_and_changes_nothing)
{
    struct reading plain;

    reading_open(&plain, NULL, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena arena = { 0 };
        struct reading reading;
        const char *warning = reading_quoted(&arena, rows[i].warning);
        reading_open(&reading, rows[i].text, NULL);
        assert_int_equal(reading.warnings.count, 1);
        assert_string_equal(reading_quoted(&arena, reading.warnings.items[0]),
                            arena_printf(&arena, READING_USER ": %s", warning));
        reading_same(&reading, &plain);
        reading_close(&reading);
        arena_release(&arena);
    }
    reading_close(&plain);
}

TEST(a_bad_value_leaves_the_one_from_the_layer_below)
{
    struct reading reading;

    reading_open(&reading, "{'phases':{'3':{'onFailure':'proceed','maxRetries':4}}}",
                 "{'phases':{'3':{'onFailure':'never','maxRetries':-4}}}");
    assert_string_equal(reading_value(&reading, 3, FIELD_ON_FAILURE), "\"proceed\"");
    assert_string_equal(reading_value(&reading, 3, FIELD_MAX_RETRIES), "4");
    assert_string_equal(reading.config.fields[3][FIELD_ON_FAILURE].from, READING_USER);
    assert_int_equal(reading.warnings.count, 2);
    assert_non_null(strstr(reading.warnings.items[0], READING_PROJECT ": phases.3.onFailure: "));
    reading_close(&reading);
}

TEST(a_bad_file_does_not_spoil_the_other)
{
    struct reading reading;

    reading_open(&reading, "not json", "{'phases':{'5':{'maxRetries':2}}}");
    assert_int_equal(reading.warnings.count, 1);
    assert_non_null(strstr(reading.warnings.items[0], READING_USER ": it is not JSON"));
    assert_string_equal(reading_value(&reading, 5, FIELD_MAX_RETRIES), "2");
    reading_close(&reading);
}

TEST(of_two_members_with_one_name_the_first_counts)
{
    struct reading reading;

    reading_open(&reading, "{'phases':{'5':{'maxRetries':2,'maxRetries':3},'5':{'model':'opus'}},"
                 "'reviewDefaults':{'maxRetries':7},'reviewDefaults':{'maxRetries':8},"
                 "'ph\\u0061ses':{'6':{'maxRetries':1}}}", NULL);
    assert_string_equal(reading_value(&reading, 5, FIELD_MAX_RETRIES), "2");
    assert_string_equal(reading_value(&reading, 5, FIELD_MODEL), "\"inherit\"");
    assert_string_equal(reading_value(&reading, 6, FIELD_MAX_RETRIES), "7");
    assert_int_equal(reading.warnings.count, 4);
    assert_string_equal(reading.warnings.items[0],
                        READING_USER ": phases.5.maxRetries: it is there more than once; the "
                        "first one counts");
    assert_string_equal(reading.warnings.items[3],
                        READING_USER ": phases: it is there more than once; the first one counts");
    reading_close(&reading);
}

TEST(names_and_values_from_outside_are_shown_harmless_and_short)
{
    struct arena arena = { 0 };
    char *text = arena_alloc(&arena, 5000);
    struct reading reading;

    memset(text, 'x', 4000);
    reading_open(&reading,
                 arena_printf(&arena, "{'a\\nhone: forged\\u001b[2J':1,'%s':1,"
                              "'phases':{'3':{'onFailure':'b\\r\\u202e%s'}}}", text, text), NULL);
    assert_int_equal(reading.warnings.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const char *warning = reading.warnings.items[i];
        assert_true(strlen(warning) < 400);
        for (size_t k = 0; warning[k]; k++) assert_true((unsigned char)warning[k] >= ' ');
        assert_null(strstr(warning, "\xe2\x80\xae"));
    }
    reading_close(&reading);
    arena_release(&arena);
}

TEST(a_file_full_of_faults_has_twenty_warnings_and_a_count)
{
    struct reading reading;
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_text(&text, "{'k0':0");
    for (uint32_t i = 1; i < 50000; i++) buf_printf(&text, ",'k%u':0", (unsigned)i);
    buf_text(&text, "}");
    reading_open(&reading, buf_cstr(&text), NULL);
    assert_int_equal(reading.warnings.count, 21);
    assert_string_equal(reading.warnings.items[20],
                        READING_USER ": and 49980 more that are not shown");
    reading_close(&reading);
    buf_release(&text);
}

TEST(deep_and_large_files_are_refused)
{
    struct arena arena = { 0 };
    char *deep = arena_alloc(&arena, 200001), *large = arena_alloc(&arena, (1 << 20) + 3);
    struct reading reading;

    memset(deep, '[', 100000);
    memset(deep + 100000, ']', 100000);
    reading_open(&reading, deep, NULL);
    assert_int_equal(reading.warnings.count, 1);
    assert_non_null(strstr(reading.warnings.items[0], "nested deeper than 64 levels"));
    reading_close(&reading);
    memset(large, ' ', (1 << 20) + 2);
    large[0] = '{';
    large[(1 << 20) + 1] = '}';
    reading_open(&reading, large, NULL);
    assert_int_equal(reading.warnings.count, 1);
    assert_string_equal(reading.warnings.items[0],
                        READING_USER ": it is larger than 1048576 bytes, and ignored");
    reading_close(&reading);
    arena_release(&arena);
}
