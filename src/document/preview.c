/* SPDX-License-Identifier: Apache-2.0
 *
 * preview.c - what a run would do, as a document. */
#include "document/document.h"

#include <string.h>

static void text_json(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key, const char *text)
{
    if (text && *text) json_add(doc, root, key, text);
    else yyjson_mut_obj_add_null(doc, root, key);
}

/* Who plays each role, and whether the user named it, a file did, or hone chose it. */
static void agents_json(const struct preview_facts *facts, yyjson_mut_doc *doc,
                        yyjson_mut_val *root)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "agents");
    struct arena arena = { 0 };

    for (uint32_t i = 1; facts->plan && i < facts->plan->role_count; i++) {
        const struct role *role = &facts->plan->roles[i];
        const char *spec, *why;
        yyjson_mut_val *object;

        if (role->builtin || (i > 1 && strcmp(role[-1].name, role->name) == 0)) continue;
        spec = settings_spec(facts->settings, facts->dialect, role->name, 1, &arena);
        why = settings_agent(facts->settings, role->name) ? "named"
            : !spec ? "none is there"
            : settings_chosen(facts->settings, role->name) ? "chosen" : "by the loop's own files";
        object = yyjson_mut_arr_add_obj(doc, list);
        json_add(doc, object, "role", role->name);
        text_json(doc, object, "spec", spec);
        yyjson_mut_obj_add_str(doc, object, "why", why);
    }
    arena_release(&arena);
}

void document_preview(const struct preview_facts *facts, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *object;

    text_json(doc, root, "dialect", facts->dialect ? facts->dialect->name : NULL);
    text_json(doc, root, "about", facts->dialect ? facts->dialect->summary : NULL);
    text_json(doc, root, "task", facts->task);
    agents_json(facts, doc, root);
    text_json(doc, root, "missing", facts->missing);
    object = yyjson_mut_obj_add_obj(doc, root, "scope");
    text_json(doc, object, "text", facts->scope);
    if (facts->counted) yyjson_mut_obj_add_uint(doc, object, "files", facts->files);
    else yyjson_mut_obj_add_null(doc, object, "files"); /* its agents find the change themselves */
    object = yyjson_mut_obj_add_arr(doc, root, "writes");
    for (const char *const *path = facts->writes; path && *path; path++) {
        yyjson_mut_arr_append(object, json_text(doc, str_of(*path)));
    }
    text_json(doc, root, "until", facts->until);
    text_json(doc, root, "eyes", facts->eyes);
    text_json(doc, root, "budget", facts->settings ? facts->settings->budget : NULL);
    if (facts->plan) {
        struct plan_most most = plan_most(facts->plan, 0);

        object = yyjson_mut_obj_add_obj(doc, root, "most");
        yyjson_mut_obj_add_bool(doc, object, "bounded", most.bounded);
        yyjson_mut_obj_add_bool(doc, object, "per_task", most.per_task);
        if (most.bounded) yyjson_mut_obj_add_uint(doc, object, "agents_max", most.agents);
        if (most.bounded) yyjson_mut_obj_add_uint(doc, object, "rounds_max", most.rounds);
    }
    yyjson_mut_obj_add_bool(doc, root, "can_start", !facts->problem);
    text_json(doc, root, "problem", facts->problem);
}
