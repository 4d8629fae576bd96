/* SPDX-License-Identifier: Apache-2.0
 *
 * env.h - credentials in the environment: which an agent needs, and which it does not get.
 *
 * Pure: the environment goes in, the names that must be taken out of it come back. */
#ifndef HONE_AGENT_ENV_H
#define HONE_AGENT_ENV_H

#include "base/arena.h"
#include "format/secret/mask.h"

/* What a model's program needs to reach its service: names, or how they begin and a *. */
#define ENV_CLAUDE "ANTHROPIC_* CLAUDE_*"
#define ENV_CODEX "OPENAI_* CODEX_* AZURE_OPENAI_*"
#define ENV_GEMINI "GEMINI_* GOOGLE_*"
#define ENV_MODELS ENV_CLAUDE " " ENV_CODEX " " ENV_GEMINI

/* An environment, and what the agent may have of it. */
struct env_request {
    const char *const *environment; /* "NAME=value" each; NULL ends */
    const char *needed; /* patterns as above, between blanks; NULL: none */
    const char *passed; /* patterns that the user named, a line each; NULL: none */
    struct str settings; /* the text of a Codex config.toml, which may name variables of its own */
    mask_exists *exists; /* what tells a path from a key that begins with a slash; NULL: all keys */
};

/* Whether a variable gives access to something: by its name, or by what it holds. */
bool env_is_secret(struct str name, struct str value, mask_exists *exists);

/* The names of all secrets that are neither needed nor passed; NULL ends. The list lives in arena,
 * in the order of the environment. */
const char *const *env_withheld(const struct env_request *request, struct arena *arena);

#endif
