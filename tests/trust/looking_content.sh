#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Trees are compared by raw content: nothing that git leaves out or rewrites hides a change. In a
# cage a reviewer cannot write there: it is tried without one.
#
# row: looking.raw | code inside a same-length $Id$ of a file with ident, or behind eol, filter or working-tree-encoding | trees are compared by raw content, with git's attributes off |
# row: looking.private | files below .agents/ and .hone/ | only the files that hone itself writes are left out |
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user-bare root-bare)

setup()
{
    with_play
    template=$TMPDIR/template
    new_repo "$template"
    printf 'run() { : "%s"; }\n' "\$Id: ............................ \$" >id.sh
    printf 'one\r\ntwo\r\n' >dos.txt
    printf 'one\n' >plain.txt
    printf '*.sh ident\ndos.txt text eol=crlf\n' >.gitattributes
    git add . && git commit -q -m attributes
    rm id.sh dos.txt && git checkout -q -- . # as git writes them
    git update-index -q --refresh
}

# tampered NAME PATH COMMAND: a reviewer that does this each time is found out, and it is undone.
tampered()
{
    copy_of "$template" work
    git update-index -q --refresh
    forget
    does critic "$3; cat \"\$play/clean\""
    cp -a "$2" "$TMPDIR/before" 2>/dev/null || rm -rf "$TMPDIR/before"
    hone run review --no-sandbox --agent "*=$agent"
    check_not "$1: the review does not count" test "$status" = 0
    check_has "$1: the path is named" "$err" "$2"
    if [ -e "$TMPDIR/before" ]; then
        check "$1: it is put back" cmp -s "$TMPDIR/before" "$2"
    else
        check_not "$1: it is gone" test -e "$2"
    fi
    rm -rf "$TMPDIR/before"
}

raw()
{
    # What is between the two signs is git's, as long as it is asked with the file's attributes.
    printf 'run() { : "%s"; }\n' "\$Id: \"; touch planted-by-ident-here; : \" \$" >"$TMPDIR/id.sh"
    tampered "looking.raw: ident" id.sh "cp '$TMPDIR/id.sh' id.sh"
    check_is "looking.raw: git itself sees no change there" \
        "$(cd "$template" && cp "$TMPDIR/id.sh" id.sh && git diff --name-only -- id.sh)" ""
    tampered "looking.raw: line ends" dos.txt "printf 'one\ntwo\r\n' >dos.txt"
    tampered "looking.raw: working-tree-encoding" .gitattributes \
        "echo '*.txt working-tree-encoding=UTF-16' >>.gitattributes"
}

private()
{
    tampered "looking.private: .agents" .agents/planted.sh \
        "mkdir -p .agents; echo x >.agents/planted.sh"
    tampered "looking.private: .agents/tmp" .agents/tmp/planted.sh "echo x >.agents/tmp/planted.sh"
    tampered "looking.private: .hone" .hone/planted.sh "mkdir -p .hone; echo x >.hone/planted.sh"
    tampered "looking.private: .hone/git" .hone/git/planted \
        "mkdir -p .hone/git; echo x >.hone/git/planted"

    # What hone itself writes is no change.
    copy_of "$template" work
    forget
    hone run review --no-sandbox --agent "*=$agent"
    check_is "looking.private: hone's own files are no change" "$status" 0
    hone run review --no-sandbox --agent "*=$agent"
    check_is "looking.private: nor are those of the run before" "$status" 0
}

for_each_way raw private
