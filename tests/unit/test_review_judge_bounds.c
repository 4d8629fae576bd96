/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/dialects.h"
#include "dialect/review/review.h"
#include "format/json/json.h"
#include "format/text/utf8.h"
#include "review_scene.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define COUNTS(c, w, i) "\"critical\":" #c ",\"warning\":" #w ",\"info\":" #i
#define CLEAN "\"summary\":{" COUNTS(0, 0, 0) ",\"verdict\":\"clean\"}"
#define FOUND(c, w, i) "\"summary\":{" COUNTS(c, w, i) ",\"verdict\":\"issues_found\"}"

TEST(too_many_findings_end_in_one_that_says_so)
{
    struct scene scene;
    struct result result;
    yyjson_doc *doc;
    struct err err;

    scene_open(&scene, NULL);
    result = scene_judged(&scene.arena, REVIEW_CRITIC, str_of(scene_issues(&scene, 1, 2500, 1)));
    assert_int_equal(result.finding_count, 2000);
    assert_true(str_is(result.findings[1999].text,
                       "503 more issues stand in the reviewer's file alone"));
    assert_int_equal(result.findings[1999].severity, SEVERITY_MEDIUM);
    assert_int_equal(json_read(result.doc, &doc, &err), 0);
    assert_int_equal(yyjson_arr_size(yyjson_obj_get(yyjson_doc_get_root(doc), "issues")), 2502);
    yyjson_doc_free(doc);

    result = scene_judged(&scene.arena, REVIEW_CRITIC, str_of(scene_issues(&scene, 0, 2000, 0)));
    assert_int_equal(result.finding_count, 2000);
    assert_true(str_is(result.findings[1999].text, "warning number 2000"));
    scene_close(&scene);
}

TEST(long_texts_are_cut_where_it_can_be_seen)
{
    struct arena arena = { 0 };
    struct buf answer;
    struct result result;
    const struct finding *finding;

    buf_init(&answer, 1 << 22);
    buf_text(&answer, "{\"issues\":[{\"severity\":\"info\",\"description\":\"");
    for (int i = 0; i < 5000; i++) buf_text(&answer, "\xc3\xa9");
    buf_text(&answer, "\",\"evidence\":\"");
    for (int i = 0; i < 9000; i++) buf_text(&answer, "e");
    buf_text(&answer, "\",\"suggestion\":[\"");
    for (int i = 0; i < 9000; i++) buf_text(&answer, "s");
    buf_text(&answer, "\"]}]," FOUND(0, 0, 1) "}");
    result = scene_judged(&arena, REVIEW_CRITIC, buf_str(&answer));
    finding = result.findings;
    assert_int_equal(result.finding_count, 1);
    assert_true(finding->text.size <= 4096 && finding->text.size > 4000);
    assert_int_equal(utf8_prefix(finding->text), finding->text.size);
    assert_true(str_ends(finding->text, STR("... [cut: 10000 bytes in all]")));
    assert_true(finding->evidence.size <= 8192);
    assert_true(str_ends(finding->evidence, STR("... [cut: 9000 bytes in all]")));
    assert_true(str_ends(finding->suggestion, STR("... [cut: 9004 bytes in all]")));
    assert_true(result.doc.size > 28000);
    buf_release(&answer);
    arena_release(&arena);
}

TEST(an_answer_above_the_bound_is_invalid)
{
    size_t size = 16 * 1024 * 1024 + 1;
    struct str clean = STR(SCENE_CLEAN);
    char *text = malloc(size);
    struct arena arena = { 0 };
    struct result result;

    assert_non_null(text);
    memset(text, ' ', size);
    memcpy(text, clean.data, clean.size);
    result = scene_judged(&arena, REVIEW_CRITIC, (struct str){ text, size });
    assert_int_equal(result.verdict, VERDICT_INVALID);
    assert_true(has_part(result.problem, "16777217 bytes"));
    result = scene_judged(&arena, REVIEW_CRITIC, (struct str){ text, size - 1 });
    assert_int_equal(result.verdict, VERDICT_CLEAN);
    free(text);
    arena_release(&arena);
}

/* Small values, nested deep: indented, each would cost a hundred blanks. */
TEST(a_text_that_would_explode_is_kept_on_one_line)
{
    struct arena arena = { 0 };
    struct buf answer;
    struct result result;

    buf_init(&answer, 1 << 24);
    buf_text(&answer, "{\"issues\":[]," CLEAN ",\"deep\":");
    for (int i = 0; i < 60; i++) buf_byte(&answer, '[');
    for (int i = 0; i < 600000; i++) buf_text(&answer, "1,");
    buf_byte(&answer, '1');
    for (int i = 0; i < 60; i++) buf_byte(&answer, ']');
    buf_byte(&answer, '}');
    result = scene_judged(&arena, REVIEW_CRITIC, buf_str(&answer));
    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_true(result.doc.size < 2 * answer.size);
    assert_true(str_ends(result.doc, STR("}\n")));
    buf_release(&answer);
    arena_release(&arena);
}

TEST(a_crowd_of_malformed_issues_is_told_in_few_words)
{
    struct arena arena = { 0 };
    struct buf answer;
    struct result result;

    buf_init(&answer, 1 << 24);
    buf_text(&answer, "{\"issues\":[0");
    for (int i = 1; i < 100000; i++) buf_text(&answer, ",0");
    buf_text(&answer, "]," CLEAN "}");
    result = scene_judged(&arena, REVIEW_CRITIC, buf_str(&answer));
    assert_int_equal(result.verdict, VERDICT_FINDINGS);
    assert_int_equal(result.finding_count, 2000);
    assert_true(has_part(result.doc, "\"and 99801 more\""));
    assert_true(has_part(result.doc, "\"critical\": 100000"));
    buf_release(&answer);
    arena_release(&arena);
}

TEST(a_fixers_summary_is_kept_as_it_is)
{
    struct arena arena = { 0 };
    struct result result = scene_judged(&arena, REVIEW_FIXER,
                                        STR("\n# Fix Summary\n\n- all\n\n\n"));

    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_int_equal(result.finding_count, 0);
    assert_true(str_is(result.doc, "# Fix Summary\n\n- all\n"));
    result = scene_judged(&arena, REVIEW_FIXER, STR("x"));
    assert_true(str_is(result.doc, "x\n"));
    result = scene_judged(&arena, REVIEW_FIXER, STR("a\xff" "b"));
    assert_true(str_is(result.doc, "a\xef\xbf\xbd" "b\n"));
    arena_release(&arena);
}

TEST(an_empty_summary_is_invalid)
{
    static const char *const answers[] = { "", " ", "\n\n\t\r\n" };

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct arena arena = { 0 };
        struct result result = scene_judged(&arena, REVIEW_FIXER, str_of(answers[i]));

        assert_int_equal(result.verdict, VERDICT_INVALID);
        assert_true(has_part(result.problem, "empty"));
        arena_release(&arena);
    }
}

TEST(a_summary_above_the_bound_is_cut)
{
    size_t size = 3 * 1024 * 1024;
    char *text = malloc(size);
    struct arena arena = { 0 };
    struct result result;

    assert_non_null(text);
    memset(text, '\xff', size); /* each becomes three bytes */
    result = scene_judged(&arena, REVIEW_FIXER, (struct str){ text, size });
    assert_int_equal(result.verdict, VERDICT_CLEAN);
    assert_true(result.doc.size <= 1024 * 1024 + 1);
    assert_int_equal(utf8_prefix(result.doc), result.doc.size);
    assert_true(str_ends(result.doc, STR("bytes in all]\n")));
    free(text);
    arena_release(&arena);
}
