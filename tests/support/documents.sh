# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# documents.sh - for stories that follow a page as a new user does: each block of commands that it
# shows is run, in its order; or those blocks that it marks.

# blocks PAGE FOLDER: each block of commands as a file, 1.sh, 2.sh, ...; YAML that follows N.sh as
# N.yaml, N-2.yaml, ...
blocks()
{
    mkdir -p "$2"
    awk -v to="$2" '
        /^```sh$/ { n++; yaml = 0; name = to "/" n ".sh"; printf "" >name; next }
        /^```yaml$/ {
            yaml++
            name = to "/" n (yaml > 1 ? "-" yaml : "") ".yaml"
            printf "" >name
            next
        }
        /^```/ { name = ""; next }
        name != "" { print >name }' "$1"
}

# marked PAGE NAME: the block behind <!-- test: NAME -->.
marked()
{
    awk -v mark="<!-- test: $2 -->" '
        $0 == mark { near = 1; next }
        near && /^```/ { if (inside) exit; inside = 1; next }
        inside { print }' "$1"
}

# follows PAGE [COMMAND]: every block of a page of docs/ ends with 0. Behind each the COMMAND runs,
# with the block's file without its ending. Sourced after play.sh or verb.sh.
follows()
{
    local page=$1 behind=${2:-:} count=0 script
    blocks "$TOP/docs/$page.md" "$TMPDIR/$page"
    for script in $(cd "$TMPDIR/$page" && printf '%s\n' *.sh | sort -n); do
        count=$((count + 1))
        # shellcheck disable=SC2154 # of play.sh
        if bash -e "$TMPDIR/$page/$script" >"$out" 2>"$err" </dev/null; then
            ok "$page: block $script"
        else
            not_ok "$page: block $script ends with $?:"
            sed 's/^/    | /' "$TMPDIR/$page/$script" "$err"
        fi
        "$behind" "$TMPDIR/$page/${script%.sh}"
    done
    check "$page: it has commands" [ "$count" -ge 1 ]
}
