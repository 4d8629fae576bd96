#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone waive: a person leaves a finding, with a reason, in a file to commit. Never an agent; a
# change does not waive what is found in it; a broken file ends a run before it begins.
#
# row: earned.waivers | a change, a fixer or an agent of a host waives what is found in it | agents cannot write .hone/waivers.yaml, and hone waive refuses inside of them; an entry counts when the commit that the change is measured against has it, or when this user made it here; changed code or a day that is over voids it | code that its author made to have the same 64-bit hash as the code that was waived; a waiver that people commit together with the code | `waive.sh: an entry of the change itself does not count`, `waive.sh: an agent cannot write it`, `waive.sh: inside an attempt`, `waive.sh: with an empty environment, too`
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/verb.sh"

file=.hone/waivers.yaml

# A run of review that looks once: a warning in notes.txt, and a grave one in main.c.
look_once()
{
    hone run review --no-fix --no-sandbox --agent "*=$agent" "$@"
}

# name TEXT: the ID of the finding that says so.
name()
{
    "$HONE" findings --json | awk -v text="$1" '
        /"text":/ { mine = index($0, text) > 0 }
        /"fingerprint":/ && mine { gsub(/[",]/, "", $2); print $2; exit }'
}

grave='{"severity":"critical","category":"memory","file":"main.c","line":3,'
grave+='"description":"it leaks","evidence":"x","suggestion":"y"}'
does critic "sed 's|\"issues\":\[|&$grave,|; s|\"critical\":0|\"critical\":1|' \"\$play/found\""

new_repo "$TMPDIR/repo"
refused "before the first run" "no runs" waive abc --reason x
look_once
check_is "two things are found" "$status" 1
defect=$(name "a defect is left")
leak=$(name "it leaks")
run=$("$HONE" status --json | "$SUPPORT/is_json" whole run)

# ---- what must be said ----

refused "no reason" "why is it left?" waive "$defect"
refused "an empty reason" "why is it left?" waive "$defect" --reason ' '
refused "no such finding" "no finding of run" waive zzzz --reason x
refused "no finding at all" "which finding?" waive --reason x
refused "a day that is none" "is no day" waive "$defect" --reason x --until soon
refused "a day that is over" "is over" waive "$defect" --reason x --until 2020-01-01
refused "--list and an ID" "name no ID" waive --list "$defect"
refused "--list and --remove" "leave out --remove" waive --list --remove
refused "--remove of which" "which waiver? 'hone waive --list' shows" waive --remove
refused "a grave one" "is grave, and it was not waived" waive "$leak" --reason x
check "nothing was written" test ! -e $file

# ---- never by an agent ----

HONE_ROLE=critic refused "inside an attempt" "only a person waives" waive "$defect" --reason x
for variable in CLAUDECODE CODEX_SANDBOX_NETWORK_DISABLED GEMINI_CLI; do
    (
        export $variable=1
        refused "inside a host ($variable)" "only a person waives" waive "$defect" --reason x
        exit "$failed"
    ) || failed=1
done
does critic "env -i PATH=\"\$PATH\" HOME='$HOME' '$HONE' waive '$defect' --reason me \
    >'$TMPDIR/said' 2>&1; cat \"\$play/found\""
look_once
check_has "with an empty environment, too" "$TMPDIR/said" "only a person waives"
check "an agent wrote nothing" test ! -e $file

# ---- what is written ----

hone waive "${defect:0:6}" --reason 'it is "known"' --until 2999-12-31
check_is "by the first letters of its name" "$status" 0
check_has "it is said" "$out" "${defect:0:8} is waived: notes.txt:2: medium: a defect is left"
check_has "and what to do next" "$out" "commit $file"
check_has "the finding" $file "- id: $defect"
check_has "its reason" $file '  reason: "it is \"known\""'
check_has "its owner: git's author" $file '  owner: "test"'
check_has "its last day" $file '  until: 2999-12-31'
check_has "the day on which it was made" $file "  made: $(date -u +%Y-%m-%d)"
hone waive --list
check_has "the list" "$out" "${defect:0:8} holds: notes.txt:2: medium: a defect is left"
hone waive --list --json
check "the list as JSON: one document" "$SUPPORT/is_json" whole <"$out"
check_has "the list as JSON: whether it holds" "$out" '"standing": "holds"'

# ---- what is waived is left ----

does critic "cat \"\$play/found\""
: >"$play/log"
hone run review --no-sandbox --agent "*=$agent"
check_is "a run that finds what is waived, and nothing else, ends with 0" "$status" 0
check_is "and asks no fixer" "$(started review-fixer)" 0
passed="nothing is open: what was found is waived, or less grave than --fail-on"
check_has "its end says that nothing is open" "$out" "$passed"
hone status
check_has "and so does where it stands" "$out" "$passed"
hone help ends
tr -s '\n ' '  ' <"$out" >"$TMPDIR/ends"
check_has "that end is one of those that are explained" "$TMPDIR/ends" \
    "passed over exit 0, --json: noted. \"$passed\""
hone findings
check_is "its finding is waived, and why" "$(cat "$out")" \
    "notes.txt:2: note: waived: a defect is left [text] (${defect:0:8}; it is \"known\")"
hone findings --json
check_has "by this waiver" "$out" "\"waiver\": \"$defect\""
hone run review --until settled --no-sandbox --agent "*=$agent"
check_is "likewise under a policy" "$status" 0
check_is "where no fixer is asked either" "$(started review-fixer)" 0
does critic "sed 's|a defect is left|line 2 has a defect left over|' \"\$play/found\""
hone run review --no-sandbox --agent "*=$agent"
check_is "in other words it is the same" "$status" 0
does critic "sed 's|\"issues\":\[|&$grave,|; s|\"critical\":0|\"critical\":1|' \"\$play/found\""
does review-fixer "cat \"\$HONE_FINDINGS\" >>'$TMPDIR/given'; echo '# Fixed'"
hone run review --no-sandbox --max-iterations 2 --agent "*=$agent"
check_is "another finding is not waived" "$status" 1
check_has "it is given to the fixer" "$TMPDIR/given" "it leaks"
check_not "what is waived is not" grep -q "a defect is left" "$TMPDIR/given"
does review-fixer
does critic "sed 's|warning\",|critical\",|; s|\"critical\":0,\"warning\":1|\"critical\":1,\
\"warning\":0|' \"\$play/found\" | tr -d '\\n'"
hone run review --no-sandbox --max-iterations 1 --agent "*=$agent"
check_is "a waiver does not hold for the same when it is grave" "$status" 1
does critic "cat \"\$play/found\""
hone run review --no-fix --no-sandbox --agent "*=$agent"

# ---- the file is people's, too ----

printf '# a word of ours\n' >>$file
hone waive "$defect" --reason 'another reason' --owner Ada
check_is "one that is there is written anew" "$(grep -c '^- id:' $file)" 1
check_has "with what is said now" $file '  owner: "Ada"'
check_has "a comment stays" $file "# a word of ours"
check_is "the newest run did not find the other" "$(name "it leaks")" ""
refused "so it does not know it" "no finding of run" waive "$leak" --reason x --grave
hone waive "$leak" --run "$run" --reason 'we know' --grave
check_is "a grave one, by --grave" "$status" 0
check_has "the entry says so" $file "  grave: true"
hone waive --remove "${leak:0:6}"
check_is "--remove" "$(grep -c '^- id:' $file)" 1
check_has "says what it did" "$out" "is waived no more"
refused "--remove of none" "no waiver begins with" waive --remove "$leak"
if command -v script >/dev/null; then
    printf 'y\n' | timeout 60 script -qec \
        "'$HONE' waive $leak --run $run --reason asked" /dev/null >"$TMPDIR/asked" 2>&1
    check_has "on a terminal a grave one is asked about" "$TMPDIR/asked" "Leave it all the same?"
    check_has "and the answer counts" $file '  reason: "asked"'
fi

# ---- several at the same time ----

cp $file "$TMPDIR/waivers.before"
does critic "sed 's|\"issues\":\[|&$grave,|; s|\"critical\":0|\"critical\":1|' \"\$play/found\""
look_once
for id in "$defect" "$leak" "$defect" "$leak" "$defect"; do
    "$HONE" waive "$id" --reason "all at once" --grave >>"$TMPDIR/raced" 2>&1 &
done
wait
check_is "several at the same time: none fails" "$(grep -c '^hone:' "$TMPDIR/raced")" 0
check_is "several at the same time: each is there once" "$(grep -c '^- id:' $file)" 2
hone waive --list
check_is "several at the same time: all of them hold" "$(grep -c '^........ holds' "$out")" 2
cp "$TMPDIR/waivers.before" $file

# ---- whether it holds ----

git add $file && git commit -q -m waivers
sed -i 's/return 0/return 1/' main.c
sed -i 's/^  made: .*/&\n  until: 2020-01-01/' $file
git add . && git commit -q -m changed
hone waive --list
check_has "one that is expired" "$out" "${defect:0:8} expired"
does critic
look_once
check_has "expired is said at the start of a run" "$err" "waivers do not hold: 2 expired"
check_has "and where to look" "$err" "hone waive --list"
sed -i '/^  until: 2020/d' $file
git add . && git commit -q -m mended
hone waive --list
check_has "one whose code changed" "$out" "${leak:0:8} its code changed"
look_once
check_has "and that is said" "$err" "1 waiver does not hold: 1 whose code changed"
sed -i '1i \\n' notes.txt
hone waive --list
check_has "code that moved is the same" "$out" "${defect:0:8} holds: notes.txt:4"

# ---- a change does not waive what is found in it ----

new_repo "$TMPDIR/change"
mkdir .hone
sed -n '1,/made:/p' "$TMPDIR/repo/$file" >$file
does critic "cat \"\$play/found\""
look_once
check_has "an entry of the change itself does not count" "$err" \
    "waivers of the change itself do not count: 1 entry of $file is not in commit"
hone waive --list
check_has "the list says it" "$out" "not made here: counts once it is committed"
git add $file && git commit -q -m waivers
look_once --since HEAD~1
check_has "nor does one that a commit of the change brings" "$err" \
    "waivers of the change itself do not count"
look_once
check "in HEAD it counts" test -z "$(grep "do not count" "$err")"
sed -i 's/severity: medium/severity: low/' $file
look_once
check_has "one that the change alters does not" "$err" "waivers of the change itself do not count"

# ---- a broken file ----

sed -i '/reason:/d' $file
hone run review --no-fix --no-sandbox --agent "*=$agent"
check_is "a broken file ends a run before it begins" "$status" 2
check_has "with its place" "$err" "$file:"
check_has "and what is wrong" "$err" "this entry has no reason"
refused "and hone waive" "this entry has no reason" waive --list
refused "nothing is taken out of it" "mend the file, or take it away" waive --remove 5c3f0a1b
git checkout -q $file

# ---- a run that goes on ----

new_repo "$TMPDIR/goes_on"
does critic "cat \"\$play/found\""
does review-fixer "exit 1"
hone run review --no-sandbox --agent "*=$agent"
check_is "a run that failed in its fixer" "$status" 3
hone waive "$(name "a defect is left")" --reason 'found while it rested'
check_is "is rested, so one can waive" "$status" 0
does review-fixer
: >"$play/log"
hone resume
check_is "it goes on, and what is waived is left" "$status" 0
check_not "a waiver is no change of the tree" grep -q "changed since" "$err"
rm $file
mkdir -p .hone && echo 'words' >$file
hone run review --no-sandbox --agent "*=cmd:exit 1"
check_is "nothing begins with a broken one" "$status" 2
rm $file
hone run review --no-sandbox --agent "*=$agent" --agent "review-fixer=cmd:exit 1"
echo 'words' >$file
hone resume
check_is "nor goes on" "$status" 2
check_has "with what is wrong" "$err" "$file:1: wanted: a list of entries"
cd "$TMPDIR/change" || exit 1

# ---- an agent cannot write it ----

does critic "sed 's|a defect is left|another thing entirely|' \"\$play/found\""
does review-fixer "echo '# mine' >>$file; echo '# Fixed'"
hone run review --no-sandbox --max-iterations 2 --agent "*=$agent"
check_has "an agent cannot write it" "$err" "$file"
check "it is put back" git diff --quiet -- $file

# ---- nor the model of a host: this shell is one, and sets no variable ----

new_repo "$TMPDIR/hosted"
look_once
defect=$(name "another thing entirely")
. "$TOP/tests/support/hook.sh"
prompt "/hone:review"
hone waive "$defect" --reason mine
check_is "inside a host that has a run here" "$status" 2
check_has "it is said" "$err" "only a person waives a finding, and this is inside the host of a run"
check "and nothing is written" test ! -e $file
exit "$failed"
