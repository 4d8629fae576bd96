/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_doctor.c - hone fleet doctor: a fleet tried from end to end, one thing after the other.
 *
 *     the program --> the way there --> who is there --> pools --> a run in each pool
 *     (hone-link,     (the server by
 *     ssh)            hone-link, or a
 *                     login by ssh)
 *
 * 1. The first thing that fails is said with what to do, and ends it: what comes behind needs it.
 *    Pools alone are all looked at.
 * 2. What takes more than a moment is said before, with its bound.
 * 3. One verdict, in the last line.
 * 4. What other machines say is made harmless. */
#include "cmd/fleet_doctor.h"

#include "base/clock.h"
#include "cmd/fleet_say.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "drive/fleet/who.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/process/helper.h"
#include "io/process/host.h"
#include "io/process/program.h"
#include "settings/hone_files.h"
#include "settings/hone_use.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINK_MS_MAX = 60 * 1000, SSH_MS_MAX = 20 * 1000, MAKE_MS_MAX = 20 * 1000,
       TRY_MS_MAX = 60 * 1000, WORD_LETTERS = 12, LINE_BYTES_MAX = 400,
       SHORT_BYTES_MAX = 64 << 10, POOLS_MAX = 16, POOLS_TRIED_MAX = 4, ARGS_MAX = 16 };

/* A whole line of another program; fleet_harmless() is for names. */
static const char *line_harmless(struct str line, struct arena *arena)
{
    struct buf out;

    buf_init(&out, SHORT_BYTES_MAX);
    add_safe(&out, arena_cstr(arena, line), LINE_BYTES_MAX);
    return arena_take_cstr(arena, &out);
}

/* ---- the server, by hone-link ---- */

static bool is_verdict(struct str line)
{
    return str_is(line, "All is well.") || str_ends(line, STR(" of these are bad."));
}

/* What hone-link says of each thing, without its verdict: ours comes at the end. */
static void findings_say(struct str said)
{
    struct str line;

    while (str_cut(&said, '\n', &line)) {
        if (!is_verdict(line)) printf("%.*s\n", STR_ARG(line));
    }
    fflush(stdout);
}

/* CODE_DONE: nothing is wrong, and runs may be started with these keys. */
static int server_try(const char *link, const char *url)
{
    const char *argv[] = { link, "doctor", url, NULL };
    struct helper_call asked = { .argv = argv, .limit_ms = LINK_MS_MAX };
    struct buf said;
    struct err err;
    bool told, works;
    int rc;

    buf_init(&said, SHORT_BYTES_MAX);
    rc = helper_ask(&asked, &said, &err);
    told = said.size > 0;
    works = told && strstr(buf_cstr(&said), "keys are a worker's");
    findings_say(buf_str(&said));
    buf_release(&said);
    if (rc != 0 && !told) {
        struct str why = str_of(err.text), itself = str_of(link);

        if (str_starts(why, itself)) why = str_skip(why, itself.size + strlen(": "));
        return say_fail(CODE_FAILED, "%.*s", STR_ARG(why));
    }
    if (rc != 0) {
        return say_fail(CODE_FAILED, "the server is not ready for runs: mend what is 'bad' above, "
                        "and try again");
    }
    if (works) {
        return say_fail(CODE_FAILED, "these keys are a worker's; who starts runs needs a driver's: "
                        "'hone fleet init FOLDER --driver NAME' makes them");
    }
    return CODE_DONE;
}

/* ---- a login, by ssh ---- */

/* What came before the exit status, which is the last line. */
static void there_said(struct call *call, const char *host, struct str said)
{
    struct str line;

    while (str_cut(&said, '\n', &line)) {
        if (said.size == 0 || line.size == 0) continue;
        fprintf(stderr, "%s: %s\n", host, line_harmless(str_trim(line), &call->arena));
    }
}

static int there_fails(const char *host, uint64_t status)
{
    switch (status) {
    case 127:
        return say_fail(CODE_FAILED, "hone is not on the PATH of a command by ssh at %s: such a "
                        "command does not read ~/.profile. Install hone to /usr/local/bin there, "
                        "or set PATH in the first line of its ~/.bashrc; 'ssh %s hone --version' "
                        "tries it", host, host);
    case 255:
        return say_fail(CODE_FAILED, "ssh could not log in at %s: try 'ssh %s true', which must "
                        "ask for nothing (a host that ssh knows, and a key without a question)",
                        host, host);
    case 2:
        return say_fail(CODE_FAILED, "the hone at %s is too old: it knows no 'hone worker --lines'."
                        " Install hone " HONE_VERSION " there, too", host);
    default:
        return say_fail(CODE_FAILED, "'hone worker --lines' ended with %" PRIu64 " at %s: try "
                        "'ssh %s hone doctor'", status, host, host);
    }
}

/* The command of a run, which ends at once where it is told nothing. */
static int login_try(struct call *call, const char *const *command, const char *host)
{
    const char *argv[ARGS_MAX] = { "sh", "-c", "\"$@\" </dev/null 2>&1; echo \"$?\"", "sh" };
    struct helper_call asked = { .argv = argv, .limit_ms = SSH_MS_MAX };
    const char *shown = fleet_harmless(str_of(host), &call->arena);
    uint64_t status = 0;
    struct str text;
    struct buf said;
    struct err err;
    int rc;

    for (uint32_t i = 0; command[i] && i + 5 < ARGS_MAX; i++) argv[i + 4] = command[i];
    buf_init(&said, SHORT_BYTES_MAX);
    rc = helper_ask(&asked, &said, &err);
    text = str_trim(buf_str(&said));
    while (rc == 0 && str_has(text, '\n')) {
        struct str line;

        (void)str_cut(&text, '\n', &line);
    }
    if (rc == 0 && !str_number(text, &status)) rc = ERR_FORMAT;
    if (rc == 0 && status != 0) there_said(call, shown, buf_str(&said));
    buf_release(&said);
    if (rc != 0) {
        return say_fail(CODE_FAILED, "ssh has not logged in at %s within %d s: try 'ssh %s true'",
                        shown, SSH_MS_MAX / 1000, shown);
    }
    return status == 0 ? CODE_DONE : there_fails(shown, status);
}

/* ---- pools ---- */

struct pools {
    const char *names[POOLS_MAX];
    uint32_t count;
};

static void pools_add(struct pools *pools, struct str name, struct arena *arena)
{
    for (uint32_t i = 0; i < pools->count; i++) {
        if (str_is(name, pools->names[i])) return;
    }
    if (pools->count == POOLS_MAX || !fleet_name_is(name)) return;
    pools->names[pools->count++] = arena_cstr(arena, name);
}

static bool pools_has(const struct pools *pools, const char *name)
{
    for (uint32_t i = 0; i < pools->count; i++) {
        if (strcmp(name, pools->names[i]) == 0) return true;
    }
    return false;
}

static const char *pools_text(const struct pools *pools, struct arena *arena)
{
    const char *text = "";

    for (uint32_t i = 0; i < pools->count; i++) {
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "", pools->names[i]);
    }
    return text;
}

/* The pools that this user's runs ask for. */
static void pools_wanted(struct call *call, struct pools *out)
{
    const struct hone_value *value = NULL;
    struct hone_own own = { .workspace = NULL };
    struct str rest = { 0 }, pool, who;
    bool all = false;
    struct err none;

    if (hone_own_open(&own, call->cwd, true, &none) == 0) {
        value = hone_find(&own.values, "fleet.pools");
    }
    if (value && !hone_is_asked(value)) rest = str_of(value->text);
    while (str_cut(&rest, '\n', &pool)) {
        (void)str_cut(&pool, '=', &who);
        all = all || str_is(who, "*");
        if (!str_is(pool, "local")) pools_add(out, pool, &call->arena);
    }
    hone_own_close(&own);
    if (!all) pools_add(out, STR("default"), &call->arena);
}

static uint32_t pool_slots_free(const struct fleet_line *line, const char *pool)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < line->worker_count; i++) {
        const struct fleet_worker *worker = &line->workers[i];

        if (str_is(worker->pool, pool) && worker->slots > worker->busy) {
            left += worker->slots - worker->busy;
        }
    }
    return left;
}

/* Runs would wait there until a worker joins. */
static int pools_missing(struct call *call, const char *url, const struct pools *there)
{
    struct pools wanted = { .count = 0 };
    int code = CODE_DONE;

    pools_wanted(call, &wanted);
    for (uint32_t i = 0; i < wanted.count; i++) {
        if (pools_has(there, wanted.names[i])) continue;
        code = say_fail(CODE_FAILED, "no worker is in pool %s; there are workers in: %s. 'hone "
                        "worker %s --pool %s' on a machine that may play is one; fleet.pools says "
                        "which pools runs ask for", wanted.names[i],
                        pools_text(there, &call->arena), url, wanted.names[i]);
    }
    return code;
}

/* ---- a run ---- */

/* A small repository, with the settings of the run where git does not see them; its folder. NULL:
 * err says why not. */
static const char *try_repository(struct call *call, const char *pool, struct err *err)
{
    const char *parent = getenv("TMPDIR"), *settings;
    const char *argv[] = { "sh", "-c", "git init -q . && echo tried >tried.txt && "
                           "echo '{\"issues\":[],\"summary\":{\"critical\":0,\"warning\":0,"
                           "\"info\":0,\"verdict\":\"clean\"}}' >answer.json && git add . && "
                           "git -c user.name=hone -c user.email=hone@localhost commit -q -m tried "
                           "&& echo again >>tried.txt", NULL };
    struct helper_call made = { .argv = argv, .limit_ms = MAKE_MS_MAX };
    char word[WORD_LETTERS + 1];
    const char *folder;
    struct buf said;
    int rc;

    random_word(word, WORD_LETTERS);
    folder = arena_printf(&call->arena, "%s/hone-fleet-%s",
                          parent && parent[0] == '/' ? parent : "/tmp", word);
    rc = file_make_folder(folder, false, err);
    made.cwd = folder;
    buf_init(&said, SHORT_BYTES_MAX);
    if (rc == 0) rc = helper_ask(&made, &said, err);
    buf_release(&said);
    settings = arena_printf(&call->arena, "{\"fleet\":{\"pools\":[\"*=%s\"]}}\n", pool);
    if (rc == 0) rc = file_write(folder, ".git/doctor.json", str_of(settings), err);
    return rc == 0 ? folder : NULL;
}

/* Without how to go on with the run: it is gone. */
static struct str without_resume(struct str line)
{
    const char *resume = memmem(line.data, line.size, "hone resume", strlen("hone resume"));
    size_t size = resume ? (size_t)(resume - line.data) : 0;

    while (size > 0 && line.data[size - 1] != ';') size--;
    return size > 0 ? (struct str){ line.data, size - 1 } : line;
}

/* What the run said first of why it could not go on; else what it said last of an agent. */
static struct str run_cause(struct str said)
{
    static const char *const notes[] = { "git does not show", "ignored files", "agents play",
                                         "nothing is lost", NULL };
    struct str line, cause = { 0 };

    while (str_cut(&said, '\n', &line)) {
        bool noted = !str_starts(line, STR("hone: "));

        line = str_skip(line, noted ? 0 : strlen("hone: "));
        for (uint32_t i = 0; notes[i] && !noted; i++) noted = str_starts(line, str_of(notes[i]));
        if (!noted) return without_resume(line);
        if (memmem(line.data, line.size, " failed ", 8)) cause = line;
    }
    return cause;
}

/* Whole attempts: a script looks at a tree there, and its answer comes back. */
static int pool_try(struct call *call, const char *url, const char *pool)
{
    const char *argv[] = { "sh", "-c", "exec \"$@\" 2>&1 >/dev/null", "sh", program_self(), "run",
                           "review", "--no-fix", "--no-color", "--fleet", url, "--timeout", "45s",
                           "--budget", "time=2m", "--agent", "*=cmd:cat answer.json", NULL };
    const char *env[] = { NULL, NULL };
    struct helper_call run = { .argv = argv, .env = env, .limit_ms = TRY_MS_MAX };
    uint64_t began_ms = now_steady_ms();
    char span[CLOCK_SPAN_BYTES];
    struct err err, none;
    const char *cause;
    struct buf said;
    int rc;

    run.cwd = try_repository(call, pool, &err);
    if (!run.cwd) return say_err(&err);
    env[0] = arena_printf(&call->arena, "HONE_CONFIG=%s/.git/doctor.json", run.cwd);
    buf_init(&said, SAY_BYTES_MAX);
    rc = helper_ask(&run, &said, &err);
    cause = line_harmless(run_cause(buf_str(&said)), &call->arena);
    buf_release(&said);
    (void)folder_erase(run.cwd, &none);
    if (rc != 0) {
        return say_fail(CODE_FAILED, "attempts do not come back whole from pool %s: %s", pool,
                        rc == ERR_SYSTEM ? "nothing had come after a minute; 'hone fleet show' "
                                           "says what waits there, and why"
                        : cause[0] ? cause : err.text);
    }
    printf("ok   attempts play there and come back (pool %s: five of a script, %s)\n", pool,
           clock_span(now_steady_ms() - began_ms, span));
    return CODE_DONE;
}

static int pools_try(struct call *call, const char *url, const struct fleet_line *line)
{
    struct pools there = { .count = 0 };
    int code = CODE_DONE;

    for (uint32_t i = 0; i < line->worker_count; i++) {
        pools_add(&there, line->workers[i].pool, &call->arena);
    }
    if (!str_starts(str_of(url), STR("ssh:"))) code = pools_missing(call, url, &there);
    for (uint32_t i = 0; i < there.count && i < POOLS_TRIED_MAX; i++) {
        const char *pool = there.names[i];
        int tried;

        printf("     pool %s: five attempts of a script go there, for %d s at most%s\n", pool,
               TRY_MS_MAX / 1000, pool_slots_free(line, pool) > 0 ? ""
               : " (all slots are busy: they wait for one)");
        fflush(stdout);
        tried = pool_try(call, url, pool);
        if (tried != CODE_DONE) code = tried;
    }
    if (there.count > POOLS_TRIED_MAX) {
        printf("note %u more pools were not tried\n", there.count - POOLS_TRIED_MAX);
    }
    return code;
}

/* ---- all of it ---- */

int fleet_doctor(struct call *call, const char *url)
{
    const char *shown = fleet_harmless(str_of(url), &call->arena);
    struct fleet_line ready, line;
    const char *const *command;
    int code = CODE_DONE;
    struct err err;

    if (fleet_command(url, &call->arena, &command, &err) != 0) return say_err(&err);
    if (fleet_is_server(url)) code = server_try(command[0], url);
    else if (str_starts(str_of(url), STR("ssh:"))) code = login_try(call, command, url + 4);
    if (code != CODE_DONE) return code;
    if (fleet_who(url, HONE_VERSION, &call->arena, &ready, &line, &err) != 0) return say_err(&err);
    printf("ok   %s: %s\n", shown, fleet_harmless(ready.carrier, &call->arena));
    if (line.worker_count == 0) {
        return say_fail(CODE_FAILED, "no worker is there: 'hone worker %s' on a machine that may "
                        "play is one", url);
    }
    printf("ok   %" PRIu32 " worker%s\n", line.worker_count, line.worker_count == 1 ? "" : "s");
    fflush(stdout);
    code = pools_try(call, url, &line);
    if (code == CODE_DONE) printf("All is well.\n");
    return code;
}
