/* SPDX-License-Identifier: Apache-2.0
 *
 * test_hosted_permit.c - the one form of a command that writes an answer, and what only looks like
 * it. */
#include "drive/hosted/parts.h"

#include "test.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

TEST(the_form_that_agents_are_told_is_an_answer)
{
    static const char *const cases[][2] = {
        { "cat > .agents/tmp/phases/review-1/r1-critic.json <<'END_OF_ANSWER'\n{\"a\": \"$(x) `y` "
          "'\"}\nEND_OF_ANSWER", ".agents/tmp/phases/review-1/r1-critic.json" },
        { "cat > /w/x.json <<'E'\n\n\tEND\nE E\n E\nE\n\n", "/w/x.json" },
        { "  cat > a <<'E'\nE", "a" },
        { "cat >a << 'EOF'\nx\nEOF", "a" },
        { "cat >'/w/a b/$x.json' <<'E'\nx\nE", "/w/a b/$x.json" },
        { "cat > \"/w/a b/x.json\"  <<  'E'\nx\nE", "/w/a b/x.json" },
    };
    struct str path;

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        assert_true(hosted_is_answer(str_of(cases[i][0]), &path));
        assert_true(str_is(path, cases[i][1]));
    }
}

TEST(what_could_do_more_is_none)
{
    static const struct str cases[] = {
        { "", 0 },
        STR("cat > a"),
        STR("cat > a <<'E'"),
        STR("cat > a <<'E'\nx"),
        STR("cat > a <<E\n$(rm x)\nE"),         /* expands */
        STR("cat > a <<\"E\"\nx\nE"),
        STR("cat > a <<'E'\nx\nE\nrm -rf b"),   /* something behind */
        STR("cat > a <<'E'\nx\nE\n\nE"),
        STR("cat > a <<'E' ; rm b\nx\nE"),
        STR("cat > a <<'E' > b\nx\nE"),
        STR("cat > a <<'E'; echo '\nx\nE"),
        STR("cat > $(x) <<'E'\nx\nE"),
        STR("cat > a;b <<'E'\nx\nE"),
        STR("cat > a b <<'E'\nx\nE"),
        STR("cat > 'a'b <<'E'\nx\nE"),
        STR("cat > 'a' > b <<'E'\nx\nE"),
        STR("cat > 'a <<'E'\nx\nE"),
        STR("cat > '' <<'E'\nx\nE"),
        STR("cat > \"a$(x)\" <<'E'\nx\nE"),
        STR("cat > \"a`x`\" <<'E'\nx\nE"),
        STR("cat > \"a\\\" <<'E'\nx\nE"),
        STR("cat > \"\" <<'E'\nx\nE"),
        STR("cat > '-a' <<'E'\nx\nE"),
        STR("cat > a <<-'E'\nx\nE"),
        STR("cat > a <<<'E'\nx\nE"),
        STR("cat > a <<'E' x <<'E'\nx\nE"),
        STR("cat >| a <<'E'\nx\nE"),
        STR("cat >& a <<'E'\nx\nE"),
        STR("cat > ~/a <<'E'\nx\nE"),
        STR("cat > * <<'E'\nx\nE"),
        STR("cat > -a <<'E'\nx\nE"),
        STR("cat >  <<'E'\nx\nE"),
        STR("cat >> a <<'E'\nx\nE"),
        STR("cat > a <<''\nx\n"),
        STR("cat > a <<'E F'\nx\nE F"),
        STR("rm b; cat > a <<'E'\nx\nE"),
        STR("rm b\ncat > a <<'E'\nx\nE"),
        STR("cat > a <<'EF'\nE\0F\nrm b\nEF"),  /* a shell drops the NUL */
        STR("cat > a <<'E'\nE\r\nrm b\nE"),
        STR("cat > a\t<<'E'\nx\nE"),
        STR("tee a <<'E'\nx\nE"),
    };
    struct str path;

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        if (hosted_is_answer(cases[i], &path)) fail_msg("%.*s", STR_ARG(cases[i]));
    }
}
