/* SPDX-License-Identifier: Apache-2.0
 *
 * place.c - where an issue is: a file and a line, out of what reviewers write.
 *
 *     src/a.c   src/a.c:12   src/a.c:12:5   src/a.c:12-15   src/a.c#L12   C:\src\a.c:12
 *
 * 1. Every number behind the name is taken off, so that a name never ends in one: what is printed
 *    of a place is read as the same place again.
 * 2. A number that is no line (0, or too large) is taken off like the others; the line is unknown.
 *
 * Not here: which lines of an answer are issues (lines.c). */
#include "dialect/iterate/iterate.h"

#include "base/byte.h"

#include <string.h>

static bool is_letter(char byte)
{
    return byte_is_letter(byte) || (unsigned char)byte >= 0x80;
}

/* The digits at the end of text, as a line; text loses them. False: there are none. */
static bool cut_digits(struct str *text, uint32_t *line)
{
    size_t size = text->size;
    struct str digits;
    uint64_t number;

    while (size && byte_is_digit(text->data[size - 1])) size--;
    if (size == text->size) return false;
    digits = str_skip(*text, size);
    *line = str_number(digits, &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
    text->size = size;
    return true;
}

static bool cut_end(struct str *text, struct str end)
{
    if (!str_ends(*text, end)) return false;
    text->size -= end.size;
    return true;
}

/* ":12", ":L12", "#L12" at the end, or a range ":12-15"; text loses it. */
static bool cut_number(struct str *text, uint32_t *line, uint32_t *end_line)
{
    struct str name = *text;
    uint32_t number, before;

    *end_line = 0;
    if (!cut_digits(&name, &number)) return false;
    cut_end(&name, STR("L"));
    if (cut_end(&name, STR("-")) && cut_digits(&name, &before)) {
        *end_line = number;
        number = before;
        cut_end(&name, STR("L"));
    }
    if (!cut_end(&name, STR(":")) && !cut_end(&name, STR("#"))) return false;
    if (str_trim(name).size == 0) return false;
    *line = number;
    *text = name;
    return true;
}

void iterate_place_read(struct str place, struct finding *out)
{
    uint32_t line = 0, end_line = 0, later = 0;

    out->line = out->column = out->end_line = 0;
    out->file = str_trim(place);
    while (cut_number(&out->file, &line, &end_line)) {
        out->column = later;
        out->line = later = line;
        out->end_line = end_line > line ? end_line : 0;
        out->file = str_trim(out->file);
    }
    if (out->end_line) out->column = 0;
}

struct str iterate_place_print(const struct finding *finding, struct arena *arena)
{
    enum { NUMBER_BYTES = 16 };
    struct buf text;
    struct str kept;

    if (finding->file.size == 0 || finding->line == 0) return arena_copy(arena, finding->file);
    buf_init(&text, finding->file.size + NUMBER_BYTES);
    buf_add(&text, finding->file);
    buf_printf(&text, ":%u", (unsigned)finding->line);
    kept = arena_copy(arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

/* A word that can be a file with a line: a name with a letter in it, and no address. */
static bool is_place(struct str word)
{
    struct finding place;
    bool has_letter = false;

    iterate_place_read(word, &place);
    if (place.line == 0 || memmem(word.data, word.size, "://", 3)) return false;
    for (size_t i = 0; i < place.file.size; i++) {
        if (strchr("\"'<>|*?", place.file.data[i])) return false;
        has_letter = has_letter || is_letter(place.file.data[i]);
    }
    return has_letter && place.file.data[place.file.size - 1] != ':';
}

/* Without the marks that text puts around a word. */
static struct str bare(struct str word)
{
    while (word.size && strchr("([{<`*_\"',;:|", word.data[0])) word = str_skip(word, 1);
    while (word.size && strchr(")]}>`*_\"',;:.|!?", word.data[word.size - 1])) word.size--;
    return word;
}

bool iterate_place_find(struct str line, struct str *out)
{
    struct str rest = line, word;
    size_t tick = 0;

    /* A name with blanks in it can only be told inside `...`. */
    for (size_t i = 0; i < line.size; i++) {
        if (line.data[i] != '`') continue;
        word = str_trim((struct str){ line.data + tick, i - tick });
        if (tick && is_place(word)) {
            *out = word;
            return true;
        }
        tick = i + 1;
    }
    while (str_cut(&rest, ' ', &word)) {
        word = bare(str_trim(word));
        if (!is_place(word)) continue;
        *out = word;
        return true;
    }
    return false;
}
