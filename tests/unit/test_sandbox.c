/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sandbox.c - folders that cannot be written, by the kernel's word.
 *
 * Where bubblewrap cannot work the tests that need it are skipped, and say why.
 *
 * row: agent.writes | a fixer writes outside of its workspace | bubblewrap: the machine is read-only but for the workspace, temporary folders of its own, caches and agents' own state | caches: what is put there may be built or run later | `test_sandbox.c: closed_machine_can_be_written_only_where_rules_say`, `sandbox.sh: nothing else can be written`
 * row: agent.leaves | it leaves the sandbox | users, processes, devices and shared memory of its own, for root too; no capability to undo a mount; no process outside is seen in `/proc`. `hone doctor` says what a machine's cage lacks | **root** whose workspace is another user's keeps the machine's users; abstract sockets, unless `rights.network` is false | `test_sandbox.c: nobody_gets_out_of_it`, `test_sandbox.c: neither_root_nor_a_user_gets_out_through_proc`, `test_sandbox.c: its_devices_hold_no_disk_and_no_terminal_of_the_user`
 * row: agent.sends | it sends what it reads somewhere | `rights.network: false` where the agent needs no model | a model's agent needs the network: there hone cannot tell | `test_sandbox.c: without_a_network_there_is_a_loopback_and_nothing_else` */
#include "ground.h"
#include "io/process/sandbox.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void need_sandbox(void)
{
    const char *problem = sandbox_problem();

    if (!problem) return;
    fprintf(stderr, "skipped: %s\n", problem);
    skip();
}

static struct arena arena;

static int close_all(void **state)
{
    arena_release(&arena);
    return ground_close(state);
}

static void add_rule(struct sandbox *sandbox, const char *path, enum sandbox_how how)
{
    assert_true(sandbox_rule(sandbox, path, how, &arena));
}

/* Exit status of a shell script in that sandbox; $1 is the root of the ground. */
static int run_with(const struct ground *ground, const struct sandbox *sandbox, const char *script)
{
    const char *const argv[] = { "sh", "-c", script, "sh", ground->root, NULL };

    return run_in(ground->work, sandbox_command(sandbox, argv, &arena));
}

static void furnish(const struct ground *ground)
{
    make_folder(at(ground, "work/open"));
    make_folder(at(ground, "work/sub"));
    put(at(ground, "work/file"), "old");
}

/* The same with work read-only and work/open writable. */
static int run_script(const struct ground *ground, const char *script)
{
    struct sandbox sandbox = { 0 };

    furnish(ground);
    add_rule(&sandbox, at(ground, "work/open"), SANDBOX_WRITE);
    add_rule(&sandbox, ground->work, SANDBOX_READ);
    return run_with(ground, &sandbox, script);
}

/* And with nothing writable but work, and of that not work/sub. */
static int run_closed(const struct ground *ground, const char *script)
{
    struct sandbox sandbox = { .read_only = true };

    furnish(ground);
    put(at(ground, "work/sub/file"), "old");
    add_rule(&sandbox, at(ground, "work/sub"), SANDBOX_READ);
    add_rule(&sandbox, ground->work, SANDBOX_WRITE);
    return run_with(ground, &sandbox, script);
}

/* The words for a path's rule follow each other: how, path. */
static size_t place_of(const char *const *words, const char *how, const char *path)
{
    size_t i = 0;

    while (words[i] && !(strcmp(words[i], how) == 0 && strcmp(words[i + 1], path) == 0)) i++;
    assert_non_null(words[i]);
    return i;
}

#define IN_SCENE(name) TEST_WITH(name, ground_open, close_all)

IN_SCENE(the_longest_path_counts_in_whatever_order_they_came)
{
    const struct ground *ground = *state;
    const char *const argv[] = { "agent", "-x", NULL };
    struct sandbox sandbox = { 0 };
    const char *const *words;
    size_t i = 0;

    make_folder(at(ground, "work/a/b"));
    make_folder(at(ground, "work/a-b"));
    add_rule(&sandbox, at(ground, "work/a/b"), SANDBOX_WRITE);
    add_rule(&sandbox, at(ground, "work/a-b"), SANDBOX_READ);
    add_rule(&sandbox, at(ground, "work/a"), SANDBOX_READ);
    add_rule(&sandbox, ground->work, SANDBOX_READ);
    add_rule(&sandbox, ground->work, SANDBOX_WRITE);
    words = sandbox_command(&sandbox, argv, &arena);
    assert_true(place_of(words, "--bind", ground->work) <
                place_of(words, "--ro-bind", at(ground, "work/a")));
    assert_true(place_of(words, "--ro-bind", at(ground, "work/a")) <
                place_of(words, "--bind", at(ground, "work/a/b")));
    (void)place_of(words, "--ro-bind", at(ground, "work/a-b"));
    while (words[i]) { /* of two rules for one path the later one */
        assert_false(strcmp(words[i], "--ro-bind") == 0 &&
                     strcmp(words[i + 1], ground->work) == 0);
        i++;
    }
    assert_string_equal(words[i - 3], "--");
    assert_string_equal(words[i - 2], "agent");
    assert_string_equal(words[i - 1], "-x");
}

IN_SCENE(a_rule_for_what_is_not_there_is_none)
{
    struct sandbox sandbox = { 0 };

    assert_false(sandbox_rule(&sandbox, at(*state, "none"), SANDBOX_READ, &arena));
    assert_int_equal(sandbox.count, 0);
}

IN_SCENE(a_rule_follows_links_to_what_it_is_about)
{
    struct sandbox sandbox = { 0 };

    put(at(*state, "work/real/file"), "old");
    put_link(at(*state, "work/link"), "real");
    add_rule(&sandbox, at(*state, "work/link/file"), SANDBOX_READ);
    assert_string_equal(sandbox.rules[0].path, at(*state, "work/real/file"));
}

IN_SCENE(closed_machine_can_be_written_only_where_rules_say)
{
    need_sandbox();
    assert_int_equal(run_closed(*state, "echo x > \"$1/work/new\""), 0);
    assert_int_equal(run_closed(*state, "echo x > /dev/null && cat /proc/self/stat"), 0);
    assert_int_not_equal(run_closed(*state, "echo x > \"$1/elsewhere\""), 0);
    assert_int_not_equal(run_closed(*state, "echo x > \"$1/work/sub/file\""), 0);
    assert_int_not_equal(run_closed(*state, "echo x > \"$1/work/sub/new\""), 0);
    assert_int_not_equal(run_closed(*state, "rm \"$1/work/sub/file\""), 0);
    assert_int_not_equal(run_closed(*state, "mv \"$1/work/sub\" \"$1/work/other\""), 0);
    assert_false(is_there(at(*state, "elsewhere")));
    expect_content(at(*state, "work/sub/file"), "old");
    expect_content(at(*state, "work/new"), "x\n");
}

IN_SCENE(nobody_gets_out_of_it)
{
    need_sandbox();
    assert_int_not_equal(run_closed(*state, "mount -o remount,rw /"), 0);
    assert_int_not_equal(run_closed(*state, "mount -o remount,bind,rw \"$1/work/sub\""), 0);
    assert_int_not_equal(run_closed(*state, "umount \"$1/work/sub\""), 0);
    assert_int_not_equal(run_closed(*state, "unshare -Urm mount -o remount,bind,rw "
                                            "\"$1/work/sub\""), 0);
    assert_int_not_equal(run_closed(*state, "echo x > \"/proc/1/root$1/elsewhere\""), 0);
    /* Its own content: were it to succeed, the machine would stay as it is. */
    assert_int_not_equal(run_closed(*state, "now=$(cat /proc/sys/kernel/core_pattern) && "
                                            "echo \"$now\" > /proc/sys/kernel/core_pattern"), 0);
    assert_false(is_there(at(*state, "elsewhere")));
}

/* Runs a script in a closed machine, as root where we are root, and as an ordinary user. $1 is the
 * root of the ground, $2 our own process. */
static void expect_for_all(const struct ground *ground, const char *script)
{
    static const char *const user[] = { "setpriv", "--reuid", "65534", "--regid", "65534",
                                        "--clear-groups" };
    enum { USER_WORDS = sizeof user / sizeof *user, WORDS_MAX = 160 };
    const char *own = arena_printf(&arena, "%ld", (long)getpid());
    const char *const argv[] = { "sh", "-c", script, "sh", ground->root, own, NULL };
    struct sandbox sandbox = { .read_only = true };
    const char *const *words = sandbox_command(&sandbox, argv, &arena);
    const char *all[WORDS_MAX] = { NULL };
    size_t count = 0;

    assert_int_equal(chmod(ground->root, 0777), 0);
    assert_int_equal(run_in("/", words), 0);
    if (geteuid() != 0) return;
    for (; count < USER_WORDS; count++) all[count] = user[count];
    while (*words && count < WORDS_MAX - 1) {
        /* What only root's has. */
        if (strcmp(*words, "--cap-drop") == 0) words += 2;
        else all[count++] = *words++;
    }
    assert_int_equal(run_in("/", all), 0);
}

IN_SCENE(neither_root_nor_a_user_gets_out_through_proc)
{
    need_sandbox();
    expect_for_all(*state, "for at in /proc/[0-9]* /proc/self; do "
                           "echo x > \"$at/root$1/elsewhere\"; "
                           "echo x > \"$at/cwd$1/elsewhere\"; done; true");
    assert_false(is_there(at(*state, "elsewhere")));
}

IN_SCENE(processes_outside_are_neither_seen_nor_signalled)
{
    need_sandbox();
    if (sandbox_lacks()) skip();
    expect_for_all(*state, "kill -0 \"$2\" && exit 1; kill -STOP \"$2\" && exit 1; "
                           "kill -0 \"$PPID\"; test \"$(ls -d /proc/[0-9]* | wc -l)\" -lt 9");
}

IN_SCENE(its_devices_hold_no_disk_and_no_terminal_of_the_user)
{
    need_sandbox();
    expect_for_all(*state, "test -z \"$(find /dev -type b)\" && test ! -e /dev/pts/0 && "
                           "echo x > /dev/null && echo x > /dev/shm/x");
    assert_int_not_equal(access("/dev/shm/x", F_OK), 0);
}

IN_SCENE(what_is_hidden_can_neither_be_read_nor_connected_to)
{
    const struct ground *ground = *state;
    struct sandbox sandbox = { .read_only = true };

    need_sandbox();
    put(at(ground, "home/folder/secret"), "x");
    put(at(ground, "home/file"), "x");
    add_rule(&sandbox, at(ground, "home/folder"), SANDBOX_HIDE);
    add_rule(&sandbox, at(ground, "home/file"), SANDBOX_HIDE);
    assert_int_equal(run_with(ground, &sandbox, "test ! -e \"$1/home/folder/secret\" && "
                              "test -z \"$(cat \"$1/home/file\")\""), 0);
    expect_content(at(ground, "home/file"), "x");
}

IN_SCENE(an_empty_folder_hides_what_is_there)
{
    const struct ground *ground = *state;
    struct sandbox sandbox = { .read_only = true };

    need_sandbox();
    put(at(ground, "home/secret"), "x");
    put(at(ground, "home/state/file"), "x");
    add_rule(&sandbox, at(ground, "home"), SANDBOX_EMPTY);
    add_rule(&sandbox, at(ground, "home/state"), SANDBOX_WRITE);
    assert_int_equal(run_with(ground, &sandbox, "test ! -e \"$1/home/secret\" && echo y > "
                              "\"$1/home/state/file\" && echo z > \"$1/home/new\""), 0);
    expect_content(at(ground, "home/secret"), "x");
    expect_content(at(ground, "home/state/file"), "y\n");
    assert_false(is_there(at(ground, "home/new")));
}

IN_SCENE(without_a_network_there_is_a_loopback_and_nothing_else)
{
    struct sandbox sandbox = { .no_network = true };

    need_sandbox();
    assert_int_equal(run_with(*state, &sandbox, "test \"$(tail -n +3 /proc/net/dev | wc -l)\" = 1 "
                              "&& grep -q lo: /proc/net/dev"), 0);
}

IN_SCENE(answer_stays_the_same)
{
    const char *first = sandbox_problem();

    assert_ptr_equal(sandbox_problem(), first);
    if (first) assert_true(strlen(first) > 0);
}

IN_SCENE(read_only_folder_cannot_be_written)
{
    need_sandbox();
    assert_int_not_equal(run_script(*state, "echo x > \"$1/work/new\""), 0);
    assert_int_not_equal(run_script(*state, "echo x > \"$1/work/sub/new\""), 0);
    assert_int_not_equal(run_script(*state, "echo x > \"$1/work/file\""), 0);
    assert_int_not_equal(run_script(*state, "rm \"$1/work/file\""), 0);
    assert_int_not_equal(run_script(*state, "mv \"$1/work\" \"$1/moved\""), 0);
    expect_content(at(*state, "work/file"), "old");
    assert_false(is_there(at(*state, "work/new")));
    assert_false(is_there(at(*state, "work/sub/new")));
}

IN_SCENE(writable_folder_inside_it_can)
{
    need_sandbox();
    assert_int_equal(run_script(*state, "echo x > \"$1/work/open/new\""), 0);
    expect_content(at(*state, "work/open/new"), "x\n");
}

IN_SCENE(everything_else_stays_as_it_is)
{
    need_sandbox();
    assert_int_equal(run_script(*state, "echo x > \"$1/elsewhere\""), 0);
    expect_content(at(*state, "elsewhere"), "x\n");
    assert_int_equal(run_script(*state, "cat \"$1/work/file\" > /dev/null"), 0);
    assert_int_equal(run_script(*state, "test -r /proc/self/stat && test -c /dev/null"), 0);
    assert_int_equal(run_script(*state, "test \"$(id -u)\" = \"$(stat -c %u \"$1\")\""), 0);
}

IN_SCENE(exit_status_comes_through)
{
    need_sandbox();
    assert_int_equal(run_script(*state, "exit 0"), 0);
    assert_int_equal(run_script(*state, "exit 42"), 42);
}

IN_SCENE(folder_that_is_gone_is_an_error)
{
    const struct ground *ground = *state;
    struct sandbox sandbox = { 0 };

    need_sandbox();
    make_folder(at(ground, "gone"));
    add_rule(&sandbox, at(ground, "gone"), SANDBOX_READ);
    remove_all(at(ground, "gone"));
    assert_int_not_equal(run_with(ground, &sandbox, "true"), 0);
}
