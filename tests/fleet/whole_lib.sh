# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# whole_lib.sh - for stories of a whole fleet: hone run, hone-link, a real nats-server and workers,
# each with a home of its own, on this machine. Sourced after lib.sh.
#
# 1. Agents are a script that the repository has (player), so that it travels with it. Each agent
#    writes down, outside of all work trees, which attempt it is of which run, where it plays and
#    the number of its process.
# 2. With a file `slow` each takes some tenths of a second. An agent whose role is held (hold ROLE,
#    or ROLE.WORKER for those on one worker) waits in its middle until it is released.
# 3. What is compared is what a run of the same on this machine alone leaves.

play=$TMPDIR/play
mkdir -p "$play"
export HONE_FLEET_LEASE_MS=${HONE_FLEET_LEASE_MS:-2000}
driver_pid=
out=$TMPDIR/driver.out
err=$TMPDIR/driver.err

whole_end()
{
    rm -f "$play"/hold.*
    [ -z "$driver_pid" ] || kill -9 "$driver_pid" 2>/dev/null
    local name
    for name in "${!end_pid[@]}"; do kill "${end_pid[$name]}" 2>/dev/null; done
    at_end # a second word: they end at once
}
trap whole_end EXIT

# player_write FILE: what all agents are.
player_write()
{
    cat >"$1" <<END
play=$play
found='$found'
clean='$clean'
END
    cat >>"$1" <<'END'
at=${HONE_OUTPUT%/*}
at=${at##*/}
echo "$HONE_RUN $at $HONE_ROLE ${HOME##*/} $$" >>"$play/begun"
[ ! -e "$play/slow" ] || sleep "0.$(($$ % 7))"
turns=0
while [ -e "$play/hold.$HONE_ROLE" ] || [ -e "$play/hold.$HONE_ROLE.${HOME##*/}" ]; do
    [ $((turns += 1)) -lt 4000 ] || break
    : >"$play/held.$HONE_ROLE"
    sleep 0.05
done
case $HONE_ROLE in
review-fixer)
    sed -i '0,/defect/{/defect/d}' notes.txt
    echo '# Fixed: notes.txt'
    ;;
builder)
    [ -e "$HONE_TASK_ID.txt" ] && touch good.txt
    echo "$HONE_TASK_ID" >"$HONE_TASK_ID.txt"
    echo TASK_COMPLETE
    ;;
loop-reviewer | run-reviewer)
    if [ "$HONE_TASK_ID" = b ] && [ "$HONE_ROUND" = 1 ]; then
        printf '{"passed":false,"interpretedIntent":"x","issues":[{"file":"b.txt","line":1,'
        echo '"type":"dead-code","description":"no","suggestion":"more"}]}'
    else
        echo '{"passed":true,"intentSatisfied":true,"issues":[]}'
    fi
    ;;
*) if grep -q defect notes.txt; then echo "$found"; else echo "$clean"; fi ;;
esac
END
}

# worker NAME [OPTION...]: one that has joined, in a home of its own. `worker_hone` is what it runs.
worker()
{
    local name=$1 home=$TMPDIR/$1
    shift
    mkdir -p "$home/tmp"
    cp -R "$HOME/.config" "$HOME/.gitconfig" "$home/"
    HOME=$home TMPDIR=$home/tmp "${worker_hone:-$HONE}" worker "$url" --name "$name" --no-sandbox \
        "$@" >"$TMPDIR/$name.err" 2>&1 &
    end_pid[$name]=$!
    until_true 20 grep -q "is in pool" "$TMPDIR/$name.err" || { not_ok "$name joins"; exit 1; }
}

# worker_kill NAME [SIGNAL]: KILL where nothing else is said.
worker_kill()
{
    kill "-${2:-KILL}" "${end_pid[$1]}"
    wait "${end_pid[$1]}" 2>/dev/null
    unset "end_pid[$1]"
}

# links_of PID: the numbers of the links that a worker, or a driver, has.
links_of()
{
    local pid
    for pid in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
        [ "$(cat "/proc/$pid/comm" 2>/dev/null)" != hone-link ] || echo "$pid"
    done
}

# ---- runs ----

# copy_of TEMPLATE NAME: a copy is entered, and no agent has begun.
copy_of()
{
    rm -rf "${TMPDIR:?}/$2" "${play:?}"/*
    : >"$play/begun"
    cp -R "$1" "$TMPDIR/$2" && cd "$TMPDIR/$2" || exit 1
}

# drive ARGUMENTS...: hone, until it ends; its exit status in $status.
drive()
{
    timeout -k 5 "${limit:-30}" "$HONE" "$@" >"$out" 2>"$err"
    status=$?
}

# begin ARGUMENTS...: hone in the background.
begin()
{
    "$HONE" "$@" >"$out" 2>"$err" &
    driver_pid=$!
}

# finish: waits for that one, with a bound; its exit status in $status.
finish()
{
    until_true "${limit:-30}" has_ended "$driver_pid" || kill -KILL "$driver_pid"
    wait "$driver_pid" 2>/dev/null
    status=$?
    driver_pid=
}

has_ended()
{
    case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in
    '' | Z*) return 0 ;;
    esac
    return 1
}

hold()
{
    : >"$play/hold.$1"
}

release()
{
    rm -f "$play/hold.$1"
}

held() # waits until an agent of this role is in its middle
{
    until_true 20 test -e "$play/held.$1" || not_ok "an agent of $1 begins"
}

# begun_more: attempts whose agent was begun more than once.
begun_more()
{
    cut -d' ' -f1,2 "$play/begun" | sort | uniq -d
}

# nobody_left: no agent that has begun is alive.
nobody_left()
{
    local pid
    for pid in $(cut -d' ' -f5 "$play/begun"); do
        has_ended "$pid" || return 1
    done
}

where() # where() ROLE: the homes that agents of this role played in
{
    awk -v role="$1" '$3 == role { print $4 }' "$play/begun" | sort -u | tr '\n' ' '
}

# ---- what is run ----

player='*=cmd:sh player'
review=(review "a task" --no-sandbox --agent "$player")

new_repo "$TMPDIR/review"
player_write player
git add player && git commit -q -m player
mkdir "$TMPDIR/loops" && cd "$TMPDIR/loops" || exit 1
git init -q -b main .
echo text >notes.txt
player_write player
git add . && git commit -q -m first
printf '%s\n' '# one' '- [ ] a: Add a' '- [ ] b: Add b' '- [ ] c: Add c' '# two' '- [ ] d: Add d' \
    >"$TMPDIR/tasks.md"
loops=(loops --tasks "$TMPDIR/tasks.md" --no-sandbox --agent "$player")

review_files()
{
    contract_files . | sed "s|$PWD|HERE|g"
    cat notes.txt
    git status --porcelain
    git for-each-ref
    findings_alike
}

loops_files()
{
    git log --reverse --first-parent --format=%s main | sed 's/^Merge [^:]*: //' | sort
    cat -- *.txt
    git rev-parse main:
    git status --porcelain
    git worktree list | wc -l
    git for-each-ref --format='%(refname)' | sed 's|refs/hone/[^/]*/|refs/hone/RUN/|'
    "$SUPPORT/sql" .git/hone/journal.db "select id || ' ' || status || ' ' || group_name
        from tasks order by position"
    "$SUPPORT/sql" .git/hone/journal.db "select task_id || ' ' || passed || ' ' || count(*)
        from loop_reviews group by task_id, passed order by task_id, passed"
}

# as_here NAME KIND: the run ended as the one of this machine did, and no attempt was begun twice.
as_here()
{
    check_is "$1: exit" "$status" 0
    [ "$status" = 0 ] || sed 's/^/    /' "$err"
    "$2_files" >"$TMPDIR/$1.files"
    check "$1: it ends as it does here" diff "$TMPDIR/$2.here" "$TMPDIR/$1.files"
    check_is "$1: none was begun twice" "$(begun_more)" ''
}

# ends_here: how they end on this machine alone.
ends_here()
{
    copy_of "$TMPDIR/review" here
    drive run "${review[@]}"
    review_files >"$TMPDIR/review.here"
    copy_of "$TMPDIR/loops" here
    drive run "${loops[@]}"
    check_is "here: exit" "$status" 0
    loops_files >"$TMPDIR/loops.here"
}
