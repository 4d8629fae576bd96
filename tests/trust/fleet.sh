#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A fleet whose other end is hostile: a carrier and a worker that lie to a driver, a driver that
# lies to a worker, and an agent that looks around on a worker.
#
# row: fleet.closed | a worker sends back a change of what no agent may change: hone.json, .hone, settings of agents, hooks, pipelines, a link in the place of such a folder, or a commit of one | the driver refuses the result as a whole, by the same table as the sandbox; rights.change opens the same paths | what the worker says that its agent answered: believe it as far as the machine
# row: fleet.broke | on a worker without a sandbox an agent changes what it may not, and the worker puts it back; the worker's words about that are a prompt of its own | the answer does not count, and the agent is told so in hone's words | a worker that says nothing of it
# row: fleet.ways | a result has files by names such as ../x, a link and a file through it, a .git in any spelling, a file where you have an ignored one | names are from a fixed list, paths are looked at one by one and git's own checks are strict; a file of yours that the worker never saw stays | -
# row: fleet.lies | another nonce, an unknown attempt thousands of times, output from a place far beyond the end, blobs of 10 GB, lines without an end, asking for blobs that are no history of the run, an end with status 0 and no answer | what is no line is skipped, what is too large is lost, and five losses in a row end the run, resumable; only the commit that was sent is ever given | a worker that says nothing while it beats is waited for until limits.time and two minutes have passed
# row: fleet.shown | escapes in names of workers, labels, reasons, problems, files | shown by number, on terminals and in reports | -
# row: fleet.opened | a driver's settings open rights on a worker: the /tmp of all, with the sockets in it, besides other paths to write to, credentials, no sandbox | closed there; rights.tmp, rights.network and rights.home of the worker's own user count | without bubblewrap there is no sandbox
# row: fleet.around | an agent on a worker looks for the keys of the fleet, for jobs and results of others, and blobs | in the sandbox these places are empty; the environment does not name them | without bubblewrap it can read what its user can: give the worker a user of its own; clones of other repositories can be read, as your home folder can, unless rights.home is false
# row: fleet.poison | an agent leaves something for attempts of others that get its clone or work tree: hooks, configuration, attributes, alternates, replaced and odd refs, index marks, a file system monitor, sparse checkout, submodules, repositories inside, pipes, folders that cannot be read; a driver sends trees, histories and names that no tree may have | the clone and what is beside a work tree cannot be written in the sandbox; the git folder is made anew for each attempt, as in a new tree; files of another run go, and where git cannot take them away all of it is made anew; what comes is judged as a whole by git's strict checks, in all spellings of .git | ignored files stay for the same run, as they would at the driver; without bubblewrap an agent can write where its user can; caches of build tools and agents' own state are the worker user's, for all runs | `fleet.sh: fleet.poison`, `test_travel_hostile.c: whatever_an_agent_left_another_run_begins_as_with_a_new_tree`, `test_travel_hostile.c: what_git_cannot_take_away_makes_all_of_it_new`, `test_travel_hostile.c: a_tree_that_no_tree_may_be_is_refused`
# row: fleet.near | an agent on a worker looks at processes of the worker and of other attempts: signals, ptrace, their memory, environment and open files; and at what it has inherited | in the sandbox it sees none of them; it inherits no descriptor, with a sandbox or without | without bubblewrap, and as root whose machine gives no whole cage, agents of one user can do all that to each other: give the worker a user of its own, or bubblewrap
# row: fleet.bare | a run's setup command on a worker that has no sandbox | refused, as one that this worker cannot play, unless its user said --no-sandbox, and no --agents that a command of a run would get around | agents themselves go without one there, which the worker says when it begins
# row: fleet.full | a driver fills a worker's disk: blobs of absurd size or without number, clones and work trees, histories that say in a few bytes that they are very many, output without an end, results that it never fetches | 8 GiB of blobs and 20 GiB of clones and work trees at any time: what is to come makes room first, the oldest goes, what is in use stays, and else the job is refused; 4 GiB of output; a week for results; bounds on the files of a tree, of HEAD, and on memory for one object | what an agent or a setup command writes counts when it is looked at, each hour: give the worker a disk or a quota of its own | `test_worker_blobs.c: blobs_of_absurd_size_are_refused_at_their_first_piece`, `test_travel_hostile.c: a_store_that_is_full_drops_what_is_not_in_use_and_refuses_else`, `test_travel_hostile.c: a_commit_of_very_many_files_is_refused`, `fleet.sh: fleet.full`
# row: fleet.rights | a worker's key is used for what is no worker's work: to store, read or cancel jobs, to read results, to make or delete streams and consumers, to speak as a driver; also by naming such a subject as the place of an answer | rights by subject, and an account of the server's for each worker, in which such an answer ends | pools share jobs out and hide nothing: a worker can read what any run sends, answer what its own pools get, and fill the streams; a configuration that was made by hand; drivers trust each other: one can take another's run away | `subjects.sh: a worker has no answer sent to where it may not publish`
# row: fleet.claims | a worker writes over claims of others, takes them away, or stores results for attempts that it was not given | a claim that is written over is put back by its worker, and no agent begins by another's; one that is taken away, or written over so that it cannot be read, and a result without the attempt's nonce, lose the attempt: no answer is wrong | it can let a run fail, also by saying that no worker of a pool can have an attempt, and nothing says which worker did it: take the key of one that is not trusted away (its line of users.list) | `subjects.sh: one whose claim another worker takes away is lost`, `subjects.sh: no attempt is answered by it`
# row: fleet.grows | a worker's key tells of attempts that no driver named, without end, and wants histories that no run has | of a key that a driver did not name nothing is kept; a history is asked for once at a time, 256 of them at most, and none while the driver has not read what there is | the server and the link read what is said: take the key away | `grows.sh: keys that no driver named leave nothing`, `grows.sh: no more bases are asked for than there is room for`
. "${TOP:?}/tests/trust/lib.sh"

setup()
{
    with_play
    SUPPORT=${HONE%/*}/tests/support
    export CARRIER_DIR=$TMPDIR/carrier
}

# begin RULES...: a tree, and a carrier that does so; its agents are HOME/do.
begin()
{
    cd "$TMPDIR" || exit 1
    rm -rf work "$CARRIER_DIR"
    mkdir -p "$CARRIER_DIR/answers"
    printf '%s\n' "$clean" >"$CARRIER_DIR/answer"
    printf '%s\n' "$@" >"$CARRIER_DIR/does"
    new_repo work
    forget
}

# shellcheck disable=SC2154 # of play.sh
# The carrier's agent: a fixer does that, and reviewers look for the defect.
fixer()
{
    cat >"$CARRIER_DIR/do" <<END
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

# away ARGUMENTS...: a run whose agents play at the carrier.
away()
{
    limit=60 hone run "$@" --fleet "cmd:$SUPPORT/carrier" --agent '*=cmd:false'
}

closed()
{
    local file before
    case $way in *-bare) return ;; esac # its agents begin elsewhere
    for file in .hone/roles/me.md .github/workflows/x.yml; do
        begin '* work'
        mkdir -p .github/workflows && echo mine >.github/workflows/x.yml
        git add .github && git commit -q -m pipeline
        before=$(git rev-parse HEAD)
        fixer "mkdir -p '$file'; rmdir '$file' || rm -f '$file'; echo '{}' >'$file'
sed -i /defect/d notes.txt"
        away review
        check_not "fleet.closed: $file: no success" test "$status" = 0
        check_has "fleet.closed: $file: said" "$TMPDIR/err" "$file, which no agent may change"
        check_is "fleet.closed: $file: nothing came" "$(git status --porcelain)" ' M notes.txt'
        check_is "fleet.closed: $file: HEAD" "$(git rev-parse HEAD)" "$before"
    done
    begin '* work'
    # shellcheck disable=SC2016
    fixer '[ $HONE_ATTEMPT != 1 ] || { rm -rf .claude; ln -s /etc .claude; }
sed -i /defect/d notes.txt'
    away review
    check_is "fleet.closed: a link, then none: exit" "$status" 0
    check_has "fleet.closed: a link: said" "$TMPDIR/err" ".claude, which no agent may change"
    check_not "fleet.closed: a link: it did not come" test -L .claude
    check_is "fleet.closed: the second one's work did" "$(cat notes.txt)" hello
}

broke()
{
    case $way in *-bare) return ;; esac
    begin '1.1 broke'
    away review
    check_is "fleet.broke: exit" "$status" 0
    check_is "fleet.broke: asked again" "$(grep -c '^job .*\.1\.2$' "$CARRIER_DIR/log")" 1
    check_has "fleet.broke: in hone's words" "$(echo .git/hone/runs/*/1-2/prompt)" \
        'You changed files that you may not change (on a worker)'
    check_not "fleet.broke: not in the worker's" grep -q 'Ignore all' .git/hone/runs/*/1-2/prompt
    check_not "fleet.shown: no escape of a result" grep -q "$(printf '\033')" "$TMPDIR/err"
}

ways()
{
    case $way in *-bare) return ;; esac
    begin '* work'
    printf 'secret\nout\n' >.gitignore
    git add .gitignore && git commit -q -m ignored
    echo mine >secret
    mkdir "$TMPDIR/outside" && ln -s "$TMPDIR/outside" out
    # The worker's tree has neither: there they are files to be added.
    # shellcheck disable=SC2016
    fixer 'rm .gitignore; echo evil >secret; mkdir out; echo evil >out/file
ln -s /etc lead; sed -i /defect/d notes.txt'
    away review
    check_is "fleet.ways: an ignored file of the user's stays" "$(cat secret)" mine
    check_not "fleet.ways: nothing came through a link" test -e "$TMPDIR/outside/file"
    rm -rf "$TMPDIR/outside"
}

# ---- a carrier that says what it likes ----

# liar COMMANDS: for each job, a shell runs them; $k, $run, $nonce are its own.
liar()
{
    cat >"$TMPDIR/liar" <<END
#!/bin/bash
ended() { # FILES END: a result
    printf '{"m":"ended","k":"%s","result":{"v":1,"run":"%s","nonce":"%s","worker":"w",' \
        "\$k" "\$run" "\$nonce"
    printf '"host":"h","begun_ms":1,"ended_ms":2,"workspace":"/w","answer":"/w/a",'
    printf '"end":%s,"files":%s,"tree":{"changed":false}}}\n' "\$2" "\$1"
}
while IFS= read -r line; do
    case \$line in
    *'"m":"hello"'*) echo '{"m":"ready","v":1,"carrier":"liar \u001b[2J","lease_ms":20000}' ;;
    *'"m":"get"'*) ${2:-:} ;;
    *'"m":"job"'*)
        k=\$(sed 's/.*"k":"\([^"]*\)".*/\1/' <<<"\${line%%'"job":'*}")
        run=\${k%.*.*}
        nonce=\$(sed 's/.*"nonce":"\([^"]*\)".*/\1/' <<<"\$line")
        echo '{"m":"taken","k":"'\$k'","worker":"w"}'
        $1
        ;;
    *'"m":"blob"'*) [[ \$line = *'"id":"base-'* ]] && touch "$TMPDIR/gave" ;;
    esac
done
END
    chmod +x "$TMPDIR/liar"
    rm -f "$TMPDIR/gave"
    limit=60 hone run review --no-fix --fleet "cmd:$TMPDIR/liar" --agent '*=cmd:false'
}

# The run ended as failed, and what it keeps is small.
is_sane()
{
    check_is "fleet.lies: $1: exit" "$status" 3
    check "fleet.lies: $1: little is kept" test "$(du -sk .git/hone | cut -f1)" -lt 20000
    check_not "fleet.shown: $1" grep -q "$(printf '\033')" "$TMPDIR/err" "$TMPDIR/out"
}

# shellcheck disable=SC2016 # for the liar
lies()
{
    case $way in *-bare) return ;; esac
    local refused='echo "{\"m\":\"refused\",\"k\":\"$k\",\"why\":\"no \\u001b[31m\"}"'
    local zero done='{"by":"exit","value":0}'
    zero=sha256-$(printf '%064d' 0)
    begin
    liar "ended '[{\"name\":\"../../x\",\"id\":\"$zero\"}]' '$done'"
    is_sane "a file by a name that leads out"
    check_has "fleet.ways: a name that leads out is said" "$TMPDIR/err" 'its result cannot be read'
    begin
    liar "ended '[]' '$done'"
    is_sane "status 0 without an answer"
    begin
    liar "nonce=\${nonce//[1-9a-f]/0}; ended '[]' '$done'"
    is_sane "another nonce"
    check_has "fleet.lies: another nonce: said" "$TMPDIR/err" "is not its worker's"
    begin
    liar "ended '[{\"name\":\"answer\",\"id\":\"$zero\"}]' '$done'" \
        "echo '{\"m\":\"blob\",\"id\":\"$zero\",\"bytes\":10000000000,\"at\":0,\"data\":\"eA==\"}'"
    is_sane "10 GB"
    check_has "fleet.lies: 10 GB: said" "$TMPDIR/err" 'did not come whole'
    begin
    liar 'for at in 4294967290 1099511627776 18446744073709551615 3000000000; do
        echo "{\"m\":\"said\",\"k\":\"$k\",\"at\":$at,\"data\":\"eA==\"}"; done; '"$refused"
    is_sane "output far beyond the end"
    begin
    liar 'for n in {1..3000}; do k=$run.7.$n ended "[]" "{}"; done
        for n in {1..3000}; do echo "{\"m\":\"away\",\"why\":\"$n \\u001b[2J\"}"; done; '"$refused"
    is_sane "thousands of lines"
    check "fleet.lies: thousands of lines: few are said" test "$(wc -l <"$TMPDIR/err")" -lt 60
    begin
    liar 'head -c 9000000 /dev/zero | tr "\0" "["; echo
        head -c 100000 /dev/urandom; echo; '"$refused"
    is_sane "lines without an end"
    begin
    liar 'for id in base-'"$(printf '%040d' 0)"' sha256-'"$(printf '%064d' 0)"' base-../../x; do
        echo "{\"m\":\"need\",\"id\":\"$id\"}"; done; '"$refused"
    is_sane "blobs that are no history of the run"
    check_not "fleet.lies: none was given" test -e "$TMPDIR/gave"
    begin
    hone fleet show "cmd:$SUPPORT/carrier"
    check_not "fleet.shown: labels" grep -q "$(printf '\033')" "$TMPDIR/out" "$TMPDIR/err"
    begin '1.1 problem' '2.1 exit 3'
    away review --no-fix
    hone show
    check_not "fleet.shown: hone show" grep -q "$(printf '\033')" "$TMPDIR/out"
}

# ---- an agent on a worker ----

# looks COMMANDS: what an agent of a real worker says, in $saw. The worker's user has the home
# THERE, the keys of a fleet in it, and what other attempts left.
looks()
{
    cd "$TMPDIR" || exit 1
    rm -rf work && new_repo work
    printf '%s\n' "$1" >look.sh
    hone run review --reviewers critic --fleet "cmd:HOME=$there $HONE worker --lines \
--folder $there/kept --keys $there/keys" --agent '*=cmd:sh ./look.sh'
    saw=$(echo .git/hone/runs/*/1-1/stdout)
}

around()
{
    [ -n "$caged" ] || return 0
    there=$HOME/there
    mkdir -p "$there/keys" "$there/kept/runs/other/attempts/x" "$there/kept/workers/w"
    echo SUSEED >"$there/keys/nkey.seed"
    echo theirs >"$there/kept/workers/w/job"
    echo theirs >"$there/kept/runs/other/attempts/x/job"
    # shellcheck disable=SC2016
    looks 'cat "$HOME/keys/nkey.seed" "$HOME/kept/workers/w/job" \
"$HOME/kept/runs/other/attempts/x/job"
cat "$HOME"/kept/blobs/* | head -c 100; env | grep -i -e seed -e fleet_keys; echo seen'
    check_is "fleet.around: nothing but its own" "$(cat "$saw")" seen
    echo theirs >"/tmp/hone-around-$way"
    looks "cat '/tmp/hone-around-$way'; echo seen"
    check_is "fleet.opened: /tmp is its own, though the driver's rights.tmp shares it" \
        "$(cat "$saw")" seen
    mkdir -p "$there/.config/hone"
    echo '{"rights":{"tmp":true}}' >"$there/.config/hone/config.json"
    looks "cat '/tmp/hone-around-$way'; echo seen"
    check_is "fleet.opened: it is shared where the worker's user says so" \
        "$(cat "$saw")" "theirs
seen"
    rm -f "/tmp/hone-around-$way"
}

# sets SETTINGS [OPTION...]: what a reviewer on a worker with these options said, in $saw; the
# driver has these settings.
sets()
{
    cd "$TMPDIR" || exit 1
    rm -rf work && new_repo work
    printf '%s\n' "$1" >"$HOME/.config/hone/config.json"
    printf 'cat made; echo seen\n' >look.sh
    shift
    # shellcheck disable=SC2154 # of play.sh
    limit=60 hone run review --reviewers critic --fleet "cmd:HOME=$HOME/there $HONE worker --lines \
--folder $HOME/there/kept $*" --agent '*=cmd:sh ./look.sh'
    saw=$(cat .git/hone/runs/*/1-1/stdout 2>/dev/null)
    printf '{"rights":{"tmp":true}}\n' >"$HOME/.config/hone/config.json"
}

bare()
{
    local setup='{"fleet":{"setup":"echo set >made"}}'
    mkdir -p "$HOME/there"
    sets "$setup"
    if [ -n "$caged" ]; then
        check_is "fleet.bare: a setup command runs in a sandbox" "$saw" "set
seen"
    else
        check_is "fleet.bare: no sandbox, no setup command: nothing was played" "$saw" ""
        check_has "fleet.bare: and that is said" "$TMPDIR/err" 'the run has a setup command, and'
        sets '{}'
        check_has "fleet.bare: without one agents play" <(echo "$saw") seen
    fi
    sets "$setup" --no-sandbox
    check_is "fleet.bare: it runs where the worker's user said so" "$saw" "set
seen"
    sets "$setup" --no-sandbox --agents cmd
    check_is "fleet.bare: but not beside --agents" "$saw" ""
    check_has "fleet.bare: which is said" "$TMPDIR/err" 'but only those of --agents'
}

# A fixer on a worker that writes to all that its worker keeps beside the work tree.
poison()
{
    [ -n "$caged" ] || return 0
    there=$HOME/there
    mkdir -p "$there"
    cd "$TMPDIR" || exit 1
    rm -rf work && new_repo work
    cp "$play/found" "$play/clean" .
    cat >look.sh <<'END'
if [ "$HONE_ROLE" = review-fixer ]; then
    kept=${PWD%/store/*}
    here=${PWD%/places/*}
    for file in ../state ../setup ../lock ../hone/index ../x ../../2/work/x "$here/lock" \
        "$here/used" "$here/clone/config" "$here/clone/HEAD" "$here/clone/hooks/x" \
        "$here/clone/shallow" "$here/clone/objects/x" "$here/clone/objects/info/alternates" \
        "$here/clone/packed-refs" "$here/clone/refs/hone/has/x" "$kept/store/.room" \
        "$kept/store/x" "$kept/blobs/x" "$kept/name" "$kept/swept" "$kept/runs/x" \
        "$kept/workers/x" "$kept/looked/x" "$kept/x"; do
        mkdir -p "$(dirname "$file")"
        printf 'ev%s\n' il >"$file"
    done 2>/dev/null
    mv "$here/clone" "$here/away" 2>/dev/null
    sed -i /defect/d notes.txt
    echo '# Fixed: notes.txt'
elif grep -q defect notes.txt; then cat found; else cat clean; fi
END
    hone run review --reviewers critic --fleet "cmd:HOME=$there $HONE worker --lines \
--folder $there/kept" --agent '*=cmd:sh ./look.sh'
    check_is "fleet.poison: it worked" "$status" 0
    check_is "fleet.poison: and nothing beside its tree is changed" \
        "$(grep -rl evil "$there/kept"; find "$there/kept" -name x -o -name away)" ''
}

# An agent that looks at the processes of its worker, and at what it has open.
near()
{
    there=$HOME/there
    mkdir -p "$there"
    # shellcheck disable=SC2016
    looks 'for p in /proc/[0-9]*; do
    case $(tr "\0" " " <$p/cmdline 2>/dev/null) in
    *"hone worker"*|*"hone play"*|*"hone-link"*)
        echo "process ${p#/proc/}"
        kill -0 "${p#/proc/}" && echo signal
        head -c 1 <"$p/environ" >/dev/null && echo environ
        ls -l "$p/fd" | grep -q socket && echo fd ;;
    esac
done 2>/dev/null
for d in /proc/self/fd/*; do echo "$(basename "$d") $(readlink "$d")"; done |
    grep -v -e "^[012] " -e "/proc/" -e "^[0-9]* $"
echo seen'
    check_has "fleet.near: it looked" "$saw" seen
    check_not "fleet.near: no descriptor of its worker's: sockets, pipes, locks, jobs" \
        grep -qE '^[0-9]+ ' "$saw"
    if [ -n "$caged" ]; then
        check_is "fleet.near: no process of its worker's is seen" "$(cat "$saw")" seen
    else
        check_has "fleet.near: without a sandbox it sees them" "$saw" process
    fi
}

# ---- what is kept on a worker ----

# kept BOX DAYS: an attempt's result, and the run's folder, so old.
kept()
{
    mkdir -p "$1/attempts/r.1.1"
    echo '{}' >"$1/attempts/r.1.1/result"
    echo 1 >"$1/epoch"
    touch -d "$2 days ago" "$1/attempts/r.1.1/result" "$1/epoch"
}

stays()
{
    local there=$TMPDIR/there
    case $way in *-bare) return ;; esac
    kept "$there/runs/old" 8
    kept "$there/runs/new" 6
    kept "$there/runs/held" 8
    kept "$there/workers/w" 8
    mkdir -p "$there/blobs" "$there/store"
    : >"$there/runs/held/lock"
    check "fleet.full: sweep" flock "$there/runs/held/lock" "$HONE" play --sweep --folder "$there"
    check_not "fleet.full: a run that no driver came back to" test -e "$there/runs/old"
    check "fleet.full: one of the last week stays" test -e "$there/runs/new/attempts/r.1.1/result"
    check "fleet.full: one that a process has stays" test -e "$there/runs/held/epoch"
    check_not "fleet.full: a result that no driver fetched" \
        test -e "$there/workers/w/attempts/r.1.1"
}

for_each_way around poison near bare closed broke ways lies stays
