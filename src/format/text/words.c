/* SPDX-License-Identifier: Apache-2.0 */
#include "format/text/words.h"

#include "base/byte.h"

#include <string.h>

bool starts_with_word(struct str text, const char *word)
{
    size_t i = 0;

    while (i < text.size && word[i] && byte_small(text.data[i]) == byte_small(word[i])) i++;
    return !word[i];
}

bool word_is(struct str text, const char *word)
{
    return text.size == strlen(word) && starts_with_word(text, word);
}

bool text_is_one_of(struct str text, const char *const *words)
{
    while (*words && !str_is(text, *words)) words++;
    return *words;
}

bool word_is_one_of(struct str text, const char *const *words)
{
    while (*words && !word_is(text, *words)) words++;
    return *words;
}

uint32_t word_index(struct str text, const char *const *words, uint32_t count)
{
    uint32_t at = 0;

    while (at < count && !str_is(text, words[at])) at++;
    return at;
}

static bool is_one_of(char byte, const char *bytes)
{
    return byte && strchr(bytes, byte);
}

struct str text_skip(struct str text, const char *front)
{
    while (text.size && is_one_of(text.data[0], front)) text = str_skip(text, 1);
    return text;
}

struct str text_bare(struct str text, const char *front, const char *behind)
{
    text = text_skip(text, front);
    while (text.size && is_one_of(text.data[text.size - 1], behind)) text.size--;
    return text;
}

size_t text_digits(struct str text)
{
    size_t digits = 0;

    while (digits < text.size && byte_is_digit(text.data[digits])) digits++;
    return digits;
}

bool text_has(struct str text, const char *part)
{
    return text.size && memmem(text.data, text.size, part, strlen(part));
}
