/* SPDX-License-Identifier: Apache-2.0
 *
 * configure.c - hone configure: iterate's settings by questions, saved where the user wants them.
 *
 *     questions --> where to save --> what changes --> NAME.backup --> NAME
 *
 * 1. Nothing is written before the last answer was given.
 * 2. What was answered is written; an empty answer writes nothing, and so follows whatever the
 *    other file or a later default says.
 * 3. Where the saved file is not the one that counts, that is said. */
#include "cmd/configure.h"

#include "cmd/config.h"
#include "cmd/say.h"

#include "cmd/verbs.h"
#include "settings/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *path_of(struct arena *arena, uint32_t number, uint32_t field)
{
    return arena_printf(arena, "phases.%" PRIu32 ".%s", number, iterate_fields[field].name);
}

static bool same_value(const struct iterate_value *a, const struct iterate_value *b)
{
    return a->number == b->number && !a->text == !b->text &&
           (!a->text || strcmp(a->text, b->text) == 0);
}

/* What is being saved, and what is said about it. */
struct saving {
    const struct config_view *view;
    const struct wishes *wishes;
    const struct iterate_config *now;
    struct target target;
    struct arena arena;
    struct buf text, out;
};

/* Every setting that was given; returns how many. */
static uint32_t list_changes(struct saving *saving)
{
    const struct wishes *wishes = saving->wishes;
    struct buf *out = &saving->out;
    uint32_t count = 0;

    buf_text(out, "Changes:\n");
    for (uint32_t n = 1; n <= PHASE_NUMBER_MAX; n++) {
        for (uint32_t f = 0; f < FIELD_COUNT; f++) {
            const struct iterate_value *old = &saving->now->fields[n][f];
            const struct iterate_value *new = &wishes->values.fields[n][f];
            const char *text;
            if (!wishes->given[n][f]) continue;
            count++;
            text = iterate_value_json((enum iterate_field)f, new, &saving->arena);
            buf_printf(out, "  %-24s  ", path_of(&saving->arena, n, f));
            if (same_value(old, new)) {
                buf_printf(out, "%s, as before\n", text);
            } else {
                buf_printf(out, "%s -> %s\n", iterate_value_json((enum iterate_field)f, old,
                                                                 &saving->arena), text);
            }
        }
    }
    return count;
}

/* What the other file says against what was just saved. */
static void list_overruled(struct saving *saving)
{
    const struct settings *before = &saving->view->settings;
    struct config_text files[2] = { { saving->target.name, buf_str(&saving->text) } };
    struct settings settings = { .files = files, .file_count = 1 };
    struct iterate_config now;

    for (uint32_t i = 0; i < before->file_count && settings.file_count < 2; i++) {
        if (strcmp(before->files[i].path, saving->target.name) == 0) continue;
        files[settings.file_count++] = before->files[i];
    }
    iterate_config_read(&settings, &saving->arena, &now);
    for (uint32_t n = 1; n <= PHASE_NUMBER_MAX; n++) {
        for (uint32_t f = 0; f < FIELD_COUNT; f++) {
            const struct iterate_value *value = &now.fields[n][f];
            if (!saving->wishes->given[n][f]) continue;
            if (same_value(value, &saving->wishes->values.fields[n][f])) continue;
            buf_printf(&saving->out, "But %s stays %s, by %s, which wins.\n",
                       path_of(&saving->arena, n, f),
                       iterate_value_json((enum iterate_field)f, value, &saving->arena),
                       value->from);
        }
    }
}

static int save_to(struct saving *saving, uint32_t place, struct err *err)
{
    struct target *target = &saving->target;
    int rc = target_open(target, place, saving->view->workspace, &saving->arena, err);

    if (rc != 0) return rc;
    if (list_changes(saving) == 0) {
        buf_clear(&saving->out);
        buf_text(&saving->out, "Nothing changes, and nothing was written.\n");
        return 0;
    }
    if (!target_merge(target->text, saving->wishes, &saving->text)) {
        buf_printf(&saving->out, "%s held no JSON object: it begins anew.\n", target->name);
    }
    if (saving->text.overflow) {
        return err_set(err, ERR_LIMIT, "%s would become too large", target->name);
    }
    rc = target_write(target, buf_str(&saving->text), err);
    if (rc != 0) return rc;
    buf_printf(&saving->out, "Saved to %s", target->name);
    if (target->exists) {
        buf_printf(&saving->out, "; what it held before is in %s.backup", target->name);
    }
    buf_text(&saving->out, ".\n");
    list_overruled(saving);
    return 0;
}

static int save(struct saving saving, uint32_t place, struct err *err)
{
    int rc;

    buf_init(&saving.text, CONFIG_BYTES_MAX);
    buf_init(&saving.out, SAY_BYTES_MAX);
    rc = save_to(&saving, place, err);
    if (rc == 0) say_out(&saving.out);
    buf_release(&saving.out);
    buf_release(&saving.text);
    arena_release(&saving.arena);
    return rc;
}

static int find_files(const struct config_view *view, bool exists[2], struct arena *arena,
                      struct err *err)
{
    for (uint32_t place = 0; place < 2; place++) {
        struct target target;
        int rc = target_open(&target, place, view->workspace, arena, err);
        if (rc != 0 && rc != ERR_USAGE) return rc; /* without a home there is only the project */
        exists[place] = rc == 0 && target.exists;
    }
    return 0;
}

static int ask_and_save(struct config_view *view, struct asker *asker, struct err *err)
{
    struct iterate_config now;
    struct wishes wishes;
    bool exists[2];
    uint32_t place;
    int rc = find_files(view, exists, &view->arena, err);

    if (rc != 0) return rc;
    iterate_config_read(&view->settings, &view->arena, &now);
    rc = ask_wishes(asker, &now, &wishes, err);
    if (rc == 0) rc = ask_place(asker, exists, &place, err);
    if (rc != 0) return rc;
    return save((struct saving){ .view = view, .wishes = &wishes, .now = &now }, place, err);
}

static int reset(struct config_view *view, struct asker *asker, struct err *err)
{
    bool exists[2];
    uint32_t place;
    int rc = find_files(view, exists, &view->arena, err);

    if (rc != 0) return rc;
    if (!exists[PLACE_USER] && !exists[PLACE_PROJECT]) {
        puts("There is nothing to reset: no configuration file is there.");
        return 0;
    }
    rc = ask_reset(asker, exists, &place, err);
    for (uint32_t i = 0; rc == 0 && i < 2; i++) {
        struct target target;
        if (place != i && place != PLACE_BOTH) continue;
        rc = target_open(&target, i, view->workspace, &view->arena, err);
        if (rc == 0 && !target.exists) {
            printf("%s is not there.\n", target.name);
            continue;
        }
        if (rc == 0) rc = target_remove(&target, err);
        if (rc == 0) printf("%s is now %s.backup.\n", target.name, target.name);
    }
    return rc;
}

static int handle(struct call *call)
{
    const char *name = call_argument(call, 0);
    const struct dialect *dialect = NULL;
    struct config_view view = { 0 };
    struct asker asker;
    struct err err = { 0 };
    int rc;

    if (config_dialect(name ? name : "iterate", &dialect, &err) != 0) return say_err(&err);
    if (strcmp(dialect->name, "iterate") != 0) {
        return say_fail(CODE_USAGE, "there are no questions about %s: edit its files, which 'hone "
                        "config path %s' lists", dialect->name, dialect->name);
    }
    if (call_has(call, "show") && call_has(call, "reset")) {
        return say_fail(CODE_USAGE, "configure: --show or --reset, not both");
    }
    if (call_has(call, "show")) return config_show(call, dialect);
    if (call->json) {
        return say_fail(CODE_USAGE, "configure asks questions in words and has no --json; 'hone "
                        "config show %s --json' shows the settings", dialect->name);
    }
    asker_init(&asker, call->quiet);
    rc = config_open(&view, call, dialect, &err);
    if (rc == 0) config_warn(&view);
    if (rc == 0 && call_has(call, "reset")) rc = reset(&view, &asker, &err);
    else if (rc == 0) rc = ask_and_save(&view, &asker, &err);
    config_close(&view);
    asker_release(&asker);
    return rc == 0 ? CODE_DONE : say_err(&err);
}

const struct verb verb_configure = {
    .name = "configure",
    .summary = "change a dialect's settings by answering questions",
    .text = (const char *const[]){
        "Asks how iterate's reviews should behave: for the phases 3, 5, 6 (the test) and 8 what "
        "happens when issues are found, from which severity on they count, whether they are fixed "
        "in parallel, how often, and what happens then. What has no effect is not asked: nothing "
        "more where no issue fails, no retries where none are made. Then it asks where to save, "
        "lists what changes, and writes it. A file that was there is kept as NAME.backup; settings "
        "that are not asked about stay in it.",
        "An answer is the number of an option or its word; an empty one keeps what holds now. "
        "Answers can come from a pipe, a line each; where they end too early nothing is saved.",
        NULL,
    },
    .arguments = (const struct argument[]){
        { .name = "DIALECT", .optional = true, .help = "iterate" },
        { .name = NULL },
    },
    .options = (const struct option[]){
        { .name = "show", .help = "show the settings, as 'hone config show' does" },
        { .name = "reset", .help = "back to what is built in: the files become NAME.backup" },
        { .name = NULL },
    },
    .codes = (const struct code_help[]){
        { CODE_DONE, "it was saved, or there was nothing to change" },
        { CODE_USAGE, "the answers ended too early or did not fit; nothing was saved" },
        { CODE_FAILED, "a file could not be read or written" },
        { .help = NULL },
    },
    .examples = (const char *const[]){
        "hone configure iterate",
        "hone configure --show",
        "hone configure --reset",
        NULL,
    },
    .handle = handle,
};
