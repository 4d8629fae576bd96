/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_acp.c - any bytes as what an agent sends: our side answers each of its requests once, sends
 * nothing but whole messages, and wants no file outside. The first byte is the role: 'w' writes. */
#include "format/stream/acp.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines of JSON objects; how many of them are answers. */
static uint32_t answers_in(struct str sent)
{
    uint32_t count = 0;
    struct str line;

    assert(sent.size == 0 || sent.data[sent.size - 1] == '\n');
    while (str_cut(&sent, '\n', &line)) {
        yyjson_doc *doc;
        yyjson_val *root;
        struct err err;

        assert(json_read(line, &doc, &err) == 0);
        root = yyjson_doc_get_root(doc);
        assert(str_is(json_str(root, "jsonrpc"), "2.0"));
        if (!yyjson_obj_get(root, "method")) {
            assert(!yyjson_obj_get(root, "result") != !yyjson_obj_get(root, "error"));
            count++;
        }
        yyjson_doc_free(doc);
    }
    return count;
}

/* Whether the line is a request, by the plain definition. */
static bool is_request(struct str line)
{
    yyjson_doc *doc;
    yyjson_val *root, *id;
    struct err err;
    bool is;

    if (json_read(line, &doc, &err) != 0) return false;
    root = yyjson_doc_get_root(doc);
    id = yyjson_obj_get(root, "id");
    is = json_str(root, "method").data && (yyjson_is_str(id) || yyjson_is_num(id));
    yyjson_doc_free(doc);
    return is;
}

static void check_path(const struct acp *acp)
{
    struct str path = buf_str(&acp->path);

    assert(path.size > 0 && strlen(path.data) == path.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest, line;
    struct acp acp;
    struct buf out;
    bool over = false;

    if (size == 0) return 0;
    acp_init(&acp, &(struct acp_about){ .writes = data[0] == 'w', .workspace = "/w",
                                        .prompt = STR("p"), .version = "1" });
    buf_init(&out, 64 << 20);
    acp_begin(&acp, &out);
    rest = (struct str){ (const char *)data + 1, size - 1 };
    while (!over && str_cut(&rest, '\n', &line)) {
        enum acp_event event;

        buf_clear(&out);
        event = acp_line(&acp, line, &out);
        over = event == ACP_OVER;
        if (event == ACP_WANTS_READ) {
            check_path(&acp);
            acp_file_read(&acp, STR("one\n\xff two\n"), NULL, &out);
        } else if (event == ACP_WANTS_WRITE) {
            check_path(&acp);
            assert(data[0] == 'w');
            acp_file_written(&acp, line.size % 2 ? "no" : NULL, &out);
        }
        assert(!out.overflow);
        assert(answers_in(buf_str(&out)) == is_request(line));
    }
    acp_cancel(&acp, &out);
    assert(!over || acp.over);
    buf_release(&out);
    acp_release(&acp);
    return 0;
}
