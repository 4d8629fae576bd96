/* SPDX-License-Identifier: Apache-2.0
 *
 * test_travel_hostile.c - what comes from the other side is refused where it is not what it should
 * be, and nothing is written outside. */
#include "io/file/file.h"
#include "io/travel/bundle.h"
#include "io/travel/snapshot.h"
#include "journey.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 64 << 20, TREE_BYTES_MAX = 4096 };

/* ---- making what no hone makes ---- */

static int from_hex(char digit)
{
    return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

/* An entry of a tree, as bytes. */
static void add_entry(struct buf *out, const char *mode, const char *name, const char *oid)
{
    buf_printf(out, "%s %s", mode, name);
    buf_byte(out, '\0');
    for (; *oid; oid += 2) buf_byte(out, (char)(from_hex(oid[0]) << 4 | from_hex(oid[1])));
}

/* Stores an object without a check of its content. */
static void store_object(const struct repo *repo, const char *type, struct str content,
                         char out[OID_BYTES])
{
    const char *const args[] = { "hash-object", "-t", type, "-w", "--literally", "--stdin", NULL };
    struct err err = { 0 };
    struct buf said;

    buf_init(&said, 4096);
    if (repo_git_own(repo, args, content, &said, &err) != 0) fail_msg("%s", err.text);
    assert_true(oid_parse(str_trim(buf_str(&said)), out));
    buf_release(&said);
}

struct evil_entry {
    const char *mode, *name, *content; /* mode 40000: a tree with one file of that name in it */
};

static void store_tree(const struct repo *repo, const struct evil_entry *entries,
                       char out[OID_BYTES])
{
    char oid[OID_BYTES], inner[OID_BYTES];
    struct buf tree, below;

    buf_init(&tree, TREE_BYTES_MAX);
    for (; entries->mode; entries++) {
        bool folder = strcmp(entries->mode, "40000") == 0;

        store_object(repo, "blob", str_of(folder ? "x\n" : entries->content), oid);
        if (folder) {
            buf_init(&below, TREE_BYTES_MAX);
            add_entry(&below, "100644", entries->content, oid);
            store_object(repo, "tree", buf_str(&below), inner);
            buf_release(&below);
        }
        add_entry(&tree, entries->mode, entries->name, folder ? inner : oid);
    }
    store_object(repo, "tree", buf_str(&tree), out);
    buf_release(&tree);
}

/* Packs a snapshot of that tree in place of the work tree's. */
static void pack_tree(struct journey *journey, const struct evil_entry *entries, bool carry)
{
    struct travel_ids *ids = &journey->packed.ids;
    const char *parents[SNAPSHOT_PARENTS_MAX] = { carry ? "" : ids->head, "" };
    struct travel_file file = { at(journey->ground, "files"), "out", FILE_BYTES_MAX };
    struct bundle bundle = { .sha256 = false };
    char tree[OID_BYTES];
    struct err err = { 0 };
    uint64_t bytes;

    store_tree(&journey->repo, entries, tree);
    if (snapshot_commit(&journey->repo, tree, parents, STR(""),
                        carry ? ids->carry : ids->snapshot, &err) != 0)
        fail_msg("%s", err.text);
    if (!carry) memcpy(ids->tree, tree, OID_BYTES);
    memcpy(bundle.tips[BUNDLE_HEAD], ids->head, OID_BYTES);
    memcpy(bundle.tips[BUNDLE_SNAPSHOT], ids->snapshot, OID_BYTES);
    memcpy(bundle.tips[BUNDLE_CARRY], ids->carry, OID_BYTES);
    if (bundle_write(&journey->repo, &bundle, &file, &bytes, &err) != 0) fail_msg("%s", err.text);
    bundle_release(&bundle);
}

/* The bundle's bytes, to be changed. */
static void bundle_bytes(const struct journey *journey, const char *name, struct buf *out)
{
    struct err err = { 0 };

    buf_init(out, FILE_BYTES_MAX);
    assert_int_equal(file_read(at(journey->ground, "files/%s", name), out, &err), 0);
}

static void bundle_replace(const struct journey *journey, const char *name, struct str bytes)
{
    FILE *file = fopen(at(journey->ground, "files/%s", name), "w");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
}

static void expect_refused(struct journey *journey, int code, const char *words)
{
    struct err err = { 0 };

    assert_int_equal(journey_try_unpack(journey, &err), code);
    if (words) assert_has(err.text, words);
    assert_false(travel_knows(&journey->store, "abc", journey->packed.ids.snapshot));
}

/* ---- trees that no tree may be ---- */

static const struct {
    const char *why;
    struct evil_entry entries[3];
} bad_trees[] = {
    { "a git folder", { { "40000", ".git", "config" } } },
    { "a git folder in capitals", { { "40000", ".GIT", "config" } } },
    { "a git folder by its short name", { { "40000", "git~1", "config" } } },
    { "a git folder below", { { "40000", "sub", ".git" } } },
    { "a file of that name", { { "100644", ".git", "gitdir: /tmp\n" } } },
    { "a link of that name", { { "120000", ".git", "/tmp" } } },
    { "upwards", { { "40000", "..", "x" } } },
    { "upwards below", { { "40000", "sub", ".." } } },
    { "here", { { "40000", ".", "x" } } },
    { "a path as a name", { { "100644", "a/b", "x" } } },
    { "an absolute path", { { "100644", "/tmp/hone-evil", "x" } } },
    { "a name twice", { { "100644", "a", "1" }, { "100644", "a", "2" } } },
    { "a link and a folder", { { "120000", "a", "/tmp" }, { "40000", "a", "x" } } },
    { "out of order", { { "100644", "b", "1" }, { "100644", "a", "2" } } },
    { "a link in the place of .gitmodules", { { "120000", ".gitmodules", "/etc/passwd" } } },
    { "the same by its short name", { { "120000", "gitmod~1", "/etc/passwd" } } },
    { "a git folder with a letter that is not seen",
      { { "40000", ".g\xe2\x80\x8cit", "config" } } },
    { "a git folder with a blank behind", { { "40000", ".git ", "config" } } },
    { "a git folder with a stream behind", { { "40000", ".git::$INDEX_ALLOCATION", "config" } } },
    { "a git folder by a way of Windows", { { "40000", "a\\.git", "config" } } },
    { "a submodule from a command",
      { { "100644", ".gitmodules", "[submodule \"a\"]\n\tpath = a\n\turl = ext::touch x\n"
                                   "\tupdate = !touch x\n" } } },
    { "a submodule from an option",
      { { "100644", ".gitmodules", "[submodule \"a\"]\n\tpath = a\n\turl = -u./x\n" } } },
    { "a submodule by a name that leads out",
      { { "100644", ".gitmodules", "[submodule \"../../x\"]\n\tpath = a\n\turl = a\n" } } },
};

/* Names that are odd, and a tree may have them. */
IN_REPOSITORY(odd_names_arrive_as_they_are)
{
    static const char *const names[] = { "new\nline", "-rf", "--help", "\"quote", "tab\there",
                                         "\xff\xfe", "refs/heads/main", "a b", "HEAD", "..a",
                                         "git~", ".gitx/config", "index.lock", "\\",
                                         "$(touch ran)" };
    enum { COUNT = sizeof names / sizeof *names };
    struct journey journey;

    for (int i = 0; i < COUNT; i++) put(at(*state, "work/%s", names[i]), "x");
    put_link(at(*state, "work/link"), "/etc/passwd");
    journey_begin(&journey, state);
    journey_go(&journey);
    assert_false(is_there(there(&journey, "ran")));
    for (int i = 0; i < COUNT; i++) put(there(&journey, names[i]), "y");
    journey_return(&journey);
    expect_content(at(*state, "work/new\nline"), "y");
    journey_end(&journey);
}

IN_REPOSITORY(a_tree_that_no_tree_may_be_is_refused)
{
    struct journey journey;

    journey_begin(&journey, state);
    for (size_t i = 0; i < sizeof bad_trees / sizeof *bad_trees; i++) {
        struct err err = { 0 };
        struct travel_ids ids;

        journey_pack(&journey);
        ids = journey.packed.ids;
        pack_tree(&journey, bad_trees[i].entries, false);
        if (journey_try_unpack(&journey, &err) != ERR_FORMAT)
            fail_msg("%s: %s", bad_trees[i].why, err.text);
        assert_false(travel_knows(&journey.store, "abc", journey.packed.ids.snapshot));
        assert_false(is_there("/tmp/hone-evil"));
        journey.packed.ids = ids;
    }
    assert_false(is_there(at(*state, "store/abc/places"))); /* no place was touched */
    journey_go(&journey);
    journey_end(&journey);
}

IN_REPOSITORY(what_comes_along_takes_the_place_of_no_file)
{
    static const struct evil_entry same[] = { { "100644", "clean", "other\n" }, { .mode = NULL } },
        below[] = { { "40000", "clean", "x" }, { .mode = NULL } },
        above[] = { { "100644", "sub", "a file\n" }, { .mode = NULL } },
        git[] = { { "40000", ".git", "config" }, { .mode = NULL } };
    const struct evil_entry *const all[] = { same, below, above, git };
    struct journey journey;

    journey_begin(&journey, state);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct err err = { 0 };

        journey_pack(&journey);
        pack_tree(&journey, all[i], true);
        assert_int_equal(journey_try_unpack(&journey, &err), ERR_FORMAT);
    }
    journey_end(&journey);
}

/* A link that leads outside may travel; nothing is written through it. */
IN_REPOSITORY(nothing_is_written_through_a_link)
{
    static const struct evil_entry through[] = { { "40000", "sub", "x" }, { .mode = NULL } };
    struct err err = { 0 };
    struct journey journey;
    char *before, *after;

    put(at(*state, "outside/deep"), "of a person\n");
    journey_begin(&journey, state);
    journey_go(&journey); /* sub is a folder there */
    before = picture(at(*state, "outside"));
    remove_all(at(*state, "work/sub"));
    put_link(at(*state, "work/sub"), at(*state, "outside"));
    journey_go(&journey); /* now it is a link */
    assert_true(journey.place.warm);
    journey_pack(&journey);
    pack_tree(&journey, through, true);
    assert_int_equal(journey_try_unpack(&journey, &err), ERR_FORMAT);
    assert_int_equal(unlink(at(*state, "work/sub")), 0);
    put(at(*state, "work/sub/deep"), "a folder again\n");
    journey_go(&journey);
    after = picture(at(*state, "outside"));
    assert_string_equal(before, after);
    free(before);
    free(after);
    journey_end(&journey);
}

/* ---- bundles that are none ---- */

IN_REPOSITORY(a_bundle_that_was_cut_off_is_refused_at_any_length)
{
    struct journey journey;
    struct buf bytes;

    journey_begin(&journey, state);
    journey_pack(&journey);
    bundle_bytes(&journey, "out", &bytes);
    for (size_t size = 0; size < bytes.size; size += size < 400 ? 37 : bytes.size / 7) {
        bundle_replace(&journey, "out", (struct str){ bytes.data, size });
        expect_refused(&journey, ERR_FORMAT, NULL);
    }
    bundle_replace(&journey, "out", (struct str){ bytes.data, bytes.size - 1 });
    expect_refused(&journey, ERR_FORMAT, NULL);
    bundle_replace(&journey, "out", buf_str(&bytes));
    journey_unpack(&journey); /* whole it is taken */
    buf_release(&bytes);
    journey_end(&journey);
}

IN_REPOSITORY(a_bundle_with_a_byte_changed_is_refused)
{
    struct journey journey;
    struct buf bytes;
    size_t pack;

    journey_begin(&journey, state);
    journey_pack(&journey);
    bundle_bytes(&journey, "out", &bytes);
    pack = (size_t)((char *)memmem(bytes.data, bytes.size, "PACK", 4) - bytes.data);
    for (size_t i = pack; i < bytes.size; i += 61) {
        bytes.data[i] ^= 0x10;
        bundle_replace(&journey, "out", buf_str(&bytes));
        expect_refused(&journey, ERR_FORMAT, NULL);
        bytes.data[i] ^= 0x10;
    }
    buf_release(&bytes);
    journey_end(&journey);
}

/* The lines in front of the pack are others. */
static const struct {
    const char *from, *to, *words;
} bad_lines[] = {
    { "# v2 git bundle", "# v9 git bundle", "no bundle of hone's" },
    { "refs/hone/snapshot", "refs/heads/../x", "no bundle of hone's" },
    { "refs/hone/snapshot", "refs/hone/shot-../", "no bundle of hone's" },
    { "refs/hone/head", "refs/hone/made", "other commits" },
    { "refs/hone/head", "refs/hone/snap", "no bundle of hone's" },
    { "PACK", "PUCK", "cut off" },
};

IN_REPOSITORY(a_bundle_with_other_lines_is_refused)
{
    struct journey journey;

    journey_begin(&journey, state);
    for (size_t i = 0; i < sizeof bad_lines / sizeof *bad_lines; i++) {
        struct buf bytes;
        char *where;

        journey_pack(&journey);
        bundle_bytes(&journey, "out", &bytes);
        where = memmem(bytes.data, bytes.size, bad_lines[i].from, strlen(bad_lines[i].from));
        assert_non_null(where);
        memcpy(where, bad_lines[i].to, strlen(bad_lines[i].to));
        bundle_replace(&journey, "out", buf_str(&bytes));
        expect_refused(&journey, ERR_FORMAT, bad_lines[i].words);
        buf_release(&bytes);
    }
    journey_end(&journey);
}

IN_REPOSITORY(what_is_too_much_is_refused_before_it_is_unpacked)
{
    struct journey journey;
    struct buf bytes;
    char *where;

    journey_begin(&journey, state);
    journey_pack(&journey);
    bundle_bytes(&journey, "out", &bytes);
    journey.store.bundle_bytes_max = bytes.size - 1;
    expect_refused(&journey, ERR_LIMIT, "accepted");
    journey.store.bundle_bytes_max = 0;
    where = memmem(bytes.data, bytes.size, "PACK", 4);
    memcpy(where + 8, "\xff\xff\xff\xff", 4); /* objects */
    bundle_replace(&journey, "out", buf_str(&bytes));
    expect_refused(&journey, ERR_FORMAT, "promises 4294967295 objects");
    buf_release(&bytes);
    /* Very many bytes of one kind: few in the pack. */
    git_in(at(*state, "work"), (const char *const[]){ "truncate", "--size=20M", "zeros", NULL });
    journey_pack(&journey);
    journey.store.tree_bytes_max = 1 << 20;
    assert_int_equal(journey_try_unpack(&journey, &(struct err){ 0 }), ERR_LIMIT);
    assert_false(is_there(at(*state, "store/abc/places")));
    journey.store.tree_bytes_max = 0;
    journey.store.tree_files_max = 2;
    assert_int_equal(journey_try_unpack(&journey, &(struct err){ 0 }), ERR_LIMIT);
    journey_end(&journey);
}

IN_REPOSITORY(what_is_no_file_is_no_bundle)
{
    struct journey journey;

    journey_begin(&journey, state);
    journey_pack(&journey);
    assert_int_equal(unlink(at(*state, "files/out")), 0);
    expect_refused(&journey, ERR_SYSTEM, NULL);
    assert_int_equal(mkfifo(at(*state, "files/out"), 0600), 0);
    expect_refused(&journey, ERR_FORMAT, "regular file");
    journey_end(&journey);
}

/* A tree whose file is in no pack. */
IN_REPOSITORY(a_bundle_that_lacks_what_it_names_is_refused)
{
    static const struct evil_entry entries[] = { { "100644", "a", "here\n" }, { .mode = NULL } };
    struct journey journey;
    char blob[OID_BYTES];

    journey_begin(&journey, state);
    journey_pack(&journey);
    pack_tree(&journey, entries, false);
    store_object(&journey.repo, "blob", STR("here\n"), blob);
    /* The pack is made anew without it, as of a clone that left files out. */
    {
        const char *const args[] = { "pack-objects", "--revs", "--stdout", "--quiet",
                                     "--filter=blob:none", NULL };
        struct buf bytes, pack, names;
        struct err err = { 0 };

        buf_init(&pack, FILE_BYTES_MAX);
        buf_init(&names, 4096);
        bundle_bytes(&journey, "out", &bytes);
        buf_printf(&names, "%s\n", journey.packed.ids.snapshot);
        bytes.size = (size_t)((char *)memmem(bytes.data, bytes.size, "PACK", 4) - bytes.data);
        if (repo_git_own(&journey.repo, args, buf_str(&names), &pack, &err) != 0)
            fail_msg("%s", err.text);
        buf_add(&bytes, buf_str(&pack));
        bundle_replace(&journey, "out", buf_str(&bytes));
        buf_release(&bytes);
        buf_release(&pack);
        buf_release(&names);
    }
    expect_refused(&journey, ERR_FORMAT, NULL);
    assert_int_equal(count_in(at(*state, "store/abc/clone/objects/pack")), 0);
    journey_end(&journey);
}

/* ---- messages that lie ---- */

IN_REPOSITORY(ids_that_do_not_match_are_refused)
{
    static const char *const branches[] = { "../x", "a/../b", "-x", "x.lock", "a//b", "/a", "a/",
                                            ".a", "a b", "a~1", "a\nb", "a@{1}", "HEAD" };
    static const char other[] = "1111111111111111111111111111111111111111";
    struct err err = { 0 };
    struct journey journey;
    struct travel_ids ids;

    journey_begin(&journey, state);
    journey_pack(&journey);
    ids = journey.packed.ids;
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
        snprintf(journey.packed.ids.branch, TRAVEL_BRANCH_BYTES, "%s", branches[i]);
        expect_refused(&journey, ERR_FORMAT, "a branch has a name");
    }
    for (int i = 0; i < 5; i++) {
        char *const fields[] = { journey.packed.ids.head, journey.packed.ids.snapshot,
                                 journey.packed.ids.tree, journey.packed.ids.since,
                                 journey.packed.ids.carry };

        journey.packed.ids = ids;
        memcpy(fields[i], other, sizeof other);
        assert_int_equal(journey_try_unpack(&journey, &err), ERR_FORMAT);
        memcpy(fields[i], "../../../x", sizeof "../../../x");
        assert_int_equal(journey_try_unpack(&journey, &err), ERR_FORMAT);
        memset(fields[i], 'a', OID_BYTES); /* without an end */
        assert_int_equal(journey_try_unpack(&journey, &err), ERR_FORMAT);
    }
    journey.packed.ids = ids;
    journey.run = "../x";
    assert_int_equal(journey_try_unpack(&journey, &err), ERR_FORMAT);
    journey.run = "run-1";
    journey_unpack(&journey);
    journey_end(&journey);
}

/* ---- results that lie ---- */

enum lie { LIE_TREE, LIE_PARENT, LIE_HEAD, LIE_UNRELATED, LIE_TIP, LIE_COUNT };

/* A result of the place, whose message or bundle says something else than it is. */
static void make_lie(struct journey *journey, enum lie lie)
{
    struct travel_made *made = &journey->made;
    struct travel_file file = { at(journey->ground, "files"), "back", FILE_BYTES_MAX };
    struct bundle bundle = { .sha256 = false };
    const char *parents[SNAPSHOT_PARENTS_MAX] = { journey->packed.ids.snapshot, "" };
    char alone[OID_BYTES] = "";
    struct err err = { 0 };
    uint64_t bytes;

    store_object(&journey->place.repo, "commit",
                 str_of(arena_printf(&journey->place.arena,
                                     "tree %s\nauthor x <x@x> 0 +0000\ncommitter x <x@x> 0 "
                                     "+0000\n\nx\n", made->tree)), alone);
    if (lie == LIE_PARENT) parents[0] = made->head;
    if (lie == LIE_UNRELATED) parents[1] = alone;
    if (snapshot_commit(&journey->place.repo, made->tree, parents, STR(""), made->commit, &err))
        fail_msg("%s", err.text);
    if (lie == LIE_TREE) memcpy(made->tree, journey->packed.ids.tree, OID_BYTES);
    if (lie == LIE_UNRELATED) memcpy(made->head, alone, OID_BYTES);
    memcpy(bundle.tips[BUNDLE_MADE], lie == LIE_TIP ? alone : made->commit, OID_BYTES);
    if (lie == LIE_UNRELATED) memcpy(bundle.tips[BUNDLE_HEAD], alone, OID_BYTES);
    if (lie == LIE_HEAD) memcpy(made->head, alone, OID_BYTES);
    bundle_need(&bundle, journey->packed.ids.snapshot);
    if (bundle_write(&journey->place.repo, &bundle, &file, &bytes, &err)) fail_msg("%s", err.text);
    bundle_release(&bundle);
}

IN_REPOSITORY(a_result_that_is_not_what_it_says_is_refused)
{
    struct journey journey;

    journey_begin(&journey, state);
    for (int lie = 0; lie < LIE_COUNT; lie++) {
        struct err err = { 0 };

        journey_go(&journey);
        put(there(&journey, "clean"), "by the agent\n");
        journey_result(&journey);
        make_lie(&journey, (enum lie)lie);
        if (journey_try_apply(&journey, &err) != ERR_FORMAT) fail_msg("%d: %s", lie, err.text);
        assert_false(is_there(at(*state, "files/from")));
    }
    expect_untouched(&journey);
    journey_end(&journey);
}

IN_REPOSITORY(a_result_with_a_bad_tree_is_refused)
{
    struct journey journey;

    journey_begin(&journey, state);
    journey_go(&journey);
    for (size_t i = 0; i < sizeof bad_trees / sizeof *bad_trees; i++) {
        struct err err = { 0 };

        put(there(&journey, "clean"), "by the agent\n");
        journey_result(&journey);
        store_tree(&journey.place.repo, bad_trees[i].entries, journey.made.tree);
        make_lie(&journey, LIE_COUNT); /* no lie but the tree */
        if (journey_try_apply(&journey, &err) != ERR_FORMAT)
            fail_msg("%s: %s", bad_trees[i].why, err.text);
    }
    expect_untouched(&journey);
    journey_end(&journey);
}

IN_REPOSITORY(a_result_that_was_cut_off_is_refused)
{
    struct err err = { 0 };
    struct journey journey;
    struct buf bytes;

    journey_begin(&journey, state);
    journey_go(&journey);
    put(there(&journey, "clean"), "by the agent\n");
    journey_result(&journey);
    bundle_bytes(&journey, "back", &bytes);
    bundle_replace(&journey, "back", (struct str){ bytes.data, bytes.size - 5 });
    assert_int_equal(journey_try_apply(&journey, &err), ERR_FORMAT);
    bundle_replace(&journey, "back", buf_str(&bytes));
    journey_apply(&journey);
    assert_int_equal(journey.applied.changed, 1);
    buf_release(&bytes);
    journey_end(&journey);
}

static void commit_there(const struct journey *journey)
{
    git_in(journey->place.repo.workspace, (const char *const[]){ "git", "add", "--all", NULL });
    git_in(journey->place.repo.workspace,
           (const char *const[]){ "git", "-c", "user.name=x", "-c", "user.email=x", "commit",
                                  "--quiet", "--message=x", NULL });
}

IN_REPOSITORY(a_result_that_changes_what_no_agent_may_is_refused)
{
    static const char *const closed[] = { "guarded/folder", "rules", NULL };
    static const char *const bad[] = { "rules", "rules/below", "guarded/folder", "guarded" };
    struct journey journey;
    struct err err = { 0 };

    journey_begin(&journey, state);
    journey.closed = closed;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        journey_go(&journey);
        put(there(&journey, bad[i]), "by the agent\n");
        journey_result(&journey);
        assert_int_equal(journey_try_apply(&journey, &err), ERR_FORMAT);
        assert_has(err.text, "which no agent may change");
    }
    journey_go(&journey);
    put(there(&journey, "rules2"), "by the agent\n");
    journey_result(&journey);
    assert_int_equal(journey_try_apply(&journey, &err), 0);
    expect_untouched(&journey);
    journey_end(&journey);
}

IN_REPOSITORY(a_commit_that_changes_what_no_agent_may_is_refused)
{
    static const char *const closed[] = { "rules", NULL };
    struct journey journey;
    struct err err = { 0 };

    journey_begin(&journey, state);
    journey.closed = closed;
    journey_go(&journey);
    put(there(&journey, "rules"), "by the agent\n");
    commit_there(&journey);
    assert_int_equal(remove(there(&journey, "rules")), 0); /* the files are as they were */
    journey_result(&journey);
    assert_int_equal(journey_try_apply(&journey, &err), ERR_FORMAT);
    assert_has(err.text, "rules, which no agent may change");
    put(at(*state, "work/rules"), "of the user\n"); /* not committed, when it is sent */
    journey_go(&journey);
    commit_there(&journey);
    journey_result(&journey);
    if (journey_try_apply(&journey, &err) != 0) fail_msg("%s", err.text);
    journey_end(&journey);
}

/* A repository inside the user's tree that did not travel: the agent made files of its name. */
IN_REPOSITORY(nothing_comes_into_a_repository_inside_the_tree)
{
    struct journey journey;

    make_folder(at(*state, "work/nested"));
    git_in(at(*state, "work/nested"), (const char *const[]){ "git", "init", "--quiet", NULL });
    put(at(*state, "work/nested/file"), "of the user\n");
    journey_begin(&journey, state);
    journey_pack(&journey);
    journey_unpack(&journey);
    put(there(&journey, "nested/file"), "by the agent\n");
    put(there(&journey, "nested/hooks/x"), "by the agent\n");
    journey_return(&journey);
    expect_content(at(*state, "work/nested/file"), "of the user\n");
    assert_false(is_there(at(*state, "work/nested/hooks")));
    assert_has(buf_cstr(&journey.applied.notes), "nested/file is in a repository of its own");
    journey_end(&journey);
}

/* ---- what an agent left for the next one ---- */

/* All that git would run or believe. RAN is a path outside: what runs makes it. */
static const char traps[] =
    "evil=$(echo evil | git hash-object -w --stdin) && old=$(git rev-parse HEAD:clean)\n"
    "echo \"exec touch $RAN\" >run && chmod +x run\n"
    "here=$PWD\n"
    "for hook in post-checkout pre-commit post-index-change reference-transaction fsmonitor; do\n"
    "    mkdir -p .git/hooks && cp run .git/hooks/$hook\n"
    "done\n"
    "git replace $old $evil\n"
    "git update-ref refs/heads/other HEAD && git update-ref refs/hone/has/x HEAD\n"
    "git update-ref refs/remotes/origin/main HEAD && git tag evil && git pack-refs --all\n"
    "git update-ref refs/replace/$evil $old\n"
    "git update-index --assume-unchanged clean && git update-index --skip-worktree other\n"
    "git update-index --untracked-cache --split-index 2>/dev/null\n"
    "for key in core.hooksPath=.git/hooks core.fsmonitor=$here/run core.sshCommand=$here/run \\\n"
    "    core.pager=$here/run core.editor=$here/run core.attributesFile=$here/attributes \\\n"
    "    core.excludesFile=$here/excludes core.alternateRefsCommand=$here/run \\\n"
    "    diff.external=$here/run \\\n"
    "    filter.x.clean=$here/run filter.x.smudge=$here/run filter.x.process=$here/run \\\n"
    "    filter.x.required=true merge.x.driver=$here/run diff.x.textconv=$here/run \\\n"
    "    credential.helper=$here/run gpg.program=$here/run include.path=$here/config \\\n"
    "    uploadpack.packObjectsHook=$here/run extensions.worktreeConfig=true \\\n"
    "    submodule.sub.update=!$here/run submodule.sub.active=true core.sparseCheckout=true \\\n"
    "    core.splitIndex=true remote.origin.url=ext::$here/run core.worktree=/; do\n"
    "    git config --file .git/config \"${key%%=*}\" \"${key#*=}\"\n"
    "done\n"
    "cp .git/config .git/config.worktree\n"
    "echo '* filter=x diff=x merge=x' | tee .gitattributes attributes >.git/info/attributes\n"
    "echo '*' | tee excludes >.git/info/exclude; echo '/other' >.git/info/sparse-checkout\n"
    "git -c core.worktree=$here rev-parse HEAD >.git/shallow 2>/dev/null\n"
    "mkdir -p elsewhere/objects && echo $here/elsewhere/objects >.git/objects/info/alternates\n"
    "echo /evil >.git/objects/info/http-alternates; echo $here/elsewhere >.git/commondir\n"
    "mkdir -p .git/worktrees/x .git/modules/sub && cp .git/config .git/modules/sub/\n"
    "echo $here/elsewhere/.git >.git/worktrees/x/gitdir\n"
    "printf '[submodule \"sub\"]\\n\\tpath = sub\\n\\turl = ext::touch\\n' >.gitmodules\n"
    "mkdir -p nested ignored.o && cp -r .git nested/.git && cp -r .git ignored.o/.git\n"
    "rm -f .git/HEAD && ln -s $here/run .git/HEAD; : >.git/index.lock; : >.git/shallow.lock\n"
    "mkfifo .git/pipe .git/info/pipe; ln -s / root; mkdir -p deep/d/d/d; chmod 0 .git/info\n"
    "[ -z \"$WORSE\" ] || { mkfifo sub/pipe; chmod 0 deep/d; }\n";

/* The git folder of a place, but for times in its index. */
static char *git_picture(struct journey *journey)
{
    char *folder;

    assert_int_equal(unlink(there(journey, ".git/index")), 0);
    folder = picture(there(journey, ".git"));
    return folder;
}

/* worse: some of it no git takes away. */
static void try_traps(struct journey *journey, bool worse)
{
    const struct ground *ground = journey->ground;
    struct travel_file none = { .name = NULL };
    struct err err = { 0 };
    struct travel_made made;
    uint64_t bytes;

    journey_go(journey);
    put(at(ground, "traps"), traps);
    setenv("RAN", at(ground, "ran"), 1);
    if (worse) setenv("WORSE", "yes", 1);
    (void)run_in(journey->place.repo.workspace,
                 (const char *const[]){ "sh", at(ground, "traps"), NULL });
    unsetenv("RAN");
    unsetenv("WORSE");
    assert_true(is_there(there(journey, "root"))); /* the script came to its end */
    (void)unlink(at(ground, "ran")); /* by the agent's own calls of git */
    (void)travel_result(&journey->place, &none, &made, &bytes, &err);
    assert_false(is_there(at(ground, "ran")));
}

static void expect_as_new(struct journey *journey)
{
    const struct ground *ground = journey->ground;
    const char *const work = journey->place.repo.workspace;
    char *warm, *cold;

    expect_same(journey->repo.workspace, work);
    git_in(work, (const char *const[]){ "git", "fsck", "--strict", NULL });
    expect_git_agrees(journey, (const char *const[]){ "git", "status", "--porcelain", NULL });
    expect_git_agrees(journey, (const char *const[]){ "git", "cat-file", "-p", "HEAD:clean",
                                                      NULL });
    assert_false(is_there(at(ground, "ran")));
    warm = git_picture(journey);
    snprintf(journey->store_path, sizeof journey->store_path, "%s", at(ground, "store-2"));
    journey_unpack(journey);
    cold = git_picture(journey);
    assert_string_equal(warm, cold);
    free(warm);
    free(cold);
}

IN_REPOSITORY(whatever_an_agent_left_another_run_begins_as_with_a_new_tree)
{
    struct journey journey;

    put(at(*state, "work/.gitignore"), "*.o\n");
    commit_all(*state);
    journey_begin(&journey, state);
    try_traps(&journey, false);
    journey.run = "run-2";
    journey_unpack(&journey);
    assert_true(journey.place.warm);
    expect_as_new(&journey);
    journey_end(&journey);
}

/* Ignored files stay in the same run; the git folder does not. */
IN_REPOSITORY(whatever_an_agent_left_the_same_run_has_a_new_git_folder)
{
    struct journey journey;

    put(at(*state, "work/.gitignore"), "*.o\n");
    commit_all(*state);
    journey_begin(&journey, state);
    try_traps(&journey, false);
    journey_unpack(&journey);
    assert_true(journey.place.warm);
    assert_true(is_there(there(&journey, "ignored.o")));
    remove_all(there(&journey, "ignored.o"));
    expect_as_new(&journey);
    journey_end(&journey);
}

IN_REPOSITORY(what_git_cannot_take_away_makes_all_of_it_new)
{
    struct journey journey;

    put(at(*state, "work/.gitignore"), "*.o\n");
    commit_all(*state);
    journey_begin(&journey, state);
    try_traps(&journey, true);
    journey.run = "run-2";
    journey_unpack(&journey);
    expect_as_new(&journey);
    journey_end(&journey);
}

/* ---- few bytes that are very many ---- */

/* A tree in which each folder has ten entries, all of them the folder below: 10 to the power of
 * depth files, of a few objects. */
static void store_bomb(const struct repo *repo, int depth, char out[OID_BYTES])
{
    store_object(repo, "blob", STR("x\n"), out);
    for (int level = 0; level < depth; level++) {
        struct buf tree;

        buf_init(&tree, TREE_BYTES_MAX);
        for (char name[] = "0"; name[0] <= '9'; name[0]++)
            add_entry(&tree, level == 0 ? "100644" : "40000", name, out);
        store_object(repo, "tree", buf_str(&tree), out);
        buf_release(&tree);
    }
}

/* HEAD's commit has that tree; the snapshot's is the work tree's, as if all were deleted there. */
IN_REPOSITORY(a_commit_of_very_many_files_is_refused)
{
    enum { DEPTH = 9 };
    struct journey journey;
    struct err err = { 0 };
    char tree[OID_BYTES], commit[OID_BYTES];

    journey_begin(&journey, state);
    store_bomb(&journey.repo, DEPTH, tree);
    store_object(&journey.repo, "commit",
                 str_of(arena_printf(&journey.place.arena,
                                     "tree %s\nauthor x <x@x> 0 +0000\ncommitter x <x@x> 0 +0000\n"
                                     "\nx\n", tree)), commit);
    journey_pack(&journey);
    memcpy(journey.packed.ids.head, commit, OID_BYTES);
    journey.store.tree_files_max = 1000;
    pack_tree(&journey, (const struct evil_entry[]){ { "100644", "a", "x\n" }, { .mode = NULL } },
              false);
    assert_int_equal(journey_try_unpack(&journey, &err), ERR_LIMIT);
    assert_false(is_there(at(*state, "store/abc/places")));
    journey_end(&journey);
}

/* An object that says it has 8 GiB: memory for it is not asked for. */
IN_REPOSITORY(an_object_of_absurd_size_is_refused)
{
    static const char object[] = "\xa0\x80\x80\x80\x80\x04" /* a tree, 8 GiB */
                                 "\x78\x9c\x03\x00\x00\x00\x00\x01";
    struct journey journey;
    struct buf bytes;
    char *where;

    journey_begin(&journey, state);
    journey_pack(&journey);
    bundle_bytes(&journey, "out", &bytes);
    where = memmem(bytes.data, bytes.size, "PACK", 4);
    memcpy(where + 12, object, sizeof object - 1);
    bundle_replace(&journey, "out", buf_str(&bytes));
    expect_refused(&journey, ERR_FORMAT, "attempting to allocate");
    buf_release(&bytes);
    journey_end(&journey);
}

/* ---- what a store holds ---- */

/* Packs and files of the store: six million bytes for this work tree. */
IN_REPOSITORY(a_store_that_is_full_drops_what_is_not_in_use_and_refuses_else)
{
    static const char *const fill[] = { "sh", "-c", "head -c 3000000 /dev/urandom >data", NULL };
    struct journey journey;
    struct err err = { 0 };
    struct travel_place held;
    struct travel_unpack other;

    journey_begin(&journey, state);
    journey.store.bytes_max = 11000000;
    assert_int_equal(run_in(at(*state, "work"), fill), 0);
    journey_go(&journey);
    held = journey.place;
    journey.place = (struct travel_place){ .lock = { .fd = -1 } };
    assert_int_equal(run_in(at(*state, "work"), fill), 0);
    journey_pack(&journey);
    assert_int_equal(journey_try_unpack(&journey, &err), ERR_BUSY); /* it takes a second place */
    assert_has(err.text, "there is no room for");
    expect_content(at(*state, "store/abc/places/1/work/clean"), "clean\n");
    other = (struct travel_unpack){ .store = &journey.store, .repository = "other", .run = "run-1",
                                    .ids = &journey.packed.ids,
                                    .bundle = at(*state, "files/out") };
    assert_int_equal(travel_unpack(&other, &journey.place, &err), ERR_BUSY);
    travel_leave(&held);
    if (travel_unpack(&other, &journey.place, &err) != 0) fail_msg("%s", err.text);
    assert_false(is_there(at(*state, "store/abc")));
    expect_same(journey.repo.workspace, journey.place.repo.workspace);
    journey_end(&journey);
}
