/* SPDX-License-Identifier: Apache-2.0 */
#include "filed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void filed_begin(struct filed *filed)
{
    session_file_init(&filed->file);
    buf_init(&filed->written, 1 << 20);
}

void filed_end(struct filed *filed)
{
    session_file_release(&filed->file);
    buf_release(&filed->written);
}

void filed_read(struct filed *filed, const char *text)
{
    struct err err = { 0 };

    session_file_release(&filed->file);
    assert_int_equal(session_file_read(&filed->file, str_of(text), &err), 0);
}

const char *filed_now(struct filed *filed)
{
    buf_clear(&filed->written);
    session_file_write(&filed->file, &filed->written);
    return buf_cstr(&filed->written);
}
