#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Without a sandbox a reviewer can reach more than the files of a tree. What it changes there is
# found, named and put back, and its review does not count.
#
# row: looking.git | no sandbox: a reviewer changes hooks, configuration, info, sparse checkout, the index, tags, replace refs, submodules, nested repositories, setuid bits | all of it is compared before and after; what changed is put back and named | what a reviewer changes back before it ends; hooks of a repository whose git folder lies in the work tree
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user-bare root-bare)

setup()
{
    with_play
    template=$TMPDIR/template
    new_repo "$template/lib-origin"
    git commit -q -a -m all
    new_repo "$template/work"
    git -c protocol.file.allow=always submodule --quiet add "$template/lib-origin" lib
    git init -q nested && echo one >nested/file
    printf 'echo hi\n' >tool.sh && chmod 755 tool.sh
    git add tool.sh .gitmodules lib && git commit -q -m more
    echo more >>main.c && git add main.c
}

# state: everything that a reviewer must leave as it is, as text.
state()
{
    git for-each-ref | grep -v refs/hone/ # where commits keep a name
    git ls-files --stage -v
    git status --porcelain=v2 --ignore-submodules=dirty -- . ':!.agents'
    cat .git/config .git/info/exclude .git/info/attributes .git/info/sparse-checkout 2>/dev/null
    cat .git/modules/lib/config
    ls -A .git/hooks .git/modules/lib/hooks
    stat -c '%a %n' ./*
} 2>/dev/null

# tampered NAME COMMAND [PATH]: by each start of a reviewer. PATH: what stays as it is now.
tampered()
{
    copy_of "$template/work" work
    git update-index -q --refresh
    forget
    does critic "$2; cat \"\$play/clean\""
    state >"$TMPDIR/state"
    hone run review --no-sandbox --agent "*=$agent"
    check_not "looking.git: $1: the review does not count" test "$status" = 0
    if [ -n "${3:-}" ]; then # what is inside another repository is not ours to put back
        check_has "looking.git: $1: it is said" "$err" "put the tree back: $3 cannot be"
        return
    fi
    check_has "looking.git: $1: it is said" "$err" "a reviewer changed the work tree"
    check_is "looking.git: $1: it is put back" "$(state)" "$(cat "$TMPDIR/state")"
}

files()
{
    hook="printf '#!/bin/sh\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit"
    tampered "hooks" "$hook"
    tampered "fsmonitor" "git config core.fsmonitor /bin/true"
    tampered "hooksPath" "git config core.hooksPath /tmp"
    tampered "info/exclude" "echo '*.c' >>.git/info/exclude"
    tampered "info/attributes" "echo '* filter=x' >.git/info/attributes"
    tampered "sparse checkout" "git sparse-checkout set --no-cone /notes.txt"
    tampered "assume-unchanged" "git update-index --assume-unchanged tool.sh"
    tampered "skip-worktree" "git update-index --skip-worktree tool.sh"
    tampered "what is staged" "git reset -q"
}

names()
{
    tampered "a tag" "git tag planted"
    tampered "a branch" "git branch planted"
    tampered "a replacement" "git replace -f HEAD HEAD~1"
    tampered "a setuid bit" "chmod u+s tool.sh"
    tampered "writing by others" "chmod o+w tool.sh"
    tampered "hooks of a submodule" "touch .git/modules/lib/hooks/post-checkout"
    tampered "configuration of a submodule" "git -C lib config core.fsmonitor /bin/true"
    tampered "a dirty submodule" "echo x >>lib/main.c" lib
    tampered "a commit in a submodule" "git -C lib commit -q --allow-empty -m x" lib
    tampered "a nested repository" "echo two >nested/file" nested
    tampered "a new nested repository" "git init -q planted; touch planted/x"

    # An index that says of a changed file that it is as it was.
    forged="printf 'echo ho\n' >tool.sh; touch -d 2001-01-01 tool.sh"
    forged="$forged; git update-index --cacheinfo 100755,\$(git hash-object -w tool.sh),tool.sh"
    forged="$forged; git update-index --refresh"
    tampered "a forged index" "$forged"
    # shellcheck disable=SC2016
    tampered "an index that is written in place" \
        "cp .git/index /tmp/x.\$\$; $forged; cat .git/index >/tmp/y.\$\$
rm /tmp/x.\$\$ /tmp/y.\$\$"

    # A reviewer that only reads: git itself may renew the times in its index.
    copy_of "$template/work" work
    forget
    does critic 'git status >/dev/null; git diff HEAD >/dev/null; cat "$play/clean"'
    hone run review --no-sandbox --agent "*=$agent"
    check_is "looking.git: reading changes nothing" "$status" 0
}

for_each_way files names
