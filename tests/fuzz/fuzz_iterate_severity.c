/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_iterate_severity.c - any bytes as a reviewer's answer in the iterate dialect. What must hold
 * for all of them:
 *
 * 1. What is no review says why and has no issue. A review has issues, or is clean.
 * 2. An issue has a text inside its bound, and valid UTF-8 in every field; its place is printed and
 *    read back as the same place.
 * 3. Its document, judged as an answer, gives the same issues.
 * 4. Quoted line by line, the same answer says nothing: neither issues nor clean.
 * 5. Followed by a line with an issue, an answer in lines is not clean. */
#include "dialect/check.h"
#include "dialect/iterate/iterate.h"
#include "format/text/utf8.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char fence[] = "0f1e2d";

static bool reads(struct str answer, struct arena *arena, struct iterate_issues *issues)
{
    struct check_report report = { 0 };
    bool good = iterate_issues_read(answer, fence, arena, &report, issues);

    assert(good || (report.count > 0 && issues->count == 0));
    for (uint32_t i = 0; i < report.count; i++) {
        struct str message = str_of(report.problems[i].message);
        assert(message.size > 0 && utf8_prefix(message) == message.size);
        for (size_t k = 0; k < message.size; k++) assert((unsigned char)message.data[k] >= ' ');
    }
    check_report_release(&report);
    return good;
}

static void check_issues(const struct iterate_issues *issues, struct arena *arena)
{
    struct iterate_review review = { .issues = *issues, .amendments = { "", 0 } }, read;
    struct iterate_issues again;

    for (uint32_t i = 0; i < issues->count; i++) {
        const struct finding *issue = &issues->items[i];
        struct str place = iterate_place_print(issue, arena);
        struct finding other = { 0 };

        assert(issue->severity < SEVERITY_COUNT);
        assert(issue->text.size > 0 && issue->text.size <= ISSUE_BYTES_MAX);
        assert(utf8_prefix(issue->text) == issue->text.size);
        assert(utf8_prefix(issue->file) == issue->file.size && issue->file.size <= PLACE_BYTES_MAX);
        iterate_place_read(place, &other);
        assert(other.line == issue->line && str_eq(other.file, issue->file));
    }
    if (issues->count > ISSUES_MAX) return; /* the judge would have cut them */
    assert(reads(iterate_review_write(&review, arena), arena, &again));
    iterate_review_read(iterate_review_write(&review, arena), arena, &read);
    assert(again.count == issues->count && read.issues.count == issues->count);
    for (uint32_t i = 0; i < issues->count; i++) {
        const struct finding *a = &issues->items[i], *b = &again.items[i];
        const struct finding *c = &read.issues.items[i];
        assert(a->severity == b->severity && a->severity == c->severity);
        assert(str_eq(str_trim(a->text), b->text) || str_trim(a->text).size == 0);
        assert(str_eq(a->file, b->file) && a->line == b->line);
        assert(str_eq(a->text, c->text) && str_eq(a->file, c->file) && a->line == c->line);
    }
}

static void check_quoted(struct str answer, struct arena *arena)
{
    struct str rest = answer, line;
    struct iterate_issues issues;
    struct buf text;

    buf_init(&text, 1 << 20);
    while (str_cut(&rest, '\n', &line)) {
        buf_text(&text, "> ");
        buf_add(&text, line);
        buf_byte(&text, '\n');
    }
    if (!text.overflow) assert(!reads(buf_str(&text), arena, &issues));
    buf_release(&text);
}

static void check_followed(struct str answer, struct arena *arena)
{
    static const char follow[] = "\n\nHIGH last.c:1 the last one\n";
    struct iterate_issues issues;
    struct buf text;

    buf_init(&text, answer.size + sizeof follow);
    buf_add(&text, answer);
    buf_text(&text, follow);
    assert(!reads(buf_str(&text), arena, &issues) || issues.count > 0);
    buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str answer = { (const char *)data, size };
    struct arena arena = { 0 };
    struct iterate_issues issues;

    if (reads(answer, &arena, &issues)) check_issues(&issues, &arena);
    check_quoted(answer, &arena);
    check_followed(answer, &arena);
    arena_release(&arena);
    return 0;
}
