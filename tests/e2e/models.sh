#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Claude Code and Codex as agents, played by small programs of these names: what they are called
# with, by role, and what is made of what they do.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"
mkdir "$TMPDIR/bin"
plain_path=$PATH

# Both write down how they were called and then answer as agents of play.sh do; codex leaves its
# last message in a file.
cat >"$TMPDIR/bin/claude" <<END
#!/bin/sh
printf '%s\n' "\$@" >"$play/args.claude.\$HONE_ROLE"
exec "$play/agent"
END
cat >"$TMPDIR/bin/codex" <<END
#!/bin/sh
printf '%s\n' "\$@" >"$play/args.codex.\$HONE_ROLE"
while [ "\$1" != --output-last-message ]; do shift; done
"$play/agent" >"\$2"
echo "a transcript that is not the answer"
END
chmod +x "$TMPDIR/bin/claude" "$TMPDIR/bin/codex"

named()
{
    PATH=$TMPDIR/bin:$plain_path
    copy_of "$template" named
    does critic 'if grep -q defect notes.txt; then cat "$play/found"; else cat "$play/clean"; fi'
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed"'
    hone run review --agent '*=claude:opus' --agent 'review-fixer=codex'
    check_is "claude reviews, codex fixes" "$status" 0
    check_has "claude prints" "$play/args.claude.critic" "-p"
    check_has "the model is passed on" "$play/args.claude.critic" "opus"
    check_has "hooks of the repository are off" "$play/args.claude.critic" "disableAllHooks"
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
    PATH=$TMPDIR/bin:$plain_path
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

named
chosen
missing
exit "$failed"
