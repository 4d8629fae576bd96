#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone's own commits run the user's hooks, filters and merge drivers, and these may call a script of
# the tree, which an agent has rewritten.
#
# row: cage.hooks | the user's pre-commit hook calls a script of the tree, which the agent of a cycle rewrote | hooks, filters and merge drivers run in the cage of who wrote, with no credentials and no socket of the session | without bubblewrap hooks run as you run them
# row: cage.sign | a hook signs something with the user's key, or the commit stays unsigned | hooks in the cage, then the same commit is signed outside, without hooks and with no file of the tree | post-commit hooks see the commit before it is signed
. "${TOP:?}/tests/trust/lib.sh"

# What the agent makes of the script; each line says what it could do.
evil='#!/bin/sh
echo x >"$HOME/written"
echo x >.git/hooks/post-checkout
test -z "$SECRET_TOKEN" || echo token >>seen
test -z "$SSH_AUTH_SOCK" || echo socket >>seen
echo ran >>hook-ran; echo more >added-by-hook.txt; git add added-by-hook.txt
exit 0
'

cycle()
{
    mkdir specs && printf '# Login\n\n## Phase 1: Form\n\n- [ ] a form\n' >specs/042-login.md
    mkdir tools && printf '#!/bin/sh\nexit 0\n' >tools/check && chmod +x tools/check
    git checkout -q -- notes.txt
    git add . && git commit -q -m spec
    printf '#!/bin/sh\nexec tools/check\n' >.git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
    printf '%s' "$evil" >"$HOME/evil"
    SECRET_TOKEN=x SSH_AUTH_SOCK=$HOME/agent hone run cycles --spec specs/042-login.md --phases 1 \
        --agent "*=cmd:echo '# Review'; echo; echo 'Verdict: PASS'; echo 'Grade: PASS'" \
        --agent "implementer=cmd:cat $HOME/evil >tools/check; echo a form >form.txt; echo built"
}

hooks()
{
    new_repo work
    cycle
    check "cage.hooks: the commit is there, $way: $(tail -3 "$TMPDIR/err")" \
        test "$(git log --format=%s -1 -- form.txt)" != ""
    check "cage.hooks: the hook ran, $way" test -e hook-ran
    check "cage.hooks: what it staged is committed, $way" \
        git cat-file -e HEAD:added-by-hook.txt
    check_is "cage.hooks: nothing but that is staged or changed, $way" \
        "$(git status --porcelain | grep -v -e ' hook-ran$' -e ' seen$' -e '^?? tmp/')" ""
    if [ -n "$caged" ]; then
        check_not "cage.hooks: it wrote nothing outside of the tree, $way" test -e "$HOME/written"
        check_not "cage.hooks: and no hook, $way" test -e .git/hooks/post-checkout
        check_not "cage.hooks: it saw no token and no socket, $way: $(cat seen 2>&1)" test -e seen
    fi
}

sign()
{
    if ! command -v ssh-keygen >/dev/null; then
        echo "skipped: sign, $way: there is no ssh-keygen"
        return
    fi
    ssh-keygen -q -t ed25519 -N '' -f "$HOME/key"
    git config --global gpg.format ssh
    git config --global user.signingkey "$HOME/key.pub"
    new_repo work
    git config --global commit.gpgsign true
    cycle
    check "cage.sign: the commit is signed, $way" \
        eval 'git cat-file commit HEAD | grep -q "^gpgsig -----BEGIN SSH SIGNATURE"'
    check_is "cage.sign: once, behind what was there, $way" "$(git log --format=%s | wc -l)" 3
    check "cage.sign: with what the hook staged, $way" git cat-file -e HEAD:added-by-hook.txt
    check_is "cage.sign: and nothing is left, $way" \
        "$(git status --porcelain | grep -v -e ' hook-ran$' -e ' seen$' -e '^?? tmp/')" ""
}

for_each_way hooks sign
