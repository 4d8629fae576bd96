/* SPDX-License-Identifier: Apache-2.0
 *
 * tools_read.c - tools that look at runs and change nothing.
 *
 * All of it comes from the journal, opened to read only: that works inside the sandbox of a
 * reviewer, too. Answers are parts of the documents of `hone status --json` and `hone findings
 * --json`, with a message that sums them up in a sentence.
 *
 * Not here: what to do next (tools_next.c). */
#include "serve/tools.h"

#include "prompts/serve.h"
#include "document/document.h"
#include "io/file/file.h"
#include "run/listed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    WAIT_EVERY_MS = 500,       /* between two looks at a run that is waited for */
    WAIT_SAY_MS = 10 * 1000,   /* and between two words about it */
    FINDINGS_SHOWN = 50,       /* by default */
    MESSAGE_BYTES_MAX = 1024,
};

#define RUN_ARGUMENT                                                                             \
    "\"run\":{\"type\":\"string\",\"description\":\"The run, or the beginning of its name; where " \
    "nothing is said, your own, or the newest of this workspace\"}"

/* ---- run_status ---- */

/* Whether the run is still at work and the caller wants to wait for it. */
static bool waits(struct mcp_call *call, const struct look *look)
{
    uint64_t seconds = mcp_number(call, "waitSeconds", 0);
    uint64_t passed_ms = call->now_ms - call->begun_ms;

    if (!look->alive || passed_ms >= seconds * 1000) return false;
    call->wake_ms = call->now_ms + WAIT_EVERY_MS;
    return true;
}

static void say_waiting(struct mcp_call *call, const struct look *look)
{
    char text[MESSAGE_BYTES_MAX];
    uint64_t passed_ms = call->now_ms - call->begun_ms;
    uint64_t seconds = mcp_number(call, "waitSeconds", 0);
    uint64_t every = WAIT_SAY_MS / WAIT_EVERY_MS;

    if (call->turn % every != 0) return;
    snprintf(text, sizeof text, "run %s is at work, %" PRIu64 " events", look->run.id,
             look->run.event_count);
    mcp_progress(call, passed_ms / 1000, seconds, text);
}

static enum mcp_state show_status(struct mcp_call *call, struct look *look)
{
    yyjson_mut_val *result = yyjson_mut_obj(call->doc);
    struct serve_page page = serve_page(call);
    struct run replay = { 0 };
    struct history history = { 0 };
    struct err err;
    enum mcp_state state;
    int rc;

    rc = run_load(&replay, &look->run, &err);
    if (rc == 0) rc = run_replay(&replay, look->journal, history_visit, &history, &err);
    if (rc == 0) {
        struct status status = { look, &replay, &history, now_wall_ms() };
        struct arena arena = { 0 };

        document_standing(&status, call->doc, result);
        /* Not null but absent: there are clients that know no type with a null in it. */
        if (yyjson_mut_is_null(yyjson_mut_obj_get(result, "reason"))) {
            yyjson_mut_obj_remove_key(result, "reason");
        }
        page.run = slot_text(str_of(look->run.id), SERVE_NAME_BYTES_MAX);
        page.dialect = slot_text(str_of(look->run.dialect), SERVE_NAME_BYTES_MAX);
        page.standing = slot_word(standing_text(&look->run, look->alive));
        json_add(call->doc, result, "message",
                 serve_words(serve_page_status, &page, &arena).data);
        arena_release(&arena);
        state = mcp_done(call, result);
    } else {
        page.why = slot_words(err.text);
        state = mcp_say(call, serve_page_not_shown, &page);
    }
    history_release(&history);
    run_release(&replay);
    return state;
}

static enum mcp_state run_status(struct mcp_call *call)
{
    enum mcp_state state;
    struct look look;
    struct err err;

    if (tool_look(call, &look, &err) != 0) {
        state = mcp_error(call, err.text);
    } else if (waits(call, &look)) {
        say_waiting(call, &look);
        state = MCP_LATER;
    } else {
        state = show_status(call, &look);
    }
    look_close(&look);
    return state;
}

const struct mcp_tool tool_run_status = {
    .name = "run_status",
    .title = "Status of a run",
    .description = serve_text_about_run_status,
    .input = "{\"type\":\"object\",\"properties\":{" RUN_ARGUMENT ","
             "\"waitSeconds\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":1500,"
             "\"description\":\"How long to wait for the end of a run that is at work\"}},"
             "\"additionalProperties\":false}",
    .output = "{\"type\":\"object\",\"properties\":{"
              "\"message\":{\"type\":\"string\"},\"run\":{\"type\":\"string\"},"
              "\"dialect\":{\"type\":\"string\"},\"task\":{\"type\":\"string\"},"
              "\"workspace\":{\"type\":\"string\"},\"created\":{\"type\":\"string\"},"
              "\"updated\":{\"type\":\"string\"},"
              "\"state\":{\"type\":\"string\",\"enum\":[\"running\",\"crashed\",\"ended\"]},"
              "\"reason\":{\"type\":\"string\",\"description\":\"Why it ended\"},"
              "\"events\":{\"type\":\"integer\"},\"iteration\":{\"type\":\"integer\"},"
              "\"lanes\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
              "\"files\":{\"type\":\"string\"},\"attempts\":{\"type\":\"string\"}},"
              "\"required\":[\"message\",\"run\",\"dialect\",\"state\",\"lanes\"]}",
    .reads_only = true,
    .repeatable = true,
    .call = run_status,
};

/* ---- list_findings ---- */

static int read_filter(const struct mcp_call *call, struct arena *arena,
                       struct finding_filter *out, struct err *err)
{
    yyjson_val *round = yyjson_obj_get(call->arguments, "round");
    yyjson_val *votes = yyjson_obj_get(call->arguments, "minVotes");

    return finding_filter_read(&(struct finding_filter_words){
        .state = mcp_text(call, "state"), .severity = mcp_text(call, "severity"),
        .file = mcp_text(call, "file"), .rule = mcp_text(call, "rule"),
        .role = mcp_text(call, "role"), .by = mcp_text(call, "by"),
        .cause = mcp_text(call, "cause"), .prefix = "",
        .votes = votes ? arena_printf(arena, "%.0f", yyjson_get_num(votes)) : NULL,
        .round = round ? arena_printf(arena, "%.0f", yyjson_get_num(round)) : NULL,
    }, out, err);
}

/* An unknown role is an error: an empty list would look like a clean review. */
static int check_role(const struct mcp_call *call, const struct plan *plan, const char *role,
                      struct err *err)
{
    struct serve_page page = serve_page(call);
    struct arena arena = { 0 };
    struct buf list;

    if (!role) return 0;
    buf_init(&list, MESSAGE_BYTES_MAX);
    for (uint32_t i = 1; i < plan->role_count; i++) {
        if (strcmp(role, plan->roles[i].name) == 0) {
            buf_release(&list);
            return 0;
        }
        buf_printf(&list, "%s%s", list.size ? ", " : "", plan->roles[i].name);
    }
    page.asked = slot_text(str_of(role), SERVE_SHOWN_BYTES_MAX);
    page.names_known = slot_word(buf_cstr(&list));
    err_set(err, ERR_USAGE, "%s", serve_words(serve_page_no_role, &page, &arena).data);
    arena_release(&arena);
    buf_release(&list);
    return ERR_USAGE;
}

static const char *say_findings(const struct mcp_call *call, const struct look *look,
                                const struct listing *listing, uint32_t shown, uint32_t total,
                                struct arena *arena)
{
    struct serve_page page = serve_page(call);
    const char *words;
    struct buf list;

    buf_init(&list, MESSAGE_BYTES_MAX);
    if (listing->count > 0) listing_say(listing, &list);
    page.run = slot_text(str_of(look->run.id), SERVE_NAME_BYTES_MAX);
    page.nothing = total == 0;
    page.total = slot_number(listing->count == 0 ? total : 0);
    page.listing = slot_part(&list);
    page.shown = slot_number(shown < listing->count ? shown : 0);
    page.unfinished = look_unfinished(look);
    words = serve_words(serve_page_findings, &page, arena).data;
    buf_release(&list);
    return words;
}

/* The document of `hone findings --json`, and what it comes to. The counts are of what is shown. */
static enum mcp_state put_findings(struct mcp_call *call, const struct look *look,
                                   const struct listing *listing, uint32_t total)
{
    uint32_t most = (uint32_t)mcp_number(call, "limit", FINDINGS_SHOWN);
    uint32_t all = listing->count, shown = all < most ? all : most;
    yyjson_mut_val *result = yyjson_mut_obj(call->doc);
    struct listing part = *listing;
    struct listing_counts counts;
    struct arena arena = { 0 };

    part.count = shown;
    counts = listing_count(&part);
    listing_json(&part, &counts, call->doc, result);
    yyjson_mut_obj_add_uint(call->doc, result, "fitting", all);
    json_add(call->doc, result, "message",
             say_findings(call, look, listing, shown, total, &arena));
    arena_release(&arena);
    return mcp_done(call, result);
}

static enum mcp_state show_findings(struct mcp_call *call, struct look *look,
                                    const struct finding_filter *filter)
{
    struct listed listed = { 0 };
    struct err err;
    int rc;

    rc = listed_read(look, call->mcp->setup.version, &listed, &err);
    if (rc == 0) rc = check_role(call, &listed.replay->plan, filter->role, &err);
    if (rc == 0) {
        listed_choose(&listed, filter, LISTING_BY_STATE);
        put_findings(call, look, &listed.listing, listed.total);
    } else {
        mcp_error(call, err.text);
    }
    listed_release(&listed);
    return MCP_DONE;
}

static enum mcp_state list_findings(struct mcp_call *call)
{
    struct finding_filter filter;
    struct arena arena = { 0 };
    struct look look = { 0 };
    struct err err;
    int rc;

    rc = read_filter(call, &arena, &filter, &err);
    if (rc == 0) rc = tool_look(call, &look, &err);
    if (rc == 0) show_findings(call, &look, &filter);
    else mcp_error(call, err.text);
    look_close(&look);
    arena_release(&arena);
    return MCP_DONE;
}

const struct mcp_tool tool_list_findings = {
    .name = "list_findings",
    .title = "Findings of a run",
    .description = serve_text_about_list_findings,
    .input = "{\"type\":\"object\",\"properties\":{" RUN_ARGUMENT ","
             "\"state\":{\"type\":\"string\",\"description\":\"open, or new, persisting, "
             "regressed, parked, noted, waived, fixed; several with commas between; all by "
             "default\"},"
             "\"severity\":{\"type\":\"string\",\"enum\":[\"low\",\"medium\",\"high\"],"
             "\"description\":\"Only what is at least as grave\"},"
             "\"file\":{\"type\":\"string\",\"description\":\"Only about these files: a pattern as "
             "in .gitignore\"},"
             "\"role\":{\"type\":\"string\",\"description\":\"Only what this reviewer reported\"},"
             "\"by\":{\"type\":\"string\",\"description\":\"Only what was reported on this "
             "backend, such as claude\"},"
             "\"minVotes\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Only what at "
             "least so many reported\"},"
             "\"cause\":{\"type\":\"string\",\"description\":\"change, fix, or the round whose "
             "fix brought it\"},"
             "\"rule\":{\"type\":\"string\",\"description\":\"Only by these rules: a pattern\"},"
             "\"round\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Only what was "
             "reported in this round\"},"
             "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":500,"
             "\"description\":\"How many at most; 50 by default\"}},"
             "\"additionalProperties\":false}",
    .output = "{\"type\":\"object\",\"properties\":{"
              "\"message\":{\"type\":\"string\"},\"run\":{\"type\":\"string\"},"
              "\"fitting\":{\"type\":\"integer\",\"description\":\"How many there are\"},"
              "\"findings\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
              "\"counts\":{\"type\":\"object\",\"description\":\"Of those listed\"}},"
              "\"required\":[\"message\",\"run\",\"fitting\",\"findings\",\"counts\"]}",
    .reads_only = true,
    .repeatable = true,
    .call = list_findings,
};
