/* SPDX-License-Identifier: Apache-2.0
 *
 * configure.c - hone configure: iterate's settings by questions, saved where the user wants them.
 *
 *     questions --> where to save --> what changes --> NAME.backup --> NAME
 *
 * 1. Nothing is written before the last answer was given.
 * 2. What was answered is written; an empty answer writes nothing, and so follows what the other
 *    file or a later default says.
 * 3. Where another file wins over the saved one, a message says so.
 *
 * Questions, asked of a person or of a pipe:
 * 4. An answer is the number of an option, its word, or a beginning of the word that fits no other
 *    option. An empty answer keeps the present value. For retries, a number larger than those of
 *    the options is the number of retries itself.
 * 5. Where an answer does not fit, the question is asked again. For a pipe hone gives up after a
 *    few times.
 * 6. A question is not asked where the answers before it make it have no effect
 *    (iterate_matters()).
 * 7. Where the input ends before the last answer, nothing counts as answered.
 *
 * Files:
 * 8. Members that hone does not know, and settings of other phases, are kept in their order.
 * 9. The file that was there is kept as NAME.backup before anything changes.
 * 10. A file is written whole, or not at all.
 * 11. The user's own folder may be a link: some users keep such files elsewhere. Inside a project
 *     no link is followed: a repository could make hone write to any place. */
#include "base/byte.h"
#include "base/path.h"
#include "cmd/config.h"
#include "cmd/say.h"
#include "cmd/verbs.h"
#include "dialect/dialects.h"
#include "dialect/iterate/iterate.h"
#include "format/json/json.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/file/line.h"
#include "settings/config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Where answers come from: a person at a terminal, or a pipe. */
struct asker {
    bool terminal; /* a wrong answer may be given as often as one likes */
    bool quiet;    /* questions are not shown */
    struct buf line;
};

/* What was answered: the settings that the user wants, given or kept as they are. */
struct wishes {
    bool given[PHASE_NUMBER_MAX + 1][FIELD_COUNT];
    struct iterate_config values;
};

enum { PLACE_USER, PLACE_PROJECT, PLACE_BOTH, PLACE_COUNT };

/* A configuration file that is to be written. */
struct target {
    const char *name;        /* as people know it */
    const char *root, *path; /* where it is really written */
    const char *backup;      /* below backup_root */
    const char *backup_root;
    bool exists;
    struct str text;         /* what it holds now */
};

/* ---- questions ---- */

enum { LINE_BYTES_MAX = 256, WRONG_MAX = 3, OPTIONS_MAX = 5, CUSTOM = UINT32_MAX - 1 };

struct option_row {
    const char *word, *label;
    uint32_t number;
};

struct question_row {
    const char *text;
    const char *restart_text; /* where onFailure is restart, which knows no retries; or NULL */
    enum iterate_field field;
    struct option_row options[OPTIONS_MAX + 1]; /* word NULL ends */
};

/* In the order in which they are asked. */
static const struct question_row questions[] = {
    { .text = "What should happen when issues are found?",
      .field = FIELD_ON_FAILURE,
      .options = { { "restart", "Restart iteration (go back to Phase 1)", FAIL_RESTART },
                   { "mini-loop", "Mini-loop (fix and re-review within phase)", FAIL_REPAIR },
                   { "proceed", "Proceed (note issues, continue anyway)", FAIL_PROCEED },
                   { "stop", "Stop (halt workflow)", FAIL_STOP } } },
    { .text = "Minimum severity that causes failure?",
      .field = FIELD_FAIL_ON_SEVERITY,
      .options = { { "LOW", "LOW (any issue fails) [default]", SEVERITY_LOW },
                   { "MEDIUM", "MEDIUM (MEDIUM and HIGH fail)", SEVERITY_MEDIUM },
                   { "HIGH", "HIGH (only HIGH fails)", SEVERITY_HIGH },
                   { "NONE", "NONE (never fail)", THRESHOLD_NONE } } },
    { .text = "Enable parallel agents for fixing issues?",
      .field = FIELD_PARALLEL_FIXES,
      .options = { { "yes", "Yes (recommended)", 1 }, { "no", "No", 0 } } },
    { .text = "Retry limit for mini-loop?",
      .field = FIELD_MAX_RETRIES,
      .options = { { "10 retries", "10 retries (default)", 10 },
                   { "5 retries", "5 retries", 5 },
                   { "3 retries", "3 retries", 3 },
                   { "no limit", "No limit", NO_BOUND },
                   { "custom", "Custom", CUSTOM } } },
    { .text = "What happens when retry limit is reached?",
      .restart_text = "What happens when no iteration is left to restart?",
      .field = FIELD_ON_MAX_RETRIES,
      .options = { { "stop", "Stop workflow (default)", BOUND_STOP },
                   { "ask", "Ask me what to do", BOUND_ASK },
                   { "restart", "Restart iteration", BOUND_RESTART },
                   { "proceed", "Proceed with issues noted", BOUND_PROCEED } } },
};

/* ---- one answer ---- */

__attribute__((format(printf, 2, 3)))
static void show_text(const struct asker *asker, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (!asker->quiet || asker->terminal) vfprintf(stderr, format, args);
    va_end(args);
}

/* The next line, trimmed. A last one without a line end is an answer, too. */
static int read_line(struct asker *asker, struct str *out, struct err *err)
{
    bool more;

    buf_clear(&asker->line);
    more = line_read(&asker->line, -1);
    if (!asker->terminal) show_text(asker, "\n");
    *out = asker->line.overflow ? STR("?") : str_trim(buf_str(&asker->line));
    if (more || asker->line.size > 0) return 0;
    return err_set(err, ERR_USAGE, "the answers ended before the last question; nothing was saved");
}

/* Says which answers fit; an error after too many wrong ones. */
static int wrong(const struct asker *asker, struct str answer, const char *wanted, uint32_t *count,
                 struct err *err)
{
    struct buf shown;
    int rc = 0;

    buf_init(&shown, 4 * LINE_BYTES_MAX);
    safe_text(&shown, answer, true, 60);
    if (!asker->terminal && ++*count == WRONG_MAX) {
        rc = err_set(err, ERR_USAGE, "'%s' does not fit: %s; nothing was saved", buf_cstr(&shown),
                     wanted);
    } else {
        fprintf(stderr, "  '%s' does not fit: %s\n", buf_cstr(&shown), wanted);
    }
    buf_release(&shown);
    return rc;
}

static bool same_letters(struct str a, struct str b)
{
    for (size_t i = 0; i < a.size; i++) {
        if (byte_small(a.data[i]) != byte_small(b.data[i])) return false;
    }
    return true;
}

/* The option that is meant by its number, its word or the beginning of it; NULL: none. */
static const struct option_row *option_meant(const struct option_row *options, struct str answer)
{
    const struct option_row *found = NULL;
    uint32_t count = 0, fits = 0;
    uint64_t number;

    while (options[count].word) count++;
    if (str_number(answer, &number) && number >= 1 && number <= count) return &options[number - 1];
    for (uint32_t i = 0; i < count; i++) {
        struct str word = str_of(options[i].word);
        if (answer.size > word.size || !same_letters(answer, word)) continue;
        if (answer.size == word.size) return &options[i];
        found = &options[i];
        fits++;
    }
    return fits == 1 ? found : NULL;
}

/* ---- questions ---- */

struct asking {
    const char *text;
    const struct option_row *options;
    uint32_t fallback;  /* what holds now; an empty answer keeps it */
    bool takes_number;  /* any number larger than the options' is an answer */
};

struct answered {
    uint32_t number; /* the option's, or the one that was answered */
    bool given;      /* false: the answer was empty */
};

static void show_options(const struct asker *asker, const struct asking *asking, uint32_t *count)
{
    show_text(asker, "  %s\n", asking->text);
    for (*count = 0; asking->options[*count].word; ++*count) {
        show_text(asker, "    %" PRIu32 "  %s\n", *count + 1, asking->options[*count].label);
    }
}

/* "1-4 [2]: ", or what holds now where it is none of these. */
static void show_prompt(const struct asker *asker, const struct asking *asking, uint32_t count)
{
    uint32_t kept = 0;

    while (kept < count && asking->options[kept].number != asking->fallback) kept++;
    if (kept < count) show_text(asker, "  1-%" PRIu32 " [%" PRIu32 "]: ", count, kept + 1);
    else show_text(asker, "  1-%" PRIu32 " [keep %" PRIu32 "]: ", count, asking->fallback);
}

static int ask_option(struct asker *asker, const struct asking *asking, struct answered *out,
                      struct err *err)
{
    uint32_t count, wrongs = 0;
    char wanted[128];
    int rc;

    show_options(asker, asking, &count);
    snprintf(wanted, sizeof wanted, "answer with a number from 1 to %" PRIu32 ", the word, or "
             "nothing to keep what holds now", count);
    do {
        const struct option_row *option;
        struct str answer;
        uint64_t number;

        show_prompt(asker, asking, count);
        rc = read_line(asker, &answer, err);
        if (rc != 0) return rc;
        *out = (struct answered){ .number = asking->fallback, .given = answer.size > 0 };
        if (!out->given) return 0;
        option = option_meant(asking->options, answer);
        if (option) {
            out->number = option->number;
            return 0;
        }
        if (asking->takes_number && str_number(answer, &number) && number <= RETRIES_MAX) {
            out->number = (uint32_t)number;
            return 0;
        }
        rc = wrong(asker, answer, wanted, &wrongs, err);
    } while (rc == 0);
    return rc;
}

static int ask_custom(struct asker *asker, uint32_t *chosen, struct err *err)
{
    uint32_t wrongs = 0;
    uint64_t number;
    struct str answer;
    int rc;

    for (;;) {
        show_text(asker, "  How many retries? ");
        rc = read_line(asker, &answer, err);
        if (rc != 0) return rc;
        if (str_number(answer, &number) && number <= RETRIES_MAX) break;
        rc = wrong(asker, answer, "it must be a whole number from 0 to 1000000", &wrongs, err);
        if (rc != 0) return rc;
    }
    *chosen = (uint32_t)number;
    return 0;
}

static int ask_question(struct asker *asker, uint32_t phase, const struct question_row *question,
                        struct wishes *out, struct err *err)
{
    struct iterate_value *value = &out->values.fields[phase][question->field];
    const struct iterate_word *word = iterate_fields[question->field].words;
    bool restarts = out->values.fields[phase][FIELD_ON_FAILURE].number == FAIL_RESTART;
    struct answered answered;
    int rc = ask_option(asker, &(struct asking){
        .text = restarts && question->restart_text ? question->restart_text : question->text,
        .options = question->options,
        .fallback = value->number,
        .takes_number = question->field == FIELD_MAX_RETRIES,
    }, &answered, err);

    if (rc == 0 && answered.number == CUSTOM) rc = ask_custom(asker, &answered.number, err);
    if (rc != 0) return rc;
    out->given[phase][question->field] = answered.given;
    value->number = answered.number;
    for (; word && word->word; word++) {
        if (word->number == value->number) value->text = word->word;
    }
    return 0;
}

/* All questions about the phases; now is what holds, and what an empty answer keeps. ERR_USAGE
 * where the answers end too early or never fit. */
static int ask_wishes(struct asker *asker, const struct iterate_config *now, struct wishes *out,
                      struct err *err)
{
    static const uint32_t asked[] = { PHASE_PLAN_REVIEW, PHASE_CODE_REVIEW, PHASE_TEST,
                                      PHASE_FINAL_REVIEW };
    int rc = 0;

    *out = (struct wishes){ .values = *now };
    show_text(asker, "An empty answer keeps what holds now, which stands in brackets.\n");
    for (uint32_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        show_text(asker, "\nPhase %" PRIu32 ": %s\n", asked[i], iterate_phase_name(asked[i]));
        for (uint32_t k = 0; rc == 0 && k < sizeof questions / sizeof *questions; k++) {
            const struct iterate_value *fields = out->values.fields[asked[i]];
            if (!iterate_matters(fields, asked[i], questions[k].field)) continue;
            rc = ask_question(asker, asked[i], &questions[k], out, err);
        }
        if (rc != 0) return rc;
    }
    return 0;
}

static const struct option_row places[] = {
    [PLACE_USER] = { "user", "User: ~/.claude/iterate-config.json, for all your projects",
                     PLACE_USER },
    [PLACE_PROJECT] = { "project", "Project: .claude/iterate-config.local.json, which wins",
                        PLACE_PROJECT },
    [PLACE_BOTH] = { "both", "Both", PLACE_BOTH },
    [PLACE_COUNT] = { NULL, NULL, 0 },
};

/* Where to save: exists says which files there are. Or what to reset: one of the two, or both. */
static int ask_place(struct asker *asker, const bool exists[2], bool reset, uint32_t *place,
                     struct err *err)
{
    const struct option_row one[] = { places[PLACE_USER], places[PLACE_PROJECT],
                                      { NULL, NULL, 0 } };
    struct answered answered = { 0 };
    int rc = ask_option(asker, &(struct asking){
        .text = reset ? "Which settings should be reset?" : "Where should this be saved?",
        .options = reset ? places : one,
        .fallback = !exists[PLACE_PROJECT] ? PLACE_USER
                  : reset && exists[PLACE_USER] ? PLACE_BOTH : PLACE_PROJECT,
    }, &answered, err);

    *place = answered.number;
    return rc;
}

/* ---- files ---- */

/* The user's file, wherever links lead. */
static void place_user(struct target *target, const char *path, struct arena *arena)
{
    const char *real = file_real(path_folder_text(path, arena), arena);

    target->root = target->backup_root = real ? real : config_path("~/", "", arena);
    target->path = real ? path_leaf_text(path) : str_skip(str_of(target->name), 2).data;
    target->backup = arena_printf(arena, "%s.backup", target->path);
    real = file_real(path, arena);
    if (real) {
        target->root = path_folder_text(real, arena);
        target->path = path_leaf_text(real);
    }
}

static int target_read(struct target *target, const char *path, bool follow, struct arena *arena,
                       struct err *err)
{
    int rc = follow ? file_text(path, CONFIG_BYTES_MAX, arena, &target->text, err)
                    : file_text_in(target->root, target->path, CONFIG_BYTES_MAX, arena,
                                   &target->text, err);

    target->exists = rc == 0;
    return rc == 0 || rc == ERR_MISSING ? 0 : err_wrap(err, "read %s", target->name);
}

/* Looks at the file in this place (PLACE_USER or PLACE_PROJECT) and reads it. */
static int target_open(struct target *target, uint32_t place, const char *workspace,
                       struct arena *arena, struct err *err)
{
    const char *path;

    *target = (struct target){ .name = iterate_config_files[place] };
    path = config_path(target->name, workspace, arena);
    if (!path) {
        return err_set(err, ERR_USAGE, "there is no home folder to keep %s in: HOME is not set",
                       target->name);
    }
    if (place == PLACE_USER) {
        place_user(target, path, arena);
    } else {
        target->root = target->backup_root = workspace;
        target->path = target->name;
        target->backup = arena_printf(arena, "%s.backup", target->name);
    }
    return target_read(target, path, place == PLACE_USER, arena, err);
}

/* ---- the text ---- */

/* The member of this name, as an object: made where it is not there, or is something else. */
static yyjson_mut_val *object_in(yyjson_mut_doc *doc, yyjson_mut_val *parent, const char *key)
{
    yyjson_mut_val *object = yyjson_mut_obj_get(parent, key);

    if (yyjson_mut_is_obj(object)) return object;
    object = yyjson_mut_obj(doc);
    yyjson_mut_obj_put(parent, yyjson_mut_strcpy(doc, key), object);
    return object;
}

static yyjson_mut_val *value_of(yyjson_mut_doc *doc, enum iterate_field field,
                                const struct iterate_value *value)
{
    switch (iterate_fields[field].kind) {
    case KIND_SWITCH:
        return yyjson_mut_bool(doc, value->number);
    case KIND_RETRIES:
        if (value->number != NO_BOUND) return yyjson_mut_uint(doc, value->number);
        return yyjson_mut_null(doc);
    case KIND_MODEL:
    case KIND_WORD:
    case KIND_TOOL:
        break;
    }
    return value->text ? yyjson_mut_str(doc, value->text) : yyjson_mut_null(doc);
}

/* The file's text with the wishes that were given in it: everything else is kept. False where what
 * it holds now is no JSON object: then the text holds the wishes alone. Pure. */
static bool target_merge(struct str old, const struct wishes *wishes, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = NULL;
    yyjson_doc *read = NULL;
    struct err none;
    bool kept;

    if (old.size > 0 && json_read(old, &read, &none) == 0 &&
        yyjson_is_obj(yyjson_doc_get_root(read))) {
        root = yyjson_val_mut_copy(doc, yyjson_doc_get_root(read));
    }
    yyjson_doc_free(read);
    kept = root || old.size == 0;
    if (!root) root = yyjson_mut_obj(doc);
    yyjson_mut_doc_set_root(doc, root);
    yyjson_mut_obj_put(root, yyjson_mut_str(doc, "version"), yyjson_mut_uint(doc, 2));
    for (uint32_t n = 1; n <= PHASE_NUMBER_MAX; n++) {
        for (uint32_t f = 0; f < FIELD_COUNT; f++) {
            char key[2] = { (char)('0' + n), '\0' };
            if (!wishes->given[n][f]) continue;
            yyjson_mut_obj_put(object_in(doc, object_in(doc, root, "phases"), key),
                               yyjson_mut_str(doc, iterate_fields[f].name),
                               value_of(doc, (enum iterate_field)f, &wishes->values.fields[n][f]));
        }
    }
    json_write(doc, true, out);
    yyjson_mut_doc_free(doc);
    return kept;
}

/* ---- files ---- */

static int keep_backup(const struct target *target, struct err *err)
{
    if (!target->exists) return 0;
    return file_write(target->backup_root, target->backup, target->text, err);
}

/* Keeps what is there as NAME.backup, and writes. */
static int target_write(const struct target *target, struct str text, struct err *err)
{
    int rc = keep_backup(target, err);

    if (rc == 0) rc = file_write(target->root, target->path, text, err);
    return rc == 0 ? 0 : err_wrap(err, "save %s", target->name);
}

/* Keeps what is there as NAME.backup, and removes it. */
static int target_remove(const struct target *target, struct err *err)
{
    int rc = keep_backup(target, err);

    if (rc == 0) rc = file_remove_in(target->root, target->path, err);
    return rc == 0 ? 0 : err_wrap(err, "reset %s", target->name);
}

/* ---- hone configure ---- */

static const char *path_of(struct arena *arena, uint32_t number, uint32_t field)
{
    return arena_printf(arena, "phases.%" PRIu32 ".%s", number, iterate_fields[field].name);
}

static bool same_value(const struct iterate_value *a, const struct iterate_value *b)
{
    return a->number == b->number && !a->text == !b->text &&
           (!a->text || strcmp(a->text, b->text) == 0);
}

/* What is being saved, and what is said about it. */
struct saving {
    const struct config_view *view;
    const struct wishes *wishes;
    const struct iterate_config *now;
    struct target target;
    struct arena arena;
    struct buf text, out;
};

/* Every setting that was given; returns how many. */
static uint32_t list_changes(struct saving *saving)
{
    const struct wishes *wishes = saving->wishes;
    struct buf *out = &saving->out;
    uint32_t count = 0;

    buf_text(out, "Changes:\n");
    for (uint32_t n = 1; n <= PHASE_NUMBER_MAX; n++) {
        for (uint32_t f = 0; f < FIELD_COUNT; f++) {
            const struct iterate_value *old = &saving->now->fields[n][f];
            const struct iterate_value *new = &wishes->values.fields[n][f];
            const char *text;
            if (!wishes->given[n][f]) continue;
            count++;
            text = iterate_value_json((enum iterate_field)f, new, &saving->arena);
            buf_printf(out, "  %-24s  ", path_of(&saving->arena, n, f));
            if (same_value(old, new)) {
                buf_printf(out, "%s, as before\n", text);
            } else {
                buf_printf(out, "%s -> %s\n", iterate_value_json((enum iterate_field)f, old,
                                                                 &saving->arena), text);
            }
        }
    }
    return count;
}

/* What the other file says against what was just saved. */
static void list_overruled(struct saving *saving)
{
    const struct settings *before = &saving->view->settings;
    struct config_text files[2] = { { saving->target.name, buf_str(&saving->text) } };
    struct settings settings = { .files = files, .file_count = 1 };
    struct iterate_config now;

    for (uint32_t i = 0; i < before->file_count && settings.file_count < 2; i++) {
        if (strcmp(before->files[i].path, saving->target.name) == 0) continue;
        files[settings.file_count++] = before->files[i];
    }
    iterate_config_read(&settings, &saving->arena, &now);
    for (uint32_t n = 1; n <= PHASE_NUMBER_MAX; n++) {
        for (uint32_t f = 0; f < FIELD_COUNT; f++) {
            const struct iterate_value *value = &now.fields[n][f];
            if (!saving->wishes->given[n][f]) continue;
            if (same_value(value, &saving->wishes->values.fields[n][f])) continue;
            buf_printf(&saving->out, "But %s stays %s, by %s, which wins.\n",
                       path_of(&saving->arena, n, f),
                       iterate_value_json((enum iterate_field)f, value, &saving->arena),
                       value->from);
        }
    }
}

/* What the user writes here is agreed to; not so what the files held before, where it was not. */
static bool files_agreed(struct saving *saving)
{
    struct settings settings = { 0 };
    struct err none;

    config_load(&dialect_iterate, saving->view->workspace, &settings, &saving->arena);
    return config_check(&dialect_iterate, saving->view->workspace, &settings, &saving->arena,
                        &none) == 0;
}

static void files_agree(struct saving *saving)
{
    struct settings settings = { 0 };
    struct err none;

    config_load(&dialect_iterate, saving->view->workspace, &settings, &saving->arena);
    (void)config_agree(&dialect_iterate, saving->view->workspace, &settings, &saving->arena,
                       &none); /* else the user is asked when it is used */
}

static int save_to(struct saving *saving, uint32_t place, struct err *err)
{
    struct target *target = &saving->target;
    int rc = target_open(target, place, saving->view->workspace, &saving->arena, err);
    bool agreed;

    if (rc != 0) return rc;
    if (list_changes(saving) == 0) {
        buf_clear(&saving->out);
        buf_text(&saving->out, "Nothing changes, and nothing was written.\n");
        return 0;
    }
    if (!target_merge(target->text, saving->wishes, &saving->text)) {
        buf_printf(&saving->out, "%s held no JSON object: it begins anew.\n", target->name);
    }
    if (saving->text.overflow) {
        return err_set(err, ERR_LIMIT, "%s would become too large", target->name);
    }
    agreed = files_agreed(saving);
    rc = target_write(target, buf_str(&saving->text), err);
    if (rc != 0) return rc;
    if (agreed) files_agree(saving);
    buf_printf(&saving->out, "Saved to %s", target->name);
    if (target->exists) {
        buf_printf(&saving->out, "; what it held before is in %s.backup", target->name);
    }
    buf_text(&saving->out, ".\n");
    list_overruled(saving);
    return 0;
}

static int save(struct saving saving, uint32_t place, struct err *err)
{
    int rc;

    buf_init(&saving.text, CONFIG_BYTES_MAX);
    buf_init(&saving.out, SAY_BYTES_MAX);
    rc = save_to(&saving, place, err);
    if (rc == 0) say_take(&saving.out);
    buf_release(&saving.text);
    arena_release(&saving.arena);
    return rc;
}

static int find_files(const struct config_view *view, bool exists[2], struct arena *arena,
                      struct err *err)
{
    for (uint32_t place = 0; place < 2; place++) {
        struct target target;
        int rc = target_open(&target, place, view->workspace, arena, err);
        if (rc != 0 && rc != ERR_USAGE) return rc; /* without a home there is only the project */
        exists[place] = rc == 0 && target.exists;
    }
    return 0;
}

static int ask_and_save(struct config_view *view, struct asker *asker, struct err *err)
{
    struct iterate_config now;
    struct wishes wishes;
    bool exists[2];
    uint32_t place;
    int rc = find_files(view, exists, &view->arena, err);

    if (rc != 0) return rc;
    iterate_config_read(&view->settings, &view->arena, &now);
    rc = ask_wishes(asker, &now, &wishes, err);
    if (rc == 0) show_text(asker, "\n");
    if (rc == 0) rc = ask_place(asker, exists, false, &place, err);
    if (rc != 0) return rc;
    return save((struct saving){ .view = view, .wishes = &wishes, .now = &now }, place, err);
}

static int reset(struct config_view *view, struct asker *asker, struct err *err)
{
    bool exists[2];
    uint32_t place;
    int rc = find_files(view, exists, &view->arena, err);

    if (rc != 0) return rc;
    if (!exists[PLACE_USER] && !exists[PLACE_PROJECT]) {
        puts("There is nothing to reset: no configuration file is there.");
        return 0;
    }
    rc = ask_place(asker, exists, true, &place, err);
    for (uint32_t i = 0; rc == 0 && i < 2; i++) {
        struct target target;
        if (place != i && place != PLACE_BOTH) continue;
        rc = target_open(&target, i, view->workspace, &view->arena, err);
        if (rc == 0 && !target.exists) {
            printf("%s is not there.\n", target.name);
            continue;
        }
        if (rc == 0) rc = target_remove(&target, err);
        if (rc == 0) printf("%s is now %s.backup.\n", target.name, target.name);
    }
    return rc;
}

static int handle(struct call *call)
{
    const char *name = call_argument(call, 0);
    const struct dialect *dialect = NULL;
    struct config_view view = { 0 };
    struct asker asker = { .terminal = line_can_ask(), .quiet = call->quiet };
    struct err err = { 0 };
    int rc;

    if (config_dialect(name ? name : "iterate", &dialect, &err) != 0) return say_err(&err);
    if (strcmp(dialect->name, "iterate") != 0) {
        return say_fail(CODE_USAGE, "there are no questions about %s: edit its files, which 'hone "
                        "config path %s' lists", dialect->name, dialect->name);
    }
    if (call_has(call, "show") && call_has(call, "reset")) {
        return say_fail(CODE_USAGE, "configure: --show or --reset, not both");
    }
    if (call_has(call, "show")) return config_show(call, dialect);
    if (call->json) {
        return say_fail(CODE_USAGE, "configure asks questions in words and has no --json; 'hone "
                        "config show %s --json' shows the settings", dialect->name);
    }
    buf_init(&asker.line, LINE_BYTES_MAX);
    rc = config_open(&view, call, dialect, &err);
    if (rc == 0) config_warn(&view);
    if (rc == 0 && call_has(call, "reset")) rc = reset(&view, &asker, &err);
    else if (rc == 0) rc = ask_and_save(&view, &asker, &err);
    config_close(&view);
    buf_release(&asker.line);
    return rc == 0 ? CODE_DONE : say_err(&err);
}

const struct verb verb_configure = {
    .name = "configure",
    .summary = "change a dialect's settings by answering questions",
    .text = {
        "Asks how iterate's reviews should behave: for the phases 3, 5, 6 (the test) and 8 what "
        "happens when issues are found, from which severity on they count, whether they are fixed "
        "in parallel, how often, and what happens then. What has no effect is not asked: nothing "
        "more where no issue fails, no retries where none are made. Then it asks where to save, "
        "lists what changes, and writes it. A file that was there is kept as NAME.backup; settings "
        "that are not asked about stay in it.",
        "An answer is the number of an option or its word; an empty one keeps what holds now. "
        "Answers can come from a pipe, a line each; where they end too early nothing is saved.",
    },
    .arguments = {
        { .name = "DIALECT", .optional = true, .help = "iterate" },
    },
    .options = {
        { .name = "show", .help = "show the settings, as 'hone config show' does" },
        { .name = "reset", .help = "back to what is built in: the files become NAME.backup" },
    },
    .codes = {
        { CODE_DONE, "it was saved, or there was nothing to change" },
        { CODE_USAGE, "the answers ended too early or did not fit; nothing was saved" },
        { CODE_FAILED, "a file could not be read or written" },
    },
    .examples = {
        "hone configure iterate",
        "hone configure --show",
        "hone configure --reset",
    },
    .handle = handle,
};
