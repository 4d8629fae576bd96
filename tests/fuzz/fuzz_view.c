/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_view.c - any names and any size of the screen: no line of a view is as
 * wide as the screen, there are fewer lines than rows, and an escape only ever begins a color. The
 * first bytes are the size and whether there are colors and UTF-8; then names, one per line. */
#include "format/text/utf8.h"
#include "format/text/width.h"
#include "view/view_render.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The columns of a line, colors left out. */
static uint32_t check(struct str line, const struct view_screen *screen)
{
    uint32_t columns = 0;

    while (line.size) {
        uint32_t code = 0;
        size_t bytes = utf8_next(line, &code);

        assert(bytes > 0);
        assert(screen->utf8 || code < 0x80);
        if (code == 0x1b) {
            assert(screen->color && line.size > 3 && line.data[1] == '[');
            for (bytes = 2; line.data[bytes] != 'm'; bytes++) {
                assert(line.data[bytes] >= '0' && line.data[bytes] <= '9');
            }
            bytes++;
        } else {
            assert(code >= 0x20 && (code < 0x7f || code > 0x9f));
            columns += width_char(code);
        }
        line = str_skip(line, bytes);
    }
    return columns;
}

static void draw(const struct view_model *model, const struct view_screen *screen)
{
    struct view_lines lines = { 0 };
    struct view_frame frame = { 0 };
    struct buf bytes;

    buf_init(&bytes, 1 << 20);
    view_render(model, screen, 1000000, &lines);
    assert(lines.count < screen->rows);
    for (uint32_t i = 0; i < lines.count; i++) {
        struct str line = { lines.text.data + lines.item[i].at, lines.item[i].size };
        assert(check(line, screen) == lines.item[i].columns);
        assert(lines.item[i].columns < screen->columns);
    }
    frame_draw(&frame, screen, STR("above\r\n"), &lines, &bytes);
    frame_draw(&frame, screen, STR(""), &lines, &bytes);
    frame_erase(&frame, screen, &bytes);
    assert(!bytes.overflow && frame.count == 0);
    view_lines_release(&lines);
    buf_release(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *at = text;
    const char *names[NAMES_MAX] = { 0 };
    uint32_t count = 0;
    struct view_screen screen;
    struct view_model model = { .started_ms = 900000 };

    if (size < 3 || !text) goto out;
    screen = (struct view_screen){ .columns = data[0] + 1u, .rows = data[1] % 64 + 1u,
                                   .color = data[2] & 1, .utf8 = data[2] & 2 };
    memcpy(text, data + 3, size - 3);
    text[size - 3] = '\0';
    while (at && count < NAMES_MAX) {
        names[count++] = at;
        at = strchr(at, '\n');
        if (at) *at++ = '\0';
    }
    model.dialect = names[0];
    model.run = names[1];
    model.round = data[2] >> 4;
    model.round_max = 5;
    model.found = data[2] >> 5;
    for (uint32_t i = 2; i + 1 < count; i += 2) {
        struct result result = { .verdict = (enum verdict)(i / 2 % VERDICT_COUNT),
                                 .finding_count = i };
        view_model_start(&model, &(struct view_row){ .job = i, .attempt = i / 8, .copy = i % 3,
            .lane = i % 2, .round = i / 16, .purpose = i % 5 ? FOR_REVIEW : FOR_REPAIR,
            .role = names[i], .spec = names[i + 1], .started_ms = 900000 + i });
        if (i % 6) view_model_ended(&model, i, &result, i * 500);
    }
    draw(&model, &screen);
    view_model_release(&model);

out:
    free(text);
    return 0;
}
