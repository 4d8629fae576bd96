/* SPDX-License-Identifier: Apache-2.0
 *
 * worker.c - hone worker: plays attempts of runs on other machines; and `hone play`, the process
 * that plays one of them, which a worker starts itself. */
#include "worker/worker.h"

#include "agent/agent.h"
#include "base/path.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/verbs.h"
#include "drive/fleet/who.h"
#include "io/file/file.h"
#include "io/file/line.h"
#include "io/process/host.h"
#include "io/process/program.h"
#include "settings/hone_files.h"
#include "settings/hone_use.h"
#include "settings/trust.h"

#include <stdlib.h>
#include <string.h>

enum { LINK_ARGS_MAX = 16, AGAIN_MAX = 40 };

/* Options that say who we are for a server: they are the carrier's own. */
static const char *const link_options[] = { "ca", "nkey", "creds", NULL };

static int option_bad(const struct call *call, const char *name, const char *wanted,
                      struct err *err)
{
    return err_set(err, ERR_USAGE, "--%s '%.60s': %s", name, call_value(call, name), wanted);
}

static int take_name(const struct call *call, const char *name, const char **out, struct err *err)
{
    *out = call_value(call, name);
    if (!*out || fleet_name_is(str_of(*out))) return 0;
    return option_bad(call, name, "a name has letters, digits, '-' and '_', at most 64", err);
}

static int take_slots(const struct call *call, uint32_t *out, struct err *err)
{
    const char *word = call_value(call, "slots");
    uint64_t number = WORKER_SLOTS;

    if (word && (!str_number(str_of(word), &number) || number == 0 ||
                 number > WORKER_SLOTS_MAX)) {
        return option_bad(call, "slots", "a number from 1 to 64", err);
    }
    *out = (uint32_t)number;
    return 0;
}

static int take_labels(struct call *call, struct worker_settings *out, struct err *err)
{
    out->labels = arena_alloc(&call->arena, FLEET_LABELS_MAX * sizeof *out->labels);
    for (uint32_t i = 0; i < call->given_count; i++) {
        struct str rest = str_of(call->given[i].value), key;

        if (strcmp(call->given[i].name, "label") != 0) continue;
        if (out->label_count == FLEET_LABELS_MAX) {
            return err_set(err, ERR_USAGE, "--label: there are at most %d", FLEET_LABELS_MAX);
        }
        if (!str_has(rest, '=') || !str_cut(&rest, '=', &key) || key.size == 0) {
            return err_set(err, ERR_USAGE, "--label '%.60s': it is NAME=VALUE",
                           call->given[i].value);
        }
        out->labels[out->label_count++] = (struct fleet_label){ key, rest };
    }
    return 0;
}

/* A list with commas as lines. */
static const char *lines_of(struct call *call, const char *name)
{
    const char *value = call_value(call, name);
    char *lines = value ? arena_alloc(&call->arena, strlen(value) + 1) : NULL;

    for (size_t i = 0; lines && value[i]; i++) lines[i] = value[i] == ',' ? '\n' : value[i];
    return lines ? lines : "";
}

static int take_agents(struct call *call, struct worker_settings *out, struct err *err)
{
    struct str rest, name;
    struct agent agent;

    out->agents = lines_of(call, "agents");
    out->repos = lines_of(call, "repo");
    rest = str_of(out->agents);
    while (str_cut(&rest, '\n', &name)) {
        bool known = false;

        for (uint32_t i = 0; backends[i] && !known; i++) known = str_is(name, backends[i]->name);
        if (!known) return agent_parse(arena_cstr(&call->arena, name), &call->arena, &agent, err);
    }
    return 0;
}

static int take_folder(struct call *call, const char **out, struct err *err)
{
    const char *folder = call_value(call, "folder"), *state = trust_folder(&call->arena);

    if (folder) *out = path_joined(call->cwd, str_of(folder), &call->arena);
    else if (state) *out = arena_printf(&call->arena, "%s/worker", state);
    else return err_set(err, ERR_USAGE, "no home folder: say where to keep work with --folder");
    return 0;
}

/* What this user's own settings say of agents: a job's settings are its driver's. A hone.json in
 * the folder that a worker is started in says nothing. */
static int take_rights(struct call *call, struct worker_settings *out, struct err *err)
{
    static const struct str none = { NULL, 0 };
    struct run_settings settings = { .options = { 0 } };
    struct hone_own own = { .workspace = NULL };
    int rc = hone_own_open_as(&own, call->cwd, &none, err);

    if (rc == 0) {
        hone_rights(&own.values, &settings);
        out->tmp_shared = !settings.tmp_private;
        out->network_off = settings.network_off;
        out->home_private = settings.home_private;
    }
    hone_own_close(&own);
    return rc;
}

/* Where keys are: agents do not see them. */
static const char *secrets_of(struct call *call, const char *keys)
{
    static const char *const names[] = { "keys", "nkey", "creds", NULL };
    const char *lines = keys ? arena_printf(&call->arena, "%s\n", keys) : "";

    for (uint32_t i = 0; names[i]; i++) {
        const char *path = call_value(call, names[i]);

        if (!path) continue;
        lines = arena_printf(&call->arena, "%s%s\n", lines,
                             path_joined(call->cwd, str_of(path), &call->arena));
    }
    return lines;
}

/* What the process that plays an attempt goes by, too. */
static void take_again(struct call *call, struct worker_settings *out)
{
    static const char *const names[] = { "agents", "repo", "keys", "nkey", "creds", NULL };
    const char **again = arena_alloc(&call->arena, AGAIN_MAX * sizeof *again);
    uint32_t count = 0;

    for (uint32_t i = 0; names[i]; i++) {
        if (!call_has(call, names[i])) continue;
        again[count++] = arena_printf(&call->arena, "--%s", names[i]);
        again[count++] = i < 2 ? call_value(call, names[i])
                               : path_joined(call->cwd, str_of(call_value(call, names[i])),
                                             &call->arena);
    }
    if (out->keys && !call_has(call, "keys")) {
        again[count++] = "--keys";
        again[count++] = out->keys;
    }
    if (call_has(call, "no-sandbox")) again[count++] = "--no-sandbox";
    out->again = again;
}

static int take_settings(struct call *call, const char *keys, struct worker_settings *out,
                         struct err *err)
{
    int rc;

    *out = (struct worker_settings){
        .version = HONE_VERSION, .keys = keys, .sandbox_off = call_has(call, "no-sandbox"),
        .host = host_name(arena_alloc(&call->arena, HOST_NAME_BYTES)),
    };
    rc = take_name(call, "name", &out->name, err);
    if (rc == 0) rc = take_name(call, "pool", &out->pool, err);
    if (!out->pool) out->pool = "default";
    if (rc == 0) rc = take_slots(call, &out->slots, err);
    if (rc == 0) rc = take_labels(call, out, err);
    if (rc == 0) rc = take_agents(call, out, err);
    if (rc == 0) rc = take_folder(call, &out->folder, err);
    if (rc == 0) rc = take_rights(call, out, err);
    if (rc == 0) out->secrets = secrets_of(call, out->keys);
    if (rc == 0) take_again(call, out);
    return rc;
}

/* Where keys are is for the carrier alone: no agent's environment says it. */
static const char *link_keys(struct call *call)
{
    const char *keys = getenv("HONE_FLEET_KEYS");

    keys = keys && *keys ? arena_cstr(&call->arena, str_of(keys)) : NULL;
    (void)unsetenv("HONE_FLEET_KEYS");
    return call_has(call, "keys") ? call_value(call, "keys") : keys;
}

/* The carrier's program: beside ours, or on the PATH. Its paths are whole ones: a worker works in a
 * folder of its own. */
static int take_link(struct call *call, const char *url, const char *keys,
                     const char *const **out, struct err *err)
{
    const char **argv = arena_alloc(&call->arena, LINK_ARGS_MAX * sizeof *argv);
    uint32_t count = 0;

    if (!fleet_is_server(url)) {
        return err_set(err, ERR_USAGE, "worker: %.200s is not nats://HOST[:PORT] or "
                       "tls://HOST[:PORT]", url);
    }
    argv[count++] = fleet_link(&call->arena);
    if (!argv[0]) {
        return err_set(err, ERR_USAGE, "hone-link is not installed: it brings attempts over NATS, "
                       "and a build of hone with libnats has it. Without it: ssh:HOST, which needs "
                       "no hone worker");
    }
    argv[count++] = "work";
    argv[count++] = url;
    if (keys) {
        argv[count++] = "--keys";
        argv[count++] = path_joined(call->cwd, str_of(keys), &call->arena);
    }
    for (uint32_t i = 0; link_options[i]; i++) {
        const char *value = call_value(call, link_options[i]);

        if (!value) continue;
        argv[count++] = arena_printf(&call->arena, "--%s", link_options[i]);
        argv[count++] = path_joined(call->cwd, str_of(value), &call->arena);
    }
    if (call_has(call, "plain")) argv[count++] = "--plain";
    *out = argv;
    return 0;
}

static int handle(struct call *call)
{
    const char *url = call_argument(call, 0);
    const char *keys = link_keys(call);
    bool lines = call_has(call, "lines");
    struct worker_settings settings;
    struct err err;
    int rc = take_settings(call, keys, &settings, &err);

    if (rc == 0 && !url == !lines) {
        rc = err_set(&err, ERR_USAGE, "worker: name the server (nats://HOST), or say --lines, for "
                     "ssh HOST hone worker --lines");
    }
    if (rc == 0 && url) rc = take_link(call, url, keys, &settings.link, &err);
    if (rc != 0) return say_err(&err);
    if (lines && line_can_ask()) {
        (void)say_fail(CODE_DONE, "a driver starts this through ssh and talks to it on standard "
                       "input and output; Ctrl-D ends it");
    }
    return worker_run(&settings) == 0 ? CODE_DONE : CODE_FAILED;
}

static int handle_play(struct call *call)
{
    struct worker_settings settings;
    struct err err;

    if (take_settings(call, NULL, &settings, &err) != 0) return say_err(&err);
    if (!settings.name) settings.name = "";
    if (call_has(call, "sweep")) return worker_sweep(&settings) == 0 ? CODE_DONE : CODE_FAILED;
    if (!call_argument(call, 0)) return say_fail(CODE_USAGE, "play: FOLDER is missing");
    return worker_play(&settings, call_argument(call, 0)) == 0 ? CODE_DONE : CODE_FAILED;
}

const struct verb verb_play = {
    .name = "play",
    .summary = "play one attempt that a worker has taken",
    .text = { "hone worker starts this." },
    .arguments = { { .name = "FOLDER", .optional = true,
                     .help = "the attempt's, in the worker's outbox" } },
    .options = { { .name = "sweep", .help = "remove what was not used for long, instead" } },
    .like = &verb_worker,
    .codes = {
        { CODE_DONE, "the result is written, or its driver does not want it" },
        { CODE_USAGE, "the command line is wrong" },
        { CODE_FAILED, "there is no result" },
    },
    .handle = handle_play,
};

const struct verb verb_worker = {
    .name = "worker",
    .summary = "play attempts of runs on other machines",
    .text = {
        "Joins a pool of a fleet and plays the attempts that drivers ('hone run --fleet URL') send "
        "to it: in work trees of its own, with the agents that are installed and logged in here, "
        "in the same sandbox and under the same limits as a run on this machine. What came of an "
        "attempt is kept until its driver has it, also when worker, server or driver die.",
        "With --lines it serves one driver on standard input and output, which needs no server: "
        "a driver with '--fleet ssh:HOST' starts it through ssh.",
        "Who may send work here: behind ssh the users who can log in to this account; over a "
        "server the drivers to which it gives the right. They can run any command here, as agents "
        "of a run do: in the sandbox of a role, as your user. --agents and --repo narrow that. "
        "What a driver's settings open on its own machine stays closed here: other paths to write "
        "to, credentials that are passed on, the machine's temporary folders, agents without a "
        "sandbox. 'rights' of your own settings counts. In the sandbox no agent sees the keys of "
        "the fleet, or what other attempts got and said. Where no sandbox works, agents go without "
        "one, and runs that have a setup command are not played.",
        "SIGTERM or Ctrl-C: no new attempts are taken, and it ends when those that it has are "
        "over; a second one ends their agents at once, and drivers have them played elsewhere. "
        "Results that no carrier has taken by then are said by the next start.",
    },
    .arguments = {
        { .name = "URL", .optional = true,
          .help = "the server: nats://HOST[:PORT] or tls://HOST[:PORT]" },
    },
    .options = {
        { .name = "lines", .help = "serve a driver on standard input and output" },
        { .name = "pool", .argument = "NAME", .help = "the pool that it joins; 'default' by "
                                                      "default" },
        { .name = "slots", .argument = "N", .help = "at most N attempts at a time; 8 by default" },
        { .name = "label", .argument = "NAME=VALUE", .help = "shown by 'hone fleet'; may be given "
                                                             "several times" },
        { .name = "name", .argument = "NAME", .help = "the worker's name; by default this "
                                                      "machine's with a word behind it" },
        { .name = "agents", .argument = "LIST", .help = "play these backends alone: claude,codex" },
        { .name = "repo", .argument = "LIST", .help = "take work for these repositories alone, by "
                                                      "the words that refusals name" },
        { .name = "no-sandbox", .help = "run agents without a sandbox; setup commands of "
                                        "runs, too, where --agents names none" },
        { .name = "folder", .argument = "DIR", .help = "where clones, work trees and results are "
                                                       "kept; by default in your state folder" },
        { .name = "keys", .argument = "FOLDER", .help = "who this is for the server: ca.pem, "
                                                        "nkey.seed and name" },
        { .name = "ca", .argument = "FILE", .help = "the certificate that signs the server's" },
        { .name = "nkey", .argument = "FILE", .help = "the seed of this worker's key" },
        { .name = "creds", .argument = "FILE", .help = "credentials of this worker" },
        { .name = "plain", .help = "no TLS, wherever the server is" },
    },
    .codes = {
        { CODE_DONE, "it was told to end, or its driver has gone" },
        { CODE_USAGE, "the command line is wrong, or hone-link is missing" },
        { CODE_FAILED, "it could not begin: its folder, its name, its keys, the carrier" },
    },
    .examples = {
        "hone worker nats://box --pool linux --slots 4",
        "ssh box hone worker --lines",
    },
    .handle = handle,
};
