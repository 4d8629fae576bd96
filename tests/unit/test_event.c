/* SPDX-License-Identifier: Apache-2.0
 *
 * test_event.c - the fixed words: every value has one, no two share one, and it leads back. */
#include "core/event.h"

#include "core/engine.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

/* All words of one enum, through a function of one shape. */
static void assert_words(const char *(*word)(uint32_t value), uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_non_null(word(i));
        assert_true(strlen(word(i)) > 0);
        for (uint32_t k = 0; k < i; k++) assert_string_not_equal(word(i), word(k));
    }
}

static const char *verdict_at(uint32_t i) { return verdict_word((enum verdict)i); }
static const char *failure_at(uint32_t i) { return failure_word((enum failure)i); }
static const char *choice_at(uint32_t i) { return choice_word((enum choice)i); }
static const char *event_at(uint32_t i) { return event_word((enum event_kind)i); }
static const char *purpose_at(uint32_t i) { return purpose_word((enum purpose)i); }
static const char *reason_at(uint32_t i) { return reason_word((enum reason)i); }
static const char *question_at(uint32_t i) { return question_word((enum question)i); }
static const char *lane_at(uint32_t i) { return lane_state_word((enum lane_state)i); }

TEST(every_value_has_a_word_of_its_own)
{
    assert_words(verdict_at, VERDICT_COUNT);
    assert_words(failure_at, FAILURE_COUNT);
    assert_words(choice_at, CHOICE_COUNT);
    assert_words(event_at, EV_COUNT);
    assert_words(purpose_at, FOR_COUNT);
    assert_words(reason_at, REASON_COUNT);
    assert_words(question_at, ASK_COUNT);
    assert_words(lane_at, LANE_STATE_COUNT);
}

TEST(words_lead_back)
{
    enum verdict verdict;
    enum failure failure;
    enum choice choice;
    enum event_kind kind;
    enum reason reason;

    for (uint32_t i = 0; i < VERDICT_COUNT; i++) {
        assert_true(verdict_from_word(str_of(verdict_at(i)), &verdict));
        assert_int_equal(verdict, i);
    }
    for (uint32_t i = 0; i < FAILURE_COUNT; i++) {
        assert_true(failure_from_word(str_of(failure_at(i)), &failure));
        assert_int_equal(failure, i);
    }
    for (uint32_t i = 0; i < CHOICE_COUNT; i++) {
        assert_true(choice_from_word(str_of(choice_at(i)), &choice));
        assert_int_equal(choice, i);
    }
    for (uint32_t i = 0; i < EV_COUNT; i++) {
        assert_true(event_from_word(str_of(event_at(i)), &kind));
        assert_int_equal(kind, i);
    }
    for (uint32_t i = 0; i < REASON_COUNT; i++) {
        assert_true(reason_from_word(str_of(reason_at(i)), &reason));
        assert_int_equal(reason, i);
    }
}

TEST(nothing_else_is_a_word)
{
    static const struct str others[] = { { NULL, 0 }, { "Clean", 5 }, { "clea", 4 },
        { "clean ", 6 }, { "clean\0", 6 }, { "\xff", 1 } };
    enum verdict verdict = VERDICT_FAILED;
    enum choice choice = CHOICE_STOP;

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(verdict_from_word(others[i], &verdict));
        assert_false(choice_from_word(others[i], &choice));
    }
    assert_int_equal(verdict, VERDICT_FAILED);
    assert_int_equal(choice, CHOICE_STOP);
}

/* The verdict of several is the worst of them, and the reason of a rest likewise. */
TEST(verdicts_and_reasons_are_ordered)
{
    assert_true(VERDICT_CLEAN < VERDICT_FINDINGS);
    assert_true(VERDICT_FINDINGS < VERDICT_INVALID);
    assert_true(VERDICT_INVALID < VERDICT_FAILED);
    assert_true(REASON_STUCK < REASON_WAITING);
    assert_true(REASON_WAITING < REASON_ESCALATED);
    assert_true(REASON_ESCALATED < REASON_FAILED);
}

TEST(a_list_of_actions_can_be_given_back_twice)
{
    struct actions actions = { .item = malloc(sizeof *actions.item), .count = 1, .cap = 1 };

    assert_non_null(actions.item);
    actions_release(&actions);
    assert_null(actions.item);
    assert_int_equal(actions.count, 0);
    actions_release(&actions);
}
