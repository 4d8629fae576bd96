/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sessions.c - sessions begin, are found by their names alone, and end. */
#include "serve/sessions.h"

#include "test.h"

#include <string.h>

static struct sessions sessions;

static int begin_anew(void **state)
{
    (void)state;
    sessions = (struct sessions){ 0 };
    return 0;
}

TEST_WITH(a_session_is_found_by_its_name, begin_anew, NULL)
{
    const char *first = session_begin(&sessions);
    const char *second = session_begin(&sessions);

    assert_int_equal(strlen(first), SESSION_LETTERS);
    assert_string_not_equal(first, second);
    assert_int_not_equal(session_find(&sessions, str_of(first)), 0);
    assert_int_not_equal(session_find(&sessions, str_of(first)),
                         session_find(&sessions, str_of(second)));
    assert_int_equal(session_find(&sessions, STR("")), 0);
    assert_int_equal(session_find(&sessions, (struct str){ first, SESSION_LETTERS - 1 }), 0);
}

TEST_WITH(a_session_that_has_ended_is_not_found, begin_anew, NULL)
{
    const char *name = session_begin(&sessions);
    char copy[SESSION_LETTERS + 1];
    uint64_t number = session_find(&sessions, str_of(name));

    memcpy(copy, name, sizeof copy);
    session_end(&sessions, number);
    assert_int_equal(session_find(&sessions, str_of(copy)), 0);
    session_end(&sessions, number); /* once more is fine */
    session_end(&sessions, 0);
}

TEST_WITH(the_oldest_makes_room, begin_anew, NULL)
{
    char first[SESSION_LETTERS + 1], second[SESSION_LETTERS + 1];
    uint64_t number;

    memcpy(first, session_begin(&sessions), sizeof first);
    number = session_find(&sessions, str_of(first));
    memcpy(second, session_begin(&sessions), sizeof second);
    for (uint32_t i = 2; i < SESSIONS_MAX; i++) session_begin(&sessions);
    assert_int_not_equal(session_find(&sessions, str_of(first)), 0);
    session_begin(&sessions);
    assert_int_equal(session_find(&sessions, str_of(first)), 0);
    assert_int_not_equal(session_find(&sessions, str_of(second)), 0);
    session_end(&sessions, number); /* another one has its place: that one stays */
    assert_int_not_equal(session_find(&sessions, str_of(second)), 0);
    assert_int_not_equal(sessions.places[number % SESSIONS_MAX].number, 0);
}
