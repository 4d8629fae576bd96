/* SPDX-License-Identifier: Apache-2.0
 *
 * notify.c - how a person is told of runs, by settings.
 *
 *   the user's file and HONE_CONFIG     count as they are
 *   the repository's hone.json          counts where the user has agreed to that very value
 *                                       (settings/trust.h); else what the user's own files say
 *
 * hone run asks before it begins (cmd/own.c). A resume does not ask: what has come into the file
 * since then, as by an agent, does not count, and a remark says so. */
#include "settings/notify.h"

#include "base/path.h"
#include "io/process/host.h"
#include "settings/hone_files.h"
#include "settings/hone_use.h"
#include "settings/trust.h"

#include <string.h>

/* All that is said, what is said by the user alone, and what was agreed to. */
struct said {
    struct hone_own own;
    struct hone_values mine;
    struct trust trust;
    struct notify *out;
};

static int read_mine(struct said *said, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < HONE_FILE_COUNT; i++) {
        struct hone_file *file = &said->own.files[i];
        struct str text;

        if (file->foreign || !file->exists) continue;
        rc = hone_own_text(&said->own, i, &text, err);
        if (rc == 0) rc = hone_read(text, file, &said->own.arena, &said->mine, err);
    }
    return rc;
}

/* The value that counts; NULL: none. */
static const struct hone_value *value_of(struct said *said, const char *path)
{
    const struct hone_value *value = hone_find(&said->own.values, path);

    if (!value || !hone_is_asked(value)) return value;
    if (trust_has(&said->trust, said->own.workspace, value)) return value;
    if (!said->out->refused) said->out->refused = value->key->path;
    return hone_find(&said->mine, path);
}

static const char *text_of(struct said *said, const char *path, struct arena *arena)
{
    const struct hone_value *value = value_of(said, path);

    return value && *value->text ? arena_cstr(arena, str_of(value->text)) : NULL;
}

/* ~/ is the user's home; else from the folder of the file that names it. */
static const char *file_of(struct said *said, const char *path, struct arena *arena)
{
    const struct hone_value *value = value_of(said, path);
    const char *home = host_home();

    if (!value) return NULL;
    if (strncmp(value->text, "~/", 2) == 0 && home) {
        return arena_printf(arena, "%s/%s", home, value->text + 2);
    }
    if (value->text[0] == '/') return arena_cstr(arena, str_of(value->text));
    return arena_printf(arena, "%s/%s", value->from->folder, value->text);
}

static uint32_t when_of(struct said *said)
{
    static const char *const words[] = { "ended", "waiting", "failed" };
    const struct hone_value *value = value_of(said, "notify.when");
    struct str rest = str_of(value ? value->text : ""), line;
    uint32_t when = 0;

    if (!value) return NOTIFY_ALL;
    while (str_cut(&rest, '\n', &line)) {
        for (uint32_t i = 0; i < 3; i++) {
            if (str_is(line, words[i])) when |= 1U << i;
        }
    }
    return when;
}

static void fill(struct said *said, struct arena *arena)
{
    struct notify *out = said->out;
    const char *command = text_of(said, "notify.command", arena);
    const char *desktop = text_of(said, "notify.desktop", arena);
    const char *calls = text_of(said, "limits.calls_per_hour", arena);
    uint64_t number;

    out->when = when_of(said);
    if (command) out->command = arena_lines(arena, str_of(command));
    out->desktop = desktop && strcmp(desktop, "true") == 0;
    out->webhook = text_of(said, "notify.webhook", arena);
    out->secret_file = file_of(said, "notify.secret_file", arena);
    if (!out->secret_file) out->secret_env = text_of(said, "notify.secret_env", arena);
    if (calls && str_number(str_of(calls), &number)) out->calls_per_hour = (uint32_t)number;
}

int notify_read(const char *start, struct arena *arena, struct notify *out, struct err *err)
{
    struct said said = { .out = out };
    struct err none;
    int rc;

    *out = (struct notify){ .when = NOTIFY_ALL };
    rc = hone_own_open(&said.own, start, false, &none);
    trust_open(&said.trust);
    if (rc != 0) said.own.values = (struct hone_values){ 0 };
    rc = read_mine(&said, err);
    if (said.own.values.count == 0) said.own.values = said.mine;
    if (rc == 0) fill(&said, arena);
    trust_close(&said.trust);
    hone_own_close(&said.own);
    return rc;
}
