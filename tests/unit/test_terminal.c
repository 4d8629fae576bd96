/* SPDX-License-Identifier: Apache-2.0
 *
 * test_terminal.c - a terminal that is slow, held or gone never holds us up. */
#include "io/terminal/terminal.h"

#include "io/file/file.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { FLOOD_BYTES = 1 << 20, PATIENCE_MS = 20000 };

/* A new terminal in the place of standard error, until it is left. */
struct place {
    int master_fd, slave_fd, kept_fd;
};

static void place_enter(struct place *place)
{
    struct winsize size = { .ws_col = 77, .ws_row = 33 };

    fflush(stderr);
    place->kept_fd = dup(STDERR_FILENO);
    place->master_fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    assert_true(place->master_fd >= 0 && place->kept_fd >= 0);
    assert_int_equal(grantpt(place->master_fd), 0);
    assert_int_equal(unlockpt(place->master_fd), 0);
    place->slave_fd = open(ptsname(place->master_fd), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(place->slave_fd >= 0);
    assert_int_equal(ioctl(place->slave_fd, TIOCSWINSZ, &size), 0);
    assert_int_equal(dup2(place->slave_fd, STDERR_FILENO), STDERR_FILENO);
}

static void place_leave(struct place *place)
{
    dup2(place->kept_fd, STDERR_FILENO);
    close(place->kept_fd);
    close(place->slave_fd);
    if (place->master_fd >= 0) close(place->master_fd);
}

/* What has arrived at the other end. */
static size_t drain(const struct place *place)
{
    char bytes[65536];
    size_t all = 0;
    ssize_t got;

    while ((got = read(place->master_fd, bytes, sizeof bytes)) > 0) all += (size_t)got;
    return all;
}

static struct str flood(void)
{
    static char bytes[FLOOD_BYTES];

    memset(bytes, 'x', sizeof bytes);
    return (struct str){ bytes, sizeof bytes };
}

TEST(a_terminal_can_move_its_cursor_if_term_says_so)
{
    struct place place;

    place_enter(&place);
    setenv("TERM", "xterm", 1);
    assert_true(terminal_can_move(STDERR_FILENO));
    setenv("TERM", "dumb", 1);
    assert_false(terminal_can_move(STDERR_FILENO));
    setenv("TERM", "", 1);
    assert_false(terminal_can_move(STDERR_FILENO));
    unsetenv("TERM");
    assert_false(terminal_can_move(STDERR_FILENO));
    setenv("TERM", "xterm", 1);
    place_leave(&place);
    assert_false(terminal_can_move(-1));
}

TEST(the_size_is_the_terminals_or_the_usual_one)
{
    struct terminal terminal;
    struct winsize none = { 0 };
    struct place place;

    place_enter(&place);
    terminal_open(&terminal);
    assert_int_equal(terminal_size(&terminal).columns, 77);
    assert_int_equal(terminal_size(&terminal).rows, 33);
    assert_int_equal(ioctl(place.slave_fd, TIOCSWINSZ, &none), 0);
    assert_int_equal(terminal_size(&terminal).columns, 80);
    assert_int_equal(terminal_size(&terminal).rows, 24);
    terminal_close(&terminal);
    place_leave(&place);
}

static bool opens_as_utf8(const char *all, const char *ctype, const char *lang)
{
    const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    const char *const values[] = { all, ctype, lang };
    struct terminal terminal;
    bool utf8;

    for (uint32_t i = 0; i < 3; i++) {
        if (values[i]) setenv(names[i], values[i], 1);
        else unsetenv(names[i]);
    }
    terminal_open(&terminal);
    utf8 = terminal.utf8;
    terminal_close(&terminal);
    return utf8;
}

TEST(characters_beyond_ascii_need_a_locale_that_has_them)
{
    struct place place;

    place_enter(&place);
    assert_true(opens_as_utf8(NULL, NULL, "en_US.UTF-8"));
    assert_true(opens_as_utf8("", "", "de_DE.utf8@euro"));
    assert_true(opens_as_utf8("C.UTF-8", NULL, "C"));
    assert_false(opens_as_utf8("C", NULL, "en_US.UTF-8"));
    assert_false(opens_as_utf8(NULL, "de_DE.ISO-8859-1", "en_US.UTF-8"));
    assert_false(opens_as_utf8(NULL, NULL, NULL));
    assert_false(opens_as_utf8(NULL, NULL, "POSIX"));
    place_leave(&place);
}

TEST(what_is_written_arrives)
{
    struct terminal terminal;
    struct place place;
    char bytes[64];

    place_enter(&place);
    terminal_open(&terminal);
    terminal_write(&terminal, STR("hello\r\n"));
    assert_true(terminal_flush(&terminal));
    assert_int_equal(read(place.master_fd, bytes, sizeof bytes), 8); /* the \n gets a \r */
    terminal_close(&terminal);
    place_leave(&place);
}

static void nobody_reads(bool own)
{
    struct terminal terminal;
    struct place place;
    uint64_t begin_ms = now_steady_ms();
    size_t got = 0;

    place_enter(&place);
    terminal_open(&terminal);
    assert_true(terminal.own);
    if (!own) {
        close(terminal.fd);
        terminal.fd = STDERR_FILENO;
        terminal.own = false;
    }
    terminal_write(&terminal, flood());
    assert_false(terminal_flush(&terminal));
    assert_true(now_steady_ms() - begin_ms < PATIENCE_MS);
    while (got < FLOOD_BYTES && now_steady_ms() - begin_ms < PATIENCE_MS) {
        got += drain(&place); /* now it is read: all is there, in its order */
        (void)terminal_flush(&terminal);
    }
    assert_int_equal(got, FLOOD_BYTES);
    assert_true(terminal_flush(&terminal));
    terminal_write(&terminal, flood());
    terminal_close(&terminal); /* and closing does not wait for ever */
    assert_true(now_steady_ms() - begin_ms < PATIENCE_MS);
    place_leave(&place);
}

TEST(a_terminal_that_nobody_reads_does_not_hold_us_up)
{
    nobody_reads(true);
}

TEST(neither_where_it_cannot_be_opened_once_more)
{
    nobody_reads(false);
}

TEST(held_output_does_not_hold_us_up)
{
    struct terminal terminal;
    struct place place;
    uint64_t begin_ms = now_steady_ms();

    place_enter(&place);
    terminal_open(&terminal);
    assert_int_equal(tcflow(place.slave_fd, TCOOFF), 0); /* Ctrl-S */
    terminal_write(&terminal, STR("later\r\n"));
    assert_false(terminal_flush(&terminal));
    assert_int_equal(drain(&place), 0);
    assert_int_equal(tcflow(place.slave_fd, TCOON), 0);
    assert_true(terminal_flush(&terminal));
    assert_int_equal(drain(&place), 8);
    terminal_close(&terminal);
    assert_true(now_steady_ms() - begin_ms < PATIENCE_MS);
    place_leave(&place);
}

TEST(a_terminal_that_is_gone_takes_everything)
{
    struct terminal terminal;
    struct place place;

    place_enter(&place);
    terminal_open(&terminal);
    close(place.master_fd);
    place.master_fd = -1;
    terminal_write(&terminal, STR("into the void"));
    assert_true(terminal_flush(&terminal));
    terminal_close(&terminal);
    place_leave(&place);
}

TEST(the_shared_description_keeps_its_flags)
{
    struct terminal terminal;
    struct termios before, after;
    struct place place;
    int flags;

    place_enter(&place);
    flags = fcntl(STDERR_FILENO, F_GETFL);
    memset(&before, 0, sizeof before); /* the gaps between its members, too */
    memset(&after, 0, sizeof after);
    assert_int_equal(tcgetattr(STDERR_FILENO, &before), 0);
    terminal_open(&terminal);
    terminal_write(&terminal, STR("x"));
    assert_int_equal(fcntl(STDERR_FILENO, F_GETFL), flags);
    terminal_close(&terminal);
    assert_int_equal(fcntl(STDERR_FILENO, F_GETFL), flags);
    assert_int_equal(tcgetattr(STDERR_FILENO, &after), 0);
    assert_memory_equal(&before, &after, sizeof before);
    place_leave(&place);
}

TEST(signals_are_told_once)
{
    struct terminal terminal;
    struct place place;

    place_enter(&place);
    terminal_open(&terminal);
    assert_int_equal(terminal_take(), 0);
    raise(SIGWINCH);
    assert_int_equal(terminal_take(), TERMINAL_RESIZED);
    raise(SIGCONT);
    raise(SIGWINCH);
    assert_int_equal(terminal_take(), TERMINAL_RESIZED | TERMINAL_CONTINUED);
    assert_int_equal(terminal_take(), 0);
    terminal_close(&terminal);
    raise(SIGWINCH);
    assert_int_equal(terminal_take(), 0);
    place_leave(&place);
}

TEST(a_terminal_that_controls_nobody_is_ours)
{
    struct terminal terminal;
    struct place place;

    place_enter(&place);
    terminal_open(&terminal);
    assert_true(terminal_is_ours(&terminal));
    terminal_close(&terminal);
    terminal_close(&terminal); /* one that is not open */
    place_leave(&place);
}
