/* SPDX-License-Identifier: Apache-2.0
 *
 * html_write.c - a run as one page of HTML that needs nothing else: offline, without script, on a
 * telephone, on a wall, on paper, by keyboard and by ear.
 *
 *   head        what it was for, how it ended, what is left, what it cost
 *   Rounds      a drawing of who was at work when; one of what was open; a table of both; the fixes
 *   Findings    what is open first, the grave ones before the others (html_finding.c)
 *   Who looked  each reviewer: attempts, verdicts, what it read, what it cost
 *   Attempts    every start of an agent
 *   Not looked at
 *
 * 1. Texts of agents, files, people and git go through html_put(), which leaves no markup in them.
 *    None of them is a part of a tag, an attribute, an address or style. No link leads out of the
 *    page, and its policy (Content-Security-Policy) loads nothing.
 * 2. The page says in words what its colours say.
 * 3. The page is the same for the same run: it has no time but the run's.
 * 4. All of it is at most HTML_BYTES_MAX: each part has a share of that, whole items are left out,
 *    and the page says how many.
 * 5. A run that failed, is partial or is at work says so before anything else.
 * 6. The page is XML as well: every element is closed and every value quoted, so that a strict
 *    reader can tell hone's markup from text. */
#include "format/report/html_page.h"

#include "base/clock.h"
#include "base/mem.h"
#include "format/json/finding_json.h"
#include "format/text/budget_text.h"
#include "format/text/html.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TASK_HEAD_MAX = 160, TASK_MAX = 20 << 10, PROBLEM_MAX = 2000,
    FINDINGS_MAX = 2000,      /* that are shown; browsers are slow with more */
    FINDINGS_OPEN_MAX = 12,   /* that are unfolded */
    FINDINGS_BYTES = 10 << 20,
    FIXES_BYTES = 3 << 20,
    ROUNDS_BYTES = 1 << 20,
    ATTEMPTS_BYTES = 3 << 20,
    UNLOOKED_MAX = 500,
    FILES_MAX = 200,          /* of a reviewer */
};

/* ---- words ---- */

void html_raw(struct html_page *page, const char *text)
{
    buf_text(page->out, text);
}

void html_printf(struct html_page *page, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    buf_text(page->out, text);
}

void html_put(struct html_page *page, struct str text, size_t bytes_max)
{
    html_text(page->out, text, true, bytes_max);
}

void html_put_lines(struct html_page *page, struct str text, size_t bytes_max)
{
    html_text(page->out, text, false, bytes_max);
}

static void put_code(struct html_page *page, struct str text)
{
    html_raw(page, "<code>");
    html_put(page, text, HTML_NAME_MAX);
    html_raw(page, "</code>");
}

void html_time(struct html_page *page, uint64_t ms)
{
    char iso[CLOCK_ISO_BYTES];

    clock_iso(ms, iso);
    html_printf(page, "<time datetime=\"%s\">%.10s %.8s UTC</time>", iso, iso, iso + 11);
}

static void put_count(struct html_page *page, uint64_t count)
{
    amount_write(BUDGET_TOKENS, count, false, page->out);
}

void html_span(struct html_page *page, uint64_t from_ms, uint64_t to_ms)
{
    char span[CLOCK_SPAN_BYTES];

    html_raw(page, clock_span(to_ms > from_ms ? to_ms - from_ms : 0, span));
}

static void put_cost(struct html_page *page, uint64_t micros)
{
    if (micros) amount_write(BUDGET_USD, micros, false, page->out);
    else html_raw(page, "–");
}

static void put_amount(struct html_page *page, uint64_t count)
{
    if (count) put_count(page, count);
    else html_raw(page, "–");
}

void html_who(struct html_page *page, const char *role, struct str by)
{
    html_put(page, str_of(role), HTML_NAME_MAX);
    if (by.size == 0) return;
    html_raw(page, " by ");
    html_put(page, by, HTML_NAME_MAX);
}

void html_round(struct html_page *page, uint32_t at)
{
    const struct story *story = page->story;
    const struct story_round *round = &story->rounds[at];
    bool phases = false, iterations = false;

    for (uint32_t i = 0; i < story->round_count; i++) {
        phases = phases || strcmp(story->rounds[i].phase, round->phase) != 0;
        iterations = iterations || story->rounds[i].iteration > 1;
    }
    html_printf(page, "round %" PRIu32, round->number);
    if (phases) {
        html_raw(page, " of ");
        html_put(page, str_of(round->phase), HTML_NAME_MAX);
    }
    if (iterations) html_printf(page, ", iteration %" PRIu32, round->iteration);
    if (story->lane_count > 1 && round->lane < story->lane_count) {
        html_raw(page, ", lane ");
        html_put(page, str_of(story->lanes[round->lane].name), HTML_NAME_MAX);
    }
}

void html_verdict(struct html_page *page, const struct story_attempt *attempt)
{
    if (attempt->ended_ms == 0) {
        html_raw(page, "not ended");
        return;
    }
    /* Work that is done says nothing about how good it is. */
    if (attempt->verdict == VERDICT_CLEAN && !attempt->judges) {
        html_raw(page, attempt->unchanged ? "no change" : "done");
    } else {
        html_raw(page, verdict_word(attempt->verdict));
    }
    if (attempt->verdict == VERDICT_FINDINGS) {
        html_printf(page, " (%" PRIu32 ")", attempt->finding_count);
    }
    if (attempt->verdict == VERDICT_FAILED) {
        html_printf(page, " (%s)", failure_word(attempt->failure));
    }
}

static bool has_room(const struct html_page *page, size_t from, size_t bytes_max)
{
    return page->out->size - from < bytes_max && !page->out->overflow;
}

/* ---- a diff ---- */

/* How far a hunk is shown. */
struct hunk_at {
    uint32_t old, new;
    int digits;
};

/* So many digits that the last number of a hunk fits. */
static int digits_of(uint32_t first, uint32_t count)
{
    char number[16];

    return snprintf(number, sizeof number, "%" PRIu32, first + count);
}

/* The numbers of one line on both sides, and its mark; a side that has no such line is blank. */
static void put_numbers_of(struct html_page *page, char mark, struct hunk_at *at)
{
    char old[16] = "", new[16] = "";

    if (mark == ' ' || mark == '-') snprintf(old, sizeof old, "%" PRIu32, at->old++);
    if (mark == ' ' || mark == '+') snprintf(new, sizeof new, "%" PRIu32, at->new++);
    html_printf(page, "<span class=\"ln\">%*s %*s %c </span>", at->digits, old, at->digits, new,
                mark == '\\' ? ' ' : mark);
}

static void put_diff_line(struct html_page *page, struct str line, struct hunk_at *at)
{
    char mark = line.size > 0 ? line.data[0] : ' ';

    html_raw(page, mark == '-' ? "<del>" : mark == '+' ? "<ins>" : "");
    put_numbers_of(page, mark, at);
    html_put_lines(page, mark == '\\' ? line : str_skip(line, 1), HTML_NAME_MAX);
    html_raw(page, mark == '-' ? "</del>\n" : mark == '+' ? "</ins>\n" : "\n");
}

void html_hunk(struct html_page *page, const struct story_hunk *hunk)
{
    struct str rest = hunk->lines, line;
    struct hunk_at at = { .old = hunk->old_first, .new = hunk->new_first };
    uint32_t count = 0;

    while (str_cut(&rest, '\n', &line)) count++;
    at.digits = digits_of(at.old > at.new ? at.old : at.new, count);
    rest = hunk->lines;
    html_raw(page, "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"Change\">"
                   "<pre class=\"code diff\">");
    while (str_cut(&rest, '\n', &line)) put_diff_line(page, line, &at);
    html_raw(page, "</pre></div>\n");
}

void html_diff_name(struct html_page *page, struct str name)
{
    struct buf path;

    buf_init(&path, SIZE_MAX / 4);
    story_diff_name(name, &path);
    put_code(page, buf_str(&path));
    buf_release(&path);
}

/* All of a diff, in parts by file; nothing where it is empty. */
static void put_diff(struct html_page *page, struct str diff)
{
    struct story_file file;
    struct story_hunk hunk;

    while (story_diff_file(&diff, &file)) {
        html_raw(page, "<p class=\"file\">");
        html_diff_name(page, file.name);
        html_raw(page, file.hunks.size == 0 ? " (no text changed in it)</p>\n" : "</p>\n");
        while (story_diff_hunk(&file.hunks, &hunk)) html_hunk(page, &hunk);
    }
    if (str_starts(str_last_line(diff), STR("(cut: "))) {
        html_raw(page, "<p class=\"note\">");
        html_put(page, str_last_line(diff), HTML_NAME_MAX);
        html_raw(page, "</p>\n");
    }
}

/* ---- the head ---- */

static const char policy[] =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n";

static void put_begin(struct html_page *page)
{
    html_raw(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    html_raw(page, policy);
    html_raw(page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                   "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
                   "<meta name=\"referrer\" content=\"no-referrer\"/>\n<title>hone: ");
    if (page->story) {
        html_raw(page, page->story->word);
        html_raw(page, ": ");
        html_put(page, str_trim(page->story->task), 80);
    } else {
        html_printf(page, "run %s", page->listing->run);
    }
    html_raw(page, "</title>\n<style>\n");
    buf_text(page->out, report_css);
    html_raw(page, "</style>\n</head>\n<body>\n"
                   "<a class=\"skip\" href=\"#findings\">To the findings</a>\n");
}

static void put_task(struct html_page *page)
{
    struct str task = str_trim(page->story->task);
    bool more = task.size > TASK_HEAD_MAX || str_has(task, '\n');

    html_raw(page, "<h1>");
    if (task.size > 0) html_put(page, task, TASK_HEAD_MAX);
    else html_printf(page, "Run %s", page->listing->run);
    html_raw(page, "</h1>\n");
    if (!more) return;
    html_raw(page, "<details class=\"task\"><summary>The whole task</summary><p>");
    html_put_lines(page, task, TASK_MAX);
    html_raw(page, "</p></details>\n");
}

static const char *const tones[] = {
    [STORY_GOOD] = "good", [STORY_LEFT] = "left", [STORY_BAD] = "bad", [STORY_AT_WORK] = "work",
};

static const char *const signs[] = {
    [STORY_GOOD] = "M3 8l3.5 3.5L13 5", [STORY_LEFT] = "M8 3v6M8 12v.5",
    [STORY_BAD] = "M4 4l8 8M12 4l-8 8", [STORY_AT_WORK] = "M8 3v5l3 2",
};

/* A sentence of half a one: a large letter first, a point behind. */
static void put_sentence(struct html_page *page, const char *half)
{
    char first[2] = { half[0] >= 'a' && half[0] <= 'z' ? (char)(half[0] - 32) : half[0], '\0' };

    if (!half[0]) return;
    html_put(page, str_of(first), 0);
    html_put(page, str_of(half + 1), 0);
    html_raw(page, ".");
}

static void put_end(struct html_page *page)
{
    const struct story *story = page->story;

    html_printf(page, "<div class=\"end end-%s\">\n<svg width=\"32\" height=\"32\" "
                "viewBox=\"0 0 16 16\" aria-hidden=\"true\"><circle cx=\"8\" cy=\"8\" r=\"7.25\"/>"
                "<path d=\"%s\"/></svg>\n<div><p class=\"end-line\">", tones[story->tone],
                signs[story->tone]);
    put_sentence(page, story->line);
    html_raw(page, "</p>\n<p>");
    put_sentence(page, story->meaning);
    html_raw(page, "</p>\n");
    if (story->next) {
        html_raw(page, "<p><b>Next:</b> ");
        html_put(page, str_of(story->next), 0);
        html_raw(page, ".</p>\n");
    }
    html_raw(page, "</div></div>\n");
}

/* What stands in the way of believing the numbers. */
static void put_warnings(struct html_page *page)
{
    const struct listing *listing = page->listing;
    const struct story *story = page->story;
    uint32_t unlooked = coverage_unlooked(&listing->coverage);
    bool chosen = story && listing->count != story->found;

    if (!listing->unfinished && unlooked == 0 && !chosen && (!story || story->unproven == 0)) {
        return;
    }
    html_raw(page, "<ul class=\"warnings\">\n");
    if (listing->unfinished) {
        html_raw(page, "<li><b>Not all that could be found was found:</b> the run ");
        html_put(page, str_of(listing->unfinished), 0);
        html_raw(page, ".</li>\n");
    }
    if (unlooked > 0) {
        html_printf(page, "<li><b>Partial:</b> <a href=\"#unlooked\">%" PRIu32 " of %" PRIu32
                    " files were not looked at</a>.</li>\n", unlooked, listing->coverage.files);
    }
    if (story && story->unproven > 0) {
        html_printf(page, "<li><b>Without proof:</b> %" PRIu64 " review%s counted though nothing "
                    "shows that all files of the change were read.</li>\n", story->unproven,
                    story->unproven == 1 ? "" : "s");
    }
    if (chosen) {
        html_printf(page, "<li><b>Chosen:</b> this page has %" PRIu32 " of the %" PRIu32
                    " findings of the run.</li>\n", listing->count, story->found);
    }
    html_raw(page, "</ul>\n");
}

static void put_number(struct html_page *page, const char *label, uint64_t count,
                       const char *class)
{
    html_printf(page, "<div%s%s%s><dt>%s</dt><dd>", class ? " class=\"" : "", class ? class : "",
                class ? "\"" : "", label);
    put_count(page, count);
}

static void put_numbers(struct html_page *page)
{
    const struct story *story = page->story;

    html_raw(page, "<dl class=\"numbers\">\n");
    put_number(page, "Left open", story->left, story->left ? "n-open" : "n-none");
    if (story->left > 0) {
        html_printf(page, "<span>%" PRIu32 " high, %" PRIu32 " medium, %" PRIu32 " low</span>",
                    story->left_by[SEVERITY_HIGH], story->left_by[SEVERITY_MEDIUM],
                    story->left_by[SEVERITY_LOW]);
    }
    html_raw(page, "</dd></div>\n");
    put_number(page, "Fixed", story->states[FINDING_FIXED], NULL);
    html_raw(page, "</dd></div>\n");
    put_number(page, "Noted", story->states[FINDING_NOTED], NULL);
    html_raw(page, "</dd></div>\n");
    put_number(page, "Waived", story->states[FINDING_WAIVED], NULL);
    html_raw(page, "</dd></div>\n");
    put_number(page, "Found in all", story->found, NULL);
    html_raw(page, "</dd></div>\n");
    put_number(page, "Rounds", story->round_count, NULL);
    html_raw(page, "</dd></div>\n</dl>\n");
}

static void put_fact(struct html_page *page, const char *label)
{
    html_printf(page, "<div><dt>%s</dt><dd>", label);
}

static void end_fact(struct html_page *page)
{
    html_raw(page, "</dd></div>\n");
}

static void put_spent(struct html_page *page)
{
    const struct story *story = page->story;
    bool may_cost = false;
    char span[CLOCK_SPAN_BYTES];

    for (uint32_t i = 0; i < story->attempt_count; i++) {
        may_cost = may_cost || story->attempts[i].may_cost;
    }
    put_fact(page, "Cost");
    if (story->usage.cost_micros) put_cost(page, story->usage.cost_micros);
    else html_raw(page, may_cost ? "not reported" : "nothing");
    end_fact(page);
    put_fact(page, "Tokens");
    if (story->usage.tokens_in || story->usage.tokens_out) {
        put_count(page, story->usage.tokens_in);
        html_raw(page, " in, ");
        put_count(page, story->usage.tokens_out);
        html_raw(page, " out");
    } else {
        html_raw(page, "not reported");
    }
    end_fact(page);
    put_fact(page, "Time at work");
    html_raw(page, clock_span(story->active_ms, span));
    end_fact(page);
    put_fact(page, "Agents started");
    put_count(page, story->calls);
    end_fact(page);
    put_fact(page, "Budget");
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        if (story->budget.limit.of[i] == 0) continue;
        html_raw(page, "<span class=\"part\">");
        amount_write((enum budget_part)i, story->used.of[i], false, page->out);
        html_raw(page, " of ");
        amount_write((enum budget_part)i, story->budget.limit.of[i], true, page->out);
        html_raw(page, "</span> ");
    }
    if (!budget_has_limit(&story->budget)) html_raw(page, "none was set");
    end_fact(page);
}

static void put_where(struct html_page *page)
{
    const struct story *story = page->story;

    put_fact(page, "Repository");
    html_put(page, story->repository, HTML_NAME_MAX);
    end_fact(page);
    put_fact(page, "Branch");
    if (story->branch.size > 0) html_put(page, story->branch, HTML_NAME_MAX);
    else html_raw(page, "not kept");
    end_fact(page);
    put_fact(page, "Commit");
    if (story->commit.size > 0) put_code(page, str_head(story->commit, 12));
    else html_raw(page, "not known");
    end_fact(page);
    if (story->since.size > 0) {
        put_fact(page, "Measured against");
        put_code(page, str_head(story->since, 60));
        end_fact(page);
    }
    put_fact(page, "Loop");
    html_put(page, str_of(story->dialect), HTML_NAME_MAX);
    if (story->only_looks) html_raw(page, ", looking only");
    if (story->until[0]) {
        html_raw(page, ", until ");
        html_put(page, str_of(story->until), HTML_NAME_MAX);
    }
    if (story->hosted) html_raw(page, ", inside a host");
    end_fact(page);
    put_fact(page, "Run");
    put_code(page, str_of(story->run));
    end_fact(page);
    put_fact(page, "Began");
    html_time(page, story->created_ms);
    end_fact(page);
    put_fact(page, "Last event");
    html_time(page, story->updated_ms);
    end_fact(page);
}

static void put_nav(struct html_page *page)
{
    html_raw(page, "<nav aria-label=\"Parts of this page\"><ul>\n");
    if (page->story && page->story->round_count > 0) {
        html_raw(page, "<li><a href=\"#rounds\">Rounds</a></li>\n");
    }
    html_raw(page, "<li><a href=\"#findings\">Findings</a></li>\n");
    if (page->story) {
        html_raw(page, "<li><a href=\"#who\">Who looked</a></li>\n"
                       "<li><a href=\"#attempts\">Attempts</a></li>\n");
    }
    html_raw(page, "<li><a href=\"#unlooked\">Not looked at</a></li>\n</ul></nav>\n");
}

static void put_head(struct html_page *page)
{
    html_raw(page, "<header>\n");
    if (page->story) {
        html_printf(page, "<p class=\"brand\">hone <span>run %s</span></p>\n", page->listing->run);
        put_task(page);
        put_end(page);
        put_warnings(page);
        put_numbers(page);
        html_raw(page, "<dl class=\"facts\">\n");
        put_spent(page);
        put_where(page);
        html_raw(page, "</dl>\n");
    } else {
        html_printf(page, "<p class=\"brand\">hone</p>\n<h1>Run %s</h1>\n", page->listing->run);
        put_warnings(page);
    }
    put_nav(page);
    html_raw(page, "</header>\n");
}

/* ---- rounds ---- */

static void begin_table(struct html_page *page, const char *name, const char *caption)
{
    html_printf(page, "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"%s\">\n"
                "<table><caption>%s</caption>\n<thead><tr>", name, caption);
}

static void end_table(struct html_page *page)
{
    html_raw(page, "</tbody></table></div>\n");
}

static void put_columns(struct html_page *page, const char *const *names)
{
    for (; *names; names++) { /* those that begin with # are numbers */
        bool number = (*names)[0] == '#';

        html_printf(page, "<th scope=\"col\"%s>%s</th>", number ? " class=\"n\"" : "",
                    *names + number);
    }
    html_raw(page, "</tr></thead>\n<tbody>\n");
}

static void put_round_row(struct html_page *page, uint32_t at)
{
    uint32_t number = page->story->by_end[at];
    const struct story_round *round = &page->story->rounds[number];

    html_printf(page, "<tr><td class=\"n\">%" PRIu32 "</td><th scope=\"row\">", at + 1);
    html_round(page, number);
    html_raw(page, "</th><td>");
    html_time(page, round->started_ms);
    html_raw(page, "</td><td class=\"n\">");
    if (round->ended_ms) html_span(page, round->started_ms, round->ended_ms);
    else html_raw(page, "–");
    html_printf(page, "</td><td>%s</td><td class=\"n\">%" PRIu32 "</td>",
                round->ended_ms ? verdict_word(round->verdict) : "not ended",
                round->finding_count);
    if (round->counted) {
        html_printf(page, "<td class=\"n\">%" PRIu32 "</td><td class=\"n\">%" PRIu32
                    "</td><td class=\"n\">%" PRIu32 "</td><td class=\"n\">%" PRIu32 "</td>",
                    round->open_change, round->open_fix, round->fixed, round->set_aside);
    } else {
        html_raw(page, "<td class=\"n\">–</td><td class=\"n\">–</td><td class=\"n\">–</td>"
                       "<td class=\"n\">–</td>");
    }
    html_raw(page, "<td>");
    if (!round->repaired_ms) {
        html_raw(page, "none");
    } else {
        html_span(page, round->ended_ms, round->repaired_ms);
        if (round->untouched) html_raw(page, ", no change");
    }
    html_raw(page, "</td></tr>\n");
}

static void put_marks(struct html_page *page)
{
    static const char *const words[STORY_MARK_COUNT] = {
        [STORY_STOPPED] = "a person stopped the run", [STORY_RESUMED] = "the run went on",
        [STORY_ANSWERED] = "a person answered",
        [STORY_DRIFTED] = "the tree was changed from outside: what was judged is void",
        [STORY_SPENT] = "the time of the budget was over",
    };
    const struct story *story = page->story;

    if (story->mark_count == 0) return;
    html_raw(page, "<h3>In between</h3>\n<ul>\n");
    for (uint32_t i = 0; i < story->mark_count && i < UNLOOKED_MAX; i++) {
        const struct story_mark *mark = &story->marks[i];

        html_raw(page, "<li>");
        html_time(page, mark->at_ms);
        html_printf(page, ": %s%s%s</li>\n", words[mark->kind],
                    mark->kind == STORY_ANSWERED ? ": " : "",
                    mark->kind == STORY_ANSWERED ? choice_word(mark->choice) : "");
    }
    html_raw(page, "</ul>\n");
}

static void put_fix(struct html_page *page, uint32_t at)
{
    const struct story *story = page->story;
    const struct story_diff *diff = &story->diffs[story->rounds[at].diff];

    html_raw(page, "<details class=\"fix\"><summary>What the fix of ");
    html_round(page, at);
    html_raw(page, " changed</summary>\n<div class=\"body\">");
    if (diff->why) {
        html_raw(page, "<p>It cannot be shown: ");
        html_put(page, str_of(diff->why), HTML_NAME_MAX);
        html_raw(page, ".</p>");
    } else if (diff->text.size == 0) {
        html_raw(page, "<p>Nothing.</p>");
    } else {
        put_diff(page, diff->text);
    }
    html_raw(page, "</div></details>\n");
}

static void put_fixes(struct html_page *page)
{
    const struct story *story = page->story;
    size_t from = page->out->size;
    uint32_t left = 0;
    bool said = false;

    for (uint32_t i = 0; i < story->round_count; i++) {
        if (story->rounds[i].diff == STORY_NONE) continue;
        if (!said) html_raw(page, "<h3>What the fixes changed</h3>\n");
        said = true;
        if (has_room(page, from, FIXES_BYTES)) put_fix(page, i);
        else left++;
    }
    if (left > 0) {
        html_printf(page, "<p class=\"note\">The fixes of %" PRIu32 " more rounds are not on this "
                    "page.</p>\n", left);
    }
}

static void put_rounds(struct html_page *page)
{
    static const char *const columns[] = {
        "#No.", "Round", "Began", "#Review took", "Verdict", "#Reported", "#Open: by the change",
        "#Open: by a fix", "#Fixed", "#Set aside", "Fix took", NULL,
    };
    const struct story *story = page->story;
    size_t from;
    uint32_t at = 0;

    if (story->round_count == 0 && story->attempt_count == 0) return;
    html_raw(page, "<section aria-labelledby=\"rounds\">\n<h2 id=\"rounds\">Rounds</h2>\n");
    html_timeline(page);
    if (story->round_count > 0) {
        html_burn_down(page);
        begin_table(page, "Rounds", "Rounds in the order they ended, and what was open, fixed "
                    "and set aside (noted or waived) after each, in the whole run");
        put_columns(page, columns);
        from = page->out->size;
        while (at < story->round_count && has_room(page, from, ROUNDS_BYTES)) {
            put_round_row(page, at++);
        }
        end_table(page);
        if (at < story->round_count) {
            html_printf(page, "<p class=\"note\">%" PRIu32 " more rounds are not on this page."
                        "</p>\n", story->round_count - at);
        }
        put_fixes(page);
    }
    put_marks(page);
    html_raw(page, "</section>\n");
}

/* ---- findings ---- */

enum group { GROUP_OPEN, GROUP_NOTED, GROUP_WAIVED, GROUP_FIXED, GROUP_COUNT };

static enum group group_of(enum finding_state state)
{
    if (finding_is_open(state)) return GROUP_OPEN;
    return state == FINDING_NOTED ? GROUP_NOTED
           : state == FINDING_WAIVED ? GROUP_WAIVED : GROUP_FIXED;
}

static void put_group(struct html_page *page, enum group group)
{
    static const char *const words[GROUP_COUNT] = {
        [GROUP_OPEN] = "Left open", [GROUP_NOTED] = "Noted", [GROUP_WAIVED] = "Waived",
        [GROUP_FIXED] = "Fixed",
    };
    uint32_t count = 0;

    for (uint32_t i = 0; i < page->listing->count; i++) {
        count += group_of(page->listing->items[i]->state) == group;
    }
    html_printf(page, "<h3>%s <span class=\"count\">%" PRIu32 "</span></h3>\n", words[group],
                count);
}

static void put_findings(struct html_page *page)
{
    const struct listing *listing = page->listing;
    size_t from = page->out->size;
    uint32_t at = 0;

    html_raw(page, "<section aria-labelledby=\"findings\">\n<h2 id=\"findings\">Findings</h2>\n");
    if (listing->count == 0) html_raw(page, "<p>Nothing was found.</p>\n");
    for (; at < listing->count && at < FINDINGS_MAX; at++) {
        enum group group = group_of(listing->items[at]->state);

        if (!has_room(page, from, FINDINGS_BYTES)) break;
        if (at == 0 || group != group_of(listing->items[at - 1]->state)) put_group(page, group);
        html_finding(page, listing->items[at], group == GROUP_OPEN && at < FINDINGS_OPEN_MAX);
    }
    if (at < listing->count) {
        html_printf(page, "<p class=\"note\"><b>%" PRIu32 " more findings are not on this page:"
                    "</b> it has the first %" PRIu32 ", what is open and grave before the rest. "
                    "<code>hone findings %s</code> shows all of them.</p>\n",
                    listing->count - at, at, listing->run);
    }
    html_raw(page, "</section>\n");
}

/* ---- who looked ---- */

/* A role as one backend played it. */
struct looker {
    const char *role, *by;
    uint32_t attempts, verdicts[VERDICT_COUNT], unended, proven, unproven, reported, alone;
    uint64_t took_ms;
    struct usage usage;
    struct str *files;
    uint32_t file_count, file_cap;
    bool files_cut;
};

struct lookers {
    struct looker *items;
    uint32_t count, cap;
};

static struct looker *looker_of(struct lookers *lookers, const char *role, struct str by, bool make)
{
    for (uint32_t i = 0; i < lookers->count; i++) {
        struct looker *item = &lookers->items[i];
        if (strcmp(item->role, role) == 0 && str_is(by, item->by)) return item;
    }
    if (!make) return NULL;
    lookers->items = mem_grow(lookers->items, lookers->count, &lookers->cap,
                              sizeof *lookers->items);
    lookers->items[lookers->count] = (struct looker){ .role = role, .by = by.data ? by.data : "" };
    return &lookers->items[lookers->count++];
}

static void add_looked(struct lookers *lookers, const struct story_attempt *attempt)
{
    struct looker *looker = looker_of(lookers, attempt->role, str_of(attempt->by), true);

    looker->attempts++;
    looker->unended += attempt->ended_ms == 0;
    if (attempt->ended_ms) {
        looker->verdicts[attempt->verdict]++;
        looker->took_ms += attempt->ended_ms - attempt->started_ms;
    }
    looker->proven += attempt->proof == PROOF_READ;
    looker->unproven += attempt->proof == PROOF_MISSING;
    usage_add(&looker->usage, &attempt->usage);
    looker->files_cut = looker->files_cut || attempt->files_cut;
    for (uint32_t i = 0; i < attempt->file_count; i++) {
        looker->files = mem_grow(looker->files, looker->file_count, &looker->file_cap,
                                 sizeof *looker->files);
        looker->files[looker->file_count++] = attempt->files[i];
    }
}

/* Each file once, by name. */
static void sort_files(struct looker *looker)
{
    uint32_t kept = 0;

    if (looker->file_count == 0) return;
    qsort(looker->files, looker->file_count, sizeof *looker->files, str_order);
    for (uint32_t i = 0; i < looker->file_count; i++) {
        if (i > 0 && str_eq(looker->files[i], looker->files[kept - 1])) continue;
        looker->files[kept++] = looker->files[i];
    }
    looker->file_count = kept;
}

static void add_votes(struct lookers *lookers, const struct listing *listing)
{
    for (uint32_t i = 0; i < listing->count; i++) {
        const struct ledger_entry *entry = listing->items[i];

        for (uint32_t k = 0; k < entry->vote_count; k++) {
            const struct vote *vote = &entry->votes[k];
            struct looker *looker = looker_of(lookers, listing_voter(listing, vote), vote->by,
                                              false);
            if (!looker) continue;
            looker->reported++;
            looker->alone += entry->vote_count == 1;
        }
    }
}

static void put_files(struct html_page *page, const struct looker *looker)
{
    if (looker->file_count == 0) {
        html_raw(page, looker->proven ? "shown by its transcript" : "not told");
        return;
    }
    html_printf(page, "<details><summary>%" PRIu32 "%s file%s</summary><ul class=\"files\">\n",
                looker->file_count, looker->files_cut ? " and more" : "",
                looker->file_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < looker->file_count && i < FILES_MAX; i++) {
        html_raw(page, "<li>");
        put_code(page, looker->files[i]);
        html_raw(page, "</li>\n");
    }
    if (looker->file_count > FILES_MAX) {
        html_printf(page, "<li>and %" PRIu32 " more</li>\n", looker->file_count - FILES_MAX);
    }
    html_raw(page, "</ul></details>");
}

static void put_looker(struct html_page *page, const struct looker *looker)
{
    char span[CLOCK_SPAN_BYTES];

    html_raw(page, "<tr><th scope=\"row\">");
    html_who(page, looker->role, str_of(looker->by));
    html_printf(page, "</th><td class=\"n\">%" PRIu32 "</td><td class=\"n\">%" PRIu32
                "</td><td class=\"n\">%" PRIu32 "</td><td class=\"n\">%" PRIu32
                "</td><td class=\"n\">%" PRIu32 "</td><td class=\"n\">%" PRIu32 "</td><td>",
                looker->attempts, looker->verdicts[VERDICT_CLEAN],
                looker->verdicts[VERDICT_FINDINGS],
                looker->verdicts[VERDICT_INVALID] + looker->verdicts[VERDICT_FAILED] +
                    looker->verdicts[VERDICT_NOT_PLAYED] + looker->unended,
                looker->reported, looker->alone);
    if (looker->proven + looker->unproven == 0) html_raw(page, "–");
    else html_printf(page, "%" PRIu32 " of %" PRIu32 " reviews", looker->proven,
                     looker->proven + looker->unproven);
    html_raw(page, "</td><td>");
    put_files(page, looker);
    html_printf(page, "</td><td class=\"n\">%s</td><td class=\"n\">",
                clock_span(looker->took_ms, span));
    put_amount(page, looker->usage.tokens_in + looker->usage.tokens_out);
    html_raw(page, "</td><td class=\"n\">");
    put_cost(page, looker->usage.cost_micros);
    html_raw(page, "</td></tr>\n");
}

static void put_lookers(struct html_page *page)
{
    static const char *const columns[] = {
        "Who", "#Attempts", "#Clean", "#Findings", "#No answer", "#Reported", "#Alone",
        "Proof of reading", "Files read", "#Time", "#Tokens", "#Cost", NULL,
    };
    const struct story *story = page->story;
    struct lookers lookers = { 0 };

    for (uint32_t i = 0; i < story->attempt_count; i++) {
        if (story->attempts[i].judges) add_looked(&lookers, &story->attempts[i]);
    }
    add_votes(&lookers, page->listing);
    html_raw(page, "<section aria-labelledby=\"who\">\n<h2 id=\"who\">Who looked</h2>\n");
    if (lookers.count == 0) {
        html_raw(page, "<p>No reviewer was asked.</p>\n");
    } else {
        begin_table(page, "Who looked", "Each reviewer: how often it looked and with what verdict, "
                    "how many findings it reported, how many of them no other did, what shows that "
                    "it read, and what it used");
        put_columns(page, columns);
        for (uint32_t i = 0; i < lookers.count; i++) {
            sort_files(&lookers.items[i]);
            put_looker(page, &lookers.items[i]);
            free(lookers.items[i].files);
        }
        end_table(page);
        html_raw(page, "<p class=\"note\">– stands for what an agent does not tell, or what "
                       "there is none of. No answer: it failed, broke its contract, looked at "
                       "nothing or has not ended.</p>\n");
    }
    html_raw(page, "</section>\n");
    free(lookers.items);
}

/* ---- attempts ---- */

static void put_attempt(struct html_page *page, const struct story_attempt *attempt)
{
    html_printf(page, "<tr><th scope=\"row\">%" PRIu32 "-%" PRIu32 "</th><td>", attempt->job,
                attempt->attempt);
    html_who(page, attempt->role, str_of(attempt->builtin ? "hone" : attempt->by));
    if (attempt->model.size > 0) {
        html_raw(page, ", ");
        html_put(page, attempt->model, HTML_NAME_MAX);
    }
    if (attempt->effort) {
        html_raw(page, ", effort ");
        html_put(page, str_of(attempt->effort), HTML_NAME_MAX);
    }
    html_printf(page, "</td><td>%s</td><td>", attempt->recheck ? "recheck"
                                                               : purpose_word(attempt->purpose));
    if (attempt->round_at != STORY_NONE) {
        html_round(page, attempt->round_at);
    } else {
        html_raw(page, "phase ");
        html_put(page, str_of(attempt->phase), HTML_NAME_MAX);
        if (page->story->lane_count > 1 && attempt->lane < page->story->lane_count) {
            html_raw(page, ", lane ");
            html_put(page, str_of(page->story->lanes[attempt->lane].name), HTML_NAME_MAX);
        }
    }
    html_raw(page, "</td><td>");
    html_time(page, attempt->started_ms);
    html_raw(page, "</td><td class=\"n\">");
    if (attempt->started_ms > attempt->asked_ms) html_span(page, attempt->asked_ms,
                                                           attempt->started_ms);
    else html_raw(page, "–");
    html_raw(page, "</td><td class=\"n\">");
    if (attempt->ended_ms) html_span(page, attempt->started_ms, attempt->ended_ms);
    else html_raw(page, "–");
    html_raw(page, "</td><td class=\"n\">");
    put_amount(page, attempt->usage.tokens_in);
    if (attempt->usage.tokens_out) {
        html_raw(page, " / ");
        put_count(page, attempt->usage.tokens_out);
    }
    html_raw(page, "</td><td class=\"n\">");
    put_cost(page, attempt->usage.cost_micros);
    html_raw(page, "</td><td>");
    html_verdict(page, attempt);
    html_raw(page, "</td><td class=\"wide\">");
    html_put(page, attempt->problem, PROBLEM_MAX);
    if (attempt->doubt_count) {
        html_printf(page, "%s%" PRIu32 " left unresolved", attempt->problem.size ? "; " : "",
                    attempt->doubt_count);
    }
    html_raw(page, "</td></tr>\n");
}

static void put_attempts(struct html_page *page)
{
    static const char *const columns[] = {
        "Attempt", "Who", "For", "Round", "Began", "#Waited", "#Took", "#Tokens in / out", "#Cost",
        "Verdict", "Problem", NULL,
    };
    const struct story *story = page->story;
    size_t from = page->out->size;
    uint32_t at = 0;

    html_raw(page, "<section aria-labelledby=\"attempts\">\n<h2 id=\"attempts\">Attempts</h2>\n");
    if (story->attempt_count == 0) {
        html_raw(page, "<p>No agent was started.</p>\n</section>\n");
        return;
    }
    begin_table(page, "Attempts", "Every start of an agent, in order; a second attempt of a job is "
                "a retry");
    put_columns(page, columns);
    while (at < story->attempt_count && has_room(page, from, ATTEMPTS_BYTES)) {
        put_attempt(page, &story->attempts[at++]);
    }
    end_table(page);
    if (at < story->attempt_count) {
        html_printf(page, "<p class=\"note\">%" PRIu32 " more attempts are not on this page. "
                    "<code>hone show %s</code> lists all of them.</p>\n",
                    story->attempt_count - at, page->listing->run);
    }
    html_raw(page, "</section>\n");
}

/* ---- what was not looked at ---- */

static void put_unlooked_rows(struct html_page *page)
{
    static const char *const columns[] = { "File", "By", "Why", NULL };
    const struct coverage *coverage = &page->listing->coverage;

    begin_table(page, "Not looked at", "Files that a reviewer was to look at and could not");
    put_columns(page, columns);
    for (uint32_t i = 0; i < coverage->unlooked_count && i < UNLOOKED_MAX; i++) {
        html_raw(page, "<tr><th scope=\"row\">");
        put_code(page, coverage->unlooked[i].file);
        html_raw(page, "</th><td>");
        html_put(page, coverage->unlooked[i].tool, HTML_NAME_MAX);
        html_raw(page, "</td><td class=\"wide\">");
        html_put(page, coverage->unlooked[i].why, PROBLEM_MAX);
        html_raw(page, "</td></tr>\n");
    }
    end_table(page);
    if (coverage->unlooked_count > UNLOOKED_MAX) {
        html_printf(page, "<p class=\"note\">%" PRIu32 " more are not on this page.</p>\n",
                    coverage->unlooked_count - UNLOOKED_MAX);
    }
}

static void put_left_out(struct html_page *page, uint32_t count, const char *words)
{
    if (count > 0) html_printf(page, "<li>%" PRIu32 " %s</li>\n", count, words);
}

static void put_unlooked(struct html_page *page)
{
    const struct coverage *coverage = &page->listing->coverage;
    bool more = coverage->unbuilt || coverage->generated || coverage->older || coverage->baseline;

    html_raw(page, "<section aria-labelledby=\"unlooked\">\n"
                   "<h2 id=\"unlooked\">Not looked at</h2>\n");
    if (coverage->unlooked_count > 0) put_unlooked_rows(page);
    else html_raw(page, "<p>No reviewer says that it left out a file it was to look at.</p>\n");
    if (more) html_raw(page, "<ul>\n");
    put_left_out(page, coverage->unbuilt, "files are not compiled by the project's build");
    put_left_out(page, coverage->generated, "files were not written by people here");
    put_left_out(page, coverage->older, "findings were there before the change: not listed");
    put_left_out(page, coverage->baseline, "findings are in the repository's baseline: not listed");
    if (more) html_raw(page, "</ul>\n");
    if (coverage->hint.size > 0) {
        html_raw(page, "<p>");
        html_put(page, coverage->hint, PROBLEM_MAX);
        html_raw(page, "</p>\n");
    }
    html_raw(page, "</section>\n");
}

/* ---- the page ---- */

void html_write(const struct listing *listing, struct buf *out)
{
    struct html_page page = { .listing = listing, .story = listing->story, .out = out,
                              .begin = out->size };

    put_begin(&page);
    put_head(&page);
    html_raw(&page, "<main id=\"main\">\n");
    if (page.story) put_rounds(&page);
    put_findings(&page);
    if (page.story) {
        put_lookers(&page);
        put_attempts(&page);
    }
    put_unlooked(&page);
    html_printf(&page, "</main>\n<footer><p>Written by hone %s. All times are UTC. This page holds "
                "no script and loads nothing.</p></footer>\n</body>\n</html>\n", listing->version);
}
