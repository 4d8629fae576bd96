/* SPDX-License-Identifier: Apache-2.0
 *
 * limits.c - the limits of an attempt that its stream must be read for: start and first answer.
 *
 *    started ----> its stream begins ----> its model answers ----> works, speaks, ends
 *        '-- limits.start --'                      |
 *        '------------- limits.first --------------'
 *
 * The supervisor sees bytes and keeps the limits of time, silence and size. Whether a program has
 * begun, and whether its model has answered, only its stream tells. So the driver looks at the
 * beginning of the transcript, once when each of the two limits is reached and never in between:
 * an attempt that is at work costs two looks.
 *
 * 1. Only backends with a stream have these limits. The silence of any other program is normal.
 * 2. An attempt is looked at in its own time: the clock that never jumps.
 * 3. Once its model has answered it is not looked at again.
 * 4. The machine where it plays looks: a worker sees the whole stream, and its result has what the
 *    agent wrote to stderr (worker/play.c). A driver sees pieces of the stream, and late. */
#include "drive/attempt.h"
#include "drive/process.h"

#include "run/place.h"

enum { PROGRESS_EVERY_MS = 500, PROGRESS_LINE_MS = 10000 };

static uint64_t elapsed_ms(const struct live *live)
{
    uint64_t now_ms = now_steady_ms();

    return now_ms > live->begun_ms ? now_ms - live->begun_ms : 0;
}

uint64_t stream_look_ms(const struct run_settings *settings, enum agent_progress progress,
                        uint64_t passed_ms)
{
    const uint64_t limits[] = { settings->start_ms_max, settings->first_ms_max };
    uint64_t next_ms = 0;

    if (progress == AGENT_ANSWERED) return 0;
    for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (limits[i] <= passed_ms || limits[i] > UINT64_MAX / 2) continue;
        if (next_ms == 0 || limits[i] < next_ms) next_ms = limits[i];
    }
    return next_ms;
}

enum ended_by stream_limit(const struct run_settings *settings, enum agent_progress progress,
                           uint64_t passed_ms)
{
    uint64_t start_ms = settings->start_ms_max, first_ms = settings->first_ms_max;

    if (progress == AGENT_SILENT && start_ms && passed_ms >= start_ms) return ENDED_SILENT;
    if (progress != AGENT_ANSWERED && first_ms && passed_ms >= first_ms) return ENDED_FIRST;
    return ENDED_EXIT;
}

static void look_later(const struct drive *drive, struct live *live, enum agent_progress progress,
                       uint64_t elapsed)
{
    uint64_t next_ms = stream_look_ms(&drive->run.settings, progress, elapsed);

    live->look_ms = next_ms ? live->begun_ms + next_ms : 0;
}

void limits_begin(const struct drive *drive, struct live *live)
{
    if (is_builtin(&drive->run, &live->action)) return;
    if (!agent_of(&drive->run, &live->action)->backend->stream) return;
    live->begun_ms = now_steady_ms();
    look_later(drive, live, AGENT_SILENT, 0);
}

int64_t limits_due_in(const struct drive *drive)
{
    uint64_t now_ms = now_steady_ms(), soonest = UINT64_MAX;
    const struct live *live;

    for (uint32_t at = 0; (live = live_next(drive, &at));) {
        if (live->look_ms != 0 && live->look_ms < soonest) soonest = live->look_ms;
    }
    if (soonest == UINT64_MAX) return -1;
    return soonest > now_ms ? (int64_t)(soonest - now_ms) : 0;
}

static int look_at_stream(struct drive *drive, struct live *live)
{
    enum agent_progress progress = agent_look(agent_of(&drive->run, &live->action), live->dir);
    uint64_t elapsed = elapsed_ms(live);
    enum ended_by by = stream_limit(&drive->run.settings, progress, elapsed);

    live->look_ms = 0;
    if (live->held) return 0;
    if (by != ENDED_EXIT) {
        return supervisor_limit(&drive->supervisor, live_id(&live->action), by, &drive->err);
    }
    look_later(drive, live, progress, elapsed);
    return 0;
}

/* How far agents are: looked at now and then, told where it changed. */
void limits_progress(struct drive *drive)
{
    uint64_t now_ms = now_steady_ms();
    struct live *live;

    if (now_ms < drive->progress_ms) return;
    drive->progress_ms = now_ms + PROGRESS_EVERY_MS;
    for (uint32_t at = 0; (live = live_next(drive, &at));) {
        struct progress progress;
        bool often = live->progress.count > 0 && now_ms - live->progress_ms < PROGRESS_LINE_MS;

        if (live->due_ms || live->over || !live->dir) continue;
        if (!progress_said(live->dir, &progress)) continue;
        if (progress_eq(&progress, &live->progress)) continue;
        live->progress = progress;
        if (!often) live->progress_ms = now_ms;
        drive_tell(drive, &(struct news){ .kind = NEWS_PROGRESS, .action = &live->action,
                                          .progress = &progress, .often = often });
    }
}

int64_t limits_progress_in(const struct drive *drive)
{
    uint64_t now_ms = now_steady_ms();
    uint32_t at = 0;

    if (!live_next(drive, &at)) return -1;
    return drive->progress_ms > now_ms ? (int64_t)(drive->progress_ms - now_ms) : 0;
}

void limits_look(struct drive *drive)
{
    struct live *live;

    for (uint32_t at = 0; !drive->broken && (live = live_next(drive, &at));) {
        if (live->look_ms == 0 || live->look_ms > now_steady_ms()) continue;
        if (look_at_stream(drive, live) != 0) drive_break(drive);
    }
}
