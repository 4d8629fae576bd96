/* SPDX-License-Identifier: Apache-2.0
 *
 * project.c - the workspaces that the editor has open: the newest run of each, followed, and what
 * it has found.
 *
 *   due --> has something changed? --no--> due again
 *             |yes
 *             '--> the newest run, replayed; what is open or noted, and not waived --> pages
 *
 * 1. What may have changed is seen by the journal's files and the file of waivers: their sizes and
 *    times. Nothing is replayed, and no program is started, while these stay as they are.
 * 2. A file may be written twice in one tick of its clock. So a look that found a change is
 *    followed by one more when that tick is over. While a run is at work every look asks the
 *    journal.
 * 3. A look that took long is followed by a longer pause: at most a tenth of the time goes into it.
 * 4. The journal is open only while it is read: the run at work never waits for an editor.
 * 5. At most LSP_FINDINGS_MAX are shown, the worst first. What is left out is counted, and said.
 *
 * Not here: where they stand in a text (page.c). */
#include "serve/lsp/parts.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/path.h"
#include "format/report/uri.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/process/host.h"
#include "io/process/program.h"
#include "run/listed.h"
#include "run/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    EVERY_MS = 700,        /* between two looks */
    ALIVE_EVERY_MS = 400,  /* likewise, while a run is at work */
    SURE_MS = 2500,        /* longer than a tick of any file system's clock */
    FOLDER_EVERY_MS = 5000, /* for a repository where there was none */
    PAUSE_FACTOR = 10,
    URI_BYTES_MAX = 64 * 1024,
    RULE_BYTES_MAX = 1024,
    SAID_BYTES_MAX = 512,
};

static char *copy_of(const char *text)
{
    return mem_copy(text, strlen(text));
}

/* ---- which there are ---- */

static struct project *project_named(struct lsp *lsp, const char *workspace)
{
    for (uint32_t i = 0; i < lsp->project_count; i++) {
        if (strcmp(lsp->projects[i]->look.repo.workspace, workspace) == 0) return lsp->projects[i];
    }
    return NULL;
}

struct project *project_around(struct lsp *lsp, const char *folder)
{
    struct repo repo = { 0 };
    struct project *project;
    struct err none;

    if (!repo_find(&repo, folder) && repo_open(&repo, folder, REPO_FIND, &none) != 0) {
        repo_release(&repo);
        return NULL;
    }
    project = project_named(lsp, repo.workspace);
    if (project || lsp->project_count == LSP_PROJECTS_MAX) {
        repo_release(&repo);
        return project;
    }
    project = mem_alloc(sizeof *project);
    project->look.repo = repo;
    lsp->projects = mem_grow(lsp->projects, lsp->project_count, &lsp->project_cap,
                             sizeof(void *));
    lsp->projects[lsp->project_count++] = project;
    return project;
}

void project_hurry(struct project *project)
{
    project->stamp = 0;
    project->due_ms = 0;
}

static bool uri_path_of(struct str uri, struct buf *out)
{
    char host[HOST_NAME_BYTES];

    buf_init(out, URI_BYTES_MAX);
    if (!uri_file(uri, host_name(host), out)) return false;
    while (out->size > 1 && out->data[out->size - 1] == '/') out->data[--out->size] = '\0';
    return true;
}

static struct folder *folder_find(struct lsp *lsp, const char *path)
{
    for (uint32_t i = 0; i < lsp->folder_count; i++) {
        if (strcmp(lsp->folders[i].path, path) == 0) return &lsp->folders[i];
    }
    return NULL;
}

void folder_add(struct lsp *lsp, struct str uri)
{
    struct arena arena = { 0 };
    const char *real = NULL;
    struct buf path;

    if (uri_path_of(uri, &path)) real = file_real(buf_cstr(&path), &arena);
    if (!real) {
        lsp_log(lsp, LSP_WARNING, "a workspace folder is no folder of this machine, and is left "
                "out");
    } else if (!folder_find(lsp, buf_cstr(&path)) && lsp->folder_count < LSP_FOLDERS_MAX) {
        lsp->folders = mem_grow(lsp->folders, lsp->folder_count, &lsp->folder_cap,
                                sizeof *lsp->folders);
        lsp->folders[lsp->folder_count++] = (struct folder){
            .path = copy_of(buf_cstr(&path)), .real = copy_of(real),
            .project = project_around(lsp, real),
        };
    }
    buf_release(&path);
    arena_release(&arena);
}

void folder_remove(struct lsp *lsp, struct str uri)
{
    struct buf path;

    if (uri_path_of(uri, &path)) {
        struct folder *folder = folder_find(lsp, buf_cstr(&path));

        if (folder) {
            free(folder->path);
            free(folder->real);
            *folder = lsp->folders[--lsp->folder_count];
        }
    }
    buf_release(&path);
}

/* A repository may be made while the editor is open. Only its folder is looked for here: git is
 * asked where there is one. */
static void folders_step(struct lsp *lsp)
{
    for (uint32_t i = 0; i < lsp->folder_count; i++) {
        struct folder *folder = &lsp->folders[i];
        struct arena arena = { 0 };

        if (folder->project || folder->due_ms > lsp->now_ms) continue;
        folder->due_ms = lsp->now_ms + FOLDER_EVERY_MS;
        if (file_exists(path_joined(folder->real, STR(".git"), &arena)) ||
            file_exists(path_joined(folder->real, STR(".hone/git"), &arena))) {
            folder->project = project_around(lsp, folder->real);
        }
        arena_release(&arena);
    }
}

/* ---- what was found ---- */

/* Compilers suggest no more than to read about the rule. */
static bool is_address(struct str text)
{
    if (!str_starts(text, STR("https://")) && !str_starts(text, STR("http://"))) return false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] <= ' ' || text.data[i] > '~') return false;
    }
    return true;
}

static struct str words_of(const struct finding *finding, struct arena *arena)
{
    struct str said = str_trim(finding->text), more = str_trim(finding->suggestion);
    struct buf out;

    buf_init(&out, 2 * LSP_WORDS_BYTES_MAX + 16);
    safe_text(&out, said.size > 0 ? said : finding->kind, false, LSP_WORDS_BYTES_MAX);
    if (more.size > 0 && !str_eq(more, said) && !is_address(more)) {
        buf_byte(&out, '\n');
        safe_text(&out, more, false, LSP_WORDS_BYTES_MAX);
    }
    return arena_take(arena, &out);
}

static struct str rule_of(const struct listing *listing, const struct ledger_entry *entry,
                          struct arena *arena)
{
    struct buf rule, out;

    buf_init(&rule, LISTING_RULE_BYTES_MAX);
    buf_init(&out, RULE_BYTES_MAX);
    listing_rule(listing, entry, &rule);
    safe_text(&out, buf_str(&rule), true, 0);
    buf_release(&rule);
    return arena_take(arena, &out);
}

static struct shown shown_of(const struct listing *listing, const struct ledger_entry *entry,
                             struct arena *arena)
{
    const struct finding *finding = &entry->finding;
    char id[LISTING_ID_BYTES];
    struct shown shown = {
        .id = arena_cstr(arena, str_of(listing_id(entry, true, id))),
        .severity = finding->severity,
        .noted = !finding_is_open(entry->state),
        .file = arena_copy(arena, finding->file),
        .line = finding->line, .column = finding->column,
        .end_line = finding->end_line, .end_column = finding->end_column,
        .round = entry->iteration_last << 16 ^ entry->round_last,
        .rule = rule_of(listing, entry, arena),
        .text = words_of(finding, arena),
    };
    struct err none;

    if (is_address(str_trim(finding->suggestion))) {
        shown.href = arena_copy(arena, str_trim(finding->suggestion));
    }
    if (finding->fix.size > 0 && fixes_read(finding->fix, arena, &shown.fixes, &none) != 0) {
        shown.fixes.count = 0;
    }
    return shown;
}

static int by_file(const void *a, const void *b)
{
    const struct shown *one = a, *other = b;
    int order = str_compare(one->file, other->file);

    if (order != 0) return order;
    if (one->line != other->line) return one->line < other->line ? -1 : 1;
    if (one->column != other->column) return one->column < other->column ? -1 : 1;
    return strcmp(one->id, other->id);
}

/* The new ones; pages still point to the old ones, which stay in the arena that is returned. */
static struct arena take_listing(struct project *project, const struct listing *listing)
{
    struct arena before = project->arena;

    project->arena = (struct arena){ 0 };
    project->items = arena_alloc(&project->arena, (listing->count + (size_t)1) *
                                                      sizeof *project->items);
    project->count = project->cut = project->unplaced = 0;
    for (uint32_t i = 0; i < listing->count; i++) {
        const struct ledger_entry *entry = listing->items[i];

        if (!path_is_clean(entry->finding.file)) {
            project->unplaced++;
        } else if (project->count == LSP_FINDINGS_MAX) {
            project->cut++;
        } else {
            project->items[project->count++] = shown_of(listing, entry, &project->arena);
        }
    }
    qsort(project->items, project->count, sizeof *project->items, by_file);
    return before;
}

/* ---- words about it ---- */

static void log_left_out(struct lsp *lsp, const struct project *project)
{
    struct buf out;

    if (project->cut == 0 && project->unplaced == 0) return;
    buf_init(&out, SAID_BYTES_MAX);
    buf_printf(&out, "run %s: 'hone findings' has what is not shown here:", project->look.run.id);
    if (project->unplaced > 0) {
        buf_printf(&out, " %" PRIu32 " about no file", project->unplaced);
    }
    if (project->cut > 0) {
        buf_printf(&out, "%s %" PRIu32 " of the least grave", project->unplaced > 0 ? "," : "",
                   project->cut);
    }
    lsp_log(lsp, LSP_INFORMATION, buf_cstr(&out));
    buf_release(&out);
}

static void log_failed(struct lsp *lsp, struct project *project, const struct err *err)
{
    if (!project->failed) lsp_log(lsp, LSP_WARNING, err->text);
    project->failed = true;
}

static void send_progress(struct lsp *lsp, const struct project *project, const char *kind,
                          const char *title, const char *message)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *params = yyjson_mut_obj(doc), *value;

    json_add(doc, params, "token", project->token);
    value = yyjson_mut_obj_add_obj(doc, params, "value");
    json_add(doc, value, "kind", kind);
    if (title) {
        json_add(doc, value, "title", title);
        yyjson_mut_obj_add_bool(doc, value, "cancellable", false);
    }
    if (message) json_add(doc, value, "message", message);
    lsp_notify(lsp, "$/progress", doc, params);
    yyjson_mut_doc_free(doc);
}

static void on_created(struct lsp *lsp, void *context, yyjson_val *result)
{
    struct project *project = context;
    struct buf title;

    if (project->progress != PROGRESS_ASKED) return;
    project->progress = result ? PROGRESS_SHOWN : PROGRESS_NONE;
    if (!result) return;
    buf_init(&title, SAID_BYTES_MAX);
    buf_printf(&title, "hone: run %s", project->run);
    send_progress(lsp, project, "begin", buf_cstr(&title), project->said);
    buf_release(&title);
}

static void end_progress(struct lsp *lsp, struct project *project, const char *words)
{
    if (project->progress == PROGRESS_SHOWN) send_progress(lsp, project, "end", NULL, words);
    project->progress = PROGRESS_NONE;
    lsp_forget_asked(lsp, project);
}

static void begin_progress(struct lsp *lsp, struct project *project)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *params = yyjson_mut_obj(doc);
    struct buf token;

    buf_init(&token, SAID_BYTES_MAX);
    buf_printf(&token, "hone-run-%s-%" PRIu64, project->run, lsp->asked_last);
    free(project->token);
    project->token = copy_of(buf_cstr(&token));
    buf_release(&token);
    json_add(doc, params, "token", project->token);
    if (lsp_ask(lsp, "window/workDoneProgress/create", doc, params, on_created, project)) {
        project->progress = PROGRESS_ASKED;
    }
    yyjson_mut_doc_free(doc);
}

static void tell_progress(struct lsp *lsp, struct project *project, const struct engine *engine)
{
    uint32_t open = 0;
    struct buf said;
    bool same;

    if (!lsp->client.shows_progress) return;
    for (uint32_t i = 0; i < project->count; i++) open += !project->items[i].noted;
    buf_init(&said, SAID_BYTES_MAX);
    buf_printf(&said, "round %" PRIu32 ", %" PRIu32 " open", engine->round_count, open);
    same = project->said && strcmp(project->said, buf_cstr(&said)) == 0;
    free(project->said);
    project->said = copy_of(buf_cstr(&said));
    buf_release(&said);
    if (project->progress == PROGRESS_NONE) begin_progress(lsp, project);
    else if (project->progress == PROGRESS_SHOWN && !same) {
        send_progress(lsp, project, "report", NULL, project->said);
    }
}

/* ---- looking ---- */

static uint64_t stamp_of(const struct project *project)
{
    const struct repo *repo = &project->look.repo;
    struct arena arena = { 0 };
    const char *journal = place_journal(repo, &arena);
    const char *const paths[] = {
        journal, arena_printf(&arena, "%s-wal", journal),
        arena_printf(&arena, "%s/" WAIVERS_PATH, repo->workspace), NULL,
    };
    uint64_t stamp = HASH_START;

    for (uint32_t i = 0; paths[i]; i++) {
        uint64_t one = program_stamp(paths[i]);
        stamp = hash_text(stamp, (struct str){ (const char *)&one, sizeof one });
    }
    arena_release(&arena);
    return stamp == 0 ? 1 : stamp;
}

static int read_run(struct lsp *lsp, struct project *project, struct listed *listed,
                    struct err *err)
{
    struct finding_filter filter;
    struct err why;
    int rc = listed_read(&project->look, lsp->setup.version, listed, err);

    if (rc == 0) {
        rc = finding_filter_read(&(struct finding_filter_words){
            .state = "open,noted", .prefix = "",
        }, &filter, err);
    }
    if (rc != 0) return rc;
    if (listed_waive(listed, &project->look, &why) != 0) log_failed(lsp, project, &why);
    listed_choose(listed, &filter, LISTING_BY_STATE);
    return 0;
}

static void take_run(struct lsp *lsp, struct project *project, struct listed *listed)
{
    bool same = project->run && strcmp(project->run, project->look.run.id) == 0;
    struct arena before = take_listing(project, &listed->listing);

    if (!same) end_progress(lsp, project, NULL);
    free(project->run);
    project->run = copy_of(project->look.run.id);
    project->events = project->look.run.event_count;
    project->alive = project->look.alive;
    pages_place(lsp, project);
    arena_release(&before);
    if (!project->alive) {
        end_progress(lsp, project, standing_word(&project->look.run, false));
        log_left_out(lsp, project);
    } else {
        tell_progress(lsp, project, &listed->replay->engine);
    }
}

static void forget_run(struct lsp *lsp, struct project *project)
{
    struct listing none = { .count = 0 };
    struct arena before = take_listing(project, &none);

    end_progress(lsp, project, NULL);
    free(project->run);
    project->run = NULL;
    project->alive = false;
    pages_place(lsp, project);
    arena_release(&before);
}

static bool is_news(const struct project *project, bool stamped)
{
    const struct look *look = &project->look;

    return stamped || !project->run || strcmp(project->run, look->run.id) != 0 ||
           project->events != look->run.event_count || project->alive != look->alive;
}

static void look_at(struct lsp *lsp, struct project *project, bool stamped)
{
    struct listed listed = { 0 };
    struct err err;
    int rc = look_newest(&project->look, &err);

    if (rc == 0 && is_news(project, stamped)) {
        rc = read_run(lsp, project, &listed, &err);
        if (rc == 0) take_run(lsp, project, &listed);
        listed_release(&listed);
    } else if (rc == ERR_MISSING && project->run) {
        forget_run(lsp, project);
    }
    if (rc == 0) project->failed = false;
    else if (rc != ERR_MISSING) log_failed(lsp, project, &err);
    journal_close(project->look.journal);
    project->look.journal = NULL;
}

static void project_step(struct lsp *lsp, struct project *project)
{
    uint64_t begun_ms = now_steady_ms(), stamp = stamp_of(project), took_ms;
    bool changed = stamp != project->stamp;
    bool unsure = project->sure_ms > 0 && project->sure_ms <= lsp->now_ms;

    if (changed || unsure || project->alive) {
        project->stamp = stamp;
        if (changed) project->sure_ms = lsp->now_ms + SURE_MS;
        else if (unsure) project->sure_ms = 0;
        look_at(lsp, project, changed);
    }
    took_ms = (now_steady_ms() - begun_ms) * PAUSE_FACTOR;
    project->due_ms = lsp->now_ms + (project->alive ? ALIVE_EVERY_MS : EVERY_MS) + took_ms;
}

static bool is_in_use(const struct lsp *lsp, const struct project *project)
{
    for (uint32_t i = 0; i < lsp->folder_count; i++) {
        if (lsp->folders[i].project == project) return true;
    }
    for (uint32_t i = 0; i < lsp->page_count; i++) {
        if (lsp->pages[i]->open && lsp->pages[i]->project == project) return true;
    }
    return false;
}

void projects_step(struct lsp *lsp)
{
    folders_step(lsp);
    for (uint32_t i = 0; i < lsp->project_count; i++) {
        struct project *project = lsp->projects[i];

        if (project->due_ms > lsp->now_ms) continue;
        if (is_in_use(lsp, project)) project_step(lsp, project);
        else project->due_ms = lsp->now_ms + EVERY_MS;
    }
}

int64_t projects_due_in(const struct lsp *lsp, uint64_t now_ms)
{
    uint64_t due_ms = UINT64_MAX;

    for (uint32_t i = 0; i < lsp->project_count; i++) {
        if (lsp->projects[i]->due_ms < due_ms) due_ms = lsp->projects[i]->due_ms;
    }
    for (uint32_t i = 0; i < lsp->folder_count; i++) {
        if (!lsp->folders[i].project && lsp->folders[i].due_ms < due_ms) {
            due_ms = lsp->folders[i].due_ms;
        }
    }
    if (due_ms == UINT64_MAX) return -1;
    return due_ms > now_ms ? (int64_t)(due_ms - now_ms) : 0;
}

void projects_free(struct lsp *lsp)
{
    for (uint32_t i = 0; i < lsp->project_count; i++) {
        struct project *project = lsp->projects[i];

        look_close(&project->look);
        arena_release(&project->arena);
        free(project->run);
        free(project->token);
        free(project->said);
        free(project);
    }
    for (uint32_t i = 0; i < lsp->folder_count; i++) {
        free(lsp->folders[i].path);
        free(lsp->folders[i].real);
    }
    free(lsp->projects);
    free(lsp->folders);
}
