#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone run --fleet with the real clients, which play on another machine: another home on this one,
# where their accounts are. Where the run is there is no account, and no client; the scripts that
# play the other roles stay there.
. "${TOP:?}/tests/real/stage/stage.sh"
client=claude
. "$TOP/tests/real/stage/review.sh"

# parted: from here on accounts and clients are those of the worker that $far starts.
parted()
{
    local names='HOME PATH ANTHROPIC_API_KEY ANTHROPIC_BASE_URL CODEX_HOME MODEL_KEY' name
    far=$TMPDIR/far
    {
        echo '#!/usr/bin/env bash'
        for name in $names CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC DISABLE_AUTOUPDATER \
            DISABLE_TELEMETRY DISABLE_ERROR_REPORTING CLAUDE_CODE_MAX_RETRIES MODEL_PROVIDER; do
            declare -p "$name"
        done
        echo "cd / && exec '$HONE' worker --lines"
    } >"$far"
    chmod +x "$far"
    mkdir -p "$TMPDIR/driver/.config/hone"
    printf '{"rights":{"write":["%s"]},"fleet":{"pools":["critic=default",' "$TMPDIR" \
        >"$TMPDIR/driver/.config/hone/config.json"
    echo '"review-fixer=default","*=local"]}}' >>"$TMPDIR/driver/.config/hone/config.json"
    export HOME=$TMPDIR/driver PATH=${PATH#"$clients"/node_modules/.bin:}
    for name in $names; do
        case $name in HOME | PATH) ;; *) unset "$name" ;; esac
    done
}

# plays CLIENT: as critic and fixer of two rounds; what it did there is shown here.
plays()
{
    local home=$HOME path=$PATH
    client=$1
    name="$client on another machine"
    begin "[[$look,$says_found],[$look,$fix],[$look,$says_clean]]"
    parted
    check_not "$name: it is not here" command -v "$client"
    review --fleet "cmd:$far"
    await "$name" 0
    starts "$name" critic 2
    check_is "$name: it is repaired" "$(grep -c defect notes.txt)" 0
    check_is "$name: it played there" "$(cat .git/hone/runs/*/[0-9]*-1/worker | wc -l)" 3
    used "$name" 1
    check "$name: no account of the worker came here" \
        [ -z "$(grep -rl "127.0.0.1:$port" .git/hone "$HOME" 2>/dev/null)" ]
    nothing_left "$name"
    stop_model
    export HOME=$home PATH=$path
}

for each in claude codex; do
    if has_client "$each"; then plays "$each"; fi
done
exit "$failed"
