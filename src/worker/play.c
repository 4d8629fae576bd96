/* SPDX-License-Identifier: Apache-2.0
 *
 * play.c - the process that plays one attempt, from its job to its result, step by step.
 *
 *   load --> place --> fill, setup --> "ready" --> go --> agent --> guard, tree --> result, "ended"
 *    |         '-- "need", base --'                 |
 *    '--> "skip WHY"                                '--> end of input: over
 *
 * A process of its own may wait for git and for disks, while the worker goes on to say its beats;
 * and what goes wrong here is one attempt's affair.
 *
 * 1. No agent and no command of the job's begins before the worker said go, but the setup command,
 *    which makes a work tree ready and may run again.
 * 2. The end of the input is the worker's end, or its wish to stop: agents are ended at once, and
 *    no result is left. Should this process be killed, its supervisor ends them. So it does when
 *    the worker, or this process, says nothing for a lease: it is stopped, or it hangs.
 * 3. The result is written last: what it names is on the disk then.
 * 4. Of the environment nothing is taken but the user's own; nothing of a carrier's is known here.
 * 5. The limits of an attempt are kept here, also those that its stream must be read for: here the
 *    stream is whole, and what the agent wrote to stderr comes along with the result.
 * 6. An agent that cannot be started has ended by that: its result says so. It is no problem of
 *    this worker's.
 *
 * Not here: lines, claims, beats (tasks.c). */
#include "worker/play.h"

#include "drive/drive.h"
#include "io/file/file.h"
#include "io/file/piece.h"
#include "io/file/scratch.h"
#include "io/process/sandbox.h"
#include "io/process/signals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEARD_BYTES_MAX = 4096, UNSENT_BYTES_MAX = 64 << 10, RESULT_BYTES_MAX = 1 << 20,
    SAY_MS = 2000, AGENT_ID = 2, WORDS_BYTES = 300,
};
#define BUNDLE_BYTES_MAX (UINT64_C(2) << 30)

/* ---- words ---- */

static void play_say(struct play *play, const char *word, const char *rest)
{
    struct err none;
    struct buf line, text;

    buf_init(&line, UNSENT_BYTES_MAX / 2);
    buf_init(&text, ERR_TEXT_BYTES);
    (void)buf_text(&text, rest);
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\n') text.data[i] = ' ';
    }
    (void)buf_printf(&line, "%s%s\n", word, buf_cstr(&text));
    (void)talk_send(&play->talk, buf_str(&line), &none);
    buf_release(&line);
    buf_release(&text);
}

/* Tells the supervisor that the worker lives. */
static void live_pass(struct play *play)
{
    static const struct str live = STR(PLAY_LIVE);
    struct str rest = buf_str(&play->heard), word;
    uint64_t silence_ms;
    struct err none;

    while (str_has(rest, '\n') && str_starts(rest, live)) {
        (void)str_cut(&rest, '\n', &word);
        if (str_number(str_skip(word, live.size), &silence_ms) && play->supervisor.fd >= 0) {
            (void)supervisor_live(&play->supervisor, silence_ms, &none);
        }
    }
    if (rest.size == play->heard.size) return;
    play->heard.size = rest.size;
    memmove(play->heard.data, rest.data, rest.size);
}

/* Until something was heard, said, or has ended, or the stream is to be looked at. */
static void play_turn(struct play *play, int fd)
{
    uint64_t now_ms = now_steady_ms();
    int64_t wait_ms = play->look_ms == 0 ? -1 : play->look_ms <= now_ms ? 0
                      : (int64_t)(play->look_ms - now_ms);
    uint32_t came;

    live_pass(play); /* one may have come with `go` */
    came = talk_wait(&play->talk, fd, wait_ms, &play->heard);
    if ((came & TALK_ENDED) || play->talk.deaf) play->over = true;
}

/* Waits for a word of the worker; NULL: it is over. */
static const char *play_hear(struct play *play)
{
    while (!play->over) {
        struct str rest = buf_str(&play->heard), word;

        if (str_has(rest, '\n')) {
            const char *copy;

            (void)str_cut(&rest, '\n', &word);
            copy = arena_cstr(&play->arena, word);
            play->heard.size = rest.size;
            memmove(play->heard.data, rest.data, rest.size);
            return copy;
        }
        play_turn(play, -1);
    }
    return NULL;
}

/* Invariant 5. */
static void stream_look(struct play *play)
{
    const struct run_settings *settings = &play->run.settings;
    uint64_t passed_ms = now_steady_ms() - play->stream_ms, next_ms;
    enum agent_progress progress;
    enum ended_by by;

    if (play->look_ms == 0 || play->stream_ms + passed_ms < play->look_ms) return;
    progress = agent_look(agent_of(&play->run, &play->job.action), play->dir);
    by = stream_limit(settings, progress, passed_ms);
    if (by != ENDED_EXIT) {
        (void)supervisor_limit(&play->supervisor, AGENT_ID, by, &play->err);
        play->look_ms = 0;
    } else {
        next_ms = stream_look_ms(settings, progress, passed_ms);
        play->look_ms = next_ms ? play->stream_ms + next_ms : 0;
    }
}

bool play_wait(struct play *play, uint64_t id, struct notice *out)
{
    while (!play->over) {
        int rc = supervisor_next(&play->supervisor, out);

        if (rc == 1 && out->id == id) return true;
        if (rc < 0) return false;
        stream_look(play);
        if (rc == 0) play_turn(play, play->supervisor.fd);
    }
    return false;
}

/* What was said is out, or the worker is gone. */
static void play_flush(struct play *play)
{
    uint64_t until_ms = now_steady_ms() + SAY_MS;

    while (play->talk.unsent.size > 0 && !play->talk.deaf && now_steady_ms() < until_ms) {
        (void)talk_wait(&play->talk, -1, 10, &play->heard);
    }
}

/* ---- the agent ---- */

static int agent_start(struct play *play, const char *const *argv)
{
    struct guarded guarded = play_guarded(play);
    struct spawn spawn;
    int rc = process_make(&guarded, &play->about, argv, &play->arena, &spawn);

    if (rc != 0) return rc;
    spawn.id = AGENT_ID;
    if (play->job.limits.output_bytes && play->job.limits.output_bytes < spawn.output_bytes_max) {
        spawn.output_bytes_max = play->job.limits.output_bytes; /* less than here, never more */
    }
    rc = supervisor_spawn(&play->supervisor, &spawn, &play->err);
    if (rc != 0 || !agent_of(&play->run, &play->job.action)->backend->stream) return rc;
    play->stream_ms = now_steady_ms();
    play->look_ms = stream_look_ms(&play->run.settings, AGENT_SILENT, 0);
    if (play->look_ms) play->look_ms += play->stream_ms;
    return 0;
}

/* Invariant 6, where a sandbox was started in place of a program that is not there. */
static void agent_missed(struct play *play)
{
    struct buf last;

    if (!play->run.sandboxed || play->notice.by != ENDED_EXIT || play->notice.value == 0) return;
    buf_init(&last, WORDS_BYTES + 1);
    scratch_last_line(play->dir, "stderr", WORDS_BYTES, &last);
    if (sandbox_lacks_program(buf_cstr(&last))) {
        play->notice = (struct notice){ .by = ENDED_START, .value = ENOENT };
    }
    buf_release(&last);
}

/* A backend that answers by itself. */
static int agent_answer(struct play *play, const struct agent *agent)
{
    struct buf answer;
    int status = 0;
    int rc;

    buf_init(&answer, ANSWER_BYTES_MAX);
    rc = process_play(agent, &play->about, play->dir, &answer, &status, &play->err);
    play->notice = (struct notice){ .by = ENDED_EXIT, .value = status };
    buf_release(&answer);
    return rc;
}

/* Until the agent has ended, and all that it started. */
static int play_agent(struct play *play)
{
    const struct agent *agent = agent_of(&play->run, &play->job.action);
    struct guarded guarded = play_guarded(play);
    const char *const *argv;
    const char *broke;
    int rc = guard_begin(&guarded);

    if (rc != 0) return rc;
    play->begun_ms = now_wall_ms();
    if (agent->backend->play) {
        rc = agent_answer(play, agent);
    } else {
        argv = agent->backend->command(agent, &play->about, &play->arena);
        rc = agent_start(play, argv);
        if (rc == 0 && !play_wait(play, AGENT_ID, &play->notice) && !play->over) {
            rc = err_set(&play->err, ERR_FAILED, "the process that watches over the agent died");
        }
        if (rc == 0) agent_missed(play);
    }
    play->ended_ms = now_wall_ms();
    supervisor_close(&play->supervisor);
    if (play->over) return 0;
    if (guard_end(&guarded, &broke) != 0) return (int)play->err.code;
    if (broke) play->guard_words = broke;
    return rc;
}

/* ---- the result ---- */

/* Contract files that hone put there are no work of the agent's. */
static void contract_remove(struct play *play)
{
    struct err none;

    for (uint32_t i = 0; i < play->job.contract_count; i++) {
        (void)file_remove_in(play->place.repo.workspace, play->job.contract[i].name.data, &none);
    }
}

static int play_tree(struct play *play)
{
    struct travel_file file = { .folder = play->folder, .name = play->job.reads ? NULL : "bundle",
                                .bytes_max = BUNDLE_BYTES_MAX };
    uint64_t bytes = 0;
    int rc;

    contract_remove(play);
    rc = travel_result(&play->place, &file, &play->made, &bytes, &play->err);
    if (rc == ERR_FAILED) {
        play->guard_words = arena_cstr(&play->arena, str_of(play->err.text));
        play->made = (struct travel_made){ .commit = "" };
        return 0;
    }
    play->bundled = rc == 0 && !play->job.reads && bytes > 0;
    return rc;
}

/* A file that the agent left becomes one of the result; false: there is none. */
static bool file_keep(struct play *play, const char *name, struct fleet_file *out)
{
    const char *path = arena_printf(&play->arena, "%s/%s", play->folder, name);
    unsigned char sum[SHA256_BYTES];
    char id[FLEET_BLOB_ID_BYTES];
    uint64_t bytes;
    struct err none;

    if (strcmp(name, "bundle") != 0 &&
        (file_sum(arena_printf(&play->arena, "%s/%s", play->dir, name), sum, &bytes, &none) != 0 ||
         file_rename(arena_printf(&play->arena, "%s/%s", play->dir, name), path, &none) != 0)) {
        return false;
    }
    if (file_sum(path, sum, &bytes, &none) != 0 || file_sync(path, &none) != 0) return false;
    *out = (struct fleet_file){ arena_copy(&play->arena, str_of(name)),
                                arena_copy(&play->arena, str_of(fleet_blob_id(sum, id))) };
    return true;
}

static void result_files(struct play *play, struct fleet_result *result)
{
    const char *const *name = fleet_result_files;

    result->files = arena_alloc(&play->arena, FLEET_FILES_MAX * sizeof *result->files);
    for (; *name; name++) {
        if (file_keep(play, *name, &result->files[result->file_count])) result->file_count++;
    }
}

static void result_tree(struct play *play, struct fleet_result_tree *out)
{
    struct fleet_file bundle;

    out->changed = strcmp(play->made.tree, play->ids.tree) != 0 ||
                   strcmp(play->made.head, play->ids.head) != 0;
    if (play->guard_words[0] && !play->made.tree[0]) out->changed = false;
    if (!out->changed) return;
    out->snapshot = str_of(play->made.commit[0] ? play->made.commit : play->ids.snapshot);
    out->tree = str_of(play->made.tree);
    out->head = str_of(play->made.head);
    if (play->job.commits) out->commit = out->head;
    if (play->bundled && file_keep(play, "bundle", &bundle)) out->bundle = bundle.id;
}

/* Invariant 3. */
static int play_write(struct play *play)
{
    const char *by = play->notice.by == ENDED_START ? FLEET_BY_START : ended_word(play->notice.by);
    struct fleet_result result = {
        .v = FLEET_V, .run = play->job.run, .nonce = play->job.nonce,
        .worker = str_of(play->settings->name), .host = str_of(play->settings->host),
        .begun_ms = play->begun_ms, .ended_ms = play->ended_ms,
        .by = str_of(by ? by : ""), .value = (uint32_t)play->notice.value,
        .workspace = str_of(play->placed ? play->place.repo.workspace : ""),
        .answer = str_of(play->dir ? arena_printf(&play->arena, "%s/answer", play->dir) : ""),
        .guard = str_of(play->guard_words), .problem = str_of(play->problem),
    };
    struct buf text;
    int rc;

    if (play->dir) result_files(play, &result);
    if (!play->problem[0]) result_tree(play, &result.tree);
    buf_init(&text, RESULT_BYTES_MAX);
    fleet_result_write(&result, &text);
    rc = file_write(play->folder, "result", buf_str(&text), &play->err);
    buf_release(&text);
    return rc;
}

/* ---- from the job to the result ---- */

static void play_trouble(struct play *play)
{
    if (!play->problem[0]) play->problem = arena_cstr(&play->arena, str_of(play->err.text));
}

/* The work tree, with its base fetched where it is not known here. */
static int play_place_with_base(struct play *play)
{
    int rc = play_place(play);
    const char *word;

    if (rc != ERR_MISSING || play->job.tree.base.size == 0) return rc;
    play_say(play, PLAY_NEED, "");
    word = play_hear(play);
    if (!word) return ERR_FAILED;
    if (strcmp(word, PLAY_BASE) != 0) {
        return err_set(&play->err, ERR_FORMAT, "the commits that the work tree stands on cannot be "
                       "had: %s", play->job.tree.base.data);
    }
    rc = play_learn(play);
    return rc == 0 ? play_place(play) : rc;
}

/* Invariant 1. False: it is over. */
static bool play_begin(struct play *play)
{
    const char *word;

    play_say(play, PLAY_READY, "");
    word = play_hear(play);
    return word && strcmp(word, PLAY_GO) == 0;
}

static int play_all(struct play *play)
{
    int rc = play_load(play);

    if (rc != 0) {
        play_say(play, play->missing ? PLAY_MISSING : PLAY_SKIP, play->err.text);
        return rc;
    }
    rc = play_place_with_base(play);
    if (rc == 0) rc = play_fill(play);
    if (play->over) return 0;
    if (rc == ERR_SYSTEM || rc == ERR_BUSY) {
        play_say(play, PLAY_SKIP, play->err.text);
        return rc;
    }
    if (rc != 0) play_trouble(play);
    if (!play_begin(play)) return 0;
    if (rc == 0) rc = play_agent(play);
    if (rc == 0 && !play->over) rc = play_tree(play);
    if (play->over) return 0;
    if (rc != 0) play_trouble(play);
    rc = play_write(play);
    if (rc == 0) play_say(play, PLAY_ENDED, "");
    return rc;
}

static int job_take(struct play *play)
{
    struct str text;
    int rc = scratch_text(play->folder, "job", FLEET_LINE_BYTES_MAX, &play->arena, &text,
                          &play->err);

    return rc == 0 ? fleet_job_read(text, &play->arena, &play->job, &play->err) : rc;
}

int worker_play(const struct worker_settings *settings, const char *folder)
{
    struct play play = { .settings = settings, .folder = folder, .guard_words = "", .problem = "",
                         .supervisor = { .fd = -1 }, .place = { .lock = { .fd = -1 } } };
    struct signals signals = { .fd = -1, .write_fd = -1 };
    int rc;

    (void)signals_open(&signals, &play.err); /* the worker's affair: it says when to end */
    buf_init(&play.heard, HEARD_BYTES_MAX);
    talk_adopt(&play.talk, UNSENT_BYTES_MAX);
    play.begun_ms = play.ended_ms = now_wall_ms();
    rc = job_take(&play);
    if (rc == 0) rc = play_all(&play);
    supervisor_close(&play.supervisor);
    if (play.placed) travel_leave(&play.place);
    if (rc != 0) worker_tell("%s", play.err.text);
    play_flush(&play);
    buf_release(&play.talk.unsent);
    refs_release(&play.memory.refs);
    run_release(&play.run);
    buf_release(&play.heard);
    arena_release(&play.arena);
    signals_close(&signals);
    return rc == 0 ? 0 : 1;
}
