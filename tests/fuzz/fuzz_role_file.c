/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_role_file.c - any bytes as role files: refused with the file's name, or a role that is
 * bounded, gives up rights and never takes them, and whose remit holds neither the fence nor what a
 * terminal would act on. The bytes up to each line "%%" are the file of a, of b, of c: so they can
 * extend each other, and the one that is built in. */
#include "dialect/role_file.h"

#include <assert.h>
#include <string.h>

#define FENCE "0f3nc3"

enum { FILES_MAX = 3, LINE_MAX = 1024, BODY_MAX = 32 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_builtin(const char *name)
{
    return strcmp(name, "critic") == 0;
}

static void check_line(const char *text)
{
    if (!text) return;
    assert(*text && strlen(text) <= LINE_MAX && !strchr(text, '\n') && !strchr(text, '\x1b'));
}

static void check_file(const struct role_file *file, bool of_claude)
{
    check_line(file->extends);
    check_line(file->agent);
    check_line(file->effort);
    if (!of_claude) check_line(file->description);
    assert(!file->model || (of_claude && is_model_name(str_of(file->model))));
    assert(!file->paths || (*file->paths && strlen(file->paths) <= ROLE_FILE_BYTES_MAX));
    assert(!(file->extends && file->replaces));
    assert(file->body.size <= BODY_MAX && (file->body.size > 0 || file->extends));
    assert(!of_claude || (!file->agent && !file->replaces && !file->writes && !file->extends));
}

static void check_read(struct str text, const char *path, struct arena *arena)
{
    struct role_file file;
    struct err err = { 0 };

    if (role_file_read("a", path, text, arena, &file, &err) == 0) {
        check_file(&file, path[1] == 'c');
    } else {
        assert(err.code == ERR_USAGE);
        assert(strncmp(err.text, path, strlen(path)) == 0 && err.text[strlen(path)] == ':');
    }
}

static void check_remit(const struct own_role *role)
{
    struct buf out;

    buf_init(&out, ROLE_REMIT_BYTES_MAX);
    own_role_remit(role, FENCE, &out);
    assert(!out.overflow);
    assert(!memmem(out.data ? out.data : "", out.size, FENCE, sizeof FENCE - 1));
    for (size_t i = 0; i < out.size; i++) {
        unsigned char byte = (unsigned char)out.data[i];

        assert((byte >= ' ' && byte != 0x7f) || byte == '\n' || byte == '\t');
    }
    buf_release(&out);
}

static void check_chain(const struct settings *settings, const char *name, struct arena *arena)
{
    struct own_role role;
    struct err err = { 0 };
    bool found;

    if (own_role_find(settings, name, is_builtin, arena, &found, &role, &err) != 0) {
        assert(err.code == ERR_USAGE && err.text[0]);
        return;
    }
    if (!found) return;
    assert(strcmp(role.file.name, name) == 0);
    assert(role.body_count <= ROLE_CHAIN_MAX && (role.body_count > 0 || role.base));
    assert(!role.base || is_builtin(role.base));
    assert(!is_builtin(name) || role.base || role.file.replaces); /* or it was replaced unsaid */
    check_remit(&role);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[FILES_MAX] = { ".hone/roles/a.md", ".hone/roles/b.md",
                                                  ".hone/roles/critic.md" };
    struct config_text files[FILES_MAX];
    struct settings settings = { .files = files };
    struct str rest = { (const char *)data, size };
    struct arena arena = { 0 };

    if (size > 1 << 16) return 0;
    check_read(rest, ".hone/roles/a.md", &arena);
    check_read(rest, ".claude/agents/a.md", &arena);
    while (rest.size > 0 && settings.file_count < FILES_MAX) {
        const char *end = memmem(rest.data, rest.size, "\n%%\n", 4);
        size_t used = end ? (size_t)(end - rest.data) + 1 : rest.size;

        files[settings.file_count] = (struct config_text){ .path = paths[settings.file_count],
                                                           .text = str_head(rest, used) };
        settings.file_count++;
        rest = str_skip(rest, end ? used + 3 : used);
    }
    check_chain(&settings, "a", &arena);
    check_chain(&settings, "b", &arena);
    check_chain(&settings, "critic", &arena);
    arena_release(&arena);
    return 0;
}
