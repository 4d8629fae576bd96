/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/sessions.h"

#include "io/file/file.h"

const char *session_begin(struct sessions *sessions)
{
    uint64_t number = ++sessions->last;
    struct session *session = &sessions->places[number % SESSIONS_MAX];

    session->number = number;
    random_word(session->name, SESSION_LETTERS);
    return session->name;
}

uint64_t session_find(const struct sessions *sessions, struct str name)
{
    for (uint32_t i = 0; i < SESSIONS_MAX; i++) {
        const struct session *session = &sessions->places[i];
        if (session->number != 0 && str_is(name, session->name)) return session->number;
    }
    return 0;
}

void session_end(struct sessions *sessions, uint64_t number)
{
    struct session *session = &sessions->places[number % SESSIONS_MAX];

    if (session->number == number) *session = (struct session){ 0 };
}
