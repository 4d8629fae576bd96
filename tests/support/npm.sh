# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# npm.sh - for stories that use what tests/npm/bring brings. Sourced after story.sh.

npm_tools=$TOP/build/npm-tools
export npm_tools

# needs_npm WHAT [PROGRAM]: where npm's packages or that program are not there, WHAT is not tried:
# the story says why and ends.
needs_npm()
{
    local why
    if [ ! -e "$npm_tools/done" ]; then
        why=$(cat "$npm_tools/why-not" 2>/dev/null || echo "run tests/npm/bring build/npm-tools")
    elif [ -n "${2:-}" ] && ! command -v "$2" >/dev/null; then
        why="$2 is not installed"
    else
        return 0
    fi
    ok "$1: not tried: $why"
    exit 0
}
