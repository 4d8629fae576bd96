/* SPDX-License-Identifier: Apache-2.0
 *
 * test_document_transcript.c - a transcript read in answers: whole lines, bounds, and where to ask
 * again. */
#include "document/parts.h"

#include "test.h"

#include <string.h>

/* What an attempt wrote. */
static struct str text;

static int read_text(const void *context, uint64_t at, size_t bytes, struct buf *out,
                     struct err *err)
{
    size_t left = at < text.size ? text.size - (size_t)at : 0;

    (void)context;
    (void)err;
    buf_add(out, (struct str){ left ? text.data + at : "", left < bytes ? left : bytes });
    return 0;
}

struct answer {
    yyjson_mut_doc *doc;
    yyjson_mut_val *items;
    uint64_t next;
    bool more, anew;
    size_t bytes; /* as JSON */
};

static struct answer ask(const struct stream_kind *kind, uint64_t from, bool ended)
{
    const struct transcript_text texts[] = { { text.size, read_text, NULL } };
    struct mask mask = { .known = NULL };
    struct transcript_request request = { .texts = texts, .count = 1, .kind = kind, .mask = &mask,
                                          .ended = ended, .from = from };
    struct answer out = { .doc = json_new() };
    yyjson_mut_val *root = json_object(out.doc);
    struct buf json;
    struct err err;

    assert_int_equal(transcript_json(&request, out.doc, root, &err), 0);
    out.items = yyjson_mut_obj_get(root, "items");
    out.next = yyjson_mut_get_uint(yyjson_mut_obj_get(root, "next"));
    out.more = yyjson_mut_get_bool(yyjson_mut_obj_get(root, "more"));
    out.anew = yyjson_mut_get_bool(yyjson_mut_obj_get(root, "anew"));
    buf_init(&json, 16 << 20);
    json_write(out.doc, false, &json);
    out.bytes = json.size;
    buf_release(&json);
    return out;
}

static const char *member(const struct answer *answer, size_t nth, const char *name)
{
    return yyjson_mut_get_str(yyjson_mut_obj_get(yyjson_mut_arr_get(answer->items, nth), name));
}

TEST(half_a_line_waits_for_its_end)
{
    struct answer answer;

    text = STR("one\ntwo\nthr");
    answer = ask(NULL, 0, false);
    assert_string_equal(member(&answer, 0, "text"), "one\ntwo");
    assert_int_equal(answer.next, 8);
    assert_false(answer.more || answer.anew);
    yyjson_mut_doc_free(answer.doc);

    answer = ask(NULL, 8, false);
    assert_int_equal(yyjson_mut_arr_size(answer.items), 0);
    assert_int_equal(answer.next, 8);
    yyjson_mut_doc_free(answer.doc);

    answer = ask(NULL, 8, true);
    assert_string_equal(member(&answer, 0, "text"), "thr");
    assert_int_equal(answer.next, 11);
    yyjson_mut_doc_free(answer.doc);
}

TEST(a_place_within_a_line_begins_anew)
{
    for (uint64_t from = 0; from < 12; from++) {
        bool border = from == 0 || from == 4 || from == 8;
        struct answer answer;

        text = STR("one\ntwo\n");
        answer = ask(NULL, from, false);
        assert_int_equal(answer.anew, !border);
        assert_int_equal(answer.next, 8);
        yyjson_mut_doc_free(answer.doc);
    }
}

TEST(pieces_of_one_message_are_one_item)
{
    struct answer answer;

    text = STR("{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"I \",\"delta\":true}\n"
               "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"see.\",\"delta\":true}"
               "\n{\"type\":\"error\",\"message\":\"over\"}\n");
    answer = ask(&gemini_stream, 0, true);
    assert_int_equal(yyjson_mut_arr_size(answer.items), 2);
    assert_string_equal(member(&answer, 0, "text"), "I see.");
    assert_string_equal(member(&answer, 0, "id"), "piece");
    assert_string_equal(member(&answer, 1, "kind"), "note");
    yyjson_mut_doc_free(answer.doc);
}

/* So many bytes of lines, each of which costs the most as JSON. */
static void fill(struct buf *out, size_t bytes, const char *line)
{
    buf_init(out, bytes + 64);
    while (out->size < bytes) buf_text(out, line);
    text = buf_str(out);
}

TEST(an_answer_is_bounded_and_all_of_them_are_the_whole)
{
    static const char *const lines[] = { "\001\002\003\004\005\006\007\n", "a\n",
                                         "\377\376\375 \"quoted\\\"\n" };

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        uint64_t from = 0, answers = 0;
        struct buf written;
        bool more = true;

        fill(&written, 3 << 20, lines[i]);
        while (more) {
            struct answer answer = ask(NULL, from, true);

            assert_true(answer.bytes < 1 << 20);
            assert_true(answer.next > from && !answer.anew);
            from = answer.next;
            more = answer.more;
            answers++;
            yyjson_mut_doc_free(answer.doc);
        }
        assert_int_equal(from, written.size);
        assert_true(answers >= 3);
        buf_release(&written);
    }
}

TEST(one_long_line_is_cut_and_not_read_twice)
{
    struct answer answer;
    struct buf written;

    buf_init(&written, 8 << 20);
    buf_text(&written, "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\","
                       "\"text\":\"");
    while (written.size < 3 << 20) buf_text(&written, "long ");
    buf_text(&written, "\"}]}}\nnext\n");
    text = buf_str(&written);
    answer = ask(&claude_stream, 0, false);
    assert_string_equal(member(&answer, 0, "kind"), "said");
    assert_true(strlen(member(&answer, 0, "text")) < 64 << 10);
    assert_true(yyjson_mut_get_bool(yyjson_mut_obj_get(yyjson_mut_arr_get(answer.items, 0),
                                                       "cut")));
    assert_true(answer.bytes < 1 << 20);
    assert_int_equal(answer.next, text.size);
    yyjson_mut_doc_free(answer.doc);
    buf_release(&written);
}
