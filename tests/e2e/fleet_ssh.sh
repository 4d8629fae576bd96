#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# --fleet ssh:HOST: a run of each dialect whose agents play on another machine ends as it does here:
# the same tree, the same contract files, the same findings. The other machine is another home on
# this one: an ssh of the story's own starts hone there. What an agent runs into there is said as it
# is here.
. "${TOP:?}/tests/support/story.sh"

mkdir -p "$TMPDIR/bin" "$TMPDIR/there/.config/hone"
echo '{"rights":{"tmp":true}}' >"$TMPDIR/there/.config/hone/config.json"
ln -s "$HONE" "$TMPDIR/bin/hone"
cat >"$TMPDIR/bin/ssh" <<END
#!/bin/sh
echo "\$*" >>"$TMPDIR/ssh.log"
[ "\$1 \$2" = "-o BatchMode=yes" ] || exit 255
shift 3
cd / && HOME="$TMPDIR/there" exec sh -c "\$*"
END
chmod +x "$TMPDIR/bin/ssh"
PATH=$TMPDIR/bin:$PATH
out=$TMPDIR/out
err=$TMPDIR/err

# same NAME ARGUMENTS...: here and there, from one template; end_files says what is compared.
same()
{
    local name=$1 where status
    shift
    for where in here there; do
        cp -R "$TMPDIR/template" "$TMPDIR/$name.$where"
        cd "$TMPDIR/$name.$where" || exit 1
        if [ "$where" = there ]; then
            timeout -k 5 120 "$HONE" run "$@" --fleet ssh:box >"$out" 2>"$err"
        else
            timeout -k 5 120 "$HONE" run "$@" >"$out" 2>"$err"
        fi
        status=$?
        end_files | sed "s|$PWD|HERE|g" >"$TMPDIR/$name.$where.files"
        echo "exit $status" >>"$TMPDIR/$name.$where.files"
        findings_alike >"$TMPDIR/$name.$where.findings"
        [ "$status" = 0 ] || sed 's/^/    /' "$err"
    done
    check "$name: the end" diff "$TMPDIR/$name.here.files" "$TMPDIR/$name.there.files"
    check "$name: the findings" diff "$TMPDIR/$name.here.findings" "$TMPDIR/$name.there.findings"
    check_has "$name: it played there" <(cat .git/hone/runs/*/*/worker 2>/dev/null) ' '
    check_is "$name: nothing was left to the worker's chance" \
        "$(grep -c 'starts again' "$err")" "$(grep -c 'asked again' "$err")"
}

# ---- review ----

new_repo "$TMPDIR/template"
end_files()
{
    contract_files .
    cat notes.txt
    git status --porcelain
}
# shellcheck disable=SC2154 # of story.sh
same review review "a task" --no-sandbox --agent "*=$reviewer" --agent "review-fixer=$fixer"
check_is "ssh: how it is called" "$(sort -u "$TMPDIR/ssh.log")" \
    "-o BatchMode=yes box hone worker --lines"

# ---- iterate ----

mkdir "$TMPDIR/template/.claude"
cat >"$TMPDIR/template/.claude/iterate-config.local.json" <<'END'
{"version": 2, "phases": {"1": {"parallel": false}, "2": {"parallel": true}}}
END
git -C "$TMPDIR/template" add -A && git -C "$TMPDIR/template" commit -q -m settings
looks="cmd:if grep -q defect notes.txt; then echo 'HIGH notes.txt:2 a defect is left'"
looks+="; else echo 'No issues found.'; fi"
end_files()
{
    sed -e 's/"startedAt": "[^"]*"/"startedAt": "T"/' .agents/iteration-state.json
    cat notes.txt
}
same iterate iterate "a task" --lite --test true --no-sandbox --agent '*=cmd:echo done' \
    --agent 'plan-reviewer=cmd:echo No issues found.' --agent "code-reviewer=$looks" \
    --agent 'final-reviewer=cmd:echo No issues found.' --agent "fixer=$fixer"

# ---- cycles: its agents' work is committed ----

rm -rf "$TMPDIR/template"
new_repo "$TMPDIR/template"
git -C "$TMPDIR/template" commit -q -a -m clean
looks="cmd:if grep -q fixed notes.txt; then echo '## Grade: PASS'"
looks+="; else echo 'notes.txt:1 - not fixed'; echo; echo '## Grade: WARN'; fi"
end_files()
{
    git log --format=%s
    git status --short
    find out -type f | LC_ALL=C sort | while read -r file; do
        echo "== $file"
        sed -e 's/^created_at: .*/created_at: T/' "$file"
    done
}
same cycles cycles "a task" --session-dir out --no-sandbox --agent "spec-reviewer=$looks" \
    --agent 'implementer=cmd:echo built >built.txt; echo done' \
    --agent 'spec-fixer=cmd:echo fixed >notes.txt; echo done'

# Its agents may commit themselves: their commits come along, on the branch.
same commits cycles "a task" --session-dir out --no-sandbox --agent "spec-reviewer=$looks" \
    --agent 'implementer=cmd:echo built >built.txt; git add . && git commit -q -m own; echo done' \
    --agent 'spec-fixer=cmd:echo fixed >notes.txt; git commit -q -a -m mended; echo done'
check_has "commits: the agent's own" <(git log --format=%s) own

# ---- session ----

# shellcheck disable=SC2016 # for the agent's shell
player='approve() { printf "### VERDICT: APPROVE\n\n### Strengths\n- short\n"; }
case $HONE_ROLE-$HONE_PHASE in
executor-*)
    grep -q "bye $HONE_PHASE" notes.txt || echo "bye $HONE_PHASE" >>notes.txt
    printf "## Implementation Complete: bye\n\n### Changes Made\na\n\n"
    printf "### Files Modified / Created / Deleted\n- \`notes.txt\` - b\n\n"
    printf "### Deviations from Plan\nNone\n\n### Notes for Reviewer\nc\n" ;;
polish-*)
    if grep -q "bye polish" notes.txt; then approve; else
        printf "### VERDICT: REQUEST_CHANGES\n\n### Issues\n- [CRITICAL] too short\n"
        printf "  File: \`notes.txt\`, around line 1\n\n### Strengths\n- short\n"
    fi ;;
*) approve ;;
esac'
end_files()
{
    cat notes.txt
    git status --short
    find .review-loop -type f | sed 's/[0-9a-f]\{8\}-[-0-9a-f]*/UUID/' | LC_ALL=C sort
    sed -e '/^| [a-z]/s/| [^|]* |$/| T |/' -e '/(not taken)/d' \
        -e "s/[0-9a-f]\{8\}-[-0-9a-f]\{27\}/UUID/g" .review-loop/sessions/*.md |
        sed "/[0-9]:[0-9][0-9]/d"
}
same session session "a task" --review-only --stop-after before-docs --no-sandbox \
    --agent "*=cmd:$player"

# ---- loops: tasks in lanes ----

rm -rf "$TMPDIR/template"
mkdir -p "$TMPDIR/template" && cd "$TMPDIR/template" || exit 1
git init -q -b main .
echo text >notes.txt
git add . && git commit -q -m first
# shellcheck disable=SC2016
player='case $HONE_ROLE in
builder)
    [ -e "$HONE_TASK_ID.txt" ] && touch good.txt
    echo "$HONE_TASK_ID" >"$HONE_TASK_ID.txt"
    echo TASK_COMPLETE ;;
loop-reviewer)
    if [ "$HONE_TASK_ID" = b ] && [ "$HONE_ROUND" = 1 ]; then
        printf "{\"passed\":false,\"interpretedIntent\":\"x\",\"issues\":[{\"file\":\"b.txt\","
        echo "\"line\":1,\"type\":\"dead-code\",\"description\":\"no\",\"suggestion\":\"more\"}]}"
    else
        echo "{\"passed\":true,\"intentSatisfied\":true,\"issues\":[]}"
    fi ;;
*) echo "{\"passed\":true,\"intentSatisfied\":true,\"issues\":[]}" ;;
esac'
printf '%s\n' '# one' '- [ ] a: Add a' '- [ ] b: Add b' '# two' '- [ ] c: Add c' \
    >"$TMPDIR/tasks.md"
end_files()
{
    git log --reverse --first-parent --format=%s main | sed 's/^Merge [^:]*: //'
    cat -- *.txt
    git status --porcelain
    git worktree list | wc -l
    git for-each-ref --format='%(refname)'
    "${SUPPORT:?}/sql" .git/hone/journal.db "select id || ' ' || status || ' ' || group_name
        from tasks order by position"
    "${SUPPORT:?}/sql" .git/hone/journal.db "select task_id || ' ' || passed || ' ' || count(*)
        from loop_reviews group by task_id, passed order by task_id, passed"
}
same loops loops --tasks "$TMPDIR/tasks.md" --no-sandbox --agent "*=cmd:$player"

# ---- an agent that hangs, or is not there: said as it is here ----

rm -rf "$TMPDIR/template"
new_repo "$TMPDIR/template"
echo '{"limits":{"start":"2s","first":"4s"}}' >"$TMPDIR/template/hone.json"
git -C "$TMPDIR/template" add hone.json && git -C "$TMPDIR/template" commit -q -m limits

# ends NAME SPEC KIND WORDS: how a critic of that SPEC ends, and how often it was started.
ends()
{
    rm -rf "$TMPDIR/ends" && cp -R "$TMPDIR/template" "$TMPDIR/ends" && cd "$TMPDIR/ends" || exit 1
    timeout -k 5 120 "$HONE" run review --json --fleet ssh:box --agent "*=cmd:echo '$clean'" \
        --agent "critic=$2" >"$out" 2>"$err"
    check_is "$1: exit" $? 3
    check_has "$1: its kind" "$out" "\"failure\":\"$3\""
    check_has "$1: words" "$out" "$4"
    starts=$(grep -c '"event":"start".*"role":"critic"' "$out")
}

# client COMMANDS: what claude is on the other machine.
client()
{
    printf '#!/bin/sh\n%s\n' "$1" >"$TMPDIR/bin/claude"
    chmod +x "$TMPDIR/bin/claude"
}

client 'echo "a warning" >&2; sleep 600'
ends "it hangs at its start" claude silent \
    'did not begin within 2s (limits.start in hone.json): a warning'
check_is "it hangs at its start: once more, and no more" "$starts" 2
client 'echo "{\"type\":\"system\",\"subtype\":\"init\",\"model\":\"m\"}"
echo "no network" >&2; sleep 600'
ends "its model does not answer" claude first \
    'its model did not answer within 4s (limits.first in hone.json): no network'
rm "$TMPDIR/bin/claude"
ends "it is not installed there" claude missing \
    'claude is not on the PATH; it comes with: npm install'
check_is "it is not installed there: not asked again" "$starts" 1
client ''
sed -i '1s|.*|#!/nonexistent|' "$TMPDIR/bin/claude"
ends "it cannot be started there" claude missing 'could not be started: No such file or directory'
check_has "it cannot be started there: where" "$out" '"problem":"worker '
check_is "it cannot be started there: not asked again" "$starts" 1
rm "$TMPDIR/bin/claude"

# ---- stopped, and killed: no agent outlives the run; what had ended is not played again ----

rm -rf "$TMPDIR/template"
new_repo "$TMPDIR/template"
# Agents leave their ids in the worker's own folder; the critic and two others end, the rest stay.
marks=$TMPDIR/there/marks
begins="echo \$\$ >$marks/\$HONE_ROLE.\$HONE_ATTEMPT"
stays="$begins; case \$HONE_ROLE.\$HONE_ATTEMPT in pedant.1 | witness.1) exec sleep 300;; esac"
stays+="; echo '$clean'"

# at_work: when three have ended and two are at work.
at_work()
{
    until [ "$(ls .git/hone/runs/*/*/status 2>/dev/null | wc -l)" = 3 ] &&
        [ "$(ls "$marks" 2>/dev/null | wc -l)" = 5 ]; do
        kill -0 "$1" 2>/dev/null || return 1
        sleep 0.05
    done
}

# gone SECONDS: whether the two agents are, within so long.
gone()
{
    local until_s=$((SECONDS + $1)) pid
    for pid in $(cat "$marks/pedant.1" "$marks/witness.1"); do
        while kill -0 "$pid" 2>/dev/null; do
            [ $SECONDS -le $until_s ] || return 1
            sleep 0.05
        done
    done
}

left()
{
    local how=$1 seconds=$2 pid status
    rm -rf "$marks" && mkdir -p "$marks"
    cp -R "$TMPDIR/template" "$TMPDIR/$how" && cd "$TMPDIR/$how" || exit 1
    "$HONE" run review --fleet ssh:box --agent "*=cmd:$stays" >"$out" 2>"$err" &
    pid=$!
    check "$how: two are at work" at_work $pid
    kill "-$how" $pid
    check "$how: their agents end" gone "$seconds"
    wait $pid 2>/dev/null
    timeout -k 5 120 "$HONE" resume >"$out" 2>"$err"
    status=$?
    check_is "$how: a resume goes on" "$status" 0
    check_is "$how: only those two are played again" \
        "$(cd "$marks" && echo *.2)" "pedant.2 witness.2"
}

# The sandbox has ids of its own for processes.
sed -i "s|exec sh -c .*|exec sh -c \"\$* --no-sandbox --slots 8\"|" "$TMPDIR/bin/ssh"
left TERM 8
left KILL 65
exit $failed
