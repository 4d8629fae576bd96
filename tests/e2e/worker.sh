#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone worker --lines, spoken to by a driver in small: what it plays and how that comes back, what
# it refuses, and that no agent of it outlives what it may.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/fleet.sh"

template=$TMPDIR/template
new_repo "$template"

begin_story()
{
    copy_of "$template" work
    forget
    rm -rf "$state"
    : >"$errors"
}

# An agent that says where it is, and works until it is ended.
# shellcheck disable=SC2016 # for the agent's shell
stays='echo yes >"$play/there"; sleep 300 & echo at work; wait'

# Whether a process of an attempt lives, by the environment that it was started with.
agents_live()
{
    grep -sqz "^HONE_OUTPUT=$state/" /proc/[0-9]*/environ
}

agents_are_dead()
{
    ! agents_live
}

# works_at K: claimed, and its agent is there.
works_at()
{
    hears taken "$1" && until_true 20 test -s "$play/there" && agents_live
}

a_reader()
{
    begin_story
    does critic "$sees"
    worker_begin
    job R.1.1 critic review "$agent" prompt="look at $PWD/notes.txt"
    check "reader: a base that is not known is asked for" gives_base
    check "reader: claimed" hears taken R.1.1
    check "reader: answered" hears ended R.1.1
    check_is "reader: its end" "$(shows R.1.1 by) $(shows R.1.1 value)" 'exit 0'
    check_is "reader: the tree is as it was" "$(shows R.1.1 changed)" no
    check_is "reader: no problem" "$(shows R.1.1 problem)$(shows R.1.1 guard)" ''
    check_is "reader: what it said" "$(cat "$(fetches R.1.1 stdout)")" "$found"
    check_is "reader: whose answer it is" "$(shows R.1.1 nonce)" 00112233445566778899aabbccddeeff
    check_is "reader: its prompt has the worker's paths" \
        "$(grep -o '/[^ ]*notes.txt' "$play"/prompt.critic*)" "$(shows R.1.1 workspace)/notes.txt"
    : >"$heard.before"
    grep -c ^need "$heard" >"$heard.before"
    job R.2.1 critic review "$agent"
    hears ended R.2.1
    check_is "reader: a base is asked for once" "$(grep -c ^need "$heard")" \
        "$(cat "$heard.before")"
    tell '{"m":"bye","ended":true}'
    worker_end
    check_is "reader: exit" "$worker_status" 0
    check_not "reader: nothing of a run that is over is kept" test -e "$state/runs/R"
    check "reader: the work tree is kept for the next run" test -d "$state/store"
}

a_writer()
{
    begin_story
    # shellcheck disable=SC2016
    does review-fixer 'echo more >new.txt; rm main.c; sed -i /defect/d notes.txt
ls -l /proc/self/fd >"$play/fds"; env >"$play/env"; cat agreed.md >"$play/agreed"; echo done'
    export HONE_FLEET_KEYS=/nowhere HONE_ROLE=outer HONE_NONSENSE=kept
    worker_begin
    unset HONE_FLEET_KEYS HONE_ROLE
    job R.1.1 review-fixer repair "$agent" contract=agreed.md
    gives_base
    check "writer: answered" hears ended R.1.1
    check_is "writer: it changed the tree" "$(shows R.1.1 changed)" yes
    check_is "writer: HEAD is where it was" "$(shows R.1.1 head)" "$(git rev-parse HEAD)"
    git clone -q . "$TMPDIR/clone"
    mv "$(fetches R.1.1 bundle)" "$TMPDIR/made.bundle"
    check "writer: its change is a bundle" grep -q '' "$TMPDIR/made.bundle"
    check_is "writer: contract files are no part of it" \
        "$(git -C "$(shows R.1.1 workspace)" status --porcelain | tr '\n' ' ')" \
        ' D main.c ?? new.txt '
    check_is "writer: they were there, and name its own work tree" "$(cat "$play/agreed")" \
        "as agreed in $(shows R.1.1 workspace)"
    check_is "writer: it inherits three descriptors and that of its own look" \
        "$(grep -c ' -> ' "$play/fds")" 4
    check_is "writer: its role is its own" "$(grep ^HONE_ROLE= "$play/env")" HONE_ROLE=review-fixer
    check_not "writer: where keys are is no agent's affair" grep -q HONE_FLEET "$play/env"
    check_is "writer: the user's files are as they were" "$(git status --porcelain)" ' M notes.txt'
    tell '{"m":"forget","k":"R.1.1"}'
    check "writer: forgotten" until_true 20 test ! -e "$state/runs/R/attempts/R.1.1"
    tell '{"m":"get","k":"R.1.1","id":"'"$(shows R.1.1 bundle)"'"}'
    check "writer: what is forgotten is not there" hears none R.1.1
    worker_end
}

refusals()
{
    begin_story
    does critic 'cat "$play/clean"'
    worker_begin --agents cmd
    job R.1.1 critic review "$agent" spoil=tree
    gives_base
    hears ended R.1.1
    check_has "wrong tree: said" <(shows R.1.1 problem) 'of another tree'
    job R.2.1 critic review "$agent" spoil=path contract=x
    check "a path upwards: refused" hears refused R.2.1 '"contract" cannot be "../outside"'
    check_not "a path upwards: nothing is written" test -e "$state/outside"
    job R.3.1 critic review "$agent" spoil=version
    check "another version: refused, both are named" hears refused R.3.1 \
        'the job is of version 99, made by hone 0.0.test; this hone knows version 1'
    job R.4.1 critic review script:/nowhere
    check "another backend: refused" hears refused R.4.1 'this worker does not play script'
    echo x >>notes.txt
    job R.5.1 critic review "$agent" spoil=sha
    check "wrong bytes: asked for again" until_true 20 grep -q '^need .*sha256-' "$heard"
    tell '{"m":"none","id":"'"$(grep -o 'sha256-[0-9a-f]*' "$heard" | tail -1)"'"}'
    check "wrong bytes: refused" hears refused R.5.1 'a blob of the job'
    echo y >>notes.txt
    job R.6.1 critic review "$agent" spoil=cut
    check "a blob that is cut off: asked for again" \
        until_true 20 eval '[ "$(grep -c "^need .*sha256-" "$heard")" = 2 ]'
    tell '{"m":"none","id":"'"$(grep -o 'sha256-[0-9a-f]*' "$heard" | tail -1)"'"}'
    check "a blob that is cut off: refused" hears refused R.6.1
    tell 'no JSON at all'
    tell '{"m":"dance"}'
    tell '{"m":"stop","k":"../../x"}'
    tell '{"m":"who"}'
    check "lines that are none: it goes on" hears workers 8 0
    worker_end
    check_is "refusals: exit" "$worker_status" 0
    printf '{"m":"hello","v":9,"version":"7.0","run":"R"}\n' |
        "$HONE" worker --lines --folder "$state" >"$out" 2>"$err"
    check_has "other lines: both versions are named" "$out" \
        'hone 7.0 speaks lines of version 9; hone'
}

setups()
{
    begin_story
    does critic 'cat made; cat "$play/clean"'
    printf 'made\n' >.gitignore
    worker_begin
    job R.1.1 critic review "$agent" setup='echo not here >&2; exit 3'
    gives_base
    hears ended R.1.1
    check_has "setup: its failure is told in words" <(shows R.1.1 problem) \
        'the setup command failed (exit 3): echo not here >&2; exit 3: not here'
    check_is "setup: no agent began" "$(started critic)" 0
    job R.2.1 critic review "$agent" setup="echo x >>made"
    hears ended R.2.1
    check_is "setup: what it made is there" "$(head -1 "$(fetches R.2.1 stdout)")" x
    job R.3.1 critic review "$agent" setup="echo x >>made"
    hears ended R.3.1
    check_is "setup: once for a tree and a run" "$(grep -c x "$(shows R.3.1 workspace)/made")" 1
    check_is "setup: no change of the agent's" "$(shows R.3.1 changed)" no
    worker_end
}

slots()
{
    begin_story
    # shellcheck disable=SC2016
    does critic 'echo x >>"$play/begun"; until [ -e "$play/go" ]; do sleep 0.05; done; pwd'
    worker_begin --slots 2
    job R.1.1 critic review "$agent"
    gives_base
    job R.2.1 critic review "$agent"
    job R.3.1 critic review "$agent"
    job R.1.1 critic review "$agent"
    check "slots: two of one repository at once" \
        until_true 30 eval '[ "$(grep -c x "$play/begun")" = 2 ]'
    tell '{"m":"who"}'
    check "slots: both are in use" hears workers 2 2
    tell '{"m":"ask","k":"R.3.1"}'
    check "slots: the third waits" hears known R.3.1 queued
    tell '{"m":"ask","k":"R.1.1"}'
    check "slots: the first is at work" hears known R.1.1 taken
    touch "$play/go"
    check "slots: all are answered" \
        eval 'hears ended R.1.1 && hears ended R.2.1 && hears ended R.3.1'
    check_not "slots: each of the two had a work tree of its own" \
        test "$(shows R.1.1 workspace)" = "$(shows R.2.1 workspace)"
    check_is "slots: a job that comes twice is begun once" "$(started critic)" 3
    worker_end
}

stops()
{
    begin_story
    does critic "$stays"
    worker_begin --slots 1
    job R.1.1 critic review "$agent"
    gives_base
    check "stop: at work" works_at R.1.1
    check "stop: what it says is told while it works" hears said R.1.1 0 at work
    job R.2.1 critic review "$agent"
    hears queued R.2.1
    tell '{"m":"stop","k":"R.2.1"}'
    tell '{"m":"stop","k":"R.1.1"}'
    check "stop: its agent is dead in two seconds" until_true 2 agents_are_dead
    tell '{"m":"ask","k":"R.2.1"}'
    check "stop: one that waited is nowhere" hears known R.2.1 nowhere
    rm -f "$play/there"
    job R.3.1 critic review "$agent"
    check "stop: its slot is free" works_at R.3.1
    check_not "stop: no result" grep -q '^ended' "$heard"
    worker_end
    check "the line's end: its agent is dead in two seconds" until_true 2 agents_are_dead
    check_is "the line's end: exit" "$worker_status" 0
}

# A worker that is killed, and the next one of the same run.
killed()
{
    begin_story
    does critic 'cat "$play/clean"'
    worker_begin
    job R.1.1 critic review "$agent"
    gives_base
    hears ended R.1.1
    rm -f "$play/there"
    does critic "$stays"
    job R.2.1 critic review "$agent"
    check "killed: at work" works_at R.2.1
    kill -9 "$worker_pid"
    check "killed: its agent is dead in two seconds" until_true 2 agents_are_dead
    worker_end
    epoch=2 worker_begin
    tell '{"m":"ask","k":"R.1.1"}'
    check "killed: what had ended is known" hears known R.1.1 ended
    check "killed: and said again" hears ended R.1.1
    check_is "killed: with its files" "$(cat "$(fetches R.1.1 stdout)")" "$clean"
    tell '{"m":"ask","k":"R.2.1"}'
    check "killed: what was at work is nowhere" hears known R.2.1 nowhere
    job R.2.1 critic review "$agent"
    check "killed: it is not begun again" hears lost R.2.1
    check_is "killed: agents that began" "$(started critic)" 2
    rm -f "$play/there"
    job R.3.1 critic review "$agent"
    check "killed: another is" works_at R.3.1
    pkill -9 -P "$worker_pid" -f ' play '
    check "its process killed: the attempt is lost" hears lost R.3.1
    check "its process killed: its agent is dead in two seconds" until_true 2 agents_are_dead
    epoch=2
    printf '{"m":"hello","v":1,"version":"1","run":"R","epoch":1}\n' |
        "$HONE" worker --lines --folder "$state" >"$out" 2>"$err"
    check_has "an older driver: fenced" "$out" '"fenced"'
    # A newer one: the worker of the older one ends.
    printf '{"m":"hello","v":1,"version":"1","run":"R","epoch":9}\n' |
        "$HONE" worker --lines --folder "$state" >"$out" 2>"$err"
    check "a newer driver: the older one is told" hears fenced
    worker_end
    check_has "a newer driver: it is served" "$out" '"ready"'
    unset epoch
}

# What was begun cannot be written down: no agent begins, and the driver does not wait for one.
unclaimed()
{
    begin_story
    does critic 'cat "$play/clean"'
    worker_begin
    job R.1.1 critic review "$agent"
    hears need
    rm -r "$state/runs/R/claims"
    touch "$state/runs/R/claims"
    gives_base
    check "unclaimed: the attempt is lost" hears lost R.1.1
    check_is "unclaimed: no agent began" "$(started critic)" 0
    check_not "unclaimed: nobody has it" grep -q '^taken' "$heard"
    worker_end
    check_is "unclaimed: exit" "$worker_status" 0
}

# A worker that slept while its claim ran out.
asleep()
{
    local beats
    begin_story
    does critic "$stays"
    lease=1000 worker_begin
    while tell '{"m":"beat"}' 2>/dev/null; do sleep 0.2; done &
    beats=$!
    job R.1.1 critic review "$agent"
    gives_base
    works_at R.1.1
    kill -STOP "$worker_pid"
    sleep 2.5 # longer than two leases: that is what this is about
    kill -CONT "$worker_pid"
    check "asleep: its agent is dead in two seconds" until_true 2 agents_are_dead
    check "asleep: the attempt is lost" hears lost R.1.1
    check_not "asleep: no result is sent" grep -q '^ended' "$heard"
    kill "$beats"
    wait "$beats" 2>/dev/null
    check "a mute driver: the worker ends" until_true 20 eval '! kill -0 $worker_pid'
    worker_end
}

command_line()
{
    limit=10 hone worker
    check_is "no server: exit" "$status" 2
    one_line "no server" 2 'nats://HOST'
    hone worker --lines --slots 0
    one_line "slots" 2 "--slots '0': a number from 1 to 64"
    hone worker --lines --name ../x
    one_line "a name" 2 "letters, digits"
    hone worker --lines --agents nonsense
    check_is "an agent that is none: exit" "$status" 2
    hone worker --lines --label x
    one_line "a label" 2 'NAME=VALUE'
}

a_reader
a_writer
refusals
setups
slots
stops
killed
unclaimed
asleep
command_line
exit "$failed"
