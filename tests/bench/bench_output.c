/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_output.c - a talkative agent: how fast its output reaches the transcript, how long the
 * transcript is looked through behind that, and how fast JSON lines are read from one.
 *
 * An agent writes into its transcript itself: under hone that may take hardly longer than writing
 * a file alone, by the clock of the program that writes. The whole run takes longer: when the agent
 * has ended, its transcript is searched for secrets, so that none stays on the disk. That is work
 * for each byte and has a figure of its own. The least of several tries counts: a disk that others
 * use is slow at times. */
#include "bench.h"

#include "format/json/json.h"
#include "format/stream/lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEGABYTES = 256, LINE_BYTES = 2000, TRIES = 3 };
#define TALKED ".git/talked" /* where the program leaves how long it wrote, in ns */

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
    uint64_t start;
    FILE *file;

    if (answer) close(open(answer, O_WRONLY | O_CREAT, 0600));

    for (unsigned i = 0; i < 64; i++) used += make_line(block + used, sizeof block - used, i);
    start = now_ns();
    while (total < (size_t)MEGABYTES << 20) {
        ssize_t put = write(1, block, used);
        if (put <= 0) return 1;
        total += (size_t)put;
    }
    file = fopen(TALKED, "w");
    if (!file) return 1;
    fprintf(file, "%llu\n", (unsigned long long)(now_ns() - start));
    return fclose(file) == 0 ? 0 : 1;
}

static double talked_seconds(void)
{
    FILE *file = fopen(TALKED, "r");
    unsigned long long ns = 0;

    if (!file || fscanf(file, "%llu", &ns) != 1) exit(1);
    fclose(file);
    unlink(TALKED);
    return (double)ns / 1e9;
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

/* Seconds of a whole run with that agent. */
static double run_seconds(void)
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

static double less_of(double a, double b)
{
    return a < b ? a : b;
}

int main(int argc, char **argv)
{
    const char *const bare[] = { self, "talk", NULL };
    const char *const find[] = { "sh", "-c", "set -- .git/hone/runs/*/1-1/stdout; "
                                 "ln -f \"$1\" transcript", NULL };
    double alone = 1e9, under = 1e9, whole = 1e9, bytes = MEGABYTES * 1.048576;
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);

    if (argc > 1 && strcmp(argv[1], "talk") == 0) return talk();
    if (size < 0) return 1;
    bench_repo(20);
    for (int i = 0; i < TRIES; i++) {
        bench_wait(bench_spawn(bare, NULL, "bare.out"));
        alone = less_of(alone, talked_seconds());
        unlink("bare.out");
        whole = less_of(whole, run_seconds());
        under = less_of(under, talked_seconds());
    }
    bench_more("output of a talkative agent into its transcript", bytes / under, 500, "MB/s");
    bench_less("the same / the same program writing a file alone", under / alone, 1.2, "times");
    bench_more("the same, and the transcript searched for secrets", bytes / whole, 200, "MB/s");
    if (bench_run(find) == 0) {
        bench_more("JSON lines read from the transcript", read_rate("transcript"), 200, "MB/s");
    }
    bench_clean();
    return 0;
}
