/* SPDX-License-Identifier: Apache-2.0
 *
 * ci_show.c - what the service that runs a pipeline is shown.
 *
 *     log     a group of the service's own, in which nothing is a command
 *     files   the table below: what each service takes, in one folder
 *     notes   GitHub: annotations in the log, a summary of the step, outputs for later steps
 *     end     one line
 *
 * 1. GitHub obeys lines of the log that begin with "::" and more, and what reviewers and files say
 *    stands in it. So commands are off from the first line of hone's to the last, by a word that
 *    nothing there can know; only what this file makes is outside.
 *    With --json standard output holds nothing else, and is no command (format/json/json.c): they
 *    are off on standard error.
 * 2. Standard error goes where standard output goes, while the service is one that shows both: else
 *    the end of the group could come before its text.
 * 3. A file is there whole, or not at all, also where two pipelines share the folder; what an
 *    earlier one left is removed first.
 * 4. No link is followed below the workspace: the change that is judged wrote it.
 * 5. Where a report, the summary or the outputs cannot be written, hone ci fails (CODE_FAILED),
 *    also where nothing was found: a later step would take what is missing for nothing found.
 *
 * Not here: what a form has in it (format/report/forms.h). */
#include "cmd/ci_show.h"

#include "base/path.h"
#include "cmd/page.h"
#include "cmd/say.h"
#include "io/file/file.h"
#include "io/file/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY = (1 << PIPELINE_SERVICE_COUNT) - 1, GITHUB = 1 << PIPELINE_GITHUB,
       GITLAB = 1 << PIPELINE_GITLAB, OTHER = 1 << PIPELINE_OTHER, LINE_BYTES_MAX = 16 << 10,
       PATH_SHOWN_MAX = 300, SUMMARY_FILE_BYTES_MAX = 1 << 20 };

/* In which services a file is written. */
static const struct {
    const char *form, *file;
    uint32_t services;
} reports[] = {
    { "sarif", "hone.sarif", EVERY },
    { "markdown", "hone.md", EVERY },
    { "junit", "junit.xml", GITLAB | OTHER },
    { "gitlab", "gl-code-quality-report.json", GITLAB },
};

enum { REPORT_COUNT = sizeof reports / sizeof *reports };

void ci_reports_help(struct page *page)
{
    page_add(page, BLOCK_HEADING, NULL, "Reports");
    for (uint32_t i = 0; i < REPORT_COUNT; i++) {
        const char *where = reports[i].services == EVERY ? "everywhere"
                          : reports[i].services == GITLAB ? "GitLab CI"
                                                          : "everywhere but GitHub Actions";

        page_add(page, BLOCK_TERM, reports[i].file,
                 arena_printf(&page->arena, "%s; as 'hone export --format %s'", where,
                              reports[i].form));
    }
    page_add(page, BLOCK_TERM, "hone.patch", "with --fix: what the fixer did, for 'git apply'");
    page_add(page, BLOCK_TERM, "GITHUB_STEP_SUMMARY", "GitHub Actions: the summary of the step is "
             "added to this file; where that cannot be done, the end is 3");
    page_add(page, BLOCK_TERM, "GITHUB_OUTPUT", "GitHub Actions: exit-code, end, run, findings, "
             "high, medium, low, base, folder, sarif and patch are added to this file; where that "
             "cannot be done, the end is 3");
}

/* ---- the log ---- */

static void say_line(const char *line)
{
    struct buf out;

    buf_init(&out, LINE_BYTES_MAX);
    buf_printf(&out, "%s\n", line);
    say_now(&out);
    buf_release(&out);
}

void ci_log_begin(struct ci_show *show)
{
    random_word(show->word, CI_WORD_LETTERS);
    if (show->json) {
        if (show->service == PIPELINE_GITHUB) fprintf(stderr, "::stop-commands::%s\n", show->word);
        return;
    }
    switch (show->service) {
    case PIPELINE_GITHUB:
        stream_join();
        say_line("::group::hone ci");
        say_line(arena_printf(show->arena, "::stop-commands::%s", show->word));
        break;
    case PIPELINE_GITLAB:
        stream_join();
        say_line(arena_printf(show->arena, "\033[0Ksection_start:%" PRIu64 ":hone_%s\r\033[0Khone "
                              "ci", now_wall_ms() / 1000, show->word));
        break;
    case PIPELINE_OTHER:
    case PIPELINE_SERVICE_COUNT:
        break;
    }
}

static void ci_log_end(struct ci_show *show)
{
    if (show->json) {
        if (show->service == PIPELINE_GITHUB) fprintf(stderr, "::%s::\n", show->word);
        return;
    }
    (void)fflush(stdout);
    switch (show->service) {
    case PIPELINE_GITHUB:
        say_line(arena_printf(show->arena, "::%s::", show->word));
        say_line("::endgroup::");
        break;
    case PIPELINE_GITLAB:
        say_line(arena_printf(show->arena, "\033[0Ksection_end:%" PRIu64 ":hone_%s\r\033[0K",
                              now_wall_ms() / 1000, show->word));
        break;
    case PIPELINE_OTHER:
    case PIPELINE_SERVICE_COUNT:
        break;
    }
}

/* ---- files ---- */

static const char *path_in(const struct ci_show *show, const char *name)
{
    return *show->folder ? arena_printf(show->arena, "%s/%s", show->folder, name)
                         : arena_cstr(show->arena, str_of(name));
}

int ci_place(struct ci_show *show, const char *workspace, const char *cwd, const char *folder,
             struct err *err)
{
    struct file_place place;
    int rc = 0;

    show->workspace = workspace;
    show->root = NULL;
    show->folder = "";
    if (!*folder) return 0;
    for (const char *c = folder; *c; c++) {
        if ((unsigned char)*c >= ' ' && *c != 0x7f) continue;
        return err_set(err, ERR_USAGE, "--output: the name of the folder has a control character");
    }
    file_place_find(workspace, path_joined(cwd, str_of(folder), show->arena), show->arena, &place);
    if (place.inside) {
        show->root = place.root;
        show->folder = place.path;
        rc = file_make_folder_in(show->root, show->folder, err);
        /* What stands there is no part of a change that is judged next. */
        if (rc == 0) {
            rc = file_write_shared(show->root, path_in(show, ".gitignore"), STR("*\n"), err);
        }
    } else {
        show->root = *place.path ? path_joined(place.root, str_of(place.path), show->arena)
                                 : place.root;
        rc = file_make_folder(show->root, true, err);
    }
    for (uint32_t i = 0; rc == 0 && i < REPORT_COUNT; i++) {
        rc = file_remove_in(show->root, path_in(show, reports[i].file), err);
    }
    if (rc == 0) rc = file_remove_in(show->root, path_in(show, "hone.patch"), err);
    return rc == 0 ? 0 : err_wrap(err, "reports cannot be written; name another folder, or '' for "
                                  "none, by --output: %.*s", PATH_SHOWN_MAX, folder);
}

int ci_file(struct ci_show *show, const char *name, struct str text, struct err *err)
{
    const char *path = path_in(show, name);
    int rc;

    if (!show->root) return 0;
    rc = file_write_shared(show->root, path, text, err);
    if (rc != 0) return err_wrap(err, "write %s", name);
    if (show->file_count + 1 < sizeof show->files / sizeof *show->files) {
        show->files[show->file_count++] = *show->folder
            ? path : arena_printf(show->arena, "%s/%s", show->root, name);
    }
    return 0;
}

/* ---- forms ---- */

/* The findings of a run in a form; of none: that there is nothing. */
static int write_form(struct listed *listed, const struct form *form, struct buf *out,
                      struct err *err)
{
    static const struct plan no_plan;
    struct listing nothing = { .run = "", .version = HONE_VERSION, .plan = &no_plan };
    struct finding_filter filter;
    int rc = 0;

    if (!listed) {
        form->write(&nothing, out);
        return 0;
    }
    rc = finding_filter_read(&(struct finding_filter_words){ .state = form->states, .prefix = "" },
                             &filter, err);
    if (rc != 0) return rc;
    listed_choose_for(listed, &filter, form);
    form->write(&listed->listing, out);
    if (!out->overflow) return 0;
    return err_set(err, ERR_LIMIT, "the findings take too much room as %s", form->name);
}

static int write_report(struct ci_show *show, struct listed *listed, uint32_t report,
                        struct err *err)
{
    const struct form *form = form_find(reports[report].form);
    struct buf text;
    int rc;

    if (!(reports[report].services & (1u << show->service))) return 0;
    buf_init(&text, SAY_BYTES_MAX);
    rc = write_form(listed, form, &text, err);
    if (rc == 0) rc = ci_file(show, reports[report].file, buf_str(&text), err);
    buf_release(&text);
    return rc;
}

/* Adds to the file that a variable of the service's names. */
static int add_to_named(struct ci_show *show, const char *variable, struct str text,
                        struct err *err)
{
    struct file_place place;
    int rc;

    file_place_find(show->workspace, path_joined("/", str_of(getenv(variable)), show->arena),
                    show->arena, &place);
    rc = *place.path ? file_append_in(place.root, place.path, text, err)
                     : err_set(err, ERR_FORMAT, "%s is a folder", place.root);
    if (rc == 0) return 0;
    /* The place is the service's: the user's command line is not wrong. */
    return err_set(err, ERR_SYSTEM, "%s", arena_printf(show->arena, "%s: %s", variable,
                                                       err->text));
}

/* GitHub: the summary of the step goes to the end of a file. */
static int add_summary(struct ci_show *show, struct listed *listed, struct err *err)
{
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    const struct form *form = form_find("github-summary");
    struct buf text;
    int rc;

    if (show->service != PIPELINE_GITHUB || !path || !*path) return 0;
    buf_init(&text, SUMMARY_FILE_BYTES_MAX);
    rc = write_form(listed, form, &text, err);
    if (rc == 0) rc = add_to_named(show, "GITHUB_STEP_SUMMARY", buf_str(&text), err);
    buf_release(&text);
    return rc;
}

/* GitHub: findings beside the lines that they are about, said behind the log. */
static int make_notes(struct ci_show *show, struct listed *listed, struct err *err)
{
    const struct form *form = form_find("github");
    struct buf text;
    int rc;

    if (show->service != PIPELINE_GITHUB || show->json || !listed) return 0;
    buf_init(&text, SAY_BYTES_MAX);
    rc = write_form(listed, form, &text, err);
    show->notes = arena_take(show->arena, &text);
    return rc;
}

int ci_reports(struct ci_show *show, struct listed *listed, struct err *err)
{
    int rc = 0;

    if (show->root) {
        for (uint32_t i = 0; rc == 0 && i < REPORT_COUNT; i++) {
            rc = write_report(show, listed, i, err);
        }
    }
    if (rc == 0) rc = add_summary(show, listed, err);
    if (rc == 0) rc = make_notes(show, listed, err);
    return rc;
}

int ci_lines(struct listed *listed, struct err *err)
{
    const struct form *form = form_find("text");
    struct form open = *form;
    struct buf text;
    int rc;

    open.states = "open";
    buf_init(&text, SAY_BYTES_MAX);
    rc = write_form(listed, &open, &text, err);
    if (rc == 0) fputs(buf_cstr(&text), stderr);
    buf_release(&text);
    return rc;
}

/* ---- the end ---- */

/* A member of a file of outputs: the value stands between two lines that it cannot hold. */
static void add_output(const struct ci_show *show, struct buf *out, const char *name,
                       const char *value)
{
    buf_printf(out, "%s<<%s\n%s\n%s\n", name, show->word, value, show->word);
}

static const char *number_text(const struct ci_show *show, uint64_t number)
{
    return arena_printf(show->arena, "%" PRIu64, number);
}

static const char *file_named(const struct ci_show *show, const char *name)
{
    for (uint32_t i = 0; i < show->file_count; i++) {
        if (strcmp(path_leaf_text(show->files[i]), name) == 0) return show->files[i];
    }
    return "";
}

static int put_outputs(struct ci_show *show, const struct ci_end *end, struct err *err)
{
    const char *path = getenv("GITHUB_OUTPUT");
    const struct listing_counts *counts = &end->counts;
    struct buf out;
    int rc;

    if (show->service != PIPELINE_GITHUB || !path || !*path) return 0;
    buf_init(&out, LINE_BYTES_MAX);
    add_output(show, &out, "exit-code", number_text(show, (uint64_t)end->code));
    add_output(show, &out, "end", end->word);
    add_output(show, &out, "run", end->run);
    add_output(show, &out, "findings", number_text(show, counts->open_count));
    add_output(show, &out, "high", number_text(show, counts->open[SEVERITY_HIGH]));
    add_output(show, &out, "medium", number_text(show, counts->open[SEVERITY_MEDIUM]));
    add_output(show, &out, "low", number_text(show, counts->open[SEVERITY_LOW]));
    add_output(show, &out, "base", end->base);
    add_output(show, &out, "folder", !show->root ? "" : *show->folder ? show->folder : show->root);
    add_output(show, &out, "sarif", file_named(show, "hone.sarif"));
    add_output(show, &out, "patch", file_named(show, "hone.patch"));
    rc = add_to_named(show, "GITHUB_OUTPUT", buf_str(&out), err);
    buf_release(&out);
    return rc;
}

static void say_json_end(const struct ci_show *show, const struct ci_end *end)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list;

    json_add(doc, root, "event", "ci");
    yyjson_mut_obj_add_uint(doc, root, "at", now_wall_ms());
    json_add(doc, root, "service", show->service == PIPELINE_GITHUB ? "github"
                                   : show->service == PIPELINE_GITLAB ? "gitlab" : "other");
    json_add(doc, root, "run", end->run);
    json_add(doc, root, "end", end->word);
    json_add(doc, root, "base", end->base);
    json_add(doc, root, "head", end->head);
    yyjson_mut_obj_add_bool(doc, root, "fork", end->fork);
    yyjson_mut_obj_add_int(doc, root, "exit_code", end->code);
    yyjson_mut_obj_add_uint(doc, root, "findings", end->counts.open_count);
    list = yyjson_mut_obj_add_arr(doc, root, "files");
    for (uint32_t i = 0; i < show->file_count; i++) {
        yyjson_mut_arr_append(list, json_text(doc, str_of(show->files[i])));
    }
    say_json(doc, false);
}

/* GitHub shows an error that is a command above the log. */
static void say_error(const struct ci_end *end)
{
    struct buf out;

    buf_init(&out, LINE_BYTES_MAX);
    buf_text(&out, "::error title=hone::");
    for (const char *c = end->why; *c; c++) {
        if (*c == '%') buf_text(&out, "%25");
        else if (*c == '\n') buf_text(&out, "%0A");
        else if (*c == '\r') buf_text(&out, "%0D");
        else if ((unsigned char)*c >= ' ' && *c != 0x7f) buf_byte(&out, *c);
    }
    buf_byte(&out, '\n');
    say_now(&out);
    buf_release(&out);
}

static void say_end(const struct ci_show *show, const struct ci_end *end)
{
    const struct listing_counts *counts = &end->counts;
    struct buf out;

    if ((end->why && !*end->run) || show->hook || (show->quiet && end->code == CODE_DONE)) return;
    buf_init(&out, LINE_BYTES_MAX);
    buf_printf(&out, "hone ci: %s", end->word);
    if (*end->run) {
        buf_printf(&out, "; %" PRIu32 " new (%" PRIu32 " high, %" PRIu32 " medium, %" PRIu32
                   " low)", counts->open_count, counts->open[SEVERITY_HIGH],
                   counts->open[SEVERITY_MEDIUM], counts->open[SEVERITY_LOW]);
        buf_printf(&out, "; fails on %s", end->fail_on);
    }
    buf_printf(&out, "; exit %d", end->code);
    if (show->file_count > 0) {
        buf_text(&out, "; reports: ");
        add_safe(&out, *show->folder ? show->folder : show->root, PATH_SHOWN_MAX);
    }
    if (*end->run) {
        buf_printf(&out, "; run %s ('hone comment %s' tells the pull request of it)", end->run,
                   end->run);
    }
    buf_byte(&out, '\n');
    say_now(&out);
    buf_release(&out);
}

void ci_finish(struct ci_show *show, struct ci_end *end)
{
    struct buf notes;
    struct err err;

    if (put_outputs(show, end, &err) != 0) {
        (void)say_err(&err);
        if (!end->why) end->why = arena_cstr(show->arena, str_of(err.text));
        if (end->code == CODE_DONE || end->code == CODE_FINDINGS) end->code = CODE_FAILED;
    }
    ci_log_end(show);
    if (show->notes.size > 0) {
        buf_init(&notes, SAY_BYTES_MAX);
        buf_add(&notes, show->notes);
        say_now(&notes);
        buf_release(&notes);
    }
    if (show->json) {
        say_json_end(show, end);
    } else {
        if (end->why && show->service == PIPELINE_GITHUB) say_error(end);
        say_end(show, end);
    }
}
