/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_name.h - the names of a fleet: keys of attempts, pools, blobs, nonces, and the paths that
 * another machine may name. All are looked at before they become a path, a subject of a server or
 * an argument.
 *
 * Room: what a driver, a carrier and a worker say to each other, as lines and back
 * (docs/reference/carrier.md). Everything that is read here comes from another machine. */
#ifndef HONE_FORMAT_FLEET_FLEET_NAME_H
#define HONE_FORMAT_FLEET_FLEET_NAME_H

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    FLEET_NAME_BYTES_MAX = 64,   /* of a pool, a worker, the RUN of a key; a nonce */
    FLEET_KEY_BYTES_MAX = FLEET_NAME_BYTES_MAX + 2 * 11,
    FLEET_KEY_BYTES = FLEET_KEY_BYTES_MAX + 1,
    FLEET_NONCE_BYTES = 33,      /* 128 bits in hexadecimal digits, with a NUL behind */
    FLEET_BLOB_ID_BYTES = 72,    /* "sha256-" and 64 digits, with a NUL behind */
    FLEET_PATH_BYTES_MAX = 4096,
    FLEET_PLACE_BYTES_MAX = 1024, /* of a work tree, or an answer, as a machine has it */
};

/* Letters, digits, '-' and '_', at least one and at most FLEET_NAME_BYTES_MAX; no '-' in front, so
 * that no program takes it for an option. */
bool fleet_name_is(struct str name);

/* What a fleet's URL names. */
enum fleet_way {
    FLEET_NO_WAY,  /* it is none */
    FLEET_LOCAL,   /* local: this machine */
    FLEET_SSH,     /* ssh:HOST */
    FLEET_SERVER,  /* nats://HOST[:PORT], tls://HOST[:PORT]; no password */
    FLEET_COMMAND, /* cmd:COMMAND */
    FLEET_WAY_COUNT
};

enum fleet_way fleet_way_of(struct str url);
/* All of them, for messages. */
#define FLEET_WAYS_TEXT "there are ssh:HOST, nats://HOST[:PORT], tls://HOST[:PORT], cmd:COMMAND, " \
                        "and local for this machine"

/* RUN.JOB.ATTEMPT: a name and two numbers as "%u" writes them. */
struct fleet_key {
    struct str run; /* borrowed */
    uint32_t job, attempt;
};

bool fleet_key_read(struct str text, struct fleet_key *out);
bool fleet_key_is(struct str text);
const char *fleet_key_write(const struct fleet_key *key, char out[FLEET_KEY_BYTES]);

/* 128 random bits as 32 small hexadecimal digits. */
bool fleet_nonce_is(struct str nonce);
void fleet_nonce_write(const unsigned char bits[16], char out[FLEET_NONCE_BYTES]);

/* An object of git: 40 or 64 small hexadecimal digits. */
bool fleet_oid_is(struct str oid);

/* What a blob's id says of it. */
enum fleet_blob_kind {
    FLEET_BLOB_BYTES, /* sha256-HEX: of its bytes */
    FLEET_BLOB_BASE,  /* base-OID: a bundle with all that a commit holds. git checks it */
    FLEET_BLOB_KIND_COUNT
};

bool fleet_blob_is(struct str id, enum fleet_blob_kind *kind); /* kind may be NULL */
/* sha256-HEX; returns out. */
const char *fleet_blob_id(const unsigned char hash[32], char out[FLEET_BLOB_ID_BYTES]);

/* A path of a file in a work tree: relative and clean, nothing of git's own (".git" in any case, as
 * any part), at most FLEET_PATH_BYTES_MAX. */
bool fleet_path_is(struct str path);

#endif
