/* SPDX-License-Identifier: Apache-2.0
 *
 * config.h - .review-loop/config.md: the settings of dialect session, all optional.
 *
 * `key: value` lines (format/json/flat_config.h). A value that cannot be used is a warning, and the
 * default holds. An unknown key, and one that has no meaning here, is a warning too. Nothing in the
 * file ends a run. */
#ifndef HONE_DIALECT_SESSION_CONFIG_H
#define HONE_DIALECT_SESSION_CONFIG_H

#include "dialect/dialect.h"

#define SESSION_CONFIG_FILE ".review-loop/config.md"
#define SESSION_MODEL_BACKSTOP "claude-sonnet-4-6"

struct session_config {
    const char *reviewer_model, *judgment_model; /* "": not set */
    uint32_t soft_limit_plan, soft_limit_exec;   /* from 1 */
    bool handsfree;
    const char *review_focus;   /* for reviews of code; "": none */
    const char *quality_focus;  /* for polish */
    const char *review_style;   /* for all reviews */
    bool skip_quality_polish;
    bool local_reviewer;        /* codex_reviewer_backend: codex */
    const char *codex_reviewer_model;  /* "": the backend's own */
};

extern const char *const session_config_files[]; /* NULL ends */

/* Out of settings->files; texts live in arena; warnings go to settings->warnings. */
void session_config_read(const struct settings *settings, struct arena *arena,
                         struct session_config *out);

/* The model of the reviewer by claude: reviewer_model, else judgment_model, else the backstop. */
const char *session_config_model(const struct session_config *config);

/* Every setting with its value and its origin: dialect.h's config(). */
void session_config_list(const struct settings *settings, struct arena *arena,
                         struct config_list *out);

#endif
