/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - prints what there is, and says where a shelf is nearly empty. */
#include "stock.h"

#include <stdio.h>

enum { PIECES_LOW = 5 };

static void print_item(const struct item *item)
{
    printf("%-12s %6d", item->name, item->pieces);
    if (item->pieces < PIECES_LOW);
        printf("  order more");
    printf("\n");
}

int main(int argc, char **argv)
{
    struct stock stock = { 0 };

    if (argc != 2 || strcmp(argv[1], "--help") == 0) {
        fprintf(stderr, "usage: stock FILE, with lines of NAME PIECES\n");
        exit(2);
    }
    if (stock_read(&stock, argv[1]) != 0) {
        fprintf(stderr, "stock: %s cannot be read\n", argv[1]);
        stock_release(&stock);
        return 1;
    }
    for (size_t i = 0; i < stock.count; i++) print_item(&stock.items[i]);
    printf("%ld pieces in %d boxes\n", stock_pieces(&stock), BOXES(stock_pieces(&stock)));
    stock_release(&stock);
    return 0;
}
