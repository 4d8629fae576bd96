/* SPDX-License-Identifier: Apache-2.0
 *
 * is_page.c - for stories: whether a file is a page of hone's HTML report with no markup but the
 * writer's (tests/shared/page_walk.h); its text goes to standard output. */
#include "io/file/file.h"
#include "shared/page_walk.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct buf page, text, why;
    struct err err;
    bool good;

    if (argc != 2) return 2;
    buf_init(&page, 64 << 20);
    buf_init(&text, 64 << 20);
    buf_init(&why, 4096);
    if (file_read(argv[1], &page, &err) != 0) {
        fprintf(stderr, "is_page: %s\n", err.text);
        return 2;
    }
    good = page_walk(buf_str(&page), &text, &why);
    fputs(buf_cstr(&text), stdout);
    if (!good) fprintf(stderr, "is_page: %s: %s\n", argv[1], buf_cstr(&why));
    buf_release(&why);
    buf_release(&text);
    buf_release(&page);
    return good ? 0 : 1;
}
