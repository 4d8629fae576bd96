/* SPDX-License-Identifier: Apache-2.0 */
#include "reported.h"

#include "base/buf.h"
#include "base/mem.h"
#include "format/json/finding_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES_MAX = 1 << 20 };

static void add_text(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];

        if (byte == '\n') buf_text(out, "\\n");
        else if (byte == '\\') buf_text(out, "\\\\");
        else if (byte < ' ') buf_printf(out, "\\x%02x", byte);
        else buf_byte(out, (char)byte);
    }
}

static void add_place(struct buf *out, struct str file, const struct place *place)
{
    static const char *const units[] = {
        [COLUMN_BYTES] = "", [COLUMN_UTF16] = " utf16", [COLUMN_CODE_POINTS] = " chars",
    };

    add_text(out, file.size ? file : STR("-"));
    if (place->word.size) {
        buf_printf(out, ":%u '%.*s'", place->line, STR_ARG(place->word));
        return;
    }
    if (place->by_offset) {
        buf_printf(out, "@%llu-%llu%s", (unsigned long long)place->offset,
                   (unsigned long long)place->end_offset, units[place->unit]);
        return;
    }
    if (place->line) buf_printf(out, ":%u", place->line);
    if (place->column) buf_printf(out, ":%u", place->column);
    if (place->end_line) buf_printf(out, "-%u:%u", place->end_line, place->end_column);
    buf_text(out, units[place->unit]);
}

static void add_fix(struct buf *out, const struct tool_fix *fix)
{
    static const char *const words[] = { [FIX_UNSAID] = "", [FIX_SAFE] = "safe ",
                                         [FIX_RISKY] = "risky " };

    buf_printf(out, "  %sfix:", words[fix->class]);
    if (fix->text.size) buf_text(out, " ");
    add_text(out, fix->text);
    buf_text(out, "\n");
    for (uint32_t i = 0; i < fix->count; i++) {
        buf_text(out, "    ");
        add_place(out, fix->edits[i].file, &fix->edits[i].place);
        buf_text(out, " \"");
        add_text(out, fix->edits[i].text);
        buf_text(out, "\"\n");
    }
}

static void add_item(struct buf *out, const struct diagnostic *item)
{
    buf_printf(out, "%s %.*s%s", severity_word(item->severity), STR_ARG(item->rule),
               item->rule.size ? " " : "");
    add_place(out, item->file, &item->place);
    if (item->unit.size) buf_printf(out, " %.*s", STR_ARG(item->unit));
    buf_text(out, ": ");
    add_text(out, item->text);
    buf_text(out, "\n");
    if (item->help.size) {
        buf_text(out, "  help: ");
        add_text(out, item->help);
        buf_text(out, "\n");
    }
    for (uint32_t i = 0; i < item->fix_count; i++) add_fix(out, &item->fixes[i]);
}

const char *reported(report_reader *read, struct str text)
{
    static char shown[TEXT_BYTES_MAX];
    struct diagnostics diagnostics = { 0 };
    struct err err = { 0 };
    struct buf out;
    char *copy = mem_resize(NULL, text.size ? text.size : 1); /* a sanitizer sees the next byte */

    if (text.size) memcpy(copy, text.data, text.size);
    buf_init(&out, sizeof shown - 1);
    if (read((struct str){ copy, text.size }, &diagnostics, &err) != 0) {
        buf_printf(&out, "refused: %s\n", err.text);
    } else {
        for (uint32_t i = 0; i < diagnostics.count; i++) add_item(&out, &diagnostics.items[i]);
        if (diagnostics.failure.size) {
            buf_text(&out, "failed: ");
            add_text(&out, diagnostics.failure);
            buf_text(&out, "\n");
        }
    }
    assert_false(out.overflow);
    memcpy(shown, buf_cstr(&out), out.size + 1);
    buf_release(&out);
    diagnostics_release(&diagnostics);
    free(copy);
    return shown;
}

struct str report_load(const char *name)
{
    const char *top = getenv("TOP");
    char path[4096];
    struct buf text;
    FILE *file;

    snprintf(path, sizeof path, "%s/tests/corpus/%s", top ? top : ".", name);
    file = fopen(path, "rb");
    if (!file) fail_msg("%s is not there", path);
    buf_init(&text, TEXT_BYTES_MAX);
    assert_int_equal(buf_reserve(&text, TEXT_BYTES_MAX), 0);
    text.size = fread(text.data, 1, TEXT_BYTES_MAX, file);
    fclose(file);
    return buf_str(&text);
}

const char *reported_file(report_reader *read, const char *name)
{
    struct str text = report_load(name);
    const char *shown = reported(read, text);

    free((char *)(uintptr_t)text.data);
    return shown;
}

void expect_no_part_reads(report_reader *read, const char *name)
{
    struct str text = report_load(name), whole = str_trim(text);

    assert_true(whole.size > 0);
    for (size_t size = 0; size < whole.size; size++) {
        const char *shown = reported(read, (struct str){ whole.data, size });
        if (strncmp(shown, "refused: ", 9) != 0) fail_msg("%zu bytes read as:\n%s", size, shown);
    }
    if (strncmp(reported(read, whole), "refused: ", 9) == 0) fail_msg("%s is refused", name);
    free((char *)(uintptr_t)text.data);
}

void expect_refused(report_reader *read, const char *text)
{
    const char *shown = reported(read, str_of(text));

    if (strncmp(shown, "refused: ", 9) != 0) fail_msg("%s\nreads as:\n%s", text, shown);
    for (const char *at = shown; at[1]; at++) assert_true((unsigned char)*at >= ' ');
}
