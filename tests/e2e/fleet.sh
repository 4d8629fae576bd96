#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# --fleet: agents play on other machines. Here a carrier of the tests' own plays them by a script
# (tests/support/carrier.c): what goes out, what comes back, and everything that can go wrong in
# between, as the driver sees it.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

carrier=${HONE%/*}/tests/support/carrier
fleet=cmd:$carrier
export CARRIER_DIR=$TMPDIR/carrier
template=$TMPDIR/template
new_repo "$template"
hidden_already

# begin_story RULES...: a copy of the tree, and a carrier that does so.
begin_story()
{
    copy_of "$template" work
    forget
    rm -rf "$CARRIER_DIR"
    mkdir -p "$CARRIER_DIR/answers"
    printf '%s\n' "$clean" >"$CARRIER_DIR/answer"
    printf '%s\n' "$@" >"$CARRIER_DIR/does"
}

# said KIND JOB.ATTEMPT: how often the driver said that.
said()
{
    grep -c "^$1 [^.]*\.$2\$" "$CARRIER_DIR/log"
}

plays_elsewhere()
{
    begin_story
    hone run review --fleet "$fleet" --agent '*=cmd:false'
    check_is "away: exit" "$status" 0
    check_has "away: said" "$err" "agents play on the fleet"
    check_is "away: no agent began here" "$(cat "$play/log")" ''
    check_is "away: each was sent once" "$(said job 1.1)$(said job 5.1)" 11
    check_is "away: each is forgotten when it is journaled" \
        "$(said forget 1.1)$(said forget 5.1)" 11
    check_is "away: the last word" "$(tail -n 1 "$CARRIER_DIR/log")" "bye "
    check_is "away: one carrier" "$(wc -l <"$CARRIER_DIR/starts")" 1
    check_is "away: what it said, with the paths of this machine" \
        "$(cat .git/hone/runs/*/1-1/stdout)" \
        "in $PWD, with $(cd .git/hone/runs/*/1-1 && pwd)/evidence"
    hone show --part worker "$(ls .git/hone/runs)" 1
    check_has "away: who played it" "$out" "w1 elsewhere"
    check_is "away: nothing is left of the way" \
        "$(find .git/hone/runs -name bundle -o -name fetched -o -name 'contract-*' \
            -o -name 'fleet-*')" ''
}

# The same answers lead to the same files, here and there.
same_as_here()
{
    begin_story
    printf '%s\n' "$found" >"$CARRIER_DIR/answers/critic"
    hone run review --fleet "$fleet" --agent '*=cmd:false' --no-fix
    check_is "same: exit there" "$status" 1
    contract_files . | sed "s/\"id\": *\"[^\"]*\"/ID/" >"$TMPDIR/there"
    copy_of "$template" here
    does critic 'cat "$play/found"'
    hone run review --agent "*=$agent" --no-fix
    check_is "same: exit here" "$status" 1
    contract_files . | sed "s/\"id\": *\"[^\"]*\"/ID/" >"$TMPDIR/here.files"
    check "same: the files" diff "$TMPDIR/here.files" "$TMPDIR/there"
}

lost()
{
    begin_story '1.1 lost' '1.2 lost'
    hone run review --fleet "$fleet" --agent '*=cmd:false'
    check_is "lost: exit" "$status" 0
    check_has "lost: why" "$err" "its worker is lost: its claim was not renewed"
    check_is "lost: asked for again at once" "$(said job 1.3)" 1
    begin_story '* lost'
    hone run review --fleet "$fleet" --agent '*=cmd:false'
    check_is "lost for good: exit" "$status" 3
    check_is "lost for good: five times in a row" "$(said job 1.5)$(said job 1.6)" 10
    echo '* play' >"$CARRIER_DIR/does"
    hone resume
    check_is "lost for good: a resume goes on" "$status" 0
}

comes_to_nothing()
{
    begin_story '1.1 refused' '2.1 problem' '3.1 exit 3' '4.1 strayed' '5.1 twice'
    hone run review --fleet "$fleet" --agent '*=cmd:false'
    check_is "nothing: exit" "$status" 0
    check_has "nothing: refused" "$err" "no worker can play it: it is too large"
    check_has "nothing: a worker's problem" "$err" "worker w1: its setup failed: no such thing"
    check_has "nothing: a status" "$err" "ended with status 3"
    check_has "nothing: a reviewer that changed its copy" "$err" "The work tree was changed"
    check_is "nothing: each was asked for again, the one that came twice not" \
        "$(for n in 1 2 3 4 5; do said job $n.2; done | tr -d '\n')" 11110
    check_is "nothing: the tree is as it was" "$(git status --porcelain)" " M notes.txt"
}

hostile()
{
    begin_story '1.1 garbage'
    hone run review --fleet "$fleet" --agent '*=cmd:false'
    check_is "garbage: exit" "$status" 0
    check_is "garbage: said once" "$(grep -c 'what is no line of a carrier' "$err")" 1
    begin_story '* cut'
    hone run review --fleet "$fleet" --agent '*=cmd:false'
    check_is "cut: exit" "$status" 3
    check_has "cut: said" "$err" "did not come whole"
    begin_story '1.1 nonce'
    limit=8 hone run review --fleet "$fleet" --agent '*=cmd:false'
    check_is "nonce: it does not count, and the attempt is asked for again" "$status" 0
    check_has "nonce: said" "$err" "has another nonce"
    check_is "nonce: it is told to stop" "$(said stop 1.1)" 1
}

fenced()
{
    begin_story '2.1 fenced'
    hone run review --fleet "$fleet" --agent '*=cmd:false'
    check_is "fenced: exit" "$status" 3
    check_has "fenced: said" "$err" "another hone goes on with this run"
    check_not "fenced: it says no more" grep -q '^bye\|^forget\|^stop' "$CARRIER_DIR/log"
}

carrier_ends()
{
    begin_story '2.1 die'
    (
        until [ -s "$CARRIER_DIR/starts" ] && [ "$(wc -l <"$CARRIER_DIR/starts")" -ge 3 ]; do
            sleep 0.05
        done
        echo '* play' >"$CARRIER_DIR/does"
    ) &
    hone run review --fleet "$fleet" --agent '*=cmd:false'
    wait
    check_is "carrier: it is started again" "$status" 0
    check_has "carrier: said" "$err" "the fleet's carrier has ended"
    begin_story
    hone run review --agent '*=cmd:false' \
        --fleet "cmd:[ -e ../tried ] || { touch ../tried; exit 1; }; exec '$carrier'"
    check_is "carrier: one that ends before it is ready" "$status" 0
    check_is "carrier: what waited for it is sent to the next" "$(said job 1.1)$(said ask 1.1)" 10
    begin_story '* half'
    hone run review --fleet "$fleet" --agent '*=cmd:false'
    check_is "carrier: one that ends in the middle of a result" "$status" 0
    check_is "carrier: the next is asked, and none is played again" \
        "$(said ask 1.1)$(grep -c '^job .*[.]2$' "$CARRIER_DIR/log")" 10
}

# unreached URL: a run with a carrier that never is ready, at a lease of half a second.
unreached()
{
    begin_story
    HONE_FLEET_LEASE_MS=500 hone run review --fleet "$1" --agent '*=cmd:false'
    check_is "never: exit ($1)" "$status" 3
    check_has "never: said, after two leases ($1)" "$err" "could not be reached for 1s"
    check_has "never: with the way out ($1)" "$err" "hone resume --fleet local goes on here"
}

# A carrier that ends again and again is given up by time, not by its number; so is a server that
# stays away, and a carrier that says all but that it is ready.
stays_away()
{
    unreached 'cmd:exit 1'
    check_has "never: it was tried again" "$err" "it is started again and again"
    hone resume --fleet local
    check_is "never: goes on here, where it fails as told" "$status" 3
    check_has "never: an agent of this machine" "$err" "cmd:false ended with status 1"
    for code in 2 127; do
        begin_story
        hone run review --fleet "cmd:echo why >&2; exit $code" --agent '*=cmd:false'
        check_is "never: exit, at once ($code)" "$status" 3
        check_has "never: said ($code)" "$err" "cannot be used: "
        check_not "never: and not tried again ($code)" grep -q "started again" "$err"
    done
    unreached "cmd:while echo '{\"m\":\"beat\"}'; do sleep 0.05; done"
    unreached 'cmd:while printf x; do :; done'
    unreached "cmd:exec >&-; exec sleep 100"
    unreached "cmd:exec <&-; while echo '{\"m\":\"beat\"}'; do sleep 0.05; done"
    unreached 'cmd:exec 2>&-; sleep 3 & exit 0'
    begin_story '1.1 away'
    HONE_FLEET_LEASE_MS=400 hone run review --fleet "$fleet" --agent '*=cmd:false'
    check_is "away: exit" "$status" 3
    check_has "away: said at once" "$err" "the fleet cannot be reached: no server answers"
    check_has "away: given up after ten leases" "$err" \
        "could not be reached for 4s: no server answers"
    rm "$CARRIER_DIR/away" "$CARRIER_DIR/does"
    hone resume
    check_is "away: a resume goes on" "$status" 0
    check_is "away: what had ended is not played again" "$(said job 2.2)$(said job 5.2)" 00
    check_is "away: what had not is" "$(said stop 1.1)$(said job 1.2)" 11
}

# Each carrier is there for two leases and ends then, eight times, while one attempt is at work.
drops_far_apart()
{
    begin_story '1.1 hold'
    (
        until [ -s "$CARRIER_DIR/starts" ] && [ "$(wc -l <"$CARRIER_DIR/starts")" -ge 9 ]; do
            sleep 0.05
        done
        echo nowhere >"$(echo "$CARRIER_DIR"/*.1.1/state)"
    ) &
    HONE_FLEET_LEASE_MS=300 hone run review --fleet "cmd:exec timeout 0.6 '$carrier'" \
        --agent '*=cmd:false'
    kill $! 2>/dev/null
    wait
    check_is "drops: exit" "$status" 0
    check_is "drops: said each time" "$(grep -c "the fleet's carrier has ended: it is started" \
        "$err")" "$(($(wc -l <"$CARRIER_DIR/starts") - 1))"
    check_is "drops: none is asked for twice, but the one that is lost" \
        "$(grep -c '^job .*[.]2$' "$CARRIER_DIR/log")" 1
}

# A driver that is killed: what had ended is fetched, what had not is stopped and asked for again.
driver_killed()
{
    begin_story '1.1 hold' '2.1 queue'
    "$HONE" run review --fleet "$fleet" --agent '*=cmd:false' >"$out" 2>"$err" &
    local pid=$!
    until [ "$(cat "$CARRIER_DIR"/*.[345].1/state 2>/dev/null)" = endedendedended ] &&
        [ -s "$(echo "$CARRIER_DIR"/*.2.1/state)" ]; do sleep 0.05; done
    kill -9 $pid
    wait $pid 2>/dev/null
    echo '* play' >"$CARRIER_DIR/does"
    hone resume
    check_is "killed: exit" "$status" 0
    check_is "killed: what had ended is not played again" \
        "$(said job 3.2)$(said job 4.2)$(said job 5.2)" 000
    check_is "killed: what had not is stopped and asked for again" \
        "$(said stop 1.1)$(said stop 2.1)$(said job 1.2)$(said job 2.2)" 1111
}

# Writers: their change comes to the tree as a whole, index and refs as they were.
write_script()
{
    cat >"$CARRIER_DIR/do" <<END
HONE_USER=$PWD
if [ "\$HONE_ROLE" = review-fixer ]; then
    $1
    echo '# Fixed: notes.txt'
elif grep -q defect notes.txt; then
    cat '$play/found'
else
    cat '$play/clean'
fi
END
}

git_knows()
{
    git ls-files --stage --debug | grep -v '^ ' # without times
    git for-each-ref
    git rev-parse HEAD
    git worktree list | sed "s|$TMPDIR||"
}

writers()
{
    begin_story '* work'
    mkdir sub && echo one >sub/one && ln -s one sub/link && printf 'a\0b' >binary
    git_knows >"$TMPDIR/git.before"
    # shellcheck disable=SC2016 # for the agent's shell
    write_script 'sed -i /defect/d notes.txt; rm sub/one; echo new >sub/new; chmod +x main.c
printf "b\0a" >binary; pwd >$HONE_USER/../at'
    hone run review --fleet "$fleet" --agent '*=cmd:false'
    git_knows >"$TMPDIR/git.after"
    check_is "writers: exit" "$status" 0
    check_not "writers: it worked elsewhere" grep -qxF "$PWD" ../at
    check_is "writers: the defect is gone" "$(cat notes.txt)" hello
    check_is "writers: files that it made, removed, made runnable, left" \
        "$(cat sub/new) $(ls sub | tr '\n' ' ')$(stat -c %A main.c) $(readlink sub/link)" \
        "new link new -rwxr-xr-x one"
    check "writers: bytes" cmp -s binary <(printf 'b\0a')
    check "writers: index and refs are as they were" \
        cmp "$TMPDIR/git.before" "$TMPDIR/git.after"
}

# What a person changes meanwhile stays; what failed leaves nothing.
writers_beside()
{
    begin_story '* work'
    # shellcheck disable=SC2016
    write_script 'sed -i /defect/d notes.txt; echo theirs >>main.c
[ $HONE_ATTEMPT.$HONE_ROUND = 1.1 ] && echo mine >>$HONE_USER/main.c'
    hone run review --fleet "$fleet" --agent '*=cmd:false'
    check_is "beside: exit" "$status" 0
    check_is "beside: the user's line stays" "$(tail -n 1 main.c)" mine
    check_has "beside: said" "$err" "you changed what a fixer changed, too"
    check_is "beside: the fixer's version is kept" \
        "$(tail -n 1 .git/hone/runs/*/6-1/kept/main.c)" theirs
    check_is "beside: the rest came" "$(cat notes.txt)" hello
    begin_story '* work'
    # shellcheck disable=SC2016
    write_script 'echo half >>main.c; [ $HONE_ATTEMPT = 1 ] && exit 4; git checkout -q main.c
sed -i /defect/d notes.txt'
    cp main.c ../main.before
    hone run review --fleet "$fleet" --agent '*=cmd:false'
    check_is "failed: exit" "$status" 0
    check_has "failed: said" "$err" "ended with status 4"
    check "failed: it left nothing" cmp main.c ../main.before
    check_is "failed: the second one did it" "$(cat notes.txt)" hello
}

# full ROOM: the driver's disk has so many KiB left when the fixer, which plays elsewhere, has made
# a file of 1 MiB.
full()
{
    mkdir -p "$TMPDIR/small"
    mount -t tmpfs -o size=24m none "$TMPDIR/small" 2>/dev/null || return 1
    begin_story '* work'
    cp -R "$TMPDIR/work" "$TMPDIR/small/work" && cd "$TMPDIR/small/work" || exit 1
    # shellcheck disable=SC2016
    write_script "sed -i /defect/d notes.txt; head -c 1048576 /dev/urandom >big
echo once >>'$CARRIER_DIR/fixed'
[ -e '$CARRIER_DIR/filled' ] || cat /dev/zero >'$TMPDIR/small/filler' 2>/dev/null
[ -e '$CARRIER_DIR/filled' ] || truncate -s -$1K '$TMPDIR/small/filler'
: >'$CARRIER_DIR/filled'"
    hone run review --fleet "$fleet" --agent '*=cmd:false'
    if [ "$status" != 0 ]; then
        ended=$((ended + 1))
        check_is "full, $1 KiB: exit" "$status" 3
        check "full, $1 KiB: said, with its place" grep -qE \
            "the disk of $TMPDIR/small/work is full|journal $TMPDIR/small/work.*make room" "$err"
        rm "$TMPDIR/small/filler"
        hone resume
    fi
    check_is "full, $1 KiB: in the end" "$status" 0
    check_is "full, $1 KiB: what had ended came back, and was not played again" \
        "$(cat "$CARRIER_DIR/fixed") $(stat -c %s big) $(cat notes.txt)" "once 1048576 hello"
    cd "$TMPDIR" && umount "$TMPDIR/small"
}

fills()
{
    local room ended=0
    for room in 16 1500 2600 3100 3700; do
        full $room || { ok "full: skipped, no disk of its own can be mounted here"; return; }
    done
    check "full: it was, more often than not ($ended of 5)" [ "$ended" -ge 3 ]
}

isolated()
{
    begin_story '* work'
    write_script 'sed -i /defect/d notes.txt'
    hone run review --fleet "$fleet" --agent '*=cmd:false' --isolate
    check_is "isolated: exit" "$status" 0
    check_is "isolated: it comes by way of its work tree" "$(cat notes.txt)" hello
    check_is "isolated: which is gone" "$(ls .git/hone/worktrees 2>/dev/null)" ''
}

# hone fleet: who is there, what waits and why; and a fleet tried from here to there and back.
shown()
{
    begin_story
    hone fleet show "$fleet"
    check_is "shown: exit" "$status" 0
    check_has "shown: the carrier" "$out" "(canned)"
    check_has "shown: a worker" "$out" "elsewhere"
    check_has "shown: why attempts wait" "$out" "all slots are busy"
    check_has "shown: a pool without workers" "$out" "no worker has joined this pool"
    check_has "shown: another version, both named" "$out" "w1 has hone 9.9.9, and this is hone"
    check "shown: what is at work, where, and when its claim was renewed" \
        grep -q '^r  *1-2  *critic  *1 min 30 s  *w1 .* 4.0 s ago' "$out"
    check "shown: what waits, and who skipped it why" \
        grep -q '^r  *3-1  *pedant  *1 min 05 s .* w1 skipped it: it has no' "$out"
    check "shown: what waits for a worker" \
        grep -q '^r  *4-1 .* 1.0 s  *gpu .* no worker has joined this pool' "$out"
    check_not "shown: nothing that a terminal obeys" grep -q "$(printf '\033')" "$out"
    hone fleet show "$fleet" --json
    check "shown: JSON" "${HONE%/*}/tests/support/is_json" whole <"$out"
    check_has "shown: JSON says why" "$out" '"why": "all slots are busy"'
    check_has "shown: JSON has attempts" "$out" '"renewed_ms_ago": 4000'
    check_has "shown: JSON has the lease" "$out" '"lease_ms": 30000'
    hone fleet
    check_is "shown: no fleet is named" "$status" 2
    hone fleet show 'cmd:exit 0'
    check_is "shown: a carrier that ends" "$status" 3
    hone fleet paint
    check_is "shown: no such action" "$status" 2
    echo '* work' >"$CARRIER_DIR/does"
    echo 'cat tried.txt >/dev/null; cat "'"$play/clean"'"' >"$CARRIER_DIR/do"
    hone fleet doctor "$fleet"
    check_is "doctor: exit" "$status" 0
    check_has "doctor: attempts play there" "$out" "ok   attempts play there and come back"
    echo '* exit 3' >"$CARRIER_DIR/does"
    hone fleet doctor "$fleet"
    check_is "doctor: they do not" "$status" 3
    check_has "doctor: the cause" "$err" \
        "from pool default: cmd:cat answer.json ended with status 3"
    check_not "doctor: not how to go on with a run that is gone" grep -q 'hone resume' "$err"
    check_is "doctor: nothing is left" "$(ls -d "$TMPDIR"/hone-fleet-* 2>/dev/null)" ''
}

# carrier_says V WORKERS: a carrier that says only this, and who is there.
carrier_says()
{
    cat >"$TMPDIR/says" <<END
read -r line
echo '{"m":"ready","v":$1,"carrier":"canned","lease_ms":30000}'
while read -r line; do
    case \$line in
    *'"who"'*) echo '{"m":"workers","workers":[$2],"pools":[]}' ;;
    *'"bye"'*) exit ;;
    esac
done
END
}

# What is wrong with a fleet is said at once, with its cause, once.
doctored()
{
    local began_s=$SECONDS
    local big='{"id":"w","host":"h","pool":"big","version":"1","labels":{},"slots":1,"busy":1,'
    big+='"since_ms":1}'
    begin_story
    carrier_says 9 "$big"
    hone fleet doctor "cmd:sh '$TMPDIR/says'"
    check_is "doctor: another version: exit" "$status" 3
    check_has "doctor: another version: said" "$err" "speaks version 9 of a fleet's lines, and this"
    check_is "doctor: another version: once" "$(wc -l <"$err")" 1
    mkdir "$TMPDIR/alone" && cp "$HONE" "$TMPDIR/alone/hone"
    PATH=/usr/bin:/bin "$TMPDIR/alone/hone" fleet doctor tls://localhost:1 2>"$err"
    check_is "doctor: without hone-link: exit" $? 2
    check_has "doctor: without hone-link: said" "$err" "needs hone-link, which is neither"
    # The canned worker in a pool that no run asks for.
    begin_story
    printf '#!/bin/sh\nexec sed -u s/default/big/g\n' >"$TMPDIR/big" && chmod +x "$TMPDIR/big"
    hone fleet doctor "cmd:'$carrier' | '$TMPDIR/big'"
    check_is "doctor: no worker in the pool of runs: exit" "$status" 3
    check_has "doctor: no worker in the pool of runs: said" <(tr -s '\n ' ' ' <"$err") \
        "no worker is in pool default; there are workers in: big"
    check_has "doctor: what is tried, and for how long" "$out" "pool big: five attempts of a script"
    check_has "doctor: the pool that has one is tried" "$out" "come back (pool big"
    check_not "doctor: no verdict but one" grep -q 'All is well' "$out"
    check "doctor: within seconds" [ $((SECONDS - began_s)) -le 30 ]
}

# What cannot travel plays here, and why is said once.
stays()
{
    begin_story
    rm -rf .git
    hone run review --fleet "$fleet" --agent "*=$agent" --all
    check_is "stays: exit" "$status" 0
    check_is "stays: said once" "$(grep -c 'no git repository, so its files' "$err")" 1
    check_is "stays: all play here" "$(wc -l <"$play/log")" 5
    check_not "stays: no carrier was started" test -e "$CARRIER_DIR/starts"
    begin_story
    git rm -rq --cached . && rm -rf .git && git init -q . && hidden_already
    hone run review --fleet "$fleet" --agent '*=cmd:false' --all
    check_is "stays: a repository without a commit travels" "$status" 0
}

names()
{
    begin_story
    hone run review --fleet gopher://box --agent '*=cmd:false'
    check_is "names: no such fleet" "$status" 2
    check_has "names: those that there are" "$err" "ssh:HOST"
    hone run review --fleet 'ssh:-oProxyCommand=x' --agent '*=cmd:false'
    check_is "names: no option for ssh" "$status" 2
    echo '{"fleet": {"url": "cmd:touch gotcha"}}' >hone.json
    hone run review --agent '*=cmd:true'
    check_is "names: a repository's file names a command" "$status" 2
    check_not "names: it was not run" test -e gotcha
    rm hone.json
    cp "$HOME/.config/hone/config.json" "$TMPDIR/config.json"
    printf '{"rights": {"tmp": true}, "fleet": {"url": "%s", "pools": ["critic=local", "*=big"]}}' \
        "$fleet" >"$HOME/.config/hone/config.json"
    hone run review --agent "*=$agent"
    check_is "pools: exit" "$status" 0
    check_not "pools: all of its names are known" grep -q 'neither a role' "$err"
    check_is "pools: one plays here" "$(cut -d' ' -f1 "$play/log")" critic
    check_is "pools: four play there" "$(grep -c ^job "$CARRIER_DIR/log")" 4
    sed -i 's/"\*=big"/"nobody=tiny", "fixer=big"/' "$HOME/.config/hone/config.json"
    hone run review --agent "*=$agent"
    check_is "pools: a name that none has is said once" \
        "$(grep -c "'nobody' is neither a role of this run nor one" "$err")" 1
    check_not "pools: a role of another loop is not" grep -q "'fixer'" "$err"
    cp "$HOME/.config/hone/config.json" "$TMPDIR/pools.json"
    sed -i 's|"url": "[^"]*"|"url": "http://x"|' "$HOME/.config/hone/config.json"
    hone run review --agent "*=$agent"
    check_is "names: a URL that is none, in a file: exit" "$status" 2
    check_has "names: the file is named, not --fleet" "$err" "config.json: fleet.url: 'http://x'"
    cp "$TMPDIR/pools.json" "$HOME/.config/hone/config.json"
    hone config set --user fleet.url bigbox
    check_is "names: config set refuses it" "$status" 2
    check_has "names: config set says what there is" "$err" "'bigbox': there are ssh:HOST"
    forget
    hone run review --agent "*=$agent" --fleet local
    check_is "pools: all play here" "$(wc -l <"$play/log")" 5
    cp "$TMPDIR/config.json" "$HOME/.config/hone/config.json"
}

plays_elsewhere
same_as_here
lost
comes_to_nothing
hostile
fenced
carrier_ends
stays_away
drops_far_apart
driver_killed
writers
writers_beside
fills
isolated
shown
doctored
stays
names
exit $failed
