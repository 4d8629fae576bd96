/* SPDX-License-Identifier: Apache-2.0
 *
 * rules.c - the part of a prompt that shows the project's rules, and what a person said in a pause.
 *
 * 1. A rule is quoted: it can neither pass for a line of ours nor end its quote.
 * 2. A rule adds to what is looked for. That it makes nothing clean, and changes no form, is said
 *    behind the last of them.
 * 3. All is bounded: files that do not fit are named. No rules and no word: nothing is written, and
 *    a prompt is byte for byte what it would be.
 * 4. What a person says is theirs to say: it is quoted, so that it cannot pass for ours, and stands
 *    behind the rules.
 *
 * Not here: which files these are (settings/guidelines.c). */
#include "dialect/rules.h"

#include "dialect/slots.h"
#include "prompts/dialect.h"

#include <string.h>

enum { PATH_BYTES_MAX = 1024, CUT_NOTE_BYTES = 256 };

/* What a person said in a pause, the newest last. Nothing: nothing is written. */
static void words_write(struct buf *out, const struct run_view *run)
{
    struct dialect_page page = { .fence = run->fence };
    uint32_t count = run->engine ? run->engine->word_count : 0;
    struct buf words;

    if (count == 0) return;
    buf_init(&words, RULES_BYTES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        const struct said_word *word = &run->engine->words[i];

        page.text = slot_text((struct str){ word->text, word->bytes },
                              SAID_WORD_BYTES_MAX + CUT_NOTE_BYTES);
        dialect_page_word(&words, &page);
    }
    page.files = slot_part(&words);
    dialect_page_words(out, &page);
    buf_release(&words);
}

void rules_write(struct buf *out, const struct run_view *run, const struct action *action)
{
    const struct settings *settings = run->settings;
    struct dialect_page page = { .fence = run->fence };
    uint32_t file_count = settings ? settings->file_count : 0, left = 0;
    struct arena arena = { 0 };
    struct str *left_out = arena_alloc(&arena, (file_count + (size_t)1) * sizeof *left_out);
    struct buf files;

    buf_init(&files, RULES_BYTES_MAX);
    for (uint32_t i = 0; i < file_count; i++) {
        struct str path = str_of(settings->files[i].path), text = settings->files[i].text;

        if (!str_starts(path, STR(RULES_PREFIX))) continue;
        path = str_skip(path, strlen(RULES_PREFIX));
        if (text.size == 0 || files.size + text.size > RULES_SHOWN_BYTES_MAX + CUT_NOTE_BYTES) {
            left_out[left++] = path;
            continue;
        }
        page.path = slot_text(path, PATH_BYTES_MAX);
        page.text = slot_text(text, RULES_FILE_BYTES_MAX + CUT_NOTE_BYTES);
        dialect_page_rules_file(&files, &page);
    }
    page.files = slot_part(&files);
    page.left_out = slot_names(left_out, left);
    page.judges = action->purpose == FOR_REVIEW || action->purpose == FOR_CHECKPOINT;
    if (files.size > 0 || left > 0) dialect_page_rules(out, &page);
    words_write(out, run);
    buf_release(&files);
    arena_release(&arena);
}
