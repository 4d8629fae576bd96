/* SPDX-License-Identifier: Apache-2.0
 *
 * doc.c - what is kept of reviews and tests, for files and later prompts.
 *
 *     a review   {"issues": [...], "notes": [...], "amendments": "..."}
 *     the tests  {"status": 2, "output": "..."}
 *
 * An issue is {"severity", "message", "location"}, as the state file has it; there it also has its
 * "reviewer" where several have reviewed.
 *
 * 1. What was written is read back the same. Of any other text as much is read as makes sense.
 * 2. The plan is its planner's answer and never changes. What fixers change in it are amendments,
 *    which the review that looked at them keeps: so the plan as it stands is known as long as its
 *    review is. */
#include "dialect/iterate/iterate.h"


enum { DOC_BYTES_MAX = 16 * 1024 * 1024 };

yyjson_mut_val *iterate_issue_value(yyjson_mut_doc *doc, const struct finding *issue, bool named)
{
    yyjson_mut_val *value = yyjson_mut_obj(doc);
    struct arena arena = { 0 };

    yyjson_mut_obj_add_str(doc, value, "severity", iterate_severity_word(issue->severity));
    json_add_text(doc, value, "message", issue->text);
    json_add_text(doc, value, "location", iterate_place_print(issue, &arena));
    if (named) json_add_text(doc, value, "reviewer", issue->source);
    arena_release(&arena);
    return value;
}

static void write_list(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key,
                       const struct iterate_issues *issues)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, key);

    for (uint32_t i = 0; i < issues->count; i++) {
        yyjson_mut_arr_append(list, iterate_issue_value(doc, &issues->items[i], false));
    }
}

struct str iterate_review_write(const struct iterate_review *review, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);

    write_list(doc, root, "issues", &review->issues);
    write_list(doc, root, "notes", &review->notes);
    json_add_some(doc, root, "amendments", review->amendments);
    return json_keep(doc, false, arena);
}

static void read_list(yyjson_val *list, struct arena *arena, struct iterate_issues *out)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    yyjson_val *value;

    while ((value = yyjson_arr_iter_next(&iter)) != NULL) {
        struct finding *issue = iterate_issue_add(out, arena);

        if (!iterate_severity_read(json_str(value, "severity"), &issue->severity)) {
            issue->severity = SEVERITY_HIGH;
        }
        issue->text = iterate_text(json_str(value, "message"), ISSUE_BYTES_MAX, arena);
        iterate_place_read(iterate_text(json_str(value, "location"), 2 * PLACE_BYTES_MAX, arena),
                           issue);
        issue->fingerprint = finding_fingerprint(issue);
    }
}

void iterate_review_read(struct str doc, struct arena *arena, struct iterate_review *out)
{
    yyjson_doc *read = NULL;
    yyjson_val *root;
    struct err none;

    *out = (struct iterate_review){ .amendments = { "", 0 } };
    if (doc.size == 0 || json_read(doc, &read, &none) != 0) return;
    root = yyjson_doc_get_root(read);
    read_list(yyjson_obj_get(root, "issues"), arena, &out->issues);
    read_list(yyjson_obj_get(root, "notes"), arena, &out->notes);
    out->amendments = arena_copy(arena, json_str(root, "amendments"));
    yyjson_doc_free(read);
}

static void add_kept(const struct iterate_issues *from, struct str source, struct arena *arena,
                     struct iterate_issues *out)
{
    for (uint32_t i = 0; i < from->count; i++) {
        struct finding *issue = iterate_issue_add(out, arena);

        *issue = from->items[i];
        issue->source = source;
    }
}

void iterate_kept(const struct engine *engine, uint32_t iteration, uint32_t number, bool notes,
                  struct arena *arena, struct iterate_issues *out)
{
    const struct kept_doc *doc;

    for (uint32_t i = 0; (doc = engine_review_doc(engine, iteration, number - 1, i)) != NULL; i++) {
        struct str source = doc->shared ? str_of(engine->plan->roles[doc->role].name) : STR("");
        struct iterate_review review;

        iterate_review_read((struct str){ doc->text, doc->bytes }, arena, &review);
        add_kept(&review.issues, source, arena, out);
        if (notes) add_kept(&review.notes, source, arena, out);
    }
}

struct str iterate_tested_write(const struct iterate_tested *tested, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);

    yyjson_mut_obj_add_uint(doc, root, "status", tested->status);
    json_add_text(doc, root, "output", tested->output);
    return json_keep(doc, false, arena);
}

void iterate_tested_read(struct str doc, struct arena *arena, struct iterate_tested *out)
{
    yyjson_doc *read = NULL;
    yyjson_val *root;
    struct err none;

    *out = (struct iterate_tested){ .output = { "", 0 } };
    if (doc.size == 0 || json_read(doc, &read, &none) != 0) return;
    root = yyjson_doc_get_root(read);
    json_uint(root, "status", &out->status);
    out->output = arena_copy(arena, json_str(root, "output"));
    yyjson_doc_free(read);
}

/* The newest repair of this iteration's plan. */
static const struct batch *plan_repair(const struct engine *engine)
{
    const struct batch *repair = &engine->lanes[0].repair;

    if (repair->count == 0 || repair->iteration != engine->iteration) return NULL;
    return repair->phase == PHASE_PLAN_REVIEW - 1 ? repair : NULL;
}

/* The end of text where it is too long: what was said last holds. */
static struct str newest_of(struct str text, struct arena *arena)
{
    static const struct str note = STR("[earlier amendments are left out]\n");
    struct buf kept;
    struct str first;

    if (text.size <= AMENDMENTS_BYTES_MAX) return arena_copy(arena, text);
    text = str_skip(text, text.size - AMENDMENTS_BYTES_MAX + note.size);
    str_cut(&text, '\n', &first);
    buf_init(&kept, AMENDMENTS_BYTES_MAX);
    buf_add(&kept, note);
    buf_add(&kept, text);
    return arena_take(arena, &kept);
}

struct str iterate_amendments(const struct engine *engine, bool pending, struct arena *arena)
{
    const struct batch *repair = pending ? plan_repair(engine) : NULL;
    struct iterate_review review;
    struct str kept;
    struct buf text;

    iterate_review_read(engine_doc(engine, 0, engine->iteration, PHASE_PLAN_REVIEW - 1,
                                   FOR_REVIEW), arena, &review);
    if (!repair) return review.amendments;
    buf_init(&text, DOC_BYTES_MAX);
    buf_add(&text, review.amendments);
    for (uint32_t i = 0; i < repair->count; i++) {
        buf_printf(&text, "%sAfter review %u:\n\n", text.size ? "\n\n" : "",
                   (unsigned)repair->round);
        buf_add(&text, repair->jobs[i].result.doc);
    }
    kept = newest_of(buf_str(&text), arena);
    buf_release(&text);
    return kept;
}
