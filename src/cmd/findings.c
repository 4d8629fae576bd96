/* SPDX-License-Identifier: Apache-2.0
 *
 * findings.c - hone findings: everything the reviewers of a run found, and what became of it.
 *
 * The journal is replayed into a ledger (core/ledger.c), filters choose from the ledger, and each
 * format has a writer. Services that read SARIF or rdjson show every entry as a problem, so these
 * two formats have only open findings, unless --state asks for others. For people:
 *
 *     severity  where           rule      finding                          rounds  state
 *     high      src/sum.c:12    -Wformat  format '%d' expects an int ...   1-2     open
 *
 * 1. The finding's text gets the columns that the others leave. Where those are too few, the rounds
 *    are left out, then the rule, then the state.
 * 2. A path is cut in front, since its end says more; everything else is cut behind.
 * 3. Widths count characters, not bytes. Colours and links do not count.
 *
 * Not here: the other formats (format/report/listing.h). */
#include "cmd/findings.h"

#include "cmd/page.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/suggest.h"
#include "cmd/verbs.h"
#include "format/json/finding_json.h"
#include "format/report/uri.h"
#include "format/text/safe.h"
#include "format/text/utf8.h"
#include "format/text/width.h"
#include "io/process/host.h"
#include "io/terminal/terminal.h"
#include "run/finding_filter.h"
#include "run/look.h"
#include "run/run.h"

#include <inttypes.h>
#include <string.h>

/* ---- for people ---- */

enum { GAP = 2, CELL_BYTES_MAX = 4096, TEXT_SHOWN_MAX = 1000 };

enum cell { CELL_SEVERITY, CELL_WHERE, CELL_RULE, CELL_WORDS, CELL_ROUNDS, CELL_STATE, CELL_COUNT };

static const char *const titles[CELL_COUNT] = {
    [CELL_SEVERITY] = "severity", [CELL_WHERE] = "where",   [CELL_RULE] = "rule",
    [CELL_WORDS] = "finding",     [CELL_ROUNDS] = "rounds", [CELL_STATE] = "state",
};

static const char *const colors[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "\033[36m",
    [SEVERITY_MEDIUM] = "\033[33m",
    [SEVERITY_HIGH] = "\033[1;31m",
};

static const char dim[] = "\033[2m", green[] = "\033[32m", plain[] = "\033[0m";

struct grid {
    uint32_t width[CELL_COUNT]; /* 0: left out */
};

static void add_where(struct buf *out, const struct finding *finding)
{
    safe_text(out, finding->file, true, CELL_BYTES_MAX / 2);
    if (finding->file.size > 0 && finding->line > 0) buf_printf(out, ":%" PRIu32, finding->line);
    if (finding->file.size == 0) buf_byte(out, '-');
}

static void add_rule(struct buf *out, const struct listing *listing,
                     const struct ledger_entry *entry, size_t bytes_max)
{
    struct buf rule;

    buf_init(&rule, SIZE_MAX / 4);
    listing_rule_say(listing, entry, &rule);
    safe_text(out, buf_str(&rule), true, bytes_max);
    buf_release(&rule);
}

static void add_cell(struct buf *out, const struct listing *listing,
                     const struct ledger_entry *entry, enum cell cell)
{
    const struct finding *finding = &entry->finding;

    switch (cell) {
    case CELL_SEVERITY:
        buf_text(out, severity_word(finding->severity));
        break;
    case CELL_WHERE:
        add_where(out, finding);
        break;
    case CELL_RULE:
        add_rule(out, listing, entry, TEXT_SHOWN_MAX);
        break;
    case CELL_WORDS:
        safe_text(out, str_trim(finding->text), true, TEXT_SHOWN_MAX);
        break;
    case CELL_ROUNDS:
        buf_printf(out, "%" PRIu32, entry->round_first);
        if (entry->round_last != entry->round_first) {
            buf_printf(out, "-%" PRIu32, entry->round_last);
        }
        break;
    case CELL_STATE:
        buf_text(out, entry->doubt ? "unresolved" : finding_state_word(entry->state));
        break;
    case CELL_COUNT:
        break;
    }
}

/* ---- widths ---- */

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* How wide each column would like to be. */
static void grid_measure(struct grid *grid, const struct listing *listing)
{
    struct buf cell;

    buf_init(&cell, CELL_BYTES_MAX);
    for (uint32_t k = 0; k < CELL_COUNT; k++) grid->width[k] = width_of(str_of(titles[k]));
    for (uint32_t i = 0; i < listing->count; i++) {
        for (uint32_t k = 0; k < CELL_COUNT; k++) {
            uint32_t width;

            buf_clear(&cell);
            add_cell(&cell, listing, listing->items[i], (enum cell)k);
            width = width_of(buf_str(&cell));
            if (width > grid->width[k]) grid->width[k] = width;
        }
    }
    buf_release(&cell);
}

/* What all columns but the words take. */
static uint32_t grid_others(const struct grid *grid)
{
    uint32_t width = 0;

    for (uint32_t k = 0; k < CELL_COUNT; k++) {
        if (k == CELL_WORDS || grid->width[k] == 0) continue;
        width += grid->width[k] + GAP;
    }
    return width;
}

static void grid_fit(struct grid *grid, uint32_t columns)
{
    static const struct {
        enum cell cell;
        uint32_t words_min; /* it is left out where the words have less */
    } dispensable[] = { { CELL_ROUNDS, 30 }, { CELL_RULE, 24 }, { CELL_STATE, 20 } };

    grid->width[CELL_WHERE] = smaller(grid->width[CELL_WHERE], columns / 3);
    grid->width[CELL_RULE] = smaller(grid->width[CELL_RULE], columns / 5);
    for (uint32_t i = 0; i < sizeof dispensable / sizeof *dispensable; i++) {
        uint32_t wanted = smaller(grid->width[CELL_WORDS], dispensable[i].words_min);
        if (grid_others(grid) + wanted <= columns) break;
        grid->width[dispensable[i].cell] = 0;
    }
    if (grid_others(grid) + grid->width[CELL_WORDS] > columns) {
        uint32_t others = grid_others(grid);
        grid->width[CELL_WORDS] = columns > others + 8 ? columns - others : 8;
    }
}

/* ---- rows ---- */

/* The end of text that takes at most so many columns. */
static struct str cut_front(struct str text, uint32_t columns)
{
    uint32_t width = width_of(text);

    while (text.size > 0 && width > columns) {
        uint32_t code = 0;
        size_t size = utf8_next(text, &code);
        uint32_t taken = size > 0 ? width_char(code) : 1;

        width -= taken < width ? taken : width;
        text = str_skip(text, size > 0 ? size : 1);
    }
    return text;
}

/* Returns the width of what it added. */
static uint32_t add_cut(struct buf *out, struct str text, uint32_t columns, bool front)
{
    struct str dots = STR("...");
    struct str part;

    if (width_of(text) <= columns) {
        buf_add(out, text);
        return width_of(text);
    }
    if (columns <= dots.size) return 0;
    part = front ? cut_front(text, columns - (uint32_t)dots.size)
                 : width_cut(text, columns - (uint32_t)dots.size);
    buf_add(out, front ? dots : part);
    buf_add(out, front ? part : dots);
    return width_of(part) + (uint32_t)dots.size;
}

static const char *cell_color(const struct ledger_entry *entry, enum cell cell)
{
    bool fixed = entry->state == FINDING_FIXED;

    if (cell == CELL_SEVERITY) return fixed ? dim : colors[entry->finding.severity];
    if (cell == CELL_STATE) return fixed ? green : NULL;
    return fixed ? dim : NULL;
}

static bool open_link(const struct findings_table *table, const struct ledger_entry *entry,
                      struct buf *out)
{
    struct buf address;
    bool below;

    buf_init(&address, CELL_BYTES_MAX);
    below = uri_below(&address, entry->finding.file) && !address.overflow;
    if (below) buf_printf(out, "\033]8;;%s%s\033\\", table->links, buf_cstr(&address));
    buf_release(&address);
    return below;
}

static void add_row(const struct findings_table *table, const struct grid *grid,
                    const struct ledger_entry *entry, struct buf *out)
{
    uint32_t pad = 0;
    struct buf cell;

    buf_init(&cell, CELL_BYTES_MAX);
    for (uint32_t k = 0; k < CELL_COUNT; k++) {
        const char *color = table->color ? cell_color(entry, (enum cell)k) : NULL;
        bool linked = false;
        uint32_t width;

        if (grid->width[k] == 0) continue;
        for (; pad > 0; pad--) buf_byte(out, ' ');
        buf_clear(&cell);
        add_cell(&cell, table->listing, entry, (enum cell)k);
        if (color) buf_text(out, color);
        if (k == CELL_WHERE && table->links) linked = open_link(table, entry, out);
        width = add_cut(out, buf_str(&cell), grid->width[k], k == CELL_WHERE);
        if (linked) buf_text(out, "\033]8;;\033\\");
        if (color) buf_text(out, plain);
        pad = grid->width[k] - width + GAP;
    }
    buf_byte(out, '\n');
    buf_release(&cell);
}

static void add_titles(const struct findings_table *table, const struct grid *grid, struct buf *out)
{
    uint32_t pad = 0;

    if (table->color) buf_text(out, dim);
    for (uint32_t k = 0; k < CELL_COUNT; k++) {
        if (grid->width[k] == 0) continue;
        for (; pad > 0; pad--) buf_byte(out, ' ');
        pad = grid->width[k] + GAP - add_cut(out, str_of(titles[k]), grid->width[k], false);
    }
    if (table->color) buf_text(out, plain);
    buf_byte(out, '\n');
}

void findings_table(const struct findings_table *table, struct buf *out)
{
    struct grid grid;

    if (table->listing->count == 0) return;
    grid_measure(&grid, table->listing);
    grid_fit(&grid, table->columns);
    add_titles(table, &grid, out);
    for (uint32_t i = 0; i < table->listing->count; i++) {
        add_row(table, &grid, table->listing->items[i], out);
    }
}

/* ---- lines ---- */

void findings_lines(const struct listing *listing, struct buf *out)
{
    static const char *const words[SEVERITY_COUNT] = {
        [SEVERITY_LOW] = "note",
        [SEVERITY_MEDIUM] = "warning",
        [SEVERITY_HIGH] = "error",
    };

    for (uint32_t i = 0; i < listing->count; i++) {
        const struct ledger_entry *entry = listing->items[i];
        const struct finding *finding = &entry->finding;

        if (finding->file.size > 0) {
            if (finding->file.data[0] == ':') buf_text(out, "./"); /* "::" is a command in CI */
            safe_text(out, finding->file, true, 0);
            buf_printf(out, ":%" PRIu32 ":", finding->line);
            if (finding->line > 0 && finding->column > 0) {
                buf_printf(out, "%" PRIu32 ":", finding->column);
            }
        } else {
            buf_text(out, "hone:");
        }
        if (entry->state == FINDING_OPEN) buf_printf(out, " %s: ", words[finding->severity]);
        else buf_printf(out, " note: %s: ", finding_state_word(entry->state));
        if (entry->doubt) buf_text(out, "unresolved: ");
        safe_text(out, str_trim(finding->text), true, 0);
        buf_text(out, " [");
        add_rule(out, listing, entry, 0);
        buf_text(out, "]\n");
    }
    for (uint32_t i = 0; i < listing->coverage.unlooked_count; i++) {
        const struct unlooked *item = &listing->coverage.unlooked[i];

        if (str_starts(item->file, STR(":"))) buf_text(out, "./");
        safe_text(out, item->file, true, 0);
        buf_text(out, ":0: note: not looked at: ");
        safe_text(out, item->why, true, 0);
        buf_text(out, " [");
        safe_text(out, item->tool.size > 0 ? item->tool : STR("hone"), true, 0);
        buf_text(out, "]\n");
    }
}

/* ---- the verb ---- */

enum { LINK_BYTES_MAX = 64 * 1024 };

/* What is asked for. */
struct query {
    const struct format *format;
    struct finding_filter filter;
};

/* One showing. */
struct show {
    const struct call *call;
    const struct look *look;
    const struct listing *listing;
    const struct query *query;
    uint32_t total; /* before the filters */
};

struct format {
    const char *name;
    const char *help;
    bool open_only;
    enum listing_order order;
    void (*write)(const struct show *show, struct buf *out);
};

/* ---- formats ---- */

static void write_table(const struct show *show, struct buf *out)
{
    const struct journal_run *run = &show->look->run;
    struct findings_table table = {
        .listing = show->listing,
        .columns = line_columns(TERMINAL_OUT_FD),
        .color = show->call->out_color,
    };
    char host[HOST_NAME_BYTES];
    struct buf links;

    buf_init(&links, LINK_BYTES_MAX);
    if (show->call->out_color && show->call->out_terminal) {
        buf_text(&links, "file://");
        uri_path(&links, str_of(host_name(host)));
        uri_path(&links, str_of(run->workspace));
        buf_byte(&links, '/');
        if (!links.overflow) table.links = buf_cstr(&links);
    }
    findings_table(&table, out);
    if (show->listing->count > 0) buf_byte(out, '\n');
    buf_printf(out, "run %s (%s): ", run->id, standing_word(run, show->look->alive));
    if (show->listing->count > 0) {
        listing_say(show->listing, out);
    } else if (show->total > 0) {
        buf_printf(out, "none of its %" PRIu32 " findings fits", show->total);
    } else {
        buf_text(out, "nothing was found");
    }
    buf_byte(out, '\n');
    coverage_say(&show->listing->coverage, out);
    buf_release(&links);
}

static void write_text(const struct show *show, struct buf *out)
{
    findings_lines(show->listing, out);
}

static void write_json(const struct show *show, struct buf *out)
{
    listing_write(show->listing, out);
}

static void write_sarif(const struct show *show, struct buf *out)
{
    sarif_write(show->listing, out);
}

static void write_rdjson(const struct show *show, struct buf *out)
{
    rdjson_write(show->listing, out);
}

static void write_markdown(const struct show *show, struct buf *out)
{
    markdown_write(show->listing, out);
}

static const struct format formats[] = {
    { .name = "table", .write = write_table,
      .help = "columns that fit the terminal, with colours and links to the files; what a terminal "
              "gets where nothing is said" },
    { .name = "text", .write = write_text,
      .help = "a line FILE:LINE:COLUMN: severity: text [rule] for each, as compilers write them "
              "and editors read them; paths are relative to the workspace, columns count bytes, "
              "what is noted or fixed is a note. What pipes and files get where nothing is said" },
    { .name = "json", .write = write_json,
      .help = "one object with run, findings and counts; --json is the same. Of the counts, high, "
              "medium and low are of the open ones" },
    { .name = "sarif", .write = write_sarif, .open_only = true,
      .help = "SARIF 2.1.0, with fixes and fingerprints, for code scanning services" },
    { .name = "rdjson", .write = write_rdjson, .open_only = true,
      .help = "for reviewdog; without fixes" },
    { .name = "markdown", .write = write_markdown, .order = LISTING_BY_FILE,
      .help = "a table for each file, for a comment on a pull request; at most 60,000 bytes" },
    { .name = NULL },
};

/* ---- what is asked for ---- */

/* NULL where none has that name: err says so. */
static const struct format *find_format(const struct call *call, struct err *err)
{
    const char *name = call_value(call, "format");
    struct suggest suggest;

    if (name && call->json && strcmp(name, "json") != 0) {
        (void)err_set(err, ERR_USAGE, "--json and --format %.60s are two formats; choose one",
                      name);
        return NULL;
    }
    if (!name) name = call->json ? "json" : call->out_terminal ? "table" : "text";
    suggest_init(&suggest, str_of(name));
    for (const struct format *format = formats; format->name; format++) {
        if (strcmp(name, format->name) == 0) return format;
        suggest_offer(&suggest, format->name);
    }
    (void)suggest_refuse(&suggest, "format", "there are", err);
    return NULL;
}

static int read_query(const struct call *call, struct query *query, struct err *err)
{
    const char *state = call_value(call, "state");

    query->format = find_format(call, err);
    if (!query->format) return ERR_USAGE;
    if (!state && query->format->open_only) state = "open";
    return finding_filter_read(&(struct finding_filter_words){
        .state = state,
        .severity = call_value(call, "severity"),
        .file = call_value(call, "file"),
        .rule = call_value(call, "rule"),
        .role = call_value(call, "role"),
        .round = call_value(call, "round"),
        .prefix = "--",
    }, &query->filter, err);
}

static int check_role(const struct plan *plan, const char *role, struct err *err)
{
    struct suggest suggest;

    if (!role) return 0;
    suggest_init(&suggest, str_of(role));
    for (uint32_t i = 0; i < plan->role_count; i++) {
        if (str_is(suggest.word, plan->roles[i].name)) return 0;
        suggest_offer(&suggest, plan->roles[i].name);
    }
    if (suggest.best) {
        return err_set(err, ERR_USAGE, "this run has no role '%.60s'; did you mean '%s'?", role,
                       suggest.best);
    }
    return err_set(err, ERR_USAGE, "this run has no role '%.60s'; 'hone show' lists who took part",
                   role);
}

/* ---- the run ---- */

static int put_down(const struct show *show)
{
    struct buf out;
    int code = CODE_DONE;

    buf_init(&out, SAY_BYTES_MAX);
    show->query->format->write(show, &out);
    if (out.overflow) {
        code = say_fail(CODE_FAILED, "the findings take more than %d MB; choose some of them, as "
                        "with --severity high", SAY_BYTES_MAX >> 20);
    } else {
        say_out(&out);
    }
    buf_release(&out);
    return code;
}

static int show_findings(const struct call *call, const struct look *look,
                         const struct run *replay, const struct query *query)
{
    const struct ledger *ledger = &replay->ledger;
    struct listing listing = { .run = look->run.id, .version = HONE_VERSION,
                               .plan = &replay->plan, .unfinished = look_unfinished(look) };
    struct show show = { .call = call, .look = look, .listing = &listing, .query = query,
                         .total = ledger->count };
    struct arena arena = { 0 };
    int code;

    listing.coverage = ledger_coverage(ledger, &arena);
    for (uint32_t i = 0; i < ledger->count; i++) {
        const struct ledger_entry *entry = &ledger->entries[i];
        if (finding_filter_fits(&query->filter, &listing, entry)) listing_add(&listing, entry);
    }
    listing_merge(&listing, &arena);
    listing_sort(&listing, query->format->order);
    code = put_down(&show);
    listing_release(&listing);
    arena_release(&arena);
    return code;
}

static int handle(struct call *call)
{
    struct run replay = { 0 };
    struct query query = { 0 };
    struct look look = { 0 };
    struct err err;
    int rc, code;

    rc = read_query(call, &query, &err);
    if (rc == 0) rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = look_run(&look, call_argument(call, 0), &err);
    if (rc == 0) rc = run_load(&replay, &look.run, &err);
    if (rc == 0) rc = check_role(&replay.plan, query.filter.role, &err);
    if (rc == 0) rc = run_replay(&replay, look.journal, ledger_visit, &replay.ledger, &err);
    if (rc == 0) ledger_group(&replay.ledger);
    if (rc != 0) code = say_err(&err);
    else code = show_findings(call, &look, &replay, &query);
    run_release(&replay);
    look_close(&look);
    return code;
}

static void extend(struct page *page)
{
    page_add(page, BLOCK_HEADING, NULL, "Formats");
    for (const struct format *format = formats; format->name; format++) {
        page_add(page, BLOCK_TERM, format->name, format->help);
    }
}

const struct verb verb_findings = {
    .name = "findings",
    .summary = "show what was found in a run, and what became of it",
    .text = {
        "Shows everything the reviewers of a run found, each thing once: how grave it is, where, "
        "by which rule, what was said, in which rounds it was first and last reported, and whether "
        "it is open, noted or fixed. It is noted when it is too small to fail its review, as the "
        "settings of its dialect have it. It is fixed when its reviewer looked again and did not "
        "report it any more; when it comes back it is open again. What is open comes first, then "
        "what is graver, then by file and line.",
        "The filters can be combined. A PATTERN is as in .gitignore: '*.c' fits such a file in "
        "every folder, 'src/' everything below src.",
    },
    .arguments = { ARGUMENT_RUN },
    .options = {
        { .name = "format", .argument = "FORMAT",
          .help = "table, text, json, sarif, rdjson or markdown: see Formats" },
        { .name = "state", .argument = "STATE",
          .help = "open, noted, fixed or all; where nothing is said, all, but for sarif and "
                  "rdjson, whose readers take everything for open: those get what is open" },
        { .name = "severity", .argument = "RANK",
          .help = "low, medium or high: only what is at least as grave" },
        { .name = "file", .argument = "PATTERN", .help = "only what is about these files" },
        { .name = "role", .argument = "ROLE", .help = "only what this reviewer reported" },
        { .name = "rule", .argument = "PATTERN", .help = "only what was reported by these rules" },
        { .name = "round", .argument = "N",
          .help = "only what was first reported in round N or before, and last in N or after" },
    },
    .codes = {
        { CODE_DONE, "the findings were shown; there may be none" },
        { CODE_USAGE, "there is no such run, role, format, state or severity" },
    },
    .examples = {
        "hone findings",
        "hone findings --state open --severity medium --file 'src/*.c'",
        "hone findings 7k2m --format sarif >hone.sarif",
        "vim -q <(hone findings --state open --format text)",
    },
    .extend = extend,
    .handle = handle,
};
