#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The examples of languages whose tools are not a part of `make deps`, each from findings to clean
# with its real tool: those of npm as a project's own copies, those of Debian and of Rust where they
# are installed. A tool that cannot be had is skipped, with a word.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/languages.sh"

own=${HONE%/*}/real-tools/node_modules # by tests/real/tools

if [ ! -d "$own" ]; then
    echo "skipped: there are no linters of npm in $own"
elif tried node; then
    OWN=$own
    example javascript eslint 5 fixits
    example typescript tsc 4 cmd:./fixer
    example markdown markdownlint 6 fixits
    # shellcheck disable=SC2016 # for the agent's shell
    example javascript biome 1 "cmd:sed -i 's/!!//' stack.js; echo '# Fixed: stack.js'"
    OWN=
fi
if tried go; then
    example go vet 2 cmd:./fixer
    ! tried go-staticcheck || example go staticcheck 2 cmd:./fixer
fi
if cargo clippy --version >"$TMPDIR/clippy.log" 2>&1; then
    example rust clippy 3 fixits
else
    echo "skipped: cargo clippy does not work: $(head -n 1 "$TMPDIR/clippy.log")"
fi
! tried pylint || example python pylint 3 cmd:./fixer
! tried mypy || example python mypy 1 cmd:./fixer
exit "$failed"
