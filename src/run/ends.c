/* SPDX-License-Identifier: Apache-2.0 */
#include "run/ends.h"

/* The line, and behind it the way on. */
#define SAYS(text) .line = (text), .stands = text
#define GOES_ON(text, way) .line = (text), .stands = text "; " way
#define HOSTED(text, way) .hosted = text "; " way
#define THERE "in Claude Code or Codex, the command that began it "

static const struct end ends[REASON_COUNT] = {
    [REASON_NONE] = {
        .word = "crashed",
        GOES_ON("was interrupted (crashed)", "'hone resume' continues it"),
        HOSTED("was interrupted (crashed)", "its host is gone; " THERE "continues it"),
        .meaning = "hone or the machine died in the middle of the run; nothing that was finished "
                   "is lost",
        .next = "hone resume goes on where it was",
    },
    [REASON_CLEAN] = {
        .word = "clean",
        SAYS("clean: the last review found nothing"),
        .meaning = "every reviewer of the last round looked at the work as it is now and found "
                   "nothing that fails it",
        .next = "look at what was changed (git diff) and commit it",
    },
    [REASON_CONVERGED] = {
        .word = "converged",
        SAYS("converged: nothing accepted is open, and little is expected to be left"),
        .meaning = "these eyes looked at the work as it is now and have nothing open; what they "
                   "are expected to have missed is little, not nothing: in simulation a grave "
                   "fault is left in about 3 of 10 such ends",
        .next = "look at what was changed (git diff) and commit it",
    },
    [REASON_SETTLED] = {
        .word = "settled",
        SAYS("settled: nothing accepted is open, but some is expected to be left"),
        .meaning = "these eyes looked at the work as it is now and find nothing more; so much was "
                   "found before that something is likely to be left: in simulation a grave fault "
                   "in about 5 of 10 such ends",
        .next = "look at what was changed (git diff); other eyes find more than one more round "
                "of the same (--eyes)",
    },
    [REASON_NOTED] = {
        .word = "passed over",
        SAYS("findings remain: your settings let the run end in spite of them"),
        .meaning = "the last review found something that your settings or your answer 'accept' do "
                   "not let fail the work",
        .next = "hone findings lists them; repair what you care about",
    },
    [REASON_BOUND] = {
        .word = "rounds used up",
        SAYS("findings remain: all rounds that were allowed are used up"),
        .meaning = "the last allowed review still found something",
        .next = "hone findings lists them; repair them, or start a new run: with more rounds "
                "(hone run --help names the option of each dialect), or with another fixer "
                "(--agent)",
    },
    [REASON_OSCILLATING] = {
        .word = "oscillating",
        SAYS("oscillating: each repair of one place leads to the next finding there"),
        .meaning = "new findings came up at one place in review after review: patching it does "
                   "not end; the end names the place",
        .next = "cut there instead of patching: take the change apart, or write that place anew; "
                "hone findings lists what is open",
    },
    [REASON_DIVERGING] = {
        .word = "diverging",
        SAYS("diverging: the repairs add as much as they resolve"),
        .meaning = "what is open did not get less in two rounds, and half of it or more lies in "
                   "what the last repair wrote",
        .next = "hone findings lists what is open; repair it yourself, or with another fixer "
                "(--agent)",
    },
    [REASON_STUCK] = {
        .word = "stuck",
        GOES_ON("stuck: what is left needs your help",
                "do what is missing, then 'hone resume' looks again"),
        HOSTED("stuck: what is left needs your help",
               "do what is missing, then " THERE "looks again"),
        .meaning = "an agent says that it can do no more, and the end and hone status name what it "
                   "said; or, with --until, repairs did not resolve what is left, or the fixer "
                   "gave a reason to leave something grave",
        .next = "do what it names; or repair what is left, or leave it with hone waive; then: hone "
                "resume",
    },
    [REASON_WAITING] = {
        .word = "waiting",
        GOES_ON("waiting for your answer", "'hone answer' goes on"),
        HOSTED("waiting for your answer", THERE "shows the question"),
        .meaning = "the run has a question that only you can answer; hone status shows it with "
                   "what may be chosen",
        .next = "hone answer CHOICE goes on with it",
    },
    [REASON_ESCALATED] = {
        .word = "to decide",
        GOES_ON("findings remain: you must decide", "'hone answer' goes on"),
        HOSTED("findings remain: you must decide", THERE "shows the question"),
        .meaning = "the rounds of a phase are used up and findings remain; the run has ended, and "
                   "can still be answered",
        .next = "hone status shows the choices, hone answer CHOICE goes on with one",
    },
    [REASON_BUDGET] = {
        .word = "budget spent",
        GOES_ON("the budget is spent: no more agents are started",
                "'hone resume --budget' continues it with more"),
        .meaning = "a limit of --budget is reached, so the work was left where it was",
        .next = "hone resume --budget MORE goes on with more",
    },
    [REASON_INTERRUPTED] = {
        .word = "interrupted",
        .line = "interrupted",
        .stands = "was stopped; 'hone resume' continues it",
        HOSTED("was stopped", THERE "continues it"),
        .meaning = "you stopped it: hone stop, Ctrl-C, or the machine shut down",
        .next = "hone resume goes on where it was",
    },
    [REASON_FAILED] = {
        .word = "failed",
        GOES_ON("failed: an agent could not run or kept breaking its contract",
                "'hone resume' tries again"),
        HOSTED("failed: an agent could not run or kept breaking its contract", THERE "tries again"),
        .meaning = "the work was not judged: an agent could not be started, could not answer, or "
                   "answered twice in a form that cannot be read",
        .next = "hone show says what it said; mend that, then: hone resume",
    },
    [REASON_PARTIAL] = {
        .word = "partial",
        SAYS("partial: nothing was found, but not every file was looked at"),
        .meaning = "a tool crashed at some files, took too long for them or could not read them; "
                   "the end names them with the reason",
        .next = "mend what is named, or let it pass with --allow-partial",
    },
    [REASON_UNSEEN] = {
        .word = "not reviewed",
        SAYS("not reviewed: no reviewer looked at anything"),
        .meaning = "there was no file of a kind that these reviewers read, or none that they could "
                   "look at: the end names those, with the reason",
        .next = "choose more files (--all, --since REV) or other reviewers (hone doctor lists "
                "them)",
    },
};

static const struct end looked = {
    .word = "only looked",
    SAYS("findings remain: nothing was fixed, as you asked"),
    .meaning = "with --no-fix a run ends behind its first review, and this one found something",
    .next = "hone findings lists them; hone fix repairs those that you choose",
};

static const struct end passed = {
    .word = "passed over",
    SAYS("nothing is open: what was found is waived, or less grave than --fail-on"),
    .meaning = "the last review found nothing but what your waivers or --fail-on let pass",
    .next = "hone findings lists it; look at what was changed (git diff) and commit it",
};

const struct end *run_end(enum reason reason)
{
    return &ends[reason];
}

const struct end *run_end_looked(void)
{
    return &looked;
}

const struct end *run_end_passed(void)
{
    return &passed;
}
