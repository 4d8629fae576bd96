/* SPDX-License-Identifier: Apache-2.0
 *
 * script.c - a run as a script that plays it again: agent/script.c has the form.
 *
 * 1. A line for each attempt that ended by itself, with all that tells it from the others. An
 *    attempt that was stopped, that had to wait for a service, or that is void because the user or
 *    another program changed the tree would not happen again: attempts are counted without it.
 * 2. Where a review was begun anew the later one counts: a script cannot tell them apart. */
#include "drive/playback/playback.h"

#include "format/json/json.h"

#include <string.h>

static bool is_same_place(const struct cue_note *a, const struct cue_note *b)
{
    return strcmp(a->role, b->role) == 0 && strcmp(a->phase, b->phase) == 0 &&
           strcmp(a->task, b->task) == 0 && a->iteration == b->iteration &&
           a->start.round == b->start.round && a->start.copy == b->start.copy;
}

/* Whether another job has the same place, and is newer. */
static bool is_replaced(const struct playback *playback, uint32_t index)
{
    const struct cue_note *note = &playback->cues[index];

    for (uint32_t i = index + 1; i < playback->cue_count; i++) {
        const struct cue_note *other = &playback->cues[i];
        if (!other->playable || other->start.job == note->start.job) continue;
        if (is_same_place(note, other)) return true;
    }
    return false;
}

static uint32_t attempt_number(const struct playback *playback, uint32_t index)
{
    uint32_t number = 1;

    for (uint32_t i = 0; i < index; i++) {
        const struct cue_note *other = &playback->cues[i];
        if (other->playable && other->start.job == playback->cues[index].start.job) number++;
    }
    return number;
}

static void add_cue(const struct cue_note *note, uint32_t attempt, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);

    json_add(doc, root, "role", note->role);
    json_add(doc, root, "phase", note->phase);
    if (note->task[0]) json_add(doc, root, "task", note->task);
    yyjson_mut_obj_add_uint(doc, root, "iteration", note->iteration);
    yyjson_mut_obj_add_uint(doc, root, "round", note->start.round);
    yyjson_mut_obj_add_uint(doc, root, "attempt", attempt);
    yyjson_mut_obj_add_uint(doc, root, "copy", note->start.copy);
    if (note->exit_status != 0) {
        yyjson_mut_obj_add_int(doc, root, "exit", note->exit_status);
    } else {
        yyjson_mut_obj_add_val(doc, root, "answer", json_text(doc, note->answer));
    }
    json_write(doc, false, out);
    buf_byte(out, '\n');
    yyjson_mut_doc_free(doc);
}

void playback_script(const struct playback *playback, struct buf *out, uint32_t *left_out)
{
    *left_out = 0;
    for (uint32_t i = 0; i < playback->cue_count; i++) {
        if (!playback->cues[i].playable) (*left_out)++;
        else if (!is_replaced(playback, i)) {
            add_cue(&playback->cues[i], attempt_number(playback, i), out);
        }
    }
}
