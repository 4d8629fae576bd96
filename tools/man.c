/* SPDX-License-Identifier: Apache-2.0
 *
 * man.c - writes hone.1 and a hone-VERB.1 for each verb into a folder:  man FOLDER */
#include "cmd/page.h"
#include "io/file/file.h"

#include <stdio.h>

enum { PAGE_BYTES_MAX = 1 << 20 };

static int write_page(const char *folder, struct page *page, struct err *err)
{
    const char *name = arena_printf(&page->arena, "%s.1", page->blocks[0].term);
    struct buf out;
    int rc;

    buf_init(&out, PAGE_BYTES_MAX);
    page_man(page, &out);
    rc = file_write(folder, name, buf_str(&out), err);
    buf_release(&out);
    page_release(page);
    return rc;
}

int main(int argc, char **argv)
{
    struct page page;
    struct err err;
    int rc;

    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argc > 0 ? argv[0] : "man");
        return 2;
    }
    rc = file_make_folder(argv[1], true, &err);
    if (rc == 0) {
        page_overview(&page);
        rc = write_page(argv[1], &page, &err);
    }
    for (uint32_t i = 0; rc == 0 && verbs[i]; i++) {
        page_verb(&page, verbs[i]);
        rc = write_page(argv[1], &page, &err);
    }
    if (rc != 0) fprintf(stderr, "man: %s\n", err.text);
    return rc != 0;
}
