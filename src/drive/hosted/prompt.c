/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt.c - what the user says to the host: a run begins, goes on, is answered, is stopped.
 *
 *   /hone:review TASK      no run at work: a new one
 *   /hone:review           a run that is at work, was stopped or lost its host goes on, also in
 *                          another session; else a new one, where the dialect needs no task
 *   /hone:session accept   the answer, where the run has asked
 *   /hone:loop NAME TASK   the same with a loop of one's own; without a name the run of one goes
 *                          on, or is answered
 *   /hone:stop             the run is stopped, and can be continued
 *
 * At a prompt that is no such command, or that a sub-agent was given, hone stays silent. */
#include "drive/hosted/parts.h"

#include "drive/ask.h"
#include "settings/loop_file.h"

#include <string.h>

/* Instructions, or where the run stands. */
static void say_where(struct hosted *hosted)
{
    struct buf text;

    buf_init(&text, 1 << 20);
    if (hosted->drive.run.engine.state != ENGINE_ENDED) {
        hosted_instruct(hosted, &text);
    } else {
        buf_text(&text, "[hone] ");
        hosted_standing(hosted, &text);
    }
    hosted_say(hosted, buf_str(&text));
    buf_release(&text);
}

static void say_next(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;

    hosted_perform(hosted, true);
    if (drive->run.engine.state != ENGINE_ENDED && !drive->broken) {
        (void)hosted_give(hosted);
        hosted_perform(hosted, true);
        if (!drive->broken) (void)hosted_give(hosted);
    }
    hosted->notes.blocks = 0;
    hosted->notes.told = drive->run.engine.state == ENGINE_ENDED;
    hosted_note_told(hosted);
    if (hosted_leave(hosted) == 0) say_where(hosted);
}

static void resume(struct hosted *hosted)
{
    if (hosted_open(hosted) != 0) return;
    hosted_take_left(hosted);
    hosted_perform(hosted, false);
    if (hosted->inherited && drive_record(&hosted->drive) != 0) { /* the file says whose it is */
        hosted->err = hosted->drive.err;
        return;
    }
    if (hosted->drive.run.engine.state == ENGINE_ENDED &&
        engine_can_resume(&hosted->drive.run.engine)) {
        if (waivers_take(&hosted->drive) != 0) {
            hosted->err = hosted->drive.err;
            return;
        }
        hosted->drive.finished = false;
        drive_push(&hosted->drive, (struct event){ .kind = EV_RESUME, .now_ms = now_wall_ms() });
    }
    say_next(hosted);
}

static void answer(struct hosted *hosted, struct str word)
{
    enum choice choice;

    if (!choice_parse(word, &choice)) {
        if (hosted_open(hosted) == 0) say_next(hosted);
        return;
    }
    if (hosted_open(hosted) != 0) return;
    hosted->drive.finished = false;
    if (ask_answer(&hosted->drive, choice) != 0) {
        hosted->err = hosted->drive.err;
        return;
    }
    say_next(hosted);
}

static void stop(struct hosted *hosted)
{
    struct hosted_page page;

    if (!hosted->bound || hosted->notes.state == HOST_OVER) {
        hosted_say(hosted, str_of(hosted_text_no_run));
        return;
    }
    if (hosted->notes.state == HOST_RUNNING && hosted_open(hosted) == 0) {
        drive_push(&hosted->drive, (struct event){ .kind = EV_STOP, .now_ms = now_wall_ms() });
        hosted_perform(hosted, false);
        if (hosted_leave(hosted) != 0) return;
    }
    page = hosted_page(hosted);
    hosted_say(hosted, hosted_words(hosted_page_stopped, &page, &hosted->arena));
}

static void want_new(struct hosted *hosted, const struct dialect *dialect, struct str words)
{
    const struct repo *repo = &hosted->drive.run.repo;
    struct host_search search = { .workspace = repo->workspace };
    struct hosted_page page = hosted_page(hosted);
    const char *other = NULL;

    search.but_session = arena_cstr(&hosted->arena, hosted->in->session_id);
    if (hosted->found) other = host_run_at_work(repo->hone_dir, &search, &hosted->arena);
    if (!other && hosted_is_foreign(hosted, dialect)) other = "of another tool";
    if (other) {
        page.other = slot_text(str_of(other), SHOWN_BYTES_MAX);
        hosted_say(hosted, hosted_words(hosted_page_busy_there, &page, &hosted->arena));
        return;
    }
    hosted->reply->start = dialect;
    hosted->reply->start_words = words;
}

static void command(struct hosted *hosted, const struct dialect *dialect, struct str words)
{
    const struct host_notes *notes = &hosted->notes;
    struct hosted_page page;
    enum choice choice;
    bool same;

    if (!hosted->bound && (words.size == 0 || choice_parse(words, &choice))) {
        hosted_inherit(hosted, dialect);
        if (!hosted->bound && words.size == 0 && hosted_adopt(hosted)) {
            say_next(hosted);
            return;
        }
        if (hosted->err.code != ERR_NONE) return;
    }
    page = hosted_page(hosted);
    same = hosted->bound && strcmp(notes->dialect, dialect->name) == 0;
    if (choice_parse(words, &choice) && !(same && notes->state == HOST_WAITING)) {
        hosted_say(hosted, str_of(hosted_text_no_question));
        return;
    }
    if (!hosted->bound) {
        want_new(hosted, dialect, words);
    } else if (notes->state == HOST_RUNNING && (!same || words.size > 0)) {
        hosted_say(hosted, hosted_words(hosted_page_busy_here, &page, &hosted->arena));
    } else if (same && notes->state == HOST_WAITING) {
        answer(hosted, words);
    } else if (same && notes->state != HOST_OVER && words.size == 0) {
        resume(hosted);
    } else {
        want_new(hosted, dialect, words);
    }
}

/* The loop of one's own that is at work in this session. */
static const struct dialect *loop_at_work(struct hosted *hosted, struct str words)
{
    struct dialect *dialect;
    enum choice choice;

    if (!hosted->bound || dialect_find(str_of(hosted->notes.dialect))) return NULL;
    if (words.size > 0 && !choice_parse(words, &choice)) return NULL;
    dialect = arena_alloc(&hosted->reply->arena, sizeof *dialect);
    *dialect = (struct dialect){ .name = hosted->notes.dialect };
    return dialect;
}

/* The words begin with its name. */
static void loop_command(struct hosted *hosted, struct str words)
{
    const struct dialect *dialect = loop_at_work(hosted, words);
    struct arena *arena = &hosted->reply->arena;
    struct config_text files[LOOP_FILES];
    struct loop_query query = { .cwd = arena_cstr(arena, hosted->in->cwd),
                                .repo = hosted->found ? &hosted->drive.run.repo : NULL };
    struct loop_source source;
    struct str name = { "", 0 };
    struct err err;

    if (!dialect) {
        size_t size = 0;

        while (size < words.size && !strchr(" \t\r\n", words.data[size])) size++;
        name = (struct str){ words.data, size };
        words = str_trim(str_skip(words, size));
        query.word = arena_cstr(arena, name);
        if (loop_find(&query, arena, &source, &err) != 0) {
            hosted_refuse(hosted->in, &err, hosted->reply);
            return;
        }
        loop_keep(&source, files);
        dialect = dialect_of(source.name, &(struct settings){ .files = files,
                                                              .file_count = LOOP_FILES }, arena);
    }
    if (dialect && dialect->lanes) {
        err_set(&err, ERR_USAGE, "%s has lanes, a work tree for each task, and a host's agents all "
                "work in one: 'hone run %s' in a terminal plays it", dialect->name, query.word);
        hosted_refuse(hosted->in, &err, hosted->reply);
    } else if (dialect) {
        command(hosted, dialect, words);
    }
}

void hosted_prompted(struct hosted *hosted)
{
    const struct dialect *dialect;
    struct hook_command given;
    bool loop;

    if (hosted->in->agent_id.size > 0 || !hook_command_read(&given, hosted->in->prompt)) return;
    if (!dialect_knows_plugin(given.plugin)) return;
    dialect = dialect_find(given.verb);
    loop = str_is(given.verb, "loop");
    if (!dialect && !loop && !str_is(given.verb, "stop")) return;
    if (dialect && dialect->lanes) return; /* hone run does it */
    if (hosted_look(hosted) != 0) return;
    if (loop) loop_command(hosted, given.rest);
    else if (dialect) command(hosted, dialect, given.rest);
    else stop(hosted);
}

void hosted_session_started(struct hosted *hosted)
{
    struct str source = hosted->in->source;
    bool same = str_is(source, "compact");

    if (!str_is(source, "resume") && !same) return;
    if (hosted_look(hosted) != 0 || !hosted->bound) return;
    if (hosted->notes.state == HOST_OVER || hosted_open(hosted) != 0) return;
    if (!same) host_agents_forget(&hosted->notes); /* a host's agents end with it */
    if (hosted->drive.run.engine.state != ENGINE_ENDED) (void)hosted_give(hosted);
    hosted_note_told(hosted);
    if (hosted_leave(hosted) == 0) say_where(hosted);
}

void hosted_session_ended(struct hosted *hosted)
{
    if (hosted_look(hosted) != 0 || !hosted->bound) return;
    if (hosted->notes.state != HOST_RUNNING || hosted_lock(hosted) != 0) return;
    hosted->notes.owner = 0;
    host_agents_forget(&hosted->notes);
    (void)host_notes_write(&hosted->notes, hosted->drive.run.repo.hone_dir, &hosted->err);
}
