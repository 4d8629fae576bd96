#compdef hone
# SPDX-License-Identifier: Apache-2.0
#
# hone's words for zsh: $PREFIX/share/zsh/site-functions/_hone, or as _hone in a folder of $fpath.
#
# hone itself says what fits. Always the hone of the PATH: ./hone may be anybody's.

_hone()
{
    local -a lines plain plain_texts open open_texts
    local line word

    lines=("${(@f)$(command hone completion words -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" \
        2>/dev/null </dev/null)}")
    for line in "${(@)lines[2,-1]}"; do
        word=${line%%$'\t'*}
        [[ -n $word ]] || continue
        if [[ $word == *[=:] ]]; then
            open+=("$word")
            open_texts+=("$word  ${line#*$'\t'}")
        else
            plain+=("$word")
            plain_texts+=("$word  ${line#*$'\t'}")
        fi
    done
    local found=1
    (( ! $#plain )) || { compadd -l -d plain_texts -a plain && found=0 }
    (( ! $#open )) || { compadd -l -S '' -d open_texts -a open && found=0 }
    case $lines[1] in
    files) _files && found=0 ;;
    folders) _files -/ && found=0 ;;
    esac
    return found
}

# As a file of $fpath this is the function itself; sourced, it makes itself known.
if [[ $funcstack[1] = _hone ]]; then
    _hone "$@"
else
    compdef _hone hone
fi
