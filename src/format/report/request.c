/* SPDX-License-Identifier: Apache-2.0
 *
 * request.c - from what is said around us to one pull request.
 *
 *   service      --service   the pipeline (format/pipeline.c)   the remote
 *   host         --repo      the pipeline                       the remote
 *   repository   --repo      the pipeline                       the remote
 *   number       --pr        the pipeline
 *
 * Of a remote repository's address only host and path are taken: a name or a password in it never
 * leaves this file. Host and path are parts of requests, so both have only bytes that mean nothing
 * there. */
#include "format/report/request.h"

#include "base/byte.h"
#include "format/text/words.h"

#include <string.h>

const char *const service_titles[COMMENT_SERVICE_COUNT] = {
    [COMMENT_GITHUB] = "GitHub", [COMMENT_GITLAB] = "GitLab",
};
const char *const service_words[COMMENT_SERVICE_COUNT] = {
    [COMMENT_GITHUB] = "github", [COMMENT_GITLAB] = "gitlab",
};
const char *const service_programs[COMMENT_SERVICE_COUNT] = {
    [COMMENT_GITHUB] = "gh", [COMMENT_GITLAB] = "glab",
};

enum { NAME_BYTES_MAX = 300 };

/* ---- names ---- */

static bool host_fits(struct str host)
{
    for (size_t i = 0; i < host.size; i++) {
        if (!byte_is_alnum(host.data[i]) && !str_has(STR(".-:"), host.data[i])) return false;
    }
    return host.size > 0 && host.size <= NAME_BYTES_MAX && host.data[0] != '-';
}

/* "owner/name", or more parts of GitLab's: letters, digits, ".", "_", "-"; none begins with "-",
 * which a program takes for an option, or is "..". */
static bool project_fits(struct str project)
{
    struct str rest = project, part;
    uint32_t parts = 0;

    if (project.size > NAME_BYTES_MAX || str_ends(project, STR("/"))) return false;
    while (str_cut(&rest, '/', &part)) {
        if (part.size == 0 || part.data[0] == '-' || part.data[0] == '.') return false;
        for (size_t i = 0; i < part.size; i++) {
            if (!byte_is_alnum(part.data[i]) && !str_has(STR("._-"), part.data[i])) return false;
        }
        parts++;
    }
    return parts >= 2;
}

static bool request_put(struct request *request, struct str host, struct str project,
                        struct arena *arena)
{
    project = text_bare(project, "/", "/");
    if (str_ends(project, STR(".git"))) project.size -= 4;
    if (!host_fits(host) || !project_fits(project)) return false;
    request->host = arena_cstr(arena, host);
    request->project = arena_cstr(arena, project);
    return true;
}

/* https://user:word@host/path, ssh://git@host:22/path (whose port is not that of its pages),
 * git@host:path */
static bool address_cut(struct str address, struct str *host, struct str *path)
{
    bool has_scheme = false, ssh = str_starts(address, STR("ssh://"));

    for (size_t i = 0; i + 2 < address.size && !has_scheme; i++) {
        if (!str_starts(str_skip(address, i), STR("://"))) continue;
        address = str_skip(address, i + 3);
        has_scheme = true;
    }
    for (size_t i = 0; i < address.size; i++) {
        char byte = address.data[i];

        if (byte != '/' && (byte != ':' || has_scheme)) continue;
        *host = (struct str){ address.data, i };
        *path = str_skip(address, i + 1);
        for (size_t k = host->size; k > 0; k--) {
            if (host->data[k - 1] != '@') continue;
            *host = str_skip(*host, k);
            break;
        }
        if (ssh) (void)str_cut(&(struct str){ host->data, host->size }, ':', host);
        return host->size > 0;
    }
    return false;
}

/* ---- the service ---- */

static bool service_of_host(struct str host, enum comment_service *out)
{
    bool github = text_has(host, "github"), gitlab = text_has(host, "gitlab");

    *out = gitlab ? COMMENT_GITLAB : COMMENT_GITHUB;
    return github != gitlab;
}

/* Whether a pipeline of that service is around us. */
static bool is_in(const struct request_input *input, enum comment_service service)
{
    static const enum pipeline_service services[COMMENT_SERVICE_COUNT] = {
        [COMMENT_GITHUB] = PIPELINE_GITHUB, [COMMENT_GITLAB] = PIPELINE_GITLAB,
    };

    return input->pipeline && input->pipeline->service == services[service];
}

static int service_read(const struct request_input *input, struct request *out, bool *known,
                        struct err *err)
{
    *known = true;
    if (input->service) {
        uint32_t at = word_index(str_of(input->service), service_words, COMMENT_SERVICE_COUNT);

        if (at == COMMENT_SERVICE_COUNT) {
            return err_set(err, ERR_USAGE, "--service %.60s: the services are github and gitlab",
                           input->service);
        }
        out->service = (enum comment_service)at;
    } else if (is_in(input, COMMENT_GITHUB)) {
        out->service = COMMENT_GITHUB;
    } else if (is_in(input, COMMENT_GITLAB)) {
        out->service = COMMENT_GITLAB;
    } else {
        *known = false;
    }
    return 0;
}

static const char *default_host(enum comment_service service)
{
    return service == COMMENT_GITHUB ? "github.com" : "gitlab.com";
}

/* ---- the repository ---- */

/* --repo [HOST/]OWNER/NAME: of GitHub two parts are no host. */
static int option_read(const char *text, struct request *out, bool *known, struct arena *arena,
                       struct err *err)
{
    struct str rest = str_of(text), host;
    bool has_host = str_cut(&rest, '/', &host) && str_has(host, '.') && str_has(rest, '/');

    if (has_host && !*known) *known = service_of_host(host, &out->service);
    if (!has_host) {
        host = str_of(default_host(out->service));
        rest = str_of(text);
    }
    if (request_put(out, host, rest, arena)) return 0;
    return err_set(err, ERR_USAGE, "--repo %.100s: it is OWNER/NAME, or HOST/OWNER/NAME", text);
}

/* What the pipeline says; false: nothing. */
static bool pipeline_says(const struct request_input *input, enum comment_service service,
                          struct str *host, struct str *project)
{
    struct str rest;

    if (!is_in(input, service) || !*input->pipeline->project) return false;
    rest = str_of(*input->pipeline->host ? input->pipeline->host : default_host(service));
    *project = str_of(input->pipeline->project);
    return str_cut(&rest, '/', host);
}

static int repository_read(const struct request_input *input, bool known, struct arena *arena,
                           struct request *out, struct err *err)
{
    struct str host, project;

    if (input->repository) {
        int rc = option_read(input->repository, out, &known, arena, err);

        out->known = rc == 0 && known;
        return rc;
    }
    if (known && pipeline_says(input, out->service, &host, &project)) {
        out->known = request_put(out, host, project, arena);
        if (out->known) return 0;
        return err_set(err, ERR_USAGE, "the pipeline's environment names no repository that can "
                       "be: '%.60s' at '%.60s'; give --repo OWNER/NAME",
                       arena_cstr(arena, project), arena_cstr(arena, host));
    }
    if (!input->remote || !address_cut(str_of(input->remote), &host, &project)) return 0;
    if (!known) known = service_of_host(host, &out->service);
    out->known = known && request_put(out, host, project, arena);
    return 0;
}

/* ---- the number ---- */

static int number_read(const struct request_input *input, struct request *out, struct err *err)
{
    if (!input->number) {
        if (is_in(input, out->service)) out->number = input->pipeline->number;
        return 0;
    }
    if (str_number(str_of(input->number), &out->number) && out->number > 0) return 0;
    return err_set(err, ERR_USAGE, "--pr %.60s: it is the number of a pull request",
                   input->number);
}

int request_read(const struct request_input *input, struct arena *arena, struct request *out,
                 struct err *err)
{
    bool known;
    int rc;

    *out = (struct request){ .host = "", .project = "" };
    rc = service_read(input, out, &known, err);
    if (rc == 0) rc = repository_read(input, known, arena, out, err);
    if (rc == 0) rc = number_read(input, out, err);
    return rc;
}

int request_check(const struct request *request, struct err *err)
{
    if (!request->known) {
        return err_set(err, ERR_USAGE, "it is not known where the pull request is: give --service "
                       "github or gitlab, and --repo OWNER/NAME");
    }
    if (request->number == 0) {
        return err_set(err, ERR_USAGE, "it is not known which pull request of %s is meant: give "
                       "--pr NUMBER", request->project);
    }
    return 0;
}
