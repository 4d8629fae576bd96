/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.c - a list of tasks: as JSON, in and out; names for tasks that have none.
 *
 * 1. An id is what agents and tools call a task by: letters, digits, '-', '_', '.'. It is unique;
 *    tasks_order() sees to that.
 * 2. A member that looks like depends_on and is not called so is refused: passed over, it would
 *    let a task begin too early. Other members nobody knows are ignored.
 * 3. What tasks_write() writes, tasks_read_json() reads back as it was.
 *
 * Not here: checklists (checklist.c), the order of tasks (order.c). */
#include "dialect/loops/tasks.h"

#include "base/byte.h"
#include "dialect/answer.h"
#include "dialect/word_map.h"
#include "format/json/json.h"

enum { MADE_ID_BYTES_MAX = 40 };

/* ---- parts ---- */

struct loops_task *tasks_add(struct loops_tasks *tasks, struct arena *arena, struct err *err)
{
    if (tasks->count == TASKS_MAX) {
        err_set(err, ERR_LIMIT, "there are more than %d tasks", TASKS_MAX);
        return NULL;
    }
    tasks->items = arena_grow(arena, tasks->items, tasks->count, &tasks->cap,
                              sizeof *tasks->items);
    tasks->items[tasks->count] = (struct loops_task){ .id = "", .title = "", .group = "",
                                                      .text = { "", 0 } };
    return &tasks->items[tasks->count++];
}

const char *task_line(struct str text, size_t bytes_max, struct arena *arena)
{
    size_t used = 0;
    char *line;

    text = str_head(str_trim(answer_mended(text, arena)), bytes_max);
    line = arena_alloc(arena, text.size + 1);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        bool blank = byte <= ' ' || byte == 0x7f;

        if (blank && (used == 0 || line[used - 1] == ' ')) continue;
        line[used++] = blank ? ' ' : (char)byte;
    }
    while (used > 0 && line[used - 1] == ' ') used--;
    line[used] = '\0';
    return line;
}

bool task_id_is_valid(struct str id)
{
    if (id.size == 0 || id.size > TASK_ID_BYTES_MAX || !byte_is_alnum(id.data[0])) {
        return false;
    }
    for (size_t i = 0; i < id.size; i++) {
        char byte = id.data[i];
        if (!byte_is_alnum(byte) && byte != '-' && byte != '_' && byte != '.') return false;
    }
    return true;
}

/* ---- names for those that have none ---- */

/* "add-the-form" of "Add the form!"; "" where no letter is left. */
static const char *id_of_title(const char *title, struct arena *arena)
{
    char id[MADE_ID_BYTES_MAX + 1];
    size_t used = 0, whole = 0;

    for (const char *at = title; *at && used < MADE_ID_BYTES_MAX; at++) {
        if (byte_is_alnum(*at)) {
            id[used++] = byte_small(*at);
            if (!byte_is_alnum(at[1])) whole = used;
        } else if (used > 0 && id[used - 1] != '-') {
            id[used++] = '-';
        }
    }
    id[whole ? whole : used] = '\0';
    return arena_cstr(arena, str_of(id));
}

void tasks_name(struct loops_tasks *tasks, struct arena *arena)
{
    struct word_map taken;

    word_map_init(&taken, tasks->count, arena);
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (*tasks->items[i].id) *word_map_at(&taken, tasks->items[i].id) = 1;
    }
    for (uint32_t i = 0; i < tasks->count; i++) {
        struct loops_task *task = &tasks->items[i];
        const char *base;

        if (*task->id) continue;
        base = id_of_title(task->title, arena);
        if (!*base) base = arena_printf(arena, "task-%u", (unsigned)i + 1);
        task->id = base;
        for (uint32_t nth = i + 1; word_map_find(&taken, task->id); nth++) {
            task->id = arena_printf(arena, "%s-%u", base, (unsigned)nth);
        }
        *word_map_at(&taken, task->id) = 1;
    }
}

/* ---- JSON, in ---- */

/* Which task, for messages: "tasks[3] (login)". */
static const char *path_of(const struct loops_task *task, uint32_t index, struct arena *arena)
{
    const char *name = *task->id ? task->id : task->title;

    if (!*name) return arena_printf(arena, "tasks[%u]", (unsigned)index);
    return arena_printf(arena, "tasks[%u] (%.60s)", (unsigned)index, name);
}

/* A text; or a whole number, as ids are often given. False: neither, and not missing. */
static bool read_text(yyjson_val *value, struct arena *arena, struct str *out)
{
    *out = (struct str){ "", 0 };
    if (!value || yyjson_is_null(value)) return true;
    if (yyjson_is_uint(value)) {
        *out = str_of(arena_printf(arena, "%llu", (unsigned long long)yyjson_get_uint(value)));
        return true;
    }
    if (!yyjson_is_str(value)) return false;
    *out = arena_copy(arena, (struct str){ yyjson_get_str(value), yyjson_get_len(value) });
    return true;
}

static int read_id(yyjson_val *value, struct arena *arena, const char **out, struct err *err)
{
    struct str text;

    *out = "";
    if (!read_text(value, arena, &text)) return err_set(err, ERR_FORMAT, "must be a text");
    text = str_trim(text);
    if (text.size == 0 || task_id_is_valid(text)) {
        *out = arena_cstr(arena, text);
        return 0;
    }
    return err_set(err, ERR_FORMAT, "'%s' is no id: at most %d letters, digits, '-', '_' and '.', "
                   "with a letter or a digit in front", task_line(text, 60, arena),
                   TASK_ID_BYTES_MAX);
}

static int read_needs(yyjson_val *list, struct loops_task *task, struct arena *arena,
                      struct err *err)
{
    yyjson_arr_iter items = yyjson_arr_iter_with(list);
    int rc = 0;

    if (!list || yyjson_is_null(list)) return 0;
    if (!yyjson_is_arr(list)) return err_set(err, ERR_FORMAT, "depends_on must be a list of ids");
    if (yyjson_arr_size(list) > TASK_NEEDS_MAX) {
        return err_set(err, ERR_LIMIT, "depends_on names more than %d tasks", TASK_NEEDS_MAX);
    }
    task->needs = arena_alloc(arena, (yyjson_arr_size(list) + 1) * sizeof *task->needs);
    for (yyjson_val *item; rc == 0 && (item = yyjson_arr_iter_next(&items)) != NULL;) {
        rc = read_id(item, arena, &task->needs[task->need_count], err);
        if (rc == 0 && !*task->needs[task->need_count]) {
            rc = err_set(err, ERR_FORMAT, "must be the id of a task");
        }
        if (rc != 0) return err_wrap(err, "depends_on[%u]", (unsigned)task->need_count);
        task->need_count++;
    }
    return rc;
}

/* dependsOn, dependencies, depends-on ... */
static int check_members(yyjson_val *object, struct arena *arena, struct err *err)
{
    yyjson_obj_iter members = yyjson_obj_iter_with(object);

    for (yyjson_val *key; (key = yyjson_obj_iter_next(&members)) != NULL;) {
        struct str name = { yyjson_get_str(key), yyjson_get_len(key) };

        if (str_starts(name, STR("depend")) && !str_is(name, "depends_on")) {
            return err_set(err, ERR_FORMAT, "'%s' is not known: it is called depends_on",
                           task_line(name, 60, arena));
        }
    }
    if (!json_has_duplicates(object)) return 0;
    return err_set(err, ERR_FORMAT, "it has a member twice");
}

/* The beginning of a text as a title, where there is none. */
static const char *title_of(struct str text, struct arena *arena)
{
    struct str line = { "", 0 };

    while (str_trim(line).size == 0 && str_cut(&text, '\n', &line)) {}
    return task_line(line, TASK_TITLE_BYTES_MAX, arena);
}

static int read_words(yyjson_val *object, struct loops_task *task, struct arena *arena,
                      struct err *err)
{
    static const char *const keys[] = { "title", "description", "group" };
    struct str texts[3];

    for (size_t i = 0; i < 3; i++) {
        if (!read_text(yyjson_obj_get(object, keys[i]), arena, &texts[i])) {
            return err_set(err, ERR_FORMAT, "%s must be a text", keys[i]);
        }
    }
    task->title = task_line(texts[0], TASK_TITLE_BYTES_MAX, arena);
    task->text = str_trim(texts[1]);
    task->group = task_line(texts[2], TASK_TITLE_BYTES_MAX, arena);
    if (task->text.size > TASK_TEXT_BYTES_MAX) {
        return err_set(err, ERR_LIMIT, "its description is longer than %d KiB",
                       TASK_TEXT_BYTES_MAX / 1024);
    }
    if (!*task->title) task->title = title_of(task->text, arena);
    if (!*task->title) task->title = task->id;
    if (*task->title) return 0;
    return err_set(err, ERR_FORMAT, "it has neither a title nor a description");
}

static int read_task(yyjson_val *object, struct loops_task *task, struct arena *arena,
                     struct err *err)
{
    uint64_t lane = 0;
    int rc;

    if (!yyjson_is_obj(object)) return err_set(err, ERR_FORMAT, "a task must be an object");
    rc = check_members(object, arena, err);
    if (rc != 0) return rc;
    rc = read_id(yyjson_obj_get(object, "id"), arena, &task->id, err);
    if (rc != 0) return err_wrap(err, "id");
    rc = read_words(object, task, arena, err);
    if (rc == 0) rc = read_needs(yyjson_obj_get(object, "depends_on"), task, arena, err);
    task->done = yyjson_get_bool(yyjson_obj_get(object, "done"));
    if (json_uint(object, "lane", &lane) && lane <= TASKS_MAX) task->lane = (uint32_t)lane;
    return rc;
}

/* Groups have numbers by the order in which their names first appear. */
static void number_groups(struct loops_tasks *tasks, struct arena *arena)
{
    struct word_map groups;

    word_map_init(&groups, tasks->count, arena);
    for (uint32_t i = 0; i < tasks->count; i++) {
        uint32_t *number = word_map_at(&groups, tasks->items[i].group);

        if (*number == 0) *number = groups.count;
        tasks->items[i].group_number = *number;
    }
}

static int read_list(yyjson_val *root, struct arena *arena, struct loops_tasks *out,
                     struct err *err)
{
    yyjson_val *list = yyjson_obj_get(root, "tasks");
    yyjson_arr_iter items = yyjson_arr_iter_with(list);
    int rc = 0;

    if (!yyjson_is_obj(root) || !yyjson_is_arr(list)) {
        return err_set(err, ERR_FORMAT, "wanted: {\"tasks\":[{\"id\",\"title\",\"description\","
                       "\"group\",\"depends_on\"}]}");
    }
    if (json_has_duplicates(root)) return err_set(err, ERR_FORMAT, "it has a member twice");
    for (yyjson_val *item; rc == 0 && (item = yyjson_arr_iter_next(&items)) != NULL;) {
        struct loops_task *task = tasks_add(out, arena, err);

        if (!task) return ERR_LIMIT;
        rc = read_task(item, task, arena, err);
        if (rc != 0) return err_wrap(err, "%s", path_of(task, out->count - 1, arena));
    }
    return rc;
}

int tasks_read_json(struct str text, struct arena *arena, struct loops_tasks *out, struct err *err)
{
    yyjson_doc *doc;
    int rc;

    *out = (struct loops_tasks){ 0 };
    rc = json_read(text, &doc, err);
    if (rc != 0) return rc;
    rc = read_list(yyjson_doc_get_root(doc), arena, out, err);
    yyjson_doc_free(doc);
    if (rc != 0) return rc;
    number_groups(out, arena);
    tasks_name(out, arena);
    return 0;
}

int tasks_read(struct str text, struct arena *arena, struct loops_tasks *out, struct err *err)
{
    const struct str mark = STR("\xef\xbb\xbf");

    if (str_starts(text, mark)) text = str_skip(text, mark.size);
    if (str_starts(str_trim(text), STR("{"))) return tasks_read_json(text, arena, out, err);
    return tasks_read_checklist(text, arena, out, err);
}

/* ---- JSON, out ---- */

static void write_task(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct loops_task *task)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list), *needs;

    yyjson_mut_obj_add_val(doc, object, "id", json_text(doc, str_of(task->id)));
    yyjson_mut_obj_add_val(doc, object, "title", json_text(doc, str_of(task->title)));
    yyjson_mut_obj_add_val(doc, object, "description", json_text(doc, task->text));
    yyjson_mut_obj_add_val(doc, object, "group", json_text(doc, str_of(task->group)));
    needs = yyjson_mut_obj_add_arr(doc, object, "depends_on");
    for (uint32_t i = 0; i < task->need_count; i++) {
        yyjson_mut_arr_append(needs, json_text(doc, str_of(task->needs[i])));
    }
    if (task->done) yyjson_mut_obj_add_bool(doc, object, "done", true);
    if (task->lane) yyjson_mut_obj_add_uint(doc, object, "lane", task->lane);
}

void tasks_write(const struct loops_tasks *tasks, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = yyjson_mut_obj(doc);
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "tasks");

    yyjson_mut_doc_set_root(doc, root);
    for (uint32_t i = 0; i < tasks->count; i++) write_task(doc, list, &tasks->items[i]);
    json_write(doc, false, out);
    yyjson_mut_doc_free(doc);
}
