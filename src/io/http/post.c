/* SPDX-License-Identifier: Apache-2.0
 *
 * post.c - one POST and its answer.
 *
 *   address --> connected --> sent --> head of the answer --> its body, as far as it comes
 *
 * 1. One deadline for everything but the look-up of the name, which the system bounds: a peer that
 *    accepts and says nothing, or says a byte a second, is given up at that moment.
 * 2. Nothing is followed: a redirection is an answer like any other.
 * 3. Once the status is known the request has been answered: an end of the body that does not come
 *    is no failure.
 * 4. curl gets everything by standard input: addresses and headers hold secrets, and a command line
 *    can be read by every user of the machine. It reads no settings of the user (-q) and speaks
 *    nothing but https. */
#include "io/http/post.h"

#include "base/arena.h"
#include "base/byte.h"
#include "io/file/descriptor.h"
#include "io/file/file.h"
#include "io/process/helper.h"
#include "io/process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_BYTES_MAX = 64 << 20, PIECE_BYTES = 4096, RETRY_S_MAX = 24 * 3600 };

/* ---- parts ---- */

bool http_address_read(struct str url, struct http_address *out)
{
    struct http_address address = { .secure = str_starts(url, STR("https://")) };
    struct str rest, place;
    uint64_t port;

    if (!address.secure && !str_starts(url, STR("http://"))) return false;
    for (size_t i = 0; i < url.size; i++) {
        if ((unsigned char)url.data[i] <= ' ' || (unsigned char)url.data[i] >= 0x7f) return false;
    }
    url = str_skip(url, address.secure ? 8 : 7);
    if (!str_cut(&url, '#', &rest)) return false;
    place = rest;
    for (place.size = 0; place.size < rest.size; place.size++) {
        if (strchr("/?", rest.data[place.size])) break;
    }
    address.path = str_skip(rest, place.size);
    if (str_has(place, '@')) return false;
    if (str_starts(place, STR("["))) {
        place = str_skip(place, 1);
        if (!str_has(place, ']')) return false;
        str_cut(&place, ']', &address.host);
        if (place.size > 0 && place.data[0] != ':') return false;
        address.port = str_skip(place, place.size > 0);
    } else {
        if (!str_cut(&place, ':', &address.host)) return false;
        address.port = place;
    }
    if (address.host.size == 0) return false;
    if (address.port.size > 0 &&
        (!str_number(address.port, &port) || port == 0 || port > 65535)) return false;
    *out = address;
    return true;
}

/* "HTTP/1.1 503 whatever" */
static bool read_status(struct str line, int *status)
{
    struct str word;
    uint64_t number;

    if (!str_starts(line, STR("HTTP/1.")) || !str_cut(&line, ' ', &word)) return false;
    str_cut(&line, ' ', &word);
    if (word.size != 3 || !str_number(word, &number) || number < 100) return false;
    *status = (int)number;
    return true;
}

static bool is_name(struct str name, const char *wanted)
{
    if (name.size != strlen(wanted)) return false;
    for (size_t i = 0; i < name.size; i++) {
        if (byte_small(name.data[i]) != wanted[i]) return false;
    }
    return true;
}

/* Seconds. A day by the calendar is taken for no word: the caller's own pause will do. */
static void read_retry(struct str value, struct http_reply *reply)
{
    uint64_t seconds;

    if (!str_number(str_trim(value), &seconds)) return;
    reply->told_when = true;
    reply->retry_after_ms = (seconds > RETRY_S_MAX ? RETRY_S_MAX : seconds) * 1000;
}

bool http_reply_read(struct str head, struct http_reply *reply, uint64_t *body_bytes)
{
    struct str line, name;

    *body_bytes = UINT64_MAX;
    if (!str_cut(&head, '\n', &line) || !read_status(str_trim(line), &reply->status)) return false;
    while (str_cut(&head, '\n', &line)) {
        line = str_trim(line);
        if (!str_has(line, ':')) continue;
        str_cut(&line, ':', &name);
        if (is_name(name, "retry-after")) read_retry(line, reply);
        if (is_name(name, "content-length") && !str_number(str_trim(line), body_bytes)) {
            *body_bytes = UINT64_MAX;
        }
    }
    return true;
}

static void put_quoted(struct buf *out, struct str text)
{
    buf_byte(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];

        if (byte == '"' || byte == '\\') buf_byte(out, '\\');
        if (byte == '\n') buf_text(out, "\\n");
        else if (byte == '\r') buf_text(out, "\\r");
        else buf_byte(out, byte);
    }
    buf_text(out, "\"\n");
}

void curl_config_write(const struct http_post *post, struct buf *out)
{
    uint64_t ms = post->timeout_ms;
    struct buf line;

    buf_init(&line, REQUEST_BYTES_MAX);
    buf_text(out, "url = ");
    put_quoted(out, str_of(post->url));
    buf_text(out, "header = \"Content-Type: application/json\"\nheader = \"Expect:\"\n");
    for (uint32_t i = 0; i < post->header_count; i++) {
        buf_clear(&line);
        buf_printf(&line, "%.*s: %.*s", STR_ARG(post->headers[i].name),
                   STR_ARG(post->headers[i].value));
        buf_text(out, "header = ");
        put_quoted(out, buf_str(&line));
    }
    if (post->certificate) {
        buf_text(out, "cacert = ");
        put_quoted(out, str_of(post->certificate));
    }
    buf_text(out, "user-agent = \"hone\"\nproto = \"=https\"\ngloboff\nsilent\nshow-error\n");
    buf_printf(out, "max-time = %" PRIu64 ".%03" PRIu64 "\n", ms / 1000, ms % 1000);
    buf_text(out, "write-out = \"\\n%{http_code} %header{retry-after}\"\ndata-binary = ");
    put_quoted(out, post->body);
    buf_release(&line);
}

/* ---- https ---- */

/* Behind the body stand, in a line of their own, the status and what Retry-After said. */
static int curl_answer(struct str said, struct http_reply *reply, struct err *err)
{
    size_t at = said.size;
    struct str line, word;
    uint64_t status;

    while (at > 0 && said.data[at - 1] != '\n') at--;
    line = str_skip(said, at);
    if (!str_cut(&line, ' ', &word) || !str_number(word, &status) || status < 100) {
        return err_set(err, ERR_FORMAT, "curl told no status");
    }
    reply->status = (int)status;
    read_retry(line, reply);
    said.size = at > 0 ? at - 1 : 0;
    (void)buf_add(&reply->body, str_head(said, POST_ANSWER_BYTES_MAX));
    return 0;
}

static int post_by_curl(const struct http_post *post, struct http_reply *reply, struct err *err)
{
    const char *const argv[] = { "curl", "-q", "-K", "-", NULL };
    struct buf config, said;
    int rc;

    if (!program_exists("curl")) {
        return err_set(err, ERR_MISSING, "an https:// address needs the program curl, which is not "
                       "installed");
    }
    buf_init(&config, REQUEST_BYTES_MAX);
    buf_init(&said, 2 * POST_ANSWER_BYTES_MAX);
    curl_config_write(post, &config);
    rc = config.overflow ? err_set(err, ERR_LIMIT, "the request is too long") : 0;
    if (rc == 0) rc = helper_run(argv, NULL, NULL, buf_str(&config), &said, err);
    if (rc == 0) rc = curl_answer(buf_str(&said), reply, err);
    buf_release(&said);
    buf_release(&config);
    return rc;
}

/* ---- http ---- */

/* Milliseconds until the deadline; 0: it is over. */
static int left_ms(uint64_t until_ms)
{
    uint64_t now_ms = now_steady_ms();

    return until_ms > now_ms ? (int)(until_ms - now_ms) : 0;
}

static bool wait_fd(int fd, short events, uint64_t until_ms)
{
    struct pollfd polled = { .fd = fd, .events = events };

    for (;;) {
        int left = left_ms(until_ms), ready = left > 0 ? poll(&polled, 1, left) : 0;

        if (ready > 0) return true;
        if (ready == 0 && left == 0) return false;
        if (ready < 0 && errno != EINTR) return false;
    }
}

/* -1 with errno: this place cannot be reached. */
static int connect_one(const struct addrinfo *place, uint64_t until_ms)
{
    int fd = socket(place->ai_family, place->ai_socktype, place->ai_protocol), problem = 0;
    socklen_t size = sizeof problem;

    if (fd < 0) return -1;
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) problem = errno;
    if (problem == 0 && connect(fd, place->ai_addr, place->ai_addrlen) != 0) problem = errno;
    if (problem == EINPROGRESS || problem == EINTR) {
        if (!wait_fd(fd, POLLOUT, until_ms)) problem = ETIMEDOUT;
        else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) != 0) problem = errno;
    }
    if (problem == 0) return fd;
    close(fd);
    errno = problem;
    return -1;
}

static int connect_to(const struct http_address *address, uint64_t until_ms, int *fd,
                      struct err *err)
{
    const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
    struct addrinfo *places = NULL;
    struct arena arena = { 0 };
    int problem = ENOENT;
    int rc = getaddrinfo(arena_cstr(&arena, address->host),
                         address->port.size ? arena_cstr(&arena, address->port) : "80", &hints,
                         &places);

    *fd = -1;
    arena_release(&arena);
    if (rc != 0) {
        return err_set(err, ERR_FAILED, "%.*s: %s", STR_ARG(address->host), gai_strerror(rc));
    }
    for (const struct addrinfo *place = places; place && *fd < 0; place = place->ai_next) {
        *fd = connect_one(place, until_ms);
        if (*fd < 0) problem = errno;
    }
    freeaddrinfo(places);
    if (*fd >= 0) return 0;
    return err_system(err, problem, "reach %.*s", STR_ARG(address->host));
}

static void put_request(const struct http_post *post, const struct http_address *address,
                        struct buf *out)
{
    bool colons = str_has(address->host, ':');

    buf_printf(out, "POST %s%.*s HTTP/1.1\r\nHost: %s%.*s%s%s%.*s\r\n",
               str_starts(address->path, STR("/")) ? "" : "/", STR_ARG(address->path),
               colons ? "[" : "", STR_ARG(address->host), colons ? "]" : "",
               address->port.size ? ":" : "", STR_ARG(address->port));
    buf_text(out, "Content-Type: application/json\r\nUser-Agent: hone\r\nConnection: close\r\n");
    buf_printf(out, "Content-Length: %zu\r\n", post->body.size);
    for (uint32_t i = 0; i < post->header_count; i++) {
        buf_add(out, post->headers[i].name);
        buf_text(out, ": ");
        buf_add(out, post->headers[i].value);
        buf_text(out, "\r\n");
    }
    buf_text(out, "\r\n");
    buf_add(out, post->body);
}

/* A peer that closes early may have answered all the same: what it said is read. */
static void send_all(int fd, struct str bytes, uint64_t until_ms)
{
    while (bytes.size > 0) {
        ssize_t sent = fd_send(fd, bytes, false);

        if (sent > 0) {
            bytes = str_skip(bytes, (size_t)sent);
        } else if (errno == EAGAIN) {
            if (!wait_fd(fd, POLLOUT, until_ms)) return;
        } else if (errno != EINTR) {
            return;
        }
    }
}

/* One piece; false at the end, of the answer or of the time. */
static bool take_piece(int fd, uint64_t until_ms, struct buf *out)
{
    char piece[PIECE_BYTES];
    ssize_t got;

    if (!wait_fd(fd, POLLIN, until_ms)) return false;
    got = recv(fd, piece, sizeof piece, 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    return got > 0 && buf_add(out, (struct str){ piece, (size_t)got }) == 0;
}

static int take_answer(int fd, uint64_t until_ms, struct http_reply *reply, struct err *err)
{
    struct buf said;
    uint64_t body_bytes = 0;
    size_t head = 0;
    int rc = 0;

    buf_init(&said, HTTP_HEAD_BYTES_MAX + POST_ANSWER_BYTES_MAX);
    while (head == 0 && said.size < HTTP_HEAD_BYTES_MAX && take_piece(fd, until_ms, &said)) {
        head = http_head_end(buf_str(&said));
    }
    if (head == 0 && left_ms(until_ms) == 0) {
        rc = err_set(err, ERR_SYSTEM, "it did not answer in time");
    } else if (head == 0 || !http_reply_read(str_head(buf_str(&said), head), reply, &body_bytes)) {
        rc = err_set(err, ERR_FORMAT, "what it answered is no HTTP");
    }
    while (rc == 0 && said.size - head < body_bytes && said.size < said.limit - PIECE_BYTES &&
           take_piece(fd, until_ms, &said)) {}
    if (rc == 0) {
        (void)buf_add(&reply->body, str_head(str_skip(buf_str(&said), head),
                                             POST_ANSWER_BYTES_MAX));
    }
    buf_release(&said);
    return rc;
}

static int post_by_socket(const struct http_post *post, const struct http_address *address,
                          struct http_reply *reply, struct err *err)
{
    uint64_t until_ms = now_steady_ms() + post->timeout_ms;
    struct buf request;
    int fd, rc;

    rc = connect_to(address, until_ms, &fd, err);
    if (rc != 0) return rc;
    buf_init(&request, REQUEST_BYTES_MAX);
    put_request(post, address, &request);
    if (request.overflow) {
        rc = err_set(err, ERR_LIMIT, "the request is too long");
    } else {
        send_all(fd, buf_str(&request), until_ms);
        rc = take_answer(fd, until_ms, reply, err);
    }
    buf_release(&request);
    close(fd);
    return rc;
}

static bool is_line(struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f) return false;
    }
    return true;
}

int http_post(const struct http_post *post, struct http_reply *reply, struct err *err)
{
    struct http_address address;

    if (!http_address_read(str_of(post->url), &address)) {
        return err_set(err, ERR_USAGE, "the address is none of the form http://HOST/PATH or "
                       "https://HOST/PATH, without a user's name in it");
    }
    for (uint32_t i = 0; i < post->header_count; i++) {
        if (is_line(post->headers[i].name) && is_line(post->headers[i].value)) continue;
        return err_set(err, ERR_USAGE, "a header has a line end in it");
    }
    return address.secure ? post_by_curl(post, reply, err)
                          : post_by_socket(post, &address, reply, err);
}
