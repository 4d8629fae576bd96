/* SPDX-License-Identifier: Apache-2.0
 *
 * version.c - hone --version: a line for people, and for programs what was built, what it can do
 * and what its cage can do on this machine.
 *
 * 1. What is said of the build follows from its sources and its compiler: two builds of one commit
 *    say the same.
 * 2. What it can do is read from the tables that the rest of hone goes by. */
#include "cmd/version.h"

#include "agent/agent.h"
#include "analyze/analyzer.h"
#include "cmd/say.h"
#include "dialect/dialect.h"
#include "install/wiring.h"
#include "io/process/program.h"
#include "io/process/sandbox.h"
#include "settings/loop_file.h"

#include <stdio.h>

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void add_known(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *name,
                      const char *text)
{
    if (text && *text) json_add(doc, object, name, text);
    else yyjson_mut_obj_add_null(doc, object, name);
}

static void add_build(yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *build = yyjson_mut_obj_add_obj(doc, root, "build");

    add_known(doc, build, "commit", build_commit);
    yyjson_mut_obj_add_bool(doc, build, "changed", build_changed);
    json_add(doc, build, "compiler", COMPILER);
    json_add(doc, build, "libc", program_libc());
    yyjson_mut_obj_add_bool(doc, build, "static", build_static);
}

static void add_features(yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *features = yyjson_mut_obj_add_obj(doc, root, "features"), *list;
    const struct analyzer *analyzer;

    list = yyjson_mut_obj_add_arr(doc, features, "dialects");
    for (uint32_t i = 0; dialects[i]; i++) yyjson_mut_arr_add_str(doc, list, dialects[i]->name);
    list = yyjson_mut_obj_add_arr(doc, features, "loops");
    for (uint32_t i = 0; loop_shipped_all[i].name; i++) {
        yyjson_mut_arr_add_str(doc, list, loop_shipped_all[i].name);
    }
    list = yyjson_mut_obj_add_arr(doc, features, "backends");
    for (uint32_t i = 0; backends[i]; i++) yyjson_mut_arr_add_str(doc, list, backends[i]->name);
    list = yyjson_mut_obj_add_arr(doc, features, "analyzers");
    for (uint32_t i = 0; (analyzer = analyzer_at(i)); i++) {
        yyjson_mut_arr_add_str(doc, list, analyzer->name);
    }
    list = yyjson_mut_obj_add_arr(doc, features, "hosts");
    for (uint32_t i = 0; i < WIRING_HOST_COUNT; i++) {
        yyjson_mut_arr_add_str(doc, list, wiring_words[i]);
    }
}

static void add_cage(yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *cage = yyjson_mut_obj_add_obj(doc, root, "cage");
    const char *problem = sandbox_problem();

    json_add(doc, cage, "program", sandbox_name);
    yyjson_mut_obj_add_bool(doc, cage, "works", !problem);
    yyjson_mut_obj_add_bool(doc, cage, "whole", !problem && !sandbox_lacks());
    add_known(doc, cage, "lacks", problem ? NULL : sandbox_lacks());
    add_known(doc, cage, "problem", problem);
    add_known(doc, cage, "install", sandbox_install());
}

void version_say(bool json)
{
    yyjson_mut_doc *doc;
    yyjson_mut_val *root;

    if (!json) {
        puts("hone " HONE_VERSION);
        return;
    }
    sandbox_ask();
    doc = json_new();
    root = json_object(doc);
    json_add(doc, root, "version", HONE_VERSION);
    add_build(doc, root);
    add_features(doc, root);
    add_cage(doc, root);
    say_json(doc, true);
}
