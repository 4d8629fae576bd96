/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/say.h"

#include "cmd/parse.h"
#include "format/text/safe.h"
#include "format/text/width.h"
#include "guard/guard.h"
#include "io/terminal/terminal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS_MIN = 20, COLUMNS_MAX = 1000, TEXT_COLUMNS_MAX = 80 };

static int out_problem; /* an error number; what follows it is lost too */

static int fail_with(enum exit_code code, const char *text)
{
    struct buf safe, lines;

    buf_init(&safe, 64 * 1024);
    buf_init(&lines, 128 * 1024);
    safe_text(&safe, str_of(text), true, 0);
    message_lines(&lines, buf_str(&safe), "      ");
    fflush(stdout);
    fprintf(stderr, "hone: %s\n", buf_cstr(&lines));
    buf_release(&lines);
    buf_release(&safe);
    return (int)code;
}

int say_fail(enum exit_code code, const char *format, ...)
{
    char text[2 * ERR_TEXT_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return fail_with(code, text);
}

/* And where a sandbox around hone is the cause, so much. */
int say_err(const struct err *err)
{
    const char *cage = cage_of_hone(err);
    int code = fail_with(exit_code_of_err(err), err->text);

    return cage ? fail_with((enum exit_code)code, cage) : code;
}

void say_out(const struct buf *text)
{
    struct str bytes = buf_str(text);

    errno = 0;
    if (fwrite(bytes.data, 1, bytes.size, stdout) < bytes.size && !out_problem) {
        out_problem = errno ? errno : EIO;
    }
}

void say_take(struct buf *text)
{
    say_out(text);
    buf_release(text);
}

void say_now(const struct buf *text)
{
    say_out(text);
    errno = 0;
    if (fflush(stdout) != 0 && !out_problem) out_problem = errno ? errno : EIO;
}

int say_problem(void)
{
    return out_problem;
}

void say_json(yyjson_mut_doc *doc, bool pretty)
{
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    json_write(doc, pretty, &out);
    if (!pretty) buf_byte(&out, '\n');
    say_take(&out);
    yyjson_mut_doc_free(doc);
}

void add_safe(struct buf *out, const char *text, size_t bytes_max)
{
    safe_text(out, str_of(text), true, bytes_max);
}

uint32_t line_columns(int fd)
{
    const struct terminal terminal = { .fd = fd };
    const char *said = getenv("COLUMNS");
    uint64_t columns;

    if (!said || !str_number(str_of(said), &columns) || columns == 0) {
        columns = terminal_size(&terminal).columns;
    }
    if (columns < COLUMNS_MIN) return COLUMNS_MIN;
    return columns > COLUMNS_MAX ? COLUMNS_MAX : (uint32_t)columns;
}

uint32_t text_columns(int fd)
{
    uint32_t columns = line_columns(fd);

    return columns < TEXT_COLUMNS_MAX ? columns : TEXT_COLUMNS_MAX;
}

uint32_t table_columns(const struct call *call)
{
    return call->out_terminal ? line_columns(TERMINAL_OUT_FD) : 0;
}

void add_wrapped(struct buf *out, const char *text, uint32_t at, uint32_t indent,
                 uint32_t columns_max)
{
    wrap_text(out, str_of(text), &(struct wrap){ .at = at, .indent = indent,
                                                 .columns_max = columns_max,
                                                 .whole_words = true });
    buf_byte(out, '\n');
}
