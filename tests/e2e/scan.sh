#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone agent scan: secrets that are found, and what is left alone; hone check session: a file that
# other tools could continue, and one that they could not. Secrets are put together here, so that
# this file holds none.
. "${TOP:?}/tests/support/story.sh"

long=Qx7Zp2Lm9Rt4Vw8Ks3Yb6Nd1Hf5Gj0Ce2Ua8
out=$TMPDIR/out err=$TMPDIR/err

scan()
{
    status=0
    "$HONE" agent scan >"$out" 2>"$err" || status=$?
}

# findings: file:line of each, in one line with commas.
findings()
{
    grep -o '"file":"[^"]*"\(,"line":[0-9]*\)\?' "$out" |
        sed -e 's/"file":"\([^"]*\)"/\1/' -e 's/,"line":/:/' | tr '\n' ','
}

found()
{
    new_repo "$TMPDIR/found"
    scan
    check_is "a clean repository: exit" "$status" 0
    check_is "a clean repository: findings" "$(findings)" ""
    printf 'one\nkey = AK%s\n' IAQ3EGRD7V2X5MPLKT >tracked.txt
    git add tracked.txt && git commit -q -m second
    printf 'gh%s\n' "p_$long" >new.txt
    printf 'A=1\n' >.env
    printf 'A=1\n' >.env.example
    mkdir -p 'a b'
    printf '\n\npass%s = "Tr0ub4dor&3x"\n' word >'a b/c.py'
    scan
    check_is "with secrets: exit" "$status" 0
    check_is "with secrets: places" "$(findings)" '.env,a b/c.py:3,new.txt:1,tracked.txt:2,'
    check_is "no secret is in the answer" \
        "$(cat "$out" "$err" | grep -cE "$long|IAQ3EGRD|Tr0ub")" 0
    check_has "how it begins is" "$out" 'a GitHub token is in the file: ghp_****'
    check_has "severe" "$out" '"severity":"high","source":"scan","kind":"secret"'
    check "it is JSON" "$SUPPORT/is_json" whole <"$out"
    cd 'a b' || exit 1
    scan
    check_is "from a folder: the same" "$(findings)" '.env,a b/c.py:3,new.txt:1,tracked.txt:2,'
}

left_alone()
{
    new_repo "$TMPDIR/alone"
    printf 'ignored/\n*.secret\n' >.gitignore
    mkdir -p ignored .review-loop/sessions outside
    printf 'gh%s\n' "p_$long" | tee ignored/a x.secret .review-loop/sessions/s.md >/dev/null
    printf 'gh%s\n' "p_$long" >"$TMPDIR/target"
    ln -s "$TMPDIR/target" link.txt
    ln -s "$TMPDIR" folder
    printf 'gh%s\0\n' "p_$long" >binary
    mkfifo pipe
    scan
    check_is "ignored, contract files, links, binary, pipes: exit" "$status" 0
    check_is "ignored, contract files, links, binary, pipes" "$(findings)" ""
    git init -q "$TMPDIR/empty" && cd "$TMPDIR/empty" || exit 1
    scan
    check_is "an empty repository: exit" "$status" 0
    mkdir "$TMPDIR/none" && cd "$TMPDIR/none" || exit 1
    scan
    check_is "no repository: exit" "$status" 1
    check_has "no repository: why" "$err" "scan for secrets: "
}

bounds()
{
    new_repo "$TMPDIR/bounds"
    head -c 5000000 /dev/zero | tr '\0' 'x' >large.txt
    for i in $(seq 30); do printf 'gh%s%02d\n' "p_$long" "$i"; done >many.txt
    scan
    check_is "many in one file" "$(grep -o 'many.txt' "$out" | wc -l)" 20
    check_has "the rest is told" "$out" "more are not listed"
    check_has "a large file is told" "$out" "only their beginnings were looked at"
}

# hone's own files: hone must be usable on its own source.
own()
{
    cd "$TOP" || exit 1
    if ! git rev-parse --git-dir >/dev/null 2>&1; then
        ok "hone's own files hold no secret (there is no repository)"
        return
    fi
    scan
    check_is "hone's own files hold no secret" "$(findings)" ""
}

session()
{
    cd "$TMPDIR" || exit 1
    cat >session.md <<'END'
## Problem Description
Add a flag.
## Context
None.
## Acceptance Criteria
- it works
## Current Phase
planning
## Approved Plan
## Review History
## Files Changed
None.
## Key Related Files
None.
## Timing Log
| Phase | Round | Role | Duration |
## Session Metadata
- session_origin: codex-skill
- orchestrator_backend: codex
- executor_backend: codex-subagent
- reviewer_backend: claude-cli
- reviewer_fallback_used: false
END
    status=0
    "$HONE" check session session.md >"$out" 2>&1 || status=$?
    check_is "a session file: exit" "$status" 0
    sed -i -e 's/^planning/review/' -e '$a - completed_at: now' session.md
    status=0
    "$HONE" check session session.md >"$out" 2>&1 || status=$?
    check_is "a broken one: exit" "$status" 1
    check_has "a broken one: the phase" "$out" "session.md:7: bad-phase: "
    check_has "a broken one: the key" "$out" "session.md:23: unknown-key: 'completed_at'"
    "$HONE" check session --json session.md >"$out" 2>&1
    check_has "as JSON" "$out" '"code": "bad-phase",'
}

found
left_alone
bounds
own
session
exit "$failed"
