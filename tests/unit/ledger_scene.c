/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_scene.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { FINDINGS_MAX = 16, TEXT_BYTES_MAX = 8192 };

void rounds_begin(struct scene *scene, uint32_t reviewers)
{
    struct plan_size size = { .reviewers = reviewers, .repairs = 9, .invalid_max = 1,
                              .failed_max = 1 };

    *scene = (struct scene){ .by = "" };
    plans_make(&scene->fixture, PLAN_REVIEW, &size);
    engine_init(&scene->engine, &scene->fixture.plan);
}

void rounds_until_waiting(struct scene *scene, uint32_t reviewers, const char *policy,
                          uint32_t eyes)
{
    const struct policy *row = policy_find(str_of(policy));

    assert_non_null(row);
    rounds_begin(scene, reviewers);
    plan_until(&scene->fixture.plan, row, eyes, &scene->arena);
    assert_null(plan_problem(&scene->fixture.plan));
}

void rounds_until(struct scene *scene, uint32_t reviewers, const char *policy, uint32_t eyes)
{
    rounds_until_waiting(scene, reviewers, policy, eyes);
    rounds_tell(scene, (struct event){ .kind = EV_START });
}

void rounds_end(struct scene *scene)
{
    engine_release(&scene->engine);
    actions_release(&scene->actions);
    arena_release(&scene->arena);
}

void rounds_tell(struct scene *scene, struct event event)
{
    engine_step(&scene->engine, &event, &scene->actions);
}

static bool cut_word(struct str *text, struct str word)
{
    if (!str_starts(*text, word)) return false;
    *text = str_skip(*text, word.size);
    return true;
}

static struct finding finding_of(struct str piece, struct arena *arena)
{
    struct finding finding = { .severity = SEVERITY_HIGH };
    struct str file = { "", 0 }, line = { "", 0 }, text = { "", 0 };
    uint64_t number = 0;

    if (cut_word(&piece, STR("low ")) || cut_word(&piece, STR("note "))) {
        finding.severity = SEVERITY_LOW;
    } else if (cut_word(&piece, STR("med "))) {
        finding.severity = SEVERITY_MEDIUM;
    }
    str_cut(&piece, ':', &file);
    str_cut(&piece, ' ', &line);
    assert_true(str_number(line, &number));
    str_cut(&piece, '[', &text);
    finding.file = arena_copy(arena, file);
    finding.line = (uint32_t)number;
    finding.text = arena_copy(arena, str_trim(text));
    finding.evidence = arena_copy(arena, piece);
    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

uint32_t rounds_findings(const char *text, struct arena *arena, struct finding **out)
{
    struct str rest = str_of(text ? text : ""), piece;
    uint32_t count = 0;

    *out = arena_alloc(arena, FINDINGS_MAX * sizeof **out);
    while (str_cut(&rest, ';', &piece)) {
        assert_true(count < FINDINGS_MAX);
        (*out)[count++] = finding_of(str_trim(piece), arena);
    }
    return count;
}

static void tell_waivers(struct scene *scene, enum event_kind kind, const char *text)
{
    struct arena arena = { NULL };
    struct waiver waivers[FINDINGS_MAX];
    struct str rest = str_of(text), piece;
    uint32_t count = 0;

    while (str_cut(&rest, ';', &piece)) {
        assert_true(count < FINDINGS_MAX);
        piece = str_trim(piece);
        waivers[count].grave = cut_word(&piece, STR("grave "));
        waivers[count].finding = finding_of(piece, &arena);
        waivers[count].id = str_of(arena_printf(&arena, "w%" PRIu32, count + 1));
        count++;
    }
    rounds_tell(scene, (struct event){ .kind = kind, .waivers = waivers, .waiver_count = count });
    arena_release(&arena);
}

void rounds_until_waived(struct scene *scene, const char *policy, const char *waivers)
{
    rounds_until_waiting(scene, 1, policy, 2);
    tell_waivers(scene, EV_START, waivers);
}

void rounds_resume(struct scene *scene, const char *waivers)
{
    tell_waivers(scene, EV_RESUME, waivers);
}

void rounds_tell_review(struct scene *scene, uint32_t job, uint32_t attempt, enum verdict verdict,
                       const char *findings)
{
    struct arena arena = { NULL };
    struct finding *list, *all = arena_alloc(&arena, 2 * FINDINGS_MAX * sizeof *all);
    struct result result = { .verdict = verdict, .by = arena_copy(&arena, str_of(scene->by)),
                             .findings = all, .notes = all + FINDINGS_MAX };
    uint32_t count = rounds_findings(findings, &arena, &list);
    struct str rest = str_of(findings), piece;

    for (uint32_t i = 0; i < count; i++) {
        str_cut(&rest, ';', &piece);
        if (str_starts(str_trim(piece), STR("note "))) {
            all[FINDINGS_MAX + result.note_count++] = list[i];
        } else {
            all[result.finding_count++] = list[i];
        }
    }
    if (verdict == VERDICT_FINDINGS && result.finding_count == 0) result.verdict = VERDICT_CLEAN;
    rounds_tell(scene, (struct event){ .kind = EV_ENDED, .job = job, .attempt = attempt,
                                      .result = result });
    arena_release(&arena);
}

void rounds_review(struct scene *scene, uint32_t job, const char *findings)
{
    rounds_tell_review(scene, job, 1, findings[0] ? VERDICT_FINDINGS : VERDICT_CLEAN, findings);
}

void rounds_answer(struct scene *scene, uint32_t nth, const char *findings)
{
    const struct batch *now = &scene->engine.lanes[0].now;

    assert_true(nth < now->count);
    rounds_tell_review(scene, now->jobs[nth].id, now->jobs[nth].attempt,
                      findings[0] ? VERDICT_FINDINGS : VERDICT_CLEAN, findings);
}

void rounds_round(struct scene *scene, const char *first, const char *second)
{
    uint32_t count = scene->engine.lanes[0].now.count;

    assert_int_equal(scene->engine.lanes[0].state, LANE_REVIEWING);
    for (uint32_t i = 0; i < count; i++) {
        rounds_answer(scene, i, i == 0 ? first : i == 1 && second ? second : "");
    }
}

void rounds_repair(struct scene *scene, struct rounds_repair repair)
{
    const struct batch *now = &scene->engine.lanes[0].now;
    struct arena arena = { NULL };
    struct doubtful doubts[2 * FINDINGS_MAX];
    struct finding *list;
    struct result result = { .verdict = VERDICT_CLEAN, .doubts = doubts, .moved = repair.moved,
                             .unchanged = repair.unchanged };

    assert_int_equal(scene->engine.lanes[0].state, LANE_REPAIRING);
    for (uint32_t kind = 0; kind < 2; kind++) {
        const char *text = kind == 0 ? repair.declined : repair.untouched;
        uint32_t count = rounds_findings(text, &arena, &list);

        for (uint32_t i = 0; i < count; i++) {
            doubts[result.doubt_count++] = (struct doubtful){
                list[i].fingerprint, list[i].line, kind == 0 ? DOUBT_DECLINED : DOUBT_UNTOUCHED };
        }
    }
    rounds_tell(scene, (struct event){ .kind = EV_ENDED, .job = now->jobs[0].id,
                                      .attempt = now->jobs[0].attempt, .result = result });
    arena_release(&arena);
}

struct line_map rounds_moved(struct scene *scene, const char *old_path, const char *new_path,
                            struct line_hunk hunk)
{
    struct file_move file = { str_of(old_path), str_of(new_path), &hunk,
                              hunk.old_count + hunk.new_count > 0 };

    return line_map_copy(&(struct line_map){ &file, 1 }, &scene->arena);
}

const struct ledger_entry *rounds_entry(struct scene *scene, uint32_t nth)
{
    const struct ledger_entry *const *entries;

    assert_true(nth < ledger_list(&scene->engine.ledger, &scene->arena, &entries));
    return entries[nth];
}

uint32_t rounds_count(struct scene *scene)
{
    const struct ledger_entry *const *entries;

    return ledger_list(&scene->engine.ledger, &scene->arena, &entries);
}

void rounds_expect(struct scene *scene, const char *expected)
{
    struct buf out;

    buf_init(&out, TEXT_BYTES_MAX);
    for (uint32_t i = 0; i < rounds_count(scene); i++) {
        const struct ledger_entry *entry = rounds_entry(scene, i);

        buf_printf(&out, "%s %s %.*s:%" PRIu32 " %.*s %" PRIu32 "-%" PRIu32 "\n",
                   finding_state_word(entry->state),
                   scene->fixture.plan.roles[entry->role].name, STR_ARG(entry->finding.file),
                   entry->finding.line, STR_ARG(entry->finding.text), entry->round_first,
                   entry->round_last);
    }
    assert_string_equal(buf_cstr(&out), expected);
    buf_release(&out);
}

void rounds_states(struct scene *scene, const char *expected)
{
    struct buf out;

    buf_init(&out, TEXT_BYTES_MAX);
    for (uint32_t i = 0; i < rounds_count(scene); i++) {
        buf_printf(&out, "%s%s", i ? " " : "", finding_state_word(rounds_entry(scene, i)->state));
    }
    assert_string_equal(buf_cstr(&out), expected);
    buf_release(&out);
}

struct buf rounds_print(struct scene *scene)
{
    struct buf out;

    buf_init(&out, 1 << 16);
    for (uint32_t i = 0; i < rounds_count(scene); i++) {
        const struct ledger_entry *entry = rounds_entry(scene, i);

        buf_printf(&out, "%s %" PRIu64 "/%" PRIu32 " role %u rounds %" PRIu32 "-%" PRIu32
                   " seen %" PRIu32 " tries %" PRIu32 " regressed %" PRIu32 " cause %" PRIu32
                   " streak %" PRIu32 " doubt %d first %" PRIu32 " %.*s:%" PRIu32 " %.*s\n",
                   finding_state_word(entry->state), entry->fingerprint, entry->ordinal,
                   entry->role, entry->round_first, entry->round_last, entry->rounds_seen,
                   entry->tries, entry->regressions, entry->cause_round, entry->streak,
                   entry->doubt, entry->line_first, STR_ARG(entry->finding.file),
                   entry->finding.line, STR_ARG(entry->finding.text));
        for (uint32_t k = 0; k < entry->vote_count; k++) {
            const struct vote *vote = &entry->votes[k];

            buf_printf(&out, "    %u %.*s %" PRIu32 " %s %.*s:%" PRIu32 " %.*s\n", vote->role,
                       STR_ARG(vote->by), vote->round, vote->stands ? "stands" : "fell",
                       STR_ARG(vote->finding.file), vote->finding.line,
                       STR_ARG(vote->finding.text));
        }
    }
    assert_false(out.overflow);
    return out;
}
