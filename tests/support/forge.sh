# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# forge.sh - for stories about pull requests: a stand-in for a service (forge.c), a repository with
# a pull request, and runs that found something in it. Sourced after story.sh and verb.sh.

forge=$TMPDIR/forge
mkdir -p "$forge" "$TMPDIR/bin"
# A socket has a short name.
sockets=$(mktemp -d /tmp/forge.XXXXXX)
"$SUPPORT/forge" serve "$sockets/s" "$forge" &
forge_pid=$!
trap 'kill "$forge_pid"; rm -rf "$sockets"' EXIT

# speaks PROGRAM [PATH]: this program is on the PATH: the real one at that path, or a stand-in. What
# it was called with goes to $TMPDIR/calls.
speaks()
{
    cat >"$TMPDIR/bin/$1" <<END
#!/bin/sh
printf '%s\n' "\$*" >>"$TMPDIR/calls"
END
    if [ $# = 2 ]; then
        echo "exec '$2' \"\$@\"" >>"$TMPDIR/bin/$1"
    else
        echo "exec '$SUPPORT/forge' ask '$sockets/s' $1 \"\$@\"" >>"$TMPDIR/bin/$1"
    fi
    chmod +x "$TMPDIR/bin/$1"
}

PATH=$TMPDIR/bin:$PATH
export GH_TOKEN=token-of-the-story GITLAB_TOKEN=token-of-the-story GH_CONFIG_DIR=$TMPDIR/gh
mkdir -p "$GH_CONFIG_DIR"
printf 'http_unix_socket: %s/s\n' "$sockets" >"$GH_CONFIG_DIR/config.yml"
real_gh=$(command -v gh)

# fault COUNT SKIP WORD KIND; without words: none any more.
fault()
{
    echo "$*" >"$forge/fault"
}

# A service where nothing stands.
forge_anew()
{
    rm -f "$forge"/state.json "$forge"/log "$forge"/fault "$forge"/commands "$TMPDIR/calls"
    : >"$forge/log"
}

# pull_request: the commit before the newest is its base, and the newest its head. The lines that
# take a comment are those that git shows, as a service would.
pull_request()
{
    git rev-parse "${1:-HEAD~1}" >"$forge/base"
    git rev-parse HEAD >"$forge/head"
    git -c core.quotePath=false diff -U3 -M "$(cat "$forge/base")" HEAD >"$forge/diff"
    awk '
        /^[+][+][+] / { file = substr($0, 7); sub(/\t$/, "", file); next }
        /^--- / { next }
        /^@@ / {
            split($2, old, ","); split($3, new, ",")
            o = -old[1]; n = +new[1]; inside = 1
            next
        }
        /^diff / { inside = 0 }
        inside && /^[+]/ { print file, n++, 0 }
        inside && /^-/ { o++ }
        inside && /^ / { print file, n++, o++ }' "$forge/diff" >"$forge/lines"
}

# written: how many requests have changed something.
written()
{
    grep -v -e ' query ' -e '^GET ' "$forge/log" | grep -c ' 20[0-9]$'
}

# stands COMMENTS THREADS: so many, and none twice.
stands()
{
    local comments threads marks
    comments=$(grep -c '"body": "<!-- hone:comment' "$forge/state.json")
    threads=$(grep -c '"place"' "$forge/state.json")
    marks=$(awk '/"notes"/ { notes = 1 } notes && /hone:finding / { print; notes = 0 }' \
        "$forge/state.json" | grep -o '<!-- hone:finding [^ ]* [^ ]*' | sort | uniq -d | wc -l)
    [ "$comments/$threads/$marks" = "$1/$2/0" ] && return
    echo "    $comments comments, $threads threads, $marks findings twice"
    return 1
}

# issue SEVERITY FILE LINE TEXT
issue()
{
    printf '{"severity":"%s","category":"text","file":"%s","line":%s,"description":"%s",' "$@"
    printf '"evidence":"it is there","suggestion":"mend it"}'
}

# found CRITICAL WARNING INFO ISSUES: a run of review whose critic reports these; the others
# nothing.
found()
{
    {
        printf '{"role":"critic","answer":{"issues":[%s],"summary":{"critical":%s,"warning":%s,' \
            "$4" "$1" "$2"
        printf '"info":%s,"verdict":"issues_found"}}}\n' "$3"
        # shellcheck disable=SC2154 # of story.sh
        printf '{"answer":%s}\n' "$clean"
    } >"$TMPDIR/agents.jsonl"
    review_run
}

review_run()
{
    "$HONE" run review --no-fix --quiet --since "$(cat "$forge/base")" \
        --agent "*=script:$TMPDIR/agents.jsonl" >"$TMPDIR/run" 2>&1
}

# nothing_found: a run that finds nothing.
nothing_found()
{
    printf '{"answer":%s}\n' "$clean" >"$TMPDIR/agents.jsonl"
    review_run
}

until [ -e "$sockets/s" ]; do sleep 0.05; done
