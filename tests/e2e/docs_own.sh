#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# docs/roles.md, docs/loops.md, docs/loops/quick.md, docs/reports.md, as a new user follows them:
# each command that they show is run, in their order, in a repository with a change; one scripted
# agent plays all roles.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"
mkdir -p "$TMPDIR/bin" "$HOME/.config/hone"
ln -s "$HONE" "$TMPDIR/bin/hone"
PATH=$TMPDIR/bin:$PATH
printf '{"agents":{"*":"%s"},"rights":{"tmp":true}}\n' "$agent" >"$HOME/.config/hone/config.json"

# blocks PAGE FOLDER: each block of commands as a file, 1, 2, ...; those of YAML as N.yaml.
blocks()
{
    mkdir -p "$2"
    awk -v to="$2" '
        /^```sh$/ { n++; name = to "/" n ".sh"; printf "" >name; next }
        /^```yaml$/ { name = to "/" n ".yaml"; printf "" >name; next }
        /^```/ { name = ""; next }
        name != "" { print >name }' "$1"
}

# follows PAGE: every command ends with 0. What a page shows as YAML becomes the loop's file.
follows()
{
    local page=$1 count=0 script
    blocks "$TOP/docs/$page.md" "$TMPDIR/$page"
    for script in $(cd "$TMPDIR/$page" && printf '%s\n' *.sh | sort -n); do
        count=$((count + 1))
        if bash -e "$TMPDIR/$page/$script" >"$out" 2>"$err" </dev/null; then
            ok "$page: block $script"
        else
            not_ok "$page: block $script ends with $?:"
            sed 's/^/    | /' "$TMPDIR/$page/$script" "$err"
        fi
        if [ -e "$TMPDIR/$page/${script%.sh}.yaml" ]; then
            cp "$TMPDIR/$page/${script%.sh}.yaml" .hone/loops/careful.yaml
        fi
        echo "one more line" >>notes.txt
    done
    check "$page: it has commands" [ "$count" -ge 1 ]
}

forget
copy_of "$template" work
follows roles
check "roles: the new role was asked" [ "$(started perf)" -ge 1 ]
forget
copy_of "$template" work
follows loops
check "loops: the new reviewer was asked" [ "$(started sql)" -ge 1 ]
forget
follows loops/quick
check "quick: its reviewer was asked" [ "$(started reviewer)" -ge 1 ]
printf '#!/bin/sh\nexec cat >"$TMPDIR/reviewdog.json"\n' >"$TMPDIR/bin/reviewdog"
chmod +x "$TMPDIR/bin/reviewdog"
export TMPDIR GITHUB_STEP_SUMMARY=$TMPDIR/summary.md
git update-ref refs/remotes/origin/main HEAD
follows reports
check_has "reports: reviewdog got them" "$TMPDIR/reviewdog.json" '"diagnostics"'
check_has "reports: the summary is there" "$TMPDIR/summary.md" '### hone'
exit "$failed"
