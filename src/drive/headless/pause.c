/* SPDX-License-Identifier: Apache-2.0
 *
 * pause.c - keys of a person at the terminal.
 *
 *              p                                 Enter
 *   GOING ------------> HELD (drive->held) -----------------> GOING
 *                        | what is typed is a word for the      with EV_WORD
 *                        '-- agents that follow
 *
 * 1. While the run is held no attempt is launched. Those at work end, and what follows from them is
 *    asked for; it waits until the run goes on (launch.c).
 * 2. What was said is an event, journaled before the next attempt begins: a resume and a replay have
 *    it. So is a pause without a word: the time of the pause is none that the run was at work.
 * 3. A "p" counts only by itself: where another key came a moment before, a person types to another
 *    program, and none of it is taken.
 * 4. Behind Enter, what came with it is dropped: the rest of a text that was pasted.
 *
 * Not here: the terminal (io/terminal/keys.c), what it looks like (view/). */
#include "drive/headless/pause.h"

#include "drive/attempt.h"
#include "format/text/utf8.h"
#include "io/file/file.h"
#include "io/file/line.h"
#include "io/terminal/keys.h"

enum {
    ALONE_MS = 1000, KEYS_BYTES_MAX = 1024,
    KEY_BACKSPACE = 0x08, KEY_CLEAR = 0x15, KEY_ESCAPE = 0x1b, KEY_DELETE = 0x7f,
};

void pause_open(struct pause *pause, const struct report *report)
{
    pause->on = report->view && line_can_ask() && keys_open();
    pause->escape = 0;
    buf_init(&pause->word, SAID_WORD_BYTES_MAX);
}

void pause_close(struct pause *pause)
{
    if (pause->on) keys_close();
    pause->on = false;
    buf_release(&pause->word);
}

/* Attempts that have begun and not ended. */
static uint32_t count_running(const struct drive *drive)
{
    const struct live *live;
    uint32_t count = 0;

    for (uint32_t at = 0; (live = live_next(drive, &at));) {
        count += live->due_ms == 0 && !live->waits;
    }
    return count;
}

bool pause_is_idle(const struct drive *drive)
{
    return drive->held && count_running(drive) == 0;
}

void pause_show(const struct pause *pause, const struct drive *drive, struct report *report)
{
    if (!pause->on) return;
    report_pause(report, drive->held, count_running(drive), buf_str(&pause->word));
}

static void go_on(struct pause *pause, struct drive *drive)
{
    struct pending pending = { .event = { .kind = EV_WORD, .now_ms = now_wall_ms(),
                                          .late = pause_is_idle(drive) } };

    pending.event.result.doc = arena_copy(&pending.arena, str_trim(buf_str(&pause->word)));
    drive->held = false;
    buf_clear(&pause->word);
    drive_queue(drive, &pending);
}

/* The last character goes, however many bytes it has. */
static void take_back(struct buf *word)
{
    while (word->size > 0 && ((unsigned char)word->data[word->size - 1] & 0xc0) == 0x80) {
        word->size--;
    }
    if (word->size > 0) word->size--;
}

/* ESC [ ... letter: an arrow key and its like says nothing. True: the byte belongs to one. */
static bool is_escape(struct pause *pause, unsigned char byte)
{
    if (byte == KEY_ESCAPE) {
        pause->escape = 1;
    } else if (pause->escape == 1) {
        pause->escape = byte == '[' || byte == 'O' ? 2 : 0;
    } else if (pause->escape == 2) {
        if (byte >= 0x40 && byte <= 0x7e) pause->escape = 0;
    } else {
        return false;
    }
    return true;
}

/* One key of a run that is held; false: the rest of what came with it is dropped. */
static bool key_held(struct pause *pause, struct drive *drive, unsigned char byte)
{
    if (byte == '\n' || byte == '\r') {
        go_on(pause, drive);
        return false;
    }
    if (byte == KEY_BACKSPACE || byte == KEY_DELETE) take_back(&pause->word);
    else if (byte == KEY_CLEAR) buf_clear(&pause->word);
    else if (byte >= ' ') (void)buf_byte(&pause->word, (char)byte);
    return true;
}

void pause_keys(struct pause *pause, struct drive *drive, struct report *report)
{
    uint64_t now_ms = now_steady_ms();
    bool alone = now_ms - pause->typed_ms >= ALONE_MS;
    struct buf keys;

    if (!pause->on) return;
    buf_init(&keys, KEYS_BYTES_MAX);
    keys_take(&keys);
    if (keys.size > 0) pause->typed_ms = now_ms;
    for (size_t i = 0; i < keys.size; i++) {
        unsigned char byte = (unsigned char)keys.data[i];

        if (is_escape(pause, byte)) continue;
        if (drive->held && !key_held(pause, drive, byte)) break;
        if (!drive->held && byte == 'p' && keys.size == 1 && alone) drive->held = true;
    }
    if (keys.size > 0) pause_show(pause, drive, report);
    buf_release(&keys);
}
