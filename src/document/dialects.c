/* SPDX-License-Identifier: Apache-2.0
 *
 * dialects.c - the dialects, and the loops that users wrote, that a run can be started with, as a
 * document. A loop of the repository counts as the commit has it; one that cannot be read is listed
 * with what is wrong. */
#include "document/document.h"

#include "dialect/custom/custom.h"
#include "settings/loop_file.h"

static void loop_json(yyjson_mut_doc *doc, yyjson_mut_val *list, const char *name,
                      const char *about, const char *from, const char *problem)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

    json_add(doc, object, "name", name);
    json_add(doc, object, "about", about ? about : "");
    yyjson_mut_obj_add_str(doc, object, "from", from);
    if (problem) json_add(doc, object, "problem", problem);
}

static void own_json(const struct repo *repo, const char *name, yyjson_mut_doc *doc,
                     yyjson_mut_val *list)
{
    static const char *const origins[LOOP_ORIGIN_COUNT] = {
        [LOOP_OF_PATH] = "repository", [LOOP_OF_REPOSITORY] = "repository",
        [LOOP_OF_USER] = "user", [LOOP_OF_HONE] = "hone",
    };
    const struct loop_query query = {
        .word = name, .cwd = repo ? repo->workspace : "/", .repo = repo, .shown = true,
    };
    struct check_report report = { 0 };
    struct loop_source source = { .warning = NULL };
    struct arena arena = { 0 };
    struct loop loop = { .about = NULL };
    struct err err;

    if (loop_find(&query, &arena, &source, &err) != 0) {
        loop_json(doc, list, name, NULL, "repository", err.text);
    } else {
        bool good = loop_read(source.text, &arena, &report, &loop);

        loop_json(doc, list, name, loop.about, origins[source.origin],
                  good ? NULL : "its file is not right: hone check loop says what is wrong");
    }
    check_report_release(&report);
    arena_release(&arena);
}

void document_dialects(const struct repo *repo, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, DIALECTS_KEY);
    struct arena arena = { 0 };
    const char *const *names = loop_names(repo ? repo->workspace : NULL, &arena);

    for (uint32_t i = 0; dialects[i]; i++) {
        loop_json(doc, list, dialects[i]->name, dialects[i]->summary, "hone", NULL);
    }
    for (; *names; names++) own_json(repo, *names, doc, list);
    arena_release(&arena);
}
