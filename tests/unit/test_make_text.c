/* SPDX-License-Identifier: Apache-2.0
 *
 * test_make_text.c - what make would run, read: sources, folders, flags; and nothing that was only
 * printed. */
#include "base/buf.h"
#include "format/source/build_units.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

/* A line for each unit: FOLDER FILE FLAG... */
static void expect(const char *text, const char *expected)
{
    struct arena arena = { 0 };
    struct build_units units;
    struct buf out;

    buf_init(&out, 1 << 20);
    make_text_read(str_of(text), "/w", &arena, &units);
    for (uint32_t i = 0; i < units.count; i++) {
        if (units.items[i].perhaps) buf_printf(&out, "(%s) ", units.items[i].perhaps);
        buf_printf(&out, "%s %s", units.items[i].folder, units.items[i].file);
        for (const char *const *flag = units.items[i].flags; *flag; flag++)
            buf_printf(&out, " %s", *flag);
        buf_byte(&out, '\n');
    }
    assert_string_equal(buf_cstr(&out), expected);
    buf_release(&out);
    arena_release(&arena);
}

/* ---- which commands ---- */

TEST(a_plain_rule_is_read)
{
    expect("cc -Iinclude -DX=1 -c -o a.o a.c\n", "/w a.c -Iinclude -DX=1\n");
    expect("cc    -c -o a.o a.c", "/w a.c\n");
    expect("", "");
    expect("\n\n", "");
}

TEST(one_command_may_compile_several)
{
    expect("gcc -Ii -o prog main.c lib/a.cpp b.o -lm\n", "/w main.c -Ii\n/w lib/a.cpp -Ii\n");
}

TEST(linking_and_other_programs_compile_nothing)
{
    expect("gcc -o prog a.o b.o\nar rcs x.a a.o\nrm -f a.c\nclang-tidy a.c\nclang-format -i a.c\n"
           "gcc-ar rcs x.a a.c\nccache a.c\nmycc a.c\n", "");
}

TEST(compilers_are_known_by_many_names)
{
    expect("gcc-12 -c a.c\n/usr/bin/clang++-14.0 -c b.cc\nx86_64-linux-gnu-g++-12 -c c.cxx\n"
           "c99 -c d.c\nc++ -c e.C\n",
           "/w a.c\n/w b.cc\n/w c.cxx\n/w d.c\n/w e.C\n");
}

TEST(programs_in_front_of_the_compiler_are_skipped)
{
    expect("ccache gcc -c a.c\n", "/w a.c\n");
    expect("CCACHE_DIR=/c LANG=C nice -n 5 gcc -c a.c\n", "/w a.c\n");
    expect("CCACHE_DIR=/c env LANG=C ccache distcc gcc -c a.c\n", "/w a.c\n");
    expect("/bin/bash ./libtool --silent --tag=CC --mode=compile gcc -DPIC -c a.c -o a.lo\n",
           "/w a.c -DPIC\n");
    expect("libtool --mode=link gcc -o x a.lo\n", "");
}

TEST(what_is_printed_is_no_command)
{
    expect("echo 'gcc -c a.c'; echo gcc -c b.c\nprintf \"cc -c c.c; gcc -c d.c\\n\"\n"
           "# gcc -c e.c\n: gcc -c f.c\n", "");
    expect("echo '  CC a.o'; gcc -DA -c a.c\n", "/w a.c -DA\n");
    expect("@echo CC; gcc -c a.c\n", "/w a.c\n");
}

TEST(all_commands_of_a_line_are_seen)
{
    expect("gcc -c a.c && gcc -c b.c || gcc -c c.c; gcc -c d.c | cat & gcc -c e.c\n",
           "/w a.c\n/w b.c\n/w c.c\n/w d.c\n/w e.c\n");
    expect("if test -e x; then gcc -c a.c; else gcc -c b.c; fi\n", "/w a.c\n/w b.c\n");
    expect("{ gcc -c a.c; } 2>&1 >log <in.c 3>>err.c\n", "/w a.c\n");
}

/* ---- lines, quotes, expansions ---- */

TEST(lines_go_on_behind_a_backslash)
{
    expect("gcc -DA \\\n  -DB\\\n -c \\\n a.c\ngcc -c b.c\n", "/w a.c -DA -DB\n/w b.c\n");
    expect("gcc -c a.c \\", "/w a.c\n");
    expect("gcc -c a.c \\\\\ngcc -c b.c\n", "/w a.c\n/w b.c\n");
}

TEST(quotes_are_taken_off)
{
    expect("gcc -DV='\"1 2\"' -DW=\"\\\"x\\\"\" -DE=a\\ b \"-Imy dir\" -c 'a b.c'\n",
           "/w a b.c -DV=\"1 2\" -DW=\"x\" -DE=a b -Imy dir\n");
    expect("gcc -DA='unclosed -c a.c\n", "");
}

TEST(what_only_a_shell_knows_is_left_out)
{
    expect("gcc $(pkg-config --cflags 'x)') -I$HOME/i -I ${A} -D\"V=`cat v`\" -DK -c a.c\n",
           "/w a.c -DK\n");
    expect("$CC -c a.c\n`which gcc` -c b.c\n", "");
    expect("gcc -c -o a.o `test -f 'lib/a.c' || echo './'`lib/a.c\n", "/w lib/a.c\n");
    expect("gcc -DA=1$ -c a.c\n", "/w a.c -DA=1$\n");
}

/* ---- folders ---- */

TEST(make_says_where_it_is)
{
    expect("make: Entering directory '/x'\ngcc -c a.c\nmake[1]: Entering directory '/x/lib dir'\n"
           "gcc -c b.c\nmake[1]: Leaving directory '/x/lib dir'\ngcc -c c.c\n"
           "make: Leaving directory '/x'\ngcc -c d.c\n",
           "/x a.c\n/x/lib dir b.c\n/x c.c\n/w d.c\n");
    expect("gmake[12]: Entering directory `/old'\ngcc -c a.c\n", "/old a.c\n");
    expect("make: Leaving directory '/x'\nmake: Leaving directory '/x'\ngcc -c a.c\n", "/w a.c\n");
}

TEST(a_change_of_folder_holds_for_its_line)
{
    expect("cd lib && gcc -I.. -c a.c; gcc -c b.c\ngcc -c c.c\n",
           "/w/lib a.c -I..\n/w/lib b.c\n/w c.c\n");
    expect("(cd lib; gcc -c a.c); gcc -c b.c; (cd x && (cd /y && gcc -c c.c); gcc -c d.c)\n",
           "/w/lib a.c\n/w b.c\n/y c.c\n/w/x d.c\n");
    expect("cd $D && gcc -c a.c\n", "/w a.c\n");
}

TEST(a_make_that_does_not_say_where_it_is_may_be_where_it_was_called)
{
    expect("make --no-print-directory -C lib all\ngcc -c a.c\n", "(/w/lib) /w a.c\n");
    expect("cd sub && /usr/bin/make -Cx --directory=y\ngcc -c a.c\n", "(/w/sub/x/y) /w a.c\n");
    expect("make -C lib\nmake[1]: Entering directory '/w/lib'\ngcc -c a.c\n", "/w/lib a.c\n");
    expect("make -C $(x)\ngcc -c a.c\nmake -C\ngcc -c b.c\n", "/w a.c\n(/w) /w b.c\n");
}

TEST(no_nesting_is_too_deep)
{
    struct arena arena = { 0 };
    struct build_units units;
    struct buf text;

    buf_init(&text, 1 << 22);
    for (int i = 0; i < 2000; i++) buf_text(&text, "make: Entering directory 'd'\n");
    for (int i = 0; i < 2000; i++) buf_text(&text, "(cd d;");
    buf_text(&text, "gcc -c a.c");
    for (int i = 0; i < 3000; i++) buf_text(&text, ")");
    buf_text(&text, "; gcc -c b.c $(((((( \"`'");
    make_text_read(buf_str(&text), "/w", &arena, &units);
    assert_int_equal(units.count, 2);
    assert_string_equal(units.items[1].file, "b.c");
    arena_release(&arena);
    buf_release(&text);
}

/* ---- flags ---- */

TEST(flags_that_tell_how_to_read_are_kept)
{
    expect("gcc -I a -Ib -iquote c -iquoted -isystem e -idirafter f -include g.h -imacros h.h "
           "-D M -DN=2 -U O -UP -std=gnu11 -ansi -pthread -nostdinc -funsigned-char "
           "-fno-exceptions -fno-builtin-malloc -ffreestanding -fPIC -m32 -march=x86-64-v2 -mavx2 "
           "-c x.c\n",
           "/w x.c -Ia -Ib -iquote c -iquote d -isystem e -idirafter f -include g.h -imacros h.h "
           "-DM -DN=2 -UO -UP -std=gnu11 -ansi -pthread -nostdinc -funsigned-char "
           "-fno-exceptions -fno-builtin-malloc -ffreestanding -fPIC -m32 -march=x86-64-v2 "
           "-mavx2\n");
}

TEST(warnings_stay_warnings)
{
    expect("gcc -Wall -Wno-unused -Wformat=2 -Werror=vla -Werror -Wfatal-errors -w -pedantic "
           "-c x.c\n", "/w x.c -Wall -Wno-unused -Wformat=2 -Werror=vla -pedantic\n");
}

TEST(warnings_of_clang_alone_do_not_reach_gcc)
{
    expect("clang -Wall -Wdocumentation -Weverything -Wno-everything -Wshadow -c x.c\n",
           "/w x.c -Wall -Wno-everything -Wshadow\n");
}

TEST(flags_of_another_machine_are_left_out)
{
    expect("arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -DSTM -c x.c\n", "/w x.c -DSTM\n");
    expect("clang --target=armv7 -mthumb -c x.c\nclang -target arm.c -mthumb -c y.c\n",
           "/w x.c\n/w y.c\n");
}

TEST(what_changes_only_code_is_left_out)
{
    expect("gcc -O2 -g3 -c -pipe -MMD -MP -MF dep.c -MT t.c -MQ q.c -o out.c -x c -flto "
           "-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -D _FORTIFY_SOURCE=3 -fstack-protector-strong "
           "-L lib.c -l m.c -Wl,-z,now -Wa,-x -Wp,-MD,evil x.c\n", "/w x.c\n");
}

/* Nothing may run a program, load one, write a file or bring in more flags. */
TEST(nothing_dangerous_passes)
{
    static const char *const words[] = {
        "-fplugin=/e.so", "-fplugin-arg-e-x=y", "-wrapper e,--x", "-wrapper=e", "-B/e", "-B /e",
        "-specs=/e", "--specs=/e", "@/e", "-Xclang -load", "-Xclang /e.so", "-load /e.so",
        "-Xpreprocessor -MD", "-Wp,-MD,/e", "-Wa,--x", "-mllvm -load=/e", "-mllvm=-x",
        "--config=/e",
        "-fmodules-ts", "-fdump-tree-all", "-save-temps", "-aux-info e", "-fdiagnostics-format=e",
        "-fprofile-use=/e", "-fopt-info=/e", "-include-pch e", "--param x=y", "-cc1", "-###",
        "-o e", "-MF e", "-MJ e", "-dumpdir e", "-mdump-tune-features", "-march=a,b", "-std=/e",
        "-frecord-gcc-switches", "-fuse-ld=/e", "--sysroot=/e", "-isysroot e", "-I-", "-", "--",
        "-fmodule-mapper=|e", "-imultilib e", "-iprefix e", "-ftime-trace=/e", "-I", "-D",
        "-gcc-toolchain=/e", "-ivfsoverlay", "-fsanitize-blacklist=/e", "-Weverything=/e",
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct arena arena = { 0 };

        expect(arena_printf(&arena, "gcc -c x.c %s\n", words[i]), "/w x.c\n");
        arena_release(&arena);
    }
}

TEST(no_path_becomes_a_flag_or_a_list_of_flags)
{
    expect("gcc -include @evil -isystem @dir -I @d -I-fplugin=x -include -fplugin=x -D@m -c x.c\n",
           "/w x.c -include ./@evil -isystem ./@dir -I./@d -I./-fplugin=x -include ./-fplugin=x "
           "-D@m\n");
}

TEST(bytes_of_any_kind_are_read)
{
    struct str text = STR("gcc -DA\0B -c a\0.c\ngcc -c \xff\x1b[2J.c\n");
    struct arena arena = { 0 };
    struct build_units units;

    make_text_read(text, "/w", &arena, &units);
    assert_int_equal(units.count, 2);
    assert_string_equal(units.items[0].file, "a.c");
    assert_string_equal(units.items[1].file, "\xff\x1b[2J.c");
    arena_release(&arena);
}
