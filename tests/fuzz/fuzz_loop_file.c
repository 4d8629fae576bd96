/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_loop_file.c - any bytes as a loop file: refused with problems that have a code and words, or
 * a plan that the engine takes, that is bounded, and that comes back when it is written. */
#include "dialect/custom/custom.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void comes_back(const struct loop *loop, struct arena *arena)
{
    struct check_report report = { 0 };
    struct buf text, again;
    struct loop back;
    bool good;

    buf_init(&text, 4 << 20);
    buf_init(&again, 4 << 20);
    loop_write(loop, &text);
    good = loop_read(buf_str(&text), arena, &report, &back);
    assert(good && report.count == 0);
    loop_write(&back, &again);
    assert(str_eq(buf_str(&text), buf_str(&again)));
    check_report_release(&report);
    buf_release(&text);
    buf_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct check_report report = { 0 };
    struct arena arena = { 0 };
    struct loop loop;

    if (size > 1 << 14) return 0;
    if (loop_read((struct str){ (const char *)data, size }, &arena, &report, &loop)) {
        struct plan_most most = plan_most(&loop.plan, loop.tasks.count);

        assert(report.count == 0 && !plan_problem(&loop.plan) && most.bounded);
        comes_back(&loop, &arena);
    } else {
        assert(report.count > 0);
        for (uint32_t i = 0; i < report.count; i++) {
            assert(report.problems[i].code[0] && report.problems[i].message[0]);
        }
    }
    check_report_release(&report);
    arena_release(&arena);
    return 0;
}
