#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# --fleet ssh:HOST: a run of each dialect whose agents play on another machine ends as it does here:
# the same tree, the same contract files, the same findings. The other machine is another home on
# this one: an ssh of the story's own starts hone there. What an agent runs into there is said as it
# is here.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/small_runs.sh"

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

# same NAME: the run of small_runs.sh here and there; end_files says what is compared.
same()
{
    local name=$1 where status
    for where in here there; do
        cp -R "$TMPDIR/template" "$TMPDIR/$name.$where"
        cd "$TMPDIR/$name.$where" || exit 1
        if [ "$where" = there ]; then
            timeout -k 5 120 "$HONE" run "${run[@]}" --fleet ssh:box >"$out" 2>"$err"
        else
            timeout -k 5 120 "$HONE" run "${run[@]}" >"$out" 2>"$err"
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

small_review
same review
check_is "ssh: how it is called" "$(sort -u "$TMPDIR/ssh.log")" \
    "-o BatchMode=yes box hone worker --lines"
small_iterate
same iterate
small_cycles
same cycles # its agents' work is committed
small_cycles 'git add . && git commit -q -m own' 'git commit -q -a -m mended'
same commits # they commit themselves: their commits come along, on the branch
check_has "commits: the agent's own" <(git log --format=%s) own
small_session
same session
small_loops
same loops

# ---- doctor: what is wrong with the other machine, and what to do ----

# doctor_says NAME COMMAND WORDS: where COMMAND is what ssh does.
doctor_says()
{
    mkdir -p "$TMPDIR/wrong"
    printf '#!/bin/sh\nshift 3\n%s\n' "$2" >"$TMPDIR/wrong/ssh" && chmod +x "$TMPDIR/wrong/ssh"
    PATH=$TMPDIR/wrong:$PATH timeout -k 5 60 "$HONE" fleet doctor ssh:box >"$out" 2>"$err"
    check_is "doctor: $1: exit" $? 3
    check_has "doctor: $1: said" "$err" "$3"
    check_not "doctor: $1: no word of the inside" grep -q carrier "$err"
}

doctor_says "no hone there" 'PATH=/nonexistent; exec "$@"' \
    "hone is not on the PATH of a command by ssh at box"
check_has "doctor: whose words they are" "$err" 'box: '
doctor_says "no login" 'printf "Permission denied (publickey).\\r\\n" >&2; exit 255' \
    "ssh could not log in at box: try 'ssh box true'"
check_has "doctor: ssh's words" "$err" 'box: Permission denied (publickey).'
doctor_says "an old hone" 'echo "hone: unknown verb" >&2; exit 2' "the hone at box is too old"
timeout -k 5 60 "$HONE" fleet doctor ssh:box >"$out" 2>"$err"
check_is "doctor: all is well: exit" $? 0
check_is "doctor: one verdict" "$(tail -n 1 "$out")" "All is well."

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

template_new
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

# shown: another process of that machine says who is busy there, and by whose run.
shown()
{
    local tries=0
    until "$HONE" fleet show ssh:box >"$TMPDIR/shown" 2>&1 &&
        [ "$(grep -c ' ago$' "$TMPDIR/shown")" = 2 ]; do
        [ $((tries += 1)) -lt 50 ] || break
        sleep 0.1
    done
    check "shown: how many are at work" grep -qE '^[^ ]+  *default  *[^ ]+  *2  *8 ' "$TMPDIR/shown"
    check "shown: which, and whose" \
        grep -qE -e "-1  *pedant .*  $(uname -n)  .* ago" "$TMPDIR/shown"
}

left()
{
    local how=$1 seconds=$2 pid status
    rm -rf "$marks" && mkdir -p "$marks"
    cp -R "$TMPDIR/template" "$TMPDIR/$how" && cd "$TMPDIR/$how" || exit 1
    "$HONE" run review --fleet ssh:box --agent "*=cmd:$stays" >"$out" 2>"$err" &
    pid=$!
    check "$how: two are at work" at_work $pid
    [ "$how" = KILL ] || shown
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

# ---- the line breaks: agents there end with it ----

# The line has an end of its own: it breaks where that is killed. Where box.gone is, no box answers.
cat >"$TMPDIR/bin/ssh" <<END
#!/bin/sh
[ ! -e "$TMPDIR/box.gone" ] || { echo "ssh: no route to the box" >&2; exit 255; }
shift 3
exec 3<&0
sh -c 'echo \$\$ >"$TMPDIR/line.pid"; exec cat <&3' |
    (cd / && HOME="$TMPDIR/there" exec sh -c "\$* --no-sandbox --slots 8" 3<&-)
END

# broken NAME FILE: a run whose line breaks while two are at work; its number in $pid. FILE is made.
broken()
{
    rm -rf "$marks" && mkdir -p "$marks"
    cp -R "$TMPDIR/template" "$TMPDIR/$1" && cd "$TMPDIR/$1" || exit 1
    HONE_FLEET_LEASE_MS=1500 "$HONE" run review --fleet ssh:box --agent "*=cmd:$stays" \
        >"$out" 2>"$err" &
    pid=$!
    check "$1: two are at work" at_work $pid
    : >"$2"
    kill -9 "$(cat "$TMPDIR/line.pid")"
    check "$1: their agents end" gone 8
}

broken line "$TMPDIR/nothing"
wait $pid
check_is "line: the run goes on over the next one" $? 0
check_has "line: said" "$err" "the fleet's carrier has ended: it is started again"
check_is "line: only those two are played again" "$(cd "$marks" && echo *.2)" "pedant.2 witness.2"

broken box "$TMPDIR/box.gone"
wait $pid
check_is "box: one that stays away ends the run" $? 3
check_has "box: said" "$err" "the fleet ssh:box could not be reached for 15s"
check_has "box: ssh's own words stand there" "$err" "no route to the box"
rm "$TMPDIR/box.gone"
timeout -k 5 120 "$HONE" resume >"$out" 2>"$err"
check_is "box: a resume goes on" $? 0
check_is "box: only those two are played again" \
    "$(cd "$marks" && ls | sed -n '/1$/!s/[.].*//p' | tr '\n' ' ')" "pedant witness "
exit $failed
