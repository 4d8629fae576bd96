/* SPDX-License-Identifier: Apache-2.0
 *
 * own.c - hone's own settings at the command line: what files say for a run before it begins, and
 * what hone config lists and changes.
 *
 * Before a run:
 * 1. Every setting that counts is shown, with the file it comes from.
 * 2. A setting that the user must agree to (settings/hone_use.c) is shown whole: the end of a long
 *    command is where something would be hidden.
 * 3. Where there is no terminal to ask at, the answer is no.
 *
 * When a setting is changed:
 *
 *     the file as it is --> its text with the change --> read again --> written
 *
 * 4. A text that cannot be read again is not written. A file is written whole, or not at all.
 * 5. Where another file wins over the change, a message says so.
 * 6. A user who names a command in the project's file has agreed to that command, and not to other
 *    commands in the file. */
#include "cmd/own.h"

#include "cmd/say.h"
#include "io/file/line.h"
#include "settings/config.h"
#include "settings/trust.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_SHOWN_MAX = 60 };

/* What counts in a run, and what of it the user has not agreed to yet. */
struct effects {
    const struct hone_effect *items;
    uint32_t count;
    struct hone_value *open;
    uint32_t open_count;
};

/* A value in short. Where patterns are too long to show, their number: none is hidden. */
static void put_value(struct buf *out, const struct hone_value *value)
{
    struct str rest = str_of(value->text), line;
    uint32_t lines = 0;

    add_safe(out, value->path, 0);
    buf_byte(out, ' ');
    if (!hone_key_is_list(value->key)) {
        add_safe(out, value->text, VALUE_SHOWN_MAX);
    } else if (strlen(value->json) <= VALUE_SHOWN_MAX) {
        add_safe(out, value->json, 0);
    } else {
        while (str_cut(&rest, '\n', &line)) lines++;
        buf_printf(out, "(%" PRIu32 " patterns)", lines);
    }
}

/* "hone.json: agents.* claude, test make check": a line for each file. */
static void say_effects(const struct hone_own *own, const struct effects *effects)
{
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    for (uint32_t i = 0; i < HONE_FILE_COUNT; i++) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < effects->count; k++) {
            const struct hone_value *value = effects->items[k].value;
            if (value->from != &own->files[i]) continue;
            if (count++ == 0) add_safe(&out, own->files[i].name, 0);
            buf_text(&out, count == 1 ? ": " : ", ");
            put_value(&out, value);
        }
        if (count > 0) buf_byte(&out, '\n');
    }
    fputs(buf_cstr(&out), stderr);
    buf_release(&out);
}

static void say_open(const struct effects *effects)
{
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    buf_text(&out, "this came with the repository; it names what would run here, or makes a review "
             "worth less:\n");
    for (uint32_t i = 0; i < effects->open_count; i++) {
        buf_text(&out, "  ");
        add_safe(&out, effects->open[i].path, 0);
        buf_text(&out, "  ");
        add_safe(&out, hone_key_is_list(effects->open[i].key) ? effects->open[i].json
                                                              : effects->open[i].text, 0);
        buf_byte(&out, '\n');
    }
    fputs(buf_cstr(&out), stderr);
    buf_release(&out);
}

static int agree(struct call *call, const struct hone_own *own, struct trust *trust,
                 const struct effects *effects, struct err *err)
{
    if (call_has(call, "preview")) {
        return call_has(call, "trust") ? 0
            : err_set(err, ERR_USAGE, "you have not agreed to what the settings of this repository "
                      "say: look at it, then start once with --trust, or name agents of your own "
                      "with --agent");
    }
    if (!call_has(call, "trust")) {
        say_open(effects);
        if (!line_can_ask()) {
            return err_set(err, ERR_USAGE, "you have not agreed to what the settings of this "
                           "repository say, and nothing was started: look at it, then start once "
                           "with --trust, or name agents of your own with --agent");
        }
        if (!line_agrees("Take it so, now and from now on? [y/N] ")) {
            return err_set(err, ERR_USAGE, "you did not agree, and nothing was started; name "
                           "agents of your own with --agent");
        }
    }
    if (trust_add(trust, own->workspace, effects->open, effects->open_count, err) != 0) {
        say_fail(CODE_DONE, "your agreement could not be kept, and the next run asks again: %s",
                 err->text);
    }
    return 0;
}

int own_agree(struct call *call, const struct hone_own *own, const struct hone_use *use,
              struct err *err)
{
    struct settings options = use->settings->options;
    struct effects effects = { 0 };
    struct trust trust = { 0 };
    struct hone_value *asked;
    uint32_t own_count;
    int rc = 0;

    options.warnings = NULL; /* said when the run begins */
    effects.count = hone_effects(use, &call->arena, &effects.items);
    config_load(use->dialect, own->workspace, &options, &call->arena);
    own_count = config_asked(use->dialect, &options, &call->arena, &asked);
    if (effects.count + own_count == 0) return 0;
    if (!call->quiet && !call_has(call, "preview") && effects.count > 0) say_effects(own, &effects);
    effects.open = arena_alloc(&call->arena, (effects.count + own_count) * sizeof *effects.open);
    trust_open(&trust);
    for (uint32_t i = 0; i < own_count; i++) {
        if (trust_has(&trust, own->workspace, &asked[i])) continue;
        effects.open[effects.open_count++] = asked[i];
    }
    for (uint32_t i = 0; i < effects.count; i++) {
        const struct hone_value *value = effects.items[i].value;
        if (!effects.items[i].asked || trust_has(&trust, own->workspace, value)) continue;
        effects.open[effects.open_count++] = *value;
    }
    if (effects.open_count > 0) rc = agree(call, own, &trust, &effects, err);
    trust_close(&trust);
    return rc;
}

/* Whether all that the project's file names was agreed to. */
static bool own_is_agreed(const struct hone_own *own)
{
    struct trust trust;
    bool agreed = true;

    trust_open(&trust);
    for (uint32_t i = 0; i < own->values.count; i++) {
        const struct hone_value *value = &own->values.items[i];
        if (hone_is_asked(value)) agreed = agreed && trust_has(&trust, own->workspace, value);
    }
    trust_close(&trust);
    return agreed;
}

int own_remember(const struct hone_own *own, struct err *err)
{
    struct arena arena = { 0 };
    struct hone_value *values = arena_alloc(&arena, (own->values.count + 1) * sizeof *values);
    struct trust trust;
    uint32_t count = 0;
    int rc = 0;

    for (uint32_t i = 0; i < own->values.count; i++) {
        if (hone_is_asked(&own->values.items[i])) values[count++] = own->values.items[i];
    }
    trust_open(&trust);
    if (count > 0) rc = trust_add(&trust, own->workspace, values, count, err);
    trust_close(&trust);
    arena_release(&arena);
    return rc;
}

const char *own_files_text(const struct hone_own *own, struct arena *arena)
{
    struct buf list;

    buf_init(&list, SAY_BYTES_MAX);
    for (uint32_t i = 0; i < HONE_FILE_COUNT; i++) {
        if (!own->files[i].exists) continue;
        if (list.size > 0) buf_text(&list, ", ");
        add_safe(&list, own->files[i].name, 0);
    }
    if (list.size == 0) buf_text(&list, "built in; 'hone init' writes a hone.json");
    return arena_take_cstr(arena, &list);
}

const char *own_agents_text(const struct run_settings *named, const struct selection *selection,
                            struct arena *arena)
{
    struct buf list;

    buf_init(&list, SAY_BYTES_MAX);
    for (uint32_t i = 0; i < named->agent_count; i++) {
        if (list.size > 0) buf_text(&list, ", ");
        add_safe(&list, named->agents[i].role, 0);
        buf_byte(&list, ' ');
        add_safe(&list, named->agents[i].spec, VALUE_SHOWN_MAX);
    }
    if (list.size > 0 && *selection->summary) buf_text(&list, ", ");
    buf_text(&list, selection->summary);
    return arena_take_cstr(arena, &list);
}

/* ---- listed and changed ---- */

/* "agents.*" of "agents.ROLE"; NULL of those that one dialect has. */
static const char *others_path(const struct hone_key *key, struct arena *arena)
{
    const char *dot = strrchr(key->path, '.');

    if (!hone_key_has_role(key) || hone_key_dialect(str_of(key->path))) return NULL;
    return arena_printf(arena, "%.*s.*", (int)(dot - key->path), key->path);
}

/* What holds for a key that no file has: the policy of a dialect is that of all. */
static struct config_item unset_item(const struct hone_own *own, const struct hone_key *key)
{
    const struct hone_value *all = key->words == until_words ? hone_find(&own->values, "until")
                                                             : NULL;

    if (all) {
        return (struct config_item){ .path = key->path, .value = all->json, .from = all->names };
    }
    return (struct config_item){ .path = key->path, .value = key->builtin ? key->builtin : "null" };
}

void own_list(const struct hone_own *own, struct arena *arena, struct config_list *out)
{
    for (const struct hone_key *key = hone_keys(); key->path; key++) {
        const char *others = others_path(key, arena);
        bool said = false;

        if (others && !hone_find(&own->values, others)) {
            config_list_add(out, arena, (struct config_item){ .path = others, .value = "null" });
        }
        for (uint32_t i = 0; i < own->values.count; i++) {
            const struct hone_value *value = &own->values.items[i];
            if (value->key != key) continue;
            said = true;
            config_list_add(out, arena, (struct config_item){
                .path = value->path, .value = value->json, .from = value->names,
            });
        }
        if (said || hone_key_has_role(key) || hone_key_has_name(key)) continue;
        if (strcmp(key->path, "$schema") == 0) continue;
        config_list_add(out, arena, unset_item(own, key));
    }
}

static void say_value(struct buf *out, const struct hone_own *own, uint32_t place, const char *path)
{
    const struct hone_value *value = hone_find(&own->values, path);
    const struct hone_file *file = &own->files[place];

    add_safe(out, path, 0);
    if (!value) {
        buf_text(out, " is not set any more in ");
        add_safe(out, file->name, 0);
    } else if (value->from == file) {
        buf_text(out, " is now ");
        add_safe(out, value->json, 0);
        buf_text(out, ", by ");
        add_safe(out, value->names, 0);
    } else {
        buf_text(out, " was changed in ");
        add_safe(out, file->name, 0);
        buf_text(out, ", but stays ");
        add_safe(out, value->json, 0);
        buf_text(out, ", by ");
        add_safe(out, value->names, 0);
        buf_text(out, ", which wins");
    }
    buf_byte(out, '\n');
}

/* Changes the file; own then holds what is said afterwards. */
static int change(struct hone_own *own, const struct call *call, const char *path,
                  const char *word, struct err *err)
{
    uint32_t place = call_has(call, "user") ? HONE_FILE_USER : HONE_FILE_PROJECT;
    struct str old = STR("");
    struct buf text;
    bool agreed;
    int rc = hone_own_open(own, call->cwd, true, err);

    agreed = rc == 0 && own_is_agreed(own);
    if (rc == 0 || rc == ERR_USAGE) rc = hone_own_text(own, place, &old, err);
    if (rc != 0) return rc;
    buf_init(&text, HONE_FILE_BYTES_MAX);
    rc = hone_edit(old, &own->files[place], path, word, &text, err);
    if (rc == 0) rc = hone_own_write(own, place, buf_str(&text), false, err);
    buf_release(&text);
    if (rc != 0) return rc;
    hone_own_close(own);
    rc = hone_own_open(own, call->cwd, true, err);
    if (rc == 0 && agreed && place == HONE_FILE_PROJECT) {
        struct err none;
        (void)own_remember(own, &none); /* else the user is asked when it is used */
    }
    return rc;
}

int own_set(const struct call *call, const char *path, const char *word)
{
    uint32_t place = call_has(call, "user") ? HONE_FILE_USER : HONE_FILE_PROJECT;
    struct hone_own own = { 0 };
    struct err err = { 0 };
    struct buf out;
    int rc = change(&own, call, path, word, &err);

    if (rc == 0 && !call->quiet) {
        buf_init(&out, SAY_BYTES_MAX);
        say_value(&out, &own, place, path);
        say_take(&out);
    }
    hone_own_close(&own);
    return rc == 0 ? CODE_DONE : say_err(&err);
}
