/* SPDX-License-Identifier: Apache-2.0
 *
 * across.c - findings followed over runs (run/across.h), as a document. */
#include "document/document.h"

#include "base/clock.h"
#include "format/json/finding_json.h"

static void sighting_json(const struct across *across, yyjson_mut_doc *doc, yyjson_mut_val *object,
                          const struct sighting *seen)
{
    const struct journal_run *run = &across->runs[seen->run];
    char iso[CLOCK_ISO_BYTES];

    json_add_text(doc, object, "run", str_of(run->id));
    json_add_text(doc, object, "created", str_of(clock_iso(run->created_ms, iso)));
    json_add_text(doc, object, "id", str_of(seen->id));
    yyjson_mut_obj_add_str(doc, object, "state", finding_state_word(seen->state));
    yyjson_mut_obj_add_bool(doc, object, "open", finding_is_open(seen->state));
    yyjson_mut_obj_add_uint(doc, object, "line", seen->line);
}

void document_across(const struct across *across, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "findings");

    for (uint32_t i = 0; i < across->count; i++) {
        const struct trace *trace = &across->traces[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list), *seen;

        json_add_text(doc, object, "id", str_of(trace_last(trace)->id));
        json_add_text(doc, object, "file", trace->finding.file);
        yyjson_mut_obj_add_uint(doc, object, "line", trace->finding.line);
        yyjson_mut_obj_add_str(doc, object, "severity", severity_word(trace->finding.severity));
        json_add_text(doc, object, "text", trace->finding.text);
        json_add_text(doc, object, "first", str_of(across->runs[trace->seen[0].run].id));
        json_add_text(doc, object, "last", str_of(across->runs[trace_last(trace)->run].id));
        seen = yyjson_mut_obj_add_arr(doc, object, "seen");
        for (uint32_t k = 0; k < trace->count; k++) {
            sighting_json(across, doc, yyjson_mut_arr_add_obj(doc, seen), &trace->seen[k]);
        }
    }
    yyjson_mut_obj_add_uint(doc, root, "runs", across->run_count);
    yyjson_mut_obj_add_uint(doc, root, "left_out", across->left_out);
    yyjson_mut_obj_add_uint(doc, root, "unread", across->unread);
    yyjson_mut_obj_add_uint(doc, root, "unfollowed", across->unfollowed);
}
