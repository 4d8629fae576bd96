/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/dialect.h"

#include "format/json/json.h"

void contract_release(struct contract *contract)
{
    arena_release(&contract->arena);
    *contract = (struct contract){ 0 };
}

void contract_file_add(struct contract *contract, const char *path, struct str content)
{
    struct contract_file *files = arena_grow(&contract->arena, contract->files,
                                             contract->file_count, &contract->file_cap,
                                             sizeof *files);

    files[contract->file_count++] = (struct contract_file){
        .path = arena_cstr(&contract->arena, str_of(path)),
        .content = arena_copy(&contract->arena, content),
    };
    contract->files = files;
}

void contract_json_add(struct contract *contract, const char *path, struct yyjson_mut_doc *doc)
{
    struct arena arena = { 0 };

    contract_file_add(contract, path, json_keep(doc, true, &arena));
    arena_release(&arena);
}

void contract_row_add(struct contract *contract, const char *table,
                      const struct contract_cell *cells, uint32_t count)
{
    struct contract_row *rows = arena_grow(&contract->arena, contract->rows, contract->row_count,
                                           &contract->row_cap, sizeof *rows);
    struct contract_cell *copy = arena_alloc(&contract->arena, count * sizeof *copy);

    for (uint32_t i = 0; i < count; i++) {
        copy[i] = cells[i];
        copy[i].text = arena_copy(&contract->arena, cells[i].text);
    }
    rows[contract->row_count++] = (struct contract_row){ table, copy, count };
    contract->rows = rows;
}

static const char **path_add(struct arena *arena, const char **paths, uint32_t count,
                             uint32_t *cap, const char *path)
{
    paths = arena_grow(arena, paths, count, cap, sizeof *paths);
    paths[count] = arena_cstr(arena, str_of(path));
    return paths;
}

void contract_folder_add(struct contract *contract, const char *path)
{
    contract->folders = path_add(&contract->arena, contract->folders, contract->folder_count,
                                 &contract->folder_cap, path);
    contract->folder_count++;
}

void contract_absent_add(struct contract *contract, const char *path)
{
    contract->absent = path_add(&contract->arena, contract->absent, contract->absent_count,
                                &contract->absent_cap, path);
    contract->absent_count++;
}

void restored_add(struct restored *restored, struct event event)
{
    struct event *events = arena_grow(&restored->arena, restored->events, restored->count,
                                      &restored->cap, sizeof *events);

    events[restored->count++] = event;
    restored->events = events;
}
