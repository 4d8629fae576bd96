/* SPDX-License-Identifier: Apache-2.0
 *
 * test_refusal.c - what programs write when a sandbox keeps them from something: lines of real
 * runtimes, and which of them tell nothing. */
#include "format/text/refusal.h"

#include "test.h"

TEST(each_runtime_tells_it_in_its_own_words)
{
    static const struct {
        const char *text;
        enum refusal_kind kind;
        const char *path;
    } rows[] = {
        { "Error: EROFS: read-only file system, open '/home/u/.claude/a b.json'",
          REFUSAL_READ_ONLY, "/home/u/.claude/a b.json" },
        { "touch: cannot touch '/home/u/x': Read-only file system", REFUSAL_READ_ONLY,
          "/home/u/x" },
        { "sh: 1: cannot create /home/u/x: Read-only file system", REFUSAL_READ_ONLY,
          "/home/u/x" },
        { "/usr/bin/tool: 2: cannot create /home/u/x: Read-only file system", REFUSAL_READ_ONLY,
          "/home/u/x" },
        { "OSError: [Errno 30] Read-only file system: '/home/u/x'", REFUSAL_READ_ONLY,
          "/home/u/x" },
        { "Error: Read-only file system (os error 30)", REFUSAL_READ_ONLY, "" },
        { "Error: EACCES: permission denied, mkdir '/home/u/.codex'", REFUSAL_DENIED,
          "/home/u/.codex" },
        { "cat: /home/u/x: No such file or directory", REFUSAL_NOT_THERE, "/home/u/x" },
        { "connect ENETUNREACH 10.0.0.1:443 - Local (0.0.0.0:0)", REFUSAL_NETWORK, "" },
        { "connect EPERM 10.0.0.1:443", REFUSAL_NETWORK, "" },
        { "getaddrinfo EAI_AGAIN api.example.com", REFUSAL_NETWORK, "" },
        { "curl: (6) Could not resolve host: api.example.com", REFUSAL_NETWORK, "" },
        { "error sending request for url (https://api.example.com/v1/x): dns error",
          REFUSAL_NETWORK, "" },
        { "it worked\n", REFUSAL_NONE, "" },
        { "", REFUSAL_NONE, "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct refusal refusal = refusal_read(str_of(rows[i].text));

        assert_int_equal(refusal.kind, rows[i].kind);
        assert_true(str_is(refusal.path, rows[i].path));
    }
}

TEST(the_last_one_counts_and_a_stack_trace_is_the_same_one)
{
    struct refusal refusal = refusal_read(STR(
        "cat: /etc/x: Permission denied\n"
        "Error: EROFS: read-only file system, open '/home/u/x'\n"
        "    at Object.writeFileSync (node:fs:2346:20)\n"
        "  code: 'EROFS',\n"
        "\n"
        "Node.js v20.20.0\n"));

    assert_int_equal(refusal.kind, REFUSAL_READ_ONLY);
    assert_true(str_is(refusal.path, "/home/u/x"));
}
