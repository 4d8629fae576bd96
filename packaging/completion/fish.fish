# SPDX-License-Identifier: Apache-2.0
#
# hone's words for fish: $PREFIX/share/fish/vendor_completions.d/hone.fish, or
# ~/.config/fish/completions/hone.fish.
#
# hone itself says what fits. Always the hone of the PATH: ./hone may be anybody's.

function __hone_words
    set -l words (commandline -opc) (commandline -ct)
    set -l lines (command hone completion words -- $words[2..-1] 2>/dev/null </dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path (commandline -ct)
        case folders
            __fish_complete_directories (commandline -ct)
    end
    if test (count $lines) -gt 1
        printf '%s\n' $lines[2..-1]
    end
end

complete -c hone -e
complete -c hone -f -a '(__hone_words)'
