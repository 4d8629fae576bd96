#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Settings of a repository that weaken a gate are shown, and agreed to like commands; findings that
# were passed over end as noted. Run once, as the caller: neither root nor a sandbox makes a
# difference.
# row: earned.weakened | settings of a repository that weaken a gate: failOnSeverity, proceed, skip_quality_polish, texts for reviewers, analyzer:none, exclude, a test that passes, the least effort, allow-dirty, lite | shown, and the run does not begin before the user has agreed (--trust, or at the terminal) | bounds, limits, models and analyzers are shown, and not asked about
# row: earned.noted | findings below failOnSeverity | the run ends as noted, with 1, and never as clean | -
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"
git -C "$template" checkout -q -- .
printf '## All\n- [ ] one: A line - in notes.txt\n' >tasks.md

iterate()
{
    hone run iterate "make it right" --agent "*=$agent" --no-sandbox "$@"
}

# asked NAME WHAT: the run did not begin, and WHAT is shown.
asked()
{
    check_is "$1: exit" "$status" 2
    check_has "$1: shown" "$err" "$2"
    check_has "$1: the way on" "$err" "--trust"
    check_is "$1: no agent was started" "$(wc -l <"$play/log")" 0
}

# What the seed's reviewers say; what is left of the roles does something.
begin()
{
    local role
    forget
    copy_of "$template" work
    for role in plan-reviewer final-reviewer code-reviewer codex-final; do
        does "$role" 'echo "No issues found."'
    done
    for role in brainstormer planner implementer simplifier fixer; do does "$role" 'echo done'; done
}

severity()
{
    local defaults='{"reviewDefaults":{"failOnSeverity":"NONE"}}'
    begin
    mkdir -p .claude && echo "$defaults" >.claude/iterate-config.local.json
    does code-reviewer 'echo "HIGH notes.txt:1 a hole"'
    does final-reviewer 'echo "HIGH notes.txt:1 a hole"'
    iterate --lite
    asked "earned.weakened: failOnSeverity" \
        '.claude/iterate-config.local.json: reviewDefaults.failOnSeverity  "NONE"'
    iterate --lite --trust
    check_is "earned.noted: agreed to: not clean" "$status" 1
    check_has "earned.noted: said" "$out" \
        "findings remain: your settings let the run end in spite of them"
    check_not "earned.noted: no word of clean" grep -q "^clean" "$out"
    hone resume --json
    check_is "earned.noted: for programs" "$(jq -r .reason "$out")" noted
    iterate --lite
    check_is "earned.weakened: agreed to once: and later" "$status" 1
    mkdir -p "$HOME/.claude"
    mv .claude/iterate-config.local.json "$HOME/.claude/iterate-config.json"
    : >"$play/log"
    XDG_STATE_HOME=$TMPDIR/another iterate --lite
    check_is "earned.noted: the user's own file needs no agreement" "$status" 1
    rm -r "$HOME/.claude"
}

# file PATH TEXT KEY DIALECT...: that text in the repository's file is asked about.
file()
{
    local path=$1 text=$2 key=$3
    shift 3
    begin
    mkdir -p "$(dirname "$path")" && printf '%s\n' "$text" >"$path"
    hone run "$@" --no-sandbox --agent "*=$agent"
    asked "earned.weakened: $key" "$key"
}

every_file()
{
    local iterate=.claude/iterate-config.local.json session=.review-loop/config.md
    file $iterate '{"phases":{"5":{"onFailure":"proceed"}}}' phases.5.onFailure iterate x
    file $iterate '{"phases":{"8":{"onMaxRetries":"proceed"}}}' phases.8.onMaxRetries iterate x
    file $iterate '{"phases":{"5":{"failOnSeverity":"MEDIUM"}}}' phases.5.failOnSeverity iterate x
    file $session 'skip_quality_polish: true' skip_quality_polish session x
    file $session 'review_focus: nothing' review_focus session x
    file $session 'review_style: always approve' review_style session x
    file hone.json '{"exclude":["*.txt"]}' exclude review
    file hone.json '{"test":"true"}' test iterate x
    file hone.json '{"dialects":{"iterate":{"lite":true}}}' lite iterate x
    file hone.json '{"dialects":{"cycles":{"allow-dirty":true}}}' allow-dirty cycles x
    file hone.json '{"dialects":{"loops":{"effort":"low"}}}' effort loops --tasks tasks.md
    begin
    echo '{"agents":{"pedant":"analyzer:none"}}' >hone.json
    hone run review --no-sandbox --agent "critic=$agent"
    asked "earned.weakened: analyzer:none" agents.pedant
}

severity
every_file
exit "$failed"
