/* SPDX-License-Identifier: Apache-2.0
 *
 * test_env.c - credentials that agents do not find in their environment.
 *
 * row: agent.credentials | it takes credentials from its environment | only what its own service needs is there; other tokens, keys, passwords and agents' sockets are not | files: `~/.ssh`, `~/.aws` can be read unless `rights.home` is false; a socket whose path is guessed | `test_env.c: each_model_gets_its_own`, `sandbox.sh: no token of others` */
#include "agent/backends.h"
#include "agent/env.h"

#include "test.h"

#include <string.h>

TESTS_ARENA

static const char *const usual[] = {
    "PATH=/usr/bin", "HOME=/home/me", "PWD=/home/me/work", "TERM=xterm", "LANG=C.UTF-8",
    "GITHUB_TOKEN=hunter2", "AWS_SECRET_ACCESS_KEY=abcd", "AWS_REGION=eu-west-1",
    "SSH_AUTH_SOCK=/tmp/ssh-x/agent.1", "DB_PASSWORD=hunter2", "NPM_TOKEN=x1",
    "ANTHROPIC_API_KEY=k1", "CLAUDE_CODE_OAUTH_TOKEN=k2", "OPENAI_API_KEY=k3", "CODEX_API_KEY=k4",
    "GEMINI_API_KEY=k5", "GOOGLE_API_KEY=k6", "DATABASE_URL=postgres://me:word@db/x",
    "MAX_TOKENS=4096", "TOKENIZERS_PARALLELISM=false", "AWS_SHARED_CREDENTIALS_FILE=/x", NULL,
};

static bool is_there(const char *path)
{
    return strcmp(path, "/run/token") == 0 || strcmp(path, "/x") == 0;
}

/* The names that are withheld, with a blank behind each. */
static const char *withheld(const char *const *environment, const char *needed, const char *passed,
                            const char *settings)
{
    struct env_request request = { .environment = environment, .needed = needed, .passed = passed,
                                   .settings = str_of(settings), .exists = is_there };
    const char *const *names = env_withheld(&request, &arena);
    const char *text = "";

    for (; *names; names++) text = arena_printf(&arena, "%s%s ", text, *names);
    return text;
}

TEST_WITH(secrets_are_known_by_name_or_value, NULL, release)
{
    static const struct {
        const char *name, *value;
        bool secret;
    } rows[] = {
        { "GITHUB_TOKEN", "x", true }, { "MY_SECRET", "x", true }, { "X_API_KEY", "x", true },
        { "GH_PAT", "x", true }, { "PGPASSWORD", "x", true }, { "HTTP_COOKIE", "x", true },
        { "github_token", "x", true }, { "npm_config__auth", "x", true },
        { "SSH_AUTH_SOCK", "/tmp/s", true }, { "GIT_ASKPASS", "/usr/bin/x", true },
        { "TMUX", "/tmp/tmux-1000/default,1,0", true }, { "DISPLAY", ":0", true },
        { "DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus", true },
        { "DOCKER_HOST", "unix:///run/docker.sock", true }, { "WAYLAND_DISPLAY", "w-0", true },
        { "REDIS_URL", "redis://:p@h", true }, { "PROXY", "http://me:pw@h:1/", true },
        { "X", "ghp_" "Rk7vQ2mXc9LpT4wZbN8sYd3HfGjA6eUoK1Vq", true },
        { "PATH", "/bin", false }, { "PWD", "word", false }, { "OLDPWD", "word", false },
        { "URL", "http://host/a@b:c", false }, { "URL", "ssh://git@host/x", false },
        { "MAX_TOKENS", "100", false }, { "USE_TOKEN", "true", false }, { "A_TOKEN", "", false },
        { "TOKEN_FILE", "/run/token", false },
        { "AWS_SECRET_ACCESS_KEY", "/qTz+4WmXc9", true },
        { "TOKEN_FILE", "~/token", false }, { "A_TOKEN", ".qTz+4WmXc9", true },
        { "SSH_AUTH_SOCK", "", false }, { "KEYMAP", "us", false },
        { "MONKEY", "x", false }, { "COMPASS", "x", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (env_is_secret(str_of(rows[i].name), str_of(rows[i].value), is_there) !=
            rows[i].secret) {
            fail_msg("%s=%s", rows[i].name, rows[i].value);
        }
    }
}

TEST_WITH(who_needs_none_gets_none, NULL, release)
{
    assert_string_equal(withheld(usual, NULL, NULL, ""),
                        "GITHUB_TOKEN AWS_SECRET_ACCESS_KEY SSH_AUTH_SOCK DB_PASSWORD NPM_TOKEN "
                        "ANTHROPIC_API_KEY CLAUDE_CODE_OAUTH_TOKEN OPENAI_API_KEY CODEX_API_KEY "
                        "GEMINI_API_KEY GOOGLE_API_KEY DATABASE_URL ");
}

TEST_WITH(each_model_gets_its_own, NULL, release)
{
    static const char *const others = "GITHUB_TOKEN AWS_SECRET_ACCESS_KEY SSH_AUTH_SOCK "
                                      "DB_PASSWORD NPM_TOKEN ";

    assert_string_equal(
        withheld(usual, backend_claude.credentials, NULL, ""),
        arena_printf(&arena, "%sOPENAI_API_KEY CODEX_API_KEY GEMINI_API_KEY GOOGLE_API_KEY "
                     "DATABASE_URL ", others));
    assert_string_equal(
        withheld(usual, backend_codex.credentials, NULL, ""),
        arena_printf(&arena, "%sANTHROPIC_API_KEY CLAUDE_CODE_OAUTH_TOKEN GEMINI_API_KEY "
                     "GOOGLE_API_KEY DATABASE_URL ", others));
    assert_string_equal(
        withheld(usual, backend_gemini.credentials, NULL, ""),
        arena_printf(&arena, "%sANTHROPIC_API_KEY CLAUDE_CODE_OAUTH_TOKEN OPENAI_API_KEY "
                     "CODEX_API_KEY DATABASE_URL ", others));
    assert_string_equal(withheld(usual, backend_cmd.credentials, NULL, ""),
                        arena_printf(&arena, "%sDATABASE_URL ", others));
    assert_string_equal(withheld(usual, backend_acp.credentials, NULL, ""),
                        arena_printf(&arena, "%sDATABASE_URL ", others));
}

TEST_WITH(what_the_user_names_is_passed, NULL, release)
{
    assert_string_equal(withheld(usual, ENV_MODELS, "GITHUB_TOKEN\nAWS_*\nSSH_AUTH_SOCK", ""),
                        "DB_PASSWORD NPM_TOKEN DATABASE_URL ");
    assert_string_equal(withheld(usual, NULL, "*", ""), "");
    /* A beginning is not the name. */
    assert_string_equal(withheld(usual, ENV_MODELS, "GITHUB\nDB_*\nNPM_*\nDATABASE_URL", ""),
                        "GITHUB_TOKEN AWS_SECRET_ACCESS_KEY SSH_AUTH_SOCK ");
}

TEST_WITH(a_cloud_is_needed_only_where_it_is_used, NULL, release)
{
    static const char *const off[] = { "AWS_SESSION_TOKEN=x", "CLAUDE_CODE_USE_BEDROCK=", NULL };
    static const char *const on[] = { "AWS_SESSION_TOKEN=x", "CLAUDE_CODE_USE_BEDROCK=1",
                                      "AZURE_CLIENT_SECRET=x", NULL };

    assert_string_equal(withheld(off, ENV_CLAUDE, NULL, ""), "AWS_SESSION_TOKEN ");
    assert_string_equal(withheld(on, ENV_CLAUDE, NULL, ""), "AZURE_CLIENT_SECRET ");
    assert_string_equal(withheld(on, ENV_CODEX, NULL, ""),
                        "AWS_SESSION_TOKEN AZURE_CLIENT_SECRET ");
}

TEST_WITH(a_provider_of_codex_names_its_key, NULL, release)
{
    static const char *const environment[] = { "ROUTER_API_KEY=x", "OTHER_API_KEY=x", NULL };

    assert_string_equal(withheld(environment, ENV_CODEX, NULL,
                                 "[model_providers.r]\nenv_key = \"ROUTER_API_KEY\"\n"
                                 "# OTHER_API_KEY\n"), "OTHER_API_KEY ");
}

TEST_WITH(entries_without_a_name_are_left_alone, NULL, release)
{
    static const char *const environment[] = { "=C:=x", "", "A_TOKEN", "B_TOKEN=x", NULL };

    assert_string_equal(withheld(environment, NULL, NULL, ""), "B_TOKEN ");
}
