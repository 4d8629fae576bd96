/* SPDX-License-Identifier: Apache-2.0
 *
 * nats_ask.c - one request to a nats-server without TLS on this machine, by hand: its answer on
 * standard output. For stories that look at what the server has, without the program they test.
 *
 *   nats_ask PORT SUBJECT [TEXT] */
#include "base/buf.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct sockaddr_in to = { .sin_family = AF_INET };
    struct timeval patience = { .tv_sec = 5 };
    const char *text = argc > 3 ? argv[3] : "";
    struct buf said;
    char piece[4096];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    const char *answer = NULL;

    if (argc < 3 || fd < 0) return 2;
    to.sin_port = htons((unsigned short)strtoul(argv[1], NULL, 10));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) return 1;
    dprintf(fd, "CONNECT {\"verbose\":false}\r\nSUB answer.nats_ask 1\r\n"
            "PUB %s answer.nats_ask %zu\r\n%s\r\n", argv[2], strlen(text), text);
    buf_init(&said, 16 << 20);
    while (!answer || !strstr(strchr(answer, '\n') ? strchr(answer, '\n') + 1 : "", "\r\n")) {
        ssize_t got = read(fd, piece, sizeof piece);

        if (got <= 0) return 1;
        buf_add(&said, (struct str){ piece, (size_t)got });
        answer = strstr(buf_cstr(&said), "MSG answer.nats_ask");
    }
    puts(strchr(answer, '\n') + 1);
    buf_release(&said);
    close(fd);
    return 0;
}
