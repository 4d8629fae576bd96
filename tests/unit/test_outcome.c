/* SPDX-License-Identifier: Apache-2.0
 *
 * test_outcome.c - what the end of an attempt means, as a table: facts, and what comes of them. */
#include "drive/outcome.h"

#include "test.h"

#include <errno.h>
#include <string.h>

/* A dialect that understands three words. */
static void judge_word(const struct run_view *run, const struct action *action, struct str answer,
                       struct arena *arena, struct result *out)
{
    (void)run, (void)action;
    if (str_is(answer, "good")) {
        *out = (struct result){ .verdict = VERDICT_CLEAN };
    } else if (str_is(answer, "bad")) {
        *out = (struct result){ .verdict = VERDICT_FINDINGS, .finding_count = 1 };
    } else if (str_is(answer, "stuck")) {
        *out = (struct result){ .verdict = VERDICT_CLEAN, .stuck = true };
    } else {
        *out = (struct result){ .verdict = VERDICT_INVALID };
        out->problem = str_of(arena_printf(arena, "not a word: %.*s", STR_ARG(answer)));
    }
}

static void judge_found(const struct run_view *run, const struct action *action,
                        const struct found *found, struct arena *arena, struct result *out)
{
    (void)run, (void)action, (void)arena;
    *out = (struct result){ .verdict = found->count ? VERDICT_FINDINGS : VERDICT_CLEAN,
                            .finding_count = found->count };
}

static const struct dialect words = { .judge = judge_word, .found = judge_found };
static const struct backend backend = { .name = "claude", .install = "npm i it", .login = "log" };
static const struct agent agent = { .backend = &backend, .argument = "", .spec = "claude:x" };
static const struct run_settings settings = { .time_ms_max = 60000, .wait_ms_max = 120000 };

#define SAYS(word) .said = { .text = { (word), sizeof(word) - 1 } }
#define REPORTS(word) .has_report = true, .report = { .text = { (word), sizeof(word) - 1 } }
#define EXITS(status) .notice = { .by = ENDED_EXIT, .value = (status), .ended_ms = 1000 }
#define ENDS(how, number) .notice = { .by = (how), .value = (number), .ended_ms = 1000 }
#define STREAM(how, ...) .streamed = true, .reading = { .end = (how), .tool_calls = 1, \
    .commands = 1, .has_result = true, .message = { "why", 3 }, __VA_ARGS__ }

#define PROOF(...) .proof = { .wanted = true, __VA_ARGS__ }

static const struct str unread = { "late.c", 6 };

#define WANTED(is, ...) .wanted = { .verdict = VERDICT_##is, __VA_ARGS__ }

static const struct {
    const char *name;
    struct facts facts;
    enum purpose purpose;
    struct result wanted; /* verdict, failure, basis, permanent, retry_at_ms, stuck */
    const char *problem;  /* a part of it */
} cases[] = {
    /* programs */
    { "status 0 means answered", { EXITS(0), SAYS("good") }, WANTED(CLEAN) },
    { "its findings count", { EXITS(0), SAYS("bad") }, WANTED(FINDINGS) },
    { "an answer in another form is invalid", { EXITS(0), SAYS("hm") },
      WANTED(INVALID), .problem = "not a word: hm" },
    { "an empty answer is never clean", { EXITS(0) }, WANTED(INVALID) },
    { "an answer that cannot be read is invalid", { EXITS(0), .said = { .rc = ERR_LIMIT,
      .problem = "too long" } }, WANTED(INVALID), .problem = "too long. Answer in" },
    { "another status is never a verdict", { EXITS(1), SAYS("good"), .last_words = "boom" },
      WANTED(FAILED, .failure = FAILURE_EXIT), .problem = "status 1: boom" },
    { "127 is a program that is not there", { EXITS(127) },
      WANTED(FAILED, .failure = FAILURE_MISSING, .permanent = true),
      .problem = "it comes with: npm i it" },
    { "so is a sandbox that could not run it", { EXITS(1), .sandboxed = true,
      .last_words = "bwrap: execvp claude: No such file" },
      WANTED(FAILED, .failure = FAILURE_MISSING, .permanent = true) },
    { "137 has a hint", { EXITS(137) }, WANTED(FAILED, .failure = FAILURE_EXIT),
      .problem = "no memory left" },
    { "a sandbox that kept it from something", { EXITS(1), .cage = "has no network" },
      WANTED(FAILED, .failure = FAILURE_CAGE, .permanent = true),
      .problem = "claude:x has no network" },
    { "a signal", { ENDS(ENDED_SIGNAL, 9), SAYS("good") },
      WANTED(FAILED, .failure = FAILURE_SIGNAL), .problem = "was killed by signal 9" },
    { "a limit is named with its value", { ENDS(ENDED_TIME, 0) },
      WANTED(FAILED, .failure = FAILURE_TIME), .problem = "time limit of 1m (--timeout" },
    { "a stop", { ENDS(ENDED_STOP, 0) },
      WANTED(FAILED, .failure = FAILURE_STOPPED), .problem = "was stopped" },
    { "no program to start", { ENDS(ENDED_START, ENOENT) },
      WANTED(FAILED, .failure = FAILURE_MISSING, .permanent = true), .problem = "it comes with" },
    { "one that hung has last words", { ENDS(ENDED_SILENT, 0), .last_words = "waiting" },
      WANTED(FAILED, .failure = FAILURE_SILENT), .problem = ": waiting" },
    { "what hone knows by itself comes first", { EXITS(0), SAYS("good"),
      .failure = FAILURE_START, .permanent = true, .problem = "no work tree" },
      WANTED(FAILED, .failure = FAILURE_START, .permanent = true),
      .problem = "no work tree" },

    /* reports by MCP */
    { "a report alone counts", { EXITS(0), REPORTS("good") }, WANTED(CLEAN) },
    { "of two the worse counts: the report", { EXITS(0), SAYS("good"), REPORTS("bad") },
      WANTED(FINDINGS) },
    { "of two the worse counts: the answer", { EXITS(0), SAYS("bad"), REPORTS("good") },
      WANTED(FINDINGS) },
    { "an answer in a wrong form outweighs a report", { EXITS(0), SAYS("hm"), REPORTS("good") },
      WANTED(INVALID) },
    { "prose does not", { EXITS(0), SAYS("hm"), REPORTS("good"), .prose = true },
      WANTED(CLEAN) },
    { "prose that names a fault beside a report that passes is no review",
      { EXITS(0), SAYS("Done.\nA buffer overflow in line 3, critical.\n"), REPORTS("good"),
        .prose = true }, .purpose = FOR_REVIEW, WANTED(INVALID), .problem = "line 2 of your last" },
    { "nor is one of a checkpoint",
      { EXITS(0), SAYS("- [HIGH] the lock is missing"), REPORTS("good"), .prose = true },
      .purpose = FOR_CHECKPOINT, WANTED(INVALID), .problem = "line 1 of your last" },
    { "prose that denies one is none", { EXITS(0), SAYS("No critical issues."), REPORTS("good"),
      .prose = true }, .purpose = FOR_REVIEW, WANTED(CLEAN) },
    { "a worker may speak of faults", { EXITS(0), SAYS("There is a leak in line 3."),
      REPORTS("good"), .prose = true }, .purpose = FOR_WORK, WANTED(CLEAN) },
    { "a report that is stuck", { EXITS(0), SAYS("good"), REPORTS("stuck") },
      WANTED(CLEAN, .stuck = true) },

    /* other bases than the answer */
    { "a reviewer that changed the tree", { EXITS(0), SAYS("good"),
      .basis = BASIS_TREE_CHANGED, .basis_what = "modified a.c" },
      WANTED(INVALID, .basis = BASIS_TREE_CHANGED), .problem = "(modified a.c)" },
    { "a tree that drifted", { EXITS(0), SAYS("good"), .basis = BASIS_TREE_DRIFTED },
      WANTED(INVALID, .basis = BASIS_TREE_DRIFTED), .problem = "as it is now" },
    { "one that drifts again and again", { EXITS(0), SAYS("good"), .basis = BASIS_TREE_WILD },
      WANTED(FAILED, .failure = FAILURE_EXIT, .basis = BASIS_TREE_WILD,
      .permanent = true), .problem = "keeps changing" },
    { "a work tree that is gone", { EXITS(0), SAYS("good"), .basis = BASIS_TREE_GONE },
      WANTED(FAILED, .failure = FAILURE_EXIT, .basis = BASIS_TREE_GONE) },
    { "a guard's place", { EXITS(0), SAYS("good"), .basis = BASIS_GUARD, .basis_what = "told" },
      WANTED(INVALID, .basis = BASIS_GUARD), .problem = "told" },
    { "one that did not answer failed by that", { EXITS(1), .basis = BASIS_TREE_CHANGED },
      WANTED(FAILED, .failure = FAILURE_EXIT) },

    /* roles and backends that are asked once */
    { "asked once: invalid", { EXITS(0), SAYS("hm"), .asked_once = true },
      WANTED(INVALID, .permanent = true) },
    { "asked once: failed", { EXITS(1), .asked_once = true },
      WANTED(FAILED, .failure = FAILURE_EXIT, .permanent = true) },
    { "asked once: but hone stopped it", { ENDS(ENDED_STOP, 0), .asked_once = true },
      WANTED(FAILED, .failure = FAILURE_STOPPED) },
    { "asked once: but its worker is lost", { ENDS(ENDED_STOP, 0), .asked_once = true,
      .failure = FAILURE_LOST, .problem = "its worker is lost" },
      WANTED(FAILED, .failure = FAILURE_LOST) },
    { "asked once: but another changed its tree", { EXITS(0), SAYS("good"), .asked_once = true,
      .basis = BASIS_TREE_DRIFTED },
      WANTED(INVALID, .basis = BASIS_TREE_DRIFTED) },
    { "asked once: and it changed the tree itself", { EXITS(0), SAYS("good"), .asked_once = true,
      .basis = BASIS_TREE_CHANGED },
      WANTED(INVALID, .basis = BASIS_TREE_CHANGED, .permanent = true) },
    { "asked once: its service could not serve", { EXITS(1), .asked_once = true,
      STREAM(READING_RATE), .ask_again_ms = 5000 },
      WANTED(FAILED, .failure = FAILURE_RATE, .retry_at_ms = 5000) },

    /* streams */
    { "a stream that is well", { EXITS(0), STREAM(READING_OK), SAYS("good") }, FOR_REVIEW,
      WANTED(CLEAN) },
    { "a stream that has no text in its result", { EXITS(0), STREAM(READING_MISSING) },
      WANTED(FAILED, .failure = FAILURE_EXIT, .miss = MISS_EMPTY) },
    { "a stream of other lines", { EXITS(0), STREAM(READING_PROTOCOL) },
      WANTED(FAILED, .failure = FAILURE_EXIT, .miss = MISS_STREAM) },

    /* proof of reading */
    { "a reviewer that looked at nothing", { EXITS(0), STREAM(READING_OK), SAYS("good"),
      PROOF(.told = true, .idle = true) }, FOR_REVIEW,
      WANTED(INVALID, .basis = BASIS_UNREAD, .miss = MISS_UNREAD),
      .problem = "You used no tool" },
    { "one that left a file out is told which", { EXITS(0), STREAM(READING_OK), SAYS("good"),
      PROOF(.told = true, .unread = &unread, .unread_count = 1) }, FOR_REVIEW,
      WANTED(INVALID, .basis = BASIS_UNREAD, .miss = MISS_UNREAD),
      .problem = "shown as a diff: late.c. Read" },
    { "so is a command", { EXITS(0), SAYS("bad"),
      PROOF(.told = true, .unread = &unread, .unread_count = 1) }, FOR_REVIEW,
      WANTED(INVALID, .basis = BASIS_UNREAD, .miss = MISS_UNREAD), .problem = "late.c" },
    { "one that looked at all counts", { EXITS(0), SAYS("good"), PROOF(.told = true) }, FOR_REVIEW,
      WANTED(CLEAN, .proof = PROOF_READ) },
    { "one that tells nothing counts, and that is said", { EXITS(0), SAYS("bad"), PROOF() },
      FOR_REVIEW, WANTED(FINDINGS, .proof = PROOF_MISSING) },
    { "with a rule it does not", { EXITS(0), SAYS("good"), PROOF(.required = true) }, FOR_REVIEW,
      WANTED(INVALID, .basis = BASIS_UNREAD, .miss = MISS_UNREAD), .problem = "HONE_EVIDENCE" },
    { "a broken answer needs no proof", { EXITS(0), SAYS("hm"), PROOF() }, FOR_REVIEW,
      WANTED(INVALID), .problem = "not a word" },
    { "a worker is not asked for it", { EXITS(0), STREAM(READING_OK), SAYS("good") }, FOR_WORK,
      WANTED(CLEAN) },
    { "a stream that cannot be read", { EXITS(0), STREAM(READING_OK), SAYS("good"),
      .reading_rc = ERR_LIMIT, .reading_problem = "too long" },
      WANTED(INVALID), .problem = "could not be read: too long" },
    { "no login", { EXITS(1), STREAM(READING_LOGIN, .permanent = true) },
      WANTED(FAILED, .failure = FAILURE_LOGIN, .permanent = true),
      .problem = "(log in: log)" },
    { "a rate limit is waited for", { EXITS(1), STREAM(READING_RATE, .retry_at_ms = 9000),
      .ask_again_ms = 9000 }, WANTED(FAILED, .failure = FAILURE_RATE,
      .retry_at_ms = 9000), .problem = "asked too often, until 1970" },
    { "not for ever", { EXITS(1), STREAM(READING_OVERLOAD) },
      WANTED(FAILED, .failure = FAILURE_OVERLOAD, .permanent = true),
      .problem = "waits at most 2m" },
    { "the network", { EXITS(1), STREAM(READING_NETWORK) },
      WANTED(FAILED, .failure = FAILURE_NETWORK), .problem = "is there a network" },
    { "a network that a sandbox closed", { EXITS(1), STREAM(READING_NETWORK), .cage = "has none" },
      WANTED(FAILED, .failure = FAILURE_CAGE, .permanent = true) },
    { "the rest of the budget was all", { EXITS(1), STREAM(READING_BUDGET),
      .budget_was_all = true }, WANTED(FAILED, .failure = FAILURE_BUDGET,
      .permanent = true) },
    { "its own limit of money", { EXITS(1), STREAM(READING_BUDGET, .permanent = true) },
      WANTED(FAILED, .failure = FAILURE_EXIT, .permanent = true) },
    { "a stream that broke off: stderr says more", { EXITS(3), .streamed = true,
      .reading = { .end = READING_MISSING }, .last_words = "boom" },
      WANTED(FAILED, .failure = FAILURE_EXIT), .problem = "status 3: boom" },
    { "a limit", { ENDS(ENDED_TIME, 0), STREAM(READING_OTHER) },
      WANTED(FAILED, .failure = FAILURE_TIME) },
    { "a limit while its service could not serve", { ENDS(ENDED_TIME, 0), .streamed = true,
      .reading = { .end = READING_OVERLOAD }, .ask_again_ms = 7000 },
      WANTED(FAILED, .failure = FAILURE_OVERLOAD, .retry_at_ms = 7000) },

    /* roles that hone plays */
    { "a test that fails has answered", { EXITS(1), SAYS("bad"), .builtin = true,
      .builtin_kind = BUILTIN_COMMAND }, WANTED(FINDINGS) },
    { "a command that could not be run has not", { EXITS(127), .builtin = true,
      .builtin_kind = BUILTIN_COMMAND, .last_words = "sh: no" },
      WANTED(FAILED, .failure = FAILURE_EXIT, .permanent = true),
      .problem = "could not be run: sh: no" },
    { "a test around a repair passes", { EXITS(0), .builtin = true,
      .builtin_kind = BUILTIN_COMMAND }, FOR_PROOF, WANTED(CLEAN) },
    { "or fails, by any status", { EXITS(127), .builtin = true, .builtin_kind = BUILTIN_COMMAND,
      .last_words = "sh: no" }, FOR_PROOF, WANTED(FINDINGS), .problem = "status 127: sh: no" },
    { "a limit is no pass", { ENDS(ENDED_TIME, 0), .builtin = true,
      .builtin_kind = BUILTIN_COMMAND }, FOR_PROOF, WANTED(FINDINGS), .problem = "time limit of" },
    { "stopped, it has said nothing", { ENDS(ENDED_STOP, 0), .builtin = true,
      .builtin_kind = BUILTIN_COMMAND }, FOR_PROOF, WANTED(FAILED, .failure = FAILURE_STOPPED) },
    { "a commit that fails", { EXITS(1), .builtin = true, .builtin_kind = BUILTIN_COMMIT,
      .last_words = "hook" }, WANTED(FAILED, .failure = FAILURE_EXIT,
      .permanent = true), .problem = "the commit could not be made: hook" },
    { "an output that cannot be read", { EXITS(0), .builtin = true,
      .builtin_kind = BUILTIN_INTEGRATE, .said = { .rc = ERR_LIMIT, .problem = "long" } },
      WANTED(FAILED, .failure = FAILURE_OUTPUT), .problem = "long" },
    { "a scan has findings", { EXITS(0), .builtin = true, .builtin_kind = BUILTIN_SCAN,
      .said = { .text = { "[]", 2 }, .findings = true } }, WANTED(INVALID),
      .problem = "no list of findings" },
    { "a scan of nothing", { EXITS(0), .builtin = true, .builtin_kind = BUILTIN_SCAN,
      .said = { .text = STR("{\"findings\":[],\"unseen\":true}"), .findings = true } },
      WANTED(NOT_PLAYED), .problem = "nothing to look at" },
};

/* Texts that a row leaves out are empty, as facts.c has them. */
static struct facts whole(const struct facts *row, const struct action *action,
                          const struct mask *mask)
{
    struct facts facts = *row;
    const char **const texts[] = { &facts.last_words, &facts.cage, &facts.host, &facts.basis_what,
                                   &facts.problem, &facts.reading_problem, &facts.said.problem };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!*texts[i]) *texts[i] = "";
    }
    if (!facts.said.text.data) facts.said.text = STR("");
    if (!facts.report.text.data) facts.report.text = STR("");
    if (!facts.reading.message.data) facts.reading.message = STR("");
    facts.dialect = &words;
    facts.settings = &settings;
    facts.mask = mask;
    facts.action = action;
    facts.agent = &agent;
    return facts;
}

TEST(every_row_of_the_table)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct action action = { .kind = ACT_START, .purpose = cases[i].purpose };
        struct mask mask = { 0 };
        struct facts facts = whole(&cases[i].facts, &action, &mask);
        const struct result *wanted = &cases[i].wanted;
        struct arena arena = { 0 };
        struct outcome out;

        outcome(&facts, &arena, &out);
        if (out.result.verdict != wanted->verdict || out.result.failure != wanted->failure ||
            out.result.basis != wanted->basis || out.result.permanent != wanted->permanent ||
            out.result.retry_at_ms != wanted->retry_at_ms || out.result.stuck != wanted->stuck ||
            out.result.proof != wanted->proof || result_miss(&out.result) != result_miss(wanted)) {
            fail_msg("%s: %s, failure %s, basis %s, %s, again at %u", cases[i].name,
                     verdict_word(out.result.verdict), failure_word(out.result.failure),
                     basis_word(out.result.basis), out.result.permanent ? "for good" : "not so",
                     (unsigned)out.result.retry_at_ms);
        }
        if (cases[i].problem) {
            const char *problem = arena_cstr(&arena, out.result.problem);

            if (!strstr(problem, cases[i].problem)) fail_msg("%s: %s", cases[i].name, problem);
        }
        assert_true(str_is(out.result.by, "claude"));
        arena_release(&arena);
    }
}

TEST(what_is_judged_and_what_is_said_of_it_is_masked)
{
    static const char secret[] = "gh" "p_Qx7Zp2Lm9Rt4Vw8Ks3Yb6Nd1Hf5Gj0Ce2Ua8";
    struct action action = { .kind = ACT_START };
    struct mask mask = { 0 };
    struct facts row = { EXITS(0), .said = { .text = { secret, sizeof secret - 1 } } }, facts;
    struct arena arena = { 0 };
    struct outcome out;

    facts = whole(&row, &action, &mask);
    outcome(&facts, &arena, &out);
    assert_null(strstr(arena_cstr(&arena, out.result.problem), secret));
    row = (struct facts){ EXITS(1), .last_words = secret };
    facts = whole(&row, &action, &mask);
    outcome(&facts, &arena, &out);
    assert_null(strstr(arena_cstr(&arena, out.result.problem), secret));
    arena_release(&arena);
}

TEST(the_text_that_counted_is_told)
{
    struct action action = { .kind = ACT_START };
    struct mask mask = { 0 };
    struct facts row = { EXITS(0), SAYS("good"), REPORTS("bad") }, facts;
    struct arena arena = { 0 };
    struct outcome out;

    facts = whole(&row, &action, &mask);
    outcome(&facts, &arena, &out);
    assert_true(str_is(out.counted, "bad"));
    facts.has_report = false;
    outcome(&facts, &arena, &out);
    assert_true(str_is(out.counted, "good"));
    facts.notice.value = 1;
    outcome(&facts, &arena, &out);
    assert_int_equal(out.counted.size, 0);
    arena_release(&arena);
}

TEST(an_agent_of_a_host_is_told_by_the_hosts_word)
{
    struct action action = { .kind = ACT_START };
    struct mask mask = { 0 };
    struct facts row = { EXITS(0), SAYS("good"), .host = "codex-subagent" }, facts;
    struct arena arena = { 0 };
    struct outcome out;

    facts = whole(&row, &action, &mask);
    outcome(&facts, &arena, &out);
    assert_true(str_is(out.result.by, "codex-subagent"));
    arena_release(&arena);
}
