/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_job.c - jobs and results as JSON, and back.
 *
 * Plain members are rows of tables (members.h), one for each object.
 *
 * 1. A blob's id that was read is one; so is an id of git, a nonce, a RUN.
 * 2. A path of a contract file is one in a work tree (fleet_path_is()); the name of an attempt's
 *    file is one of a fixed list. No text of another machine becomes a path otherwise.
 * 3. No text holds a NUL: as a C string it is the same text.
 *
 * Not here: whether the blobs are there, whether the commits exist (the worker, io/git). */
#include "format/fleet/fleet_job.h"

#include "base/path.h"
#include "format/fleet/fleet_line.h"
#include "format/fleet/fleet_name.h"
#include "format/json/members.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const job_files[] = { "prompt", "findings", "schema", NULL };
const char *const fleet_result_files[] = { "stdout", "stderr", "answer", "evidence", "report",
                                           "children", NULL };

/* ---- tables ---- */

#define TEXT(of, name) \
    { .key = #name, .type = MEMBER_TEXT, .offset = offsetof(struct of, name) }
#define NEEDED(of, name) \
    { .key = #name, .type = MEMBER_TEXT, .offset = offsetof(struct of, name), .always = 1 }
#define U32(of, name) { .key = #name, .type = MEMBER_U32, .offset = offsetof(struct of, name) }
#define U64(of, name) { .key = #name, .type = MEMBER_U64, .offset = offsetof(struct of, name) }
#define FLAG(of, name) \
    { .key = #name, .type = MEMBER_BOOL, .offset = offsetof(struct of, name) }

static const struct member job_members[] = {
    { .key = "v", .type = MEMBER_U32, .offset = offsetof(struct fleet_job, v), .always = 1 },
    NEEDED(fleet_job, run), NEEDED(fleet_job, nonce), TEXT(fleet_job, version),
    U64(fleet_job, epoch), U64(fleet_job, deadline_ms), FLAG(fleet_job, reads),
    FLAG(fleet_job, commits), NEEDED(fleet_job, answer), NEEDED(fleet_job, workspace),
    TEXT(fleet_job, setup), { .key = NULL },
};

static const struct member row_members[] = {
    NEEDED(fleet_row, id), NEEDED(fleet_row, dialect), TEXT(fleet_row, task), { .key = NULL },
};

static const struct member action_members[] = {
    U32(action, job), U32(action, attempt), U32(action, lane), U32(action, phase),
    U32(action, iteration), U32(action, round), U32(action, copy), U32(action, eye),
    FLAG(action, recheck), { .key = NULL },
};

static const struct member about_members[] = {
    TEXT(fleet_about, role), TEXT(fleet_about, lane), TEXT(fleet_about, phase),
    U32(fleet_about, iteration), TEXT(fleet_about, task), TEXT(fleet_about, task_id),
    TEXT(fleet_about, since), TEXT(fleet_about, budget), U64(fleet_about, budget_micros),
    TEXT(fleet_about, traceparent), { .key = NULL },
};

static const struct member tree_members[] = {
    NEEDED(fleet_tree, repo), TEXT(fleet_tree, base), TEXT(fleet_tree, head),
    TEXT(fleet_tree, branch), NEEDED(fleet_tree, snapshot), NEEDED(fleet_tree, tree),
    TEXT(fleet_tree, since), TEXT(fleet_tree, carry), NEEDED(fleet_tree, bundle), { .key = NULL },
};

static const struct member limit_members[] = {
    U64(fleet_limits, time_ms), U64(fleet_limits, idle_ms), U64(fleet_limits, output_bytes),
    { .key = NULL },
};

static const struct member result_members[] = {
    { .key = "v", .type = MEMBER_U32, .offset = offsetof(struct fleet_result, v), .always = 1 },
    NEEDED(fleet_result, run), NEEDED(fleet_result, nonce), TEXT(fleet_result, worker),
    TEXT(fleet_result, host), U64(fleet_result, begun_ms), U64(fleet_result, ended_ms),
    TEXT(fleet_result, workspace), TEXT(fleet_result, answer), TEXT(fleet_result, guard),
    TEXT(fleet_result, problem),
    { .key = NULL },
};

static const struct member end_members[] = {
    TEXT(fleet_result, by), U32(fleet_result, value), { .key = NULL },
};

static const struct member result_tree_members[] = {
    FLAG(fleet_result_tree, changed), TEXT(fleet_result_tree, snapshot),
    TEXT(fleet_result_tree, tree), TEXT(fleet_result_tree, bundle), TEXT(fleet_result_tree, head),
    TEXT(fleet_result_tree, commit), { .key = NULL },
};

static const struct member file_members[] = {
    { .key = "name", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_file, name),
      .always = 1 },
    { .key = "id", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_file, id), .always = 1 },
    { .key = NULL },
};

static const struct member path_members[] = {
    { .key = "path", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_file, name),
      .always = 1 },
    { .key = "id", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_file, id), .always = 1 },
    { .key = NULL },
};

/* ---- writing ---- */

static yyjson_mut_val *part_write(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key,
                                  const struct member *members, const void *from)
{
    yyjson_mut_val *object = yyjson_mut_obj_add_obj(doc, root, key);

    members_write(doc, object, members, from, 1);
    return object;
}

static void files_write(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key,
                        const struct member *members, const struct fleet_file *files,
                        uint32_t count)
{
    yyjson_mut_val *list = count ? yyjson_mut_obj_add_arr(doc, root, key) : NULL;

    for (uint32_t i = 0; i < count; i++) {
        members_write(doc, yyjson_mut_arr_add_obj(doc, list), members, &files[i], 1);
    }
}

static void row_write(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct fleet_row *row)
{
    yyjson_mut_val *object = part_write(doc, root, "row", row_members, row);
    struct str text = row->settings.size ? row->settings : STR("{}");
    yyjson_doc *settings;
    struct err err;
    int rc = json_read(text, &settings, &err);

    assert(rc == 0); /* hone wrote it into its journal */
    yyjson_mut_obj_add_val(doc, object, "settings",
                           yyjson_val_mut_copy(doc, yyjson_doc_get_root(settings)));
    yyjson_doc_free(settings);
}

static void action_write(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct action *action)
{
    yyjson_mut_val *object = part_write(doc, root, "action", action_members, action);

    yyjson_mut_obj_add_uint(doc, object, "role", action->role);
    json_add(doc, object, "purpose", purpose_word(action->purpose));
}

void fleet_job_write(const struct fleet_job *job, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);

    members_write(doc, root, job_members, job, 1);
    row_write(doc, root, &job->row);
    action_write(doc, root, &job->action);
    part_write(doc, root, "about", about_members, &job->about);
    files_write(doc, root, "files", file_members, job->files, job->file_count);
    files_write(doc, root, "contract", path_members, job->contract, job->contract_count);
    part_write(doc, root, "tree", tree_members, &job->tree);
    part_write(doc, root, "limits", limit_members, &job->limits);
    json_finish(doc, false, out);
}

void fleet_result_write(const struct fleet_result *result, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);

    members_write(doc, root, result_members, result, 1);
    part_write(doc, root, "end", end_members, result);
    files_write(doc, root, "files", file_members, result->files, result->file_count);
    part_write(doc, root, "tree", result_tree_members, &result->tree);
    json_finish(doc, false, out);
}

/* ---- reading ---- */

/* The texts of a table: none with a NUL in it, none too long, none NULL. */
static int texts_check(const struct member *members, void *into, struct err *err)
{
    for (; members->key; members++) {
        struct str *text = (struct str *)((char *)into + members->offset);

        if (members->type != MEMBER_TEXT) continue;
        if (!text->data) *text = (struct str){ "", 0 };
        if (text->size > FLEET_TEXT_BYTES_MAX || str_has(*text, '\0')) {
            return member_bad_type(members->key, "a text without a NUL, and not too long", err);
        }
    }
    return 0;
}

static int object_members(yyjson_val *object, const struct member *members, struct arena *arena,
                          void *into, struct err *err)
{
    int rc;

    if (json_has_duplicates(object)) return err_set(err, ERR_FORMAT, "a member is there twice");
    rc = members_read(object, members, arena, into, 1, err);
    return rc == 0 ? texts_check(members, into, err) : rc;
}

/* An object in the object. One that is missing is an empty one: what it needs is missing then. */
static int part_read(yyjson_val *root, const char *key, const struct member *members,
                     struct arena *arena, void *into, struct err *err)
{
    yyjson_val *object = yyjson_obj_get(root, key);
    int rc;

    if (object && !yyjson_is_obj(object)) return member_bad_type(key, "an object", err);
    rc = object_members(object, members, arena, into, err);
    return rc == 0 ? 0 : err_wrap(err, "\"%s\"", key);
}

static bool is_among(struct str name, const char *const *names)
{
    for (; *names; names++) {
        if (str_is(name, *names)) return true;
    }
    return false;
}

/* A list of files; names is NULL where they are paths in a work tree. */
static int files_read(yyjson_val *root, const char *key, const struct member *members,
                      const char *const *names, uint32_t count_max, struct arena *arena,
                      struct fleet_file **out, uint32_t *count, struct err *err)
{
    yyjson_val *list, *item;
    size_t i, size;
    int rc = member_list(root, key, &list, count, err);

    if (rc != 0) return rc;
    if (*count > count_max) return err_set(err, ERR_FORMAT, "\"%s\" has too many", key);
    *out = arena_alloc(arena, (*count + 1) * sizeof **out);
    yyjson_arr_foreach(list, i, size, item) {
        struct fleet_file *file = &(*out)[i];
        enum fleet_blob_kind kind;

        rc = object_members(item, members, arena, file, err);
        if (rc != 0) return err_wrap(err, "\"%s\"", key);
        if (names ? !is_among(file->name, names) : !fleet_path_is(file->name)) {
            return member_bad_word(key, file->name, err);
        }
        if (!fleet_blob_is(file->id, &kind) || kind != FLEET_BLOB_BYTES) {
            return member_bad_word(key, file->id, err);
        }
    }
    return 0;
}

/* v, and what tells who sent it: read first, so that a program of another version can be told. */
static int version_read(yyjson_val *root, const char *what, struct arena *arena, uint32_t *v,
                        struct str *nonce, struct str *version, struct err *err)
{
    const char *program;
    uint64_t number;

    if (!yyjson_is_obj(root)) return err_set(err, ERR_FORMAT, "it is no object");
    if (!json_uint(root, "v", &number) || number > UINT32_MAX) {
        return member_bad_type("v", "a whole number", err);
    }
    *v = (uint32_t)number;
    *nonce = arena_copy(arena, json_str(root, "nonce"));
    *version = arena_copy(arena, json_str(root, "version"));
    if (*v == FLEET_V) return 0;
    program = strlen(version->data) > 0 ? version->data : "of another version";
    return err_set(err, ERR_FORMAT, "the %s is of version %u, made by hone %.40s; this hone knows "
                   "version %d", what, *v, program, FLEET_V);
}

/* It is looked for in all that an agent said (fleet_swap.c): what that costs must not be for the
 * other machine to choose. */
static int absolute_check(const char *key, struct str path, struct err *err)
{
    if (path.size < 2 || path.data[0] != '/' || path.size > FLEET_PLACE_BYTES_MAX ||
        !path_is_clean(str_skip(path, 1))) {
        return member_bad_type(key, "an absolute path", err);
    }
    return 0;
}

static int oid_check(const char *key, struct str oid, bool needed, struct err *err)
{
    if (oid.size == 0 && !needed) return 0;
    return fleet_oid_is(oid) ? 0 : member_bad_type(key, "the id of an object of git", err);
}

static int blob_check(const char *key, struct str id, struct err *err)
{
    enum fleet_blob_kind kind;

    if (id.size == 0 || (fleet_blob_is(id, &kind) && kind == FLEET_BLOB_BYTES)) return 0;
    return member_bad_type(key, "sha256-HEX", err);
}

static int who_check(struct str run, struct str nonce, struct err *err)
{
    if (!fleet_name_is(run)) return member_bad_type("run", "a name", err);
    return fleet_nonce_is(nonce) ? 0 : member_bad_type("nonce", "32 hexadecimal digits", err);
}

/* What git takes for a branch is said by git; that it is no option and no path upwards, here. */
static int branch_check(struct str branch, struct err *err)
{
    if (branch.size == 0) return 0;
    if (!path_is_clean(branch) || branch.data[0] == '-' || branch.size > FLEET_PATH_BYTES_MAX) {
        return member_bad_type("branch", "the name of a branch", err);
    }
    return 0;
}

static int tree_check(const struct fleet_tree *tree, struct err *err)
{
    int rc = fleet_name_is(tree->repo) ? 0 : member_bad_type("repo", "a name", err);

    if (rc == 0) rc = oid_check("base", tree->base, false, err);
    if (rc == 0) rc = oid_check("head", tree->head, false, err);
    if (rc == 0) rc = oid_check("snapshot", tree->snapshot, true, err);
    if (rc == 0) rc = oid_check("tree", tree->tree, true, err);
    if (rc == 0) rc = oid_check("since", tree->since, false, err);
    if (rc == 0) rc = oid_check("carry", tree->carry, false, err);
    if (rc == 0) rc = branch_check(tree->branch, err);
    if (rc == 0 && tree->bundle.size == 0) rc = member_bad_type("bundle", "a blob", err);
    if (rc == 0) rc = blob_check("bundle", tree->bundle, err);
    return rc == 0 ? 0 : err_wrap(err, "\"tree\"");
}

static int action_read(yyjson_val *root, struct arena *arena, struct action *out, struct err *err)
{
    yyjson_val *object = yyjson_obj_get(root, "action");
    struct str word = json_str(object, "purpose");
    uint64_t role;
    int rc = part_read(root, "action", action_members, arena, out, err);

    if (rc != 0) return rc;
    out->kind = ACT_START;
    if (!json_uint(object, "role", &role) || role > UINT16_MAX) {
        return member_bad_type("role", "a number of a role", err);
    }
    out->role = (uint16_t)role;
    for (uint32_t i = 0; i < FOR_COUNT; i++) {
        if (word.data && str_is(word, purpose_word((enum purpose)i))) {
            out->purpose = (enum purpose)i;
            return 0;
        }
    }
    return member_bad_type("purpose", "what an attempt is for", err);
}

static int row_read(yyjson_val *root, struct arena *arena, struct fleet_row *out, struct err *err)
{
    yyjson_val *settings = yyjson_obj_get(yyjson_obj_get(root, "row"), "settings");
    size_t size;
    char *text;
    int rc = part_read(root, "row", row_members, arena, out, err);

    if (rc != 0) return rc;
    if (!fleet_name_is(out->id)) return member_bad_type("id", "the name of a run", err);
    if (!yyjson_is_obj(settings)) return member_bad_type("settings", "an object", err);
    text = yyjson_val_write(settings, 0, &size);
    if (!text) return member_bad_type("settings", "an object of JSON", err);
    out->settings = arena_copy(arena, (struct str){ text, size });
    free(text);
    return 0;
}

static int job_check(const struct fleet_job *job, struct err *err)
{
    int rc = who_check(job->run, job->nonce, err);

    if (rc == 0) rc = absolute_check("answer", job->answer, err);
    if (rc == 0) rc = absolute_check("workspace", job->workspace, err);
    return rc == 0 ? tree_check(&job->tree, err) : rc;
}

static int job_fill(yyjson_val *root, struct arena *arena, struct fleet_job *out, struct err *err)
{
    int rc = version_read(root, "job", arena, &out->v, &out->nonce, &out->version, err);

    if (rc == 0) rc = object_members(root, job_members, arena, out, err);
    if (rc == 0) rc = row_read(root, arena, &out->row, err);
    if (rc == 0) rc = action_read(root, arena, &out->action, err);
    if (rc == 0) rc = part_read(root, "about", about_members, arena, &out->about, err);
    if (rc == 0) {
        rc = files_read(root, "files", file_members, job_files, FLEET_FILES_MAX, arena,
                        &out->files, &out->file_count, err);
    }
    if (rc == 0) {
        rc = files_read(root, "contract", path_members, NULL, FLEET_CONTRACT_MAX, arena,
                        &out->contract, &out->contract_count, err);
    }
    if (rc == 0) rc = part_read(root, "tree", tree_members, arena, &out->tree, err);
    if (rc == 0) rc = part_read(root, "limits", limit_members, arena, &out->limits, err);
    return rc == 0 ? job_check(out, err) : rc;
}

int fleet_job_read(struct str text, struct arena *arena, struct fleet_job *out, struct err *err)
{
    yyjson_doc *doc;
    int rc = json_read(text, &doc, err);

    *out = (struct fleet_job){ .v = 0 };
    if (rc != 0) return rc;
    rc = job_fill(yyjson_doc_get_root(doc), arena, out, err);
    yyjson_doc_free(doc);
    return rc;
}

static int result_check(const struct fleet_result *result, struct err *err)
{
    const struct fleet_result_tree *tree = &result->tree;
    int rc = who_check(result->run, result->nonce, err);

    if (rc == 0) rc = oid_check("snapshot", tree->snapshot, tree->changed, err);
    if (rc == 0) rc = oid_check("tree", tree->tree, tree->changed, err);
    if (rc == 0) rc = oid_check("head", tree->head, false, err);
    if (rc == 0) rc = oid_check("commit", tree->commit, false, err);
    if (rc == 0) rc = blob_check("bundle", tree->bundle, err);
    if (rc != 0 || result->problem.size) return rc;
    if (result->by.size == 0) return err_set(err, ERR_FORMAT, "\"end\" is missing");
    rc = absolute_check("workspace", result->workspace, err);
    return rc == 0 ? absolute_check("answer", result->answer, err) : rc;
}

static int result_fill(yyjson_val *root, struct arena *arena, struct fleet_result *out,
                       struct err *err)
{
    struct str version;
    int rc = version_read(root, "result", arena, &out->v, &out->nonce, &version, err);

    if (rc == 0) rc = object_members(root, result_members, arena, out, err);
    if (rc == 0) rc = part_read(root, "end", end_members, arena, out, err);
    if (rc == 0) {
        rc = files_read(root, "files", file_members, fleet_result_files, FLEET_FILES_MAX, arena,
                        &out->files, &out->file_count, err);
    }
    if (rc == 0) rc = part_read(root, "tree", result_tree_members, arena, &out->tree, err);
    return rc == 0 ? result_check(out, err) : rc;
}

int fleet_result_read(struct str text, struct arena *arena, struct fleet_result *out,
                      struct err *err)
{
    yyjson_doc *doc;
    int rc = json_read(text, &doc, err);

    *out = (struct fleet_result){ .v = 0 };
    if (rc != 0) return rc;
    rc = result_fill(yyjson_doc_get_root(doc), arena, out, err);
    yyjson_doc_free(doc);
    return rc;
}
