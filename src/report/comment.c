/* SPDX-License-Identifier: Apache-2.0
 *
 * comment.c - from a run to what stands on its pull request.
 *
 * The lines of a finding are those of the tree that the last review judged. A pull request shows
 * the lines of its newest commit. So an inline comment stands only where the file is the same in
 * both: git's name of the content that was judged, beside the one that the diff has. Which commit
 * was checked out does not count for that (a pipeline checks out a merge), but it is said where it
 * is another.
 *
 *     read --> plan --> perform, step by step --> read, and delete what is there twice
 *       ^                       |
 *       '---- wait <--- later --'
 *
 * 1. Nothing that makes something is asked for twice: after "later" what stands there is read
 *    again, and a step that was done, or refused, is not done again though the list lags behind.
 * 2. All waits together are bounded, and so is how often it is tried.
 * 3. A step that is refused does not keep the others from being performed. */
#include "report/comment.h"

#include "format/report/uri.h"
#include "io/file/peek.h"
#include "run/place.h"

#include <inttypes.h>
#include <string.h>

enum {
    DIFF_BYTES_MAX = 64 << 20, CONTENT_BYTES_MAX = 4 << 20, TRIES_MAX = 4, PASSES_MAX = 12,
    PLACED_MORE = 300, COMMIT_SHOWN = 12,
};

/* ---- the run ---- */

/* The tree of the newest review of the user's work tree: kept with the first job of it. */
static void judged_load(struct comment_run *run)
{
    const struct history *history = run->listed->history;
    const char *folder = place_run(&run->look->repo, run->look->run.id, &run->arena);
    const struct action *last = NULL;
    struct err none;

    for (uint32_t i = history->count; i > 0 && !run->judged; i--) {
        const struct action *start = &history->entries[i - 1].start;

        if (start->purpose != FOR_REVIEW || start->lane != 0) continue;
        if (!last) last = start;
        if (start->phase != last->phase || start->iteration != last->iteration ||
            start->round != last->round)
            break;
        run->judged = tree_load(&run->tree, arena_printf(&run->arena, "%s/tree-%" PRIu32, folder,
                                                         start->job), &none) == 0;
    }
}

/* Whether a finding that the run does not report is not there any more: the reviewers of its last
 * round looked at all of the change. */
static bool is_conclusive(const struct comment_run *run)
{
    const struct look *look = run->look;

    return !look_unfinished(look) && !run->listed->replay->settings.paths[0] &&
           coverage_unlooked(&run->listed->listing.coverage) == 0;
}

static void about_fill(struct comment_run *run)
{
    const struct look *look = run->look;
    enum standing standing = standing_of(&look->run, look->alive);

    run->about = (struct comment_about){
        .service = run->request->service,
        .key = run->options.key ? run->options.key : look->run.dialect,
        .dialect = look->run.dialect,
        .listing = &run->listed->listing,
        .conclusive = is_conclusive(run),
    };
    if (standing == STANDING_RUNNING) {
        run->about.end = "still running, this is what was found so far";
    } else if (standing == STANDING_CRASHED) {
        run->about.end = run_end(REASON_NONE)->line;
    } else {
        run->about.end = run_end_of(run->listed->replay)->line;
        run->about.clean = run->about.conclusive &&
                           run_exit_code(run->listed->replay) == CODE_DONE;
    }
}

int comment_run_open(struct comment_run *run, const struct look *look, struct listed *listed,
                     const struct request *request, const struct comment_options *options,
                     struct err *err)
{
    struct finding_filter all = { 0 };
    int rc;

    *run = (struct comment_run){ .look = look, .listed = listed, .request = request,
                                 .options = *options };
    rc = finding_filter_read(&(struct finding_filter_words){ .prefix = "--" }, &all, err);
    if (rc != 0) return rc;
    listed_choose(listed, &all, LISTING_BY_STATE);
    about_fill(run);
    if (!comment_key_fits(str_of(run->about.key))) {
        return err_set(err, ERR_USAGE, "--key %.60s: a key has letters, digits, '.', '_' and '-', "
                       "and at most %d of them", run->about.key, COMMENT_KEY_BYTES_MAX);
    }
    judged_load(run);
    run->count = comment_items_make(&listed->listing, &run->arena, &run->items);
    return 0;
}

void comment_run_close(struct comment_run *run)
{
    if (run->judged) tree_release(&run->tree);
    arena_release(&run->arena);
    *run = (struct comment_run){ 0 };
}

/* ---- what was judged, beside what the pull request shows ---- */

/* What git calls the content of a file of the tree that was judged: of one that differed from the
 * commit the tree says it, of the others git does. "": none, or not known. */
static const char *judged_blob(struct comment_run *run, struct str path)
{
    const struct tree_entry *entry = tree_find(&run->tree, path);
    const char *name, *blob;
    struct err none;

    if (entry) return entry->mode ? entry->oid : "";
    if (!run->tree.head[0]) return "";
    name = arena_printf(&run->arena, "%s:%.*s", run->tree.head, STR_ARG(path));
    blob = repo_ask(&run->look->repo, (const char *const[]){ "rev-parse", "--verify", "--quiet",
                    "--end-of-options", name, NULL }, &run->arena, &none);
    return blob ? blob : "";
}

/* A file of the diff, and whether it is the one that was judged. */
struct compared {
    const struct diff_file *file;
    bool same;
};

struct placing {
    struct comment_run *run;
    const struct diff_places *diff;
    bool compare;               /* whether the files are those that were judged */
    struct compared *compared;
    uint32_t compared_count, compared_cap;
    uint32_t others;            /* files that are not the same */
    struct peek peek;
    bool peeking;
};

static bool is_judged(struct placing *placing, const struct diff_file *file)
{
    struct str blob;
    bool same;

    for (uint32_t i = 0; i < placing->compared_count; i++) {
        if (placing->compared[i].file == file) return placing->compared[i].same;
    }
    blob = str_of(judged_blob(placing->run, file->path));
    same = file->blob.size >= 7 && str_starts(blob, file->blob);
    placing->compared = arena_grow(&placing->run->arena, placing->compared,
                                   placing->compared_count, &placing->compared_cap,
                                   sizeof *placing->compared);
    placing->compared[placing->compared_count++] = (struct compared){ file, same };
    placing->others += !same;
    return same;
}

/* The file as it is here, for its fix: the fix knows by a hash which it is for. */
static struct str content_of(struct placing *placing, const struct finding *finding)
{
    struct buf content;
    struct err none;

    if (finding->fix.size == 0 || !path_below(finding->file)) return (struct str){ NULL, 0 };
    if (!placing->peeking) {
        placing->peeking = peek_open(&placing->peek, placing->run->look->run.workspace,
                                     &none) == 0;
    }
    if (!placing->peeking) return (struct str){ NULL, 0 };
    buf_init(&content, CONTENT_BYTES_MAX);
    if (peek_read(&placing->peek, finding->file, &content, &none) != 0) {
        buf_release(&content);
        return (struct str){ NULL, 0 };
    }
    return arena_take(&placing->run->arena, &content);
}

static void item_place(struct placing *placing, struct comment_item *item)
{
    struct comment_run *run = placing->run;
    const struct finding *finding = &item->entry->finding;
    const struct diff_file *file = diff_places_file(placing->diff, finding->file);

    if (item->entry->lane != 0) {
        item->left = "it was found in another work tree";
    } else if (placing->compare && !run->judged) {
        item->left = "the tree that was judged is not kept any more";
    } else if (placing->compare && file && !is_judged(placing, file)) {
        item->left = "its file is another than the one that was judged";
    } else {
        comment_item_place(item, placing->diff, run->options.filter,
                           content_of(placing, finding), &run->arena);
    }
}

/* Of more than can be told no place is looked for. Returns how many files are not the same. */
static uint32_t items_place(struct comment_run *run, struct str text, bool compare)
{
    struct diff_places diff = diff_places_read(text, &run->arena);
    struct placing placing = { .run = run, .diff = &diff, .compare = compare };
    uint32_t placed = 0;

    for (uint32_t i = 0; i < run->count; i++) {
        struct comment_item *item = &run->items[i];

        item->left = "there are more than can be told inline";
        if (!finding_is_open(item->entry->state)) continue;
        if (placed >= run->options.inline_max + PLACED_MORE) continue;
        item_place(&placing, item);
        placed += item->left == NULL;
    }
    if (placing.peeking) peek_close(&placing.peek);
    return placing.others;
}

/* ---- the change, as it is here ---- */

/* NULL: git cannot tell it, as a commit is missing. */
static const char *local_diff(struct comment_run *run, const char *from, const char *to)
{
    const char *args[] = { "diff", "-p", "-U3", "-M", "--full-index", "--no-color",
                           "--no-ext-diff", "--no-textconv", "--src-prefix=a/",
                           "--dst-prefix=b/", "--ignore-submodules=all", "--end-of-options",
                           from, to, NULL };
    struct buf diff;
    struct err none;

    buf_init(&diff, DIFF_BYTES_MAX);
    if (repo_git(&run->look->repo, args, STR(""), &diff, &none) == 0)
        return arena_take_cstr(&run->arena, &diff);
    buf_release(&diff);
    return NULL;
}

static const char *files_address(struct comment_run *run, const char *commit)
{
    const struct request *request = run->request;

    if (!request->known || !commit || !*commit) return NULL;
    return arena_printf(&run->arena, "https://%s/%s%s/blob/%s/", request->host, request->project,
                        request->service == COMMENT_GITLAB ? "/-" : "", commit);
}

void comment_run_place_here(struct comment_run *run)
{
    const char *since = run->listed->replay->settings.since;
    const char *diff = local_diff(run, since[0] ? since : "HEAD", NULL);

    if (run->judged) run->about.files = files_address(run, run->tree.head);
    (void)items_place(run, str_of(diff ? diff : ""), false);
}

/* ---- the change, as the pull request shows it ---- */

/* The commit that was checked out is the newest of the pull request, or a merge of that. */
static bool is_commit_of(struct comment_run *run, const char *head)
{
    const char *commit = run->tree.head;
    struct str line, rest;
    bool merged = false;
    struct buf text;
    struct err none;

    if (strcmp(commit, head) == 0) return true;
    if (!commit[0]) return false;
    buf_init(&text, 1 << 20);
    if (repo_git(&run->look->repo, (const char *const[]){ "cat-file", "commit", commit, NULL },
                 STR(""), &text, &none) == 0) {
        rest = buf_str(&text);
        while (!merged && str_cut(&rest, '\n', &line) && line.size > 0) {
            merged = str_starts(line, STR("parent ")) && str_is(str_skip(line, 7), head);
        }
    }
    buf_release(&text);
    return merged;
}

static void notice_set(struct comment_run *run, const struct service_page *page, uint32_t others,
                       bool shown)
{
    const char *judged = run->judged && run->tree.head[0] ? run->tree.head : NULL;
    bool same = judged && is_commit_of(run, page->head);

    run->about.notice = NULL;
    run->about.files = same ? files_address(run, page->head) : NULL;
    if (!shown) {
        run->about.notice = "There are no inline comments: the service does not tell the change.";
    } else if (!run->judged) {
        run->about.notice = "There are no inline comments: which tree was judged is not known any "
                            "more.";
    } else if (!same) {
        run->about.notice = arena_printf(&run->arena, "This was said of %s%.*s, and the pull "
            "request ends with %.*s: lines may be off, and inline comments stand only in files "
            "that are the same.", judged ? "commit " : "files before the first commit",
            COMMIT_SHOWN, judged ? judged : "", COMMIT_SHOWN, page->head);
    } else if (others > 0) {
        run->about.notice = arena_printf(&run->arena, "%" PRIu32 " file%s judged with changes that "
            "the pull request does not have: there are no inline comments in %s.", others,
            others == 1 ? " was" : "s were", others == 1 ? "it" : "them");
    }
}

/* Both commits may be here; else the service is asked. */
static enum service_outcome place_there(struct comment_run *run, struct service *service,
                                        const struct service_page *page)
{
    const char *between = arena_printf(&run->arena, "%s...%s", page->base, page->head);
    const char *here = local_diff(run, between, NULL);
    enum service_outcome outcome = SERVICE_DONE;
    struct str diff = str_of(here);

    if (!here) {
        outcome = run->request->service == COMMENT_GITHUB
                      ? github_diff(service, &run->arena, &diff)
                      : gitlab_diff(service, &run->arena, &diff);
        if (outcome == SERVICE_LATER || outcome == SERVICE_NEVER) return outcome;
    }
    if (outcome == SERVICE_REFUSED) diff = STR("");
    notice_set(run, page, items_place(run, diff, true), outcome == SERVICE_DONE);
    return SERVICE_DONE;
}

/* ---- the plan ---- */

struct comment_steps comment_run_plan(struct comment_run *run,
                                      const struct comment_standing *standing, struct str *body)
{
    const struct comment_posted *ours = comment_ours(standing, run->about.key);
    struct comment_memories before = comment_memories_read(ours ? ours->body : STR(""),
                                                           &run->arena);
    struct comment_memories next = comment_memories_next(&run->about, run->items, run->count,
                                                         &before, &run->arena);
    struct comment_wish wish = { .about = &run->about, .items = run->items,
                                 .item_count = run->count, .memories = &next,
                                 .inline_max = run->options.inline_max };
    struct buf text;

    buf_init(&text, COMMENT_BODY_BYTES_MAX);
    comment_write(&run->about, &next, &text);
    *body = arena_take(&run->arena, &text);
    return comment_plan(&wish, *body, standing, &run->arena);
}

/* ---- posting ---- */

/* A step that was done or refused. */
struct settled {
    enum comment_deed deed;
    const char *id;
};

struct posting {
    struct comment_run *run;
    struct service *service;
    struct comment_result *result;
    struct settled *settled;
    uint32_t settled_count, settled_cap;
    const char *placed; /* the commit that places were looked for in; NULL: none yet */
    bool tidying;       /* all was performed: what is there twice is looked for */
};

static bool is_settled(const struct posting *posting, const struct comment_step *step)
{
    for (uint32_t i = 0; i < posting->settled_count; i++) {
        if (posting->settled[i].deed == step->deed && str_is(step->id, posting->settled[i].id))
            return true;
    }
    return false;
}

static void step_settle(struct posting *posting, const struct comment_step *step)
{
    struct arena *arena = &posting->run->arena;

    posting->settled = arena_grow(arena, posting->settled, posting->settled_count,
                                  &posting->settled_cap, sizeof *posting->settled);
    posting->settled[posting->settled_count++] =
        (struct settled){ step->deed, arena_cstr(arena, step->id) };
}

/* What is deleted by another pipeline, and a thread that we may not resolve (its text says it), are
 * no loss. */
static bool is_loss(const struct comment_step *step)
{
    return step->deed != DEED_DELETE && step->deed != DEED_DELETE_INLINE &&
           step->deed != DEED_RESOLVE && step->deed != DEED_REOPEN;
}

static void step_refused(struct posting *posting, const struct comment_step *step)
{
    struct comment_result *result = posting->result;
    struct arena *arena = &posting->run->arena;
    const struct comment_place *place = step->item ? &step->item->place : NULL;

    if (!is_loss(step)) return;
    result->refused = arena_grow(arena, result->refused, result->refused_count,
                                 &result->refused_cap, sizeof *result->refused);
    result->refused[result->refused_count++] =
        place ? arena_printf(arena, "%s at %.*s:%" PRIu32 ": %s", comment_deed_word(step->deed),
                             STR_ARG(place->path), place->line, posting->service->err.text)
              : arena_printf(arena, "%s: %s", comment_deed_word(step->deed),
                             posting->service->err.text);
}

/* The steps that are left to do. */
static uint32_t steps_left(const struct posting *posting, struct comment_steps *steps)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < steps->count; i++) {
        const struct comment_step *step = &steps->items[i];
        bool tidies = step->deed == DEED_DELETE || step->deed == DEED_DELETE_INLINE;

        if (is_settled(posting, step) || (posting->tidying && !tidies)) continue;
        steps->items[left++] = *step;
    }
    return left;
}

static enum service_outcome steps_perform(struct posting *posting,
                                          const struct service_page *page,
                                          const struct comment_step *steps, uint32_t count)
{
    struct comment_result *result = posting->result;

    memset(result->undone, 0, sizeof result->undone);
    for (uint32_t i = 0; i < count; i++) result->undone[steps[i].deed]++;
    for (uint32_t i = 0; i < count;) {
        uint32_t taken = 1;
        enum service_outcome outcome =
            posting->run->request->service == COMMENT_GITHUB
                ? github_perform(posting->service, page, &steps[i], count - i, &taken)
                : gitlab_perform(posting->service, page, &steps[i], count - i, &taken);

        if (outcome == SERVICE_LATER || outcome == SERVICE_NEVER) return outcome;
        for (uint32_t k = i; k < i + taken; k++) {
            step_settle(posting, &steps[k]);
            result->undone[steps[k].deed]--;
            if (outcome == SERVICE_REFUSED) step_refused(posting, &steps[k]);
            else result->done[steps[k].deed]++;
        }
        i += taken;
    }
    return SERVICE_DONE;
}

/* One pass: reads, plans and performs. *over: nothing is left to do. */
static enum service_outcome posting_pass(struct posting *posting, bool *over)
{
    struct comment_run *run = posting->run;
    enum service_outcome outcome;
    struct service_page page;
    struct comment_steps steps;
    struct str body;
    uint32_t left;

    outcome = run->request->service == COMMENT_GITHUB
                  ? github_read(posting->service, &run->arena, &page)
                  : gitlab_read(posting->service, &run->arena, &page);
    if (outcome != SERVICE_DONE) return outcome;
    posting->result->closed = page.closed;
    if (!posting->placed || strcmp(posting->placed, page.head) != 0) {
        outcome = place_there(run, posting->service, &page);
        if (outcome != SERVICE_DONE) return outcome;
        posting->placed = page.head;
    }
    steps = comment_run_plan(run, &page.standing, &body);
    left = steps_left(posting, &steps);
    *over = left == 0;
    outcome = steps_perform(posting, &page, steps.items, left);
    if (outcome == SERVICE_DONE) {
        const uint32_t *done = posting->result->done;

        *over = *over || posting->tidying || done[DEED_CREATE] + done[DEED_INLINE] == 0;
        posting->tidying = true;
    }
    return outcome;
}

int comment_run_post(struct comment_run *run, struct service *service, struct comment_result *out,
                     struct err *err)
{
    struct posting posting = { .run = run, .service = service, .result = out };
    uint32_t tries = 0;

    *out = (struct comment_result){ 0 };
    for (uint32_t i = 0; i < PASSES_MAX; i++) {
        bool over = false;
        enum service_outcome outcome = posting_pass(&posting, &over);

        if (outcome == SERVICE_DONE) {
            tries = 0;
            out->complete = out->complete || posting.tidying;
            if (over) return 0;
            continue;
        }
        *err = service->err;
        if (out->complete) return 0; /* only what is there twice was to be looked for */
        if (outcome != SERVICE_LATER || tries++ == TRIES_MAX || !service_wait(service, tries - 1))
            return err->code;
    }
    return out->complete ? 0 : err->code;
}
