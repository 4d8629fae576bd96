#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Who plays iterate's roles: what its configuration names comes before what hone would choose, and
# behind what --agent says.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/models.sh"

export HOME=$TMPDIR/home LOG=$TMPDIR/log
err=$TMPDIR/err
mkdir -p "$HOME" "$TMPDIR/bin"
cat >"$TMPDIR/bin/claude-says" <<'END'
#!/bin/sh
cat >/dev/null
model=default
while [ $# -gt 0 ]; do
    if [ "$1" = --model ]; then model=$2; fi
    shift
done
echo "$HONE_ROLE $HONE_COPY claude $model" >>"$LOG"
echo LGTM
END
cat >"$TMPDIR/bin/codex-says" <<'END'
#!/bin/sh
cat >/dev/null
effort=
model=
while [ $# -gt 0 ]; do
    case $1 in
    --model) model=" $2" ;;
    model_reasoning_effort=*) effort=" effort ${1#*=}" ;;
    esac
    shift
done
echo "$HONE_ROLE $HONE_COPY codex$model$effort" >>"$LOG"
echo LGTM
END
chmod +x "$TMPDIR/bin/claude-says" "$TMPDIR/bin/codex-says"
stand_in_claude "$TMPDIR/bin/claude" "$TMPDIR/bin/claude-says \"\$@\""
stand_in_codex "$TMPDIR/bin/codex" "$TMPDIR/bin/codex-says \"\$@\""
export PATH=$TMPDIR/bin:$PATH
new_repo "$TMPDIR/repo"
mkdir .claude below

# plays NAME CONFIGURATION WANTED ARGUMENTS...: a clean run, in which those in WANTED (lines)
# played.
plays()
{
    local name=$1 config=$2 wanted=$3
    shift 3
    printf '%s' "$config" >.claude/iterate-config.local.json
    : >"$LOG"
    "$HONE" -C below run iterate "do it" --no-sandbox --test true "$@" >"$err" 2>&1
    check_is "$name: exit" "$?" 0
    check_is "$name: who played" "$(sort "$LOG")" "$(printf '%s\n' "$wanted" | sort)"
}

plays "nothing configured" '{}' "brainstormer 1 claude default
brainstormer 2 claude default
brainstormer 0 claude default
planner 1 claude default
planner 2 claude default
planner 0 claude default
plan-reviewer 1 codex
implementer 1 claude default
code-reviewer 1 claude default
simplifier 1 claude default
final-reviewer 1 codex
codex-final 1 codex effort high"
check_has "nothing configured: said before it starts" "$err" "codex-final codex (effort high)"

# "mcp__codex-high__codex" asks codex for high effort, "mcp__codex__codex" leaves it alone; another
# backend gets no effort by it, and what was said of efforts by name comes first.
quick='"1":{"parallel":false},"2":{"parallel":false}'
rest="brainstormer 1 claude default
planner 1 claude default
implementer 1 claude default
simplifier 1 claude default"
plays "efforts by tools" "{\"phases\":{$quick,\"3\":{\"tool\":\"mcp__codex-xhigh__codex\"},
\"5\":{\"model\":\"mcp__codex-low__codex\"},\"8\":{\"tool\":\"mcp__codex-high__codex\"},
\"9\":{\"tool\":\"mcp__codex__codex\"}}}" "$rest
plan-reviewer 1 codex effort xhigh
code-reviewer 1 codex effort low
final-reviewer 1 codex effort high
codex-final 1 codex"
plays "efforts: another agent has none of it" "{\"phases\":{$quick}}" "$rest
plan-reviewer 1 codex
code-reviewer 1 claude default
final-reviewer 1 codex
codex-final 1 codex big" --agent codex-final=codex:big
plays "efforts: a flag wins" \
    "{\"phases\":{$quick,\"8\":{\"tool\":\"mcp__codex-high__codex\"}}}" "$rest
plan-reviewer 1 codex
code-reviewer 1 claude default
final-reviewer 1 codex effort low
codex-final 1 codex effort medium" --agent-effort final-reviewer=low \
    --agent-effort codex-final=medium
echo '{"efforts":{"codex-final":"low","final-reviewer":"low"}}' >hone.json
plays "efforts: so does hone.json" \
    "{\"phases\":{$quick,\"8\":{\"tool\":\"mcp__codex-high__codex\"}}}" "$rest
plan-reviewer 1 codex
code-reviewer 1 claude default
final-reviewer 1 codex effort low
codex-final 1 codex effort low"
rm hone.json
"$HONE" config show iterate >"$err" 2>&1
check_has "efforts: shown by config" "$err" "built-in (codex, effort high)"
"$HONE" config show iterate --json >"$err" 2>&1
check_has "efforts: and in JSON" "$err" '"means": "codex, effort high"'

plays "models and tools" '{"phases":{"1":{"model":"opus","parallelModel":"haiku"},
"2":{"parallelModel":"haiku"},"3":{"tool":"inherit"},"4":{"model":"sonnet"},
"5":{"model":"mcp__codex__codex"},"8":{"tool":"claude-review"}}}' "brainstormer 1 claude haiku
brainstormer 2 claude haiku
brainstormer 0 claude opus
planner 1 claude haiku
planner 2 claude haiku
planner 0 claude default
plan-reviewer 1 claude default
implementer 1 claude sonnet
code-reviewer 1 codex
simplifier 1 claude default
final-reviewer 1 claude default
codex-final 1 codex effort high"

# "model" null or "inherit" is the run's own; "parallelModel" is for copies, "model" for the join.
plays "null and inherit" '{"phases":{"1":{"model":null,"parallelModel":"opus"},
"2":{"model":"opus","parallelModel":null},"4":{"model":"inherit"},"5":{"model":null},
"6":{"model":null},"7":{"model":"claude-opus-4-5[1m]"},"9":{"tool":null}}}' \
    "brainstormer 1 claude opus
brainstormer 2 claude opus
brainstormer 0 claude default
planner 1 claude default
planner 2 claude default
planner 0 claude opus
plan-reviewer 1 codex
implementer 1 claude default
code-reviewer 1 claude default
simplifier 1 claude claude-opus-4-5[1m]
final-reviewer 1 codex
codex-final 1 claude default"

plays "lite" '{"phases":{"1":{"parallel":false},"2":{"parallel":false,"model":"opus"}}}' \
    "brainstormer 1 claude default
planner 1 claude opus
plan-reviewer 1 claude default
implementer 1 claude default
code-reviewer 1 claude default
simplifier 1 claude default
final-reviewer 1 claude default" --lite

plays "named ones win" '{"phases":{"1":{"parallel":false,"model":"opus"},"2":{"parallel":false}}}' \
    "brainstormer 1 codex
planner 1 codex
plan-reviewer 1 claude big
implementer 1 codex
code-reviewer 1 codex
simplifier 1 codex
final-reviewer 1 codex
codex-final 1 codex" --agent '*=codex' --agent plan-reviewer=claude:big

# What is built in is no wish of the user: hone.json comes before it, and so does a program that is
# installed.
plain='{"phases":{"1":{"parallel":false},"2":{"parallel":false}}}'
echo '{"dialects":{"iterate":{"agents":{"plan-reviewer":"claude:big"}}}}' >hone.json
plays "hone.json" "$plain" "brainstormer 1 claude default
planner 1 claude default
plan-reviewer 1 claude big
implementer 1 claude default
code-reviewer 1 claude default
simplifier 1 claude default
final-reviewer 1 codex
codex-final 1 codex effort high"
echo '{"agents":{"*":"claude:all"}}' >hone.json
plays "what its own configuration names comes before hone.json" \
    '{"phases":{"1":{"parallel":false},"2":{"parallel":false},"3":{"tool":"mcp__codex__codex"}}}' \
    "brainstormer 1 claude all
planner 1 claude all
plan-reviewer 1 codex
implementer 1 claude all
code-reviewer 1 claude all
simplifier 1 claude all
final-reviewer 1 claude all
codex-final 1 claude all"
rm hone.json "$TMPDIR/bin/codex"
plays "no codex" "$plain" "brainstormer 1 claude default
planner 1 claude default
plan-reviewer 1 claude default
implementer 1 claude default
code-reviewer 1 claude default
simplifier 1 claude default
final-reviewer 1 claude default
codex-final 1 claude default"
check_has "no codex: who plays is said" "$err" "codex-final claude"
echo '{"phases":{"3":{"tool":"mcp__codex__codex"}}}' >.claude/iterate-config.local.json
"$HONE" run iterate "do it" --no-sandbox --test true >"$err" 2>&1
check_is "a codex that was asked for and is not there: exit" "$?" 2
check_has "is named" "$err" "codex is not on the PATH"

exit $failed
