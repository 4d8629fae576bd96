#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proof of reading: a review is about the change. Each changed file was read or diffed by the
# reviewer, by its stream, or the review does not count; a command hands in its evidence.
#
# row: proof.idle | a reviewer whose only tool call is Bash `true`, `echo a.c`, `ls` or `git diff --stat` says clean | a review counts only where the stream shows that each changed file was read or diffed; it is asked again with the files that it did not look at | a reviewer that prints a file and does not think about it, or makes up a command that looks as if it showed one (`sed -n 0p a.c`)
# row: proof.elsewhere | a reviewer reads another file than the change | the same: only files of the change count |
# row: proof.command | a `cmd:` reviewer says clean with no evidence at all | end line and reports say "no proof of reading"; HONE_EVIDENCE takes the paths; with --require-proof (requireProof in hone.json, which a repository can switch on, and not off) such a review does not count | a command that names files which it did not read
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user root-bare) # each user, and each kind of cage, once

setup()
{
    with_play models
    template=$TMPDIR/template
    new_repo "$template"
    printf 'int late;\n' >late.c
}

# claude_that TOOL INPUT [TOOL INPUT ...]: a client that calls these tools and answers clean.
claude_that()
{
    local script="echo '{\"type\":\"system\",\"subtype\":\"init\"}'" id=0
    # shellcheck disable=SC2016 # for the stand-in
    script+='
play='"$play"'
echo "$HONE_ROLE $HONE_ROUND $HONE_ATTEMPT" >>"$play/log"
cat >"$play/prompt.$HONE_ROLE.$HONE_ROUND.$HONE_ATTEMPT"'
    while [ $# -gt 1 ]; do
        id=$((id + 1))
        script+="
cat <<'LINE'
{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"t$id\",\
\"name\":\"$1\",\"input\":$2}]}}
{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t$id\"}]}}
LINE"
        shift 2
    done
    script+="
cat <<'LINE'
{\"type\":\"result\",\"is_error\":false,\"total_cost_usd\":0.1,\
\"result\":$(printf '%s' "$clean" | sed 's/"/\\"/g; s/^/"/; s/$/"/')}
LINE"
    program claude "$script"
}

bash_says()
{
    claude_that Bash "{\"command\":\"$1\"}"
}

# judged NAME STATUS: five reviewers by claude, on a copy of the template.
judged()
{
    forget
    copy_of "$template" work
    hone run review --agent '*=claude'
    check_is "$1" "$status" "$2"
}

idle()
{
    local command
    for command in true ls 'echo notes.txt late.c' 'git diff --stat' 'wc -l notes.txt late.c' \
        'git status; make -n' 'git diff >/dev/null; cat late.c | md5sum'; do
        bash_says "$command"
        judged "proof.idle: a reviewer that only ran '$command' has not reviewed" 3
    done
    check_is "proof.idle: it is asked once more" "$(started critic)" 2
    check_has "proof.idle: with the files that it did not look at" \
        "$play/prompt.critic.1.2" "late.c, notes.txt"
    "$HONE" show --json >"$out"
    check_has "proof.idle: the journal has the reason" "$out" '"verdict": "invalid"'

    bash_says 'git diff HEAD; cat late.c'
    judged "proof.idle: one that saw the whole change has" 0
    check_not "proof.idle: and its end line has nothing to add" grep -q "proof of reading" "$out"
    "$HONE" show "" 1 >"$out" 2>"$err"
    check_is "proof.idle: hone show names what it looked at" \
        "$(sed -n '/^==> evidence/,/^$/p' "$out" | sed '1d;/^$/d' | tr '\n' ' ')" \
        "late.c notes.txt "
    claude_that Read '{"file_path":"notes.txt"}' Read "{\"file_path\":\"$TMPDIR/work/late.c\"}"
    judged "proof.idle: so has one that read each file" 0
}

elsewhere()
{
    claude_that Read '{"file_path":"main.c"}' Bash '{"command":"git diff HEAD -- main.c"}'
    judged "proof.elsewhere: a reviewer that read another file has not reviewed" 3
    bash_says 'git diff HEAD'
    judged "proof.elsewhere: git diff does not show a file that git does not know" 3
    check_has "proof.elsewhere: which is named" "$play/prompt.critic.1.2" "diff: late.c."
    bash_says 'git show HEAD; cat late.c'
    judged "proof.elsewhere: the last commit is not the change" 3
    claude_that Grep '{"pattern":"x","path":"notes.txt"}' Read '{"file_path":"late.c"}'
    judged "proof.elsewhere: the names that a search finds are no reading" 3
}

# What tells a reader nothing is not demanded.
not_demanded()
{
    copy_of "$template" odd
    printf 'a\0b' >binary
    : >empty
    echo '{}' >package-lock.json
    ln -s main.c link
    git mv main.c moved.c
    forget
    bash_says 'git diff HEAD -- notes.txt; cat late.c'
    hone run review --agent '*=claude'
    check_is "proof.elsewhere: binary, empty, made and moved files are not demanded" "$status" 0
}

commands()
{
    copy_of "$template" commands
    forget
    hone run review --agent "*=$agent"
    check_is "proof.command: a command need not tell what it read" "$status" 0
    check_has "proof.command: the end line says so" "$out" \
        "clean: the last review found nothing, with no proof of reading"
    check_has "proof.command: and how to mend it" "$out" 'HONE_EVIDENCE'
    hone run review --json --agent "*=$agent"
    check_has "proof.command: JSON says it of the run" "$out" '"unproven":5'
    check_has "proof.command: and of each review" "$out" '"proof":"missing"'

    hone run review --require-proof --agent "*=$agent"
    check_is "proof.command: with --require-proof no such review counts" "$status" 3
    check_has "proof.command: the command is told" "$play/prompt.critic.1.2" "HONE_EVIDENCE"
    echo '{"requireProof": true}' >hone.json
    git add hone.json && git commit -q -m settings hone.json
    hone run review --agent "*=$agent"
    check_is "proof.command: a repository can switch it on" "$status" 3

    mkdir -p "$HOME/.config/hone"
    echo '{"requireProof": true, "rights": {"tmp": true}}' >"$HOME/.config/hone/config.json"
    echo '{"requireProof": false}' >hone.json
    git commit -q -a -m settings
    hone run review --agent "*=$agent"
    check_is "proof.command: and not off" "$status" 3

    # shellcheck disable=SC2016 # for the agent's shell
    printf '%s\n' 'printf "notes.txt\nlate.c\n" >"$HONE_EVIDENCE"; cat "$play/clean"' >"$play/shows"
    for role in $reviewers; do cp "$play/shows" "$play/do.$role"; done
    echo late >>notes.txt
    hone run review --agent "*=$agent"
    check_is "proof.command: with evidence it counts" "$status" 0
    check_not "proof.command: and nothing is missing" grep -q "proof of reading" "$out"
    # shellcheck disable=SC2016
    does critic 'echo notes.txt >"$HONE_EVIDENCE"; cat "$play/clean"'
    hone run review --agent "*=$agent"
    check_is "proof.command: evidence that lacks a file is not enough" "$status" 3
    rm -r "$HOME/.config/hone"
}

# Scripts state their evidence; an analyzer reads what it judges.
played()
{
    copy_of "$template" played
    printf '%s\n' "{\"answer\":$clean,\"evidence\":[\"notes.txt\",\"late.c\"]}" >"$TMPDIR/told"
    printf '%s\n' "{\"answer\":$clean}" >"$TMPDIR/untold"
    hone run review --require-proof --agent "*=script:$TMPDIR/told"
    check_is "proof.command: a script states its evidence" "$status" 0
    hone run review --require-proof --agent "*=script:$TMPDIR/untold"
    check_is "proof.command: or does not" "$status" 3
}

for_each_way idle elsewhere not_demanded commands played
