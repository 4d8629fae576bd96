/* SPDX-License-Identifier: Apache-2.0
 *
 * watcher_linux.c - changes in folders, by inotify.
 *
 * A folder is watched, never a file: SQLite makes its log anew, and files are replaced by others of
 * their name. */
#include "io/file/watcher.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* What is more than this is taken the next time: who writes much does not hold us up. */
enum { PIECE_BYTES = 16 * 1024, PIECES_MAX = 16 };

void watcher_open(struct watcher *watcher)
{
    watcher->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
}

void watcher_close(struct watcher *watcher)
{
    if (watcher->fd >= 0) close(watcher->fd);
    watcher->fd = -1;
}

int watcher_add(struct watcher *watcher, const char *folder)
{
    const uint32_t what = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                          IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

    return watcher->fd < 0 ? -1 : inotify_add_watch(watcher->fd, folder, what);
}

void watcher_remove(struct watcher *watcher, int number)
{
    if (watcher->fd >= 0 && number >= 0) (void)inotify_rm_watch(watcher->fd, number);
}

bool watcher_take(struct watcher *watcher,
                  void (*visit)(void *context, const struct watch_change *change), void *context)
{
    _Alignas(struct inotify_event) char piece[PIECE_BYTES];
    const struct inotify_event *event;
    bool any = false;
    ssize_t got;

    for (int i = 0; i < PIECES_MAX && watcher->fd >= 0; i++) {
        got = read(watcher->fd, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        for (ssize_t at = 0; at < got; at += (ssize_t)(sizeof *event + event->len)) {
            struct watch_change change = { 0 };

            event = (const struct inotify_event *)(const void *)(piece + at);
            change.number = event->mask & IN_Q_OVERFLOW ? -1 : event->wd;
            change.gone = (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) != 0;
            if (event->len > 0) {
                memcpy(change.name, event->name, strnlen(event->name, WATCH_NAME_BYTES - 1));
            }
            any = true;
            visit(context, &change);
        }
    }
    return any;
}
