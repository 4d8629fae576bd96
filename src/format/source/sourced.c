/* SPDX-License-Identifier: Apache-2.0
 *
 * sourced.c - words behind "." and "source".
 *
 * A word is read as a shell would: quotes are taken off, and what is put in at run time ($x, ${x},
 * $(x), `x`) is left out. Where that stands in front of the last slash the name behind it is still
 * known, and programs that follow sources look for it: "$(dirname "$0")/lib.sh" is lib.sh.
 *
 * 1. What is not understood is told as "/": whoever asks must take it for any file. So is a word
 *    that is longer than WORD_BYTES_MAX: no byte is looked at more often than that. */
#include "format/source/sourced.h"

#include "base/byte.h"
#include "base/path.h"

#include <string.h>

enum { WORD_BYTES_MAX = 256 };

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static bool ends_word(char byte)
{
    return is_blank(byte) || (byte && strchr("\n\r;&|<>)#", byte));
}

/* The size of what is put in at run time and begins here; 0: it has no end. */
static size_t dynamic_size(struct str text)
{
    char close = text.data[0] == '`' ? '`' : text.size > 1 && text.data[1] == '{' ? '}' : ')';
    size_t size = 1, depth = 0;

    if (text.data[0] == '$' && text.size > 1 && !strchr("({", text.data[1])) {
        while (size < text.size && (byte_is_alnum(text.data[size]) || text.data[size] == '_')) {
            size++;
        }
        return size > 1 || text.data[1] == '\n' ? size : 2; /* $1, $@, $? */
    }
    for (; size < text.size && text.data[size] != '\n'; size++) {
        char byte = text.data[size];

        if (close == '`' ? byte == close : byte == close && --depth == 0) return size + 1;
        if ((close == ')' && byte == '(') || (close == '}' && byte == '{')) depth++;
    }
    return 0;
}

/* The last component of the word that text begins with. */
static void read_name(struct str text, struct buf *name)
{
    bool cut = text.size > WORD_BYTES_MAX;
    bool dynamic = false; /* behind the last slash */
    struct buf word;
    size_t i;

    if (cut) text.size = WORD_BYTES_MAX;
    buf_init(&word, WORD_BYTES_MAX);
    buf_clear(name);
    for (i = 0; i < text.size && !ends_word(text.data[i]); i++) {
        char byte = text.data[i];

        if (byte == '"' || byte == '\'') continue;
        if (byte == '$' || byte == '`') {
            size_t size = dynamic_size(str_skip(text, i));

            if (size == 0) word.overflow = true;
            if (size == 0) break;
            i += size - 1;
            dynamic = true;
            continue;
        }
        if (byte == '/') dynamic = false;
        buf_byte(&word, byte);
    }
    if (word.overflow || (cut && i >= text.size) || str_has(buf_str(&word), '\\') ||
        str_has(buf_str(&word), '\0')) {
        buf_text(name, "/");
    } else if (!dynamic && !str_is(buf_str(&word), "/dev/null")) {
        buf_add(name, path_leaf(buf_str(&word)));
    }
    buf_release(&word);
}

bool sourced_next(struct sourced_walk *walk, struct buf *name)
{
    struct str text = walk->text;

    for (size_t i = walk->at; i < text.size; i++) {
        struct str rest = str_skip(text, i);
        size_t bytes = str_starts(rest, STR(".")) ? 1 : str_starts(rest, STR("source")) ? 6 : 0;
        bool begins = i == 0 || (text.data[i - 1] && strchr(" \t\n;&|(){}`\"'", text.data[i - 1]));
        bool directive = bytes == 6 && rest.size > bytes && rest.data[bytes] == '=';

        if (!bytes || !begins || rest.size <= bytes) continue;
        if (!directive && !is_blank(rest.data[bytes])) continue;
        rest = str_skip(rest, bytes + directive);
        while (rest.size && is_blank(rest.data[0])) rest = str_skip(rest, 1);
        walk->at = i + bytes;
        read_name(rest, name);
        return true;
    }
    walk->at = text.size;
    return false;
}
