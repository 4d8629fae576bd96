/* SPDX-License-Identifier: Apache-2.0
 *
 * export.c - hone export: what was found in a run, in the forms that services and programs read, to
 * files.
 *
 * The run is replayed once, and each form is written from it: `sarif=FILE` to that file, a form
 * without a file to standard output.
 *
 * 1. All forms are made before the first file is written: a form that is refused, or too long,
 *    writes nothing at all.
 * 2. A file is there whole, or as it was before. Where it cannot be written, the others are all the
 *    same, and the first that could not is named.
 *    Several hone may write one file at a time: it is the work of one of them.
 * 3. A device, a pipe or a folder is never replaced by a file. Below the workspace no link is
 *    followed, since the change that was judged may have brought it: a link in the file's place is
 *    replaced, and one on the way is refused (io/file/file.h, struct file_place). Elsewhere a link
 *    leads to the file that is replaced.
 *
 * Not here: what a form has in it (format/report/forms.h). */
#include "base/path.h"
#include "cmd/findings.h"
#include "cmd/page.h"
#include "cmd/say.h"
#include "cmd/verbs.h"
#include "io/file/file.h"

#include <string.h>

enum { WANTED_MAX = 32 };

/* One form that is asked for. */
struct wanted {
    const struct form *form;
    const char *word;        /* the file as the user names it; NULL: standard output */
    struct file_place place; /* of the file */
    struct finding_filter filter;
    struct buf text;
};

struct export {
    struct call *call;
    struct wanted wanted[WANTED_MAX];
    uint32_t count;
};

/* ---- what is asked for ---- */

static bool is_same_place(const struct file_place *one, const struct file_place *other)
{
    return strcmp(one->root, other->root) == 0 && strcmp(one->path, other->path) == 0;
}

/* Where the file of a form is. workspace: the one that is judged; NULL: there is none. */
static int find_place(struct export *export, uint32_t at, const char *workspace, struct err *err)
{
    struct arena *arena = &export->call->arena;
    struct wanted *wanted = &export->wanted[at];

    if (!wanted->word) return 0;
    file_place_find(workspace, path_joined(export->call->cwd, str_of(wanted->word), arena), arena,
                    &wanted->place);
    for (uint32_t i = 0; i < at; i++) {
        if (!export->wanted[i].word) continue;
        if (!is_same_place(&export->wanted[i].place, &wanted->place)) continue;
        return err_set(err, ERR_USAGE, "two forms are to be written to %.200s", wanted->word);
    }
    if (!wanted->place.taken) return 0;
    return err_set(err, ERR_USAGE, "%.200s is no regular file; a form goes to standard output "
                   "where no file is named, as in --format sarif", wanted->word);
}

static int find_places(struct export *export, struct err *err)
{
    struct repo repo = { 0 };
    struct err none;
    bool found = repo_open(&repo, export->call->cwd, REPO_FIND, &none) == 0;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < export->count; i++) {
        rc = find_place(export, i, found ? arena_cstr(&export->call->arena, str_of(repo.workspace))
                                         : NULL, err);
    }
    repo_release(&repo);
    return rc;
}

static int add_wanted(struct export *export, const char *word, struct err *err)
{
    const char *equals = strchr(word, '=');
    struct wanted *wanted = &export->wanted[export->count];
    struct str name = equals ? str_head(str_of(word), (size_t)(equals - word)) : str_of(word);
    int rc;

    if (export->count == WANTED_MAX) {
        return err_set(err, ERR_USAGE, "--format is given more than %d times", WANTED_MAX);
    }
    rc = findings_form(arena_cstr(&export->call->arena, name), NULL, &wanted->form, err);
    if (rc == 0 && equals && !equals[1]) {
        return err_set(err, ERR_USAGE, "--format %.60s names no file behind the =", word);
    }
    if (rc == 0) {
        rc = findings_filter(export->call, wanted->form->states, &wanted->filter, err);
    }
    if (rc != 0) return rc;
    wanted->word = equals ? equals + 1 : NULL;
    buf_init(&wanted->text, SAY_BYTES_MAX);
    export->count++;
    return 0;
}

static int read_wanted(struct export *export, struct err *err)
{
    const struct call *call = export->call;
    uint32_t to_stdout = 0;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < call->given_count; i++) {
        if (strcmp(call->given[i].name, "format") != 0) continue;
        rc = add_wanted(export, call->given[i].value, err);
        if (rc == 0) to_stdout += export->wanted[export->count - 1].word == NULL;
    }
    if (rc == 0 && export->count == 0) {
        rc = err_set(err, ERR_USAGE, "say in which form: --format sarif=FILE; 'hone help export' "
                     "has them all");
    }
    if (rc == 0 && to_stdout > 1) {
        rc = err_set(err, ERR_USAGE, "only one form can go to standard output; give the others a "
                     "file: --format FORMAT=FILE");
    }
    return rc;
}

/* ---- writing ---- */

static int make_texts(struct export *export, struct listed *listed, struct err *err)
{
    for (uint32_t i = 0; i < export->count; i++) {
        struct wanted *wanted = &export->wanted[i];

        listed_choose_for(listed, &wanted->filter, wanted->form);
        wanted->form->write(&listed->listing, &wanted->text);
        if (!wanted->text.overflow) continue;
        return err_set(err, ERR_LIMIT, "the findings take more than %d MB as %s; choose some of "
                       "them, as with --severity high", SAY_BYTES_MAX >> 20, wanted->form->name);
    }
    return 0;
}

static int put_texts(struct export *export, struct err *err)
{
    int first = 0;

    for (uint32_t i = 0; i < export->count; i++) {
        const struct wanted *wanted = &export->wanted[i];
        struct err problem;
        int rc;

        if (!wanted->word) {
            say_out(&wanted->text);
            continue;
        }
        rc = file_place_write(&wanted->place, buf_str(&wanted->text), &problem);
        if (rc == 0 || first != 0) continue;
        first = err_wrap(&problem, "%.200s", wanted->word);
        *err = problem;
    }
    return first;
}

/* Only a form that tells the run pays for that. */
static int tell_run(const struct export *export, const struct look *look, struct listed *listed,
                    struct err *err)
{
    for (uint32_t i = 0; i < export->count; i++) {
        if (export->wanted[i].form->story) return listed_tell(look, listed, err);
    }
    return 0;
}

static int handle(struct call *call)
{
    struct export export = { .call = call };
    struct listed listed = { 0 };
    struct look look = { 0 };
    struct err err;
    int rc, code;

    rc = read_wanted(&export, &err);
    if (rc == 0) rc = find_places(&export, &err);
    if (rc == 0) rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = look_run(&look, call_argument(call, 0), &err);
    if (rc == 0) rc = listed_read(&look, HONE_VERSION, &listed, &err);
    if (rc == 0) rc = tell_run(&export, &look, &listed, &err);
    if (rc == 0) rc = make_texts(&export, &listed, &err);
    if (rc == 0) rc = put_texts(&export, &err);
    code = rc == 0 ? CODE_DONE : say_err(&err);
    for (uint32_t i = 0; i < export.count; i++) buf_release(&export.wanted[i].text);
    listed_release(&listed);
    look_close(&look);
    return code;
}

static void extend(struct page *page)
{
    page_add(page, BLOCK_HEADING, NULL, "Formats");
    findings_forms_help(page);
}

const struct verb verb_export = {
    .name = "export",
    .summary = "write what was found in a run to files, as services read it",
    .text = {
        "Writes the findings of a run in one or more forms, each to its file: --format sarif=FILE. "
        "A form without a file goes to standard output; one can. The run may still be at work: "
        "then it is what was found so far.",
        "Nothing is written unless all of it can be made, and a file is replaced as a whole. Below "
        "the workspace no link is followed: a link in a file's place is replaced, and a folder "
        "that is one is refused.",
    },
    .arguments = { ARGUMENT_RUN },
    .options = {
        { .name = "format", .argument = "FORMAT[=FILE]",
          .help = "the form, and the file it goes to; can be given several times" },
        { .name = "state", .argument = "STATE",
          .help = "open, or new, persisting, regressed, parked, noted, waived, fixed; several "
                  "with commas between; or all. By default what each format is for" },
        { .name = "severity", .argument = "RANK",
          .help = "low, medium or high: only what is at least as grave" },
        { .name = "file", .argument = "PATTERN", .help = "only what is about these files" },
    },
    .codes = {
        { CODE_DONE, "everything was written" },
        { CODE_USAGE, "there is no such run, format, state or severity" },
        { CODE_FAILED, "a file could not be written" },
    },
    .examples = {
        "hone export --format sarif=hone.sarif --format markdown=hone.md",
        "hone export 7k2m --format html=review.html",
        "hone export 7k2m --format rdjson | reviewdog -f=rdjson -reporter=local",
    },
    .extend = extend,
    .handle = handle,
};
