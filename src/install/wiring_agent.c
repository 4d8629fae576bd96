/* SPDX-License-Identifier: Apache-2.0
 *
 * wiring_agent.c - an agent of the plugin, written for Claude Code, as a custom agent of Codex.
 *
 *     ---                                     name = "hone-critic"
 *     name: critic                            description = "Finds what breaks."
 *     description: Finds what breaks.   -->   developer_instructions = '''
 *     ---                                     You are `critic` ...
 *     You are `critic` ...                    '''
 *
 * Tools and models have other names in Codex, and an agent's file cannot limit them there: they are
 * left out.
 *
 * 1. The front matter has one key in a line, and its value behind ": " as it stands: no quotes, no
 *    blocks. Ours has nothing else, and a test holds it to that. */
#include "install/wiring.h"

#include <string.h>

static bool has_text(struct str text, const char *piece)
{
    return text.size > 0 && memmem(text.data, text.size, piece, strlen(piece)) != NULL;
}

/* A basic string of TOML. */
static void put_basic(struct buf *out, struct str text)
{
    buf_byte(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte == '"' || byte == '\\') {
            buf_printf(out, "\\%c", byte);
        } else if (byte == '\n') {
            buf_text(out, "\\n");
        } else if (byte < 0x20 || byte == 0x7f) {
            buf_printf(out, "\\u%04x", byte);
        } else {
            buf_byte(out, (char)byte);
        }
    }
    buf_byte(out, '"');
}

/* As a literal of many lines, which needs no escapes, where it can be one. */
static void put_block(struct buf *out, struct str text)
{
    bool plain = !has_text(text, "'''");

    for (size_t i = 0; plain && i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        plain = (byte >= 0x20 || byte == '\n' || byte == '\t') && byte != 0x7f;
    }
    if (!plain) {
        put_basic(out, text);
        return;
    }
    buf_text(out, "'''\n");
    buf_add(out, text);
    buf_text(out, "'''");
}

int wiring_agent_toml(struct str markdown, struct buf *out, struct err *err)
{
    struct str rest = markdown, line, name = { "", 0 }, about = { "", 0 };
    bool closed = false;

    if (!str_cut(&rest, '\n', &line) || !str_is(line, "---")) {
        return err_set(err, ERR_FORMAT, "it does not begin with ---");
    }
    while (!closed && str_cut(&rest, '\n', &line)) {
        if (str_starts(line, STR("name: "))) name = str_trim(str_skip(line, 6));
        if (str_starts(line, STR("description: "))) about = str_trim(str_skip(line, 13));
        closed = str_is(line, "---");
    }
    if (!closed || name.size == 0 || about.size == 0 || str_trim(rest).size == 0) {
        return err_set(err, ERR_FORMAT, "it has no name, no description or no text");
    }
    buf_printf(out, "# %s\nname = \"hone-%.*s\"\ndescription = ", WIRING_MARK, STR_ARG(name));
    put_basic(out, about);
    buf_text(out, "\ndeveloper_instructions = ");
    while (rest.size > 0 && rest.data[0] == '\n') rest = str_skip(rest, 1);
    put_block(out, rest);
    buf_byte(out, '\n');
    return 0;
}
