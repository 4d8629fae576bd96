/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor.c - hone doctor: what is there, what is missing, and the command that installs it.
 *
 * Slow questions (the version of a program, the sandbox) are asked side by side. Nothing is
 * written: the rights of a folder are read, no file is made in it.
 *
 * 1. Every line has a mark: ok, missing or problem. Only lines that a run needs decide the exit
 *    code, which says whether `hone run review` can work here.
 * 2. A program that does not answer in time is a problem of its own line; hone does not wait on.
 *
 * The programs of models are started:
 *
 *    at once:   PROGRAM --version    PROGRAM login --help    acp-look COMMAND
 *    then:      PROGRAM login status, where that help speaks of it
 *
 * 3. No model is asked anything. Where a program's own help does not name `login status`, it is not
 *    called: the program might take the words for a prompt.
 * 4. Programs are started in the home folder, so that settings of this repository do not count. An
 *    agent of ACP is started in the workspace, as by a run, and opens its session in the home
 *    folder.
 * 5. A command that came with the repository is not started before the user has agreed to it.
 * 6. Where a program hangs, dies or answers nonsense, its line says so; no other line waits for
 *    it. */
#include "agent/agent.h"
#include "analyze/analyzer.h"
#include "agent/backends.h"
#include "cmd/own.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/verbs.h"
#include "dialect/dialects.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/process/crew.h"
#include "io/process/host.h"
#include "io/process/program.h"
#include "io/process/sandbox.h"
#include "io/terminal/terminal.h"
#include "run/look.h"
#include "run/place.h"
#include "settings/choose.h"
#include "settings/config.h"
#include "settings/trust.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { DOCTOR_ITEMS_MAX = 64, DOCTOR_SAID_BYTES_MAX = 4096 };

enum mark { MARK_OK, MARK_MISSING, MARK_PROBLEM, MARK_COUNT };

struct item {
    const char *group, *name;
    enum mark mark;
    bool needed;         /* without it no run can work here */
    const char *text;    /* made harmless */
    const char *install; /* a command that helps; or NULL */
    const char *version; /* of a program that said one; or NULL */
    const char *login;   /* of a model: "yes", "no", "unknown"; else NULL */
};

struct doctor {
    struct call *call;
    struct arena *arena;
    struct item items[DOCTOR_ITEMS_MAX];
    uint32_t count;
};

enum {
    TEXT_BYTES_MAX = 500,
    TEXT_COLUMN = 24,
    VERSION_BYTES_MAX = 40,
    FREE_BYTES_MIN = 64 << 20, /* a run on less than that ends in a full disk */
    STATUS_LATE = 124, /* of timeout; it dies by SIGKILL where it had to use it */
};

static const struct {
    const char *word, *color;
} marks[MARK_COUNT] = {
    [MARK_OK] = { "ok", "\033[32m" },
    [MARK_MISSING] = { "missing", "\033[33m" },
    [MARK_PROBLEM] = { "problem", "\033[31m" },
};

/* The text is made harmless here. */
static struct item *doctor_add(struct doctor *doctor, const char *group, const char *name,
                               enum mark mark, const char *text)
{
    struct item *item = &doctor->items[doctor->count];

    if (doctor->count + 1 < DOCTOR_ITEMS_MAX) doctor->count++;
    *item = (struct item){
        .group = group, .name = name, .mark = mark,
        .text = safe_copy(doctor->arena, str_of(text), TEXT_BYTES_MAX),
    };
    return item;
}

/* ---- programs ---- */

/* A program that is asked for its version. */
struct asked {
    const char *name, *program, *install;
    const char *const *version;  /* the words that ask for it; NULL: --version */
    const char *own;             /* the project's own copy: named, and not started; NULL: none */
    const char *fits;            /* what it would look at here; NULL: not known, or nothing */
    bool needed;
    const char *path;            /* NULL: not on the PATH */
    const struct crew_job *job;  /* there is one where there is a path */
};

static bool is_in(const char *set, char byte)
{
    return byte != '\0' && strchr(set, byte);
}

/* The first word that is digits and points, such as 12.2.0; NULL: none. */
static const char *doctor_version(struct doctor *doctor, struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        size_t end = i, points = 0;
        if (i > 0 && !is_in(" \n\t:v", text.data[i - 1])) continue;
        while (end < text.size && is_in("0123456789.", text.data[end])) {
            points += text.data[end++] == '.';
        }
        if (points == 0 || (end < text.size && !is_in(" \n\t,", text.data[end]))) continue;
        if (text.data[i] == '.' || end - i > VERSION_BYTES_MAX) continue;
        return arena_cstr(doctor->arena, (struct str){ text.data + i, end - i });
    }
    return NULL;
}

/* A job that runs argv (NULL ends) under `timeout`, with bounded outputs. */
static struct crew_job doctor_job(struct doctor *doctor, const char *seconds,
                                  const char *const *argv)
{
    enum { BEFORE = 4 };
    const char **all;
    uint32_t count = 0;

    while (argv[count]) count++;
    all = arena_alloc(doctor->arena, (count + BEFORE + 1) * sizeof *all);
    all[0] = "timeout";
    all[1] = "-k1";
    all[2] = seconds;
    for (uint32_t i = 0; i < count; i++) all[3 + i] = argv[i];
    return (struct crew_job){ .argv = all, .out_bytes_max = DOCTOR_SAID_BYTES_MAX,
                              .err_bytes_max = DOCTOR_SAID_BYTES_MAX };
}

/* What is wrong with a program that was asked something, in a few words; NULL: it answered and
 * ended well. */
static const char *doctor_trouble(struct doctor *doctor, const struct crew_job *job)
{
    struct str said = str_trim(buf_str(job->err.size ? &job->err : &job->out)), line;

    if (!job->started) return strerror(job->error);
    if (job->status == 0) return NULL;
    if (job->status == STATUS_LATE || job->signal == SIGKILL) return "it does not answer";
    if (job->status < 0 || job->status > 128) {
        return arena_printf(doctor->arena, "it was killed by signal %d",
                            job->status < 0 ? job->signal : job->status - 128);
    }
    if (!str_cut(&said, '\n', &line)) return "it says nothing";
    return arena_cstr(doctor->arena, line);
}

/* The line of a program that is not there, which `missing` says, or that did not answer; NULL:
 * it answered, and *version is what it calls its own, or NULL. */
static struct item *add_broken(struct doctor *doctor, const char *group, const char *name,
                               const char *path, const struct crew_job *job, const char *missing,
                               const char **version)
{
    const char *trouble = path ? doctor_trouble(doctor, job) : NULL;

    *version = path && !trouble ? doctor_version(doctor, buf_str(&job->out)) : NULL;
    if (!path) return doctor_add(doctor, group, name, MARK_MISSING, missing);
    if (!trouble) return NULL;
    return doctor_add(doctor, group, name, MARK_PROBLEM,
                      arena_printf(doctor->arena, "%s does not work: %s", path, trouble));
}

static void add_asked(struct doctor *doctor, const struct asked *asked)
{
    const char *version;
    struct item *item;
    const char *missing = !asked->fits ? "not on the PATH"
                          : arena_printf(doctor->arena, "not on the PATH; it would look at the %s "
                                         "here", asked->fits);

    if (asked->own) {
        doctor_add(doctor, "programs", asked->name, MARK_OK,
                   arena_printf(doctor->arena, "%s: the project's own, which runs in the sandbox",
                                asked->own));
        return;
    }
    item = add_broken(doctor, "programs", asked->name, asked->path, asked->job, missing, &version);
    if (item) {
        item->install = asked->install;
    } else {
        item = doctor_add(doctor, "programs", asked->name, MARK_OK,
                          version ? version : asked->path);
        item->version = version;
    }
    item->needed = asked->needed;
}

/* The languages of files here that an analyzer looks at: "Python, shell"; NULL: none. */
static const char *fits_here(struct doctor *doctor, const struct analyzer *analyzer,
                             const struct project *project)
{
    const struct language *language;
    const char *names = NULL;

    if (!analyzer_fits(analyzer, project)) return NULL;
    for (uint32_t i = 0; (language = analyzers_language(i)); i++) {
        const struct source one = { .path = "", .language = language };

        if (!project_has(project, language) || !analyzer_takes(analyzer, &one)) continue;
        names = names ? arena_printf(doctor->arena, "%s, %s", names, language->name)
                      : language->name;
    }
    return names;
}

/* Whether an analyzer is worth a line: it is installed, or would be of use here, or is one of those
 * that every machine is asked for. A tool of style is of use where the repository has settings for
 * it. */
static bool is_shown(const struct analyzer *analyzer, const struct project *project,
                     const char *fits)
{
    if (!analyzer->program) return false;
    if (analyzer_on_path(analyzer) || analyzer->missed) return true;
    return fits && (!analyzer->only_configured || analyzer_is_configured(analyzer, project));
}

/* The project's own copy of a tool: code of the repository. NULL: it has none. */
static const char *own_copy(struct doctor *doctor, const struct analyzer *analyzer,
                            const struct project *project)
{
    const char *path;
    bool own = false;

    if (!analyzer->own || !project->workspace) return NULL;
    path = analyzer_program(analyzer, project->workspace, doctor->arena, &own);
    return own ? path + strlen(project->workspace) + 1 : NULL;
}

/* git, and analyzers; returns how many. */
static uint32_t find_programs(struct doctor *doctor, const struct project *project,
                              struct asked *all)
{
    const struct analyzer *analyzer;
    uint32_t count = 0;

    all[count++] = (struct asked){ .name = "git", .program = "git", .needed = true,
                                   .install = "sudo apt install git" };
    for (uint32_t i = 0; (analyzer = analyzer_at(i)) && count < DOCTOR_ITEMS_MAX / 2; i++) {
        const char *fits = fits_here(doctor, analyzer, project);
        const char *own = own_copy(doctor, analyzer, project);

        if (!own && !is_shown(analyzer, project, fits)) continue;
        all[count++] = (struct asked){ .name = analyzer->name,
                                       .program = analyzer_on_path(analyzer)
                                                      ? analyzer_on_path(analyzer)
                                                      : analyzer->program,
                                       .version = analyzer->version, .fits = fits, .own = own,
                                       .install = analyzer_install(analyzer, doctor->arena) };
    }
    return count;
}

static int add_programs(struct doctor *doctor, struct err *err)
{
    struct asked all[DOCTOR_ITEMS_MAX];
    struct crew_job jobs[DOCTOR_ITEMS_MAX];
    struct project project = { 0 };
    struct scope everything = { 0 };
    uint32_t count, job_count = 0;
    struct err none;
    int rc;

    (void)project_open(&project, doctor->call->cwd, &everything, dialect_review.private_paths,
                       &none);
    count = find_programs(doctor, &project, all);
    for (uint32_t i = 0; i < count; i++) {
        const char *word = all[i].version ? all[i].version[0] : "--version";
        const char *argv[] = { program_find(all[i].program, doctor->arena), word, NULL };

        all[i].path = argv[0];
        all[i].job = &jobs[job_count];
        if (all[i].path && !all[i].own) jobs[job_count++] = doctor_job(doctor, "5", argv);
    }
    rc = crew_run(jobs, job_count, job_count ? job_count : 1, NULL, NULL, err);
    for (uint32_t i = 0; rc == 0 && i < count; i++) add_asked(doctor, &all[i]);
    crew_release(jobs, job_count);
    project_release(&project);
    return rc;
}

static void add_sandbox(struct doctor *doctor)
{
    const char *problem = sandbox_problem();
    const char *install = sandbox_install();
    const char *lacks = sandbox_lacks();
    struct item *item;

    if (!problem && lacks) {
        doctor_add(doctor, "programs", "sandbox", MARK_OK,
                   arena_printf(doctor->arena, "%s works: reviewers cannot write to the tree, "
                                "fixers only there; but %s", sandbox_name, lacks));
        return;
    }
    if (!problem) {
        doctor_add(doctor, "programs", "sandbox", MARK_OK,
                   arena_printf(doctor->arena, "%s works: reviewers cannot write to the tree, "
                                "fixers only there; each attempt has users, processes, devices and "
                                "temporary folders of its own", sandbox_name));
        return;
    }
    item = doctor_add(doctor, "programs", "sandbox", install ? MARK_MISSING : MARK_PROBLEM,
               arena_printf(doctor->arena, "%s; a run works without: hone puts back what a "
                            "reviewer changes, and what any agent changes in hooks and files of CI",
                            problem));
    item->install = install;
}

/* ---- the programs of models ---- */

enum { MODELS_MAX = 8, SPEAKERS_MAX = 8, NAME_SHOWN_MAX = 60 };

#define ANSWER_SECONDS "20"
#define SPEAKER_SECONDS "30"

/* The program of a backend. */
struct model {
    const struct backend *backend;
    const char *path;                         /* NULL: not on the PATH */
    struct crew_job *version, *help, *status; /* what it is asked; NULL: not asked */
};

/* An agent of ACP. */
struct speaker {
    const char *command;
    bool agreed;
    struct crew_job *look; /* NULL: not started */
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
        model->version = &visit->jobs[visit->job_count++];
        *model->version = model_job(doctor, model->path, "--version", NULL);
        if (!ask) continue;
        model->help = &visit->jobs[visit->job_count++];
        *model->help = model_job(doctor, model->path, ask[0], "--help");
    }
    for (uint32_t i = 0; i < visit->speaker_count; i++) {
        struct speaker *speaker = &visit->speakers[i];
        const char *const argv[] = { program_self(), "agent", "acp-look", "--", speaker->command,
                                     NULL };

        if (!speaker->agreed) continue;
        speaker->look = &visit->jobs[visit->job_count++];
        *speaker->look = doctor_job(doctor, SPEAKER_SECONDS, argv);
        speaker->look->cwd = doctor->call->cwd;
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
        const char *const *ask = model->backend->login_ask;

        if (!model->help || doctor_trouble(doctor, model->help)) continue;
        if (!has_entry(buf_str(&model->help->out), ask[1])) continue;
        model->status = &visit->asked[visit->asked_count++];
        *model->status = model_job(doctor, model->path, ask[0], ask[1]);
    }
}

/* ---- what they said ---- */

/* The variable that stands for a login; NULL: none is set. */
static const char *login_variable(const struct backend *backend)
{
    const char *const *names = backend->login_env;

    for (; names && *names; names++) {
        const char *value = getenv(*names);
        if (value && *value) return *names;
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
static const char *login_of(struct doctor *doctor, const struct model *model, const char **text)
{
    const struct crew_job *job = model->status;
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

static void say_model(struct doctor *doctor, const struct model *model)
{
    const struct backend *backend = model->backend;
    const char *version, *text, *login;
    struct item *item = add_broken(doctor, "models", backend->name, model->path, model->version,
                                   "not on the PATH; no run needs it", &version);

    if (item) {
        item->install = backend->install;
        return;
    }
    login = login_of(doctor, model, &text);
    item = doctor_add(doctor, "models", backend->name,
                      strcmp(login, "no") == 0 ? MARK_PROBLEM : MARK_OK,
                      arena_printf(doctor->arena, "%s, %s", version ? version : model->path, text));
    item->version = version;
    item->login = login;
    if (item->mark == MARK_PROBLEM) item->install = backend->login;
}

static void say_speaker(struct doctor *doctor, const struct speaker *speaker)
{
    const struct crew_job *job = speaker->look;
    struct str said = job ? str_trim(buf_str(&job->out)) : (struct str){ "", 0 }, word = said;
    const char *trouble = job ? doctor_trouble(doctor, job) : NULL, *text;
    struct item *item;
    bool ready, login;

    (void)str_cut(&said, ' ', &word);
    ready = job && !trouble && str_is(word, "ready");
    login = job && str_is(word, "login");
    if (!job) {
        text = "it came with this repository and you have not agreed to it: not started";
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

/* The programs of models, and the agents of ACP that settings name for this folder. */
static int doctor_models(struct doctor *doctor, struct err *err)
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
        say_model(doctor, &visit->models[i]);
    }
    for (uint32_t i = 0; rc == 0 && i < visit->speaker_count; i++) {
        say_speaker(doctor, &visit->speakers[i]);
    }
    crew_release(visit->jobs, visit->job_count);
    crew_release(visit->asked, visit->asked_count);
    return rc;
}

/* A model of these that a run here would ask: where it is not logged in, nothing works. */
static void doctor_model_is_cast(struct doctor *doctor, const struct backend *backend)
{
    for (uint32_t i = 0; i < doctor->count; i++) {
        struct item *item = &doctor->items[i];

        if (strcmp(item->group, "models") != 0 || strcmp(item->name, backend->name) != 0) continue;
        if (item->mark == MARK_PROBLEM && (!item->login || backend->login_sure)) {
            item->needed = true;
        }
    }
}

/* ---- this repository ---- */

static const char *bytes_text(struct doctor *doctor, uint64_t bytes)
{
    uint64_t mega = bytes >> 20;

    if (mega >= 10 * 1024) return arena_printf(doctor->arena, "%" PRIu64 " GB", mega >> 10);
    return arena_printf(doctor->arena, "%" PRIu64 " MB", mega);
}

/* The folder that a run writes to, or the one it would be made in. */
static void add_folder(struct doctor *doctor, const struct repo *repo)
{
    const char *path = repo->hone_dir;
    struct folder_state state;
    struct err err;
    int rc = folder_look(path, &state, &err);

    if (rc == ERR_MISSING) {
        path = repo->is_git ? repo->common_dir : repo->workspace;
        rc = folder_look(path, &state, &err);
    }
    if (rc != 0) {
        doctor_add(doctor, "here", "folder", MARK_PROBLEM, err.text);
    } else if (!state.writable) {
        doctor_add(doctor, "here", "folder", MARK_PROBLEM,
            arena_printf(doctor->arena, "%s cannot be written to", path));
    } else {
        doctor_add(doctor, "here", "folder",
                   state.free_bytes < FREE_BYTES_MIN ? MARK_PROBLEM : MARK_OK,
                   arena_printf(doctor->arena, "%s, %s free", path,
                                bytes_text(doctor, state.free_bytes)));
    }
    doctor->items[doctor->count - 1].needed = true;
}

static bool count_run(void *context, const struct journal_run *run)
{
    uint32_t *count = context;

    (void)run;
    (*count)++;
    return true;
}

static void add_journal(struct doctor *doctor, const struct repo *repo)
{
    struct journal *journal = NULL;
    struct lock_owner owner;
    const char *lock, *text;
    uint32_t runs = 0;
    struct err err;
    int rc = journal_open_readonly(&journal, place_journal(repo, doctor->arena), &err);

    if (rc == 0) rc = journal_runs(journal, doctor->arena, count_run, &runs, &err);
    journal_close(journal);
    if (rc == ERR_MISSING) {
        doctor_add(doctor, "here", "journal", MARK_OK, "none yet: no run has been started here");
    } else if (rc != 0) {
        doctor_add(doctor, "here", "journal", MARK_PROBLEM, err.text);
    } else {
        text = arena_printf(doctor->arena, "%" PRIu32 " run%s", runs, runs == 1 ? "" : "s");
        if (place_lock_path(repo, repo->workspace, doctor->arena, &lock, &err) == 0 &&
            lock_is_held(lock, &owner)) {
            text = arena_printf(doctor->arena, "%s; %s is at work now", text, owner.note);
        }
        doctor_add(doctor, "here", "journal", MARK_OK, text);
    }
    doctor->items[doctor->count - 1].needed = true;
}

static void note_spec(struct doctor *doctor, const char *spec)
{
    struct agent agent;
    struct err none;

    if (agent_parse(spec, doctor->arena, &agent, &none) != 0) return;
    doctor_model_is_cast(doctor, agent.backend);
}

static void note_cast(struct doctor *doctor, const struct run_settings *settings,
                      const struct selection *selection)
{
    for (uint32_t i = 0; i < settings->agent_count; i++) {
        note_spec(doctor, settings->agents[i].spec);
    }
    for (uint32_t i = 0; i < selection->count; i++) note_spec(doctor, selection->agents[i].spec);
}

/* The agents that a run of this dialect would start here: by hone's settings files, by the
 * dialect's own, and by the same choice as a run's. *unknown: outside of a repository that cannot
 * be known. */
static int cast_here(struct doctor *doctor, const struct repo *repo, const struct hone_own *own,
                     const struct dialect *dialect, const char **text, bool *unknown,
                     struct err *err)
{
    struct run_settings settings = { 0 };
    struct selection selection;
    struct plan plan;
    struct choose_request request = { .dialect = dialect, .plan = &plan, .settings = &settings,
                                      .backends = backends };
    int rc;

    hone_prefill(&own->values, dialect, &settings, doctor->arena);
    config_load(dialect, repo->workspace, &settings.options, doctor->arena);
    rc = settings_plan(&settings, dialect, doctor->arena, &plan, err);
    if (rc == 0) rc = hone_cast(&own->values, dialect, &plan, &settings, doctor->arena, err);
    *unknown = rc == 0 && !repo->git_dir && choose_wants_project(&request);
    if (rc != 0 || *unknown) return rc;
    rc = choose_in(repo, &request, doctor->arena, &selection, err);
    if (rc != 0) return rc;
    if (dialect == &dialect_review) note_cast(doctor, &settings, &selection);
    *text = own_agents_text(&settings, &selection, doctor->arena);
    return 0;
}

/* Why a run does not begin, without the ways out, which `hone plan` says: they are of another verb,
 * and as long as the rest of the page. */
static const char *short_problem(struct doctor *doctor, const struct dialect *dialect,
                                 const struct err *err)
{
    const char *end = strstr(err->text, "; ");

    if (!end) return arena_cstr(doctor->arena, str_of(err->text));
    return arena_printf(doctor->arena, "%.*s; ways out: 'hone plan %s'",
                        (int)(end - err->text), err->text, dialect->name);
}

/* Dialects that leave a role to one program only: where it is not installed, they cannot work. */
static void add_strict(struct doctor *doctor, const struct repo *repo, const struct hone_own *own)
{
    for (uint32_t i = 0; dialects[i]; i++) {
        const char *text;
        struct err err;
        bool unknown;
        int rc;

        if (!dialects[i]->insisting) continue;
        rc = cast_here(doctor, repo, own, dialects[i], &text, &unknown, &err);
        if (unknown) continue;
        doctor_add(doctor, "here", dialects[i]->name, rc == 0 ? MARK_OK : MARK_MISSING,
                   rc == 0 ? text : short_problem(doctor, dialects[i], &err));
    }
}

/* The agents that would review here, and the settings files. */
static void add_agents(struct doctor *doctor, const struct repo *repo)
{
    const char *text = "";
    struct hone_own own;
    bool unknown = false;
    struct err err;
    int rc = hone_own_open(&own, doctor->call->cwd, false, &err);
    bool read = rc == 0;

    doctor_add(doctor, "here", "settings", rc == 0 ? MARK_OK : MARK_PROBLEM,
        rc == 0 ? own_files_text(&own, doctor->arena) : err.text)->needed = true;
    if (read) rc = cast_here(doctor, repo, &own, &dialect_review, &text, &unknown, &err);
    if (unknown) {
        doctor_add(doctor, "here", "agents", MARK_MISSING, "analyzers that fit the files here, "
                   "chosen when a run begins; whether there are any is known in a repository");
    } else {
        doctor_add(doctor, "here", "agents", rc == 0 ? MARK_OK : MARK_PROBLEM,
                   rc == 0 ? text : err.text)->needed = true;
    }
    if (read) add_strict(doctor, repo, &own);
    hone_own_close(&own);
}

/* A folder without git: a run would make a private repository in it. */
static void add_plain(struct doctor *doctor)
{
    const char *cwd = doctor->call->cwd;
    struct repo plain = {
        .workspace = cwd, .hone_dir = arena_printf(doctor->arena, "%s/.hone", cwd),
    };

    doctor_add(doctor, "here", "repository", MARK_MISSING,
        arena_printf(doctor->arena, "%s is in no git repository; a run would keep its things in "
                     ".hone", cwd))->install = "git init";
    add_folder(doctor, &plain);
    add_agents(doctor, &plain);
}

static void add_here(struct doctor *doctor)
{
    struct repo repo;
    struct err err;
    int rc = repo_open(&repo, doctor->call->cwd, false, &err);

    if (rc == ERR_MISSING && program_exists("git")) {
        add_plain(doctor);
        return;
    }
    if (rc != 0) {
        doctor_add(doctor, "here", "repository", MARK_PROBLEM, err.text)->needed = true;
        return;
    }
    doctor_add(doctor, "here", "repository", MARK_OK, repo.workspace);
    add_folder(doctor, &repo);
    add_journal(doctor, &repo);
    add_agents(doctor, &repo);
    repo_release(&repo);
}

/* ---- the terminal ---- */

static void add_terminal(struct doctor *doctor)
{
    struct terminal terminal = { .fd = -1 };
    struct terminal_size size;
    const char *text;

    if (!terminal_can_move(TERMINAL_ERR_FD)) {
        doctor_add(doctor, "terminal", "view", MARK_OK, "none here: a run writes plain lines");
        return;
    }
    terminal_open(&terminal);
    size = terminal_size(&terminal);
    text = arena_printf(doctor->arena, "%" PRIu32 " by %" PRIu32 ", %s, %s: a run is drawn live",
                        size.columns, size.rows, doctor->call->color ? "colours" : "no colours",
                        terminal.utf8 ? "UTF-8" : "ASCII");
    terminal_close(&terminal);
    doctor_add(doctor, "terminal", "view", MARK_OK, text);
}

/* ---- the report ---- */

static uint32_t count_lacking(const struct doctor *doctor)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < doctor->count; i++) {
        count += doctor->items[i].needed && doctor->items[i].mark != MARK_OK;
    }
    return count;
}

static void show_json(const struct doctor *doctor)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list;

    yyjson_mut_obj_add_bool(doc, root, "ok", count_lacking(doctor) == 0);
    list = yyjson_mut_obj_add_arr(doc, root, "items");
    for (uint32_t i = 0; i < doctor->count; i++) {
        const struct item *item = &doctor->items[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
        json_add(doc, object, "group", item->group);
        json_add(doc, object, "name", item->name);
        json_add(doc, object, "state", marks[item->mark].word);
        yyjson_mut_obj_add_bool(doc, object, "needed", item->needed);
        json_add(doc, object, "text", item->text);
        if (item->install) json_add(doc, object, "install", item->install);
        else yyjson_mut_obj_add_null(doc, object, "install");
        if (item->version) json_add(doc, object, "version", item->version);
        if (item->login) json_add(doc, object, "login", item->login);
    }
    say_json(doc, true);
}

/* The command stands behind the text, or in a line of its own: never broken. */
static void add_what(struct buf *out, const struct item *item)
{
    size_t columns = TEXT_COLUMN + strlen(item->text), columns_max = text_columns(TERMINAL_OUT_FD);

    if (item->install && columns + 2 + strlen(item->install) <= columns_max) {
        buf_printf(out, "%s: %s\n", item->text, item->install);
        return;
    }
    add_wrapped(out, item->text, TEXT_COLUMN, TEXT_COLUMN, (uint32_t)columns_max);
    if (item->install) buf_printf(out, "%*s%s\n", (int)TEXT_COLUMN, "", item->install);
}

static void show_text(const struct doctor *doctor, bool color)
{
    uint32_t lacking = count_lacking(doctor);
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    for (uint32_t i = 0; i < doctor->count; i++) {
        const struct item *item = &doctor->items[i];
        if (i == 0 || strcmp(item->group, doctor->items[i - 1].group) != 0) {
            buf_printf(&out, "%s%s\n", i ? "\n" : "", item->group);
        }
        buf_printf(&out, "  %s%-7s%s  %-11s  ", color ? marks[item->mark].color : "",
                   marks[item->mark].word, color ? "\033[0m" : "", item->name);
        add_what(&out, item);
    }
    buf_printf(&out, "\n%s\n", lacking ? "'hone run review' cannot work here as it is"
                                       : "'hone run review' can work here");
    say_take(&out);
}

static int handle(struct call *call)
{
    struct doctor *doctor = arena_alloc(&call->arena, sizeof *doctor);
    struct err err;
    int rc;

    *doctor = (struct doctor){ .call = call, .arena = &call->arena };
    sandbox_ask();
    rc = add_programs(doctor, &err);
    if (rc != 0) return say_err(&err);
    add_sandbox(doctor);
    rc = doctor_models(doctor, &err);
    if (rc != 0) return say_err(&err);
    add_here(doctor);
    add_terminal(doctor);
    if (call->json) show_json(doctor);
    else show_text(doctor, call->out_color);
    return count_lacking(doctor) ? CODE_FINDINGS : CODE_DONE;
}

const struct verb verb_doctor = {
    .name = "doctor",
    .summary = "what is there, what is missing, and how to get it",
    .text = {
        "Looks for the programs a run uses, at the sandbox, at this repository and at who would "
        "review in it. Each line begins with ok, missing or problem; what is missing comes with "
        "the command that installs it, and a model that is not logged in with the one that logs "
        "in. Programs of models are started for that, and nothing is asked of a model. Nothing is "
        "changed.",
    },
    .codes = {
        { CODE_DONE, "'hone run review' can work here" },
        { CODE_FINDINGS, "something that it needs is missing or broken" },
    },
    .examples = { "hone doctor", "hone doctor --json" },
    .handle = handle,
};
