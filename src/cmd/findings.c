/* SPDX-License-Identifier: Apache-2.0
 *
 * findings.c - hone findings: everything the reviewers of a run found, and what became of it.
 *
 * The journal is replayed into a ledger (core/ledger.c), the filters choose from it, and a writer
 * per format puts it down. Services that are given SARIF or rdjson show every entry as a problem,
 * so those two formats have only what is open, unless something else is asked for.
 *
 * Not here: the table and the lines (findings_table.c), the formats (format/). */
#include "cmd/findings.h"

#include "cmd/page.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/suggest.h"

#include "format/report/listing.h"
#include "format/report/uri.h"
#include "io/process/host.h"
#include "io/terminal/terminal.h"
#include "run/finding_filter.h"
#include "run/look.h"
#include "run/replay.h"

#include <inttypes.h>
#include <string.h>

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
                         const struct replay *replay, const struct ledger *ledger,
                         const struct query *query)
{
    struct listing listing = { .run = look->run.id, .version = HONE_VERSION,
                               .plan = &replay->plan, .unfinished = look_unfinished(look) };
    struct show show = { .call = call, .look = look, .listing = &listing, .query = query,
                         .total = ledger->count };
    int code;

    for (uint32_t i = 0; i < ledger->count; i++) {
        const struct ledger_entry *entry = &ledger->entries[i];
        if (finding_filter_fits(&query->filter, &listing, entry)) listing_add(&listing, entry);
    }
    listing_sort(&listing, query->format->order);
    code = put_down(&show);
    listing_release(&listing);
    return code;
}

static int handle(struct call *call)
{
    struct replay replay = { 0 };
    struct ledger ledger = { 0 };
    struct query query = { 0 };
    struct look look = { 0 };
    struct err err;
    int rc, code;

    rc = read_query(call, &query, &err);
    if (rc == 0) rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = look_run(&look, call_argument(call, 0), &err);
    if (rc == 0) rc = replay_init(&replay, &look.run, &err);
    if (rc == 0) rc = check_role(&replay.plan, query.filter.role, &err);
    if (rc == 0) rc = replay_run(&replay, look.journal, ledger_visit, &ledger, &err);
    if (rc != 0) code = say_err(&err);
    else code = show_findings(call, &look, &replay, &ledger, &query);
    ledger_release(&ledger);
    replay_release(&replay);
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
    .text = (const char *const[]){
        "Shows everything the reviewers of a run found, each thing once: how grave it is, where, "
        "by which rule, what was said, in which rounds it was first and last reported, and whether "
        "it is open, noted or fixed. It is noted when it is too small to fail its review, as the "
        "settings of its dialect have it. It is fixed when its reviewer looked again and did not "
        "report it any more; when it comes back it is open again. What is open comes first, then "
        "what is graver, then by file and line.",
        "The filters can be combined. A PATTERN is as in .gitignore: '*.c' fits such a file in "
        "every folder, 'src/' everything below src.",
        NULL,
    },
    .arguments = argument_run,
    .options = (const struct option[]){
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
        { .name = NULL },
    },
    .codes = (const struct code_help[]){
        { CODE_DONE, "they were shown, whatever they are; also where there are none" },
        { CODE_USAGE, "there is no such run, role, format, state or severity" },
        { .help = NULL },
    },
    .examples = (const char *const[]){
        "hone findings",
        "hone findings --state open --severity medium --file 'src/*.c'",
        "hone findings 7k2m --format sarif >hone.sarif",
        "vim -q <(hone findings --state open --format text)",
        NULL,
    },
    .extend = extend,
    .handle = handle,
};
