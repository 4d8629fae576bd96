/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.c - a review in lines of text as a list of issues.
 *
 * A line that carries a severity (lead.c) begins an issue, and the lines behind it that
 * belong to it continue it. A severity alone in its line begins a section instead, whose items are
 * issues of that severity:
 *
 *     - HIGH src/a.c:3 reads behind the end       #### Critical (Must Fix)
 *       of the list                               1. **Reads behind the end** src/a.c:3
 *     - LOW src/b.c:9 a name that misleads        #### Minor
 *                                                 None.
 *
 * 1. Only the reviewer's own lines count: not quotes, not code, not what stands between the lines
 *    of the run's fence. Where it is not sure whose a line is, it may carry an issue, but not say
 *    clean; and indented like code it must be an item of a list for that.
 * 2. Where a doubt is left it is not clean: a fence that nobody closed hides what follows, a count
 *    of issues that are not listed is an issue, and a word for clean beside issues says nothing.
 * 3. Linear in the text: of a line only the first LINE_BYTES_MAX bytes are looked at. */
#include "dialect/iterate/lead.h"
#include "dialect/prose.h"

#include "base/mem.h"
#include "dialect/check.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES_MAX = 4096, TEXT_BYTES_MAX = 64 * 1024, TICKS_MAX = 64, CODE_COLUMNS = 4 };

/* One reading. */
struct reading {
    struct arena *arena;
    struct check_report *report;
    struct iterate_issues *out;
    const char *base;  /* the text */
    struct buf masked; /* of the line */
    uint32_t line;
    uint32_t columns;  /* that the line is indented */
    bool after_blank;
    uint32_t clean_line; /* that says clean; 0: none */
    uint64_t counted[SEVERITY_COUNT];
    uint32_t listed[SEVERITY_COUNT];

    bool sections;     /* in a section */
    bool section_new;  /* nothing has followed its label */
    enum severity section;
    uint32_t section_columns;

    bool open;         /* an issue that may go on */
    bool field;        /* its words are in the lines behind it */
    bool titled;       /* it began as a heading: what follows belongs to it */
    uint32_t issue_columns;
    struct finding issue;
    struct buf text;
};

/* ---- an issue ---- */

/* Without the place in front, which has a field of its own; unless that is all there is. */
static struct str without_place(struct str text, struct str place)
{
    struct str rest = text;

    while (rest.size && strchr("`*[(", rest.data[0]) && rest.data[0]) rest = str_skip(rest, 1);
    if (place.size == 0 || !str_starts(rest, place)) return text;
    rest = str_skip(rest, place.size);
    while (rest.size && strchr("`*]) \t:|-", rest.data[0]) && rest.data[0]) {
        rest = str_skip(rest, 1);
    }
    while (str_starts(rest, STR("\xe2\x80\x93")) || str_starts(rest, STR("\xe2\x80\x94"))) {
        rest = str_trim(str_skip(rest, 3));
    }
    return rest.size ? rest : text;
}

static void issue_end(struct reading *reading)
{
    struct finding *issue;
    struct str text, place;

    if (!reading->open) return;
    reading->open = false;
    text = str_trim(buf_str(&reading->text));
    while (str_ends(text, STR("|"))) {
        text.size--;
        text = str_trim(text);
    }
    place = reading->issue.file;
    issue = iterate_issue_add(reading->out, reading->arena);
    *issue = (struct finding){ .severity = reading->issue.severity };
    text = without_place(text, place);
    if (text.size == 0) text = STR("an issue without a message");
    issue->text = iterate_text(text, ISSUE_BYTES_MAX, reading->arena);
    if (place.size) {
        iterate_place_read(iterate_text(place, PLACE_BYTES_MAX, reading->arena), issue);
    }
    reading->listed[issue->severity]++;
}

static void issue_continue(struct reading *reading, struct str text)
{
    if (reading->issue.file.size == 0) iterate_place_find(text, &reading->issue.file);
    if (text.size > LINE_BYTES_MAX) text.size = LINE_BYTES_MAX;
    if (reading->text.size) buf_byte(&reading->text, '\n');
    buf_add(&reading->text, text);
}

static void issue_begin(struct reading *reading, enum severity severity, struct str text)
{
    issue_end(reading);
    reading->open = true;
    reading->field = reading->titled = false;
    reading->issue_columns = reading->columns;
    reading->issue = (struct finding){ .severity = severity };
    buf_clear(&reading->text);
    issue_continue(reading, text);
}

/* ---- sections ---- */

static void section_end(struct reading *reading)
{
    issue_end(reading);
    reading->sections = false;
}

static void section_begin(struct reading *reading, enum severity severity)
{
    issue_end(reading);
    reading->sections = reading->section_new = true;
    reading->section = severity;
}

/* Nothing but the severity, or words in parentheses behind it. */
static bool is_label(struct str rest)
{
    struct str part;

    if (rest.size == 0) return true;
    if (rest.data[0] != '(' || !str_cut(&rest, ')', &part)) return false;
    while (rest.size && strchr(" \t*_:", rest.data[0]) && rest.data[0]) rest = str_skip(rest, 1);
    return rest.size == 0;
}

/* A line with a severity that counts. */
static void on_severity(struct reading *reading, const struct lead *lead)
{
    uint64_t count;

    if (lead->field) {
        issue_begin(reading, lead->severity, lead->rest);
        reading->field = true;
    } else if (lead->leads && lead->rest.size && lead_says_none(lead->rest)) {
        issue_end(reading);
    } else if (lead->leads && lead->rest.size && lead_counts(lead->rest, &count)) {
        reading->counted[lead->severity] += count > 0;
        if (lead->heading) section_begin(reading, lead->severity);
        issue_end(reading);
    } else if (lead->leads && is_label(lead->rest)) {
        section_begin(reading, lead->severity);
    } else {
        issue_begin(reading, lead->severity, lead->rest);
        reading->titled = lead->heading;
    }
}

/* A line without one, where a section may make it an issue. */
static void on_section(struct reading *reading, struct str line, const struct lead *lead)
{
    bool inside = lead->item && !reading->section_new &&
                  reading->columns > reading->section_columns;
    struct str place;

    if (reading->section_new && lead_says_none(lead->rest)) {
        section_end(reading);
    } else if (inside || (!lead->item && reading->open && !reading->after_blank)) {
        if (reading->open) issue_continue(reading, line);
    } else if (lead->item || reading->section_new) {
        issue_begin(reading, reading->section, lead->rest);
        reading->section_columns = reading->columns;
        reading->section_new = false;
    } else if (reading->open && reading->columns >= 2) {
        issue_continue(reading, line);
    } else if (iterate_place_find(line, &place)) {
        issue_begin(reading, reading->section, line);
    } else {
        section_end(reading);
    }
}

/* A line without one, where an issue may go on. */
static void on_text(struct reading *reading, struct str line, const struct lead *lead)
{
    bool deeper = reading->columns > reading->issue_columns;

    if (!reading->open) return;
    if (deeper || reading->titled ||
        (!reading->after_blank && (!lead->item || reading->field))) {
        issue_continue(reading, line);
    } else {
        issue_end(reading);
    }
}

/* ---- lines ---- */

/* The end of the code that begins with so many ` at i; 0: it is never closed. */
static size_t code_end(struct str line, size_t i, size_t ticks)
{
    size_t run = 0;

    for (i += ticks; i <= line.size; i++) {
        if (i < line.size && line.data[i] == '`') {
            run++;
        } else {
            if (run == ticks) return i;
            run = 0;
        }
    }
    return 0;
}

/* The line with ` for every byte of `code`. */
static struct str mask_code(struct reading *reading, struct str line)
{
    bool unclosed[TICKS_MAX] = { false };
    struct buf *out = &reading->masked;

    buf_clear(out);
    buf_add(out, line);
    for (size_t i = 0, end; i < line.size; i = end) {
        size_t ticks = 0;
        while (i + ticks < line.size && line.data[i + ticks] == '`') ticks++;
        end = i + (ticks ? ticks : 1);
        if (ticks == 0 || ticks >= TICKS_MAX || unclosed[ticks]) continue;
        end = code_end(line, i, ticks);
        unclosed[ticks] = end == 0;
        if (end) memset(out->data + i, '`', end - i);
        if (!end) end = i + ticks;
    }
    return buf_str(out);
}

/* A line of nothing but - = * _: below a heading, or between two parts. */
static bool is_rule(struct str line)
{
    for (size_t i = 0; i < line.size; i++) {
        if (!strchr("-=*_ \t", line.data[i]) || !line.data[i]) return false;
    }
    return line.size > 1;
}

/* How sure it is that a line is the reviewer's own. */
enum owner {
    OWNER_SURE,
    OWNER_CODE,  /* indented like code, and maybe an item of a list */
    OWNER_QUOTE, /* behind a quote, and maybe its last line */
};

static void on_line(struct reading *reading, struct str line, enum owner owner)
{
    struct lead lead;

    if (owner == OWNER_SURE && lead_says_clean(line)) {
        reading->clean_line = reading->line;
        section_end(reading);
        return;
    }
    if (line.size > LINE_BYTES_MAX) line.size = LINE_BYTES_MAX;
    lead_read(line, mask_code(reading, line), &lead);
    if (is_rule(line)) {
        if (reading->after_blank) section_end(reading);
    } else if (lead.counts && (owner != OWNER_CODE || lead.item)) {
        on_severity(reading, &lead);
    } else if (owner == OWNER_QUOTE) {
        return;
    } else if (lead.heading) {
        section_end(reading);
    } else if (reading->sections) {
        on_section(reading, line, &lead);
    } else {
        on_text(reading, line, &lead);
    }
}

static uint32_t columns_of(const struct reading *reading, const char *at)
{
    uint32_t columns = 0;

    while (at > reading->base && (at[-1] == ' ' || at[-1] == '\t')) {
        columns += *--at == ' ' ? 1 : CODE_COLUMNS;
    }
    return columns;
}

/* False: it is surely not the reviewer's. */
static bool owner_of(struct str line, enum prose_kind kind, bool in_block, enum owner *out)
{
    bool indented = line.size && (line.data[0] == ' ' || line.data[0] == '\t');
    struct str text = str_trim(line);

    *out = OWNER_SURE;
    switch (kind) {
    case PROSE_OWN:
        return true;
    case PROSE_QUOTE:
        *out = OWNER_QUOTE;
        return text.size && text.data[0] != '>';
    case PROSE_CODE:
        *out = OWNER_CODE;
        return indented && !in_block;
    }
    return false;
}

static void read_all(struct reading *reading, struct prose *prose)
{
    enum prose_kind kind;
    enum owner owner;
    struct str line;

    for (bool was_open = false; prose_next(prose, &line, &kind); was_open = prose_is_open(prose)) {
        bool own = owner_of(line, kind, was_open || prose_is_open(prose), &owner);

        line = str_trim(line);
        reading->line = prose->line;
        reading->columns = columns_of(reading, line.data);
        if (own && line.size) on_line(reading, line, owner);
        reading->after_blank = line.size == 0;
    }
    issue_end(reading);
}

/* Issues that were counted and not listed. */
static void add_counted(struct reading *reading)
{
    for (int i = SEVERITY_COUNT; i-- > 0;) {
        struct finding *issue;
        if (reading->counted[i] == 0 || reading->listed[i] > 0) continue;
        issue = iterate_issue_add(reading->out, reading->arena);
        issue->severity = (enum severity)i;
        issue->text = str_of(arena_printf(reading->arena, "The review counts issues of severity %s "
                             "and lists none of them", iterate_severity_word(issue->severity)));
        check_report_add(reading->report, "not-listed", 0, "%s", issue->text.data);
    }
}

/* A copy in which the lines of the fence and what stands between them are blank. *open: the last
 * one is never closed. */
static char *without_quotes(struct str answer, const char *fence, bool *open)
{
    struct arena arena = { 0 };
    struct str first = str_of(arena_printf(&arena, "===== data %s =====", fence));
    struct str last = str_of(arena_printf(&arena, "===== end of data %s =====", fence));
    char *copy = mem_copy(answer.data, answer.size), *at = copy, *end = copy + answer.size;

    *open = false;
    while ((at = memmem(at, (size_t)(end - at), first.data, first.size)) != NULL) {
        char *close = memmem(at, (size_t)(end - at), last.data, last.size);

        *open = close == NULL;
        if (close) close = memchr(close, '\n', (size_t)(end - close));
        if (!close) close = end;
        while (at > copy && at[-1] != '\n') at--;
        for (; at < close; at++) {
            if (*at != '\n') *at = ' ';
        }
    }
    arena_release(&arena);
    return copy;
}

bool iterate_lines_read(struct str answer, const char *fence, struct arena *arena,
                        struct check_report *report, struct iterate_issues *out)
{
    bool quote_open = false, quotes = fence && *fence;
    char *copy = quotes ? without_quotes(answer, fence, &quote_open) : NULL;
    struct str text = copy ? (struct str){ copy, answer.size } : answer;
    struct reading reading = { .arena = arena, .report = report, .out = out, .base = text.data };
    struct prose prose = { .rest = text };
    bool open;

    buf_init(&reading.masked, LINE_BYTES_MAX);
    buf_init(&reading.text, TEXT_BYTES_MAX);
    read_all(&reading, &prose);
    add_counted(&reading);
    buf_release(&reading.masked);
    buf_release(&reading.text);
    free(copy);
    open = quote_open || prose_is_open(&prose);
    if (open) {
        check_report_add(report, "open-fence", prose_is_open(&prose) ? prose.open_line : 0,
                         "a quote or code fence is never closed: what follows it does not count");
    }
    if (out->count && reading.clean_line) {
        check_report_add(report, "clean-and-issues", reading.clean_line,
                         "this line says clean, and other lines list issues");
    }
    if (out->count == 0 && !reading.clean_line) {
        check_report_add(report, "no-verdict", 0, "no line carries HIGH, MEDIUM or LOW, and none "
                         "says that there are no issues");
    }
    return out->count > 0 || (reading.clean_line && !open);
}
