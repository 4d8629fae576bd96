# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# languages.sh - an example of one language from findings to clean, with its real tool. Sourced
# behind story.sh.

# example FOLDER TOOL FOUND FIXER: a copy of examples/FOLDER is reviewed by TOOL and repaired by
# FIXER until it is clean; FOUND is how many findings that are. OWN names a node_modules folder that
# the copy gets, as its own.
example()
{
    local folder=$1 tool=$2 found=$3 fixer=$4 log=$TMPDIR/$1-$2.log
    rm -rf "${TMPDIR:?}/$folder"
    cp -R "$TOP/examples/$folder" "$TMPDIR/$folder"
    cd "$TMPDIR/$folder" || exit 1
    if [ -n "${OWN:-}" ]; then
        cp -R "$OWN" node_modules
        echo /node_modules >.gitignore
    fi
    git init -q . && git add . && git commit -q -m first
    "$HONE" run review --all --agent "critic=analyzer:$tool" --agent '*=analyzer:none' \
        --agent "review-fixer=$fixer" >"$log" 2>&1
    check_is "$folder: from findings to clean by $tool" "$?" 0
    check_has "$folder: what $tool found was fixed" "$log" "found $found, fixed $found, left 0"
    check_not "$folder: and that is a change" git diff --quiet
    grep -q "^clean: " "$log" || sed 's/^/    /' "$log"
}

# tried TOOL...: whether these are there; says which are not.
tried()
{
    local tool
    for tool; do
        command -v "$tool" >/dev/null || {
            echo "skipped: $tool is not installed"
            return 1
        }
    done
}
