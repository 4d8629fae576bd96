/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/slots.h"

#include "dialect/quote.h"

#include <assert.h>
#include <string.h>

/* A word of ours stays on its line: what does not is no word, and belongs into a quote. */
struct slot_word slot_word(const char *text)
{
    assert(!text || !text[strcspn(text, "\r\n")]);
    return (struct slot_word){ .text = text ? text : "", .filled = true };
}

struct slot_word slot_number(uint32_t number)
{
    return (struct slot_word){ .number = number, .filled = true };
}

struct slot_text slot_text(struct str text, size_t bytes_max)
{
    assert(bytes_max > 0);
    return (struct slot_text){ text, bytes_max };
}

struct slot_names slot_names(const struct str *names, uint32_t count)
{
    return (struct slot_names){ names, count, true };
}

struct slot_part slot_part(const struct buf *written)
{
    return (struct slot_part){ buf_str(written), true };
}

struct slot_part slot_words(const char *written)
{
    return (struct slot_part){ str_of(written), true };
}

struct str words_keep(struct buf *written, struct arena *arena)
{
    struct str text = buf_str(written);
    const char *kept;

    assert(!written->overflow);
    if (str_ends(text, STR("\n"))) text.size--;
    kept = arena_cstr(arena, text);
    buf_release(written);
    return str_of(kept);
}

bool slot_word_has(struct slot_word word)
{
    return word.text ? *word.text != '\0' : word.number != 0;
}

bool slot_text_has(struct slot_text text) { return text.text.size > 0; }

bool slot_names_has(struct slot_names names) { return names.count > 0; }

bool slot_part_has(struct slot_part part) { return part.text.size > 0; }

void slot_say(struct buf *out, struct slot_word word)
{
    assert(word.filled);
    if (word.text) buf_text(out, word.text);
    else buf_printf(out, "%u", (unsigned)word.number);
}

void slot_quote(struct buf *out, const char *fence, struct slot_text text)
{
    assert(text.bytes_max > 0);
    quote_block(out, fence, text.text, text.bytes_max);
}

void slot_line(struct buf *out, const char *fence, struct slot_text text)
{
    assert(text.bytes_max > 0);
    quote_line(out, fence, text.text, text.bytes_max);
}

void slot_list(struct buf *out, const char *fence, struct slot_names names)
{
    assert(names.filled);
    quote_names(out, fence, names.names, names.count);
}

void slot_insert(struct buf *out, struct slot_part part)
{
    assert(part.filled);
    buf_add(out, part.text);
}
