/* SPDX-License-Identifier: Apache-2.0
 *
 * fixits.c - the fixer without a model: makes the fixes that findings carry.
 *
 *   read findings -> read their files -> choose (patch.c) -> write -> check --ok--> summary
 *                                           ^                           |
 *                                           '--- nothing good yet <--- bisect, take back
 *
 * A fix that breaks the build or the test is taken back and remembered for the rest of the run;
 * the others stay. Where not one stays, it is chosen again without those that broke something:
 * findings may have other fixes, and fixes that had lost to a bad one get their turn.
 *
 * 1. What is on disk at any moment are whole files, old or new: whoever is killed when. A fixer
 *    that was killed leaves some of its changes, checked or not; started again it meets files that
 *    are no more what was reviewed, and leaves them to the next review.
 * 2. What stays in the end was checked together.
 * 3. A file that somebody else changes meanwhile is theirs.
 * 4. It says that it is stuck only where another review of the same tree could not help: nothing
 *    was changed by it, nor by anybody else since the review.
 * 5. An exit status other than 0 means that there is no summary, and that what could be taken back
 *    was. */
#include "analyze/fixits.h"

#include "analyze/analyzer.h"
#include "base/mem.h"
#include "base/path.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/process/program.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PASSES_MAX = 16,
    FINDINGS_BYTES_MAX = 256 << 20,
    SUMMARY_BYTES_MAX = 768 * 1024, /* a summary of more than 1 MiB would be cut */
};

/* ---- beginning ---- */

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static const char *const *lines_of(struct arena *arena, const char *text)
{
    struct str rest = str_of(text), line;
    uint32_t count = 0;
    const char **lines;

    while (str_cut(&rest, '\n', &line)) count++;
    lines = arena_alloc(arena, (count + 1) * sizeof *lines);
    rest = str_of(text);
    for (count = 0; str_cut(&rest, '\n', &line);) {
        if (line.size > 0) lines[count++] = arena_cstr(arena, line);
    }
    return lines;
}

static int begin(struct fixits *fixits, struct err *err)
{
    *fixits = (struct fixits){
        .workspace = variable("HONE_WORKSPACE"),
        .test = variable("HONE_TEST"),
        .output = variable("HONE_OUTPUT"),
        .since = variable("HONE_SINCE"),
    };
    patch_init(&fixits->patch);
    buf_init(&fixits->why, WHY_BYTES_MAX);
    fixits->test_state = fixits->test ? TEST_UNTRIED : TEST_NONE;
    fixits->exclude = lines_of(&fixits->arena, variable("HONE_EXCLUDE"));
    if (fixits->output) {
        const char *folder = path_folder_text(fixits->output, &fixits->arena);
        if (strchr(folder, '/')) fixits->folder = path_folder_text(folder, &fixits->arena);
    }
    if (!fixits->workspace) {
        return err_set(err, ERR_USAGE, "HONE_WORKSPACE is not set: this is started by hone run");
    }
    return 0;
}

static int read_findings(struct fixits *fixits, struct err *err)
{
    const char *path = variable("HONE_FINDINGS");
    struct buf text;
    int rc;

    if (!path) return err_set(err, ERR_USAGE, "HONE_FINDINGS is not set: there is nothing to fix");
    buf_init(&text, FINDINGS_BYTES_MAX);
    rc = file_read(path, &text, err);
    if (rc == 0) {
        rc = findings_read(buf_str(&text), &fixits->arena, &fixits->findings, err);
        if (rc != 0) rc = err_wrap(err, "read the findings in %s", path);
    }
    buf_release(&text);
    for (uint32_t i = 0; rc == 0 && i < fixits->findings.count; i++) {
        patch_add(&fixits->patch, &fixits->findings.items[i]);
    }
    if (rc == 0) patch_list_files(&fixits->patch);
    fixits->items = arena_alloc(&fixits->arena,
                                (fixits->findings.count + 1) * sizeof *fixits->items);
    return rc;
}

static void release(struct fixits *fixits)
{
    fixits_release_files(fixits);
    patch_release(&fixits->patch);
    if (fixits->project_opened) project_release(&fixits->project);
    buf_release(&fixits->why);
    free(fixits->refused);
    free(fixits->good);
    arena_release(&fixits->arena);
}

/* ---- one pass: what was chosen is tried ---- */

static int changes_pass(void *context, uint32_t first, uint32_t count, bool *ok, struct err *err)
{
    struct fixits *fixits = context;
    uint32_t total = fixits->patch.change_count;
    bool *in = mem_alloc(total), *list = mem_alloc(total);
    int rc;

    for (uint32_t i = 0; i < total; i++) {
        list[i] = i >= first && i - first < count;
        in[i] = list[i] || fixits->good[i];
    }
    fprintf(stderr, "fixits: checks %u %s\n", count, count == 1 ? "fix" : "fixes");
    rc = fixits_place(fixits, in, err);
    if (rc == 0) rc = fixits_check(fixits, in, list, ok, err);
    free(in);
    free(list);
    return rc;
}

static void change_is_bad(void *context, uint32_t change)
{
    struct fixits *fixits = context;

    for (uint32_t i = 0; i < fixits->patch.count; i++) {
        const struct patch_item *item = &fixits->patch.items[i];

        if (item->state != PATCH_TAKEN || item->change != change) continue;
        fixits->items[i].fate = fixits->fate;
        fixits->items[i].why = arena_cstr(&fixits->arena, buf_str(&fixits->why));
        fixits_refuse(fixits, patch_identity(&fixits->patch, item));
    }
}

/* *again: nothing stayed, and there may be something else to try. */
static int try_choice(struct fixits *fixits, bool *again, struct err *err)
{
    uint32_t count = fixits->patch.change_count, refused = fixits->refused_count;
    struct bisect bisect = { .passes = changes_pass, .bad = change_is_bad, .context = fixits };
    bool stayed = false;
    int rc;

    free(fixits->good);
    fixits->good = bisect.good = mem_alloc(count + 1);
    fixits->base_known = false;
    rc = fixits_bisect(&bisect, count, err);
    if (rc == 0) rc = fixits_place(fixits, fixits->good, err);
    for (uint32_t i = 0; i < count; i++) stayed |= fixits->good[i];
    *again = !stayed && fixits->refused_count > refused;
    if (rc != ERR_BUSY) return rc;
    *again = true;
    memset(fixits->good, 0, count);
    return fixits_take_back(fixits, err);
}

static int fix_all(struct fixits *fixits, struct err *err)
{
    uint32_t refused;
    bool again = true;
    int rc = 0;

    fixits_load(fixits);
    fixits_recall(fixits);
    refused = fixits->refused_count;
    for (int pass = 0; rc == 0 && again && pass < PASSES_MAX; pass++) {
        patch_choose(&fixits->patch, fixits->refused, fixits->refused_count);
        if (fixits->patch.change_count == 0) break;
        rc = fixits_open_project(fixits, err);
        if (rc == 0) rc = try_choice(fixits, &again, err);
    }
    if (fixits->refused_count > refused) fixits_remember(fixits);
    return rc;
}

/* ---- ending ---- */

static void find_lines(struct fixits *fixits)
{
    uint32_t *lines = mem_alloc((fixits->patch.change_count + 1) * sizeof *lines);
    struct buf content;

    buf_init(&content, SIZE_MAX / 2);
    for (uint32_t i = 0; i < fixits->patch.file_count; i++) {
        buf_clear(&content);
        if (fixits->files[i].ours) {
            patch_apply(&fixits->patch, fixits->good, i, &content, lines);
        }
    }
    for (uint32_t i = 0; i < fixits->patch.count; i++) {
        const struct patch_item *item = &fixits->patch.items[i];
        if (item->state != PATCH_TAKEN || !fixits->good[item->change]) continue;
        fixits->items[i].line = lines[item->change];
    }
    buf_release(&content);
    free(lines);
}

static int answer(struct fixits *fixits, struct err *err)
{
    struct buf summary;
    int rc = 0;

    buf_init(&summary, SUMMARY_BYTES_MAX);
    find_lines(fixits);
    fixits_report(fixits, &summary);
    assert(!summary.overflow);
    if (fixits->output) {
        rc = scratch_replace(path_folder_text(fixits->output, &fixits->arena),
                             path_leaf_text(fixits->output), buf_str(&summary), err);
    } else if (fwrite(summary.data, 1, summary.size, stdout) != summary.size ||
               fflush(stdout) != 0) {
        rc = err_set(err, ERR_SYSTEM, "the summary cannot be written to standard output");
    }
    buf_release(&summary);
    return rc;
}

int fixits_main(void)
{
    struct fixits fixits;
    struct err err = { 0 }, second = { 0 };
    struct buf safe;
    int rc = begin(&fixits, &err);

    if (rc == 0) rc = read_findings(&fixits, &err);
    if (rc == 0) rc = fix_all(&fixits, &err);
    if (rc == 0) rc = answer(&fixits, &err);
    if (rc != 0) {
        if (fixits.files && fixits_take_back(&fixits, &second) != 0) {
            err_wrap(&second, "not all fixes could be taken back");
        }
        buf_init(&safe, SIZE_MAX / 2);
        safe_text(&safe, str_of(err.text), true, 0);
        if (second.text[0]) buf_text(&safe, "; ");
        safe_text(&safe, str_of(second.text), true, 0);
        fprintf(stderr, "fixits: %s\n", buf_cstr(&safe));
        buf_release(&safe);
    }
    release(&fixits);
    return rc == 0 ? 0 : 1;
}
