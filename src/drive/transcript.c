/* SPDX-License-Identifier: Apache-2.0
 *
 * transcript.c - the files of an attempt once it has ended: masked, and of bounded size.
 *
 *   file --(any secret? else leave it)--> head [+ a line for what is left out + tail] --> masked
 *
 * 1. Memory is bounded by a piece, however large the file is.
 * 2. A file is replaced by name. If hone is killed, the file is either as the attempt left it or
 *    masked and cut, never half of each. A program that has it open goes on reading the old bytes.
 * 3. Doing it again changes nothing. */
#include "drive/transcript.h"

#include "io/file/rewrite.h"

#include <inttypes.h>

enum {
    PIECE_BYTES = 1 << 20,
    NEAR_BYTES = 64 << 10, /* so far from the place of a cut a line end is looked for */
    HALF_BYTES = TRANSCRIPT_BYTES_MAX / 2 - NEAR_BYTES,
};

const char *const attempt_files[] = {
    [FILE_PROMPT] = "prompt", [FILE_ANSWER] = "answer", [FILE_SAID] = "said",
    [FILE_REPORT] = "report", [FILE_STDOUT] = "stdout", [FILE_STDERR] = "stderr",
    [FILE_FINDINGS] = "findings", [FILE_CHILDREN] = "children",
    [FILE_EVIDENCE] = "evidence", [ATTEMPT_FILE_COUNT] = NULL,
};

struct pass {
    struct rewrite *file;
    const struct mask *mask;
    struct buf piece, masked;
    bool write; /* else only looked */
    bool found;
};

/* The bytes from one place to another. */
static int pass_range(struct pass *pass, uint64_t from, uint64_t to, struct err *err)
{
    int rc = 0;

    while (from < to && rc == 0 && (pass->write || !pass->found)) {
        uint64_t left = to - from;
        struct str text;

        buf_clear(&pass->piece);
        rc = rewrite_read(pass->file, from, left < PIECE_BYTES ? (size_t)left : PIECE_BYTES,
                          &pass->piece, err);
        if (rc != 0 || pass->piece.size == 0) break;
        text = buf_str(&pass->piece);
        if (left > PIECE_BYTES) text.size = mask_cut(text);
        from += text.size;
        buf_clear(&pass->masked);
        if (mask_text(pass->mask, text, pass->write ? &pass->masked : NULL)) {
            pass->found = true;
            text = buf_str(&pass->masked);
        }
        if (pass->write) rc = rewrite_add(pass->file, text, err);
    }
    return rc;
}

/* The end of a line not far behind a place, or the place. */
static int line_end_near(struct pass *pass, uint64_t *place, struct err *err)
{
    int rc;

    buf_clear(&pass->piece);
    rc = rewrite_read(pass->file, *place, NEAR_BYTES, &pass->piece, err);
    for (size_t i = 0; i < pass->piece.size && rc == 0; i++) {
        if (pass->piece.data[i] != '\n') continue;
        *place += i + 1;
        break;
    }
    return rc;
}

static int pass_shorten(struct pass *pass, struct err *err)
{
    uint64_t bytes = pass->file->bytes, head = HALF_BYTES, tail = bytes - HALF_BYTES;
    int rc = line_end_near(pass, &head, err);

    if (rc == 0) rc = line_end_near(pass, &tail, err);
    if (rc == 0) rc = pass_range(pass, 0, head, err);
    if (rc != 0) return rc;
    buf_clear(&pass->masked);
    buf_printf(&pass->masked, "%s" TRANSCRIPT_CUT "%" PRIu64 " bytes here]\n",
               head == HALF_BYTES ? "\n" : "", tail - head);
    rc = rewrite_add(pass->file, buf_str(&pass->masked), err);
    return rc == 0 ? pass_range(pass, tail, bytes, err) : rc;
}

static int settle_file(const char *dir, const char *name, const struct mask *mask, struct err *err)
{
    struct rewrite file;
    struct pass pass = { .file = &file, .mask = mask };
    int rc = rewrite_open(&file, dir, name, err);

    if (rc != 0) return rc == ERR_MISSING || rc == ERR_FORMAT ? 0 : rc;
    if (file.bytes == 0) goto out;
    buf_init(&pass.piece, PIECE_BYTES + 1);
    buf_init(&pass.masked, 128 * (size_t)PIECE_BYTES);
    pass.write = file.bytes > TRANSCRIPT_BYTES_MAX;
    rc = pass.write ? pass_shorten(&pass, err) : pass_range(&pass, 0, file.bytes, err);
    if (rc == 0 && pass.found && !pass.write) {
        pass.write = true;
        rc = pass_range(&pass, 0, file.bytes, err);
    }
    if (rc == 0 && pass.write) rc = rewrite_commit(&file, err);
    buf_release(&pass.piece);
    buf_release(&pass.masked);

out:
    rewrite_close(&file);
    return rc == 0 ? 0 : err_wrap(err, "mask what an agent said");
}

int transcript_settle(const char *dir, uint32_t files, const struct mask *mask, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; attempt_files[i] && rc == 0; i++) {
        if (files & FILE_BIT(i)) rc = settle_file(dir, attempt_files[i], mask, err);
    }
    return rc;
}
