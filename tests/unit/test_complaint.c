/* SPDX-License-Identifier: Apache-2.0
 *
 * test_complaint.c - what complains beside a word for clean, and what does not. */
#include "dialect/complaint.h"

#include "test.h"

TEST(a_fault_or_its_severity_complains)
{
    static const char *const lines[] = {
        "A buffer overflow in line 3, critical.",
        "- src/b.c:3 the lock is taken twice",
        "1. `src/b.c:3` returns before the file is closed",
        "There is a memory leak in the parser.",
        "I checked b.c and it has a buffer overflow in line 3.",
        "One thing: this is a critical race.",
        "This does not check the length of its input: a buffer overflow.",
        "src/b.c:3: SQL injection",
        "b.c crashes on an empty file.",
        "**Critical**",
        "- [HIGH] the lock is missing", "HIGH the lock is missing", "2. **MEDIUM**: odd names",
        "the lock is missing [LOW]", "- MAJOR: no test", "- The race is in line 3, and is closed",
        "All is well. The sort order is wrong, though.",
    };

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!line_complains(str_of(lines[i]))) fail_msg("%s", lines[i]);
    }
}

TEST(a_denial_and_what_was_looked_for_do_not)
{
    static const char *const lines[] = {
        "No issues found.", "No critical issues.", "no high or critical issues were found",
        "This is not a bug.", "I looked for leaks and races, and found none.",
        "The overflow in line 3 is fixed.", "It guards against injection.",
        "- src/b.c:3 is fine now", "- src/b.c:3: looks good", "### src/a.c", "LGTM",
        "The error path is tested in tests/a.c:12.", "Nothing is wrong here.",
        "- Checked for memory leaks", "The new test would crash without the change.",
        "Zero bugs.", "There are no race conditions.", "The critical section is not affected.",
        "", "---", "- the parser is simpler now",
        "HIGH: 0", "- [HIGH] none", "MEDIUM 0, LOW 0", "HIGHER bounds", "High latency is gone",
        "- The lock closes the race", "It removes the broken retry.", "LOW-level calls",
    };

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (line_complains(str_of(lines[i]))) fail_msg("%s", lines[i]);
    }
}

TEST(only_the_writers_own_lines_count)
{
    assert_int_equal(text_complains(STR("> a critical bug\n```\na critical bug\n```\nLGTM\n")), 0);
    assert_int_equal(text_complains(STR("LGTM\n\na critical bug\n")), 3);
}
