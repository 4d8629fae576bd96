#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# action.yml, played as GitHub's runner does it: its inputs become environment, its script is run by
# bash, its outputs are read.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/ci.sh"
# shellcheck disable=SC2154 # what is not assigned here is of tests/support

file=$TOP/action.yml
script=$TMPDIR/script
mkdir -p "$TMPDIR/bin" && ln -sf "$HONE" "$TMPDIR/bin/hone"

# The script of the step, and its environment: a line NAME INPUT each.
sed -n '/^      run: |$/,/^    - /p' "$file" | sed -n 's/^        //p' >"$script"
sed -n 's/^        \(HONE_IN_[A-Z_]*\): ${{ inputs\.\([a-z-]*\) }}$/\1 \2/p' "$file" >"$TMPDIR/env"

# default INPUT: what it is where a workflow says nothing.
default()
{
    awk -v name="  $1:" '/^outputs:/ { exit } $0 == name { on = 1; next }
        on && /^    default:/ {
            sub(/^    default: */, "")
            gsub(/^\047|\047$/, "")
            print
            exit
        }' "$file"
}

# act INPUT=VALUE...: the step; $status, $out.
act()
{
    local name input pair set=()
    while read -r name input; do
        pair="$name=$(default "$input")"
        for given; do
            [ "${given%%=*}" != "$input" ] || pair="$name=${given#*=}"
        done
        set+=("$pair")
    done <"$TMPDIR/env"
    env PATH="$TMPDIR/bin:$PATH" "${set[@]}" bash --noprofile --norc -eo pipefail "$script" \
        >"$out" 2>&1
    status=$?
}

form()
{
    check "yamllint" yamllint -s -d '{extends: relaxed, rules: {line-length: disable}}' "$file"
    check_is "nothing is put into a script as text" "$(grep -cF '${{' "$script")" 0
    check_is "every input reaches the step, or the upload" \
        "$(sed -n '/^inputs:/,/^outputs:/s/^  \([a-z-]*\):$/\1/p' "$file" | while read -r input; do
            grep -qF "inputs.$input " "$file" || echo "$input"; done)" ""
    check_is "no code of another language" "$(grep -c 'using: composite' "$file")" 1
    check "shellcheck" shellcheck -s bash "$script"
    check_is "outputs are those of the step" \
        "$(sed -n 's/.*steps\.hone\.outputs\.\([a-z-]*\) }}$/\1/p' "$file" | sort -u |
            while read -r name; do
                grep -q "add_output(show, &out, \"$name\"" "$TOP/src/cmd/ci_show.c" || echo "$name"
            done)" ""
}

steps()
{
    check_out refs/pull/1/merge
    request_event >"$TMPDIR/event.json"
    github pull_request
    act
    check_is "as it is: exit" "$status" 1
    check_is "as it is: what later steps see" "$(output findings) $(output sarif)" \
        "1 hone-report/hone.sarif"
    check "as it is: what would be uploaded" "$SUPPORT/is_json" <hone-report/hone.sarif
    act fail-on=high models=false allow-unseen=true output=there budget=time=5m
    check_is "inputs: exit" "$status" 0
    check "inputs: the folder" test -s there/hone.sarif
    check_has "inputs: the budget" "$out" "time=5m"
    act "agents=*=cmd:exit 1" "args=--exclude
*.x"
    check_is "agents and options, a line each: exit" "$status" 3
    act hone=nowhere
    check_is "no program: exit" "$status" 2
    check_has "no program: words" "$out" "there is no program hone here"
    # shellcheck disable=SC2016 # must not be run
    act 'fail-on=$(touch hurt)' 'base=`touch hurt`' 'budget="; touch hurt; "' 'output=x y' \
        'args=; touch hurt'
    check_is "hostile inputs: refused" "$status" 2
    check "hostile inputs: nothing ran" test ! -e hurt
}

new_remote
new_change
new_merge
form
steps
exit "$failed"
