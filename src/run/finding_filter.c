/* SPDX-License-Identifier: Apache-2.0 */
#include "run/finding_filter.h"

#include "format/json/finding_json.h"
#include "format/text/pattern.h"

#include <string.h>

static int read_states(const struct finding_filter_words *words, struct finding_filter *out,
                       struct err *err)
{
    const char *word = words->state ? words->state : "all";
    enum finding_state state;

    if (strcmp(word, "all") == 0) {
        for (uint32_t i = 0; i < FINDING_STATE_COUNT; i++) out->states[i] = true;
        return 0;
    }
    if (!finding_state_from_word(str_of(word), &state)) {
        return err_set(err, ERR_USAGE, "%sstate %.60s: there are open, noted, fixed and all",
                       words->prefix, word);
    }
    out->states[state] = true;
    return 0;
}

int finding_filter_read(const struct finding_filter_words *words, struct finding_filter *out,
                        struct err *err)
{
    const char *severity = words->severity;
    const char *round = words->round;
    int rc;

    *out = (struct finding_filter){ 0 };
    rc = read_states(words, out, err);
    if (rc != 0) return rc;
    out->file = str_of(words->file);
    out->rule = str_of(words->rule);
    out->role = words->role;
    if ((words->file && out->file.size == 0) || (words->rule && out->rule.size == 0)) {
        return err_set(err, ERR_USAGE, "an empty pattern fits nothing; '*' fits everything");
    }
    if (severity && !severity_from_word(str_of(severity), &out->severity_min)) {
        return err_set(err, ERR_USAGE, "%sseverity %.60s: there are low, medium and high",
                       words->prefix, severity);
    }
    if (round && (!str_number(str_of(round), &out->round) || out->round == 0)) {
        return err_set(err, ERR_USAGE, "%sround %.60s: a round is a number from 1 on",
                       words->prefix, round);
    }
    return 0;
}

/* By its name alone, or with its tool in front. */
static bool rule_fits(struct str pattern, const struct listing *listing,
                      const struct ledger_entry *entry)
{
    struct buf rule;
    bool fits;

    buf_init(&rule, LISTING_RULE_BYTES_MAX);
    listing_rule(listing, entry, &rule);
    fits = pattern_matches(pattern, entry->finding.kind) ||
           pattern_matches(pattern, buf_str(&rule));
    buf_release(&rule);
    return fits;
}

bool finding_filter_fits(const struct finding_filter *filter, const struct listing *listing,
                         const struct ledger_entry *entry)
{
    const struct finding *finding = &entry->finding;

    if (!filter->states[entry->state] || finding->severity < filter->severity_min) return false;
    if (filter->file.size > 0 && !pattern_matches(filter->file, finding->file)) return false;
    if (filter->rule.size > 0 && !rule_fits(filter->rule, listing, entry)) return false;
    if (filter->role && strcmp(filter->role, listing_role(listing, entry)) != 0) return false;
    if (filter->round == 0) return true;
    return entry->round_first <= filter->round && filter->round <= entry->round_last;
}

bool ledger_visit(void *context, const struct run *replay, uint64_t sequence,
                  const struct event *event, const struct actions *actions)
{
    (void)replay;
    (void)sequence;
    ledger_note(context, event, actions);
    return true;
}
