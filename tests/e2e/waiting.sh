#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A service that is asked too often, or overloaded: it is waited for and no failure is counted, the
# user sees which agent waits and until when, and no agent waits for ever. Words in an answer
# change nothing.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/models.sh"

template=$TMPDIR/template
new_repo "$template"

# claude, which answers as the agents of play.sh do, once $play/open is there. Before that it says
# that its limit ends at the second in $play/reset, or only that it is overloaded.
install_claude()
{
    mkdir -p "$TMPDIR/bin"
    stand_in_claude "$TMPDIR/bin/claude-answers" "$play/agent"
    cat >"$TMPDIR/bin/claude" <<END
#!/bin/sh
[ \$HONE_ROLE = critic ] || exec "$TMPDIR/bin/claude-answers"
if [ -e "$play/open" ]; then
    date +%s >>"$play/asked"
    exec "$TMPDIR/bin/claude-answers"
fi
date +%s >>"$play/asked"
echo '{"type":"system","subtype":"init","model":"stand-in"}'
status=529
if [ -e "$play/reset" ]; then
    status=429
    printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s}}\n' \
        "\$(cat "$play/reset")"
fi
printf '{"type":"result","subtype":"success","is_error":true,"api_error_status":%s,' \$status
printf '"terminal_reason":"api_error","result":"come back later"}\n'
exit 1
END
    chmod +x "$TMPDIR/bin/claude"
    PATH=$TMPDIR/bin:$plain_path
    copy_of "$template" work
    forget
    rm -f "$play/open" "$play/reset" "$play/asked"
}

# resets SECONDS: its limit ends so many seconds from now.
resets()
{
    echo $(($(date +%s) + $1)) >"$play/reset"
}

asked()
{
    wc -l <"$play/asked"
}

# The critic waits, and the other reviewers have answered.
waits_now()
{
    "$HONE" status >"$play/now" 2>/dev/null && grep -q '^waiting ' "$play/now" &&
        ! grep -q '^running ' "$play/now"
}

plain()
{
    install_claude
    resets 6
    (until_true 20 test -s "$play/asked" && touch "$play/open") &
    hone run review --agent '*=claude'
    wait
    check_is "a limit is waited for" "$status" 0
    check_is "it was asked twice" "$(asked)" 2
    check "not before the limit has ended" \
        test "$(tail -n 1 "$play/asked")" -ge "$(cat "$play/reset")"
    check_has "the wait is said, with its end" "$err" \
        "waits for the rate limit until $(TZ=UTC date -d "@$(cat "$play/reset")" +%H:%M)"
    check_has "and why" "$err" "claude has been asked too often"
    check_not "it is no failure" grep -q "critic.*failed" "$err"
}

shown()
{
    local run
    install_claude
    resets 300
    "$HONE" run review --json --agent '*=claude' >"$TMPDIR/events" 2>/dev/null &
    run=$!
    check "the status shows it" until_true 20 waits_now
    hone status
    check_has "who waits, and for what" "$out" ", for the rate limit until "
    check_has "and how long" "$out" "(in 4 min"
    check_not "it does not run" grep -q "^running *critic" "$out"
    hone status --json
    check "as JSON" "$SUPPORT/is_json" whole <"$out"
    check_has "as JSON: for what" "$out" '"waits_for": "rate"'
    check_has "as JSON: until when" "$out" \
        "\"waits_until\": \"$(TZ=UTC date -d "@$(cat "$play/reset")" +%Y-%m-%dT%H:%M:%SZ)\""
    check_has "an event tells of it" "$TMPDIR/events" '"event":"waiting"'
    check_has "with its end" "$TMPDIR/events" "\"for\":\"rate\",\"until\":$(cat "$play/reset")000"
    hone stop
    wait "$run"
    check_is "who waits can be stopped" $? 130
    hone status
    check_not "a stopped run waits for nobody" grep -q "^waiting" "$out"
    touch "$play/open"
    hone resume
    check_is "and goes on" "$status" 0
    check_is "with who had not answered" "$(started pedant)" 1
}

# On a terminal its row counts down, and the line that says why stays.
seen()
{
    install_claude
    resets 300
    if ! command -v script >/dev/null; then
        skip "who waits, in the view" "script is not installed"
        return
    fi
    TERM=xterm script -qec "stty cols 100 rows 30; '$HONE' run review --agent '*=claude'" \
        /dev/null >"$TMPDIR/screen" 2>&1 </dev/null &
    check "the view counts down" until_true 20 grep -q "waits for the rate limit 4:" \
        "$TMPDIR/screen"
    check "and says why" until_true 10 grep -q "claude has been asked too often" "$TMPDIR/screen"
    hone stop
    wait
}

# A run that died while an agent waited asks again when it is resumed.
killed()
{
    install_claude
    resets 300
    "$HONE" run review --agent '*=claude' >/dev/null 2>&1 &
    check "it waits" until_true 20 waits_now
    kill -KILL $!
    wait 2>/dev/null
    hone stop # returns when the last process of the run is gone
    hone status
    check_not "a dead run waits for nobody" grep -q "^waiting" "$out"
    touch "$play/open"
    hone resume
    check_is "resumed: exit" "$status" 0
    check_is "resumed: only who had not answered" "$(started pedant)" 1
}

far()
{
    install_claude
    resets 500000
    hone run review --agent '*=claude'
    check_is "a limit that ends in days: exit" "$status" 3
    check_is "nobody asks again" "$(asked)" 1
    check_has "when it ends" "$err" "until $(TZ=UTC date -d "@$(cat "$play/reset")" +%Y-%m-%dT)"
    check_has "why that is too long" "$err" "hone waits at most 6h (limits.wait in hone.json)"
    check_has "how to go on" "$out" "hone resume"
    touch "$play/open"
    hone resume
    check_is "then it goes on" "$status" 0
    check_is "only the one that waited" "$(started pedant)" 1
}

overload()
{
    install_claude
    printf '{"limits":{"wait":"8s"}}\n' >hone.json
    git add hone.json && git commit -q -m limits
    hone run review --agent '*=claude'
    check_is "an overload that does not end: exit" "$status" 3
    check_is "it is asked again while there is time" "$(asked)" 2
    check_has "it is told apart" "$err" "waits for its overloaded service until"
    check_has "and given up" "$err" "claude's service is overloaded; hone waits at most 8s"
    check_has "with what it said" "$err" "come back later"
    hone log --json
    check_has "its kind is kept" "$out" '"failure":"overload"'
}

# What is found about rate limits is found, and nothing more.
words()
{
    install_claude
    touch "$play/open"
    sed 's/a defect is left/rate limit reached: HTTP 429, overloaded, log in/' "$play/found" \
        >"$play/limited"
    does critic 'if grep -q defect notes.txt; then cat "$play/limited"; else cat "$play/clean"; fi'
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed: rate_limit 429 529"'
    hone run review --json --agent '*=claude'
    check_is "a finding that speaks of rate limits: exit" "$status" 0
    check_has "it is a finding" "$out" "rate limit reached: HTTP 429"
    check_not "nobody waits" grep -q '"event":"waiting"' "$out"
    check_is "nobody is asked twice in a round" "$(started critic)" 2
}

together plain shown seen killed far overload words
exit "$failed"
