/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox.c - argument lists for bubblewrap.
 *
 * The whole machine is bound as it is (devices, /proc and the network included), then the
 * read-only folders once more without the right to write, then the writable ones inside them.
 * Later binds lie over earlier ones: the order is the meaning.
 *
 * 1. Nothing is hidden and nobody becomes somebody else: an agent finds its own login and state.
 * 2. The agent ends when its parent does (--die-with-parent), sandboxed or not.
 * 3. No new pid namespace: it buys nothing here and costs each start milliseconds.
 *
 * Not here: which folders (the caller knows the roles).
 */
#include "io/sandbox.h"

#include "base/buf.h"
#include "io/supervisor.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Asks the way an agent would be started; what is bound read-only must exist everywhere. */
static const char *ask_once(void)
{
    static const char *const probe[] = { "bwrap", "--dev-bind", "/", "/", "--ro-bind", "/usr",
                                         "/usr", "--die-with-parent", "--", "true", NULL };
    static const char *const env[] = { NULL };
    static char problem[ERR_TEXT_BYTES + 32];
    struct err err = { 0 };
    struct buf out;
    int rc;

    buf_init(&out, 4096);
    rc = helper_run(probe, env, "/", STR(""), &out, &err);
    buf_release(&out);
    if (rc == 0) return NULL;
    if (rc == ERR_MISSING) return "bubblewrap is not installed";
    snprintf(problem, sizeof problem, "bubblewrap does not work here: %s", err.text);
    return problem;
}

const char *sandbox_problem(void)
{
    static bool asked;
    static const char *answer;

    if (!asked) answer = ask_once();
    asked = true;
    return answer;
}

static size_t length(const char *const *list)
{
    size_t count = 0;

    while (list[count]) count++;
    return count;
}

static size_t add_binds(const char **out, size_t at, const char *how, const char *const *folders)
{
    for (; *folders; folders++) {
        out[at++] = how;
        out[at++] = *folders;
        out[at++] = *folders;
    }
    return at;
}

const char *const *sandbox_wrap(struct arena *arena, const char *const *argv,
                                const char *const *read_only, const char *const *writable)
{
    enum { OWN_WORDS = 6 };
    size_t count = OWN_WORDS + 3 * (length(read_only) + length(writable)) + length(argv) + 1;
    const char **out = arena_alloc(arena, count * sizeof *out);
    size_t at = 0;

    out[at++] = "bwrap";
    out[at++] = "--dev-bind";
    out[at++] = "/";
    out[at++] = "/";
    at = add_binds(out, at, "--ro-bind", read_only);
    at = add_binds(out, at, "--bind", writable);
    out[at++] = "--die-with-parent";
    out[at++] = "--";
    for (; *argv; argv++) out[at++] = *argv;
    return out; /* what is left is NULL: an arena gives zeros */
}
