/* SPDX-License-Identifier: Apache-2.0 */
#include "format/report/hints.h"

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
    if (hints->full || text.size == 0) return;
    if (text.size > HINTS_BYTES_MAX - LINE_BYTES_MAX ||
        hints->text.size > HINTS_BYTES_MAX - LINE_BYTES_MAX - text.size) {
        hints->full = true;
        return;
    }
    hint_append(hints, text);
    if (line) buf_printf(&hints->text, " (line %u)", line);
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
