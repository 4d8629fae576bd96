/* SPDX-License-Identifier: Apache-2.0
 *
 * key.c - what a unit's findings depend on, as one number.
 *
 * The unit and all it includes (source_key), the command as it would be for this unit alone, the
 * program that runs, and the repository's settings for it in every folder above the unit. A script
 * that sources others depends on every script: which ones, only running it would tell. Where some
 * script may source a file that is no script of ours, nothing is kept of those that source: what
 * they depend on is not known. */
#include "analyze/analyze.h"

#include "base/mem.h"
#include "base/path.h"
#include "format/report/fix.h"
#include "format/source/includes.h"
#include "io/file/file.h"
#include "io/process/program.h"

#include <stdlib.h>
#include <string.h>

enum { CONFIG_BYTES_MAX = 1 << 20, NAME_BYTES_MAX = 4096, KEY_VERSION = 3 };

struct keys {
    struct review *review;
    const struct analyzer *analyzer;
    struct str folder;      /* the last one whose settings were looked for */
    bool configured, told;
    uint64_t config_hash;
    bool scripts_read;
    bool scripts_closed;    /* they source only each other */
    uint64_t scripts_hash;  /* of all of them */
    const char *program;    /* argv[0] of the last command, and what stands there */
    uint64_t program_hash;
    struct buf all;         /* what is hashed */
};

/* ---- settings ---- */

/* Adds the settings in one folder, where there are some. */
static bool config_add(struct keys *keys, struct str folder, struct buf *out)
{
    struct arena arena = { 0 };
    const char *path = arena_printf(&arena, "%.*s%s%s", STR_ARG(folder), folder.size ? "/" : "",
                                    keys->analyzer->config);
    struct err err;
    int rc = file_read_in(keys->review->workspace, path, out, &err);

    key_text(out, path);
    arena_release(&arena);
    return rc != ERR_MISSING; /* what cannot be read is there all the same */
}

static bool config_runs_code(const struct analyzer *analyzer, const struct buf *text)
{
    const char *const *word = analyzer->config_runs;

    for (; word && *word; word++) {
        if (memmem(text->data, text->size, *word, strlen(*word))) return true;
    }
    return false;
}

/* From the unit's folder up to the workspace. */
static void config_find(struct keys *keys, const char *path)
{
    struct str folder = path_folder(str_of(path));
    struct buf text;

    if (keys->folder.data && str_eq(folder, keys->folder)) return;
    keys->folder = folder;
    keys->configured = false;
    keys->config_hash = 0;
    if (!keys->analyzer->config) return;
    buf_init(&text, CONFIG_BYTES_MAX);
    for (;;) {
        if (config_add(keys, folder, &text)) keys->configured = true;
        if (folder.size == 0) break;
        while (folder.size > 0 && folder.data[folder.size - 1] != '/') folder.size--;
        if (folder.size > 0) folder.size--;
    }
    keys->config_hash = content_hash(buf_str(&text));
    if (keys->configured && config_runs_code(keys->analyzer, &text)) {
        keys->configured = false;
        if (!keys->told) {
            review_note(keys->review, "settings of %s in this repository (%s) would have it run "
                        "code of the repository: they are not used", keys->analyzer->name,
                        keys->analyzer->config);
        }
        keys->told = true;
    }
    buf_release(&text);
}

/* ---- scripts ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Whether every file that this script may source has the name of one of these. What cannot be read
 * may source everything. */
static bool script_is_closed(const struct keys *keys, const struct source *script,
                             const char **names, uint32_t count)
{
    struct sourced_walk walk = { .text = { "", 0 } };
    struct buf text, name;
    struct err err;
    bool closed;

    buf_init(&text, SOURCE_BYTES_MAX);
    buf_init(&name, NAME_BYTES_MAX);
    closed = file_read_in(keys->review->workspace, script->path, &text, &err) == 0;
    walk.text = buf_str(&text);
    while (closed && sourced_next(&walk, &name)) {
        const char *wanted = buf_cstr(&name);

        closed = !*wanted || bsearch(&wanted, names, count, sizeof *names, compare_names);
    }
    buf_release(&name);
    buf_release(&text);
    return closed;
}

/* All scripts, once: their hash, and whether they source only each other. */
static void scripts_read(struct keys *keys)
{
    const struct project *project = &keys->review->project;
    const char **names = mem_alloc((project->count + 1) * sizeof *names);
    uint32_t count = 0;
    struct buf all;

    buf_init(&all, SIZE_MAX / 4);
    for (uint32_t i = 0; i < project->count; i++) {
        const struct source *source = &project->sources[i];

        if (source->language != &language_shell) continue;
        names[count++] = path_leaf_text(source->path);
        key_text(&all, source->path);
        key_number(&all, source->hash);
    }
    qsort(names, count, sizeof *names, compare_names);
    keys->scripts_read = keys->scripts_closed = true;
    keys->scripts_hash = content_hash(buf_str(&all));
    for (uint32_t i = 0; keys->scripts_closed && i < project->count; i++) {
        if (project->sources[i].language != &language_shell) continue;
        keys->scripts_closed = script_is_closed(keys, &project->sources[i], names, count);
    }
    buf_release(&all);
    free(names);
}

static bool may_source(const struct keys *keys, const struct source *script)
{
    struct sourced_walk walk = { .text = { "", 0 } };
    struct buf text, name;
    struct err err;
    bool may;

    buf_init(&text, SOURCE_BYTES_MAX);
    buf_init(&name, NAME_BYTES_MAX);
    may = file_read_in(keys->review->workspace, script->path, &text, &err) != 0;
    walk.text = buf_str(&text);
    may = may || sourced_next(&walk, &name);
    buf_release(&name);
    buf_release(&text);
    return may;
}

/* Adds what a script depends on beyond itself; false: that is not known. */
static bool add_scripts(struct keys *keys, const struct source *script)
{
    if (!may_source(keys, script)) return true;
    if (!keys->scripts_read) scripts_read(keys);
    key_number(&keys->all, keys->scripts_hash);
    return keys->scripts_closed;
}

/* ---- the whole ---- */

static void add_program(struct keys *keys, const char *program)
{
    if (!keys->program || strcmp(keys->program, program) != 0) {
        const char *path = program_find(program, &keys->review->arena);

        keys->program_hash = path ? content_hash(str_of(path)) ^ program_stamp(path) : 0;
        keys->program = arena_cstr(&keys->review->arena, str_of(program));
    }
    key_number(&keys->all, keys->program_hash);
}

static void unit_key(struct keys *keys, struct unit *unit)
{
    struct arena arena = { 0 };
    const struct source *sources[] = { unit->source };
    const struct analyzer_call call = {
        .workspace = keys->review->workspace, .units = sources, .count = 1, .report = "",
        .configured = unit->configured,
    };
    const char *const *argv = keys->analyzer->command(&call, &arena);

    buf_clear(&keys->all);
    key_number(&keys->all, KEY_VERSION);
    add_program(keys, argv[0]);
    for (uint32_t i = 0; argv[i]; i++) key_text(&keys->all, argv[i]);
    key_text(&keys->all, ""); /* no word is empty: the command ends here */
    key_number(&keys->all, keys->config_hash);
    key_number(&keys->all, source_key(&keys->review->project, unit->source));
    unit->keyed = !unit->source->uncertain && unit->source->hash != 0;
    if (unit->source->language == &language_shell && !add_scripts(keys, unit->source)) {
        unit->keyed = false;
    }
    unit->key = content_hash(buf_str(&keys->all));
    arena_release(&arena);
}

void analyze_keys(struct review *review, const struct analyzer *analyzer, struct unit *units,
                  uint32_t count)
{
    struct keys keys = { .review = review, .analyzer = analyzer };

    buf_init(&keys.all, SIZE_MAX / 4);
    for (uint32_t i = 0; i < count; i++) {
        config_find(&keys, units[i].source->path);
        units[i].configured = keys.configured;
        if (review->cache) unit_key(&keys, &units[i]);
    }
    buf_release(&keys.all);
}
