/* SPDX-License-Identifier: Apache-2.0
 *
 * secrets.c - analyzer secrets: keys, tokens and passwords in any file of the scope, by hone itself
 * (format/secret). No secret is in what it says: a finding has its place, its kind and its
 * beginning, and no evidence. */
#include "analyze/analyze.h"
#include "analyze/analyzers.h"

#include "format/secret/secret_finding.h"
#include "io/file/file.h"

struct secrets_look {
    struct review *review;
    uint32_t looked, unread;
};

static void secret_add(void *context, const struct finding *finding)
{
    review_add(context, finding);
}

static void file_look(struct secrets_look *look, const char *path)
{
    struct review *review = look->review;
    struct buf content;
    struct err err;

    if (review_excludes(review, str_of(path))) return;
    buf_init(&content, SOURCE_BYTES_MAX);
    if (file_read_in(review->workspace, path, &content, &err) == 0) {
        secrets_find(arena_copy(&review->arena, str_of(path)), buf_str(&content), &review->arena,
                     secret_add, review);
        look->looked++;
    } else {
        look->unread++;
    }
    buf_release(&content);
}

static int secrets_review(struct review *review, struct err *err)
{
    const struct project *project = &review->project;
    struct secrets_look look = { .review = review };

    (void)err;
    for (uint32_t i = 0; i < project->count; i++) {
        if (project->sources[i].changed) file_look(&look, project->sources[i].path);
    }
    for (uint32_t i = 0; i < project->other_count; i++) file_look(&look, project->others[i]);
    if (look.looked > 0) review->findings.unseen = false;
    review_note(review, "secrets looked at %u file%s", look.looked, look.looked == 1 ? "" : "s");
    if (look.unread > 0) {
        review_note(review, "%u file%s could not be read, or %s too large: not looked at for "
                    "secrets", look.unread, look.unread == 1 ? "" : "s",
                    look.unread == 1 ? "is" : "are");
    }
    return 0;
}

const struct analyzer analyzer_secrets = {
    .name = "secrets",
    .languages = (const struct language *const[]){ &language_any, NULL },
    .only_configured = true, /* no settings are its own: it looks where it is named */
    .look = secrets_review,
};
