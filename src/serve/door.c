/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/door.h"

#include "base/byte.h"
#include "io/file/file.h"

#include <string.h>

void door_new_token(struct door *door)
{
    random_word(door->token, DOOR_TOKEN_LETTERS);
}

bool door_is_token(struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        if (!byte_is_small(byte) && !byte_is_digit(byte)) return false;
    }
    return text.size == DOOR_TOKEN_LETTERS;
}

/* ---- Host and Origin ---- */

/* Whether HOST:PORT names the port, too. */
static bool names_port(const struct door *door, struct str host)
{
    struct str port;
    uint64_t number;

    if (door->port == 0) return true;
    for (size_t i = host.size; i-- > 0;) {
        if (host.data[i] != ':') continue;
        port = str_skip(host, i + 1);
        return str_number(port, &number) && number == door->port;
    }
    return door->port == 80; /* which is not written */
}

int door_host(const struct door *door, const struct http_head *head)
{
    struct str host = http_header(head, "host");
    struct str origin = http_header(head, "origin");

    if (!host.data || http_header_twice(head, "host") || !http_host_is_local(host)) return 403;
    if (!names_port(door, host) || http_header_twice(head, "origin")) return 403;
    if (!origin.data) return 0;
    if (!http_origin_is_local(origin)) return 403;
    /* A server that is told its port speaks plain HTTP there, and has no other pages. */
    if (door->port != 0 && !str_starts(origin, STR("http://"))) return 403;
    return names_port(door, origin) ? 0 : 403;
}

/* ---- the token ---- */

/* Takes as long for a wrong token as for the right one. */
static bool is_token(const struct door *door, struct str said)
{
    unsigned char differs = 0;

    if (said.size != DOOR_TOKEN_LETTERS || strlen(door->token) != DOOR_TOKEN_LETTERS) return false;
    for (size_t i = 0; i < DOOR_TOKEN_LETTERS; i++) {
        differs |= (unsigned char)(said.data[i] ^ door->token[i]);
    }
    return differs == 0;
}

int door_token(const struct door *door, const struct http_head *head)
{
    struct str said = http_header(head, "authorization");
    struct str scheme = STR("Bearer ");

    if (!said.data || http_header_twice(head, "authorization")) return 401;
    if (!str_starts(said, scheme)) return 401;
    return is_token(door, str_trim(str_skip(said, scheme.size))) ? 0 : 401;
}

int door_json(const struct http_head *head)
{
    struct str type = http_header(head, "content-type");
    struct str json = STR("application/json");

    if (!str_starts(type, json) || http_header_twice(head, "content-type")) return 415;
    if (type.size > json.size && type.data[json.size] != ';' && type.data[json.size] != ' ') {
        return 415;
    }
    return 0;
}
