#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Bad usage, bad files, bad places, bad times: a clear line and exit status 2 or 3, and nothing
# lost; or, where the place is only odd, a run like any other.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"

# One finding, mended by the fixer.
whole_loop()
{
    does critic "$sees"
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed"'
}

# like_any_other NAME: a run in this folder goes as it should.
like_any_other()
{
    forget
    whole_loop
    hone run review --agent "*=$agent"
    check_is "$1: clean" "$status" 0
    check_is "$1: two rounds" "$(wc -l <"$play/log")" 11
    check "$1: the files" test -e .agents/tmp/phases/review-2/r1-verdict.json
    hone status
    check_has "$1: status" "$out" clean
}

# clear_line NAME TEXT: exit 2 or 3, one line on standard error, with TEXT in it.
clear_line()
{
    check "$1: exit status $status" test "$status" = 2 -o "$status" = 3
    check_is "$1: one line" "$(wc -l <"$err")" 1
    check_has "$1: words" "$err" "$2"
}

# ---- no git ----

no_git()
{
    mkdir "$TMPDIR/plain"
    cd "$TMPDIR/plain" || exit 1
    printf 'hello\ndefect\n' >notes.txt
    like_any_other "no repository"
    check "no repository: the journal" test -e .hone/journal.db
    does critic 'echo scribble >>notes.txt; cat "$play/clean"'
    hone run review --no-sandbox --agent "*=$agent"
    check_is "no repository: a reviewer that writes" "$status" 3
    check_is "no repository: put back" "$(cat notes.txt)" hello
    does critic
    hone resume
    check_is "no repository: resumed" "$status" 0
    check_is "no repository: nothing else is new" "$(ls -A | LC_ALL=C sort | tr '\n' ' ')" \
        ".agents .hone notes.txt "

    # Every program but git.
    mkdir "$TMPDIR/bin"
    ln -sf /bin/* /usr/bin/* "$TMPDIR/bin/"
    rm "$TMPDIR/bin/git"
    copy_of "$template" work
    PATH=$TMPDIR/bin hone run review --agent "*=$agent"
    clear_line "git is not installed" git
    hone run review --agent "*=$agent"
    check_is "git is there again" "$status" 0
    mkdir "$TMPDIR/plain2"
    cd "$TMPDIR/plain2" || exit 1
    PATH=$TMPDIR/bin hone run review --agent "*=$agent"
    clear_line "git is not installed, no repository" git
}

# ---- no permission, no room ----

# Runs the commands of a function in a mount namespace, where this is allowed.
private_mounts()
{
    unshare -m true 2>/dev/null || return 1
    {
        echo "set -u; failed=0"
        declare -f
        # shellcheck disable=SC2090 # the names of variables
        declare -p TMPDIR play agent reviewers sees out err clean found template
        echo "cd '$PWD'; $1; exit \$failed"
    } >"$TMPDIR/$1.sh"
    unshare -m bash "$TMPDIR/$1.sh" || failed=1
}

read_only()
{
    mount --bind .git .git && mount -o remount,ro,bind .git || {
        skip "a read-only git folder" "it cannot be mounted here"
        return
    }
    hone run review --agent "*=$agent"
    clear_line "a read-only git folder" "$PWD/.git"
    umount .git
    hone run review --agent "*=$agent"
    check_is "a git folder that can be written again" "$status" 0
    mount --bind . . && mount -o remount,ro,bind . && cd "$PWD" || return
    hone run review --agent "*=$agent"
    clear_line "a read-only workspace" "$PWD"
}

# Room for some of what a run begins with: where no run is there, none is said to be resumed.
almost_full_disk()
{
    local room free
    for room in 4 16 32 64 100 112 120 128 160; do
        rm -rf .git/hone .agents
        free=$(df --output=avail . | tail -n 1)
        dd if=/dev/zero of=../fill bs=1k count=$((free - room)) 2>/dev/null
        hone run review --quiet --agent "*=$agent"
        check_is "$room KB left: exit" "$status" 3
        check "$room KB left: words" grep -qE 'make room on the disk|No space left' "$err"
        grep -oE 'hone resume [a-z0-9]+' "$err" >"$TMPDIR/resumable"
        check_not "$room KB left: 'resume' without a run" \
            grep -qE 'then resume|check the disk' "$err"
        rm ../fill
        hone list
        check_is "$room KB left: what can be resumed is there" \
            "$(awk 'NR > 1 { print "hone resume " $1 }' "$out")" "$(cat "$TMPDIR/resumable")"
    done
    rm -rf .git/hone .agents
}

full_disk()
{
    mkdir -p small
    mount -t tmpfs -o size=2m none small || {
        skip "a full disk" "it cannot be mounted here"
        return
    }
    cp -R "$template" small/repo
    cd small/repo || exit 1
    cat /dev/zero >../fill 2>/dev/null
    hone run review --quiet --agent "*=$agent"
    clear_line "a full disk from the start" space
    rm ../fill
    almost_full_disk
    hone run review --quiet --agent "*=$agent"
    check_is "room from the start" "$status" 0

    # It fills while the agents run, and their answers find no room.
    for when in 1 2; do
        forget
        git checkout -q . && echo defect >>notes.txt
        whole_loop
        does witness "if [ \$HONE_ROUND = $when ]; then cat /dev/zero >../fill 2>/dev/null; fi
cat \"\$play/clean\""
        hone run review --quiet --agent "*=$agent"
        check "a disk that fills in round $when: exit status $status" \
            test "$status" = 3 -o "$status" = 2
        cat "$out" "$err" >"$TMPDIR/both"
        check "a disk that fills in round $when: words" grep -qE 'disk|space' "$TMPDIR/both"
        rm -f ../fill
        does witness
        hone resume --quiet
        check_is "a disk that filled in round $when: resumed" "$status" 0
        check "a disk that filled in round $when: the trail is whole" \
            test -s .agents/tmp/phases/review-2/r1-verdict.json -a \
            -s .agents/tmp/phases/review-1/r2-fix-summary.md
    done
    cd "$TMPDIR" || exit 1
}

no_room()
{
    copy_of "$template" work
    private_mounts read_only || skip "read-only folders" "no mount namespaces here"
    cd "$TMPDIR" || exit 1
    private_mounts full_disk || skip "a full disk" "no mount namespaces here"
}

# ---- usage ----

# lines_refused NAME TEXT ARGUMENTS...: exit 2, short lines of one message with TEXT.
lines_refused()
{
    local name=$1 text=$2
    shift 2
    hone "$@"
    check_is "$name: exit" "$status" 2
    check_has "$name: words" "$err" "$text"
    check_is "$name: one message" "$(sed '1s/^hone: //; 2,$s/^      //' "$err" | grep -c '^[ h]')" 0
    check_is "$name: short lines" "$(awk 'length > 140' "$err")" ""
    check_not "$name: nothing on standard output" test -s "$out"
}

# refused NAME TEXT ARGUMENTS...: exit 2, one line with TEXT; nothing is begun.
refused()
{
    local name=$1 text=$2
    shift 2
    hone "$@"
    one_line "$name" 2 "$text"
    check_not "$name: nothing on standard output" test -s "$out"
}

usage()
{
    copy_of "$template" work
    lines_refused "no dialect" "no agent" run --exclude "*"
    refused "an unknown dialect" bananas run bananas --agent "*=$agent"
    refused "a choice left out" "CHOICE is missing: continue, accept, restart or stop" answer
    refused "a host left out" "HOST is missing: claude, codex or git" install
    refused "an action left out" "ACTION is missing: show, get, set" config
    refused "no SPEC" "no backend is named; there are: claude" run review --agent critic=
    refused "an unknown SPEC" "unknown backend 'bananas'" run review --agent critic=bananas
    check_not "an unknown SPEC: nothing that nobody can name" grep -q host "$err"
    refused "the version as a verb" "did you mean 'hone --version'?" version
    refused "an unknown configuration" "configuration files have: iterate, session" \
        config show bananas
    lines_refused "no agent" "no agent" run review --exclude "*"
    lines_refused "an agent for one role only" pedant run review --agent "critic=$agent" \
        --exclude "*"
    refused "an agent without a role" "ROLE" run review --agent "cmd:true"
    refused "a SPEC without a role" "that is --agent '*=claude'" run review --agent claude
    refused "an agent without a spec" "critic" run review --agent "*=$agent" --agent "critic"
    refused "an empty spec" --agent run review --agent "*=$agent" --agent "critic="
    refused "an unknown role" "bananas" run review --agent "*=$agent" --agent "bananas=$agent"
    refused "an unknown backend" "bananas" run review --agent "*=bananas:x"
    refused "an empty command" "cmd" run review --agent "*=cmd:"
    refused "a missing script" "none.jsonl" run review --agent "*=script:none.jsonl"
    refused "an option without its value" "--agent" run review --agent
    refused "an unknown option" "--bananas" run review --agent "*=$agent" --bananas
    refused "one argument too many" "third" run review --agent "*=$agent" task third
    for value in 0 -1 1.5 x '' ' 1' 1x 1001 99999999999999999999 0x10; do
        refused "--max-iterations '$value'" "max-iterations" \
            run review --agent "*=$agent" --max-iterations "$value"
    done
    for value in -1s x '' 1y s 99999999999999999999h; do
        refused "--timeout '$value'" "--timeout" run review --agent "*=$agent" --timeout "$value"
        refused "--idle-timeout '$value'" "--idle-timeout" \
            run review --agent "*=$agent" --idle-timeout "$value"
    done
    refused "a folder that is not there" none -C none run review --agent "*=$agent"
    refused "a file as a folder" main.c -C main.c list
    check_not "nothing was begun" test -e .git/hone/journal.db -o -e .agents -o -s "$play/log"
}

# ---- the journal ----

# journal NAME TEXT: no verb works with this journal, none changes it, none is silent about it.
journal()
{
    cksum <.git/hone/journal.db >"$TMPDIR/before"
    for verb in list status resume "run review --agent *=$agent"; do
        set -f
        # shellcheck disable=SC2086 # a verb and its arguments
        hone $verb
        set +f
        clear_line "$1: ${verb%% *}" "$2"
    done
    check "$1: it is left as it is" cmp -s "$TMPDIR/before" <(cksum <.git/hone/journal.db)
    check_not "$1: nobody is started" test -s "$play/log"
}

journals()
{
    local db=.git/hone/journal.db
    copy_of "$template" kept
    hone run review --agent "*=$agent"
    "$SUPPORT/sql" $db "pragma wal_checkpoint(truncate); pragma journal_mode=delete" >/dev/null
    : >"$play/log"

    copy_of kept work
    echo "this is no database at all, and long enough to be one: $(seq 200)" >$db
    journal "a journal that is none" journal.db
    copy_of kept work
    dd if=/dev/urandom of=$db bs=1024 seek=1 count=8 conv=notrunc 2>/dev/null
    journal "a damaged journal" journal.db
    copy_of kept work
    rm $db
    "$SUPPORT/sql" $db "create table songs (name text); insert into songs values ('la')"
    journal "a database of something else" journal.db
    check_is "a database of something else: its rows" \
        "$("$SUPPORT/sql" $db "select name from songs")" la
    copy_of kept work
    "$SUPPORT/sql" $db "pragma user_version = 9999"
    journal "a journal of a newer hone" newer
    copy_of kept work
    rm $db && mkdir $db
    hone list
    clear_line "a folder as journal" journal.db
    copy_of kept work
    hone run review --agent "*=$agent"
    check_is "the journal as it was" "$status" 0
}

# ---- much ----

much()
{
    local limit=240 # with sanitizers, on a busy machine
    copy_of "$template" work
    does critic 'if [ $HONE_ROUND = 2 ]; then cat "$play/clean"; exit; fi
printf %s "{\"issues\":[{\"severity\":\"info\",\"category\":\"x\",\"file\":null,\"line\":null,"
printf %s "\"description\":\"" && head -c 10485760 /dev/zero | tr "\\0" y
printf %s "\",\"evidence\":\"\",\"suggestion\":\"\"}],\"summary\":{\"critical\":0,\"warning\":0,"
printf %s "\"info\":1,\"verdict\":\"issues_found\"}}"'
    hone run review --agent "*=$agent"
    check "10 MB of findings: the run ends ($status)" test "$status" = 0 -o "$status" = 3
    # Agents do not read the prompt.
    hone run review --agent "*=cmd:if [ \$HONE_ROLE = review-fixer ]; then echo fixed
        elif [ \$HONE_ROUND = 2 ]; then cat $play/clean; else . $play/do.critic; fi"
    check "10 MB of findings, prompts that nobody reads ($status)" \
        test "$status" = 0 -o "$status" = 3

    copy_of "$template" work
    forget
    does critic 'head -c 104857600 /dev/zero | tr "\0" y'
    hone run review --agent "*=$agent"
    check_is "100 MB of prose: failed" "$status" 3
    rm -rf .git/hone/runs/*/1-*
    does critic 'head -c 104857600 /dev/zero | tr "\0" "\n" >&2; cat "$play/clean"'
    hone resume
    check_is "100 MB on standard error beside a clean answer" "$status" 0
    rm -rf "$TMPDIR/work"

    copy_of "$template" work
    forget
    task=$(head -c 65536 /dev/zero | tr '\0' t)
    does critic 'printf %s "$HONE_TASK" | wc -c >"$play/at"; cat "$play/clean"'
    hone run review "$task" --agent "*=$agent"
    check_is "a task of 64 KB" "$status" 0
    check_is "a task of 64 KB reaches the agent" "$(cat "$play/at")" 65536
    # The longest argument there can be: with a name in front it is too long for the environment.
    hone run review "$task${task:0:65535}" --agent "*=$agent"
    if [ "$status" = 0 ]; then
        ok "a task of 131071 bytes"
    else
        clear_line "a task of 131071 bytes" task
    fi
}

# ---- odd places ----

places()
{
    local odd
    odd="a \"quoted\" 'name' \$(touch ran) \`touch ran\` \\ é"
    cp -R "$template" "$TMPDIR/$odd" && cd "$TMPDIR/$odd" || exit 1
    like_any_other "an odd path"
    does critic 'printf %s "$HONE_WORKSPACE" >"$play/at"; pwd >>"$play/at"; cat "$play/clean"'
    hone run review --no-sandbox --agent "*=$agent"
    check_is "an odd path, no sandbox" "$status" 0
    check_is "an odd path: as it is" "$(cat "$play/at")" "$PWD$PWD"
    check_not "an odd path reaches no shell" test -e ran -o -e ../ran
    mv "$PWD" "$TMPDIR/$odd
second line" && cd "$TMPDIR/$odd
second line" || exit 1
    hone run review --agent "*=$agent"
    if [ "$status" = 0 ]; then
        ok "a line break in the path"
    else
        clear_line "a line break in the path" line
    fi

    copy_of "$template" work
    mkdir -p sub/deep
    (cd sub/deep && like_any_other_from "a folder below")
    check "a folder below: the files are at the top" test -e .agents/tmp/state.json
    check_not "a folder below: and only there" test -e sub/deep/.agents
    ln -s work "$TMPDIR/linked"
    cd "$TMPDIR/linked" || exit 1
    echo defect >>notes.txt
    like_any_other "a workspace by a link"

    # Contract files go into the workspace, not where something in it leads.
    copy_of "$template" work
    mkdir "$TMPDIR/elsewhere" && ln -s "$TMPDIR/elsewhere" .agents
    hone run review --quiet --agent "*=$agent"
    check "a link as .agents: exit status $status" test "$status" = 2 -o "$status" = 3
    check_has "a link as .agents: words" "$err" .agents
    check_is "a link as .agents: nothing is written behind it" "$(ls -A "$TMPDIR/elsewhere")" ""
    rm .agents
    hone run review --quiet --agent "*=$agent"
    check_is "a link as .agents, removed" "$status" 0

    mkdir "$TMPDIR/fresh"
    cd "$TMPDIR/fresh" || exit 1
    git init -q . && printf 'hello\ndefect\n' >notes.txt
    like_any_other "a repository without a commit"

    # A folder without files cannot be reviewed, so it is not clean.
    mkdir "$TMPDIR/void"
    cd "$TMPDIR/void" || exit 1
    forget
    git init -q .
    hone run review --agent "*=$agent"
    one_line "nothing to review" 2 "there is nothing to review: $PWD has no file, and no commit"
    check_is "nothing to review: nobody is asked" "$(wc -l <"$play/log")" 0
    hone run session --review-only --agent "*=$agent"
    one_line "nothing to review in a session" 2 "there is nothing to review"
    git commit -q --allow-empty -m first
    hone run review --agent "*=$agent"
    check_is "a commit without a file can be reviewed" "$status" 0
}

like_any_other_from()
{
    forget
    whole_loop
    does pedant 'pwd >"$play/at"; cat "$play/clean"'
    hone run review --agent "*=$agent"
    check_is "$1: clean" "$status" 0
    check_is "$1: agents work at the top" "$(cat "$play/at")" "$TMPDIR/work"
}

# Two worktrees of one repository: a run in each, at the same time.
worktrees()
{
    copy_of "$template" work
    git worktree add -q "$TMPDIR/second" 2>/dev/null
    cd "$TMPDIR/second" || exit 1
    echo defect >>notes.txt
    like_any_other "a linked worktree"
    check "a linked worktree: the files are in it" test -e "$TMPDIR/second/.agents/tmp/state.json"
    check_not "a linked worktree: and only there" test -e "$TMPDIR/work/.agents"
    check "a linked worktree: the journal is in the common folder" \
        test -e "$TMPDIR/work/.git/hone/journal.db"
    check_not "a linked worktree: and only there" test -e "$TMPDIR/work/.git/worktrees/second/hone"

    forget
    for role in $reviewers; do
        does "$role" 'touch "$play/here.$HONE_RUN.$HONE_ROLE"; n=0
while [ $(ls "$play" | grep -c ^here) -lt 10 ]; do
    n=$((n + 1)); [ $n -lt 400 ] || exit 1
    sleep 0.05
done
cat "$play/clean"'
    done
    "$HONE" run review "in the second" --agent "*=$agent" >/dev/null 2>"$TMPDIR/second.err" &
    cd "$TMPDIR/work" || exit 1
    hone run review "in the first" --agent "*=$agent"
    check_is "two worktrees at once: one" "$status" 0
    wait $!
    check_is "two worktrees at once: the other" $? 0
    hone status
    check_has "status: the run of this worktree" "$out" "in the first"
    hone -C "$TMPDIR/second" status
    check_has "status: the run of the other worktree" "$out" "in the second"
    hone list
    check_has "list: all runs of the repository" "$out" "in the second"
}

# ---- odd surroundings ----

surroundings()
{
    # What agents of these stories read is in /tmp.
    echo '{"rights":{"tmp":true}}' >"$TMPDIR/config.json"
    export HONE_CONFIG=$TMPDIR/config.json
    copy_of "$template" work
    (unset HOME && like_any_other "HOME is not set") || failed=1
    copy_of "$template" work
    (export HOME=$TMPDIR/no-home && like_any_other "HOME is not there") || failed=1
    check_not "HOME is not there: nobody makes it" test -e "$TMPDIR/no-home"
    copy_of "$template" work
    (unset TERM LC_ALL TZ && like_any_other "TERM is not set") || failed=1
    copy_of "$template" work
    like_any_other "standard input closed" <&-

    # A descriptor that is free must not become a file that messages are written into.
    copy_of "$template" work && forget
    "$HONE" run review --json --agent "*=$agent" >&- 2>"$err"
    check "standard output closed: no success that was not seen, no crash" test $? -le 3
    hone log --json
    check "standard output closed: the journal is whole" "$SUPPORT/is_json" lines <"$out"
    check_is "standard output closed: the log" "$status" 0
    hone resume
    check_is "standard output closed: the end" "$status" 0
    check_is "standard output closed: nobody ran twice" "$(wc -l <"$play/log")" 5

    copy_of "$template" work && forget
    "$HONE" run review --agent "*=$agent" <&- >&- 2>&-
    check "everything closed: no crash" test $? -le 3
    hone resume
    check_is "everything closed: the end" "$status" 0
    check_is "everything closed: nobody ran twice" "$(wc -l <"$play/log")" 5

    copy_of "$template" work && forget
    whole_loop
    "$HONE" run review --json --agent "*=$agent" 2>"$err" | head -n 1 >"$out"
    status=${PIPESTATUS[0]}
    check "a reader that leaves: exit status $status" test "$status" -le 3
    check "a reader that leaves: what it read" "$SUPPORT/is_json" lines <"$out"
    hone resume
    check_is "a reader that leaves: the end" "$status" 0
    check_is "a reader that leaves: nobody ran twice" "$(wc -l <"$play/log")" 11

    copy_of "$template" work && forget
    hone run review --agent "*=$agent"
    check_not "no colours off a terminal" grep -q "$(printf '\033')" "$out" "$err"
    if command -v script >/dev/null; then
        NO_COLOR=1 TERM=xterm script -qec "'$HONE' run review --agent '*=$agent'" /dev/null \
            >"$out" 2>&1 </dev/null
        check_not "NO_COLOR on a terminal" grep -q "$(printf '\033')" "$out"
        TERM=xterm script -qec "'$HONE' run review --no-color --agent '*=$agent'" /dev/null \
            >"$out" 2>&1 </dev/null
        check_not "--no-color on a terminal" grep -q "$(printf '\033')" "$out"
        TERM='' script -qec "'$HONE' run review --agent '*=$agent'" /dev/null \
            >"$out" 2>&1 </dev/null
        check_has "a terminal without a name" "$out" clean
    else
        skip "colours on a terminal" "script is not installed"
    fi
}

cd "$TMPDIR" || exit 1
together no_git no_room usage journals
together much places worktrees surroundings
exit "$failed"
