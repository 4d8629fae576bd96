/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/answer.h"

#include "test.h"

TEST(only_a_last_line_with_the_word_is_stuck)
{
    static const struct {
        const char *answer;
        bool stuck;
        const char *reason;
    } rows[] = {
        { "did it", false, "" },
        { "", false, "" },
        { "did it\nSTUCK: no idea", true, "no idea" },
        { "did it\n  STUCK:no idea  \r\n\n\n", true, "no idea" },
        { "STUCK: first\nthen I went on", false, "" },
        { "STUCK: first\nSTUCK: second", true, "second" },
        { "it is not STUCK: at all", false, "" },
        { "stuck: in small letters", false, "" },
        { "STUCK:", true, "" },
        { "STUCK", false, "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str reason = answer_stuck_reason(str_of(rows[i].answer));

        assert_int_equal(answer_is_stuck(str_of(rows[i].answer)), rows[i].stuck);
        assert_true(str_is(reason, rows[i].reason));
    }
}
