/* SPDX-License-Identifier: Apache-2.0
 *
 * deed.c - what changes a run is done by the verb for it, with its own checks.
 *
 *     begin --ended--> its last line is shown
 *       '--goes on for GOES_ON_MS--> "goes on": a run that was resumed; it is left alone
 *
 * 1. The verb has a session of its own: it gets no key, no signal and no end of ours.
 * 2. One at a time: a second is refused until the first has ended or was left.
 * 3. What it says is from agents, too: it is shown as any text is. */
#include "top/deed.h"

#include "base/err.h"
#include "io/file/file.h"
#include "io/process/program.h"

#include <stdio.h>
#include <string.h>

enum { GOES_ON_MS = 3000, STOP_MS = 40 * 1000, WORDS_MAX = 8 };

static const char *const verbs_of[] = { [TOP_STOP] = "stop", [TOP_RESUME] = "resume",
                                        [TOP_ANSWER] = "answer" };

static void say(struct top_state *state, bool bad, const char *text)
{
    snprintf(state->said, sizeof state->said, "%.190s", text);
    state->said_bad = bad;
}

void deed_begin(struct deed *deed, struct top_state *state, const struct top_model *model,
                const char *folder)
{
    const char *words[WORDS_MAX] = { program_self(), verbs_of[state->act], state->run };
    struct background_program program = { .argv = words, .cwd = folder };
    struct err err;

    if (deed->at_work) {
        say(state, true, "wait: what was asked for before is not done yet");
        return;
    }
    if (state->act == TOP_ANSWER) {
        if (state->choice >= model->detail.choice_count) return;
        words[3] = model->detail.choices[state->choice].word;
    }
    if (!folder || background_start(&deed->process, &program, &err) != 0) {
        say(state, true, folder ? err.text : "its repository is gone");
        return;
    }
    deed->at_work = true;
    deed->act = state->act;
    deed->since_ms = now_steady_ms();
    snprintf(deed->run, sizeof deed->run, "%s", state->run);
}

static void say_end(const struct deed *deed, struct top_state *state, int status)
{
    struct str line = str_last_line(buf_str(status == 0 ? &deed->process.out : &deed->process.err));
    char text[TOP_WORD_BYTES_MAX];

    if (line.size == 0) line = str_last_line(buf_str(&deed->process.err));
    if (line.size == 0) line = str_last_line(buf_str(&deed->process.out));
    snprintf(text, sizeof text, "%s %s: ", verbs_of[deed->act], deed->run);
    line = str_head(line, sizeof text - strlen(text) - 1);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%.*s", STR_ARG(line));
    say(state, status != 0, text);
}

bool deed_step(struct deed *deed, struct top_state *state)
{
    uint64_t wait_ms = deed->act == TOP_STOP ? STOP_MS : GOES_ON_MS;
    char text[TOP_WORD_BYTES_MAX];
    int status = 0;

    if (!deed->at_work) return false;
    if (background_look(&deed->process, &status)) {
        say_end(deed, state, status);
    } else if (now_steady_ms() - deed->since_ms < wait_ms) {
        return false;
    } else {
        snprintf(text, sizeof text, "%s %s: it goes on", verbs_of[deed->act], deed->run);
        say(state, false, text);
    }
    deed_leave(deed);
    return true;
}

void deed_leave(struct deed *deed)
{
    if (deed->at_work) background_leave(&deed->process);
    *deed = (struct deed){ 0 };
}
