#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is kept of an attempt: no secret in it, nor in the journal, the contract files or on the
# screen, and no more than a user could read. Every secret is made of two pieces, so that this
# file holds none.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/models.sh"

template=$TMPDIR/template
new_repo "$template"
token="gh""p_Qx7Zp2Lm9Rt4Vw8Ks3Yb6Nd1Hf5Gj0Ce2Ua8"
export STORY_API_KEY="so-Secret-9731"

# Nothing below the workspace and the git folder holds either of them.
nowhere()
{
    check_not "$1" grep -rqF -e "$token" -e "$STORY_API_KEY" .
}

told()
{
    copy_of "$template" told
    forget
    does critic "sed 's/defect/defect $token $STORY_API_KEY/' \"\$play/found\"
        echo 'careful: $token' >&2"
    does review-fixer "echo '# Fixed with $token'
        sed -i /defect/d notes.txt; echo $STORY_API_KEY >&2"
    hone run review --max-iterations 1 --agent "*=$agent"
    check_is "a run whose agents tell secrets" "$status" 1
    nowhere "no file holds them"
    check_not "nor the screen" grep -qF -e "$token" -e "$STORY_API_KEY" "$out" "$err"
    hone show "" 1
    check_has "the transcript says what was there" "$out" "[github-token masked]"
    hone findings --json
    check "findings are JSON" "$SUPPORT/is_json" whole <"$out"
    check_not "without them" grep -qF -e "$token" -e "$STORY_API_KEY" "$out"
}

failing()
{
    copy_of "$template" failing
    forget
    does critic "echo 'no such key: $STORY_API_KEY' >&2; exit 7"
    hone run review --agent "*=$agent"
    check_is "an agent that fails with one" "$status" 3
    nowhere "no file holds it"
    check_has "what went wrong is said without it" "$err" "no such key: [STORY_API_KEY masked]"
}

streamed()
{
    mkdir -p "$TMPDIR/bin"
    stand_in_claude "$TMPDIR/bin/claude" "printf 'see\\n$token\\n'; cat '$play/clean'"
    copy_of "$template" streamed
    PATH=$TMPDIR/bin:$PATH hone run review --agent '*=claude'
    nowhere "no stream holds them"
    check "each line of it is JSON still" "$SUPPORT/is_json" lines \
        <"$(echo .git/hone/runs/*/1-1/stdout)"
}

long()
{
    copy_of "$template" long
    forget
    does critic 'head -c 90000000 /dev/zero | tr "\0" "x" | fold -w 99
        cat "$play/clean" >"$HONE_OUTPUT"'
    hone run review --agent "*=$agent"
    check_is "an agent that talks and talks" "$status" 0
    size=$(stat -c %s .git/hone/runs/*/1-1/stdout)
    check "is kept in part" test "$size" -gt 60000000 -a "$size" -le 67108864
    check "with a line for the rest" grep -q '^\[hone left out [0-9]* bytes here\]$' \
        .git/hone/runs/*/1-1/stdout
    check_is "and no line is cut" \
        "$(grep -vc -e '^x*$' -e '^\[hone left' .git/hone/runs/*/1-1/stdout)" 0
}

told
failing
streamed
long
exit "$failed"
