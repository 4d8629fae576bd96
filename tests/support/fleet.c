/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet.c - a driver in small, for stories: the lines that it says, and what it makes of those that
 * it hears (docs/reference/carrier.md).
 *
 *   fleet job K WORKSPACE DIALECT ROLE PURPOSE SPEC FOLDER [NAME=VALUE...]
 *       packs the work tree into FOLDER, and prints the blobs of a job and then the job. Names:
 *       prompt, setup, contract (a path; what is there names WORKSPACE), findings (a file), nonce,
 *       base (no: all goes in the bundle), epoch, commits, time_ms, and spoil: sha, cut, tree,
 *       path, version
 *   fleet base WORKSPACE FOLDER
 *       prints the base of a work tree
 *   fleet hear FOLDER [worker]
 *       reads lines of a worker that is its own carrier, or, as a carrier, those of a worker; keeps
 *       blobs as FOLDER/ID, results as FOLDER/result-K, and prints a word for each other line: its
 *       kind, its key, and what stands in it
 *   fleet show FILE MEMBER
 *       of a result: by, value, problem, guard, changed, tree, head, bundle, workspace, answer, and
 *       the ids of its files by their names */
#include "base/path.h"
#include "format/fleet/fleet_job.h"
#include "format/fleet/fleet_line.h"
#include "io/file/file.h"
#include "io/file/piece.h"
#include "io/travel/travel.h"
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct err err;

static int die(void)
{
    fprintf(stderr, "fleet: %s\n", err.text);
    exit(1);
}

static void print_line(const struct fleet_line *line)
{
    struct buf out;

    buf_init(&out, FLEET_LINE_BYTES_MAX + 1);
    if (fleet_line_write(line, &out) != 0) exit(1);
    fwrite(out.data, 1, out.size, stdout);
    fflush(stdout);
    buf_release(&out);
}

static const char *option(char **argv, const char *name)
{
    for (; *argv; argv++) {
        size_t bytes = strlen(name);

        if (strncmp(*argv, name, bytes) == 0 && (*argv)[bytes] == '=') return *argv + bytes + 1;
    }
    return NULL;
}

/* ---- blobs ---- */

static void print_blob(const char *path, const char *id, const char *spoil)
{
    struct fleet_line line = { .kind = FLEET_BLOB, .id = str_of(id) };
    uint64_t unused_ms;

    if (!file_unused(path, &line.bytes, &unused_ms)) exit(1);
    do {
        struct buf piece;

        buf_init(&piece, FLEET_PIECE_BYTES_MAX);
        if (file_piece_read(path, line.at, FLEET_PIECE_BYTES_MAX / 8, &piece, &err) != 0) die();
        if (spoil && strcmp(spoil, "sha") == 0 && piece.size) piece.data[piece.size - 1] ^= 1;
        if (spoil && strcmp(spoil, "cut") == 0) line.bytes += 10;
        line.data = buf_str(&piece);
        print_line(&line);
        line.at += piece.size;
        buf_release(&piece);
        if (spoil && strcmp(spoil, "cut") == 0) return;
    } while (line.at < line.bytes);
}

static struct str blob_of(const char *path, struct arena *arena, const char *spoil)
{
    unsigned char sum[SHA256_BYTES];
    char id[FLEET_BLOB_ID_BYTES];
    uint64_t bytes;

    if (file_sum(path, sum, &bytes, &err) != 0) die();
    fleet_blob_id(sum, id);
    print_blob(path, id, spoil);
    return arena_copy(arena, str_of(id));
}

static struct str text_blob(const char *folder, const char *name, const char *text,
                            struct arena *arena)
{
    if (file_write(folder, name, str_of(text), &err) != 0) die();
    return blob_of(arena_printf(arena, "%s/%s", folder, name), arena, NULL);
}

/* ---- a job ---- */

static void job_tree(struct fleet_job *job, const char *workspace, const char *folder,
                     char **options, struct arena *arena)
{
    static struct repo repo;
    static struct travel_packed packed;
    const char *spoil = option(options, "spoil");
    struct travel_pack order = { .repo = &repo,
                                 .file = { folder, "tree.bundle", UINT64_C(1) << 30 } };
    const char *known[2] = { NULL, NULL };

    if (repo_open(&repo, workspace, REPO_FIND, &err) != 0) die();
    if (!option(options, "base")) {
        known[0] = repo_commit(&repo, "HEAD", arena, &err);
        order.known = known;
    }
    if (travel_pack(&order, &packed, &err) != 0) die();
    job->workspace = arena_copy(arena, str_of(repo.workspace));
    job->tree = (struct fleet_tree){
        .repo = str_of(travel_repository(&repo, arena, &err)), .base = str_of(known[0]),
        .head = str_of(packed.ids.head), .branch = str_of(packed.ids.branch),
        .snapshot = str_of(packed.ids.snapshot), .tree = str_of(packed.ids.tree),
        .carry = str_of(packed.ids.carry),
        .bundle = blob_of(arena_printf(arena, "%s/tree.bundle", folder), arena, spoil),
    };
    if (spoil && strcmp(spoil, "tree") == 0) job->tree.tree = job->tree.head;
}

static void action_of(struct fleet_job *job, const char *role, const char *purpose)
{
    static struct run run;
    struct journal_run row = { .id = job->row.id.data, .dialect = job->row.dialect.data,
                               .task = job->row.task.data, .workspace = "/",
                               .settings = job->row.settings.data };

    if (run_load(&run, &row, &err) != 0) die();
    for (uint16_t i = 1; i < run.plan.role_count; i++) {
        if (strcmp(run.plan.roles[i].name, role) == 0) job->action.role = i;
    }
    for (uint32_t i = 0; i < FOR_COUNT; i++) {
        if (strcmp(purpose_word((enum purpose)i), purpose) == 0) {
            job->action.purpose = (enum purpose)i;
        }
    }
    job->action.kind = ACT_START;
    job->action.round = 1;
    job->reads = !run.plan.roles[job->action.role].writes;
    job->about.role = str_of(role);
}

static void row_of(struct fleet_job *job, const char *dialect, const char *spec,
                    struct arena *arena)
{
    static struct agent_setting agent = { .role = "*" };
    struct run_settings settings;
    struct buf text;

    if (settings_read(STR("{}"), arena, &settings, &err) != 0) die();
    agent.spec = spec;
    settings.agents = &agent;
    settings.agent_count = 1;
    buf_init(&text, FLEET_LINE_BYTES_MAX);
    settings_write(&settings, &text);
    job->row = (struct fleet_row){ .id = STR("run7"), .dialect = str_of(dialect),
                                   .task = STR("mend it"),
                                   .settings = arena_take(arena, &text) };
}

static void job_files(struct fleet_job *job, const char *folder, char **options,
                      struct arena *arena)
{
    const char *prompt = option(options, "prompt"), *findings = option(options, "findings");
    const char *contract = option(options, "contract"), *agreed;
    const char *spoil = option(options, "spoil");

    job->files = arena_alloc(arena, 4 * sizeof *job->files);
    job->files[job->file_count++] = (struct fleet_file){
        STR("prompt"), text_blob(folder, "prompt", prompt ? prompt : "look at it\n", arena) };
    if (findings) {
        job->files[job->file_count++] = (struct fleet_file){ STR("findings"),
                                                             blob_of(findings, arena, NULL) };
    }
    if (!contract) return;
    agreed = arena_printf(arena, "as agreed in %s\n", job->workspace.data);
    job->contract = arena_alloc(arena, sizeof *job->contract);
    job->contract_count = 1;
    job->contract[0] = (struct fleet_file){ str_of(spoil && strcmp(spoil, "path") == 0
                                                       ? "../outside" : contract),
                                            text_blob(folder, "contract", agreed, arena) };
}

static int job_main(char **argv, char **options)
{
    struct arena arena = { 0 };
    const char *nonce = option(options, "nonce"), *setup = option(options, "setup");
    const char *spoil = option(options, "spoil"), *time_ms = option(options, "time_ms");
    struct fleet_job job = { .v = FLEET_V, .version = STR("0.0.test"), .nonce = str_of(
                                 nonce ? nonce : "00112233445566778899aabbccddeeff") };
    struct fleet_line line = { .kind = FLEET_JOB, .k = str_of(argv[0]), .pool = STR("default") };
    struct fleet_key key;
    struct buf text;

    if (!fleet_key_read(line.k, &key)) exit(2);
    job.run = arena_copy(&arena, key.run);
    job.setup = str_of(setup ? setup : "");
    job.commits = option(options, "commits") != NULL;
    if (time_ms) job.limits.time_ms = strtoull(time_ms, NULL, 10);
    row_of(&job, argv[2], argv[5], &arena);
    action_of(&job, argv[3], argv[4]);
    job.action.job = key.job;
    job.action.attempt = key.attempt;
    job.about.lane = STR("main");
    job.about.task = job.row.task;
    job_tree(&job, argv[1], argv[6], options, &arena);
    job.answer = arena_copy(&arena, str_of(arena_printf(&arena, "%s/.git/hone/runs/run7/1-1/answer",
                                                        job.workspace.data)));
    job_files(&job, argv[6], options, &arena);
    if (spoil && strcmp(spoil, "version") == 0) job.v = 99;
    buf_init(&text, FLEET_LINE_BYTES_MAX);
    fleet_job_write(&job, &text);
    line.job = buf_str(&text);
    print_line(&line);
    return 0;
}

static int base_main(const char *workspace, const char *folder)
{
    struct arena arena = { 0 };
    struct repo repo = { 0 };
    struct travel_packed packed;
    struct travel_pack order = { .repo = &repo };
    struct travel_file file = { folder, "base.bundle", UINT64_C(1) << 30 };
    uint64_t bytes;

    if (repo_open(&repo, workspace, REPO_FIND, &err) != 0) die();
    if (travel_pack(&order, &packed, &err) != 0) die();
    if (travel_base(&repo, &packed.ids, &file, &bytes, &err) != 0) die();
    print_blob(arena_printf(&arena, "%s/base.bundle", folder),
               arena_printf(&arena, "base-%s", packed.ids.head), NULL);
    return 0;
}

/* ---- what it hears ---- */

static void hear(const char *folder, const struct fleet_line *line, struct arena *arena)
{
    if (line->kind == FLEET_BLOB) {
        const char *name = arena_cstr(arena, line->id);

        if (file_piece_write(folder, name, line->at, line->data, &err) != 0) die();
        if (line->at + line->data.size == line->bytes) printf("blob %.*s\n", STR_ARG(line->id));
    } else if (line->kind == FLEET_ENDED) {
        if (file_write(folder, arena_printf(arena, "result-%.*s", STR_ARG(line->k)), line->result,
                       &err) != 0) die();
        printf("ended %.*s\n", STR_ARG(line->k));
    } else if (line->kind == FLEET_SAID) {
        printf("said %.*s %llu %.*s\n", STR_ARG(line->k), (unsigned long long)line->at,
               STR_ARG(str_trim(line->data)));
    } else if (line->kind == FLEET_KNOWN) {
        static const char *const states[FLEET_STATE_COUNT] = {
            [FLEET_NOWHERE] = "nowhere", [FLEET_IS_QUEUED] = "queued", [FLEET_IS_TAKEN] = "taken",
            [FLEET_HAS_ENDED] = "ended",
        };

        printf("known %.*s %s\n", STR_ARG(line->k), states[line->state]);
    } else if (line->kind == FLEET_WORKERS) {
        printf("workers %u %u\n", line->workers[0].slots, line->workers[0].busy);
    } else if (line->kind == FLEET_FREE) {
        printf("free %u\n", line->n);
    } else if (line->kind == FLEET_BEAT && line->beat_count > 0) {
        printf("beat %.*s\n", STR_ARG(line->beats[0]));
    } else if (line->kind != FLEET_BEAT) {
        printf("%s %.*s %.*s%.*s%.*s%.*s\n", fleet_kind_word(line->kind), STR_ARG(line->k),
               STR_ARG(line->why), STR_ARG(line->id), STR_ARG(line->worker),
               STR_ARG(line->carrier));
    }
    fflush(stdout);
}

static int hear_main(const char *folder, enum fleet_side from)
{
    char *text = NULL;
    size_t cap = 0;
    ssize_t got;

    while ((got = getline(&text, &cap, stdin)) > 0) {
        struct arena arena = { 0 };
        struct fleet_line line;

        if (fleet_line_read((struct str){ text, (size_t)got - 1 }, from, &arena, &line,
                            &err) != 0) {
            printf("bad %s\n", err.text);
        } else if (line.kind == FLEET_UNKNOWN) {
            printf("unknown %s", text);
        } else {
            hear(folder, &line, &arena);
        }
        fflush(stdout);
        arena_release(&arena);
    }
    printf("over\n");
    free(text);
    return 0;
}

static int show_main(const char *path, const char *member)
{
    struct arena arena = { 0 };
    struct fleet_result result;
    struct str text;

    if (file_text(path, 1 << 20, &arena, &text, &err) != 0) die();
    if (fleet_result_read(text, &arena, &result, &err) != 0) die();
    const struct { const char *name; struct str value; } rows[] = {
        { "by", result.by }, { "problem", result.problem }, { "guard", result.guard },
        { "tree", result.tree.tree }, { "head", result.tree.head },
        { "snapshot", result.tree.snapshot }, { "bundle", result.tree.bundle },
        { "workspace", result.workspace }, { "answer_path", result.answer },
        { "nonce", result.nonce }, { "worker", result.worker },
        { "changed", result.tree.changed ? STR("yes") : STR("no") },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, member) == 0) printf("%.*s\n", STR_ARG(rows[i].value));
    }
    if (strcmp(member, "value") == 0) printf("%u\n", result.value);
    for (uint32_t i = 0; i < result.file_count; i++) {
        if (str_is(result.files[i].name, member)) printf("%.*s\n", STR_ARG(result.files[i].id));
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 9 && strcmp(argv[1], "job") == 0) return job_main(argv + 2, argv + 9);
    if (argc == 4 && strcmp(argv[1], "base") == 0) return base_main(argv[2], argv[3]);
    if (argc == 3 && strcmp(argv[1], "hear") == 0) return hear_main(argv[2], FLEET_TO_DRIVER);
    if (argc == 4 && strcmp(argv[1], "hear") == 0) return hear_main(argv[2], FLEET_WORKER);
    if (argc == 4 && strcmp(argv[1], "show") == 0) return show_main(argv[2], argv[3]);
    fprintf(stderr, "fleet: job, base, hear or show\n");
    return 2;
}
