/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_ui.c - what `hone ui` costs while a run goes on: CLIENTS pages listen, and another process
 * writes an event to the journal EVENTS_PER_S times a second, as a run does.
 *
 * An event is stamped before it is written, so that the disk's time is in what is measured: from
 * there to the last byte of its message at each of the clients. Each client must get the last one,
 * else nothing is said. The clients are one process, beside the server and the writer on the same
 * processors. */
#include "bench.h"

#include "io/file/file.h"
#include "io/file/lock.h"
#include "run/place.h"
#include "store/journal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CLIENTS = 256, EVENTS_PER_S = 10, SECONDS = 10, EVENTS = EVENTS_PER_S * SECONDS,
    REVIEWERS = 5, LINE_BYTES = 256 * 1024, WAIT_MS = 20 * 1000,
};

static const char settings[] = "{\"options\":[[\"max-iterations\",\"1000\"]],\"agents\":[]}";

static void die(const char *what)
{
    fprintf(stderr, "bench_ui: %s\n", what);
    exit(1);
}

/* ---- the writer ---- */

/* One review after the other, each with a finding of its own, and its repair. */
static struct event event_of(uint32_t nth)
{
    static char text[64];
    static struct finding finding;
    bool repairs = nth % (REVIEWERS + 1) == 0;
    struct event event = { .kind = nth == 0 ? EV_START : EV_ENDED, .now_ms = now_wall_ms(),
                           .job = nth, .attempt = 1 };

    if (nth == 0) return event;
    event.result.by = STR("cmd");
    event.result.doc = STR("a document of an agent");
    event.result.verdict = repairs ? VERDICT_CLEAN : VERDICT_FINDINGS;
    if (repairs) return event;
    snprintf(text, sizeof text, "finding number %u is about something else", nth);
    finding = (struct finding){ .severity = SEVERITY_MEDIUM, .source = STR("critic"),
                                .file = STR("d0/f1.c"), .line = 7 + nth * 13,
                                .text = str_of(text) };
    finding.fingerprint = finding_fingerprint(&finding);
    event.result.findings = &finding;
    event.result.finding_count = 1;
    return event;
}

static void put(struct journal *journal, const struct journal_run *row, uint32_t nth)
{
    struct event event = event_of(nth);
    struct err err;
    int rc = journal_begin(journal, &err);

    if (rc == 0 && nth == 0) rc = journal_put_run(journal, row, &err);
    if (rc == 0) rc = journal_put_event(journal, row->id, &event, &err);
    if (rc == 0) rc = journal_commit(journal, &err);
    if (rc != 0) die(err.text);
}

/* A run begins; the rest of it follows when a byte comes on standard input. */
static void write_run(const char *folder, int ready, int go)
{
    struct arena arena = { 0 };
    struct repo repo;
    struct journal *journal = NULL;
    struct journal_run row = { .id = "bench", .dialect = "review", .task = "none",
                               .settings = settings, .created_ms = now_wall_ms() };
    struct lock lock = { .fd = -1 };
    struct lock_owner owner;
    const char *path;
    uint64_t begun;
    struct err err;
    char byte = 0;
    int rc = repo_open(&repo, folder, REPO_FIND, &err);

    row.workspace = repo.workspace;
    row.updated_ms = row.created_ms;
    path = arena_printf(&arena, "%s/locks", repo.hone_dir);
    if (rc == 0) rc = file_make_folder(path, false, &err);
    if (rc == 0) rc = place_lock_path(&repo, repo.workspace, &arena, &path, &err);
    if (rc == 0) rc = lock_open(&lock, path, row.id, 0, &owner, &err);
    if (rc == 0) rc = journal_open(&journal, place_journal(&repo, &arena), &err);
    if (rc != 0) die(err.text);
    put(journal, &row, 0);
    if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1) exit(1);
    begun = now_ns();
    for (uint32_t i = 1; i <= EVENTS; i++) {
        uint64_t due = begun + i * UINT64_C(1000000000) / EVENTS_PER_S, now = now_ns();

        if (due > now) usleep((useconds_t)((due - now) / 1000));
        put(journal, &row, i);
    }
    pause(); /* it stays at work until it is killed */
}

/* ---- the server ---- */

struct server {
    pid_t pid;
    uint16_t port;
    char token[64];
};

static struct server server_start(const char *hone)
{
    const char *const argv[] = { hone, "ui", "--quiet", "--port", "0", NULL };
    struct server server = { .pid = bench_spawn(argv, NULL, "address") };
    char line[256] = "";
    unsigned port;

    for (int i = 0; i < 200; i++) {
        FILE *file = fopen("address", "r");

        if (file && fgets(line, sizeof line, file) &&
            sscanf(line, "http://127.0.0.1:%u/#token=%63s", &port, server.token) == 2) {
            fclose(file);
            server.port = (uint16_t)port;
            return server;
        }
        if (file) fclose(file);
        usleep(50000);
    }
    die("hone ui does not listen");
    return server;
}

/* Processor time in ticks, and memory in KiB. */
static void measure(pid_t pid, long *ticks, long *memory)
{
    unsigned long user = 0, system = 0;
    char path[64], line[512];
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    file = fopen(path, "r");
    if (file && fgets(line, sizeof line, file)) {
        const char *rest = strrchr(line, ')');
        if (rest && sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                           &system) == 2) {
            *ticks = (long)(user + system);
        }
    }
    if (file) fclose(file);
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", memory);
    if (file) fclose(file);
}

/* ---- the clients ---- */

struct client {
    int fd;
    char *line; /* what came of the line that is not whole yet */
    size_t size;
    uint64_t events; /* that its newest message has */
};

static struct client clients[CLIENTS];
static uint32_t taken_ms[EVENTS * CLIENTS], taken_count;

static void client_open(struct client *client, const struct server *server)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(server->port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    char request[256];
    int bytes = snprintf(request, sizeof request, "GET /api/v1/stream HTTP/1.1\r\nHost: "
                         "127.0.0.1:%u\r\nAuthorization: Bearer %s\r\n\r\n",
                         (unsigned)server->port, server->token);

    client->fd = socket(AF_INET, SOCK_STREAM, 0);
    client->line = malloc(LINE_BYTES);
    if (client->fd < 0 || connect(client->fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        write(client->fd, request, (size_t)bytes) != bytes) {
        die("a client cannot connect");
    }
}

static uint64_t number_behind(const char *line, const char *name)
{
    const char *at = strstr(line, name);

    return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static void on_line(struct client *client, const char *line)
{
    uint64_t now_ms = now_wall_ms(), events, stamped_ms;

    if (strncmp(line, "data: {\"kind\":\"run\"", 19) != 0) return;
    events = number_behind(line, "\"events\":");
    stamped_ms = number_behind(line, "\"updated_ms\":");
    if (events <= client->events) return;
    client->events = events; /* of several that were read together the newest is measured */
    if (events > 1 && taken_count < EVENTS * CLIENTS) {
        taken_ms[taken_count++] = now_ms > stamped_ms ? (uint32_t)(now_ms - stamped_ms) : 0;
    }
}

static void client_read(struct client *client)
{
    char *end;
    ssize_t got = recv(client->fd, client->line + client->size, LINE_BYTES - 1 - client->size,
                       MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) die("a client was dropped");
    client->size += (size_t)got;
    client->line[client->size] = '\0';
    while ((end = memchr(client->line, '\n', client->size))) {
        size_t bytes = (size_t)(end - client->line) + 1;

        *end = '\0';
        on_line(client, client->line);
        client->size -= bytes;
        memmove(client->line, client->line + bytes, client->size);
    }
}

static bool are_done(void)
{
    for (int i = 0; i < CLIENTS; i++) {
        if (clients[i].events < EVENTS + 1) return false;
    }
    return true;
}

/* Until all have the last event. */
static void listen_on(void)
{
    struct pollfd polled[CLIENTS];
    uint64_t until = now_ns() + (SECONDS * UINT64_C(1000) + WAIT_MS) * 1000000;

    for (int i = 0; i < CLIENTS; i++) {
        polled[i] = (struct pollfd){ .fd = clients[i].fd, .events = POLLIN };
    }
    while (!are_done()) {
        if (now_ns() > until) die("not every client was told of the last event");
        if (poll(polled, CLIENTS, 100) <= 0) continue;
        for (int i = 0; i < CLIENTS; i++) {
            if (polled[i].revents) client_read(&clients[i]);
        }
    }
}

static int compare(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

static double at_part(double part)
{
    return taken_count ? taken_ms[(uint32_t)(part * (taken_count - 1))] : 0;
}

int main(void)
{
    const char *hone = getenv("HONE") ? getenv("HONE") : "hone", *folder = bench_repo(20);
    long before = 0, after = 0, idle = 0, memory = 0;
    struct server server;
    int ready[2], go[2];
    uint64_t begun;
    pid_t writer;
    double seconds;
    char byte = 0;

    if (pipe(ready) != 0 || pipe(go) != 0) die("no pipe");
    fflush(stdout);
    writer = fork();
    if (writer == 0) write_run(folder, ready[1], go[0]);
    if (read(ready[0], &byte, 1) != 1) die("the writer has not begun");
    server = server_start(hone);
    measure(server.pid, &before, &idle);
    for (int i = 0; i < CLIENTS; i++) client_open(&clients[i], &server);
    sleep(1);
    measure(server.pid, &before, &memory);
    begun = now_ns();
    if (write(go[1], &byte, 1) != 1) die("the writer is gone");
    listen_on();
    seconds = (double)(now_ns() - begun) / 1e9;
    measure(server.pid, &after, &memory);
    kill(writer, SIGKILL);
    kill(server.pid, SIGTERM);
    bench_wait(writer);
    bench_wait(server.pid);
    qsort(taken_ms, taken_count, sizeof *taken_ms, compare);
    printf("hone ui: %d clients, %d events a second, %.1f s; %u messages\n", CLIENTS, EVENTS_PER_S,
           seconds, taken_count);
    bench_less("event to client, half of them", at_part(0.5), 150, "ms");
    bench_less("event to client, 99 of 100", at_part(0.99), 150, "ms");
    bench_less("of one processor", 100.0 * (double)(after - before) /
               (double)sysconf(_SC_CLK_TCK) / seconds, 5, "%");
    bench_less("memory without clients", (double)idle / 1024, 12, "MiB");
    bench_less("memory with all of them", (double)memory / 1024, 12, "MiB");
    bench_clean();
    return 0;
}
