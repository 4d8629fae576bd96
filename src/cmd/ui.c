/* SPDX-License-Identifier: Apache-2.0
 *
 * ui.c - hone ui: the runs of some repositories on a page of the user's own browser. */
#include "cmd/parse.h"
#include "cmd/say.h"

#include "base/path.h"
#include "cmd/verbs.h"
#include "io/process/background.h"
#include "serve/ui/ui.h"

#include <stdio.h>

enum { PORT_DEFAULT = 4664, PORT_MAX = 65535 };

static void open_browser(const char *url)
{
    const char *const argv[] = { "xdg-open", url, NULL };
    struct background browser;
    struct err err;

    if (background_start(&browser, &(struct background_program){ .argv = argv }, &err) != 0) {
        (void)say_fail(CODE_DONE, "%s; open the address yourself", err.text);
    }
    background_leave(&browser);
}

static void on_listening(void *context, const struct ui_listening *listening)
{
    const struct call *call = context;
    struct str rest = str_of(listening->problems), line;
    struct arena arena = { 0 };

    while (str_cut(&rest, '\n', &line)) {
        (void)say_fail(CODE_DONE, "%s", arena_cstr(&arena, line));
    }
    if (call->json) {
        json_add(listening->about, yyjson_mut_doc_get_root(listening->about), "url",
                 listening->url);
        say_json(listening->about, false);
    } else {
        yyjson_mut_doc_free(listening->about);
        printf("%s\n", listening->url);
        if (!call->quiet) {
            (void)say_fail(CODE_DONE, "open the address above in a browser%s; Ctrl-C ends this, "
                           "and runs go on without it",
                           call_has(call, "read-only") ? ", to look and not to change" : "");
        }
    }
    fflush(stdout);
    if (call_has(call, "open")) open_browser(listening->url);
    arena_release(&arena);
}

static int handle(struct call *call)
{
    const char *word = call_value(call, "port");
    uint32_t count = call->argument_count > 0 ? call->argument_count : 1;
    const char **folders = arena_alloc(&call->arena, count * sizeof *folders);
    struct ui_request request = {
        .folders = folders, .folder_count = count, .cwd = call->cwd, .version = HONE_VERSION,
        .read_only = call_has(call, "read-only"), .listening = on_listening, .context = call,
    };
    uint64_t port = PORT_DEFAULT;
    struct err err;

    if (word && (!str_number(str_of(word), &port) || port > PORT_MAX)) {
        return say_fail(CODE_USAGE, "--port: '%.60s' is no port: a number from 1 to 65535, or 0 "
                        "for any that is free", word);
    }
    folders[0] = call->cwd;
    for (uint32_t i = 0; i < call->argument_count; i++) {
        folders[i] = path_joined(call->cwd, str_of(call->arguments[i]), &call->arena);
    }
    request.port = (uint16_t)port;
    return ui_serve(&request, &err) == 0 ? CODE_DONE : say_err(&err);
}

const struct verb verb_ui = {
    .name = "ui",
    .summary = "show runs on a page of your browser, while they happen",
    .text = {
        "Serves a page on 127.0.0.1 that shows the runs of this repository, or of those that are "
        "named: what runs now, what it found, fixed and left, what it cost, what it asks; every "
        "finding, attempt and diff. Runs are started, stopped, resumed and answered there, and "
        "findings waived, each by the verb of that name.",
        "The address that is printed holds a token that is made anew at each start: who has it "
        "can do what you can do with hone here. It works on this machine alone; 'ssh -L "
        "4664:127.0.0.1:4664 HOST' brings the page of another one to yours.",
        "It follows the journal and changes nothing in it: it can be ended or killed at any time, "
        "and runs go on.",
    },
    .arguments = {
        { .name = "DIR", .many = true, .optional = true,
          .help = "a folder of each repository that is shown; this one by default" },
    },
    .options = {
        { .name = "port", .argument = "N",
          .help = "where it listens: 4664 by default; 0 for any that is free" },
        { .name = "read-only", .help = "only look: nothing is started, stopped or changed" },
        { .name = "open", .help = "open the address in a browser, with xdg-open" },
    },
    .codes = {
        { CODE_DONE, "it was told to end" },
        { CODE_USAGE, "the command line is wrong, or the port is taken" },
        { CODE_FAILED, "it could not listen" },
    },
    .examples = { "hone ui", "hone ui --port 0 --open", "hone ui ~/one ~/two --read-only" },
    .handle = handle,
};
