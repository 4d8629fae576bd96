/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sight.c - proof of reading: what a command shows of a change, as a table. */
#include "format/stream/sight.h"
#include "format/text/made.h"

#include "test.h"

#include <string.h>

/* The change: a.c and src/b.c differ from HEAD, new.c is not tracked, staged.c is staged, old.c
 * came with a commit. */
static const struct changed_file change[] = {
    { .path = { "a.c", 3 }, .dirty = true, .unstaged = true },
    { .path = { "src/b.c", 7 }, .dirty = true, .unstaged = true },
    { .path = { "new.c", 5 }, .dirty = true, .untracked = true, .unstaged = true },
    { .path = { "staged.c", 8 }, .dirty = true, .staged = true },
    { .path = { "old.c", 5 } },
};

enum { FILE_COUNT = sizeof change / sizeof *change };

/* The command, and a letter for each file that it shows: a b n s o. */
static const struct {
    const char *command, *shown;
} cases[] = {
    /* a file, by programs that show files */
    { "cat a.c", "a" }, { "cat -- ./a.c", "a" }, { "cat /work/a.c", "a" },
    { "cat a.c src/b.c new.c", "abn" }, { "cat *.c", "anso" }, { "cat src/*.c", "b" },
    { "head -n 40 a.c", "a" }, { "sed -n '1,200p' a.c", "a" }, { "sed -n -e 1,9p a.c", "a" },
    { "nl -ba a.c | sed -n '1,80p'", "a" }, { "grep -n foo a.c", "a" }, { "rg -n foo a.c", "a" },
    { "awk 'NR<9' a.c", "a" }, { "cd src && cat b.c", "b" }, { "(cd src; cat b.c); cat a.c", "ab" },
    { "cat ../a.c", "" }, { "cd src && cat ../a.c", "a" }, { "cat < a.c", "" },
    { "LC_ALL=C timeout 5 cat a.c", "a" }, { "bash -lc 'cat a.c'", "a" },
    { "/bin/bash -lc \"cd src && sed -n '1,9p' b.c\"", "b" },
    { "for f in a.c src/b.c; do echo $f; cat \"$f\"; done", "ab" },
    { "export LC_ALL=C; cat a.c", "a" }, { "head -n 100 a.c", "a" }, { "X=1; cat a.c", "a" },
    { "cd src || exit 1; cat b.c", "b" }, { "if true; then cat a.c; fi", "a" },
    { "cat a.c; make test", "a" }, { "git blame a.c", "a" },
    /* differences */
    { "git diff", "ab" }, { "git diff HEAD", "abs" }, { "git --no-pager diff HEAD", "abs" },
    { "git diff 0123456789abcdef", "abso" }, { "git diff HEAD~3", "abso" },
    { "git diff origin/main", "abso" }, { "git diff --cached", "s" },
    { "git diff HEAD -- a.c", "a" }, { "git diff HEAD a.c", "a" }, { "git diff -- src", "b" },
    { "git diff HEAD -- . ':!a.c'", "bs" }, { "git diff HEAD -- ':(exclude)src'", "as" },
    { "git diff HEAD | head -300", "abs" }, { "git diff HEAD 2>/dev/null", "abs" },
    { "git diff HEAD 2>&1 | cat", "abs" }, { "git -C src diff HEAD", "abs" },
    { "git diff --stat -p HEAD", "abs" }, { "git status --short && git diff HEAD", "abs" },
    { "git show HEAD", "o" }, { "git log -p -1", "o" }, { "git diff main..HEAD", "o" },
    { "git show HEAD:old.c", "o" }, { "git show HEAD:a.c", "" },
    /* these show nothing of any file */
    { "true", "" }, { "", "" }, { "echo a.c", "" }, { "ls -l a.c", "" }, { "wc -l a.c", "" },
    { "git diff --stat", "" }, { "git diff --name-only HEAD", "" }, { "git diff --quiet", "" },
    { "git status", "" }, { "git log", "" }, { "git diff >/tmp/x", "" },
    { "cat a.c >/dev/null", "" },
    { "git diff &>/tmp/x", "" }, { "git diff HEAD | wc -l", "" }, { "cat a.c | md5sum", "" },
    { "grep -q foo a.c", "" }, { "grep -rln foo .", "" }, { "cat a.c | grep -c x", "" },
    { "cat README.md", "" }, { "git diff README.md", "" }, { "git diff $files", "" },
    { "cat $file", "" }, { "cd \"$x\" && cat a.c", "" }, { "cd /other && git diff HEAD", "" },
    { "git --git-dir=/x/.git diff HEAD", "" }, { "git diff --diff-filter=D HEAD", "" },
    { "git diff -S foo HEAD", "" }, { "python3 - <<EOF\ncat a.c\nEOF\n", "" },
    { "make test", "" }, { "sed -i s/a/b/ a.c", "" }, { "cat /elsewhere/a.c", "" },
    { "GIT_DIR=/x git diff HEAD", "" }, { "env GIT_WORK_TREE=/x git diff HEAD", "" },
    { "export GIT_DIR=/x; git diff HEAD", "" }, { "GIT_DIR=/x; git diff HEAD", "" },
    { "git -C /other diff HEAD", "" }, { "alias git=true; git diff HEAD", "" },
    { "false && git diff HEAD", "" }, { "if false; then cat a.c; fi", "" },
    { "while false; do cat a.c; done", "" }, { "head -n 0 a.c", "" }, { "head -n0 a.c", "" },
    { "tail -c 0 a.c", "" }, { "git diff HEAD | head -0", "" }, { "cat a.c | head -c0", "" },
    { "echo 'cat a.c'", "" }, { "# cat a.c", "" }, { "/workspace/cat a.c >x; cat /work2/a.c", "" },
};

TEST(what_a_command_shows)
{
    static const char letters[] = "abnso";

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = { 0 };
        struct sights sights = { 0 };
        const struct str *missing;
        char shown[FILE_COUNT + 1] = "";
        uint32_t count;

        sights_command(str_of(cases[i].command), &arena, &sights);
        count = sights_missing(&sights, change, FILE_COUNT, "/work", &arena, &missing);
        for (size_t file = 0, at = 0; file < FILE_COUNT; file++) {
            bool missed = false;
            for (uint32_t k = 0; k < count; k++) missed |= str_eq(missing[k], change[file].path);
            if (!missed) shown[at++] = letters[file];
        }
        if (strcmp(shown, cases[i].shown) != 0) {
            print_message("%s: wanted %s, is %s\n", cases[i].command, cases[i].shown, shown);
        }
        assert_string_equal(shown, cases[i].shown);
        arena_release(&arena);
    }
}

TEST(a_command_that_does_nothing)
{
    static const struct { const char *command; bool busy; } rows[] = {
        { "true", false }, { "echo I read it all", false }, { "cd src; pwd", false },
        { "ls", true }, { "git status", true }, { "make test", true }, { ":", false },
        { "true && ls", true }, { "sleep 5", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena arena = { 0 };
        struct sights sights = { 0 };

        sights_command(str_of(rows[i].command), &arena, &sights);
        assert_int_equal(sights.busy, rows[i].busy);
        arena_release(&arena);
    }
}

/* Of a change that is very large not each file is demanded. */
TEST(a_large_change_has_a_bound)
{
    enum { COUNT = 3 * SIGHTS_ENOUGH };
    struct changed_file files[COUNT];
    struct arena arena = { 0 };
    struct sights sights = { 0 };
    const struct str *missing;

    for (uint32_t i = 0; i < COUNT; i++) {
        files[i] = (struct changed_file){ .dirty = true, .unstaged = true,
                                          .path = str_of(arena_printf(&arena, "f%u.c", i)) };
    }
    for (uint32_t i = 0; i < SIGHTS_ENOUGH; i++) {
        assert_int_equal(sights_missing(&sights, files, COUNT, "/w", &arena, &missing), COUNT - i);
        sights_command(str_of(arena_printf(&arena, "cat f%u.c", 2 * i)), &arena, &sights);
    }
    assert_int_equal(sights_missing(&sights, files, COUNT, "/w", &arena, &missing), 0);
    arena_release(&arena);
}

TEST(files_that_programs_make)
{
    assert_true(file_is_made(STR("web/package-lock.json")));
    assert_true(file_is_made(STR("Cargo.lock")));
    assert_true(file_is_made(STR("a/b.min.js")));
    assert_false(file_is_made(STR("lock.c")));
    assert_false(file_is_made(STR("package.json")));
}
