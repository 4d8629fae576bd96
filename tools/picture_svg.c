/* SPDX-License-Identifier: Apache-2.0
 *
 * picture_svg.c - the text of a terminal, with its colours, as an SVG picture:
 *
 *     tmux capture-pane -e -p | picture_svg TITLE COLUMNS >picture.svg
 *
 * Text stays text: it can be selected and found. Nothing is loaded from elsewhere and nothing runs.
 *
 * 1. A run of characters in one style is one tspan with its own place and length, so that columns
 *    stand below each other in any font.
 * 2. Of escape sequences only SGR means anything; every other is skipped as a whole.
 * 3. What is no character becomes U+FFFD; a control character becomes nothing. */
#include "base/buf.h"
#include "format/text/utf8.h"
#include "format/text/width.h"
#include "io/file/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INPUT_BYTES_MAX = 16 << 20,
    OUTPUT_BYTES_MAX = 64 << 20,
    PARAMETERS_MAX = 32,
    COLUMNS_MAX = 1000,
    CELL_WIDTH_TENTHS = 84, /* of a pixel */
    LINE_PIXELS = 19,
    FONT_PIXELS = 14,
    MARGIN_PIXELS = 16,
};

static const uint32_t no_color = UINT32_MAX;
static const uint32_t text_color = 0xd5d9e0, page_color = 0x1b1f27;

static const uint32_t palette[16] = {
    0x3b4252, 0xe0696f, 0x8fc379, 0xe0b465, 0x6aa6f0, 0xc58be0, 0x5bbcc4, 0xc9ced8,
    0x7d8799, 0xf08a8f, 0xa9dc93, 0xf2cf87, 0x8fbef5, 0xd9a9ee, 0x82d6dc, 0xffffff,
};

struct style {
    uint32_t front, back; /* 0xRRGGBB or no_color */
    bool bold, dim, italic, underlined, reversed;
};

static const struct style style_plain = { .front = UINT32_MAX, .back = UINT32_MAX };

/* A picture in the making. */
struct picture {
    struct str rest;    /* of the input */
    struct style style; /* of what comes next */
    uint32_t row, column;
    uint32_t from;      /* the column in which the run began */
    struct buf run, texts, backs;
};

/* ---- colours ---- */

/* The 256 colours: the 16, a cube of 6 by 6 by 6, and 24 greys. */
static uint32_t color_of(uint32_t index)
{
    static const uint32_t levels[6] = { 0, 95, 135, 175, 215, 255 };
    uint32_t grey;

    if (index < 16) return palette[index];
    if (index < 232) {
        index -= 16;
        return levels[index / 36] << 16 | levels[index / 6 % 6] << 8 | levels[index % 6];
    }
    grey = 8 + 10 * (index - 232);
    return grey << 16 | grey << 8 | grey;
}

/* Half the way to the page: how terminals show dim text. */
static uint32_t color_dim(uint32_t color)
{
    uint32_t out = 0;

    for (uint32_t shift = 0; shift <= 16; shift += 8) {
        uint32_t one = color >> shift & 0xff, other = page_color >> shift & 0xff;
        out |= (one * 6 + other * 4) / 10 << shift;
    }
    return out;
}

static uint32_t byte_of(const uint32_t *numbers, uint32_t count, uint32_t at)
{
    return at < count && numbers[at] < 256 ? numbers[at] : 0;
}

/* 38;5;N and 38;2;R;G;B; how many numbers behind the first were used. */
static uint32_t take_extended(const uint32_t *numbers, uint32_t count, uint32_t *color)
{
    if (count > 1 && numbers[1] == 5) {
        *color = color_of(byte_of(numbers, count, 2));
        return 2;
    }
    if (count > 1 && numbers[1] == 2) {
        *color = byte_of(numbers, count, 2) << 16 | byte_of(numbers, count, 3) << 8 |
                 byte_of(numbers, count, 4);
        return 4;
    }
    return 0;
}

static void take_style(struct style *style, const uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = numbers[i];
        if (n == 0) *style = style_plain;
        else if (n == 1) style->bold = true;
        else if (n == 2) style->dim = true;
        else if (n == 3) style->italic = true;
        else if (n == 4) style->underlined = true;
        else if (n == 7) style->reversed = true;
        else if (n == 22) style->bold = style->dim = false;
        else if (n == 23) style->italic = false;
        else if (n == 24) style->underlined = false;
        else if (n == 27) style->reversed = false;
        else if (n >= 30 && n <= 37) style->front = palette[n - 30];
        else if (n == 38) i += take_extended(numbers + i, count - i, &style->front);
        else if (n == 39) style->front = no_color;
        else if (n >= 40 && n <= 47) style->back = palette[n - 40];
        else if (n == 48) i += take_extended(numbers + i, count - i, &style->back);
        else if (n == 49) style->back = no_color;
        else if (n >= 90 && n <= 97) style->front = palette[n - 90 + 8];
        else if (n >= 100 && n <= 107) style->back = palette[n - 100 + 8];
    }
}

/* ---- escape sequences ---- */

/* The parameters of a sequence, between its beginning and its last byte. */
static uint32_t read_numbers(struct str text, uint32_t numbers[PARAMETERS_MAX])
{
    uint32_t count = 1;

    numbers[0] = 0;
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        if (byte == ';' || byte == ':') {
            if (count == PARAMETERS_MAX) break;
            numbers[count++] = 0;
        } else if (byte >= '0' && byte <= '9' && numbers[count - 1] < 10000) {
            numbers[count - 1] = numbers[count - 1] * 10 + (uint32_t)(byte - '0');
        }
    }
    return count;
}

/* Skips the sequence that begins with ESC; SGR changes the style. */
static void take_escape(struct picture *picture)
{
    const char *data = picture->rest.data;
    size_t size = picture->rest.size, at = 2;

    if (size > 1 && data[1] == '[') {
        while (at < size && (data[at] < '@' || data[at] > '~')) at++;
        if (at < size && data[at] == 'm') {
            uint32_t numbers[PARAMETERS_MAX];
            uint32_t count = read_numbers((struct str){ data + 2, at - 2 }, numbers);
            take_style(&picture->style, numbers, count);
        }
        at++;
    } else if (size > 1 && strchr("]P_^X", data[1])) { /* a string, to BEL or ESC \ */
        while (at < size && data[at] != '\a' && data[at] != '\033') at++;
        if (at < size && data[at] == '\033') at++;
        at++;
    } else {
        while (at - 1 < size && data[at - 1] >= ' ' && data[at - 1] <= '/') at++;
    }
    picture->rest = str_skip(picture->rest, at);
}

/* ---- SVG ---- */

static void put_tenths(struct buf *out, uint32_t tenths)
{
    buf_printf(out, "%" PRIu32 ".%" PRIu32, tenths / 10, tenths % 10);
}

static void put_escaped(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        switch (text.data[i]) {
        case '&': buf_text(out, "&amp;"); break;
        case '<': buf_text(out, "&lt;"); break;
        case '>': buf_text(out, "&gt;"); break;
        case '"': buf_text(out, "&quot;"); break;
        default: buf_byte(out, text.data[i]); break;
        }
    }
}

static void put_back(struct picture *picture, uint32_t color)
{
    struct buf *out = &picture->backs;

    buf_text(out, "<rect x=\"");
    put_tenths(out, picture->from * CELL_WIDTH_TENTHS);
    buf_printf(out, "\" y=\"%" PRIu32 "\" width=\"", picture->row * LINE_PIXELS);
    put_tenths(out, (picture->column - picture->from) * CELL_WIDTH_TENTHS);
    buf_printf(out, "\" height=\"%d\" fill=\"#%06" PRIx32 "\"/>\n", (int)LINE_PIXELS, color);
}

/* A run as text, without the blanks around it: those need no ink. */
static void put_text(struct picture *picture, uint32_t color)
{
    const struct style *style = &picture->style;
    struct str run = buf_str(&picture->run), inner = str_trim(run);
    uint32_t before = (uint32_t)(inner.data - run.data); /* blanks are of one byte and column */
    struct buf *out = &picture->texts;

    buf_text(out, "<tspan x=\"");
    put_tenths(out, (picture->from + before) * CELL_WIDTH_TENTHS);
    buf_text(out, "\" textLength=\"");
    put_tenths(out, width_of(inner) * CELL_WIDTH_TENTHS);
    buf_printf(out, "\" lengthAdjust=\"spacingAndGlyphs\" fill=\"#%06" PRIx32 "\"", color);
    if (style->bold) buf_text(out, " font-weight=\"bold\"");
    if (style->italic) buf_text(out, " font-style=\"italic\"");
    if (style->underlined) buf_text(out, " text-decoration=\"underline\"");
    buf_byte(out, '>');
    put_escaped(out, inner);
    buf_text(out, "</tspan>");
}

/* Writes what has one style. */
static void end_run(struct picture *picture)
{
    const struct style *style = &picture->style;
    uint32_t front = style->front == no_color ? text_color : style->front;
    uint32_t back = style->back;

    if (style->reversed) {
        uint32_t swapped = back == no_color ? page_color : back;
        back = front;
        front = swapped;
    }
    if (style->dim) front = color_dim(front);
    if (picture->run.size > 0 && back != no_color) put_back(picture, back);
    if (str_trim(buf_str(&picture->run)).size > 0) put_text(picture, front);
    buf_clear(&picture->run);
    picture->from = picture->column;
}

static void begin_line(struct picture *picture)
{
    buf_printf(&picture->texts, "<text y=\"%" PRIu32 "\" xml:space=\"preserve\">",
               picture->row * LINE_PIXELS + FONT_PIXELS);
}

static void end_line(struct picture *picture)
{
    end_run(picture);
    buf_text(&picture->texts, "</text>\n");
    picture->row++;
    picture->column = picture->from = 0;
}

static bool is_shown(uint32_t code)
{
    bool control = code < ' ' || (code >= 0x7f && code <= 0x9f);

    return !control && (code & 0xfffe) != 0xfffe; /* XML has no such characters */
}

static void take_character(struct picture *picture)
{
    uint32_t code;
    size_t bytes = utf8_next(picture->rest, &code);

    if (bytes == 0) {
        buf_text(&picture->run, "\xef\xbf\xbd");
        picture->column++;
        bytes = 1;
    } else if (is_shown(code)) {
        buf_add(&picture->run, (struct str){ picture->rest.data, bytes });
        picture->column += width_char(code);
    }
    picture->rest = str_skip(picture->rest, bytes);
}

static void draw(struct picture *picture)
{
    begin_line(picture);
    while (picture->rest.size > 0) {
        char byte = picture->rest.data[0];
        if (byte == '\033') {
            end_run(picture);
            take_escape(picture);
        } else if (byte == '\n') {
            end_line(picture);
            picture->rest = str_skip(picture->rest, 1);
            if (picture->rest.size > 0) begin_line(picture);
        } else {
            take_character(picture);
        }
    }
    if (picture->column > 0) end_line(picture);
}

static void put_picture(const struct picture *picture, const char *title, uint32_t columns,
                        struct buf *out)
{
    uint32_t width = columns * CELL_WIDTH_TENTHS / 10 + 2 * MARGIN_PIXELS;
    uint32_t height = picture->row * LINE_PIXELS + 2 * MARGIN_PIXELS;

    buf_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32 "\" height=\"%"
               PRIu32 "\" viewBox=\"0 0 %" PRIu32 " %" PRIu32 "\" role=\"img\">\n<title>", width,
               height, width, height);
    put_escaped(out, str_of(title));
    buf_printf(out, "</title>\n<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#%06" PRIx32
               "\"/>\n<g transform=\"translate(%d %d)\" font-size=\"%d\" "
               "font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\">\n",
               page_color, (int)MARGIN_PIXELS, (int)MARGIN_PIXELS, (int)FONT_PIXELS);
    buf_add(out, buf_str(&picture->backs));
    buf_add(out, buf_str(&picture->texts));
    buf_text(out, "</g>\n</svg>\n");
}

int main(int argc, char **argv)
{
    struct picture picture = { .style = style_plain };
    struct buf in, out;
    struct err err;
    uint64_t columns;

    if (argc != 3 || !str_number(str_of(argv[2]), &columns) || columns == 0 ||
        columns > COLUMNS_MAX) {
        fprintf(stderr, "usage: picture_svg TITLE COLUMNS <text >picture.svg\n");
        return 2;
    }
    buf_init(&in, INPUT_BYTES_MAX);
    buf_init(&out, OUTPUT_BYTES_MAX);
    buf_init(&picture.run, INPUT_BYTES_MAX);
    buf_init(&picture.texts, OUTPUT_BYTES_MAX);
    buf_init(&picture.backs, OUTPUT_BYTES_MAX);
    if (file_read_fd(0, &in, &err) != 0) {
        fprintf(stderr, "picture_svg: %s\n", err.text);
        return 1;
    }
    picture.rest = buf_str(&in);
    draw(&picture);
    put_picture(&picture, argv[1], (uint32_t)columns, &out);
    fwrite(out.data, 1, out.size, stdout);
    buf_release(&in);
    buf_release(&out);
    buf_release(&picture.run);
    buf_release(&picture.texts);
    buf_release(&picture.backs);
    return fflush(stdout) != 0 || out.overflow;
}
