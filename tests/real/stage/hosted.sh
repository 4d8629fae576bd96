# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # what is not assigned here is of story.sh, play.sh, stage.sh
#
# hosted.sh - for stories with a real host: hone's plugin in it, and a model that leads it
# (host.js). Sourced after stage.sh.

template=$TMPDIR/template
new_repo "$template"
session=11111111-2222-4333-8444-555555555555

# What roles do: turns of host.js.
answer()
{
    printf '{"answer":"%s"}' "$(json "$1")"
}

acts()
{
    local IFS=,
    printf '[%s]' "$*"
}

reads='{"read":true}'
done_='{"say":"Done."}'
is_clean=$(acts "$reads" "$(answer "$clean")" "$done_")
is_found=$(acts "$reads" "$(answer "$found")" "$done_")
# shellcheck disable=SC2016 # the model's shell
fixes=$(acts "$reads" "$(runs 'sed -i /defect/d notes.txt')" "$(answer '# Fixed')" "$done_")
all_clean="\"*\":\"$(json "$clean")\""

# begin NAME SCRIPT: a model, a repository, hone on the PATH.
begin()
{
    name="$client, hosted: $1"
    start_model "{$2}" host.js
    mkdir -p "$TMPDIR/bin"
    ln -sf "$HONE" "$TMPDIR/bin/hone"
    case $PATH in "$TMPDIR/bin:"*) ;; *) export PATH=$TMPDIR/bin:$PATH ;; esac
    copy_of "$template" work
}

# asks PROMPT ARGUMENTS...: a session of the host, in the background; in $mode, with the tools
# $allowed.
asks()
{
    local prompt=$1
    shift
    TMPDIR=$TMPDIR/tmp claude -p "$prompt" --plugin-dir "$TOP/plugin" --output-format stream-json \
        --verbose --permission-mode "${mode:-acceptEdits}" \
        --allowedTools "${allowed:-Bash,Agent,Edit,Write,Read}" "$@" \
        >"$out" 2>"$err" </dev/null &
    runs=$!
}

# state MEMBER: of the state file.
state()
{
    sed -n "s/^  \"$1\": \"\\{0,1\\}\\([^\",]*\\).*/\\1/p" .agents/tmp/state.json
}

# times_started ROLE
times_started()
{
    grep -o "^$1 [0-9]*" "$asked" | sort -u | wc -l
}

# leads_to PHASE CRITICS FIXERS: the end of the session, and of the review.
leads_to()
{
    await "$name" 0
    check_is "$name: it ends in" "$(state currentPhase)" "$1"
    check_is "$name: critics" "$(times_started critic)" "$2"
    check_is "$name: fixers" "$(times_started review-fixer)" "$3"
    [ "$(state currentPhase)" = "$1" ] || sed 's/^/    /' "$asked"
    nothing_left "$name"
}
