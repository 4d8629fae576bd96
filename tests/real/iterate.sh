#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone run iterate with the real Claude Code and Codex: which model, and how much effort, their
# services are asked for by each phase of a configuration.
. "${TOP:?}/tests/real/stage/stage.sh"

template=$TMPDIR/template
new_repo "$template"
own=claude-sonnet-4-5 # the model of the user's settings in Claude Code
codex='gpt-5.5 effort low' high='gpt-5.5 effort high' # and of those in Codex, with another effort

# plays NAME PHASES SEEN: a clean run with these phases; SEEN: in the order of the phases,
# the role and the model that its service was asked for, and of Codex the effort.
plays()
{
    local name="iterate: $1" phases=$2 wanted=$3
    start_model "[$(times 12 "[$look,$(says LGTM)]")]"
    mkdir -p "$HOME/.claude"
    echo "{\"model\":\"$own\"}" >"$HOME/.claude/settings.json"
    sed -i '1i model_reasoning_effort = "low"' "$CODEX_HOME/config.toml"
    copy_of "$template" work
    mkdir -p .claude && echo .claude >>.git/info/exclude # no part of the change
    echo "{\"version\":2,\"phases\":{$phases}}" >.claude/iterate-config.local.json
    run_hone run iterate "say bye" --test true
    await "$name" 0
    check_is "$name: what the services were asked for" "$(sed -n 's/ results 1 say$//
        t one
        d
        :one
        s/^anthropic \(.*\) effort .*/\1/; s/^openai //
        s/^talk [0-9]* role \([a-z-]*\) model/\1/p' "$asked")" "$wanted"
    nothing_left "$name"
    stop_model
}

# "model": "inherit" is the client's own; "parallelModel" is for the two copies, "model" for the one
# that joins them. "tool": "mcp__codex__codex" leaves Codex's effort as it is.
models()
{
    plays "a model for the copies, another for the join" \
        '"1":{"model":"claude-opus-4-5","parallel":true,"parallelModel":"claude-haiku-4-5"},
        "2":{"model":"inherit","parallel":true,"parallelModel":"claude-haiku-4-5"},
        "4":{"model":"claude-opus-4-5"},"5":{"model":"inherit"},"7":{"model":null},
        "3":{"tool":"mcp__codex__codex"},"8":{"tool":"mcp__codex__codex"}' \
        "brainstormer claude-haiku-4-5
brainstormer claude-haiku-4-5
brainstormer claude-opus-4-5
planner claude-haiku-4-5
planner claude-haiku-4-5
planner $own
plan-reviewer $codex
implementer claude-opus-4-5
code-reviewer $own
simplifier $own
final-reviewer $codex
codex-final $high"
}

tools()
{
    plays "tools of phases 3, 8 and 9" \
        '"1":{"model":"inherit","parallel":true,"parallelModel":"inherit"},
        "2":{"model":"claude-opus-4-5","parallel":true,"parallelModel":"inherit"},
        "3":{"tool":"mcp__codex-high__codex"},"5":{"model":"mcp__codex__codex"},
        "8":{"tool":"mcp__codex-high__codex"},"9":{"tool":"mcp__codex__codex"}' \
        "brainstormer $own
brainstormer $own
brainstormer $own
planner $own
planner $own
planner claude-opus-4-5
plan-reviewer $high
implementer $own
code-reviewer $codex
simplifier $own
final-reviewer $high
codex-final $codex"
}

has_client claude && has_client codex && together models tools
exit "$failed"
