/* SPDX-License-Identifier: Apache-2.0
 *
 * test_file.c - whole files: read within a bound, written all or nothing, never through a link. */
#include "ground.h"
#include "io/file/file.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int write_one(const struct ground *ground, const char *path, const char *content,
                     struct err *err)
{
    *err = (struct err){ 0 };
    return file_write(ground->work, path, str_of(content), err);
}

/* ---- reading ---- */

ON_GROUND(read_appends_the_whole_file)
{
    struct err err = { 0 };
    struct buf out;

    put(at(*state, "a"), "two");
    buf_init(&out, 6);
    buf_text(&out, "one");
    assert_int_equal(file_read(at(*state, "a"), &out, &err), 0);
    assert_string_equal(buf_cstr(&out), "onetwo");
    buf_release(&out);
}

ON_GROUND(read_stops_at_the_limit_and_names_the_file)
{
    struct err err = { 0 };
    struct buf out;

    put(at(*state, "long"), "12345");
    buf_init(&out, 4);
    assert_int_equal(file_read(at(*state, "long"), &out, &err), ERR_LIMIT);
    assert_non_null(strstr(err.text, "/long"));
    buf_release(&out);
}

ON_GROUND(read_says_missing)
{
    struct err err = { 0 };
    struct buf out;

    put(at(*state, "file"), "");
    buf_init(&out, 10);
    assert_int_equal(file_read(at(*state, "none"), &out, &err), ERR_MISSING);
    assert_int_equal(file_read(at(*state, "file/below"), &out, &err), ERR_MISSING);
    buf_release(&out);
}

ON_GROUND(read_refuses_what_would_never_end)
{
    struct err err = { 0 };
    struct buf out;

    buf_init(&out, 10);
    assert_int_equal(mkfifo(at(*state, "pipe"), 0600), 0);
    assert_int_equal(file_read(at(*state, "pipe"), &out, &err), ERR_FORMAT);
    assert_int_equal(file_read("/dev/zero", &out, &err), ERR_FORMAT);
    assert_int_equal(file_read(at(*state, "work"), &out, &err), ERR_FORMAT);
    assert_int_equal(out.size, 0);
    buf_release(&out);
}

ON_GROUND(read_in_follows_no_link_and_leaves_no_folder)
{
    static const char *const refused[] = {
        "../outside", "/etc/passwd", "link", "folder/file", "deep", "", "deep//file",
    };
    struct ground *ground = *state;
    struct err err = { 0 };
    struct buf out;

    buf_init(&out, 100);
    put(at(ground, "outside"), "secret");
    assert_int_equal(mkdir(at(ground, "work/deep"), 0700), 0);
    put(at(ground, "work/deep/file"), "inside");
    assert_int_equal(symlink("deep", at(ground, "work/folder")), 0);
    assert_int_equal(symlink("deep/file", at(ground, "work/link")), 0);
    assert_int_equal(file_read_in(ground->work, "deep/file", &out, &err), 0);
    assert_string_equal(buf_cstr(&out), "inside");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (file_read_in(ground->work, refused[i], &out, &err) != ERR_FORMAT)
            fail_msg("'%s' is not refused", refused[i]);
        assert_non_null(strstr(err.text, refused[i]));
    }
    assert_int_equal(file_read_in(ground->work, "deep/none", &out, &err), ERR_MISSING);
    assert_int_equal(file_read_in(ground->work, "none/file", &out, &err), ERR_MISSING);
    assert_string_equal(buf_cstr(&out), "inside");
    buf_release(&out);
}

ON_GROUND(a_missing_file_and_one_outside_are_not_writable)
{
    struct ground *ground = *state;

    put(at(ground, "outside"), "");
    put(at(ground, "work/here"), "");
    assert_true(file_is_writable_in(ground->work, "here"));
    assert_false(file_is_writable_in(ground->work, "missing"));
    assert_false(file_is_writable_in(ground->work, "no/folder"));
    assert_false(file_is_writable_in(ground->work, "../outside"));
}

ON_GROUND(read_fd_reads_a_pipe_to_its_end)
{
    struct err err = { 0 };
    struct buf out;
    int ends[2];
    pid_t child;

    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct pollfd wait = { .fd = ends[1], .events = POLLOUT };

        for (int i = 0; i < 100000; i++) {
            while (write(ends[1], "0123456789", 10) != 10) poll(&wait, 1, -1);
        }
        _exit(0);
    }
    close(ends[1]);
    buf_init(&out, 1000000);
    assert_int_equal(file_read_fd(ends[0], &out, &err), 0);
    assert_int_equal(out.size, 1000000);
    close(ends[0]);
    waitpid(child, NULL, 0);
    buf_release(&out);
}

/* ---- writing ---- */

ON_GROUND(write_makes_folders_and_counts_changes)
{
    const struct ground *ground = *state;
    struct file_item items[] = {
        { "a/b/one", STR("1") }, { "a/b/two", STR("22") }, { "three", STR("") },
    };
    struct err err = { 0 };
    uint32_t written;

    assert_int_equal(file_write_all(ground->work, items, 3, &written, &err), 0);
    assert_int_equal(written, 3);
    expect_content(at(ground, "work/a/b/one"), "1");
    expect_content(at(ground, "work/three"), "");
    items[1].content = STR("changed");
    assert_int_equal(file_write_all(ground->work, items, 3, &written, &err), 0);
    assert_int_equal(written, 1);
    expect_content(at(ground, "work/a/b/two"), "changed");
    assert_int_equal(count_in(at(ground, "work/a/b")), 2);
}

ON_GROUND(write_of_nothing_is_fine)
{
    const struct ground *ground = *state;
    struct err err = { 0 };

    assert_int_equal(file_write_all(ground->work, NULL, 0, NULL, &err), 0);
}

ON_GROUND(write_leaves_a_file_alone_that_holds_it_already)
{
    struct err err;
    ino_t before;

    put(at(*state, "work/same"), "same");
    before = inode_of(at(*state, "work/same"));
    assert_int_equal(write_one(*state, "same", "same", &err), 0);
    assert_int_equal(inode_of(at(*state, "work/same")), before);
    assert_int_equal(write_one(*state, "same", "else", &err), 0);
    expect_content(at(*state, "work/same"), "else");
}

ON_GROUND(write_keeps_permissions_of_the_file)
{
    struct err err;
    mode_t mask = umask(022);

    put(at(*state, "work/secret"), "old");
    assert_int_equal(chmod(at(*state, "work/secret"), 0600), 0);
    assert_int_equal(write_one(*state, "secret", "new", &err), 0);
    assert_int_equal(mode_of(at(*state, "work/secret")) & 07777, 0600);
    assert_int_equal(write_one(*state, "fresh", "new", &err), 0);
    assert_int_equal(mode_of(at(*state, "work/fresh")) & 07777, 0644);
    umask(mask);
}

ON_GROUND(write_replaces_a_link_and_never_what_it_points_to)
{
    struct err err;

    put(at(*state, "outside"), "precious");
    put_link(at(*state, "work/link"), "../outside");
    put_link(at(*state, "work/same"), "../outside");
    put_link(at(*state, "work/dangling"), "../made");
    assert_int_equal(write_one(*state, "link", "new", &err), 0);
    assert_int_equal(write_one(*state, "same", "precious", &err), 0);
    assert_int_equal(write_one(*state, "dangling", "new", &err), 0);
    expect_content(at(*state, "outside"), "precious");
    expect_content(at(*state, "work/link"), "new");
    expect_content(at(*state, "work/same"), "precious");
    assert_false(is_there(at(*state, "made")));
}

ON_GROUND(write_refuses_a_link_on_the_way)
{
    struct err err;

    make_folder(at(*state, "outside"));
    put_link(at(*state, "work/way"), "../outside");
    assert_int_equal(write_one(*state, "way/file", "x", &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "/work/way/file"));
    assert_int_equal(write_one(*state, "way/deeper/file", "x", &err), ERR_FORMAT);
    assert_int_equal(count_in(at(*state, "outside")), 0);
}

ON_GROUND(write_refuses_paths_that_lead_out)
{
    static const char *const paths[] = { "",     "/etc/x", "../x", "a/../../x", "a//b", "./a",
                                         "a/.", "a/",     "..",   "." };
    struct err err;

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        assert_int_equal(write_one(*state, paths[i], "x", &err), ERR_FORMAT);
    assert_int_equal(count_in(at(*state, "work")), 0);
}

ON_GROUND(write_changes_no_file_when_one_cannot_be)
{
    const struct ground *ground = *state;
    const struct file_item items[] = {
        { "first", STR("new") }, { "folder", STR("new") }, { "last", STR("new") },
    };
    struct err err = { 0 };
    uint32_t written;

    put(at(ground, "work/first"), "old");
    make_folder(at(ground, "work/folder"));
    assert_int_equal(file_write_all(ground->work, items, 3, &written, &err), ERR_SYSTEM);
    assert_int_equal(written, 0);
    assert_non_null(strstr(err.text, "/work/folder"));
    expect_content(at(ground, "work/first"), "old");
    assert_int_equal(count_in(ground->work), 2); /* and no temporary file */
}

ON_GROUND(write_that_finds_the_disk_full_leaves_the_old_file)
{
    struct rlimit before, small = { 4096, 4096 };
    static char big[100000];
    struct err err = { 0 };
    const struct ground *ground = *state;
    const struct file_item items[] = { { "little", STR("new") }, { "big", { big, sizeof big } } };

    put(at(*state, "work/big"), "old");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(file_write_all(ground->work, items, 2, NULL, &err), ERR_SYSTEM);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_non_null(strstr(err.text, "/work/big"));
    assert_non_null(strstr(err.text, strerror(EFBIG)));
    expect_content(at(*state, "work/big"), "old");
    assert_int_equal(count_in(at(*state, "work")), 1);
}

ON_GROUND(write_clears_what_a_killed_writer_left)
{
    struct err err;

    put(at(*state, "work/.a.hone-tmp"), "half");
    assert_int_equal(write_one(*state, "a", "whole", &err), 0);
    expect_content(at(*state, "work/a"), "whole");
    assert_int_equal(count_in(at(*state, "work")), 1);
}

ON_GROUND(write_is_not_led_astray_by_planted_temporary_files)
{
    struct err err;

    put(at(*state, "outside"), "precious");
    put_link(at(*state, "work/.b.hone-tmp"), "../outside");
    assert_int_equal(link(at(*state, "outside"), at(*state, "work/.c.hone-tmp")), 0);
    assert_int_equal(write_one(*state, "b", "whole", &err), 0);
    assert_int_equal(write_one(*state, "c", "whole", &err), 0);
    expect_content(at(*state, "outside"), "precious");
    expect_content(at(*state, "work/b"), "whole");
    assert_int_equal(count_in(at(*state, "work")), 2);
}

ON_GROUND(write_takes_the_longest_names)
{
    char name[NAME_MAX + 2];
    struct err err;

    memset(name, 'n', sizeof name);
    name[NAME_MAX] = '\0';
    assert_int_equal(write_one(*state, name, "long", &err), 0);
    name[NAME_MAX - 1] = 'm';
    assert_int_equal(write_one(*state, name, "other", &err), 0);
    expect_content(at(*state, "work/%s", name), "other");
    assert_int_equal(count_in(at(*state, "work")), 2);
    name[NAME_MAX] = 'n';
    name[NAME_MAX + 1] = '\0';
    assert_int_equal(write_one(*state, name, "too long", &err), ERR_FORMAT);
}

/* A writer in a child that goes on until it is killed. */
static pid_t start_writer(const struct ground *ground, const char *contents[2], size_t size)
{
    pid_t child = fork();

    assert_true(child >= 0);
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (unsigned i = 0;; i++) {
        struct err err;

        if (file_write(ground->work, "f", (struct str){ contents[i % 2], size }, &err) != 0)
            _exit(1);
    }
}

ON_GROUND(a_reader_and_a_killed_writer_see_whole_files_only)
{
    enum { SIZE = 300000, KILLS = 5, LOOKS = 40 };
    char *contents[2] = { malloc(SIZE), malloc(SIZE) };
    const char *both[2] = { contents[0], contents[1] };
    struct err err = { 0 };
    struct buf seen;

    memset(contents[0], 'a', SIZE);
    memset(contents[1], 'b', SIZE);
    assert_int_equal(file_write(at(*state, "work"), "f", (struct str){ both[0], SIZE }, &err), 0);
    buf_init(&seen, 2 * SIZE);
    for (int kill_count = 0; kill_count < KILLS; kill_count++) {
        pid_t writer = start_writer(*state, both, SIZE);

        for (int look = 0; look < LOOKS; look++) {
            if (look == LOOKS / 2) kill(writer, SIGKILL);
            buf_clear(&seen);
            assert_int_equal(file_read(at(*state, "work/f"), &seen, &err), 0);
            assert_int_equal(seen.size, SIZE);
            assert_memory_equal(seen.data, contents[seen.data[0] == 'b'], SIZE);
        }
        waitpid(writer, NULL, 0);
        assert_true(count_in(at(*state, "work")) <= (size_t)2);
    }
    assert_int_equal(file_write(at(*state, "work"), "f", STR("end"), &err), 0);
    assert_int_equal(count_in(at(*state, "work")), 1);
    buf_release(&seen);
    free(contents[0]);
    free(contents[1]);
}

/* ---- folders and names ---- */

ON_GROUND(folders_are_made_with_their_parents)
{
    struct err err = { 0 };
    mode_t mask = umask(022);

    assert_int_equal(file_make_folder(at(*state, "p/q/r"), false, &err), 0);
    assert_int_equal(file_make_folder(at(*state, "p/q/r"), false, &err), 0);
    assert_int_equal(mode_of(at(*state, "p/q")) & 0777, 0700);
    assert_int_equal(file_make_folder(at(*state, "s//t"), true, &err), 0);
    assert_int_equal(mode_of(at(*state, "s/t")) & 0777, 0755);
    put(at(*state, "file"), "");
    assert_int_equal(file_make_folder(at(*state, "file/x"), true, &err), ERR_SYSTEM);
    umask(mask);
}

ON_GROUND(folders_inside_are_not_made_through_links)
{
    const struct ground *ground = *state;
    struct err err = { 0 };

    make_folder(at(ground, "outside"));
    put_link(at(ground, "work/way"), "../outside");
    assert_int_equal(file_make_folder_in(ground->work, "a/b", &err), 0);
    assert_true(S_ISDIR(mode_of(at(ground, "work/a/b"))));
    assert_int_equal(file_make_folder_in(ground->work, "way/b", &err), ERR_FORMAT);
    assert_int_equal(file_make_folder_in(ground->work, "../b", &err), ERR_FORMAT);
    assert_int_equal(count_in(at(ground, "outside")), 0);
}

ON_GROUND(rename_moves_and_exists_sees_links)
{
    struct err err = { 0 };

    put(at(*state, "one/a"), "x");
    make_folder(at(*state, "two"));
    assert_int_equal(file_rename(at(*state, "one/a"), at(*state, "two/b"), &err), 0);
    expect_content(at(*state, "two/b"), "x");
    assert_false(file_exists(at(*state, "one/a")));
    put_link(at(*state, "dangling"), "nowhere");
    assert_true(file_exists(at(*state, "dangling")));
    assert_int_equal(file_rename(at(*state, "none"), at(*state, "two/c"), &err), ERR_SYSTEM);
    assert_int_equal(file_rename_in(at(*state, "two"), "b", "c", &err), 0);
    expect_content(at(*state, "two/c"), "x");
    put_link(at(*state, "work/away"), at(*state, "two"));
    assert_int_equal(file_rename_in(at(*state, "work"), "away/c", "d", &err), ERR_FORMAT);
    expect_content(at(*state, "two/c"), "x");
    assert_int_equal(file_rename_in(at(*state, "two"), "b", "d", &err), ERR_MISSING);
}

/* ---- time and chance ---- */

ON_GROUND(steady_time_does_not_go_back)
{
    uint64_t first = now_steady_ms();

    for (int i = 0; i < 1000; i++) {
        uint64_t next = now_steady_ms();
        assert_true(next >= first);
        first = next;
    }
    assert_true(now_wall_ms() > UINT64_C(1500000000000));
}

ON_GROUND(random_words_are_readable_and_differ)
{
    char one[33], two[33], none[1] = { 'x' };

    random_word(one, 32);
    random_word(two, 32);
    assert_int_equal(strlen(one), 32);
    assert_int_equal(strspn(one, "0123456789abcdefghjkmnpqrstvwxyz"), 32);
    assert_string_not_equal(one, two);
    random_word(none, 0);
    assert_int_equal(none[0], '\0');
}

/* Another process of the run left a mark a second ago, by a clock that was two days behind. */
/* ---- what the user named ---- */

ON_GROUND(below_the_workspace_a_named_place_follows_no_link)
{
    const char *top = ((struct ground *)*state)->work;
    struct arena arena = { 0 };
    struct file_place place;
    struct err err = { 0 };

    assert_int_equal(mkdir(at(*state, "work/kept"), 0700), 0);
    put(at(*state, "work/kept/file"), "old");
    assert_int_equal(symlink("kept/file", at(*state, "work/link")), 0);
    assert_int_equal(symlink("kept", at(*state, "work/folder")), 0);
    file_place_find(top, at(*state, "work/link"), &arena, &place);
    assert_true(place.inside && !place.taken);
    assert_string_equal(place.path, "link");
    assert_int_not_equal(file_append_in(place.root, place.path, STR("x"), &err), 0);
    assert_int_equal(file_place_write(&place, STR("new"), &err), 0);
    file_place_find(top, at(*state, "work/folder/file"), &arena, &place);
    assert_string_equal(place.path, "folder/file");
    assert_int_not_equal(file_place_write(&place, STR("new"), &err), 0);
    assert_int_not_equal(file_append_in(place.root, place.path, STR("x"), &err), 0);
    /* The user's own links are followed. */
    file_place_find(NULL, at(*state, "work/folder/file"), &arena, &place);
    assert_false(place.inside);
    assert_non_null(strstr(place.root, "/kept"));
    assert_int_equal(file_append_in(place.root, place.path, STR("+"), &err), 0);
    assert_int_equal(symlink("/proc/self/fd/0/none", at(*state, "nowhere")), 0);
    file_place_find(top, at(*state, "nowhere"), &arena, &place);
    assert_true(place.taken && !place.inside);
    file_place_find(top, at(*state, "work/kept"), &arena, &place);
    assert_true(place.taken);
    file_place_find(top, at(*state, "work/none/file"), &arena, &place);
    assert_int_equal(file_place_write(&place, STR("new"), &err), ERR_MISSING);
    file_place_find(top, top, &arena, &place);
    assert_true(place.taken && !place.inside);
    assert_string_equal(place.path, "");
    arena_release(&arena);
}

ON_GROUND(a_shared_file_is_replaced_as_any_other)
{
    const char *top = ((struct ground *)*state)->work;
    struct err err = { 0 };

    put(at(*state, "work/secret"), "old");
    assert_int_equal(chmod(at(*state, "work/secret"), 0600), 0);
    assert_int_equal(file_write_shared(top, "secret", STR("new"), &err), 0);
    assert_int_equal(mode_of(at(*state, "work/secret")) & 07777, 0600);
    assert_int_equal(mkdir(at(*state, "work/taken"), 0700), 0);
    assert_int_not_equal(file_write_shared(top, "taken", STR("new"), &err), 0);
    assert_non_null(strstr(err.text, "/taken: it is a folder"));
    assert_int_equal(symlink("taken", at(*state, "work/link")), 0);
    assert_int_not_equal(file_write_shared(top, "link/file", STR("new"), &err), 0);
    assert_non_null(strstr(err.text, "/link/file: link is a link"));
    assert_int_equal(rmdir(at(*state, "work/taken")), 0); /* nothing was left in it */
}

TEST(the_wall_clock_goes_on_by_the_uptime_where_another_process_left_it)
{
    struct wall_mark now = now_wall_mark(), mark = now, wrong;
    uint64_t day_ms = UINT64_C(86400000);

    mark.ms -= 2 * day_ms;
    assert_true(now.boot != 0 && now.up_ms > 1000);
    mark.up_ms -= 1000;
    now_wall_go_on(&mark);
    assert_true(now_wall_ms() >= mark.ms + 1000);
    assert_true(now_wall_ms() < mark.ms + day_ms);
    wrong = now;
    wrong.boot ^= 1; /* before the machine was started again */
    now_wall_go_on(&wrong);
    wrong = now;
    wrong.up_ms += day_ms; /* of the future */
    now_wall_go_on(&wrong);
    wrong = now;
    wrong.ms = UINT64_MAX; /* of no calendar */
    now_wall_go_on(&wrong);
    now_wall_go_on(&(struct wall_mark){ .ms = now.ms }); /* nothing is known */
    assert_true(now_wall_ms() < mark.ms + day_ms);
    now_wall_go_on(&now);
    assert_true(now_wall_ms() >= now.ms);
}

TEST(the_wall_clock_begins_behind_what_was_stamped_before_and_goes_on_from_there)
{
    uint64_t now_ms = now_wall_ms(), day_ms = UINT64_C(86400000);

    now_wall_begin(now_ms - day_ms);
    assert_true(now_wall_ms() < now_ms + day_ms / 2);
    now_wall_begin(UINT64_MAX); /* of no calendar */
    assert_true(now_wall_ms() < now_ms + day_ms / 2);
    now_wall_begin(now_ms + day_ms);
    assert_true(now_wall_ms() >= now_ms + day_ms);
    assert_true(now_wall_ms() < now_ms + 2 * day_ms);
}

TEST(a_file_of_our_own_is_private_and_what_a_killed_writer_left_beside_it)
{
    static const char *const own[] = { ".agents/tmp/state.json", ".agents/tmp/phases", "top/",
                                      "/log", NULL };
    static const struct { const char *path; bool is; } rows[] = {
        { ".agents/tmp/state.json", true },
        { ".agents/tmp/.state.json.hone-tmp", true },
        { ".agents/tmp/phases/review-1/r1-x.json", true },
        { ".agents/tmp/phases/review-1/.r1-x.json.hone-tmp", true },
        { "top/a", true },
        { "log", true },
        { "log2", false },
        { "login/log", false },
        { ".agents/tmp/.other.json.hone-tmp", false },
        { ".agents/tmp/.hone-tmp", false },
        { ".state.json.hone-tmp", false },
        { ".agents/tmp/state", false },
        { ".agents/tmp/other.c", false },
        { "src/.agents/tmp/state.json", false },
        { "", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(file_is_private(own, str_of(rows[i].path)), rows[i].is);
    assert_false(file_is_private(NULL, STR("a")));
}
