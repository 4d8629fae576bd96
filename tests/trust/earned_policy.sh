#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# An end under a policy is earned: what models found is not fixed on the word of programs that do
# not look for it, what is waived is waived at its place, and no tree is called converged that no
# review has seen.
# row: earned.eyes | the one who rechecks what models found is an analyzer, or none | analyzers speak for what they report, and for nothing else: a reviewer of the panel rechecks | -
# row: earned.modes | under a policy a fixer changes permissions alone | that is a change: a review looks at it before the run ends | -
# row: earned.places | a waiver of something grave, and the same words at another place of its file, or at its place when a repair has changed the code there | a waiver holds within three lines of the code that it is of, wherever a repair moves that, and not for code that a repair changed | something else in much the same words within these lines
# row: earned.unwaived | a run is resumed when a waiver that held is taken away, or its day is over | what it held is open again, and repaired or parked | -
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user root-bare) # each user, and each kind of cage, once

setup()
{
    with_play
    template=$TMPDIR/template
    new_repo "$template"
    seq 1 60 >a.c
    git add . && git commit -q -m lines
    echo changed >>a.c
    grave='{"issues":[{"severity":"critical","category":"x","file":"a.c","line":20,'
    grave+='"description":"the result of malloc is not checked","evidence":"","suggestion":"s"}],'
    grave+='"summary":{"critical":1,"warning":0,"info":0,"verdict":"issues_found"}}'
    printf '%s\n' "$grave" >"$play/grave"
}

# scene FOLDER: a copy of the tree; the critic sees a grave fault in the first round.
scene()
{
    forget
    copy_of "$template" "$1"
    # shellcheck disable=SC2016 # for the agent's shell
    does critic 'if [ $HONE_ROUND = 1 ]; then cat "$play/grave"; else cat "$play/clean"; fi'
}

until_settled()
{
    hone run review --until settled --agent "*=$agent" "$@"
    reason=$("$HONE" status --json | "$SUPPORT/is_json" whole reason)
}

state()
{
    "$HONE" findings --json | awk -F'"' '/^      "state"/ { print $4; exit }'
}

# Those that recheck are asked for what models found, and analyzers are not.
analyzers_recheck_nothing_else()
{
    command -v gcc >/dev/null || { echo "skipped: earned.eyes: there is no gcc"; return; }
    for checker in analyzer:gcc analyzer:none; do
        scene recheck
        printf 'int main(void)\n{\n    return 2;\n}\n' >main.c
        does critic 'cat "$play/grave"'
        does review-fixer 'sed -i "20s/\$/ /" a.c; echo "# Fixed a.c:20"'
        until_settled --agent pedant=analyzer:gcc --agent "checker=$checker"
        check_is "earned.eyes: $checker rechecks: exit" "$status" 1
        check_is "earned.eyes: $checker rechecks: what is grave is open" "$(state)" parked
        check_has "earned.eyes: $checker rechecks: one of the panel does" "$play/log" "critic 3 1"
    done
}

permissions_are_seen()
{
    scene modes
    does review-fixer 'chmod +x a.c; echo "a.c:20 is as it should be"'
    until_settled
    check_has "earned.modes: a review looks at it" "$play/log" "critic 2 1"
}

# waived_grave FOLDER: a copy of the tree in which the grave fault of line 20 is waived.
waived_grave()
{
    scene "$1"
    hone run review --no-fix --agent "*=$agent"
    id=$("$HONE" findings --json | sed -n 's/^ *"id": "\(.*\)",$/\1/p')
    hone waive "$id" --reason known --grave
    check_is "earned.places: it is waived" "$status" 0
    sed 's/"line":20/"line":55/' "$play/grave" >"$play/far"
    sed 's/"line":20/"line":50/; s/the result.*checked/a handle is left open/' "$play/grave" \
        >"$play/other"
}

places_are_waived()
{
    waived_grave places
    until_settled
    check_is "earned.places: at its place" "$status $(state)" "0 waived"
    does critic 'cat "$play/far"'
    until_settled --max-iterations 1
    check_is "earned.places: the same words elsewhere" "$status $(state)" "1 new"
    hone run review --no-fix --agent "*=$agent"
    check_is "earned.places: without a policy, too" "$status $(state)" "1 new"
    # What is at line 20 moves to line 55: there it is waived, for it is the same code.
    does critic 'case $HONE_ROUND in 1) cat "$play/other" ;; *) cat "$play/far" ;; esac'
    does review-fixer 'seq 35 | sed -i "2r /dev/stdin" a.c; sed -i "85s/.*/mended/" a.c
        echo "# Fixed a.c:50"'
    until_settled --max-iterations 2
    check_is "earned.places: code that a repair moved" "$status $(state)" "0 waived"
    copy_of "$template" edited
    waived_grave edited
    does critic 'case $HONE_ROUND in 1) cat "$play/other" ;; *) cat "$play/grave" ;; esac'
    does review-fixer 'sed -i "20s/.*/other/; 50s/.*/mended/" a.c; echo "# Fixed a.c:50"'
    until_settled --max-iterations 2
    check_is "earned.places: code that a repair changed" "$status" 1
}

waivers_at_a_resume()
{
    waived_grave resumed
    does critic 'case $HONE_ROUND in
        1) sed "s/.\"issues\":.//; s/\\],.*//" "$play/other" |
            { printf "{\"issues\":["; cat; printf ",";
              sed "s/.\"issues\":.//; s/\"critical\":1/\"critical\":2/" "$play/grave"; } |
            tr -d "\n" ;;
        *) cat "$play/clean" ;; esac'
    does review-fixer 'echo "a.c is as it should be"'
    until_settled
    check_is "earned.unwaived: stuck for the other" "$status $reason" "1 stuck"
    check_has "earned.unwaived: it held" <("$HONE" findings --json) '"state": "waived"'
    hone waive --remove "$id"
    hone resume
    check_is "earned.unwaived: resumed: exit" "$status" 1
    check_not "earned.unwaived: it holds no more" \
        grep -q '"state": "waived"' <("$HONE" findings --json)
}

for_each_way places_are_waived waivers_at_a_resume analyzers_recheck_nothing_else \
    permissions_are_seen
