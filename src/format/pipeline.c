/* SPDX-License-Identifier: Apache-2.0
 *
 * pipeline.c - GitHub Actions and GitLab CI by their variables, and GitHub's event.
 *
 *     service   request                          fork
 *     GitHub    the event has a pull_request     its head's repository is another than its base's
 *     GitLab    CI_MERGE_REQUEST_...             its source's project is another than this one
 *
 *     service   host                repository                       number of the request
 *     GitHub    GITHUB_SERVER_URL   GITHUB_REPOSITORY                GITHUB_REF, or the event
 *     GitLab    CI_SERVER_HOST      CI_MERGE_REQUEST_PROJECT_PATH,   CI_MERGE_REQUEST_IID
 *                                   CI_PROJECT_PATH
 *
 * 1. A request of which is not told whose it is comes from a fork: an event that cannot be read, a
 *    repository that is gone, an event that has no request in it and is started by people who need
 *    not be able to write here (issue_comment, workflow_run ...).
 * 2. What GitHub calls a fork is a repository that was forked once. A request inside of one is no
 *    fork's request: repositories are compared.
 * 3. A commit is 40 or 64 digits, and not all of them zero, which is how services say that there is
 *    none. What else stands there is not told.
 * 4. The name of a branch has no control characters. */
#include "format/pipeline.h"

#include "base/environment.h"
#include "format/json/json.h"

#include <string.h>

const char *const pipeline_titles[PIPELINE_SERVICE_COUNT] = {
    [PIPELINE_OTHER] = "a pipeline", [PIPELINE_GITHUB] = "GitHub Actions",
    [PIPELINE_GITLAB] = "GitLab CI",
};

const struct pipeline pipeline_none = {
    .why_fork = "", .base = "", .branch = "", .main_branch = "", .head = "", .host = "",
    .project = "", .problem = "",
};

/* ---- values ---- */

static const char *value_of(const char *const *environment, const char *name)
{
    const char *value = environment_value(environment, name);

    return value ? value : "";
}

static const char *commit_of(struct str text, struct arena *arena)
{
    bool some = false;

    if (text.size != 40 && text.size != 64) return "";
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];

        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return "";
        some = some || c != '0';
    }
    return some ? arena_cstr(arena, text) : "";
}

static const char *branch_of(struct str text, struct arena *arena)
{
    for (size_t i = 0; i < text.size; i++) {
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f) return "";
    }
    return text.size > 0 ? arena_cstr(arena, text) : "";
}

/* ---- GitHub ---- */

/* Those that only people start who may write to the repository; and what is checked out is theirs,
 * or was approved by them. */
static const char *const own_events[] = {
    "push", "schedule", "workflow_dispatch", "repository_dispatch", "merge_group", "release",
    "create", "deployment", NULL,
};

static bool is_own_event(const char *name)
{
    for (const char *const *own = own_events; *own; own++) {
        if (strcmp(name, *own) == 0) return true;
    }
    return false;
}

static void set_fork(struct pipeline *out, const char *why)
{
    out->fork = true;
    out->why_fork = why;
}

/* Whether two repositories are one; by their numbers, or by their names where those are missing. */
static bool is_same_repository(yyjson_val *one, yyjson_val *other)
{
    struct str name = json_str(one, "full_name");
    uint64_t id, other_id;

    if (json_uint(one, "id", &id) && json_uint(other, "id", &other_id)) return id == other_id;
    return name.size > 0 && str_eq(name, json_str(other, "full_name"));
}

static void read_request(yyjson_val *request, struct arena *arena, struct pipeline *out)
{
    yyjson_val *base = yyjson_obj_get(request, "base"), *head = yyjson_obj_get(request, "head");
    yyjson_val *source = yyjson_obj_get(head, "repo"), *target = yyjson_obj_get(base, "repo");
    const char *branch = branch_of(json_str(base, "ref"), arena);

    out->request = true;
    out->base = commit_of(json_str(base, "sha"), arena);
    out->head = commit_of(json_str(head, "sha"), arena);
    if (*branch) out->branch = branch;
    (void)json_uint(request, "commits", &out->commits);
    if (!yyjson_is_obj(source)) {
        set_fork(out, "the repository that it comes from is gone");
    } else if (!is_same_repository(source, target)) {
        set_fork(out, "it comes from another repository");
    }
}

static void read_push(yyjson_val *root, struct arena *arena, struct pipeline *out)
{
    yyjson_val *group = yyjson_obj_get(root, "merge_group");

    out->base = commit_of(json_str(root, "before"), arena);
    out->head = commit_of(json_str(root, "after"), arena);
    out->commits = yyjson_arr_size(yyjson_obj_get(root, "commits"));
    if (!group) return;
    out->base = commit_of(json_str(group, "base_sha"), arena);
    out->head = commit_of(json_str(group, "head_sha"), arena);
}

/* A comment on an issue is an event, too: an issue that is a pull request says so. */
static uint64_t number_of_event(yyjson_val *root)
{
    yyjson_val *request = yyjson_obj_get(root, "pull_request");
    yyjson_val *issue = yyjson_obj_get(root, "issue");
    uint64_t number = 0;

    if (request) (void)json_uint(request, "number", &number);
    else if (yyjson_obj_get(issue, "pull_request")) (void)json_uint(issue, "number", &number);
    return number;
}

/* refs/pull/12/merge */
static uint64_t number_of_ref(struct str ref)
{
    static const struct str mark = STR("refs/pull/");
    struct str digits;
    uint64_t number;

    if (!str_starts(ref, mark)) return 0;
    ref = str_skip(ref, mark.size);
    return str_cut(&ref, '/', &digits) && str_number(digits, &number) ? number : 0;
}

static void read_event(struct str event, struct arena *arena, struct pipeline *out)
{
    yyjson_val *root, *request;
    yyjson_doc *doc;
    struct err err;

    if (json_read(event, &doc, &err) != 0) {
        out->problem = arena_cstr(arena, str_of(err.text));
        return;
    }
    root = yyjson_doc_get_root(doc);
    request = yyjson_obj_get(root, "pull_request");
    if (!yyjson_is_obj(root)) out->problem = "it is no JSON object";
    else if (yyjson_is_obj(request)) read_request(request, arena, out);
    else read_push(root, arena, out);
    out->main_branch = branch_of(json_str(yyjson_obj_get(root, "repository"), "default_branch"),
                                 arena);
    if (out->number == 0) out->number = number_of_event(root);
    yyjson_doc_free(doc);
}

static void read_github(const struct pipeline_input *input, struct arena *arena,
                        struct pipeline *out)
{
    const char *name = value_of(input->environment, "GITHUB_EVENT_NAME");
    const char *server = value_of(input->environment, "GITHUB_SERVER_URL");
    const char *scheme = strstr(server, "://");

    out->host = scheme ? scheme + strlen("://") : server;
    out->project = value_of(input->environment, "GITHUB_REPOSITORY");
    out->number = number_of_ref(str_of(value_of(input->environment, "GITHUB_REF")));
    out->branch = branch_of(str_of(value_of(input->environment, "GITHUB_BASE_REF")), arena);
    if (input->problem) out->problem = input->problem;
    else read_event(input->event, arena, out);
    if (out->request || is_own_event(name)) return;
    out->request = strncmp(name, "pull_request", strlen("pull_request")) == 0;
    set_fork(out, *out->problem ? "the event that says where it comes from cannot be read"
                                : "the event does not say where it comes from");
}

/* ---- GitLab ---- */

static void read_gitlab(const struct pipeline_input *input, struct arena *arena,
                        struct pipeline *out)
{
    const char *const *env = input->environment;
    const char *project = value_of(env, "CI_PROJECT_ID");
    const char *source = value_of(env, "CI_MERGE_REQUEST_SOURCE_PROJECT_ID");
    struct str head = str_of(value_of(env, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"));
    const char *target = value_of(env, "CI_MERGE_REQUEST_PROJECT_PATH");

    out->host = value_of(env, "CI_SERVER_HOST");
    out->project = *target ? target : value_of(env, "CI_PROJECT_PATH");
    if (!str_number(str_of(value_of(env, "CI_MERGE_REQUEST_IID")), &out->number)) out->number = 0;
    out->main_branch = branch_of(str_of(value_of(env, "CI_DEFAULT_BRANCH")), arena);
    out->head = commit_of(str_of(value_of(env, "CI_COMMIT_SHA")), arena);
    if (!*value_of(env, "CI_MERGE_REQUEST_IID")) {
        out->base = commit_of(str_of(value_of(env, "CI_COMMIT_BEFORE_SHA")), arena);
        if (strcmp(value_of(env, "CI_PIPELINE_SOURCE"), "external_pull_request_event") == 0) {
            out->request = true;
            out->base = commit_of(str_of(value_of(
                env, "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_SHA")), arena);
            out->branch = branch_of(str_of(value_of(
                env, "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME")), arena);
            set_fork(out, "it is a request of another service");
        }
        return;
    }
    out->request = true;
    out->base = commit_of(str_of(value_of(env, "CI_MERGE_REQUEST_DIFF_BASE_SHA")), arena);
    out->branch = branch_of(str_of(value_of(env, "CI_MERGE_REQUEST_TARGET_BRANCH_NAME")), arena);
    if (head.size > 0) out->head = commit_of(head, arena);
    if (!*source || !*project) set_fork(out, "it is not told which project it comes from");
    else if (strcmp(source, project) != 0) set_fork(out, "it comes from another project");
}

/* ---- both ---- */

static enum pipeline_service service_of(const char *const *environment)
{
    if (strcmp(value_of(environment, "GITHUB_ACTIONS"), "true") == 0) return PIPELINE_GITHUB;
    if (strcmp(value_of(environment, "GITLAB_CI"), "true") == 0) return PIPELINE_GITLAB;
    return PIPELINE_OTHER;
}

const char *pipeline_event(const char *const *environment)
{
    const char *path = value_of(environment, "GITHUB_EVENT_PATH");

    return service_of(environment) == PIPELINE_GITHUB && *path ? path : NULL;
}

void pipeline_read(const struct pipeline_input *input, struct arena *arena, struct pipeline *out)
{
    *out = pipeline_none;
    out->service = service_of(input->environment);
    if (out->service == PIPELINE_GITHUB) read_github(input, arena, out);
    else if (out->service == PIPELINE_GITLAB) read_gitlab(input, arena, out);
}
