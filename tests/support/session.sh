# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # what is not assigned here is of play.sh
#
# session.sh - for stories of the session dialect: a repository, and an executor and reviewers that
# speak its forms. Sourced after play.sh.

template=$TMPDIR/template
mkdir -p "$template" && cd "$template" || exit 1
git init -q .
printf 'hello\n' >notes.txt
printf 'one\n' >other.txt
git add . && git commit -q -m first

# What agents say, for the commands of `does`.
cat >"$play/words" <<'END'
echo "$HONE_ROLE $HONE_PHASE $HONE_ROUND $HONE_ATTEMPT" >>"$play/phases"

plan() # TITLE
{
    cat <<X
## Solution Plan: $1

### Problem Analysis
hello is lonely.

### Proposed Approach
Add a line.

### Implementation Steps
1. Add it.
2. Look at it.

### Files to Modify / Create
- \`notes.txt\` - one line more
- \`other.txt\` - stays

### Risks & Assumptions
- none

### Open Questions
- None
X
}

report() # TITLE FILE...
{
    printf '## Implementation Complete: %s\n\n### Changes Made\nA line was added.\n\n' "$1"
    printf '### Files Modified / Created / Deleted\n'
    shift
    for file in "$@"; do printf -- '- `%s` - a line\n' "$file"; done
    printf '\n### Deviations from Plan\nNone\n\n### Notes for Reviewer\nNothing special.\n'
}

noop()
{
    printf '## Implementation Complete: nothing to do\n\n### Changes Made\n'
    printf 'No code changes were required for this round.\n\n'
    printf '### Files Modified / Created / Deleted\nNone\n\n### Deviations from Plan\nNone\n\n'
    printf '### Notes for Reviewer\nNo-op round. The code already satisfies this step.\n'
}

approve()
{
    printf '### VERDICT: APPROVE\n\n### Strengths\n- short\n'
}

request() # TEXT [FILE]
{
    printf '### VERDICT: REQUEST_CHANGES\n\n### Issues\n- [CRITICAL] %s\n' "$1"
    printf '  File: `%s`, around line 1\n\n### Strengths\n- short\n' "${2:-notes.txt}"
}

# Once in this story, by name.
first()
{
    [ -e "$play/done.$1" ] && return 1
    : >"$play/done.$1"
}
END

# does_so ROLE COMMANDS: with the words above.
does_so()
{
    does "$1" ". \"\$play/words\"
$2"
}

# What the agents do where a story says nothing else: the executor plans, then adds a line; every
# reviewer approves.
defaults()
{
    local role
    does_so executor 'if [ "$HONE_PHASE" = planning ]; then plan "say bye"
else echo "bye $HONE_ROUND" >>notes.txt; report "bye said" notes.txt; fi'
    for role in reviewer polish docs security; do does_so "$role" approve; done
}

# begin_story: a fresh repository, agents as they are at first.
begin_story()
{
    forget
    rm -f "$play"/done.* "$play/phases"
    : >"$play/phases"
    copy_of "$template" work
    defaults
}

# session ARGUMENTS...: a run in this repository.
session()
{
    hone run session --agent "*=$agent" "$@"
}

# The session file, and its name.
session_file()
{
    find .review-loop/sessions -name '*.md'
}

uuid()
{
    basename "$(session_file)" .md
}

# has NAME TEXT, has_not NAME TEXT: in the session file.
has()
{
    check_has "$1" "$(session_file)" "$2"
}

has_not()
{
    check_not "$1" grep -qF -- "$2" "$(session_file)"
}

# valid NAME: hone check takes the session file.
valid()
{
    check "$1: hone check session" "$HONE" check session "$(session_file)"
}

# in_order: role and phase of every agent that was started.
in_order()
{
    cut -d ' ' -f 1,2 "$play/phases" | sed 's/ /-/' | tr '\n' ' ' | sed 's/ $//'
}
