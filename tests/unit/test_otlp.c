/* SPDX-License-Identifier: Apache-2.0
 *
 * test_otlp.c - spans as JSON, ids, and what the environment says of where they go. */
#include "format/observe/otlp.h"

#include "test.h"

#include <string.h>

static const char uuid[] = "0191d7a4-5b0e-4c3f-8a3d-0c5f6e7d8a9b";

TEST(a_run_with_a_uuid_has_its_digits_as_trace)
{
    char id[TRACE_ID_BYTES];

    assert_string_equal(trace_id(uuid, id), "0191d7a45b0e4c3f8a3d0c5f6e7d8a9b");
    assert_string_equal(trace_id("0191D7A4-5B0E-4C3F-8A3D-0C5F6E7D8A9B", id),
                        "0191d7a45b0e4c3f8a3d0c5f6e7d8a9b");
}

TEST(any_other_name_gives_ids_that_are_none_of_zeros)
{
    static const char *const names[] = { "", "7k2m", "00000000-0000-0000-0000-000000000000" };

    for (uint32_t i = 0; i < 3; i++) {
        char one[TRACE_ID_BYTES], two[TRACE_ID_BYTES], span[SPAN_ID_BYTES];

        assert_int_equal(strlen(trace_id(names[i], one)), 32);
        assert_string_equal(one, trace_id(names[i], two));
        assert_true(strspn(one, "0") < 32);
        assert_int_equal(strlen(span_id(names[i], "run", span)), 16);
        assert_true(strspn(span, "0") < 16);
    }
}

TEST(spans_of_a_run_differ_by_name_and_runs_by_theirs)
{
    char one[SPAN_ID_BYTES], two[SPAN_ID_BYTES];

    assert_string_not_equal(span_id(uuid, "attempt/1-1", one), span_id(uuid, "attempt/1-2", two));
    assert_string_not_equal(span_id("a", "attempt/1-1", one), span_id("b", "attempt/1-1", two));
    assert_string_equal(span_id("a", "x", one), span_id("a", "x", two));
}

TEST(a_traceparent_is_read_and_written)
{
    static const char text[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    char again[TRACEPARENT_BYTES];
    struct trace_parent parent;

    assert_true(trace_parent_read(str_of("  00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-"
                                         "01\n"), &parent));
    assert_true(parent.sampled);
    assert_string_equal(trace_parent_write(parent.trace, parent.span, again), text);
    assert_true(trace_parent_read(str_of("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-"
                                         "02-x"), &parent));
    assert_false(parent.sampled);
}

TEST(what_is_no_traceparent_is_refused)
{
    static const char *const texts[] = {
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
        "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
    };

    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct trace_parent parent = { .trace = "kept" };

        assert_false(trace_parent_read(str_of(texts[i]), &parent));
        assert_string_equal(parent.trace, "kept");
    }
}

TEST(a_span_is_written_by_the_rules_of_the_protocol)
{
    const struct otlp_attribute service = { .key = "service.name", .text = STR("ho\xffne") };
    const struct otlp_resource resource = { &service, 1, "0.1.0" };
    struct otlp_span span = {
        .trace = "0191d7a45b0e4c3f8a3d0c5f6e7d8a9b", .span = "00f067aa0ba902b7",
        .name = "invoke_agent critic", .kind = OTLP_SPAN_CLIENT, .start_ms = 1794990411738,
        .end_ms = 12, .status = OTLP_STATUS_ERROR, .status_text = "rate",
    };
    struct buf out;

    otlp_text(&span, "gen_ai.agent.name", "critic");
    otlp_text(&span, "left.out", "");
    otlp_number(&span, "gen_ai.usage.input_tokens", UINT64_MAX);
    otlp_millionths(&span, "hone.cost.usd", 1250000);
    otlp_bool(&span, "hone.run.resumed", true);
    buf_init(&out, 1 << 20);
    otlp_write(&resource, &span, 1, &out);
    assert_string_equal(buf_cstr(&out),
        "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{"
        "\"stringValue\":\"ho\xef\xbf\xbdne\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"hone\","
        "\"version\":\"0.1.0\"},\"spans\":[{\"traceId\":\"0191d7a45b0e4c3f8a3d0c5f6e7d8a9b\","
        "\"spanId\":\"00f067aa0ba902b7\",\"name\":\"invoke_agent critic\",\"kind\":3,"
        "\"startTimeUnixNano\":\"1794990411738000000\",\"endTimeUnixNano\":"
        "\"1794990411738000000\",\"attributes\":[{\"key\":\"gen_ai.agent.name\",\"value\":{"
        "\"stringValue\":\"critic\"}},{\"key\":\"gen_ai.usage.input_tokens\",\"value\":{"
        "\"intValue\":\"9223372036854775807\"}},{\"key\":\"hone.cost.usd\",\"value\":{"
        "\"doubleValue\":1.25}},{\"key\":\"hone.run.resumed\",\"value\":{\"boolValue\":true}}],"
        "\"status\":{\"code\":2,\"message\":\"rate\"}}]}]}]}");
    buf_release(&out);
}

TEST(what_a_collector_refused_is_read_and_garbage_is_nothing)
{
    struct arena arena = { 0 };
    struct str words;

    assert_int_equal(otlp_refused(STR("{\"partialSuccess\":{\"rejectedSpans\":\"3\","
                                      "\"errorMessage\":\"too old\"}}"), &arena, &words), 3);
    assert_true(str_is(words, "too old"));
    assert_int_equal(otlp_refused(STR("{\"partialSuccess\":{\"rejectedSpans\":2}}"), &arena,
                                  &words), 2);
    assert_int_equal(otlp_refused(STR("{\"partialSuccess\":{}}"), &arena, &words), 0);
    assert_int_equal(otlp_refused(STR("<html>"), &arena, &words), 0);
    assert_int_equal(otlp_refused(STR("[]"), &arena, &words), 0);
    assert_int_equal(otlp_refused(STR("{\"partialSuccess\":{\"rejectedSpans\":-1}}"), &arena,
                                  &words), 0);
    arena_release(&arena);
}

/* ---- the environment ---- */

static struct otlp_setup setup_of(struct arena *arena, const char *const *environment)
{
    struct otlp_setup setup;

    otlp_setup_read(environment, "0.1.0", arena, &setup);
    return setup;
}

#define SETUP(...) setup_of(&arena, (const char *const[]){ __VA_ARGS__, NULL })

TEST(without_an_address_nothing_is_sent)
{
    struct arena arena = { 0 };

    assert_null(SETUP("HOME=/root").url);
    assert_null(SETUP("OTEL_EXPORTER_OTLP_ENDPOINT=").url);
    assert_null(SETUP("OTEL_EXPORTER_OTLP_ENDPOINT=").problem);
    arena_release(&arena);
}

TEST(the_address_of_all_gets_a_path_and_that_of_traces_is_as_it_is)
{
    struct arena arena = { 0 };

    assert_string_equal(SETUP("OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318").url,
                        "http://c:4318/v1/traces");
    assert_string_equal(SETUP("OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318/x/").url,
                        "http://c:4318/x/v1/traces");
    assert_string_equal(SETUP("OTEL_EXPORTER_OTLP_ENDPOINT=http://c",
                              "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://d/t").url, "https://d/t");
    arena_release(&arena);
}

TEST(an_address_of_another_kind_is_named_as_a_problem)
{
    struct arena arena = { 0 };
    struct otlp_setup setup = SETUP("OTEL_EXPORTER_OTLP_ENDPOINT=c:4317");

    assert_null(setup.url);
    assert_non_null(strstr(setup.problem, "http://"));
    arena_release(&arena);
}

TEST(it_can_be_switched_off)
{
    static const char endpoint[] = "OTEL_EXPORTER_OTLP_ENDPOINT=http://c";
    struct arena arena = { 0 };

    assert_null(SETUP(endpoint, "OTEL_SDK_DISABLED=True").url);
    assert_non_null(SETUP(endpoint, "OTEL_SDK_DISABLED=trues").url);
    assert_non_null(SETUP(endpoint, "OTEL_SDK_DISABLED=false").url);
    assert_null(SETUP(endpoint, "OTEL_TRACES_EXPORTER=none").url);
    assert_non_null(SETUP(endpoint, "OTEL_TRACES_EXPORTER=otlp").url);
    assert_null(SETUP(endpoint,
                      "TRACEPARENT=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00").url);
    assert_non_null(SETUP(endpoint, "TRACEPARENT=garbage").url);
    assert_string_equal(SETUP(endpoint, "TRACEPARENT=garbage").parent.trace, "");
    arena_release(&arena);
}

TEST(headers_are_decoded_and_one_that_breaks_its_line_sends_nothing)
{
    struct arena arena = { 0 };
    struct otlp_setup setup = SETUP("OTEL_EXPORTER_OTLP_ENDPOINT=http://c",
                                    "OTEL_EXPORTER_OTLP_HEADERS= api-key = a%20b=c ,,x=%zz%4");

    assert_int_equal(setup.header_count, 2);
    assert_string_equal(setup.headers[0].name, "api-key");
    assert_string_equal(setup.headers[0].value, "a b=c");
    assert_string_equal(setup.headers[1].value, "%zz%4");
    setup = SETUP("OTEL_EXPORTER_OTLP_ENDPOINT=http://c",
                  "OTEL_EXPORTER_OTLP_HEADERS=key=s3cret%0d%0aHost:%20x");
    assert_null(setup.url);
    assert_null(strstr(setup.problem, "s3cret"));
    assert_null(SETUP("OTEL_EXPORTER_OTLP_ENDPOINT=http://c",
                      "OTEL_EXPORTER_OTLP_HEADERS=nothing").url);
    arena_release(&arena);
}

TEST(a_time_that_is_none_is_the_usual_one)
{
    static const char endpoint[] = "OTEL_EXPORTER_OTLP_ENDPOINT=http://c";
    struct arena arena = { 0 };

    assert_int_equal(SETUP(endpoint).timeout_ms, 10000);
    assert_int_equal(SETUP(endpoint, "OTEL_EXPORTER_OTLP_TIMEOUT=5s").timeout_ms, 10000);
    assert_int_equal(SETUP(endpoint, "OTEL_EXPORTER_OTLP_TIMEOUT=500").timeout_ms, 500);
    assert_int_equal(SETUP(endpoint, "OTEL_EXPORTER_OTLP_TIMEOUT=500",
                           "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=70").timeout_ms, 70);
    assert_int_equal(SETUP(endpoint, "OTEL_EXPORTER_OTLP_TIMEOUT=99999999").timeout_ms, 60000);
    arena_release(&arena);
}

static const char *service_of(const struct otlp_setup *setup)
{
    for (uint32_t i = 0; i < setup->resource.count; i++) {
        const struct otlp_attribute *item = &setup->resource.attributes[i];

        if (strcmp(item->key, "service.name") == 0) return item->text.data;
    }
    return NULL;
}

TEST(the_service_has_one_name)
{
    static const char endpoint[] = "OTEL_EXPORTER_OTLP_ENDPOINT=http://c";
    struct arena arena = { 0 };
    struct otlp_setup setup = SETUP(endpoint);

    assert_string_equal(service_of(&setup), "hone");
    setup = SETUP(endpoint, "OTEL_RESOURCE_ATTRIBUTES=service.name=shop%2Cone,team=a");
    assert_string_equal(service_of(&setup), "shop,one");
    assert_int_equal(setup.resource.count, 3);
    setup = SETUP(endpoint, "OTEL_RESOURCE_ATTRIBUTES=service.name=shop", "OTEL_SERVICE_NAME=ci");
    assert_string_equal(service_of(&setup), "ci");
    arena_release(&arena);
}
