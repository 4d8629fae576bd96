/* SPDX-License-Identifier: Apache-2.0 */
#include "format/report/hints.h"

#include "base/byte.h"

enum { LINE_BYTES_MAX = 32 }; /* of "; " and " (line N)" */

void hints_init(struct hints *hints)
{
    hints->full = false;
    buf_init(&hints->text, HINTS_BYTES_MAX + HINTS_LAST_BYTES_MAX);
}

void hints_release(struct hints *hints)
{
    buf_release(&hints->text);
}

void hints_clear(struct hints *hints)
{
    hints->full = false;
    buf_clear(&hints->text);
}

static void hint_append(struct hints *hints, struct str text)
{
    if (hints->text.size) buf_text(&hints->text, "; ");
    buf_add(&hints->text, text);
}

void hints_add(struct hints *hints, struct str text, uint32_t line)
{
    hints_add_in(hints, text, STR(""), STR(""), line);
}

void hints_add_in(struct hints *hints, struct str text, struct str file, struct str home,
                  uint32_t line)
{
    bool elsewhere = line && file.size > 0 && !str_eq(file, home);
    size_t bytes = text.size + (elsewhere ? file.size : 0);

    if (hints->full || text.size == 0) return;
    if (bytes > HINTS_BYTES_MAX - LINE_BYTES_MAX ||
        hints->text.size > HINTS_BYTES_MAX - LINE_BYTES_MAX - bytes) {
        hints->full = true;
        return;
    }
    hint_append(hints, text);
    if (elsewhere) {
        buf_text(&hints->text, " (");
        buf_add(&hints->text, file);
        buf_printf(&hints->text, ":%u)", line);
    } else if (line) {
        buf_printf(&hints->text, " (line %u)", line);
    }
}

/* "text (line 12)", "text (a.h:12)"; false: it says no place. */
static bool hint_place(struct str hint, struct str *text, struct str *file, uint32_t *line)
{
    uint64_t number = 0;
    size_t open, digits;

    if (!str_ends(hint, STR(")"))) return false;
    hint.size--;
    digits = hint.size;
    while (digits > 0 && byte_is_digit(hint.data[digits - 1])) digits--;
    if (!str_number(str_skip(hint, digits), &number) || number == 0 || number > INT32_MAX) {
        return false;
    }
    for (open = digits; open > 1; open--) {
        if (hint.data[open - 1] == '(' && hint.data[open - 2] == ' ') break;
    }
    if (open <= 2) return false;
    *text = str_head(hint, open - 2);
    *file = (struct str){ hint.data + open, digits - open };
    *line = (uint32_t)number;
    if (str_is(*file, "line ")) file->size = 0;
    else if (str_ends(*file, STR(":")) && file->size > 1) file->size--;
    else return false;
    return true;
}

bool hint_cut(struct str *rest, struct str *text, struct str *file, uint32_t *line)
{
    struct str hint;

    while (rest->size > 0) {
        size_t size = 0;

        while (size < rest->size && !str_starts(str_skip(*rest, size), STR("; "))) size++;
        hint = (struct str){ rest->data, size };
        *rest = str_skip(*rest, size < rest->size ? size + 2 : size);
        if (hint_place(hint, text, file, line)) return true;
    }
    return false;
}

void hints_add_last(struct hints *hints, struct str text)
{
    if (text.size == 0 || text.size > HINTS_LAST_BYTES_MAX - LINE_BYTES_MAX) return;
    hint_append(hints, text);
}

struct str hints_text(const struct hints *hints, struct diagnostics *diagnostics)
{
    return diagnostic_text(diagnostics, buf_str(&hints->text));
}
