/* SPDX-License-Identifier: Apache-2.0
 *
 * notice.c - the facts of a notification.
 *
 * Names that come from outside are the workspace's path alone. In JSON it is escaped, in a variable
 * it is one line, on a desktop it is harmless and free of markup. */
#include "format/observe/notice.h"

#include "base/path.h"
#include "format/json/json.h"
#include "format/text/safe.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_BYTES_MAX = 120, TEXT_BYTES_MAX = 4096 };

void notice_json(const struct run_notice *notice, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *findings;

    json_add(doc, root, "event", notice->event);
    json_add(doc, root, "run", notice->run);
    json_add_some(doc, root, "uuid", str_of(notice->uuid));
    json_add(doc, root, "dialect", notice->dialect);
    json_add_text(doc, root, "workspace", str_of(notice->workspace));
    json_add(doc, root, "reason", notice->reason);
    json_add(doc, root, "summary", notice->line);
    json_add_some(doc, root, "next", str_of(notice->next));
    yyjson_mut_obj_add_int(doc, root, "exit_code", notice->exit_code);
    yyjson_mut_obj_add_uint(doc, root, "rounds", notice->rounds);
    findings = yyjson_mut_obj_add_obj(doc, root, "findings");
    yyjson_mut_obj_add_uint(doc, findings, "found", notice->found);
    yyjson_mut_obj_add_uint(doc, findings, "fixed", notice->fixed);
    yyjson_mut_obj_add_uint(doc, findings, "open", notice->open);
    yyjson_mut_obj_add_real(doc, root, "cost_usd", (double)notice->cost_micros / 1e6);
    yyjson_mut_obj_add_uint(doc, root, "tokens_in", notice->tokens_in);
    yyjson_mut_obj_add_uint(doc, root, "tokens_out", notice->tokens_out);
    yyjson_mut_obj_add_real(doc, root, "active_seconds", (double)notice->active_ms / 1e3);
    json_add_time(doc, root, "time", notice->now_ms);
    json_add(doc, root, "hone", notice->version);
    json_finish(doc, false, out);
    buf_byte(out, '\n');
}

static const char *variable(const char *name, const char *value, struct arena *arena)
{
    const char *pair = arena_printf(arena, "%s=%s", name, value ? value : "");
    char *line = arena_alloc(arena, strlen(pair) + 1);

    for (size_t i = 0; pair[i]; i++) line[i] = (unsigned char)pair[i] < ' ' ? ' ' : pair[i];
    return line;
}

const char *const *notice_env(const struct run_notice *notice, struct arena *arena)
{
    const char *const pairs[] = {
        variable("HONE_EVENT", notice->event, arena),
        variable("HONE_RUN", notice->run, arena),
        variable("HONE_DIALECT", notice->dialect, arena),
        variable("HONE_WORKSPACE", notice->workspace, arena),
        variable("HONE_REASON", notice->reason, arena),
        variable("HONE_SUMMARY", notice->line, arena),
        variable("HONE_EXIT_CODE", arena_printf(arena, "%d", notice->exit_code), arena),
        NULL,
    };
    const char **env = arena_alloc(arena, sizeof pairs);

    memcpy(env, pairs, sizeof pairs);
    return env;
}

const char *notice_title(const struct run_notice *notice, struct arena *arena)
{
    const char *verb = strcmp(notice->event, "waiting") == 0  ? "waits for you"
                       : strcmp(notice->event, "failed") == 0 ? "failed"
                                                              : notice->reason;

    return arena_printf(arena, "hone: %s %s", notice->dialect, verb);
}

const char *notice_text(const struct run_notice *notice, struct arena *arena)
{
    const char *name = safe_copy(arena, str_of(path_leaf_text(notice->workspace)), NAME_BYTES_MAX);
    struct buf out;

    buf_init(&out, TEXT_BYTES_MAX);
    for (; *name; name++) { /* a desktop reads <b> and &amp; */
        if (*name == '<') buf_text(&out, "&lt;");
        else if (*name == '>') buf_text(&out, "&gt;");
        else if (*name == '&') buf_text(&out, "&amp;");
        else buf_byte(&out, *name);
    }
    buf_printf(&out, ", run %s: %s; %" PRIu32 " found, %" PRIu32 " fixed, %" PRIu32 " left",
               notice->run, notice->line, notice->found, notice->fixed, notice->open);
    return arena_take_cstr(arena, &out);
}
