#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What fixers may touch: their workspace, and of that nothing that runs elsewhere or later. Where
# there is a sandbox the system refuses it; where there is none it is found, named and put back.
#
# row: agent.later | it changes what runs later or elsewhere: `.git/hooks`, `.git/config`, `.claude`, `.codex`, `.mcp.json`, CI, `hone.json`, `.review-loop/config.md` | read-only; what is not there is looked for afterwards, put back, kept with the attempt, and the answer does not count | such files in subfolders; sources, Makefiles and scripts, which are its work: reviewers look at those | `sandbox.sh: a hook of git`, `sandbox.sh: a file of CI`, `sandbox.sh: a server of MCP`
# row: agent.tmp | it reads or plants what programs keep in `/tmp` or `/dev/shm`: sockets, scripts, locks, shared memory | empty ones for each attempt, of fixers and reviewers | `rights.tmp: true` shares them | `sandbox.sh: a private /tmp: for reviewers too`, `sandbox.sh: a private /tmp: what was written there is gone`, `cage_files.sh: and nothing is planted there`
# row: agent.own | it changes settings of your own agents (`~/.claude/settings.json`, `~/.codex/config.toml` ...) | read-only; new settings files are moved away | new folders of skills or commands where there were none | `sandbox.sh: settings of the user's own agents are as they were`
# row: agent.bare | there is no bubblewrap, or it is off | the run says so, and is refused (2) where a sandbox or less rights were asked for; protected files and reviewed trees are compared by content and put back; of a reviewer also the git folder (configuration, hooks, info, refs, index), submodules, repositories inside yours, and permissions | everything else: it has your rights; what it changes back before it ends; hooks of a repository whose git folder lies in your work tree | `sandbox.sh: no bubblewrap: put back`, `untouched.sh: the review did not count`
# row: agent.verdict | it writes a verdict, a journal or another attempt's answer itself | hone's folder is read-only but for the attempt's own; contract files are written by name, a planted one goes | without a sandbox it can write there | `sandbox.sh: nothing else can be written`
# row: agent.dies | it dies with hone in the middle of it | what it left in protected places is put back by the resume | - | `sandbox.sh: after a crash: what it left is named`
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/deed.sh"
export GIT_OPTIONAL_LOCKS=0

# All groups below have one home: what comes or goes there in the middle would count as an agent's
# deed.
mkdir -p "$HOME/.claude" && echo '{}' >"$HOME/.claude/settings.json"

template=$TMPDIR/template
new_repo "$template"
# As an earlier run left it: nothing but the agents writes there then.
printf '/.agents/tmp/state.json\n/.agents/tmp/phases\n' >>.git/info/exclude
mkdir -p .github/workflows .claude
echo 'on: push' >.github/workflows/ci.yml
echo '{}' >.claude/settings.json
git add . && git commit -q -m settings

work_tree()
{
    find . -path ./.agents -prune -o -path ./.git/hone -prune -o -path ./.git/objects -prune -o \
        -path ./.git/index -prune -o -path ./.git/logs -prune -o -path ./.git/refs -prune -o \
        -path ./.git/COMMIT_EDITMSG -prune -o -path ./notes.txt -prune -o \
        -type f -print0 -o -type l -print0 | LC_ALL=C sort -z | xargs -0 cksum
}

# refused NAME COMMANDS: in a sandbox it fails; without one it is put back and named as FILE.
refused()
{
    local name=$1 file=$2

    if [ -n "$sandbox" ]; then
        copy_of "$template" work
        work_tree >"$TMPDIR/before"
        fixes "$3"
        hone run review --agent "*=$agent"
        check_is "$name, sandbox: clean in the end" "$status" 0
        check_not "$name, sandbox: it fails" test -e "$play/could"
        check_is "$name, sandbox: the answer counts" "$(started review-fixer)" 1
        work_tree >"$TMPDIR/after"
        check "$name, sandbox: nothing changed" diff "$TMPDIR/before" "$TMPDIR/after"
    fi
    copy_of "$template" work
    work_tree >"$TMPDIR/before"
    fixes "$3"
    hone run review --no-sandbox --agent "*=$agent"
    check_is "$name: clean in the end" "$status" 0
    check "$name: it was done" test -e "$play/could"
    check_is "$name: the answer did not count" "$(started review-fixer)" 2
    check_has "$name: it is named" "$err" "$file"
    work_tree >"$TMPDIR/after"
    check "$name: all is as it was" diff "$TMPDIR/before" "$TMPDIR/after"
}

# made NAME FILE COMMANDS: a file that was not there; a sandbox cannot hold it, the second look can.
made()
{
    local name=$1 file=$2 option

    for option in ${sandbox:+--sandbox} --no-sandbox; do
        copy_of "$template" work
        work_tree >"$TMPDIR/before"
        fixes "$3"
        hone run review "$option" --agent "*=$agent"
        check_is "$name, $option: clean in the end" "$status" 0
        check "$name, $option: it was done" test -e "$play/could"
        check_is "$name, $option: the answer did not count" "$(started review-fixer)" 2
        check_has "$name, $option: it is named" "$err" "added $file"
        check_has "$name, $option: and what would allow it" "$err" "name the path in rights.change"
        check_has "$name, $option: it is told why" "$play/prompt.review-fixer.1.2" \
            "You changed files that you may not change"
        work_tree >"$TMPDIR/after"
        check "$name, $option: it is gone" diff "$TMPDIR/before" "$TMPDIR/after"
        check "$name, $option: its version is kept" grep -rqs scribble .git/hone/runs/*/*/kept
    done
}

sandbox=
if has_sandbox "fixers in the sandbox"; then sandbox=yes; fi

changes()
{
    refused "a file of CI" "modified .github/workflows/ci.yml" "echo x >.github/workflows/ci.yml"
    refused "a file of CI, renamed" "deleted .github/workflows/ci.yml" \
        "mv .github/workflows/ci.yml .github/workflows/other.yml"
    refused "its folder, renamed" ".github/workflows" "mv .github other; rm -r other"
    refused "settings of an agent" "modified .claude/settings.json" "echo x >.claude/settings.json"
    refused "a hook of git" "added .git/hooks/pre-commit" "echo x >.git/hooks/pre-commit"
    refused "the configuration of git" "modified .git/config" "git config core.fsmonitor touch"
    refused "configuration of one work tree" "added .git/config.worktree" \
        "echo scribble >.git/config.worktree"
}

additions()
{
    made "a server of MCP" .mcp.json "echo scribble >.mcp.json"
    made "settings of Codex" .codex "mkdir .codex; echo scribble >.codex/config.toml"
    made "CI of another kind" .gitlab-ci.yml "echo scribble >.gitlab-ci.yml"
    made "settings of hone" hone.json "echo scribble >hone.json"
    made "a link to CI" .circleci "mkdir -p '$TMPDIR/ci'; echo scribble >'$TMPDIR/ci/config.yml'
mkdir .circleci; echo scribble >.circleci/config.yml"
}

# ---- what they may do ----

allowed()
{
    copy_of "$template" work
    fixes "echo more >new.txt; git status --short; git diff; git stash list
touch \"\$TMPDIR/mine\"; touch '$HOME/.claude/state'; test -d .git/hone"
    hone run review --agent "*=$agent"
    check_is "work, looks and temporary files: clean" "$status" 0
    check "work, looks and temporary files: all of it" test -e "$play/could"
    check_is "the work is there" "$(cat new.txt)" more
    [ -n "$sandbox" ] || return
    copy_of "$template" work
    fixes "test ! -w /usr; test ! -w /etc; test ! -w .git/hone; test ! -w .git/hone/journal.db
if touch '$HOME/.claude/settings.json'; then exit 1; fi
touch \"\$HONE_OUTPUT\"; rm \"\$HONE_OUTPUT\""
    hone run review --agent "*=$agent"
    check "nothing else can be written: $(cat "$play/why")" test -e "$play/could"
    check_is "settings of the user's own agents are as they were" \
        "$(cat "$HOME/.claude/settings.json")" '{}'
}

# ---- settings ----

rights()
{
    copy_of "$template" work
    echo '{"rights":{"change":[".github/"]}}' >"$TMPDIR/rights.json"
    export HONE_CONFIG=$TMPDIR/rights.json
    fixes "echo scribble >.github/workflows/ci.yml; echo scribble >.github/workflows/new.yml"
    hone run review --agent "*=$agent"
    check_is "rights.change: clean" "$status" 0
    check_is "rights.change: the answer counts" "$(started review-fixer)" 1
    check_is "rights.change: it stays" "$(cat .github/workflows/ci.yml)" scribble
    unset HONE_CONFIG

    copy_of "$template" work
    echo '{"rights":{"change":["*"],"write":["/"],"env":["*"],"home":true}}' >hone.json
    fixes true
    hone run review --agent "*=$agent"
    check_is "rights that came with a repository are asked about" "$status" 2
    check_has "rights: they are shown" "$err" 'rights.env  ["*"]'
    check_is "rights: nobody was started" "$(wc -l <"$play/log")" 0
    [ -n "$sandbox" ] || return

    copy_of "$template" work
    mkdir -p "$HOME/.codex" && echo secret >"$HOME/secret" && echo mine >"$HOME/.codex/state"
    echo '{"rights":{"home":false,"network":false}}' >"$TMPDIR/rights.json"
    export HONE_CONFIG=$TMPDIR/rights.json
    ln -s "$HOME" .circleci # what a repository links to is not opened by it
    fixes "test ! -e '$HOME/secret'; test ! -e .circleci/secret; touch '$HOME/gone'
grep -q mine '$HOME/.codex/state'
test \$(tail -n +3 /proc/net/dev | wc -l) = 1"
    hone run review --agent "*=$agent"
    check_is "a private home and no network: clean" "$status" 0
    check "a private home and no network: so it was" test -e "$play/could"
    check_not "what is written to a private home is gone" test -e "$HOME/gone"
    unset HONE_CONFIG
}

# A /tmp of its own: what others keep there is not seen, and what is written there is gone.
private_tmp()
{
    local memory mine
    [ -n "$sandbox" ] || return
    copy_of "$template" work
    memory=$(mktemp -p /dev/shm hone-story.XXXXXX)
    mine=${memory##*/}.mine
    echo secret >"$TMPDIR/secret" && mkdir -p "$TMPDIR/bin"
    printf '#!/bin/sh\necho tool\n' >"$TMPDIR/bin/tool" && chmod +x "$TMPDIR/bin/tool"
    printf '{"rights":{"tmp":false,"write":["%s"]}}\n' "$play" >"$TMPDIR/rights.json"
    fixes "test ! -e '$TMPDIR/secret'; test \"\$(tool)\" = tool; test ! -w '$TMPDIR/bin/tool'
test ! -e '$memory'
for folder in /tmp /var/tmp /dev/shm \"\$TMPDIR\"; do echo x >\"\$folder/$mine\"; done
git status --short; echo more >new.txt; test -w \"\${HONE_OUTPUT%/*}\""
    does critic "if [ -e '$TMPDIR/secret' ] || [ -e '$memory' ]; then touch '$play/saw'; fi
echo x >/tmp/$mine; echo x >/dev/shm/$mine
$sees"
    # A home below /tmp would keep that as it is.
    HOME=$TMPDIR/no-home HONE_CONFIG=$TMPDIR/rights.json PATH=$TMPDIR/bin:$PATH \
        hone run review --agent "*=$agent"
    check_is "a private /tmp: clean" "$status" 0
    check "a private /tmp: so it was: $(cat "$play/why")" test -e "$play/could"
    check_not "a private /tmp: for reviewers too" test -e "$play/saw"
    check_is "a private /tmp: the work is there" "$(cat new.txt)" more
    check_is "a private /tmp: what was written there is gone" "$(ls "/tmp/$mine" \
        "/var/tmp/$mine" "/dev/shm/$mine" "$TMPDIR/$mine" 2>/dev/null)" ""
    rm -f "$memory"
    HONE_CONFIG=$TMPDIR/rights.json hone run review --no-sandbox --agent "*=$agent"
    one_line "a private /tmp without a sandbox" 2 "rights.tmp is false, which the sandbox sees to"
}

# ---- credentials ----

credentials()
{
    copy_of "$template" work
    export GITHUB_TOKEN=tok-Red-4711 DB_PASSWORD=hunter2 SSH_AUTH_SOCK=/tmp/none
    export ANTHROPIC_API_KEY=ant-Blue-4712
    fixes "env >'$TMPDIR/env'"
    hone run review --agent "*=$agent"
    check_is "credentials: clean" "$status" 0
    check_not "no token of others" grep -q -e GITHUB_TOKEN -e hunter2 -e SSH_AUTH_SOCK "$TMPDIR/env"
    check "what models need is there" grep -q ant-Blue-4712 "$TMPDIR/env"
    hone show "$(basename .git/hone/runs/*)" 6
    check_has "hone show: the names" "$out" GITHUB_TOKEN
    check_not "the value is nowhere" grep -rqs -e tok-Red-4711 .git/hone/runs
    hone run review --agent "*=analyzer:shellcheck" --agent "review-fixer=fixits"
    check "an analyzer gets none" grep -qs ANTHROPIC_API_KEY .git/hone/runs/*/1-1/withheld
    copy_of "$template" work
    echo '{"rights":{"env":["GITHUB_*"]}}' >"$TMPDIR/rights.json"
    fixes "env >'$TMPDIR/env'"
    HONE_CONFIG=$TMPDIR/rights.json hone run review --agent "*=$agent"
    check "rights.env passes what it names" grep -q GITHUB_TOKEN=tok-Red-4711 "$TMPDIR/env"
    check_not "and nothing else" grep -q DB_PASSWORD "$TMPDIR/env"
    unset GITHUB_TOKEN DB_PASSWORD SSH_AUTH_SOCK ANTHROPIC_API_KEY
}

# ---- where there is none ----

without()
{
    local bin=$TMPDIR/bin name
    copy_of "$template" work
    mkdir -p "$bin"
    for name in sh git sed grep cat touch env mkdir rm timeout; do
        ln -sf "$(command -v "$name")" "$bin/$name"
    done
    fixes "echo scribble >.git/hooks/pre-push"
    echo '{"rights":{"network":false}}' >"$TMPDIR/no_network.json"
    HONE_CONFIG=$TMPDIR/no_network.json PATH=$bin hone run review --agent "*=$agent"
    check_is "no bubblewrap: what nothing would keep: exit" "$status" 2
    check_has "no bubblewrap: what nothing would keep: words" "$err" "rights.network is false"
    PATH=$bin hone run review --sandbox --agent "*=$agent"
    one_line "no bubblewrap: asked for by a flag" 2 \
        "a sandbox is asked for (--sandbox, or sandbox true), and bubblewrap is not installed"
    echo '{"sandbox":true}' >"$TMPDIR/asked.json"
    HONE_CONFIG=$TMPDIR/asked.json PATH=$bin hone run review --agent "*=$agent"
    check_is "no bubblewrap: asked for by a file: exit" "$status" 2
    check_has "no bubblewrap: asked for by a file: words" "$err" "a sandbox is asked for"
    check_is "no bubblewrap: no agent was started" "$(wc -l <"$play/log")" 0
    PATH=$bin hone run review --agent "*=$agent"
    check_is "no bubblewrap: clean in the end" "$status" 0
    check_is "no bubblewrap: said once" "$(grep -c 'run without a sandbox' "$err")" 1
    check_has "no bubblewrap: put back" "$err" "added .git/hooks/pre-push"
    check_not "no bubblewrap: nothing allows that" grep -q "to allow it" "$err"
    check_not "no bubblewrap: it is gone" test -e .git/hooks/pre-push
}

# ---- a fixer that dies with hone ----

crash()
{
    copy_of "$template" work
    fixes "echo scribble >.mcp.json; echo scribble >.git/hooks/pre-push; kill -9 \$(cat '$play/pid')
sleep 20"
    "$HONE" run review --no-sandbox --agent "*=$agent" >"$out" 2>"$err" &
    echo $! >"$play/pid"
    wait $! 2>/dev/null
    reviews
    does review-fixer "sed -i /defect/d notes.txt; echo '# Fix Summary'"
    hone resume
    check_is "after a crash: clean" "$status" 0
    check_has "after a crash: what it left is named" "$err" "added .git/hooks/pre-push"
    check_not "after a crash: it is gone" test -e .git/hooks/pre-push
    check_not "after a crash: and so is the other" test -e .mcp.json
}

together changes additions allowed rights private_tmp credentials without crash
exit "$failed"
