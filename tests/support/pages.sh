# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # what is not assigned here is of play.sh
#
# pages.sh - for stories of pages about a run: runs with something to show. Sourced after play.sh.
# Each is made in a folder of its own, which is entered.

# issue SEVERITY FILE LINE TEXT EVIDENCE
issue()
{
    printf '{"severity":"%s","category":"bug","file":"%s","line":%s,"description":"%s",' \
        "$1" "$2" "$3" "$4"
    printf '"evidence":"%s","suggestion":"mend it"}' "$5"
}

# review WORD COUNTS ISSUES: COUNTS is CRITICAL,WARNING,INFO
review()
{
    local critical warning info
    IFS=, read -r critical warning info <<<"$2"
    printf '{"issues":[%s],"summary":{"critical":%s,"warning":%s,"info":%s,"verdict":"%s"}}\n' \
        "$3" "$critical" "$warning" "$info" "$1"
}

# Three rounds: two things are fixed, a fix brings one, one attempt breaks its contract.
scene_rounds()
{
    local one same two new
    forget
    mkdir -p "$TMPDIR/till" && cd "$TMPDIR/till" || exit 1
    git init -q -b trunk .
    printf 'alpha\nbeta\ngamma\ndelta\nepsilon\nzeta\neta\ntheta\niota\nkappa\n' >words.txt
    git add . && git commit -q -m first
    sed -i 's/^beta$/bad one/; s/^iota$/bad two/' words.txt
    one=$(issue critical words.txt 2 'the second word is bad' 'bad one')
    same=$(issue critical words.txt 2 'word number two is no word at all' 'bad one')
    two=$(issue warning words.txt 9 'the ninth word is bad' 'bad two')
    new=$(issue warning words.txt 6 'zeta has one letter too many' 'zetta')
    does critic "case \$HONE_ROUND in
1) echo '$(review issues_found 1,1,0 "$one,$two")';;
2) echo '$(review issues_found 0,1,0 "$new")';;
*) cat \"\$play/clean\";; esac
printf 'words.txt\n' >\"\$HONE_EVIDENCE\""
    does pedant "if [ \$HONE_ROUND.\$HONE_ATTEMPT = 1.1 ]; then echo 'I give up.'
elif [ \$HONE_ROUND = 1 ]; then echo '$(review issues_found 1,0,0 "$same")'
else cat \"\$play/clean\"; fi"
    does review-fixer 'case $HONE_ROUND in
1) sed -i "s/^bad one/beta/; s/^bad two/iota/; s/^zeta/zetta/" words.txt;;
2) sed -i "s/^zetta/zeta/" words.txt;; esac; echo "# Fixed: words.txt"'
    hone run review --max-iterations 5 --budget calls=60 --agent "*=$agent" \
        -- "Put the words right, and no other"
}

# Two tasks side by side; one of them is reviewed twice.
scene_lanes()
{
    local passes='echo "{\"passed\":true,\"intentSatisfied\":true,\"issues\":[]}"'
    forget
    mkdir -p "$TMPDIR/lanes" && cd "$TMPDIR/lanes" || exit 1
    git init -q -b main .
    echo one >notes.txt
    git add . && git commit -q -m first
    printf '%s\n' '# g' '- [ ] a: Add the cart' '- [ ] b: Add the till' >"$TMPDIR/tasks.md"
    does builder 'echo "line $HONE_ROUND" >>"$HONE_TASK_ID.txt"; echo TASK_COMPLETE'
    does loop-reviewer "if [ \$HONE_TASK_ID = a ] && [ \$HONE_ROUND = 1 ]; then
printf '{\"passed\":false,\"interpretedIntent\":\"x\",\"issues\":[{\"file\":\"a.txt\",\"line\":1,'
echo '\"type\":\"dead-code\",\"description\":\"not good yet\",\"suggestion\":\"more\"}]}'
else $passes; fi"
    does run-reviewer "$passes"
    hone run loops --tasks "$TMPDIR/tasks.md" --agent "*=$agent"
}

# Markup, quotes, line ends, escapes and marks of direction in every name and text: the folder, the
# branch, the task, files and what is in them, what agents say. Each has the word intruder in it.
scene_hostile()
{
    local bad said hostile
    forget
    mkdir -p "$TMPDIR/<b>intruder&" && cd "$TMPDIR/<b>intruder&" || exit 1
    git init -q -b 'x"><script>intruder</script>' .
    bad='a"><img src=x onerror=intruder>.txt'
    printf 'one\n</pre><script>intruder()</script>\n\033[31mred\342\200\256dlot\n\377\376\n-->\n' \
        >"$bad"
    mkdir -p '<' && cp "$bad" '</style><script>intruder.txt'
    git add . && git commit -q -m first
    printf 'two & <!-- intruder\n' >>"$bad"
    said='</summary></details><script>intruder()</script> \u001b[2J\u202e\u0007 --> ]]> &lt;'
    said+=' <a href=javascript:intruder>'
    hostile=$(issue critical "${bad//\"/\\\"}" 2 "$said" \
        "\\\"' onload='intruder <svg/onload=intruder>")
    does critic "if [ \$HONE_ROUND = 1 ]; then cat <<'ENDED'
$(review issues_found 1,0,0 "$hostile")
ENDED
else cat \"\$play/clean\"; fi
printf '%s\n' '<script>intruder</script>' '$bad' >\"\$HONE_EVIDENCE\""
    does pedant "cat <<'ENDED'
$(review issues_found 1,0,0 "$hostile")
ENDED"
    does review-fixer 'for f in *intruder*.txt; do
    echo "</ins><script>intruder()</script>" >>"$f"
done
echo "# Fixed: <script>intruder</script>"'
    does witness 'if [ $HONE_ATTEMPT = 1 ]; then echo "<script>intruder</script>"
else cat "$play/clean"; fi'
    hone run review --max-iterations 2 --agent "*=$agent" \
        -- "$(printf '</title><script>intruder()</script>\nsecond line\033[1m \342\200\256"%s' "'")"
}
