/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.c - a list of tasks, read and written: JSON, in and out; a Markdown checklist, in.
 *
 *     {"tasks":[{"id":"login","title":"Add the form","description":"...","group":"web",
 *                "depends_on":["db"]}]}
 *
 *     # Plan                                      a heading with items below it is a group
 *     - [ ] login: Add the form - with a test     id, title, text
 *       Refuse an empty name.                     more text
 *       - [ ] tell why                            likewise: a step of the task above
 *       depends_on: db, mail                      or at the end of an item: (depends_on: db)
 *     - [x] db: Add the tables                    done
 *
 * 1. An id is what agents and tools call a task by: letters, digits, '-', '_', '.'. It is unique;
 *    tasks_order() sees to that. A task that has none gets one, made of its title.
 * 2. A member that looks like depends_on and is not called so is refused: passed over, it would
 *    let a task begin too early. Other members that are not known are ignored.
 * 3. What tasks_write() writes, tasks_read_json() reads back as it was.
 * 4. What is indented below an item of a checklist belongs to it, also where it looks like an item
 *    or a heading.
 * 5. In code fences and HTML comments outside of items nothing is an item or a heading.
 * 6. Two headings are two groups, also where they say the same.
 *
 * Not here: the order of tasks (order.c). */
#include "dialect/loops/loops.h"

#include "base/byte.h"
#include "base/text_map.h"
#include "dialect/answer.h"
#include "dialect/prose.h"
#include "format/json/json.h"

#include <string.h>

enum { MADE_ID_BYTES_MAX = 40, TAB_COLUMNS = 4 };

/* ---- parts ---- */

const struct loops_task *tasks_find(const struct loops_tasks *tasks, struct str id)
{
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (str_is(id, tasks->items[i].id)) return &tasks->items[i];
    }
    return NULL;
}

const struct loops_task *tasks_of_lane(const struct loops_tasks *tasks, uint32_t lane)
{
    for (uint32_t i = 0; i < tasks->count && lane > 0; i++) {
        if (tasks->items[i].lane == lane) return &tasks->items[i];
    }
    return NULL;
}

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

static void name_tasks(struct loops_tasks *tasks, struct arena *arena)
{
    struct text_map taken = { 0 };

    for (uint32_t i = 0; i < tasks->count; i++) {
        if (*tasks->items[i].id) *text_map_put(&taken, str_of(tasks->items[i].id), NULL) = i;
    }
    for (uint32_t i = 0; i < tasks->count; i++) {
        struct loops_task *task = &tasks->items[i];
        const char *base;

        if (*task->id) continue;
        base = id_of_title(task->title, arena);
        if (!*base) base = arena_printf(arena, "task-%u", (unsigned)i + 1);
        task->id = base;
        for (uint32_t nth = i + 1; *text_map_put(&taken, str_of(task->id), NULL) != MAP_NONE;
             nth++) {
            task->id = arena_printf(arena, "%s-%u", base, (unsigned)nth);
        }
        *text_map_put(&taken, str_of(task->id), NULL) = i;
    }
    text_map_release(&taken);
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
    *out = arena_copy(arena, json_value(value));
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
        struct str name = json_value(key);

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
static void number_groups(struct loops_tasks *tasks)
{
    struct text_map groups = { 0 };

    for (uint32_t i = 0; i < tasks->count; i++) {
        uint32_t *number = text_map_put(&groups, str_of(tasks->items[i].group), NULL);

        if (*number == MAP_NONE) *number = groups.count;
        tasks->items[i].group_number = *number;
    }
    text_map_release(&groups);
}

void tasks_name(struct loops_tasks *tasks, struct arena *arena)
{
    number_groups(tasks);
    name_tasks(tasks, arena);
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
    if (rc == 0) tasks_name(out, arena);
    return rc;
}

/* ---- a checklist ---- */

struct checklist {
    struct loops_tasks *tasks;
    struct arena *arena;
    struct err *err;
    uint32_t line;       /* of the text, from 1 */
    const char *group;
    uint32_t headings;
    bool open;           /* there is an item that lines below may belong to: the last task */
    uint32_t indent;     /* of that item */
    struct buf text;     /* what it says beyond its title */
    struct str fence;    /* inside a code fence: what began it; else empty */
    bool comment;        /* inside an HTML comment */
};

/* ---- a checklist: lines ---- */

static uint32_t indent_of(struct str line, struct str *rest)
{
    uint32_t columns = 0;
    size_t at = 0;

    for (; at < line.size && (line.data[at] == ' ' || line.data[at] == '\t'); at++) {
        columns += line.data[at] == '\t' ? TAB_COLUMNS - columns % TAB_COLUMNS : 1;
    }
    *rest = str_skip(line, at);
    return columns;
}

/* Behind "[ ] "; false where there is no box. */
static bool skip_box(struct str *line, bool *ticked)
{
    struct str rest = *line;

    if (rest.size < 3 || rest.data[0] != '[' || rest.data[2] != ']') return false;
    if (rest.size > 3 && rest.data[3] != ' ' && rest.data[3] != '\t') return false;
    *ticked = rest.data[1] == 'x' || rest.data[1] == 'X';
    if (!*ticked && rest.data[1] != ' ') return false;
    *line = str_trim(str_skip(rest, 3));
    return true;
}

/* The fence a line begins or ends; empty: none. */
static struct str fence_of(struct str line)
{
    size_t size = 0;

    while (size < line.size && (line.data[size] == '`' || line.data[size] == '~') &&
           line.data[size] == line.data[0]) {
        size++;
    }
    return (struct str){ line.data, size >= 3 ? size : 0 };
}

/* ---- a checklist: dependencies ---- */

static struct str unmarked(struct str word) { return text_bare(word, "`*", "`*"); }

/* "depends_on: a, b", "Depends on: a" */
static bool skip_depends(struct str *text)
{
    struct str rest = unmarked(*text);

    if (!starts_with_word(rest, "depends")) return false;
    rest = str_skip(rest, strlen("depends"));
    if (rest.size == 0 || !strchr("_ -", rest.data[0]) || !rest.data[0]) return false;
    rest = str_skip(rest, 1);
    if (!starts_with_word(rest, "on")) return false;
    rest = str_skip(rest, strlen("on"));
    rest = text_skip(rest, "*`");
    if (!str_starts(rest, STR(":"))) return false;
    *text = str_trim(text_skip(str_skip(rest, 1), " \t*"));
    return true;
}

static int add_need(struct checklist *list, struct loops_task *task, struct str word)
{
    if (str_is(word, "none") || str_is(word, "-")) return 0;
    if (!task_id_is_valid(word)) {
        return err_set(list->err, ERR_FORMAT, "'%s' is no id of a task",
                       task_line(word, 60, list->arena));
    }
    if (task->need_count == TASK_NEEDS_MAX) {
        return err_set(list->err, ERR_LIMIT, "depends_on names more than %d tasks",
                       TASK_NEEDS_MAX);
    }
    if ((task->need_count & (task->need_count - 1)) == 0) { /* full at 0, 1, 2, 4 ... */
        const char **grown = arena_alloc(list->arena,
                                         (2 * task->need_count + 1) * sizeof *grown);
        if (task->need_count) memcpy(grown, task->needs, task->need_count * sizeof *grown);
        task->needs = grown;
    }
    task->needs[task->need_count++] = arena_cstr(list->arena, word);
    return 0;
}

static int add_needs(struct checklist *list, struct loops_task *task, struct str names)
{
    struct str piece, word;
    int rc = 0;

    while (rc == 0 && str_cut(&names, ',', &piece)) {
        piece = str_trim(piece);
        while (rc == 0 && str_cut(&piece, ' ', &word)) {
            word = unmarked(str_trim(word));
            if (word.size > 0) rc = add_need(list, task, word);
        }
    }
    return rc;
}

/* Takes "(depends_on: a, b)" off the end of an item. */
static int cut_needs(struct checklist *list, struct loops_task *task, struct str *text)
{
    size_t open = text->size;
    struct str inside;

    if (!str_ends(*text, STR(")"))) return 0;
    while (open > 0 && text->data[open - 1] != '(') open--;
    if (open == 0) return 0;
    inside = (struct str){ text->data + open, text->size - open - 1 };
    if (!skip_depends(&inside)) return 0;
    *text = str_trim((struct str){ text->data, open - 1 });
    return add_needs(list, task, inside);
}

/* ---- a checklist: items ---- */

/* "login: " in front of a title. */
static void cut_id(struct checklist *list, struct loops_task *task, struct str *text)
{
    struct str rest = *text, word;

    if (!str_cut(&rest, ':', &word) || rest.size == 0) return;
    rest = text_skip(rest, "*`"); /* **login:** */
    word = unmarked(word);
    if (rest.size == 0 || (rest.data[0] != ' ' && rest.data[0] != '\t')) return;
    if (!task_id_is_valid(word) || str_trim(rest).size == 0) return;
    task->id = arena_cstr(list->arena, word);
    *text = str_trim(rest);
}

/* The title goes up to a dash between blanks. */
static struct str cut_title(struct str *text)
{
    static const struct str dashes[] = { STR(" - "), STR(" \xe2\x80\x93 "), STR(" \xe2\x80\x94 ") };
    struct str whole;

    for (size_t at = 1; at < text->size; at++) {
        for (size_t i = 0; i < sizeof dashes / sizeof *dashes; i++) {
            struct str rest = str_skip(*text, at), title = { text->data, at };

            if (!str_starts(rest, dashes[i])) continue;
            *text = str_trim(str_skip(rest, dashes[i].size));
            return title;
        }
    }
    whole = *text;
    *text = STR("");
    return whole;
}

/* What was gathered belongs to the last task. */
static int close_item(struct checklist *list)
{
    struct loops_task *task;

    if (!list->open) return 0;
    list->open = false;
    list->fence.size = 0;
    task = &list->tasks->items[list->tasks->count - 1];
    task->text = arena_copy(list->arena, str_trim(buf_str(&list->text)));
    if (!list->text.overflow) return 0;
    return err_set(list->err, ERR_LIMIT, "%s: its text is longer than %d KiB", task->title,
                   TASK_TEXT_BYTES_MAX / 1024);
}

static int open_item(struct checklist *list, struct str text, uint32_t indent, bool ticked)
{
    struct loops_task *task = tasks_add(list->tasks, list->arena, list->err);
    int rc;

    if (!task) return ERR_LIMIT;
    *task = (struct loops_task){ .id = "", .group = list->group, .done = ticked,
                                 .group_number = list->headings + 1, .line = list->line };
    rc = cut_needs(list, task, &text);
    if (rc != 0) return rc;
    cut_id(list, task, &text);
    task->title = task_line(cut_title(&text), TASK_TITLE_BYTES_MAX, list->arena);
    if (!*task->title) return err_set(list->err, ERR_FORMAT, "the item has no title");
    list->open = true;
    list->indent = indent;
    buf_clear(&list->text);
    buf_add(&list->text, text);
    return 0;
}

/* A line of the text below an item, which is indented by more than the item. */
static int add_text(struct checklist *list, struct str line)
{
    struct loops_task *task = &list->tasks->items[list->tasks->count - 1];
    struct str rest, names;
    uint32_t indent = indent_of(line, &rest), kept;
    bool numbered;

    names = rest;
    (void)prose_item(rest, &names, &numbered);
    if (list->fence.size == 0 && skip_depends(&names)) return add_needs(list, task, names);
    kept = indent > list->indent + 2 ? indent - list->indent - 2 : 0;
    buf_byte(&list->text, '\n');
    if (rest.size > 0) buf_printf(&list->text, "%*s", (int)(kept < 80 ? kept : 80), "");
    buf_add(&list->text, rest);
    return 0;
}

/* ---- a checklist: all of it ---- */

static void follow_fence(struct checklist *list, struct str rest)
{
    struct str fence = fence_of(rest);

    if (list->fence.size == 0) {
        list->fence = fence;
    } else if (fence.size >= list->fence.size && fence.data[0] == list->fence.data[0] &&
               str_trim(str_skip(rest, fence.size)).size == 0) {
        list->fence.size = 0;
    }
}

static int take_line(struct checklist *list, struct str line)
{
    struct str rest, heading;
    uint32_t indent = indent_of(line, &rest);
    bool ticked, fenced, numbered;
    int rc;

    if (list->open && (rest.size == 0 || indent > list->indent)) {
        rc = add_text(list, line);
        follow_fence(list, rest);
        return rc;
    }
    rc = close_item(list);
    if (list->comment || str_starts(rest, STR("<!--"))) {
        list->comment = !text_has(rest, "-->");
        return rc;
    }
    fenced = list->fence.size > 0;
    follow_fence(list, rest);
    if (rc != 0 || fenced || list->fence.size > 0) return rc;
    if (indent < TAB_COLUMNS && prose_heading(rest, &heading)) {
        list->group = task_line(prose_title(heading), TASK_TITLE_BYTES_MAX, list->arena);
        list->headings++;
    } else if (prose_item(rest, &rest, &numbered) && skip_box(&rest, &ticked)) {
        rc = open_item(list, rest, indent, ticked);
    }
    return rc;
}

static int read_checklist(struct str text, struct arena *arena, struct loops_tasks *out,
                          struct err *err)
{
    struct checklist list = { .tasks = out, .arena = arena, .err = err, .group = "" };
    struct str line;
    int rc = 0;

    *out = (struct loops_tasks){ 0 };
    buf_init(&list.text, TASK_TEXT_BYTES_MAX);
    while (rc == 0 && str_cut(&text, '\n', &line)) {
        list.line++;
        if (str_ends(line, STR("\r"))) line.size--;
        rc = take_line(&list, line);
        if (rc != 0) err_wrap(err, "line %u", (unsigned)list.line);
    }
    if (rc == 0) rc = close_item(&list);
    buf_release(&list.text);
    if (rc == 0) name_tasks(out, arena);
    return rc;
}

/* ---- either ---- */

int tasks_read(struct str text, struct arena *arena, struct loops_tasks *out, struct err *err)
{
    const struct str mark = STR("\xef\xbb\xbf");

    if (str_starts(text, mark)) text = str_skip(text, mark.size);
    if (str_starts(str_trim(text), STR("{"))) return tasks_read_json(text, arena, out, err);
    return read_checklist(text, arena, out, err);
}

/* ---- JSON, out ---- */

static void write_task(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct loops_task *task)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list), *needs;

    json_add_text(doc, object, "id", str_of(task->id));
    json_add_text(doc, object, "title", str_of(task->title));
    json_add_text(doc, object, "description", task->text);
    json_add_text(doc, object, "group", str_of(task->group));
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
    yyjson_mut_val *root = json_object(doc);
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "tasks");

    for (uint32_t i = 0; i < tasks->count; i++) write_task(doc, list, &tasks->items[i]);
    json_finish(doc, false, out);
}
