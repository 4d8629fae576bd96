/* SPDX-License-Identifier: Apache-2.0
 *
 * check_file.c - a session file against what every tool that continues it relies on.
 *
 * Reading makes the best of a file; here everything that is wrong with it is said. Sections that
 * nobody knows are allowed; metadata that nobody knows is not. */
#include "dialect/check.h"
#include "dialect/session/file_parts.h"

#include "dialect/sections.h"

static void check_sections(const struct session_file *file, struct check_report *report)
{
    enum session_section last = 0;
    uint32_t known = 0;

    for (uint32_t i = 0; i < file->count; i++) {
        const struct session_part *part = file->parts[i];

        if (part->section == SESSION_SECTION_COUNT) {
            for (uint32_t k = 0; k < SESSION_SECTION_COUNT; k++) {
                if (!session_is_word(part->title, session_section_title(k))) continue;
                check_report_add(report, "duplicate-section", part->line,
                                 "'%s' is there more than once; only the %s one counts",
                                 session_section_title(k),
                                 k == SESSION_METADATA ? "last" : "first");
            }
            continue;
        }
        if (!session_section_is_canonical(part->section)) continue;
        if (known++ && part->section < last) {
            check_report_add(report, "section-order", part->line, "'%s' comes before '%s'",
                             session_section_title(part->section), session_section_title(last));
        }
        last = part->section;
    }
    for (uint32_t k = 0; k < SESSION_SECTION_COUNT; k++) {
        if (!session_section_is_canonical(k) || session_part_find(file, k)) continue;
        check_report_add(report, "missing-section", 0, "there is no section '## %s'",
                         session_section_title(k));
    }
}

static void check_end(const struct session_file *file, struct check_report *report)
{
    const struct session_part *metadata = session_part_find(file, SESSION_METADATA);

    if (metadata && file->parts[file->count - 1] != metadata) {
        check_report_add(report, "metadata-not-last", metadata->line,
                         "'Session Metadata' is the last section of a file; '%.*s' comes behind it",
                         STR_ARG(file->parts[file->count - 1]->title));
    }
    if (file->open_line) {
        check_report_add(report, "open-fence", file->open_line,
                         "a code fence or a comment begins here and is never closed");
    }
}

static void check_plan(struct session_file *file, struct check_report *report)
{
    enum session_phase phase = session_file_phase(file);
    uint32_t line = session_file_line(file, SESSION_PLAN);
    struct str word = session_plan_source(file);
    struct session_plan plan;

    if (!session_file_has(file, SESSION_PLAN)) return;
    session_file_plan(file, &plan);
    if (!word.data && plan.body.size) {
        check_report_add(report, "no-source", line, "an approved plan begins with '- Source: "
                         "reviewer-approved', user-supplied or review-only");
    } else if (word.data && plan.source == SOURCE_NONE) {
        check_report_add(report, "bad-source", line, "the source of a plan is reviewer-approved, "
                         "user-supplied or review-only, not '%.*s'", STR_ARG(word));
    } else if (plan.source != SOURCE_NONE && plan.source != SOURCE_REVIEW_ONLY &&
               !plan.body.size) {
        check_report_add(report, "empty-plan", line, "the plan has a source and no text");
    }
    if (phase == SESSION_PLANNING && (word.data || plan.body.size)) {
        check_report_add(report, "plan-while-planning", line, "nothing is approved while the phase "
                         "is planning: the section is empty then");
    }
    if (phase == SESSION_EXECUTION && !word.data && !plan.body.size) {
        check_report_add(report, "no-plan", line, "execution needs an approved plan");
    }
    if (plan.source == SOURCE_REVIEW_ONLY && !session_file_has(file, SESSION_TARGET)) {
        check_report_add(report, "no-target", line, "a review of what is there says what that is: "
                         "there is no section '## Review Target'");
    }
}

static void check_phase(const struct session_file *file, struct check_report *report)
{
    if (session_file_has(file, SESSION_PHASE) && session_file_phase(file) == SESSION_NO_PHASE) {
        check_report_add(report, "bad-phase", session_file_line(file, SESSION_PHASE),
                         "the current phase is planning or execution");
    }
    if (session_file_has(file, SESSION_DRAFT) && session_file_phase(file) == SESSION_EXECUTION) {
        check_report_add(report, "draft-left", session_file_line(file, SESSION_DRAFT),
                         "'Draft Plan' is there only while the phase is planning");
    }
}

/* What every file says of itself. */
enum { KEYS_NEEDED = 5 };

static void check_metadata(struct session_file *file, struct check_report *report)
{
    static const char *const needed[KEYS_NEEDED] = {
        "session_origin", "orchestrator_backend", "executor_backend", "reviewer_backend",
        "reviewer_fallback_used",
    };
    uint32_t count, seen = 0, head = session_file_line(file, SESSION_METADATA);
    const struct session_item *items = session_items(file, &count);

    if (!session_file_has(file, SESSION_METADATA)) return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = session_key_rank(items[i].key), line = head + items[i].line;
        const char *wrong = session_item_wrong(file, &items[i]);

        if (items[i].key.size == 0) {
            if (str_trim(items[i].raw).size == 0) continue;
            check_report_add(report, "not-a-key", line, "metadata is '- key: value' lines only");
            continue;
        }
        if (rank == SESSION_KEY_COUNT) {
            check_report_add(report, "unknown-key", line, "'%.*s' is no key of the session's "
                             "metadata", STR_ARG(items[i].key));
            continue;
        }
        if (seen >> rank & 1) {
            check_report_add(report, "duplicate-key", line, "'%.*s' is there more than once; the "
                             "first one counts", STR_ARG(items[i].key));
        }
        seen |= 1u << rank;
        if (wrong) {
            check_report_add(report, "bad-value", line, "%.*s %s", STR_ARG(items[i].key), wrong);
        }
    }
    for (uint32_t i = 0; i < KEYS_NEEDED; i++) {
        if (seen >> session_key_rank(str_of(needed[i])) & 1) continue;
        check_report_add(report, "missing-key", head, "the metadata does not say %s", needed[i]);
    }
}

static void check_source_agrees(struct session_file *file, struct check_report *report)
{
    struct session_metadata metadata;
    struct session_plan plan;

    session_file_metadata(file, &metadata);
    session_file_plan(file, &plan);
    if (metadata.plan_source == SOURCE_NONE || metadata.plan_source == plan.source) return;
    if (!session_file_has(file, SESSION_PLAN)) return;
    check_report_add(report, "source-differs", session_file_line(file, SESSION_METADATA),
                     "plan_source is %s, and the approved plan's source is %s",
                     session_source_word(metadata.plan_source),
                     plan.source ? session_source_word(plan.source) : "not there");
}

void session_file_check(struct session_file *file, struct check_report *report)
{
    if (file->count == 0) {
        check_report_add(report, "no-sections", 0, "there is no section: a session file has "
                         "'## Problem Description' and nine others");
        return;
    }
    check_sections(file, report);
    check_end(file, report);
    check_phase(file, report);
    check_plan(file, report);
    check_metadata(file, report);
    check_source_agrees(file, report);
}

void check_session_file(struct str content, struct check_report *report)
{
    struct session_file file;
    struct err err = { 0 };

    if (session_file_read(&file, content, &err) != 0) {
        check_report_add(report, "too-large", 0, "%s", err.text);
    } else {
        session_file_check(&file, report);
    }
    session_file_release(&file);
}
