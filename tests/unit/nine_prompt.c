/* SPDX-License-Identifier: Apache-2.0 */
#include "nine_prompt.h"

#include "dialect/check.h"
#include "format/text/utf8.h"
#include "test.h"

#include <string.h>

/* What holds for every prompt, of any role and phase. */
static void expect_laws(const char *text)
{
    uint32_t opened = occurrences(text, "\n" OPEN), closed = occurrences(text, "\n" CLOSE);
    struct check_report report = { 0 };
    struct iterate_issues issues;
    struct arena arena = { 0 };

    assert_true(str_starts(str_of(text), STR("[PHASE ")));
    assert_true(opened > 0);
    assert_int_equal(opened, closed);
    assert_int_equal(occurrences(text, NINE_FENCE), 2 + opened + closed);
    for (const char *at = strstr(text, "\n" OPEN); at; at = strstr(at + 1, "\n" OPEN)) {
        const char *next = strstr(at + 1, "\n" OPEN), *end = strstr(at, "\n" CLOSE);
        assert_true(end && (!next || end < next));
    }
    assert_false(iterate_issues_read(str_of(text), NINE_FENCE, &arena, &report, &issues));
    check_report_release(&report);
    arena_release(&arena);
}

const char *nine_prompt_with(struct nine *nine, struct action action, struct str problem)
{
    struct prompt_request request = { .action = &action, .output = OUTPUT, .problem = problem };
    const char *text;
    struct buf out;

    buf_init(&out, 1 << 20);
    iterate_prompt(&nine->run, &request, &out);
    assert_false(out.overflow);
    assert_int_equal(strlen(buf_cstr(&out)), out.size);
    assert_int_equal(utf8_prefix(buf_str(&out)), out.size);
    text = arena_cstr(&nine->arena, buf_str(&out));
    buf_release(&out);
    expect_laws(text);
    return text;
}

const char *nine_prompt(struct nine *nine, const char *role)
{
    return nine_prompt_with(nine, nine_action(nine, role), (struct str){ "", 0 });
}

void nine_expect(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("'%s' is missing in\n%s", part, text);
}

void nine_expect_not(const char *text, const char *part)
{
    if (strstr(text, part)) fail_msg("'%s' stands in\n%s", part, text);
}
