/* SPDX-License-Identifier: Apache-2.0
 *
 * diff.c - what changed between two reviews, as a document: of one repair, or of the whole run.
 *
 * git's text of the two trees is cut into files, hunks and lines, each line with its mark in front.
 * Names of files are plain, without what git quotes.
 *
 * 1. Bounded: LINES_MAX lines in all and FILES_MAX files; of what is beyond that the numbers stay.
 * 2. Where there is no diff it says why; that is no error. */
#include "document/parts.h"

#include "run/teller.h"

enum { LINES_MAX = 10000, FILES_MAX = 2000, DIFF_BYTES_MAX = 8 << 20, NAME_BYTES_MAX = 64 << 10 };

static const char no_repair[] = "no repair followed this review, or no review followed the repair";
static const char no_review[] = "the trees of two reviews of the main lane are not kept";

/* ---- one diff ---- */

struct writing {
    yyjson_mut_doc *doc;
    uint32_t left; /* so many lines may be written yet */
    bool cut;
};

static yyjson_mut_val *name_json(yyjson_mut_doc *doc, struct str name)
{
    yyjson_mut_val *text;
    struct buf plain;

    buf_init(&plain, NAME_BYTES_MAX);
    story_diff_name(name, &plain);
    text = json_text(doc, buf_str(&plain));
    buf_release(&plain);
    return text;
}

void hunk_json(const struct story_hunk *hunk, uint32_t lines_max, yyjson_mut_doc *doc,
               yyjson_mut_val *object)
{
    struct str rest = hunk->lines, line;
    yyjson_mut_val *list;

    yyjson_mut_obj_add_uint(doc, object, "old_first", hunk->old_first);
    yyjson_mut_obj_add_uint(doc, object, "old_count", hunk->old_count);
    yyjson_mut_obj_add_uint(doc, object, "new_first", hunk->new_first);
    yyjson_mut_obj_add_uint(doc, object, "new_count", hunk->new_count);
    list = yyjson_mut_obj_add_arr(doc, object, "lines");
    for (uint32_t i = 0; i < lines_max && str_cut(&rest, '\n', &line); i++) {
        yyjson_mut_arr_append(list, json_text(doc, line));
    }
}

static uint32_t count_marks(struct str lines, char mark)
{
    struct str line;
    uint32_t count = 0;

    while (str_cut(&lines, '\n', &line)) count += line.size > 0 && line.data[0] == mark;
    return count;
}

static void file_json(struct writing *writing, const struct story_file *file, bool shown,
                      yyjson_mut_val *object)
{
    yyjson_mut_doc *doc = writing->doc;
    struct str rest = file->hunks;
    uint32_t added = 0, removed = 0;
    struct story_hunk hunk;
    yyjson_mut_val *hunks;
    bool cut = false;

    yyjson_mut_obj_add_val(doc, object, "file", name_json(doc, file->name));
    if (file->made) yyjson_mut_obj_add_null(doc, object, "old_file");
    else yyjson_mut_obj_add_val(doc, object, "old_file", name_json(doc, file->name));
    yyjson_mut_obj_add_str(doc, object, "state", file->made ? "made" : file->deleted ? "deleted"
                                                                                     : "changed");
    hunks = yyjson_mut_obj_add_arr(doc, object, "hunks");
    while (story_diff_hunk(&rest, &hunk)) {
        uint32_t plus = count_marks(hunk.lines, '+'), minus = count_marks(hunk.lines, '-');
        uint32_t lines = plus + minus + count_marks(hunk.lines, ' ') +
                         count_marks(hunk.lines, '\\');

        added += plus;
        removed += minus;
        cut = cut || !shown || lines > writing->left;
        if (!shown || writing->left == 0) continue;
        hunk_json(&hunk, writing->left, doc, yyjson_mut_arr_add_obj(doc, hunks));
        writing->left -= lines < writing->left ? lines : writing->left;
    }
    yyjson_mut_obj_add_uint(doc, object, "added", added);
    yyjson_mut_obj_add_uint(doc, object, "removed", removed);
    yyjson_mut_obj_add_bool(doc, object, "binary", file->binary);
    yyjson_mut_obj_add_bool(doc, object, "cut", cut);
    writing->cut = writing->cut || cut;
}

/* The files of git's text; all of it is parsed, and as much written as there is room for. */
static void diff_json(struct str text, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    struct writing writing = { .doc = doc, .left = LINES_MAX };
    yyjson_mut_val *files = yyjson_mut_obj_add_arr(doc, root, "files");
    struct story_file file;
    uint32_t total = 0;

    writing.cut = str_starts(str_last_line(text), STR("(cut: ")) ||
                  str_starts(text, STR("(the differences are longer "));
    while (story_diff_file(&text, &file)) {
        if (total++ < FILES_MAX) {
            file_json(&writing, &file, writing.left > 0, yyjson_mut_arr_add_obj(doc, files));
        } else {
            writing.cut = true;
        }
    }
    yyjson_mut_obj_add_uint(doc, root, "total_files", total);
    yyjson_mut_obj_add_bool(doc, root, "cut", writing.cut);
}

/* ---- which ---- */

static void between_json(struct teller *teller, uint32_t from, uint32_t to, const char *why,
                         yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    struct story_diff diff = { .why = why };

    if (!why) tell_diff(teller, from, to, DIFF_BYTES_MAX, &diff);
    if (from == STORY_NONE) yyjson_mut_obj_add_null(doc, root, "from");
    else yyjson_mut_obj_add_uint(doc, root, "from", from);
    if (to == STORY_NONE) yyjson_mut_obj_add_null(doc, root, "to");
    else yyjson_mut_obj_add_uint(doc, root, "to", to);
    if (diff.why) json_add(doc, root, "why", diff.why);
    else yyjson_mut_obj_add_null(doc, root, "why");
    diff_json(diff.text, doc, root);
}

int document_diff(const struct status *status, const uint32_t *at, yyjson_mut_doc *doc,
                  yyjson_mut_val *root, struct err *err)
{
    uint32_t rounds = status->replay->engine.round_count, from, to;
    struct arena arena = { 0 };
    const char *why = NULL;
    struct teller teller;

    if (at && *at >= rounds) {
        return err_set(err, ERR_MISSING, "run %s has no round %u; it has %u, from 0 on",
                       status->look->run.id, (unsigned)*at, (unsigned)rounds);
    }
    teller_open(&teller, status->look, status->replay, status->history, &arena);
    if (at) {
        from = *at;
        to = status->replay->engine.rounds[from].repaired_ms ? teller_round_behind(&teller, from)
                                                             : STORY_NONE;
        if (to == STORY_NONE) why = no_repair;
    } else {
        from = teller_tree_first(&teller);
        to = teller_tree_last(&teller);
        if (from == to) why = no_review;
    }
    json_add(doc, root, "run", status->look->run.id);
    between_json(&teller, from, to, why, doc, root);
    teller_close(&teller);
    arena_release(&arena);
    return 0;
}
