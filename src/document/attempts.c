/* SPDX-License-Identifier: Apache-2.0
 *
 * attempts.c - the attempts of a run, and everything that was kept of one of them, as documents.
 *
 * Files are read without following links: an agent could have put one there. The evidence is what
 * the agent's own stream of events says it did: tools, commands, files, time, tokens, money. */
#include "document/document.h"

#include "io/file/scratch.h"
#include "run/cast.h"
#include "run/evidence.h"
#include "run/place.h"

enum { PART_BYTES_MAX = 16 << 20 };

const char *const attempt_parts[] = { "prompt", "answer", "said", "report", "stdout", "stderr",
                                      "evidence", "status", "withheld", NULL };

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
    if (rc == ERR_LIMIT) *problem = "cut: it is larger than 16 MiB";
    else if (rc != 0) *problem = "cannot be read";
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

void document_attempts(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *attempts;

    look_describe(doc, root, &status->look->run, status->look->alive);
    attempts = yyjson_mut_obj_add_arr(doc, root, "attempts");
    for (uint32_t i = 0; i < status->history->count; i++) {
        entry_json(&status->history->entries[i], &status->replay->plan, doc,
                   yyjson_mut_arr_add_obj(doc, attempts));
    }
}

void document_attempt(const struct status *status, const struct entry *entry, yyjson_mut_doc *doc,
                      yyjson_mut_val *root)
{
    struct arena arena = { 0 };
    yyjson_mut_val *files;
    const char *problem;
    struct buf content;
    struct kept kept;

    kept_find(status, entry, &arena, &kept);
    buf_init(&content, PART_BYTES_MAX);
    json_add(doc, root, "run", status->look->run.id);
    entry_json(entry, &status->replay->plan, doc, root);
    evidence_json(&kept, doc, root);
    json_add(doc, root, "folder", kept.folder);
    files = yyjson_mut_obj_add_obj(doc, root, "files");
    for (uint32_t i = 0; attempt_parts[i]; i++) {
        yyjson_mut_val *file;

        if (!kept_part(&kept, attempt_parts[i], &content, &problem)) continue;
        file = yyjson_mut_obj_add_obj(doc, files, attempt_parts[i]);
        yyjson_mut_obj_add_val(doc, file, "content", json_text(doc, buf_str(&content)));
        if (problem) json_add(doc, file, "problem", problem);
    }
    buf_release(&content);
    arena_release(&arena);
}
