#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone replay: a run played again from its journal and what was kept of its attempts, with no agent
# started and nothing written; up to an event; as a script that plays it.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/models.sh"

template=$TMPDIR/template
new_repo "$template"

# What lies below a folder, with the contents.
picture()
{
    find . -type f ! -path '*journal.db*' | LC_ALL=C sort | xargs sha1sum
}

# Two rounds, with an answer that breaks the contract and an agent that fails in between.
two_rounds()
{
    forget
    does critic "$sees"
    does pedant 'if [ $HONE_ATTEMPT = 1 ]; then echo "no JSON"; else cat "$play/clean"; fi'
    does witness 'if [ $HONE_ROUND$HONE_ATTEMPT = 11 ]; then exit 3; else cat "$play/clean"; fi'
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed"'
    hone run review --agent "*=$agent"
}

again()
{
    copy_of "$template" again
    two_rounds
    check_is "a run of two rounds" "$status" 0
    sed '/config.json: /d; /info\/exclude/d; s/ ([^)]*s)//' "$err" | LC_ALL=C sort >"$TMPDIR/told"
    picture >"$TMPDIR/before"
    forget
    hone replay
    check_is "is played again to the same end" "$status" 0
    check_is "with nobody started" "$(wc -l <"$play/log")" 0
    check_has "it is said" "$out" "it ends as it did: clean"
    check_not "every answer was judged again" grep -q "taken as they were" "$out"
    sed 's/ ([^)]*s)//' "$err" | LC_ALL=C sort >"$TMPDIR/told.again"
    check "it is told as the run was" cmp "$TMPDIR/told" "$TMPDIR/told.again"
    picture >"$TMPDIR/after"
    check "and nothing was written" cmp "$TMPDIR/before" "$TMPDIR/after"
    hone replay --json
    check "as JSON, too" "$SUPPORT/is_json" lines <"$out"
    check_has "with what came of it" "$out" '"same_end":true'
    hone replay --quiet
    check_is "or quietly" "$(wc -l <"$err")" 0
}

otherwise()
{
    copy_of "$template" otherwise
    two_rounds
    printf '%s\n' "$found" >"$(echo .git/hone/runs/*/1-1)/stdout"
    sed -i 's/a defect/another defect/' "$(echo .git/hone/runs/*/1-1)/stdout"
    hone replay
    check_is "an answer that is another now" "$status" 1
    check_has "is named" "$err" "1-1 critic has other findings now"
    check_has "and counted" "$out" "1 judged otherwise now"
    echo nonsense >"$(echo .git/hone/runs/*/1-1)/stdout"
    hone replay
    check_has "what it was and is" "$err" "1-1 critic was findings, is invalid now"
    rm -r .git/hone/runs/*/1-1
    hone replay
    check_is "where it is lost the journal's word stands" "$status" 0
    check_has "and that is said" "$out" "1 taken as they were"
}

up_to()
{
    copy_of "$template" until
    two_rounds
    hone replay --until 3
    check_is "up to an event" "$status" 0
    check_has "where it stood" "$out" "reviewing, round 1"
    check_has "and who was at work" "$out" "running"
    hone replay --until 3 --json
    check "as one document" "$SUPPORT/is_json" whole <"$out"
    check_has "with its state" "$out" '"running"'
    hone replay --until 999
    one_line "an event that never was" 2 "there is no event 999"
    hone replay --until x
    one_line "no number" 2 "--until wants the number of an event"
    hone replay nosuch
    one_line "no such run" 2 "no run begins with 'nosuch'"
}

script()
{
    copy_of "$template" script
    two_rounds
    hone log
    sed 's/^[^ ]* *//' "$out" >"$TMPDIR/log"
    hone replay --export "$TMPDIR/run.jsonl"
    check_is "a script of the run" "$status" 0
    check "is JSON lines" "$SUPPORT/is_json" lines <"$TMPDIR/run.jsonl"
    forget
    hone run review --agent "*=script:$TMPDIR/run.jsonl"
    check_is "plays it again" "$status" 0
    check_is "with nobody started" "$(wc -l <"$play/log")" 0
    hone log
    check_is "in as many events" "$(wc -l <"$out")" "$(wc -l <"$TMPDIR/log")"
    check_is "with as many findings" "$(grep -c 'findings (1)' "$out")" \
        "$(grep -c 'findings (1)' "$TMPDIR/log")"
    check_is "as many broken contracts" "$(grep -c 'invalid' "$out")" \
        "$(grep -c 'invalid' "$TMPDIR/log")"
    check_is "and failures" "$(grep -c 'failed (exit)' "$out")" 1
    hone replay
    check_is "and is a run that can be played again itself" "$status" 0
    hone replay --export -
    check "to standard output, too" "$SUPPORT/is_json" lines <"$out"
}

streams()
{
    mkdir -p "$TMPDIR/bin"
    stand_in_claude "$TMPDIR/bin/claude" "$play/agent"
    copy_of "$template" streams
    forget
    does critic "$sees"
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed"'
    PATH=$TMPDIR/bin:$PATH hone run review --agent '*=claude'
    check_is "a run of streams" "$status" 0
    hone replay
    check_is "is played again where their program is not there" "$status" 0
    check_not "all of it judged" grep -q "taken as they were" "$out"
    hone replay --export "$TMPDIR/streams.jsonl"
    git checkout -q notes.txt && echo defect >>notes.txt
    hone run review --agent "*=script:$TMPDIR/streams.jsonl"
    check_is "and by a script" "$status" 0
}

stopped()
{
    copy_of "$template" stopped
    forget
    does critic 'if [ $HONE_ATTEMPT = 1 ]; then touch "$play/at"; sleep 60; fi; cat "$play/clean"'
    "$HONE" run review --agent "*=$agent" >/dev/null 2>&1 &
    until_true 20 test -e "$play/at"
    hone stop
    wait
    hone replay
    check_is "a run that was stopped ends so" "$status" 0
    check_has "in words" "$out" "it ends as it did: interrupted"
    hone resume
    check_is "it goes on" "$status" 0
    hone replay
    check_is "and is played through its stop" "$status" 0
    hone replay --export "$TMPDIR/stopped.jsonl"
    hone run review --agent "*=script:$TMPDIR/stopped.jsonl"
    check_is "as a script without it" "$status" 0
}

together again otherwise up_to script streams stopped
exit "$failed"
