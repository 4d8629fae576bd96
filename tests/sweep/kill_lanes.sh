#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Lanes, killed: hone, its supervisor and its helpers die at each call of git in turn, before it and
# after it. From every such state a resume ends as if nothing had happened: nothing is lost, nothing
# is done twice, and the user's checkout is whole.
. "${TOP:?}/tests/support/story.sh"

lanes=${SUPPORT:?}/lanes
git=$(command -v git)
mkdir -p "$TMPDIR/bin"

# A git that counts its calls by hone, and at one of them ends everything hone has started.
cat >"$TMPDIR/bin/git" <<END
#!/bin/sh
[ -n "\$DIE_AT" ] && [ -z "\$HONE_ROLE" ] || [ "\$HONE_ROLE" = integrator ] || exec $git "\$@"
at=\$({ flock 9; echo x >>"$TMPDIR/calls"; wc -l <"$TMPDIR/calls"; } 9>"$TMPDIR/calls.lock")
die()
{
    : >"$TMPDIR/died"
    kill -9 \$(cat "$TMPDIR/hone.pid") \$PPID 2>/dev/null
    sleep 0.2
    exit 1
}
[ "\$at" = "\$DIE_AT" ] && [ "\$DIE_WHEN" = before ] && die
$git "\$@"
status=\$?
[ "\$at" = "\$DIE_AT" ] && [ "\$DIE_WHEN" = after ] && die
exit \$status
END
chmod +x "$TMPDIR/bin/git"

cat >"$TMPDIR/build.sh" <<'END'
if grep -q '^conflict'; then
    sed -i '/^<<<<<<< /d; /^=======$/d; /^>>>>>>> /d' notes.txt
elif [ ! -e "$HONE_TASK_ID.txt" ]; then
    sed -i "s/two/two $HONE_TASK_ID/" notes.txt
    echo "$HONE_TASK_ID" >"$HONE_TASK_ID.txt"
fi
echo done
END

begin()
{
    rm -rf "$TMPDIR/repo" "$TMPDIR/calls" "$TMPDIR/died"
    mkdir -p "$TMPDIR/repo" && cd "$TMPDIR/repo" || exit 1
    "$git" init -q -b main .
    printf 'one\ntwo\nthree\n' >notes.txt
    echo gone >gone.txt
    "$git" add . && "$git" commit -q -m first
    echo dirty >dirty.txt
}

# In a shell of its own, so that its death is not talked about.
run_lanes()
{
    bash -c 'echo $$ >"$TMPDIR/hone.pid"; PATH="$TMPDIR/bin:$PATH" exec "$@"' sh "$lanes" "$@" \
        >>"$TMPDIR/out.log" 2>&1
}

# The checkout after a death: every file is as some commit of HEAD's history, or the next, has it.
story()
{
    local at=$1 when=$2 name="killed $2 call $1" status tries=0

    begin
    export DIE_AT=$at DIE_WHEN=$when
    run_lanes run 2 2 "cmd:sh $TMPDIR/build.sh" 'cmd:echo pass'
    status=$?
    unset DIE_AT DIE_WHEN
    [ -e "$TMPDIR/died" ] || return 1
    while [ $status != 0 ] && [ $tries -lt 4 ]; do
        sleep 0.1
        if [ -e .git/hone/journal.db ] && "$HONE" list 2>/dev/null | grep -q lanes; then
            run_lanes resume
        else
            run_lanes run 2 2 "cmd:sh $TMPDIR/build.sh" 'cmd:echo pass'
        fi
        status=$?
        tries=$((tries + 1))
    done
    check_is "$name: it ends clean" "$status" 0
    check_is "$name: both sides" "$(sort notes.txt | tr '\n' ' ')" "one three two t1 two t2 "
    check_is "$name: all files" "$(cat t1.txt t2.txt dirty.txt | tr '\n' ' ')" "t1 t2 dirty "
    check_is "$name: each task once" "$("$git" log --format=%s | grep -c '^task ')" 2
    check_is "$name: nothing else changed" \
        "$("$git" status --short -uall | grep -v '^?? .agents/')" "?? dirty.txt"
    check_is "$name: nothing is left" \
        "$("$git" worktree list | wc -l) $("$git" for-each-ref | wc -l)" "1 1"
    check "$name: no lock" test ! -e .git/index.lock
}

call=${FROM:-1}
step=${STEP:-7}
while :; do
    story "$call" before || break
    story "$call" after || break
    call=$((call + step))
done
check "it was killed at many calls" test "$call" -gt 40

exit $failed
