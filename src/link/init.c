/* SPDX-License-Identifier: Apache-2.0
 *
 * init.c - a folder from which nats-server starts, and one for each user to take along.
 *
 *     FOLDER/server.conf           once; then it is the administrator's
 *           /users.list            a line for each user: ROLE NAME KEY POOLS. The truth
 *           /users.conf            made of it: keys and rights; server.conf includes it
 *           /tls/ca.key, ca.pem    the authority
 *           /tls/server.key, .pem  by it, for the server's host
 *           /store                 what JetStream keeps
 *           /users/NAME/           nkey.seed, ca.pem, name: to be taken to NAME's machine
 *
 * 1. What is there stays as it is, but for users.conf: a second call adds users.
 * 2. All files are 0600, all folders 0700, from their first moment.
 * 3. The server knows public names of keys only; a seed is in its user's folder and nowhere else.
 * 4. The rights are the least that the two ends need (worker.c, driver.c): a worker cannot store a
 *    job, read a result or what belongs to one, or change a stream.
 * 5. Each worker is an account of the server's, with one user. The server looks at the subject that
 *    a user publishes to, never at the one that it wants the answer on, and gives the answer with
 *    rights of its own: in one account with the streams a worker could name `hone.job.>` or
 *    `$JS.API.STREAM.DELETE.>` there. In an account of its own such an answer ends in that account.
 *    What it imports is what it may publish and hear.
 * 6. Drivers share the account that has the streams: each of them can do all that another can. */
#include "link/init.h"

#include "base/byte.h"
#include "base/path.h"
#include "io/file/file.h"
#include "link/certificate.h"
#include "link/loop.h"
#include "link/nkey.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIST_BYTES_MAX = 1 << 20, CONF_BYTES_MAX = 8 << 20, HOST_BYTES_MAX = 253, PORT = 4222 };

struct making {
    struct arena arena;
    const char *root; /* absolute */
    const char *host, *port;
    struct buf list;
    uint32_t added;
};

static const char *const worker_publish[] = { /* and what has its name or a pool's in it */
    "$JS.API.DIRECT.GET.HONE_BLOBS.hone.blob.>",
    "$JS.API.DIRECT.GET.KV_HONE_CLAIMS.$KV.HONE_CLAIMS.>",
    "$JS.API.DIRECT.GET.KV_HONE_DRIVERS.$KV.HONE_DRIVERS.>",
    "$KV.HONE_CLAIMS.>", "hone.result.>", "hone.back.>", "hone.log.>", "hone.need.*", NULL,
};
static const char *const worker_subscribe[] = { "hone.cancel.>", "hone.who", NULL };

/* The pool `doctor` is where `hone-link doctor` plays both ends. */
static const char *const driver_publish[] = {
    "$JS.API.STREAM.CREATE.HONE_JOBS", "$JS.API.STREAM.CREATE.KV_HONE_CLAIMS",
    "$JS.API.STREAM.CREATE.HONE_RESULTS", "$JS.API.STREAM.CREATE.HONE_BLOBS",
    "$JS.API.STREAM.CREATE.KV_HONE_DRIVERS",
    "$JS.API.STREAM.PURGE.HONE_JOBS", "$JS.API.STREAM.PURGE.KV_HONE_CLAIMS",
    "$JS.API.STREAM.PURGE.HONE_RESULTS", "$JS.API.STREAM.PURGE.HONE_BLOBS",
    "$JS.API.STREAM.PURGE.KV_HONE_DRIVERS",
    "$JS.API.STREAM.MSG.GET.HONE_JOBS", "$JS.API.STREAM.MSG.DELETE.HONE_JOBS",
    "$JS.API.STREAM.MSG.DELETE.HONE_RESULTS", "$JS.API.STREAM.MSG.GET.HONE_RESULTS",
    "$JS.API.STREAM.MSG.GET.KV_HONE_CLAIMS", "$JS.API.STREAM.MSG.GET.KV_HONE_DRIVERS",
    "$JS.API.DIRECT.GET.HONE_BLOBS.>",
    "$JS.API.CONSUMER.DURABLE.CREATE.HONE_JOBS.*", "$JS.API.CONSUMER.INFO.HONE_JOBS.*",
    "$JS.API.CONSUMER.LIST.HONE_JOBS", "hone.job.>", "hone.blob.>", "$KV.HONE_CLAIMS.>",
    "$KV.HONE_DRIVERS.*", "hone.cancel.>", "hone.who",
    "$JS.API.CONSUMER.MSG.NEXT.HONE_JOBS.doctor", "$JS.ACK.HONE_JOBS.doctor.>",
    "$JS.API.CONSUMER.DELETE.HONE_JOBS.*", "hone.result.doctor.>", NULL,
};
static const char *const driver_subscribe[] = {
    "hone.result.>", "hone.log.>", "hone.need.*", "hone.worker.*", "$KV.HONE_CLAIMS.>",
    "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.HONE_JOBS.*", NULL,
};

/* ---- users.conf ---- */

/* What a worker may publish beside worker_publish[]: each row with a name in it. */
static const struct {
    const char *before, *after;
    bool of_pool; /* the name is a pool's; else it is the worker's */
    bool streams; /* one question has many answers */
} worker_rows[] = {
    { "hone.worker.", "", .of_pool = false },
    { "$JS.API.CONSUMER.MSG.NEXT.HONE_JOBS.", "", .of_pool = true, .streams = true },
    { "$JS.ACK.HONE_JOBS.", ".>", .of_pool = true },
};

enum { WORKER_ROWS = sizeof worker_rows / sizeof *worker_rows };

/* A line of users.list. */
struct user {
    struct str role, name, key, pools;
};

static bool user_cut(struct str *list, struct user *out)
{
    struct str line;

    while (str_cut(list, '\n', &line)) {
        if (str_cut(&line, ' ', &out->role) && str_cut(&line, ' ', &out->name) &&
            str_cut(&line, ' ', &out->key) && str_cut(&line, ' ', &out->pools)) return true;
    }
    return false;
}

/* before and after stand around each subject. */
static void list_subjects(const char *before, const char *const *subjects, const char *after,
                          struct buf *out)
{
    for (uint32_t i = 0; subjects[i]; i++) {
        buf_printf(out, "      %s\"%s\"%s\n", before, subjects[i], after);
    }
}

static void list_worker_rows(const char *before, const struct user *user, const char *after,
                             struct buf *out)
{
    for (int i = 0; i < WORKER_ROWS; i++) {
        struct str rest = worker_rows[i].of_pool ? user->pools : user->name, name;

        while (str_cut(&rest, ',', &name)) {
            buf_printf(out, "      %s\"%s%.*s%s\"%s\n", before, worker_rows[i].before,
                       STR_ARG(name), worker_rows[i].after, after);
        }
    }
}

static void write_user(const struct user *user, bool works, struct buf *out)
{
    buf_printf(out, "    # %.*s %.*s\n    { nkey: \"%.*s\", permissions: {\n     publish: [\n",
               STR_ARG(user->role), STR_ARG(user->name), STR_ARG(user->key));
    list_subjects("", works ? worker_publish : driver_publish, "", out);
    if (works) list_worker_rows("", user, "", out);
    buf_printf(out, "     ]\n     subscribe: [\n      \"_INBOX_%.*s.>\"\n", STR_ARG(user->name));
    list_subjects("", works ? worker_subscribe : driver_subscribe, "", out);
    buf_text(out, "     ]\n    } }\n");
}

/* The account with the streams, and what of it others may use. */
static void write_drivers(struct str list, struct buf *out)
{
    struct user user;

    buf_text(out, "  FLEET {\n   jetstream: enabled\n   users: [\n");
    while (user_cut(&list, &user)) {
        if (str_is(user.role, "driver")) write_user(&user, false, out);
    }
    buf_text(out, "   ]\n   exports: [\n");
    list_subjects("{ service: ", worker_publish, " }", out);
    for (int i = 0; i < WORKER_ROWS; i++) {
        buf_printf(out, "      { service: \"%s*%s\"%s }\n", worker_rows[i].before,
                   worker_rows[i].after, worker_rows[i].streams ? ", response_type: stream" : "");
    }
    list_subjects("{ stream: ", worker_subscribe, " }", out);
    buf_text(out, "   ]\n  }\n");
}

/* Invariant 5. */
static void write_worker(const struct user *user, struct buf *out)
{
    buf_printf(out, "  \"worker_%.*s\" {\n   users: [\n", STR_ARG(user->name));
    write_user(user, true, out);
    buf_text(out, "   ]\n   imports: [\n");
    list_subjects("{ service: { account: FLEET, subject: ", worker_publish, " } }", out);
    list_worker_rows("{ service: { account: FLEET, subject: ", user, " } }", out);
    list_subjects("{ stream: { account: FLEET, subject: ", worker_subscribe, " } }", out);
    buf_text(out, "   ]\n  }\n");
}

static int write_users(struct making *making, struct err *err)
{
    struct str list = buf_str(&making->list);
    struct user user;
    struct buf out;
    int rc;

    buf_init(&out, CONF_BYTES_MAX);
    buf_text(&out, "# Made by hone-link init of users.list; what is changed here is lost.\n"
             "accounts {\n");
    write_drivers(list, &out);
    while (user_cut(&list, &user)) {
        if (str_is(user.role, "worker")) write_worker(&user, &out);
    }
    buf_text(&out, "}\n");
    rc = out.overflow ? err_set(err, ERR_LIMIT, "too many users")
         : file_write(making->root, "users.conf", buf_str(&out), err);
    buf_release(&out);
    return rc;
}

/* ---- a user ---- */

static bool is_listed(const struct making *making, struct str name)
{
    struct str list = buf_str(&making->list), line, role, other;

    while (str_cut(&list, '\n', &line)) {
        if (str_cut(&line, ' ', &role) && str_cut(&line, ' ', &other) && str_eq(other, name)) {
            return true;
        }
    }
    return false;
}

/* What the user takes along. */
static int write_folder(struct making *making, const char *name, const char *seed,
                        struct err *err)
{
    struct arena *arena = &making->arena;
    struct file_item items[] = {
        { arena_printf(arena, "users/%s/nkey.seed", name), str_of(seed) },
        { arena_printf(arena, "users/%s/name", name), str_of(arena_printf(arena, "%s\n", name)) },
        { arena_printf(arena, "users/%s/ca.pem", name), { 0 } },
    };
    int rc = file_text(arena_printf(arena, "%s/tls/ca.pem", making->root), PEM_BYTES_MAX, arena,
                       &items[2].content, err);

    return rc == 0 ? file_write_all(making->root, items, 3, NULL, err) : rc;
}

/* The server refuses a configuration that imports a subject twice. */
static int pools_check(struct str pools, struct err *err)
{
    struct str pool, rest = pools, other;

    while (str_cut(&rest, ',', &pool)) {
        struct str behind = rest;

        if (!fleet_name_is(pool) && !(str_is(pool, "*") && pool.size == pools.size)) {
            return err_set(err, ERR_USAGE, "%.*s: not a pool's name", STR_ARG(pool));
        }
        while (str_cut(&behind, ',', &other)) {
            if (str_eq(pool, other)) {
                return err_set(err, ERR_USAGE, "the pool %.*s is named twice", STR_ARG(pool));
            }
        }
    }
    return 0;
}

/* One that is there stays: its key is on its way to its machine, or there already. */
static int add_user(struct making *making, const char *role, const char *text, struct err *err)
{
    struct str pools = str_of(text), name;
    char seed[NKEY_TEXT_BYTES + 1], key[NKEY_TEXT_BYTES];
    const char *own;
    int rc;

    if (!str_cut(&pools, '=', &name) || !fleet_name_is(name)) {
        return err_set(err, ERR_USAGE, "%s: a user's name is letters, digits, '-' and '_'", text);
    }
    if (pools.size == 0) pools = STR("*");
    rc = pools_check(pools, err);
    if (rc != 0 || is_listed(making, name)) return rc;
    rc = nkey_new(seed, key, err);
    if (rc != 0) return rc;
    own = arena_cstr(&making->arena, name);
    snprintf(seed + strlen(seed), 2, "\n");
    rc = write_folder(making, own, seed, err);
    OPENSSL_cleanse(seed, sizeof seed);
    if (rc != 0) return rc;
    buf_printf(&making->list, "%s %s %s %.*s\n", role, own, key, STR_ARG(pools));
    making->added++;
    return file_write(making->root, "users.list", buf_str(&making->list), err);
}

/* ---- the server ---- */

static bool is_there(struct making *making, const char *path)
{
    return file_exists(arena_printf(&making->arena, "%s/%s", making->root, path));
}

static int make_pair(struct making *making, const char *key_path, const char *path,
                     struct str by_key, struct str by, struct err *err)
{
    struct buf key, certificate;
    int rc;

    buf_init(&key, PEM_BYTES_MAX);
    buf_init(&certificate, PEM_BYTES_MAX);
    rc = by.size == 0 ? authority_make(&key, &certificate, err)
         : certificate_make(by_key, by, making->host, &key, &certificate, err);
    if (rc == 0) {
        struct file_item items[] = { { key_path, buf_str(&key) }, { path, buf_str(&certificate) } };

        rc = file_write_all(making->root, items, 2, NULL, err);
    }
    if (key.data) OPENSSL_cleanse(key.data, key.size);
    buf_release(&key);
    buf_release(&certificate);
    return rc;
}

static int make_tls(struct making *making, struct err *err)
{
    struct str key = { 0 }, authority = { 0 };
    int rc = 0;

    if (!is_there(making, "tls/ca.pem")) {
        rc = make_pair(making, "tls/ca.key", "tls/ca.pem", key, authority, err);
    }
    if (rc != 0 || is_there(making, "tls/server.pem")) return rc;
    rc = file_text(arena_printf(&making->arena, "%s/tls/ca.key", making->root), PEM_BYTES_MAX,
                   &making->arena, &key, err);
    if (rc == 0) {
        rc = file_text(arena_printf(&making->arena, "%s/tls/ca.pem", making->root), PEM_BYTES_MAX,
                       &making->arena, &authority, err);
    }
    return rc == 0 ? make_pair(making, "tls/server.key", "tls/server.pem", key, authority, err)
           : rc;
}

static int write_server(struct making *making, struct err *err)
{
    struct buf out;
    int rc;

    if (is_there(making, "server.conf")) return 0;
    buf_init(&out, 64 << 10);
    buf_printf(&out, "# nats-server -c %s/server.conf\n"
               "listen: \"0.0.0.0:%s\"\n"
               "max_payload: 8MB\n"
               "jetstream {\n  store_dir: \"%s/store\"\n  max_memory_store: 64MB\n"
               "  max_file_store: 16GB\n"
               "  # With this a power cut loses nothing. A server before 2.10 refuses it and\n"
               "  # does not start: there, on ext4, chattr +S on the store does the same.\n"
               "  # sync_interval: always\n}\n"
               "tls {\n  cert_file: \"%s/tls/server.pem\"\n  key_file: \"%s/tls/server.key\"\n"
               "  timeout: 5\n}\n"
               "include \"./users.conf\"\n",
               making->root, making->port, making->root, making->root, making->root);
    rc = file_write(making->root, "server.conf", buf_str(&out), err);
    buf_release(&out);
    return rc;
}

/* ---- all of it ---- */

static int find_places(struct making *making, const struct init *init, struct err *err)
{
    struct str rest = str_of(init->server ? init->server : "localhost"), host, port = { 0 };
    uint64_t number = PORT;
    char *cwd = getcwd(NULL, 0);
    int rc;

    making->root = path_joined(cwd ? cwd : "/", str_of(init->folder), &making->arena);
    free(cwd);
    if (!str_cut(&rest, ':', &host)) host = STR("localhost");
    port = rest;
    if (str_has(port, ':')) { /* an address of IPv6 */
        host = str_of(init->server);
        port = (struct str){ 0 };
    }
    for (size_t i = 0; i < host.size; i++) {
        if (!byte_is_alnum(host.data[i]) && !strchr(".-:", host.data[i])) host.size = 0;
    }
    if (host.size == 0 || host.size > HOST_BYTES_MAX ||
        (port.size > 0 && (!str_number(port, &number) || number == 0 || number > 65535))) {
        return err_set(err, ERR_USAGE, "%s: wanted HOST or HOST:PORT", init->server);
    }
    making->host = arena_cstr(&making->arena, host);
    making->port = arena_printf(&making->arena, "%u", (unsigned)number);
    if (strpbrk(making->root, "\"\\\n")) {
        return err_set(err, ERR_USAGE, "%s: the server cannot be told of such a folder",
                       making->root);
    }
    rc = file_make_folder(making->root, false, err);
    if (rc == 0) rc = file_make_folder_in(making->root, "store", err);
    if (rc != 0 || !is_there(making, "users.list")) return rc;
    return file_read_in(making->root, "users.list", &making->list, err);
}

/* The number of the server that it keeps there: a machine may have several. */
static void say_server(const struct making *making, bool was_there)
{
    if (was_there) {
        printf("The server reads the new users with:  nats-server --signal reload=%s/pid\n"
               "twice: one of 2.9 connects a new worker's account at the second time\n",
               making->root);
    } else {
        printf("Start the server:  nats-server -c %s/server.conf -P %s/pid\n"
               "                   (Debian has it in /usr/sbin, which may not be on your PATH:"
               " /usr/sbin/nats-server)\n", making->root, making->root);
        printf("So that a power cut loses nothing, before its first start:\n"
               "  2.10 and newer:  take the # away before sync_interval in server.conf\n"
               "  2.9, on ext4:    chattr +S %s/store\n", making->root);
    }
}

/* What of the command line had no effect, or one that is not seen. */
static void say_notes(const char *server, bool was_there)
{
    if (was_there && server) {
        printf("--server %s has no effect: the server's configuration and certificate are there "
               "already; for another name make another folder\n\n", server);
    } else if (!was_there && !server) {
        printf("The server's certificate is for localhost, this machine alone: --server HOST in a "
               "new folder makes one for others\n\n");
    }
}

static void say_next(const struct making *making, const char *server, bool was_there)
{
    if (was_there && making->added == 0) {
        printf("%s: nothing changed: all users that were named are there already\n",
               making->root);
        say_notes(server, was_there);
        return;
    }
    printf("%s: %u user%s added\n\n", making->root, making->added,
           making->added == 1 ? "" : "s");
    say_notes(server, was_there);
    say_server(making, was_there);
    printf("Each user's machine gets its folder, and none else:\n"
           "                   scp -r %s/users/NAME MACHINE:.config/hone/fleet\n"
           "Then look there:   hone fleet doctor tls://%s:%s\n", making->root,
           was_there ? "HOST" : making->host, was_there ? "PORT" : making->port);
}

int init_make(const struct init *init)
{
    struct making making = { 0 };
    struct err err;
    bool was_there;
    int rc;

    umask(S_IRWXG | S_IRWXO);
    buf_init(&making.list, LIST_BYTES_MAX);
    rc = find_places(&making, init, &err);
    was_there = rc == 0 && is_there(&making, "server.conf");
    if (rc == 0) rc = make_tls(&making, &err);
    for (uint32_t i = 0; rc == 0 && i < init->driver_count; i++) {
        rc = add_user(&making, "driver", init->drivers[i], &err);
    }
    for (uint32_t i = 0; rc == 0 && i < init->worker_count; i++) {
        rc = add_user(&making, "worker", init->workers[i], &err);
    }
    if (rc == 0) rc = write_users(&making, &err);
    if (rc == 0) rc = write_server(&making, &err);
    if (rc == 0) say_next(&making, init->server, was_there);
    else loop_tell("%s", err.text);
    buf_release(&making.list);
    arena_release(&making.arena);
    return rc == 0 ? 0 : rc == ERR_USAGE ? 2 : 1;
}
