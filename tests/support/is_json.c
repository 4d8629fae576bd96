/* SPDX-License-Identifier: Apache-2.0
 *
 * is_json.c - for stories: whether standard input is JSON, `whole` or by `lines`; with a third
 * word, the string member of that name of each is printed. */
#include "base/buf.h"
#include "format/json/json.h"

#include <stdio.h>
#include <string.h>

static int one(struct str text, const char *member)
{
    yyjson_doc *doc;
    struct err err;
    struct str value;

    if (json_read(text, &doc, &err) != 0) {
        fprintf(stderr, "not JSON: %s\n", err.text);
        return 1;
    }
    value = member ? json_str(yyjson_doc_get_root(doc), member) : (struct str){ NULL, 0 };
    if (value.data) printf("%.*s\n", STR_ARG(value));
    yyjson_doc_free(doc);
    return 0;
}

int main(int argc, char **argv)
{
    const char *member = argc > 2 ? argv[2] : NULL;
    struct str rest, line;
    struct buf text;
    char piece[4096];
    size_t got;
    int bad = 0;

    buf_init(&text, 64 << 20);
    while ((got = fread(piece, 1, sizeof piece, stdin)) > 0) {
        buf_add(&text, (struct str){ piece, got });
    }
    rest = buf_str(&text);
    if (argc > 1 && strcmp(argv[1], "lines") == 0) {
        while (str_cut(&rest, '\n', &line)) bad |= one(line, member);
    } else {
        bad = one(rest, member);
    }
    buf_release(&text);
    return bad;
}
