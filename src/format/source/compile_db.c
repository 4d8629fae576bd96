/* SPDX-License-Identifier: Apache-2.0 */
#include "format/source/build_units.h"

#include "format/json/json.h"
#include "format/source/compile_flags.h"
#include "format/source/shell_words.h"

#include <string.h>

/* A member that is a text a file name or an argument can be; NULL otherwise. */
static const char *text_of(yyjson_val *value)
{
    const char *text = yyjson_get_str(value);

    return text && strlen(text) == yyjson_get_len(value) ? text : NULL;
}

/* The list form: words are words. False when an item is no text. */
static bool read_arguments(yyjson_val *list, struct arena *arena, struct compile *out)
{
    uint32_t count = (uint32_t)yyjson_arr_size(list), i = 0;
    struct shell_word *words = arena_alloc(arena, count * sizeof *words);
    yyjson_arr_iter items = yyjson_arr_iter_with(list);
    yyjson_val *item;

    while ((item = yyjson_arr_iter_next(&items))) {
        words[i].text = text_of(item);
        if (!words[i++].text) return false;
    }
    return compile_read(words, count, arena, out);
}

/* The text form: a shell line, of which the first compiler counts. */
static bool read_command(struct str text, struct arena *arena, struct compile *out)
{
    struct shell_line line;

    shell_split(text, arena, &line);
    for (uint32_t i = 0; i < line.count; i++) {
        const struct shell_command *command = &line.items[i];

        if (command->step == SHELL_RUN && compile_read(command->words, command->count, arena, out))
            return true;
    }
    return false;
}

static bool read_entry(yyjson_val *entry, const char *folder, struct arena *arena,
                       struct build_unit *out)
{
    const char *directory = text_of(yyjson_obj_get(entry, "directory"));
    const char *file = text_of(yyjson_obj_get(entry, "file"));
    yyjson_val *arguments = yyjson_obj_get(entry, "arguments");
    struct compile compile;

    if (!file || !*file) return false;
    if (yyjson_is_arr(arguments) ? !read_arguments(arguments, arena, &compile)
                                 : !read_command(json_str(entry, "command"), arena, &compile))
        return false;
    if (!directory || !*directory) out->folder = folder;
    else if (directory[0] == '/') out->folder = arena_cstr(arena, str_of(directory));
    else out->folder = arena_printf(arena, "%s/%s", folder, directory);
    out->file = arena_cstr(arena, str_of(file));
    out->flags = compile.flags;
    return true;
}

int compile_db_read(struct str text, const char *folder, struct arena *arena,
                    struct build_units *out, struct err *err)
{
    yyjson_doc *doc;
    yyjson_val *root, *entry;
    yyjson_arr_iter entries;
    int rc = json_read(text, &doc, err);

    *out = (struct build_units){ 0 };
    if (rc != 0) return rc;
    root = yyjson_doc_get_root(doc);
    if (!yyjson_is_arr(root)) {
        rc = err_set(err, ERR_FORMAT, "it is not a list of commands");
    } else {
        out->items = arena_alloc(arena, yyjson_arr_size(root) * sizeof *out->items);
        entries = yyjson_arr_iter_with(root);
        while (rc == 0 && (entry = yyjson_arr_iter_next(&entries))) {
            if (!yyjson_is_obj(entry))
                rc = err_set(err, ERR_FORMAT, "an entry of the list is not an object");
            else if (read_entry(entry, folder, arena, &out->items[out->count]))
                out->count++;
        }
    }
    yyjson_doc_free(doc);
    if (rc != 0) *out = (struct build_units){ 0 };
    return rc;
}
