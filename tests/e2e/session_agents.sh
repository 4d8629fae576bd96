#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # for the shells of agents
#
# Who plays the roles of a session, and who the session file says it was: a Codex executor, Claude
# Code as the reviewer, no fall back to the local Codex reviewer that the user did not ask for.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/models.sh"
. "$TOP/tests/support/host.sh"
. "$TOP/tests/support/session.sh"

# What a client says in a session: by its phase and role.
answers='. "'$play'/words"
case $HONE_ROLE.$HONE_PHASE in
executor.planning) plan "say bye" ;;
executor.*) echo "bye $HONE_ROUND" >>notes.txt; report "bye said" notes.txt ;;
*) approve ;;
esac'
printf '%s\n' "$answers" >"$play/answers"

# clients NAME...: these are on the PATH, and no other.
clients()
{
    local name
    rm -rf "${TMPDIR:?}/bin" && mkdir -p "$TMPDIR/bin"
    for name in "$@"; do
        "stand_in_$name" "$TMPDIR/bin/$name" "play='$play'; . '$play/answers'"
    done
    PATH=$TMPDIR/bin:$plain_path
}

# start ARGUMENTS...: a run with no agent named.
start()
{
    hone run session --stop-after before-polish "$@" "Say bye"
}

with_a_codex_executor()
{
    begin_story
    clients claude codex
    start
    check_is "with a Codex Executor: exit" "$status" 0
    check_has "who plays is said before anything starts" "$err" \
        "executor codex, reviewer claude, polish claude, docs claude, security claude"
    has "with a Codex Executor" "- executor_backend: codex"
    has "and the Claude CLI default reviewer" "- reviewer_backend: claude-cli"
    has "the executor of the round" "- Executor backend: codex"
    has "its reviewer" "- Reviewer backend: claude-cli"
    valid "with a Codex Executor"

    hone doctor
    check_has "doctor tells the same" "$out" "executor codex, reviewer claude"
}

without_codex()
{
    begin_story
    clients claude
    start
    check_is "only claude: exit" "$status" 0
    check_has "only claude: who plays" "$err" "executor claude, reviewer claude"
    has "only claude: the executor" "- executor_backend: claude-cli"
}

# refused_without_claude NAME: the last run did not begin.
refused_without_claude()
{
    check_is "$1: exit" "$status" 2
    check_has "$1: words" "$err" "no agent for reviewer, polish, docs, security: "
    check_is "$1: short lines" "$(awk 'length > 100' "$err")" ""
    check_has "$1: what is missing" "$err" "claude is not on the PATH"
    check_has "$1: how to opt in" "$err" "codex_reviewer_backend: codex"
    check_has "$1: or by hand" "$err" "--agent"
    check_has "$1: or for good" "$err" "hone.json"
    check_not "$1: nothing was started" test -e .review-loop/sessions
    check_not "$1: and no run is kept" test -e .git/hone
}

no_auto_fall_back()
{
    begin_story
    clients codex
    start
    refused_without_claude "do not auto-fall back to the local Codex reviewer"
    hone doctor
    check_has "doctor tells of it" "$out" "no agent for reviewer, polish, docs, security"
    check_has "and where the ways out are said" "$out" "ways out:"
    hone plan session
    check_has "the plan says that it cannot be played" "$out" "as it is, a run does not begin"
    check_has "and what to do" "$out" "codex_reviewer_backend: codex"
    hone doctor
    check_has "a review can work all the same" "$out" "'hone run review' can work here"

    printf 'int main(void) { return 0; }\n' >a.c
    start
    check_is "analyzers do not stand in either" "$status" 2
}

opted_in()
{
    begin_story
    clients codex
    mkdir -p .review-loop
    echo 'codex_reviewer_backend: codex' >.review-loop/config.md
    start
    check_is "codex_reviewer_backend: codex: exit" "$status" 0
    has "it is recorded" "- reviewer_backend: codex"
    has "for each round" "- Reviewer backend: codex"
    hone doctor
    check_not "doctor is content" grep -q "no agent for reviewer" "$out"

    begin_story
    start --agent reviewer=codex --agent polish=codex --agent docs=codex --agent security=codex
    check_is "by --agent: exit" "$status" 0
    has "by --agent: it is recorded" "- reviewer_backend: codex"

    begin_story
    start --agent reviewer=codex
    check_is "in part: exit" "$status" 2
    check_has "in part: who is left" "$err" "no agent for polish, docs, security: "

    begin_story
    "$HONE" config set agents.* codex >/dev/null
    start
    check_is "by hone.json: exit" "$status" 0
    has "by hone.json: it is recorded" "- reviewer_backend: codex"
}

# The latest reviewer backend used, also where its review could not be taken.
a_failed_review()
{
    local text='echo no; exit 1'
    begin_story
    clients codex
    stand_in_claude "$TMPDIR/bin/claude" "$text"
    start
    check_is "a failed claude review: exit" "$status" 3
    has "the latest reviewer backend used" "- reviewer_backend: claude-cli"
    has "its round: who" "- Reviewer backend: claude-cli"
    has "its round: why" "- Reviewer failure: command execution (reviewer): "
    valid "a failed claude review"

    begin_story
    stand_in_claude "$TMPDIR/bin/claude" "echo looks good to me"
    start
    check_is "an invalid claude review: exit" "$status" 3
    has "the latest reviewer backend, invalid" "- reviewer_backend: claude-cli"
    has "its round: what was wrong" "- Reviewer failure: schema validation (reviewer): "

    begin_story
    stand_in_codex "$TMPDIR/bin/codex" "echo no; exit 1"
    start
    check_is "a failed executor: exit" "$status" 3
    has "the executor that failed" "- executor_backend: codex"
    has "and no reviewer was asked" "- reviewer_backend: none"
}

# in_host KIND [CONFIGURATION]: a session to its delivery inside that host.
in_host()
{
    begin_story
    mkdir -p .review-loop
    if [ $# = 2 ]; then printf '%s\n' "$2" >.review-loop/config.md; fi
    host_kind=$1
    host_session=$(cat /proc/sys/kernel/random/uuid)
    host_prompt "/hone:session Say bye"
    cat "$TMPDIR/instructions" "$hook_out" >"$TMPDIR/told" # Codex is told to say it, and then ends
    check_has "inside $1, ${2:-as it is}: delivered" "$TMPDIR/told" "clean after 5 reviews"
}

# "Record which reviewer backend was used for each review round: claude-cli or codex."
inside_hosts()
{
    clients
    in_host codex 'codex_reviewer_backend: codex'
    has "inside Codex: the local Codex reviewer is codex" "- reviewer_backend: codex"
    check_is "inside Codex: in each round" \
        "$(sed -n 's/^- Reviewer backend: //p' "$(session_file)" | sort -u)" codex
    has "inside Codex: its executor" "- executor_backend: codex-subagent"
    valid "inside Codex"

    clients claude
    in_host codex
    has "inside Codex: the Claude CLI default reviewer" "- reviewer_backend: claude-cli"
    check_is "inside Codex: claude-cli in each round" \
        "$(sed -n 's/^- Reviewer backend: //p' "$(session_file)" | sort -u)" claude-cli

    clients codex
    in_host claude
    has "inside Claude Code: no CLI was called" "- reviewer_backend: claude-subagent"
    has "inside Claude Code: its own agents execute" "- executor_backend: claude-subagent"
    in_host claude 'codex_reviewer_backend: codex'
    has "inside Claude Code: codex as a program" "- reviewer_backend: codex"

    clients
    begin_story
    host_kind=codex
    host_session=$(cat /proc/sys/kernel/random/uuid)
    host_prompt "/hone:session Say bye"
    check_has "inside Codex without claude: Codex does not stand in" "$TMPDIR/first.out" \
        "claude is not on the PATH"
    check_has "inside Codex without claude: how to opt in" "$TMPDIR/first.out" \
        "codex_reviewer_backend: codex"
    check_is "inside Codex without claude: short lines" \
        "$(sed 's/\\n/\n/g' "$TMPDIR/first.out" | sed 's/.*additionalContext":"//' |
        awk 'length > 110')" ""
    check_not "inside Codex without claude: nothing began" test -e .review-loop/sessions
}

# caged NAME COMMANDS WORDS: claude does that and fails; it is told what it lacks, and that it was a
# sandbox; it is started once.
caged()
{
    begin_story
    clients codex
    program claude "echo x >>'$play/claude'; cat >/dev/null; $2"
    rm -f "$play/claude"
    start
    check_is "$1: exit" "$status" 3
    check_has "$1: the right that is missing" "$err" "$3"
    check_is "$1: it is not started again" "$(wc -l <"$play/claude")" 1
    has "$1: in the history" "- Reviewer failure: command execution (reviewer): claude"
    has "$1: who" "- reviewer_backend: claude-cli"
    check_is "$1: as an event" \
        "$("$HONE" log --json | grep -c '"failure":"sandbox"')" "${4:-1}"
}

# "If the command fails inside the sandbox ... before declaring the Claude reviewer path unhealthy."
in_a_sandbox()
{
    local unreachable='echo "connect ENETUNREACH 192.0.2.1:443" >&2; exit 1'

    caged "unhealthy, and no sandbox had a part in it" "$unreachable" "ENETUNREACH" 0
    check_is "unhealthy: no right would help" \
        "$(grep -v "config.json: " "$err" | grep "sandbox;\|rights\.")" ""
    export CODEX_SANDBOX_NETWORK_DISABLED=1
    caged "no network in Codex's sandbox" "$unreachable" \
        "set network_access = true under [sandbox_workspace_write]"
    check_has "no network in Codex's sandbox: outside" "$err" "start hone outside of it"
    caged "in Codex's sandbox, and another failure" 'echo "out of cheese" >&2; exit 1' \
        "out of cheese" 0
    unset CODEX_SANDBOX_NETWORK_DISABLED

    has_sandbox "hone's own sandbox" || return
    caged "closed by hone's sandbox" 'echo x >"$HOME/.claude/settings.json" || exit 1' \
        "cannot write to $HOME/.claude/settings.json in hone's sandbox"
    caged "a reviewer and the work tree" "echo x >'$TMPDIR/work/notes.txt' || exit 1" \
        "a reviewer only reads the work tree"
    export HONE_CONFIG=$TMPDIR/rights.json
    echo '{"rights":{"network":false}}' >"$HONE_CONFIG"
    caged "no network in hone's sandbox" \
        'timeout 5 bash -c "exec 3<>/dev/tcp/192.0.2.1/443" || exit 1' \
        "rights.network true in hone.json"
    echo '{"rights":{"home":false}}' >"$HONE_CONFIG"
    echo x >"$HOME/mine"
    caged "hidden by hone's sandbox" "cat '$HOME/mine' || exit 1" "rights.home true in hone.json"
    rm -f "$HOME/mine"
    unset HONE_CONFIG

    begin_story
    clients claude
    mkdir -p .github/workflows && echo x >.github/workflows/ci.yml
    program codex 'cat >/dev/null; echo y >"$PWD/.github/workflows/ci.yml" || exit 1'
    hone run session --plan notes.txt --stop-after before-polish
    check_is "an executor and what is protected: exit" "$status" 3
    check_has "an executor and what is protected" "$err" 'rights.change [".github/workflows"]'
}

# as_in_codex FOLDER [VARIABLE=VALUE]: hone is started as Codex 0.166.0 starts a command in its
# sandbox on Linux: FOLDER is read-only, no privileges can be gained, the thread has an id. A
# sandbox with a network says nothing else; one without says so, too.
as_in_codex()
{
    local closed="--ro-bind '$1' '$1'"
    [ "$1" != / ] || closed="$closed --dev /dev --ro-bind-try /dev/shm /dev/shm"
    cat >"$TMPDIR/in_codex" <<END
#!/bin/sh
CODEX_THREAD_ID=01b0 ${2:-} exec bwrap --dev-bind / / $closed '$plain_hone' "\$@"
END
    chmod +x "$TMPDIR/in_codex"
    HONE=$TMPDIR/in_codex
}

in_codexs_sandbox()
{
    local plain_hone=$HONE refused="echo x >'$TMPDIR/closed/x' || exit 1"
    local whose="hone itself runs in Codex's sandbox"

    has_sandbox "Codex's sandbox" || return
    mkdir -p "$TMPDIR/closed"
    as_in_codex "$TMPDIR/closed"
    caged "a folder that Codex's sandbox closes" "$refused" "add the folder to writable_roots"
    check_has "a folder that Codex's sandbox closes: whose" "$err" "$whose"
    as_in_codex "$TMPDIR/closed" CODEX_SANDBOX_NETWORK_DISABLED=1
    caged "the same without a network" "$refused" "add the folder to writable_roots"

    begin_story
    clients codex claude
    as_in_codex "$PWD/.git"
    start
    check_is "Codex's sandbox closes the git folder: exit" "$status" 3
    check_has "Codex's sandbox closes the git folder: which" "$err" "$PWD/.git/hone"
    check_has "Codex's sandbox closes the git folder: whose" "$err" "$whose"
    check_has "Codex's sandbox closes the git folder: the way out" "$err" "start hone outside of it"
    sed -i 's/^CODEX_THREAD_ID=01b0//' "$TMPDIR/in_codex"
    start
    check_is "another sandbox closes it: exit" "$status" 3
    check_not "another sandbox closes it: Codex had no part in it" grep -q Codex "$err"

    as_in_codex / # nothing can be written: hone does not come as far as to begin a run
    hone run review --agent '*=cmd:true'
    check_is "Codex's sandbox closes all: exit" "$status" 3
    check_has "Codex's sandbox closes all: whose" "$err" "$whose"
    HONE=$plain_hone
}

mkdir -p "$HOME/.claude" && echo '{}' >"$HOME/.claude/settings.json"
in_a_sandbox
in_codexs_sandbox
with_a_codex_executor
without_codex
inside_hosts
no_auto_fall_back
opted_in
a_failed_review
exit "$failed"
