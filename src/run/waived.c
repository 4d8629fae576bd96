/* SPDX-License-Identifier: Apache-2.0
 *
 * waived.c - which waivers hold.
 *
 *   file in the work tree --> in the commit that is measured against? --no--> this user's? --no--,
 *                                        | yes                         | yes             foreign
 *                                        '-----------------------------+--> its day over? expired
 *                                                                      '--> its code another?
 *                                                                           changed; else it holds
 *
 * 1. A change cannot waive what is found in it. An entry counts when the commit that the change is
 *    measured against has it (--since, else HEAD), deciding the same; or when this user made it
 *    here with `hone waive`, which leaves the decision in the user's own state folder
 *    (settings/trust.h), where neither a repository nor an agent can write.
 * 2. An entry that was taken out of the file holds no more, whichever commit has it.
 * 3. A broken file ends the run before it begins: nothing in it is passed over.
 * 4. Code is known by a hash that is quick, and no protection: an author who makes other code with
 *    the same hash on purpose keeps an old waiver alive for a finding in the same words there. */
#include "run/waived.h"

#include "base/clock.h"
#include "core/ledger.h"
#include "io/file/file.h"
#include "settings/brought.h"
#include "settings/trust.h"

#include <inttypes.h>

enum { SOURCE_BYTES_MAX = 16 << 20, SAY_BYTES_MAX = 1024,
       DECISION_BYTES_MAX = 8 * WAIVER_TEXT_BYTES_MAX };

const char *waiver_standing_word(enum waiver_standing standing)
{
    static const char *const words[WAIVER_STANDING_COUNT] = {
        [WAIVER_HOLDS] = "holds", [WAIVER_EXPIRED] = "expired", [WAIVER_CHANGED] = "changed",
        [WAIVER_FOREIGN] = "uncommitted",
    };

    return words[standing];
}

/* ---- code ---- */

/* False: there is no such file in the workspace. */
static bool source_read(const char *workspace, struct str file, struct arena *arena,
                        struct str *out)
{
    struct err none;

    return file.size > 0 && file_text_in(workspace, arena_cstr(arena, file), SOURCE_BYTES_MAX,
                                         arena, out, &none) == 0;
}

uint64_t waived_code(const char *workspace, struct str file, uint32_t line)
{
    struct arena arena = { 0 };
    struct str content;
    uint64_t code = 0;

    if (source_read(workspace, file, &arena, &content)) code = waiver_code(content, line);
    arena_release(&arena);
    return code;
}

/* Whether the code is as it was: *line is where it is now. Nothing that was there stays nothing. */
static bool code_is_same(const char *workspace, const struct waiver_entry *entry, uint32_t *line)
{
    struct arena arena = { 0 };
    struct str content;
    bool there = source_read(workspace, entry->file, &arena, &content);
    bool same = there ? entry->code != 0 && waiver_code_is_there(content, entry->code, line)
                      : entry->code == 0;

    arena_release(&arena);
    return same;
}

bool waived_code_is_there(const char *workspace, const struct waiver_entry *entry)
{
    uint32_t line = entry->line;

    return code_is_same(workspace, entry, &line);
}

/* ---- whose they are ---- */

static struct hone_value agreement_of(const struct waiver_entry *entry, struct arena *arena)
{
    struct buf decision;

    buf_init(&decision, DECISION_BYTES_MAX);
    waiver_decision(entry, &decision);
    return (struct hone_value){ .path = WAIVERS_PATH,
                                .text = arena_take_cstr(arena, &decision) };
}

int waived_agree(const char *workspace, const struct waiver_entry *entry, struct arena *arena,
                 struct err *err)
{
    struct hone_value value = agreement_of(entry, arena);
    struct trust trust;
    int rc;

    trust_open(&trust);
    rc = trust_add(&trust, workspace, &value, 1, err);
    trust_close(&trust);
    return rc;
}

int waived_take_back(const char *workspace, const struct waiver_entry *entry, struct arena *arena,
                     struct err *err)
{
    struct hone_value value = agreement_of(entry, arena);
    struct trust trust;
    int rc;

    trust_open(&trust);
    rc = trust_remove(&trust, workspace, &value, err);
    trust_close(&trust);
    return rc;
}

/* What the commit has; what cannot be had is an empty list. On a tree without changes HEAD itself
 * counts, though it may be the change: only people write waivers, and one holds for the code alone
 * that it was made for. */
static void measured_read(const struct repo *repo, const char *since, struct arena *arena,
                          struct waivers *out, struct waived *waived)
{
    const struct brought_scope scope = { .since = since, .all = true };
    struct brought brought;
    struct str text;
    struct err none;
    bool altered;

    *out = (struct waivers){ 0 };
    waived->measured = "any commit";
    if (brought_open(repo, &scope, arena, &brought, &none) != 0 || !*brought.commit) return;
    waived->measured = brought.name;
    if (brought_text(&brought, WAIVERS_PATH, WAIVERS_BYTES_MAX, arena, &text, &altered,
                     &none) == 0) {
        (void)waivers_read(text, arena, out, &none);
    }
}

static bool decides_same(const struct waiver_entry *a, const struct waiver_entry *b)
{
    struct buf one, other;
    bool same;

    buf_init(&one, DECISION_BYTES_MAX);
    buf_init(&other, DECISION_BYTES_MAX);
    waiver_decision(a, &one);
    waiver_decision(b, &other);
    same = !one.overflow && str_eq(buf_str(&one), buf_str(&other));
    buf_release(&one);
    buf_release(&other);
    return same;
}

static enum waiver_standing standing_of_entry(const struct repo *repo,
                                              const struct waivers *measured,
                                              const struct trust *trust,
                                              const struct waiver_entry *entry, uint32_t *line)
{
    const struct waiver_entry *known = waivers_find(measured, entry->id);
    char today[CLOCK_DAY_BYTES];

    if (!known || !decides_same(known, entry)) {
        struct arena arena = { 0 };
        struct hone_value value = agreement_of(entry, &arena);
        bool own = trust_has(trust, repo->workspace, &value);

        arena_release(&arena);
        if (!own) return WAIVER_FOREIGN;
    }
    clock_day(now_wall_ms(), today);
    if (entry->until.size > 0 && str_compare(entry->until, str_of(today)) < 0) {
        return WAIVER_EXPIRED;
    }
    *line = entry->line;
    return code_is_same(repo->workspace, entry, line) ? WAIVER_HOLDS : WAIVER_CHANGED;
}

int waived_read(const char *workspace, struct arena *arena, struct str *text,
                struct waivers *out, struct err *err)
{
    int rc = file_text_in(workspace, WAIVERS_PATH, WAIVERS_BYTES_MAX, arena, text, err);
    const char *words;

    *out = (struct waivers){ 0 };
    if (rc == ERR_MISSING) {
        *text = (struct str){ "", 0 };
        return 0;
    }
    if (rc == 0) rc = waivers_read(*text, arena, out, err);
    if (rc == 0) return 0;
    words = arena_cstr(arena, str_of(err->text));
    return err_set(err, ERR_USAGE, "%s; mend the file, or take it away, and start again", words);
}

int waived_load(const struct repo *repo, const char *since, struct arena *arena,
                struct waived *out, struct err *err)
{
    struct waivers measured;
    struct trust trust;
    struct str text;
    int rc;

    *out = (struct waived){ .measured = "any commit" };
    rc = waived_read(repo->workspace, arena, &text, &out->waivers, err);
    if (rc != 0 || out->waivers.count == 0) return rc;
    out->standings = arena_alloc(arena, out->waivers.count * sizeof *out->standings);
    out->lines = arena_alloc(arena, out->waivers.count * sizeof *out->lines);
    measured_read(repo, since, arena, &measured, out);
    trust_open(&trust);
    for (uint32_t i = 0; i < out->waivers.count; i++) {
        out->standings[i] = standing_of_entry(repo, &measured, &trust, &out->waivers.items[i],
                                              &out->lines[i]);
        out->counts[out->standings[i]]++;
    }
    trust_close(&trust);
    return 0;
}

uint32_t waived_list(const struct waived *waived, struct arena *arena, const struct waiver **out)
{
    struct waiver *list = arena_alloc(arena, (waived->counts[WAIVER_HOLDS] + 1) * sizeof *list);
    uint32_t count = 0;

    for (uint32_t i = 0; i < waived->waivers.count; i++) {
        const struct waiver_entry *entry = &waived->waivers.items[i];
        struct finding finding = { .severity = entry->severity, .tool = entry->tool,
                                   .kind = entry->rule, .file = entry->file,
                                   .line = waived->lines[i], .text = entry->text };

        if (waived->standings[i] != WAIVER_HOLDS) continue;
        finding.fingerprint = finding_fingerprint(&finding);
        list[count++] = (struct waiver){ .finding = finding, .id = entry->id,
                                         .grave = entry->grave };
    }
    *out = list;
    return count;
}

int waived_match(const struct repo *repo, const char *since, const struct finding *const *findings,
                 uint32_t count, struct arena *arena, bool **out, struct err *err)
{
    const struct waiver *waivers, **known, **found;
    struct waived waived = { 0 };
    uint32_t total;
    int rc = waived_load(repo, since, arena, &waived, err);

    *out = arena_alloc(arena, (count + (size_t)1) * sizeof **out);
    if (rc != 0) return rc;
    total = waived_list(&waived, arena, &waivers);
    known = arena_alloc(arena, (total + (size_t)count + 1) * sizeof(void *));
    found = known + total;
    for (uint32_t i = 0; i < total; i++) known[i] = &waivers[i];
    waivers_match(known, total, findings, count, found);
    for (uint32_t i = 0; i < count; i++) (*out)[i] = found[i] != NULL;
    return 0;
}

/* ---- words ---- */

const char *waived_say(const struct waived *waived, struct arena *arena)
{
    uint32_t expired = waived->counts[WAIVER_EXPIRED], changed = waived->counts[WAIVER_CHANGED];
    uint32_t foreign = waived->counts[WAIVER_FOREIGN], lost = expired + changed;
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    if (lost > 0) {
        buf_printf(&out, "%" PRIu32 " waiver%s not hold:", lost, lost == 1 ? " does" : "s do");
        if (expired > 0) buf_printf(&out, " %" PRIu32 " expired", expired);
        if (expired > 0 && changed > 0) buf_byte(&out, ',');
        if (changed > 0) buf_printf(&out, " %" PRIu32 " whose code changed", changed);
        buf_text(&out, ": hone waive --list\n");
    }
    if (foreign > 0) {
        buf_printf(&out, "waivers of the change itself do not count: %" PRIu32 " entr%s of "
                   WAIVERS_PATH " %s not in %s\n", foreign, foreign == 1 ? "y" : "ies",
                   foreign == 1 ? "is" : "are", waived->measured);
    }
    return arena_take_cstr(arena, &out);
}
