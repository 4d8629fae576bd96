/* SPDX-License-Identifier: Apache-2.0 */
#include "format/report/diagnostic.h"

#include "format/text/words.h"

struct diagnostic *diagnostic_add(struct diagnostics *diagnostics)
{
    if (diagnostics->count == DIAGNOSTICS_MAX) return NULL;
    diagnostics->items = arena_grow(&diagnostics->arena, diagnostics->items, diagnostics->count,
                                    &diagnostics->cap, sizeof *diagnostics->items);
    diagnostics->items[diagnostics->count] = (struct diagnostic){ 0 };
    return &diagnostics->items[diagnostics->count++];
}

struct tool_fix *diagnostic_fix_add(struct diagnostics *diagnostics, struct diagnostic *item)
{
    item->fixes = arena_grow(&diagnostics->arena, item->fixes, item->fix_count, &item->fix_cap,
                             sizeof *item->fixes);
    item->fixes[item->fix_count] = (struct tool_fix){ 0 };
    return &item->fixes[item->fix_count++];
}

struct tool_edit *tool_edit_add(struct diagnostics *diagnostics, struct tool_fix *fix)
{
    fix->edits = arena_grow(&diagnostics->arena, fix->edits, fix->count, &fix->cap,
                            sizeof *fix->edits);
    fix->edits[fix->count] = (struct tool_edit){ 0 };
    return &fix->edits[fix->count++];
}

struct str diagnostic_text(struct diagnostics *diagnostics, struct str text)
{
    struct str part = str_head(text, DIAGNOSTIC_TEXT_BYTES_MAX);

    if (part.size == text.size) return arena_copy(&diagnostics->arena, text);
    return str_of(arena_printf(&diagnostics->arena, "%.*s... [cut: %zu bytes in all]",
                               STR_ARG(part), text.size));
}

void diagnostics_release(struct diagnostics *diagnostics)
{
    arena_release(&diagnostics->arena);
    *diagnostics = (struct diagnostics){ 0 };
}

enum severity severity_of_word(struct str word)
{
    static const char *const high[] = { "error", "fatal", "critical", "high", "blocker", NULL };
    static const char *const low[] = { "info", "information", "note", "style", "hint", "help",
                                       "convention", "refactor", "low", "minor", NULL };

    if (word_is_one_of(word, high)) return SEVERITY_HIGH;
    return word_is_one_of(word, low) ? SEVERITY_LOW : SEVERITY_MEDIUM;
}

static const struct report_format report_formats[] = {
    { .name = "sarif", .read = sarif_read },
    { .name = "rdjson", .read = rdjson_read },
    { .name = "checkstyle", .read = checkstyle_read },
    { .name = "gcc", .lines = &line_form_gcc },
    { .name = "diff", .read = diff_read },
    { .name = NULL },
};

const struct report_format *report_format_find(struct str name)
{
    for (const struct report_format *format = report_formats; format->name; format++) {
        if (str_is(name, format->name)) return format;
    }
    return NULL;
}
