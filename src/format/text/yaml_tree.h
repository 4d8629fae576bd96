/* SPDX-License-Identifier: Apache-2.0
 *
 * yaml_tree.h - a small YAML document that people write, as a tree: texts, lists and mappings, each
 * with its line. Pure.
 *
 * libyaml reads and writes it. What a tree means is said by those who walk it, so that they can
 * tell of all that is wrong with a file and not only of the first.
 *
 * 1. Anchors, aliases and tags are refused, and so are more than 16 levels, more than
 *    YAML_NODES_MAX nodes and more than YAML_BYTES_MAX bytes: a tree is never larger than its file.
 * 2. A key is a text and stands once in its mapping; no text holds a NUL.
 * 3. There is one document. */
#ifndef HONE_FORMAT_TEXT_YAML_TREE_H
#define HONE_FORMAT_TEXT_YAML_TREE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

enum { YAML_BYTES_MAX = 256 << 10, YAML_NODES_MAX = 8192 };

enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP, YAML_KIND_COUNT };

struct yaml_node {
    enum yaml_kind kind;
    uint32_t line;            /* where it begins, from 1 */
    struct str text;          /* of a text, with a NUL behind it */
    bool plain;               /* of a text: not quoted and no block: it may be a number or a word */
    uint32_t count;           /* of a list or a mapping */
    struct yaml_node **items; /* of a mapping: the values */
    struct str *keys;         /* of a mapping, with a NUL behind each */
    uint32_t *key_lines;
};

/* The tree lives in arena. ERR_FORMAT or ERR_LIMIT: the words alone, and the line in *line. */
int yaml_tree_read(struct str text, struct arena *arena, struct yaml_node **out, uint32_t *line,
                   struct err *err);
/* The value of a key; NULL: the mapping has none. */
struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);

/* A tree to be written. All live in arena; texts are borrowed. */
struct yaml_node *yaml_new(enum yaml_kind kind, struct arena *arena);
struct yaml_node *yaml_new_text(struct str text, struct arena *arena);
void yaml_put(struct yaml_node *map, const char *key, struct yaml_node *value,
              struct arena *arena);
void yaml_append(struct yaml_node *list, struct yaml_node *item, struct arena *arena);
/* Appends what yaml_tree_read() reads as the same tree; lists of texts stand in one line. */
void yaml_tree_write(const struct yaml_node *node, struct buf *out);

#endif
