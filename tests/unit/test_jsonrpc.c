/* SPDX-License-Identifier: Apache-2.0
 *
 * test_jsonrpc.c - which texts are messages, of which kind, and what is said about the others. */
#include "base/mem.h"
#include "format/json/jsonrpc.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

struct sample {
    const char *text;
    enum rpc_kind kind;
    const char *id;     /* as JSON; "": none */
    enum rpc_code code; /* of a broken one */
};

static void expect(const struct sample *sample)
{
    struct rpc_message message;

    rpc_read(str_of(sample->text), &message);
    if (message.kind != sample->kind) fail_msg("%s: kind %d", sample->text, message.kind);
    if (!str_is((struct str){ message.id.json, message.id.size }, sample->id)) {
        fail_msg("%s: id %s", sample->text, message.id.json);
    }
    if (sample->kind == RPC_BROKEN) {
        assert_int_equal(message.code, sample->code);
        assert_non_null(message.problem);
    }
    rpc_release(&message);
    rpc_release(&message); /* twice is once */
}

TEST(messages_are_told_apart)
{
    static const struct sample samples[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", RPC_REQUEST, "1", 0 },
        { "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"m\",\"params\":{}}", RPC_REQUEST, "\"a\"",
          0 },
        { "{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"m\"}", RPC_REQUEST, "\"\"", 0 },
        { "{\"jsonrpc\":\"2.0\",\"id\":-7,\"method\":\"m\"}", RPC_REQUEST, "-7", 0 },
        { "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"m\"}", RPC_REQUEST,
          "9007199254740993", 0 },
        { " {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"} ", RPC_NOTIFICATION, "",
          0 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", RPC_RESPONSE, "1", 0 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"m\"}}", RPC_RESPONSE,
          "1", 0 },
    };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) expect(&samples[i]);
}

TEST(what_is_no_message_is_broken_and_says_whose_it_was)
{
    static const struct sample samples[] = {
        { "", RPC_BROKEN, "", RPC_PARSE },
        { "nonsense", RPC_BROKEN, "", RPC_PARSE },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", RPC_BROKEN, "", RPC_PARSE },
        { "{} {}", RPC_BROKEN, "", RPC_PARSE },
        { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", RPC_BROKEN, "", RPC_INVALID },
        { "[]", RPC_BROKEN, "", RPC_INVALID },
        { "7", RPC_BROKEN, "", RPC_INVALID },
        { "{}", RPC_BROKEN, "", RPC_INVALID },
        { "{\"id\":1,\"method\":\"ping\"}", RPC_BROKEN, "1", RPC_INVALID },
        { "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", RPC_BROKEN, "1", RPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", RPC_BROKEN, "", RPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", RPC_BROKEN, "", RPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", RPC_BROKEN, "", RPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", RPC_BROKEN, "1", RPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}", RPC_BROKEN, "1", RPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":1}", RPC_BROKEN, "1", RPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[1]}", RPC_BROKEN, "1",
          RPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"method\":\"b\"}", RPC_BROKEN, "",
          RPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"a\"}", RPC_BROKEN, "", RPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"\\u006dethod\":\"b\"}", RPC_BROKEN, "",
          RPC_INVALID },
    };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) expect(&samples[i]);
}

/* {"jsonrpc":"2.0","id":ID,"method":METHOD} with so many letters in both. */
static enum rpc_kind kind_of(size_t id_letters, size_t method_letters)
{
    struct rpc_message message;
    enum rpc_kind kind;
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_text(&text, "{\"jsonrpc\":\"2.0\",\"id\":\"");
    for (size_t i = 0; i < id_letters; i++) buf_byte(&text, 'i');
    buf_text(&text, "\",\"method\":\"");
    for (size_t i = 0; i < method_letters; i++) buf_byte(&text, 'm');
    buf_text(&text, "\"}");
    rpc_read(buf_str(&text), &message);
    kind = message.kind;
    rpc_release(&message);
    buf_release(&text);
    return kind;
}

TEST(long_ids_and_methods_are_refused)
{
    assert_int_equal(kind_of(RPC_ID_BYTES_MAX - 3, 5), RPC_REQUEST);
    assert_int_equal(kind_of(RPC_ID_BYTES_MAX - 2, 5), RPC_BROKEN);
    assert_int_equal(kind_of(100000, 5), RPC_BROKEN);
    assert_int_equal(kind_of(5, RPC_METHOD_BYTES_MAX), RPC_REQUEST);
    assert_int_equal(kind_of(5, RPC_METHOD_BYTES_MAX + 1), RPC_BROKEN);
}

TEST(long_and_deep_messages_are_refused)
{
    size_t bytes = (size_t)RPC_BYTES_MAX + 1;
    char *text = mem_alloc(bytes);
    struct rpc_message message;

    memset(text, ' ', bytes);
    rpc_read((struct str){ text, bytes }, &message);
    assert_int_equal(message.kind, RPC_BROKEN);
    assert_int_equal(message.code, RPC_INVALID);
    rpc_release(&message);
    memset(text, '[', 100000);
    rpc_read((struct str){ text, 100000 }, &message);
    assert_int_equal(message.code, RPC_PARSE);
    rpc_release(&message);
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    rpc_read((struct str){ text, 130 }, &message);
    assert_int_equal(message.code, RPC_PARSE);
    rpc_release(&message);
    free(text);
}

TEST(ids_are_the_same_when_type_and_value_are)
{
    static const struct {
        const char *a, *b;
        bool same;
    } pairs[] = {
        { "1", "1", true }, { "1", "\"1\"", false }, { "\"a\"", "\"\\u0061\"", true },
        { "1", "2", false }, { "\"a\\n\"", "\"a\\n\"", true },
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        yyjson_doc *a = yyjson_read(pairs[i].a, strlen(pairs[i].a), 0);
        yyjson_doc *b = yyjson_read(pairs[i].b, strlen(pairs[i].b), 0);
        struct rpc_id first, second;

        assert_true(rpc_id_read(yyjson_doc_get_root(a), &first));
        assert_true(rpc_id_read(yyjson_doc_get_root(b), &second));
        assert_int_equal(rpc_id_is(&first, &second), pairs[i].same);
        yyjson_doc_free(a);
        yyjson_doc_free(b);
    }
}

TEST(messages_are_written_in_one_line)
{
    struct rpc_id none = { .size = 0 }, id = { .json = "\"a\"", .size = 3 };
    yyjson_mut_doc *doc = json_new();
    struct buf out;

    buf_init(&out, 1000);
    assert_true(rpc_write_result(&id, doc, yyjson_mut_strcpy(doc, "x\ny"), &out));
    assert_string_equal(buf_cstr(&out), "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":\"x\\ny\"}");
    buf_clear(&out);
    assert_true(rpc_write_error(&none, -32700, "no\n\377", doc, NULL, &out));
    assert_string_equal(buf_cstr(&out), "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,"
                        "\"message\":\"no\\n\357\277\275\"}}");
    buf_clear(&out);
    assert_true(rpc_write_notification("n", doc, NULL, &out));
    assert_string_equal(buf_cstr(&out), "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}");
    buf_release(&out);
    yyjson_mut_doc_free(doc);
}

TEST(a_message_that_does_not_fit_is_not_written_at_all)
{
    struct rpc_id id = { .json = "1", .size = 1 };
    yyjson_mut_doc *doc = json_new();
    struct buf out;

    buf_init(&out, 40);
    buf_text(&out, "before");
    assert_false(rpc_write_result(&id, doc, yyjson_mut_strcpy(doc, "0123456789"), &out));
    assert_string_equal(buf_cstr(&out), "before");
    buf_release(&out);
    yyjson_mut_doc_free(doc);
}
