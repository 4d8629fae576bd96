# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # what is not assigned here is of play.sh
#
# deed.sh - for stories of fixers that do what they may not do. Sourced after play.sh.

# Reviewers that report a defect until it is gone.
reviews()
{
    local role
    for role in $reviewers; do does "$role" "$sees"; done
}

# fixes COMMANDS: the fixer does that once, then its work; what it could do is in $play/could.
fixes()
{
    forget
    rm -f "$play/could"
    reviews
    printf '%s\n' "$1" >"$play/deed"
    does review-fixer "if [ \$HONE_ATTEMPT = 1 ]; then
sh -e '$play/deed' >/dev/null 2>'$play/why' && touch '$play/could'
fi
sed -i /defect/d notes.txt; echo '# Fix Summary'"
}
