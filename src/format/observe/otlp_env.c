/* SPDX-License-Identifier: Apache-2.0
 *
 * otlp_env.c - what OTEL_* and TRACEPARENT say, by OpenTelemetry's own rules for them.
 *
 *   OTEL_EXPORTER_OTLP_TRACES_ENDPOINT     the address, as it is; else
 *   OTEL_EXPORTER_OTLP_ENDPOINT            an address, and /v1/traces behind it; neither: off
 *   OTEL_EXPORTER_OTLP_[TRACES_]HEADERS    NAME=value,NAME=value with %XX in values
 *   OTEL_EXPORTER_OTLP_[TRACES_]TIMEOUT    milliseconds that a request may take: 10000
 *   OTEL_EXPORTER_OTLP_[TRACES_]CERTIFICATE  a file, of a collector that has its own
 *   OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES  what the spans are said to come from
 *   OTEL_SDK_DISABLED=true, OTEL_TRACES_EXPORTER=none  off
 *   TRACEPARENT                            the span above; one that is not recorded: off
 *
 * 1. A variable that is empty counts as one that is not set.
 * 2. A header that could end its line, or has no name, makes the whole list wrong: then nothing is
 *    sent, and the problem names the variable, never its value. */
#include "format/observe/otlp.h"

#include "base/byte.h"
#include "base/environment.h"

#include <string.h>

enum { TIMEOUT_MS = 10000, TIMEOUT_MS_MAX = 60000, PAIRS_MAX = 64 };

/* That of traces, else that of all. */
static const char *exporter_variable(const char *const *environment, const char *name,
                                     struct arena *arena)
{
    const char *own = arena_printf(arena, "OTEL_EXPORTER_OTLP_TRACES_%s", name);
    const char *all = arena_printf(arena, "OTEL_EXPORTER_OTLP_%s", name);
    const char *value = environment_value(environment, own);

    return value ? value : environment_value(environment, all);
}

static uint32_t digit_of(char byte)
{
    if (byte_is_digit(byte)) return (uint32_t)(byte - '0');
    return (uint32_t)(byte_small(byte) - 'a') + 10;
}

/* %XX decoded; a percent sign without two digits stands for itself. */
static const char *decoded(struct str text, struct arena *arena)
{
    char *out = arena_alloc(arena, text.size + 1);
    size_t size = 0;

    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '%' && i + 2 < text.size && byte_is_hex(text.data[i + 1]) &&
            byte_is_hex(text.data[i + 2])) {
            out[size++] = (char)(digit_of(text.data[i + 1]) * 16 + digit_of(text.data[i + 2]));
            i += 2;
        } else {
            out[size++] = text.data[i];
        }
    }
    return out;
}

static bool is_header_name(const char *name)
{
    for (const char *at = name; *at; at++) {
        if (!byte_is_alnum(*at) && !strchr("!#$%&'*+-.^_`|~", *at)) return false;
    }
    return *name != '\0';
}

static bool is_header_value(const char *value)
{
    for (const char *at = value; *at; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f) return false;
    }
    return true;
}

/* NAME=value,NAME=value: the next pair, both trimmed and the value decoded. False: no more. A pair
 * without a name or a sign has name "". */
static bool cut_pair(struct str *rest, struct arena *arena, struct otlp_header *out)
{
    struct str pair, name;

    do {
        if (!str_cut(rest, ',', &pair)) return false;
        pair = str_trim(pair);
    } while (pair.size == 0);
    *out = (struct otlp_header){ "", "" };
    if (!str_has(pair, '=')) return true;
    str_cut(&pair, '=', &name);
    out->name = arena_cstr(arena, str_trim(name));
    out->value = decoded(str_trim(pair), arena);
    return true;
}

static void read_headers(const char *text, struct arena *arena, struct otlp_setup *out)
{
    struct otlp_header *headers = arena_alloc(arena, PAIRS_MAX * sizeof *headers), header;
    struct str rest = str_of(text);

    while (cut_pair(&rest, arena, &header)) {
        if (out->header_count == PAIRS_MAX || !is_header_name(header.name) ||
            !is_header_value(header.value)) {
            out->problem = "OTEL_EXPORTER_OTLP_HEADERS is no list of NAME=value,NAME=value";
            return;
        }
        headers[out->header_count++] = header;
    }
    out->headers = headers;
}

/* OTEL_SERVICE_NAME comes before a service.name of OTEL_RESOURCE_ATTRIBUTES. */
static void read_resource(const char *const *environment, const char *version, struct arena *arena,
                          struct otlp_setup *out)
{
    struct otlp_attribute *items = arena_alloc(arena, (PAIRS_MAX + 2) * sizeof *items);
    struct str rest = str_of(environment_value(environment, "OTEL_RESOURCE_ATTRIBUTES"));
    const char *service = environment_value(environment, "OTEL_SERVICE_NAME"), *named = NULL;
    bool versioned = false;
    uint32_t count = 0;
    struct otlp_header pair;

    while (count < PAIRS_MAX && cut_pair(&rest, arena, &pair)) {
        if (!*pair.name) continue;
        if (strcmp(pair.name, "service.name") == 0) {
            named = pair.value;
            continue;
        }
        versioned = versioned || strcmp(pair.name, "service.version") == 0;
        items[count++] = (struct otlp_attribute){ .key = pair.name, .text = str_of(pair.value) };
    }
    items[count++] = (struct otlp_attribute){
        .key = "service.name", .text = str_of(service ? service : named ? named : "hone"),
    };
    if (!versioned) {
        items[count++] = (struct otlp_attribute){ .key = "service.version",
                                                  .text = str_of(version) };
    }
    out->resource = (struct otlp_resource){ items, count, version };
}

/* Where spans go; NULL: nowhere. */
static const char *read_url(const char *const *environment, struct arena *arena)
{
    const char *own = environment_value(environment, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    const char *all = environment_value(environment, "OTEL_EXPORTER_OTLP_ENDPOINT");
    struct str base = str_trim(str_of(all));

    if (own) return arena_cstr(arena, str_trim(str_of(own)));
    if (!all) return NULL;
    while (base.size > 0 && base.data[base.size - 1] == '/') base.size--;
    return arena_printf(arena, "%.*s/v1/traces", STR_ARG(base));
}

static bool is_off(const char *const *environment)
{
    const char *disabled = environment_value(environment, "OTEL_SDK_DISABLED");
    const char *exporter = environment_value(environment, "OTEL_TRACES_EXPORTER");
    static const char word[] = "true";
    size_t same = 0;

    while (disabled && disabled[same] && byte_small(disabled[same]) == word[same]) same++;
    if (disabled && same == sizeof word - 1 && !disabled[same]) return true;
    return exporter && strcmp(exporter, "none") == 0;
}

void otlp_setup_read(const char *const *environment, const char *version, struct arena *arena,
                     struct otlp_setup *out)
{
    const char *timeout, *headers, *parent = environment_value(environment, "TRACEPARENT");

    *out = (struct otlp_setup){ .timeout_ms = TIMEOUT_MS };
    if (parent && !trace_parent_read(str_of(parent), &out->parent)) parent = NULL;
    if (is_off(environment) || (parent && !out->parent.sampled)) return;
    out->url = read_url(environment, arena);
    if (!out->url) return;
    timeout = exporter_variable(environment, "TIMEOUT", arena);
    headers = exporter_variable(environment, "HEADERS", arena);
    out->certificate = exporter_variable(environment, "CERTIFICATE", arena);
    if (timeout && (!str_number(str_of(timeout), &out->timeout_ms) || out->timeout_ms == 0)) {
        out->timeout_ms = TIMEOUT_MS;
    }
    if (out->timeout_ms > TIMEOUT_MS_MAX) out->timeout_ms = TIMEOUT_MS_MAX;
    if (headers) read_headers(headers, arena, out);
    read_resource(environment, version, arena, out);
    if (!str_starts(str_of(out->url), STR("http://")) &&
        !str_starts(str_of(out->url), STR("https://"))) {
        out->problem = "the address of the collector begins neither with http:// nor with "
                       "https://";
    }
    if (out->problem) out->url = NULL;
}
