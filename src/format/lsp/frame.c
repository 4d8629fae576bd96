/* SPDX-License-Identifier: Apache-2.0
 *
 * frame.c - a head, byte by byte, until its empty line; then as many bytes as it says.
 *
 *            empty line                       length reached
 *   HEAD ----------------> BODY (kept) ------------------------> a message; HEAD
 *     |          '-------> BODY (passed over) -----------------> skipped; HEAD
 *     '--> broken: where the next message begins is not known any more
 *
 * 1. No more is kept than the longest head and the longest body that are allowed, whatever the
 *    stream says.
 * 2. What two readers could take in two ways is broken: a length that is said twice, is no plain
 *    number, or is missing; a line end that is not CR LF; another character set. */
#include "format/lsp/frame.h"

#include "base/byte.h"

#include <stddef.h>

void frames_init(struct frames *frames)
{
    *frames = (struct frames){ .problem = NULL };
    buf_init(&frames->head, FRAME_HEAD_BYTES_MAX);
    buf_init(&frames->body, FRAME_BODY_BYTES_MAX + 64); /* a parser wants some bytes behind it */
}

void frames_release(struct frames *frames)
{
    buf_release(&frames->head);
    buf_release(&frames->body);
}

/* ---- the head ---- */

static bool is_word(struct str text, const char *word)
{
    struct str wanted = str_of(word);

    if (text.size != wanted.size) return false;
    for (size_t i = 0; i < text.size; i++) {
        if (byte_small(text.data[i]) != wanted.data[i]) return false;
    }
    return true;
}

/* "application/vscode-jsonrpc; charset=utf-8": what is no charset does not matter. */
static bool is_utf8(struct str type)
{
    struct str piece;

    while (str_cut(&type, ';', &piece)) {
        struct str name = { 0 };

        piece = str_trim(piece);
        if (!str_has(piece, '=') || !str_cut(&piece, '=', &name)) continue;
        if (!is_word(str_trim(name), "charset")) continue;
        piece = str_trim(piece);
        if (piece.size >= 2 && piece.data[0] == '"' && str_ends(piece, STR("\""))) {
            piece = (struct str){ piece.data + 1, piece.size - 2 };
        }
        if (!is_word(piece, "utf-8") && !is_word(piece, "utf8")) return false;
    }
    return true;
}

static const char *read_line(struct str line, bool *has_length, uint64_t *length)
{
    struct str name;

    if (!str_has(line, ':') || !str_cut(&line, ':', &name)) return "a line of the head has no ':'";
    line = str_trim(line);
    if (is_word(name, "content-type")) {
        return is_utf8(line) ? NULL : "the head names another character set than utf-8";
    }
    if (!is_word(name, "content-length")) return NULL;
    if (*has_length) return "the head has two lengths";
    *has_length = true;
    if (!str_number(line, length)) return "the length in the head is no number";
    return *length > FRAME_SKIP_BYTES_MAX ? "the length in the head is absurd" : NULL;
}

/* The whole head, with its empty line. */
static const char *read_head(struct str head, uint64_t *length)
{
    const char *problem = NULL;
    bool has_length = false;
    struct str line;

    while (!problem && str_cut(&head, '\n', &line)) {
        if (!str_ends(line, STR("\r"))) return "a line of the head does not end in CR LF";
        line.size--;
        if (str_has(line, '\r') || str_has(line, '\0')) return "the head has control characters";
        if (line.size > 0) problem = read_line(line, &has_length, length);
    }
    return problem ? problem : has_length ? NULL : "the head has no Content-Length";
}

static bool take_head_byte(struct frames *frames, char byte)
{
    if (buf_byte(&frames->head, byte) != 0) {
        frames->problem = "the head of a message is too long";
        return false;
    }
    if (byte != '\n') return false;
    if (str_is(buf_str(&frames->head), "\r\n")) {
        frames->problem = "the head has no Content-Length";
        return false;
    }
    if (str_ends(buf_str(&frames->head), STR("\r\n\r\n"))) return true;
    if (!str_ends(buf_str(&frames->head), STR("\r\n"))) {
        frames->problem = "a line of the head does not end in CR LF";
    }
    return false;
}

static void begin_body(struct frames *frames)
{
    frames->problem = read_head(buf_str(&frames->head), &frames->left);
    buf_clear(&frames->head);
    buf_clear(&frames->body);
    frames->in_body = true;
    frames->skips = frames->left > FRAME_BODY_BYTES_MAX;
}

/* ---- the stream ---- */

static enum frame_event take_body(struct frames *frames, struct str *chunk)
{
    size_t part = chunk->size < frames->left ? chunk->size : (size_t)frames->left;

    if (!frames->skips) (void)buf_add(&frames->body, (struct str){ chunk->data, part });
    *chunk = str_skip(*chunk, part);
    frames->left -= part;
    if (frames->left > 0) return FRAME_NOTHING;
    frames->in_body = false;
    return frames->skips ? FRAME_SKIPPED : FRAME_MESSAGE;
}

enum frame_event frames_next(struct frames *frames, struct str *chunk)
{
    while (!frames->problem && !frames->in_body && chunk->size > 0) {
        char byte = chunk->data[0];

        *chunk = str_skip(*chunk, 1);
        if (take_head_byte(frames, byte)) begin_body(frames);
    }
    if (frames->problem) return FRAME_BROKEN;
    return frames->in_body ? take_body(frames, chunk) : FRAME_NOTHING;
}

bool frames_are_whole(const struct frames *frames)
{
    return !frames->problem && !frames->in_body && frames->head.size == 0;
}

void frame_head(struct buf *out, size_t body_bytes)
{
    buf_printf(out, "Content-Length: %zu\r\n\r\n", body_bytes);
}
