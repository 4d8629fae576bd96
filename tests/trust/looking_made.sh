#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Files that a checkout wrote with other bytes than were committed, and that git has to read again:
# they are not changed, and no filter runs to find that out. No other content is taken for theirs.
#
# row: looking.made | a checkout with line ends by eol, text or core.autocrlf, or with Git LFS, that was copied or touched | hone computes what the checkout makes of the commit, and compares byte by byte: such a file is not changed, and no filter runs; any other content is | files with ident, an encoding or another filter count as changed once they are touched
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user root-bare) # hone itself looks, in no cage: each user is tried once

# converted: a repository with files that were written so; copied, so that no time is as it was.
converted()
{
    local object=$1
    new_repo "$TMPDIR/origin"
    git checkout -q -- notes.txt
    printf 'one\ntwo\n' >dos.txt
    printf 'one\ntwo\n' >auto.md
    printf 'dos.txt text eol=crlf\n*.bin filter=lfs\n' >.gitattributes
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 6\n' "$object" >big.bin
    printf '## All\n- [ ] one: A line - in dos.txt\n' >tasks.md
    git add . && git commit -q -m rules
    rm dos.txt && git checkout -q -- dos.txt
    mkdir -p ".git/lfs/objects/${object:0:2}/${object:2:2}"
    printf 'large\n' >".git/lfs/objects/${object:0:2}/${object:2:2}/$object"
    printf 'large\n' >big.bin
    git config core.autocrlf true
    git config filter.lfs.clean "touch $TMPDIR/ran; git-lfs clean -- %f"
    rm auto.md && git -c filter.lfs.smudge= checkout -q -- auto.md
    cp -R "$TMPDIR/origin" "$TMPDIR/work" && cd "$TMPDIR/work" || exit 1
}

made()
{
    converted 57fa3a7a4d7e6ab9db4a8dcb7eb7f6f2f0b4ad9a0c8a0ee1f8d2a8b1c0ffee00
    # Without a cage a commit is refused where such a filter has a part in it (cage.filter).
    [ -n "$caged" ] || git config --unset filter.lfs.clean
    check "looking.made: written with CR LF" grep -q "$(printf 'two\r')" dos.txt
    check "looking.made: by core.autocrlf, too" grep -q "$(printf 'two\r')" auto.md
    hone run loops --tasks tasks.md --agent "*=cmd:echo '{\"passed\":true,\"issues\":[]}'" \
        --agent "builder=cmd:printf 'three\r\n' >>dos.txt; echo TASK_COMPLETE"
    check_is "looking.made: loops begins, and moves the checkout forward" "$status" 0
    [ "$status" = 0 ] || tail -2 "$TMPDIR/err"
    check_is "looking.made: with what was done" "$(tr '\r\n' 'c ' <dos.txt)" "onec twoc threec "
    check_not "looking.made: no filter ran" test -e "$TMPDIR/ran"
}

# dirty NAME COMMAND: such a change is one.
dirty()
{
    rm -rf "$TMPDIR/work" && cp -R "$TMPDIR/origin" "$TMPDIR/work" && cd "$TMPDIR/work" || exit 1
    eval "$2"
    hone run loops --tasks tasks.md --agent "*=cmd:true"
    check_is "looking.made: $1: it is a change" "$status" 2
    check_has "looking.made: $1: which is named" "$TMPDIR/err" "not committed ($3)"
}

others()
{
    converted 57fa3a7a4d7e6ab9db4a8dcb7eb7f6f2f0b4ad9a0c8a0ee1f8d2a8b1c0ffee00
    dirty "mixed line ends" "printf 'one\ntwo\r\n' >dos.txt" dos.txt
    dirty "another line" "printf 'one\r\ntwo\r\nx' >dos.txt" dos.txt
    dirty "less" "printf 'one\r\n' >dos.txt" dos.txt
    dirty "line ends without a rule" \
        "git config core.autocrlf false; printf 'hello\r\n' >notes.txt; rm auto.md
         git -c filter.lfs.clean= checkout -q auto.md" notes.txt
    dirty "another object" "printf 'larger\n' >big.bin" big.bin
    dirty "no object" "rm -r .git/lfs/objects/*" big.bin
    check_not "looking.made: no filter ran" test -e "$TMPDIR/ran"
}

for_each_way made others
