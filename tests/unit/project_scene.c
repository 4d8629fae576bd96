/* SPDX-License-Identifier: Apache-2.0 */
#include "project_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES_MAX = 1 << 16 };

static void must(int rc, const struct err *err)
{
    if (rc != 0) fail_msg("%d: %s", rc, err->text);
}

void scene_list(struct project *project, const struct ground *ground, const char *since)
{
    const struct scope scope = { .since = since };
    struct err err = { 0 };

    must(project_open(project, ground->work, &scope, NULL, &err), &err);
    assert_string_equal(project->workspace, ground->work);
}

void scene_flags(struct project *project, const struct ground *ground, const char *since)
{
    struct err err = { 0 };

    scene_list(project, ground, since);
    must(project_find_flags(project, &err), &err);
}

void scene_includes(struct project *project, const struct ground *ground, const char *since)
{
    struct err err = { 0 };

    scene_flags(project, ground, since);
    must(project_find_includes(project, &err), &err);
}

const struct source *scene_source(const struct project *project, const char *path)
{
    const struct source *source = project_source(project, str_of(path));

    if (!source) fail_msg("%s is no source", path);
    return source;
}

static void add_word(struct buf *out, const char *word)
{
    buf_printf(out, "%s%s", out->size ? " " : "", word);
}

static void expect_text(struct buf *out, const char *expected)
{
    assert_string_equal(buf_cstr(out), expected);
    buf_release(out);
}

void expect_sources(const struct project *project, const char *expected)
{
    struct buf out;

    buf_init(&out, TEXT_BYTES_MAX);
    for (uint32_t i = 0; i < project->count; i++) add_word(&out, project->sources[i].path);
    expect_text(&out, expected);
}

void expect_wanted(const struct project *project, const char *expected)
{
    struct buf out;

    buf_init(&out, TEXT_BYTES_MAX);
    for (uint32_t i = 0; i < project->count; i++) {
        if (project->sources[i].wanted) add_word(&out, project->sources[i].path);
    }
    expect_text(&out, expected);
}

void expect_includes(const struct project *project, const char *path, const char *expected)
{
    const struct source *source = scene_source(project, path);
    struct buf out;

    buf_init(&out, TEXT_BYTES_MAX);
    for (uint32_t i = 0; i < source->include_count; i++)
        add_word(&out, project->sources[source->includes[i]].path);
    expect_text(&out, expected);
}

void expect_flags(const struct project *project, const char *path, const char *expected)
{
    const struct source *source = scene_source(project, path);
    struct buf out;

    buf_init(&out, TEXT_BYTES_MAX);
    assert_non_null(source->flags);
    for (const char *const *flag = source->flags; *flag; flag++) add_word(&out, *flag);
    expect_text(&out, expected);
}

void expect_words(const struct err *err, const char *words)
{
    if (!strstr(err->text, words)) fail_msg("\"%s\" is not in: %s", words, err->text);
}
