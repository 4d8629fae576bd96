/* SPDX-License-Identifier: Apache-2.0
 *
 * looking.c - the part of a review's prompt that a policy adds, the same in every dialect.
 *
 * A recheck is told what the last repair changed and what was open before it. A look is told what
 * is known: other eyes are worth most where they look for what is not there yet.
 *
 * 1. What is open is asked about, never hidden: a review that does not report it any more means
 *    that it is repaired.
 * 2. A list that is too long ends with how many are left out; the gravest come first. */
#include "dialect/looking.h"

#include "dialect/quote.h"
#include "dialect/slots.h"
#include "format/json/finding_json.h"
#include "prompts/dialect.h"

enum { TEXT_BYTES_MAX = 1024, NAME_BYTES_MAX = 512, LIST_BYTES_MAX = 96 * 1024,
       DIFF_BYTES_MAX = 300 * 1024 };

/* A list in the making: a quote with a finding in each line. */
struct list {
    struct buf text;
    const char *fence;
    uint32_t left_out;
};

static void list_finding(struct list *list, const struct finding *finding)
{
    struct buf *out = &list->text;

    if (out->size > LIST_BYTES_MAX / 2) {
        list->left_out++;
        return;
    }
    if (out->size == 0) quote_open(out, list->fence);
    buf_printf(out, "- [%s] ", severity_word(finding->severity));
    quote_line(out, list->fence, finding->file.size ? finding->file : STR("(no file)"),
               NAME_BYTES_MAX);
    if (finding->line) buf_printf(out, ":%u", (unsigned)finding->line);
    buf_text(out, " -- ");
    quote_line(out, list->fence, finding->text, TEXT_BYTES_MAX);
    buf_byte(out, '\n');
}

static struct slot_part list_end(struct list *list)
{
    if (list->text.size > 0) quote_close(&list->text, list->fence);
    if (list->left_out) {
        buf_printf(&list->text, "%u more are left out here.\n", (unsigned)list->left_out);
    }
    return slot_part(&list->text);
}

/* A fixer's reason hides nothing that is grave: the next reviewers judge it. */
static bool is_asked_about(const struct ledger_entry *entry)
{
    return finding_is_open(entry->state) ||
           (entry->state == FINDING_NOTED && entry->finding.severity == SEVERITY_HIGH);
}

/* Everything that this gate has found so far and that is not fixed, the gravest first: what is
 * open, and what is left on purpose. */
static void list_ledger(const struct engine *engine, const struct action *action,
                        struct list *known, struct list *noted)
{
    const struct ledger_entry *const *entries;
    struct arena arena = { 0 };
    uint32_t count = ledger_list(&engine->ledger, &arena, &entries);

    for (int severity = SEVERITY_COUNT; severity-- > 0;) {
        for (uint32_t i = 0; i < count; i++) {
            const struct ledger_entry *entry = entries[i];

            if (entry->lane != action->lane || entry->phase != action->phase) continue;
            if ((int)entry->finding.severity != severity || entry->state == FINDING_FIXED) continue;
            list_finding(is_asked_about(entry) ? known : noted, &entry->finding);
        }
    }
    arena_release(&arena);
}

void looking_write(struct buf *out, const struct run_view *run, const struct action *action,
                   bool shows_diff)
{
    const struct engine *engine = run->engine;
    struct list known = { .fence = run->fence }, noted = { .fence = run->fence };
    struct dialect_page page = { .fence = run->fence, .recheck = action->recheck };
    bool diff = action->recheck && !shows_diff && run->tree && !run->tree->from_head;

    if (action->purpose != FOR_REVIEW || !engine->plan->phases[action->phase].gate.policy) return;
    buf_init(&known.text, LIST_BYTES_MAX);
    buf_init(&noted.text, LIST_BYTES_MAX);
    list_ledger(engine, action, &known, &noted);
    page.known = list_end(&known);
    page.noted = list_end(&noted);
    page.diff = slot_text(diff ? run->tree->diff : STR(""), DIFF_BYTES_MAX);
    page.cut = diff && run->tree->diff_cut;
    page.changed = slot_names(run->changed, run->changed_count);
    dialect_page_looking(out, &page);
    buf_release(&noted.text);
    buf_release(&known.text);
}
