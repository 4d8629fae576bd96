/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session_conclude.c - what a person reads at the end of a session. */
#include "session_scene.h"
#include "test.h"
#include "dialect/dialects.h"

#include <string.h>

static const char *concluded(struct session_scene *scene)
{
    struct buf text;
    const char *kept;

    buf_init(&text, 1 << 20);
    dialect_session.framing->conclude(&scene->run, &text);
    assert_false(text.overflow);
    kept = arena_cstr(&scene->arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

TEST(a_delivery_tells_the_whole_story)
{
    struct session_scene scene;

    session_open(&scene, "", NULL);
    session_plan_it(&scene);
    session_execute(&scene, "locked");
    session_answer(&scene, "reviewer", CHANGES_ANSWER("it leaks"));
    session_execute(&scene, "mended");
    session_answer(&scene, "reviewer", MINOR_ANSWER);
    scene.engine.usage = (struct usage){ .cost_micros = 1234567, .tokens_in = 10,
                                         .tokens_out = 5 };
    session_deliver(&scene);
    assert_string_equal(concluded(&scene),
                        "session   " SESSION_UUID ": delivered\n"
                        "asked     Lock the queue\n"
                        "planned   a lock\n"
                        "changed   src/queue.c\n"
                        "rounds    planning 1, execution 2, polish 1, docs 1, security 1\n"
                        "found     2 issues, 1 of them critical; 1 fixed\n"
                        "left      1\n"
                        "          [MINOR] the name is vague (src/queue.c:3)\n"
                        "took      11.0 s, agents 12.0 s\n"
                        "cost      $1.23, 10 tokens in, 5 out\n"
                        "file      " SESSION_MD "\n");
    session_close(&scene);
}

TEST(a_session_that_waits_says_what_is_left)
{
    struct session_scene scene;

    session_open(&scene, "", "soft_limit_exec: 1\n");
    session_plan_it(&scene);
    session_execute(&scene, "locked");
    session_answer(&scene, "reviewer", CHANGES_ANSWER("it leaks\x1b[2J"));
    assert_has(concluded(&scene), ": not delivered\n");
    assert_has(concluded(&scene), "stopped   in execution: blocking issues are left, and you are"
                                  " asked\n");
    assert_has(concluded(&scene), "[CRITICAL] it leaks\\x1b[2J (src/queue.c:12)\n");
    assert_null(strchr(concluded(&scene), '\x1b'));
    session_close(&scene);
}

TEST(a_session_that_was_told_to_stop_says_so)
{
    struct session_scene scene;

    session_open(&scene, "review-only= stop-after=before-polish", NULL);
    session_answer(&scene, "reviewer", APPROVE_ANSWER);
    assert_has(concluded(&scene), ": stopped where it was told to\n");
    assert_has(concluded(&scene), "planned   nothing: review only\n");
    assert_has(concluded(&scene), "found     nothing\n");
    session_close(&scene);
}

TEST(a_session_that_began_elsewhere_tells_all_of_it)
{
    struct session_scene first, second;

    session_open(&first, "", NULL);
    session_plan_it(&first);
    session_execute(&first, "locked");
    session_answer(&first, "reviewer", APPROVE_ANSWER);
    session_continue(&second, session_text(&first), "", NULL);
    session_deliver(&second);
    assert_has(concluded(&second), "planned   a lock\nchanged   src/queue.c\nrounds    ");
    session_close(&second);
    session_close(&first);
}

TEST(a_plan_of_the_users_is_called_by_its_first_line)
{
    struct session_scene scene;

    session_open_file(&scene, "plan=p.md stop-after=before-polish", NULL, "--plan",
                      "\n# Two locks\n\nFirst this.\n");
    session_execute(&scene, "locked");
    session_answer(&scene, "reviewer", APPROVE_ANSWER);
    assert_has(concluded(&scene), "planned   Two locks\n");
    session_close(&scene);
}
