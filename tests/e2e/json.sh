#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# --json: standard output is for programs. A run prints one object per event and nothing else, and
# its last one says how it ended; every other verb prints one document.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"

is_json()
{
    "$SUPPORT/is_json" "$1" <"$out"
}

# number NAME: the value of a number in the last line of the output.
number()
{
    tail -n 1 "$out" | grep -oE "\"$1\": *-?[0-9]+" | grep -oE -- '-?[0-9]+$'
}

# stream NAME STATUS: what a run printed. It ended with STATUS.
stream()
{
    check_is "$1: exit" "$status" "$2"
    check "$1: a JSON object in each line" is_json lines
    check_not "$1: and nothing else" grep -qv '^{.*}$' "$out"
    check "$1: each has its kind" test \
        "$(is_json_member event | wc -l)" = "$(wc -l <"$out")"
    check_is "$1: the last is its end" "$(is_json_member event | tail -n 1)" finish
    check_is "$1: exactly one" "$(is_json_member event | grep -c finish)" 1
    check_is "$1: with the exit status" "$(number exit_code)" "$2"
    check_is "$1: of this run" "$(tail -n 1 "$out" | "$SUPPORT/is_json" lines run)" \
        "$("$HONE" status --json | "$SUPPORT/is_json" whole run)"
}

# documented NAME FILTER: every member of these objects is in the docs.
documented()
{
    local member
    for member in $(jq -r "$2 | keys[]" "$out" | sort -u); do
        grep -qF "\`$member\`" "$TOP/docs/scripting.md" || echo "$member"
    done >"$TMPDIR/unknown"
    check_is "$1: all members are documented" "$(cat "$TMPDIR/unknown")" ""
}

is_json_member()
{
    "$SUPPORT/is_json" lines "$1" <"$out"
}

# ---- runs ----

runs()
{
    copy_of "$template" work
    does critic "$sees"
    does review-fixer 'echo to stdout; echo to stderr >&2; sed -i /defect/d notes.txt'
    hone run review --json "task with \"quotes\", $(printf '\033')[31m and é" --agent "*=$agent"
    stream "clean" 0
    documented "clean" .
    documented "clean: findings" 'select(.findings) | .findings[]'
    check_is "clean: eleven begin" "$(is_json_member event | grep -c '^start$')" 11
    check_is "clean: eleven end" "$(is_json_member event | grep -c '^ended$')" 11
    check_is "clean: the task" "$(is_json_member task | head -n 1)" \
        "task with \"quotes\", $(printf '\033')[31m and é"
    hone run review --json --quiet --agent "*=$agent"
    stream "clean, --quiet" 0
    check_not "--quiet: nothing on standard error" test -s "$err"

    does critic 'cat "$play/found"'
    hone run review --json --max-iterations 1 --agent "*=$agent"
    stream "findings" 1
    does critic 'printf "no\033[31m review"'
    hone run review --json --agent "*=$agent"
    stream "failed" 3
    documented "failed" .
    hone resume --json
    stream "failed again" 3
    does critic
    hone resume --json
    stream "resumed" 0
    hone resume --json
    stream "resumed after its end" 0

    does critic 'touch "$play/at"; while :; do sleep 1; done'
    env --default-signal=INT "$HONE" run review --json --agent "*=$agent" >"$out" 2>"$err" &
    until_true 20 test -e "$play/at"
    kill -INT $!
    wait $!
    status=$?
    stream "interrupted" 130
    does critic 'touch "$play/at"; while :; do sleep 1; done'
    rm "$play/at"
    timeout -k 5 60 "$HONE" resume --json >"$out" 2>"$err" &
    until_true 20 test -e "$play/at"
    "$HONE" stop --json >"$TMPDIR/stop"
    check_is "stop --json: exit" $? 0
    wait $!
    status=$?
    stream "stopped" 130
    check "stop --json: one document" "$SUPPORT/is_json" whole <"$TMPDIR/stop"
    does critic
    hone resume --json
    stream "resumed at last" 0

    hone run review --json --agent '*=nobody:at-all'
    check_is "bad usage: exit" "$status" 2
    check_not "bad usage: no words among the objects" grep -qv '^{.*}$' "$out"
}

# ---- the other verbs ----

# document NAME ARGUMENTS...: one JSON document, exit 0, nothing on standard error.
document()
{
    local name=$1
    shift
    hone "$@"
    check_is "$name: exit" "$status" 0
    check "$name: JSON" is_json whole
    check_not "$name: nothing on standard error" test -s "$err"
}

verbs()
{
    copy_of "$template" work
    document "list before the first run" list --json
    hone status --json
    check_is "status before the first run: exit" "$status" 2
    check_not "status before the first run: no words" grep -qv '^{.*}$' "$out"

    printf '\377\376"\\\n' >"$play/bytes"
    does critic 'cat "$play/bytes" >&2; cat "$play/found"'
    does review-fixer 'cat "$play/bytes"'
    hone run review --max-iterations 2 "$(printf 'a\nb\t"\\\001\177')" --agent "*=$agent"
    check_is "answers that are no text: exit" "$status" 1
    run=$("$HONE" status --json | "$SUPPORT/is_json" whole run)
    document "status" status --json
    documented "status" .
    documented "status: lanes" '.lanes[]'
    documented "status: jobs" '.lanes[].jobs[]'
    document "status of a run" status "$run" --json
    document "list" --json list
    documented "list" '., .runs[]'
    document "findings" findings --json
    documented "findings" '., .findings[]'
    document "reviewers" reviewers --json
    documented "reviewers" '., .reviewers[], .looks'
    document "replay until settled" replay --until settled --json
    documented "replay until settled" '., .was, .would, .missed[]'
    document "show" show --json
    documented "show" '., .attempts[]'
    document "show of a run" show "$run" --json
    for job in 1 1-1 2 6 7; do document "show of job $job" show "$run" $job --json; done
    document "stop of a run that has ended" stop --json
    hone log --json
    check_is "log: exit" "$status" 0
    check "log: JSON lines" is_json lines
    check_is "log: each of this run" "$(is_json_member run | sort -u)" "$run"
    for verb in "status zzzz" "show zzzz" "log zzzz" "stop zzzz" "show $run 99"; do
        # shellcheck disable=SC2086 # a verb and its arguments
        hone $verb --json
        check_is "$verb: exit" "$status" 2
        check_not "$verb: no words" grep -qv '^{.*}$' "$out"
        check "$verb: the reason" test -s "$err"
    done
}

checks()
{
    cd "$TMPDIR" || exit 1
    document "check of a valid file" check r1 --json "$play/clean"
    check_is "check of a valid file: kind" "$("$SUPPORT/is_json" whole kind <"$out")" r1
    check "check of a valid file: valid" grep -qE '"valid": *true' "$out"
    check "check of a valid file: no problems" \
        sh -c 'tr -d " \n" <"$1" | grep -qF "\"problems\":[]"' - "$out"
    echo '{"issues":[],' >bad.json
    hone check r1 --json bad.json
    check_is "check of an invalid file: exit" "$status" 1
    check "check of an invalid file: JSON" is_json whole
    check "check of an invalid file: not valid" grep -qE '"valid": *false' "$out"
    check "check of an invalid file: code, line, message" sh -c 'tr -d " \n" <"$1" |
        grep -qE "\"problems\":\[\{\"code\":\"[a-z-]+\",\"line\":[0-9]+,\"message\":\""' - "$out"
    hone check r1 bad.json
    check_is "check, as text: exit" "$status" 1
    check "check, as text: FILE:LINE: code: message" grep -qE '^bad.json:[0-9]+: [a-z-]+: .' "$out"
    printf '%s' '{"issues":[],"summary":{"critical":"0","warning":0,"info":0,"verdict":"clean"}}' \
        >wrong.json
    hone check r1 wrong.json
    check_is "check of a count as text: exit" "$status" 1
    check_has "check of a count as text: which" "$out" critical
    "$HONE" check r1 --json <"$play/found" >"$out"
    check_is "check of standard input: findings are valid" $? 0
    check "check of standard input: JSON" is_json whole
    hone check r1 --json "$TMPDIR/none"
    check_is "check of no file: exit" "$status" 2
}

together runs verbs checks
exit "$failed"
