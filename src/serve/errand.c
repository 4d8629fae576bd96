/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/errand.h"

#include "format/json/json.h"
#include "io/process/program.h"
#include "run/look.h"

#include <string.h>

int errand_begin(struct errand *errand, const char *const *arguments, const char *cwd,
                 const char *run, uint64_t before, size_t out_bytes_max, struct err *err)
{
    const char *argv[ERRAND_ARGUMENTS_MAX + 2] = { program_self() };
    uint32_t count = 1;

    *errand = (struct errand){ .before = before };
    while (arguments[count - 1] && count <= ERRAND_ARGUMENTS_MAX) {
        argv[count] = arguments[count - 1];
        count++;
    }
    if (arguments[count - 1]) return err_set(err, ERR_LIMIT, "there are too many words");
    errand->cwd = arena_cstr(&errand->arena, str_of(cwd));
    errand->run = run ? arena_cstr(&errand->arena, str_of(run)) : NULL;
    return background_start(&errand->process, &(struct background_program){
        .argv = argv, .cwd = errand->cwd, .out_bytes_max = out_bytes_max }, err);
}

/* With --json the first line that names the run is the first thing it says. */
static void learn_run(struct errand *errand)
{
    struct str rest = buf_str(&errand->process.out), line;
    struct err err;

    while (!errand->run[0] && str_has(rest, '\n') && str_cut(&rest, '\n', &line)) {
        yyjson_doc *doc;
        if (json_read(line, &doc, &err) != 0) continue;
        errand->run = arena_cstr(&errand->arena, json_str(yyjson_doc_get_root(doc), "run"));
        yyjson_doc_free(doc);
    }
}

/* Whether the journal shows that the run goes on. */
static bool is_journaled(const struct errand *errand)
{
    struct look look;
    struct err err;
    bool found = false;

    if (!errand->run[0]) return false;
    if (look_open(&look, errand->cwd, &err) == 0 && look_run(&look, errand->run, &err) == 0) {
        found = strcmp(look.run.id, errand->run) == 0 && look.run.event_count > errand->before;
    }
    look_close(&look);
    return found;
}

enum errand_state errand_look(struct errand *errand, int *status)
{
    bool ended = background_look(&errand->process, status);

    if (errand->run) {
        learn_run(errand);
        if (is_journaled(errand)) return ERRAND_GOES_ON;
    }
    return ended ? ERRAND_ENDED : ERRAND_WAITS;
}

void errand_stop(const struct errand *errand)
{
    background_stop(&errand->process);
}

void errand_leave(struct errand *errand)
{
    background_leave(&errand->process);
    arena_release(&errand->arena);
    *errand = (struct errand){ 0 };
}

struct str errand_last_words(const struct errand *errand)
{
    struct str last = str_last_line(buf_str(&errand->process.err));

    return str_starts(last, STR("hone: ")) ? str_skip(last, 6) : last;
}
