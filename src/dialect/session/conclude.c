/* SPDX-License-Identifier: Apache-2.0
 *
 * conclude.c - what a person wants to read when a session has ended: what was asked,
 * planned, changed, found, fixed and left, how long it took and what it cost.
 *
 * 1. Everything an agent or a file said goes through safe_text().
 * 2. An issue is left when the newest review of its phase reports it; fixed when that review does
 *    not. Issues are told apart by their fingerprints. */
#include "dialect/session/session.h"

#include "base/clock.h"
#include "dialect/session/file.h"
#include "format/text/safe.h"

#include <inttypes.h>

enum { LINE_BYTES_MAX = 200, FILES_SHOWN = 8, ISSUES_SHOWN = 8, LABEL_COLUMNS = 10 };

struct tally_of_issues {
    uint32_t found, critical, fixed, left;
};

static void write_label(struct buf *out, const char *label)
{
    buf_printf(out, "%-*s", LABEL_COLUMNS, label);
}

static void write_line(struct buf *out, const char *label, struct str text)
{
    if (text.size == 0) return;
    write_label(out, label);
    safe_text(out, text, true, LINE_BYTES_MAX);
    buf_byte(out, '\n');
}

/* ---- issues ---- */

static void write_left(const struct finding *issue, struct buf *out)
{
    buf_printf(out, "%*s%s ", LABEL_COLUMNS, "",
               issue->severity == SEVERITY_HIGH ? "[CRITICAL]" : "[MINOR]");
    safe_text(out, issue->text, true, LINE_BYTES_MAX);
    if (issue->file.size) {
        buf_text(out, " (");
        safe_text(out, issue->file, true, LINE_BYTES_MAX);
        if (issue->line) buf_printf(out, ":%" PRIu32, issue->line);
        buf_byte(out, ')');
    }
    buf_byte(out, '\n');
}

/* Each issue once, where it was reported last. */
static void count_turn(const struct session_story *story, uint32_t at,
                       struct tally_of_issues *tally, struct buf *left)
{
    const struct session_turn *turn = &story->turns[at];

    for (uint32_t i = 0; i < turn->count; i++) {
        if (!session_step_is_review(&turn->steps[i])) continue;
        for (uint32_t k = 0; k < turn->steps[i].doc.issue_count; k++) {
            const struct finding *issue = &turn->steps[i].doc.issues[k];
            struct session_fate fate = session_issue_fate(story, at, issue->fingerprint);

            if (fate.comes_back) continue;
            tally->found++;
            tally->critical += issue->severity == SEVERITY_HIGH;
            if (fate.later) {
                tally->fixed++;
            } else if (tally->left++ < ISSUES_SHOWN) {
                write_left(issue, left);
            }
        }
    }
}

static void write_issues(const struct session_story *story, struct buf *out)
{
    struct tally_of_issues tally = { 0 };
    struct buf left;

    buf_init(&left, 1 << 20);
    for (uint32_t i = 0; i < story->count; i++) count_turn(story, i, &tally, &left);
    write_label(out, "found");
    if (tally.found == 0) {
        buf_text(out, "nothing\n");
    } else {
        buf_printf(out, "%" PRIu32 " issue%s, %" PRIu32 " of them critical; %" PRIu32 " fixed\n",
                   tally.found, tally.found == 1 ? "" : "s", tally.critical, tally.fixed);
    }
    if (tally.left) {
        write_label(out, "left");
        buf_printf(out, "%" PRIu32 "\n", tally.left);
        buf_add(out, buf_str(&left));
        if (tally.left > ISSUES_SHOWN) {
            buf_printf(out, "%*sand %" PRIu32 " more\n", LABEL_COLUMNS, "",
                       tally.left - ISSUES_SHOWN);
        }
    }
    buf_release(&left);
}

/* ---- files, rounds, time ---- */

/* A list of files in one line. */
struct names {
    struct buf *out;
    uint32_t count;
};

static void name_add(struct names *names, struct str name)
{
    if (names->count++ == 0) write_label(names->out, "changed");
    if (names->count > FILES_SHOWN) return;
    if (names->count > 1) buf_text(names->out, ", ");
    safe_text(names->out, name, true, LINE_BYTES_MAX);
}

static void names_end(const struct names *names)
{
    if (names->count > FILES_SHOWN) {
        buf_printf(names->out, " and %" PRIu32 " more", names->count - FILES_SHOWN);
    }
    if (names->count) buf_byte(names->out, '\n');
}

/* What differs now and did not differ like that at the beginning. */
static void name_changed(const struct session_story *story, struct arena *arena,
                         struct names *names)
{
    const struct session_step *step = session_last_executor(story, false);
    const struct session_doc *now = step && step->doc.has_tree ? &step->doc : NULL;
    uint32_t before = story->start.dirty_count;
    const struct tree_file *then;

    if (!now) return;
    then = session_files_sorted(story->start.dirty, before, arena);
    for (uint32_t i = 0; i < now->dirty_count; i++) {
        const struct tree_file *was = session_files_find(then, before, now->dirty[i].path);

        if (was && str_eq(str_of(was->oid), str_of(now->dirty[i].oid))) continue;
        name_add(names, now->dirty[i].path);
    }
}

/* Of a session that began elsewhere the file knows more than the story. */
static void name_recorded(const struct run_view *run, struct names *names)
{
    struct contract contract = { 0 };
    struct session_file file;
    const struct session_path *paths;
    struct err ignored;
    uint32_t count = 0;

    session_record(run, &contract);
    if (contract.file_count > 0 &&
        session_file_read(&file, contract.files[0].content, &ignored) == 0) {
        paths = session_file_paths(&file, SESSION_CHANGED, &count);
        for (uint32_t i = 0; i < count; i++) name_add(names, paths[i].path);
        session_file_release(&file);
    }
    contract_release(&contract);
}

static void write_changed(const struct run_view *run, const struct session_story *story,
                          struct arena *arena, struct buf *out)
{
    struct names names = { .out = out };

    if (session_opening_of(run->settings) == OPEN_CONTINUED) {
        name_recorded(run, &names);
    } else {
        name_changed(story, arena, &names);
    }
    names_end(&names);
}

static void write_rounds(const struct engine *engine, struct buf *out)
{
    const char *before = "";

    write_label(out, "rounds");
    for (uint32_t i = 0; i < engine->plan->phase_count; i++) {
        uint32_t rounds = engine->lanes[0].tallies[i].rounds;

        if (rounds == 0) continue;
        buf_printf(out, "%s%s %" PRIu32, before, engine->plan->phases[i].name, rounds);
        before = ", ";
    }
    buf_printf(out, "%s\n", *before ? "" : "none");
}

static void write_cost(const struct engine *engine, const struct session_story *story,
                       struct buf *out)
{
    const struct usage *usage = &engine->usage;
    char all[CLOCK_SPAN_BYTES], agents[CLOCK_SPAN_BYTES];

    write_label(out, "took");
    buf_printf(out, "%s, agents %s", clock_span(engine->now_ms - engine->started_ms, all),
               clock_span(story->agents_ms, agents));
    if (story->misses) {
        buf_printf(out, "; %" PRIu32 " answer%s not taken", story->misses,
                   story->misses == 1 ? "" : "s");
    }
    buf_byte(out, '\n');
    if (usage->cost_micros == 0 && usage->tokens_in == 0 && usage->tokens_out == 0) return;
    write_label(out, "cost");
    buf_printf(out, "$%" PRIu64 ".%02" PRIu64 ", %" PRIu64 " tokens in, %" PRIu64 " out\n",
               usage->cost_micros / 1000000, usage->cost_micros / 10000 % 100, usage->tokens_in,
               usage->tokens_out);
}

static const char *end_words(const struct engine *engine)
{
    const char *name = engine->plan->phases[engine->plan->phase_count - 1].name;

    if (engine->reason != REASON_CLEAN && engine->reason != REASON_NOTED &&
        engine->reason != REASON_PARTIAL) {
        return "not delivered";
    }
    return str_is(str_of(name), "delivery") ? "delivered" : "stopped where it was told to";
}

/* Why it went no further. */
static void write_end(const struct engine *engine, struct buf *out)
{
    const struct phase *phase = &engine->plan->phases[engine->lanes[0].phase];
    const char *why = NULL;

    if (engine->reason == REASON_WAITING) why = "blocking issues are left, and you are asked";
    if (engine->reason == REASON_BOUND) {
        why = "blocking issues are left";
        if (phase->gate.on_fail == FAIL_REPAIR && phase->gate.at_bound == BOUND_STOP) {
            why = "the limit is reached with blocking issues left; handsfree: you were not asked";
        }
    }
    if (!why) return;
    write_label(out, "stopped");
    buf_printf(out, "in %s: %s\n", phase->name, why);
}

/* What a plan is called: its first line, without what all of them begin with. */
static struct str title_of(const struct session_step *plan, struct str text)
{
    static const struct str form = STR("Solution Plan:");
    struct work_item item;

    if (plan && plan->doc.title.size) return plan->doc.title;
    work_item_read(text, &item);
    return str_starts(item.title, form) ? str_trim(str_skip(item.title, form.size)) : item.title;
}

void session_conclude(const struct run_view *run, struct buf *out)
{
    struct session_story story;
    struct arena arena = { 0 };
    struct work_item item;
    const char *source;
    struct str text;

    session_story_read(run->engine, &arena, &story);
    work_item_read(str_of(run->task), &item);
    text = session_approved_plan(run, &story, &source, &arena);
    write_line(out, "session", str_of(arena_printf(&arena, "%s: %s", session_uuid(run),
                                                   end_words(run->engine))));
    write_end(run->engine, out);
    write_line(out, "asked", item.title);
    text = title_of(session_last_executor(&story, true), text);
    if (text.size == 0 && source) text = STR("nothing: review only");
    write_line(out, "planned", text);
    write_changed(run, &story, &arena, out);
    write_rounds(run->engine, out);
    write_issues(&story, out);
    write_cost(run->engine, &story, out);
    write_line(out, "file", str_of(session_path(session_uuid(run), "md", &arena)));
    arena_release(&arena);
}
