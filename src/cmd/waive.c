/* SPDX-License-Identifier: Apache-2.0
 *
 * waive.c - hone waive: a person decides to leave a finding, and says why.
 *
 *   finding of a run --> entry of .hone/waivers.yaml (to be committed)
 *                    '-> the same decision in the user's state folder (it counts at once)
 *
 * 1. Only a person decides. Where hone sees that an agent calls it, it refuses: by the environment
 *    of an attempt or of a host's shell, by what an attempt's processes cannot take off, and where
 *    a host that has a run here is what started it. In the sandbox neither of the two places can be
 *    written.
 * 2. A grave finding is left only where the person says so once more: on a terminal, or by --grave.
 * 3. The decision is kept before the file is written: a file without it would not count, and the
 *    other way round nothing is waived.
 * 4. What comes out is read again before it is written, so that the file is never broken by hone.
 * 5. What several tools report of one fault is shown as one finding: all of it is waived, each
 *    report by an entry of its own.
 * 6. While a run works in the workspace nothing is written: its reviewers look at that tree.
 *
 * Not here: which entries hold (run/waived.c). */
#include "agent/agent.h"
#include "base/clock.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/verbs.h"
#include "format/json/finding_json.h"
#include "format/report/listing.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/file/line.h"
#include "io/file/lock.h"
#include "io/process/host.h"
#include "io/process/supervisor.h"
#include "run/finding_filter.h"
#include "run/finding_id.h"
#include "run/host_notes.h"
#include "run/look.h"
#include "run/run.h"
#include "run/waived.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SHOWN_MAX = 200, LINE_BYTES_MAX = 8192, INDENT = 4,
       LOCK_WAIT_MS = 10000 };

/* One call at work. */
struct waiving {
    struct call *call;
    struct arena arena;
    struct repo repo;        /* of --list and --remove */
    const char *workspace;   /* whose file it is */
    struct str text;         /* the file as it is; empty: there is none */
    struct waivers waivers;  /* what is in it */
    struct waiver_entry *made;
    uint32_t made_count, made_cap;
    struct lock lock;        /* from before the file is read until it is written */
};

/* ---- who calls ---- */

static int check_person(const struct repo *repo, struct arena *arena, struct err *err)
{
    const struct host_search host = { .around_us = true };
    const char *agent = agent_around(host_environment());

    if (!agent && brand_is_worn()) agent = "an attempt of hone";
    if (!agent && host_run_at_work(repo->hone_dir, &host, arena)) agent = "the host of a run";
    if (!agent) return 0;
    return err_set(err, ERR_USAGE, "only a person waives a finding, and this is inside %s: run it "
                   "in a terminal of your own", agent);
}

/* ---- the file ---- */

/* Two calls at the same time are one after the other: neither loses what the other has written. */
static int waiving_lock(struct waiving *waiving, const struct repo *repo, struct err *err)
{
    struct lock_owner owner;

    return lock_open(&waiving->lock, arena_printf(&waiving->arena, "%s/waive.lock", repo->hone_dir),
                     "waive", LOCK_WAIT_MS, &owner, err);
}

/* The new text must be read as so many entries. */
static int waiving_write(struct waiving *waiving, const struct buf *text, uint32_t count,
                         struct err *err)
{
    struct waivers back;
    struct err why = { 0 };

    if (text->overflow) {
        return err_set(err, ERR_LIMIT, WAIVERS_PATH " would take more than %d MiB",
                       WAIVERS_BYTES_MAX >> 20);
    }
    if (waivers_read(buf_str(text), &waiving->arena, &back, &why) != 0 || back.count != count) {
        return err_set(err, ERR_USAGE, WAIVERS_PATH " has a layout that hone does not write: give "
                       "each entry lines of its own, beginning with '- id:', and try again");
    }
    return file_write(waiving->workspace, WAIVERS_PATH, buf_str(text), err);
}

/* Takes an entry out of the text; the entries' lines are known anew. */
static int entry_cut(struct waiving *waiving, const struct waiver_entry *entry, struct err *err)
{
    uint32_t count = waiving->waivers.count;
    struct buf out;
    int rc;

    buf_init(&out, WAIVERS_BYTES_MAX);
    waivers_cut(waiving->text, entry, &out);
    waiving->text = arena_take(&waiving->arena, &out);
    rc = waivers_read(waiving->text, &waiving->arena, &waiving->waivers, err);
    if (rc == 0 && waiving->waivers.count == count - 1) return 0;
    return err_set(err, ERR_USAGE, WAIVERS_PATH " has a layout that hone does not write: take the "
                   "entry out by hand");
}

/* ---- words ---- */

static void put_place(struct buf *out, const struct waiver_entry *entry, uint32_t line)
{
    if (entry->file.size == 0) buf_text(out, "about no file");
    else safe_text(out, entry->file, true, TEXT_SHOWN_MAX);
    if (entry->file.size > 0 && line > 0) buf_printf(out, ":%" PRIu32, line);
}

/* "5c3f0a1b holds: list.c:3: medium: the sum may overflow", and below it why it is left, by whom
 * and until when. columns: of a line; 0: any number. */
static void put_entry(struct buf *out, const struct waiver_entry *entry, const char *standing,
                      uint32_t line, uint32_t columns)
{
    char id[LISTING_ID_BYTES];
    struct buf text;

    buf_init(&text, LINE_BYTES_MAX);
    buf_printf(&text, "%s %s: ", finding_id_short(entry->id, id), standing);
    put_place(&text, entry, line);
    buf_printf(&text, ": %s%s: ", severity_word(entry->severity),
               entry->grave ? " (accepted)" : "");
    safe_text(&text, str_trim(entry->text), true, TEXT_SHOWN_MAX);
    add_wrapped(out, buf_cstr(&text), 0, INDENT, columns);
    buf_clear(&text);
    safe_text(&text, str_trim(entry->reason), true, TEXT_SHOWN_MAX);
    buf_text(&text, " (");
    safe_text(&text, entry->owner, true, TEXT_SHOWN_MAX);
    buf_printf(&text, ", %.*s", STR_ARG(entry->made));
    if (entry->until.size > 0) buf_printf(&text, ", until %.*s", STR_ARG(entry->until));
    buf_byte(&text, ')');
    buf_printf(out, "%*s", INDENT, "");
    add_wrapped(out, buf_cstr(&text), INDENT, INDENT, columns);
    buf_release(&text);
}

static void waiver_json(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct waiver_entry *entry,
                       const char *standing, uint32_t line)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

    json_add_text(doc, object, "id", entry->id);
    yyjson_mut_obj_add_str(doc, object, "standing", standing);
    json_add_text(doc, object, "file", entry->file);
    yyjson_mut_obj_add_uint(doc, object, "line", line);
    yyjson_mut_obj_add_str(doc, object, "severity", severity_word(entry->severity));
    json_add_text(doc, object, "text", entry->text);
    json_add_text(doc, object, "reason", entry->reason);
    json_add_text(doc, object, "owner", entry->owner);
    json_add_text(doc, object, "made", entry->made);
    if (entry->until.size > 0) json_add_text(doc, object, "until", entry->until);
    else yyjson_mut_obj_add_null(doc, object, "until");
    yyjson_mut_obj_add_bool(doc, object, "grave", entry->grave);
}

/* ---- hone waive --list ---- */

static const char *const standing_texts[WAIVER_STANDING_COUNT] = {
    [WAIVER_HOLDS] = "holds", [WAIVER_EXPIRED] = "expired", [WAIVER_CHANGED] = "its code changed",
    [WAIVER_FOREIGN] = "not made here: counts once it is committed",
};

static void list_json(const struct waived *waived)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, json_object(doc), "waivers");

    for (uint32_t i = 0; i < waived->waivers.count; i++) {
        const struct waiver_entry *entry = &waived->waivers.items[i];
        bool holds = waived->standings[i] == WAIVER_HOLDS;

        waiver_json(doc, list, entry, waiver_standing_word(waived->standings[i]),
                   holds ? waived->lines[i] : entry->line);
    }
    say_json(doc, true);
}

static int list_waivers(struct waiving *waiving, struct err *err)
{
    struct waived waived;
    struct buf out;
    int rc = repo_open(&waiving->repo, waiving->call->cwd, REPO_FIND, err);

    if (rc == 0) rc = waived_load(&waiving->repo, NULL, &waiving->arena, &waived, err);
    if (rc != 0) return rc;
    if (waiving->call->json) {
        list_json(&waived);
        return 0;
    }
    buf_init(&out, SAY_BYTES_MAX);
    if (waived.waivers.count == 0) buf_text(&out, "nothing is waived here\n");
    for (uint32_t i = 0; i < waived.waivers.count; i++) {
        const struct waiver_entry *entry = &waived.waivers.items[i];
        bool holds = waived.standings[i] == WAIVER_HOLDS;

        put_entry(&out, entry, standing_texts[waived.standings[i]],
                  holds ? waived.lines[i] : entry->line, table_columns(waiving->call));
    }
    say_take(&out);
    return 0;
}

/* ---- hone waive --remove ---- */

static const struct waiver_entry *entry_named(const struct waivers *waivers, const char *word,
                                              struct err *err)
{
    struct finding_choice choice = { .word = str_of(word) };
    const struct waiver_entry *found = NULL;

    for (uint32_t i = 0; i < waivers->count; i++) {
        if (finding_choose(&choice, waivers->items[i].id)) found = &waivers->items[i];
    }
    if (choice.count == 1) return found;
    if (choice.count > 1) {
        (void)err_set(err, ERR_USAGE, "'%.60s' is the beginning of several waivers: write more of "
                      "it", word);
    } else {
        (void)err_set(err, ERR_USAGE, "no waiver begins with '%.60s'; 'hone waive --list' shows "
                      "them", word);
    }
    return NULL;
}

static int remove_waivers(struct waiving *waiving, struct err *err)
{
    const struct call *call = waiving->call;
    struct buf out, text;
    int rc = repo_open(&waiving->repo, call->cwd, REPO_FIND, err);

    if (rc == 0) rc = check_person(&waiving->repo, &waiving->arena, err);
    waiving->workspace = waiving->repo.workspace;
    if (rc == 0 && file_exists(waiving->repo.hone_dir)) {
        rc = waiving_lock(waiving, &waiving->repo, err);
    }
    if (rc == 0) {
        rc = waived_read(waiving->workspace, &waiving->arena, &waiving->text, &waiving->waivers,
                         err);
    }
    if (rc != 0) return rc;
    buf_init(&out, SAY_BYTES_MAX);
    for (uint32_t i = 0; rc == 0 && i < call->argument_count; i++) {
        const struct waiver_entry *entry = entry_named(&waiving->waivers, call->arguments[i], err);
        char id[LISTING_ID_BYTES];

        if (!entry) rc = ERR_USAGE;
        if (rc != 0) break;
        buf_printf(&out, "%s is waived no more: ", finding_id_short(entry->id, id));
        put_place(&out, entry, entry->line);
        buf_byte(&out, '\n');
        rc = waived_take_back(waiving->workspace, entry, &waiving->arena, err);
        if (rc == 0) rc = entry_cut(waiving, entry, err);
    }
    buf_init(&text, WAIVERS_BYTES_MAX);
    buf_add(&text, waiving->text);
    if (rc == 0) rc = waiving_write(waiving, &text, waiving->waivers.count, err);
    if (rc == 0 && !call->quiet) say_out(&out);
    buf_release(&text);
    buf_release(&out);
    return rc;
}

/* ---- hone waive ID --reason TEXT ---- */

/* As git names the user who would commit now; NULL: it does not know. */
static const char *git_user(const struct repo *repo, struct arena *arena)
{
    const char *const args[] = { "var", "GIT_AUTHOR_IDENT", NULL };
    struct err none;
    const char *ident = repo_ask(repo, args, arena, &none);
    const char *address = ident ? strstr(ident, " <") : NULL;

    return address && address > ident ? arena_printf(arena, "%.*s", (int)(address - ident), ident)
                                      : NULL;
}

/* What is said once for all entries of a call. */
struct terms {
    const char *reason, *until, *owner;
    bool grave;
    char today[CLOCK_DAY_BYTES];
};

static int terms_read(struct waiving *waiving, const struct repo *repo, struct terms *out,
                      struct err *err)
{
    const struct call *call = waiving->call;

    *out = (struct terms){ .reason = call_value(call, "reason"), .until = call_value(call, "until"),
                           .owner = call_value(call, "owner"), .grave = call_has(call, "grave") };
    clock_day(now_wall_ms(), out->today);
    if (!out->reason || str_trim(str_of(out->reason)).size == 0) {
        return err_set(err, ERR_USAGE, "why is it left? Say so with --reason 'TEXT': who finds it "
                       "next will want to know");
    }
    if (strlen(out->reason) > WAIVER_TEXT_BYTES_MAX) {
        return err_set(err, ERR_USAGE, "--reason has at most %d bytes", (int)WAIVER_TEXT_BYTES_MAX);
    }
    if (out->until && !clock_is_day(str_of(out->until))) {
        return err_set(err, ERR_USAGE, "--until %.60s is no day: write YYYY-MM-DD", out->until);
    }
    if (out->until && strcmp(out->until, out->today) < 0) {
        return err_set(err, ERR_USAGE, "--until %s is over: today is %s (UTC)", out->until,
                       out->today);
    }
    if (!out->owner) out->owner = git_user(repo, &waiving->arena);
    if (!out->owner || str_trim(str_of(out->owner)).size == 0) {
        return err_set(err, ERR_USAGE, "who decides this? git knows no name here: say it with "
                       "--owner NAME");
    }
    return 0;
}

/* A grave finding wants a second word of the person. */
static int check_grave(const struct ledger_entry *entry, const struct terms *terms,
                       struct waiver_entry *out, struct err *err)
{
    char id[LISTING_ID_BYTES];
    struct buf question;

    if (entry->finding.severity != SEVERITY_HIGH) return 0;
    out->grave = terms->grave;
    if (!terms->grave && line_can_ask()) {
        buf_init(&question, SAY_BYTES_MAX);
        put_place(&question, out, out->line);
        buf_text(&question, ": high: ");
        safe_text(&question, str_trim(out->text), true, TEXT_SHOWN_MAX);
        buf_text(&question, "\nThis is grave. Leave it all the same? [y/N] ");
        out->grave = line_agrees(buf_cstr(&question));
        buf_release(&question);
    }
    if (out->grave) return 0;
    return err_set(err, ERR_USAGE, "finding %s is grave, and it was not waived: --grave says that "
                   "you leave it all the same", listing_id(entry, true, id));
}

/* Whether another finding has this name in the file, and its code is still there; or was given it
 * in this call. */
static bool is_taken(const struct waiving *waiving, struct str id, const struct waiver_entry *made)
{
    const struct waiver_entry *other = waivers_find(&waiving->waivers, id);
    bool same = other && other->code == made->code && str_eq(other->text, made->text);

    for (uint32_t i = 0; i < waiving->made_count; i++) {
        if (str_eq(waiving->made[i].id, id)) return true;
    }
    return other && !same && waived_code_is_there(waiving->workspace, other);
}

/* The name of the entry: the finding's, or that with a number behind it where that is taken. */
static struct str entry_id(struct waiving *waiving, const struct ledger_entry *entry,
                           const struct waiver_entry *made)
{
    struct ledger_entry named = *entry;
    char name[LISTING_ID_BYTES];

    while (is_taken(waiving, str_of(listing_id(&named, true, name)), made)) named.ordinal++;
    return arena_copy(&waiving->arena, str_of(name));
}

static int entry_make(struct waiving *waiving, const struct ledger_entry *entry,
                      const struct terms *terms, struct err *err)
{
    const struct finding *finding = &entry->finding;
    struct str text = finding->text.size > 0 ? finding->text : finding->kind;
    struct waiver_entry made = {
        .file = finding->file, .line = finding->line, .severity = finding->severity,
        .tool = finding->tool, .rule = finding->kind,
        .text = str_head(text, WAIVER_TEXT_BYTES_MAX / 2),
        .reason = str_of(terms->reason), .owner = str_of(terms->owner),
        .until = str_of(terms->until), .made = str_of(terms->today),
        .code = waived_code(waiving->workspace, finding->file, finding->line),
    };
    char id[LISTING_ID_BYTES];

    if (entry->state == FINDING_FIXED) {
        return err_set(err, ERR_USAGE, "finding %s is fixed: there is nothing to waive",
                       listing_id(entry, true, id));
    }
    if (made.code == 0 && made.line > 0 &&
        file_exists(arena_printf(&waiving->arena, "%s/%.*s", waiving->workspace,
                                 STR_ARG(made.file)))) {
        return err_set(err, ERR_USAGE, "%.*s has no line %" PRIu32 " any more, where finding %s "
                       "is: run again, and waive what is found then", STR_ARG(made.file), made.line,
                       listing_id(entry, true, id));
    }
    for (uint32_t i = 0; i < waiving->made_count; i++) {
        if (waiving->made[i].code == made.code && waiving->made[i].line == made.line &&
            str_eq(waiving->made[i].text, made.text) && str_eq(waiving->made[i].tool, made.tool)) {
            return 0; /* named twice */
        }
    }
    made.id = entry_id(waiving, entry, &made);
    waiving->made = arena_grow(&waiving->arena, waiving->made, waiving->made_count,
                               &waiving->made_cap, sizeof *waiving->made);
    waiving->made[waiving->made_count++] = made;
    return check_grave(entry, terms, &waiving->made[waiving->made_count - 1], err);
}

/* Whether `hone findings` shows both as one finding: one fault that two tools report. */
static bool is_one_fault(const struct ledger_entry *a, const struct ledger_entry *b)
{
    struct listing listing = { .count = 0 };
    struct arena arena = { 0 };
    bool one;

    if (a->line_first != b->line_first || !str_eq(a->finding.file, b->finding.file)) return false;
    listing_add(&listing, a);
    listing_add(&listing, b);
    listing_merge(&listing, &arena);
    one = listing.count == 1;
    listing_release(&listing);
    arena_release(&arena);
    return one;
}

static int fault_make(struct waiving *waiving, const struct ledger *ledger,
                      const struct ledger_entry *entry, const struct terms *terms, struct err *err)
{
    const struct ledger_entry *const *entries;
    uint32_t count = ledger_list(ledger, &waiving->arena, &entries);
    int rc = entry_make(waiving, entry, terms, err);

    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        if (entries[i] == entry || entries[i]->state == FINDING_FIXED) continue;
        if (is_one_fault(entry, entries[i])) rc = entry_make(waiving, entries[i], terms, err);
    }
    return rc;
}

/* The decisions, and then the file. */
static int made_write(struct waiving *waiving, struct err *err)
{
    uint32_t count = waiving->waivers.count;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < waiving->made_count; i++) {
        const struct waiver_entry *made = &waiving->made[i];
        const struct waiver_entry *old = waivers_find(&waiving->waivers, made->id);
        struct buf out;

        rc = waived_agree(waiving->workspace, made, &waiving->arena, err);
        if (rc == 0 && old) rc = entry_cut(waiving, old, err);
        if (rc != 0) break;
        buf_init(&out, WAIVERS_BYTES_MAX);
        waivers_append(waiving->text, made, &out);
        count += old ? 0 : 1;
        if (out.overflow) rc = waiving_write(waiving, &out, 0, err);
        else waiving->text = arena_take(&waiving->arena, &out);
        if (rc == 0 && waivers_read(waiving->text, &waiving->arena, &waiving->waivers, err) != 0) {
            waiving->waivers.count = 0; /* said below */
        }
    }
    if (rc == 0) {
        struct buf whole;

        buf_init(&whole, WAIVERS_BYTES_MAX);
        buf_add(&whole, waiving->text);
        rc = waiving_write(waiving, &whole, count, err);
        buf_release(&whole);
    }
    return rc;
}

static void made_say(const struct waiving *waiving)
{
    struct buf out;

    if (waiving->call->json) {
        yyjson_mut_doc *doc = json_new();
        yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, json_object(doc), "waivers");

        for (uint32_t i = 0; i < waiving->made_count; i++) {
            waiver_json(doc, list, &waiving->made[i], "holds", waiving->made[i].line);
        }
        say_json(doc, true);
        return;
    }
    if (waiving->call->quiet) return;
    buf_init(&out, SAY_BYTES_MAX);
    for (uint32_t i = 0; i < waiving->made_count; i++) {
        put_entry(&out, &waiving->made[i], "is waived", waiving->made[i].line,
                  table_columns(waiving->call));
    }
    buf_text(&out, "it counts in your next run; commit " WAIVERS_PATH ", and it counts for all\n");
    say_take(&out);
}

static int waive_named(struct waiving *waiving, const struct look *look, const struct run *replay,
                       struct err *err)
{
    const struct call *call = waiving->call;
    struct terms terms;
    int rc = terms_read(waiving, &look->repo, &terms, err);

    if (rc == 0 && look->alive) {
        rc = err_set(err, ERR_BUSY, "run %s is at work in this tree: let it end, or 'hone stop' "
                     "it, and waive then", look->run.id);
    }
    waiving->workspace = look->run.workspace;
    if (rc == 0) rc = waiving_lock(waiving, &look->repo, err);
    if (rc == 0) {
        rc = waived_read(waiving->workspace, &waiving->arena, &waiving->text, &waiving->waivers,
                         err);
    }
    for (uint32_t i = 0; rc == 0 && i < call->argument_count; i++) {
        const struct ledger_entry *entry;

        rc = finding_find(&replay->engine.ledger, call->arguments[i], look->run.id, &entry, err);
        if (rc == 0) rc = fault_make(waiving, &replay->engine.ledger, entry, &terms, err);
    }
    if (rc == 0) rc = made_write(waiving, err);
    if (rc == 0) made_say(waiving);
    return rc;
}

static int waive_findings(struct waiving *waiving, struct err *err)
{
    struct run replay = { 0 };
    struct look look = { 0 };
    int rc = look_open(&look, waiving->call->cwd, err);

    if (rc == 0) rc = check_person(&look.repo, &waiving->arena, err);
    if (rc == 0) rc = look_run(&look, call_value(waiving->call, "run"), err);
    if (rc == 0) rc = run_load(&replay, &look.run, err);
    if (rc == 0) rc = run_replay(&replay, look.journal, NULL, NULL, err);
    if (rc == 0) rc = waive_named(waiving, &look, &replay, err);
    run_release(&replay);
    look_close(&look);
    return rc;
}

static int check_words(const struct call *call, struct err *err)
{
    bool list = call_has(call, "list"), removes = call_has(call, "remove");

    if (list && (removes || call->argument_count > 0)) {
        return err_set(err, ERR_USAGE, "--list shows all waivers, and changes none: %s",
                       removes ? "leave out --remove" : "name no ID");
    }
    if (!list && call->argument_count == 0) {
        return err_set(err, ERR_USAGE, removes ? "which waiver? 'hone waive --list' shows their IDs"
                                       : "which finding? 'hone findings' shows their IDs");
    }
    if (removes && call_has(call, "reason")) {
        return err_set(err, ERR_USAGE, "--remove takes a waiver back, and wants no --reason");
    }
    return 0;
}

static int handle(struct call *call)
{
    struct waiving waiving = { .call = call, .text = STR(""), .lock = { .fd = -1 } };
    struct err err;
    int rc = check_words(call, &err);

    if (rc == 0 && call_has(call, "list")) rc = list_waivers(&waiving, &err);
    else if (rc == 0 && call_has(call, "remove")) rc = remove_waivers(&waiving, &err);
    else if (rc == 0) rc = waive_findings(&waiving, &err);
    lock_close(&waiving.lock);
    repo_release(&waiving.repo);
    arena_release(&waiving.arena);
    return rc == 0 ? CODE_DONE : say_err(&err);
}

const struct verb verb_waive = {
    .name = "waive",
    .summary = "leave a finding as it is, with a reason, in a file to commit",
    .text = {
        "Writes an entry for the finding to " WAIVERS_PATH " at the top of the work tree. Later "
        "runs know the finding by its words and its place: it is then waived, and neither fails a "
        "review nor is repaired. It is waived no more when its last day is over, when the code at "
        "its place changes, or when an agent of the run changes that place.",
        "An entry counts when the commit has it that the change is measured against (--since, else "
        "HEAD), or when you made it here: so a change cannot waive what is found in it. Only a "
        "person waives: inside an agent hone refuses, and agents cannot write the file. A grave "
        "finding (high) is asked about once more, or wants --grave.",
        "People may write in the file, too: hone adds at its end, takes out whole entries, and "
        "leaves the rest as it is. A run does not begin with a file that cannot be read.",
    },
    .arguments = {
        { .name = "ID", .many = true, .optional = true,
          .help = "the finding, as 'hone findings' shows it, or the beginning of its name" },
    },
    .options = {
        { .name = "reason", .argument = "TEXT", .help = "why it is left; there must be one" },
        { .name = "until", .argument = "DATE",
          .help = "the last day on which it holds, YYYY-MM-DD (UTC); by default it has none" },
        { .name = "owner", .argument = "NAME", .help = "who decided it; by default git's author" },
        { .name = "grave", .help = "it is grave (high), and you leave it all the same" },
        { .name = "run", .argument = "RUN",
          .help = "the run that found it, or the beginning of its name; the newest by default" },
        { .name = "list", .help = "show all entries: whether each holds, and if not, why" },
        { .name = "remove", .help = "take the entries with these IDs out of the file" },
    },
    .codes = {
        { CODE_DONE, "the entries were written, taken out or shown" },
        { CODE_USAGE, "there is no such run or finding; an agent called it; a reason or a day is "
                      "missing or wrong; the file is broken" },
        { CODE_FAILED, "the file could not be written" },
    },
    .examples = {
        "hone waive 5c3f0a1b --reason 'at most 100 items are added' --until 2027-06-30",
        "hone waive --list",
        "hone waive --remove 5c3f0a1b && git add " WAIVERS_PATH,
    },
    .handle = handle,
};
