#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Mask what was decoded, in every notation that carries it. A user's rights and a sandbox make no
# difference to it: told once.
#
# row: bounds.notation | an agent tells a credential of the environment in another notation: escapes of JSON, JSON inside JSON, C, percent signs, entities of pages, a shell's quotes, base64, hex | texts are compared as they read when these are undone, and what stands for the credential is masked whole | base64 that is broken into lines, a + for a blank, two encodings in a row, and what an agent makes up: a credential it has, it can always tell
# row: bounds.slash | a credential that begins with a slash, as keys of AWS and base64 may | it is a path only where something is at it: else masked, and withheld from agents | -
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"
export STORY_SECRET_KEY='/Qx7&Zp2+Lm9"Rt4'
export STORY_KEY_FILE_SECRET=$TMPDIR/template

# One line for each notation, told in a file so that no shell reads them.
cat >"$TMPDIR/lines" <<'END'
\/Qx7\u0026Zp2\u002BLm9\"Rt4
\u002fQx7&Zp2\u002bLm9\u0022Rt4
\\/Qx7\\u0026Zp2+Lm9\\\"Rt4
%2FQx7%26Zp2%2BLm9%22Rt4
/Qx7&amp;Zp2+Lm9&quot;Rt4
/Qx7&#38;Zp2&#x2b;Lm9&#34;Rt4
/Qx7\x26Zp2\053Lm9\"Rt4
L1F4NyZacDIrTG05IlJ0NA==
eC9ReDcmWnAyK0xtOSJSdDQ=
2f517837265a70322b4c6d3922527434
/Qx7&Zp2+Lm9"Rt4
END

notations()
{
    local line
    copy_of "$template" told
    forget
    does critic "cat '$TMPDIR/lines' >&2; cat \"\$play/clean\""
    hone run review --no-sandbox --agent "*=$agent"
    check_is "bounds.notation: an agent tells a credential" "$status" 0
    grep -v masked .git/hone/runs/*/1-1/stderr >"$TMPDIR/kept"
    check_is "bounds.notation: no line of it is kept in clear" "$(cat "$TMPDIR/kept")" ""
    while IFS= read -r line; do
        check_not "bounds.notation: nowhere: $line" grep -rqF -e "$line" .git/hone
    done <"$TMPDIR/lines"
}

withheld()
{
    copy_of "$template" withheld
    forget
    does critic "env >'$TMPDIR/env'; cat \"\$play/clean\""
    hone run review --no-sandbox --agent "*=$agent"
    check_not "bounds.slash: not in an agent's environment" grep -q Qx7 "$TMPDIR/env"
    check_has "bounds.slash: a path is" "$TMPDIR/env" STORY_KEY_FILE_SECRET="$TMPDIR/template"
    check_has "bounds.slash: hone says which one it took out" \
        "$(echo .git/hone/runs/*/1-1/withheld)" STORY_SECRET_KEY
}

notations
withheld
exit "$failed"
