#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# --fleet ssh:HOST: a run of each dialect whose agents play on another machine ends as it does here:
# the same tree, the same contract files, the same findings. The other machine is another home on
# this one: an ssh of the story's own starts hone there.
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
