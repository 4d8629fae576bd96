/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_session_file.c - any bytes as a session file and, behind a byte 0xfe, as what is put into
 * it. What must hold for all of them:
 *
 * 1. A file that was read is written byte for byte, and its check says only lines.
 * 2. What is put in is there when it is read again, and no section of it has become another.
 * 3. A file that hone changed leaves nothing open that was closed, and is stable: read and written
 *    it is the same.
 * 4. The lock's reader takes anything. */
#include "dialect/check.h"
#include "dialect/session/file.h"
#include "format/text/utf8.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OUT_BYTES_MAX = 64 << 20 };

static void check_read(struct str text)
{
    struct check_report report = { 0 };
    struct session_file file;
    struct err err = { 0 };
    struct buf out;
    uint32_t count;

    assert(session_file_read(&file, text, &err) == 0);
    buf_init(&out, OUT_BYTES_MAX);
    session_file_write(&file, &out);
    assert(str_eq(buf_str(&out), text));
    session_file_check(&file, &report);
    for (uint32_t i = 0; i < report.count; i++) {
        struct str message = str_of(report.problems[i].message);
        assert(utf8_prefix(message) == message.size && !str_has(message, '\n'));
    }
    (void)session_file_paths(&file, SESSION_CHANGED, &count);
    check_report_release(&report);
    session_file_release(&file);
    buf_release(&out);
}

static void put(struct session_file *file, struct str text)
{
    struct session_bullet bullet = { STR(ROUND_ISSUES), text, &text, 1 };
    struct session_round round = { .stage = STAGE_PLANNING, .number = 7, .note = text,
                                   .bullets = &bullet, .bullet_count = 1 };
    struct session_dirty dirty = { text, text };
    struct session_path path = { text, text };
    struct session_metadata metadata;
    struct session_plan plan = { SOURCE_USER, text };

    session_file_set(file, SESSION_PROBLEM, text);
    session_file_set_plan(file, &plan);
    session_file_set_draft(file, text);
    session_file_add_round(file, &round);
    session_file_add_time(file, &(struct session_time){ text, text, text, text });
    session_file_set_paths(file, SESSION_CHANGED, &path, 1);
    session_file_metadata(file, &metadata);
    metadata.reviewer_backend = text;
    metadata.base_dirty = (struct session_dirty_map){ true, &dirty, 1 };
    metadata.session_commits = &text;
    metadata.session_commit_count = 1;
    metadata.commits_known = metadata.stages_known = true;
    metadata.completed_stages = 1 << MINT_DOCS;
    session_file_set_metadata(file, &metadata);
    session_file_complete(file);
}

static void check_same(struct session_file *file, struct session_file *again)
{
    static const enum session_section whole[] = { SESSION_PROBLEM, SESSION_PLAN, SESSION_DRAFT,
                                                  SESSION_CHANGED, SESSION_METADATA };
    struct session_metadata metadata;
    struct session_plan before, after;
    uint32_t count_before, count_after;

    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        assert(str_eq(session_file_text(file, whole[i]), session_file_text(again, whole[i])));
    }
    session_file_plan(file, &before);
    session_file_plan(again, &after);
    assert(before.source == SOURCE_USER && after.source == SOURCE_USER);
    assert(str_eq(before.body, after.body));
    session_file_metadata(again, &metadata);
    assert(metadata.completed_stages == 1 << MINT_DOCS);
    assert(metadata.base_dirty.known && metadata.base_dirty.count == 1);
    (void)session_file_rounds(file, &count_before);
    (void)session_file_rounds(again, &count_after);
    assert(count_before == count_after && count_after > 0);
}

static void check_change(struct str text, struct str value)
{
    struct session_file file, again;
    struct err err = { 0 };
    struct buf out, twice;
    bool open;

    assert(session_file_read(&file, text, &err) == 0);
    open = file.open_line != 0;
    put(&file, value);
    buf_init(&out, OUT_BYTES_MAX);
    buf_init(&twice, OUT_BYTES_MAX);
    session_file_write(&file, &out);
    assert(session_file_read(&again, buf_str(&out), &err) == 0);
    assert(!again.open_line);
    if (!open) {
        assert(file.count == again.count);
        check_same(&file, &again);
    }
    session_file_write(&again, &twice);
    assert(str_eq(buf_str(&out), buf_str(&twice)));
    session_file_release(&file);
    session_file_release(&again);
    buf_release(&out);
    buf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, 0xfe, size) : NULL;
    struct str text = { size ? (const char *)data : "", end ? (size_t)(end - data) : size };
    struct str value = end ? (struct str){ (const char *)end + 1, size - text.size - 1 } : text;
    struct session_lock lock;
    struct arena arena = { 0 };
    struct err err = { 0 };

    check_read(text);
    check_change(text, value);
    if (session_lock_read(text, &arena, &lock, &err) == 0) assert(lock.pid != 0);
    arena_release(&arena);
    return 0;
}
