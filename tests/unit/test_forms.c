/* SPDX-License-Identifier: Apache-2.0
 *
 * test_forms.c - what holds for every form of report: 50,000 findings, texts and names of any
 * bytes, a run that has not said all it could, a file that was not looked at. */
#include "format/report/forms.h"

#include "base/mem.h"
#include "format/report/xml.h"
#include "format/text/utf8.h"
#include "listing_scene.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct buf form_written(const struct form *form, const struct listing *listing)
{
    struct buf out;

    buf_init(&out, 256 << 20);
    form->write(listing, &out);
    assert_false(out.overflow);
    return out;
}

static uint32_t count_of(const struct buf *out, const char *word)
{
    uint32_t count = 0;

    for (const char *at = buf_cstr(out); (at = strstr(at, word)); at += strlen(word)) count++;
    return count;
}

TEST(each_form_is_found_by_its_name)
{
    static const char *const names[] = {
        "text", "json", "sarif", "rdjson", "junit", "checkstyle", "gitlab", "github",
        "github-summary", "markdown",
    };

    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct form *form = form_find(names[i]);

        assert_non_null(form);
        assert_string_equal(form->name, names[i]);
        assert_non_null(form->help);
    }
    assert_null(form_find("sarf"));
}

/* ---- many ---- */

enum { MANY = 50000 };

static struct ledger_entry *many;

/* The worst come last, so that an order that is not made is seen. */
static void make_many(struct listing *listing)
{
    static char texts[MANY][64], files[500][32];

    many = mem_alloc(MANY * sizeof *many);
    for (uint32_t i = 0; i < 500; i++) (void)snprintf(files[i], sizeof files[i], "src/f%u.c", i);
    for (uint32_t i = 0; i < MANY; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "finding number %u <&\"'> of %u", i, MANY);
        many[i] = (struct ledger_entry){
            .role = ROLE_CRITIC, .fingerprint = i + 1, .round_first = 1, .round_last = 1,
            .state = i % 7 == 6 ? FINDING_FIXED : FINDING_NEW,
            .finding = { .severity = i >= MANY - 100 ? SEVERITY_HIGH : SEVERITY_LOW,
                         .file = str_of(files[i % 500]), .line = i / 500 + 1,
                         .text = str_of(texts[i]), .kind = STR("rule") } };
        listing_add(listing, &many[i]);
    }
}

/* "50,000 findings (every format bounded, says what was cut)", worst first */
TEST(many_findings_are_bounded_and_what_was_cut_is_said)
{
    static const struct {
        const char *name, *of_each, *said;
        uint32_t most;
        size_t bytes;
    } rows[] = {
        { "sarif", "\"ruleIndex\"", "25000 more findings are left out here", 25000, 64 << 20 },
        { "rdjson", "\"rule\"", "40000 more findings are left out here", 0, 8 << 20 },
        { "rdjson", "\"message\"", "hone/left-out", 10001, 8 << 20 },
        { "junit", "<testcase ", "40000 more findings are left out here", 10002, 8 << 20 },
        { "checkstyle", "<error ", "40000 more findings are left out here", 10001, 4 << 20 },
        { "gitlab", "\"fingerprint\"", "40000 more findings are left out here", 10001, 8 << 20 },
        { "github", "::error ", "GitHub shows at most 10", 10, 8 << 10 },
        { "github", "\n", "more findings", 20, 8 << 10 },
        { "github-summary", "</details>", " more: `hone findings 7k2m` shows all", 1,
          SUMMARY_BYTES_MAX },
        { "markdown", "</details>", " more: `hone findings 7k2m` shows all", 1,
          MARKDOWN_BYTES_MAX },
        { "text", "\n", "finding number 49999", MANY, 16 << 20 },
        { "json", "\"fingerprint\"", "finding number 49999", MANY, 64 << 20 },
    };
    struct listing all = { .run = "7k2m", .version = "1.2.3", .plan = &listing_plan };

    make_many(&all);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct form *form = form_find(rows[i].name);
        struct listing listing = all;
        struct buf out;

        form_arrange(form, &listing);
        assert_int_equal(listing.count + listing.left, MANY);
        out = form_written(form, &listing);
        assert_true(out.size <= rows[i].bytes);
        if (rows[i].most > 0) assert_int_equal(count_of(&out, rows[i].of_each), rows[i].most);
        if (!strstr(buf_cstr(&out), rows[i].said)) fail_msg("%s: no %s", form->name, rows[i].said);
        /* Of the high ones, which come last in the ledger, one is open and first by file. */
        if (!strstr(buf_cstr(&out), "finding number 49900")) fail_msg("%s: the worst?", form->name);
        buf_release(&out);
    }
    listing_release(&all);
    free(many);
}

/* ---- any bytes ---- */

static const struct str hostile[] = {
    STR("</testcase><script>alert(1)</script>]]>"),
    STR("a\nb\r\n::error::c\r##[add-mask]d"),
    STR("\x1b[31mred\x1b[0m\x07\x08\x7f\x00 end"),
    STR("\xff\xfe\xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80"),
    STR("\xe2\x80\xae" "gnp\xe2\x80\xac\xe2\x80\x8b\xef\xbb\xbf"),
    STR("\xef\xbf\xbe\xef\xbf\xbf\xc2\x85"),
    STR("100%25 %0A, title=x::y:z"),
    STR("../../etc/passwd"),
    STR("/etc/passwd"),
    STR("  ::warning::x"),
    STR("\xe3\x80\x80::warning::x"),
    STR("| a | `b` </details> \\"),
};

static void on_start(void *context, const char *name, const char *const *attributes)
{
    uint32_t *count = context;

    (void)attributes;
    if (strcmp(name, "testcase") == 0 || strcmp(name, "error") == 0) ++*count;
    assert_true(strcmp(name, "script") != 0);
}

static void check_xml(const struct buf *out, uint32_t wanted)
{
    uint32_t count = 0;
    struct err err;
    struct xml xml = { .on_start = on_start, .context = &count, .err = &err };

    if (xml_read(&xml, buf_str(out)) != 0) fail_msg("%s", err.text);
    assert_int_equal(count, wanted);
}

static void check_lines(const struct form *form, const struct buf *out)
{
    bool github = strcmp(form->name, "github") == 0;
    struct str rest = buf_str(out), line;

    while (str_cut(&rest, '\n', &line)) {
        struct str at = line;

        for (size_t i = 0; i < line.size; i++) assert_true((unsigned char)line.data[i] >= 0x20);
        if (github) {
            assert_true(str_starts(line, STR("::error ")) || str_starts(line, STR("::notice ")));
            continue;
        }
        while (at.size > 0 && (at.data[0] == ' ' || (unsigned char)at.data[0] >= 0x80)) {
            at = str_skip(at, 1);
        }
        assert_false(str_starts(at, STR("::")));
    }
    if (!github) assert_null(strstr(buf_cstr(out), "##["));
}

static void check_json(const struct buf *out)
{
    yyjson_doc *doc;
    struct err err;

    if (json_read(buf_str(out), &doc, &err) != 0) fail_msg("%s", err.text);
    yyjson_doc_free(doc);
}

static void check_form(const struct form *form, const struct buf *out)
{
    static const char json[] = " json sarif rdjson gitlab ", lines[] = " text github ";
    char name[32];

    (void)snprintf(name, sizeof name, " %s ", form->name);
    assert_int_equal(utf8_prefix(buf_str(out)), out->size);
    if (strstr(json, name)) check_json(out);
    if (strstr(lines, name)) check_lines(form, out);
    if (strcmp(form->name, "junit") == 0) check_xml(out, 2);
    if (strcmp(form->name, "checkstyle") == 0) check_xml(out, 1);
}

/* "names with markup, newlines, escapes, bidi, invalid UTF-8, XML-illegal characters in every
 * format; absolute paths or paths with `..`" */
TEST(no_text_breaks_a_form)
{
    for (uint32_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        struct ledger_entry entry = {
            .role = ROLE_CRITIC, .fingerprint = 7, .round_first = 1, .round_last = 1,
            .finding = { .severity = SEVERITY_HIGH, .file = hostile[i], .line = 3, .column = 2,
                         .kind = hostile[i], .text = hostile[i], .evidence = hostile[i],
                         .suggestion = hostile[i], .tool = hostile[i], .fix = hostile[i] } };

        for (const struct form *form = forms; form->name; form++) {
            struct listing listing = { .run = "7k2m", .version = "1.2.3", .plan = &listing_plan };
            struct buf out;

            listing_add(&listing, &entry);
            form_arrange(form, &listing);
            out = form_written(form, &listing);
            check_form(form, &out);
            buf_release(&out);
            listing_release(&listing);
        }
    }
}

TEST(no_path_leads_out_of_the_workspace)
{
    static const char *const paths[] = { "../../etc/passwd", "/etc/passwd", "a/../../b", "" };
    static const char *const names[] = { "rdjson", "checkstyle", "gitlab" };
    static const char *const places[] = { "\"path\": \".\"", "name=\".\"", "\"path\": \".\"" };

    for (uint32_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct ledger_entry entry = { .role = ROLE_CRITIC, .finding = {
            .file = str_of(paths[i]), .line = 7, .text = STR("bad") } };

        for (uint32_t k = 0; k < 3; k++) {
            struct buf out = written(form_find(names[k])->write, &entry, 1);
            char words[64];

            (void)snprintf(words, sizeof words, "%s:7: bad", paths[i]);
            assert_non_null(strstr(buf_cstr(&out), places[k]));
            assert_non_null(strstr(buf_cstr(&out), paths[i][0] ? words : "bad"));
            buf_release(&out);
        }
    }
}

TEST(an_absolute_path_in_the_workspace_is_one_of_it)
{
    struct ledger_entry entry = { .role = ROLE_CRITIC, .finding = {
        .file = STR("/home/ada/work/src//./a.c"), .line = 7, .text = STR("bad") } };
    struct listing listing = { .run = "7k2m", .version = "1", .plan = &listing_plan,
                               .workspace = "/home/ada/work" };

    listing_add(&listing, &entry);
    for (const struct form *form = forms; form->name; form++) {
        struct buf out;

        if (strcmp(form->name, "text") == 0 || strcmp(form->name, "json") == 0) continue;
        out = form_written(form, &listing);
        assert_null(strstr(buf_cstr(&out), "/home/ada"));
        if (!strstr(buf_cstr(&out), strcmp(form->name, "junit") == 0 ? "src/a_c" : "src/a.c")) {
            fail_msg("%s: %s", form->name, buf_cstr(&out));
        }
        buf_release(&out);
    }
    listing_release(&listing);
}

/* ---- an end that is not clean ---- */

/* "an unclean end must be visible in every format", with markup in it */
TEST(a_run_that_has_not_said_all_says_so_in_every_form)
{
    static const struct unlooked unlooked[] = { { STR("src/a.c"), STR("gcc"), STR("it crashed") } };
    static const struct listing_look looks[] = {
        { .role = "critic", .phase = "R1", .by = "", .looks = 1, .ended = true,
          .verdict = VERDICT_FAILED, .failure = FAILURE_EXIT, .problem = "gone" } };
    struct listing listing = { .run = "7k2m", .version = "1.2.3", .plan = &listing_plan,
                               .unfinished = "failed: an agent could not run", .end = "failed",
                               .looks = looks, .look_count = 1,
                               .coverage = { .files = 5, .unlooked = unlooked,
                                             .unlooked_count = 1 } };
    struct listing whole = { .run = "7k2m", .version = "1.2.3", .plan = &listing_plan };

    assert_false(listing_is_whole(&listing));
    assert_true(listing_is_whole(&whole));
    for (const struct form *form = forms; form->name; form++) {
        struct buf out = form_written(form, &listing);

        if (!strstr(buf_cstr(&out), "failed: an agent could not run")) {
            fail_msg("%s does not say it: %s", form->name, buf_cstr(&out));
        }
        if (!strstr(buf_cstr(&out), "it crashed")) fail_msg("%s: no coverage", form->name);
        buf_release(&out);
        out = form_written(form, &whole);
        assert_null(strstr(buf_cstr(&out), "hone/run"));
        assert_null(strstr(buf_cstr(&out), "<error"));
        buf_release(&out);
    }
}
