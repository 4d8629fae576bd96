/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_patch.c - findings with fixes of any kind, over two files of any content.
 *
 * The input is the two contents, a NUL behind each, and then fixes as JSON, one finding in a line,
 * begun with a digit for its severity. The hash 0000000000000000 stands for the right one.
 *
 * 1. Nothing is taken that reaches outside its file, or overlaps another change.
 * 2. All changes, none, and one at a time can be applied; without any the file is as it was, and
 *    the sizes add up.
 * 3. Choosing again gives the same; with all that was taken refused, none of it is taken again. */
#include "base/mem.h"
#include "format/report/patch.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FINDINGS_MAX = 64, NEW_BYTES_MAX = 1 << 24 };

static void right_hashes(struct patch *patch)
{
    for (uint32_t i = 0; i < patch->count; i++) {
        for (uint32_t k = 0; k < patch->items[i].fixes.count; k++) {
            struct fix *fix = &patch->items[i].fixes.items[k];
            for (uint32_t e = 0; e < fix->count; e++) {
                uint32_t file = 0;
                while (!str_eq(patch->files[file].path, fix->edits[e].file)) file++;
                if (fix->edits[e].hash != 0) continue;
                fix->edits[e].hash = content_hash(patch->files[file].content);
            }
        }
    }
}

static int64_t growth(const struct patch *patch, const bool *in, uint32_t file)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < patch->edit_count; i++) {
        const struct patch_edit *at = &patch->edits[i];

        assert(at->edit->end <= patch->files[at->file].content.size);
        if (at->file != file || !in[at->change]) continue;
        sum += (int64_t)at->edit->text.size - (int64_t)(at->edit->end - at->edit->start);
    }
    return sum;
}

static void check_apply(const struct patch *patch, const bool *in)
{
    uint32_t *lines = mem_alloc((patch->change_count + 1) * sizeof *lines);

    for (uint32_t i = 0; i < patch->file_count; i++) {
        struct str content = patch->files[i].content;
        struct buf out;

        buf_init(&out, NEW_BYTES_MAX);
        patch_apply(patch, in, i, &out, lines);
        assert(!out.overflow);
        assert((int64_t)out.size == (int64_t)content.size + growth(patch, in, i));
        if (!patch_touches(patch, in, i)) assert(str_eq(buf_str(&out), content));
        buf_release(&out);
    }
    free(lines);
}

static void check_choice(const struct patch *patch)
{
    bool *in = mem_alloc((patch->change_count + 1) * sizeof *in);

    check_apply(patch, in);
    for (uint32_t i = 0; i < patch->change_count; i++) {
        in[i] = true;
        check_apply(patch, in);
        in[i] = false;
    }
    for (uint32_t i = 0; i < patch->change_count; i++) in[i] = true;
    check_apply(patch, in);
    free(in);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void choose_again(struct patch *patch)
{
    uint32_t taken = 0, changes = patch->change_count;
    uint64_t refused[FINDINGS_MAX];

    for (uint32_t i = 0; i < patch->count; i++) {
        if (patch->items[i].state != PATCH_TAKEN) continue;
        assert(patch->items[i].change < changes);
        refused[taken++] = patch_identity(patch, &patch->items[i]);
    }
    patch_choose(patch, NULL, 0);
    assert(patch->change_count == changes);
    qsort(refused, taken, sizeof *refused, by_value);
    patch_choose(patch, refused, taken);
    for (uint32_t i = 0; i < patch->count; i++) {
        uint64_t mine;
        if (patch->items[i].state != PATCH_TAKEN) continue;
        mine = patch_identity(patch, &patch->items[i]);
        assert(!bsearch(&mine, refused, taken, sizeof mine, by_value));
    }
    check_choice(patch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size }, contents[2] = { { "", 0 }, { "", 0 } }, line;
    struct finding findings[FINDINGS_MAX];
    struct patch patch;
    uint32_t count = 0;

    if (size > 65536) return 0;
    (void)str_cut(&text, '\0', &contents[0]);
    (void)str_cut(&text, '\0', &contents[1]);
    patch_init(&patch);
    while (count < FINDINGS_MAX && str_cut(&text, '\n', &line)) {
        findings[count] = (struct finding){ .kind = STR("rule"), .fix = str_skip(line, 1) };
        if (line.size && line.data[0] == '1') findings[count].severity = SEVERITY_MEDIUM;
        if (line.size && line.data[0] == '2') findings[count].severity = SEVERITY_HIGH;
        patch_add(&patch, &findings[count++]);
    }
    patch_list_files(&patch);
    for (uint32_t i = 0; i < patch.file_count; i++) {
        patch.files[i].content = contents[i % 2];
        if (i == 2) patch.files[i].barred = "it is the third";
    }
    right_hashes(&patch);
    patch_choose(&patch, NULL, 0);
    check_choice(&patch);
    choose_again(&patch);
    patch_release(&patch);
    return 0;
}
