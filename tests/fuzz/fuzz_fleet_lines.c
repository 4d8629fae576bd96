/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_fleet_lines.c - any bytes are a line of a fleet's or are refused with words, from each side;
 * a line that was read is written, read again and written the same, and so are its job and its
 * result; a blob is whole only with the bytes of its name. */
#include "base/base64.h"
#include "format/fleet/fleet_job.h"
#include "format/fleet/fleet_line.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OUT_BYTES_MAX = 8 << 20 };

static void job_holds(struct str text, struct arena *arena)
{
    struct fleet_job job;
    struct err err = { 0 };
    struct buf once, twice;

    if (fleet_job_read(text, arena, &job, &err) != 0) {
        assert(err.text[0]);
        return;
    }
    buf_init(&once, OUT_BYTES_MAX);
    buf_init(&twice, OUT_BYTES_MAX);
    for (uint32_t i = 0; i < job.contract_count; i++) assert(fleet_path_is(job.contract[i].name));
    assert(fleet_oid_is(job.tree.snapshot) && !str_has(job.setup, '\0'));
    fleet_job_write(&job, &once);
    if (fleet_job_read(buf_str(&once), arena, &job, &err) != 0) assert(!"a job is read again");
    fleet_job_write(&job, &twice);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
    buf_release(&once);
    buf_release(&twice);
}

static void result_holds(struct str text, struct arena *arena)
{
    struct fleet_result result;
    struct err err = { 0 };
    struct buf once, twice;

    if (fleet_result_read(text, arena, &result, &err) != 0) {
        assert(err.text[0]);
        return;
    }
    buf_init(&once, OUT_BYTES_MAX);
    buf_init(&twice, OUT_BYTES_MAX);
    assert(fleet_nonce_is(result.nonce));
    fleet_result_write(&result, &once);
    if (fleet_result_read(buf_str(&once), arena, &result, &err) != 0) assert(!"read again");
    fleet_result_write(&result, &twice);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
    buf_release(&once);
    buf_release(&twice);
}

static void piece_holds(const struct fleet_line *line)
{
    struct blob_piece piece = fleet_line_piece(line);
    struct blob_gather gather;
    struct err err = { 0 };
    int rc = blob_gather_init(&gather, line->id, &err);

    assert(rc == 0);
    rc = blob_take(&gather, &piece, FLEET_BLOB_BYTES_MAX, &err);
    assert(rc == 0 ? gather.whole == (piece.data.size == piece.bytes) : err.text[0] != '\0');
}

static void line_holds(struct str text, enum fleet_side from)
{
    struct arena arena = { 0 };
    struct fleet_line line;
    struct err err = { 0 };
    struct buf once, twice;

    buf_init(&once, OUT_BYTES_MAX);
    buf_init(&twice, OUT_BYTES_MAX);
    if (fleet_line_read(text, from, &arena, &line, &err) != 0) {
        assert(err.text[0]);
    } else if (line.kind != FLEET_UNKNOWN && fleet_line_write(&line, &once) == 0) {
        if (line.kind == FLEET_BLOB) piece_holds(&line);
        if (line.kind == FLEET_JOB) job_holds(line.job, &arena);
        if (line.kind == FLEET_ENDED) result_holds(line.result, &arena);
        assert(str_has(buf_str(&once), '\n') && once.data[once.size - 1] == '\n');
        if (fleet_line_read((struct str){ once.data, once.size - 1 }, from, &arena, &line, &err) !=
            0) assert(!"a line is read again");
        if (fleet_line_write(&line, &twice) != 0) assert(!"and written again");
        assert(str_eq(buf_str(&once), buf_str(&twice)));
    }
    buf_release(&once);
    buf_release(&twice);
    arena_release(&arena);
}

static void letters_hold(struct str letters)
{
    struct buf bytes, back;

    buf_init(&bytes, letters.size);
    buf_init(&back, letters.size);
    if (base64_read(letters, &bytes) == 0) {
        int rc = base64_write(buf_str(&bytes), &back);

        assert(rc == 0 && str_eq(buf_str(&back), letters));
    }
    buf_release(&bytes);
    buf_release(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct arena arena = { 0 };

    for (int side = 0; side < FLEET_SIDE_COUNT; side++) line_holds(text, (enum fleet_side)side);
    job_holds(text, &arena);
    result_holds(text, &arena);
    letters_hold(text);
    arena_release(&arena);
    return 0;
}
