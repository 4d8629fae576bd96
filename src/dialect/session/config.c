/* SPDX-License-Identifier: Apache-2.0
 *
 * config.c - what each key of .review-loop/config.md may be, and what it is when it is not set.
 *
 * The file is shared with other tools, which have keys of their own. Keys that mean nothing to hone
 * are accepted. If the other tool ignores such a key too, hone says nothing; if the user would
 * expect an effect, hone warns and says what to do instead.
 *
 * 1. Every key has a row. What cannot be used is one warning, with its line, and the default holds.
 * 2. At most WARNINGS_MAX warnings; the rest is counted. */
#include "dialect/session/config.h"

#include "format/json/flat_config.h"
#include "format/json/json.h"
#include "format/text/safe.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum {
    FILE_BYTES_MAX = 1 << 20,
    WARNINGS_MAX = 20,
    SHOWN_BYTES_MAX = 60,
    LIMIT_MAX = 100,
};

const char *const session_config_files[] = { SESSION_CONFIG_FILE, NULL };

enum value_kind { VALUE_TEXT, VALUE_LINE, VALUE_MODEL, VALUE_PATH, VALUE_FLAG, VALUE_NUMBER,
                  VALUE_WORD };

struct row {
    const char *name;
    enum value_kind kind;
    const char *built_in;
    uint32_t least, most;      /* of a number */
    const char *const *words;  /* of a word; NULL ends */
    size_t offset;             /* in the configuration; NO_EFFECT: it means nothing here */
    const char *instead;       /* of a key without effect: what to do; NULL: no warning is due */
    enum consent consent;      /* about texts for reviewers, too: they could say what to find */
};

enum { NO_EFFECT = UINT32_MAX };

static const char *const reviewer_words[] = { "codex", "subagent", NULL };
static const char *const backend_words[] = { "claude_cli", "codex", NULL };

#define AT(member) .offset = offsetof(struct session_config, member)

static const struct row rows[] = {
    { "reviewer", VALUE_WORD, "codex", .words = reviewer_words, .offset = NO_EFFECT,
      .consent = CONSENT_NEVER },
    { "reviewer_model", VALUE_MODEL, "", AT(reviewer_model), .consent = CONSENT_NEVER },
    { "judgment_model", VALUE_MODEL, "", AT(judgment_model), .consent = CONSENT_NEVER },
    { "cheap_model", VALUE_MODEL, "", .offset = NO_EFFECT, .consent = CONSENT_NEVER },
    { "executor_model", VALUE_MODEL, "inherit", .offset = NO_EFFECT,
      .instead = "--agent executor=BACKEND:MODEL chooses the executor", .consent = CONSENT_NEVER },
    { "soft_limit_plan", VALUE_NUMBER, "3", .least = 1, .most = LIMIT_MAX, AT(soft_limit_plan),
      .consent = CONSENT_NEVER },
    { "soft_limit_exec", VALUE_NUMBER, "3", .least = 1, .most = LIMIT_MAX, AT(soft_limit_exec),
      .consent = CONSENT_NEVER },
    { "auto_commit", VALUE_FLAG, "false", .offset = NO_EFFECT,
      .instead = "what was delivered is left for you to commit", .consent = CONSENT_NEVER },
    { "commit_message_prefix", VALUE_LINE, "feat", .offset = NO_EFFECT, .consent = CONSENT_NEVER },
    { "docs_file", VALUE_PATH, "CHANGELOG.md", .offset = NO_EFFECT,
      .instead = "name the file in the task if it is to be kept up to date",
      .consent = CONSENT_NEVER },
    { "handsfree", VALUE_FLAG, "false", AT(handsfree), .consent = CONSENT_NEVER },
    { "review_focus", VALUE_TEXT, "", AT(review_focus), .consent = CONSENT_ANY },
    { "quality_focus", VALUE_TEXT, "", AT(quality_focus), .consent = CONSENT_ANY },
    { "review_style", VALUE_TEXT, "", AT(review_style), .consent = CONSENT_ANY },
    { "skip_quality_polish", VALUE_FLAG, "false", AT(skip_quality_polish),
      .consent = CONSENT_TRUE },
    { "context_persist_threshold", VALUE_NUMBER, "70", .least = 0, .most = 100,
      .offset = NO_EFFECT, .consent = CONSENT_NEVER },
    { "codex_reviewer_backend", VALUE_WORD, "claude_cli", .words = backend_words,
      AT(local_reviewer), .consent = CONSENT_NEVER },
    { "codex_reviewer_model", VALUE_MODEL, "", AT(codex_reviewer_model), .consent = CONSENT_NEVER },
    { "codex_executor_model", VALUE_MODEL, "", .offset = NO_EFFECT,
      .instead = "--agent executor=codex:MODEL chooses the executor", .consent = CONSENT_NEVER },
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

struct value {
    const char *text;
    uint32_t number; /* of a number, a flag, or the place of a word */
    bool from_file;
};

struct reader {
    struct arena *arena;
    struct warnings *warnings;
    uint32_t count; /* of warnings, shown or not */
    struct value values[ROW_COUNT];
};

/* ---- words for a person ---- */

static void warn(struct reader *reader, uint32_t line, const char *text)
{
    if (++reader->count > WARNINGS_MAX) return;
    warnings_add(reader->warnings, SESSION_CONFIG_FILE ": line %" PRIu32 ": %s", line, text);
}

static const char *shown(const struct reader *reader, struct str text)
{
    return safe_copy(reader->arena, text, SHOWN_BYTES_MAX);
}

/* The key that was probably meant; NULL: none is near. */
static const char *meant(struct str key)
{
    uint32_t best = key.size <= 4 ? 2 : key.size <= 8 ? 3 : 4;
    const char *found = NULL;

    if (key.size < 2 || key.size > SHOWN_BYTES_MAX) return NULL;
    for (uint32_t i = 0; i < ROW_COUNT; i++) {
        uint32_t distance = str_distance(key, str_of(rows[i].name));

        if (distance >= best) continue;
        best = distance;
        found = rows[i].name;
    }
    return found;
}

static void warn_key(struct reader *reader, const struct flat_value *value)
{
    const char *near = meant(value->key);

    warn(reader, value->line, arena_printf(reader->arena, "there is no setting '%s', it is "
                                           "ignored%s%s%s", shown(reader, value->key),
                                           near ? "; did you mean " : "", near ? near : "",
                                           near ? "?" : "; 'hone config show session' lists them"));
}

static const char *allowed(struct reader *reader, const struct row *row)
{
    const char *list = "";

    switch (row->kind) {
    case VALUE_FLAG:
        return "true or false";
    case VALUE_NUMBER:
        return arena_printf(reader->arena, "a whole number from %" PRIu32 " to %" PRIu32,
                            row->least, row->most);
    case VALUE_WORD:
        for (uint32_t i = 0; row->words[i]; i++) {
            list = arena_printf(reader->arena, "%s%s%s", list, i ? " or " : "", row->words[i]);
        }
        return list;
    case VALUE_MODEL:
        return "the name of a model, or \"\" for none";
    case VALUE_PATH:
        return "a path in the workspace, or \"\" for none";
    case VALUE_TEXT:
    case VALUE_LINE:
        break;
    }
    return "one line of text";
}

static void warn_value(struct reader *reader, const struct row *row,
                       const struct flat_value *value)
{
    warn(reader, value->line,
         arena_printf(reader->arena, "%s: '%s' cannot be used, and is taken as %s; allowed: %s",
                      row->name, shown(reader, value->text),
                      *row->built_in ? row->built_in : "not set", allowed(reader, row)));
}

/* ---- values ---- */

/* Relative, and never out of the workspace. */
static bool is_path(struct str text)
{
    struct str part;

    if (text.size == 0) return true;
    if (text.size > 4000 || text.data[text.size - 1] == '/') return false;
    for (size_t i = 0; i < text.size; i++) {
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f) return false;
    }
    while (str_cut(&text, '/', &part)) {
        if (part.size == 0 || str_is(part, ".") || str_is(part, "..")) return false;
    }
    return true;
}

static bool is_line(struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f) return false;
    }
    return true;
}

static bool take_word(struct str text, const char *const *words, struct value *out)
{
    for (uint32_t i = 0; words[i]; i++) {
        if (!str_is(text, words[i])) continue;
        out->number = i;
        return true;
    }
    return false;
}

static bool value_take(const struct row *row, struct str text, struct value *out)
{
    static const char *const flags[] = { "false", "true", NULL };
    uint64_t number;

    switch (row->kind) {
    case VALUE_TEXT:
        return !str_has(text, '\0');
    case VALUE_LINE:
        return is_line(text);
    case VALUE_MODEL:
        return text.size == 0 || is_model_name(text);
    case VALUE_PATH:
        return is_path(text);
    case VALUE_FLAG:
        return take_word(text, flags, out);
    case VALUE_WORD:
        return take_word(text, row->words, out);
    case VALUE_NUMBER:
        if (!str_number(text, &number) || number < row->least || number > row->most) return false;
        out->number = (uint32_t)number;
        return true;
    }
    return false;
}

static void take_value(struct reader *reader, const struct flat_value *value)
{
    struct value taken = { .from_file = true };
    uint32_t i = 0;

    while (i < ROW_COUNT && !str_is(value->key, rows[i].name)) i++;
    if (i == ROW_COUNT) {
        warn_key(reader, value);
    } else if (value->replaced) {
        warn(reader, value->line, arena_printf(reader->arena, "%s is there more than once; the "
                                               "last one counts", rows[i].name));
    } else if (!value_take(&rows[i], value->text, &taken)) {
        warn_value(reader, &rows[i], value);
    } else {
        taken.text = arena_cstr(reader->arena, value->text);
        reader->values[i] = taken;
        if (rows[i].instead && value->text.size && !str_is(value->text, rows[i].built_in)) {
            warn(reader, value->line, arena_printf(reader->arena, "%s has no effect here; %s",
                                                   rows[i].name, rows[i].instead));
        }
    }
}

/* ---- the file ---- */

static void read_file(struct reader *reader, struct str text)
{
    struct flat_config config;
    uint32_t value = 0, problem = 0;

    if (text.size > FILE_BYTES_MAX) {
        warnings_add(reader->warnings, SESSION_CONFIG_FILE ": it has more than %d bytes, and is "
                     "not read", FILE_BYTES_MAX);
        return;
    }
    flat_config_read(text, reader->arena, &config);
    while (value < config.count || problem < config.problem_count) { /* in the order of lines */
        bool first = problem == config.problem_count ||
                     (value < config.count &&
                      config.values[value].line <= config.problems[problem].line);

        if (first) {
            take_value(reader, &config.values[value++]);
        } else {
            warn(reader, config.problems[problem].line, config.problems[problem].text);
            problem++;
        }
    }
    if (reader->count > WARNINGS_MAX) {
        warnings_add(reader->warnings, SESSION_CONFIG_FILE ": and %" PRIu32 " more",
                     reader->count - WARNINGS_MAX);
    }
}

static void read_all(const struct settings *settings, struct arena *arena, struct reader *out)
{
    *out = (struct reader){ .arena = arena, .warnings = settings->warnings };
    for (uint32_t i = 0; i < ROW_COUNT; i++) {
        out->values[i].text = rows[i].built_in;
        (void)value_take(&rows[i], str_of(rows[i].built_in), &out->values[i]);
    }
    read_file(out, settings_file(settings, SESSION_CONFIG_FILE));
}

void session_config_read(const struct settings *settings, struct arena *arena,
                         struct session_config *out)
{
    struct reader reader;

    *out = (struct session_config){ 0 };
    read_all(settings, arena, &reader);
    for (uint32_t i = 0; i < ROW_COUNT; i++) {
        void *at = (char *)out + rows[i].offset;

        if (rows[i].offset == NO_EFFECT) continue;
        switch (rows[i].kind) {
        case VALUE_TEXT:
        case VALUE_LINE:
        case VALUE_MODEL:
        case VALUE_PATH:
            *(const char **)at = reader.values[i].text;
            break;
        case VALUE_NUMBER:
            *(uint32_t *)at = reader.values[i].number;
            break;
        case VALUE_FLAG:
        case VALUE_WORD: /* of two: the first is what holds anyway */
            *(bool *)at = reader.values[i].number == 1;
            break;
        }
    }
}

const char *session_config_model(const struct session_config *config)
{
    if (*config->reviewer_model) return config->reviewer_model;
    return *config->judgment_model ? config->judgment_model : SESSION_MODEL_BACKSTOP;
}

/* ---- the list ---- */

static const char *as_json(const struct row *row, const struct value *value, struct arena *arena)
{
    yyjson_mut_doc *doc;

    if (row->kind == VALUE_FLAG) return value->number ? "true" : "false";
    if (row->kind == VALUE_NUMBER) return arena_printf(arena, "%" PRIu32, value->number);
    doc = json_new();
    yyjson_mut_doc_set_root(doc, json_text(doc, str_of(value->text)));
    return json_keep(doc, false, arena).data;
}

static bool is_asked(const struct row *row, const struct value *value)
{
    if (row->consent == CONSENT_TRUE) return value->number != 0;
    return row->consent == CONSENT_ANY && strcmp(value->text, row->built_in) != 0;
}

void session_config_list(const struct settings *settings, struct arena *arena,
                         struct config_list *out)
{
    struct reader reader;

    read_all(settings, arena, &reader);
    for (uint32_t i = 0; i < ROW_COUNT; i++) {
        config_list_add(out, arena, (struct config_item){
            .path = rows[i].name,
            .value = as_json(&rows[i], &reader.values[i], arena),
            .from = reader.values[i].from_file ? SESSION_CONFIG_FILE : NULL,
            .asked = is_asked(&rows[i], &reader.values[i]),
        });
    }
}
