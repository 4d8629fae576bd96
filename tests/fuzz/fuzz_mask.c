/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_mask.c - any bytes as a text to mask. What must hold for all of them:
 *
 * 1. A text is masked where it was said that there is something to mask, and only there.
 * 2. What was JSON stays JSON.
 * 3. A cut leaves something to go on with. */
#include "format/secret/mask.h"

#include "format/json/json.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_json(struct str text)
{
    yyjson_doc *doc;
    struct err err;
    bool good = json_read(text, &doc, &err) == 0;

    yyjson_doc_free(doc);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const environment[] = { "A_TOKEN=n\"ab\\cdefg", "B_SECRET=\\nnnnnnnn",
                                               "C_KEY=abcdefgH", "D_SECRET=/a&b'c%4d\\u00e9",
                                               NULL };
    struct str text = { size ? (const char *)data : "", size };
    struct mask mask = { 0 };
    struct buf out;

    mask_learn(&mask, environment, NULL);
    buf_init(&out, 128 * size + 4096);
    assert(mask_text(&mask, text, NULL) == mask_text(&mask, text, &out));
    if (out.size && is_json(text)) assert(is_json(buf_str(&out)));
    if (size) {
        size_t cut = mask_cut(text);
        assert(cut > 0 && cut <= size);
    }
    buf_release(&out);
    mask_release(&mask);
    return 0;
}
