#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone lsp with VS Code's own client (session.js). What that sends is recorded in build/; where it
# is another than tests/support/vscode.jsonl, which tests/e2e/lsp.sh plays, the record is to be
# renewed.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

modules=$TOP/build/validate-lsp
if [ ! -e "$modules/done" ] || [ -e "$modules/why-not" ]; then
    ok "$(cat "$modules/why-not" 2>/dev/null || echo 'not tried: run make validate-lsp')"
    exit 0
fi

new_repo "$TMPDIR/work"
grave='{"severity":"critical","category":"memory","file":"main.c","line":3,'
grave+='"description":"it leaks","evidence":"x","suggestion":"y"}'
does critic "sed 's|\"issues\":\[|&$grave,|; s|\"critical\":0|\"critical\":1|' \"\$play/found\""
hone run review --no-fix --no-sandbox --agent "*=$agent"
node "$TOP/tests/validate/lsp/session.js" "$modules" "$HONE" "$(pwd -P)" "$modules/vscode.jsonl" ||
    failed=1
check "the record is that of tests/support/vscode.jsonl" \
    cmp "$modules/vscode.jsonl" "$TOP/tests/support/vscode.jsonl"
exit "$failed"
