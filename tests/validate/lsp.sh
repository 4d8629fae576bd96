#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone lsp with VS Code's own client (lsp.js). What that sends is recorded in build/; where it
# is another than tests/support/vscode.jsonl, which tests/e2e/lsp.sh plays, the record is to be
# renewed.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/npm.sh"

needs_npm "hone lsp with the client of VS Code"

new_repo "$TMPDIR/work"
grave='{"severity":"critical","category":"memory","file":"main.c","line":3,'
grave+='"description":"it leaks","evidence":"x","suggestion":"y"}'
does critic "sed 's|\"issues\":\[|&$grave,|; s|\"critical\":0|\"critical\":1|' \"\$play/found\""
hone run review --no-fix --no-sandbox --agent "*=$agent"
record=$TOP/build/vscode.jsonl
node "$TOP/tests/validate/lsp.js" "$npm_tools" "$HONE" "$(pwd -P)" "$record" || failed=1
check "the record is that of tests/support/vscode.jsonl" \
    cmp "$record" "$TOP/tests/support/vscode.jsonl"
exit "$failed"
