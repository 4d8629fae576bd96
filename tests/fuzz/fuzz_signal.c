/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_signal.c - any bytes as a signal, and as the name of one. What must hold for all of them:
 *
 * 1. What is refused says why and is no success.
 * 2. What was read is harmless in one line; written and read again it is the same.
 * 3. What the check finds valid is read; its messages are in one line.
 * 4. Names compare like themselves, and the other way round. */
#include "check_laws.h"
#include "format/signal.h"
#include "format/text/utf8.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(struct str text)
{
    assert(utf8_prefix(text) == text.size);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        assert(byte >= ' ' && byte != 0x7f);
    }
}

static void check_again(const struct signal *signal, struct arena *arena)
{
    struct signal whole = *signal, again;
    struct err err;
    struct buf text;

    whole.created_at = STR("2026-01-15T08:40:00Z");
    buf_init(&text, SIGNAL_BYTES_MAX);
    signal_write(&whole, &text);
    assert(!text.overflow);
    assert(signal_read(buf_str(&text), arena, &again, &err) == 0);
    assert(str_eq(again.path, whole.path) && str_eq(again.grade, whole.grade));
    assert(str_eq(again.error, whole.error) && str_eq(again.created_at, whole.created_at));
    assert(again.success == whole.success && again.has_size);
    assert(again.size == whole.size || whole.size > 9999999999999999999U);
    buf_release(&text);
}

static void check_names(struct str text)
{
    struct str a = { text.data, text.size / 2 }, b = str_skip(text, text.size / 2);
    struct signal_name name;
    int order = signal_name_compare(a, b);

    assert(signal_name_compare(a, a) == 0);
    assert((order < 0) == (signal_name_compare(b, a) > 0));
    if (!signal_name_read(text, &name)) return;
    assert(str_ends(text, name.failed ? STR(".fail") : STR(".done")));
    assert((name.step == SIGNAL_OTHER) == (name.cycle == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct arena arena = { 0 };
    struct signal signal;
    struct err err = { 0 };
    uint64_t ms;

    if (signal_read(text, &arena, &signal, &err) != 0) {
        assert(err.code == ERR_FORMAT && err.text[0] && !signal.success);
        assert(!check_laws("signal", text));
    } else {
        check_line(signal.path);
        check_line(signal.grade);
        check_line(signal.error);
        check_line(signal.created_at);
        check_again(&signal, &arena);
        (void)check_laws("signal", text);
    }
    check_names(text);
    (void)signal_time(text, &ms);
    arena_release(&arena);
    return 0;
}
