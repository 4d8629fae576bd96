/* SPDX-License-Identifier: Apache-2.0
 *
 * test_fleet_lines.c - what machines of a fleet say to each other: base64, names, blobs in pieces,
 * lines, jobs and results; what is refused, and that what is written is read back. */
#include "base/base64.h"
#include "format/fleet/fleet_job.h"
#include "format/fleet/fleet_line.h"
#include "format/fleet/fleet_swap.h"

#include "test.h"

#include <string.h>

/* ---- base64 ---- */

static void letters_are(const char *bytes, const char *letters)
{
    struct buf out, back;

    buf_init(&out, 64);
    buf_init(&back, strlen(bytes)); /* not one byte more is needed */
    assert_int_equal(base64_write(str_of(bytes), &out), 0);
    assert_string_equal(buf_cstr(&out), letters);
    assert_int_equal(base64_letters(strlen(bytes)), strlen(letters));
    assert_int_equal(base64_read(str_of(letters), &back), 0);
    assert_string_equal(buf_cstr(&back), bytes);
    buf_release(&out);
    buf_release(&back);
}

TEST(bytes_are_letters)
{
    letters_are("", "");
    letters_are("f", "Zg==");
    letters_are("fo", "Zm8=");
    letters_are("foo", "Zm9v");
    letters_are("foob", "Zm9vYg==");
    letters_are("\xff\xfe\xfb?>", "//77Pz4=");
}

TEST(letters_that_nobody_writes_are_refused)
{
    static const char *const bad[] = { "Zg", "Zg=", "Zh==", "Zm9=", "=g==", "Zg==Zg==", "Zm9v\n",
                                       "Zm 9", "Zm9-", "====", "Z===", "Zm9v=" };
    struct buf out;

    buf_init(&out, 64);
    buf_text(&out, "x");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (base64_read(str_of(bad[i]), &out) != ERR_FORMAT) fail_msg("%s", bad[i]);
        assert_string_equal(buf_cstr(&out), "x");
    }
    buf_release(&out);
}

/* ---- names ---- */

TEST(names_are_words)
{
    assert_true(fleet_name_is(str_of("pool-1_A")));
    assert_false(fleet_name_is(str_of("")));
    assert_false(fleet_name_is(str_of("-x")));
    assert_false(fleet_name_is(str_of("a.b")));
    assert_false(fleet_name_is(str_of("a/b")));
    assert_false(fleet_name_is(str_of("a*")));
    assert_false(fleet_name_is((struct str){ "a\0b", 3 }));
}

TEST(keys_have_one_text)
{
    static const char *const bad[] = { "r.1", "r.1.2.3", ".1.2", "r..2", "r.01.2", "r.1.+2",
                                       "r.1.4294967296", "r.1. 2", "a/b.1.2", "..1.2", "r.1.2 " };
    struct fleet_key key;
    char text[FLEET_KEY_BYTES];

    assert_true(fleet_key_read(str_of("r-7.0.4294967295"), &key));
    assert_int_equal(key.attempt, UINT32_MAX);
    assert_string_equal(fleet_key_write(&key, text), "r-7.0.4294967295");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (fleet_key_is(str_of(bad[i]))) fail_msg("%s", bad[i]);
    }
}

TEST(paths_stay_in_the_work_tree_and_out_of_git)
{
    assert_true(fleet_path_is(str_of("a/b.c")));
    assert_true(fleet_path_is(str_of(".gitignore")));
    assert_false(fleet_path_is(str_of("../a")));
    assert_false(fleet_path_is(str_of("/a")));
    assert_false(fleet_path_is(str_of("a/.GIT/config")));
    assert_false(fleet_path_is(str_of(".git")));
    assert_false(fleet_path_is(str_of("a//b")));
    assert_false(fleet_path_is(str_of("")));
}

/* ---- blobs ---- */

/* sha256 of "abc" */
#define ABC "sha256-ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static int blob_step(struct blob_gather *gather, uint64_t bytes, uint64_t at, const char *data,
                     struct err *err)
{
    struct blob_piece piece = { STR(ABC), bytes, at, str_of(data) };

    return blob_take(gather, &piece, 1000, err);
}

TEST(a_blob_is_whole_when_its_bytes_are_those_of_its_name)
{
    struct blob_gather gather;
    struct err err;

    assert_int_equal(blob_gather_init(&gather, STR(ABC), &err), 0);
    assert_int_equal(blob_step(&gather, 3, 0, "a", &err), 0);
    assert_false(gather.whole);
    assert_int_equal(blob_step(&gather, 3, 1, "bc", &err), 0);
    assert_true(gather.whole);
    assert_int_equal(blob_step(&gather, 3, 0, "abc", &err), 0); /* once more, from its beginning */
    assert_true(gather.whole);
}

TEST(a_blob_that_is_none_is_refused)
{
    struct blob_gather gather;
    struct err err;

    assert_int_equal(blob_gather_init(&gather, STR("sha256-12"), &err), ERR_FORMAT);
    assert_int_equal(blob_gather_init(&gather, STR(ABC), &err), 0);
    assert_int_equal(blob_step(&gather, 3, 0, "abd", &err), ERR_FORMAT);
    assert_string_equal(err.text,
                        "blob sha256-ba7816bf8f01c...: its bytes are others than its id says");
    assert_false(gather.whole);
    assert_int_equal(blob_step(&gather, 3, 1, "bc", &err), ERR_FORMAT); /* its beginning is void */
    assert_int_equal(blob_step(&gather, 3, 0, "a", &err), 0);
    assert_int_equal(blob_step(&gather, 3, 2, "c", &err), ERR_FORMAT);
    assert_int_equal(blob_step(&gather, 3, 0, "a", &err), 0);
    assert_int_equal(blob_step(&gather, 4, 1, "bc", &err), ERR_FORMAT);
    assert_int_equal(blob_step(&gather, 3, 0, "", &err), ERR_FORMAT);
    assert_int_equal(blob_step(&gather, 3, 0, "abcd", &err), ERR_FORMAT);
    assert_int_equal(blob_step(&gather, UINT64_MAX, UINT64_MAX, "a", &err), ERR_FORMAT);
    assert_int_equal(blob_step(&gather, 1001, 0, "a", &err), ERR_LIMIT);
    assert_false(gather.whole);
}

TEST(an_empty_blob_is_one_empty_piece)
{
    static const struct str id =
        STR("sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    struct blob_gather gather;
    struct err err;

    assert_int_equal(blob_gather_init(&gather, id, &err), 0);
    assert_int_equal(blob_take(&gather, &(struct blob_piece){ .id = id }, 10, &err), 0);
    assert_true(gather.whole);
}

/* ---- lines ---- */

static void line_is_read(const char *text, enum fleet_side from, enum fleet_kind kind)
{
    struct arena arena = { 0 };
    struct fleet_line line, back;
    struct err err = { 0 };
    struct buf out, again;

    buf_init(&out, FLEET_LINE_BYTES_MAX + 1);
    buf_init(&again, FLEET_LINE_BYTES_MAX + 1);
    if (fleet_line_read(str_of(text), from, &arena, &line, &err) != 0) {
        fail_msg("%s: %s", text, err.text);
    }
    assert_int_equal(line.kind, kind);
    if (kind != FLEET_UNKNOWN) {
        assert_int_equal(fleet_line_write(&line, &out), 0);
        assert_int_equal(fleet_line_read(str_trim(buf_str(&out)), from, &arena, &back, &err), 0);
        assert_int_equal(fleet_line_write(&back, &again), 0);
        assert_string_equal(buf_cstr(&out), buf_cstr(&again));
    }
    buf_release(&out);
    buf_release(&again);
    arena_release(&arena);
}

TEST(lines_of_all_sides)
{
    line_is_read("{\"m\":\"hello\",\"v\":1,\"version\":\"1.2\",\"run\":\"r\",\"epoch\":7,"
                 "\"host\":\"h\",\"lease_ms\":1000}", FLEET_DRIVER, FLEET_HELLO);
    line_is_read("{\"m\":\"hello\",\"v\":1,\"version\":\"1.2\",\"worker\":\"w\",\"pool\":\"p\","
                 "\"labels\":{\"gpu\":\"yes\"},\"slots\":2}", FLEET_WORKER, FLEET_HELLO);
    line_is_read("{\"m\":\"hello\",\"v\":9,\"version\":\"9\",\"run\":[]}", FLEET_DRIVER,
                 FLEET_HELLO);
    line_is_read("{\"m\":\"blob\",\"id\":\"" ABC "\",\"bytes\":3,\"at\":0,\"data\":\"YWJj\"}",
                 FLEET_TO_WORKER, FLEET_BLOB);
    line_is_read("{\"m\":\"job\",\"k\":\"r.1.1\",\"pool\":\"p\",\"job\":{\"a\":[1]}}", FLEET_DRIVER,
                 FLEET_JOB);
    line_is_read("{\"m\":\"ended\",\"k\":\"r.1.1\",\"result\":{}}", FLEET_WORKER, FLEET_ENDED);
    line_is_read("{\"m\":\"stop\",\"k\":\"r.1.1\",\"why\":\"orphan\"}", FLEET_TO_WORKER,
                 FLEET_STOP);
    line_is_read("{\"m\":\"stop\",\"k\":\"r.1.1\"}", FLEET_DRIVER, FLEET_STOP);
    line_is_read("{\"m\":\"beat\",\"k\":[\"r.1.1\",\"r.2.1\"]}", FLEET_WORKER, FLEET_BEAT);
    line_is_read("{\"m\":\"beat\"}", FLEET_TO_DRIVER, FLEET_BEAT);
    line_is_read("{\"m\":\"known\",\"k\":\"r.1.1\",\"state\":\"taken\"}", FLEET_TO_DRIVER,
                 FLEET_KNOWN);
    line_is_read("{\"m\":\"workers\",\"workers\":[{\"id\":\"w\",\"pool\":\"p\",\"slots\":2,"
                 "\"labels\":{\"a\":\"b\"}}],\"pools\":[{\"name\":\"p\",\"queued\":1}]}",
                 FLEET_TO_DRIVER, FLEET_WORKERS);
    line_is_read("{\"m\":\"workers\",\"attempts\":[{\"k\":\"r.1.1\",\"state\":\"queued\","
                 "\"why\":\"x\"},{\"k\":\"r.2.1\",\"state\":\"taken\",\"worker\":\"w\","
                 "\"age_ms\":5,\"silent_ms\":1}]}", FLEET_TO_DRIVER, FLEET_WORKERS);
    line_is_read("{\"m\":\"said\",\"k\":\"r.1.1\",\"at\":5,\"data\":\"\"}", FLEET_WORKER,
                 FLEET_SAID);
}

TEST(an_attempt_in_a_state_of_later_releases_is_skipped)
{
    struct arena arena = { 0 };
    struct fleet_line line;
    struct err err = { 0 };

    assert_int_equal(fleet_line_read(str_of("{\"m\":\"workers\",\"attempts\":["
                                            "{\"k\":\"r.1.1\",\"state\":\"asleep\"},"
                                            "{\"k\":\"r.2.1\",\"state\":\"taken\"}]}"),
                                     FLEET_TO_DRIVER, &arena, &line, &err), 0);
    assert_int_equal(line.attempt_count, 1);
    assert_true(str_is(line.attempts[0].k, "r.2.1"));
    assert_int_equal(line.attempts[0].told, FLEET_TOLD_TAKEN);
    arena_release(&arena);
}

TEST(the_role_of_a_job_is_read_alone)
{
    char role[FLEET_ROLE_BYTES];

    assert_string_equal(fleet_line_role(STR("{\"about\":{\"role\":\"critic\"}}"), role), "critic");
    assert_string_equal(fleet_line_role(STR("{\"about\":{\"role\":7}}"), role), "");
    assert_string_equal(fleet_line_role(STR("{}"), role), "");
    assert_string_equal(fleet_line_role(STR("no"), role), "");
}

TEST(what_a_side_never_says_is_skipped)
{
    line_is_read("{\"m\":\"kept\",\"k\":\"r.1.1\"}", FLEET_DRIVER, FLEET_UNKNOWN);
    line_is_read("{\"m\":\"dance\"}", FLEET_DRIVER, FLEET_UNKNOWN);
    line_is_read("{\"m\":\"beat\",\"more\":{\"x\":1}}", FLEET_DRIVER, FLEET_BEAT);
}

static void line_is_refused(const char *text, enum fleet_side from, const char *why)
{
    struct arena arena = { 0 };
    struct fleet_line line;
    struct err err = { 0 };

    if (fleet_line_read(str_of(text), from, &arena, &line, &err) != ERR_FORMAT) {
        fail_msg("%s", text);
    }
    assert_non_null(strstr(err.text, why));
    arena_release(&arena);
}

TEST(lines_that_are_wrong)
{
    line_is_refused("", FLEET_DRIVER, "");
    line_is_refused("[]", FLEET_DRIVER, "no object");
    line_is_refused("{}", FLEET_DRIVER, "\"m\" is missing");
    line_is_refused("{\"m\":\"bye\",\"m\":\"job\"}", FLEET_DRIVER, "twice");
    line_is_refused("{\"m\":\"stop\",\"k\":\"../x.1.1\"}", FLEET_DRIVER, "RUN.JOB.ATTEMPT");
    line_is_refused("{\"m\":\"stop\"}", FLEET_DRIVER, "\"stop\": \"k\"");
    line_is_refused("{\"m\":\"stop\",\"k\":\"r.1.1\",\"why\":\"so\"}", FLEET_TO_WORKER,
                    "cannot be \"so\"");
    line_is_refused("{\"m\":\"get\",\"id\":\"sha256-..\"}", FLEET_DRIVER, "sha256-HEX");
    line_is_refused("{\"m\":\"begin\",\"k\":\"r.1.1\",\"nonce\":\"x\"}", FLEET_WORKER, "nonce");
    line_is_refused("{\"m\":\"job\",\"k\":\"r.1.1\",\"pool\":\"p\",\"job\":[]}", FLEET_DRIVER,
                    "an object");
    line_is_refused("{\"m\":\"job\",\"k\":\"r.1.1\",\"job\":{}}", FLEET_DRIVER, "pool");
    line_is_refused("{\"m\":\"blob\",\"id\":\"" ABC "\",\"bytes\":3,\"at\":0,\"data\":\"*\"}",
                    FLEET_DRIVER, "base64");
    line_is_refused("{\"m\":\"beat\",\"k\":[7]}", FLEET_WORKER, "keys");
    line_is_refused("{\"m\":\"hello\",\"v\":1,\"version\":\"1\",\"run\":\"r\",\"lease_ms\":1}",
                    FLEET_DRIVER, "lease_ms");
}

TEST(a_line_that_is_too_long_is_not_written)
{
    static char word[FLEET_LINE_BYTES_MAX];
    struct fleet_line line = { .kind = FLEET_AWAY, .why = { word, sizeof word } };
    struct buf out;

    memset(word, 'a', sizeof word);
    buf_init(&out, 4 * (size_t)FLEET_LINE_BYTES_MAX);
    assert_int_equal(fleet_line_write(&line, &out), ERR_LIMIT);
    assert_int_equal(out.size, 0);
    buf_release(&out);
}

/* A worker's link writes jobs that came from a server, a driver's results. */
TEST(a_line_whose_job_or_result_is_no_json_is_not_written)
{
    static const char *const texts[] = { "no", "{", "{} {}", "\xff", "{\"a\":\"\xff\"}" };
    struct buf out;

    buf_init(&out, FLEET_LINE_BYTES_MAX);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fleet_line job = { .kind = FLEET_JOB, .k = STR("run.1.1"),
                                  .job = str_of(texts[i]) };
        struct fleet_line ended = { .kind = FLEET_ENDED, .k = STR("run.1.1"),
                                    .result = str_of(texts[i]) };

        assert_int_equal(fleet_line_write(&job, &out), ERR_FORMAT);
        assert_int_equal(fleet_line_write(&ended, &out), ERR_FORMAT);
    }
    assert_int_equal(out.size, 0);
    buf_release(&out);
}

/* ---- jobs and results ---- */

#define OID "0123456789012345678901234567890123456789"
#define NONCE "00112233445566778899aabbccddeeff"

#define JOB_START "{\"v\":1,\"run\":\"r\",\"nonce\":\"" NONCE "\",\"version\":\"1\"," \
    "\"row\":{\"id\":\"x7\",\"dialect\":\"review\",\"task\":\"t\",\"settings\":{\"a\":1}},"
#define JOB_ACTION "\"action\":{\"job\":3,\"attempt\":1,\"role\":2,\"purpose\":\"review\"},"
#define JOB_PATHS "\"answer\":\"/d/answer\",\"workspace\":\"/d/w\","
#define JOB_TREE "\"tree\":{\"repo\":\"ab\",\"base\":\"" OID "\",\"snapshot\":\"" OID "\"," \
    "\"tree\":\"" OID "\",\"branch\":\"main\",\"bundle\":\"" ABC "\"}"
#define JOB_FILES ",\"files\":[{\"name\":\"prompt\",\"id\":\"" ABC "\"}]," \
    "\"contract\":[{\"path\":\".hone/x.md\",\"id\":\"" ABC "\"}]}"

static int job_of(const char *text, struct arena *arena, struct fleet_job *job, struct err *err)
{
    return fleet_job_read(str_of(text), arena, job, err);
}

TEST(a_job_is_read_back_as_it_was_written)
{
    struct arena arena = { 0 };
    struct fleet_job job;
    struct err err = { 0 };
    struct buf out, again;

    buf_init(&out, 1 << 20);
    buf_init(&again, 1 << 20);
    if (job_of(JOB_START JOB_ACTION JOB_PATHS JOB_TREE JOB_FILES, &arena, &job, &err) != 0) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(job.action.purpose, FOR_REVIEW);
    assert_int_equal(job.action.role, 2);
    assert_string_equal(job.row.settings.data, "{\"a\":1}");
    assert_string_equal(job.setup.data, "");
    assert_string_equal(job.contract[0].name.data, ".hone/x.md");
    fleet_job_write(&job, &out);
    assert_int_equal(job_of(buf_cstr(&out), &arena, &job, &err), 0);
    fleet_job_write(&job, &again);
    assert_string_equal(buf_cstr(&out), buf_cstr(&again));
    buf_release(&out);
    buf_release(&again);
    arena_release(&arena);
}

static void job_is_refused(const char *text, const char *why)
{
    struct arena arena = { 0 };
    struct fleet_job job;
    struct err err = { 0 };

    if (job_of(text, &arena, &job, &err) != ERR_FORMAT) fail_msg("%s", text);
    if (!strstr(err.text, why)) fail_msg("%s: %s", text, err.text);
    arena_release(&arena);
}

TEST(jobs_that_are_wrong)
{
    job_is_refused("{\"v\":2,\"version\":\"3.0\"}",
                   "of version 2, made by hone 3.0; this hone knows version 1");
    job_is_refused("{\"version\":\"3.0\"}", "\"v\"");
    job_is_refused(JOB_START JOB_PATHS JOB_TREE JOB_FILES, "role");
    job_is_refused(JOB_START JOB_ACTION JOB_TREE JOB_FILES, "answer");
    job_is_refused(JOB_START JOB_ACTION JOB_PATHS "\"tree\":{}}", "\"tree\": \"repo\" is missing");
    job_is_refused(JOB_START JOB_ACTION "\"answer\":\"/a/../b\",\"workspace\":\"/w\"," JOB_TREE
                   JOB_FILES, "absolute");
    job_is_refused(JOB_START JOB_ACTION JOB_PATHS JOB_TREE
                   ",\"contract\":[{\"path\":\"../x\",\"id\":\"" ABC "\"}]}", "../x");
    job_is_refused(JOB_START JOB_ACTION JOB_PATHS JOB_TREE
                   ",\"files\":[{\"name\":\"status\",\"id\":\"" ABC "\"}]}", "status");
    job_is_refused(JOB_START JOB_ACTION JOB_PATHS JOB_TREE
                   ",\"files\":[{\"name\":\"prompt\",\"id\":\"base-" OID "\"}]}", "base-");
    job_is_refused(JOB_START JOB_ACTION JOB_PATHS JOB_TREE ",\"setup\":\"a\\u0000b\"}", "setup");
}

TEST(a_result_is_read_back_as_it_was_written)
{
    static struct fleet_file file = { STR("stdout"), STR(ABC) };
    struct fleet_result result = {
        .v = FLEET_V, .run = STR("r"), .nonce = STR(NONCE), .worker = STR("w"), .by = STR("exit"),
        .workspace = STR("/w/t"), .answer = STR("/w/a"), .files = &file, .file_count = 1,
        .tree = { .changed = true, .snapshot = STR(OID), .tree = STR(OID), .bundle = STR(ABC) },
    };
    struct arena arena = { 0 };
    struct fleet_result back;
    struct err err = { 0 };
    struct buf out;

    buf_init(&out, 1 << 20);
    fleet_result_write(&result, &out);
    if (fleet_result_read(buf_str(&out), &arena, &back, &err) != 0) fail_msg("%s", err.text);
    assert_true(back.tree.changed);
    assert_string_equal(back.by.data, "exit");
    assert_string_equal(back.problem.data, "");
    assert_int_equal(back.file_count, 1);
    result.by = STR("");
    buf_clear(&out);
    fleet_result_write(&result, &out);
    assert_int_equal(fleet_result_read(buf_str(&out), &arena, &back, &err), ERR_FORMAT);
    result.problem = STR("no such base");
    buf_clear(&out);
    fleet_result_write(&result, &out);
    assert_int_equal(fleet_result_read(buf_str(&out), &arena, &back, &err), 0);
    buf_release(&out);
    arena_release(&arena);
}

static void result_is_refused_with(struct str workspace, struct str answer)
{
    struct fleet_result back, result = {
        .v = FLEET_V, .run = STR("r"), .nonce = STR(NONCE), .worker = STR("w"), .by = STR("exit"),
        .workspace = workspace, .answer = answer,
    };
    struct arena arena = { 0 };
    struct err err = { 0 };
    struct buf out;

    buf_init(&out, 1 << 20);
    fleet_result_write(&result, &out);
    assert_int_equal(fleet_result_read(buf_str(&out), &arena, &back, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "an absolute path"));
    buf_release(&out);
    arena_release(&arena);
}

/* Looking for them in all that an agent said must stay cheap. */
TEST(a_result_with_odd_or_long_paths_is_refused)
{
    static const char *const odd[] = { "", "/", "w", "//w", "/w//t", "/w/", "/w/./t", "/w/../t" };
    static char parts[FLEET_PLACE_BYTES_MAX + 2];

    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        result_is_refused_with(str_of(odd[i]), str_of("/w/a"));
        result_is_refused_with(str_of("/w/t"), str_of(odd[i]));
    }
    for (size_t i = 0; i < FLEET_PLACE_BYTES_MAX + 1; i++) parts[i] = i % 2 ? 'a' : '/';
    result_is_refused_with(str_of(parts), str_of("/w/a"));
}

/* ---- paths of another machine ---- */

static void swapped_is(const char *text, const char *wanted)
{
    static const struct fleet_swap swaps[] = {
        { STR("/home/me/work"), STR("/w/tree") },
        { STR("/home/me/work/.git/hone/answer"), STR("/w/answer") },
        { STR("/w/tree"), STR("/never \"twice\"") },
    };
    struct buf out;

    buf_init(&out, 4096);
    assert_int_equal(fleet_swap_write(str_of(text), swaps, 3, &out), 0);
    assert_string_equal(buf_cstr(&out), wanted);
    buf_release(&out);
}

TEST(paths_are_replaced_where_they_are_whole)
{
    swapped_is("", "");
    swapped_is("in /home/me/work/a.c:7, /home/me/work.", "in /w/tree/a.c:7, /w/tree.");
    swapped_is("/home/me/worker /home/me/work.git /home/me/work-2", "/home/me/worker "
               "/home/me/work.git /home/me/work-2");
    swapped_is("/home/me/work/.git/hone/answer", "/w/answer");
    swapped_is("/home/me/work/.git/hone/answers", "/w/tree/.git/hone/answers");
    swapped_is("{\"f\":\"\\/home\\/me\\/work\\/a\"}", "{\"f\":\"\\/w\\/tree\\/a\"}");
    swapped_is("cd /home/me/work && make", "cd /w/tree && make");
    swapped_is("/home/me/wor", "/home/me/wor");
}
