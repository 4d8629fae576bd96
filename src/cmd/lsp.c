/* SPDX-License-Identifier: Apache-2.0
 *
 * lsp.c - hone lsp: findings in editors, by the Language Server Protocol. */
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/verbs.h"

#include "io/file/line.h"
#include "serve/lsp/lsp.h"

static int handle(struct call *call)
{
    (void)call;
    if (line_can_ask()) {
        (void)say_fail(CODE_DONE, "an editor starts this and talks to it on standard input and "
                       "output (docs/editors.md says how); Ctrl-D ends it");
    }
    return serve_lsp(HONE_VERSION) == 0 ? CODE_DONE : CODE_FINDINGS;
}

const struct verb verb_lsp = {
    .name = "lsp",
    .summary = "show findings in editors (LSP)",
    .text = {
        "Speaks the Language Server Protocol (3.17) on standard input and output, for an editor "
        "that starts it. What the newest run of each workspace has left open stands at its lines: "
        "high as an error, medium as a warning, low as information, noted as a hint; what is waived "
        "or fixed is not shown. A run at work is followed, and its findings appear as its reviews "
        "end.",
        "While you type, findings keep to their lines. One whose line you have changed is a hint "
        "that says so, until a run has looked again.",
        "Code actions make the edits that a finding brings; where it brings none they start 'hone "
        "fix' for it, as a process of its own, isolated where that can be. They waive a finding as "
        "'hone waive' does, with one of three reasons: false positive, accepted, later (for 30 "
        "days). A grave one is asked about once more.",
    },
    .options = {
        { .name = "stdio", .help = "standard input and output, as is the case anyway: clients name "
                                   "it" },
    },
    .codes = {
        { CODE_DONE, "the editor has said shutdown and then exit" },
        { CODE_FINDINGS, "it has gone without, or what it sent could not be read" },
        { CODE_USAGE, "the command line is wrong" },
    },
    .examples = {
        "hone lsp --stdio",
    },
    .handle = handle,
};
