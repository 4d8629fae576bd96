/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor_models.c - hone doctor: the programs of models, started.
 *
 *    at once:   PROGRAM --version    PROGRAM login --help    acp-look COMMAND
 *    then:      PROGRAM login status, where that help speaks of it
 *
 * 1. Nothing is asked of a model. A program that does not know the question by its own help is not
 *    asked it: it might take the words for a prompt.
 * 2. They are started in the home folder: what a repository says to its clients is not heard.
 *    An agent of ACP is started in the workspace, as a run would, and opens its session at home.
 * 3. A command that came with the repository is not started before somebody has agreed to it.
 * 4. Whoever hangs, dies or talks nonsense is one line, and holds nobody else up. */
#include "agent/backends.h"
#include "cmd/doctor.h"
#include "cmd/own.h"

#include "io/file/file.h"
#include "io/process/host.h"
#include "io/process/program.h"
#include "settings/trust.h"

#include <string.h>

enum { MODELS_MAX = 8, SPEAKERS_MAX = 8, NAME_SHOWN_MAX = 60 };

#define ANSWER_SECONDS "20"
#define SPEAKER_SECONDS "30"

/* The program of a backend. */
struct model {
    const struct backend *backend;
    const char *path;                /* NULL: not on the PATH */
    uint32_t version, help, status;  /* its jobs, counted from 1; 0: none */
};

/* An agent of ACP. */
struct speaker {
    const char *command;
    bool agreed;
    uint32_t look;
};

struct visit {
    struct model models[MODELS_MAX];
    struct speaker speakers[SPEAKERS_MAX];
    uint32_t model_count, speaker_count;
    struct crew_job jobs[2 * MODELS_MAX + SPEAKERS_MAX], asked[MODELS_MAX];
    uint32_t job_count, asked_count;
};

/* ---- who there is ---- */

static void find_models(struct doctor *doctor, struct visit *visit)
{
    for (uint32_t i = 0; backends[i] && visit->model_count < MODELS_MAX; i++) {
        if (!backends[i]->program || !backends[i]->stream) continue;
        visit->models[visit->model_count++] = (struct model){
            .backend = backends[i], .path = program_find(backends[i]->program, doctor->arena),
        };
    }
}

static bool has_speaker(const struct visit *visit, const char *command)
{
    for (uint32_t i = 0; i < visit->speaker_count; i++) {
        if (strcmp(visit->speakers[i].command, command) == 0) return true;
    }
    return false;
}

/* Those that settings files name for any role. */
static void find_speakers(struct doctor *doctor, struct visit *visit)
{
    struct hone_own own;
    struct trust trust;
    struct err none;
    int rc = hone_own_open(&own, doctor->call->cwd, false, &none);

    trust_open(&trust);
    for (uint32_t i = 0; rc == 0 && i < own.values.count; i++) {
        const struct hone_value *value = &own.values.items[i];
        struct agent agent;

        if (value->key->kind != HONE_AGENT || visit->speaker_count == SPEAKERS_MAX) continue;
        if (agent_parse(value->text, doctor->arena, &agent, &none) != 0) continue;
        if (agent.backend != &backend_acp || has_speaker(visit, agent.argument)) continue;
        visit->speakers[visit->speaker_count++] = (struct speaker){
            .command = agent.argument,
            .agreed = !hone_is_asked(value) || trust_has(&trust, own.workspace, value),
        };
    }
    trust_close(&trust);
    hone_own_close(&own);
}

/* ---- what they are asked ---- */

static struct crew_job model_job(struct doctor *doctor, const char *path, const char *first,
                                 const char *second)
{
    static const char *const env[] = { "DISABLE_AUTOUPDATER=1", "NO_UPDATE_NOTIFIER=1",
                                       "NO_COLOR=1", NULL };
    const char *const argv[] = { path, first, second, NULL };
    struct crew_job job = doctor_job(doctor, ANSWER_SECONDS, argv);
    const char *home = host_home();

    job.env = env;
    job.cwd = home && file_exists(home) ? home : "/";
    return job;
}

static void ask_all(struct doctor *doctor, struct visit *visit)
{
    for (uint32_t i = 0; i < visit->model_count; i++) {
        struct model *model = &visit->models[i];
        const char *const *ask = model->backend->login_ask;

        if (!model->path) continue;
        visit->jobs[visit->job_count] = model_job(doctor, model->path, "--version", NULL);
        model->version = ++visit->job_count;
        if (!ask) continue;
        visit->jobs[visit->job_count] = model_job(doctor, model->path, ask[0], "--help");
        model->help = ++visit->job_count;
    }
    for (uint32_t i = 0; i < visit->speaker_count; i++) {
        struct speaker *speaker = &visit->speakers[i];
        const char *const argv[] = { program_self(), "agent", "acp-look", "--", speaker->command,
                                     NULL };

        if (!speaker->agreed) continue;
        visit->jobs[visit->job_count] = doctor_job(doctor, SPEAKER_SECONDS, argv);
        visit->jobs[visit->job_count].cwd = doctor->call->cwd;
        speaker->look = ++visit->job_count;
    }
}

/* Whether a line of a help begins with this word: a list of what can be asked. */
static bool has_entry(struct str help, const char *word)
{
    struct str line, first;

    while (str_cut(&help, '\n', &line)) {
        line = str_trim(line);
        (void)str_cut(&line, ' ', &first);
        if (str_is(first, word)) return true;
    }
    return false;
}

static void ask_logins(struct doctor *doctor, struct visit *visit)
{
    for (uint32_t i = 0; i < visit->model_count; i++) {
        struct model *model = &visit->models[i];
        const struct crew_job *help = model->help ? &visit->jobs[model->help - 1] : NULL;
        const char *const *ask = model->backend->login_ask;

        if (!help || doctor_trouble(doctor, help)) continue;
        if (!has_entry(buf_str(&help->out), ask[1])) continue;
        visit->asked[visit->asked_count] = model_job(doctor, model->path, ask[0], ask[1]);
        model->status = ++visit->asked_count;
    }
}

/* ---- what they said ---- */

/* The variable that stands for a login; NULL: none is set. */
static const char *login_variable(const struct backend *backend)
{
    const char *const *names = backend->login_env;

    for (; names && *names; names++) {
        const char *const *entry = host_environment();
        size_t size = strlen(*names);

        for (; *entry; entry++) {
            if (strncmp(*entry, *names, size) == 0 && (*entry)[size] == '=' && (*entry)[size + 1]) {
                return *names;
            }
        }
    }
    return NULL;
}

static bool has_login_file(struct doctor *doctor, const struct backend *backend)
{
    const char *const *files = backend->login_files;
    const char *home = host_home();

    for (; home && files && *files; files++) {
        if (file_exists(arena_printf(doctor->arena, "%s/%s", home, *files))) return true;
    }
    return false;
}

/* "yes", "no" or "unknown"; *text says it. */
static const char *login_of(struct doctor *doctor, const struct visit *visit,
                            const struct model *model, const char **text)
{
    const struct crew_job *job = model->status ? &visit->asked[model->status - 1] : NULL;
    const char *variable = login_variable(model->backend);
    const char *trouble = job ? doctor_trouble(doctor, job) : NULL;

    if (variable) {
        *text = arena_printf(doctor->arena, "logged in by %s", variable);
        return "yes";
    }
    if (has_login_file(doctor, model->backend) || (job && !trouble)) {
        *text = "logged in";
        return "yes";
    }
    if (job && job->started && job->status == 1) {
        *text = "not logged in";
        return "no";
    }
    if (!job && !model->backend->login_ask) {
        *text = "no login was found";
        return "no";
    }
    *text = trouble ? arena_printf(doctor->arena, "asked for its login: %s", trouble)
                    : "it cannot say whether it is logged in";
    return "unknown";
}

static void say_model(struct doctor *doctor, const struct visit *visit, const struct model *model)
{
    const struct backend *backend = model->backend;
    const struct crew_job *job = model->version ? &visit->jobs[model->version - 1] : NULL;
    const char *trouble = job ? doctor_trouble(doctor, job) : NULL, *version, *text, *login;
    struct item *item;

    if (!job) {
        item = doctor_add(doctor, "models", backend->name, MARK_MISSING,
                          "not on the PATH; no run needs it");
        item->install = backend->install;
        return;
    }
    if (trouble) {
        item = doctor_add(doctor, "models", backend->name, MARK_PROBLEM,
                          arena_printf(doctor->arena, "%s does not work: %s", model->path,
                                       trouble));
        item->install = backend->install;
        return;
    }
    version = doctor_version(doctor, buf_str(&job->out));
    login = login_of(doctor, visit, model, &text);
    item = doctor_add(doctor, "models", backend->name,
                      strcmp(login, "no") == 0 ? MARK_PROBLEM : MARK_OK,
                      arena_printf(doctor->arena, "%s, %s", version ? version : model->path, text));
    item->version = version;
    item->login = login;
    if (item->mark == MARK_PROBLEM) item->install = backend->login;
}

static void say_speaker(struct doctor *doctor, const struct visit *visit,
                        const struct speaker *speaker)
{
    const struct crew_job *job = speaker->look ? &visit->jobs[speaker->look - 1] : NULL;
    struct str said = job ? str_trim(buf_str(&job->out)) : (struct str){ "", 0 }, word = said;
    const char *trouble = job ? doctor_trouble(doctor, job) : NULL, *text;
    struct item *item;
    bool ready, login;

    (void)str_cut(&said, ' ', &word);
    ready = job && !trouble && str_is(word, "ready");
    login = job && str_is(word, "login");
    if (!job) {
        text = "it came with this repository and nobody has agreed to it: not started";
    } else if (ready || login || str_is(word, "problem")) {
        text = said.size > 0 ? arena_cstr(doctor->arena, said) : "it speaks ACP";
    } else {
        text = trouble ? trouble : "it says nothing";
    }
    item = doctor_add(doctor, "models", "acp", ready || !job ? MARK_OK : MARK_PROBLEM,
                      arena_printf(doctor->arena, "%.*s: %s", NAME_SHOWN_MAX, speaker->command,
                                   text));
    item->login = ready ? "yes" : login ? "no" : "unknown";
}

int doctor_models(struct doctor *doctor, struct err *err)
{
    struct visit *visit = arena_alloc(doctor->arena, sizeof *visit);
    int rc;

    *visit = (struct visit){ 0 };
    find_models(doctor, visit);
    find_speakers(doctor, visit);
    ask_all(doctor, visit);
    rc = crew_run(visit->jobs, visit->job_count, visit->job_count, NULL, NULL, err);
    if (rc == 0) ask_logins(doctor, visit);
    if (rc == 0) rc = crew_run(visit->asked, visit->asked_count, MODELS_MAX, NULL, NULL, err);
    for (uint32_t i = 0; rc == 0 && i < visit->model_count; i++) {
        say_model(doctor, visit, &visit->models[i]);
    }
    for (uint32_t i = 0; rc == 0 && i < visit->speaker_count; i++) {
        say_speaker(doctor, visit, &visit->speakers[i]);
    }
    crew_release(visit->jobs, visit->job_count);
    crew_release(visit->asked, visit->asked_count);
    return rc;
}

void doctor_model_is_cast(struct doctor *doctor, const struct backend *backend)
{
    for (uint32_t i = 0; i < doctor->count; i++) {
        struct item *item = &doctor->items[i];

        if (strcmp(item->group, "models") != 0 || strcmp(item->name, backend->name) != 0) continue;
        if (item->mark == MARK_PROBLEM && (!item->login || backend->login_sure)) {
            item->needed = true;
        }
    }
}
