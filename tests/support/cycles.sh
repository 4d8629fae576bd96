# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # what is not assigned here is of play.sh
#
# cycles.sh - for stories of the cycles dialect: a repository with a spec, and agents that build,
# review and fix it. Sourced after play.sh.

# A clean repository with a spec of two phases.
template=$TMPDIR/template
mkdir -p "$template/specs" && cd "$template" || exit 1
git init -q .
cat >specs/042-login.md <<'END'
# Login form

| ID     | Behaviour             | Phase |
|--------|-----------------------|-------|
| SC-001 | refuses an empty name | 1     |
| SC-002 | greets by name        | 2     |
END
printf 'hello\n' >notes.txt
git add . && git commit -q -m first

spec=specs/042-login.md

# What the agents do where a story says nothing else: the implementer adds a file for its phase,
# the reviewer wants "fixed" in it, the fixer adds that.
defaults()
{
    does implementer 'echo "phase $HONE_PHASE" >"phase-$HONE_PHASE.txt"; echo "built it"'
    does spec-reviewer 'if grep -q fixed "phase-$HONE_PHASE.txt"; then
    printf "All met.\n\n## Grade: PASS\n"
else
    printf "## Issues\n\n- [HIGH] phase-$HONE_PHASE.txt:1 - not fixed\n\n## Grade: WARN\n"
fi'
    does spec-fixer 'echo fixed >>"phase-$HONE_PHASE.txt"; echo "added the word"'
}

# begin_story: a fresh repository, agents as they are at first.
begin_story()
{
    forget
    copy_of "$template" work
    defaults
}

passes='printf "## Grade: PASS\n"'
warns='printf "## Issues\n\n- [LOW] notes.txt:1 - a word\n\n## Grade: WARN\n"'

subjects()
{
    git log --reverse --format=%s
}

files_of()
{
    git show --format= --name-only "$1" | LC_ALL=C sort | tr '\n' ' '
}

# in_order: the roles that were started, with their rounds.
in_order()
{
    cut -d ' ' -f 1,2 "$play/log" | tr '\n' ',' | sed 's/,$//'
}

# killed_when_here NAME: hone is killed when the file "here" is there; then the run goes on to its
# end.
killed_when_here()
{
    rm -f "$play/here"
    "$HONE" run cycles --spec "$spec" --phases 1 --session-dir out/s --agent "*=$agent" \
        >"$out" 2>"$err" &
    engine=$!
    check "$1: it came so far" until_true 30 test -e "$play/here"
    kill -KILL "$engine"
    wait "$engine" 2>/dev/null
    hone resume
    check_is "$1: resumed" "$status" 0
    check_is "$1: each commit once" "$(subjects | sort | uniq -d)" ""
    check_is "$1: all of them" "$(subjects | wc -l)" 3
    check_is "$1: all signals" "$("$HONE" verify out/s --action count)" 3
    check_is "$1: nothing is left behind" "$(git status --porcelain)" "?? out/"
    check_is "$1: no lock either" "$(find .git -name '*.lock' -not -path '*/hone/*')" ""
}
