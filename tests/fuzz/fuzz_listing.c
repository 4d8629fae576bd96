/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_listing.c - a finding that says anything at all, in every format: what is written can be
 * read, says the same severity and file, opens no markup, and fits its terminal. The first bytes
 * are its numbers, the rest its texts, with NULs between them. */
#include "dialect/check.h"
#include "format/json/json.h"
#include "format/report/diagnostic.h"
#include "format/report/listing.h"
#include "format/report/uri.h"
#include "format/report/xml.h"
#include "format/text/width.h"
#include "report/found.h"
#include "shared/page_walk.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NUMBERS = 8, OUT_BYTES_MAX = 64 << 20 };

typedef int diagnostics_reader(struct str text, struct diagnostics *out, struct err *err);

static const struct role roles[] = { { .name = "critic" } };
static const struct phase phases[] = { { .name = "R1" } };
static const struct plan plan = { .roles = roles, .role_count = 1, .phases = phases,
                                  .phase_count = 1 };

/* The elements that the two forms of XML have. */
static void on_element(void *context, const char *name, const char *const *attributes)
{
    static const char *const known[] = { "checkstyle", "file", "error", "testsuites", "testsuite",
                                         "properties", "property", "testcase", "failure",
                                         "skipped", NULL };
    uint32_t at = 0;

    (void)context;
    (void)attributes;
    while (known[at] && strcmp(known[at], name) != 0) at++;
    assert(known[at]);
}

/* Valid by its contract, and the same finding. */
static void check_report(struct str text, const char *kind, diagnostics_reader *read,
                         const struct ledger_entry *entry)
{
    bool open = finding_is_open(entry->state);
    struct diagnostics out = { .count = 0 };
    struct check_report report = { 0 };
    struct err err;
    int rc;

    check_find(str_of(kind))->run(text, &report);
    assert(report.count == 0);
    check_report_release(&report);
    rc = read(text, &out, &err);
    assert(rc == 0 && out.failure.size == 0);
    assert(out.count == (open || strcmp(kind, "rdjson") == 0 ? 1 : 0));
    assert(!open || out.items[0].severity == entry->finding.severity);
    diagnostics_release(&out);
}

/* One document, in which no text opens an element; and hone reads it. */
static void check_xml(struct str text)
{
    struct err err;
    struct xml xml = { .on_start = on_element, .err = &err };
    int rc = xml_read(&xml, text);

    assert(rc == 0);
}

/* Each line is a command of ours, and has no other in it. */
static void check_commands(struct str text)
{
    struct str line;

    while (str_cut(&text, '\n', &line)) {
        assert(str_starts(line, STR("::error ")) || str_starts(line, STR("::warning ")) ||
               str_starts(line, STR("::notice ")));
        for (size_t i = 0; i < line.size; i++) assert((unsigned char)line.data[i] >= 0x20);
    }
}

/* Every row has its seven bars, and no text began a line of its own. */
static void check_markdown(struct str text)
{
    struct str line;

    assert(text.size <= MARKDOWN_BYTES_MAX);
    while (str_cut(&text, '\n', &line)) {
        uint32_t bars = 0;

        for (size_t i = 0; i < line.size; i++) {
            bars += line.data[i] == '|' && (i == 0 || line.data[i - 1] != '\\');
            assert((unsigned char)line.data[i] >= 0x20);
        }
        assert(line.size == 0 || line.data[0] == '|' || line.data[0] == '#' ||
               str_is(line, "<details>") || str_is(line, "</details>") ||
               (str_starts(line, STR("<summary>")) && str_ends(line, STR("</summary>"))));
        assert(line.size == 0 || line.data[0] != '|' || bars == 7);
    }
}

/* A strict reader finds no markup but the writer's. */
static void check_page(struct str page)
{
    struct buf text, why;
    bool good;

    buf_init(&text, OUT_BYTES_MAX);
    buf_init(&why, 4096);
    good = page_walk(page, &text, &why);
    assert(good);
    buf_release(&why);
    buf_release(&text);
}

static void check_terminal(struct str text, uint32_t columns)
{
    struct str line;

    while (str_cut(&text, '\n', &line)) {
        assert(width_of(line) <= columns);
        for (size_t i = 0; i < line.size; i++) assert((unsigned char)line.data[i] >= 0x20);
    }
}

static void try_all(const struct ledger_entry *entry, uint32_t columns)
{
    struct listing listing = { .run = "7k2m", .version = "1.2.3", .plan = &plan };
    struct found_page page = { .listing = &listing, .columns = columns < 40 ? 40 : columns };
    yyjson_doc *doc;
    struct buf out;
    struct err err;
    int rc;

    listing_add(&listing, entry);
    buf_init(&out, OUT_BYTES_MAX);
    sarif_write(&listing, &out);
    check_report(buf_str(&out), "sarif", sarif_read, entry);
    buf_clear(&out);
    rdjson_write(&listing, &out);
    check_report(buf_str(&out), "rdjson", rdjson_read, entry);
    buf_clear(&out);
    listing_write(&listing, &out);
    rc = json_read(buf_str(&out), &doc, &err);
    assert(rc == 0);
    yyjson_doc_free(doc);
    buf_clear(&out);
    markdown_write(&listing, &out);
    check_markdown(buf_str(&out));
    buf_clear(&out);
    summary_write(&listing, &out);
    check_markdown(buf_str(&out));
    buf_clear(&out);
    junit_write(&listing, &out);
    check_xml(buf_str(&out));
    buf_clear(&out);
    checkstyle_write(&listing, &out);
    check_xml(buf_str(&out));
    buf_clear(&out);
    gitlab_write(&listing, &out);
    rc = json_read(buf_str(&out), &doc, &err);
    assert(rc == 0 && yyjson_arr_size(yyjson_doc_get_root(doc)) == 1);
    yyjson_doc_free(doc);
    buf_clear(&out);
    github_write(&listing, &out);
    check_commands(buf_str(&out));
    buf_clear(&out);
    found_groups(&page, &out);
    check_terminal(buf_str(&out), page.columns);
    buf_clear(&out);
    lines_write(&listing, &out);
    check_terminal(buf_str(&out), UINT32_MAX);
    assert(memchr(out.data, '\n', out.size) == out.data + out.size - 1);
    buf_clear(&out);
    html_write(&listing, &out);
    check_page(buf_str(&out));
    assert(!out.overflow);
    buf_release(&out);
    listing_release(&listing);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ledger_entry entry = { .round_first = 1, .round_last = 2 };
    struct finding *finding = &entry.finding;
    struct str *const texts[] = { &finding->file, &finding->kind, &finding->text,
                                  &finding->evidence, &finding->suggestion, &finding->fix };
    struct str rest = { (const char *)data, size };

    if (size < NUMBERS || size > 1 << 16) return 0;
    rest = str_skip(rest, NUMBERS);
    finding->severity = (enum severity)(data[0] % SEVERITY_COUNT);
    entry.state = (enum finding_state)(data[7] % FINDING_STATE_COUNT);
    finding->line = data[1];
    finding->column = data[2];
    finding->end_line = data[3];
    finding->end_column = data[4];
    entry.ordinal = data[5];
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++) str_cut(&rest, '\0', texts[i]);
    try_all(&entry, 40U + data[6]);
    return 0;
}
