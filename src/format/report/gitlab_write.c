/* SPDX-License-Identifier: Apache-2.0
 *
 * gitlab_write.c - findings as GitLab's code quality report: a list of issues, each with
 * description, check_name, fingerprint, severity and location.
 *
 * 1. GitLab tells issues apart, and those of a merge request from those of its target, by the
 *    fingerprint alone: it is the finding's name, which is the same in later runs wherever its line
 *    has moved to. The same words about the same file in another phase or lane are another issue:
 *    these stand behind the name then. No two issues have one fingerprint.
 * 2. Paths are in the repository and lines are there: GitLab drops an issue without. What is about
 *    no file of it is about ".", and the description has the name that was said.
 * 3. A run that has not said all it could is an issue of its own (blocker), as is each file that
 *    was not looked at: an empty list means that all was looked at and nothing found. */
#include "format/report/listing.h"

#include "base/hash.h"
#include "base/text_map.h"
#include "format/json/json.h"
#include "format/text/safe.h"

#include <inttypes.h>

enum { TEXT_BYTES_MAX = 2000 };

static const char *const severities[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "minor",
    [SEVERITY_MEDIUM] = "major",
    [SEVERITY_HIGH] = "critical",
};

/* One writing. */
struct issues {
    const struct listing *listing;
    yyjson_mut_doc *doc;
    yyjson_mut_val *list;
    struct text_map prints; /* the fingerprints that are taken */
    struct arena arena;     /* what they live in */
    struct buf text, path;  /* of the issue that is next; empty afterwards */
};

/* A fingerprint that no issue has yet: the name, or the name with a number behind it. */
static struct str new_print(struct issues *issues, const char *name)
{
    for (uint32_t number = 1;; number++) {
        const char *print = number == 1 ? name
                                        : arena_printf(&issues->arena, "%s.%" PRIu32, name, number);
        uint32_t *taken = text_map_put(&issues->prints, str_of(print), &issues->arena);

        if (*taken != MAP_NONE) continue;
        *taken = 0;
        return str_of(arena_cstr(&issues->arena, str_of(print)));
    }
}

/* The issue that text and path describe. */
static void add_issue(struct issues *issues, const char *print, struct str rule,
                      const char *severity, uint32_t line)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(issues->doc, issues->list);
    yyjson_mut_val *location;
    struct buf shown;

    buf_init(&shown, SIZE_MAX / 4);
    safe_text(&shown, buf_str(&issues->text), true, TEXT_BYTES_MAX);
    json_add_text(issues->doc, object, "description", buf_str(&shown));
    json_add_text(issues->doc, object, "check_name", rule);
    json_add_text(issues->doc, object, "fingerprint", new_print(issues, print));
    json_add_text(issues->doc, object, "severity", str_of(severity));
    location = yyjson_mut_obj_add_obj(issues->doc, object, "location");
    json_add_text(issues->doc, location, "path", buf_str(&issues->path));
    object = yyjson_mut_obj_add_obj(issues->doc, location, "lines");
    yyjson_mut_obj_add_uint(issues->doc, object, "begin", line > 0 ? line : 1);
    buf_clear(&issues->text);
    buf_clear(&issues->path);
    buf_release(&shown);
}

static const char *entry_print(struct issues *issues, const struct ledger_entry *entry)
{
    const struct plan *plan = issues->listing->plan;
    char id[LISTING_ID_BYTES];
    const char *print = arena_printf(&issues->arena, "%s", listing_id(entry, true, id));

    if (entry->phase == 0 && entry->lane == 0) return print;
    return arena_printf(&issues->arena, "%s-%s-%" PRIu32, print, plan->phases[entry->phase].name,
                        entry->lane);
}

static void add_entry(struct issues *issues, const struct ledger_entry *entry)
{
    const struct finding *finding = &entry->finding;
    bool open = finding_is_open(entry->state);
    struct buf rule;
    bool placed;

    buf_init(&rule, LISTING_RULE_BYTES_MAX);
    listing_rule(issues->listing, entry, &rule);
    placed = listing_path(issues->listing, finding->file, &issues->path);
    if (!open) buf_printf(&issues->text, "%s: ", finding_state_word(entry->state));
    listing_words(issues->listing, entry, &issues->text);
    add_issue(issues, entry_print(issues, entry), buf_str(&rule),
              open ? severities[finding->severity] : "info", placed ? finding->line : 0);
    buf_release(&rule);
}

static void add_unlooked(struct issues *issues, const struct unlooked *item)
{
    uint64_t hash = hash_text(hash_byte(hash_text(HASH_START, item->file), '\0'), item->tool);

    unlooked_say_one(item, &issues->text);
    if (!listing_path(issues->listing, item->file, &issues->path)) {
        buf_text(&issues->text, " (");
        buf_add(&issues->text, item->file);
        buf_byte(&issues->text, ')');
    }
    add_issue(issues, arena_printf(&issues->arena, "not-looked-at-%016" PRIx64, hash),
              STR("hone/coverage"), "critical", 0);
}

static void add_run(struct issues *issues)
{
    listing_end_say(issues->listing, &issues->text);
    if (issues->text.size > 0) {
        buf_byte(&issues->path, '.');
        add_issue(issues, "the-run", STR("hone/run"), "blocker", 0);
    }
    listing_left_say(issues->listing, &issues->text);
    if (issues->text.size > 0) {
        buf_byte(&issues->path, '.');
        add_issue(issues, "left-out", STR("hone/left-out"), "info", 0);
    }
}

void gitlab_write(const struct listing *listing, struct buf *out)
{
    const struct coverage *coverage = &listing->coverage;
    struct issues issues = { .listing = listing, .doc = json_new() };

    issues.list = yyjson_mut_arr(issues.doc);
    yyjson_mut_doc_set_root(issues.doc, issues.list);
    buf_init(&issues.text, SIZE_MAX / 4);
    buf_init(&issues.path, SIZE_MAX / 4);
    add_run(&issues);
    for (uint32_t i = 0; i < listing->count; i++) add_entry(&issues, listing->items[i]);
    for (uint32_t i = 0; i < coverage->unlooked_count && i < LISTING_UNLOOKED_MAX; i++) {
        add_unlooked(&issues, &coverage->unlooked[i]);
    }
    json_finish(issues.doc, true, out);
    buf_release(&issues.text);
    buf_release(&issues.path);
    text_map_release(&issues.prints);
    arena_release(&issues.arena);
}
