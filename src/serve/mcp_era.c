/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp_era.c - which protocol a request speaks, and whether it says what that protocol wants.
 *
 *   says its version in _meta ------------------------> known, modern: MODERN
 *                             |                         known, legacy: LEGACY
 *                             '-----------------------> unknown: refused, with those there are
 *   says none, but HTTP's header does ----------------> legacy: LEGACY; else refused
 *   says none at all: initialize, ping, or after one -> LEGACY
 *                     HTTP ---------------------------> LEGACY, but for server/discover
 *                     else ---------------------------> refused: a modern request without _meta
 *
 * 1. What a header says and what the body says must be the same, before anything else is looked
 *    at: whoever routes by the header must not be led astray.
 * 2. A request is judged by itself. Only stdio remembers an initialize, since the process is the
 *    session there; over HTTP there are no sessions, and nothing is remembered. */
#include "serve/mcp_parts.h"

#include "base/byte.h"

enum { VERSION_SHOWN_MAX = 64 };

#define META_PREFIX "io.modelcontextprotocol/"

const char *const mcp_versions[] = {
    "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", NULL,
};

static bool is_modern(struct str version)
{
    return str_is(version, mcp_versions[0]);
}

static bool is_legacy(struct str version)
{
    for (uint32_t i = 1; mcp_versions[i]; i++) {
        if (str_is(version, mcp_versions[i])) return true;
    }
    return false;
}

const char *mcp_version_newest(void)
{
    return mcp_versions[0];
}

const char *mcp_negotiate(struct str wanted)
{
    for (uint32_t i = 1; mcp_versions[i]; i++) {
        if (str_is(wanted, mcp_versions[i])) return mcp_versions[i];
    }
    return mcp_versions[1];
}

static bool refuse_version(struct mcp_request *request, struct str version)
{
    yyjson_mut_doc *doc = request->doc;
    yyjson_mut_val *data = yyjson_mut_obj(doc);
    yyjson_mut_val *supported = yyjson_mut_obj_add_arr(doc, data, "supported");

    for (uint32_t i = 0; mcp_versions[i]; i++) {
        yyjson_mut_arr_add_str(doc, supported, mcp_versions[i]);
    }
    if (version.size > VERSION_SHOWN_MAX) version.size = VERSION_SHOWN_MAX;
    yyjson_mut_obj_add_val(doc, data, "requested", json_text(doc, version));
    mcp_fail(request, 400, MCP_UNSUPPORTED_VERSION, data, "Unsupported protocol version");
    return false;
}

/* ---- headers ---- */

static int digit_of(char byte)
{
    if (byte_is_capital(byte)) return byte - 'A';
    if (byte_is_small(byte)) return byte - 'a' + 26;
    if (byte_is_digit(byte)) return byte - '0' + 52;
    if (byte == '+') return 62;
    return byte == '/' ? 63 : -1;
}

/* Whether coded is text in base64, with its padding. */
static bool is_base64_of(struct str coded, struct str text)
{
    size_t full = text.size / 3 * 4, rest = text.size % 3;
    uint32_t bits = 0, have = 0;
    size_t at = 0;

    if (coded.size != full + (rest ? 4 : 0)) return false;
    for (size_t i = 0; i < coded.size; i++) {
        int digit = digit_of(coded.data[i]);

        if (rest && i >= full + rest + 1) {
            if (coded.data[i] != '=') return false;
            continue;
        }
        if (digit < 0) return false;
        bits = bits << 6 | (uint32_t)digit;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        if ((char)(bits >> have & 0xff) != text.data[at++]) return false;
    }
    return at == text.size && (bits & ((1u << have) - 1)) == 0; /* one way to write a name */
}

/* A header's value, plain or as =?base64?...?=, against what the body says. */
static bool header_is(struct str header, struct str body)
{
    struct str prefix = STR("=?base64?"), suffix = STR("?=");

    if (header.size >= prefix.size + suffix.size && str_starts(header, prefix) &&
        str_ends(header, suffix)) {
        struct str coded = str_skip(header, prefix.size);
        coded.size -= suffix.size;
        return is_base64_of(coded, body);
    }
    return str_eq(header, body);
}

static bool mismatch(struct mcp_request *request, const char *header, struct str said,
                     struct str body)
{
    if (!said.data) {
        mcp_fail(request, 400, MCP_HEADER_MISMATCH, NULL,
                 "Header mismatch: the %s header is missing", header);
    } else {
        mcp_fail(request, 400, MCP_HEADER_MISMATCH, NULL,
                 "Header mismatch: %s says '%.*s', the body says '%.*s'", header,
                 said.size > 80 ? 80 : (int)said.size, said.data,
                 body.size > 80 ? 80 : (int)body.size, body.data ? body.data : "");
    }
    return false;
}

static bool headers_fit(struct mcp_request *request)
{
    const struct mcp_headers *headers = request->headers;
    struct str method = request->message->method;
    struct str name = json_str(request->message->params, "name");

    if (!headers) return true;
    if (!headers->method.data || !str_eq(headers->method, method)) {
        return mismatch(request, "Mcp-Method", headers->method, method);
    }
    if (!str_is(method, "tools/call") || !name.data) return true;
    if (!headers->name.data || !header_is(headers->name, name)) {
        return mismatch(request, "Mcp-Name", headers->name, name);
    }
    return true;
}

/* ---- the era ---- */

static bool refuse_meta(struct mcp_request *request, const char *missing)
{
    mcp_fail(request, 400, RPC_PARAMS, NULL, "params._meta must have \"" META_PREFIX "%s\"; a "
             "client of an older protocol sends initialize first", missing);
    return false;
}

static bool is_modern_whole(struct mcp_request *request, yyjson_val *meta)
{
    request->era = MCP_MODERN;
    if (!yyjson_is_obj(yyjson_obj_get(meta, META_PREFIX "clientCapabilities"))) {
        return refuse_meta(request, "clientCapabilities");
    }
    return headers_fit(request);
}

/* The request says nothing about its version. */
static bool find_unsaid(struct mcp_request *request)
{
    struct str method = request->message->method;
    struct str header = request->headers ? request->headers->version : (struct str){ 0 };
    bool opens = str_is(method, "initialize") || str_is(method, "ping");

    if (header.data && is_modern(header)) return refuse_meta(request, "protocolVersion");
    if (header.data && !is_legacy(header)) return refuse_version(request, header);
    if (opens || header.data) return true;
    if (request->headers && !str_is(method, "server/discover")) return true;
    if (!request->headers && request->mcp->initialized) return true;
    return refuse_meta(request, "protocolVersion");
}

bool mcp_find_era(struct mcp_request *request)
{
    yyjson_val *meta = yyjson_obj_get(request->message->params, "_meta");
    struct str said = json_str(meta, META_PREFIX "protocolVersion");
    const struct mcp_headers *headers = request->headers;

    request->era = MCP_LEGACY;
    if (!said.data) return find_unsaid(request);
    if (headers && (!headers->version.data || !str_eq(headers->version, said))) {
        return mismatch(request, "MCP-Protocol-Version", headers->version, said);
    }
    if (is_modern(said)) return is_modern_whole(request, meta);
    return is_legacy(said) || refuse_version(request, said);
}
