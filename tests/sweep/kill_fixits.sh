#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over fixits: the fixer itself is killed at each of its writes, and hone while the
# fixer is at work. After the resume the tree is that of a run that was never killed: no edit stays
# that the test had not passed. In between, what is left is whole files.
. "${TOP:?}/tests/support/story.sh"

# Four files with a word to mend in each; the test refuses what b.txt would become.
template=$TMPDIR/template
mkdir "$template"
cd "$template" || exit 1
git init -q .
for name in a b c d; do printf 'one\nwrong %s\nthree\n' "$name" >"$name.txt"; done
cat >look <<'END'
echo '{"source": {"name": "look"}, "diagnostics": ['
between=
for file in [a-d].txt; do
    grep -q wrong "$file" || continue
    echo "$between"'{"message": "a wrong word", "code": {"value": "word"}, "severity": "WARNING",
        "location": {"path": "'"$file"'", "range": {"start": {"line": 2, "column": 1},
        "end": {"line": 2, "column": 6}}}, "suggestions": [{"text": "right", "range":
        {"start": {"line": 2, "column": 1}, "end": {"line": 2, "column": 6}}}]}'
    between=,
done
echo ']}'
END
git add . && git commit -q -m first
run=(review "the sweep" --agent '*=analyzer:none' --agent 'critic=rdjson:sh ./look'
    --agent review-fixer=fixits --test '! grep -q right b.txt' --no-sandbox --quiet)

end_files()
{
    cat [a-d].txt
    git status --porcelain | grep -v '^?? .agents/'
}

cp -R "$template" "$TMPDIR/calm"
cd "$TMPDIR/calm" || exit 1
"$HONE" run "${run[@]}" >/dev/null 2>"$TMPDIR/calm.err"
calm=$?
end_files >"$TMPDIR/calm.files"
check_is "the calm run keeps what the test passed" "$(grep -c right [a-d].txt | tr '\n' ' ')" \
    'a.txt:1 b.txt:0 c.txt:1 d.txt:1 '

# whole: each file is the old one or the mended one.
whole()
{
    local name
    for name in a b c d; do
        printf 'one\nwrong %s\nthree\n' "$name" | cmp -s - "$name.txt" && continue
        printf 'one\nright %s\nthree\n' "$name" | cmp -s - "$name.txt" || return 1
    done
}

# one WHO MODE N: false when there is no N-th write.
one()
{
    local args=$1 mode=$2 n=$3 here="$TMPDIR/$2-$3" status tries=0
    cp -R "$template" "$here"
    cd "$here" || exit 1
    HONE_FAULT_MODE=$mode HONE_FAULT_CALLS=write HONE_FAULT_NTH=$n HONE_FAULT_ARGS=$args \
        HONE_FAULT_FIRED="$here.fired" LD_PRELOAD="$SUPPORT/fault_preload.so" \
        timeout -k 5 60 "$HONE" run "${run[@]}" >/dev/null 2>"$here.err"
    status=$?
    if [ ! -e "$here.fired" ]; then
        rm -rf "$here"
        return 1
    fi
    whole || echo "half a file after the kill" >"$here.bad"
    while [ "$status" != "$calm" ] && [ $((tries += 1)) -lt 4 ]; do
        "$HONE" resume --quiet >/dev/null 2>"$here.err2"
        status=$?
        [ "$status" != 2 ] || "$HONE" run "${run[@]}" >/dev/null 2>"$here.err2" # there was no run
        [ "$status" != 2 ] || status=$calm
    done
    [ "$status" = "$calm" ] ||
        echo "after the resume: status $status: $(tail -1 "$here.err2")" >>"$here.bad"
    end_files >"$here.files"
    diff "$TMPDIR/calm.files" "$here.files" >>"$here.bad"
    [ -s "$here.bad" ] && echo "    $args, $mode at write $n ($(cat "$here.fired")):" &&
        sed 's/^/        /' "$here.bad"
    cd "$TMPDIR" && rm -rf "$here" "$here.fired"
    return 0
}

# Four at a time: a fixer that died is started again only after a pause.
part()
{
    local n=$3
    while one "$1" "$2" "$n"; do n=$((n + $4)); done
    echo "$n" >"$TMPDIR/$2.end.$3"
}

# sweep NAME ARGS STRIDE
sweep()
{
    local mode n bad
    for mode in kill tear; do
        for n in 1 2 3 4; do part "$2" "$mode" $((1 + (n - 1) * $3)) $((4 * $3)) & done
        wait
        n=$(sort -n "$TMPDIR/$mode".end.* | head -1)
        bad=$(find "$TMPDIR" -maxdepth 1 -name "$mode-*.bad" -size +0 | wc -l)
        check "$1, $mode: the sweep covers its writes ($n)" test "$n" -gt 10
        check_is "$1, $mode at each write: then as if it had not been killed" "$bad" 0
        rm -f "$TMPDIR/$mode"-*.bad "$TMPDIR/$mode".end.*
    done
}

sweep fixits "agent fixits" "${HONE_SWEEP_STRIDE:-1}"
sweep hone "run review" "${HONE_SWEEP_STRIDE:-7}"
exit "$failed"
