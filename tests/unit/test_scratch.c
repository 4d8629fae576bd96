/* SPDX-License-Identifier: Apache-2.0
 *
 * test_scratch.c - scratch files and signals: what an agent may have put in our way. */
#include "ground.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/process/signals.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_it(const struct ground *ground, const char *name, size_t limit, struct buf *out)
{
    struct err err;

    buf_init(out, limit);
    return scratch_read(ground->work, name, out, &err);
}

ON_GROUND(what_is_written_is_read)
{
    const struct ground *ground = *state;
    struct buf out;
    struct err err;

    assert_int_equal(scratch_write(ground->work, "a", STR("one"), &err), 0);
    assert_int_equal(scratch_write(ground->work, "a", STR("tw"), &err), 0);
    assert_int_equal(read_it(ground, "a", 100, &out), 0);
    assert_true(str_is(buf_str(&out), "tw"));
    buf_release(&out);
    assert_int_equal(mode_of(at(ground, "work/a")) & 0777, 0600);
    assert_int_equal(scratch_replace(ground->work, "a", STR("three"), &err), 0);
    expect_content(at(ground, "work/a"), "three");
    assert_int_equal(count_in(ground->work), 1);
}

ON_GROUND(what_is_made_once_stays)
{
    const struct ground *ground = *state;
    struct err err;

    assert_int_equal(scratch_once(ground->work, "a", STR("one"), &err), 0);
    assert_int_equal(scratch_once(ground->work, "a", STR("two"), &err), 0);
    expect_content(at(ground, "work/a"), "one");
    assert_int_equal(mode_of(at(ground, "work/a")) & 0777, 0600);
    assert_int_equal(count_in(ground->work), 1);
}

ON_GROUND(one_look_tells_which_names_are_there)
{
    static const char *const names[] = { "a", "b", "c", NULL };
    const struct ground *ground = *state;

    put(at(ground, "work/b"), "");
    put(at(ground, "work/bb"), "");
    assert_int_equal(scratch_holds(ground->work, names), 1u << 1);
    put(at(ground, "work/c"), "");
    assert_int_equal(scratch_holds(ground->work, names), 1u << 1 | 1u << 2);
    assert_int_equal(scratch_holds(at(ground, "work/none"), names), UINT32_MAX);
    for (uint32_t i = 0; i < 3200; i++) put(at(ground, "work/%u", i), "");
    assert_int_equal(scratch_holds(ground->work, names), UINT32_MAX);
}

ON_GROUND(what_is_renewed_is_whole_and_makes_no_third_file)
{
    static const char *const contents[] = { "one", "a longer two", "3", "four", "" };
    const struct ground *ground = *state;
    struct err err;

    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        assert_int_equal(scratch_renew(ground->work, "a", str_of(contents[i]), &err), 0);
        expect_content(at(ground, "work/a"), contents[i]);
        assert_int_equal(mode_of(at(ground, "work/a")) & 0777, 0600);
        assert_int_equal(count_in(ground->work), i == 0 ? 1 : 2);
    }
    expect_content(at(ground, "work/a.new"), "four");
    unlink(at(ground, "work/a.new"));
    assert_int_equal(symlink("../b", at(ground, "work/a.new")), 0);
    assert_int_not_equal(scratch_renew(ground->work, "a", STR("x"), &err), 0);
    assert_false(is_there(at(ground, "b")));
}

ON_GROUND(a_second_name_keeps_its_file)
{
    const struct ground *ground = *state;
    struct err err;

    assert_int_equal(scratch_write(ground->work, "a", STR("one"), &err), 0);
    assert_int_equal(scratch_link(ground->work, "a", "b", &err), 0);
    assert_int_equal(scratch_replace(ground->work, "a", STR("two"), &err), 0);
    expect_content(at(ground, "work/b"), "one");
    assert_int_not_equal(scratch_link(ground->work, "a", "b", &err), 0);
    assert_int_not_equal(scratch_link(ground->work, "none", "c", &err), 0);
    expect_content(at(ground, "work/b"), "one");
}

ON_GROUND(a_file_inside_gets_a_second_name_but_not_through_links)
{
    const struct ground *ground = *state;
    struct err err;

    put(at(ground, "work/a/f"), "one");
    put(at(ground, "out/f"), "two");
    assert_int_equal(symlink("../out", at(ground, "work/l")), 0);
    assert_int_equal(file_link_in(ground->work, "a/f", at(ground, "second"), &err), 0);
    assert_int_equal(file_write(ground->work, "a/f", STR("three"), &err), 0);
    expect_content(at(ground, "second"), "one");
    assert_int_not_equal(file_link_in(ground->work, "a/f", at(ground, "second"), &err), 0);
    assert_int_equal(file_link_in(ground->work, "l/f", at(ground, "third"), &err), ERR_FORMAT);
    assert_int_equal(file_link_in(ground->work, "../out/f", at(ground, "third"), &err),
                     ERR_FORMAT);
    assert_int_equal(file_link_in(ground->work, "b/f", at(ground, "third"), &err), ERR_MISSING);
    assert_false(is_there(at(ground, "third")));
}

ON_GROUND(a_file_may_be_as_long_as_the_limit_and_no_longer)
{
    const struct ground *ground = *state;
    struct buf out;

    put(at(ground, "work/a"), "12345");
    assert_int_equal(read_it(ground, "a", 5, &out), 0);
    assert_int_equal(out.size, 5);
    buf_release(&out);
    assert_int_equal(read_it(ground, "a", 4, &out), ERR_LIMIT);
    buf_release(&out);
}

ON_GROUND(links_pipes_and_folders_are_refused)
{
    const struct ground *ground = *state;
    struct buf out;
    struct err err;

    put(at(ground, "secret"), "secret");
    put_link(at(ground, "work/link"), "../secret");
    make_folder(at(ground, "work/folder"));
    assert_int_equal(mkfifo(at(ground, "work/pipe"), 0600), 0);
    assert_int_equal(read_it(ground, "link", 100, &out), ERR_FORMAT);
    assert_int_equal(read_it(ground, "folder", 100, &out), ERR_FORMAT);
    assert_int_equal(read_it(ground, "pipe", 100, &out), ERR_FORMAT);
    assert_int_equal(read_it(ground, "nothing", 100, &out), ERR_MISSING);
    assert_int_equal(scratch_write(ground->work, "link", STR("x"), &err), ERR_FORMAT);
    expect_content(at(ground, "secret"), "secret");
    buf_release(&out);
}

ON_GROUND(the_last_line_is_the_last_with_something_in_it)
{
    const struct ground *ground = *state;
    struct buf out;

    buf_init(&out, 100);
    put(at(ground, "work/a"), "first\n  last  \n\n \n");
    scratch_last_line(ground->work, "a", 50, &out);
    assert_string_equal(buf_cstr(&out), "last");
    buf_clear(&out);
    scratch_last_line(ground->work, "a", 2, &out);
    assert_string_equal(buf_cstr(&out), "la");
    buf_clear(&out);
    scratch_last_line(ground->work, "none", 50, &out);
    assert_string_equal(buf_cstr(&out), "");
    buf_release(&out);
}

TEST(signals_are_read_not_suffered)
{
    struct signals signals;
    struct err err;

    assert_int_equal(signals_open(&signals, &err), 0);
    assert_int_equal(signals_take(&signals), 0);
    raise(SIGINT);
    raise(SIGTERM);
    wait_readable(signals.fd, -1, -1);
    assert_int_equal(signals_take(&signals), 2);
    wait_readable(signals.fd, -1, 1); /* comes back without anything to read */
    assert_int_equal(signals_take(&signals), 0);
    signals_close(&signals);
    signals_close(&signals);
    assert_int_equal(process_id(), getpid());
}
