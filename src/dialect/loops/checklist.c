/* SPDX-License-Identifier: Apache-2.0
 *
 * checklist.c - a Markdown checklist as tasks.
 *
 *     # Plan                                      a heading with items below it is a group
 *     - [ ] login: Add the form - with a test     id, title, text
 *       Refuse an empty name.                     more text
 *       - [ ] tell why                            likewise: a step of the task above
 *       depends_on: db, mail                      or at the end of an item: (depends_on: db)
 *     - [x] db: Add the tables                    done
 *
 * 1. What is indented below an item belongs to it, whatever it looks like.
 * 2. In code fences and HTML comments outside of items nothing is an item or a heading.
 * 3. Two headings are two groups, also where they say the same. */
#include "dialect/loops/tasks.h"

#include "base/byte.h"
#include "dialect/prose.h"

#include <string.h>

enum { TAB_COLUMNS = 4 };

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

/* ---- lines ---- */

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

/* Behind "- ", "* ", "+ ", "1. ", "1) "; false where the line is no item of a list. */
static bool skip_bullet(struct str *line)
{
    struct str rest = *line;
    size_t digits = 0;

    while (digits < rest.size && byte_is_digit(rest.data[digits])) digits++;
    rest = str_skip(rest, digits);
    if (rest.size < 2 || !strchr(digits ? ".)" : "-*+", rest.data[0]) || !rest.data[0]) {
        return false;
    }
    if (rest.data[1] != ' ' && rest.data[1] != '\t') return false;
    *line = str_trim(str_skip(rest, 2));
    return true;
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

/* A heading without the marks that may close it: "web ##", but not "C#". */
static struct str unclosed(struct str heading)
{
    struct str text = str_trim(heading);

    while (str_ends(text, STR("#"))) text.size--;
    return text.size == 0 || str_ends(text, STR(" ")) ? text : heading;
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

/* ---- dependencies ---- */

static struct str unmarked(struct str word)
{
    while (word.size && (word.data[0] == '`' || word.data[0] == '*')) word = str_skip(word, 1);
    while (word.size && (word.data[word.size - 1] == '`' || word.data[word.size - 1] == '*')) {
        word.size--;
    }
    return word;
}

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
    while (rest.size && (rest.data[0] == '*' || rest.data[0] == '`')) rest = str_skip(rest, 1);
    if (rest.size == 0 || rest.data[0] != ':') return false;
    *text = str_trim(str_skip(rest, 1));
    while (text->size && text->data[0] == '*') *text = str_trim(str_skip(*text, 1));
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

/* ---- items ---- */

/* "login: " in front of a title. */
static void cut_id(struct checklist *list, struct loops_task *task, struct str *text)
{
    struct str rest = *text, word;

    if (!str_cut(&rest, ':', &word) || rest.size == 0) return;
    if (rest.data[0] == '*' || rest.data[0] == '`') { /* **login:** */
        while (rest.size && (rest.data[0] == '*' || rest.data[0] == '`')) rest = str_skip(rest, 1);
    }
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

    for (size_t at = 1; at < text->size; at++) {
        for (size_t i = 0; i < sizeof dashes / sizeof *dashes; i++) {
            struct str rest = str_skip(*text, at), title = { text->data, at };

            if (!str_starts(rest, dashes[i])) continue;
            *text = str_trim(str_skip(rest, dashes[i].size));
            return title;
        }
    }
    {
        struct str title = *text;
        *text = (struct str){ "", 0 };
        return title;
    }
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

    names = rest;
    (void)skip_bullet(&names);
    if (list->fence.size == 0 && skip_depends(&names)) return add_needs(list, task, names);
    kept = indent > list->indent + 2 ? indent - list->indent - 2 : 0;
    buf_byte(&list->text, '\n');
    if (rest.size > 0) buf_printf(&list->text, "%*s", (int)(kept < 80 ? kept : 80), "");
    buf_add(&list->text, rest);
    return 0;
}

/* ---- the text ---- */

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

static bool has_text(struct str text, const char *part)
{
    return text.size > 0 && memmem(text.data, text.size, part, strlen(part)) != NULL;
}

static int take_line(struct checklist *list, struct str line)
{
    struct str rest, heading;
    uint32_t indent = indent_of(line, &rest);
    bool ticked, fenced;
    int rc;

    if (list->open && (rest.size == 0 || indent > list->indent)) {
        rc = add_text(list, line);
        follow_fence(list, rest);
        return rc;
    }
    rc = close_item(list);
    if (list->comment || str_starts(rest, STR("<!--"))) {
        list->comment = !has_text(rest, "-->");
        return rc;
    }
    fenced = list->fence.size > 0;
    follow_fence(list, rest);
    if (rc != 0 || fenced || list->fence.size > 0) return rc;
    if (indent < TAB_COLUMNS && prose_heading(rest, &heading)) {
        list->group = task_line(unclosed(heading), TASK_TITLE_BYTES_MAX, list->arena);
        list->headings++;
    } else if (skip_bullet(&rest) && skip_box(&rest, &ticked)) {
        rc = open_item(list, rest, indent, ticked);
    }
    return rc;
}

int tasks_read_checklist(struct str text, struct arena *arena, struct loops_tasks *out,
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
    if (rc == 0) tasks_name(out, arena);
    return rc;
}
