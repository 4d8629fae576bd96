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
 * 1. Files on disk are whole at any moment, old or new, also where the fixer is killed. What a
 *    fixer leaves that was killed or stopped is taken back (fixits_undo.c): by itself where it can,
 *    else by hone, or by the next one that is started with this folder.
 * 2. What stays in the end was checked together.
 * 3. A file that another process changes meanwhile is left to that process (7).
 * 4. It says that it is stuck only where another review of the same tree could not help: neither
 *    this fixer nor anything else has changed it since the review.
 * 5. An exit status other than 0 means that there is no summary, and that what could be taken back
 *    was.
 *
 * Bisecting finds the few bad fixes among many with few checks. A stretch of fixes that passes is
 * good as a whole. One that fails is narrowed to the first bad one in it; then all that is behind
 * that one is checked together. Good fixes stay, and each check is made on top of them: so in the
 * end all good ones were seen to pass together. k bad ones among n cost about k (log2(n) + 1)
 * checks.
 *
 * Fixes of files that depend on each other are a group: a fix in several files, a header and what
 * includes it. Groups are cut apart first, and a group is looked into only when it fails by itself.
 * All is searched for what does not compile before the test is run for the first time. A test is
 * run at most TESTS_MAX times: then what is known to fail is refused as the group that it is, and
 * what is not known is left for the next round.
 *
 * 6. Where a stretch failed and its first half is all good, the second half is known to fail: it
 *    is cut without a check of its own. The last check that failed is then the one of this
 *    stretch, and its words tell what the bad fix broke.
 *
 * Files:
 *
 *            place, other bytes            place or take back, the old bytes
 *   OLD ---------------------------> OURS ----------------------------------> OLD
 *    |  a write failed: UNSURE, one of both     |
 *    '---- another process wrote it: LOST ------'
 *
 * 7. A file is written only where what is on disk is what we believe is there, byte by byte. Else
 *    it is lost: another process works on it, and it stays as it is.
 * 8. A file that no change is for is not touched. One that was changed and taken back has its old
 *    bytes and a new time: what was built from it meanwhile must not pass for built from these.
 * 9. Nothing is read or written through a link, outside the workspace, or in the folders of git
 *    and hone.
 *
 * Checks: the project compiles, and its test passes. What was broken before cannot be broken by a
 * fix. How things were before is looked at only when a check fails, and once: with the old files
 * on disk, which units do not compile, and whether the test fails by itself. But where there are
 * risky fixes (fix.h), the test is run before the first edit: they are tried only where it passes.
 *
 * 10. Units that did not compile before do not count.
 * 11. A test that failed before cannot judge, and is not asked again.
 * 12. After a check the changes that it was asked about are on disk again, or an error is
 *     returned.
 *
 * Refused fixes: the file fixits-refused in the folder of an attempt has an identity (patch.h) in
 * each line, 16 digits. The fixers of a run go by those of all its attempts, and each writes what
 * it knows into its own folder, since it can write to no other. It is no more than a help: without
 * it a bad fix is tried and taken back once more in each round. So a file that is damaged is
 * ignored, with a word, and replaced when there is something new. */
#include "analyze/fixits.h"

#include "analyze/analyzer.h"
#include "analyze/locate.h"
#include "analyze/made_look.h"
#include "base/byte.h"
#include "base/mem.h"
#include "base/path.h"
#include "format/text/pattern.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/file/scratch.h"
#include "io/process/crew.h"
#include "io/process/signals.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the few bad ones among many ---- */

/* A stretch of items, whose groups are whole unless it is cut inside of one. */
static int bisect_ask(const struct bisect *bisect, uint32_t first, uint32_t end, bool *ok,
                      struct err *err)
{
    int rc = bisect->passes(bisect->context, first, end - first, ok, err);

    for (uint32_t i = first; rc == 0 && *ok && i < end; i++) bisect->good[i] = true;
    return rc;
}

static bool bisect_may_ask(const struct bisect *bisect, uint32_t asks)
{
    return !bisect->may_ask || bisect->may_ask(bisect->context, asks);
}

/* The end of the group that item is in; without groups each is one. */
static uint32_t group_end(const struct bisect *bisect, uint32_t item)
{
    return bisect->ends ? bisect->ends[item] : item + 1;
}

/* Where to cut a stretch of several groups: at the end of the group in its middle, or before it. */
static uint32_t group_middle(const struct bisect *bisect, uint32_t first, uint32_t end)
{
    uint32_t middle = first;

    while (group_end(bisect, middle) <= first + (end - first) / 2) {
        middle = group_end(bisect, middle);
    }
    return middle > first ? middle : group_end(bisect, first);
}

/* A stretch that fails is narrowed to the first piece of it that does: a group, or with single an
 * item. It stays wider where no more may be asked. */
static int bisect_narrow(const struct bisect *bisect, bool single, uint32_t *first, uint32_t *end,
                         struct err *err)
{
    while (single ? *end - *first > 1 : group_end(bisect, *first) < *end) {
        uint32_t middle = single ? *first + (*end - *first) / 2
                                 : group_middle(bisect, *first, *end);
        bool ok = false;
        int rc;

        if (!bisect_may_ask(bisect, 1)) return 0;
        rc = bisect_ask(bisect, *first, middle, &ok, err);
        if (rc != 0) return rc;
        if (ok) *first = middle;
        else *end = middle;
    }
    return 0;
}

static void bisect_drop(const struct bisect *bisect, uint32_t first, uint32_t end, bool fails)
{
    if (first < end) bisect->drop(bisect->context, first, end - first, fails);
}

/* The first group of a stretch that fails; *next is behind what is known then. */
static int bisect_group(const struct bisect *bisect, uint32_t first, uint32_t end, uint32_t *next,
                        struct err *err)
{
    uint32_t asks = 1;
    int rc = bisect_narrow(bisect, false, &first, &end, err);

    *next = end;
    if (rc != 0) return rc;
    if (group_end(bisect, first) < end) { /* asked too often already */
        bisect_drop(bisect, first, end, false);
        return 0;
    }
    while (end - first > 1u << asks) asks++;
    if (end - first > 1 && !bisect_may_ask(bisect, asks + 1)) {
        bisect_drop(bisect, first, end, true); /* the rest is worth more than what it is made of */
        return 0;
    }
    rc = bisect_narrow(bisect, true, &first, &end, err);
    if (rc != 0) return rc;
    *next = end;
    if (end - first > 1) bisect_drop(bisect, first, end, true);
    else if (bisect->bad) bisect->bad(bisect->context, first);
    return 0;
}

int fixits_bisect(const struct bisect *bisect, uint32_t count, struct err *err)
{
    uint32_t first = 0;
    bool ok = false;
    int rc = 0;

    while (rc == 0 && !ok && first < count) {
        if (!bisect_may_ask(bisect, 1)) {
            bisect_drop(bisect, first, count, false);
            return 0;
        }
        rc = bisect_ask(bisect, first, count, &ok, err);
        if (rc == 0 && !ok) rc = bisect_group(bisect, first, count, &first, err);
    }
    return rc;
}

/* ---- files ---- */

static const size_t all_bytes_max = (size_t)1 << 30; /* of all files together */

static bool is_excluded(const struct fixits *fixits, struct str path)
{
    for (uint32_t i = 0; fixits->exclude && fixits->exclude[i]; i++) {
        if (pattern_matches(str_of(fixits->exclude[i]), path)) return true;
    }
    return false;
}

static const char *reason_of(int code, const struct err *err, struct arena *arena)
{
    if (code == ERR_MISSING) return "it is not there";
    if (code == ERR_LIMIT) return "it is larger than 16 MiB";
    if (code == ERR_FORMAT) return "it is a link, behind one, or no regular file";
    return arena_cstr(arena, str_of(err->text));
}

static void file_load(struct fixits *fixits, struct made_look *look, struct patch_file *file,
                      struct buf *content, size_t *all_bytes)
{
    enum made made = MADE_BY_PEOPLE;
    struct err err;
    int rc;

    buf_init(content, SOURCE_BYTES_MAX);
    if (is_private_path(fixits->private_paths, file->path))
        file->barred = "it belongs to git or to hone";
    else if (is_excluded(fixits, file->path)) file->barred = "it is excluded from this run";
    if (file->barred) return;
    rc = file_read_in(fixits->workspace, file->path.data, content, &err);
    if (rc != 0) file->barred = reason_of(rc, &err, &fixits->arena);
    else if (str_has(buf_str(content), '\0')) file->barred = "it is no text";
    else if (fixits->by_people) made = made_look(look, file->path, buf_str(content));
    if (made != MADE_BY_PEOPLE) {
        file->barred = arena_printf(&fixits->arena, "it is %s", made_words[made]);
    }
    if (!file->barred && !file_is_writable_in(fixits->workspace, file->path.data)) {
        file->barred = "it cannot be written to";
    }
    if (!file->barred && content->size > all_bytes_max - *all_bytes)
        file->barred = "there are too many large files to fix at once";
    if (file->barred) buf_release(content);
    *all_bytes += content->size;
    file->content = buf_str(content);
}

/* Reads every file that a fix is for, or bars it. */
static void fixits_load(struct fixits *fixits)
{
    struct made_look look = { .workspace = fixits->workspace };
    uint32_t count = fixits->patch.file_count;
    size_t all_bytes = 0;

    fixits->files = arena_alloc(&fixits->arena, count * sizeof *fixits->files);
    for (uint32_t i = 0; i < count; i++) {
        buf_init(&fixits->files[i].now, SIZE_MAX / 2);
        buf_init(&fixits->files[i].next, SIZE_MAX / 2);
        file_load(fixits, &look, &fixits->patch.files[i], &fixits->files[i].old, &all_bytes);
    }
    made_look_release(&look);
}

static void fixits_release_files(struct fixits *fixits)
{
    for (uint32_t i = 0; fixits->files && i < fixits->patch.file_count; i++) {
        buf_release(&fixits->files[i].old);
        buf_release(&fixits->files[i].now);
        buf_release(&fixits->files[i].next);
    }
}

static struct str on_disk(const struct fixits_file *file)
{
    return buf_str(file->ours ? &file->now : &file->old);
}

/* Whether the file is as we left it; loses it where it is not. */
static bool is_as_left(struct fixits *fixits, uint32_t index)
{
    struct fixits_file *file = &fixits->files[index];
    struct patch_file *named = &fixits->patch.files[index];
    struct buf seen;
    struct err err;
    bool same;

    buf_init(&seen, SOURCE_BYTES_MAX + file->now.size + file->next.size);
    same = file_read_in(fixits->workspace, named->path.data, &seen, &err) == 0 &&
           (str_eq(buf_str(&seen), on_disk(file)) ||
            (file->unsure && str_eq(buf_str(&seen), buf_str(&file->next))));
    buf_release(&seen);
    if (same) return true;
    file->lost = true;
    named->barred = "another process changed it while it was being fixed";
    return false;
}

/* Writes next of the files in list[]. */
static int write_listed(struct fixits *fixits, const uint32_t *list, uint32_t count,
                        struct err *err)
{
    struct file_item *items = mem_alloc((count + 1) * sizeof *items);
    int rc;

    for (uint32_t i = 0; i < count; i++) {
        items[i] = (struct file_item){ .path = fixits->patch.files[list[i]].path.data,
                                       .content = buf_str(&fixits->files[list[i]].next) };
    }
    rc = count ? file_write_all(fixits->workspace, items, count, NULL, err) : 0;
    for (uint32_t i = 0; i < count; i++) {
        struct fixits_file *file = &fixits->files[list[i]];
        struct buf last = file->now;

        file->unsure = rc != 0;
        if (rc != 0) continue;
        file->now = file->next;
        file->next = last;
        file->ours = !str_eq(buf_str(&file->now), buf_str(&file->old));
    }
    free(items);
    return rc;
}

/* Makes the files those with the changes for which in[] is true. ERR_BUSY: another process changed
 * one, which is lost and barred now. */
static int fixits_place(struct fixits *fixits, const bool *in, struct err *err)
{
    uint32_t *list = mem_alloc((fixits->patch.file_count + 1) * sizeof *list);
    uint32_t count = 0;
    int rc = 0;

    for (uint32_t i = 0; i < fixits->patch.file_count; i++) {
        struct fixits_file *file = &fixits->files[i];

        assert(!file->unsure);
        if (file->lost || (!file->ours && !patch_touches(&fixits->patch, in, i))) continue;
        buf_clear(&file->next);
        patch_apply(&fixits->patch, in, i, &file->next, NULL);
        if (str_eq(buf_str(&file->next), on_disk(file))) continue;
        list[count++] = i;
        if (!is_as_left(fixits, i)) rc = ERR_BUSY;
    }
    if (rc == ERR_BUSY) {
        err_set(err, ERR_BUSY, "another process changed a file while it was being fixed");
    } else {
        rc = count ? fixits_intend(fixits, list, count, err) : 0;
        if (rc == 0) rc = write_listed(fixits, list, count, err);
    }
    free(list);
    return rc;
}

/* Every file as it was, but for those that are lost. */
static int fixits_take_back(struct fixits *fixits, struct err *err)
{
    uint32_t *list = mem_alloc((fixits->patch.file_count + 1) * sizeof *list);
    uint32_t count = 0;
    int rc;

    for (uint32_t i = 0; i < fixits->patch.file_count; i++) {
        struct fixits_file *file = &fixits->files[i];

        if (file->lost || (!file->ours && !file->unsure) || !is_as_left(fixits, i)) continue;
        buf_clear(&file->next);
        buf_add(&file->next, buf_str(&file->old));
        list[count++] = i;
    }
    rc = write_listed(fixits, list, count, err);
    free(list);
    return rc;
}

/* ---- checks ---- */

/* check_build() and check_test() say whether the project stands the changes in[], which are on
 * disk; list[] are those of them that are new since the last check that passed. Where it does not,
 * fate and why are set. The files may have been changed and put back meanwhile. */

enum {
    PROBLEM_BYTES_MAX = 64 * 1024,
    TEST_BYTES_MAX = 1 << 20, /* of what a test says on either stream */
    TESTS_MAX = 40,           /* runs of the test in one round, those without a fix included */
};

/* A fixer that is told to end takes back what it has not checked. What it runs was told, too. */
static int check_stopped(struct err *err)
{
    return signals_waiting() ? err_set(err, ERR_FAILED, "stopped: its fixes are taken back") : 0;
}

/* ---- compiling ---- */

/* Reads how the project is built, with the old files on disk. */
static int fixits_open_project(struct fixits *fixits, struct err *err)
{
    struct scope scope = { .since = fixits->since, .exclude = fixits->exclude };
    int rc;

    if (fixits->project_opened) return 0;
    rc = project_open(&fixits->project, fixits->workspace, &scope, fixits->private_paths, err);
    if (rc != 0) return rc;
    fixits->project_opened = true;
    rc = project_find_flags(&fixits->project, err);
    if (rc == 0) rc = project_find_includes(&fixits->project, err);
    return rc;
}

/* The files that these changes are for. */
static const char **files_of(const struct fixits *fixits, const bool *list, uint32_t *count)
{
    const char **files = mem_alloc((fixits->patch.file_count + 1) * sizeof *files);

    *count = 0;
    for (uint32_t i = 0; i < fixits->patch.file_count; i++) {
        if (!patch_touches(&fixits->patch, list, i)) continue;
        files[(*count)++] = fixits->patch.files[i].path.data;
    }
    return files;
}

/* What these changes are for, and what depends on it; but for what was broken before. */
static int compile(struct fixits *fixits, const bool *list, bool *ok, struct err *err)
{
    struct buf problem;
    struct str rest, line = { "", 0 };
    uint32_t count;
    const char **files = files_of(fixits, list, &count);
    int rc;

    *ok = true;
    buf_init(&problem, PROBLEM_BYTES_MAX);
    rc = project_compiles(&fixits->project, files, count, ok, &problem, err);
    if (rc == 0) rc = check_stopped(err);
    if (rc == 0 && !*ok) {
        rest = buf_str(&problem);
        (void)str_cut(&rest, '\n', &line);
        buf_clear(&fixits->why);
        buf_add(&fixits->why, line);
        fixits->fate = FATE_BUILD;
    }
    buf_release(&problem);
    free(files);
    return rc;
}

/* ---- the test ---- */

/* How it ended, and the last it said. */
static void describe_test(const struct crew_job *job, struct buf *out)
{
    struct str said = str_last_line(buf_str(&job->err));

    if (said.size == 0) said = str_last_line(buf_str(&job->out));
    buf_clear(out);
    if (job->signal) buf_printf(out, "signal %d", job->signal);
    else buf_printf(out, "exit status %d", job->status);
    if (said.size > 0) buf_text(out, ": ");
    safe_text(out, said, true, WHY_BYTES_MAX / 2);
}

static int run_test(struct fixits *fixits, bool *ok, struct err *err)
{
    const char *const argv[] = { "sh", "-c", fixits->test, NULL };
    struct crew_job job = { .argv = argv, .cwd = fixits->workspace,
                            .out_bytes_max = TEST_BYTES_MAX, .err_bytes_max = TEST_BYTES_MAX };
    int rc;

    fprintf(stderr, "fixits: runs the test\n");
    fixits->tests_run++;
    rc = crew_run(&job, 1, 1, NULL, NULL, err);
    if (rc == 0) rc = check_stopped(err);
    if (rc == 0 && !job.started) rc = err_system(err, job.error, "start the test with sh");
    *ok = rc == 0 && job.status == 0;
    if (rc == 0 && !*ok) {
        fixits->fate = FATE_TEST;
        describe_test(&job, &fixits->why);
    }
    crew_release(&job, 1);
    return rc;
}

/* ---- all of it ---- */

/* Puts the old files on disk for a look at how it was before. */
static int with_old(struct fixits *fixits, const bool *in,
                    int (*look)(struct fixits *fixits, struct err *err), struct err *err)
{
    bool *none = mem_alloc(fixits->patch.change_count + 1);
    int rc = fixits_place(fixits, none, err);

    free(none);
    if (rc == 0) rc = look(fixits, err);
    return rc == 0 ? fixits_place(fixits, in, err) : rc;
}

static int look_at_units(struct fixits *fixits, struct err *err)
{
    uint32_t count;
    const char **files = files_of(fixits, NULL, &count);
    int rc = project_find_broken(&fixits->project, files, count, err);

    fixits->base_known = true;
    free(files);
    return rc;
}

static int look_at_test(struct fixits *fixits, struct err *err)
{
    bool ok;
    int rc = run_test(fixits, &ok, err);

    fixits->test_state = ok ? TEST_JUDGES : TEST_USELESS;
    return rc;
}

static int check_build(struct fixits *fixits, const bool *in, const bool *list, bool *ok,
                       struct err *err)
{
    int rc = compile(fixits, list, ok, err);

    if (rc != 0 || *ok || fixits->base_known) return rc;
    rc = with_old(fixits, in, look_at_units, err);
    return rc == 0 ? compile(fixits, list, ok, err) : rc;
}

static int check_test(struct fixits *fixits, const bool *in, bool *ok, struct err *err)
{
    struct buf said;
    int rc;

    if (fixits->test_state == TEST_NONE || fixits->test_state == TEST_USELESS) return 0;
    rc = run_test(fixits, ok, err);
    if (rc != 0 || *ok || fixits->test_state == TEST_JUDGES) return rc;
    said = fixits->why; /* what it says of the old files is not what is reported */
    buf_init(&fixits->why, said.limit);
    rc = with_old(fixits, in, look_at_test, err);
    buf_release(&fixits->why);
    fixits->why = said;
    *ok = rc == 0 && fixits->test_state == TEST_USELESS;
    return rc;
}

/* ---- refused fixes ---- */

enum { LINE_BYTES = 17, REFUSED_MAX = 100000 };

static const char refused_name[] = "fixits-refused";

static void say_refused(const char *what, const struct err *err)
{
    struct buf safe;

    buf_init(&safe, ERR_TEXT_BYTES * 4);
    safe_text(&safe, str_of(err->text), true, 0);
    fprintf(stderr, "fixits: %s: %s\n", what, buf_cstr(&safe));
    buf_release(&safe);
}

/* The place of an identity in the list, where it is or where it belongs. */
static uint32_t place_of(const struct fixits *fixits, uint64_t identity)
{
    uint32_t low = 0, high = fixits->refused_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (fixits->refused[middle] < identity) low = middle + 1;
        else high = middle;
    }
    return low;
}

void fixits_refuse(struct fixits *fixits, uint64_t identity)
{
    uint32_t at = place_of(fixits, identity);

    if (at < fixits->refused_count && fixits->refused[at] == identity) return;
    if (fixits->refused_count == REFUSED_MAX) return;
    fixits->refused = mem_grow(fixits->refused, fixits->refused_count, &fixits->refused_cap,
                               sizeof *fixits->refused);
    memmove(fixits->refused + at + 1, fixits->refused + at,
            (fixits->refused_count - at) * sizeof *fixits->refused);
    fixits->refused[at] = identity;
    fixits->refused_count++;
}

static void recall_from(struct fixits *fixits, const char *folder)
{
    struct str rest, line;
    struct err err = { 0 };
    struct buf text;
    uint64_t identity;
    int rc;

    buf_init(&text, (size_t)LINE_BYTES * REFUSED_MAX);
    rc = scratch_read(folder, refused_name, &text, &err);
    rest = buf_str(&text);
    if (rc == 0 && (!str_ends(rest, STR("\n")) || rest.size % LINE_BYTES != 0)) {
        rc = err_set(&err, ERR_FORMAT, "it is damaged");
    }
    for (struct str all = rest; rc == 0 && str_cut(&all, '\n', &line);) {
        if (!str_hash(line, &identity)) rc = err_set(&err, ERR_FORMAT, "it is damaged");
    }
    while (rc == 0 && str_cut(&rest, '\n', &line)) {
        if (str_hash(line, &identity)) fixits_refuse(fixits, identity);
    }
    if (rc != 0 && rc != ERR_MISSING) {
        fixits->refused_damaged = true;
        say_refused("a list of fixes that were refused is ignored", &err);
    }
    buf_release(&text);
}

void fixits_recall(struct fixits *fixits)
{
    const char *const *names;

    if (!fixits->folder) return;
    names = folder_names(fixits->folder, "", &fixits->arena);
    for (; *names; names++) {
        if (!byte_is_digit(**names)) continue; /* an attempt is JOB-ATTEMPT */
        recall_from(fixits, arena_printf(&fixits->arena, "%s/%s", fixits->folder, *names));
    }
}

void fixits_remember(struct fixits *fixits)
{
    struct err err;
    struct buf text;

    if (!fixits->attempt) return;
    buf_init(&text, (size_t)LINE_BYTES * REFUSED_MAX);
    for (uint32_t i = 0; i < fixits->refused_count; i++) {
        buf_printf(&text, "%016" PRIx64 "\n", fixits->refused[i]);
    }
    if (scratch_replace(fixits->attempt, refused_name, buf_str(&text), &err) != 0) {
        say_refused("the list of fixes that were refused cannot be kept", &err);
    }
    buf_release(&text);
}

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

static int begin(struct fixits *fixits, const char *const *private_paths, struct err *err)
{
    *fixits = (struct fixits){
        .private_paths = private_paths,
        .workspace = variable("HONE_WORKSPACE"),
        .test = variable("HONE_TEST"),
        .output = variable("HONE_OUTPUT"),
        .since = variable("HONE_SINCE"),
        .by_people = !variable("HONE_GENERATED"),
        .fixes_all = variable("HONE_FIXES") && strcmp(variable("HONE_FIXES"), "all") == 0,
    };
    patch_init(&fixits->patch);
    buf_init(&fixits->why, WHY_BYTES_MAX);
    fixits->test_state = fixits->test ? TEST_UNTRIED : TEST_NONE;
    fixits->exclude = arena_lines(&fixits->arena, str_of(variable("HONE_EXCLUDE")));
    if (fixits->output) {
        fixits->attempt = path_folder_text(fixits->output, &fixits->arena);
        if (strchr(fixits->attempt, '/')) {
            fixits->folder = path_folder_text(fixits->attempt, &fixits->arena);
        }
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

/* ---- groups ---- */

static uint32_t group_root(uint32_t *parents, uint32_t file)
{
    while (parents[file] != file) file = parents[file] = parents[parents[file]];
    return file;
}

static void group_join(uint32_t *parents, uint32_t a, uint32_t b)
{
    a = group_root(parents, a);
    b = group_root(parents, b);
    if (a < b) parents[b] = a;
    else parents[a] = b;
}

static int compare_file(const void *key, const void *item)
{
    return str_compare(*(const struct str *)key, ((const struct patch_file *)item)->path);
}

/* The file of the patch that has this path; file_count: none. */
static uint32_t file_of(const struct patch *patch, const char *path)
{
    struct str key = str_of(path);
    const struct patch_file *found = NULL;

    if (patch->file_count > 0) {
        found = bsearch(&key, patch->files, patch->file_count, sizeof *patch->files, compare_file);
    }
    return found ? (uint32_t)(found - patch->files) : patch->file_count;
}

/* A unit and all it includes depend on each other, as far as there are fixes for them. */
static void groups_by_units(const struct fixits *fixits, uint32_t *parents)
{
    const struct project *project = &fixits->project;
    uint32_t none = fixits->patch.file_count;

    for (uint32_t i = 0; i < project->count; i++) {
        const struct source *source = &project->sources[i];
        uint32_t last = source->include_count ? file_of(&fixits->patch, source->path) : none;

        for (uint32_t k = 0; k < source->include_count; k++) {
            uint32_t file = file_of(&fixits->patch, project->sources[source->includes[k]].path);

            if (file == none) continue;
            if (last != none) group_join(parents, last, file);
            last = file;
        }
    }
}

struct grouped {
    uint32_t group, change;
};

static int by_group(const void *a, const void *b)
{
    const struct grouped *x = a, *y = b;

    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return (x->change > y->change) - (x->change < y->change);
}

/* The changes, group by group, in the order in which the first of each was chosen. */
static struct grouped *groups_find(const struct fixits *fixits)
{
    const struct patch *patch = &fixits->patch;
    uint32_t *parents = mem_alloc((patch->file_count + (size_t)1) * sizeof *parents);
    uint32_t *firsts = mem_alloc((patch->file_count + (size_t)1) * sizeof *firsts);
    struct grouped *list = mem_alloc((patch->change_count + (size_t)1) * sizeof *list);

    for (uint32_t i = 0; i < patch->file_count; i++) {
        parents[i] = i;
        firsts[i] = UINT32_MAX;
    }
    groups_by_units(fixits, parents);
    for (uint32_t i = 0; i < patch->change_count; i++) {
        const struct patch_edit *edits = patch->edits + patch->changes[i].edit;

        for (uint32_t k = 1; k < patch->changes[i].count; k++) {
            group_join(parents, edits[0].file, edits[k].file);
        }
    }
    for (uint32_t i = 0; i < patch->change_count; i++) {
        uint32_t root = group_root(parents, patch->edits[patch->changes[i].edit].file);

        if (firsts[root] == UINT32_MAX) firsts[root] = i;
        list[i] = (struct grouped){ .group = firsts[root], .change = i };
    }
    qsort(list, patch->change_count, sizeof *list, by_group);
    free(parents);
    free(firsts);
    return list;
}

/* ---- one pass: what was chosen is tried ---- */

/* A search among the changes that are still good: for what does not compile, or for what breaks the
 * test. */
struct search {
    struct fixits *fixits;
    bool tests;
    uint32_t *order; /* the changes, group by group */
    uint32_t *ends;  /* of each, where its group ends */
    bool *good;      /* of each */
    uint32_t count, bad;
};

static void search_tell(const struct search *search)
{
    const struct fixits *fixits = search->fixits;
    uint32_t known = search->bad;

    for (uint32_t i = 0; i < search->count; i++) known += search->good[i];
    fprintf(stderr, "fixits: %u of %u fixes", known, search->count);
    if (search->tests) {
        fprintf(stderr, ", %u of %u tests", fixits->tests_run, (uint32_t)TESTS_MAX);
    }
    fprintf(stderr, "\n");
}

/* Groups that are whole compile as they did together. */
static bool is_whole(const struct search *search, uint32_t first, uint32_t count)
{
    uint32_t end = first + count;

    return (first == 0 || search->ends[first - 1] == first) && search->ends[end - 1] == end;
}

static int search_pass(void *context, uint32_t first, uint32_t count, bool *ok, struct err *err)
{
    struct search *search = context;
    struct fixits *fixits = search->fixits;
    uint32_t total = fixits->patch.change_count;
    bool *in = mem_alloc(total), *list = mem_alloc(total);
    int rc;

    search_tell(search);
    for (uint32_t i = 0; i < search->count; i++) {
        list[search->order[i]] = i >= first && i - first < count;
        in[search->order[i]] = list[search->order[i]] || search->good[i];
    }
    fprintf(stderr, "fixits: checks %u %s\n", count, count == 1 ? "fix" : "fixes");
    rc = fixits_place(fixits, in, err);
    *ok = true;
    if (rc == 0 && !(search->tests && is_whole(search, first, count))) {
        rc = check_build(fixits, in, list, ok, err);
    }
    if (rc == 0 && *ok && search->tests) rc = check_test(fixits, in, ok, err);
    free(in);
    free(list);
    return rc;
}

/* What became of the change at a place, and of every finding that it would have mended. */
static void change_end(struct search *search, uint32_t at, enum fixits_fate fate, bool refused)
{
    struct fixits *fixits = search->fixits;

    search->bad++;
    for (uint32_t i = 0; i < fixits->patch.count; i++) {
        const struct patch_item *item = &fixits->patch.items[i];

        if (item->state != PATCH_TAKEN || item->change != search->order[at]) continue;
        fixits->items[i].fate = fate;
        fixits->items[i].why = arena_cstr(&fixits->arena, buf_str(&fixits->why));
        if (refused) fixits_refuse(fixits, patch_identity(&fixits->patch, item));
    }
}

static void search_bad(void *context, uint32_t at)
{
    struct search *search = context;

    change_end(search, at, search->fixits->fate, true);
}

static void search_drop(void *context, uint32_t first, uint32_t count, bool fails)
{
    for (uint32_t i = 0; i < count; i++) {
        change_end(context, first + i, fails ? FATE_GROUP : FATE_UNTRIED, fails);
    }
}

/* The run without any fix counts, where it is still to come. */
static bool search_may_ask(void *context, uint32_t asks)
{
    const struct search *search = context;
    const struct fixits *fixits = search->fixits;

    if (!search->tests) return true;
    return fixits->tests_run + asks + (fixits->test_state == TEST_UNTRIED) <= TESTS_MAX;
}

static int search_make(struct fixits *fixits, const struct grouped *groups, bool tests,
                       struct err *err)
{
    uint32_t total = fixits->patch.change_count;
    struct search search = { .fixits = fixits, .tests = tests };
    struct bisect bisect = { .passes = search_pass, .bad = search_bad, .drop = search_drop,
                             .may_ask = search_may_ask, .context = &search };
    uint32_t *group = mem_alloc((total + (size_t)1) * sizeof *group);
    int rc;

    search.order = mem_alloc((total + (size_t)1) * sizeof *search.order);
    bisect.ends = search.ends = mem_alloc((total + (size_t)1) * sizeof *search.ends);
    bisect.good = search.good = mem_alloc(total + (size_t)1);
    for (uint32_t i = 0; i < total; i++) {
        if (!fixits->good[groups[i].change]) continue;
        group[search.count] = groups[i].group;
        search.order[search.count++] = groups[i].change;
    }
    for (uint32_t i = search.count; i-- > 0;) {
        bool last = i + 1 == search.count || group[i] != group[i + 1];
        search.ends[i] = last ? i + 1 : search.ends[i + 1];
    }
    rc = fixits_bisect(&bisect, search.count, err);
    for (uint32_t i = 0; i < search.count; i++) fixits->good[search.order[i]] = search.good[i];
    if (rc == 0) search_tell(&search);
    free(group);
    free(search.order);
    free(search.ends);
    free(search.good);
    return rc;
}

static bool has_test(const struct fixits *fixits)
{
    return fixits->test_state == TEST_UNTRIED || fixits->test_state == TEST_JUDGES;
}

/* What is going to happen, before it does. */
static void tell_plan(const struct fixits *fixits, const struct grouped *groups)
{
    uint32_t count = fixits->patch.change_count, group_count = 0;

    for (uint32_t i = 0; i < count; i++) {
        group_count += i == 0 || groups[i].group != groups[i - 1].group;
    }
    fprintf(stderr, "fixits: plan: %u fix%s in %u group%s; ", count, count == 1 ? "" : "es",
            group_count, group_count == 1 ? "" : "s");
    if (has_test(fixits)) {
        fprintf(stderr, "1 test run if all are good, at most %u in all\n", (uint32_t)TESTS_MAX);
    } else {
        fprintf(stderr, "no test\n");
    }
}

/* A fix that was refused is known again in the next round, among those that stay. */
static void refuse_among_good(struct fixits *fixits)
{
    for (uint32_t i = 0; i < fixits->patch.count; i++) {
        const struct patch_item *item = &fixits->patch.items[i];
        enum fixits_fate fate = fixits->items[i].fate;

        if (item->state != PATCH_TAKEN || fixits->good[item->change]) continue;
        if (fate == FATE_NONE || fate == FATE_UNTRIED) continue;
        fixits_refuse(fixits, patch_identity_after(&fixits->patch, item, fixits->good));
    }
}

/* *again: nothing stayed, and there may be something else to try. */
static int try_choice(struct fixits *fixits, bool *again, struct err *err)
{
    uint32_t count = fixits->patch.change_count, refused = fixits->refused_count;
    struct grouped *groups = groups_find(fixits);
    bool stayed = false;
    int rc;

    free(fixits->good);
    fixits->good = mem_alloc(count + (size_t)1);
    memset(fixits->good, true, count);
    fixits->base_known = false;
    tell_plan(fixits, groups);
    rc = search_make(fixits, groups, false, err);
    if (rc == 0 && has_test(fixits)) rc = search_make(fixits, groups, true, err);
    if (rc == 0) rc = fixits_place(fixits, fixits->good, err);
    if (rc == 0) refuse_among_good(fixits);
    free(groups);
    for (uint32_t i = 0; i < count; i++) stayed |= fixits->good[i];
    *again = !stayed && fixits->refused_count > refused;
    if (rc != ERR_BUSY) return rc;
    *again = true;
    memset(fixits->good, 0, count);
    return fixits_take_back(fixits, err);
}

/* Chooses among the safe fixes; and among all of them where that was asked for, or where there is a
 * test that passes without any. */
static int choose(struct fixits *fixits, struct err *err)
{
    struct patch *patch = &fixits->patch;
    bool risky = false;
    int rc = 0;

    patch->safe_only = !fixits->fixes_all && fixits->test_state != TEST_JUDGES;
    patch_choose(patch, fixits->refused, fixits->refused_count);
    if (!patch->safe_only || fixits->test_state != TEST_UNTRIED) return 0;
    for (uint32_t i = 0; i < patch->count; i++) risky |= patch->items[i].state == PATCH_RISKY;
    if (risky) rc = look_at_test(fixits, err);
    return rc == 0 && fixits->test_state == TEST_JUDGES ? choose(fixits, err) : rc;
}

static int fix_all(struct fixits *fixits, struct err *err)
{
    uint32_t refused;
    bool again = true;
    int rc = 0;

    fixits_load(fixits);
    fixits_recall(fixits);
    refused = fixits->refused_count;
    rc = fixits_keep(fixits, err);
    for (int pass = 0; rc == 0 && again && pass < PASSES_MAX; pass++) {
        rc = choose(fixits, err);
        if (rc != 0 || fixits->patch.change_count == 0) break;
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
        if (fixits->files[i].ours) patch_apply(&fixits->patch, fixits->good, i, &content, lines);
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

/* What a fixer with this folder left behind that was killed. */
static int undo_last(const struct fixits *fixits, struct err *err)
{
    struct undone undone = { 0 };
    int rc;

    if (!fixits->attempt) return 0;
    buf_init(&undone.left, ERR_TEXT_BYTES);
    rc = fixits_undo(fixits->attempt, fixits->workspace, fixits->private_paths, &undone, err);
    if (undone.restored > 0) {
        fprintf(stderr, "fixits: took back what was not checked in %u file%s\n", undone.restored,
                undone.restored == 1 ? "" : "s");
    }
    buf_release(&undone.left);
    return rc;
}

int fixits_main(const char *const *private_paths)
{
    struct fixits fixits;
    struct signals signals = { .fd = -1, .write_fd = -1 };
    struct err err = { 0 }, second = { 0 };
    struct buf safe;
    int rc = begin(&fixits, private_paths, &err);

    if (rc == 0) rc = signals_open(&signals, &err);
    if (rc == 0) rc = undo_last(&fixits, &err);
    if (rc == 0) rc = read_findings(&fixits, &err);
    if (rc == 0) rc = fix_all(&fixits, &err);
    if (rc == 0) rc = answer(&fixits, &err);
    if (rc == 0) rc = fixits_settle(fixits.attempt, &err);
    if (rc != 0) {
        if (fixits.files && fixits_take_back(&fixits, &second) != 0) {
            err_wrap(&second, "not all fixes could be taken back");
        } else if (fixits.files) {
            (void)fixits_settle(fixits.attempt, &second);
        }
        buf_init(&safe, SIZE_MAX / 2);
        safe_text(&safe, str_of(err.text), true, 0);
        if (second.text[0]) buf_text(&safe, "; ");
        safe_text(&safe, str_of(second.text), true, 0);
        fprintf(stderr, "fixits: %s\n", buf_cstr(&safe));
        buf_release(&safe);
    }
    signals_close(&signals);
    release(&fixits);
    return rc == 0 ? 0 : 1;
}
