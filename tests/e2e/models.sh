#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Claude Code and Codex as agents, played by small programs of these names: what they are called
# with, by role, and what is made of what they do.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/models.sh"

template=$TMPDIR/template
new_repo "$template"

# Puts both on the PATH. They write down how they were called, and answer as agents of play.sh do.
install_models()
{
    local name
    mkdir -p "$TMPDIR/bin"
    for name in claude codex; do
        cat >"$TMPDIR/bin/$name-says" <<END
#!/bin/sh
printf '%s\n' "\$@" >"$play/args.$name.\$HONE_ROLE"
exec "$play/agent"
END
        chmod +x "$TMPDIR/bin/$name-says"
        "stand_in_$name" "$TMPDIR/bin/$name" "$TMPDIR/bin/$name-says \"\$@\""
    done
    PATH=$TMPDIR/bin:$plain_path
}

named()
{
    install_models
    copy_of "$template" named
    does critic "$sees"
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed"'
    hone run review --agent '*=claude:opus' --agent 'review-fixer=codex'
    check_is "claude reviews, codex fixes" "$status" 0
    check_has "claude prints" "$play/args.claude.critic" "-p"
    check_has "what it does, too" "$play/args.claude.critic" "stream-json"
    check_has "the model is passed on" "$play/args.claude.critic" "opus"
    check_has "hooks of the repository are off" "$play/args.claude.critic" "disableAllHooks"
    check_has "its settings are not read" "$play/args.claude.critic" "--setting-sources"
    check_has "its MCP servers, too" "$play/args.claude.critic" "--strict-mcp-config"
    check_has "a reviewer may read and run" "$play/args.claude.critic" "Read,Glob,Grep,Bash"
    check_not "and not edit" grep -q Edit "$play/args.claude.critic"
    check_has "a fixer may write" "$play/args.codex.review-fixer" "workspace-write"
    check_has "the summary is codex's last message" \
        .agents/tmp/phases/review-1/r2-fix-summary.md "# Fixed"

    copy_of "$template" swapped
    hone run review --agent '*=codex' --agent 'review-fixer=claude'
    check_is "codex reviews" "$status" 0
    check_has "read only" "$play/args.codex.pedant" "read-only"
    does critic 'exit 1'
    hone run review --agent '*=codex' --agent 'review-fixer=claude'
    check_is "a model that fails is no verdict" "$status" 3
    does critic
}

chosen()
{
    install_models
    copy_of "$template" chosen
    forget
    rm -f "$play"/args.*
    hone run review
    check_is "with nobody named" "$status" 0
    check "claude is taken where it is on the PATH" test -e "$play/args.claude.critic"
    mv "$TMPDIR/bin/claude" "$TMPDIR/claude.away"
    rm -f "$play"/args.*
    hone run review
    check "else codex" test -e "$play/args.codex.critic"
    mv "$TMPDIR/claude.away" "$TMPDIR/bin/claude"
}

missing()
{
    PATH=$plain_path
    command -v claude >/dev/null && return # it is really there
    copy_of "$template" missing
    hone run review --agent '*=claude'
    check_is "a program that is not there is said before the start" "$status" 2
    check_has "by name" "$err" "claude is not on the PATH"
    check_has "with the way to it" "$err" "npm install"
}

# What is wrong with the service is told apart by fields, never by words.
trouble()
{
    install_models
    copy_of "$template" trouble
    forget
    does critic 'echo "rate limit reached, 429, please log in"; exit 1'
    hone run review --agent '*=claude'
    check_is "an error of the service is no verdict" "$status" 3
    check_is "it is tried once more, whatever its words" "$(started critic)" 2
    check_has "which are shown" "$err" "rate limit reached, 429"

    forget
    does critic 'echo "bad key"; exit 2'
    hone run review --agent '*=codex'
    check_is "without a login there is no verdict" "$status" 3
    check_is "and nobody tries again" "$(started critic)" 1
}

# A service that is asked too often is waited for, and that is no failure.
limited()
{
    install_models
    copy_of "$template" limited
    forget
    does critic 'if [ $HONE_ATTEMPT -lt 3 ]; then echo "slow down"; exit 30; fi; cat "$play/clean"'
    hone run review --agent '*=claude'
    check_is "a rate limit is waited for" "$status" 0
    check_is "as often as it takes" "$(started critic)" 3
}

# How hard a model thinks: by role, by files and by flag, as far as its program can be told.
efforts()
{
    install_models
    copy_of "$template" efforts
    forget
    rm -f "$play"/args.*
    export XDG_CONFIG_HOME=$TMPDIR/xdg.efforts
    mkdir -p "$XDG_CONFIG_HOME/hone"
    echo '{"efforts":{"*":"low","pedant":"medium"},"rights":{"tmp":true}}' \
        >"$XDG_CONFIG_HOME/hone/config.json"
    echo '{"dialects":{"review":{"efforts":{"pedant":"xhigh"}}}}' >hone.json
    does critic "$sees"
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed"'
    hone run review --agent '*=claude' --agent 'review-fixer=codex' --agent "witness=$agent" \
        --agent-effort critic=max --agent-effort review-fixer=ultra
    check_is "efforts: exit" "$status" 0
    check_is "efforts: a flag reaches claude" "$(effort_of claude critic)" max
    check_is "efforts: the dialect's own come before" "$(effort_of claude pedant)" xhigh
    check_is "efforts: for all others" "$(effort_of claude security-reviewer)" low
    check_has "efforts: codex is told in its own way" "$play/args.codex.review-fixer" \
        "model_reasoning_effort=ultra"
    check_has "efforts: files that count are said" "$err" \
        "hone.json: dialects.review.efforts.pedant xhigh"
    check_is "efforts: a command is none the wiser" "$(started witness)" 2
    hone show "$(newest)" "$(attempt_of critic)"
    check_has "efforts: shown with the model" "$out" "model stand-in; effort max"
    hone show "$(newest)" "$(attempt_of critic)" --json
    check_has "efforts: shown as JSON" "$out" '"effort": "max"'

    rm -f "$play"/args.*
    hone run review --agent '*=claude' --agent-effort critic=ultra
    check_is "efforts: a word that the program does not know: exit" "$status" 2
    check_has "efforts: said before anybody is started" "$err" \
        "the effort of critic: claude knows no effort 'ultra'; there are: low, medium, high"
    check "efforts: nobody was" test ! -e "$play/args.claude.critic"
    hone run review --agent-effort critic=hgih
    check_has "efforts: a slip" "$err" "unknown effort 'hgih'; did you mean 'high'?"
    hone run review --agent-effort critc=high
    check_has "efforts: a slip in the role" "$err" "did you mean 'critic'?"
    hone run review --effort high
    check_has "efforts: the option of loops" "$err" "how hard models think is --agent-effort"
    hone run review --agent-effort high
    check_has "efforts: no role" "$err" "wants ROLE=EFFORT such as '*=high'"
    check_is "efforts: none of that began a run" "$("$HONE" list | grep -c review)" 1
    unset XDG_CONFIG_HOME
}

# effort_of PROGRAM ROLE: what it was told.
effort_of()
{
    sed -n '/^--effort$/{n;p;}' "$play/args.$1.$2"
}

newest()
{
    "$HONE" list --json | sed -n 's/.*"run": *"\([^"]*\)".*/\1/p' | head -n 1
}

# attempt_of ROLE: its first attempt in the newest run.
attempt_of()
{
    "$HONE" show | awk -v role="$1" '$2 == role { print $1; exit }'
}

# A reviewer that looked at nothing has not reviewed.
unproven()
{
    install_models
    copy_of "$template" unproven
    forget
    export LOOKS=false
    hone run review --agent '*=claude'
    unset LOOKS
    check_is "a review without a look is none" "$status" 3
    check_is "it is asked for once more" "$(started critic)" 2
    check_has "with what was wrong" "$play/prompt.critic.1.2" "You used no tool"
}

named
chosen
efforts
together trouble limited unproven
missing
exit "$failed"
