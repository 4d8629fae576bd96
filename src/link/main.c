/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - hone-link: the command line. One row for each verb and each option.
 *
 * 1. Who we are for the server is found in a folder of keys, as `hone-link init` makes one for each
 *    user: ca.pem, nkey.seed, name. Options name single files instead. */
#include "base/arena.h"
#include "io/file/file.h"
#include "link/doctor.h"
#include "link/driver.h"
#include "link/init.h"
#include "link/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_USAGE = 2, NAMES_MAX = 256, NAME_BYTES_MAX = 128 };

struct options {
    const char *place; /* URL or FOLDER */
    const char *ca, *nkey, *creds, *keys, *server;
    const char *workers[NAMES_MAX + 1], *drivers[NAMES_MAX + 1];
    uint32_t worker_count, driver_count;
    bool plain;
};

static const char usage[] =
    "usage: hone-link drive URL [options]       the driver's end of a fleet's carrier\n"
    "       hone-link work URL [options]        the worker's end\n"
    "       hone-link doctor URL [options]      what works with this server, and what to do\n"
    "       hone-link init FOLDER [--server HOST[:PORT]] [--worker NAME[=POOL,...]]...\n"
    "                      [--driver NAME]...   a server's configuration, with keys for users\n"
    "\n"
    "  URL            nats://HOST[:PORT], tls://HOST[:PORT]; TLS always, but to this machine\n"
    "  --keys FOLDER  with ca.pem, nkey.seed and name, as init makes one for each user\n"
    "                 (else $HONE_FLEET_KEYS, or ~/.config/hone/fleet where it is there)\n"
    "  --ca FILE      the certificate that signs the server's\n"
    "  --nkey FILE    the seed of this user's key\n"
    "  --creds FILE   credentials of this user (JWT and seed)\n"
    "  --plain        no TLS, wherever the server is\n"
    "\n"
    "Lines come on standard input and go to standard output: docs/reference/carrier.md.\n";

/* ---- options ---- */

static bool add_name(const char *value, const char **names, uint32_t *count)
{
    if (*count == NAMES_MAX) return false;
    names[(*count)++] = value;
    return true;
}

/* One option with its value; false: there is no such. */
static bool take_option(struct options *options, const char *name, const char *value)
{
    const struct { const char *name; const char **to; } rows[] = {
        { "--ca", &options->ca }, { "--nkey", &options->nkey }, { "--creds", &options->creds },
        { "--keys", &options->keys }, { "--server", &options->server },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        *rows[i].to = value;
        return true;
    }
    if (strcmp(name, "--worker") == 0) {
        return add_name(value, options->workers, &options->worker_count);
    }
    return strcmp(name, "--driver") == 0 &&
           add_name(value, options->drivers, &options->driver_count);
}

static bool read_options(struct options *options, int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--plain") == 0) {
            options->plain = true;
        } else if (argv[i][0] != '-' && !options->place) {
            options->place = argv[i];
        } else if (i + 1 < argc && take_option(options, argv[i], argv[i + 1])) {
            i++;
        } else {
            loop_tell("%s: not an option, or its value is missing", argv[i]);
            return false;
        }
    }
    if (!options->place) loop_tell("URL or FOLDER is missing");
    return options->place != NULL;
}

/* ---- who we are ---- */

/* *named: someone said so, and it must be there. */
static const char *keys_folder(const struct options *options, struct arena *arena, bool *named)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME"), *folder;

    *named = true;
    if (options->keys) return options->keys;
    folder = getenv("HONE_FLEET_KEYS");
    if (folder && folder[0]) return folder;
    *named = false;
    if (base && base[0] == '/') return arena_printf(arena, "%s/hone/fleet", base);
    if (home && home[0] == '/') return arena_printf(arena, "%s/.config/hone/fleet", home);
    return NULL;
}

static const char *file_of(const char *folder, const char *name, struct arena *arena)
{
    const char *path = folder ? arena_printf(arena, "%s/%s", folder, name) : NULL;

    return path && file_exists(path) ? path : NULL;
}

static int find_user(const struct options *options, struct arena *arena, struct bus_target *out,
                     struct err *err)
{
    bool named;
    const char *folder = keys_folder(options, arena, &named), *file;
    struct str name = { 0 };
    int rc = 0;

    if (folder && named && !file_exists(folder)) {
        return err_set(err, ERR_USAGE, "the folder of keys %s is not there: 'hone fleet init' makes"
                       " one for each user (FOLDER/users/NAME), to be copied here", folder);
    }
    *out = (struct bus_target){
        .url = options->place, .plain = options->plain, .name = "hone-link", .inbox = "_INBOX",
        .ca = options->ca, .seed = options->nkey, .creds = options->creds,
    };
    if (!out->ca) out->ca = file_of(folder, "ca.pem", arena);
    if (!out->seed && !out->creds) out->seed = file_of(folder, "nkey.seed", arena);
    if (options->nkey || options->creds) return 0;
    if (folder && !file_exists(folder)) out->no_keys = folder;
    file = file_of(folder, "name", arena);
    if (!file && out->seed) {
        return err_set(err, ERR_USAGE, "%s/name is not there: copy all of this user's folder, "
                       "FOLDER/users/NAME of 'hone fleet init'", folder);
    }
    if (!file) return 0;
    rc = file_text(file, NAME_BYTES_MAX, arena, &name, err);
    name = str_trim(name);
    if (rc == 0 && !fleet_name_is(name)) rc = err_set(err, ERR_FORMAT, "%s: not a name", file);
    if (rc != 0) return rc;
    out->user = arena_cstr(arena, name);
    out->inbox = arena_printf(arena, "_INBOX_%.*s", STR_ARG(name));
    out->name = arena_printf(arena, "hone-link of %s", out->user);
    return 0;
}

/* ---- verbs ---- */

static const struct {
    const char *name;
    int (*serve)(const struct bus_target *target); /* NULL: init, which has no server */
} verbs[] = {
    { "drive", driver_serve }, { "work", worker_serve }, { "doctor", doctor_look },
    { "init", NULL },
};

static int perform(size_t verb, const struct options *options)
{
    struct arena arena = { 0 };
    struct bus_target target;
    struct err err;
    int code;

    if (!verbs[verb].serve) {
        return init_make(&(struct init){
            .folder = options->place, .server = options->server, .workers = options->workers,
            .worker_count = options->worker_count, .drivers = options->drivers,
            .driver_count = options->driver_count,
        });
    }
    if (find_user(options, &arena, &target, &err) != 0) {
        loop_tell("%s", err.text);
        code = CODE_USAGE;
    } else {
        code = verbs[verb].serve(&target);
    }
    arena_release(&arena);
    return code;
}

int main(int argc, char **argv)
{
    struct options options = { 0 };

    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        return fputs(usage, stdout) < 0;
    }
    for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(argv[1], verbs[i].name) != 0) continue;
        return read_options(&options, argc, argv) ? perform(i, &options) : CODE_USAGE;
    }
    fputs(usage, stderr);
    return CODE_USAGE;
}
