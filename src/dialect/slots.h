/* SPDX-License-Identifier: Apache-2.0
 *
 * slots.h - what the slots of a prompt hold, and how each is written.
 *
 * Prompts stand below prompts/, as Markdown with tags. tools/prompts.c makes a struct of their
 * slots and a function of each prompt. A dialect fills the struct and calls the function.
 *
 * 1. A text from outside (the user's, an agent's, a file's) is a slot_text or slot_names. It is
 *    written as a quote or as one line in which nothing can pass for a line of ours (quote.h).
 * 2. A slot_word is hone's own: a name from a table, a path that hone made, a number.
 * 3. A slot_part is written by a function, which quotes what is from outside itself.
 * 4. A prompt that needs a slot which was not filled is a fault of the program: an assertion. */
#ifndef HONE_DIALECT_SLOTS_H
#define HONE_DIALECT_SLOTS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct slot_word {
    const char *text; /* NULL: it is the number */
    uint32_t number;
    bool filled;
};

struct slot_text {
    struct str text;
    size_t bytes_max; /* 0: not filled */
};

struct slot_names {
    const struct str *names;
    uint32_t count;
    bool filled;
};

struct slot_part {
    struct str text;
    bool filled;
};

struct slot_word slot_word(const char *text);
struct slot_word slot_number(uint32_t number);
struct slot_text slot_text(struct str text, size_t bytes_max);
struct slot_names slot_names(const struct str *names, uint32_t count);
struct slot_part slot_part(const struct buf *written); /* which must live on */
struct slot_part slot_words(const char *written);      /* the same of a text, such as an error's */

/* Whether there is something in it; one that was not filled has nothing. */
bool slot_word_has(struct slot_word word); /* a text, or a number that is not 0 */
bool slot_text_has(struct slot_text text);
bool slot_names_has(struct slot_names names);
bool slot_part_has(struct slot_part part);

/* A prompt that was written into a buffer, without its last line end, in arena: what goes into
 * other words, such as a correction. The buffer is released. */
enum { SLOT_WORDS_BYTES_MAX = 1 << 20 };
struct str words_keep(struct buf *written, struct arena *arena);

/* What the functions that are made of prompts call. */
void slot_say(struct buf *out, struct slot_word word);
void slot_quote(struct buf *out, const char *fence, struct slot_text text);
void slot_line(struct buf *out, const char *fence, struct slot_text text);
void slot_list(struct buf *out, const char *fence, struct slot_names names);
void slot_insert(struct buf *out, struct slot_part part);

#endif
