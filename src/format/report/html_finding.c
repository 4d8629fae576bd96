/* SPDX-License-Identifier: Apache-2.0
 *
 * html_finding.c - one finding of the HTML report: what was said, where, by whom, what became of it
 * round by round, and the fix that resolved it or the lines it is about.
 *
 *     > high  src/sum.c:12  the sum may overflow          fixed
 *       what was said, evidence, suggestion
 *       history: reported in round 1, fixed in round 2
 *       who reported it, each in its own words
 *       the hunks of the fix near it; or the lines around it */
#include "format/report/html_page.h"

#include "format/json/finding_json.h"

#include <inttypes.h>
#include <string.h>

enum { VOTE_TEXT_MAX = 2000, HUNKS_MAX = 6, HUNK_BYTES_MAX = 12 << 10, HEAD_TEXT_MAX = 240,
       FILES_NAMED_MAX = 12 };

/* ---- the line that is always seen ---- */

static void put_place(struct html_page *page, const struct finding *finding)
{
    struct buf path;

    if (finding->file.size == 0) {
        html_raw(page, "<span class=\"where\">about no file</span>");
        return;
    }
    html_raw(page, "<code class=\"where\">");
    buf_init(&path, SIZE_MAX / 4);
    if (listing_path(page->listing, finding->file, &path)) {
        html_put(page, buf_str(&path), HTML_NAME_MAX);
    } else {
        html_put(page, finding->file, HTML_NAME_MAX);
    }
    buf_release(&path);
    if (finding->line) html_printf(page, ":%" PRIu32, finding->line);
    html_raw(page, "</code>");
}

static void put_head(struct html_page *page, const struct ledger_entry *entry)
{
    const char *severity = severity_word(entry->finding.severity);

    html_printf(page, "<summary><span class=\"tag sev-%s\">%s</span> <span class=\"what\">",
                severity, severity);
    html_put(page, str_trim(entry->finding.text), HEAD_TEXT_MAX);
    html_raw(page, "</span> ");
    put_place(page, &entry->finding);
    html_printf(page, " <span class=\"tag state-%s\">%s</span></summary>\n",
                finding_is_open(entry->state) ? "open" : finding_state_word(entry->state),
                finding_state_word(entry->state));
}

/* ---- what was said ---- */

static void put_said(struct html_page *page, const char *label, struct str text)
{
    text = str_trim(text);
    if (text.size == 0) return;
    html_printf(page, "<div class=\"said\"><h4>%s</h4><p>", label);
    html_put_lines(page, text, HTML_TEXT_MAX);
    html_raw(page, "</p></div>\n");
}

static void put_fact(struct html_page *page, const char *label)
{
    html_printf(page, "<div><dt>%s</dt><dd>", label);
}

static void put_reported(struct html_page *page, const struct ledger_entry *entry)
{
    put_fact(page, "Reported");
    html_printf(page, "in round %" PRIu32, entry->round_first);
    if (entry->round_last != entry->round_first ||
        entry->iteration_last != entry->iteration_first) {
        html_printf(page, ", last in round %" PRIu32, entry->round_last);
    }
    if (entry->iteration_last > 1) {
        html_printf(page, " (of iteration %" PRIu32 ")", entry->iteration_last);
    }
    html_raw(page, "</dd></div>\n");
    put_fact(page, "Brought by");
    if (entry->cause_round == 0) html_raw(page, "the change");
    else html_printf(page, "the fix of round %" PRIu32, entry->cause_round);
    html_raw(page, "</dd></div>\n");
    put_fact(page, "Tried");
    if (entry->tries == 0) html_raw(page, "no fix was to resolve it");
    else html_printf(page, entry->tries == 1 ? "once" : "%" PRIu32 " times", entry->tries);
    html_raw(page, "</dd></div>\n");
    if (entry->regressions > 0) {
        put_fact(page, "Came back");
        html_printf(page, entry->regressions == 1 ? "once, after it was fixed"
                                                  : "%" PRIu32 " times, after it was fixed",
                    entry->regressions);
        html_raw(page, "</dd></div>\n");
    }
}

/* Why it is not open, or why a repair did not resolve it. */
static void put_why(struct html_page *page, const struct ledger_entry *entry)
{
    struct str reason = listing_reason(page->listing, entry);

    if (entry->state == FINDING_WAIVED) {
        put_fact(page, "Waived");
        if (reason.size > 0) html_put(page, reason, HTML_TEXT_MAX);
        else html_raw(page, "by a person; the reason is not in the file of waivers any more");
        html_raw(page, "</dd></div>\n");
    }
    if (entry->state == FINDING_NOTED) {
        put_fact(page, "Noted");
        html_raw(page, entry->doubt == DOUBT_DECLINED ? "the fixer gave a reason to leave it"
                                                      : "too small to fail its review");
        html_raw(page, "</dd></div>\n");
    }
    if (entry->state == FINDING_PARKED) {
        put_fact(page, "Parked");
        html_raw(page, "no fix is tried any more in this run</dd></div>\n");
    }
    if (entry->doubt != DOUBT_NONE && finding_is_open(entry->state)) {
        put_fact(page, "Unresolved");
        html_raw(page, entry->doubt == DOUBT_DECLINED ? "the fixer declined it"
                       : entry->doubt == DOUBT_UNNAMED ? "the fixer's report does not name it"
                                                       : "nothing changed near it");
        html_raw(page, "</dd></div>\n");
    }
}

static void put_facts(struct html_page *page, const struct ledger_entry *entry)
{
    char id[LISTING_ID_BYTES];
    struct buf rule;

    buf_init(&rule, SIZE_MAX / 4);
    listing_rule_say(page->listing, entry, &rule);
    html_raw(page, "<dl class=\"facts\">\n");
    put_fact(page, "Rule");
    html_put(page, buf_str(&rule), HTML_NAME_MAX);
    html_raw(page, "</dd></div>\n");
    buf_release(&rule);
    put_reported(page, entry);
    put_why(page, entry);
    put_fact(page, "ID");
    html_printf(page, "<code>%s</code></dd></div>\n</dl>\n", listing_id(entry, false, id));
}

/* ---- its history ---- */

static void put_history(struct html_page *page, const struct story_fate *fate)
{
    html_raw(page, "<h4>History</h4>\n<ol class=\"history\">\n");
    for (uint32_t i = 0; i < fate->change_count; i++) {
        const struct story_change *change = &fate->changes[i];
        bool open = finding_is_open(change->state);

        html_printf(page, "<li><span class=\"tag state-%s\">%s</span> ",
                    open ? "open" : finding_state_word(change->state),
                    finding_state_word(change->state));
        if (change->round == STORY_NONE) html_raw(page, "at the end");
        else html_round(page, change->round);
        html_raw(page, "</li>\n");
    }
    html_raw(page, "</ol>\n");
}

static void put_votes(struct html_page *page, const struct ledger_entry *entry)
{
    if (entry->vote_count == 0) return;
    html_raw(page, "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"Votes\">\n"
                   "<table><caption>Who reported it, and how</caption>\n<thead><tr>"
                   "<th scope=\"col\">Who</th><th scope=\"col\" class=\"n\">Round</th>"
                   "<th scope=\"col\">Severity</th><th scope=\"col\">In its own words</th>"
                   "<th scope=\"col\">Still says so</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < entry->vote_count; i++) {
        const struct vote *vote = &entry->votes[i];

        html_raw(page, "<tr><th scope=\"row\">");
        html_who(page, listing_voter(page->listing, vote), vote->by);
        html_printf(page, "</th><td class=\"n\">%" PRIu32 "</td><td>%s</td><td class=\"wide\">",
                    vote->round, severity_word(vote->finding.severity));
        html_put(page, str_trim(vote->finding.text), VOTE_TEXT_MAX);
        html_printf(page, "</td><td>%s</td></tr>\n", vote->stands ? "yes" : "no");
    }
    html_raw(page, "</tbody></table></div>\n");
}

/* ---- the fix, or the lines ---- */

/* Whether git's name is this path. */
static bool is_file(struct str name, struct str path)
{
    struct buf plain;
    bool same;

    buf_init(&plain, SIZE_MAX / 4);
    story_diff_name(name, &plain);
    same = str_eq(buf_str(&plain), path);
    buf_release(&plain);
    return same;
}

/* The hunks of the finding's file near its line; the number of them, and whether the file is in the
 * diff at all. */
static uint32_t put_hunks(struct html_page *page, struct str diff, const struct ledger_entry *entry,
                          uint32_t line, bool *touched)
{
    struct story_file file;
    struct story_hunk hunk;
    uint32_t count = 0;
    size_t bytes = 0;

    *touched = false;
    while (story_diff_file(&diff, &file)) {
        if (!is_file(file.name, entry->finding.file)) continue;
        *touched = true;
        while (story_diff_hunk(&file.hunks, &hunk)) {
            bool near = line == 0 || story_hunk_is_near(&hunk, line);

            if (!near || count == HUNKS_MAX || bytes > HUNK_BYTES_MAX) continue;
            if (count++ == 0) {
                html_raw(page, "<h4>The fix</h4>\n");
            }
            bytes += hunk.lines.size;
            html_hunk(page, &hunk);
        }
    }
    return count;
}

/* Where the fix changed other places than the finding's: which files. */
static void put_elsewhere(struct html_page *page, struct str diff, bool touched)
{
    struct story_file file;
    uint32_t count = 0;

    html_printf(page, "<h4>The fix</h4>\n<p>Its reviewers found it no more, though nothing changed "
                "near it%s. What changed: ", touched ? "" : ", nor in its file");
    while (story_diff_file(&diff, &file)) {
        if (count > 0 && count <= FILES_NAMED_MAX) html_raw(page, ", ");
        if (count++ < FILES_NAMED_MAX) html_diff_name(page, file.name);
    }
    if (count == 0) html_raw(page, "nothing");
    if (count > FILES_NAMED_MAX) html_printf(page, " and %" PRIu32 " more",
                                             count - FILES_NAMED_MAX);
    html_raw(page, ".</p>\n");
}

static void put_fix(struct html_page *page, const struct ledger_entry *entry,
                    const struct story_fate *fate)
{
    const struct story_diff *diff = &page->story->diffs[fate->diff];
    bool touched;

    if (diff->why) {
        html_raw(page, "<h4>The fix</h4>\n<p>It cannot be shown: ");
        html_put(page, str_of(diff->why), HTML_NAME_MAX);
        html_raw(page, ".</p>\n");
    } else if (put_hunks(page, diff->text, entry, fate->line, &touched) == 0) {
        put_elsewhere(page, diff->text, touched);
    }
}

static void put_source(struct html_page *page, const struct story_fate *fate)
{
    struct str rest = fate->source, line;
    uint32_t number = fate->source_first;

    if (rest.size == 0) return;
    html_raw(page, "<h4>Where it was last reported</h4>\n<div class=\"scroll\" role=\"group\" "
                   "tabindex=\"0\" aria-label=\"Source\"><pre class=\"code\">");
    while (str_cut(&rest, '\n', &line)) {
        bool here = number == fate->line;

        html_printf(page, here ? "<mark><span class=\"ln\">%5" PRIu32 " &gt; </span>"
                               : "<span class=\"ln\">%5" PRIu32 "   </span>", number);
        html_put_lines(page, line, HTML_NAME_MAX);
        html_raw(page, here ? "</mark>\n" : "\n");
        number++;
    }
    html_raw(page, "</pre></div>\n");
}

void html_finding(struct html_page *page, const struct ledger_entry *entry, bool open)
{
    const struct story_fate *fate = story_fate(page->story, entry);
    char id[LISTING_ID_BYTES];

    html_printf(page, "<details class=\"finding\" id=\"f-%s-%" PRIu32 "-%" PRIu32 "\"%s>\n",
                listing_id(entry, true, id), entry->lane, entry->phase, open ? " open=\"\"" : "");
    put_head(page, entry);
    html_raw(page, "<div class=\"body\">\n");
    if (str_trim(entry->finding.text).size > HEAD_TEXT_MAX ||
        str_has(str_trim(entry->finding.text), '\n')) {
        put_said(page, "What was said", entry->finding.text);
    }
    put_said(page, "Evidence", entry->finding.evidence);
    put_said(page, "Suggestion", entry->finding.suggestion);
    put_facts(page, entry);
    if (fate) put_history(page, fate);
    put_votes(page, entry);
    if (fate && fate->diff != STORY_NONE) put_fix(page, entry, fate);
    if (fate && entry->state != FINDING_FIXED) put_source(page, fate);
    html_raw(page, "</div>\n</details>\n");
}
