/* SPDX-License-Identifier: Apache-2.0
 *
 * canvas_check.c - whether this is a terminal that can show a whole screen, by its entry in
 * terminfo; and what ends a whole screen there. Nothing is written to it. */
#include "top/canvas.h"

#include "base/buf.h"
#include "io/terminal/terminal.h"

#include <curses.h>
#include <stdlib.h>
#include <term.h>
#include <unistd.h>

enum { LEAVE_BYTES_MAX = 4096 };

static struct buf leaving;

static int collect(int byte)
{
    buf_byte(&leaving, (char)byte);
    return byte;
}

const char *canvas_capability(const char *name)
{
    union { /* tigetstr() changes nothing of it, and says otherwise */
        const char *is;
        char *as;
    } asked = { .is = name };
    const char *text = tigetstr(asked.as);

    return text == (const char *)-1 ? NULL : text;
}

static void collect_leave(void)
{
    static const char *const names[] = { "sgr0", "op", "rmkx", "cnorm", "rmcup", NULL };

    leaving = (struct buf){ .limit = LEAVE_BYTES_MAX };
    if (!canvas_capability("rmcup") && canvas_capability("cup")) { /* below what stands there */
        (void)tputs(tparm(canvas_capability("cup"), lines - 1, 0, 0, 0, 0, 0, 0, 0, 0), 1, collect);
        buf_text(&leaving, "\r\n");
    }
    for (uint32_t i = 0; names[i]; i++) {
        const char *text = canvas_capability(names[i]);
        if (text) (void)tputs(text, 1, collect);
    }
}

int canvas_check(struct str *leave, struct err *err)
{
    static const char otherwise[] = "'hone status' shows a run in lines";
    const char *term = getenv("TERM");
    int problem = 0;

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        return err_set(err, ERR_USAGE, "hone top needs a terminal at its standard input and its "
                       "standard output; 'hone status --json' tells a program where a run stands");
    }
    if (!term || !*term) {
        return err_set(err, ERR_USAGE, "TERM is not set, so the terminal is not known; %s",
                       otherwise);
    }
    if (!terminal_can_move(STDOUT_FILENO)) {
        return err_set(err, ERR_USAGE, "TERM=%.60s cannot show a whole screen; %s", term,
                       otherwise);
    }
    if (setupterm(NULL, STDOUT_FILENO, &problem) != OK || problem != 1) {
        return err_set(err, ERR_USAGE, "TERM=%.60s: this terminal is not in the system's list of "
                       "terminals (terminfo); %s", term, otherwise);
    }
    if (!canvas_capability("cup") || !canvas_capability("clear")) {
        err_set(err, ERR_USAGE, "TERM=%.60s cannot show a whole screen; %s", term, otherwise);
    } else {
        collect_leave();
        *leave = buf_str(&leaving);
        err->code = ERR_NONE;
    }
    del_curterm(cur_term);
    return (int)err->code;
}
