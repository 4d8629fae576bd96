/* SPDX-License-Identifier: Apache-2.0
 *
 * findings.c - for stories: findings with fixes, as JSON on standard output, out of words:
 *
 *     finding SEVERITY RULE FILE LINE TEXT   one more finding
 *     fix TEXT                               one more alternative of it
 *     replace FILE OLD NEW                   one more edit of that: where OLD is first found
 *     insert FILE BEFORE TEXT                the same: TEXT in front of the first BEFORE
 *     at FILE START END TEXT                 the same, by place
 *
 * A file that cannot be read has the hash 1. */
#include "base/mem.h"
#include "format/json/finding_json.h"
#include "format/report/fix.h"
#include "io/file/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct maker {
    struct arena arena;
    struct findings findings;
    struct fixes fixes; /* of the last finding */
};

static void put_fixes(struct maker *maker)
{
    struct buf json;

    buf_init(&json, 1 << 24);
    fixes_write(&maker->fixes, &json);
    if (maker->fixes.count > 0) {
        maker->findings.items[maker->findings.count - 1].fix =
            arena_copy(&maker->arena, buf_str(&json));
    }
    maker->fixes.count = 0;
    buf_release(&json);
}

static void finding(struct maker *maker, char **words)
{
    struct findings *all = &maker->findings;
    struct finding made = { .source = STR("critic"), .kind = str_of(words[1]),
                            .file = str_of(words[2]), .text = str_of(words[4]),
                            .line = (uint32_t)strtoul(words[3], NULL, 10) };

    if (!severity_from_word(str_of(words[0]), &made.severity)) exit(2);
    if (all->count > 0) put_fixes(maker);
    made.fingerprint = finding_fingerprint(&made);
    all->items = mem_grow(all->items, all->count, &all->cap, sizeof *all->items);
    all->items[all->count++] = made;
}

static void fix(struct maker *maker, char **words)
{
    struct fix *grown = arena_alloc(&maker->arena, (maker->fixes.count + 1) * sizeof *grown);

    for (uint32_t i = 0; i < maker->fixes.count; i++) grown[i] = maker->fixes.items[i];
    grown[maker->fixes.count++].text = str_of(words[0]);
    maker->fixes.items = grown;
}

static void edit(struct maker *maker, struct edit made, const char *old)
{
    struct fix *last = &maker->fixes.items[maker->fixes.count - 1];
    struct edit *grown = arena_alloc(&maker->arena, (last->count + 1) * sizeof *grown);
    struct buf content;
    struct err err;
    const char *at;

    buf_init(&content, 1 << 26);
    made.hash = 1;
    if (file_read(made.file.data, &content, &err) == 0) made.hash = content_hash(buf_str(&content));
    if (old) {
        at = memmem(buf_cstr(&content), content.size, old, strlen(old));
        if (!at) {
            fprintf(stderr, "'%s' is not in %s\n", old, made.file.data);
            exit(1);
        }
        made.end += (made.start = (uint64_t)(at - content.data));
    }
    for (uint32_t i = 0; i < last->count; i++) grown[i] = last->edits[i];
    grown[last->count++] = made;
    last->edits = grown;
    buf_release(&content);
}

static void replace(struct maker *maker, char **words)
{
    edit(maker, (struct edit){ .file = str_of(words[0]), .end = strlen(words[1]),
                               .text = str_of(words[2]) }, words[1]);
}

static void insert(struct maker *maker, char **words)
{
    edit(maker, (struct edit){ .file = str_of(words[0]), .text = str_of(words[2]) }, words[1]);
}

static void place(struct maker *maker, char **words)
{
    edit(maker, (struct edit){ .file = str_of(words[0]), .start = strtoull(words[1], NULL, 10),
                               .end = strtoull(words[2], NULL, 10), .text = str_of(words[3]) },
         NULL);
}

static const struct {
    const char *name;
    int words;
    void (*make)(struct maker *maker, char **words);
} verbs[] = {
    { "finding", 5, finding }, { "fix", 1, fix }, { "replace", 3, replace },
    { "insert", 3, insert }, { "at", 4, place },
};

int main(int argc, char **argv)
{
    struct maker maker = { 0 };
    struct buf out;

    for (int i = 1; i < argc;) {
        size_t verb = 0;

        while (verb < 5 && strcmp(verbs[verb].name, argv[i]) != 0) verb++;
        if (verb == 5 || argc - i <= verbs[verb].words) {
            fprintf(stderr, "findings: what is '%s'?\n", argv[i]);
            return 2;
        }
        verbs[verb].make(&maker, argv + i + 1);
        i += 1 + verbs[verb].words;
    }
    if (maker.findings.count > 0) put_fixes(&maker);
    buf_init(&out, 1 << 26);
    findings_write(&maker.findings, &out);
    puts(buf_cstr(&out));
    buf_release(&out);
    free(maker.findings.items);
    arena_release(&maker.arena);
    return 0;
}
