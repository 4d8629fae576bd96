#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What agents, files, branches, tasks and loops of a hostile repository say is text in the pages,
# and nothing else: no element comes of it, nothing runs, nothing is asked for.
. "${TOP:?}/tests/support/browser.sh"

# claude_says PLAIN: the claude of hostile_claude.mjs.
claude_says()
{
    printf '#!/bin/sh\nHOSTILE_PLAIN=%s exec node "%s"\n' "$1" \
        "$TOP/tests/support/hostile_claude.mjs" >"$TMPDIR/bin/claude"
}

# notes_repo FOLDER: a repository with one changed file of thirty lines.
notes_repo()
{
    mkdir -p "$1" && cd "$1" || exit 1
    git init -q .
    seq 30 >notes.txt
    git add . && git commit -q -m first
    sed -i 's/^/changed /' notes.txt
}

claude_says ''
notes_repo "$TMPDIR/loud"
hone run review --max-iterations 1 --no-sandbox --agent '*=claude' -- 'A task'
"$HONE" findings --json >"$TMPDIR/loud.json"
claude_says yes
notes_repo "$TMPDIR/plain"
hone run review --max-iterations 1 --no-sandbox --agent '*=claude' -- 'A task'

scene_hostile
mkdir -p .hone/loops
cat >.hone/loops/sly.yaml <<'END'
about: "</title><script>intruder()</script> <img src=x onerror=intruder()>"
task: "<img src=x onerror=intruder()>"
roles:
  reviewer: {remit: "<script>intruder()</script>", answers: findings}
phases:
  - name: look
    gate: {reviewers: [reviewer]}
END
git add .hone && git commit -q -m '<script>intruder()</script>' .hone
hostile_folder=$PWD
printf '%s\n' '# <b>intruder' '- [ ] a: <img src=x onerror=intruder()>' \
    '- [ ] b: "onclick="intruder()' >"$TMPDIR/tasks.md"
git add -A && git commit -q -m all
does builder 'echo "line $HONE_ROUND" >>"$HONE_TASK_ID.txt"; echo TASK_COMPLETE'
does loop-reviewer 'echo "{\"passed\":true,\"intentSatisfied\":true,\"issues\":[]}"'
does run-reviewer 'echo "{\"passed\":true,\"intentSatisfied\":true,\"issues\":[]}"'
hone run loops --tasks "$TMPDIR/tasks.md" --agent "*=$agent"
in_browser "$TMPDIR/loud" "$TMPDIR/plain" "$hostile_folder"
exit "$failed"
