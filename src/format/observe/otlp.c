/* SPDX-License-Identifier: Apache-2.0
 *
 * otlp.c - spans as JSON, by opentelemetry-proto's rules for JSON.
 *
 *   resourceSpans > resource { attributes }
 *                   scopeSpans > scope { name, version }
 *                                spans > traceId, spanId, parentSpanId, name, kind, times, ...
 *
 * 1. Ids are hexadecimal, not base64; enums are numbers; numbers of 64 bits are decimal texts.
 * 2. Nothing of what agents, files or people say is in a span: names are roles, phases, dialects
 *    and the fixed words of core/event.h. The caller sees to that.
 * 3. An id is never all zeros, which would be none. */
#include "format/observe/otlp.h"

#include "base/byte.h"
#include "base/hash.h"
#include "format/json/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_BYTES = 32 };

/* ---- names ---- */

/* FNV-1a leaves the high bits of short texts alike: they are stirred (a step of splitmix64). */
static uint64_t stirred(uint64_t hash)
{
    hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
    hash ^= hash >> 31;
    return hash ? hash : 1;
}

/* The digits of a UUID, its dashes left out; false: it is none. */
static bool uuid_digits(const char *text, char out[TRACE_ID_BYTES])
{
    bool any = false;
    uint32_t count = 0;

    for (; *text; text++) {
        if (*text == '-') continue;
        if (!byte_is_hex(*text) || count == TRACE_ID_BYTES - 1) return false;
        any = any || *text != '0';
        out[count++] = byte_small(*text);
    }
    out[count] = '\0';
    return any && count == TRACE_ID_BYTES - 1;
}

const char *trace_id(const char *run, char out[TRACE_ID_BYTES])
{
    uint64_t hash = hash_text(HASH_START, str_of(run));

    if (uuid_digits(run, out)) return out;
    snprintf(out, TRACE_ID_BYTES, "%016" PRIx64 "%016" PRIx64, stirred(hash),
             stirred(hash_text(hash, STR("/trace"))));
    return out;
}

const char *span_id(const char *run, const char *name, char out[SPAN_ID_BYTES])
{
    uint64_t hash = hash_text(HASH_START, str_of(run));

    hash = hash_text(hash_byte(hash, '/'), str_of(name));
    snprintf(out, SPAN_ID_BYTES, "%016" PRIx64, stirred(hash));
    return out;
}

const char *attempt_span_id(const char *run, uint32_t job, uint32_t attempt,
                            char out[SPAN_ID_BYTES])
{
    char name[NUMBER_BYTES * 2];

    snprintf(name, sizeof name, "attempt/%" PRIu32 "-%" PRIu32, job, attempt);
    return span_id(run, name, out);
}

/* So many digits of *rest, small letters only, and not all zeros unless that is allowed. */
static bool cut_digits(struct str *rest, uint32_t count, bool zeros, char *out)
{
    bool any = false;

    if (rest->size < count) return false;
    for (uint32_t i = 0; i < count; i++) {
        char byte = rest->data[i];

        if (!byte_is_hex(byte) || byte_is_capital(byte)) return false;
        any = any || byte != '0';
        out[i] = byte;
    }
    out[count] = '\0';
    *rest = str_skip(*rest, count);
    return any || zeros;
}

static bool cut_dash(struct str *rest)
{
    if (rest->size == 0 || rest->data[0] != '-') return false;
    *rest = str_skip(*rest, 1);
    return true;
}

bool trace_parent_read(struct str text, struct trace_parent *out)
{
    struct trace_parent read = { .sampled = false };
    char version[3], flags[3];

    text = str_trim(text);
    if (!cut_digits(&text, 2, true, version) || !cut_dash(&text)) return false;
    if (!cut_digits(&text, TRACE_ID_BYTES - 1, false, read.trace) || !cut_dash(&text)) return false;
    if (!cut_digits(&text, SPAN_ID_BYTES - 1, false, read.span) || !cut_dash(&text)) return false;
    if (!cut_digits(&text, 2, true, flags)) return false;
    if (strcmp(version, "ff") == 0) return false;
    /* Of a later version more may follow, behind a dash. */
    if (text.size > 0 && (strcmp(version, "00") == 0 || text.data[0] != '-')) return false;
    read.sampled = strchr("13579bdf", flags[1]) != NULL;
    *out = read;
    return true;
}

const char *trace_parent_write(const char *trace, const char *span, char out[TRACEPARENT_BYTES])
{
    snprintf(out, TRACEPARENT_BYTES, "00-%s-%s-01", trace, span);
    return out;
}

/* ---- spans ---- */

static void attribute_add(struct otlp_span *span, struct otlp_attribute attribute)
{
    assert(span->attribute_count < OTLP_ATTRIBUTES_MAX);
    span->attributes[span->attribute_count++] = attribute;
}

void otlp_text(struct otlp_span *span, const char *key, const char *text)
{
    if (!text || !*text) return;
    attribute_add(span, (struct otlp_attribute){ .key = key, .kind = OTLP_TEXT,
                                                 .text = str_of(text) });
}

void otlp_number(struct otlp_span *span, const char *key, uint64_t number)
{
    attribute_add(span, (struct otlp_attribute){ .key = key, .kind = OTLP_NUMBER,
                                                 .number = number });
}

void otlp_millionths(struct otlp_span *span, const char *key, uint64_t number)
{
    attribute_add(span, (struct otlp_attribute){ .key = key, .kind = OTLP_MILLIONTHS,
                                                 .number = number });
}

void otlp_bool(struct otlp_span *span, const char *key, bool value)
{
    attribute_add(span, (struct otlp_attribute){ .key = key, .kind = OTLP_BOOL, .number = value });
}

/* ---- JSON ---- */

static void add_number_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                            uint64_t number, const char *zeros)
{
    char text[NUMBER_BYTES];

    snprintf(text, sizeof text, "%" PRIu64 "%s", number, number ? zeros : "");
    json_add(doc, object, key, text);
}

static void add_attributes(yyjson_mut_doc *doc, yyjson_mut_val *object,
                           const struct otlp_attribute *attributes, uint32_t count)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, object, "attributes");

    for (uint32_t i = 0; i < count; i++) {
        const struct otlp_attribute *attribute = &attributes[i];
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list), *value;

        json_add(doc, item, "key", attribute->key);
        value = yyjson_mut_obj_add_obj(doc, item, "value");
        switch (attribute->kind) {
        case OTLP_TEXT:
            json_add_text(doc, value, "stringValue", attribute->text);
            break;
        case OTLP_NUMBER: /* of 64 bits with a sign */
            add_number_text(doc, value, "intValue",
                            attribute->number > INT64_MAX ? INT64_MAX : attribute->number, "");
            break;
        case OTLP_MILLIONTHS:
            yyjson_mut_obj_add_real(doc, value, "doubleValue", (double)attribute->number / 1e6);
            break;
        case OTLP_BOOL:
            yyjson_mut_obj_add_bool(doc, value, "boolValue", attribute->number != 0);
            break;
        }
    }
}

static void add_span(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct otlp_span *span)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list), *status;
    uint64_t end_ms = span->end_ms > span->start_ms ? span->end_ms : span->start_ms;

    json_add(doc, object, "traceId", span->trace);
    json_add(doc, object, "spanId", span->span);
    if (span->parent[0]) json_add(doc, object, "parentSpanId", span->parent);
    json_add(doc, object, "name", span->name);
    yyjson_mut_obj_add_uint(doc, object, "kind", (uint64_t)span->kind);
    add_number_text(doc, object, "startTimeUnixNano", span->start_ms, "000000");
    add_number_text(doc, object, "endTimeUnixNano", end_ms, "000000");
    add_attributes(doc, object, span->attributes, span->attribute_count);
    status = yyjson_mut_obj_add_obj(doc, object, "status");
    yyjson_mut_obj_add_uint(doc, status, "code", (uint64_t)span->status);
    if (span->status_text) json_add(doc, status, "message", span->status_text);
}

void otlp_write(const struct otlp_resource *resource, const struct otlp_span *spans, uint32_t count,
                struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *object, *list;

    object = yyjson_mut_arr_add_obj(doc, yyjson_mut_obj_add_arr(doc, root, "resourceSpans"));
    add_attributes(doc, yyjson_mut_obj_add_obj(doc, object, "resource"), resource->attributes,
                   resource->count);
    object = yyjson_mut_arr_add_obj(doc, yyjson_mut_obj_add_arr(doc, object, "scopeSpans"));
    list = yyjson_mut_obj_add_obj(doc, object, "scope");
    json_add(doc, list, "name", "hone");
    json_add(doc, list, "version", resource->version);
    list = yyjson_mut_obj_add_arr(doc, object, "spans");
    for (uint32_t i = 0; i < count; i++) add_span(doc, list, &spans[i]);
    json_finish(doc, false, out);
}

uint64_t otlp_refused(struct str answer, struct arena *arena, struct str *words)
{
    yyjson_doc *doc;
    yyjson_val *partial, *count;
    uint64_t refused = 0;
    struct err none;

    *words = STR("");
    if (json_read(answer, &doc, &none) != 0) return 0;
    partial = yyjson_obj_get(yyjson_doc_get_root(doc), "partialSuccess");
    count = yyjson_obj_get(partial, "rejectedSpans"); /* a text, by the rules; some send a number */
    if (!json_uint(partial, "rejectedSpans", &refused)) {
        (void)str_number(json_value(count), &refused);
    }
    if (refused > 0) *words = arena_copy(arena, json_str(partial, "errorMessage"));
    yyjson_doc_free(doc);
    return refused;
}
