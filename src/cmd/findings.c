/* SPDX-License-Identifier: Apache-2.0
 *
 * findings.c - hone findings: everything the reviewers of a run found, and what became of it.
 *
 * The journal is replayed into a ledger (core/ledger.c), filters choose from the ledger, and each
 * format has a writer. Services that read rdjson show every entry as a problem, so it has only what
 * is open, unless --state asks for others; SARIF has what is waived as well, which its readers know
 * as suppressed. For people, on a terminal, findings stand below their files (report/found.c), in
 * the user's pager. Why something was waived stands in the file of waivers, not in the journal.
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
#include "io/process/host.h"
#include "io/process/pager.h"
#include "io/terminal/terminal.h"
#include "report/found.h"
#include "run/cast.h"
#include "run/finding_filter.h"
#include "run/look.h"
#include "run/run.h"
#include "run/waived.h"

#include <inttypes.h>
#include <string.h>

/* ---- lines ---- */

static void add_rule(struct buf *out, const struct listing *listing,
                     const struct ledger_entry *entry, size_t bytes_max)
{
    struct buf rule;

    buf_init(&rule, SIZE_MAX / 4);
    listing_rule_say(listing, entry, &rule);
    safe_text(out, buf_str(&rule), true, bytes_max);
    buf_release(&rule);
}

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
        char id[LISTING_ID_BYTES];

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
        if (finding_is_open(entry->state)) buf_printf(out, " %s: ", words[finding->severity]);
        else buf_printf(out, " note: %s: ", finding_state_word(entry->state));
        if (entry->doubt && finding_is_open(entry->state)) buf_text(out, "unresolved: ");
        safe_text(out, str_trim(finding->text), true, 0);
        buf_text(out, " [");
        add_rule(out, listing, entry, 0);
        buf_printf(out, "] (%s", listing_id(entry, false, id));
        listing_more_say(listing, entry, out);
        buf_text(out, ")\n");
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

enum { LINK_BYTES_MAX = 64 * 1024, INDENT = 2 };

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
    const char *states; /* where the user names none; NULL: all */
    enum listing_order order;
    void (*write)(const struct show *show, struct buf *out);
};

/* ---- formats ---- */

static void write_table(const struct show *show, struct buf *out)
{
    const struct journal_run *run = &show->look->run;
    struct found_page page = {
        .listing = show->listing,
        .columns = line_columns(TERMINAL_OUT_FD),
        .color = show->call->out_color,
        .workspace = run->workspace,
    };
    char host[HOST_NAME_BYTES];
    struct buf links, last;

    buf_init(&links, LINK_BYTES_MAX);
    if (show->call->out_color && show->call->out_terminal) {
        buf_text(&links, "file://");
        uri_path(&links, str_of(host_name(host)));
        uri_path(&links, str_of(run->workspace));
        buf_byte(&links, '/');
        if (!links.overflow) page.links = buf_cstr(&links);
    }
    found_groups(&page, out);
    if (show->listing->count > 0) buf_byte(out, '\n');
    buf_init(&last, LINK_BYTES_MAX);
    buf_printf(&last, "run %s (%s): ", run->id, standing_word(run, show->look->alive));
    if (show->listing->count > 0) {
        listing_say(show->listing, &last);
    } else if (show->total > 0) {
        buf_printf(&last, "none of its %" PRIu32 " findings is what you asked for", show->total);
    } else {
        buf_text(&last, "nothing was found");
    }
    add_wrapped(out, buf_cstr(&last), 0, INDENT, page.columns);
    buf_release(&last);
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
    { .name = "table", .write = write_table, .order = LISTING_BY_GROUP,
      .help = "below each file what was found in it, by line, with the line of the source, colours "
              "and links; lines fit the terminal, and only the source's line is cut for that. What "
              "a terminal gets by default, in a pager: HONE_PAGER, PAGER or less" },
    { .name = "text", .write = write_text,
      .help = "a line FILE:LINE:COLUMN: severity: text [rule] (ID; what else matters) for each, as "
              "compilers write them and editors read them; paths are relative to the workspace, "
              "columns count bytes, what is noted, waived or fixed is a note. What pipes and "
              "files get by default" },
    { .name = "json", .write = write_json,
      .help = "one object with run, findings and counts; --json is the same. Of the counts, high, "
              "medium and low are of the open ones" },
    { .name = "sarif", .write = write_sarif, .states = "open,waived",
      .help = "SARIF 2.1.0, with fixes, fingerprints, what became of each (baselineState) and "
              "what is waived as suppressed, for code scanning services" },
    { .name = "rdjson", .write = write_rdjson, .states = "open",
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
    if (!state) state = query->format->states;
    return finding_filter_read(&(struct finding_filter_words){
        .state = state,
        .severity = call_value(call, "severity"),
        .file = call_value(call, "file"),
        .rule = call_value(call, "rule"),
        .role = call_value(call, "role"),
        .round = call_value(call, "round"),
        .by = call_value(call, "by"),
        .cause = call_value(call, "cause"),
        .votes = call_value(call, "min-votes"),
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

/* A terminal gets it by the user's pager. */
static void show_out(const struct call *call, const struct buf *out)
{
    bool paged = call->out_terminal && !call->no_pager && !call->json;

    if (!paged || !pager_show(buf_str(out))) say_out(out);
}

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
        show_out(show->call, &out);
    }
    buf_release(&out);
    return code;
}

static int show_findings(struct call *call, const struct look *look,
                         const struct run *replay, const struct query *query)
{
    const struct ledger *ledger = &replay->engine.ledger;
    const struct ledger_entry *const *entries;
    struct listing listing = { .run = look->run.id, .version = HONE_VERSION,
                               .plan = &replay->plan, .unfinished = look_unfinished(look) };
    struct show show = { .call = call, .look = look, .listing = &listing, .query = query };
    struct arena arena = { 0 };
    struct waivers waivers = { 0 };
    uint32_t count = ledger_list(ledger, &arena, &entries);
    struct str text;
    struct err none;
    int code;

    if (waived_read(look->run.workspace, &arena, &text, &waivers, &none) == 0) {
        listing.waivers = &waivers;
    }
    listing.coverage = ledger_coverage(ledger, &arena);
    show.total = count;
    for (uint32_t i = 0; i < count; i++) {
        if (!finding_filter_fits(&query->filter, &listing, entries[i])) continue;
        listing_add(&listing, entries[i]);
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
    if (rc == 0 && call_has(call, "across")) return findings_across(call, &query.filter);
    if (rc == 0) rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = look_run(&look, call_argument(call, 0), &err);
    if (rc == 0) rc = run_load(&replay, &look.run, &err);
    if (rc == 0) rc = check_role(&replay.plan, query.filter.role, &err);
    if (rc == 0) rc = run_replay(&replay, look.journal, NULL, NULL, &err);
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
        "by which rule, what was said, in which rounds it was first and last reported, how many "
        "reviewers reported it, what brought it (the change, or the fix of a round), how often a "
        "fixer was to resolve it, and its state. What is open comes first, then what is graver, "
        "then by file and line. The letters at the end are its ID, for 'hone fix' "
        "and 'hone waive'.",
        "Open is what is new, persisting (reported again), regressed (it was fixed, and came "
        "back) or parked (no fix is tried any more). It is noted when it is too small to fail its "
        "review, or a fixer left it with a reason; waived when a person decided so; fixed when its "
        "reviewers looked again and did not report it any more.",
        "With --across findings are followed over all runs of the repository, by their words and "
        "places: in which runs each was seen, and its state at the end of each. Where its file was "
        "renamed between two runs it begins anew. All events of all runs are read for it, of at "
        "most 500 runs; the last line says how long that took. RUN is then the ID of a finding, "
        "or the beginning of one.",
        "The filters can be combined. A PATTERN is as in .gitignore: '*.c' fits such a file in "
        "every folder, 'src/' everything below src.",
    },
    .arguments = { ARGUMENT_RUN },
    .options = {
        { .name = "format", .argument = "FORMAT",
          .help = "table, text, json, sarif, rdjson or markdown: see Formats" },
        { .name = "state", .argument = "STATE",
          .help = "open, or new, persisting, regressed, parked, noted, waived, fixed; several "
                  "with commas between; or all. By default all, but for rdjson, whose readers "
                  "take everything for open, what is open, and for sarif that and what is waived",
          .words = "open, new, persisting, regressed, parked, noted, waived, fixed or all" },
        { .name = "across", .help = "over all runs; with --state, --severity, --file, --json" },
        { .name = "severity", .argument = "RANK",
          .help = "low, medium or high: only what is at least as grave",
          .words = "low, medium or high" },
        { .name = "file", .argument = "PATTERN", .help = "only what is about these files" },
        { .name = "role", .argument = "ROLE", .help = "only what this reviewer reported" },
        { .name = "by", .argument = "BACKEND",
          .help = "only what was reported on this backend, such as claude" },
        { .name = "min-votes", .argument = "N",
          .help = "only what at least N reported; a role on two backends has two votes" },
        { .name = "cause", .argument = "CAUSE",
          .help = "change: only what was there in the change; fix: what a fix brought; N: what the "
                  "fix of round N brought" },
        { .name = "rule", .argument = "PATTERN", .help = "only what was reported by these rules" },
        { .name = "round", .argument = "N",
          .help = "only what was first reported in round N or before, and last in N or after" },
    },
    .codes = {
        { CODE_DONE, "the findings were shown; there may be none" },
        { CODE_USAGE, "there is no such run, role, backend, format, state, severity or cause" },
    },
    .examples = {
        "hone findings",
        "hone findings --state open --severity medium --file 'src/*.c'",
        "hone findings 7k2m --format sarif >hone.sarif",
        "hone findings --across 5c3f0a1b",
        "vim -q <(hone findings --state open --format text)",
    },
    .extend = extend,
    .handle = handle,
};
