/* SPDX-License-Identifier: Apache-2.0
 *
 * refusal.c - the errors of the operating system in what programs write to standard error.
 *
 *     Error: EROFS: read-only file system, open '/home/u/.claude/x'       node
 *     Error: Read-only file system (os error 30)                          Rust
 *     touch: cannot touch '/home/u/x': Read-only file system              C
 *     connect EPERM 10.0.0.1:443 - Local (undefined:undefined)            node, sockets forbidden
 *
 * 1. A line is one refusal, of the first row of the table whose words are in it.
 * 2. A socket that is forbidden is told as a file would be: words of the network decide first.
 * 3. Only absolute paths count; whether they mean anything the caller can find out.
 *
 * Not here: who refused it (guard/cage.c). */
#include "format/text/refusal.h"

#include "format/text/words.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *words;
    enum refusal_kind kind;
} rows[] = {
    { "ENETUNREACH", REFUSAL_NETWORK },
    { "Network is unreachable", REFUSAL_NETWORK },
    { "EAI_AGAIN", REFUSAL_NETWORK },
    { "ENOTFOUND", REFUSAL_NETWORK },
    { "Temporary failure in name resolution", REFUSAL_NETWORK },
    { "Could not resolve host", REFUSAL_NETWORK },
    { "dns error", REFUSAL_NETWORK },
    { "connect EPERM", REFUSAL_NETWORK },
    { "connect EACCES", REFUSAL_NETWORK },
    { "socket: Operation not permitted", REFUSAL_NETWORK },
    { "FailedToOpenSocket", REFUSAL_NETWORK },
    { "EROFS", REFUSAL_READ_ONLY },
    { "Read-only file system", REFUSAL_READ_ONLY },
    { "read-only file system", REFUSAL_READ_ONLY },
    { "EACCES", REFUSAL_DENIED },
    { "EPERM", REFUSAL_DENIED },
    { "Permission denied", REFUSAL_DENIED },
    { "permission denied", REFUSAL_DENIED },
    { "Operation not permitted", REFUSAL_DENIED },
    { "operation not permitted", REFUSAL_DENIED },
    { "ENOENT", REFUSAL_NOT_THERE },
    { "No such file or directory", REFUSAL_NOT_THERE },
};

static enum refusal_kind kind_of(struct str line)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (text_has(line, rows[i].words)) return rows[i].kind;
    }
    return REFUSAL_NONE;
}

/* The last absolute path of a line (a program may say its own first): in quotes up to the quote,
 * else up to a blank; a mark of the sentence behind it is not its own. */
static struct str path_of(struct str line)
{
    struct str last = { "", 0 };

    for (size_t i = 0; i < line.size; i++) {
        char before = i ? line.data[i - 1] : ' ';
        char end = before == '\'' || before == '"' || before == '`' ? before : ' ';
        struct str path = { line.data + i, 0 };

        if (line.data[i] != '/' || !(end != ' ' || before == ' ' || before == '(')) continue;
        while (i + path.size < line.size && path.data[path.size] != end &&
               (end != ' ' || path.data[path.size] != '\t')) {
            path.size++;
        }
        while (end == ' ' && path.size > 1 && strchr(":;,.)", path.data[path.size - 1])) {
            path.size--;
        }
        if (path.size > 1) last = path;
        i += path.size;
    }
    return last;
}

struct refusal refusal_read(struct str text)
{
    struct refusal last = { .kind = REFUSAL_NONE, .path = { "", 0 } };
    struct str line;

    while (str_cut(&text, '\n', &line)) {
        struct refusal found = { .kind = kind_of(line), .path = path_of(line) };

        if (found.kind == REFUSAL_NONE) continue;
        if (found.kind == last.kind && found.path.size == 0) continue;
        last = found;
    }
    return last;
}
