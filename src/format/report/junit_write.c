/* SPDX-License-Identifier: Apache-2.0
 *
 * junit_write.c - a run as JUnit's XML, which the test reports of GitLab, Jenkins and GitHub's
 * actions show.
 *
 *   suite "hone"      the run: an error where it has not said all it could; an error for each file
 *                     that was not looked at
 *   suite "critic"    a reviewer: a case for each phase that it looked at, then what it reported
 *
 *   open              failure
 *   noted, waived     skipped, with the reason
 *   fixed             passed
 *   a reviewer        passed where it answered, with findings or without: these fail by themselves;
 *                     skipped where it had nothing to look at; an error where it failed, broke its
 *                     contract or has not answered
 *
 * 1. A suite is never green by silence: a dead reviewer is an error in its own suite, and the run
 *    is one in its.
 * 2. Services tell a case from others, over runs, by its class and its name: so the name has no
 *    line in it, and the finding's ID, which stays when lines move. The class is the reviewer and
 *    the file, whose dots are written as "_": readers take a dot for the border of a package.
 * 3. It is valid by the schema of Jenkins' plugins, which allows no file and no line at a case:
 *    they stand at the beginning of the failure's text, as compilers write them.
 * 4. Where findings were left out (listing.left), a case of the run says how many: skipped. */
#include "format/report/listing.h"

#include "base/clock.h"
#include "base/mem.h"
#include "format/json/finding_json.h"
#include "format/report/xml_write.h"
#include "format/text/safe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES_MAX = 300, CLASS_BYTES_MAX = 300, TEXT_BYTES_MAX = 4000 };

/* What becomes of a case. */
enum fate { FATE_PASSED, FATE_FAILURE, FATE_ERROR, FATE_SKIPPED, FATE_COUNT };

struct suite {
    const char *name;
    uint64_t took_ms;
    uint32_t fates[FATE_COUNT];
    struct buf cases;
};

/* One writing. */
struct report {
    const struct listing *listing;
    struct suite *suites; /* the first is the run's; then one for each role of the plan */
    uint32_t count;
    struct buf name, class, text, type;
};

static enum fate entry_fate(const struct ledger_entry *entry)
{
    switch (entry->state) {
    case FINDING_NEW:
    case FINDING_PERSISTING:
    case FINDING_REGRESSED:
    case FINDING_PARKED: return FATE_FAILURE;
    case FINDING_NOTED:
    case FINDING_WAIVED: return FATE_SKIPPED;
    case FINDING_FIXED:
    case FINDING_STATE_COUNT: break;
    }
    return FATE_PASSED;
}

/* The case that name, class, type and text of the report describe; they are empty then. */
static void add_case(struct report *report, struct suite *suite, enum fate fate, uint64_t took_ms)
{
    static const char *const elements[FATE_COUNT] = {
        [FATE_FAILURE] = "failure", [FATE_ERROR] = "error", [FATE_SKIPPED] = "skipped",
    };
    struct buf *out = &suite->cases;

    suite->fates[fate]++;
    buf_text(out, "    <testcase");
    xml_add_attribute(out, "classname", buf_str(&report->class), CLASS_BYTES_MAX);
    xml_add_attribute(out, "name", buf_str(&report->name), 0);
    buf_printf(out, " time=\"%" PRIu64 ".%03u\"", took_ms / 1000, (unsigned)(took_ms % 1000));
    if (elements[fate]) {
        buf_printf(out, ">\n      <%s", elements[fate]);
        if (fate != FATE_SKIPPED) {
            struct str first = buf_str(&report->text), rest = first;

            (void)str_cut(&rest, '\n', &first);
            xml_add_attribute(out, "type", buf_str(&report->type), NAME_BYTES_MAX);
            xml_add_attribute(out, "message", first, NAME_BYTES_MAX);
        }
        buf_byte(out, '>');
        xml_add_text(out, buf_str(&report->text), TEXT_BYTES_MAX);
        buf_printf(out, "</%s>\n    </testcase>\n", elements[fate]);
    } else {
        buf_text(out, "/>\n");
    }
    buf_clear(&report->name);
    buf_clear(&report->class);
    buf_clear(&report->text);
    buf_clear(&report->type);
}

static struct suite *suite_of(struct report *report, const char *role)
{
    for (uint32_t i = 1; i < report->count; i++) {
        if (strcmp(report->suites[i].name, role) == 0) return &report->suites[i];
    }
    return &report->suites[0];
}

/* ---- the run ---- */

static void add_run(struct report *report)
{
    const struct listing *listing = report->listing;
    struct suite *suite = &report->suites[0];

    buf_text(&report->class, "hone.run");
    buf_text(&report->name, "the run has said all it could");
    buf_text(&report->type, listing->end ? listing->end : "unfinished");
    listing_end_say(listing, &report->text);
    add_case(report, suite, listing->unfinished ? FATE_ERROR : FATE_PASSED, 0);
    for (uint32_t i = 0; i < listing->coverage.unlooked_count && i < LISTING_UNLOOKED_MAX; i++) {
        const struct unlooked *item = &listing->coverage.unlooked[i];

        buf_text(&report->class, "hone.coverage");
        buf_add(&report->name, str_head(item->file, NAME_BYTES_MAX));
        if (item->tool.size > 0) buf_printf(&report->name, " (%.*s)", STR_ARG(item->tool));
        buf_text(&report->type, "not looked at");
        unlooked_say_one(item, &report->text);
        add_case(report, suite, FATE_ERROR, 0);
    }
    listing_left_say(listing, &report->text);
    if (report->text.size == 0) return;
    buf_text(&report->class, "hone.run");
    buf_text(&report->name, "all findings are listed");
    add_case(report, suite, FATE_SKIPPED, 0);
}

/* ---- reviewers ---- */

static void add_look(struct report *report, const struct listing_look *look)
{
    struct suite *suite = suite_of(report, look->role);
    enum fate fate = FATE_PASSED;

    buf_printf(&report->class, "%s.review", look->role);
    buf_printf(&report->name, "%s has looked, phase %s", look->role, look->phase);
    if (look->lane > 0) buf_printf(&report->name, ", lane %" PRIu32, look->lane);
    if (look_problem_say(look, &report->text)) {
        buf_text(&report->type, look->ended ? verdict_word(look->verdict) : "no answer");
        fate = FATE_ERROR;
    } else if (look->verdict == VERDICT_NOT_PLAYED) {
        buf_text(&report->text, "there was nothing for it to look at");
        fate = FATE_SKIPPED;
    }
    suite->took_ms += look->took_ms;
    add_case(report, suite, fate, look->took_ms);
}

/* ---- findings ---- */

static void add_class(struct report *report, const char *role, struct str file)
{
    size_t begin;

    buf_add(&report->class, str_of(role));
    buf_byte(&report->class, '.');
    begin = report->class.size;
    if (!listing_path(report->listing, file, &report->class)) {
        report->class.size = begin;
        buf_text(&report->class, "(no file)");
    }
    for (size_t i = begin; i < report->class.size; i++) {
        if (report->class.data[i] == '.') report->class.data[i] = '_';
    }
}

/* As compilers write it: readers find file and line in it. */
static void add_words(struct report *report, const struct ledger_entry *entry)
{
    const struct listing *listing = report->listing;
    const struct finding *finding = &entry->finding;
    struct buf path;

    buf_init(&path, SIZE_MAX / 4);
    if (listing_path(listing, finding->file, &path)) {
        buf_add(&report->text, buf_str(&path));
        if (finding->line > 0) buf_printf(&report->text, ":%" PRIu32, finding->line);
        if (finding->line > 0 && finding->column > 0) {
            buf_printf(&report->text, ":%" PRIu32, finding->column);
        }
        buf_text(&report->text, ": ");
    }
    buf_release(&path);
    buf_printf(&report->text, "%s: ", severity_word(finding->severity));
    listing_words(listing, entry, &report->text);
    if (finding->suggestion.size > 0) {
        buf_text(&report->text, "\nSuggestion: ");
        buf_add(&report->text, finding->suggestion);
    }
}

static void add_entry(struct report *report, const struct ledger_entry *entry)
{
    const char *role = listing_role(report->listing, entry);
    enum fate fate = entry_fate(entry);
    struct str reason = listing_reason(report->listing, entry);
    char id[LISTING_ID_BYTES];

    add_class(report, role, entry->finding.file);
    listing_rule(report->listing, entry, &report->type);
    safe_text(&report->name, listing_text(entry), true, NAME_BYTES_MAX);
    buf_printf(&report->name, " [");
    listing_rule_say(report->listing, entry, &report->name);
    buf_printf(&report->name, "] (%s)", listing_id(entry, true, id));
    if (fate == FATE_SKIPPED) {
        buf_text(&report->text, finding_state_word(entry->state));
        if (reason.size > 0) buf_text(&report->text, ": ");
        buf_add(&report->text, reason);
    } else if (fate == FATE_FAILURE) {
        add_words(report, entry);
    }
    add_case(report, suite_of(report, role), fate, 0);
}

/* ---- the document ---- */

static uint32_t suite_total(const struct suite *suite)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < FATE_COUNT; i++) total += suite->fates[i];
    return total;
}

static void add_counts(struct buf *out, const uint32_t fates[FATE_COUNT], bool skipped)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < FATE_COUNT; i++) total += fates[i];
    xml_add_number(out, "tests", total);
    xml_add_number(out, "failures", fates[FATE_FAILURE]);
    xml_add_number(out, "errors", fates[FATE_ERROR]);
    if (skipped) xml_add_number(out, "skipped", fates[FATE_SKIPPED]);
}

static void add_suite(const struct report *report, const struct suite *suite, struct buf *out)
{
    const struct listing *listing = report->listing;

    buf_text(out, "  <testsuite");
    xml_add_attribute(out, "name", str_of(suite->name), NAME_BYTES_MAX);
    add_counts(out, suite->fates, true);
    buf_printf(out, " time=\"%" PRIu64 ".%03u\"", suite->took_ms / 1000,
               (unsigned)(suite->took_ms % 1000));
    if (listing->began_ms > 0) {
        char time[CLOCK_ISO_BYTES];
        struct str began = str_of(clock_iso(listing->began_ms, time));

        /* Without the Z: some readers want no zone, and take it for UTC. */
        xml_add_attribute(out, "timestamp", str_head(began, began.size - 1), 0);
    }
    buf_text(out, ">\n    <properties>\n      <property name=\"run\"");
    xml_add_attribute(out, "value", str_of(listing->run), NAME_BYTES_MAX);
    buf_text(out, "/>\n    </properties>\n");
    buf_add(out, buf_str(&suite->cases));
    if (suite->cases.overflow) out->overflow = true;
    buf_text(out, "  </testsuite>\n");
}

static void report_init(struct report *report, const struct listing *listing, size_t limit)
{
    const struct plan *plan = listing->plan;

    *report = (struct report){ .listing = listing, .count = plan->role_count };
    if (report->count == 0) report->count = 1; /* ROLE_NONE's place is the run's */
    report->suites = mem_alloc(report->count * sizeof *report->suites);
    for (uint32_t i = 0; i < report->count; i++) {
        report->suites[i] = (struct suite){ .name = i == 0 ? "hone" : plan->roles[i].name };
        buf_init(&report->suites[i].cases, limit);
    }
    buf_init(&report->name, SIZE_MAX / 4);
    buf_init(&report->class, SIZE_MAX / 4);
    buf_init(&report->text, SIZE_MAX / 4);
    buf_init(&report->type, SIZE_MAX / 4);
}

static void report_release(struct report *report)
{
    for (uint32_t i = 0; i < report->count; i++) buf_release(&report->suites[i].cases);
    free(report->suites);
    buf_release(&report->name);
    buf_release(&report->class);
    buf_release(&report->text);
    buf_release(&report->type);
}

void junit_write(const struct listing *listing, struct buf *out)
{
    uint32_t fates[FATE_COUNT] = { 0 };
    struct report report;

    report_init(&report, listing, out->limit);
    add_run(&report);
    for (uint32_t i = 0; i < listing->look_count; i++) add_look(&report, &listing->looks[i]);
    for (uint32_t i = 0; i < listing->count; i++) add_entry(&report, listing->items[i]);
    for (uint32_t i = 0; i < report.count; i++) {
        for (uint32_t k = 0; k < FATE_COUNT; k++) fates[k] += report.suites[i].fates[k];
    }
    buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"hone\"");
    add_counts(out, fates, false);
    buf_text(out, ">\n");
    for (uint32_t i = 0; i < report.count; i++) {
        if (suite_total(&report.suites[i]) > 0) add_suite(&report, &report.suites[i], out);
    }
    buf_text(out, "</testsuites>\n");
    report_release(&report);
}
