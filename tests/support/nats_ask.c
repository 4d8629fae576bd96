/* SPDX-License-Identifier: Apache-2.0
 *
 * nats_ask.c - one request to a nats-server without TLS on this machine, by hand: its answer on
 * standard output. For stories that look at what the server has, without the program they test, and
 * for those that try what that program would never do.
 *
 *   nats_ask [-u USER] [-h HEADER] [-r REPLY] PORT SUBJECT [TEXT]
 *   nats_ask [-u USER] -s PORT SUBJECT
 *   nats_ask [-u USER] -n COUNT PORT SUBJECT [TEXT]
 *
 *   -u USER    a user with the password `story`; else the one of those without a name
 *   -h HEADER  "NAME: VALUE"
 *   -r REPLY   the answer goes to that subject, and is not waited for: `said`
 *   -s         it is listened to: `heard`
 *   TEXT       `-`: standard input
 *   -n COUNT   said so often, and no answer is waited for: `said`. A `#` at the end of SUBJECT and
 *              of TEXT stands for eight digits, which are others each time
 *
 * `refused`: the server forbids it. `silence`: no answer within a second. */
#include "base/buf.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { SAID_BYTES_MAX = 16 << 20 };

struct asking {
    const char *user, *header, *reply, *subject;
    struct buf text;
    bool listens;
    uint32_t count; /* 0: a question */
    int fd;
    struct buf said;
};

static bool server_find(struct asking *asking, const char *port)
{
    struct sockaddr_in to = { .sin_family = AF_INET };
    struct timeval patience = { .tv_sec = 1 };

    asking->fd = socket(AF_INET, SOCK_STREAM, 0);
    to.sin_port = htons((unsigned short)strtoul(port, NULL, 10));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(asking->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return asking->fd >= 0 && connect(asking->fd, (const struct sockaddr *)&to, sizeof to) == 0;
}

static void question_say(const struct asking *asking, const char *inbox)
{
    const char *reply = asking->reply ? asking->reply : inbox, *header = asking->header;
    size_t size = asking->text.size, head = header ? strlen(header) + 14 : 0;

    dprintf(asking->fd, "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true,"
            "\"no_responders\":true");
    if (asking->user) dprintf(asking->fd, ",\"user\":\"%s\",\"pass\":\"story\"", asking->user);
    dprintf(asking->fd, "}\r\n");
    if (asking->listens) {
        dprintf(asking->fd, "SUB %s 1\r\nPING\r\n", asking->subject);
        return;
    }
    dprintf(asking->fd, "SUB %s 1\r\n", inbox);
    if (header) {
        dprintf(asking->fd, "HPUB %s %s %zu %zu\r\nNATS/1.0\r\n%s\r\n\r\n", asking->subject, reply,
                head, head + size, header);
    } else {
        dprintf(asking->fd, "PUB %s %s %zu\r\n", asking->subject, reply, size);
    }
    for (size_t at = 0; at < size;) {
        ssize_t put = write(asking->fd, asking->text.data + at, size - at);

        if (put <= 0) return;
        at += (size_t)put;
    }
    dprintf(asking->fd, "\r\nPING\r\n");
}

/* With the number in the place of a `#` at its end. */
static const char *numbered(const char *text, uint32_t number, char out[1024])
{
    size_t size = strlen(text);
    bool has_place = size > 0 && text[size - 1] == '#';

    if (has_place) snprintf(out, 1024, "%.*s%08u", (int)size - 1, text, number);
    else snprintf(out, 1024, "%s", text);
    return out;
}

static void flood_say(const struct asking *asking)
{
    FILE *out = fdopen(dup(asking->fd), "w");

    fprintf(out, "CONNECT {\"verbose\":false,\"pedantic\":false");
    if (asking->user) fprintf(out, ",\"user\":\"%s\",\"pass\":\"story\"", asking->user);
    fprintf(out, "}\r\n");
    for (uint32_t i = 0; i < asking->count; i++) {
        char subject[1024], text[1024];

        (void)numbered(buf_cstr(&asking->text), i, text);
        fprintf(out, "PUB %s %zu\r\n%s\r\n", numbered(asking->subject, i, subject),
                strlen(text), text);
    }
    fprintf(out, "PING\r\n");
    fclose(out);
}

/* What came of it; NULL: the server may say more. */
static const char *answer_find(struct asking *asking, const char *inbox)
{
    const char *said = buf_cstr(&asking->said), *answer = strstr(said, inbox), *line;

    if (strstr(said, "-ERR 'Permissions Violation")) return "refused";
    if (strstr(said, "-ERR")) return said;
    if ((asking->listens || asking->reply || asking->count > 0) && strstr(said, "PONG")) {
        return asking->listens ? "heard" : "said";
    }
    line = answer ? strstr(answer, "\r\n") : NULL;
    return line && strstr(line + 2, "\r\n") ? line + 2 : NULL;
}

static const char *question_ask(struct asking *asking)
{
    const char *answer = NULL;
    char inbox[128], piece[4096];

    snprintf(inbox, sizeof inbox, "_INBOX_%s.ask", asking->user ? asking->user : "ask");
    if (asking->count > 0) flood_say(asking);
    else question_say(asking, inbox);
    while (!answer) {
        ssize_t got = read(asking->fd, piece, sizeof piece);

        if (got <= 0) return "silence";
        buf_add(&asking->said, (struct str){ piece, (size_t)got });
        answer = answer_find(asking, inbox);
    }
    return answer;
}

static void text_read(struct buf *out)
{
    char piece[4096];
    ssize_t got;

    while ((got = read(STDIN_FILENO, piece, sizeof piece)) > 0) {
        buf_add(out, (struct str){ piece, (size_t)got });
    }
}

int main(int argc, char **argv)
{
    struct asking asking = { 0 };
    const char *text;
    bool is_there;
    int option;

    buf_init(&asking.text, SAID_BYTES_MAX);
    while ((option = getopt(argc, argv, "u:h:r:sn:")) != -1) {
        if (option == 'u') asking.user = optarg;
        else if (option == 'h') asking.header = optarg;
        else if (option == 'r') asking.reply = optarg;
        else if (option == 's') asking.listens = true;
        else if (option == 'n') asking.count = (uint32_t)strtoul(optarg, NULL, 10);
        else return 2;
    }
    if (argc - optind < 2) return 2;
    asking.subject = argv[optind + 1];
    text = argc - optind > 2 ? argv[optind + 2] : "";
    if (strcmp(text, "-") == 0) text_read(&asking.text);
    else buf_text(&asking.text, text);
    buf_init(&asking.said, SAID_BYTES_MAX);
    is_there = server_find(&asking, argv[optind]);
    if (is_there) puts(question_ask(&asking));
    buf_release(&asking.said);
    buf_release(&asking.text);
    if (asking.fd >= 0) close(asking.fd);
    return is_there ? 0 : 1;
}
