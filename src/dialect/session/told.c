/* SPDX-License-Identifier: Apache-2.0
 *
 * told.c - what was found so far and what changed, for prompts.
 *
 * 1. An issue's state is what later reviews of the same phase say: reported again, or not. Nobody's
 *    word that it is fixed counts.
 * 2. The lists are the tree's own. What the executor claims only marks them: a file it did not
 *    declare is named as undeclared. */
#include "dialect/session/told.h"

#include "dialect/quote.h"

enum {
    ISSUES_MAX = 200,
    ISSUE_BYTES_MAX = 2048,
    HISTORY_BYTES_MAX = 96 * 1024,
    HISTORY_LIMIT = 64 << 20,
    FILES_MAX = 400,
    FILE_BYTES_MAX = 512,
    DIFF_BYTES_MAX = 256 * 1024,
};

/* ---- issues ---- */

static void write_issue(const struct sheet *sheet, const struct finding *issue)
{
    struct buf *out = sheet->out;

    buf_text(out, issue->severity == SEVERITY_HIGH ? "[CRITICAL] " : "[MINOR] ");
    quote_text(out, sheet->run->fence, issue->text, "  ", ISSUE_BYTES_MAX);
    if (issue->file.size == 0) return;
    buf_text(out, "\n  File: `");
    quote_line(out, sheet->run->fence, issue->file, FILE_BYTES_MAX);
    buf_byte(out, '`');
    if (issue->line) buf_printf(out, ", around line %u", (unsigned)issue->line);
}

void told_open_issues(const struct sheet *sheet)
{
    const struct batch *review = &sheet->run->engine->lanes[0].review;
    uint32_t count = 0;

    if (sheet->request->action->purpose != FOR_REPAIR) return;
    buf_printf(sheet->out, "\n## Open issues of %s, round %u\n\n",
               sheet->run->engine->plan->phases[review->phase].name, (unsigned)review->round);
    quote_open(sheet->out, sheet->run->fence);
    for (uint32_t i = 0; i < review->count; i++) {
        const struct result *result = &review->jobs[i].result;
        for (uint32_t k = 0; k < result->finding_count; k++, count++) {
            if (count >= ISSUES_MAX) continue;
            buf_text(sheet->out, "- ");
            write_issue(sheet, &result->findings[k]);
            buf_byte(sheet->out, '\n');
        }
    }
    quote_close(sheet->out, sheet->run->fence);
    if (count > ISSUES_MAX) {
        buf_printf(sheet->out, "%u more are left out here.\n", (unsigned)(count - ISSUES_MAX));
    }
}

static bool turn_reports(const struct session_turn *turn, uint64_t fingerprint)
{
    for (uint32_t i = 0; i < turn->count; i++) {
        const struct session_doc *doc = &turn->steps[i].doc;
        if (!session_step_is_review(&turn->steps[i])) continue;
        for (uint32_t k = 0; k < doc->issue_count; k++) {
            if (doc->issues[k].fingerprint == fingerprint) return true;
        }
    }
    return false;
}

/* What the rounds behind it say about an issue of a round. */
static void write_state(const struct sheet *sheet, uint32_t at, uint64_t fingerprint)
{
    const struct session_story *story = sheet->story;
    const struct session_turn *later = NULL;
    bool approved, again = false;

    for (uint32_t i = at + 1; i < story->count; i++) {
        const struct session_turn *turn = &story->turns[i];
        if (turn->phase != story->turns[at].phase) continue;
        if (!session_turn_verdict(turn, &approved)) continue;
        later = turn;
        again = turn_reports(turn, fingerprint);
    }
    if (!later) {
        buf_text(sheet->out, "\n  Status: not reviewed again yet");
    } else {
        buf_printf(sheet->out, "\n  Status: %s in round %u",
                   again ? "reported again" : "not reported any more", (unsigned)later->number);
    }
}

/* Issues of planning are settled by the plan; reviews of code see those of all stages. */
static bool is_told(const struct sheet *sheet, const struct session_turn *turn)
{
    const struct plan *plan = sheet->run->engine->plan;
    bool planning = session_phase_is(plan, sheet->request->action->phase, "planning");

    return session_phase_is(plan, turn->phase, "planning") == planning;
}

static uint32_t issue_total(const struct sheet *sheet)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < sheet->story->count; i++) {
        const struct session_turn *turn = &sheet->story->turns[i];
        if (!is_told(sheet, turn)) continue;
        for (uint32_t k = 0; k < turn->count; k++) total += turn->steps[k].doc.issue_count;
    }
    return total;
}

static void write_turn_issues(const struct sheet *sheet, uint32_t at, uint32_t *left_out)
{
    const struct session_turn *turn = &sheet->story->turns[at];

    for (uint32_t i = 0; i < turn->count; i++) {
        const struct session_doc *doc = &turn->steps[i].doc;
        for (uint32_t k = 0; k < doc->issue_count; k++) {
            if (*left_out > 0) {
                --*left_out;
                continue;
            }
            buf_printf(sheet->out, "- %s round %u: ",
                       session_phase_title(sheet->run->engine->plan, turn->phase),
                       (unsigned)turn->number);
            write_issue(sheet, &doc->issues[k]);
            write_state(sheet, at, doc->issues[k].fingerprint);
            buf_byte(sheet->out, '\n');
        }
    }
}

void told_findings(const struct sheet *sheet)
{
    uint32_t total = issue_total(sheet), left_out = total > ISSUES_MAX ? total - ISSUES_MAX : 0;

    if (total == 0) return;
    buf_text(sheet->out, "\n## Issues so far, and what became of them\n\n");
    if (left_out) buf_printf(sheet->out, "%u older ones are left out.\n\n", (unsigned)left_out);
    quote_open(sheet->out, sheet->run->fence);
    for (uint32_t i = 0; i < sheet->story->count; i++) {
        if (is_told(sheet, &sheet->story->turns[i])) write_turn_issues(sheet, i, &left_out);
    }
    quote_close(sheet->out, sheet->run->fence);
}

/* ---- history ---- */

void told_history(const struct sheet *sheet)
{
    struct buf text;
    struct str history, line;

    buf_init(&text, HISTORY_LIMIT);
    session_history(sheet->run, &text);
    history = str_trim(buf_str(&text));
    if (history.size > 0) {
        buf_text(sheet->out, "\n## Review History of this session\n\n");
        if (history.size > HISTORY_BYTES_MAX) {
            history = str_skip(history, history.size - HISTORY_BYTES_MAX);
            str_cut(&history, '\n', &line);
            buf_text(sheet->out, "Its older part is left out; it is in the session file.\n\n");
        }
        quote_block(sheet->out, sheet->run->fence, history, 2 * HISTORY_BYTES_MAX);
    }
    buf_release(&text);
}

/* ---- the tree ---- */

static void write_file(const struct sheet *sheet, const struct tree_file *file, const char *mark)
{
    quote_line(sheet->out, sheet->run->fence, file->path, FILE_BYTES_MAX);
    buf_printf(sheet->out, "%s%s\n", *mark ? "  " : "", mark);
}

static void write_more(const struct sheet *sheet, uint32_t count)
{
    if (count <= FILES_MAX) return;
    buf_printf(sheet->out, "%u more are left out here: see `git status`.\n",
               (unsigned)(count - FILES_MAX));
}

static void write_dirty(const struct sheet *sheet, const struct tree_view *tree)
{
    buf_text(sheet->out, "\n## What changed\n\nThe workspace named above is the authoritative"
                         " scope of this review. Everything in it that differs from\nthe last"
                         " commit, deleted and untracked files included:\n\n");
    quote_open(sheet->out, sheet->run->fence);
    if (tree->dirty_count == 0) buf_text(sheet->out, "(nothing)\n");
    for (uint32_t i = 0; i < tree->dirty_count && i < FILES_MAX; i++) {
        write_file(sheet, &tree->dirty[i], *tree->dirty[i].oid ? "" : "(deleted)");
    }
    quote_close(sheet->out, sheet->run->fence);
    write_more(sheet, tree->dirty_count);
}

static void write_diff(const struct sheet *sheet, const struct tree_view *tree, const char *lead)
{
    if (tree->diff.size == 0) return;
    buf_printf(sheet->out, "\n%s:\n\n", lead);
    quote_block(sheet->out, sheet->run->fence, tree->diff, DIFF_BYTES_MAX);
}

static void write_from_head(const struct sheet *sheet, const struct tree_view *tree)
{
    bool worked = session_last_executor(sheet->story, false) != NULL;

    if (worked) {
        buf_text(sheet->out, "\nWhat of this belongs to the executor's last round alone is not"
                             " known.\n");
    }
    write_diff(sheet, tree, "All of it as a diff from the last commit");
}

static void write_delta(const struct sheet *sheet, const struct tree_view *tree)
{
    const struct session_step *step = session_last_executor(sheet->story, false);
    uint32_t undeclared = 0;

    buf_text(sheet->out, "\nThe delta of this round, by content, from before the executor's last"
                         " work to after it:\n\n");
    quote_open(sheet->out, sheet->run->fence);
    if (tree->delta_count == 0) buf_text(sheet->out, "(nothing)\n");
    for (uint32_t i = 0; i < tree->delta_count; i++) {
        const struct tree_file *file = &tree->delta[i];
        bool declared = !step || session_doc_claims(&step->doc, file->path);

        undeclared += !declared;
        if (i >= FILES_MAX) continue;
        write_file(sheet, file, declared
                                    ? arena_printf(sheet->arena, "(%s)", file->change)
                                    : arena_printf(sheet->arena, "(%s, undeclared)",
                                                   file->change));
    }
    quote_close(sheet->out, sheet->run->fence);
    write_more(sheet, tree->delta_count);
    if (undeclared) {
        buf_printf(sheet->out, "\nUndeclared: %u of these changed although the executor does not"
                               " say so. Look at each.\n", (unsigned)undeclared);
    }
    write_diff(sheet, tree, "The same as a diff");
}

void told_tree(const struct sheet *sheet)
{
    const struct tree_view *tree = sheet->run->tree;

    if (!tree) return;
    write_dirty(sheet, tree);
    if (tree->from_head) {
        write_from_head(sheet, tree);
    } else {
        write_delta(sheet, tree);
    }
}
