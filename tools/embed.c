/* SPDX-License-Identifier: Apache-2.0
 *
 * embed.c - files that come with hone, as C:  embed SOURCE HEADER STRUCT TABLE FILE...
 *
 * Each file becomes a row of TABLE, an array of struct STRUCT that HEADER declares, by its name
 * without the ending, so that there is no file to find at run time. */
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

static int embed(FILE *out, const char *path)
{
    const char *leaf = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    FILE *in = fopen(path, "r");
    int byte;

    if (!in) {
        fprintf(stderr, "embed: cannot read %s\n", path);
        return 1;
    }
    fprintf(out, "    { \"%.*s\",\n        \"", (int)strcspn(leaf, "."), leaf);
    while ((byte = fgetc(in)) != EOF) put_byte(out, byte);
    fputs("\" },\n", out);
    fclose(in);
    return 0;
}

int main(int argc, char **argv)
{
    FILE *out = argc > 4 ? fopen(argv[1], "w") : NULL;
    int failed = out == NULL;

    if (!out) {
        fputs("embed: wants SOURCE HEADER STRUCT TABLE FILE...\n", stderr);
        return 2;
    }
    fprintf(out, "/* Made by tools/embed.c. */\n#include \"%s\"\n\n#include <stddef.h>\n\n"
            "const struct %s %s[] = {\n", argv[2], argv[3], argv[4]);
    for (int i = 5; i < argc; i++) failed |= embed(out, argv[i]);
    fputs("    { NULL, NULL },\n};\n", out);
    return fclose(out) != 0 || failed;
}
