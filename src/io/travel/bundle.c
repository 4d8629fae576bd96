/* SPDX-License-Identifier: Apache-2.0
 *
 * bundle.c - the file that travels: a few lines, then a pack.
 *
 *   # v2 git bundle            or "# v3 git bundle" and "@object-format=sha256"
 *   -COMMIT                    needed: the other side has it
 *   COMMIT refs/hone/NAME      a tip, by its name; shallow-N: history ends at that commit
 *
 *   PACK...
 *
 * So git itself can read it (git bundle verify). It is written and read here, since `git bundle`
 * wants refs, and the user's are not touched: not by a name for a moment either.
 *
 * From the other side it is judged in this order, and what does not hold refuses all of it:
 *
 *     its length                       against a bound, before it is opened
 *     its lines                        only the names above, each once; ids are ids
 *     the number of objects promised   against the length: each takes ten bytes at least
 *     each object                      git index-pack, with all that fsck looks for: names such as
 *                                      .git, .. and a/b, links in the place of .gitmodules, trees
 *                                      out of order. A hash that does not match, a file cut off
 *     what the tips reach              git rev-list: all of it must be there
 *
 * 1. A pack is installed by git under its last name when all of it was read. Where the tips do not
 *    hold afterwards it is removed again. A small one that holds becomes loose objects: each git
 *    looks through all packs that are there, and an attempt brings one.
 * 2. What git wrote wrongly long ago and does no harm (a time zone of five digits) passes.
 * 3. Nothing is fetched, and no ref is written. */
#include "io/travel/bundle.h"

#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/file/walk.h"
#include "io/process/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_BYTES_MAX = 256, SAID_BYTES_MAX = 1 << 20, LINES_BYTES_MAX = 1 << 20,
       PACK_HEAD_BYTES = 12, OBJECT_BYTES_MIN = 9, HALF_MS_MAX = 60 * 60 * 1000,
       LOOSE_MAX = 100 /* objects; as git's own transfer.unpackLimit */ };

static const char *const tip_names[BUNDLE_TIP_COUNT] = {
    [BUNDLE_HEAD] = "refs/hone/head",         [BUNDLE_SINCE] = "refs/hone/since",
    [BUNDLE_SNAPSHOT] = "refs/hone/snapshot", [BUNDLE_CARRY] = "refs/hone/carry",
    [BUNDLE_MADE] = "refs/hone/made",
};
static const char shallow_name[] = "refs/hone/shallow-";

static void list_add(struct arena *arena, const char ***list, uint32_t *count, uint32_t *cap,
                     const char *commit)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (strcmp((*list)[i], commit) == 0) return;
    }
    *list = arena_grow(arena, *list, *count, cap, sizeof **list);
    (*list)[(*count)++] = arena_cstr(arena, str_of(commit));
}

void bundle_need(struct bundle *bundle, const char *commit)
{
    list_add(&bundle->arena, &bundle->needs, &bundle->need_count, &bundle->need_cap, commit);
}

void bundle_add_shallow(struct bundle *bundle, const char *commit)
{
    list_add(&bundle->arena, &bundle->shallow, &bundle->shallow_count, &bundle->shallow_cap,
             commit);
}

/* ---- writing ---- */

static void write_lines(const struct bundle *bundle, struct buf *out)
{
    buf_text(out, bundle->sha256 ? "# v3 git bundle\n@object-format=sha256\n"
                                 : "# v2 git bundle\n");
    for (uint32_t i = 0; i < bundle->need_count; i++) buf_printf(out, "-%s\n", bundle->needs[i]);
    for (int i = 0; i < BUNDLE_TIP_COUNT; i++) {
        if (bundle->tips[i][0]) buf_printf(out, "%s %s\n", bundle->tips[i], tip_names[i]);
    }
    for (uint32_t i = 0; i < bundle->shallow_count; i++)
        buf_printf(out, "%s %s%u\n", bundle->shallow[i], shallow_name, (unsigned)i + 1);
    buf_byte(out, '\n');
}

static int write_pack(const struct repo *repo, const struct bundle *bundle, int fd,
                      uint64_t bytes_max, uint64_t *bytes, struct err *err)
{
    static const char *const args[] = { "pack-objects", "--revs", "--thin", "--stdout", "--quiet",
                                        "--delta-base-offset", NULL };
    struct helper_sink sink = { .fd = fd };
    struct git_raw raw = { .args = args, .own = true, .sink = &sink };
    struct buf head, tips;
    int problem, rc;

    buf_init(&head, LINES_BYTES_MAX);
    buf_init(&tips, LINES_BYTES_MAX);
    write_lines(bundle, &head);
    for (int i = 0; i < BUNDLE_TIP_COUNT; i++) {
        if (bundle->tips[i][0]) buf_printf(&tips, "%s\n", bundle->tips[i]);
    }
    for (uint32_t i = 0; i < bundle->need_count; i++) buf_printf(&tips, "^%s\n", bundle->needs[i]);
    raw.input = buf_str(&tips);
    sink.bytes_max = bytes_max > head.size ? bytes_max - head.size : 0;
    rc = head.overflow || tips.overflow ? err_set(err, ERR_LIMIT, "it names too many commits") : 0;
    problem = rc == 0 ? write_full(fd, buf_str(&head)) : 0;
    if (problem != 0) rc = err_system(err, problem, "write");
    if (rc == 0) rc = repo_git_raw(repo, &raw, NULL, err);
    *bytes = head.size + sink.bytes;
    buf_release(&head);
    buf_release(&tips);
    return rc;
}

int bundle_write(const struct repo *repo, const struct bundle *bundle,
                 const struct travel_file *file, uint64_t *bytes, struct err *err)
{
    char name[NAME_MAX + 1];
    int folder_fd = -1, fd = -1;
    int rc = folder_open(file->folder, &folder_fd, err);

    temp_name(file->name, name);
    if (rc == 0 && unlinkat(folder_fd, name, 0) != 0 && errno != ENOENT)
        rc = err_system(err, errno, "replace %s", name);
    if (rc == 0) {
        fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0) rc = err_system(err, errno, "make %s", name);
    }
    if (rc == 0) rc = write_pack(repo, bundle, fd, file->bytes_max, bytes, err);
    if (fd >= 0 && close(fd) != 0 && rc == 0) rc = err_system(err, errno, "write %s", name);
    if (rc == 0 && renameat(folder_fd, name, folder_fd, file->name) != 0)
        rc = err_system(err, errno, "name %s", file->name);
    if (rc != 0 && fd >= 0) (void)unlinkat(folder_fd, name, 0);
    if (folder_fd >= 0) close(folder_fd);
    return rc == 0 ? 0 : err_wrap(err, "write the bundle %s/%s", file->folder, file->name);
}

/* ---- reading ---- */

static bool read_tip(struct bundle *bundle, struct str oid, struct str name)
{
    for (int i = 0; i < BUNDLE_TIP_COUNT; i++) {
        if (!str_is(name, tip_names[i])) continue;
        return !bundle->tips[i][0] && oid_parse(oid, bundle->tips[i]) && bundle->tips[i][0];
    }
    if (!str_starts(name, str_of(shallow_name)) || bundle->shallow_count == BUNDLE_SHALLOW_MAX)
        return false;
    bundle_add_shallow(bundle, arena_cstr(&bundle->arena, oid));
    return true;
}

static bool read_line(struct bundle *bundle, struct str line)
{
    bool need = str_starts(line, STR("-"));
    struct str oid;

    if (need) line = str_skip(line, 1);
    if (line.size > LINE_BYTES_MAX || !str_cut(&line, ' ', &oid)) return false;
    if (!oid_is_valid(oid) || oid.size != (bundle->sha256 ? 64 : 40)) return false;
    if (!need) return read_tip(bundle, oid, line);
    if (bundle->need_count == TRAVEL_KNOWN_MAX) return false;
    bundle_need(bundle, arena_cstr(&bundle->arena, oid));
    return true; /* what git writes behind it is for people */
}

static uint64_t big_endian(const char *at)
{
    const unsigned char *bytes = (const unsigned char *)at;

    return (uint64_t)bytes[0] << 24 | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 8 | bytes[3];
}

static uint64_t object_count(struct str pack)
{
    return big_endian(pack.data + 8);
}

static int read_text(struct bundle *bundle, struct str text, struct err *err)
{
    struct str line = STR("");
    bool good = str_cut(&text, '\n', &line);

    bundle->sha256 = str_is(line, "# v3 git bundle");
    good = good && (bundle->sha256 || str_is(line, "# v2 git bundle"));
    if (good && bundle->sha256)
        good = str_cut(&text, '\n', &line) && str_is(line, "@object-format=sha256");
    while (good && str_cut(&text, '\n', &line) && line.size > 0) good = read_line(bundle, line);
    if (!good || line.size > 0) return err_set(err, ERR_FORMAT, "it is no bundle of hone's");
    if (text.size < PACK_HEAD_BYTES || !str_starts(text, STR("PACK")))
        return err_set(err, ERR_FORMAT, "it is cut off");
    if (object_count(text) > text.size / OBJECT_BYTES_MIN)
        return err_set(err, ERR_FORMAT, "it promises %" PRIu64 " objects in %zu bytes",
                       object_count(text), text.size);
    bundle->pack = text;
    return 0;
}

static int map_file(struct bundle *bundle, const char *path, uint64_t bytes_max, struct err *err)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    int rc = 0;

    if (fd < 0 || fstat(fd, &st) != 0) rc = err_system(err, errno, "open");
    else if (!S_ISREG(st.st_mode)) rc = err_set(err, ERR_FORMAT, "it is not a regular file");
    else if ((uint64_t)st.st_size > bytes_max)
        rc = err_set(err, ERR_LIMIT, "it has %" PRIu64 " bytes, more than the %" PRIu64
                     " that are accepted", (uint64_t)st.st_size, bytes_max);
    else if (st.st_size == 0) rc = err_set(err, ERR_FORMAT, "it is empty");
    if (rc == 0) {
        bundle->map_bytes = (size_t)st.st_size;
        bundle->map = mmap(NULL, bundle->map_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bundle->map == MAP_FAILED) {
            bundle->map = NULL;
            rc = err_system(err, errno, "read");
        }
    }
    if (fd >= 0) close(fd);
    return rc;
}

int bundle_open(struct bundle *bundle, const char *path, uint64_t bytes_max, struct err *err)
{
    int rc;

    *bundle = (struct bundle){ .sha256 = false };
    rc = map_file(bundle, path, bytes_max, err);
    if (rc == 0) rc = read_text(bundle, (struct str){ bundle->map, bundle->map_bytes }, err);
    if (rc == 0) return 0;
    bundle_release(bundle);
    return err_wrap(err, "the bundle %s", path);
}

void bundle_release(struct bundle *bundle)
{
    if (bundle->map) munmap(bundle->map, bundle->map_bytes);
    arena_release(&bundle->arena);
    *bundle = (struct bundle){ .sha256 = false };
}

/* ---- taking it in ---- */

static int check_needs(const struct bundle_place *place, const struct bundle *bundle,
                       struct err *err)
{
    static const char *const args[] = { "cat-file", "--batch-check=%(objecttype)", NULL };
    struct git_raw raw = { .args = args, .own = place->own };
    struct buf names, said;
    struct str rest, line;
    int rc;

    if (bundle->need_count == 0) return 0;
    buf_init(&names, LINES_BYTES_MAX);
    buf_init(&said, LINES_BYTES_MAX);
    for (uint32_t i = 0; i < bundle->need_count; i++)
        buf_printf(&names, "%s\n", bundle->needs[i]);
    raw.input = buf_str(&names);
    rc = repo_git_raw(place->repo, &raw, &said, err);
    rest = buf_str(&said);
    for (uint32_t i = 0; rc == 0 && i < bundle->need_count; i++) {
        if (str_cut(&rest, '\n', &line) && str_is(line, "commit")) continue;
        rc = err_set(err, ERR_MISSING, "it stands on the commit %.12s, which is not here",
                     bundle->needs[i]);
    }
    buf_release(&names);
    buf_release(&said);
    return rc;
}

/* The last word of what index-pack says: "pack HASH". */
static const char *pack_hash(struct str said, struct arena *arena)
{
    struct str word = STR("");

    said = str_trim(said);
    while (str_cut(&said, '\t', &word)) {}
    return oid_is_valid(word) ? arena_cstr(arena, word) : NULL;
}

static const char *pack_folder(const struct bundle_place *place, struct arena *arena)
{
    return place->own ? arena_printf(arena, "%s/objects/pack", place->repo->hone_dir)
                      : arena_printf(arena, "%s/objects/pack", place->repo->common_dir);
}

static void pack_remove(const struct bundle_place *place, const char *hash)
{
    static const char *const ends[] = { "idx", "rev", "pack" };
    struct arena arena = { 0 };
    const char *folder = pack_folder(place, &arena);

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        (void)unlink(arena_printf(&arena, "%s/pack-%s.%s", folder, hash, ends[i]));
    arena_release(&arena);
}

/* git leaves what it had read of a pack that it refuses. Another call may be at work beside us: its
 * own is not as old as a call may get. */
static void halves_remove(const struct bundle_place *place)
{
    struct arena arena = { 0 };
    const char *folder = pack_folder(place, &arena);
    const char *const *names = folder_names(folder, "tmp_", &arena);
    uint64_t now = now_wall_ms();
    struct stat st;

    for (; names && *names; names++) {
        const char *path = arena_printf(&arena, "%s/%s", folder, *names);

        if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode)) continue;
        if (place->alone || (uint64_t)st.st_mtim.tv_sec * 1000 + HALF_MS_MAX < now)
            (void)unlink(path);
    }
    arena_release(&arena);
}

/* All that the tips reach must be there. */
static int check_reach(const struct bundle_place *place, const struct bundle *bundle,
                       struct err *err)
{
    struct git_raw raw = { .own = place->own };
    struct arena arena = { 0 };
    const char **args = NULL;
    uint32_t count = 0, cap = 0;
    struct buf said;
    int rc;

    for (int i = -3; i < BUNDLE_TIP_COUNT; i++) {
        static const char *const words[] = { "rev-list", "--objects", "--quiet" };

        if (i >= 0 && !bundle->tips[i][0]) continue;
        args = arena_grow(&arena, args, count, &cap, sizeof *args);
        args[count++] = i < 0 ? words[i + 3] : bundle->tips[i];
    }
    args = arena_grow(&arena, args, count, &cap, sizeof *args);
    args[count++] = "--not";
    for (uint32_t i = 0; place->trusted ? place->trusted[i] != NULL : i < 1; i++) {
        args = arena_grow(&arena, args, count, &cap, sizeof *args);
        args[count++] = place->trusted ? place->trusted[i] : "--all";
    }
    args = arena_grow(&arena, args, count, &cap, sizeof *args);
    args[count] = NULL;
    raw.args = args;
    buf_init(&said, SAID_BYTES_MAX);
    rc = repo_git_raw(place->repo, &raw, &said, err);
    if (rc == ERR_FAILED) {
        err_wrap(err, "it lacks what it names");
        rc = (int)(err->code = ERR_FORMAT);
    }
    buf_release(&said);
    arena_release(&arena);
    return rc;
}

/* What old histories have; it does no harm. */
static const char strictly[] =
    "--strict=zeroPaddedFilemode=ignore,badTimezone=ignore,badDate=ignore,badDateOverflow=ignore,"
    "missingEmail=ignore,missingNameBeforeEmail=ignore,missingSpaceBeforeDate=ignore,"
    "missingSpaceBeforeEmail=ignore,badName=ignore,badEmail=ignore,zeroPaddedDate=ignore,"
    "missingTaggerEntry=ignore,badTagName=ignore,nulInCommit=ignore,multipleAuthors=ignore,"
    "badFilemode=ignore";

/* Of a pack that holds. Killed in between, it is as if the bundle had not come. */
static int pack_loosen(const struct bundle_place *place, const struct bundle *bundle,
                       const char *hash, struct err *err)
{
    static const char *const args[] = { "-c", "core.fsync=loose-object", "-c",
                                        "core.fsyncMethod=batch", "unpack-objects", "-q", NULL };
    struct git_raw raw = { .args = args, .own = place->own, .input = bundle->pack };
    struct buf said;
    int rc;

    pack_remove(place, hash); /* what is in a pack is not written again */
    buf_init(&said, SAID_BYTES_MAX);
    rc = repo_git_raw(place->repo, &raw, &said, err);
    buf_release(&said);
    return rc;
}

int bundle_take_in(const struct bundle_place *place, const struct bundle *bundle, struct err *err)
{
    bool small = object_count(bundle->pack) <= LOOSE_MAX;
    struct arena arena = { 0 };
    /* Links between objects cannot be followed where parents are nowhere. */
    const char *const args[] = { "-c", "core.fsync=none", "index-pack", "--stdin", "--fix-thin",
                                 bundle->shallow_count ? "--fsck-objects" : strictly,
                                 arena_printf(&arena, "--max-input-size=%" PRIu64,
                                              place->bytes_max), NULL };
    struct git_raw raw = { .args = small ? args : args + 2, .own = place->own,
                           .input = bundle->pack };
    const char *hash = NULL;
    struct buf said;
    int rc = check_needs(place, bundle, err);

    buf_init(&said, SAID_BYTES_MAX);
    if (rc == 0) {
        rc = repo_git_raw(place->repo, &raw, &said, err);
        hash = rc == 0 ? pack_hash(buf_str(&said), &arena) : NULL;
        if (rc == 0 && !hash) rc = err_set(err, ERR_FORMAT, "git index-pack named no pack");
        else if (rc == ERR_FAILED) rc = (int)(err->code = ERR_FORMAT);
    }
    if (rc == 0) rc = check_reach(place, bundle, err);
    if (rc != 0 && hash) pack_remove(place, hash);
    if (rc != 0) halves_remove(place);
    if (rc == 0 && small) rc = pack_loosen(place, bundle, hash, err);
    buf_release(&said);
    arena_release(&arena);
    return rc == 0 ? 0 : err_wrap(err, "take in a bundle");
}
