/* SPDX-License-Identifier: Apache-2.0
 *
 * prompts.c - makes C of the prompts of one folder:  prompts FOLDER HEADER SOURCE C-FILE...
 *             or writes one text that has no slots:  prompts --text FILE
 *             or shows a prompt with its pieces in place and its tags as they are:
 *                                                    prompts --show FILE
 *
 * A prompt is a Markdown file below prompts/. What stands in it is what the agent reads, but for
 * tags:
 *
 *     {{! words }}        a comment; nothing of it is written
 *     {{name}}            a word of hone's own, or a number
 *     {{quote name}}      a text from outside, as a quote from line to line; alone on its line
 *     {{line name}}       a text from outside, as one line
 *     {{names name}}      a list of names from outside, as a quote; alone on its line
 *     {{part name}}       what a function wrote, with quotes of its own, such as a list of findings
 *     {{#if name}} ... {{else}} ... {{/if}}
 *                         a flag; or whether the slot of that name holds anything
 *     {{> folder/_piece}} another file, in place; it ends the line that it is on
 *
 * A line that holds nothing but a comment, a condition, a piece, a quote or a part is no line of
 * the prompt. A line that ends in \ goes on with the next one: so a sentence of many words and
 * conditions can stand in short lines.
 *
 * A file whose name begins with _ is a piece of others. Each other file of FOLDER becomes a
 * function, FOLDER_page_FILE(), and all slots of the folder one struct, FOLDER_page; a file in
 * which nothing is to be filled becomes a constant instead, FOLDER_text_FILE, without the last line
 * end. FOLDER_words() keeps what a function writes as a text inside of others. FOLDER_PAGES,
 * FOLDER_TEXTS and FOLDER_SLOTS list them: tests/unit/test_prompts.c writes every prompt of every
 * folder with each of its conditions both ways.
 *
 * The build fails where a prompt and the program do not fit:
 *
 * 1. A slot that no C-FILE fills is an error here; one that no prompt has is the compiler's.
 * 2. The tag decides the type of the slot. A text from outside has a type that only quote and line
 *    can write: a prompt that would show it as hone's own words does not compile.
 * 3. A slot has one type in all prompts of a folder.
 * 4. A piece that no prompt of its folder has is an error.
 *
 * One text for several readers: a file for --text, such as an agent of the plugin, consists of
 * words and pieces without slots. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 4 << 20, DEPTH_MAX = 16 };

enum kind { KIND_FLAG, KIND_WORD, KIND_TEXT, KIND_NAMES, KIND_PART, KIND_COUNT };

static const struct {
    const char *type, *has, *name;
} kinds[KIND_COUNT] = {
    [KIND_FLAG] = { "bool ", "", "flag" },
    [KIND_WORD] = { "struct slot_word ", "slot_word_has", "word" },
    [KIND_TEXT] = { "struct slot_text ", "slot_text_has", "text" },
    [KIND_NAMES] = { "struct slot_names ", "slot_names_has", "names" },
    [KIND_PART] = { "struct slot_part ", "slot_part_has", "part" },
};

struct slot {
    struct str name;
    enum kind kind;
    bool asked;       /* by a condition */
    const char *file; /* where it is first */
    uint32_t line;
};

struct file {
    const char *name; /* "review/_rules" */
    struct str text;
    bool piece, used;
    bool plain; /* words alone: it becomes a constant */
};

/* A run of this program. */
struct making {
    struct arena arena;
    const char *folder; /* "review"; NULL: one text is written */
    bool show;          /* with its tags as they are */
    struct file **files;
    uint32_t file_count, file_cap;
    struct slot *slots;
    uint32_t slot_count, slot_cap;
    struct buf code, text;
    bool failed;
};

/* ---- trouble ---- */

static void complain(struct making *making, const char *file, uint32_t line, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

static void complain(struct making *making, const char *file, uint32_t line, const char *format,
                     ...)
{
    va_list args;

    fprintf(stderr, "prompts/%s.md:%u: ", file, (unsigned)line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    making->failed = true;
}

/* ---- files ---- */

static struct str read_all(struct making *making, const char *path)
{
    FILE *stream = fopen(path, "rb");
    char *bytes = arena_alloc(&making->arena, FILE_BYTES_MAX);
    struct str text = { bytes, 0 };

    if (stream) text.size = fread(bytes, 1, FILE_BYTES_MAX, stream);
    if (!stream || ferror(stream) || text.size == FILE_BYTES_MAX) {
        fprintf(stderr, "prompts: %s: %s\n", path, stream ? "too long" : strerror(errno));
        making->failed = true;
    }
    if (stream) fclose(stream);
    text = arena_copy(&making->arena, text);
    return text;
}

static struct file *file_named(struct making *making, struct str name)
{
    const char *leaf;
    struct file *file;

    for (uint32_t i = 0; i < making->file_count; i++) {
        if (str_is(name, making->files[i]->name)) return making->files[i];
    }
    file = arena_alloc(&making->arena, sizeof *file);
    file->name = arena_cstr(&making->arena, name);
    leaf = strrchr(file->name, '/');
    file->piece = (leaf ? leaf + 1 : file->name)[0] == '_';
    file->text = read_all(making, arena_printf(&making->arena, "prompts/%s.md", file->name));
    making->files = arena_grow(&making->arena, making->files, making->file_count,
                               &making->file_cap, sizeof(void *));
    making->files[making->file_count++] = file;
    return file;
}

/* ---- slots ---- */

static struct slot *slot_named(struct making *making, struct str name)
{
    for (uint32_t i = 0; i < making->slot_count; i++) {
        if (str_eq(making->slots[i].name, name)) return &making->slots[i];
    }
    return NULL;
}

static bool is_name(struct str name)
{
    if (name.size == 0) return false;
    for (size_t i = 0; i < name.size; i++) {
        char byte = name.data[i];
        if (!(byte >= 'a' && byte <= 'z') && byte != '_' && !(i && byte >= '0' && byte <= '9')) {
            return false;
        }
    }
    return true;
}

/* A reading of one file. */
struct reading {
    struct making *making;
    struct file *file;
    struct str rest;
    uint32_t line;
    uint32_t depth;        /* of pieces, where one text is written */
    uint32_t open;         /* conditions */
    bool other[DEPTH_MAX]; /* of each: its else was there */
    struct buf words;      /* not written yet */
};

static void slot_want(struct reading *reading, struct str name, enum kind kind)
{
    struct making *making = reading->making;
    struct slot *slot = slot_named(making, name);

    if (!making->folder) {
        complain(making, reading->file->name, reading->line, "a text without slots was asked for");
    } else if (!is_name(name)) {
        complain(making, reading->file->name, reading->line, "\"%.*s\" is no name of a slot",
                 STR_ARG(name));
    } else if (!slot) {
        making->slots = arena_grow(&making->arena, making->slots, making->slot_count,
                                   &making->slot_cap, sizeof *making->slots);
        making->slots[making->slot_count++] = (struct slot){ name, kind, false,
                                                             reading->file->name,
                                                             reading->line };
    } else if (slot->kind == KIND_FLAG) {
        slot->kind = kind; /* a condition came before it */
    } else if (kind != KIND_FLAG && slot->kind != kind) {
        complain(making, reading->file->name, reading->line,
                 "%.*s is something else in prompts/%s.md:%u", STR_ARG(name), slot->file,
                 (unsigned)slot->line);
    }
}

/* ---- code ---- */

static void indent(struct reading *reading)
{
    for (uint32_t i = 0; i <= reading->open; i++) buf_text(&reading->making->code, "    ");
}

/* As the inside of a literal of C. */
static void put_escaped(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];

        if (byte == '"' || byte == '\\') buf_printf(out, "\\%c", byte);
        else if (byte == '?' && i && text.data[i - 1] == '?') buf_text(out, "\\?");
        else if (byte < 0x20 || byte > 0x7e) buf_printf(out, "\\%03o", byte);
        else buf_byte(out, (char)byte);
    }
}

/* A literal of C, each line of the words on a line of its own. */
static void put_literal(struct reading *reading, struct str words)
{
    struct buf *code = &reading->making->code;
    struct str rest = words, line;

    while (rest.size > 0) {
        const char *end = memchr(rest.data, '\n', rest.size);

        line = (struct str){ rest.data, end ? (size_t)(end - rest.data) : rest.size };
        buf_byte(code, '\n');
        indent(reading);
        buf_text(code, "    \"");
        put_escaped(code, line);
        buf_text(code, end ? "\\n\"" : "\"");
        rest = str_skip(rest, line.size + (end != NULL));
    }
}

static void put_words(struct reading *reading)
{
    struct buf *code = &reading->making->code;

    if (reading->words.size == 0) return;
    if (!reading->making->folder) {
        buf_add(&reading->making->text, buf_str(&reading->words));
    } else {
        indent(reading);
        buf_text(code, "buf_text(out,");
        put_literal(reading, buf_str(&reading->words));
        buf_text(code, ");\n");
    }
    buf_clear(&reading->words);
}

/* A file in which no tag has written anything: its words, without the last line end. */
static void put_constant(struct reading *reading)
{
    struct str words = buf_str(&reading->words);

    reading->file->plain = true;
    if (str_ends(words, STR("\n"))) words.size--;
    put_literal(reading, words);
}

static void put_call(struct reading *reading, const char *format, struct str name)
{
    put_words(reading);
    indent(reading);
    /* The format is one of ours, below. */
    for (const char *at = format; *at; at++) {
        if (*at == '@') buf_add(&reading->making->code, name);
        else buf_byte(&reading->making->code, *at);
    }
    buf_byte(&reading->making->code, '\n');
}

/* ---- tags ---- */

static void read_file(struct making *making, struct file *file, uint32_t depth);

/* "review/_long-list" as a part of a name of C. */
static struct str as_name(struct making *making, const char *name)
{
    char *copy = arena_alloc(&making->arena, strlen(name) + 1);

    for (size_t i = 0; name[i]; i++) copy[i] = strchr("/-. ", name[i]) ? '_' : name[i];
    return str_of(copy);
}

static void tag_piece(struct reading *reading, struct str name)
{
    struct making *making = reading->making;
    struct file *piece = file_named(making, name);

    piece->used = true;
    if (!piece->piece) {
        complain(making, reading->file->name, reading->line, "%s is no piece: its name has no _",
                 piece->name);
    } else if (making->folder) {
        put_call(reading, "piece_@(out, page);", as_name(making, piece->name));
    } else if (reading->depth == DEPTH_MAX) {
        complain(making, reading->file->name, reading->line, "too many pieces in pieces");
    } else {
        put_words(reading);
        read_file(making, piece, reading->depth + 1);
    }
}

static void tag_if(struct reading *reading, struct str name)
{
    struct slot *slot;

    slot_want(reading, name, KIND_FLAG);
    slot = slot_named(reading->making, name);
    if (slot) slot->asked = true;
    put_call(reading, "if (has_@(page)) {", name);
    if (reading->open == DEPTH_MAX) {
        complain(reading->making, reading->file->name, reading->line, "too many conditions");
        return;
    }
    reading->other[reading->open++] = false;
}

static void tag_else(struct reading *reading, bool ends)
{
    if (reading->open == 0 || (!ends && reading->other[reading->open - 1])) {
        complain(reading->making, reading->file->name, reading->line, "no condition is open");
        return;
    }
    put_words(reading);
    reading->open--;
    put_call(reading, ends ? "}" : "} else {", STR(""));
    if (!ends) reading->other[reading->open++] = true;
}

static const struct tag {
    const char *word; /* with its blank; "": a name alone */
    const char *call;
    enum kind kind;
    bool block; /* it writes whole lines */
    bool alone; /* and nothing may stand beside it */
} tags[] = {
    { "quote ", "slot_quote(out, page->fence, page->@);", KIND_TEXT, true, true },
    { "line ", "slot_line(out, page->fence, page->@);", KIND_TEXT, false, false },
    { "names ", "slot_list(out, page->fence, page->@);", KIND_NAMES, true, true },
    { "part ", "slot_insert(out, page->@);", KIND_PART, true, false },
    { "", "slot_say(out, page->@);", KIND_WORD, false, false },
};

/* begins, ends: its line. Returns whether the end of that line is none of the prompt. */
static bool read_tag(struct reading *reading, struct str tag, bool begins, bool ends)
{
    bool alone = begins && ends;
    const struct tag *row = tags;
    struct str name;

    if (str_starts(tag, STR("!"))) return alone;
    if (reading->making->show && !str_starts(tag, STR(">"))) {
        buf_printf(&reading->words, "{{%.*s}}", STR_ARG(tag));
        return false;
    }
    if (str_starts(tag, STR("#if "))) tag_if(reading, str_trim(str_skip(tag, 4)));
    else if (str_is(tag, "else")) tag_else(reading, false);
    else if (str_is(tag, "/if")) tag_else(reading, true);
    else if (str_starts(tag, STR(">"))) {
        if (!ends) {
            complain(reading->making, reading->file->name, reading->line,
                     "a piece ends its line");
        }
        tag_piece(reading, str_trim(str_skip(tag, 1)));
        return ends;
    } else if (str_is(tag, "fence")) {
        put_call(reading, "buf_text(out, page->fence);", tag);
        return false;
    } else {
        while (*row->word && !str_starts(tag, str_of(row->word))) row++;
        name = str_trim(str_skip(tag, strlen(row->word)));
        slot_want(reading, name, row->kind);
        if (row->alone && !alone) {
            complain(reading->making, reading->file->name, reading->line,
                     "a %sstands alone on its line", row->word);
        }
        put_call(reading, row->call, name);
        return row->block && alone;
    }
    return alone;
}

/* ---- a file ---- */

/* The tag at the beginning of rest, which is cut off. false: it has no end. */
static bool cut_tag(struct reading *reading, struct str *tag)
{
    const char *end = memmem(reading->rest.data, reading->rest.size, "}}", 2);

    if (!end) return false;
    *tag = (struct str){ reading->rest.data + 2, (size_t)(end - reading->rest.data) - 2 };
    reading->rest = str_skip(reading->rest, tag->size + 4);
    return true;
}

/* Whether the line goes on with the next one; what is behind its \ but no end is a slip. */
static bool is_joined(struct reading *reading, struct str line)
{
    struct str bare = line;

    while (bare.size > 0 && strchr(" \t", bare.data[bare.size - 1])) bare.size--;
    if (!str_ends(bare, STR("\\"))) return false;
    if (bare.size < line.size) {
        complain(reading->making, reading->file->name, reading->line,
                 "a blank stands behind the \\ of a line that goes on");
    }
    return !reading->making->show;
}

static void read_words(struct reading *reading)
{
    const char *next = memmem(reading->rest.data, reading->rest.size, "{{", 2);
    struct str words = { reading->rest.data,
                         next ? (size_t)(next - reading->rest.data) : reading->rest.size };
    const char *end;

    reading->rest = str_skip(reading->rest, words.size);
    while ((end = memchr(words.data, '\n', words.size))) {
        struct str line = { words.data, (size_t)(end - words.data) };
        bool joined = is_joined(reading, line);

        words = str_skip(words, line.size + 1);
        line.size = joined ? line.size - 1 : line.size + 1;
        buf_add(&reading->words, line);
        reading->line++;
    }
    buf_add(&reading->words, words);
}

static void read_file(struct making *making, struct file *file, uint32_t depth)
{
    struct reading reading = { .making = making, .file = file, .rest = file->text, .line = 1,
                               .depth = depth };
    struct str tag;

    buf_init(&reading.words, FILE_BYTES_MAX);
    while (reading.rest.size > 0) {
        bool begins = reading.rest.data == file->text.data || reading.rest.data[-1] == '\n';
        bool ends, gone;

        if (!str_starts(reading.rest, STR("{{"))) {
            read_words(&reading);
            continue;
        }
        if (!cut_tag(&reading, &tag)) {
            complain(making, file->name, reading.line, "a tag has no end");
            break;
        }
        ends = reading.rest.size == 0 || reading.rest.data[0] == '\n';
        gone = read_tag(&reading, str_trim(tag), begins, ends);
        for (size_t i = 0; i < tag.size; i++) reading.line += tag.data[i] == '\n';
        if (gone && reading.rest.size > 0) {
            reading.rest = str_skip(reading.rest, 1);
            reading.line++;
        }
    }
    if (reading.open > 0) complain(making, file->name, reading.line, "a condition has no end");
    if (making->folder && !file->piece && making->code.size == 0) put_constant(&reading);
    else put_words(&reading);
    buf_release(&reading.words);
}

/* ---- what is made ---- */

static void put_functions(struct making *making)
{
    struct buf bodies, before;

    buf_init(&bodies, FILE_BYTES_MAX);
    buf_init(&before, FILE_BYTES_MAX);
    for (uint32_t i = 0; i < making->file_count; i++) { /* pieces are added as they are met */
        struct file *file = making->files[i];
        struct str name = as_name(making, file->name);

        buf_clear(&making->code);
        read_file(making, file, 0);
        if (file->plain) {
            name = as_name(making, strrchr(file->name, '/') + 1);
            buf_printf(&bodies, "\nconst char %s_text_%.*s[] =%.*s;\n", making->folder,
                       STR_ARG(name), STR_ARG(buf_str(&making->code)));
            continue;
        }
        if (file->piece) {
            buf_printf(&before, "static void piece_%.*s(struct buf *out, "
                       "const struct %s_page *page);\n", STR_ARG(name), making->folder);
            buf_printf(&bodies, "\nstatic void piece_%.*s(", STR_ARG(name));
        } else {
            name = as_name(making, strrchr(file->name, '/') + 1);
            buf_printf(&bodies, "\nvoid %s_page_%.*s(", making->folder, STR_ARG(name));
        }
        buf_printf(&bodies, "struct buf *out, const struct %s_page *page)\n{\n%s", making->folder,
                   file->piece ? "    (void)page;\n" : "");
        buf_add(&bodies, buf_str(&making->code));
        buf_text(&bodies, "}\n");
    }
    buf_clear(&making->code);
    buf_printf(&making->code, "/* Made of prompts/%s/ by tools/prompts.c. */\n"
               "#include \"prompts/%s.h\"\n\n", making->folder, making->folder);
    for (uint32_t i = 0; i < making->slot_count; i++) {
        const struct slot *slot = &making->slots[i];

        if (!slot->asked) continue;
        buf_printf(&making->code, "static inline bool has_%.*s(const struct %s_page *page)\n"
                   "{\n    return %s(page->%.*s);\n}\n\n", STR_ARG(slot->name), making->folder,
                   kinds[slot->kind].has, STR_ARG(slot->name));
    }
    buf_add(&making->code, buf_str(&before));
    buf_add(&making->code, buf_str(&bodies));
    buf_release(&before);
    buf_release(&bodies);
}

/* Both lists once more, for a test that fills every slot of every prompt. */
static void put_lists(struct making *making)
{
    struct buf *out = &making->text;

    for (int plain = 0; plain < 2; plain++) {
        buf_printf(out, "\n#define %s_%s(ROW)", making->folder, plain ? "TEXTS" : "PAGES");
        for (uint32_t i = 0; i < making->file_count; i++) {
            const char *leaf = strrchr(making->files[i]->name, '/') + 1;

            if (making->files[i]->piece || making->files[i]->plain != plain) continue;
            buf_printf(out, " \\\n    ROW(%.*s)", STR_ARG(as_name(making, leaf)));
        }
    }
    buf_printf(out, "\n\n/* Its type, its name, whether a condition asks for it. */\n"
               "#define %s_SLOTS(ROW)", making->folder);
    for (uint32_t i = 0; i < making->slot_count; i++) {
        const struct slot *slot = &making->slots[i];

        buf_printf(out, " \\\n    ROW(%s, %.*s, %s)", kinds[slot->kind].name,
                   STR_ARG(slot->name), slot->asked ? "true" : "false");
    }
}

static void put_header(struct making *making)
{
    struct buf *out = &making->text;

    buf_printf(out, "/* Made of prompts/%s/ by tools/prompts.c. */\n"
               "#ifndef HONE_PROMPTS_%s_H\n#define HONE_PROMPTS_%s_H\n\n"
               "#include \"dialect/slots.h\"\n\n"
               "struct %s_page {\n    const char *fence;\n", making->folder, making->folder,
               making->folder, making->folder);
    for (uint32_t i = 0; i < making->slot_count; i++) {
        const struct slot *slot = &making->slots[i];

        buf_printf(out, "    %s%.*s; /* prompts/%s.md:%u */\n", kinds[slot->kind].type,
                   STR_ARG(slot->name), slot->file, (unsigned)slot->line);
    }
    buf_text(out, "};\n\n");
    for (uint32_t i = 0; i < making->file_count; i++) {
        const char *leaf = strrchr(making->files[i]->name, '/') + 1;

        if (making->files[i]->plain) {
            buf_printf(out, "extern const char %s_text_%.*s[];\n", making->folder,
                       STR_ARG(as_name(making, leaf)));
        } else if (!making->files[i]->piece) {
            buf_printf(out, "void %s_page_%.*s(struct buf *out, const struct %s_page *page);\n",
                       making->folder, STR_ARG(as_name(making, leaf)), making->folder);
        }
    }
    buf_printf(out, "\n/* What a prompt says, inside of other words. */\n"
               "static inline struct str %s_words(void (*write)(struct buf *out, "
               "const struct %s_page *page),\n    const struct %s_page *page, "
               "struct arena *arena)\n{\n    struct buf out;\n\n"
               "    buf_init(&out, SLOT_WORDS_BYTES_MAX);\n    write(&out, page);\n"
               "    return words_keep(&out, arena);\n}\n", making->folder, making->folder,
               making->folder);
    put_lists(making);
    buf_text(out, "\n\n#endif\n");
}

/* ---- what fills it ---- */

/* Whether the C says ".name =" or "->name =" somewhere. */
static bool fills(struct str code, struct str name)
{
    struct str rest = code;
    const char *found;

    while ((found = memmem(rest.data, rest.size, name.data, name.size))) {
        const char *end = found + name.size;
        bool member = found > code.data && (found[-1] == '.' || found[-1] == '>');

        if (member && strncmp(end, " = ", 3) == 0) return true;
        rest = str_skip(rest, (size_t)(end - rest.data));
    }
    return false;
}

static void check_filled(struct making *making, char **sources, int count)
{
    struct buf code;

    buf_init(&code, (size_t)FILE_BYTES_MAX * 16);
    for (int i = 0; i < count; i++) buf_add(&code, read_all(making, sources[i]));
    for (uint32_t i = 0; i < making->slot_count; i++) {
        const struct slot *slot = &making->slots[i];

        if (fills(buf_str(&code), slot->name)) continue;
        complain(making, slot->file, slot->line, "nothing fills %.*s", STR_ARG(slot->name));
    }
    for (uint32_t i = 0; i < making->file_count; i++) {
        const struct file *file = making->files[i];

        if (file->piece && !file->used) complain(making, file->name, 1, "no prompt has this piece");
    }
    buf_release(&code);
}

/* ---- the program ---- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void find_files(struct making *making)
{
    const char *path = arena_printf(&making->arena, "prompts/%s", making->folder);
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, by_name);

    if (count < 0) {
        fprintf(stderr, "prompts: %s: %s\n", path, strerror(errno));
        making->failed = true;
        return;
    }
    for (int i = 0; i < count; i++) {
        struct str name = str_of(entries[i]->d_name);

        if (str_ends(name, STR(".md"))) {
            name.size -= 3;
            (void)file_named(making, str_of(arena_printf(&making->arena, "%s/%.*s",
                                                         making->folder, STR_ARG(name))));
        }
        free(entries[i]);
    }
    free(entries);
}

/* A file that is as it was keeps its time: nothing is made again for it. */
static void put_file(struct making *making, const char *path, struct str text)
{
    FILE *stream = fopen(path, "rb");
    char *now = mem_alloc(text.size + 1);
    bool same = stream && fread(now, 1, text.size + 1, stream) == text.size &&
                memcmp(now, text.data, text.size) == 0;

    free(now);
    if (stream) fclose(stream);
    if (same) return;
    stream = fopen(path, "wb");
    if (!stream || fwrite(text.data, 1, text.size, stream) != text.size || fflush(stream) != 0) {
        fprintf(stderr, "prompts: %s: %s\n", path, strerror(errno));
        making->failed = true;
    }
    if (stream) fclose(stream);
}

static void make_text(struct making *making, struct str name)
{
    read_file(making, file_named(making, name), 0);
    if (!making->failed) fwrite(making->text.data, 1, making->text.size, stdout);
}

static void make_code(struct making *making, char **argv, int argc)
{
    making->folder = argv[1];
    find_files(making);
    put_functions(making);
    put_header(making);
    check_filled(making, argv + 4, argc - 4);
    if (making->failed) return;
    put_file(making, argv[2], buf_str(&making->text));
    put_file(making, argv[3], buf_str(&making->code));
}

int main(int argc, char **argv)
{
    struct making making = { 0 };

    buf_init(&making.code, FILE_BYTES_MAX);
    buf_init(&making.text, FILE_BYTES_MAX);
    making.show = argc == 3 && strcmp(argv[1], "--show") == 0;
    if (making.show || (argc == 3 && strcmp(argv[1], "--text") == 0)) {
        make_text(&making, str_of(argv[2]));
    } else if (argc >= 4) {
        make_code(&making, argv, argc);
    } else {
        fprintf(stderr, "usage: prompts FOLDER HEADER SOURCE C-FILE... | --text FILE | "
                "--show FILE\n");
        making.failed = true;
    }
    buf_release(&making.code);
    buf_release(&making.text);
    arena_release(&making.arena);
    return making.failed;
}
