/* SPDX-License-Identifier: Apache-2.0 */
#include "run/finding_filter.h"

#include "agent/agent.h"
#include "format/json/finding_json.h"
#include "format/text/pattern.h"

#include <string.h>

static int read_states(const struct finding_filter_words *words, struct finding_filter *out,
                       struct err *err)
{
    struct str rest = str_of(words->state ? words->state : "all"), word;
    bool any = false;

    while (str_cut(&rest, ',', &word)) {
        enum finding_state state;
        bool all, open;

        word = str_trim(word);
        all = str_is(word, "all");
        open = str_is(word, "open");
        any = true;
        for (uint32_t i = 0; i < FINDING_STATE_COUNT; i++) {
            if (all || (open && finding_is_open((enum finding_state)i))) out->states[i] = true;
        }
        if (all || open) continue;
        if (!finding_state_from_word(word, &state)) {
            return err_set(err, ERR_USAGE, "%sstate %.60s: there are open (new, persisting, "
                           "regressed, parked), noted, waived, fixed and all", words->prefix,
                           words->state);
        }
        out->states[state] = true;
    }
    if (any) return 0;
    return err_set(err, ERR_USAGE, "%sstate is empty: 'all' means all", words->prefix);
}

static int read_cause(const struct finding_filter_words *words, struct finding_filter *out,
                      struct err *err)
{
    if (!words->cause) return 0;
    if (strcmp(words->cause, "change") == 0) out->cause = CAUSE_CHANGE;
    else if (strcmp(words->cause, "fix") == 0) out->cause = CAUSE_FIX;
    else if (str_number(str_of(words->cause), &out->cause_round) && out->cause_round > 0) {
        out->cause = CAUSE_ROUND;
    } else {
        return err_set(err, ERR_USAGE, "%scause %.60s: there are change, fix, and the number of "
                       "the round whose fix it was", words->prefix, words->cause);
    }
    return 0;
}

static int read_by(const struct finding_filter_words *words, struct finding_filter *out,
                   struct err *err)
{
    struct buf known;
    int rc;

    out->by = words->by;
    if (!out->by) return 0;
    buf_init(&known, 512);
    for (uint32_t i = 0; backends[i]; i++) {
        if (strcmp(backends[i]->name, out->by) == 0) {
            buf_release(&known);
            return 0;
        }
        if (backends[i]->hosted) continue; /* its agents go by the host's name */
        buf_printf(&known, "%s%s", known.size ? ", " : "", backends[i]->name);
    }
    rc = err_set(err, ERR_USAGE, "%sby %.60s: the backends are %s", words->prefix, out->by,
                 buf_cstr(&known));
    buf_release(&known);
    return rc;
}

int finding_filter_read(const struct finding_filter_words *words, struct finding_filter *out,
                        struct err *err)
{
    const char *severity = words->severity;
    const char *round = words->round;
    int rc;

    *out = (struct finding_filter){ 0 };
    rc = read_states(words, out, err);
    if (rc == 0) rc = read_cause(words, out, err);
    if (rc == 0) rc = read_by(words, out, err);
    if (rc != 0) return rc;
    out->file = str_of(words->file);
    out->rule = str_of(words->rule);
    out->role = words->role;
    out->text = str_of(words->text);
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
    if (words->votes && (!str_number(str_of(words->votes), &out->votes_min) ||
                         out->votes_min == 0)) {
        return err_set(err, ERR_USAGE, "%smin-votes %.60s: votes are a number from 1 on",
                       words->prefix, words->votes);
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

/* Whether such a reviewer, on such a backend, has reported it: one vote of both. */
static bool votes_fit(const struct finding_filter *filter, const struct listing *listing,
                      const struct ledger_entry *entry)
{
    for (uint32_t i = 0; i < entry->vote_count; i++) {
        const struct vote *vote = &entry->votes[i];

        if (filter->role && strcmp(filter->role, listing_voter(listing, vote)) != 0) continue;
        if (!filter->by || str_is(vote->by, filter->by)) return true;
    }
    return false;
}

static bool cause_fits(const struct finding_filter *filter, uint32_t round)
{
    switch (filter->cause) {
    case CAUSE_ANY: break;
    case CAUSE_CHANGE: return round == 0;
    case CAUSE_FIX: return round > 0;
    case CAUSE_ROUND: return round == filter->cause_round;
    }
    return true;
}

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static bool has_word(struct str text, struct str word)
{
    for (size_t i = 0; i + word.size <= text.size; i++) {
        size_t k = 0;

        while (k < word.size && lower(text.data[i + k]) == lower(word.data[k])) k++;
        if (k == word.size) return true;
    }
    return false;
}

/* Whether each word stands somewhere in what is told of it: its text, file, kind or name. */
static bool text_fits(struct str words, const struct ledger_entry *entry)
{
    const struct finding *finding = &entry->finding;
    char id[LISTING_ID_BYTES];
    struct str word;

    while (str_cut(&words, ' ', &word)) {
        if (word.size == 0) continue;
        if (!has_word(finding->text, word) && !has_word(finding->file, word) &&
            !has_word(finding->kind, word) && !has_word(finding->evidence, word) &&
            !str_starts(str_of(listing_id(entry, true, id)), word)) return false;
    }
    return true;
}

bool finding_filter_fits(const struct finding_filter *filter, const struct listing *listing,
                         const struct ledger_entry *entry)
{
    const struct finding *finding = &entry->finding;

    if (!filter->states[entry->state] || finding->severity < filter->severity_min) return false;
    if (filter->file.size > 0 && !pattern_matches(filter->file, finding->file)) return false;
    if (filter->rule.size > 0 && !rule_fits(filter->rule, listing, entry)) return false;
    if (filter->text.size > 0 && !text_fits(filter->text, entry)) return false;
    if ((filter->role || filter->by) && !votes_fit(filter, listing, entry)) return false;
    if (entry->vote_count < filter->votes_min || !cause_fits(filter, entry->cause_round)) {
        return false;
    }
    if (filter->round == 0) return true;
    return entry->round_first <= filter->round && filter->round <= entry->round_last;
}
