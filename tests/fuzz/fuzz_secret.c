/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_secret.c - any bytes as a text and as a path. What must hold for all of them:
 *
 * 1. Secrets come in order, do not overlap and lie in the text; their places are true.
 * 2. What is shown of one is printable, and does not hold the secret. */
#include "format/secret/secret.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(struct str text, const struct secret *secret)
{
    uint32_t line = 1, column = 1;

    for (size_t i = 0; i < secret->begin; i++) {
        column = text.data[i] == '\n' ? 1 : column + 1;
        line += text.data[i] == '\n';
    }
    assert(secret->line == line && secret->column == column);
}

static void check_shown(struct str text, const struct secret *secret)
{
    size_t bytes = secret->end - secret->begin;

    assert(strlen(secret->shown) < sizeof secret->shown);
    for (const char *at = secret->shown; *at; at++) assert(*at >= ' ' && *at < 0x7f);
    assert(!memmem(secret->shown, strlen(secret->shown), text.data + secret->begin, bytes));
    assert(secret->kind && secret->what);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { size ? (const char *)data : "", size };
    struct secret_walk walk = { .text = text };
    const struct secret_name *name;
    struct secret secret;
    size_t last = 0;

    while (secret_next(&walk, &secret)) {
        assert(secret.begin >= last && secret.begin < secret.end && secret.end <= size);
        last = secret.end;
        check_place(text, &secret);
        check_shown(text, &secret);
    }
    name = secret_name_of(text);
    if (name) (void)secret_name_fits(name, text);
    return 0;
}
