/* SPDX-License-Identifier: Apache-2.0
 *
 * ui.c - hone ui: the runs of some repositories on a page of the user's own browser.
 *
 * A command line can be read by every user of a machine. So the browser that --open starts is
 * given a private file that leads to the address, which is removed when its page has come in. It
 * lies in the home folder itself, and is not hidden: browsers that are packed in a sandbox read no
 * others. */
#include "cmd/parse.h"
#include "cmd/say.h"

#include "base/path.h"
#include "cmd/verbs.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/process/background.h"
#include "io/process/host.h"
#include "serve/ui/ui.h"

#include <stdio.h>

enum { PORT_DEFAULT = 4664, PORT_MAX = 65535, NAME_LETTERS = 16, PAGE_BYTES_MAX = 1024 };

struct opening {
    struct call *call;
    const char *name; /* of the file that leads to the address; NULL: there is none */
};

static int open_browser(struct opening *opening, const char *url, struct err *err)
{
    const char *name, *home = host_home();
    const char *argv[] = { "xdg-open", NULL, NULL };
    char word[NAME_LETTERS + 1];
    struct background browser = { 0 };
    struct buf page;
    int rc;

    random_word(word, NAME_LETTERS);
    name = arena_printf(&opening->call->arena, "hone-ui-%s.html", word);
    buf_init(&page, PAGE_BYTES_MAX);
    buf_printf(&page, "<!doctype html>\n<meta charset=\"utf-8\">\n<title>hone</title>\n"
               "<meta http-equiv=\"refresh\" content=\"0;url=%s\">\n<a href=\"%s\">hone</a>\n",
               url, url);
    rc = home ? scratch_write(home, name, buf_str(&page), err)
              : err_set(err, ERR_MISSING, "there is no home folder");
    buf_release(&page);
    if (rc != 0) return rc;
    opening->name = name;
    argv[1] = path_joined(home, str_of(name), &opening->call->arena);
    rc = background_start(&browser, &(struct background_program){ .argv = argv }, err);
    background_leave(&browser);
    return rc;
}

static void on_entered(void *context)
{
    struct opening *opening = context;
    struct err none;

    if (opening->name) (void)file_remove_in(host_home(), opening->name, &none);
    opening->name = NULL;
}

static void on_listening(void *context, const struct ui_listening *listening)
{
    struct opening *opening = context;
    const struct call *call = opening->call;
    struct err err;
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
    if (call_has(call, "open") && open_browser(opening, listening->url, &err) != 0) {
        (void)say_fail(CODE_DONE, "%s; open the address yourself", err.text);
    }
    arena_release(&arena);
}

static int handle(struct call *call)
{
    const char *word = call_value(call, "port");
    uint32_t count = call->argument_count > 0 ? call->argument_count : 1;
    struct opening opening = { .call = call };
    const char **folders = arena_alloc(&call->arena, count * sizeof *folders);
    struct ui_request request = {
        .folders = folders, .folder_count = count, .cwd = call->cwd, .version = HONE_VERSION,
        .read_only = call_has(call, "read-only"), .listening = on_listening,
        .entered = on_entered, .context = &opening,
    };
    uint64_t port = PORT_DEFAULT;
    struct err err;
    int rc;

    if (word && (!str_number(str_of(word), &port) || port > PORT_MAX)) {
        return say_fail(CODE_USAGE, "--port: '%.60s' is no port: a number from 1 to 65535, or 0 "
                        "for any that is free", word);
    }
    folders[0] = call->cwd;
    for (uint32_t i = 0; i < call->argument_count; i++) {
        folders[i] = path_joined(call->cwd, str_of(call->arguments[i]), &call->arena);
    }
    request.port = (uint16_t)port;
    rc = ui_serve(&request, &err);
    on_entered(&opening);
    return rc == 0 ? CODE_DONE : say_err(&err);
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
        { .name = "open",
          .help = "open the address in a browser, with xdg-open: by a private file in your home "
                  "folder, which is removed when the page is there" },
    },
    .codes = {
        { CODE_DONE, "it was told to end" },
        { CODE_USAGE, "the command line is wrong, or the port is taken" },
        { CODE_FAILED, "it could not listen" },
    },
    .examples = { "hone ui", "hone ui --port 0 --open", "hone ui ~/one ~/two --read-only" },
    .handle = handle,
};
