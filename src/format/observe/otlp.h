/* SPDX-License-Identifier: Apache-2.0
 *
 * otlp.h - spans as OpenTelemetry's collectors take them: OTLP over HTTP, as JSON; and what the
 * environment says of where they go. Pure. */
#ifndef HONE_FORMAT_OBSERVE_OTLP_H
#define HONE_FORMAT_OBSERVE_OTLP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* ---- names of traces and spans ---- */

enum { TRACE_ID_BYTES = 33, SPAN_ID_BYTES = 17, TRACEPARENT_BYTES = 56 };

/* Where spans hang: a trace, and the span above; hexadecimal, small letters. */
struct trace_parent {
    char trace[TRACE_ID_BYTES];
    char span[SPAN_ID_BYTES]; /* "": none is above */
    bool sampled;             /* of one that was read: whether those above are recorded */
};

/* Reads a W3C traceparent. False: it is none. */
bool trace_parent_read(struct str text, struct trace_parent *out);
/* "00-TRACE-SPAN-01"; returns out. */
const char *trace_parent_write(const char *trace, const char *span, char out[TRACEPARENT_BYTES]);

/* The trace of a run, by a name that no other run has: a UUID's own digits, or a hash of another
 * text. And a span of it, by a name that no other span of the run has. Both return out. The same
 * names give the same ids in every process, so that a run that is resumed goes on in its trace. */
const char *trace_id(const char *run, char out[TRACE_ID_BYTES]);
const char *span_id(const char *run, const char *name, char out[SPAN_ID_BYTES]);
/* That of an attempt, which the agent is told when it begins. */
const char *attempt_span_id(const char *run, uint32_t job, uint32_t attempt,
                            char out[SPAN_ID_BYTES]);

/* ---- spans ---- */

enum otlp_kind { OTLP_TEXT, OTLP_NUMBER, OTLP_MILLIONTHS, OTLP_BOOL };

struct otlp_attribute {
    const char *key;
    enum otlp_kind kind;
    struct str text;
    uint64_t number; /* of the others; of OTLP_BOOL 0 or 1 */
};

/* The numbers that the protocol has for them. */
enum otlp_span_kind { OTLP_SPAN_INTERNAL = 1, OTLP_SPAN_CLIENT = 3 };
enum otlp_status { OTLP_STATUS_UNSET = 0, OTLP_STATUS_OK = 1, OTLP_STATUS_ERROR = 2 };

enum { OTLP_ATTRIBUTES_MAX = 24 };

/* Texts are borrowed. */
struct otlp_span {
    char trace[TRACE_ID_BYTES], span[SPAN_ID_BYTES], parent[SPAN_ID_BYTES]; /* parent may be "" */
    const char *name;
    enum otlp_span_kind kind;
    uint64_t start_ms, end_ms; /* an end before the start is written as the start */
    enum otlp_status status;
    const char *status_text;   /* of an error; or NULL */
    struct otlp_attribute attributes[OTLP_ATTRIBUTES_MAX];
    uint32_t attribute_count;
};

/* Adds an attribute; an empty text is left out. There must be room. */
void otlp_text(struct otlp_span *span, const char *key, const char *text);
void otlp_number(struct otlp_span *span, const char *key, uint64_t number);
void otlp_millionths(struct otlp_span *span, const char *key, uint64_t number);
void otlp_bool(struct otlp_span *span, const char *key, bool value);

/* What made them. */
struct otlp_resource {
    const struct otlp_attribute *attributes;
    uint32_t count;
    const char *version; /* of hone */
};

/* The body of a request, in one line. */
void otlp_write(const struct otlp_resource *resource, const struct otlp_span *spans, uint32_t count,
                struct buf *out);

/* What a collector answered to a request that it took: how many spans it refused all the same, and
 * its words for it (borrowed from arena). 0: none, or the answer is none that can be read. */
uint64_t otlp_refused(struct str answer, struct arena *arena, struct str *words);

/* ---- the environment ---- */

struct otlp_header {
    const char *name, *value;
};

/* Everything lives in the arena of the reader. */
struct otlp_setup {
    const char *url; /* where spans go; NULL: none are sent */
    const char *certificate; /* of an https:// collector, a file in PEM form; NULL: the system's */
    const struct otlp_header *headers;
    uint32_t header_count;
    uint64_t timeout_ms;
    struct otlp_resource resource;
    struct trace_parent parent; /* trace "": TRACEPARENT is not set */
    const char *problem;        /* why none are sent though they are asked for; NULL: nothing */
};

/* environment: "NAME=value" each; NULL ends. version: hone's. */
void otlp_setup_read(const char *const *environment, const char *version, struct arena *arena,
                     struct otlp_setup *out);

#endif
