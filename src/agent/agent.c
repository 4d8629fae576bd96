/* SPDX-License-Identifier: Apache-2.0
 *
 * agent.c - the table of backends, a SPEC read, and what every attempt finds in its environment.
 *
 * 1. A SPEC is cut at its first colon; everything behind it is the argument, as it is.
 * 2. A struct agent that agent_parse() gave has a backend, and an argument exactly where the
 *    backend wants one.
 *
 * Not here: starting a process (drive/launch.c, through io/process/supervisor.c). */
#include "agent/backends.h"

#include "io/file/scratch.h"
#include "io/process/program.h"

#include <assert.h>
#include <string.h>

enum { WORD_SHOWN_MAX = 60, SLIP_MAX = 2, PATH_BYTES_MAX = 4096, BEGINNING_BYTES_MAX = 64 << 20 };

#define BACKEND_POINTER(name) &backend_##name,
const struct backend *const backends[] = { BACKEND_ROWS(BACKEND_POINTER) NULL };

const char *const agent_efforts[] = {
    "minimal", "low", "medium", "high", "xhigh", "max", "ultra", NULL,
};

static const struct backend *backend_find(struct str name)
{
    for (uint32_t i = 0; backends[i]; i++) {
        if (str_is(name, backends[i]->name)) return backends[i];
    }
    return NULL;
}

/* The backend that was probably meant; NULL when none is near. */
static const struct backend *backend_near(struct str name)
{
    const struct backend *best = NULL;
    uint32_t least = SLIP_MAX + 1;

    for (uint32_t i = 0; backends[i]; i++) {
        struct str candidate = str_of(backends[i]->name);
        uint32_t distance = str_distance(name, candidate);
        if (!backends[i]->hosted && distance < least && distance < candidate.size) {
            least = distance;
            best = backends[i];
        }
    }
    return best;
}

const char *backend_form(const struct backend *backend, struct arena *arena)
{
    if (!backend->argument) return backend->name;
    return arena_printf(arena, backend->argument_needed ? "%s:%s" : "%s[:%s]", backend->name,
                        backend->argument);
}

const char *backend_help(const struct backend *backend, struct arena *arena)
{
    return backend->help_of ? backend->help_of(arena) : backend->help;
}

static int backend_unknown(struct str name, struct arena *arena, struct err *err)
{
    const struct backend *near = backend_near(name);
    const char *between = "";
    struct buf list;
    int shown = name.size > WORD_SHOWN_MAX ? WORD_SHOWN_MAX : (int)name.size;
    int rc;

    if (near) {
        return err_set(err, ERR_USAGE, "unknown backend '%.*s'; did you mean '%s'?", shown,
                       name.data, near->name);
    }
    buf_init(&list, 512);
    for (uint32_t i = 0; backends[i]; i++) {
        if (backends[i]->hosted) continue; /* --agent cannot name it */
        buf_printf(&list, "%s%s", between, backend_form(backends[i], arena));
        between = ", ";
    }
    if (name.size == 0) {
        rc = err_set(err, ERR_USAGE, "no backend is named; there are: %s", buf_cstr(&list));
    } else {
        rc = err_set(err, ERR_USAGE, "unknown backend '%.*s'; there are: %s", shown, name.data,
                     buf_cstr(&list));
    }
    buf_release(&list);
    return rc;
}

int agent_parse(const char *spec, struct arena *arena, struct agent *out, struct err *err)
{
    struct str argument = str_of(spec);
    struct str name = { "", 0 };
    const struct backend *backend;

    (void)str_cut(&argument, ':', &name);
    backend = backend_find(name);
    if (!backend) return backend_unknown(name, arena, err);
    if (backend->argument_needed && argument.size == 0) {
        return err_set(err, ERR_USAGE, "backend '%s' needs an argument: %s:%s", backend->name,
                       backend->name, backend->argument);
    }
    if (!backend->argument && spec[name.size] == ':') {
        return err_set(err, ERR_USAGE, "backend '%s' takes no argument: write just '%s'",
                       backend->name, backend->name);
    }
    *out = (struct agent){
        .backend = backend,
        .argument = arena_cstr(arena, argument),
        .spec = arena_cstr(arena, str_of(spec)),
    };
    return 0;
}

bool agent_is_idle(const struct agent *agent)
{
    return agent->backend == &backend_analyzer && strcmp(agent->argument, "none") == 0;
}

int agent_set_effort(struct agent *agent, const char *effort, struct err *err)
{
    const char *const *known = agent->backend->efforts;
    struct buf list;
    int rc;

    if (!known) return 0;
    for (uint32_t i = 0; known[i]; i++) {
        if (strcmp(known[i], effort) == 0) {
            agent->effort = known[i];
            return 0;
        }
    }
    if (agent->backend->hosted) return 0;
    buf_init(&list, 512);
    for (uint32_t i = 0; known[i]; i++) buf_printf(&list, "%s%s", i ? ", " : "", known[i]);
    rc = err_set(err, ERR_USAGE, "%s knows no effort '%.60s'; there are: %s", agent->backend->name,
                 effort, buf_cstr(&list));
    buf_release(&list);
    return rc;
}

int agent_check_program(const struct agent *agent, struct err *err)
{
    const struct backend *backend = agent->backend;

    if (program_exists(backend->program)) return 0;
    return err_set(err, ERR_USAGE, "agent '%s': %s is not on the PATH%s%s", agent->spec,
                   backend->program, backend->install ? "; it comes with: " : "",
                   backend->install ? backend->install : "");
}

struct agent agent_absolute(const struct agent *agent, const char *folder, struct arena *arena)
{
    struct agent out = *agent;

    if (!agent->backend->argument_is_file) return out;
    if (agent->argument[0] == '/' || agent->argument[0] == '\0') return out;
    out.argument = arena_printf(arena, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder,
                                agent->argument);
    out.spec = arena_printf(arena, "%s:%s", agent->backend->name, out.argument);
    return out;
}

static void take_chunk(void *context, struct str chunk)
{
    stream_feed(context, chunk);
}

int agent_read(const struct agent *agent, const char *dir, int exit_status, struct arena *arena,
               struct reading *out, struct err *err)
{
    struct stream stream;
    int rc;

    assert(agent->backend->stream);
    *out = (struct reading){ .end = READING_OTHER };
    stream_init(&stream, agent->backend->stream);
    rc = scratch_each(dir, "stdout", take_chunk, &stream, err);
    if (rc == 0 || rc == ERR_MISSING) rc = stream_end(&stream, exit_status, arena, out, err);
    stream_release(&stream);
    return rc;
}

/* The stream until its model has answered. */
struct beginning {
    struct stream stream;
    size_t bytes;
};

static void take_beginning(void *context, struct str chunk)
{
    struct beginning *beginning = context;

    if (beginning->stream.reading.answered || beginning->bytes > BEGINNING_BYTES_MAX) return;
    beginning->bytes += chunk.size;
    stream_feed(&beginning->stream, chunk);
}

enum agent_progress agent_look(const struct agent *agent, const char *dir)
{
    struct beginning beginning = { .bytes = 0 };
    enum agent_progress progress = AGENT_ANSWERED;
    struct err none;
    int rc;

    assert(agent->backend->stream);
    stream_init(&beginning.stream, agent->backend->stream);
    rc = scratch_each(dir, "stdout", take_beginning, &beginning, &none);
    if ((rc == 0 || rc == ERR_MISSING) && !beginning.stream.reading.answered &&
        beginning.bytes <= BEGINNING_BYTES_MAX) {
        progress = beginning.stream.reading.events > 0 ? AGENT_BEGUN : AGENT_SILENT;
    }
    stream_release(&beginning.stream);
    return progress;
}

/* Whether a variable is set, to anything but nothing. */
static bool has_variable(const char *const *environment, const char *name)
{
    size_t size = strlen(name);

    for (; *environment; environment++) {
        if (strncmp(*environment, name, size) != 0 || (*environment)[size] != '=') continue;
        if ((*environment)[size + 1]) return true;
    }
    return false;
}

const char *agent_around(const char *const *environment)
{
    if (has_variable(environment, "HONE_ROLE") || has_variable(environment, "HONE_ATTEMPT")) {
        return "an attempt of hone";
    }
    for (uint32_t i = 0; backends[i]; i++) {
        const char *const *name = backends[i]->shell_env;

        for (; name && *name; name++) {
            if (has_variable(environment, *name)) return backends[i]->name;
        }
    }
    return NULL;
}

const char *const *agent_env(const struct attempt *attempt, const char *const *withheld,
                             struct arena *arena)
{
    const struct {
        const char *name, *text;
    } texts[] = {
        { "HONE_RUN", attempt->run },
        { "HONE_DIALECT", attempt->dialect },
        { "HONE_ROLE", attempt->role },
        { "HONE_LANE", attempt->lane },
        { "HONE_PHASE", attempt->phase },
        { "HONE_RECHECK", attempt->recheck ? "true" : "" },
        { "HONE_OUTPUT", attempt->output },
        { "HONE_EVIDENCE", attempt->evidence },
        { "HONE_WORKSPACE", attempt->workspace },
        { "HONE_TASK", attempt->task },
        { "HONE_TASK_ID", attempt->task_id },
        { "HONE_FINDINGS", attempt->findings },
        { "HONE_SINCE", attempt->since },
        { "HONE_PATHS", attempt->paths },
        { "HONE_EXCLUDE", attempt->exclude },
        { "HONE_ANALYZERS", attempt->analyzers },
        { "HONE_TEST", attempt->test },
        { "HONE_FIXES", attempt->fixes },
        { "HONE_GENERATED", attempt->generated },
        { "HONE_BASELINE", attempt->baseline },
        { "HONE_CACHE", attempt->cache },
        { "HONE_BUDGET", attempt->budget },
        { "HONE_FILE_MS", attempt->file_ms_max ? arena_printf(arena, "%llu",
              (unsigned long long)attempt->file_ms_max) : "" },
    };
    const struct {
        const char *name;
        uint32_t number;
    } numbers[] = {
        { "HONE_ITERATION", attempt->iteration },
        { "HONE_ROUND", attempt->round },
        { "HONE_ATTEMPT", attempt->attempt },
        { "HONE_COPY", attempt->copy },
        { "HONE_EYE", attempt->eye },
    };
    enum { TEXTS = sizeof texts / sizeof *texts, NUMBERS = sizeof numbers / sizeof *numbers };
    size_t names = 0;
    const char **env;
    uint32_t count = 0;

    while (withheld[names]) names++;
    env = arena_alloc(arena, (TEXTS + NUMBERS + names + 2) * sizeof *env);

    for (uint32_t i = 0; i < TEXTS; i++) {
        const char *text = texts[i].text ? texts[i].text : "";
        env[count++] = arena_printf(arena, "%s=%s", texts[i].name, text);
    }
    for (uint32_t i = 0; i < NUMBERS; i++) {
        env[count++] = arena_printf(arena, "%s=%u", numbers[i].name, numbers[i].number);
    }
    assert(count == TEXTS + NUMBERS);
    if (attempt->traceparent) {
        env[count++] = arena_printf(arena, "TRACEPARENT=%s", attempt->traceparent);
    }
    while (*withheld) env[count++] = *withheld++; /* a name alone takes it out */
    return env;
}
