/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_output.c - a talkative agent: how fast its output reaches the transcript, and how fast a
 * transcript of JSON lines is read. Against the same program writing to a file by itself. */
#include "bench.h"

#include "format/json/json.h"
#include "format/stream/lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEGABYTES = 1024, LINE_BYTES = 2000 };

static char self[4096];

/* One agent line of the usual size. */
static size_t make_line(char *out, size_t size, unsigned number)
{
    int used = snprintf(out, size, "{\"type\":\"assistant\",\"id\":%u,\"usage\":{\"in\":12,"
                        "\"out\":345},\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"",
                        number);

    while (used < LINE_BYTES - 8) {
        used += snprintf(out + used, size - (size_t)used, "words and \\\"quotes\\\" ");
    }
    used += snprintf(out + used, size - (size_t)used, "\"}]}}\n");
    return (size_t)used;
}

/* A long stream on standard output, and a short answer where it is wanted. */
static int talk(void)
{
    static char block[64 * (LINE_BYTES + 64)];
    size_t used = 0, total = 0;
    const char *answer = getenv("HONE_OUTPUT");

    if (answer) close(open(answer, O_WRONLY | O_CREAT, 0600));

    for (unsigned i = 0; i < 64; i++) used += make_line(block + used, sizeof block - used, i);
    while (total < (size_t)MEGABYTES << 20) {
        ssize_t put = write(1, block, used);
        if (put <= 0) return 1;
        total += (size_t)put;
    }
    return 0;
}

static double read_rate(const char *path)
{
    static char chunk[1 << 18];
    struct lines lines;
    struct str rest, line;
    uint64_t start = now_ns(), total = 0, objects = 0;
    int fd = open(path, O_RDONLY);
    ssize_t got;

    lines_init(&lines, 1 << 20);
    while ((got = read(fd, chunk, sizeof chunk)) > 0) {
        rest = (struct str){ chunk, (size_t)got };
        total += (uint64_t)got;
        while (lines_next(&lines, &rest, &line)) {
            yyjson_doc *doc;
            struct err err;
            if (json_read(line, &doc, &err) != 0) continue;
            objects += yyjson_is_obj(yyjson_doc_get_root(doc));
            yyjson_doc_free(doc);
        }
    }
    close(fd);
    lines_release(&lines);
    if (objects < total / (LINE_BYTES + 64) / 2) fprintf(stderr, "lines were lost\n");
    return (double)total / 1e6 / ((double)(now_ns() - start) / 1e9);
}

/* Seconds from the start of the agent to its end, as the run saw it. */
static double agent_seconds(void)
{
    uint64_t start = now_ns();
    char command[4200];
    int out = dup(1), null = open("/dev/null", O_WRONLY);

    bench_reviewers = 1;
    snprintf(command, sizeof command, "exec %s talk", self);
    dup2(null, 1);
    if (bench_headless(".", command) != 1) exit(1);
    fflush(stdout);
    dup2(out, 1);
    close(out);
    close(null);
    return (double)(now_ns() - start) / 1e9;
}

int main(int argc, char **argv)
{
    const char *const bare[] = { self, "talk", NULL };
    const char *const find[] = { "sh", "-c", "ln -f .git/hone/runs/*/1-1/stdout transcript", NULL };
    uint64_t start;
    double alone, under;
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);

    if (argc > 1 && strcmp(argv[1], "talk") == 0) return talk();
    if (size < 0) return 1;
    bench_repo(20);
    start = now_ns();
    bench_wait(bench_spawn(bare, NULL, "bare.out"));
    alone = (double)(now_ns() - start) / 1e9;
    unlink("bare.out");
    under = agent_seconds();
    bench_more("output of a talkative agent into its transcript", MEGABYTES * 1.048576 / under, 500,
               "MB/s");
    bench_less("the same / the same program writing a file alone", under / alone, 1.2, "times");
    if (bench_run(find) == 0) {
        bench_more("JSON lines read from the transcript", read_rate("transcript"), 200, "MB/s");
    }
    bench_clean();
    return 0;
}
