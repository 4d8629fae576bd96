/* SPDX-License-Identifier: Apache-2.0
 *
 * approved.c - plans inside a session file, and what its readers share.
 *
 *     ## Approved Plan
 *
 *     - Source: reviewer-approved
 *
 *     ### Solution Plan: ...        `## ` in the plan: lowered, or it would begin a section
 *     #### Problem Analysis
 *
 * 1. A plan that was set is read as it was, its highest heading as `## `.
 * 2. While nothing is approved the section is empty: no source, no body. */
#include "dialect/session/file_parts.h"

#include "dialect/sections.h"
#include "format/text/safe.h"

#include <assert.h>
#include <string.h>

enum { PLAN_LEVEL = 2, TAB_COLUMNS = 4 };

static const char sentinel[] = "(none \xe2\x80\x94 review-only mode)\n\n"
                               "Scope: see `## Review Target` section below.";

static const char *const source_words[SOURCE_COUNT] = {
    [SOURCE_NONE] = "",
    [SOURCE_APPROVED] = "reviewer-approved",
    [SOURCE_USER] = "user-supplied",
    [SOURCE_REVIEW_ONLY] = "review-only",
};

/* ---- lines ---- */

struct str session_unmarked(struct str text)
{
    static const char marks[] = " \t\r\n`*\"'";

    while (text.size && text.data[0] && strchr(marks, text.data[0])) text = str_skip(text, 1);
    while (text.size && text.data[text.size - 1] && strchr(marks, text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

struct str session_one_line(struct session_file *file, struct str text)
{
    struct str kept;
    struct buf line;

    buf_init(&line, SIZE_MAX / 2);
    safe_text(&line, str_trim(text), true, 0);
    kept = session_file_keep(file, str_trim(buf_str(&line)));
    buf_release(&line);
    return kept;
}

bool session_lines_next(struct session_lines *lines)
{
    if (!str_cut(&lines->rest, '\n', &lines->raw)) return false;
    lines->number++;
    lines->indent = 0;
    for (size_t i = 0; i < lines->raw.size; i++) {
        if (lines->raw.data[i] == ' ') lines->indent++;
        else if (lines->raw.data[i] == '\t') lines->indent += TAB_COLUMNS;
        else break;
    }
    lines->text = str_trim(lines->raw);
    return true;
}

bool session_is_bullet(struct str line, struct str *text)
{
    if (line.size < 1 || (line.data[0] != '-' && line.data[0] != '*')) return false;
    if (line.size > 1 && line.data[1] != ' ' && line.data[1] != '\t') return false;
    *text = str_trim(str_skip(line, 1));
    return true;
}

/* ---- sources ---- */

const char *session_source_word(enum session_source source)
{
    assert(source < SOURCE_COUNT);
    return source_words[source];
}

bool session_source_from_word(struct str word, enum session_source *out)
{
    for (uint32_t i = SOURCE_APPROVED; i < SOURCE_COUNT; i++) {
        if (!str_is(word, source_words[i])) continue;
        *out = (enum session_source)i;
        return true;
    }
    return false;
}

/* Cuts "- Source: word" off the front of a body. False: it does not begin so. */
static bool cut_source(struct str *body, struct str *word)
{
    static const size_t key = sizeof "Source:" - 1;
    struct str rest = markdown_trim(*body), line, text;

    if (!str_cut(&rest, '\n', &line) || !session_is_bullet(str_trim(line), &text)) return false;
    if (text.size < key || !session_is_word((struct str){ text.data, key }, "Source:")) {
        return false;
    }
    *word = session_unmarked(str_skip(text, key));
    *body = markdown_trim(rest);
    return true;
}

/* ---- plans ---- */

static struct str shifted(struct session_file *file, struct str text, int by)
{
    struct str kept;
    struct buf out;

    buf_init(&out, SIZE_MAX / 2);
    markdown_shift(text, by, &out);
    kept = session_file_keep(file, buf_str(&out));
    buf_release(&out);
    return kept;
}

/* A plan with no heading as high as `## ` was lowered when it was written. */
static struct str raised(struct session_file *file, struct str body)
{
    return markdown_level(body) > PLAN_LEVEL ? shifted(file, body, -1) : body;
}

/* As it is written: its highest heading is `### `. */
static struct str lowered(struct session_file *file, struct str plan)
{
    struct str kept;
    uint32_t level;
    struct buf out;

    buf_init(&out, SIZE_MAX / 2);
    markdown_normal(plan, PLAN_LEVEL + 1, &out);
    level = markdown_level(buf_str(&out));
    kept = session_file_keep(file, buf_str(&out));
    buf_release(&out);
    return level > PLAN_LEVEL + 1 ? shifted(file, kept, PLAN_LEVEL + 1 - (int)level) : kept;
}

void session_file_plan(struct session_file *file, struct session_plan *out)
{
    struct str body = session_file_text(file, SESSION_PLAN), word = { "", 0 };

    *out = (struct session_plan){ .source = SOURCE_NONE };
    if (cut_source(&body, &word)) (void)session_source_from_word(word, &out->source);
    if (out->source == SOURCE_REVIEW_ONLY && str_is(body, sentinel)) body = STR("");
    out->body = raised(file, body);
}

struct str session_plan_source(const struct session_file *file)
{
    struct str body = session_file_text(file, SESSION_PLAN), word = { "", 0 };

    return cut_source(&body, &word) ? word : (struct str){ NULL, 0 };
}

void session_file_set_plan(struct session_file *file, const struct session_plan *plan)
{
    struct session_plan before;
    struct str body;
    struct buf text;

    session_file_plan(file, &before);
    body = plan->source == SOURCE_REVIEW_ONLY ? str_of(sentinel) : lowered(file, plan->body);
    if (session_file_has(file, SESSION_PLAN) && before.source == plan->source &&
        plan->source != SOURCE_REVIEW_ONLY && plan->source != SOURCE_NONE &&
        str_eq(lowered(file, before.body), body)) {
        return; /* as somebody else wrote it */
    }
    buf_init(&text, SIZE_MAX / 2);
    if (plan->source != SOURCE_NONE) {
        buf_printf(&text, "- Source: %s\n\n", session_source_word(plan->source));
        buf_add(&text, body);
    }
    session_part_set(file, SESSION_PLAN, markdown_trim(buf_str(&text)));
    buf_release(&text);
}

struct str session_file_draft(struct session_file *file)
{
    return raised(file, session_file_text(file, SESSION_DRAFT));
}

void session_file_set_draft(struct session_file *file, struct str plan)
{
    struct str body = lowered(file, plan);

    if (body.size == 0) session_file_remove(file, SESSION_DRAFT);
    else session_part_set(file, SESSION_DRAFT, body);
}
