/* SPDX-License-Identifier: Apache-2.0
 *
 * env.c - which variables an agent does not get.
 *
 * An agent gets every variable but secrets, and of the secrets those that it needs for its own
 * service. A variable is a secret by its name (X_TOKEN, X_SECRET, X_API_KEY ...: mask.h), by a
 * value that has the form of a key or is an address with a password in it, or because what it names
 * acts for the user: an SSH agent, a program that prints passwords, a terminal's or the desktop's
 * socket.
 *
 * 1. A variable whose value is a switch, a number, the path of something or empty is no secret,
 *    even with the name of one. A slash alone makes no path: keys begin with one, too.
 * 2. Claude Code by way of a cloud needs that cloud's credentials, and only then.
 * 3. A provider in Codex's own settings names the variable of its key: that is needed too. */
#include "agent/env.h"

#include "format/secret/mask.h"

#include <string.h>

/* Variables whose names say nothing of a secret: those that name a program or socket which acts for
 * the user, and headers, which hold keys in a form of their own. */
static const char *const doors[] = {
    "SSH_AUTH_SOCK", "SSH_ASKPASS", "GIT_ASKPASS", "GPG_AGENT_INFO", "VSCODE_GIT_IPC_HANDLE",
    "SUDO_ASKPASS", "DBUS_SESSION_BUS_ADDRESS", "TMUX", "TMUX_PANE", "STY", "DISPLAY",
    "WAYLAND_DISPLAY", "XAUTHORITY", "DOCKER_HOST", "CONTAINER_HOST",
    "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    "OTEL_EXPORTER_OTLP_METRICS_HEADERS", "OTEL_EXPORTER_OTLP_LOGS_HEADERS", NULL,
};

/* Where the variable `when` is set, an agent that needs `of` needs these, too. */
static const struct {
    const char *when, *of, *needed;
} clouds[] = {
    { "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_*", "AWS_*" },
    { "CLAUDE_CODE_USE_VERTEX", "CLAUDE_*", "GOOGLE_* GCLOUD_* CLOUDSDK_*" },
    { "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_*", "AZURE_*" },
};

/* ---- what is a secret ---- */

static bool is_plain(struct str value)
{
    static const char *const words[] = { "", "true", "false", "yes", "no", "on", "off", "none",
                                         NULL };
    uint64_t number;

    if (str_number(value, &number)) return true;
    for (const char *const *word = words; *word; word++) {
        if (str_is(value, *word)) return true;
    }
    return false;
}

/* scheme://user:password@host */
static bool is_address_with_password(struct str value)
{
    const char *at = memmem(value.data, value.size, "://", 3);
    struct str rest, user;

    if (!at) return false;
    rest = str_skip(value, (size_t)(at - value.data) + 3);
    if (!str_cut(&rest, '@', &user) || rest.size == 0) return false;
    return str_has(user, ':') && !str_has(user, '/') && user.data[user.size - 1] != ':';
}

bool env_is_secret(struct str name, struct str value, mask_exists *exists)
{
    struct mask none = { 0 };

    for (const char *const *door = doors; *door; door++) {
        if (str_is(name, *door)) return value.size > 0;
    }
    if (is_plain(value) || mask_is_path(value, exists)) return false;
    return mask_is_secret_name(name) || is_address_with_password(value) ||
           mask_text(&none, value, NULL);
}

/* ---- who gets it ---- */

static bool fits(struct str pattern, struct str name)
{
    if (pattern.size > 0 && pattern.data[pattern.size - 1] == '*') {
        pattern.size--;
        return str_starts(name, pattern);
    }
    return str_eq(pattern, name);
}

static bool any_fits(const char *patterns, char between, struct str name)
{
    struct str rest = str_of(patterns ? patterns : ""), pattern;

    while (str_cut(&rest, between, &pattern)) {
        if (pattern.size > 0 && fits(pattern, name)) return true;
    }
    return false;
}

static bool is_set(const struct env_request *request, const char *name)
{
    for (uint32_t i = 0; request->environment[i]; i++) {
        struct str value = str_of(request->environment[i]), found;
        if (str_cut(&value, '=', &found) && str_is(found, name) && value.size > 0) return true;
    }
    return false;
}

static bool cloud_fits(const struct env_request *request, struct str name)
{
    for (size_t i = 0; i < sizeof clouds / sizeof *clouds; i++) {
        if (!request->needed || !strstr(request->needed, clouds[i].of)) continue;
        if (any_fits(clouds[i].needed, ' ', name) && is_set(request, clouds[i].when)) return true;
    }
    return false;
}

/* Whether the settings have the name as a text of its own: env_key = "NAME". */
static bool settings_name(struct str settings, struct str name)
{
    struct str rest = settings, piece;

    while (str_cut(&rest, '"', &piece)) {
        if (str_eq(piece, name)) return true;
    }
    return false;
}

const char *const *env_withheld(const struct env_request *request, struct arena *arena)
{
    uint32_t all = 0, count = 0;
    const char **out;

    while (request->environment[all]) all++;
    out = arena_alloc(arena, (all + (size_t)1) * sizeof *out);
    for (uint32_t i = 0; i < all; i++) {
        struct str value = str_of(request->environment[i]), name;

        if (!str_cut(&value, '=', &name) || name.size == 0) continue;
        if (!env_is_secret(name, value, request->exists)) continue;
        if (any_fits(request->needed, ' ', name) || any_fits(request->passed, '\n', name)) continue;
        if (cloud_fits(request, name) || settings_name(request->settings, name)) continue;
        out[count++] = arena_cstr(arena, name);
    }
    return out;
}
