/* SPDX-License-Identifier: Apache-2.0 */
#include "filed.h"

#include "test.h"

struct filed filed;

int filed_open(__attribute__((unused)) void **state)
{
    session_file_init(&filed.file);
    buf_init(&filed.written, 1 << 20);
    return 0;
}

int filed_close(__attribute__((unused)) void **state)
{
    session_file_release(&filed.file);
    buf_release(&filed.written);
    return 0;
}

void filed_read(const char *text)
{
    struct err err = { 0 };

    session_file_release(&filed.file);
    assert_int_equal(session_file_read(&filed.file, str_of(text), &err), 0);
}

const char *filed_now(void)
{
    buf_clear(&filed.written);
    session_file_write(&filed.file, &filed.written);
    return buf_cstr(&filed.written);
}
