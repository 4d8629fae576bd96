/* SPDX-License-Identifier: Apache-2.0
 *
 * init.c - hone init: a hone.json from what is found here.
 *
 *     look --> at most three questions --> hone.json, if there is a word to write --> what next
 *
 * 1. A hone.json that is there is never lost: it is left alone, or with --force kept as
 *    hone.json.backup.
 * 2. The file has only settings that differ from what hone does by itself: where there is no
 *    model, it names no agent, and hone chooses among the installed analyzers at each run. Where
 *    the file would be empty it is not written, and a message says why.
 * 3. An empty answer takes what was found. Questions are asked on a terminal only.
 * 4. The user who has the file written has agreed to what it names: it was just shown. */
#include "cmd/own.h"

#include "cmd/say.h"

#include "agent/agent.h"
#include "analyze/analyzer.h"
#include "cmd/verbs.h"
#include "dialect/dialects.h"
#include "io/file/file.h"
#include "io/file/line.h"
#include "io/process/program.h"
#include "io/terminal/terminal.h"
#include "run/look.h"
#include "settings/loop_file.h"
#include "settings/test_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MODELS_MAX = 8, ANSWER_BYTES_MAX = 4096, PATH_BYTES_MAX = 4096 };

/* Folders of other people's code, by the names they usually have. */
static const char *const foreign_folders[] = { "third_party", "vendor", "external" };

/* What was found, and what is to be written. */
struct finding_out {
    struct call *call;
    struct hone_own own;
    const char *models[MODELS_MAX];
    uint32_t model_count;
    const char *model, *test, *exclude, *until; /* "" for none */
    const char *languages, *chosen, *warning; /* chosen: agents where there is no model; or "" */
    bool written;
    struct buf text;
};

/* ---- looking ---- */

static void find_models(struct finding_out *found)
{
    for (uint32_t i = 0; backends[i] && found->model_count < MODELS_MAX; i++) {
        if (!backends[i]->by_default || !backends[i]->program) continue;
        if (!program_exists(backends[i]->program)) continue;
        found->models[found->model_count++] = backends[i]->name;
    }
    found->model = found->model_count ? found->models[0] : "";
}

static void find_folders(struct finding_out *found)
{
    struct arena *arena = &found->call->arena;

    found->exclude = "";
    for (uint32_t i = 0; i < sizeof foreign_folders / sizeof *foreign_folders; i++) {
        const char *name = foreign_folders[i];
        if (!file_exists(arena_printf(arena, "%s/%s", found->own.workspace, name))) continue;
        found->exclude = arena_printf(arena, "%s%s\"%s/\"", found->exclude,
                                      *found->exclude ? "," : "", name);
    }
    if (*found->exclude) found->exclude = arena_printf(arena, "[%s]", found->exclude);
}

/* "C (12 files), shell (1 file)". */
static const char *languages_of(const struct project *project, struct arena *arena)
{
    const struct language *language;
    const char *out = "";

    for (uint32_t i = 0; (language = analyzers_language(i)); i++) {
        uint32_t count = 0;

        for (uint32_t k = 0; k < project->count; k++) {
            if (project->sources[k].language == language) count++;
        }
        if (count == 0 || language->aside) continue;
        out = arena_printf(arena, "%s%s%s (%" PRIu32 " file%s)", out, *out ? ", " : "",
                           language->name, count, count == 1 ? "" : "s");
    }
    return out;
}

/* What it is written in, and which analyzers would help and are not installed. */
static void find_sources(struct finding_out *found)
{
    struct arena *arena = &found->call->arena;
    struct run_settings settings = { 0 };
    struct choose_request request = { .dialect = &dialect_review, .settings = &settings,
                                      .backends = backends };
    struct project project = { 0 };
    struct selection selection;
    struct scope all = { 0 };
    struct plan plan;
    struct err none;

    found->languages = found->chosen = "";
    if (project_open(&project, found->own.workspace, &all, dialect_review.private_paths,
                     &none) == 0) {
        request.plan = &plan;
        request.project = &project;
        found->languages = languages_of(&project, arena);
        if (dialect_review.plan(&settings.options, arena, &plan, &none) == 0 &&
            choose_agents(&request, arena, &selection, &none) == 0) {
            found->warning = selection.warning;
            found->chosen = selection.summary;
        }
    }
    project_release(&project);
}

/* ---- asking ---- */

/* The answer, or what was found where it is empty; "-" is nothing. False: the input has ended. */
static bool ask_word(struct finding_out *found, const char *question, const char *otherwise,
                     const char **out)
{
    struct buf line;
    struct str answer;
    bool there;

    fprintf(stderr, "%s [%s] ", question, *otherwise ? otherwise : "none");
    buf_init(&line, ANSWER_BYTES_MAX);
    there = line_read(&line, -1);
    answer = str_trim(buf_str(&line));
    *out = answer.size ? arena_cstr(&found->call->arena, answer) : otherwise;
    if (strcmp(*out, "-") == 0 || strcmp(*out, "none") == 0) *out = "";
    buf_release(&line);
    return there;
}

static int ask_all(struct finding_out *found, struct err *err)
{
    struct arena *arena = &found->call->arena;
    const char *choices = "";

    for (uint32_t i = 0; i < found->model_count; i++) {
        choices = arena_printf(arena, "%s%s%s", choices, i ? ", " : "", found->models[i]);
    }
    if (found->model_count > 0 &&
        !ask_word(found, arena_printf(arena, "Who plays the roles (%s, another agent, or - to let "
                                      "hone choose at each run)?", choices),
                  found->model, &found->model)) {
        return err_set(err, ERR_USAGE, "the answers ended; nothing was written");
    }
    if (!ask_word(found, "How are the tests run (a command, or - for none)?", found->test,
                  &found->test)) {
        return err_set(err, ERR_USAGE, "the answers ended; nothing was written");
    }
    if (*found->model &&
        !ask_word(found, "Until what do reviews go on (settled: half the calls, other models look "
                  "in turn; seed: five reviewers in every round)?", "settled", &found->until)) {
        return err_set(err, ERR_USAGE, "the answers ended; nothing was written");
    }
    return 0;
}

/* ---- writing ---- */

static int setting_put(struct finding_out *found, const char *path, const char *word,
                       struct err *err)
{
    struct str old = arena_copy(&found->call->arena, buf_str(&found->text));

    if (!*word) return 0;
    buf_clear(&found->text);
    return hone_edit(old, &found->own.files[HONE_FILE_PROJECT], path, word, &found->text, err);
}

/* Whether a file is written: it would name something, or it replaces one (--force). */
static bool is_worth_it(const struct finding_out *found)
{
    return *found->model || *found->test || *found->exclude ||
           found->own.files[HONE_FILE_PROJECT].exists;
}

static int write_file(struct finding_out *found, struct err *err)
{
    struct err none;
    int rc;

    if (!is_worth_it(found)) return 0;
    buf_text(&found->text, "{}\n");
    rc = setting_put(found, "agents.*", found->model, err);
    if (rc == 0) rc = setting_put(found, "test", found->test, err);
    if (rc == 0) rc = setting_put(found, "until", found->until, err);
    if (rc == 0) rc = setting_put(found, "exclude", found->exclude, err);
    if (rc == 0) {
        rc = hone_own_write(&found->own, HONE_FILE_PROJECT, buf_str(&found->text), true, err);
    }
    if (rc != 0) return rc;
    found->written = true;
    found->own.values = (struct hone_values){ 0 };
    rc = hone_read(buf_str(&found->text), &found->own.files[HONE_FILE_PROJECT], &found->own.arena,
                   &found->own.values, err);
    if (rc == 0) (void)own_remember(&found->own, &none); /* else hone asks when it is used */
    return rc;
}

static void put_row(struct buf *out, const char *term, const char *text)
{
    enum { COLUMN = 12 };
    struct buf safe;

    buf_init(&safe, SAY_BYTES_MAX);
    add_safe(&safe, text, 0);
    buf_printf(out, "  %-10s", term);
    add_wrapped(out, buf_cstr(&safe), COLUMN, COLUMN, text_columns(TERMINAL_OUT_FD));
    buf_release(&safe);
}

static const char *agents_text(const struct finding_out *found)
{
    if (*found->model) return found->model;
    if (!*found->chosen) return "chosen at each run";
    return arena_printf(&found->call->arena, "chosen at each run; now %s", found->chosen);
}

static void say_done(const struct finding_out *found)
{
    const struct hone_file *file = &found->own.files[HONE_FILE_PROJECT];
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    if (found->written) {
        buf_text(&out, "Wrote hone.json");
        if (file->exists) buf_text(&out, "; what it held before is in hone.json.backup");
        buf_text(&out, ".\n\n");
    } else {
        buf_text(&out, "Wrote nothing: with no model and no test command to name, a hone.json "
                 "would be empty,\nand hone needs none.\n\n");
    }
    put_row(&out, "sources", *found->languages ? found->languages : "none that an analyzer reads");
    put_row(&out, "agents", agents_text(found));
    put_row(&out, "test", *found->test ? found->test
                          : "none found; hone config set test 'COMMAND' names it");
    if (*found->exclude) put_row(&out, "exclude", found->exclude);
    if (*found->until) put_row(&out, "until", found->until);
    if (found->warning) put_row(&out, "missing", found->warning);
    buf_text(&out, "\n  hone run          what a review would do here\n"
             "  hone run review   start one\n"
             "  hone config show  all settings; hone config set changes one\n");
    if (!*found->until) {
        buf_text(&out, "  hone config set until settled\n"
                 "                    half the calls: other models look in turn instead of\n"
                 "                    more rounds\n");
    }
    buf_text(&out, "\nOther loops that come with hone ('hone plan NAME' draws one, docs/loops.md "
             "has how\nto write your own):\n\n");
    for (const struct loop_shipped *loop = loop_shipped_all; loop->name; loop++) {
        put_row(&out, loop->name, loop_about(loop, &found->call->arena));
    }
    say_take(&out);
}

static void say_done_json(const struct finding_out *found)
{
    const struct hone_file *file = &found->own.files[HONE_FILE_PROJECT];
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list;

    yyjson_mut_obj_add_val(doc, root, "path", json_text(doc, str_of(file->path)));
    yyjson_mut_obj_add_bool(doc, root, "written", found->written);
    yyjson_mut_obj_add_bool(doc, root, "replaced", file->exists);
    list = yyjson_mut_obj_add_obj(doc, root, "settings");
    for (uint32_t i = 0; i < found->own.values.count; i++) {
        const struct hone_value *value = &found->own.values.items[i];
        yyjson_mut_obj_add_val(doc, list, value->path, json_text(doc, str_of(value->text)));
    }
    say_json(doc, true);
}

static int init(struct finding_out *found, struct err *err)
{
    struct call *call = found->call;
    int rc = hone_own_open(&found->own, call->cwd, true, err);

    if (found->own.files[HONE_FILE_PROJECT].exists && !call_has(call, "force")) {
        return err_set(err, ERR_USAGE, "hone.json is there already: 'hone config show' shows what "
                       "it says, 'hone config set' changes it, 'hone init --force' begins anew and "
                       "keeps it as hone.json.backup");
    }
    if (rc != 0 && rc != ERR_USAGE) return rc; /* what a file says now does not matter */
    find_models(found);
    find_folders(found);
    find_sources(found);
    found->test = test_command_find(found->own.workspace, &call->arena).command;
    rc = 0;
    if (!call_has(call, "yes") && !call->json && line_can_ask()) rc = ask_all(found, err);
    return rc == 0 ? write_file(found, err) : rc;
}

static int handle(struct call *call)
{
    struct finding_out found = { .call = call, .until = "" };
    struct err err = { 0 };
    int rc;

    buf_init(&found.text, HONE_FILE_BYTES_MAX);
    rc = init(&found, &err);
    if (rc == 0 && call->json) say_done_json(&found);
    if (rc == 0 && !call->json && !call->quiet) say_done(&found);
    buf_release(&found.text);
    hone_own_close(&found.own);
    return rc == 0 ? CODE_DONE : say_err(&err);
}

const struct verb verb_init = {
    .name = "init",
    .summary = "write a hone.json from what is found here",
    .text = {
        "Looks for models on the PATH, for the command that runs the project's tests and for "
        "folders of other people's code, and writes hone.json at the top of the repository. On a "
        "terminal it asks who is to play the roles, how the tests are run and until what reviews "
        "go on (see --until of 'hone run'); an empty answer takes what it offers. Elsewhere, and "
        "with --yes, it takes what was found. Where nothing "
        "was found there is nothing to write: hone goes by what is installed at each run.",
    },
    .options = {
        { .name = "yes", .help = "ask nothing" },
        { .name = "force",
          .help = "replace a hone.json that is there; it is kept as hone.json.backup" },
    },
    .codes = {
        { CODE_DONE, "it was written, or there was nothing to write" },
        { CODE_USAGE, "there is one already, or an answer did not fit; nothing was written" },
        { CODE_FAILED, "it could not be written" },
    },
    .examples = {
        "hone init",
        "hone init --yes --force",
    },
    .handle = handle,
};
