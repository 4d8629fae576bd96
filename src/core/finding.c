/* SPDX-License-Identifier: Apache-2.0
 *
 * finding.c - the identity of a finding across rounds.
 *
 * Reviewers say the same thing with another line number, another capital, another line break.
 * The fingerprint is taken over the file and the text with these smoothed away: letters in lower
 * case, a run of digits as one 0, a run of anything else that is not a letter as one blank. In what
 * is quoted digits are code, and count: only a line number in front of a line does not. */
#include "core/finding.h"

#include "base/byte.h"
#include "base/hash.h"

static uint64_t mix_smoothed(uint64_t hash, struct str text, bool digits_count)
{
    char last = ' ';

    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        bool digit = byte_is_digit(byte);
        bool upper = byte_is_capital(byte);
        bool letter = upper || byte_is_small(byte) || (unsigned char)byte >= 0x80;

        if (upper) byte = (char)(byte - 'A' + 'a');
        if (digit && !digits_count) byte = '0';
        if (!digit && !letter) byte = ' ';
        if (byte == ' ' && last == ' ') continue;
        if (digit && !digits_count && last == '0') continue;
        hash = hash_byte(hash, byte);
        last = byte;
    }
    return last == ' ' ? hash : hash_byte(hash, ' ');
}

uint64_t finding_fingerprint(const struct finding *finding)
{
    return mix_smoothed(hash_byte(hash_text(HASH_START, finding->file), '\0'), finding->text,
                        false);
}

/* "12: code", "12 | code" and "12<tab>code" without the number. */
static struct str without_line_number(struct str line)
{
    struct str rest = str_trim(line);
    size_t at = 0;

    while (at < rest.size && byte_is_digit(rest.data[at])) at++;
    if (at == 0 || at == rest.size) return line;
    if (rest.data[at] == '\t') return str_skip(rest, at);
    while (at < rest.size && rest.data[at] == ' ') at++;
    if (at < rest.size && (rest.data[at] == ':' || rest.data[at] == '|')) return str_skip(rest, at);
    return line;
}

uint64_t evidence_fingerprint(const struct finding *finding)
{
    struct str rest = str_trim(finding->evidence), line;
    uint64_t hash = HASH_START;

    if (rest.size == 0) return 0;
    while (str_cut(&rest, '\n', &line)) {
        hash = mix_smoothed(hash, without_line_number(line), true);
    }
    return hash | 1; /* never 0 */
}

struct finding finding_copy(const struct finding *finding, struct arena *arena)
{
    struct finding copy = *finding;

    copy.source = arena_copy(arena, finding->source);
    copy.tool = arena_copy(arena, finding->tool);
    copy.kind = arena_copy(arena, finding->kind);
    copy.file = arena_copy(arena, finding->file);
    copy.text = arena_copy(arena, finding->text);
    copy.evidence = arena_copy(arena, finding->evidence);
    copy.suggestion = arena_copy(arena, finding->suggestion);
    copy.fix = arena_copy(arena, finding->fix);
    copy.say = arena_copy(arena, finding->say);
    return copy;
}
