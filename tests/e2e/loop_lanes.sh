#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A loop file with lanes: tasks side by side, each in a work tree of its own, integrated group by
# group and in order; a conflict, a task that rests at its bound, work that is repeated with
# checkpoints, a run that is killed; what every verb says of such a run, and what is refused.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/host.sh"

# Lanes are at work at once: what each was asked is kept by its task.
cat >"$play/agent" <<'END'
#!/bin/sh
play=${0%/*}
echo "$HONE_ROLE $HONE_ROUND $HONE_ATTEMPT" >>"$play/log"
cat >"$play/prompt.$HONE_ROLE.${HONE_TASK_ID:-all}.$HONE_ROUND"
. "$play/do.$HONE_ROLE"
END

# A repository with nothing changed, and the loop that it reads from standard input.
begin()
{
    forget
    cd "$TMPDIR" && rm -rf work && mkdir -p work/.hone/loops && cd work || exit 1
    git init -q -b main .
    printf 'one\ntwo\nthree\n' >notes.txt
    cat >.hone/loops/fan.yaml
    git add . && git commit -q -m first
    echo more >more.txt && git add . && git commit -q -m second
}

three='about: three tasks, each built and reviewed in a lane of its own
task: Make it whole
tasks:
  - id: lexer
    task: |
      Add the lexer
      It cuts words.
    group: base
  - {id: parser, task: Add the parser, group: base}
  - {id: page, task: Write the page, group: words}
roles:
  drawer: {remit: Say how it fits together., writes: false}
  builder: {remit: Build what the task says.}
  looker: {remit: Look at this task alone., answers: findings}
  whole: {remit: Look at all of it., answers: findings}
  fixer: {remit: Mend it.}
  merger: {merge: feat}
phases:
  - {name: draw, work: drawer}
  - name: build
    lanes: {at-once: 2, integrate: merger}
    work: builder
    gate: {reviewers: [looker], repair: builder, repairs: 2}
  - name: review
    gate: {reviewers: [whole], repair: fixer, repairs: 1}'

# A builder writes a file of its task.
acts()
{
    does drawer 'echo "first words, then sentences"'
    does builder 'pwd >"$play/at.$HONE_TASK_ID"; echo "$HONE_TASK" >"$HONE_TASK_ID.txt"
echo "built $HONE_TASK_ID"'
    does looker 'ls >"$play/sees.$HONE_TASK_ID"; cat "$play/clean"'
    does whole 'ls >"$play/sees.whole"; cat "$play/clean"'
}

run_of()
{
    "$HONE" status --json | "$SUPPORT/is_json" whole run
}

# of_task TASK KEY: out of hone status --json.
of_task()
{
    "$HONE" status --json | tr -d ' \n' | sed 's/},{/}\n{/g; s/"tasks":\[/\n/' |
        grep "\"task\":\"$1\"" | sed "s/.*\"$2\":\"\{0,1\}\([^,\"}]*\).*/\1/"
}

# Nothing of the lanes is left.
tidy()
{
    check_is "$1: one work tree" "$(git worktree list | wc -l)" 1
    check_is "$1: one ref" "$(git for-each-ref | wc -l)" 1
    check_is "$1: nothing is changed" "$(git status --short -uall)" ""
}

# merged: the subjects of what the run merged, the newest last.
merged()
{
    git log --first-parent --reverse --format=%s | sed -n 's/.*\(feat: \)/\1/p' | tr '\n' ';'
}

two_groups()
{
    begin <<<"$three"
    check "lanes: the loop is valid" "$HONE" check loop .hone/loops/fan.yaml
    hone plan fan
    check_has "lanes: the plan draws them" "$out" "3 tasks in 2 groups, a work tree for each"
    check_has "lanes: and counts all tasks" "$out" "at most 66 agents started, 11 rounds, for all"
    acts
    hone run fan --agent "*=$agent"
    check_is "lanes: it ends well" "$status" 0
    check_is "lanes: all files" "$(ls ./*.txt | tr '\n' ' ')" \
        "./lexer.txt ./more.txt ./notes.txt ./page.txt ./parser.txt "
    check_is "lanes: HONE_TASK is all that the task says" "$(cat lexer.txt)" \
        "$(printf 'Add the lexer\n\nIt cuts words.')"
    check_is "lanes: merged in order" "$(merged)" \
        "feat: Add the lexer;feat: Add the parser;feat: Write the page;"
    check_has "lanes: the message says whose" <(git log --format=%B) "Task: parser"
    check "lanes: each in a work tree of its own" grep -q "/worktrees/.*-2$" "$play/at.parser"
    check_not "lanes: a group does not see itself" grep -q lexer.txt "$play/sees.parser"
    check "lanes: the next group sees it" grep -q lexer.txt "$play/sees.page"
    check_is "lanes: who looks at the whole sees all" "$(grep -c . "$play/sees.whole")" 5
    check_has "lanes: the builder is told its task" "$play/prompt.builder.lexer.1" "It cuts words."
    check_has "lanes: and what others do" "$play/prompt.builder.lexer.1" "- parser: Add the parser"
    check_not "lanes: not of other groups" grep -q "Write the page" "$play/prompt.builder.lexer.1"
    check_has "lanes: and what was said before" "$play/prompt.builder.lexer.1" \
        "first words, then sentences"
    check_has "lanes: the reviewer is told where the lane begins" "$play/prompt.looker.parser.1" \
        "git diff $(git rev-parse ':/^second')"
    check_has "lanes: who looks at the whole is told of each" "$play/prompt.whole.all.1" \
        "Phase build, task page:"
    files=.hone/runs/$(run_of)/files
    check_is "lanes: its files" "$(cd "$files" && find . -type f | LC_ALL=C sort | tr '\n' ' ')" \
        "./1-draw-1-drawer.md ./1-review-1-whole.json ./state.json \
./tasks/lexer/1-build-1-builder.md ./tasks/lexer/1-build-1-looker.json \
./tasks/page/1-build-1-builder.md ./tasks/page/1-build-1-looker.json \
./tasks/parser/1-build-1-builder.md ./tasks/parser/1-build-1-looker.json "
    check_has "lanes: state.json has the tasks" "$files/state.json" '"state": "merged"'
    check_has "lanes: the end says how many" "$out" "3 of 3 tasks merged"
    tidy lanes
    hone status
    check "lanes: status shows them" grep -Eq -- '-2 +base +parser +completed' "$out"
    check_is "lanes: as JSON, too" "$(of_task page status)" completed
    hone list
    check_has "lanes: the list has its name" "$out" fan
    hone replay "$(run_of)"
    check_is "lanes: it is replayed" "$status" 0
    hone show "$(run_of)"
    check_is "lanes: it is shown" "$status" 0
    hone findings
    check_is "lanes: its findings are none" "$status" 0
}

# Both of the first group change one line; told of the conflict, the builder keeps both sides.
conflict()
{
    begin <<<"$three"
    acts
    does builder 'if grep -q "^<<<<<<<" notes.txt; then
    cp "$play/prompt.builder.$HONE_TASK_ID.$HONE_ROUND" "$play/of.$HONE_TASK_ID"
    sed -i "/^<<<<<<< /d; /^=======\$/d; /^>>>>>>> /d" notes.txt
elif [ "$HONE_TASK_ID" = page ]; then echo page >page.txt
else sed -i "s/two/two $HONE_TASK_ID/" notes.txt; fi; echo built'
    does looker 'echo "$HONE_TASK_ID" >>"$play/looked"; cat "$play/clean"'
    hone run fan --agent "*=$agent"
    check_is "conflict: it ends well" "$status" 0
    check_is "conflict: both sides" "$(sort notes.txt | tr '\n' ,)" \
        "one,three,two lexer,two parser,"
    check_has "conflict: the builder was told" "$play/of.parser" "## Conflict"
    check_has "conflict: with what stands on both sides" "$play/of.parser" "two lexer"
    check_is "conflict: the result was reviewed" "$(grep -c parser "$play/looked")" 2
    check "conflict: it is kept" test -s ".hone/runs/$(run_of)/files/tasks/parser/$(
        )1-build-1-merger-conflict.md"
    tidy conflict
}

# A task whose review never passes rests at its bound; the other waits for it; help, and a resume.
stuck()
{
    begin <<<"$three"
    acts
    does looker "if [ \$HONE_TASK_ID = lexer ] && [ ! -e helped ]; then cat '$play/found'
else cat '$play/clean'; fi"
    hone run fan --agent "*=$agent"
    check_is "stuck: it ends with 1" "$status" 1
    check_has "stuck: it is said which, and why" "$out" \
        "is stuck, task lexer (Add the lexer): 1 issue of its review after 2 revisions"
    check_has "stuck: and how far it came" "$out" "0 of 3 tasks merged; 1 passed"
    check_is "stuck: the bound held" "$(started builder)" 4
    check_is "stuck: nothing is merged" "$(merged)" ""
    check_is "stuck: status says so" "$(of_task lexer status) $(of_task lexer iteration)" "stuck 3"
    hone status --json
    check_has "stuck: and who waits" "$out" '"tasks_waiting": 1'
    touch "$(git worktree list --porcelain | sed -n 's/^worktree \(.*-1\)$/\1/p')/helped"
    : >"$play/log"
    hone resume
    check_is "stuck: helped, it goes on" "$status" 0
    check_is "stuck: with the review of what was helped" \
        "$(head -n 1 "$play/log" | cut -d' ' -f1)" looker
    check_is "stuck: to its end" "$(merged)" \
        "feat: Add the lexer;feat: Add the parser;feat: Write the page;"
    tidy stuck
}

# A worker that says STUCK rests as well, though nothing reviews it.
says_stuck()
{
    begin <<'END'
about: work alone
tasks: [Add a, Add b]
roles:
  builder: {remit: Build it.}
  merger: {merge: feat}
phases:
  - {name: build, lanes: merger, work: builder}
END
    does builder 'echo x >"$HONE_TASK_ID.txt"
[ "$HONE_TASK_ID" = add-a ] || [ -e "$play/known" ] || { echo "STUCK: no name for b"; exit; }
echo built'
    hone run fan --agent "*=$agent"
    check_is "says stuck: it ends with 1" "$status" 1
    check_has "says stuck: its words" "$out" "task add-b (Add b): its builder says: no name for b"
    check_is "says stuck: nothing is merged" "$(merged)" ""
    touch "$play/known"
    hone resume
    check_is "says stuck: it goes on" "$status" 0
    check_is "says stuck: both are there" "$(cat add-a.txt add-b.txt | tr '\n' ,)" "x,x,"
    tidy "says stuck"
}

# Work that is repeated until it says COMPLETE, with a look at it on the way.
again()
{
    begin <<'END'
about: work until it is complete
roles:
  builder: {remit: Build it.}
  looker: {remit: Look., answers: findings}
  keeper: {commit: kept}
  test: {run: "test -s done.txt"}
  merger: {merge: feat}
phases:
  - name: build
    lanes: {at-once: 2, integrate: merger}
    work: {role: builder, again: 4, checkpoint: {role: looker, every: 1}}
    gate: {reviewers: [looker, test], repair: {role: builder, then: keeper}, repairs: 1}
END
    printf -- '- [ ] a: Add a\n- [x] b: Add b\n' >"$TMPDIR/tasks.md"
    hone run fan --agent "*=$agent"
    check_is "again: without tasks it does not run" "$status" 2
    check_has "again: and says how they are named" "$err" "--tasks FILE"
    does builder 'echo "$HONE_ITERATION" >>runs.txt; cp "$play/prompt.builder.a.$HONE_ROUND" \
"$play/run.$(wc -l <runs.txt)"
echo did; case $(wc -l <runs.txt) in 3) echo COMPLETE;; 4) echo ok >done.txt;; esac'
    does looker 'if [ "$(wc -l <runs.txt)" = 1 ]; then cat "$play/found"
else cat "$play/clean"; fi'
    hone run fan --tasks "$TMPDIR/tasks.md" --trust --agent "*=$agent"
    check_is "again: it ends well" "$status" 0
    check_is "again: three runs, and a repair" "$(wc -l <runs.txt)" 4
    check_has "again: the second is told of the checkpoint" "$play/run.2" "a defect is left"
    check_has "again: and of its own report" "$play/run.2" "## Your last report"
    check_not "again: the third is told of no issue" grep -q "a defect is left" "$play/run.3"
    check_has "again: the command failed" "$play/run.4" 'ended with status 1'
    check_is "again: a lane that committed all itself is merged as it is" \
        "$(git log -1 --format=%s)" kept
    check_is "again: a file for each run and each look" \
        "$(cd .hone/runs/*/files/tasks/a && echo *)" \
        "1-build-1-builder.md 1-build-1-looker-checkpoint.json 1-build-1-looker.json \
1-build-1-test.md 1-build-2-builder.md 1-build-2-looker-checkpoint.json 1-build-2-looker.json \
1-build-2-test.md 1-build-3-builder.md"
    check_has "again: what is done already is not done again" "$out" "1 of 1 tasks merged"
    tidy again
}

killed()
{
    begin <<<"$three"
    acts
    does builder 'echo "$HONE_TASK_ID" >>"$play/begun"
if [ "$HONE_TASK_ID" = parser ] && [ ! -e "$play/at" ]; then touch "$play/at"; sleep 30; fi
echo x >"$HONE_TASK_ID.txt"; echo built'
    "$HONE" run fan --agent "*=$agent" >"$out" 2>"$err" &
    pid=$!
    check "killed: the parser is at work" until_true 20 test -e "$play/at"
    check "killed: the lexer has passed" until_true 20 grep -q "lexer round 1  clean" "$err"
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    rm -f .hone/loops/fan.yaml
    git commit -qam "the loop is gone"
    hone resume
    check_is "killed: it goes on, without its file" "$status" 0
    check_is "killed: and does nothing twice that was done" \
        "$(sort "$play/begun" | uniq -c | awk '{ print $2 $1 }' | tr '\n' ' ')" \
        "lexer1 page1 parser2 "
    check_is "killed: all is merged" "$(merged)" \
        "feat: Add the lexer;feat: Add the parser;feat: Write the page;"
    tidy killed
    hone replay "$(run_of)"
    check_is "killed: it is replayed" "$status" 0
}

refused()
{
    begin <<<"$three"
    echo dirty >>notes.txt
    hone run fan --agent "*=$agent"
    check_is "refused: a tree with changes" "$status" 2
    check_has "refused: and how it goes" "$err" "--allow-dirty"
    git checkout -q notes.txt
    hone run fan --no-fix --agent "*=$agent"
    check_is "refused: to look alone" "$status" 2
    printf -- '- [ ] a: Add a (depends_on: z)\n' >"$TMPDIR/tasks.md"
    hone run fan --tasks "$TMPDIR/tasks.md" --agent "*=$agent"
    check_is "refused: tasks that do not fit" "$status" 2
    check_has "refused: which, and why" "$err" "a (line 1) depends on z, which is not in the list"
    sed -i 's/id: parser/id: lexer/' .hone/loops/fan.yaml
    hone check loop .hone/loops/fan.yaml
    check_has "refused: two of one id" "$out" ".hone/loops/fan.yaml:9: twice: "
    git checkout -q .
    cd "$TMPDIR" && rm -rf w && cp -R work w && cd w || exit 1
    event UserPromptSubmit '"prompt":"/hone:loop fan"'
    check_has "refused: inside a host, with the way on" "$hook_out" "'hone run fan' in a terminal"
    check_is "refused: nothing was started" "$(wc -l <"$play/log")" 0
}

two_groups
conflict
stuck
says_stuck
again
killed
refused
exit "$failed"
