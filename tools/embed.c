/* SPDX-License-Identifier: Apache-2.0
 *
 * embed.c - the loops that come with hone, as C:  embed SOURCE FILE.yaml...
 *
 * Each file becomes a row of loop_shipped_all (settings/loop_file.h) by its name without the
 * ending, so that there is no file to find at run time. */
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
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
    int failed = out == NULL;

    if (!out) {
        fputs("embed: wants SOURCE FILE...\n", stderr);
        return 2;
    }
    fputs("/* Made of loops/ by tools/embed.c. */\n#include \"settings/loop_file.h\"\n\n"
          "const struct loop_shipped loop_shipped_all[] = {\n", out);
    for (int i = 2; i < argc; i++) failed |= embed(out, argv[i]);
    fputs("    { NULL, NULL },\n};\n", out);
    return fclose(out) != 0 || failed;
}
