/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet.c - hone fleet: who is there to play attempts, and what waits for whom; and a server's
 * configuration made, by hone-link.
 *
 * What is shown is said by fleet_say.c, and a fleet is tried from end to end by fleet_doctor.c. */
#include "cmd/fleet_doctor.h"
#include "cmd/fleet_say.h"
#include "cmd/parse.h"
#include "cmd/say.h"

#include "cmd/verbs.h"
#include "drive/fleet/who.h"
#include "io/process/host.h"
#include "io/process/program.h"
#include "settings/hone_files.h"
#include "settings/hone_use.h"
#include "settings/trust.h"

#include <string.h>

enum { ARGS_MAX = 64 };

/* ---- which fleet ---- */

/* What settings say; a repository's file counts where the user has agreed to it. */
static int url_of_settings(const struct call *call, struct arena *arena, const char **out,
                           struct err *err)
{
    const struct hone_value *value;
    struct hone_own own = { .workspace = NULL };
    struct trust trust;
    int rc = hone_own_open(&own, call->cwd, true, err);

    *out = NULL;
    trust_open(&trust);
    value = rc == 0 ? hone_find(&own.values, "fleet.url") : NULL;
    if (value && hone_is_asked(value) && !trust_has(&trust, own.workspace, value)) {
        rc = err_set(err, ERR_USAGE, "fleet.url of hone.json does not count: it came with the "
                     "repository, and you have not agreed to it ('hone run --trust' does); or name "
                     "the fleet here");
    } else if (value && *value->text) {
        *out = arena_cstr(arena, str_of(value->text));
    }
    trust_close(&trust);
    hone_own_close(&own);
    if (rc != 0 || *out) return rc;
    return err_set(err, ERR_USAGE, "no fleet is named: 'hone fleet show URL', or 'hone config set "
                   "--user fleet.url URL'; a URL is ssh:HOST, nats://HOST or tls://HOST");
}

static int url_take(struct call *call, const char *named, const char **out, struct err *err)
{
    *out = named;
    return named ? 0 : url_of_settings(call, &call->arena, out, err);
}

/* ---- show ---- */

static int show(struct call *call, const char *named)
{
    struct fleet_line ready, line;
    const char *url;
    struct err err;

    if (url_take(call, named, &url, &err) != 0) return say_err(&err);
    if (fleet_who(url, HONE_VERSION, &call->arena, &ready, &line, &err) != 0) {
        if (err.code != ERR_FAILED) return say_err(&err);
        return say_fail(CODE_FAILED, "%s; 'hone fleet doctor' says why", err.text);
    }
    return fleet_say(call, url, &ready, &line);
}

/* ---- init ---- */

static int no_link(void)
{
    return say_fail(CODE_USAGE, "hone-link is neither beside hone nor on the PATH: it is built "
                    "with hone where libnats is installed (Debian: libnats-dev); a fleet of one "
                    "machine by ssh:HOST needs none");
}

/* hone-link takes this process's place. */
static int init(struct call *call, const char *folder)
{
    const char **argv = arena_alloc(&call->arena, ARGS_MAX * sizeof *argv);
    uint32_t count = 0;

    if (!folder) {
        return say_fail(CODE_USAGE, "fleet init: a folder for the server's configuration and the "
                        "keys is needed, such as 'hone fleet init ~/fleet --worker box --driver "
                        "me'");
    }
    argv[count] = fleet_link(&call->arena);
    if (!argv[count++]) return no_link();
    argv[count++] = "init";
    argv[count++] = folder;
    for (uint32_t i = 0; i < call->given_count; i++) {
        if (count + 3 > ARGS_MAX) return say_fail(CODE_USAGE, "fleet init: too many options");
        argv[count++] = arena_printf(&call->arena, "--%s", call->given[i].name);
        argv[count++] = call->given[i].value;
    }
    argv[count] = NULL;
    return say_fail(CODE_FAILED, "%s could not be started: %s", argv[0],
                    strerror(program_become(host_parent(), argv)));
}

/* ---- the verb ---- */

static int handle(struct call *call)
{
    const char *action = call_argument(call, 0), *name = call_argument(call, 1), *url;
    struct err err;

    if (!action || strcmp(action, "show") == 0) {
        if (call->given_count) {
            return say_fail(CODE_USAGE, "fleet: --%s goes with init", call->given[0].name);
        }
        return show(call, name);
    }
    if (strcmp(action, "init") == 0) return init(call, name);
    if (strcmp(action, "doctor") == 0) {
        if (url_take(call, name, &url, &err) != 0) return say_err(&err);
        return fleet_doctor(call, url);
    }
    return say_fail(CODE_USAGE, "fleet: '%.60s' is not show, init or doctor", action);
}

const struct verb verb_fleet = {
    .name = "fleet",
    .summary = "show who plays attempts on other machines; set a fleet up, try it",
    .text = {
        "A fleet is other machines that play the agents of 'hone run --fleet URL'. 'show', the "
        "default, lists its workers and pools: who is there, with what, how busy; which attempts "
        "are at work, where, and when their claims were renewed; and which wait, and why.",
        "'init' makes a folder with the configuration of a NATS server: TLS, and a key with the "
        "least rights for each worker and each driver. It can be called again to add some.",
        "'doctor' tries it: the server, its rights, the workers, and some attempts of a script "
        "from here to there and back. It says what to do about what does not work.",
    },
    .arguments = {
        { .name = "ACTION", .optional = true, .help = "show, init or doctor; show by default",
          .words = "show, init or doctor" },
        { .name = "PLACE", .optional = true,
          .help = "of show and doctor: the fleet's URL, as 'hone run --fleet' takes it; fleet.url "
                  "of your settings by default. Of init: the folder" },
    },
    .options = {
        { .name = "server", .argument = "HOST",
          .help = "of init: the server's name, by which workers and drivers reach it" },
        { .name = "worker", .argument = "NAME",
          .help = "of init: a worker that gets a key; NAME=POOL,... for those pools only. May be "
                  "given many times" },
        { .name = "driver", .argument = "NAME",
          .help = "of init: a driver that gets a key; may be given many times" },
    },
    .codes = {
        { CODE_DONE, "it was shown, made, or tried and works" },
        { CODE_USAGE, "no fleet is named, or a program is missing" },
        { CODE_FAILED, "the fleet cannot be reached, or something in it does not work" },
    },
    .examples = {
        "hone fleet show ssh:bigbox",
        "hone fleet init ~/fleet --server box.lan --worker box --driver me",
        "hone fleet doctor nats://box.lan",
    },
    .handle = handle,
};
