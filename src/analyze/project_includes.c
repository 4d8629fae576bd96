/* SPDX-License-Identifier: Apache-2.0
 *
 * project_includes.c - what each unit depends on.
 *
 * A graph of files: the project's sources, and all else that they include (system headers, files
 * that git ignores). Its edges depend on the flags, since they say where to look; units that look
 * in the same folders share them. A unit depends on all that can be reached from it.
 *
 * "x" is looked for beside the file that includes it, then in the folders of -iquote; both "x" and
 * <x> in those of -I, -isystem, the system's own, and -idirafter. Folders that are not there are
 * left out: a compiler does not mind, and no file is looked for there again.
 *
 * 1. A file is read and scanned once.
 * 2. A path is looked up on the disk once.
 * 3. Edges are those of one search at a time (stamp); units are taken search by search.
 * 4. An included file that is not found has a node, too, by its name: when it appears one day, the
 *    key of the unit changes. Headers of the compiler itself (stddef.h) are such nodes for ever.
 * 5. A file that cannot be read is a problem of the units that need it, and of no other.
 *
 * Not here: which words of a text include something (format/source/includes.c). */
#include "analyze/project.h"

#include "analyze/target.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text_map.h"
#include "format/report/fix.h"
#include "format/source/includes.h"
#include "io/file/file.h"
#include "io/file/peek.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Where the compiler of a unit looks for what it includes, in its order. */
struct search {
    const char **folders;   /* absolute, and there */
    uint32_t count, quoted; /* the first ones are for "x" alone */
    const char **forced;    /* what -include names */
    uint32_t forced_count;
    const char *folder;     /* where forced ones are looked for first */
};

struct searches {
    struct arena *arena;
    struct search *items;
    uint32_t count, cap;
    struct text_map by_flags, by_folders;
    const char *const *standard; /* folders that every compiler looks in */
    uint32_t standard_count;
};

/* ---- the folders that are looked in ---- */

static void searches_init(struct searches *searches, struct arena *arena)
{
    *searches = (struct searches){ .arena = arena, .standard = target_folders(arena) };
    while (searches->standard[searches->standard_count]) searches->standard_count++;
}

static void searches_release(struct searches *searches)
{
    text_map_release(&searches->by_flags);
    text_map_release(&searches->by_folders);
    free(searches->items);
    *searches = (struct searches){ 0 };
}

static void add_folder(struct searches *searches, const struct source *unit, const char *path,
                       struct search *search)
{
    const char *folder = path_joined(unit->folder, str_of(path), searches->arena);
    struct arena scratch = { 0 };

    if (real_folder(folder, &scratch)) search->folders[search->count++] = folder;
    arena_release(&scratch);
}

/* The folders of one flag, which is "-I" with the folder joined to it, or a word of its own. */
static void add_folders(struct searches *searches, const struct source *unit, const char *name,
                        struct search *search)
{
    bool joined = strcmp(name, "-I") == 0;

    for (const char *const *flag = unit->flags; *flag; flag++) {
        if (joined && str_starts(str_of(*flag), STR("-I")))
            add_folder(searches, unit, *flag + 2, search);
        else if (strcmp(*flag, name) == 0 && flag[1])
            add_folder(searches, unit, *++flag, search);
    }
}

static struct search make_search(struct searches *searches, const struct source *unit)
{
    struct search search = { .folder = unit->folder };
    bool standard = true;
    uint32_t most = 0;

    assert(unit->flags && unit->folder); /* project_find_flags() was called */
    while (unit->flags[most]) most++;
    search.folders = arena_alloc(searches->arena,
                                 (most + searches->standard_count) * sizeof *search.folders);
    search.forced = arena_alloc(searches->arena, most * sizeof *search.forced);
    for (const char *const *flag = unit->flags; *flag; flag++) {
        if (strcmp(*flag, "-nostdinc") == 0) standard = false;
        if (flag[1] && (strcmp(*flag, "-include") == 0 || strcmp(*flag, "-imacros") == 0))
            search.forced[search.forced_count++] = *++flag;
    }
    add_folders(searches, unit, "-iquote", &search);
    search.quoted = search.count;
    add_folders(searches, unit, "-I", &search);
    add_folders(searches, unit, "-isystem", &search);
    for (uint32_t i = 0; standard && i < searches->standard_count; i++)
        search.folders[search.count++] = searches->standard[i];
    add_folders(searches, unit, "-idirafter", &search);
    return search;
}

static void add_word(struct buf *out, const char *word)
{
    buf_text(out, word);
    buf_byte(out, '\0');
}

/* All that makes two searches different. */
static void describe_search(const struct search *search, struct buf *out)
{
    for (uint32_t i = 0; i < search->count; i++) {
        if (i == search->quoted) add_word(out, "");
        add_word(out, search->folders[i]);
    }
    if (search->forced_count) add_word(out, "");
    if (search->forced_count) add_word(out, search->folder);
    for (uint32_t i = 0; i < search->forced_count; i++) add_word(out, search->forced[i]);
}

/* The number of the search, which is new or known under another set of flags. */
static uint32_t add_search(struct searches *searches, const struct source *unit)
{
    struct search search = make_search(searches, unit);
    uint32_t *number;
    struct buf key;

    buf_init(&key, SIZE_MAX / 4);
    describe_search(&search, &key);
    number = text_map_put(&searches->by_folders, buf_str(&key), searches->arena);
    buf_release(&key);
    if (*number == MAP_NONE) {
        searches->items = mem_grow(searches->items, searches->count, &searches->cap,
                                   sizeof *searches->items);
        *number = searches->count;
        searches->items[searches->count++] = search;
    }
    return *number;
}

/* The number of a unit's search: the same for units that look in the same places. */
static uint32_t searches_find(struct searches *searches, const struct source *unit)
{
    /* Units that are compiled alike have the same pointer (project.h). */
    const struct str key = { (const char *)&unit->flags, sizeof unit->flags };
    uint32_t *number = text_map_put(&searches->by_flags, key, searches->arena);

    if (*number == MAP_NONE) *number = add_search(searches, unit);
    return *number;
}

enum { NUL_BYTES = 8 << 10, PATH_BYTES_MAX = 64 << 10 };

static const uint32_t nowhere = MAP_NONE - 1;

/* A file, or a name that is nowhere. The first ones are the project's sources. */
struct node {
    const char *path;   /* absolute; NULL: nowhere */
    const char *inside; /* of what is no source: its path in the workspace; NULL: outside */
    uint64_t hash;    /* of path and content together, for what is no source */
    struct includes found;
    bool loaded, changed, uncertain;
    const char *problem; /* why it cannot be read */
    int code;            /* of problem */
    uint32_t stamp;      /* whose edges these are */
    uint32_t *edges;
    uint32_t edge_count;
    uint32_t seen_by;    /* the last unit that reached it */
};

struct graph {
    struct project *project;
    struct arena arena; /* of everything but edges */
    struct arena edges;
    struct peek peek;
    struct text_map paths, names; /* to nodes: absolute paths; names that are nowhere */
    struct node *nodes;
    uint32_t count, cap;
    struct searches searches;
    struct buf text, path;
    uint32_t *reached; /* by one unit, which is the first: nodes, in the order they were found */
    uint32_t reached_count, reached_cap;
};

/* ---- nodes ---- */

static uint32_t add_node(struct graph *graph, struct node node)
{
    graph->nodes = mem_grow(graph->nodes, graph->count, &graph->cap, sizeof *graph->nodes);
    node.stamp = node.seen_by = MAP_NONE;
    graph->nodes[graph->count] = node;
    return graph->count++;
}

static uint64_t join_hashes(uint64_t a, uint64_t b)
{
    const uint64_t both[] = { a, b };

    return content_hash((struct str){ (const char *)both, sizeof both });
}

static bool is_other_changed(const struct graph *graph, struct str inside)
{
    const struct project *project = graph->project;
    uint32_t low = 0, high = project->other_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = str_compare(inside, str_of(project->others[middle]));

        if (order == 0) return true;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return false;
}

static const char *judge_text(const struct graph *graph, int *code)
{
    struct str head = buf_str(&graph->text);

    if (head.size > NUL_BYTES) head.size = NUL_BYTES;
    if (!str_has(head, '\0')) return NULL;
    *code = ERR_FORMAT;
    return "it is no text, although its name says so";
}

static void load_source(struct graph *graph, uint32_t index)
{
    struct source *source = &graph->project->sources[index];
    struct node *node = &graph->nodes[index];
    struct err err;

    buf_clear(&graph->text);
    node->code = peek_read(&graph->peek, str_of(source->path), &graph->text, &err);
    if (node->code == ERR_LIMIT)
        node->problem = arena_printf(&graph->arena, "it is larger than %d MB",
                                     SOURCE_BYTES_MAX >> 20);
    else if (node->code != 0)
        node->problem = arena_cstr(&graph->arena, str_of(err.text));
    else
        node->problem = judge_text(graph, &node->code);
    if (node->problem) return;
    source->hash = content_hash(buf_str(&graph->text));
    if (source->language == &language_c || source->language == &language_cxx)
        includes_scan(buf_str(&graph->text), &graph->arena, &node->found);
}

/* A file that is no source of the project: where it cannot be read, what includes it is only marked
 * as not sure. */
static void load_other(struct graph *graph, struct node *node)
{
    struct str inside = path_inside(graph->project, node->path);
    struct err none;

    if (inside.size) {
        node->inside = arena_cstr(&graph->project->arena, inside);
        node->changed = is_other_changed(graph, inside);
    }
    buf_clear(&graph->text);
    if (file_read(node->path, &graph->text, &none) != 0) {
        node->uncertain = true;
        return;
    }
    node->hash = join_hashes(content_hash(str_of(node->path)), content_hash(buf_str(&graph->text)));
    includes_scan(buf_str(&graph->text), &graph->arena, &node->found);
}

static void load(struct graph *graph, uint32_t index)
{
    struct node *node = &graph->nodes[index];

    if (node->loaded) return;
    node->loaded = true;
    if (index < graph->project->count) load_source(graph, index);
    else if (node->path) load_other(graph, node);
    if (node->found.uncertain) node->uncertain = true;
}

/* ---- where names lead ---- */

/* The node of the file that folder and name make, or nowhere. */
static uint32_t find_file(struct graph *graph, struct str folder, const char *name)
{
    uint32_t *known;
    const char *path, *real;

    path_join(folder, str_of(name), &graph->path);
    if (graph->path.overflow) return nowhere;
    known = text_map_put(&graph->paths, buf_str(&graph->path), &graph->arena);
    if (*known != MAP_NONE) return *known;
    *known = nowhere;
    path = buf_cstr(&graph->path);
    real = real_file(path, &graph->arena);
    if (real) {
        const struct source *source = project_source(graph->project,
                                                     path_inside(graph->project, real));
        uint32_t index = source ? (uint32_t)(source - graph->project->sources)
                                : add_node(graph, (struct node){
                                      .path = arena_cstr(&graph->arena, str_of(path)) });

        *known = index; /* nothing was put into paths since */
    }
    return *known;
}

static uint32_t find_nowhere(struct graph *graph, const char *name)
{
    uint32_t *known = text_map_put(&graph->names, str_of(name), &graph->arena);

    if (*known == MAP_NONE) {
        *known = add_node(graph, (struct node){
            .loaded = true, .hash = join_hashes(content_hash(str_of(name)), 1) });
    }
    return *known;
}

static struct str folder_of(const char *path)
{
    struct str folder = str_of(path);

    while (folder.size && folder.data[folder.size - 1] != '/') folder.size--;
    return folder;
}

/* Appends to edges what an include in a file of folder `here` leads to; returns how many. */
static uint32_t resolve(struct graph *graph, const struct search *search, struct str here,
                        const struct include *include, uint32_t *edges)
{
    uint32_t found, count = 0;

    if (!include->angled) {
        found = find_file(graph, here, include->name);
        if (found != nowhere) edges[count++] = found;
    }
    /* The next one is any that is there: which, only the compiler knows that found the first. */
    for (uint32_t i = include->angled ? search->quoted : 0;
         i < search->count && (count == 0 || include->next); i++) {
        found = find_file(graph, str_of(search->folders[i]), include->name);
        if (found != nowhere) edges[count++] = found;
    }
    if (count == 0) edges[count++] = find_nowhere(graph, include->name);
    return count;
}

/* The edges of a node, for one search. */
static void resolve_all(struct graph *graph, uint32_t index, uint32_t stamp)
{
    const struct search *search = &graph->searches.items[stamp];
    struct includes found;
    uint32_t most = 0, count = 0;
    uint32_t *edges;
    struct str here;

    load(graph, index);
    found = graph->nodes[index].found;
    for (uint32_t i = 0; i < found.count; i++) most += found.items[i].next ? search->count + 1 : 1;
    edges = arena_alloc(&graph->edges, most * sizeof *edges);
    here = folder_of(graph->nodes[index].path ? graph->nodes[index].path : "/");
    for (uint32_t i = 0; i < found.count; i++)
        count += resolve(graph, search, here, &found.items[i], edges + count);
    graph->nodes[index].edges = edges;
    graph->nodes[index].edge_count = count;
    graph->nodes[index].stamp = stamp;
}

/* ---- units ---- */

static void reach(struct graph *graph, uint32_t unit, uint32_t index)
{
    if (graph->nodes[index].seen_by == unit) return;
    graph->nodes[index].seen_by = unit;
    graph->reached = mem_grow(graph->reached, graph->reached_count, &graph->reached_cap,
                              sizeof *graph->reached);
    graph->reached[graph->reached_count++] = index;
}

/* What -include names: looked for in the compiler's own folder first. */
static void reach_forced(struct graph *graph, uint32_t unit, const struct search *search)
{
    for (uint32_t i = 0; i < search->forced_count; i++) {
        const struct include include = { .name = search->forced[i] };
        uint32_t found;

        resolve(graph, search, str_of(search->folder), &include, &found);
        reach(graph, unit, found);
    }
}

static void reach_all(struct graph *graph, uint32_t unit, uint32_t stamp)
{
    graph->reached_count = 0;
    reach(graph, unit, unit);
    reach_forced(graph, unit, &graph->searches.items[stamp]);
    for (uint32_t i = 0; i < graph->reached_count; i++) {
        uint32_t index = graph->reached[i];

        if (graph->nodes[index].stamp != stamp) resolve_all(graph, index, stamp);
        for (uint32_t j = 0; j < graph->nodes[index].edge_count; j++)
            reach(graph, unit, graph->nodes[index].edges[j]);
    }
}

static int compare_indexes(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

/* Of what was reached: what lies in the workspace and is no source. */
static const char *const *list_others(struct graph *graph)
{
    static const char *const none[] = { NULL };
    const char **out;
    uint32_t count = 0;

    for (uint32_t i = 0; i < graph->reached_count; i++)
        count += graph->nodes[graph->reached[i]].inside != NULL;
    if (count == 0) return none;
    out = arena_alloc(&graph->project->arena, (count + 1) * sizeof *out);
    count = 0;
    for (uint32_t i = 0; i < graph->reached_count; i++) {
        const char *inside = graph->nodes[graph->reached[i]].inside;

        if (inside) out[count++] = inside;
    }
    return out;
}

/* What was reached, as the unit keeps it. */
static void describe_unit(struct graph *graph, uint32_t unit)
{
    struct project *project = graph->project;
    struct source *source = &project->sources[unit];

    source->includes = arena_alloc(&project->arena,
                                   graph->reached_count * sizeof *source->includes);
    for (uint32_t i = 0; i < graph->reached_count; i++) {
        uint32_t index = graph->reached[i];
        const struct node *node = &graph->nodes[index];

        if (node->uncertain) source->uncertain = true;
        if (index >= project->count) source->outside_hash += node->hash;
        else if (index != unit) source->includes[source->include_count++] = index;
        if (index < project->count ? project->sources[index].changed : node->changed)
            source->wanted = source->made == MADE_BY_PEOPLE;
    }
    source->others = list_others(graph);
    if (source->include_count) {
        qsort(source->includes, source->include_count, sizeof *source->includes, compare_indexes);
    }
}

static int compare_work(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

static void describe_units(struct graph *graph)
{
    struct project *project = graph->project;
    uint64_t *work = mem_alloc((project->count + 1) * sizeof *work); /* search and unit */
    uint32_t count = 0;

    for (uint32_t i = 0; i < project->count; i++) {
        const struct source *source = &project->sources[i];

        if (!source_is_unit(source)) continue;
        work[count++] = (uint64_t)searches_find(&graph->searches, source) << 32 | i;
    }
    qsort(work, count, sizeof *work, compare_work);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && work[i] >> 32 != work[i - 1] >> 32) arena_release(&graph->edges);
        reach_all(graph, (uint32_t)work[i], (uint32_t)(work[i] >> 32));
        describe_unit(graph, (uint32_t)work[i]);
    }
    free(work);
}

/* ---- together ---- */

/* What cannot be read, and what includes it. */
static void mark_problems(struct graph *graph)
{
    struct project *project = graph->project;

    for (uint32_t i = 0; i < project->count; i++) {
        struct source *source = &project->sources[i];
        const char *problem = graph->nodes[i].problem;

        source->problem = problem ? arena_cstr(&project->arena, str_of(problem)) : NULL;
        for (uint32_t j = 0; !source->problem && j < source->include_count; j++) {
            uint32_t included = source->includes[j];

            if (!graph->nodes[included].problem) continue;
            source->problem = arena_printf(
                &project->arena, "it includes %s: %s",
                path_shown(str_of(project->sources[included].path), &graph->arena),
                graph->nodes[included].problem);
        }
    }
}

static void add_sources(struct graph *graph)
{
    struct project *project = graph->project;

    for (uint32_t i = 0; i < project->count; i++) {
        struct source *source = &project->sources[i];
        const char *path = arena_printf(&graph->arena, "%s/%s", project->workspace, source->path);

        *text_map_put(&graph->paths, str_of(path), NULL) = i;
        add_node(graph, (struct node){ .path = path });
        source->include_count = 0;
        source->others = NULL;
        source->outside_hash = 0;
        source->uncertain = false;
        source->wanted = source->changed && source->made == MADE_BY_PEOPLE;
    }
    for (uint32_t i = 0; i < project->count; i++) load(graph, i);
}

int project_find_includes(struct project *project, struct err *err)
{
    struct graph graph = { .project = project };
    int rc = peek_open(&graph.peek, project->workspace, err);

    buf_init(&graph.text, SOURCE_BYTES_MAX);
    buf_init(&graph.path, PATH_BYTES_MAX);
    searches_init(&graph.searches, &graph.arena);
    if (rc == 0) {
        add_sources(&graph);
        describe_units(&graph);
        mark_problems(&graph);
    }
    peek_close(&graph.peek);
    searches_release(&graph.searches);
    text_map_release(&graph.paths);
    text_map_release(&graph.names);
    buf_release(&graph.text);
    buf_release(&graph.path);
    free(graph.nodes);
    free(graph.reached);
    arena_release(&graph.edges);
    arena_release(&graph.arena);
    return rc == 0 ? 0 : err_wrap(err, "read the sources");
}
