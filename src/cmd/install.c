/* SPDX-License-Identifier: Apache-2.0
 *
 * install.c - hone install and hone uninstall: hone's plugin in Claude Code and Codex.
 *
 *     plan --> shown, file by file --> agreed to --> written --> what to do next
 *
 * 1. Nothing is written before it was shown and the user agreed: at the terminal, or by --yes.
 * 2. A second time there is nothing to do, and that is said.
 * 3. Whether Codex runs hone's hooks is decided in Codex, by the user.
 *
 * git is no host, and has one file: its hook before a push (install/git_hook.h). A hook that is
 * there and not hone's stays, and what to add to it is said. */
#include "base/path.h"
#include "cmd/parse.h"
#include "cmd/say.h"

#include "cmd/verbs.h"
#include "install/git_hook.h"
#include "install/wiring.h"
#include "io/file/line.h"
#include "io/git/repo.h"
#include "io/terminal/terminal.h"
#include "run/look.h"

#include <stdio.h>
#include <string.h>

static const char *const change_words[WIRING_CHANGE_COUNT] = {
    [WIRING_SAME] = "keep", [WIRING_MAKE] = "make", [WIRING_CHANGE] = "change",
    [WIRING_REMOVE] = "remove",
};

static bool is_removal(const struct call *call)
{
    return call->verb == &verb_uninstall;
}

static int find_host(const char *word, enum wiring_host *out, struct err *err)
{
    for (uint32_t i = 0; i < WIRING_HOST_COUNT; i++) {
        if (strcmp(word, wiring_words[i]) != 0) continue;
        *out = (enum wiring_host)i;
        return 0;
    }
    return err_set(err, ERR_USAGE, "there is no host '%.40s'; hone knows claude, codex "
                   "and git", word);
}

static int find_project(struct call *call, const char **out, struct err *err)
{
    struct repo repo = { 0 };
    int rc;

    *out = NULL;
    if (!call_has(call, "project")) return 0;
    rc = repo_open(&repo, call->cwd, false, err);
    *out = arena_cstr(&call->arena, str_of(rc == 0 ? repo.workspace : call->cwd));
    repo_release(&repo);
    return rc == ERR_MISSING ? 0 : rc;
}

/* ---- what is shown ---- */

static void say_file(struct buf *out, const struct wiring_file *file)
{
    buf_printf(out, "  %-7s ", change_words[file->change]);
    add_safe(out, file->root, 0);
    buf_byte(out, '/');
    add_safe(out, file->path, 0);
    if (file->what) buf_printf(out, "\n          %s", file->what);
    if (file->keep) {
        buf_text(out, "\n          what it holds now is kept as ");
        add_safe(out, path_leaf_text(file->path), 0);
        buf_text(out, WIRING_BACKUP);
    }
    buf_byte(out, '\n');
}

static void say_plan(const struct wiring *wiring)
{
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    buf_printf(&out, "%s hone %s %s:\n\n",
               wiring->request.remove ? "To take" : "To put",
               wiring->request.remove ? "out of" : "into", wiring_titles[wiring->request.host]);
    for (uint32_t i = 0; i < wiring->count; i++) {
        if (wiring->files[i].change != WIRING_SAME) say_file(&out, &wiring->files[i]);
    }
    buf_byte(&out, '\n');
    say_take(&out);
}

static const char *next_text(const struct wiring *wiring)
{
    if (wiring->request.remove) return "";
    if (wiring->request.host == WIRING_CLAUDE) {
        return "Start Claude Code anew. Then /hone:review reviews a change and fixes it until it "
               "is clean; /hone: lists the other loops.";
    }
    if (wiring->plugged) {
        return "Codex has hone as a plugin, which brings the loops and the hooks but cannot bring "
               "agents: those were put in. Trust the hooks in /hooks if you have not; then "
               "$hone-review reviews a change and fixes it until it is clean.";
    }
    return "Codex runs a hook only when you have trusted it. It asks at its next start, or open "
           "/hooks: look at the entries that call hone, and trust them. Until then hone is not "
           "called, and its loops do not start. Then $hone-review reviews a change and fixes it "
           "until it is clean.";
}

static void say_end(const struct wiring *wiring, bool changed)
{
    const char *next = next_text(wiring);
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    if (changed) {
        buf_printf(&out, "Done: hone is %s %s.\n", wiring->request.remove ? "out of" : "in",
                   wiring_titles[wiring->request.host]);
    } else {
        buf_printf(&out, "Nothing to do: hone is %s %s.\n",
                   wiring->request.remove ? "not in" : "in",
                   wiring_titles[wiring->request.host]);
    }
    if (*next && changed) {
        buf_byte(&out, '\n');
        add_wrapped(&out, next, 0, 0, text_columns(TERMINAL_OUT_FD));
    }
    say_take(&out);
}

static void say_path_problem(const struct wiring *wiring)
{
    if (wiring->on_path || wiring->request.remove || wiring->request.host != WIRING_CLAUDE) return;
    fputs("hone: the program hone is not on the PATH, or another one is: the plugin's hooks call "
          "'hone', and do nothing until this one is found there\n", stderr);
}

static void say_json_of(const struct wiring *wiring, bool changed)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list;

    yyjson_mut_obj_add_str(doc, root, "host", wiring_words[wiring->request.host]);
    yyjson_mut_obj_add_bool(doc, root, "changed", changed);
    yyjson_mut_obj_add_bool(doc, root, "on_path", wiring->on_path);
    list = yyjson_mut_obj_add_arr(doc, root, "files");
    for (uint32_t i = 0; i < wiring->count; i++) {
        const struct wiring_file *file = &wiring->files[i];
        yyjson_mut_val *row = yyjson_mut_arr_add_obj(doc, list);
        struct buf path;
        buf_init(&path, SAY_BYTES_MAX);
        buf_printf(&path, "%s/%s", file->root, file->path);
        yyjson_mut_obj_add_val(doc, row, "path", json_text(doc, buf_str(&path)));
        yyjson_mut_obj_add_str(doc, row, "change", change_words[file->change]);
        yyjson_mut_obj_add_bool(doc, row, "backup", file->keep);
        buf_release(&path);
    }
    say_json(doc, true);
}

/* ---- doing it ---- */

/* 0: the user agrees; else err says what to do. */
static int ask_to_agree(const struct call *call, struct err *err)
{
    if (call_has(call, "yes")) return 0;
    if (call->json || !line_can_ask()) {
        return err_set(err, ERR_USAGE, "nothing was changed: hone cannot ask here whether you "
                       "agree; add --yes to agree, or --dry-run to look only");
    }
    if (line_agrees("Go on? [y/N] ")) return 0;
    return err_set(err, ERR_USAGE, "nothing was changed");
}

static int wire(struct call *call, struct wiring *wiring, struct err *err)
{
    struct wiring_request request = { .remove = is_removal(call) };
    bool look_only = call_has(call, "dry-run"), loud = !call->json && !call->quiet;
    uint32_t changes;
    int rc = find_host(call_argument(call, 0), &request.host, err);

    if (rc == 0) rc = find_project(call, &request.workspace, err);
    if (rc == 0) rc = wiring_plan(wiring, &request, err);
    if (rc != 0) return rc;
    changes = wiring_changes(wiring);
    if (changes > 0 && !call->json && (loud || look_only)) say_plan(wiring);
    if (changes > 0 && !look_only) rc = ask_to_agree(call, err);
    if (rc == 0 && changes > 0 && !look_only) rc = wiring_apply(wiring, err);
    if (rc != 0) return rc;
    if (call->json) say_json_of(wiring, changes > 0 && !look_only);
    if (loud && (changes == 0 || !look_only)) say_end(wiring, changes > 0);
    if (loud) say_path_problem(wiring);
    return 0;
}

/* ---- git ---- */

static void say_hook(const struct call *call, const struct git_hook *hook, const char *done)
{
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    if (call->json) {
        yyjson_mut_doc *doc = json_new();
        yyjson_mut_val *root = json_object(doc);

        json_add(doc, root, "host", "git");
        yyjson_mut_obj_add_bool(doc, root, "changed", strcmp(done, "made") == 0 ||
                                strcmp(done, "removed") == 0);
        json_add(doc, root, "path", hook->path);
        json_add(doc, root, "done", done);
        buf_release(&out);
        say_json(doc, true);
        return;
    }
    if (call->quiet) return;
    buf_printf(&out, "%s: ", done);
    add_safe(&out, hook->path, 0);
    buf_byte(&out, '\n');
    if (strcmp(done, "made") == 0) {
        add_wrapped(&out, "git push is judged from now on, by the analyzers that are installed. "
                    "HONE_SKIP=1 git push, or git push --no-verify, pushes without it.", 0, 0,
                    text_columns(TERMINAL_OUT_FD));
    }
    say_take(&out);
}

/* A hook that is not hone's stays. */
static int refuse_hook(const struct git_hook *hook, bool remove, struct err *err)
{
    if (remove) {
        return err_set(err, ERR_USAGE, "%s is not as hone wrote it, and stays: take the line that "
                       "calls hone out of it yourself", hook->path);
    }
    return err_set(err, ERR_USAGE, "%s is there already, and stays as it is: add this line to it "
                   "where standard input has not been read yet: %s", hook->path, hook->line);
}

static int wire_hook(struct call *call, const struct git_hook *hook, struct err *err)
{
    bool remove = is_removal(call), dry = call_has(call, "dry-run");
    int rc = 0;

    switch (hook->state) {
    case GIT_HOOK_OTHERS:
        if (!remove) return refuse_hook(hook, remove, err);
        say_hook(call, hook, "not hone's, and kept");
        return 0;
    case GIT_HOOK_CALLS:
        if (remove) return refuse_hook(hook, remove, err);
        say_hook(call, hook, "calls hone already");
        return 0;
    case GIT_HOOK_NONE:
    case GIT_HOOK_OURS:
        if (remove != (hook->state == GIT_HOOK_OURS)) {
            say_hook(call, hook, remove ? "not there" : "there already");
            return 0;
        }
        break;
    case GIT_HOOK_OLDER:
    case GIT_HOOK_STATE_COUNT:
        break;
    }
    if (dry || !call_has(call, "yes")) say_hook(call, hook, remove ? "to remove" : "to make");
    if (dry) return 0;
    rc = ask_to_agree(call, err);
    if (rc == 0) rc = remove ? git_hook_remove(hook, err) : git_hook_write(hook, err);
    if (rc == 0) say_hook(call, hook, remove ? "removed" : "made");
    return rc;
}

static int wire_git(struct call *call, struct err *err)
{
    struct git_hook hook = { 0 };
    struct repo repo = { 0 };
    int rc = repo_open(&repo, call->cwd, REPO_FIND, err);

    if (rc == ERR_MISSING || (rc == 0 && !repo.is_git)) {
        rc = err_set(err, ERR_USAGE, "this folder is in no git repository");
    }
    if (rc == 0) rc = git_hook_plan(&hook, repo.workspace, &call->arena, err);
    if (rc == 0) rc = wire_hook(call, &hook, err);
    repo_release(&repo);
    return rc;
}

static int handle(struct call *call)
{
    struct wiring wiring = { 0 };
    struct err err = { 0 };
    bool git = strcmp(call_argument(call, 0), "git") == 0;
    int rc = git ? wire_git(call, &err) : wire(call, &wiring, &err);

    wiring_release(&wiring);
    return rc == 0 ? CODE_DONE : say_err(&err);
}

/* What the two verbs have in common. */
#define BOTH_VERBS                                                                                \
    .arguments = { { .name = "HOST",                                                              \
                     .help = "claude (Claude Code), codex, or git (the hook before a push)",      \
                     .words = "claude, codex or git" } },                                         \
    .options = {                                                                                  \
        { .name = "dry-run", .help = "show what would change, and change nothing" },              \
        { .name = "yes", .help = "do not ask" },                                                  \
        { .name = "project",                                                                      \
          .help = "of codex: in .codex at the top of this repository, not in the user's own "     \
                  "settings" },                                                                   \
    },                                                                                            \
    .codes = {                                                                                    \
        { CODE_DONE, "it is done, or there was nothing to do" },                                  \
        { CODE_USAGE, "you did not agree, or a file of the host is broken; nothing was changed" }, \
        { CODE_FAILED, "a file could not be read or written" },                                   \
    },                                                                                            \
    .handle = handle

const struct verb verb_install = {
    .name = "install",
    .summary = "put hone's plugin into Claude Code or Codex, or a hook into git",
    .text = {
        "Puts hone's loops into a host: /hone:review and others in Claude Code, $hone-review and "
        "others in Codex. It lists each file that it will make or change, asks on a terminal, and "
        "needs --yes elsewhere. What a file held is kept beside it as NAME.hone-backup, and what "
        "is not hone's stays as it is, byte for byte. A second time there is nothing to do.",
        "Claude Code: settings.json in ~/.claude (or CLAUDE_CONFIG_DIR) gets a marketplace, which "
        "is the folder of the plugin beside this program, and its plugin switched on.",
        "Codex: hooks.json, agents and skills in ~/.codex (or CODEX_HOME). Codex runs a hook only "
        "when its user has trusted it: it asks at its next start, and /hooks shows them. hone "
        "does not do that for you.",
        "git: the hook pre-push of this repository, in the folder that core.hooksPath names or in "
        "the git folder. Then what is pushed is judged by the analyzers that are installed, "
        "against what the remote has ('hone ci --pushed'). Where nothing is wrong the hook is "
        "silent; HONE_SKIP=1 git push goes without it. A hook that is there already stays, "
        "and the line to add to it is shown.",
    },
    .examples = {
        "hone install claude",
        "hone install codex --dry-run",
        "hone install git --yes",
    },
    BOTH_VERBS,
};

const struct verb verb_uninstall = {
    .name = "uninstall",
    .summary = "take hone's plugin, or its hook in git, out again",
    .text = {
        "Takes out what 'hone install' put in, and nothing else. A file that is just as hone left "
        "it becomes what it was before, byte for byte; a file that has changed since loses hone's "
        "part; a file that holds nothing else goes.",
    },
    .examples = {
        "hone uninstall claude",
        "hone uninstall codex --yes",
    },
    BOTH_VERBS,
};
