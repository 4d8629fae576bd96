/* SPDX-License-Identifier: Apache-2.0
 *
 * embed.c - files that come with hone, as C, so that there is no file to find at run time:
 *
 *   embed SOURCE HEADER STRUCT TABLE FILE...   each file is a row of TABLE, an array of struct
 *                                              STRUCT that HEADER declares, by its name without the
 *                                              ending
 *   embed --text NAME SOURCE FILE              one text by that name: const char NAME[] */
#include <stdbool.h>
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

int main(int argc, char **argv)
{
    bool text = argc == 5 && strcmp(argv[1], "--text") == 0;
    FILE *out = argc > 4 && !text ? fopen(argv[1], "w") : NULL;
    int failed = out == NULL;

    if (text) return embed_text(argv[2], argv[3], argv[4]);
    if (!out) {
        fputs("embed: wants SOURCE HEADER STRUCT TABLE FILE..., or --text NAME SOURCE FILE\n",
              stderr);
        return 2;
    }
    fprintf(out, "/* Made by tools/embed.c. */\n#include \"%s\"\n\n#include <stddef.h>\n\n"
            "const struct %s %s[] = {\n", argv[2], argv[3], argv[4]);
    for (int i = 5; i < argc; i++) failed |= put_row(out, argv[i]);
    fputs("    { NULL, NULL },\n};\n", out);
    return fclose(out) != 0 || failed;
}
