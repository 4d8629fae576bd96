/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/answer.h"

#include "base/mem.h"
#include "format/json/json.h"
#include "format/text/utf8.h"

#include <assert.h>
#include <string.h>

struct str answer_mended(struct str bytes, struct arena *arena)
{
    yyjson_mut_doc *doc;
    yyjson_mut_val *value;
    struct str text;

    if (utf8_prefix(bytes) == bytes.size) return bytes;
    doc = json_new();
    value = json_text(doc, bytes);
    text = arena_copy(arena, (struct str){ yyjson_mut_get_str(value), yyjson_mut_get_len(value) });
    yyjson_mut_doc_free(doc);
    return text;
}

struct str answer_short(struct str text, size_t bytes_max, struct arena *arena)
{
    static const struct str dots = STR("...");
    struct str head;
    char *copy;

    if (text.size <= bytes_max) return arena_copy(arena, text);
    assert(bytes_max > dots.size);
    head = str_head(text, bytes_max - dots.size);
    copy = arena_alloc(arena, head.size + dots.size + 1);
    memcpy(copy, head.data, head.size);
    memcpy(copy + head.size, dots.data, dots.size + 1);
    return (struct str){ copy, head.size + dots.size };
}

struct str answer_bounded(struct str text, size_t bytes_max, struct arena *arena)
{
    enum { NOTE_BYTES = 48 };
    struct buf cut;

    assert(bytes_max > NOTE_BYTES);
    if (text.size <= bytes_max) return text;
    buf_init(&cut, bytes_max);
    buf_add(&cut, str_head(text, bytes_max - NOTE_BYTES));
    buf_printf(&cut, "... [cut: %zu bytes in all]", text.size);
    assert(!cut.overflow);
    return arena_take(arena, &cut);
}

char *answer_unfenced(struct str answer)
{
    static const struct str fence = STR("```");
    struct str text = str_trim(answer), first, inside = text;
    size_t open, close;
    char *copy;

    if (!str_starts(text, fence)) return NULL;
    str_cut(&inside, '\n', &first);
    if (str_has(str_skip(first, fence.size), '`') || str_has(first, '{')) return NULL;
    if (!str_ends(inside, fence)) return NULL;
    inside.size -= fence.size;
    if (!str_ends(inside, STR("\n")) && inside.size > 0) return NULL;
    open = (size_t)(text.data - answer.data);
    close = open + text.size - fence.size;
    copy = mem_copy(answer.data, answer.size);
    memset(copy + open, ' ', first.size);
    memset(copy + close, ' ', fence.size);
    return copy;
}

static const struct str stuck_word = STR("STUCK:");

bool answer_is_stuck(struct str answer)
{
    return str_starts(str_last_line(answer), stuck_word);
}

struct str answer_stuck_reason(struct str answer)
{
    struct str line = str_last_line(answer);

    if (!str_starts(line, stuck_word)) return STR("");
    return str_trim(str_skip(line, stuck_word.size));
}
