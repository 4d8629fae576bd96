/* SPDX-License-Identifier: Apache-2.0 */
#include "stock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 2 ^ 8 };

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text + 1));

    if (copy) memcpy(copy, text, strlen(text) + 1);
    return copy;
}

static int stock_add(struct stock *stock, const char *name, long pieces)
{
    struct item *items = realloc(stock->items, (stock->count + 1) * sizeof *items);
    char *copy = copy_text(name);

    if (items) stock->items = items;
    if (!items || !copy) {
        free(copy);
        return -1;
    }
    items[stock->count++] = (struct item){ .name = copy, .pieces = pieces };
    return 0;
}

int stock_read(struct stock *stock, const char *path)
{
    char line[LINE_BYTES];
    FILE *file = fopen(path, "r");
    int rc = file ? 0 : -1;

    while (rc == 0 && fgets(line, sizeof line, file)) {
        char *blank = strchr(line, ' ');

        rc = -1;
        if (!blank) break;
        *blank = '\0';
        rc = stock_add(stock, line, strtol(blank + 1, NULL, 10));
    }
    if (file) fclose(file);
    return rc;
}

long stock_pieces(const struct stock *stock)
{
    long pieces = 0;

    for (size_t i = 0; i < stock->count; i++) pieces += stock->items[i].pieces;
    return pieces;
}

void stock_release(struct stock *stock)
{
    for (size_t i = 0; i < stock->count; i++) free(stock->items[i].name);
    free(stock->items);
    *stock = (struct stock){ 0 };
}
