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
plain_path=$PATH

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
    does critic 'if grep -q defect notes.txt; then cat "$play/found"; else cat "$play/clean"; fi'
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
together trouble limited unproven
missing
exit "$failed"
