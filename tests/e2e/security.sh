#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What docs/SECURITY.md says and no other test shows; and that every test it names is there. Its
# tables are made of the rows that stand in tests (tools/security).
#
# row: repository.elsewhere | `core.worktree`, or a link in place of hone's folder, leads elsewhere | refused | - | `security.sh: a work tree elsewhere: refused`, `security.sh: hone's folder is a link: refused`
# row: repository.owner | a repository of another user | git's own `safe.directory` | - | none
# row: repository.prepared | a `.git/hone` folder in an archive brings a prepared run | a run carries a word of your own state folder; another one is not resumed without `--trust` | its journal can be looked at: SQLite reads it | `security.sh: another user's run: refused`
# row: repository.project | project tests that run | in the sandbox; they get no credentials | they run: that is what you asked for | `security.sh: the project's tests: in the sandbox`
# row: users.read | they read transcripts, prompts or the journal | hone's folder is 0700, its files 0600, with any umask | contract files in the workspace have your umask | `security.sh: and each file of an attempt`
# row: users.processes | they see credentials in the list of processes | prompts and keys go by files and environment, never as arguments | - | none
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"

# ---- a repository that came from a stranger ----

# Everything that git would run for it leaves a file; a whole run leaves none.
repository()
{
    local trap="touch $TMPDIR/ran; cat"
    copy_of "$template" work
    git config filter.evil.clean "$trap"
    git config filter.evil.smudge "$trap"
    git config core.fsmonitor "$trap"
    git config core.pager "$trap"
    git config diff.external "$trap"
    git config core.sshCommand "$trap"
    for hook in pre-commit post-checkout post-index-change reference-transaction fsmonitor-watchman
    do
        printf '#!/bin/sh\n%s\n' "$trap" >.git/hooks/$hook && chmod +x .git/hooks/$hook
    done
    echo '* filter=evil' >.gitattributes
    rm -f "$TMPDIR/ran"
    # The agents use no git here: what they run is theirs.
    hone run review --agent "*=$reviewer" --agent "review-fixer=$fixer"
    check_is "hostile configuration: clean" "$status" 0
    check_not "hostile configuration: nothing ran" test -e "$TMPDIR/ran"
    hone status
    hone show
    hone doctor
    check_not "hostile configuration: nor when we only look" test -e "$TMPDIR/ran"
    git status >/dev/null 2>&1
    check "hostile configuration: git alone would have run it" test -e "$TMPDIR/ran"
}

# A run that came with the folder, and names a command.
archive()
{
    copy_of "$template" work
    does critic "touch '$TMPDIR/ran'; exit 1"
    hone run review --agent "*=$agent"
    check_is "a run that failed" "$status" 3
    rm -f "$TMPDIR/ran"
    XDG_STATE_HOME=$TMPDIR/somebody hone resume
    check_is "another user's run: refused" "$status" 2
    check_has "another user's run: why" "$err" "was begun by another user or on another machine"
    check_not "another user's run: nothing ran" test -e "$TMPDIR/ran"
    XDG_STATE_HOME=$TMPDIR/somebody hone resume --trust
    check "agreed to: it goes on" test -e "$TMPDIR/ran"
    rm -f "$TMPDIR/ran"
    XDG_STATE_HOME=$TMPDIR/somebody hone resume
    check "agreed to once: and later" test -e "$TMPDIR/ran"
    does critic
    hone resume
    check_is "my own run" "$status" 0
    check_is "the word is mine alone" \
        "$(stat -c %a "$HOME/.local/state/hone" "$HOME/.local/state/hone/owner")" "700
600"
}

# Folders that would lead us elsewhere.
elsewhere()
{
    copy_of "$template" work
    mkdir -p "$TMPDIR/target"
    ln -s "$TMPDIR/target" .git/hone
    hone run review --agent "*=$reviewer"
    check_is "hone's folder is a link: refused" "$status" 2
    check_is "hone's folder is a link: nothing is written" "$(ls "$TMPDIR/target")" ""
    copy_of "$template" work
    git config core.worktree "$TMPDIR"
    hone run review --agent "*=$reviewer"
    check_is "a work tree elsewhere: refused" "$status" 2
    check_has "a work tree elsewhere: why" "$err" core.worktree
}

# ---- other users of the machine ----

private_files()
{
    umask 0
    copy_of "$template" work
    hone run review --agent "*=$reviewer" --agent "review-fixer=$fixer"
    umask 022
    check_is "hone's folder is the user's alone" "$(stat -c %a .git/hone)" 700
    check_is "the journal too" "$(stat -c %a .git/hone/journal.db)" 600
    check_is "and each file of an attempt" \
        "$(find .git/hone/runs -type f ! -perm 600 ! -name index -printf '%P %m\n')" ""
    check_is "and each folder" "$(find .git/hone/runs -type d ! -perm 700 -printf '%P %m\n')" ""
}

# ---- agents ----

# The project's own tests run what agents wrote: in the sandbox, without credentials.
project_tests()
{
    has_sandbox "the project's tests in the sandbox" || return
    copy_of "$template" work
    mkdir -p .claude
    echo '{"phases":{"1":{"parallel":false},"2":{"parallel":false}}}' \
        >.claude/iterate-config.local.json
    printf '%s\n' 'case $HONE_ROLE in *-reviewer | codex-final) echo "No issues found." ;;' \
        '*) echo done ;; esac' >"$TMPDIR/plays"
    MY_TOKEN=tok-Green-4713 hone run iterate "make it right" --lite \
        --agent "*=cmd:. '$TMPDIR/plays'" \
        --test "env >'$TMPDIR/env'; test ! -w /usr && test ! -w .git/hooks && test -w notes.txt"
    check_is "the project's tests: in the sandbox" "$status" 0
    check "the project's tests: they ran" test -s "$TMPDIR/env"
    check_not "the project's tests: no credentials" grep -q tok-Green "$TMPDIR/env"
}

# ---- the page itself ----

# `test_x.c: name` and `x.sh: words of a check`.
page()
{
    local count=0 entry file words
    while IFS= read -r entry; do
        file=${entry%%: *} words=${entry#*: }
        count=$((count + 1))
        case $file in
        *.c)
            check "SECURITY.md: $entry" grep -qE "^[A-Z_]+\\(${words}[,)]" \
                "$TOP/tests/unit/$file"
            ;;
        *)
            cat "$TOP"/tests/{e2e,trust,fleet}/"$file" 2>/dev/null |
                grep -v '^# row: ' >"$TMPDIR/story"
            check "SECURITY.md: $entry" grep -qF -- "$words" "$TMPDIR/story"
            ;;
        esac
    done < <(grep -o '`[a-z_]*\.\(c\|sh\): [^`]*`' "$TOP/docs/SECURITY.md" | tr -d '`' | sort -u)
    check "SECURITY.md names tests" test "$count" -gt 20
    # Each row of its tables has one, or says that nothing shows it.
    check_is "SECURITY.md: rows without a test" \
        "$(grep '^|' "$TOP/docs/SECURITY.md" | grep -v -e '^|---' -e '^| threat' |
            grep -v -e '`[a-z_]*\.\(c\|sh\): ' -e '| none |$')" ""
}

together repository archive elsewhere private_files project_tests page
exit "$failed"
