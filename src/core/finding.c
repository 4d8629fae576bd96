/* SPDX-License-Identifier: Apache-2.0
 *
 * finding.c - the identity of a finding across rounds.
 *
 * Reviewers say the same thing with another line number, another capital, another line break.
 * The fingerprint is taken over the file and the text with these smoothed away: letters in lower
 * case, a run of digits as one 0, a run of anything else that is not a letter as one blank. */
#include "core/finding.h"

#include "base/byte.h"
#include "base/hash.h"

static uint64_t mix_smoothed(uint64_t hash, struct str text)
{
    char last = ' ';

    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        bool digit = byte_is_digit(byte);
        bool upper = byte_is_capital(byte);
        bool letter = upper || byte_is_small(byte) || (unsigned char)byte >= 0x80;

        if (upper) byte = (char)(byte - 'A' + 'a');
        if (digit) byte = '0';
        if (!digit && !letter) byte = ' ';
        if ((byte == '0' || byte == ' ') && byte == last) continue;
        hash = hash_byte(hash, byte);
        last = byte;
    }
    return last == ' ' ? hash : hash_byte(hash, ' ');
}

uint64_t finding_fingerprint(const struct finding *finding)
{
    return mix_smoothed(hash_byte(hash_text(HASH_START, finding->file), '\0'), finding->text);
}

uint64_t evidence_fingerprint(const struct finding *finding)
{
    if (str_trim(finding->evidence).size == 0) return 0;
    return mix_smoothed(HASH_START, finding->evidence) | 1; /* never 0 */
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
    return copy;
}
