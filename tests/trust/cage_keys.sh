#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every key by which a repository's configuration can name a program, while cycles and loops make
# work trees, commit, sign and merge: none of them runs with the user's rights.
#
# row: cage.keys | the repository's configuration, a file that it includes, or that of a work tree names a program by any key: gpg.program and its kin, gpg.ssh.defaultKeyCommand, filters, merge drivers, core.fsmonitor, hooksPath, editor, askPass, sshCommand, pager, diff.external, text converters, credential.helper, remotes, aliases; or a variable such as GIT_EXTERNAL_DIFF does | what runs outside of the cage takes programs from your own and the machine's configuration alone; the rest is off, or runs in the cage; nothing is fetched | without bubblewrap hooks run as you run them (also by core.hooksPath), and what a partial clone lacks is fetched for a commit as you would fetch it; which key signs, and whether, is read from the repository's own file, but from no file that it includes
# row: cage.filter | without bubblewrap: a file to be committed belongs to a filter that only the repository names | the commit is refused, and the filter named: neither does it run nor is the file committed without it | -
. "${TOP:?}/tests/trust/lib.sh"

keys='gpg.program gpg.openpgp.program gpg.x509.program gpg.ssh.program gpg.ssh.defaultKeyCommand
core.fsmonitor core.editor core.askPass core.sshCommand core.pager core.gitProxy
core.alternateRefsCommand diff.external diff.evil.command diff.evil.textconv merge.evil.driver
mergetool.evil.cmd credential.helper sequence.editor interactive.diffFilter
uploadpack.packObjectsHook remote.origin.uploadpack remote.origin.vcs pager.status pager.log
alias.status alias.commit alias.log trailer.evil.command submodule.lib.update
filter.evil.clean filter.evil.smudge'
variables='GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_ASKPASS SSH_ASKPASS
GIT_SSH GIT_SSH_COMMAND GIT_PROXY_COMMAND PAGER EDITOR'

# marker NAME: a program that leaves a file behind, outside of every cage, and does its work.
marker()
{
    mkdir -p "$HOME/markers"
    printf '#!/bin/sh\ntouch "%s"\ncat 2>/dev/null\n' "$TMPDIR/ran.$1" >"$HOME/markers/$1"
    chmod +x "$HOME/markers/$1"
    echo "$HOME/markers/$1"
}

# arm FILE: each key in this file of configuration.
arm()
{
    local key value
    for key in $keys; do
        value=$(marker "$key")
        case $key in
        filter.* | merge.*) [ -n "$caged" ] || continue ;; # see "filter"
        alias.* | submodule.*) value="!$value" ;;
        esac
        git config --file "$1" "$key" "$value"
    done
    git config --file "$1" log.showSignature true
    [ -z "$caged" ] || git config --file "$1" core.hooksPath "$HOME/hooks"
}

# The user signs with a key of ssh, by the machine's ssh-keygen; and has a gpg.
user_signs()
{
    ssh-keygen -q -t ed25519 -N '' -f "$HOME/key"
    git config --global gpg.format ssh
    git config --global user.signingkey "$HOME/key.pub"
    mkdir -p "$HOME/bin" "$HOME/hooks"
    cat >"$HOME/bin/gpg" <<'END'
#!/bin/sh
cat >/dev/null
echo "-----BEGIN PGP SIGNATURE-----"
printf '\n[GNUPG:] SIG_CREATED ' >&2
END
    for hook in pre-commit post-commit post-checkout reference-transaction post-index-change; do
        cp "$(marker "hook.$hook")" "$HOME/hooks/$hook"
    done
    chmod +x "$HOME/bin/gpg"
    PATH=$HOME/bin:$PATH
}

specified()
{
    new_repo "$TMPDIR/${1:-work}"
    git checkout -q -- notes.txt
    mkdir specs && printf '# Login\n\n## Phase 1: Form\n\n- [ ] a form\n' >specs/042-login.md
    printf '## All\n- [ ] one: A line - in one.txt\n- [ ] two: A line - in two.txt\n' >tasks.md
    printf '* filter=evil diff=evil merge=evil\n' >.gitattributes
    : >included
    git -c commit.gpgsign=false add . && git -c commit.gpgsign=false commit -q -m spec
    git remote add origin "$TMPDIR/nowhere"
    git config --global commit.gpgsign true
}

cycles()
{
    hone run cycles --spec specs/042-login.md --phases 1 \
        --agent "*=cmd:echo '## Grade: PASS'" \
        --agent "implementer=cmd:${1:-:}; echo a form >form.txt; echo built"
}

loops()
{
    hone run loops --tasks tasks.md --agent "*=cmd:echo '{\"passed\":true,\"issues\":[]}'" \
        --agent "builder=cmd:echo line >\$HONE_TASK_ID.txt; echo TASK_COMPLETE"
}

# none NAME: no marker is there.
none()
{
    check_is "cage.keys: $1: nothing of it ran, $way" \
        "$(find "$TMPDIR" -maxdepth 1 -name 'ran.*' -printf '%f ')" ""
    rm -f "$TMPDIR"/ran.*
}

signed()
{
    check "cage.keys: $1: signed by the user's own program, $way: $(tail -2 "$TMPDIR/err")" \
        eval "git cat-file commit HEAD | grep -q '^gpgsig -----BEGIN $2 SIGNATURE'"
}

every_key()
{
    if ! command -v ssh-keygen >/dev/null; then
        echo "skipped: every_key, $way: there is no ssh-keygen"
        return
    fi
    user_signs
    specified
    arm .git/config
    cycles
    signed "its configuration, cycles" SSH
    none "its configuration, cycles"
    loops
    signed "its configuration, loops" SSH
    none "its configuration, loops"
    git config --global commit.gpgsign false
    specified other
    git config gpg.format openpgp && git config user.signingkey ABC
    git config gpg.program "$(marker gpg.program)"
    cycles
    signed "another format" PGP
    none "another format"
}

# What an agent puts into a file that the configuration includes: programs, and whether to sign.
included()
{
    command -v ssh-keygen >/dev/null || return
    user_signs
    specified
    git config --global commit.gpgsign false
    git config include.path ../included
    arm "$HOME/armed"
    git config --file "$HOME/armed" commit.gpgsign true
    cycles "cat $HOME/armed >included"
    none "an included file, cycles"
    check_not "cage.keys: an included file cannot have commits signed, $way" \
        eval "git cat-file commit HEAD | grep -q '^gpgsig'"
    git config --global commit.gpgsign true
    git config --global core.excludesFile /dev/null
    loops
    none "an included file, loops"
}

work_trees()
{
    command -v ssh-keygen >/dev/null || return
    user_signs
    specified
    git config extensions.worktreeConfig true
    arm .git/config.worktree
    cycles
    signed "configuration of a work tree" SSH
    none "configuration of a work tree"
    rm .git/config.worktree
    (
        for name in $variables; do
            export "$name=$(marker "$name")"
        done
        loops
        signed "variables" SSH
        none "variables"
        exit "$failed"
    ) || failed=1
}

filter()
{
    if [ -n "$caged" ]; then
        echo "skipped: filter, $way: it runs in the cage, as cage.keys shows"
        return
    fi
    specified
    git config --global commit.gpgsign false
    git config filter.evil.clean "$(marker filter.clean)"
    cycles
    check_not "cage.filter: the run does not end well, $way" test "$status" = 0
    check_not "cage.filter: it did not run, $way" test -e "$TMPDIR/ran.filter.clean"
    check_not "cage.filter: the file is not committed without it, $way" \
        git cat-file -e HEAD:form.txt
    check "cage.filter: it is said, $way: $(tail -3 "$TMPDIR/err")" \
        grep -q "the filter 'evil' is named by this repository's" "$TMPDIR/err"
    git config --global filter.evil.clean "$(git config filter.evil.clean)"
    hone resume
    check "cage.filter: the user's own runs, $way: $(tail -3 "$TMPDIR/err")" \
        git cat-file -e HEAD:form.txt
}

for_each_way every_key included work_trees filter
