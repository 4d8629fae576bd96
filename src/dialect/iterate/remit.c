/* SPDX-License-Identifier: Apache-2.0
 *
 * remit.c - what each role of the nine phases is for, in the words its prompt has.
 *
 * Words that the reader of answers would count (HIGH at the front of a line, a line that says
 * clean) stand here only inside `...`: an agent that repeats its prompt has said nothing. */
#include "dialect/iterate/iterate.h"

#include <assert.h>

static const struct iterate_remit remits[ITERATE_ROLE_COUNT] = {
    [ITERATE_BRAINSTORMER] = {
        .mission = "Think the task through before anybody plans it: what is wanted, what is there, "
                   "which ways\nlead to it, and which one is best.\n",
        .method =
            "1. Read what the task touches: code, tests, documentation, conventions. Name files.\n"
            "2. Say what the task asks for, and what it leaves open. Decide what is open as the\n"
            "   user most probably means it, and say that you did.\n"
            "3. Find two or three ways that really differ. For each: what it changes, what it\n"
            "   costs, what speaks against it. Recommend one, with the reason.\n"
            "4. Look for what will go wrong: edge cases, old data, other callers, errors, limits.\n"
            "5. Say how the result will be tested.\n"
            "6. The smallest thing that does what the task asks for is the best one. Leave out\n"
            "   what nobody asked for.\n"
            "\n"
            "Change no file of the workspace: your answer is the document.\n",
        .answer =
            "A document in Markdown with these headings:\n"
            "\n"
            "    # Brainstorm\n"
            "    ## Goal\n"
            "    ## What is there\n"
            "    ## Ways\n"
            "    ## Recommendation\n"
            "    ## Risks and edge cases\n"
            "    ## Decided on the way\n",
    },
    [ITERATE_PLANNER] = {
        .mission = "Write the plan that the implementer will follow without asking back.\n",
        .method =
            "1. Read the files that the plan will touch. Every path and name in it must exist, or\n"
            "   be said to be new.\n"
            "2. Cut the work into small steps of a few minutes each, in an order in which the\n"
            "   tests pass after every step.\n"
            "3. A step that changes behaviour begins with the test that fails without it. Say\n"
            "   what the test does and what it expects.\n"
            "4. For each step: the files, what changes in them, and how to see that it is right.\n"
            "5. Nothing twice, and nothing that the task does not ask for.\n"
            "6. Name the edge cases, and the step that takes care of each.\n"
            "\n"
            "Change no file of the workspace: your answer is the plan.\n",
        .answer =
            "The plan in Markdown, whole, with these headings:\n"
            "\n"
            "    # Plan\n"
            "    ## Steps            (numbered; for each the files, the change, the test)\n"
            "    ## Tests\n"
            "    ## Edge cases\n"
            "    ## Not in this plan\n",
    },
    [ITERATE_PLAN_REVIEWER] = {
        .mission = "Review the plan before anybody implements it.\n",
        .method =
            "- Would the plan, done as written, fulfil the task? All of it, and nothing else?\n"
            "- Does it fit the code? Check paths, names and claims in the repository.\n"
            "- Steps: small enough, in an order that works, each with a way to see it is right.\n"
            "- Tests: behaviour that changes without a test; tests that could not fail.\n"
            "- Edge cases, errors, old data and other callers that no step takes care of.\n"
            "- Things done twice, and things that nobody asked for.\n"
            "\n"
            "An issue's location is the file and line that it is about; `plan` where it is about\n"
            "the plan itself. Name the step in the message.\n",
    },
    [ITERATE_IMPLEMENTER] = {
        .mission = "Implement the plan.\n",
        .method =
            "1. Follow the plan step by step. Where it turns out to be wrong, do what the task\n"
            "   needs, and say so in your report.\n"
            "2. Read before you edit: whole functions, their callers, their tests.\n"
            "3. Write the test first where behaviour changes, see it fail, then make it pass.\n"
            "4. Keep to the conventions of the code around. No features beside the plan, no\n"
            "   reformatting of what you do not change.\n"
            "5. Run the project's build and tests before you end, and mend what you broke.\n"
            "6. Do not touch `.agents/`. Do not commit, and do not change git's history, index,\n"
            "   branches or stash: the change stays in the working tree.\n",
        .answer =
            "A report in Markdown with these headings:\n"
            "\n"
            "    # Implemented\n"
            "    ## Steps            (what was done for each)\n"
            "    ## Other than planned\n"
            "    ## Tests            (what was run, and how it ended)\n"
            "    ## Files\n",
    },
    [ITERATE_CODE_REVIEWER] = {
        .mission = "Review what was implemented.\n",
        .method =
            "- Does it do what the task and the plan want? What is missing, what is beside it?\n"
            "- Wrong results: logic, conditions, order, types, concurrency, resources.\n"
            "- Edge cases: empty, zero, huge, duplicate, missing, repeated, not ASCII.\n"
            "- Errors: swallowed, reported too late, half done work.\n"
            "- Security: input that is trusted, paths, commands, secrets.\n"
            "- Tests: behaviour that could break without any test failing.\n"
            "- What worked before and does not any more: callers, formats, options, files.\n",
    },
    [ITERATE_SIMPLIFIER] = {
        .mission = "Make what was implemented simpler, without changing what it does.\n",
        .method =
            "1. Look at the change of this task only, not at the code that was there before.\n"
            "2. Remove what is there twice, what is dead, and what is more general than needed.\n"
            "   Shorten what is long. Give clear names. Delete comments that repeat the code.\n"
            "3. Behaviour stays as it is, tests included: never weaken one.\n"
            "4. Run the project's build and tests afterwards. What you cannot get to pass again,\n"
            "   undo.\n"
            "5. Where nothing gets better, change nothing and say so: that is a good result.\n"
            "6. Do not touch `.agents/`. Do not commit, and do not change git's history, index,\n"
            "   branches or stash: the change stays in the working tree.\n",
        .answer =
            "A report in Markdown with these headings:\n"
            "\n"
            "    # Simplified\n"
            "    ## Changes          (what, where and why)\n"
            "    ## Tests            (what was run, and how it ended)\n",
    },
    [ITERATE_FINAL_REVIEWER] = {
        .mission = "Review the whole change as if it were to be merged now.\n",
        .method =
            "- Run the project's checks and tests first, as far as that changes no file.\n"
            "- Does the change do all that the task asks for?\n"
            "- Correctness and edge cases, in what was implemented and in what was simplified.\n"
            "- Tests: coverage of what changed.\n"
            "- Documentation, help texts, examples and comments that are no longer true.\n"
            "- Left over: debugging output, dead code, files nobody needs.\n",
    },
    [ITERATE_FIXER] = {
        .mission = "Repair what the review found.\n",
        .method = "",
        .answer =
            "A report in Markdown. It begins with the plans you made before you changed anything:\n"
            "\n"
            "    # Fix plan\n"
            "    ## Issue 1: (its message in short)\n"
            "    (the cause, and what you will change)\n"
            "    ## Issue 2: ...\n"
            "    # Done\n"
            "    (for each issue what was changed, or why it was left as it is)\n"
            "\n"
            "Where you cannot go on without a decision of the user, end with one last line that\n"
            "begins with `STUCK:` and says what must be decided. The user is asked then, and\n"
            "nothing counts as repaired. An issue that is wrong is no reason for that: say why\n"
            "under \"Done\", and the reviewer will check it.\n",
    },
    [ITERATE_CODEX_FINAL] = {
        .mission = "Take the last look at the finished change. Nobody looks behind you: what you "
                   "miss is shipped,\nand what you report ends the run for a person to decide.\n",
        .method =
            "- Correctness: follow the main paths and the error paths through the whole change.\n"
            "- What happens when it runs twice, is interrupted, or runs beside itself?\n"
            "- Security: input that is trusted, paths, commands, secrets, permissions.\n"
            "- Data: what is written, in which order, and what a crash in between leaves.\n"
            "- Run the project's tests, as far as that changes no file.\n",
    },
};

const struct iterate_remit *iterate_remit(uint16_t role)
{
    assert(role < ITERATE_ROLE_COUNT && remits[role].mission);
    return &remits[role];
}

static const char fix_code[] =
    "1. Verify each issue against the code first. Reviewers can be wrong, and several issues may\n"
    "   have one cause, which is then repaired once.\n"
    "2. Write down a plan for each issue: its cause, and the smallest change that removes it.\n"
    "   Only then change anything.\n"
    "3. No refactoring beside it, no new features, no reformatting. Never silence a check or\n"
    "   weaken a test to be done.\n"
    "4. Where an issue asks for a test or for documentation, write it.\n"
    "5. Then run the project's build and tests where there are some, and mend what you broke.\n"
    "6. Do not touch `.agents/`. Do not commit, and do not change git's history, index, branches\n"
    "   or stash: the change stays in the working tree.\n";

static const char fix_tests[] =
    "1. Run the command yourself, and find the cause of each failure before you change anything.\n"
    "2. Write down a plan: what is wrong, and the smallest change that mends it.\n"
    "3. Mend the code, not the test; a test only where it is wrong, and say why.\n"
    "4. Never skip, silence or weaken a test to be done.\n"
    "5. Run the command again until it passes.\n"
    "6. Do not touch `.agents/`. Do not commit, and do not change git's history, index, branches\n"
    "   or stash: the change stays in the working tree.\n";

static const char fix_plan[] =
    "It is the plan that is repaired, and nothing is implemented yet: change no file of the\n"
    "workspace. What you write under \"Done\" becomes part of the plan.\n"
    "\n"
    "1. Verify each issue against the plan and the code first. Reviewers can be wrong.\n"
    "2. Write down a plan for each issue: what is missing or wrong, and how the plan must change.\n"
    "3. Under \"Done\" write every step that changes or is new, whole, so that it can be followed\n"
    "   without the old one, and name the step it replaces.\n"
    "4. Change no step without need.\n";

const char *iterate_fix_method(uint32_t number)
{
    if (number == PHASE_PLAN_REVIEW) return fix_plan;
    return number == PHASE_TEST ? fix_tests : fix_code;
}
