/* SPDX-License-Identifier: Apache-2.0
 *
 * shellcheck.c - analyzer shellcheck.
 *
 * It follows what a script sources, so that it knows the variables of it; what it cannot find
 * (SC1090, SC1091) is no finding, nor is a library without "#!" (SC2148). Without a .shellcheckrc
 * of the repository two guesses that are mostly wrong are left out: that a '$x' was meant to expand
 * (SC2016), and that a function called by its name in a variable or a trap is never reached
 * (SC2317). */
#include "analyze/analyzers.h"
#include "analyze/words.h"

static const struct language *const shells[] = { &language_shell, NULL };

static const char *const *shellcheck_command(const struct analyzer_call *call, struct arena *arena)
{
    static const char *const first[] = { "shellcheck", "--format=json1", "--external-sources",
                                         "--source-path=SCRIPTDIR", NULL };
    struct words words = { .arena = arena };

    word_add_list(&words, first);
    if (call->configured) {
        word_add(&words, "--exclude=SC1090,SC1091,SC2148");
    } else {
        word_add(&words, "--norc");
        word_add(&words, "--exclude=SC1090,SC1091,SC2148,SC2016,SC2317");
    }
    word_add_units(&words, call);
    return words_take(&words);
}

/* `! -z` as -n (SC2236, SC2237), $x as ${x} (SC2250), [ "$x" ] as [ -n "$x" ] (SC2244): the same
 * test, the same word. Risky are all others: quotes (SC2086 and its like) end the splitting that a
 * script may count on, $(..) reads backslashes otherwise than `..` (SC2006), read -r and
 * `cd || exit` are another behaviour by design. */
static const char *const shellcheck_safe[] = { "SC2236", "SC2237", "SC2244", "SC2250", NULL };

const struct analyzer analyzer_shellcheck = {
    .name = "shellcheck",
    .program = "shellcheck",
    .package = "shellcheck",
    .config = ".shellcheckrc",
    .languages = shells,
    .batch = 16,
    .command = shellcheck_command,
    .status = STATUS_FINDINGS,
    .safe = shellcheck_safe,
    .read = shellcheck_json_read,
};
