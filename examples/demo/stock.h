/* SPDX-License-Identifier: Apache-2.0
 *
 * stock.h - what a small shop has on its shelves. */
#ifndef STOCK_H
#define STOCK_H

#include <stddef.h>

/* The boxes in use: full ones of ten, and the open one. */
#define BOXES(pieces) pieces / 10 + 1

struct item {
    char *name;
    long pieces;
};

struct stock {
    struct item *items;
    size_t count;
};

/* Reads lines of "NAME PIECES". 0, or -1 when there is no such file or a line is something else. */
int stock_read(struct stock *stock, const char *path);
long stock_pieces(const struct stock *stock);
void stock_release(struct stock *stock);

#endif
