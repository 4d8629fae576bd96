# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# hone's words for bash: $PREFIX/share/bash-completion/completions/hone, or in your .bashrc
#
#   source <(hone completion bash)
#
# hone itself says what fits. Always the hone of the PATH: ./hone may be anybody's.

_hone()
{
    local line=${COMP_LINE:0:COMP_POINT} words=() word blank kind part i

    # bash cuts words at = and : as well; what no blank stands between is one word.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        blank=${line%%[![:space:]]*}
        line=${line#"$blank"}
        ((i < COMP_CWORD)) || word=$line
        line=${line#"$word"}
        if [ -n "$blank" ] || ((i == 0)); then words+=("$word"); else words[-1]+=$word; fi
    done

    # Of the last word only what stands behind such a cut is replaced.
    word=${words[-1]} part=$word
    [[ $COMP_WORDBREAKS != *=* ]] || part=${part##*=}
    [[ $COMP_WORDBREAKS != *:* ]] || part=${part##*:}
    COMPREPLY=()
    {
        read -r kind
        while IFS=$'\t' read -r line _; do
            line=${line#"${word%"$part"}"}
            COMPREPLY+=("$line")
            [[ $line != *[=:] ]] || compopt -o nospace
        done
    } < <(command hone completion words -- "${words[@]:1}" 2>/dev/null </dev/null)
    case $kind in
    files | folders)
        compopt -o filenames
        [ "$kind" = files ] && kind=-f || kind=-d
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$kind" -- "$part")
        ;;
    esac
} 2>/dev/null

complete -F _hone hone
