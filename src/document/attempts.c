/* SPDX-License-Identifier: Apache-2.0
 *
 * attempts.c - the attempts of a run, and everything that was kept of one of them, as documents.
 *
 * Files are read without following links: an agent could have put one there. The evidence is what
 * the agent's own stream of events says it did: tools, commands, files, time, tokens, money. */
#include "document/parts.h"

#include "io/file/scratch.h"
#include "run/cast.h"
#include "run/evidence.h"
#include "run/place.h"
#include "run/teller.h"

#include <string.h>

const char *const attempt_parts[] = { "prompt", "answer", "said", "report", "stdout", "stderr",
                                      "evidence", "status", "withheld", "worker", NULL };

void kept_find(const struct status *status, const struct entry *entry, struct arena *arena,
               struct kept *out)
{
    *out = (struct kept){
        .entry = entry,
        .folder = place_attempt(&status->look->repo, status->look->run.id, entry->start.job,
                                entry->start.attempt, arena),
    };
    if (cast_find(status->replay, &entry->start, arena, &out->agent)) {
        out->stream = out->agent.backend->stream;
    }
}

bool kept_part(const struct kept *kept, const char *name, struct buf *content,
               const char **problem)
{
    struct err err;
    int rc;

    buf_clear(content);
    *problem = NULL;
    rc = scratch_read(kept->folder, name, content, &err);
    if (rc == ERR_MISSING) return false;
    if (rc == ERR_LIMIT) {
        *problem = content->limit < PART_BYTES_MAX ? "cut: there is more of it"
                                                   : "cut: it is larger than 16 MiB";
    }
    if (rc != 0 && rc != ERR_LIMIT) *problem = "cannot be read";
    return true;
}

/* ---- evidence ---- */

static void add_files(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                      const struct reading *reading, bool written)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, object, key);

    for (uint32_t i = 0; i < reading->path_count; i++) {
        if (reading->paths[i].written != written) continue;
        yyjson_mut_arr_append(list, json_text(doc, reading->paths[i].path));
    }
}

static void evidence_json(const struct kept *kept, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    struct arena arena = { 0 };
    struct reading reading;
    yyjson_mut_val *object;

    if (evidence_read(&kept->agent, kept->folder, &arena, &reading)) {
        object = yyjson_mut_obj_add_obj(doc, root, "evidence");
        yyjson_mut_obj_add_val(doc, object, "model", json_text(doc, reading.model));
        if (kept->agent.effort) json_add(doc, object, "effort", kept->agent.effort);
        yyjson_mut_obj_add_uint(doc, object, "tool_calls", reading.tool_calls);
        yyjson_mut_obj_add_uint(doc, object, "commands", reading.commands);
        yyjson_mut_obj_add_uint(doc, object, "reads", reading.reads);
        yyjson_mut_obj_add_uint(doc, object, "writes", reading.writes);
        add_files(doc, object, "files_read", &reading, false);
        add_files(doc, object, "files_written", &reading, true);
        yyjson_mut_obj_add_uint(doc, object, "turns", reading.turns);
        yyjson_mut_obj_add_uint(doc, object, "duration_ms", reading.duration_ms);
        yyjson_mut_obj_add_uint(doc, object, "tokens_in", reading.usage.tokens_in);
        yyjson_mut_obj_add_uint(doc, object, "tokens_cached", reading.tokens_cached);
        yyjson_mut_obj_add_uint(doc, object, "tokens_out", reading.usage.tokens_out);
        if (reading.cost_known) {
            yyjson_mut_obj_add_real(doc, object, "cost_usd",
                                    (double)reading.usage.cost_micros / 1e6);
        } else {
            yyjson_mut_obj_add_null(doc, object, "cost_usd");
        }
    }
    arena_release(&arena);
}

/* ---- documents ---- */

/* What entry_json() does not say. */
static void attempt_more(struct teller *teller, const struct entry *entry, yyjson_mut_doc *doc,
                         yyjson_mut_val *object)
{
    struct story_attempt attempt;
    char name[ENTRY_NAME_BYTES];

    tell_attempt(teller, entry, &attempt);
    if (entry->by[0] == '\0' && attempt.by[0]) json_add(doc, object, "agent", attempt.by);
    json_add(doc, object, "attempt_name", entry_name(entry, name));
    time_json(doc, object, "asked_ms", attempt.asked_ms);
    time_json(doc, object, "started_ms", attempt.started_ms);
    time_json(doc, object, "ended_ms", attempt.ended_ms);
    if (attempt.round_at == STORY_NONE) yyjson_mut_obj_add_null(doc, object, "round_at");
    else yyjson_mut_obj_add_uint(doc, object, "round_at", attempt.round_at);
    usage_json(&attempt.usage, doc, object);
    yyjson_mut_obj_add_bool(doc, object, "may_cost", attempt.may_cost);
    yyjson_mut_obj_add_bool(doc, object, "judges", attempt.judges);
}

void document_entries(const struct status *status, const uint32_t *which, uint32_t count,
                      yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "attempts");
    struct arena arena = { 0 };
    struct teller teller;

    teller_open(&teller, status->look, status->replay, status->history, &arena);
    for (uint32_t i = 0; i < count; i++) {
        const struct entry *entry = &status->history->entries[which[i]];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

        entry_json(entry, &status->replay->plan, doc, object);
        attempt_more(&teller, entry, doc, object);
    }
    teller_close(&teller);
    arena_release(&arena);
}

void document_attempts(const struct status *status, const struct slice *slice,
                       yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    uint32_t total = status->history->count, taken = 0;
    struct arena arena = { 0 };
    uint32_t *which = arena_alloc(&arena, (total + (size_t)1) * sizeof *which);

    look_describe(doc, root, &status->look->run, status->look->alive);
    for (uint32_t i = 0; i < total; i++) {
        if (slice_takes(slice, i)) which[taken++] = i;
    }
    document_entries(status, which, taken, doc, root);
    yyjson_mut_obj_add_uint(doc, root, "total", total);
    yyjson_mut_obj_add_uint(doc, root, "from", slice->from);
    arena_release(&arena);
}

bool attempt_part_is_asked(const char *const *parts, const char *name)
{
    if (!parts || !parts[0]) return true;
    for (; *parts; parts++) {
        if (strcmp(*parts, name) == 0) return true;
    }
    return false;
}

int attempt_parts_check(const char *const *parts, const char *prefix, struct err *err)
{
    struct buf known;

    for (; parts && *parts; parts++) {
        bool is_known = strcmp(*parts, "none") == 0;

        for (uint32_t i = 0; attempt_parts[i]; i++) {
            is_known = is_known || strcmp(*parts, attempt_parts[i]) == 0;
        }
        if (is_known) continue;
        buf_init(&known, 256);
        for (uint32_t i = 0; attempt_parts[i]; i++) buf_printf(&known, "%s, ", attempt_parts[i]);
        err_set(err, ERR_USAGE, "%spart %.60s: there are %sand none", prefix, *parts,
                buf_cstr(&known));
        buf_release(&known);
        return ERR_USAGE;
    }
    return 0;
}

void document_attempt(const struct status *status, const struct entry *entry,
                      const char *const *parts, size_t bytes_max, yyjson_mut_doc *doc,
                      yyjson_mut_val *root)
{
    struct arena arena = { 0 };
    struct teller teller;
    yyjson_mut_val *files;
    const char *problem;
    struct buf content;
    struct kept kept;

    kept_find(status, entry, &arena, &kept);
    buf_init(&content, bytes_max);
    json_add(doc, root, "run", status->look->run.id);
    entry_json(entry, &status->replay->plan, doc, root);
    evidence_json(&kept, doc, root);
    json_add(doc, root, "folder", kept.folder);
    files = yyjson_mut_obj_add_obj(doc, root, "files");
    for (uint32_t i = 0; attempt_parts[i]; i++) {
        yyjson_mut_val *file;

        if (!attempt_part_is_asked(parts, attempt_parts[i])) continue;
        if (!kept_part(&kept, attempt_parts[i], &content, &problem)) continue;
        file = yyjson_mut_obj_add_obj(doc, files, attempt_parts[i]);
        yyjson_mut_obj_add_val(doc, file, "content", json_text(doc, buf_str(&content)));
        if (problem) json_add(doc, file, "problem", problem);
        yyjson_mut_obj_add_bool(doc, file, "cut", problem != NULL);
    }
    teller_open(&teller, status->look, status->replay, status->history, &arena);
    attempt_more(&teller, entry, doc, root);
    teller_close(&teller);
    buf_release(&content);
    arena_release(&arena);
}

const struct entry *attempt_find(const struct status *status, const char *word, struct err *err)
{
    const char *run = status->look->run.id;
    const struct entry *entry;
    struct str rest = str_of(word), piece;
    uint64_t job, attempt = 0;

    if (!str_cut(&rest, '-', &piece) || !str_number(piece, &job) || job > UINT32_MAX ||
        (rest.size > 0 && !str_number(rest, &attempt)) || attempt > UINT32_MAX) {
        err_set(err, ERR_USAGE, "'%.60s' is not an attempt: write JOB or JOB-ATTEMPT, such as 3 "
                "or 3-1", word);
        return NULL;
    }
    entry = history_find(status->history, (uint32_t)job, (uint32_t)attempt);
    if (!entry) {
        err_set(err, ERR_MISSING, "run %s has no attempt %.60s; 'hone show %s' lists them", run,
                word, run);
    }
    return entry;
}
