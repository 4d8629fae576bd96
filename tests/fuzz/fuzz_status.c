/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_status.c - any bytes as what git prints: lines that stay inside the tree, or a refusal.
 *
 * What was read is printed again in git's form and read once more: both must be the same. */
#include "base/buf.h"
#include "io/git/status.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *oid_word(const char *oid)
{
    return oid[0] ? oid : "0000000000000000000000000000000000000000";
}

/* "MODE OID" for each stage, back into the order of git's line. */
static void print_unmerged(struct buf *out, const struct status_line *line)
{
    struct str rest = line->stages, mode[3], oid[3];

    for (int i = 0; i < 3; i++) {
        bool good = str_cut(&rest, ' ', &mode[i]) && str_cut(&rest, ' ', &oid[i]);
        assert(good);
        if (str_is(oid[i], "-")) oid[i] = str_of(oid_word(""));
    }
    assert(rest.size == 0);
    buf_printf(out, "u UU %s %.*s %.*s %.*s %06o %.*s %.*s %.*s ",
               line->module[0] ? line->module : "N...", STR_ARG(mode[0]), STR_ARG(mode[1]),
               STR_ARG(mode[2]), line->mode, STR_ARG(oid[0]), STR_ARG(oid[1]), STR_ARG(oid[2]));
}

static void print_line(struct buf *out, const struct status_line *line)
{
    if (line->untracked) {
        buf_text(out, "? ");
    } else if (line->stages.size) {
        print_unmerged(out, line);
    } else {
        buf_printf(out, "1 .M %s %06o %06o %06o %s %s ", line->module[0] ? line->module : "N...",
                   line->head_mode, line->staged_mode, line->mode, oid_word(line->head),
                   oid_word(line->staged));
    }
    buf_add(out, line->path);
    if (line->repository) buf_byte(out, '/');
    buf_byte(out, '\0');
}

static void expect_same(const struct status_line *a, const struct status_line *b)
{
    assert(str_eq(a->path, b->path) && str_eq(a->stages, b->stages));
    assert(a->untracked == b->untracked && a->repository == b->repository);
    assert(a->mode == b->mode && a->staged_mode == b->staged_mode && a->head_mode == b->head_mode);
    assert(strcmp(a->head, b->head) == 0 && strcmp(a->staged, b->staged) == 0);
    assert(strcmp(a->module, b->module) == 0);
}

static void expect_inside(struct str path)
{
    struct str part;

    assert(path.size && path.data[0] != '/');
    while (str_cut(&path, '/', &part))
        assert(part.size && !str_is(part, "..") && !str_is(part, ".") && !str_is(part, ".git"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct status status, again;
    struct arena arena = { 0 };
    struct err err = { 0 };
    struct buf printed;

    buf_init(&printed, 8 * size + 4096);
    if (tree_parse_status(text, &arena, &status, &err) != 0) {
        assert(err.code == ERR_FORMAT);
    } else {
        for (uint32_t i = 0; i < status.count; i++) {
            expect_inside(status.lines[i].path);
            print_line(&printed, &status.lines[i]);
        }
        assert(tree_parse_status(buf_str(&printed), &arena, &again, &err) == 0);
        assert(again.count == status.count);
        for (uint32_t i = 0; i < status.count; i++) expect_same(&status.lines[i], &again.lines[i]);
    }
    buf_release(&printed);
    arena_release(&arena);
    return 0;
}
