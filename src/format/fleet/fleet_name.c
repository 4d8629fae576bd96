/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_name.c - names of a fleet, letter by letter.
 *
 * 1. A name that passes is one word in a path, in a subject of NATS and on a command line.
 * 2. A key has one text: no zero in front of a number, so that no two keys are one attempt. */
#include "format/fleet/fleet_name.h"

#include "base/byte.h"
#include "base/path.h"

#include <inttypes.h>
#include <stdio.h>

static const char digits[] = "0123456789abcdef";

bool fleet_name_is(struct str name)
{
    if (name.size == 0 || name.size > FLEET_NAME_BYTES_MAX || name.data[0] == '-') return false;
    for (size_t i = 0; i < name.size; i++) {
        char byte = name.data[i];

        if (!byte_is_alnum(byte) && byte != '-' && byte != '_') return false;
    }
    return true;
}

static bool host_is(struct str host)
{
    for (size_t i = 0; i < host.size; i++) {
        if ((unsigned char)host.data[i] <= ' ') return false;
    }
    return host.size > 0 && host.data[0] != '-';
}

/* A password in a URL is seen by all of this machine (ps), and stays in the run's settings. */
static bool server_is(struct str server)
{
    return host_is(server) && !str_has(server, '@') && !str_has(server, ',');
}

enum fleet_way fleet_way_of(struct str url)
{
    static const struct {
        struct str front;
        enum fleet_way way;
    } rows[] = {
        { STR("ssh:"), FLEET_SSH }, { STR("nats://"), FLEET_SERVER },
        { STR("tls://"), FLEET_SERVER }, { STR("cmd:"), FLEET_COMMAND },
    };

    if (str_is(url, "local")) return FLEET_LOCAL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str rest = str_skip(url, rows[i].front.size);

        if (!str_starts(url, rows[i].front)) continue;
        switch (rows[i].way) {
        case FLEET_SSH: return host_is(rest) ? FLEET_SSH : FLEET_NO_WAY;
        case FLEET_SERVER: return server_is(rest) ? FLEET_SERVER : FLEET_NO_WAY;
        case FLEET_COMMAND: return rest.size > 0 ? FLEET_COMMAND : FLEET_NO_WAY;
        case FLEET_NO_WAY: case FLEET_LOCAL: case FLEET_WAY_COUNT: break;
        }
    }
    return FLEET_NO_WAY;
}

static bool key_count_read(struct str text, uint32_t *out)
{
    uint64_t value;

    if (text.size == 0 || (text.size > 1 && text.data[0] == '0')) return false;
    if (!str_number(text, &value) || value > UINT32_MAX) return false;
    *out = (uint32_t)value;
    return true;
}

bool fleet_key_read(struct str text, struct fleet_key *out)
{
    struct str rest = text, job;

    *out = (struct fleet_key){ .job = 0 };
    if (text.size > FLEET_KEY_BYTES_MAX) return false;
    if (!str_cut(&rest, '.', &out->run) || !fleet_name_is(out->run)) return false;
    if (!str_cut(&rest, '.', &job) || !key_count_read(job, &out->job)) return false;
    return key_count_read(rest, &out->attempt);
}

bool fleet_key_is(struct str text)
{
    struct fleet_key key;

    return fleet_key_read(text, &key);
}

const char *fleet_key_write(const struct fleet_key *key, char out[FLEET_KEY_BYTES])
{
    (void)snprintf(out, FLEET_KEY_BYTES, "%.*s.%" PRIu32 ".%" PRIu32, STR_ARG(key->run), key->job,
                   key->attempt);
    return out;
}

/* So many small hexadecimal digits, and nothing else. */
static bool is_hex(struct str text, size_t count)
{
    if (text.size != count) return false;
    for (size_t i = 0; i < count; i++) {
        if (!byte_is_hex(text.data[i]) || byte_is_capital(text.data[i])) return false;
    }
    return true;
}

static void hex_write(const unsigned char *bytes, size_t count, char *out)
{
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * count] = '\0';
}

bool fleet_nonce_is(struct str nonce)
{
    return is_hex(nonce, FLEET_NONCE_BYTES - 1);
}

void fleet_nonce_write(const unsigned char bits[16], char out[FLEET_NONCE_BYTES])
{
    hex_write(bits, 16, out);
}

bool fleet_oid_is(struct str oid)
{
    return is_hex(oid, 40) || is_hex(oid, 64);
}

bool fleet_blob_is(struct str id, enum fleet_blob_kind *kind)
{
    static const struct str of_bytes = STR("sha256-"), of_base = STR("base-");
    bool bytes = str_starts(id, of_bytes) && is_hex(str_skip(id, of_bytes.size), 64);
    bool base = str_starts(id, of_base) && fleet_oid_is(str_skip(id, of_base.size));

    if (kind) *kind = base ? FLEET_BLOB_BASE : FLEET_BLOB_BYTES;
    return bytes || base;
}

const char *fleet_blob_id(const unsigned char hash[32], char out[FLEET_BLOB_ID_BYTES])
{
    char hex[2 * 32 + 1];

    hex_write(hash, 32, hex);
    (void)snprintf(out, FLEET_BLOB_ID_BYTES, "sha256-%s", hex);
    return out;
}

static bool is_git(struct str part)
{
    static const struct str git = STR(".git");

    if (part.size != git.size) return false;
    for (size_t i = 0; i < git.size; i++) {
        if (byte_small(part.data[i]) != git.data[i]) return false;
    }
    return true;
}

bool fleet_path_is(struct str path)
{
    struct str rest = path, part;

    if (path.size > FLEET_PATH_BYTES_MAX || !path_is_clean(path)) return false;
    while (str_cut(&rest, '/', &part)) {
        if (is_git(part)) return false;
    }
    return true;
}
