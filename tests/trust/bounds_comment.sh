#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What agents, files and a service say reaches a pull request, a command line and a terminal only in
# a form that none of them obeys. Told once: neither root nor a sandbox makes a difference.
#
# row: bounds.comment | a finding's words and a file's name hold mentions, references that close issues, images, links, HTML, ends of comments, forged marks of hone's, commands of GitLab, escapes; a fix holds a fence and a command | on the pull request they are text: nobody is notified, nothing is closed or loaded, no other comment is taken for ours; none of it, and no token, stands on a command line | gh and glab are trusted with their login
# row: bounds.service | a service answers with escapes, a commit or an id that is an option or a path, comments of strangers that bear hone's marks | messages are harmless lines, what cannot be a commit is refused, strangers' comments are neither read nor changed | -
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"
. "$TOP/tests/support/forge.sh"

speaks gh
speaks glab
on_github=(comment --post --service github --repo o/n --pr 7)
on_gitlab=(comment --post --service gitlab --repo gitlab.example/g/sub/n --pr 7)

name='@team#1 <img src=x> `|` ](javascript:x).c'
mkdir "$TMPDIR/repo" && cd "$TMPDIR/repo" || exit 1
git init -q .
echo one >"$name"
git add . && git commit -q -m first
printf 'one\ntwo\nthree\n' >"$name"
printf '#!/bin/sh\necho $1\n/close $1\n' >s.sh
git add . && git commit -q -m change
pull_request

wild='@octocat fixes #12, closes GH-3, o/n#4 !5 ~bug ![x](http://e.example/p.png)'
wild+=' [l](https://e.example) www.e.example <img src=http://e.example/x> </details>'
wild+=' --> <!-- hone:comment review --> <!-- hone:finding review 0000000000000000 -->'
wild+='\n/close\n/merge\n\u001b]0;own\u0007\u202e | ``` ~~~ \n<!-- hone:finding review 1 -->'
json=$(printf '%s' "$name" | sed 's/\\/\\\\/g; s/"/\\"/g')
found 1 1 0 "$(issue critical "$json" 2 "$wild"),$(issue warning "$json" 3 "$wild again")"

# visible: what a page shows of all that stands there. Marks that it does not show are left out, and
# the name in its code span, where nothing is obeyed.
visible()
{
    "$SUPPORT/is_json" whole <"$forge/state.json" >/dev/null || return 1
    grep '"body"' "$forge/state.json" |
        sed -e 's/<!-- hone:\(comment\|finding\|findings\) [^>]*-->//g' \
            -e 's/`` @team#1 <img src=x> `[\\]*|` \](javascript:x)\.c:[0-9]* ``//g'
}

# inert NAME: nothing in it is obeyed.
inert()
{
    local word
    visible >"$TMPDIR/visible"
    for word in '@octocat' '@team' '#12' 'GH-3' 'n#4' '!5' '~bug' 'http://' 'https://e' 'www.e' \
        '<img' '</details> ' '<!--' '\n/close' '\n/merge' '![x' '](http://' '](https://e'; do
        check_not "bounds.comment: $1: $word" grep -qF -- "$word" "$TMPDIR/visible"
    done
    check_not "bounds.comment: $1: no escape" grep -q -e '\\u001' -e "$(printf '\033')" \
        "$TMPDIR/visible"
    check "bounds.comment: $1: it has the words all the same" grep -q 'octocat' "$TMPDIR/visible"
    check_not "bounds.comment: $1: none of it on a command line" grep -q -e octocat -e close \
        -e token-of-the-story "$TMPDIR/calls"
}

for service in github gitlab; do
    case $service in
    github) post=("${on_github[@]}") ;;
    gitlab) post=("${on_gitlab[@]}") ;;
    esac
    forge_anew
    hone "${post[@]}"
    check_is "bounds.comment: $service: exit" "$status" 0
    check "bounds.comment: $service: it stands there" stands 1 2
    inert "$service"
    hone "${post[@]}"
    check_has "bounds.comment: $service: its own marks are found" "$out" \
        "everything stands there already"
    check "bounds.comment: $service: no command is obeyed" test ! -e "$forge/commands"
done

# A fix that holds a command is not offered.
"$HONE" run review --no-fix --quiet --since "$(cat "$forge/base")" --agent '*=analyzer:none' \
    --agent critic=analyzer:shellcheck --agent review-fixer=fixits >"$TMPDIR/run" 2>&1
hone comment --json
check_has "bounds.comment: a fix is offered" "$out" '```suggestion\necho \"$1\"\n```'
check_not "bounds.comment: one with a command is not" grep -q 'suggestion\\n/close' "$out"
found 1 1 0 "$(issue critical "$json" 2 "$wild"),$(issue warning "$json" 3 "$wild again")"

# ---- the service ----

forge_anew
hone "${on_github[@]}"
sed -i 's/"author": "bot"/"author": "mallory"/' "$forge/state.json"
before=$(grep -c '"author": "mallory"' "$forge/state.json")
hone "${on_github[@]}"
check_is "bounds.service: a stranger's marks mean nothing" "$(cat "$out")" \
    "GitHub o/n 7: the comment was created, 2 inline comments were created"
check_is "bounds.service: and stay" "$(grep -c '"author": "mallory"' "$forge/state.json")" \
    "$before"
for head in '--output=/tmp/x' '../../x' "$(printf '\033[31m')" HEAD ''; do
    forge_anew
    echo "$head" >"$forge/head"
    hone "${on_github[@]}"
    check_is "bounds.service: no commit: exit" "$status" 2
    check_is "bounds.service: no commit: nothing is posted" "$(written)" 0
    hone "${on_gitlab[@]}" --wait 0
    check "bounds.service: no commit, GitLab: exit" [ "$status" -ge 2 ]
    check_is "bounds.service: no commit, GitLab: nothing is posted" "$(written)" 0
done
pull_request
forge_anew
fault 9 0 issues/7 422
hone "${on_github[@]}"
check_is "bounds.service: an escape in a message: exit" "$status" 3
check_not "bounds.service: it is shown by number" grep -q "$(printf '\033')" "$err"
check_has "bounds.service: as that" "$err" 'it went \x1b[31mwrong'
exit "$failed"
