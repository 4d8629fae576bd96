#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A person is told that a run has ended, waits or failed: by a command, on the desktop, by a webhook
# that is signed. What is in the way is a remark.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/collector.sh"

template=$TMPDIR/template
new_repo "$template"
settings=$HOME/.config/hone/config.json
mkdir -p "$TMPDIR/bin"
told=$TMPDIR/told

# user JSON: members of the user's own settings.
user()
{
    printf '{"rights":{"tmp":true},%s}\n' "$1" >"$settings"
}

# A program that writes down what it is told.
cat >"$TMPDIR/bin/tells" <<END
#!/bin/sh
{ echo "\$*"; env | grep '^HONE_' | sort; cat; } >>"$told"
END
chmod +x "$TMPDIR/bin/tells"

# review: a run whose agents find nothing, unless they were told otherwise.
review()
{
    copy_of "$template" work
    rm -f "$told"
    hone run review --agent "*=$agent" "$@"
}

# ---- a command ----

forget
user "\"notify\":{\"command\":[\"$TMPDIR/bin/tells\",\"a b\",\"\$(touch x)\"]}"
review
check_is "a run whose end is told: exit" "$status" 0
check_has "the command has its arguments as they are" "$told" "a b \$(touch x)"
check_has "what happened is in the environment" "$told" "HONE_EVENT=ended"
check_has "and how it ended" "$told" "HONE_REASON=clean"
check_has "with the exit code" "$told" "HONE_EXIT_CODE=0"
check_is "the facts are JSON" \
    "$(grep '^{' "$told" | jq -r '"\(.event) \(.reason) \(.exit_code)"')" "ended clean 0"
check_is "of this run" "$(grep '^{' "$told" | jq -r .run)" \
    "$("$HONE" status --json | jq -r .run)"
check_is "they are told once" "$(grep -c '^{' "$told")" 1
check_is "every member is documented" "$(for member in $(grep '^{' "$told" | jq -r 'keys[]'); do
    grep -qF "\`$member\`" "$TOP/docs/observe.md" || echo "$member"
done)" ""

# Findings that remain are an end; an agent that cannot run is a failure.
does critic "cat '$play/found'"
does review-fixer "echo '# Fix Summary'"
review --max-iterations 1
check_is "findings remain: exit" "$status" 1
check_has "it is told as an end" "$told" "HONE_EVENT=ended"
check_not "nothing that an agent said is told" grep -qi 'a defect is left\|Fix Summary' "$told"
does critic "exit 9"
review
check_is "an agent fails: exit" "$status" 3
check_has "it is told as a failure" "$told" "HONE_EVENT=failed"
user "\"notify\":{\"command\":[\"$TMPDIR/bin/tells\"],\"when\":[\"failed\"]}"
review
check_has "a failure is told where that is asked for" "$told" "HONE_EVENT=failed"
forget
review
check_not "and an end is not" test -e "$told"

# A run that only a person can help waits.
user "\"notify\":{\"command\":[\"$TMPDIR/bin/tells\"],\"when\":[\"waiting\"]}"
review --budget calls=1
check_is "a budget that is used up: exit" "$status" 4
check_has "it is told as waiting" "$told" "HONE_EVENT=waiting"
does critic "sleep 30"
user "\"notify\":{\"command\":[\"$TMPDIR/bin/tells\"]}"
copy_of "$template" work
rm -f "$told"
: >"$play/log"
"$HONE" run review --agent "*=$agent" >"$out" 2>"$err" &
pid=$!
until_true 20 eval '[ "$(wc -l <"$play/log")" = 5 ]'
kill -TERM $pid
wait $pid
check_has "a run that was stopped has ended" "$told" "HONE_REASON=interrupted"
forget

# ---- what is in the way ----

user '"notify":{"command":["no-such-program-here"]}'
review
check_is "a command that is not there: exit" "$status" 0
check_has "it is said" "$err" "notify.command could not be told of this run: no-such-program-here"
user '"notify":{"command":["sh","-c","echo sorry >&2; exit 7"]}'
review
check_is "a command that fails: exit" "$status" 0
check_has "with its last words" "$err" "sorry"
user '"notify":{"command":["sh","-c","yes | head -c 300000; exec sleep 50"]}'
review
check_is "a command that does not end: exit" "$status" 0
check_is "nothing of it is waited for" "$(grep -c 'could not be told' "$err")" 0
user '"notify":{"when":["sometimes"]}'
review
one_line "a word that is none" 2 'notify.when: it must be a list of "ended", "waiting", "failed"'

# ---- the desktop ----

cat >"$TMPDIR/bin/notify-send" <<END
#!/bin/sh
printf '%s\n' "\$@" >"$told"
END
chmod +x "$TMPDIR/bin/notify-send"
user '"notify":{"desktop":true}'
copy_of "$template" '<b>&work'
PATH=$TMPDIR/bin:$PATH hone run review --agent "*=$agent"
check_has "the desktop has a title" "$told" "hone: review clean"
check_has "and a line without markup" "$told" "&lt;b&gt;&amp;work, run "
review
if ! command -v notify-send >/dev/null; then
    check_has "without notify-send it is said" "$err" "the desktop could not be told of this run: "
fi

# ---- a webhook ----

collects 200
printf 'top secret\n' >"$TMPDIR/secret"
user "\"notify\":{\"webhook\":\"$address/hook?x=1\",\"secret_file\":\"$TMPDIR/secret\"}"
review
check_is "a webhook: exit" "$status" 0
check "it comes" got_some 1
header()
{
    sed -n "s/^$1: \(.*\)\r\$/\1/p" "$got/1.head"
}
check_has "to its address" "$got/1.head" "POST /hook?x=1 HTTP/1.1"
check_is "it says what happened" "$(header X-Hone-Event)" ended
check_is "it is the same JSON" "$(jq -r .reason "$got/1.json")" clean
if command -v openssl >/dev/null; then
    check_is "signed over time and body" "$(header X-Hone-Signature)" "sha256=$({
        printf '%s.' "$(header X-Hone-Timestamp)"
        cat "$got/1.json"
    } | openssl dgst -sha256 -hmac 'top secret' | sed 's/.*= //')"
else
    skip "the signature" "openssl is not installed"
fi
check "the time is now" test $(($(date +%s) - $(header X-Hone-Timestamp))) -le 60
collects 503:0 200
user "\"notify\":{\"webhook\":\"$address\",\"secret_env\":\"HOOK_SECRET\"}"
HOOK_SECRET='top secret' review
check "a receiver that is busy is asked again" got_some 2
check_is "with the same name" "$(sed -n 's/^X-Hone-Delivery: //p' "$got"/[12].head | sort -u |
    wc -l)" 1
collects 200
review
check_has "without the secret nothing is sent, and it is said" "$err" \
    "the variable HOOK_SECRET, which notify.secret_env names, is not set"
check_is "nothing came" "$(requests)" 0
user "\"notify\":{\"webhook\":\"http://127.0.0.1:1/\"}"
review
check_is "a receiver that is not there: exit" "$status" 0
check_has "it is said" "$err" "notify.webhook could not be told of this run: reach 127.0.0.1"

# ---- a person at the terminal is told while the question stands there ----

on_screen()
{
    tmux -S "$TMPDIR/tmux" capture-pane -p -t ask | grep -qF -- "$1"
}

user "\"notify\":{\"command\":[\"$TMPDIR/bin/tells\"]}"
copy_of "$template" work
git commit -q -a -m all
rm -f "$told"
forget
does spec-reviewer 'echo "notes.txt:1 - not yet"; echo; echo "## Grade: WARN"'
does spec-fixer 'echo done'
does implementer 'echo built >built.txt; echo done'
tmux -S "$TMPDIR/tmux" -f /dev/null new-session -d -s ask -x 100 -y 30 \
    "'$HONE' run cycles 'the question' --cycles 1 --no-sandbox --agent '*=$agent'; \
     echo ended with \$?; exec sleep 600"
check "a question is put" until_true 20 on_screen "What now?"
check "the person is told, while it stands there" until_true 20 grep -qs '^{' "$told"
check_has "that it waits" "$told" "HONE_EVENT=waiting"
tmux -S "$TMPDIR/tmux" send-keys -t ask C-d
check "it is left open" until_true 20 on_screen "ended with 1"
check_is "and is not told again" "$(grep -c '^{' "$told")" 1
tmux -S "$TMPDIR/tmux" kill-server

exit "$failed"
