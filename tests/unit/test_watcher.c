/* SPDX-License-Identifier: Apache-2.0
 *
 * test_watcher.c - changes in folders are told, by folder and name; what is gone is told once. */
#include "io/file/watcher.h"

#include "ground.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct watcher watcher;
static struct {
    int number;
    bool gone, any;
    char name[WATCH_NAME_BYTES];
    unsigned count;
} last;

static void on_change(void *context, const struct watch_change *change)
{
    assert_null(context);
    last.number = change->number;
    last.gone |= change->gone;
    last.any = true;
    last.count++;
    memcpy(last.name, change->name, sizeof last.name);
}

static bool take(void)
{
    memset(&last, 0, sizeof last);
    return watcher_take(&watcher, on_change, NULL);
}

ON_GROUND(what_is_made_written_and_removed_is_told)
{
    const struct ground *ground = *state;
    int one, two;

    watcher_open(&watcher);
    assert_true(watcher.fd >= 0);
    assert_true(fcntl(watcher.fd, F_GETFD) & FD_CLOEXEC);
    put(at(ground, "one/file"), "x");
    put(at(ground, "two/file"), "x");
    one = watcher_add(&watcher, at(ground, "one"));
    two = watcher_add(&watcher, at(ground, "two"));
    assert_true(one >= 0 && two >= 0 && one != two);
    assert_int_equal(watcher_add(&watcher, at(ground, "one")), one);
    assert_false(take());
    put(at(ground, "two/file"), "more");
    assert_true(take());
    assert_int_equal(last.number, two);
    assert_string_equal(last.name, "file");
    assert_false(take());
    put(at(ground, "one/other"), "");
    assert_true(take());
    assert_int_equal(last.number, one);
    assert_string_equal(last.name, "other");
    watcher_remove(&watcher, two);
    (void)take();
    put(at(ground, "two/file"), "unseen");
    assert_false(take());
    remove_all(at(ground, "one"));
    assert_true(take());
    assert_true(last.gone);
    assert_false(take());
    watcher_close(&watcher);
    assert_int_equal(watcher.fd, -1);
}

ON_GROUND(what_cannot_be_watched_has_no_number)
{
    const struct ground *ground = *state;

    watcher_open(&watcher);
    put(at(ground, "file"), "x");
    assert_int_equal(watcher_add(&watcher, at(ground, "nowhere")), -1);
    assert_int_equal(watcher_add(&watcher, at(ground, "file")), -1);
    watcher_remove(&watcher, -1);
    watcher_close(&watcher);
    assert_int_equal(watcher_add(&watcher, ground->work), -1); /* it is not open */
    assert_false(take());
    watcher_close(&watcher);
}
