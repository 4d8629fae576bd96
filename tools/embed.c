/* SPDX-License-Identifier: Apache-2.0
 *
 * embed.c - files that come with hone, as C, so that there is no file to find at run time:
 *
 *   embed SOURCE HEADER STRUCT TABLE FILE...   each file is a row of TABLE, an array of struct
 *                                              STRUCT that HEADER declares, by its name without the
 *                                              ending
 *   embed --text NAME SOURCE FILE              one text by that name: const char NAME[]
 *   embed --assets SOURCE HEADER TABLE FILE.gz...   what a browser gets as gzip made it: rows of
 *                                              TABLE, an array of struct asset that HEADER
 *                                              declares, and their bytes, TABLE_bytes
 *
 * A row of TABLE holds its texts and no pointer: there is nothing to relocate when hone starts. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_byte(FILE *out, int byte)
{
    if (byte == '\n') fputs("\\n\"\n        \"", out);
    else if (byte == '"' || byte == '\\') fprintf(out, "\\%c", byte);
    else if (byte == '?') fputs("\\?", out); /* no trigraphs */
    else if (byte >= ' ' && byte < 0x7f) fputc(byte, out);
    else fprintf(out, "\\%03o", (unsigned)byte);
}

static int put_text(FILE *out, const char *path)
{
    FILE *in = fopen(path, "r");
    int byte;

    if (!in) {
        fprintf(stderr, "embed: cannot read %s\n", path);
        return 1;
    }
    while ((byte = fgetc(in)) != EOF) put_byte(out, byte);
    fclose(in);
    return 0;
}

static int put_row(FILE *out, const char *path)
{
    const char *leaf = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    int failed;

    fprintf(out, "    { \"%.*s\",\n        \"", (int)strcspn(leaf, "."), leaf);
    failed = put_text(out, path);
    fputs("\" },\n", out);
    return failed;
}

static int embed_text(const char *name, const char *source, const char *path)
{
    FILE *out = fopen(source, "w");
    int failed;

    if (!out) return 1;
    fprintf(out, "/* Made of %s by tools/embed.c. */\nextern const char %s[];\n"
            "const char %s[] =\n        \"", path, name, name);
    failed = put_text(out, path);
    fputs("\";\n", out);
    return fclose(out) != 0 || failed;
}

/* By the ending of a name; NULL: a browser would not know what to do with it. */
static const char *type_of(const char *name)
{
    static const char *const types[][2] = {
        { ".html", "text/html; charset=utf-8" }, { ".css", "text/css; charset=utf-8" },
        { ".js", "text/javascript; charset=utf-8" }, { ".svg", "image/svg+xml" },
        { ".json", "application/json" }, { ".txt", "text/plain; charset=utf-8" },
    };
    const char *ending = strrchr(name, '.');

    for (size_t i = 0; ending && i < sizeof types / sizeof *types; i++) {
        if (strcmp(ending, types[i][0]) == 0) return types[i][1];
    }
    return NULL;
}

/* The length of a file, and a number for what is in it (FNV-1a). */
static long measure(const char *path, uint64_t *hash)
{
    FILE *in = fopen(path, "r");
    long size = 0;
    int byte;

    if (!in) return -1;
    *hash = UINT64_C(0xcbf29ce484222325);
    for (; (byte = fgetc(in)) != EOF; size++) {
        *hash = (*hash ^ (unsigned char)byte) * UINT64_C(0x100000001b3);
    }
    fclose(in);
    return size;
}

static int put_asset(FILE *out, const char *path, long *at)
{
    const char *leaf = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *type;
    size_t length = strlen(leaf) > 3 ? strlen(leaf) - 3 : 0; /* without .gz */
    uint64_t hash = 0;
    long size = measure(path, &hash);
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)length, leaf);
    type = type_of(name);
    if (size < 0 || !type || length >= 48) {
        fprintf(stderr, "embed: %s: cannot be read, or has no type or too long a name\n", path);
        return 1;
    }
    fprintf(out, "    { \"%s\", \"%s\", \"\\\"%016llx\\\"\", %ld, %ld },\n", name, type,
            (unsigned long long)hash, *at, size);
    *at += size;
    return 0;
}

static int embed_assets(int count, char **names)
{
    FILE *out = fopen(names[0], "w");
    int failed = 0;
    long at = 0;

    if (!out) return 1;
    fprintf(out, "/* Made by tools/embed.c. */\n#include \"%s\"\n\n"
            "const struct asset %s[] = {\n", names[1], names[2]);
    for (int i = 3; i < count; i++) failed |= put_asset(out, names[i], &at);
    fprintf(out, "    { \"\", \"\", \"\", 0, 0 },\n};\n\nconst char %s_bytes[] =\n", names[2]);
    for (int i = 3; i < count; i++) {
        fputs("        \"", out);
        failed |= put_text(out, names[i]);
        fputs("\"\n", out);
    }
    fputs("        \"\";\n", out);
    return fclose(out) != 0 || failed;
}

int main(int argc, char **argv)
{
    bool assets = argc > 4 && strcmp(argv[1], "--assets") == 0;
    bool text = argc == 5 && strcmp(argv[1], "--text") == 0;
    FILE *out = argc > 4 && !text && !assets ? fopen(argv[1], "w") : NULL;
    int failed = out == NULL;

    if (assets) return embed_assets(argc - 2, argv + 2);
    if (text) return embed_text(argv[2], argv[3], argv[4]);
    if (!out) {
        fputs("embed: wants SOURCE HEADER STRUCT TABLE FILE..., or --text NAME SOURCE FILE, or "
              "--assets SOURCE HEADER TABLE FILE.gz...\n", stderr);
        return 2;
    }
    fprintf(out, "/* Made by tools/embed.c. */\n#include \"%s\"\n\n#include <stddef.h>\n\n"
            "const struct %s %s[] = {\n", argv[2], argv[3], argv[4]);
    for (int i = 5; i < argc; i++) failed |= put_row(out, argv[i]);
    fputs("    { NULL, NULL },\n};\n", out);
    return fclose(out) != 0 || failed;
}
