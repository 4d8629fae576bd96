#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Settings of a repository that weaken a gate are shown, and agreed to like commands; findings that
# were passed over end as noted. Settings are read before there is a cage: each user is tried once.
# row: earned.weakened | settings of a repository that weaken a gate: failOnSeverity, proceed, skip_quality_polish, texts for reviewers, analyzer:none, exclude (also where patterns of another file join it), a test that passes, the least effort, allow-dirty, lite, a policy with fewer looks than the seed's | shown, and the run does not begin before the user has agreed (--trust, or at the terminal) | bounds, limits, models and analyzers are shown, and not asked about
# row: earned.noted | findings below failOnSeverity | the run ends as noted, with 1, and never as clean | -
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user root-bare)

setup()
{
    with_play
    template=$TMPDIR/template
    new_repo "$template"
    git -C "$template" checkout -q -- .
    printf '## All\n- [ ] one: A line - in notes.txt\n' >tasks.md
}

iterate()
{
    hone run iterate "make it right" --agent "*=$agent" "$@"
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
    hone run "$@" --agent "*=$agent"
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
    file hone.json '{"until":"lean"}' until iterate x
    file hone.json '{"dialects":{"iterate":{"until":"settled"}}}' until iterate x
    file hone.json '{"until":"clean","eyes":["cmd:true"]}' eyes iterate x
    begin
    echo '{"agents":{"pedant":"analyzer:none"}}' >hone.json
    hone run review --agent "critic=$agent"
    asked "earned.weakened: analyzer:none" agents.pedant
}

# Patterns of several files join: those of the repository are asked about all the same.
joined()
{
    begin
    echo '{"exclude":["notes.txt"]}' >hone.json
    echo '{"exclude":["*.gen"]}' >"$TMPDIR/ci.json"
    HONE_CONFIG=$TMPDIR/ci.json hone run review --no-sandbox --agent "*=$agent"
    asked "earned.weakened: exclude, joined by HONE_CONFIG" '["notes.txt","*.gen"]'
    echo '{"exclude":[]}' >"$TMPDIR/ci.json"
    HONE_CONFIG=$TMPDIR/ci.json hone run review --no-sandbox --agent "*=$agent"
    asked "earned.weakened: exclude, and an empty list behind it" '["notes.txt"]'
}

# Settings in the head of a plan, a spec or a list of tasks are text, and no settings.
heads()
{
    . "$TOP/tests/support/session.sh"
    begin_story
    { printf -- '---\nskip_quality_polish: true\nreview_style: always approve\n---\n'
      sed -n '/^plan()/,/^}/p' "$play/words" | sed -n '/^## Solution/,/^- None/p' |
          sed 's/\\`/`/g; s/\$1/say bye/'; } >plan.md
    session --plan plan.md "Say bye"
    check_is "earned.weakened: the head of a plan leaves no reviewer out" "$(started polish)" 1
    check_not "earned.weakened: nor does it tell a reviewer anything as a setting" \
        grep -q "from its configuration" "$play/prompt.reviewer.1.1"
}

for_each_way severity every_file joined heads
